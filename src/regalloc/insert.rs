//! Puts stand-ins beside spilled values: a row that needs registers gets a fresh value, copied from the
//! spilled one before a use, or copied to it after a definition. The copies are ordinary SSA rows; they
//! become loads, stores or recomputations when places are known.
//!
//! A stand-in serves later uses in its block as well, while registers are free: the walk counts the values in
//! registers, and where there are too many it lets go of the stand-in whose next use is furthest. Calls end
//! all of them. Blocks without spilled values stay as they are. O(rows log rows) for the others, because of
//! the lists of next uses.

use super::flow::Flow;
use super::homes::{Home, Homes, is_copy};
use super::liveness::{Inserted, Liveness};
use super::loops::Loops;
use super::pressure::{Counts, Deltas, Limits, Pressure};
use super::regions::{Region, Regions};
use super::{Cx, View};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, EARLY_DEF, MOVE, PHI, TERMINATORS};
use crate::mir::registers::MAX_FILES;
use crate::mir::rewrite::{Origins, Rows};
use crate::mir::{Block, Func, Inst, Machine, Operand, VReg};

/// A stand-in that is in a register.
struct Held {
    value: VReg,
    temp: VReg,
    /// The next row of the block that needs it, `u32::MAX` for none.
    next: u32,
    /// The last row that needed it.
    used: u32,
}

/// The walk down a block.
struct Walk<'a> {
    machine: &'a Machine,
    flow: &'a Flow,
    live: &'a Liveness,
    limits: &'a Limits,
    homes: &'a mut Homes,
    origins: &'a Origins,
    reuse: bool,
    loops: &'a Loops,
    times: &'a Column<Block, u64>,
    regions: &'a Regions,
    /// Stand-ins of loops by the block before the loop: block, place in `regions`.
    starting: Vec<(Block, usize)>,
    block: Block,
    pressure: Pressure,
    /// The rows of this block that are not quiet.
    loud: Vec<Inst>,
    rows: Rows,
    /// What is in use, without the stand-ins of this walk; and those, by file.
    now: Counts,
    held: [Vec<Held>; MAX_FILES],
    held_units: Counts,
    /// Every need of this block for a spilled value in a register: value, then row, ascending.
    needs: Vec<(VReg, u32)>,
}

/// Rewrites the function for the homes as they are now; returns what it has done. `touched` must be as `Touched::fresh` has it. With
/// `reuse`, a stand-in may serve more than one row.
pub(super) fn insert(
    cx: &mut Cx,
    pressure: Pressure,
    regions: &Regions,
    touched: &Column<Block, bool>,
    reuse: bool,
) -> Inserted {
    let firsts = cx.func.blocks.as_slice().iter().map(|block| block.first).collect::<Vec<_>>().into();
    let mut rewritten = touched.clone();
    let Cx { func, machine, flow, limits, homes, live, loops, times, origins, .. } = cx;
    let starts =
        regions.list.iter().enumerate().filter_map(|(k, r)| Some((loops.before[r.within].get()?, k)));
    let mut starting: Vec<(Block, usize)> = starts.collect();
    starting.sort_unstable();
    starting.iter().for_each(|start| rewritten[start.0] = true);
    let mut walk = Walk {
        loops,
        times,
        regions,
        starting,
        block: Block::new(0),
        pressure,
        loud: Vec::new(),
        machine,
        flow,
        live,
        limits,
        homes,
        origins,
        reuse,
        rows: Rows::new(func, func.insts.len() / 4, origins),
        now: Counts::NONE,
        held: Default::default(),
        held_units: Counts::NONE,
        needs: Vec::new(),
    };
    for b in func.blocks.keys() {
        if !rewritten[b] {
            let block = &func.blocks[b];
            walk.rows.keep_all(func, walk.origins, block.first.index()..block.end.index());
            walk.rows.end_block();
            continue;
        }
        walk.start(func, b);
        let mut next = func.blocks[b].first.index();
        let loud = std::mem::take(&mut walk.loud);
        for &i in &loud {
            walk.quiet_rows(func, next..i.index());
            walk.row(func, i);
            next = i.index() + 1;
        }
        walk.quiet_rows(func, next..func.blocks[b].end.index());
        walk.loud = loud;
        walk.rows.end_block();
    }
    walk.rows.finish(func, origins);
    homes.fresh.clear();
    Inserted { firsts, rewritten }
}

impl<'a> Walk<'a> {
    fn view<'b>(&self, func: &'b Func) -> View<'b>
    where
        'a: 'b,
    {
        let &Walk { machine, flow, live, limits, loops, times, .. } = self;
        View { func, machine, flow, limits, live, loops, times }
    }

    fn start(&mut self, func: &Func, b: Block) {
        self.let_go_of_all();
        self.needs.clear();
        self.loud.clear();
        self.block = b;
        let alive = self.loops.of.get(b).and_then(|l| self.regions.alive.get(l.get()?).copied());
        self.now = alive.unwrap_or(Counts::NONE);
        if func.blocks[b].first == func.blocks[b].end {
            return;
        }
        let (now, dead) = self.pressure.head(self.view(func), b);
        self.now = self.now.add(now).less(dead);
        for i in func.rows(b) {
            if self.is_quiet(i) {
                continue;
            }
            self.loud.push(i);
            if !self.homes.takes_memory(func, self.machine, i) {
                for v in func.uses(i).iter().filter_map(|u| u.as_virt()) {
                    if self.pressure.in_memory(v) && self.region(self.root(v), b).is_none() {
                        self.needs.push((self.root(v), i.index() as u32));
                    }
                }
            }
        }
        self.needs.sort_unstable();
    }

    /// The value itself, or what it stands for if its uses go back to that.
    fn root(&self, v: VReg) -> VReg {
        if self.homes.cut.contains(v) { self.homes.stands_for[v].get().unwrap_or(v) } else { v }
    }

    fn region(&self, v: VReg, b: Block) -> Option<VReg> {
        if self.regions.list.is_empty() { None } else { self.regions.find(self.loops, v, b) }
    }

    /// True if a row names no value in memory and does nothing but compute.
    #[inline(always)]
    fn is_quiet(&self, i: Inst) -> bool {
        let window = &self.live.windows[i];
        let [x, y, z] = window.values.map(|v| self.pressure.in_memory(v));
        window.is_usual(CALL | MOVE | TERMINATORS | EARLY_DEF) & !(x | y | z)
    }

    /// Keeps rows that are quiet, and counts.
    fn quiet_rows(&mut self, func: &Func, rows: std::ops::Range<usize>) {
        let is_holding = self.held.iter().any(|held| !held.is_empty());
        for i in rows.clone().map(Inst::new) {
            let row = self.pressure.usual_row(self.view(func), &self.live.windows[i]);
            self.now = self.now.add(row.defs).less(row.freed);
            if is_holding {
                self.make_room(func, i, Counts::NONE);
            }
            self.now = self.now.less(row.dead);
        }
        self.rows.keep_all(func, self.origins, rows);
    }

    fn row(&mut self, func: &mut Func, i: Inst) {
        let row = func.insts[i];
        if row.op == PHI {
            // Its uses are at the ends of the predecessors, where nothing is held. A phi in memory wants its
            // operands there.
            let in_reg = func.defs(i)[0].as_virt().is_some_and(|d| !self.pressure.in_memory(d));
            self.rename(func, i, |walk, v, at| {
                walk.region(walk.root(v), at).filter(|_| in_reg).unwrap_or(walk.root(v))
            });
            self.rows.keep(func, self.origins, i, row);
            return;
        }
        // Of the operands as they are before stand-ins take their places.
        let deltas = self.pressure.row(self.view(func), i);
        if i.index() + 1 == func.blocks[self.block].end.index() {
            self.enter_loops(func, i);
        }
        if self.homes.takes_memory(func, self.machine, i) {
            self.moving_row(func, i, &deltas);
            return;
        }
        let first_use = row.first as usize + row.defs as usize;
        for k in first_use..first_use + row.uses as usize {
            if let Some(v) = func.operands[k].as_virt().filter(|&v| self.is_spilled(v)) {
                let temp = self.reload(func, i, v);
                func.operands[k] = Operand::virt(temp);
            }
        }
        let early = self.machine.is(func, i, EARLY_DEF);
        if !early {
            self.now = self.now.less(deltas.freed);
            self.let_go_of_useless(func);
        }
        let (mut stores, mut cut) = (Vec::new(), Counts::NONE);
        self.now = self.now.add(deltas.defs);
        for k in row.first as usize..first_use {
            let Some(v) = func.operands[k].as_virt() else { continue };
            if self.homes.home[v] == Home::Slot {
                let temp = self.homes.stand_in(func, v);
                let next = self.next_need(v, i);
                if next == u32::MAX {
                    self.homes.pinned.insert(temp);
                }
                self.hold(func, Held { value: v, temp, next, used: i.index() as u32 });
                func.operands[k] = Operand::virt(temp);
                stores.push((v, temp));
            } else if self.homes.cut.contains(v) {
                cut = cut.add(self.view(func).needed(v));
            }
        }
        self.make_room(func, i, cut);
        if early {
            self.now = self.now.less(deltas.freed);
        }
        self.let_go_of_useless(func);
        self.now = self.now.less(deltas.dead);
        self.rows.keep(func, self.origins, i, row);
        for (v, temp) in stores {
            self.copy(func, i, v, temp);
        }
    }

    /// True if a value that was there before this walk is in memory.
    fn is_spilled(&self, v: VReg) -> bool {
        v.index() < self.live.crosses.len() && self.pressure.in_memory(v)
    }

    fn hold(&mut self, func: &Func, held: Held) {
        let file = self.view(func).file(held.value);
        self.held_units = self.held_units.add(self.view(func).needed(held.value));
        self.held[file].push(held);
    }

    /// Copies values to their stand-ins for the loop that is entered from here.
    fn enter_loops(&mut self, func: &mut Func, i: Inst) {
        let at = self.starting.partition_point(|s| s.0 < self.block);
        for k in at..self.starting.len() {
            if self.starting[k].0 != self.block {
                break;
            }
            let Region { value, temp, .. } = self.regions.list[self.starting[k].1];
            self.now = self.now.add(self.view(func).needed(value));
            self.make_room(func, i, Counts::NONE);
            self.copy(func, i, temp, value);
        }
    }

    /// A row whose operands may be in memory: it uses stand-ins that are there anyway.
    fn moving_row(&mut self, func: &mut Func, i: Inst, deltas: &Deltas) {
        let row = func.insts[i];
        if is_copy(func, self.machine, i)
            && let (Some(d), Some(s)) = (func.defs(i)[0].as_virt(), func.uses(i)[0].as_virt())
        {
            if self.homes.stands_for[s] == Opt::some(d) {
                // The store after a definition; `s` may be cut, and this is its one use left.
                self.now = self.now.less(deltas.freed);
                self.rows.keep(func, self.origins, i, row);
                return;
            }
            if self.homes.cut.contains(d) && self.homes.stands_for[d] == Opt::some(self.root(s)) {
                return;
            }
        }
        self.now = self.now.less(deltas.freed);
        self.rename(func, i, |walk, v, at| {
            let root = walk.root(v);
            let held = walk.held.iter().flatten().find(|h| h.value == root && walk.reuse).map(|h| h.temp);
            walk.region(root, at).or(held).unwrap_or(root)
        });
        if self.machine.is(func, i, CALL) {
            self.let_go_of_all();
        }
        self.now = self.now.add(deltas.defs);
        self.make_room(func, i, Counts::NONE);
        self.now = self.now.less(deltas.dead);
        self.rows.keep(func, self.origins, i, row);
    }

    /// Replaces the uses of a row that are in memory, keeping their constraints.
    fn rename(&self, func: &mut Func, i: Inst, new: impl Fn(&Self, VReg, Block) -> VReg) {
        let first = func.insts[i].first as usize + func.insts[i].defs as usize;
        let phi = func.insts[i].op == PHI;
        for k in first..first + func.uses(i).len() {
            let at = if phi { func.preds(self.block)[k - first] } else { self.block };
            let use_ = func.operands[k];
            if let Some(v) = use_.as_virt().filter(|&v| self.is_spilled(v)) {
                let v = new(self, v, at);
                func.operands[k] = use_.constraint().map_or(Operand::virt(v), |reg| Operand::fixed(v, reg));
            }
        }
    }

    /// The stand-in to use for `v` in row `i`; makes one if none is held.
    fn reload(&mut self, func: &mut Func, i: Inst, v: VReg) -> VReg {
        let (root, row) = (self.root(v), i.index() as u32);
        if let Some(temp) = self.region(root, self.block) {
            return temp;
        }
        let file = self.view(func).file(root);
        let next = self.next_need(root, i);
        if let Some(held) = self.held[file].iter_mut().find(|h| h.value == root) {
            (held.next, held.used) = (next, row);
            return held.temp;
        }
        self.make_room(func, i, self.view(func).needed(root));
        let temp = self.homes.stand_in(func, root);
        if next == u32::MAX {
            self.homes.pinned.insert(temp);
        }
        self.hold(func, Held { value: root, temp, next, used: row });
        self.copy(func, i, temp, root);
        temp
    }

    /// The next row of the block after `i` that needs a stand-in for `v`.
    fn next_need(&self, v: VReg, i: Inst) -> u32 {
        if !self.reuse {
            return u32::MAX;
        }
        let at = self.needs.partition_point(|&need| need <= (v, i.index() as u32));
        self.needs.get(at).filter(|need| need.0 == v).map_or(u32::MAX, |need| need.1)
    }

    fn copy(&mut self, func: &mut Func, i: Inst, to: VReg, from: VReg) {
        let vreg = func.vregs[to];
        let op = self.machine.width(vreg.class, u32::from(vreg.bytes)).copy;
        let row = func.make_row(op, &[Operand::virt(to)], &[Operand::virt(from)], 0, 0);
        self.rows.add(func, i, row, Opt::NONE);
    }

    /// Lets go of stand-ins until `extra` fits; never of one that row `i` uses.
    fn make_room(&mut self, func: &Func, i: Inst, extra: Counts) {
        let most = self.limits.most;
        while self.now.add(extra).add(self.held_units).exceeds_in_all(most) {
            let excess = self.now.add(extra).add(self.held_units);
            let of_file = |file: usize| {
                let held = self.held[file].iter().enumerate().filter(|(_, h)| h.used != i.index() as u32);
                held.max_by_key(|(_, h)| h.next).map(|(k, _)| (file, k))
            };
            let mut files = (0..self.limits.files).filter(|&file| excess.all(file) > most.all(file));
            let Some((file, k)) = files.find_map(of_file) else { break };
            let held = self.held[file].swap_remove(k);
            self.held_units = self.held_units.less(self.view(func).needed(held.value));
        }
    }

    fn let_go_of_all(&mut self) {
        self.held.iter_mut().for_each(Vec::clear);
        self.held_units = Counts::NONE;
    }

    fn let_go_of_useless(&mut self, func: &Func) {
        for file in 0..self.limits.files {
            for k in (0..self.held[file].len()).rev() {
                if self.held[file][k].next == u32::MAX {
                    let held = self.held[file].remove(k);
                    self.held_units = self.held_units.less(self.view(func).needed(held.value));
                }
            }
        }
    }
}
