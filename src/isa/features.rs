//! What a machine can have beyond the least that its target asks for, and `-march=`, which says so.
//!
//! A name is a base and extensions: `rv64gc_zba_zbb`, `armv7-a+idiv`. Bases and extensions are rows; the features that
//! they stand for are bits, which selection asks (`Select::has`) and the header of assembly text names.

use super::Target;
use crate::mir::Features;

/// Instructions of 16 bits (RISC-V).
pub const COMPRESSED: Features = Features(1);
/// Shifted sums for addresses (RISC-V).
pub const ZBA: Features = Features(2);
/// Bit operations: minimum, rotation, extension, logic with an inverted operand (RISC-V).
pub const ZBB: Features = Features(4);
/// `sdiv` and `udiv` (ARMv7): the Cortex-A7, -A15 and later, and every ARMv8 core in ARM state; not the -A8 and -A9.
pub const DIVISION: Features = Features(8);
/// Vectors of 128 bits, and 32 double registers (ARMv7).
pub const NEON: Features = Features(16);
const NONE: Features = Features(0);

/// A name in `-march=`, of a target.
struct Name {
    target: &'static str,
    name: &'static str,
    features: Features,
}

const fn name(target: &'static str, name: &'static str, features: Features) -> Name {
    Name { target, name, features }
}

/// What a name starts with. The first of a target is what it is without `-march=`. Of AArch64, versions follow:
/// `armv8.2-a`.
#[rustfmt::skip]
static BASES: [Name; 11] = [
    name("riscv64", "rv64gc", COMPRESSED),
    name("riscv64", "rv64g", NONE),
    name("riscv64", "rv64imafdc", COMPRESSED),
    name("riscv64", "rv64imafd", NONE),
    name("riscv64", "rv64gcb", Features(COMPRESSED.0 | ZBA.0 | ZBB.0)),
    name("aarch64", "armv8-a", NONE),
    name("aarch64", "armv9-a", NONE),
    name("armv7", "armv7ve", DIVISION),
    name("armv7", "armv7-a", NONE),
    name("armv7", "armv7a", NONE),
    name("armv7", "armv8-a", DIVISION),
];

/// What may follow; those without features are in every machine of the target, or nothing here makes use of them.
#[rustfmt::skip]
static EXTENSIONS: [Name; 17] = [
    name("riscv64", "zba", ZBA),
    name("riscv64", "zbb", ZBB),
    name("riscv64", "zbs", NONE),
    name("riscv64", "zicsr", NONE),
    name("riscv64", "zifencei", NONE),
    name("aarch64", "fp", NONE),
    name("aarch64", "simd", NONE),
    name("aarch64", "crc", NONE),
    name("aarch64", "lse", NONE),
    name("armv7", "idiv", DIVISION),
    name("armv7", "fp", NONE),
    name("armv7", "vfpv3", NONE),
    name("armv7", "vfpv3-d16", NONE),
    name("armv7", "vfpv4", NONE),
    name("armv7", "neon", NEON),
    name("armv7", "simd", NEON),
    name("armv7", "mp", NONE),
];

/// What a target has unless told otherwise.
pub fn default_of(target: &Target) -> Features {
    BASES.iter().find(|base| base.target == target.name).map_or(NONE, |base| base.features)
}

/// The features that `-march=` asks for; `Err` says what is wrong.
pub fn parse(target: &Target, machine: &str) -> Result<Features, String> {
    let mut parts = machine.split(if target.name == "riscv64" { '_' } else { '+' });
    let first = parts.next().unwrap_or("");
    let is_base = |base: &&Name| base.target == target.name && base.name == without_version(first);
    let Some(base) = BASES.iter().find(is_base) else {
        return Err(format!("{} is no '{first}'; there are {}", target.name, listed(target, &BASES)));
    };
    let mut features = base.features;
    for part in parts {
        let is_meant = |row: &&Name| row.target == target.name && row.name == part;
        let Some(row) = EXTENSIONS.iter().find(is_meant) else {
            let all = listed(target, &EXTENSIONS);
            return Err(format!("{} has no extension '{part}'; there are {all}", target.name));
        };
        features = features.with(row.features);
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

fn listed(target: &Target, rows: &[Name]) -> String {
    let names: Vec<&str> = rows.iter().filter(|row| row.target == target.name).map(|row| row.name).collect();
    names.join(", ")
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
