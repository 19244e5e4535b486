//! Dispatch by opcode, constants, and conversions between integers.

use super::registers::ZERO;
use super::rows::control::{B_ENTRY, BRK, TABLE_W, TABLE_X};
use super::rows::float::{
    FABS_D, FABS_S, FADD_D, FADD_S, FDIV_D, FDIV_S, FMADD_D, FMADD_S, FMUL_D, FMUL_S, FSUB_D, FSUB_S,
};
use super::rows::int::*;
use super::{arithmetic, compare, float as floats, multiply};
use crate::ir::opcode::OPS;
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::memory;
use crate::isa::select::{Handler, Select, Shared, by_row, handlers, table};
use crate::mir::{MachineOp, Operand};

/// By opcode, what selects it.
pub const HANDLERS: [Handler; OPS.len()] = handlers(&[
    (Op::Add, arithmetic::add),
    (Op::Sub, arithmetic::sub),
    (Op::Mul, multiply::mul),
    (Op::SDiv, multiply::quotient),
    (Op::UDiv, multiply::quotient),
    (Op::SRem, multiply::remainder),
    (Op::URem, multiply::remainder),
    (Op::And, arithmetic::logic),
    (Op::Or, arithmetic::logic),
    (Op::Xor, arithmetic::logic),
    (Op::Shl, arithmetic::shift),
    (Op::LShr, arithmetic::shift),
    (Op::AShr, arithmetic::shift),
    (Op::FAdd, |cx, i| floats::sum(cx, i, [FADD_S, FADD_D])),
    (Op::FSub, |cx, i| floats::sum(cx, i, [FSUB_S, FSUB_D])),
    (Op::FMul, |cx, i| by_row(cx, i, &[FMUL_S, FMUL_D])),
    (Op::FDiv, |cx, i| by_row(cx, i, &[FDIV_S, FDIV_D])),
    (Op::FNeg, floats::negation),
    (Op::FAbs, |cx, i| by_row(cx, i, &[FABS_S, FABS_D])),
    (Op::Fma, |cx, i| by_row(cx, i, &[FMADD_S, FMADD_D])),
    (Op::SMulHi, multiply::high),
    (Op::UMulHi, multiply::high),
    (Op::Abs, compare::magnitude),
    (Op::LeadingZeros, arithmetic::bits),
    (Op::TrailingZeros, arithmetic::bits),
    (Op::SwapBytes, arithmetic::bits),
    (Op::SIToFP, floats::conversion),
    (Op::FPToSI, floats::conversion),
    (Op::FPExt, floats::conversion),
    (Op::FPTrunc, floats::conversion),
    (Op::ICmp, compare::as_value),
    (Op::FCmp, compare::as_value),
    (Op::Select, compare::select),
    (Op::ZExt, conversion),
    (Op::SExt, conversion),
    (Op::Trunc, conversion),
    (Op::CondBr, compare::cond_br),
    (Op::Switch, |cx, i| table(cx, i, B_ENTRY, |_, ty, x| ([TABLE_W, TABLE_X][width(ty)], x))),
    (Op::Unreachable, |cx, _| cx.emit(BRK, &[], &[], 0, 0)),
]);

/// 1 if a value of this type is in an x register, 0 for a w register: picks from a pair of opcodes.
pub fn width(ty: Type) -> usize {
    usize::from(matches!(ty, Type::I64 | Type::Ptr))
}

/// Where the result of `i` goes.
#[inline(always)]
pub fn result(cx: &mut Select, i: Inst) -> Operand {
    Operand::virt(cx.result(i))
}

/// A fresh register.
#[inline(always)]
pub fn fresh(cx: &mut Select, ty: Type) -> Operand {
    Operand::virt(cx.new_reg(ty))
}

/// The register that holds a value: the zero register for an integer zero. Not for fields in which number 31
/// is the stack pointer: bases of addresses, and `add` and `sub` of an immediate.
pub fn reg_or_zero(cx: &mut Select, v: Value) -> Operand {
    if cx.body.as_int(v) == Some(0) { Operand::phys(ZERO) } else { cx.reg(v) }
}

/// Emits a row of registers only.
#[inline(always)]
pub fn emit<const USES: usize>(cx: &mut Select, op: MachineOp, def: Operand, uses: &[Operand; USES]) {
    cx.emit(op, &[def], uses, 0, 0);
}

/// Emits a row with an immediate.
#[inline(always)]
pub fn emit_imm<const USES: usize>(
    cx: &mut Select,
    op: MachineOp,
    def: Operand,
    uses: &[Operand; USES],
    imm: i32,
) {
    cx.emit(op, &[def], uses, imm, 0);
}

/// An integer constant in a register, which other uses of it may share.
pub fn integer(cx: &mut Select, ty: Type, x: i64) -> Operand {
    let (bytes, x) = if width(ty) == 0 { (4, i64::from(x as i32)) } else { (8, x) };
    cx.shared(Shared::Int(bytes, x), |cx| own_integer(cx, ty, x))
}

/// An integer constant in a fresh register.
pub fn own_integer(cx: &mut Select, ty: Type, x: i64) -> Operand {
    match i32::try_from(x) {
        _ if width(ty) == 0 => cx.emit_fresh(LI_W, ty, &[], x as i32, 0),
        Ok(imm) => cx.emit_fresh(LI_X, ty, &[], imm, 0),
        Err(_) => cx.emit_wide(LI_WIDE, ty, x),
    }
}

/// True for an integer whose register has zeros above it. Masks of less than a word have them, too (`arithmetic::logic`).
pub fn zeros_above(cx: &Select, v: Value) -> bool {
    let is_mask = |i: Inst| {
        let is_and = cx.body.op(i) == Op::And && matches!(cx.body.ty(i), Type::I8 | Type::I16);
        is_and && cx.body.args(i).iter().any(|v| v.is_constant())
    };
    cx.has_zeros_above(v) || v.as_inst().is_some_and(is_mask)
}

/// An integer value with its sign, or zeros, in all of its w or x register.
pub fn extended(cx: &mut Select, v: Value, signed: bool) -> Operand {
    let from = cx.body.type_of(v);
    if let Some(x) = cx.body.number(v).filter(|_| from.is_narrow()) {
        return integer(cx, Type::I32, if signed { x.signed() } else { x.unsigned() as i64 });
    }
    let x = cx.reg(v);
    if !signed && zeros_above(cx, v) {
        return x;
    }
    match (from, signed) {
        (Type::I8, true) => unary(cx, SXTB, x),
        (Type::I8, false) => unary(cx, UXTB, x),
        (Type::I16, true) => unary(cx, SXTH, x),
        (Type::I16, false) => unary(cx, UXTH, x),
        (Type::I1, true) => {
            let def = fresh(cx, Type::I32);
            emit(cx, SUB_W, def, &[Operand::phys(ZERO), x]);
            def
        }
        _ => x,
    }
}

fn unary(cx: &mut Select, op: MachineOp, x: Operand) -> Operand {
    cx.emit_fresh(op, Type::I32, &[x], 0, 0)
}

/// Conversions between integers.
fn conversion(cx: &mut Select, i: Inst) {
    let (op, to) = (cx.body.op(i), cx.body.ty(i));
    let v = cx.body.arg(i, 0);
    let from = cx.body.type_of(v);
    if op != Op::Trunc && memory::leave_extension(cx, i) {
        return;
    }
    if from == Type::I1 && op != Op::Trunc && compare::bool_to_int(cx, i, v, op == Op::SExt) {
        return;
    }
    match (op, from, to) {
        (Op::Trunc, _, Type::I1) => {
            let (def, x) = (result(cx, i), cx.reg(v));
            emit_imm(cx, AND_W_IMM, def, &[x], 1);
        }
        (Op::Trunc, ..) => {
            let (def, x) = (result(cx, i), cx.reg(v));
            emit(cx, MOV_W, def, &[x]);
        }
        (Op::ZExt, ..) if from != Type::I1 && zeros_above(cx, v) && cx.share_register(v, i) => {}
        // Rows for less than a word leave zeros above it.
        (Op::ZExt, Type::I8 | Type::I16, _) if !v.is_constant() && !zeros_above(cx, v) => {
            let (x, def) = (cx.reg(v), result(cx, i));
            emit(cx, if from == Type::I8 { UXTB } else { UXTH }, def, &[x]);
        }
        (Op::SExt, Type::I8 | Type::I16, Type::I64) if !v.is_constant() => {
            let (x, def) = (cx.reg(v), result(cx, i));
            emit_imm(cx, SBFX_X, def, &[x], (from.int_bits() as i32) << 8);
        }
        _ => {
            let x = extended(cx, v, op == Op::SExt);
            let def = result(cx, i);
            let row = match (op, to) {
                (Op::SExt, Type::I64) => SXTW,
                (Op::ZExt, Type::I64) => UXTW,
                _ => MOV_W,
            };
            emit(cx, row, def, &[x]);
        }
    }
}
