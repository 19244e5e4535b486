//! One function in SSA form, and the mutators that keep every table in agreement.
//!
//! Instructions are rows across columns (`rows`). Parameters are the first rows; they stand in no block, and
//! are never removed. Raw columns are private to the files that own them (`rows`, `operands`, `layout`,
//! `cfg`).
//!
//! All `pub` functions that take `&mut self` are consistent: whatever they are given, the body is
//! structurally valid afterwards. Costs are O(1) unless stated. Here is what reads; what changes is in
//! `insts` and `blocks`.

mod blocks;
mod check;
mod formulas;
mod insts;
pub mod packed;
pub mod region;
#[cfg(test)]
mod tests;
pub mod versions;

use super::cfg::Cfg;
use super::constant::Constants;
use super::debug_values::{DebugValues, Records};
use super::layout::{InstNode, Layout};
use super::module::{Func, FuncId, Request, RequestId};
use super::names::Names;
use super::operands::{Operands, Use};
use super::place::{Place, Places};
use super::promise::{Access, Flags};
use super::remarks::Remarks;
use super::rows::{Head, Rows};
use super::{Block, Edge, Inst, Op, Type, Value, ValueKind};
use crate::base::{BitSet, Column, Handle};

/// True if an instruction of this kind may stand anywhere in a block, and has no edges.
#[inline(always)]
pub(super) fn is_movable(op: Op) -> bool {
    op != Op::Phi && op != Op::Param && !op.is_terminator()
}

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
    /// Globals that the body needs; `Module::grant_requests` empties this.
    pub requests: Column<RequestId, Request>,
    /// The places of what comes from other functions.
    pub places: Places,
    /// For debuggers, and only where they are wanted: the memory of variables of the source, and whatever
    /// number the front end has for each. An `alloca` that has been removed is nowhere. Not part of the text
    /// form.
    pub variables: Vec<(Value, u32)>,
    /// What a text says that variables stand for, until a pass has taken it (`debug_values::Records`).
    pub records: Option<Box<Records>>,
    /// What promoted variables stand for, once there are any, where debuggers are told of variables.
    pub debug_values: Option<Box<DebugValues>>,
    /// What values are called, only where something is dumped.
    pub names: Option<Box<Names>>,
    /// Remarks of passes, where an option asks for them.
    pub remarks: Option<Box<Remarks>>,
    params: u32,
    has_phis: bool,
    has_vectors: bool,
    is_unaligned: bool,
    /// Headers of loops that do the rounds that others leave: too few to make anything of.
    pub few_rounds: BitSet<Block>,
    pub(super) rows: Rows,
    pub(super) operands: Operands,
    pub(super) layout: Layout,
    cfg: Cfg,
    constants: Constants,
}

impl Body {
    /// Bytes of instructions, operands, blocks and edges.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.operands.bytes() + self.layout.blocks.bytes() + self.cfg.edges.bytes()
    }

    /// A body without blocks; the parameters of `func` are its first instructions. The first block made is
    /// the entry.
    pub fn new(func: FuncId, signature: &Func) -> Body {
        let mut body = Body::empty(func);
        body.push_params(signature);
        body
    }

    /// A body without parameters.
    pub(super) fn empty(func: FuncId) -> Body {
        Body {
            func,
            requests: Column::new(),
            places: Places::default(),
            variables: Vec::new(),
            records: None,
            debug_values: None,
            names: None,
            remarks: None,
            params: 0,
            has_phis: false,
            has_vectors: false,
            is_unaligned: false,
            few_rounds: BitSet::new(0),
            rows: Rows::default(),
            operands: Operands::default(),
            layout: Layout::default(),
            cfg: Cfg::default(),
            constants: Constants::default(),
        }
    }

    /// Becomes what `empty` makes, in the memory that is there.
    pub(super) fn reset(&mut self, func: FuncId) {
        self.func = func;
        self.requests.clear();
        self.places.clear();
        self.variables.clear();
        self.records = None;
        self.debug_values = None;
        self.names = None;
        self.remarks = None;
        self.has_phis = false;
        self.has_vectors = false;
        self.is_unaligned = false;
        self.few_rounds.reset(0);
        self.rows.clear();
        self.operands.clear();
        self.layout.clear();
        self.cfg.clear();
        self.constants.clear();
    }

    pub(super) fn push_params(&mut self, signature: &Func) {
        self.params = signature.params.len() as u32;
        for (k, &ty) in signature.params.iter().enumerate() {
            let head = Head::new(Op::Param, ty, k as u32);
            self.push_row(head, &[], InstNode::default(), Place::NONE);
        }
    }

    // ---- Reading: instructions --------------------------------------------------------------------------

    /// Number of instruction rows, dead ones included: the size of side columns.
    #[inline]
    pub fn inst_count(&self) -> usize {
        self.rows.len()
    }

    /// Number of instructions that stand in blocks.
    pub fn placed_insts(&self) -> usize {
        self.layout.insts()
    }

    /// The instructions from the one of number `first` on, in the order in which they were made.
    pub fn insts_from(&self, first: usize) -> impl ExactSizeIterator<Item = Inst> + use<> {
        (first..self.rows.len()).map(Inst::new)
    }

    /// What all instructions do, parameters and removed ones included, in the order in which they were made.
    /// Removed ones are `Unreachable`. For passes that look for few: it reads heads only.
    pub fn ops(&self) -> impl Iterator<Item = (Inst, Op)> + '_ {
        self.rows.heads().iter().enumerate().map(|(k, head)| (Inst::new(k), head.op))
    }

    /// The parameters, in order.
    pub fn params(&self) -> impl ExactSizeIterator<Item = Inst> + use<> {
        (0..self.params as usize).map(Inst::new)
    }

    /// What the instruction does.
    #[inline(always)]
    pub fn op(&self, i: Inst) -> Op {
        self.rows.head[i].op
    }

    /// Type of its result.
    #[inline(always)]
    pub fn ty(&self, i: Inst) -> Type {
        self.rows.head[i].ty
    }

    /// The payload; see `Op` for what it is.
    #[inline(always)]
    pub fn payload(&self, i: Inst) -> u32 {
        self.rows.head[i].payload
    }

    /// What its result promises.
    #[inline(always)]
    pub fn flags(&self, i: Inst) -> Flags {
        self.rows.head[i].flags
    }

    /// How it accesses memory.
    pub fn access(&self, i: Inst) -> Access {
        self.rows.access(i)
    }

    /// The operands.
    #[inline(always)]
    pub fn args(&self, i: Inst) -> &[Value] {
        self.operands.get(self.rows.edges[i])
    }

    /// Operand `k`, of an instruction that has it.
    #[inline(always)]
    pub fn arg(&self, i: Inst, k: usize) -> Value {
        debug_assert!(k < self.arg_count(i));
        self.operands.one(self.rows.edges[i], k)
    }

    #[inline(always)]
    fn arg_count(&self, i: Inst) -> usize {
        self.rows.edges[i].count as usize
    }

    /// Where it comes from.
    #[inline(always)]
    pub fn place(&self, i: Inst) -> Place {
        self.rows.place(i)
    }

    /// The byte offset in the source that it comes from, or `NO_LOC`.
    #[inline(always)]
    pub fn loc(&self, i: Inst) -> u32 {
        self.places.offset(self.rows.place(i))
    }

    /// The function that a call calls.
    pub fn callee(&self, i: Inst) -> FuncId {
        FuncId::new(self.rows.head[i].payload as usize)
    }

    /// The block it stands in; none for parameters and removed instructions.
    #[inline(always)]
    pub fn block_of(&self, i: Inst) -> Option<Block> {
        self.rows.node[i].block.get()
    }

    /// The instruction after it in its block.
    #[inline(always)]
    pub fn next(&self, i: Inst) -> Option<Inst> {
        self.rows.node[i].next.get()
    }

    /// The instruction before it in its block.
    #[inline(always)]
    pub fn prev(&self, i: Inst) -> Option<Inst> {
        self.rows.node[i].prev.get()
    }

    /// The uses of its result, in no meaningful (but a deterministic) order. The first time, O(body).
    pub fn uses(&self, i: Inst) -> impl Iterator<Item = Use> + '_ {
        self.operands.uses(&self.rows, i)
    }

    /// True if something uses its result.
    #[inline(always)]
    pub fn has_uses(&self, i: Inst) -> bool {
        self.rows.uses[i] != 0
    }

    /// How many uses its result has.
    #[inline(always)]
    pub fn use_count(&self, i: Inst) -> usize {
        self.rows.uses[i] as usize
    }

    /// True if there is exactly one use of its result.
    #[inline(always)]
    pub fn has_single_use(&self, i: Inst) -> bool {
        self.rows.uses[i] == 1
    }

    /// The use, if there is exactly one.
    pub fn single_use(&self, i: Inst) -> Option<Use> {
        if self.has_single_use(i) { self.uses(i).next() } else { None }
    }

    // ---- Reading: values --------------------------------------------------------------------------------

    /// Type of a value.
    #[inline]
    pub fn type_of(&self, v: Value) -> Type {
        match v.kind() {
            ValueKind::Inst(i) => self.rows.head[i].ty,
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

    /// The number of type `ty` whose bytes are zeros.
    pub fn zero(&mut self, ty: Type) -> Value {
        match ty {
            Type::F32 => self.f32(0.0),
            Type::F64 => self.f64(0.0),
            _ => self.int_of(ty, 0),
        }
    }

    /// An integer constant of type `ty`; `x` is reduced to its width. Equal constants are equal values.
    pub fn int_of(&mut self, ty: Type, x: i64) -> Value {
        match ty {
            Type::I1 => Value::bool(x & 1 != 0),
            Type::I8 => self.wide_or_small(ty, i64::from(x as i8)),
            Type::I16 => self.wide_or_small(ty, i64::from(x as i16)),
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

    /// Number of blocks that stand in the body.
    pub fn placed_blocks(&self) -> usize {
        self.layout.placed
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

    /// False if there never was a value of vector type.
    #[inline]
    pub fn has_vectors(&self) -> bool {
        self.has_vectors
    }

    /// False if there never was a load or store of what is aligned less than its type gives, and less than words are.
    #[inline]
    pub fn is_unaligned(&self) -> bool {
        self.is_unaligned
    }

    /// Notes the type of an undefined value that stands in no instruction of its type; insertion notes all
    /// others.
    #[inline(always)]
    pub fn note_type(&mut self, ty: Type) {
        self.has_vectors |= ty.is_vector();
    }

    /// Says that no value of vector type is left.
    pub(super) fn forget_vectors(&mut self) {
        self.has_vectors = false;
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

    /// The edges that leave a block: of a conditional branch, the one for true first; of a switch, the one for 0 first and
    /// that of all numbers without one last.
    #[inline]
    pub fn succs(&self, b: Block) -> impl DoubleEndedIterator<Item = Edge> + ExactSizeIterator + use<> {
        let (first, count) = self.last(b).map_or((0, 0), |i| {
            let Head { op, payload, .. } = self.rows.head[i];
            let count = op.edges();
            (payload as usize, if count > 2 { self.switch_edges(i) } else { count.into() })
        });
        (first..first + count).map(Edge::new)
    }

    /// The edges of a conditional branch, for true and false.
    #[inline]
    pub fn ways(&self, branch: Inst) -> (Edge, Edge) {
        let first = self.rows.head[branch].payload as usize;
        (Edge::new(first), Edge::new(first + 1))
    }

    /// How many edges a switch has.
    #[cold]
    #[inline(never)]
    fn switch_edges(&self, i: Inst) -> usize {
        self.args(i).get(1).and_then(|&n| self.as_int(n)).map_or(0, |n| n as usize)
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
}
