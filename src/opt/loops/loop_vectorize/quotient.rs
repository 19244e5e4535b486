//! Quotients and remainders by constants in lanes: products with a scaled reciprocal, of which the upper halves are
//! wanted (`analysis/magic`), since those that divide vectors of integers take the time of a division a lane.

use super::emit::Maker;
use super::vector_of;
use crate::analysis::magic::{Reciprocal, fraction, signed_reciprocal, unsigned_reciprocal};
use crate::ir::legal::Vectors;
use crate::ir::{Body, Inst, Op, Type, Value};

/// True for a quotient or remainder that `Maker::quotient` makes.
pub(super) fn is_quotient(f: &Body, vectors: Vectors, (i, lanes): (Inst, u32)) -> bool {
    let Some(ty) = vector_of(Type::I32, lanes) else { return false };
    let ops = [Op::SMulHi, Op::UMulHi, Op::AShr, Op::LShr, Op::Add, Op::Sub, Op::Mul, Op::And];
    let is_signed = match f.op(i) {
        Op::SDiv | Op::SRem => true,
        Op::UDiv | Op::URem => false,
        _ => return false,
    };
    let Some(by) = f.as_int(f.arg(i, 1)).filter(|_| f.ty(i) == Type::I32) else { return false };
    let fits = match is_signed {
        true => (by as i32).unsigned_abs() >= 2,
        false => {
            by as u32 >= 2 && ((by as u32).is_power_of_two() || unsigned_reciprocal(by as u32).is_some())
        }
    };
    fits && ops.iter().all(|&op| vectors.has(op, ty))
}

/// The upper part of a product of 64 bits, as a quotient by a constant is where those cost what products of 32 do: what
/// is multiplied, by what, and by how many bits of the upper word it is shifted.
pub(super) fn upper_part(f: &Body, i: Inst) -> Option<(Value, i64, u32)> {
    let of = |v: Value, op: Op| v.as_inst().filter(|&i| f.op(i) == op && f.ty(i) == Type::I64);
    if f.op(i) != Op::Trunc || f.ty(i) != Type::I32 {
        return None;
    }
    let high = of(f.arg(i, 0), Op::SMulHi)?;
    let x = f.arg(of(f.arg(high, 0), Op::SExt)?, 0);
    let factor = f.as_int(f.arg(high, 1)).filter(|&factor| factor > 0)?;
    let zeros = factor.trailing_zeros().min(32);
    let factor = Some(factor >> zeros).filter(|&factor| zeros > 0 && u32::try_from(factor).is_ok())?;
    (f.type_of(x) == Type::I32).then_some((x, factor, 32 - zeros))
}

/// A remainder without its quotient, as `expand` makes it where upper halves of products are cheap: what is divided, and by
/// what. Of what is negative it is the divisor less one more than the remainder.
pub(super) fn direct_rest(f: &Body, i: Inst) -> Option<(Value, u32)> {
    let of = |v: Value, op: Op| v.as_inst().filter(|&i| f.op(i) == op && f.ty(i) == Type::I64);
    if f.op(i) != Op::Trunc || f.ty(i) != Type::I32 {
        return None;
    }
    let high = of(f.arg(i, 0), Op::UMulHi)?;
    let by = f.as_int(f.arg(high, 1)).filter(|by| (3..1 << 31).contains(by))? as u64;
    let product = of(f.arg(high, 0), Op::Mul).filter(|_| !by.is_power_of_two())?;
    let x = f.arg(of(f.arg(product, 0), Op::SExt)?, 0);
    let is_fraction = f.as_int(f.arg(product, 1)) == Some(fraction(by) as i64);
    (is_fraction && f.type_of(x) == Type::I32).then_some((x, by as u32))
}

/// What is divided by `upper_part` or `direct_rest`.
pub(super) fn divided(f: &Body, i: Inst) -> Option<Value> {
    upper_part(f, i).map(|(x, ..)| x).or_else(|| direct_rest(f, i).map(|(x, _)| x))
}

impl Maker<'_> {
    /// What `direct_rest` says, of lanes.
    pub(super) fn direct(&mut self, (x, d): (Value, u32)) -> Option<Value> {
        let x = self.vector(x)?;
        let q = self.quotient_by(x, d)?;
        let rest = self.rest(x, q, d)?;
        let sign = self.by_constant(Op::AShr, x, 31)?;
        let more = self.by_constant(Op::And, sign, d as i32 - 1)?;
        Some(self.lanes(Op::Add, rest, more))
    }

    /// What `upper_part` says, of lanes.
    pub(super) fn upper(&mut self, (x, factor, by): (Value, i64, u32)) -> Option<Value> {
        let x = self.vector(x)?;
        // A factor of half the range or more counts as negative; what it lacks is x in the upper half.
        let mut high = self.by_constant(Op::SMulHi, x, factor as i32)?;
        if (factor as i32) < 0 {
            high = self.lanes(Op::Add, x, high);
        }
        self.by_constant(Op::AShr, high, by as i32)
    }

    /// A quotient or remainder of lanes.
    pub(super) fn quotient(&mut self, i: Inst) -> Option<Value> {
        let (op, x) = (self.f.op(i), self.vector(self.f.arg(i, 0))?);
        let by = self.f.as_int(self.f.arg(i, 1))? as i32;
        let size = if matches!(op, Op::SDiv | Op::SRem) { by.unsigned_abs() } else { by as u32 };
        let k = size.trailing_zeros();
        if matches!(op, Op::UDiv | Op::URem) {
            let q = match size.is_power_of_two() {
                true => self.by_constant(Op::LShr, x, k as i32)?,
                false => {
                    let Reciprocal { multiplier, shift } = unsigned_reciprocal(size)?;
                    let high = self.by_constant(Op::UMulHi, x, multiplier as i32)?;
                    self.by_constant(Op::LShr, high, shift as i32)?
                }
            };
            return if op == Op::UDiv { Some(q) } else { self.rest(x, q, size) };
        }
        if size.is_power_of_two() {
            // 2^k - 1 more for what is negative.
            let sign = if k == 1 { x } else { self.by_constant(Op::AShr, x, 31)? };
            let more = self.by_constant(Op::LShr, sign, 32 - k as i32)?;
            let sum = self.lanes(Op::Add, x, more);
            if op == Op::SRem {
                let whole = self.by_constant(Op::And, sum, (size as i32).wrapping_neg())?;
                return Some(self.lanes(Op::Sub, x, whole));
            }
            let q = self.by_constant(Op::AShr, sum, k as i32)?;
            return if by < 0 { self.negative(q) } else { Some(q) };
        }
        let q = self.quotient_by(x, size)?;
        match op {
            Op::SRem => self.rest(x, q, size),
            _ if by < 0 => self.negative(q),
            _ => Some(q),
        }
    }

    /// The quotient by what is no power of two, with its sign.
    fn quotient_by(&mut self, x: Value, size: u32) -> Option<Value> {
        let Reciprocal { multiplier, shift } = signed_reciprocal(size.into(), 32);
        // A multiplier of half the range or more counts as negative; what it lacks is x in the upper half.
        let factor = multiplier as i32;
        let mut high = self.by_constant(Op::SMulHi, x, factor)?;
        if factor < 0 {
            high = self.lanes(Op::Add, x, high);
        }
        let q = self.by_constant(Op::AShr, high, shift as i32)?;
        let sign = self.by_constant(Op::LShr, x, 31)?;
        Some(self.lanes(Op::Add, q, sign))
    }

    /// x - q d.
    fn rest(&mut self, x: Value, q: Value, d: u32) -> Option<Value> {
        let product = self.by_constant(Op::Mul, q, d as i32)?;
        Some(self.lanes(Op::Sub, x, product))
    }

    fn negative(&mut self, x: Value) -> Option<Value> {
        let zero = self.f.int(0);
        let zero = self.splat(zero)?;
        Some(self.lanes(Op::Sub, zero, x))
    }

    /// An operation with a constant; a shift by nothing is none.
    fn by_constant(&mut self, op: Op, x: Value, c: i32) -> Option<Value> {
        if c == 0 && matches!(op, Op::AShr | Op::LShr) {
            return Some(x);
        }
        let c = self.f.int(c);
        let c = self.splat(c)?;
        Some(self.lanes(op, x, c))
    }
}
