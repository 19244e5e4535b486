//! Products, quotients and remainders, by constants above all.
//!
//! A quotient by a constant that is no power of two is a product with a scaled reciprocal (`isa::magic`) that is below
//! 2^32, so the whole product fits 64 bits.

use super::rows::*;
use super::select::{ZERO_REG, int_reg, is_word, load_int, narrow, of_words, op_imm, op1, op2, temp};
use crate::ir::{Inst, Op, Type};
use crate::isa::magic::{Odd, Reciprocal, factor, signed_reciprocal};
use crate::isa::select::{Select, lack};
use crate::mir::{MachineOp, Operand};

/// `mul`.
pub fn product(cx: &mut Select, i: Inst) {
    if of_words(cx, i, MULW) {
        return;
    }
    if matches!(cx.body.ty(i), Type::I1 | Type::I8) {
        return narrow(cx, i);
    }
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let (a, b) = if cx.body.as_int(a).is_some() { (b, a) } else { (a, b) };
    let d = Operand::virt(cx.result(i));
    let word = is_word(cx.body.ty(i));
    match cx.body.as_int(b) {
        Some(x) => {
            let a = cx.reg(a);
            product_by(cx, d, a, x, word);
        }
        None => {
            let (a, b) = (cx.reg(a), cx.reg(b));
            op2(cx, if word { MULW } else { MUL }, d, a, b);
        }
    }
}

/// The upper half of a product of 64 bits.
pub fn high(cx: &mut Select, i: Inst, row: MachineOp) {
    if cx.body.ty(i) != Type::I64 {
        return lack(cx, i);
    }
    let (a, b) = (cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1)));
    let d = Operand::virt(cx.result(i));
    op2(cx, row, d, a, b);
}

/// `d = a x`: at most two shifts and sums, or a product.
pub fn product_by(cx: &mut Select, d: Operand, a: Operand, x: i64, word: bool) {
    if super::bits::product(cx, d, a, x, word) {
        return;
    }
    let [shl, add, sub, mul] = if word { [SLLIW, ADDW, SUBW, MULW] } else { [SLLI, ADD, SUB, MUL] };
    let shifted = |cx: &mut Select, k: u32| cx.emit_fresh(shl, Type::I64, &[a], k as i32, 0);
    match factor(x) {
        _ if x == 0 => load_int(cx, d, 0),
        Some((Odd::One, 0)) => op1(cx, MV, d, a),
        Some((Odd::One, zeros)) => op_imm(cx, shl, d, a, zeros.into()),
        Some((Odd::MinusOne, 0)) => op2(cx, sub, d, ZERO_REG, a),
        Some((Odd::MinusOne, zeros)) => {
            let t = shifted(cx, zeros);
            op2(cx, sub, d, ZERO_REG, t);
        }
        Some((Odd::PowerPlusOne(k), 0)) => {
            let t = shifted(cx, k);
            op2(cx, add, d, t, a);
        }
        Some((Odd::PowerMinusOne(k), 0)) => {
            let t = shifted(cx, k);
            op2(cx, sub, d, t, a);
        }
        Some((Odd::OneMinusPower(k), 0)) => {
            let t = shifted(cx, k);
            op2(cx, sub, d, a, t);
        }
        _ => {
            let b = int_reg(cx, x);
            op2(cx, mul, d, a, b);
        }
    }
}

fn is_power(x: i64) -> bool {
    x > 0 && x & (x - 1) == 0
}

/// `sdiv`, `srem`, `udiv`, `urem`.
pub fn quotient(cx: &mut Select, i: Inst) {
    let (op, ty) = (cx.body.op(i), cx.body.ty(i));
    if matches!(ty, Type::I1 | Type::I8) {
        return narrow(cx, i);
    }
    let word = is_word(ty);
    let d = Operand::virt(cx.result(i));
    let (a, by) = (cx.body.arg(i, 0), cx.body.as_int(cx.body.arg(i, 1)));
    if let Some(x) = by {
        let signed = matches!(op, Op::SDiv | Op::SRem);
        let magnitude = match (word, signed) {
            (true, true) => i64::from((x as i32).unsigned_abs()),
            (true, false) => i64::from(x as u32),
            (false, _) => x,
        };
        if magnitude > 0 && is_power(magnitude) {
            let a = cx.reg(a);
            let k = i64::from(magnitude.trailing_zeros());
            return match op {
                Op::SDiv => shift_quotient(cx, d, a, k, x < 0, word),
                Op::SRem => shift_remainder(cx, d, a, k, word),
                Op::UDiv => op_imm(cx, if word { SRLIW } else { SRLI }, d, a, k),
                _ => low_bits(cx, d, a, k, word),
            };
        }
        if signed && word && magnitude != 0 {
            let a = cx.reg(a);
            if op == Op::SDiv {
                return magic_quotient(cx, d, a, x as i32);
            }
            let (q, back) = (temp(cx, Type::I32), temp(cx, Type::I32));
            magic_quotient(cx, q, a, magnitude as i32);
            product_by(cx, back, q, magnitude, true);
            return op2(cx, SUBW, d, a, back);
        }
    }
    let (word_op, double_op): (MachineOp, MachineOp) = match op {
        Op::SDiv => (DIVW, DIV),
        Op::SRem => (REMW, REM),
        Op::UDiv => (DIVUW, DIVU),
        _ => (REMUW, REMU),
    };
    let (a, b) = (cx.reg(a), cx.reg(cx.body.arg(i, 1)));
    op2(cx, if word { word_op } else { double_op }, d, a, b);
}

/// What makes a shift round toward zero: 2^k - 1 if a is negative, or 0.
fn bias(cx: &mut Select, a: Operand, k: i64, word: bool) -> Operand {
    let (bits, sra, srl) = if word { (32, SRAIW, SRLIW) } else { (64, SRAI, SRLI) };
    let sign = if k == 1 {
        a
    } else {
        let t = temp(cx, Type::I64);
        op_imm(cx, sra, t, a, bits - 1);
        t
    };
    let t = temp(cx, Type::I64);
    op_imm(cx, srl, t, sign, bits - k);
    t
}

/// `d = a / 2^k`, or its negative.
fn shift_quotient(cx: &mut Select, d: Operand, a: Operand, k: i64, negative: bool, word: bool) {
    let [add, sub, sra] = if word { [ADDW, SUBW, SRAIW] } else { [ADD, SUB, SRAI] };
    if k == 0 {
        return if negative { op2(cx, sub, d, ZERO_REG, a) } else { op1(cx, MV, d, a) };
    }
    let bias = bias(cx, a, k, word);
    let (sum, q) = (temp(cx, Type::I64), if negative { temp(cx, Type::I64) } else { d });
    op2(cx, add, sum, a, bias);
    op_imm(cx, sra, q, sum, k);
    if negative {
        op2(cx, sub, d, ZERO_REG, q);
    }
}

/// `d = a % 2^k`, with the sign of a.
fn shift_remainder(cx: &mut Select, d: Operand, a: Operand, k: i64, word: bool) {
    if k == 0 {
        return load_int(cx, d, 0);
    }
    let bias = bias(cx, a, k, word);
    let (sum, low) = (temp(cx, Type::I64), temp(cx, Type::I64));
    op2(cx, if word { ADDW } else { ADD }, sum, a, bias);
    low_bits(cx, low, sum, k, word);
    op2(cx, if word { SUBW } else { SUB }, d, low, bias);
}

/// `d = a & (2^k - 1)`.
fn low_bits(cx: &mut Select, d: Operand, a: Operand, k: i64, word: bool) {
    let (bits, shl, srl) = if word { (32, SLLIW, SRLIW) } else { (64, SLLI, SRLI) };
    if k <= 11 {
        return op_imm(cx, ANDI, d, a, (1 << k) - 1);
    }
    if k == 16 && super::bits::zero_extend_half(cx, d, a) {
        return;
    }
    let t = temp(cx, Type::I64);
    op_imm(cx, shl, t, a, bits - k);
    op_imm(cx, srl, d, t, bits - k);
}

/// `d = a / by` for an i32 that is not 0 and whose magnitude is no power of two.
fn magic_quotient(cx: &mut Select, d: Operand, a: Operand, by: i32) {
    let Reciprocal { multiplier, shift } = signed_reciprocal(by.unsigned_abs().into(), 32);
    let m = int_reg(cx, multiplier as i64);
    let high = cx.emit_fresh(MUL, Type::I64, &[a, m], 0, 0);
    let q = cx.emit_fresh(SRAI, Type::I64, &[high], 32 + shift as i32, 0);
    let sign = cx.emit_fresh(SRAIW, Type::I32, &[a], 31, 0);
    if by < 0 { op2(cx, SUBW, d, sign, q) } else { op2(cx, SUBW, d, q, sign) }
}
