//! Products, whole and their upper halves, and quotients. Those by constants that are cheaper otherwise have
//! become something else before (`opt/expand`), but for the scales of addresses.

use super::integer::{self, emit_word, load_word};
use super::registers::INT_ARGS;
use super::rows::*;
use crate::analysis::magic::{Odd, factor};
use crate::ir::{Inst, Op, Type};
use crate::isa::features::DIVISION;
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
pub fn divide(cx: &mut Select, def: Operand, op: Op, operands: [Operand; 2]) {
    let [n, d] = operands;
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
