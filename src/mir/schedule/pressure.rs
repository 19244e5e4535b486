//! Registers in use while rows are put in order, in front of allocation: what is alive behind each block (`live_into` of
//! `base/graph`, for the values that several blocks name), and from there, region by region upwards, what is alive at each
//! row as it stands. An order may need as many registers as there are, but one, or as the rows did as they stood. O(rows + entries of live-in lists).

use super::super::desc::{PHI, REMAT};
use super::super::func::use_count;
use super::super::registers::MAX_FILES;
use super::super::{Block, Class, Func, Inst, Machine, VReg};
use crate::base::graph::live_into;
use crate::base::{Column, Handle, Opt, Rows};
use std::ops::Range;

/// Registers that an order leaves free, for copies that the allocator makes.
const FREE: i32 = 1;

/// Values that an order of a loop may spill beside those that the loop does not name: what is tried. (With eight at most `nbody` takes 1.27 of
/// `llc`'s cycles on a Cortex-R52, and 0.78 so.)
pub(super) const SPILLS: [i32; 5] = [14, 8, 4, 2, 0];

/// Cycles of a round that a spilled value is taken to cost (1, 2, 3: a Cortex-R52's kernels take 0.877, 0.876, 0.872 of `llc -O3`'s), and
/// rounds that share the store and the load of one that the loop does not name.
const SPILL_COST: i32 = 3;
const SHARED_BY: i32 = 4;

/// See `live_in`. Usual functions have 2 to 5.
const MOST_LIVE: usize = 6;
/// So many entries are few, however short the function. (Without it a public convolution, where 27 values live through five
/// loops, is not scheduled: 0.93 of its cycles on a Cortex-A53, 0.94 on an R52.)
const FEW_LIVE: usize = 10_000;

type Counts = [i32; MAX_FILES];

/// A value that a row of the region names, by its place in `Pressure::values`.
#[derive(Copy, Clone, Debug)]
struct Named {
    place: u32,
    is_def: bool,
}

/// A value that rows of the region name.
#[derive(Copy, Clone, Debug)]
struct Value {
    file: u8,
    units: u8,
    /// It is alive behind the region.
    is_alive: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pressure {
    live_in: Rows<Block, VReg>,
    /// Values alive behind the row that was passed last: of those the epoch.
    alive: Column<VReg, u32>,
    epoch: u32,
    /// Per value: the last region that names it, and its place among the values of that.
    places: Column<VReg, (u32, u32)>,
    region: u32,
    /// Values of the region; of each its uses in it, and those that are still to come.
    values: Vec<Value>,
    uses: Vec<u32>,
    left: Vec<u32>,
    /// Per class: its file and units; which are 0 for what is no register.
    classes: Vec<(u8, u8)>,
    /// Values that can be rematerialised; empty until a loop asks.
    is_remat: Column<VReg, bool>,
    limit: Counts,
    /// Number of files.
    files: usize,
    behind: Counts,
    /// Of the region: at its start, at most as it stands, and what is allowed.
    start: Counts,
    most: Counts,
    allowed: Counts,
    /// The most that results of one of its rows take.
    widest: Counts,
    /// If the region is a loop: what is alive through it and not named in it, and what of that can be rematerialised.
    through: Counts,
    remat: Counts,
    is_loop: bool,
    can_spill: bool,
    /// From here on what is under way is finished first.
    soft: Counts,
    now: Counts,
    /// Of the order that is made: what it may spill, and the most in use but for that.
    spilled: Counts,
    peak: Counts,
    is_slack: bool,
    /// Per node: its names in `names`.
    first: Vec<u32>,
    names: Vec<Named>,
}

impl Pressure {
    /// Looks at a function; false if too much is alive in too many blocks of it.
    pub(super) fn begin(&mut self, func: &Func, machine: &Machine) -> bool {
        let values = func.vregs.len();
        let Some(live_in) = live_in(func) else { return false };
        self.live_in = live_in;
        // What functions before have left there is of earlier epochs and regions, until these run out.
        if self.epoch.max(self.region) > u32::MAX / 2 {
            self.alive.clear();
            self.places.clear();
            (self.epoch, self.region) = (0, 0);
        }
        self.alive.grow_to(values, 0);
        self.places.grow_to(values, (0, 0));
        self.classes.clear();
        let classes = (0..machine.classes.len()).map(|k| Class(k as u8));
        let of = |class: Class| (machine.registers.file(class) as u8, machine.class(class).units);
        self.classes.extend(classes.map(of));
        self.is_remat.clear();
        self.limit = [0; MAX_FILES];
        self.files = machine.files_of(func);
        for (file, limit) in self.limit.iter_mut().enumerate().take(self.files) {
            let classes = (0..machine.classes.len()).map(|k| Class(k as u8));
            let of_file = classes.filter(|&class| machine.registers.file(class) == file);
            let widest = of_file.map(|class| i32::from(machine.class(class).units)).max().unwrap_or(1);
            *limit = machine.given_units(func, file).count() as i32 - FREE * widest;
        }
        true
    }

    fn is_alive(&self, v: VReg) -> bool {
        self.alive[v] == self.epoch
    }

    fn add(counts: &mut Counts, (file, units): (u8, u8), sign: i32) {
        counts[usize::from(file) % MAX_FILES] += sign * i32::from(units);
    }

    /// File and units of a value.
    fn file(&self, func: &Func, v: VReg) -> (u8, u8) {
        self.classes.get(func.vregs[v].class.index()).copied().unwrap_or((0, 0))
    }

    fn live(&mut self, func: &Func, v: VReg) {
        if !self.is_alive(v) {
            self.alive[v] = self.epoch;
            let file = self.file(func, v);
            Pressure::add(&mut self.behind, file, 1);
        }
    }

    fn dead(&mut self, func: &Func, v: VReg) {
        if self.is_alive(v) {
            self.alive[v] = 0;
            let file = self.file(func, v);
            Pressure::add(&mut self.behind, file, -1);
        }
    }

    /// Goes to the end of a block.
    pub(super) fn leave(&mut self, func: &Func, b: Block) {
        self.epoch += 1;
        self.behind = [0; MAX_FILES];
        for s in func.succs(b) {
            for k in 0..self.live_in.get(s).len() {
                self.live(func, self.live_in.get(s)[k]);
            }
            let phis = func.rows(s).take_while(|&i| func.insts[i].op == PHI);
            let Some(slot) = func.preds(s).iter().position(|&p| p == b) else { continue };
            for i in phis {
                if let Some(v) = func.uses(i).get(slot).and_then(|o| o.as_virt()) {
                    self.live(func, v);
                }
            }
        }
    }

    /// Goes up over rows.
    pub(super) fn pass(&mut self, func: &Func, rows: Range<usize>) {
        for i in rows.rev().map(Inst::new) {
            func.defs(i).iter().filter_map(|o| o.as_virt()).for_each(|v| self.dead(func, v));
            if func.insts[i].op != PHI {
                func.uses(i).iter().filter_map(|o| o.as_virt()).for_each(|v| self.live(func, v));
            }
        }
    }

    /// Looks at a region of a block: what is alive at its start, and what its rows need as they stand.
    pub(super) fn measure(&mut self, func: &Func, machine: &Machine, b: Block, rows: Range<usize>) {
        self.first.clear();
        self.names.clear();
        self.values.clear();
        self.region += 1;
        for i in rows.clone().map(Inst::new) {
            self.first.push(self.names.len() as u32);
            let defs = usize::from(func.insts[i].defs);
            for (k, v) in func.operands(i).iter().enumerate().filter_map(|(k, o)| Some((k, o.as_virt()?))) {
                let place = self.place(func, v);
                self.names.push(Named { place, is_def: k < defs });
            }
        }
        self.first.push(self.names.len() as u32);
        self.uses.clear();
        self.uses.resize(self.values.len(), 0);
        let (mut now, mut most) = (self.behind, self.behind);
        let mut made = [0; MAX_FILES];
        self.widest = [0; MAX_FILES];
        for node in (0..rows.len()).rev() {
            let before = made;
            let row = &self.names[self.names_of(node)];
            for named in row.iter().filter(|named| named.is_def) {
                let Value { file, units, is_alive } = self.values[named.place as usize];
                Pressure::add(&mut made, (file, units), 1);
                if is_alive || self.uses[named.place as usize] > 0 {
                    Pressure::add(&mut now, (file, units), -1);
                }
            }
            for named in row.iter().filter(|named| !named.is_def) {
                let Value { file, units, is_alive } = self.values[named.place as usize];
                let uses = &mut self.uses[named.place as usize];
                if *uses == 0 && !is_alive {
                    Pressure::add(&mut now, (file, units), 1);
                }
                *uses += 1;
            }
            for file in 0..self.files {
                most[file] = most[file].max(now[file]);
                self.widest[file] = self.widest[file].max(made[file] - before[file]);
            }
        }
        (self.start, self.most) = (now, most);
        self.is_slack = true;
        for file in 0..self.files {
            self.is_slack &= now[file] + made[file] <= self.limit[file];
            self.allowed[file] = self.limit[file].max(most[file]);
        }
        (self.through, self.remat) = ([0; MAX_FILES], [0; MAX_FILES]);
        self.is_loop = is_whole_loop(func, b, rows.start);
        self.can_spill = self.is_loop && !self.is_slack;
        if self.can_spill {
            self.find_remats(func, machine);
            // What is named and comes from outside has uses.
            for &v in self.live_in.get(b).iter().filter(|&&v| self.places[v].0 != self.region) {
                let file = self.file(func, v);
                Pressure::add(&mut self.through, file, 1);
                if self.is_remat[v] {
                    Pressure::add(&mut self.remat, file, 1);
                }
            }
        }
    }

    /// The place of a value among those of the region.
    fn place(&mut self, func: &Func, v: VReg) -> u32 {
        let (region, place) = self.places[v];
        if region == self.region {
            return place;
        }
        let ((file, units), is_alive) = (self.file(func, v), self.is_alive(v));
        let place = self.values.len() as u32;
        self.values.push(Value { file, units, is_alive });
        self.places[v] = (self.region, place);
        place
    }

    /// Notes which values can be rematerialised, once a function: few have loops that are short of registers.
    fn find_remats(&mut self, func: &Func, machine: &Machine) {
        if !self.is_remat.is_empty() {
            return;
        }
        self.is_remat.grow_to(func.vregs.len(), false);
        for i in func.blocks.keys().flat_map(|b| func.rows(b)).filter(|&i| machine.is(func, i, REMAT)) {
            for v in func.defs(i).iter().filter_map(|o| o.as_virt()) {
                self.is_remat[v] = true;
            }
        }
    }

    fn names_of(&self, node: usize) -> Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// True if no order can need more registers than it may.
    pub(super) fn is_slack(&self) -> bool {
        self.is_slack
    }

    /// True if the region is, but for phis, all of a loop.
    pub(super) fn is_whole_loop(&self) -> bool {
        self.is_loop
    }

    /// True of such a loop that may need more registers than there are: what it spills is known.
    pub(super) fn can_spill(&self) -> bool {
        self.can_spill
    }

    /// Begins an order. With a number, it may spill as many values beside all that the loop does not name; of these as many are
    /// spilled already as the rows need registers, as they stand, beyond those that there are.
    pub(super) fn start(&mut self, quarters: i32, spills: Option<i32>) {
        self.now = self.start;
        self.spilled = [0; MAX_FILES];
        for file in 0..self.files {
            if let Some(spills) = spills {
                let gone = (self.most[file] - self.limit[file]).max(0);
                self.spilled[file] = (self.through[file] - gone).max(0) + spills;
            }
            self.now[file] -= self.spilled[file];
            let (all, start) = (self.allowed[file], self.now[file].min(self.allowed[file]));
            self.soft[file] = start + (all - start) * quarters / 4;
        }
        self.peak = self.now;
        self.left.clone_from(&self.uses);
    }

    /// What is in use behind a node if it comes next.
    fn with(&self, node: usize) -> Counts {
        let mut now = self.now;
        let names = &self.names[self.names_of(node)];
        for (k, named) in names.iter().enumerate() {
            let Value { file, units, is_alive } = self.values[named.place as usize];
            if named.is_def {
                Pressure::add(&mut now, (file, units), 1);
            } else if !is_alive {
                let left = self.left[named.place as usize];
                let before = |other: &&Named| !other.is_def && other.place == named.place;
                if left == 1 || left == names[..k].iter().filter(before).count() as u32 + 1 {
                    Pressure::add(&mut now, (file, units), -1);
                }
            }
        }
        now
    }

    /// True if any node may come next: there are registers for as many results as a row has.
    pub(super) fn has_room(&self) -> bool {
        (0..self.files).all(|file| self.now[file] + self.widest[file] <= self.soft[file])
    }

    /// True if there are too few registers for a node to come next.
    pub(super) fn exceeds(&self, node: usize) -> bool {
        let now = self.with(node);
        // What needs no more than before is never in the way.
        (0..self.files).any(|file| now[file] > self.soft[file] && now[file] > self.now[file])
    }

    /// Cycles of a round that the order which was made costs by what it spills, beyond what is spilled as the rows stand.
    /// What the loop does not name is first.
    pub(super) fn price(&self) -> u32 {
        let mut price = 0;
        for file in 0..self.files {
            let (through, remat) = (self.through[file], self.remat[file]);
            let over = |most: i32| (most - self.limit[file]).max(0);
            let (then, now) = (over(self.most[file]), over(self.peak[file] + self.spilled[file]));
            let inside = |over: i32| (over - through).max(0);
            let outside = |over: i32| (over.min(through) - remat).max(0);
            price += (inside(now) - inside(then)).max(0) * SPILL_COST;
            price += (outside(now) - outside(then)).max(0) / SHARED_BY;
        }
        price as u32
    }

    /// Puts a node next; false if there are too few registers.
    pub(super) fn take(&mut self, node: usize) -> bool {
        let before = self.now;
        let names = &self.names[self.names_of(node)];
        for named in names {
            let Value { file, units, is_alive } = self.values[named.place as usize];
            if named.is_def {
                Pressure::add(&mut self.now, (file, units), 1);
                continue;
            }
            let left = &mut self.left[named.place as usize];
            *left -= 1;
            if *left == 0 && !is_alive {
                Pressure::add(&mut self.now, (file, units), -1);
            }
        }
        for (file, &before) in before.iter().enumerate().take(self.files) {
            if self.now[file] > self.allowed[file] && self.now[file] > before {
                return false;
            }
            self.peak[file] = self.peak[file].max(self.now[file]);
        }
        for named in names.iter().filter(|named| named.is_def) {
            let Value { file, units, is_alive } = self.values[named.place as usize];
            if self.left[named.place as usize] == 0 && !is_alive {
                Pressure::add(&mut self.now, (file, units), -1);
            }
        }
        true
    }
}

/// True if rows from here on are, but for phis, all of a block that goes back to itself.
fn is_whole_loop(func: &Func, b: Block, start: usize) -> bool {
    // Edges to phis have blocks of their own.
    let goes_back = |s: Block| func.succs(s).all(|to| to == b) && func.rows(s).count() == 1;
    let phis = func.rows(b).take_while(|&i| func.insts[i].op == PHI).count();
    func.blocks[b].first.index() + phis == start && func.succs(b).any(|s| s == b || goes_back(s))
}

/// A value that several blocks name: the block of its definition, its newest use elsewhere, and the last block that has one.
#[derive(Copy, Clone)]
struct Far {
    home: u32,
    newest: u32,
    last: u32,
}

/// What is live into each block of the values that several blocks name; none if that is more than `FEW_LIVE` and `MOST_LIVE`
/// times the rows: lists of a function with very many values and blocks grow as their product.
fn live_in(func: &Func) -> Option<Rows<Block, VReg>> {
    let nowhere = Far { home: u32::MAX, newest: u32::MAX, last: 0 };
    let mut far: Column<VReg, Far> = Column::filled(func.vregs.len(), nowhere);
    // Uses elsewhere, each with the one before of the same value; and the values that have any.
    let mut uses: Vec<(Block, u32)> = Vec::with_capacity(func.vregs.len());
    let mut used: Vec<VReg> = Vec::with_capacity(func.vregs.len());
    for (b, block) in func.blocks.iter() {
        for row in &func.insts.as_slice()[block.first.index()..block.end.index()] {
            let (first, defs, is_phi) = (row.first as usize, usize::from(row.defs), row.op == PHI);
            let operands = &func.operands[first..first + defs + use_count(row)];
            for (k, operand) in operands.iter().enumerate() {
                let Some(v) = operand.as_virt().filter(|&v| func.vregs[v].crosses) else { continue };
                let far = &mut far[v];
                if k < defs {
                    far.home = b.index() as u32;
                    continue;
                }
                let at = if is_phi { func.preds(b)[k - defs] } else { b };
                if far.home != at.index() as u32 {
                    if far.newest == u32::MAX {
                        used.push(v);
                    }
                    uses.push((at, far.newest));
                    far.newest = uses.len() as u32 - 1;
                    far.last = far.last.max(at.index() as u32);
                }
            }
        }
    }
    // Blocks stand behind what dominates them: what lives between two with no loop in between is in none.
    let mut loops = Vec::with_capacity(func.blocks.len() + 1);
    loops.push(0u32);
    for block in func.blocks.as_slice() {
        loops.push(loops[loops.len() - 1] + u32::from(block.loop_depth > 0));
    }
    let mut entries: Vec<(Block, VReg)> = Vec::with_capacity(2 * uses.len());
    let mut mark: Column<Block, Opt<VReg>> = Column::filled(func.blocks.len(), Opt::NONE);
    for v in used {
        let Far { home, newest, last } = far[v];
        let block = (home != u32::MAX).then(|| Block::new(home as usize));
        if loops[last as usize + 1] <= loops[block.map_or(0, Handle::index)] {
            continue;
        }
        let mut next = newest;
        let at = std::iter::from_fn(|| {
            let &(at, before) = uses.get(next as usize)?;
            next = before;
            Some(at)
        });
        live_into(func, (v, block), at.filter(|at| at.index() as u32 != home), &mut mark, &mut entries);
        if entries.len() > (MOST_LIVE * func.insts.len()).max(FEW_LIVE) {
            return None;
        }
    }
    // Loops are looked at, and where they are left to.
    let is_asked = |b: Block| {
        let depth = |b: Block| func.blocks[b].loop_depth;
        depth(b) > 0 || func.preds(b).iter().any(|&p| depth(p) > 0)
    };
    let asked: Column<Block, bool> = func.blocks.keys().map(is_asked).collect::<Vec<_>>().into();
    entries.retain(|&(b, _)| asked[b]);
    let mut lists = Rows::default();
    lists.fill(func.blocks.len(), &entries);
    Some(lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loop_does_not_name_is_spilled_first_and_rematerialising_costs_nothing() {
        // Of four registers, in a loop through which nine values live, one of them a constant.
        let price = |as_it_stands: i32, now: i32| {
            let [limit, most, through, remat, peak] =
                [4, as_it_stands, 9, 1, now].map(|units| [units, 0, 0, 0]);
            Pressure { files: 1, limit, most, through, remat, peak, ..Pressure::default() }.price()
        };
        assert_eq!([price(4, 4), price(4, 5), price(4, 9), price(4, 13)], [0, 0, 1, 2]);
        // Beyond those, in each round.
        assert_eq!([price(4, 14), price(4, 15)], [5, 8]);
        // What is spilled as the rows stand costs no more.
        assert_eq!([price(13, 13), price(13, 14), price(15, 14)], [0, 3, 0]);
    }
}
