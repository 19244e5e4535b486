//! Control-flow edges. An edge knows the slot it has in its target's predecessor array, and operand `slot` of
//! every phi of the target belongs to it. Knows nothing of instructions: `Body` keeps phis in step.

use super::{Block, Edge};
use crate::base::{Column, Handle, List, ListPool};

/// One edge: 12 bytes.
#[derive(Copy, Clone, Debug)]
pub(super) struct EdgeRow {
    pub(super) from: Block,
    pub(super) to: Block,
    /// Position in the predecessor array of `to`; `UNLINKED` for an edge that is not in the graph.
    pub(super) slot: u32,
}

/// `EdgeRow::slot` of an edge that was taken out.
pub(super) const UNLINKED: u32 = u32::MAX;

/// The edges of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct Cfg {
    pub(super) edges: Column<Edge, EdgeRow>,
    preds: Column<Block, List>,
    pool: ListPool<Edge>,
}

/// In a slot that `enter` has still to fill.
fn no_edge() -> Edge {
    Edge::new(u32::MAX as usize - 1)
}

impl Cfg {
    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.edges.clear();
        self.preds.clear();
        self.pool.forget_all();
    }

    pub(super) fn push_block(&mut self) {
        self.preds.push(List::EMPTY);
    }

    /// A block that so many edges will enter.
    pub(super) fn push_entered_block(&mut self, count: usize) {
        self.preds.push(self.pool.filled(count, no_edge()));
    }

    /// Puts an edge into the slot that its row names, if that is there and empty.
    pub(super) fn enter(&mut self, edge: Edge) -> Option<()> {
        let EdgeRow { to, slot, .. } = self.edges[edge];
        let place = self.pool.get_mut(*self.preds.get(to)?).get_mut(slot as usize)?;
        (std::mem::replace(place, edge) == no_edge()).then_some(())
    }

    #[inline]
    pub(super) fn preds(&self, block: Block) -> &[Edge] {
        self.pool.get(self.preds[block])
    }

    pub(super) fn new_edge(&mut self, from: Block, to: Block) -> Edge {
        self.edges.push(EdgeRow { from, to, slot: UNLINKED })
    }

    /// Appends the edge to its target's predecessors; returns its slot.
    pub(super) fn link(&mut self, edge: Edge, to: Block) -> usize {
        let slot = self.preds[to].len();
        self.pool.push(&mut self.preds[to], edge);
        self.edges[edge].to = to;
        self.edges[edge].slot = slot as u32;
        slot
    }

    /// Takes the edge out of its target's predecessors; the last one moves to its slot, which is returned.
    pub(super) fn unlink(&mut self, edge: Edge) -> usize {
        let EdgeRow { to, slot, .. } = self.edges[edge];
        self.pool.swap_remove(&mut self.preds[to], slot as usize);
        if let Some(&moved) = self.pool.get(self.preds[to]).get(slot as usize) {
            self.edges[moved].slot = slot;
        }
        self.edges[edge].slot = UNLINKED;
        slot as usize
    }

    /// Gives `edge`'s slot in its target to `new`, an unlinked edge; `edge` is unlinked then.
    pub(super) fn hand_over(&mut self, edge: Edge, new: Edge) {
        let EdgeRow { to, slot, .. } = self.edges[edge];
        self.pool.get_mut(self.preds[to])[slot as usize] = new;
        self.edges[new].to = to;
        self.edges[new].slot = slot;
        self.edges[edge].slot = UNLINKED;
    }
}
