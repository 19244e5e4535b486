//! Which passes run at which level, in which order, and why in this order.

use crate::ir::Size;
use crate::opt::calls::arguments::ARGUMENTS;
use crate::opt::calls::base_cases::BASE_CASES;
use crate::opt::calls::call_ranges::CALL_RANGES;
use crate::opt::calls::candidates::CANDIDATES;
use crate::opt::calls::drop_unused::{DROP_UNCALLED, DROP_UNUSED};
use crate::opt::calls::effects::EFFECTS;
use crate::opt::calls::equal_calls::EQUAL_CALLS;
use crate::opt::calls::evaluate::EVALUATE;
use crate::opt::calls::globals::GLOBALS;
use crate::opt::calls::inline::INLINE;
use crate::opt::calls::modular_product::MODULAR_PRODUCT;
use crate::opt::calls::points_to::POINTS_TO;
use crate::opt::calls::result_tables::RESULT_TABLES;
use crate::opt::calls::sibling_calls::SIBLING_CALLS;
use crate::opt::calls::tail_calls::TAIL_CALLS;
use crate::opt::flow::branch_selects::BRANCH_SELECTS;
use crate::opt::flow::if_convert::IF_CONVERT;
use crate::opt::flow::if_to_switch::IF_TO_SWITCH;
use crate::opt::flow::implied::IMPLIED;
use crate::opt::flow::range_checks::RANGE_CHECKS;
use crate::opt::flow::simplify_cfg::SIMPLIFY_CFG;
use crate::opt::flow::sink::SINK;
use crate::opt::flow::sink_compares::SINK_COMPARES;
use crate::opt::flow::sink_equal::SINK_EQUAL;
use crate::opt::loops::balance_sums::BALANCE_SUMS;
use crate::opt::loops::finish_loops::FINISH_LOOPS;
use crate::opt::loops::idempotent_loops::IDEMPOTENT_LOOPS;
use crate::opt::loops::licm::LICM;
use crate::opt::loops::loop_fusion::LOOP_FUSION;
use crate::opt::loops::loop_interchange::LOOP_INTERCHANGE;
use crate::opt::loops::loop_load_elim::LOOP_LOAD_ELIM;
use crate::opt::loops::loop_load_pre::LOOP_LOAD_PRE;
use crate::opt::loops::loop_peel::LOOP_PEEL;
use crate::opt::loops::loop_vectorize::LOOP_VECTORIZE;
use crate::opt::loops::memory_loops::MEMORY_LOOPS;
use crate::opt::loops::neighbours::NEIGHBOURS;
use crate::opt::loops::post_increment::POST_INCREMENT;
use crate::opt::loops::promote::PROMOTE;
use crate::opt::loops::rotate::ROTATE;
use crate::opt::loops::slp_vectorize::SLP_VECTORIZE;
use crate::opt::loops::split_loops::SPLIT_LOOPS;
use crate::opt::loops::strength::STRENGTH;
use crate::opt::loops::unroll::UNROLL;
use crate::opt::loops::unroll_all::UNROLL_ALL;
use crate::opt::loops::unroll_and_jam::UNROLL_AND_JAM;
use crate::opt::memory::constant_arrays::CONSTANT_ARRAYS;
use crate::opt::memory::dead_stores::DEAD_STORES;
use crate::opt::memory::mem2reg::MEM2REG;
use crate::opt::memory::split_arrays::SPLIT_ARRAYS;
use crate::opt::run::manager::{Stage, Step};
use crate::opt::run::pass::{FuncPass, ModulePass};
use crate::opt::values::addresses::ADDRESSES;
use crate::opt::values::common_sums::COMMON_SUMS;
use crate::opt::values::dce::DCE;
use crate::opt::values::expand::EXPAND;
use crate::opt::values::gvn::{GVN, GVN_MEMORY, GVN_UNROLLED};
use crate::opt::values::ranges::RANGES;
use crate::opt::values::reassociate::REASSOCIATE;
use crate::opt::values::sccp::SCCP;
use crate::opt::values::simplify::SIMPLIFY;

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
    /// Small code: what -O2 does, without what makes code larger.
    Os,
    /// The smallest code.
    Oz,
}

impl Level {
    /// All levels, as they are numbered.
    pub const ALL: [Level; 6] = [Level::O0, Level::O1, Level::O2, Level::O3, Level::Os, Level::Oz];

    /// What stands behind `-O`.
    pub fn name(self) -> &'static str {
        ["0", "1", "2", "3", "s", "z"][self as usize]
    }

    /// What counts of the code.
    #[doc(hidden)]
    pub fn size(self) -> Size {
        match self {
            Level::Os => Size::Small,
            Level::Oz => Size::Smallest,
            _ => Size::Any,
        }
    }
}

/// All function passes, in alphabetic order.
pub const FUNC_PASSES: &[&FuncPass] = &[
    &ADDRESSES,
    &BALANCE_SUMS,
    &BASE_CASES,
    &BRANCH_SELECTS,
    &COMMON_SUMS,
    &LOOP_FUSION,
    &LOOP_INTERCHANGE,
    &LOOP_LOAD_ELIM,
    &LOOP_LOAD_PRE,
    &LOOP_PEEL,
    &LOOP_VECTORIZE,
    &CONSTANT_ARRAYS,
    &DCE,
    &DEAD_STORES,
    &EQUAL_CALLS,
    &EVALUATE,
    &EXPAND,
    &FINISH_LOOPS,
    &GVN,
    &GVN_MEMORY,
    &GVN_UNROLLED,
    &IDEMPOTENT_LOOPS,
    &IF_CONVERT,
    &IF_TO_SWITCH,
    &IMPLIED,
    &INLINE,
    &LICM,
    &MEM2REG,
    &MEMORY_LOOPS,
    &MODULAR_PRODUCT,
    &NEIGHBOURS,
    &PROMOTE,
    &RANGES,
    &RANGE_CHECKS,
    &REASSOCIATE,
    &RESULT_TABLES,
    &ROTATE,
    &SCCP,
    &SIBLING_CALLS,
    &SIMPLIFY,
    &SIMPLIFY_CFG,
    &SINK,
    &SINK_COMPARES,
    &SINK_EQUAL,
    &SLP_VECTORIZE,
    &SPLIT_ARRAYS,
    &SPLIT_LOOPS,
    &POST_INCREMENT,
    &STRENGTH,
    &TAIL_CALLS,
    &UNROLL,
    &UNROLL_ALL,
    &UNROLL_AND_JAM,
];

/// All module passes, in alphabetic order.
pub const MODULE_PASSES: &[&ModulePass] =
    &[&ARGUMENTS, &CALL_RANGES, &CANDIDATES, &DROP_UNCALLED, &DROP_UNUSED, &GLOBALS, &POINTS_TO];

/// Name and description of every pass, for `--help`.
pub fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let functions = FUNC_PASSES.iter().map(|pass| (pass.name, pass.description));
    functions.chain(MODULE_PASSES.iter().map(|pass| (pass.name, pass.description)))
}

/// The function passes of -O1.
pub(super) const CLEAN: &[&FuncPass] =
    &[&SIMPLIFY_CFG, &MEM2REG, &SIMPLIFY, &SCCP, &EXPAND, &GVN, &SIMPLIFY, &DCE, &SIMPLIFY_CFG];

/// The function passes of -O2 that know of one function only.
const BEGIN: &[&FuncPass] =
    &[&SIMPLIFY_CFG, &MEM2REG, &SIMPLIFY, &MODULAR_PRODUCT, &RESULT_TABLES, &TAIL_CALLS];

/// The function passes of -O2.
const OPTIMISE: &[&FuncPass] = &[
    &SIMPLIFY_CFG,
    &MEM2REG,
    &SIMPLIFY,
    &SCCP,
    &BASE_CASES,
    &ROTATE,
    &UNROLL_ALL,
    &LOOP_PEEL,
    &REASSOCIATE,
    &GVN_MEMORY,
    &DEAD_STORES,
    &SINK_EQUAL,
    &IMPLIED,
    &LICM,
    &PROMOTE,
    &LOOP_INTERCHANGE,
    &LOOP_LOAD_ELIM,
    &LOOP_LOAD_PRE,
    &SPLIT_ARRAYS,
    &MEM2REG,
    &IDEMPOTENT_LOOPS,
    &RANGES,
    &SPLIT_LOOPS,
    &LOOP_INTERCHANGE,
    &MEMORY_LOOPS,
    &FINISH_LOOPS,
    &LOOP_FUSION,
    &UNROLL_AND_JAM,
    &LOOP_VECTORIZE,
    &SLP_VECTORIZE,
    &STRENGTH,
    &UNROLL,
    &SIMPLIFY,
    &ADDRESSES,
    &EXPAND,
    &GVN_UNROLLED,
    &LICM,
    &SIMPLIFY,
    &CONSTANT_ARRAYS,
    &DCE,
    &SINK,
    &RANGE_CHECKS,
    &SIMPLIFY_CFG,
    &IF_TO_SWITCH,
    &BRANCH_SELECTS,
    &IF_CONVERT,
    &COMMON_SUMS,
    &BALANCE_SUMS,
    &NEIGHBOURS,
    &POST_INCREMENT,
    &SINK_COMPARES,
    &SIBLING_CALLS,
];

/// Nothing waits for anything: a function goes from its source to its code in one go, while its tables are in
/// the cache.
pub const O0: &[Step] = &[Step::Each(&[Stage::Make, Stage::Code])];

/// What a function does is all that its callers wait for. Which functions and globals are used shows when all
/// have been compiled, and so what is not is compiled in vain: that costs less than to keep the IR of
/// everything.
pub const O1: &[Step] = &[
    Step::Each(&[Stage::Make]),
    Step::Summary(&EFFECTS),
    Step::Each(&[Stage::Passes(CLEAN), Stage::Canonical, Stage::Code]),
    Step::All(&DROP_UNUSED),
];

/// A function goes when all calls of it have been replaced, before work is done on it. Where all wait, they
/// are packed.
pub const O2: &[Step] = &[
    Step::Each(&[Stage::Make]),
    Step::Each(&[Stage::Passes(BEGIN)]),
    Step::Summary(&EFFECTS),
    Step::Each(&[Stage::Passes(&[&EQUAL_CALLS]), Stage::Pack]),
    Step::All(&CANDIDATES),
    Step::Each(&[Stage::Passes(&[&EVALUATE, &INLINE]), Stage::Pack]),
    Step::All(&GLOBALS),
    Step::All(&ARGUMENTS),
    Step::All(&DROP_UNCALLED),
    Step::All(&CALL_RANGES),
    Step::All(&POINTS_TO),
    Step::Each(&[Stage::Passes(OPTIMISE), Stage::Canonical, Stage::Code]),
    Step::All(&DROP_UNUSED),
];

/// Passes that bring addresses into a form that machines have for nothing, and that the interpreter has not: it takes a subscript
/// with the access, and a pointer that moves on is one instruction more. With them, `run -O2` took 1.5 times the time of `run` on
/// products of matrices and in an interpreter's loop, and without, the same.
pub const FOR_MACHINES: [&str; 3] = [STRENGTH.name, POST_INCREMENT.name, ADDRESSES.name];

/// The runtime library: most of it is not needed by a given program, and what is not is not worked on.
pub const LIBRARY: &[Step] = &[
    Step::Each(&[Stage::Make]),
    // In front of the barrier, which renumbers globals: what has been seen of functions has their old numbers.
    Step::Summary(&EFFECTS),
    Step::All(&DROP_UNUSED),
    Step::Each(&[Stage::Passes(CLEAN), Stage::Canonical, Stage::Code]),
    Step::All(&DROP_UNUSED),
];

/// The first run of one pass comes before the last run of another.
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
        first: "inline",
        then: "mem2reg",
        reason: "what a callee gets by its address may be a variable after all",
    },
    Constraint {
        first: "inline",
        then: "globals",
        reason: "once what is called once stands in main, more globals are named there only",
    },
    Constraint { first: "evaluate", then: "inline", reason: "a call whose result is known needs no copy" },
    Constraint { first: "inline", then: "arguments", reason: "copies know their arguments" },
    Constraint { first: "drop_uncalled", then: "call_ranges", reason: "what nothing calls passes nothing" },
    Constraint { first: "drop_uncalled", then: "points_to", reason: "what nothing calls passes nothing" },
    Constraint { first: "call_ranges", then: "ranges", reason: "it asks for them" },
    Constraint { first: "arguments", then: "dce", reason: "what led to arguments and results goes" },
    Constraint { first: "globals", then: "mem2reg", reason: "some become variables" },
    Constraint {
        first: "equal_calls",
        then: "inline",
        reason: "two copies of a loop are not known to be equal",
    },
    Constraint {
        first: "modular_product",
        then: "tail_calls",
        reason: "it looks at one way through the body for each case",
    },
    Constraint {
        first: "modular_product",
        then: "result_tables",
        reason: "it looks at one way through the body for each case",
    },
    Constraint {
        first: "result_tables",
        then: "tail_calls",
        reason: "of two calls the second one may be in the place of a loop",
    },
    Constraint { first: "tail_calls", then: "inline", reason: "what does not recur any more may be copied" },
    Constraint { first: "reassociate", then: "gvn_memory", reason: "sums that are made alike are equal" },
    Constraint {
        first: "rotate",
        then: "licm",
        reason: "what stands behind a test at the top of a loop is not executed for certain",
    },
    Constraint {
        first: "rotate",
        then: "implied",
        reason: "the test in front of a loop decides those of the loops inside",
    },
    Constraint {
        first: "promote",
        then: "idempotent_loops",
        reason: "what is added up in memory is a phi then",
    },
    Constraint { first: "promote", then: "ranges", reason: "of what is in memory no range is known" },
    Constraint {
        first: "promote",
        then: "unroll_and_jam",
        reason: "what the inner loop adds up in memory is a phi then",
    },
    Constraint {
        first: "rotate",
        then: "loop_peel",
        reason: "a copy of a round ends with the test for the next one",
    },
    Constraint {
        first: "loop_peel",
        then: "gvn_memory",
        reason: "what both ways of a branch load is one load then",
    },
    Constraint { first: "implied", then: "loop_fusion", reason: "one guard is asked in front of both loops" },
    Constraint {
        first: "memory_loops",
        then: "loop_fusion",
        reason: "filling and copying is faster by itself",
    },
    Constraint {
        first: "loop_fusion",
        then: "unroll_and_jam",
        reason: "it looks for one loop inside of a loop",
    },
    Constraint {
        first: "loop_fusion",
        then: "gvn_unrolled",
        reason: "what the first loop stores the second one loads",
    },
    Constraint {
        first: "promote",
        then: "loop_interchange",
        reason: "sums that stay in a register over the inner loop are what unroll_and_jam is for",
    },
    Constraint {
        first: "loop_interchange",
        then: "loop_load_elim",
        reason: "a value that is kept for the next round of an inner loop keeps the loops in their order",
    },
    Constraint {
        first: "split_loops",
        then: "loop_interchange",
        reason: "what guards an inner loop stands in front of the nest",
    },
    Constraint {
        first: "loop_interchange",
        then: "memory_loops",
        reason: "a matrix that is filled column by column is filled row by row",
    },
    Constraint {
        first: "loop_interchange",
        then: "unroll_and_jam",
        reason: "which loop is innermost decides what rounds have in common",
    },
    Constraint { first: "unroll_and_jam", then: "strength", reason: "neighbours have one pointer" },
    Constraint {
        first: "unroll_and_jam",
        then: "loop_vectorize",
        reason: "what rounds have in common is loaded once, and it does not take loops with vectors",
    },
    Constraint {
        first: "memory_loops",
        then: "loop_vectorize",
        reason: "what fills or copies memory is a call for the C library's vectors",
    },
    Constraint {
        first: "promote",
        then: "loop_vectorize",
        reason: "what is added up in memory is a phi then",
    },
    Constraint {
        first: "loop_vectorize",
        then: "strength",
        reason: "counters and subscripts are looked at, not pointers",
    },
    Constraint {
        first: "unroll_and_jam",
        then: "slp_vectorize",
        reason: "rounds that go together have sums side by side",
    },
    Constraint {
        first: "loop_vectorize",
        then: "slp_vectorize",
        reason: "rounds in lanes leave fewer of them, and take sums in any number",
    },
    Constraint { first: "slp_vectorize", then: "strength", reason: "subscripts are looked at, not pointers" },
    Constraint { first: "loop_vectorize", then: "unroll", reason: "a round is one, not several" },
    Constraint {
        first: "licm",
        then: "strength",
        reason: "what is computed in front of a loop is a part of a form",
    },
    Constraint { first: "strength", then: "unroll", reason: "the pointers of copies are offsets of one" },
    Constraint {
        first: "rotate",
        then: "unroll_all",
        reason: "the test that counts is at the end of a round",
    },
    Constraint {
        first: "unroll_all",
        then: "split_arrays",
        reason: "subscripts of local arrays are known in each round",
    },
    Constraint { first: "unroll", then: "gvn_unrolled", reason: "rounds have loads in common" },
    Constraint {
        first: "rotate",
        then: "sink_equal",
        reason: "the ways back to the test at the end of a round meet in front of it",
    },
    Constraint { first: "sink_equal", then: "strength", reason: "an induction variable has one step" },
    Constraint { first: "unroll", then: "neighbours", reason: "neighbours are a round apart" },
    Constraint {
        first: "neighbours",
        then: "post_increment",
        reason: "a pointer moves on behind its last access",
    },
    Constraint {
        first: "gvn",
        then: "post_increment",
        reason: "value numbering would merge a step with an equal value",
    },
    Constraint {
        first: "gvn_unrolled",
        then: "post_increment",
        reason: "value numbering would merge a step with an equal value",
    },
    Constraint {
        first: "strength",
        then: "expand",
        reason: "a product is a factor of a form, its parts are not",
    },
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
        first: "simplify",
        then: "expand",
        reason: "the rules see products and quotients, not their parts",
    },
    Constraint { first: "expand", then: "gvn", reason: "quotients by one divisor have parts in common" },
    Constraint {
        first: "dce",
        then: "drop_unused",
        reason: "a function is unused once the last call that matters is gone",
    },
    Constraint {
        first: "rotate",
        then: "gvn_memory",
        reason: "what is loaded in front of a loop that tests last is known where it is left",
    },
    Constraint {
        first: "gvn_memory",
        then: "dead_stores",
        reason: "a store is dead once what was loaded behind it is known",
    },
    Constraint {
        first: "licm",
        then: "split_loops",
        reason: "what a condition compares with does not change if it is computed in front of the loop",
    },
    Constraint { first: "range_checks", then: "if_to_switch", reason: "it asks for ranges" },
    Constraint {
        first: "unroll",
        then: "if_to_switch",
        reason: "passes over loops know branches, and not switches",
    },
    Constraint {
        first: "if_to_switch",
        then: "if_convert",
        reason: "what chooses numbers by an integer is a table there, and branches here",
    },
    Constraint {
        first: "unroll",
        then: "if_convert",
        reason: "passes over loops know branches, and choose themselves",
    },
    Constraint {
        first: "unroll",
        then: "balance_sums",
        reason: "a round of what was unrolled has several terms",
    },
    Constraint { first: "if_convert", then: "balance_sums", reason: "rounds with choices are one block" },
    Constraint { first: "if_convert", then: "common_sums", reason: "rounds with choices are one block" },
    Constraint {
        first: "gvn_unrolled",
        then: "common_sums",
        reason: "what rounds load twice is one term of their sums then",
    },
    Constraint {
        first: "common_sums",
        then: "balance_sums",
        reason: "it takes sums apart that are not pairs any more behind that",
    },
    Constraint { first: "ranges", then: "split_loops", reason: "no copies for conditions that are known" },
    Constraint { first: "split_loops", then: "finish_loops", reason: "a part of a loop may do nothing" },
    Constraint {
        first: "tail_calls",
        then: "base_cases",
        reason: "a call that becomes a loop needs no copy of what the loop begins with",
    },
    Constraint { first: "inline", then: "base_cases", reason: "copies of the function call it, too" },
    Constraint {
        first: "memory_loops",
        then: "finish_loops",
        reason: "a loop that only filled or copied memory does nothing any more",
    },
    Constraint {
        first: "split_loops",
        then: "memory_loops",
        reason: "a part of a loop may only fill memory",
    },
    Constraint {
        first: "loop_load_elim",
        then: "strength",
        reason: "subscripts of different rounds are compared, not pointers",
    },
    Constraint { first: "loop_load_pre", then: "strength", reason: "indices are compared, not pointers" },
    Constraint { first: "simplify", then: "constant_arrays", reason: "what is stored has to be a number" },
    Constraint { first: "split_arrays", then: "mem2reg", reason: "elements of their own are variables" },
    Constraint { first: "gvn_memory", then: "dce", reason: "stores are dead once the loads were replaced" },
    Constraint { first: "gvn", then: "sink", reason: "equal values would go back up" },
    Constraint { first: "gvn", then: "dce", reason: "stores are dead once the loads were replaced" },
];

/// The plan of a level.
pub fn plan(level: Level) -> &'static [Step] {
    match level {
        Level::O0 => O0,
        Level::O1 => O1,
        Level::O2 | Level::O3 | Level::Os | Level::Oz => O2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::opt::run::manager::{Options, function_passes, run_on_module};
    use crate::opt::run::testing;

    /// The names of the passes of a plan, in order.
    fn names(plan: &[Step]) -> Vec<&'static str> {
        let mut names = Vec::new();
        for step in plan {
            match step {
                Step::Each(_) => {
                    names.extend(function_passes(std::slice::from_ref(step)).map(|pass| pass.name))
                }
                Step::All(pass) => names.push(pass.name),
                Step::Summary(_) => {}
            }
        }
        names
    }

    #[test]
    fn names_are_unique_and_every_pass_of_a_plan_is_listed() {
        let listed: Vec<&str> = passes().map(|(name, _)| name).collect();
        for plan in [O0, O1, O2, LIBRARY] {
            assert!(names(plan).iter().all(|name| listed.contains(name)));
        }
        let mut sorted = listed.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), listed.len());
    }

    /// Numbers of globals in what has been seen of functions are those of before a barrier that changes them.
    #[test]
    fn nothing_is_summed_up_behind_a_barrier_that_renumbers_before_functions_are_looked_at_again() {
        for plan in [O0, O1, O2, LIBRARY] {
            let is_each = |step: &Step| matches!(step, Step::Each(_));
            let renumbers = |step: &Step| matches!(step, Step::All(pass) if pass.renumbers);
            for (k, _) in plan.iter().enumerate().filter(|(_, step)| renumbers(step)) {
                assert!(plan.get(k + 1).is_none_or(is_each), "step {}", k + 1);
            }
        }
    }

    #[test]
    fn every_plan_obeys_the_constraints() {
        for level in Level::ALL {
            let names = names(plan(level));
            let first = |wanted: &str| names.iter().position(|&name| name == wanted);
            let last = |wanted: &str| names.iter().rposition(|&name| name == wanted);
            for c in CONSTRAINTS {
                assert!(
                    passes().any(|(name, _)| name == c.first) && passes().any(|(name, _)| name == c.then)
                );
                if let (Some(first), Some(then)) = (first(c.first), last(c.then)) {
                    assert!(first < then, "{level:?}: {} before {}: {}", c.first, c.then, c.reason);
                }
            }
        }
    }

    #[test]
    fn a_name_that_is_no_pass_is_told() {
        let options = Options { disable: vec!["all".into(), "mem2reg".into()], ..Options::default() };
        assert_eq!(options.unknown_pass(|_| false), None);
        let options = Options { stop_after: Some("mem2rag".into()), ..options };
        assert_eq!(options.unknown_pass(|_| false), Some("mem2rag"));
    }

    #[test]
    fn an_empty_module_goes_through_every_level() {
        let mut module = testing::module();
        module.bodies.clear();
        let report = run_on_module(&mut module, plan(Level::O3), &Options::default(), &Workers::new(2));
        assert!(report.is_ok_and(|report| report.dump.is_empty()));
    }
}
