//! Keeps live-in lists short: before liveness is computed, values that together live through too many blocks go to memory.
//!
//! Live-in lists are as long as values times blocks in the worst case, and then most of those values cannot be in registers
//! anyway. Lives are taken as intervals of blocks in reverse postorder, stretched over loops. If their sum is modest,
//! as in all but hostile or machine-written functions, nothing happens. Else a scan keeps only so many of them
//! alive at a time and spills the cheapest per row. O(operands + values log values), whatever the lists would have been.
//! (The scan of Poletto and Sarkar 1999, with a limit above the number of registers.)

use super::Limits;
use super::flow::{BackEdges, Flow};
use super::homes::Homes;
use crate::base::{Column, Opt};
use crate::mir::desc::{PHI, REMAT};
use crate::mir::{Func, Inst, Machine, VReg};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Values of a class that may live across the start of a block, where there are too many, in multiples of its registers: no
/// more than these could be in registers anyway.
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

/// Spills as needed; returns how many values went.
pub(super) fn thin(func: &Func, machine: &Machine, flow: &Flow, limits: &Limits, homes: &mut Homes) -> usize {
    // No more than this, if all that cross blocks lived everywhere.
    let crossing = func.vregs.as_slice().iter().filter(|row| row.crosses).count();
    if crossing as u64 * func.blocks.len() as u64 <= MODEST * func.insts.len() as u64 {
        return 0;
    }
    let mut lives: Column<VReg, Life> =
        Column::filled(func.vregs.len(), Life { def: u32::MAX, end: 0, cost: 0, row: Opt::NONE });
    for (place, &b) in flow.rpo.iter().enumerate() {
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
                let at = if phi { flow.pos[func.preds(b)[k]] } else { place as u32 };
                lives[v].end = lives[v].end.max(at);
                lives[v].cost += 2 * frequency;
            }
        }
    }
    let back = BackEdges::new(func, flow);
    let mut total = 0;
    let mut long: Vec<(u32, VReg)> = Vec::new();
    for v in func.vregs.keys() {
        if lives[v].def >= lives[v].end {
            continue;
        }
        lives[v].end = back.live_until(lives[v].def, lives[v].end).unwrap_or(lives[v].end);
        total += u64::from(lives[v].end - lives[v].def);
        if !homes.pinned.contains(v) {
            long.push((lives[v].def, v));
        }
    }
    if total <= MODEST * func.insts.len() as u64 {
        return 0;
    }
    long.sort_unstable();
    let mut active: [BTreeSet<(u64, VReg)>; 2] = Default::default();
    let mut ends: BinaryHeap<Reverse<(u32, u64, VReg)>> = BinaryHeap::new();
    let mut spilled = 0;
    for (def, v) in long {
        while let Some(&Reverse((end, weight, old))) = ends.peek()
            && end <= def
        {
            ends.pop();
            active[func.vregs[old].class as usize].remove(&(weight, old));
        }
        let life = lives[v];
        let weight = life.cost.saturating_mul(16) / u64::from(life.end - life.def);
        let class = func.vregs[v].class as usize;
        let now = &mut active[class];
        now.insert((weight, v));
        ends.push(Reverse((life.end, weight, v)));
        if now.len() > MOST * limits.total[class]
            && let Some((_, victim)) = now.pop_first()
        {
            let again = lives[victim].row.get().is_some_and(|i| machine.is(func, i, REMAT));
            homes.evict(victim, again);
            spilled += 1;
        }
    }
    spilled
}
