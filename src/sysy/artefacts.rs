//! What comes of a function on its way from the source, and the compiled program, put together.

use super::debug::{self, Facts, FunctionFact, Told};
use super::failure::{Bug, Failure};
use super::start::Start;
use crate::backend::code::{BackendError, Homes, Kept, Options, Output, WorkerMemory, compile_function};
use crate::backend::join::{self, Program};
use crate::base::crash::Activity;
use crate::base::parallel::Workers;
use crate::base::{Column, Handle, trace};
use crate::ir::profile::Record;
use crate::ir::{self, Body, Env, FuncId, Linkage};
use crate::isa::symbols::Symbols;
use crate::lower::Checks;
use crate::object::code::{Code, Target};
use crate::opt::run::manager::Unit;
use crate::source::{Diagnostics, SourceFile};

/// What came of a function on its way from the source.
#[derive(Debug, Default)]
pub struct Artefacts {
    /// Its code, if that is what was asked for.
    pub code: Code,
    /// It passes a float to `putf`.
    pub prints_floats: bool,
    /// What few functions have, or few runs ask for.
    pub more: Option<Box<More>>,
}

/// See `Artefacts`.
#[derive(Debug, Default)]
pub struct More {
    /// What there is to say about its source.
    pub diags: Diagnostics,
    /// Why nothing came of it.
    pub failure: Option<Failure>,
    /// What the source tells debuggers, if they are to know.
    pub facts: Option<FunctionFact>,
    /// What was counted of it was counted of another version, with these checks.
    pub counted_with: Option<Checks>,
    /// Its record, if it counts what it executes.
    pub record: Option<Record>,
    /// What its tree looks like, if that is to be seen.
    pub tree: String,
    /// See `Output`.
    pub text: String,
    /// See `Output`.
    pub dump: String,
    /// See `Output`.
    pub homes: Homes,
}

impl Artefacts {
    /// Room for the rare.
    pub fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// True if its code, or text, names a function.
    pub fn names(&self, func: FuncId, name: &str) -> bool {
        let target = Target::Func(func.index() as u32);
        self.code.fixups.iter().any(|fixup| fixup.target == target)
            || self.more.as_ref().is_some_and(|more| more.text.contains(name))
    }

    /// Takes what came out of the IR.
    pub fn take(&mut self, output: Output) {
        let Output { text, code, dump, homes } = output;
        self.code = code;
        if !(text.is_empty() && dump.is_empty() && homes.is_empty()) {
            let more = self.more();
            (more.text, more.dump, more.homes) = (text, dump, homes);
        }
    }
}

/// What debuggers are told of the source.
pub fn facts(start: Option<&Start>, units: &mut [Unit<Artefacts>], told: Told) -> Facts {
    let facts = match start {
        Some(start) => {
            let facts = units.iter_mut().map(|unit| unit.code.more().facts.take().unwrap_or_default());
            Facts::new(&start.outline.sema, facts)
        }
        None => Facts::of_text(),
    };
    facts.of_file(told)
}

/// All functions of a program, compiled, and what they share.
#[derive(Debug)]
pub struct Compiled {
    /// What functions share.
    pub env: Env,
    /// What the object calls things.
    pub symbols: Symbols,
    /// How it was compiled.
    pub options: Options,
    /// The functions, in order.
    pub units: Vec<Unit<Artefacts>>,
}

/// Puts the pieces of a program together (`backend::join`). With facts of its source, debuggers are told; that
/// is all that is taken from the source. With it comes machine IR, if that was asked for.
pub fn join(
    compiled: Compiled,
    told: Option<(&SourceFile, &Facts)>,
    workers: &Workers,
) -> Result<(Program, String), Failure> {
    let Compiled { env, symbols, options, units } = compiled;
    trace::table("code and fixups of all functions", || units.iter().map(|unit| unit.code.code.size()).sum());
    let mut codes: Column<FuncId, Option<Code>> = Column::filled(env.funcs.len(), None);
    let mut homes: Column<FuncId, Homes> = Column::filled(env.funcs.len(), Homes::new());
    let (mut texts, mut dump) = (Vec::new(), String::new());
    for Unit { f, code: made } in
        units.into_iter().filter(|unit| env.funcs[unit.f.func].linkage != Linkage::Declared)
    {
        codes[f.func] = Some(made.code);
        if let Some(more) = made.more {
            texts.push((f.func, more.text));
            dump.push_str(&more.dump);
            homes[f.func] = more.homes;
        }
    }
    let functions = join::functions(&env, &symbols, codes);
    let nodes = told.and_then(|(file, facts)| facts.nodes(file));
    let told =
        told.map(|(file, facts)| debug::program(&env, (file, facts, nodes.as_ref()), &functions, &homes));
    let program = join::join((&env, &symbols, &options), functions, &texts, told.as_ref(), workers);
    Ok((program.map_err(Failure::System)?, dump))
}

/// A function that stands in no source. It has no places, and no debugger is told of it.
pub fn compile_apart(
    env: &Env,
    mut body: Body,
    symbols: &Symbols,
    options: &Options,
) -> Result<Unit<Artefacts>, Failure> {
    let options = Options { debug: false, verbose: false, changes: false, ..*options };
    let mut unit = Unit::<Artefacts>::new(body.func, 0);
    let done =
        compile_function(env, &mut body, symbols, &options, &mut WorkerMemory::default(), Kept::default());
    unit.code.take(done.map_err(|error| failure(env, &body, error))?);
    Ok(unit)
}

/// Why nothing came of a function.
pub(super) fn failure(env: &Env, body: &Body, error: BackendError) -> Failure {
    let function = env.names.text(env.funcs[body.func].name).to_string();
    match error {
        BackendError::Unable(why) => Failure::System(format!("function '{function}': {why}")),
        BackendError::Stopped => Failure::System(format!("function '{function}': stopped")),
        BackendError::Bug(phase, message) => {
            let activity = Activity { phase, function: Some(body.func.index() as u32) };
            let details = ir::print::body(env, body);
            Failure::Internal(Bug { message, activity, function, details, ..Bug::default() })
        }
    }
}
