//! What tests that leave a loop count: an induction variable goes up or down by a constant in each round and
//! is compared with a value that the loop does not change. O(phis of the header) a test.

use crate::base::graph::Loop;
use crate::ir::{Block, Body, Edge, Inst, IntPred, Op, Type, Value};
use crate::opt::loops::canonical_loops::preheader;
use crate::opt::run::analyses::Analyses;

/// A loop with a preheader and one latch.
#[derive(Copy, Clone)]
pub struct Around<'a> {
    /// The function,
    pub f: &'a Body,
    /// and what is known of it.
    pub analyses: &'a Analyses,
    /// The loop.
    pub l: Loop,
    /// Its first block,
    pub header: Block,
    /// its last one,
    pub latch: Block,
    /// and its preheader.
    pub in_front: Block,
    /// Into the loop.
    pub enters: Edge,
    /// From its end to its header.
    pub goes_back: Edge,
}

/// A test that counts.
#[derive(Copy, Clone, Debug)]
pub struct Counted {
    /// The induction variable.
    pub phi: Inst,
    /// What it is in the next round,
    pub next: Value,
    /// and in the first.
    pub first: Value,
    /// What is added in a round.
    pub step: i64,
    /// The comparison.
    pub compare: Inst,
    /// What the variable is compared with.
    pub bound: Value,
    /// How they compare when the loop goes on.
    pub goes_on: IntPred,
    /// What is compared is the variable in the next round.
    pub is_next: bool,
}

impl<'a> Around<'a> {
    /// The loop, if it is of that form.
    pub fn of(f: &'a Body, analyses: &'a Analyses, l: Loop) -> Option<Around<'a>> {
        let &[latch] = analyses.loops.latches(l) else { return None };
        let header = analyses.loops.header[l];
        let in_front = preheader(f, analyses, l)?;
        let to_header = |b: Block| {
            let mut edges = f.succs(b).filter(|&e| f.edge_to(e) == header);
            edges.next().filter(|_| edges.next().is_none())
        };
        let (enters, goes_back) = (to_header(in_front)?, to_header(latch)?);
        Some(Around { f, analyses, l, header, latch, in_front, enters, goes_back })
    }

    /// True if the loop does not define the value.
    pub fn is_outside(&self, v: Value) -> bool {
        let home = v.as_inst().and_then(|i| self.f.block_of(i));
        home.is_none_or(|b| !self.analyses.loops.contains(self.l, b))
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
        let is_out = |e: &Edge| !self.analyses.loops.contains(self.l, self.f.edge_to(*e));
        let mut out = self.f.succs(b).filter(is_out);
        out.next().filter(|_| out.next().is_none() && self.f.succs(b).len() == 2)
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

    /// What the test at the end of a block of the loop counts.
    pub fn counted(&self, b: Block) -> Option<Counted> {
        let f = self.f;
        let (compare, goes_on) = self.comparison(b)?;
        let &[x, y] = f.args(compare) else { return None };
        let (v, bound, goes_on) = match (self.is_outside(x), self.is_outside(y)) {
            (false, true) => (x, y, goes_on),
            (true, false) => (y, x, goes_on.swapped()),
            _ => return None,
        };
        let steps = |phi: Inst| {
            let (first, next) = self.phi(Value::inst(phi))?;
            let step = f.as_int(self.added(next, Value::inst(phi))?)?;
            let is_next = next == v;
            let fits = is_next || Value::inst(phi) == v;
            fits.then_some(Counted { phi, next, first, step, compare, bound, goes_on, is_next })
        };
        f.phis(self.header).find_map(steps)
    }

    /// True if the loop is left at some time, by a test that each round comes to; if the loops inside of it
    /// are.
    pub fn ends(&self) -> bool {
        let ends = |&b: &Block| {
            self.analyses.dominators.dominates(b, self.latch)
                && self.counted(b).is_some_and(|counted| counted.ends(self.f))
        };
        self.analyses.loops.blocks(self.l).iter().any(ends)
    }
}

impl Counted {
    /// True if the test fails at some time, whatever the first value and the bound are.
    fn ends(&self, f: &Body) -> bool {
        use IntPred::*;
        let bound = f.as_int(self.bound);
        // How far a number that goes on may move without wrapping around.
        let fits = |x: Option<i64>| x.is_some_and(|x| i32::try_from(x).is_ok());
        let next = |edge: i64| bound.and_then(|bound| bound.checked_add(edge)?.checked_add(self.step));
        match self.goes_on {
            Eq => self.step & i64::from(u32::MAX) != 0,
            Ne => self.step & 1 != 0,
            Slt => self.step == 1 || self.step > 0 && fits(next(-1)),
            Sgt => self.step == -1 || self.step < 0 && fits(next(1)),
            Sle => self.step > 0 && fits(next(0)),
            Sge => self.step < 0 && fits(next(0)),
            Ult => self.step == 1,
            Ugt => self.step == -1,
            Ule | Uge => false,
        }
    }
}

/// How often first + step, first + 2 step, ... is compared until the loop does not go on, if that is before
/// it wraps around.
pub fn constant_rounds(first: i64, step: i64, (goes_on, bound): (IntPred, i64)) -> Option<u32> {
    let (low, high) = match goes_on {
        IntPred::Slt => (i64::MIN, bound.checked_sub(1)?),
        IntPred::Sle => (i64::MIN, bound),
        IntPred::Sgt => (bound.checked_add(1)?, i64::MAX),
        IntPred::Sge => (bound, i64::MAX),
        IntPred::Ne if step == 0 || (bound - first) % step != 0 => return None,
        IntPred::Ne if step > 0 && first < bound => (i64::MIN, bound - 1),
        IntPred::Ne if step < 0 && first > bound => (bound + 1, i64::MAX),
        _ => return None,
    };
    // The last number that is compared is the first outside of what goes on.
    let rounds = match step {
        1.. if high != i64::MAX => ((high - first).max(0)) / step + 1,
        ..=-1 if low != i64::MIN => ((first - low).max(0)) / -step + 1,
        _ => return None,
    };
    let last = first.checked_add(step.checked_mul(rounds)?)?;
    i32::try_from(last).ok()?;
    u32::try_from(rounds).ok()
}
