//! Inline assembly: which rows templates may name, with which immediates, and what operands are printed as. Not among them are rows
//! whose registers must not be the same, or have to be neighbours, and those that stand behind allocation only, since they leave their result
//! as it was where a condition fails.

use super::imm::rotated;
use super::rows::{SYSTEM_CALL, format as f};
use crate::ir::Type;
use crate::ir::assembly::{Kind, Operand};
use crate::isa::assembly::Assembler;
use crate::mir::{OpRow, PReg};

/// See `Builtins::assembler`.
pub(super) static ASSEMBLER: Assembler = Assembler {
    immediate,
    variants: [b"\0", b"\0d"],
    printed,
    others: &[("r", PReg::int(0))],
    synonyms: &[],
    zero: None,
    brackets: *b"[]",
    comments: &["@", "//"],
    system_call: SYSTEM_CALL,
};

fn printed(letter: Option<u8>, operand: &Operand) -> Option<u8> {
    match (operand.kind, letter, operand.ty) {
        (Kind::Int | Kind::Memory, None, _) | (Kind::Float, None, Type::F32) => Some(0),
        (Kind::Float, None | Some(b'P'), Type::F64) => Some(b'd'),
        _ => None,
    }
}

fn immediate(row: &OpRow, x: i64) -> Option<i32> {
    let is_between = |low: i64, high: i64| (low..=high).contains(&x);
    let fits = match row.format {
        _ if row.name.contains(".if.") => false,
        // A right shift by 0 is one by 32.
        f::D_N_M | f::D_M | f::N_M if row.text.contains("%i") => is_between(1, 31),
        f::MEM_R => is_between(0, 31),
        f::D_N_M | f::D_M | f::N_M | f::D_M_S | f::MULTIPLY | f::LONG | f::FIXED => x == 0,
        f::D_ONLY | f::TIED_M | f::V3 | f::V2 | f::V1 | f::V_ONTO | f::TIED_V | f::CORE_V => x == 0,
        f::D_N_I | f::D_I | f::N_I => {
            let x = i32::try_from(x).or_else(|_| u32::try_from(x).map(|x| x as i32)).ok()?;
            return rotated(x).map(|_| x);
        }
        f::D_W => is_between(0, 65535),
        f::FIELD | f::ONTO_FIELD => {
            let (at, width) = (x & 0xff, x >> 8);
            width > 0 && at + width <= 32
        }
        f::MEM_I => is_between(-4095, 4095),
        f::MEM_H => is_between(-255, 255),
        f::VMEM => is_between(-1020, 1020) && x % 4 == 0,
        _ => false,
    };
    if fits { i32::try_from(x).ok() } else { None }
}
