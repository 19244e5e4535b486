//! Allocation for -O0: one backward walk over each block, no liveness, no rounds.
//!
//! A value that is used in another block than its own, or by a phi, lives in a slot: it is stored where it is defined
//! and loaded where a block uses it. Within a block, registers are given at the last use, which the walk meets first, and
//! come free at the definition. If none is free, or a call destroys it, the value that is there is loaded again behind the row at
//! hand, and stored where it is defined; what has no inputs is computed again instead. Slots of values that live in
//! one block are shared. Arguments are given the registers that the call wants, at once; what a call returns, and a parameter,
//! stays where it comes if nothing else is there at its last use.
//!
//! Registers are numbered by *rank* here, their place in the order of preference (32 ranks a class), and a set of them is a
//! word; so the best free register is the lowest bit. Rows are appended last first, and turned round once at the end.
//! O(rows), and 20 bytes a value. A last use is found for nothing because the walk is backwards (the idea
//! is that of Cranelift's `fastalloc`); the checker proves the results as it does for the other allocator.

use super::moves::{Place, Sequencer, Step, Transfer};
use super::rewrite::Origins;
use super::{AllocError, Stats};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, EARLY_DEF, ENTRY, JUMP, MOVE, PHI, REMAT, RETURN, TIED};
use crate::mir::func::{BlockRow, SlotRow, use_count};
use crate::mir::{
    Block, Class, Func, Inst, InstRow, Machine, MachineOp, Operand, PReg, PRegSet, Slot, SlotKind, VReg,
};

/// What the walk knows of a value.
#[derive(Copy, Clone, Debug)]
struct Value {
    /// The register that it is in at this point of the walk, as a set; empty if it is in none.
    home: u64,
    /// Its slot, or the row that computes it; `NONE` if it has neither.
    place: u32,
    class: Class,
    bytes: u8,
    /// A set of the bits below.
    kind: u8,
    /// The rank of the register that it comes in, if it is fixed; else `ANY`.
    comes_in: u8,
}

const _: () = assert!(size_of::<Value>() == 16);

/// Other blocks or phis use it.
const CROSSING: u8 = 1;
/// `place` is its slot.
const STORED: u8 = 2;
/// `place` is the row that computes it, which has no inputs. Then it never has a slot.
const AGAIN: u8 = 4;

/// No slot, row or block.
const NONE: u32 = u32::MAX;
/// No rank.
const ANY: u8 = 64;

/// The ranks of a class.
fn ranks(class: Class) -> u64 {
    0xffff_ffff << (32 * class as u32)
}

/// Registers by rank and ranks by register: those that are given out in the machine's order, then the others.
struct Ranks {
    reg: [PReg; 64],
    rank: [u8; 64],
    /// Ranks that may be given.
    given: u64,
}

impl Ranks {
    fn of(machine: &Machine) -> Ranks {
        let mut ranks = Ranks { reg: [PReg(0); 64], rank: [ANY; 64], given: 0 };
        for class in Class::ALL {
            let mut next = 32 * class as u8;
            let order = machine.class(class).order;
            ranks.given |= ((1 << order.len()) - 1) << next;
            for reg in order.iter().copied().chain((next..next + 32).map(PReg)) {
                if ranks.rank[usize::from(reg.0)] == ANY {
                    ranks.rank[usize::from(reg.0)] = next;
                    ranks.reg[usize::from(next)] = reg;
                    next += 1;
                }
            }
        }
        ranks
    }

    fn bit(&self, reg: PReg) -> u64 {
        1 << (self.rank[usize::from(reg.0) & 63] & 63)
    }

    /// The only register of a set.
    #[inline(always)]
    fn reg(&self, bit: u64) -> PReg {
        self.reg[bit.trailing_zeros() as usize & 63]
    }

    fn set(&self, regs: PRegSet) -> u64 {
        regs.iter().fold(0, |set, reg| set | self.bit(reg))
    }
}

struct Walk<'a> {
    machine: &'a Machine,
    ranks: Ranks,
    /// Ranks that a call destroys.
    destroyed: u64,
    /// The function as given, but for operands, which are replaced where they stand.
    given: Column<Inst, InstRow>,
    given_loc: Column<Inst, u32>,
    operands: Vec<Operand>,
    blocks: Column<Block, BlockRow>,
    slots: Column<Slot, SlotRow>,
    values: Column<VReg, Value>,
    /// Per rank that is not free: the value in it.
    held: [VReg; 64],
    /// Ranks that may be given and hold nothing, that the row at hand uses, and that some row writes.
    free: u64,
    locked: u64,
    written: u64,
    /// Per block, its first row as given, and if it jumps to phis: which operand of them is its own. Empty without phis.
    heads: Column<Block, u32>,
    edges: Column<Block, u32>,
    /// Slots of 4 and of 8 bytes that are free again.
    free_slots: [Vec<Slot>; 2],
    /// Results of the row at hand that go to slots: to which, whose, from where.
    stores: Vec<(Slot, VReg, PReg)>,
    /// All rows, last first, and their source positions; for a proof, which given rows they are.
    rows: Vec<InstRow>,
    locs: Vec<u32>,
    origins: Option<Vec<Opt<Inst>>>,
    loc: u32,
    sequencer: Sequencer,
    transfers: Vec<Transfer>,
    steps: Vec<Step>,
    spare: Opt<Slot>,
    stats: Stats,
}

/// Allocates; the second result says which row of the given function each row is, if somebody wants to know.
pub(super) fn allocate(
    func: &mut Func,
    machine: &Machine,
    origins: bool,
) -> Result<(Stats, Origins), AllocError> {
    let count = func.insts.len();
    func.loc.grow_to(count, u32::MAX);
    let room = count + count / 8;
    let ranks = Ranks::of(machine);
    let value = |row: &crate::mir::func::VRegRow| Value {
        home: 0,
        place: NONE,
        class: row.class,
        bytes: row.bytes,
        kind: 0,
        comes_in: ANY,
    };
    let mut walk = Walk {
        machine,
        destroyed: ranks.set(machine.caller_saved),
        free: ranks.given,
        ranks,
        given: std::mem::take(&mut func.insts),
        given_loc: std::mem::take(&mut func.loc),
        operands: std::mem::take(&mut func.operands),
        blocks: std::mem::take(&mut func.blocks),
        slots: std::mem::take(&mut func.slots),
        values: func.vregs.as_slice().iter().map(value).collect::<Vec<_>>().into(),
        held: [VReg::new(0); 64],
        locked: 0,
        written: 0,
        heads: Column::new(),
        edges: Column::new(),
        free_slots: Default::default(),
        stores: Vec::new(),
        rows: Vec::with_capacity(room),
        locs: Vec::with_capacity(room),
        origins: origins.then(|| Vec::with_capacity(room)),
        loc: u32::MAX,
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        steps: Vec::new(),
        spare: Opt::NONE,
        stats: Stats { rounds: 1, work: count, ..Stats::default() },
    };
    walk.survey(&func.preds);
    for b in walk.blocks.keys().rev() {
        let row = walk.blocks[b];
        let behind = walk.rows.len();
        for i in (row.first.index()..row.end.index()).rev() {
            walk.row(b, Inst::new(i))?;
        }
        walk.head(b)?;
        // Counted from the end, for now.
        (walk.blocks[b].first, walk.blocks[b].end) = (Inst::new(walk.rows.len()), Inst::new(behind));
    }
    let total = walk.rows.len();
    for row in walk.blocks.as_mut_slice() {
        (row.first, row.end) = (Inst::new(total - row.first.index()), Inst::new(total - row.end.index()));
    }
    walk.rows.reverse();
    walk.locs.reverse();
    let mut origins = walk.origins.unwrap_or_default();
    origins.reverse();
    func.insts = walk.rows.into();
    func.loc = walk.locs.into();
    (func.operands, func.blocks, func.slots) = (walk.operands, walk.blocks, walk.slots);
    let mut written = walk.written;
    func.saved = PRegSet::EMPTY;
    while written != 0 {
        func.saved.insert(walk.ranks.reg(written));
        written &= written - 1;
    }
    func.saved.0 &= machine.callee_saved.0;
    Ok((walk.stats, origins.into()))
}

impl Walk<'_> {
    // ---- What has to be known beforehand --------------------------------------------------------------------

    /// Finds the values that cross blocks, rows without inputs, registers that results come in, and ways to phis.
    fn survey(&mut self, preds: &[Block]) {
        // Per value: the last block that was seen to name it.
        let mut seen: Column<VReg, u32> = Column::filled(self.values.len(), NONE);
        for b in self.blocks.keys() {
            let block = self.blocks[b];
            let here = b.index() as u32;
            for i in block.first.index()..block.end.index() {
                let row = self.given[Inst::new(i)];
                if row.op == PHI {
                    self.survey_phi(b, row, i == block.first.index(), preds);
                    continue;
                }
                let first = row.first as usize;
                let count = usize::from(row.defs) + usize::from(row.uses);
                for operand in &self.operands[first..first + count] {
                    let Some(v) = operand.as_virt() else { continue };
                    let last = &mut seen[v];
                    if *last != here {
                        if *last != NONE {
                            self.values[v].kind |= CROSSING;
                        }
                        *last = here;
                    }
                }
                let flags = self.machine.row(row.op).flags;
                if flags & (REMAT | CALL) != 0 || row.op == ENTRY {
                    for k in first..first + usize::from(row.defs) {
                        let operand = self.operands[k];
                        let Some(v) = operand.as_virt() else { continue };
                        if flags & REMAT != 0 {
                            self.values[v].kind |= AGAIN;
                            self.values[v].place = i as u32;
                        } else if let Some(reg) = operand.constraint() {
                            self.values[v].comes_in = self.ranks.rank[usize::from(reg.0) & 63];
                        }
                    }
                }
            }
        }
    }

    fn survey_phi(&mut self, b: Block, row: InstRow, is_first: bool, preds: &[Block]) {
        if self.edges.is_empty() {
            self.edges = Column::filled(self.blocks.len(), 0);
            self.heads =
                self.blocks.iter().map(|(_, row)| row.first.index() as u32).collect::<Vec<_>>().into();
        }
        let block = self.blocks[b];
        let preds = &preds[block.first_pred as usize..(block.first_pred + block.pred_count) as usize];
        if is_first {
            preds.iter().enumerate().for_each(|(k, &p)| self.edges[p] = k as u32);
        }
        let first = row.first as usize;
        let count = usize::from(row.defs) + use_count(&row);
        for v in self.operands[first..first + count].iter().filter_map(|o| o.as_virt()) {
            self.values[v].kind |= CROSSING;
        }
    }

    // ---- Registers and slots --------------------------------------------------------------------------------

    #[inline(always)]
    fn hold(&mut self, v: VReg, bit: u64) {
        self.values[v].home = bit;
        self.held[bit.trailing_zeros() as usize & 63] = v;
        self.free &= !bit;
    }

    #[inline(always)]
    fn let_go(&mut self, v: VReg) {
        self.free |= self.values[v].home & self.ranks.given;
        self.values[v].home = 0;
    }

    /// A register for the row at hand. Whatever is in it is loaded again behind the row.
    #[inline(always)]
    fn take(&mut self, v: VReg) -> Result<u64, AllocError> {
        let value = &self.values[v];
        let open = self.free & !self.locked & ranks(value.class);
        if value.comes_in != ANY && open >> (value.comes_in & 63) & 1 != 0 {
            return Ok(1 << (value.comes_in & 63));
        }
        if open == 0 { self.take_held(value.class) } else { Ok(open & open.wrapping_neg()) }
    }

    #[cold]
    fn take_held(&mut self, class: Class) -> Result<u64, AllocError> {
        let open = self.ranks.given & !self.locked & ranks(class);
        if open == 0 {
            return Err(AllocError::TooFewRegisters);
        }
        let bit = open & open.wrapping_neg();
        self.evict(bit)?;
        Ok(bit)
    }

    fn evict(&mut self, bit: u64) -> Result<(), AllocError> {
        let v = self.held[bit.trailing_zeros() as usize & 63];
        self.load(v, self.ranks.reg(bit))?;
        self.let_go(v);
        Ok(())
    }

    fn slot(&mut self, v: VReg) -> Slot {
        let value = self.values[v];
        if value.kind & STORED != 0 {
            return Slot::new(value.place as usize);
        }
        let bytes = u32::from(value.bytes);
        let shared =
            if value.kind & CROSSING != 0 { None } else { self.free_slots[usize::from(bytes > 4)].pop() };
        let slot = shared.unwrap_or_else(|| self.slots.push(spill_slot(bytes)));
        self.stats.spilled += 1;
        self.values[v].kind |= STORED;
        self.values[v].place = slot.index() as u32;
        slot
    }

    /// True if the value must be stored to a slot where it is defined.
    #[inline(always)]
    fn is_stored(&self, v: VReg) -> bool {
        let kind = self.values[v].kind;
        kind & AGAIN == 0 && kind != 0
    }

    /// The slot that the value is stored to where it is defined, by the row at hand.
    #[cold]
    fn slot_to_fill(&mut self, v: VReg, from: PReg) {
        let slot = self.slot(v);
        self.stores.push((slot, v, from));
    }

    /// True if nothing behind this point wants the value.
    #[inline(always)]
    fn is_unwanted(&self, v: VReg) -> bool {
        self.values[v].home == 0 && !self.is_stored(v)
    }

    // ---- Rows, last first -----------------------------------------------------------------------------------

    #[inline(always)]
    fn put(&mut self, row: InstRow, origin: Opt<Inst>) {
        self.rows.push(row);
        self.locs.push(self.loc);
        if let Some(origins) = &mut self.origins {
            origins.push(origin);
        }
    }

    /// Puts a row of our own.
    fn put_own(&mut self, op: MachineOp, def: Option<PReg>, used: Operand, base: Option<Operand>, sym: u32) {
        let first = self.operands.len() as u32;
        self.operands.extend(def.map(Operand::phys));
        self.operands.push(used);
        self.operands.extend(base);
        let (defs, uses) = (u8::from(def.is_some()), 1 + u8::from(base.is_some()));
        if let Some(to) = def {
            self.written |= self.ranks.bit(to);
        }
        self.put(InstRow { op, defs, uses, first, imm: 0, sym }, Opt::NONE);
    }

    fn put_move(&mut self, to: PReg, from: PReg, bytes: u32) {
        let op = (self.machine.move_op)(to.class(), bytes);
        self.stats.moves += 1;
        self.put_own(op, Some(to), Operand::phys(from), None, 0);
    }

    fn put_store(&mut self, to: Slot, from: PReg, bytes: u32) {
        let op = (self.machine.spill_op)(from.class(), bytes);
        self.stats.spills += 1;
        self.put_own(op, None, Operand::phys(from), Some(Operand::FRAME), to.index() as u32);
    }

    fn put_load(&mut self, to: PReg, from: Slot, bytes: u32) {
        let op = (self.machine.reload_op)(to.class(), bytes);
        self.stats.reloads += 1;
        self.put_own(op, Some(to), Operand::FRAME, None, from.index() as u32);
    }

    /// Does again a row without inputs, but for the base of the frame.
    fn put_again(&mut self, i: Inst, reg: PReg) -> Result<(), AllocError> {
        let row = self.given[i];
        let base = self.operands[row.first as usize + 1..][..usize::from(row.uses)].first().copied();
        if row.defs != 1 || row.uses > 1 || base.is_some_and(|base| base.as_virt().is_some()) {
            return Err(AllocError::Internal("a row to be done again has inputs"));
        }
        let first = self.operands.len() as u32;
        self.operands.push(Operand::phys(reg));
        self.operands.extend(base);
        self.stats.remats += 1;
        self.written |= self.ranks.bit(reg);
        self.put(InstRow { first, ..row }, Opt::some(i));
        Ok(())
    }

    /// Puts a value in a register, from its slot or from nothing.
    fn load(&mut self, v: VReg, reg: PReg) -> Result<(), AllocError> {
        let value = self.values[v];
        if value.kind & AGAIN != 0 {
            return self.put_again(Inst::new(value.place as usize), reg);
        }
        let slot = self.slot(v);
        self.put_load(reg, slot, u32::from(value.bytes));
        Ok(())
    }

    /// Puts the stores of the row's results. Slots of values that live in one block are then free for values that live before.
    #[inline(always)]
    fn put_stores(&mut self) {
        if !self.stores.is_empty() {
            self.put_all_stores();
        }
    }

    #[cold]
    fn put_all_stores(&mut self) {
        for k in 0..self.stores.len() {
            let (slot, v, from) = self.stores[k];
            self.put_store(slot, from, u32::from(self.values[v].bytes));
        }
        self.release();
    }

    fn release(&mut self) {
        while let Some((slot, v, _)) = self.stores.pop() {
            let value = &self.values[v];
            if value.kind & CROSSING == 0 {
                self.free_slots[usize::from(value.bytes > 4)].push(slot);
            }
        }
    }

    /// Puts the transfers collected so far, which happen at once.
    fn put_transfers(&mut self) -> Result<(), AllocError> {
        let Walk { machine, slots, spare, .. } = self;
        let spare_slot = || {
            let slot = spare.get().unwrap_or_else(|| slots.push(spill_slot(8)));
            *spare = Opt::some(slot);
            slot
        };
        self.sequencer.run(machine, &self.transfers, spare_slot, &mut self.steps);
        self.transfers.clear();
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Move { to, from, bytes, .. } => self.put_move(to, from, bytes),
                Step::Store { to, from, bytes, .. } => self.put_store(to, from, bytes),
                Step::Load { to, from, bytes, .. } => self.put_load(to, from, bytes),
                Step::Again { to, row } => self.put_again(row, to)?,
            }
        }
        Ok(())
    }

    // ---- The walk -------------------------------------------------------------------------------------------

    #[inline(always)]
    fn row(&mut self, b: Block, i: Inst) -> Result<(), AllocError> {
        let row = self.given[i];
        self.loc = self.given_loc[i];
        let flags = self.machine.row(row.op).flags;
        if flags & (CALL | RETURN | MOVE | TIED | EARLY_DEF | JUMP) == 0 && row.defs < 2 && row.op > ENTRY {
            return self.plain_row(i, row, flags);
        }
        self.special_row(b, i, row, flags)
    }

    /// Calls and the like; copies; whatever is not plain.
    fn special_row(&mut self, b: Block, i: Inst, row: InstRow, flags: u16) -> Result<(), AllocError> {
        if row.op == PHI {
            return Ok(());
        }
        if row.op == ENTRY || flags & (CALL | RETURN) != 0 {
            return self.fixed_row(i, row, flags);
        }
        if flags & MOVE != 0 && (row.defs, row.uses) == (1, 1) {
            let first = row.first as usize;
            if let (Some(d), Some(s)) = (self.operands[first].as_virt(), self.operands[first + 1].as_virt()) {
                return self.copy(row, d, s);
            }
        }
        if flags & JUMP != 0 {
            self.put(row, Opt::some(i));
            return self.phis(b);
        }
        self.odd_row(i, row, flags)
    }

    /// The rows that most are: one result or none, and nothing in particular.
    #[inline(always)]
    fn plain_row(&mut self, i: Inst, row: InstRow, flags: u16) -> Result<(), AllocError> {
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        let end = first_use + usize::from(row.uses);
        self.locked = 0;
        for operand in &self.operands[first_use..end] {
            if let Some(v) = operand.as_virt() {
                self.locked |= self.values[v].home;
            }
        }
        if row.defs != 0
            && let Some(v) = self.operands[first].as_virt()
        {
            let mut bit = self.values[v].home;
            if bit == 0 {
                if flags & REMAT != 0 {
                    return Ok(());
                }
                bit = self.take(v)?;
            } else {
                self.let_go(v);
            }
            self.written |= bit;
            let reg = self.ranks.reg(bit);
            self.operands[first] = Operand::phys(reg);
            if self.is_stored(v) {
                self.slot_to_fill(v, reg);
            }
        }
        // The result is written when all inputs have been read.
        self.place_uses(first_use, end)?;
        self.put_stores();
        self.put(row, Opt::some(i));
        Ok(())
    }

    /// Gives the uses of the row at hand registers; those that are in one are locked.
    #[inline(always)]
    fn place_uses(&mut self, first_use: usize, end: usize) -> Result<(), AllocError> {
        for k in first_use..end {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let mut bit = self.values[v].home;
            if bit == 0 {
                bit = self.take(v)?;
                self.hold(v, bit);
                self.locked |= bit;
            }
            self.operands[k] = Operand::phys(self.ranks.reg(bit));
        }
        Ok(())
    }

    /// Any row whose operands may be in any registers, with ties and early results.
    fn odd_row(&mut self, i: Inst, row: InstRow, flags: u16) -> Result<(), AllocError> {
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        let end = first_use + usize::from(row.uses);
        let homes = self.operands[first..end].iter().filter_map(|o| o.as_virt()).map(|v| self.values[v].home);
        self.locked = homes.fold(0, |set, home| set | home);
        let mut defined = 0;
        for k in first..first_use {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let bit = match self.values[v].home {
                0 => self.take(v)?,
                home => home,
            };
            self.let_go(v);
            self.locked |= bit;
            defined |= bit;
            let reg = self.ranks.reg(bit);
            self.operands[k] = Operand::phys(reg);
            if self.is_stored(v) {
                self.slot_to_fill(v, reg);
            }
        }
        self.written |= defined;
        let mut before = None;
        if flags & TIED != 0
            && let (Some(d), Some(u)) = (self.operands[first].as_phys(), self.operands[first_use].as_virt())
        {
            match self.values[u].home {
                0 => self.hold(u, self.ranks.bit(d)),
                home if home == self.ranks.bit(d) => {}
                home => before = Some((d, self.ranks.reg(home), u32::from(self.values[u].bytes))),
            }
            self.operands[first_use] = Operand::phys(d);
        }
        // Results are written when all inputs have been read, unless the row says otherwise; the register of a tied one
        // is taken either way.
        if flags & (EARLY_DEF | TIED) == 0 {
            self.locked &= !defined;
        }
        self.place_uses(first_use, end)?;
        self.put_stores();
        self.put(row, Opt::some(i));
        if let Some((to, from, bytes)) = before {
            self.put_move(to, from, bytes);
        }
        Ok(())
    }

    /// A copy: if its source is in no register yet, it gets the one of its destination.
    fn copy(&mut self, row: InstRow, d: VReg, s: VReg) -> Result<(), AllocError> {
        if self.is_unwanted(d) {
            return Ok(());
        }
        self.locked = self.values[s].home;
        let to = match self.values[d].home {
            0 => self.take(d)?,
            home => home,
        };
        self.let_go(d);
        let reg = self.ranks.reg(to);
        if self.is_stored(d) {
            self.slot_to_fill(d, reg);
        }
        self.put_stores();
        match self.values[s].home {
            0 => self.hold(s, to),
            at => {
                let first = row.first as usize;
                self.operands[first] = Operand::phys(reg);
                self.operands[first + 1] = Operand::phys(self.ranks.reg(at));
                self.written |= to;
                self.stats.moves += 1;
                // The row itself, which may be of another kind than the allocator's own moves.
                self.put(row, Opt::NONE);
            }
        }
        Ok(())
    }

    /// `ENTRY`, calls and returns: operands are where the convention wants them.
    fn fixed_row(&mut self, i: Inst, row: InstRow, flags: u16) -> Result<(), AllocError> {
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        let end = first_use + usize::from(row.uses);
        for k in first..first_use {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let reg =
                self.operands[k].constraint().ok_or(AllocError::Internal("a result without register"))?;
            self.operands[k] = Operand::phys(reg);
            let Value { home, class, bytes, .. } = self.values[v];
            if home != 0 {
                let to = self.ranks.reg(home);
                if to != reg {
                    let (to, from, bytes) = (Place::Reg(to), Place::Reg(reg), u32::from(bytes));
                    self.transfers.push(Transfer { to, from, class, from_bytes: bytes, to_bytes: bytes });
                }
                self.let_go(v);
            }
            if self.is_stored(v) {
                self.slot_to_fill(v, reg);
            }
        }
        if flags & CALL != 0 {
            let mut destroyed = self.ranks.given & !self.free & self.destroyed;
            while destroyed != 0 {
                let bit = destroyed & destroyed.wrapping_neg();
                destroyed &= !bit;
                self.evict(bit)?;
            }
        }
        // Moves between registers come behind the stores: they may write what a store reads.
        if !self.transfers.is_empty() {
            self.put_transfers()?;
        }
        self.put_stores();
        self.put(row, Opt::some(i));
        for k in first_use..end {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let reg =
                self.operands[k].constraint().ok_or(AllocError::Internal("an argument without register"))?;
            self.operands[k] = Operand::phys(reg);
            let bit = self.ranks.bit(reg);
            match self.values[v].home {
                0 => self.hold(v, bit),
                home if home == bit => {}
                home => self.put_move(reg, self.ranks.reg(home), u32::from(self.values[v].bytes)),
            }
        }
        Ok(())
    }

    /// Stores the operands of the successor's phis in the phis' slots.
    #[inline(always)]
    fn phis(&mut self, b: Block) -> Result<(), AllocError> {
        if self.edges.is_empty() { Ok(()) } else { self.put_phis(b) }
    }

    fn put_phis(&mut self, b: Block) -> Result<(), AllocError> {
        let Some(succ) = self.blocks[b].succs[0].get() else { return Ok(()) };
        let edge = self.edges[b] as usize;
        let mut k = self.heads[succ] as usize;
        while let Some(&row) = self.given.get(Inst::new(k)).filter(|row| row.op == PHI) {
            let first = row.first as usize;
            let (Some(d), Some(s)) =
                (self.operands[first].as_virt(), self.operands[first + 1 + edge].as_virt())
            else {
                return Err(AllocError::Internal("a phi of registers"));
            };
            let from = match self.values[s] {
                Value { kind, place, .. } if kind & AGAIN != 0 => Place::Again(Inst::new(place as usize)),
                _ => Place::Slot(self.slot(s)),
            };
            let to = Place::Slot(self.slot(d));
            let Value { class, bytes, .. } = self.values[d];
            let (from_bytes, to_bytes) = (u32::from(self.values[s].bytes), u32::from(bytes));
            self.transfers.push(Transfer { to, from, class, from_bytes, to_bytes });
            k += 1;
        }
        if self.transfers.is_empty() { Ok(()) } else { self.put_transfers() }
    }

    /// Loads what the block needs from others.
    fn head(&mut self, b: Block) -> Result<(), AllocError> {
        let mut held = self.ranks.given & !self.free;
        while held != 0 {
            let bit = held & held.wrapping_neg();
            held &= !bit;
            let v = self.held[bit.trailing_zeros() as usize & 63];
            if b.index() == 0 && self.values[v].kind & AGAIN == 0 {
                return Err(AllocError::Internal("a value is used and not defined"));
            }
            self.evict(bit)?;
        }
        Ok(())
    }
}

fn spill_slot(bytes: u32) -> SlotRow {
    SlotRow { kind: SlotKind::Spill, bytes, align: bytes, offset: 0 }
}
