//! Writes the allocated function: every operand a physical register, phis gone, moves in place.
//!
//! Rows that may name values in memory become parallel moves around what is left of them: arguments before a call and
//! results after it, parameters behind `ENTRY`, results before a return, phi operands before the jump at the end of a
//! predecessor, single copies. A tied row whose registers differ gets a move before it. O(rows + moves log moves).

use super::color::Coloring;
use super::flow::Flow;
use super::homes::{Home, Homes, is_copy};
use super::liveness::Liveness;
use super::moves::{Place, Sequencer, Step, Transfer, spare_slot};
use super::rewrite::{Origins, Rows};
use super::{AllocError, Stats};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, ENTRY, PHI, RETURN, TERMINATORS, TIED};
use crate::mir::{Block, Func, Inst, Machine, Operand, PReg, PRegSet, Slot, VReg};

struct Emitter<'a> {
    machine: &'a Machine,
    live: &'a Liveness,
    homes: &'a Homes,
    coloring: &'a Coloring,
    slots: &'a Column<VReg, Opt<Slot>>,
    origins: &'a Origins,
    rows: Rows,
    sequencer: Sequencer,
    transfers: Vec<Transfer>,
    steps: Vec<Step>,
    /// The slot through which cycles of slots are broken, once there was one.
    spare: Opt<Slot>,
    stats: &'a mut Stats,
}

/// Emits.
#[allow(clippy::too_many_arguments)]
pub(super) fn emit(
    func: &mut Func,
    machine: &Machine,
    flow: &Flow,
    live: &Liveness,
    homes: &Homes,
    coloring: &Coloring,
    slots: &Column<VReg, Opt<Slot>>,
    origins: &mut Origins,
    stats: &mut Stats,
) -> Result<(), AllocError> {
    let mut emitter = Emitter {
        machine,
        live,
        homes,
        coloring,
        slots,
        origins,
        rows: Rows::new(func),
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        steps: Vec::new(),
        spare: Opt::NONE,
        stats,
    };
    for b in func.blocks.keys() {
        for i in func.rows(b) {
            emitter.row(func, flow, b, i)?;
        }
        emitter.rows.end_block();
    }
    let rows = emitter.rows;
    rows.finish(func, origins);
    let mut written = PRegSet::EMPTY;
    // From the rows, because moves may have needed a scratch register that is callee-saved.
    for i in func.insts.keys() {
        let defs = func.defs(i).iter().filter_map(|d| d.as_phys());
        defs.for_each(|reg| written.insert(reg));
    }
    func.saved.0 = written.0 & machine.callee_saved.0;
    Ok(())
}

impl Emitter<'_> {
    fn row(&mut self, func: &mut Func, flow: &Flow, b: Block, i: Inst) -> Result<(), AllocError> {
        let row = func.insts[i];
        if row.op == PHI {
            return Ok(());
        }
        if row.op == ENTRY || self.machine.is(func, i, CALL | RETURN) {
            return self.fixed_row(func, i);
        }
        if is_copy(func, self.machine, i) {
            return self.copy(func, i);
        }
        if self.machine.is(func, i, TERMINATORS) && i.index() + 1 == func.blocks[b].end.index() {
            self.phi_moves(func, flow, b, i)?;
        }
        let first_use = row.first as usize + row.defs as usize;
        let def = func.defs(i).first().and_then(|d| d.as_virt());
        if def.is_some_and(|v| self.homes.home[v] == Home::Remat) {
            return Ok(());
        }
        let tied_bytes = def.map_or(4, |v| u32::from(func.vregs[v].bytes));
        for k in row.first as usize..first_use + row.uses as usize {
            if let Some(v) = func.operands[k].as_virt() {
                let reg = self
                    .coloring
                    .of(v)
                    .ok_or(AllocError::Internal("a row needs a value without register"))?;
                func.operands[k] = Operand::phys(reg);
            }
        }
        if self.machine.is(func, i, TIED)
            && let (Some(to), Some(from)) =
                (func.operands[row.first as usize].as_phys(), func.operands[first_use].as_phys())
            && to != from
        {
            let op = (self.machine.move_op)(to.class(), tied_bytes);
            let copy = func.make_row(op, &[Operand::phys(to)], &[Operand::phys(from)], 0, 0);
            self.rows.add(func, i, copy, Opt::NONE);
            self.stats.moves += 1;
            func.operands[first_use] = Operand::phys(to);
        }
        self.rows.keep(func, self.origins, i, row);
        Ok(())
    }

    fn place(&self, v: VReg) -> Result<Place, AllocError> {
        let place = match self.homes.home[v] {
            Home::Reg => self.coloring.of(v).map(Place::Reg),
            Home::Slot => self.slots[v].get().map(Place::Slot),
            Home::Remat => self.live.def_row[v].get().map(Place::Again),
        };
        place.ok_or(AllocError::Internal("a value has no place"))
    }

    /// `ENTRY`, calls and returns: operands go where the convention wants them.
    fn fixed_row(&mut self, func: &mut Func, i: Inst) -> Result<(), AllocError> {
        let row = func.insts[i];
        let first_use = row.first as usize + row.defs as usize;
        for k in first_use..first_use + row.uses as usize {
            let Some(v) = func.operands[k].as_virt() else { continue };
            let reg = func.operands[k].constraint();
            let reg = reg.ok_or(AllocError::Internal("an argument without register"))?;
            let vreg = func.vregs[v];
            let bytes = u32::from(vreg.bytes);
            let from = self.place(v)?;
            let class = vreg.class;
            self.transfers.push(Transfer {
                to: Place::Reg(reg),
                from,
                class,
                from_bytes: bytes,
                to_bytes: bytes,
            });
            func.operands[k] = Operand::phys(reg);
        }
        self.flush(func, i);
        for k in row.first as usize..first_use {
            let Some(v) = func.operands[k].as_virt() else { continue };
            let reg = func.operands[k].constraint();
            let reg = reg.ok_or(AllocError::Internal("a result without register"))?;
            let vreg = func.vregs[v];
            func.operands[k] = Operand::phys(reg);
            if self.live.last[k] {
                continue;
            }
            let (to, bytes, class) = (self.place(v)?, u32::from(vreg.bytes), vreg.class);
            self.transfers.push(Transfer {
                to,
                from: Place::Reg(reg),
                class,
                from_bytes: bytes,
                to_bytes: bytes,
            });
        }
        self.rows.keep(func, self.origins, i, row);
        self.flush(func, i);
        Ok(())
    }

    fn copy(&mut self, func: &mut Func, i: Inst) -> Result<(), AllocError> {
        let row = func.insts[i];
        let (first, from) = (row.first as usize, row.first as usize + 1);
        let (Some(d), Some(s)) = (func.operands[first].as_virt(), func.operands[from].as_virt()) else {
            return Ok(());
        };
        if self.homes.home[d] == Home::Reg && self.live.last[first] {
            return Ok(());
        }
        match (self.place(d)?, self.place(s)?) {
            (Place::Reg(to), Place::Reg(at)) if to != at => {
                func.operands[first] = Operand::phys(to);
                func.operands[from] = Operand::phys(at);
                // The row itself, which may be of another kind than the allocator's own moves.
                self.rows.add(func, i, row, Opt::NONE);
                self.stats.moves += 1;
            }
            (to, from) => {
                self.transfer(func, to, from, d, s);
                self.flush(func, i);
            }
        }
        Ok(())
    }

    fn phi_moves(&mut self, func: &mut Func, flow: &Flow, b: Block, i: Inst) -> Result<(), AllocError> {
        let Some(succ) = func.blocks[b].succs[0].get() else { return Ok(()) };
        for phi in Flow::phis(func, succ) {
            let (Some(d), Some(s)) =
                (func.defs(phi)[0].as_virt(), func.uses(phi)[flow.edge_slot[b][0] as usize].as_virt())
            else {
                return Err(AllocError::Internal("a phi of registers"));
            };
            if func.blocks[b].succs[1].is_some() {
                return Err(AllocError::Internal("a critical edge into phis"));
            }
            if self.homes.home[d] == Home::Reg && self.live.last[func.insts[phi].first as usize] {
                continue;
            }
            self.transfer(func, self.place(d)?, self.place(s)?, d, s);
        }
        self.flush(func, i);
        Ok(())
    }

    fn transfer(&mut self, func: &Func, to: Place, from: Place, d: VReg, s: VReg) {
        let (from_bytes, to_bytes) = (u32::from(func.vregs[s].bytes), u32::from(func.vregs[d].bytes));
        self.transfers.push(Transfer { to, from, class: func.vregs[d].class, from_bytes, to_bytes });
    }

    /// Writes the transfers collected so far, for row `i`.
    fn flush(&mut self, func: &mut Func, i: Inst) {
        if self.transfers.is_empty() {
            return;
        }
        let spare_slot = || spare_slot(func, &mut self.spare);
        self.sequencer.run(self.machine, &self.transfers, spare_slot, &mut self.steps);
        self.transfers.clear();
        let steps = std::mem::take(&mut self.steps);
        for &step in &steps {
            self.step(func, i, step);
        }
        self.steps = steps;
        self.steps.clear();
    }

    fn step(&mut self, func: &mut Func, i: Inst, step: Step) {
        let machine = self.machine;
        let reg = |reg: PReg| [Operand::phys(reg)];
        let (row, origin) = match step {
            Step::Move { to, from, class, bytes } => {
                self.stats.moves += 1;
                (func.make_row((machine.move_op)(class, bytes), &reg(to), &reg(from), 0, 0), Opt::NONE)
            }
            Step::Load { to, from, class, bytes } => {
                self.stats.reloads += 1;
                let op = (machine.reload_op)(class, bytes);
                (func.make_row(op, &reg(to), &[Operand::FRAME], 0, from.index() as u32), Opt::NONE)
            }
            Step::Store { to, from, class, bytes } => {
                self.stats.spills += 1;
                let op = (machine.spill_op)(class, bytes);
                let uses = [Operand::phys(from), Operand::FRAME];
                (func.make_row(op, &[], &uses, 0, to.index() as u32), Opt::NONE)
            }
            Step::Again { to, row } => {
                self.stats.remats += 1;
                let old = func.insts[row];
                let uses: Vec<Operand> = func.uses(row).to_vec();
                (func.make_row(old.op, &reg(to), &uses, old.imm, old.sym), self.origins[row])
            }
        };
        self.rows.add(func, i, row, origin);
    }
}
