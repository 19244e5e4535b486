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
            Op::CondBr => Flags::LIKELY.with(Flags::UNLIKELY),
            _ => Flags::NONE,
        }
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
    /// that is set or copied for nothing.
    pub align: u32,
}

impl Access {
    /// Nothing is promised.
    pub const PLAIN: Access = Access { align: 0 };

    /// True of opcodes that may have one.
    pub fn is_of(op: Op) -> bool {
        op != Op::Call && (op.has(READS) || op.has(WRITES))
    }
}
