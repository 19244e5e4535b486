//! The one road: a program that has been begun goes through a plan (`opt/run/manager`), which the driver's two
//! stages complete: from a function's source to its IR (`start`), and from its IR to its code (`backend`).
//! The runtime library takes it, too.

use super::artefacts::{Artefacts, failure};
use super::failure::{Bug, Failure, describe};
use super::runtime;
use super::start::{self, Begun, Bodies, Start};
use crate::backend::code::{self as backend, BackendError, Kept, LineOf, WorkerMemory, compile_function};
use crate::backend::compile;
use crate::base::Handle;
use crate::base::crash::Activity;
use crate::base::parallel::Workers;
use crate::ir::{self, Body, Env, FuncId, GlobalId, Linkage};
use crate::isa::symbols::Symbols;
use crate::object::code::Target;
use crate::object::debug::Home;
use crate::opt::run::manager::{self, Ends, How, NamesOf, Step, Unit};
use crate::opt::run::renumber::Renumbering;
use crate::opt::{self, Report};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Names what has no name yet.
pub type Naming<'a> = &'a (dyn Fn(&mut Symbols, &Env) + Sync);

/// What is the same for all functions.
struct Host<'a, 't> {
    start: Option<&'a Start<'a>>,
    text: Option<Box<dyn Bodies + 't>>,
    options: backend::Options,
    /// What is asked of passes.
    asked: &'a opt::Options,
    symbols: Symbols,
    naming: Naming<'a>,
    /// The library's `putf`, if it matters whether it is to print floats.
    putf: Option<FuncId>,
    workers: &'a Workers,
}

/// What a worker keeps from function to function.
#[derive(Default)]
struct Memory {
    front: start::Scratch,
    back: WorkerMemory,
}

/// Takes a program through a plan, given the names of things, and how to name what comes to them. Returns
/// what passes have to tell, and all names. `alone`: nothing but the runtime library is to be linked with it.
pub fn take(
    begun: &mut Begun,
    plan: &[Step],
    options: backend::Options,
    (symbols, naming): (Symbols, Naming),
    (how, alone): (How, bool),
) -> Result<(Report, Symbols), Failure> {
    let Begun { start, text, env, units, diags } = begun;
    let putf = runtime::putf(env).filter(|_| alone);
    let (asked, workers) = (how.options, how.workers);
    let (start, text) = (start.as_ref(), text.take());
    let mut host = Host { start, text, options, asked, symbols, naming, putf, workers };
    let ends = Ends { fill, make, code, named, spare, recycle, grown, renumber, stopped, failed };
    let run = || manager::run(plan, env, units, (&mut host, &ends), how);
    let done = catch_unwind(AssertUnwindSafe(run));
    if let Some(text) = host.text.as_mut().filter(|text| text.has_errors()) {
        text.finish(diags);
        units.clear();
    }
    let text = |func: FuncId| {
        let unit = units.iter().find(|unit| unit.f.func == func);
        unit.and_then(|unit| unit.f.body.as_deref()).map(|body| ir::print::body(env, body))
    };
    let report = done.map_err(|_| describe(env, text))?.map_err(|error| {
        let known = env.funcs.iter().find(|(_, row)| env.names.text(row.name) == error.func);
        let details = known.and_then(|(func, _)| text(func)).unwrap_or_default();
        let activity = Activity { phase: error.pass, function: None };
        let (message, function) = (error.message, error.func);
        Failure::Internal(Bug { message, activity, function, details, ..Bug::default() })
    })?;
    let is_used = |unit: &&Unit<Artefacts>| env.funcs[unit.f.func].linkage != Linkage::Declared;
    if let Some(putf) = putf.filter(|_| !units.iter().filter(is_used).any(|unit| unit.code.prints_floats)) {
        host.symbols.funcs[putf] = runtime::PUTF_INTS.to_string();
    }
    Ok((report, host.symbols))
}

fn fill(host: &mut Host, env: &mut Env, units: &mut [Unit<Artefacts>]) {
    if let Some(text) = &mut host.text {
        text.fill(env, units, host.workers);
    }
}

fn make(host: &Host, env: &Env, unit: &mut Unit<Artefacts>, memory: &mut Memory) {
    if let Some(start) = host.start {
        start.make(env, unit, &mut memory.front);
    }
}

fn code(host: &Host, env: &Env, unit: &mut Unit<Artefacts>, memory: &mut Memory) {
    let Some(body) = unit.f.body.as_deref_mut() else { return };
    if !host.options.makes_code() {
        return;
    }
    let mut options = host.options;
    if !host.asked.only.is_empty() && !host.asked.shows(env.names.text(env.funcs[unit.f.func].name)) {
        options.watch = options.watch.silent();
    }
    let is_told = options.remarks && host.asked.shows(env.names.text(env.funcs[unit.f.func].name));
    let remarks = if is_told { Some(&mut **unit.f.remarks.get_or_insert_default()) } else { None };
    let line = host.start.map(|start| |place| start.file().line_at(place));
    let line_of = line.as_ref().map(|line| line as LineOf);
    let kept =
        Kept { history: unit.f.history.as_deref_mut(), remarks, line_of, stop: Some(&host.asked.stop) };
    match compile_function(env, body, &host.symbols, &options, &mut memory.back, kept) {
        Ok(output) => {
            let calls = |putf: FuncId| {
                let target = Target::Func(putf.index() as u32);
                output.code.fixups.iter().any(|fixup| fixup.target == target)
            };
            unit.code.prints_floats =
                host.putf.is_some_and(|putf| calls(putf) && runtime::passes_float(body, putf));
            unit.code.take(output);
        }
        // All of it is.
        Err(BackendError::Stopped) => {}
        Err(error) => unit.code.more().failure = Some(failure(env, body, error)),
    }
    if let Some(body) = unit.f.body.take() {
        memory.front.recycle(*body);
    }
}

fn named(host: &Host) -> Option<NamesOf<Artefacts>> {
    host.options.code.then_some(|made: &Artefacts| compile::names(&made.code))
}

fn spare(memory: &mut Memory) -> Option<Body> {
    memory.front.spare()
}

fn recycle(memory: &mut Memory, body: Body) {
    memory.front.recycle(body);
}

fn grown(host: &mut Host, env: &Env) {
    (host.naming)(&mut host.symbols, env);
}

/// Gives globals their new numbers in code, and where it says that variables are.
fn renumber(host: &mut Host, units: &mut [Unit<Artefacts>], new: &Renumbering) {
    compile::renumber_symbols(&mut host.symbols, new);
    host.workers.map(
        units,
        || (),
        |(), _, unit| {
            compile::renumber(&mut unit.code.code, new);
            for (_, home) in unit.code.more.iter_mut().flat_map(|more| &mut more.homes) {
                if let Home::Datum(global) = *home {
                    let new = new[GlobalId::new(global as usize)].get();
                    *home = new.map_or(Home::Lost, |new| Home::Datum(new.index() as u32));
                }
            }
        },
    );
}

/// An outline with an error has no functions at all.
fn failed(host: &Host) -> bool {
    host.start.is_some_and(Start::has_failed)
}

fn stopped(host: &Host) -> bool {
    let has_errors = host.text.as_ref().is_some_and(|text| text.has_errors());
    has_errors || host.start.is_some_and(Start::is_misread) || host.asked.stop.is_set()
}
