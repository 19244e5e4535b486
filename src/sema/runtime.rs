//! The runtime library's functions: one row each, shared by checking and lowering.
//!
//! A program of a user sees the `SYSY` library. The library's own source (`runtime/*.sy`) sees the
//! `INTRINSICS` instead: the few operations that SysY has no word for, each a row with its meaning. No option
//! makes them visible to a program.

use super::ty::Ty;

/// One runtime function.
#[derive(Copy, Clone, Debug)]
pub struct RuntimeFunction {
    /// Its name in the source.
    pub name: &'static str,
    /// The symbol that is linked.
    pub link_name: &'static str,
    /// The type of what it returns.
    pub result: Ty,
    /// The types of its parameters; an array is open, and a text is the format of `putf`, which ints and
    /// floats (widened to double) follow.
    pub params: &'static [Ty],
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

const VOID: Ty = Ty::VOID;
const I: Ty = Ty::INT;
const F: Ty = Ty::FLOAT;
const IS: Ty = Ty::OPEN_INTS;
const FS: Ty = Ty::OPEN_FLOATS;

const fn row(name: &'static str, result: Ty, params: &'static [Ty]) -> RuntimeFunction {
    let (variadic, passes_line, meaning) = (false, false, Meaning::Call);
    RuntimeFunction { name, link_name: name, result, params, variadic, passes_line, meaning }
}

/// A macro that calls `link_name` with the line.
const fn timer(name: &'static str, link_name: &'static str) -> RuntimeFunction {
    RuntimeFunction { link_name, passes_line: true, ..row(name, VOID, &[]) }
}

/// All that a program sees.
pub static FUNCTIONS: [RuntimeFunction; 15] = [
    row("getint", I, &[]),
    row("getch", I, &[]),
    row("getfloat", F, &[]),
    row("getarray", I, &[IS]),
    row("getfarray", I, &[FS]),
    row("putint", VOID, &[I]),
    row("putch", VOID, &[I]),
    row("putfloat", VOID, &[F]),
    row("putarray", VOID, &[I, IS]),
    row("putfarray", VOID, &[I, FS]),
    RuntimeFunction { variadic: true, ..row("putf", VOID, &[Ty::TEXT]) },
    timer("starttime", "_sysy_starttime"),
    timer("stoptime", "_sysy_stoptime"),
    row("_sysy_starttime", VOID, &[I]),
    row("_sysy_stoptime", VOID, &[I]),
];

const fn intrinsic(
    name: &'static str,
    meaning: Meaning,
    result: Ty,
    params: &'static [Ty],
) -> RuntimeFunction {
    RuntimeFunction { meaning, ..row(name, result, params) }
}

/// A function that a target has as machine code (`isa/*/stubs`), or that the program has.
const fn stub(
    name: &'static str,
    link_name: &'static str,
    result: Ty,
    params: &'static [Ty],
) -> RuntimeFunction {
    RuntimeFunction { link_name, ..row(name, result, params) }
}

/// What the library's own source sees.
static INTRINSIC_FUNCTIONS: [RuntimeFunction; 17] = [
    intrinsic("__and", Meaning::And, I, &[I, I]),
    intrinsic("__or", Meaning::Or, I, &[I, I]),
    intrinsic("__shl", Meaning::ShiftLeft, I, &[I, I]),
    intrinsic("__shr", Meaning::ShiftRight, I, &[I, I]),
    intrinsic("__udiv", Meaning::UnsignedQuotient, I, &[I, I]),
    intrinsic("__urem", Meaning::UnsignedRemainder, I, &[I, I]),
    intrinsic("__load8", Meaning::LoadByte, I, &[IS, I]),
    intrinsic("__store8", Meaning::StoreByte, VOID, &[IS, I, I]),
    intrinsic("__load_float", Meaning::LoadFloat, F, &[IS, I]),
    intrinsic("__store_float", Meaning::StoreFloat, VOID, &[IS, I, F]),
    stub("__read", "sysy.read", I, &[I, IS, I]),
    stub("__write", "sysy.write", I, &[I, IS, I]),
    stub("__open", "sysy.open", I, &[I, IS, I, I]),
    stub("__ioctl", "sysy.ioctl", I, &[I, I, IS]),
    stub("__clock", "sysy.clock", I, &[I, IS]),
    stub("__exit", "sysy.exit", VOID, &[I]),
    stub("__main", "main", I, &[]),
];
