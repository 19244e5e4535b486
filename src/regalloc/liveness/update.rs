//! Liveness after an insertion, made of what it was before. What a value that stays in its register is used
//! for is as it was, so blocks whose rows were not written again keep their last uses; their rows have other
//! numbers. Values that went to memory are not live anywhere any more, and stand-ins for single rows live in
//! one block. Only stand-ins for loops are followed from their uses, as all values are in the beginning.
//!
//! O(rows of blocks that were written again + live-in lists), and a copy of the windows of all others.

use super::{FarUses, LOCAL, Liveness, NOT_TRACKED, Scan, UNKNOWN, block_lists};
use crate::base::{Column, Handle, Rows};
use crate::mir::desc::CALL;
use crate::mir::{Block, Func, Inst, InstRow, Machine, VReg};
use crate::regalloc::flow::Flow;
use crate::regalloc::homes::Homes;
use crate::regalloc::restore;
use crate::regalloc::window::{Window, Windows};
use std::mem::take;

/// What an insertion has done to the rows of a function.
#[derive(Debug)]
pub(in crate::regalloc) struct Inserted {
    /// Per block: its first row before.
    pub(in crate::regalloc) firsts: Column<Block, Inst>,
    /// Per block: false if its rows are what they were.
    pub(in crate::regalloc) rewritten: Column<Block, bool>,
}

impl Liveness {
    /// Brings it up to date; returns how many rows and live-in entries were looked at.
    pub(in crate::regalloc) fn update(
        &mut self,
        func: &Func,
        machine: &Machine,
        flow: &Flow,
        homes: &Homes,
        inserted: &Inserted,
    ) -> usize {
        let (before, values) = (self.crosses.len(), func.vregs.len());
        let in_memory = homes.in_memory();
        renew(&mut self.windows, func, machine, inserted, before);
        let mut crosses = take(&mut self.crosses);
        let gone = crosses.as_mut_slice().iter_mut().zip(in_memory.as_slice());
        gone.for_each(|(crosses, &gone)| *crosses &= !gone);
        crosses.grow_to(values + 1, false);

        // Where values are live that several blocks name.
        self.far.forget(&in_memory, before);
        let of_loops = FarUses::of_new(func, &self.windows, inserted, before);
        let more = if of_loops.uses.is_empty() { Rows::default() } else { block_lists(func, &of_loops) };
        if !more.is_empty() {
            across_calls(&more, func, machine, &self.joints, inserted, &mut crosses);
        }
        self.live_in.renew(&more, |v| !in_memory[v]);
        self.far.append(of_loops, func, before);

        // Last uses, where rows were written again.
        let mut last = take(&mut self.last);
        last.resize(func.operands.len(), false);
        let mut scan = Scan {
            func,
            machine,
            windows: &self.windows,
            sentinel: VReg::new(values),
            since: homes.column(0, NOT_TRACKED),
            calls: 0,
            last,
            crosses,
            joints: Vec::with_capacity(self.joints.len() + func.insts.len() / 8),
        };
        let mut work = 0;
        let mut joints = self.joints.as_slice();
        for b in func.blocks.keys().rev() {
            let (own, others) = joints.split_at(joints.partition_point(|joint| joint.0 >= b));
            joints = others;
            let first = func.blocks[b].first.index();
            if !inserted.rewritten[b] {
                let by = inserted.firsts[b].index();
                scan.joints.extend(own.iter().map(|&(b, i)| (b, Inst::new(i.index() - by + first))));
                continue;
            }
            work += func.rows(b).len();
            let rows = &func.insts.as_slice()[first..func.blocks[b].end.index()];
            rows.iter().for_each(|row| forget(&mut scan.last, row));
            scan.leave(flow, &self.live_in, b);
            scan.block(b);
            scan.enter(self.live_in.get(b));
        }
        let Scan { last, mut crosses, joints, .. } = scan;
        crosses.truncate(values);
        restore::take_from(&mut crosses, homes);
        (self.last, self.crosses, self.joints) = (last, crosses, joints);
        work + self.live_in.len()
    }

    /// What of two states of liveness of a function is not the same.
    pub(in crate::regalloc) fn difference(&self, other: &Liveness, func: &Func) -> Option<&'static str> {
        let of_window = |window: &Window| (window.values, window.first, window.defines);
        let windows = self.windows.as_slice().iter().zip(other.windows.as_slice());
        // At the end of the pool a row may have become a usual one.
        let mut usual = windows.filter(|(a, b)| a.is_usual(0) && b.is_usual(0));
        let far = |live: &Liveness, v: VReg| {
            let mut uses: Vec<Block> = live.far_uses(v).collect();
            uses.sort_unstable();
            (live.home(v), uses)
        };
        let operands = |i: Inst| {
            let first = func.insts[i].first as usize;
            first..first + func.operands(i).len()
        };
        let mut rows = func.blocks.keys().flat_map(|b| func.rows(b));
        if self.live_in != other.live_in {
            Some("live-in lists")
        } else if self.windows.len() != other.windows.len()
            || usual.any(|(a, b)| of_window(a) != of_window(b))
        {
            Some("windows")
        } else if rows.any(|i| self.last[operands(i)] != other.last[operands(i)]) {
            Some("last uses")
        } else if self.crosses.as_slice() != other.crosses.as_slice() {
            Some("lives across calls")
        } else if self.joints != other.joints {
            Some("joints")
        } else if func.vregs.keys().any(|v| far(self, v) != far(other, v)) {
            Some("uses in other blocks")
        } else {
            None
        }
    }
}

/// Forgets which operands of a row are the last uses. Rows are so short that setting a range would cost more.
#[inline(always)]
fn forget(last: &mut [bool], row: &InstRow) {
    let (first, count) = (row.first as usize, usize::from(row.defs) + usize::from(row.uses));
    match last.get_mut(first..).and_then(|rest| rest.first_chunk_mut::<3>()) {
        Some(last) if count <= 3 => last.iter_mut().zip(0..).for_each(|(last, k)| *last &= k >= count),
        _ => last[first..first + count].fill(false),
    }
}

/// Makes the windows those of the rows as they are now, in place, as a large function has many. What moves in one direction is
/// taken from that end, and what moves in the other stands beside it. The sentinel stands behind all values, so it is another one.
fn renew(windows: &mut Windows, func: &Func, machine: &Machine, inserted: &Inserted, before: usize) {
    let (was, is) = (VReg::new(before), VReg::new(func.vregs.len()));
    windows.grow_to(func.insts.len(), Window::none(is));
    let rows = windows.as_mut_slice();
    let kept = || func.blocks.iter().filter(|&(b, _)| !inserted.rewritten[b]);
    let mut shift = |b: Block, to: usize, count: usize| {
        let from = inserted.firsts[b].index();
        rows.copy_within(from..from + count, to);
    };
    for (b, block) in kept().rev().filter(|(b, block)| block.first > inserted.firsts[*b]) {
        shift(b, block.first.index(), block.end.index() - block.first.index());
    }
    for (b, block) in kept().filter(|(b, block)| block.first < inserted.firsts[*b]) {
        shift(b, block.first.index(), block.end.index() - block.first.index());
    }
    for (b, block) in func.blocks.iter() {
        let range = block.first.index()..block.end.index();
        let windows = &mut rows[range.clone()];
        if inserted.rewritten[b] {
            let new = func.insts.as_slice()[range].iter().map(|row| Window::of(func, machine, row));
            windows.iter_mut().zip(new).for_each(|(window, new)| *window = new);
        } else {
            let values = windows.iter_mut().flat_map(|window| &mut window.values);
            values.for_each(|v| *v = if *v == was { is } else { *v });
        }
    }
    windows.truncate(func.insts.len());
}

/// Notes of stand-ins for loops which of them live through a block with a call whose rows are what they were.
/// No row of such a block names them, so they are live all through it.
fn across_calls(
    more: &Rows<Block, VReg>,
    func: &Func,
    machine: &Machine,
    joints: &[(Block, Inst)],
    inserted: &Inserted,
    crosses: &mut Column<VReg, bool>,
) {
    for &(b, i) in joints.iter().filter(|joint| !inserted.rewritten[joint.0]) {
        let i = Inst::new(i.index() - inserted.firsts[b].index() + func.blocks[b].first.index());
        if machine.is(func, i, CALL) {
            more.get(b).iter().for_each(|&v| crosses[v] = true);
        }
    }
}

impl FarUses {
    /// Forgets the values that went to memory; what comes behind the first so many gets rows of its own.
    fn forget(&mut self, in_memory: &Column<VReg, bool>, before: usize) {
        self.home.truncate(before);
        let rows = self.home.as_mut_slice().iter_mut().zip(self.newest.as_mut_slice());
        for ((home, newest), _) in rows.zip(in_memory.as_slice()).filter(|(_, gone)| **gone) {
            (*home, *newest) = (LOCAL, u32::MAX);
        }
    }

    /// Of the values behind the first so many alone.
    fn of_new(func: &Func, windows: &Windows, inserted: &Inserted, before: usize) -> FarUses {
        let new = &func.vregs.as_slice()[before..];
        let mut far = FarUses::default();
        if !new.iter().any(|row| row.crosses) {
            return far;
        }
        far.home = Column::filled(before, LOCAL);
        far.home.extend(new.iter().map(|row| if row.crosses { UNKNOWN } else { LOCAL }));
        far.home.push(LOCAL);
        far.newest = Column::filled(func.vregs.len(), u32::MAX);
        let rewritten = func.blocks.keys().filter(|&b| inserted.rewritten[b]);
        rewritten.for_each(|b| far.block(func, windows, b));
        far
    }

    /// Takes those of values behind the first so many.
    fn append(&mut self, new: FarUses, func: &Func, before: usize) {
        let (values, by) = (func.vregs.len(), self.uses.len() as u32);
        let later = |k: u32| if k == u32::MAX { k } else { k + by };
        self.uses.extend(new.uses.iter().map(|&(b, k)| (b, later(k))));
        self.home.extend(new.home.as_slice().iter().skip(before).copied());
        self.newest.extend(new.newest.as_slice().iter().skip(before).map(|&k| later(k)));
        // None of them is for a loop, then; behind the last is what is no value.
        self.home.grow_to(values + 1, LOCAL);
        self.newest.grow_to(values, u32::MAX);
    }
}
