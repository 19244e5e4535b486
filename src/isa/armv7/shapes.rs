//! The straight path of ARMv7's encoder: the tables of `isa::shape`. Vectors, lists of registers, branches, rotated immediates and
//! negative offsets are for the general one.

use super::registers::ALL;
use super::rows::format as f;
use crate::isa::shape::{At, Fields, NAMED, Shape, fields, place};
use crate::mir::OpRow;

/// Fields of operands. An s register has four bits and, apart from them, the lowest.
pub static FIELDS: Fields = fields(&[
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

/// `R_ARM_CALL`, `R_ARM_MOVW_ABS_NC`, `R_ARM_MOVT_ABS` (ELF for the Arm Architecture, 5.6).
const R_CALL: u32 = 28;
const R_LOWER: u32 = 43;
const R_UPPER: u32 = 44;

/// Offsets are added.
const UPWARD: u32 = 1 << 23;
const NEGATIVE: u32 = 1 << 31;

/// By opcode.
pub static SHAPES: [Shape; ALL.len()] = {
    let mut shapes = [Shape::UNKNOWN; ALL.len()];
    let mut k = 0;
    while k < shapes.len() {
        shapes[k] = shape(&ALL[k]);
        k += 1;
    }
    shapes
};

const fn shape(row: &OpRow) -> Shape {
    if row.text.is_empty() {
        return Shape::UNKNOWN;
    }
    match row.format {
        f::FIXED => Shape::of(row, [0; 4]),
        f::D_N_M | f::MEM_R => Shape::of(row, [D, N, M, 0]).part(0, 5, 7),
        f::D_N_I => byte(Shape::of(row, [D, N, 0, 0])),
        f::D_M => Shape::of(row, [D, M, 0, 0]).part(0, 5, 7),
        f::D_I => byte(Shape::of(row, [D, 0, 0, 0])),
        f::N_M => Shape::of(row, [N, M, 0, 0]).part(0, 5, 7),
        f::N_I => byte(Shape::of(row, [N, 0, 0, 0])),
        f::D_M_S => Shape::of(row, [D, M, S, 0]),
        f::D_W => Shape::of(row, [D, 0, 0, 0]).part(12, 4, 16).part(0, 12, 0),
        f::D_SYM => {
            let relocation = if row.encoding & 0x0040_0000 != 0 { R_UPPER } else { R_LOWER };
            Shape { relocation, ..Shape::of(row, [D, 0, 0, 0]).part(12, 4, 16).part(0, 12, 0) }
        }
        f::MULTIPLY => Shape::of(row, [N, M, S, D]),
        f::LONG => Shape::of(row, [D, N, M, S]),
        f::MEM_I => upward(Shape::of(row, [D, N, 0, 0]).part(0, 12, 0)),
        f::VMEM => upward(Shape::of(row, [FLOAT_D, N, 0, 0]).part(2, 8, 0)),
        f::V3 => Shape::of(row, [FLOAT_D, FLOAT_N, FLOAT_M, 0]),
        f::V2 => Shape::of(row, [FLOAT_D, FLOAT_M, 0, 0]),
        f::V_I => Shape::of(row, [FLOAT_D, 0, 0, 0]).part(4, 4, 16).part(0, 4, 0),
        f::V1 => Shape::of(row, [FLOAT_D, 0, 0, 0]),
        f::CORE_V if row.encoding & 0x0010_0000 != 0 => Shape::of(row, [D, FLOAT_N, 0, 0]),
        f::CORE_V => Shape::of(row, [FLOAT_N, D, 0, 0]),
        f::CORE_PAIR => Shape::of(row, [D, N, 0, 0]),
        f::WIDEN => Shape::of(row, [FLOAT_M, 0, 0, 0]),
        f::TIED_M => Shape::of(row, [D, 0, M, 0]),
        f::TIED_V => Shape::of(row, [FLOAT_D, 0, FLOAT_M, 0]),
        f::BRANCH => {
            // A call. The addend makes up for the program counter being ahead.
            let shape = Shape::of(row, [0; 4]);
            let encoding = row.encoding | 0xff_fffe;
            if shape.kind != NAMED {
                return Shape::UNKNOWN;
            }
            Shape { encoding, relocation: R_CALL, addend: -8, odd: !0, ..shape }
        }
        _ => Shape::UNKNOWN,
    }
}

/// With an immediate of 8 bits; others may be rotated.
const fn byte(shape: Shape) -> Shape {
    Shape { odd: !0xff, ..shape.part(0, 8, 0) }
}

const fn upward(shape: Shape) -> Shape {
    Shape { encoding: shape.encoding | UPWARD, odd: NEGATIVE, ..shape }
}

#[cfg(test)]
mod tests {
    use super::super::encode::encode;
    use super::*;
    use crate::mir::{Operand, PReg};

    #[test]
    fn the_straight_path_makes_what_the_general_encoder_makes() {
        crate::isa::shape::tests::compare(&ALL, &SHAPES, &FIELDS, |row, operands, imm| {
            // The general encoder of moves between the files asks which operand is which.
            let classes = row.operands.bytes().filter(|&c| c != b'=');
            let of = |(class, operand): (u8, &Operand)| match class {
                b'f' => Operand::phys(PReg::float(operand.low())),
                _ => *operand,
            };
            let operands: Vec<Operand> = classes.zip(operands).map(of).collect();
            let imm = match row.format {
                f::MEM_I | f::VMEM => imm & 0xfff,
                _ => imm,
            };
            (encode(row, &operands, imm), imm)
        });
    }
}
