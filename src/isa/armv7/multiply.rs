//! Products, quotients and remainders by constants.
//!
//! A product by (2^n + 1) 2^m or the like is one or two instructions with a shifted operand. A quotient by a
//! constant is the high half of a product with a scaled reciprocal (`isa::magic`), by a power of two a shift after adding a
//! bias to negative
//! numbers. A remainder takes the quotient times the divisor away.

use super::imm::is_rotated;
use super::integer::{self, emit_word, load_word};
use super::registers::INT_ARGS;
use super::rows::*;
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::features::DIVISION;
use crate::isa::magic::{Odd, Reciprocal, factor, signed_reciprocal};
use crate::isa::select::{Select, lack};
use crate::isa::{AEABI_IDIV, AEABI_IDIVMOD, AEABI_UIDIV, AEABI_UIDIVMOD};
use crate::mir::Operand;

/// True if `mul_constant` needs no multiplication.
pub fn is_cheap_factor(x: i32) -> bool {
    x == 0 || factor(x.into()).is_some()
}

/// Emits `def = rn * x`.
pub fn mul_constant(cx: &mut Select, def: Operand, rn: Operand, x: i32) {
    if x == 0 {
        return cx.emit(LI, &[def], &[], 0, 0);
    }
    let Some((odd, zeros)) = factor(x.into()) else {
        let factor = load_word(cx, x);
        return cx.emit(MUL, &[def], &[rn, factor], 0, 0);
    };
    let zeros = zeros as i32;
    let (row, k) = match (odd, zeros) {
        (Odd::One, 0) => return cx.emit(MOV, &[def], &[rn], 0, 0),
        (Odd::One, _) => return cx.emit(LSL_I, &[def], &[rn], zeros, 0),
        (Odd::MinusOne, _) => {
            let shifted = if zeros == 0 { rn } else { emit_word(cx, LSL_I, &[rn], zeros) };
            return cx.emit(RSB_I, &[def], &[shifted], 0, 0);
        }
        (Odd::PowerPlusOne(k), _) => (ADD_LSL, k),
        (Odd::PowerMinusOne(k), _) => (RSB_LSL, k),
        (Odd::OneMinusPower(k), _) => (SUB_LSL, k),
    };
    if zeros == 0 {
        return cx.emit(row, &[def], &[rn, rn], k as i32, 0);
    }
    let product = emit_word(cx, row, &[rn, rn], k as i32);
    cx.emit(LSL_I, &[def], &[product], zeros, 0);
}

/// Selects the upper half of a product.
pub fn high(cx: &mut Select, i: Inst) {
    if cx.body.ty(i) != Type::I32 {
        return lack(cx, i);
    }
    let uses = [cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1))];
    let def = Operand::virt(cx.result(i));
    if cx.body.op(i) == Op::SMulHi {
        return cx.emit(SMMUL, &[def], &uses, 0, 0);
    }
    let low = integer::word(cx);
    cx.emit(UMULL, &[low, def], &uses, 0, 0);
}

/// Selects a quotient or remainder.
pub fn divide(cx: &mut Select, def: Operand, op: Op, a: Value, b: Value, constant: Option<i32>) {
    let n = cx.reg(a);
    match (op, constant) {
        (Op::SDiv, Some(d)) if d != 0 => return signed_quotient(cx, def, n, d),
        (Op::SRem, Some(d)) if d != 0 => return signed_remainder(cx, def, n, d),
        (Op::UDiv, Some(d)) if (d as u32).is_power_of_two() => {
            return match d.trailing_zeros() as i32 {
                0 => cx.emit(MOV, &[def], &[n], 0, 0),
                k => cx.emit(LSR_I, &[def], &[n], k, 0),
            };
        }
        (Op::URem, Some(d)) if (d as u32).is_power_of_two() => {
            return match d.trailing_zeros() as i32 {
                0 => cx.emit(LI, &[def], &[], 0, 0),
                k => cx.emit(UBFX, &[def], &[n], k, 0),
            };
        }
        _ => {}
    }
    let d = cx.reg(b);
    let signed = matches!(op, Op::SDiv | Op::SRem);
    let is_quotient = matches!(op, Op::SDiv | Op::UDiv);
    if !cx.has(DIVISION) {
        return library_division(cx, def, signed, is_quotient, [n, d]);
    }
    let row = if signed { SDIV } else { UDIV };
    if is_quotient {
        return cx.emit(row, &[def], &[n, d], 0, 0);
    }
    let quotient = emit_word(cx, row, &[n, d], 0);
    cx.emit(MLS, &[def], &[quotient, d, n], 0, 0);
}

/// Emits the bias that makes a shift of `n` by `k` round towards zero, added to `n`.
fn biased(cx: &mut Select, n: Operand, k: i32) -> Operand {
    if k == 1 {
        return emit_word(cx, ADD_LSR, &[n, n], 31);
    }
    let sign = emit_word(cx, ASR_I, &[n], 31);
    emit_word(cx, ADD_LSR, &[n, sign], 32 - k)
}

/// Emits `n / d`, d not 0.
fn signed_quotient(cx: &mut Select, def: Operand, n: Operand, d: i32) {
    let size = d.unsigned_abs();
    if size == 1 {
        return if d == 1 {
            cx.emit(MOV, &[def], &[n], 0, 0);
        } else {
            cx.emit(RSB_I, &[def], &[n], 0, 0);
        };
    }
    if size.is_power_of_two() {
        let k = size.trailing_zeros() as i32;
        let sum = biased(cx, n, k);
        if d > 0 {
            return cx.emit(ASR_I, &[def], &[sum], k, 0);
        }
        let quotient = emit_word(cx, ASR_I, &[sum], k);
        return cx.emit(RSB_I, &[def], &[quotient], 0, 0);
    }
    let Reciprocal { multiplier, shift } = signed_reciprocal(size.into(), 32);
    let (magic, shift) = (multiplier as i32, shift as i32);
    let factor = load_word(cx, magic);
    // A factor of 2^31 or more counts as negative: what it lacks is n x 2^32.
    let high = if magic < 0 {
        emit_word(cx, SMMLA, &[n, factor, n], 0)
    } else {
        emit_word(cx, SMMUL, &[n, factor], 0)
    };
    if d < 0 {
        let sign = emit_word(cx, ASR_I, &[n], 31);
        return match shift {
            0 => cx.emit(SUB, &[def], &[sign, high], 0, 0),
            _ => cx.emit(SUB_ASR, &[def], &[sign, high], shift, 0),
        };
    }
    let floor = if shift == 0 { high } else { emit_word(cx, ASR_I, &[high], shift) };
    cx.emit(ADD_LSR, &[def], &[floor, n], 31, 0);
}

/// Emits `n % d`, d not 0.
fn signed_remainder(cx: &mut Select, def: Operand, n: Operand, d: i32) {
    let size = d.unsigned_abs();
    if size == 1 {
        return cx.emit(LI, &[def], &[], 0, 0);
    }
    if size.is_power_of_two() {
        let k = size.trailing_zeros() as i32;
        let sum = biased(cx, n, k);
        let mask = (size - 1) as i32;
        if is_rotated(mask) {
            let multiple = emit_word(cx, BIC_I, &[sum], mask);
            return cx.emit(SUB, &[def], &[n, multiple], 0, 0);
        }
        let quotient = emit_word(cx, LSR_I, &[sum], k);
        return cx.emit(SUB_LSL, &[def], &[n, quotient], k, 0);
    }
    // The sign of the divisor does not matter to the remainder.
    let size = size as i32;
    let quotient = integer::word(cx);
    signed_quotient(cx, quotient, n, size);
    if is_cheap_factor(size) {
        let power = size.trailing_zeros() as i32;
        let multiple = integer::word(cx);
        mul_constant(cx, multiple, quotient, size >> power);
        let row = if power == 0 { SUB } else { SUB_LSL };
        return cx.emit(row, &[def], &[n, multiple], power, 0);
    }
    let divisor = load_word(cx, size);
    cx.emit(MLS, &[def], &[quotient, divisor, n], 0, 0);
}

/// Emits a call of the run-time ABI's division: quotient in r0, remainder in r1.
fn library_division(cx: &mut Select, def: Operand, signed: bool, is_quotient: bool, args: [Operand; 2]) {
    let (callee, result) = match (signed, is_quotient) {
        (true, true) => (AEABI_IDIV, 0),
        (false, true) => (AEABI_UIDIV, 0),
        (true, false) => (AEABI_IDIVMOD, 1),
        (false, false) => (AEABI_UIDIVMOD, 1),
    };
    crate::isa::convention::call_library(cx, callee, &args, Some((def, INT_ARGS[result])));
}
