//! What leaves the compiler: text of data for an assembler, relocatable objects, programs.
//!
//! | file | holds |
//! | --- | --- |
//! | `code` | one function's bytes and what they depend on |
//! | `data` | initialised memory |
//! | `debug` | what debuggers are told, as tables |
//! | `dwarf` | the same as sections: lines, variables, unwinding (`debuginfo`) |
//! | `debug_text` | the same in assembly text |
//! | `assemble` | code and data joined into an object |
//! | `frames` | what unwinders read at run time |
//! | `index` | the same on ARM |
//! | `elf` | an object as a file |
//! | `format` | the fixed rows of ELF files |
//! | `module` | a relocatable object as tables |
//! | `machine` | what ELF files say of each machine |
//! | `read` | the bytes of an object file, as tables |
//! | `archive` | libraries: which member has which symbol |
//! | `align` | RISC-V's alignments in code, that are left to linkers |
//! | `reloc` | a row for every kind of relocation of every machine |
//! | `link` | objects and libraries put together to a program |
//! | `text` | assembly text of data, in the directives that GNU as and clang take for every target |

#[cfg(feature = "elf")]
pub mod align;
#[cfg(feature = "elf")]
pub mod archive;
pub mod assemble;
pub mod code;
pub mod data;
pub mod debug;
pub mod debug_text;
#[cfg_attr(not(feature = "debuginfo"), path = "no_dwarf.rs")]
pub mod dwarf;
#[cfg(feature = "elf")]
pub mod elf;
mod format;
pub mod frames;
pub mod index;
#[cfg(feature = "elf")]
pub mod link;
pub mod machine;
pub mod module;
#[cfg(feature = "elf")]
pub mod read;
pub mod reloc;
pub mod text;
