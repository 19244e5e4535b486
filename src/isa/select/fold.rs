//! What can be part of its user: what stands in the same block and has no other use.

use super::Select;
use crate::ir::{self, Flags, Op, Type, Value};
use crate::mir::Operand;

/// A sum of floats that has a product as a part of it.
pub struct Fused {
    /// 0 for c + x y, 1 for c - x y, 2 for x y - c.
    pub form: usize,
    /// x and y.
    pub factors: [Operand; 2],
    /// c.
    pub addend: Operand,
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
}
