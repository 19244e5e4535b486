//! Iterated dominance frontiers: where the phis of a variable go, given the blocks that define it.
//!
//! Dominance frontiers can be quadratic in size, so they are not stored. A *join edge* is a control-flow edge
//! whose target is not dominated by its source; the frontier of `b` is the targets, at `b`'s level of the dominator
//! tree or above it, of the join edges that leave `b`'s subtree. The tree is cut into zones: a *boundary* block holds
//! the list of its whole frontier, and a query walks the subtree of its block only down to the next boundaries. With
//! zones of a size in proportion to their frontiers, the lists take O(join edges), and a query O(its answer) on
//! chains of blocks. Queries of one variable go from the deepest block up, and then a block that an earlier query
//! has walked need not be walked again, so that the worst case is O(blocks + edges) a variable.
//!
//! (Pingali and Bilardi, "Optimal control dependence computation and the Roman chariots problem", 1997, for the
//! zones; Sreedhar and Gao, "A linear time algorithm for placing phi-nodes", 1995, for the order of the queries.)

use super::dominators::Dominators;
use super::order::Order;
use super::rows::Rows;
use crate::base::{Column, Opt};
use crate::ir::{Block, Body};
use std::collections::BinaryHeap;

/// The zones of a dominator tree with the frontiers of their boundaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontiers {
    /// Per block: the targets of its own join edges; of a boundary, its frontier. Without doubles.
    lists: Rows<Block, Block>,
    /// Per block: its list is its whole frontier.
    boundary: Column<Block, bool>,
}

/// What queries need, to be kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct FrontierScratch {
    /// Blocks still to query: level, then number in the tree's preorder.
    queue: BinaryHeap<(u32, u32)>,
    stack: Vec<Block>,
    /// Per block: the last variable for which it was walked, found, or was a definition.
    walked: Column<Block, u32>,
    found: Column<Block, u32>,
    defines: Column<Block, u32>,
    variable: u32,
}

impl Frontiers {
    /// Recomputes for `f`, keeping the memory. O(blocks + edges).
    pub fn compute(&mut self, f: &Body, order: &Order, dominators: &Dominators) {
        let blocks = f.block_count();
        self.boundary.reset(blocks, false);
        let mut joins: Vec<(Block, Block)> = Vec::new();
        // Per block: join edges out of it, less those whose target it dominates immediately; then the sum over
        // its subtree, which is the length of its frontier with doubles.
        let mut length: Column<Block, i32> = Column::filled(blocks, 0);
        for &b in &order.blocks {
            for e in f.succs(b) {
                let to = f.edge_to(e);
                if let (true, Some(parent)) = (joins_at(dominators, b, to), dominators.idom[to].get()) {
                    joins.push((b, to));
                    length[b] += 1;
                    length[parent] -= 1;
                }
            }
        }
        let mut size: Column<Block, i32> = Column::filled(blocks, 0);
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
        // Per block: the nearest boundary strictly above it.
        let mut next: Column<Block, Opt<Block>> = Column::filled(blocks, Opt::NONE);
        for &b in &dominators.preorder {
            if let Some(parent) = dominators.idom[b].get() {
                next[b] = if self.boundary[parent] { Opt::some(parent) } else { next[parent] };
            }
        }
        // Targets one after the other, so that a double is the last item of its list.
        let mut by_target: Rows<Block, Block> = Rows::default();
        let flipped: Vec<(Block, Block)> = joins.iter().map(|&(b, to)| (to, b)).collect();
        by_target.fill(blocks, &flipped);
        let mut last: Column<Block, Opt<Block>> = Column::filled(blocks, Opt::NONE);
        let mut pairs: Vec<(Block, Block)> = Vec::with_capacity(joins.len());
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

    /// Appends to `out` the iterated dominance frontier of `definitions`, which may hold doubles and unreachable
    /// blocks; in a deterministic order, without doubles. Blocks that `wanted` refuses are left out and not gone on
    /// from: refused should be what the variable is not live into.
    pub fn iterated(
        &self,
        dominators: &Dominators,
        scratch: &mut FrontierScratch,
        definitions: &[Block],
        wanted: impl Fn(Block) -> bool,
        out: &mut Vec<Block>,
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
        let key = |b: Block| (dominators.level[b], dominators.preorder_number(b));
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
fn joins_at(dominators: &Dominators, from: Block, to: Block) -> bool {
    dominators.idom[to].get() != Some(from) && !dominators.strictly_dominates(from, to)
}

#[cfg(test)]
mod tests {
    use super::super::random::{Random, empty_body, random_body, seeds};
    use super::*;
    use crate::ir::Value;

    fn analyse(f: &Body) -> (Order, Dominators, Frontiers) {
        let mut all = (Order::default(), Dominators::default(), Frontiers::default());
        all.0.compute(f);
        all.1.compute(f, &all.0);
        all.2.compute(f, &all.0, &all.1);
        all
    }

    /// By the definition, to a fixed point.
    fn naive(f: &Body, order: &Order, dominators: &Dominators, definitions: &[Block]) -> Vec<Block> {
        let mut set: Vec<Block> = definitions.iter().copied().filter(|&b| order.reaches(b)).collect();
        let mut out = Vec::new();
        let mut k = 0;
        while k < set.len() {
            for &y in &order.blocks {
                let reached = f
                    .preds(y)
                    .iter()
                    .any(|&e| order.reaches(f.edge_from(e)) && dominators.dominates(set[k], f.edge_from(e)));
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
            let f = random_body(seed, 14);
            let (order, dominators, frontiers) = analyse(&f);
            let mut random = Random::new(seed);
            for _ in 0..10 {
                let count = 1 + random.below(4);
                let all: Vec<Block> = f.blocks().collect();
                let definitions: Vec<Block> = (0..count).map(|_| all[random.below(all.len())]).collect();
                let mut out = Vec::new();
                frontiers.iterated(&dominators, &mut scratch, &definitions, |_| true, &mut out);
                out.sort();
                assert_eq!(out, naive(&f, &order, &dominators, &definitions), "seed {seed}: {definitions:?}");
            }
        }
    }

    #[test]
    fn nested_bottom_tested_loops_keep_the_lists_linear() {
        // h1 -> h2 -> ... -> hn -> tn -> ... -> t1, and each tk goes back to hk: frontiers sum to n^2 / 2.
        let n = 2000;
        let mut f = empty_body();
        let mut blocks = |n: usize| (0..n).map(|_| f.create_block()).collect::<Vec<Block>>();
        let (entry, heads, tails) = (blocks(1)[0], blocks(n), blocks(n + 1));
        f.set_br(entry, heads[0]);
        for k in 0..n {
            f.set_br(heads[k], if k + 1 < n { heads[k + 1] } else { tails[n - 1] });
            f.set_cond_br(tails[k], Value::bool(true), heads[k], if k > 0 { tails[k - 1] } else { tails[n] });
        }
        f.set_ret(tails[n], None);
        let (_, dominators, frontiers) = analyse(&f);
        assert!(frontiers.lists.len() < 8 * n, "{}", frontiers.lists.len());
        let mut out = Vec::new();
        let mut scratch = FrontierScratch::default();
        frontiers.iterated(&dominators, &mut scratch, &[heads[n - 1]], |_| true, &mut out);
        assert_eq!(out.len(), n);
        out.clear();
        frontiers.iterated(&dominators, &mut scratch, &[heads[n - 1]], |b| b > heads[n / 2], &mut out);
        assert_eq!(out.len(), n - n / 2 - 1);
    }
}
