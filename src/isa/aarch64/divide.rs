//! Quotients and remainders. By a constant they take no division:
//!
//! - by a power of two a shift, after a bias of 2^k - 1 for negative dividends;
//! - by others the upper half of a product with a scaled reciprocal (`isa::magic`), and a correction for negative
//!   dividends.
//!
//! A remainder is the dividend less quotient times divisor, `msub`. The hardware's division gives what the IR
//! wants of MIN / -1, and does not trap.

use super::arithmetic::{ASR, DIFFERENCE, LSR, SUM, mask};
use super::registers::ZERO;
use super::rows::int::*;
use super::select::{emit, emit_imm, extended, fresh, integer, result, width};
use crate::ir::{Inst, Op, Type};
use crate::isa::magic::{Reciprocal, signed_reciprocal, unsigned_reciprocal};
use crate::isa::select::Select;
use crate::mir::Operand;

/// Both operands in registers, extended, and the type that they are divided in.
fn operands(cx: &mut Select, i: Inst, signed: bool) -> (Type, Operand, Operand) {
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let ty = if cx.body.ty(i) == Type::I64 { Type::I64 } else { Type::I32 };
    (ty, extended(cx, a, signed), extended(cx, b, signed))
}

/// The divisor, if it is a constant other than 0 that a dividend of this type can be divided by without division.
fn constant_divisor(cx: &Select, i: Inst, signed: bool) -> Option<i64> {
    let x = cx.body.as_int(cx.body.arg(i, 1)).filter(|&x| x != 0)?;
    match (cx.body.ty(i), signed) {
        (Type::I32 | Type::I64, true) => Some(x),
        (Type::I32, false) => {
            let x = i64::from(x as u32);
            (x & (x - 1) == 0 || unsigned_reciprocal(x as u32).is_some()).then_some(x)
        }
        (Type::I64, false) => (x > 0 && x & (x - 1) == 0).then_some(x),
        _ => None,
    }
}

/// sdiv, udiv.
pub fn quotient(cx: &mut Select, i: Inst) {
    let signed = cx.body.op(i) == Op::SDiv;
    let def = result(cx, i);
    match constant_divisor(cx, i, signed) {
        Some(d) => {
            let x = cx.reg(cx.body.arg(i, 0));
            by_constant(cx, def, cx.body.ty(i), x, d, signed);
        }
        None => {
            let (ty, x, y) = operands(cx, i, signed);
            divide(cx, def, ty, x, y, signed);
        }
    }
}

fn divide(cx: &mut Select, def: Operand, ty: Type, x: Operand, y: Operand, signed: bool) {
    let rows = if signed { [SDIV_W, SDIV_X] } else { [UDIV_W, UDIV_X] };
    emit(cx, rows[width(ty)], def, &[x, y]);
}

/// srem, urem.
pub fn remainder(cx: &mut Select, i: Inst) {
    let signed = cx.body.op(i) == Op::SRem;
    let def = result(cx, i);
    let Some(d) = constant_divisor(cx, i, signed) else {
        let (ty, x, y) = operands(cx, i, signed);
        let q = fresh(cx, ty);
        divide(cx, q, ty, x, y, signed);
        return emit(cx, [MSUB_W, MSUB_X][width(ty)], def, &[q, y, x]);
    };
    let ty = cx.body.ty(i);
    let w = width(ty);
    let x = cx.reg(cx.body.arg(i, 0));
    let magnitude = if signed { d.unsigned_abs() } else { d as u64 };
    if magnitude == 1 {
        return emit_imm(cx, [LI_W, LI_X][w], def, &[], 0);
    }
    if magnitude.is_power_of_two() {
        let rows = [AND_W_IMM, AND_X_IMM];
        if !signed && let Some(imm) = mask(ty, magnitude as i64 - 1) {
            return emit_imm(cx, rows[w], def, &[x], imm);
        }
        if signed && let Some(imm) = mask(ty, (magnitude as i64).wrapping_neg()) {
            let (multiple, t) = (fresh(cx, ty), biased(cx, ty, x, magnitude.trailing_zeros() as i32));
            emit_imm(cx, rows[w], multiple, &[t], imm);
            return emit(cx, DIFFERENCE.plain(ty), def, &[x, multiple]);
        }
    }
    let q = fresh(cx, ty);
    by_constant(cx, q, ty, x, d, signed);
    let y = integer(cx, ty, d);
    emit(cx, [MSUB_W, MSUB_X][w], def, &[q, y, x]);
}

/// x plus 2^k - 1 if x is negative.
fn biased(cx: &mut Select, ty: Type, x: Operand, k: i32) -> Operand {
    let bits = ty.int_bits() as i32;
    let def = fresh(cx, ty);
    let sign =
        if k == 1 { x } else { cx.emit_fresh([ASR_W_IMM, ASR_X_IMM][width(ty)], ty, &[x], bits - 1, 0) };
    emit_imm(cx, SUM.shifted(ty, LSR), def, &[x, sign], bits - k);
    def
}

/// def = x / d for a `d` that `constant_divisor` let through.
fn by_constant(cx: &mut Select, def: Operand, ty: Type, x: Operand, d: i64, signed: bool) {
    let (w, bits) = (width(ty), ty.int_bits() as i32);
    let magnitude = if signed { d.unsigned_abs() } else { d as u64 };
    let negated = signed && d < 0;
    let zero = Operand::phys(ZERO);
    if magnitude.is_power_of_two() {
        let k = magnitude.trailing_zeros() as i32;
        return match (k, signed, negated) {
            (0, _, false) => emit(cx, [MOV_W, MOV_X][w], def, &[x]),
            (0, _, true) => emit(cx, DIFFERENCE.plain(ty), def, &[zero, x]),
            (_, false, _) => emit_imm(cx, [LSR_W_IMM, LSR_X_IMM][w], def, &[x], k),
            (_, true, _) => {
                let t = biased(cx, ty, x, k);
                if negated {
                    emit_imm(cx, DIFFERENCE.shifted(ty, ASR), def, &[zero, t], k);
                } else {
                    emit_imm(cx, [ASR_W_IMM, ASR_X_IMM][w], def, &[t], k);
                }
            }
        };
    }
    if !signed {
        let magic = unsigned_reciprocal(magnitude as u32).unwrap_or(Reciprocal { multiplier: 0, shift: 0 });
        let (m, high) = (integer(cx, Type::I32, magic.multiplier as i64), fresh(cx, Type::I64));
        emit(cx, UMULL, high, &[x, m]);
        return emit_imm(cx, LSR_X_IMM, def, &[high], 32 + magic.shift as i32);
    }
    let q = scaled(cx, ty, x, signed_reciprocal(magnitude, bits as u32));
    if negated {
        let sign = fresh(cx, ty);
        emit_imm(cx, [ASR_W_IMM, ASR_X_IMM][w], sign, &[x], bits - 1);
        emit(cx, DIFFERENCE.plain(ty), def, &[sign, q]);
    } else {
        emit_imm(cx, DIFFERENCE.shifted(ty, ASR), def, &[q, x], bits - 1);
    }
}

/// x * multiplier >> bits + shift. A multiplier of 2^(bits-1) or more is negative to the instruction: x times 2^bits
/// is missing then.
fn scaled(cx: &mut Select, ty: Type, x: Operand, magic: Reciprocal) -> Operand {
    let bits = ty.int_bits();
    let negative = magic.multiplier >> (bits - 1) != 0;
    let q = fresh(cx, ty);
    if ty == Type::I64 {
        let (m, mut high) = (integer(cx, ty, magic.multiplier as i64), fresh(cx, ty));
        emit(cx, SMULH, high, &[x, m]);
        if negative {
            let sum = fresh(cx, ty);
            emit(cx, ADD_X, sum, &[high, x]);
            high = sum;
        }
        emit_imm(cx, ASR_X_IMM, q, &[high], magic.shift as i32);
        return q;
    }
    let (m, product) = (integer(cx, ty, i64::from(magic.multiplier as i32)), fresh(cx, Type::I64));
    emit(cx, SMULL, product, &[x, m]);
    if !negative {
        emit_imm(cx, ASR_X_IMM, q, &[product], 32 + magic.shift as i32);
    } else {
        // Only the low half of the sum counts, so it does not matter what is above x.
        let sum = if magic.shift == 0 { q } else { fresh(cx, ty) };
        emit_imm(cx, ADD_X_LSR, sum, &[x, product], 32);
        if magic.shift != 0 {
            emit_imm(cx, ASR_W_IMM, q, &[sum], magic.shift as i32);
        }
    }
    q
}
