//! Random graphs for the tests of graph algorithms.

use super::Graph;
use crate::base::{Column, Handle};

/// The seeds that every random test runs.
pub(crate) fn seeds() -> std::ops::Range<u32> {
    0..400
}

/// A repeatable source of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u32) -> Random {
        Random((u64::from(seed) * 2 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

crate::handle! { pub(crate) struct Node("n"); }

/// A graph in lists; node 0 is the root.
#[derive(Default)]
pub(crate) struct Digraph {
    succs: Column<Node, Vec<Node>>,
    preds: Column<Node, Vec<Node>>,
}

impl Digraph {
    pub(crate) fn new(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Digraph {
        let mut g =
            Digraph { succs: Column::filled(nodes, Vec::new()), preds: Column::filled(nodes, Vec::new()) };
        for (from, to) in edges.map(|(from, to)| (Node::new(from), Node::new(to))) {
            g.succs[from].push(to);
            g.preds[to].push(from);
        }
        g
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        self.succs.keys()
    }

    /// What is reached from a node on paths that do not touch `avoid`.
    pub(crate) fn reached_without(&self, from: Node, avoid: Option<Node>) -> Vec<Node> {
        let mut seen: Vec<Node> = Some(from).into_iter().filter(|&b| Some(b) != avoid).collect();
        let mut k = 0;
        while k < seen.len() {
            for &to in &self.succs[seen[k]] {
                if Some(to) != avoid && !seen.contains(&to) {
                    seen.push(to);
                }
            }
            k += 1;
        }
        seen
    }
}

impl Graph for Digraph {
    type Node = Node;

    fn node_count(&self) -> usize {
        self.succs.len()
    }

    fn root(&self) -> Option<Node> {
        self.succs.keys().next()
    }

    fn successors(&self, node: Node) -> impl DoubleEndedIterator<Item = Node> {
        self.succs[node].iter().copied()
    }

    fn predecessors(&self, node: Node) -> impl Iterator<Item = Node> {
        self.preds[node].iter().copied()
    }
}

/// 1 to `most` nodes with at most two edges out of each: cycles of every kind, unreachable nodes, parallel
/// edges. None goes back to the root.
pub(crate) fn random_graph(seed: u32, most: usize) -> Digraph {
    let mut random = Random::new(seed);
    let n = 1 + random.below(most);
    let mut edges = Vec::new();
    for from in (0..n).filter(|_| n > 1) {
        let mut target = || 1 + random.below(n - 1);
        let (yes, no) = (target(), target());
        match random.below(8) {
            0 => {}
            1..4 => edges.push((from, yes)),
            _ => edges.extend([(from, yes), (from, no)]),
        }
    }
    Digraph::new(n, edges.into_iter())
}
