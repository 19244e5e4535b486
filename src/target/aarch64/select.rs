//! Dispatch by opcode, constants, and conversions between integers.

use super::registers::ZERO;
use super::rows::int::*;
use super::rows::{float, memory};
use super::{abi, arithmetic, compare, divide, float as floats, memory as accesses, multiply};
use crate::base::Handle;
use crate::ir::{Inst, Op, Type, Value, ValueKind};
use crate::mir::{MachineOp, Operand};
use crate::target::select::{Select, Shared};

/// Selects an instruction that is no terminator.
pub fn inst(cx: &mut Select, i: Inst) {
    match cx.body.op(i) {
        Op::Add => arithmetic::add(cx, i),
        Op::Sub => arithmetic::sub(cx, i),
        Op::Mul => multiply::mul(cx, i),
        Op::SDiv | Op::UDiv => divide::quotient(cx, i),
        Op::SRem | Op::URem => divide::remainder(cx, i),
        Op::And | Op::Or | Op::Xor => arithmetic::logic(cx, i),
        Op::Shl | Op::LShr | Op::AShr => arithmetic::shift(cx, i),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNeg => floats::arithmetic(cx, i),
        Op::SIToFP | Op::FPToSI | Op::FPExt | Op::FPTrunc => floats::conversion(cx, i),
        Op::ICmp | Op::FCmp => compare::as_value(cx, i),
        Op::Select => compare::select(cx, i),
        Op::ZExt | Op::SExt | Op::Trunc => conversion(cx, i),
        Op::Load => accesses::load(cx, i),
        Op::Store => accesses::store(cx, i),
        Op::ElemAddr => accesses::elem_addr(cx, i),
        Op::MemInit => accesses::mem_init(cx, i),
        Op::Call => abi::call(cx, i),
        Op::Param | Op::Alloca | Op::Phi | Op::Br | Op::CondBr | Op::Ret | Op::Unreachable => {}
    }
}

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

/// The register that holds a value: the zero register for an integer zero. Not for fields in which number 31 is the
/// stack pointer: bases of addresses, and `add` and `sub` of an immediate.
pub fn reg_or_zero(cx: &mut Select, v: Value) -> Operand {
    if cx.body.as_int(v) == Some(0) { Operand::phys(ZERO) } else { cx.reg(v) }
}

/// Emits a row of registers only.
#[inline(always)]
pub fn emit(cx: &mut Select, op: MachineOp, def: Operand, uses: &[Operand]) {
    cx.emit(op, &[def], uses, 0, 0);
}

/// Emits a row with an immediate.
#[inline(always)]
pub fn emit_imm(cx: &mut Select, op: MachineOp, def: Operand, uses: &[Operand], imm: i32) {
    cx.emit(op, &[def], uses, imm, 0);
}

/// An integer constant in a register, which other uses of it may share.
pub fn integer(cx: &mut Select, ty: Type, x: i64) -> Operand {
    let (bytes, x) = if width(ty) == 0 { (4, i64::from(x as i32)) } else { (8, x) };
    cx.shared(Shared::Int(bytes, x), |cx| own_integer(cx, ty, x))
}

/// An integer constant in a fresh register.
pub fn own_integer(cx: &mut Select, ty: Type, x: i64) -> Operand {
    let def = fresh(cx, ty);
    match i32::try_from(x) {
        _ if width(ty) == 0 => cx.emit(LI_W, &[def], &[], x as i32, 0),
        Ok(imm) => cx.emit(LI_X, &[def], &[], imm, 0),
        Err(_) => {
            let row = wide(cx, x);
            cx.emit(LI_WIDE, &[def], &[], 0, row);
        }
    }
    def
}

/// A row of the table of wide immediates.
fn wide(cx: &mut Select, x: i64) -> u32 {
    cx.out.wide.push(x);
    cx.out.wide.len() as u32 - 1
}

/// Puts a constant in a fresh register.
pub fn constant(cx: &mut Select, v: Value) -> Operand {
    let ty = cx.body.type_of(v);
    if let ValueKind::Global(global) = v.kind() {
        let def = fresh(cx, ty);
        cx.emit(memory::LA, &[def], &[], 0, global.index() as u32);
        return def;
    }
    match ty {
        Type::F32 => {
            let def = fresh(cx, ty);
            let bits = cx.body.as_f32(v).unwrap_or(0.0).to_bits();
            cx.emit(float::LI_S, &[def], &[], bits as i32, 0);
            def
        }
        Type::F64 => {
            let def = fresh(cx, ty);
            let row = wide(cx, cx.body.as_f64(v).unwrap_or(0.0).to_bits() as i64);
            cx.emit(float::LI_D, &[def], &[], 0, row);
            def
        }
        _ => {
            if matches!(v.kind(), ValueKind::Request(_)) {
                cx.fail("a requested global was never granted");
            }
            // Undef may be anything.
            let x = cx.body.as_int(v).unwrap_or(0);
            own_integer(cx, ty, x)
        }
    }
}

/// An integer value with its sign, or zeros, in all of its w or x register.
pub fn extended(cx: &mut Select, v: Value, signed: bool) -> Operand {
    let from = cx.body.type_of(v);
    let x = cx.reg(v);
    match (from, signed) {
        (Type::I8, true) => unary(cx, SXTB, x),
        (Type::I8, false) => unary(cx, UXTB, x),
        (Type::I1, true) => {
            let def = fresh(cx, Type::I32);
            emit(cx, SUB_W, def, &[Operand::phys(ZERO), x]);
            def
        }
        _ => x,
    }
}

fn unary(cx: &mut Select, op: MachineOp, x: Operand) -> Operand {
    let def = fresh(cx, Type::I32);
    emit(cx, op, def, &[x]);
    def
}

/// Conversions between integers.
fn conversion(cx: &mut Select, i: Inst) {
    let (op, to) = (cx.body.op(i), cx.body.ty(i));
    let v = cx.body.arg(i, 0);
    let from = cx.body.type_of(v);
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
