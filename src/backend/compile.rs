//! Modules to code: the plan of a level with ends that take bodies and give code.
//!
//! O(instructions) at -O0; functions in parallel, the same bytes for any number of threads.

use super::code::{self, BackendError, Kept, WorkerMemory, compile_function};
use super::error::{Error, ErrorKind};
use super::join::{Program, functions, join};
use super::module::{Module, bodies};
use super::pool::{CancelToken, Pool};
use crate::analysis::names::Names;
use crate::base::formula::Term;
use crate::base::parallel::Workers;
use crate::base::stop::Stop;
use crate::base::{Column, Handle};
use crate::ir::{Body, Env, FuncId, GlobalId, Linkage};
use crate::isa::LIBRARY_BASE;
use crate::isa::symbols::{self, Symbols};
use crate::mir::pass::Watch;
use crate::object::code::{Code, Spot, Target};
use crate::opt::run::manager::{self, Ends, How, Unit};
use crate::opt::run::pipeline;
use crate::opt::run::renumber::Renumbering;
use crate::opt::{self, Level};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How to compile. `Default` is one thread and no optimisation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How much to optimise.
    pub level: Level,
    /// Threads, if there is no pool; 1 starts none. The code is the same.
    pub threads: usize,
    /// The threads to do it on.
    pub pool: Option<Pool>,
    /// What may cancel it.
    pub cancel: Option<CancelToken>,
    /// Verify the IR behind each pass and prove each allocation of registers: several times slower, for tests.
    pub verify: bool,
    /// Tell unwinders of all functions, in `.eh_frame` (ARMv7: `.ARM.exidx`): so exceptions and stack traces of C and C++ get through them.
    pub unwind_tables: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            level: Level::O0,
            threads: 1,
            pool: None,
            cancel: None,
            verify: false,
            unwind_tables: false,
        }
    }
}

impl Options {
    /// Those of a level.
    pub fn at(level: Level) -> Options {
        Options { level, ..Options::default() }
    }

    /// With so many threads.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Options {
        self.threads = threads;
        self
    }

    /// On the threads of a pool.
    #[must_use]
    pub fn pool(mut self, pool: &Pool) -> Options {
        self.pool = Some(pool.clone());
        self
    }

    /// Until the token is used.
    #[must_use]
    pub fn cancel(mut self, token: &CancelToken) -> Options {
        self.cancel = Some(token.clone());
        self
    }

    /// With tables for unwinders.
    #[must_use]
    pub fn unwind_tables(mut self) -> Options {
        self.unwind_tables = true;
        self
    }

    pub(super) fn workers(&self) -> Workers {
        self.pool.as_ref().map_or_else(|| Workers::joined(self.threads), |pool| pool.workers.clone())
    }

    /// With all that is proven on the way.
    #[must_use]
    pub fn verify(mut self) -> Options {
        self.verify = true;
        self
    }
}

impl Module {
    /// Compiles the module to text for GNU's assembler or LLVM's.
    pub fn assembly(self, options: &Options) -> Result<String, Error> {
        Ok(self.program(options, &options.workers(), true)?.text)
    }

    pub(super) fn program(
        mut self,
        options: &Options,
        workers: &Workers,
        text: bool,
    ) -> Result<Program, Error> {
        self.check_defined()?;
        let target = self.target.row;
        let asked = opt::Options {
            verify: options.verify,
            size: options.level.size(),
            target: (target.facts)(self.target.features),
            stop: options.cancel.as_ref().map(|token| token.stop.clone()).unwrap_or_default(),
            ..opt::Options::default()
        };
        let code = code::Options {
            watch: Watch::default().verifying(options.verify),
            text,
            code: !text,
            unwind: options.unwind_tables,
            ..code::Options::of(target, self.target.features, options.level)
        };
        let mut units: Vec<Unit<Artefacts>> = bodies(&mut self.ir).map(Unit::of).collect();
        let env = &mut self.ir.env;
        let mut host =
            Host { options: code, stop: asked.stop.clone(), symbols: symbols::symbols(env, target, text) };
        let how = How { options: &asked, workers, window: None, packs_from: usize::MAX, keeps_bodies: false };
        let plan = pipeline::plan(options.level);
        let run = AssertUnwindSafe(|| manager::run(plan, env, &mut units, (&mut host, &ENDS), how));
        let done = catch_unwind(run).map_err(|_| Error::new(ErrorKind::Internal, "a pass has panicked"))?;
        done.map_err(|error| {
            let message = format!("pass '{}': {}", error.pass, error.message);
            Error::new(ErrorKind::Internal, message).of(&error.func)
        })?;
        if asked.stop.is_set() {
            return Err(Error::cancelled());
        }
        let mut codes: Column<FuncId, Option<Code>> = Column::filled(env.funcs.len(), None);
        let mut texts = Vec::new();
        for Unit { f, code } in units {
            let row = &env.funcs[f.func];
            if let Some(error) = code.error {
                return Err(error.of(env.names.text(row.name)));
            }
            if row.linkage != Linkage::Declared {
                codes[f.func] = Some(code.code);
                texts.push((f.func, code.text));
            }
        }
        let Host { options, symbols, .. } = &host;
        let functions = functions(env, symbols, codes);
        join((env, symbols, options), functions, &texts, None, workers)
            .map_err(|message| Error::new(ErrorKind::Unsupported, message))
    }
}

/// What comes of a function.
#[derive(Debug, Default)]
struct Artefacts {
    code: Code,
    text: String,
    error: Option<Error>,
}

/// What is the same for all functions.
struct Host {
    options: code::Options,
    stop: Stop,
    symbols: Symbols,
}

/// What a worker keeps from function to function.
#[derive(Default)]
struct Memory {
    back: WorkerMemory,
    spent: Option<Body>,
}

static ENDS: Ends<Host, Memory, Artefacts> = Ends {
    fill: |_, _, _| {},
    make: |_, _, _, _| {},
    code: to_code,
    named: |host| host.options.code.then_some(|made: &Artefacts| names(&made.code)),
    spare: |memory| memory.spent.take(),
    recycle: |memory, body| memory.spent = Some(body),
    grown: |host, env| symbols::extend(&mut host.symbols, env, host.options.target),
    renumber: |host, units, new| {
        renumber_symbols(&mut host.symbols, new);
        units.iter_mut().for_each(|unit| renumber(&mut unit.code.code, new));
    },
    stopped: |host| host.stop.is_set(),
    failed: |_| false,
};

fn to_code(host: &Host, env: &Env, unit: &mut Unit<Artefacts>, memory: &mut Memory) {
    let Some(mut body) = unit.f.body.take() else { return };
    let kept = Kept { stop: Some(&host.stop), ..Kept::default() };
    match compile_function(env, &mut body, &host.symbols, &host.options, &mut memory.back, kept) {
        Ok(output) => (unit.code.code, unit.code.text) = (output.code, output.text),
        Err(BackendError::Unable(why)) => unit.code.error = Some(Error::new(ErrorKind::Unsupported, why)),
        // All of it is.
        Err(BackendError::Stopped) => {}
        Err(BackendError::Bug(stage, why)) => {
            unit.code.error = Some(Error::new(ErrorKind::Internal, format!("{stage}: {why}")));
        }
    }
    memory.spent = Some(*body);
}

/// What the code of a function names.
pub fn names(code: &Code) -> Names {
    let mut names = Names::default();
    for fixup in &code.fixups {
        match fixup.target {
            Target::Func(func) if func >= LIBRARY_BASE => {}
            Target::Func(func) => names.funcs.push(FuncId::new(func as usize)),
            Target::Global(global) => names.globals.push(GlobalId::new(global as usize)),
        }
    }
    names.settle();
    names
}

/// Gives globals their new numbers in code.
pub fn renumber(code: &mut Code, new: &Renumbering) {
    for fixup in &mut code.fixups {
        if let Target::Global(global) = &mut fixup.target
            && let Some(new) = new[GlobalId::new(*global as usize)].get()
        {
            *global = new.index() as u32;
        }
    }
    // Variables that are told by the address of what has gone are nowhere.
    let Some(debug) = &mut code.debug else { return };
    let told = debug.locations.iter_mut().filter_map(|row| row.at.as_mut());
    let leaves = debug.formulas.iter_mut().flatten().filter_map(|term| match term {
        Term::Leaf(spot) => Some(spot),
        _ => None,
    });
    for spot in told.chain(leaves) {
        if let Spot::Global(global) = spot {
            let new = new.get(GlobalId::new(*global as usize)).and_then(|new| new.get());
            *global = new.map_or(u32::MAX, |new| new.index() as u32);
        }
    }
}

/// Leaves the names of the globals that are still there.
pub fn renumber_symbols(symbols: &mut Symbols, new: &Renumbering) {
    let names = std::mem::take(&mut symbols.globals).into_vec().into_iter().enumerate();
    let names = names.filter(|(k, _)| new[GlobalId::new(*k)].is_some());
    symbols.globals = Column::from(names.map(|(_, name)| name).collect::<Vec<String>>());
}
