//! `sysyc`: a data-oriented, parallel compiler for SysY.

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
