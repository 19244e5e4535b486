//! Which passes run at which level, in which order, and why in this order.

use super::dce::DCE;
use super::drop_unused::DROP_UNUSED;
use super::gvn::GVN;
use super::manager::{self, Options, Report, Stage};
use super::mem2reg::MEM2REG;
use super::pass::{FuncPass, ModulePass, PassError};
use super::sccp::SCCP;
use super::simplify::SIMPLIFY;
use super::simplify_cfg::SIMPLIFY_CFG;
use crate::base::parallel::Workers;
use crate::ir::Module;

/// How much to optimise.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: the code that was written, for debuggers.
    #[default]
    O0,
    /// What pays for itself.
    O1,
    /// The default of releases.
    O2,
    /// Everything.
    O3,
}

/// All function passes, in alphabetic order.
pub const FUNC_PASSES: &[&FuncPass] = &[&DCE, &GVN, &MEM2REG, &SCCP, &SIMPLIFY, &SIMPLIFY_CFG];

/// All module passes, in alphabetic order.
pub const MODULE_PASSES: &[&ModulePass] = &[&DROP_UNUSED];

/// Name and description of every pass, for `--help`.
pub fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let functions = FUNC_PASSES.iter().map(|pass| (pass.name, pass.description));
    functions.chain(MODULE_PASSES.iter().map(|pass| (pass.name, pass.description)))
}

const O0: &[Stage] = &[];
const O1: &[Stage] = &[
    Stage::Functions(&[&SIMPLIFY_CFG, &MEM2REG, &SIMPLIFY, &SCCP, &GVN, &SIMPLIFY, &DCE, &SIMPLIFY_CFG]),
    Stage::Module(&DROP_UNUSED),
];

/// The runtime library: most of it is not needed by a given program, and what is not is not worked on.
pub const LIBRARY: &[Stage] = &[
    Stage::Module(&DROP_UNUSED),
    Stage::Functions(&[&SIMPLIFY_CFG, &MEM2REG, &SIMPLIFY, &SCCP, &GVN, &SIMPLIFY, &DCE, &SIMPLIFY_CFG]),
    Stage::Module(&DROP_UNUSED),
];

/// The first run of one pass comes before the first run of another.
#[derive(Debug)]
pub struct Constraint {
    /// This pass
    pub first: &'static str,
    /// runs before that one, at every level that has both.
    pub then: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// What the order of every pipeline has to obey.
pub const CONSTRAINTS: &[Constraint] = &[
    Constraint {
        first: "simplify_cfg",
        then: "mem2reg",
        reason: "phis are placed for every join, so joins that mean nothing should be gone",
    },
    Constraint {
        first: "mem2reg",
        then: "simplify",
        reason: "rules see operands through values, not memory",
    },
    Constraint {
        first: "simplify",
        then: "sccp",
        reason: "the solver folds instructions of constants only; the rules make more of them so",
    },
    Constraint {
        first: "simplify",
        then: "gvn",
        reason: "equal computations have equal keys only in canonical form",
    },
    Constraint {
        first: "sccp",
        then: "gvn",
        reason: "without the blocks that are never reached, more definitions dominate more uses",
    },
    Constraint {
        first: "dce",
        then: "drop_unused",
        reason: "a function is unused once the last call that matters is gone",
    },
    Constraint { first: "gvn", then: "dce", reason: "stores are dead once the loads were replaced" },
];

/// The stages of a level.
pub fn stages(level: Level) -> &'static [Stage] {
    match level {
        Level::O0 => O0,
        Level::O1 | Level::O2 | Level::O3 => O1,
    }
}

/// The passes of a level, if they are function passes in one stage and `drop_unused` at the end: then functions need not wait
/// for each other, but for what the ones they call can do.
pub fn by_function(level: Level) -> Option<&'static [&'static FuncPass]> {
    match stages(level) {
        [Stage::Functions(passes), Stage::Module(last)] if last.name == DROP_UNUSED.name => Some(passes),
        _ => None,
    }
}

/// Runs the passes of a level.
pub fn run(
    module: &mut Module,
    level: Level,
    options: &Options,
    workers: &Workers,
) -> Result<Report, PassError> {
    manager::run(module, stages(level), options, workers)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn names_are_unique_and_every_pass_of_a_pipeline_is_listed() {
        let listed: Vec<&str> = passes().map(|(name, _)| name).collect();
        for level in [Level::O0, Level::O1, Level::O2, Level::O3] {
            for stage in stages(level) {
                match stage {
                    Stage::Functions(list) => assert!(list.iter().all(|pass| listed.contains(&pass.name))),
                    Stage::Module(pass) => assert!(listed.contains(&pass.name)),
                }
            }
        }
        let mut sorted = listed.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), listed.len());
    }

    #[test]
    fn every_pipeline_obeys_the_constraints() {
        for level in [Level::O0, Level::O1, Level::O2, Level::O3] {
            let mut names: Vec<&str> = Vec::new();
            for stage in stages(level) {
                match stage {
                    Stage::Functions(list) => names.extend(list.iter().map(|pass| pass.name)),
                    Stage::Module(pass) => names.push(pass.name),
                }
            }
            let place = |wanted: &str| names.iter().position(|&name| name == wanted);
            for c in CONSTRAINTS {
                assert!(
                    passes().any(|(name, _)| name == c.first) && passes().any(|(name, _)| name == c.then)
                );
                if let (Some(first), Some(then)) = (place(c.first), place(c.then)) {
                    assert!(first < then, "{level:?}: {} before {}: {}", c.first, c.then, c.reason);
                }
            }
        }
    }

    #[test]
    fn a_name_that_is_no_pass_is_told() {
        let options = Options { disable: vec!["all".into(), "mem2reg".into()], ..Options::default() };
        assert_eq!(options.unknown_pass(), None);
        let options = Options { stop_after: Some("mem2rag".into()), ..options };
        assert_eq!(options.unknown_pass(), Some("mem2rag"));
    }

    #[test]
    fn an_empty_module_goes_through_every_level() {
        let mut module = testing::module();
        module.bodies.clear();
        let report = run(&mut module, Level::O3, &Options::default(), &Workers::new(2));
        assert!(report.is_ok_and(|report| report.dump.is_empty()));
    }
}
