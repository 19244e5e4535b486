//! RISC-V cores.
//!
//! SiFive's 7 series issues two instructions in order: one pipe for memory, one for branches, products and floats, and
//! either for sums, which are computed early or late: what reads a sum, product or loaded value for a sum or a branch
//! reads two cycles later than what needs an address. (LLVM's `RISCVSchedSiFive7.td`; SiFive's U74 manual, section 3.2.)
//! SpacemiT's X60 issues two in order, with two pipes for sums, two for memory, one for floats (`RISCVSchedSpacemitX60.td`).
//! Rocket issues one in order (`RISCVSchedRocket.td`).

use crate::mir::model::{self as m, Model, Timing, timings};

/// Memory and sums; sums and all else; the dividers of integers and of floats.
const A: u8 = 1;
const B: u8 = 2;
const DIVIDER: u8 = 4;
const FLOAT_DIVIDER: u8 = 8;
/// On the X60: a second pipe for memory, and the pipe for floats.
const MEMORY: u8 = 16 | 32;
const FLOAT: u8 = 64;

/// A sum or what is like it.
const SUM: Timing = Timing::new(3, A | B).late(2, 2, 2).forwards();

static U74: Model = Model {
    names: &[
        ("sifive-u74", "rv64gc"),
        ("sifive-7-series", "rv64gc"),
        ("sifive-s76", "rv64gc"),
        ("generic", "rv64gc"),
    ],
    width: 2,
    writes_in_order: true,
    moving_waits: false,
    cheap_multiples: true,
    mispredict: 0,
    times_vectors: false,
    timings: timings(
        SUM,
        &[
            (&[m::ADDRESS], SUM.slots(2)),
            (&[m::SHIFTED], Timing { pipes: B, ..SUM }),
            (&[m::MULTIPLY, m::MULTIPLY_LONG, m::MULTIPLY_ADD], Timing::new(3, B).forwards()),
            (&[m::DIVIDE], Timing::new(34, B).also(DIVIDER, 33).forwards()),
            (&[m::DIVIDE_LONG], Timing::new(66, B).also(DIVIDER, 65).forwards()),
            (&[m::LOAD, m::LOAD_PAIR, m::LOAD_MOVING], Timing::new(3, A).forwards()),
            (&[m::LOAD_FLOAT], Timing::new(2, A)),
            (&[m::STORE, m::STORE_FLOAT, m::STORE_PAIR, m::STORE_MOVING], Timing::new(1, A)),
            (&[m::BRANCH, m::COMPARE_BRANCH], Timing { pipes: B, ..SUM }),
            (&[m::FLOAT_ADD, m::FLOAT_MULTIPLY, m::FLOAT_FUSED], Timing::new(5, B)),
            (&[m::FLOAT_DIVIDE], Timing::new(27, B).also(FLOAT_DIVIDER, 26)),
            (&[m::DOUBLE_ADD, m::DOUBLE_MULTIPLY, m::DOUBLE_FUSED], Timing::new(7, B)),
            (&[m::DOUBLE_DIVIDE], Timing::new(56, B).also(FLOAT_DIVIDER, 55)),
            (&[m::FLOAT_COMPARE, m::FLOAT_MOVE, m::CONVERT, m::TO_FLOAT, m::FROM_FLOAT], Timing::new(3, B)),
        ],
    ),
};

static X60: Model = Model {
    names: &[("spacemit-x60", "rv64gcv_zba_zbb")],
    width: 2,
    writes_in_order: false,
    moving_waits: false,
    cheap_multiples: true,
    mispredict: 0,
    times_vectors: false,
    timings: timings(
        Timing::new(1, A | B),
        &[
            (&[m::ADDRESS], Timing::new(2, A | B).slots(2)),
            (&[m::MULTIPLY], Timing::new(3, A | B)),
            (&[m::MULTIPLY_LONG], Timing::new(6, A | B)),
            (&[m::DIVIDE], Timing::new(12, A | B).also(DIVIDER, 12)),
            (&[m::DIVIDE_LONG], Timing::new(20, A | B).also(DIVIDER, 20)),
            (&[m::LOAD], Timing::new(5, MEMORY)),
            (&[m::LOAD_FLOAT], Timing::new(5, MEMORY)),
            (&[m::STORE, m::STORE_FLOAT], Timing::new(3, MEMORY)),
            (&[m::BRANCH, m::COMPARE_BRANCH], Timing::new(1, A)),
            (&[m::FLOAT_ADD, m::FLOAT_MULTIPLY, m::DOUBLE_ADD, m::DOUBLE_MULTIPLY], Timing::new(4, FLOAT)),
            (&[m::FLOAT_FUSED, m::DOUBLE_FUSED], Timing::new(5, FLOAT)),
            (&[m::FLOAT_DIVIDE], Timing::new(15, FLOAT).also(FLOAT_DIVIDER, 15)),
            (&[m::DOUBLE_DIVIDE], Timing::new(22, FLOAT).also(FLOAT_DIVIDER, 22)),
            (&[m::FLOAT_COMPARE, m::CONVERT, m::TO_FLOAT, m::FROM_FLOAT], Timing::new(6, FLOAT)),
            (&[m::FLOAT_MOVE], Timing::new(4, FLOAT)),
        ],
    ),
};

static ROCKET: Model = Model {
    names: &[("rocket", "rv64gc"), ("sifive-5-series", "rv64gc")],
    width: 1,
    writes_in_order: false,
    moving_waits: false,
    cheap_multiples: true,
    mispredict: 0,
    times_vectors: false,
    timings: timings(
        Timing::new(1, A),
        &[
            (&[m::ADDRESS], Timing::new(2, A).slots(2)),
            (&[m::MULTIPLY, m::MULTIPLY_LONG], Timing::new(4, A)),
            (&[m::DIVIDE, m::DIVIDE_LONG], Timing::new(33, A).also(DIVIDER, 33)),
            (&[m::LOAD, m::LOAD_FLOAT], Timing::new(2, A)),
            (&[m::FLOAT_ADD, m::FLOAT_MULTIPLY, m::FLOAT_FUSED], Timing::new(5, A)),
            (&[m::DOUBLE_ADD, m::DOUBLE_MULTIPLY, m::DOUBLE_FUSED], Timing::new(7, A)),
            (&[m::FLOAT_DIVIDE, m::DOUBLE_DIVIDE], Timing::new(20, A).also(FLOAT_DIVIDER, 20)),
            (&[m::FLOAT_COMPARE, m::FLOAT_MOVE, m::CONVERT, m::TO_FLOAT, m::FROM_FLOAT], Timing::new(3, A)),
        ],
    ),
};

/// The first one is what is scheduled for where nothing is said.
pub(super) static MODELS: [&Model; 3] = [&U74, &X60, &ROCKET];
