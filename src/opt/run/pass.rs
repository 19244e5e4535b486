//! What a pass is: a row in a table, with a function that is given a body and tells what it changed.

use crate::analysis::names::Names;
use crate::analysis::{Effects, TargetFacts};
use crate::base::parallel::Workers;
use crate::base::{Column, Handle, crash};
use crate::ir::{Body, Env, FuncId, Size};
use crate::opt::run::analyses::{Analyses, AnalysisSet, Given};
use crate::opt::run::changes::Changes;
use crate::opt::run::facts::{Facts, Local, Look};
use crate::opt::run::manager::Function;
use crate::opt::run::renumber::Renumbering;
use std::any::Any;

/// A pass over one function. Runs on many bodies at a time, so it sees nothing but its own.
#[derive(Debug)]
pub struct FuncPass {
    /// What dumps, flags and reports call it.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// It makes code larger for it to be faster: functions of which the size counts go without it.
    pub grows: bool,
    /// Analyses that are up to date when it starts; it may ask for more on the way.
    pub needs: AnalysisSet,
    /// Does it; a pass with memory of its own by way of `with_memory`.
    pub run: fn(&mut FuncCx) -> Outcome,
}

/// What a function pass works on.
pub struct FuncCx<'a> {
    /// What all functions share; does not change meanwhile.
    pub env: &'a Env,
    /// The function.
    pub f: &'a mut Body,
    /// What calls do.
    pub effects: &'a Effects,
    /// What else is known of the program.
    pub facts: &'a Facts,
    /// What the machine does.
    pub target: &'a TargetFacts,
    /// What counts of the function's code.
    pub size: Size,
    /// Facts about it.
    pub analyses: &'a mut Analyses,
    /// What a worker keeps from pass to pass and from function to function.
    pub scratch: &'a mut Scratch,
}

impl FuncCx<'_> {
    /// Makes these analyses true of the body.
    pub fn require(&mut self, set: AnalysisSet) {
        self.analyses
            .require(Given { env: self.env, effects: self.effects, target: self.target, f: self.f }, set);
    }
}

/// Runs a pass: what it needs is there, and what it does not keep is forgotten.
pub fn apply(pass: &FuncPass, cx: &mut FuncCx) -> Outcome {
    crash::enter(pass.name, Some(cx.f.func.index() as u32));
    cx.require(pass.needs);
    let outcome = (pass.run)(cx);
    if outcome.changed {
        cx.analyses.keep(outcome.kept);
        if !outcome.listed {
            cx.scratch.changes.forget();
        }
    }
    outcome
}

/// What a worker keeps for passes from function to function, so that memory is asked for only where a
/// function is larger than all before it.
#[derive(Debug, Default)]
pub struct Scratch {
    /// What has been changed of the body at hand.
    pub changes: Changes,
    /// The memory of each pass that has some, of a type that is the pass's own.
    own: Vec<Box<dyn Any + Send>>,
}

/// Runs a pass with its own memory, which is what the last run of it on this worker has left.
pub fn with_memory<S: Any + Default + Send>(
    cx: &mut FuncCx,
    run: fn(&mut FuncCx, &mut S) -> Outcome,
) -> Outcome {
    let place = cx.scratch.own.iter().position(|memory| memory.is::<S>());
    let memory = place.map(|k| cx.scratch.own.swap_remove(k)).and_then(|memory| memory.downcast::<S>().ok());
    let mut memory = memory.unwrap_or_default();
    let outcome = run(cx, &mut memory);
    cx.scratch.own.push(memory);
    outcome
}

/// What a pass did to a body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// False only if the body is what it was.
    pub changed: bool,
    /// All that changed is in the list of changes.
    pub listed: bool,
    /// Analyses that are still true of the body. Of those that were never computed nothing is claimed.
    pub kept: AnalysisSet,
}

impl Outcome {
    /// Nothing done.
    pub const UNCHANGED: Outcome = Outcome { changed: false, listed: true, kept: AnalysisSet::ALL };

    /// Something done, after which `kept` are still true.
    pub const fn changed(kept: AnalysisSet) -> Outcome {
        Outcome { changed: true, listed: false, kept }
    }

    /// `changed(kept)` if something was done.
    pub const fn changed_if(changed: bool, kept: AnalysisSet) -> Outcome {
        if changed { Outcome::changed(kept) } else { Outcome::UNCHANGED }
    }

    /// The same, by a pass that has listed what it changed (`Scratch::changes`).
    pub const fn listed(self) -> Outcome {
        Outcome { listed: true, ..self }
    }
}

/// A pass over the whole program, at a barrier.
#[derive(Debug)]
pub struct ModulePass {
    /// What dumps, flags and reports call it.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// What it has to see of each function, in the job of the stages before the barrier.
    pub looks: &'static [Look],
    /// Decides, by what has been seen; true if something changed, or will.
    pub run: fn(&mut ModuleCx) -> bool,
    /// Does to a function what has been decided, in the job of the stages behind the barrier: functions are
    /// packed until then.
    pub apply: Option<Apply>,
    /// It may change the numbers of globals: bodies that there are have to be unpacked.
    pub renumbers: bool,
}

/// Changes a body, of whose function this is known.
pub type Apply = fn(&Env, &Facts, &Local, &mut Body);

/// What a module pass works on. Functions that it makes `Declared` are left out from then on.
pub struct ModuleCx<'a> {
    /// What all functions share.
    pub env: &'a mut Env,
    /// What is known of them.
    pub facts: &'a mut Facts,
    /// All functions, in source order. Their IR may be packed, and those that have been compiled have none.
    pub functions: Vec<&'a mut Function>,
    /// The workers.
    pub workers: &'a Workers,
    /// If the pass changes the numbers of globals: the new ones, for the manager to put in everywhere.
    pub globals: Option<Renumbering>,
}

impl ModuleCx<'_> {
    /// What each function names, for passes that look for that.
    pub fn names(&self) -> Column<FuncId, Option<&Names>> {
        let mut named = Column::filled(self.env.funcs.len(), None);
        for f in &self.functions {
            named[f.func] = f.local.as_ref().and_then(|local| local.get());
        }
        named
    }
}

/// A pass that failed, or that left a body in disorder: a bug of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    /// Which pass.
    pub pass: &'static str,
    /// On which function; empty for a module pass.
    pub func: String,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for PassError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "after pass `{}`", self.pass)?;
        if !self.func.is_empty() {
            write!(f, " on function `{}`", self.func)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for PassError {}
