//! Liveness of the values that live in registers, on SSA: who is live into which block, which use is the last one, and who
//! lives across a call.
//!
//! Nearly all values live in one block only, and whoever made the rows noted which do not (`VRegRow::crosses`; 5,300 of
//! 45,000 in 10,000 generated lines). For each of those few, its uses outside its own block are walked backwards until its
//! definition; a walk touches a block once per value, so the cost is linear in the lists that come out. (Boissinot, Hack,
//! Grund, Dupont de Dinechin and Rastello 2008, the path exploration of "Computing liveness sets for SSA-form programs".)
//! Values whose home is memory are not tracked: they never cost more than their rows. One scan up every block then marks last
//! uses. It asks next to nothing of an operand: all that are no tracked value have one row of the columns, behind the others.
//!
//! A phi's definition happens at the head of its block, its uses at the ends of the predecessors.

use super::flow::Flow;
use super::homes::Homes;
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, ENTRY, MOVE, PHI, RETURN, TIED};
use crate::mir::{Block, Func, Inst, Machine, Operand, VReg};

/// Liveness of one state of the function.
#[derive(Debug)]
pub(super) struct Liveness {
    /// Per block: where its list starts in `live_in`; one more at the end.
    starts: Vec<u32>,
    live_in: Vec<VReg>,
    far: FarUses,
    /// Per operand of the pool: of a use, nothing later reads the value; of a definition, nothing reads it at all.
    pub(super) last: Vec<bool>,
    /// Per value: true if it is live across a call.
    pub(super) crosses: Column<VReg, bool>,
    /// The rows whose operands others would like to share a register with, or that want certain ones: phis, `ENTRY`, calls,
    /// returns, moves and tied rows; the last one first.
    pub(super) joints: Vec<(Block, Inst)>,
}

impl Liveness {
    /// The tracked values that are live at the head of a block, phis aside, in ascending order.
    #[inline]
    pub(super) fn live_in(&self, b: Block) -> &[VReg] {
        &self.live_in[self.starts[b.index()] as usize..self.starts[b.index() + 1] as usize]
    }

    /// The blocks that use a value, its own aside, an entry per use.
    pub(super) fn far_uses(&self, v: VReg) -> impl Iterator<Item = Block> + Clone {
        self.far.of_value(v)
    }

    /// Number of entries of all lists, for statistics.
    pub(super) fn size(&self) -> usize {
        self.live_in.len()
    }
}

/// Computes it all.
pub(super) fn compute(func: &Func, machine: &Machine, flow: &Flow, homes: &Homes) -> Liveness {
    let far = FarUses::of(func, homes);
    let (starts, live_in) = block_lists(func, &far);
    let values = func.vregs.len();
    let mut live = Liveness {
        starts,
        live_in,
        far,
        last: vec![false; func.operands.len()],
        crosses: Column::filled(values + 1, false),
        joints: Vec::with_capacity(func.insts.len() / 4),
    };
    let mut since = Column::filled(values + 1, 0);
    since[VReg::new(values)] = NOBODY;
    let scan = if homes.all_in_registers() { scan_block::<true> } else { scan_block::<false> };
    for b in func.blocks.keys().rev() {
        scan(func, machine, flow, homes, &mut live, &mut since, b);
    }
    live.crosses.truncate(values);
    live
}

/// Uses of values outside of the blocks that define them.
#[derive(Debug)]
struct FarUses {
    /// Per value that several blocks name: the one that defines it.
    home: Column<VReg, Opt<Block>>,
    /// Per value: the last use found, `u32::MAX` for none.
    newest: Column<VReg, u32>,
    /// Per use: its block (of a phi's, where it comes from) and the one found before. A few are not far after all, because
    /// they were found before the definition.
    uses: Vec<(Block, u32)>,
}

impl FarUses {
    fn of(func: &Func, homes: &Homes) -> FarUses {
        let values = func.vregs.len();
        let mut far = FarUses {
            home: Column::filled(values, Opt::NONE),
            newest: Column::filled(values, u32::MAX),
            uses: Vec::with_capacity(values / 4),
        };
        for (b, block) in func.blocks.iter() {
            for row in &func.insts.as_slice()[block.first.index()..block.end.index()] {
                let (first, defs) = (row.first as usize, usize::from(row.defs));
                for v in func.operands[first..first + defs].iter().filter_map(|d| d.as_virt()) {
                    if func.vregs[v].crosses {
                        far.home[v] = Opt::some(b);
                    }
                }
                if row.op == PHI {
                    let uses = &func.operands[first + defs..first + defs + row.imm as usize];
                    uses.iter().zip(func.preds(b)).for_each(|(&use_, &at)| far.note(func, homes, use_, at));
                } else {
                    let uses = &func.operands[first + defs..first + defs + usize::from(row.uses)];
                    uses.iter().for_each(|&use_| far.note(func, homes, use_, b));
                }
            }
        }
        far
    }

    #[inline(always)]
    fn note(&mut self, func: &Func, homes: &Homes, use_: Operand, at: Block) {
        if let Some(v) = use_.as_virt()
            && func.vregs[v].crosses
            && self.home[v] != Opt::some(at)
            && homes.in_register(v)
        {
            let before = std::mem::replace(&mut self.newest[v], self.uses.len() as u32);
            self.uses.push((at, before));
        }
    }

    fn of_value(&self, v: VReg) -> impl Iterator<Item = Block> + Clone {
        let mut next = self.newest[v];
        let home = self.home[v];
        std::iter::from_fn(move || {
            let &(at, before) = self.uses.get(next as usize)?;
            next = before;
            Some(at)
        })
        .filter(move |&at| Opt::some(at) != home)
    }
}

/// Who is live into each block: where each block's list starts, one more at the end, and the lists.
fn block_lists(func: &Func, far: &FarUses) -> (Vec<u32>, Vec<VReg>) {
    let mut entries: Vec<(Block, VReg)> = Vec::with_capacity(2 * far.uses.len());
    let mut mark: Column<Block, Opt<VReg>> = Column::filled(func.blocks.len(), Opt::NONE);
    let mut stack: Vec<Block> = Vec::new();
    for (v, _) in far.newest.iter().filter(|&(_, &newest)| newest != u32::MAX) {
        stack.extend(far.of_value(v));
        let home = far.home[v];
        while let Some(b) = stack.pop() {
            if mark[b] == Opt::some(v) {
                continue;
            }
            mark[b] = Opt::some(v);
            entries.push((b, v));
            stack.extend(func.preds(b).iter().filter(|&&p| Opt::some(p) != home && mark[p] != Opt::some(v)));
        }
    }
    by_block(func.blocks.len(), &entries)
}

/// Sorts entries by their block, stably.
fn by_block(blocks: usize, entries: &[(Block, VReg)]) -> (Vec<u32>, Vec<VReg>) {
    // First where each list ends; each entry, from the last on, then moves its list's start down.
    let mut starts = vec![0u32; blocks + 1];
    for (b, _) in entries {
        starts[b.index()] += 1;
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut items = vec![VReg::new(0); entries.len()];
    for &(b, v) in entries.iter().rev() {
        starts[b.index()] -= 1;
        items[starts[b.index()] as usize] = v;
    }
    (starts, items)
}

/// The state of what is no tracked value: live for ever, and across no call.
const NOBODY: u32 = u32::MAX;

/// Scans a block upwards. `since` is, per value that is live, one more than the calls seen when it became so, and 0 for others: so
/// it is for all of them between blocks. With `ALL`, all values are tracked.
fn scan_block<const ALL: bool>(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    homes: &Homes,
    live: &mut Liveness,
    since: &mut Column<VReg, u32>,
    b: Block,
) {
    let block = &func.blocks[b];
    let nobody = VReg::new(func.vregs.len());
    let value = |operand: Operand| match operand.as_virt() {
        Some(v) if ALL || homes.in_register(v) => v,
        _ => nobody,
    };
    for (k, succ) in block.succs.into_iter().enumerate() {
        let Some(succ) = succ.get() else { continue };
        for &v in live.live_in(succ) {
            since[v] = 1;
        }
        for i in Flow::phis(func, succ) {
            let v = value(func.uses(i)[flow.edge_slot[b][k] as usize]);
            since[v] = since[v].max(1);
        }
    }
    let Liveness { last, crosses, joints, starts, live_in, .. } = live;
    let mut calls = 0;
    for k in (block.first.index()..block.end.index()).rev() {
        let row = &func.insts.as_slice()[k];
        let flags = machine.row(row.op).flags;
        if flags & (CALL | RETURN | MOVE | TIED) != 0 || row.op <= ENTRY {
            joints.push((b, Inst::new(k)));
        }
        let (first, defs) = (row.first as usize, usize::from(row.defs));
        let uses = if row.op == PHI { 0 } else { usize::from(row.uses) };
        let operands = &func.operands[first..first + defs + uses];
        let last = &mut last[first..first + defs + uses];
        for (&def, last) in operands[..defs].iter().zip(&mut *last) {
            let v = value(def);
            *last = since[v] == 0;
            crosses[v] |= since[v].wrapping_sub(1) < calls;
            since[v] = 0;
            since[nobody] = NOBODY;
        }
        calls += u32::from(flags & CALL != 0);
        for (&use_, last) in operands[defs..].iter().zip(&mut last[defs..]) {
            let v = value(use_);
            *last = since[v] == 0;
            since[v] = if since[v] == 0 { calls + 1 } else { since[v] };
        }
    }
    for &v in &live_in[starts[b.index()] as usize..starts[b.index() + 1] as usize] {
        crosses[v] |= since[v].wrapping_sub(1) < calls;
        since[v] = 0;
    }
}
