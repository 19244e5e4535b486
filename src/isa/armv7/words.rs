//! i64 as pairs of words: what `isa::words` leaves to the target.
//!
//! A sum or difference carries in the flags, and so does a comparison: only moves, loads and constants, which
//! leave them alone, may come between its rows. Quotients and remainders are functions of the run-time ABI,
//! which yield both: the quotient in r0 and r1, the remainder in r2 and r3.

use super::imm::is_rotated;
use super::integer::{own_word, word};
use super::registers::INT_ARGS;
use super::rows::*;
use crate::ir::{Inst, IntPred, Op, Value};
use crate::isa::compare::Cond;
use crate::isa::select::Select;
use crate::isa::words::Pair;
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
        emit(cx, [CMP_ALSO, CMP_ALSO_I], &[], uses[1], b1);
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
