//! What becomes of one function in one step: it is unpacked, what barriers have decided is done to it, it goes
//! through the stages, and is looked at and packed again. All of that on one worker.

use super::{Function, PassRow, Pending, Progress, Shared, Stage, Unit, Worker, passes_in};
use crate::analysis::effects::UNKNOWN;
use crate::analysis::names::Names;
use crate::base::clock::thread_time;
use crate::base::history::{History, Kind};
use crate::base::parallel::Workers;
use crate::base::{Handle, crash, trace};
use crate::ir::body::packed::{Damaged, Packer, pack};
use crate::ir::{Body, Env, FuncId, Linkage, Size, print, verify};
use crate::opt::run::analyses::{AnalysisSet, Given};
use crate::opt::run::facts::{Facts, Look};
use crate::opt::run::options::{Options, Told, names};
use crate::opt::run::pass::{self, FuncCx, FuncPass, PassError};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// Takes a function through the stages of a step, up to where it has to wait for globals.
pub(super) fn through_stages<H, M, C>(
    shared: &Shared<H, M, C>,
    unit: &mut Unit<C>,
    (worker, memory): &mut (Worker, M),
) -> Option<Box<Told>> {
    let mut told = Told::default();
    let packs = |stage: &Stage| matches!(stage, Stage::Pack);
    if unit.f.at == 0 {
        told.error = take_up(shared, &mut unit.f, || (shared.ends.spare)(memory)).err();
        if !shared.stages.iter().any(packs) {
            unit.f.packed = None;
        }
        if told.error.is_some() {
            return told.boxed();
        }
    }
    while let Some(stage) = shared.stages.get(usize::from(unit.f.at)) {
        if shared.options.stop.is_set() {
            unit.f.at = 0;
            return told.boxed();
        }
        match *stage {
            Stage::Make => {
                (shared.ends.make)(shared.host, shared.env, unit, memory);
                if shared.options.changes {
                    begin_history(shared.env, shared.options, &mut unit.f);
                }
            }
            Stage::Passes(passes) => {
                let before = &shared.stages[..usize::from(unit.f.at)];
                let row = shared.first_row + passes_in(before).count();
                run_passes(shared, &mut unit.f, passes, worker, row, &mut told);
            }
            Stage::Canonical => told.error = check_canonical(shared, &unit.f).or(told.error.take()),
            Stage::Pack => {
                see(shared.env, &mut unit.f, shared.looks);
                if shared.packs
                    && let Some(body) = put_away(&mut unit.f, &mut worker.packer)
                {
                    (shared.ends.recycle)(memory, *body);
                }
            }
            Stage::Code => {
                let named = (shared.ends.named)(shared.host);
                let named = named.filter(|_| names_only(shared) && unit.f.body.is_some());
                if named.is_none() || shared.options.verify {
                    see(shared.env, &mut unit.f, shared.looks);
                }
                let kept = if shared.keeps_bodies { unit.f.body.clone() } else { None };
                (shared.ends.code)(shared.host, shared.env, unit, memory);
                unit.f.body = kept.or(unit.f.body.take());
                if let Some(named) = named {
                    let names = named(&unit.code);
                    told.error = check_names(shared, &unit.f, &names).or(told.error.take());
                    unit.f.local.get_or_insert_default().set(names);
                }
            }
        }
        unit.f.at += 1;
        let waits = unit.f.body.as_ref().is_some_and(|body| !body.requests.is_empty());
        if waits || told.error.is_some() {
            return told.boxed();
        }
    }
    if !shared.stages.iter().any(|stage| matches!(stage, Stage::Pack | Stage::Code)) {
        see(shared.env, &mut unit.f, shared.looks);
    }
    unit.f.at = 0;
    told.boxed()
}

/// Unpacks a function, and does to it what barriers have decided.
fn take_up<H, M, C>(
    shared: &Shared<H, M, C>,
    f: &mut Function,
    spare: impl FnOnce() -> Option<Body>,
) -> Result<(), PassError> {
    if f.body.is_none() && f.packed.is_some() {
        crash::enter("unpack", Some(f.func.index() as u32));
    }
    f.unpack(spare).map_err(|damaged| not_unpacked(shared.env, f.func, damaged))?;
    if !shared.pending.is_empty() {
        apply(shared.env, (shared.facts, shared.options), f, shared.pending);
        // It was what the decisions were made by.
        f.local = None;
    }
    Ok(())
}

fn not_unpacked(env: &Env, func: FuncId, Damaged: Damaged) -> PassError {
    let func = env.names.text(env.funcs[func].name).to_string();
    PassError { pass: "unpack", func, message: "the packed body is damaged".to_string() }
}

/// Does to a function what module passes have decided.
fn apply(env: &Env, (facts, options): (&Facts, &Options), f: &mut Function, pending: &[Pending]) {
    f.packed = None;
    listen(env, options, f);
    let Function { body, local, history, .. } = f;
    if let (Some(body), Some(local)) = (body.as_deref_mut(), &*local) {
        for (name, apply) in pending {
            crash::enter(name, Some(f.func.index() as u32));
            let kept = history.as_deref_mut().filter(|_| options.changes);
            let (before, start) =
                (kept.is_some().then(|| body.placed_insts() as u64), kept.is_some().then(thread_time));
            apply(env, facts, local, body);
            if let Some(history) = kept {
                note(history, name, env, body, (start, before.unwrap_or(0)));
            }
        }
    }
    hear(options, f);
}

/// Lets passes make remarks, where an option asks for them.
fn listen(env: &Env, options: &Options, f: &mut Function) {
    if options.remarks
        && let Some(body) = &mut f.body
        && options.shows(env.names.text(env.funcs[f.func].name))
    {
        body.remarks = Some(f.remarks.take().unwrap_or_default());
    }
}

/// Takes what they have said: bodies go, and are packed.
fn hear(options: &Options, f: &mut Function) {
    if options.remarks
        && let Some(said) = f.body.as_mut().and_then(|body| body.remarks.take())
    {
        f.remarks = Some(said);
    }
}

/// Begins to keep what changes a function, if that is asked for.
fn begin_history(env: &Env, options: &Options, f: &mut Function) {
    let Some(body) = f.body.as_deref().filter(|_| f.history.is_none()) else { return };
    if options.shows(env.names.text(env.funcs[f.func].name)) {
        note(f.history.get_or_insert_default(), "lower", env, body, (None, 0));
    }
}

/// Keeps what a pass has changed, given when it began and how many instructions there were.
fn note(
    history: &mut History,
    step: &'static str,
    env: &Env,
    body: &Body,
    (start, before): (Option<Duration>, u64),
) {
    let nanos = start.map_or(0, |start| thread_time().saturating_sub(start).as_nanos() as u64);
    let counts = (before as u32, body.placed_insts() as u32);
    history.push((step, Kind::Ir), nanos, counts, &print::lines(env, body));
}

/// Unpacks all functions and does to them what module passes have decided, where something wants to see it at
/// once.
pub(super) fn settle<C: Send>(
    (env, facts): (&Env, &Facts),
    units: &mut [Unit<C>],
    (workers, options): (&Workers, &Options),
    pending: &mut Vec<Pending>,
) -> Result<(), PassError> {
    if pending.is_empty() && units.iter().all(|unit| unit.f.packed.is_none()) {
        return Ok(());
    }
    let done = workers.map(
        units,
        || (),
        |(), _, unit| {
            unit.f.unpack(|| None).map_err(|damaged| not_unpacked(env, unit.f.func, damaged))?;
            apply(env, (facts, options), &mut unit.f, pending);
            Ok(())
        },
    );
    pending.clear();
    done.into_iter().collect()
}

/// Packs a function, unless it is packed already. Returns the body, which is not needed any more.
fn put_away(f: &mut Function, packer: &mut Packer) -> Option<Box<Body>> {
    let body = f.body.take()?;
    if f.packed.is_none() || f.packed_at != f.progress.changes {
        crash::enter("pack", Some(f.func.index() as u32));
        f.packed = Some(Arc::new(pack(&body, packer)));
        f.packed_at = f.progress.changes;
    }
    Some(body)
}

/// True if what stands behind the step wants names and nothing else of functions, and no IR of them.
fn names_only<H, M, C>(shared: &Shared<H, M, C>) -> bool {
    !shared.keeps_bodies && !shared.looks.is_empty() && shared.looks.iter().all(|look| look.is::<Names>())
}

/// An error if code names a function or global of the program that its IR did not.
fn check_names<H, M, C>(shared: &Shared<H, M, C>, f: &Function, names: &Names) -> Option<PassError> {
    let seen = f.local.as_ref().filter(|_| shared.options.verify)?.get::<Names>()?;
    let is_ours = |func: &FuncId| shared.env.funcs[*func].linkage != Linkage::Declared;
    let new = names.funcs.iter().filter(|&func| is_ours(func)).any(|func| !seen.funcs.contains(func));
    let new = new || names.globals.iter().any(|global| !seen.globals.contains(global));
    let func = shared.env.names.text(shared.env.funcs[f.func].name).to_string();
    let message = "code names what its IR does not".to_string();
    new.then_some(PassError { pass: "code", func, message })
}

/// An error if the passes have left something that is not in canonical form.
fn check_canonical<H, M, C>(shared: &Shared<H, M, C>, f: &Function) -> Option<PassError> {
    let Shared { env, options, .. } = *shared;
    let all_ran = options.disable.is_empty() && options.bisect.is_none() && !f.progress.stopped;
    let body = f.body.as_deref().filter(|_| options.verify && all_ran)?;
    let error = verify::check_flow(body).err()?;
    let func = env.names.text(env.funcs[body.func].name).to_string();
    Some(PassError { pass: "all passes", func, message: error.to_string() })
}

/// Lets what stands behind a step look at a function.
fn see(env: &Env, f: &mut Function, looks: &[&Look]) {
    if let (Some(body), false) = (&f.body, looks.is_empty()) {
        crash::enter("summaries", Some(f.func.index() as u32));
        let seen = f.local.get_or_insert_default();
        looks.iter().for_each(|look| look.see(env, body, seen));
    }
}

/// Runs passes over one function; `row` is the number of the first among those of the plan.
fn run_passes<H, M, C>(
    shared: &Shared<H, M, C>,
    f: &mut Function,
    passes: &[&'static FuncPass],
    worker: &mut Worker,
    row: usize,
    told: &mut Told,
) {
    let (env, options) = (shared.env, shared.options);
    if options.changes {
        // Of IR that was read, there is nothing yet.
        begin_history(env, options, f);
    }
    listen(env, options, f);
    let (Some(body), progress) = (f.body.as_deref_mut(), &mut f.progress) else { return };
    let mut history = f.history.as_deref_mut();
    let size = env.funcs[body.func].hints.size_among(options.size);
    worker.analyses.keep(AnalysisSet::NONE);
    worker.scratch.changes.forget();
    for (k, pass) in passes.iter().enumerate() {
        if options.stop.is_set() {
            break;
        }
        let bisected = options.bisect.is_some_and(|limit| progress.changes >= limit);
        let is_large = pass.grows && size != Size::Any;
        if progress.stopped || bisected || is_large || names(&options.disable, pass.name) {
            continue;
        }
        let mut done = PassRow::new(pass.name);
        let at = (&mut *progress, history.as_deref_mut());
        if let Err(message) = run_pass(shared, body, pass, worker, &mut done, at, told) {
            let func = env.names.text(env.funcs[body.func].name).to_string();
            told.error = Some(PassError { pass: pass.name, func, message });
            break;
        }
        progress.stopped = options.stop_after.as_deref() == Some(pass.name);
        while worker.rows.len() <= row + k {
            worker.rows.push(PassRow::new(""));
        }
        worker.rows[row + k].add(&done);
    }
    hear(options, f);
}

fn run_pass<H, M, C>(
    &Shared { env, facts, options, .. }: &Shared<H, M, C>,
    f: &mut Body,
    pass: &FuncPass,
    worker: &mut Worker,
    row: &mut PassRow,
    (progress, history): (&mut Progress, Option<&mut History>),
    told: &mut Told,
) -> Result<(), String> {
    let name = env.names.text(env.funcs[f.func].name);
    let prints = |list: &[String]| names(list, pass.name) && options.shows(name);
    if prints(&options.print_before) {
        let _ = writeln!(told.dump, "; before {} on {name}\n{}", pass.name, print::body(env, f));
    }
    row.insts_in = f.placed_insts() as u64;
    let Worker { analyses, scratch, .. } = worker;
    let effects = facts.get().unwrap_or(&UNKNOWN);
    let start = history.is_some().then(thread_time);
    let size = env.funcs[f.func].hints.size_among(options.size);
    let mut cx = FuncCx { env, f, effects, facts, target: &options.target, size, analyses, scratch };
    let outcome = pass::apply(pass, &mut cx);
    row.runs = 1;
    row.changed = u32::from(outcome.changed);
    row.insts_out = f.placed_insts() as u64;
    trace::count((row.insts_in as usize, "instructions"), (row.insts_out as usize, "instructions"));
    trace::switch("", None);
    progress.changes += row.changed;
    if outcome.changed && options.bisect == Some(progress.changes) {
        let _ = writeln!(told.dump, "; bisect: change {} of {name} is by {}", progress.changes, pass.name);
    }
    if let Some(history) = history.filter(|_| outcome.changed) {
        note(history, pass.name, env, f, (start, row.insts_in));
    }
    if prints(&options.print_after) {
        let _ = writeln!(told.dump, "; after {} on {name}\n{}", pass.name, print::body(env, f));
    }
    if options.verify {
        verify::verify(env, f).map_err(|error| error.to_string())?;
        if let Some(analysis) = analyses.find_stale(Given { env, effects, target: &options.target, f }) {
            return Err(format!("the analysis `{analysis}` was said to be kept, but is no longer true"));
        }
        if !outcome.changed && row.insts_in != row.insts_out {
            return Err("something changed, but nothing was said to have changed".to_string());
        }
    }
    Ok(())
}
