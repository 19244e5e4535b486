//! What is counted of a body, from which follows how often each block is entered and each edge is taken.
//!
//! The interpreter counts each block and each critical edge (one from a block with several successors to a block with several
//! predecessors): any other edge is taken as often as the block at the end where it is alone is entered. Programs have fewer
//! counters, and so do files of counts: what enters a block leaves it, so of the edges on a cycle one need not be counted. With a
//! node for what is outside of the function, they are the edges that are not in a spanning tree, whose heaviest edges are those that
//! are executed most: the ones in the innermost loops (D. Knuth and F. Stevenson, "Optimal measurement points for program
//! frequency counts", 1973; T. Ball and J. Larus, "Optimally profiling and tracing programs", 1994; LLVM's PGOInstrumentation). The
//! way in is always counted, for it says how often a function was called. O(edges log edges).
//!
//! A profile belongs to a graph: `shape` is a hash of the successors of all blocks (FNV-1a, 64 bits), by which
//! a profile of another version of the function is recognised.

use super::{Block, Body, Edge, Flags, Op};
use crate::base::graph::{Dominators, Loops, Order};
use crate::base::{Column, Handle};
use std::cmp::Reverse;

/// What one counter of a program counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// How often the function is entered.
    In,
    /// How often an edge is taken.
    Edge(Edge),
    /// How often a block is executed that nothing follows.
    Out(Block),
}

/// The links of a body: the way in, then by block in layout order.
fn links(f: &Body) -> impl Iterator<Item = Link> + '_ {
    let of_block = |b: Block| {
        let out = (f.succs(b).len() == 0).then_some(Link::Out(b));
        f.succs(b).map(Link::Edge).chain(out)
    };
    std::iter::once(Link::In).chain(f.blocks().flat_map(of_block))
}

/// The nodes that a link leads from and to: 0 for what is outside, and else one more than a block's number.
fn ends(f: &Body, link: Link) -> [usize; 2] {
    let node = |b: Block| b.index() + 1;
    match link {
        Link::In => [0, f.entry().map_or(0, node)],
        Link::Edge(e) => [node(f.edge_from(e)), node(f.edge_to(e))],
        Link::Out(b) => [node(b), 0],
    }
}

/// The links of a body, and for each whether it has a counter.
fn counted_of(f: &Body) -> (Vec<Link>, Vec<bool>) {
    let (mut order, mut dominators, mut loops) = (Order::default(), Dominators::default(), Loops::default());
    order.compute(f);
    dominators.compute(f, &order);
    loops.compute(f, &order, &dominators);
    let all: Vec<Link> = links(f).collect();
    // In how many loops a link is; one that always follows is executed more often than one of two; and what is critical would
    // need a block of its own.
    let weight = |link: Link| match link {
        Link::In | Link::Out(_) => (0, false, false),
        Link::Edge(e) => {
            let depth = loops.depth_of(f.edge_from(e)).min(loops.depth_of(f.edge_to(e)));
            (depth, f.succs(f.edge_from(e)).len() == 1, is_critical(f, e))
        }
    };
    let mut heaviest: Vec<usize> = (1..all.len()).collect();
    heaviest.sort_by_key(|&k| Reverse(weight(all[k])));
    let mut parent: Vec<usize> = (0..=f.block_count()).collect();
    let mut is_counted = vec![true; all.len()];
    for k in heaviest {
        let [a, b] = ends(f, all[k]).map(|node| root(&mut parent, node));
        is_counted[k] = a == b;
        parent[a] = b;
    }
    (all, is_counted)
}

/// The first of what has been put together with a node.
fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// What the counters of a program count in a body, by number.
pub fn counted(f: &Body) -> Vec<Link> {
    let (all, is_counted) = counted_of(f);
    all.into_iter().zip(is_counted).filter(|row| row.1).map(|row| row.0).collect()
}

/// What these counters would have counted.
pub fn counts(f: &Body, of: &Frequencies) -> Vec<u64> {
    let back = |b: Block| f.preds(b).iter().fold(0, |sum: u64, &e| sum.saturating_add(of.edges[e]));
    let count = |link: &Link| match *link {
        Link::In => f.entry().map_or(0, |b| of.blocks[b].saturating_sub(back(b))),
        Link::Edge(e) => of.edges[e],
        Link::Out(b) => of.blocks[b],
    };
    counted(f).iter().map(count).collect()
}

/// How often each block is entered and each edge is taken, by the counts of a program; none if they are not of this graph.
///
/// In a node where one link is not known, it is what the others leave: so the tree is solved from its leaves on.
pub fn solve(f: &Body, counts: &[u64]) -> Option<Frequencies> {
    let (all, is_counted) = counted_of(f);
    if is_counted.iter().filter(|&&is| is).count() != counts.len() {
        return None;
    }
    let nodes = f.block_count() + 1;
    // Per node: what is known to come in less what is known to go out, the links that are not known, and their exclusive or,
    // which is the one of one.
    let (mut surplus, mut unknown, mut which) = (vec![0i128; nodes], vec![0u32; nodes], vec![0usize; nodes]);
    let (mut flow, mut given) = (vec![0u64; all.len()], counts.iter());
    for (k, &link) in all.iter().enumerate() {
        let [from, to] = ends(f, link);
        if is_counted[k] {
            flow[k] = given.next().copied().unwrap_or(0);
            surplus[from] -= i128::from(flow[k]);
            surplus[to] += i128::from(flow[k]);
            continue;
        }
        for node in [from, to] {
            unknown[node] += 1;
            which[node] ^= k;
        }
    }
    let mut ready: Vec<usize> = (0..nodes).filter(|&node| unknown[node] == 1).collect();
    while let Some(node) = ready.pop() {
        if unknown[node] != 1 {
            continue;
        }
        let k = which[node];
        let [from, to] = ends(f, all[k]);
        let left = if from == node { surplus[node] } else { -surplus[node] };
        // What ended in the middle may leave less than nothing.
        flow[k] = u64::try_from(left.max(0)).unwrap_or(u64::MAX);
        surplus[from] -= i128::from(flow[k]);
        surplus[to] += i128::from(flow[k]);
        for node in [from, to] {
            unknown[node] -= 1;
            which[node] ^= k;
            if unknown[node] == 1 {
                ready.push(node);
            }
        }
    }
    let mut of =
        Frequencies { blocks: Column::filled(f.block_count(), 0), edges: Column::filled(f.edge_count(), 0) };
    for (&link, &times) in all.iter().zip(&flow) {
        if let Link::Edge(e) = link {
            of.edges[e] = times;
        }
        let into = if let Link::Edge(e) = link {
            Some(f.edge_to(e))
        } else {
            f.entry().filter(|_| link == Link::In)
        };
        if let Some(b) = into {
            of.blocks[b] = of.blocks[b].saturating_add(times);
        }
    }
    Some(of)
}

/// What one counter of the interpreter counts: blocks in layout order, then critical edges in that order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Counter {
    /// How often a block is entered.
    Block(Block),
    /// How often an edge is taken.
    Edge(Edge),
}

/// True if neither end of an edge tells how often it is taken.
pub fn is_critical(f: &Body, e: Edge) -> bool {
    f.succs(f.edge_from(e)).len() > 1 && f.preds(f.edge_to(e)).len() > 1
}

/// The counters of the interpreter, by number.
pub fn counters(f: &Body) -> impl Iterator<Item = Counter> + '_ {
    let edges = f.blocks().flat_map(|b| f.succs(b)).filter(|&e| is_critical(f, e));
    f.blocks().map(Counter::Block).chain(edges.map(Counter::Edge))
}

/// The hash of a body's graph.
pub fn shape(f: &Body) -> u64 {
    let mut number = Column::filled(f.block_count(), 0u32);
    (1..).zip(f.blocks()).for_each(|(k, b)| number[b] = k);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |x: u32| hash = (hash ^ u64::from(x)).wrapping_mul(0x100_0000_01b3);
    for b in f.blocks() {
        add(0);
        f.succs(b).for_each(|e| add(number[f.edge_to(e)]));
    }
    hash
}

/// How often each block is entered and each edge is taken.
#[derive(Debug)]
pub struct Frequencies {
    /// Per block.
    pub blocks: Column<Block, u64>,
    /// Per edge.
    pub edges: Column<Edge, u64>,
}

/// What the interpreter's counts say of blocks and edges.
pub fn frequencies(f: &Body, counts: &[u64]) -> Frequencies {
    let mut of =
        Frequencies { blocks: Column::filled(f.block_count(), 0), edges: Column::filled(f.edge_count(), 0) };
    for (counter, &count) in counters(f).zip(counts) {
        match counter {
            Counter::Block(b) => of.blocks[b] = count,
            Counter::Edge(e) => of.edges[e] = count,
        }
    }
    for e in f.blocks().flat_map(|b| f.succs(b)).filter(|&e| !is_critical(f, e)) {
        let (from, to) = (f.edge_from(e), f.edge_to(e));
        of.edges[e] = of.blocks[if f.succs(from).len() == 1 { from } else { to }];
    }
    of
}

/// Tells branches how often they went each way, by the counts of a program; false, and nothing done, if they are not of this graph.
pub fn weigh(f: &mut Body, counts: &[u64]) -> bool {
    let Some(of) = solve(f, counts) else { return false };
    let ends: Vec<_> =
        f.blocks().filter_map(|b| f.terminator(b)).filter(|&i| f.op(i) == Op::CondBr).collect();
    for i in ends {
        let (yes, no) = f.ways(i);
        let [yes, no] = [yes, no].map(|e| of.edges[e]);
        if yes != 0 || no != 0 {
            f.set_flags(i, Flags::odds(yes, no));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    /// Nested loops with ways that cross, a block that leaves in the middle, and one that nothing enters.
    const TEXT: &str = "define i32 @f(i1 %c) {
        a:
          br i1 %c, label %b, label %f
        b:
          br i1 %c, label %c0, label %d
        c0:
          br i1 %c, label %c0, label %d
        d:
          br i1 %c, label %b, label %e
        e:
          br i1 %c, label %g, label %f
        f:
          switch i32 1, label %g [ i32 0, label %b
                                   i32 1, label %e ]
        g:
          ret i32 1
        h:
          br label %g
        }";

    #[test]
    fn what_is_not_counted_follows_from_what_is() {
        let module = parse(TEXT).unwrap();
        let f = module.nth(0);
        let (mut of, mut state) = (
            Frequencies {
                blocks: Column::filled(f.block_count(), 0),
                edges: Column::filled(f.edge_count(), 0),
            },
            7u64,
        );
        for _ in 0..100 {
            let mut at = f.entry();
            while let Some(b) = at {
                of.blocks[b] += 1;
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let ways: Vec<Edge> = f.succs(b).collect();
                at = ways.get((state >> 40) as usize % ways.len().max(1)).map(|&e| {
                    of.edges[e] += 1;
                    f.edge_to(e)
                });
            }
        }
        let some = counts(f, &of);
        assert_eq!((some[0], some.len()), (100, counted(f).len()));
        // As few as can be: edges and ways in and out, less what a tree over the blocks and the outside has.
        let all = links(f).count();
        assert_eq!(some.len(), all - f.blocks().count());
        let solved = solve(f, &some).unwrap();
        assert!(f.blocks().all(|b| solved.blocks[b] == of.blocks[b]));
        assert!(f.blocks().flat_map(|b| f.succs(b)).all(|e| solved.edges[e] == of.edges[e]));
        assert!(solve(f, &some[1..]).is_none());
        // A program that ends in the middle leaves counts that nothing follows from, and that is no matter.
        let most = vec![u64::MAX; some.len()];
        assert!(solve(f, &most).is_some());
    }

    #[test]
    fn the_innermost_loop_has_one_counter_and_the_way_in_is_the_first() {
        let text = "define void @f(i1 %c) {
            a:
              br label %b
            b:
              br i1 %c, label %c0, label %e
            c0:
              br i1 %c, label %d, label %b
            d:
              br label %c0
            e:
              ret void
            }";
        let module = parse(text).unwrap();
        let f = module.nth(0);
        let blocks: Vec<Block> = f.blocks().collect();
        let to = |link: &Link| if let Link::Edge(e) = link { Some(f.edge_to(*e)) } else { None };
        let found = counted(f);
        assert_eq!(found[0], Link::In);
        assert_eq!(found[1..].iter().map(to).collect::<Vec<_>>(), [Some(blocks[3]), Some(blocks[1])]);
    }
}
