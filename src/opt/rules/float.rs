//! Rules for floating point: those that hold for every number, infinities, both zeros, and NaN up to its
//! bits; and those that need a promise of the instruction (`-ffast-math`), which they name.
//!
//! x + 0.0 turns -0.0 into 0.0, x * 0.0 is no 0.0 of an infinity, x - x none of a NaN.

use crate::ir::{Flags, Op};

/// What an operation with this constant yields.
#[derive(Copy, Clone, Debug)]
pub struct Rule {
    /// The operation.
    pub op: Op,
    /// The constant, by its bits.
    pub right: f32,
    /// What the instruction has to promise.
    pub needs: Flags,
}

const fn rule(op: Op, right: f32, needs: Flags) -> Rule {
    Rule { op, right, needs }
}

impl Rule {
    /// True if this is about an operation with a constant on the right, and what it promises.
    pub fn is_of(&self, op: Op, right: f32, flags: Flags) -> bool {
        self.op == op && self.right.to_bits() == right.to_bits() && flags.has(self.needs)
    }
}

/// x op right = x.
pub const NEUTRAL: [Rule; 6] = [
    rule(Op::FAdd, -0.0, Flags::NONE),
    rule(Op::FSub, 0.0, Flags::NONE),
    rule(Op::FMul, 1.0, Flags::NONE),
    rule(Op::FDiv, 1.0, Flags::NONE),
    rule(Op::FAdd, 0.0, Flags::NSZ),
    rule(Op::FSub, -0.0, Flags::NSZ),
];

/// x op right = right.
pub const ABSORBING: [Rule; 2] =
    [rule(Op::FMul, 0.0, Flags::NNAN.with(Flags::NSZ)), rule(Op::FMul, -0.0, Flags::NNAN.with(Flags::NSZ))];

/// x op x = right.
pub const EQUAL: [Rule; 2] = [rule(Op::FSub, 0.0, Flags::NNAN), rule(Op::FDiv, 1.0, Flags::NNAN)];

/// x op (-y) = x other y.
pub const NEGATED_RIGHT: [(Op, Op); 2] = [(Op::FAdd, Op::FSub), (Op::FSub, Op::FAdd)];

/// The number whose product with any x is x / `divisor`: there is one if `divisor` is a power of two and
/// neither it nor its reciprocal is subnormal.
pub fn exact_reciprocal(divisor: f32) -> Option<f32> {
    let bits = divisor.to_bits();
    let exponent = bits >> 23 & 0xff;
    // 254 - exponent is the exponent of the reciprocal; both must be from 1 to 254.
    (bits & 0x7f_ffff == 0 && (1..=253).contains(&exponent)).then(|| 1.0 / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: f32, b: f32) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    /// The same to who promises so much: nothing is said of a NaN, or of the sign of a zero.
    fn same_to(needs: Flags, args: [f32; 2], a: f32, b: f32) -> bool {
        let is_nan = a.is_nan() || args.iter().any(|x| x.is_nan());
        let is_zero = a == 0.0 && b == 0.0;
        same(a, b) || is_nan && needs.has(Flags::NNAN) || is_zero && needs.has(Flags::NSZ)
    }

    fn apply(op: Op, a: f32, b: f32) -> f32 {
        match op {
            Op::FAdd => a + b,
            Op::FSub => a - b,
            Op::FMul => a * b,
            _ => a / b,
        }
    }

    /// Every exponent, both signs, and mantissas at the edges.
    fn numbers() -> Vec<f32> {
        let mantissas = [0, 1, 2, 3, 0x2a_aaaa, 0x40_0000, 0x7f_fffe, 0x7f_ffff];
        let parts = (0..512u32).flat_map(|top| mantissas.map(|low| f32::from_bits(top << 23 | low)));
        parts.collect()
    }

    #[test]
    fn every_rule_holds_for_numbers_of_every_kind() {
        for x in numbers() {
            for Rule { op, right, needs } in NEUTRAL {
                assert!(same_to(needs, [x, right], apply(op, x, right), x), "{op:?} {x} {right}");
            }
            for Rule { op, right, needs } in ABSORBING {
                assert!(same_to(needs, [x, right], apply(op, x, right), right), "{op:?} {x} {right}");
            }
            for Rule { op, right, needs } in EQUAL {
                assert!(same_to(needs, [x, x], apply(op, x, x), right), "{op:?} {x}");
            }
            for y in [0.0, -0.0, 1.0, -3.5, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, x] {
                for (op, other) in NEGATED_RIGHT {
                    assert!(same(apply(op, x, -y), apply(other, x, y)), "{op:?} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn a_reciprocal_is_exact_for_every_dividend_or_there_is_none() {
        let mut found = 0;
        for divisor in numbers() {
            let Some(reciprocal) = exact_reciprocal(divisor) else { continue };
            found += 1;
            for x in numbers() {
                assert!(same(x / divisor, x * reciprocal), "{x} / {divisor}");
            }
        }
        assert_eq!(found, 2 * 253);
        assert_eq!([0.0, 3.0, f32::INFINITY, f32::NAN, 1e-40].map(exact_reciprocal), [None; 5]);
    }
}
