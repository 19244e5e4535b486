//! Immediates: which constants fit an instruction, and the shortest way to make the others.
//!
//! (Logical immediates: Arm ARM, `DecodeBitMasks`: an element of 2 to 64 bits that is a rotated run of ones,
//! repeated.)

use super::rows::int;
use crate::mir::MachineOp;

/// The 13 bits N:immr:imms of a bit mask of `bits` (32 or 64), if `x` is one.
pub fn logical(x: u64, bits: u32) -> Option<u32> {
    let x = if bits == 32 { (x & 0xffff_ffff) | x << 32 } else { x };
    if x == 0 || x == u64::MAX {
        return None;
    }
    // The smallest period.
    let mut size = 64;
    while size > 2 && {
        let half = size / 2;
        let mask = (1u64 << half) - 1;
        x & mask == x >> half & mask
    } {
        size /= 2;
    }
    let mask = u64::MAX >> (64 - size);
    let element = x & mask;
    // Rotate the run of ones down to bit 0; `rotation` is by how much it was rotated right.
    let low = element.trailing_zeros();
    let (rotated, rotation) = if element & 1 == 0 {
        (element >> low, size - low)
    } else {
        let high = (!element & mask).leading_zeros() - (64 - size);
        // Twice, because a shift by all 64 bits is none.
        ((element << high | element >> (size - high - 1) >> 1) & mask, high)
    };
    let ones = rotated.count_ones();
    if rotated & rotated.wrapping_add(1) != 0 {
        return None;
    }
    let imms = (0x3f & !(2 * size - 1)) | (ones - 1);
    Some(u32::from(size == 64) << 12 | (rotation % size) << 6 | imms)
}

/// The immediate of an `add` or `sub` (not negative), and true if it is shifted by 12.
pub fn arithmetic(x: i64) -> Option<(i32, bool)> {
    match x {
        0..=0xfff => Some((x as i32, false)),
        0x1000..=0xff_f000 if x & 0xfff == 0 => Some(((x >> 12) as i32, true)),
        _ => None,
    }
}

/// Ten million times a number that `fmov` can make: 16 to 31 sixteenths, times 2 to the power of -3 to 4.
pub fn float8(x: f64) -> Option<i32> {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let fits = (-3..=4).contains(&exponent) && x.to_bits() << 16 == 0;
    fits.then_some((x * 1e7) as i32)
}

/// The 8 bits sign:exponent:fraction of a result of `float8`.
pub fn from_float8(imm: i32) -> u32 {
    let bits = (f64::from(imm) / 1e7).to_bits();
    let exponent = (bits >> 52 & 0x7ff) as u32;
    ((bits >> 63) as u32) << 7 | (exponent >> 10 ^ 1) << 6 | (exponent & 3) << 4 | (bits >> 48 & 15) as u32
}

/// One to four instructions that make a constant, in order; all but the first change what is there.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    steps: [(MachineOp, i32); 4],
    len: usize,
}

impl Steps {
    fn push(&mut self, op: MachineOp, imm: i32) {
        self.steps[self.len] = (op, imm);
        self.len += 1;
    }

    /// Opcode and immediate of each instruction. Of `MOV_X_WIDE_MASK` the mask is the constant.
    pub fn as_slice(&self) -> &[(MachineOp, i32)] {
        &self.steps[..self.len]
    }
}

/// How to make a constant of 32 bits.
pub fn steps_w(x: u32) -> Steps {
    use int::{MOVK_W16, MOVN_W0, MOVN_W16, MOVZ_W0, MOVZ_W16};
    let mut steps = Steps { steps: [(MOVZ_W0, 0); 4], len: 0 };
    let (low, high) = ((x & 0xffff) as i32, (x >> 16) as i32);
    match (low, high) {
        (_, 0) => steps.push(MOVZ_W0, low),
        (0, _) => steps.push(MOVZ_W16, high),
        (_, 0xffff) => steps.push(MOVN_W0, low ^ 0xffff),
        (0xffff, _) => steps.push(MOVN_W16, high ^ 0xffff),
        _ if logical(u64::from(x), 32).is_some() => steps.push(int::MOV_W_MASK, x as i32),
        _ => {
            steps.push(MOVZ_W0, low);
            steps.push(MOVK_W16, high);
        }
    }
    steps
}

/// How to make a constant of 64 bits.
pub fn steps_x(x: i64) -> Steps {
    const MOVZ: [MachineOp; 4] = [int::MOVZ_X0, int::MOVZ_X16, int::MOVZ_X32, int::MOVZ_X48];
    const MOVN: [MachineOp; 4] = [int::MOVN_X0, int::MOVN_X16, int::MOVN_X32, int::MOVN_X48];
    const MOVK: [MachineOp; 4] = [int::MOVK_X0, int::MOVK_X16, int::MOVK_X32, int::MOVK_X48];
    let half = |k: usize| (x >> (16 * k) & 0xffff) as i32;
    let count = |value: i32| (0..4).filter(|&k| half(k) == value).count();
    let (zeros, ones) = (count(0), count(0xffff));
    let mut steps = Steps { steps: [(int::MOVZ_X0, 0); 4], len: 0 };
    if zeros.max(ones) < 3 && logical(x as u64, 64).is_some() {
        match i32::try_from(x) {
            Ok(x) => steps.push(int::MOV_X_MASK, x),
            Err(_) => steps.push(int::MOV_X_WIDE_MASK, 0),
        }
        return steps;
    }
    let (first, fill, flip) = if ones > zeros { (&MOVN, 0xffff, 0xffff) } else { (&MOVZ, 0, 0) };
    for k in 0..4 {
        if half(k) != fill || k == 3 && steps.len == 0 {
            match steps.len {
                0 if half(k) == fill => steps.push(first[0], 0),
                0 => steps.push(first[k], half(k) ^ flip),
                _ => steps.push(MOVK[k], half(k)),
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mask that 13 bits stand for, by the manual's `DecodeBitMasks`.
    fn decode(bits: u32, width: u32) -> u64 {
        let (n, immr, imms) = (bits >> 12, bits >> 6 & 63, bits & 63);
        let len = 31 - (n << 6 | !imms & 63).leading_zeros();
        let size = 1 << len;
        let (s, r) = (imms & (size - 1), immr & (size - 1));
        let ones = u64::MAX >> (63 - s);
        let mask = u64::MAX >> (64 - size);
        let element = if r == 0 { ones } else { (ones >> r | ones << (size - r)) & mask };
        let mut x = 0;
        for k in 0..64 / size {
            x |= element << (k * size);
        }
        if width == 32 { x & 0xffff_ffff } else { x }
    }

    #[test]
    fn masks_decode_to_themselves_and_there_are_as_many_as_there_should_be() {
        let mut count = 0;
        for size in [2u32, 4, 8, 16, 32, 64] {
            for ones in 1..size {
                for rotation in 0..size {
                    let element = u64::MAX >> (64 - ones);
                    let mask = u64::MAX >> (64 - size);
                    let element = if rotation == 0 {
                        element
                    } else {
                        (element >> rotation | element << (size - rotation)) & mask
                    };
                    let x = (0..64 / size).fold(0, |x, k| x | element << (k * size));
                    assert_eq!(logical(x, 64).map(|bits| decode(bits, 64)), Some(x), "{x:#x}");
                    if size <= 32 {
                        let x = x & 0xffff_ffff;
                        assert_eq!(logical(x, 32).map(|bits| decode(bits, 32)), Some(x), "{x:#x}");
                    }
                    count += 1;
                }
            }
        }
        assert_eq!(count, 5334);
        for x in [0, u64::MAX, 5, 0xffff_0001, 0x1234] {
            assert_eq!(logical(x, 64), None, "{x:#x}");
        }
        assert_eq!(logical(0xffff_ffff_0000_0000, 32), None);
    }

    /// What the steps leave in a register.
    fn run(steps: Steps, x: i64) -> i64 {
        let mut value = 0u64;
        for &(op, imm) in steps.as_slice() {
            let row = &super::super::rows::OPS[op.0 as usize];
            let shift = 16 * (row.encoding >> 21 & 3);
            let field = u64::from(imm as u32) << shift;
            value = match &row.name[..4] {
                "movz" => field,
                "movn" => !field,
                "movk" => value & !(0xffff << shift) | field,
                _ if op == int::MOV_X_WIDE_MASK => x as u64,
                _ => imm as i64 as u64,
            };
        }
        value as i64
    }

    #[test]
    fn steps_make_their_constant_in_as_few_as_can_be() {
        let cases = [(0, 1), (-1, 1), (65535, 1), (65536, 1), (-65537, 1), (0x12345, 2), (0x5555_5555, 1)];
        for (x, len) in cases {
            let steps = steps_w(x as u32);
            assert_eq!((run(steps, 0) as i32, steps.as_slice().len()), (x, len), "{x:#x}");
        }
        let cases = [
            (0, 1),
            (-1, 1),
            (-2, 1),
            (1 << 40, 1),
            (0x1234_5678, 2),
            (-0x1234_5678, 2),
            (0x5555_5555_5555_5555, 1),
            (0x1234_0000_5678, 2),
            (0x1234_5678_9abc_def0, 4),
            (0xffff_1234_ffff_5678_u64 as i64, 2),
            (i64::MIN, 1),
            (i64::MAX, 1),
        ];
        for (x, len) in cases {
            let steps = steps_x(x);
            assert_eq!((run(steps, x), steps.as_slice().len()), (x, len), "{x:#x}");
        }
    }

    #[test]
    fn floats_of_eight_bits() {
        assert_eq!(
            (float8(1.0), float8(-31.0), float8(0.125)),
            (Some(10_000_000), Some(-310_000_000), Some(1_250_000))
        );
        assert_eq!(
            (float8(1.9375), float8(31.5), float8(0.0), float8(0.1)),
            (Some(19_375_000), None, None, None)
        );
        assert_eq!((float8(32.0), float8(f64::NAN), float8(0.0625)), (None, None, None));
    }
}
