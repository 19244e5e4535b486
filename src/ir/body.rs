//! One function in SSA form: instruction rows, and the mutators that keep every table in agreement.
//!
//! An instruction is one row of 32 bytes: head {op, type, operand count, payload}, {first operand, head of
//! its use list}, its layout node {block, previous, next}, and its place. (One row, not columns: with code of
//! 16 bytes, layout of 12 and place of 4 in columns, and lists of uses apart, made on demand, 10,000
//! generated lines take 1.8% more instructions at -O0 and 2.8% more at -O1.) Rows are never reused: a removed
//! instruction leaves a dead row that stands in no block. Parameters are the first rows; they stand in no
//! block either, and are never removed.
//!
//! Of the uses of a value there are lists, or while a body is being lowered just counts: see `thread_uses`.
//!
//! All `pub` functions that take `&mut self` are consistent: whatever they are given, the body is
//! structurally valid afterwards. Costs are O(1) unless stated.

mod check;
pub mod region;
#[cfg(test)]
mod tests;

use super::cfg::{Cfg, UNLINKED};
use super::constant::Constants;
use super::layout::{BlockNode, InstNode, Layout};
use super::module::{Func, FuncId, Request, RequestId};
use super::operands::{Edges, Operands, Use};
use super::place::{Place, Places};
use super::{Block, Edge, Inst, Op, Type, Value, ValueKind};
use crate::base::{Column, Handle};

/// Opcode, type of the result, number of operands (of a phi: see its payload), and payload.
#[derive(Copy, Clone, Debug)]
struct Head {
    op: Op,
    ty: Type,
    count: u16,
    payload: u32,
}

impl Head {
    #[inline(always)]
    fn new(op: Op, ty: Type, count: usize, payload: u32) -> Head {
        Head { op, ty, count: count as u16, payload }
    }

    #[inline(always)]
    fn arg_count(self) -> usize {
        if self.op == Op::Phi { self.payload as usize } else { self.count as usize }
    }
}

/// An instruction. What its parts mean is known to the files that own them.
#[derive(Copy, Clone, Debug)]
pub(super) struct Row {
    head: Head,
    pub(super) edges: Edges,
    pub(super) node: InstNode,
    place: Place,
}

const _: () = assert!(size_of::<Row>() == 32);

/// True if an instruction of this kind may stand anywhere in a block, and has no edges.
#[inline(always)]
fn is_movable(op: Op) -> bool {
    op != Op::Phi && op != Op::Param && !op.is_terminator()
}

/// The instructions of a body.
pub(super) type Rows = Column<Inst, Row>;

/// Where to put an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// After everything that is in the block now, its terminator too if it has one.
    End(Block),
    /// Before the terminator of the block, or at its end if it has none.
    BeforeTerminator(Block),
    /// Behind the phis of the block.
    Start(Block),
    /// Before an instruction.
    Before(Inst),
    /// After an instruction.
    After(Inst),
}

/// A function's code.
#[derive(Clone, Debug)]
pub struct Body {
    /// Which function this is.
    pub func: FuncId,
    /// Globals that the body needs; `Env::grant` empties this.
    pub requests: Column<RequestId, Request>,
    /// The places of what comes from other functions.
    pub places: Places,
    /// For debuggers, and only where they are wanted: the memory of variables of the source, and whatever
    /// number the front end has for each. An `alloca` that has been removed is nowhere. Not part of the text
    /// form.
    pub variables: Vec<(Value, u32)>,
    params: u32,
    has_phis: bool,
    rows: Rows,
    operands: Operands,
    layout: Layout,
    cfg: Cfg,
    constants: Constants,
}

impl Body {
    /// Makes room for so many instructions more, and operands of theirs.
    pub fn reserve(&mut self, insts: usize, operands: usize) {
        self.rows.reserve(insts);
        self.operands.reserve(operands);
    }

    /// Bytes of instructions, operands, blocks and edges.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.operands.bytes() + self.layout.blocks.bytes() + self.cfg.edges.bytes()
    }

    /// A body without blocks; the parameters of `func` are its first instructions. The first block made is
    /// the entry.
    pub fn new(func: FuncId, signature: &Func) -> Body {
        let mut body = Body {
            func,
            requests: Column::new(),
            places: Places::default(),
            variables: Vec::new(),
            params: 0,
            has_phis: false,
            rows: Column::new(),
            operands: Operands::default(),
            layout: Layout::default(),
            cfg: Cfg::default(),
            constants: Constants::default(),
        };
        body.push_params(signature);
        body
    }

    /// Becomes what `new` makes, in the memory that is there.
    pub fn reset(&mut self, func: FuncId, signature: &Func) {
        self.func = func;
        self.requests.clear();
        self.places.clear();
        self.variables.clear();
        self.has_phis = false;
        self.rows.clear();
        self.operands.clear();
        self.layout.clear();
        self.cfg.clear();
        self.constants.clear();
        self.push_params(signature);
    }

    fn push_params(&mut self, signature: &Func) {
        self.params = signature.params.len() as u32;
        for (k, &ty) in signature.params.iter().enumerate() {
            let head = Head::new(Op::Param, ty, 0, k as u32);
            self.push_row(head, &[], InstNode::default(), Place::NONE);
        }
    }

    // ---- Reading: instructions --------------------------------------------------------------------------

    /// Number of instruction rows, dead ones included: the size of side columns.
    #[inline]
    pub fn inst_count(&self) -> usize {
        self.rows.len()
    }

    /// The instructions from the one of number `first` on, in the order in which they were made.
    pub fn insts_from(&self, first: usize) -> impl ExactSizeIterator<Item = Inst> + use<> {
        (first..self.rows.len()).map(Inst::new)
    }

    /// The parameters, in order.
    pub fn params(&self) -> impl ExactSizeIterator<Item = Inst> + use<> {
        (0..self.params as usize).map(Inst::new)
    }

    /// What the instruction does.
    #[inline(always)]
    pub fn op(&self, i: Inst) -> Op {
        self.rows[i].head.op
    }

    /// Type of its result.
    #[inline(always)]
    pub fn ty(&self, i: Inst) -> Type {
        self.rows[i].head.ty
    }

    /// The payload; see `Op` for what it is.
    #[inline(always)]
    pub fn payload(&self, i: Inst) -> u32 {
        self.rows[i].head.payload
    }

    /// The operands.
    #[inline(always)]
    pub fn args(&self, i: Inst) -> &[Value] {
        let row = &self.rows[i];
        self.operands.get(row.edges, row.head.arg_count())
    }

    /// Operand `k`, of an instruction that has it.
    #[inline(always)]
    pub fn arg(&self, i: Inst, k: usize) -> Value {
        debug_assert!(k < self.arg_count(i));
        self.operands.one(self.rows[i].edges, k)
    }

    #[inline(always)]
    fn arg_count(&self, i: Inst) -> usize {
        self.rows[i].head.arg_count()
    }

    /// Where it comes from.
    #[inline(always)]
    pub fn place(&self, i: Inst) -> Place {
        self.rows[i].place
    }

    /// The byte offset in the source that it comes from, or `NO_LOC`.
    #[inline(always)]
    pub fn loc(&self, i: Inst) -> u32 {
        self.places.offset(self.rows[i].place)
    }

    /// The function that a call calls.
    pub fn callee(&self, i: Inst) -> FuncId {
        FuncId::new(self.rows[i].head.payload as usize)
    }

    /// The block it stands in; none for parameters and removed instructions.
    #[inline(always)]
    pub fn block_of(&self, i: Inst) -> Option<Block> {
        self.rows[i].node.block.get()
    }

    /// The instruction after it in its block.
    #[inline(always)]
    pub fn next(&self, i: Inst) -> Option<Inst> {
        self.rows[i].node.next.get()
    }

    /// The instruction before it in its block.
    #[inline(always)]
    pub fn prev(&self, i: Inst) -> Option<Inst> {
        self.rows[i].node.prev.get()
    }

    /// The uses of its result, in no meaningful (but a deterministic) order. Not while they are only counted.
    pub fn uses(&self, i: Inst) -> impl Iterator<Item = Use> + '_ {
        self.operands.uses(&self.rows, i)
    }

    /// True if something uses its result.
    #[inline]
    pub fn has_uses(&self, i: Inst) -> bool {
        self.operands.has_uses(self.rows[i].edges)
    }

    /// How many uses its result has. O(1) while they are counted, else O(uses).
    pub fn use_count(&self, i: Inst) -> usize {
        self.operands.use_count(self.rows[i].edges)
    }

    /// True if there is exactly one use of its result.
    #[inline]
    pub fn has_single_use(&self, i: Inst) -> bool {
        self.operands.has_single_use(self.rows[i].edges)
    }

    /// The use, if there is exactly one. Not while they are only counted.
    pub fn single_use(&self, i: Inst) -> Option<Use> {
        let mut uses = self.uses(i);
        let first = uses.next();
        if uses.next().is_none() { first } else { None }
    }

    // ---- Reading: values --------------------------------------------------------------------------------

    /// Type of a value.
    #[inline]
    pub fn type_of(&self, v: Value) -> Type {
        match v.kind() {
            ValueKind::Inst(i) => self.rows[i].head.ty,
            ValueKind::Int(_) => Type::I32,
            ValueKind::Small(ty, _) | ValueKind::Undef(ty) => ty,
            ValueKind::Const(row) => self.constants.get(row).0,
            ValueKind::Global(_) | ValueKind::Request(_) => Type::Ptr,
        }
    }

    /// The number, if the value is an integer constant of any width (sign-extended; true is 1).
    #[inline]
    pub fn as_int(&self, v: Value) -> Option<i64> {
        match v.kind() {
            ValueKind::Int(x) | ValueKind::Small(_, x) => Some(i64::from(x)),
            ValueKind::Const(row) => {
                let (ty, bits) = self.constants.get(row);
                ty.is_int().then_some(bits as i64)
            }
            _ => None,
        }
    }

    /// The number, if the value is a float constant.
    #[inline]
    pub fn as_f32(&self, v: Value) -> Option<f32> {
        match v.kind() {
            ValueKind::Const(row) => {
                let (ty, bits) = self.constants.get(row);
                (ty == Type::F32).then_some(f32::from_bits(bits as u32))
            }
            _ => None,
        }
    }

    /// The number, if the value is a double constant.
    pub fn as_f64(&self, v: Value) -> Option<f64> {
        match v.kind() {
            ValueKind::Const(row) => {
                let (ty, bits) = self.constants.get(row);
                (ty == Type::F64).then_some(f64::from_bits(bits))
            }
            _ => None,
        }
    }

    /// An i32 constant.
    #[inline]
    pub fn int(&mut self, x: i32) -> Value {
        Value::small_int(x)
            .unwrap_or_else(|| Value::constant(self.constants.intern(Type::I32, i64::from(x) as u64)))
    }

    /// An integer constant of type `ty`; `x` is reduced to its width. Equal constants are equal values.
    pub fn int_of(&mut self, ty: Type, x: i64) -> Value {
        match ty {
            Type::I1 => Value::bool(x & 1 != 0),
            Type::I8 => self.wide_or_small(ty, i64::from(x as i8)),
            Type::I32 => self.int(x as i32),
            _ => self.wide_or_small(Type::I64, x),
        }
    }

    fn wide_or_small(&mut self, ty: Type, x: i64) -> Value {
        Value::small(ty, x).unwrap_or_else(|| Value::constant(self.constants.intern(ty, x as u64)))
    }

    /// A float constant.
    pub fn f32(&mut self, x: f32) -> Value {
        Value::constant(self.constants.intern(Type::F32, u64::from(x.to_bits())))
    }

    /// A double constant.
    pub fn f64(&mut self, x: f64) -> Value {
        Value::constant(self.constants.intern(Type::F64, x.to_bits()))
    }

    /// Asks for a global and returns its address.
    pub fn request(&mut self, request: Request) -> Value {
        Value::request(self.requests.push(request))
    }

    // ---- Reading: blocks and edges ----------------------------------------------------------------------

    /// Number of block rows, removed ones included: the size of side columns.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.layout.blocks.len()
    }

    /// Number of edge rows, unlinked ones included: the size of side columns.
    pub fn edge_count(&self) -> usize {
        self.cfg.edges.len()
    }

    /// The first block, where execution starts. A body under construction may have none.
    #[inline]
    pub fn entry(&self) -> Option<Block> {
        self.layout.first.get()
    }

    /// The blocks in order. The walk survives changes to blocks other than the one it will visit next.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let mut next = self.layout.first.get();
        std::iter::from_fn(move || {
            let block = next?;
            next = self.layout.blocks[block].next.get();
            Some(block)
        })
    }

    /// The block after it in the order.
    pub fn next_block(&self, b: Block) -> Option<Block> {
        self.layout.blocks[b].next.get()
    }

    /// True if the block is in the order (not removed).
    #[inline]
    pub fn is_placed(&self, b: Block) -> bool {
        self.layout.blocks[b].placed
    }

    /// The first instruction of a block.
    #[inline]
    pub fn first(&self, b: Block) -> Option<Inst> {
        self.layout.blocks[b].first.get()
    }

    /// The last instruction of a block.
    #[inline]
    pub fn last(&self, b: Block) -> Option<Inst> {
        self.layout.blocks[b].last.get()
    }

    /// The instructions of a block in order. To change the block on the way, walk with `first` and `next`
    /// instead.
    pub fn insts(&self, b: Block) -> impl Iterator<Item = Inst> + '_ {
        let mut next = self.first(b);
        std::iter::from_fn(move || {
            let inst = next?;
            next = self.next(inst);
            Some(inst)
        })
    }

    /// The phis at the head of a block.
    pub fn phis(&self, b: Block) -> impl Iterator<Item = Inst> + '_ {
        self.insts(b).take_while(|&i| self.op(i) == Op::Phi)
    }

    /// False if there never was a phi.
    #[inline]
    pub fn has_phis(&self) -> bool {
        self.has_phis
    }

    /// The terminator of a block, if it has one yet.
    #[inline]
    pub fn terminator(&self, b: Block) -> Option<Inst> {
        self.last(b).filter(|&i| self.op(i).is_terminator())
    }

    /// The edges that enter a block; operand `k` of its phis belongs to edge `k`.
    #[inline]
    pub fn preds(&self, b: Block) -> &[Edge] {
        self.cfg.preds(b)
    }

    /// The edges that leave a block: of a conditional branch, the one for true first.
    #[inline]
    pub fn succs(&self, b: Block) -> impl DoubleEndedIterator<Item = Edge> + ExactSizeIterator + use<> {
        let (first, count) = self.last(b).map_or((0, 0), |i| {
            // Counted without a branch: which terminator comes next is hard to predict.
            let Head { op, payload, .. } = self.rows[i].head;
            (payload as usize, usize::from(op == Op::Br) + 2 * usize::from(op == Op::CondBr))
        });
        (first..first + count).map(Edge::new)
    }

    /// Where an edge comes from.
    #[inline]
    pub fn edge_from(&self, e: Edge) -> Block {
        self.cfg.edges[e].from
    }

    /// Where an edge goes.
    #[inline]
    pub fn edge_to(&self, e: Edge) -> Block {
        self.cfg.edges[e].to
    }

    /// The edge's position among the target's predecessors, and its operand in the target's phis.
    #[inline]
    pub fn edge_slot(&self, e: Edge) -> usize {
        self.cfg.edges[e].slot as usize
    }

    // ---- Changing: instructions -------------------------------------------------------------------------

    /// From now on uses are counted, which is all that -O0 asks for: `uses` and `single_use` may not be asked
    /// before `thread_uses`. For a body without instructions.
    pub fn count_uses(&mut self) {
        self.operands.count_only(&mut self.rows);
    }

    /// Makes the lists of uses, where they were counted so far. O(body); nothing if there are lists.
    pub fn thread_uses(&mut self) {
        if !self.operands.is_threaded() {
            self.operands.thread(&mut self.rows, |rows, i| rows[i].head.arg_count(), |v| v);
        }
    }

    /// Removes instructions; what used one uses what `values` has for it. For all that stay `values` has
    /// themselves. Phis, parameters and terminators stay. Then makes the lists of uses. O(body), which is
    /// much cheaper than to replace many instructions one by one.
    pub fn forward(&mut self, gone: &[Inst], values: &Column<Inst, Value>) {
        if values.len() != self.inst_count() {
            return;
        }
        for &i in gone {
            if !is_movable(self.op(i)) {
                continue;
            }
            let Row { edges, head, .. } = self.rows[i];
            self.operands.forget(edges, head.arg_count());
            self.rows[i].head.count = 0;
            self.layout.unplace_inst(&mut self.rows, i);
        }
        // Looked up in any case: what an operand is, is hard to predict.
        let forwarded = |v: Value| {
            let at = v.as_inst().unwrap_or(Inst::new(0));
            if v.is_constant() { v } else { values[at] }
        };
        self.operands.thread(&mut self.rows, |rows, i| rows[i].head.arg_count(), forwarded);
    }

    /// A row that is placed nowhere, or as `node` says.
    fn push_row(&mut self, head: Head, args: &[Value], node: InstNode, place: Place) -> Inst {
        if self.operands.is_plain(args.len()) {
            let edges = self.operands.push(args);
            let i = self.rows.push(Row { head, edges, node, place });
            Operands::count(&mut self.rows, args);
            return i;
        }
        let edges = self.operands.store(self.rows.next_handle(), args.len());
        let i = self.rows.push(Row { head, edges, node, place });
        self.operands.link(&mut self.rows, i, args);
        i
    }

    /// A row at the end of a block.
    fn append_row(&mut self, b: Block, head: Head, args: &[Value], place: Place) -> Inst {
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

    /// Makes an instruction of up to 65,535 operands. Phis and terminators have functions of their own: of
    /// one that is asked for here, or in front of what has been removed, there is a row that stands nowhere.
    pub fn insert(&mut self, at: At, op: Op, ty: Type, args: &[Value], payload: u32, place: Place) -> Inst {
        if !is_movable(op) || args.len() > u16::MAX as usize {
            let nothing = Head::new(Op::Unreachable, Type::Void, 0, 0);
            return self.push_row(nothing, &[], InstNode::default(), place);
        }
        let head = Head::new(op, ty, args.len(), payload);
        if let At::End(b) = at {
            return self.append_row(b, head, args, place);
        }
        let i = self.push_row(head, args, InstNode::default(), place);
        self.put_at(i, at);
        i
    }

    /// `insert` at the end of a block, for a number of operands that is known here. What is lowered is made
    /// this way.
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
        debug_assert!(op != Op::Phi && op != Op::Param && !op.is_terminator());
        let head = Head::new(op, ty, N, payload);
        if !self.operands.is_plain(N) {
            return self.append_row(b, head, &args, place);
        }
        let edges = self.operands.push_known(args);
        let node = self.layout.append_inst(&mut self.rows, b);
        let i = self.rows.push(Row { head, edges, node, place });
        Operands::count(&mut self.rows, &args);
        i
    }

    /// Makes a phi at the head of a block; every operand is undef until `set_arg` says otherwise.
    /// O(predecessors).
    pub fn insert_phi(&mut self, b: Block, ty: Type, place: Place) -> Inst {
        self.has_phis = true;
        let count = self.preds(b).len();
        let i = self.rows.next_handle();
        let head = Head { op: Op::Phi, ty, count: 0, payload: count as u32 };
        let edges = self.operands.store_equal(i, count, Value::undef(ty));
        self.rows.push(Row { head, edges, node: InstNode::default(), place });
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

    /// Turns an instruction into another one with the same uses, in place. Nothing happens if one of the two
    /// is a phi, a parameter or a terminator. O(operands).
    pub fn rewrite(&mut self, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) {
        if !is_movable(op) || !is_movable(self.op(i)) || args.len() > u16::MAX as usize {
            return;
        }
        let count = self.arg_count(i);
        self.operands.set_all(&mut self.rows, i, count, args);
        self.rows[i].head = Head { op, ty, count: args.len() as u16, payload };
    }

    /// Every use of the result of `i` becomes a use of `v`, but for those in `v` itself. Nothing happens if
    /// `v` is `i` or of another type. O(uses + operands of `v`).
    pub fn replace_uses(&mut self, i: Inst, v: Value) {
        if !self.has_uses(i) {
            return;
        }
        let Some(by) = v.as_inst() else {
            if self.type_of(v) == self.ty(i) {
                self.redirect_uses(i, v);
            }
            return;
        };
        if by == i || by.index() >= self.inst_count() || self.ty(by) != self.ty(i) {
            return;
        }
        self.redirect_uses(i, v);
        if self.op(by) == Op::Phi {
            return;
        }
        for k in 0..self.arg_count(by) {
            if self.arg(by, k) == v {
                self.set_arg(by, k, Value::inst(i));
            }
        }
    }

    fn redirect_uses(&mut self, i: Inst, v: Value) {
        self.thread_uses();
        self.operands.replace_uses(&mut self.rows, i, v);
    }

    /// Removes an instruction. Uses that are left become undef. Nothing happens to terminators and
    /// parameters. O(operands + uses).
    pub fn remove(&mut self, i: Inst) {
        if is_movable(self.op(i)) || self.op(i) == Op::Phi {
            self.kill(i);
        }
    }

    /// Replaces all uses of `i` by `v` and removes `i`.
    pub fn replace(&mut self, i: Inst, v: Value) {
        self.replace_uses(i, v);
        self.remove(i);
    }

    fn kill(&mut self, i: Inst) {
        let count = self.arg_count(i);
        self.operands.drop_all(&mut self.rows, i, count);
        self.rows[i].head.count = 0;
        if self.op(i) == Op::Phi {
            self.rows[i].head.payload = 0;
        }
        if self.has_uses(i) {
            self.redirect_uses(i, Value::undef(self.ty(i)));
        }
        self.layout.unplace_inst(&mut self.rows, i);
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

    // ---- Changing: blocks and edges ---------------------------------------------------------------------

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
        self.append_row(b, Head::new(op, Type::Void, args.len(), payload), args, place);
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

    /// Turns a conditional branch into the branch it always takes: `keep` stays, with its slot and phi
    /// operands, and the other edge goes. Nothing happens if `keep` is not one of the two.
    pub fn fold_cond_br(&mut self, b: Block, keep: Edge, place: Place) {
        let Some(i) = self.terminator(b).filter(|&i| self.op(i) == Op::CondBr) else { return };
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
        let slot = self.cfg.link(e, to);
        let mut next = self.first(to);
        while let Some(phi) = next.filter(|&i| self.op(i) == Op::Phi) {
            let undef = Value::undef(self.ty(phi));
            self.operands.append(&mut self.rows, phi, slot, undef);
            self.rows[phi].head.payload += 1;
            next = self.next(phi);
        }
    }

    fn unlink(&mut self, e: Edge) {
        let to = self.edge_to(e);
        let count = self.preds(to).len();
        let slot = self.cfg.unlink(e);
        let mut next = self.first(to);
        while let Some(phi) = next.filter(|&i| self.op(i) == Op::Phi) {
            self.operands.swap_remove(&mut self.rows, phi, count, slot);
            self.rows[phi].head.payload -= 1;
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
