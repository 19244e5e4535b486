//! Intervals of signed 32-bit numbers, and what operations and comparisons make of them.
//!
//! Everything wraps, so a result that may leave the 32 bits may be anything. O(1) each.

use crate::ir::{IntPred, Op};

/// The numbers from `low` to `high`; none where `low` is the greater one.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i32,
    /// The greatest.
    pub high: i32,
}

impl Default for Range {
    fn default() -> Range {
        Range::NONE
    }
}

impl Range {
    /// All numbers.
    pub const ALL: Range = Range { low: i32::MIN, high: i32::MAX };
    /// No number: of what is never computed.
    pub const NONE: Range = Range { low: i32::MAX, high: i32::MIN };

    /// One number.
    pub const fn one(x: i32) -> Range {
        Range { low: x, high: x }
    }

    /// From one number to another one, or anything where a sum would have wrapped.
    pub(super) fn wide(low: i64, high: i64) -> Range {
        match (i32::try_from(low), i32::try_from(high)) {
            (Ok(low), Ok(high)) => Range { low, high },
            _ => Range::ALL,
        }
    }

    /// True if there is no number.
    pub const fn is_none(self) -> bool {
        self.low > self.high
    }

    /// The number, if there is one only.
    pub fn single(self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// What is in either.
    #[must_use]
    pub fn join(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: Range) -> Range {
        Range { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// True if all of `other` is in here.
    pub fn has(self, other: Range) -> bool {
        other.is_none() || self.low <= other.low && other.high <= self.high
    }

    /// None of it is negative.
    pub const fn is_natural(self) -> bool {
        self.low >= 0
    }

    fn wide_ends(self) -> [i64; 2] {
        [self.low.into(), self.high.into()]
    }

    /// What is between the least and the greatest of `f` on the ends of both.
    fn ends(self, other: Range, f: impl Fn(i64, i64) -> i64) -> Range {
        let [(a, b), (c, d)] = [self, other].map(|r| (i64::from(r.low), i64::from(r.high)));
        let corners = [f(a, c), f(a, d), f(b, c), f(b, d)];
        let (low, high) =
            corners.iter().fold((i64::MAX, i64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        Range::wide(low, high)
    }
}

/// What an operation on two numbers of 32 bits makes.
pub fn result(op: Op, a: Range, b: Range) -> Range {
    if a.is_none() || b.is_none() {
        return Range::NONE;
    }
    let natural = a.is_natural() && b.is_natural();
    if let (Some(x), Some(y)) = (a.single(), b.single()) {
        match op {
            Op::And => return Range::one(x & y),
            Op::Or => return Range::one(x | y),
            Op::Xor => return Range::one(x ^ y),
            _ => {}
        }
    }
    match op {
        Op::Add => a.ends(b, |x, y| x + y),
        Op::Sub => a.ends(b, |x, y| x - y),
        Op::Mul => a.ends(b, |x, y| x * y),
        Op::SDiv if b.low > 0 => a.ends(b, |x, y| x / y),
        Op::SDiv if b.high < 0 && a.low > i32::MIN => a.ends(b, |x, y| x / y),
        Op::SRem => remainder(a, b),
        Op::UDiv if natural && b.low > 0 => a.ends(b, |x, y| x / y),
        Op::UDiv if b.low > 1 => Range::wide(0, i64::from(u32::MAX) / i64::from(b.low)),
        Op::URem if b.low > 0 => {
            let most = if a.is_natural() { a.high } else { i32::MAX };
            Range { low: 0, high: most.min(b.high - 1) }
        }
        Op::And if natural => Range { low: 0, high: a.high.min(b.high) },
        Op::And if a.is_natural() => Range { low: 0, high: a.high },
        Op::And if b.is_natural() => Range { low: 0, high: b.high },
        Op::Or if natural => Range { low: a.low.max(b.low), high: all_below(a.high | b.high) },
        Op::Xor if natural => Range { low: 0, high: all_below(a.high | b.high) },
        Op::Shl | Op::LShr | Op::AShr => match b.single() {
            Some(k @ 0..32) => shift(op, a, k as u32),
            _ if op != Op::Shl && a.is_natural() => Range { low: 0, high: a.high },
            _ => Range::ALL,
        },
        Op::SMin => Range { low: a.low.min(b.low), high: a.high.min(b.high) },
        Op::SMax => Range { low: a.low.max(b.low), high: a.high.max(b.high) },
        Op::UMin if natural => Range { low: a.low.min(b.low), high: a.high.min(b.high) },
        Op::UMax if natural => Range { low: a.low.max(b.low), high: a.high.max(b.high) },
        _ => Range::ALL,
    }
}

/// The sign is that of `a`. By zero, machines give `a` or zero.
fn remainder(a: Range, b: Range) -> Range {
    if b.low > 0 && a.high < b.low && a.low > -b.low {
        return a;
    }
    let most = match b.low <= 0 && b.high >= 0 {
        true => i64::MAX,
        false => b.wide_ends().map(i64::abs).into_iter().max().unwrap_or(0) - 1,
    };
    let [low, high] = a.wide_ends();
    Range::wide(low.min(0).max(-most), high.max(0).min(most))
}

fn shift(op: Op, a: Range, k: u32) -> Range {
    match op {
        Op::Shl => Range::wide(i64::from(a.low) << k, i64::from(a.high) << k),
        Op::LShr if k > 0 && !a.is_natural() => Range::wide(0, i64::from(u32::MAX >> k)),
        _ => Range { low: a.low >> k, high: a.high >> k },
    }
}

/// All bits below the highest one.
fn all_below(x: i32) -> i32 {
    if x <= 0 { 0 } else { i32::MAX >> (x.leading_zeros() - 1) }
}

/// How numbers of two ranges compare, if they all do so.
pub fn decide(pred: IntPred, a: Range, b: Range) -> Option<bool> {
    use IntPred::*;
    let known = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
    if a.is_none() || b.is_none() {
        return None;
    }
    match pred {
        Eq => known(a.single().is_some() && a == b, a.meet(b).is_none()),
        Ne => decide(Eq, a, b).map(|truth| !truth),
        Slt => known(a.high < b.low, a.low >= b.high),
        Sle => known(a.high <= b.low, a.low > b.high),
        Sgt => decide(Slt, b, a),
        Sge => decide(Sle, b, a),
        Ult | Ule | Ugt | Uge if a.is_natural() && b.is_natural() => decide(with_sign(pred), a, b),
        Ult | Ule if a.is_natural() && b.high < 0 => Some(true),
        Ult | Ule if a.high < 0 && b.is_natural() => Some(false),
        Ugt | Uge => decide(pred.swapped(), b, a),
        Ult | Ule => None,
    }
}

fn with_sign(pred: IntPred) -> IntPred {
    match pred {
        IntPred::Ult => IntPred::Slt,
        IntPred::Ule => IntPred::Sle,
        IntPred::Ugt => IntPred::Sgt,
        IntPred::Uge => IntPred::Sge,
        _ => pred,
    }
}

/// Those of `a` that compare so with some number of `b`.
pub fn restrict(a: Range, pred: IntPred, b: Range) -> Range {
    use IntPred::*;
    if a.is_none() || b.is_none() {
        return Range::NONE;
    }
    let up_to = |x: i64| a.meet(Range { low: i32::MIN, high: x.max(i32::MIN.into()) as i32 });
    let from = |x: i64| a.meet(Range { low: x.min(i32::MAX.into()) as i32, high: i32::MAX });
    let [low, high] = b.wide_ends();
    match pred {
        Eq => a.meet(b),
        Ne => match b.single() {
            Some(x) if a.low == a.high && a.low == x => Range::NONE,
            Some(x) if a.low == x => Range { low: x + 1, ..a },
            Some(x) if a.high == x => Range { high: x - 1, ..a },
            _ => a,
        },
        Slt if high == i64::from(i32::MIN) => Range::NONE,
        Slt => up_to(high - 1),
        Sle => up_to(high),
        Sgt if low == i64::from(i32::MAX) => Range::NONE,
        Sgt => from(low + 1),
        Sge => from(low),
        Ult if b.is_natural() && high == 0 => Range::NONE,
        Ult if b.is_natural() => a.meet(Range { low: 0, high: b.high - 1 }),
        Ule if b.is_natural() => a.meet(Range { low: 0, high: b.high }),
        Ugt | Uge if a.is_natural() && b.is_natural() => restrict(a, with_sign(pred), b),
        Ult | Ule | Ugt | Uge => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::random::Random;
    use crate::ir::{Number, Type, fold};

    fn random_range(random: &mut Random) -> Range {
        let mut end = || -> i32 {
            const EDGES: [i32; 8] = [0, 1, -1, i32::MIN, i32::MAX, i32::MIN + 1, i32::MAX - 1, 65536];
            match random.below(3) {
                0 => EDGES[random.below(8)],
                1 => random.below(40) as i32 - 20,
                _ => (random.below(1 << 16) << 16 | random.below(1 << 16)) as u32 as i32,
            }
        };
        let (a, b) = (end(), end());
        Range { low: a.min(b), high: a.max(b) }
    }

    /// The ends, what is next to them, zero and one, as far as they are in the range.
    fn samples(r: Range) -> Vec<i32> {
        let near = [
            r.low,
            r.low.wrapping_add(1),
            r.high,
            r.high.wrapping_sub(1),
            0,
            1,
            -1,
            2,
            31,
            r.low / 2 + r.high / 2,
        ];
        near.into_iter().filter(|&x| r.has(Range::one(x))).collect()
    }

    const OPS: [Op; 17] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::SDiv,
        Op::SRem,
        Op::UDiv,
        Op::URem,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Shl,
        Op::LShr,
        Op::AShr,
        Op::SMin,
        Op::SMax,
        Op::UMin,
        Op::UMax,
    ];

    #[test]
    fn results_and_comparisons_hold_for_what_is_in_the_ranges() {
        let mut random = Random::new(7);
        for _ in 0..40_000 {
            let (ra, rb) = (random_range(&mut random), random_range(&mut random));
            for a in samples(ra) {
                for b in samples(rb) {
                    let numbers = [a, b].map(|x| Number::int(Type::I32, x.into()));
                    for op in OPS {
                        let Some(c) = fold(op, Type::I32, 0, &numbers) else { continue };
                        let r = result(op, ra, rb);
                        assert!(r.has(Range::one(c.signed() as i32)), "{op:?} {ra:?} {rb:?}: {a} {b}, {r:?}");
                    }
                    for pred in IntPred::ALL {
                        let truth = fold(Op::ICmp, Type::I1, pred as u32, &numbers).unwrap().bits == 1;
                        assert!(
                            decide(pred, ra, rb).is_none_or(|known| known == truth),
                            "{pred:?} {ra:?} {rb:?}"
                        );
                        if truth {
                            assert!(
                                restrict(ra, pred, rb).has(Range::one(a)),
                                "{pred:?} {ra:?} {rb:?}: {a} {b}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_are_as_narrow_as_they_should_be() {
        let r = |low, high| Range { low, high };
        assert_eq!(result(Op::SRem, r(0, 100), Range::one(7)), r(0, 6));
        assert_eq!(result(Op::SRem, r(-3, 100), Range::one(-7)), r(-3, 6));
        assert_eq!(result(Op::SRem, r(2, 5), Range::one(7)), r(2, 5));
        assert_eq!(result(Op::SRem, Range::ALL, Range::ALL), Range::ALL);
        assert_eq!(result(Op::Xor, r(0, 9), r(3, 16)), r(0, 31));
        assert_eq!(result(Op::Add, r(0, i32::MAX), Range::one(1)), Range::ALL);
        assert_eq!(restrict(Range::ALL, IntPred::Slt, r(0, 10)), r(i32::MIN, 9));
        assert_eq!(decide(IntPred::Slt, r(0, 79), r(80, 90)), Some(true));
    }
}
