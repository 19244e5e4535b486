//! The loop forest: natural loops, nested by their headers. Near-linear: headers from the innermost out, each
//! one walking its loop backwards over a union-find in which finished inner loops have shrunk to their
//! headers (Tarjan, "Testing flow graph reducibility", 1974). No recursion.
//!
//! A cycle that is entered at several blocks is no loop here; `irreducible` tells that there is one. SysY
//! makes none, but other frontends can.

use super::order::UNREACHABLE;
use super::{Dominators, Graph, Order};
use crate::base::{Column, Handle, Opt, Rows};

crate::handle! {
    /// A loop. Loops are numbered in preorder of the forest: an outer one before those it holds.
    pub struct Loop("l");
}

/// The forest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops<N: Handle> {
    /// Per loop: the block through which it is entered.
    pub header: Column<Loop, N>,
    /// Per loop: the loop around it.
    pub parent: Column<Loop, Opt<Loop>>,
    /// Per loop: how many loops hold it, itself included.
    pub depth: Column<Loop, u32>,
    /// Per node: the innermost loop that holds it.
    pub innermost: Column<N, Opt<Loop>>,
    /// True if some cycle has no block that dominates the others.
    pub irreducible: bool,
    /// Per loop: the number after its last descendant's.
    end: Column<Loop, u32>,
    /// Per loop: where its blocks start and end in `members`.
    range: Column<Loop, (u32, u32)>,
    /// The blocks of all loops; those of an inner loop are inside the range of the outer one.
    members: Vec<N>,
    latches: Rows<Loop, N>,
    scratch: Scratch<N>,
}

/// Memory of the computation; no part of the result.
#[derive(Clone, Debug, Default)]
struct Scratch<N: Handle> {
    back_edges: Vec<(Loop, N)>,
    /// Per node: itself, or a block of the same loop nearer to the header of the outermost loop found so far.
    toward: Column<N, N>,
    stack: Vec<N>,
    /// Per loop, in the order of headers: its number, its header and its parent.
    new: Column<Loop, Loop>,
    header: Column<Loop, N>,
    parent: Column<Loop, Opt<Loop>>,
    pairs: Vec<(Loop, N)>,
    own: Rows<Loop, N>,
}

impl<N: Handle> PartialEq for Scratch<N> {
    fn eq(&self, _: &Scratch<N>) -> bool {
        true
    }
}

impl<N: Handle> Eq for Scratch<N> {}

impl<N: Handle> Loops<N> {
    /// Recomputes for `g`, keeping the memory.
    pub fn compute<G: Graph<Node = N>>(&mut self, g: &G, order: &Order<N>, dominators: &Dominators<N>) {
        self.innermost.reset(g.node_count(), Opt::NONE);
        self.header.clear();
        self.parent.clear();
        self.depth.clear();
        self.end.clear();
        self.range.clear();
        self.members.clear();
        self.irreducible = false;
        self.scratch.back_edges.clear();
        // Loops get the order of their headers in reverse postorder first.
        for (k, &b) in (0u32..).zip(&order.blocks) {
            let mut number = None;
            for from in g.predecessors(b) {
                let position = order.position[from];
                if position >= k && position != UNREACHABLE {
                    if dominators.dominates(b, from) {
                        let l = *number.get_or_insert_with(|| self.header.push(b));
                        self.scratch.back_edges.push((l, from));
                    } else {
                        self.irreducible = true;
                    }
                }
            }
        }
        self.latches.fill(self.header.len(), &self.scratch.back_edges);
        if self.header.is_empty() {
            return;
        }
        self.parent.reset(self.header.len(), Opt::NONE);
        self.fill_bodies(g, order);
        self.renumber(order);
        self.collect_members(order);
    }

    fn fill_bodies<G: Graph<Node = N>>(&mut self, g: &G, order: &Order<N>) {
        let Scratch { toward, stack, .. } = &mut self.scratch;
        toward.clear();
        toward.extend(self.innermost.keys());
        stack.clear();
        for l in self.header.keys().rev() {
            let header = self.header[l];
            stack.extend_from_slice(self.latches.get(l));
            while let Some(b) = stack.pop() {
                let b = find(toward, b);
                if b == header {
                    continue;
                }
                match self.innermost[b].get() {
                    // A header that stands for its finished loop.
                    Some(inner) => self.parent[inner] = Opt::some(l),
                    None => self.innermost[b] = Opt::some(l),
                }
                toward[b] = header;
                stack.extend(g.predecessors(b).filter(|&p| order.reaches(p)));
            }
            self.innermost[header] = Opt::some(l);
        }
    }

    /// From the order of headers to preorder of the forest. A parent stands before its loops in both.
    fn renumber(&mut self, order: &Order<N>) {
        let n = self.header.len();
        let Scratch { new, header, parent, back_edges, .. } = &mut self.scratch;
        header.clear();
        header.extend(self.header.as_slice().iter().copied());
        parent.clear();
        parent.extend(self.parent.as_slice().iter().copied());
        // How many loops each one holds, itself included; then the number of the next loop inside of it.
        let next = &mut self.end;
        next.reset(n, 1);
        for l in header.keys().rev() {
            if let Some(above) = parent[l].get() {
                next[above] += next[l];
            }
        }
        new.reset(n, Loop::new(0));
        self.depth.reset(n, 1);
        self.range.reset(n, (0, 0));
        let mut root = 0;
        for l in header.keys() {
            let size = next[l];
            let from = match parent[l].get() {
                Some(above) => &mut next[above],
                None => &mut root,
            };
            let number = Loop::new(*from as usize);
            *from += size;
            next[l] = number.index() as u32 + 1;
            new[l] = number;
            self.header[number] = header[l];
            let above = parent[l].get().map(|above| new[above]);
            self.parent[number] = above.into();
            if let Some(above) = above {
                self.depth[number] = self.depth[above] + 1;
            }
            self.range[number] = (0, number.index() as u32 + size);
        }
        for (l, &(_, end)) in self.range.iter() {
            self.end[l] = end;
        }
        for &b in &order.blocks {
            if let Some(l) = self.innermost[b].get() {
                self.innermost[b] = Opt::some(new[l]);
            }
        }
        back_edges.iter_mut().for_each(|(l, _)| *l = new[*l]);
        self.latches.fill(n, back_edges);
    }

    fn collect_members(&mut self, order: &Order<N>) {
        let Scratch { pairs, own, .. } = &mut self.scratch;
        pairs.clear();
        pairs.extend(order.blocks.iter().filter_map(|&b| Some((self.innermost[b].get()?, b))));
        // Loops are numbered in preorder, so what belongs to a loop and to those inside stands together.
        own.fill(self.header.len(), pairs);
        for l in self.header.keys() {
            self.range[l].0 = self.members.len() as u32;
            self.members.extend_from_slice(own.get(l));
        }
        let all = self.members.len() as u32;
        for l in self.header.keys() {
            let behind = Loop::new(self.end[l] as usize);
            self.range[l].1 = self.range.get(behind).map_or(all, |&(start, _)| start);
        }
    }

    /// The blocks of a loop and of the loops inside it; the header is first.
    #[inline]
    pub fn blocks(&self, l: Loop) -> &[N] {
        let (start, end) = self.range[l];
        &self.members[start as usize..end as usize]
    }

    /// Where the edges that go back to the header come from, a node for each edge.
    #[inline]
    pub fn latches(&self, l: Loop) -> &[N] {
        self.latches.get(l)
    }

    /// True if the loop holds the block.
    #[inline]
    pub fn contains(&self, l: Loop, b: N) -> bool {
        self.innermost[b].get().is_some_and(|inner| self.holds(l, inner))
    }

    /// True if `inner` is `l` or inside it.
    #[inline]
    pub fn holds(&self, l: Loop, inner: Loop) -> bool {
        l <= inner && inner.index() < self.end[l] as usize
    }

    /// True if no other loop is in this one.
    #[inline]
    pub fn is_innermost(&self, l: Loop) -> bool {
        self.end[l] as usize == l.index() + 1
    }

    /// How many loops hold a block.
    #[inline]
    pub fn depth_of(&self, b: N) -> u32 {
        self.innermost[b].get().map_or(0, |l| self.depth[l])
    }
}

fn find<N: Handle>(toward: &mut Column<N, N>, b: N) -> N {
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
    use super::super::random::{Digraph, Node, random_graph, seeds};
    use super::*;

    fn analyse(g: &Digraph) -> (Order<Node>, Dominators<Node>, Loops<Node>) {
        let mut all = (Order::default(), Dominators::default(), Loops::default());
        all.0.compute(g);
        all.1.compute(g, &all.0);
        all.2.compute(g, &all.0, &all.1);
        all
    }

    /// The natural loop of a header by its definition: what reaches a latch without going through the header.
    fn naive(g: &Digraph, order: &Order<Node>, dominators: &Dominators<Node>, header: Node) -> Vec<Node> {
        let mut members = vec![header];
        for latch in g.predecessors(header) {
            if order.reaches(latch) && dominators.dominates(header, latch) && !members.contains(&latch) {
                members.push(latch);
            }
        }
        let mut k = 1;
        while k < members.len() {
            for p in g.predecessors(members[k]) {
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
            let g = random_graph(seed, 12);
            let (order, dominators, loops) = analyse(&g);
            irreducible += usize::from(loops.irreducible);
            let is_header =
                |b: Node| g.predecessors(b).any(|from| order.reaches(from) && dominators.dominates(b, from));
            let headers: Vec<Node> = order.blocks.iter().copied().filter(|&b| is_header(b)).collect();
            assert_eq!(headers.len(), loops.header.len());
            for (l, &header) in loops.header.iter() {
                assert_eq!(loops.blocks(l)[0], header);
                let mut members = loops.blocks(l).to_vec();
                members.sort();
                assert_eq!(members, naive(&g, &order, &dominators, header), "seed {seed}");
                for &b in &order.blocks {
                    assert_eq!(loops.contains(l, b), members.contains(&b));
                }
                let latches = loops.latches(l);
                assert!(latches.iter().all(|&b| g.successors(b).any(|to| to == header)));
                assert!(latches.iter().all(|b| members.contains(b)));
                assert!(loops.parent[l].get().is_none_or(|p| p < l && loops.contains(p, header)));
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
        // Heads 0 to n, then tails n to 0; tail k goes back to head k, but for k = 0.
        let n = 20_000;
        let down = (0..2 * n + 1).map(|k| (k, k + 1));
        let back = (1..=n).map(|k| (2 * n + 1 - k, k));
        let (_, _, loops) = analyse(&Digraph::new(2 * n + 2, down.chain(back)));
        assert_eq!((loops.header.len(), loops.depth_of(Node::new(n))), (n, n as u32));
        assert_eq!(loops.blocks(Loop::new(0)).len(), 2 * n);
    }
}
