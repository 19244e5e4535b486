//! Products, quotients and remainders by constants, as what the target does instead of them
//! (`analysis/target` says what that costs there): shifts and sums; biased shifts; the upper half of a
//! product with a scaled reciprocal (`analysis/magic`). So value numbering sees the parts, and selection need
//! not know.
//!
//! | operation | becomes |
//! | --- | --- |
//! | x * (2^k + 1) 2^z and the like | one or two of shift, sum, difference |
//! | x / 2^k | (x + (s >>> w - k)) >> k, with s = x >> w - 1 |
//! | x % 2^k | x - ((x + (s >>> w - k)) & -2^k) |
//! | x / d | upper half of x m, shifted; plus 1 if x is negative |
//! | x / 2^k d, `exact` | (x >> k) m, where m d is 1 modulo 2^w |
//! | x % d | x - (x / d) d |
//! | x % y, where the block has x / y | x - (x / y) y, if the machine has no remainders |
//! | x % d in a loop, of 32 bits | upper half of (x m modulo 2^64) d, less d - 1 if x is negative |
//!
//! One look at every instruction; O(what is expanded) beyond. Absent: divisors that need a multiplier of 33
//! bits where the dividend has no sign, products with more than two parts. Where the size of code counts, a division is one
//! instruction beside its divisor, and only what is one shift or mask is made of it.

use crate::analysis::TargetFacts;
use crate::analysis::magic::{Odd, Reciprocal, fraction, inverse, signed_reciprocal, unsigned_reciprocal};
use crate::analysis::range::Range;
use crate::ir::{At, Body, Flags, Inst, IntPred, Number, Op, Size, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static EXPAND: FuncPass = FuncPass {
    name: "expand",
    description: "make products and quotients by constants of what is cheaper on the target",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Uses of a dividend that are looked at for its quotient.
const MOST_USES: usize = 32;

/// What looks as if it might be expanded.
#[derive(Debug, Default)]
struct Scratch {
    found: Vec<Inst>,
    /// Those that are `is_direct`.
    direct: Vec<Inst>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, Scratch { found, direct }: &mut Scratch) -> Outcome {
    let (mut changed, is_small) = (false, cx.size != Size::Any);
    cx.scratch.changes.list_new(cx.f);
    let is_expanded = |op| matches!(op, Op::Mul | Op::SDiv | Op::SRem | Op::UDiv | Op::URem);
    found.clear();
    found.extend(cx.f.ops().filter(|&(_, op)| is_expanded(op)).map(|(i, _)| i));
    // While quotients are there; in the order of what is found.
    direct.clear();
    direct.extend(found.iter().copied().filter(|&i| matches!(cx.f.op(i), Op::SRem | Op::URem)));
    direct.retain(|&i| is_direct(cx, i));
    let mut direct = direct.iter().copied().peekable();
    for &i in found.iter() {
        let is_direct = direct.next_if_eq(&i).is_some();
        let op = cx.f.op(i);
        let &[x, by] = cx.f.args(i) else { continue };
        let Some(number) = cx.f.number(by) else {
            changed |= beside_quotient(cx, i);
            continue;
        };
        let ty = cx.f.ty(i);
        let fits = matches!(ty, Type::I32 | Type::I64) && ty.int_bits() <= cx.target.word;
        if !fits || x.is_constant() {
            continue;
        }
        let is_exact = cx.f.flags(i).has(Flags::EXACT);
        let mut e = Expansion { f: cx.f, target: cx.target, i, ty, is_direct };
        let result = match op {
            Op::SDiv | Op::UDiv if is_exact => e.exact_quotient(op, x, number),
            Op::SDiv | Op::SRem if is_small => None,
            Op::UDiv | Op::URem if is_small && number.bits.count_ones() != 1 => None,
            Op::Mul if e.stays_in_sum(number.signed()) => None,
            Op::Mul => e.product(x, number.signed()),
            Op::SDiv => e.quotient(x, number.signed()),
            Op::SRem => e.remainder(x, number.signed()),
            Op::UDiv => e.unsigned_quotient(x, number.unsigned()),
            _ => e.unsigned_remainder(x, number.unsigned()),
        };
        if let Some(last) = result {
            e.finish(last);
            changed = true;
            // A sum with it is a difference.
            if cx.f.op(i) == Op::Sub && cx.f.as_int(cx.f.arg(i, 0)) == Some(0) {
                cx.scratch.changes.replaced_in_users(cx.f, i);
            }
        }
    }
    // The rules have seen what the parts stand for; in the other parts there is nothing left for them.
    cx.scratch.changes.settle(cx.f);
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
}

/// Makes a remainder what its quotient leaves, where the block has that, too, and the machine would compute it twice;
/// true if it did.
fn beside_quotient(cx: &mut FuncCx, i: Inst) -> bool {
    let ty = cx.f.ty(i);
    let f = &mut *cx.f;
    let divides = match f.op(i) {
        Op::SRem => Op::SDiv,
        Op::URem => Op::UDiv,
        _ => return false,
    };
    let &[x, by] = f.args(i) else { return false };
    let fits = matches!(ty, Type::I32 | Type::I64) && ty.int_bits() <= cx.target.word;
    let Some(used) = x.as_inst().or(by.as_inst()).filter(|_| fits && !cx.target.remainders) else {
        return false;
    };
    let is_quotient =
        |user: Inst| f.op(user) == divides && f.args(user) == [x, by] && f.block_of(user) == f.block_of(i);
    if !f.uses(used).take(MOST_USES).any(|u| is_quotient(u.user)) {
        return false;
    }
    // Value numbering makes one of the two quotients.
    let mut e = Expansion { f, target: cx.target, i, ty, is_direct: false };
    let q = e.op(divides, x, by);
    let multiple = e.op(Op::Mul, q, by);
    e.finish(Two(Op::Sub, x, multiple));
    true
}

/// True for a remainder of 32 bits that is made without its quotient: in a loop, in front of which its two factors are made,
/// if the machine has upper halves of products and the quotient is not needed besides.
pub fn is_direct(cx: &mut FuncCx, i: Inst) -> bool {
    if !cx.target.upper_products || cx.f.ty(i) != Type::I32 || !cx.f.arg(i, 1).is_number() {
        return false;
    }
    cx.require(AnalysisSet::LOOPS);
    let f = &*cx.f;
    let is_quotient = |other: Inst| matches!(f.op(other), Op::SDiv | Op::UDiv) && f.args(other) == f.args(i);
    let divided = f.arg(i, 0).as_inst();
    f.block_of(i).is_some_and(|b| cx.analyses.loops.innermost[b].get().is_some())
        && !divided.is_some_and(|x| f.uses(x).take(MOST_USES).any(|u| is_quotient(u.user)))
}

/// Makes the parts of a signed quotient or remainder by a constant in front of it, where something is won
/// because its dividend is in this range; the value of the last one.
pub fn expand_in(
    f: &mut Body,
    target: &TargetFacts,
    (i, is_direct): (Inst, bool),
    range: Range,
) -> Option<Value> {
    let (op, ty) = (f.op(i), f.ty(i));
    let (x, by) = (f.arg(i, 0), f.as_int(f.arg(i, 1))?);
    // `EXPAND` needs a shift and a product for it.
    if f.flags(i).has(Flags::EXACT) {
        return None;
    }
    let mut e = Expansion { f, target, i, ty, is_direct };
    let size = e.size(by);
    let fits = ty == Type::I32 || ty == Type::I64 && target.word == 64 && range.is_natural();
    if !fits || size < 2 || op == Op::SDiv && by < 0 {
        return None;
    }
    if range.is_natural() && size.is_power_of_two() {
        let last = match op {
            Op::SDiv => e.last_shift(Op::LShr, x, size.trailing_zeros()),
            _ => Two(Op::And, x, e.int(size as i64 - 1)),
        };
        return Some(e.make(last));
    }
    if target.word == 0 || size.is_power_of_two() {
        return None;
    }
    let [low, high] = [range.low, range.high].map(|end| u64::from(end.unsigned_abs()));
    let sides = [range.low < 0 && low >= size, range.high >= 0 && high >= size];
    let is_near = (range.low >= 0 || low < 2 * size) && (range.high < 0 || high < 2 * size);
    if op == Op::SRem && ty == Type::I32 && is_near && (sides != [true, true] || target.compare_and_branch) {
        return Some(e.reduced_once(x, size, sides));
    }
    if !range.is_natural() {
        return None;
    }
    if is_direct {
        let rest = e.fraction_times(Op::SExt, x, size);
        return Some(e.make(rest));
    }
    let q = e.natural_quotient(x, size);
    let q = e.make(q);
    if op == Op::SDiv {
        return Some(q);
    }
    let rest = e.rest(x, q, size as i64);
    Some(e.make(rest))
}

/// Where the parts go: in front of an instruction, in its type. It becomes the last one of them.
struct Expansion<'a> {
    f: &'a mut Body,
    target: &'a TargetFacts,
    i: Inst,
    ty: Type,
    /// See `is_direct`.
    is_direct: bool,
}

/// A part that is still to be made, or a value that is there already.
#[derive(Copy, Clone)]
enum Part {
    Value(Value),
    One(Op, Value),
    Two(Op, Value, Value),
}

use Part::Two;

impl Expansion<'_> {
    fn op_of(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        let place = self.f.place(self.i);
        Value::inst(self.f.insert(At::Before(self.i), op, ty, args, 0, place))
    }

    fn op(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.op_of(op, self.ty, &[a, b])
    }

    fn make(&mut self, part: Part) -> Value {
        match part {
            Part::Value(v) => v,
            Part::One(op, a) => self.op_of(op, self.ty, &[a]),
            Two(op, a, b) => self.op(op, a, b),
        }
    }

    /// Makes the last part: of the instruction itself, which keeps its uses.
    fn finish(&mut self, last: Part) {
        match last {
            Part::Value(v) => self.f.replace(self.i, v),
            Part::One(op, a) => self.f.rewrite(self.i, op, self.ty, &[a], 0),
            Two(op, a, b) => self.f.rewrite(self.i, op, self.ty, &[a, b], 0),
        }
    }

    fn int(&mut self, x: i64) -> Value {
        self.f.int_of(self.ty, x)
    }

    /// A shift, if it is by anything.
    fn shift(&mut self, op: Op, a: Value, by: u32) -> Value {
        let shift = self.last_shift(op, a, by);
        self.make(shift)
    }

    fn last_shift(&mut self, op: Op, a: Value, by: u32) -> Part {
        if by == 0 { Part::Value(a) } else { Two(op, a, self.int(by.into())) }
    }

    /// All bits the sign.
    fn sign(&mut self, a: Value) -> Value {
        self.shift(Op::AShr, a, self.ty.int_bits() - 1)
    }

    fn negated(&mut self, a: Value) -> Part {
        Two(Op::Sub, self.int(0), a)
    }

    /// True of a product that is a part of one sum and as cheap there: `s * 31 + x` on AArch64.
    fn stays_in_sum(&self, by: i64) -> bool {
        let f = &*self.f;
        self.target.stays_in_sum(by)
            && f.single_use(self.i).is_some_and(|u| {
                let other = f.args(u.user).get(1 - (u.operand as usize).min(1));
                f.op(u.user) == Op::Add
                    && f.block_of(u.user) == f.block_of(self.i)
                    && other.is_some_and(|other| !other.is_constant())
            })
    }

    fn product(&mut self, x: Value, by: i64) -> Option<Part> {
        let by = Number::int(self.ty, by).signed();
        // -2^31 times is 2^31 times, in 32 bits.
        let by = if self.ty == Type::I32 && by == i64::from(i32::MIN) { -by } else { by };
        let (odd, zeros) = self.target.product(by)?;
        let first = match odd {
            Odd::One => Part::Value(x),
            Odd::MinusOne => {
                let shifted = self.shift(Op::Shl, x, zeros);
                return Some(self.negated(shifted));
            }
            Odd::PowerPlusOne(k) => Two(Op::Add, self.shift(Op::Shl, x, k), x),
            Odd::PowerMinusOne(k) => Two(Op::Sub, self.shift(Op::Shl, x, k), x),
            Odd::OneMinusPower(k) => Two(Op::Sub, x, self.shift(Op::Shl, x, k)),
        };
        if zeros == 0 {
            return Some(first);
        }
        let first = self.make(first);
        Some(self.last_shift(Op::Shl, first, zeros))
    }

    /// x, plus 2^k - 1 if it is negative.
    fn biased(&mut self, x: Value, k: u32) -> Value {
        let sign = if k == 1 { x } else { self.sign(x) };
        let bias = self.shift(Op::LShr, sign, self.ty.int_bits() - k);
        self.op(Op::Add, x, bias)
    }

    fn quotient(&mut self, x: Value, by: i64) -> Option<Part> {
        let size = self.size(by);
        if size < 2 {
            return None;
        }
        if size.is_power_of_two() {
            let k = size.trailing_zeros();
            let sum = self.biased(x, k);
            if by >= 0 {
                return Some(self.last_shift(Op::AShr, sum, k));
            }
            let q = self.shift(Op::AShr, sum, k);
            return Some(self.negated(q));
        }
        let bits = self.ty.int_bits();
        let Reciprocal { multiplier, shift } = signed_reciprocal(size, bits);
        if bits == 32 && self.target.wide_products {
            let q = self.scaled_wide([Op::SExt, Op::SMulHi], x, multiplier, shift);
            let (q, sign) = (self.make(q), self.sign(x));
            return Some(if by < 0 { Two(Op::Sub, sign, q) } else { Two(Op::Sub, q, sign) });
        }
        // A multiplier of half the range or more counts as negative; what it lacks is x in the upper half.
        let m = if bits == 32 { i64::from(multiplier as i32) } else { multiplier as i64 };
        let factor = self.int(m);
        let high = self.op(Op::SMulHi, x, factor);
        let high = if m < 0 { self.op(Op::Add, x, high) } else { high };
        let q = self.shift(Op::AShr, high, shift);
        if by < 0 {
            let sign = self.sign(x);
            return Some(Two(Op::Sub, sign, q));
        }
        let one = self.shift(Op::LShr, x, bits - 1);
        Some(Two(Op::Add, q, one))
    }

    /// x / d of a multiple of d.
    fn exact_quotient(&mut self, op: Op, x: Value, by: Number) -> Option<Part> {
        let k = by.unsigned().trailing_zeros();
        let (shift, odd) = match op {
            Op::SDiv => (Op::AShr, by.signed().checked_shr(k)?),
            _ => (Op::LShr, by.unsigned().checked_shr(k)? as i64),
        };
        match odd {
            1 if k == 0 => None,
            1 => Some(self.last_shift(shift, x, k)),
            odd => {
                let shifted = self.shift(shift, x, k);
                let inverse = self.int(inverse(odd as u64) as i64);
                Some(if odd == -1 { self.negated(shifted) } else { Two(Op::Mul, shifted, inverse) })
            }
        }
    }

    /// x / d of what is not negative: a reciprocal for signed numbers is exact for it.
    fn natural_quotient(&mut self, x: Value, d: u64) -> Part {
        let bits = self.ty.int_bits();
        let Reciprocal { multiplier, shift } = signed_reciprocal(d, bits);
        if bits == 32 && self.target.wide_products {
            return self.scaled_wide([Op::SExt, Op::SMulHi], x, multiplier, shift);
        }
        let factor = self.int(if bits == 32 { i64::from(multiplier as i32) } else { multiplier as i64 });
        let high = self.op(Op::UMulHi, x, factor);
        self.last_shift(Op::LShr, high, shift)
    }

    /// x % d of what is less than 2 d in size, and may be -d or less, d or more.
    fn reduced_once(&mut self, x: Value, d: u64, [below, above]: [bool; 2]) -> Value {
        let mut rest = x;
        for (is_side, pred, d) in [(above, IntPred::Slt, d as i64), (below, IntPred::Sgt, -(d as i64))] {
            if is_side {
                let (d, minus) = (self.int(d), self.int(-d));
                let other = self.op(Op::Add, rest, minus);
                let place = self.f.place(self.i);
                let stays =
                    self.f.insert(At::Before(self.i), Op::ICmp, Type::I1, &[rest, d], pred as u32, place);
                rest = self.op_of(Op::Select, self.ty, &[Value::inst(stays), rest, other]);
            }
        }
        rest
    }

    /// The magnitude of a divisor.
    fn size(&self, by: i64) -> u64 {
        if self.ty == Type::I32 { (by as i32).unsigned_abs().into() } else { by.unsigned_abs() }
    }

    /// x multiplier >> 32 + shift, in 64 bits: the upper word of a product with what is 2^(32 - shift) times the multiplier,
    /// which saves the shift. The factor takes one instruction more, and stays in front of loops (SiFive U74, by
    /// llvm-mca: a generator of random numbers takes 24 cycles, not 30).
    fn scaled_wide(&mut self, [extend, high]: [Op; 2], x: Value, multiplier: u64, shift: u32) -> Part {
        let x = self.op_of(extend, Type::I64, &[x]);
        let factor = self.f.int_of(Type::I64, (multiplier << (32 - shift)) as i64);
        let high = self.op_of(high, Type::I64, &[x, factor]);
        Part::One(Op::Trunc, high)
    }

    /// The sign of the divisor does not matter.
    fn remainder(&mut self, x: Value, by: i64) -> Option<Part> {
        let size = self.size(by);
        if size < 2 {
            return None;
        }
        if !size.is_power_of_two() && self.is_direct {
            let rest = self.fraction_times(Op::SExt, x, size);
            let (rest, sign, less) = (self.make(rest), self.sign(x), self.int(size as i64 - 1));
            let less = self.op(Op::And, sign, less);
            return Some(Two(Op::Sub, rest, less));
        }
        if !size.is_power_of_two() {
            let q = self.quotient(x, size as i64).map(|q| self.make(q))?;
            return Some(self.rest(x, q, size as i64));
        }
        let k = size.trailing_zeros();
        let sum = self.biased(x, k);
        let multiple = if k <= self.target.mask {
            let mask = self.int((size as i64).wrapping_neg());
            self.op(Op::And, sum, mask)
        } else {
            let q = self.shift(Op::AShr, sum, k);
            self.shift(Op::Shl, q, k)
        };
        Some(Two(Op::Sub, x, multiple))
    }

    /// x % d of what is not negative, without its quotient (`magic::fraction`).
    fn fraction_times(&mut self, extend: Op, x: Value, d: u64) -> Part {
        let x = self.op_of(extend, Type::I64, &[x]);
        let [factor, d] = [fraction(d), d].map(|x| self.f.int_of(Type::I64, x as i64));
        let of_one = self.op_of(Op::Mul, Type::I64, &[x, factor]);
        Part::One(Op::Trunc, self.op_of(Op::UMulHi, Type::I64, &[of_one, d]))
    }

    /// x - q d.
    fn rest(&mut self, x: Value, q: Value, d: i64) -> Part {
        let cheap = if self.target.multiply_subtract { None } else { self.product(q, d) };
        let multiple = match cheap {
            Some(multiple) => self.make(multiple),
            None => {
                let d = self.int(d);
                self.op(Op::Mul, q, d)
            }
        };
        Two(Op::Sub, x, multiple)
    }

    fn unsigned_quotient(&mut self, x: Value, by: u64) -> Option<Part> {
        if by < 2 {
            return None;
        }
        if by.is_power_of_two() {
            return Some(self.last_shift(Op::LShr, x, by.trailing_zeros()));
        }
        if self.ty != Type::I32 {
            return None;
        }
        let Reciprocal { multiplier, shift } = unsigned_reciprocal(by as u32)?;
        if self.target.wide_products {
            return Some(self.scaled_wide([Op::ZExt, Op::UMulHi], x, multiplier, shift));
        }
        let factor = self.int(multiplier as i64);
        let high = self.op(Op::UMulHi, x, factor);
        Some(self.last_shift(Op::LShr, high, shift))
    }

    fn unsigned_remainder(&mut self, x: Value, by: u64) -> Option<Part> {
        if by.is_power_of_two() {
            let mask = self.int((by - 1) as i64);
            return Some(Two(Op::And, x, mask));
        }
        if self.is_direct && by > 2 && unsigned_reciprocal(by as u32).is_some() {
            return Some(self.fraction_times(Op::ZExt, x, by));
        }
        let q = self.unsigned_quotient(x, by).map(|q| self.make(q))?;
        Some(self.rest(x, q, by as i64))
    }
}

#[cfg(test)]
mod tests;
