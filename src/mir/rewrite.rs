//! The pass over all rows that makes them final: frame references get offsets, constants of one instruction their opcode, and what
//! takes several rows is left to the target.
//!
//! What becomes of an opcode is a row of a table (`Plan`), so that usual rows are all done alike, without a branch that follows their
//! opcodes: slots, constants and others come in no order that could be predicted. O(rows).

use super::desc::{MOVE, MachineOp, OpRow, RETURN};
use super::func::SPARE;
use super::{Func, Inst, InstRow, Operand};
use crate::base::Handle;

/// What becomes of a row that stays one row.
#[derive(Copy, Clone, Debug)]
pub struct Plan {
    /// Its opcode.
    op: MachineOp,
    /// True if it names a slot: then its immediate is from the base of the frame, which is its last operand.
    is_slot: bool,
    /// True if the target is to be asked in any case.
    asks: bool,
    /// Of the immediate and `bias`, bits (with the sign's) that must not be there. Otherwise the target is asked.
    outside: i32,
    bias: u16,
}

impl Plan {
    /// Puts this opcode in the row's place if the immediate has no bits but these, once `bias` is added.
    pub const fn to(op: MachineOp, inside: u32, bias: u16) -> Plan {
        Plan { op, is_slot: false, asks: false, outside: !inside as i32, bias }
    }

    /// As above, of a row that names a slot.
    pub const fn slot(op: MachineOp, inside: u32, bias: u16) -> Plan {
        Plan { is_slot: true, ..Plan::to(op, inside, bias) }
    }
}

/// The plans of a table of opcodes, but for those named here: pseudo rows, moves and returns ask, others stay.
pub const fn plans<const N: usize>(ops: &[OpRow], others: &[(MachineOp, Plan)]) -> [Plan; N] {
    let mut plans = [Plan::to(MachineOp(0), 0, 0); N];
    let mut k = 0;
    while k < N {
        let asks = ops[k].text.is_empty() || ops[k].flags & (MOVE | RETURN) != 0;
        plans[k] = Plan { asks, ..Plan::to(MachineOp(k as u16), !0, 0) };
        k += 1;
    }
    k = 0;
    while k < others.len() {
        plans[others[k].0.0 as usize] = others[k].1;
        k += 1;
    }
    plans
}

impl Func {
    /// Copies the rows once, block after block, and does to each what the plan of its opcode says; `base` is the register that frame
    /// references count from. `expand` decides what becomes of rows that ask: it appends to the output whatever stands in their
    /// place. Behind each block comes a `SPARE` row, which belongs to none: room for `relax`. O(rows).
    pub fn rewrite_rows(
        &mut self,
        plans: &[Plan],
        base: Operand,
        mut expand: impl FnMut(&mut Func, InstRow, &mut Vec<InstRow>),
    ) {
        let mut old = std::mem::take(&mut self.insts).into_vec();
        let mut old_loc = std::mem::take(&mut self.loc).into_vec();
        let has_places = !old_loc.is_empty();
        old_loc.resize(if has_places { old.len() } else { 0 }, u32::MAX);
        let mut rows = std::mem::take(&mut self.spare);
        rows.clear();
        rows.reserve(old.len() + old.len() / 8 + 2 * self.blocks.len() + 32);
        let mut locs = Vec::with_capacity(if has_places { rows.capacity() } else { 0 });
        for b in self.blocks.keys() {
            let (first, end) = (self.blocks[b].first.index(), self.blocks[b].end.index());
            self.blocks[b].first = Inst::new(rows.len());
            let mut done = first;
            loop {
                let stop = done + self.edit_rows(plans, base, &mut old[done..end]);
                rows.extend_from_slice(&old[done..stop]);
                if has_places {
                    locs.extend_from_slice(&old_loc[done..stop]);
                }
                if stop == end {
                    break;
                }
                expand(self, old[stop], &mut rows);
                if has_places {
                    locs.resize(rows.len(), old_loc[stop]);
                }
                done = stop + 1;
            }
            self.blocks[b].end = Inst::new(rows.len());
            rows.push(SPARE);
            if has_places {
                locs.push(u32::MAX);
            }
        }
        self.insts = rows.into();
        self.loc = locs.into();
        self.spare = old;
    }

    /// Puts a `SPARE` row behind each block.
    pub fn make_room(&mut self) {
        self.rewrite_rows(&[], Operand::FRAME, |_, row, out| out.push(row));
    }

    /// Does to rows what their plans say, up to the first that asks; returns how many those are. Nothing here branches on what a row
    /// is, but on whether it asks.
    #[inline(never)]
    fn edit_rows(&mut self, plans: &[Plan], base: Operand, rows: &mut [InstRow]) -> usize {
        let (slots, operands) = (self.slots.as_slice(), self.operands.as_mut_slice());
        for (k, row) in rows.iter_mut().enumerate() {
            let Some(plan) = plans.get(usize::from(row.op.0)) else { return k };
            let mask = u32::from(plan.is_slot).wrapping_neg();
            // Rows that name no slot count from slot 0, and nothing is taken from it.
            let offset = slots.get((row.sym & mask) as usize).map_or(0, |slot| slot.offset);
            let imm = i64::from(row.imm) + (offset & i64::from(mask as i32));
            if plan.asks | ((imm + i64::from(plan.bias)) & i64::from(plan.outside) != 0) {
                return k;
            }
            // The last operand of a slot's row becomes the base. Others have their first one, or somebody else's, put where it is.
            let last = (u32::from(row.defs) + u32::from(row.uses)).wrapping_sub(1);
            let at = row.first.wrapping_add(last & mask);
            if let Some(operand) = operands.get_mut(at as usize) {
                *operand = operand.or(base, mask);
            }
            (row.op, row.imm, row.sym) = (plan.op, imm as i32, row.sym & !mask);
        }
        rows.len()
    }
}
