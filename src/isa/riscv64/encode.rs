//! The bits of one row: the fixed ones, with operands and immediate filled in as its format says.
//!
//! Constant time. Labels and symbols are the caller's: it passes the distance to them as the immediate, or
//! 0 where a relocation will say it.

use super::compress::{compress, short_reach};
use super::registers::ADDRESS_SCRATCH;
use super::rows::format as f;
use super::shapes::{FIELDS, SHAPES, named, shortest};
use crate::isa::encode::Rows;
use crate::isa::shape::{Fields, Shape};
use crate::mir::{OpRow, Operand};
use crate::object::code::{Target, Writer};
use crate::object::machine::{RISCV_PAIR_I, RISCV_PAIR_S};

const AUIPC: u32 = 0x17;
const JALR: u32 = 0x67;

/// `R_RISCV_CALL_PLT`.
const R_CALL: u32 = 19;

/// Compressed forms where they fit.
pub struct Shortest;
/// No compressed forms.
pub struct Long;

impl Rows for Shortest {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    #[inline(always)]
    fn straight(shape: &Shape, operands: &[Operand; 4], imm: u32) -> Option<(u32, usize)> {
        shortest(shape, operands, imm, shape.short_word(&FIELDS, operands, imm))
    }

    #[inline(always)]
    fn named(shape: &Shape, operands: &[Operand; 4], _: u32) -> (u32, Option<u32>) {
        named(shape, operands)
    }

    fn row(code: &mut Writer, row: &OpRow, operands: &[Operand], imm: i64, target: Option<Target>) {
        append::<true>(code, row, operands, imm, target);
    }

    fn short(row: &OpRow, operands: &[Operand]) -> Option<u8> {
        // The far jump is two words.
        match encode(row, operands, 0) {
            (word, None) => short_reach(word),
            _ => None,
        }
    }

    fn branch(gap: &mut [u8], row: &OpRow, operands: &[Operand], _: i32, distance: i64) {
        branch(gap, row, operands, distance);
    }
}

impl Rows for Long {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    #[inline(always)]
    fn named(shape: &Shape, operands: &[Operand; 4], _: u32) -> (u32, Option<u32>) {
        named(shape, operands)
    }

    fn row(code: &mut Writer, row: &OpRow, operands: &[Operand], imm: i64, target: Option<Target>) {
        append::<false>(code, row, operands, imm, target);
    }

    fn branch(gap: &mut [u8], row: &OpRow, operands: &[Operand], _: i32, distance: i64) {
        branch(gap, row, operands, distance);
    }
}

fn append<const SHORT: bool>(
    code: &mut Writer,
    row: &OpRow,
    operands: &[Operand],
    imm: i64,
    target: Option<Target>,
) {
    if let Some(target) = target {
        let kind = match row.format {
            f::CALL => R_CALL,
            f::STORE_FAR => RISCV_PAIR_S,
            _ => RISCV_PAIR_I,
        };
        code.fixup(kind, target, imm as i32);
    }
    match words(row, operands, if target.is_some() { 0 } else { imm as i32 }) {
        (word, None) => match if SHORT { compress(word) } else { None } {
            Some(half) => code.half(half),
            None => code.word(word),
        },
        (first, Some(second)) => {
            code.word(first);
            code.word(second);
        }
    }
}

fn branch(gap: &mut [u8], row: &OpRow, operands: &[Operand], distance: i64) {
    let (word, second) = encode(row, operands, distance as i32);
    if let Ok(short) = <&mut [u8; 2]>::try_from(&mut *gap) {
        // The distance has been seen to fit.
        *short = compress(word).unwrap_or(0).to_le_bytes();
        return;
    }
    gap[..4].copy_from_slice(&word.to_le_bytes());
    if let Some(word) = second {
        gap[4..].copy_from_slice(&word.to_le_bytes());
    }
}

/// The words of a row with physical operands; the second only of rows of 8 bytes. `imm` is the row's immediate; of a
/// branch, the bytes from it to its target; of a symbol's address, the bytes from it to the symbol.
pub fn encode(row: &OpRow, operands: &[Operand], imm: i32) -> (u32, Option<u32>) {
    words(row, operands, imm)
}

fn words(row: &OpRow, operands: &[Operand], imm: i32) -> (u32, Option<u32>) {
    let number = |k: usize| operands.get(k).map_or(0, |r| r.number());
    let (rd, rs1, rs2) = (|k| number(k) << 7, |k| number(k) << 15, |k| number(k) << 20);
    // Most rows have two or three operands: one look at their number is enough.
    let rd_rs1 = || match operands {
        [d, a, ..] => d.number() << 7 | a.number() << 15,
        _ => 0,
    };
    let rs2_rs1 = || match operands {
        [b, a, ..] => b.number() << 20 | a.number() << 15,
        _ => 0,
    };
    let rd_rs1_rs2 = || match operands {
        [d, a, b, ..] => d.number() << 7 | a.number() << 15 | b.number() << 20,
        _ => 0,
    };
    let scratch = u32::from(ADDRESS_SCRATCH.number());
    let bits = imm as u32;
    // The upper 20 bits of a distance, rounded so that the rest is a signed 12-bit one.
    let upper = bits.wrapping_add(0x800) & 0xffff_f000;
    let stored = |imm: u32| (imm & 0xfe0) << 20 | (imm & 0x1f) << 7;
    let fields = match row.format {
        f::R => rd_rs1_rs2(),
        f::R4 => rd_rs1_rs2() | number(3) << 27,
        f::I => rd_rs1() | bits << 20,
        f::I_SHORT => rd(0) | bits << 20,
        f::SHIFT => rd_rs1() | (bits & 63) << 20,
        f::S => rs2_rs1() | stored(bits),
        f::B => {
            let (high, low) = (
                (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25,
                (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7,
            );
            rs1(0) | rs2(1) | high | low
        }
        f::U => rd(0) | bits << 12,
        f::J => {
            (bits >> 20 & 1) << 31
                | (bits >> 1 & 0x3ff) << 21
                | (bits >> 11 & 1) << 20
                | (bits >> 12 & 0xff) << 12
        }
        f::UNARY => rd_rs1(),
        f::TWICE => rd_rs1() | rs2(1),
        f::ADDRESS | f::LOAD_SYMBOL => {
            return (AUIPC | rd(0) | upper, Some(row.encoding | rd(0) | rs1(0) | bits << 20));
        }
        f::LOAD_FAR => {
            return (AUIPC | scratch << 7 | upper, Some(row.encoding | rd(0) | scratch << 15 | bits << 20));
        }
        f::STORE_FAR => {
            return (
                AUIPC | scratch << 7 | upper,
                Some(row.encoding | rs2(0) | scratch << 15 | stored(bits)),
            );
        }
        f::CALL => return (AUIPC | 1 << 7 | upper, Some(JALR | 1 << 7 | 1 << 15 | bits << 20)),
        f::FAR_JUMP => return (AUIPC | scratch << 7 | upper, Some(JALR | scratch << 15 | bits << 20)),
        _ => 0,
    };
    (row.encoding | fields, None)
}
