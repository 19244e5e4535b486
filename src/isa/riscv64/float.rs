//! Floating arithmetic and conversions.

use super::rows::*;
use super::select::{ZERO_REG, op1, op2, temp};
use crate::ir::{Flags, Inst, Type};
use crate::isa::select::{Fused, Select, by_row};
use crate::mir::{MachineOp, Operand};

/// Sums and differences, with a product as a part of them where both may be contracted (`Flags::CONTRACT`).
pub fn sum(cx: &mut Select, i: Inst, rows: [MachineOp; 2]) {
    let Some(Fused { form, factors: [x, y], addend }) = cx.fused(i, Flags::CONTRACT) else {
        return by_row(cx, i, &rows);
    };
    let row = [[FMADD_S, FMADD_D], [FNMSUB_S, FNMSUB_D], [FMSUB_S, FMSUB_D]][form];
    let def = Operand::virt(cx.result(i));
    cx.emit(row[usize::from(cx.body.ty(i) == Type::F64)], &[def], &[x, y, addend], 0, 0);
}

/// Conversions from, to and between floating types.
pub fn convert(cx: &mut Select, i: Inst) {
    let (from, to) = (cx.body.type_of(cx.body.arg(i, 0)), cx.body.ty(i));
    let d = Operand::virt(cx.result(i));
    let mut a = cx.reg(cx.body.arg(i, 0));
    if from.is_float() && to.is_int() {
        // The machine makes the largest number of a NaN, and 0 is what it has to be: only a NaN is not equal
        // to itself.
        let [all, equal, mask] = [(); 3].map(|()| temp(cx, Type::I64));
        op1(cx, row_of(from, to), all, a);
        op2(cx, if from == Type::F64 { FEQ_D } else { FEQ_S }, equal, a, a);
        op2(cx, SUB, mask, ZERO_REG, equal);
        return op2(cx, AND, d, all, mask);
    }
    if from == Type::I1 {
        // True is -1 to a signed conversion.
        let t = temp(cx, Type::I32);
        op2(cx, SUBW, t, ZERO_REG, a);
        a = t;
    }
    op1(cx, row_of(from, to), d, a);
}

fn row_of(from: Type, to: Type) -> MachineOp {
    match (from, to) {
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
    }
}
