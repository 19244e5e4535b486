//! `sysyc`: a data-oriented, parallel compiler for SysY, as a command and as a library.
//!
//! [`compile`] takes SysY; [`backend`] is for frontends of other languages. The other modules are how it is made: they
//! may change with any version.

pub mod analysis;
pub mod backend;
pub mod base;
pub mod driver;
pub mod ir;
pub mod isa;
pub mod lower;
pub mod mir;
pub mod object;
pub mod opt;
pub mod regalloc;
pub mod sema;
pub mod source;
pub mod syntax;

pub use driver::embed::{Compilation, Message, Place, Settings, Wanted, compile};
pub use source::Severity;
