//! The encoding: what each format does with operands and immediate.
//!
//! "d, n, m, a" are the register fields at bits 0, 5, 16 and 10.

use super::immediate::{from_float8, logical};
use super::rows::OPS;
use super::rows::format as f;
use crate::isa::encode::Rows;
use crate::isa::shape::{At, Fields, Shape, fields, place};
use crate::mir::{OpRow, Operand};
use crate::object::reloc::aarch64::*;

/// The encoding A64.
#[derive(Debug)]
pub struct A64;

impl Rows for A64 {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    fn more(row: &OpRow, _: &[Operand; 4], imm: i64) -> u32 {
        let width = 32 << (row.encoding >> 31);
        let field = |value: i64, bits: u32, at: u32| (value as u32 & ((1 << bits) - 1)) << at;
        match row.format {
            f::RR_MASK | f::R_MASK | f::CMP_MASK => logical(imm as u64, width).unwrap_or(0) << 10,
            // A left shift by k: immr = -k, imms = width - 1 - k.
            f::RR_LSL => {
                let width = i64::from(width);
                field(width - imm, 6, 16) & (width as u32 - 1) << 16 | field(width - 1 - imm, 6, 10)
            }
            // A field of imm >> 8 bits: immr is its first bit, or minus its place; imms its last bit, in what it is taken from.
            f::RR_EXTRACT | f::ONTO_EXTRACT => {
                let (first, count) = (imm & 0xff, imm >> 8);
                field(first, 6, 16) | field(first + count - 1, 6, 10)
            }
            f::RR_PLACE | f::ONTO_PLACE => {
                let (at, count) = (imm & 0xff, imm >> 8);
                field(-at & i64::from(width - 1), 6, 16) | field(count - 1, 6, 10)
            }
            f::R_FLOAT8 => from_float8(imm as i32) << 13,
            f::R_BYTE_FLOAT => {
                let byte = i64::from(from_float8(imm as i32));
                field(byte >> 5, 3, 16) | field(byte, 5, 5)
            }
            f::LANES_RIGHT | f::ONTO_RIGHT => field(64 - imm, 6, 16),
            f::MEMORY_LANE | f::ONTO_MEMORY | f::UP_LANE | f::STORE_UP_LANE => {
                field(imm, 1, 12) | field(imm >> 1, 1, 30)
            }
            // Of branches, the words to the block.
            f::B26 => field(imm >> 2, 26, 0),
            f::B19 | f::R_B19 => field(imm >> 2, 19, 5),
            f::R_BIT_B14 => field(imm >> 32, 5, 19) | field(imm >> 37, 1, 31) | field(imm >> 2, 14, 5),
            _ => 0,
        }
    }
}

/// Pairs count from 4 bytes on in the floating file; in the other, 2 stands for 8 bytes.
const fn pair_scale(row: &OpRow) -> u32 {
    let (size, is_float) = (row.encoding >> 30, row.encoding >> 26 & 1 != 0);
    if is_float { 2 + size } else { 2 + (size >> 1) }
}

/// Fields of operands.
static FIELDS: Fields = fields(&[At::Bit(0), At::Bit(5), At::Bit(16), At::Bit(10), At::Both(5, 16)]);
const D: u8 = place(1);
const N: u8 = place(2);
const M: u8 = place(3);
const A: u8 = place(4);
const N_AND_M: u8 = place(5);

crate::shapes!(OPS, shape);

const fn shape(row: &OpRow) -> Shape {
    const ACCESS: [u32; 4] = [
        R_AARCH64_LDST8_ABS_LO12_NC,
        R_AARCH64_LDST16_ABS_LO12_NC,
        R_AARCH64_LDST32_ABS_LO12_NC,
        R_AARCH64_LDST64_ABS_LO12_NC,
    ];
    let width = 32 << (row.encoding >> 31);
    // Accesses count in their own size: bits 30-31 say which, but 16 bytes where bits 23 and 26 are set.
    let scale = if row.encoding >> 23 & 9 == 9 { 4 } else { row.encoding >> 30 };
    match row.format {
        f::RRR => Shape::of(row, [D, N, M, 0]),
        f::RRR_SHIFT => Shape::of(row, [D, N, M, 0]).part(0, 6, 10),
        f::RRR_EXTEND => Shape::of(row, [D, N, M, 0]).part(0, 3, 10),
        f::RRRR => Shape::of(row, [D, N, M, A]),
        f::RR_IMM12 => Shape::of(row, [D, N, 0, 0]).part(0, 12, 10),
        f::RR_MASK | f::RR_LSL | f::LANES_RIGHT | f::RR_EXTRACT | f::RR_PLACE => {
            Shape::of(row, [D, N, 0, 0]).other()
        }
        f::ONTO_EXTRACT | f::ONTO_PLACE => Shape::of(row, [D, 0, N, 0]).other(),
        // The flags if nothing is compared; of one register, what it is compared with above them.
        f::CCMP_RR => Shape::of(row, [N, M, 0, 0]).part(0, 4, 0),
        f::CCMP_R => Shape::of(row, [N, 0, 0, 0]).part(0, 4, 0).part(8, 5, 16),
        f::R_MASK | f::R_FLOAT8 | f::R_BYTE_FLOAT | f::R_B19 | f::R_BIT_B14 => {
            Shape::of(row, [D, 0, 0, 0]).other()
        }
        // A right shift by k: immr = k, imms = width - 1.
        f::RR_LSR => Shape::of(row, [D, N, 0, 0]).part(0, 6, 16).fixed((width - 1) << 10),
        f::RR => Shape::of(row, [D, N, 0, 0]),
        f::M_ONLY => Shape::of(row, [M, 0, 0, 0]),
        f::R_M => Shape::of(row, [D, M, 0, 0]),
        f::CMP_RR => Shape::of(row, [N, M, 0, 0]),
        f::CMP_SHIFT => Shape::of(row, [N, M, 0, 0]).part(0, 6, 10),
        f::CMP_EXTEND => Shape::of(row, [N, M, 0, 0]).part(0, 3, 10),
        f::CMP_IMM12 => Shape::of(row, [N, 0, 0, 0]).part(0, 12, 10),
        f::CMP_MASK => Shape::of(row, [N, 0, 0, 0]).other(),
        f::CMP_R => Shape::of(row, [N, 0, 0, 0]),
        f::R_IMM16 => Shape::of(row, [D, 0, 0, 0]).part(0, 16, 5),
        f::R => Shape::of(row, [D, 0, 0, 0]),
        f::ADRP => Shape::of(row, [D, 0, 0, 0]).relocated(R_AARCH64_ADR_PREL_PG_HI21, 0),
        f::ADRP_THREAD => Shape::of(row, [D, 0, 0, 0]).relocated(R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, 0),
        f::LDR_THREAD => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC, 0),
        f::ADRP_GOT => Shape::of(row, [D, 0, 0, 0]).relocated(R_AARCH64_ADR_GOT_PAGE, 0),
        f::LDR_GOT => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_LD64_GOT_LO12_NC, 0),
        f::ADRP_DESC => Shape::of(row, [D, 0, 0, 0]).relocated(R_AARCH64_TLSDESC_ADR_PAGE21, 0),
        f::LDR_DESC => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_TLSDESC_LD64_LO12, 0),
        f::ADD_DESC => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_TLSDESC_ADD_LO12, 0),
        f::BLR_DESC => Shape::of(row, [N, 0, 0, 0]).relocated(R_AARCH64_TLSDESC_CALL, 0),
        f::TPREL_HI12 => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_TLSLE_ADD_TPREL_HI12, 0),
        f::TPREL_LO12 => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_TLSLE_ADD_TPREL_LO12_NC, 0),
        f::LO12 => Shape::of(row, [D, N, 0, 0]).relocated(R_AARCH64_ADD_ABS_LO12_NC, 0),
        f::LOAD_LO12 => Shape::of(row, [D, N, 0, 0]).relocated(ACCESS[(row.encoding >> 30) as usize], 0),
        f::CALL => Shape::of(row, [0; 4]).relocated(R_AARCH64_CALL26, 0),
        f::TAIL => Shape::of(row, [0; 4]).relocated(R_AARCH64_JUMP26, 0),
        f::LOAD_SCALED => Shape::of(row, [D, N, 0, 0]).part(scale, 12, 10),
        f::LOAD_UNSCALED => Shape::of(row, [D, N, 0, 0]).part(0, 9, 12),
        f::LOAD_MOVING => Shape::of(row, [N, D, 0, 0]).part(0, 9, 12),
        f::STORE_MOVING => Shape::of(row, [N, 0, D, 0]).part(0, 9, 12),
        // The amount is 0, or as many bits as the access has bytes. One bit of that says which.
        f::LOAD_INDEXED => Shape::of(row, [D, N, M, 0]).part(31 - (scale | 1).leading_zeros(), 1, 12),
        f::PAIR => Shape::of(row, [D, A, N, 0]).part(pair_scale(row), 7, 15),
        f::LOAD_PAIR_MOVING => Shape::of(row, [N, D, A, 0]).part(pair_scale(row), 7, 15),
        f::STORE_PAIR_MOVING => Shape::of(row, [N, 0, D, A]).part(pair_scale(row), 7, 15),
        f::ONTO => Shape::of(row, [D, 0, N, M]),
        f::ONTO_ONE => Shape::of(row, [D, 0, N, 0]),
        f::ONTO_RIGHT => Shape::of(row, [D, 0, N, 0]).other(),
        // 32 and the amount.
        f::LANES_LEFT => Shape::of(row, [D, N, 0, 0]).part(0, 5, 16).fixed(1 << 21),
        f::BY_LANE => Shape::of(row, [D, N, M, 0]).part(0, 1, 21).part(1, 1, 11),
        f::ONTO_BY_LANE => Shape::of(row, [D, 0, N, M]).part(0, 1, 21).part(1, 1, 11),
        // The lowest set bit below the lane says how wide it is.
        f::LANE => Shape::of(row, [D, N, 0, 0]).part(0, 2, 19).fixed(1 << 18),
        f::ONTO_LANE => Shape::of(row, [D, 0, N, 0]).part(0, 2, 19).fixed(1 << 18),
        f::EXCLUSIVE => Shape::of(row, [M, D, N, 0]),
        f::BYTES => Shape::of(row, [D, N, M, 0]).part(0, 4, 11),
        f::R_BOTH => Shape::of(row, [D, N_AND_M, 0, 0]),
        f::R_BYTE => Shape::of(row, [D, 0, 0, 0]).part(5, 3, 16).part(0, 5, 5),
        f::MEMORY_LANE => Shape::of(row, [D, N, 0, 0]).other(),
        f::ONTO_MEMORY => Shape::of(row, [D, 0, N, 0]).other(),
        f::UP_LANE => Shape::of(row, [N, D, 0, 0]).other(),
        f::STORE_UP_LANE => Shape::of(row, [N, 0, D, 0]).other(),
        _ => Shape::of(row, [0; 4]),
    }
}

/// The bytes of a row, for tests.
#[cfg(test)]
pub(crate) fn encode(row: &OpRow, operands: &[Operand], imm: i64) -> Vec<u8> {
    crate::isa::encode::bytes_of::<A64>(&super::TARGET, row, operands, imm)
}
