//! Passes over the IR, and what runs them.
//!
//! | file | holds |
//! | --- | --- |
//! | `pass` | what a pass is |
//! | `analyses` | the cache of the analyses of a body |
//! | `facts` | what is known of a program, and seen of a function: stores by type |
//! | `edit` | changes of the CFG that keep analyses |
//! | `asked` | what is asked of passes, and what they tell |
//! | `manager` | runs stages of passes, and all that comes for free with every pass |
//! | `changes` | what passes have changed of a body |
//! | `counted` | what the tests of loops count |
//! | `firsts` | what values are in the first round of a loop |
//! | `rounds` | copies of the rounds of a loop |
//! | `told` | what is said about loops |
//! | `pipeline` | which passes run at which level, and why in this order |
//! | all others | one pass each |

pub mod addresses;
pub mod alone;
pub mod analyses;
pub mod arguments;
pub mod asked;
pub mod base_cases;
pub mod branch_selects;
pub mod call_ranges;
pub mod candidates;
pub mod canonical_loops;
pub mod carry;
pub mod changes;
pub mod constant_arrays;
pub mod counted;
pub mod dce;
pub mod dead_stores;
pub mod drop_unused;
pub mod edit;
pub mod effects;
pub mod equal_calls;
pub mod evaluate;
pub mod expand;
pub mod facts;
pub mod finish_loops;
pub mod firsts;
pub mod globals;
pub mod gvn;
pub mod implied;
pub mod inline;
pub mod licm;
pub mod manager;
pub mod mem2reg;
pub mod memory_loops;
pub mod modular_product;
pub mod pass;
pub mod pipeline;
pub mod promote;
pub mod ranges;
pub mod reassociate;
pub mod result_tables;
pub mod rotate;
pub mod rounds;
pub mod rules;
pub mod sccp;
pub mod simplify;
pub mod simplify_cfg;
pub mod sink_compares;
pub mod sink_equal;
pub mod split_arrays;
pub mod split_loops;
pub mod steps;
pub mod strength;
pub mod tail_calls;
mod told;
pub mod unroll;
pub mod unroll_all;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod testing;

/// The passes that say what they do (`ir/remarks`), and the allocator.
pub const TELLERS: [&str; 11] = [
    "inline",
    "evaluate",
    "tail_calls",
    "licm",
    "promote",
    "memory_loops",
    "finish_loops",
    "split_loops",
    "unroll_all",
    "unroll",
    "allocate",
];

pub use analyses::{Analyses, AnalysisSet};
pub use manager::{Options, Report};
pub use pass::{FuncCx, FuncPass, ModulePass, Outcome, PassError};
pub use pipeline::{Level, passes};
