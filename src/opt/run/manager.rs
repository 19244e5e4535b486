//! Takes the functions of a program through a plan: steps of three kinds, which `pipeline` lists for each
//! level.
//!
//! - `Each`: every function by itself goes through some stages, on some worker.
//! - `Summary`: what callers have to know of functions, added up in source order. SysY calls what stands
//!   above and itself, so the functions up to a place are all that a function there depends on.
//! - `All`: a barrier. All functions have come this far; one pass then sees the whole program.
//!
//! Between two barriers the functions go through the steps window by window, and a window is all that stands
//! in memory as IR; what waits at a barrier is packed (`ir::body::packed`), and what the barrier decides
//! about a function is done to it when it is unpacked. Its size does not show in what comes out: globals are
//! granted, and summaries added, in source order.
//!
//! Functions of other languages call what stands below, too. Where there are summaries, these come callees first
//! (`Function::rank`) up to the first barrier, with what calls each other in one window.
//!
//! Where functions come from and what becomes of them is the caller's (`Ends`): tables of functions over a
//! host.
//!
//! Every pass gets for free: print before and after, disable, stop after, bisect, verification, time
//! (`base/trace`) and instruction counts. Bisection counts the applications that changed something, per
//! function, so that it finds the same one for any number of workers. All texts and errors come in the order
//! of the functions.

use crate::analysis::names::Names;
use crate::base::history::History;
use crate::base::parallel::{Shelf, Workers};
use crate::base::{Handle, crash, trace};
use crate::ir::body::packed::{Damaged, Packed, Packer};
use crate::ir::{Body, Env, FuncId, Linkage, Module, Remarks, print, verify};
use crate::opt::run::analyses::Analyses;
use crate::opt::run::facts::{Facts, Local, Look};
use crate::opt::run::options::names;
pub use crate::opt::run::options::{Options, PassRow, Report};
use crate::opt::run::pass::{Apply, FuncPass, ModuleCx, ModulePass, PassError, Scratch};
use crate::opt::run::renumber::{Renumbering, renumber};
use seen::{check_facts, check_seen};
use stages::{settle, through_stages};
use std::ops::Range;
use std::sync::Arc;

/// A step of a plan.
#[derive(Debug)]
pub enum Step {
    /// Each function goes through these stages, one after the other, in one job.
    Each(&'static [Stage]),
    /// Callers get to know of the functions.
    Summary(&'static Summary),
    /// One pass over the program.
    All(&'static ModulePass),
}

/// What a function goes through by itself.
#[derive(Debug)]
pub enum Stage {
    /// To IR, from whatever it comes as (`Ends::make`).
    Make,
    /// These passes, one after the other.
    Passes(&'static [&'static FuncPass]),
    /// The control flow that passes have left is in canonical form (`verify::check_flow`). Only looked at by
    /// `-fverify`, where no pass has been left out.
    Canonical,
    /// To bytes, until the next step: a barrier follows, at which all functions wait.
    Pack,
    /// From IR to code, if there is to be any (`Ends::code`).
    Code,
}

/// What callers have to know of functions.
#[derive(Debug)]
pub struct Summary {
    /// What reports call it.
    pub name: &'static str,
    /// What it has to see of each function, in the job of the stages before.
    pub looks: &'static [Look],
    /// Before the first function; with the ranks of those that have one.
    pub begin: fn(&mut Facts, &Env, &mut dyn Iterator<Item = (FuncId, u32)>),
    /// Adds functions in source order. What they call is among them, or has been added before.
    pub add: fn(&mut Facts, &Env, &mut dyn Iterator<Item = &mut Local>),
}

/// The rank of functions that call those above.
pub const UNRANKED: u32 = u32::MAX;

/// A function on its way through a plan.
#[derive(Debug)]
pub struct Function {
    /// Which.
    pub func: FuncId,
    /// How much work it is, in bytes of its source.
    pub size: u32,
    /// Its IR, while it has any and is not packed.
    pub body: Option<Box<Body>>,
    /// Its IR, packed. While there is a `body` to be packed again, too, what that was when it was unpacked.
    pub packed: Option<Arc<Packed>>,
    /// What has been seen of it.
    pub local: Option<Box<Local>>,
    /// What has changed it, if that is kept.
    pub history: Option<Box<History>>,
    /// Remarks of passes, where an option asks for them.
    pub remarks: Option<Box<Remarks>>,
    /// The component of the graph of calls that it is in, where functions come callees first; or else `UNRANKED`.
    pub rank: u32,
    /// The stage of the step at which it waits for globals that it has asked for.
    at: u8,
    progress: Progress,
    /// What had changed it when it was packed.
    packed_at: u32,
}

impl Function {
    /// True if there is IR of it.
    pub fn has_body(&self) -> bool {
        self.body.is_some() || self.packed.is_some()
    }

    /// Unpacks the IR, into the memory of a body that is not needed any more.
    fn unpack(&mut self, spare: impl FnOnce() -> Option<Body>) -> Result<(), Damaged> {
        if let (None, Some(packed)) = (&self.body, &self.packed) {
            self.body = Some(Box::new(packed.unpack(spare())?));
        }
        Ok(())
    }

    /// Instructions of its IR.
    fn insts(&self) -> u64 {
        let packed = || self.packed.as_ref().map_or(0, |packed| u64::from(packed.placed));
        self.body.as_deref().map_or_else(packed, |body| body.placed_insts() as u64)
    }
}

/// A function and what the host makes of it.
#[derive(Debug)]
pub struct Unit<C> {
    /// The function.
    pub f: Function,
    /// What came of it.
    pub code: C,
}

impl<C: Default> Unit<C> {
    /// A function of which there is nothing yet.
    pub fn new(func: FuncId, size: usize) -> Unit<C> {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let progress = Progress::default();
        let (body, packed, local, history, remarks) = (None, None, None, None, None);
        let (rank, at, packed_at) = (UNRANKED, 0, 0);
        let f = Function { func, size, body, packed, local, history, remarks, rank, at, progress, packed_at };
        Unit { f, code: C::default() }
    }

    /// A function of which there is IR.
    pub fn of(body: Body) -> Unit<C> {
        let mut unit = Unit::new(body.func, body.inst_count());
        unit.f.body = Some(Box::new(body));
        unit
    }
}

/// What there is to show of a step: pieces, and of which function each is.
type Dump = Vec<(FuncId, String)>;

/// What code names.
pub type NamesOf<C> = fn(&C) -> Names;

/// The ends of a plan: what a host does for it. `M` is a worker's memory, kept from function to function.
#[derive(Debug)]
pub struct Ends<H, M, C> {
    /// Before a window of the first steps: makes the IR of what does not come from `make`, and adds to the program what that
    /// needs.
    pub fill: fn(&mut H, &mut Env, &mut [Unit<C>]),
    /// Makes the IR of a function, or nothing.
    pub make: fn(&H, &Env, &mut Unit<C>, &mut M),
    /// Makes code of the IR, which it may take.
    pub code: fn(&H, &Env, &mut Unit<C>, &mut M),
    /// What code names, if there is to be code that can tell: that is faster than to look at IR (of -O1 2%).
    pub named: fn(&H) -> Option<NamesOf<C>>,
    /// A body that is not needed any more, for its memory.
    pub spare: fn(&mut M) -> Option<Body>,
    /// Takes one back.
    pub recycle: fn(&mut M, Body),
    /// There are more globals.
    pub grown: fn(&mut H, &Env),
    /// Globals have other numbers, in IR already.
    pub renumber: fn(&mut H, &mut [Unit<C>], &Renumbering),
    /// True if there is no need for what follows.
    pub stopped: fn(&H) -> bool,
    /// True if functions may be missing, so that no pass can look at the whole program.
    pub failed: fn(&H) -> bool,
}

/// How to go through a plan.
#[derive(Copy, Clone, Debug)]
pub struct How<'a> {
    /// About passes.
    pub options: &'a Options,
    /// The workers.
    pub workers: &'a Workers,
    /// The sum of sizes of functions in a window; none for all of them.
    pub window: Option<usize>,
    /// `Stage::Pack` packs from this sum of the sizes of all functions on.
    pub packs_from: usize,
    /// Keep the IR of functions when there is code.
    pub keeps_bodies: bool,
}

/// What a worker keeps from function to function.
#[derive(Debug, Default)]
struct Worker {
    analyses: Analyses,
    scratch: Scratch,
    packer: Packer,
    /// Per function pass of the plan: what it did here.
    rows: Vec<PassRow>,
}

/// Where one function stands.
#[derive(Copy, Clone, Debug, Default)]
struct Progress {
    /// Applications so far that changed it.
    changes: u32,
    /// It has passed `stop_after`.
    stopped: bool,
}

/// A module pass that has decided, and what it does to functions.
type Pending = (&'static str, Apply);

/// What all workers read.
struct Shared<'a, H, M, C> {
    env: &'a Env,
    facts: &'a Facts,
    options: &'a Options,
    host: &'a H,
    ends: &'a Ends<H, M, C>,
    /// The stages of the step, and what looks at each function behind them.
    stages: &'a [Stage],
    looks: &'a [&'static Look],
    /// What barriers before the step have decided, and is still to be done.
    pending: &'a [Pending],
    /// The function passes of the plan before the step.
    first_row: usize,
    packs: bool,
    keeps_bodies: bool,
}

/// Takes functions, in source order, through a plan. What is left of them at the end is in `units`. On an
/// error they are as the failing step left them.
pub fn run<H: Sync, M: Send + Default, C: Send>(
    plan: &[Step],
    env: &mut Env,
    units: &mut [Unit<C>],
    (host, ends): (&mut H, &Ends<H, M, C>),
    how: How,
) -> Result<Report, PassError> {
    let memory: Shelf<(Worker, M)> = Shelf::default();
    let mut facts = Facts::default();
    let mut report = Report::default();
    let mut dumps: Vec<Dump> = plan.iter().map(|_| Dump::new()).collect();
    let mut modules: Vec<PassRow> = Vec::new();
    for step in plan {
        if let Step::Summary(summary) = step {
            let ranked = units.iter().filter(|unit| unit.f.rank != UNRANKED);
            (summary.begin)(&mut facts, env, &mut ranked.map(|unit| (unit.f.func, unit.f.rank)));
        }
    }
    let mut start = 0;
    let mut pending: Vec<Pending> = Vec::new();
    // All or none are packed.
    let packs = units.iter().map(|unit| unit.f.size as usize).sum::<usize>() >= how.packs_from;
    let how = How { packs_from: if packs { 0 } else { usize::MAX }, ..how };
    while start < plan.len() && !(ends.stopped)(host) {
        let is_barrier = |step: &Step| matches!(step, Step::All(_));
        let barrier = plan[start..].iter().position(is_barrier).map_or(plan.len(), |k| start + k);
        let each_first = plan[start..barrier].iter().position(|step| matches!(step, Step::Each(_)));
        for window in windows(units, how.window) {
            if start == 0 {
                (ends.fill)(host, env, &mut units[window.clone()]);
                (ends.grown)(host, env);
                if (ends.stopped)(host) {
                    return Ok(report);
                }
            }
            for k in start..barrier {
                match plan[k] {
                    Step::Each(stages) => {
                        let rows = function_passes(&plan[..k]).count();
                        let state = (&mut *env, &facts, &mut *host);
                        let due = if each_first == Some(k - start) { &*pending } else { &[] };
                        let step = (stages, &*looks(&plan[k + 1..]), (due, rows));
                        each(state, &mut units[window.clone()], step, ends, &memory, how, &mut dumps[k])?;
                    }
                    Step::Summary(summary) => {
                        crash::enter(summary.name, None);
                        if how.options.verify {
                            check_seen(env, &units[window.clone()], summary)?;
                        }
                        let locals = units[window.clone()].iter_mut();
                        (summary.add)(
                            &mut facts,
                            env,
                            &mut locals.filter_map(|unit| unit.f.local.as_deref_mut()),
                        );
                        if how.options.verify {
                            check_facts(env, &facts, summary.name)?;
                        }
                        trace::switch("", None);
                    }
                    Step::All(_) => {}
                }
            }
            if (ends.stopped)(host) || how.options.stop.is_set() {
                return Ok(report);
            }
        }
        if (ends.failed)(host) {
            return Ok(report);
        }
        if each_first.is_some() {
            pending.clear();
        }
        units.sort_by_key(|unit| unit.f.func);
        units.iter_mut().for_each(|unit| unit.f.rank = UNRANKED);
        if let Some(Step::All(pass)) = plan.get(barrier) {
            modules.push(PassRow::new(pass.name));
            let told = (&mut dumps[barrier], modules.last_mut());
            all(pass, (&mut *env, &mut facts), units, (&mut *host, ends), how, (told, &mut pending))?;
        }
        start = barrier + 1;
    }
    if !pending.is_empty() {
        settle((env, &facts), units, (how.workers, how.options), &mut pending)?;
    }
    report.rows = function_passes(plan).map(|pass| PassRow::new(pass.name)).collect();
    for (worker, _) in memory.into_all() {
        report.rows.iter_mut().zip(&worker.rows).for_each(|(row, more)| row.add(more));
    }
    report.rows.extend(modules);
    for mut dump in dumps {
        dump.sort_by_key(|row| row.0);
        report.dump.extend(dump.iter().map(|row| row.1.as_str()));
    }
    Ok(report)
}

/// Takes the functions of a module, which all have IR, through a plan. What it says of code is left out.
pub fn run_on_module(
    module: &mut Module,
    plan: &[Step],
    options: &Options,
    workers: &Workers,
) -> Result<Report, PassError> {
    let ends: Ends<(), (), ()> = Ends {
        fill: |(), _, _| {},
        make: |(), _, _, ()| {},
        code: |(), _, _, ()| {},
        named: |()| None,
        spare: |()| None,
        recycle: |(), _| {},
        grown: |(), _| {},
        renumber: |(), _, _| {},
        stopped: |()| false,
        failed: |()| false,
    };
    let defined = std::mem::take(&mut module.bodies).into_vec().into_iter().flatten();
    let mut units: Vec<Unit<()>> = defined.map(Unit::of).collect();
    let how = How { options, workers, window: None, packs_from: 0, keeps_bodies: false };
    let done = run(plan, &mut module.env, &mut units, (&mut (), &ends), how);
    bodies(&mut units).for_each(|body| module.define(body));
    done
}

/// Takes the bodies of functions out.
pub fn bodies<C>(units: &mut [Unit<C>]) -> impl Iterator<Item = Body> {
    let take = |f: &mut Function| {
        // Of a run that has failed, what can be had.
        _ = f.unpack(|| None);
        f.packed = None;
        f.body.take().map(|body| *body)
    };
    units.iter_mut().filter_map(move |unit| take(&mut unit.f))
}

/// All function passes of a plan, in order.
pub fn function_passes(plan: &[Step]) -> impl Iterator<Item = &'static FuncPass> {
    let stages = |step: &Step| if let Step::Each(stages) = *step { stages } else { &[] };
    plan.iter().flat_map(move |step| passes_in(stages(step)))
}

fn passes_in(stages: &[Stage]) -> impl Iterator<Item = &'static FuncPass> {
    let passes = |stage: &Stage| if let Stage::Passes(passes) = *stage { passes } else { &[] };
    stages.iter().flat_map(move |stage| passes(stage).iter().copied())
}

/// What is looked for in functions at the end of a step, for what stands between it and the next of its kind.
fn looks(behind: &[Step]) -> Vec<&'static Look> {
    let looks = |step: &Step| match step {
        Step::Each(_) => None,
        Step::Summary(summary) => Some(summary.looks),
        Step::All(pass) => Some(pass.looks),
    };
    let mut all: Vec<&Look> = Vec::new();
    for look in behind.iter().map_while(looks).flatten() {
        if !all.iter().any(|other| other.is_same(look)) {
            all.push(look);
        }
    }
    all
}

/// Numbers of functions in order, cut where a window is full, and between components.
fn windows<C>(units: &[Unit<C>], most: Option<usize>) -> Vec<Range<usize>> {
    let most = most.unwrap_or(usize::MAX);
    let (mut cuts, mut start, mut bytes) = (Vec::new(), 0, 0usize);
    for (k, unit) in units.iter().enumerate() {
        bytes = bytes.saturating_add(unit.f.size as usize);
        let rank = unit.f.rank;
        let goes_on = rank != UNRANKED && units.get(k + 1).is_some_and(|next| next.f.rank == rank);
        if bytes >= most && !goes_on {
            cuts.push(start..k + 1);
            (start, bytes) = (k + 1, 0);
        }
    }
    if start < units.len() {
        cuts.push(start..units.len());
    }
    cuts
}

/// Takes a window through the stages of one step. Functions that ask for globals on the way wait until all
/// are granted theirs.
fn each<H: Sync, M: Send + Default, C: Send>(
    (env, facts, host): (&mut Env, &Facts, &mut H),
    window: &mut [Unit<C>],
    (stages, looks, (pending, first_row)): (&[Stage], &[&'static Look], (&[Pending], usize)),
    ends: &Ends<H, M, C>,
    memory: &Shelf<(Worker, M)>,
    how: How,
    dump: &mut Dump,
) -> Result<(), PassError> {
    let keeps_bodies = how.keeps_bodies || how.options.keeps_bodies() && !looks.is_empty();
    let packs = how.packs_from == 0;
    let mut waiting: Vec<&mut Unit<C>> = window.iter_mut().collect();
    while !waiting.is_empty() {
        let options = how.options;
        let shared = Shared {
            env,
            facts,
            options,
            host,
            ends,
            stages,
            looks,
            pending,
            first_row,
            packs,
            keeps_bodies,
        };
        crash::enter("functions", None);
        let told = how.workers.map_by_size(
            &mut waiting,
            |_, unit| unit.f.size as usize,
            || memory.take(),
            |memory, _, unit| through_stages(&shared, unit, memory.get()),
        );
        trace::switch("", None);
        let mut error = None;
        for (told, unit) in told.into_iter().zip(&waiting) {
            let Some(told) = told else { continue };
            if !told.dump.is_empty() {
                dump.push((unit.f.func, told.dump));
            }
            error = error.or(told.error);
        }
        if let Some(error) = error {
            return Err(error);
        }
        waiting.retain(|unit| unit.f.at != 0);
        for unit in &mut waiting {
            if let Some(body) = &mut unit.f.body {
                env.grant(body);
            }
        }
        (ends.grown)(host, env);
    }
    Ok(())
}

/// Runs a pass over the program, and does to each function what it decides.
fn all<H, M, C: Send>(
    pass: &ModulePass,
    (env, facts): (&mut Env, &mut Facts),
    units: &mut [Unit<C>],
    (host, ends): (&mut H, &Ends<H, M, C>),
    How { options, workers, .. }: How,
    ((dump, row), pending): ((&mut Dump, Option<&mut PassRow>), &mut Vec<Pending>),
) -> Result<(), PassError> {
    if units.iter().any(|unit| unit.f.progress.stopped) || names(&options.disable, pass.name) {
        return Ok(());
    }
    let mut tell = |when: &str, list: &[String], env: &mut Env, units: &mut [Unit<C>]| {
        if names(list, pass.name) {
            let text = with_module(env, units, |module| shown(module, options));
            dump.push((FuncId::new(0), format!("; {when} {}\n{text}\n", pass.name)));
        }
    };
    let count = |units: &[Unit<C>]| units.iter().map(|unit| unit.f.insts()).sum();
    // What wants to see bodies gets them.
    let shows =
        options.verify || names(&options.print_before, pass.name) || names(&options.print_after, pass.name);
    if shows || pass.renumbers {
        settle((env, facts), units, (workers, options), pending)?;
    }
    tell("before", &options.print_before, env, units);
    let mut done = PassRow { runs: 1, ..PassRow::new(pass.name) };
    if options.time_report {
        done.insts_in = count(units);
    }
    crash::enter(pass.name, None);
    let functions = units.iter_mut().map(|unit| &mut unit.f).collect();
    let mut cx = ModuleCx { env, facts: &mut *facts, functions, workers, globals: None };
    done.changed = u32::from((pass.run)(&mut cx));
    let globals = cx.globals;
    for unit in units.iter_mut().filter(|unit| env.funcs[unit.f.func].linkage == Linkage::Declared) {
        (unit.f.body, unit.f.packed, unit.f.local) = (None, None, None);
    }
    if let Some(apply) = pass.apply.filter(|_| done.changed != 0) {
        pending.push((pass.name, apply));
        if shows {
            settle((env, facts), units, (workers, options), pending)?;
        }
    }
    // What has been seen of functions has the numbers of before; nothing reads it until the next step looks again
    // (`pipeline`'s tests).
    if let Some(globals) = globals {
        let bodies = units.iter_mut().filter_map(|unit| unit.f.body.as_deref_mut());
        bodies.for_each(|body| renumber(body, &globals));
        facts.renumber(&globals);
        (ends.renumber)(host, units, &globals);
    }
    if options.time_report {
        done.insts_out = count(units);
        trace::count((done.insts_in as usize, "instructions"), (done.insts_out as usize, "instructions"));
    }
    trace::switch("", None);
    if let Some(row) = row {
        *row = done;
    }
    tell("after", &options.print_after, env, units);
    if options.stop_after.as_deref() == Some(pass.name) {
        units.iter_mut().for_each(|unit| unit.f.progress = Progress { stopped: true, ..Progress::default() });
    }
    if options.verify {
        check_facts(env, facts, pass.name)?;
    }
    let is_there = |unit: &Unit<C>| unit.f.has_body() || env.funcs[unit.f.func].linkage == Linkage::Declared;
    if options.verify && units.iter().all(is_there) {
        let verified = with_module(env, units, verify::verify_module);
        verified.map_err(|error| {
            let (func, message) = (String::new(), error.to_string());
            PassError { pass: pass.name, func, message }
        })?;
    }
    Ok(())
}

/// Borrows the bodies that are there as a `Module`.
fn with_module<C, R>(env: &mut Env, units: &mut [Unit<C>], look: impl FnOnce(&Module) -> R) -> R {
    let mut module = Module::new(std::mem::take(env), bodies(units));
    let result = look(&module);
    for unit in units {
        unit.f.body = module.bodies[unit.f.func].take().map(Box::new);
    }
    *env = module.env;
    result
}

/// A module, or the functions that are asked for.
fn shown(module: &Module, options: &Options) -> String {
    if options.only.is_empty() {
        return print::module(module);
    }
    let named = |body: &&Body| options.shows(module.env.names.text(module.env.funcs[body.func].name));
    module.defined().filter(named).map(|body| print::body(&module.env, body)).collect()
}

mod seen;
mod stages;
#[cfg(test)]
mod tests;
