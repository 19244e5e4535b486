//! The bits of one row: the fixed ones, with operands and immediate filled in as its format says.
//!
//! Constant time. Labels and symbols are the caller's: it passes what stands in their place as the immediate.

use super::imm::rotated;
use super::rows::format as f;
use super::shapes::{FIELDS, SHAPES};
use crate::isa::encode::Rows;
use crate::isa::shape::{Fields, Shape};
use crate::mir::{Class, OpRow, Operand};
use crate::object::code::{Target, Writer};

/// The encoding A32.
pub struct A32;

impl Rows for A32 {
    fn tables() -> (&'static [Shape], &'static Fields) {
        (&SHAPES, &FIELDS)
    }

    fn row(code: &mut Writer, row: &OpRow, operands: &[Operand], imm: i64, target: Option<Target>) {
        if let Some(target) = target {
            // ELF for the Arm Architecture, 5.6: `R_ARM_CALL`, whose addend makes up for the program counter being ahead,
            // `R_ARM_MOVW_ABS_NC`, `R_ARM_MOVT_ABS`.
            let is_upper = row.encoding & 0x0040_0000 != 0;
            match row.format {
                f::BRANCH => code.fixup(28, target, -8),
                _ => code.fixup(if is_upper { 44 } else { 43 }, target, imm as i32),
            }
        }
        code.word(word(row, operands, imm as i32));
    }

    fn branch(gap: &mut [u8], row: &OpRow, operands: &[Operand], _: i32, distance: i64) {
        gap.copy_from_slice(&encode(row, operands, distance as i32).to_le_bytes());
    }
}

/// The word for a row with physical operands. `imm` is the row's immediate; of a branch, the bytes from it to
/// its target; of half a symbol's address, the addend that the relocation finds there.
pub fn encode(row: &OpRow, operands: &[Operand], imm: i32) -> u32 {
    word(row, operands, imm)
}

fn word(row: &OpRow, operands: &[Operand], imm: i32) -> u32 {
    let number = |k: usize| operands.get(k).map_or(0, |operand| operand.number());
    // An s register: four bits and, apart from them, the lowest.
    let single = |k: usize, high: u32, low: u32| number(k) >> 1 << high | (number(k) & 1) << low;
    let shift = (imm as u32 & 31) << 7;
    let rotated = || rotated(imm).unwrap_or(0);
    let upward = u32::from(imm >= 0) << 23;
    let fields = match row.format {
        f::D_N_M => number(0) << 12 | number(1) << 16 | number(2) | shift,
        f::D_N_I => number(0) << 12 | number(1) << 16 | rotated(),
        f::D_M => number(0) << 12 | number(1) | shift,
        f::D_I => number(0) << 12 | rotated(),
        f::N_M => number(0) << 16 | number(1) | shift,
        f::N_I => number(0) << 16 | rotated(),
        f::D_M_S => number(0) << 12 | number(1) | number(2) << 8,
        f::D_W | f::D_SYM => number(0) << 12 | (imm as u32 & 0xf000) << 4 | imm as u32 & 0xfff,
        f::MULTIPLY => number(0) << 16 | number(1) | number(2) << 8 | number(3) << 12,
        f::LONG => number(0) << 12 | number(1) << 16 | number(2) | number(3) << 8,
        f::FIELD => number(0) << 12 | number(1) | ((imm as u32).wrapping_sub(1) & 31) << 16,
        f::MEM_I => number(0) << 12 | number(1) << 16 | upward | imm.unsigned_abs() & 0xfff,
        f::MEM_R => number(0) << 12 | number(1) << 16 | number(2) | shift,
        f::VMEM => single(0, 12, 22) | number(1) << 16 | upward | imm.unsigned_abs() >> 2 & 0xff,
        f::V3 => single(0, 12, 22) | single(1, 16, 7) | single(2, 0, 5),
        f::V2 => single(0, 12, 22) | single(1, 0, 5),
        f::V_I => single(0, 12, 22) | (imm as u32 & 0xf0) << 12 | imm as u32 & 0xf,
        f::V1 => single(0, 12, 22),
        f::CORE_V => {
            let first = operands.first().and_then(|operand| operand.as_phys());
            let to_float = first.is_some_and(|reg| reg.class() == Class::FLOAT);
            let (core, float) = if to_float { (1, 0) } else { (0, 1) };
            number(core) << 12 | single(float, 16, 7)
        }
        f::CORE_PAIR => number(0) << 12 | number(1) << 16,
        f::WIDEN => single(0, 0, 5),
        // The program counter reads as the instruction's address + 8.
        f::BRANCH => (imm.wrapping_sub(8) >> 2) as u32 & 0xff_ffff,
        f::LIST => (2u32 << number(0)).wrapping_sub(1) & 0xfff0,
        f::VLIST => number(0).wrapping_sub(15) & 0xff,
        f::TIED_M => number(0) << 12 | number(2),
        f::Q3.. => vector(row.format, [0, 1, 2, 3].map(number), imm as u32),
        f::TIED_V => single(0, 12, 22) | single(2, 0, 5),
        _ => 0,
    };
    row.encoding | fields
}

/// The fields of a row on vectors, from the numbers of its operands. A vector's halves have twice its number and the next.
fn vector(format: u8, number: [u32; 4], imm: u32) -> u32 {
    // A half: four bits and, apart from them, the highest.
    let place = |half: u32, low: u32, high: u32| (half & 15) << low | half >> 4 << high;
    let d = |half| place(half, 12, 22);
    let n = |half| place(half, 16, 7);
    let m = |half| place(half, 0, 5);
    let [a, b, c, e] = number.map(|number| 2 * number);
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
        f::Q_MEMORY => d(a) | number[1] << 16,
        _ => 0,
    }
}
