//! Cores that run ARMv7 programs.
//!
//! The Cortex-A7 and A53 issue two instructions in order, but memory and floats one a cycle; the A7 has the latencies of
//! GCC's `cortex-a7.md`. The R52 is LLVM's model of such a core with its own write-back (`ARMScheduleR52.td`): sums read a
//! cycle after issue, comparisons and branches write at once and so wait for what is under way. The A9, A15 and A72 issue
//! out of order (`ARMScheduleA57.td`).

use crate::mir::model::{self as m, Model, OpClass, Timing, timings};

/// Two pipes for sums, products, the divider, memory, branches, two for floats.
const ALU: u8 = 1 | 2;
const PRODUCT: u8 = 4;
const DIVIDER: u8 = 8;
const MEMORY: u8 = 16;
const BRANCH: u8 = 32;
const FLOAT: u8 = 64;
const FLOAT_2: u8 = 128;

const BRANCHES: &[OpClass] = &[m::BRANCH, m::COMPARE_BRANCH];
const LANES: &[OpClass] = &[m::VECTOR_ALU, m::VECTOR_ACROSS];

static A7: Model = Model {
    names: &[
        ("cortex-a7", "armv7ve+neon"),
        ("generic", "armv7ve"),
        ("cortex-a5", "armv7-a+neon"),
        ("cortex-a8", "armv7-a+neon"),
        ("generic-armv7-a", "armv7-a"),
    ],
    width: 2,
    writes_in_order: false,
    moving_waits: false,
    cheap_multiples: true,
    mispredict: 0,
    times_vectors: true,
    timings: timings(
        Timing::new(1, ALU).late(0, 0, 0),
        &[
            (&[m::ADDRESS], Timing::new(2, ALU).slots(2)),
            (&[m::SHIFTED], Timing::new(2, ALU)),
            (&[m::MULTIPLY, m::MULTIPLY_LONG], Timing::new(3, PRODUCT)),
            (&[m::MULTIPLY_ADD], Timing::new(3, PRODUCT).late(0, 0, 2).forwards()),
            (&[m::DIVIDE, m::DIVIDE_LONG], Timing::new(8, PRODUCT).busy(8)),
            (&[m::LOAD, m::LOAD_PAIR], Timing::new(3, MEMORY)),
            (&[m::LOAD_MOVING], Timing::new(3, MEMORY).first(1)),
            (&[m::LOAD_FLOAT], Timing::new(4, MEMORY)),
            (&[m::LOAD_VECTOR], Timing::new(4, MEMORY).busy(2)),
            (&[m::LOAD_TURN], Timing::new(6, MEMORY).busy(4)),
            (&[m::STORE, m::STORE_FLOAT, m::STORE_PAIR, m::STORE_MOVING], Timing::new(1, MEMORY)),
            (&[m::STORE_VECTOR], Timing::new(1, MEMORY).busy(2)),
            (&[m::STORE_TURN], Timing::new(1, MEMORY).busy(4)),
            (BRANCHES, Timing::new(1, BRANCH)),
            (&[m::FLOAT_ADD, m::FLOAT_MULTIPLY, m::DOUBLE_ADD, m::CONVERT], Timing::new(4, FLOAT)),
            (&[m::DOUBLE_MULTIPLY], Timing::new(7, FLOAT).busy(4)),
            (&[m::FLOAT_FUSED], Timing::new(8, FLOAT).late(4, 0, 0).forwards()),
            (&[m::DOUBLE_FUSED], Timing::new(11, FLOAT).busy(4).late(4, 0, 0).forwards()),
            (&[m::FLOAT_DIVIDE], Timing::new(18, FLOAT).busy(14)),
            (&[m::DOUBLE_DIVIDE], Timing::new(31, FLOAT).busy(27)),
            (&[m::FLOAT_COMPARE, m::FLOAT_MOVE, m::TO_FLOAT, m::FROM_FLOAT], Timing::new(4, FLOAT)),
            (LANES, Timing::new(4, FLOAT).busy(2)),
            (&[m::VECTOR_MULTIPLY, m::VECTOR_FLOAT, m::VECTOR_LANE], Timing::new(4, FLOAT).busy(4)),
            (
                &[m::VECTOR_FUSED, m::VECTOR_FLOAT_FUSED],
                Timing::new(8, FLOAT).busy(4).late(4, 0, 0).forwards(),
            ),
        ],
    ),
};

/// A sum or what is like it.
const SUM: Timing = Timing::new(3, ALU).late(1, 1, 1).forwards();

static R52: Model = Model {
    names: &[
        ("cortex-r52", "armv7ve+neon"),
        ("cortex-a53", "armv7ve+neon"),
        ("cortex-a55", "armv7ve+neon"),
        ("cortex-a35", "armv7ve+neon"),
    ],
    width: 2,
    writes_in_order: true,
    moving_waits: false,
    cheap_multiples: false,
    mispredict: 8,
    times_vectors: true,
    timings: timings(
        SUM,
        &[
            (&[m::ADDRESS], SUM.slots(2)),
            (&[m::SHIFTED], SUM.late(1, 0, 0)),
            (&[m::COMPARE], Timing::new(0, ALU).late(1, 1, 1)),
            (&[m::MULTIPLY, m::MULTIPLY_LONG, m::MULTIPLY_ADD], Timing::new(4, PRODUCT).forwards()),
            (&[m::DIVIDE, m::DIVIDE_LONG], Timing::new(8, DIVIDER).busy(8).forwards()),
            (&[m::LOAD, m::LOAD_PAIR], Timing::new(4, MEMORY).forwards()),
            (&[m::LOAD_MOVING], Timing::new(4, MEMORY).first(0).slots(2).forwards()),
            (&[m::LOAD_FLOAT], Timing::new(5, MEMORY).forwards()),
            (&[m::LOAD_VECTOR], Timing::new(6, MEMORY).busy(2).slots(3).forwards()),
            (&[m::LOAD_TURN], Timing::new(8, MEMORY).busy(4).slots(7).forwards()),
            (&[m::STORE, m::STORE_PAIR], Timing::new(4, MEMORY).late(0, 2, 2)),
            (&[m::STORE_FLOAT], Timing::new(5, MEMORY)),
            (&[m::STORE_MOVING], Timing::new(4, MEMORY).first(0).slots(2)),
            (&[m::STORE_VECTOR], Timing::new(6, MEMORY).busy(2).slots(3)),
            (&[m::STORE_TURN], Timing::new(8, MEMORY).busy(4).slots(7)),
            (BRANCHES, Timing::new(0, BRANCH)),
            (&[m::FLOAT_ADD, m::DOUBLE_ADD], Timing::new(6, FLOAT | FLOAT_2).late(1, 1, 1).forwards()),
            (
                &[m::FLOAT_MULTIPLY, m::DOUBLE_MULTIPLY],
                Timing::new(6, FLOAT | FLOAT_2).late(1, 1, 1).forwards(),
            ),
            (&[m::FLOAT_FUSED, m::DOUBLE_FUSED], Timing::new(11, FLOAT | FLOAT_2).late(1, 1, 1).forwards()),
            (&[m::FLOAT_DIVIDE], Timing::new(7, DIVIDER).busy(7).forwards()),
            (&[m::DOUBLE_DIVIDE], Timing::new(17, DIVIDER).busy(17).forwards()),
            (&[m::FLOAT_COMPARE, m::FLOAT_MOVE, m::TO_FLOAT], Timing::new(4, FLOAT | FLOAT_2).forwards()),
            (&[m::CONVERT], Timing::new(5, FLOAT).forwards()),
            (&[m::FROM_FLOAT], Timing::new(6, FLOAT | FLOAT_2).forwards()),
            (LANES, Timing::new(4, FLOAT).also(FLOAT_2, 1).late(1, 1, 1).forwards()),
            (
                &[m::VECTOR_MULTIPLY, m::VECTOR_FUSED],
                Timing::new(4, FLOAT).also(FLOAT_2, 1).late(1, 1, 1).forwards(),
            ),
            (&[m::VECTOR_FLOAT], Timing::new(5, FLOAT).also(FLOAT_2, 1).late(1, 1, 1).forwards()),
            (&[m::VECTOR_FLOAT_FUSED], Timing::new(11, FLOAT).also(FLOAT_2, 1).late(1, 1, 1).forwards()),
            (&[m::VECTOR_LANE], Timing::new(6, FLOAT | FLOAT_2).forwards()),
        ],
    ),
};

static A72: Model = Model {
    names: &[
        ("cortex-a72", "armv7ve+neon"),
        ("cortex-a9", "armv7-a+neon"),
        ("cortex-a15", "armv7ve+neon"),
        ("cortex-a17", "armv7ve+neon"),
        ("cortex-a57", "armv7ve+neon"),
    ],
    width: 3,
    writes_in_order: false,
    moving_waits: false,
    cheap_multiples: true,
    mispredict: 16,
    times_vectors: true,
    timings: timings(
        Timing::new(1, ALU),
        &[
            (&[m::ADDRESS], Timing::new(2, ALU).slots(2)),
            (&[m::SHIFTED], Timing::new(2, PRODUCT)),
            (&[m::MULTIPLY, m::MULTIPLY_ADD], Timing::new(3, PRODUCT)),
            (&[m::MULTIPLY_LONG], Timing::new(4, PRODUCT).slots(2)),
            (&[m::DIVIDE, m::DIVIDE_LONG], Timing::new(20, PRODUCT).busy(20)),
            (&[m::LOAD, m::LOAD_PAIR], Timing::new(4, MEMORY)),
            (&[m::LOAD_MOVING], Timing::new(4, MEMORY).first(1)),
            (&[m::LOAD_FLOAT, m::LOAD_VECTOR], Timing::new(5, MEMORY)),
            (&[m::LOAD_TURN], Timing::new(9, MEMORY).busy(2).slots(3)),
            (&[m::STORE, m::STORE_FLOAT, m::STORE_PAIR, m::STORE_MOVING], Timing::new(1, DIVIDER)),
            (&[m::STORE_VECTOR], Timing::new(2, DIVIDER).busy(2)),
            (&[m::STORE_TURN], Timing::new(4, DIVIDER).busy(4).slots(3)),
            (BRANCHES, Timing::new(1, BRANCH)),
            (
                &[m::FLOAT_ADD, m::DOUBLE_ADD, m::FLOAT_MULTIPLY, m::DOUBLE_MULTIPLY],
                Timing::new(5, FLOAT | FLOAT_2),
            ),
            (&[m::FLOAT_FUSED, m::DOUBLE_FUSED], Timing::new(9, FLOAT | FLOAT_2).late(4, 0, 0).forwards()),
            (&[m::FLOAT_DIVIDE], Timing::new(17, FLOAT).busy(17)),
            (&[m::DOUBLE_DIVIDE], Timing::new(32, FLOAT).busy(32)),
            (&[m::FLOAT_COMPARE, m::FLOAT_MOVE], Timing::new(3, FLOAT | FLOAT_2)),
            (&[m::CONVERT, m::TO_FLOAT, m::FROM_FLOAT], Timing::new(5, FLOAT | FLOAT_2)),
            (LANES, Timing::new(3, FLOAT | FLOAT_2)),
            (&[m::VECTOR_MULTIPLY, m::VECTOR_FUSED], Timing::new(6, FLOAT)),
            (&[m::VECTOR_FLOAT], Timing::new(5, FLOAT | FLOAT_2)),
            (&[m::VECTOR_FLOAT_FUSED], Timing::new(9, FLOAT | FLOAT_2).late(4, 0, 0).forwards()),
            (&[m::VECTOR_LANE], Timing::new(8, MEMORY).slots(2)),
        ],
    ),
};

/// The first one is what is scheduled for where nothing is said.
pub(super) static MODELS: [&Model; 3] = [&A7, &R52, &A72];
