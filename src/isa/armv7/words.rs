//! i64 as pairs of words: what `isa::words` leaves to the target.
//!
//! A sum or difference carries in the flags, and so does a comparison: only moves, loads and constants, which
//! leave them alone, may come between its rows. A product that is added is part of the sum: `umlal`, `smlal`, and `umaal` for
//! what long numbers are multiplied with, a product and two words. Quotients and remainders are functions of the run-time ABI,
//! which yield both: the quotient in r0 and r1, the remainder in r2 and r3.

use super::imm::is_rotated;
use super::integer::{self, emit_word, own_word, word};
use super::registers::INT_ARGS;
use super::rows::*;
use crate::ir::{Inst, IntPred, Op, Value};
use crate::isa::compare::Cond;
use crate::isa::select::Select;
use crate::isa::words::{OF_PAIRS, Pair};
use crate::isa::{AEABI_LDIVMOD, AEABI_ULDIVMOD};
use crate::mir::{MachineOp, Operand};

/// A word as operand 2: an immediate, or a register.
fn second(cx: &mut Select, v: Value) -> Result<i32, Operand> {
    match cx.body.as_int(v).map(|x| x as i32).filter(|&x| is_rotated(x)) {
        Some(x) => Ok(x),
        None => Err(cx.reg(v)),
    }
}

/// Emits an operation on a register and operand 2.
fn emit<const DEFS: usize>(
    cx: &mut Select,
    [reg, imm]: [MachineOp; 2],
    defs: &[Operand; DEFS],
    rn: Operand,
    second: Result<i32, Operand>,
) {
    match second {
        Ok(x) => cx.emit(imm, defs, &[rn], x, 0),
        Err(rm) => cx.emit(reg, defs, &[rn, rm], 0, 0),
    }
}

/// Selects an operation on two pairs.
pub fn of_pairs(cx: &mut Select, i: Inst) {
    let &[a0, a1, b0, b1] = cx.body.args(i) else { return cx.fail("armv7: vectors") };
    let defs = [Operand::virt(cx.result(i)), high_of(cx, i)];
    match Pair::ALL.get(cx.body.payload(i) as usize) {
        Some(Pair::Add) if accumulated(cx, [[a0, a1], [b0, b1]], defs) => {}
        Some(Pair::Add) => {
            let uses = [cx.reg(a0), cx.reg(a1)];
            let (b0, b1) = (second(cx, b0), second(cx, b1));
            emit(cx, [ADD_FLAGS, ADD_FLAGS_I], &[defs[0]], uses[0], b0);
            emit(cx, [ADC, ADC_I], &[defs[1]], uses[1], b1);
        }
        Some(Pair::Sub) => {
            let known = [a0, a1].map(|v| cx.body.as_int(v).map(|x| x as i32).filter(|&x| is_rotated(x)));
            if let [Some(x0), Some(x1)] = known {
                let uses = [cx.reg(b0), cx.reg(b1)];
                cx.emit(RSB_FLAGS_I, &[defs[0]], &[uses[0]], x0, 0);
                return cx.emit(RSC_I, &[defs[1]], &[uses[1]], x1, 0);
            }
            let uses = [cx.reg(a0), cx.reg(a1)];
            let (b0, b1) = (second(cx, b0), second(cx, b1));
            emit(cx, [SUB_FLAGS, SUB_FLAGS_I], &[defs[0]], uses[0], b0);
            emit(cx, [SBC, SBC_I], &[defs[1]], uses[1], b1);
        }
        Some(&what) => {
            let signed = matches!(what, Pair::SDiv | Pair::SRem);
            let first = if matches!(what, Pair::SDiv | Pair::UDiv) { 0 } else { 2 };
            let callee = if signed { AEABI_LDIVMOD } else { AEABI_ULDIVMOD };
            let mut operands = [Operand::FRAME; 6];
            let args = [a0, a1, b0, b1].map(|v| movable(cx, v));
            let regs = INT_ARGS[first..first + 2].iter().chain(&INT_ARGS);
            for ((operand, value), &reg) in operands.iter_mut().zip(defs.into_iter().chain(args)).zip(regs) {
                *operand = value.as_virt().map_or(value, |v| Operand::fixed(v, reg));
            }
            cx.emit_call(BL, 2, &operands, callee);
        }
        None => cx.fail("armv7: an operation on pairs of words"),
    }
}

/// A product of two words with its words, as a part of a sum.
struct Product {
    signed: bool,
    factors: [Value; 2],
    /// What is added to its upper word: products of words with upper words, of i64 that are multiplied.
    above: [Option<Value>; 2],
}

/// Two words as a product, if they can be folded.
fn product_of(cx: &Select, [low, high]: [Value; 2]) -> Option<Product> {
    let lower = cx.foldable_as(low, Op::Mul)?;
    let (mut v, mut above) = (high, [None; 2]);
    for k in 0..3 {
        let i = cx.foldable(v)?;
        match cx.body.op(i) {
            op @ (Op::UMulHi | Op::SMulHi) if cx.body.args(i) == cx.body.args(lower) => {
                let factors = [cx.body.arg(i, 0), cx.body.arg(i, 1)];
                return Some(Product { signed: op == Op::SMulHi, factors, above });
            }
            Op::Add if k < 2 => (v, above[k]) = (cx.body.arg(i, 0), Some(cx.body.arg(i, 1))),
            _ => return None,
        }
    }
    None
}

/// Two words that are the result of a sum of pairs, as that, if it can be folded.
fn sum_of(cx: &Select, [low, high]: [Value; 2]) -> Option<[[Value; 2]; 2]> {
    let i = low.as_inst().filter(|&i| cx.body.op(i) == OF_PAIRS && cx.body.block_of(i) == Some(cx.block))?;
    let is_half = |half: Inst| cx.body.args(half) == [low] && cx.body.payload(half) == 1;
    cx.foldable_as(high, Op::ExtractLane).filter(|&half| is_half(half))?;
    match *cx.body.args(i) {
        // Its own half, and what is asked.
        [a0, a1, b0, b1] if cx.body.use_count(i) == 2 && cx.body.payload(i) == Pair::Add as u32 => {
            Some([[a0, a1], [b0, b1]])
        }
        _ => None,
    }
}

/// Selects the sum of a product and another pair, or of a product and two words; false, and nothing done, if it is none.
fn accumulated(cx: &mut Select, [a, b]: [[Value; 2]; 2], defs: [Operand; 2]) -> bool {
    for (sum, last) in [(a, b), (b, a)] {
        let Some([c, d]) = sum_of(cx, sum) else { continue };
        for [product, c, d] in [[c, d, last], [d, c, last], [last, c, d]] {
            let are_words = [c[1], d[1]].iter().all(|&high| cx.body.as_int(high) == Some(0));
            let product =
                product_of(cx, product).filter(|product| !product.signed && product.above == [None; 2]);
            if let Some(product) = product.filter(|_| are_words) {
                let [x, y, c, d] = [product.factors[0], product.factors[1], c[0], d[0]].map(|v| cx.reg(v));
                cx.emit_row(UMAAL, 2, &[defs[0], defs[1], x, y, c, d], 0, 0);
                return true;
            }
        }
    }
    for (product, onto) in [(a, b), (b, a)] {
        let Some(product) = product_of(cx, product) else { continue };
        // Two constants would take two rows.
        if onto.iter().all(|v| v.is_constant()) {
            continue;
        }
        let [x, y] = product.factors.map(|v| cx.reg(v));
        let (low, mut high) = (cx.reg(onto[0]), cx.reg(onto[1]));
        for v in product.above.into_iter().flatten() {
            high = match integer::product_of(cx, v) {
                Some((x, y)) => {
                    let uses = [cx.reg(x), cx.reg(y), high];
                    emit_word(cx, MLA, &uses, 0)
                }
                None => {
                    let more = cx.reg(v);
                    emit_word(cx, ADD, &[high, more], 0)
                }
            };
        }
        let row = if product.signed { SMLAL } else { UMLAL };
        cx.emit_row(row, 2, &[defs[0], defs[1], x, y, low, high], 0, 0);
        return true;
    }
    false
}

/// A word in a virtual register of its own, if it is known.
fn movable(cx: &mut Select, v: Value) -> Operand {
    match v.as_inst() {
        Some(i) => Operand::virt(cx.result(i)),
        None => own_word(cx, cx.body.as_int(v).unwrap_or(0) as i32),
    }
}

/// Where the high word of a result goes.
fn high_of(cx: &mut Select, i: Inst) -> Operand {
    match cx.take_half(i, 1) {
        Some(v) => Operand::virt(v),
        None => word(cx),
    }
}

/// Sets the flags for a comparison of two pairs; the condition for true.
pub fn compare(cx: &mut Select, i: Inst) -> Cond {
    let pred = IntPred::from_payload(cx.body.payload(i));
    let &[a0, a1, b0, b1] = cx.body.args(i) else { return Cond::Eq };
    let uses = [cx.reg(a0), cx.reg(a1)];
    let (b0, b1) = (second(cx, b0), second(cx, b1));
    emit(cx, [CMP, CMP_I], &[], uses[0], b0);
    if matches!(pred, IntPred::Eq | IntPred::Ne) {
        emit(cx, [CMP_IF_EQ, CMP_I_IF_EQ], &[], uses[1], b1);
    } else {
        let difference = word(cx);
        emit(cx, [SBCS, SBCS_I], &[difference], uses[1], b1);
    }
    Cond::of_ints(pred)
}

/// Selects a word of what has two.
pub fn half(cx: &mut Select, i: Inst) {
    let (v, k) = (cx.body.arg(i, 0), cx.body.payload(i));
    let Some(of) = v.as_inst() else { return cx.fail("armv7: a word of a constant") };
    let half = cx.result(i);
    cx.note_half(of, k, half);
    // A parameter has no register as a whole.
    if cx.body.op(of) != Op::Param {
        cx.reg(v);
    }
}

/// The two words of an i64 that is passed or returned.
pub fn both(cx: &mut Select, v: Value) -> [Operand; 2] {
    match v.as_inst() {
        None => {
            let x = cx.body.as_int(v).unwrap_or(0);
            [own_word(cx, x as i32), own_word(cx, (x >> 32) as i32)]
        }
        Some(i) if cx.body.op(i) == Op::InsertLane => {
            [cx.body.arg(i, 0), cx.body.arg(i, 1)].map(|v| movable(cx, v))
        }
        Some(_) => {
            cx.fail("armv7: i64 as an argument or result");
            [word(cx); 2]
        }
    }
}
