//! Changing the blocks and edges of a body. See `Body` for what always holds.

use super::Body;
use crate::base::Handle;
use crate::ir::cfg::UNLINKED;
use crate::ir::layout::BlockNode;
use crate::ir::place::Place;
use crate::ir::rows::Head;
use crate::ir::{Block, Edge, Inst, Op, Type, Value};

impl Body {
    /// Makes a block at the end of the order.
    pub fn create_block(&mut self) -> Block {
        let last = self.layout.last.get();
        self.create_block_at(last)
    }

    /// Makes a block that stands nowhere until `move_block_after` gives it a place.
    pub fn create_block_apart(&mut self) -> Block {
        let b = self.layout.blocks.push(BlockNode::default());
        self.cfg.push_block();
        b
    }

    /// Makes a block behind another one.
    pub fn create_block_after(&mut self, b: Block) -> Block {
        self.create_block_at(Some(b))
    }

    fn create_block_at(&mut self, prev: Option<Block>) -> Block {
        let b = self.create_block_apart();
        self.layout.place_block(b, prev);
        b
    }

    /// Moves a block behind another one in the order. The entry stays first: moving it does nothing.
    pub fn move_block_after(&mut self, b: Block, prev: Block) {
        if b != prev && self.entry() != Some(b) {
            if self.is_placed(b) {
                self.layout.unplace_block(b);
            }
            self.layout.place_block(b, Some(prev));
        }
    }

    /// Ends a block with a branch; whatever ended it before goes. Phis of `to` get an undef operand for the
    /// new edge. O(phis of old and new targets), like all functions below that make or take edges.
    pub fn set_br(&mut self, b: Block, to: Block, place: Place) -> Edge {
        self.clear_terminator(b);
        let e = self.cfg.new_edge(b, to);
        self.link(e, to);
        self.push_terminator(b, Op::Br, &[], e.index() as u32, place);
        e
    }

    /// Ends a block with a conditional branch; returns the edges for true and false.
    pub fn set_cond_br(
        &mut self,
        b: Block,
        condition: Value,
        yes: Block,
        no: Block,
        place: Place,
    ) -> (Edge, Edge) {
        self.clear_terminator(b);
        let (e, f) = (self.cfg.new_edge(b, yes), self.cfg.new_edge(b, no));
        self.link(e, yes);
        self.link(f, no);
        self.push_terminator(b, Op::CondBr, &[condition], e.index() as u32, place);
        (e, f)
    }

    /// Where a switch of so many edges goes for a constant.
    pub fn switch_entry(&self, x: Value, edges: usize) -> usize {
        let x = self.number(x).map_or(u64::MAX, |x| x.unsigned());
        usize::try_from(x).unwrap_or(usize::MAX).min(edges - 1)
    }

    /// Ends a block with a switch; returns the edge for 0. The last one is for all numbers that have none. There is at least
    /// one target.
    pub fn set_switch(&mut self, b: Block, x: Value, targets: &[Block], place: Place) -> Edge {
        self.clear_terminator(b);
        let first = self.cfg.edges.next_handle();
        for &to in targets {
            self.cfg.new_edge(b, to);
        }
        for (k, &to) in targets.iter().enumerate() {
            self.link(Edge::new(first.index() + k), to);
        }
        let count = self.int(targets.len() as i32);
        self.push_terminator(b, Op::Switch, &[x, count], first.index() as u32, place);
        first
    }

    /// Ends a block with a return.
    pub fn set_ret(&mut self, b: Block, value: Option<Value>, place: Place) {
        self.clear_terminator(b);
        self.push_terminator(b, Op::Ret, value.as_slice(), 0, place);
    }

    /// Ends a block that is never left.
    pub fn set_unreachable(&mut self, b: Block, place: Place) {
        self.clear_terminator(b);
        self.push_terminator(b, Op::Unreachable, &[], 0, place);
    }

    fn push_terminator(&mut self, b: Block, op: Op, args: &[Value], payload: u32, place: Place) {
        self.append_row(b, Head::new(op, Type::Void, payload), args, place);
    }

    /// Removes the terminator of a block and its edges.
    #[inline]
    pub fn clear_terminator(&mut self, b: Block) {
        if let Some(i) = self.terminator(b) {
            self.remove_terminator(b, i);
        }
    }

    fn remove_terminator(&mut self, b: Block, i: Inst) {
        for e in self.succs(b) {
            self.unlink(e);
        }
        self.kill(i);
    }

    /// Turns a conditional branch, or a switch, into the branch it always takes: `keep` stays, with its slot and phi
    /// operands, and the other edges go. Nothing happens if `keep` is not one of them.
    pub fn fold_cond_br(&mut self, b: Block, keep: Edge, place: Place) {
        let chooses = |&i: &Inst| matches!(self.op(i), Op::CondBr | Op::Switch);
        let Some(i) = self.terminator(b).filter(chooses) else { return };
        if self.succs(b).all(|e| e != keep) {
            return;
        }
        for e in self.succs(b) {
            if e != keep {
                self.unlink(e);
            }
        }
        self.kill(i);
        self.push_terminator(b, Op::Br, &[], keep.index() as u32, place);
    }

    fn link(&mut self, e: Edge, to: Block) {
        self.cfg.link(e, to);
        let mut next = self.first(to);
        while let Some(phi) = next.filter(|&i| self.op(i) == Op::Phi) {
            let undef = Value::undef(self.ty(phi));
            self.operands.append(&mut self.rows, phi, undef);
            next = self.next(phi);
        }
    }

    fn unlink(&mut self, e: Edge) {
        let to = self.edge_to(e);
        let slot = self.cfg.unlink(e);
        let mut next = self.first(to);
        while let Some(phi) = next.filter(|&i| self.op(i) == Op::Phi) {
            self.operands.swap_remove(&mut self.rows, phi, slot);
            next = self.next(phi);
        }
    }

    /// Points an edge at another block. It leaves the old target's phis, and gets a new slot with undef
    /// operands in the new target's; the caller sets those (`edge_slot`).
    pub fn redirect(&mut self, e: Edge, to: Block) {
        if self.cfg.edges[e].slot != UNLINKED {
            self.unlink(e);
            self.link(e, to);
        }
    }

    /// Puts a new block on an edge. The edge now goes to the new block; the new block's branch has taken over
    /// the slot in the old target, so no phi changes.
    pub fn split_edge(&mut self, e: Edge) -> Block {
        let b = self.create_block_after(self.edge_from(e));
        let onward = self.cfg.new_edge(b, self.edge_to(e));
        self.cfg.hand_over(e, onward);
        self.push_terminator(b, Op::Br, &[], onward.index() as u32, Place::NONE);
        self.link(e, b);
        b
    }

    /// Takes a block off the edge that it was put on: one that a single edge enters and that only goes on. The edge has
    /// the slot of the block's own then, so no phi changes; uses of what the block defines become undef. False, and
    /// nothing done, if there are more edges, or the block goes on to itself.
    pub fn unsplit_edge(&mut self, b: Block) -> bool {
        let (&[e], mut succs) = (self.preds(b), self.succs(b)) else { return false };
        let (Some(onward), None) = (succs.next(), succs.next()) else { return false };
        if self.edge_to(onward) == b || self.entry() == Some(b) {
            return false;
        }
        self.cfg.unlink(e);
        self.cfg.hand_over(onward, e);
        while let Some(i) = self.last(b) {
            self.kill(i);
        }
        self.layout.unplace_block(b);
        true
    }

    /// Splits a block before an instruction that is not a phi: that one and all after it, with the edges, go
    /// to a new block, and the old one branches to it. O(moved).
    pub fn split_block(&mut self, before: Inst) -> Option<Block> {
        let b = self.block_of(before).filter(|_| self.op(before) != Op::Phi)?;
        let tail = self.create_block_after(b);
        for e in self.succs(b) {
            self.cfg.edges[e].from = tail;
        }
        self.layout.move_tail(&mut self.rows, before, tail);
        self.set_br(b, tail, Place::NONE);
        Some(tail)
    }

    /// Appends a block to its only predecessor, which must branch to it unconditionally; its phis are
    /// replaced by their operands. False, and nothing done, if that is not so. O(instructions of the block).
    pub fn merge_into_pred(&mut self, b: Block) -> bool {
        let &[e] = self.preds(b) else { return false };
        let pred = self.edge_from(e);
        if pred == b || self.succs(pred).len() != 1 || self.entry() == Some(b) {
            return false;
        }
        while let Some(phi) = self.first(b).filter(|&i| self.op(i) == Op::Phi) {
            let value = self.arg(phi, 0);
            let value = if value.as_inst() == Some(phi) { Value::undef(self.ty(phi)) } else { value };
            self.replace(phi, value);
        }
        self.clear_terminator(pred);
        for e in self.succs(b) {
            self.cfg.edges[e].from = pred;
        }
        if let Some(first) = self.first(b) {
            self.layout.move_tail(&mut self.rows, first, pred);
        }
        self.layout.unplace_block(b);
        true
    }

    /// Removes blocks that nothing outside of `dead` enters: their edges, and their instructions (uses of
    /// whose results elsewhere become undef). O(their instructions).
    pub fn remove_blocks(&mut self, dead: &[Block]) {
        for &b in dead {
            self.clear_terminator(b);
        }
        for &b in dead {
            while let Some(i) = self.last(b) {
                self.kill(i);
            }
            if self.is_placed(b) {
                self.layout.unplace_block(b);
            }
        }
    }
}
