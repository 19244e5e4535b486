//! The range of every 32-bit integer and truth value of a body, and of operands where they stand: what a branch has asked of
//! two numbers holds in all that its edge dominates.
//!
//! A sweep goes over the dominator tree in preorder, so that all edges into a block are known before it but
//! for those that go back. Entering a block narrows what its only edge compared, and leaving its subtree takes
//! that back, so looking up a range is one load. What phis get by edges that go back is assumed: nothing at
//! first, so that only blocks that are reached count (as in sparse conditional constant propagation). Where
//! more comes, the side that has grown becomes what the operation at the end of the edge and the test on it
//! allow at most, then anything, and at the end of the outermost loop the sweep goes back to the first header
//! at which something has grown. After `MOST` times everything is assumed. Ranges only grow.
//! O(operands) where there are no loops; what is in loops is looked at two or three times as a rule.
//! (Widening to thresholds: Blanchet et al., "A static analyzer for large safety-critical software", 2003.)
//!
//! Of 64 bits, what is made of numbers of 32 is looked at where a quotient, a remainder or a truncation asks.
//!
//! What is passed and returned, and what is loaded from globals, is asked of `call_ranges`.
//!
//! Absent: relations between variables, other memory, other numbers of 64 bits.

use super::Dominators;
use super::call_ranges::CallRanges;
use super::range::{Range, decide, restrict, result};
use crate::base::{Column, Opt};
use crate::ir::{Block, Body, Edge, Inst, IntPred, Op, Type, Value};

/// An instruction about which something is known, and the ranges of its operands there. Of a conditional
/// branch, that of its condition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// A quotient, a remainder, a bitwise and with a constant; or what has one value only: any instruction, a
    /// comparison, a branch.
    pub inst: Inst,
    /// The range of its result, of a comparison or branch 0 or 1.
    pub result: Range,
    /// Those of its operands, if there are two.
    pub operands: [Range; 2],
}

/// The ranges, and the memory of the sweeps.
#[derive(Debug, Default)]
pub struct Ranges {
    /// What the last sweep has found, in preorder.
    pub found: Vec<Found>,
    /// Per instruction of 32 bits: its range, narrowed to what it is in the block at hand.
    now: Column<Inst, Range>,
    /// What `now` was before it was narrowed.
    log: Vec<(Inst, Range)>,
    blocks: Column<Block, Row>,
    /// Phis of blocks that edges go back to, block by block.
    phis: Vec<Phi>,
    /// The outermost loops, as numbers of their first block and of the last one from which an edge goes back.
    loops: Vec<(u32, u32)>,
    /// The lowest number of a block with a phi that was more than was assumed of it, or that was reached after it
    /// was passed; `u32::MAX` if there is none.
    lowest: u32,
}

#[derive(Copy, Clone, Debug, Default)]
struct Row {
    /// Its number in the preorder; 0 if it is not there.
    number: u32,
    /// The length of the log at its end.
    log: u32,
    /// Its first row in `phis`, plus one; 0 if nothing goes back to it.
    phis: u32,
    /// What had been found before it.
    found: u32,
    /// Some way leads to it.
    reached: bool,
    /// The only edge into it but for those of its own loop.
    only: Opt<Edge>,
}

#[derive(Copy, Clone, Debug)]
struct Phi {
    /// What comes by edges that go back.
    assumed: Range,
    /// All of it, in the sweep at hand.
    whole: Range,
    /// Its low end and its high end have been moved.
    widened: [bool; 2],
}

/// Sweeps over a loop, before the last of which everything is assumed.
const MOST: u32 = 14;
/// Sweeps after which what grows may be anything.
const PATIENT: u32 = 6;

impl Ranges {
    /// Finds what is known of values of the types i1 (0 or 1) and i32.
    #[inline(never)]
    pub fn compute(&mut self, f: &Body, dominators: &Dominators, calls: &CallRanges) {
        self.begin(f, dominators, calls);
        let (mut k, mut sweep, mut outermost) = (0, 1, 0);
        while let Some(&b) = dominators.preorder.get(k) {
            self.visit((f, calls), b, dominators.idom[b].get(), sweep > PATIENT);
            k += 1;
            let Some(&(first, last)) = self.loops.get(outermost).filter(|&&(_, last)| last as usize == k)
            else {
                continue;
            };
            if self.lowest == u32::MAX {
                (outermost, sweep) = (outermost + 1, 1);
                continue;
            }
            sweep += 1;
            if sweep == MOST {
                self.assume_all(f, &dominators.preorder[first as usize - 1..last as usize]);
                self.lowest = first;
            }
            k = std::mem::replace(&mut self.lowest, u32::MAX) as usize - 1;
            self.go_back(f, dominators, dominators.preorder[k], b);
        }
    }

    fn begin(&mut self, f: &Body, dominators: &Dominators, calls: &CallRanges) {
        self.blocks.reset(f.block_count(), Row::default());
        self.phis.clear();
        self.loops.clear();
        self.found.clear();
        self.log.clear();
        self.lowest = u32::MAX;
        self.now.reset(f.inst_count(), Range::NONE);
        for (k, i) in (0..).zip(f.params()) {
            self.now[i] = if f.ty(i) == Type::I32 { calls.argument(f.func, k) } else { Range::ALL };
        }
        for (number, &b) in (1..).zip(&dominators.preorder) {
            self.blocks[b].number = number;
            self.blocks[b].reached = number == 1;
        }
        for &b in &dominators.preorder {
            self.begin_block(f, dominators, b);
        }
    }

    fn begin_block(&mut self, f: &Body, dominators: &Dominators, b: Block) {
        let (blocks, preds) = (&self.blocks, f.preds(b));
        let number = blocks[b].number;
        let goes_back = |&e: &Edge| blocks[f.edge_from(e)].number >= number;
        let last = preds.iter().filter(|e| goes_back(e)).map(|&e| blocks[f.edge_from(e)].number).max();
        let mut forward = preds.iter().copied().filter(|e| !goes_back(e));
        let only = forward.next().filter(|_| forward.next().is_none());
        let returns = |&e: &Edge| Some(e) == only || dominators.dominates(b, f.edge_from(e));
        let only = only.filter(|_| last.is_none() || preds.iter().all(returns));
        self.blocks[b].only = Opt::from(only);
        let Some(last) = last else { return };
        match self.loops.last_mut() {
            Some(outer) if number <= outer.1 => outer.1 = last.max(outer.1),
            _ => self.loops.push((number, last)),
        }
        self.blocks[b].phis = self.phis.len() as u32 + 1;
        let phis = f.phis(b).filter(|&inst| is_looked_at(f.ty(inst)));
        self.phis.extend(phis.map(|_| Phi { assumed: Range::NONE, whole: Range::NONE, widened: [false; 2] }));
    }

    /// Assumes everything of the loops of these blocks.
    fn assume_all(&mut self, f: &Body, blocks: &[Block]) {
        for &b in blocks {
            let row = &mut self.blocks[b];
            if row.phis != 0 {
                row.reached = true;
                let rows = self.phis[row.phis as usize - 1..].iter_mut();
                let phis = f.phis(b).filter(|&inst| is_looked_at(f.ty(inst)));
                phis.zip(rows).for_each(|(_, row)| row.assumed = Range::ALL);
            }
        }
    }

    /// Goes back to a header behind which something has grown, from a block of its loop.
    fn go_back(&mut self, f: &Body, dominators: &Dominators, to: Block, from: Block) {
        self.found.truncate(self.blocks[to].found as usize);
        let above = dominators.idom[to].get();
        if above.is_some_and(|above| dominators.dominates(above, from)) {
            return;
        }
        // A loop with several entries: what has been narrowed above is narrowed again.
        self.take_back(0);
        let mut way = Vec::new();
        let mut at = above;
        while let Some(b) = at {
            way.push(b);
            at = dominators.idom[b].get();
        }
        for &b in way.iter().rev() {
            if let Some(e) = self.blocks[b].only.get().filter(|_| self.blocks[b].reached) {
                self.enter(f, e);
            }
            self.blocks[b].log = self.log.len() as u32;
        }
    }

    /// Shortens the log.
    fn take_back(&mut self, length: usize) {
        while self.log.len() > length
            && let Some((i, before)) = self.log.pop()
        {
            self.now[i] = before;
        }
    }

    fn visit(&mut self, (f, calls): (&Body, &CallRanges), b: Block, above: Option<Block>, is_late: bool) {
        self.take_back(above.map_or(0, |above| self.blocks[above].log as usize));
        self.blocks[b].found = self.found.len() as u32;
        let row = self.blocks[b];
        if row.reached {
            if row.phis != 0 {
                let rows = self.phis[row.phis as usize - 1..].iter_mut();
                for (phi, row) in f.phis(b).filter(|&inst| is_looked_at(f.ty(inst))).zip(rows) {
                    self.now[phi] = self.now[phi].join(row.assumed);
                    row.whole = self.now[phi];
                }
            }
            if let Some(e) = row.only.get() {
                self.enter(f, e);
            }
            f.insts(b).for_each(|i| self.evaluate(f, calls, i));
            self.leave(f, b, is_late);
        }
        self.blocks[b].log = self.log.len() as u32;
    }

    /// The range of a value in the block at hand; of what has no 32 bits, anything.
    fn of(&self, f: &Body, v: Value) -> Range {
        match v.as_inst() {
            Some(i) if is_looked_at(f.ty(i)) => self.now[i],
            Some(_) => Range::ALL,
            None => number(f, v),
        }
    }

    /// How two sums of one value with numbers compare, if neither wraps around: x - 1 < x + 2.
    fn by_distance(&self, f: &Body, i: Inst, a: Value, b: Value) -> Option<bool> {
        let parts = |v: Value| {
            let sum = v.as_inst().filter(|&i| f.op(i) == Op::Add && f.ty(i) == Type::I32);
            sum.and_then(|i| Some((f.arg(i, 0), f.as_int(f.arg(i, 1))?))).unwrap_or((v, 0))
        };
        let ((x, more), (same, other)) = (parts(a), parts(b));
        if x != same || x.is_number() || f.type_of(x) != Type::I32 {
            return None;
        }
        let range = self.of(f, x);
        let fits = |number: i64| {
            let ends = [range.low, range.high].map(|end| i32::try_from(i64::from(end) + number));
            ends.iter().all(|end| end.is_ok())
        };
        let number = |x: i64| i32::try_from(x).ok().map(Range::one);
        let pred = IntPred::from_payload(f.payload(i));
        let is_signed = !matches!(pred, IntPred::Ult | IntPred::Ule | IntPred::Ugt | IntPred::Uge);
        if !is_signed || !fits(more) || !fits(other) {
            return None;
        }
        decide(pred, number(more)?, number(other)?)
    }

    fn evaluate(&mut self, f: &Body, calls: &CallRanges, i: Inst) {
        let op = f.op(i);
        let ty = f.ty(i);
        if !is_looked_at(ty) {
            if ty == Type::I64 && matches!(op, Op::SDiv | Op::SRem) {
                self.evaluate_wide(f, i);
            }
            return;
        }
        let mut operands = [Range::ALL; 2];
        let range = match *f.args(i) {
            _ if op == Op::Phi => self.now[i],
            ref arguments if op == Op::Call => match ty {
                Type::I32 => calls.result(f.callee(i), arguments.len()),
                _ => Range::ALL,
            },
            [address] if op == Op::Load && ty == Type::I32 => calls.loaded(f, address),
            [a, b] if op == Op::ICmp => {
                let truth = comparison(f, Value::inst(i))
                    .and_then(|(pred, ..)| decide(pred, self.of(f, a), self.of(f, b)));
                let truth = truth.or_else(|| self.is_right_product(f, i, a, b).then_some(false));
                let truth = truth.or_else(|| self.by_distance(f, i, a, b));
                truth.map_or(TRUTH, |truth| Range::one(truth.into()))
            }
            [a] if op == Op::ZExt && f.type_of(a) == Type::I1 => Range { low: 0, high: 1 },
            [a] if op == Op::ZExt && f.type_of(a) == Type::I8 => Range { low: 0, high: 255 },
            [a] if op == Op::ZExt && f.type_of(a) == Type::I16 => Range { low: 0, high: 0xffff },
            [a] if op == Op::Trunc && f.type_of(a) == Type::I64 => {
                self.wide(f, a, DEEP).map_or(Range::ALL, |[low, high]| Range::wide(low, high))
            }
            [c, a, b] if op == Op::Select => {
                let [a, b] = [(a, true), (b, false)].map(|(v, way)| self.restricted(f, v, c, way));
                a.join(b)
            }
            [a, b] if op.has(crate::ir::opcode::PURE) => {
                operands = [self.of(f, a), self.of(f, b)];
                match op == Op::And && !b.is_number() && self.is_right_sum(f, a, b) {
                    true => Range { low: 0, high: i32::MAX },
                    false => result(op, operands[0], operands[1]),
                }
            }
            _ => Range::ALL,
        };
        // Here true is 1. To operations that know signs it is -1, and a sum may be 2.
        let is_bit = matches!(
            op,
            Op::Phi
                | Op::ICmp
                | Op::Select
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::Add
                | Op::Sub
                | Op::Mul
                | Op::Trunc
        );
        let range = if ty != Type::I1 || is_bit && TRUTH.has(range) { range } else { TRUTH };
        self.now[i] = range;
        let is_asked = match op {
            Op::SDiv | Op::And => operands[0].is_natural(),
            Op::SRem => true,
            _ => false,
        };
        if is_asked && f.arg(i, 1).is_number() || range.single().is_some() {
            self.found.push(Found { inst: i, result: range, operands });
        }
    }

    /// True for the signs that tell of a sum or a difference that wraps, if it does not: `(a ^ s) & (b ^ s)` of
    /// `s = a + b`, and `(a ^ b) & (a ^ d)` of `d = a - b` (`-fsanitize`).
    fn is_right_sum(&self, f: &Body, x: Value, y: Value) -> bool {
        let operands = |v: Value| match v.as_inst().filter(|&i| f.op(i) == Op::Xor).map(|i| f.args(i)) {
            Some(&[a, b]) => Some([a, b]),
            _ => None,
        };
        let (Some(x), Some(y)) = (operands(x), operands(y)) else { return false };
        let same = |[a, b]: [Value; 2], other: [Value; 2]| other == [a, b] || other == [b, a];
        x.into_iter().chain(y).any(|result| {
            let Some(i) = result.as_inst().filter(|&i| f.ty(i) == Type::I32) else { return false };
            let (one, other) = match (f.op(i), f.args(i)) {
                (Op::Add, &[a, b]) => ([a, result], [b, result]),
                (Op::Sub, &[a, b]) => ([a, b], [a, result]),
                _ => return false,
            };
            (same(x, one) && same(y, other) || same(x, other) && same(y, one)) && self.is_right(f, i)
        })
    }

    /// True for the comparison that tells of a product that wraps, if it does not: of its upper half and the sign of
    /// the lower one.
    fn is_right_product(&self, f: &Body, compare: Inst, a: Value, b: Value) -> bool {
        let (Some(x), Some(y)) = (a.as_inst(), b.as_inst()) else { return false };
        if f.payload(compare) != IntPred::Ne as u32 {
            return false;
        }
        let is_of = |high: Inst, sign: Inst| match (f.args(high), f.args(sign)) {
            (&[a, b], &[product, bits]) if f.op(high) == Op::SMulHi && f.op(sign) == Op::AShr => {
                let i = product.as_inst().filter(|&i| f.op(i) == Op::Mul && f.ty(i) == Type::I32);
                let is_same =
                    |i: &Inst| matches!(*f.args(*i), [c, d] if [c, d] == [a, b] || [c, d] == [b, a]);
                f.as_int(bits) == Some(31) && i.filter(is_same).is_some_and(|i| self.is_right(f, i))
            }
            _ => false,
        };
        is_of(x, y) || is_of(y, x)
    }

    /// True if what is added or multiplied does not wrap.
    fn is_right(&self, f: &Body, i: Inst) -> bool {
        let range = result(f.op(i), self.of(f, f.arg(i, 0)), self.of(f, f.arg(i, 1)));
        range != Range::ALL && !range.is_none()
    }

    /// A quotient or remainder of 64 bits by a number.
    fn evaluate_wide(&mut self, f: &Body, i: Inst) {
        if f.arg(i, 1).is_number() && self.wide(f, f.arg(i, 0), DEEP).is_some_and(|[low, _]| low >= 0) {
            let natural = Range { low: 0, high: i32::MAX };
            self.found.push(Found { inst: i, result: Range::ALL, operands: [natural, Range::ALL] });
        }
    }

    /// The least and the greatest of what is made of numbers of 32 bits in a few steps, if nothing wraps.
    fn wide(&self, f: &Body, v: Value, depth: u32) -> Option<[i64; 2]> {
        let Some(i) = v.as_inst() else { return f.as_int(v).map(|x| [x; 2]) };
        let below = depth.checked_sub(1)?;
        match *f.args(i) {
            [a] if f.type_of(a) == Type::I32 => match (f.op(i), self.of(f, a)) {
                (_, range) if range.is_none() => None,
                (Op::ZExt, range) if !range.is_natural() => Some([0, u32::MAX.into()]),
                (Op::SExt | Op::ZExt, range) => Some([range.low.into(), range.high.into()]),
                _ => None,
            },
            [a, b] => wide_result(f.op(i), || self.wide(f, a, below), self.wide(f, b, below)?),
            _ => None,
        }
    }

    /// What a truth value is in the block at hand.
    fn condition(&self, f: &Body, c: Value) -> Option<bool> {
        if let Some(x) = self.of(f, c).single() {
            return Some(x != 0);
        }
        let (pred, a, b) = comparison(f, c)?;
        decide(pred, self.of(f, a), self.of(f, b))
    }

    /// The range of a value where a condition is as it is said.
    fn restricted(&self, f: &Body, v: Value, c: Value, way: bool) -> Range {
        if v == c {
            return Range::one(way.into());
        }
        let range = self.of(f, v);
        let Some((pred, a, b)) = comparison(f, c) else { return range };
        let pred = if way { pred } else { pred.inverse() };
        if v == a {
            restrict(range, pred, self.of(f, b))
        } else if v == b {
            restrict(range, pred.swapped(), self.of(f, a))
        } else {
            range
        }
    }

    /// Narrows what the branch compares that this edge comes from.
    fn enter(&mut self, f: &Body, e: Edge) {
        let Some((c, way)) = branched(f, e) else { return };
        let (a, b) = comparison(f, c).map_or((c, c), |(_, a, b)| (a, b));
        for v in [a, b, c] {
            if let Some(i) = v.as_inst() {
                let narrowed = self.restricted(f, v, c, way);
                self.log.push((i, self.now[i]));
                self.now[i] = narrowed;
            }
        }
    }

    /// Tells the blocks behind what comes to them.
    fn leave(&mut self, f: &Body, b: Block, is_late: bool) {
        let number = self.blocks[b].number;
        let Some(last) = f.terminator(b) else { return };
        let known = match f.op(last) {
            Op::CondBr => self.condition(f, f.arg(last, 0)),
            _ => None,
        };
        if let Some(truth) = known {
            let result = Range::one(truth.into());
            self.found.push(Found { inst: last, result, operands: [Range::ALL; 2] });
        }
        for (k, e) in f.succs(b).enumerate() {
            let way = k == 0;
            if known.is_some_and(|truth| truth != way) {
                continue;
            }
            let to = f.edge_to(e);
            let row = &mut self.blocks[to];
            let is_new = !std::mem::replace(&mut row.reached, true);
            if row.number > number {
                self.bring(f, e, to);
            } else {
                if is_new {
                    self.lowest = self.lowest.min(row.number);
                }
                self.bring_back(f, e, to, is_late);
            }
        }
    }

    /// What an edge brings to a phi.
    fn brought(&self, f: &Body, e: Edge, phi: Inst) -> Range {
        let v = f.arg(phi, f.edge_slot(e));
        match branched(f, e) {
            Some((c, way)) => self.restricted(f, v, c, way),
            None => self.of(f, v),
        }
    }

    fn bring(&mut self, f: &Body, e: Edge, to: Block) {
        for phi in f.phis(to).filter(|&phi| is_looked_at(f.ty(phi))) {
            self.now[phi] = self.now[phi].join(self.brought(f, e, phi));
        }
    }

    fn bring_back(&mut self, f: &Body, e: Edge, to: Block, is_late: bool) {
        let first = self.blocks[to].phis as usize - 1;
        for (at, phi) in (first..).zip(f.phis(to).filter(|&phi| is_looked_at(f.ty(phi)))) {
            let brought = self.brought(f, e, phi);
            let row = self.phis[at];
            if !row.whole.has(brought) {
                let most = self.at_most(f, e, phi).join(brought);
                let whole = row.whole.join(row.assumed);
                let grows = [brought.low < whole.low, brought.high > whole.high]
                    .map(|grows| grows && !whole.is_none());
                // `s = (s * 31 + 7) % 1009` stays natural if it is from the start; what steps down goes on.
                let ends = !is_step(f, f.arg(phi, f.edge_slot(e)));
                let to_zero =
                    [ends && brought.low >= 0 && most.low < 0, ends && brought.high <= 0 && most.high > 0];
                let wider = Range {
                    low: match grows[0] {
                        true if to_zero[0] => 0,
                        true if row.widened[0] => i32::MIN,
                        true => most.low,
                        false => brought.low,
                    },
                    high: match grows[1] {
                        true if to_zero[1] => 0,
                        true if row.widened[1] => i32::MAX,
                        true => most.high,
                        false => brought.high,
                    },
                };
                let row = &mut self.phis[at];
                let is_open = wider.low == i32::MIN || wider.high == i32::MAX;
                let goes_on = !is_late && (!is_open || is_step(f, f.arg(phi, f.edge_slot(e))));
                row.assumed = if goes_on { row.assumed.join(wider) } else { Range::ALL };
                let widens = [0, 1].map(|end| grows[end] && !to_zero[end]);
                row.widened = [row.widened[0] | widens[0], row.widened[1] | widens[1]];
                self.lowest = self.lowest.min(self.blocks[to].number);
            }
        }
    }

    /// What an edge can bring at most, whatever the operands of the operations are.
    fn at_most(&self, f: &Body, e: Edge, phi: Inst) -> Range {
        let v = f.arg(phi, f.edge_slot(e));
        let most = match v.as_inst() {
            Some(i) if f.ty(i) == Type::I1 => TRUTH,
            Some(i) if matches!(f.op(i), Op::Phi | Op::Select) => of_choices(f, i, phi),
            _ => intrinsic(f, v),
        };
        let Some((c, way)) = branched(f, e) else { return most };
        let Some((pred, a, b)) = comparison(f, c) else { return most };
        let pred = if way { pred } else { pred.inverse() };
        if v == a {
            restrict(most, pred, self.of(f, b))
        } else if v == b {
            restrict(most, pred.swapped(), self.of(f, a))
        } else {
            most
        }
    }
}

/// Operations over which numbers of 64 bits are followed.
const DEEP: u32 = 4;

/// The ends of what an operation on two numbers of 64 bits makes, if nothing wraps.
fn wide_result(op: Op, a: impl FnOnce() -> Option<[i64; 2]>, b: [i64; 2]) -> Option<[i64; 2]> {
    let of_ends = |a: [i64; 2], f: fn(i64, i64) -> Option<i64>| {
        let corners = [f(a[0], b[0])?, f(a[0], b[1])?, f(a[1], b[0])?, f(a[1], b[1])?];
        Some(corners.iter().fold([i64::MAX, i64::MIN], |[low, high], &x| [low.min(x), high.max(x)]))
    };
    match op {
        Op::Add => of_ends(a()?, i64::checked_add),
        Op::Sub => of_ends(a()?, i64::checked_sub),
        Op::Mul => of_ends(a()?, i64::checked_mul),
        Op::SDiv if b[0] > 0 => of_ends(a()?, i64::checked_div),
        Op::SRem if b[0] > 0 => {
            let [low, high] = a().unwrap_or([i64::MIN, i64::MAX]);
            Some([low.min(0).max(1 - b[1]), high.max(0).min(b[1] - 1)])
        }
        // The remainder that a fraction is times the divisor.
        Op::UMulHi if b[0] > 0 => Some([0, b[1] - 1]),
        _ => None,
    }
}

/// False or true.
const TRUTH: Range = Range { low: 0, high: 1 };

fn is_looked_at(ty: Type) -> bool {
    matches!(ty, Type::I1 | Type::I32)
}

/// A constant; anything else may be anything.
pub(super) fn number(f: &Body, v: Value) -> Range {
    let Some(x) = f.as_int(v).and_then(|x| i32::try_from(x).ok()) else { return Range::ALL };
    Range::one(if f.type_of(v) == Type::I1 { (x != 0).into() } else { x })
}

/// The range of a value by its operation alone.
fn intrinsic(f: &Body, v: Value) -> Range {
    let Some(i) = v.as_inst() else { return number(f, v) };
    match *f.args(i) {
        [a, b] if f.op(i) != Op::Phi => result(f.op(i), number(f, a), number(f, b)),
        _ => Range::ALL,
    }
}

/// Operands of phis and choices that are followed.
const MOST_CHOICES: usize = 12;

/// What comes through phis and choices, whatever the operands of other operations are; but for what comes from a phi.
fn of_choices(f: &Body, first: Inst, but: Inst) -> Range {
    let mut choices = [but; MOST_CHOICES];
    choices[1] = first;
    let (mut count, mut operands, mut most) = (2, 0, Range::NONE);
    let mut k = 1;
    while k < count {
        let i = choices[k];
        let args = if f.op(i) == Op::Phi { f.args(i) } else { &f.args(i)[1..] };
        operands += args.len();
        for &v in args {
            match v.as_inst().filter(|&i| matches!(f.op(i), Op::Phi | Op::Select)) {
                Some(i) if choices[..count].contains(&i) => {}
                Some(i) if count < MOST_CHOICES && operands < MOST_CHOICES => {
                    choices[count] = i;
                    count += 1;
                }
                Some(_) => return Range::ALL,
                None => most = most.join(intrinsic(f, v)),
            }
        }
        k += 1;
    }
    most
}

/// True for a sum with a constant, and for a choice of such: what has no bound on one side may have one on the
/// other. Of anything else that grows without bound nothing is known, and it is known soon.
fn is_step(f: &Body, v: Value) -> bool {
    let is_sum = |v: Value| v.as_inst().is_some_and(|i| f.op(i) == Op::Add && f.arg(i, 1).is_number());
    match v.as_inst() {
        Some(i) if f.op(i) == Op::Phi => f.args(i).iter().take(4).all(|&v| is_sum(v)),
        _ => is_sum(v),
    }
}

/// The condition of the branch that an edge comes from, and which way it went.
pub(super) fn branched(f: &Body, e: Edge) -> Option<(Value, bool)> {
    let from = f.edge_from(e);
    let branch = f.terminator(from).filter(|&i| f.op(i) == Op::CondBr)?;
    Some((f.arg(branch, 0), f.ways(branch).0 == e))
}

/// A comparison of two numbers of 32 bits.
pub(super) fn comparison(f: &Body, c: Value) -> Option<(IntPred, Value, Value)> {
    let i = c.as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
    let (a, b) = (f.arg(i, 0), f.arg(i, 1));
    (f.type_of(a) == Type::I32).then(|| (IntPred::from_payload(f.payload(i)), a, b))
}
