//! A comparison with zero is left out where the row that computes what is compared can set the flags: of
//! numbers that a loop halves, or counts down, `lsr r, r, #1; cmp r, #0; bne` is `lsrs r, r, #1; bne`. The rows in between
//! neither define the register nor set or read the flags. Only the flags N and Z are those of a comparison with zero: what reads
//! carry or overflow keeps the comparison, and `lt` and `ge`, for which a comparison with zero has no overflow, become `mi` and `pl`. In front of
//! the scheduler, which separates both rows, and again behind allocation, which adds rows. O(rows), and for each comparison with zero at most
//! `WINDOW` rows up.

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
    /// Rows that read flags, each under condition 0, behind which those of the others follow as `isa/compare` numbers them.
    pub asks: &'static [MachineOp],
}

/// The condition on N and Z alone that is equal to a condition on the flags of a comparison with zero.
const fn of_sign(condition: u16) -> Option<u16> {
    match condition {
        // eq, ne, mi, pl; ge is pl, and lt is mi.
        0 | 1 | 4 | 5 => Some(condition),
        10 => Some(5),
        11 => Some(4),
        _ => None,
    }
}

impl ZeroFlags {
    /// The row that reads the flags of the number itself in place of those of the comparison.
    fn asked(&self, op: MachineOp) -> Option<MachineOp> {
        let condition = |first: &MachineOp| op.0.checked_sub(first.0).filter(|&condition| condition < 14);
        let (first, condition) = self.asks.iter().find_map(|first| Some((first, condition(first)?)))?;
        Some(MachineOp(first.0 + of_sign(condition)?))
    }
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
    let flags = |func: &Func, i: Inst| machine.row(func.insts[i].op).flags;
    // What asks for the flags, up to what sets them again, which may ask as well: a difference that borrows.
    let mut last = k + 1;
    while last < end {
        let i = Inst::new(last);
        last += 1;
        if flags(func, i) & USES_FLAGS != 0 && how.asked(func.insts[i].op).is_none() {
            return None;
        }
        if flags(func, i) & SETS_FLAGS != 0 {
            break;
        }
    }
    let is_plain = |i: &Inst| {
        let meets =
            func.defs(*i).contains(&compared) || flags(func, *i) & (SETS_FLAGS | USES_FLAGS | CALL) != 0;
        func.insts[*i] == SPARE || !meets
    };
    let from = first.max(k.saturating_sub(WINDOW));
    let made = (from..k).rev().map(Inst::new).find(|i| !is_plain(i))?;
    if func.defs(made) != [compared] {
        return None;
    }
    let op = func.insts[made].op;
    func.insts[made].op = how.rows.iter().find(|row| row.0 == op)?.1;
    for i in (k + 1..last).map(Inst::new) {
        if flags(func, i) & USES_FLAGS != 0 {
            func.insts[i].op = how.asked(func.insts[i].op)?;
        }
    }
    func.insts[compare] = SPARE;
    Some(())
}

/// For the tests of machines that have it.
#[cfg(test)]
pub(crate) mod testing {
    use super::{ZeroFlags, zero_flags};
    use crate::mir::Machine;
    use crate::mir::parse::parse;
    use crate::mir::print::print;

    /// What rows become in a block that ends with `end`.
    pub(crate) fn without(machine: &Machine, how: &ZeroFlags, end: &str, rows: &[&str]) -> Vec<String> {
        let text = format!("mb0\n    {}\n    {end}\n", rows.join("\n    "));
        let mut func = parse(&text, machine).unwrap_or_else(|error| panic!("{error}\n{text}"));
        zero_flags(&mut func, machine, how);
        let text = print(&func, machine);
        let rows = text.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string());
        let rows: Vec<String> = rows.collect();
        rows[..rows.len() - 1].to_vec()
    }
}
