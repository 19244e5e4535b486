//! Opcodes, predicates, and a row of facts for each opcode. Names are LLVM's.

/// What is true of an opcode. For one whose types and form are not `Own`, this row and its meaning in `fold`
/// are all that verifier, text, folder and interpreter need.
#[derive(Copy, Clone, Debug)]
pub struct OpRow {
    /// The mnemonic in text, or of an intrinsic the name before its type.
    pub name: &'static str,
    /// Number of operands, or `VARIABLE`.
    pub operands: u8,
    /// A set of the flags below.
    pub flags: u16,
    /// What it takes and yields.
    pub types: Types,
    /// How text has it.
    pub form: Form,
}

/// The types that an opcode takes and yields. Whatever takes a scalar takes vectors, too, lane by lane; all
/// have the same number of lanes then.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Types {
    /// One integer type.
    Int,
    /// One integer type of two bytes and more.
    Bytes,
    /// One floating type.
    Float,
    /// Integer to a wider one.
    Widen,
    /// Integer to a narrower one.
    Narrow,
    /// Integer to float or double.
    IntToFloat,
    /// Float or double to integer.
    FloatToInt,
    /// float to double.
    FloatWiden,
    /// double to float.
    FloatNarrow,
    /// A vector of integers to one of its lanes' type.
    Reduce,
    /// The verifier says.
    Own,
}

/// How LLVM's text has an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name type a, b`.
    Plain,
    /// `name type a to type`.
    Cast,
    /// `call type @name.type(type a, type b)`, a function of LLVM's, with these arguments.
    Intrinsic(&'static [Arg]),
    /// The same, of a function that the text has to define, since LLVM has no name for the upper half of a
    /// product. How it widens its operands.
    High(&'static str),
    /// The same, since LLVM says it in two instructions: one value in every lane.
    Splat,
    /// The same, since LLVM says it by a list of lanes: those of one half of two vectors in turn. Which half.
    Zip(u32),
    /// Printer and parser say.
    Own,
}

impl Form {
    /// True if text calls a function.
    pub fn is_function(self) -> bool {
        matches!(self, Form::Intrinsic(_) | Form::High(_) | Form::Splat | Form::Zip(_))
    }
}

/// An argument of a function of LLVM's that stands for an opcode.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The next operand.
    Operand,
    /// Always of this type and value.
    Always(&'static str, &'static str),
    /// The alignment of a lane.
    Align,
    /// A mask that is true in every lane.
    AllTrue,
    /// The number of lanes.
    Lanes,
}

const ONE: Form = Form::Intrinsic(&[Arg::Operand]);
const TWO: Form = Form::Intrinsic(&[Arg::Operand; 2]);
const THREE: Form = Form::Intrinsic(&[Arg::Operand; 3]);
/// The last argument says whether the access is volatile.
const MEMORY: Form = Form::Intrinsic(&[Arg::Operand, Arg::Operand, Arg::Operand, Arg::Always("i1", "false")]);

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
/// Takes numbers only, no address.
pub const NUMBERS: u16 = 128;
/// Is done as often as the program says, and in that order among others of its kind.
pub const VOLATILE: u16 = 256;

const fn row(name: &'static str, operands: u8, flags: u16) -> OpRow {
    OpRow { name, operands, flags, types: Types::Own, form: Form::Own }
}

const fn int(name: &'static str, flags: u16) -> OpRow {
    OpRow { name, operands: 2, flags: PURE | NUMBERS | flags, types: Types::Int, form: Form::Plain }
}

const fn float(name: &'static str, operands: u8, flags: u16) -> OpRow {
    OpRow { name, operands, flags: PURE | NUMBERS | flags, types: Types::Float, form: Form::Plain }
}

const fn cast(name: &'static str, types: Types) -> OpRow {
    OpRow { name, operands: 1, flags: PURE | NUMBERS, types, form: Form::Cast }
}

/// The same in another form.
const fn formed(row: OpRow, operands: u8, form: Form) -> OpRow {
    OpRow { name: row.name, operands, flags: row.flags, types: row.types, form }
}

/// An opcode whose types the verifier says.
const fn own(name: &'static str, operands: u8, flags: u16, form: Form) -> OpRow {
    OpRow { name, operands, flags, types: Types::Own, form }
}

/// All lanes of a vector of integers made one.
const fn reduce(name: &'static str) -> OpRow {
    OpRow { name, operands: 1, flags: PURE | NUMBERS, types: Types::Reduce, form: ONE }
}

/// Both flags of what may be regrouped at will.
const FREE: u16 = COMMUTATIVE | ASSOCIATIVE;

const MASKED_LOAD: Form = Form::Intrinsic(&[Arg::Operand, Arg::Align, Arg::Operand, Arg::Operand]);
const MASKED_STORE: Form = Form::Intrinsic(&[Arg::Operand, Arg::Operand, Arg::Align, Arg::Operand]);
/// One lane from the end of the first.
const SPLICE: Form = Form::Intrinsic(&[Arg::Operand, Arg::Operand, Arg::Always("i32", "-1")]);
const STRIDED_LOAD: Form = Form::Intrinsic(&[Arg::Operand, Arg::Operand, Arg::AllTrue, Arg::Lanes]);
const STRIDED_STORE: Form =
    Form::Intrinsic(&[Arg::Operand, Arg::Operand, Arg::Operand, Arg::AllTrue, Arg::Lanes]);

/// Makes the enumeration, and the table of its rows.
macro_rules! opcodes {
    ($($(#[$comment:meta])* $op:ident: $row:expr;)*) => {
        /// What an instruction does. The comment gives operands, then `payload`.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Op {
            $($(#[$comment])* $op,)*
        }

        impl Op {
            /// Every opcode, in number order.
            pub const ALL: &[Op] = &[$(Op::$op,)*];
        }

        /// The facts, by opcode number.
        pub static OPS: [OpRow; Op::ALL.len()] = [$($row,)*];

        /// The flags again, close together: they are what most ask for.
        static FLAGS: [u16; Op::ALL.len()] = [$($row.flags,)*];
    };
}

opcodes! {
    /// A parameter of the function; stands in no block. Payload: its position.
    Param: row("param", 0, 0);
    /// Integer sum, wraps: a, b.
    Add: int("add", FREE);
    /// Integer difference, wraps: a, b (negation is `sub 0, a`).
    Sub: int("sub", 0);
    /// Integer product, wraps: a, b.
    Mul: int("mul", FREE);
    /// Signed quotient, truncates: a, b. Undefined for b = 0; MIN / -1 is MIN, as the targets compute it.
    SDiv: int("sdiv", MAY_TRAP);
    /// Signed remainder, sign of a: a, b. Undefined for b = 0; MIN % -1 is 0.
    SRem: int("srem", MAY_TRAP);
    /// Unsigned quotient: a, b.
    UDiv: int("udiv", MAY_TRAP);
    /// Unsigned remainder: a, b.
    URem: int("urem", MAY_TRAP);
    /// Bitwise and: a, b.
    And: int("and", FREE);
    /// Bitwise or: a, b.
    Or: int("or", FREE);
    /// Bitwise exclusive or: a, b.
    Xor: int("xor", FREE);
    /// Shift left: a, amount (below the width).
    Shl: int("shl", 0);
    /// Logical shift right: a, amount (below the width).
    LShr: int("lshr", 0);
    /// Arithmetic shift right: a, amount (below the width).
    AShr: int("ashr", 0);
    /// Floating sum: a, b.
    FAdd: float("fadd", 2, COMMUTATIVE);
    /// Floating difference: a, b.
    FSub: float("fsub", 2, 0);
    /// Floating product: a, b.
    FMul: float("fmul", 2, COMMUTATIVE);
    /// Floating quotient: a, b.
    FDiv: float("fdiv", 2, 0);
    /// Floating negation (flips the sign, of NaN too): a.
    FNeg: float("fneg", 1, 0);
    /// The upper half of the signed product in twice the width: a, b.
    SMulHi: formed(int("sysyc.smulhi", COMMUTATIVE), 2, Form::High("sext"));
    /// The upper half of the unsigned product in twice the width: a, b.
    UMulHi: formed(int("sysyc.umulhi", COMMUTATIVE), 2, Form::High("zext"));
    /// The lesser of two signed integers: a, b.
    SMin: formed(int("llvm.smin", FREE), 2, TWO);
    /// The greater of two signed integers: a, b.
    SMax: formed(int("llvm.smax", FREE), 2, TWO);
    /// The lesser of two unsigned integers: a, b.
    UMin: formed(int("llvm.umin", FREE), 2, TWO);
    /// The greater of two unsigned integers: a, b.
    UMax: formed(int("llvm.umax", FREE), 2, TWO);
    /// Magnitude of a signed integer; of MIN it is MIN: a.
    Abs: formed(int("llvm.abs", 0), 1, Form::Intrinsic(&[Arg::Operand, Arg::Always("i1", "false")]));
    /// How many zeros stand above the highest bit that is set; of 0, all: a.
    LeadingZeros: formed(int("llvm.ctlz", 0), 1, Form::Intrinsic(&[Arg::Operand, Arg::Always("i1", "false")]));
    /// How many zeros stand below the lowest bit that is set; of 0, all: a.
    TrailingZeros: formed(int("llvm.cttz", 0), 1, Form::Intrinsic(&[Arg::Operand, Arg::Always("i1", "false")]));
    /// The bytes the other way around: a.
    SwapBytes: formed(OpRow { types: Types::Bytes, ..int("llvm.bswap", 0) }, 1, ONE);
    /// Magnitude of a float (clears the sign, of NaN too): a.
    FAbs: formed(float("llvm.fabs", 1, 0), 1, ONE);
    /// a * b + c rounded once: a, b, c. Never made of a product and a sum: those round twice.
    Fma: formed(float("llvm.fma", 3, 0), 3, THREE);
    /// Integer or pointer comparison to i1: a, b. Payload: `IntPred`.
    ICmp: row("icmp", 2, PURE);
    /// Floating comparison to i1: a, b. Payload: `FloatPred`.
    FCmp: row("fcmp", 2, PURE | NUMBERS);
    /// `c ? a : b` without a branch: c (i1), a, b.
    Select: row("select", 3, PURE);
    /// Zero-extension to a wider integer: a.
    ZExt: cast("zext", Types::Widen);
    /// Sign-extension to a wider integer: a.
    SExt: cast("sext", Types::Widen);
    /// Truncation to a narrower integer: a.
    Trunc: cast("trunc", Types::Narrow);
    /// Signed integer to floating, rounds to nearest even: a.
    SIToFP: cast("sitofp", Types::IntToFloat);
    /// Floating to signed integer, truncates; undefined out of range (folding saturates, NaN gives 0): a.
    FPToSI: cast("fptosi", Types::FloatToInt);
    /// float to double: a.
    FPExt: cast("fpext", Types::FloatWiden);
    /// double to float: a.
    FPTrunc: cast("fptrunc", Types::FloatNarrow);
    /// The number of an address, as wide as that: a.
    PtrToInt: own("ptrtoint", 1, PURE, Form::Cast);
    /// The address of a number, which is as wide: a. Of 0 it is the null pointer, which leads nowhere.
    IntToPtr: own("inttoptr", 1, PURE, Form::Cast);
    /// Stack memory for the function's lifetime; yields the address of its first scalar, the decayed array.
    /// Payload: `Shape`.
    Alloca: row("alloca", 0, 0);
    /// Load of the instruction's type: address.
    Load: row("load", 1, READS);
    /// Store: value, address (LLVM's order).
    Store: row("store", 2, WRITES);
    /// The same of memory that something else may see: address.
    LoadVolatile: row("load volatile", 1, READS | WRITES | VOLATILE);
    /// The same of memory that something else may see: value, address.
    StoreVolatile: row("store volatile", 2, READS | WRITES | VOLATILE);
    /// Address of an element (LLVM's getelementptr, always inbounds): base, index+. The first index steps
    /// whole shapes, each further one goes a dimension in. i32 indices are sign-extended. Payload: `Shape`.
    ElemAddr: row("getelementptr", VARIABLE, PURE);
    /// Initialises memory: address -> fills with zeros; address, source -> copies from a constant global.
    /// Payload: bytes.
    MemInit: row("meminit", VARIABLE, WRITES);
    /// Fills memory with a byte: address, byte (i8), bytes (i32, unsigned, or i64).
    MemSet: own("llvm.memset.p0", 3, WRITES, MEMORY);
    /// Copies memory: address, source, bytes. The two are the same or do not overlap.
    MemCopy: own("llvm.memcpy.p0.p0", 3, READS | WRITES, MEMORY);
    /// One scalar in every lane: a.
    Splat: own("sysyc.splat", 1, PURE | NUMBERS, Form::Splat);
    /// One lane of a vector: v. Payload: its number.
    ExtractLane: row("extractelement", 1, PURE | NUMBERS);
    /// A vector with another value in one lane: v, a. Payload: the number of the lane.
    InsertLane: row("insertelement", 2, PURE | NUMBERS);
    /// The last lane of a vector, and all of another one but its last: a, b.
    Splice: own("llvm.vector.splice", 2, PURE | NUMBERS, SPLICE);
    /// The lanes of the first halves of two vectors in turn: a, b.
    ZipLow: own("sysyc.zip.low", 2, PURE | NUMBERS, Form::Zip(0));
    /// The lanes of the second halves of two vectors in turn: a, b.
    ZipHigh: own("sysyc.zip.high", 2, PURE | NUMBERS, Form::Zip(1));
    /// The sum of all lanes, wraps: v.
    ReduceAdd: reduce("llvm.vector.reduce.add");
    /// The product of all lanes, wraps: v.
    ReduceMul: reduce("llvm.vector.reduce.mul");
    /// Bitwise and of all lanes: v.
    ReduceAnd: reduce("llvm.vector.reduce.and");
    /// Bitwise or of all lanes: v.
    ReduceOr: reduce("llvm.vector.reduce.or");
    /// Bitwise exclusive or of all lanes: v.
    ReduceXor: reduce("llvm.vector.reduce.xor");
    /// The least lane, signed: v.
    ReduceSMin: reduce("llvm.vector.reduce.smin");
    /// The greatest lane, signed: v.
    ReduceSMax: reduce("llvm.vector.reduce.smax");
    /// The least lane, unsigned: v.
    ReduceUMin: reduce("llvm.vector.reduce.umin");
    /// The greatest lane, unsigned: v.
    ReduceUMax: reduce("llvm.vector.reduce.umax");
    /// The floating sum of a number and all lanes in order, the first lane first: a, v.
    ReduceFAdd: own("llvm.vector.reduce.fadd", 2, PURE | NUMBERS, TWO);
    /// Lanes of memory one behind the other where the mask is true, lanes of `other` elsewhere, where
    /// nothing is read: address, mask (i1), other.
    MaskedLoad: own("llvm.masked.load", 3, READS, MASKED_LOAD);
    /// The lanes of a vector to memory, where the mask is true: v, address, mask (i1).
    MaskedStore: own("llvm.masked.store", 3, WRITES, MASKED_STORE);
    /// Lanes of memory, so many bytes apart: address, bytes (i64, signed).
    StridedLoad: own("llvm.experimental.vp.strided.load", 2, READS, STRIDED_LOAD);
    /// The lanes of a vector to memory, so many bytes apart, the first lane first: v, address, bytes (i64,
    /// signed).
    StridedStore: own("llvm.experimental.vp.strided.store", 3, WRITES, STRIDED_STORE);
    /// Direct call: arguments. Payload: `FuncId`.
    Call: row("call", VARIABLE, READS | WRITES);
    /// One operand per predecessor, in the order of the block's predecessor array. Payload: operand count.
    Phi: row("phi", VARIABLE, 0);
    /// Return: value, or nothing.
    Ret: row("ret", VARIABLE, TERMINATOR);
    /// Never reached.
    Unreachable: row("unreachable", 0, TERMINATOR);
    /// Unconditional branch. Payload: its `Edge`.
    Br: row("br", 0, TERMINATOR);
    /// Conditional branch: condition (i1). Payload: the `Edge` taken when true; the next one is for false.
    CondBr: row("br", 1, TERMINATOR);
    /// A table of edges: a number x (i32 or i64), a constant n (i32, from 1). Payload: the first of n edges, which follow one
    /// another. Goes along edge x, and where x, without sign, is n - 1 or more, along the last one.
    Switch: row("switch", 2, TERMINATOR);
}

impl Op {
    /// The facts about this opcode.
    #[inline(always)]
    pub fn row(self) -> &'static OpRow {
        &OPS[self as usize]
    }

    /// True if all these flags are set.
    #[inline(always)]
    pub fn has(self, flags: u16) -> bool {
        FLAGS[self as usize] & flags == flags
    }

    /// What the name of its function has behind the type: those of memory name the types of address and
    /// stride.
    pub fn name_ending(self) -> &'static str {
        match self {
            Op::MaskedLoad | Op::MaskedStore => ".p0",
            Op::StridedLoad | Op::StridedStore => ".p0.i64",
            _ => "",
        }
    }

    /// The operation on two lanes that a reduction is made of.
    pub fn reduces_by(self) -> Option<Op> {
        Some(match self {
            Op::ReduceAdd => Op::Add,
            Op::ReduceMul => Op::Mul,
            Op::ReduceAnd => Op::And,
            Op::ReduceOr => Op::Or,
            Op::ReduceXor => Op::Xor,
            Op::ReduceSMin => Op::SMin,
            Op::ReduceSMax => Op::SMax,
            Op::ReduceUMin => Op::UMin,
            Op::ReduceUMax => Op::UMax,
            Op::ReduceFAdd => Op::FAdd,
            _ => return None,
        })
    }

    /// How many edges a block has whose last instruction it is; 3 stands for as many as the operands of a switch say.
    #[inline(always)]
    pub(super) fn edges(self) -> u8 {
        // Without a branch: which terminator comes next is hard to predict.
        (self as u8).saturating_sub(Op::Unreachable as u8)
    }

    /// True for the last instruction of a block.
    #[inline(always)]
    pub fn is_terminator(self) -> bool {
        self as u8 >= Op::Ret as u8
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
    pub(crate) fn from_payload(payload: u32) -> IntPred {
        IntPred::ALL[payload as usize % 10]
    }

    /// The name in text.
    pub const fn name(self) -> &'static str {
        IntPred::NAMES[self as usize]
    }

    /// True exactly when this one is false.
    pub const fn inverse(self) -> IntPred {
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
    pub(crate) fn from_payload(payload: u32) -> FloatPred {
        FloatPred::ALL[payload as usize % 14]
    }

    /// The name in text.
    pub const fn name(self) -> &'static str {
        FloatPred::NAMES[self as usize]
    }

    /// True exactly when this one is false (so ordered and unordered change places).
    pub const fn inverse(self) -> FloatPred {
        use FloatPred::*;
        [Une, Ule, Ult, Uge, Ugt, Ueq, Uno, One, Ole, Olt, Oge, Ogt, Oeq, Ord][self as usize]
    }

    /// The predicate of b, a that says what this one says of a, b.
    pub const fn swapped(self) -> FloatPred {
        use FloatPred::*;
        [Oeq, Olt, Ole, Ogt, Oge, One, Ord, Ueq, Ult, Ule, Ugt, Uge, Une, Uno][self as usize]
    }

    /// The predicate on two numbers.
    pub(crate) fn holds(self, a: f64, b: f64) -> bool {
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
    fn terminators_come_last() {
        let last = Op::ALL.iter().skip_while(|op| !op.has(TERMINATOR));
        assert_eq!(last.clone().count(), 5);
        assert!(last.clone().all(|op| op.is_terminator() && op.has(TERMINATOR)));
        assert_eq!(last.map(|op| op.edges()).collect::<Vec<_>>(), [0, 0, 1, 2, 3]);
        assert!(Op::ALL.iter().all(|op| op.is_terminator() || op.edges() == 0));
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
