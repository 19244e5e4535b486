//! The scan that chooses what to spill: after it, at every point no class has more values in registers than registers,
//! and no more values that live across calls than callee-saved registers.
//!
//! One walk over the blocks that are tight, in dominance order, with the set of values that are live and in registers. Where a set
//! grows too large, the value that is cheapest per row it occupies goes to memory, everywhere. A row that is no mere move
//! needs its operands in registers, so spilled operands count where they are used and defined. Pressure only ever
//! falls by a choice, so what the walk has passed stays within the limits. O(rows + live-in lists + victims * registers).
//! (Hack, Grund and Goos 2006: on SSA, pressure within the limits is all that colouring needs.)

use super::flow::Flow;
use super::homes::{Home, Homes};
use super::liveness::Liveness;
use super::loops::Loops;
use super::tight::Tight;
use super::weights::{Scale, Weights};
use super::{AllocError, Limits};
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI, REMAT};
use crate::mir::{Block, Class, Func, Inst, Machine, VReg};

/// The values in registers at the point of the walk.
struct Residents {
    /// Per class.
    list: [Vec<VReg>; 2],
    /// Per class: those of them that live across a call.
    crossing: [usize; 2],
    /// Per value: its place in its list, `u32::MAX` for none.
    place: Column<VReg, u32>,
    /// Per value: the last row that needs it in a register.
    needed: Column<VReg, u32>,
}

impl Residents {
    fn add(&mut self, func: &Func, live: &Liveness, v: VReg) {
        if self.place[v] == u32::MAX {
            let class = func.vregs[v].class as usize;
            self.place[v] = self.list[class].len() as u32;
            self.list[class].push(v);
            self.crossing[class] += usize::from(live.crosses[v]);
        }
    }

    fn remove(&mut self, func: &Func, live: &Liveness, v: VReg) {
        let place = std::mem::replace(&mut self.place[v], u32::MAX);
        if place != u32::MAX {
            let class = func.vregs[v].class as usize;
            self.list[class].swap_remove(place as usize);
            if let Some(&moved) = self.list[class].get(place as usize) {
                self.place[moved] = place;
            }
            self.crossing[class] -= usize::from(live.crosses[v]);
        }
    }
}

/// The walk's fixed company.
struct Scan<'a> {
    func: &'a Func,
    machine: &'a Machine,
    live: &'a Liveness,
    flow: &'a Flow,
    scale: &'a Scale,
    limits: &'a Limits,
    loops: &'a Loops,
    homes: &'a mut Homes,
    block: Block,
    now: Residents,
    spilled: Vec<VReg>,
    /// Candidates looked at.
    work: usize,
}

/// Chooses; returns how many values were chosen, and how many were looked at for that. An error means that one row needs more registers than there are.
#[allow(clippy::too_many_arguments)]
pub(super) fn choose(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    live: &Liveness,
    scale: &Scale,
    limits: &Limits,
    loops: &Loops,
    homes: &mut Homes,
) -> Result<(usize, usize), AllocError> {
    let vregs = func.vregs.len();
    let now = Residents {
        list: Default::default(),
        crossing: [0; 2],
        place: Column::filled(vregs, u32::MAX),
        needed: Column::filled(vregs, u32::MAX),
    };
    let block = Block::new(0);
    let mut scan = Scan {
        func,
        machine,
        flow,
        live,
        scale,
        limits,
        loops,
        homes,
        block,
        now,
        spilled: Vec::new(),
        work: 0,
    };
    let mut tight = Tight::new(func, machine, live, limits, scan.homes);
    let mut told = 0;
    for &b in &flow.order.blocks {
        if tight.is(b) {
            scan.block(b)?;
            scan.spilled[told..].iter().for_each(|&v| tight.evict(v));
            told = scan.spilled.len();
        }
    }
    Ok((scan.spilled.len(), scan.work))
}

/// Sends a value to memory, or its uses back to what it stands for.
pub(super) fn spill(func: &Func, machine: &Machine, weights: &Weights, homes: &mut Homes, v: VReg) {
    if homes.stands_for[v].is_some() {
        homes.cut.insert(v);
        homes.pinned.insert(v);
    } else {
        homes.evict(v, weights.def_row[v].get().is_some_and(|i| machine.is(func, i, REMAT)));
    }
}

/// True if a plain row has to reload the value before using it.
pub(super) fn in_memory(homes: &Homes, v: VReg) -> bool {
    !homes.in_register(v) || homes.cut.contains(v)
}

impl<'a> Scan<'a> {
    fn block(&mut self, b: Block) -> Result<(), AllocError> {
        let (func, live) = (self.func, self.live);
        self.block = b;
        for class in Class::ALL {
            while let Some(v) = self.now.list[class as usize].pop() {
                self.now.place[v] = u32::MAX;
            }
        }
        self.now.crossing = [0; 2];
        for &v in live.live_in(b) {
            if !in_memory(self.homes, v) {
                self.now.add(func, live, v);
            }
        }
        for i in Flow::phis(func, b) {
            self.add_defs(i);
        }
        self.shrink([0; 2], u32::MAX - 1)?;
        for i in Flow::phis(func, b) {
            self.remove_last_defs(i);
        }
        for i in func.rows(b) {
            if func.insts[i].op != PHI {
                self.row(i)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, i: Inst) -> Result<(), AllocError> {
        let (func, row) = (self.func, i.index() as u32);
        let parallel = self.homes.takes_memory(func, self.machine, i);
        let early = self.machine.is(func, i, EARLY_DEF);
        let mut extra = [0; 2];
        if !parallel {
            for v in func.uses(i).iter().filter_map(|u| u.as_virt()) {
                let counted = std::mem::replace(&mut self.now.needed[v], row) == row;
                if in_memory(self.homes, v) && !counted {
                    extra[func.vregs[v].class as usize] += 1;
                }
            }
            self.shrink(extra, row)?;
        }
        if !early {
            self.remove_last_uses(i);
            extra = [0; 2];
        }
        self.add_defs(i);
        if !parallel {
            for (k, v) in func.defs(i).iter().enumerate().filter_map(|(k, d)| Some((k, d.as_virt()?))) {
                self.now.needed[v] = row;
                // A row that is done again elsewhere is not done here.
                if in_memory(self.homes, v) && (k > 0 || self.homes.home[v] != Home::Remat) {
                    extra[func.vregs[v].class as usize] += 1;
                }
            }
        }
        self.shrink(extra, row)?;
        if early {
            self.remove_last_uses(i);
        }
        self.remove_last_defs(i);
        Ok(())
    }

    fn add_defs(&mut self, i: Inst) {
        for v in self.func.defs(i).iter().filter_map(|d| d.as_virt()) {
            if !in_memory(self.homes, v) {
                self.now.add(self.func, self.live, v);
            }
        }
    }

    fn remove_last_uses(&mut self, i: Inst) {
        let row = &self.func.insts[i];
        let first = row.first as usize + row.defs as usize;
        for (k, use_) in self.func.uses(i).iter().enumerate() {
            if let Some(v) = use_.as_virt().filter(|_| self.live.last[first + k]) {
                self.now.remove(self.func, self.live, v);
            }
        }
    }

    fn remove_last_defs(&mut self, i: Inst) {
        let first = self.func.insts[i].first as usize;
        for (k, def) in self.func.defs(i).iter().enumerate() {
            if let Some(v) = def.as_virt().filter(|_| self.live.last[first + k]) {
                self.now.remove(self.func, self.live, v);
            }
        }
    }

    /// Spills until the residents and `extra` more values fit, sparing what `row` needs in registers; then until the
    /// values across calls fit, sparing nothing (a row's own operand that goes now still has its register here).
    fn shrink(&mut self, extra: [usize; 2], row: u32) -> Result<(), AllocError> {
        for class in Class::ALL {
            let c = class as usize;
            let excess = (self.now.list[c].len() + extra[c]).saturating_sub(self.limits.total[c]);
            self.evict_cheapest(class, excess, |scan, v| scan.now.needed[v] != row)?;
            let excess = self.now.crossing[c].saturating_sub(self.limits.kept[c]);
            self.evict_cheapest(class, excess, |scan, v| scan.live.crosses[v])?;
        }
        Ok(())
    }

    /// Spills the `excess` cheapest of a class's residents that may go. O(residents), and a sort if many have to go.
    fn evict_cheapest(
        &mut self,
        class: Class,
        excess: usize,
        may: impl Fn(&Self, VReg) -> bool,
    ) -> Result<(), AllocError> {
        if excess == 0 {
            return Ok(());
        }
        let all = &self.now.list[class as usize];
        self.work += all.len();
        let key = |v: VReg| (self.price(v), v);
        let mut victims: Vec<_> = all
            .iter()
            .filter(|&&v| !self.homes.pinned.contains(v) && may(self, v))
            .map(|&v| key(v))
            .collect();
        if victims.len() < excess {
            return Err(AllocError::TooFewRegisters);
        }
        victims.select_nth_unstable(excess - 1);
        victims.truncate(excess);
        victims.sort_unstable();
        for (_, v) in victims {
            self.evict(v);
        }
        Ok(())
    }

    /// What a victim costs here: its weight, but an eighth for each loop from here outwards that does not use it,
    /// because the loops that do may get it back in a register. Looks at a few uses only.
    fn price(&self, v: VReg) -> u64 {
        let weight = self.weights().of(v);
        let uses = self.live.far_uses(v);
        if uses.clone().nth(16).is_some() || self.loops.of.is_empty() {
            return weight;
        }
        let own = self.weights().def_row[v].get().map(|row| self.func.block_of(row));
        let free = self.loops.around(self.block).take(3).take_while(|&l| {
            let inside = |b: Block| self.loops.around(b).take(16).any(|other| other == l);
            !uses.clone().chain(own).any(inside)
        });
        weight >> (3 * free.count())
    }

    fn weights(&self) -> &'a Weights {
        self.scale.get(self.func, self.machine, self.flow, self.live, self.homes)
    }

    fn evict(&mut self, v: VReg) {
        let weights = self.weights();
        spill(self.func, self.machine, weights, self.homes, v);
        self.now.remove(self.func, self.live, v);
        self.spilled.push(v);
    }
}
