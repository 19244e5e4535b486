//! Conditions: short circuits that branch where they stand, and become values only where one is asked for.
//!
//! After `a && b` the current block knows `b`, and `a` has already branched away if it was false. That is a
//! `Condition`: a value that decides here, and labels - blocks without contents so far - for control that
//! left early. `!` swaps the labels; `||` is `&&` between negations; a chain shares one label, so that
//! 100,000 terms make 100,000 branches and nothing else. Where two labels meet, the edges of the one with
//! fewer are redirected, which makes any nesting O(n log n) at worst.

use super::expression::Slot;
use super::function::Lowering;
use crate::base::Opt;
use crate::ir::{Block, FloatPred, IntPred, Op, Type, Value};

/// A truth value that may have been decided on the way here.
#[derive(Copy, Clone, Debug)]
pub(super) struct Condition {
    /// An i1, which decides for control in the current block.
    value: Value,
    /// True if the condition holds where `value` does not.
    negated: bool,
    /// Where control is that already knows that the condition holds.
    yes: Opt<Block>,
    /// Where control is that already knows that it does not hold.
    no: Opt<Block>,
}

impl Condition {
    /// What an i1 says.
    pub(super) fn of(value: Value) -> Condition {
        Condition { value, negated: false, yes: Opt::NONE, no: Opt::NONE }
    }

    /// True if control may have left on the way here.
    pub(super) fn has_labels(&self) -> bool {
        self.yes.is_some() || self.no.is_some()
    }

    fn not(self) -> Condition {
        Condition { value: self.value, negated: !self.negated, yes: self.no, no: self.yes }
    }
}

/// What `&&` or `||` keeps of its left side while the right side is computed.
#[derive(Copy, Clone, Debug)]
pub(super) struct LeftSide {
    /// Where control went that knows that the left side (of `||`: its negation) does not hold.
    no: Opt<Block>,
    /// If the right side is never reached: the block to go on in.
    resume: Opt<Block>,
}

impl Lowering<'_> {
    /// Takes the topmost slot as a condition.
    pub(super) fn pop_condition(&mut self) -> Condition {
        self.unsettled = false;
        let slot = self.pop();
        match slot {
            Slot::Truth(value, negated) => return Condition { negated, ..Condition::of(value) },
            Slot::Labelled(row) => return self.scratch.conditions[row as usize],
            _ => {}
        }
        let (value, ty) = self.value_of(slot);
        if value.is_number() {
            let truth = match self.body.as_int(value) {
                Some(x) => x != 0,
                None => self.body.as_f32(value).is_some_and(|x| x != 0.0),
            };
            return Condition::of(Value::bool(truth));
        }
        Condition::of(if ty == Type::F32 {
            let zero = self.body.f32(0.0);
            self.emit(Op::FCmp, Type::I1, [value, zero], FloatPred::Une as u32)
        } else {
            let zero = self.body.int(0);
            self.emit(Op::ICmp, Type::I1, [value, zero], IntPred::Ne as u32)
        })
    }

    fn push_condition(&mut self, condition: Condition) {
        self.unsettled = condition.has_labels();
        if self.unsettled {
            self.push(Slot::Labelled(self.scratch.conditions.len() as u32));
            self.scratch.conditions.push(condition);
        } else {
            self.push(Slot::Truth(condition.value, condition.negated));
        }
    }

    /// The condition that a slot stands for, and then a number.
    pub(super) fn int_of_slot(&mut self, slot: Slot) -> Option<Value> {
        match slot {
            Slot::Truth(value, negated) => Some(self.int_of(Condition { negated, ..Condition::of(value) })),
            Slot::Labelled(row) => Some(self.int_of(self.scratch.conditions[row as usize])),
            _ => None,
        }
    }

    /// Brings control back together where the topmost condition had left early.
    #[cold]
    pub(super) fn settle(&mut self) {
        self.unsettled = false;
        if let Some(&Slot::Labelled(row)) = self.scratch.stack.last() {
            self.scratch.stack.pop();
            let value = self.bool_of(self.scratch.conditions[row as usize]);
            self.push(Slot::Truth(value, false));
        }
    }

    /// The value of a condition, if it is the same whatever was computed.
    fn known(&self, condition: Condition) -> Option<bool> {
        if condition.value.as_inst().is_some() {
            return None;
        }
        self.body.as_int(condition.value).map(|x| (x != 0) != condition.negated)
    }

    /// `!`.
    #[inline(never)]
    pub(super) fn not(&mut self) {
        let condition = self.pop_condition();
        self.push_condition(condition.not());
    }

    /// The left side of `&&` (or, negated, of `||`) is complete: branches, and goes on where the right side
    /// is wanted.
    #[inline(never)]
    pub(super) fn left_side(&mut self, is_or: bool) {
        let mut left = self.pop_condition();
        if is_or {
            left = left.not();
        }
        let mut side = LeftSide { no: left.no, resume: Opt::NONE };
        match (self.known(left), left.yes.get()) {
            (Some(true), None) => {}
            (Some(false), None) => {
                side.resume = Opt::some(self.current);
                self.start_dead();
            }
            _ => {
                let (yes, no) = self.branch(left);
                side.no = Opt::some(no);
                self.start(yes);
            }
        }
        self.push(Slot::LeftSide(self.scratch.sides.len() as u32));
        self.scratch.sides.push(side);
    }

    /// `&&` or `||` is complete.
    #[inline(never)]
    pub(super) fn right_side(&mut self, is_or: bool) {
        let mut right = self.pop_condition();
        let Slot::LeftSide(row) = self.pop() else { return };
        let left = self.scratch.sides[row as usize];
        if is_or {
            right = right.not();
        }
        let mut both = match left.resume.get() {
            Some(block) => {
                self.current = block;
                self.scratch.known.forget();
                Condition { no: left.no, ..Condition::of(Value::bool(false)) }
            }
            None => Condition { no: self.join_labels(left.no, right.no), ..right },
        };
        if is_or {
            both = both.not();
        }
        self.push_condition(both);
    }

    /// One label for two: the edges of the one that has fewer go to the other.
    fn join_labels(&mut self, a: Opt<Block>, b: Opt<Block>) -> Opt<Block> {
        let (Some(a), Some(b)) = (a.get(), b.get()) else { return if a.is_some() { a } else { b } };
        let (kept, other) = if self.body.preds(a).len() < self.body.preds(b).len() { (b, a) } else { (a, b) };
        self.move_edges(other, kept);
        Opt::some(kept)
    }

    /// Redirects all edges of a label, and removes it. Returns how many there were.
    fn move_edges(&mut self, from: Block, to: Block) -> usize {
        let count = self.body.preds(from).len();
        while let Some(&edge) = self.body.preds(from).last() {
            self.body.redirect(edge, to);
        }
        self.body.remove_blocks(&[from]);
        count
    }

    fn label(&mut self, known: Opt<Block>) -> Block {
        known.get().unwrap_or_else(|| self.body.create_block_apart())
    }

    /// Ends the current block: to the first of the returned blocks if the condition holds, else to the
    /// second.
    pub(super) fn branch(&mut self, condition: Condition) -> (Block, Block) {
        let yes = self.label(condition.yes);
        let no = self.label(condition.no);
        let (b, place) = (self.current, self.jump_place());
        match self.known(condition) {
            Some(true) => _ = self.body.set_br(b, yes, place),
            Some(false) => _ = self.body.set_br(b, no, place),
            None if condition.negated => _ = self.body.set_cond_br(b, condition.value, no, yes, place),
            None => _ = self.body.set_cond_br(b, condition.value, yes, no, place),
        }
        (yes, no)
    }

    /// Ends the current block: to `yes` if the condition holds, else to `no`.
    pub(super) fn branch_to(&mut self, condition: Condition, yes: Block, no: Block) {
        let (holds, fails) = self.branch(condition);
        self.move_edges(holds, yes);
        self.move_edges(fails, no);
    }

    /// The condition as an i1 in the current block, which is a new one if control had left early: what comes
    /// next does not depend on how it was decided.
    pub(super) fn bool_of(&mut self, condition: Condition) -> Value {
        let mut value = condition.value;
        if let Some(known) = self.known(condition) {
            value = Value::bool(known);
        } else if condition.negated {
            value = self.inverted(value);
        }
        if !condition.has_labels() {
            return value;
        }
        let join = self.body.create_block_apart();
        self.go_on_to(join);
        let yes = condition.yes.get().map_or(0, |label| self.move_edges(label, join));
        if let Some(label) = condition.no.get() {
            self.move_edges(label, join);
        }
        let phi = self.body.insert_phi(join, Type::I1, self.place());
        for slot in 0..self.body.preds(join).len() {
            let known = Value::bool(slot <= yes);
            self.body.set_arg(phi, slot, if slot == 0 { value } else { known });
        }
        self.start(join);
        Value::inst(phi)
    }

    /// The opposite of an i1 that has no other use: a comparison is turned around in place.
    fn inverted(&mut self, value: Value) -> Value {
        if let Some(i) = value.as_inst().filter(|&i| !self.body.has_uses(i)) {
            let payload = self.body.payload(i);
            let inverse = match self.body.op(i) {
                Op::ICmp => Some(IntPred::from_payload(payload).inverse() as u32),
                Op::FCmp => Some(FloatPred::from_payload(payload).inverse() as u32),
                _ => None,
            };
            if let Some(inverse) = inverse {
                let (op, args) = (self.body.op(i), [self.body.arg(i, 0), self.body.arg(i, 1)]);
                self.body.rewrite(i, op, Type::I1, &args, inverse);
                return value;
            }
        }
        self.emit(Op::Xor, Type::I1, [value, Value::bool(true)], 0)
    }

    /// The condition as the int 0 or 1.
    fn int_of(&mut self, condition: Condition) -> Value {
        let value = self.bool_of(condition);
        match self.body.as_int(value) {
            Some(x) => self.body.int(x as i32 & 1),
            None => self.emit(Op::ZExt, Type::I32, [value], 0),
        }
    }
}
