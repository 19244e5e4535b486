//! What a choice of victims needs to know of values: how long they live and what spilling them costs. One
//! scan up every block, over finished liveness; done only where registers run out. O(rows + live-in lists).

use super::View;
use super::flow::Flow;
use super::homes::Homes;
use super::window::Window;
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, MOVE, PHI, RETURN};
use crate::mir::{Block, Inst, VReg};
use std::cell::OnceCell;

/// Weights of one state of the function.
#[derive(Debug)]
pub(super) struct Weights {
    /// Per value: the row that defines it.
    pub(super) def_row: Column<VReg, Opt<Inst>>,
    /// Per value: rows over which it is live.
    length: Column<VReg, u64>,
    /// Per value: what spilling it everywhere costs, in executions of a load or store.
    cost: Column<VReg, u64>,
    /// Per live value: the rows of the block behind its life.
    behind: Column<VReg, u32>,
}

impl Weights {
    /// How dear it is to spill a value, against what it gains: smaller goes first.
    pub(super) fn of(&self, v: VReg) -> u64 {
        self.cost[v].saturating_mul(16) / (self.length[v] + 1)
    }
}

/// Weights that are found when they are first asked for: most rounds spill nothing. Until then, the function
/// and the homes of values must be as they were.
#[derive(Default)]
pub(super) struct Scale(OnceCell<Weights>);

impl Scale {
    pub(super) fn get(&self, cx: View, homes: &Homes) -> &Weights {
        self.0.get_or_init(|| weigh(cx, homes))
    }
}

/// Weighs all values. Those that live in memory get numbers, too, which mean nothing.
fn weigh(cx: View, homes: &Homes) -> Weights {
    // One more, for what is no value.
    let values = cx.func.vregs.len() + 1;
    let mut weights = Weights {
        def_row: Column::filled(values, Opt::NONE),
        length: Column::filled(values, 0),
        cost: Column::filled(values, 0),
        behind: Column::filled(values, 0),
    };
    cx.flow.order.blocks.iter().for_each(|&b| weigh_block(cx, homes, &mut weights, b));
    weights
}

fn weigh_block(cx: View, homes: &Homes, weights: &mut Weights, b: Block) {
    let View { func, machine, flow, live, times, .. } = cx;
    let Weights { def_row, length, cost, behind } = weights;
    let frequency = times[b];
    for (k, succ) in func.blocks[b].succs.into_iter().enumerate() {
        let Some(succ) = succ.get() else { continue };
        live.live_in(succ).iter().for_each(|&v| behind[v] = 0);
        for i in Flow::phis(func, succ) {
            let use_ = func.uses(i)[flow.edge_slot[b][k] as usize];
            if let Some(v) = use_.as_virt().filter(|&v| homes.in_register(v)) {
                behind[v] = 0;
                cost[v] += frequency;
            }
        }
    }
    let mut rows = 0;
    for i in func.rows(b).rev() {
        let row = &func.insts[i];
        rows += 1;
        let Window { first, defines, values, .. } = live.windows[i];
        if live.windows[i].is_usual(CALL | RETURN | MOVE)
            && let Some(last) = live.last[first as usize..].first_chunk::<3>()
        {
            for k in 0..3 {
                let v = values[k];
                let def = k == 0 && defines;
                cost[v] += if def { frequency } else { 2 * frequency };
                length[v] += if def & !last[k] { u64::from(rows - behind[v]) } else { 0 };
                behind[v] = if !def & last[k] { rows } else { behind[v] };
            }
            def_row[values[0]] = if defines { Opt::some(i) } else { def_row[values[0]] };
            continue;
        }
        for (k, v) in func.defs(i).iter().enumerate().filter_map(|(k, d)| Some((k, d.as_virt()?))) {
            def_row[v] = Opt::some(i);
            cost[v] += frequency;
            if !live.last[row.first as usize + k] {
                length[v] += u64::from(rows - behind[v]);
            }
        }
        if row.op == PHI {
            continue;
        }
        let price = if homes.takes_memory(func, machine, i) { frequency } else { 2 * frequency };
        let first_use = row.first as usize + row.defs as usize;
        for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
            cost[v] += price;
            if live.last[first_use + k] {
                behind[v] = rows;
            }
        }
    }
    for &v in live.live_in(b) {
        length[v] += u64::from(rows - behind[v]);
    }
    // Resets the sentinel for the next block.
    behind[VReg::new(func.vregs.len())] = 0;
}
