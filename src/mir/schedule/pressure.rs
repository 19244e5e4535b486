//! Registers in use while rows are put in order, in front of allocation: what is alive behind each block (`live_into` of
//! `base/graph`, for the values that several blocks name), and from there, region by region upwards, what is alive at each
//! row as it stands. An order may need as many registers as there are, but one, or as the rows did as they stood. O(rows + entries of live-in lists).

use super::super::desc::PHI;
use super::super::registers::MAX_FILES;
use super::super::{Block, Class, Func, Inst, Machine, VReg};
use crate::base::graph::live_into;
use crate::base::{Column, Handle, Opt, Rows};
use std::ops::Range;

/// Registers that an order leaves free, for copies that the allocator makes.
const FREE: i32 = 1;

/// Values that may be spared: three save 0.2% more of a SiFive U74's cycles, and cost 1% of a Cortex-R52's.
const MOST_SPARED: i32 = 2;

/// Units of the results of nearly all rows; rows with more are counted where registers are few.
const MOST_UNITS: i32 = 8;

/// See `live_in`. Usual functions have 2 to 5.
const MOST_LIVE: usize = 6;

type Counts = [i32; MAX_FILES];

/// A value that a row of the region names.
#[derive(Copy, Clone, Debug)]
struct Named {
    value: u32,
    is_def: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pressure {
    live_in: Rows<Block, VReg>,
    /// Values alive behind the row that was passed last: of those the epoch.
    alive: Column<VReg, u32>,
    epoch: u32,
    /// Per value: uses of it in the region that are still to come.
    left: Column<VReg, u32>,
    /// Per value: its file and units; which are 0 for what is no register.
    file: Column<VReg, (u8, u8)>,
    limit: Counts,
    /// Number of files.
    files: usize,
    behind: Counts,
    /// Of the region: at its start, at most as it stands, and what is allowed.
    start: Counts,
    allowed: Counts,
    /// Of what is alive through the loop that the region is, and not named in it, as much as may be spared.
    spare: Counts,
    /// From here on what is under way is finished first.
    soft: Counts,
    now: Counts,
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
        self.alive.clear();
        self.alive.grow_to(values, 0);
        self.left.clear();
        self.left.grow_to(values, 0);
        self.epoch = 0;
        self.file.clear();
        let of = |class: Class| (machine.registers.file(class) as u8, machine.class(class).units);
        self.file.extend(func.vregs.as_slice().iter().map(|row| of(row.class)));
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

    fn live(&mut self, v: VReg) {
        if !self.is_alive(v) {
            self.alive[v] = self.epoch;
            Pressure::add(&mut self.behind, self.file[v], 1);
        }
    }

    fn dead(&mut self, v: VReg) {
        if self.is_alive(v) {
            self.alive[v] = 0;
            Pressure::add(&mut self.behind, self.file[v], -1);
        }
    }

    /// Goes to the end of a block.
    pub(super) fn leave(&mut self, func: &Func, b: Block) {
        self.epoch += 1;
        self.behind = [0; MAX_FILES];
        for s in func.succs(b) {
            for k in 0..self.live_in.get(s).len() {
                self.live(self.live_in.get(s)[k]);
            }
            let phis = func.rows(s).take_while(|&i| func.insts[i].op == PHI);
            let Some(slot) = func.preds(s).iter().position(|&p| p == b) else { continue };
            for i in phis {
                if let Some(v) = func.uses(i).get(slot).and_then(|o| o.as_virt()) {
                    self.live(v);
                }
            }
        }
    }

    /// Goes up over rows.
    pub(super) fn pass(&mut self, func: &Func, rows: Range<usize>) {
        for i in rows.rev().map(Inst::new) {
            func.defs(i).iter().filter_map(|o| o.as_virt()).for_each(|v| self.dead(v));
            if func.insts[i].op != PHI {
                func.uses(i).iter().filter_map(|o| o.as_virt()).for_each(|v| self.live(v));
            }
        }
    }

    /// Looks at a region of a block: what is alive at its start, and what its rows need as they stand.
    pub(super) fn measure(&mut self, func: &Func, b: Block, rows: Range<usize>) {
        self.first.clear();
        self.names.clear();
        for i in rows.clone().map(Inst::new) {
            self.first.push(self.names.len() as u32);
            let defs = usize::from(func.insts[i].defs);
            for (k, v) in func.operands(i).iter().enumerate().filter_map(|(k, o)| Some((k, o.as_virt()?))) {
                self.names.push(Named { value: v.index() as u32, is_def: k < defs });
                self.left[v] = 0;
            }
        }
        self.first.push(self.names.len() as u32);
        let (mut now, mut most) = (self.behind, self.behind);
        let mut made = [0; MAX_FILES];
        for node in (0..rows.len()).rev() {
            let range = self.names_of(node);
            for named in &self.names[range.clone()] {
                let v = VReg::new(named.value as usize);
                if named.is_def {
                    Pressure::add(&mut made, self.file[v], 1);
                }
                if named.is_def && (self.left[v] > 0 || self.alive[v] == self.epoch) {
                    Pressure::add(&mut now, self.file[v], -1);
                }
            }
            for named in &self.names[range] {
                let v = VReg::new(named.value as usize);
                if !named.is_def {
                    if self.left[v] == 0 && self.alive[v] != self.epoch {
                        Pressure::add(&mut now, self.file[v], 1);
                    }
                    self.left[v] += 1;
                }
            }
            for (most, now) in most.iter_mut().zip(now) {
                *most = now.max(*most);
            }
        }
        self.start = now;
        self.is_slack = true;
        for file in 0..self.files {
            self.is_slack &= now[file] + made[file] <= self.limit[file];
            self.allowed[file] = self.limit[file].max(most[file]);
        }
        self.spare = [0; MAX_FILES];
        if !self.is_slack && is_whole_loop(func, b, rows.start) {
            // What is named and comes from outside has uses.
            for &v in self.live_in.get(b).iter().filter(|&&v| self.left[v] == 0) {
                Pressure::add(&mut self.spare, self.file[v], 1);
            }
            self.spare = self.spare.map(|units| units.min(MOST_SPARED));
        }
        // The uses are counted down from here on, order by order.
        self.names.iter().for_each(|named| self.left[VReg::new(named.value as usize)] = 0);
    }

    fn names_of(&self, node: usize) -> Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// True if no order can need more registers than it may.
    pub(super) fn is_slack(&self) -> bool {
        self.is_slack
    }

    /// True if there are values that the loop does not name.
    pub(super) fn can_spare(&self) -> bool {
        self.spare != [0; MAX_FILES]
    }

    /// Begins an order, in which some of those have no register, or all have one.
    pub(super) fn start(&mut self, quarters: i32, spares: bool) {
        self.now = self.start;
        for file in 0..MAX_FILES {
            if spares {
                self.now[file] -= self.spare[file];
            }
            let (all, start) = (self.allowed[file], self.now[file].min(self.allowed[file]));
            self.soft[file] = start + (all - start) * quarters / 4;
        }
        self.names.iter().for_each(|named| self.left[VReg::new(named.value as usize)] = 0);
        for named in self.names.iter().filter(|named| !named.is_def) {
            self.left[VReg::new(named.value as usize)] += 1;
        }
    }

    /// What is in use behind a node if it comes next.
    fn with(&self, node: usize) -> Counts {
        let mut now = self.now;
        let names = &self.names[self.names_of(node)];
        for (k, named) in names.iter().enumerate() {
            let v = VReg::new(named.value as usize);
            if named.is_def {
                Pressure::add(&mut now, self.file[v], 1);
            } else if !self.is_alive(v) {
                let before = names[..k].iter().filter(|other| !other.is_def && other.value == named.value);
                if self.left[v] == before.count() as u32 + 1 {
                    Pressure::add(&mut now, self.file[v], -1);
                }
            }
        }
        now
    }

    /// True if any node may come next: there are registers for as many results as a row has.
    pub(super) fn has_room(&self) -> bool {
        self.now.iter().zip(self.soft).all(|(&now, soft)| now + MOST_UNITS <= soft || soft == 0)
    }

    /// True if there are too few registers for a node to come next.
    pub(super) fn exceeds(&self, node: usize) -> bool {
        let now = self.with(node);
        // What needs no more than before is never in the way.
        now.iter().zip(self.soft).zip(self.now).any(|((&now, allowed), before)| now > allowed && now > before)
    }

    /// Puts a node next; false if there are too few registers.
    pub(super) fn take(&mut self, node: usize) -> bool {
        let with = self.with(node);
        let before = std::mem::replace(&mut self.now, with);
        let mut counts = self.now.iter().zip(self.allowed).zip(before);
        if counts.any(|((&now, allowed), before)| now > allowed && now > before) {
            return false;
        }
        for k in self.names_of(node) {
            let named = self.names[k];
            let v = VReg::new(named.value as usize);
            if !named.is_def {
                self.left[v] -= 1;
            } else if self.left[v] == 0 && !self.is_alive(v) {
                Pressure::add(&mut self.now, self.file[v], -1);
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

/// What is live into each block of the values that several blocks name; none if that is `MOST_LIVE` times the rows: lists
/// of a function with very many values and blocks grow as their product.
fn live_in(func: &Func) -> Option<Rows<Block, VReg>> {
    // By value: its block, and its last use elsewhere, each with the one before.
    let values = func.vregs.len();
    let mut home: Column<VReg, u32> = Column::filled(values, u32::MAX);
    let mut newest: Column<VReg, u32> = Column::filled(values, u32::MAX);
    let mut uses: Vec<(Block, u32)> = Vec::new();
    for (b, _) in func.blocks.iter() {
        for i in func.rows(b) {
            for v in func.defs(i).iter().filter_map(|o| o.as_virt()) {
                home[v] = b.index() as u32;
            }
            let is_phi = func.insts[i].op == PHI;
            for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, o)| Some((k, o.as_virt()?))) {
                let at = if is_phi { func.preds(b)[k] } else { b };
                if func.vregs[v].crosses && home[v] != at.index() as u32 {
                    let before = std::mem::replace(&mut newest[v], uses.len() as u32);
                    uses.push((at, before));
                }
            }
        }
    }
    // Blocks stand behind what dominates them: what lives between two with no loop in between is in none.
    let mut loops = vec![0u32];
    for block in func.blocks.as_slice() {
        loops.push(loops[loops.len() - 1] + u32::from(block.loop_depth > 0));
    }
    let mut entries: Vec<(Block, VReg)> = Vec::with_capacity(2 * uses.len());
    let mut mark: Column<Block, Opt<VReg>> = Column::filled(func.blocks.len(), Opt::NONE);
    let all = uses.as_slice();
    for v in newest.keys().filter(|&v| newest[v] != u32::MAX) {
        let mut next = newest[v];
        let at = std::iter::from_fn(move || {
            let &(at, before) = all.get(next as usize)?;
            next = before;
            Some(at)
        });
        let block = (home[v] != u32::MAX).then(|| Block::new(home[v] as usize));
        let own = home[v];
        let last = at.clone().map(Handle::index).max().unwrap_or(0);
        if loops[last + 1] <= loops[block.map_or(0, Handle::index)] {
            continue;
        }
        live_into(func, (v, block), at.filter(|at| at.index() as u32 != own), &mut mark, &mut entries);
        if entries.len() > MOST_LIVE * func.insts.len() {
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
