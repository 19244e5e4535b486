//! Atomic accesses: plain ones between barriers, and loops of exclusive pairs between barriers. What has two words takes
//! neighbouring registers there, so these are calls as far as the allocator sees, with registers of their own.

use super::integer::word;
use super::registers::{INT_ARGS, IP, LR};
use super::rows::*;
use super::words::both;
use crate::ir::builtin::Update;
use crate::ir::{Builtin, Inst, Type};
use crate::isa::builtin::fenced;
use crate::isa::frame::Emitter;
use crate::isa::select::Select;
use crate::mir::{InstRow, MachineOp, Operand, PReg};

/// See `Builtins::atomic`.
pub fn select(cx: &mut Select, i: Inst, builtin: Builtin, size: u32) {
    let [before, behind] = builtin.fences();
    let fence = |cx: &mut Select, is_needed: bool| {
        if is_needed {
            cx.emit(DMB, &[], &[], 0, 0);
        }
    };
    if size == 3 {
        if !cx.out.is_wide {
            return cx.fail("armv7: an atomic access to two words");
        }
        fence(cx, before);
        of_two_words(cx, i, builtin);
        return fence(cx, behind);
    }
    match (builtin, cx.body.args(i)) {
        (Builtin::AtomicUpdate(update, _), &[address, value]) if size == 2 => {
            let (address, value, failed) = (cx.reg(address), cx.reg(value), word(cx));
            let def = Operand::virt(cx.result(i));
            fence(cx, before);
            cx.emit(UPDATE, &[def, failed], &[address, value], update as i32, 0);
        }
        (Builtin::CompareExchange(_), &[address, expected, new]) => {
            let [address, mut expected, new] = [address, expected, new].map(|v| cx.reg(v));
            if size < 2 {
                // What is there comes without a sign.
                expected = cx.emit_fresh(if size == 0 { UXTB } else { UXTH }, Type::I32, &[expected], 0, 0);
            }
            let def = Operand::virt(cx.result(i));
            fence(cx, before);
            cx.emit(EXCHANGE, &[def], &[address, expected, new], size as i32, 0);
        }
        _ => {
            if !fenced(cx, i, builtin) {
                cx.fail("armv7: an atomic access");
            }
            return;
        }
    }
    fence(cx, behind);
}

/// A load or an exchange of two words.
fn of_two_words(cx: &mut Select, i: Inst, builtin: Builtin) {
    let high = cx.take_half(i, 1).map(Operand::virt);
    let defs = [Operand::virt(cx.result(i)), high.unwrap_or_else(|| word(cx))];
    let (op, address, values) = match (builtin, cx.body.args(i)) {
        (Builtin::AtomicLoad(_), &[address]) => (LDREXD_R0, address, Vec::new()),
        (Builtin::CompareExchange(_), &[address, expected, new]) => {
            (EXCHANGE_D, address, [expected, new].iter().flat_map(|&v| both(cx, v)).collect())
        }
        _ => return cx.fail("armv7: an atomic access to two words"),
    };
    let address = cx.reg(address);
    let address = cx.in_virtual(address, Type::Ptr);
    let fixed = |v: Operand, reg: PReg| v.as_virt().map_or(v, |v| Operand::fixed(v, reg));
    let uses = values.into_iter().zip(INT_ARGS).chain([(address, LR)]);
    let operands: Vec<Operand> =
        defs.into_iter().zip(INT_ARGS).chain(uses).map(|(v, reg)| fixed(v, reg)).collect();
    cx.emit_call(op, 2, &operands, 0);
}

const SCRATCH: Operand = Operand::phys(IP);

/// The loop that an `UPDATE` is.
pub fn update(e: &mut Emitter, row: &InstRow) {
    const ROWS: [MachineOp; 6] = [MOV, ADD, SUB, AND, ORR, EOR];
    let [old, failed, address, value] = [0, 1, 2, 3].map(|k| e.operand(row, k));
    e.set(LDREX, old, &[address], 0);
    let is_exchange = row.imm == Update::Exchange as i32;
    let new = if is_exchange { value } else { SCRATCH };
    if let Some(&op) = ROWS.get(row.imm as usize).filter(|_| !is_exchange) {
        e.set(op, new, &[old, value], 0);
    }
    e.set(STREX, failed, &[new, address], 0);
    e.emit(CMP_I, &[], &[failed], 0, 0);
    e.emit(if is_exchange { BNE_BACK_3 } else { BNE_BACK_4 }, &[], &[], 0, 0);
}

/// The loop that an `EXCHANGE` is.
pub fn exchange(e: &mut Emitter, row: &InstRow) {
    let [old, address, expected, new] = [0, 1, 2, 3].map(|k| e.operand(row, k));
    let (load, store) = match row.imm {
        0 => (LDREXB, STREXB),
        1 => (LDREXH, STREXH),
        _ => (LDREX, STREX),
    };
    e.set(load, old, &[address], 0);
    e.emit(CMP, &[], &[old, expected], 0, 0);
    e.emit(BNE_OVER_4, &[], &[], 0, 0);
    e.set(store, SCRATCH, &[new, address], 0);
    e.emit(CMP_I, &[], &[SCRATCH], 0, 0);
    e.emit(BNE_BACK_5, &[], &[], 0, 0);
}

/// The loop that an `EXCHANGE_D` is.
pub fn exchange_two(e: &mut Emitter) {
    let r = |n| Operand::phys(PReg::int(n));
    e.emit(PUSH_R4_R5, &[], &[], 0, 0);
    e.emit(LDREXD_R4, &[], &[], 0, 0);
    e.emit(CMP, &[], &[r(4), r(0)], 0, 0);
    e.emit(CMP_IF_EQ, &[], &[r(5), r(1)], 0, 0);
    e.emit(BNE_OVER_4, &[], &[], 0, 0);
    e.emit(STREXD_R2, &[], &[], 0, 0);
    e.emit(CMP_I, &[], &[SCRATCH], 0, 0);
    e.emit(BNE_BACK_6, &[], &[], 0, 0);
    e.set(MOV, r(0), &[r(4)], 0);
    e.set(MOV, r(1), &[r(5)], 0);
    e.emit(POP_R4_R5, &[], &[], 0, 0);
}
