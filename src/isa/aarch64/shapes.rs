//! The straight path of AArch64's encoder: the tables of `isa::shape`. Vectors, masks and branches are for the general one.

use super::encode::{access_shift, relocation};
use super::rows::OPS;
use super::rows::format as f;
use crate::isa::shape::{At, Fields, Shape, fields, place};
use crate::mir::OpRow;

/// Fields of operands.
pub static FIELDS: Fields = fields(&[At::Bit(0), At::Bit(5), At::Bit(16), At::Bit(10)]);
const D: u8 = place(1);
const N: u8 = place(2);
const M: u8 = place(3);
const A: u8 = place(4);

/// By opcode.
pub static SHAPES: [Shape; OPS.len()] = {
    let mut shapes = [Shape::UNKNOWN; OPS.len()];
    let mut k = 0;
    while k < shapes.len() {
        shapes[k] = shape(&OPS[k]);
        k += 1;
    }
    shapes
};

const fn shape(row: &OpRow) -> Shape {
    let shift = access_shift(row.encoding);
    let shape = match row.format {
        f::RRR => Shape::of(row, [D, N, M, 0]),
        f::RRR_SHIFT => Shape::of(row, [D, N, M, 0]).part(0, 6, 10),
        f::RRR_EXTEND => Shape::of(row, [D, N, M, 0]).part(0, 3, 10),
        f::RRRR => Shape::of(row, [D, N, M, A]),
        f::RR_IMM12 => Shape::of(row, [D, N, 0, 0]).part(0, 12, 10),
        f::RR_LSR => {
            let shape = Shape::of(row, [D, N, 0, 0]).part(0, 6, 16);
            let width = 32 << (row.encoding >> 31);
            Shape { encoding: row.encoding | (width - 1) << 10, ..shape }
        }
        f::RR => Shape::of(row, [D, N, 0, 0]),
        f::R_M => Shape::of(row, [D, M, 0, 0]),
        f::CMP_RR => Shape::of(row, [N, M, 0, 0]),
        f::CMP_SHIFT => Shape::of(row, [N, M, 0, 0]).part(0, 6, 10),
        f::CMP_EXTEND => Shape::of(row, [N, M, 0, 0]).part(0, 3, 10),
        f::CMP_IMM12 => Shape::of(row, [N, 0, 0, 0]).part(0, 12, 10),
        f::CMP_R => Shape::of(row, [N, 0, 0, 0]),
        f::R_IMM16 => Shape::of(row, [D, 0, 0, 0]).part(0, 16, 5),
        f::R => Shape::of(row, [D, 0, 0, 0]),
        f::ADRP => Shape::of(row, [D, 0, 0, 0]),
        f::LO12 | f::LOAD_LO12 => Shape::of(row, [D, N, 0, 0]),
        f::LOAD_SCALED => Shape::of(row, [D, N, 0, 0]).part(shift, 12, 10),
        f::LOAD_UNSCALED => Shape::of(row, [D, N, 0, 0]).part(0, 9, 12),
        // The amount is 0, or as many bits as the access has bytes. One bit of that says which.
        f::LOAD_INDEXED => {
            let bit = 31 - (shift | 1).leading_zeros();
            Shape { odd: !shift, ..Shape::of(row, [D, N, M, 0]).part(bit, 1, 12) }
        }
        f::PAIR => {
            let (size, is_float) = (row.encoding >> 30, row.encoding >> 26 & 1 != 0);
            let scale = if is_float { 2 + size } else { 2 + (size >> 1) };
            Shape::of(row, [D, A, N, 0]).part(scale, 7, 15)
        }
        f::CALL | f::NONE => Shape::of(row, [0; 4]),
        _ => return Shape::UNKNOWN,
    };
    if row.text.is_empty() {
        return Shape::UNKNOWN;
    }
    Shape { relocation: relocation(row), ..shape }
}

#[cfg(test)]
mod tests {
    use super::super::encode::encode;
    use super::*;

    #[test]
    fn the_straight_path_makes_what_the_general_encoder_makes() {
        crate::isa::shape::tests::compare(&OPS, &SHAPES, &FIELDS, |row, operands, imm| {
            let imms: &[i32] = match row.format {
                f::LOAD_INDEXED => &[0, access_shift(row.encoding) as i32],
                // Of a call, the relocation says it all.
                f::CALL => &[0, 0],
                _ => &[],
            };
            let imm = if imms.is_empty() { imm } else { imms[(imm & 1) as usize] };
            (encode(row, operands, imm.into()), imm)
        });
    }
}
