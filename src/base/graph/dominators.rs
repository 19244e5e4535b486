//! The dominator tree, by Semi-NCA: semidominators over a depth-first spanning tree with path compression,
//! then immediate dominators as nearest common ancestors. (Georgiadis, "Linear-time algorithms for dominators
//! and related problems", 2005, chapter 2.) O(edges log nodes) but for contrived graphs; no recursion.
//!
//! Children stand in reverse postorder, and a preorder numbering of the tree answers `dominates` in O(1).

use super::{Graph, Order};
use crate::base::{Column, Handle, Opt, Rows};

/// The tree. Nodes that the root does not reach have no parent and no children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dominators<N: Handle> {
    /// Per node: its immediate dominator; none for the root and for unreachable nodes.
    pub idom: Column<N, Opt<N>>,
    /// Per node: edges of the tree between the root and it.
    pub level: Column<N, u32>,
    /// The reachable nodes, every one after its immediate dominator: a preorder of the tree.
    pub preorder: Vec<N>,
    /// Per node: its number in `preorder`, and the number after its last descendant's.
    range: Column<N, (u32, u32)>,
    children: Rows<N, N>,
    scratch: Scratch<N>,
}

/// Memory of the computation; no part of the result. All in numbers of a depth-first preorder but for the
/// first.
#[derive(Clone, Debug, Default)]
struct Scratch<N> {
    /// Per position in the order: its number in the preorder.
    number: Vec<u32>,
    vertex: Vec<N>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
    path: Vec<u32>,
    stack: Vec<(N, u32)>,
    pairs: Vec<(N, N)>,
}

impl<N> PartialEq for Scratch<N> {
    fn eq(&self, _: &Scratch<N>) -> bool {
        true
    }
}

impl<N> Eq for Scratch<N> {}

const NONE: u32 = u32::MAX;

impl<N: Handle> Dominators<N> {
    /// Recomputes for `g`, keeping the memory.
    pub fn compute<G: Graph<Node = N>>(&mut self, g: &G, order: &Order<N>) {
        let blocks = g.node_count();
        self.idom.reset(blocks, Opt::NONE);
        self.range.reset(blocks, (NONE, NONE));
        if let Some(&root) = order.blocks.first() {
            self.find_idoms(g, order, root);
        }
        self.build(order);
    }

    /// Brings the tree up to date after changes to the graph, of which `order` is the new one. `top`
    /// dominated the ends of all new edges and the nodes that had been the immediate dominators of where
    /// removed edges went, and was reached, as all of them were. Only what it dominated is looked at, and
    /// what is new. O(nodes), with a small factor, beside that.
    pub fn update<G: Graph<Node = N>>(&mut self, g: &G, order: &Order<N>, top: N) {
        let blocks = g.node_count();
        self.idom.grow_to(blocks, Opt::NONE);
        self.range.grow_to(blocks, (NONE, NONE));
        for b in order.position.keys().filter(|&b| !order.reaches(b)) {
            self.idom[b] = Opt::NONE;
        }
        self.find_idoms(g, order, top);
        self.range.reset(blocks, (NONE, NONE));
        self.build(order);
    }

    /// The lowest node that dominates both, by their immediate dominators and levels.
    pub fn common(&self, mut a: N, mut b: N) -> Option<N> {
        while a != b {
            if self.level[a] < self.level[b] {
                std::mem::swap(&mut a, &mut b);
            }
            a = self.idom[a].get()?;
        }
        Some(a)
    }

    /// Puts a new node below its immediate dominator, as far as `common` is to know of it before the next
    /// update.
    pub fn hang(&mut self, b: N, below: N) {
        self.idom.grow_to(b.index() + 1, Opt::NONE);
        self.level.grow_to(b.index() + 1, 0);
        self.range.grow_to(b.index() + 1, (NONE, NONE));
        self.idom[b] = Opt::some(below);
        self.level[b] = self.level[below] + 1;
    }

    /// All but immediate dominators.
    fn build(&mut self, order: &Order<N>) {
        let blocks = self.idom.len();
        self.level.reset(blocks, 0);
        self.preorder.clear();
        let pairs = &mut self.scratch.pairs;
        pairs.clear();
        pairs.extend(order.blocks.iter().filter_map(|&b| Some((self.idom[b].get()?, b))));
        self.children.fill(blocks, pairs);
        for &b in &order.blocks {
            if let Some(parent) = self.idom[b].get() {
                self.level[b] = self.level[parent] + 1;
            }
        }
        if let Some(&root) = order.blocks.first() {
            self.number(root);
        }
    }

    /// The immediate dominators of what `top` dominated, and of nodes without a number; of `top` itself it is
    /// known.
    fn find_idoms<G: Graph<Node = N>>(&mut self, g: &G, order: &Order<N>, top: N) {
        let (first, end) = self.range[top];
        let Scratch { number, vertex, parent, semi, label, ancestor, path, stack, .. } = &mut self.scratch;
        number.clear();
        number.resize(order.blocks.len(), NONE);
        vertex.clear();
        parent.clear();
        stack.clear();
        stack.push((top, 0));
        while let Some((b, from)) = stack.pop() {
            let position = order.position[b] as usize;
            if number[position] != NONE {
                continue;
            }
            let v = vertex.len() as u32;
            number[position] = v;
            vertex.push(b);
            parent.push(from);
            for to in g.successors(b).rev() {
                let at = self.range[to].0;
                let is_below = at == NONE || first <= at && at < end;
                if is_below && number[order.position[to] as usize] == NONE {
                    stack.push((to, v));
                }
            }
        }
        let n = vertex.len();
        semi.clear();
        semi.extend(0..n as u32);
        label.clone_from(semi);
        ancestor.clone_from(parent);
        for w in (1..n as u32).rev() {
            for from in g.predecessors(vertex[w as usize]) {
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

    fn number(&mut self, root: N) {
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

    /// The nodes immediately dominated by `b`, in reverse postorder.
    #[inline]
    pub fn children(&self, b: N) -> &[N] {
        self.children.get(b)
    }

    /// True if every path from the root to `b` goes through `a`, so always for an unreachable `b`.
    #[inline]
    pub fn dominates(&self, a: N, b: N) -> bool {
        let ((first, end), (at, _)) = (self.range[a], self.range[b]);
        at == NONE || first <= at && at < end
    }

    /// `dominates` for two different nodes.
    #[inline]
    pub fn strictly_dominates(&self, a: N, b: N) -> bool {
        a != b && self.dominates(a, b)
    }

    /// True if the root reaches the node.
    #[inline]
    pub fn reaches(&self, b: N) -> bool {
        self.range[b].0 != NONE
    }

    /// Number of the node in `preorder`; `u32::MAX` if the root does not reach it.
    #[inline]
    pub fn preorder_number(&self, b: N) -> u32 {
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
    use super::super::random::{Digraph, Node, random_graph, seeds};
    use super::*;

    fn analyse(g: &Digraph) -> (Order<Node>, Dominators<Node>) {
        let (mut order, mut dominators) = (Order::default(), Dominators::default());
        order.compute(g);
        dominators.compute(g, &order);
        (order, dominators)
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        for seed in seeds() {
            let g = random_graph(seed, 10);
            let (order, dominators) = analyse(&g);
            let all = g.reached_without(Node::new(0), None);
            for &a in &all {
                let without = g.reached_without(Node::new(0), Some(a));
                for &b in &all {
                    assert_eq!(dominators.dominates(a, b), !without.contains(&b), "seed {seed}: {a:?} {b:?}");
                }
            }
            assert_eq!(dominators.preorder.len(), order.blocks.len());
            for &b in &all {
                let strict: Vec<Node> =
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
        // Rung k goes to the exit, node 1, and to rung k + 1; the last one back to the first.
        let n = 50_000;
        let rungs = (0..n).flat_map(|k| [(k + 2, 1), (k + 2, 2 + (k + 1) % n)]);
        let (_, dominators) = analyse(&Digraph::new(n + 2, std::iter::once((0, 2)).chain(rungs)));
        assert_eq!(dominators.idom[Node::new(1)].get(), Some(Node::new(2)));
        assert_eq!(dominators.level[Node::new(n + 1)], n as u32);
    }
}
