//! Allocation for -O0: one backward walk over each block, no liveness, no rounds.
//!
//! A value that is used in another block than its own, or by a phi, lives in a slot: it is stored where it is defined
//! and loaded where a block uses it. Within a block, registers are given at the last use, which the walk meets first, and
//! come free at the definition. If none is free, or a call destroys it, the value that is there is loaded again behind the row at
//! hand, and stored where it is defined; what has no inputs is computed again instead. Slots of values that live in
//! one block are shared. Arguments are given the registers that the call wants, at once.
//!
//! O(rows x registers of a class), and 14 bytes a value. A last use is found for nothing because the walk is backwards (the idea
//! is that of Cranelift's `fastalloc`); the checker proves the results as it does for the other allocator.

use super::homes::is_copy;
use super::moves::{Place, Sequencer, Step, Transfer, spare_slot};
use super::rewrite::Origins;
use super::{AllocError, Stats};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::mir::desc::{CALL, EARLY_DEF, ENTRY, JUMP, PHI, REMAT, RETURN, TIED};
use crate::mir::{Block, Class, Func, Inst, InstRow, Machine, Operand, PReg, PRegSet, Slot, SlotKind, VReg};

/// No register.
const NONE: u8 = u8::MAX;

struct Walk<'a> {
    machine: &'a Machine,
    /// Per value: the register that it is in at this point of the walk.
    reg_of: Column<VReg, u8>,
    /// Per register that is not free: the value in it.
    held: [VReg; 64],
    /// Registers that may be given and hold nothing.
    free: PRegSet,
    /// Registers that may be given at all.
    given: PRegSet,
    /// Registers that the row at hand uses.
    locked: PRegSet,
    /// Registers that some row writes.
    written: PRegSet,
    /// Per value: its slot, once it has one.
    slots: Column<VReg, Opt<Slot>>,
    /// See `Survey`.
    crossing: BitSet<VReg>,
    /// Per block: its first row and one past its last, as they were given.
    blocks: Column<Block, (Inst, Inst)>,
    /// See `Survey`.
    again: Column<VReg, Opt<Inst>>,
    edges: Column<Block, u32>,
    /// Slots of 4 and of 8 bytes that are free again, and those that will be once the row at hand is done.
    free_slots: [Vec<Slot>; 2],
    released: Vec<(usize, Slot)>,
    /// The rows of the block, last first: row, source position, row of the given function.
    rows: Vec<(InstRow, u32, Opt<Inst>)>,
    loc: u32,
    sequencer: Sequencer,
    transfers: Vec<Transfer>,
    steps: Vec<Step>,
    spare: Opt<Slot>,
    stats: Stats,
}

/// Allocates; the second result says which row of the given function each row is.
pub(super) fn allocate(func: &mut Func, machine: &Machine) -> Result<(Stats, Origins), AllocError> {
    let Survey { crossing, again, edges } = survey(func, machine);
    let given =
        PRegSet(Class::ALL.iter().fold(0, |set, &class| set | PRegSet::of(machine.class(class).order).0));
    let mut walk = Walk {
        machine,
        reg_of: Column::filled(func.vregs.len(), NONE),
        held: [VReg::new(0); 64],
        free: given,
        given,
        locked: PRegSet::EMPTY,
        written: PRegSet::EMPTY,
        slots: Column::filled(func.vregs.len(), Opt::NONE),
        crossing,
        blocks: func.blocks.iter().map(|(_, b)| (b.first, b.end)).collect::<Vec<_>>().into(),
        again,
        edges,
        free_slots: Default::default(),
        released: Vec::new(),
        rows: Vec::new(),
        loc: u32::MAX,
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        steps: Vec::new(),
        spare: Opt::NONE,
        stats: Stats { rounds: 1, work: func.insts.len(), ..Stats::default() },
    };
    let room = func.insts.len() + func.insts.len() / 4;
    let (mut rows, mut locs) = (Vec::with_capacity(room), Vec::with_capacity(room));
    let mut origins = Vec::with_capacity(room);
    for b in func.blocks.keys() {
        for i in func.rows(b).rev() {
            walk.row(func, b, i)?;
        }
        walk.head(func, b)?;
        let first = Inst::new(rows.len());
        for (row, loc, origin) in walk.rows.drain(..).rev() {
            rows.push(row);
            locs.push(loc);
            origins.push(origin);
        }
        (func.blocks[b].first, func.blocks[b].end) = (first, Inst::new(rows.len()));
    }
    func.insts = rows.into();
    func.loc = locs.into();
    func.saved.0 = walk.written.0 & machine.callee_saved.0;
    Ok((walk.stats, origins.into()))
}

/// What the walk has to know beforehand.
struct Survey {
    /// Values that other blocks or phis use.
    crossing: BitSet<VReg>,
    /// Per value without inputs: the row that computes it.
    again: Column<VReg, Opt<Inst>>,
    /// Per block that jumps to phis: which operand of them is its own. Empty if there are none.
    edges: Column<Block, u32>,
}

fn survey(func: &Func, machine: &Machine) -> Survey {
    let mut home: Column<VReg, Opt<Block>> = Column::filled(func.vregs.len(), Opt::NONE);
    let mut again = Column::filled(func.vregs.len(), Opt::NONE);
    let mut crossing = BitSet::new(func.vregs.len());
    let mut edges = Column::default();
    for b in func.blocks.keys() {
        for i in func.rows(b) {
            let is_phi = func.insts[i].op == PHI;
            if is_phi && i == func.blocks[b].first {
                if edges.is_empty() {
                    edges = Column::filled(func.blocks.len(), 0);
                }
                func.preds(b).iter().enumerate().for_each(|(k, &p)| edges[p] = k as u32);
            }
            for d in func.defs(i).iter().filter_map(|d| d.as_virt()) {
                // Uses in blocks that stand before the definition have left their mark.
                if is_phi || home[d].is_some() {
                    crossing.insert(d);
                }
                home[d] = Opt::some(b);
                if machine.is(func, i, REMAT) {
                    again[d] = Opt::some(i);
                }
            }
            for s in func.uses(i).iter().filter_map(|s| s.as_virt()) {
                if is_phi || home[s] != Opt::some(b) {
                    crossing.insert(s);
                    home[s] = Opt::some(b);
                }
            }
        }
    }
    Survey { crossing, again, edges }
}

impl Walk<'_> {
    // ---- Registers and slots --------------------------------------------------------------------------------

    fn reg(&self, v: VReg) -> Option<PReg> {
        (self.reg_of[v] != NONE).then(|| PReg(self.reg_of[v]))
    }

    fn hold(&mut self, v: VReg, reg: PReg) {
        self.reg_of[v] = reg.0;
        self.held[reg.0 as usize & 63] = v;
        self.free.0 &= !(1 << reg.0);
    }

    fn let_go(&mut self, v: VReg, reg: PReg) {
        self.reg_of[v] = NONE;
        self.free.0 |= 1 << reg.0 & self.given.0;
    }

    /// A register for the row at hand. Whatever is in it is loaded again behind the row.
    fn take(&mut self, func: &mut Func, class: Class) -> Result<PReg, AllocError> {
        let order = self.machine.class(class).order;
        let open = self.free.0 & !self.locked.0;
        if let Some(&reg) = order.iter().find(|reg| open >> reg.0 & 1 != 0) {
            return Ok(reg);
        }
        let taken = order.iter().find(|&&reg| !self.locked.contains(reg) && self.given.contains(reg));
        let &reg = taken.ok_or(AllocError::TooFewRegisters)?;
        self.evict(func, reg)?;
        Ok(reg)
    }

    fn evict(&mut self, func: &mut Func, reg: PReg) -> Result<(), AllocError> {
        let v = self.held[reg.0 as usize & 63];
        self.load(func, v, reg)?;
        self.let_go(v, reg);
        Ok(())
    }

    fn slot(&mut self, func: &mut Func, v: VReg) -> Slot {
        if let Some(slot) = self.slots[v].get() {
            return slot;
        }
        let bytes = u32::from(func.vregs[v].bytes);
        let shared =
            if self.crossing.contains(v) { None } else { self.free_slots[usize::from(bytes > 4)].pop() };
        let slot = shared.unwrap_or_else(|| func.new_slot(SlotKind::Spill, bytes, bytes));
        self.stats.spilled += 1;
        self.slots[v] = Opt::some(slot);
        slot
    }

    /// The slot that the value must be stored to where it is defined; it is then free for values that live before.
    fn slot_to_fill(&mut self, func: &mut Func, v: VReg) -> Option<Slot> {
        if self.again[v].is_some() {
            return None;
        }
        if self.crossing.contains(v) {
            return Some(self.slot(func, v));
        }
        let slot = self.slots[v].get()?;
        self.released.push((usize::from(func.vregs[v].bytes > 4), slot));
        Some(slot)
    }

    /// True if nothing behind this point wants the value.
    fn is_unwanted(&self, v: VReg) -> bool {
        self.reg_of[v] == NONE
            && (self.again[v].is_some() || !self.crossing.contains(v) && self.slots[v].is_none())
    }

    // ---- Rows, last first -----------------------------------------------------------------------------------

    fn put(&mut self, row: InstRow, origin: Opt<Inst>) {
        self.rows.push((row, self.loc, origin));
    }

    fn put_move(&mut self, func: &mut Func, to: PReg, from: PReg, bytes: u32) {
        let op = (self.machine.move_op)(to.class(), bytes);
        let row = func.make_row(op, &[Operand::phys(to)], &[Operand::phys(from)], 0, 0);
        self.stats.moves += 1;
        self.written.insert(to);
        self.put(row, Opt::NONE);
    }

    fn put_store(&mut self, func: &mut Func, to: Slot, from: PReg, bytes: u32) {
        let op = (self.machine.spill_op)(from.class(), bytes);
        let row = func.make_row(op, &[], &[Operand::phys(from), Operand::FRAME], 0, to.index() as u32);
        self.stats.spills += 1;
        self.put(row, Opt::NONE);
    }

    /// Does again a row without inputs, but for the base of the frame.
    fn put_again(&mut self, func: &mut Func, i: Inst, reg: PReg) -> Result<(), AllocError> {
        let (row, base) = (func.insts[i], func.uses(i).first().copied());
        if row.uses > 1 || base.is_some_and(|base| base.as_virt().is_some()) {
            return Err(AllocError::Internal("a row to be done again has inputs"));
        }
        let made = func.make_row(row.op, &[Operand::phys(reg)], base.as_slice(), row.imm, row.sym);
        self.stats.remats += 1;
        self.written.insert(reg);
        self.put(made, Opt::some(i));
        Ok(())
    }

    /// Puts a value in a register, from its slot or from nothing.
    fn load(&mut self, func: &mut Func, v: VReg, reg: PReg) -> Result<(), AllocError> {
        self.written.insert(reg);
        if let Some(i) = self.again[v].get() {
            return self.put_again(func, i, reg);
        }
        let slot = self.slot(func, v);
        let op = (self.machine.reload_op)(reg.class(), u32::from(func.vregs[v].bytes));
        let row = func.make_row(op, &[Operand::phys(reg)], &[Operand::FRAME], 0, slot.index() as u32);
        self.stats.reloads += 1;
        self.put(row, Opt::NONE);
        Ok(())
    }

    /// Puts the transfers collected so far, which happen at once.
    fn put_transfers(&mut self, func: &mut Func) -> Result<(), AllocError> {
        if self.transfers.is_empty() {
            return Ok(());
        }
        let spare_slot = || spare_slot(func, &mut self.spare);
        self.sequencer.run(self.machine, &self.transfers, spare_slot, &mut self.steps);
        self.transfers.clear();
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Move { to, from, bytes, .. } => self.put_move(func, to, from, bytes),
                Step::Store { to, from, bytes, .. } => self.put_store(func, to, from, bytes),
                Step::Load { to, from, class, bytes } => {
                    let op = (self.machine.reload_op)(class, bytes);
                    let (d, slot) = ([Operand::phys(to)], from.index() as u32);
                    let row = func.make_row(op, &d, &[Operand::FRAME], 0, slot);
                    self.stats.reloads += 1;
                    self.written.insert(to);
                    self.put(row, Opt::NONE);
                }
                Step::Again { to, row } => self.put_again(func, row, to)?,
            }
        }
        Ok(())
    }

    // ---- The walk -------------------------------------------------------------------------------------------

    fn row(&mut self, func: &mut Func, b: Block, i: Inst) -> Result<(), AllocError> {
        let row = func.insts[i];
        if row.op == PHI {
            return Ok(());
        }
        self.loc = func.loc.get(i).copied().unwrap_or(u32::MAX);
        let flags = self.machine.row(row.op).flags;
        if row.op == ENTRY || flags & (CALL | RETURN) != 0 {
            self.fixed_row(func, i, row)?;
        } else if is_copy(func, self.machine, i) {
            self.copy(func, row)?;
        } else {
            self.plain_row(func, i, row, flags)?;
            if flags & JUMP != 0 {
                self.phis(func, b)?;
            }
        }
        self.locked = PRegSet::EMPTY;
        while let Some((size, slot)) = self.released.pop() {
            self.free_slots[size].push(slot);
        }
        Ok(())
    }

    fn plain_row(&mut self, func: &mut Func, i: Inst, row: InstRow, flags: u16) -> Result<(), AllocError> {
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        let end = first_use + usize::from(row.uses);
        if flags & REMAT != 0
            && row.defs == 1
            && func.operands[first].as_virt().is_some_and(|v| self.is_unwanted(v))
        {
            return Ok(());
        }
        for k in first..end {
            if let Some(reg) = func.operands[k].as_virt().and_then(|v| self.reg(v)) {
                self.locked.insert(reg);
            }
        }
        let mut stores: [Option<(Slot, PReg, u32)>; 4] = [None; 4];
        let mut defined = PRegSet::EMPTY;
        for k in first..first_use {
            let Some(v) = func.operands[k].as_virt() else { continue };
            let class = func.vregs[v].class;
            let reg = match self.reg(v) {
                Some(reg) => reg,
                None => self.take(func, class)?,
            };
            self.locked.insert(reg);
            defined.insert(reg);
            func.operands[k] = Operand::phys(reg);
            if let Some(slot) = self.slot_to_fill(func, v) {
                let place =
                    stores.get_mut(k - first).ok_or(AllocError::Internal("a row with many results"))?;
                *place = Some((slot, reg, u32::from(func.vregs[v].bytes)));
            }
            if self.reg(v).is_some() {
                self.let_go(v, reg);
            }
        }
        self.written.0 |= defined.0;
        let mut before = None;
        if flags & TIED != 0
            && let (Some(d), Some(u)) = (func.operands[first].as_phys(), func.operands[first_use].as_virt())
        {
            match self.reg(u) {
                Some(reg) if reg == d => {}
                Some(reg) => before = Some((d, reg, u32::from(func.vregs[u].bytes))),
                None => self.hold(u, d),
            }
            func.operands[first_use] = Operand::phys(d);
        }
        // Results are written when all inputs have been read, unless the row says otherwise; the register of a tied one
        // is taken either way.
        if flags & (EARLY_DEF | TIED) == 0 {
            self.locked.0 &= !defined.0;
        }
        for k in first_use..end {
            let Some(v) = func.operands[k].as_virt() else { continue };
            let class = func.vregs[v].class;
            let reg = match self.reg(v) {
                Some(reg) => reg,
                None => self.take(func, class)?,
            };
            self.hold(v, reg);
            self.locked.insert(reg);
            func.operands[k] = Operand::phys(reg);
        }
        for (slot, reg, bytes) in stores.into_iter().flatten() {
            self.put_store(func, slot, reg, bytes);
        }
        self.put(row, Opt::some(i));
        if let Some((to, from, bytes)) = before {
            self.put_move(func, to, from, bytes);
        }
        Ok(())
    }

    /// A copy: if its source is in no register yet, it gets the one of its destination.
    fn copy(&mut self, func: &mut Func, row: InstRow) -> Result<(), AllocError> {
        let (first, from) = (row.first as usize, row.first as usize + 1);
        let (Some(d), Some(s)) = (func.operands[first].as_virt(), func.operands[from].as_virt()) else {
            return Ok(());
        };
        if self.is_unwanted(d) {
            return Ok(());
        }
        if let Some(reg) = self.reg(s) {
            self.locked.insert(reg);
        }
        let to = match self.reg(d) {
            Some(reg) => reg,
            None => self.take(func, func.vregs[d].class)?,
        };
        if let Some(slot) = self.slot_to_fill(func, d) {
            self.put_store(func, slot, to, u32::from(func.vregs[d].bytes));
        }
        if self.reg(d).is_some() {
            self.let_go(d, to);
        }
        match self.reg(s) {
            None => self.hold(s, to),
            Some(at) => {
                func.operands[first] = Operand::phys(to);
                func.operands[from] = Operand::phys(at);
                self.written.insert(to);
                self.stats.moves += 1;
                // The row itself, which may be of another kind than the allocator's own moves.
                self.put(row, Opt::NONE);
            }
        }
        Ok(())
    }

    /// `ENTRY`, calls and returns: operands are where the convention wants them.
    fn fixed_row(&mut self, func: &mut Func, i: Inst, row: InstRow) -> Result<(), AllocError> {
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        let end = first_use + usize::from(row.uses);
        for k in first..first_use {
            let Some(v) = func.operands[k].as_virt() else { continue };
            let reg =
                func.operands[k].constraint().ok_or(AllocError::Internal("a result without register"))?;
            func.operands[k] = Operand::phys(reg);
            let (class, bytes) = (func.vregs[v].class, u32::from(func.vregs[v].bytes));
            let (home, slot) = (self.reg(v), self.slot_to_fill(func, v));
            for to in [home.map(Place::Reg), slot.map(Place::Slot)].into_iter().flatten() {
                let from = Place::Reg(reg);
                self.transfers.push(Transfer { to, from, class, from_bytes: bytes, to_bytes: bytes });
            }
            if let Some(home) = home {
                self.let_go(v, home);
            }
        }
        if self.machine.row(row.op).flags & CALL != 0 {
            let destroyed = self.given.0 & !self.free.0 & self.machine.caller_saved.0;
            for reg in PRegSet(destroyed).iter() {
                self.evict(func, reg)?;
            }
        }
        self.put_transfers(func)?;
        self.put(row, Opt::some(i));
        for k in first_use..end {
            let Some(v) = func.operands[k].as_virt() else { continue };
            let reg =
                func.operands[k].constraint().ok_or(AllocError::Internal("an argument without register"))?;
            func.operands[k] = Operand::phys(reg);
            match self.reg(v) {
                None => self.hold(v, reg),
                Some(at) if at == reg => {}
                Some(at) => self.put_move(func, reg, at, u32::from(func.vregs[v].bytes)),
            }
        }
        Ok(())
    }

    /// Stores the operands of the successor's phis in the phis' slots.
    fn phis(&mut self, func: &mut Func, b: Block) -> Result<(), AllocError> {
        let Some(&edge) = self.edges.get(b) else { return Ok(()) };
        let Some(succ) = func.blocks[b].succs[0].get() else { return Ok(()) };
        let (first, end) = self.blocks[succ];
        for phi in (first.index()..end.index()).map(Inst::new) {
            if func.insts[phi].op != PHI {
                break;
            }
            let (Some(d), Some(s)) = (func.defs(phi)[0].as_virt(), func.uses(phi)[edge as usize].as_virt())
            else {
                return Err(AllocError::Internal("a phi of registers"));
            };
            let from = match self.again[s].get() {
                Some(i) => Place::Again(i),
                None => Place::Slot(self.slot(func, s)),
            };
            let to = Place::Slot(self.slot(func, d));
            let (from_bytes, to_bytes) = (u32::from(func.vregs[s].bytes), u32::from(func.vregs[d].bytes));
            self.transfers.push(Transfer { to, from, class: func.vregs[d].class, from_bytes, to_bytes });
        }
        self.put_transfers(func)
    }

    /// Loads what the block needs from others.
    fn head(&mut self, func: &mut Func, b: Block) -> Result<(), AllocError> {
        for reg in PRegSet(self.given.0 & !self.free.0).iter() {
            let v = self.held[reg.0 as usize & 63];
            if b.index() == 0 && self.again[v].is_none() {
                return Err(AllocError::Internal("a value is used and not defined"));
            }
            self.evict(func, reg)?;
        }
        Ok(())
    }
}
