//! Allocation for -O0: one backward walk over each block, no liveness, no rounds.
//!
//! A value that is used in another block than its own, or by a phi (`VRegRow::crosses`), lives in a slot: it is stored where it
//! is defined and loaded where a block uses it. Within a block, registers are given at the last use, which the walk meets first, and
//! come free at the definition. If none is free, or a call destroys it, the value that is there is loaded again behind the row at
//! hand, and stored where it is defined; a phi's operand that has no inputs is computed again instead. Slots of values that live in
//! one block are shared. Arguments are given the registers that the call wants, at once; what a call returns, and a parameter,
//! stays where it comes if nothing else is there at its last use.
//!
//! Registers are numbered by *rank* here, so the best free register of a set is its lowest bit. Rows are appended last first, and turned round once at the end.
//! O(rows), and 8 bytes a value. A last use is found for nothing because the walk is backwards (the idea
//! is that of Cranelift's `fastalloc`); the checker proves the results as it does for the other allocator.

mod phis;
mod put;
mod value;

use super::moves::{Place, Sequencer, Step, Transfer};
use super::ranks::{NOWHERE, Ranks, bit, each};
use super::rewrite::Origins;
use super::{AllocError, Stats};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, EARLY_DEF, ENTRY, JUMP, MOVE, PHI, REMAT, RETURN, TIED};
use crate::mir::func::{BlockRow, SlotRow};
use crate::mir::{Block, Func, Inst, InstRow, Machine, OpRow, Operand, PReg, Slot, VReg};
use value::{AGAIN, CROSSING, Value};

struct Walk<'a> {
    machine: &'a Machine,
    ops: &'a [OpRow],
    ranks: Ranks,
    /// Ranks that a call destroys.
    destroyed: u64,
    /// The function as given, but for operands, which are replaced where they stand.
    given: &'a [InstRow],
    given_loc: &'a [u32],
    operands: Vec<Operand>,
    blocks: Column<Block, BlockRow>,
    slots: Column<Slot, SlotRow>,
    values: Column<VReg, Value>,
    /// Per rank that is not free: the value in it.
    held: [VReg; 64],
    /// Ranks that may be given and hold nothing, and ranks that some row writes.
    free: u64,
    written: u64,
    /// Per block, its first row as given, and if it jumps to phis: which operand of them is its own. Empty without phis.
    heads: Column<Block, u32>,
    edges: Column<Block, u32>,
    /// Slots of 4 and of 8 bytes that are free again.
    free_slots: [Vec<Slot>; 2],
    /// Results of the row at hand that go to slots: to which, whose, from where.
    stores: Vec<(Slot, VReg, PReg)>,
    /// All rows, last first.
    rows: Vec<InstRow>,
    /// True if somebody wants the next columns: per row, its place in the source, and which given row it is.
    notes: bool,
    locs: Vec<u32>,
    origins: Vec<Opt<Inst>>,
    /// The place of the row at hand.
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
    let given = std::mem::take(&mut func.insts);
    let notes = origins || func.places;
    let mut given_loc = std::mem::take(&mut func.loc);
    given_loc.grow_to(if notes { given.len() } else { 0 }, u32::MAX);
    let mut rows = std::mem::take(&mut func.spare);
    rows.clear();
    rows.reserve(given.len() + given.len() / 8);
    let ranks = Ranks::of(machine);
    let mut walk = Walk {
        machine,
        ops: machine.ops,
        destroyed: machine.caller_saved.iter().fold(0, |set, reg| set | bit(ranks.rank(reg))),
        given: given.as_slice(),
        given_loc: given_loc.as_slice(),
        operands: std::mem::take(&mut func.operands),
        blocks: std::mem::take(&mut func.blocks),
        slots: std::mem::take(&mut func.slots),
        values: func.vregs.as_slice().iter().map(|row| Value::of(row, &ranks)).collect::<Vec<_>>().into(),
        held: [VReg::new(0); 64],
        free: ranks.given,
        written: 0,
        ranks,
        heads: Column::new(),
        edges: Column::new(),
        free_slots: Default::default(),
        stores: Vec::new(),
        rows,
        notes,
        locs: Vec::new(),
        origins: Vec::new(),
        loc: u32::MAX,
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        steps: Vec::new(),
        spare: Opt::NONE,
        stats: Stats { rounds: 1, work: given.len(), ..Stats::default() },
    };
    for b in walk.blocks.keys() {
        walk.survey_phis(b, &func.preds);
    }
    for b in walk.blocks.keys().rev() {
        let row = walk.blocks[b];
        let behind = walk.rows.len();
        let (first, end) = (row.first.index(), row.end.index());
        if walk.notes {
            walk.block::<true>(b, first, end)?;
        } else {
            walk.block::<false>(b, first, end)?;
        }
        walk.head(b)?;
        // Counted from the end, for now.
        (walk.blocks[b].first, walk.blocks[b].end) = (Inst::new(walk.rows.len()), Inst::new(behind));
    }
    let total = walk.rows.len();
    for row in walk.blocks.as_mut_slice() {
        row.first = Inst::new(total - row.first.index());
        row.end = Inst::new(total - row.end.index());
    }
    walk.rows.reverse();
    walk.locs.reverse();
    walk.origins.reverse();
    let written = each(walk.written).fold(0, |set, rank| set | 1 << walk.ranks.reg(rank).0);
    func.saved.0 = written & machine.callee_saved.0;
    (func.insts, func.loc) = (walk.rows.into(), walk.locs.into());
    (func.operands, func.blocks, func.slots) = (walk.operands, walk.blocks, walk.slots);
    let results = (walk.stats, walk.origins.into());
    func.spare = given.into_vec();
    Ok(results)
}

/// What `Walk::row` did.
enum Done {
    /// All there is to do but to put the row.
    Row,
    /// The row goes.
    Nothing,
    /// Some operands have registers; the result's, if it is here, goes to a slot.
    Registers(Option<(VReg, PReg)>),
    /// The row is not plain, and as it was.
    No,
}

impl Walk<'_> {
    /// Does the rows of a block, last first.
    fn block<const NOTES: bool>(&mut self, b: Block, first: usize, end: usize) -> Result<(), AllocError> {
        for (k, row) in self.given[first..end].iter().enumerate().rev() {
            let k = first + k;
            if NOTES {
                self.loc = self.given_loc[k];
            }
            match self.row(row) {
                Done::Row => {}
                Done::Nothing => continue,
                Done::Registers(store) => self.finish_row(k, store)?,
                Done::No => {
                    self.special_row(b, k)?;
                    continue;
                }
            }
            self.rows.push(*row);
            if NOTES {
                self.locs.push(self.loc);
                self.origins.push(Opt::some(Inst::new(k)));
            }
        }
        Ok(())
    }

    /// Gives a row's operands registers, if it has one result or none, and nothing in particular. Most have, and find all
    /// registers they want.
    #[inline(always)]
    fn row(&mut self, row: &InstRow) -> Done {
        let flags = self.ops[usize::from(row.op.0)].flags;
        if flags & (CALL | RETURN | MOVE | TIED | EARLY_DEF | JUMP) != 0 || row.defs > 1 || row.op <= ENTRY {
            return Done::No;
        }
        let Walk { operands, values, free, ranks, held, .. } = self;
        let first = row.first as usize;
        let operands = &mut operands[first..first + usize::from(row.defs) + usize::from(row.uses)];
        let (defs, uses) = operands.split_at_mut(usize::from(row.defs));
        let mut store = None;
        if let Some(def) = defs.first_mut()
            && let Some(v) = def.as_virt()
        {
            let value = &mut values[v];
            let home = value.home;
            if home == NOWHERE {
                return if flags & REMAT != 0 && !value.is_stored() { Done::Nothing } else { Done::No };
            }
            value.home = NOWHERE;
            *free |= bit(home) & ranks.given;
            self.written |= bit(home);
            let reg = ranks.reg(home);
            *def = Operand::phys(reg);
            if value.is_stored() {
                store = Some((v, reg));
            }
        }
        // The result is written when all inputs have been read, so they may be in its register.
        let mut is_done = true;
        for operand in uses {
            let Some(v) = operand.as_virt() else { continue };
            let value = &mut values[v];
            if value.home == NOWHERE {
                let Some(rank) = value.choose(*free) else {
                    is_done = false;
                    break;
                };
                value.home = rank;
                held[usize::from(rank & 63)] = v;
                *free &= !bit(rank);
            }
            *operand = Operand::phys(ranks.reg(value.home));
        }
        if store.is_some() || !is_done { Done::Registers(store) } else { Done::Row }
    }

    /// What is left to do for a row that needs more registers than are free, or whose result goes to a slot.
    #[cold]
    fn finish_row(&mut self, k: usize, store: Option<(VReg, PReg)>) -> Result<(), AllocError> {
        if let Some((v, reg)) = store {
            self.note_store(v, reg);
        }
        let locked = self.homes(k);
        self.place_uses(k, locked)?;
        self.put_stores();
        Ok(())
    }

    /// The registers that a row's operands are in.
    fn homes(&self, k: usize) -> u64 {
        let row = &self.given[k];
        let first = row.first as usize;
        let operands = &self.operands[first..first + usize::from(row.defs) + usize::from(row.uses)];
        let home = |operand: &Operand| match (operand.as_virt(), operand.as_phys()) {
            (Some(v), _) if self.values[v].home != NOWHERE => bit(self.values[v].home),
            (_, Some(reg)) => bit(self.ranks.rank(reg)),
            _ => 0,
        };
        operands.iter().fold(0, |set, operand| set | home(operand))
    }

    /// Gives the uses of a row registers, none of the locked ones to those that are in none yet.
    fn place_uses(&mut self, k: usize, mut locked: u64) -> Result<(), AllocError> {
        let row = &self.given[k];
        let first = row.first as usize + usize::from(row.defs);
        for k in first..first + usize::from(row.uses) {
            let Some(v) = self.operands[k].as_virt() else { continue };
            if self.values[v].home == NOWHERE {
                let rank = self.take(v, locked)?;
                self.hold(v, rank);
                locked |= bit(rank);
            }
            self.operands[k] = Operand::phys(self.ranks.reg(self.values[v].home));
        }
        Ok(())
    }

    /// Calls and the like; copies; whatever is not plain.
    fn special_row(&mut self, b: Block, k: usize) -> Result<(), AllocError> {
        let row = &self.given[k];
        let flags = self.ops[usize::from(row.op.0)].flags;
        if row.op == PHI {
            return Ok(());
        }
        if row.op == ENTRY || flags & (CALL | RETURN) != 0 {
            return self.fixed_row(k, flags);
        }
        if flags & JUMP != 0 {
            // See `Func::is_kept`.
            let loc = self.given_loc.get(k).filter(|_| !self.notes);
            let imm = loc.map_or(row.imm, |&loc| i32::from(loc != u32::MAX));
            self.put(InstRow { imm, ..*row }, Opt::some(Inst::new(k)));
            return if self.edges.is_empty() { Ok(()) } else { self.phis(b, k) };
        }
        if flags & MOVE != 0 && (row.defs, row.uses) == (1, 1) {
            let first = row.first as usize;
            if let (Some(d), Some(s)) = (self.operands[first].as_virt(), self.operands[first + 1].as_virt()) {
                return self.copy(row, d, s);
            }
        }
        self.odd_row(k, flags)
    }

    /// Any row whose operands may be in any registers, with ties and early results.
    fn odd_row(&mut self, k: usize, flags: u16) -> Result<(), AllocError> {
        let row = self.given[k];
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        let mut locked = self.homes(k);
        let mut defined = 0;
        for k in first..first_use {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let rank = match self.values[v].home {
                NOWHERE => self.take(v, locked)?,
                home => home,
            };
            self.let_go(v);
            locked |= bit(rank);
            defined |= bit(rank);
            let reg = self.ranks.reg(rank);
            self.operands[k] = Operand::phys(reg);
            if self.values[v].is_stored() {
                self.note_store(v, reg);
            }
        }
        self.written |= defined;
        let mut before = None;
        if flags & TIED != 0
            && let (Some(d), Some(u)) = (self.operands[first].as_phys(), self.operands[first_use].as_virt())
        {
            let rank = self.ranks.rank(d);
            match self.values[u].home {
                NOWHERE => self.hold(u, rank),
                home if home == rank => {}
                home => before = Some((d, self.ranks.reg(home), self.values[u].bytes())),
            }
            self.operands[first_use] = Operand::phys(d);
        }
        // Results are written when all inputs have been read, unless the row says otherwise; the register of a tied one
        // is taken either way.
        if flags & (EARLY_DEF | TIED) == 0 {
            locked &= !defined;
        }
        self.place_uses(k, locked)?;
        self.put_stores();
        self.put(row, Opt::some(Inst::new(k)));
        if let Some((to, from, bytes)) = before {
            self.put_move(to, from, bytes);
        }
        Ok(())
    }

    /// A copy: if its source is in no register yet, it gets the one of its destination.
    fn copy(&mut self, row: &InstRow, d: VReg, s: VReg) -> Result<(), AllocError> {
        let (to, from) = (self.values[d].home, self.values[s].home);
        if to == NOWHERE && !self.values[d].is_stored() {
            return Ok(());
        }
        let locked = if from == NOWHERE { 0 } else { bit(from) };
        let to = if to == NOWHERE { self.take(d, locked)? } else { to };
        self.let_go(d);
        let reg = self.ranks.reg(to);
        if self.values[d].is_stored() {
            self.note_store(d, reg);
            self.put_stores();
        }
        if from == NOWHERE {
            self.hold(s, to);
            return Ok(());
        }
        let first = row.first as usize;
        self.operands[first] = Operand::phys(reg);
        self.operands[first + 1] = Operand::phys(self.ranks.reg(from));
        self.written |= bit(to);
        self.stats.moves += 1;
        // The row itself, which may be of another kind than the allocator's own moves.
        self.put(*row, Opt::NONE);
        Ok(())
    }

    /// `ENTRY`, calls and returns: operands are where the convention wants them.
    fn fixed_row(&mut self, k: usize, flags: u16) -> Result<(), AllocError> {
        let row = self.given[k];
        let first = row.first as usize;
        let first_use = first + usize::from(row.defs);
        for k in first..first_use {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let reg =
                self.operands[k].constraint().ok_or(AllocError::Internal("a result without register"))?;
            self.operands[k] = Operand::phys(reg);
            let value = self.values[v];
            if value.home != NOWHERE {
                let to = self.ranks.reg(value.home);
                if to != reg {
                    let (to, from) = (Place::Reg(to), Place::Reg(reg));
                    let (from_bytes, to_bytes) = (value.bytes(), value.bytes());
                    self.transfers.push(Transfer { to, from, class: value.class, from_bytes, to_bytes });
                }
                self.let_go(v);
            }
            if value.is_stored() {
                self.note_store(v, reg);
            }
        }
        if flags & CALL != 0 {
            for rank in each(self.ranks.given & !self.free & self.destroyed) {
                self.evict(rank)?;
            }
        }
        // Moves between registers come behind the stores: they may write what a store reads.
        if !self.transfers.is_empty() {
            self.put_transfers()?;
        }
        self.put_stores();
        self.put(row, Opt::some(Inst::new(k)));
        for k in first_use..first_use + usize::from(row.uses) {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let reg =
                self.operands[k].constraint().ok_or(AllocError::Internal("an argument without register"))?;
            self.operands[k] = Operand::phys(reg);
            let rank = self.ranks.rank(reg);
            match self.values[v].home {
                NOWHERE => self.hold(v, rank),
                home if home == rank => {}
                home => self.put_move(reg, self.ranks.reg(home), self.values[v].bytes()),
            }
        }
        Ok(())
    }

    /// Loads what the block needs from others.
    #[inline(always)]
    fn head(&mut self, b: Block) -> Result<(), AllocError> {
        let held = self.ranks.given & !self.free;
        if held == 0 { Ok(()) } else { self.load_all(b, held) }
    }

    #[cold]
    fn load_all(&mut self, b: Block, held: u64) -> Result<(), AllocError> {
        for rank in each(held) {
            let v = self.held[usize::from(rank & 63)];
            if b.index() == 0 && self.values[v].kind & AGAIN == 0 {
                return Err(AllocError::Internal("a value is used and not defined"));
            }
            if self.values[v].kind & (AGAIN | CROSSING) == 0 {
                return Err(AllocError::Internal("a value crosses blocks and is not noted to"));
            }
            self.evict(rank)?;
        }
        Ok(())
    }
}
