//! Loads and stores of neighbours become one row, on machines that have such rows, once the frame is laid
//! out: of two accesses in a block the one moves to the other if the rows between neither change its
//! registers nor touch its place (`mir/memory`). O(rows): a row that opens no pair is looked at once, and
//! one that does is compared with the last few that do.

use super::desc::{CALL, LOADS, STORES};
use super::func::SPARE;
use super::memory::{Object, apart, is_volatile, reference};
use super::pass::Levels;
use super::{Func, Inst, InstRow, Machine, MachineOp, Operand, Slot, SymKind};
use crate::base::Handle;

/// A row that loads or stores two registers at once, each of `bytes` bytes.
#[derive(Copy, Clone, Debug)]
pub struct PairRow {
    /// Its opcode; its operands are those of two rows, the lower address first, and the base.
    pub op: MachineOp,
    /// Bytes of a register.
    pub bytes: i64,
    /// What it asks.
    pub takes: Takes,
}

/// The registers and offsets that a row for two takes.
#[derive(Copy, Clone, Debug)]
pub enum Takes {
    /// Any registers, and offsets of -64 to 63 times their bytes.
    Any,
    /// An even register and the next one, and offsets of eight bits and a sign. These rows take two of which the lower address
    /// goes with the lower one, at an offset each. All of them fault where words are not aligned.
    Following(&'static [(i64, MachineOp)]),
}

impl PairRow {
    /// The row for two registers, the one of the lower address first; a load or store multiple only where those are cheap.
    fn choice(&self, multiples: bool, [low, high]: [Operand; 2], offset: i64) -> Option<MachineOp> {
        match self.takes {
            Takes::Any => {
                (offset % self.bytes == 0 && (-64..64).contains(&(offset / self.bytes))).then_some(self.op)
            }
            Takes::Following(lists) => {
                let (low, high) = (low.as_phys()?.0, high.as_phys()?.0);
                if low % 2 == 0 && high == low + 1 && (-255..256).contains(&offset) {
                    return Some(self.op);
                }
                let fits = |list: &&(i64, MachineOp)| multiples && list.0 == offset && low < high;
                lists.iter().find(fits).map(|list| list.1)
            }
        }
    }
}

/// What pairs a machine has.
#[derive(Debug)]
pub struct Pairs {
    /// The levels at which it pays to look for them.
    pub levels: Levels,
    /// By opcode: 0, or 1 and the number in `rows` of what two such rows become, and `MOVING` for one that moves its base. A
    /// plain row has a register, a base, and an immediate as the offset in bytes.
    pub of: &'static [u8],
    /// The rows.
    pub rows: &'static [PairRow],
    /// Rows that move their base behind the access, by the immediate: the plain row, and what becomes of one and a plain
    /// one at the next higher address. The base is definition 0 and use 0.
    pub moving: &'static [(MachineOp, MachineOp, MachineOp)],
    /// The stack pointer.
    pub sp: Operand,
    /// Rows that move their base by the bytes of their register, and what becomes of two with registers that follow one
    /// another (`double`).
    pub doubles: &'static [(MachineOp, MachineOp)],
}

/// See `Pairs::of`.
const MOVING: u8 = 1 << 7;

/// The table `Pairs::of`, from the opcodes that become each row, and those of `Pairs::moving`.
pub const fn pair_table<const N: usize>(
    singles: &[&[MachineOp]],
    moving: &[(MachineOp, MachineOp, MachineOp)],
) -> [u8; N] {
    let mut table = [0; N];
    let mut k = 0;
    while k < singles.len() {
        let mut j = 0;
        while j < singles[k].len() {
            table[singles[k][j].0 as usize] = k as u8 + 1;
            j += 1;
        }
        k += 1;
    }
    k = 0;
    while k < moving.len() {
        table[moving[k].0.0 as usize] = table[moving[k].1.0 as usize] | MOVING;
        k += 1;
    }
    table
}

/// True if two rows of a function in the state *selected* become one, if they come one behind the other and, where the
/// machine wants that, in registers that do.
pub fn would_pair(func: &Func, machine: &Machine, pairs: &Pairs, a: Inst, b: Inst) -> bool {
    let [first, second] = [a, b].map(|i| func.insts[i]);
    if is_volatile(machine, &first) || is_volatile(machine, &second) {
        return false;
    }
    let of = |row: &InstRow| pairs.of.get(usize::from(row.op.0)).copied().unwrap_or(0);
    let next = func.defs(a).first().copied();
    if pairs.doubles.iter().any(|row| row.0 == first.op) {
        return first.op == second.op && next == func.uses(b).first().copied();
    }
    let (kind, other) = (of(&first), of(&second));
    if other == 0 || other & MOVING != 0 || kind & !MOVING != other {
        return false;
    }
    let PairRow { bytes, takes, .. } = pairs.rows[usize::from(other) - 1];
    // Registers decide, and are not given yet.
    if matches!(takes, Takes::Following(_)) {
        return false;
    }
    let base = func.operands[second.first as usize + 1];
    if kind & MOVING != 0 {
        return next == Some(base) && i64::from(second.imm) + i64::from(first.imm) == bytes;
    }
    let (low, high) = (first.imm.min(second.imm), first.imm.max(second.imm));
    let is_slot = machine.row(first.op).sym == SymKind::Slot;
    base == func.operands[first.first as usize + 1]
        && machine.row(second.op).sym == machine.row(first.op).sym
        && (!is_slot || first.sym == second.sym)
        && i64::from(high) - i64::from(low) == bytes
        && (is_slot || i64::from(low) % bytes == 0 && (-64..64).contains(&(i64::from(low) / bytes)))
}

/// The most rows from one of a pair to the other.
pub const WINDOW: usize = 16;
/// As many rows wait for another at a time.
const WAITING: usize = 4;

/// A row that may become a part of a pair: what becomes of it, where its offset counts from, and the offset.
#[derive(Copy, Clone, Debug)]
struct Part {
    row: Inst,
    pair: u8,
    base: Operand,
    offset: i64,
    /// What becomes of it and a neighbour, if it moves its base. The offset counts from where that is then.
    moving: Option<MachineOp>,
}

/// Merges neighbours, into loads and stores multiple where those are cheap (`Model::cheap_multiples`); says how many pairs there are.
#[inline(never)]
pub fn pair(func: &mut Func, machine: &Machine, pairs: &Pairs, multiples: bool) -> usize {
    if pairs.rows.is_empty() {
        return 0;
    }
    let mut count = 0;
    let mut waiting =
        [Part { row: Inst::new(0), pair: 0, base: Operand::FRAME, offset: 0, moving: None }; WAITING];
    for b in func.blocks.keys() {
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        let (mut at, mut seen, before) = (first, 0, count);
        let is_part = |row: &InstRow| pairs.of.get(usize::from(row.op.0)).is_some_and(|&pair| pair != 0);
        while let Some(skipped) = func.insts.as_slice()[at..end].iter().position(is_part) {
            let k = at + skipped;
            at = k + 1;
            let row = func.insts[Inst::new(k)];
            if is_volatile(machine, &row) {
                continue;
            }
            let pair = pairs.of[usize::from(row.op.0)];
            if pair & MOVING != 0 {
                let both = pairs.moving.iter().find(|moving| moving.0 == row.op).map(|moving| moving.2);
                let (base, offset) = (func.operands[row.first as usize], -i64::from(row.imm));
                waiting[seen % WAITING] =
                    Part { row: Inst::new(k), pair: pair & !MOVING, base, offset, moving: both };
                seen += 1;
                continue;
            }
            let part = part_of(func, machine, Inst::new(k), pair);
            let bytes = pairs.rows[usize::from(pair) - 1].bytes;
            let other = waiting[..seen.min(WAITING)].iter_mut().find(|other| {
                let distance = (other.offset - part.offset).abs();
                other.pair == pair && other.base == part.base && distance == bytes
            });
            match other {
                Some(other)
                    if k - other.row.index() <= WINDOW
                        && merge(func, machine, (pairs, multiples), *other, part) =>
                {
                    other.pair = 0;
                    count += 1;
                }
                _ => {
                    waiting[seen % WAITING] = part;
                    seen += 1;
                }
            }
        }
        if count != before {
            close_up(func, first, end);
            func.blocks[b].end = Inst::new(end - (count - before));
        }
    }
    count
}

fn part_of(func: &Func, machine: &Machine, i: Inst, pair: u8) -> Part {
    let row = func.insts[i];
    let offset = i64::from(row.imm);
    if machine.row(row.op).sym == SymKind::Slot {
        let slot = &func.slots[Slot::new(row.sym as usize)];
        return Part { row: i, pair, base: Operand::FRAME, offset: offset + slot.offset, moving: None };
    }
    Part { row: i, pair, base: func.operands[row.first as usize + 1], offset, moving: None }
}

/// Merges two parts, the first of which stands before the second, if one of them can move to the other.
fn merge(
    func: &mut Func,
    machine: &Machine,
    (pairs, multiples): (&Pairs, bool),
    first: Part,
    second: Part,
) -> bool {
    let pair = pairs.rows[usize::from(first.pair) - 1];
    if let Some(op) = first.moving {
        return merge_moving(func, machine, (op, pair.bytes), first, second);
    }
    let [low, high] = if first.offset < second.offset { [first, second] } else { [second, first] };
    // Slots are aligned.
    let is_aligned = if low.base == Operand::FRAME { low.offset % 4 == 0 } else { !func.is_unaligned };
    if !is_aligned && matches!(pair.takes, Takes::Following(_)) {
        return false;
    }
    let register = |part: Part| func.operands[func.insts[part.row].first as usize];
    let Some(op) = pair.choice(multiples, [register(low), register(high)], low.offset) else { return false };
    let (is_load, base) = (machine.is(func, first.row, LOADS), first.base);
    if is_load && (register(first) == register(second) || register(first) == base) {
        return false;
    }
    let (keep, drop) = if can_move(func, machine, second, first.row, second.row) {
        (first.row, second.row)
    } else if can_move(func, machine, first, first.row, second.row) {
        (second.row, first.row)
    } else {
        return false;
    };
    let base = if base == Operand::FRAME { pairs.sp } else { base };
    let [a, b] = [register(low), register(high)];
    let (defs, uses): (&[Operand], &[Operand]) =
        if is_load { (&[a, b], &[base]) } else { (&[], &[a, b, base]) };
    let note = if machine.row(func.insts[first.row].op).sym == SymKind::Slot {
        Object::Frame.note()
    } else {
        func.insts[first.row].sym
    };
    if let (Some(debug), [Some(&a), Some(&b)]) =
        (&mut func.debug_values, [first, second].map(|part| func.loc.get(part.row)))
    {
        debug.merged.push((a, b));
    }
    func.insts[keep] = func.make_row(op, defs, uses, low.offset as i32, note);
    func.insts[drop] = SPARE;
    true
}

/// Merges a row that moves its base with a plain one behind it, which goes up to it.
fn merge_moving(
    func: &mut Func,
    machine: &Machine,
    (op, bytes): (MachineOp, i64),
    first: Part,
    second: Part,
) -> bool {
    let (step, base, row) = (-first.offset, first.base, func.insts[first.row]);
    let is_load = machine.is(func, first.row, LOADS);
    let own = func.operands[row.first as usize + if is_load { 1 } else { 2 }];
    let other = func.operands[func.insts[second.row].first as usize];
    let fits =
        second.offset - first.offset == bytes && step % bytes == 0 && (-64..64).contains(&(step / bytes));
    if !fits || other == base || own == base || is_load && own == other {
        return false;
    }
    if !can_move(func, machine, second, first.row, second.row) {
        return false;
    }
    let (defs, uses): (&[Operand], &[Operand]) =
        if is_load { (&[base, own, other], &[base]) } else { (&[base], &[base, own, other]) };
    if let (Some(debug), [Some(&a), Some(&b)]) =
        (&mut func.debug_values, [first, second].map(|part| func.loc.get(part.row)))
    {
        debug.merged.push((a, b));
    }
    func.insts[first.row] = func.make_row(op, defs, uses, row.imm, row.sym);
    func.insts[second.row] = SPARE;
    true
}

/// True if a part can move over all that stands between two rows.
fn can_move(func: &Func, machine: &Machine, part: Part, from: Inst, to: Inst) -> bool {
    let row = func.insts[part.row];
    let register = func.operands[row.first as usize];
    let Some(place) = reference(func, machine, &row) else { return false };
    let is_load = row.defs != 0;
    let moves_over = |other: &InstRow, i: Inst| {
        let flags = machine.row(other.op).flags;
        let keeps = func.defs(i).iter().all(|&def| def != register && def != part.base);
        let meets = if is_load { STORES } else { LOADS | STORES };
        keeps
            && !is_volatile(machine, other)
            && flags & CALL == 0
            && !(is_load && func.uses(i).contains(&register))
            && (flags & meets == 0
                || reference(func, machine, other).is_some_and(|other| apart(func, &place, &other)))
    };
    (from.index() + 1..to.index()).map(Inst::new).all(|i| moves_over(&func.insts[i], i))
}

/// Moves the rows of a block up over those that are gone.
pub(super) fn close_up(func: &mut Func, first: usize, end: usize) {
    let mut to = first;
    for k in first..end {
        if func.insts[Inst::new(k)] != SPARE {
            func.insts.as_mut_slice().copy_within(k..k + 1, to);
            if !func.loc.is_empty() {
                func.loc.as_mut_slice().copy_within(k..k + 1, to);
            }
            to += 1;
        }
    }
}
