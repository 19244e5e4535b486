//! What every thread did when: a recording for reports, made only if it was asked for.
//!
//! Wherever a thread says what it does from now on (`crash::enter`), the span before ends and a new one
//! begins; the name `""` stands for idleness. A span is 56 bytes with two readings of clocks, about half a
//! microsecond in all: 8 of them a function. Threads record for themselves and hand over when they have
//! nothing more to do (`flush`). Nothing that decides what is compiled may look at any of it.

use super::clock::{Stopwatch, thread_time};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Something that one thread did.
#[derive(Copy, Clone, Debug)]
pub struct Span {
    /// The phase or pass.
    pub phase: &'static str,
    /// Number of the function, if it is one.
    pub function: Option<u32>,
    /// From the start of the recording to the start of the span.
    pub start: Duration,
    /// How long it took.
    pub wall: Duration,
    /// How long the thread really ran.
    pub cpu: Duration,
    /// What went in and came out, in whatever the phase counts: bytes, tokens, nodes, instructions.
    pub rows: (u32, u32),
}

/// All that one thread did, in order.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Its name.
    pub thread: String,
    /// What it did.
    pub spans: Vec<Span>,
}

static ON: AtomicBool = AtomicBool::new(false);
static RECORDED: Mutex<(Option<Stopwatch>, Vec<Lane>, Tables)> = Mutex::new((None, Vec::new(), Vec::new()));

/// Names of tables, and how many bytes they had when they were largest.
pub type Tables = Vec<(&'static str, usize)>;

fn note(tables: &mut Tables, name: &'static str, bytes: usize) {
    match tables.iter_mut().find(|(known, _)| *known == name) {
        Some((_, most)) => *most = bytes.max(*most),
        None => tables.push((name, bytes)),
    }
}

/// What a thread has recorded and not handed over.
#[derive(Default)]
struct Own {
    /// When the recording started, once it is known here.
    origin: Option<Stopwatch>,
    /// What it does now, with the thread's time at its start in place of what it took.
    open: Option<Span>,
    spans: Vec<Span>,
    tables: Tables,
}

thread_local! {
    static OWN: RefCell<Own> = RefCell::default();
}

/// Begins a recording.
pub fn start() {
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    *recorded = (Some(Stopwatch::start()), Vec::new(), Vec::new());
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
pub fn count(rows_in: usize, rows_out: usize) {
    if is_on() {
        OWN.with_borrow_mut(|own| {
            if let Some(span) = &mut own.open {
                span.rows = (rows_in as u32, rows_out as u32);
            }
        });
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

/// Says it of the span that ended last, for what only can be counted behind it.
pub fn count_ended(rows_in: usize, rows_out: usize) {
    if is_on() {
        OWN.with_borrow_mut(|own| {
            if let Some(span) = own.spans.last_mut() {
                span.rows = (rows_in as u32, rows_out as u32);
            }
        });
    }
}

/// Ends the thread's span, and hands over what it has recorded.
pub fn flush() {
    if is_on() {
        let (spans, tables) = OWN.with_borrow_mut(|own| {
            own.switch("", None);
            own.open = None;
            (std::mem::take(&mut own.spans), std::mem::take(&mut own.tables))
        });
        let thread = std::thread::current().name().unwrap_or("main").to_string();
        let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
        match recorded.1.iter_mut().find(|lane| lane.thread == thread) {
            Some(lane) => lane.spans.extend(spans),
            None => recorded.1.push(Lane { thread, spans }),
        }
        tables.into_iter().for_each(|(name, bytes)| note(&mut recorded.2, name, bytes));
    }
}

/// Ends the recording: how long it was, what every thread did, by name, and how large tables were.
pub fn take() -> (Duration, Vec<Lane>, Tables) {
    flush();
    ON.store(false, Ordering::Release);
    let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = recorded.0.take().map_or(Duration::ZERO, |origin| origin.elapsed());
    let mut lanes = std::mem::take(&mut recorded.1);
    lanes.sort_by(|a, b| (a.thread.len(), &a.thread).cmp(&(b.thread.len(), &b.thread)));
    (whole, lanes, std::mem::take(&mut recorded.2))
}

impl Own {
    fn switch(&mut self, phase: &'static str, function: Option<u32>) {
        let origin = match self.origin {
            Some(origin) => origin,
            None => {
                let recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
                *self.origin.insert(recorded.0.unwrap_or_else(Stopwatch::start))
            }
        };
        let (now, cpu) = (origin.elapsed(), thread_time());
        if let Some(mut span) = self.open.take().filter(|span| !span.phase.is_empty()) {
            span.wall = now.saturating_sub(span.start);
            span.cpu = cpu.saturating_sub(span.cpu);
            self.spans.push(span);
        }
        self.open = Some(Span { phase, function, start: now, wall: Duration::ZERO, cpu, rows: (0, 0) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_follow_each_other_on_every_thread() {
        switch("before", None);
        start();
        switch("one", Some(3));
        count(5, 7);
        for bytes in [4, 9, 6] {
            table("rows", || bytes);
        }
        let other = std::thread::Builder::new().name("other-1".to_string());
        let joined = other.spawn(|| {
            switch("two", None);
            flush();
        });
        assert!(joined.unwrap().join().is_ok());
        switch("", None);
        switch("three", None);
        let (whole, lanes, tables) = take();
        assert!(tables.contains(&("rows", 9)));
        // Other tests of this process may have been recorded, too: each thread has a name of its own.
        let own = std::thread::current().name().unwrap().to_string();
        let lane = |name: &str| lanes.iter().find(|lane| lane.thread == name).unwrap();
        let phases: Vec<_> = lane(&own).spans.iter().map(|span| (span.phase, span.rows)).collect();
        assert_eq!(phases, [("one", (5, 7)), ("three", (0, 0))]);
        assert_eq!(lane(&own).spans[0].function, Some(3));
        assert!(lane(&own).spans.iter().all(|span| span.start + span.wall <= whole));
        assert_eq!(lane("other-1").spans.len(), 1);
        assert!(!is_on());
    }
}
