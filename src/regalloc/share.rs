//! Spilled values that phis and copies move to one another, in one slot: then nothing is moved.
//!
//! `slots` takes lives as one interval each, in which the phis of a loop and what its rounds hand on to them nearly always
//! overlap. Of values that have partners, lives are found exactly, as intervals with holes: blocks upwards from each use
//! to the definition, sorted by block for all values at once. Partners whose lives do not meet become one, the most executed moves first,
//! and so do all that they have become one with before (Chaitin's coalescing, of slots). Bounded by `WORK` steps a row: values beyond that are what
//! `slots` says of them, and pairs beyond it stay two. (With intervals sorted value by value, -O1 of a function of 1,600 lines took 11% more
//! instructions.)

use super::flow::Flow;
use crate::base::{Column, Handle, Rows};
use crate::mir::{Func, VReg};
use std::cmp::Reverse;

crate::handle! {
    /// A block by its place in the order.
    struct Place("place");
}

/// Steps a row of the function, for lives and then for joining them.
const WORK: usize = 4;

/// A use of a spilled value: the place of the block in the order, and the time behind it from the start of that on.
pub(super) type Use = (u32, u32);

/// How often a value is moved to another one, and the two.
pub(super) type Move = (u64, VReg, VReg);

/// Where a spilled value is alive: from, until, ascending.
type Life = Vec<(u64, u64)>;

/// Spilled values with partners, and their lives.
pub(super) struct Shared {
    /// Per value: the place in `lives`, `u32::MAX` for none.
    number: Column<VReg, u32>,
    values: Vec<VReg>,
    lives: Vec<Life>,
    /// Per place: the one that it has become one with, itself if none; behind `join` the one that stands for all of them.
    parent: Vec<u32>,
}

impl Shared {
    /// The value that stands for all that have become one with this one.
    pub(super) fn representative(&self, v: VReg) -> VReg {
        match self.number[v] {
            u32::MAX => v,
            k => self.values[self.parent[k as usize] as usize],
        }
    }

    /// From when until when that one's slot is taken, if it was looked at.
    pub(super) fn hull(&self, v: VReg) -> Option<(u64, u64)> {
        let life = self.lives.get(self.number[v] as usize)?;
        Some((life.first()?.0, life.last()?.1))
    }

    /// The root, with shorter ways to it from now on (path halving).
    fn find(&mut self, mut k: u32) -> u32 {
        while self.parent[k as usize] != k {
            let above = self.parent[self.parent[k as usize] as usize];
            self.parent[k as usize] = above;
            k = above;
        }
        k
    }
}

/// Joins partners, given with how often one is moved to the other. `first` has the number of each block's first row, by
/// place; `start` when a value is defined; `whole` its life as one interval.
pub(super) fn join(
    func: &Func,
    flow: &Flow,
    first: &[u64],
    (uses, mut moves): (&[(VReg, Use)], Vec<Move>),
    start: impl Fn(VReg) -> u64,
    whole: impl Fn(VReg) -> (u64, u64),
) -> Shared {
    let mut shared = Shared {
        number: Column::filled(func.vregs.len(), u32::MAX),
        values: Vec::new(),
        lives: Vec::new(),
        parent: Vec::new(),
    };
    if moves.is_empty() {
        return shared;
    }
    for v in moves.iter().flat_map(|&(_, a, b)| [a, b]) {
        if shared.number[v] == u32::MAX {
            shared.number[v] = shared.values.len() as u32;
            shared.values.push(v);
        }
    }
    let mut of_value: Rows<VReg, Use> = Rows::default();
    of_value.fill(func.vregs.len(), uses);
    let mut search = Search {
        func,
        flow,
        first,
        budget: WORK * func.insts.len(),
        seen: vec![u32::MAX; flow.order.blocks.len()],
        todo: Vec::new(),
        found: Vec::new(),
    };
    let mut homes = Vec::with_capacity(shared.values.len());
    for (k, &v) in shared.values.iter().enumerate() {
        let (start, before) = (start(v), search.found.len());
        let home = first.partition_point(|&f| f <= start / 2) - 1;
        homes.push((home, start));
        shared.parent.push(k as u32);
        shared.lives.push(Life::new());
        if search.life(k as u32, (home, start), of_value.get(v)).is_none() {
            search.found.truncate(before);
            shared.lives[k].push(whole(v));
        }
    }
    let mut alive: Rows<Place, (u32, u32)> = Rows::default();
    alive.fill(flow.order.blocks.len(), &search.found);
    for (p, &begin) in first.iter().enumerate().take(flow.order.blocks.len()) {
        for &(k, behind) in alive.get(Place::new(p)) {
            let (home, start) = homes[k as usize];
            let from = if home == p { start } else { 2 * begin };
            let until = 2 * begin + u64::from(behind);
            match shared.lives[k as usize].last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(until),
                _ => shared.lives[k as usize].push((from, until)),
            }
        }
    }
    moves.sort_unstable_by_key(|&(frequency, a, b)| (Reverse(frequency), a, b));
    let mut budget = WORK * func.insts.len();
    for (_, a, b) in moves {
        let (a, b) = (shared.find(shared.number[a]), shared.find(shared.number[b]));
        let bytes = |k: u32| func.vregs[shared.values[k as usize]].bytes;
        if a == b || bytes(a) != bytes(b) {
            continue;
        }
        let (a, b) = (a.min(b), a.max(b));
        let (x, y) = (&shared.lives[a as usize], &shared.lives[b as usize]);
        let Some(left) = budget.checked_sub(x.len() + y.len()) else { break };
        budget = left;
        if let Some(both) = disjoint_union(x, y) {
            shared.lives[a as usize] = both;
            shared.lives[b as usize] = Life::new();
            shared.parent[b as usize] = a;
        }
    }
    for k in 0..shared.parent.len() as u32 {
        shared.parent[k as usize] = shared.find(k);
    }
    shared
}

/// The search for the blocks in which values are alive.
struct Search<'a> {
    func: &'a Func,
    flow: &'a Flow,
    first: &'a [u64],
    /// Steps that are left.
    budget: usize,
    /// Per place: the last value that was found to be alive at its end.
    seen: Vec<u32>,
    todo: Vec<usize>,
    /// Places, with the number of a value that is alive there, and until when, from the start of the block on.
    found: Vec<(Place, (u32, u32))>,
}

impl Search<'_> {
    /// Finds where a value is alive, from its uses upwards; nothing if that takes too long.
    fn life(&mut self, k: u32, (home, start): (usize, u64), uses: &[Use]) -> Option<()> {
        self.todo.clear();
        self.add(k, home, start + 1 - 2 * self.first[home]);
        for &(p, behind) in uses {
            self.add(k, p as usize, behind.into());
            self.enter(p as usize, home);
            while let Some(q) = self.todo.pop() {
                self.budget = self.budget.checked_sub(1)?;
                if std::mem::replace(&mut self.seen[q], k) != k {
                    self.add(k, q, 2 * (self.first[q + 1] - self.first[q]));
                    self.enter(q, home);
                }
            }
        }
        Some(())
    }

    fn add(&mut self, k: u32, p: usize, behind: u64) {
        self.found.push((Place::new(p), (k, u32::try_from(behind).unwrap_or(u32::MAX))));
    }

    /// Goes up into the blocks in front of one, if the value is not defined there.
    fn enter(&mut self, p: usize, home: usize) {
        if p != home {
            let preds = self.func.preds(self.flow.order.blocks[p]);
            self.todo.extend(preds.iter().map(|&q| self.flow.order.position[q] as usize));
        }
    }
}

/// Both lives, if they do not meet.
fn disjoint_union(x: &Life, y: &Life) -> Option<Life> {
    let mut both: Life = Vec::with_capacity(x.len() + y.len());
    let (mut x, mut y) = (x.as_slice(), y.as_slice());
    loop {
        let from = match (x.first(), y.first()) {
            (Some(a), Some(b)) if a < b => &mut x,
            (Some(_), None) => &mut x,
            (_, Some(_)) => &mut y,
            (None, None) => return Some(both),
        };
        let (&(start, end), rest) = from.split_first()?;
        *from = rest;
        match both.last_mut() {
            Some(last) if start < last.1 => return None,
            Some(last) if start == last.1 => last.1 = end,
            _ => both.push((start, end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_are_joined_where_they_do_not_meet() {
        let life = |text: &[(u64, u64)]| text.to_vec();
        assert_eq!(disjoint_union(&life(&[(1, 3), (8, 9)]), &life(&[(3, 8)])), Some(life(&[(1, 9)])));
        assert_eq!(disjoint_union(&life(&[(1, 3)]), &life(&[(5, 8)])), Some(life(&[(1, 3), (5, 8)])));
        assert_eq!(disjoint_union(&life(&[(1, 4)]), &life(&[(3, 8)])), None);
        assert_eq!(disjoint_union(&life(&[(1, 9)]), &life(&[(3, 4)])), None);
    }
}
