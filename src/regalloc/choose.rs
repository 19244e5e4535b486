//! The scan that chooses what to spill: after it, at every point no file has more units in use than it has,
//! and no more by values that live across calls than survive calls.
//!
//! One walk over the blocks that are tight, in dominance order, with the set of values that are live and in
//! registers. Where a set grows too large, the value that is cheapest per row it occupies goes to memory,
//! everywhere. A row that is no mere move needs its operands in registers, so spilled operands count where
//! they are used and defined. Pressure only ever falls by a choice, so what the walk has passed stays within
//! the limits. O(rows + live-in lists + victims * registers). (Hack, Grund and Goos 2006: on SSA, pressure
//! within the limits is all that colouring needs.)

use super::flow::Flow;
use super::homes::{Home, Homes};
use super::pressure::{Counts, Pressure};
use super::weights::{Scale, Weights};
use super::{AllocError, Cx, View};
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI, REMAT};
use crate::mir::registers::MAX_FILES;
use crate::mir::{Block, Func, Inst, Machine, VReg};

/// The values in registers at the point of the walk.
struct Residents {
    /// Per file.
    list: [Vec<VReg>; MAX_FILES],
    counts: Counts,
    /// Per value: its place in its list, `u32::MAX` for none.
    place: Column<VReg, u32>,
    /// Per value: the last row that needs it in a register.
    needed: Column<VReg, u32>,
}

impl Residents {
    fn add(&mut self, cx: View, v: VReg) {
        if self.place[v] == u32::MAX {
            let list = &mut self.list[cx.file(v)];
            self.place[v] = list.len() as u32;
            list.push(v);
            self.counts = self.counts.add(cx.units(v));
        }
    }

    fn remove(&mut self, cx: View, v: VReg) {
        let place = std::mem::replace(&mut self.place[v], u32::MAX);
        if place != u32::MAX {
            let list = &mut self.list[cx.file(v)];
            list.swap_remove(place as usize);
            if let Some(&moved) = list.get(place as usize) {
                self.place[moved] = place;
            }
            self.counts = self.counts.less(cx.units(v));
        }
    }
}

struct Scan<'a> {
    cx: View<'a>,
    scale: &'a Scale,
    homes: &'a mut Homes,
    block: Block,
    now: Residents,
    spilled: Vec<VReg>,
    /// Candidates looked at.
    work: usize,
}

/// Chooses; returns how many values were chosen, and the pressure that is left. An error means that one row
/// needs more registers than there are. Looks only at blocks that have changed since they were last looked
/// at: elsewhere what went to memory has made room, and nothing has taken any that was not there.
pub(super) fn choose(
    cx: &mut Cx,
    scale: &Scale,
    changed: &Column<Block, bool>,
) -> Result<(usize, Pressure), AllocError> {
    let (view, homes) = cx.split();
    let vregs = view.func.vregs.len();
    let now = Residents {
        list: Default::default(),
        counts: Counts::NONE,
        place: Column::filled(vregs, u32::MAX),
        needed: Column::filled(vregs, u32::MAX),
    };
    let mut pressure = Pressure::new(view.func, view.live, view.limits, homes);
    let mut scan = Scan { cx: view, scale, homes, block: Block::new(0), now, spilled: Vec::new(), work: 0 };
    scan.lost_in_calls();
    let mut told = 0;
    for &b in &view.flow.order.blocks {
        scan.spilled[told..].iter().for_each(|&v| pressure.evict(v));
        told = scan.spilled.len();
        if changed[b] && pressure.is_tight(view, b) {
            scan.block(b)?;
        }
    }
    let Scan { spilled, work, .. } = scan;
    spilled[told..].iter().for_each(|&v| pressure.evict(v));
    cx.stats.work += work;
    Ok((spilled.len(), pressure))
}

/// Sends a value to memory, or its uses back to what it stands for.
pub(super) fn spill(func: &Func, machine: &Machine, weights: &Weights, homes: &mut Homes, v: VReg) {
    if homes.stands_for[v].is_some() {
        homes.cut(v);
    } else {
        homes.evict(v, weights.def_row[v].get().is_some_and(|i| machine.is(func, i, REMAT)));
    }
}

/// True if a plain row has to reload the value before using it.
#[inline(always)]
pub(super) fn in_memory(homes: &Homes, v: VReg) -> bool {
    !homes.in_register(v) || homes.cut.contains(v)
}

impl Scan<'_> {
    /// Spills the values across calls of which no register preserves all bytes.
    fn lost_in_calls(&mut self) {
        let is_partial = self.cx.machine.registers.is_partial;
        for v in self.cx.func.vregs.keys().filter(|_| is_partial) {
            if self.cx.is_lost_in_calls(v) && !in_memory(self.homes, v) {
                self.evict(v);
            }
        }
    }

    fn block(&mut self, b: Block) -> Result<(), AllocError> {
        let cx = self.cx;
        self.block = b;
        for list in &mut self.now.list {
            while let Some(v) = list.pop() {
                self.now.place[v] = u32::MAX;
            }
        }
        self.now.counts = Counts::NONE;
        for &v in cx.live.live_in(b) {
            if !in_memory(self.homes, v) {
                self.now.add(cx, v);
            }
        }
        for i in Flow::phis(cx.func, b) {
            self.add_defs(i);
        }
        self.shrink(Counts::NONE, u32::MAX - 1)?;
        for i in Flow::phis(cx.func, b) {
            self.remove_last(i, true);
        }
        for i in cx.func.rows(b) {
            if cx.func.insts[i].op != PHI {
                self.row(i)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, i: Inst) -> Result<(), AllocError> {
        let (cx, row) = (self.cx, i.index() as u32);
        let parallel = self.homes.takes_memory(cx.func, cx.machine, i);
        let early = cx.machine.is(cx.func, i, EARLY_DEF);
        let mut extra = Counts::NONE;
        if !parallel {
            for v in cx.func.uses(i).iter().filter_map(|u| u.as_virt()) {
                let counted = std::mem::replace(&mut self.now.needed[v], row) == row;
                if in_memory(self.homes, v) && !counted {
                    extra = extra.add(cx.needed(v));
                }
            }
            self.shrink(extra, row)?;
        }
        if !early {
            self.remove_last(i, false);
            extra = Counts::NONE;
        }
        self.add_defs(i);
        if !parallel {
            for (k, v) in cx.func.defs(i).iter().enumerate().filter_map(|(k, d)| Some((k, d.as_virt()?))) {
                self.now.needed[v] = row;
                // A row that is done again elsewhere is not done here.
                if in_memory(self.homes, v) && (k > 0 || self.homes.home[v] != Home::Remat) {
                    extra = extra.add(cx.needed(v));
                }
            }
        }
        self.shrink(extra, row)?;
        if early {
            self.remove_last(i, false);
        }
        self.remove_last(i, true);
        Ok(())
    }

    fn add_defs(&mut self, i: Inst) {
        for v in self.cx.func.defs(i).iter().filter_map(|d| d.as_virt()) {
            if !in_memory(self.homes, v) {
                self.now.add(self.cx, v);
            }
        }
    }

    /// Removes the values that a row uses last, or those of its definitions that nothing uses.
    fn remove_last(&mut self, i: Inst, of_defs: bool) {
        for v in self.cx.last(i, of_defs) {
            self.now.remove(self.cx, v);
        }
    }

    /// Spills until the residents and `extra`, of which nothing lives across calls, fit, sparing what `row`
    /// needs in registers; then until the values across calls fit, sparing nothing (a row's own operand that
    /// goes now still has its register here).
    fn shrink(&mut self, extra: Counts, row: u32) -> Result<(), AllocError> {
        let most = self.cx.limits.most;
        if !self.now.counts.add(extra).exceeds(most) {
            return Ok(());
        }
        for file in 0..self.cx.limits.files {
            let excess = self.now.counts.add(extra).all(file).saturating_sub(most.all(file));
            self.evict_cheapest(file, excess, |scan, v| scan.now.needed[v] != row)?;
            let excess = self.now.counts.crossing(file).saturating_sub(most.crossing(file));
            self.evict_cheapest(file, excess, |scan, v| scan.cx.live.crosses[v])?;
        }
        Ok(())
    }

    /// Spills the cheapest of a file's residents that may go, until `excess` units are free. O(residents),
    /// and a sort of those that go.
    fn evict_cheapest(
        &mut self,
        file: usize,
        mut excess: usize,
        may: impl Fn(&Self, VReg) -> bool,
    ) -> Result<(), AllocError> {
        if excess == 0 {
            return Ok(());
        }
        let all = &self.now.list[file];
        self.work += all.len();
        let candidates = all.iter().filter(|&&v| !self.homes.pinned.contains(v) && may(self, v));
        let mut victims: Vec<_> = candidates.map(|&v| (self.price(v), v)).collect();
        // Each frees a unit or more.
        if excess < victims.len() {
            victims.select_nth_unstable(excess - 1);
            victims.truncate(excess);
        }
        victims.sort_unstable();
        for (_, v) in victims {
            if excess > 0 {
                excess = excess.saturating_sub(self.cx.units(v).all(file));
                self.evict(v);
            }
        }
        if excess > 0 { Err(AllocError::TooFewRegisters) } else { Ok(()) }
    }

    /// What a victim costs here: its weight, but an eighth for each loop from here outwards that does not use
    /// it, because the loops that do may get it back in a register. Looks at a few uses only.
    fn price(&self, v: VReg) -> u64 {
        let (loops, live) = (self.cx.loops, self.cx.live);
        let weight = self.weights().of(v);
        // A value of this block only is used in all loops around it.
        let Some(own) = live.home(v).filter(|_| loops.around(self.block).next().is_some()) else {
            return weight;
        };
        let uses = live.far_uses(v);
        if uses.clone().nth(16).is_some() {
            return weight;
        }
        let free = loops.around(self.block).take(3).take_while(|&l| {
            let inside = |b: Block| loops.around(b).take(16).any(|other| other == l);
            !uses.clone().chain([own]).any(inside)
        });
        weight >> (3 * free.count())
    }

    fn weights(&self) -> &Weights {
        self.scale.get(self.cx, self.homes)
    }

    fn evict(&mut self, v: VReg) {
        let weights = self.scale.get(self.cx, self.homes);
        spill(self.cx.func, self.cx.machine, weights, self.homes, v);
        self.now.remove(self.cx, v);
        self.spilled.push(v);
    }
}
