//! What every thread did and for how long: a recording for reports, made only if it was asked for.
//!
//! Wherever a thread says what it does from now on (`crash::enter`), the span before ends and a new one begins;
//! the name `""` stands for what is not told apart. Spans are added up as they end, by phase and by function,
//! so a recording takes memory by function and not by span. A span costs one reading of the wall clock
//! (`CLOCK_MONOTONIC` is no system call, about 30 ns) and some twenty instructions. The time of the thread is
//! asked for once a millisecond: where it falls behind the wall clock, the thread was not running, and all spans
//! of that slice are shortened in proportion. Measured, the whole costs what `profiling/huge-programs.md` says.
//!
//! Events (batch, function, phase, waiting) are kept for traces only, those of at least some length: where no
//! length is given, a thread that has too many of them lets the shorter half go.
//!
//! Threads record for themselves and hand over when they have nothing more to do (`flush`). Nothing that decides
//! what is compiled may look at any of it.

use super::clock::{Stopwatch, thread_time};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Wall time after which a thread asks how long it really ran, in ns.
const SLICE: u64 = 1_000_000;

/// Idle time that is told apart from a change of phases, in ns.
const PAUSE: u64 = 20_000;

/// Events that a thread keeps before it asks for longer ones.
const MOST_EVENTS: usize = 1 << 15;

/// What rows are counted in.
pub type Unit = &'static str;

/// All spans of one phase or pass.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// How many spans there were.
    pub calls: u64,
    /// How long threads ran in it, in ns.
    pub cpu: u64,
    /// What went in and came out.
    pub rows: (u64, u64),
    /// What was counted: bytes, tokens, nodes, instructions; empty if nothing was.
    pub units: (Unit, Unit),
}

/// All spans of one function, or of a part of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its number.
    pub number: u32,
    /// How long threads ran for it, in ns.
    pub cpu: u64,
    /// The longest of its phases, and how long that took.
    pub most: (&'static str, u64),
}

/// What an event is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Many functions, or parts, one after the other on one thread.
    Batch,
    /// What was done at a time for one function.
    Function,
    /// A phase or pass.
    Phase,
    /// Nothing, until another thread is done.
    Waiting,
}

/// Something that one thread did, for traces. Batches hold functions, and these hold phases.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What it is about.
    pub kind: Kind,
    /// The phase or pass; of a batch, the phase that has given the work out.
    pub name: &'static str,
    /// Number of the function, if it is one.
    pub function: Option<u32>,
    /// From the start of the recording to its start, in ns.
    pub start: u64,
    /// How long it took, in ns.
    pub wall: u64,
}

/// All that one thread did.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// The thread's name.
    pub thread: String,
    /// By phase, in the order of their first spans.
    pub phases: Vec<Phase>,
    /// By function, a row or more each.
    pub functions: Vec<Function>,
    /// When it was busy, in ns from the start of the recording, in order.
    pub busy: Vec<(u64, u64)>,
    /// What it did when, in the order of the ends.
    pub events: Vec<Event>,
}

/// Names of tables, and how many bytes they had when they were largest.
pub type Tables = Vec<(&'static str, usize)>;

/// What events are kept.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Events {
    /// None: only sums are wanted.
    #[default]
    None,
    /// As many as fit, the longest.
    Longest,
    /// Those of at least so many ns.
    From(u64),
}

struct Recorded {
    started: Option<Stopwatch>,
    events: Events,
    lanes: Vec<Lane>,
    tables: Tables,
}

static ON: AtomicBool = AtomicBool::new(false);
/// The number of the recording: what a thread has of another one is not of this one.
static NUMBER: AtomicU32 = AtomicU32::new(0);
static RECORDED: Mutex<Recorded> =
    Mutex::new(Recorded { started: None, events: Events::None, lanes: Vec::new(), tables: Vec::new() });

fn note(tables: &mut Tables, name: &'static str, bytes: usize) {
    match tables.iter_mut().find(|(known, _)| *known == name) {
        Some((_, most)) => *most = bytes.max(*most),
        None => tables.push((name, bytes)),
    }
}

/// What a thread has recorded and not handed over.
#[derive(Default)]
struct Own {
    /// Of which recording it is.
    number: u32,
    /// When the recording started, once it is known here.
    origin: Option<Stopwatch>,
    kept: Events,
    /// Events of less than so many ns are not kept.
    shortest: u64,
    /// When the span that is open began, its row of `lane.phases` (none: it is not told apart), its function.
    since: u64,
    open: Option<usize>,
    function: Option<u32>,
    /// When the spans of that function began and ended, and how many ns its phases have taken in this slice.
    function_since: u64,
    function_until: u64,
    taken: u64,
    most: (&'static str, u64),
    /// When the batch began, and what it is called.
    batch: Option<(u64, &'static str)>,
    /// When the thread began to wait for others.
    waits: Option<u64>,
    /// The slice that is open: wall time by phase, in all, its start, the first row of its functions.
    slice: Vec<u64>,
    slice_busy: u64,
    slice_since: u64,
    slice_functions: usize,
    /// The time of the thread when the slice began.
    cpu: Duration,
    lane: Lane,
    tables: Tables,
}

thread_local! {
    static OWN: RefCell<Own> = RefCell::default();
}

/// Begins a recording, with these events.
pub fn start(events: Events) {
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    *recorded = Recorded { started: Some(Stopwatch::start()), events, lanes: Vec::new(), tables: Vec::new() };
    NUMBER.fetch_add(1, Ordering::Relaxed);
    ON.store(true, Ordering::Release);
}

/// True while a recording is made.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Ends the thread's span and begins another.
#[inline]
pub fn switch(phase: &'static str, function: Option<u32>) {
    if is_on() {
        OWN.with_borrow_mut(|own| own.switch(phase, function));
    }
}

/// Says what went into the thread's span and came out of it.
#[inline]
pub fn count(rows_in: (usize, Unit), rows_out: (usize, Unit)) {
    if is_on() {
        OWN.with_borrow_mut(|own| own.count(rows_in, rows_out));
    }
}

/// Says how large a table is now, in bytes, which is only asked for while a recording is made; the largest
/// counts.
#[inline]
pub fn table(name: &'static str, bytes: impl FnOnce() -> usize) {
    if is_on() {
        OWN.with_borrow_mut(|own| note(&mut own.tables, name, bytes()));
    }
}

/// Ends the thread's span: it waits for others.
pub fn wait() {
    if is_on() {
        OWN.with_borrow_mut(Own::wait);
    }
}

/// Begins what a thread has to do of something that was given out in this phase.
pub fn begin_batch(phase: &'static str) {
    if is_on() {
        OWN.with_borrow_mut(|own| own.begin_batch(phase));
    }
}

/// Ends that.
pub fn end_batch() {
    if is_on() {
        OWN.with_borrow_mut(Own::end_batch);
    }
}

/// Ends the thread's span, and hands over what it has recorded.
pub fn flush() {
    if is_on() {
        let (lane, tables) = OWN.with_borrow_mut(Own::hand_over);
        let thread = std::thread::current().name().unwrap_or("main").to_string();
        let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
        match recorded.lanes.iter_mut().find(|lane| lane.thread == thread) {
            Some(known) => known.add(lane),
            None => recorded.lanes.push(Lane { thread, ..lane }),
        }
        tables.into_iter().for_each(|(name, bytes)| note(&mut recorded.tables, name, bytes));
    }
}

/// Ends the recording: how long it was, what every thread did, by name, and how large tables were.
pub fn take() -> (Duration, Vec<Lane>, Tables) {
    flush();
    ON.store(false, Ordering::Release);
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = recorded.started.take().map_or(Duration::ZERO, |origin| origin.elapsed());
    let mut lanes = std::mem::take(&mut recorded.lanes);
    lanes.sort_by(|a, b| (a.thread.len(), &a.thread).cmp(&(b.thread.len(), &b.thread)));
    (whole, lanes, std::mem::take(&mut recorded.tables))
}

impl Phase {
    /// Adds what another sum of the same phase has.
    pub fn add(&mut self, other: &Phase) {
        self.calls += other.calls;
        self.cpu += other.cpu;
        self.rows = (self.rows.0 + other.rows.0, self.rows.1 + other.rows.1);
        if self.units.0.is_empty() {
            self.units = other.units;
        }
    }
}

impl Lane {
    fn add(&mut self, other: Lane) {
        for phase in other.phases {
            match self.phases.iter_mut().find(|known| known.name == phase.name) {
                Some(known) => known.add(&phase),
                None => self.phases.push(phase),
            }
        }
        self.functions.extend(other.functions);
        self.busy.extend(other.busy);
        self.events.extend(other.events);
    }
}

impl Own {
    fn now(&mut self) -> u64 {
        let number = NUMBER.load(Ordering::Relaxed);
        match self.origin {
            Some(origin) if self.number == number => return origin.elapsed().as_nanos() as u64,
            _ => *self = Own { number, ..Own::default() },
        }
        let recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
        let origin = *self.origin.insert(recorded.started.unwrap_or_else(Stopwatch::start));
        self.kept = recorded.events;
        self.shortest = if let Events::From(ns) = self.kept { ns } else { 0 };
        self.cpu = thread_time();
        let now = origin.elapsed().as_nanos() as u64;
        (self.since, self.slice_since) = (now, now);
        now
    }

    fn switch(&mut self, phase: &'static str, function: Option<u32>) {
        let now = self.now();
        self.close(now);
        if function != self.function && !phase.is_empty() {
            self.close_function();
            (self.function, self.function_since) = (function, now);
        }
        self.since = now;
        self.open = if phase.is_empty() { None } else { Some(self.row(phase)) };
        if now - self.slice_since >= SLICE {
            self.end_slice(now);
        }
    }

    /// The row of a phase. Mostly phases follow each other as they did before.
    fn row(&mut self, phase: &'static str) -> usize {
        let phases = &mut self.lane.phases;
        let is_it = |row: &Phase| std::ptr::eq(row.name, phase);
        let next = self.open.map_or(0, |row| row + 1);
        if phases.get(next).is_some_and(is_it) {
            return next;
        }
        let known = phases.iter().position(|row| row.name == phase);
        known.unwrap_or_else(|| {
            phases.push(Phase { name: phase, ..Phase::default() });
            self.slice.push(0);
            phases.len() - 1
        })
    }

    /// Ends the span that is open.
    fn close(&mut self, now: u64) {
        let wall = now - self.since;
        if let Some(start) = self.waits.take() {
            self.keep(Kind::Waiting, "", None, (start, now));
        }
        let Some(row) = self.open else {
            if wall >= PAUSE {
                self.end_slice(now);
            }
            return;
        };
        let phase = &mut self.lane.phases[row];
        phase.calls += 1;
        self.slice[row] += wall;
        self.slice_busy += wall;
        match self.lane.busy.last_mut() {
            Some((_, end)) if self.since - *end < PAUSE => *end = now,
            _ => self.lane.busy.push((self.since, now)),
        }
        if self.function.is_some() {
            self.taken += wall;
            self.function_until = now;
            if wall > self.most.1 {
                self.most = (phase.name, wall);
            }
        }
        let name = phase.name;
        self.keep(Kind::Phase, name, self.function, (self.since, now));
    }

    /// Ends what is done for a function.
    fn close_function(&mut self) {
        self.add_function();
        if self.function.is_some() {
            self.keep(Kind::Function, "", self.function, (self.function_since, self.function_until));
        }
        self.function = None;
    }

    /// Puts down what the function has taken in this slice.
    fn add_function(&mut self) {
        if let Some(number) = self.function.filter(|_| self.taken > 0) {
            self.lane.functions.push(Function { number, cpu: self.taken, most: self.most });
            (self.taken, self.most) = (0, ("", 0));
        }
    }

    /// Keeps an event, if it is long enough.
    fn keep(&mut self, kind: Kind, name: &'static str, function: Option<u32>, (start, end): (u64, u64)) {
        let wall = end - start;
        if self.kept == Events::None || wall < self.shortest {
            return;
        }
        self.lane.events.push(Event { kind, name, function, start, wall });
        if self.kept == Events::Longest && self.lane.events.len() >= MOST_EVENTS {
            // About the longer half stays.
            let mut walls: Vec<u64> = self.lane.events.iter().map(|event| event.wall).collect();
            let (_, &mut median, _) = walls.select_nth_unstable(MOST_EVENTS / 2);
            self.shortest = median + 1;
            self.lane.events.retain(|event| event.wall > median);
        }
    }

    fn count(&mut self, (rows_in, unit_in): (usize, Unit), (rows_out, unit_out): (usize, Unit)) {
        let Some(row) = self.open else { return };
        let phase = &mut self.lane.phases[row];
        phase.rows = (phase.rows.0 + rows_in as u64, phase.rows.1 + rows_out as u64);
        phase.units = (unit_in, unit_out);
    }

    /// Turns the wall time of the slice into the thread's: it cannot have run for longer.
    fn end_slice(&mut self, now: u64) {
        let cpu = thread_time();
        let ran = cpu.saturating_sub(self.cpu).as_nanos() as u64;
        let share = if self.slice_busy > ran { ran as f64 / self.slice_busy as f64 } else { 1.0 };
        let scaled = |ns: u64| (ns as f64 * share) as u64;
        for (phase, wall) in self.lane.phases.iter_mut().zip(&mut self.slice) {
            phase.cpu += scaled(std::mem::take(wall));
        }
        self.add_function();
        for row in &mut self.lane.functions[self.slice_functions..] {
            (row.cpu, row.most.1) = (scaled(row.cpu), scaled(row.most.1));
        }
        (self.slice_busy, self.slice_since, self.cpu) = (0, now, cpu);
        self.slice_functions = self.lane.functions.len();
    }

    fn wait(&mut self) {
        self.switch("", None);
        self.close_function();
        self.waits = Some(self.since);
    }

    fn begin_batch(&mut self, phase: &'static str) {
        self.switch("", None);
        self.close_function();
        self.end_slice(self.since);
        self.batch = Some((self.since, phase));
        self.switch(phase, None);
    }

    fn end_batch(&mut self) {
        self.switch("", None);
        self.close_function();
        if let Some((start, name)) = self.batch.take() {
            self.keep(Kind::Batch, name, None, (start, self.since));
        }
    }

    fn hand_over(&mut self) -> (Lane, Tables) {
        self.end_batch();
        self.end_slice(self.since);
        self.waits = Some(self.since);
        self.slice.clear();
        self.slice_functions = 0;
        (std::mem::take(&mut self.lane), std::mem::take(&mut self.tables))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spins, so that the thread runs for as long as the clock on the wall.
    fn spin(us: u64) {
        let clock = Stopwatch::start();
        while clock.elapsed() < Duration::from_micros(us) {}
    }

    #[test]
    fn spans_are_added_up_on_every_thread() {
        switch("before", None);
        start(Events::Longest);
        begin_batch("all");
        for (function, us) in [(3, 40), (4, 2500)] {
            switch("one", Some(function));
            count((5, "bytes"), (7, "tokens"));
            spin(us);
            switch("two", Some(function));
        }
        end_batch();
        for bytes in [4, 9, 6] {
            table("rows", || bytes);
        }
        wait();
        let other = std::thread::Builder::new().name("other-1".to_string());
        let joined = other.spawn(|| {
            switch("two", None);
            flush();
        });
        assert!(joined.unwrap().join().is_ok());
        switch("three", None);
        let (whole, lanes, tables) = take();
        assert!(!is_on() && tables.contains(&("rows", 9)));
        // Other tests of this process may have been recorded, too: each thread has a name of its own.
        let own = std::thread::current().name().unwrap().to_string();
        let lane = |name: &str| lanes.iter().find(|lane| lane.thread == name).unwrap();
        let Lane { phases, functions, busy, events, .. } = lane(&own);
        let sums: Vec<_> = phases.iter().map(|row| (row.name, row.calls, row.rows)).collect();
        assert_eq!(
            sums,
            [("all", 1, (0, 0)), ("one", 2, (10, 14)), ("two", 2, (0, 0)), ("three", 1, (0, 0))]
        );
        assert_eq!(phases[1].units, ("bytes", "tokens"));
        let whole = whole.as_nanos() as u64;
        // A machine may be busy with other things, so what the thread ran for has no lower bound to test.
        assert!(phases.iter().map(|row| row.cpu).sum::<u64>() <= whole);
        let longest = functions.iter().max_by_key(|row| row.cpu).unwrap();
        assert_eq!((longest.number, longest.most.0), (4, "one"), "{functions:?}");
        assert!(
            busy.is_sorted() && busy.iter().all(|&(start, end)| start <= end && end <= whole),
            "{busy:?}"
        );
        // Each event lies in the one that holds it.
        let find = |kind| events.iter().find(|event| event.kind == kind).unwrap();
        let (batch, function, waiting) = (find(Kind::Batch), find(Kind::Function), find(Kind::Waiting));
        assert_eq!((batch.name, function.function), ("all", Some(3)));
        let phase = events.iter().find(|event| event.name == "one").unwrap();
        let holds = |a: &Event, b: &Event| a.start <= b.start && b.start + b.wall <= a.start + a.wall;
        assert!(holds(batch, function) && holds(function, phase) && !holds(batch, waiting));
        assert_eq!(lane("other-1").phases.len(), 1);
    }

    #[test]
    fn a_thread_keeps_the_longest_events() {
        let mut own = Own { kept: Events::Longest, ..Own::default() };
        for k in 0..200_000 {
            own.keep(Kind::Phase, "p", None, (k, k + k % 5000));
        }
        let events = &own.lane.events;
        assert!(
            events.len() < MOST_EVENTS && own.shortest >= 2000 && own.shortest <= 5000,
            "{}",
            own.shortest
        );
        assert!(events.iter().all(|event| event.wall >= own.shortest));
        own = Own { kept: Events::From(30), shortest: 30, ..Own::default() };
        (0..60).for_each(|k| own.keep(Kind::Phase, "p", None, (k, k + k)));
        assert_eq!(own.lane.events.len(), 30);
    }
}
