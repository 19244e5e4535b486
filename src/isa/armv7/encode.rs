//! The encoding: what each format does with operands and immediate.
//!
//! A register field is at bit 12 (d), 16 (n), 0 (m) or 8 (s). An s register has four bits and, apart from
//! them, the lowest. A d register has the number of its low half, so that both have the same fields.

use super::imm::rotated;
use super::registers::ALL;
use super::rows::format as f;
use crate::isa::encode::Rows;
use crate::isa::shape::{At, Fields, Shape, fields, place};
use crate::mir::desc::RETURN;
use crate::mir::{OpRow, Operand, SymKind};
use crate::object::reloc::arm::*;

/// The encoding A32.
#[derive(Debug)]
pub struct A32;

impl Rows for A32 {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    fn more(row: &OpRow, operands: &[Operand; 4], imm: i64) -> u32 {
        let imm = imm as i32;
        let first = u32::from(operands[0].low());
        let upward = u32::from(imm >= 0) << 23;
        match row.format {
            f::D_N_I | f::TIED_N_I | f::D_I | f::N_I => rotated(imm).unwrap_or(0),
            f::MEM_I | f::MEM_LOAD | f::MEM_STORE => upward | imm.unsigned_abs() & 0xfff,
            f::MEM_H | f::MEM_D => upward | (imm.unsigned_abs() & 0xf0) << 4 | imm.unsigned_abs() & 15,
            f::VMEM => upward | imm.unsigned_abs() >> 2 & 0xff,
            // The program counter reads as the instruction's address + 8.
            f::BRANCH => (imm.wrapping_sub(8) >> 2) as u32 & 0xff_ffff,
            // The first bit and one less than how many; the first and the last.
            f::FIELD => ((imm >> 8) as u32).wrapping_sub(1) << 16 & 31 << 16 | (imm as u32 & 31) << 7,
            f::ONTO_FIELD => {
                let last = ((imm & 0xff) + (imm >> 8)) as u32;
                last.wrapping_sub(1) << 16 & 31 << 16 | (imm as u32 & 31) << 7
            }
            // r4 to the operand; s16 to the operand.
            f::LIST => (2u32 << first).wrapping_sub(1) & 0xfff0,
            f::LIST_2 => 1 << first | 1 << operands[1].low(),
            f::VLIST => first.wrapping_sub(15) & 0xff,
            _ => vector(row.format, operands.map(|operand| operand.low().into()), imm as u32),
        }
    }
}

/// Fields of operands.
static FIELDS: Fields = fields(&[
    At::Bit(12),
    At::Bit(16),
    At::Bit(0),
    At::Bit(8),
    At::Split(12, 22),
    At::Split(16, 7),
    At::Split(0, 5),
]);
const D: u8 = place(1);
const N: u8 = place(2);
const M: u8 = place(3);
const S: u8 = place(4);
const FLOAT_D: u8 = place(5);
const FLOAT_N: u8 = place(6);
const FLOAT_M: u8 = place(7);

crate::shapes!(ALL, shape);

const fn shape(row: &OpRow) -> Shape {
    match row.format {
        f::D_N_M | f::MEM_R => Shape::of(row, [D, N, M, 0]).part(0, 5, 7),
        // Eight bits that are not rotated.
        f::D_N_I => Shape::of(row, [D, N, 0, 0]).part(0, 8, 0).odd(!0xff),
        f::D_I => Shape::of(row, [D, 0, 0, 0]).part(0, 8, 0).odd(!0xff),
        f::N_I => Shape::of(row, [N, 0, 0, 0]).part(0, 8, 0).odd(!0xff),
        f::D_M => Shape::of(row, [D, M, 0, 0]).part(0, 5, 7),
        f::N_M => Shape::of(row, [N, M, 0, 0]).part(0, 5, 7),
        f::D_M_S => Shape::of(row, [D, M, S, 0]),
        f::D_W => Shape::of(row, [D, 0, 0, 0]).part(12, 4, 16).part(0, 12, 0),
        f::D_SYM => {
            let is_upper = row.encoding & 0x0040_0000 != 0;
            let relocation = if is_upper { R_ARM_MOVT_ABS } else { R_ARM_MOVW_ABS_NC };
            Shape::of(row, [D, 0, 0, 0]).part(12, 4, 16).part(0, 12, 0).relocated(relocation, 0)
        }
        f::M_ONLY => Shape::of(row, [M, 0, 0, 0]),
        f::D_ONLY => Shape::of(row, [D, 0, 0, 0]),
        f::D_ONLY_M => Shape::of(row, [D, M, 0, 0]),
        // The program counter is 12 bytes ahead of the word where the entry is loaded.
        f::THREAD_WORD => Shape::of(row, [0; 4]).relocated(R_ARM_TLS_IE32, -12),
        f::GOT_WORD => Shape::of(row, [0; 4]).relocated(R_ARM_GOT_PREL, -12),
        f::TLS_GD_WORD => Shape::of(row, [0; 4]).relocated(R_ARM_TLS_GD32, -12),
        f::TPREL_WORD => Shape::of(row, [0; 4]).relocated(R_ARM_TLS_LE32, 0),
        f::D_SYM_PC => {
            let is_upper = row.encoding & 0x0040_0000 != 0;
            let relocation = if is_upper { R_ARM_MOVT_PREL } else { R_ARM_MOVW_PREL_NC };
            Shape::of(row, [D, 0, 0, 0]).part(12, 4, 16).part(0, 12, 0).relocated(relocation, 0)
        }
        f::EXCLUSIVE_LOAD => Shape::of(row, [D, N, 0, 0]),
        f::EXCLUSIVE_STORE => Shape::of(row, [D, M, N, 0]),
        f::MULTIPLY => Shape::of(row, [N, M, S, D]),
        f::LONG => Shape::of(row, [D, N, M, S]),
        f::FIELD => Shape::of(row, [D, M, 0, 0]).other(),
        f::ONTO_FIELD => Shape::of(row, [D, 0, M, 0]).other(),
        // Offsets upward; negative ones are other.
        f::MEM_I => Shape::of(row, [D, N, 0, 0]).part(0, 12, 0).odd(1 << 31).fixed(1 << 23),
        f::MEM_H => Shape::of(row, [D, N, 0, 0]).part(4, 4, 8).part(0, 4, 0).odd(1 << 31).fixed(1 << 23),
        f::MEM_D => Shape::of(row, [D, 0, N, 0]).part(4, 4, 8).part(0, 4, 0).odd(1 << 31).fixed(1 << 23),
        f::LIST_2 => Shape::of(row, [0, 0, N, 0]).other(),
        f::VMEM => Shape::of(row, [FLOAT_D, N, 0, 0]).part(2, 8, 0).odd(1 << 31).fixed(1 << 23),
        f::MEM_LOAD => Shape::of(row, [N, D, 0, 0]).part(0, 12, 0).odd(1 << 31).fixed(1 << 23),
        f::MEM_STORE => Shape::of(row, [N, 0, D, 0]).part(0, 12, 0).odd(1 << 31).fixed(1 << 23),
        f::MEM_LOAD_BY => Shape::of(row, [N, D, 0, M]),
        f::MEM_STORE_BY => Shape::of(row, [N, 0, D, M]),
        f::VMEM_LOAD => Shape::of(row, [N, FLOAT_D, 0, 0]),
        f::VMEM_STORE => Shape::of(row, [N, 0, FLOAT_D, 0]),
        f::V3 => Shape::of(row, [FLOAT_D, FLOAT_N, FLOAT_M, 0]),
        f::V_ONTO => Shape::of(row, [FLOAT_D, 0, FLOAT_N, FLOAT_M]),
        f::V2 => Shape::of(row, [FLOAT_D, FLOAT_M, 0, 0]),
        f::V_I => Shape::of(row, [FLOAT_D, 0, 0, 0]).part(4, 4, 16).part(0, 4, 0),
        f::V1 => Shape::of(row, [FLOAT_D, 0, 0, 0]),
        f::CORE_V if row.encoding & 0x0010_0000 != 0 => Shape::of(row, [D, FLOAT_N, 0, 0]),
        f::CORE_V => Shape::of(row, [FLOAT_N, D, 0, 0]),
        f::CORE_PAIR => Shape::of(row, [D, N, 0, 0]),
        f::CORE_DOUBLE if row.encoding & 0x0010_0000 != 0 => Shape::of(row, [D, N, FLOAT_M, 0]),
        f::CORE_DOUBLE => Shape::of(row, [FLOAT_M, D, N, 0]),
        f::WIDEN => Shape::of(row, [FLOAT_M, 0, 0, 0]),
        f::TIED_M => Shape::of(row, [D, 0, M, 0]),
        f::TIED_N_I => Shape::of(row, [D, 0, N, 0]).part(0, 8, 0).odd(!0xff),
        f::TIED_V => Shape::of(row, [FLOAT_D, 0, FLOAT_M, 0]),
        // A call's addend makes up for the program counter being ahead.
        f::BRANCH if matches!(row.sym, SymKind::Func) => {
            let relocation = if row.flags & RETURN != 0 { R_ARM_JUMP24 } else { R_ARM_CALL };
            Shape::of(row, [0; 4]).fixed(0xff_fffe).relocated(relocation, -8)
        }
        f::FIXED => Shape::of(row, [0; 4]),
        _ => Shape::of(row, [0; 4]).other(),
    }
}

/// The fields of a row on vectors, from the numbers of its operands. A vector's halves have twice its number
/// and the next.
fn vector(format: u8, number: [u32; 4], imm: u32) -> u32 {
    // A half: four bits and, apart from them, the highest.
    let place = |half: u32, low: u32, high: u32| (half & 15) << low | half >> 4 << high;
    let d = |half| place(half, 12, 22);
    let n = |half| place(half, 16, 7);
    let m = |half| place(half, 0, 5);
    let [a, b, c, e] = number.map(|number| 2 * number);
    let offset = |imm: u32| u32::from(imm as i32 >= 0) << 23 | (imm as i32).unsigned_abs() >> 2 & 0xff;
    match format {
        f::Q3 | f::Q_LOW2 => d(a) | n(b) | m(c),
        f::Q_HIGH2 => d(a) | n(b + 1) | m(c + 1),
        f::Q_ONTO => d(a) | n(c) | m(e),
        f::Q2 => d(a) | m(b),
        f::Q_HIGH => d(a) | m(b + 1),
        f::Q_LEFT => d(a) | m(b) | ((32 + imm) & 63) << 16,
        f::Q_RIGHT => d(a) | m(b) | (64u32.wrapping_sub(imm) & 63) << 16,
        f::Q_ONTO_RIGHT => d(a) | m(c) | (64u32.wrapping_sub(imm) & 63) << 16,
        f::Q3_BACK => d(a) | m(b) | n(c),
        f::Q_CORE => n(a) | number[1] << 12,
        f::Q_LANE => d(a) | m(b) | (imm & 1) << 19,
        f::Q_LANE_HIGH => d(a) | m(b + 1) | (imm & 1) << 19,
        f::Q_SET => n(a) | number[2] << 12 | (imm & 1) << 21,
        f::Q_SET_HIGH => n(a + 1) | number[2] << 12 | (imm & 1) << 21,
        f::Q_GET => n(b) | number[0] << 12 | (imm & 1) << 21,
        f::Q_GET_HIGH => n(b + 1) | number[0] << 12 | (imm & 1) << 21,
        f::Q_EXT => d(a) | n(b) | m(c) | (imm & 3) << 10,
        f::Q_HALVES => d(a) | n(b) | m(b + 1),
        f::Q_LOW_TWICE | f::Q_BOTH => d(a) | n(b) | m(b),
        f::Q_BYTE => d(a) | (imm >> 7 & 1) << 24 | (imm >> 4 & 7) << 16 | imm & 15,
        f::Q_MEMORY | f::Q_TURN => d(a) | number[1] << 16,
        f::Q_TURN_HIGH => d(a + 1) | number[1] << 16,
        f::Q_LANE_UP => d(b) | number[0] << 16 | (imm & 1) << 7,
        f::Q_STORE_LANE_UP => d(c) | number[0] << 16 | (imm & 1) << 7,
        f::Q_STORE_LANE_UP_HIGH => d(c + 1) | number[0] << 16 | (imm & 1) << 7,
        f::Q_LANE_UP_HIGH => d(b + 1) | number[0] << 16 | (imm & 1) << 7,
        f::Q_ONTO_HIGH => d(a + 1) | m(c),
        f::Q_LOAD_UP => d(b) | number[0] << 16,
        f::Q_STORE_UP => d(c) | number[0] << 16,
        f::Q_LOAD_BY => d(b) | number[0] << 16 | number[3],
        f::Q_STORE_BY => d(c) | number[0] << 16 | number[3],
        f::Q_OFFSET => d(a) | number[1] << 16 | offset(imm),
        f::Q_OFFSET_HIGH => d(a + 1) | number[1] << 16 | offset(imm),
        _ => 0,
    }
}

/// The bytes of a row, for tests.
#[cfg(test)]
pub(crate) fn encode(row: &OpRow, operands: &[Operand], imm: i64) -> Vec<u8> {
    crate::isa::encode::bytes_of::<A32>(&super::TARGET, row, operands, imm)
}
