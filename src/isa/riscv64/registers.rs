//! The registers: numbers, names, roles; and the target as shared code sees it.
//!
//! v0 is the mask that rows go by. A vector has one, two or four registers, by the most lanes of one in its function,
//! under the number of the first, which is a multiple of so many: others are reserved. v28 to v31, or as many of them, are
//! the allocator's scratch, and calls destroy all.
//! They are a class for functions that have some: all others are allocated as if there were none.

use super::rows::{
    FLD_SLOT, FLW_SLOT, FMV_D, FMV_S, FSD_SLOT, FSW_SLOT, LD_SLOT, LW_SLOT, MV, SD_SLOT, SW_SLOT,
};
use super::{position, rows, vector as table};
use crate::isa::registers::class;
use crate::isa::rows::joined;
use crate::isa::symbols::are_short;
use crate::mir::desc::{ClassDesc, Kind, Need, Registers, WidthRow, kinds};
use crate::mir::{Class, Machine, OpRow, PReg, PRegSet};

macro_rules! registers {
    ($file:ident: $($name:ident = $number:literal;)*) => {
        $(
            #[allow(missing_docs)]
            pub const $name: PReg = PReg::$file($number);
        )*
    };
}

registers! { int:
    ZERO = 0; RA = 1; SP = 2; TP = 4; T0 = 5; T1 = 6; T2 = 7; S0 = 8; S1 = 9; A0 = 10; A1 = 11; A2 = 12; A3 = 13; A4 = 14;
    A5 = 15; A6 = 16; A7 = 17; S2 = 18; S3 = 19; S4 = 20; S5 = 21; S6 = 22; S7 = 23; S8 = 24; S9 = 25; S10 = 26;
    S11 = 27; T3 = 28; T4 = 29; T5 = 30; T6 = 31;
}
registers! { float:
    FT0 = 0; FT1 = 1; FT2 = 2; FT3 = 3; FT4 = 4; FT5 = 5; FT6 = 6; FT7 = 7; FS0 = 8; FS1 = 9; FA0 = 10; FA1 = 11;
    FA2 = 12; FA3 = 13; FA4 = 14; FA5 = 15; FA6 = 16; FA7 = 17; FS2 = 18; FS3 = 19; FS4 = 20; FS5 = 21; FS6 = 22;
    FS7 = 23; FS8 = 24; FS9 = 25; FS10 = 26; FS11 = 27; FT8 = 28; FT9 = 29; FT10 = 30; FT11 = 31;
}

/// Integer arguments and results.
pub const INT_ARGS: [PReg; 8] = [A0, A1, A2, A3, A4, A5, A6, A7];
/// Floating arguments and results.
pub const FLOAT_ARGS: [PReg; 8] = [FA0, FA1, FA2, FA3, FA4, FA5, FA6, FA7];
/// Carries addresses that a single instruction cannot reach, between two rows of one expansion.
pub const ADDRESS_SCRATCH: PReg = T5;

/// What frames are reached from where the stack pointer moves.
pub const FRAME: PReg = S0;

/// Vectors.
pub const VECTOR: Class = Class(2);

/// Vector register `n`.
pub const fn vector(n: u8) -> PReg {
    PReg(64 + n)
}

/// What the allocator may give. `x8`-`x15` come first, since compressed instructions reach only those.
static INT_ORDER: [PReg; 25] =
    [A5, A4, A3, A2, A1, A0, A6, A7, T0, T1, T2, T3, T4, S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11];
/// All but the mask and the scratch.
static VECTOR_ORDER: [PReg; 30] = {
    let mut order = [vector(0); 30];
    let mut k = 0;
    while k < order.len() {
        order[k] = vector(k as u8 + 1 + (k > 26) as u8);
        k += 1;
    }
    order
};

/// The classes.
pub static CLASSES: [ClassDesc; 3] = [
    class(
        Class::INT,
        &INT_ORDER,
        T6,
        8,
        &[
            WidthRow { bytes: 4, copy: MV, reload: LW_SLOT, spill: SW_SLOT },
            WidthRow { bytes: 8, copy: MV, reload: LD_SLOT, spill: SD_SLOT },
        ],
    ),
    class(
        Class::FLOAT,
        &[
            FA5, FA4, FA3, FA2, FA1, FA0, FA6, FA7, FT0, FT1, FT2, FT3, FT4, FT5, FT6, FT7, FT8, FT9, FT10,
            FS0, FS1, FS2, FS3, FS4, FS5, FS6, FS7, FS8, FS9, FS10, FS11,
        ],
        FT11,
        8,
        &[
            WidthRow { bytes: 4, copy: FMV_S, reload: FLW_SLOT, spill: FSW_SLOT },
            WidthRow { bytes: 8, copy: FMV_D, reload: FLD_SLOT, spill: FSD_SLOT },
        ],
    ),
    ClassDesc {
        letter: b'v',
        prefix: b'w',
        ..class(
            VECTOR,
            &VECTOR_ORDER,
            vector(28),
            64,
            &[
                WidthRow {
                    bytes: 16,
                    copy: table::VMV1,
                    reload: table::VLE_4_SLOT,
                    spill: table::VSE_4_SLOT,
                },
                WidthRow {
                    bytes: 32,
                    copy: table::VMV2,
                    reload: table::VLE_8_SLOT,
                    spill: table::VSE_8_SLOT,
                },
                WidthRow { bytes: 64, copy: table::VMV4, reload: table::VLE_SLOT, spill: table::VSE_SLOT },
            ],
        )
    },
];

/// The rows of both tables, by number.
pub static ALL: [OpRow; (rows::COUNT + table::COUNT + position::COUNT) as usize] =
    joined(&[&rows::ROWS, &table::ROWS, &position::ROWS]);
static KINDS: [Kind; ALL.len()] = kinds(&ALL);

/// The target as shared code sees it.
pub static MACHINE: Machine = Machine {
    name: "riscv64",
    ops: &ALL,
    kinds: &KINDS,
    classes: &CLASSES,
    registers: Registers::of(&CLASSES, CALLER_SAVED, CALLEE_SAVED),
    has_vector_class: true,
    reserved: &[
        (Need::Frame, PRegSet::of(&[FRAME])),
        (Need::Lanes(8), PRegSet([0, 0xaaaa_aaaa])),
        (Need::Lanes(16), PRegSet([0, 0xeeee_eeee])),
    ],
    caller_saved: CALLER_SAVED,
    callee_saved: CALLEE_SAVED,
    reg_name: name,
    pointer_bytes: 8,
    stack_align: 16,
    jump: rows::J,
};

/// What a call destroys: all vectors, and of the others these.
pub const CALLER_SAVED: PRegSet = PRegSet([SCALARS.0[0], 0xffff_ffff]);
const SCALARS: PRegSet = PRegSet::of(&[
    RA, T0, T1, T2, A0, A1, A2, A3, A4, A5, A6, A7, T3, T4, T5, T6, FT0, FT1, FT2, FT3, FT4, FT5, FT6, FT7,
    FA0, FA1, FA2, FA3, FA4, FA5, FA6, FA7, FT8, FT9, FT10, FT11,
]);
/// What a function preserves.
pub const CALLEE_SAVED: PRegSet = PRegSet::of(&[
    S0, S1, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11, FS0, FS1, FS2, FS3, FS4, FS5, FS6, FS7, FS8, FS9, FS10,
    FS11,
]);

const NAMES: [&str; 96] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "ft0", "ft1",
    "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6",
    "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10",
    "ft11", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
    "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
    "v30", "v31",
];

/// DWARF's number of a register that holds a value.
pub fn dwarf_value(reg: PReg) -> u16 {
    if reg.0 < 64 { reg.0.into() } else { u16::from(reg.0) + 32 }
}

/// The ABI name of a register.
pub fn name(reg: PReg, _variant: u8) -> &'static str {
    NAMES.get(reg.0 as usize).copied().unwrap_or("?")
}

/// True for names that the assembler reads as registers: ABI names, `fp`, and `x`, `f` and `v` with a number.
pub fn is_reserved(name: &str) -> bool {
    const { assert!(are_short(&NAMES)) }
    let numbered = name.strip_prefix(['x', 'f', 'v']).is_some_and(|digits| {
        (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    numbered || name == "fp" || NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_one_role() {
        let mut seen = PRegSet::EMPTY;
        for class in &CLASSES[..2] {
            for &reg in class.order.iter().chain([&class.scratch]) {
                assert!(!seen.contains(reg), "{reg:?}");
                assert!(CALLER_SAVED.contains(reg) != CALLEE_SAVED.contains(reg), "{reg:?}");
                seen.insert(reg);
            }
        }
        assert!(!seen.contains(ADDRESS_SCRATCH) && seen.count() == 58);
        assert_eq!([name(S11, 0), name(FT8, 0), name(FA0, 0)], ["s11", "ft8", "fa0"]);
        assert!(["x0", "fp", "ft11", "v3"].into_iter().all(is_reserved) && !is_reserved("x"));
    }
}
