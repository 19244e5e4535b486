//! The registers, and the target as shared code sees it.
//!
//! | registers | for |
//! | --- | --- |
//! | r0-r3 | arguments and results, destroyed by calls |
//! | r4-r11 | preserved across calls; r11 is where frames are reached from, if the stack pointer moves |
//! | r12 (ip) | the allocator's scratch: never holds a value; `finalise` computes far frame addresses in it |
//! | r13 (sp), r15 (pc) | what they are called |
//! | r14 (lr) | return address, saved where it is written or something is called; else as r0-r3 |
//! | s0-s15 | arguments and results, destroyed by calls |
//! | s16-s29 | preserved across calls |
//! | q8-q14, q0-q3 | vectors, destroyed by calls; q15 is the allocator's scratch |
//! | s30, s31 (d15) | the allocator's scratch is s30 or d15, `finalise` keeps lr in s31; both are the double on the way to `putf`; saved where used |
//!
//! Vectors live in q8-q15, which no s register is a part of, and in functions without floats in q0-q3, too; calls destroy
//! all of them. Functions that have none are allocated as if there were no such class.
//!
//! Floats live in s registers, numbers 0-31 of `Class::FLOAT`. In a function with doubles, or i64, each takes a whole d
//! register (d0-d13), under the number of its first half; second halves are reserved, so that nothing overlaps, and
//! `finalise` keeps lr in s28.

use super::position;
use super::rows::{
    self, B, LDR_SLOT, MOV, STR_SLOT, VLDR_D_SLOT, VLDR_SLOT, VMOV, VMOV_D, VSTR_D_SLOT, VSTR_SLOT,
};
use super::vector::{self as vectors, QLDR_SLOT, QMOV, QSTR_SLOT};
use crate::isa::registers::class;
use crate::isa::rows::joined;
use crate::isa::symbols::are_short;
use crate::mir::desc::{ClassDesc, Kind, Need, Registers, WidthRow, kinds};
use crate::mir::{Class, Machine, OpRow, PReg, PRegSet};

/// Scratch of the allocator.
pub const IP: PReg = PReg::int(12);
/// The stack pointer.
pub const SP: PReg = PReg::int(13);
/// What frames are reached from where the stack pointer moves.
pub const FRAME: PReg = PReg::int(11);
/// The return address.
pub const LR: PReg = PReg::int(14);
/// The allocator's floating scratch, which is the first half of d15.
const S30: PReg = PReg::float(30);

/// Vectors.
pub const VECTOR: Class = Class(2);

/// Vector `n`, which is q`n`.
pub const fn vector(n: u8) -> PReg {
    PReg(64 + n)
}

/// The core registers that take arguments.
pub const INT_ARGS: [PReg; 4] = range(PReg::int(0));
/// The floating registers that take arguments.
pub const FLOAT_ARGS: [PReg; 16] = range(PReg::float(0));

const fn range<const N: usize>(first: PReg) -> [PReg; N] {
    let mut regs = [first; N];
    let mut k = 0;
    while k < N {
        regs[k] = PReg(first.0 + k as u8);
        k += 1;
    }
    regs
}

static INT_ORDER: [PReg; 13] = {
    let mut order = [LR; 13];
    let mut k = 0;
    while k < 12 {
        order[k + (k > 3) as usize] = PReg::int(k as u8);
        k += 1;
    }
    order
};
static FLOAT_ORDER: [PReg; 30] = range(PReg::float(0));

/// Those that s0-s15 are parts of are the last ones.
static VECTOR_ORDER: [PReg; 11] = {
    let mut order = [vector(0); 11];
    let mut k = 0;
    while k < order.len() {
        order[k] = vector(if k < 7 { 8 + k } else { k - 7 } as u8);
        k += 1;
    }
    order
};

/// DWARF's number of a core register, or of the double that a floating register is the first half of (DWARF
/// for the Arm Architecture, 4.1).
pub fn dwarf_register(reg: PReg) -> u16 {
    if reg.class() == Class::INT { u16::from(reg.number()) } else { 256 + u16::from(reg.number()) / 2 }
}

/// DWARF's number of a register that holds a value: of a floating register the old one of single registers,
/// which debuggers know and compilers write; of a vector that of its low half.
pub fn dwarf_value(reg: PReg) -> u16 {
    match reg.0 {
        0..32 => dwarf_register(reg),
        32..64 => 64 + u16::from(reg.number()),
        _ => 256 + 2 * u16::from(reg.number()),
    }
}

/// The name of a register; of a vector under `q`, of its low and high half under `l` and `h`, and of the third to eighth half
/// from there on under `C` to `H`; under `d`, and under `u` as unwinders see it, a floating register is the double that it is
/// the first half of, and under `n` the other half.
fn reg_name(reg: PReg, variant: u8) -> &'static str {
    const HALVES: [&str; 32] = [
        "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15",
        "d16", "d17", "d18", "d19", "d20", "d21", "d22", "d23", "d24", "d25", "d26", "d27", "d28", "d29",
        "d30", "d31",
    ];
    const VECTORS: [&str; 16] = [
        "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9", "q10", "q11", "q12", "q13", "q14", "q15",
    ];
    let number = usize::from(reg.number());
    match variant {
        b'q' => return VECTORS[number & 15],
        b'l' => return HALVES[(2 * number) & 31],
        b'h' => return HALVES[(2 * number + 1) & 31],
        b'C'..=b'H' => return HALVES[(2 * number + usize::from(variant - b'A')) & 31],
        b'd' | b'u' if reg.class() == Class::FLOAT => return HALVES[number / 2],
        b'n' => return reg_name(PReg(reg.0 + 1), 0),
        _ => {}
    }
    const NAMES: [&str; 64] = [
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "ip", "sp", "lr", "pc",
        "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "s0", "s1", "s2",
        "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16", "s17",
        "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29", "s30", "s31",
    ];
    NAMES[reg.0 as usize & 63]
}

/// The rows of both tables, by number.
pub static ALL: [OpRow; (rows::COUNT + vectors::COUNT + position::COUNT) as usize] =
    joined(&[&rows::ROWS, &vectors::ROWS, &position::ROWS]);

static KINDS: [Kind; ALL.len()] = kinds(&ALL);

/// r0-r3, ip, lr; s0-s15; q0-q3 and q8-q15.
const CALLER_SAVED: PRegSet = PRegSet([0xffff << 32 | 0x500f, 0xff0f]);
/// r4-r11; s16-s29. The callee's s30 and s31 are never allocated: `finalise` sees where they are written, and
/// saves d15.
const CALLEE_SAVED: PRegSet = PRegSet([0x3fff << 48 | 0x0ff0, 0]);

const WORD: WidthRow = WidthRow { bytes: 4, copy: MOV, reload: LDR_SLOT, spill: STR_SLOT };
const SINGLE: WidthRow = WidthRow { bytes: 4, copy: VMOV, reload: VLDR_SLOT, spill: VSTR_SLOT };
const DOUBLE: WidthRow = WidthRow { bytes: 8, copy: VMOV_D, reload: VLDR_D_SLOT, spill: VSTR_D_SLOT };

const QUAD: WidthRow = WidthRow { bytes: 16, copy: QMOV, reload: QLDR_SLOT, spill: QSTR_SLOT };

static CLASSES: [ClassDesc; 3] = [
    class(Class::INT, &INT_ORDER, IP, 4, &[WORD]),
    class(Class::FLOAT, &FLOAT_ORDER, S30, 8, &[SINGLE, DOUBLE]),
    ClassDesc {
        letter: b'q',
        prefix: b'q',
        count: 16,
        ..class(VECTOR, &VECTOR_ORDER, vector(15), 16, &[QUAD])
    },
];

/// The target as shared code sees it.
pub static MACHINE: Machine = Machine {
    name: "armv7",
    ops: &ALL,
    kinds: &KINDS,
    classes: &CLASSES,
    registers: Registers::of(&CLASSES, CALLER_SAVED, CALLEE_SAVED),
    has_vector_class: true,
    reserved: &[
        (Need::Frame, PRegSet::of(&[FRAME])),
        (Need::Floats, PRegSet::range(64, 4)),
        // Second halves, and where lr is kept.
        (Need::Wide, PRegSet([0xaaaa_aaaa << 32, 0]).or(PRegSet::of(&[PReg::float(28)]))),
    ],
    caller_saved: CALLER_SAVED,
    callee_saved: CALLEE_SAVED,
    reg_name,
    pointer_bytes: 4,
    stack_align: 8,
    jump: B,
};

/// True for a name, in lower case, that the assembler takes for something else than a symbol.
pub fn is_reserved(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "sb",
        "sl",
        "fp",
        "ip",
        "sp",
        "lr",
        "pc",
        "wr",
        "apsr",
        "cpsr",
        "spsr",
        "fpscr",
        "fpsid",
        "fpexc",
        "mvfr0",
        "mvfr1",
        "mvfr2",
        "fpinst",
        "fpinst2",
        "acc0",
        "apsr_nzcv",
        "lsl",
        "lsr",
        "asr",
        "ror",
        "rrx",
    ];
    const { assert!(are_short(&WORDS)) }
    let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let letters = &name[..name.len() - digits.len()];
    let numbered =
        matches!(letters, "r" | "a" | "v" | "s" | "d" | "q" | "c" | "cr" | "p" | "f" | "wr" | "wc")
            || letters.starts_with("mv") && letters.len() <= 4
            || letters.starts_with("wcgr");
    WORDS.contains(&name) || numbered && matches!(digits.parse::<u8>(), Ok(0..=31)) && digits.len() <= 2
}
