//! Writes the allocated function: every operand a physical register, phis gone, moves in place.
//!
//! Rows that may name values in memory become parallel moves around what is left of them: arguments before a
//! call and results after it, parameters behind `ENTRY`, results before a return, phi operands before the
//! jump at the end of a predecessor, single copies. A tied row whose registers differ gets a move before it.
//! O(rows + moves log moves).

use super::color::Coloring;
use super::flow::Flow;
use super::homes::{Home, Homes, is_copy};
use super::liveness::Liveness;
use super::moves::{Place, Sequencer, Spares, Step, Transfer};
use super::window::Window;
use super::{AllocError, Cx, Stats, restore};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, ENTRY, MOVE, PHI, REMAT, RETURN, TERMINATORS, TIED, ties};
use crate::mir::rewrite::{Origins, Rows};
use crate::mir::{Block, Func, Inst, InstRow, Machine, Operand, PReg, Slot, VReg};

struct Emitter<'a> {
    machine: &'a Machine,
    flow: &'a Flow,
    live: &'a Liveness,
    homes: &'a Homes,
    coloring: &'a Coloring,
    slots: &'a Column<VReg, Opt<Slot>>,
    /// Per value that is computed again: its row.
    again: Column<VReg, Opt<Inst>>,
    origins: &'a Origins,
    rows: Rows,
    /// What stands for operands that are no values.
    sentinel: VReg,
    /// True if a row needs a value that has no register.
    missing: bool,
    /// Flags of rows that need more than registers for their operands.
    special: u16,
    /// By rank: true if rows write the register, moves among them: those may have needed a scratch register
    /// that is callee-saved.
    written: [bool; 256],
    sequencer: Sequencer,
    transfers: Vec<Transfer>,
    /// What is loaded again behind each call of this block, once that is known.
    restored: Vec<VReg>,
    is_known: bool,
    steps: Vec<Step>,
    spares: Spares,
    stats: &'a mut Stats,
}

/// Emits.
pub(super) fn emit(
    cx: &mut Cx,
    coloring: &Coloring,
    slots: &Column<VReg, Opt<Slot>>,
) -> Result<(), AllocError> {
    let Cx { func, machine, flow, homes, live, origins, stats, .. } = cx;
    let again = if homes.has_remats { rows_to_do_again(func, homes) } else { Column::new() };
    let mut emitter = Emitter {
        machine,
        flow,
        live,
        homes,
        coloring,
        slots,
        again,
        rows: Rows::new(func, func.insts.len() / 4, origins),
        origins,
        sentinel: VReg::new(func.vregs.len()),
        missing: false,
        special: CALL | RETURN | MOVE | TIED | TERMINATORS | if homes.has_remats { REMAT } else { 0 },
        written: [false; 256],
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        restored: Vec::new(),
        is_known: false,
        steps: Vec::new(),
        spares: Spares::default(),
        stats,
    };
    for b in func.blocks.keys() {
        emitter.block(func, b)?;
        emitter.rows.end_block();
    }
    let Emitter { rows, written, missing, .. } = emitter;
    if missing {
        return Err(AllocError::Internal("a row needs a value without register"));
    }
    rows.finish(func, origins);
    func.saved = machine.to_be_saved(|rank| written[usize::from(rank)]);
    Ok(())
}

fn rows_to_do_again(func: &Func, homes: &Homes) -> Column<VReg, Opt<Inst>> {
    let mut again = Column::filled(func.vregs.len(), Opt::NONE);
    for i in func.blocks.keys().flat_map(|b| func.rows(b)) {
        let def = func.defs(i).first().and_then(|d| d.as_virt());
        if let Some(v) = def.filter(|&v| homes.home[v] == Home::Remat) {
            again[v] = Opt::some(i);
        }
    }
    again
}

impl Emitter<'_> {
    fn block(&mut self, func: &mut Func, b: Block) -> Result<(), AllocError> {
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        self.is_known = false;
        // Rows that stay one row are copied together.
        let mut start = first;
        let live = self.live;
        for (k, window) in live.windows.as_slice()[first..end].iter().enumerate() {
            if window.is_usual(self.special) {
                self.name_three(func, window);
                continue;
            }
            self.rows.keep_all(func, self.origins, start..first + k);
            self.special_row(func, b, Inst::new(first + k))?;
            start = first + k + 1;
        }
        self.rows.keep_all(func, self.origins, start..end);
        Ok(())
    }

    /// Puts registers in the place of a usual row's values.
    #[inline(always)]
    fn name_three(&mut self, func: &mut Func, window: &Window) {
        let Some(operands) = func.operands[window.first as usize..].first_chunk_mut::<3>() else { return };
        for (k, operand) in operands.iter_mut().enumerate() {
            let v = window.values[k];
            let rank = usize::from(self.coloring.rank[v]);
            let name = self.coloring.names[rank];
            let has = name != Operand::FRAME;
            *operand = if has { name } else { *operand };
            self.missing |= !has & (v != self.sentinel);
            if k == 0 {
                self.written[rank] |= window.defines;
            }
        }
    }

    /// Puts registers in the place of a row's values.
    #[inline(never)]
    fn name_registers(&mut self, func: &mut Func, row: &InstRow) {
        let first = row.first as usize;
        let operands = &mut func.operands[first..first + usize::from(row.defs) + usize::from(row.uses)];
        for (k, operand) in operands.iter_mut().enumerate() {
            let Some(v) = operand.as_virt() else { continue };
            let rank = usize::from(self.coloring.rank[v]);
            let name = self.coloring.names[rank];
            if name == Operand::FRAME {
                self.missing = true;
                continue;
            }
            *operand = name;
            self.written[rank] |= k < usize::from(row.defs);
        }
    }

    #[inline(never)]
    fn special_row(&mut self, func: &mut Func, b: Block, i: Inst) -> Result<(), AllocError> {
        let row = func.insts[i];
        let flags = self.machine.row(row.op).flags;
        if row.op == PHI {
            return Ok(());
        }
        if row.op == ENTRY || flags & (CALL | RETURN) != 0 {
            return self.fixed_row(func, b, i);
        }
        if is_copy(func, self.machine, i) {
            return self.copy(func, i);
        }
        if flags & TERMINATORS != 0 && i.index() + 1 == func.blocks[b].end.index() {
            self.phi_moves(func, b, i)?;
        }
        let def = func.defs(i).first().and_then(|d| d.as_virt());
        if def.is_some_and(|v| self.homes.home[v] == Home::Remat) {
            return Ok(());
        }
        self.name_registers(func, &row);
        for tie in ties(flags, row.uses.into()).enumerate() {
            self.tie(func, i, tie, def.map_or(4, |v| u32::from(func.vregs[v].bytes)));
        }
        self.rows.keep(func, self.origins, i, row);
        Ok(())
    }

    /// Moves a tied use to where the definition is, if it is not there.
    fn tie(&mut self, func: &mut Func, i: Inst, (def, use_): (usize, usize), bytes: u32) {
        let row = func.insts[i];
        let (first, first_use) = (row.first as usize + def, row.first as usize + row.defs as usize + use_);
        if let (Some(to), Some(from)) = (func.operands[first].as_phys(), func.operands[first_use].as_phys())
            && to != from
        {
            let op = self.machine.width(self.machine.registers.class(to), bytes).copy;
            let copy = func.make_row(op, &[Operand::phys(to)], &[Operand::phys(from)], 0, 0);
            self.rows.add(func, i, copy, Opt::NONE);
            self.stats.moves += 1;
            func.operands[first_use] = Operand::phys(to);
        }
    }

    fn note_written(&mut self, reg: PReg) {
        self.written[usize::from(self.machine.registers.rank[usize::from(reg.0 & 127)])] = true;
    }

    fn place(&self, v: VReg) -> Result<Place, AllocError> {
        let place = match self.homes.home[v] {
            Home::Reg => self.coloring.of(v).map(Place::Reg),
            Home::Slot => self.slots[v].get().map(Place::Slot),
            Home::Remat => self.again[v].get().map(Place::Again),
        };
        place.ok_or(AllocError::Internal("a value has no place"))
    }

    /// `ENTRY`, calls and returns: operands go where the convention wants them.
    fn fixed_row(&mut self, func: &mut Func, b: Block, i: Inst) -> Result<(), AllocError> {
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
            self.note_written(reg);
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
        if self.homes.has_restored && self.machine.is(func, i, CALL) {
            self.restore(func, b)?;
        }
        self.rows.keep(func, self.origins, i, row);
        self.flush(func, i);
        Ok(())
    }

    /// Loads what a call of a block destroys that is wanted behind it.
    fn restore(&mut self, func: &Func, b: Block) -> Result<(), AllocError> {
        if !std::mem::replace(&mut self.is_known, true) {
            self.restored.clear();
            self.restored.extend(restore::live_into(self.live, self.homes, b));
        }
        for k in 0..self.restored.len() {
            let v = self.restored[k];
            let bytes = u32::from(func.vregs[v].bytes);
            let to = self.place(v)?;
            let (Place::Reg(reg), Some(root)) = (to, self.homes.stands_for[v].get()) else { continue };
            if !self.machine.survives_calls(reg, bytes) {
                self.transfer(func, to, self.place(root)?, v, root);
            }
        }
        Ok(())
    }

    fn copy(&mut self, func: &mut Func, i: Inst) -> Result<(), AllocError> {
        let row = func.insts[i];
        let (first, from) = (row.first as usize, row.first as usize + 1);
        let (Some(d), Some(s)) = (func.operands[first].as_virt(), func.operands[from].as_virt()) else {
            return Ok(());
        };
        if self.homes.in_register(d) && self.live.last[first] {
            return Ok(());
        }
        match (self.place(d)?, self.place(s)?) {
            (Place::Reg(to), Place::Reg(at)) if to != at => {
                func.operands[first] = Operand::phys(to);
                func.operands[from] = Operand::phys(at);
                self.note_written(to);
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

    fn phi_moves(&mut self, func: &mut Func, b: Block, i: Inst) -> Result<(), AllocError> {
        let Some(succ) = func.blocks[b].succs[0].get() else { return Ok(()) };
        for phi in Flow::phis(func, succ) {
            let (Some(d), Some(s)) =
                (func.defs(phi)[0].as_virt(), func.uses(phi)[self.flow.edge_slot[b][0] as usize].as_virt())
            else {
                return Err(AllocError::Internal("a phi of registers"));
            };
            if func.blocks[b].succs[1].is_some() {
                return Err(AllocError::Internal("a critical edge into phis"));
            }
            if self.homes.in_register(d) && self.live.last[func.insts[phi].first as usize] {
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
        let Func { slots, .. } = func;
        self.sequencer.run(self.machine, &self.transfers, &mut self.spares, slots, &mut self.steps);
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
        if let Step::Move { to, .. } | Step::Load { to, .. } | Step::Again { to, .. } = step {
            self.note_written(to);
        }
        let (row, origin) = match step {
            Step::Move { to, from, class, bytes } => {
                self.stats.moves += 1;
                (func.make_row(machine.width(class, bytes).copy, &reg(to), &reg(from), 0, 0), Opt::NONE)
            }
            Step::Load { to, from, class, bytes } => {
                self.stats.reloads += 1;
                let op = machine.width(class, bytes).reload;
                (func.make_row(op, &reg(to), &[Operand::FRAME], 0, from.index() as u32), Opt::NONE)
            }
            Step::Store { to, from, class, bytes } => {
                self.stats.spills += 1;
                let op = machine.width(class, bytes).spill;
                let uses = [Operand::phys(from), Operand::FRAME];
                (func.make_row(op, &[], &uses, 0, to.index() as u32), Opt::NONE)
            }
            Step::Again { to, row } => {
                self.stats.remats += 1;
                let old = func.insts[row];
                let uses: Vec<Operand> = func.uses(row).to_vec();
                (
                    func.make_row(old.op, &reg(to), &uses, old.imm, old.sym),
                    self.origins.get(row).copied().unwrap_or(Opt::NONE),
                )
            }
        };
        self.rows.add(func, i, row, origin);
    }
}
