//! What a body stores to globals, as flows to unknowns: to a global itself, or through an argument that is an address
//! (`Unknown::Stored`), which callers add to what they pass.
//!
//! Of all numbers of 32 bits in a global one range is known, so subscripts do not matter. A global may hold anything if
//! something else can write to it: code outside, by its name or an address that it was given; a value of another
//! type, a copy, an access that is not made for one; or an address whose object is not known. What leaves a body
//! in another way than as an argument (stored, chosen, made an integer, returned) counts as written. O(instructions).

use super::{ANYTHING, DEEP_IN_MEMORY, FEW, Look, Node, Unknown, is_closed};
use crate::analysis::memory::{Base, base_of};
use crate::analysis::names::may_name;
use crate::analysis::range::Range;
use crate::base::Handle;
use crate::ir::{Body, Effect, Env, Global, GlobalId, Image, Inst, Linkage, Op, Shape, Type, Value};

impl Look<'_> {
    /// Has a look at an instruction that is no call and no return.
    #[inline(always)]
    pub fn other(&mut self, i: Inst) {
        if may_name(self.f.op(i)) {
            self.named(i);
        }
    }

    fn named(&mut self, i: Inst) {
        let f = self.f;
        match f.op(i) {
            Op::Store => {
                let (v, address) = (f.arg(i, 0), f.arg(i, 1));
                if f.type_of(v) == Type::I32 {
                    self.store(i, v, address);
                } else {
                    self.open(address);
                    self.leaves(v);
                }
            }
            Op::ElemAddr => {
                // A number may be put together of halves of others. Mostly one steps as the last one did.
                if self.steps.0 != f.payload(i) {
                    let of = self.env.shapes.scalar_type(Shape::new(f.payload(i) as usize));
                    self.steps = (f.payload(i), self.env.shapes.bytes_of(of).is_multiple_of(4));
                }
                if !self.steps.1 {
                    self.open(f.arg(i, 0));
                }
            }
            Op::Load | Op::Phi | Op::ICmp | Op::Alloca => {}
            _ => f.args(i).iter().for_each(|&v| self.leaves(v)),
        }
    }

    /// What is passed to a function may be written by it.
    pub(super) fn pass_addresses(&mut self, i: Inst) {
        let (f, callee) = (self.f, self.f.callee(i));
        let is_open = !is_closed(self.env, callee);
        let row = &self.env.funcs[callee];
        let writes = row.linkage != Linkage::Declared || row.effect.has(Effect::WRITES);
        for (k, &v) in (0..).zip(f.args(i)).filter(|&(_, &v)| f.type_of(v) == Type::Ptr) {
            let base = base_of(f, v);
            match (is_open, self.target(base)) {
                (true, _) if writes => self.open(v),
                (false, Some(to)) => {
                    let last = self.node(Node::Unknown(Unknown::Stored(callee, k)));
                    match last {
                        ANYTHING => self.open(v),
                        _ => self.own.flows.push(super::Flow { to, first: last, last }),
                    }
                }
                (false, None) => self.own.is_open |= base == Base::Unknown,
                (true, _) => {}
            }
        }
    }

    fn store(&mut self, i: Inst, v: Value, address: Value) {
        let base = base_of(self.f, address);
        match self.target(base) {
            Some(to) if self.has_all(to) => {}
            Some(to) => self.pass(i, to, v, DEEP_IN_MEMORY),
            None => self.own.is_open |= base == Base::Unknown,
        }
    }

    /// The unknown that stores to an object come to, if they matter.
    fn target(&self, base: Base) -> Option<Unknown> {
        match base {
            Base::Global(global) => is_known(&self.env.globals[global]).then_some(Unknown::Memory(global)),
            Base::Param(k) => self.is_closed.then_some(Unknown::Stored(self.f.func, k)),
            Base::Own(_) | Base::Unknown => None,
        }
    }

    /// True if it is known already that anything comes there.
    fn has_all(&self, to: Unknown) -> bool {
        match to {
            Unknown::Memory(global) => is_all(&self.own.stored, global),
            Unknown::Stored(_, k) => is_all(&self.own.stored_by, k),
            _ => false,
        }
    }

    /// An address may be written through from here on.
    fn leaves(&mut self, v: Value) {
        if self.f.type_of(v) == Type::Ptr {
            self.open(v);
        }
    }

    /// Anything may be stored there.
    fn open(&mut self, address: Value) {
        let base = base_of(self.f, address);
        match self.target(base) {
            Some(to) => self.flow_range(to, Range::ALL),
            None => self.own.is_open |= base == Base::Unknown,
        }
    }

    /// What is loaded.
    pub(super) fn loaded(&mut self, address: Value) -> u32 {
        match base_of(self.f, address) {
            Base::Global(global) if is_known(&self.env.globals[global]) => {
                self.node(Node::Unknown(Unknown::Memory(global)))
            }
            Base::Own(alloca) if is_variable(self.f, alloca) => self.unknown_of_body(alloca),
            _ => ANYTHING,
        }
    }

    /// What comes to a variable in memory.
    pub(super) fn variable(&mut self, to: Unknown, alloca: Inst) {
        let f = self.f;
        let stores: Vec<Inst> = f.uses(alloca).map(|u| u.user).filter(|&i| f.op(i) == Op::Store).collect();
        for i in stores {
            self.pass(i, to, f.arg(i, 0), DEEP_IN_MEMORY);
        }
    }
}

/// True for a number of 32 bits that is only loaded and stored, and is stored to from the start.
fn is_variable(f: &Body, alloca: Inst) -> bool {
    let address = Value::inst(alloca);
    let mut is_set = false;
    f.uses(alloca).all(|u| {
        let i = u.user;
        match f.op(i) {
            Op::Load => f.ty(i) == Type::I32,
            Op::Store => {
                is_set |= f.block_of(i) == f.entry();
                f.type_of(f.arg(i, 0)) == Type::I32 && f.arg(i, 0) != address
            }
            _ => false,
        }
    }) && is_set
}

/// True if all that writes to a global is in the program, and none of its numbers is an address.
fn is_known(row: &Global) -> bool {
    row.linkage == Linkage::Internal && row.image.addresses.is_empty()
}

/// The range of what a global holds at the start; anything where something outside may write to it.
pub(super) fn at_first(env: &Env, global: GlobalId) -> Range {
    let row = &env.globals[global];
    if !is_known(row) || env.shapes.scalar_type(row.shape) != Type::I32 {
        return Range::ALL;
    }
    let Image { runs, words, .. } = &row.image;
    let covered: u64 = runs.iter().map(|run| u64::from(run.len)).sum();
    let zeros = covered * 4 < env.shapes.bytes(row.shape);
    let zero = if zeros { Range::one(0) } else { Range::NONE };
    words.iter().fold(zero, |range, &word| range.join(Range::one(word as i32)))
}

/// Adds to what is noted of something.
pub(super) fn note<T: Copy + PartialEq>(rows: &mut Vec<(T, Range)>, of: T, range: Range) {
    let old = rows.len().saturating_sub(FEW);
    match rows[old..].iter_mut().find(|row| row.0 == of) {
        Some(row) => row.1 = row.1.join(range),
        None => rows.push((of, range)),
    }
}

/// True if anything was noted of something, among the last rows.
fn is_all<T: Copy + PartialEq>(rows: &[(T, Range)], of: T) -> bool {
    let old = rows.len().saturating_sub(FEW);
    rows[old..].contains(&(of, Range::ALL))
}

/// One row for each, in order.
pub(super) fn join_equal<T: Copy + Ord>(rows: &mut Vec<(T, Range)>) {
    rows.sort_unstable_by_key(|row| row.0);
    rows.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        first.1 = if is_same { first.1.join(next.1) } else { first.1 };
        is_same
    });
    rows.shrink_to_fit();
}
