//! Inline assembly: which rows templates may name, with which immediates, and what operands are printed as. Rows whose registers
//! must not be the same, which allocation does not know of them (exclusive stores, bases that move), are not among them.

use super::immediate::logical;
use super::rows::atomic::SYSTEM_CALL;
use super::rows::format as f;
use crate::ir::Type;
use crate::ir::assembly::{Kind, Operand};
use crate::isa::assembly::Assembler;
use crate::mir::{OpRow, PReg};

/// See `Builtins::assembler`.
pub(super) static ASSEMBLER: Assembler = Assembler {
    immediate,
    variants: [b"wxp", b"fdq\0"],
    printed,
    others: &[],
    synonyms: &[("cs", "hs"), ("cc", "lo")],
    zero: Some(PReg::int(31)),
    brackets: *b"[]",
    comments: &["//"],
    system_call: SYSTEM_CALL,
};

fn printed(letter: Option<u8>, operand: &Operand) -> Option<u8> {
    match (operand.kind, letter) {
        (Kind::Int, None) | (Kind::Int, Some(b'x')) | (Kind::Memory, None) => Some(b'x'),
        (Kind::Int, Some(b'w')) => Some(b'w'),
        (Kind::Float, None) => Some(0),
        (Kind::Float, Some(b's')) => Some(b'f'),
        (Kind::Float, Some(b'd')) if operand.ty == Type::F64 => Some(b'd'),
        _ => None,
    }
}

fn immediate(row: &OpRow, x: i64) -> Option<i32> {
    let bits = 32i64 << (row.encoding >> 31);
    let bytes = 1i64 << (row.encoding >> 30);
    let is_between = |low: i64, high: i64| (low..=high).contains(&x);
    let is_multiple = |of: i64| x % of == 0;
    let fits = match row.format {
        f::RRR | f::RRRR | f::RR | f::R | f::R_M | f::CMP_RR | f::CMP_R | f::NONE => x == 0,
        f::RRR_SHIFT | f::CMP_SHIFT | f::RR_LSL | f::RR_LSR => is_between(0, bits - 1),
        f::RRR_EXTEND | f::CMP_EXTEND => is_between(0, 4),
        f::RR_IMM12 | f::CMP_IMM12 => is_between(0, 4095),
        f::R_IMM16 => is_between(0, 65535),
        f::RR_MASK | f::R_MASK | f::CMP_MASK => {
            let x = if bits == 32 {
                i64::from(u32::try_from(x).or_else(|_| i32::try_from(x).map(|x| x as u32)).ok()?)
            } else {
                x
            };
            logical(x as u64, bits as u32)?;
            return if bits == 32 { Some(x as u32 as i32) } else { i32::try_from(x).ok() };
        }
        f::RR_EXTRACT | f::RR_PLACE | f::ONTO_EXTRACT | f::ONTO_PLACE => {
            let (at, width) = (x & 0xff, x >> 8);
            width > 0 && at + width <= bits
        }
        f::LOAD_SCALED => is_between(0, 4095 * bytes) && is_multiple(bytes) && row.encoding >> 26 & 1 == 0,
        f::LOAD_UNSCALED => is_between(-256, 255),
        f::LOAD_INDEXED => x == 0 || x == i64::from(bytes.trailing_zeros()),
        f::PAIR if row.encoding >> 26 & 1 == 0 => {
            let bytes = [4, 8][usize::from(row.encoding >> 30 != 0)];
            is_between(-64 * bytes, 63 * bytes) && is_multiple(bytes)
        }
        _ => false,
    };
    if fits { i32::try_from(x).ok() } else { None }
}
