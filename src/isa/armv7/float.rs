//! Floating arithmetic and conversions, in s and d registers.
//!
//! A product that is a part of a sum is one instruction with it (`vmla`), which rounds both, as two instructions do;
//! `vfma` would round once. A float that is promoted for a variadic call is no double in a register: it travels in core
//! registers (see `abi`).

use super::integer::{emit_word, extended};
use super::rows::*;
use crate::ir::{Flags, Inst, Op, Type};
use crate::isa::select::{Fused, Select, by_row};
use crate::mir::{MachineOp, Operand};

/// The products with a sum, as `Fused` numbers them.
const WITH_PRODUCT: [[MachineOp; 2]; 3] = [[VMLA, VMLA_D], [VMLS, VMLS_D], [VNMLS, VNMLS_D]];

/// A sum or a difference: at -O2 with a product that nothing else needs, 0.8 to 0.9 of the instructions of loops over
/// floats. At -O1 debuggers are shown each value, and rows that overwrite an operand cost 1.2% of a compile.
pub fn sum(cx: &mut Select, i: Inst, rows: [MachineOp; 2]) {
    let is_double = cx.body.ty(i) == Type::F64;
    let fused = if cx.is_thorough() { cx.fused(i, Flags::NONE) } else { None };
    let Some(Fused { form, factors: [x, y], addend }) = fused else {
        return by_row(cx, i, &rows);
    };
    let def = Operand::virt(cx.result(i));
    cx.emit(WITH_PRODUCT[form][usize::from(is_double)], &[def], &[addend, x, y], 0, 0);
}

/// The opposite: of a product, which is rounded first, in one instruction.
pub fn negation(cx: &mut Select, i: Inst) {
    let is_double = cx.body.ty(i) == Type::F64;
    match cx.foldable_as(cx.body.arg(i, 0), Op::FMul) {
        Some(product) if cx.is_thorough() => {
            let factors = [cx.body.arg(product, 0), cx.body.arg(product, 1)];
            let (def, uses) = (Operand::virt(cx.result(i)), factors.map(|v| cx.reg(v)));
            cx.emit([VNMUL, VNMUL_D][usize::from(is_double)], &[def], &uses, 0, 0);
        }
        _ => by_row(cx, i, &[VNEG, VNEG_D]),
    }
}

/// Selects a conversion from or to a float. A payload of 1 asks for an unsigned word.
pub fn convert(cx: &mut Select, i: Inst) {
    let v = cx.body.arg(i, 0);
    let (from, to) = (cx.body.type_of(v), cx.body.ty(i));
    let is_double = usize::from([from, to].contains(&Type::F64));
    let unsigned = usize::from(cx.body.payload(i) != 0);
    let def = Operand::virt(cx.result(i));
    match (cx.body.op(i), from, to) {
        (Op::SIToFP, Type::I1 | Type::I8 | Type::I16 | Type::I32, _) => {
            // True is -1.
            let word = match from {
                Type::I1 => {
                    let bit = cx.reg(v);
                    emit_word(cx, RSB_I, &[bit], 0)
                }
                _ => extended(cx, v, true),
            };
            let between = Operand::virt(cx.new_reg(Type::F32));
            let row = [[VCVT_FLOAT, VCVT_FLOAT_WORD], [VCVT_D_INT, VCVT_D_WORD]][is_double][unsigned];
            cx.emit(VMOV_TO, &[between], &[word], 0, 0);
            cx.emit(row, &[def], &[between], 0, 0);
        }
        (Op::FPToSI, _, Type::I8 | Type::I16 | Type::I32) => {
            let float = cx.reg(v);
            let between = Operand::virt(cx.new_reg(Type::F32));
            let row = [[VCVT_INT, VCVT_WORD], [VCVT_INT_D, VCVT_WORD_D]][is_double][unsigned];
            cx.emit(row, &[between], &[float], 0, 0);
            cx.emit(VMOV_FROM, &[def], &[between], 0, 0);
        }
        (Op::FPExt | Op::FPTrunc, ..) => {
            let float = cx.reg(v);
            let row = if to == Type::F64 { VCVT_D_FLOAT } else { VCVT_FLOAT_D };
            cx.emit(row, &[def], &[float], 0, 0);
        }
        _ => cx.fail(&format!("armv7: conversion of {} to {}", from.name(), to.name())),
    }
}
