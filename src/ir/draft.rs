//! A body while it is lowered: rows are appended, and what -O0 asks for, how often a result is used, is
//! counted.
//!
//! It is read as the body that it will be. What is appended is stored and
//! counted, no more: there are no lists of uses yet (`operands`).

use super::body::{Body, is_movable};
use super::module::{Func, FuncId, Request};
use super::operands::Operands;
use super::rows::Head;
use super::{At, Block, Edge, Inst, Op, Place, Type, Value};
use crate::base::Handle;
use std::ops::Deref;

/// How much of what there will be, about.
#[derive(Copy, Clone, Debug, Default)]
pub struct Room {
    /// Instructions.
    pub insts: usize,
    /// Their operands.
    pub operands: usize,
}

/// A body that is being lowered.
#[derive(Debug)]
pub struct Draft {
    body: Body,
}

impl Draft {
    /// A draft without blocks; the parameters of `func` are its first instructions, and the first block made
    /// is the entry. `spent` is a body that is not needed any more, for its memory.
    pub fn new(func: FuncId, signature: &Func, spent: Option<Body>, room: Room) -> Draft {
        let mut body = spent.unwrap_or_else(|| Body::empty(func));
        body.reset(func);
        body.rows.reserve(room.insts);
        body.operands.reserve(room.operands);
        body.push_params(signature);
        Draft { body }
    }

    /// The body that it has become.
    pub fn finish(self) -> Body {
        self.body
    }

    /// Makes an instruction at the end of a block, of a number of operands that is known where this is
    /// compiled.
    #[inline(always)]
    pub fn append<const N: usize>(
        &mut self,
        b: Block,
        op: Op,
        ty: Type,
        args: [Value; N],
        payload: u32,
        place: Place,
    ) -> Inst {
        debug_assert!(is_movable(op));
        let f = &mut self.body;
        let head = Head::new(op, ty, payload);
        if !f.operands.is_plain(N) {
            return f.append_row(b, head, &args, place);
        }
        let edges = f.operands.push_known(args);
        let node = f.layout.append_inst(&mut f.rows, b);
        let i = f.rows.push(head, edges, node, place);
        Operands::count(&mut f.rows, &args);
        i
    }

    /// The same, of any number of operands.
    pub fn append_all(
        &mut self,
        b: Block,
        op: Op,
        ty: Type,
        args: &[Value],
        payload: u32,
        place: Place,
    ) -> Inst {
        self.body.insert(At::End(b), op, ty, args, payload, place)
    }

    /// Memory in the frame, at the head of the entry, where the first block is made.
    pub fn insert_room(&mut self, shape: u32) -> Inst {
        let entry = Block::new(0);
        self.body.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], shape, Place::NONE)
    }

    /// Notes where a variable of the source has its memory, by whatever number the front end has for it.
    pub fn note_variable(&mut self, address: Value, number: u32) {
        self.body.variables.push((address, number));
    }

    /// `Body::int`.
    pub fn int(&mut self, x: i32) -> Value {
        self.body.int(x)
    }

    /// `Body::int_of`.
    pub fn int_of(&mut self, ty: Type, x: i64) -> Value {
        self.body.int_of(ty, x)
    }

    /// `Body::f32`.
    pub fn f32(&mut self, x: f32) -> Value {
        self.body.f32(x)
    }

    /// `Body::f64`.
    pub fn f64(&mut self, x: f64) -> Value {
        self.body.f64(x)
    }

    /// `Body::request`.
    pub fn request(&mut self, request: Request) -> Value {
        self.body.request(request)
    }

    /// `Body::insert_phi`.
    pub fn insert_phi(&mut self, b: Block, ty: Type, place: Place) -> Inst {
        self.body.insert_phi(b, ty, place)
    }

    /// `Body::set_arg`.
    pub fn set_arg(&mut self, i: Inst, k: usize, v: Value) {
        self.body.set_arg(i, k, v);
    }

    /// `Body::rewrite`.
    pub fn rewrite(&mut self, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) {
        self.body.rewrite(i, op, ty, args, payload);
    }

    /// `Body::create_block`.
    pub fn create_block(&mut self) -> Block {
        self.body.create_block()
    }

    /// `Body::create_block_apart`.
    pub fn create_block_apart(&mut self) -> Block {
        self.body.create_block_apart()
    }

    /// `Body::move_block_after`.
    pub fn move_block_after(&mut self, b: Block, prev: Block) {
        self.body.move_block_after(b, prev);
    }

    /// `Body::remove_blocks`.
    pub fn remove_blocks(&mut self, dead: &[Block]) {
        self.body.remove_blocks(dead);
    }

    /// `Body::redirect`.
    pub fn redirect(&mut self, e: Edge, to: Block) {
        self.body.redirect(e, to);
    }

    /// `Body::set_br`.
    pub fn set_br(&mut self, b: Block, to: Block, place: Place) -> Edge {
        self.body.set_br(b, to, place)
    }

    /// `Body::set_cond_br`.
    pub fn set_cond_br(
        &mut self,
        b: Block,
        condition: Value,
        yes: Block,
        no: Block,
        place: Place,
    ) -> (Edge, Edge) {
        self.body.set_cond_br(b, condition, yes, no, place)
    }

    /// `Body::set_unreachable`.
    pub fn set_unreachable(&mut self, b: Block, place: Place) {
        self.body.set_unreachable(b, place);
    }

    /// `Body::set_ret`.
    pub fn set_ret(&mut self, b: Block, value: Option<Value>, place: Place) {
        self.body.set_ret(b, value, place);
    }
}

impl Deref for Draft {
    type Target = Body;

    #[inline(always)]
    fn deref(&self) -> &Body {
        &self.body
    }
}
