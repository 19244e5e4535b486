//! Floating arithmetic and conversions.

use super::rows::*;
use super::select::{ZERO_REG, op1, op2, temp};
use crate::ir::{Inst, Op, Type};
use crate::mir::Operand;
use crate::target::select::Select;

/// `fadd`, `fsub`, `fmul`, `fdiv`, `fneg`.
pub fn arithmetic(cx: &mut Select, i: Inst) {
    let ops = match cx.body.op(i) {
        Op::FAdd => [FADD_S, FADD_D],
        Op::FSub => [FSUB_S, FSUB_D],
        Op::FMul => [FMUL_S, FMUL_D],
        Op::FDiv => [FDIV_S, FDIV_D],
        _ => [FNEG_S, FNEG_D],
    };
    let op = ops[usize::from(cx.body.ty(i) == Type::F64)];
    let d = Operand::virt(cx.result(i));
    let a = cx.reg(cx.body.arg(i, 0));
    if cx.body.op(i) == Op::FNeg {
        return op1(cx, op, d, a);
    }
    let b = cx.reg(cx.body.arg(i, 1));
    op2(cx, op, d, a, b);
}

/// Conversions from, to and between floating types.
pub fn convert(cx: &mut Select, i: Inst) {
    let (from, to) = (cx.body.type_of(cx.body.arg(i, 0)), cx.body.ty(i));
    let d = Operand::virt(cx.result(i));
    let mut a = cx.reg(cx.body.arg(i, 0));
    if from == Type::I1 {
        // True is -1 to a signed conversion.
        let t = temp(cx, Type::I32);
        op2(cx, SUBW, t, ZERO_REG, a);
        a = t;
    }
    let op = match (from, to) {
        (Type::F32, Type::F64) => FCVT_D_S,
        (Type::F64, Type::F32) => FCVT_S_D,
        (Type::F32, Type::I64) => FCVT_L_S,
        (Type::F32, _) => FCVT_W_S,
        (Type::F64, Type::I64) => FCVT_L_D,
        (Type::F64, _) => FCVT_W_D,
        (Type::I64, Type::F32) => FCVT_S_L,
        (_, Type::F32) => FCVT_S_W,
        (Type::I64, _) => FCVT_D_L,
        _ => FCVT_D_W,
    };
    op1(cx, op, d, a);
}
