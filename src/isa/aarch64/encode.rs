//! The bits of one row: the fixed ones, with operands and immediate filled in as its format says.
//!
//! Constant time. Labels and symbols are the caller's: it passes what stands in their place as the immediate.

use super::immediate::{from_float8, logical};
use super::rows::format as f;
use super::shapes::{FIELDS, SHAPES};
use crate::isa::encode::Rows;
use crate::isa::shape::{Fields, Shape};
use crate::mir::{OpRow, Operand};
use crate::object::code::{Target, Writer};

/// The encoding A64.
pub struct A64;

impl Rows for A64 {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    fn row(code: &mut Writer, row: &OpRow, operands: &[Operand], imm: i64, target: Option<Target>) {
        if let Some(target) = target {
            code.fixup(relocation(row), target, imm as i32);
        }
        code.word(word(row, operands, imm));
    }

    fn branch(gap: &mut [u8], row: &OpRow, operands: &[Operand], imm: i32, distance: i64) {
        let bit = if row.format == f::R_BIT_B14 { i64::from(imm) << 32 } else { 0 };
        let word = word(row, operands, bit | distance & 0xffff_ffff);
        gap.copy_from_slice(&word.to_le_bytes());
    }
}

/// ELF's relocation of a row that names a function or global (ELF for the Arm 64-bit Architecture, 5.7).
pub(super) const fn relocation(row: &OpRow) -> u32 {
    /// `R_AARCH64_LDST<8 << k>_ABS_LO12_NC`.
    const ACCESS: [u32; 4] = [278, 284, 285, 286];
    match row.format {
        f::ADRP => 275,
        f::LO12 => 277,
        f::LOAD_LO12 => ACCESS[(row.encoding >> 30) as usize],
        _ => 283,
    }
}

/// The power of two that is the size of an access: bits 30-31, but 16 bytes where bits 23 and 26 are set.
pub(super) const fn access_shift(encoding: u32) -> u32 {
    if encoding >> 23 & 9 == 9 { 4 } else { encoding >> 30 }
}

/// The word for a row with physical operands. `imm` is the row's immediate, or the number in `Func::wide`; of a branch,
/// the bytes from it to its target; of the address of a global, what the relocation leaves to the instruction, which
/// is nothing.
pub fn encode(row: &OpRow, operands: &[Operand], imm: i64) -> u32 {
    word(row, operands, imm)
}

fn word(row: &OpRow, operands: &[Operand], imm: i64) -> u32 {
    let number = |k: usize| operands.get(k).map_or(0, |operand| operand.number());
    let wide = row.encoding >> 31;
    let bits = 32 << wide;
    let field = |value: i64, width: u32, at: u32| (value as u32 & ((1 << width) - 1)) << at;
    let mask = || logical(imm as u64, bits).unwrap_or(0) << 10;
    // Operands 0, 1, 2 and 3 in the fields d, n, m and a; of a comparison, 0 and 1 in n and m.
    let dn = || match operands {
        [d, n, ..] => d.number() | n.number() << 5,
        _ => 0,
    };
    let dnm = || match operands {
        [d, n, m, ..] => d.number() | n.number() << 5 | m.number() << 16,
        _ => 0,
    };
    let nm = || number(0) << 5 | number(1) << 16;
    let fields = match row.format {
        f::RRR => dnm(),
        f::RRR_SHIFT => dnm() | field(imm, 6, 10),
        f::RRR_EXTEND => dnm() | field(imm, 3, 10),
        f::RRRR => dnm() | number(3) << 10,
        f::RR_IMM12 => dn() | field(imm, 12, 10),
        f::RR_MASK => dn() | mask(),
        f::R_MASK => number(0) | mask(),
        f::RR_LSL => {
            let width = i64::from(bits);
            dn() | field((width - imm) % width, 6, 16) | field(width - 1 - imm, 6, 10)
        }
        f::RR_LSR => dn() | field(imm, 6, 16) | (bits - 1) << 10,
        f::RR => dn(),
        f::R_M => number(0) | number(1) << 16,
        f::CMP_RR => nm(),
        f::CMP_SHIFT => nm() | field(imm, 6, 10),
        f::CMP_EXTEND => nm() | field(imm, 3, 10),
        f::CMP_IMM12 => number(0) << 5 | field(imm, 12, 10),
        f::CMP_MASK => number(0) << 5 | mask(),
        f::CMP_R => number(0) << 5,
        f::R_IMM16 => number(0) | field(imm, 16, 5),
        f::R => number(0),
        f::R_FLOAT8 => number(0) | from_float8(imm as i32) << 13,
        f::ADRP => number(0),
        f::LO12 | f::LOAD_LO12 => dn(),
        f::LOAD_SCALED => dn() | field(imm >> access_shift(row.encoding), 12, 10),
        f::LOAD_UNSCALED => dn() | field(imm, 9, 12),
        f::LOAD_INDEXED => dnm() | u32::from(imm != 0) << 12,
        f::PAIR => {
            // Bits 30-31 count from 4 bytes in the floating file, and are 2 for 8 bytes in the other.
            let (size, is_float) = (row.encoding >> 30, row.encoding >> 26 & 1 != 0);
            let scale = if is_float { 2 + size } else { 2 + (size >> 1) };
            number(0) | number(1) << 10 | number(2) << 5 | field(imm >> scale, 7, 15)
        }
        f::B26 => field(imm >> 2, 26, 0),
        f::B19 => field(imm >> 2, 19, 5),
        f::R_B19 => number(0) | field(imm >> 2, 19, 5),
        // The caller puts the bit number above the distance.
        f::R_BIT_B14 => {
            let bit = imm >> 32;
            number(0) | field(bit, 5, 19) | field(bit >> 5, 1, 31) | field(imm >> 2, 14, 5)
        }
        f::CALL => field(imm >> 2, 26, 0),
        f::ONTO => number(0) | number(2) << 5 | number(3) << 16,
        f::LANES_LEFT => dn() | field(32 + imm, 6, 16),
        f::LANES_RIGHT => dn() | field(64 - imm, 6, 16),
        f::ONTO_RIGHT => number(0) | number(2) << 5 | field(64 - imm, 6, 16),
        f::BY_LANE => dnm() | field(imm, 1, 21) | field(imm >> 1, 1, 11),
        // The lowest set bit below the lane says how wide it is.
        f::LANE => dn() | field(imm << 3 | 4, 5, 16),
        f::ONTO_LANE => number(0) | number(2) << 5 | field(imm << 3 | 4, 5, 16),
        f::BYTES => dnm() | field(imm, 4, 11),
        f::R_BOTH => dn() | number(1) << 16,
        f::R_BYTE => number(0) | field(imm >> 5, 3, 16) | field(imm, 5, 5),
        f::R_BYTE_FLOAT => {
            let byte = i64::from(from_float8(imm as i32));
            number(0) | field(byte >> 5, 3, 16) | field(byte, 5, 5)
        }
        f::MEMORY_LANE => dn() | field(imm, 1, 12) | field(imm >> 1, 1, 30),
        f::ONTO_MEMORY => number(0) | number(2) << 5 | field(imm, 1, 12) | field(imm >> 1, 1, 30),
        _ => 0,
    };
    row.encoding | fields
}
