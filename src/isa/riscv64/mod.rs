//! RISC-V 64: RV64GC, LP64D, position-independent addresses.
//!
//! | file | holds |
//! | --- | --- |
//! | `registers` | numbers, names, and the roles of registers |
//! | `rows` | the table of opcodes |
//! | `select` | dispatch by opcode, constants, arithmetic on integers |
//! | `multiply` | products, quotients and remainders by constants |
//! | `bits` | what Zba and Zbb are for |
//! | `compare` | comparisons, branches and `select` |
//! | `float` | floating arithmetic and conversions |
//! | `vector` | the rows on vectors; `lanes` and `masks` select them, `vtype` says how many lanes they have |
//! | `memory` | loads, stores, addresses, initialised memory |
//! | `position` | the rows of code that is loaded anywhere |
//! | `abi` | the calling convention, as a row |
//! | `atomic` | accesses that other threads see as one |
//! | `encode` | the bits of each format |
//! | `compress` | compressed forms |
//! | `finalise` | prologues, epilogues, frame references and pseudo instructions |
//! | `assembly` | which rows inline assembly may name |
//! | `stubs` | the runtime library's machine code |
//!
//! An i32 is kept sign-extended in its register, an i8 too, an i1 as 0 or 1. `t6` and `ft11` belong to the
//! allocator's moves, and `t5` to addresses that a single instruction cannot reach; nothing else is ever in
//! them.

pub mod abi;
mod assembly;
pub mod atomic;
pub mod bits;
pub mod compare;
pub mod compress;
#[cfg(test)]
mod edges;
pub mod encode;
pub mod finalise;
pub mod float;
pub mod lanes;
pub mod masks;
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
pub mod vtype;

use super::Target;
use super::features::{COMPRESSED, NONE, VECTOR, VECTOR_LANES, VECTOR_LENGTH, ZBA, ZBB, build_attributes};
use crate::analysis::TargetFacts;
use crate::mir::Features;
use crate::object::machine;

/// RISC-V 64.
pub static TARGET: Target = Target {
    name: "riscv64",
    triples: &["riscv64gc", "rv64gc", "riscv64-linux-gnu", "riscv64-unknown-linux-gnu"],
    gcc: "riscv64-linux-gnu-gcc",
    packages: &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
    qemu: "qemu-riscv64",
    abis: &["lp64d"],
    bases: &[
        ("rv64gc", COMPRESSED),
        ("rv64g", NONE),
        ("rv64imafdc", COMPRESSED),
        ("rv64imafd", NONE),
        ("rv64gcb", Features(COMPRESSED.0 | ZBA.0 | ZBB.0)),
        ("rv64gcv", Features(COMPRESSED.0 | VECTOR.0)),
        ("rv64imafdcv", Features(COMPRESSED.0 | VECTOR.0)),
        ("rv64gcbv", Features(COMPRESSED.0 | ZBA.0 | ZBB.0 | VECTOR.0)),
    ],
    extensions: &[
        ("zba", ZBA),
        ("zbb", ZBB),
        ("zbs", NONE),
        ("zicsr", NONE),
        ("zifencei", NONE),
        ("v", VECTOR),
        ("zve32f", VECTOR_LANES),
        ("zve64d", VECTOR_LANES),
        ("zvl128b", VECTOR_LENGTH),
        ("zvl256b", VECTOR_LENGTH),
        ("zvl512b", VECTOR_LENGTH),
    ],
    separator: '_',
    models: &models::MODELS,
    rules: &select::RULES,
    facts: |features| TargetFacts {
        word: 64,
        shifted_sum: if features.has(ZBA) { 3 } else { 0 },
        mask: 11,
        wide_products: true,
        remainders: true,
        upper_products: true,
        compare_and_branch: true,
        least_table: select::RULES.least_table,
        branch_on_zero: true,
        offsets_int: [-2048, 2047],
        offsets_float: [-2048, 2047],
        registers: [26, 30],
        offset: 2044,
        any_stride: true,
        masks: true,
        vectors: lanes::vectors(features),
        ..TargetFacts::default()
    },
    frames: &finalise::FRAMES,
    encoder: |features| match features.has(COMPRESSED) {
        true => super::encode::encode_as::<encode::Words<true>>,
        false => super::encode::encode_as::<encode::Words<false>>,
    },
    dwarf_register: |reg| u16::from(reg.0),
    dwarf_value: registers::dwarf_value,
    elf: &machine::RISCV64,
    elf_flags,
    attributes,
    far_jump: Some(rows::J_FAR),
    reserved: registers::is_reserved,
    header,
    function_align: 4,
    stubs: &stubs::STUBS,
    fixed_code: "\t.option norelax\n",
    comment: "#",
    assembly: |of| super::assembly::check(&TARGET, of),
};

/// The lowest bit says that there are compressed instructions.
fn elf_flags(features: Features) -> u32 {
    machine::RISCV64.flags & !u32::from(!features.has(COMPRESSED))
}

/// What features are called: in a name, and in build attributes.
const NAMED: [(&str, &str, Features); 4] =
    [("c", "_c2p0", COMPRESSED), ("v", "_v1p0", VECTOR), ("_zba", "_zba1p0", ZBA), ("_zbb", "_zbb1p0", ZBB)];

/// Build attributes as in the RISC-V ELF psABI, chapter 8.6: stack alignment (4) 16, instruction set (5).
fn attributes(features: Features) -> Vec<u8> {
    let mut tags = b"\x04\x10\x05rv64i2p1_m2p0_a2p1_f2p2_d2p2".to_vec();
    for (_, version, _) in NAMED.iter().filter(|row| features.has(row.2)) {
        tags.extend(version.bytes());
    }
    tags.push(0);
    build_attributes("riscv", &tags)
}

fn header(features: Features) -> String {
    format!("\t.option nopic\n\t.attribute arch, \"{}\"\n\t.text\n", machine_name(features))
}

/// The name of a machine as attributes of files have it.
pub fn machine_name(features: Features) -> String {
    let mut name = String::from("rv64g");
    NAMED.iter().filter(|row| features.has(row.2)).for_each(|row| name.push_str(row.0));
    name
}
