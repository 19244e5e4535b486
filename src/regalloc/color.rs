//! Gives every value that lives in a register its register: one walk over the blocks in dominance order.
//!
//! When a value is defined, all values live there have their registers already, and on SSA, with pressure within the
//! limits, one is free. Which one is taken is a vote: of the registers that fixed operands want, of the values that copies and
//! phis connect it with, each vote weighing its block's frequency; without votes the target's order decides, callee-saved
//! registers last. Values that live across calls may only have callee-saved registers. That subset can be full of
//! others when such a value comes along; then the cheapest of those that stand in the way is spilled, the walk goes on as
//! if it had been so all along, and the caller inserts its stand-ins and colours again.
//! O(rows + live-in lists + copies). (Hack, Grund and Goos 2006; Braun and Hack 2009 for affinities.)

use super::choose::spill;
use super::flow::Flow;
use super::homes::{Home, Homes, is_copy};
use super::liveness::Liveness;
use super::{AllocError, Limits};
use crate::base::{Column, Handle};
use crate::mir::desc::{CALL, EARLY_DEF, ENTRY, PHI, RETURN, TIED};
use crate::mir::{Block, Class, Func, Inst, Machine, PReg, PRegSet, VReg};

/// `PReg` number for none.
const NONE: u8 = u8::MAX;

/// Registers of values.
#[derive(Debug)]
pub(super) struct Coloring {
    /// Per value: its register's number, `u8::MAX` for none.
    color: Column<VReg, u8>,
    /// All registers given out.
    pub(super) used: PRegSet,
}

impl Coloring {
    /// The register of a value.
    #[inline]
    pub(super) fn of(&self, v: VReg) -> Option<PReg> {
        let color = self.color[v];
        (color != NONE).then_some(PReg(color))
    }
}

/// Who would like to be in the same register as whom.
struct Wishes {
    /// Per value: where its wishes start in `list`; one more at the end.
    starts: Vec<u32>,
    list: Vec<Wish>,
}

#[derive(Copy, Clone)]
struct Wish {
    weight: u64,
    /// The other value, or `u32::MAX` with a register.
    other: u32,
    reg: u8,
}

struct Walk<'a> {
    func: &'a Func,
    machine: &'a Machine,
    live: &'a Liveness,
    homes: &'a mut Homes,
    wishes: Wishes,
    out: Coloring,
    /// Registers that hold live values, and by register the value.
    busy: PRegSet,
    holder: [Option<VReg>; 64],
    /// The allocatable registers of each class.
    all: [PRegSet; 2],
    spilled: usize,
}

/// Colours; the number of values that had to be spilled, if any, and then the colouring is no good.
pub(super) fn color(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    live: &Liveness,
    limits: &Limits,
    homes: &mut Homes,
) -> Result<(Coloring, usize), AllocError> {
    let mut walk = Walk {
        func,
        machine,
        live,
        wishes: wishes(func, machine, homes),
        homes,
        out: Coloring { color: Column::filled(func.vregs.len(), NONE), used: PRegSet::EMPTY },
        busy: PRegSet::EMPTY,
        holder: [None; 64],
        all: limits.registers,
        spilled: 0,
    };
    for &b in &flow.rpo {
        walk.block(b)?;
    }
    Ok((walk.out, walk.spilled))
}

/// Collects the wishes of all values: one counting sort.
fn wishes(func: &Func, machine: &Machine, homes: &Homes) -> Wishes {
    let mut all: Vec<(VReg, Wish)> = Vec::new();
    let in_reg = |v: VReg| homes.home[v] == Home::Reg;
    for b in func.blocks.keys() {
        let weight = func.blocks[b].frequency.max(1);
        for i in func.rows(b) {
            let op = func.insts[i].op;
            if op == ENTRY || machine.is(func, i, CALL | RETURN) {
                for (k, o) in func.operands(i).iter().enumerate() {
                    if let (Some(v), Some(reg)) = (o.as_virt(), o.constraint()) {
                        // Where a value comes from counts less than where it goes: the move may as well be at once,
                        // and frees a register that others will want.
                        let def = k < func.defs(i).len();
                        let weight = if def { weight - weight / 8 } else { weight };
                        all.push((v, Wish { weight, other: u32::MAX, reg: reg.0 }));
                    }
                }
                continue;
            }
            let pairs = op == PHI || is_copy(func, machine, i);
            if !pairs && !machine.is(func, i, TIED) {
                continue;
            }
            let Some(d) = func.defs(i).first().and_then(|d| d.as_virt()) else { continue };
            for (k, use_) in func.uses(i).iter().enumerate() {
                let Some(s) = use_.as_virt() else { continue };
                if in_reg(s) && in_reg(d) && (pairs || k == 0) {
                    let weight =
                        if op == PHI { func.blocks[func.preds(b)[k]].frequency.max(1) } else { weight };
                    all.push((d, Wish { weight, other: s.index() as u32, reg: NONE }));
                    all.push((s, Wish { weight, other: d.index() as u32, reg: NONE }));
                }
            }
        }
    }
    let mut starts = vec![0u32; func.vregs.len() + 1];
    for (v, _) in &all {
        starts[v.index() + 1] += 1;
    }
    for k in 0..func.vregs.len() {
        starts[k + 1] += starts[k];
    }
    let mut at = starts.clone();
    let mut list = vec![Wish { weight: 0, other: u32::MAX, reg: NONE }; all.len()];
    for (v, wish) in all {
        list[at[v.index()] as usize] = wish;
        at[v.index()] += 1;
    }
    Wishes { starts, list }
}

impl Wishes {
    fn of(&self, v: VReg) -> &[Wish] {
        &self.list[self.starts[v.index()] as usize..self.starts[v.index() + 1] as usize]
    }

    /// The register that fixed operands want most of a value.
    fn fixed(&self, v: VReg) -> Option<(u8, u64)> {
        let fixed = self.of(v).iter().take(8).filter(|w| w.reg != NONE);
        fixed.map(|w| (w.reg, w.weight)).max_by_key(|&(reg, weight)| (weight, NONE - reg))
    }
}

impl Walk<'_> {
    fn in_reg(&self, v: VReg) -> bool {
        self.homes.home[v] == Home::Reg
    }

    fn block(&mut self, b: Block) -> Result<(), AllocError> {
        let func = self.func;
        self.busy = PRegSet::EMPTY;
        self.holder = [None; 64];
        for &v in self.live.live_in(b) {
            if let Some(reg) = self.out.of(v) {
                self.busy.insert(reg);
                self.holder[reg.0 as usize] = Some(v);
            }
        }
        // Phis whose operands have registers come first, so that others do not take those.
        for v in Flow::phis(func, b).filter_map(|i| func.defs(i)[0].as_virt()) {
            let free = self.free(v, PRegSet::EMPTY);
            let mut others = self.wishes.of(v).iter().filter(|w| w.reg == NONE);
            let joins = others
                .any(|w| self.out.of(VReg::new(w.other as usize)).is_some_and(|reg| free.contains(reg)));
            if self.in_reg(v)
                && joins
                && let Some(reg) = self.wanted(v, free)
            {
                self.take(v, reg);
            }
        }
        let mut phis = true;
        for i in func.rows(b) {
            if phis && func.insts[i].op != PHI {
                phis = false;
                // Phis are written together, so the unused ones hold their registers until all are.
                Flow::phis(func, b).for_each(|i| self.end_last_defs(i));
            }
            self.row(i)?;
        }
        Ok(())
    }

    fn row(&mut self, i: Inst) -> Result<(), AllocError> {
        let func = self.func;
        let row = func.insts[i];
        let first_use = row.first as usize + row.defs as usize;
        let early = self.machine.is(func, i, EARLY_DEF);
        let tied = self.machine.is(func, i, TIED);
        if row.op != PHI && !early {
            self.end_last_uses(i, first_use);
        }
        for (k, def) in func.defs(i).iter().enumerate() {
            let Some(v) = def.as_virt().filter(|&v| self.in_reg(v) && self.out.of(v).is_none()) else {
                continue;
            };
            // A tied definition is copied to before the row where the registers differ, so it must spare the other uses.
            let mut spare = PRegSet::EMPTY;
            if tied && k == 0 {
                let others = func.uses(i).iter().skip(1).filter_map(|u| self.out.of(u.as_virt()?));
                others.for_each(|reg| spare.insert(reg));
                if let Some(reg) = func.uses(i).first().and_then(|u| self.out.of(u.as_virt()?)) {
                    spare.remove(reg);
                }
            }
            self.give(v, spare)?;
        }
        if early {
            self.end_last_uses(i, first_use);
        }
        if row.op != PHI {
            self.end_last_defs(i);
        }
        Ok(())
    }

    fn end_last_defs(&mut self, i: Inst) {
        let first = self.func.insts[i].first as usize;
        for (k, def) in self.func.defs(i).iter().enumerate() {
            if let Some(v) = def.as_virt().filter(|_| self.live.last[first + k]) {
                self.end(v);
            }
        }
    }

    fn end_last_uses(&mut self, i: Inst, first_use: usize) {
        for (k, use_) in self.func.uses(i).iter().enumerate() {
            if let Some(v) = use_.as_virt().filter(|_| self.live.last[first_use + k]) {
                self.end(v);
            }
        }
    }

    fn end(&mut self, v: VReg) {
        if let Some(reg) = self.out.of(v)
            && self.holder[reg.0 as usize] == Some(v)
        {
            self.busy.remove(reg);
            self.holder[reg.0 as usize] = None;
        }
    }

    /// The registers that a value may be in at all.
    fn allowed(&self, v: VReg) -> PRegSet {
        let all = self.all[self.func.vregs[v].class as usize];
        if self.live.crosses.contains(v) { PRegSet(all.0 & self.machine.callee_saved.0) } else { all }
    }

    /// The registers that a value may be given now, none of `spare` among them.
    fn free(&self, v: VReg, spare: PRegSet) -> PRegSet {
        PRegSet(self.allowed(v).0 & !self.busy.0 & !spare.0)
    }

    fn take(&mut self, v: VReg, reg: PReg) {
        self.out.color[v] = reg.0;
        self.out.used.insert(reg);
        self.busy.insert(reg);
        self.holder[reg.0 as usize] = Some(v);
    }

    /// Gives a value its register, but none of `spare`.
    fn give(&mut self, v: VReg, spare: PRegSet) -> Result<(), AllocError> {
        let free = self.free(v, spare);
        let reg = if free == PRegSet::EMPTY {
            let allowed = self.allowed(v);
            let spared = PRegSet(allowed.0 & !spare.0);
            let rivals = spared.iter().filter_map(|reg| self.holder[reg.0 as usize]).chain([v]);
            let victim = rivals
                .filter(|&r| !self.homes.pinned.contains(r))
                .min_by_key(|&r| (self.live.weight(r), r))
                .ok_or(AllocError::TooFewRegisters)?;
            spill(self.func, self.machine, self.live, self.homes, victim);
            self.spilled += 1;
            if victim == v {
                return Ok(());
            }
            let reg = self.out.of(victim).ok_or(AllocError::TooFewRegisters)?;
            self.out.color[victim] = NONE;
            reg
        } else {
            self.wanted(v, free).unwrap_or_else(|| self.first(self.func.vregs[v].class, free))
        };
        self.take(v, reg);
        Ok(())
    }

    /// The free register that gets most votes, if any gets one.
    fn wanted(&self, v: VReg, free: PRegSet) -> Option<PReg> {
        let mut votes = [0u64; 64];
        let mut any = false;
        // Votes for any callee-saved register, from values that will need one.
        let mut kept = 0;
        for wish in self.wishes.of(v) {
            let other = VReg::new(if wish.reg == NONE { wish.other as usize } else { v.index() });
            let (reg, weight) = match wish.reg {
                NONE if self.out.color[other] != NONE => (self.out.color[other], wish.weight),
                // Not coloured yet: what it will ask for is worth something too.
                NONE if self.live.crosses.contains(other) => {
                    kept += wish.weight;
                    continue;
                }
                NONE => match self.wishes.fixed(other) {
                    Some((reg, weight)) => (reg, weight.min(wish.weight) / 2),
                    None => continue,
                },
                reg => (reg, wish.weight),
            };
            if free.contains(PReg(reg)) {
                votes[reg as usize] += weight;
                any = true;
            }
        }
        let order = self.machine.class(self.func.vregs[v].class).order;
        let open = order.iter().copied().filter(|&reg| free.contains(reg));
        let wanted = open.clone().rev().filter(|_| any).max_by_key(|reg| votes[reg.0 as usize]);
        if let Some(reg) = wanted.filter(|reg| votes[reg.0 as usize] > kept) {
            return Some(reg);
        }
        let mut saved = open.filter(|&reg| kept > 0 && self.machine.callee_saved.contains(reg));
        let first = saved.next();
        first.into_iter().chain(saved).find(|&reg| self.out.used.contains(reg)).or(first)
    }

    /// The free register that costs least: a callee-saved one that is not in use yet has to be saved.
    fn first(&self, class: Class, free: PRegSet) -> PReg {
        let order = self.machine.class(class).order;
        let fresh = |reg: PReg| self.machine.callee_saved.contains(reg) && !self.out.used.contains(reg);
        let mut open = order.iter().copied().filter(|&reg| free.contains(reg));
        let first = open.next();
        first.into_iter().chain(open).find(|&reg| !fresh(reg)).or(first).unwrap_or(order[0])
    }
}
