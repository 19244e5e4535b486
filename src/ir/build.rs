//! The builder: typed helpers that append to a current block and fold constants on the way.
//!
//! For frontends, and for passes that make more than an instruction or two. Every helper is O(operands).
//! Constants end up on the right of commutative operations and comparisons, as canonical form demands;
//! nothing else is rewritten.

use super::opcode::COMMUTATIVE;
use super::{At, Block, Body, Edge, Env, FloatPred, FuncId, Inst, IntPred, Op, Place, Shape, Type, Value};
use crate::base::Handle;

/// Appends to `block` of `f`, before its terminator if it has one.
#[derive(Debug)]
pub struct Builder<'a> {
    /// For signatures.
    pub env: &'a Env,
    /// The body that is being built.
    pub f: &'a mut Body,
    /// Where new instructions go; assign to move on.
    pub block: Block,
    /// Where they come from.
    pub place: Place,
}

impl<'a> Builder<'a> {
    /// A builder that appends to `block` what comes from nowhere in the source.
    pub fn new(env: &'a Env, f: &'a mut Body, block: Block) -> Builder<'a> {
        Builder { env, f, block, place: Place::NONE }
    }

    /// A new, empty block at the end of the order. The builder stays where it is.
    pub fn create_block(&mut self) -> Block {
        self.f.create_block()
    }

    /// True if the current block already ends.
    pub fn is_terminated(&self) -> bool {
        self.f.terminator(self.block).is_some()
    }

    /// Appends an instruction that is neither phi nor terminator, unless it folds.
    pub fn insert(&mut self, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        if let Some(v) = self.f.fold(op, ty, payload, args) {
            return v;
        }
        Value::inst(self.f.insert(At::BeforeTerminator(self.block), op, ty, args, payload, self.place))
    }

    // ---- Constants --------------------------------------------------------------------------------------

    /// An i32.
    pub fn int(&mut self, x: i32) -> Value {
        self.f.int(x)
    }

    /// An integer of any width.
    pub fn int_of(&mut self, ty: Type, x: i64) -> Value {
        self.f.int_of(ty, x)
    }

    /// A float.
    pub fn f32(&mut self, x: f32) -> Value {
        self.f.f32(x)
    }

    /// The zero of an integer or float type, or a vector of them.
    pub fn zero(&mut self, ty: Type) -> Value {
        let zero = self.f.constant(super::fold::Number::zero(ty.element()));
        self.splat(zero, ty)
    }

    /// A value in every lane of `ty`; itself if that is a scalar.
    pub fn splat(&mut self, x: Value, ty: Type) -> Value {
        if ty.is_vector() { self.insert(Op::Splat, ty, &[x], 0) } else { x }
    }

    // ---- Arithmetic -------------------------------------------------------------------------------------

    /// Any operation on two operands of its own type.
    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Value {
        let (a, b) = if op.has(COMMUTATIVE) && a.is_number() { (b, a) } else { (a, b) };
        let ty = self.f.type_of(a);
        self.insert(op, ty, &[a, b], 0)
    }

    /// a + b.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.binary(Op::Add, a, b)
    }

    /// a - b.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.binary(Op::Sub, a, b)
    }

    /// a * b.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.binary(Op::Mul, a, b)
    }

    /// The signed quotient.
    pub fn sdiv(&mut self, a: Value, b: Value) -> Value {
        self.binary(Op::SDiv, a, b)
    }

    /// The signed remainder.
    pub fn srem(&mut self, a: Value, b: Value) -> Value {
        self.binary(Op::SRem, a, b)
    }

    /// 0 - a.
    pub fn neg(&mut self, a: Value) -> Value {
        let zero = self.zero(self.f.type_of(a));
        self.binary(Op::Sub, zero, a)
    }

    /// Floating negation.
    pub fn fneg(&mut self, a: Value) -> Value {
        self.insert(Op::FNeg, self.f.type_of(a), &[a], 0)
    }

    /// An integer or pointer comparison.
    pub fn icmp(&mut self, pred: IntPred, a: Value, b: Value) -> Value {
        let (pred, a, b) = if a.is_number() { (pred.swapped(), b, a) } else { (pred, a, b) };
        let ty = self.truth_of(a);
        self.insert(Op::ICmp, ty, &[a, b], pred as u32)
    }

    /// A floating comparison.
    pub fn fcmp(&mut self, pred: FloatPred, a: Value, b: Value) -> Value {
        let (pred, a, b) = if a.is_number() { (pred.swapped(), b, a) } else { (pred, a, b) };
        let ty = self.truth_of(a);
        self.insert(Op::FCmp, ty, &[a, b], pred as u32)
    }

    /// What a comparison of such values yields: i1, or as many lanes of it.
    fn truth_of(&self, v: Value) -> Type {
        self.f.type_of(v).of_element(Type::I1).unwrap_or(Type::I1)
    }

    /// `condition ? a : b`.
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        match self.f.as_int(condition) {
            Some(0) => b,
            Some(_) => a,
            None => self.insert(Op::Select, self.f.type_of(a), &[condition, a, b], 0),
        }
    }

    /// A conversion; `a` itself if it has the type.
    pub fn convert(&mut self, op: Op, a: Value, ty: Type) -> Value {
        if self.f.type_of(a) == ty { a } else { self.insert(op, ty, &[a], 0) }
    }

    // ---- Memory -----------------------------------------------------------------------------------------

    /// Stack memory, made at the head of the entry block.
    pub fn alloca(&mut self, shape: Shape) -> Value {
        let entry = self.f.entry().unwrap_or(self.block);
        let payload = shape.index() as u32;
        Value::inst(self.f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], payload, self.place))
    }

    /// Loads a `ty`.
    pub fn load(&mut self, ty: Type, address: Value) -> Value {
        self.insert(Op::Load, ty, &[address], 0)
    }

    /// Stores a value.
    pub fn store(&mut self, value: Value, address: Value) -> Inst {
        let at = At::BeforeTerminator(self.block);
        self.f.insert(at, Op::Store, Type::Void, &[value, address], 0, self.place)
    }

    /// The address of an element; see `Op::ElemAddr`.
    pub fn elem_addr(&mut self, shape: Shape, base: Value, indices: &[Value]) -> Value {
        let mut args = Vec::with_capacity(indices.len() + 1);
        args.push(base);
        args.extend_from_slice(indices);
        self.insert(Op::ElemAddr, Type::Ptr, &args, shape.index() as u32)
    }

    /// Fills memory with zeros.
    pub fn fill_zero(&mut self, address: Value, bytes: u32) -> Inst {
        self.f.insert(
            At::BeforeTerminator(self.block),
            Op::MemInit,
            Type::Void,
            &[address],
            bytes,
            self.place,
        )
    }

    /// Copies a constant global to memory.
    pub fn copy_constant(&mut self, address: Value, source: Value, bytes: u32) -> Inst {
        let at = At::BeforeTerminator(self.block);
        self.f.insert(at, Op::MemInit, Type::Void, &[address, source], bytes, self.place)
    }

    // ---- Control ----------------------------------------------------------------------------------------

    /// Calls a function; the result may be void.
    pub fn call(&mut self, func: FuncId, args: &[Value]) -> Value {
        let ty = self.env.funcs.get(func).map_or(Type::Void, |row| row.result);
        let at = At::BeforeTerminator(self.block);
        Value::inst(self.f.insert(at, Op::Call, ty, args, func.index() as u32, self.place))
    }

    /// A phi at the head of the current block, every operand undef so far.
    pub fn phi(&mut self, ty: Type) -> Inst {
        self.f.insert_phi(self.block, ty, self.place)
    }

    /// Branches.
    pub fn br(&mut self, to: Block) -> Edge {
        self.f.set_br(self.block, to, self.place)
    }

    /// Branches by a condition; the edges for true and false.
    pub fn cond_br(&mut self, condition: Value, yes: Block, no: Block) -> (Edge, Edge) {
        self.f.set_cond_br(self.block, condition, yes, no, self.place)
    }

    /// Goes to the block of a number, or to the last one.
    pub fn switch(&mut self, x: Value, targets: &[Block]) {
        self.f.set_switch(self.block, x, targets, self.place);
    }

    /// Returns.
    pub fn ret(&mut self, value: Option<Value>) {
        self.f.set_ret(self.block, value, self.place);
    }

    /// Says that control never comes here.
    pub fn unreachable(&mut self) {
        self.f.set_unreachable(self.block, self.place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::legal::Vectors;
    use crate::ir::scalarise::scalarise;
    use crate::ir::verify::{check_canonical, verify, verify_module};
    use crate::ir::{Func, Linkage, Module};

    #[test]
    fn vectors_are_built_as_scalars_are_and_become_them() {
        let mut m = Module::default();
        let name = m.env.names.intern("f");
        let func = Func::new(name, Type::I32, vec![Type::I32, Type::Ptr], Linkage::External);
        let id = m.env.funcs.push(func);
        let mut body = Body::new(id, &m.env.funcs[id]);
        let entry = body.create_block();
        let [x, p] = [0, 1].map(|k| Value::inst(Inst::new(k)));
        let mut b = Builder::new(&m.env, &mut body, entry);
        let (v, w) = (b.splat(x, Type::I32x4), b.load(Type::I32x4, p));
        let negated = b.neg(w);
        let less = b.icmp(IntPred::Slt, negated, v);
        let picked = b.select(less, negated, v);
        let sum = b.insert(Op::ReduceAdd, Type::I32, &[picked], 0);
        b.ret(Some(sum));
        assert_eq!(body.type_of(less), Type::I1x4);
        assert_eq!((body.has_vectors(), verify(&m.env, &body)), (true, Ok(())));
        scalarise(&m.env.shapes, &mut body, Vectors::NONE);
        assert_eq!((body.has_vectors(), verify(&m.env, &body)), (false, Ok(())));
        // Three addresses; four loads, differences, comparisons and choices; three sums.
        assert_eq!(body.insts(entry).count(), 3 + 4 * 4 + 3 + 1);
    }

    #[test]
    fn what_is_built_is_valid_and_folded() {
        let mut m = Module::default();
        let name = m.env.names.intern("f");
        let func = Func::new(name, Type::I32, vec![Type::I32, Type::Ptr], Linkage::External);
        let id = m.env.funcs.push(func);
        let array = m.env.shapes.of(Type::I32, &[8]);
        let mut body = Body::new(id, &m.env.funcs[id]);
        let entry = body.create_block();
        let p = Value::inst(Inst::new(0));
        let mut b = Builder::new(&m.env, &mut body, entry);
        let (two, three) = (b.int(2), b.int(3));
        let five = b.add(two, three);
        assert_eq!(b.f.as_int(five), Some(5));
        let sum = b.add(five, p);
        let test = b.icmp(IntPred::Slt, five, sum);
        let test_inst = test.as_inst().unwrap();
        assert_eq!(IntPred::from_payload(b.f.payload(test_inst)), IntPred::Sgt);
        let (yes, no) = (b.create_block(), b.create_block());
        b.cond_br(test, yes, no);
        b.block = yes;
        let memory = b.alloca(array);
        b.fill_zero(memory, 32);
        let zero = b.int(0);
        let element = b.elem_addr(array, memory, &[zero, p]);
        b.store(sum, element);
        let back = b.load(Type::I32, element);
        let f = b.convert(Op::SIToFP, back, Type::F32);
        let g = b.fneg(f);
        let i = b.convert(Op::FPToSI, g, Type::I32);
        let picked = b.select(Value::bool(false), p, i);
        assert_eq!(picked, i);
        let from_yes = b.br(no);
        b.block = no;
        let phi = b.phi(Type::I32);
        let slot = b.f.edge_slot(from_yes);
        b.f.set_arg(phi, slot, picked);
        let again = b.call(id, &[Value::inst(phi), Value::undef(Type::Ptr)]);
        let negated = b.neg(again);
        b.ret(Some(negated));
        assert!(b.is_terminated());
        m.define(body);
        assert_eq!(verify_module(&m), Ok(()));
        assert_eq!(check_canonical(m.nth(0)), Ok(()));
        assert_eq!(m.nth(0).first(entry), memory.as_inst());
    }
}
