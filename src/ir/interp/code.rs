//! The register code that the fast machine runs.
//!
//! A frame is a row of 64-bit slots: slot 0 is the address of the frame's memory, slot 1 is zero, then come
//! the parameters, the results in layout order, and temporaries. Every type below 64 bits is kept
//! zero-extended, and so are addresses that are narrower. Jumps go to positions in the one code vector of the
//! program.

use super::profile::Probe;
use super::runtime::Runtime;
use crate::base::{Column, Opt};
use crate::ir::{FloatPred, FuncId, Inst, IntPred, Op, Type};

/// A slot of the frame.
pub(super) type Slot = u32;
/// A position in the code.
pub(super) type Target = u32;

/// The slot that holds the address of the frame's memory.
pub(super) const FRAME: Slot = 0;
/// The slot that holds zero.
pub(super) const ZERO: Slot = 1;
/// The slot of the first parameter.
pub(super) const FIRST: Slot = 2;

/// One instruction. `d` is the slot that is written; `a`, `b`, `i`, `c` are slots that are read; the rest is
/// literal.
#[derive(Copy, Clone, Debug)]
#[rustfmt::skip] // a row an opcode
pub(super) enum Code {
    Move { d: Slot, a: Slot },
    Imm { d: Slot, x: u32 },
    Wide { d: Slot, low: u32, high: u32 },

    // On i32 (and i1, where the result stays in the low bit).
    Add { d: Slot, a: Slot, b: Slot },
    Sub { d: Slot, a: Slot, b: Slot },
    Mul { d: Slot, a: Slot, b: Slot },
    SDiv { d: Slot, a: Slot, b: Slot },
    SRem { d: Slot, a: Slot, b: Slot },
    And { d: Slot, a: Slot, b: Slot },
    Or { d: Slot, a: Slot, b: Slot },
    Xor { d: Slot, a: Slot, b: Slot },
    Shl { d: Slot, a: Slot, b: Slot },
    LShr { d: Slot, a: Slot, b: Slot },
    AShr { d: Slot, a: Slot, b: Slot },
    AddImm { d: Slot, a: Slot, x: u32 },
    /// x - a.
    FromImm { d: Slot, a: Slot, x: u32 },
    MulImm { d: Slot, a: Slot, x: u32 },
    /// x is not 0.
    SDivImm { d: Slot, a: Slot, x: u32 },
    /// x is not 0.
    SRemImm { d: Slot, a: Slot, x: u32 },
    AndImm { d: Slot, a: Slot, x: u32 },
    ShlImm { d: Slot, a: Slot, x: u32 },
    LShrImm { d: Slot, a: Slot, x: u32 },
    AShrImm { d: Slot, a: Slot, x: u32 },

    Add64 { d: Slot, a: Slot, b: Slot },
    Mul64 { d: Slot, a: Slot, b: Slot },

    FAdd { d: Slot, a: Slot, b: Slot },
    FSub { d: Slot, a: Slot, b: Slot },
    FMul { d: Slot, a: Slot, b: Slot },
    FDiv { d: Slot, a: Slot, b: Slot },
    FNeg { d: Slot, a: Slot },
    /// Any operation on two of a type, and on three.
    Any { op: Op, ty: Type, d: Slot, a: Slot, b: Slot },
    Three { op: Op, ty: Type, d: Slot, a: Slot, b: Slot, c: Slot },

    /// Comparison of integers or pointers; `Type::I32` stands for all of 32 bits, `Type::I64` for pointers.
    Set { pred: IntPred, ty: Type, d: Slot, a: Slot, b: Slot },
    SetFloat { pred: FloatPred, ty: Type, d: Slot, a: Slot, b: Slot },
    Select { d: Slot, c: Slot, a: Slot, b: Slot },

    /// Sign-extension of i1, i8 or i32 to i32 or i64.
    Extend { from: Type, to: Type, d: Slot, a: Slot },
    /// Truncation, or zero-extension after a sign.
    Mask { to: Type, d: Slot, a: Slot },
    IntToFloat { d: Slot, a: Slot },
    FloatToInt { d: Slot, a: Slot },
    /// Any other operation on one.
    Convert { op: Op, from: Type, to: Type, d: Slot, a: Slot },

    // Addresses: x has a sign, and so has i, which is an i32.
    /// a + x.
    Address { d: Slot, a: Slot, x: i32 },
    /// a + (i << shift).
    AddressShift { d: Slot, a: Slot, i: Slot, shift: u8 },
    /// a + i * stride.
    AddressMul { d: Slot, a: Slot, i: Slot, stride: u32 },
    /// The same with an i of 64 bits.
    AddressWide { d: Slot, a: Slot, i: Slot, stride: u32 },

    Load { d: Slot, a: Slot, x: i32 },
    /// From a + 4 i + x.
    LoadElem { d: Slot, a: Slot, i: Slot, x: i32 },
    LoadAny { size: u8, d: Slot, a: Slot, x: i32 },
    Store { v: Slot, a: Slot, x: i32 },
    StoreElem { v: Slot, a: Slot, i: Slot, x: i32 },
    StoreAny { size: u8, v: Slot, a: Slot, x: i32 },
    /// Zeros at a.
    Fill { a: Slot, bytes: u32 },
    Copy { a: Slot, b: Slot, bytes: u32 },
    /// n bytes b at a; n bytes from b to a.
    SetAny { a: Slot, b: Slot, n: Slot },
    CopyAny { a: Slot, b: Slot, n: Slot },

    /// n bytes of the stack, aligned to a power of two.
    Take { d: Slot, n: Slot, align: u32 },
    /// Where the stack ends; gives back what is above a.
    End { d: Slot },
    GiveBack { a: Slot },

    Jump { to: Target },
    JumpTrue { a: Slot, to: Target },
    JumpFalse { a: Slot, to: Target },
    JumpEq { a: Slot, b: Slot, to: Target },
    JumpNe { a: Slot, b: Slot, to: Target },
    JumpSlt { a: Slot, b: Slot, to: Target },
    JumpSle { a: Slot, b: Slot, to: Target },
    JumpEqImm { a: Slot, x: u32, to: Target },
    JumpNeImm { a: Slot, x: u32, to: Target },
    JumpSltImm { a: Slot, x: u32, to: Target },
    JumpSleImm { a: Slot, x: u32, to: Target },
    JumpSgtImm { a: Slot, x: u32, to: Target },
    JumpSgeImm { a: Slot, x: u32, to: Target },
    /// Without signs, of 32 bits.
    JumpUlt { a: Slot, b: Slot, to: Target },
    JumpUle { a: Slot, b: Slot, to: Target },
    JumpUltImm { a: Slot, x: u32, to: Target },
    JumpUleImm { a: Slot, x: u32, to: Target },
    JumpUgtImm { a: Slot, x: u32, to: Target },
    JumpUgeImm { a: Slot, x: u32, to: Target },
    JumpFloat { pred: FloatPred, a: Slot, b: Slot, to: Target },
    /// Adds x to d, and jumps if it is less than b then.
    StepJump { d: Slot, x: u32, b: Slot, to: Target },
    /// The same with a literal y.
    StepJumpImm { d: Slot, x: u32, y: u32, to: Target },

    /// Goes on at one of the n jumps behind it: at a, or the last one.
    Table { a: Slot, n: u32 },

    /// `args` is where the argument slots begin in `Program::args`; there are as many as the callee has
    /// parameters.
    Call { func: FuncId, d: Slot, args: u32 },
    /// The same in the place of the function, whose frame is left: what is behind it is executed by its caller.
    TailCall { func: FuncId, d: Slot, args: u32 },
    /// Of what has its address in the first of the argument slots, `count` more follow.
    CallAt { count: u16, d: Slot, args: u32 },
    TailCallAt { count: u16, d: Slot, args: u32 },
    Runtime { runtime: Runtime, count: u16, d: Slot, args: u32 },
    Return { a: Slot },
    Unreachable,

    /// Only in what is profiled.
    Probe(Probe),
}

const _: () = assert!(size_of::<Code>() == 20);

impl Code {
    /// Sets where a jump goes.
    pub(super) fn set_target(&mut self, target: Target) {
        match self {
            Code::Jump { to }
            | Code::JumpTrue { to, .. }
            | Code::JumpFalse { to, .. }
            | Code::JumpEq { to, .. }
            | Code::JumpNe { to, .. }
            | Code::JumpSlt { to, .. }
            | Code::JumpSle { to, .. }
            | Code::JumpEqImm { to, .. }
            | Code::JumpNeImm { to, .. }
            | Code::JumpSltImm { to, .. }
            | Code::JumpSleImm { to, .. }
            | Code::JumpSgtImm { to, .. }
            | Code::JumpSgeImm { to, .. }
            | Code::JumpUlt { to, .. }
            | Code::JumpUle { to, .. }
            | Code::JumpUltImm { to, .. }
            | Code::JumpUleImm { to, .. }
            | Code::JumpUgtImm { to, .. }
            | Code::JumpUgeImm { to, .. }
            | Code::JumpFloat { to, .. }
            | Code::StepJump { to, .. }
            | Code::StepJumpImm { to, .. } => *to = target,
            _ => {}
        }
    }
}

/// What a call needs to know of a function.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Entry {
    /// Where its code begins.
    pub(super) start: u32,
    /// Slots of its frame.
    pub(super) slots: u32,
    /// Bytes of its frame's memory.
    pub(super) bytes: u32,
    pub(super) params: u32,
}

/// A decoded module.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Code>,
    /// Per code: the source offset it came from.
    pub(super) locs: Vec<u32>,
    /// Per code, if it is to be proven: the instruction that it is for; none for copies on edges. Else empty.
    pub(super) origins: Vec<Opt<Inst>>,
    /// The argument slots of all calls, end to end.
    pub(super) args: Vec<Slot>,
    pub(super) entries: Column<FuncId, Entry>,
    /// The functions that have addresses, and those, ascending.
    pub(super) addresses: Vec<(u32, FuncId)>,
    /// Where each decoded function begins, ascending.
    pub(super) starts: Vec<(u32, FuncId)>,
}

impl Program {
    /// The function that has this address, if it takes so many arguments.
    #[inline(always)]
    pub(super) fn called(&self, address: u64, count: u16) -> Option<FuncId> {
        let k = self.addresses.binary_search_by_key(&address, |row| row.0.into()).ok()?;
        let func = self.addresses[k].1;
        (self.entries[func].params == u32::from(count)).then_some(func)
    }

    /// The function that a position belongs to.
    pub(super) fn func_at(&self, pc: usize) -> Option<FuncId> {
        let k = self.starts.partition_point(|&(start, _)| start as usize <= pc);
        self.starts.get(k.wrapping_sub(1)).map(|&(_, func)| func)
    }
}
