//! Products and quotients by constants, as numbers; `opt/values/expand` makes instructions of them.
//!
//! A product by 2^j (2^k + 1) and the like is shifts and sums. A quotient is the upper half of a product with
//! a scaled reciprocal, the "magic number" (Granlund and Montgomery, "Division by invariant integers using
//! multiplication", 1994; Warren, Hacker's Delight, chapter 10). All constant time, near enough: a reciprocal
//! tries at most 64 scales.

/// An odd factor as a shift and a sum of what it multiplies, a.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Odd {
    /// 1: a.
    One,
    /// -1: -a.
    MinusOne,
    /// 2^k + 1: (a << k) + a.
    PowerPlusOne(u32),
    /// 2^k - 1: (a << k) - a.
    PowerMinusOne(u32),
    /// 1 - 2^k: a - (a << k).
    OneMinusPower(u32),
}

/// A factor other than 0 as an odd one and the power of two that it is shifted left by after that; none if
/// the odd one has no such form.
pub fn factor(x: i64) -> Option<(Odd, u32)> {
    if x == 0 {
        return None;
    }
    let zeros = x.trailing_zeros();
    let x = x >> zeros;
    let power = |x: i64| (x > 1 && x & (x - 1) == 0).then(|| x.trailing_zeros());
    let odd = match x {
        1 => Some(Odd::One),
        -1 => Some(Odd::MinusOne),
        _ => power(x.wrapping_sub(1))
            .map(Odd::PowerPlusOne)
            .or_else(|| power(x.wrapping_add(1)).map(Odd::PowerMinusOne))
            .or_else(|| power(1i64.wrapping_sub(x)).map(Odd::OneMinusPower)),
    };
    odd.map(|odd| (odd, zeros))
}

/// The inverse of an odd number, modulo 2^64: what is a multiple of it is divided by one product. (Hacker's Delight, 10-16:
/// each step doubles the bits that are right, of which there are three at first.)
pub fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// The scaled reciprocal of a divisor: n / d is n x multiplier >> (bits + shift), plus 1 if n is negative.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reciprocal {
    /// Below 2^bits.
    pub multiplier: u64,
    /// See above.
    pub shift: u32,
}

/// For signed dividends of `bits` (32 or 64) and a divisor of at least 2 and at most 2^(bits-1). (Hacker's
/// Delight, figure 10-1.)
pub fn signed_reciprocal(d: u64, bits: u32) -> Reciprocal {
    if bits == 32 { of_words(d) } else { in_wide_numbers(d, bits) }
}

/// The shifts for words of the divisors that programs mostly have: no predictor knows where the search ends.
static SHIFTS: [u8; 1024] = {
    let mut shifts = [0; 1024];
    let mut d = 2;
    while d < shifts.len() {
        shifts[d] = shift_of_words(d as u64) as u8;
        d += 1;
    }
    shifts
};

/// For 32 bits all fits in 64.
fn of_words(d: u64) -> Reciprocal {
    let shift = SHIFTS.get(d as usize).map_or_else(|| shift_of_words(d), |&shift| shift.into());
    Reciprocal { multiplier: (1 << (32 + shift)) / d + 1, shift }
}

/// From one scale to the next there is no division: 2^p = quotient x d + rest.
const fn shift_of_words(d: u64) -> u32 {
    let half = 1u64 << 31;
    // The largest |n| whose remainder is d - 1.
    let largest = half - 1 - half % d;
    let mut p = 32;
    let mut rest = (1u64 << p) % d;
    while 1u64 << p <= largest * (d - rest) && p < 63 {
        p += 1;
        rest = 2 * rest % d;
    }
    p - 32
}

fn in_wide_numbers(d: u64, bits: u32) -> Reciprocal {
    let (d, half) = (u128::from(d), 1u128 << (bits - 1));
    // The largest |n| whose remainder is d - 1.
    let largest = half - 1 - half % d;
    let mut p = bits;
    while 1u128 << p <= largest * (d - (1u128 << p) % d) {
        p += 1;
    }
    let multiplier = ((1u128 << p) + d - (1u128 << p) % d) / d;
    Reciprocal { multiplier: multiplier as u64, shift: p - bits }
}

/// For unsigned dividends of 32 bits and a divisor of at least 2, if a multiplier of 32 bits is enough.
pub fn unsigned_reciprocal(d: u32) -> Option<Reciprocal> {
    let d = u128::from(d);
    let largest = (1u128 << 32) - 1 - (1u128 << 32) % d;
    let mut p = 32;
    while 1u128 << p <= largest * (d - 1 - ((1u128 << p) - 1) % d) {
        p += 1;
    }
    let multiplier = ((1u128 << p) + d - 1 - ((1u128 << p) - 1) % d) / d;
    (multiplier < 1 << 32).then_some(Reciprocal { multiplier: multiplier as u64, shift: p - 32 })
}

/// 2^64 / d as a factor whose product with n, modulo 2^64, is the fraction of n / d: the upper half of that times d is the
/// remainder of n in [0, 2^32), and for -n in its place d - 1 minus the remainder of n. For d above 2 and below 2^32, no
/// power of two. (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019.) The factor may be larger than
/// needed, as long as n times its error stays below 2^64: of such factors this is the one with the most zeros at its end,
/// which machines make in fewer instructions.
pub fn fraction(d: u64) -> u64 {
    let least = u64::MAX / d + 1;
    // least d - 2^64: what the factor is too large by, times d.
    let error = least.wrapping_mul(d);
    let most = least + ((1 << 32) - 1 - error) / d;
    let zeros = 63 - ((least - 1) ^ most).leading_zeros();
    most >> zeros << zeros
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::graph::random::Random;

    #[test]
    fn factors_multiply() {
        let numbers =
            [i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 1 << 40, 3 << 61, -1 << 62];
        let mut found = 0;
        for x in (-300..300).chain(numbers) {
            let Some((odd, zeros)) = factor(x) else { continue };
            found += 1;
            for a in [3i64, -7, i64::MAX] {
                let product = match odd {
                    Odd::One => a,
                    Odd::MinusOne => a.wrapping_neg(),
                    Odd::PowerPlusOne(k) => (a << k).wrapping_add(a),
                    Odd::PowerMinusOne(k) => (a << k).wrapping_sub(a),
                    Odd::OneMinusPower(k) => a.wrapping_sub(a << k),
                };
                assert_eq!(product << zeros, a.wrapping_mul(x), "{x} {odd:?}");
            }
        }
        assert!(found > 100, "{found}");
        assert!([0, 11, -11, 13, 22, -5].into_iter().all(|x| factor(x).is_none()));
        assert_eq!(factor(3), Some((Odd::PowerPlusOne(1), 0)));
        assert_eq!(factor(-28), Some((Odd::OneMinusPower(3), 2)));
    }

    #[test]
    fn fractions_times_the_divisor_are_remainders() {
        let mut random = Random::new(5);
        let mut some =
            vec![3, 5, 6, 7, 10, 641, 1000, 65521, 1_000_003, 998_244_353, (1 << 31) - 1, u32::MAX];
        some.extend((0..200).map(|_| (random.below(1 << 30) as u32 * 4 + 1) >> random.below(30)));
        some.retain(|&d| d > 2 && !d.is_power_of_two());
        for &d in &some {
            let numbers = some.iter().copied().chain([
                0,
                1,
                2,
                1 << 31,
                u32::MAX - 1,
                d - 1,
                d.wrapping_add(1),
                u32::MAX / d * d,
            ]);
            for n in numbers.chain([u32::MAX / d * d - 1]) {
                let (n, d) = (u64::from(n), u64::from(d));
                let rest = |n: u64| ((u128::from(n.wrapping_mul(fraction(d))) * u128::from(d)) >> 64) as u64;
                assert_eq!(rest(n), n % d, "{n} {d}");
                assert!(n == 0 || rest(n.wrapping_neg()) == d - 1 - n % d, "-{n} {d}");
            }
        }
        // 2^64 / 1000 takes 55 bits; these are 41.
        assert!(fraction(1000).trailing_zeros() >= 20, "{:x}", fraction(1000));
    }

    fn by_reciprocal(n: i64, d: u64, bits: u32) -> i64 {
        let Reciprocal { multiplier, shift } = signed_reciprocal(d, bits);
        let product = i128::from(n) * i128::from(multiplier);
        (product >> (bits + shift)) as i64 + i64::from(n < 0)
    }

    #[test]
    fn reciprocals_divide_exactly() {
        let mut random = Random::new(7);
        let drawn: Vec<i64> = (0..2000).map(|_| 3 + random.below(i32::MAX as usize - 3) as i64).collect();
        let chosen = [10_007, 65535, 65537, 998_244_353, 1_000_000_007, (1 << 30) + 1, i64::from(i32::MAX)];
        for d in (3..2000).chain(chosen).chain(drawn).filter(|d| d & (d - 1) != 0) {
            let (max, min) = (i64::from(i32::MAX), i64::from(i32::MIN));
            let top = max - max % d;
            let near = [0, d, 2 * d, 7 * d, 1_000_000 / d * d, top, max, min, 1 << 20];
            for n in near.into_iter().flat_map(|n| n - 2..=n + 2).flat_map(|n| [n, -n]) {
                let n = i64::from(n as i32);
                assert_eq!(by_reciprocal(n, d as u64, 32), n / d, "{n} / {d}");
                if let Some(Reciprocal { multiplier, shift }) = unsigned_reciprocal(d as u32) {
                    let n = u64::from(n as u32);
                    let q = (u128::from(n) * u128::from(multiplier)) >> (32 + shift);
                    assert_eq!(q as u64, n / d as u64, "{n} / {d} unsigned");
                }
            }
            assert!(signed_reciprocal(d as u64, 32).multiplier < 1 << 32);
            assert_eq!(of_words(d as u64), in_wide_numbers(d as u64, 32));
            assert_eq!(of_words(d as u64).shift, shift_of_words(d as u64));
            for n in [i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, d, -d, d - 1, 1 - d] {
                assert_eq!(by_reciprocal(n, d as u64, 64), n / d, "{n} / {d}");
            }
        }
        assert_eq!(signed_reciprocal(7, 32), Reciprocal { multiplier: 0x9249_2493, shift: 2 });
        assert_eq!((unsigned_reciprocal(7), unsigned_reciprocal(3).map(|m| m.shift)), (None, Some(1)));
    }
}
