//! Products. A constant factor of one of the forms below is a shift or two instructions of a cycle or two,
//! against three cycles and a constant in a register for `mul`:
//!
//! | factor | code |
//! | --- | --- |
//! | 2^k | `lsl` |
//! | -2^k | `sub` from zero, shifted |
//! | 2^k + 1 | `add` of itself, shifted |
//! | 1 - 2^k | `sub` from itself, shifted |
//! | 2^k - 1 | `lsl`, `sub` |
//! | (2^k + 1) 2^j | `add`, `lsl` |

use super::arithmetic::{DIFFERENCE, LSL, SUM, constant_last, of_words};
use super::registers::ZERO;
use super::rows::int::*;
use super::select::{emit, emit_imm, fresh, result, width};
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::magic::{Odd, factor};
use crate::isa::select::{Select, lack};
use crate::mir::Operand;

/// How to multiply by a constant without `mul`, if there is a way.
fn cheap(x: i64) -> Option<(Odd, i32)> {
    let (odd, zeros) = factor(x)?;
    let is_cheap = zeros == 0 || matches!(odd, Odd::One | Odd::MinusOne | Odd::PowerPlusOne(_));
    is_cheap.then_some((odd, zeros as i32))
}

/// True if multiplying by the constant takes no `mul`.
pub fn is_cheap(x: i64) -> bool {
    x == 0 || cheap(x).is_some()
}

/// a * b.
pub fn mul(cx: &mut Select, i: Inst) {
    if of_words(cx, i, MUL_W) {
        return;
    }
    let ty = cx.body.ty(i);
    let (a, b) = constant_last(cx, i);
    let def = result(cx, i);
    if ty == Type::I1 {
        let uses = [cx.reg(a), cx.reg(b)];
        return emit(cx, AND_W, def, &uses);
    }
    if let Some(x) = cx.body.as_int(b) {
        // -2^31 times is 2^31 times, in 32 bits.
        let x = if width(ty) == 0 && x == i64::from(i32::MIN) { -x } else { x };
        if x == 0 {
            return emit_imm(cx, [LI_W, LI_X][width(ty)], def, &[], 0);
        }
        if let Some((odd, zeros)) = cheap(x) {
            let a = cx.reg(a);
            return by_shifts(cx, def, ty, a, odd, zeros);
        }
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
    let signed = cx.body.op(i) == Op::SMulHi;
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    match cx.body.ty(i) {
        Type::I64 => {
            let (uses, def) = ([cx.reg(a), cx.reg(b)], result(cx, i));
            emit(cx, if signed { SMULH } else { UMULH }, def, &uses);
        }
        Type::I32 => {
            let (uses, def) = ([cx.reg(a), cx.reg(b)], result(cx, i));
            let product = cx.emit_fresh(if signed { SMULL } else { UMULL }, Type::I64, &uses, 0, 0);
            emit_imm(cx, LSR_X_IMM, def, &[product], 32);
        }
        _ => lack(cx, i),
    }
}

/// What a foldable sign extension from i32 to i64 extends.
pub fn sext_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::SExt).filter(|&i| cx.body.ty(i) == Type::I64)?;
    Some(cx.body.arg(i, 0)).filter(|&from| cx.body.type_of(from) == Type::I32)
}

fn by_shifts(cx: &mut Select, def: Operand, ty: Type, a: Operand, odd: Odd, zeros: i32) {
    let w = width(ty);
    let zero = Operand::phys(ZERO);
    let shift = [LSL_W_IMM, LSL_X_IMM][w];
    match (odd, zeros) {
        (Odd::One, 0) => emit(cx, [MOV_W, MOV_X][w], def, &[a]),
        (Odd::One, _) => emit_imm(cx, shift, def, &[a], zeros),
        (Odd::MinusOne, 0) => emit(cx, DIFFERENCE.plain(ty), def, &[zero, a]),
        (Odd::MinusOne, _) => emit_imm(cx, DIFFERENCE.shifted(ty, LSL), def, &[zero, a], zeros),
        (Odd::OneMinusPower(k), _) => emit_imm(cx, DIFFERENCE.shifted(ty, LSL), def, &[a, a], k as i32),
        (Odd::PowerMinusOne(k), _) => {
            let middle = fresh(cx, ty);
            emit_imm(cx, shift, middle, &[a], k as i32);
            emit(cx, DIFFERENCE.plain(ty), def, &[middle, a]);
        }
        (Odd::PowerPlusOne(k), 0) => emit_imm(cx, SUM.shifted(ty, LSL), def, &[a, a], k as i32),
        (Odd::PowerPlusOne(k), _) => {
            let middle = fresh(cx, ty);
            emit_imm(cx, SUM.shifted(ty, LSL), middle, &[a, a], k as i32);
            emit_imm(cx, shift, def, &[middle], zeros);
        }
    }
}
