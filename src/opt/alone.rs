//! The function passes of -O1 on one function that is compiled as it comes, while nothing is known of others: what
//! they do is what their declarations say, and of those that are defined that is everything.
//!
//! Costs what the passes cost; what is kept from function to function is their memory.

use super::analyses::{Analyses, AnalysisSet};
use super::candidates::Candidates;
use super::pass::{FuncCx, Scratch};
use super::pipeline::CLEAN;
use crate::analysis::call_ranges::CallRanges;
use crate::analysis::{Effects, TargetFacts};
use crate::base::Handle;
use crate::base::crash;
use crate::base::stop::Stop;
use crate::ir::{Body, Env};

/// What is kept from function to function.
#[derive(Debug, Default)]
pub struct Alone {
    analyses: Analyses,
    scratch: Scratch,
    effects: Effects,
    candidates: Candidates,
    calls: CallRanges,
}

/// Takes a body through the passes; through no more once `stop` is set.
pub fn optimise(env: &Env, f: &mut Body, target: &TargetFacts, memory: &mut Alone, stop: &Stop) {
    let Alone { analyses, scratch, effects, candidates, calls } = memory;
    effects.extend_unseen(env);
    analyses.keep(AnalysisSet::NONE);
    scratch.changes.forget();
    for pass in CLEAN.iter().take_while(|_| !stop.is_set()) {
        crash::enter(pass.name, Some(f.func.index() as u32));
        let mut cx = FuncCx { env, f, effects, candidates, calls, target, analyses, scratch };
        cx.require(pass.needs);
        let outcome = (pass.run)(&mut cx);
        if outcome.changed {
            analyses.keep(outcome.kept);
            if !outcome.listed {
                scratch.changes.forget();
            }
        }
    }
}
