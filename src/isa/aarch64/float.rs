//! Floating arithmetic and conversions. Products are contracted into sums where both allow it (`Flags::CONTRACT`):
//! results are those of the source's own operations otherwise, each rounded.

use super::rows::float::*;
use super::select::{emit, extended, result};
use crate::ir::{Flags, Inst, Op, Type};
use crate::isa::select::{Fused, Select};
use crate::mir::MachineOp;

/// fadd, fsub.
pub fn sum(cx: &mut Select, i: Inst, rows: [MachineOp; 2]) {
    let is_double = usize::from(cx.body.ty(i) == Type::F64);
    let Some(Fused { form, factors: [x, y], addend }) = cx.fused(i, Flags::CONTRACT) else {
        return plain(cx, i, rows[is_double]);
    };
    let row = [[FMADD_S, FMADD_D], [FMSUB_S, FMSUB_D], [FNMSUB_S, FNMSUB_D]][form];
    let def = result(cx, i);
    emit(cx, row[is_double], def, &[x, y, addend]);
}

/// The first lane of a vector is in the register as a float is.
fn plain(cx: &mut Select, i: Inst, row: MachineOp) {
    let def = result(cx, i);
    let uses = [0, 1].map(|k| {
        let v = cx.body.arg(i, k);
        let lane = cx.foldable_as(v, Op::ExtractLane);
        let first = lane.filter(|&lane| cx.body.payload(lane) == 0 && cx.body.ty(lane) == Type::F32);
        cx.reg(first.map_or(v, |lane| cx.body.arg(lane, 0)))
    });
    emit(cx, row, def, &uses);
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
