//! Machine IR: what selection writes, the allocator rewrites, and emission reads; shared by all targets.
//!
//! | file | holds |
//! | --- | --- |
//! | `desc` | what a target says of itself: opcode rows and the opcodes shared code needs |
//! | `registers` | register classes as rows, units, sets |
//! | `func` | one function: instruction rows in order, operands, blocks, frame slots |
//! | `print`, `parse` | the textual form, written and read |
//! | `analyses` | what passes ask of the graph |
//! | `verify` | the rules of the first two states |
//! | `number` | value numbering over dominators, and copies |
//! | `model` | cores: how long what takes, and where it issues |
//! | `schedule` | the rows of a block in an order in which fewer of them wait |
//! | `delay` | what a loop passes on is computed behind the last use of what it replaces |
//! | `order` | block layout, after allocation |
//! | `tails` | copies of small blocks in the place of jumps to them |
//! | `tables` | tables of jumps, whose entries stay together |
//! | `memory` | what rows touch in memory |
//! | `frame` | offsets of the slots, after allocation |
//! | `pair` | loads and stores of neighbours become one row |
//! | `double` | so do accesses that move a pointer on, by registers that follow one another |
//! | `zero_flags` | no comparison with zero behind a row that can set the flags |
//! | `conditional` | short arms of branches are executed under their conditions |
//! | `pass` | machine passes as rows, and what is asked of a list of them |
//! | `rewrite` | the pass over all rows that makes them final, with the target's help |
//! | `debug_values` | where variables are, for debuggers |
//! | `inlined` | by which calls rows got into their function |
//! | `relax` | falls through and reach of branches, when every row is final |
//!
//! Nothing here names a target. A function goes through these states:
//!
//! 1. *selected*: virtual registers in SSA form, phis at block heads, no critical edge into a block with
//!    phis; fixed registers only as constraints on `ENTRY`, calls and returns.
//! 2. *allocated*: physical registers only, phis gone, spill slots in the frame; pseudo instructions and
//!    frame references (`Operand::FRAME` + slot) still stand. Behind the layout of the frame it is *framed*: slots have
//!    offsets.
//! 3. *final*: prologue and epilogues in place, every row a real instruction with legal immediates, every
//!    branch in reach. Text and bytes are both made from this.

pub mod analyses;
pub mod conditional;
pub mod debug_values;
pub mod delay;
pub mod desc;
pub mod double;
pub mod frame;
pub mod func;
pub mod inlined;
pub mod landing;
pub mod memory;
pub mod model;
pub mod number;
pub mod order;
pub mod pair;
#[cfg(any(test, feature = "cli"))]
pub mod parse;
pub mod pass;
pub mod print;
pub mod registers;
pub mod relax;
pub mod rewrite;
pub mod schedule;
pub mod tables;
pub mod tails;
#[cfg(test)]
pub(crate) mod toy;
pub mod verify;
pub mod zero_flags;

pub use desc::{Class, Features, Machine, MachineOp, OpRow, PReg, PRegSet, SymKind};
pub use func::{Func, InstRow, Operand, SlotKind};

crate::handle! {
    /// A machine instruction: its row number is also its place in the order.
    pub struct Inst("m");
    /// A machine basic block.
    pub struct Block("mb");
    /// A virtual register.
    pub struct VReg("v");
    /// A piece of the stack frame.
    pub struct Slot("slot");
}
