//! Graph algorithms over any graph whose nodes are handles: the blocks of IR, those of machine IR, functions
//! that call.
//!
//! | file | holds |
//! | --- | --- |
//! | `order` | reverse postorder of what the root reaches |
//! | `dominators` | the dominator tree, with O(1) queries |
//! | `frontiers` | iterated dominance frontiers in linear space |
//! | `loops` | the loop forest |
//! | `components` | strongly connected components, callees first |
//! | `liveness` | nodes into which a value is live |
//!
//! Every result is a struct of columns with `compute(&mut self, &graph, ...)`, which keeps the memory of the
//! last graph. All are near-linear, and none recurses. They are compiled for each type of graph.

pub mod components;
pub mod dominators;
pub mod frontiers;
pub mod liveness;
pub mod loops;
pub mod order;

#[cfg(test)]
pub(crate) mod random;

pub use components::Components;
pub use dominators::Dominators;
pub use frontiers::{FrontierScratch, Frontiers};
pub use liveness::live_into;
pub use loops::{Loop, Loops};
pub use order::Order;

use super::Handle;

/// A directed graph with a root. Edges may be parallel.
pub trait Graph {
    /// What names a node.
    type Node: Handle + Default;

    /// Number of node rows, those of removed nodes included: the size of side columns.
    fn node_count(&self) -> usize;

    /// Where walks begin; none in an empty graph.
    fn root(&self) -> Option<Self::Node>;

    /// Where the edges that leave a node go. Of several the last one is walked first, and so comes later in a
    /// reverse postorder.
    fn successors(&self, node: Self::Node) -> impl DoubleEndedIterator<Item = Self::Node>;

    /// Where the edges that enter a node come from, unreachable nodes among them.
    fn predecessors(&self, node: Self::Node) -> impl Iterator<Item = Self::Node>;
}
