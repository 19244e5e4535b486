//! What passes may know of the machine that code is for: a row of numbers a target (and its features), no
//! name.

use super::magic::{Odd, factor};
use crate::ir::legal::Vectors;
use crate::ir::{Op, Type};

/// What instructions there are, and what they cost. The default is of no machine: nothing is expanded for it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetFacts {
    /// Bits of a register; 0 if nothing is known.
    pub word: u32,
    /// a + (b << k) is one instruction for k up to this.
    pub shifted_sum: u32,
    /// So is a - (b << k) for any k.
    pub shifted_difference: bool,
    /// So is (a << k) - b.
    pub reverse_difference: bool,
    /// So is a & -2^k for k up to this.
    pub mask: u32,
    /// So are a - b c and a + b c.
    pub multiply_subtract: bool,
    /// A remainder is one instruction, not what a quotient leaves.
    pub remainders: bool,
    /// A product of 64 bits costs what one of 32 does, and widening with the sign nothing.
    pub wide_products: bool,
    /// So does the upper half of a product of 64 bits, whole.
    pub upper_products: bool,
    /// Two integers are compared in the branch itself.
    pub compare_and_branch: bool,
    /// An integer is compared with zero in the branch itself.
    pub branch_on_zero: bool,
    /// A select is one instruction on flags,
    pub chooses: bool,
    /// also if one operand is x + 1 or -x (`csinc`, `csneg`),
    pub chooses_next: bool,
    /// or x plus a constant, or the other operand plus or minus x (`addlt`).
    pub chooses_sum: bool,
    /// As many neighbouring targets are worth a table of jumps (`ir/switch`).
    pub least_table: usize,
    /// An address may be a base plus a subscript times the size of what is loaded or stored: an integer,
    pub scaled_int: bool,
    /// a floating number.
    pub scaled_float: bool,
    /// The most bytes by which an access may move its base for nothing, behind it or before it: of an
    /// integer,
    pub moving_int: i64,
    /// of a floating number; 4 stands for one float, up behind it and down before it.
    pub moving_float: i64,
    /// of a vector: only behind it, where there are no offsets from its base.
    pub moving_vector: i64,
    /// On the core that is tuned for, an access by a base that another one has updated (post-increment) waits for that one.
    pub moving_waits: bool,
    /// Cycles that a mispredicted branch costs that core; 0 if nothing is known of it.
    pub mispredict: u8,
    /// The smallest and the largest offset from a base, of an integer,
    pub offsets_int: [i64; 2],
    /// of a floating number.
    pub offsets_float: [i64; 2],
    /// of a vector.
    pub offsets_vector: [i64; 2],
    /// Neighbours in memory are loaded or stored two at a time,
    pub pairs: bool,
    /// or only vectors, by a pointer that moves on.
    pub moving_pairs: bool,
    /// Registers that a loop may fill, for integers and for floats.
    pub registers: [u32; 2],
    /// The largest offset of a load or store of 32 bits.
    pub offset: u32,
    /// Lanes of a vector may lie in memory any number of bytes apart.
    pub any_stride: bool,
    /// Operations on vectors may leave lanes as they are by a mask.
    pub masks: bool,
    /// What it does to vectors.
    pub vectors: Vectors,
}

/// Instructions that a product may take; a multiplication takes three cycles, and its factor a register.
const MOST: u32 = 2;

impl TargetFacts {
    /// The offsets that an access to a value of a type may have from its base; of no type, what each has.
    pub fn offsets(&self, ty: Type) -> [i64; 2] {
        match ty {
            Type::I32 if self.offsets_int != [0, 0] => self.offsets_int,
            Type::F32 if self.offsets_float != [0, 0] => self.offsets_float,
            ty if self.vectors.has(Op::Load, ty) => self.offsets_vector,
            _ => [-256, 510],
        }
    }

    /// True if an access to a value of a type may move its base by so many bytes, before it (`first`) or
    /// behind it.
    pub fn moves_base(&self, ty: Type, by: i64, first: bool) -> bool {
        match ty {
            Type::I32 => by.abs() <= self.moving_int,
            Type::F32 if self.moving_float == 4 => by == if first { -4 } else { 4 },
            Type::F32 => by.abs() <= self.moving_float,
            ty if self.vectors.has(Op::Load, ty) => {
                by.abs() <= self.moving_vector && !(first && self.offsets_vector == [0, 0])
            }
            _ => false,
        }
    }

    /// How to multiply by `x` without a multiplication, if that pays: an odd factor, and a shift after it.
    pub fn product(&self, x: i64) -> Option<(Odd, u32)> {
        let (odd, zeros, _) = self.product_of(x).filter(|product| product.2 <= MOST)?;
        Some((odd, zeros))
    }

    /// True if a multiplication by `x` whose product is only added to something is as well left in the sum: it would
    /// take two instructions.
    pub fn stays_in_sum(&self, x: i64) -> bool {
        self.multiply_subtract && self.product_of(x).is_some_and(|product| product.2 == MOST)
    }

    /// See `product`: and how many instructions it takes.
    fn product_of(&self, x: i64) -> Option<(Odd, u32, u32)> {
        let (odd, zeros) = factor(x)?;
        let one_or_two = |is_one: bool| if is_one { 1 } else { 2 };
        let first = match odd {
            Odd::One => 0,
            // A shift to the left is part of the difference, where that can be.
            Odd::MinusOne if self.shifted_difference => return Some((odd, zeros, 1)),
            Odd::MinusOne => 1,
            Odd::PowerPlusOne(k) => one_or_two(k <= self.shifted_sum),
            Odd::PowerMinusOne(_) => one_or_two(self.reverse_difference),
            Odd::OneMinusPower(_) => one_or_two(self.shifted_difference),
        };
        Some((odd, zeros, first + u32::from(zeros != 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_take_at_most_two_instructions() {
        let plain = TargetFacts { word: 64, ..TargetFacts::default() };
        let shifts = TargetFacts { shifted_sum: 31, shifted_difference: true, ..plain };
        let all = TargetFacts { reverse_difference: true, ..shifts };
        for (x, by) in [
            (8, [true; 3]),
            (-8, [true; 3]),
            (9, [true; 3]),
            (7, [true; 3]),
            (-7, [true; 3]),
            (10, [false, true, true]),
            (-14, [false, true, true]),
            (14, [false, false, true]),
            (11, [false; 3]),
            (0, [false; 3]),
        ] {
            assert_eq!([plain, shifts, all].map(|facts| facts.product(x).is_some()), by, "{x}");
        }
    }
}
