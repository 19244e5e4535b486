//! AArch64: A64 instructions, AAPCS64 on Linux, position-independent addresses.
//!
//! | file | holds |
//! | --- | --- |
//! | `registers` | numbers, names and roles of registers |
//! | `rows/` | the table of opcodes, a file a family |
//! | `immediate` | which constants fit an instruction, and how others are made |
//! | `select` | dispatch by opcode, constants, conversions |
//! | `arithmetic` | sums, logic and shifts with their flexible operands |
//! | `atomic` | accesses that other threads see as one |
//! | `multiply` | products; `divide`: quotients and remainders |
//! | `compare` | comparisons, branches and `select` |
//! | `float` | floating arithmetic and conversions |
//! | `memory` | loads, stores, addresses, initialised memory |
//! | `abi` | the calling convention, as a row |
//! | `finalise` | prologues, epilogues, frame references and pseudo instructions |
//! | `assembly` | which rows inline assembly may name |
//! | `stubs` | the runtime library's machine code |
//! | `encode` | the bits of each format |
//!
//! An i32 is in a w register, and nothing is known of the upper half of the x register; an i8 likewise of
//! everything above its 8 bits; an i1 is 0 or 1 in all 32. Rows that set flags stand right before the row
//! that reads them; nothing that the allocator puts between changes flags, constants included.

pub mod abi;
pub mod arithmetic;
mod assembly;
pub mod atomic;
pub mod compare;
pub mod encode;
pub mod finalise;
pub mod float;
pub mod immediate;
pub mod memory;
mod models;
pub mod multiply;
pub mod registers;
pub mod rows;
pub mod select;
pub mod stubs;
pub mod vector;

#[cfg(test)]
mod tests;

use super::Target;
use super::features::NONE;
use super::memory::by_slot;
use super::select::{BY_TYPE, Handler, Rules, TypedHandlers};
use crate::analysis::TargetFacts;
use crate::ir::legal::Vectors;
use crate::ir::opcode::OPS;
use crate::ir::switch::LEAST_TABLE;
use crate::object::machine;
use rows::float::{LI_D, LI_S};

/// Selection.
static RULES: Rules = rules(select::HANDLERS, None, &[&WITH_VECTORS]);

/// The same for functions with vectors.
static WITH_VECTORS: Rules = rules(BY_TYPE, Some([&select::HANDLERS, &vector::VECTORS]), &[]);

const fn rules(
    handlers: [Handler; OPS.len()],
    by_type: Option<TypedHandlers>,
    with_vectors: &'static [&'static Rules],
) -> Rules {
    Rules {
        machine: &registers::MACHINE,
        handlers,
        memory: &memory::MEMORY,
        least_table: LEAST_TABLE,
        slot_loads: by_slot(&memory::MEMORY.loads),
        slot_stores: by_slot(&memory::MEMORY.stores),
        integer: select::own_integer,
        float: |cx, ty, v| match ty.is_vector() {
            true => vector::zeros(cx, ty),
            false => cx.emit_float([LI_S, LI_D], ty, v),
        },
        convention: &abi::CONVENTION,
        splits_words: false,
        vectors: |_| VECTORS,
        by_type,
        lanes: if by_type.is_some() { 4 } else { 0 },
        with_vectors,
        builtins: &finalise::BUILTINS,
    }
}

const VECTORS: Vectors = Vectors::of(&vector::LEGAL);

/// The target.
pub static TARGET: Target = Target {
    name: "aarch64",
    triples: &["arm64", "aarch64-linux-gnu", "aarch64-unknown-linux-gnu"],
    gcc: "aarch64-linux-gnu-gcc",
    packages: &["gcc-aarch64-linux-gnu", "qemu-user"],
    qemu: "qemu-aarch64",
    abis: &["lp64"],
    bases: &[("armv8-a", NONE), ("armv9-a", NONE)],
    extensions: &[("fp", NONE), ("simd", NONE), ("crc", NONE), ("lse", NONE), ("crypto", NONE)],
    separator: '+',
    models: &models::MODELS,
    rules: &RULES,
    facts: |_| TargetFacts {
        word: 64,
        least_table: RULES.least_table,
        shifted_sum: 63,
        shifted_difference: true,
        mask: 63,
        multiply_subtract: true,
        branch_on_zero: true,
        chooses: true,
        chooses_next: true,
        scaled_int: true,
        scaled_float: true,
        moving_int: 255,
        moving_float: 255,
        offsets_int: [-256, 4 * 4095],
        offsets_float: [-256, 4 * 4095],
        moving_vector: 255,
        offsets_vector: [-256, 16 * 4095],
        pairs: true,
        registers: [28, 30],
        offset: 16380,
        vectors: VECTORS,
        ..TargetFacts::default()
    },
    frames: &finalise::FRAMES,
    encoder: |_| super::encode::encode_as::<encode::A64>,
    dwarf_register: registers::dwarf_register,
    dwarf_value: registers::dwarf_register,
    elf: &machine::AARCH64,
    elf_flags: |_| machine::AARCH64.flags,
    attributes: |_| Vec::new(),
    far_jump: None,
    reserved: registers::is_reserved,
    header: |_| "\t.arch armv8-a\n\t.text\n".to_string(),
    function_align: 4,
    stubs: &stubs::STUBS,
    fixed_code: "",
    comment: "//",
    assembly: |of| super::assembly::check(&TARGET, of),
};
