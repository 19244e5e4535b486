//! The rows that the checking machine runs: the instructions of all bodies in their order, with cell numbers for
//! operands.
//!
//! A frame's cells are the results of its body's instructions, by their number; the lanes of its vectors;
//! and the fixed ones, which every call sets: constants, addresses of globals, and the scalars that only
//! loads and stores reach. Jumps go to positions in the one vector of rows.

use crate::ir::{FloatPred, Inst, IntPred, Op, Type};

/// A cell of the frame.
pub(super) type At = u32;
/// A position in the rows.
pub(super) type Target = u32;

/// One instruction. `d` is the cell that is written; `a`, `b`, `c`, `i` are cells that are read; the rest is
/// literal.
#[derive(Copy, Clone, Debug)]
#[rustfmt::skip] // a row an opcode
pub(super) enum Row {
    /// Whatever has no row of its own: `general` reads the instruction.
    General,

    /// The value of a scalar, which has one.
    Read { d: At, a: At },
    /// A copy, of no value, too.
    Copy { d: At, a: At },
    /// A value of the same bits in another type.
    Same { d: At, a: At },
    /// So many copies, all at once: pairs of a cell to write and one to read, from there on in the lists.
    Copies { first: u32, count: u32 },
    /// A new object, of a row of `Code::objects`, at a place in the frame's memory.
    Alloca { d: At, place: u32, bytes: u32, what: u32 },

    // On i32.
    Add { d: At, a: At, b: At },
    Sub { d: At, a: At, b: At },
    Mul { d: At, a: At, b: At },
    SDiv { d: At, a: At, b: At },
    SRem { d: At, a: At, b: At },
    // On float.
    FAdd { d: At, a: At, b: At },
    FSub { d: At, a: At, b: At },
    FMul { d: At, a: At, b: At },
    FDiv { d: At, a: At, b: At },
    IntToFloat { d: At, a: At },
    /// Any operation that its row of `OPS` says all of, on operands of one type.
    One { op: Op, from: Type, ty: Type, d: At, a: At },
    Two { op: Op, ty: Type, d: At, a: At, b: At },
    /// Comparison of integers of more than a bit, or of pointers; of floats.
    Compare { pred: IntPred, d: At, a: At, b: At },
    CompareFloat { pred: FloatPred, d: At, a: At, b: At },
    Select { d: At, c: At, a: At, b: At },

    /// a + x.
    Offset { d: At, a: At, x: i64 },
    /// a + i * stride.
    Step { d: At, a: At, i: At, stride: u32 },
    /// The same, of an index in a dimension.
    Element { d: At, a: At, i: At, stride: u32, length: u32 },
    /// Several of these: from there on in the lists each index, its length (0 is not checked) and its stride.
    Elements { d: At, a: At, first: u32, count: u32 },
    /// i32 and float.
    LoadInt { d: At, a: At },
    LoadFloat { d: At, a: At },
    Store { v: At, a: At },

    Jump { to: Target },
    /// Goes on at one of the n entries behind it: at a, a number of so many bits without sign, or the last one.
    Table { a: At, bits: u32, n: u32 },
    Entry { to: Target },
    Branch { c: At, yes: Target, no: Target },
    CompareBranch { pred: IntPred, a: At, b: At, yes: Target, no: Target },
    /// Of a defined function, by its body; its arguments are in the lists.
    Call { body: u32, d: At, args: u32 },
    /// Of what has its address in a cell.
    CallAt { a: At, d: At, args: u32 },
    /// The same in the place of the function, whose frame and variables go.
    TailCall { body: u32, args: u32 },
    TailCallAt { a: At, args: u32 },
    Return { a: At },
    ReturnNothing,
    Unreachable,
    /// Behind a block that has no end.
    Missing,
}

const _: () = assert!(size_of::<Row>() == 24);

impl Row {
    /// Sets where a jump goes.
    pub(super) fn set_target(&mut self, is_no: bool, target: Target) {
        match self {
            Row::Branch { no, .. } | Row::CompareBranch { no, .. } if is_no => *no = target,
            Row::Jump { to }
            | Row::Entry { to }
            | Row::Branch { yes: to, .. }
            | Row::CompareBranch { yes: to, .. } => *to = target,
            _ => {}
        }
    }
}

/// A value of the program.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Cell {
    /// As `Number::bits`; of a pointer the address, which may have left memory.
    pub(super) bits: u64,
    /// Of a pointer: a row of `Machine::objects`. 0 is no object.
    pub(super) object: u32,
    /// It is something: the first instruction that gives it a value sets this.
    pub(super) defined: bool,
}

/// What messages call an object.
#[derive(Copy, Clone, Debug)]
pub(super) enum Origin {
    Global(crate::ir::GlobalId),
    /// An alloca of a body.
    Local(u32, Inst),
    Literal,
}

/// What is known of an object before it is there.
#[derive(Copy, Clone, Debug)]
pub(super) struct ObjectRow {
    pub(super) origin: Origin,
    /// The scalars it is made of.
    pub(super) scalar: Type,
}

/// What a call needs to know of a body.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Entry {
    /// Where its rows begin.
    pub(super) start: Target,
    /// Cells of its frame, the fixed ones last.
    pub(super) cells: u32,
    /// What the fixed ones begin as, in `Code::fixed`.
    pub(super) fixed: (u32, u32),
    /// Cells that begin without a value, in the lists: allocas that stand in loops, perhaps.
    pub(super) unset: (u32, u32),
    /// Bytes of its frame's memory.
    pub(super) bytes: u32,
    pub(super) params: u32,
}

/// A program as rows.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) rows: Vec<Row>,
    /// Per row: the instruction that it is.
    pub(super) insts: Vec<Inst>,
    pub(super) lists: Vec<u32>,
    pub(super) fixed: Vec<Cell>,
    pub(super) entries: Vec<Entry>,
    /// What objects can be: nothing, globals, requested globals of all bodies, and allocas.
    pub(super) objects: Vec<ObjectRow>,
    /// Per body, and per alloca of it in order of number: its row of `objects`.
    pub(super) allocas: Vec<Vec<(Inst, u32)>>,
}

impl Code {
    /// The row of `objects` of an alloca.
    pub(super) fn alloca(&self, body: usize, i: Inst) -> u32 {
        let rows = self.allocas.get(body).map_or(&[][..], |rows| rows.as_slice());
        rows.binary_search_by_key(&i, |row| row.0).map_or(0, |k| rows[k].1)
    }
}
