//! Rules for floating point: only those that hold for every number, infinities, both zeros, and NaN up to its
//! bits.
//!
//! Absent on purpose: x + 0.0 (it turns -0.0 into 0.0), x * 0.0, x - x, and everything that reassociates.

use crate::ir::Op;

/// Where an operation has this constant on the right, it yields its left operand.
#[derive(Copy, Clone, Debug)]
pub struct Neutral {
    /// The operation.
    pub op: Op,
    /// The constant, by its bits.
    pub right: f32,
}

/// x op right = x.
pub const NEUTRAL: [Neutral; 4] = [
    Neutral { op: Op::FAdd, right: -0.0 },
    Neutral { op: Op::FSub, right: 0.0 },
    Neutral { op: Op::FMul, right: 1.0 },
    Neutral { op: Op::FDiv, right: 1.0 },
];

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
            for Neutral { op, right } in NEUTRAL {
                assert!(same(apply(op, x, right), x), "{op:?} {x} {right}");
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
