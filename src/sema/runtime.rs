//! The runtime library's functions: one row each, shared by checking and lowering.
//!
//! A program of a user sees the `SYSY` library. The library's own source (`runtime/*.sy`) sees the
//! `INTRINSICS` instead: the few operations that SysY has no word for, each a row with its meaning. No option
//! makes them visible to a program.

/// A parameter of a runtime function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RuntimeParam {
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `int a[]`.
    IntArray,
    /// `float a[]`.
    FloatArray,
    /// The format of `putf`; ints and floats (widened to double) follow.
    Format,
}

/// What a runtime function returns.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RuntimeResult {
    /// Nothing.
    Void,
    /// `int`.
    Int,
    /// `float`.
    Float,
}

/// One runtime function.
#[derive(Copy, Clone, Debug)]
pub struct RuntimeFunction {
    /// Its name in the source.
    pub name: &'static str,
    /// The symbol that is linked.
    pub link_name: &'static str,
    /// What it returns.
    pub result: RuntimeResult,
    /// Its parameters.
    pub params: &'static [RuntimeParam],
    /// True if any number of ints and floats may follow the parameters.
    pub variadic: bool,
    /// True if the line of the call (from 1) is passed as the one int argument: the macros `starttime()`,
    /// `stoptime()`.
    pub passes_line: bool,
    /// What a call becomes.
    pub meaning: Meaning,
}

/// What a call of a function that is not in the program becomes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A call of the symbol.
    Call,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a << b`, for b below 32.
    ShiftLeft,
    /// `a >> b` of an unsigned a, for b below 32.
    ShiftRight,
    /// `a / b` of unsigned ints.
    UnsignedQuotient,
    /// `a % b` of unsigned ints.
    UnsignedRemainder,
    /// Byte `i` of an array, 0 to 255.
    LoadByte,
    /// Sets byte `i` of an array to the low byte of `x`.
    StoreByte,
    /// Element `i` of an array of ints, whose bits are those of a float: memory is read as another type than
    /// it was written as, here and in the next one.
    LoadFloat,
    /// Sets element `i` of an array of ints to the bits of a float.
    StoreFloat,
}

/// What a program may call without defining it.
#[derive(Debug)]
pub struct Library {
    /// Row k is the symbol `k + 1`.
    pub functions: &'static [RuntimeFunction],
    /// True if what is checked has to have a `main`, and may give its functions names that the library has.
    pub is_program: bool,
}

impl Default for &'static Library {
    fn default() -> Self {
        &SYSY
    }
}

/// What a program sees.
pub static SYSY: Library = Library { functions: &FUNCTIONS, is_program: true };

/// What the source of the runtime library sees.
pub static INTRINSICS: Library = Library { functions: &INTRINSIC_FUNCTIONS, is_program: false };

use RuntimeParam::{Float as F, FloatArray as Fs, Format, Int as I, IntArray as Is};

const fn row(name: &'static str, result: RuntimeResult, params: &'static [RuntimeParam]) -> RuntimeFunction {
    RuntimeFunction {
        name,
        link_name: name,
        result,
        params,
        variadic: false,
        passes_line: false,
        meaning: Meaning::Call,
    }
}

/// A macro that calls `link_name` with the line.
const fn timer(name: &'static str, link_name: &'static str) -> RuntimeFunction {
    RuntimeFunction { link_name, passes_line: true, ..row(name, RuntimeResult::Void, &[]) }
}

/// All that a program sees.
pub static FUNCTIONS: [RuntimeFunction; 15] = [
    row("getint", RuntimeResult::Int, &[]),
    row("getch", RuntimeResult::Int, &[]),
    row("getfloat", RuntimeResult::Float, &[]),
    row("getarray", RuntimeResult::Int, &[Is]),
    row("getfarray", RuntimeResult::Int, &[Fs]),
    row("putint", RuntimeResult::Void, &[I]),
    row("putch", RuntimeResult::Void, &[I]),
    row("putfloat", RuntimeResult::Void, &[F]),
    row("putarray", RuntimeResult::Void, &[I, Is]),
    row("putfarray", RuntimeResult::Void, &[I, Fs]),
    RuntimeFunction { variadic: true, ..row("putf", RuntimeResult::Void, &[Format]) },
    timer("starttime", "_sysy_starttime"),
    timer("stoptime", "_sysy_stoptime"),
    row("_sysy_starttime", RuntimeResult::Void, &[I]),
    row("_sysy_stoptime", RuntimeResult::Void, &[I]),
];

const fn intrinsic(
    name: &'static str,
    meaning: Meaning,
    result: RuntimeResult,
    params: &'static [RuntimeParam],
) -> RuntimeFunction {
    RuntimeFunction { meaning, ..row(name, result, params) }
}

/// A function that a target has as machine code (`isa/*/stubs`), or that the program has.
const fn stub(
    name: &'static str,
    link_name: &'static str,
    result: RuntimeResult,
    params: &'static [RuntimeParam],
) -> RuntimeFunction {
    RuntimeFunction { link_name, ..row(name, result, params) }
}

use RuntimeResult::{Float as GivesFloat, Int as Gives, Void as GivesNothing};

/// What the library's own source sees.
static INTRINSIC_FUNCTIONS: [RuntimeFunction; 16] = [
    intrinsic("__and", Meaning::And, Gives, &[I, I]),
    intrinsic("__or", Meaning::Or, Gives, &[I, I]),
    intrinsic("__shl", Meaning::ShiftLeft, Gives, &[I, I]),
    intrinsic("__shr", Meaning::ShiftRight, Gives, &[I, I]),
    intrinsic("__udiv", Meaning::UnsignedQuotient, Gives, &[I, I]),
    intrinsic("__urem", Meaning::UnsignedRemainder, Gives, &[I, I]),
    intrinsic("__load8", Meaning::LoadByte, Gives, &[Is, I]),
    intrinsic("__store8", Meaning::StoreByte, GivesNothing, &[Is, I, I]),
    intrinsic("__load_float", Meaning::LoadFloat, GivesFloat, &[Is, I]),
    intrinsic("__store_float", Meaning::StoreFloat, GivesNothing, &[Is, I, F]),
    stub("__read", "sysy.read", Gives, &[I, Is, I]),
    stub("__write", "sysy.write", Gives, &[I, Is, I]),
    stub("__ioctl", "sysy.ioctl", Gives, &[I, I, Is]),
    stub("__clock", "sysy.clock", Gives, &[I, Is]),
    stub("__exit", "sysy.exit", GivesNothing, &[I]),
    stub("__main", "main", Gives, &[]),
];
