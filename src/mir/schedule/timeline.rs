//! When rows issue that come in a given order, on a core that begins them in that order: the operands have to be there, a
//! pipe free, and, where results are written in order, what comes before has to be done no later. (So does llvm-mca's
//! in-order stage.) O(rows).

use super::super::model::{Model, Timing};
use super::super::{Func, Inst, Machine};
use super::graph::Region;
use crate::base::Handle;

/// Pipes that a model may have.
const PIPES: usize = 8;
/// Sets of them of which a row takes any.
const GROUPS: usize = 2;

/// The state of a core between two rows.
#[derive(Copy, Clone, Debug)]
pub(super) struct Timeline {
    width: u8,
    writes_in_order: bool,
    /// The cycle of the last row, and the slots that are taken in it.
    pub(super) cycle: u32,
    taken: u8,
    /// When the last result is written.
    written: u32,
    /// When pipes are free.
    free: [u32; PIPES],
    /// Pipes of which some rows take one or another: all of them, and those whose turn it is, the highest first.
    turns: [(u8, u8); GROUPS],
}

impl Timeline {
    pub(super) fn new(model: &Model) -> Timeline {
        Timeline {
            width: model.width,
            writes_in_order: model.writes_in_order,
            cycle: 0,
            taken: 0,
            written: 0,
            free: [0; PIPES],
            turns: [(0, 0); GROUPS],
        }
    }

    /// The first of some pipes to be free, and when that is.
    #[inline]
    fn pipe(&self, pipes: u8) -> (usize, u32) {
        let (mut best, mut at) = (0, u32::MAX);
        let mut rest = pipes;
        while rest != 0 {
            let k = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.free[k] < at {
                (best, at) = (k, self.free[k]);
            }
        }
        (best, at)
    }

    /// Takes one of some pipes, of which one is free in this cycle: in turn.
    #[inline]
    fn take(&mut self, pipes: u8, at: u32) -> usize {
        let mut pipe = pipes.trailing_zeros() as usize % PIPES;
        if pipes & (pipes - 1) != 0 {
            let (mut free, mut rest) = (0u8, pipes);
            while rest != 0 {
                let k = rest.trailing_zeros();
                free |= u8::from(self.free[k as usize] <= at) << k;
                rest &= rest - 1;
            }
            let known = self.turns.iter().position(|&(all, _)| all == pipes || all == 0);
            let turn = known.map_or(pipes, |k| {
                let (all, turn) = self.turns[k];
                self.turns[k].0 = pipes;
                if all == 0 { pipes } else { turn }
            });
            let next = if free & turn != 0 { free & turn } else { free };
            pipe = next.checked_ilog2().unwrap_or(0) as usize;
        }
        for (all, turn) in &mut self.turns {
            if *all >> pipe & 1 != 0 {
                *turn &= !(1 << pipe);
                *turn = if *turn == 0 { *all } else { *turn };
            }
        }
        pipe
    }

    /// True if no row of a slot issues in this cycle.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.taken >= self.width
    }

    /// The cycle in which a row can issue whose operands are there in cycle `ready`.
    #[inline]
    pub(super) fn earliest(&self, timing: &Timing, ready: u32) -> u32 {
        let at = self.ready(timing, ready);
        match self.writes_in_order {
            true => at.max(self.written.saturating_sub(u32::from(timing.first))),
            false => at,
        }
    }

    /// The same, but for results that have to be written behind those of rows in front.
    #[inline]
    pub(super) fn ready(&self, timing: &Timing, ready: u32) -> u32 {
        let full = self.taken >= self.width || self.taken > 0 && self.taken + timing.slots > self.width;
        let mut at = self.cycle + u32::from(full && timing.slots > 0);
        at = at.max(ready);
        if timing.pipes != 0 {
            at = at.max(self.pipe(timing.pipes).1);
        }
        let mut also = timing.also;
        while also != 0 {
            at = at.max(self.free[also.trailing_zeros() as usize]);
            also &= also - 1;
        }
        at
    }

    /// Issues it there.
    #[inline]
    pub(super) fn issue(&mut self, timing: &Timing, at: u32) {
        if at > self.cycle {
            (self.cycle, self.taken) = (at, 0);
        }
        self.taken += timing.slots;
        while self.taken > self.width {
            (self.cycle, self.taken) = (self.cycle + 1, self.taken - self.width);
        }
        if timing.pipes != 0 {
            let pipe = self.take(timing.pipes, at);
            self.free[pipe] = at + if timing.also == 0 { u32::from(timing.busy) } else { 1 };
        }
        let mut also = timing.also;
        while also != 0 {
            self.free[also.trailing_zeros() as usize] = at + u32::from(timing.busy);
            also &= also - 1;
        }
        if timing.latency > 0 {
            self.written = at + u32::from(timing.latency);
        }
    }
}

/// Cycles of a block of an allocated or final function that is executed again and again, `rounds` of them: what llvm-mca
/// says with `-iterations`, but for the time that the last results take.
pub fn block_cycles(
    func: &Func,
    machine: &Machine,
    model: &Model,
    rows: std::ops::Range<usize>,
    rounds: u32,
) -> u32 {
    let mut region = Region::default();
    region.begin(func, true);
    let b = func.block_of(Inst::new(rows.start));
    region.allocated(func, machine, model, b, rows);
    region.repeat();
    let order: Vec<u16> = (0..region.len() as u16).collect();
    region.cycles(model, &order, rounds).0
}
