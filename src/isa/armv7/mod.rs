//! ARMv7-A: ARM state, VFPv3-D16 with the hard-float ABI, absolute addresses by `movw` and `movt`.
//!
//! | file | holds |
//! | --- | --- |
//! | `registers` | numbers, names, and the roles of registers |
//! | `rows` | the table of opcodes; `vector`: those on vectors |
//! | `imm` | which immediates are legal |
//! | `select` | dispatch by opcode, constants |
//! | `integer` | integer arithmetic with operand 2 in all its forms |
//! | `multiply` | products, quotients and remainders by constants |
//! | `lanes` | vectors of integers, where there is NEON |
//! | `compare` | comparisons, branches and `select` |
//! | `joined` | comparisons that `and` and `or` join |
//! | `float` | floating arithmetic and conversions |
//! | `words` | i64 as pairs of words |
//! | `memory` | loads, stores, addresses, initialised memory |
//! | `position` | the rows of code that is loaded anywhere |
//! | `abi` | the calling convention, as a row |
//! | `atomic` | accesses that other threads see as one |
//! | `finalise` | prologues, epilogues, frame references and pseudo instructions |
//! | `assembly` | which rows inline assembly may name |
//! | `stubs` | the runtime library's machine code |
//! | `encode` | the bits of each format |
//!
//! A core register holds an i32 or a pointer, an i1 as 0 or 1, or an i8 with anything above its 8 bits. i64 is
//! a pair (`isa::words`). Functions with i64 or doubles, other than on the way to a variadic function, give values
//! registers by two (`registers`). Division is an instruction
//! (`.arch_extension idiv`), as on every core since the Cortex-A7, or a call where `features::DIVISION` is
//! not there.

pub mod abi;
mod assembly;
pub mod atomic;
pub mod compare;
#[cfg(test)]
mod edges;
pub mod encode;
pub mod finalise;
pub mod float;
pub mod imm;
pub mod integer;
pub mod joined;
pub mod lanes;
pub mod memory;
mod models;
pub mod multiply;
pub mod position;
pub mod registers;
pub mod rows;
pub mod select;
pub mod stubs;
#[cfg(test)]
mod tests;
pub mod vector;
pub mod words;

use super::Target;
use super::features::{DIVISION, NEON, NONE, build_attributes};
use crate::analysis::TargetFacts;
use crate::mir::Features;
use crate::object::machine;

/// The target.
pub static TARGET: Target = Target {
    name: "armv7",
    triples: &["arm-linux-gnueabihf", "armv7-linux-gnueabihf", "armv7l", "armv7a", "armv7ve", "arm"],
    gcc: "arm-linux-gnueabihf-gcc",
    packages: &["gcc-arm-linux-gnueabihf", "qemu-user"],
    qemu: "qemu-arm",
    abis: &["aapcs-linux", "aapcs"],
    bases: &[("armv7ve", DIVISION), ("armv7-a", NONE), ("armv7a", NONE), ("armv8-a", DIVISION)],
    extensions: &[
        ("idiv", DIVISION),
        ("fp", NONE),
        ("vfpv3", NONE),
        ("vfpv3-d16", NONE),
        ("vfpv4", NONE),
        ("neon", NEON),
        ("simd", NEON),
        ("mp", NONE),
    ],
    separator: '+',
    models: &models::MODELS,
    rules: &select::RULES,
    facts: |features| TargetFacts {
        word: 32,
        least_table: select::RULES.least_table,
        shifted_sum: 31,
        shifted_difference: true,
        reverse_difference: true,
        mask: 8,
        chooses: true,
        chooses_sum: true,
        scaled_int: true,
        moving_int: 4095,
        moving_float: 4,
        offsets_int: [-4095, 4095],
        offsets_float: [-1020, 1020],
        moving_vector: i64::MAX,
        moving_pairs: true,
        registers: [13, 30],
        offset: 1020,
        vectors: lanes::vectors(features),
        ..TargetFacts::default()
    },
    frames: &finalise::FRAMES,
    encoder: |_| super::encode::encode_as::<encode::A32>,
    dwarf_register: registers::dwarf_register,
    dwarf_value: registers::dwarf_value,
    elf: &machine::ARMV7,
    elf_flags: |_| machine::ARMV7.flags,
    attributes,
    far_jump: None,
    reserved: registers::is_reserved,
    header,
    function_align: 4,
    stubs: &stubs::STUBS,
    fixed_code: "",
    comment: "@",
    assembly: |of| super::assembly::check(&TARGET, of),
};

/// Build attributes as in the Addenda to the ABI for the Arm Architecture, chapter 3: CPU 7-A (5, 6, 7), ARM
/// and Thumb-2 state (8, 9), VFPv3-D16, or VFPv3 (10) and NEON (12), 8-byte alignment needed and preserved
/// (24, 25), arguments in VFP registers (28), division instructions allowed (44).
fn attributes(features: Features) -> Vec<u8> {
    let mut tags = b"\x057-A\0\x06\x0a\x07A\x08\x01\x09\x02".to_vec();
    tags.extend(if features.has(NEON) { &b"\x0a\x03\x0c\x01"[..] } else { b"\x0a\x04" });
    tags.extend(b"\x18\x01\x19\x01\x1c\x01");
    if features.has(DIVISION) {
        tags.extend(b",\x02");
    }
    build_attributes("aeabi", &tags)
}

fn header(features: Features) -> String {
    let division = if features.has(DIVISION) { "\t.arch_extension idiv\n" } else { "" };
    let fpu = if features.has(NEON) { "neon" } else { "vfpv3-d16" };
    // Tag_ABI_VFP_args: arguments in floating registers, or the linker refuses to mix.
    format!("\t.syntax unified\n\t.arch armv7-a\n{division}\t.fpu {fpu}\n\t.arm\n\t.eabi_attribute 28, 1\n")
}
