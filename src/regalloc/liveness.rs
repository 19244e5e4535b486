//! Liveness of the values that live in registers, on SSA: which are live into a block, which use is the last
//! one, and which live across a call.
//!
//! Nearly all values live in one block only, and selection noted which do not (`VRegRow::crosses`; 5,300 of
//! 45,000 in 10,000 generated lines). Those few are followed from their uses outside of their own block
//! (`base/graph/liveness`). Values whose home is memory are not tracked: they never cost more than their
//! rows. One scan up every block then marks last uses.
//!
//! A phi's definition happens at the head of its block, its uses at the ends of the predecessors.

mod update;

pub(super) use update::Inserted;

use super::flow::Flow;
use super::homes::Homes;
use super::restore;
use super::window::{Window, Windows, windows};
use crate::base::graph::live_into;
use crate::base::{Column, Handle, Opt, Rows};
use crate::mir::desc::{CALL, ENTRY, MOVE, PHI, RETURN, TIED};
use crate::mir::{Block, Func, Inst, Machine, VReg};

/// Liveness of one state of the function.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    live_in: Rows<Block, VReg>,
    far: FarUses,
    /// Per row: its operands, if it is a usual one.
    pub(super) windows: Windows,
    /// Per operand of the pool: of a use, nothing later reads the value; of a definition, nothing reads it at
    /// all.
    pub(super) last: Vec<bool>,
    /// Per value: true if it is live across a call.
    pub(super) crosses: Column<VReg, bool>,
    /// The rows whose operands others would like to share a register with, or that want certain ones: phis,
    /// `ENTRY`, calls, returns, moves and tied rows; the last one first.
    pub(super) joints: Vec<(Block, Inst)>,
}

impl Liveness {
    /// The tracked values that are live at the head of a block, phis aside, in ascending order.
    #[inline]
    pub(super) fn live_in(&self, b: Block) -> &[VReg] {
        self.live_in.get(b)
    }

    /// The blocks that use a value, its own aside, an entry per use.
    pub(super) fn far_uses(&self, v: VReg) -> impl Iterator<Item = Block> + Clone {
        self.far.of_value(v)
    }

    /// The block that defines a value, if several blocks name it.
    pub(super) fn home(&self, v: VReg) -> Option<Block> {
        let home = self.far.home[v];
        (home < UNKNOWN).then(|| Block::new(home as usize))
    }

    /// Number of entries of all lists, for statistics.
    pub(super) fn size(&self) -> usize {
        self.live_in.len()
    }
}

/// Computes it all.
pub(super) fn compute(func: &Func, machine: &Machine, flow: &Flow, homes: &Homes) -> Liveness {
    let windows = windows(func, machine);
    compute_from(FarUses::of(func, &windows, homes), windows, func, machine, flow, homes)
}

/// Computes the rest.
pub(super) fn compute_from(
    far: FarUses,
    windows: Windows,
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    homes: &Homes,
) -> Liveness {
    let live_in = block_lists(func, &far);
    let values = func.vregs.len();
    let mut scan = Scan {
        func,
        machine,
        windows: &windows,
        sentinel: VReg::new(values),
        since: homes.column(0, NOT_TRACKED),
        calls: 0,
        last: vec![false; func.operands.len()],
        crosses: Column::filled(values + 1, false),
        joints: Vec::with_capacity(func.insts.len() / 4),
    };
    for b in func.blocks.keys().rev() {
        scan.leave(flow, &live_in, b);
        scan.block(b);
        scan.enter(live_in.get(b));
    }
    let Scan { last, mut crosses, joints, .. } = scan;
    crosses.truncate(values);
    restore::take_from(&mut crosses, homes);
    Liveness { live_in, far, windows, last, crosses, joints }
}

/// Uses of values outside of the blocks that define them.
#[derive(Debug, Default)]
pub(super) struct FarUses {
    /// Per value that several blocks name: the number of the one that defines it, once that is known; `LOCAL`
    /// for others.
    home: Column<VReg, u32>,
    /// Per value: the last use found, `u32::MAX` for none.
    newest: Column<VReg, u32>,
    /// Per use: its block (of a phi's, where it comes from) and the one found before. A few are not far after
    /// all, because they were found before the definition.
    uses: Vec<(Block, u32)>,
}

/// The value is named by one block only, or lives in memory.
const LOCAL: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

impl FarUses {
    pub(super) fn of(func: &Func, windows: &Windows, homes: &Homes) -> FarUses {
        let values = func.vregs.len();
        let mut home = homes.column(UNKNOWN, LOCAL);
        for (row, home) in func.vregs.as_slice().iter().zip(home.as_mut_slice()) {
            *home = if row.crosses { *home } else { LOCAL };
        }
        let uses = Vec::with_capacity(values / 4);
        let mut far = FarUses { home, newest: Column::filled(values, u32::MAX), uses };
        func.blocks.keys().for_each(|b| far.block(func, windows, b));
        far
    }

    #[inline(always)]
    fn block(&mut self, func: &Func, windows: &Windows, b: Block) {
        let block = &func.blocks[b];
        let first = block.first.index();
        for (k, window) in windows.as_slice()[first..block.end.index()].iter().enumerate() {
            match window.is_usual(0) {
                true => self.usual_row(window, b),
                false => self.row(func, Inst::new(first + k), b),
            }
        }
    }

    #[inline(always)]
    fn usual_row(&mut self, window: &Window, b: Block) {
        let is_far = |v: VReg| self.home[v] != LOCAL;
        let [x, y, z] = window.values;
        if !(is_far(x) | is_far(y) | is_far(z)) {
            return;
        }
        if window.defines && is_far(x) {
            self.home[x] = b.index() as u32;
        }
        // A definition that was just noted is not far.
        window.values.iter().for_each(|&v| self.note(v, b));
    }

    #[inline(never)]
    fn row(&mut self, func: &Func, i: Inst, b: Block) {
        for v in func.defs(i).iter().filter_map(|d| d.as_virt()) {
            if self.home[v] != LOCAL {
                self.home[v] = b.index() as u32;
            }
        }
        let (phi, preds) = (func.insts[i].op == PHI, func.preds(b));
        for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
            self.note(v, if phi { preds[k] } else { b });
        }
    }

    #[inline(always)]
    fn note(&mut self, v: VReg, at: Block) {
        let home = self.home[v];
        if home != LOCAL && home != at.index() as u32 {
            let before = std::mem::replace(&mut self.newest[v], self.uses.len() as u32);
            self.uses.push((at, before));
        }
    }

    /// The values that have any, each with the block that defines it.
    pub(super) fn values(&self) -> impl Iterator<Item = (VReg, Block)> {
        let values = self.newest.iter().filter(|&(_, &newest)| newest != u32::MAX);
        values.map(|(v, _)| (v, Block::new(self.home[v] as usize)))
    }

    /// The blocks that use a value.
    pub(super) fn of_value(&self, v: VReg) -> impl Iterator<Item = Block> + Clone {
        let mut next = self.newest[v];
        let home = self.home[v];
        std::iter::from_fn(move || {
            let &(at, before) = self.uses.get(next as usize)?;
            next = before;
            Some(at)
        })
        .filter(move |at| at.index() as u32 != home)
    }
}

/// What is live into each block, in ascending order.
fn block_lists(func: &Func, far: &FarUses) -> Rows<Block, VReg> {
    let mut entries: Vec<(Block, VReg)> = Vec::with_capacity(2 * far.uses.len());
    let mut mark: Column<Block, Opt<VReg>> = Column::filled(func.blocks.len(), Opt::NONE);
    for (v, home) in far.values() {
        let home = Some(home).filter(|home| home.index() < func.blocks.len());
        live_into(func, (v, home), far.of_value(v), &mut mark, &mut entries);
    }
    let mut lists = Rows::default();
    lists.fill(func.blocks.len(), &entries);
    lists
}

/// Since when what is no tracked value is live: for ever, and across no call.
const NOT_TRACKED: u32 = u32::MAX;

/// The scan up every block.
struct Scan<'a> {
    func: &'a Func,
    machine: &'a Machine,
    windows: &'a Windows,
    /// What stands for operands that are no values.
    sentinel: VReg,
    /// Per live value: one more than the calls seen when it became so; 0 for others, and so for all between
    /// two blocks.
    since: Column<VReg, u32>,
    /// Calls seen in this block.
    calls: u32,
    /// As in `Liveness`.
    last: Vec<bool>,
    crosses: Column<VReg, bool>,
    joints: Vec<(Block, Inst)>,
}

impl Scan<'_> {
    /// At the end of a block all are live that are so in its successors, and what phis read there.
    fn leave(&mut self, flow: &Flow, live_in: &Rows<Block, VReg>, b: Block) {
        self.calls = 0;
        for (k, succ) in self.func.blocks[b].succs.into_iter().enumerate() {
            let Some(succ) = succ.get() else { continue };
            for &v in live_in.get(succ) {
                self.since[v] = 1;
            }
            for i in Flow::phis(self.func, succ) {
                let use_ = self.func.uses(i)[flow.edge_slot[b][k] as usize];
                let v = use_.as_virt().unwrap_or(self.sentinel);
                self.since[v] = self.since[v].max(1);
            }
        }
    }

    fn block(&mut self, b: Block) {
        let block = &self.func.blocks[b];
        let first = block.first.index();
        for (k, window) in self.windows.as_slice()[first..block.end.index()].iter().enumerate().rev() {
            match window.is_usual(CALL | RETURN | MOVE | TIED) {
                true => self.usual_row(window),
                false => self.row(b, Inst::new(first + k)),
            }
        }
    }

    #[inline(always)]
    fn usual_row(&mut self, window: &Window) {
        let calls = self.calls;
        let Some(last) = self.last[window.first as usize..].first_chunk_mut::<3>() else { return };
        for (k, last) in last.iter_mut().enumerate() {
            let v = window.values[k];
            let since = self.since[v];
            // An operand that is not there is the sentinel, which is always live: its place in the pool keeps
            // its bit.
            *last |= since == 0;
            let begun = if since == 0 { calls + 1 } else { since };
            self.since[v] = if k == 0 && window.defines { ended(since) } else { begun };
            if k == 0 && window.defines & (since.wrapping_sub(1) < calls) {
                self.crosses[v] = true;
            }
        }
    }

    #[inline(never)]
    fn row(&mut self, b: Block, i: Inst) {
        let row = &self.func.insts[i];
        let flags = self.machine.row(row.op).flags;
        if flags & (CALL | RETURN | MOVE | TIED) != 0 || row.op <= ENTRY {
            self.joints.push((b, i));
        }
        let first = row.first as usize;
        for (k, def) in self.func.defs(i).iter().enumerate() {
            let v = def.as_virt().unwrap_or(self.sentinel);
            self.last[first + k] = self.since[v] == 0;
            self.end(v);
        }
        if row.op == PHI {
            return;
        }
        self.calls += u32::from(flags & CALL != 0);
        let first_use = first + usize::from(row.defs);
        for (k, use_) in self.func.uses(i).iter().enumerate() {
            let v = use_.as_virt().unwrap_or(self.sentinel);
            self.last[first_use + k] = self.since[v] == 0;
            if self.since[v] == 0 {
                self.since[v] = self.calls + 1;
            }
        }
    }

    /// At the head of a block no value is live any more.
    fn enter(&mut self, live_in: &[VReg]) {
        live_in.iter().for_each(|&v| self.end(v));
    }

    fn end(&mut self, v: VReg) {
        self.crosses[v] |= self.since[v].wrapping_sub(1) < self.calls;
        self.since[v] = ended(self.since[v]);
    }
}

#[inline(always)]
fn ended(since: u32) -> u32 {
    if since == NOT_TRACKED { NOT_TRACKED } else { 0 }
}
