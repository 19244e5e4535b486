//! What leaves the compiler: text of data for an assembler, relocatable objects, programs.
//!
//! | file | holds |
//! | --- | --- |
//! | `code` | one function's bytes and what they depend on |
//! | `data` | initialised memory |
//! | `assemble` | code and data joined into an object |
//! | `elf` | an object as a file |
//! | `module` | a relocatable object as tables |
//! | `machine` | what ELF files say of each machine |
//! | `text` | assembly text of data, in the directives that GNU as and clang take for every target |

pub mod assemble;
pub mod code;
pub mod data;
pub mod elf;
pub mod machine;
pub mod module;
pub mod text;
