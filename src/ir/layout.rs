//! The order of blocks in a body and of instructions in a block: intrusive lists as index pairs.
//!
//! Insertion and removal are O(1) and survive any walk that has already read its next handle. Knows nothing
//! of operands or edges.

use super::rows::Rows;
use super::{Block, Inst};
use crate::base::{Column, Opt};

/// Where an instruction stands: 12 bytes.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct InstNode {
    pub(super) block: Opt<Block>,
    pub(super) prev: Opt<Inst>,
    pub(super) next: Opt<Inst>,
}

/// Where a block stands, and the ends of its list of instructions.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct BlockNode {
    pub(super) placed: bool,
    pub(super) prev: Opt<Block>,
    pub(super) next: Opt<Block>,
    pub(super) first: Opt<Inst>,
    pub(super) last: Opt<Inst>,
}

/// The order of blocks of one body, and where the lists of instructions begin and end.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) blocks: Column<Block, BlockNode>,
    pub(super) first: Opt<Block>,
    pub(super) last: Opt<Block>,
    /// How many blocks stand in the order.
    pub(super) placed: usize,
    /// How many instructions have been placed in blocks, less those that were taken out.
    insts: u32,
}

impl Layout {
    /// How many instructions stand in blocks.
    pub(super) fn insts(&self) -> usize {
        self.insts as usize
    }

    /// Says how many instructions stand in blocks.
    pub(super) fn set_insts(&mut self, insts: usize) {
        self.insts = insts as u32;
    }

    /// Puts a block after `prev`, or first.
    pub(super) fn place_block(&mut self, block: Block, prev: Option<Block>) {
        let next = match prev {
            Some(prev) => std::mem::replace(&mut self.blocks[prev].next, Opt::some(block)),
            None => std::mem::replace(&mut self.first, Opt::some(block)),
        };
        match next.get() {
            Some(next) => self.blocks[next].prev = Opt::some(block),
            None => self.last = Opt::some(block),
        }
        let node = &mut self.blocks[block];
        (node.placed, node.prev, node.next) = (true, prev.into(), next);
        self.placed += 1;
    }

    /// Takes a block out of the order.
    pub(super) fn unplace_block(&mut self, block: Block) {
        let BlockNode { prev, next, .. } = self.blocks[block];
        match prev.get() {
            Some(prev) => self.blocks[prev].next = next,
            None => self.first = next,
        }
        match next.get() {
            Some(next) => self.blocks[next].prev = prev,
            None => self.last = prev,
        }
        let node = &mut self.blocks[block];
        (node.placed, node.prev, node.next) = (false, Opt::NONE, Opt::NONE);
        self.placed -= 1;
    }

    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        (self.first, self.last) = (Opt::NONE, Opt::NONE);
        self.placed = 0;
        self.set_insts(0);
    }

    /// The node of the instruction that gets the next row, and stands at the end of `block`.
    #[inline(always)]
    pub(super) fn append_inst(&mut self, rows: &mut Rows, block: Block) -> InstNode {
        let inst = rows.next_handle();
        let node = &mut self.blocks[block];
        let prev = std::mem::replace(&mut node.last, Opt::some(inst));
        match prev.get() {
            Some(prev) => rows.node[prev].next = Opt::some(inst),
            None => node.first = Opt::some(inst),
        }
        self.insts += 1;
        InstNode { block: Opt::some(block), prev, next: Opt::NONE }
    }

    /// Puts an instruction after `prev` in `block`, or first in it.
    pub(super) fn place_inst(&mut self, rows: &mut Rows, inst: Inst, block: Block, prev: Option<Inst>) {
        let next = match prev {
            Some(prev) => std::mem::replace(&mut rows.node[prev].next, Opt::some(inst)),
            None => std::mem::replace(&mut self.blocks[block].first, Opt::some(inst)),
        };
        match next.get() {
            Some(next) => rows.node[next].prev = Opt::some(inst),
            None => self.blocks[block].last = Opt::some(inst),
        }
        self.insts += 1;
        rows.node[inst] = InstNode { block: Opt::some(block), prev: prev.into(), next };
    }

    /// Takes an instruction out of its block.
    pub(super) fn unplace_inst(&mut self, rows: &mut Rows, inst: Inst) {
        let InstNode { block, prev, next } = std::mem::take(&mut rows.node[inst]);
        let Some(block) = block.get() else { return };
        self.insts -= 1;
        match prev.get() {
            Some(prev) => rows.node[prev].next = next,
            None => self.blocks[block].first = next,
        }
        match next.get() {
            Some(next) => rows.node[next].prev = prev,
            None => self.blocks[block].last = prev,
        }
    }

    /// Moves `first` and everything after it to the end of `to`. O(moved).
    pub(super) fn move_tail(&mut self, rows: &mut Rows, first: Inst, to: Block) {
        let mut next = Some(first);
        while let Some(inst) = next {
            next = rows.node[inst].next.get();
            self.unplace_inst(rows, inst);
            let last = self.blocks[to].last.get();
            self.place_inst(rows, inst, to, last);
        }
    }
}
