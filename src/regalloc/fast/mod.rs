//! Allocation for -O0: one backward walk over each block, no liveness, no rounds.
//!
//! A value that is used in another block than its own, or by a phi (`VRegRow::crosses`), lives in a slot: it is stored where it
//! is defined and loaded where a block uses it. Within a block, registers are given at the last use, which the walk meets first, and
//! come free at the definition. If none is free, or a call destroys it, the value that is there is loaded again behind the row at
//! hand, and stored where it is defined; a phi's operand that has no inputs is computed again instead. Slots of values that live in
//! one block are shared. Arguments are given the registers that the call wants, at once; what a call returns, and a parameter,
//! stays where it comes if nothing else is there at its last use.
//!
//! Registers are numbered by *rank* here, their place in the order of preference (32 ranks a class), and a set of them is a
//! word; so the best free register is the lowest bit. Rows stay where they are; rows that come in between are noted, last first
//! (`edits`). Most rows are of a few kinds (`Machine::kinds`), with a straight path each: one jump a row decides what is done.
//! O(rows), and a byte a value. A last use is found for nothing because the walk is backwards (the idea
//! is that of Cranelift's `fastalloc`); the checker proves the results as it does for the other allocator.

mod edits;
mod phis;
mod put;
mod value;

use super::moves::{Place, Sequencer, Step, Transfer};
use super::ranks::{Ranks, bit, each};
use super::rewrite::Origins;
use super::{AllocError, Stats};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, EARLY_DEF, ENTRY, JUMP, Kind, MOVE, PHI, REMAT, RETURN, SPECIAL, TIED};
use crate::mir::func::{BlockRow, SlotRow};
use crate::mir::{Block, Func, InstRow, Machine, OpRow, Operand, PReg, Slot, VReg};
use edits::Edits;
use value::{HELD, Home, Values};

struct Walk<'a> {
    machine: &'a Machine,
    ops: &'a [OpRow],
    kinds: &'a [Kind],
    ranks: Ranks,
    /// Ranks that a call destroys.
    destroyed: u64,
    /// The function as given, but for operands, which are replaced where they stand, and jumps.
    given: Vec<InstRow>,
    given_loc: &'a [u32],
    operands: Vec<Operand>,
    blocks: Column<Block, BlockRow>,
    slots: Column<Slot, SlotRow>,
    values: Values,
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
    edits: Edits,
    /// True if somebody wants to know the rows' places in the source, and which given rows they are.
    notes: bool,
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
    let given = std::mem::take(&mut func.insts).into_vec();
    let mut given_loc = std::mem::take(&mut func.loc);
    let notes = origins || func.places;
    given_loc.grow_to(if notes { given.len() } else { 0 }, u32::MAX);
    let ranks = Ranks::of(machine);
    let mut walk = Walk {
        machine,
        ops: machine.ops,
        kinds: machine.kinds,
        destroyed: machine.caller_saved.iter().fold(0, |set, reg| set | bit(ranks.rank(reg))),
        stats: Stats { rounds: 1, work: given.len(), ..Stats::default() },
        given,
        given_loc: given_loc.as_slice(),
        operands: std::mem::take(&mut func.operands),
        blocks: std::mem::take(&mut func.blocks),
        slots: std::mem::take(&mut func.slots),
        values: Values::new(std::mem::take(&mut func.vregs)),
        held: [VReg::new(0); 64],
        free: ranks.given,
        written: 0,
        ranks,
        heads: Column::new(),
        edges: Column::new(),
        free_slots: Default::default(),
        stores: Vec::new(),
        edits: Edits::default(),
        notes,
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        steps: Vec::new(),
        spare: Opt::NONE,
    };
    for b in walk.blocks.keys() {
        walk.survey_phis(b, &func.preds);
    }
    for b in walk.blocks.keys().rev() {
        walk.block(b)?;
        walk.head(b)?;
        walk.edits.end_block();
    }
    let Walk { given, mut blocks, edits, notes, .. } = walk;
    let (locs, origins) = if notes { edits.notes(given.len(), walk.given_loc) } else { Default::default() };
    let rows = edits.apply(&given, &mut blocks, std::mem::take(&mut func.spare));
    let written = each(walk.written).fold(0, |set, rank| set | 1 << walk.ranks.reg(rank).0);
    func.saved.0 = written & machine.callee_saved.0;
    (func.insts, func.loc, func.spare) = (rows.into(), locs.into(), given);
    (func.operands, func.blocks, func.slots, func.vregs) =
        (walk.operands, blocks, walk.slots, walk.values.rows);
    Ok((walk.stats, origins))
}

/// What `Walk::plain` did.
enum Done {
    /// All there is to do.
    All,
    /// Nothing: nobody uses the result.
    Unused,
    /// Some operands have registers; the result's, if it is here, goes to a slot.
    Some(Option<(VReg, PReg)>),
}

impl Walk<'_> {
    /// Does the rows of a block, last first.
    fn block(&mut self, b: Block) -> Result<(), AllocError> {
        let (first, end) = (self.blocks[b].first.index(), self.blocks[b].end.index());
        for k in (first..end).rev() {
            let row = &self.given[k];
            let at = row.first as usize;
            let done = match self.kinds.get(usize::from(row.op.0)).copied().unwrap_or(SPECIAL) {
                0 => Done::All,
                1 => self.plain::<0, 1>(at),
                2 => self.plain::<0, 2>(at),
                3 => self.plain::<0, 3>(at),
                4 => self.plain::<1, 0>(at),
                5 => self.plain::<1, 1>(at),
                6 => self.plain::<1, 2>(at),
                7 => self.plain::<1, 3>(at),
                _ => {
                    self.note_row(k);
                    self.special_row(b, k)?;
                    continue;
                }
            };
            match done {
                Done::All => {}
                done => self.finish_row(b, k, done)?,
            }
        }
        Ok(())
    }

    /// What is put in now stands behind row `k`, and on its behalf.
    fn note_row(&mut self, k: usize) {
        self.edits.at = k + 1;
        self.edits.loc = self.given_loc.get(k).copied().unwrap_or(u32::MAX);
    }

    /// Gives the operands of a row registers. Most find all they want.
    #[inline(always)]
    fn plain<const DEFS: usize, const USES: usize>(&mut self, first: usize) -> Done {
        let Walk { operands, values, free, ranks, held, written, .. } = self;
        let operands = &mut operands[first..first + DEFS + USES];
        let (defs, uses) = operands.split_at_mut(DEFS);
        let mut store = None;
        for def in defs {
            let Some(v) = def.as_virt() else { continue };
            let Some(rank) = values.rank(v) else { return Done::Unused };
            *free |= bit(rank) & ranks.given;
            *written |= bit(rank);
            *def = ranks.operand(rank);
            if values.may_be_stored(v) {
                store = Some((v, ranks.reg(rank)));
            }
            values.let_go(v);
        }
        // The result is written when all inputs have been read, so they may be in its register.
        for operand in uses {
            let Some(v) = operand.as_virt() else { continue };
            let rank = match values.rank(v) {
                Some(rank) => rank,
                None => {
                    let Some(rank) = values.choose(v, *free, ranks) else { return Done::Some(store) };
                    values.bytes[v] |= HELD | rank;
                    held[usize::from(rank & 63)] = v;
                    *free &= !bit(rank);
                    rank
                }
            };
            *operand = ranks.operand(rank);
        }
        if store.is_some() { Done::Some(store) } else { Done::All }
    }

    /// What is left to do for a row that needs more registers than are free, or whose result goes to a slot or is not used.
    #[cold]
    fn finish_row(&mut self, b: Block, k: usize, done: Done) -> Result<(), AllocError> {
        self.note_row(k);
        let Done::Some(store) = done else {
            let row = &self.given[k];
            let def = self.operands[row.first as usize].as_virt();
            let is_stored = def.is_some_and(|v| self.values.is_stored(v));
            if self.ops[usize::from(row.op.0)].flags & REMAT == 0 || is_stored {
                return self.special_row(b, k);
            }
            self.edits.remove(k);
            return Ok(());
        };
        if let Some((v, reg)) = store
            && self.values.is_stored(v)
        {
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
            (Some(v), _) => self.values.rank(v).map_or(0, bit),
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
            let rank = match self.values.rank(v) {
                Some(rank) => rank,
                None => {
                    let rank = self.take(v, locked)?;
                    self.hold(v, rank);
                    locked |= bit(rank);
                    rank
                }
            };
            self.operands[k] = self.ranks.operand(rank);
        }
        Ok(())
    }

    /// Calls and the like; copies; whatever is not plain.
    fn special_row(&mut self, b: Block, k: usize) -> Result<(), AllocError> {
        let row = &self.given[k];
        let flags = self.ops[usize::from(row.op.0)].flags;
        if row.op == PHI {
            self.edits.remove(k);
            return Ok(());
        }
        if row.op == ENTRY || flags & (CALL | RETURN) != 0 {
            return self.fixed_row(k, flags);
        }
        if flags & JUMP != 0 {
            // See `Func::is_kept`.
            let loc = self.given_loc.get(k).filter(|_| !self.notes);
            self.given[k].imm = loc.map_or(row.imm, |&loc| i32::from(loc != u32::MAX));
            self.edits.at = k;
            return if self.edges.is_empty() { Ok(()) } else { self.phis(b, k) };
        }
        if flags & MOVE != 0 && (row.defs, row.uses) == (1, 1) {
            let first = row.first as usize;
            if let (Some(d), Some(s)) = (self.operands[first].as_virt(), self.operands[first + 1].as_virt()) {
                return self.copy(k, d, s);
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
            let rank = match self.values.rank(v) {
                Some(rank) => rank,
                None => self.take(v, locked)?,
            };
            self.let_go(v);
            locked |= bit(rank);
            defined |= bit(rank);
            let reg = self.ranks.reg(rank);
            self.operands[k] = Operand::phys(reg);
            if self.values.is_stored(v) {
                self.note_store(v, reg);
            }
        }
        self.written |= defined;
        let mut before = None;
        if flags & TIED != 0
            && let (Some(d), Some(u)) = (self.operands[first].as_phys(), self.operands[first_use].as_virt())
        {
            let rank = self.ranks.rank(d);
            match self.values.rank(u) {
                None => self.hold(u, rank),
                Some(home) if home == rank => {}
                Some(home) => before = Some((d, self.ranks.reg(home), self.values.size(u))),
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
        self.edits.at = k;
        if let Some((to, from, bytes)) = before {
            self.put_move(to, from, bytes);
        }
        Ok(())
    }

    /// A copy: if its source is in no register yet, it gets the one of its destination.
    fn copy(&mut self, k: usize, d: VReg, s: VReg) -> Result<(), AllocError> {
        let (to, from) = (self.values.rank(d), self.values.rank(s));
        if to.is_none() && !self.values.is_stored(d) {
            self.edits.remove(k);
            return Ok(());
        }
        let to = match to {
            Some(to) => to,
            None => self.take(d, from.map_or(0, bit))?,
        };
        self.let_go(d);
        let reg = self.ranks.reg(to);
        if self.values.is_stored(d) {
            self.note_store(d, reg);
            self.put_stores();
        }
        if let Some(from) = from {
            let row = self.given[k];
            let first = row.first as usize;
            self.operands[first] = Operand::phys(reg);
            self.operands[first + 1] = self.ranks.operand(from);
            self.written |= bit(to);
            self.stats.moves += 1;
            // The row itself, which may be of another kind than the allocator's own moves; but it is one of them.
            self.put(row, Opt::NONE);
        } else {
            self.hold(s, to);
        }
        self.edits.remove(k);
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
            if let Some(rank) = self.values.rank(v) {
                let to = self.ranks.reg(rank);
                if to != reg {
                    let (to, from) = (Place::Reg(to), Place::Reg(reg));
                    let (bytes, class) = (self.values.size(v), self.values.class(v));
                    self.transfers.push(Transfer { to, from, class, from_bytes: bytes, to_bytes: bytes });
                }
                self.let_go(v);
            }
            if self.values.is_stored(v) {
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
        self.edits.at = k;
        for k in first_use..first_use + usize::from(row.uses) {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let reg =
                self.operands[k].constraint().ok_or(AllocError::Internal("an argument without register"))?;
            self.operands[k] = Operand::phys(reg);
            let rank = self.ranks.rank(reg);
            match self.values.rank(v) {
                None => self.hold(v, rank),
                Some(home) if home == rank => {}
                Some(home) => self.put_move(reg, self.ranks.reg(home), self.values.size(v)),
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
        self.edits.at = self.blocks[b].first.index();
        for rank in each(held) {
            let v = self.held[usize::from(rank & 63)];
            let is_again = matches!(self.values.place(v), Home::Again(_));
            if b.index() == 0 && !is_again {
                return Err(AllocError::Internal("a value is used and not defined"));
            }
            if !is_again && !self.values.crosses(v) {
                return Err(AllocError::Internal("a value crosses blocks and is not noted to"));
            }
            self.evict(rank)?;
        }
        Ok(())
    }
}
