//! Expressions: a stack of slots, and what each row does to it.
//!
//! A variable or an element of an array is loaded where it stands, so that operands are evaluated from left to right, unless the
//! row after it says that an assignment, a subscript or a call wants its address. `a[i][j]` is one address instruction with all
//! subscripts, so that the dimensions stay visible: the first one steps over the parts of the outermost dimension, which is
//! the same for arrays and for parameters. A condition that left early is settled when the next operand begins.

use super::Input;
use super::condition::{Condition, LeftSide};
use super::function::Lowering;
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::opcode::COMMUTATIVE;
use crate::ir::{At, FloatPred, Image, IntPred, Op, Shape, Type, Value};
use crate::sema::runtime::Meaning;
use crate::sema::{Class, Const, Scalar, Sym, SymbolKind, Ty, TyView};
use crate::source::Diagnostics;
use crate::syntax::literal;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Node, NodeKind};

/// What the value stack holds.
#[derive(Copy, Clone, Debug)]
pub(super) enum Slot {
    /// A number or the address of an array, with its type.
    Value(Value, Type),
    /// Part of an array whose subscript follows. Its address and its subscripts are the last ones of `Scratch::indices`.
    Element {
        /// Type of the array.
        array: Ty,
        /// Type of the part.
        ty: Ty,
        /// Number of subscripts.
        count: u32,
    },
    /// A comparison, `!`, `&&` or `||`.
    Condition(Condition),
    /// The left side of `&&` or `||`.
    LeftSide(LeftSide),
    /// The left side of an assignment: address and type.
    Target(Value, Type),
    /// A function whose arguments follow.
    Call(Sym),
    /// The result of a function without one.
    Nothing,
}

/// The type of a value of this type: arrays are their address.
fn type_of(ty: Ty) -> Type {
    match ty {
        Ty::INT => Type::I32,
        Ty::FLOAT => Type::F32,
        _ => Type::Ptr,
    }
}

impl Lowering<'_> {
    // ---- The stack ----------------------------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn push(&mut self, slot: Slot) {
        self.scratch.stack.push(slot);
    }

    /// The topmost slot. A tree without errors never asks for more than there are.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Slot {
        self.scratch.stack.pop().unwrap_or(Slot::Nothing)
    }

    #[inline(always)]
    pub(super) fn pop_value(&mut self) -> (Value, Type) {
        match self.scratch.stack.pop() {
            Some(Slot::Value(value, ty)) => (value, ty),
            Some(slot) => self.value_of(slot),
            None => (Value::undef(Type::I32), Type::I32),
        }
    }

    /// An operand begins here: what stands below it must be computed before.
    #[inline(always)]
    fn begin(&mut self) {
        if self.unsettled {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.unsettled = false;
        if let Some(&Slot::Condition(condition)) = self.scratch.stack.last() {
            self.scratch.stack.pop();
            let settled = self.settle_condition(condition);
            self.push(Slot::Condition(settled));
        }
    }

    /// The number a slot stands for, or the address of the array.
    pub(super) fn value_of(&mut self, slot: Slot) -> (Value, Type) {
        match slot {
            Slot::Value(value, ty) => (value, ty),
            Slot::Condition(condition) => (self.int_of(condition), Type::I32),
            _ => (Value::undef(Type::I32), Type::I32),
        }
    }

    // ---- Constants and leaves -----------------------------------------------------------------------------

    fn constant(&mut self, value: Const) -> Slot {
        match value {
            Const::Int(x) => Slot::Value(self.body.int(x), Type::I32),
            Const::Float(x) => Slot::Value(self.body.f32(x), Type::F32),
        }
    }

    #[inline(always)]
    pub(super) fn leaf(&mut self, n: Node, next: NodeKind) {
        self.begin();
        let data = self.input.sema.data[n];
        match self.input.sema.class[n] {
            Class::IntVariable => self.variable(Sym::new(data as usize), Type::I32, next),
            Class::FloatVariable => self.variable(Sym::new(data as usize), Type::F32, next),
            Class::Symbol => self.name(Sym::new(data as usize), next),
            Class::ConstInt => {
                let value = self.body.int(data as i32);
                self.push(Slot::Value(value, Type::I32));
            }
            Class::ConstFloat => {
                let value = self.body.f32(f32::from_bits(data));
                self.push(Slot::Value(value, Type::F32));
            }
            _ => self.push(Slot::Nothing),
        }
    }

    /// A number in memory.
    #[inline(always)]
    fn variable(&mut self, sym: Sym, ty: Type, next: NodeKind) {
        let slot = match next {
            NodeKind::AssignStart => Slot::Target(self.variable_address(sym), ty),
            NodeKind::ExprStmt => Slot::Nothing,
            _ => {
                let address = self.variable_address(sym);
                Slot::Value(self.emit(Op::Load, ty, [address], 0), ty)
            }
        };
        self.push(slot);
    }

    /// A constant, or an array.
    fn name(&mut self, sym: Sym, next: NodeKind) {
        let symbol = self.input.sema.row(sym);
        let (kind, declared) = (symbol.kind, symbol.ty);
        let ty = type_of(declared);
        if ty != Type::Ptr
            && matches!(kind, SymbolKind::GlobalConst | SymbolKind::LocalConst)
            && let Some(value) = symbol.constant()
        {
            let slot = self.constant(value);
            return self.push(slot);
        }
        let slot = match next {
            NodeKind::IndexStart => {
                let base = self.address(sym, kind);
                self.scratch.indices.push(base);
                Slot::Element { array: declared, ty: declared, count: 0 }
            }
            NodeKind::AssignStart => Slot::Target(self.address(sym, kind), ty),
            NodeKind::ExprStmt => Slot::Nothing,
            _ => {
                let address = self.address(sym, kind);
                self.loaded(address, ty)
            }
        };
        self.push(slot);
    }

    /// What is at an address; of an array, its address.
    #[inline(always)]
    fn loaded(&mut self, address: Value, ty: Type) -> Slot {
        if ty == Type::Ptr {
            return Slot::Value(address, ty);
        }
        Slot::Value(self.emit(Op::Load, ty, [address], 0), ty)
    }

    /// Where the row is constant, its value takes the place of what was computed: that had no effect. False elsewhere.
    #[inline(always)]
    pub(super) fn replace_by_constant(&mut self, n: Node) -> bool {
        if !matches!(self.input.sema.class[n], Class::ConstInt | Class::ConstFloat) {
            return false;
        }
        let Some(value) = self.input.sema.constant(n) else { return false };
        self.pop();
        let slot = self.constant(value);
        self.push(slot);
        true
    }

    pub(super) fn string(&mut self, n: Node) {
        self.begin();
        let Input { file, tokens, tree, .. } = self.input;
        // A warning about an escape was given when the format was checked.
        let mut diags = Diagnostics::default();
        let text = literal::string_literal(file, tokens.span(&file.text, tree.token[n]), &mut diags);
        let shape = self.env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let image = Image::string(&text);
        let address = self.body.request(Request { shape, constant: true, image });
        self.push(Slot::Value(address, Type::Ptr));
    }

    // ---- Operators ----------------------------------------------------------------------------------------

    /// A number as another type of number.
    #[inline(always)]
    pub(super) fn convert(&mut self, value: Value, from: Type, to: Type) -> Value {
        if from == to { value } else { self.converted(value, to) }
    }

    fn converted(&mut self, value: Value, to: Type) -> Value {
        let known = match self.body.as_int(value) {
            Some(x) => Some(Const::Int(x as i32)),
            None => self.body.as_f32(value).map(Const::Float),
        };
        match (known, to) {
            (Some(known), Type::I32) => self.body.int(known.to(Scalar::Int).bits() as i32),
            (Some(known), Type::F32) => self.body.f32(f32::from_bits(known.to(Scalar::Float).bits())),
            (None, Type::I32) => self.emit(Op::FPToSI, Type::I32, [value], 0),
            (None, Type::F32) => self.emit(Op::SIToFP, Type::F32, [value], 0),
            _ => value,
        }
    }

    pub(super) fn unary(&mut self, n: Node) {
        if self.replace_by_constant(n) {
            return;
        }
        match self.token_kind(n) {
            TokenKind::Not => self.not(),
            op => {
                let (mut value, ty) = self.pop_value();
                if op == TokenKind::Minus {
                    value = if ty == Type::F32 {
                        self.emit(Op::FNeg, Type::F32, [value], 0)
                    } else {
                        let zero = self.body.int(0);
                        self.emit(Op::Sub, Type::I32, [zero, value], 0)
                    };
                }
                self.push(Slot::Value(value, ty));
            }
        }
    }

    #[inline(always)]
    fn token_kind(&self, n: Node) -> TokenKind {
        self.input.tokens.kind[self.input.tree.token[n]]
    }

    pub(super) fn binary(&mut self, n: Node) {
        if matches!(self.input.sema.class[n], Class::ConstInt | Class::ConstFloat) {
            self.pop();
            self.replace_by_constant(n);
            return;
        }
        let (right, right_ty) = self.pop_value();
        let (left, left_ty) = self.pop_value();
        let is_float = left_ty == Type::F32 || right_ty == Type::F32;
        let ty = if is_float { Type::F32 } else { Type::I32 };
        let mut args = [self.convert(left, left_ty, ty), self.convert(right, right_ty, ty)];
        let op = self.token_kind(n);
        // Constants stand on the right, where the order makes no difference to the value.
        let turned = args[0].is_number() && !args[1].is_number();
        let slot = if let Some((mut int, mut float)) = comparison(op) {
            if turned {
                args.swap(0, 1);
                (int, float) = (int.swapped(), float.swapped());
            }
            let (op, pred) = if is_float { (Op::FCmp, float as u32) } else { (Op::ICmp, int as u32) };
            Slot::Condition(Condition::of(self.emit(op, Type::I1, args, pred)))
        } else {
            let op = arithmetic(op, is_float);
            if turned && op.has(COMMUTATIVE) {
                args.swap(0, 1);
            }
            Slot::Value(self.emit(op, ty, args, 0), ty)
        };
        self.push(slot);
    }

    // ---- Subscripts ---------------------------------------------------------------------------------------

    pub(super) fn index(&mut self, n: Node, next: NodeKind) {
        let (subscript, _) = self.pop_value();
        let Slot::Element { array, ty, count } = self.pop() else { return };
        let count = count + 1;
        self.scratch.indices.push(subscript);
        let first = self.scratch.indices.len() - count as usize - 1;
        if matches!(self.input.sema.class[n], Class::ConstInt | Class::ConstFloat)
            && let Some(value) = self.input.sema.constant(n)
        {
            self.scratch.indices.truncate(first);
            let slot = self.constant(value);
            return self.push(slot);
        }
        let ty = match ty.view() {
            TyView::Array(scalar, dim) => self.input.sema.indexed(scalar, dim),
            _ => ty,
        };
        if next == NodeKind::IndexStart {
            return self.push(Slot::Element { array, ty, count });
        }
        let slot = if next == NodeKind::ExprStmt {
            Slot::Nothing
        } else {
            let address = self.element(array, first);
            let ty = type_of(ty);
            if next == NodeKind::AssignStart { Slot::Target(address, ty) } else { self.loaded(address, ty) }
        };
        self.scratch.indices.truncate(first);
        self.push(slot);
    }

    /// The address of part of an array; what it is made of stands from `first` on.
    fn element(&mut self, array: Ty, first: usize) -> Value {
        let shape = self.element_shape(array).index() as u32;
        self.locate();
        let inst = match self.scratch.indices[first..] {
            [base, x] => self.body.append(self.current, Op::ElemAddr, Type::Ptr, [base, x], shape),
            [base, x, y] => self.body.append(self.current, Op::ElemAddr, Type::Ptr, [base, x, y], shape),
            ref args => self.body.insert(At::End(self.current), Op::ElemAddr, Type::Ptr, args, shape),
        };
        Value::inst(inst)
    }

    /// What the first subscript of an array steps over.
    #[inline(always)]
    pub(super) fn element_shape(&mut self, array: Ty) -> Shape {
        match array.view() {
            TyView::Array(scalar, dim) => self.shape_of(self.input.sema.indexed(scalar, dim)),
            _ => self.shape_of(array),
        }
    }

    // ---- Calls --------------------------------------------------------------------------------------------

    pub(super) fn call_start(&mut self, n: Node) {
        self.begin();
        let slot = self.input.sema.symbol(n).map_or(Slot::Nothing, Slot::Call);
        self.push(slot);
        self.scratch.calls.push(self.scratch.stack.len() - 1);
    }

    pub(super) fn call(&mut self, n: Node) {
        let Some(first) = self.scratch.calls.pop() else { return };
        let Slot::Call(sym) = self.scratch.stack[first] else { return };
        self.scratch.args.clear();
        let symbol = self.input.sema.row(sym);
        let library = self.input.sema.shared.library.functions;
        let row =
            if symbol.kind == SymbolKind::RuntimeFunc { library.get(symbol.data as usize) } else { None };
        if let Some(row) = row.filter(|row| row.meaning != Meaning::Call) {
            return self.call_intrinsic(sym, row.meaning, first);
        }
        let (env, func) = (self.env, self.links.func(sym));
        let callee = &env.funcs[func];
        for k in first + 1..self.scratch.stack.len() {
            let (value, from) = self.value_of(self.scratch.stack[k]);
            let value = match callee.params.get(k - first - 1) {
                Some(&to) => self.convert(value, from, to),
                None => self.widened(value, from),
            };
            self.scratch.args.push(value);
        }
        if row.is_some_and(|row| row.passes_line) {
            let line = self.input.file.line(self.input.offset(self.input.tree.first(n)));
            let line = self.body.int(line as i32);
            self.scratch.args.push(line);
        }
        self.scratch.stack.truncate(first);
        self.locate();
        let (at, args) = (At::End(self.current), &self.scratch.args);
        let result = callee.result;
        let inst = self.body.insert(at, Op::Call, result, args, func.index() as u32);
        self.push(if result == Type::Void { Slot::Nothing } else { Slot::Value(Value::inst(inst), result) });
    }

    fn call_intrinsic(&mut self, sym: Sym, meaning: Meaning, first: usize) {
        let sema = self.input.sema;
        let mut args = Vec::new();
        for (k, at) in (first + 1..self.scratch.stack.len()).enumerate() {
            let (value, from) = self.value_of(self.scratch.stack[at]);
            args.push(self.convert(value, from, type_of(sema.param_ty(sym, k))));
        }
        self.scratch.stack.truncate(first);
        let slot = self.intrinsic(meaning, &args);
        self.push(slot);
    }

    /// A number as C passes it where no parameter is declared.
    fn widened(&mut self, value: Value, from: Type) -> Value {
        match self.body.as_f32(value) {
            Some(x) => self.body.f64(f64::from(x)),
            None if from == Type::F32 => self.emit(Op::FPExt, Type::F64, [value], 0),
            None => value,
        }
    }
}

fn comparison(op: TokenKind) -> Option<(IntPred, FloatPred)> {
    Some(match op {
        TokenKind::Less => (IntPred::Slt, FloatPred::Olt),
        TokenKind::LessEq => (IntPred::Sle, FloatPred::Ole),
        TokenKind::Greater => (IntPred::Sgt, FloatPred::Ogt),
        TokenKind::GreaterEq => (IntPred::Sge, FloatPred::Oge),
        TokenKind::EqEq => (IntPred::Eq, FloatPred::Oeq),
        TokenKind::NotEq => (IntPred::Ne, FloatPred::Une),
        _ => return None,
    })
}

fn arithmetic(op: TokenKind, is_float: bool) -> Op {
    let (int, float) = match op {
        TokenKind::Plus => (Op::Add, Op::FAdd),
        TokenKind::Minus => (Op::Sub, Op::FSub),
        TokenKind::Star => (Op::Mul, Op::FMul),
        TokenKind::Slash => (Op::SDiv, Op::FDiv),
        _ => (Op::SRem, Op::FDiv),
    };
    if is_float { float } else { int }
}
