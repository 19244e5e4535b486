//! Vectors as scalars, for machines and code that have none: each lane becomes a value. What is legal for a
//! machine (`legal`) stays; lanes are taken out of it for what is not, and put together behind that.
//!
//! Blocks are walked in depth-first preorder, so that definitions come before uses. An instruction with a
//! vector among its operands or as its result gets, in front of it, an instruction a lane; then it goes.
//! Phis get a phi a lane, whose operands are set at the end. What is folded or known to be one of the
//! operands makes no instruction: `splat`, lanes taken out and put in.
//!
//! No block is made or changed. A lane of a masked access whose bit is not known chooses between its
//! address and that of 8 bytes in the frame, which no other code reads or writes.
//!
//! O(instructions + lanes + phi operands); functions without vectors are not looked at.

use super::legal::Vectors;
use super::{At, Block, Body, Inst, Op, Place, Shape, Shapes, Type, Value};
use crate::base::{BitSet, Column, Handle};

/// The walk.
struct Lanes<'a> {
    shapes: &'a Shapes,
    f: &'a mut Body,
    /// What stays.
    legal: Vectors,
    /// Per instruction: where in `values` the lanes of its result begin, from 1 on; 0 for none.
    first: Column<Inst, u32>,
    values: Vec<Value>,
    /// Vector phis, and where in `values` their lanes begin.
    phis: Vec<(Inst, usize)>,
    /// What is to be removed.
    gone: Vec<Inst>,
    /// Where lanes of masked accesses go whose bit is false.
    aside: Option<Value>,
    /// Something legal has been met.
    keeps: bool,
}

/// Rewrites all vectors of a body that are not legal. What cannot be reached keeps them.
#[inline]
pub fn scalarise(shapes: &Shapes, f: &mut Body, legal: Vectors) {
    if f.has_vectors() {
        rewrite(shapes, f, legal);
    }
}

#[cold]
fn rewrite(shapes: &Shapes, f: &mut Body, legal: Vectors) {
    let first = Column::filled(f.inst_count(), 0);
    let mut lanes = Lanes {
        shapes,
        f,
        legal,
        first,
        values: vec![Value::bool(false)],
        phis: Vec::new(),
        gone: Vec::new(),
        aside: None,
        keeps: false,
    };
    lanes.run();
}

impl Lanes<'_> {
    fn run(&mut self) {
        let mut seen: BitSet<Block> = BitSet::new(self.f.block_count());
        let mut stack: Vec<Block> = self.f.entry().into_iter().collect();
        while let Some(b) = stack.pop() {
            if seen.insert(b) {
                self.block(b);
                stack.extend(self.f.succs(b).map(|e| self.f.edge_to(e)));
            }
        }
        for (phi, start) in std::mem::take(&mut self.phis) {
            for slot in 0..self.f.args(phi).len() {
                let v = self.f.arg(phi, slot);
                for k in 0..self.f.ty(phi).lanes() {
                    let lane = self.known(v, k);
                    if let Some(of_lane) = self.values[start + k as usize].as_inst() {
                        self.f.set_arg(of_lane, slot, lane);
                    }
                }
            }
        }
        for &i in self.gone.iter().rev() {
            self.f.remove(i);
        }
        let is_reached = |b: &Block| seen.contains(*b);
        if !self.keeps && self.f.blocks().all(|b| is_reached(&b)) {
            self.f.forget_vectors();
        }
    }

    fn block(&mut self, b: Block) {
        let mut next = self.f.first(b);
        while let Some(i) = next {
            next = self.f.next(i);
            let ty = self.f.ty(i);
            if ty.is_vector() || self.f.args(i).iter().any(|&v| self.f.type_of(v).is_vector()) {
                if self.legal.takes(self.f, i) {
                    self.keeps = true;
                    continue;
                }
                if self.f.op(i) == Op::Phi {
                    self.phi(b, i);
                } else {
                    self.instruction(i);
                    if self.legal.has(Op::Phi, ty) {
                        self.together(i);
                    }
                }
                self.gone.push(i);
            }
        }
    }

    /// Lane `k` of a vector that `i` takes.
    fn lane(&mut self, i: Inst, v: Value, k: u32) -> Value {
        let ty = self.f.type_of(v);
        match v.as_inst() {
            Some(of) if self.first.get(of).is_none_or(|&first| first == 0) && self.legal.has(Op::Phi, ty) => {
                self.make(i, Op::ExtractLane, ty.element(), &[v], k)
            }
            _ => self.known(v, k),
        }
    }

    /// Lane `k` of a vector that is scalars; what has no lanes (yet) is undefined.
    fn known(&self, v: Value, k: u32) -> Value {
        let first = v.as_inst().and_then(|i| self.first.get(i)).copied().unwrap_or(0);
        match first {
            0 => Value::undef(self.f.type_of(v).element()),
            _ => self.values[(first + k) as usize],
        }
    }

    /// A vector of the lanes of `i`, for what is legal. Nothing is left of it where that is nothing.
    fn together(&mut self, i: Inst) {
        let ty = self.f.ty(i);
        let lanes: Vec<Value> = (0..ty.lanes()).map(|k| self.known(Value::inst(i), k)).collect();
        let place = self.f.place(i);
        let mut all = Value::undef(ty);
        for (k, &lane) in lanes.iter().enumerate() {
            let next = self.f.insert(At::Before(i), Op::InsertLane, ty, &[all, lane], k as u32, place);
            all = Value::inst(next);
        }
        self.keeps = true;
        self.f.replace_uses(i, all);
        if let Some(last) = all.as_inst() {
            self.first.grow_to(self.f.inst_count(), 0);
            self.set(last, lanes);
        }
    }

    /// The lanes of an instruction's result are these.
    fn set(&mut self, i: Inst, lanes: impl IntoIterator<Item = Value>) {
        self.first[i] = self.values.len() as u32;
        self.values.extend(lanes);
    }

    fn phi(&mut self, b: Block, phi: Inst) {
        let (ty, place) = (self.f.ty(phi), self.f.place(phi));
        let start = self.values.len();
        for _ in 0..ty.lanes() {
            let of_lane = self.f.insert_phi(b, ty.element(), place);
            self.values.push(Value::inst(of_lane));
        }
        self.first[phi] = start as u32;
        self.phis.push((phi, start));
    }

    /// What computes this, in front of `i`, unless it folds.
    fn make(&mut self, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        if let Some(v) = self.f.fold(op, ty, payload, args) {
            return v;
        }
        let place = self.f.place(i);
        Value::inst(self.f.insert(At::Before(i), op, ty, args, payload, place))
    }

    /// What element `k` behind an address is the address of.
    fn element(&mut self, i: Inst, address: Value, ty: Type, k: u32) -> Value {
        if k == 0 {
            return address;
        }
        let k = self.f.int(k as i32);
        self.make(i, Op::ElemAddr, Type::Ptr, &[address, k], Shape::scalar(ty).index() as u32)
    }

    /// The address that is so many bytes from another one.
    fn stepped(&mut self, i: Inst, address: Value, stride: Value) -> Value {
        let shape = self.shapes.leaving(Shape::scalar(Type::I8));
        self.make(i, Op::ElemAddr, Type::Ptr, &[address, stride], shape.index() as u32)
    }

    /// The address of memory of which nothing is wanted. It begins as zeros, so that no load of it is of
    /// nothing.
    fn aside(&mut self) -> Value {
        if let Some(aside) = self.aside {
            return aside;
        }
        let shape = self.shapes.of(Type::I32, &[2]).index() as u32;
        let Some(entry) = self.f.entry() else { return Value::undef(Type::Ptr) };
        let at = At::Start(entry);
        let i = self.f.insert(at, Op::Alloca, Type::Ptr, &[], shape, Place::NONE);
        self.f.insert(At::After(i), Op::MemInit, Type::Void, &[Value::inst(i)], 8, Place::NONE);
        *self.aside.insert(Value::inst(i))
    }

    /// The address for a lane of a masked access; none where the lane is known not to be masked in.
    fn masked(&mut self, i: Inst, address: Value, bit: Value, ty: Type, k: u32) -> Option<Value> {
        match self.f.as_int(bit) {
            Some(0) => None,
            Some(_) => Some(self.element(i, address, ty, k)),
            None => {
                let element = self.element(i, address, ty, k);
                let aside = self.aside();
                Some(self.make(i, Op::Select, Type::Ptr, &[bit, element, aside], 0))
            }
        }
    }

    fn instruction(&mut self, i: Inst) {
        let (op, ty, payload) = (self.f.op(i), self.f.ty(i), self.f.payload(i));
        let operands: Vec<Value> = self.f.args(i).to_vec();
        let of_operand = operands.first().map_or(Type::Void, |&v| self.f.type_of(v));
        let (count, element) = (ty.lanes(), ty.element());
        match (op, &*operands) {
            (Op::Splat, &[x]) => self.set(i, std::iter::repeat_n(x, count as usize)),
            (Op::ExtractLane, &[v]) => {
                let lane = self.lane(i, v, payload);
                self.f.replace_uses(i, lane);
            }
            (Op::InsertLane, &[v, x]) => {
                let lanes: Vec<Value> =
                    (0..count).map(|k| if k == payload { x } else { self.lane(i, v, k) }).collect();
                self.set(i, lanes);
            }
            (Op::Splice, &[v, w]) => {
                let first = self.lane(i, v, count - 1);
                let lanes: Vec<Value> =
                    (0..count).map(|k| if k == 0 { first } else { self.lane(i, w, k - 1) }).collect();
                self.set(i, lanes);
            }
            (Op::ZipLow | Op::ZipHigh, &[v, w]) => {
                let first = if op == Op::ZipLow { 0 } else { count / 2 };
                let lanes: Vec<Value> =
                    (0..count).map(|k| self.lane(i, if k % 2 == 0 { v } else { w }, first + k / 2)).collect();
                self.set(i, lanes);
            }
            (Op::ReduceFAdd, &[start, v]) => {
                let lanes = self.f.type_of(v).lanes();
                let sum = (0..lanes).fold(start, |sum, k| {
                    let lane = self.lane(i, v, k);
                    self.make(i, Op::FAdd, ty, &[sum, lane], 0)
                });
                self.f.replace_uses(i, sum);
            }
            (Op::Load, &[address]) => {
                for k in 0..count {
                    let address = self.element(i, address, element, k);
                    let lane = self.make(i, Op::Load, element, &[address], 0);
                    self.push(i, k, lane);
                }
            }
            (Op::Store, &[v, address]) => {
                for k in 0..of_operand.lanes() {
                    let lane = self.lane(i, v, k);
                    let address = self.element(i, address, of_operand.element(), k);
                    self.make(i, Op::Store, Type::Void, &[lane, address], 0);
                }
            }
            (Op::MaskedLoad, &[address, mask, other]) => {
                for k in 0..count {
                    let (bit, other) = (self.lane(i, mask, k), self.lane(i, other, k));
                    let mut lane = other;
                    if let Some(address) = self.masked(i, address, bit, element, k) {
                        lane = self.make(i, Op::Load, element, &[address], 0);
                        if self.f.as_int(bit).is_none() && !other.is_undef() {
                            lane = self.make(i, Op::Select, element, &[bit, lane, other], 0);
                        }
                    }
                    self.push(i, k, lane);
                }
            }
            (Op::MaskedStore, &[v, address, mask]) => {
                for k in 0..of_operand.lanes() {
                    let (lane, bit) = (self.lane(i, v, k), self.lane(i, mask, k));
                    if let Some(address) = self.masked(i, address, bit, of_operand.element(), k) {
                        self.make(i, Op::Store, Type::Void, &[lane, address], 0);
                    }
                }
            }
            (Op::StridedLoad, &[address, stride]) => {
                let mut address = address;
                for k in 0..count {
                    if k != 0 {
                        address = self.stepped(i, address, stride);
                    }
                    let lane = self.make(i, Op::Load, element, &[address], 0);
                    self.push(i, k, lane);
                }
            }
            (Op::StridedStore, &[v, address, stride]) => {
                let mut address = address;
                for k in 0..of_operand.lanes() {
                    if k != 0 {
                        address = self.stepped(i, address, stride);
                    }
                    let lane = self.lane(i, v, k);
                    self.make(i, Op::Store, Type::Void, &[lane, address], 0);
                }
            }
            (_, &[v]) if let Some(by) = op.reduces_by() => {
                let mut all = self.lane(i, v, 0);
                for k in 1..of_operand.lanes() {
                    let lane = self.lane(i, v, k);
                    all = self.make(i, by, ty, &[all, lane], 0);
                }
                self.f.replace_uses(i, all);
            }
            _ => self.by_lane(i, &operands),
        }
    }

    /// Lane `k` of the result; lanes come in order.
    fn push(&mut self, i: Inst, k: u32, lane: Value) {
        if k == 0 {
            self.first[i] = self.values.len() as u32;
        }
        self.values.push(lane);
    }

    /// What is done to each lane by itself. A choice may be by one truth value.
    fn by_lane(&mut self, i: Inst, operands: &[Value]) {
        let (op, ty, payload) = (self.f.op(i), self.f.ty(i), self.f.payload(i));
        let mut args = operands.to_vec();
        for k in 0..ty.lanes() {
            for (arg, &v) in args.iter_mut().zip(operands) {
                *arg = if self.f.type_of(v).is_vector() { self.lane(i, v, k) } else { v };
            }
            let lane = match (op, self.f.as_int(args[0])) {
                (Op::Select, Some(truth)) => args[if truth != 0 { 1 } else { 2 }],
                _ => self.make(i, op, ty.element(), &args, payload),
            };
            self.push(i, k, lane);
        }
    }
}
