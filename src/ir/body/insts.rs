//! Changing the instructions of a body. See `Body` for what always holds.

use super::{At, Body, is_movable};
use crate::base::{Column, Handle};
use crate::ir::layout::InstNode;
use crate::ir::opcode::PURE;
use crate::ir::operands::Operands;
use crate::ir::place::Place;
use crate::ir::promise::{Access, Flags};
use crate::ir::rows::{Edges, Head};
use crate::ir::{Block, FuncId, Inst, Op, Type, Value};

impl Body {
    /// Removes instructions; what used one uses what `values` has for it. For all that stay `values` has
    /// themselves. Phis, parameters and terminators stay. Makes the lists of uses, too. O(body), which is
    /// much cheaper than to replace many instructions one by one.
    pub fn forward(&mut self, gone: &[Inst], values: &Column<Inst, Value>) {
        if values.len() != self.inst_count() {
            return;
        }
        if let Some(debug) = &mut self.debug_values {
            gone.iter().for_each(|&i| debug.forward(i, values[i]));
        }
        for &i in gone {
            if !is_movable(self.op(i)) {
                continue;
            }
            self.rows.edges[i] = Edges::default();
            self.rows.head[i].op = Op::Unreachable;
            self.layout.unplace_inst(&mut self.rows, i);
        }
        // Looked up in any case: what an operand is, is hard to predict.
        let forwarded = |v: Value| {
            let at = v.as_inst().unwrap_or(Inst::new(0));
            if v.is_constant() { v } else { values[at] }
        };
        self.operands.map(&mut self.rows, forwarded);
    }

    /// Makes room for so many instructions more, of two operands each.
    pub(crate) fn reserve(&mut self, insts: usize) {
        self.rows.reserve(insts);
        self.operands.reserve(2 * insts);
    }

    /// A row that is placed nowhere, or as `node` says.
    pub(super) fn push_row(&mut self, head: Head, args: &[Value], node: InstNode, place: Place) -> Inst {
        if self.operands.is_plain(args.len()) {
            let edges = self.operands.push(args);
            let i = self.rows.push(head, edges, node, place);
            Operands::count(&mut self.rows, args);
            return i;
        }
        let edges = self.operands.store(self.rows.next_handle(), args.len());
        let i = self.rows.push(head, edges, node, place);
        self.operands.link(&mut self.rows, i, args);
        i
    }

    /// A row at the end of a block.
    pub(in crate::ir) fn append_row(&mut self, b: Block, head: Head, args: &[Value], place: Place) -> Inst {
        let node = self.layout.append_inst(&mut self.rows, b);
        self.push_row(head, args, node, place)
    }

    /// The block and the instruction before, if the place is there.
    #[inline(always)]
    fn find(&self, at: At) -> Option<(Block, Option<Inst>)> {
        Some(match at {
            At::End(b) => (b, self.last(b)),
            At::BeforeTerminator(b) => match self.terminator(b) {
                Some(terminator) => (b, self.prev(terminator)),
                None => (b, self.last(b)),
            },
            At::Start(b) => (b, self.phis(b).last()),
            At::Before(other) => (self.block_of(other)?, self.prev(other)),
            At::After(other) => (self.block_of(other)?, Some(other)),
        })
    }

    fn put_at(&mut self, i: Inst, at: At) {
        if let Some((block, prev)) = self.find(at) {
            self.layout.place_inst(&mut self.rows, i, block, prev);
        }
    }

    /// Makes an instruction. Phis and terminators have functions of their own: of one that is asked for here,
    /// or in front of what has been removed, there is a row that stands nowhere.
    pub fn insert(&mut self, at: At, op: Op, ty: Type, args: &[Value], payload: u32, place: Place) -> Inst {
        if !is_movable(op) {
            let nothing = Head::new(Op::Unreachable, Type::Void, 0);
            return self.push_row(nothing, &[], InstNode::default(), place);
        }
        self.note_type(ty);
        let head = Head::new(op, ty, payload);
        match at {
            At::End(b) => return self.append_row(b, head, args, place),
            // A block that is being filled.
            At::BeforeTerminator(b) if self.terminator(b).is_none() => {
                return self.append_row(b, head, args, place);
            }
            _ => {}
        }
        let i = self.push_row(head, args, InstNode::default(), place);
        self.put_at(i, at);
        i
    }

    /// Makes a phi at the head of a block; every operand is undef until `set_arg` says otherwise.
    /// O(predecessors).
    pub fn insert_phi(&mut self, b: Block, ty: Type, place: Place) -> Inst {
        self.has_phis = true;
        self.note_type(ty);
        let count = self.preds(b).len();
        let i = self.rows.next_handle();
        let edges = self.operands.store_equal(i, count, Value::undef(ty));
        self.rows.push(Head::new(Op::Phi, ty, 0), edges, InstNode::default(), place);
        self.layout.place_inst(&mut self.rows, i, b, None);
        i
    }

    /// Changes one operand, if there is one of this number.
    #[inline]
    pub fn set_arg(&mut self, i: Inst, k: usize, v: Value) {
        if k < self.arg_count(i) {
            self.operands.set(&mut self.rows, i, k, v);
        }
    }

    /// Gives a call another function of the same type, or an allocation or a step another shape of the same dimensions: the
    /// handle that it has in other tables.
    pub(in crate::ir) fn set_payload(&mut self, i: Inst, payload: u32) {
        self.rows.head[i].payload = payload;
    }

    /// Puts places so many bytes further on; `func` has the handles of functions that code was inlined from. O(instructions).
    pub(in crate::ir) fn move_places(&mut self, by: u32, func: impl Fn(FuncId) -> FuncId) {
        self.rows.places_mut().iter_mut().for_each(|place| *place = place.moved(by));
        for row in self.places.rows_mut() {
            row.func = func(row.func);
            row.offset = Place::at(row.offset).moved(by).bits();
            row.call = row.call.moved(by);
        }
    }

    /// Turns an instruction into another one with the same uses, in place, which promises nothing. Nothing
    /// happens if one of the two is a phi, a parameter or a terminator. O(operands).
    pub fn rewrite(&mut self, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) {
        if !is_movable(op) || !is_movable(self.op(i)) {
            return;
        }
        self.note_type(ty);
        self.operands.set_all(&mut self.rows, i, args);
        self.rows.head[i] = Head::new(op, ty, payload);
        self.rows.set_access(i, Access::PLAIN);
    }

    /// Sets what the result promises.
    pub fn set_flags(&mut self, i: Inst, flags: Flags) {
        self.rows.head[i].flags = flags;
    }

    /// Of what the result of `i` promises, keeps what that of `other` does, too: `i` is about to take its
    /// place.
    #[inline]
    pub fn keep_flags(&mut self, i: Inst, other: Inst) {
        let flags = self.flags(i).both(self.flags(other));
        self.set_flags(i, flags);
    }

    /// Sets how it accesses memory.
    pub fn set_access(&mut self, i: Inst, access: Access) {
        let loads_or_stores =
            matches!(self.op(i), Op::Load | Op::Store | Op::LoadVolatile | Op::StoreVolatile);
        self.is_unaligned |= matches!(access.align, 1..4) && loads_or_stores;
        self.rows.set_access(i, access);
    }

    /// Every use of the result of `i` becomes a use of `v`, but for those in `v` itself. Nothing happens if
    /// `v` is `i` or of another type. O(uses + operands of `v`).
    pub fn replace_uses(&mut self, i: Inst, v: Value) {
        if self.debug_values.is_some() {
            self.note_forward(i, v);
        }
        if !self.has_uses(i) {
            return;
        }
        let Some(by) = v.as_inst() else {
            if self.type_of(v) == self.ty(i) {
                self.operands.replace_uses(&mut self.rows, i, v);
            }
            return;
        };
        if by == i || by.index() >= self.inst_count() || self.ty(by) != self.ty(i) {
            return;
        }
        self.operands.replace_uses(&mut self.rows, i, v);
        if self.op(by) == Op::Phi {
            return;
        }
        for k in 0..self.arg_count(by) {
            if self.arg(by, k) == v {
                self.set_arg(by, k, Value::inst(i));
            }
        }
    }

    /// Debuggers are shown what takes the place of a value.
    #[cold]
    #[inline(never)]
    fn note_forward(&mut self, i: Inst, v: Value) {
        if let Some(debug) = &mut self.debug_values {
            debug.forward(i, v);
        }
    }

    /// Removes an instruction that nothing uses, and what it alone has used; not what does more than compute.
    pub fn remove_unused(&mut self, i: Inst) {
        let mut open = vec![i];
        while let Some(i) = open.pop() {
            if self.op(i).has(PURE) && self.block_of(i).is_some() && !self.has_uses(i) {
                open.extend(self.args(i).iter().filter_map(|v| v.as_inst()));
                self.remove(i);
            }
        }
    }

    /// Removes an instruction. Uses that are left become undef. Nothing happens to terminators and
    /// parameters. O(operands + uses).
    pub fn remove(&mut self, i: Inst) {
        if is_movable(self.op(i)) || self.op(i) == Op::Phi {
            self.kill(i);
        }
    }

    /// In dumps, a value without a name is called after this one.
    #[inline]
    pub fn name_after(&mut self, v: Value, other: Inst) {
        if let (Some(names), Some(i)) = (&mut self.names, v.as_inst()) {
            names.name_after(i, other);
        }
    }

    /// Replaces all uses of `i` by `v` and removes `i`.
    pub fn replace(&mut self, i: Inst, v: Value) {
        self.name_after(v, i);
        self.replace_uses(i, v);
        self.remove(i);
    }

    pub(super) fn kill(&mut self, i: Inst) {
        if self.debug_values.is_some() {
            self.note_gone(i);
        }
        self.operands.drop_all(&mut self.rows, i);
        if self.has_uses(i) {
            let undef = Value::undef(self.ty(i));
            self.operands.replace_uses(&mut self.rows, i, undef);
        }
        self.layout.unplace_inst(&mut self.rows, i);
        self.rows.head[i].op = Op::Unreachable;
    }

    /// An instruction that has been moved out of where it was written stands where this block ends, to debuggers.
    pub fn place_as_end(&mut self, i: Inst, b: Block) {
        if let Some(end) = self.terminator(b) {
            let place = self.place(end);
            self.rows.replace_place(i, place);
        }
    }

    /// Moves an instruction elsewhere. Nothing happens to phis, parameters and terminators, nor if the place
    /// is gone.
    pub fn move_inst(&mut self, i: Inst, at: At) {
        if !is_movable(self.op(i)) || at == At::Before(i) || at == At::After(i) || self.find(at).is_none() {
            return;
        }
        self.layout.unplace_inst(&mut self.rows, i);
        self.put_at(i, at);
    }
}
