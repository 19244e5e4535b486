//! Building the body of a function: instructions by name, blocks, variables, one error at the end.
//!
//! What is asked for is checked when it is asked for, O(operands): operands have to be of this function and of
//! types that fit. The first thing that is wrong is kept, nothing is built behind it, and `finish` tells; so there
//! is nothing to handle on the way. Instructions on constants are computed at once (`ir/build`).

use super::error::Error;
use super::module::{Module, number};
use super::variables::Variables;
use crate::base::Handle;
use crate::ir::switch::{self, Question, Table, Test, To};
use crate::ir::types::MOST_ALIGN;
use crate::ir::verify::{verify, verify_asked};
use crate::ir::{self, Body, FloatPred, FuncId, GlobalId, Inst, IntPred, Op, Place, Shape, Type, Value};
use std::collections::BTreeMap;

mod addresses;
pub(super) mod atomics;
mod bits;
mod calls;
mod checks;
mod handles;
mod library;
mod stack;
mod unsigned;
mod varargs;

/// A value of a function that is being built. It prints as messages name it: `v7`.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Val {
    value: Value,
    of: u32,
}

/// A block of a function that is being built. It prints as messages name it: `b2`.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Block {
    block: ir::Block,
    of: u32,
}

/// A mutable variable of a function that is being built. It has no address. It prints as messages name it: `variable 1`.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Variable {
    variable: u32,
    of: u32,
}

/// The body of a function, verified; `Module::define` takes it.
#[derive(Debug)]
pub struct Definition {
    pub(super) body: Body,
    pub(super) of: u32,
}

/// Builds the body of one function. A new one stands in the entry block.
///
/// ```
/// use sysyc::backend::{IntPred, Linkage, Module, Options, Signature, Target, Type};
///
/// // int sum(int n) { int s = 0; while (n > 0) { s = s + n; n = n - 1; } return s; }
/// let mut module = Module::new(Target::new("aarch64")?);
/// let sum = module.function("sum", Signature::new().param(Type::I32).result(Type::I32), Linkage::Export)?;
/// let mut f = module.build(sum)?;
/// let (n, s) = (f.variable(Type::I32), f.variable(Type::I32));
/// let zero = f.int(Type::I32, 0);
/// f.set(n, f.param(0));
/// f.set(s, zero);
/// let (head, body, end) = (f.create_block(), f.create_block(), f.create_block());
/// f.br(head);
/// f.switch_to(head);
/// let left = f.get(n);
/// let goes_on = f.icmp(IntPred::Sgt, left, zero);
/// f.cond_br(goes_on, body, end);
/// f.switch_to(body);
/// let (old, left, one) = (f.get(s), f.get(n), f.int(Type::I32, 1));
/// let (new, less) = (f.add(old, left), f.sub(left, one));
/// f.set(s, new);
/// f.set(n, less);
/// f.br(head);
/// f.switch_to(end);
/// let result = f.get(s);
/// f.ret(Some(result));
/// let body = f.finish()?;
/// module.define(body)?;
/// assert!(module.text().contains("phi i32"));
/// # Ok::<(), sysyc::backend::Error>(())
/// ```
#[derive(Debug)]
pub struct FunctionBuilder<'m> {
    module: &'m Module,
    body: Body,
    at: ir::Block,
    place: Place,
    variables: Variables,
    error: Option<Error>,
    number: u32,
    bytes: Shape,
    /// Bytes of the stack that have been asked for.
    stack_bytes: u64,
    /// Parameters as the client has them; empty if these are those of the tables.
    params: Option<Vec<Value>>,
    /// What holds the exception that cleanups go on with, once there are some.
    exception: Option<Variable>,
    /// The null pointer, once something has asked for it.
    null: Option<Value>,
    /// Addresses that are no constants, once they have been asked for.
    special: BTreeMap<GlobalId, Inst>,
}

/// Instructions that a body has room for at first; more is made as it fills.
const ROOM: usize = 64;

/// What an operation takes.
#[derive(Copy, Clone)]
enum Takes {
    Ints,
    Floats,
}

/// Operations on values of one type, a method each.
macro_rules! operations {
    ($($(#[$comment:meta])* $name:ident($($arg:ident),*) = $op:ident, $takes:ident;)*) => {$(
        $(#[$comment])*
        pub fn $name(&mut self $(, $arg: Val)*) -> Val {
            self.operation(Op::$op, Takes::$takes, &[$($arg),*])
        }
    )*};
}

/// Conversions, a method each.
macro_rules! conversions {
    ($($(#[$comment:meta])* $name:ident = $op:ident, $from:ident, $to:ident, $fits:expr;)*) => {$(
        $(#[$comment])*
        pub fn $name(&mut self, a: Val, ty: Type) -> Val {
            let fits: fn(u32, u32) -> bool = $fits;
            self.conversion(Op::$op, a, ty, |from, to| {
                from.$from() && to.$to() && fits(width(from), width(to))
            })
        }
    )*};
}

impl<'m> FunctionBuilder<'m> {
    pub(super) fn new(module: &'m Module, func: FuncId) -> FunctionBuilder<'m> {
        let mut body = Body::new(func, &module.ir.env.funcs[func]);
        body.reserve(ROOM);
        let at = body.create_block();
        let mut variables = Variables::default();
        variables.seal(&mut body, at);
        let bytes = Shape::scalar(Type::I8);
        let params = calls::params(module, &mut body, at);
        FunctionBuilder {
            module,
            body,
            at,
            place: Place::NONE,
            variables,
            error: None,
            number: number(),
            bytes,
            stack_bytes: 0,
            params,
            exception: None,
            null: None,
            special: BTreeMap::new(),
        }
    }

    // ---- Blocks -----------------------------------------------------------------------------------------

    /// A new block, empty. The builder stays where it is.
    pub fn create_block(&mut self) -> Block {
        Block { block: self.body.create_block(), of: self.number }
    }

    /// The block that instructions go to.
    pub fn current_block(&self) -> Block {
        Block { block: self.at, of: self.number }
    }

    /// True if the current block has its end: a branch, a return.
    pub fn is_ended(&self) -> bool {
        self.body.terminator(self.at).is_some()
    }

    /// Goes on at the end of a block.
    pub fn switch_to(&mut self, block: Block) {
        if let Some(block) = self.block(block) {
            self.at = block;
        }
    }

    /// Says that all branches to a block are there. It need not be said; variables that are read in blocks behind
    /// it take fewer phis on the way then.
    pub fn seal(&mut self, block: Block) {
        if let Some(block) = self.block(block) {
            self.variables.seal(&mut self.body, block);
        }
    }

    /// Where in the source the instructions from here on come from: an offset in bytes.
    pub fn set_place(&mut self, offset: u32) {
        self.place = Place::at(offset);
    }

    // ---- Values -----------------------------------------------------------------------------------------

    /// A parameter.
    pub fn param(&self, k: usize) -> Val {
        // One that is not there is found where it is used.
        let (plain, count) = (Value::inst(Inst::new(k)), self.body.params().len());
        let (value, is_there) = match &self.params {
            Some(params) => (params.get(k).copied().unwrap_or(plain), k < params.len()),
            None => (plain, k < count),
        };
        Val { value, of: if is_there { self.number } else { NOWHERE } }
    }

    /// The type of a value.
    pub fn type_of(&self, v: Val) -> Option<Type> {
        (v.of == self.number).then(|| self.body.type_of(v.value))
    }

    /// An integer: a number of the type, with its sign or without (-128 to 255 of i8). Others are wrong.
    pub fn int(&mut self, ty: Type, x: i64) -> Val {
        if ty.is_int() && !is_number_of(ty, x) {
            return self.wrong(|| format!("int: {x} is no number of {}", ty.name()));
        }
        self.number_of(ty, x)
    }

    /// The same of `x`'s low bits.
    fn number_of(&mut self, ty: Type, x: i64) -> Val {
        if !ty.is_int() {
            return self.wrong(|| format!("int: {} is no integer type", ty.name()));
        }
        let value = self.body.int_of(ty, x);
        self.val(value)
    }

    /// A float.
    pub fn float(&mut self, x: f32) -> Val {
        let value = self.body.f32(x);
        self.val(value)
    }

    /// A double.
    pub fn double(&mut self, x: f64) -> Val {
        let value = self.body.f64(x);
        self.val(value)
    }

    // ---- Variables --------------------------------------------------------------------------------------

    /// A new variable. It is wrong to read it where it has been set on no way to there; where it has been on some, what it
    /// is on the others is not specified.
    pub fn variable(&mut self, ty: Type) -> Variable {
        if ty == Type::Void || ty.is_vector() {
            self.wrong(|| format!("variable: of type {}", ty.name()));
        }
        self.variables.types.push(ty);
        Variable { variable: self.variables.types.len() as u32 - 1, of: self.number }
    }

    /// Sets a variable.
    pub fn set(&mut self, variable: Variable, v: Val) {
        let (Some(ty), Some([v])) = (self.variable_type(variable), self.values("set", [v])) else { return };
        if self.body.type_of(v) == ty {
            self.variables.set(self.at, variable.variable, v);
        } else {
            let given = self.body.type_of(v);
            self.wrong(|| format!("set: {} in a variable of {}", given.name(), ty.name()));
        }
    }

    /// What a variable is here.
    pub fn get(&mut self, variable: Variable) -> Val {
        if self.variable_type(variable).is_none() || self.error.is_some() {
            return self.poison();
        }
        let value = self.variables.get(&mut self.body, self.at, variable.variable);
        if value.is_undef() && self.variables.leads_from_entry(&self.body, self.at) {
            return self.unset(variable.variable);
        }
        self.val(value)
    }

    // ---- Arithmetic -------------------------------------------------------------------------------------

    operations! {
        /// a + b, wraps.
        add(a, b) = Add, Ints;
        /// a - b, wraps.
        sub(a, b) = Sub, Ints;
        /// a * b, wraps.
        mul(a, b) = Mul, Ints;
        /// The signed quotient, towards zero; undefined for b = 0.
        sdiv(a, b) = SDiv, Ints;
        /// The signed remainder, with the sign of a; undefined for b = 0.
        srem(a, b) = SRem, Ints;
        /// The unsigned quotient; undefined for b = 0.
        udiv(a, b) = UDiv, Ints;
        /// The unsigned remainder; undefined for b = 0.
        urem(a, b) = URem, Ints;
        /// a and b, bit by bit.
        and(a, b) = And, Ints;
        /// a or b, bit by bit.
        or(a, b) = Or, Ints;
        /// a exclusive-or b, bit by bit.
        xor(a, b) = Xor, Ints;
        /// a shifted left; undefined for amounts from the width on.
        shl(a, amount) = Shl, Ints;
        /// a shifted right, zeros in; undefined for amounts from the width on.
        lshr(a, amount) = LShr, Ints;
        /// a shifted right, the sign in; undefined for amounts from the width on.
        ashr(a, amount) = AShr, Ints;
        /// The lesser, signed.
        smin(a, b) = SMin, Ints;
        /// The greater, signed.
        smax(a, b) = SMax, Ints;
        /// The lesser, unsigned.
        umin(a, b) = UMin, Ints;
        /// The greater, unsigned.
        umax(a, b) = UMax, Ints;
        /// The upper half of the signed product.
        smulhi(a, b) = SMulHi, Ints;
        /// The upper half of the unsigned product.
        umulhi(a, b) = UMulHi, Ints;
        /// The magnitude, signed; of the least integer it is that.
        abs(a) = Abs, Ints;
        /// a + b, rounded to nearest even, as all floating operations.
        fadd(a, b) = FAdd, Floats;
        /// a - b.
        fsub(a, b) = FSub, Floats;
        /// a * b.
        fmul(a, b) = FMul, Floats;
        /// a / b.
        fdiv(a, b) = FDiv, Floats;
        /// a with the other sign, of NaN too.
        fneg(a) = FNeg, Floats;
        /// a without its sign.
        fabs(a) = FAbs, Floats;
        /// a * b + c, rounded once.
        fma(a, b, c) = Fma, Floats;
    }

    /// 0 - a.
    pub fn neg(&mut self, a: Val) -> Val {
        let ty = self.type_of(a).unwrap_or(Type::I32);
        let zero = self.number_of(ty, 0);
        self.sub(zero, a)
    }

    /// Every bit the other way.
    pub fn not(&mut self, a: Val) -> Val {
        let ty = self.type_of(a).unwrap_or(Type::I32);
        let ones = self.number_of(ty, -1);
        self.xor(a, ones)
    }

    /// A comparison of integers or addresses, as an i1.
    pub fn icmp(&mut self, pred: IntPred, a: Val, b: Val) -> Val {
        let Some([a, b]) = self.alike("icmp", [a, b]) else { return self.poison() };
        let ty = self.body.type_of(a);
        if !ty.is_int() && ty != Type::Ptr {
            return self.wrong(|| format!("icmp: of {}", ty.name()));
        }
        self.build(|b2| b2.icmp(pred, a, b))
    }

    /// A comparison of floats or doubles, as an i1.
    pub fn fcmp(&mut self, pred: FloatPred, a: Val, b: Val) -> Val {
        let Some([a, b]) = self.alike("fcmp", [a, b]) else { return self.poison() };
        let ty = self.body.type_of(a);
        if !ty.is_float() {
            return self.wrong(|| format!("fcmp: of {}", ty.name()));
        }
        self.build(|b2| b2.fcmp(pred, a, b))
    }

    /// `condition ? a : b`, both of which have been computed.
    pub fn select(&mut self, condition: Val, a: Val, b: Val) -> Val {
        let Some([condition]) = self.condition("select", condition) else { return self.poison() };
        let Some([a, b]) = self.alike("select", [a, b]) else { return self.poison() };
        self.build(|b2| b2.select(condition, a, b))
    }

    conversions! {
        /// A wider integer of the same unsigned value.
        zext = ZExt, is_int, is_int, |from, to| from < to;
        /// A wider integer of the same signed value.
        sext = SExt, is_int, is_int, |from, to| from < to;
        /// A narrower integer: the low bits.
        trunc = Trunc, is_int, is_int, |from, to| from > to;
        /// A signed integer as a float or double, rounded to nearest even.
        sitofp = SIToFP, is_int, is_float, |_, _| true;
        /// A float or double as a signed integer, towards zero; undefined where it does not fit.
        fptosi = FPToSI, is_float, is_int, |_, _| true;
        /// A float as a double.
        fpext = FPExt, is_float, is_float, |from, to| from < to;
        /// A double as a float, rounded to nearest even.
        fptrunc = FPTrunc, is_float, is_float, |from, to| from > to;
    }

    // ---- Memory -----------------------------------------------------------------------------------------

    /// The address of memory on the stack, of so many bytes, at a multiple of `align`, for as long as the function
    /// runs; made once, wherever this is asked for. All of a function's is less than 2 GiB.
    pub fn stack(&mut self, bytes: u32, align: u32) -> Val {
        if !align.is_power_of_two() || align > MOST_ALIGN || bytes > i32::MAX as u32 {
            return self.wrong(|| format!("stack: {bytes} bytes, aligned to {align}"));
        }
        self.stack_bytes += u64::from(bytes.next_multiple_of(align));
        if self.stack_bytes > i32::MAX as u64 {
            let all = self.stack_bytes;
            return self.wrong(|| format!("stack: {bytes} bytes more are {all} in all, 2 GiB or above"));
        }
        let shape = self.module.bytes(bytes, align);
        self.build(|b| b.alloca(shape))
    }

    /// Loads a value of a type. The address has to be aligned for it.
    pub fn load(&mut self, ty: Type, address: Val) -> Val {
        let Some([address]) = self.pointer("load", address) else { return self.poison() };
        if !is_storable(ty) {
            return self.wrong(|| format!("load: {} is not in memory", ty.name()));
        }
        self.build(|b| b.load(ty, address))
    }

    /// Stores a value. The address has to be aligned for it.
    pub fn store(&mut self, v: Val, address: Val) {
        let (Some([v]), Some([address])) = (self.values("store", [v]), self.pointer("store", address)) else {
            return;
        };
        let ty = self.body.type_of(v);
        if !is_storable(ty) {
            self.wrong(|| format!("store: {} is not in memory", ty.name()));
            return;
        }
        if self.is_open("an instruction") {
            self.builder().store(v, address);
        }
    }

    /// Loads a value of a type, as often as the program says and in that order among others of its kind: from memory that
    /// something else writes to, or a device.
    pub fn load_volatile(&mut self, ty: Type, address: Val) -> Val {
        let Some([address]) = self.pointer("load_volatile", address) else { return self.poison() };
        if !is_storable(ty) {
            return self.wrong(|| format!("load_volatile: {} is not in memory", ty.name()));
        }
        self.build(|b| b.insert(Op::LoadVolatile, ty, &[address], 0))
    }

    /// Stores a value; as `load_volatile`.
    pub fn store_volatile(&mut self, v: Val, address: Val) {
        let Some([v]) = self.values("store_volatile", [v]) else { return };
        let Some([address]) = self.pointer("store_volatile", address) else { return };
        let ty = self.body.type_of(v);
        if !is_storable(ty) {
            self.wrong(|| format!("store_volatile: {} is not in memory", ty.name()));
        } else if self.is_open("an instruction") {
            self.builder().insert(Op::StoreVolatile, Type::Void, &[v, address], 0);
        }
    }

    /// An address so many bytes on: a constant or computed i32 or i64, signed. It has to stay in the object that
    /// the address leads into, or right behind it.
    pub fn offset(&mut self, address: Val, bytes: Val) -> Val {
        self.index(address, bytes, 1)
    }

    /// `address + index * scale`, the index an i32 or i64, signed. As `offset`.
    pub fn index(&mut self, address: Val, index: Val, scale: u32) -> Val {
        let (Some([address]), Some([index])) =
            (self.pointer("index", address), self.values("index", [index]))
        else {
            return self.poison();
        };
        let ty = self.body.type_of(index);
        if !matches!(ty, Type::I32 | Type::I64) {
            return self.wrong(|| format!("index: by {}", ty.name()));
        }
        let shapes = &self.module.ir.env.shapes;
        let shape = if scale == 1 { self.bytes } else { shapes.of(Type::I8, &[scale]) };
        self.build(|b| b.elem_addr(shape, address, &[index]))
    }

    /// Sets bytes (i32, unsigned, or i64; any number) of memory to a byte (i8).
    pub fn memset(&mut self, address: Val, byte: Val, bytes: Val) {
        let Some([address]) = self.pointer("memset", address) else { return };
        let Some([byte, bytes]) = self.values("memset", [byte, bytes]) else { return };
        let types = [self.body.type_of(byte), self.body.type_of(bytes)];
        if !matches!(types, [Type::I8, Type::I32 | Type::I64]) {
            self.wrong(|| format!("memset: a byte of {}, a length of {}", types[0].name(), types[1].name()));
            return;
        }
        if self.is_open("an instruction") {
            self.builder().insert(Op::MemSet, Type::Void, &[address, byte, bytes], 0);
        }
    }

    /// Copies bytes (i32, unsigned, or i64; any number) from one place to another that does not overlap it.
    pub fn memcpy(&mut self, to: Val, from: Val, bytes: Val) {
        let (Some([to]), Some([from])) = (self.pointer("memcpy", to), self.pointer("memcpy", from)) else {
            return;
        };
        let Some([bytes]) = self.values("memcpy", [bytes]) else { return };
        let ty = self.body.type_of(bytes);
        if !matches!(ty, Type::I32 | Type::I64) {
            self.wrong(|| format!("memcpy: a length of {}", ty.name()));
            return;
        }
        if self.is_open("an instruction") {
            self.builder().insert(Op::MemCopy, Type::Void, &[to, from, bytes], 0);
        }
    }

    // ---- Control ------------------------------------------------------------------------------------

    /// Goes to a block.
    pub fn br(&mut self, to: Block) {
        if let Some(to) = self.target("br", to) {
            self.builder().br(to);
        }
    }

    /// Goes to one of two blocks.
    pub fn cond_br(&mut self, condition: Val, yes: Block, no: Block) {
        let Some([condition]) = self.condition("cond_br", condition) else { return };
        let (Some(yes), Some(no)) = (self.target("cond_br", yes), self.target("cond_br", no)) else { return };
        if yes == no {
            self.builder().br(yes);
        } else {
            self.builder().cond_br(condition, yes, no);
        }
    }

    /// Goes to the block of the case that an integer equals, or else to `default`. O(log cases) comparisons,
    /// or a table of jumps where cases lie close together.
    /// It is wrong for two cases to be equal.
    pub fn switch(&mut self, v: Val, cases: &[(i64, Block)], default: Block) {
        let Some([value]) = self.values("switch", [v]) else { return };
        let ty = self.body.type_of(value);
        if !ty.is_int() {
            self.wrong(|| format!("switch: on {}", ty.name()));
            return;
        }
        if let Some((x, _)) = cases.iter().find(|case| !is_number_of(ty, case.0)) {
            self.wrong(|| format!("switch: {x} is no number of {}", ty.name()));
            return;
        }
        let unused = 64 - ty.int_bits();
        let mut sorted: Vec<(i64, Block)> =
            cases.iter().map(|&(x, to)| (x << unused >> unused, to)).collect();
        sorted.sort_by_key(|case| case.0);
        if let Some(twice) = sorted.windows(2).find(|two| two[0].0 == two[1].0) {
            self.wrong(|| format!("switch: {} is there twice", twice[0].0));
            return;
        }
        sorted.retain(|case| case.1 != default);
        let numbers: Vec<i64> = sorted.iter().map(|case| case.0).collect();
        let least = self.module.target.row.rules.least_table;
        let (tests, tables) =
            switch::with_tables(&numbers, ty.int_bits(), |a, b| sorted[a].1 == sorted[b].1, least);
        let blocks: Vec<Block> = (0..tests.len())
            .map(|k| if k == 0 { self.current_block() } else { self.create_block() })
            .collect();
        let target = |to: To| match to {
            To::Case(case) => sorted[case].1,
            To::Default => default,
            To::Test(test) => blocks[test],
        };
        if tests.is_empty() {
            self.br(default);
        }
        for (k, Test { asks, yes, no }) in tests.iter().enumerate() {
            self.switch_to(blocks[k]);
            if k > 0 {
                // Entered from one place, which is there.
                self.variables.seal(&mut self.body, self.at);
            }
            let is_so = match *asks {
                Question::Equal(x) => {
                    let x = self.number_of(ty, x);
                    self.icmp(IntPred::Eq, v, x)
                }
                Question::Less(x) => {
                    let x = self.number_of(ty, x);
                    self.icmp(IntPred::Slt, v, x)
                }
                Question::Table(number) => {
                    self.table(v, &tables[number], default, |case| sorted[case].1);
                    continue;
                }
                Question::Bit(low, word) => {
                    let (low, word, zero) = (
                        self.number_of(ty, low),
                        self.number_of(Type::I32, word.into()),
                        self.number_of(Type::I32, 0),
                    );
                    let from = self.sub(v, low);
                    let from = match ty {
                        Type::I32 => from,
                        Type::I64 => self.trunc(from, Type::I32),
                        _ => self.zext(from, Type::I32),
                    };
                    let shifted = self.shl(word, from);
                    self.icmp(IntPred::Slt, shifted, zero)
                }
                Question::Within(low, high) => {
                    let (low, length) = (self.number_of(ty, low), self.number_of(ty, high.wrapping_sub(low)));
                    let from = self.sub(v, low);
                    self.icmp(IntPred::Ule, from, length)
                }
            };
            self.cond_br(is_so, target(*yes), target(*no));
        }
    }

    /// Ends the block by a table.
    fn table(&mut self, v: Val, table: &Table, default: Block, target: impl Fn(usize) -> Block) {
        let Some([value]) = self.values("switch", [v]) else { return };
        let ty = self.body.type_of(value);
        let mut x = v;
        if table.low != 0 {
            let low = self.number_of(ty, table.low);
            x = self.sub(x, low);
        }
        if ty.is_narrow() {
            x = self.zext(x, Type::I32);
        }
        let entries = table.cases.iter().map(|case| case.map_or(default, &target)).chain([default]);
        let targets: Option<Vec<ir::Block>> = entries.map(|to| self.target("switch", to)).collect();
        if let (Some([x]), Some(targets)) = (self.values("switch", [x]), targets) {
            self.builder().switch(x, &targets);
        }
    }

    /// Says that control never comes here.
    pub fn unreachable(&mut self) {
        if self.is_open("unreachable") {
            self.builder().unreachable();
        }
    }

    /// The body, verified: every block ends, and every value is defined on all ways to where it is used. `Misuse`
    /// says what the first wrong thing is.
    pub fn finish(mut self) -> Result<Definition, Error> {
        let env = &self.module.ir.env;
        let name = env.names.text(env.funcs[self.body.func].name);
        if let Some(error) = self.error {
            return Err(error.of(name));
        }
        if let Some(variable) = self.variables.finish(&mut self.body) {
            if self.exception.is_some_and(|exception| exception.variable == variable) {
                return Err(Error::misuse(LOST).of(name));
            }
            return Err(Error::misuse(unset(variable)).of(name));
        }
        let verify = if cfg!(debug_assertions) { verify } else { verify_asked };
        verify(env, &self.body).map_err(|error| Error::misuse(handles::told(&error)).of(name))?;
        Ok(Definition { body: self.body, of: self.module.number })
    }
}

/// What is said where nothing sets what goes on with an exception.
const LOST: &str = "resume: where no exception comes";

/// What is said of a variable that has not been set where it is read.
fn unset(variable: u32) -> String {
    format!("get: {} is read where nothing has set it", Variable { variable, of: NOWHERE })
}

/// Bits of an integer or float.
fn width(ty: Type) -> u32 {
    if ty.is_int() { ty.int_bits() } else { 8 * ty.bytes() }
}

/// True for what an integer of this type can be, with a sign or without.
fn is_number_of(ty: Type, x: i64) -> bool {
    let bits = ty.int_bits();
    bits == 64 || (-1 << (bits - 1)..1 << bits).contains(&x)
}

/// What no function in the making has as its number.
const NOWHERE: u32 = u32::MAX;

fn is_storable(ty: Type) -> bool {
    !ty.is_vector() && !matches!(ty, Type::Void | Type::I1)
}
