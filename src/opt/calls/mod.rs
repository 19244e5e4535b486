//! Passes about functions and the program: calls, recursion, arguments, globals. One pass or summary a file.

pub mod arguments;
pub mod base_cases;
pub mod call_ranges;
pub mod candidates;
pub mod drop_unused;
pub mod effects;
pub mod equal_calls;
pub mod evaluate;
pub mod globals;
pub mod inline;
pub mod modular_product;
pub mod points_to;
pub mod result_tables;
pub mod sibling_calls;
pub mod tail_calls;

use crate::ir::{Body, Flags, Op};

/// True if a function has calls that have to be jumps, behind which nothing may be computed. O(instructions).
fn has_jumps(f: &Body) -> bool {
    f.ops().any(|(i, op)| op == Op::Call && f.flags(i).has(Flags::MUST_TAIL))
}
