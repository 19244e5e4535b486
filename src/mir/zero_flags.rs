//! A comparison with zero is left out where the row that computes what is compared can set the flags, behind allocation: of
//! numbers that a loop halves, or counts down, `lsr r, r, #1; cmp r, #0; bne` is `lsrs r, r, #1; bne`. The rows in between
//! neither define the register nor touch the flags, and those behind ask only whether it is zero, since a sum with flags
//! tells other things of carries. O(rows), and for each comparison with zero at most `WINDOW` rows up.

use super::desc::{CALL, SETS_FLAGS, USES_FLAGS};
use super::func::SPARE;
use super::pair::close_up;
use super::{Func, Inst, Machine, MachineOp};
use crate::base::Handle;

/// The most rows from what computes to the comparison.
const WINDOW: usize = 8;

/// What a machine has for it.
#[derive(Debug)]
pub struct ZeroFlags {
    /// The row that compares a register with an immediate.
    pub compare: MachineOp,
    /// Rows with one result, and what sets the flags besides.
    pub rows: &'static [(MachineOp, MachineOp)],
    /// Rows that ask whether what was compared is zero, or is not.
    pub asks: &'static [MachineOp],
}

/// Leaves comparisons out; says how many they are.
#[inline(never)]
pub fn zero_flags(func: &mut Func, machine: &Machine, how: &ZeroFlags) -> usize {
    let mut count = 0;
    for b in func.blocks.keys() {
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        let before = count;
        for k in first..end {
            let row = &func.insts[Inst::new(k)];
            if row.op == how.compare
                && row.imm == 0
                && leave_out(func, machine, how, (first, k, end)) == Some(())
            {
                count += 1;
            }
        }
        if count != before {
            close_up(func, first, end);
            func.blocks[b].end = Inst::new(end - (count - before));
        }
    }
    count
}

/// Leaves out the comparison at `k`, if that is possible.
fn leave_out(
    func: &mut Func,
    machine: &Machine,
    how: &ZeroFlags,
    (first, k, end): (usize, usize, usize),
) -> Option<()> {
    let compare = Inst::new(k);
    let &[compared] = func.uses(compare) else { return None };
    let flags = |i: Inst| machine.row(func.insts[i].op).flags;
    // What asks for the flags, up to what sets them again, which may ask as well: a difference that borrows.
    for i in (k + 1..end).map(Inst::new) {
        if flags(i) & USES_FLAGS != 0 && !how.asks.contains(&func.insts[i].op) {
            return None;
        }
        if flags(i) & SETS_FLAGS != 0 {
            break;
        }
    }
    let is_plain = |i: &Inst| {
        let meets = func.defs(*i).contains(&compared) || flags(*i) & (SETS_FLAGS | USES_FLAGS | CALL) != 0;
        func.insts[*i] == SPARE || !meets
    };
    let from = first.max(k.saturating_sub(WINDOW));
    let made = (from..k).rev().map(Inst::new).find(|i| !is_plain(i))?;
    if func.defs(made) != [compared] {
        return None;
    }
    let op = func.insts[made].op;
    func.insts[made].op = how.rows.iter().find(|row| row.0 == op)?.1;
    func.insts[compare] = SPARE;
    Some(())
}
