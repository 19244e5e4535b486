//! Two accesses by one pointer that each moves on become one row with two registers that follow one another, on machines that
//! have such rows (NEON's `vld1` and `vst1`), behind allocation: registers are given in order, and mostly follow one
//! another where the accesses do (`opt/loops/neighbours`). The second one goes up to the first if the rows between neither have its
//! registers nor may touch its place. O(rows), and for each access the rows up to the next one by its pointer, at most `WINDOW`.

use super::desc::{CALL, LOADS, STORES};
use super::func::SPARE;
use super::memory::is_volatile;
use super::pair::close_up;
use super::{Func, Inst, Machine, MachineOp, Operand};
use crate::base::Handle;

/// The most rows from one access to the other.
const WINDOW: usize = 16;

/// Merges what it can; says how many there are. A row moves its base, definition 0 and use 0, by the bytes of its register, and
/// becomes the other row with one like it.
#[inline(never)]
pub fn double(func: &mut Func, machine: &Machine, rows: &[(MachineOp, MachineOp)]) -> usize {
    let mut count = 0;
    for b in func.blocks.keys() {
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        let before = count;
        for k in first..end {
            let Some(&(op, both)) = rows.iter().find(|row| row.0 == func.insts[Inst::new(k)].op) else {
                continue;
            };
            if merge(func, machine, (op, both), (k, end.min(k + WINDOW))) {
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

/// Merges a row with the next one by its pointer.
fn merge(
    func: &mut Func,
    machine: &Machine,
    (op, both): (MachineOp, MachineOp),
    (k, end): (usize, usize),
) -> bool {
    let first = Inst::new(k);
    let is_load = machine.is(func, first, LOADS);
    let parts = |i: Inst| {
        let at = func.insts[i].first as usize;
        (func.operands[at], func.operands[at + if is_load { 1 } else { 2 }])
    };
    let (base, low) = parts(first);
    let has = |i: Inst, v: Operand| func.defs(i).contains(&v) || func.uses(i).contains(&v);
    let Some(second) = (k + 1..end).map(Inst::new).find(|&i| func.insts[i] != SPARE && has(i, base)) else {
        return false;
    };
    let (other, high) = match func.insts[second].op == op {
        true => parts(second),
        false => return false,
    };
    let follows = |a: Operand, b: Operand| a.as_phys().zip(b.as_phys()).is_some_and(|(a, b)| b.0 == a.0 + 1);
    if other != base || !follows(low, high) {
        return false;
    }
    let meets = if is_load { STORES | CALL } else { LOADS | STORES | CALL };
    let is_free = |i: Inst| {
        let is_access =
            machine.row(func.insts[i].op).flags & meets != 0 || is_volatile(machine, &func.insts[i]);
        let has_high = func.defs(i).contains(&high) || is_load && func.uses(i).contains(&high);
        func.insts[i] == SPARE || !is_access && !has_high
    };
    if !(k + 1..second.index()).map(Inst::new).all(is_free) {
        return false;
    }
    let (defs, uses): (&[Operand], &[Operand]) =
        if is_load { (&[base, low, high], &[base]) } else { (&[base], &[base, low, high]) };
    if let (Some(debug), [Some(&a), Some(&b)]) =
        (&mut func.debug_values, [first, second].map(|row| func.loc.get(row)))
    {
        debug.merged.push((a, b));
    }
    let sym = func.insts[first].sym;
    func.insts[first] = func.make_row(both, defs, uses, 0, sym);
    func.insts[second] = SPARE;
    true
}
