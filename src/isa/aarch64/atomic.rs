//! Atomic accesses: loads that acquire and stores that release, which is all that C's orderings ask of them, and loops of
//! exclusive pairs. (ARMv8.0 has no updates in one instruction.)

use super::registers::ADDRESS;
use super::rows::atomic::*;
use super::rows::int::{
    ADD_W, ADD_X, AND_W, AND_X, CMP_W, CMP_X, EOR_W, EOR_X, ORR_W, ORR_X, SUB_W, SUB_X, UXTB, UXTH,
};
use crate::ir::builtin::{Ordering, Update};
use crate::ir::{Builtin, Inst, Type};
use crate::isa::builtin::fenced;
use crate::isa::frame::Emitter;
use crate::isa::select::Select;
use crate::mir::memory::Object;
use crate::mir::{InstRow, MachineOp, Operand, PReg};

/// Rows by size; sizes follow each other in the table.
fn sized(first: MachineOp, size: u32) -> MachineOp {
    MachineOp(first.0 + size as u16)
}

/// See `Builtins::atomic`.
pub fn select(cx: &mut Select, i: Inst, builtin: Builtin, size: u32) {
    match (builtin, cx.body.args(i)) {
        (Builtin::AtomicLoad(Ordering::Monotonic) | Builtin::AtomicStore(Ordering::Monotonic), _) => {
            fenced(cx, i, builtin);
        }
        (Builtin::AtomicLoad(_), &[address]) => {
            let (address, def) = (cx.reg(address), Operand::virt(cx.result(i)));
            cx.emit(sized(LDARB, size), &[def], &[address], 0, Object::Volatile.note());
        }
        (Builtin::AtomicStore(_), &[value, address]) => {
            let (value, address) = (cx.reg(value), cx.reg(address));
            cx.emit(sized(STLRB, size), &[], &[value, address], 0, Object::Volatile.note());
        }
        (Builtin::AtomicUpdate(update, _), &[address, value]) => {
            let (address, value, def) = (cx.reg(address), cx.reg(value), Operand::virt(cx.result(i)));
            cx.emit(UPDATE, &[def], &[address, value], (update as i32) << 2 | size as i32, 0);
        }
        (Builtin::CompareExchange(_), &[address, expected, new]) => {
            let (address, mut expected, new) = (cx.reg(address), cx.reg(expected), cx.reg(new));
            if size < 2 {
                // Nothing is known of what is above it.
                expected = cx.emit_fresh(if size == 0 { UXTB } else { UXTH }, Type::I32, &[expected], 0, 0);
            }
            let def = Operand::virt(cx.result(i));
            cx.emit(EXCHANGE, &[def], &[address, expected, new], size as i32, 0);
        }
        _ => cx.fail("aarch64: an atomic access"),
    }
}

const NEW: Operand = Operand::phys(ADDRESS);
/// The allocator's scratch, which holds nothing at a row.
const FAILED: Operand = Operand::phys(PReg::int(16));

/// The loop that an `UPDATE` is.
pub fn update(e: &mut Emitter, row: &InstRow) {
    const ROWS: [[MachineOp; 2]; 6] =
        [[ADD_W; 2], [ADD_W, ADD_X], [SUB_W, SUB_X], [AND_W, AND_X], [ORR_W, ORR_X], [EOR_W, EOR_X]];
    let [old, address, value] = [0, 1, 2].map(|k| e.operand(row, k));
    let (size, which) = (row.imm as u32 & 3, row.imm as usize >> 2);
    e.set(sized(LDAXRB, size), old, &[address], 0);
    if which == Update::Exchange as usize {
        e.set(sized(STLXRB, size), FAILED, &[value, address], 0);
        return e.emit(CBNZ_BACK_2, &[], &[FAILED], 0, 0);
    }
    if let Some(row) = ROWS.get(which) {
        e.set(row[usize::from(size == 3)], NEW, &[old, value], 0);
    }
    e.set(sized(STLXRB, size), FAILED, &[NEW, address], 0);
    e.emit(CBNZ_BACK_3, &[], &[FAILED], 0, 0);
}

/// The loop that an `EXCHANGE` is.
pub fn exchange(e: &mut Emitter, row: &InstRow) {
    let [old, address, expected, new] = [0, 1, 2, 3].map(|k| e.operand(row, k));
    let size = row.imm as u32;
    e.set(sized(LDAXRB, size), old, &[address], 0);
    e.emit(if size == 3 { CMP_X } else { CMP_W }, &[], &[old, expected], 0, 0);
    e.emit(BNE_OVER_3, &[], &[], 0, 0);
    e.set(sized(STLXRB, size), FAILED, &[new, address], 0);
    e.emit(CBNZ_BACK_4, &[], &[FAILED], 0, 0);
}
