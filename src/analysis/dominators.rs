//! The dominator tree, by Semi-NCA: semidominators over a depth-first spanning tree with path compression, then
//! immediate dominators as nearest common ancestors. (Georgiadis, "Linear-time algorithms for dominators and
//! related problems", 2005, chapter 2.) O(edges log blocks) but for contrived graphs; no recursion.
//!
//! Children stand in reverse postorder, and a preorder numbering of the tree answers `dominates` in O(1).

use super::order::Order;
use super::rows::Rows;
use crate::base::{Column, Opt};
use crate::ir::{Block, Body};

/// The tree. Blocks that the entry does not reach have no parent and no children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dominators {
    /// Per block: its immediate dominator; none for the entry and for unreachable blocks.
    pub idom: Column<Block, Opt<Block>>,
    /// Per block: edges of the tree between the entry and it.
    pub level: Column<Block, u32>,
    /// The reachable blocks, every one after its immediate dominator: a preorder of the tree.
    pub preorder: Vec<Block>,
    /// Per block: its number in `preorder`, and the number after its last descendant's.
    range: Column<Block, (u32, u32)>,
    children: Rows<Block, Block>,
    scratch: Scratch,
}

/// Memory of the computation; no part of the result. All in numbers of a depth-first preorder but for the first.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Per position in the order: its number in the preorder.
    number: Vec<u32>,
    vertex: Vec<Block>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
    path: Vec<u32>,
    stack: Vec<(Block, u32)>,
    pairs: Vec<(Block, Block)>,
}

impl PartialEq for Scratch {
    fn eq(&self, _: &Scratch) -> bool {
        true
    }
}

impl Eq for Scratch {}

const NONE: u32 = u32::MAX;

impl Dominators {
    /// Recomputes for `f`, keeping the memory.
    pub fn compute(&mut self, f: &Body, order: &Order) {
        let blocks = f.block_count();
        self.idom.reset(blocks, Opt::NONE);
        self.level.reset(blocks, 0);
        self.range.reset(blocks, (NONE, NONE));
        self.preorder.clear();
        self.children.fill(blocks, &[]);
        if order.blocks.is_empty() {
            return;
        }
        self.find_idoms(f, order);
        let pairs = &mut self.scratch.pairs;
        pairs.clear();
        pairs.extend(order.blocks.iter().filter_map(|&b| Some((self.idom[b].get()?, b))));
        self.children.fill(blocks, pairs);
        for &b in &order.blocks {
            if let Some(parent) = self.idom[b].get() {
                self.level[b] = self.level[parent] + 1;
            }
        }
        self.number(order.blocks[super::order::ROOT]);
    }

    fn find_idoms(&mut self, f: &Body, order: &Order) {
        let Scratch { number, vertex, parent, semi, label, ancestor, path, stack, .. } = &mut self.scratch;
        let n = order.blocks.len();
        number.clear();
        number.resize(n, NONE);
        vertex.clear();
        parent.clear();
        stack.clear();
        stack.push((order.blocks[super::order::ROOT], 0));
        while let Some((b, from)) = stack.pop() {
            let position = order.position[b] as usize;
            if number[position] != NONE {
                continue;
            }
            let v = vertex.len() as u32;
            number[position] = v;
            vertex.push(b);
            parent.push(from);
            for e in f.succs(b).rev() {
                let to = f.edge_to(e);
                if number[order.position[to] as usize] == NONE {
                    stack.push((to, v));
                }
            }
        }
        semi.clear();
        semi.extend(0..n as u32);
        label.clone_from(semi);
        ancestor.clone_from(parent);
        for w in (1..n as u32).rev() {
            for &e in f.preds(vertex[w as usize]) {
                let from = f.edge_from(e);
                if order.reaches(from) {
                    let v = number[order.position[from] as usize];
                    let best = eval(v, w, ancestor, label, semi, path);
                    semi[w as usize] = semi[w as usize].min(semi[best as usize]);
                }
            }
        }
        let idom = parent;
        for w in 1..n {
            let mut d = idom[w];
            while d > semi[w] {
                d = idom[d as usize];
            }
            idom[w] = d;
            self.idom[vertex[w]] = Opt::some(vertex[d as usize]);
        }
    }

    fn number(&mut self, root: Block) {
        // The second half: 1 if its descendants have been numbered.
        let stack = &mut self.scratch.stack;
        stack.push((root, 0));
        while let Some((b, done)) = stack.pop() {
            if done != 0 {
                self.range[b].1 = self.preorder.len() as u32;
                continue;
            }
            self.range[b].0 = self.preorder.len() as u32;
            self.preorder.push(b);
            stack.push((b, 1));
            stack.extend(self.children.get(b).iter().rev().map(|&child| (child, 0)));
        }
    }

    /// The blocks immediately dominated by `b`, in reverse postorder.
    #[inline]
    pub fn children(&self, b: Block) -> &[Block] {
        self.children.get(b)
    }

    /// True if every path from the entry to `b` goes through `a`, so always for an unreachable `b`.
    #[inline]
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let ((first, end), (at, _)) = (self.range[a], self.range[b]);
        at == NONE || first <= at && at < end
    }

    /// `dominates` for two different blocks.
    #[inline]
    pub fn strictly_dominates(&self, a: Block, b: Block) -> bool {
        a != b && self.dominates(a, b)
    }

    /// True if the entry reaches the block.
    #[inline]
    pub fn reaches(&self, b: Block) -> bool {
        self.range[b].0 != NONE
    }

    /// Number of the block in `preorder`; `u32::MAX` if the entry does not reach it.
    #[inline]
    pub fn preorder_number(&self, b: Block) -> u32 {
        self.range[b].0
    }
}

/// The vertex of least semidominator on the tree path from `v` up to, not including, the first vertex whose
/// number is below `last` (those from `last` on have been linked); compresses the path.
fn eval(
    v: u32,
    last: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) -> u32 {
    if v <= last {
        return v;
    }
    path.clear();
    let mut top = v;
    while ancestor[top as usize] > last {
        path.push(top);
        top = ancestor[top as usize];
    }
    // `top` is the highest linked vertex of its tree; everything below takes its ancestor and best label.
    let root = ancestor[top as usize];
    let mut best = label[top as usize];
    for &u in path.iter().rev() {
        ancestor[u as usize] = root;
        if semi[best as usize] < semi[label[u as usize] as usize] {
            label[u as usize] = best;
        } else {
            best = label[u as usize];
        }
    }
    label[v as usize]
}

#[cfg(test)]
mod tests {
    use super::super::random::{random_body, seeds};
    use super::*;

    fn analyse(f: &Body) -> (Order, Dominators) {
        let (mut order, mut dominators) = (Order::default(), Dominators::default());
        order.compute(f);
        dominators.compute(f, &order);
        (order, dominators)
    }

    /// Blocks that the entry reaches when nothing goes through `avoid`.
    fn reached_without(f: &Body, avoid: Option<Block>) -> Vec<Block> {
        let mut seen: Vec<Block> = f.entry().into_iter().filter(|&b| Some(b) != avoid).collect();
        let mut k = 0;
        while k < seen.len() {
            for e in f.succs(seen[k]) {
                let to = f.edge_to(e);
                if Some(to) != avoid && !seen.contains(&to) {
                    seen.push(to);
                }
            }
            k += 1;
        }
        seen
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        for seed in seeds() {
            let f = random_body(seed, 10);
            let (order, dominators) = analyse(&f);
            let all = reached_without(&f, None);
            for &a in &all {
                let without = reached_without(&f, Some(a));
                for &b in &all {
                    assert_eq!(dominators.dominates(a, b), !without.contains(&b), "seed {seed}: {a:?} {b:?}");
                }
            }
            assert_eq!(dominators.preorder.len(), order.blocks.len());
            for &b in &all {
                let strict: Vec<Block> =
                    all.iter().copied().filter(|&a| dominators.strictly_dominates(a, b)).collect();
                assert_eq!(strict.len(), dominators.level[b] as usize);
                let nearest =
                    strict.iter().find(|&&a| strict.iter().all(|&other| dominators.dominates(other, a)));
                assert_eq!(dominators.idom[b].get(), nearest.copied());
            }
        }
    }

    #[test]
    fn a_long_ladder_of_exits_needs_neither_recursion_nor_quadratic_time() {
        let n = 50_000;
        let mut f = super::super::random::empty_body();
        let exit = {
            f.create_block();
            f.create_block()
        };
        let rungs: Vec<Block> = (0..n).map(|_| f.create_block()).collect();
        if let Some(entry) = f.entry() {
            f.set_br(entry, rungs[0]);
        }
        let p = crate::ir::Value::bool(true);
        for k in 0..n {
            let next = if k + 1 < n { rungs[k + 1] } else { rungs[0] };
            f.set_cond_br(rungs[k], p, exit, next);
        }
        f.set_ret(exit, None);
        let (_, dominators) = analyse(&f);
        assert_eq!(dominators.idom[exit].get(), Some(rungs[0]));
        assert_eq!(dominators.level[rungs[n - 1]], n as u32);
    }
}
