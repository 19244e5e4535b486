//! RISC-V 64: RV64GC, LP64D, position-independent addresses.
//!
//! | file | holds |
//! | --- | --- |
//! | `registers` | numbers, names, and the roles of registers |
//! | `rows` | the table of opcodes |
//! | `select` | dispatch by opcode, constants, arithmetic on integers |
//! | `multiply` | products, quotients and remainders by constants |
//! | `compare` | comparisons, branches and `select` |
//! | `float` | floating arithmetic and conversions |
//! | `memory` | loads, stores, addresses, initialised memory |
//! | `abi` | parameters, calls and returns |
//! | `encode` | the bits of a row |
//! | `compress` | their compressed form, if there is one |
//! | `finalise` | prologues, epilogues, frame references and pseudo instructions |
//! | `stubs` | the runtime library's machine code |
//!
//! An i32 is kept sign-extended in its register, an i8 too, an i1 as 0 or 1. `t6` and `ft11` belong to the
//! allocator's moves, and `t5` to addresses that a single instruction cannot reach; nothing else is ever in them.

pub mod abi;
pub mod compare;
pub mod compress;
#[cfg(test)]
mod edges;
pub mod encode;
pub mod finalise;
pub mod float;
pub mod memory;
pub mod multiply;
pub mod registers;
pub mod rows;
pub mod select;
pub mod stubs;
#[cfg(test)]
mod tests;

use super::Target;
use super::features::{COMPRESSED, ZBA, ZBB};
use crate::mir::Features;
use crate::object::machine;

/// RISC-V 64.
pub static TARGET: Target = Target {
    name: "riscv64",
    triples: &["riscv64gc", "rv64gc", "riscv64-linux-gnu", "riscv64-unknown-linux-gnu"],
    gcc: "riscv64-linux-gnu-gcc",
    packages: &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
    rules: &select::RULES,
    finalise: finalise::finalise,
    encoder: encode::ENCODER,
    elf: &machine::RISCV64,
    far_jump: Some(rows::J_FAR),
    reserved: registers::is_reserved,
    header,
    function_align: 4,
    stubs: &stubs::STUBS,
    function_end: "",
};

fn header(features: Features) -> String {
    format!("\t.option nopic\n\t.attribute arch, \"{}\"\n\t.text\n", machine_name(features))
}

/// The name of a machine as attributes of files have it.
pub fn machine_name(features: Features) -> String {
    let mut name = String::from(if features.has(COMPRESSED) { "rv64gc" } else { "rv64g" });
    for (feature, text) in [(ZBA, "_zba"), (ZBB, "_zbb")] {
        if features.has(feature) {
            name.push_str(text);
        }
    }
    name
}
