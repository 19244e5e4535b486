//! What an instruction promises beyond opcode, operands and payload: flags of arithmetic, and how memory is
//! accessed.
//!
//! Nothing has to be promised, and to forget a promise is right. A pass that replaces an instruction by
//! another one keeps what both promise (`Body::keep_flags`); `Body::rewrite` forgets all.

use super::Op;
use super::opcode::{READS, WRITES};

/// Promises of a result: where one is broken, the result means nothing. Spelt as LLVM does.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Nothing is promised.
    pub const NONE: Flags = Flags(0);
    /// Does not leave the unsigned range.
    pub const NUW: Flags = Flags(1);
    /// Does not leave the signed range.
    pub const NSW: Flags = Flags(2);
    /// Nothing is lost: no remainder, no bits that are shifted out.
    pub const EXACT: Flags = Flags(4);
    /// Floats: may be computed in another order than is written.
    pub const REASSOC: Flags = Flags(8);
    /// No operand is a NaN, and the result is none.
    pub const NNAN: Flags = Flags(16);
    /// The sign of a zero does not matter.
    pub const NSZ: Flags = Flags(32);
    /// A quotient may be a product with the reciprocal.
    pub const ARCP: Flags = Flags(64);
    /// A product and a sum may be one operation, rounded once.
    pub const CONTRACT: Flags = Flags(128);
    /// Of a conditional branch, no promise but a hint (`!prof`): nearly always it goes where its condition is true.
    pub const LIKELY: Flags = Flags(1);
    /// Where it is false.
    pub const UNLIKELY: Flags = Flags(2);
    /// How often it went where its condition is true for once that it was false, as a profile says: see `odds`.
    const ODDS: Flags = Flags(!3);
    /// Of a call, no promise but a permission (`tail`): the callee accesses no memory of the caller's frame, so that it may be a
    /// jump where a return of its result follows.
    pub const TAIL: Flags = Flags(1);
    /// Of a call, a demand (`musttail`): it is a jump, and a return follows, of its result or of what passes know that to be, as a
    /// constant of a callee that always returns that. What changes such a call or copies it keeps that, or makes sure that
    /// nothing depends on it.
    pub const MUST_TAIL: Flags = Flags(2);
    /// Of a call, a demand (`notail`): it is no jump.
    pub const NO_TAIL: Flags = Flags(4);
    /// Of a call: a return of its result follows, and it is a jump where its arguments take no more of the stack than those of
    /// its function.
    pub const JUMP: Flags = Flags(8);
    /// Of a call: it may be left by an exception, of which `Builtin::Unwinds` asks behind it. What copies such a call keeps that, and
    /// what leaves one out has found that it throws nothing.
    pub const INVOKED: Flags = Flags(16);
    /// All that floats may have.
    pub const FAST: Flags =
        Flags::REASSOC.with(Flags::NNAN).with(Flags::NSZ).with(Flags::ARCP).with(Flags::CONTRACT);

    /// All of them with their names, in the order in which text has them.
    pub const NAMES: [(&'static str, Flags); 8] = [
        ("nuw", Flags::NUW),
        ("nsw", Flags::NSW),
        ("exact", Flags::EXACT),
        ("reassoc", Flags::REASSOC),
        ("nnan", Flags::NNAN),
        ("nsz", Flags::NSZ),
        ("arcp", Flags::ARCP),
        ("contract", Flags::CONTRACT),
    ];

    /// The bits, for `packed`.
    pub(super) fn bits(self) -> u8 {
        self.0
    }

    /// The flags of these bits.
    pub(super) fn from_bits(bits: u8) -> Flags {
        Flags(bits)
    }

    /// Those that an opcode may have.
    pub const fn of(op: Op) -> Flags {
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::Shl => Flags::NUW.with(Flags::NSW),
            Op::SDiv | Op::UDiv | Op::LShr | Op::AShr => Flags::EXACT,
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => Flags::FAST,
            Op::Call => {
                Flags::TAIL.with(Flags::MUST_TAIL).with(Flags::NO_TAIL).with(Flags::JUMP).with(Flags::INVOKED)
            }
            Op::CondBr => Flags::LIKELY.with(Flags::UNLIKELY).with(Flags::ODDS),
            _ => Flags::NONE,
        }
    }

    /// Of a conditional branch that went so often each way: the quotient in half octaves, to 2^15.5 and back, as a number
    /// around 32 in the upper six bits, so that 0 is that nothing is known. One more is counted on each side, or a way that
    /// was gone twice would be as certain as one that was gone a million times.
    pub fn odds(yes: u64, no: u64) -> Flags {
        let quotient = (yes as f64 + 0.5) / (no as f64 + 0.5);
        // The fourth power: half an octave more is a factor of 4. From 1 on, which is 31 half octaves below 32, up to
        // where the next one is farther than half of one: at 2^(2 (n - 32) + 1).
        let fourth = quotient * quotient * quotient * quotient;
        let (mut n, mut next) = (1u8, 2.0 / (1u64 << 62) as f64);
        while n < 63 && fourth >= next {
            next *= 4.0;
            n += 1;
        }
        let hint = match n {
            0..=26 => Flags::UNLIKELY,
            38.. => Flags::LIKELY,
            _ => Flags::NONE,
        };
        Flags(n << 2).with(hint)
    }

    /// How likely it is, of 1, that a branch with these goes where its condition is true, if a profile says so.
    pub fn chance(self) -> Option<f64> {
        let n = i32::from(self.0 >> 2);
        if n == 0 {
            return None;
        }
        let half = if n % 2 == 0 { 1.0 } else { std::f64::consts::SQRT_2 };
        let quotient = f64::from(1u32 << (n / 2)) / f64::from(1u32 << 16) * half;
        Some(quotient / (1.0 + quotient))
    }

    /// Weights of both ways that `odds` makes the same of, if a profile says something.
    pub fn weights(self) -> Option<[u64; 2]> {
        let n = u32::from(self.0 >> 2);
        let half = if n.is_multiple_of(2) { 1.0 } else { std::f64::consts::SQRT_2 };
        // Against `ONCE`, half an execution more on each side changes nothing.
        let more = |halves: u32| (f64::from(1u32 << (halves / 2)) * half * ONCE as f64) as u64;
        match n {
            0 => None,
            32.. => Some([more(n - 32), ONCE]),
            _ => Some([ONCE, more(32 - n)]),
        }
    }

    /// Which way a branch nearly always goes, if one of them.
    #[must_use]
    pub const fn hint(self) -> Flags {
        Flags(self.0 & 3)
    }

    /// Those of a branch on the opposite condition.
    #[must_use]
    pub const fn turned(self) -> Flags {
        let odds = (64 - (self.0 >> 2)) << 2;
        Flags(odds | (self.0 & 1) << 1 | self.0 >> 1 & 1)
    }

    /// True if all of `others` are there.
    pub fn has(self, others: Flags) -> bool {
        self.both(others) == others
    }

    /// These and those.
    #[must_use]
    pub const fn with(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }

    /// These, but for those.
    #[must_use]
    pub const fn without(self, others: Flags) -> Flags {
        Flags(self.0 & !others.0)
    }

    /// Those that are in both.
    #[must_use]
    pub const fn both(self, others: Flags) -> Flags {
        Flags(self.0 & others.0)
    }
}

/// How memory is accessed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The address is a multiple of so many bytes, a power of two; 0 for what the type gives, and of memory
    /// that is set or copied for nothing. Less than the type gives is for machines that have such accesses
    /// (`isa::memory::Memory::unaligned`).
    pub align: u32,
}

impl Access {
    /// Nothing is promised.
    pub const PLAIN: Access = Access { align: 0 };

    /// That of a vector of words, the first of which is accessed so.
    #[must_use]
    pub fn of_lanes(self) -> Access {
        Access { align: if self.align == 0 { 4 } else { self.align.min(4) } }
    }

    /// True of opcodes that may have one.
    pub fn is_of(op: Op) -> bool {
        op != Op::Call && (op.has(READS) || op.has(WRITES))
    }
}

/// The weight of the way that is gone less often.
const ONCE: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_near_what_was_counted_and_can_be_turned() {
        for (yes, no) in [(1, 1), (3, 1), (1, 2), (1000, 1), (7, 50_000), (5, 0), (0, 0), (1 << 60, 3)] {
            let flags = Flags::odds(yes, no);
            let chance = flags.chance().expect("something is known");
            let turned = flags.turned();
            assert_eq!(turned, Flags::odds(no, yes), "{yes} {no}");
            assert_eq!(turned.turned(), flags);
            // Within half of a half octave, and no surer than 2^15.5.
            let counted = ((yes as f64 + 0.5) / (no as f64 + 0.5)).clamp(1.0 / 46_341.0, 46_341.0);
            let factor = chance / (1.0 - chance) / counted;
            assert!((0.83..1.2).contains(&factor), "{yes} {no}: {chance}");
            assert_eq!(flags.hint() == Flags::LIKELY, counted > 6.8, "{yes} {no}");
            assert_eq!(flags.hint() == Flags::UNLIKELY, counted < 1.0 / 6.8, "{yes} {no}");
        }
        for n in 1..=63u8 {
            let [yes, no] = Flags(n << 2).weights().expect("something is known");
            assert_eq!(Flags::odds(yes, no).0 >> 2, n);
            assert!(yes.max(no) <= u32::MAX.into());
        }
        assert_eq!((Flags::NONE.weights(), Flags::LIKELY.weights()), (None, None));
        assert_eq!((Flags::NONE.chance(), Flags::LIKELY.chance()), (None, None));
        assert_eq!((Flags::NONE.turned(), Flags::LIKELY.turned()), (Flags::NONE, Flags::UNLIKELY));
    }
}
