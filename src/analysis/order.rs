//! Reverse postorder of the blocks that the entry reaches: every block stands before its successors but for
//! retreating edges. O(blocks + edges), with an explicit stack.

use crate::base::{Column, Handle};
use crate::ir::{Block, Body};

/// The order, both ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The reachable blocks in reverse postorder; the entry is first.
    pub blocks: Vec<Block>,
    /// Per block: its place in `blocks`, or `UNREACHABLE`.
    pub position: Column<Block, u32>,
}

/// `Order::position` of a block that the entry does not reach.
pub const UNREACHABLE: u32 = u32::MAX;

impl Order {
    /// Recomputes for `f`, keeping the memory. Of two successors the second is walked first, so that where
    /// nothing else decides, the code for true stands before the code for false.
    pub fn compute(&mut self, f: &Body) {
        self.blocks.clear();
        self.position.reset(f.block_count(), UNREACHABLE);
        let Some(entry) = f.entry() else { return };
        // Blocks to walk, and, negated, those to put when all that stood above them is done. A block gets any other position
        // when it is first walked; until then it may be on the stack several times.
        let mut stack = Vec::with_capacity(64);
        stack.push(entry.index() as i32);
        while let Some(next) = stack.pop() {
            if next < 0 {
                self.blocks.push(Block::new(!next as usize));
                continue;
            }
            let b = Block::new(next as usize);
            if self.position[b] == UNREACHABLE {
                self.position[b] = 0;
                stack.push(!next);
                stack.extend(f.succs(b).map(|e| f.edge_to(e).index() as i32));
            }
        }
        self.blocks.reverse();
        for (k, &b) in self.blocks.iter().enumerate() {
            self.position[b] = k as u32;
        }
    }

    /// True if the entry reaches the block.
    #[inline]
    pub fn reaches(&self, b: Block) -> bool {
        self.position.get(b).is_some_and(|&position| position != UNREACHABLE)
    }

    /// True if going from `from` to `to` does not go forward in the order.
    #[inline]
    pub fn is_retreating(&self, from: Block, to: Block) -> bool {
        self.position[from] >= self.position[to]
    }

    /// Blocks that stand in the body and cannot be reached, in layout order.
    pub fn unreachable_blocks(&self, f: &Body) -> Vec<Block> {
        if f.block_count() == self.blocks.len() {
            return Vec::new();
        }
        f.blocks().filter(|&b| !self.reaches(b)).collect()
    }
}

/// The first block that the order reaches, for analyses that need a root: position 0.
pub(super) const ROOT: usize = 0;

#[cfg(test)]
mod tests {
    use super::super::random::{random_body, seeds};
    use super::*;

    #[test]
    fn forward_edges_go_forward_and_every_retreating_edge_closes_a_cycle() {
        for seed in seeds() {
            let f = random_body(seed, 12);
            let mut order = Order::default();
            order.compute(&f);
            assert_eq!(order.blocks.first().copied(), f.entry());
            for &b in &order.blocks {
                for e in f.succs(b) {
                    let to = f.edge_to(e);
                    assert!(order.reaches(to));
                    assert!(!order.is_retreating(b, to) || path(&f, to, b), "{b:?} to {to:?}");
                }
            }
            let dead = order.unreachable_blocks(&f);
            assert_eq!(dead.len() + order.blocks.len(), f.blocks().count());
            assert!(dead.iter().all(|&b| !path(&f, f.entry().unwrap(), b)));
        }
    }

    fn path(f: &Body, from: Block, to: Block) -> bool {
        let mut seen = vec![from];
        let mut k = 0;
        while k < seen.len() {
            for e in f.succs(seen[k]) {
                if !seen.contains(&f.edge_to(e)) {
                    seen.push(f.edge_to(e));
                }
            }
            k += 1;
        }
        seen.contains(&to)
    }
}
