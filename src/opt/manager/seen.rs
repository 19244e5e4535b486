//! What `-fverify` proves of summaries: what they have seen of functions is what the functions are, and the numbers that
//! they hold are of this program. O(instructions), and O(facts) a step.
//!
//! A number of a global that is no longer the global's own is worse than one that is out of range, which a table would
//! refuse: so what has been seen is looked at again, as the manager does with kept analyses.

use super::{Facts, Summary, Unit};
use crate::ir::Env;
use crate::opt::arguments;
use crate::opt::pass::PassError;

/// An error if a summary has seen something else of a function than there is to see.
pub(super) fn check_seen<C>(env: &Env, units: &[Unit<C>], summary: &Summary) -> Result<(), PassError> {
    for f in units.iter().map(|unit| &unit.f) {
        let (Some(body), Some(seen)) = (&f.body, &f.local) else { continue };
        let mut again = seen.clone();
        (summary.local)(env, body, &mut again);
        if again != *seen {
            let func = env.names.text(env.funcs[f.func].name).to_string();
            let message = "the function is not what has been seen of it".to_string();
            return Err(PassError { pass: summary.name, func, message });
        }
    }
    Ok(())
}

/// An error if a fact is about a function or global that there is not.
pub(super) fn check_facts(env: &Env, facts: &Facts, pass: &'static str) -> Result<(), PassError> {
    let (funcs, globals) = (env.funcs.len(), env.globals.len());
    // Per fact: the least numbers of functions and globals that there have to be.
    let needed = [
        ("effects", facts.effects.extent()),
        ("candidates", (facts.candidates.functions(), 0)),
        ("fates", (0, facts.fates.len())),
        ("calls", (facts.calls.len(), arguments::globals(&facts.calls))),
        ("call_ranges", (facts.call_ranges.functions(), 0)),
    ];
    match needed.into_iter().find(|(_, needed)| needed.0 > funcs || needed.1 > globals) {
        Some((name, needed)) => {
            let message = format!(
                "`{name}` is about {} functions of {funcs} and {} globals of {globals}",
                needed.0, needed.1
            );
            Err(PassError { pass, func: String::new(), message })
        }
        None => Ok(()),
    }
}
