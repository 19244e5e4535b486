//! Opcodes, predicates, and a row of facts for each opcode. Names are LLVM's.

/// What an instruction does. The comment gives operands, then `payload`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Op {
    /// A parameter of the function; stands in no block. Payload: its position.
    Param,
    /// Integer sum, wraps: a, b.
    Add,
    /// Integer difference, wraps: a, b (negation is `sub 0, a`).
    Sub,
    /// Integer product, wraps: a, b.
    Mul,
    /// Signed quotient, truncates: a, b. Undefined for b = 0; MIN / -1 is MIN, as the targets compute it.
    SDiv,
    /// Signed remainder, sign of a: a, b. Undefined for b = 0; MIN % -1 is 0.
    SRem,
    /// Unsigned quotient: a, b.
    UDiv,
    /// Unsigned remainder: a, b.
    URem,
    /// Bitwise and: a, b.
    And,
    /// Bitwise or: a, b.
    Or,
    /// Bitwise exclusive or: a, b.
    Xor,
    /// Shift left: a, amount (below the width).
    Shl,
    /// Logical shift right: a, amount (below the width).
    LShr,
    /// Arithmetic shift right: a, amount (below the width).
    AShr,
    /// Floating sum: a, b.
    FAdd,
    /// Floating difference: a, b.
    FSub,
    /// Floating product: a, b.
    FMul,
    /// Floating quotient: a, b.
    FDiv,
    /// Floating negation (flips the sign, of NaN too): a.
    FNeg,
    /// Integer or pointer comparison to i1: a, b. Payload: `IntPred`.
    ICmp,
    /// Floating comparison to i1: a, b. Payload: `FloatPred`.
    FCmp,
    /// `c ? a : b` without a branch: c (i1), a, b.
    Select,
    /// Zero-extension to a wider integer: a.
    ZExt,
    /// Sign-extension to a wider integer: a.
    SExt,
    /// Truncation to a narrower integer: a.
    Trunc,
    /// Signed integer to floating, rounds to nearest even: a.
    SIToFP,
    /// Floating to signed integer, truncates; undefined out of range (folding saturates, NaN gives 0): a.
    FPToSI,
    /// float to double: a.
    FPExt,
    /// double to float: a.
    FPTrunc,
    /// Stack memory for the function's lifetime; yields the address of its first scalar, the decayed array.
    /// Payload: `Shape`.
    Alloca,
    /// Load of the instruction's type: address.
    Load,
    /// Store: value, address (LLVM's order).
    Store,
    /// Address of an element (LLVM's getelementptr, always inbounds): base, index+. The first index steps whole
    /// shapes, each further one goes a dimension in. i32 indices are sign-extended. Payload: `Shape`.
    ElemAddr,
    /// Initialises memory: address -> fills with zeros; address, source -> copies from a constant global.
    /// Payload: bytes.
    MemInit,
    /// Direct call: arguments. Payload: `FuncId`.
    Call,
    /// One operand per predecessor, in the order of the block's predecessor array. Payload: operand count.
    Phi,
    /// Unconditional branch. Payload: its `Edge`.
    Br,
    /// Conditional branch: condition (i1). Payload: the `Edge` taken when true; the next one is for false.
    CondBr,
    /// Return: value, or nothing.
    Ret,
    /// Never reached.
    Unreachable,
}

/// What is true of an opcode.
#[derive(Copy, Clone, Debug)]
pub struct OpRow {
    /// The mnemonic in text.
    pub name: &'static str,
    /// Number of operands, or `VARIABLE`.
    pub operands: u8,
    /// A set of the flags below.
    pub flags: u16,
}

/// `OpRow::operands` of an opcode whose instructions differ in it.
pub const VARIABLE: u8 = u8::MAX;

/// Ends a block.
pub const TERMINATOR: u16 = 1;
/// a op b = b op a.
pub const COMMUTATIVE: u16 = 2;
/// May read memory.
pub const READS: u16 = 4;
/// May write memory or do what the outside sees.
pub const WRITES: u16 = 8;
/// The result depends on the operands and payload only: may be duplicated, merged, and dropped when unused.
pub const PURE: u16 = 16;
/// Undefined for some operands, so it may not be executed where it was not before.
pub const MAY_TRAP: u16 = 32;
/// (a op b) op c = a op (b op c).
pub const ASSOCIATIVE: u16 = 64;
/// Takes two operands of its own type.
pub const BINARY: u16 = 128;

const fn row(name: &'static str, operands: u8, flags: u16) -> OpRow {
    OpRow { name, operands, flags }
}

/// The facts, by opcode number.
pub const OPS: [OpRow; 40] = [
    row("param", 0, 0),
    row("add", 2, PURE | BINARY | COMMUTATIVE | ASSOCIATIVE),
    row("sub", 2, PURE | BINARY),
    row("mul", 2, PURE | BINARY | COMMUTATIVE | ASSOCIATIVE),
    row("sdiv", 2, PURE | BINARY | MAY_TRAP),
    row("srem", 2, PURE | BINARY | MAY_TRAP),
    row("udiv", 2, PURE | BINARY | MAY_TRAP),
    row("urem", 2, PURE | BINARY | MAY_TRAP),
    row("and", 2, PURE | BINARY | COMMUTATIVE | ASSOCIATIVE),
    row("or", 2, PURE | BINARY | COMMUTATIVE | ASSOCIATIVE),
    row("xor", 2, PURE | BINARY | COMMUTATIVE | ASSOCIATIVE),
    row("shl", 2, PURE | BINARY),
    row("lshr", 2, PURE | BINARY),
    row("ashr", 2, PURE | BINARY),
    row("fadd", 2, PURE | BINARY | COMMUTATIVE),
    row("fsub", 2, PURE | BINARY),
    row("fmul", 2, PURE | BINARY | COMMUTATIVE),
    row("fdiv", 2, PURE | BINARY),
    row("fneg", 1, PURE),
    row("icmp", 2, PURE),
    row("fcmp", 2, PURE),
    row("select", 3, PURE),
    row("zext", 1, PURE),
    row("sext", 1, PURE),
    row("trunc", 1, PURE),
    row("sitofp", 1, PURE),
    row("fptosi", 1, PURE),
    row("fpext", 1, PURE),
    row("fptrunc", 1, PURE),
    row("alloca", 0, 0),
    row("load", 1, READS),
    row("store", 2, WRITES),
    row("getelementptr", VARIABLE, PURE),
    row("meminit", VARIABLE, WRITES),
    row("call", VARIABLE, READS | WRITES),
    row("phi", VARIABLE, 0),
    row("br", 0, TERMINATOR),
    row("br", 1, TERMINATOR),
    row("ret", VARIABLE, TERMINATOR),
    row("unreachable", 0, TERMINATOR),
];

impl Op {
    /// The facts about this opcode.
    #[inline(always)]
    pub fn row(self) -> &'static OpRow {
        &OPS[self as usize]
    }

    /// True if all these flags are set.
    #[inline(always)]
    pub fn has(self, flags: u16) -> bool {
        self.row().flags & flags == flags
    }

    /// True for the last instruction of a block.
    #[inline(always)]
    pub fn is_terminator(self) -> bool {
        self as u8 >= Op::Br as u8
    }
}

/// Integer predicates, as LLVM names them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum IntPred {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

impl IntPred {
    /// All predicates, in number order.
    pub const ALL: [IntPred; 10] = {
        use IntPred::*;
        [Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge]
    };
    const NAMES: [&'static str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

    /// The predicate in an instruction's payload.
    #[inline]
    pub fn from_payload(payload: u32) -> IntPred {
        IntPred::ALL[payload as usize % 10]
    }

    /// The name in text.
    pub fn name(self) -> &'static str {
        IntPred::NAMES[self as usize]
    }

    /// True exactly when this one is false.
    pub fn inverse(self) -> IntPred {
        use IntPred::*;
        [Ne, Eq, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult][self as usize]
    }

    /// The predicate of b, a that says what this one says of a, b.
    pub const fn swapped(self) -> IntPred {
        use IntPred::*;
        [Eq, Ne, Sgt, Sge, Slt, Sle, Ugt, Uge, Ult, Ule][self as usize]
    }
}

/// Floating predicates, as LLVM names them: `o` is false and `u` is true if either operand is NaN.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum FloatPred {
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
}

impl FloatPred {
    /// All predicates, in number order.
    pub const ALL: [FloatPred; 14] = {
        use FloatPred::*;
        [Oeq, Ogt, Oge, Olt, Ole, One, Ord, Ueq, Ugt, Uge, Ult, Ule, Une, Uno]
    };
    const NAMES: [&'static str; 14] =
        ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"];

    /// The predicate in an instruction's payload.
    #[inline]
    pub fn from_payload(payload: u32) -> FloatPred {
        FloatPred::ALL[payload as usize % 14]
    }

    /// The name in text.
    pub fn name(self) -> &'static str {
        FloatPred::NAMES[self as usize]
    }

    /// True exactly when this one is false (so ordered and unordered change places).
    pub fn inverse(self) -> FloatPred {
        use FloatPred::*;
        [Une, Ule, Ult, Uge, Ugt, Ueq, Uno, One, Ole, Olt, Oge, Ogt, Oeq, Ord][self as usize]
    }

    /// The predicate of b, a that says what this one says of a, b.
    pub fn swapped(self) -> FloatPred {
        use FloatPred::*;
        [Oeq, Olt, Ole, Ogt, Oge, One, Ord, Ueq, Ult, Ule, Ugt, Uge, Une, Uno][self as usize]
    }

    /// The predicate on two numbers.
    pub fn holds(self, a: f64, b: f64) -> bool {
        use FloatPred::*;
        let unordered = a.is_nan() || b.is_nan();
        match self {
            Oeq => a == b,
            Ogt => a > b,
            Oge => a >= b,
            Olt => a < b,
            Ole => a <= b,
            One => !unordered && a != b,
            Ord => !unordered,
            Ueq => unordered || a == b,
            Ugt => unordered || a > b,
            Uge => unordered || a >= b,
            Ult => unordered || a < b,
            Ule => unordered || a <= b,
            Une => a != b,
            Uno => unordered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_opcodes() {
        assert_eq!(OPS.len(), Op::Unreachable as usize + 1);
        for (op, name) in [(Op::AShr, "ashr"), (Op::Select, "select"), (Op::Call, "call"), (Op::Ret, "ret")] {
            assert_eq!(op.row().name, name);
        }
        let terminators = [Op::Br, Op::CondBr, Op::Ret, Op::Unreachable];
        assert!(terminators.iter().all(|op| op.is_terminator() && op.has(TERMINATOR)));
        assert_eq!(OPS.iter().filter(|row| row.flags & TERMINATOR != 0).count(), terminators.len());
    }

    #[test]
    fn inverse_and_swapped_hold_for_every_predicate() {
        let numbers = [f64::NAN, f64::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0];
        for p in FloatPred::ALL {
            for a in numbers {
                for b in numbers {
                    assert_eq!(p.inverse().holds(a, b), !p.holds(a, b), "{p:?}");
                    assert_eq!(p.swapped().holds(b, a), p.holds(a, b), "{p:?}");
                }
            }
        }
        for p in IntPred::ALL {
            assert_eq!((p.inverse().inverse(), p.swapped().swapped()), (p, p));
        }
    }
}
