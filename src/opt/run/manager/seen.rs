//! What `-fverify` proves of summaries: what they have seen of functions is what the functions are, and the numbers that
//! they hold are of this program. O(instructions), and O(facts) a step.
//!
//! A number of a global that is no longer the global's own is worse than one that is out of range, which a table would
//! refuse: so what has been seen is looked at again, as the manager does with kept analyses.

use super::{Summary, Unit};
use crate::ir::Env;
use crate::opt::run::facts::Facts;
use crate::opt::run::pass::PassError;

/// An error if a summary has seen something else of a function than there is to see.
pub(super) fn check_seen<C>(env: &Env, units: &[Unit<C>], summary: &Summary) -> Result<(), PassError> {
    for f in units.iter().map(|unit| &unit.f) {
        let (Some(body), Some(seen)) = (&f.body, &f.local) else { continue };
        if !summary.looks.iter().all(|look| look.is_so(env, body, seen)) {
            let func = env.names.text(env.funcs[f.func].name).to_string();
            let message = "the function is not what has been seen of it".to_string();
            return Err(PassError { pass: summary.name, func, message });
        }
    }
    Ok(())
}

/// An error if a fact is about a function or global that there is not.
pub(super) fn check_facts(env: &Env, facts: &Facts, pass: &'static str) -> Result<(), PassError> {
    match facts.beyond(env) {
        Some(fact) => {
            let message = format!("{fact} is about a function or global that there is not");
            Err(PassError { pass, func: String::new(), message })
        }
        None => Ok(()),
    }
}
