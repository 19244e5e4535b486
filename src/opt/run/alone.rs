//! The function passes of -O1 on one function that is compiled as it comes, while nothing is known of others: what
//! they do is what their declarations say, and of those that are defined that is everything.
//!
//! Costs what the passes cost; what is kept from function to function is their memory.

use crate::analysis::{Effects, TargetFacts};
use crate::base::stop::Stop;
use crate::ir::{Body, Env, Size};
use crate::opt::run::analyses::{Analyses, AnalysisSet};
use crate::opt::run::facts::Facts;
use crate::opt::run::pass::{FuncCx, Scratch, apply};
use crate::opt::run::pipeline::CLEAN;

/// What is kept from function to function.
#[derive(Debug, Default)]
pub struct Alone {
    analyses: Analyses,
    scratch: Scratch,
    effects: Effects,
    facts: Facts,
}

/// Takes a body through the passes; through no more once `stop` is set.
pub fn optimise(env: &Env, f: &mut Body, target: &TargetFacts, memory: &mut Alone, stop: &Stop) {
    let Alone { analyses, scratch, effects, facts } = memory;
    effects.extend_unseen(env);
    analyses.keep(AnalysisSet::NONE);
    scratch.changes.forget();
    for pass in CLEAN.iter().take_while(|_| !stop.is_set()) {
        let size = env.funcs[f.func].hints.size_among(Size::Any);
        apply(pass, &mut FuncCx { env, f, effects, facts, target, size, analyses, scratch });
    }
}
