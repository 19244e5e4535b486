//! Gives every value that lives in a register its register: one walk over the blocks in dominance order.
//!
//! When a value is defined, all values live there have their registers already, and on SSA, with pressure
//! within the limits, one is free. Which one is taken is a vote: of the registers that fixed operands want,
//! of the values that copies and phis connect it with, each vote weighing its block's frequency; without
//! votes the target's order decides, callee-saved registers last. Values that live across calls may only have
//! callee-saved registers. That subset can be full of others when such a value comes along; then the cheapest
//! of those that stand in the way is spilled, the walk goes on as if it had been so all along, and the caller
//! inserts its stand-ins and colours again.
//!
//! Registers are numbered by *rank* here, their place in the order of preference, and a set of them is a
//! word: the best of a set is its lowest bit. O(rows + live-in lists + copies). (Hack, Grund and Goos 2006;
//! Braun and Hack 2009 for affinities.)

use super::choose::spill;
use super::homes::Homes;
use super::ranks::{NOWHERE, Ranks, Set, fit_in_a_word};
use super::weights::Scale;
use super::window::Window;
use super::wishes::{Want, Wishes};
use super::{AllocError, Cx, View};
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, IN_A_ROW, PHI, TIED, ties};
use crate::mir::{Block, InstRow, Operand, PReg, VReg};

/// Instead of a rank: the value's home is memory.
const IN_MEMORY: u8 = NOWHERE + 1;

/// Registers of values.
pub(super) struct Coloring {
    /// Per value, and for what is none: its register's rank, `NOWHERE` or more for none.
    pub(super) rank: Column<VReg, u8>,
    /// By rank: the operand; `FRAME` for what is none.
    pub(super) names: [Operand; 256],
}

impl Coloring {
    /// The register of a value.
    #[inline(always)]
    pub(super) fn of(&self, v: VReg) -> Option<PReg> {
        self.names[usize::from(self.rank[v])].as_phys()
    }
}

struct Walk<'a, const W: usize> {
    cx: View<'a>,
    scale: Option<&'a Scale>,
    homes: &'a mut Homes,
    wishes: Wishes,
    ranks: Ranks<'a, W>,
    /// Per value: its rank.
    rank: Column<VReg, u8>,
    /// Units of live values, and by unit the value; ranks that were given at all.
    busy: Set<W>,
    holder: [VReg; NOWHERE as usize],
    used: Set<W>,
    /// Ranks that survive calls.
    kept: Set<W>,
    /// Votes by rank: all 0 between two counts.
    votes: [u64; NOWHERE as usize],
    spilled: usize,
}

/// Colours; the number of values that had to be spilled, if any, and then the colouring is no good. Without a
/// scale nothing can be spilled, and it is an error if something would have to.
pub(super) fn color(cx: &mut Cx, scale: Option<&Scale>) -> Result<(Coloring, usize), AllocError> {
    if fit_in_a_word(cx.func, cx.machine) { walk::<1>(cx, scale) } else { walk::<2>(cx, scale) }
}

fn walk<const W: usize>(cx: &mut Cx, scale: Option<&Scale>) -> Result<(Coloring, usize), AllocError> {
    let (view, homes) = cx.split();
    let ranks = Ranks::<W>::of(view.func, view.machine);
    let mut walk = Walk {
        cx: view,
        scale,
        wishes: Wishes::of(view, homes),
        rank: homes.column(NOWHERE, IN_MEMORY),
        homes,
        busy: Set::EMPTY,
        holder: [VReg::new(0); NOWHERE as usize],
        used: Set::EMPTY,
        kept: ranks.kept(),
        ranks,
        votes: [0; NOWHERE as usize],
        spilled: 0,
    };
    if scale.is_none()
        && view.machine.registers.is_partial
        && view.func.vregs.keys().any(|v| view.is_lost_in_calls(v))
    {
        return Err(AllocError::TooFewRegisters);
    }
    let (mut coloured, mut result) = (0, Ok(()));
    for &b in &view.flow.order.blocks {
        result = walk.block(b);
        if result.is_err() {
            break;
        }
        coloured += 1;
    }
    let Walk { rank, ranks, spilled, .. } = walk;
    let mut names = [Operand::FRAME; 256];
    for (rank, name) in (0..view.machine.registers.ranks).zip(&mut names) {
        *name = ranks.operand(rank as u8);
    }
    cx.coloured = coloured;
    result.map(|()| (Coloring { rank, names }, spilled))
}

impl<const W: usize> Walk<'_, W> {
    fn block(&mut self, b: Block) -> Result<(), AllocError> {
        let View { func, live, .. } = self.cx;
        self.busy = Set::EMPTY;
        for &v in live.live_in(b) {
            let rank = self.rank[v];
            if rank < NOWHERE {
                self.occupy(v, rank);
            }
        }
        let block = &func.blocks[b];
        let (mut first, end) = (block.first.index(), block.end.index());
        let rows = &func.insts.as_slice()[first..end];
        if rows.first().is_some_and(|row| row.op == PHI) {
            let phis = rows.iter().take_while(|row| row.op == PHI).count();
            self.phis(&rows[..phis])?;
            first += phis;
        }
        for (k, window) in live.windows.as_slice()[first..end].iter().enumerate() {
            match window.is_usual(EARLY_DEF | TIED) {
                true => self.usual_row(window)?,
                false => self.row(&func.insts.as_slice()[first + k])?,
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn usual_row(&mut self, window: &Window) -> Result<(), AllocError> {
        let Window { first, defines, values: [x, y, z], .. } = *window;
        // What is no value has no register to free.
        let Some(&[first, second, third]) = self.cx.live.last[first as usize..].first_chunk::<3>() else {
            return Ok(());
        };
        let freed = |v: VReg, last: bool| self.units_if(self.rank[v], last);
        self.busy = self.busy.minus(freed(x, first & !defines).or(freed(y, second)).or(freed(z, third)));
        if defines {
            self.define(x, Set::EMPTY)?;
            if first {
                self.end(x);
            }
        }
        Ok(())
    }

    /// The units of a rank, if it is one and wanted.
    #[inline(always)]
    fn units_if(&self, rank: u8, wanted: bool) -> Set<W> {
        let is = wanted & (rank < NOWHERE);
        if W == 1 {
            Set::bit_if(rank, is)
        } else if is {
            self.ranks.units(rank)
        } else {
            Set::EMPTY
        }
    }

    /// Phis whose operands have registers come first, so that others do not take those. They are written
    /// together, so those without uses hold their registers until all are.
    fn phis(&mut self, phis: &[InstRow]) -> Result<(), AllocError> {
        let func = self.cx.func;
        for v in phis.iter().filter_map(|row| func.operands[row.first as usize].as_virt()) {
            let free = self.free(v);
            let rank = &self.rank;
            let joins = self.wishes.each(v).any(|wish| match wish.want {
                Want::Same(other) => rank[other] < NOWHERE && free.has(rank[other]),
                Want::Fixed(_) => false,
            });
            if joins
                && self.rank[v] == NOWHERE
                && let Some(rank) = self.wanted(v, free)
            {
                self.take(v, rank);
            }
        }
        for v in phis.iter().filter_map(|row| func.operands[row.first as usize].as_virt()) {
            self.define(v, Set::EMPTY)?;
        }
        phis.iter().for_each(|row| self.end_last(row.first as usize..row.first as usize + 1));
        Ok(())
    }

    /// Does a row of any shape, but for phis.
    #[inline(never)]
    fn row(&mut self, row: &InstRow) -> Result<(), AllocError> {
        let func = self.cx.func;
        let flags = self.cx.machine.row(row.op).flags;
        let first_use = row.first as usize + usize::from(row.defs);
        let (defs, uses) = (row.first as usize..first_use, first_use..first_use + usize::from(row.uses));
        if flags & EARLY_DEF == 0 {
            self.end_last(uses.clone());
        }
        // A tied definition is copied to before the row where the registers differ, so it must spare the
        // other uses.
        let mut spare = [Set::EMPTY; 2];
        for (k, spare) in ties(flags, uses.len()).zip(&mut spare) {
            let units = || func.operands[uses.clone()].iter().map(|&use_| self.units_of(use_));
            let tied = units().nth(k).unwrap_or(Set::EMPTY);
            *spare = units().fold(Set::EMPTY, Set::or).minus(tied);
        }
        if flags & IN_A_ROW != 0 {
            self.in_a_row(&func.operands[defs.clone()], &func.operands[uses.clone()]);
        }
        for (k, def) in func.operands[defs.clone()].iter().enumerate() {
            if let Some(v) = def.as_virt() {
                self.define(v, spare.get(k).copied().unwrap_or(Set::EMPTY))?;
            }
        }
        if flags & EARLY_DEF != 0 {
            self.end_last(uses);
        }
        self.end_last(defs);
        Ok(())
    }

    /// Gives those of some definitions that are of the class of the last one registers that follow one another, if there are
    /// such; as many as may be that of the use at the same place.
    fn in_a_row(&mut self, defs: &[Operand], uses: &[Operand]) {
        let class = |v: VReg| self.cx.func.vregs[v].class;
        let values = || defs.iter().filter_map(|def| def.as_virt());
        let Some(last) = values().next_back() else { return };
        let row: Vec<VReg> = values().filter(|&v| class(v) == class(last)).collect();
        if row.iter().any(|&v| self.rank[v] != NOWHERE) {
            return;
        }
        // A number that is no register has the rank of another one.
        let behind = |rank: u8, k: usize| {
            let reg = PReg(self.ranks.reg(rank).0 + k as u8);
            let rank = self.ranks.rank(reg);
            if rank < NOWHERE && self.ranks.reg(rank) == reg { rank } else { NOWHERE }
        };
        let free: Vec<Set<W>> = row.iter().map(|&v| self.free(v)).collect();
        let fits = |&first: &u8| {
            free.iter().enumerate().all(|(k, free)| {
                let rank = behind(first, k);
                rank < NOWHERE && free.has(rank)
            })
        };
        let price = |&first: &u8| {
            let is_new = (0..row.len()).any(|k| self.kept.minus(self.used).has(behind(first, k)));
            let is_there = |&(k, use_): &(usize, &Operand)| {
                k < row.len() && use_.as_virt().is_some_and(|v| self.rank[v] == behind(first, k))
            };
            (is_new, row.len() - uses.iter().enumerate().filter(is_there).count())
        };
        if let Some(first) = free[0].each().filter(fits).min_by_key(price) {
            for (k, &v) in row.iter().enumerate() {
                let rank = self.ranks.rank(PReg(self.ranks.reg(first).0 + k as u8));
                self.take(v, rank);
            }
        }
    }

    /// The units of an operand's register, if it has one.
    fn units_of(&self, operand: Operand) -> Set<W> {
        self.units_if(operand.as_virt().map_or(NOWHERE, |v| self.rank[v]), true)
    }

    /// Frees the registers of those of the operands that are the last ones of their values.
    fn end_last(&mut self, operands: std::ops::Range<usize>) {
        let View { func, live, .. } = self.cx;
        for (operand, &last) in func.operands[operands.clone()].iter().zip(&live.last[operands]) {
            if last && let Some(v) = operand.as_virt() {
                self.end(v);
            }
        }
    }

    fn end(&mut self, v: VReg) {
        self.busy = self.busy.minus(self.units_if(self.rank[v], true));
    }

    /// The registers that a value may be given now.
    #[inline(always)]
    fn free(&self, v: VReg) -> Set<W> {
        self.ranks.free(self.allowed(v), self.busy)
    }

    /// The registers that a value may be in at all.
    #[inline(always)]
    fn allowed(&self, v: VReg) -> Set<W> {
        let given = self.ranks.given(self.cx.func.vregs[v].class);
        if self.cx.live.crosses[v] { given.and(self.kept) } else { given }
    }

    #[inline(always)]
    fn take(&mut self, v: VReg, rank: u8) {
        self.rank[v] = rank;
        self.used = self.used.or(Set::bit(rank));
        self.occupy(v, rank);
    }

    /// Notes that a value is in a register now.
    #[inline(always)]
    fn occupy(&mut self, v: VReg, rank: u8) {
        self.busy = self.busy.or(self.ranks.units(rank));
        if W == 1 {
            self.holder[usize::from(rank & 127)] = v;
        } else {
            self.ranks.units(rank).each().for_each(|unit| self.holder[usize::from(unit & 127)] = v);
        }
    }

    /// Gives a value that is defined its register, if it is to have one and has none; but none with units of
    /// `spare`.
    #[inline(always)]
    fn define(&mut self, v: VReg, spare: Set<W>) -> Result<(), AllocError> {
        if self.rank[v] != NOWHERE {
            return Ok(());
        }
        let free = self.ranks.free(self.free(v), spare);
        // A callee-saved register that is not in use yet has to be saved.
        let cheap = free.minus(self.kept.minus(self.used));
        let Some(first) = cheap.first().or(free.first()) else { return self.displace(v, spare) };
        let wanted = if self.wishes.any(v) { self.wanted(v, free) } else { None };
        self.take(v, wanted.unwrap_or(first));
        Ok(())
    }

    /// Spills the cheapest of those that are where `v` might be, or `v` itself.
    #[cold]
    fn displace(&mut self, v: VReg, spare: Set<W>) -> Result<(), AllocError> {
        let scale = self.scale.ok_or(AllocError::TooFewRegisters)?;
        let weights = scale.get(self.cx, self.homes);
        // What it costs to clear a register, with one of the values there; the last is `v` itself.
        let taken = self.ranks.free(self.allowed(v), spare);
        let mut best = (!self.homes.pinned.contains(v)).then(|| (weights.of(v), v, NOWHERE));
        for rank in taken.each() {
            let mut price = None;
            for other in self.holders(rank) {
                if self.homes.pinned.contains(other) {
                    price = None;
                    break;
                }
                let (sum, _) = price.unwrap_or((0u64, other));
                price = Some((sum.saturating_add(weights.of(other)), other));
            }
            if let Some((price, other)) = price
                && best.is_none_or(|(least, r, _)| (price, other) < (least, r))
            {
                best = Some((price, other, rank));
            }
        }
        let (_, _, rank) = best.ok_or(AllocError::TooFewRegisters)?;
        let victims: Vec<VReg> = if rank == NOWHERE { vec![v] } else { self.holders(rank).collect() };
        for victim in victims {
            spill(self.cx.func, self.cx.machine, weights, self.homes, victim);
            self.spilled += 1;
            let rank = std::mem::replace(&mut self.rank[victim], NOWHERE);
            self.busy = self.busy.minus(self.units_if(rank, true));
        }
        if rank != NOWHERE {
            self.take(v, rank);
        }
        Ok(())
    }

    /// The values in a register and those that overlap it, each once.
    fn holders(&self, rank: u8) -> impl Iterator<Item = VReg> + '_ {
        let holders = self.ranks.units(rank).and(self.busy).each();
        let holders = holders.map(|unit| self.holder[usize::from(unit & 127)]);
        let mut last = None;
        holders.filter(move |&v| last.replace(v) != Some(v))
    }

    /// Of a value without register, the register of another one that wants the same: of a phi, what other
    /// ways bring to it.
    fn joined(&self, v: VReg, but: VReg) -> Option<(u8, u64)> {
        self.wishes.each(v).take(8).find_map(|wish| match wish.want {
            Want::Same(other) if other != but && self.rank[other] < NOWHERE => {
                Some((self.rank[other], wish.weight))
            }
            _ => None,
        })
    }

    /// The free register that gets most votes, if any gets one.
    #[inline(never)]
    fn wanted(&mut self, v: VReg, free: Set<W>) -> Option<u8> {
        // Votes for any callee-saved register, from values that will need one.
        let (mut voted, mut kept) = (Set::<W>::EMPTY, 0);
        for wish in self.wishes.each(v) {
            let (rank, weight) = match wish.want {
                Want::Fixed(reg) => (self.ranks.rank(reg), wish.weight),
                Want::Same(other) if self.rank[other] < NOWHERE => (self.rank[other], wish.weight),
                // Not coloured yet: what it will ask for is worth something too.
                Want::Same(other) if self.cx.live.crosses[other] => {
                    kept += wish.weight;
                    continue;
                }
                Want::Same(other) => match (self.wishes.fixed(other), self.joined(other, v)) {
                    (Some((reg, weight)), _) => (self.ranks.rank(reg), weight.min(wish.weight) / 2),
                    (None, Some((rank, weight))) => (rank, weight.min(wish.weight) / 2),
                    (None, None) => continue,
                },
            };
            if free.has(rank) {
                self.votes[usize::from(rank & 127)] += weight;
                voted = voted.or(Set::bit(rank));
            }
        }
        let mut best = (Set::EMPTY, kept);
        for rank in voted.each() {
            let votes = std::mem::take(&mut self.votes[usize::from(rank & 127)]);
            if votes > best.1 {
                best = (Set::bit(rank), votes);
            }
        }
        let saved = if kept > 0 { free.and(self.kept) } else { Set::EMPTY };
        [best.0, saved.and(self.used), saved].into_iter().find_map(Set::first)
    }
}
