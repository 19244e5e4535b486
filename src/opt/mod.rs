//! Passes over the IR, and what runs them, in rooms of what they are about.
//!
//! | room | holds | may name |
//! | --- | --- | --- |
//! | `run/` | the frame: rows, facts, plans, the manager, edits of the CFG | no pass, but in `pipeline` |
//! | `rules/` | rewrite rules as data, with their proofs | `run/` |
//! | `values/` | what is computed, and in what form | `run/`, `rules/` |
//! | `memory/` | variables, arrays and stores outside of loops | |
//! | `flow/` | branches, blocks and choices outside of loops | |
//! | `loops/` | loops | |
//! | `calls/` | calls, recursion, arguments, globals: the program | |
//!
//! What passes of one room take from another is in a table with a reason each (`tests/layers.rs`).

pub mod calls;
pub mod flow;
pub mod loops;
pub mod memory;
pub mod rules;
pub mod run;
pub mod values;

#[cfg(test)]
mod fuzz;

pub use run::analyses::{Analyses, AnalysisSet};
pub use run::manager::{Options, Report};
pub use run::pass::{FuncCx, FuncPass, ModulePass, Outcome, PassError};
pub use run::pipeline::{Level, passes};
pub use run::switches::{SWITCHES, Switch, TELLERS};
