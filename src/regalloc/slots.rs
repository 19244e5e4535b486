//! Slots for spilled values: values whose lives do not overlap share one.
//!
//! A life is taken as one interval over the reverse postorder, from the definition to the last row that needs
//! the value, stretched over loops that it has to survive: wider than the truth, never narrower, and found
//! without live sets, of which thousands of spilled values would need large ones. What `share` has made one has one
//! interval for all. A scan over the intervals by their starts then takes the slot of a phi or copy partner if that is
//! free, so that the move between the two vanishes, else the slot that has been free the longest. O(n log n).
//!
//! Where a call may return more than once, no slot is shared: ways through the function are not what blocks say then.

use super::Cx;
use super::flow::{BackEdges, Flow};
use super::homes::{Home, Homes, is_copy};
use super::share::{self, Move, Shared};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::PHI;
use crate::mir::{Func, Machine, Operand, Slot, SlotKind, VReg};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Makes the slots; the result says which one is whose.
pub(super) fn assign(cx: &mut Cx) -> Column<VReg, Opt<Slot>> {
    let Cx { func, machine, flow, homes, .. } = cx;
    let mut slots: Column<VReg, Opt<Slot>> = Column::filled(func.vregs.len(), Opt::NONE);
    if !homes.has_slots {
        return slots;
    }
    let (lives, mut partners, shared) = intervals(func, machine, flow, homes);
    if lives.is_empty() {
        return slots;
    }
    partners.sort_unstable();
    // Per slot made here: until when it is taken, counted from the first one.
    let first_slot = func.slots.len();
    let mut taken: Vec<u64> = Vec::new();
    // Per size, a power of two: slots by the time they are free; entries that `taken` contradicts are stale.
    let mut free: [BinaryHeap<Reverse<(u64, Slot)>>; SIZES] = Default::default();
    for (start, end, v) in lives {
        let bytes = u32::from(func.vregs[v].bytes);
        let size = size_of_slot(bytes);
        let at = partners.partition_point(|&(a, _)| a < v);
        let mut found = None;
        for &(_, other) in partners[at..].iter().take_while(|&&(a, _)| a == v).take(16) {
            found = slots[other]
                .get()
                .filter(|&s| taken[s.index() - first_slot] <= start && func.slots[s].bytes == bytes);
            if found.is_some() {
                break;
            }
        }
        while let Some(&Reverse((until, slot))) = free[size].peek() {
            if taken[slot.index() - first_slot] != until {
                free[size].pop();
            } else if found.is_none() && until <= start {
                free[size].pop();
                found = Some(slot);
            } else {
                break;
            }
        }
        let slot = found.unwrap_or_else(|| {
            taken.push(0);
            func.new_slot(SlotKind::Spill, bytes, bytes.min(machine.stack_align))
        });
        taken[slot.index() - first_slot] = if func.returns_twice { u64::MAX } else { end };
        free[size].push(Reverse((taken[slot.index() - first_slot], slot)));
        slots[v] = Opt::some(slot);
    }
    for v in func.vregs.keys().filter(|&v| homes.home[v] == Home::Slot) {
        slots[v] = slots[shared.representative(v)];
    }
    slots
}

/// Sizes of values: 1 to 64 bytes.
pub(super) const SIZES: usize = 7;

/// The number of the size that holds so many bytes.
pub(super) fn size_of_slot(bytes: u32) -> usize {
    (bytes.next_power_of_two().trailing_zeros() as usize).min(SIZES - 1)
}

type Lives = Vec<(u64, u64, VReg)>;

/// Spilled values that phis and copies move to one another, with how often they do.
fn moves(func: &Func, machine: &Machine, flow: &Flow, homes: &Homes) -> Vec<Move> {
    let spilled = |o: &Operand| o.as_virt().filter(|&v| homes.home[v] == Home::Slot);
    let mut moves = Vec::new();
    for &b in &flow.order.blocks {
        for i in func.rows(b) {
            let phi = func.insts[i].op == PHI;
            if !phi && !is_copy(func, machine, i) {
                continue;
            }
            let Some(v) = func.defs(i).first().and_then(spilled) else { continue };
            for (k, u) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, spilled(u)?))) {
                if u != v {
                    let at = if phi { func.preds(b)[k] } else { b };
                    moves.push((func.blocks[at].frequency, v, u));
                }
            }
        }
    }
    moves
}

/// Start, end (exclusive) and value of every spilled life, by start; pairs of values that are moved to one another; and
/// which of them are one. A row reads at twice its number and writes just after.
fn intervals(
    func: &Func,
    machine: &Machine,
    flow: &Flow,
    homes: &Homes,
) -> (Lives, Vec<(VReg, VReg)>, Shared) {
    // Per place in the order: the first row's number. Rows are numbered along the order.
    let mut first = Vec::with_capacity(flow.order.blocks.len() + 1);
    let mut count = 0u64;
    for &b in &flow.order.blocks {
        first.push(count);
        count += func.rows(b).len() as u64;
    }
    first.push(count);
    // Per value: from its definition to its last use.
    let mut life: Column<VReg, (u64, u64)> = Column::filled(func.vregs.len(), (u64::MAX, 0));
    let spilled = |v: VReg| homes.home[v] == Home::Slot;
    let mut moves = moves(func, machine, flow, homes);
    // Of the others no use is kept.
    let mut has_partner: Column<VReg, bool> = Column::filled(func.vregs.len(), false);
    for v in moves.iter().flat_map(|&(_, a, b)| [a, b]) {
        has_partner[v] = true;
    }
    let mut uses = Vec::new();
    for (place, &b) in flow.order.blocks.iter().enumerate() {
        for (k, i) in func.rows(b).enumerate() {
            let phi = func.insts[i].op == PHI;
            let row = first[place] + if phi { 0 } else { k as u64 };
            for v in func.defs(i).iter().filter_map(|d| d.as_virt()).filter(|&v| spilled(v)) {
                life[v] = (2 * row + 1, life[v].1.max(2 * row + 2));
            }
            for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
                // What is loaded again behind calls is needed as long as what stands for it.
                let v = homes.needs(v);
                if spilled(v) {
                    // A phi reads at the last row of its predecessor.
                    let at = if phi { flow.order.position[func.preds(b)[k]] } else { place as u32 };
                    let row = if phi { first[at as usize + 1] - 1 } else { row };
                    life[v].1 = life[v].1.max(2 * row + 1);
                    if has_partner[v] {
                        uses.push((v, (at, (2 * (row - first[at as usize]) + 1) as u32)));
                    }
                }
            }
        }
    }
    let back = BackEdges::new(func, flow);
    let whole = |v: VReg| {
        let (start, end) = life[v];
        let place = |time: u64| (first.partition_point(|&f| f <= time / 2) - 1) as u32;
        let until = back.live_until(place(start), place(end - 1));
        (start, until.map_or(end, |until| 2 * first[until as usize + 1]))
    };
    moves.retain(|&(_, a, b)| !func.returns_twice && life[a].0 != u64::MAX && life[b].0 != u64::MAX);
    let mut partners: Vec<(VReg, VReg)> = moves.iter().flat_map(|&(_, a, b)| [(a, b), (b, a)]).collect();
    let shared = share::join(func, flow, &first, (&uses, moves), |v| life[v].0, whole);
    for (a, b) in &mut partners {
        (*a, *b) = (shared.representative(*a), shared.representative(*b));
    }
    let mut lives = Vec::new();
    for v in func.vregs.keys().filter(|&v| spilled(v)) {
        if life[v].0 != u64::MAX && shared.representative(v) == v {
            let (start, end) = shared.hull(v).unwrap_or_else(|| whole(v));
            lives.push((start, end, v));
        }
    }
    lives.sort_unstable();
    (lives, partners, shared)
}
