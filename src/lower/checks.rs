//! Checks of what a program may not do, where it is compiled with them (`-fsanitize=`): a comparison and a branch
//! in front of the operation, plain IR that passes may prove away.
//!
//! A check leads to a block of its own at the end of the function, which calls `sysy.fault` with a format, the
//! place and two numbers. That function is part of each object (`faults`), says what happened as clang's and gcc's
//! sanitizers do, and ends the program. It calls `fflush`, `dprintf` and `_Exit`, which a C library has and ours,
//! too: so an object goes with either.
//!
//! | operation | fails if |
//! | --- | --- |
//! | x + c, x - c, c - x | x is greater, or less, than what is still right |
//! | a + b | the sum has another sign than both |
//! | a - b | a and b have other signs, and the difference another one than a |
//! | x * c | x - lo > hi - lo, without signs, of what is still right |
//! | a * b | the upper half is not the sign of the lower one |
//! | a / b, a % b | b + 1 < 2, without signs, and then b is 0, or a the least number |
//! | a[i] | i >= the extent, or of a parameter the length that was passed (`lengths`), without signs |
//! | x | the word beside x is 0 (`values`) |
//! | a[i] | the byte of the element in the shadow of a is 0 (`elements`) |
//! | f(...), used | f ended without `return` (`values`) |
//! | int of x | not -2^31 <= x < 2^31 |
//! | f(...) | the caller's frame, less the bytes of the arrays of f (`sysy.frames`), is lower than `sysy.limit` |
//!
//! `sysy.limit` is half a megabyte above the end of the stack: room for what a checked call leads to before the next
//! check. It is not known at first, and holds its own address then, so that the first check asks `getrlimit`, which
//! a C library has and ours, too; what was on the stack before that is taken to be little. Where there is no limit,
//! it becomes an address that no stack is below. (Programs that are interpreted have no such checks: the interpreter finds
//! the end itself.) What `main` has for itself is looked at before it is entered: the `main` of the source has another name
//! (`BODY`), and a function called `main` asks for the limit, looks, and calls it. That one is made behind all passes.
//!
//! O(1) for each operation. Texts are kept for a function by kind, and by dimension.

mod elements;
mod faults;
pub(super) mod lengths;
mod stack;
mod values;

use super::expression::Slot;
use super::function::Lowering;
use crate::base::{Column, Handle};
use crate::ir::draft::{Draft, Room};
use crate::ir::module::Request;
use crate::ir::{
    Block, Body, Env, FloatPred, FuncId, GlobalId, Image, Inst, IntPred, Op, Place, Shape, Type, Value,
};
use crate::sema::{Dim, Scalar, Sym, SymbolKind};
use crate::source::file::ColumnCursor;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::NodeKind;
use std::sync::atomic::Ordering;

pub(super) use faults::{BODY, Faults, MAIN, declare};
pub use faults::{CALLED_BY_CHECKS, faults};

use elements::Shadow;
use values::Word;

/// A set of checks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks(u8);

impl Checks {
    /// None.
    pub const NONE: Checks = Checks(0);
    /// Subscripts outside of their dimension.
    pub const BOUNDS: Checks = Checks(1);
    /// Sums, differences and products that are no `int`, and negations.
    pub const OVERFLOW: Checks = Checks(2);
    /// Quotients and remainders by zero, and those of the least number by -1.
    pub const DIVISION: Checks = Checks(4);
    /// Floats as ints that they are too large for.
    pub const CONVERSION: Checks = Checks(8);
    /// Calls that the stack has no room for.
    pub const STACK: Checks = Checks(16);
    /// Variables and elements that are read without a value.
    pub const MEMORY: Checks = Checks(32);
    /// No check: all that calls a function of the program, or is called by it, is compiled with these ones, too.
    pub const SHARED: Checks = Checks(64);
    /// What needs to know of arrays that are passed more than where they are.
    pub const OF_ARRAYS: Checks = Checks::BOUNDS.with(Checks::MEMORY);

    /// What is in either.
    #[must_use]
    pub const fn with(self, other: Checks) -> Checks {
        Checks(self.0 | other.0)
    }

    /// What is here and not there.
    #[must_use]
    pub const fn without(self, other: Checks) -> Checks {
        Checks(self.0 & !other.0)
    }

    /// As a number, which files of counts have.
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// The set of that number; all of them if it is of more than there are.
    pub fn from_bits(bits: u32) -> Checks {
        Checks(u8::try_from(bits).unwrap_or(u8::MAX))
    }

    /// True if some of `other` is here.
    #[inline(always)]
    pub const fn has(self, other: Checks) -> bool {
        self.0 & other.0 != 0
    }
}

/// What can be wrong.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Fault {
    Sum,
    Difference,
    Product,
    Negation,
    Quotient,
    Zero,
    Conversion,
    /// A subscript of the array from this dimension on.
    Index(Scalar, Dim),
    /// A subscript of this parameter, whose length is the second number.
    Parameter(Sym),
    /// This variable has no value, or an element of it.
    Value(Sym),
    /// An element of this array that is written to the output has none.
    Output(Sym),
    /// This function ended without `return`, and its result is used.
    Result(Sym),
    /// More elements are written, or read, than there are.
    Written,
    Read,
    /// A call of this function finds no room, or its own variables do not.
    Stack(Sym),
}

impl Fault {
    const KINDS: [&'static str; 9] = [
        "signed integer overflow: %d + %d cannot be represented in type 'int'",
        "signed integer overflow: %d - %d cannot be represented in type 'int'",
        "signed integer overflow: %d * %d cannot be represented in type 'int'",
        "negation of %d cannot be represented in type 'int'",
        "division of %d by %d cannot be represented in type 'int'",
        "division by zero",
        "%g is outside the range of representable values of type 'int'",
        "%d elements are put out of an array that has %d from there on",
        "%d elements are read into an array that has %d from there on",
    ];

    fn kind(self) -> Option<usize> {
        match self {
            Fault::Sum => Some(0),
            Fault::Difference => Some(1),
            Fault::Product => Some(2),
            Fault::Negation => Some(3),
            Fault::Quotient => Some(4),
            Fault::Zero => Some(5),
            Fault::Conversion => Some(6),
            Fault::Written => Some(7),
            Fault::Read => Some(8),
            _ => None,
        }
    }

    /// The symbol that it is about.
    fn symbol(self) -> Option<Sym> {
        match self {
            Fault::Parameter(sym)
            | Fault::Value(sym)
            | Fault::Output(sym)
            | Fault::Result(sym)
            | Fault::Stack(sym) => Some(sym),
            _ => None,
        }
    }
}

/// The texts that a function has asked for.
#[derive(Debug, Default)]
pub(super) struct Texts {
    kinds: [Option<Value>; Fault::KINDS.len()],
    indices: Column<Dim, Option<Value>>,
    /// The dimensions that have one.
    known: Vec<Dim>,
    /// Those about a symbol, each with the one before it of that symbol; and per symbol the last.
    named: Vec<(Fault, Value, Option<u32>)>,
    last: Column<Sym, Option<u32>>,
    /// The lengths of parameters, and of what addresses lead to, in elements.
    pub(super) lengths: Vec<(Sym, Value)>,
    pub(super) rests: Vec<(Value, Value)>,
    /// Per address of a variable or an element that is watched for values: where it says whether it has one.
    words: Column<Inst, Option<Word>>,
    watched: Vec<Inst>,
    /// Per address of an array or a part of one: its shadow.
    shadows: Column<Inst, Option<Shadow>>,
    shaded: Vec<Inst>,
    /// Where the frame of the function at hand is, if calls are checked; and its record of the call that it is in.
    mark: Option<Value>,
    record: Option<Value>,
    columns: ColumnCursor,
}

impl Texts {
    pub(super) fn clear(&mut self) {
        self.kinds = Default::default();
        self.columns = ColumnCursor::default();
        for (fault, ..) in self.named.drain(..) {
            _ = fault.symbol().map(|sym| self.last[sym] = None);
        }
        self.lengths.clear();
        self.rests.clear();
        for address in self.watched.drain(..) {
            self.words[address] = None;
        }
        for address in self.shaded.drain(..) {
            self.shadows[address] = None;
        }
        (self.mark, self.record) = (None, None);
        for dim in self.known.drain(..) {
            self.indices[dim] = None;
        }
    }

    /// The text of a fault that is about a symbol. O(kinds of such).
    fn find(&self, fault: Fault) -> Option<Value> {
        let mut row = self.last.get(fault.symbol()?).copied().flatten();
        while let Some(&(known, value, before)) = row.and_then(|row| self.named.get(row as usize)) {
            if known == fault {
                return Some(value);
            }
            row = before;
        }
        None
    }

    fn add(&mut self, fault: Fault, value: Value) {
        let Some(sym) = fault.symbol() else { return };
        self.last.grow_to(sym.index() + 1, None);
        let before = self.last[sym].replace(self.named.len() as u32);
        self.named.push((fault, value, before));
    }
}

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;

impl Lowering<'_> {
    // ---- Where there are checks ---------------------------------------------------------------------------

    /// Arithmetic on two ints, checked; nothing if there is no check for the operator.
    #[cold]
    #[inline(never)]
    pub(super) fn checked(&mut self, token: TokenKind, a: Value, b: Value) -> Option<Value> {
        let checks = self.input.checks;
        let op = match token {
            TokenKind::Plus => Op::Add,
            TokenKind::Minus => Op::Sub,
            TokenKind::Star => Op::Mul,
            TokenKind::Slash => Op::SDiv,
            TokenKind::Percent => Op::SRem,
            _ => return None,
        };
        if matches!(op, Op::SDiv | Op::SRem) {
            self.check_quotient(a, b);
            return Some(self.emit(op, Type::I32, [a, b], 0));
        }
        if !checks.has(Checks::OVERFLOW) {
            return None;
        }
        let fault = match op {
            Op::Add => Fault::Sum,
            Op::Sub => Fault::Difference,
            _ => Fault::Product,
        };
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => self.check_numbers(fault, [x, y], [a, b]),
            (None, Some(c)) => self.check_number((fault, [a, b]), (a, c), op != Op::Sub),
            (Some(c), None) => self.check_number((fault, [a, b]), (b, c), true),
            (None, None) => return Some(self.check_result(op, fault, [a, b])),
        }
        // Constants stand on the right, as elsewhere.
        let args = if self.number(a).is_some() && op != Op::Sub { [b, a] } else { [a, b] };
        Some(self.emit(op, Type::I32, args, 0))
    }

    /// The operands of an operation whose result the front end knows are on top of the stack: it wraps, and has
    /// warned.
    #[cold]
    #[inline(never)]
    pub(super) fn check_constant(&mut self, token: TokenKind, operands: usize) {
        if !self.input.checks.has(Checks::OVERFLOW) {
            return;
        }
        let int = |slot: Option<&Slot>| match slot {
            Some(&Slot::Value(v, Type::I32)) => self.number(v).map(|x| (x, v)),
            _ => None,
        };
        let mut slots = self.scratch.stack.iter().rev();
        let (last, before) = (int(slots.next()), int(slots.next()));
        match (token, operands, before, last) {
            (TokenKind::Minus, 1, _, Some((_, x))) if !self.negates_literal() => self.check_negation(x),
            (TokenKind::Plus, 2, Some((x, a)), Some((y, b))) => {
                self.check_numbers(Fault::Sum, [x, y], [a, b])
            }
            (TokenKind::Minus, 2, Some((x, a)), Some((y, b))) => {
                self.check_numbers(Fault::Difference, [x, y], [a, b]);
            }
            (TokenKind::Star, 2, Some((x, a)), Some((y, b))) => {
                self.check_numbers(Fault::Product, [x, y], [a, b])
            }
            (TokenKind::Slash | TokenKind::Percent, 2, Some((LEAST, a)), Some((-1, b))) => {
                self.stop(Fault::Quotient, [a, b]);
            }
            _ => {}
        }
    }

    /// True for the sign of a literal: 2147483648 is one only for this.
    fn negates_literal(&self) -> bool {
        let kinds = &self.input.tree.kind.as_slice()[..self.row.index()];
        kinds.iter().rev().find(|&&kind| kind != NodeKind::Paren) == Some(&NodeKind::IntLiteral)
    }

    fn check_numbers(&mut self, fault: Fault, [x, y]: [i64; 2], shown: [Value; 2]) {
        let result = match fault {
            Fault::Sum => x + y,
            Fault::Difference => x - y,
            _ => x * y,
        };
        if !(LEAST..=MOST).contains(&result) {
            self.stop(fault, shown);
        }
    }

    fn number(&self, v: Value) -> Option<i64> {
        if v.as_inst().is_some() { None } else { self.body.as_int(v) }
    }

    /// `x` and a number, which is what `is_turned` says: `x + c`, `c - x` and `x * c`, or `x - c`.
    fn check_number(&mut self, (fault, shown): (Fault, [Value; 2]), (x, c): (Value, i64), is_turned: bool) {
        let one_end = match (fault, is_turned) {
            (Fault::Sum, _) if c >= 0 => (IntPred::Sgt, MOST - c),
            (Fault::Sum, _) => (IntPred::Slt, LEAST - c),
            (Fault::Difference, false) if c >= 0 => (IntPred::Slt, LEAST + c),
            (Fault::Difference, false) => (IntPred::Sgt, MOST + c),
            (Fault::Difference, true) if c >= 0 => (IntPred::Slt, c - MOST),
            (Fault::Difference, true) => (IntPred::Sgt, c - LEAST),
            _ if c == -1 => (IntPred::Eq, LEAST),
            _ => {
                if c != 0 && c != 1 {
                    // What of x is still right: from one to the other.
                    let (low, high) = if c > 0 { (LEAST / c, MOST / c) } else { (MOST / c, LEAST / c) };
                    let minus_low = self.body.int(-low as i32);
                    let above = self.emit(Op::Add, Type::I32, [x, minus_low], 0);
                    let fails = self.compare(IntPred::Ugt, above, high - low);
                    self.stop_if(fails, fault, shown);
                }
                return;
            }
        };
        let (pred, bound) = one_end;
        let is_never = pred == IntPred::Sgt && bound == MOST || pred == IntPred::Slt && bound == LEAST;
        if !is_never {
            let fails = self.compare(pred, x, bound);
            self.stop_if(fails, fault, shown);
        }
    }

    /// The result of two ints that are not known, checked by what it is.
    fn check_result(&mut self, op: Op, fault: Fault, [a, b]: [Value; 2]) -> Value {
        let result = self.emit(op, Type::I32, [a, b], 0);
        let fails = if op == Op::Mul {
            let high = self.emit(Op::SMulHi, Type::I32, [a, b], 0);
            let bits = self.body.int(31);
            let sign = self.emit(Op::AShr, Type::I32, [result, bits], 0);
            self.emit(Op::ICmp, Type::I1, [high, sign], IntPred::Ne as u32)
        } else {
            let of_a = self.emit(Op::Xor, Type::I32, [a, result], 0);
            let other = if op == Op::Add { result } else { a };
            let of_b = self.emit(Op::Xor, Type::I32, [b, other], 0);
            let both = self.emit(Op::And, Type::I32, [of_a, of_b], 0);
            self.compare(IntPred::Slt, both, 0)
        };
        self.stop_if(fails, fault, [a, b]);
        result
    }

    /// A quotient or a remainder follows.
    fn check_quotient(&mut self, a: Value, b: Value) {
        let by_zero = self.input.checks.has(Checks::DIVISION);
        let is_least = |x: Option<i64>| x.is_none_or(|x| x == LEAST);
        let overflows = self.input.checks.has(Checks::OVERFLOW) && is_least(self.number(a));
        match self.number(b) {
            Some(0) if by_zero => self.stop(Fault::Zero, [a, b]),
            Some(-1) if overflows => {
                let fails = self.compare(IntPred::Eq, a, LEAST);
                self.stop_if(fails, Fault::Quotient, [a, b]);
            }
            Some(_) => {}
            None if overflows => {
                let next = self.body.create_block_apart();
                let special = self.body.create_block();
                let one = self.body.int(1);
                let above = self.emit(Op::Add, Type::I32, [b, one], 0);
                let is_special = self.compare(IntPred::Ult, above, 2);
                let place = self.place();
                self.body.set_cond_br(self.current, is_special, special, next, place);
                self.current = special;
                if by_zero {
                    let fails = self.compare(IntPred::Eq, b, 0);
                    self.stop_if(fails, Fault::Zero, [a, b]);
                }
                let minus_one = self.body.int(-1);
                let by_minus_one = self.emit(Op::ICmp, Type::I1, [b, minus_one], IntPred::Eq as u32);
                let of_least = self.compare(IntPred::Eq, a, LEAST);
                let fails = self.emit(Op::And, Type::I1, [by_minus_one, of_least], 0);
                self.stop_if(fails, Fault::Quotient, [a, b]);
                self.body.set_br(self.current, next, Place::NONE);
                self.start(next);
            }
            None if by_zero => {
                let fails = self.compare(IntPred::Eq, b, 0);
                self.stop_if(fails, Fault::Zero, [a, b]);
            }
            None => {}
        }
    }

    /// `-x` follows, of an int.
    #[cold]
    #[inline(never)]
    pub(super) fn check_negation(&mut self, x: Value) {
        if self.input.checks.has(Checks::OVERFLOW) {
            match self.number(x) {
                None => {
                    let fails = self.compare(IntPred::Eq, x, LEAST);
                    self.stop_if(fails, Fault::Negation, [x, x]);
                }
                Some(LEAST) => self.stop(Fault::Negation, [x, x]),
                Some(_) => {}
            }
        }
    }

    /// A float becomes an int.
    #[cold]
    #[inline(never)]
    pub(super) fn check_conversion(&mut self, x: Value) {
        let known = self.body.as_f32(x);
        if known.is_some_and(|x| !(-2_147_483_648.0..2_147_483_648.0).contains(&x)) {
            if self.input.checks.has(Checks::CONVERSION) {
                self.stop(Fault::Conversion, [x, x]);
            }
        } else if known.is_none() && self.input.checks.has(Checks::CONVERSION) {
            let (low, high) = (self.body.f32(-2_147_483_648.0), self.body.f32(2_147_483_648.0));
            let above = self.emit(Op::FCmp, Type::I1, [x, low], FloatPred::Oge as u32);
            let below = self.emit(Op::FCmp, Type::I1, [x, high], FloatPred::Olt as u32);
            let holds = self.emit(Op::And, Type::I1, [above, below], 0);
            let (cold, next, place) =
                (self.body.create_block(), self.body.create_block_apart(), self.place());
            self.body.set_cond_br(self.current, holds, next, cold, place);
            self.tell(cold, Fault::Conversion, [x, x]);
            self.start(next);
        }
    }

    /// A subscript of the dimension. Of part of an array that is not its element only the address is taken, which
    /// may be that behind the last one.
    #[cold]
    #[inline(never)]
    pub(super) fn check_subscript(
        &mut self,
        array: Sym,
        (scalar, dim): (Scalar, Dim),
        subscript: Value,
        is_part: bool,
    ) {
        let extent = i64::from(self.input.sema.dim(dim).extent);
        if !self.input.checks.has(Checks::BOUNDS) {
            return;
        }
        // The first dimension of a parameter.
        if extent == 0 {
            return self.check_against_length(array, subscript, is_part);
        }
        let most = if is_part { extent } else { extent - 1 };
        let shown = [subscript, subscript];
        match self.number(subscript) {
            Some(x) if !(0..=most).contains(&x) => self.stop(Fault::Index(scalar, dim), shown),
            Some(_) => {}
            None => {
                let fails = self.compare(IntPred::Ugt, subscript, most);
                self.stop_if(fails, Fault::Index(scalar, dim), shown);
            }
        }
    }

    // ---- What they are made of ----------------------------------------------------------------------------

    fn compare(&mut self, pred: IntPred, a: Value, b: i64) -> Value {
        let b = self.body.int(b as i32);
        self.emit(Op::ICmp, Type::I1, [a, b], pred as u32)
    }

    /// Goes on where it does not fail.
    fn stop_if(&mut self, fails: Value, fault: Fault, shown: [Value; 2]) {
        let (cold, next, place) = (self.body.create_block(), self.body.create_block_apart(), self.place());
        self.body.set_cond_br(self.current, fails, cold, next, place);
        self.tell(cold, fault, shown);
        self.start(next);
    }

    /// It fails always. What follows is lowered, and is not reached.
    fn stop(&mut self, fault: Fault, shown: [Value; 2]) {
        let cold = self.body.create_block();
        self.body.set_br(self.current, cold, Place::NONE);
        self.tell(cold, fault, shown);
        self.start_dead();
    }

    /// A block that says what is wrong and ends the program.
    fn tell(&mut self, cold: Block, fault: Fault, [a, b]: [Value; 2]) {
        let Some(faults) = self.links.faults.as_ref().map(|faults| faults.tell) else { return };
        let format = self.text(fault);
        let offset = self.input.offset(self.row);
        let (line, column) = self.scratch.texts.columns.line_column(self.input.file, offset);
        let (line, column, place) = (self.body.int(line as i32), self.body.int(column as i32), self.place());
        if fault == Fault::Conversion {
            let callee = faults[1].index() as u32;
            self.body.append(cold, Op::Call, Type::Void, [format, line, column, a], callee, place);
        } else {
            let callee = faults[0].index() as u32;
            self.body.append(cold, Op::Call, Type::Void, [format, line, column, a, b], callee, place);
        }
        self.body.set_unreachable(cold, place);
    }

    /// The format of what is said of a fault.
    fn text(&mut self, fault: Fault) -> Value {
        let known = match fault {
            Fault::Index(_, dim) => self.scratch.texts.indices.get(dim).copied().flatten(),
            _ => match fault.kind() {
                Some(kind) => self.scratch.texts.kinds[kind],
                None => self.scratch.texts.find(fault),
            },
        };
        if let Some(text) = known {
            return text;
        }
        let path = self.input.file.path.replace('%', "%%");
        let mut note = String::new();
        let what = match (fault, fault.kind()) {
            (Fault::Index(scalar, dim), _) => {
                format!("index %d out of bounds for type '{}'", self.type_text(scalar, dim))
            }
            (Fault::Parameter(sym), _) => {
                let sema = self.input.sema;
                let name = sema.shared.names.text(sema.row(sym).name);
                format!("index %d out of bounds for '{name}', which has length %d")
            }
            (Fault::Value(sym) | Fault::Output(sym) | Fault::Result(sym), _) => {
                let (name, place) = self.declared(sym);
                note = format!("{path}:{place}: note: '{name}' is declared here\n");
                let rank = self.input.sema.row(sym).ty.dim().map(|dim| self.input.sema.dim(dim).rank);
                let of = match (fault, rank) {
                    (Fault::Output(_), _) => format!(": element %d of the output of '{name}'"),
                    (Fault::Result(_), _) => format!(": '{name}' ended without 'return'"),
                    (_, None) => format!(" '{name}'"),
                    (_, Some(1)) => format!(" '{name}[%d]'"),
                    (_, Some(2)) => format!(" '{name}[%d][%d]'"),
                    (_, Some(_)) => format!(" '{name}[%d][%d]...'"),
                };
                format!("use of uninitialized value{of}")
            }
            (Fault::Stack(sym), _) => {
                let sema = self.input.sema;
                format!("stack overflow in a call of '{}'", sema.shared.names.text(sema.row(sym).name))
            }
            (_, kind) => Fault::KINDS[kind.unwrap_or(0)].to_string(),
        };
        let text = format!("{path}:%d:%d: runtime error: {what}\n{note}");
        let shape = self.env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let image = Image::string(text.as_bytes());
        let value = self.body.request(Request::new(shape, true, image));
        let texts = &mut self.scratch.texts;
        if let Fault::Index(_, dim) = fault {
            texts.indices.grow_to(dim.index() + 1, None);
            texts.indices[dim] = Some(value);
            texts.known.push(dim);
        } else if let Some(kind) = fault.kind() {
            texts.kinds[kind] = Some(value);
        } else {
            texts.add(fault, value);
        }
        value
    }

    /// What a variable or function of the source is called, and where it is declared: line and column. (Names of locals are
    /// no part of what functions share.)
    fn declared(&self, sym: Sym) -> (String, String) {
        let file = self.input.file;
        let Some(span) = self.input.sema.row(sym).span(&file.text) else { return Default::default() };
        let name = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let (line, column) = ColumnCursor::default().line_column(file, span.start);
        (String::from_utf8_lossy(name).replace('%', "%%"), format!("{line}:{column}"))
    }

    /// The type of the array from a dimension on, as C has it.
    fn type_text(&self, scalar: Scalar, dim: Dim) -> String {
        let sema = self.input.sema;
        let mut text = if scalar == Scalar::Int { "int " } else { "float " }.to_string();
        for k in dim.index()..dim.index() + sema.dim(dim).rank as usize {
            text.push_str(&format!("[{}]", sema.dim(Dim::new(k)).extent));
        }
        text
    }
}
