//! What a profile counts of a body: how often each block is entered, and how often each critical edge is taken
//! (one from a block with several successors to a block with several predecessors). Any other edge is taken as
//! often as the block at the end where it is alone is entered, so these counters tell the frequency of every
//! edge, exactly. The interpreter, instrumented programs and the reader of profiles number them alike: blocks in
//! layout order, then critical edges in that order. O(blocks + edges).
//!
//! A profile belongs to a graph: `shape` is a hash of the successors of all blocks (FNV-1a, 64 bits), by which
//! a profile of another version of the function is recognised.

use super::{Block, Body, Edge, Flags, Op};
use crate::base::Column;

/// What one counter counts.
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

/// The counters of a body, by number.
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

/// What the counts of all counters, by their numbers, say of blocks and edges.
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

/// Tells branches how often they went each way, by the counts of all counters.
pub fn weigh(f: &mut Body, counts: &[u64]) {
    let of = frequencies(f, counts);
    let ends: Vec<_> =
        f.blocks().filter_map(|b| f.terminator(b)).filter(|&i| f.op(i) == Op::CondBr).collect();
    for i in ends {
        let (yes, no) = f.ways(i);
        let [yes, no] = [yes, no].map(|e| of.edges[e]);
        if yes != 0 || no != 0 {
            f.set_flags(i, Flags::odds(yes, no));
        }
    }
}
