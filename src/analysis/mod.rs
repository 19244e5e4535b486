//! Facts about bodies that passes and backends read: computed from the tables, never stored in them.
//!
//! Orders, dominators, frontiers and loops are those of `base/graph`, with blocks for nodes. Here is what
//! knows of IR:
//!
//! | file | holds |
//! | --- | --- |
//! | `conditions` | what branches above a block say of values |
//! | `simple_loop` | the record of a loop with a preheader and one latch |
//! | `trips` | what tests of loops count, and how often loops go round |
//! | `sum` | what instructions are sums of |
//! | `evolution` | scalar evolution: values as sums over the rounds of loops |
//! | `dependence` | whether two accesses in a nest of loops may meet, and in which rounds |
//! | `effects` | what calling a function can do |
//! | `alias` | whether two accesses of memory may overlap |
//! | `memory` | what an address leads to |
//! | `frequency` | how often blocks are executed, where a profile says it |
//! | `magic` | products and quotients by constants, as numbers |
//! | `range` | intervals of integers, and what operations make of them |
//! | `ranges` | the range of every integer of a body |
//! | `call_ranges` | those of arguments and results over all calls |
//! | `target` | what the machine can do, and what it costs |
//!
//! Every analysis is a struct of columns with `compute(&mut self, &Body, ...)`, which keeps the memory of the
//! last body; `opt::Analyses` caches them. All are near-linear and none recurses.

pub mod alias;
pub mod call_ranges;
pub mod conditions;
pub mod dependence;
pub mod effects;
pub mod evolution;
pub mod frequency;
pub mod magic;
pub mod memory;
pub mod names;
pub mod range;
pub mod ranges;
pub mod simple_loop;
pub mod sum;
pub mod target;
pub mod trips;

#[cfg(test)]
pub(crate) mod random;

use crate::base::graph::{self, Graph};
use crate::ir::{Block, Body};

pub use effects::Effects;
pub use evolution::Evolution;
pub use target::TargetFacts;

/// Reverse postorder of blocks.
pub type Order = graph::Order<Block>;
/// The dominator tree of a body.
pub type Dominators = graph::Dominators<Block>;
/// Iterated dominance frontiers of a body.
pub type Frontiers = graph::Frontiers<Block>;
/// The loop forest of a body.
pub type Loops = graph::Loops<Block>;

impl Graph for Body {
    type Node = Block;

    fn node_count(&self) -> usize {
        self.block_count()
    }

    fn root(&self) -> Option<Block> {
        self.entry()
    }

    #[inline(always)]
    fn successors(&self, b: Block) -> impl DoubleEndedIterator<Item = Block> {
        self.succs(b).map(|e| self.edge_to(e))
    }

    #[inline(always)]
    fn predecessors(&self, b: Block) -> impl Iterator<Item = Block> {
        self.preds(b).iter().map(|&e| self.edge_from(e))
    }
}

/// Blocks that stand in the body and cannot be reached, in layout order.
pub fn unreachable_blocks(f: &Body, order: &Order) -> Vec<Block> {
    if f.placed_blocks() == order.blocks.len() {
        return Vec::new();
    }
    f.blocks().filter(|&b| !order.reaches(b)).collect()
}
