//! One function: a sweep over its rows from the block's start to the definition's end.
//!
//! Children stand before their parents, and leaves mark the places between them, so a row finds everything it
//! needs on the value stack and on the stacks of open `if`s and loops. Statements leave the value stack
//! empty. What follows a `return`, `break` or `continue` is skipped up to the row where control may arrive
//! again. Linear.

use super::checks::{Checks, Texts};
use super::condition::{Condition, LeftSide};
use super::control::{If, Loop};
use super::expression::{Access, Slot};
use super::globals::scalar_type;
use super::initialiser::Filling;
use super::known::Known;
use super::row::{Row, row_of, skipped};
use super::tensor::Tensors;
use super::{Input, Links, names};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::draft::Room;
use crate::ir::{Block, Body, Draft, Env, Flags, GlobalId, Inst, Op, Place, Shape, Type, Value};
use crate::sema::{Dim, NO_PLACE, Scalar, Sym, SymbolKind, Ty, TyView};
use crate::syntax::tree::{Node, NodeKind};
use std::ops::Range;

/// Memory that a worker uses for one function after another, all of one program.
#[derive(Default)]
pub struct Scratch {
    pub(super) stack: Vec<Slot>,
    /// What slots say by number. They stay until the function is done: there are few.
    pub(super) conditions: Vec<Condition>,
    pub(super) sides: Vec<LeftSide>,
    /// The open array accesses, and their subscripts so far.
    pub(super) accesses: Vec<Access>,
    pub(super) indices: Vec<Value>,
    pub(super) calls: Vec<usize>,
    pub(super) tensors: Tensors,
    pub(super) args: Vec<Value>,
    /// What checks say.
    pub(super) texts: Texts,
    pub(super) ifs: Vec<If>,
    pub(super) loops: Vec<Loop>,
    /// Per symbol: where it is; undef for what has no memory. Of what functions share, once for all of them;
    /// of parameters and locals, while their function is being lowered.
    pub(super) addresses: Column<Sym, Value>,
    pub(super) known: Known,
    /// Per dimension of the body's own arrays: its shape, once it is known; and those that are.
    shapes: Column<OwnDim, Opt<Shape>>,
    shaped: Vec<OwnDim>,
    /// A body that is not needed any more.
    spare: Option<Body>,
}

crate::handle! {
    /// A dimension of a body's own, counted from the first.
    struct OwnDim("od");
}

impl Scratch {
    /// A body that was given back.
    pub fn spare(&mut self) -> Option<Body> {
        self.spare.take()
    }

    /// Gives back a body whose function is done: the next one is made in its memory.
    pub fn recycle(&mut self, body: Body) {
        self.spare = Some(body);
    }

    fn clear(&mut self) {
        self.stack.clear();
        self.conditions.clear();
        self.sides.clear();
        self.accesses.clear();
        self.indices.clear();
        self.calls.clear();
        self.tensors.clear();
        self.ifs.clear();
        self.loops.clear();
        self.texts.clear();
        for dim in self.shaped.drain(..) {
            self.shapes[dim] = Opt::NONE;
        }
    }
}

/// No row, for `Lowering::stop`.
pub(super) const NOWHERE: usize = usize::MAX;

/// A function on its way.
pub(super) struct Lowering<'a> {
    pub(super) input: Input<'a>,
    pub(super) env: &'a Env,
    pub(super) links: &'a Links,
    pub(super) body: Draft,
    /// Where the next instruction goes. Blocks stand in the order in which they were started.
    pub(super) current: Block,
    pub(super) scratch: Scratch,
    pub(super) function: Sym,
    /// Where the tensor goes that the function returns.
    pub(super) result_address: Option<Value>,
    /// The row that is being lowered: what is emitted has its place in the source.
    pub(super) row: Node,
    /// True if the condition on top of the stack may have labels.
    pub(super) unsettled: bool,
    /// Control does not arrive at the current row; nothing is emitted.
    pub(super) dead: bool,
    /// Some block may not be reachable, inside of an expression.
    pub(super) unreachable: bool,
    /// Before this row something else is to be done: an element of an initialiser list is complete, or
    /// control has ended.
    pub(super) stop: usize,
    /// The initialiser list that is being worked off.
    pub(super) filling: Filling<'a>,
}

/// The body of a function.
pub(super) fn lower_function(
    input: Input<'_>,
    env: &Env,
    links: &Links,
    function: Sym,
    scratch: &mut Scratch,
) -> Body {
    let id = links.func(function);
    // Measured on generated programs: 0.6 instructions and 0.9 operands a node, and a quarter more of each
    // from passes.
    let nodes = input.tree.len() - 1;
    let room = Room { insts: nodes * 7 / 8, operands: nodes * 5 / 4 };
    let mut body = Draft::new(id, &env.funcs[id], scratch.spare.take(), room);
    let current = body.create_block();
    scratch.clear();
    let mut lowering = Lowering {
        input,
        env,
        links,
        body,
        current,
        scratch: std::mem::take(scratch),
        function,
        result_address: None,
        row: Node::new(0),
        unsettled: false,
        dead: false,
        unreachable: false,
        stop: NOWHERE,
        filling: Filling::default(),
    };
    lowering.make_room();
    if input.checks.has(Checks::STACK) {
        lowering.check_frame(function);
    }
    if input.checks.has(Checks::OF_ARRAYS) {
        lowering.note_lengths();
    }
    match (input.checks == Checks::NONE, lowering.scratch.known.follows) {
        (false, _) => lowering.sweep::<true, false>(),
        (true, false) => lowering.sweep::<false, false>(),
        (true, true) => lowering.sweep::<false, true>(),
    }
    if lowering.unreachable {
        lowering.remove_unreachable();
    }
    if input.variables {
        lowering.note_variables();
    }
    let symbols = input.names.then(|| lowering.params().chain(input.sema.locals()));
    *scratch = lowering.scratch;
    let mut body = lowering.body.finish();
    if input.math != Flags::NONE {
        allow(&mut body, input.math);
    }
    if let Some(symbols) = symbols {
        names::name_values(input, env, symbols.map(Sym::new), &scratch.addresses, &mut body);
    }
    body
}

/// Says of all operations on floats what may be done to them. O(instructions).
fn allow(body: &mut Body, math: Flags) {
    for k in 0..body.inst_count() {
        let i = Inst::new(k);
        let flags = Flags::of(body.op(i)).both(math);
        if flags != Flags::NONE {
            body.set_flags(i, flags.with(body.flags(i)));
        }
    }
}

impl<'a> Lowering<'a> {
    /// Memory for parameters and locals, in order of declaration, and the parameters' values in it. That of
    /// an array parameter is there for debuggers: what is computed with it is the parameter itself, and
    /// mem2reg has nothing to read.
    fn make_room(&mut self) {
        let sema = self.input.sema;
        if sema.row(self.function).ty.is_array() {
            self.result_address = self.body.params().last().map(Value::inst);
        }
        let (params, locals) = (self.params(), sema.locals());
        let addresses = &mut self.scratch.addresses;
        if addresses.is_empty() {
            let shared = self.links.rows.iter().map(|(_, &row)| Value::global(GlobalId::new(row as usize)));
            *addresses = shared.collect::<Vec<Value>>().into();
        }
        addresses.grow_to(locals.end.max(params.end), Value::undef(Type::Ptr));
        for sym in params.clone().map(Sym::new) {
            self.scratch.addresses[sym] = self.room(sym);
        }
        for sym in locals.map(Sym::new) {
            let has_room = sema.row(sym).kind == SymbolKind::LocalVar;
            self.scratch.addresses[sym] = if has_room { self.room(sym) } else { Value::undef(Type::Ptr) };
        }
        // (What checks ask depends on what is a constant, and they look at memory.)
        let follows = !self.input.in_memory && self.input.checks == Checks::NONE;
        self.scratch.known.begin(follows, self.body.inst_count());
        for (param, sym) in self.body.params().zip(params.map(Sym::new)) {
            let (value, room) = (Value::inst(param), self.scratch.addresses[sym]);
            self.body.append(self.current, Op::Store, Type::Void, [value, room], 0, Place::NONE);
            self.scratch.known.note(room, value);
            if self.input.variables {
                self.body.note_variable(room, sym.index() as u32);
            }
            if sema.row(sym).ty.is_array() {
                self.scratch.addresses[sym] = value;
            }
        }
    }

    /// The numbers of the symbols of parameters.
    fn params(&self) -> Range<usize> {
        let first = self.function.index() + 1;
        first..first + self.input.sema.params(self.function)
    }

    /// Tells debuggers where the locals are that have memory.
    fn note_variables(&mut self) {
        for sym in self.input.sema.locals() {
            let address = self.scratch.addresses[Sym::new(sym)];
            if !address.is_undef() {
                self.body.note_variable(address, sym as u32);
            }
        }
    }

    fn room(&mut self, sym: Sym) -> Value {
        let symbol = self.input.sema.row(sym);
        let is_told = self.input.places && symbol.place != NO_PLACE;
        let place = if is_told { Place::at(symbol.place) } else { Place::NONE };
        let is_pointer = symbol.kind == SymbolKind::Param && symbol.ty.is_array();
        let shape = if is_pointer { Shape::scalar(Type::Ptr) } else { self.shape_of(symbol.ty) };
        if let (false, Some(dim)) = (is_pointer, symbol.ty.dim())
            && self.input.sema.dim(dim).is_tensor
            && let Some(address) = self.large_room(shape)
        {
            return address;
        }
        let shape = shape.index() as u32;
        Value::inst(self.body.append(self.current, Op::Alloca, Type::Ptr, [], shape, place))
    }

    /// The memory of a variable of this type.
    pub(super) fn shape_of(&mut self, ty: Ty) -> Shape {
        match ty.view() {
            TyView::Array(scalar, dim) => self.array_shape(scalar, dim),
            TyView::Scalar(scalar) => Shape::scalar(scalar_type(scalar)),
            _ => Shape::scalar(Type::I32),
        }
    }

    /// The memory of the array from a dimension on. That of a body's own arrays is looked up once each.
    pub(super) fn array_shape(&mut self, scalar: Scalar, dim: Dim) -> Shape {
        if let Some(&shape) = self.links.shapes.get(dim) {
            return shape;
        }
        let own = OwnDim::new(dim.index() - self.links.shapes.len());
        self.scratch.shapes.grow_to(own.index() + 1, Opt::NONE);
        if let Some(shape) = self.scratch.shapes[own].get() {
            return shape;
        }
        let sema = self.input.sema;
        let mut shape = Shape::scalar(scalar_type(scalar));
        for k in (dim.index()..dim.index() + sema.dim(dim).rank as usize).rev() {
            shape = self.env.shapes.array(shape, sema.dim(Dim::new(k)).extent);
        }
        self.scratch.shapes[own] = Opt::some(shape);
        self.scratch.shaped.push(own);
        shape
    }

    /// Where a variable is; of an array, its first element. A constant array of this function becomes a
    /// constant of the module when it is first used as a whole or with a variable subscript.
    #[inline(always)]
    pub(super) fn address(&mut self, sym: Sym) -> Value {
        let known = self.scratch.addresses[sym];
        if known.is_undef() { self.constant_address(sym) } else { known }
    }

    #[cold]
    fn constant_address(&mut self, sym: Sym) -> Value {
        let address = self.constant_array(sym);
        self.scratch.addresses[sym] = address;
        address
    }

    // ---- Blocks -------------------------------------------------------------------------------------------

    /// Of what is emitted now: the row that is being lowered.
    #[inline(always)]
    pub(super) fn place(&self) -> Place {
        if self.input.places { self.jump_place() } else { Place::NONE }
    }

    /// As above, of a jump that the source has a word for: -O0 keeps it, with debuggers or without, and knows
    /// it by its place.
    pub(super) fn jump_place(&self) -> Place {
        Place::at(self.input.offset(self.row))
    }

    /// Appends an instruction to the current block.
    #[inline(never)]
    pub(super) fn emit<const N: usize>(&mut self, op: Op, ty: Type, args: [Value; N], payload: u32) -> Value {
        self.emit_here(op, ty, args, payload)
    }

    /// The same, inlined: for the most frequent instructions.
    #[inline(always)]
    pub(super) fn emit_here<const N: usize>(
        &mut self,
        op: Op,
        ty: Type,
        args: [Value; N],
        payload: u32,
    ) -> Value {
        let place = self.place();
        Value::inst(self.body.append(self.current, op, ty, args, payload, place))
    }

    #[inline(never)]
    pub(super) fn store(&mut self, value: Value, address: Value) {
        self.emit_here(Op::Store, Type::Void, [value, address], 0);
        self.scratch.known.note(address, value);
    }

    /// The value of a scalar variable: loaded, unless it is known.
    #[inline(always)]
    pub(super) fn read(&mut self, address: Value, ty: Type) -> Value {
        if let Some(value) = self.scratch.known.value(address) {
            return value;
        }
        let value = self.emit_here(Op::Load, ty, [address], 0);
        self.scratch.known.note(address, value);
        value
    }

    /// Goes on in a block that exists, and that gets no more predecessors.
    pub(super) fn start(&mut self, b: Block) {
        if self.scratch.known.follows {
            let is_next = matches!(*self.body.preds(b), [e] if self.body.edge_from(e) == self.current);
            if !is_next {
                self.scratch.known.forget();
            }
        }
        self.body.move_block_after(b, self.current);
        self.current = b;
    }

    /// Goes on in a loop header, which gets the back edge later.
    pub(super) fn start_head(&mut self, b: Block) {
        self.start(b);
        self.scratch.known.forget();
    }

    /// Goes on in a block that nothing enters.
    pub(super) fn start_dead(&mut self) {
        self.unreachable = true;
        let b = self.body.create_block_apart();
        self.start(b);
    }

    /// Goes on with the next statement in a block, if something enters it.
    pub(super) fn arrive(&mut self, b: Block) {
        if self.body.preds(b).is_empty() {
            self.leave();
        } else {
            self.start(b);
            self.dead = false;
        }
    }

    /// Control has gone elsewhere.
    pub(super) fn leave(&mut self) {
        self.dead = true;
        self.stop = self.row.index() + 1;
    }

    /// A branch where the source has no word for it: a debugger that steps is not to come here.
    pub(super) fn go_on_to(&mut self, b: Block) {
        self.body.set_br(self.current, b, Place::NONE);
    }

    /// Removes what cannot be reached.
    fn remove_unreachable(&mut self) {
        let Some(entry) = self.body.entry() else { return };
        let mut reached = BitSet::new(self.body.block_count());
        let mut stack = vec![entry];
        reached.insert(entry);
        while let Some(b) = stack.pop() {
            for e in self.body.succs(b) {
                let to = self.body.edge_to(e);
                if reached.insert(to) {
                    stack.push(to);
                }
            }
        }
        let dead: Vec<Block> = self.body.blocks().filter(|&b| !reached.contains(b)).collect();
        self.body.remove_blocks(&dead);
    }

    // ---- Rows ---------------------------------------------------------------------------------------------

    /// Lowers one row after the other. With checks it is a copy of its own, and so it is where values are known: to ask at each
    /// operation cost 1% of -O0.
    #[inline(never)]
    fn sweep<const CHECKED: bool, const FOLLOWS: bool>(&mut self) {
        let (mut n, end) = (1, self.input.tree.len() - 1);
        while n < end {
            let stop = if n < self.stop && self.stop < end { self.stop } else { end };
            n = self.rows::<CHECKED, FOLLOWS>(n, stop);
            if n == self.stop {
                if self.dead {
                    n = next_alive(&self.input.tree.kind.as_slice()[..=end], n);
                } else {
                    self.fill();
                }
            }
        }
        if !self.dead {
            self.end();
        }
    }

    /// Lowers rows from `n` on, up to `stop` or to one that may have changed where to stop; returns how far
    /// it came. What to do follows from a row's kind and class, by one jump: both are hard to foresee. What
    /// is done with a variable depends on the row after it.
    #[inline(always)]
    fn rows<const CHECKED: bool, const FOLLOWS: bool>(&mut self, mut n: usize, stop: usize) -> usize {
        let Input { tree, sema, .. } = self.input;
        let (kinds, nexts) = (&tree.kind.as_slice()[..stop], &tree.kind.as_slice()[1..][..stop]);
        let (classes, data) = (&sema.class.as_slice()[..stop], &sema.data.as_slice()[..stop]);
        while n < stop {
            self.row = Node::new(n);
            let row = row_of(kinds[n], classes[n]);
            match row {
                Row::Nothing => {}
                Row::Variable if CHECKED => {
                    self.checked_variable(Sym::new(data[n] as usize), classes[n], nexts[n])
                }
                Row::Variable => self.variable::<FOLLOWS>(Sym::new(data[n] as usize), classes[n], nexts[n]),
                Row::Int => self.int(data[n] as i32),
                Row::Float => self.float(f32::from_bits(data[n])),
                Row::Name => self.name(Sym::new(data[n] as usize), nexts[n]),
                Row::NoLeaf => self.no_leaf(),
                Row::String => self.string(),
                Row::Index => self.index::<CHECKED>(nexts[n]),
                Row::CallStart => self.call_start(Sym::new(data[n] as usize)),
                Row::Call => self.call(None),
                Row::Unary => self.unary(),
                Row::Binary => self.binary::<CHECKED>(),
                Row::ConstUnary => self.replace_by_constant(1),
                Row::ConstBinary => self.replace_by_constant(2),
                Row::ConstIndex => self.constant_element(),
                Row::AndLhs => self.left_side(false),
                Row::OrLhs => self.left_side(true),
                Row::And => self.right_side(false),
                Row::Or => self.right_side(true),
                Row::ConstAnd | Row::ConstOr => {
                    self.right_side(row == Row::ConstOr);
                    self.replace_by_constant(1);
                }
                Row::Assign if CHECKED => {
                    let target = self.target();
                    self.assign();
                    if let Some(target) = target {
                        self.note_given(target);
                    }
                }
                Row::Assign => self.assign(),
                Row::Old => self.old(),
                Row::Tensor => self.tensor(kinds[n], nexts[n]),
                Row::ExprStmt => self.drop_value(),
                Row::Declarator => self.scratch.stack.clear(),
                Row::VarDef => self.var_def(),
                Row::WhileStart => self.while_start(),
                Row::InitStart if nexts[n] != NodeKind::InitListStart => {}
                Row::InitStart | Row::Control => {
                    self.control(kinds[n]);
                    return n + 1;
                }
            }
            n = (n + 1 + skipped(nexts[n])).min(stop);
        }
        n
    }

    // ---- Statements ---------------------------------------------------------------------------------------

    fn assign(&mut self) {
        let (value, from) = self.pop_value();
        if let Slot::Target(address, ty) = self.pop() {
            let value = self.convert(value, from, ty);
            self.store(value, address);
        }
    }

    /// The value of what `+=` or `++` changes, whose address is on top of the stack.
    #[cold]
    fn old(&mut self) {
        if let Some(&Slot::Target(address, ty)) = self.scratch.stack.last() {
            if ty == Type::Ptr {
                return self.old_tensor(address);
            }
            if self.input.checks.has(Checks::MEMORY) {
                self.check_value(address);
            }
            let value = self.read(address, ty);
            self.push(Slot::Value(value, ty));
        }
    }

    /// The end of an expression that is computed for its effects.
    fn drop_value(&mut self) {
        match self.pop() {
            Slot::Labelled(row) => _ = self.bool_of(self.scratch.conditions[row as usize]),
            Slot::Tensor(k) => self.forget_tensor(k),
            _ => {}
        }
    }

    /// The end of a declaration of one name.
    #[inline(never)]
    fn var_def(&mut self) {
        let n = self.row;
        let Some(sym) = self.input.sema.symbol(n) else { return };
        let symbol = self.input.sema.row(sym);
        let init = self.input.tree.kind[Node::new(n.index() - 1)];
        let has_init = init != NodeKind::Declarator;
        if let (SymbolKind::LocalVar, Some(scalar), true) = (symbol.kind, symbol.ty.as_scalar(), has_init) {
            let (value, from) = self.pop_value();
            let value = self.convert(value, from, scalar_type(scalar));
            let address = self.address(sym);
            self.store(value, address);
        } else if has_init && init != NodeKind::InitList && symbol.kind == SymbolKind::LocalVar {
            self.tensor_start(sym);
        } else if self.input.checks.has(Checks::MEMORY) && !has_init {
            self.note_declared(sym);
        }
        // What a constant's initialiser left is in the symbol, or in its image.
        self.scratch.stack.clear();
    }

    pub(super) fn result(&self) -> Type {
        self.env.funcs[self.body.func].result
    }

    /// The end of the body, where control may arrive without a `return`: at the closing brace.
    fn end(&mut self) {
        self.row = Node::new(self.input.tree.len() - 2);
        let sema = self.input.sema;
        let is_main = sema.shared.names.text(sema.row(self.function).name) == "main";
        if self.input.checks.has(Checks::MEMORY) {
            self.note_no_result();
        }
        let value = match self.result() {
            Type::Void => None,
            Type::I32 if is_main => Some(self.body.int(0)),
            ty => Some(Value::undef(ty)),
        };
        self.body.set_ret(self.current, value, self.place());
    }
}

/// The next row that may be entered from elsewhere than the row before it: the end or the other arm of what
/// is open there. The last row is the end of the function.
fn next_alive(kinds: &[NodeKind], from: usize) -> usize {
    let mut depth = 0;
    for (n, kind) in kinds.iter().enumerate().skip(from) {
        match kind {
            NodeKind::IfStart | NodeKind::WhileStart | NodeKind::ForStart | NodeKind::DoStart => depth += 1,
            NodeKind::ElseStart | NodeKind::StepStart if depth == 0 => return n,
            NodeKind::If | NodeKind::While | NodeKind::For | NodeKind::Do if depth == 0 => return n,
            NodeKind::If | NodeKind::While | NodeKind::For | NodeKind::Do => depth -= 1,
            _ => {}
        }
    }
    kinds.len() - 1
}
