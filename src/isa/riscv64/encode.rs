//! The encoding: what each format does with operands and immediate. Compressed forms are in `compress`.

use super::compress;
use super::registers::{ADDRESS_SCRATCH, ALL};
use super::rows::format as f;
use crate::isa::encode::Rows;
use crate::isa::shape::{At, Fields, Shape, fields, place};
use crate::mir::{OpRow, Operand};
use crate::object::reloc::riscv::*;

const AUIPC: u32 = 0x17;
const JALR: u32 = 0x67;

/// The encoding, with compressed forms where they fit or without any.
#[derive(Debug)]
pub struct Words<const SHORT: bool>;

impl<const SHORT: bool> Rows for Words<SHORT> {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    /// Distances to blocks, and a fourth operand.
    fn more(row: &OpRow, operands: &[Operand; 4], imm: i64) -> u32 {
        let field = |from: u32, bits: u32, to: u32| (imm as u32 >> from & ((1 << bits) - 1)) << to;
        match row.format {
            f::B => field(12, 1, 31) | field(5, 6, 25) | field(1, 4, 8) | field(11, 1, 7),
            f::R4 => u32::from(operands[3].low()) << 27,
            f::V_MASKED => u32::from(operands[3].low()) << 15,
            f::V_ONTO => u32::from(operands[3].low()) << 20,
            f::J | f::J_ENTRY => field(20, 1, 31) | field(1, 10, 21) | field(11, 1, 20) | field(12, 8, 12),
            _ => 0,
        }
    }

    #[inline(always)]
    fn straight(shape: &Shape, operands: &[Operand; 4], imm: u32) -> Option<(u32, usize)> {
        let word = shape.short_word(&FIELDS, operands, imm);
        if SHORT { compress::shortest(shape, operands, imm, word) } else { Some((word, 4)) }
    }

    #[inline(always)]
    fn named(shape: &Shape, operands: &[Operand; 4], _: u32) -> (u32, Option<u32>) {
        let field = |k: usize| FIELDS[usize::from(shape.places[k] | operands[0].low())];
        (shape.first | field(3), Some(shape.encoding | field(0)))
    }

    fn other(shape: &Shape, row: &OpRow, operands: &[Operand; 4], imm: i64) -> (u32, usize) {
        let word = shape.short_word(&FIELDS, operands, imm as u32) | Self::more(row, operands, imm);
        match if SHORT { compress::rare(row, operands, imm as i32) } else { None } {
            Some(half) => (half.into(), 2),
            None => (word, 4),
        }
    }

    fn short(row: &OpRow, operands: &[Operand; 4]) -> Option<u8> {
        if SHORT { compress::reach(row, operands) } else { None }
    }

    fn branch(gap: &mut [u8], shape: &Shape, row: &OpRow, operands: &[Operand; 4], imm: i64) {
        if row.format == f::FAR_JUMP {
            let (scratch, distance) = (u32::from(ADDRESS_SCRATCH.number()), imm as u32);
            let upper = distance.wrapping_add(0x800) & 0xffff_f000;
            gap[..4].copy_from_slice(&(AUIPC | scratch << 7 | upper).to_le_bytes());
            gap[4..].copy_from_slice(&(JALR | scratch << 15 | distance << 20).to_le_bytes());
        } else if gap.len() == 2 {
            gap.copy_from_slice(&compress::branch(row, operands, imm as u32).to_le_bytes());
        } else {
            let word = shape.short_word(&FIELDS, operands, 0) | Self::more(row, operands, imm);
            gap.copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// Fields of operands.
static FIELDS: Fields = fields(&[At::Bit(7), At::Bit(15), At::Bit(20), At::Both(15, 20), At::Both(7, 15)]);
const RD: u8 = place(1);
const RS1: u8 = place(2);
const RS2: u8 = place(3);
const RS1_AND_RS2: u8 = place(4);
const RD_AND_RS1: u8 = place(5);

crate::shapes!(ALL, shape);

const fn shape(row: &OpRow) -> Shape {
    let scratch = ADDRESS_SCRATCH.number() as u32;
    let shape = match row.format {
        f::R => Shape::of(row, [RD, RS1, RS2, 0]),
        f::ATOMIC => Shape::of(row, [RD, RS2, RS1, 0]),
        f::R4 => Shape::of(row, [RD, RS1, RS2, 0]).other(),
        f::I => Shape::of(row, [RD, RS1, 0, 0]).part(0, 12, 20),
        f::I_SHORT => Shape::of(row, [RD, 0, 0, 0]).part(0, 12, 20),
        f::SHIFT => Shape::of(row, [RD, RS1, 0, 0]).part(0, 6, 20),
        f::S => Shape::of(row, [RS2, RS1, 0, 0]).part(5, 7, 25).part(0, 5, 7),
        f::U => Shape::of(row, [RD, 0, 0, 0]).part(0, 20, 12),
        f::B => Shape::of(row, [RS1, RS2, 0, 0]),
        f::UNARY => Shape::of(row, [RD, RS1, 0, 0]),
        f::RS1_ONLY => Shape::of(row, [RS1, 0, 0, 0]),
        f::TWICE | f::V_TWICE => Shape::of(row, [RD, RS1_AND_RS2, 0, 0]),
        f::V_VV => Shape::of(row, [RD, RS2, RS1, 0]),
        f::V_VI | f::V_SHIFT => Shape::of(row, [RD, RS2, 0, 0]).part(0, 5, 15),
        // (What is tied is the result.)
        f::V_ONTO => Shape::of(row, [RD, 0, RS1, 0]).other(),
        f::V_ONTO_SHIFT => Shape::of(row, [RD, 0, RS2, 0]).part(0, 5, 15),
        f::V_ONE => Shape::of(row, [RD, RS2, 0, 0]),
        f::V_FROM => Shape::of(row, [RD, RS1, 0, 0]),
        f::V_I | f::V_COUNT => Shape::of(row, [0; 4]).part(0, 5, 15),
        f::V_DEF_I => Shape::of(row, [RD, 0, 0, 0]).part(0, 5, 15),
        f::V_MASKED => Shape::of(row, [RD, 0, RS2, 0]).other(),
        f::V_MASKED_I => Shape::of(row, [RD, 0, RS2, 0]).part(0, 5, 15),
        f::V_FROM_V0 => Shape::of(row, [RS1, 0, 0, 0]),
        f::V_V0 => Shape::of(row, [RS2, RS1, 0, 0]),
        f::V_V0_I => Shape::of(row, [RS2, 0, 0, 0]).part(0, 5, 15),
        // `auipc` and a second word, which goes by its result or by the address scratch.
        f::ADDRESS | f::LOAD_SYMBOL => pair(row, RD_AND_RS1, RD, AUIPC, row.encoding, RISCV_PAIR_I),
        f::THREAD => pair(row, RD_AND_RS1, RD, AUIPC, row.encoding, RISCV_PAIR_THREAD),
        f::GOT => pair(row, RD_AND_RS1, RD, AUIPC, row.encoding, RISCV_PAIR_GOT),
        f::TLS_GD => pair(row, RD_AND_RS1, RD, AUIPC, row.encoding, RISCV_PAIR_GD),
        f::TPREL_HI => Shape::of(row, [RD, 0, 0, 0]).other().relocated(R_RISCV_TPREL_HI20, 0),
        f::TPREL_ADD => Shape::of(row, [RD, RS1, 0, 0]).other().relocated(R_RISCV_TPREL_ADD, 0),
        f::TPREL_LO => Shape::of(row, [RD, RS1, 0, 0]).other().relocated(R_RISCV_TPREL_LO12_I, 0),
        f::LOAD_FAR => pair(row, RD, 0, AUIPC | scratch << 7, row.encoding | scratch << 15, RISCV_PAIR_I),
        f::STORE_FAR => pair(row, RS2, 0, AUIPC | scratch << 7, row.encoding | scratch << 15, RISCV_PAIR_S),
        f::CALL => pair(row, 0, 0, AUIPC | 1 << 7, JALR | 1 << 7 | 1 << 15, R_RISCV_CALL_PLT),
        f::TAIL => pair(row, 0, 0, AUIPC | 6 << 7, JALR | 6 << 15, R_RISCV_CALL_PLT),
        _ => Shape::of(row, [0; 4]),
    };
    let (class, forms, ties) = compress::class_of(row);
    Shape { class: (class as u16) << 10, forms: forms << 2, ties, ..shape }
}

/// Two words, the second with operand 0 in `place`, the first with it in `first_place`.
const fn pair(row: &OpRow, place: u8, first_place: u8, first: u32, second: u32, relocation: u32) -> Shape {
    let shape = Shape::of(row, [place, 0, 0, 0]);
    Shape { encoding: second, first, relocation, places: [place, 0, 0, first_place], ..shape }
}

/// The bytes of a row without compressed forms and with them, for tests.
#[cfg(test)]
pub(crate) fn encode(row: &OpRow, operands: &[Operand], imm: i64) -> [Vec<u8>; 2] {
    use crate::isa::encode::bytes_of;
    let target = &super::TARGET;
    [
        bytes_of::<Words<false>>(target, row, operands, imm),
        bytes_of::<Words<true>>(target, row, operands, imm),
    ]
}
