//! Results that are values of before: a value that is frozen, or a part of another, is that in the tables. LLVM has an
//! instruction for it, which has to stand above its uses. So it is an instruction here, too, a selection of one value, until
//! the body is verified, and goes then. Linear in bodies that have any; others pay nothing.

use super::builder::Builder;
use crate::base::{Column, Handle};
use crate::ir::{Body, Inst, Op, Type, Value};

impl Builder {
    /// What an instruction yields whose first row would be `before`: something that it has made, or a copy.
    pub(super) fn own(&mut self, v: Value, before: usize) -> Value {
        let Some(mut made) = self.made.take() else { return self.own_part(v, before) };
        for part in &mut made.parts {
            *part = self.own_part(*part, before);
        }
        self.made = Some(made);
        v
    }

    fn own_part(&mut self, v: Value, before: usize) -> Value {
        let is_new = |i: Inst| i.index() >= before && self.f.block_of(i) == Some(self.block);
        let ty = self.f.type_of(v);
        if v.as_inst().is_some_and(is_new) || ty == Type::Void {
            return v;
        }
        // The last operand is what a chain of copies begins with, as far as that is known.
        let copy = self.make(Op::Select, ty, &[Value::bool(true), v, self.original(v)], 0);
        self.copies.extend(copy.as_inst());
        copy
    }

    /// What a value is a copy of, as far as that was known when it was made.
    pub(super) fn original(&self, v: Value) -> Value {
        match v.as_inst().filter(|i| self.copies.binary_search(i).is_ok()) {
            Some(i) => self.f.arg(i, 2),
            None => v,
        }
    }

    /// The body, without copies, and without what of exchanges nothing asks for.
    pub(super) fn finish(mut self) -> Body {
        if !self.copies.is_empty() {
            self.drop_copies();
        }
        for flag in self.flags {
            if self.f.use_count(flag) == 0 {
                self.f.remove(flag);
            }
        }
        self.f
    }

    fn drop_copies(&mut self) {
        // Per copy, what it stands for; itself while that is not known.
        let mut stands: Column<Inst, Option<Value>> = Column::filled(self.f.inst_count(), None);
        self.copies.iter().for_each(|&i| stands[i] = Some(Value::inst(i)));
        let mut path = Vec::new();
        for &i in &self.copies {
            let mut v = Value::inst(i);
            while let Some((at, known)) = v.as_inst().and_then(|at| Some((at, stands[at]?))) {
                if known != v {
                    v = known;
                    break;
                }
                // Where nothing leads, copies may be of each other.
                stands[at] = Some(Value::undef(self.f.ty(at)));
                path.push(at);
                v = self.f.arg(at, 2);
            }
            path.drain(..).for_each(|at| stands[at] = Some(v));
            if let (Some(to), Some(names)) = (v.as_inst(), self.f.names.as_mut()) {
                names.pass(i, to);
            }
        }
        let all: Vec<Inst> = self.f.blocks().flat_map(|block| self.f.insts(block)).collect();
        for &i in &all {
            for k in 0..self.f.args(i).len() {
                if let Some(v) = self.f.arg(i, k).as_inst().and_then(|of| stands[of]) {
                    self.f.set_arg(i, k, v);
                }
            }
        }
        for &i in self.copies.iter().rev() {
            self.f.remove(i);
        }
    }
}
