//! One function: a sweep over its rows from the block's start to the definition's end.
//!
//! Children stand before their parents, and leaves mark the places between them, so a row finds everything it needs on
//! the value stack and on the stacks of open `if`s and loops. Statements leave the value stack empty. What follows a
//! `return`, `break` or `continue` goes into a block that nothing enters; such blocks are removed at the end. Linear.

use super::condition::Condition;
use super::expression::Slot;
use super::globals::scalar_type;
use super::initialiser::Filling;
use super::{Input, Links};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::body::NO_LOC;
use crate::ir::{At, Block, Body, Env, Op, Shape, Type, Value};
use crate::sema::{Dim, Function, Scalar, Sym, SymbolKind, Ty, TyView};
use crate::syntax::tree::{Node, NodeKind};

/// Memory that a worker uses for one function after another.
#[derive(Default)]
pub struct Scratch {
    pub(super) stack: Vec<Slot>,
    pub(super) indices: Vec<Value>,
    pub(super) calls: Vec<usize>,
    pub(super) args: Vec<Value>,
    /// Per dimension of the body's own arrays: its shape, once it is known; and those that are.
    shapes: Column<OwnDim, Opt<Shape>>,
    shaped: Vec<OwnDim>,
}

crate::handle! {
    /// A dimension of a body's own, counted from the first.
    struct OwnDim("od");
}

impl Scratch {
    fn clear(&mut self) {
        self.stack.clear();
        self.indices.clear();
        self.calls.clear();
        for dim in self.shaped.drain(..) {
            self.shapes[dim] = Opt::NONE;
        }
    }
}

/// An `if` whose condition is known.
struct If {
    /// Where control is for which the condition does not hold, until `else` or the end.
    no: Option<Block>,
    /// Where both arms meet, if there are two.
    join: Option<Block>,
}

/// A loop.
struct Loop {
    /// Computes the condition; `continue` goes there.
    head: Block,
    /// `break` goes there. Until the condition is known, the head.
    exit: Block,
}

/// A function on its way.
pub(super) struct Lowering<'a> {
    pub(super) input: Input<'a>,
    pub(super) env: &'a Env,
    pub(super) links: &'a Links,
    pub(super) body: Body,
    /// Where the next instruction goes. Blocks stand in the order in which they were started.
    pub(super) current: Block,
    pub(super) scratch: &'a mut Scratch,
    function: &'a Function,
    ifs: Vec<If>,
    loops: Vec<Loop>,
    /// Per parameter and per other local: its address, and undef for what has none.
    params: Vec<Value>,
    locals: Vec<Value>,
    /// The initialiser list that is being worked off.
    pub(super) filling: Filling,
}

/// The body of a function.
pub(super) fn lower_function(
    input: Input<'_>,
    env: &Env,
    links: &Links,
    function: &Function,
    scratch: &mut Scratch,
) -> Body {
    let id = links.func(function.sym);
    let mut body = Body::new(id, &env.funcs[id]);
    // Measured on generated programs: 0.6 instructions and 0.9 operands a node.
    let nodes = function.def.index() - function.signature.index();
    body.reserve(nodes * 5 / 8, nodes);
    let current = body.create_block();
    scratch.clear();
    let mut lowering = Lowering {
        input,
        env,
        links,
        body,
        current,
        scratch,
        function,
        ifs: Vec::new(),
        loops: Vec::new(),
        params: Vec::new(),
        locals: Vec::new(),
        filling: Filling::default(),
    };
    lowering.make_room();
    for n in (function.signature.index() + 1..=function.def.index()).map(Node::new) {
        lowering.node(n);
    }
    lowering.remove_unreachable();
    if input.variables {
        lowering.note_variables();
    }
    lowering.body
}

impl Lowering<'_> {
    /// Memory for parameters and locals, in order of declaration, and the parameters' values in it. That of an array parameter
    /// is there for debuggers: what is computed with it is the parameter itself, and mem2reg has nothing to read.
    fn make_room(&mut self) {
        let sema = self.input.sema;
        let first = self.function.sym.index() + 1;
        let values: Vec<_> = self.body.params().map(Value::inst).collect();
        let mut rooms = Vec::with_capacity(values.len());
        for (k, &value) in values.iter().enumerate() {
            let room = self.room(Sym::new(first + k));
            rooms.push(room);
            let is_scalar = sema.row(Sym::new(first + k)).ty.as_scalar().is_some();
            self.params.push(if is_scalar { room } else { value });
        }
        let first_local = self.function.locals.index();
        for sym in (first_local..first_local + self.function.local_count as usize).map(Sym::new) {
            let has_room = sema.row(sym).kind == SymbolKind::LocalVar;
            let address = if has_room { self.room(sym) } else { Value::undef(Type::Ptr) };
            self.locals.push(address);
        }
        for (k, value) in values.into_iter().enumerate() {
            self.body.current_loc = self.body.loc[crate::ir::Inst::new(k)];
            self.store(value, rooms[k]);
        }
        if self.input.variables {
            let rooms = rooms.into_iter().enumerate();
            self.body.variables.extend(rooms.map(|(k, room)| (room, (first + k) as u32)));
        }
    }

    /// Tells debuggers where the locals are that have memory.
    fn note_variables(&mut self) {
        let first = self.function.locals.index();
        let known = self.locals.iter().enumerate().filter(|(_, value)| !value.is_undef());
        self.body.variables.extend(known.map(|(k, &value)| (value, (first + k) as u32)));
    }

    fn room(&mut self, sym: Sym) -> Value {
        let symbol = self.input.sema.row(sym);
        if let Some(node) = self.input.sema.declared_at(sym) {
            self.body.current_loc = self.input.offset(node);
        }
        let is_pointer = symbol.kind == SymbolKind::Param && symbol.ty.is_array();
        let shape = if is_pointer { Shape::scalar(Type::Ptr) } else { self.shape_of(symbol.ty) };
        self.emit(Op::Alloca, Type::Ptr, &[], shape.index() as u32)
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
    fn array_shape(&mut self, scalar: Scalar, dim: Dim) -> Shape {
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

    /// Where a variable is; of an array, its first element. A constant array of this function becomes a constant of
    /// the module when it is first used as a whole or with a variable subscript.
    pub(super) fn address(&mut self, sym: Sym) -> Value {
        let symbol = self.input.sema.row(sym);
        match symbol.kind {
            SymbolKind::GlobalVar | SymbolKind::GlobalConst => Value::global(self.links.global(sym)),
            SymbolKind::Param => self.params[sym.index() - self.function.sym.index() - 1],
            _ => {
                let k = sym.index() - self.function.locals.index();
                if self.locals[k].is_undef() {
                    self.locals[k] = self.constant_array(sym);
                }
                self.locals[k]
            }
        }
    }

    // ---- Blocks -------------------------------------------------------------------------------------------

    /// Appends an instruction to the current block.
    pub(super) fn emit(&mut self, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        Value::inst(self.body.insert(At::End(self.current), op, ty, args, payload))
    }

    pub(super) fn store(&mut self, value: Value, address: Value) {
        self.emit(Op::Store, Type::Void, &[value, address], 0);
    }

    /// Goes on in a block that exists.
    pub(super) fn start(&mut self, b: Block) {
        self.body.move_block_after(b, self.current);
        self.current = b;
    }

    /// Goes on in a block that nothing enters.
    pub(super) fn start_dead(&mut self) {
        let b = self.body.create_block();
        self.start(b);
    }

    fn branch_to(&mut self, b: Block) {
        self.body.set_br(self.current, b);
    }

    /// As above, where the source has no word for it: a debugger that steps is not to come here.
    pub(super) fn go_on_to(&mut self, b: Block) {
        let loc = std::mem::replace(&mut self.body.current_loc, NO_LOC);
        self.branch_to(b);
        self.body.current_loc = loc;
    }

    /// Removes what cannot be reached, labels that were never started included.
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

    fn node(&mut self, n: Node) {
        self.body.current_loc = self.input.offset(n);
        match self.input.tree.kind[n] {
            NodeKind::IntLiteral | NodeKind::FloatLiteral | NodeKind::Name => self.leaf(n),
            NodeKind::StringLiteral => self.string(n),
            NodeKind::IndexStart => self.index_start(),
            NodeKind::Index => self.index(n),
            NodeKind::CallStart => self.call_start(n),
            NodeKind::Call => self.call(n),
            NodeKind::Unary => self.unary(n),
            NodeKind::Binary => self.binary(n),
            NodeKind::AndLhs => self.left_side(false),
            NodeKind::OrLhs => self.left_side(true),
            NodeKind::And | NodeKind::Or => {
                self.right_side(self.input.tree.kind[n] == NodeKind::Or);
                self.replace_by_constant(n);
            }
            NodeKind::AssignStart => self.assign_start(),
            NodeKind::Assign => self.assign(),
            NodeKind::ExprStmt => self.drop_value(),
            NodeKind::Declarator => self.scratch.stack.clear(),
            NodeKind::InitStart => self.init_start(n),
            NodeKind::VarDef => self.var_def(n),
            NodeKind::IfCond => self.if_cond(),
            NodeKind::ElseStart => self.else_start(),
            NodeKind::If => self.if_end(),
            NodeKind::WhileStart => self.while_start(),
            NodeKind::WhileCond => self.while_cond(),
            NodeKind::While => self.while_end(),
            NodeKind::Break => self.jump(|frame| frame.exit),
            NodeKind::Continue => self.jump(|frame| frame.head),
            NodeKind::Return => self.return_statement(n),
            NodeKind::FuncDef => self.end(),
            // Parentheses change nothing, and the rest only marks places.
            _ => {}
        }
        self.fill(n);
    }

    // ---- Statements ---------------------------------------------------------------------------------------

    fn assign_start(&mut self) {
        let slot = self.pop();
        let (address, ty) = self.place(slot);
        self.push(Slot::Target(address, ty.as_scalar().unwrap_or(Scalar::Int)));
    }

    fn assign(&mut self) {
        let value = self.pop_value();
        if let Slot::Target(address, scalar) = self.pop() {
            let value = self.convert(value, scalar);
            self.store(value, address);
        }
    }

    /// The end of an expression that is computed for its effects.
    fn drop_value(&mut self) {
        if let Slot::Condition(condition) = self.pop() {
            self.settle_condition(condition);
        }
        self.scratch.indices.clear();
    }

    /// The end of a declaration of one name.
    fn var_def(&mut self, n: Node) {
        let Some(sym) = self.input.sema.symbol(n) else { return };
        let symbol = self.input.sema.row(sym);
        let has_init = self.input.tree.kind[Node::new(n.index() - 1)] != NodeKind::Declarator;
        if let (SymbolKind::LocalVar, Some(scalar), true) = (symbol.kind, symbol.ty.as_scalar(), has_init) {
            let value = self.pop_value();
            let value = self.convert(value, scalar);
            let address = self.address(sym);
            self.store(value, address);
        }
        // What a constant's initialiser left is in the symbol, or in its image.
        self.scratch.stack.clear();
    }

    fn pop_branch(&mut self) -> (Block, Block) {
        let condition: Condition = self.pop_condition();
        self.branch(condition)
    }

    fn if_cond(&mut self) {
        let (yes, no) = self.pop_branch();
        self.ifs.push(If { no: Some(no), join: None });
        self.start(yes);
    }

    fn else_start(&mut self) {
        let join = self.body.create_block();
        self.go_on_to(join);
        if let Some(frame) = self.ifs.last_mut() {
            frame.join = Some(join);
            if let Some(no) = frame.no.take() {
                self.start(no);
            }
        }
    }

    fn if_end(&mut self) {
        let Some(frame) = self.ifs.pop() else { return };
        if let Some(next) = frame.join.or(frame.no) {
            self.go_on_to(next);
            self.start(next);
        }
    }

    fn while_start(&mut self) {
        let head = self.body.create_block();
        self.go_on_to(head);
        self.start(head);
        self.loops.push(Loop { head, exit: head });
    }

    fn while_cond(&mut self) {
        let (yes, no) = self.pop_branch();
        if let Some(frame) = self.loops.last_mut() {
            frame.exit = no;
        }
        self.start(yes);
    }

    fn while_end(&mut self) {
        let Some(frame) = self.loops.pop() else { return };
        self.go_on_to(frame.head);
        self.start(frame.exit);
    }

    fn jump(&mut self, target: impl Fn(&Loop) -> Block) {
        let Some(to) = self.loops.last().map(target) else { return };
        self.branch_to(to);
        self.start_dead();
    }

    fn result(&self) -> Type {
        self.env.funcs[self.body.func].result
    }

    fn return_statement(&mut self, n: Node) {
        let value = if self.input.tree.size[n] > 1 { Some(self.pop()) } else { None };
        let value = match (value, self.input.sema.row(self.function.sym).ty.as_scalar()) {
            (Some(slot), Some(scalar)) => {
                let value = self.value_of(slot);
                Some(self.convert(value, scalar))
            }
            (None, Some(scalar)) => Some(Value::undef(scalar_type(scalar))),
            (_, None) => None,
        };
        self.body.set_ret(self.current, value);
        self.start_dead();
    }

    /// The end of the body, where control may arrive without a `return`: at the closing brace.
    fn end(&mut self) {
        self.body.current_loc = self.input.offset(Node::new(self.function.def.index() - 1));
        let sema = self.input.sema;
        let is_main = sema.shared.names.text(sema.row(self.function.sym).name) == "main";
        let value = match self.result() {
            Type::Void => None,
            Type::I32 if is_main => Some(self.body.int(0)),
            ty => Some(Value::undef(ty)),
        };
        self.body.set_ret(self.current, value);
    }
}
