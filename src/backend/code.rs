//! From the IR of a function to assembly or bytes: all stages in order.
//!
//! The passes are the rows of `PASSES`, in order; what follows them makes text or bytes. A worker keeps the
//! tables of analyses from function to function. What comes out does not depend on the workers.

use super::join::binding;
use crate::base::clock::thread_time;
use crate::base::crash::enter;
use crate::base::history::{History, Kind};
use crate::base::stop::Stop;
use crate::base::{Handle, trace};
use crate::ir::{self, Body, Env, FuncId, Remark, Remarks, Size, Sort, ValueKind};
use crate::isa::encode::{Encoding, encode_with};
use crate::isa::frame::{Layout, finalise, lay_out};
use crate::isa::invoke::apart;
use crate::isa::prepare::{Prepared, prepare};
use crate::isa::select::{self, select};
use crate::isa::symbols::Symbols;
use crate::isa::{LIBRARY, LIBRARY_BASE, Target, exceptions, text};
use crate::mir::analyses::{Analyses, Needs};
use crate::mir::model::Model;
use crate::mir::pair::Pairs;
use crate::mir::pass::{MachinePass, State, Watch};
use crate::mir::{Features, SlotKind, SymKind};
use crate::object::code::Code;
use crate::object::debug::Home;
use crate::object::module::Binding;
use crate::opt::Level;
use crate::{mir, regalloc};
use bumpalo::Bump;

/// Where the variables of a function are: by the numbers that the front end has for them.
pub type Homes = Vec<(u32, Home)>;

/// The line of the source that a place is in: its number, and what stands there.
pub type LineOf<'a> = &'a dyn Fn(u32) -> Option<(u32, &'a str)>;

/// How to make code, for every function alike.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// The machine.
    pub target: &'static Target,
    /// What it has beyond the least.
    pub features: Features,
    /// The core that code is scheduled for.
    pub model: &'static Model,
    /// Whose plan it is.
    pub level: Level,
    /// Less time rather than better code.
    pub fast: bool,
    /// Better code rather than less time.
    pub thorough: bool,
    /// What counts of all code.
    pub size: Size,
    /// What is asked of the machine passes. With its `verify`, allocations are proven, too.
    pub watch: Watch,
    /// Keep what passes change of functions that have a history.
    pub changes: bool,
    /// Keep what passes have to say.
    pub remarks: bool,
    /// Say in it from which lines of the source it is.
    pub verbose: bool,
    /// Print rows where the last pass is behind, in the form that is read back (`mir/parse`).
    pub rows: bool,
    /// Make text for an assembler.
    pub text: bool,
    /// Make bytes.
    pub code: bool,
    /// Note places in the source, and how to unwind.
    pub debug: bool,
    /// Note how to unwind.
    pub unwind: bool,
    /// Of the runtime library: the numbers of the functions of `LIBRARY`, which are in the same object.
    pub helpers: Option<[u32; LIBRARY.len()]>,
}

impl Options {
    /// Code for a machine at a level, of which nothing more is asked.
    pub fn of(target: &'static Target, features: Features, level: Level) -> Options {
        Options {
            target,
            features,
            model: target.models[0],
            level,
            fast: level == Level::O0,
            thorough: level > Level::O1,
            size: level.size(),
            watch: Watch::default(),
            changes: false,
            remarks: false,
            verbose: false,
            rows: false,
            text: false,
            code: true,
            debug: false,
            unwind: false,
            helpers: None,
        }
    }

    /// True if anything is to be made of IR.
    pub fn makes_code(&self) -> bool {
        self.watch.prints() || self.rows || self.text || self.code || self.changes
    }

    /// The machine that functions are for.
    pub fn machine(&self) -> &'static mir::Machine {
        self.target.rules.machine
    }
}

/// Why there is no code for a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackendError {
    /// The machine or its ABI cannot do what the function asks for.
    Unable(String),
    /// A bug of ours: the stage, and what is wrong.
    Bug(&'static str, String),
    /// It was not wanted any more.
    Stopped,
}

/// What comes out of a function's IR.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Assembly, if asked for.
    pub text: String,
    /// Code, if asked for.
    pub code: Code,
    /// Machine IR, if asked for.
    pub dump: String,
    /// Where variables are, if debuggers are to know.
    pub homes: Homes,
}

/// What is kept of a function besides its code, where an option asks for it.
#[derive(Default)]
pub struct Kept<'a> {
    /// What changes it.
    pub history: Option<&'a mut History>,
    /// What there is to say of it.
    pub remarks: Option<&'a mut Remarks>,
    /// Where it comes from, for dumps and comments.
    pub line_of: Option<LineOf<'a>>,
    /// Looked at between passes.
    pub stop: Option<&'a Stop>,
}

/// What the passes of one function work on.
struct Cx<'a> {
    env: &'a Env,
    body: &'a mut Body,
    options: &'a Options,
    memory: &'a mut WorkerMemory,
    func: mir::Func,
    layout: Layout,
}

impl Cx<'_> {
    /// What counts of the function's code.
    fn size(&self) -> Size {
        self.env.funcs[self.body.func].hints.size_among(self.options.size)
    }
}

/// What a worker keeps from function to function, by the stage that it is for.
#[derive(Debug, Default)]
pub struct WorkerMemory {
    prepared: Prepared,
    selection: select::WorkerMemory,
    /// Of the graph of the function at hand.
    analyses: Analyses,
    /// Of block order and branch distances: lists that are gone when the function is.
    lists: Bump,
    encoding: Encoding,
    schedule: mir::schedule::WorkerMemory,
}

type Run = fn(&mut Cx) -> Result<(), BackendError>;

/// Every pass from IR to final rows, in order.
static PASSES: [(MachinePass, Run); 16] = {
    use State::{Allocated, Final, Framed, Ir, Placed, Selected};
    const fn row(name: &'static str, description: &'static str, from: State, to: State) -> MachinePass {
        MachinePass::new(name, description, from, to)
    }
    [
        (row("lower-cfg", "no critical edges into phis, no dead blocks", Ir, Ir), lower_cfg),
        (row("select", "IR to machine IR", Ir, Selected), run_select),
        (
            row("number", "one row for what is computed already", Selected, Selected)
                .optional()
                .from_level(2)
                .needs(Needs::LOOPS)
                .keeps(Needs::ALL),
            |cx| {
                let machine = cx.machine();
                mir::number::number(&mut cx.func, machine, &cx.memory.analyses);
                Ok(())
            },
        ),
        (
            row("delay", "increments behind the last use of the old value", Selected, Selected)
                .optional()
                .from_level(2)
                .keeps(Needs::ALL),
            |cx| {
                let machine = cx.machine();
                mir::delay::delay(&mut cx.func, machine);
                Ok(())
            },
        ),
        (
            row("zero-flags", "no comparisons with zero behind what sets flags", Selected, Selected)
                .optional()
                .from_level(2)
                .keeps(Needs::ALL),
            zero_flags,
        ),
        (
            row("schedule", "rows in an order that waits less", Selected, Selected)
                .optional()
                .from_level(2)
                .keeps(Needs::ALL),
            |cx| schedule(cx, "schedule", mir::schedule::before),
        ),
        (row("allocate", "registers and spill slots", Selected, Allocated).keeps(Needs::ALL), allocate),
        (row("order", "threads jumps and orders blocks", Allocated, Allocated).optional(), |cx| {
            let machine = cx.machine();
            mir::order::order(&mut cx.func, machine, &cx.memory.lists);
            Ok(())
        }),
        (
            row("tails", "small blocks instead of jumps to them", Allocated, Allocated)
                .optional()
                .from_level(2),
            |cx| {
                let machine = cx.machine();
                let is_small = cx.size() != Size::Any;
                let has_conditions = cx.options.target.frames.conditional.is_some();
                mir::tails::tails(&mut cx.func, machine, is_small, has_conditions);
                Ok(())
            },
        ),
        (row("frame", "offsets of frame slots", Allocated, Framed).keeps(Needs::ALL), |cx| {
            cx.layout = lay_out(&mut cx.func, cx.options.target.frames).map_err(BackendError::Unable)?;
            Ok(())
        }),
        (
            row("pair", "one row for two neighbours in memory", Framed, Framed)
                .optional()
                .from_level(1)
                .keeps(Needs::ALL),
            pair,
        ),
        (
            row("late-zero-flags", "the same, of what was allocated", Framed, Framed)
                .optional()
                .from_level(2)
                .keeps(Needs::ALL),
            zero_flags,
        ),
        (
            row("reschedule", "the same, of what was allocated", Framed, Framed)
                .optional()
                .from_level(2)
                .keeps(Needs::ALL),
            |cx| schedule(cx, "reschedule", mir::schedule::after),
        ),
        (row("finalise", "prologue, legal immediates", Framed, Final).keeps(Needs::ALL), |cx| {
            finalise(&mut cx.func, cx.options.target.frames, &cx.layout);
            Ok(())
        }),
        (
            row("conditional", "rows under conditions instead of branches around them", Final, Final)
                .optional()
                .from_level(2),
            |cx| {
                let machine = cx.machine();
                if let Some(how) = cx.options.target.frames.conditional {
                    mir::conditional::conditional(&mut cx.func, machine, how);
                }
                Ok(())
            },
        ),
        (row("relax", "branches that fall through and reach", Final, Placed), relax),
    ]
};

impl Cx<'_> {
    /// The machine that the function is for.
    fn machine(&self) -> &'static mir::Machine {
        self.options.machine()
    }
}

fn zero_flags(cx: &mut Cx) -> Result<(), BackendError> {
    let machine = cx.machine();
    if let Some(how) = cx.options.target.frames.zero_flags {
        mir::zero_flags::zero_flags(&mut cx.func, machine, how);
    }
    Ok(())
}

/// The machine passes, in order.
pub fn passes() -> impl Iterator<Item = &'static MachinePass> + Clone {
    PASSES.iter().map(|(pass, _)| pass)
}

/// What is asked of them. With `dump`, functions are printed behind selection and allocation.
pub fn watch(asked: &crate::opt::Options, dump: bool) -> Watch {
    let mut after = asked.print_after.clone();
    if dump {
        after.extend(["select", "allocate"].map(String::from));
    }
    let watch = Watch::of(passes(), &asked.print_before, &after, &asked.disable, asked.stop_after.as_slice());
    watch.verifying(asked.verify)
}

fn lower_cfg(cx: &mut Cx) -> Result<(), BackendError> {
    let is_small = cx.size() != Size::Any;
    let Options { fast, thorough, debug, watch, changes, remarks, verbose, .. } = *cx.options;
    let prepared = &mut cx.memory.prepared;
    (prepared.hoist, prepared.over_calls) = (!fast, thorough);
    prepared.one_return = is_small;
    prepared.in_place = cx.options.target.rules.memory.in_place;
    prepared.least_table = cx.options.target.rules.least_table;
    prepared.places = debug || verbose || changes || remarks || watch.prints() || watch.verify;
    // (clang has unwinders told of C, too, where nothing lands.)
    if cx.env.funcs[cx.body.func].personality.is_some() {
        apart(cx.env, cx.body);
    }
    prepare(cx.body, prepared);
    Ok(())
}

fn run_select(cx: &mut Cx) -> Result<(), BackendError> {
    let Options { target, features, debug, unwind, fast, helpers, .. } = cx.options;
    let WorkerMemory { prepared, selection, .. } = &mut *cx.memory;
    let func = select(cx.env, cx.body, (prepared, selection), target.rules, *features);
    cx.func = func.map_err(BackendError::Unable)?;
    if let Some(helpers) = helpers {
        let machine = cx.options.machine();
        for row in cx.func.insts.as_mut_slice() {
            if machine.row(row.op).sym == SymKind::Func && row.sym >= LIBRARY_BASE {
                row.sym = helpers[(row.sym - LIBRARY_BASE) as usize];
            }
        }
    }
    let unwinds = *unwind || cx.env.unwinds;
    (cx.func.unwind, cx.func.keep_jumps) = (*debug || unwinds, *fast);
    cx.func.indexed = unwinds && target.elf.is_indexed;
    cx.func.without_cfi = cx.func.indexed && !*debug;
    cx.func.counted = !prepared.weights.is_empty();
    trace::table("machine IR of a function", || cx.func.bytes());
    Ok(())
}

fn allocate(cx: &mut Cx) -> Result<(), BackendError> {
    let how = regalloc::Options { fast: cx.options.fast, verify: cx.options.watch.verify };
    let machine = cx.machine();
    let done = regalloc::allocate(&mut cx.func, machine, &mut cx.memory.analyses, &how);
    done.map(|_| ()).map_err(|error| BackendError::Bug("allocate", error.to_string()))
}

fn schedule(
    cx: &mut Cx,
    pass: &'static str,
    scheduler: mir::schedule::Scheduler,
) -> Result<(), BackendError> {
    let (machine, Options { target, model, watch, .. }) = (cx.machine(), cx.options);
    let how = mir::schedule::Options { model, pairs: target.frames.pairs, verify: watch.verify };
    let done = scheduler(&mut cx.func, machine, &how, &mut cx.memory.schedule);
    done.map(|_| ()).map_err(|error| BackendError::Bug(pass, error))
}

fn pair(cx: &mut Cx) -> Result<(), BackendError> {
    let target = cx.options.target;
    let pays = |pairs: &&Pairs| pairs.levels.has(cx.options.level as u8) && !cx.func.framed;
    if let Some(pairs) = target.frames.pairs.filter(pays) {
        mir::pair::pair(&mut cx.func, target.rules.machine, pairs, cx.options.model.cheap_multiples);
        if cx.func.lanes != 0 && !pairs.doubles.is_empty() {
            let machine = cx.machine();
            mir::double::double(&mut cx.func, machine, pairs.doubles);
        }
    }
    Ok(())
}

fn relax(cx: &mut Cx) -> Result<(), BackendError> {
    let target = cx.options.target;
    mir::relax::relax(&mut cx.func, target.rules.machine, target.far_jump, &cx.memory.lists)
        .map_err(|_| BackendError::Unable("a jump is farther than the machine can go".to_string()))
}

/// Code of one function, through all stages of machine IR in order. If a pass is to be the last, there is
/// none.
pub fn compile_function(
    env: &Env,
    body: &mut Body,
    symbols: &Symbols,
    options: &Options,
    memory: &mut WorkerMemory,
    kept: Kept,
) -> Result<Output, BackendError> {
    go_through((env, body, mir::Func::default()), 0, symbols, options, memory, kept)
}

/// Code of a function that has gone through the passes up to one.
#[cfg(feature = "cli")]
pub fn compile_rows(
    env: &Env,
    (func, after): (mir::Func, &str),
    symbols: &Symbols,
    options: &Options,
    memory: &mut WorkerMemory,
) -> Result<Output, BackendError> {
    let first = passes().position(|pass| pass.name == after).map_or(PASSES.len(), |k| k + 1);
    let id = FuncId::new(func.id as usize);
    let mut body = Body::new(id, &env.funcs[id]);
    go_through((env, &mut body, func), first, symbols, options, memory, Kept::default())
}

/// Takes a function through the passes from one on, and makes of it what is asked for.
fn go_through(
    (env, body, func): (&Env, &mut Body, mir::Func),
    first: usize,
    symbols: &Symbols,
    options: &Options,
    memory: &mut WorkerMemory,
    Kept { mut history, mut remarks, line_of, stop }: Kept,
) -> Result<Output, BackendError> {
    let (number, id) = (Some(body.func.index() as u32), body.func);
    let watch = &options.watch;
    let mut output = Output::default();
    memory.analyses.keep(Needs::NONE);
    let mut cx = Cx { env, body, options, memory, func, layout: Layout::default() };
    let mut goes_on = true;
    for (k, (pass, run)) in PASSES.iter().enumerate().skip(first) {
        let line = |place| line_of.and_then(|line_of| line_of(place)).map(|(number, _)| number);
        let show = |func: &mir::Func| mir::print::print_named(func, options.machine(), symbols, &line);
        let is_in = pass.runs_at(options.level as u8);
        if !is_in || !watch.enter(k, pass, || show(&cx.func), &mut output.dump) {
            goes_on = !watch.stops(k);
            if goes_on { continue } else { break }
        }
        if stop.is_some_and(Stop::is_set) {
            return Err(BackendError::Stopped);
        }
        enter(pass.name, number);
        let start = history.is_some().then(|| (thread_time(), insts(&cx)));
        let rows = match cx.func.insts.len() {
            0 => (cx.body.inst_count(), "instructions"),
            rows => (rows, "rows"),
        };
        cx.memory.analyses.require(&cx.func, pass.needs);
        run(&mut cx)?;
        cx.memory.analyses.keep(pass.keeps);
        let machine = cx.machine();
        trace::count(rows, (cx.func.insts.len(), "rows"));
        if let (Some(history), Some((start, before))) = (history.as_deref_mut(), start) {
            let nanos = thread_time().saturating_sub(start).as_nanos() as u64;
            let (kind, lines) = match pass.to {
                State::Ir => (Kind::Ir, ir::print::lines(env, cx.body)),
                _ => (Kind::Machine, mir::print::lines(&cx.func, machine, symbols)),
            };
            history.push((pass.name, kind), nanos, (before, insts(&cx)), &lines);
        }
        if pass.from == State::Selected
            && pass.to == State::Allocated
            && let Some(remarks) = &mut remarks
        {
            tell_spills(&cx.func, machine, &mut cx.memory.analyses, remarks);
        }
        let now = (&cx.func, machine, &cx.memory.analyses);
        let left = watch.leave(k, pass, now, || show(&cx.func), &mut output.dump);
        left.map_err(|error| BackendError::Bug(pass.name, error))?;
        goes_on = !watch.stops(k);
        if !goes_on {
            break;
        }
    }
    let count = insts(&cx);
    let Cx { body, memory, mut func, .. } = cx;
    if options.rows && !goes_on && !func.blocks.is_empty() {
        let word = |number: u32| match binding(env, symbols, FuncId::new(number as usize)) {
            Binding::Local => "local",
            Binding::Weak => "weak",
            _ => "",
        };
        let word = |number: u32| if number < LIBRARY_BASE { word(number) } else { "" };
        output.dump = mir::print::print_with_names(&func, options.machine(), symbols, &word);
    }
    if goes_on && func.debug_values.is_some() {
        enter("locate", number);
        let machine = options.machine();
        mir::debug_values::locate(&mut func, machine);
    }
    let target = options.target;
    if let Some(history) = history.filter(|_| goes_on) {
        let lines = text::lines(&func, target, symbols, binding(env, symbols, id));
        history.push(("assembly", Kind::Assembly), 0, (count, count), &lines);
    }
    if options.text && goes_on {
        enter("print", number);
        let binding = binding(env, symbols, id);
        match line_of.filter(|_| options.verbose) {
            Some(line_of) => {
                text::print_verbose(&mut output.text, &func, (target, symbols, binding), line_of)
            }
            None => text::print(&mut output.text, &func, target, symbols, binding),
        }
    }
    if options.code && goes_on {
        enter("encode", number);
        output.code = encode_with(&func, target, options.debug, &mut memory.encoding)
            .map_err(|error| BackendError::Bug("encode", error))?;
        trace::count((func.insts.len(), "rows"), (output.code.bytes.len(), "bytes"));
    }
    if options.text && !options.code && goes_on && !target.elf.is_indexed {
        output.code.exceptions = exceptions::named(&func, options.target.rules.machine);
    }
    if options.debug {
        output.homes = homes(body, &func);
    }
    memory.selection.spent = func;
    memory.lists.reset();
    Ok(output)
}

/// Instructions of a function as it is: rows of machine code once there are any, and before of its IR.
fn insts(cx: &Cx) -> u32 {
    let (body, func) = (&*cx.body, &cx.func);
    match func.blocks.is_empty() {
        true => body.blocks().map(|b| body.insts(b).count() as u32).sum(),
        false => func.blocks.keys().map(|b| func.rows(b).len() as u32).sum(),
    }
}

/// Says of each loop, and of the rest, how many accesses there are to memory because registers ran out.
fn tell_spills(func: &mir::Func, machine: &mir::Machine, analyses: &mut Analyses, remarks: &mut Remarks) {
    let is_spill = |&i: &mir::Inst| {
        let row = &func.insts[i];
        let slot = func.slots.get(mir::Slot::new(row.sym as usize));
        machine.row(row.op).sym == SymKind::Slot && slot.is_some_and(|slot| slot.kind == SlotKind::Spill)
    };
    analyses.require(func, Needs::LOOPS);
    let Analyses { order, loops, .. } = &*analyses;
    // Per loop, and of what is in none: accesses, and where the first of them, and anything, is.
    let mut counts = vec![(0u32, u32::MAX); loops.header.len() + 1];
    for &b in &order.blocks {
        let (count, place) = &mut counts[loops.innermost[b].get().map_or(loops.header.len(), Handle::index)];
        *count += func.rows(b).filter(is_spill).count() as u32;
        let known = func.rows(b).map(|i| func.place(i)).filter(|&loc| loc != u32::MAX);
        *place = known.min().unwrap_or(u32::MAX).min(*place);
    }
    for (k, &(count, offset)) in counts.iter().enumerate().filter(|(_, row)| row.0 != 0 && row.1 != u32::MAX)
    {
        let text = match k == loops.header.len() {
            true => format!("{count} accesses to spilled values outside of loops"),
            false => format!(
                "{count} accesses to spilled values in each round of the loop: it needs more registers than there are"
            ),
        };
        remarks.rows.push(Remark { sort: Sort::Analysis, pass: "allocate", offset, text });
    }
}

/// Where the variables of a function are.
fn homes(body: &Body, func: &mir::Func) -> Homes {
    let slots = func
        .variables
        .iter()
        .map(|&(number, slot)| (number, Home::Frame(func.slots[slot].offset - func.frame_bytes)));
    let data = body.variables.iter().filter_map(|&(value, number)| match value.kind() {
        ValueKind::Global(global) => Some((number, Home::Datum(global.index() as u32))),
        _ => None,
    });
    slots.chain(data).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_what_code_needs() {
        for level in Level::ALL {
            let needed = passes().filter(|pass| !pass.optional);
            needed.for_each(|pass| assert!(pass.runs_at(level as u8), "{} at {level:?}", pass.name));
            let has_delay = passes().any(|pass| pass.name == "delay" && pass.runs_at(level as u8));
            assert_eq!(has_delay, level > Level::O1, "{level:?}");
        }
    }
}
