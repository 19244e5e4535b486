//! A loop in simplified form, as LLVM calls it: one block in front that goes nowhere else (the preheader), one
//! block that goes back to the header (the latch). The one record of a loop that analyses and passes share;
//! `canonical_loops` brings loops into the form. O(edges at the header) to make, nothing is kept.

use super::{Dominators, Loops, Order};
use crate::base::graph::Loop;
use crate::ir::{Block, Body, Edge, Inst, IntPred, Op, Type, Value};

/// A loop with a preheader and one latch.
#[derive(Copy, Clone)]
pub struct SimpleLoop<'a> {
    /// The function,
    pub f: &'a Body,
    /// its loops,
    pub loops: &'a Loops,
    /// and its dominator tree.
    pub dominators: &'a Dominators,
    /// The loop.
    pub l: Loop,
    /// Its first block,
    pub header: Block,
    /// its last one,
    pub latch: Block,
    /// and the one in front of it.
    pub preheader: Block,
    /// Into the loop.
    pub enters: Edge,
    /// From its end to its header.
    pub goes_back: Edge,
}

/// The block that enters a loop, if there is but one and it goes nowhere else.
pub fn preheader(f: &Body, loops: &Loops, l: Loop) -> Option<Block> {
    let mut outside = None;
    for b in f.preds(loops.header[l]).iter().map(|&e| f.edge_from(e)) {
        if !loops.contains(l, b) && outside.replace(b).is_some() {
            return None;
        }
    }
    outside.filter(|&b| f.succs(b).len() == 1)
}

/// True if loops have preheaders and dedicated exits, and their values are used outside by phis of these only: LLVM's
/// simplified form, and loop-closed SSA. O(instructions and their uses).
pub fn is_canonical(f: &Body, order: &Order, loops: &Loops) -> bool {
    let is_left = |l: Loop, b: Block| f.preds(b).iter().all(|&e| loops.contains(l, f.edge_from(e)));
    let has_form = |l: Loop| {
        let mut out = loops.blocks(l).iter().flat_map(|&b| f.succs(b)).map(|e| f.edge_to(e));
        preheader(f, loops, l).is_some() && out.all(|b| loops.contains(l, b) || is_left(l, b))
    };
    let is_closed = |l: Loop, i: Inst| {
        f.uses(i).all(|u| {
            let at = f.block_of(u.user).map(|b| match f.op(u.user) {
                Op::Phi => f.edge_from(f.preds(b)[u.operand as usize]),
                _ => b,
            });
            at.is_none_or(|at| loops.contains(l, at) || !order.reaches(at))
        })
    };
    loops.header.keys().all(|l| {
        let own = loops.blocks(l).iter().filter(|&&b| loops.innermost[b].get() == Some(l));
        has_form(l) && own.flat_map(|&b| f.insts(b)).all(|i| is_closed(l, i))
    })
}

/// A loop in simplified form, to be kept while the body is changed.
#[derive(Copy, Clone, Debug)]
pub struct LoopRecord {
    /// The loop,
    pub l: Loop,
    /// its first block,
    pub header: Block,
    /// its last one,
    pub latch: Block,
    /// and the one in front of it.
    pub preheader: Block,
    /// The slot of the header's phis for what comes from in front.
    pub enters: usize,
    /// And from the latch.
    pub goes_back: usize,
}

impl<'a> SimpleLoop<'a> {
    /// The loop, if it is of that form.
    pub fn of(
        f: &'a Body,
        (loops, dominators): (&'a Loops, &'a Dominators),
        l: Loop,
    ) -> Option<SimpleLoop<'a>> {
        let &[latch] = loops.latches(l) else { return None };
        let header = loops.header[l];
        let &[a, b] = f.preds(header) else { return None };
        let (enters, goes_back) = if f.edge_from(a) == latch { (b, a) } else { (a, b) };
        let preheader = f.edge_from(enters);
        let is_simple =
            f.edge_from(goes_back) == latch && !loops.contains(l, preheader) && f.succs(preheader).len() == 1;
        is_simple.then_some(SimpleLoop {
            f,
            loops,
            dominators,
            l,
            header,
            latch,
            preheader,
            enters,
            goes_back,
        })
    }

    /// What stays true while instructions are changed.
    pub fn record(&self) -> LoopRecord {
        let &SimpleLoop { f, l, header, latch, preheader, .. } = self;
        let [enters, goes_back] = [self.enters, self.goes_back].map(|e| f.edge_slot(e));
        LoopRecord { l, header, latch, preheader, enters, goes_back }
    }

    /// True if the loop does not define the value.
    pub fn is_outside(&self, v: Value) -> bool {
        let home = v.as_inst().and_then(|i| self.f.block_of(i));
        home.is_none_or(|b| !self.loops.contains(self.l, b))
    }

    /// True if a block stands in each trip through the loop that goes back.
    pub fn in_each_trip(&self, b: Block) -> bool {
        self.loops.contains(self.l, b) && self.dominators.dominates(b, self.latch)
    }

    /// True if a block may leave the loop.
    pub fn may_leave(&self, b: Block) -> bool {
        self.f.succs(b).any(|e| !self.loops.contains(self.l, self.f.edge_to(e)))
    }

    /// True if an instruction is executed before the loop is left.
    pub fn is_certain(&self, i: Inst) -> bool {
        let Some(home) = self.f.block_of(i) else { return false };
        let is_behind = |&b: &Block| !self.may_leave(b) || self.dominators.dominates(home, b);
        self.loops.blocks(self.l).iter().all(is_behind)
    }

    /// True if the loop is left behind its latch only.
    pub fn is_left_behind_latch(&self) -> bool {
        self.loops.blocks(self.l).iter().all(|&b| b == self.latch || !self.may_leave(b))
    }

    /// What a phi of the header starts with, and what it is in the next round.
    pub fn phi(&self, v: Value) -> Option<(Value, Value)> {
        let f = self.f;
        let phi = v.as_inst().filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(self.header))?;
        Some((f.arg(phi, f.edge_slot(self.enters)), f.arg(phi, f.edge_slot(self.goes_back))))
    }

    /// The other side of a sum with `v`.
    pub fn added(&self, sum: Value, v: Value) -> Option<Value> {
        let f = self.f;
        let &[a, b] = f.args(sum.as_inst().filter(|&i| f.op(i) == Op::Add && f.ty(i) == Type::I32)?) else {
            return None;
        };
        if a == v { Some(b) } else { Some(a).filter(|_| b == v) }
    }

    /// The edge on which a block of the loop leaves it, if one of two does.
    pub fn leaves(&self, b: Block) -> Option<Edge> {
        let mut edges = self.f.succs(b);
        let (a, b, none) = (edges.next()?, edges.next()?, edges.next());
        let [leaves_on_a, leaves_on_b] = [a, b].map(|e| !self.loops.contains(self.l, self.f.edge_to(e)));
        (none.is_none() && leaves_on_a != leaves_on_b).then_some(if leaves_on_a { a } else { b })
    }

    /// How often it goes round where it is entered, on average, by what a profile says of the ways out that each round comes by.
    pub fn average_rounds(&self) -> Option<f64> {
        let f = self.f;
        let stays = |&b: &Block| {
            let leaves = self.leaves(b)?;
            let end = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr)?;
            let yes = f.flags(end).chance()?;
            let is_passed =
                self.loops.innermost[b].get() == Some(self.l) && self.dominators.dominates(b, self.latch);
            is_passed.then_some(if f.ways(end).0 == leaves { 1.0 - yes } else { yes })
        };
        let all = self.loops.blocks(self.l).iter().filter_map(stays).reduce(|a, b| a * b)?;
        Some(1.0 / (1.0 - all).max(f64::EPSILON))
    }

    /// The comparison at the end of a block that may leave the loop, and how it is if the loop goes on.
    pub fn comparison(&self, b: Block) -> Option<(Inst, IntPred)> {
        let f = self.f;
        let leaves = self.leaves(b)?;
        let test = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr)?;
        let compare = f.arg(test, 0).as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
        let leaves_if_true = f.ways(test).0 == leaves;
        let pred = IntPred::from_payload(f.payload(compare));
        Some((compare, if leaves_if_true { pred.inverse() } else { pred }))
    }
}
