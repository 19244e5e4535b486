//! Products, whole and their upper halves, and quotients. Those by constants that are cheaper otherwise have
//! become something else before (`opt/values/expand`).

use super::rows::int::*;
use super::select::{emit, emit_imm, extended, fresh, result, width};
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::select::{Select, lack, of_words};
use crate::mir::Operand;

/// a * b.
pub fn mul(cx: &mut Select, i: Inst) {
    if of_words::<true>(cx, i, MUL_W) {
        return;
    }
    let ty = cx.body.ty(i);
    let (a, b) = cx.constant_last(i);
    let def = result(cx, i);
    if ty == Type::I1 {
        let uses = [cx.reg(a), cx.reg(b)];
        return emit(cx, AND_W, def, &uses);
    }
    if let Some(k) = cx.power_of_two(ty, b) {
        let a = cx.reg(a);
        return emit_imm(cx, [LSL_W_IMM, LSL_X_IMM][width(ty)], def, &[a], k);
    }
    if let (Some(x), Some(y)) = (sext_of(cx, a), sext_of(cx, b)) {
        let uses = [cx.reg(x), cx.reg(y)];
        return emit(cx, SMULL, def, &uses);
    }
    let uses = [cx.reg(a), cx.reg(b)];
    emit(cx, [MUL_W, MUL_X][width(ty)], def, &uses);
}

/// The upper half of a product.
pub fn high(cx: &mut Select, i: Inst) {
    match cx.body.ty(i) {
        Type::I64 => {
            let uses = [cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1))];
            let def = result(cx, i);
            emit(cx, if cx.body.op(i) == Op::SMulHi { SMULH } else { UMULH }, def, &uses);
        }
        Type::I32 => {
            let (product, def) = (whole(cx, i), result(cx, i));
            emit_imm(cx, LSR_X_IMM, def, &[product], 32);
        }
        _ => lack(cx, i),
    }
}

/// The product of which a high product of 32 bits is the upper half.
pub fn whole(cx: &mut Select, i: Inst) -> Operand {
    let row = if cx.body.op(i) == Op::SMulHi { SMULL } else { UMULL };
    let uses = [cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1))];
    cx.emit_fresh(row, Type::I64, &uses, 0, 0)
}

/// A high product of 32 bits that can be folded.
pub fn high_of(cx: &Select, v: Value, op: Op) -> Option<Inst> {
    cx.foldable_as(v, op).filter(|&i| cx.body.ty(i) == Type::I32)
}

/// What a foldable sign extension from i32 to i64 extends.
pub fn sext_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::SExt).filter(|&i| cx.body.ty(i) == Type::I64)?;
    Some(cx.body.arg(i, 0)).filter(|&from| cx.body.type_of(from) == Type::I32)
}

/// sdiv, udiv. The hardware's division gives what the IR wants of MIN / -1, and does not trap.
pub fn quotient(cx: &mut Select, i: Inst) {
    let def = result(cx, i);
    divide(cx, i, def);
}

/// Emits the quotient of what `i` divides; its operands.
fn divide(cx: &mut Select, i: Inst, def: Operand) -> [Operand; 2] {
    let signed = matches!(cx.body.op(i), Op::SDiv | Op::SRem);
    let uses = [0, 1].map(|k| extended(cx, cx.body.arg(i, k), signed));
    let rows = if signed { [SDIV_W, SDIV_X] } else { [UDIV_W, UDIV_X] };
    emit(cx, rows[width(cx.body.ty(i))], def, &uses);
    uses
}

/// srem, urem: the dividend less quotient times divisor.
pub fn remainder(cx: &mut Select, i: Inst) {
    let (def, ty) = (result(cx, i), cx.body.ty(i));
    let ty = if ty == Type::I64 { ty } else { Type::I32 };
    let q = fresh(cx, ty);
    let [x, y] = divide(cx, i, q);
    emit(cx, [MSUB_W, MSUB_X][width(ty)], def, &[q, y, x]);
}
