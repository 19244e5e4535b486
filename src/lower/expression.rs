//! Expressions: a stack of slots, and what each row does to it.
//!
//! A name is not loaded when it is pushed, because an assignment, a subscript or a call may want its address. It is
//! loaded when the next operand begins, so that operands are evaluated from left to right; the same goes for subscripts
//! and for conditions that left early. `a[i][j]` is one address instruction with all subscripts, so that the dimensions
//! stay visible: the first one steps over the parts of the outermost dimension, which is the same for arrays and for
//! parameters.

use super::Input;
use super::condition::{Condition, LeftSide};
use super::function::Lowering;
use super::globals::scalar_type;
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::opcode::COMMUTATIVE;
use crate::ir::{FloatPred, Image, IntPred, Op, Shape, Type, Value};
use crate::sema::runtime::Meaning;
use crate::sema::{Const, Scalar, Sym, SymbolKind, Ty, TyView};
use crate::source::Diagnostics;
use crate::syntax::literal;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::Node;

/// What the value stack holds.
#[derive(Copy, Clone, Debug)]
pub(super) enum Slot {
    /// A number or the address of an array.
    Value(Value),
    /// A variable, not yet loaded.
    Variable(Sym),
    /// Part of an array, not yet loaded. Its subscripts are the last ones of `Scratch::indices`.
    Element {
        /// The array.
        base: Value,
        /// Type of the array.
        array: Ty,
        /// Type of the part.
        ty: Ty,
        /// Number of subscripts.
        count: u32,
        /// True while another subscript is computed.
        open: bool,
    },
    /// A comparison, `!`, `&&` or `||`.
    Condition(Condition),
    /// The left side of `&&` or `||`.
    LeftSide(LeftSide),
    /// The left side of an assignment: address and type.
    Target(Value, Scalar),
    /// A function whose arguments follow.
    Call(Sym),
    /// The result of a function without one.
    Nothing,
}

impl Lowering<'_> {
    // ---- The stack ----------------------------------------------------------------------------------------

    pub(super) fn push(&mut self, slot: Slot) {
        self.scratch.stack.push(slot);
    }

    /// The topmost slot. A tree without errors never asks for more than there are.
    pub(super) fn pop(&mut self) -> Slot {
        self.scratch.stack.pop().unwrap_or(Slot::Nothing)
    }

    pub(super) fn pop_value(&mut self) -> Value {
        let slot = self.pop();
        self.value_of(slot)
    }

    /// Pushes an operand that begins here: what stands below it must be computed before.
    fn begin(&mut self, slot: Slot) {
        let settled = match self.scratch.stack.last() {
            Some(&Slot::Condition(condition)) if condition.has_labels() => {
                Some(Slot::Condition(self.settle_condition(condition)))
            }
            Some(&top @ (Slot::Variable(_) | Slot::Element { open: false, .. })) => {
                Some(Slot::Value(self.value_of(top)))
            }
            _ => None,
        };
        if let (Some(settled), Some(top)) = (settled, self.scratch.stack.last_mut()) {
            *top = settled;
        }
        self.push(slot);
    }

    /// The number a slot stands for, or the address of the array.
    pub(super) fn value_of(&mut self, slot: Slot) -> Value {
        match slot {
            Slot::Value(value) => value,
            Slot::Variable(_) | Slot::Element { .. } => {
                let (address, ty) = self.place(slot);
                match ty.as_scalar() {
                    Some(scalar) => self.emit(Op::Load, scalar_type(scalar), &[address], 0),
                    None => address,
                }
            }
            Slot::Condition(condition) => self.int_of(condition),
            _ => Value::undef(Type::I32),
        }
    }

    /// Address and type of a variable or part of one.
    pub(super) fn place(&mut self, slot: Slot) -> (Value, Ty) {
        match slot {
            Slot::Variable(sym) => (self.address(sym), self.input.sema.row(sym).ty),
            Slot::Element { base, array, ty, count, .. } => {
                let shape = self.element_shape(array);
                let first = self.scratch.indices.len() - count as usize;
                self.scratch.args.clear();
                self.scratch.args.push(base);
                self.scratch.args.extend(self.scratch.indices.drain(first..));
                let args = std::mem::take(&mut self.scratch.args);
                let address = self.emit(Op::ElemAddr, Type::Ptr, &args, shape.index() as u32);
                self.scratch.args = args;
                (address, ty)
            }
            _ => (Value::undef(Type::Ptr), Ty::INT),
        }
    }

    /// What the first subscript of an array steps over.
    pub(super) fn element_shape(&mut self, array: Ty) -> Shape {
        match array.view() {
            TyView::Array(scalar, dim) => self.shape_of(self.input.sema.indexed(scalar, dim)),
            _ => self.shape_of(array),
        }
    }

    // ---- Constants and leaves -----------------------------------------------------------------------------

    pub(super) fn constant(&mut self, value: Const) -> Value {
        match value {
            Const::Int(x) => self.body.int(x),
            Const::Float(x) => self.body.f32(x),
        }
    }

    pub(super) fn leaf(&mut self, n: Node) {
        match (self.input.sema.constant(n), self.input.sema.symbol(n)) {
            (Some(value), _) => {
                let value = self.constant(value);
                self.begin(Slot::Value(value));
            }
            (None, Some(sym)) => self.begin(Slot::Variable(sym)),
            (None, None) => self.begin(Slot::Nothing),
        }
    }

    /// Where the row is constant, its value takes the place of what was computed: that had no effect. False elsewhere.
    pub(super) fn replace_by_constant(&mut self, n: Node) -> bool {
        let Some(value) = self.input.sema.constant(n) else { return false };
        self.pop();
        let value = self.constant(value);
        self.push(Slot::Value(value));
        true
    }

    pub(super) fn string(&mut self, n: Node) {
        let Input { file, tokens, tree, .. } = self.input;
        // A warning about an escape was given when the format was checked.
        let mut diags = Diagnostics::default();
        let text = literal::string_literal(file, tokens.span(&file.text, tree.token[n]), &mut diags);
        let shape = self.env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let image = Image::string(&text);
        let address = self.body.request(Request { shape, constant: true, image });
        self.begin(Slot::Value(address));
    }

    // ---- Operators ----------------------------------------------------------------------------------------

    /// A number as another type of number.
    pub(super) fn convert(&mut self, value: Value, to: Scalar) -> Value {
        let from = self.body.type_of(value);
        if from == scalar_type(to) {
            return value;
        }
        let known = match self.body.as_int(value) {
            Some(x) => Some(Const::Int(x as i32)),
            None => self.body.as_f32(value).map(Const::Float),
        };
        match (known, to) {
            (Some(known), _) => self.constant(known.to(to)),
            (None, Scalar::Int) => self.emit(Op::FPToSI, Type::I32, &[value], 0),
            (None, Scalar::Float) => self.emit(Op::SIToFP, Type::F32, &[value], 0),
        }
    }

    pub(super) fn unary(&mut self, n: Node) {
        if self.replace_by_constant(n) {
            return;
        }
        match self.token_kind(n) {
            TokenKind::Not => self.not(),
            op => {
                let mut value = self.pop_value();
                if op == TokenKind::Minus {
                    value = if self.body.type_of(value) == Type::F32 {
                        self.emit(Op::FNeg, Type::F32, &[value], 0)
                    } else {
                        let zero = self.body.int(0);
                        self.emit(Op::Sub, Type::I32, &[zero, value], 0)
                    };
                }
                self.push(Slot::Value(value));
            }
        }
    }

    fn token_kind(&self, n: Node) -> TokenKind {
        self.input.tokens.kind[self.input.tree.token[n]]
    }

    pub(super) fn binary(&mut self, n: Node) {
        if self.input.sema.constant(n).is_some() {
            self.pop();
            self.replace_by_constant(n);
            return;
        }
        let right = self.pop();
        let right = self.value_of(right);
        let left = self.pop_value();
        let is_float = [left, right].iter().any(|&v| self.body.type_of(v) == Type::F32);
        let common = if is_float { Scalar::Float } else { Scalar::Int };
        let mut args = [self.convert(left, common), self.convert(right, common)];
        let op = self.token_kind(n);
        // Constants stand on the right, where the order makes no difference to the value.
        let turned = args[0].is_number() && !args[1].is_number();
        if let Some((mut int, mut float)) = comparison(op) {
            if turned {
                args.swap(0, 1);
                (int, float) = (int.swapped(), float.swapped());
            }
            let value = if is_float {
                self.emit(Op::FCmp, Type::I1, &args, float as u32)
            } else {
                self.emit(Op::ICmp, Type::I1, &args, int as u32)
            };
            return self.push(Slot::Condition(Condition::of(value)));
        }
        let op = arithmetic(op, is_float);
        if turned && op.has(COMMUTATIVE) {
            args.swap(0, 1);
        }
        let value = self.emit(op, scalar_type(common), &args, 0);
        self.push(Slot::Value(value));
    }

    // ---- Subscripts ---------------------------------------------------------------------------------------

    /// The array is complete, a subscript follows.
    pub(super) fn index_start(&mut self) {
        let slot = match self.pop() {
            Slot::Variable(sym) => {
                let (base, array) = (self.address(sym), self.input.sema.row(sym).ty);
                Slot::Element { base, array, ty: array, count: 0, open: true }
            }
            Slot::Element { base, array, ty, count, .. } => {
                Slot::Element { base, array, ty, count, open: true }
            }
            other => other,
        };
        self.push(slot);
    }

    pub(super) fn index(&mut self, n: Node) {
        let subscript = self.pop_value();
        let Slot::Element { base, array, ty, count, .. } = self.pop() else { return };
        self.scratch.indices.push(subscript);
        let count = count + 1;
        if let Some(value) = self.input.sema.constant(n) {
            let rest = self.scratch.indices.len() - count as usize;
            self.scratch.indices.truncate(rest);
            let value = self.constant(value);
            return self.push(Slot::Value(value));
        }
        let ty = match ty.view() {
            TyView::Array(scalar, dim) => self.input.sema.indexed(scalar, dim),
            _ => ty,
        };
        self.push(Slot::Element { base, array, ty, count, open: false });
    }

    // ---- Calls --------------------------------------------------------------------------------------------

    pub(super) fn call_start(&mut self, n: Node) {
        let slot = self.input.sema.symbol(n).map_or(Slot::Nothing, Slot::Call);
        self.begin(slot);
        self.scratch.calls.push(self.scratch.stack.len() - 1);
    }

    pub(super) fn call(&mut self, n: Node) {
        // The last argument may still have to be loaded; the others were when their successors began.
        let Some(first) = self.scratch.calls.pop() else { return };
        let Slot::Call(sym) = self.scratch.stack[first] else { return };
        let symbol = self.input.sema.row(sym);
        let count = self.scratch.stack.len() - first - 1;
        let mut args = Vec::with_capacity(count);
        for k in 0..count {
            let value = self.value_of(self.scratch.stack[first + 1 + k]);
            let value = if k < self.input.sema.params(sym) {
                match self.input.sema.param_ty(sym, k).as_scalar() {
                    Some(scalar) => self.convert(value, scalar),
                    None => value,
                }
            } else {
                self.widened(value)
            };
            args.push(value);
        }
        self.scratch.stack.truncate(first);
        if symbol.kind == SymbolKind::RuntimeFunc {
            let row = &self.input.sema.shared.library.functions[symbol.data as usize];
            if row.passes_line {
                let line = self.input.file.line(self.input.offset(self.input.tree.first(n)));
                args.push(self.body.int(line as i32));
            }
            if row.meaning != Meaning::Call {
                let slot = self.intrinsic(row.meaning, &args);
                return self.push(slot);
            }
        }
        let func = self.links.func(sym);
        let result = self.env.funcs[func].result;
        let value = self.emit(Op::Call, result, &args, func.index() as u32);
        self.push(if result == Type::Void { Slot::Nothing } else { Slot::Value(value) });
    }

    /// A number as C passes it where no parameter is declared.
    fn widened(&mut self, value: Value) -> Value {
        match self.body.as_f32(value) {
            Some(x) => self.body.f64(f64::from(x)),
            None if self.body.type_of(value) == Type::F32 => self.emit(Op::FPExt, Type::F64, &[value], 0),
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
