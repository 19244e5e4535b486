//! Allocation for -O0: one backward walk over each block, no liveness, no rounds.
//!
//! A value that is used in another block than its own, or by a phi (`VRegRow::crosses`), has a slot of its own:
//! it is stored where it is defined and loaded where a block uses it, if one does. Within a block, registers are
//! given at the last use, which the walk meets first, and come free at the definition. If none is free, or a call
//! destroys it, the value that is there is loaded again behind the row at hand, and stored where it is defined; a
//! phi's operand that has no inputs is computed again instead. Slots of values that live in one block are
//! shared. Arguments are given the registers that the call wants, at once; what a call returns, and a
//! parameter, stays where it comes if nothing else is there at its last use.
//!
//! A block that nothing but the one before it goes to finds its values in registers: the walk goes on with what
//! is held, as if the two were one. Operands of phis are given registers at the end of a block, and stored from
//! there where the phi is. Both together save a tenth of the rows of bodies with variables in SSA, and 7% of the
//! instructions that making code of them takes (`benches/cranelift`).
//!
//! Registers are numbered by *rank* here, their place in the order of preference (`ranks`). Rows stay where
//! they are; rows that come in between are noted, last first (`edits`). Most rows are of a few kinds
//! (`Machine::kinds`), with a straight path each: one jump a row decides what is done. O(rows), and a byte a
//! value. A last use is found for nothing because the walk is backwards (the idea is that of Cranelift's
//! `fastalloc`); the checker proves the results as it does for the other allocator.

mod edits;
mod phis;
mod put;
mod value;

use super::moves::{Place, Sequencer, Spares, Step, Transfer};
use super::ranks::{NOWHERE, Ranks, Set, fit_in_a_word};
use super::slots::SIZES;
use super::{AllocError, Stats, identity};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{
    CALL, EARLY_DEF, ENTRY, JUMP, Kind, MOVE, PHI, REMAT, RETURN, SPECIAL, TABLE, TIED, ties,
};
use crate::mir::func::{BlockRow, SlotRow};
use crate::mir::rewrite::Origins;
use crate::mir::{Block, Class, Func, InstRow, Machine, OpRow, Operand, PReg, Slot, VReg};
use edits::Edits;
use value::{Home, Values};

/// The most operands of a branch.
const OF_A_BRANCH: usize = 2;

/// Registers that hold values.
struct Busy<const W: usize> {
    units: Set<W>,
    /// In two words: the registers; in one, they are the units.
    ranks: Set<W>,
}

impl<const W: usize> Busy<W> {
    #[inline(always)]
    fn add(&mut self, ranks: &Ranks<W>, rank: u8) {
        self.units = self.units.or(ranks.units(rank));
        if W > 1 {
            self.ranks = self.ranks.or(Set::bit(rank));
        }
    }

    #[inline(always)]
    fn remove(&mut self, ranks: &Ranks<W>, rank: u8) {
        self.units = self.units.minus(ranks.units(rank));
        if W > 1 {
            self.ranks = self.ranks.minus(Set::bit(rank));
        }
    }

    fn ranks(&self) -> Set<W> {
        if W == 1 { self.units } else { self.ranks }
    }
}

struct Walk<'a, const W: usize> {
    machine: &'a Machine,
    ops: &'a [OpRow],
    kinds: &'a [Kind],
    ranks: Ranks<'a, W>,
    /// The function as given, but for operands, which are replaced where they stand, and jumps.
    given: Vec<InstRow>,
    given_loc: &'a [u32],
    operands: Vec<Operand>,
    blocks: Column<Block, BlockRow>,
    slots: Column<Slot, SlotRow>,
    values: Values,
    /// Per rank that holds something: the value in it.
    held: [VReg; NOWHERE as usize],
    busy: Busy<W>,
    /// Per rank: true if some row writes it.
    written: [bool; NOWHERE as usize],
    /// Per block, its first row as given, and if it jumps to phis: which operand of them is its own. Empty
    /// without phis.
    heads: Column<Block, u32>,
    edges: Column<Block, u32>,
    /// As in the function (`BlockRow::first_pred`).
    preds: Vec<Block>,
    /// How many values may stay in registers from one block to the next: in any class, enough are left for a branch.
    kept: usize,
    /// Per size: slots that are free again.
    free_slots: [Vec<Slot>; SIZES],
    /// True if slots are not shared (`Func::returns_twice`).
    alone: bool,
    /// Results of the row at hand that go to slots: to which, whose, from where.
    stores: Vec<(Slot, VReg, PReg)>,
    edits: Edits,
    /// True if the rows' places in the source are asked for, and which given rows they are.
    notes: bool,
    sequencer: Sequencer,
    transfers: Vec<Transfer>,
    steps: Vec<Step>,
    spares: Spares,
    stats: Stats,
}

/// Allocates; the second result says which row of the given function each row is, if that is wanted.
pub(super) fn allocate(
    func: &mut Func,
    machine: &Machine,
    origins: bool,
) -> Result<(Stats, Origins), AllocError> {
    let fits = fit_in_a_word(func, machine);
    if fits { walk::<1>(func, machine, origins) } else { walk::<2>(func, machine, origins) }
}

fn walk<const W: usize>(
    func: &mut Func,
    machine: &Machine,
    origins: bool,
) -> Result<(Stats, Origins), AllocError> {
    let given = std::mem::take(&mut func.insts).into_vec();
    let mut given_loc = std::mem::take(&mut func.loc);
    let (notes, rows) = (origins || func.places, given.len());
    given_loc.grow_to(if notes { given.len() } else { 0 }, u32::MAX);
    let mut walk = Walk {
        machine,
        ops: machine.ops,
        kinds: machine.kinds,
        stats: Stats { rounds: 1, work: given.len(), ..Stats::default() },
        given,
        given_loc: given_loc.as_slice(),
        operands: std::mem::take(&mut func.operands),
        blocks: std::mem::take(&mut func.blocks),
        slots: std::mem::take(&mut func.slots),
        values: Values::new(std::mem::take(&mut func.vregs)),
        held: [VReg::new(0); NOWHERE as usize],
        busy: Busy { units: Set::EMPTY, ranks: Set::EMPTY },
        written: [false; NOWHERE as usize],
        ranks: Ranks::<W>::of(func, machine),
        heads: Column::new(),
        edges: Column::new(),
        kept: 0,
        preds: std::mem::take(&mut func.preds),
        free_slots: Default::default(),
        alone: func.returns_twice,
        stores: Vec::new(),
        edits: Edits::with_room(rows / 4),
        notes,
        sequencer: Sequencer::default(),
        transfers: Vec::new(),
        steps: Vec::new(),
        spares: Spares::default(),
    };
    let classes =
        (0..machine.classes_of(func).len()).map(|class| walk.ranks.given(Class(class as u8)).count());
    walk.kept = classes.min().unwrap_or(0).saturating_sub(OF_A_BRANCH);
    let mut in_order = true;
    for b in walk.blocks.keys() {
        in_order &= walk.survey(b);
    }
    if !in_order {
        walk.place_all();
    }
    for b in walk.blocks.keys().rev() {
        walk.block(b)?;
        walk.head(b)?;
        walk.edits.end_block();
    }
    let Walk { given, operands, blocks, slots, values, edits, written, stats, preds, .. } = walk;
    func.preds = preds;
    (func.insts, func.operands, func.blocks) = (given.into(), operands, blocks);
    (func.slots, func.vregs) = (slots, values.rows);
    func.saved = machine.to_be_saved(|rank| written[usize::from(rank & 127)]);
    let mut origins = identity(if notes { func.insts.len() } else { 0 });
    func.loc = if notes { given_loc } else { Column::new() };
    edits.apply(func, &mut origins);
    Ok((stats, origins))
}

/// What `Walk::plain` did.
enum Done {
    /// All there is to do.
    All,
    /// Nothing: the result has no use.
    Unused,
    /// Some operands have registers; the result's, if it is here, goes to a slot.
    Some(Option<(VReg, PReg)>),
}

impl<const W: usize> Walk<'_, W> {
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
        let Walk { operands, values, busy, ranks, held, written, .. } = self;
        let operands = &mut operands[first..first + DEFS + USES];
        let (defs, uses) = operands.split_at_mut(DEFS);
        let mut store = None;
        for def in defs {
            let Some(v) = def.as_virt() else { continue };
            let Some(rank) = values.rank(v) else { return Done::Unused };
            busy.remove(ranks, rank);
            written[usize::from(rank & 127)] = true;
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
                    let Some(rank) = values.choose(v, busy.units, ranks) else { return Done::Some(store) };
                    values.hold_first(v, rank);
                    held[usize::from(rank & 127)] = v;
                    busy.add(ranks, rank);
                    rank
                }
            };
            *operand = ranks.operand(rank);
        }
        if store.is_some() { Done::Some(store) } else { Done::All }
    }

    /// What is left to do for a row that needs more registers than are free, or whose result goes to a slot
    /// or is not used.
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

    /// The units that a row's operands are in.
    fn homes(&self, k: usize) -> Set<W> {
        let row = &self.given[k];
        let first = row.first as usize;
        let operands = &self.operands[first..first + usize::from(row.defs) + usize::from(row.uses)];
        let home = |operand: &Operand| match (operand.as_virt(), operand.as_phys()) {
            (Some(v), _) => self.values.rank(v).map_or(Set::EMPTY, |rank| self.ranks.units(rank)),
            (_, Some(reg)) => self.ranks.units(self.ranks.rank(reg)),
            _ => Set::EMPTY,
        };
        operands.iter().fold(Set::EMPTY, |set, operand| set.or(home(operand)))
    }

    /// Gives the uses of a row registers, none of the locked ones to those that are in none yet.
    fn place_uses(&mut self, k: usize, mut locked: Set<W>) -> Result<(), AllocError> {
        let row = &self.given[k];
        let first = row.first as usize + usize::from(row.defs);
        for k in first..first + usize::from(row.uses) {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let rank = match self.values.rank(v) {
                Some(rank) => rank,
                None => {
                    let rank = self.take(v, locked)?;
                    self.hold(v, rank);
                    locked = locked.or(self.ranks.units(rank));
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
        let mut defined = Set::EMPTY;
        for k in first..first_use {
            let Some(v) = self.operands[k].as_virt() else { continue };
            let rank = match self.values.rank(v) {
                Some(rank) => rank,
                None => self.take(v, locked)?,
            };
            self.let_go(v);
            locked = locked.or(self.ranks.units(rank));
            defined = defined.or(self.ranks.units(rank));
            let reg = self.ranks.reg(rank);
            self.note_written(reg);
            self.operands[k] = Operand::phys(reg);
            if self.values.is_stored(v) {
                self.note_store(v, reg);
            }
        }
        let mut before = [None; 2];
        for ((def, use_), before) in ties(flags, row.uses.into()).enumerate().zip(&mut before) {
            let (def, use_) = (first + def, first_use + use_);
            let (Some(d), Some(u)) = (self.operands[def].as_phys(), self.operands[use_].as_virt()) else {
                continue;
            };
            let rank = self.ranks.rank(d);
            match self.values.rank(u) {
                None => self.hold(u, rank),
                Some(home) if home == rank => {}
                Some(home) => *before = Some((d, self.ranks.reg(home), self.values.size(u))),
            }
            self.operands[use_] = Operand::phys(d);
        }
        // Results are written when all inputs have been read, unless the row says otherwise; the register of
        // a tied one is taken either way.
        if flags & (EARLY_DEF | TIED) == 0 {
            locked = locked.minus(defined);
        }
        self.place_uses(k, locked)?;
        self.put_stores();
        self.edits.at = k;
        for (to, from, bytes) in before.into_iter().flatten() {
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
            None => self.take(d, from.map_or(Set::EMPTY, |from| self.ranks.units(from)))?,
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
            self.note_written(reg);
            self.stats.moves += 1;
            // The row itself, which may be of another kind than the allocator's own moves; but it is one of
            // them.
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
            let held = self.busy.ranks();
            held.and(self.ranks.destroyed()).each().try_for_each(|rank| self.evict(rank))?;
            if self.machine.registers.is_partial {
                self.evict_partial()?;
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

    /// Loads behind a call what it preserves a part of.
    #[cold]
    fn evict_partial(&mut self) -> Result<(), AllocError> {
        for rank in self.busy.ranks().each() {
            let v = self.held[usize::from(rank & 127)];
            if self.values.size(v) > u32::from(self.machine.class(self.values.class(v)).kept_bytes) {
                self.evict(rank)?;
            }
        }
        Ok(())
    }

    /// True if the only way to a block is from the one that stands before it, whose last values may thus be where this
    /// block's first are.
    fn goes_on(&self, b: Block) -> bool {
        let row = &self.blocks[b];
        let from = self.preds.get(row.first_pred as usize).filter(|_| row.pred_count == 1);
        // The rows of a table stay alone in their blocks.
        let is_table = |from: Block| {
            let last = self.given.get(self.blocks[from].end.index().wrapping_sub(1));
            last.is_some_and(|row| self.ops[usize::from(row.op.0)].flags & TABLE != 0)
        };
        from.is_some_and(|&from| from.index() + 1 == b.index() && !is_table(from))
            && self.given.get(row.first.index()).is_none_or(|row| row.op != PHI)
    }

    /// Loads what the block needs from others.
    #[inline(always)]
    fn head(&mut self, b: Block) -> Result<(), AllocError> {
        let held = self.busy.ranks();
        if held.is_empty() { Ok(()) } else { self.load_all(b, held) }
    }

    #[cold]
    fn load_all(&mut self, b: Block, held: Set<W>) -> Result<(), AllocError> {
        let kept = if self.goes_on(b) { self.kept } else { 0 };
        self.edits.at = self.blocks[b].first.index();
        for rank in held.each().skip(kept) {
            let v = self.held[usize::from(rank & 127)];
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
