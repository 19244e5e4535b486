//! Products, whole and their upper halves, and quotients. Those by constants that are cheaper otherwise have
//! become something else before (`opt/values/expand`), but for the scales of addresses.

use super::rows::*;
use super::select::{int_reg, is_word, narrow, op_imm, op2};
use crate::analysis::magic::{Odd, factor};
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::select::{Select, lack, of_words};
use crate::mir::{MachineOp, Operand};

/// `mul`.
pub fn product(cx: &mut Select, i: Inst) {
    if of_words::<false>(cx, i, MULW) {
        return;
    }
    if cx.body.ty(i).is_narrow() {
        return narrow(cx, i);
    }
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let (a, b) = if cx.body.as_int(a).is_some() { (b, a) } else { (a, b) };
    let d = Operand::virt(cx.result(i));
    let (ty, word) = (cx.body.ty(i), is_word(cx.body.ty(i)));
    if let Some(k) = cx.power_of_two(ty, b) {
        let a = cx.reg(a);
        return op_imm(cx, if word { SLLIW } else { SLLI }, d, a, k.into());
    }
    let [a, b] = [a, b].map(|v| match cx.body.as_int(v) {
        Some(x) => int_reg(cx, x),
        None => {
            let v = unextended(cx, v);
            cx.reg(v)
        }
    });
    op2(cx, if word { MULW } else { MUL }, d, a, b);
}

/// What a sign-extension from 32 bits extends, in a register of the same contents.
fn unextended(cx: &Select, v: Value) -> Value {
    match v.as_inst().filter(|&i| cx.body.op(i) == Op::SExt).map(|i| cx.body.arg(i, 0)) {
        Some(from) if cx.body.type_of(from) == Type::I32 => from,
        _ => v,
    }
}

/// The upper half of a product of 64 bits.
pub fn high(cx: &mut Select, i: Inst, row: MachineOp) {
    if cx.body.ty(i) != Type::I64 {
        return lack(cx, i);
    }
    let [a, b] = [0, 1].map(|k| {
        let v = unextended(cx, cx.body.arg(i, k));
        cx.reg(v)
    });
    let d = Operand::virt(cx.result(i));
    op2(cx, row, d, a, b);
}

/// True for the upper half of a product of what was 32 bits with a positive number: it is less than half of that.
pub fn is_word_of_half(cx: &Select, v: Value) -> bool {
    let Some(i) = v.as_inst().filter(|&i| cx.body.ty(i) == Type::I64) else { return false };
    let extends = match cx.body.op(i) {
        Op::SMulHi => Op::SExt,
        Op::UMulHi => Op::ZExt,
        _ => return false,
    };
    let is_word = |i: Inst| cx.body.op(i) == extends && cx.body.type_of(cx.body.arg(i, 0)) == Type::I32;
    let is_positive = cx.body.as_int(cx.body.arg(i, 1)).is_some_and(|by| by > 0);
    is_positive && cx.body.arg(i, 0).as_inst().is_some_and(is_word)
}

/// `d = a x` in 64 bits, for the scale of an address that is no power of two: a shift and a sum, or a product.
pub fn product_by(cx: &mut Select, d: Operand, a: Operand, x: i64) {
    if super::bits::product(cx, d, a, x) {
        return;
    }
    let (op, k) = match factor(x) {
        Some((Odd::PowerPlusOne(k), 0)) => (ADD, k),
        Some((Odd::PowerMinusOne(k), 0)) => (SUB, k),
        _ => {
            let b = int_reg(cx, x);
            return op2(cx, MUL, d, a, b);
        }
    };
    let shifted = cx.emit_fresh(SLLI, Type::I64, &[a], k as i32, 0);
    op2(cx, op, d, shifted, a);
}

/// `sdiv`, `srem`, `udiv`, `urem`.
pub fn quotient(cx: &mut Select, i: Inst) {
    let (op, ty) = (cx.body.op(i), cx.body.ty(i));
    if ty.is_narrow() {
        return narrow(cx, i);
    }
    let word = is_word(ty);
    let d = Operand::virt(cx.result(i));
    let (word_op, double_op): (MachineOp, MachineOp) = match op {
        Op::SDiv => (DIVW, DIV),
        Op::SRem => (REMW, REM),
        Op::UDiv => (DIVUW, DIVU),
        _ => (REMUW, REMU),
    };
    let (a, b) = (cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1)));
    op2(cx, if word { word_op } else { double_op }, d, a, b);
}
