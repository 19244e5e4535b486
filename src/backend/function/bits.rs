//! Operations on bits and roundings of floats by name, as operations of the tables: bits that are set are counted by sums
//! of ever wider parts (Warren, "Hacker's Delight", 5-1), and floats are rounded as integers of 64 bits as far as these are exact.

use super::{FunctionBuilder, Takes, Val};
use crate::ir::{FloatPred, Op, Type};

impl FunctionBuilder<'_> {
    /// How many bits are set.
    pub fn count_ones(&mut self, a: Val) -> Val {
        let Some(ty) = self.whole("count_ones", a) else { return self.poison() };
        let odd = self.above(a, 1, 0x55);
        let pairs = self.sub(a, odd);
        let (low, high) = (self.masked(pairs, 0x33), self.above(pairs, 2, 0x33));
        let fours = self.add(low, high);
        let four = self.number_of(ty, 4);
        let high = self.lshr(fours, four);
        let sum = self.add(fours, high);
        let bytes = self.masked(sum, 0x0f);
        if ty == Type::I8 {
            return bytes;
        }
        let ones = self.number_of(ty, 0x0101_0101_0101_0101);
        let top = self.number_of(ty, i64::from(ty.int_bits()) - 8);
        let sum = self.mul(bytes, ones);
        self.lshr(sum, top)
    }

    /// How many bits are zero below the lowest one that is set; of 0 all.
    pub fn trailing_zeros(&mut self, a: Val) -> Val {
        self.own("trailing_zeros", Op::TrailingZeros, a)
    }

    /// How many bits are zero above the highest one that is set; of 0 all.
    pub fn leading_zeros(&mut self, a: Val) -> Val {
        self.own("leading_zeros", Op::LeadingZeros, a)
    }

    /// The bytes the other way round.
    pub fn swap_bytes(&mut self, a: Val) -> Val {
        self.own("swap_bytes", Op::SwapBytes, a)
    }

    /// An operation of the tables, of whole bytes.
    fn own(&mut self, what: &str, op: Op, a: Val) -> Val {
        match self.whole(what, a) {
            None => self.poison(),
            Some(Type::I8) if op == Op::SwapBytes => a,
            Some(_) => self.operation(op, Takes::Ints, &[a]),
        }
    }

    /// The bits turned to the left by an amount modulo the width.
    pub fn rotate_left(&mut self, a: Val, amount: Val) -> Val {
        self.rotated("rotate_left", a, amount, true)
    }

    /// The bits turned to the right by an amount modulo the width.
    pub fn rotate_right(&mut self, a: Val, amount: Val) -> Val {
        self.rotated("rotate_right", a, amount, false)
    }

    fn rotated(&mut self, what: &str, a: Val, amount: Val, left: bool) -> Val {
        let Some(ty) = self.whole(what, a) else { return self.poison() };
        let most = self.number_of(ty, i64::from(ty.int_bits()) - 1);
        let back = self.neg(amount);
        let (by, back) = (self.and(amount, most), self.and(back, most));
        let (left, right) = if left { (by, back) } else { (back, by) };
        let (high, low) = (self.shl(a, left), self.lshr(a, right));
        self.or(high, low)
    }

    /// A float or double without what is behind its point.
    pub fn ftrunc(&mut self, a: Val) -> Val {
        let Some(ty) = self.real("ftrunc", a) else { return self.poison() };
        let (zero, limit) = (self.real_number(ty, 0.0), self.real_number(ty, 4_503_599_627_370_496.0));
        // From 2 to the 52nd on there is nothing behind the point; and NaN stays.
        let magnitude = self.fabs(a);
        let is_small = self.fcmp(FloatPred::Olt, magnitude, limit);
        let small = self.select(is_small, magnitude, zero);
        let number = self.fptosi(small, Type::I64);
        let whole = self.sitofp(number, ty);
        let other = self.fneg(whole);
        let is_negative = self.fcmp(FloatPred::Olt, a, zero);
        let whole = self.select(is_negative, other, whole);
        let is_same = self.fcmp(FloatPred::Oeq, whole, a);
        let stays = self.not(is_small);
        let stays = self.or(stays, is_same);
        self.select(stays, a, whole)
    }

    /// The greatest whole number that is not above a float or double.
    pub fn floor(&mut self, a: Val) -> Val {
        let Some(ty) = self.real("floor", a) else { return self.poison() };
        let (whole, one) = (self.ftrunc(a), self.real_number(ty, 1.0));
        let is_above = self.fcmp(FloatPred::Ogt, whole, a);
        let less = self.fsub(whole, one);
        self.select(is_above, less, whole)
    }

    /// The least whole number that is not below a float or double.
    pub fn ceil(&mut self, a: Val) -> Val {
        let Some(ty) = self.real("ceil", a) else { return self.poison() };
        let (whole, one) = (self.ftrunc(a), self.real_number(ty, 1.0));
        let is_below = self.fcmp(FloatPred::Olt, whole, a);
        let more = self.fadd(whole, one);
        self.select(is_below, more, whole)
    }

    /// The type of an integer of at least a byte.
    fn whole(&mut self, what: &str, a: Val) -> Option<Type> {
        let [value] = self.values(what, [a])?;
        let ty = self.body.type_of(value);
        let fits = ty.is_int() && ty != Type::I1;
        if !fits {
            self.wrong(|| format!("{what}: of {}", ty.name()));
        }
        fits.then_some(ty)
    }

    pub(super) fn real(&mut self, what: &str, a: Val) -> Option<Type> {
        let [value] = self.values(what, [a])?;
        let ty = self.body.type_of(value);
        if !ty.is_float() {
            self.wrong(|| format!("{what}: of {}", ty.name()));
        }
        ty.is_float().then_some(ty)
    }

    fn real_number(&mut self, ty: Type, x: f64) -> Val {
        if ty == Type::F32 { self.float(x as f32) } else { self.double(x) }
    }

    /// What is left under a mask, a byte of which is repeated.
    fn masked(&mut self, a: Val, byte: i64) -> Val {
        let ty = self.type_of(a).unwrap_or(Type::I64);
        let mask = self.number_of(ty, byte.wrapping_mul(0x0101_0101_0101_0101));
        self.and(a, mask)
    }

    /// The same of what is some bits above.
    fn above(&mut self, a: Val, bits: i64, byte: i64) -> Val {
        let ty = self.type_of(a).unwrap_or(Type::I64);
        let amount = self.number_of(ty, bits);
        let high = self.lshr(a, amount);
        self.masked(high, byte)
    }
}
