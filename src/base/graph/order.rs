//! Reverse postorder of the nodes that the root reaches: every node stands before its successors but for
//! retreating edges. O(nodes + edges), with an explicit stack.

use super::Graph;
use crate::base::{Column, Handle};

/// The order, both ways.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order<N: Handle> {
    /// The reachable nodes in reverse postorder; the root is first.
    pub blocks: Vec<N>,
    /// Per node: its place in `blocks`, or `UNREACHABLE`.
    pub position: Column<N, u32>,
}

/// `Order::position` of a node that the root does not reach.
pub const UNREACHABLE: u32 = u32::MAX;

impl<N: Handle> Order<N> {
    /// Recomputes for `g`, keeping the memory. Of two successors the second is walked first, so that where
    /// nothing else decides, the first stands before it.
    pub fn compute<G: Graph<Node = N>>(&mut self, g: &G) {
        self.blocks.clear();
        self.position.reset(g.node_count(), UNREACHABLE);
        let Some(root) = g.root() else { return };
        // Nodes to walk, and, negated, those to put when all that stood above them is done. A node gets any
        // other position when it is first walked; until then it may be on the stack several times.
        let mut stack = Vec::with_capacity(64);
        stack.push(root.index() as i32);
        while let Some(next) = stack.pop() {
            if next < 0 {
                self.blocks.push(N::new(!next as usize));
                continue;
            }
            let b = N::new(next as usize);
            if self.position[b] == UNREACHABLE {
                self.position[b] = 0;
                stack.push(!next);
                stack.extend(g.successors(b).map(|to| to.index() as i32));
            }
        }
        self.blocks.reverse();
        for (k, &b) in self.blocks.iter().enumerate() {
            self.position[b] = k as u32;
        }
    }

    /// True if the root reaches the node.
    #[inline]
    pub fn reaches(&self, b: N) -> bool {
        self.position.get(b).is_some_and(|&position| position != UNREACHABLE)
    }

    /// True if going from `from` to `to` does not go forward in the order.
    #[inline]
    pub fn is_retreating(&self, from: N, to: N) -> bool {
        self.position[from] >= self.position[to]
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Digraph, Node, random_graph, seeds};
    use super::*;

    #[test]
    fn forward_edges_go_forward_and_every_retreating_edge_closes_a_cycle() {
        for seed in seeds() {
            let g = random_graph(seed, 12);
            let mut order = Order::default();
            order.compute(&g);
            assert_eq!(order.blocks.first().copied(), g.root());
            for &b in &order.blocks {
                for to in g.successors(b) {
                    assert!(order.reaches(to));
                    assert!(!order.is_retreating(b, to) || path(&g, to, b), "{b:?} to {to:?}");
                }
            }
            for b in (0..g.node_count()).map(Node::new) {
                assert_eq!(order.reaches(b), path(&g, g.root().unwrap(), b));
            }
        }
    }

    fn path(g: &Digraph, from: Node, to: Node) -> bool {
        g.reached_without(from, None).contains(&to)
    }
}
