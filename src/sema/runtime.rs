//! The runtime library's functions: one row each, shared by checking and lowering.

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
    /// True if the line of the call (from 1) is passed as the one int argument: the macros `starttime()`, `stoptime()`.
    pub passes_line: bool,
}

use RuntimeParam::{Float as F, FloatArray as Fs, Format, Int as I, IntArray as Is};

const fn row(name: &'static str, result: RuntimeResult, params: &'static [RuntimeParam]) -> RuntimeFunction {
    RuntimeFunction { name, link_name: name, result, params, variadic: false, passes_line: false }
}

/// A macro that calls `link_name` with the line.
const fn timer(name: &'static str, link_name: &'static str) -> RuntimeFunction {
    RuntimeFunction { link_name, passes_line: true, ..row(name, RuntimeResult::Void, &[]) }
}

/// All of them. Row k is the symbol `k + 1`.
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
