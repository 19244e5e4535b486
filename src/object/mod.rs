//! What leaves the compiler for the assembler and linker.
//!
//! | file | holds |
//! | --- | --- |
//! | `text` | assembly text of data, in the directives that GNU as and clang take for every target |

pub mod text;
