//! Inline assembly: which rows templates may name, with which immediates, and what operands are printed as. Rows of extensions
//! are taken whether the machine has them or not, as linkers do not ask either.

use super::registers::ZERO;
use super::rows::{SYSTEM_CALL, format as f};
use crate::ir::assembly::{Kind, Operand};
use crate::isa::assembly::Assembler;
use crate::mir::{OpRow, PReg};

/// See `Builtins::assembler`.
pub(super) static ASSEMBLER: Assembler = Assembler {
    immediate,
    variants: [b"\0", b"\0"],
    printed,
    others: &[("x", PReg::int(0)), ("f", PReg::float(0))],
    synonyms: &[],
    zero: Some(ZERO),
    brackets: *b"()",
    comments: &["#", "//"],
    system_call: SYSTEM_CALL,
};

/// `z` is zero where the operand is known to be.
fn printed(letter: Option<u8>, operand: &Operand) -> Option<u8> {
    match (operand.kind, letter) {
        (Kind::Int, Some(b'z')) | (Kind::Int | Kind::Float | Kind::Memory, None) => Some(0),
        _ => None,
    }
}

fn immediate(row: &OpRow, x: i64) -> Option<i32> {
    let is_between = |low: i64, high: i64| (low..=high).contains(&x);
    let fits = match row.format {
        // Between both, what is spilled may stand.
        _ if row.name.starts_with("lr.") || row.name.starts_with("sc.") => false,
        f::R | f::R4 | f::ATOMIC | f::UNARY | f::TWICE | f::FIXED => x == 0,
        f::I | f::S | f::I_SHORT => is_between(-2048, 2047),
        f::SHIFT if row.name.ends_with('w') => is_between(0, 31),
        f::SHIFT => is_between(0, 63),
        f::U => is_between(0, 0xf_ffff),
        _ => false,
    };
    if fits { i32::try_from(x).ok() } else { None }
}
