//! The targets: RISC-V 64, AArch64 and ARMv7, and what their selectors share.
//!
//! | file | holds |
//! | --- | --- |
//! | `prepare` | what selection asks of a body: an order, no critical edges into phis, loop depths |
//! | `select` | the walk from SSA to machine IR: demand-driven, backwards, a block at a time |
//! | `address` | element addresses flattened to base + offset + scaled indices |
//! | `memory` | loads, stores, addresses, initialised memory |
//! | `compare` | comparisons and conditions |
//! | `convention` | calling conventions as rows, and the walk over parameters, calls and returns |
//! | `frame` | prologues, epilogues and frame references |
//! | `builtin` | what calls of some functions stand for: memory on the stack |
//! | `assembly` | inline assembly: rows by what they print |
//! | `invoke`, `exceptions` | calls that exceptions may leave, and what unwinders read of them |
//! | `legalise` | what a target has no instruction for, made of others |
//! | `words` | i64 as two words |
//! | `registers` | how the targets number registers |
//! | `rows` | how a target writes its table of opcodes |
//! | `stub` | functions of the runtime library in machine code |
//! | `features` | what machines have beyond the least: `-march=` |
//! | `symbols` | the assembler's names of functions and globals |
//! | `encode` | bytes of a finished function, through the target's encoder |
//! | `origins` | where rows come from, as debuggers are told |
//! | `shape` | what formats do with operands and immediates: the table that encodes |
//! | `unwind` | rows that tell unwinders where things are |
//! | `text` | assembly text of a finished function, from the rows' templates |
//! | `riscv64/`, `aarch64/`, `armv7/` | rows, selection, ABI, frames, legal immediates: one folder a target |
//!
//! A target is a `Target` row of functions and tables; shared code never asks which one it has.

pub mod aarch64;
pub mod address;
pub mod armv7;
pub mod assembly;
pub mod builtin;
pub mod compare;
pub mod convention;
#[cfg(test)]
pub(crate) mod edges;
pub mod encode;
pub mod exceptions;
pub mod features;
pub mod frame;
pub mod invoke;
pub mod legalise;
pub mod memory;
pub mod origins;
pub mod prepare;
pub mod registers;
pub mod riscv64;
pub mod rows;
pub mod select;
pub mod shape;
pub mod stub;
pub mod symbols;
pub mod tables;
pub mod text;
pub mod turns;
pub mod unwind;
pub mod words;

use crate::analysis::TargetFacts;
use crate::ir::assembly::Assembly;
#[cfg(feature = "llvm-text")]
use crate::ir::parse::Platform;
use crate::mir::{self, MachineOp};
use crate::object::machine::Machine as ElfMachine;

/// One target.
#[derive(Debug)]
pub struct Target {
    /// `riscv64`, `aarch64` or `armv7`: what `--target` takes.
    pub name: &'static str,
    /// Other names it answers to: triples of compilers and names that `uname -m` prints.
    pub triples: &'static [&'static str],
    /// The cross compiler that assembles and links for it, and the packages of Debian that hold it.
    pub gcc: &'static str,
    /// See `gcc`.
    pub packages: &'static [&'static str],
    /// What runs its programs on other machines.
    pub qemu: &'static str,
    /// What `-mabi=` may say: the one calling convention that there is.
    pub abis: &'static [&'static str],
    /// What `-march=` starts with; the first is what the target is without it. (Of AArch64, versions follow:
    /// `armv8.2-a`.)
    pub bases: &'static [features::Name],
    /// What may follow in `-march=`.
    pub extensions: &'static [features::Name],
    /// What stands in front of each extension.
    pub separator: char,
    /// Models of its cores; the first one is what is scheduled for where nothing is said.
    pub models: &'static [&'static mir::model::Model],
    /// Selection.
    pub rules: &'static select::Rules,
    /// What passes may know of a machine that has these features.
    pub facts: fn(mir::Features) -> TargetFacts,
    /// What makes an allocated function final but for its branches.
    pub frames: &'static frame::Frames,
    /// Bytes of its rows, for a machine that has these.
    pub encoder: fn(mir::Features) -> encode::Encoder,
    /// DWARF's number of a register (of ARM's floating registers, of the pair that it is the first of).
    pub dwarf_register: fn(mir::PReg) -> u16,
    /// DWARF's number of the register that holds a value.
    pub dwarf_value: fn(mir::PReg) -> u16,
    /// What ELF files say of it.
    pub elf: &'static ElfMachine,
    /// `e_flags` of an object for a machine that has these.
    pub elf_flags: fn(mir::Features) -> u32,
    /// The bytes of its section of build attributes; empty if there is none.
    pub attributes: fn(mir::Features) -> Vec<u8>,
    /// A longer jump than the machine's, for `mir::relax`.
    pub far_jump: Option<MachineOp>,
    /// True for a name that the target's assembler does not take as a symbol (registers, mostly). Lower case
    /// is what is asked; names are reserved in any case.
    pub reserved: fn(&str) -> bool,
    /// What stands at the top of an assembly file for a machine that has these, lines and all.
    pub header: fn(mir::Features) -> String,
    /// Alignment of functions in the text section, in bytes.
    pub function_align: u32,
    /// What it adds to the runtime library.
    pub stubs: &'static stub::Stubs,
    /// What keeps linkers from making the code shorter, which debug information speaks of by the byte.
    pub fixed_code: &'static str,
    /// What begins a comment to the end of the line.
    pub comment: &'static str,
    /// What it does not know of an inline assembly.
    pub assembly: fn(&Assembly) -> Result<(), String>,
}

impl Target {
    /// What the reader of text has to know of it.
    #[cfg(feature = "llvm-text")]
    pub fn platform(&self) -> Platform {
        Platform {
            pointer_bytes: self.rules.machine.pointer_bytes,
            name: self.name,
            names: self.triples,
            unaligned: self.rules.memory.unaligned,
            least_table: self.rules.least_table,
            assembly: Some(self.assembly),
        }
    }
}

/// Every target.
#[rustfmt::skip]
pub static TARGETS: &[&Target] = &[
    &riscv64::TARGET,
    &aarch64::TARGET,
    &armv7::TARGET,
];

/// The target of this name or triple.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().copied().find(|target| target.name == name || target.triples.contains(&name))
}

/// Functions of the C library that selection calls by itself. Function number `LIBRARY_BASE + k` in a row's
/// `sym` is `LIBRARY[k]`.
pub static LIBRARY: [&str; 9] = [
    "memset",
    "memcpy",
    "__aeabi_idiv",
    "__aeabi_uidiv",
    "__aeabi_idivmod",
    "__aeabi_uidivmod",
    "__aeabi_ldivmod",
    "__aeabi_uldivmod",
    "__tls_get_addr",
];
/// Where the numbers of library functions start.
pub const LIBRARY_BASE: u32 = 1 << 31;
/// `void *memset(void *, int, size_t)`.
pub const MEMSET: u32 = LIBRARY_BASE;
/// `void *memcpy(void *, const void *, size_t)`.
pub const MEMCPY: u32 = LIBRARY_BASE + 1;
/// `int __aeabi_idiv(int, int)`, of the run-time ABI of ARM.
pub const AEABI_IDIV: u32 = LIBRARY_BASE + 2;
/// As above, unsigned.
pub const AEABI_UIDIV: u32 = LIBRARY_BASE + 3;
/// Quotient in r0, remainder in r1.
pub const AEABI_IDIVMOD: u32 = LIBRARY_BASE + 4;
/// As above, unsigned.
pub const AEABI_UIDIVMOD: u32 = LIBRARY_BASE + 5;
/// Of two words: quotient in r0 and r1, remainder in r2 and r3.
pub const AEABI_LDIVMOD: u32 = LIBRARY_BASE + 6;
/// As above, unsigned.
pub const AEABI_ULDIVMOD: u32 = LIBRARY_BASE + 7;
/// `void *__tls_get_addr(struct { size_t module, offset; } *)`, of the dynamic linker.
pub const TLS_GET_ADDR: u32 = LIBRARY_BASE + 8;
