//! Floating arithmetic and conversions. Products are contracted into sums where both allow it (`Flags::CONTRACT`):
//! results are those of the source's own operations otherwise, each rounded.

use super::rows::float::*;
use super::select::{emit, extended, result};
use crate::ir::{Flags, Inst, Op, Type};
use crate::isa::select::{Fused, Select, by_row};
use crate::mir::MachineOp;

/// fadd, fsub.
pub fn sum(cx: &mut Select, i: Inst, rows: [MachineOp; 2]) {
    let Some(Fused { form, factors: [x, y], addend }) = cx.fused(i, Flags::CONTRACT) else {
        return by_row(cx, i, &rows);
    };
    let row = [[FMADD_S, FMADD_D], [FMSUB_S, FMSUB_D], [FNMSUB_S, FNMSUB_D]][form];
    let def = result(cx, i);
    emit(cx, row[usize::from(cx.body.ty(i) == Type::F64)], def, &[x, y, addend]);
}

/// fneg. The sign of a product is flipped after rounding, which `fnmul` does too.
pub fn negation(cx: &mut Select, i: Inst) {
    let double = usize::from(cx.body.ty(i) == Type::F64);
    let def = result(cx, i);
    let v = cx.body.arg(i, 0);
    if let Some(product) = cx.foldable_as(v, Op::FMul) {
        let uses = [cx.reg(cx.body.arg(product, 0)), cx.reg(cx.body.arg(product, 1))];
        return emit(cx, [FNMUL_S, FNMUL_D][double], def, &uses);
    }
    let x = cx.reg(v);
    emit(cx, [FNEG_S, FNEG_D][double], def, &[x]);
}

/// sitofp, fptosi, fpext, fptrunc. Out of range, `fcvtzs` saturates, and gives 0 for NaN, like folding.
pub fn conversion(cx: &mut Select, i: Inst) {
    let (op, to) = (cx.body.op(i), cx.body.ty(i));
    let v = cx.body.arg(i, 0);
    let from = cx.body.type_of(v);
    let x = extended(cx, v, true);
    let def = result(cx, i);
    let row = match (op, from, to) {
        (Op::SIToFP, Type::I64, Type::F32) => SCVTF_S_X,
        (Op::SIToFP, Type::I64, _) => SCVTF_D_X,
        (Op::SIToFP, _, Type::F32) => SCVTF_S_W,
        (Op::SIToFP, ..) => SCVTF_D_W,
        (Op::FPToSI, Type::F32, Type::I64) => FCVTZS_X_S,
        (Op::FPToSI, Type::F32, _) => FCVTZS_W_S,
        (Op::FPToSI, _, Type::I64) => FCVTZS_X_D,
        (Op::FPToSI, ..) => FCVTZS_W_D,
        (Op::FPExt, ..) => FCVT_D_S,
        _ => FCVT_S_D,
    };
    emit(cx, row, def, &[x]);
}
