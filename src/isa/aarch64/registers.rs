//! Registers of AArch64: numbers, names and roles (AAPCS64).
//!
//! | registers | role |
//! | --- | --- |
//! | x0-x15 | values, destroyed by calls; x0-x7 carry arguments and results |
//! | x16 | the allocator's moves |
//! | x17 | addresses and constants inside of one pseudo instruction |
//! | x18 | the platform's |
//! | x19-x29 | values, preserved by calls; x29 is where frames are reached from, if the stack pointer moves |
//! | x30 | return address |
//! | 31 | zero, or the stack pointer where a row prints it under variant `p` |
//! | v0-v7, v16-v30 | values, destroyed by calls; v0-v7 carry arguments and results |
//! | v8-v15 | values, of which calls preserve the low 64 bits |
//! | v31 | the allocator's moves |

use super::rows::{OPS, control, float, int, memory, vector};
use crate::isa::registers::class;
use crate::isa::symbols::are_short;
use crate::mir::desc::{ClassDesc, Kind, Need, Registers, WidthRow, kinds};
use crate::mir::{Class, Machine, PReg, PRegSet};

/// Zero, or the stack pointer.
pub const ZERO: PReg = PReg::int(31);
/// The same register where it is the stack pointer.
pub const SP: PReg = ZERO;
/// The return address.
pub const LR: PReg = PReg::int(30);
/// What frames are reached from where the stack pointer moves.
pub const FRAME: PReg = PReg::int(29);
/// Free within the expansion of one pseudo instruction.
pub const ADDRESS: PReg = PReg::int(17);
/// The allocator's integer scratch.
const SCRATCH: PReg = PReg::int(16);
/// The allocator's floating scratch.
const FLOAT_SCRATCH: PReg = PReg::float(31);

const fn ints<const N: usize>(numbers: [u8; N]) -> [PReg; N] {
    let mut regs = [ZERO; N];
    let mut k = 0;
    while k < N {
        regs[k] = PReg::int(numbers[k]);
        k += 1;
    }
    regs
}

const fn floats<const N: usize>(numbers: [u8; N]) -> [PReg; N] {
    let mut regs = [ZERO; N];
    let mut k = 0;
    while k < N {
        regs[k] = PReg::float(numbers[k]);
        k += 1;
    }
    regs
}

/// The registers of integer and pointer arguments; the first is that of results.
pub const INT_ARGS: [PReg; 8] = ints([0, 1, 2, 3, 4, 5, 6, 7]);
/// As above, of floats.
pub const FLOAT_ARGS: [PReg; 8] = floats([0, 1, 2, 3, 4, 5, 6, 7]);

static INT_ORDER: [PReg; 27] =
    ints([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
static FLOAT_ORDER: [PReg; 31] = floats([
    0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 8, 9, 10, 11, 12, 13,
    14, 15,
]);

const CALLEE_SAVED: PRegSet = {
    let ints = PRegSet::of(&ints([19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]));
    let floats = PRegSet::of(&floats([8, 9, 10, 11, 12, 13, 14, 15]));
    ints.or(floats)
};
const CALLER_SAVED: PRegSet =
    PRegSet::range(0, 64).minus(CALLEE_SAVED).minus(PRegSet::of(&[PReg::int(18), ZERO]));

/// Calls preserve the low 8 bytes of v8-v15.
static CLASSES: [ClassDesc; 2] = [
    class(
        Class::INT,
        &INT_ORDER,
        SCRATCH,
        8,
        &[
            WidthRow { bytes: 4, copy: int::MOV_W, reload: memory::LDR_W_SLOT, spill: memory::STR_W_SLOT },
            WidthRow { bytes: 8, copy: int::MOV_X, reload: memory::LDR_X_SLOT, spill: memory::STR_X_SLOT },
        ],
    ),
    class(
        Class::FLOAT,
        &FLOAT_ORDER,
        FLOAT_SCRATCH,
        8,
        &[
            WidthRow { bytes: 4, copy: float::FMOV_S, reload: memory::LDR_S_SLOT, spill: memory::STR_S_SLOT },
            WidthRow { bytes: 8, copy: float::FMOV_D, reload: memory::LDR_D_SLOT, spill: memory::STR_D_SLOT },
            WidthRow { bytes: 16, copy: vector::VMOV, reload: memory::LDR_Q_SLOT, spill: memory::STR_Q_SLOT },
        ],
    ),
];

static KINDS: [Kind; OPS.len()] = kinds(&OPS);

/// What shared code knows of the target.
pub static MACHINE: Machine = Machine {
    name: "aarch64",
    ops: &OPS,
    kinds: &KINDS,
    classes: &CLASSES,
    registers: Registers::of(&CLASSES, CALLER_SAVED, CALLEE_SAVED),
    has_vector_class: false,
    reserved: &[(Need::Frame, PRegSet::of(&[FRAME]))],
    caller_saved: CALLER_SAVED,
    callee_saved: CALLEE_SAVED,
    reg_name,
    pointer_bytes: 8,
    stack_align: 16,
    jump: control::B,
};

macro_rules! names {
    ($prefix:literal, $last:literal) => {
        [
            concat!($prefix, "0"),
            concat!($prefix, "1"),
            concat!($prefix, "2"),
            concat!($prefix, "3"),
            concat!($prefix, "4"),
            concat!($prefix, "5"),
            concat!($prefix, "6"),
            concat!($prefix, "7"),
            concat!($prefix, "8"),
            concat!($prefix, "9"),
            concat!($prefix, "10"),
            concat!($prefix, "11"),
            concat!($prefix, "12"),
            concat!($prefix, "13"),
            concat!($prefix, "14"),
            concat!($prefix, "15"),
            concat!($prefix, "16"),
            concat!($prefix, "17"),
            concat!($prefix, "18"),
            concat!($prefix, "19"),
            concat!($prefix, "20"),
            concat!($prefix, "21"),
            concat!($prefix, "22"),
            concat!($prefix, "23"),
            concat!($prefix, "24"),
            concat!($prefix, "25"),
            concat!($prefix, "26"),
            concat!($prefix, "27"),
            concat!($prefix, "28"),
            concat!($prefix, "29"),
            concat!($prefix, "30"),
            $last,
        ]
    };
}

static W: [&str; 32] = names!("w", "wzr");
static X: [&str; 32] = names!("x", "xzr");
static P: [&str; 32] = names!("x", "sp");
static S: [&str; 32] = names!("s", "s31");
static D: [&str; 32] = names!("d", "d31");
static Q: [&str; 32] = names!("q", "q31");
static V: [&str; 32] = names!("v", "v31");

/// The name of a register; 0 is x or v, whichever it is.
fn reg_name(reg: PReg, variant: u8) -> &'static str {
    let names = match variant {
        b'w' => &W,
        b'p' => &P,
        b'f' => &S,
        b'd' => &D,
        b'q' => &Q,
        // The vectors behind it.
        b'n' | b't' | b'r' => {
            let behind = 1 + usize::from(variant == b't') + 2 * usize::from(variant == b'r');
            return V[(usize::from(reg.number()) + behind) & 31];
        }
        // As unwinders see it.
        b'u' if reg.class() == Class::FLOAT => &D,
        _ if reg.class() == Class::FLOAT => &V,
        _ => &X,
    };
    names[usize::from(reg.number())]
}

/// DWARF's number of a register (DWARF for the Arm 64-bit Architecture, 4.1).
pub fn dwarf_register(reg: PReg) -> u16 {
    u16::from(reg.number()) + if reg.class() == Class::INT { 0 } else { 64 }
}

/// True for a word that the assembler reads as a register or as part of an operand.
pub fn is_reserved(name: &str) -> bool {
    const WORDS: [&str; 34] = [
        "sp", "wsp", "xzr", "wzr", "lr", "fp", "ip0", "ip1", "lsl", "lsr", "asr", "ror", "msl", "uxtb",
        "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx", "eq", "ne", "hs", "lo", "mi", "pl", "vs",
        "vc", "hi", "ls", "ge", "lt", "gt",
    ];
    const { assert!(are_short(&WORDS)) }
    let number = |rest: &str| rest.len() <= 2 && rest.parse::<u8>().is_ok_and(|n| n < 32);
    let is_register = name.split_at_checked(1).is_some_and(|(prefix, rest)| {
        matches!(prefix, "x" | "w" | "b" | "h" | "s" | "d" | "q" | "v" | "z" | "p") && number(rest)
    });
    is_register || WORDS.contains(&name) || matches!(name, "le" | "al" | "nv" | "cs" | "cc")
}
