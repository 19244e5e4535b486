//! Atomic accesses: plain ones between fences, updates of one instruction, and loops of a load and a store of which the second
//! one fails if something else has written between them (A.6 of the manual has the table; all of these are ordered as the
//! strongest ordering is). An exchange of 8 or 16 bits is one of the word that they are in, where a mask says which they are.

use super::registers::ADDRESS_SCRATCH;
use super::rows::*;
use super::select::{ZERO_REG, int_reg};
use crate::ir::builtin::Update;
use crate::ir::{Builtin, Inst, Type};
use crate::isa::builtin::fenced;
use crate::isa::frame::Emitter;
use crate::isa::select::Select;
use crate::mir::{InstRow, MachineOp, Operand};

/// See `Builtins::atomic`.
pub fn select(cx: &mut Select, i: Inst, builtin: Builtin, size: u32) {
    match (builtin, cx.body.args(i)) {
        (Builtin::AtomicUpdate(update, _), &[address, value]) if size >= 2 => {
            let (address, mut value) = (cx.reg(address), cx.reg(value));
            let first = match update {
                Update::Exchange => AMOSWAP_W,
                Update::Add | Update::Sub => AMOADD_W,
                Update::And => AMOAND_W,
                Update::Or => AMOOR_W,
                Update::Xor => AMOXOR_W,
            };
            if update == Update::Sub {
                let (op, ty) = if size == 2 { (SUBW, Type::I32) } else { (SUB, Type::I64) };
                value = cx.emit_fresh(op, ty, &[ZERO_REG, value], 0, 0);
            }
            let op = MachineOp(first.0 + if size == 2 { 0 } else { AMOSWAP_D.0 - AMOSWAP_W.0 });
            let def = Operand::virt(cx.result(i));
            cx.emit(op, &[def], &[value, address], 0, 0);
        }
        (Builtin::CompareExchange(_), &[address, expected, new]) => {
            let [address, expected, new] = [address, expected, new].map(|v| cx.reg(v));
            let def = Operand::virt(cx.result(i));
            if size >= 2 {
                let op = if size == 2 { EXCHANGE_W } else { EXCHANGE_D };
                return cx.emit_row(op, 1, &[def, address, expected, new], 0, 0);
            }
            exchange_part(cx, def, [address, expected, new], 8 << size);
        }
        _ => {
            if !fenced(cx, i, builtin) {
                cx.fail("riscv64: an atomic access");
            }
        }
    }
}

/// An exchange of so many bits of a word.
fn exchange_part(cx: &mut Select, def: Operand, [address, expected, new]: [Operand; 3], bits: i32) {
    let word = cx.emit_fresh(ANDI, Type::I64, &[address], -4, 0);
    // Shifts of words go by the low five bits: eight times the byte's number.
    let by = cx.emit_fresh(SLLI, Type::I64, &[address], 3, 0);
    let low = int_reg(cx, (1 << bits) - 1);
    let mask = cx.emit_fresh(SLLW, Type::I64, &[low, by], 0, 0);
    let [expected, new] = [expected, new].map(|v| cx.emit_fresh(SLLW, Type::I64, &[v, by], 0, 0));
    let old = Operand::virt(cx.new_reg(Type::I64));
    cx.emit_row(EXCHANGE_PART, 1, &[old, word, expected, new, mask], 0, 0);
    let part = cx.emit_fresh(SRLW, Type::I64, &[old, by], 0, 0);
    // As loads extend it.
    let part = cx.emit_fresh(SLLI, Type::I64, &[part], 64 - bits, 0);
    cx.emit(SRAI, &[def], &[part], 64 - bits, 0);
}

const T5: Operand = Operand::phys(ADDRESS_SCRATCH);

/// The loop that an exchange is.
pub fn exchange(e: &mut Emitter, row: &InstRow) {
    let [old, address, expected, new] = [0, 1, 2, 3].map(|k| e.operand(row, k));
    let (load, store) = if row.op == EXCHANGE_D { (LR_D, SC_D) } else { (LR_W, SC_W) };
    e.set(load, old, &[address], 0);
    e.set(XOR, T5, &[old, expected], 0);
    if row.op != EXCHANGE_PART {
        e.emit(T5_OVER_3, &[], &[], 0, 0);
        e.set(store, T5, &[new, address], 0);
        return e.emit(T5_BACK_4, &[], &[], 0, 0);
    }
    let mask = e.operand(row, 4);
    e.set(AND, T5, &[T5, mask], 0);
    e.emit(T5_OVER_6, &[], &[], 0, 0);
    e.set(XOR, T5, &[old, new], 0);
    e.set(AND, T5, &[T5, mask], 0);
    e.set(XOR, T5, &[T5, old], 0);
    e.set(store, T5, &[T5, address], 0);
    e.emit(T5_BACK_8, &[], &[], 0, 0);
}
