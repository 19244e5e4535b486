//! What a pass is: a row in a table, with a function that is given a body and tells what it changed.

use super::analyses::{Analyses, AnalysisSet};
use crate::analysis::Effects;
use crate::ir::{Body, Env, Module};

/// A pass over one function. Runs on many bodies at a time, so it sees nothing but its own.
#[derive(Debug)]
pub struct FuncPass {
    /// What dumps, flags and reports call it.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// Analyses that are up to date when it starts; it may ask for more on the way.
    pub needs: AnalysisSet,
    /// Where there are no phis, counts of uses are all that it needs (`Body::thread_uses`).
    pub counts: bool,
    /// It notes in `Scratch::marks` what it changes.
    pub marks: bool,
    /// Does it.
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
    /// Facts about it.
    pub analyses: &'a mut Analyses,
    /// Memory of the passes, kept from function to function.
    pub scratch: &'a mut Scratch,
}

/// What each pass needs while it runs, and none but `marks` looks at between runs: a worker has one, so that memory is asked for only
/// where a function is larger than all before it.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Of `dce`.
    pub dce: super::dce::Scratch,
    /// Of `gvn`.
    pub gvn: super::gvn::Scratch,
    /// Of `mem2reg`.
    pub mem2reg: super::mem2reg::Scratch,
    /// Of `sccp`.
    pub sccp: super::sccp::Scratch,
    /// Of `simplify`; other passes note here what they change.
    pub marks: super::marks::Marks,
}

/// What a pass did to a body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// False only if the body is what it was.
    pub changed: bool,
    /// Analyses that are still true of the body. Of those that were never computed nothing is claimed.
    pub kept: AnalysisSet,
}

impl Outcome {
    /// Nothing done.
    pub const UNCHANGED: Outcome = Outcome { changed: false, kept: AnalysisSet::ALL };

    /// Something done, after which `kept` are still true.
    pub const fn changed(kept: AnalysisSet) -> Outcome {
        Outcome { changed: true, kept }
    }

    /// `changed(kept)` if something was done.
    pub const fn changed_if(changed: bool, kept: AnalysisSet) -> Outcome {
        if changed { Outcome::changed(kept) } else { Outcome::UNCHANGED }
    }
}

/// A pass over the whole program, at a barrier between stages of function passes.
#[derive(Debug)]
pub struct ModulePass {
    /// What dumps, flags and reports call it.
    pub name: &'static str,
    /// One line for `--help`.
    pub description: &'static str,
    /// Does it; true if something changed.
    pub run: fn(&mut Module) -> bool,
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
