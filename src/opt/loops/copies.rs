//! Copies of the rounds of a loop, one behind the other: what unrolling is made of. O(instructions that are
//! copied).

use crate::analysis::simple_loop::SimpleLoop;
use crate::base::Opt;
use crate::ir::body::region::Copies;
use crate::ir::{At, Block, Body, Edge, Inst, IntPred, Op, Place, Value};
use crate::opt::loops::remainder::compare;

/// A loop with a preheader and one latch that tests, as edits need it. Its values are closed
/// (`canonical_loops`).
#[derive(Clone, Debug)]
pub struct Round {
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// The first one,
    pub header: Block,
    /// and the last one.
    pub latch: Block,
    /// From the last block to the first one.
    pub back: Edge,
    /// Behind the loop.
    pub out: Edge,
    /// The phis of the header, in order.
    pub phis: Vec<Inst>,
}

impl Round {
    /// The round that a loop is; it is left behind its latch, and maybe elsewhere.
    pub fn of(around: &SimpleLoop) -> Option<Round> {
        let &SimpleLoop { f, l, header, latch, goes_back, loops, .. } = around;
        Some(Round {
            blocks: loops.blocks(l).to_vec(),
            header,
            latch,
            back: goes_back,
            out: around.leaves(latch)?,
            phis: f.phis(header).collect(),
        })
    }

    /// What the header's phis are in the next round.
    pub fn nexts(&self, f: &Body) -> Vec<Value> {
        self.phis.iter().map(|&phi| f.arg(phi, f.edge_slot(self.back))).collect()
    }

    /// What phis behind the loop get from the latch.
    pub fn results(&self, f: &Body) -> Vec<(Inst, Value)> {
        f.phis(f.edge_to(self.out)).map(|phi| (phi, f.arg(phi, f.edge_slot(self.out)))).collect()
    }

    /// A copy beside the loop: a loop that nothing enters. What stands for the instructions of the round is
    /// in `copies`, until the next copy.
    pub fn copy(&self, f: &mut Body, copies: &mut Copies) -> Option<Round> {
        copies.blocks.grow_to(f.block_count(), Opt::NONE);
        copies.values.grow_to(f.inst_count(), None);
        self.forget(f, copies);
        f.clone_region(&self.blocks, copies);
        let (header, latch) = (copies.blocks[self.header].get()?, copies.blocks[self.latch].get()?);
        let is_back_first = f.succs(self.latch).next() == Some(self.back);
        let mut edges = f.succs(latch);
        let (yes, no) = (edges.next()?, edges.next()?);
        let (back, out) = if is_back_first { (yes, no) } else { (no, yes) };
        let blocks = self.blocks.iter().filter_map(|&b| copies.blocks[b].get()).collect();
        let phis = self.phis.iter().filter_map(|&phi| copies.values[phi]?.as_inst()).collect();
        Some(Round { blocks, header, latch, back, out, phis })
    }

    /// Forgets what stands for the parts of a round, so that others may be copied.
    pub fn forget(&self, f: &Body, copies: &mut Copies) {
        for &b in &self.blocks {
            copies.blocks[b] = Opt::NONE;
            f.insts(b).for_each(|i| copies.values[i] = None);
        }
    }

    /// Lets the next round be that of another copy. Its header's phis have this round's values for it.
    pub fn go_on_with(&self, f: &mut Body, other: &Round) {
        let nexts = self.nexts(f);
        f.redirect(self.back, other.header);
        other.enter(f, self.back, &nexts);
    }

    /// Sets what the header's phis get on an edge.
    pub fn enter(&self, f: &mut Body, e: Edge, values: &[Value]) {
        let slot = f.edge_slot(e);
        for (&phi, &v) in self.phis.iter().zip(values) {
            f.set_arg(phi, slot, v);
        }
    }

    /// Lets the latch go back where two values compare so.
    pub fn test(&self, f: &mut Body, place: Place, (goes_on, a, b): (IntPred, Value, Value)) -> Option<()> {
        let is_back_first = f.succs(self.latch).next() == Some(self.back);
        let pred = if is_back_first { goes_on } else { goes_on.inverse() };
        let again = compare(f, (At::BeforeTerminator(self.latch), place), pred, a, b);
        let branch = f.terminator(self.latch)?;
        f.set_arg(branch, 0, again);
        Some(())
    }

    /// Appends the header to the only block that enters it, if that goes nowhere else.
    pub fn join(&self, f: &mut Body) {
        f.merge_into_pred(self.header);
    }

    /// What a value of the original is in the copy that has been made last.
    pub fn value(copies: &Copies, v: Value) -> Value {
        v.as_inst().and_then(|i| copies.values.get(i).copied().flatten()).unwrap_or(v)
    }

    /// Instructions other than phis and branches.
    pub fn size(&self, f: &Body) -> usize {
        let counts = |i: &Inst| f.op(*i) != Op::Phi && !f.op(*i).is_terminator();
        self.blocks.iter().map(|&b| f.insts(b).filter(counts).count()).sum()
    }
}
