//! SysY to code: a source as functions, these through the plan of a level, and what comes of them put together.
//! Reads and writes no files and prints nothing: the driver does, and `embed` is the same as a library.
//!
//! | file | holds |
//! | --- | --- |
//! | `embed` | SysY as a library: a source to bytes and diagnostics as data |
//! | `through` | from a text to functions, and these through the plan |
//! | `start` | where programs come from: an outline and functions, each with its stages to IR |
//! | `text` | programs in LLVM text |
//! | `road` | a program through the plan of its level |
//! | `artefacts` | what comes of functions, and programs put together |
//! | `runtime` | the runtime library, from the names that a program needs to machine code |
//! | `link` | programs of an object and the runtime library |
//! | `debug` | what debuggers are told |
//! | `failure` | why nothing came out |

pub mod artefacts;
pub mod debug;
pub mod embed;
pub mod failure;
pub mod link;
pub mod road;
pub mod runtime;
pub mod start;
#[cfg(feature = "llvm-text")]
pub mod text;
pub mod through;
