//! What the fast walk does besides the given rows: it gives registers and slots, and puts in moves, loads,
//! stores and rows that are done again, last first.

use super::super::AllocError;
use super::super::moves::Step;
use super::Walk;
use super::value::Home;
use crate::base::{Handle, Opt};
use crate::mir::desc::WidthRow;
use crate::mir::func::SlotRow;
use crate::mir::{Inst, InstRow, MachineOp, Operand, PReg, Slot, SlotKind, VReg};
use crate::regalloc::ranks::Set;
use crate::regalloc::slots::size_of_slot;

impl<const W: usize> Walk<'_, W> {
    #[inline(always)]
    pub(super) fn hold(&mut self, v: VReg, rank: u8) {
        self.values.hold(v, rank);
        self.held[usize::from(rank & 127)] = v;
        self.busy.add(&self.ranks, rank);
    }

    #[inline(always)]
    pub(super) fn let_go(&mut self, v: VReg) {
        if let Some(rank) = self.values.rank(v) {
            self.busy.remove(&self.ranks, rank);
            self.values.let_go(v);
        }
    }

    /// A register for a value of the row at hand, with none of the locked units. Whatever is in it is loaded
    /// again behind the row.
    pub(super) fn take(&mut self, v: VReg, locked: Set<W>) -> Result<u8, AllocError> {
        if let Some(rank) = self.values.choose(v, self.busy.units.or(locked), &self.ranks) {
            return Ok(rank);
        }
        let rank = self.values.choose(v, locked, &self.ranks);
        let rank = rank.ok_or(AllocError::TooFewRegisters)?;
        let in_the_way = self.ranks.touching(self.busy.ranks(), self.ranks.units(rank));
        in_the_way.each().try_for_each(|rank| self.evict(rank))?;
        Ok(rank)
    }

    pub(super) fn evict(&mut self, rank: u8) -> Result<(), AllocError> {
        let v = self.held[usize::from(rank & 127)];
        self.load(v, self.ranks.reg(rank))?;
        self.let_go(v);
        Ok(())
    }

    pub(super) fn slot(&mut self, v: VReg) -> Slot {
        if let Home::Slot(slot) = self.values.place(v) {
            return slot;
        }
        let bytes = self.values.size(v);
        let shared = if self.values.crosses(v) { None } else { self.free_slots[size_of_slot(bytes)].pop() };
        let align = bytes.min(self.machine.stack_align);
        let row = SlotRow { kind: SlotKind::Spill, bytes, align, offset: 0 };
        let slot = shared.unwrap_or_else(|| self.slots.push(row));
        self.stats.spilled += 1;
        self.values.set_place(v, Home::Slot(slot));
        slot
    }

    /// Notes that a result of the row at hand goes to its slot.
    #[cold]
    pub(super) fn note_store(&mut self, v: VReg, from: PReg) {
        let slot = self.slot(v);
        self.stores.push((slot, v, from));
    }

    // ---- Rows to be put in, last first -------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn put(&mut self, row: InstRow, origin: Opt<Inst>) {
        self.edits.put(row, origin);
    }

    pub(super) fn note_written(&mut self, reg: PReg) {
        self.written[usize::from(self.ranks.rank(reg) & 127)] = true;
    }

    /// Puts a row of our own.
    #[inline(always)]
    fn put_own(&mut self, op: MachineOp, defs: u8, operands: [Operand; 2], sym: u32) {
        let first = self.operands.len() as u32;
        self.operands.reserve(2);
        self.operands.push(operands[0]);
        self.operands.push(operands[1]);
        self.put(InstRow { op, defs, uses: 2 - defs, first, imm: 0, sym }, Opt::NONE);
    }

    /// What moves values of so many bytes in a register.
    fn width(&self, reg: PReg, bytes: u32) -> &'static WidthRow {
        self.machine.width(self.machine.registers.class(reg), bytes)
    }

    pub(super) fn put_move(&mut self, to: PReg, from: PReg, bytes: u32) {
        let op = self.width(to, bytes).copy;
        self.stats.moves += 1;
        self.note_written(to);
        self.put_own(op, 1, [to, from].map(Operand::phys), 0);
    }

    pub(super) fn put_store(&mut self, to: Slot, from: PReg, bytes: u32) {
        let op = self.width(from, bytes).spill;
        self.stats.spills += 1;
        self.put_own(op, 0, [Operand::phys(from), Operand::FRAME], to.index() as u32);
    }

    pub(super) fn put_load(&mut self, to: PReg, from: Slot, bytes: u32) {
        let op = self.width(to, bytes).reload;
        self.stats.reloads += 1;
        self.note_written(to);
        self.put_own(op, 1, [Operand::phys(to), Operand::FRAME], from.index() as u32);
    }

    /// Does again a row without inputs, but for the base of the frame.
    pub(super) fn put_again(&mut self, k: usize, reg: PReg) -> Result<(), AllocError> {
        let row = self.given[k];
        let uses = row.first as usize + usize::from(row.defs);
        let base = self.operands[uses..uses + usize::from(row.uses)].first().copied();
        if row.defs != 1 || row.uses > 1 || base.is_some_and(|base| base.as_virt().is_some()) {
            return Err(AllocError::Internal("a row to be done again has inputs"));
        }
        let first = self.operands.len() as u32;
        self.operands.push(Operand::phys(reg));
        self.operands.extend(base);
        self.stats.remats += 1;
        self.note_written(reg);
        self.put(InstRow { first, ..row }, Opt::some(Inst::new(k)));
        Ok(())
    }

    /// Puts a value in a register, from its slot or from nothing.
    pub(super) fn load(&mut self, v: VReg, reg: PReg) -> Result<(), AllocError> {
        if let Home::Again(row) = self.values.place(v) {
            return self.put_again(row.index(), reg);
        }
        let slot = self.slot(v);
        self.put_load(reg, slot, self.values.size(v));
        Ok(())
    }

    /// Puts the stores of the row's results. Slots of values that live in one block are then free for values
    /// that live before.
    pub(super) fn put_stores(&mut self) {
        for k in 0..self.stores.len() {
            let (slot, v, from) = self.stores[k];
            self.put_store(slot, from, self.values.size(v));
        }
        while let Some((slot, v, _)) = self.stores.pop() {
            if !self.alone && !self.values.crosses(v) {
                self.free_slots[size_of_slot(self.values.size(v))].push(slot);
            }
        }
    }

    /// Puts the transfers collected so far, which happen at once.
    pub(super) fn put_transfers(&mut self) -> Result<(), AllocError> {
        let Walk { machine, slots, spares, .. } = self;
        self.sequencer.run(machine, &self.transfers, spares, slots, &mut self.steps);
        self.transfers.clear();
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Move { to, from, bytes, .. } => self.put_move(to, from, bytes),
                Step::Store { to, from, bytes, .. } => self.put_store(to, from, bytes),
                Step::Load { to, from, bytes, .. } => self.put_load(to, from, bytes),
                Step::Again { to, row } => self.put_again(row.index(), to)?,
            }
        }
        Ok(())
    }
}
