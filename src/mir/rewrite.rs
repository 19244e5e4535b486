//! Writing all rows of a function again: the cursor (`Rows`), and the pass that makes rows final with it:
//! frame references get offsets, constants of one instruction their opcode, and what takes several rows is
//! left to the target.
//!
//! What becomes of an opcode is a row of a table (`Plan`). Rows that are final as they are, three of four, are
//! passed by; the others are all done alike, without a branch that follows their opcodes: slots and constants come
//! in no order that could be predicted. O(rows).

use super::desc::{MOVE, MachineOp, OpRow, RETURN};
use super::func::{SPARE, SlotRow};
use super::{Func, Inst, InstRow, Operand};
use crate::base::{Column, Handle, Opt, empty_with_room};
use std::ops::Range;

/// What becomes of a row that stays one row.
#[derive(Copy, Clone, Debug)]
pub struct Plan {
    /// Its opcode.
    op: MachineOp,
    /// True if it names a slot: then its immediate is from the base of the frame, which is its last operand.
    is_slot: bool,
    /// True if the target is to be asked in any case.
    asks: bool,
    /// True if the row is final as it is.
    stays: bool,
    /// Of the immediate and `bias`, bits (with the sign's) that must not be there. Otherwise the target is
    /// asked.
    outside: i32,
    bias: u16,
}

impl Plan {
    /// Puts this opcode in the row's place if the immediate has no bits but these, once `bias` is added.
    pub const fn to(op: MachineOp, inside: u32, bias: u16) -> Plan {
        Plan { op, is_slot: false, asks: false, stays: false, outside: !inside as i32, bias }
    }

    /// As above, of a row that names a slot.
    pub const fn slot(op: MachineOp, inside: u32, bias: u16) -> Plan {
        Plan { is_slot: true, ..Plan::to(op, inside, bias) }
    }
}

/// The plans of a table of opcodes, but for those named here: pseudo rows, moves and returns ask, others
/// stay.
pub const fn plans<const N: usize>(ops: &[OpRow], others: &[(MachineOp, Plan)]) -> [Plan; N] {
    let mut plans = [Plan::to(MachineOp(0), 0, 0); N];
    let mut k = 0;
    while k < N {
        let asks = ops[k].text.is_empty() || ops[k].flags & (MOVE | RETURN) != 0;
        plans[k] = Plan { asks, stays: !asks, ..Plan::to(MachineOp(k as u16), !0, 0) };
        k += 1;
    }
    k = 0;
    while k < others.len() {
        plans[others[k].0.0 as usize] = others[k].1;
        k += 1;
    }
    plans
}

/// The cursor that writes all rows of a function again, block after block, while the old ones are still
/// readable. What only stays is copied run by run; what comes in takes its place in the source from the row
/// that it is for.
#[derive(Debug)]
pub struct Rows {
    rows: Vec<InstRow>,
    /// Per row, if wanted: its place in the source.
    locs: Option<Vec<u32>>,
    /// Per row, if wanted: see `Origins`.
    origins: Option<Vec<Opt<Inst>>>,
    /// Per block: where it ends; it starts where its predecessor ends, but for a spare row in between.
    ends: Vec<u32>,
    has_gaps: bool,
}

/// Per row of the function: its row in the function as it was given to the allocator, if it has one. Empty if
/// that is not wanted.
pub type Origins = Column<Inst, Opt<Inst>>;

impl Rows {
    /// No rows, in the memory that the function keeps for them, with room for so many more than it has.
    pub fn new(func: &mut Func, more: usize, origins: &Origins) -> Rows {
        let room = func.insts.len() + more;
        if !func.loc.is_empty() {
            func.loc.grow_to(func.insts.len(), u32::MAX);
        }
        let mut rows = std::mem::take(&mut func.spare);
        empty_with_room(&mut rows, room);
        Rows {
            rows,
            locs: (!func.loc.is_empty()).then(|| Vec::with_capacity(room)),
            origins: (!origins.is_empty()).then(|| Vec::with_capacity(room)),
            ends: Vec::with_capacity(func.blocks.len()),
            has_gaps: false,
        }
    }

    /// The same, with a `SPARE` row behind each block.
    pub fn with_gaps(func: &mut Func, more: usize) -> Rows {
        let more = more + func.blocks.len();
        Rows { has_gaps: true, ..Rows::new(func, more, &Column::new()) }
    }

    /// Appends a row that stands for the function's row `i`, changed or not.
    #[inline(always)]
    pub fn keep(&mut self, func: &Func, origins: &Origins, i: Inst, row: InstRow) {
        self.add(func, i, row, origins.get(i).copied().unwrap_or(Opt::NONE));
    }

    /// Appends a new row on behalf of the function's row `i`; `origin` only for one that does again what some
    /// given row does.
    #[inline(always)]
    pub fn add(&mut self, func: &Func, i: Inst, row: InstRow, origin: Opt<Inst>) {
        let loc = if self.locs.is_some() { func.loc[i] } else { u32::MAX };
        self.add_at(loc, row, origin);
    }

    /// The same, on behalf of a row with this place in the source.
    #[inline(always)]
    pub fn add_at(&mut self, loc: u32, row: InstRow, origin: Opt<Inst>) {
        self.rows.push(row);
        if self.locs.is_some() || self.origins.is_some() {
            self.note(loc, origin);
        }
    }

    /// Appends rows of the function as they are now.
    #[inline(always)]
    pub fn keep_all(&mut self, func: &Func, origins: &Origins, rows: Range<usize>) {
        let kept = &func.insts.as_slice()[rows.clone()];
        // At -O0 every second row may be one that comes in.
        if kept.len() <= 4 {
            kept.iter().for_each(|&row| self.rows.push(row));
        } else {
            self.rows.extend_from_slice(kept);
        }
        if let Some(locs) = &mut self.locs {
            locs.extend_from_slice(&func.loc.as_slice()[rows.clone()]);
        }
        if let Some(noted) = &mut self.origins {
            noted.extend_from_slice(&origins.as_slice()[rows]);
        }
    }

    #[cold]
    fn note(&mut self, loc: u32, origin: Opt<Inst>) {
        if let Some(locs) = &mut self.locs {
            locs.push(loc);
        }
        if let Some(origins) = &mut self.origins {
            origins.push(origin);
        }
    }

    /// Ends the current block.
    pub fn end_block(&mut self) {
        self.ends.push(self.rows.len() as u32);
        if self.has_gaps {
            self.rows.push(SPARE);
            self.note(u32::MAX, Opt::NONE);
        }
    }

    /// Gives the rows to the function; what they were is now room for the next time.
    pub fn finish(self, func: &mut Func, origins: &mut Origins) {
        func.spare = std::mem::replace(&mut func.insts, self.rows.into()).into_vec();
        func.loc = self.locs.unwrap_or_default().into();
        *origins = self.origins.unwrap_or_default().into();
        let mut first = 0;
        for (row, end) in func.blocks.as_mut_slice().iter_mut().zip(self.ends) {
            (row.first, row.end) = (Inst::new(first), Inst::new(end as usize));
            first = end as usize + usize::from(self.has_gaps);
        }
    }
}

impl Func {
    /// Writes the rows again and does to each what the plan of its opcode says; `base` is the register that
    /// frame references count from. `expand` decides what becomes of rows that ask: it appends to the output
    /// whatever stands in their place. Behind each block comes a `SPARE` row, which belongs to none: room for
    /// `relax`. O(rows).
    pub fn rewrite_rows(
        &mut self,
        plans: &[Plan],
        base: Operand,
        mut expand: impl FnMut(&mut Func, InstRow, &mut Vec<InstRow>),
    ) {
        let mut rows = Rows::with_gaps(self, self.insts.len() / 8 + self.blocks.len() + 32);
        let mut none = Column::new();
        for b in self.blocks.keys() {
            let (mut done, end) = (self.blocks[b].first.index(), self.blocks[b].end.index());
            loop {
                let (slots, insts) = (self.slots.as_slice(), &mut self.insts.as_mut_slice()[done..end]);
                let stop = done + edit_rows(plans, base, slots, self.operands.as_mut_slice(), insts);
                rows.keep_all(self, &none, done..stop);
                if stop == end {
                    break;
                }
                expand(self, self.insts[Inst::new(stop)], &mut rows.rows);
                if let Some(locs) = &mut rows.locs {
                    locs.resize(rows.rows.len(), self.loc[Inst::new(stop)]);
                }
                done = stop + 1;
            }
            rows.end_block();
        }
        rows.finish(self, &mut none);
    }

    /// Puts a `SPARE` row behind each block.
    pub fn make_room(&mut self) {
        self.rewrite_rows(&[], Operand::FRAME, |_, row, out| out.push(row));
    }
}

/// Does to rows what their plans say, up to the first that asks; returns how many those are. Nothing here
/// branches on what a row is, but on whether it changes (8 instructions in place of 60 if not) and whether it asks.
#[inline(never)]
fn edit_rows(
    plans: &[Plan],
    base: Operand,
    slots: &[SlotRow],
    operands: &mut [Operand],
    rows: &mut [InstRow],
) -> usize {
    for (k, row) in rows.iter_mut().enumerate() {
        let Some(plan) = plans.get(usize::from(row.op.0)) else { return k };
        if plan.stays {
            continue;
        }
        let mask = u32::from(plan.is_slot).wrapping_neg();
        // Rows that name no slot count from slot 0, and nothing is taken from it.
        let offset = slots.get((row.sym & mask) as usize).map_or(0, |slot| slot.offset);
        let imm = i64::from(row.imm) + (offset & i64::from(mask as i32));
        if plan.asks | ((imm + i64::from(plan.bias)) & i64::from(plan.outside) != 0) {
            return k;
        }
        // The last operand of a slot's row becomes the base. Others have some operand put where it is.
        let last = (u32::from(row.defs) + u32::from(row.uses)).wrapping_sub(1);
        let at = row.first.wrapping_add(last & mask);
        if let Some(operand) = operands.get_mut(at as usize) {
            *operand = operand.or(base, mask);
        }
        (row.op, row.imm, row.sym) = (plan.op, imm as i32, row.sym & !mask);
    }
    rows.len()
}
