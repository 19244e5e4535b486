//! What a choice of victims needs to know of values: how long they live and what spilling them costs. One scan up every block, over
//! finished liveness; done only where registers run out. O(rows + live-in lists).

use super::flow::Flow;
use super::homes::Homes;
use super::liveness::Liveness;
use crate::base::{Column, Opt};
use crate::mir::desc::PHI;
use crate::mir::{Block, Func, Inst, Machine, VReg};

/// Weights of one state of the function.
#[derive(Debug)]
pub(super) struct Weights {
    /// Per value: the row that defines it.
    pub(super) def_row: Column<VReg, Opt<Inst>>,
    /// Per value: rows over which it is live.
    length: Column<VReg, u64>,
    /// Per value: what spilling it everywhere costs, in executions of a load or store.
    cost: Column<VReg, u64>,
}

impl Weights {
    /// How dear it is to spill a value, against what it gains: smaller goes first.
    pub(super) fn of(&self, v: VReg) -> u64 {
        self.cost[v].saturating_mul(16) / (self.length[v] + 1)
    }
}

/// Weighs all values.
pub(super) fn weigh(func: &Func, machine: &Machine, flow: &Flow, live: &Liveness, homes: &Homes) -> Weights {
    let values = func.vregs.len();
    let mut weights = Weights {
        def_row: Column::filled(values, Opt::NONE),
        length: Column::filled(values, 0),
        cost: Column::filled(values, 0),
    };
    // Per live value: the rows of the block behind its life, counted from the end.
    let mut behind: Column<VReg, u32> = Column::filled(values, 0);
    for &b in &flow.rpo {
        weigh_block(func, machine, flow, live, homes, &mut weights, &mut behind, b);
    }
    weights
}

#[allow(clippy::too_many_arguments)]
fn weigh_block(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    live: &Liveness,
    homes: &Homes,
    weights: &mut Weights,
    behind: &mut Column<VReg, u32>,
    b: Block,
) {
    let frequency = func.blocks[b].frequency;
    for (k, succ) in func.blocks[b].succs.into_iter().enumerate() {
        let Some(succ) = succ.get() else { continue };
        live.live_in(succ).iter().for_each(|&v| behind[v] = 0);
        for i in Flow::phis(func, succ) {
            let use_ = func.uses(i)[flow.edge_slot[b][k] as usize];
            if let Some(v) = use_.as_virt().filter(|&v| homes.in_register(v)) {
                behind[v] = 0;
                weights.cost[v] += frequency;
            }
        }
    }
    let mut rows = 0;
    for i in func.rows(b).rev() {
        let row = func.insts[i];
        rows += 1;
        for (k, v) in func.defs(i).iter().enumerate().filter_map(|(k, d)| Some((k, d.as_virt()?))) {
            weights.def_row[v] = Opt::some(i);
            if homes.in_register(v) {
                weights.cost[v] += frequency;
                if !live.last[row.first as usize + k] {
                    weights.length[v] += u64::from(rows - behind[v]);
                }
            }
        }
        if row.op == PHI {
            continue;
        }
        let price = if homes.takes_memory(func, machine, i) { frequency } else { 2 * frequency };
        let first_use = row.first as usize + row.defs as usize;
        for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
            if homes.in_register(v) {
                weights.cost[v] += price;
                if live.last[first_use + k] {
                    behind[v] = rows;
                }
            }
        }
    }
    for &v in live.live_in(b) {
        weights.length[v] += u64::from(rows - behind[v]);
    }
}
