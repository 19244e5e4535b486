//! Loops in which a spilled value is in a register after all: it is loaded once before the loop.
//!
//! A value is spilled because at some point too many are alive; the loops that use it may have registers to spare. The pressure
//! of each loop is the most of its blocks, values across calls apart where it calls. Every pair of spilled value and loop
//! that uses it gets a gain (what its reloads there cost, less one before the loop); in the order of gain a pair
//! gets a stand-in for the outermost loop that has room and does not contain the definition.
//! Only loops that are worth it are looked at. O(rows + pairs * depth); loops deeper than `DEEPEST` do without.

use super::Limits;
use super::choose::in_memory;
use super::flow::Flow;
use super::homes::Homes;
use super::liveness::Liveness;
use super::loops::{Loop, Loops};
use super::weights::Weights;
use crate::base::Column;
use crate::mir::desc::{CALL, EARLY_DEF, PHI};
use crate::mir::{Block, Func, Inst, Machine, VReg};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Loops around a block beyond which nothing is done.
const DEEPEST: usize = 12;

/// A stand-in for a value all through a loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) value: VReg,
    pub(super) within: Loop,
    pub(super) temp: VReg,
}

/// All stand-ins, sorted by value.
#[derive(Debug, Default)]
pub(super) struct Regions {
    pub(super) list: Vec<Region>,
    /// Per loop and class: stand-ins of it and the loops around it.
    pub(super) alive: Column<Loop, [usize; 2]>,
}

impl Regions {
    /// The stand-in for a value in a block.
    pub(super) fn find(&self, loops: &Loops, v: VReg, b: Block) -> Option<VReg> {
        let at = self.list.partition_point(|r| r.value < v);
        let all = self.list[at..].iter().take_while(|r| r.value == v);
        all.into_iter().find(|r| loops.around(b).any(|l| l == r.within)).map(|r| r.temp)
    }
}

/// Pressure of a loop, per class.
#[derive(Copy, Clone, Debug, Default)]
struct Room {
    /// Most values in registers, and most of those that live across calls, with the stand-ins of loops inside it and its own.
    peak: [usize; 2],
    crossing: [usize; 2],
    /// Its own stand-ins.
    own: [usize; 2],
    calls: bool,
}

impl Room {
    fn raise(&mut self, peak: [usize; 2], crossing: [usize; 2]) {
        for c in 0..2 {
            self.peak[c] = self.peak[c].max(peak[c]);
            self.crossing[c] = self.crossing[c].max(crossing[c]);
        }
    }
}

/// Finds the stand-ins for the homes as they are now; `live` must be of the function as it stands.
#[allow(clippy::too_many_arguments)]
pub(super) fn find(
    func: &mut Func,
    machine: &Machine,
    flow: &Flow,
    loops: &Loops,
    live: &Liveness,
    weights: &Weights,
    limits: &Limits,
    homes: &mut Homes,
    touched: &Column<Block, bool>,
) -> Regions {
    let pairs = pairs(func, machine, flow, loops, homes, touched);
    let mut wanted = gains(func, loops, weights, pairs, flow);
    if wanted.is_empty() {
        return Regions::default();
    }
    let wanted_loops = wanted.iter().map(|&(_, _, l)| l);
    let mut room = room(func, machine, flow, loops, live, homes, &trees(loops, wanted_loops));
    // Outer loops have the lower numbers.
    for l in room.keys().rev() {
        if let Some(outer) = loops.parent[l].get() {
            let inner = room[l];
            room[outer].calls |= inner.calls;
            room[outer].raise(inner.peak, inner.crossing);
        }
    }
    wanted.sort_unstable_by_key(|&(gain, v, l)| (Reverse(gain), v, Reverse(l)));
    let mut placing =
        Placing { loops, weights, flow, limits, room, placed: BTreeSet::new(), list: Vec::new() };
    for (_, v, l) in wanted {
        placing.place(func, homes, v, l);
    }
    let Placing { room, list, .. } = placing;
    let mut regions = Regions { list, alive: Column::new() };
    regions.list.sort_unstable_by_key(|r| (r.value, Reverse(r.within)));
    regions.alive = Column::filled(room.len(), [0; 2]);
    for l in room.keys() {
        let outer = loops.parent[l].get().map_or([0; 2], |p| regions.alive[p]);
        regions.alive[l] = [outer[0] + room[l].own[0], outer[1] + room[l].own[1]];
    }
    regions
}

/// Every use of a value in memory by a row in a loop that needs it in a register: value, loop, frequency.
fn pairs(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    loops: &Loops,
    homes: &Homes,
    touched: &Column<Block, bool>,
) -> Vec<(VReg, Loop, u64)> {
    let mut pairs = Vec::new();
    for &b in flow.order.blocks.iter().filter(|&&b| touched[b] && !is_too_deep(loops, b)) {
        let Some(l) = loops.around(b).next() else { continue };
        for i in func.rows(b).filter(|&i| !homes.takes_memory(func, machine, i)) {
            let uses = func.uses(i).iter().filter_map(|u| u.as_virt()).filter(|&v| !homes.in_register(v));
            pairs.extend(uses.map(|v| (v, l, func.blocks[b].frequency)));
        }
    }
    pairs
}

fn is_too_deep(loops: &Loops, b: Block) -> bool {
    loops.around(b).nth(DEEPEST).is_some()
}

/// The loops that are in one with some of these, or around them.
fn trees(loops: &Loops, some: impl Iterator<Item = Loop>) -> Column<Loop, bool> {
    let mut chosen = Column::filled(loops.parent.len(), false);
    for mut l in some {
        while let Some(outer) = loops.parent[l].get() {
            l = outer;
        }
        chosen[l] = true;
    }
    // Outer loops have the lower numbers.
    for l in loops.parent.keys() {
        chosen[l] |= loops.parent[l].get().is_some_and(|outer| chosen[outer]);
    }
    chosen
}

/// The pressure of each of these loops by itself, those inside it apart.
fn room(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    loops: &Loops,
    live: &Liveness,
    homes: &Homes,
    chosen: &Column<Loop, bool>,
) -> Column<Loop, Room> {
    let mut room: Column<Loop, Room> = Column::filled(loops.parent.len(), Room::default());
    for &b in &flow.order.blocks {
        let Some(l) = loops.around(b).next().filter(|&l| chosen[l]) else { continue };
        if is_too_deep(loops, b) {
            room[l].peak = [usize::MAX / 2; 2];
            continue;
        }
        let mut block = Pressure::default();
        block.walk(func, machine, live, homes, b);
        room[l].calls |= block.calls;
        room[l].raise(block.peak, block.most_crossing);
    }
    room
}

/// Sums up the pairs: what a stand-in in the innermost loop of the uses would gain.
fn gains(
    func: &Func,
    loops: &Loops,
    weights: &Weights,
    mut pairs: Vec<(VReg, Loop, u64)>,
    flow: &Flow,
) -> Vec<(u64, VReg, Loop)> {
    pairs.sort_unstable_by_key(|&(v, l, _)| (v, l));
    let mut wanted = Vec::new();
    for group in pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (v, l, _) = group[0];
        let reloads: u64 = group.iter().map(|pair| pair.2).sum();
        if let Some(before) = enterable(loops, weights, flow, func, v, l) {
            let gain = reloads.saturating_sub(func.blocks[before].frequency);
            if gain > 0 {
                wanted.push((gain, v, l));
            }
        }
    }
    wanted
}

/// The block before the loop, if the value is defined there or earlier.
fn enterable(loops: &Loops, weights: &Weights, flow: &Flow, func: &Func, v: VReg, l: Loop) -> Option<Block> {
    let before = loops.before[l].get()?;
    let row = weights.def_row[v].get()?;
    // The value is used in the loop, so its definition dominates the header, or lies inside the loop, which comes after.
    let def = func.block_of(row);
    (flow.order.position[def] <= flow.order.position[before]).then_some(before)
}

/// Stand-ins being placed.
struct Placing<'a> {
    loops: &'a Loops,
    weights: &'a Weights,
    flow: &'a Flow,
    limits: &'a Limits,
    room: Column<Loop, Room>,
    placed: BTreeSet<(VReg, Loop)>,
    list: Vec<Region>,
}

impl Placing<'_> {
    fn place(&mut self, func: &mut Func, homes: &mut Homes, v: VReg, inner: Loop) {
        let class = func.vregs[v].class as usize;
        let chain: Vec<Loop> = std::iter::successors(Some(inner), |&l| self.loops.parent[l].get()).collect();
        if chain.iter().any(|&l| self.placed.contains(&(v, l))) {
            return;
        }
        let mut best = None;
        for (k, &l) in chain.iter().enumerate() {
            let around: usize = chain[k + 1..].iter().map(|&outer| self.room[outer].own[class]).sum();
            let room = &self.room[l];
            let crossing = if room.calls { room.crossing[class] + around + 1 } else { 0 };
            let fits =
                room.peak[class] + around < self.limits.total[class] && crossing <= self.limits.kept[class];
            if !fits || enterable(self.loops, self.weights, self.flow, func, v, l).is_none() {
                break;
            }
            best = Some(k);
        }
        let Some(k) = best else { return };
        let within = chain[k];
        let temp = homes.stand_in(func, v);
        func.vregs[temp].crosses = true;
        self.list.push(Region { value: v, within, temp });
        self.placed.insert((v, within));
        let room = &mut self.room[within];
        room.own[class] += 1;
        room.peak[class] += 1;
        room.crossing[class] += usize::from(room.calls);
        for pair in chain[k..].windows(2) {
            let (mut inside, outer) = (self.room[pair[0]], &mut self.room[pair[1]]);
            inside.peak[class] += outer.own[class];
            inside.crossing[class] += outer.own[class];
            outer.raise(inside.peak, inside.crossing);
        }
    }
}

/// The pressure of one block, as it will be once stand-ins for single rows are in.
#[derive(Default)]
struct Pressure {
    now: [usize; 2],
    crossing: [usize; 2],
    peak: [usize; 2],
    most_crossing: [usize; 2],
    calls: bool,
}

impl Pressure {
    fn walk(&mut self, func: &Func, machine: &Machine, live: &Liveness, homes: &Homes, b: Block) {
        for &v in live.live_in(b) {
            self.add(func, live, homes, v);
        }
        for i in Flow::phis(func, b) {
            func.defs(i).iter().filter_map(|d| d.as_virt()).for_each(|v| self.add(func, live, homes, v));
        }
        self.note([0; 2]);
        for i in Flow::phis(func, b) {
            self.end_defs(func, live, homes, i);
        }
        for i in func.rows(b).filter(|&i| func.insts[i].op != PHI) {
            let parallel = homes.takes_memory(func, machine, i);
            self.calls |= machine.is(func, i, CALL);
            let (mut extra, mut extra_defs) = ([0; 2], [0; 2]);
            let memory = |v: &VReg| !parallel && in_memory(homes, *v);
            for v in func.uses(i).iter().filter_map(|u| u.as_virt()).filter(memory) {
                extra[func.vregs[v].class as usize] += 1;
            }
            for v in func.defs(i).iter().filter_map(|d| d.as_virt()).filter(memory) {
                extra_defs[func.vregs[v].class as usize] += 1;
            }
            self.note(extra);
            func.defs(i).iter().filter_map(|d| d.as_virt()).for_each(|v| self.add(func, live, homes, v));
            if machine.is(func, i, EARLY_DEF) {
                self.note([extra[0] + extra_defs[0], extra[1] + extra_defs[1]]);
            }
            let first = func.insts[i].first as usize + func.insts[i].defs as usize;
            for (k, use_) in func.uses(i).iter().enumerate() {
                if let Some(v) = use_.as_virt().filter(|_| live.last[first + k]) {
                    self.end(func, live, homes, v);
                }
            }
            self.note(extra_defs);
            self.end_defs(func, live, homes, i);
        }
    }

    fn note(&mut self, extra: [usize; 2]) {
        for (c, extra) in extra.into_iter().enumerate() {
            self.peak[c] = self.peak[c].max(self.now[c] + extra);
            self.most_crossing[c] = self.most_crossing[c].max(self.crossing[c]);
        }
    }

    fn add(&mut self, func: &Func, live: &Liveness, homes: &Homes, v: VReg) {
        if !in_memory(homes, v) {
            let class = func.vregs[v].class as usize;
            self.now[class] += 1;
            self.crossing[class] += usize::from(live.crosses[v]);
        }
    }

    fn end(&mut self, func: &Func, live: &Liveness, homes: &Homes, v: VReg) {
        if !in_memory(homes, v) {
            let class = func.vregs[v].class as usize;
            self.now[class] -= 1;
            self.crossing[class] -= usize::from(live.crosses[v]);
        }
    }

    fn end_defs(&mut self, func: &Func, live: &Liveness, homes: &Homes, i: Inst) {
        let first = func.insts[i].first as usize;
        for (k, def) in func.defs(i).iter().enumerate() {
            if let Some(v) = def.as_virt().filter(|_| live.last[first + k]) {
                self.end(func, live, homes, v);
            }
        }
    }
}
