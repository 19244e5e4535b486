//! Expressions: a stack of slots, and what each row does to it.
//!
//! A variable whose value is not known, or an element of an array, is loaded where it stands, so that operands are evaluated
//! from left to right, unless the row after it says that an assignment, a subscript or a call wants its address.
//! `a[i][j]` is one address instruction with all subscripts, so that the dimensions stay visible: the first
//! one steps over the parts of the outermost dimension, which is the same for arrays and for parameters. A
//! condition that left early is settled when the next operand begins.

use super::Input;
use super::checks::Checks;
use super::function::Lowering;
use super::globals::{scalar_type, value_type};
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::{FloatPred, Image, IntPred, Op, Shape, Type, Value};
use crate::sema::runtime::Meaning;
use crate::sema::{Class, Const, Dim, Scalar, Sym, SymbolKind, TyView};
use crate::source::Diagnostics;
use crate::syntax::literal;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::NodeKind;

/// What the value stack holds.
#[derive(Copy, Clone, Debug)]
pub(super) enum Slot {
    /// A number or the address of an array, with its type.
    Value(Value, Type),
    /// An i1: what a comparison says, or if true its opposite.
    Truth(Value, bool),
    /// A condition that may have been decided on the way here: a row of `Scratch::conditions`.
    Labelled(u32),
    /// The left side of `&&` or `||`: a row of `Scratch::sides`.
    LeftSide(u32),
    /// The left side of an assignment: address and type.
    Target(Value, Type),
    /// A function whose arguments follow.
    Call(Sym),
    /// A tensor that is to be computed: a row of `Tensors::parts`.
    Tensor(u32),
    /// The result of a function without one.
    Nothing,
}

const _: () = assert!(size_of::<Slot>() == 8);

/// Part of an array whose subscript follows. Those so far are the last ones of `Scratch::indices`.
#[derive(Copy, Clone, Debug)]
pub(super) struct Access {
    /// The array.
    array: Sym,
    /// Its outermost dimension.
    dim: Dim,
    /// How many dimensions it has.
    rank: u32,
    /// Its first subscript in `Scratch::indices`.
    first: u32,
    element: Scalar,
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

    /// The topmost slot is not the last that is used: what it stands for must be computed before.
    #[inline(always)]
    pub(super) fn begin(&mut self) {
        if self.unsettled {
            self.settle();
        }
    }

    /// The number a slot stands for, or the address of the array.
    #[inline(never)]
    pub(super) fn value_of(&mut self, slot: Slot) -> (Value, Type) {
        if let Slot::Value(value, ty) = slot {
            return (value, ty);
        }
        if let Slot::Tensor(k) = slot {
            return (self.tensor_address(k), Type::Ptr);
        }
        (self.int_of_slot(slot).unwrap_or(Value::undef(Type::I32)), Type::I32)
    }

    // ---- Constants and leaves -----------------------------------------------------------------------------

    fn constant(&mut self, value: Const) -> Slot {
        match value {
            Const::Int(x) => Slot::Value(self.body.int(x), Type::I32),
            Const::Float(x) => Slot::Value(self.body.f32(x), Type::F32),
        }
    }

    #[inline(always)]
    pub(super) fn int(&mut self, x: i32) {
        self.begin();
        let value = self.body.int(x);
        self.push(Slot::Value(value, Type::I32));
    }

    pub(super) fn float(&mut self, x: f32) {
        self.begin();
        let value = self.body.f32(x);
        self.push(Slot::Value(value, Type::F32));
    }

    pub(super) fn no_leaf(&mut self) {
        self.begin();
        self.push(Slot::Nothing);
    }

    /// A number in memory.
    #[inline(always)]
    pub(super) fn variable<const FOLLOWS: bool>(&mut self, sym: Sym, class: Class, next: NodeKind) {
        self.begin();
        let ty = if class == Class::IntVariable { Type::I32 } else { Type::F32 };
        let address = self.scratch.addresses[sym];
        let slot = match next {
            NodeKind::AssignStart => Slot::Target(address, ty),
            NodeKind::ExprStmt => Slot::Nothing,
            _ if FOLLOWS => Slot::Value(self.read(address, ty), ty),
            _ => Slot::Value(self.emit_here(Op::Load, ty, [address], 0), ty),
        };
        self.push(slot);
    }

    /// The same where it is checked that the variable has a value.
    #[inline(never)]
    pub(super) fn checked_variable(&mut self, sym: Sym, class: Class, next: NodeKind) {
        if self.input.checks.has(Checks::MEMORY)
            && !matches!(next, NodeKind::AssignStart | NodeKind::ExprStmt)
        {
            self.begin();
            self.check_value(self.scratch.addresses[sym]);
        }
        self.variable::<false>(sym, class, next);
    }

    /// An array, or a constant.
    #[inline(always)]
    pub(super) fn name(&mut self, sym: Sym, next: NodeKind) {
        self.begin();
        let symbol = self.input.sema.row(sym);
        if let (NodeKind::IndexStart, TyView::Array(element, dim)) = (next, symbol.ty.view()) {
            let (rank, first) = (self.input.sema.dim(dim).rank, self.scratch.indices.len() as u32);
            self.scratch.accesses.push(Access { array: sym, dim, rank, first, element });
        } else {
            self.other_name(sym, next);
        }
    }

    #[inline(never)]
    fn other_name(&mut self, sym: Sym, next: NodeKind) {
        let symbol = self.input.sema.row(sym);
        let ty = value_type(symbol.ty);
        let slot = match (symbol.constant(), next) {
            (Some(value), _) => self.constant(value),
            (None, NodeKind::AssignStart) => Slot::Target(self.address(sym), ty),
            (None, NodeKind::ExprStmt) => Slot::Nothing,
            (None, _) => {
                let address = self.address(sym);
                if self.input.checks.has(Checks::OF_ARRAYS) {
                    self.note_rest(address, sym, self.scratch.indices.len());
                }
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
        Slot::Value(self.emit_here(Op::Load, ty, [address], 0), ty)
    }

    /// The row is constant: its value takes the place of what was computed, which had no effect.
    #[inline(never)]
    pub(super) fn replace_by_constant(&mut self, operands: usize) {
        if self.input.checks != Checks::NONE {
            self.check_constant(self.token_kind(), operands);
        }
        for _ in 0..operands {
            self.pop();
        }
        let slot = self.input.sema.constant(self.row).map_or(Slot::Nothing, |value| self.constant(value));
        self.push(slot);
    }

    #[inline(never)]
    pub(super) fn string(&mut self) {
        self.begin();
        let Input { file, tokens, tree, .. } = self.input;
        // A warning about an escape was given when the format was checked.
        let mut diags = Diagnostics::default();
        let text = literal::string_literal(file, tokens.span(&file.text, tree.token[self.row]), &mut diags);
        let shape = self.env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let image = Image::string(&text);
        let address = self.body.request(Request::new(shape, true, image));
        self.push(Slot::Value(address, Type::Ptr));
    }

    // ---- Operators ----------------------------------------------------------------------------------------

    /// A number as another type of number.
    #[inline(always)]
    pub(super) fn convert(&mut self, value: Value, from: Type, to: Type) -> Value {
        if from == to { value } else { self.converted(value, to) }
    }

    #[inline(never)]
    fn converted(&mut self, value: Value, to: Type) -> Value {
        let known = match self.body.as_int(value) {
            Some(x) => Some(Const::Int(x as i32)),
            None => self.body.as_f32(value).map(Const::Float),
        };
        match (known, to) {
            (Some(known), Type::I32) => {
                if self.input.checks != Checks::NONE {
                    self.check_conversion(value);
                }
                self.body.int(known.to(Scalar::Int).bits() as i32)
            }
            (Some(known), Type::F32) => self.body.f32(f32::from_bits(known.to(Scalar::Float).bits())),
            (None, Type::I32) => {
                if self.input.checks != Checks::NONE {
                    self.check_conversion(value);
                }
                self.emit(Op::FPToSI, Type::I32, [value], 0)
            }
            (None, Type::F32) => self.emit(Op::SIToFP, Type::F32, [value], 0),
            _ => value,
        }
    }

    #[inline(never)]
    pub(super) fn unary(&mut self) {
        match self.token_kind() {
            TokenKind::Not => self.not(),
            op => {
                let (mut value, ty) = self.pop_value();
                if op == TokenKind::Minus {
                    value = self.negated(value, ty);
                }
                self.push(Slot::Value(value, ty));
            }
        }
    }

    pub(super) fn negated(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::F32 {
            return self.emit(Op::FNeg, Type::F32, [value], 0);
        }
        if self.input.checks != Checks::NONE {
            self.check_negation(value);
        }
        let zero = self.body.int(0);
        self.emit(Op::Sub, Type::I32, [zero, value], 0)
    }

    /// An operator on two numbers of one type, of a row that is not at hand.
    pub(super) fn arithmetic(&mut self, op: TokenKind, left: Value, right: Value, ty: Type) -> Value {
        if self.input.checks != Checks::NONE
            && ty == Type::I32
            && let Some(value) = self.checked(op, left, right)
        {
            return value;
        }
        let operator = operator(op, ty == Type::F32);
        let turns = left.is_number() && !right.is_number() && operator.turns;
        let args = if turns { [right, left] } else { [left, right] };
        self.emit(operator.op, ty, args, 0)
    }

    #[inline(always)]
    pub(super) fn token_kind(&self) -> TokenKind {
        self.input.tokens.kind[self.input.tree.token[self.row]]
    }

    #[inline(always)]
    pub(super) fn binary<const CHECKED: bool>(&mut self) {
        let (mut right, right_ty) = self.pop_value();
        let (mut left, left_ty) = self.pop_value();
        let is_float = left_ty == Type::F32 || right_ty == Type::F32;
        let ty = if is_float { Type::F32 } else { Type::I32 };
        (left, right) = (self.convert(left, left_ty, ty), self.convert(right, right_ty, ty));
        if CHECKED
            && !is_float
            && let Some(value) = self.checked(self.token_kind(), left, right)
        {
            return self.push(Slot::Value(value, ty));
        }
        let operator = operator(self.token_kind(), is_float);
        // Constants stand on the right, where the order makes no difference to the value.
        let mut payload = operator.payload;
        if left.is_number() && !right.is_number() && operator.turns {
            (left, right) = (right, left);
            payload = operator.turned;
        }
        let (op, is_comparison) = (operator.op, operator.is_comparison);
        let result = if is_comparison { Type::I1 } else { ty };
        let value = self.emit_here(op, result, [left, right], u32::from(payload));
        self.push(if is_comparison { Slot::Truth(value, false) } else { Slot::Value(value, ty) });
    }

    // ---- Subscripts ---------------------------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn index<const CHECKED: bool>(&mut self, next: NodeKind) {
        let (subscript, _) = self.pop_value();
        if CHECKED {
            self.check_index(subscript, next);
        }
        self.scratch.indices.push(subscript);
        if next == NodeKind::IndexStart {
            return;
        }
        let Some(access) = self.scratch.accesses.pop() else { return };
        let first = access.first as usize;
        let slot = if next == NodeKind::ExprStmt {
            Slot::Nothing
        } else {
            let address = self.element(access);
            let is_part = self.scratch.indices.len() - first < access.rank as usize;
            let ty = if is_part { Type::Ptr } else { scalar_type(access.element) };
            if CHECKED {
                self.check_element(address, (access.array, first), is_part, next);
            }
            if next == NodeKind::AssignStart { Slot::Target(address, ty) } else { self.loaded(address, ty) }
        };
        self.scratch.indices.truncate(first);
        self.push(slot);
    }

    /// The next subscript of the open access is complete.
    #[cold]
    #[inline(never)]
    fn check_index(&mut self, subscript: Value, next: NodeKind) {
        let Some(&Access { array, dim, rank, first, element }) = self.scratch.accesses.last() else { return };
        let k = self.scratch.indices.len() - first as usize;
        let is_part = next != NodeKind::IndexStart && k + 1 < rank as usize;
        self.check_subscript(array, (element, Dim::new(dim.index() + k)), subscript, is_part);
    }

    /// The address of an element, or of a part, is known.
    #[cold]
    #[inline(never)]
    fn check_element(&mut self, address: Value, (array, first): (Sym, usize), is_part: bool, next: NodeKind) {
        if is_part && self.input.checks.has(Checks::OF_ARRAYS) {
            self.note_rest(address, array, first);
        }
        if self.input.checks.has(Checks::MEMORY) {
            self.note_part(address, array, first, is_part);
            if next != NodeKind::AssignStart {
                self.check_value(address);
            }
        }
    }

    /// An element whose value is known: its subscripts were constant.
    #[inline(never)]
    pub(super) fn constant_element(&mut self) {
        if let Some(access) = self.scratch.accesses.pop() {
            self.scratch.indices.truncate(access.first as usize);
        }
        self.replace_by_constant(1);
    }

    /// The address of part of an array.
    #[inline(always)]
    fn element(&mut self, access: Access) -> Value {
        let Access { array, dim, rank, first, element } = access;
        let shape = self.step_shape(element, dim, rank).index() as u32;
        let base = self.address(array);
        match self.scratch.indices[first as usize..] {
            [x] => self.emit_here(Op::ElemAddr, Type::Ptr, [base, x], shape),
            [x, y] => self.emit_here(Op::ElemAddr, Type::Ptr, [base, x, y], shape),
            _ => self.deep_element(base, first as usize, shape),
        }
    }

    /// The address of an element, whose subscripts are the last ones of `Scratch::indices`.
    #[inline(never)]
    pub(super) fn deep_element(&mut self, base: Value, first: usize, shape: u32) -> Value {
        let mut args = std::mem::take(&mut self.scratch.args);
        args.clear();
        args.push(base);
        args.extend_from_slice(&self.scratch.indices[first..]);
        let inst = self.body.append_all(self.current, Op::ElemAddr, Type::Ptr, &args, shape, self.place());
        self.scratch.args = args;
        Value::inst(inst)
    }

    /// What the first subscript of an array steps over.
    #[inline(always)]
    pub(super) fn step_shape(&mut self, element: Scalar, dim: Dim, rank: u32) -> Shape {
        if rank <= 1 {
            return Shape::scalar(scalar_type(element));
        }
        self.array_shape(element, Dim::new(dim.index() + 1))
    }

    // ---- Calls --------------------------------------------------------------------------------------------

    #[inline(always)]
    pub(super) fn call_start(&mut self, callee: Sym) {
        self.begin();
        self.scratch.calls.push(self.scratch.stack.len());
        self.push(Slot::Call(callee));
    }

    /// A call; with the address where the tensor goes that the function returns, if it does.
    #[inline(never)]
    pub(super) fn call(&mut self, result_address: Option<Value>) {
        // Earlier arguments are converted behind the last one, where control must have come together.
        self.begin();
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
            let (value, from) = match self.scratch.stack[k] {
                Slot::Value(value, ty) => (value, ty),
                slot => self.value_of(slot),
            };
            let value = match callee.params.get(k - first - 1) {
                Some(&to) => self.convert(value, from, to),
                None => self.widened(value, from),
            };
            self.scratch.args.push(value);
        }
        if row.is_some_and(|row| row.passes_line) {
            let line = self.input.file.line(self.input.offset(self.input.tree.first(self.row)));
            let line = self.body.int(line as i32);
            self.scratch.args.push(line);
        }
        if self.scratch.tensors.is_open() {
            self.end_arguments(first, row.is_some());
        }
        self.scratch.args.extend(result_address);
        self.scratch.stack.truncate(first);
        if self.input.checks.has(Checks::OF_ARRAYS) {
            match row {
                Some(row) => {
                    if let Some(count) = self.check_transfer(row.name) {
                        return self.push(Slot::Value(count, Type::I32));
                    }
                }
                None => self.pass_lengths(sym),
            }
            if self.scratch.calls.is_empty() {
                self.scratch.texts.rests.clear();
            }
        }
        if self.input.checks.has(Checks::STACK) && symbol.kind != SymbolKind::RuntimeFunc {
            self.check_call(sym);
            self.note_call(true);
        }
        let args = &self.scratch.args;
        let result = callee.result;
        let inst =
            self.body.append_all(self.current, Op::Call, result, args, func.index() as u32, self.place());
        if self.input.checks.has(Checks::STACK) && symbol.kind != SymbolKind::RuntimeFunc {
            self.note_call(false);
        }
        if self.input.checks.has(Checks::MEMORY) && row.is_none() {
            self.check_result_of(sym);
        }
        self.push(if result == Type::Void { Slot::Nothing } else { Slot::Value(Value::inst(inst), result) });
    }

    fn call_intrinsic(&mut self, sym: Sym, meaning: Meaning, first: usize) {
        let sema = self.input.sema;
        let mut args = Vec::new();
        for (k, at) in (first + 1..self.scratch.stack.len()).enumerate() {
            let (value, from) = self.value_of(self.scratch.stack[at]);
            args.push(self.convert(value, from, value_type(sema.param_ty(sym, k))));
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

/// What an operator of the language is in IR.
#[derive(Copy, Clone)]
struct Operator {
    op: Op,
    /// The predicate of a comparison, and that for operands that have changed places.
    payload: u8,
    turned: u8,
    /// Its operands may change places.
    turns: bool,
    is_comparison: bool,
}

impl Operator {
    const fn arithmetic(op: Op, turns: bool) -> Operator {
        Operator { op, payload: 0, turned: 0, turns, is_comparison: false }
    }

    const fn comparison(op: Op, payload: u8, turned: u8) -> Operator {
        Operator { op, payload, turned, turns: true, is_comparison: true }
    }

    const fn of_ints(pred: IntPred, turned: IntPred) -> Operator {
        Operator::comparison(Op::ICmp, pred as u8, turned as u8)
    }

    const fn of_floats(pred: FloatPred, turned: FloatPred) -> Operator {
        Operator::comparison(Op::FCmp, pred as u8, turned as u8)
    }
}

/// Kinds of tokens, and room to spare: a mask keeps any of them in the table.
const TOKENS: usize = 64;

/// Per operator: what it is on ints, and on floats.
static OPERATORS: [[Operator; 2]; TOKENS] = {
    let mut rows = [[Operator::arithmetic(Op::SRem, false), Operator::arithmetic(Op::FDiv, false)]; TOKENS];
    let arithmetic = [
        (TokenKind::Plus, Op::Add, Op::FAdd, true),
        (TokenKind::Minus, Op::Sub, Op::FSub, false),
        (TokenKind::Star, Op::Mul, Op::FMul, true),
        (TokenKind::Slash, Op::SDiv, Op::FDiv, false),
    ];
    let mut k = 0;
    while k < arithmetic.len() {
        let (token, int, float, turns) = arithmetic[k];
        rows[token as usize] = [Operator::arithmetic(int, turns), Operator::arithmetic(float, turns)];
        k += 1;
    }
    let comparisons = [
        (TokenKind::Less, IntPred::Slt, IntPred::Sgt, FloatPred::Olt, FloatPred::Ogt),
        (TokenKind::LessEq, IntPred::Sle, IntPred::Sge, FloatPred::Ole, FloatPred::Oge),
        (TokenKind::Greater, IntPred::Sgt, IntPred::Slt, FloatPred::Ogt, FloatPred::Olt),
        (TokenKind::GreaterEq, IntPred::Sge, IntPred::Sle, FloatPred::Oge, FloatPred::Ole),
        (TokenKind::EqEq, IntPred::Eq, IntPred::Eq, FloatPred::Oeq, FloatPred::Oeq),
        (TokenKind::NotEq, IntPred::Ne, IntPred::Ne, FloatPred::Une, FloatPred::Une),
    ];
    let mut k = 0;
    while k < comparisons.len() {
        let (token, int, int_turned, float, float_turned) = comparisons[k];
        rows[token as usize] = [Operator::of_ints(int, int_turned), Operator::of_floats(float, float_turned)];
        k += 1;
    }
    rows
};

#[inline(always)]
fn operator(token: TokenKind, is_float: bool) -> Operator {
    OPERATORS[token as usize & (TOKENS - 1)][usize::from(is_float)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Number, fold};
    use crate::sema::fold::{binary, is_comparison, unary};

    /// The front end folds before there is IR (lengths of arrays), and the IR folds what passes find.
    #[test]
    fn the_front_end_folds_as_the_ir_does() {
        use TokenKind::{
            EqEq, Greater, GreaterEq, Less, LessEq, Minus, Not, NotEq, Percent, Plus, Slash, Star,
        };
        let ints = [0, 1, -1, 2, 7, -7, 31, 65_536, i32::MAX, i32::MIN, i32::MIN + 1];
        let floats = [0.0, -0.0, 1.0, -1.5, 1e-45, 16_777_217.0, 3e38, -3e38, f32::INFINITY, f32::NAN];
        let constants: Vec<Const> =
            ints.map(Const::Int).into_iter().chain(floats.map(Const::Float)).collect();
        let number = |value: Const| match value {
            Const::Int(x) => Number::int(Type::I32, x.into()),
            Const::Float(x) => Number::f32(x),
        };
        for (a, b) in constants.iter().flat_map(|&a| constants.iter().map(move |&b| (a, b))) {
            let common = crate::sema::fold::common(a.scalar(), b.scalar());
            let (is_float, args) = (common == Scalar::Float, [number(a.to(common)), number(b.to(common))]);
            for token in [Plus, Minus, Star, Slash, Percent, Less, LessEq, Greater, GreaterEq, EqEq, NotEq] {
                let Operator { op, payload, .. } = operator(token, is_float);
                let ty = if is_comparison(token) { Type::I1 } else { args[0].ty };
                let (ours, theirs) = (binary(token, a, b), fold(op, ty, payload.into(), &args));
                match (ours, theirs) {
                    (Some(x), Some(y)) => {
                        assert_eq!(u64::from(x.bits()), y.bits & 0xffff_ffff, "{a:?} {token:?} {b:?}")
                    }
                    // Of a NaN the IR says nothing: machines differ.
                    (Some(Const::Float(_)), None) => assert!(args.iter().any(|x| x.float().is_nan())),
                    (None, None) => assert!(token == Percent && is_float || matches!(b, Const::Int(0))),
                    _ => assert!(token == Percent && is_float, "{a:?} {token:?} {b:?}: {ours:?} {theirs:?}"),
                }
            }
        }
        for a in constants {
            for (to, op, ty) in [(Scalar::Int, Op::FPToSI, Type::I32), (Scalar::Float, Op::SIToFP, Type::F32)]
            {
                if a.scalar() != to {
                    assert_eq!(fold(op, ty, 0, &[number(a)]), Some(number(a.to(to))), "{a:?}");
                }
            }
            let (zero, minus) = (Number::zero(Type::I32), unary(Minus, a));
            let negated = match a {
                Const::Int(_) => fold(Op::Sub, Type::I32, 0, &[zero, number(a)]),
                Const::Float(_) => fold(Op::FNeg, Type::F32, 0, &[number(a)]),
            };
            assert!(negated.is_none_or(|negated| negated == number(minus)), "{a:?}");
            assert_eq!(unary(Not, a), Const::Int(i32::from(!a.is_true())));
        }
    }
}
