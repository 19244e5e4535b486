//! Rows that tell unwinders where the caller's stack pointer and registers are: text, and a rule at a place
//! of the code, but no bytes.
//!
//! Each target's table has these six rows, one behind the other. `finalise` puts them behind the rows of
//! prologue and epilogues that they are about, and only where `Func::unwind` asks for them, so the code is
//! the same with and without.

use super::rows::row;
use crate::mir::model;
use crate::mir::{Func, InstRow, MachineOp, OpRow, Operand, PReg, SymKind};
use crate::object::code::Rule;

/// The first of the rows in a target's table.
#[derive(Copy, Clone, Debug)]
pub struct Unwind(pub MachineOp);

const fn rule(name: &'static str, text: &'static str) -> OpRow {
    row(name, text, "=*").symbol(SymKind::Unwind).class(model::NOTHING).size(0)
}

/// The stack pointer of the caller is so many bytes above ours.
pub const FRAME: OpRow = rule("cfi.frame", ".cfi_def_cfa_offset %i");
/// The caller's value of a register is so many bytes above the caller's stack pointer (below, if negative).
pub const SAVED: OpRow = rule("cfi.saved", ".cfi_offset %u0, %i");
/// A register has the caller's value again.
pub const RESTORED: OpRow = rule("cfi.restored", ".cfi_restore %u0");
/// Stands before an epilogue.
pub const REMEMBER: OpRow = rule("cfi.remember", ".cfi_remember_state");
/// Stands behind an epilogue: all is as before it.
pub const RECALL: OpRow = rule("cfi.recall", ".cfi_restore_state");

/// The caller's stack pointer is as many bytes above this register as was said.
pub const COUNTS_FROM: OpRow = rule("cfi.counts.from", ".cfi_def_cfa_register %p0");

impl Unwind {
    fn push(self, func: &mut Func, out: &mut Vec<InstRow>, which: u16, reg: Option<PReg>, imm: i64) {
        if func.unwind {
            let reg = reg.map(Operand::phys);
            let row =
                func.make_row(MachineOp(self.0.0 + which), &[], reg.as_slice(), imm as i32, u32::from(which));
            out.push(row);
        }
    }

    /// The frame is this large now.
    pub fn frame(self, func: &mut Func, out: &mut Vec<InstRow>, bytes: i64) {
        self.push(func, out, 0, None, bytes);
    }

    /// A register has been stored, so many bytes above the caller's stack pointer.
    pub fn saved(self, func: &mut Func, out: &mut Vec<InstRow>, reg: PReg, offset: i64) {
        self.push(func, out, 1, Some(reg), offset);
    }

    /// A register has been loaded.
    pub fn restored(self, func: &mut Func, out: &mut Vec<InstRow>, reg: PReg) {
        self.push(func, out, 2, Some(reg), 0);
    }

    /// An epilogue follows.
    pub fn remember(self, func: &mut Func, out: &mut Vec<InstRow>) {
        self.push(func, out, 3, None, 0);
    }

    /// An epilogue has ended.
    pub fn recall(self, func: &mut Func, out: &mut Vec<InstRow>) {
        self.push(func, out, 4, None, 0);
    }

    /// The frame is counted from this register now.
    pub fn counts_from(self, func: &mut Func, out: &mut Vec<InstRow>, reg: PReg) {
        self.push(func, out, 5, Some(reg), 0);
    }
}

/// The rule that a row stands for; `number` gives DWARF's numbers of registers.
pub fn rule_of(row: &InstRow, operands: &[Operand], number: fn(PReg) -> u16) -> Rule {
    let reg = operands.first().and_then(|operand| operand.as_phys()).map_or(0, number);
    match row.sym {
        0 => Rule::Frame(row.imm),
        1 => Rule::Saved(reg, row.imm),
        2 => Rule::Restored(reg),
        3 => Rule::Remember,
        5 => Rule::CountsFrom(reg),
        _ => Rule::Recall,
    }
}
