//! Products, whole and their upper halves, and quotients. Those by constants that are cheaper otherwise have
//! become something else before (`opt/values/expand`), but for the scales of addresses.

use super::integer::{self, emit_word, load_word};
use super::registers::INT_ARGS;
use super::rows::*;
use crate::analysis::magic::{Odd, factor};
use crate::ir::{Inst, Op, Type};
use crate::isa::features::DIVISION;
use crate::isa::select::{Select, lack};
use crate::isa::{AEABI_IDIV, AEABI_IDIVMOD, AEABI_UIDIV, AEABI_UIDIVMOD};
use crate::mir::Operand;

/// True if a scale needs no multiplication.
pub fn is_cheap_scale(scale: u32) -> bool {
    scale == 0 || factor(scale.into()).is_some()
}

/// Emits the product with the odd part of a scale.
pub fn product_with(cx: &mut Select, rn: Operand, odd: u32) -> Operand {
    match factor(odd.into()) {
        Some((Odd::PowerPlusOne(k), _)) => emit_word(cx, ADD_LSL, &[rn, rn], k as i32),
        Some((Odd::PowerMinusOne(k), _)) => emit_word(cx, RSB_LSL, &[rn, rn], k as i32),
        _ => {
            let factor = load_word(cx, odd as i32);
            emit_word(cx, MUL, &[rn, factor], 0)
        }
    }
}

/// Selects the upper half of a product, and with it the lower half, if that is wanted.
pub fn high(cx: &mut Select, i: Inst) {
    if cx.body.ty(i) != Type::I32 {
        return lack(cx, i);
    }
    let uses = [cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1))];
    let def = Operand::virt(cx.result(i));
    // The lower half stands in front of it (`isa::words`).
    let lower =
        cx.body.prev(i).filter(|&low| cx.body.op(low) == Op::Mul && cx.body.args(low) == cx.body.args(i));
    let lower = lower.and_then(|low| cx.take_result(low)).map(Operand::virt);
    let signed = cx.body.op(i) == Op::SMulHi;
    if lower.is_none() && signed {
        return cx.emit(SMMUL, &[def], &uses, 0, 0);
    }
    let low = lower.unwrap_or_else(|| integer::word(cx));
    cx.emit(if signed { SMULL } else { UMULL }, &[low, def], &uses, 0, 0);
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
