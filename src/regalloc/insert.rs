//! Puts stand-ins beside spilled values: a row that needs registers gets a fresh value, copied from the spilled one before
//! a use, or copied to it after a definition. The copies are ordinary SSA rows; they become loads, stores or
//! recomputations when places are known.
//!
//! A stand-in serves later uses in its block as well, while registers are free: the walk counts the values in registers, and
//! where there are too many it lets go of the stand-in whose next use is furthest. Calls end all of them.
//! Blocks without spilled values stay as they are. O(rows log rows) for the others, because of the lists of next uses.

use super::Limits;
use super::choose::in_memory;
use super::flow::Flow;
use super::homes::{Home, Homes, is_copy};
use super::liveness::Liveness;
use super::loops::Loops;
use super::regions::{Region, Regions};
use super::rewrite::{Origins, Rows};
use super::window::Window;
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, EARLY_DEF, MOVE, PHI, TERMINATORS};
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
    live: &'a Liveness,
    limits: &'a Limits,
    homes: &'a mut Homes,
    origins: &'a Origins,
    reuse: bool,
    loops: &'a Loops,
    regions: &'a Regions,
    /// Stand-ins of loops by the block before the loop: block, place in `regions`.
    starting: Vec<(Block, usize)>,
    block: Block,
    /// Per value: its class, `NOBODY` or `IN_MEMORY`.
    kinds: Column<VReg, u8>,
    /// The rows of this block that are not quiet.
    loud: Vec<Inst>,
    rows: Rows,
    /// Values in registers, by class, without the stand-ins of this walk.
    residents: [usize; 2],
    held: [Vec<Held>; 2],
    /// Every need of this block for a spilled value in a register: value, then row, ascending.
    needs: Vec<(VReg, u32)>,
}

/// Beside the numbers of classes: what is no value, and what is not, or not always, in a register.
const NOBODY: u8 = 2;
const IN_MEMORY: u8 = 3;

/// Per kind: what one value adds to the residents.
const UNITS: [[usize; 2]; 4] = [[1, 0], [0, 1], [0; 2], [0; 2]];

/// The kinds of all values that windows name.
fn kinds(func: &Func, live: &Liveness, homes: &Homes) -> Column<VReg, u8> {
    let kind = |v: VReg| if in_memory(homes, v) { IN_MEMORY } else { func.vregs[v].class as u8 };
    let values = (0..live.crosses.len()).map(VReg::new);
    values.map(kind).chain([NOBODY]).collect::<Vec<u8>>().into()
}

/// Rewrites the function for the homes as they are now. `live` must be of the function as it stands, `touched` as `Homes::touched`
/// has it. With `reuse`, a stand-in may serve more than one row.
#[allow(clippy::too_many_arguments)]
pub(super) fn insert(
    func: &mut Func,
    machine: &Machine,
    live: &Liveness,
    limits: &Limits,
    homes: &mut Homes,
    origins: &mut Origins,
    loops: &Loops,
    regions: &Regions,
    touched: &Column<Block, bool>,
    reuse: bool,
) {
    let starts =
        regions.list.iter().enumerate().filter_map(|(k, r)| Some((loops.before[r.within].get()?, k)));
    let mut starting: Vec<(Block, usize)> = starts.collect();
    starting.sort_unstable();
    let mut walk = Walk {
        loops,
        regions,
        starting,
        block: Block::new(0),
        kinds: kinds(func, live, homes),
        loud: Vec::new(),
        machine,
        live,
        limits,
        homes,
        origins,
        reuse,
        rows: Rows::new(func, origins),
        residents: [0; 2],
        held: Default::default(),
        needs: Vec::new(),
    };
    for b in func.blocks.keys() {
        if !touched[b] && walk.starting.binary_search_by_key(&b, |s| s.0).is_err() {
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
    let rows = walk.rows;
    rows.finish(func, origins);
}

impl<'a> Walk<'a> {
    fn start(&mut self, func: &Func, b: Block) {
        self.held.iter_mut().for_each(Vec::clear);
        self.needs.clear();
        self.loud.clear();
        self.residents =
            self.loops.of.get(b).and_then(|l| self.regions.alive.get(l.get()?).copied()).unwrap_or([0; 2]);
        self.block = b;
        if func.blocks[b].first == func.blocks[b].end {
            return;
        }
        for &v in self.live.live_in(b) {
            if !in_memory(self.homes, v) {
                self.residents[func.vregs[v].class as usize] += 1;
            }
        }
        for i in Flow::phis(func, b) {
            self.count_defs(func, i, 1);
        }
        for i in Flow::phis(func, b) {
            self.uncount_last_defs(func, i);
        }
        for i in func.rows(b) {
            if self.is_quiet(i) {
                continue;
            }
            self.loud.push(i);
            if !self.homes.takes_memory(func, self.machine, i) {
                for v in func.uses(i).iter().filter_map(|u| u.as_virt()) {
                    if in_memory(self.homes, v) && self.region(self.root(v), b).is_none() {
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

    fn count_defs(&mut self, func: &Func, i: Inst, by: usize) {
        for v in func.defs(i).iter().filter_map(|d| d.as_virt()) {
            if !in_memory(self.homes, v) {
                self.residents[func.vregs[v].class as usize] += by;
            }
        }
    }

    /// True if a value was live when liveness was computed, and is in a register.
    fn counted(&self, v: VReg) -> bool {
        v.index() < self.live.crosses.len() && !in_memory(self.homes, v)
    }

    fn uncount_last_defs(&mut self, func: &Func, i: Inst) {
        let first = func.insts[i].first as usize;
        for (k, def) in func.defs(i).iter().enumerate() {
            if let Some(v) = def.as_virt().filter(|&v| self.live.last[first + k] && self.counted(v)) {
                self.residents[func.vregs[v].class as usize] -= 1;
            }
        }
    }

    fn uncount_last_uses(&mut self, func: &Func, i: Inst) {
        let first = func.insts[i].first as usize + func.insts[i].defs as usize;
        for (k, use_) in func.uses(i).iter().enumerate() {
            if let Some(v) = use_.as_virt().filter(|&v| self.live.last[first + k] && self.counted(v)) {
                self.residents[func.vregs[v].class as usize] -= 1;
            }
        }
    }

    /// True if a row names no value in memory and does nothing but compute.
    #[inline(always)]
    fn is_quiet(&self, i: Inst) -> bool {
        let window = &self.live.windows[i];
        let [x, y, z] = window.values.map(|v| self.kinds[v] == IN_MEMORY);
        window.is_usual(CALL | MOVE | TERMINATORS | EARLY_DEF) & !(x | y | z)
    }

    /// Keeps rows that are quiet, and counts the residents.
    fn quiet_rows(&mut self, func: &Func, rows: std::ops::Range<usize>) {
        let live = self.live;
        let is_holding = self.held.iter().any(|held| !held.is_empty());
        for i in rows.clone().map(Inst::new) {
            let Window { values, first, defines, .. } = live.windows[i];
            let last = live.last[first as usize..].first_chunk::<3>().copied().unwrap_or_default();
            let [x, y, z] = values.map(|v| UNITS[usize::from(self.kinds[v] & 3)]);
            let some = |unit: [usize; 2], yes: bool| if yes { unit } else { [0; 2] };
            let freed = [some(x, last[0] & !defines), some(y, last[1]), some(z, last[2])];
            let (new, dead) = (some(x, defines), some(x, last[0] & defines));
            for c in 0..2 {
                self.residents[c] += new[c];
                self.residents[c] -= freed[0][c] + freed[1][c] + freed[2][c];
            }
            if is_holding {
                self.make_room(i, [0; 2]);
            }
            self.release(dead);
        }
        self.rows.keep_all(func, self.origins, rows);
    }

    fn row(&mut self, func: &mut Func, i: Inst) {
        let row = func.insts[i];
        if row.op == PHI {
            // Its uses are at the ends of the predecessors, where nothing is held. A phi in memory wants its operands there.
            let in_reg = func.defs(i)[0].as_virt().is_some_and(|d| !in_memory(self.homes, d));
            self.rename(func, i, |walk, v, at| {
                walk.region(walk.root(v), at).filter(|_| in_reg).unwrap_or(walk.root(v))
            });
            self.rows.keep(func, self.origins, i, row);
            return;
        }
        if i.index() + 1 == func.blocks[self.block].end.index() {
            self.enter_loops(func, i);
        }
        if self.homes.takes_memory(func, self.machine, i) {
            self.moving_row(func, i);
            return;
        }
        let first_use = row.first as usize + row.defs as usize;
        for k in first_use..first_use + row.uses as usize {
            if let Some(v) = func.operands[k].as_virt().filter(|&v| in_memory(self.homes, v)) {
                let temp = self.reload(func, i, v);
                func.operands[k] = Operand::virt(temp);
            }
        }
        let early = self.machine.is(func, i, EARLY_DEF);
        // `last` tells of the operands as they were; those that were replaced are not residents.
        let last_uses = self.last_residents(func, i, first_use);
        if !early {
            self.release(last_uses);
            self.let_go_of_useless();
        }
        let (mut stores, mut cut) = (Vec::new(), [0; 2]);
        self.count_defs(func, i, 1);
        for k in row.first as usize..first_use {
            let Some(v) = func.operands[k].as_virt() else { continue };
            if self.homes.home[v] == Home::Slot {
                let temp = self.homes.stand_in(func, v);
                let class = func.vregs[v].class as usize;
                let next = self.next_need(v, i);
                if next == u32::MAX {
                    self.homes.pinned.insert(temp);
                }
                self.held[class].push(Held { value: v, temp, next, used: i.index() as u32 });
                func.operands[k] = Operand::virt(temp);
                stores.push((v, temp));
            } else if self.homes.cut.contains(v) {
                cut[func.vregs[v].class as usize] += 1;
            }
        }
        self.make_room(i, cut);
        if early {
            self.release(last_uses);
        }
        self.let_go_of_useless();
        self.uncount_last_defs(func, i);
        self.rows.keep(func, self.origins, i, row);
        for (v, temp) in stores {
            self.copy(func, i, v, temp);
        }
    }

    /// Copies values to their stand-ins for the loop that is entered from here.
    fn enter_loops(&mut self, func: &mut Func, i: Inst) {
        let at = self.starting.partition_point(|s| s.0 < self.block);
        for k in at..self.starting.len() {
            if self.starting[k].0 != self.block {
                break;
            }
            let Region { value, temp, .. } = self.regions.list[self.starting[k].1];
            self.residents[func.vregs[value].class as usize] += 1;
            self.make_room(i, [0; 2]);
            self.copy(func, i, temp, value);
        }
    }

    /// A row whose operands may be in memory: it uses stand-ins that are there anyway.
    fn moving_row(&mut self, func: &mut Func, i: Inst) {
        let row = func.insts[i];
        if is_copy(func, self.machine, i)
            && let (Some(d), Some(s)) = (func.defs(i)[0].as_virt(), func.uses(i)[0].as_virt())
        {
            if self.homes.stands_for[s] == Opt::some(d) {
                // The store after a definition; `s` may be cut, and this is its one use left.
                self.uncount_last_uses(func, i);
                self.rows.keep(func, self.origins, i, row);
                return;
            }
            if self.homes.cut.contains(d) && self.homes.stands_for[d] == Opt::some(self.root(s)) {
                return;
            }
        }
        self.uncount_last_uses(func, i);
        self.rename(func, i, |walk, v, at| {
            let root = walk.root(v);
            let held = walk.held.iter().flatten().find(|h| h.value == root && walk.reuse).map(|h| h.temp);
            walk.region(root, at).or(held).unwrap_or(root)
        });
        if self.machine.is(func, i, CALL) {
            self.held.iter_mut().for_each(Vec::clear);
        }
        self.count_defs(func, i, 1);
        self.make_room(i, [0; 2]);
        self.uncount_last_defs(func, i);
        self.rows.keep(func, self.origins, i, row);
    }

    /// Replaces the uses of a row that are in memory, keeping their constraints.
    fn rename(&self, func: &mut Func, i: Inst, new: impl Fn(&Self, VReg, Block) -> VReg) {
        let first = func.insts[i].first as usize + func.insts[i].defs as usize;
        let phi = func.insts[i].op == PHI;
        for k in first..first + func.uses(i).len() {
            let at = if phi { func.preds(self.block)[k - first] } else { self.block };
            let use_ = func.operands[k];
            if let Some(v) = use_.as_virt().filter(|&v| in_memory(self.homes, v)) {
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
        let class = func.vregs[root].class as usize;
        let next = self.next_need(root, i);
        if let Some(held) = self.held[class].iter_mut().find(|h| h.value == root) {
            (held.next, held.used) = (next, row);
            return held.temp;
        }
        let mut extra = [0; 2];
        extra[class] = 1;
        self.make_room(i, extra);
        let temp = self.homes.stand_in(func, root);
        if next == u32::MAX {
            self.homes.pinned.insert(temp);
        }
        self.held[class].push(Held { value: root, temp, next, used: row });
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
        let op = (self.machine.move_op)(vreg.class, u32::from(vreg.bytes));
        let row = func.make_row(op, &[Operand::virt(to)], &[Operand::virt(from)], 0, 0);
        self.rows.add(func, i, row, Opt::NONE);
    }

    /// The residents that row `i` uses last, by class.
    fn last_residents(&self, func: &Func, i: Inst, first_use: usize) -> [usize; 2] {
        let mut count = [0; 2];
        for (k, use_) in func.uses(i).iter().enumerate() {
            // A stand-in newer than `last` has no bit there: it came after the operand's own, which was in memory.
            let fresh = |v: VReg| v.index() >= self.live.crosses.len();
            if let Some(v) = use_.as_virt()
                && self.live.last[first_use + k]
                && !fresh(v)
            {
                count[func.vregs[v].class as usize] += 1;
            }
        }
        count
    }

    fn release(&mut self, count: [usize; 2]) {
        for (residents, count) in self.residents.iter_mut().zip(count) {
            *residents -= count;
        }
    }

    /// Lets go of stand-ins until `extra` more values fit; never of one that row `i` uses.
    fn make_room(&mut self, i: Inst, extra: [usize; 2]) {
        for (c, extra) in extra.into_iter().enumerate() {
            while self.residents[c] + self.held[c].len() + extra > self.limits.total[c] {
                let held = self.held[c].iter().enumerate().filter(|(_, h)| h.used != i.index() as u32);
                match held.max_by_key(|(_, h)| h.next) {
                    Some((k, _)) => drop(self.held[c].swap_remove(k)),
                    None => break,
                }
            }
        }
    }

    fn let_go_of_useless(&mut self) {
        for held in &mut self.held {
            held.retain(|h| h.next != u32::MAX);
        }
    }
}
