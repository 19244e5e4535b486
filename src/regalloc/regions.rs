//! Loops in which a spilled value is in a register after all: it is loaded once before the loop.
//!
//! A value is spilled because at some point too many are alive; the loops that use it may have registers to
//! spare. The pressure of each loop is the most of its blocks, values across calls apart where it calls. What
//! a row adds to it by needing one spilled value is kept apart: a stand-in for that value takes its place.
//! Every pair of spilled value and loop that uses it gets a gain (what its reloads there cost, less one
//! before the loop); in the order of gain a pair gets a stand-in for the outermost loop that has room and
//! does not contain the definition. Where no register that survives calls is left, one that does not will do if the loop
//! seldom calls (`restore`). Only loops that are worth it are looked at. O(rows + pairs * depth); loops deeper than
//! `DEEPEST` do without.

use super::homes::Homes;
use super::loops::{Loop, Loops};
use super::pressure::{Counts, Pressure};
use super::weights::Weights;
use super::{Cx, View, restore};
use crate::base::Column;
use crate::mir::desc::{CALL, EARLY_DEF, PHI};
use crate::mir::{Block, Inst, VReg};
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
    /// Per loop: stand-ins of it and the loops around it.
    pub(super) alive: Column<Loop, Counts>,
}

impl Regions {
    /// The stand-in for a value in a block.
    pub(super) fn find(&self, loops: &Loops, v: VReg, b: Block) -> Option<VReg> {
        let at = self.list.partition_point(|r| r.value < v);
        let all = self.list[at..].iter().take_while(|r| r.value == v);
        all.into_iter().find(|r| loops.around(b).any(|l| l == r.within)).map(|r| r.temp)
    }
}

/// Pressure of a loop.
#[derive(Clone, Debug, Default)]
struct Room {
    /// The most in use, with the stand-ins of loops inside it and its own, but for what `needs` has.
    peak: Counts,
    /// Spilled values, and the most in use at rows that need this one in a register and no other one; a few.
    needs: Vec<(VReg, Counts)>,
    /// Its own stand-ins.
    own: Counts,
    /// How often its calls are executed.
    calls: u64,
}

/// Values of which a loop notes what rows need.
const FEW: usize = 12;

impl Room {
    /// Notes how much is in use at a row that needs a value.
    fn need(&mut self, v: VReg, counts: Counts) {
        match self.needs.iter().position(|need| need.0 == v) {
            Some(k) => self.needs[k].1 = self.needs[k].1.max(counts),
            None if self.needs.len() < FEW => self.needs.push((v, counts)),
            None => self.peak = self.peak.max(counts),
        }
    }

    /// Notes that a loop is inside this one, beside so much that lives through it.
    fn hold(&mut self, inner: &Room, more: Counts) {
        self.peak = self.peak.max(inner.peak.add(more));
        inner.needs.iter().for_each(|&(v, counts)| self.need(v, counts.add(more)));
    }

    /// The most in use if a value has a stand-in, which is not counted.
    fn peak_without(&self, v: VReg, units: Counts) -> Counts {
        let needs = self.needs.iter().map(|need| if need.0 == v { need.1.less(units) } else { need.1 });
        needs.fold(self.peak, Counts::max)
    }

    /// Notes that rows find a value in a stand-in.
    fn relieve(&mut self, v: VReg, units: Counts) {
        let need = self.needs.iter_mut().filter(|need| need.0 == v);
        need.for_each(|need| need.1 = need.1.less(units));
    }
}

/// Finds the stand-ins for the homes as they are now.
pub(super) fn find(
    cx: &mut Cx,
    weights: &Weights,
    pressure: &Pressure,
    touched: &Column<Block, bool>,
) -> Regions {
    let loops = &cx.loops;
    let mut wanted = gains(cx.view(), weights, pairs(cx.view(), &cx.homes, touched));
    if wanted.is_empty() {
        return Regions::default();
    }
    let wanted_loops = wanted.iter().map(|&(_, _, l)| l);
    let mut room = room(cx.view(), &cx.homes, pressure, &trees(loops, wanted_loops));
    // Outer loops have the lower numbers.
    for l in room.keys().rev() {
        if let Some(outer) = loops.parent[l].get() {
            let inner = room[l].clone();
            room[outer].calls = room[outer].calls.saturating_add(inner.calls);
            room[outer].hold(&inner, Counts::NONE);
        }
    }
    wanted.sort_unstable_by_key(|&(gain, v, l)| (Reverse(gain), v, Reverse(l)));
    let mut placed = BTreeSet::new();
    let mut places = Vec::new();
    let may_restore = restore::may(cx.view());
    for (gain, v, l) in wanted {
        let most_calls = if may_restore { restore::most_calls(gain) } else { 0 };
        if let Some((within, is_restored)) = place(cx.view(), weights, &mut room, &placed, (v, l), most_calls)
        {
            placed.insert((v, within));
            places.push((v, within, is_restored));
        }
    }
    let mut alive = Column::filled(room.len(), Counts::NONE);
    for l in room.keys() {
        let outer = cx.loops.parent[l].get().map_or(Counts::NONE, |p| alive[p]);
        alive[l] = outer.add(room[l].own);
    }
    let mut list = Vec::with_capacity(places.len());
    for (value, within, is_restored) in places {
        let temp = cx.homes.stand_in(cx.func, value);
        if is_restored {
            cx.homes.restore(temp);
        }
        cx.func.vregs[temp].crosses = true;
        list.push(Region { value, within, temp });
    }
    list.sort_unstable_by_key(|r| (r.value, Reverse(r.within)));
    Regions { list, alive }
}

/// Every use of a value in memory by a row in a loop that needs it in a register: value, loop, how often.
fn pairs(cx: View, homes: &Homes, touched: &Column<Block, bool>) -> Vec<(VReg, Loop, u64)> {
    let View { func, machine, flow, loops, times, .. } = cx;
    let mut pairs = Vec::new();
    for &b in flow.order.blocks.iter().filter(|&&b| touched[b] && !is_too_deep(loops, b)) {
        let Some(l) = loops.around(b).next() else { continue };
        for i in func.rows(b).filter(|&i| !homes.takes_memory(func, machine, i)) {
            let uses = func.uses(i).iter().filter_map(|u| u.as_virt()).filter(|&v| !homes.in_register(v));
            pairs.extend(uses.map(|v| (v, l, times[b])));
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
fn room(cx: View, homes: &Homes, pressure: &Pressure, chosen: &Column<Loop, bool>) -> Column<Loop, Room> {
    let mut room: Column<Loop, Room> = Column::filled(cx.loops.parent.len(), Room::default());
    for &b in &cx.flow.order.blocks {
        let Some(l) = cx.loops.around(b).next().filter(|&l| chosen[l]) else { continue };
        if is_too_deep(cx.loops, b) {
            room[l].peak = Counts::FULL;
            continue;
        }
        add_block(cx, homes, pressure, b, &mut room[l]);
    }
    room
}

/// Adds what is in use in a block, as it will be once stand-ins for single rows are in, and its calls.
fn add_block(cx: View, homes: &Homes, pressure: &Pressure, b: Block, room: &mut Room) {
    let (func, machine) = (cx.func, cx.machine);
    let (mut now, dead) = pressure.head(cx, b);
    let mut peak = now;
    now = now.less(dead);
    for i in func.rows(b).filter(|&i| func.insts[i].op != PHI) {
        let calls = if machine.is(func, i, CALL) { cx.times[b] } else { 0 };
        room.calls = room.calls.saturating_add(calls);
        let mut row = pressure.row(cx, i);
        if homes.takes_memory(func, machine, i) {
            (row.used, row.made) = (Counts::NONE, Counts::NONE);
        }
        if row.used != Counts::NONE {
            match sole_need(cx, pressure, i) {
                Some(v) => room.need(v, now.add(row.used)),
                None => peak = peak.max(now.add(row.used)),
            }
        }
        peak = peak.max(now);
        now = now.add(row.defs);
        if machine.is(func, i, EARLY_DEF) {
            peak = peak.max(now.add(row.used).add(row.made));
        }
        now = now.less(row.freed);
        peak = peak.max(now.add(row.made));
        now = now.less(row.dead);
    }
    room.peak = room.peak.max(peak);
}

/// The value in memory that a row uses, if it is only one, and once.
fn sole_need(cx: View, pressure: &Pressure, i: Inst) -> Option<VReg> {
    let mut needs = cx.func.uses(i).iter().filter_map(|u| u.as_virt()).filter(|&v| pressure.in_memory(v));
    needs.next().filter(|_| needs.next().is_none())
}

/// Sums up the pairs: what a stand-in in the innermost loop of the uses would gain.
fn gains(cx: View, weights: &Weights, mut pairs: Vec<(VReg, Loop, u64)>) -> Vec<(u64, VReg, Loop)> {
    pairs.sort_unstable_by_key(|&(v, l, _)| (v, l));
    let mut wanted = Vec::new();
    for group in pairs.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (v, l, _) = group[0];
        let reloads: u64 = group.iter().map(|pair| pair.2).sum();
        if let Some(before) = enterable(cx, weights, v, l) {
            let gain = reloads.saturating_sub(cx.times[before]);
            if gain > 0 {
                wanted.push((gain, v, l));
            }
        }
    }
    wanted
}

/// The block before the loop, if the value is defined there or earlier.
fn enterable(cx: View, weights: &Weights, v: VReg, l: Loop) -> Option<Block> {
    let before = cx.loops.before[l].get()?;
    let row = weights.def_row[v].get()?;
    // The value is used in the loop, so its definition dominates the header, or lies inside the loop, which
    // comes after.
    let def = cx.func.block_of(row);
    (cx.flow.order.position[def] <= cx.flow.order.position[before]).then_some(before)
}

/// Takes room for a stand-in of a value in the outermost loop that has it, from `inner` on; true if it is to be loaded
/// again behind calls, of which no more than so many may be executed then.
fn place(
    cx: View,
    weights: &Weights,
    room: &mut Column<Loop, Room>,
    placed: &BTreeSet<(VReg, Loop)>,
    (v, inner): (VReg, Loop),
    most_calls: u64,
) -> Option<(Loop, bool)> {
    let (file, most) = (cx.file(v), cx.limits.most);
    let vreg = cx.func.vregs[v];
    let in_register = |calls: bool| cx.limits.units(vreg.class, calls);
    let is_kept = vreg.bytes <= cx.machine.class(vreg.class).kept_bytes;
    let chain: Vec<Loop> = std::iter::successors(Some(inner), |&l| cx.loops.parent[l].get()).collect();
    if chain.iter().any(|&l| placed.contains(&(v, l))) {
        return None;
    }
    let mut best = None;
    for (k, &l) in chain.iter().enumerate() {
        let around: usize = chain[k + 1..].iter().map(|&outer| room[outer].own.all(file)).sum();
        let more = around + in_register(false).all(file);
        let (peak, calls) = (room[l].peak_without(v, in_register(false)), room[l].calls);
        let survives = calls == 0 || is_kept && peak.crossing(file) + more <= most.crossing(file);
        let fits = peak.all(file) + more <= most.all(file) && (survives || calls <= most_calls);
        if !fits || enterable(cx, weights, v, l).is_none() {
            break;
        }
        best = Some((k, !survives));
    }
    let (k, is_restored) = best?;
    for &l in &chain[..=k] {
        room[l].relieve(v, in_register(false));
    }
    let within = &mut room[chain[k]];
    let more = in_register(within.calls > 0 && !is_restored);
    within.own = within.own.add(in_register(false));
    within.peak = within.peak.add(more);
    within.needs.iter_mut().for_each(|need| need.1 = need.1.add(more));
    for pair in chain[k..].windows(2) {
        // Stand-ins of the outer loop live through the inner one, and through its calls.
        let own = room[pair[1]].own.all(file);
        let inner = room[pair[0]].clone();
        room[pair[1]].hold(&inner, Counts::of(file, own));
    }
    Some((chain[k], is_restored))
}
