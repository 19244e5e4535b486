//! What a machine can have beyond the least that its target asks for, and `-march=`, which says so.
//!
//! A name is a base and extensions: `rv64gc_zba_zbb`, `armv7-a+idiv`. Bases and extensions are rows of their
//! target; the features that they stand for are bits, which selection asks (`Select::has`) and the header of
//! assembly text names.

use super::Target;
use crate::mir::Features;

/// Instructions of 16 bits (RISC-V).
pub const COMPRESSED: Features = Features(1);
/// Shifted sums for addresses (RISC-V).
pub const ZBA: Features = Features(2);
/// Bit operations: minimum, rotation, extension, logic with an inverted operand (RISC-V).
pub const ZBB: Features = Features(4);
/// `sdiv` and `udiv` (ARMv7): the Cortex-A7, -A15 and later, and every ARMv8 core in ARM state; not the -A8
/// and -A9.
pub const DIVISION: Features = Features(8);
/// Vectors of 128 bits, and 32 double registers (ARMv7).
pub const NEON: Features = Features(16);
/// NEON may compute floats, whose denormals it flushes to zero (ARMv7): LLVM's `neonfp`. What `-ffast-math` brings.
pub const NEON_FLOATS: Features = Features(1 << 7);
/// Vectors with lanes of i32 and floats (RISC-V, Zve32f),
pub const VECTOR_LANES: Features = Features(32);
/// in registers of at least 128 bits (RISC-V, Zvl128b).
pub const VECTOR_LENGTH: Features = Features(64);
/// Both, as `v` has them.
pub const VECTOR: Features = Features(VECTOR_LANES.0 | VECTOR_LENGTH.0);
/// The least that a target asks for.
pub const NONE: Features = Features(0);

/// A base or an extension in `-march=`: its name, and what it stands for. Extensions without features are in
/// every machine of the target, or nothing here makes use of them.
pub type Name = (&'static str, Features);

/// What a target has unless told otherwise.
pub fn default_of(target: &Target) -> Features {
    target.bases.first().map_or(NONE, |base| base.1)
}

/// The features that `-march=` asks for; `Err` says what is wrong.
pub fn parse(target: &Target, machine: &str) -> Result<Features, String> {
    let mut parts = machine.split(target.separator);
    let first = parts.next().unwrap_or("");
    let base = without_version(first);
    let Some(&(_, mut features)) = target.bases.iter().find(|row| row.0 == base) else {
        return Err(format!("{} is no '{first}'; there are {}", target.name, listed(target.bases)));
    };
    for part in parts {
        let Some(row) = target.extensions.iter().find(|row| row.0 == part) else {
            let all = listed(target.extensions);
            return Err(format!("{} has no extension '{part}'; there are {all}", target.name));
        };
        features = features.with(row.1);
    }
    Ok(features)
}

/// The bytes of a section of build attributes: format A, one vendor, one list of tags for the whole file.
pub fn build_attributes(vendor: &str, tags: &[u8]) -> Vec<u8> {
    let length = |bytes: usize| (bytes as u32).to_le_bytes();
    let mut bytes = vec![b'A'];
    bytes.extend(length(4 + vendor.len() + 1 + 5 + tags.len()));
    bytes.extend(vendor.bytes());
    bytes.extend([0, 1]);
    bytes.extend(length(5 + tags.len()));
    bytes.extend(tags);
    bytes
}

/// `armv8.2-a` as `armv8-a`.
fn without_version(name: &str) -> String {
    match name.split_once('.') {
        Some((base @ ("armv8" | "armv9"), rest)) => {
            format!("{base}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        _ => name.to_string(),
    }
}

fn listed(rows: &[Name]) -> String {
    rows.iter().map(|row| row.0).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::find;

    #[test]
    fn machines_are_a_base_and_extensions_in_any_order() {
        let of = |target: &str, machine: &str| parse(find(target).unwrap(), machine);
        let all = Features(COMPRESSED.0 | ZBA.0 | ZBB.0);
        for machine in ["rv64gc_zba_zbb", "rv64gc_zbb_zba", "rv64gcb", "rv64imafdc_zicsr_zbb_zba_zbs"] {
            assert_eq!(of("riscv64", machine), Ok(all), "{machine}");
        }
        assert_eq!(of("riscv64", "rv64g_zba"), Ok(ZBA));
        assert_eq!(of("armv7", "armv7-a"), Ok(NONE));
        assert_eq!(of("armv7", "armv7-a+neon"), Ok(NEON));
        assert_eq!(of("armv7", "armv7-a+idiv"), of("armv7", "armv7ve"));
        for machine in ["armv8-a", "armv8.2-a", "armv9.4-a+crc", "armv8-a+fp+simd"] {
            assert_eq!(of("aarch64", machine), Ok(NONE), "{machine}");
        }
        for (target, machine) in [
            ("riscv64", "rv32gc"),
            ("riscv64", "rv64gc_zbz"),
            ("riscv64", "rv64gc+zba"),
            ("riscv64", ""),
            ("aarch64", "armv7-a"),
            ("aarch64", "armv8-a+"),
            ("armv7", "armv6"),
            ("armv7", "armv7-a+zba"),
        ] {
            assert!(of(target, machine).is_err(), "{target} {machine}");
        }
        let default = |name: &str| default_of(find(name).unwrap());
        assert_eq!(["riscv64", "aarch64", "armv7"].map(default), [COMPRESSED, NONE, DIVISION]);
    }
}
