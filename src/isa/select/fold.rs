//! What can be part of its user: what stands in the same block and has no other use.

use super::Select;
use crate::ir::{self, Flags, Op, Type, Value};
use crate::mir::Operand;

/// Operands of a phi beyond which none is asked for zeros above it.
const MOST_OPERANDS: usize = 8;

/// A sum of floats that has a product as a part of it.
pub struct Fused {
    /// 0 for c + x y, 1 for c - x y, 2 for x y - c.
    pub form: usize,
    /// x and y.
    pub factors: [Operand; 2],
    /// c.
    pub addend: Operand,
}

/// Bits of a value in another place: `width` bits of `of`, from bit `from` on, stand at bit `to` of the result. Below them are
/// zeros, above them zeros or copies of their sign. One of `from` and `to` is 0.
#[derive(Copy, Clone, Debug)]
pub struct Field {
    /// The value.
    pub of: Value,
    /// The first bit that is taken.
    pub from: i32,
    /// Where it goes.
    pub to: i32,
    /// How many are taken.
    pub width: i32,
    /// Their sign stands above them.
    pub signed: bool,
}

impl Field {
    /// The immediate of a row that does this: the place in the low byte, the width above.
    pub fn imm(&self) -> i32 {
        (self.from | self.to) | self.width << 8
    }
}

impl Select<'_> {
    /// The instruction that computes `v`, if it can be folded into the instruction being selected without
    /// doing its work twice: it stands in the same block and has no other use. It must not be demanded then.
    /// Loads are not offered: something between may write.
    #[inline]
    pub fn foldable(&self, v: Value) -> Option<ir::Inst> {
        v.as_inst().filter(|&i| self.body.op(i).has(ir::opcode::PURE) && self.is_only_here(i))
    }

    /// As above, of one opcode, which must be pure.
    #[inline(always)]
    pub fn foldable_as(&self, v: Value, op: Op) -> Option<ir::Inst> {
        v.as_inst().filter(|&i| self.body.op(i) == op && self.is_only_here(i))
    }

    /// A sum or a difference of floats, one operand of which is a product that nothing else needs: what the machine
    /// may do in one instruction, if both promise `needs`.
    pub fn fused(&mut self, i: ir::Inst, needs: Flags) -> Option<Fused> {
        let (a, b) = (self.body.arg(i, 0), self.body.arg(i, 1));
        let forms = match self.body.op(i) {
            Op::FAdd => [(b, a, 0), (a, b, 0)],
            _ => [(b, a, 1), (a, b, 2)],
        };
        if !self.body.flags(i).has(needs) {
            return None;
        }
        let (product, addend, form) = forms.into_iter().find_map(|(v, addend, form)| {
            let product = self.foldable_as(v, Op::FMul)?;
            self.body.flags(product).has(needs).then_some((product, addend, form))
        })?;
        let factors = [self.body.arg(product, 0), self.body.arg(product, 1)];
        Some(Fused { form, factors: factors.map(|v| self.reg(v)), addend: self.reg(addend) })
    }

    /// True if its only use is in this block, as it is itself.
    #[inline(always)]
    pub fn is_only_here(&self, i: ir::Inst) -> bool {
        self.body.block_of(i) == Some(self.block) && self.body.has_single_use(i)
    }

    /// The operands of an instruction, a constant, if there is one, last.
    pub fn constant_last(&self, i: ir::Inst) -> (Value, Value) {
        let (a, b) = (self.body.arg(i, 0), self.body.arg(i, 1));
        if a.is_constant() && !b.is_constant() { (b, a) } else { (a, b) }
    }

    /// A shift by a constant, or a product with a power of two, that can be folded: what is shifted, how (0
    /// left, 1 right, 2 right with the sign), by how much.
    #[inline]
    pub fn shift_of(&self, v: Value) -> Option<(Value, u16, i32)> {
        let i = v.as_inst()?;
        if matches!(self.body.op(i), Op::Mul | Op::Shl | Op::LShr | Op::AShr) { self.shift(i) } else { None }
    }

    /// The k of 2^k, of a constant of this type that is that.
    pub fn power_of_two(&self, ty: Type, v: Value) -> Option<i32> {
        let x = self.body.as_int(v).filter(|_| matches!(ty, Type::I32 | Type::I64))?;
        let x = if ty == Type::I32 { u64::from(x as u32) } else { x as u64 };
        x.is_power_of_two().then_some(x.trailing_zeros() as i32)
    }

    fn shift(&self, i: ir::Inst) -> Option<(Value, u16, i32)> {
        if !self.is_only_here(i) {
            return None;
        }
        let ty = self.body.ty(i);
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        let right = *self.body.args(i).get(1)?;
        let amount = self.body.as_int(right)?;
        let bits = i64::from(ty.int_bits());
        let (kind, amount) = match self.body.op(i) {
            Op::Shl => (0, amount),
            Op::LShr => (1, amount),
            Op::AShr => (2, amount),
            Op::Mul => (0, i64::from(self.power_of_two(ty, right)?)),
            _ => return None,
        };
        (0 < amount && amount < bits).then(|| (self.body.arg(i, 0), kind, amount as i32))
    }

    /// True for an integer whose row leaves zeros in its register above it, on machines that keep nothing in particular there: what
    /// is loaded, or taken out of a word, and what phis and choices make of that alone.
    pub fn has_zeros_above(&self, v: Value) -> bool {
        self.has_zeros_within(v, 2)
    }

    /// The same, through so many phis and choices at most.
    fn has_zeros_within(&self, v: Value, depth: u32) -> bool {
        let Some(i) = v.as_inst() else { return false };
        let is_so = |&v: &Value| {
            self.body.as_int(v).is_some_and(|x| x >= 0) || depth > 0 && self.has_zeros_within(v, depth - 1)
        };
        let second = || self.body.args(i).get(1).and_then(|&v| self.body.as_int(v));
        match self.body.op(i) {
            Op::Load => true,
            // A truth is only copied, and what is passed has anything above it.
            Op::ZExt => self.body.type_of(self.body.arg(i, 0)) != Type::I1,
            Op::And => second().is_some_and(|mask| mask >= 0),
            Op::LShr => second().is_some_and(|by| by > 0),
            Op::Phi if self.body.ty(i) != Type::I1 => {
                let operands = self.body.args(i);
                operands.len() <= MOST_OPERANDS && operands.iter().all(is_so)
            }
            Op::Select if self.body.ty(i) != Type::I1 => self.body.args(i)[1..].iter().all(is_so),
            _ => false,
        }
    }

    /// The field that an `and`, or a shift by a constant, takes together with the shift, the `and` or the extension that it can
    /// fold.
    pub fn field(&self, i: ir::Inst) -> Option<Field> {
        let ty = self.body.ty(i);
        let bits = match ty {
            Type::I32 => 32,
            Type::I64 => 64,
            _ => return None,
        };
        let &[a, b] = self.body.args(i) else { return None };
        let by = self.body.as_int(b)?;
        let ones = |mask: i64| low_ones(if bits == 32 { u64::from(mask as u32) } else { mask as u64 });
        let field = |of, from, to, width, signed| Some(Field { of, from, to, width, signed });
        if self.body.op(i) == Op::And {
            return match self.shift_of(a)? {
                // What is shifted in from the left has zeros at the right: they may be in the mask or not.
                (of, 0, by_left) => {
                    let end = ones(by | ((1 << by_left) - 1)).filter(|&end| end > by_left)?;
                    field(of, 0, by_left, end - by_left, false)
                }
                (of, 1, from) => field(of, from, 0, ones(by)?.min(bits - from), false),
                // Copies of the sign are no part of the field.
                (of, _, from) => ones(by)
                    .filter(|width| width + from <= bits)
                    .and_then(|width| field(of, from, 0, width, false)),
            };
        }
        let by = i32::try_from(by).ok().filter(|by| (1..bits).contains(by))?;
        match self.body.op(i) {
            Op::Shl => {
                let inner =
                    a.as_inst().filter(|&i| matches!(self.body.op(i), Op::And | Op::ZExt | Op::SExt))?;
                let (of, rest) = (self.body.arg(inner, 0), self.body.args(inner).get(1));
                let from = self.body.type_of(of);
                let (width, signed) = match self.body.op(inner) {
                    Op::And => (rest.and_then(|&mask| self.body.as_int(mask)).and_then(ones)?, false),
                    _ if from == Type::I1 => return None,
                    op => (from.int_bits() as i32, op == Op::SExt),
                };
                if !self.is_only_here(inner) {
                    return None;
                }
                field(of, 0, by, width.min(bits - by), signed)
            }
            Op::LShr | Op::AShr => {
                let (of, kind, by_left) = self.shift_of(a)?;
                if kind != 0 {
                    return None;
                }
                let (from, to) = ((by - by_left).max(0), (by_left - by).max(0));
                field(of, from, to, bits - by.max(by_left), self.body.op(i) == Op::AShr)
            }
            _ => None,
        }
    }

    /// The field that a value is, with zeros everywhere else, if it can be folded.
    fn lone_field(&self, v: Value) -> Option<Field> {
        let i = self.foldable(v)?;
        if let Some(field) = self.field(i) {
            return Some(field).filter(|field| !field.signed);
        }
        let bits = self.body.ty(i).int_bits() as i32;
        let of = *self.body.args(i).first()?;
        let (from, to, width) = match self.body.op(i) {
            Op::And => (0, 0, low_ones(self.body.number(self.body.arg(i, 1))?.unsigned())?),
            Op::ZExt if self.body.type_of(of) != Type::I1 => (0, 0, self.body.type_of(of).int_bits() as i32),
            _ => match self.shift_of(v)? {
                (_, 0, by) => (0, by, bits - by),
                (_, 1, by) => (by, 0, bits - by),
                _ => return None,
            },
        };
        Some(Field { of, from, to, width, signed: false })
    }

    /// An `or` that puts a field in place of what a value has there: the value, and the field.
    pub fn insertion(&self, i: ir::Inst) -> Option<(Value, Field)> {
        let (ty, args) = (self.body.ty(i), self.body.args(i));
        if !matches!(ty, Type::I32 | Type::I64) {
            return None;
        }
        let all = u64::MAX >> (64 - ty.int_bits());
        [(args[0], args[1]), (args[1], args[0])].into_iter().find_map(|(kept, put)| {
            let masked = self.foldable_as(kept, Op::And)?;
            let (onto, mask) = self.constant_last(masked);
            let mask = self.body.as_int(mask)? as u64 & all;
            let field = self.lone_field(put)?;
            let gone = all >> (ty.int_bits() as i32 - field.width) << field.to;
            (mask == all & !gone).then_some((onto, field))
        })
    }

    /// An `or` of the two parts of two values side by side, or of one that is rotated: what gives the upper bits, what gives
    /// the lower bits, and by how much it is shifted down.
    pub fn funnel(&self, i: ir::Inst) -> Option<(Value, Value, i32)> {
        let bits = self.body.ty(i).int_bits() as i32;
        let [a, b] = [self.body.arg(i, 0), self.body.arg(i, 1)].map(|v| self.shift_of(v));
        match (a?, b?) {
            ((high, 0, up), (low, 1, down)) | ((low, 1, down), (high, 0, up)) if up + down == bits => {
                Some((high, low, down))
            }
            _ => None,
        }
    }
}

/// How many ones a mask is that has no others.
pub fn low_ones(mask: u64) -> Option<i32> {
    (mask != 0 && mask & mask.wrapping_add(1) == 0).then_some(mask.trailing_ones() as i32)
}
