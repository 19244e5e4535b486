//! The backend as a library: from IR, made by calls or read from LLVM text, to objects, assembly and programs.
//!
//! ```
//! use sysyc::backend::{Linkage, Module, Options, Signature, Target, Type};
//!
//! let mut module = Module::new(Target::new("armv7")?);
//! let answer = module.function("answer", Signature::new().result(Type::I32), Linkage::Export)?;
//! let mut f = module.build(answer)?;
//! let result = f.int(Type::I32, 42);
//! f.ret(Some(result));
//! let body = f.finish()?;
//! module.define(body)?;
//! let bytes = module.compile(&Options::default())?.to_elf()?;
//! # assert!(bytes.len() > 100);
//! # Ok::<(), sysyc::backend::Error>(())
//! ```
//!
//! What a client needs is named here. It keeps no state between calls but a count of handles' owners, opens no
//! files, prints nothing and does not exit; everything that can be wrong is an `Error`. The files behind it:
//!
//! | file | holds |
//! | --- | --- |
//! | `module` | modules, functions, data |
//! | `sharing` | what a module is linked into, and who sees its names |
//! | `signature` | what functions take and give |
//! | `data` | what data hold |
//! | `text` | modules from LLVM text |
//! | `function` | the builder of bodies; `function/` has what belongs together: calls, atomics, variadic arguments, ... |
//! | `variables` | mutable variables made into SSA values |
//! | `target` | machines |
//! | `pool` | threads that compile, and how that is cancelled |
//! | `compile` | modules to objects and assembly |
//! | `object` | objects and the linker |
//! | `codegen` | functions to code one by one, for code in memory |
//! | `error` | why something could not be made |
//! | `code` | from the IR of a function to its code: the machine passes, in order |
//! | `rows` | machine IR in text through the passes that are left |
//! | `join` | the pieces of a program put together |

mod codegen;
mod data;
mod error;
mod function;
mod module;
#[cfg(feature = "elf")]
mod object;
mod pool;
mod sharing;
mod signature;
mod target;
#[cfg(feature = "llvm-text")]
mod text;
mod variables;

// The command and SysY as a library go these ways, too.
#[cfg(not(feature = "internals"))]
pub(crate) mod code;
#[cfg(feature = "internals")]
pub mod code;
#[cfg(not(feature = "internals"))]
pub(crate) mod compile;
#[cfg(feature = "internals")]
pub mod compile;
#[cfg(not(feature = "internals"))]
pub(crate) mod join;
#[cfg(feature = "internals")]
pub mod join;
#[cfg(all(feature = "cli", not(feature = "internals")))]
pub(crate) mod rows;
#[cfg(feature = "internals")]
pub mod rows;

/// What the page shows is compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
struct Page;

pub use crate::ir::builtin::Ordering;
pub use crate::ir::{FloatPred, IntPred, RelocationModel, ThreadModel, Type, Visibility};
pub use crate::opt::Level;
pub use codegen::{Code, Codegen, Frame, JUMP_BYTES, Name, Relocation, SavedRegister};
pub use compile::Options;
pub use data::Data;
pub use error::{Error, ErrorKind};
pub use function::atomics::Update;
pub use function::{Block, Definition, FunctionBuilder, Val, Variable};
pub use module::{Func, Global, Linkage, Module, Prototype};
#[cfg(feature = "elf")]
pub use object::{Linker, Object, Symbol};
pub use pool::{CancelToken, Pool};
pub use signature::{Extension, Signature};
pub use target::Target;
