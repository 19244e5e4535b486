//! What rows of registers that follow one another become, on machines that access lanes of several vectors in turn. O(lanes).

use super::frame::Emitter;
use crate::mir::{InstRow, MachineOp, Operand};

/// How a machine accesses lanes in turn.
#[derive(Debug)]
pub struct Turns {
    pub loads: Accesses,
    pub stores: Accesses,
    /// How many vector registers there are, if the first one follows the last.
    pub round: Option<u8>,
    /// A register for addresses, and what adds an immediate to one.
    pub scratch: Operand,
    pub add: MachineOp,
    /// Copies a vector, and makes the exclusive or of two.
    pub copy: MachineOp,
    pub exclusive: MachineOp,
}

/// The rows of loads, or of stores.
#[derive(Debug)]
pub struct Accesses {
    /// Of two, three and four vectors: all of each, or its low half and, behind those of all, its high one.
    pub at_once: [(MachineOp, Option<MachineOp>); 3],
    /// One lane, by an address that moves on, with the number that the row has for it.
    pub lanes: [(MachineOp, i32); 4],
}

/// Makes a row that loads or stores lanes of its vectors in turn: at once where their registers follow one another, else lane by
/// lane.
pub fn access_in_turn(e: &mut Emitter, row: &InstRow, turns: &Turns) {
    let is_load = row.defs > 0;
    let (accesses, count) = match is_load {
        true => (&turns.loads, usize::from(row.defs)),
        false => (&turns.stores, usize::from(row.uses) - 1),
    };
    let vectors: Vec<Operand> = (0..count).map(|k| e.operand(row, k)).collect();
    let (base, scratch) = (e.operand(row, count), turns.scratch);
    if follow(&vectors, turns.round) {
        let first = vectors[0];
        let access = |e: &mut Emitter, op: MachineOp, at: Operand| match is_load {
            true => e.emit(op, &[first], &[at], 0, 0),
            false => e.emit(op, &[], &[first, at], 0, 0),
        };
        let (low, high) = accesses.at_once[(count - 2).min(2)];
        access(e, low, base);
        if let Some(high) = high {
            e.set(turns.add, scratch, &[base], 8 * count as i64);
            access(e, high, scratch);
        }
        return;
    }
    e.copy(scratch, base);
    for (op, lane) in accesses.lanes {
        for &v in &vectors {
            let defs = [scratch, v];
            e.emit(op, &defs[..if is_load { 2 } else { 1 }], &[scratch, v], lane, 0);
        }
    }
}

/// True of registers that follow one another; the first of all follows the last one if there are so many.
fn follow(regs: &[Operand], round: Option<u8>) -> bool {
    let number = |reg: &Operand| reg.as_phys().map(|reg| reg.number());
    let first = regs.first().and_then(number);
    let behind = |first: u8, k: usize| round.map_or(first + k as u8, |round| (first + k as u8) % round);
    regs.iter().enumerate().all(|(k, reg)| number(reg) == first.map(|first| behind(first, k)))
}

/// Makes the copies of a row at once, of a row's uses to its definitions: by a copy each, and where registers change places by
/// what is exclusively in either of two.
pub fn copy_at_once(e: &mut Emitter, row: &InstRow, turns: &Turns) {
    let &Turns { copy, exclusive, .. } = turns;
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
