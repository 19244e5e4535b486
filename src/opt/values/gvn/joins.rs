//! What may have been written on the way to a block since its immediate dominator, for all blocks where
//! control flow meets.
//!
//! Objects are bits of a word; what has none counts as anything. To a join lead, from its immediate dominator,
//! the blocks between that and its predecessors in the dominator tree, and what leads to each of those. A
//! header of a loop is also reached by way of all blocks of the loop. O(blocks + edges + writes), but for nests
//! that are left by jumps: each join looks once at the blocks between.

use crate::analysis::effects::base_of_region;
use crate::analysis::memory::{Base, base_of, written};
use crate::analysis::{Dominators, Effects, Loops, Order};
use crate::base::graph::Loop;
use crate::base::{Column, Opt};
use crate::ir::opcode::WRITES;
use crate::ir::{Block, Body, Inst, Op};

/// What a bit stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// All memory.
    Anything,
    /// What parameters point into.
    Params,
    /// One alloca or global.
    Object(Base),
}

const ANYTHING: u64 = 1;
const PARAMS: u64 = 2;
/// Bits of the two.
const FIRST: usize = 2;
/// Objects that are told apart.
const MOST: usize = 62;

/// Sets of what is written.
#[derive(Debug, Default)]
pub(super) struct Joins {
    /// What bits stand for, from `FIRST` on.
    objects: Vec<Base>,
    /// Per block: what it writes, and what may have been written between its immediate dominator and it.
    own: Column<Block, u64>,
    between: Column<Block, u64>,
    /// Per loop: what it writes.
    loops: Column<Loop, u64>,
    /// Per block: the last join for which it was looked at.
    seen: Column<Block, Opt<Block>>,
}

impl Joins {
    /// What may have been written between a block and its immediate dominator.
    pub(super) fn written(&self, b: Block) -> impl Iterator<Item = Class> + '_ {
        let mut left = self.between[b];
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            match bit {
                0 => {
                    left = 0;
                    Some(Class::Anything)
                }
                1 => Some(Class::Params),
                _ => self.objects.get(bit - FIRST).map(|&base| Class::Object(base)),
            }
        })
    }

    /// Recomputes for a body, keeping the memory.
    pub(super) fn compute(
        &mut self,
        f: &Body,
        effects: &Effects,
        (order, dominators, loops): (&Order, &Dominators, &Loops),
    ) {
        self.objects.clear();
        self.own.reset(f.block_count(), 0);
        self.between.reset(f.block_count(), 0);
        self.loops.reset(loops.header.len(), 0);
        self.seen.reset(f.block_count(), Opt::NONE);
        for (i, _) in f.ops().filter(|(_, op)| op.has(WRITES)) {
            if let Some(b) = f.block_of(i) {
                self.own[b] |= self.writes(f, i, effects);
            }
        }
        for &b in &order.blocks {
            if let Some(l) = loops.innermost[b].get() {
                self.loops[l] |= self.own[b];
            }
        }
        for l in loops.header.keys().rev() {
            if let Some(parent) = loops.parent[l].get() {
                self.loops[parent] |= self.loops[l];
            }
        }
        for &b in order.blocks.iter().filter(|&&b| f.preds(b).len() > 1) {
            let header = loops.innermost[b].get().filter(|&l| loops.header[l] == b);
            let mut written = header.map_or(0, |l| self.loops[l]);
            let top = dominators.idom[b];
            for from in f.preds(b).iter().map(|&e| f.edge_from(e)).filter(|&from| order.reaches(from)) {
                if order.is_retreating(from, b) {
                    // What is no loop may come from anywhere.
                    written |= if dominators.dominates(b, from) { 0 } else { ANYTHING };
                    continue;
                }
                let mut at = Opt::some(from);
                while at != top
                    && let Some(x) = at.get()
                    && std::mem::replace(&mut self.seen[x], Opt::some(b)) != Opt::some(b)
                {
                    written |= self.own[x] | self.between[x];
                    at = dominators.idom[x];
                }
            }
            self.between[b] = written;
        }
    }

    /// What an instruction writes.
    fn writes(&mut self, f: &Body, i: Inst, effects: &Effects) -> u64 {
        if f.op(i) != Op::Call {
            return written(f, i).map_or(ANYTHING, |address| self.bit(base_of(f, address)));
        }
        let Some(regions) = effects.writes(f.callee(i)) else { return ANYTHING };
        let bits = regions.iter().map(|&region| self.bit(base_of_region(f, i, region)));
        bits.fold(0, |all, bit| all | bit)
    }

    fn bit(&mut self, base: Base) -> u64 {
        match base {
            Base::Unknown => return ANYTHING,
            Base::Param(_) => return PARAMS,
            Base::Own(_) | Base::Global(_) => {}
        }
        let known = self.objects.iter().position(|&object| object == base);
        match known {
            Some(at) => 1 << (at + FIRST),
            None if self.objects.len() < MOST => {
                self.objects.push(base);
                1 << (self.objects.len() - 1 + FIRST)
            }
            None => ANYTHING,
        }
    }
}
