//! The SSA intermediate representation: tables, and mutators that keep them in agreement.
//!
//! | file | owns |
//! | --- | --- |
//! | `types` | types of values, and the interned shapes of arrays |
//! | `value` | the tagged 32-bit value |
//! | `opcode` | opcodes, predicates, and a row of facts for each |
//! | `module` | what functions share: globals, signatures, names, shapes |
//! | `builtin` | what machines do and calls of functions stand for |
//! | `effect` | what calling a function can do, and the attributes that say it |
//! | `position` | where programs are loaded, and who sees their names |
//! | `holder` | data that are the address of what need not be there |
//! | `section` | which sections functions and data may ask for |
//! | `names` | what values are called in dumps |
//! | `body` | one function, and the public mutators; copies of regions; bodies as bytes |
//! | `draft` | a body while it is lowered |
//! | `rows` | the columns of instructions |
//! | `operands` | the operand pool and the use edges threaded through it |
//! | `layout` | the order of blocks and of instructions in them |
//! | `place` | where instructions come from |
//! | `remarks` | what passes have to say |
//! | `promise` | flags of arithmetic, and how memory is accessed |
//! | `cfg` | control-flow edges and predecessor arrays, aligned with phi operands |
//! | `constant` | the interned constants of a body |
//! | `fold` | what instructions yield for constants |
//! | `link` | several modules as one |
//! | `switch` | a choice by an integer as a tree of comparisons |
//! | `legal` | what a machine does to vectors: a table of operation x type |
//! | `scalarise` | vectors as scalars, for what has no vectors |
//! | `build` | typed helpers that append and fold |
//! | `parse/` | LLVM IR to modules |
//! | `interp/` | runs modules |
//! | `print/` | modules and bodies as LLVM IR |
//! | `verify/` | the rules that modules and bodies obey, one row each |
//!
//! **Consistency.** Raw columns are written only in the file that owns them. Every public mutator of `Body`
//! leaves operands and uses, order, edges, predecessors and phis in agreement, so between any two calls the
//! body is structurally valid; the verifier checks the rest (types, dominance).

mod cfg;
mod effect;
mod hints;
mod holder;
mod layout;
mod operands;
mod rows;

pub mod assembly;
pub mod body;
pub mod build;
pub mod builtin;
pub mod constant;
pub mod counters;
pub mod debug_values;
pub mod draft;
pub mod fold;
#[cfg(feature = "interp")]
pub mod interp;
pub mod legal;
pub mod link;
pub mod module;
pub mod names;
pub mod opcode;
#[cfg(feature = "llvm-text")]
pub mod parse;
pub mod place;
pub mod points_to;
pub mod position;
pub mod print;
pub mod profile;
pub mod promise;
pub mod remarks;
pub mod scalarise;
pub mod section;
pub mod switch;
pub mod types;
pub mod value;
pub mod verify;

pub use body::region::Copies;
pub use body::{At, Body};
pub use build::Builder;
pub use builtin::Builtin;
pub use debug_values::DebugValues;
pub use draft::Draft;
pub use effect::Effect;
pub use fold::{Number, fold};
pub use hints::{Calls, Hints, Inlining, Size};
pub use module::{Env, Func, FuncId, Global, GlobalId, Group, Image, Linkage, Module, Parts};
pub use opcode::{FloatPred, IntPred, Op};
pub use operands::Use;
pub use place::{NO_LOC, Place};
pub use points_to::PointsTo;
pub use position::{Position, RelocationModel, Scope, ThreadModel, Visibility};
pub use promise::{Access, Flags};
pub use remarks::{Remark, Remarks, Sort};
pub use types::{Shape, Shapes, Type};
pub use value::{Value, ValueKind};

crate::handle! {
    /// An instruction of one body (a parameter is an instruction that stands in no block).
    pub struct Inst("i");
    /// A basic block of one body.
    pub struct Block("b");
    /// A control-flow edge of one body.
    pub struct Edge("e");
}
