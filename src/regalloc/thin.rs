//! Keeps live-in lists short: before liveness is computed, values that together live through too many blocks
//! go to memory.
//!
//! Live-in lists are as long as values times blocks in the worst case, and then most of those values cannot
//! be in registers anyway. Lives are taken as intervals of blocks in reverse postorder, stretched over loops.
//! If their sum is modest, as in all but hostile or machine-written functions, nothing happens. Else a scan
//! keeps only so many of them alive at a time and spills the cheapest per row. O(operands + values log
//! values), whatever the lists would have been. (The scan of Poletto and Sarkar 1999, with a limit above the
//! number of registers.)

use super::flow::{BackEdges, Flow};
use super::homes::Homes;
use super::liveness::FarUses;
use super::pressure::Limits;
use crate::base::{Column, Opt};
use crate::mir::desc::{PHI, REMAT};
use crate::mir::registers::MAX_FILES;
use crate::mir::{Func, Inst, Machine, VReg};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Values of a file that may live across the start of a block, where there are too many, in multiples of its
/// registers: no more than these could be in registers anyway.
const MOST: usize = 2;

/// Blocks per row that lives may add up to before anything is done.
const MODEST: u64 = 8;

/// A value's life and price.
#[derive(Copy, Clone)]
struct Life {
    def: u32,
    end: u32,
    cost: u64,
    row: Opt<Inst>,
}

/// True if the lives of values that cross blocks add up to little.
fn is_modest(func: &Func, flow: &Flow, far: &FarUses) -> bool {
    let modest = MODEST * func.insts.len() as u64;
    // No more than this, if all lived everywhere.
    if far.values().count() as u64 * func.blocks.len() as u64 <= modest {
        return true;
    }
    let back = BackEdges::new(func, flow);
    let lengths = far.values().map(|(v, home)| {
        let def = flow.order.position.get(home).copied().unwrap_or(0);
        let end = far.of_value(v).map(|b| flow.order.position[b]).fold(def, u32::max);
        if end == def { 0 } else { u64::from(back.live_until(def, end).unwrap_or(end) - def) }
    });
    lengths.sum::<u64>() <= modest
}

/// Spills as needed; returns how many values went.
pub(super) fn thin(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    limits: &Limits,
    homes: &mut Homes,
    far: &FarUses,
) -> usize {
    if is_modest(func, flow, far) {
        return 0;
    }
    let mut lives: Column<VReg, Life> =
        Column::filled(func.vregs.len(), Life { def: u32::MAX, end: 0, cost: 0, row: Opt::NONE });
    for (place, &b) in flow.order.blocks.iter().enumerate() {
        let frequency = func.blocks[b].frequency;
        for i in func.rows(b) {
            let phi = func.insts[i].op == PHI;
            for v in func.defs(i).iter().filter_map(|d| d.as_virt()) {
                let life = &mut lives[v];
                (life.def, life.row) = (place as u32, Opt::some(i));
                life.end = life.end.max(life.def);
                life.cost += frequency;
            }
            for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
                let at = if phi { flow.order.position[func.preds(b)[k]] } else { place as u32 };
                lives[v].end = lives[v].end.max(at);
                lives[v].cost += 2 * frequency;
            }
        }
    }
    let back = BackEdges::new(func, flow);
    let mut long: Vec<(u32, VReg)> = Vec::new();
    for v in func.vregs.keys() {
        if lives[v].def >= lives[v].end {
            continue;
        }
        lives[v].end = back.live_until(lives[v].def, lives[v].end).unwrap_or(lives[v].end);
        if !homes.pinned.contains(v) {
            long.push((lives[v].def, v));
        }
    }
    long.sort_unstable();
    let mut active: [BTreeSet<(u64, VReg)>; MAX_FILES] = Default::default();
    let file = |v: VReg| machine.registers.file(func.vregs[v].class);
    let mut ends: BinaryHeap<Reverse<(u32, u64, VReg)>> = BinaryHeap::new();
    let mut spilled = 0;
    for (def, v) in long {
        while let Some(&Reverse((end, weight, old))) = ends.peek()
            && end <= def
        {
            ends.pop();
            active[file(old)].remove(&(weight, old));
        }
        let life = lives[v];
        let weight = life.cost.saturating_mul(16) / u64::from(life.end - life.def);
        let now = &mut active[file(v)];
        now.insert((weight, v));
        ends.push(Reverse((life.end, weight, v)));
        if now.len() > MOST * limits.most.all(file(v))
            && let Some((_, victim)) = now.pop_first()
        {
            let again = lives[victim].row.get().is_some_and(|i| machine.is(func, i, REMAT));
            homes.evict(victim, again);
            spilled += 1;
        }
    }
    spilled
}
