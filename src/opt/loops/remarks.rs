//! What passes that change loops say about them (`ir/remarks`): where in the source a loop is, and what keeps
//! one from being changed. Computed only where remarks are asked for.

use crate::base::graph::Loop;
use crate::ir::{Block, Body, FuncId, Op, Place};
use crate::opt::run::analyses::Analyses;

/// Where the blocks of a loop are in the source: at the first condition that ends it.
pub(super) fn place_of(f: &Body, blocks: &[Block]) -> Place {
    let leaves = |b: Block| f.succs(b).any(|e| !blocks.contains(&f.edge_to(e)));
    let place = |b: &Block| f.terminator(*b).map(|end| f.place(end)).filter(|&place| place != Place::NONE);
    let ends = blocks.iter().filter(|&&b| leaves(b)).find_map(place);
    ends.or_else(|| blocks.iter().find_map(place)).unwrap_or(Place::NONE)
}

/// The same of a loop.
pub(super) fn place_of_loop(f: &Body, analyses: &Analyses, l: Loop) -> Place {
    place_of(f, analyses.loops.blocks(l))
}

/// Instructions of a loop, and the function that it calls, if it calls one.
pub(super) fn size_and_call(f: &Body, analyses: &Analyses, l: Loop) -> (usize, Option<FuncId>) {
    let insts = || analyses.loops.blocks(l).iter().flat_map(|&b| f.insts(b));
    (insts().count(), insts().find(|&i| f.op(i) == Op::Call).map(|i| f.callee(i)))
}
