//! From SSA to machine IR, shared by the targets.
//!
//! Blocks are walked in postorder and instructions last to first, so every use of a value is seen before its
//! definition: an instruction is selected only if something has *demanded* its result (or it has an effect),
//! and a user that folds its operand's definition into itself simply does not demand it. Within one IR
//! instruction the target emits machine rows forwards; the walk turns those few around in place, and the
//! whole column as it is copied out at the end. Dead code costs nothing. O(instructions + edges x phis); the
//! columns of the walk are a worker's.
//!
//! (Selecting backwards with folding by non-demand is Cranelift's; see its `machinst/lower.rs`.)
//!
//! | file | holds |
//! | --- | --- |
//! | `handlers` | the table of handlers, and those that targets share |
//! | `lanes` | the same on vectors |
//! | `values` | registers for values, slots, constants that loops share |
//! | `emit` | rows |
//! | `groups` | accesses of lanes in turn that are one instruction |
//! | `fold` | what can be part of its user |
//! | `debug_values` | which values debuggers are shown |
//! | `inlined` | the tree of inlined calls |
//! | `walk` | blocks, phis, and the function at the end |

mod debug_values;
mod emit;
mod fold;
mod groups;
mod handlers;
mod inlined;
mod lanes;
mod values;
mod walk;

pub use fold::{Field, Fused, low_ones};
pub use groups::{loads_in_group, stores_in_group, with_offset};
pub use handlers::{by_row, handlers, lack, lack_alone, of_words, table};
pub use lanes::{
    BY_TYPE, FloatRows, TypedHandlers, by_type, compare_floats, lanes, shift, splat_of, sum, sum_of_floats,
    two, with_opposite,
};
pub use walk::select;

use super::builtin::Builtins;
use super::convention::Convention;
use super::memory::{Memory, Moving};
use crate::base::intern::DenseMap;
use crate::base::{Column, Handle, Opt};
use crate::ir::legal::Vectors;
use crate::ir::opcode::OPS;
use crate::ir::{self, Body, Env, GlobalId, Type, Value};
use crate::mir::func::VRegRow;
use crate::mir::{self, Func, InstRow, Machine, MachineOp, Operand, VReg};

/// Selects an instruction: a terminator, or one that is demanded (`Select::result`) or has an effect. Of a
/// terminator exactly one terminator row, the last emitted; a conditional branch jumps to `Select::succ(0)`.
pub type Handler = fn(&mut Select, ir::Inst);

/// What a target adds to the walk.
#[derive(Debug)]
pub struct Rules {
    /// The target's description.
    pub machine: &'static Machine,
    /// By opcode; see `handlers`.
    pub handlers: [Handler; OPS.len()],
    /// How it addresses memory.
    pub memory: &'static Memory,
    /// By type: the row that loads from a frame slot. The walk makes it where the slot is known.
    pub slot_loads: ByType,
    /// By type: the row that stores to a frame slot.
    pub slot_stores: ByType,
    /// As many neighbouring entries have to differ for a table: a tree of comparisons is less for fewer.
    pub least_table: usize,
    /// Emits what puts an integer in a register: a fresh one, or one that always holds it.
    pub integer: fn(&mut Select, Type, i64) -> Operand,
    /// Emits what puts a floating constant, or any if it is undef, in a fresh register.
    pub float: fn(&mut Select, Type, Value) -> Operand,
    /// How arguments and results are passed.
    pub convention: &'static Convention,
    /// True if i64 is two words, and doubles are wider than most registers: functions with either are selected again, as
    /// such (`mir::Func::is_wide`), when that turns out. So others pay nothing.
    pub splits_words: bool,
    /// What there is in vectors on a machine that has these features.
    pub vectors: fn(mir::Features) -> Vectors,
    /// What they ask for types, if they are for functions with vectors.
    pub by_type: Option<TypedHandlers>,
    /// The most lanes of vectors in functions that they are for; 0 if they are for those without.
    pub lanes: u32,
    /// The rules for functions with vectors, of fewer lanes first: so what has none is not asked for their types.
    pub with_vectors: &'static [&'static Rules],
    /// The rows for what calls of some functions stand for.
    pub builtins: &'static Builtins,
}

/// A row for each type that has one.
pub type ByType = [Option<MachineOp>; Type::NUMBERS];

/// What an instruction's result is, as far as that is known: nothing yet, a register, or of an alloca a frame
/// slot.
///
/// ```text
///   31   30                       0
///  +----+-------------------------+
///  | 0  |  virtual register       |
///  | 1  |  slot; all ones: none   |
///  +----+-------------------------+
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Home(u32);

impl Home {
    const NONE: Home = Home(u32::MAX);

    fn reg(v: VReg) -> Home {
        Home(v.index() as u32)
    }

    fn slot(slot: mir::Slot) -> Home {
        Home(1 << 31 | slot.index() as u32)
    }

    #[inline(always)]
    fn as_reg(self) -> Option<VReg> {
        if self.0 >> 31 == 0 { Some(VReg::new(self.0 as usize)) } else { None }
    }

    #[inline(always)]
    fn as_slot(self) -> Option<mir::Slot> {
        if self.0 >> 31 != 0 && self != Home::NONE {
            Some(mir::Slot::new((self.0 & !(1 << 31)) as usize))
        } else {
            None
        }
    }
}

/// What a load puts in its register above what it loads.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum LoadExtension {
    /// What the machine keeps there.
    Usual,
    /// Zeros.
    Zeros,
    /// The sign.
    Sign,
}

/// A constant that uses may share: what makes it again gives the same.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shared {
    /// A constant value, but for integers.
    Value(Value),
    /// An integer in a register of so many bytes.
    Int(u8, i64),
    /// The address of a slot.
    Slot(mir::Slot),
}

impl Shared {
    /// True if it takes one instruction, at most, on most targets.
    fn is_cheap(self) -> bool {
        match self {
            Shared::Value(v) => v.as_global().is_none(),
            Shared::Int(_, x) => i64::from(x as i16) == x,
            Shared::Slot(_) => true,
        }
    }
}

/// What a worker keeps for selection from function to function.
#[derive(Debug, Default)]
pub struct WorkerMemory {
    columns: Columns,
    /// A function that is done with, for its memory.
    pub spent: Func,
}

/// The columns of the walk.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// Per IR instruction: the register that its result is wanted in, or the frame slot of an alloca.
    homes: Column<ir::Inst, Home>,
    /// Per load, as far as there is one into the register of the conversion that it is for: how it extends.
    extensions: Column<ir::Inst, LoadExtension>,
    /// Per block, as far as constants are shared: the rows that make some, at its end.
    hoisted: Column<ir::Block, Vec<InstRow>>,
    /// The rows of phis, by machine block: those of block `k` start at `phi_starts[k]`.
    phis: Vec<InstRow>,
    phi_starts: Vec<u32>,
    /// Rows selected so far, backwards but for those of the current IR instruction, and, if places are
    /// wanted, per row its source offset.
    rows: Vec<InstRow>,
    locs: Vec<u32>,
    /// See `Select`.
    operands: Vec<Operand>,
    indices: Vec<(Value, u32)>,
}

/// The state of the walk.
#[derive(Debug)]
pub struct Select<'a> {
    /// What functions share.
    pub env: &'a Env,
    /// The function being selected.
    pub body: &'a Body,
    /// The machine function so far. Rows are kept apart until the end.
    pub out: Func,
    /// The target.
    pub rules: &'static Rules,
    /// The block being selected.
    pub block: ir::Block,
    /// Room for the operands of a row with any number of them, between two rows.
    pub operands: Vec<Operand>,
    /// The indices of the addresses of the IR instruction being selected, and the bytes they scale by.
    pub indices: Vec<(Value, u32)>,
    columns: Columns,
    /// The registers for values, by type.
    kinds: [VRegRow; Type::NUMBERS],
    /// Rows of `columns.rows` that are those of earlier IR instructions.
    flushed: usize,
    /// Registers that are those of earlier blocks.
    earlier: usize,
    /// Per block, its number in the order.
    position: &'a Column<ir::Block, u32>,
    /// The machine blocks that the current block goes to.
    succs: [Opt<mir::Block>; 2],
    /// Where constants that the current block needs are made, if not where they are needed.
    constants_at: Opt<ir::Block>,
    /// The same for addresses of globals, and what takes several instructions.
    addresses_at: Opt<ir::Block>,
    /// Outside of loops: the addresses of globals that what follows in this block, up to the next call, has
    /// in registers; and the rows that make them, which will stand in front of all of it.
    nearby: Vec<(GlobalId, Operand)>,
    waiting: Vec<InstRow>,
    /// There may be such.
    shares_nearby: bool,
    /// Rows get places; jumps that have one, and get none, are marked.
    places: bool,
    marks_jumps: bool,
    /// The function is optimised.
    hoists: bool,
    /// Constants made in front of loops, by block and what they are.
    shared: DenseMap<(u32, Shared), Operand>,
    /// The access that is to move its base, which is what comes next.
    pub moving: Option<Moving>,
    /// Words that are wanted of what has two: the instruction, which word, and its register.
    halves: Vec<(ir::Inst, u32, VReg)>,
    /// The call that the end of the block stands for, too.
    pub jumped: Opt<ir::Inst>,
    /// Stack arguments of the function are overwritten by those of what it jumps to.
    pub overwrites: bool,
    /// The slot for outgoing arguments, once there is one.
    outgoing: Option<mir::Slot>,
    /// Instructions that the target has no code for; see `lack`.
    lacking: Vec<ir::Inst>,
    /// What the target cannot do, if something came up.
    error: Option<String>,
}
