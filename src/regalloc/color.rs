//! Gives every value that lives in a register its register: one walk over the blocks in dominance order.
//!
//! When a value is defined, all values live there have their registers already, and on SSA, with pressure within the
//! limits, one is free. Which one is taken is a vote: of the registers that fixed operands want, of the values that copies and
//! phis connect it with, each vote weighing its block's frequency; without votes the target's order decides, callee-saved
//! registers last. Values that live across calls may only have callee-saved registers. That subset can be full of
//! others when such a value comes along; then the cheapest of those that stand in the way is spilled, the walk goes on as
//! if it had been so all along, and the caller inserts its stand-ins and colours again.
//!
//! Registers are numbered by *rank* here, their place in the order of preference, and a set of them is a word: the best of a set
//! is its lowest bit. O(rows + live-in lists + copies). (Hack, Grund and Goos 2006; Braun and Hack 2009 for affinities.)

use super::choose::spill;
use super::flow::Flow;
use super::homes::Homes;
use super::liveness::Liveness;
use super::ranks::{NOWHERE, Ranks, bit};
use super::weights::Scale;
use super::window::Window;
use super::wishes::{Want, Wishes};
use super::{AllocError, Limits};
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI, TIED};
use crate::mir::{Block, Func, InstRow, Machine, Operand, PReg, PRegSet, VReg};

/// Instead of a rank: the value's home is memory.
const IN_MEMORY: u8 = NOWHERE + 1;

/// Registers of values.
pub(super) struct Coloring {
    /// Per value, and for nobody: its register's rank, 64 or more for none.
    pub(super) rank: Column<VReg, u8>,
    ranks: Ranks,
}

impl Coloring {
    /// Operands for ranks; `FRAME` for those that are none.
    pub(super) fn names(&self) -> [Operand; 256] {
        let mut names = [Operand::FRAME; 256];
        for (rank, name) in (0..NOWHERE).zip(&mut names) {
            *name = Operand::phys(self.ranks.reg(rank));
        }
        names
    }

    /// The register of a value.
    #[inline(always)]
    pub(super) fn of(&self, v: VReg) -> Option<PReg> {
        let rank = self.rank[v];
        (rank < NOWHERE).then(|| self.ranks.reg(rank))
    }
}

struct Walk<'a> {
    func: &'a Func,
    machine: &'a Machine,
    live: &'a Liveness,
    flow: &'a Flow,
    scale: Option<&'a Scale>,
    homes: &'a mut Homes,
    wishes: Wishes,
    out: Coloring,
    /// Ranks that hold live values, and by rank the value; ranks that were given to anyone.
    busy: u64,
    holder: [VReg; 64],
    used: u64,
    /// Ranks that survive calls, and those that a value may have: by class, and whether it lives across a call.
    kept: u64,
    allowed: [[u64; 2]; 2],
    /// Votes by rank: all 0 between two counts.
    votes: [u64; 64],
    spilled: usize,
}

/// Colours; the number of values that had to be spilled, if any, and then the colouring is no good. Without a scale nothing can be
/// spilled, and it is an error if something would have to.
#[allow(clippy::too_many_arguments)]
pub(super) fn color(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    live: &Liveness,
    scale: Option<&Scale>,
    limits: &Limits,
    homes: &mut Homes,
) -> Result<(Coloring, usize), AllocError> {
    let ranks = Ranks::of(machine);
    let set = |regs: PRegSet| regs.iter().fold(0, |set, reg| set | bit(ranks.rank(reg)));
    let kept = set(machine.callee_saved);
    let allowed = limits.registers.map(|regs| [set(regs), set(regs) & kept]);
    let mut walk = Walk {
        func,
        machine,
        live,
        flow,
        scale,
        wishes: Wishes::of(func, machine, live, homes),
        out: Coloring { rank: homes.column(NOWHERE, IN_MEMORY), ranks },
        homes,
        busy: 0,
        holder: [VReg::new(0); 64],
        used: 0,
        kept,
        allowed,
        votes: [0; 64],
        spilled: 0,
    };
    for &b in &flow.order.blocks {
        walk.block(b)?;
    }
    Ok((walk.out, walk.spilled))
}

impl Walk<'_> {
    fn block(&mut self, b: Block) -> Result<(), AllocError> {
        let func = self.func;
        self.busy = 0;
        for &v in self.live.live_in(b) {
            let rank = self.out.rank[v];
            if rank < NOWHERE {
                self.busy |= bit(rank);
                self.holder[usize::from(rank)] = v;
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
        let live = self.live;
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
        // What is not there is nobody, who has no register to free.
        let Some(&[first, second, third]) = self.live.last[first as usize..].first_chunk::<3>() else {
            return Ok(());
        };
        let freed = |v: VReg, last: bool| {
            let rank = self.out.rank[v];
            u64::from(last & (rank < NOWHERE)) << (rank & 63)
        };
        self.busy &= !(freed(x, first & !defines) | freed(y, second) | freed(z, third));
        if defines {
            self.define(x, 0)?;
            if first {
                self.end(x);
            }
        }
        Ok(())
    }

    /// Phis whose operands have registers come first, so that others do not take those. They are written together, so
    /// those that nobody reads hold their registers until all are.
    fn phis(&mut self, phis: &[InstRow]) -> Result<(), AllocError> {
        let func = self.func;
        for v in phis.iter().filter_map(|row| func.operands[row.first as usize].as_virt()) {
            let free = self.free(v);
            let ranks = &self.out.rank;
            let joins = self.wishes.each(v).any(|wish| match wish.want {
                Want::Same(other) => ranks[other] < NOWHERE && free & bit(ranks[other]) != 0,
                Want::Fixed(_) => false,
            });
            if joins
                && self.out.rank[v] == NOWHERE
                && let Some(rank) = self.wanted(v, free)
            {
                self.take(v, rank);
            }
        }
        for v in phis.iter().filter_map(|row| func.operands[row.first as usize].as_virt()) {
            self.define(v, 0)?;
        }
        phis.iter().for_each(|row| self.end_last(row.first as usize..row.first as usize + 1));
        Ok(())
    }

    /// Does a row of any shape, but for phis.
    #[inline(never)]
    fn row(&mut self, row: &InstRow) -> Result<(), AllocError> {
        let func = self.func;
        let flags = self.machine.row(row.op).flags;
        let first_use = row.first as usize + usize::from(row.defs);
        let (defs, uses) = (row.first as usize..first_use, first_use..first_use + usize::from(row.uses));
        if flags & EARLY_DEF == 0 {
            self.end_last(uses.clone());
        }
        let mut spare = 0;
        // A tied definition is copied to before the row where the registers differ, so it must spare the other uses.
        if flags & TIED != 0 {
            let mut uses = func.operands[uses.clone()].iter().map(|&use_| self.bit_of(use_));
            let tied = uses.next().unwrap_or(0);
            spare = uses.fold(0, |set, bit| set | bit) & !tied;
        }
        for (k, def) in func.operands[defs.clone()].iter().enumerate() {
            if let Some(v) = def.as_virt() {
                self.define(v, if k == 0 { spare } else { 0 })?;
            }
        }
        if flags & EARLY_DEF != 0 {
            self.end_last(uses);
        }
        self.end_last(defs);
        Ok(())
    }

    /// The set of an operand's rank, if it has one.
    fn bit_of(&self, operand: Operand) -> u64 {
        let rank = operand.as_virt().map_or(NOWHERE, |v| self.out.rank[v]);
        if rank < NOWHERE { bit(rank) } else { 0 }
    }

    /// Frees the registers of those of the operands that are the last ones of their values.
    fn end_last(&mut self, operands: std::ops::Range<usize>) {
        for (operand, &last) in self.func.operands[operands.clone()].iter().zip(&self.live.last[operands]) {
            if last && let Some(v) = operand.as_virt() {
                self.end(v);
            }
        }
    }

    fn end(&mut self, v: VReg) {
        self.busy &= !self.bit_of(Operand::virt(v));
    }

    /// The registers that a value may be given now.
    #[inline(always)]
    fn free(&self, v: VReg) -> u64 {
        self.allowed(v) & !self.busy
    }

    /// The registers that a value may be in at all.
    #[inline(always)]
    fn allowed(&self, v: VReg) -> u64 {
        self.allowed[self.func.vregs[v].class as usize][usize::from(self.live.crosses[v])]
    }

    #[inline(always)]
    fn take(&mut self, v: VReg, rank: u8) {
        self.out.rank[v] = rank;
        self.used |= bit(rank);
        self.busy |= bit(rank);
        self.holder[usize::from(rank & 63)] = v;
    }

    /// Gives a value that is defined its register, if it is to have one and has none; but none of `spare`.
    #[inline(always)]
    fn define(&mut self, v: VReg, spare: u64) -> Result<(), AllocError> {
        if self.out.rank[v] != NOWHERE {
            return Ok(());
        }
        let free = self.free(v) & !spare;
        if free == 0 {
            return self.displace(v, spare);
        }
        let wanted = if self.wishes.any(v) { self.wanted(v, free) } else { None };
        // A callee-saved register that is not in use yet has to be saved.
        let cheap = free & (self.used | !self.kept);
        let first = if cheap != 0 { cheap } else { free }.trailing_zeros() as u8;
        self.take(v, wanted.unwrap_or(first));
        Ok(())
    }

    /// Spills the cheapest of those that are where `v` might be, or `v` itself.
    #[cold]
    fn displace(&mut self, v: VReg, spare: u64) -> Result<(), AllocError> {
        let scale = self.scale.ok_or(AllocError::TooFewRegisters)?;
        let weights = scale.get(self.func, self.machine, self.flow, self.live, self.homes);
        let taken = PRegSet(self.allowed(v) & !spare);
        let rivals = taken.iter().map(|rank| self.holder[usize::from(rank.0)]).chain([v]);
        let victim = rivals
            .filter(|&r| !self.homes.pinned.contains(r))
            .min_by_key(|&r| (weights.of(r), r))
            .ok_or(AllocError::TooFewRegisters)?;
        spill(self.func, self.machine, weights, self.homes, victim);
        self.spilled += 1;
        if victim != v {
            let rank = std::mem::replace(&mut self.out.rank[victim], NOWHERE);
            self.take(v, rank);
        }
        Ok(())
    }

    /// The free register that gets most votes, if any gets one.
    #[inline(never)]
    fn wanted(&mut self, v: VReg, free: u64) -> Option<u8> {
        // Votes for any callee-saved register, from values that will need one.
        let (mut voted, mut kept) = (0u64, 0);
        for wish in self.wishes.each(v) {
            let (rank, weight) = match wish.want {
                Want::Fixed(reg) => (self.out.ranks.rank(reg), wish.weight),
                Want::Same(other) if self.out.rank[other] < NOWHERE => (self.out.rank[other], wish.weight),
                // Not coloured yet: what it will ask for is worth something too.
                Want::Same(other) if self.live.crosses[other] => {
                    kept += wish.weight;
                    continue;
                }
                Want::Same(other) => match self.wishes.fixed(other) {
                    Some((reg, weight)) => (self.out.ranks.rank(reg), weight.min(wish.weight) / 2),
                    None => continue,
                },
            };
            if free & bit(rank) != 0 {
                self.votes[usize::from(rank & 63)] += weight;
                voted |= bit(rank);
            }
        }
        let mut best = (0, kept);
        for rank in PRegSet(voted).iter().map(|rank| rank.0) {
            let votes = std::mem::take(&mut self.votes[usize::from(rank & 63)]);
            if votes > best.1 {
                best = (bit(rank), votes);
            }
        }
        let saved = if kept > 0 { free & self.kept } else { 0 };
        let sets = [best.0, saved & self.used, saved];
        sets.into_iter().find(|&set| set != 0).map(|set| set.trailing_zeros() as u8)
    }
}
