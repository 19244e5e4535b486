//! Facts about bodies that passes and backends read: computed from the tables, never stored in them.
//!
//! | file | holds |
//! | --- | --- |
//! | `order` | reverse postorder of the reachable blocks |
//! | `dominators` | the dominator tree, with O(1) queries |
//! | `frontiers` | iterated dominance frontiers in linear space |
//! | `loops` | the loop forest |
//! | `frequency` | how often blocks run, guessed |
//! | `liveness` | what is live at the ends of blocks |
//! | `effects` | what calling a function can do |
//! | `rows` | many lists in two vectors |
//!
//! Every analysis is a struct of columns with `compute(&mut self, &Body, ...)`, which keeps the memory of the
//! last body; `opt::Analyses` caches them. All are near-linear and none recurses.

pub mod dominators;
pub mod effects;
pub mod frequency;
pub mod frontiers;
pub mod liveness;
pub mod loops;
pub mod order;
pub mod rows;

#[cfg(test)]
pub(crate) mod random;

pub use dominators::Dominators;
pub use effects::Effects;
pub use frequency::Frequencies;
pub use frontiers::{FrontierScratch, Frontiers};
pub use liveness::Liveness;
pub use loops::{Loop, Loops};
pub use order::Order;
pub use rows::Rows;
