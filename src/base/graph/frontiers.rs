//! Iterated dominance frontiers: where the phis of a variable go, given the blocks that define it.
//!
//! Dominance frontiers can be quadratic in size, so they are not stored. A *join edge* is a control-flow edge
//! whose target is not dominated by its source; the frontier of `b` is the targets, at `b`'s level of the
//! dominator tree or above it, of the join edges that leave `b`'s subtree. The tree is cut into zones: a
//! *boundary* block holds the list of its whole frontier, and a query walks the subtree of its node only down
//! to the next boundaries. With zones of a size in proportion to their frontiers, the lists take O(join
//! edges), and a query O(its answer) on chains of blocks. Queries of one variable go from the deepest block
//! up, and then a block that an earlier query has walked need not be walked again, so that the worst case is
//! O(nodes + edges) a variable.
//!
//! (Pingali and Bilardi, "Optimal control dependence computation and the Roman chariots problem", 1997, for
//! the zones; Sreedhar and Gao, "A linear time algorithm for placing phi-nodes", 1995, for the order of the
//! queries.)

use super::{Dominators, Graph, Order};
use crate::base::{Column, Handle, Opt, Rows};
use std::collections::BinaryHeap;

/// The zones of a dominator tree with the frontiers of their boundaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontiers<N: Handle> {
    /// Per node: the targets of its own join edges; of a boundary, its frontier. Without doubles.
    lists: Rows<N, N>,
    /// Per node: its list is its whole frontier.
    boundary: Column<N, bool>,
}

/// What queries need, to be kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct FrontierScratch<N: Handle> {
    /// Blocks still to query: level, then number in the tree's preorder.
    queue: BinaryHeap<(u32, u32)>,
    stack: Vec<N>,
    /// Per node: the last variable for which it was walked, found, or was a definition.
    walked: Column<N, u32>,
    found: Column<N, u32>,
    defines: Column<N, u32>,
    variable: u32,
}

impl<N: Handle> Frontiers<N> {
    /// Recomputes for `g`, keeping the memory. O(nodes + edges).
    pub fn compute<G: Graph<Node = N>>(&mut self, g: &G, order: &Order<N>, dominators: &Dominators<N>) {
        let blocks = g.node_count();
        self.boundary.reset(blocks, false);
        let mut joins: Vec<(N, N)> = Vec::new();
        // Per node: join edges out of it, less those whose target it dominates immediately; then the sum over
        // its subtree, which is the length of its frontier with doubles.
        let mut length: Column<N, i32> = Column::filled(blocks, 0);
        for &b in &order.blocks {
            for to in g.successors(b) {
                if let (true, Some(parent)) = (joins_at(dominators, b, to), dominators.idom[to].get()) {
                    joins.push((b, to));
                    length[b] += 1;
                    length[parent] -= 1;
                }
            }
        }
        let mut size: Column<N, i32> = Column::filled(blocks, 0);
        for &b in dominators.preorder.iter().rev() {
            size[b] += 1;
            if size[b] > length[b] + 1 || dominators.children(b).is_empty() {
                self.boundary[b] = true;
                size[b] = 0;
            }
            if let Some(parent) = dominators.idom[b].get() {
                length[parent] += length[b];
                size[parent] += size[b];
            }
        }
        // Per node: the nearest boundary strictly above it.
        let mut next: Column<N, Opt<N>> = Column::filled(blocks, Opt::NONE);
        for &b in &dominators.preorder {
            if let Some(parent) = dominators.idom[b].get() {
                next[b] = if self.boundary[parent] { Opt::some(parent) } else { next[parent] };
            }
        }
        // Targets one after the other, so that a double is the last item of its list.
        let mut by_target: Rows<N, N> = Rows::default();
        let flipped: Vec<(N, N)> = joins.iter().map(|&(b, to)| (to, b)).collect();
        by_target.fill(blocks, &flipped);
        let mut last: Column<N, Opt<N>> = Column::filled(blocks, Opt::NONE);
        let mut pairs: Vec<(N, N)> = Vec::with_capacity(joins.len());
        for &to in &dominators.preorder {
            for &from in by_target.get(to) {
                let mut at = Some(from);
                // Up to the immediate dominator of `to`, which does not have `to` in its frontier.
                while let Some(b) = at.filter(|&b| dominators.level[b] >= dominators.level[to]) {
                    if last[b] == Opt::some(to) {
                        break;
                    }
                    last[b] = Opt::some(to);
                    pairs.push((b, to));
                    at = next[b].get();
                }
            }
        }
        self.lists.fill(blocks, &pairs);
    }

    /// Appends to `out` the iterated dominance frontier of `definitions`, which may hold doubles and
    /// unreachable blocks; in a deterministic order, without doubles. Blocks that `wanted` refuses are left
    /// out and not gone on from: refused should be what the variable is not live into.
    pub fn iterated(
        &self,
        dominators: &Dominators<N>,
        scratch: &mut FrontierScratch<N>,
        definitions: &[N],
        wanted: impl Fn(N) -> bool,
        out: &mut Vec<N>,
    ) {
        let blocks = self.boundary.len();
        if scratch.walked.len() != blocks || scratch.variable == u32::MAX {
            for column in [&mut scratch.walked, &mut scratch.found, &mut scratch.defines] {
                column.reset(blocks, 0);
            }
            scratch.variable = 0;
        }
        scratch.variable += 1;
        let variable = scratch.variable;
        let key = |b: N| (dominators.level[b], dominators.preorder_number(b));
        for &b in definitions {
            if dominators.reaches(b) && scratch.defines[b] != variable {
                scratch.defines[b] = variable;
                scratch.queue.push(key(b));
            }
        }
        while let Some((level, number)) = scratch.queue.pop() {
            let root = dominators.preorder[number as usize];
            scratch.stack.push(root);
            while let Some(b) = scratch.stack.pop() {
                if scratch.walked[b] == variable {
                    continue;
                }
                scratch.walked[b] = variable;
                for &to in self.lists.get(b) {
                    if dominators.level[to] <= level && scratch.found[to] != variable {
                        scratch.found[to] = variable;
                        if !wanted(to) {
                            continue;
                        }
                        out.push(to);
                        if scratch.defines[to] != variable {
                            scratch.queue.push(key(to));
                        }
                    }
                }
                if !self.boundary[b] {
                    scratch.stack.extend_from_slice(dominators.children(b));
                }
            }
        }
    }
}

/// True for an edge whose target its source does not dominate.
fn joins_at<N: Handle>(dominators: &Dominators<N>, from: N, to: N) -> bool {
    dominators.idom[to].get() != Some(from) && !dominators.strictly_dominates(from, to)
}

#[cfg(test)]
mod tests {
    use super::super::random::{Digraph, Node, Random, random_graph, seeds};
    use super::*;

    fn analyse(g: &Digraph) -> (Order<Node>, Dominators<Node>, Frontiers<Node>) {
        let mut all = (Order::default(), Dominators::default(), Frontiers::default());
        all.0.compute(g);
        all.1.compute(g, &all.0);
        all.2.compute(g, &all.0, &all.1);
        all
    }

    /// By the definition, to a fixed point.
    fn naive(
        g: &Digraph,
        order: &Order<Node>,
        dominators: &Dominators<Node>,
        definitions: &[Node],
    ) -> Vec<Node> {
        let mut set: Vec<Node> = definitions.iter().copied().filter(|&b| order.reaches(b)).collect();
        let mut out = Vec::new();
        let mut k = 0;
        while k < set.len() {
            for &y in &order.blocks {
                let reached =
                    g.predecessors(y).any(|from| order.reaches(from) && dominators.dominates(set[k], from));
                if reached && !dominators.strictly_dominates(set[k], y) && !out.contains(&y) {
                    out.push(y);
                    set.push(y);
                }
            }
            k += 1;
        }
        out.sort();
        out
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        let mut scratch = FrontierScratch::default();
        for seed in seeds() {
            let g = random_graph(seed, 14);
            let (order, dominators, frontiers) = analyse(&g);
            let mut random = Random::new(seed);
            for _ in 0..10 {
                let count = 1 + random.below(4);
                let definitions: Vec<Node> =
                    (0..count).map(|_| Node::new(random.below(g.node_count()))).collect();
                let mut out = Vec::new();
                frontiers.iterated(&dominators, &mut scratch, &definitions, |_| true, &mut out);
                out.sort();
                assert_eq!(out, naive(&g, &order, &dominators, &definitions), "seed {seed}: {definitions:?}");
            }
        }
    }

    #[test]
    fn nested_bottom_tested_loops_keep_the_lists_linear() {
        // 0 -> head 1 -> ... -> head n -> tail n -> ... -> tail 1, and tail k goes back to head k: frontiers
        // sum to n^2 / 2.
        let n = 2000;
        let tail = |k: usize| 2 * n + 1 - k;
        let down = (0..2 * n).map(|k| (k, k + 1));
        let back = (1..=n).map(|k| (tail(k), k));
        let (_, dominators, frontiers) = analyse(&Digraph::new(2 * n + 1, down.chain(back)));
        assert!(frontiers.lists.len() < 8 * n, "{}", frontiers.lists.len());
        let mut out = Vec::new();
        let mut scratch = FrontierScratch::default();
        frontiers.iterated(&dominators, &mut scratch, &[Node::new(n)], |_| true, &mut out);
        assert_eq!(out.len(), n);
        out.clear();
        frontiers.iterated(&dominators, &mut scratch, &[Node::new(n)], |b| b.index() > n / 2, &mut out);
        assert_eq!(out.len(), n - n / 2);
    }
}
