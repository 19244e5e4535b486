//! Liveness of the values that live in registers, on SSA: who is live into which block, and which use is the last one.
//!
//! For every value, its uses outside its own block are walked backwards until its definition; a walk touches a block once
//! per value, so the cost is linear in the lists that come out. (Boissinot, Hack, Grund, Dupont de Dinechin and Rastello 2008,
//! the path exploration of "Computing liveness sets for SSA-form programs".) Values whose home is memory are not
//! tracked: they never cost more than their rows. One scan up every block then marks last uses, and adds up what a
//! choice of victims needs: length, cost, and whether a call lies inside.
//!
//! A phi's definition happens at the head of its block, its uses at the ends of the predecessors.

use super::flow::Flow;
use super::homes::{Home, Homes};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::mir::desc::{CALL, PHI};
use crate::mir::{Block, Func, Inst, Machine, VReg};

/// Liveness of one state of the function.
#[derive(Debug)]
pub(super) struct Liveness {
    /// Per block: where its list starts in `live_in`; one more at the end.
    starts: Vec<u32>,
    live_in: Vec<VReg>,
    /// Per value: where its list starts in `far_uses`; one more at the end.
    far_starts: Vec<u32>,
    far_uses: Vec<Block>,
    /// Per operand of the pool: of a use, nothing later reads the value; of a definition, nothing reads it at all.
    pub(super) last: Vec<bool>,
    /// Per value: the row that defines it.
    pub(super) def_row: Column<VReg, Opt<Inst>>,
    /// Per value: rows over which it is live.
    pub(super) length: Column<VReg, u64>,
    /// Per value: what spilling it everywhere costs, in executions of a load or store.
    pub(super) cost: Column<VReg, u64>,
    /// Values that are live across a call.
    pub(super) crosses: BitSet<VReg>,
}

impl Liveness {
    /// The tracked values that are live at the head of a block, phis aside, in ascending order.
    pub(super) fn live_in(&self, b: Block) -> &[VReg] {
        &self.live_in[self.starts[b.index()] as usize..self.starts[b.index() + 1] as usize]
    }

    /// The blocks that use a value, its own aside, an entry per use.
    pub(super) fn far_uses(&self, v: VReg) -> &[Block] {
        &self.far_uses[self.far_starts[v.index()] as usize..self.far_starts[v.index() + 1] as usize]
    }

    /// How dear it is to spill a value, against what it gains: smaller goes first.
    pub(super) fn weight(&self, v: VReg) -> u64 {
        self.cost[v].saturating_mul(16) / (self.length[v] + 1)
    }

    /// Number of entries of all lists, for statistics.
    pub(super) fn size(&self) -> usize {
        self.live_in.len()
    }
}

/// Computes it all.
pub(super) fn compute(func: &Func, machine: &Machine, flow: &Flow, homes: &Homes) -> Liveness {
    let (def_row, (far_starts, far_uses), (starts, live_in)) = block_lists(func, flow, homes);
    let mut live = Liveness {
        starts,
        live_in,
        far_starts,
        far_uses,
        last: vec![false; func.operands.len()],
        def_row,
        length: Column::filled(func.vregs.len(), 0),
        cost: Column::filled(func.vregs.len(), 0),
        crosses: BitSet::new(func.vregs.len()),
    };
    let mut scan = Scan {
        now: BitSet::new(func.vregs.len()),
        since: Column::filled(func.vregs.len(), (0, 0)),
        row: 0,
        calls: 0,
    };
    for &b in &flow.rpo {
        scan_block(func, machine, flow, homes, &mut live, &mut scan, b);
    }
    live
}

type Lists = (Column<VReg, Opt<Inst>>, Sorted<Block>, Sorted<VReg>);

fn block_lists(func: &Func, flow: &Flow, homes: &Homes) -> Lists {
    let mut def_block: Column<VReg, Opt<Block>> = Column::filled(func.vregs.len(), Opt::NONE);
    let mut def_row: Column<VReg, Opt<Inst>> = Column::filled(func.vregs.len(), Opt::NONE);
    for &b in &flow.rpo {
        for i in func.rows(b) {
            for v in func.defs(i).iter().filter_map(|d| d.as_virt()) {
                def_block[v] = Opt::some(b);
                def_row[v] = Opt::some(i);
            }
        }
    }
    // Uses outside of the block of the definition, by value: one counting sort.
    let mut far_uses: Vec<(VReg, Block)> = Vec::new();
    for &b in &flow.rpo {
        for i in func.rows(b) {
            let phi = func.insts[i].op == PHI;
            for (k, use_) in func.uses(i).iter().enumerate() {
                let Some(v) = use_.as_virt() else { continue };
                let at = if phi { func.preds(b)[k] } else { b };
                if homes.home[v] == Home::Reg && def_block[v] != Opt::some(at) {
                    far_uses.push((v, at));
                }
            }
        }
    }
    let uses = by_key(func.vregs.len(), &far_uses);
    let mut entries: Vec<(Block, VReg)> = Vec::new();
    let mut mark: Column<Block, Opt<VReg>> = Column::filled(func.blocks.len(), Opt::NONE);
    let mut stack: Vec<Block> = Vec::new();
    for v in func.vregs.keys() {
        stack.extend(&uses.1[uses.0[v.index()] as usize..uses.0[v.index() + 1] as usize]);
        while let Some(b) = stack.pop() {
            if mark[b] == Opt::some(v) {
                continue;
            }
            mark[b] = Opt::some(v);
            entries.push((b, v));
            for &p in func.preds(b) {
                if def_block[v] != Opt::some(p) && mark[p] != Opt::some(v) {
                    stack.push(p);
                }
            }
        }
    }
    let live_in = by_key(func.blocks.len(), &entries);
    (def_row, uses, live_in)
}

/// Where each key's items start, one more at the end, and the items.
type Sorted<T> = (Vec<u32>, Vec<T>);

/// Sorts pairs by their first half, stably.
fn by_key<K: Handle, T: Copy>(keys: usize, pairs: &[(K, T)]) -> Sorted<T> {
    let mut starts = vec![0u32; keys + 1];
    for (key, _) in pairs {
        starts[key.index() + 1] += 1;
    }
    for k in 0..keys {
        starts[k + 1] += starts[k];
    }
    let Some(&(_, filler)) = pairs.first() else { return (starts, Vec::new()) };
    let mut items = vec![filler; pairs.len()];
    let mut at = starts.clone();
    for &(key, item) in pairs {
        items[at[key.index()] as usize] = item;
        at[key.index()] += 1;
    }
    (starts, items)
}

/// The upward scan of a block.
struct Scan {
    now: BitSet<VReg>,
    /// Per live value: rows and calls seen when it became so.
    since: Column<VReg, (u32, u32)>,
    row: u32,
    calls: u32,
}

impl Scan {
    /// Makes a value live; true if it was not.
    fn begin(&mut self, v: VReg) -> bool {
        let new = self.now.insert(v);
        if new {
            self.since[v] = (self.row, self.calls);
        }
        new
    }

    /// Ends a value's life at its definition or at the block's head; true if it was live.
    fn finish(&mut self, live: &mut Liveness, v: VReg) -> bool {
        let old = self.now.remove(v);
        if old {
            let (row, calls) = self.since[v];
            live.length[v] += u64::from(self.row - row);
            if self.calls > calls {
                live.crosses.insert(v);
            }
        }
        old
    }
}

fn scan_block(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    homes: &Homes,
    live: &mut Liveness,
    scan: &mut Scan,
    b: Block,
) {
    let frequency = func.blocks[b].frequency;
    (scan.row, scan.calls) = (0, 0);
    for (k, succ) in func.blocks[b].succs.into_iter().enumerate() {
        let Some(succ) = succ.get() else { continue };
        for &v in live.live_in(succ) {
            scan.begin(v);
        }
        for i in Flow::phis(func, succ) {
            let use_ = func.uses(i)[flow.edge_slot[b][k] as usize];
            if let Some(v) = use_.as_virt().filter(|&v| homes.home[v] == Home::Reg) {
                scan.begin(v);
                live.cost[v] += frequency;
            }
        }
    }
    for i in func.rows(b).rev() {
        let row = func.insts[i];
        let op = machine.row(row.op);
        let parallel = homes.takes_memory(func, machine, i);
        scan.row += 1;
        for (k, def) in func.defs(i).iter().enumerate() {
            if let Some(v) = def.as_virt().filter(|&v| homes.home[v] == Home::Reg) {
                live.last[row.first as usize + k] = !scan.finish(live, v);
                live.cost[v] += frequency;
            }
        }
        if row.op == PHI {
            continue;
        }
        scan.calls += u32::from(op.flags & CALL != 0);
        let price = if parallel { frequency } else { 2 * frequency };
        for (k, use_) in func.uses(i).iter().enumerate() {
            if let Some(v) = use_.as_virt().filter(|&v| homes.home[v] == Home::Reg) {
                live.last[row.first as usize + row.defs as usize + k] = scan.begin(v);
                live.cost[v] += price;
            }
        }
    }
    for k in live.starts[b.index()]..live.starts[b.index() + 1] {
        let v = live.live_in[k as usize];
        scan.finish(live, v);
    }
}
