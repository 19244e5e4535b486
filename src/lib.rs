//! `sysyc`: a data-oriented, parallel compiler for SysY, as a command and as a library.
//!
//! [`compile`] takes SysY; [`backend`] is for frontends of other languages.

// The backend alone uses a part of what the command, SysY and the tests need; with `internals`, nothing is unused.
#![cfg_attr(not(feature = "internals"), allow(dead_code, unreachable_pub, unused_imports))]

pub mod backend;

// For the project's own tests and benches, everything has a name; `internals` has all other features.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod analysis;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod base;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod driver;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod format;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod ir;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod isa;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod lower;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod mir;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod object;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod opt;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod regalloc;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod sema;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod source;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod syntax;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod sysy;

#[cfg(not(feature = "internals"))]
mod analysis;
#[cfg(not(feature = "internals"))]
mod base;
#[cfg(all(feature = "cli", not(feature = "internals")))]
mod driver;
#[cfg(all(feature = "cli", not(feature = "internals")))]
mod format;
#[cfg(not(feature = "internals"))]
mod ir;
#[cfg(not(feature = "internals"))]
mod isa;
#[cfg(all(feature = "sysy", not(feature = "internals")))]
mod lower;
#[cfg(not(feature = "internals"))]
mod mir;
#[cfg(not(feature = "internals"))]
mod object;
#[cfg(not(feature = "internals"))]
mod opt;
#[cfg(not(feature = "internals"))]
mod regalloc;
#[cfg(all(feature = "sysy", not(feature = "internals")))]
mod sema;
#[cfg(all(feature = "sysy", not(feature = "internals")))]
mod source;
#[cfg(all(feature = "sysy", not(feature = "internals")))]
mod syntax;
#[cfg(all(feature = "sysy", not(feature = "internals")))]
mod sysy;

use base::handle::handle;
use isa::rows::{formats, opcodes, per_condition};
use isa::shape::shapes;
#[cfg(feature = "sysy")]
pub use source::Severity;
#[cfg(feature = "sysy")]
pub use sysy::embed::{Compilation, Message, Place, Settings, Wanted, compile};

/// The command: does what a command line says, and returns the exit code.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use driver::main as command;
