//! The loop forest: natural loops, nested by their headers. Near-linear: headers from the innermost out, each one
//! walking its loop backwards over a union-find in which finished inner loops have shrunk to their headers (Tarjan,
//! "Testing flow graph reducibility", 1974). No recursion.
//!
//! A cycle that is entered at several blocks is no loop here; `irreducible` tells that there is one. SysY makes
//! none, but a frontend of somebody else's can.

use super::dominators::Dominators;
use super::order::Order;
use super::rows::Rows;
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::{Block, Body, Edge};

crate::handle! {
    /// A loop. Loops are numbered in preorder of the forest: an outer one before those it holds.
    pub struct Loop("l");
}

/// The forest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Per loop: the block through which it is entered.
    pub header: Column<Loop, Block>,
    /// Per loop: the loop around it.
    pub parent: Column<Loop, Opt<Loop>>,
    /// Per loop: how many loops hold it, itself included.
    pub depth: Column<Loop, u32>,
    /// Per block: the innermost loop that holds it.
    pub innermost: Column<Block, Opt<Loop>>,
    /// True if some cycle has no block that dominates the others.
    pub irreducible: bool,
    /// Per loop: the number after its last descendant's.
    end: Column<Loop, u32>,
    /// Per loop: where its blocks start and end in `members`.
    range: Column<Loop, (u32, u32)>,
    /// The blocks of all loops; those of an inner loop are inside the range of the outer one.
    members: Vec<Block>,
    latches: Rows<Loop, Edge>,
}

impl Loops {
    /// Recomputes for `f`, keeping the memory.
    pub fn compute(&mut self, f: &Body, order: &Order, dominators: &Dominators) {
        self.innermost.reset(f.block_count(), Opt::NONE);
        self.header.clear();
        self.parent.clear();
        self.depth.clear();
        self.members.clear();
        self.irreducible = false;
        let mut back_edges: Vec<(Loop, Edge)> = Vec::new();
        // Loops get the order of their headers in reverse postorder first.
        for &b in &order.blocks {
            let mut number = None;
            for &e in f.preds(b) {
                let from = f.edge_from(e);
                if order.reaches(from) && order.is_retreating(from, b) {
                    if dominators.dominates(b, from) {
                        let l = *number.get_or_insert_with(|| self.header.push(b));
                        back_edges.push((l, e));
                    } else {
                        self.irreducible = true;
                    }
                }
            }
        }
        let mut latches: Rows<Loop, Edge> = Rows::default();
        latches.fill(self.header.len(), &back_edges);
        self.parent.reset(self.header.len(), Opt::NONE);
        self.fill_bodies(f, order, &latches);
        self.renumber(order, &back_edges);
        self.collect_members(order);
    }

    fn fill_bodies(&mut self, f: &Body, order: &Order, latches: &Rows<Loop, Edge>) {
        // Per block: itself, or a block of the same loop nearer to the header of the outermost loop found so far.
        let mut toward: Column<Block, Block> = self.innermost.keys().collect::<Vec<Block>>().into();
        let mut stack: Vec<Block> = Vec::new();
        for l in self.header.keys().rev() {
            let header = self.header[l];
            stack.extend(latches.get(l).iter().map(|&e| f.edge_from(e)));
            while let Some(b) = stack.pop() {
                let b = find(&mut toward, b);
                if b == header {
                    continue;
                }
                match self.innermost[b].get() {
                    // A header that stands for its finished loop.
                    Some(inner) => self.parent[inner] = Opt::some(l),
                    None => self.innermost[b] = Opt::some(l),
                }
                toward[b] = header;
                let preds = f.preds(b).iter().map(|&e| f.edge_from(e));
                stack.extend(preds.filter(|&p| order.reaches(p)));
            }
            self.innermost[header] = Opt::some(l);
        }
    }

    /// From the order of headers to preorder of the forest.
    fn renumber(&mut self, order: &Order, back_edges: &[(Loop, Edge)]) {
        let n = self.header.len();
        let mut inner: Rows<Loop, Loop> = Rows::default();
        let pairs: Vec<(Loop, Loop)> =
            self.parent.iter().filter_map(|(l, parent)| Some((parent.get()?, l))).collect();
        inner.fill(n, &pairs);
        let mut stack: Vec<Loop> = self.parent.keys().filter(|&l| self.parent[l].is_none()).collect();
        stack.reverse();
        let mut new: Column<Loop, Loop> = Column::filled(n, Loop::new(0));
        let old_header = std::mem::take(&mut self.header);
        let old_parent = std::mem::take(&mut self.parent);
        while let Some(l) = stack.pop() {
            new[l] = self.header.push(old_header[l]);
            let parent = old_parent[l].get().map(|parent| new[parent]);
            self.parent.push(parent.into());
            self.depth.push(parent.map_or(1, |parent| self.depth[parent] + 1));
            stack.extend(inner.get(l).iter().rev());
        }
        self.end = self.header.keys().map(|l| l.index() as u32 + 1).collect::<Vec<u32>>().into();
        for l in self.header.keys().rev() {
            if let Some(parent) = self.parent[l].get() {
                self.end[parent] = self.end[parent].max(self.end[l]);
            }
        }
        for &b in &order.blocks {
            if let Some(l) = self.innermost[b].get() {
                self.innermost[b] = Opt::some(new[l]);
            }
        }
        let back_edges: Vec<(Loop, Edge)> = back_edges.iter().map(|&(l, e)| (new[l], e)).collect();
        self.latches.fill(n, &back_edges);
    }

    fn collect_members(&mut self, order: &Order) {
        let pairs: Vec<(Loop, Block)> =
            order.blocks.iter().filter_map(|&b| Some((self.innermost[b].get()?, b))).collect();
        let mut own: Rows<Loop, Block> = Rows::default();
        own.fill(self.header.len(), &pairs);
        let mut starts = Vec::with_capacity(self.header.len() + 1);
        for l in self.header.keys() {
            starts.push(self.members.len() as u32);
            self.members.extend_from_slice(own.get(l));
        }
        starts.push(self.members.len() as u32);
        let range = self.header.keys().map(|l| (starts[l.index()], starts[self.end[l] as usize]));
        self.range = range.collect::<Vec<(u32, u32)>>().into();
    }

    /// The blocks of a loop and of the loops inside it; the header is first.
    #[inline]
    pub fn blocks(&self, l: Loop) -> &[Block] {
        let (start, end) = self.range[l];
        &self.members[start as usize..end as usize]
    }

    /// The edges that go back to the header from inside.
    #[inline]
    pub fn latches(&self, l: Loop) -> &[Edge] {
        self.latches.get(l)
    }

    /// True if the loop holds the block.
    #[inline]
    pub fn contains(&self, l: Loop, b: Block) -> bool {
        self.innermost[b].get().is_some_and(|inner| self.holds(l, inner))
    }

    /// True if `inner` is `l` or inside it.
    #[inline]
    pub fn holds(&self, l: Loop, inner: Loop) -> bool {
        l <= inner && inner.index() < self.end[l] as usize
    }

    /// The edges that leave a loop. O(its blocks).
    pub fn exits<'a>(&'a self, f: &'a Body, l: Loop) -> impl Iterator<Item = Edge> + 'a {
        let edges = self.blocks(l).iter().flat_map(move |&b| f.succs(b));
        edges.filter(move |&e| !self.contains(l, f.edge_to(e)))
    }

    /// How many loops hold a block.
    #[inline]
    pub fn depth_of(&self, b: Block) -> u32 {
        self.innermost[b].get().map_or(0, |l| self.depth[l])
    }

    /// The headers, as a set.
    pub fn headers(&self) -> BitSet<Block> {
        let mut set = BitSet::new(self.innermost.len());
        for (_, &header) in self.header.iter() {
            set.insert(header);
        }
        set
    }
}

fn find(toward: &mut Column<Block, Block>, b: Block) -> Block {
    let mut top = b;
    while toward[top] != top {
        // Path halving.
        toward[top] = toward[toward[top]];
        top = toward[top];
    }
    top
}

#[cfg(test)]
mod tests {
    use super::super::random::{empty_body, random_body, seeds};
    use super::*;
    use crate::ir::Value;

    fn analyse(f: &Body) -> (Order, Dominators, Loops) {
        let mut all = (Order::default(), Dominators::default(), Loops::default());
        all.0.compute(f);
        all.1.compute(f, &all.0);
        all.2.compute(f, &all.0, &all.1);
        all
    }

    /// The natural loop of a header by its definition: what reaches a latch without going through the header.
    fn naive(f: &Body, order: &Order, dominators: &Dominators, header: Block) -> Vec<Block> {
        let mut members = vec![header];
        for &e in f.preds(header) {
            let latch = f.edge_from(e);
            if order.reaches(latch) && dominators.dominates(header, latch) && !members.contains(&latch) {
                members.push(latch);
            }
        }
        let mut k = 1;
        while k < members.len() {
            for &e in f.preds(members[k]) {
                let p = f.edge_from(e);
                if order.reaches(p) && !members.contains(&p) {
                    members.push(p);
                }
            }
            k += 1;
        }
        members.sort();
        members
    }

    #[test]
    fn agrees_with_the_definition_on_random_graphs() {
        let mut irreducible = 0;
        for seed in seeds() {
            let f = random_body(seed, 12);
            let (order, dominators, loops) = analyse(&f);
            irreducible += usize::from(loops.irreducible);
            let is_header = |b: Block| {
                f.preds(b)
                    .iter()
                    .any(|&e| order.reaches(f.edge_from(e)) && dominators.dominates(b, f.edge_from(e)))
            };
            let headers: Vec<Block> = order.blocks.iter().copied().filter(|&b| is_header(b)).collect();
            assert_eq!(headers.len(), loops.header.len());
            for (l, &header) in loops.header.iter() {
                assert_eq!(loops.blocks(l)[0], header);
                let mut members = loops.blocks(l).to_vec();
                members.sort();
                assert_eq!(members, naive(&f, &order, &dominators, header), "seed {seed}");
                for &b in &order.blocks {
                    assert_eq!(loops.contains(l, b), members.contains(&b));
                }
                assert!(loops.latches(l).iter().all(|&e| f.edge_to(e) == header));
                assert!(loops.parent[l].get().is_none_or(|p| p < l && loops.contains(p, header)));
                for e in loops.exits(&f, l) {
                    assert!(members.contains(&f.edge_from(e)) && !members.contains(&f.edge_to(e)));
                }
            }
            for &b in &order.blocks {
                let around = loops.header.keys().filter(|&l| loops.contains(l, b)).count();
                assert_eq!(loops.depth_of(b) as usize, around);
            }
        }
        assert!(irreducible > 10 && irreducible < 390);
    }

    #[test]
    fn a_deep_nest_is_one_chain() {
        let n = 20_000;
        let mut f = empty_body();
        let heads: Vec<Block> = (0..=n).map(|_| f.create_block()).collect();
        let tails: Vec<Block> = (0..=n).map(|_| f.create_block()).collect();
        for k in 0..=n {
            f.set_br(heads[k], if k < n { heads[k + 1] } else { tails[n] });
            if k > 0 {
                f.set_cond_br(tails[k], Value::bool(true), heads[k], tails[k - 1]);
            }
        }
        f.set_ret(tails[0], None);
        let (_, _, loops) = analyse(&f);
        assert_eq!((loops.header.len(), loops.depth_of(heads[n])), (n, n as u32));
        assert_eq!(loops.blocks(Loop::new(0)).len(), 2 * n);
    }
}
