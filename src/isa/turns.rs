//! What rows of registers that follow one another become, on machines that access lanes of several vectors in turn.

use super::frame::Emitter;
use crate::mir::{InstRow, MachineOp, Operand};

/// True of registers that follow one another, the first one behind the last of so many.
pub fn follow(regs: &[Operand], of: u8) -> bool {
    let number = |reg: &Operand| reg.as_phys().map(|reg| reg.number());
    let first = regs.first().and_then(number);
    regs.iter().enumerate().all(|(k, reg)| number(reg) == first.map(|first| (first + k as u8) % of))
}

/// Makes the copies of a row at once, of a row's uses to its definitions: by a copy each, and where registers change places by
/// what is exclusively in either of two.
pub fn copy_at_once(e: &mut Emitter, row: &InstRow, [copy, exclusive]: [MachineOp; 2]) {
    let count = usize::from(row.defs);
    let mut left: Vec<[Operand; 2]> =
        (0..count).map(|k| [e.operand(row, k), e.operand(row, count + k)]).collect();
    left.retain(|[to, from]| to != from);
    while let Some(&[to, from]) = left.first() {
        let is_free = |&[to, _]: &[Operand; 2]| left.iter().all(|[_, from]| *from != to);
        if let Some(k) = left.iter().position(is_free) {
            let [to, from] = left.remove(k);
            e.emit(copy, &[to], &[from], 0, 0);
            continue;
        }
        // All that is left is cycles: the first goes where it should, and what was there stands in its place.
        for (def, uses) in [(to, [to, from]), (from, [to, from]), (to, [to, from])] {
            e.emit(exclusive, &[def], &uses, 0, 0);
        }
        left.remove(0);
        for pair in &mut left {
            if pair[1] == to {
                pair[1] = from;
            }
        }
        left.retain(|[to, from]| to != from);
    }
}
