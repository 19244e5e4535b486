//! Cores that run AArch64 programs.
//!
//! The Cortex-A53 and A55 issue two instructions in order. Sums read their operands two cycles after issue, shifted
//! operands one, so that sums follow one another in a cycle though each takes three. The A72 and A76 issue out of order: what
//! their rows are for is that long latencies begin early. (Arm's software optimisation guides; LLVM's `AArch64SchedA53.td`,
//! `AArch64SchedA55.td`, `AArch64SchedA57.td`, which serves for the A72 and A76 too.)

use crate::mir::model::{self as m, Model, Timing, timings};

/// Two pipes for sums, products, the divider, memory, branches, floats, products of floats.
const ALU: u8 = 1 | 2;
const PRODUCT: u8 = 4;
const DIVIDER: u8 = 8;
const MEMORY: u8 = 16;
const BRANCH: u8 = 32;
const FLOAT: u8 = 64;
const FLOAT_PRODUCT: u8 = 128;

/// A sum or what is like it.
const SUM: Timing = Timing::new(3, ALU).late(2, 2, 2).forwards();

/// What is scheduled for the A53, which is in order, serves all cores; instructions that only the A53 needs are not added.
static GENERIC: Model =
    Model { names: &[("generic", "armv8-a")], moving_waits: false, mispredict: 0, ..CORTEX_A53 };
static A53: Model = CORTEX_A53;

const CORTEX_A53: Model = Model {
    names: &[("cortex-a53", "armv8-a"), ("cortex-a35", "armv8-a"), ("cortex-a34", "armv8-a")],
    width: 2,
    writes_in_order: true,
    moving_waits: true,
    cheap_multiples: true,
    mispredict: 9,
    times_vectors: true,
    timings: timings(
        SUM,
        &[
            (&[m::ADDRESS], SUM.slots(2)),
            (&[m::SHIFTED], SUM.late(2, 1, 1)),
            (
                &[m::MULTIPLY, m::MULTIPLY_LONG, m::MULTIPLY_ADD],
                Timing::new(4, PRODUCT).late(1, 1, 2).forwards(),
            ),
            (&[m::DIVIDE, m::DIVIDE_LONG], Timing::new(4, DIVIDER).late(1, 1, 1).forwards()),
            (&[m::LOAD, m::LOAD_FLOAT, m::LOAD_VECTOR], Timing::new(4, MEMORY)),
            (&[m::LOAD_PAIR], Timing::new(4, MEMORY).busy(2).slots(2)),
            (&[m::LOAD_MOVING], Timing::new(4, MEMORY).first(0).slots(2)),
            (&[m::LOAD_TURN], Timing::new(7, MEMORY).busy(4)),
            (&[m::STORE, m::STORE_FLOAT, m::STORE_PAIR, m::STORE_VECTOR], Timing::new(4, MEMORY)),
            (&[m::STORE_MOVING], Timing::new(4, MEMORY).first(0).slots(2)),
            (&[m::STORE_TURN], Timing::new(5, MEMORY).busy(2)),
            (&[m::BRANCH, m::COMPARE_BRANCH], Timing::new(1, BRANCH)),
            (
                &[m::FLOAT_ADD, m::DOUBLE_ADD, m::FLOAT_COMPARE, m::FLOAT_MOVE, m::CONVERT],
                Timing::new(6, FLOAT),
            ),
            (&[m::TO_FLOAT, m::FROM_FLOAT], Timing::new(6, FLOAT)),
            (&[m::FLOAT_MULTIPLY, m::DOUBLE_MULTIPLY], Timing::new(6, FLOAT_PRODUCT)),
            (&[m::FLOAT_FUSED, m::DOUBLE_FUSED], Timing::new(10, FLOAT_PRODUCT)),
            (&[m::FLOAT_DIVIDE, m::VECTOR_DIVIDE], Timing::new(18, FLOAT_PRODUCT).busy(14)),
            (&[m::DOUBLE_DIVIDE], Timing::new(33, FLOAT_PRODUCT).busy(29)),
            (&[m::VECTOR_ALU, m::VECTOR_MULTIPLY, m::VECTOR_FUSED, m::VECTOR_FLOAT], Timing::new(6, FLOAT)),
            (&[m::VECTOR_LANE, m::VECTOR_ACROSS], Timing::new(6, FLOAT)),
            (&[m::VECTOR_FLOAT_FUSED], Timing::new(10, FLOAT_PRODUCT)),
        ],
    ),
};

static A55: Model = Model {
    names: &[("cortex-a55", "armv8-a"), ("cortex-a510", "armv8-a")],
    width: 2,
    writes_in_order: false,
    moving_waits: true,
    cheap_multiples: true,
    mispredict: 8,
    times_vectors: true,
    timings: timings(
        SUM,
        &[
            (&[m::ADDRESS], SUM.slots(2)),
            (&[m::SHIFTED], SUM.late(2, 1, 1)),
            (
                &[m::MULTIPLY, m::MULTIPLY_LONG, m::MULTIPLY_ADD],
                Timing::new(4, PRODUCT).late(1, 1, 2).forwards(),
            ),
            (&[m::DIVIDE, m::DIVIDE_LONG], Timing::new(8, DIVIDER).busy(8).late(1, 1, 1).forwards()),
            (&[m::LOAD, m::LOAD_FLOAT, m::LOAD_VECTOR], Timing::new(3, MEMORY)),
            (&[m::LOAD_PAIR], Timing::new(4, MEMORY).slots(2)),
            (&[m::LOAD_MOVING], Timing::new(3, MEMORY).first(1).slots(2)),
            (&[m::LOAD_TURN], Timing::new(7, MEMORY).busy(4)),
            (&[m::STORE, m::STORE_FLOAT, m::STORE_PAIR, m::STORE_VECTOR], Timing::new(1, MEMORY)),
            (&[m::STORE_MOVING], Timing::new(1, MEMORY).slots(2)),
            (&[m::STORE_TURN], Timing::new(5, MEMORY).busy(4)),
            (&[m::BRANCH, m::COMPARE_BRANCH], Timing::new(1, BRANCH)),
            (
                &[m::FLOAT_ADD, m::DOUBLE_ADD, m::FLOAT_MULTIPLY, m::DOUBLE_MULTIPLY],
                Timing::new(4, FLOAT | FLOAT_PRODUCT),
            ),
            (
                &[m::FLOAT_FUSED, m::DOUBLE_FUSED, m::FLOAT_MOVE, m::CONVERT],
                Timing::new(4, FLOAT | FLOAT_PRODUCT),
            ),
            (&[m::FLOAT_COMPARE, m::TO_FLOAT, m::FROM_FLOAT], Timing::new(3, FLOAT | FLOAT_PRODUCT)),
            (&[m::FLOAT_DIVIDE, m::VECTOR_DIVIDE], Timing::new(13, FLOAT_PRODUCT).busy(10)),
            (&[m::DOUBLE_DIVIDE], Timing::new(22, FLOAT_PRODUCT).busy(19)),
            (&[m::VECTOR_ALU], Timing::new(2, FLOAT | FLOAT_PRODUCT).busy(2)),
            (
                &[m::VECTOR_MULTIPLY, m::VECTOR_FUSED, m::VECTOR_FLOAT],
                Timing::new(4, FLOAT | FLOAT_PRODUCT).busy(2),
            ),
            (&[m::VECTOR_FLOAT_FUSED], Timing::new(4, FLOAT | FLOAT_PRODUCT).busy(2)),
            (&[m::VECTOR_LANE, m::VECTOR_ACROSS], Timing::new(4, FLOAT | FLOAT_PRODUCT)),
        ],
    ),
};

static A72: Model = Model {
    names: &[
        ("cortex-a72", "armv8-a"),
        ("cortex-a57", "armv8-a"),
        ("cortex-a73", "armv8-a"),
        ("cortex-a75", "armv8-a"),
        ("cortex-a76", "armv8-a"),
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
            (&[m::MULTIPLY_LONG], Timing::new(5, PRODUCT)),
            (&[m::DIVIDE], Timing::new(19, PRODUCT).busy(19)),
            (&[m::DIVIDE_LONG], Timing::new(35, PRODUCT).busy(35)),
            (&[m::LOAD], Timing::new(4, MEMORY)),
            (&[m::LOAD_FLOAT, m::LOAD_VECTOR], Timing::new(5, MEMORY)),
            (&[m::LOAD_PAIR], Timing::new(4, MEMORY).slots(2)),
            (&[m::LOAD_MOVING], Timing::new(4, MEMORY).first(1).slots(2)),
            (&[m::LOAD_TURN], Timing::new(9, MEMORY).busy(2).slots(3)),
            (&[m::STORE, m::STORE_FLOAT, m::STORE_PAIR], Timing::new(1, DIVIDER)),
            (&[m::STORE_VECTOR], Timing::new(2, DIVIDER).busy(2)),
            (&[m::STORE_MOVING], Timing::new(1, DIVIDER).slots(2)),
            (&[m::STORE_TURN], Timing::new(4, DIVIDER).busy(4).slots(3)),
            (&[m::BRANCH, m::COMPARE_BRANCH], Timing::new(1, BRANCH)),
            (
                &[m::FLOAT_ADD, m::DOUBLE_ADD, m::FLOAT_MULTIPLY, m::DOUBLE_MULTIPLY],
                Timing::new(5, FLOAT | FLOAT_PRODUCT),
            ),
            (
                &[m::FLOAT_FUSED, m::DOUBLE_FUSED],
                Timing::new(9, FLOAT | FLOAT_PRODUCT).late(0, 0, 4).forwards(),
            ),
            (&[m::FLOAT_COMPARE, m::FLOAT_MOVE], Timing::new(3, FLOAT | FLOAT_PRODUCT)),
            (&[m::CONVERT], Timing::new(10, FLOAT)),
            (&[m::TO_FLOAT, m::FROM_FLOAT], Timing::new(5, MEMORY)),
            (&[m::FLOAT_DIVIDE], Timing::new(17, FLOAT).busy(17)),
            (&[m::DOUBLE_DIVIDE], Timing::new(32, FLOAT).busy(32)),
            (&[m::VECTOR_ALU], Timing::new(3, FLOAT | FLOAT_PRODUCT)),
            (&[m::VECTOR_MULTIPLY], Timing::new(6, FLOAT).busy(2)),
            (&[m::VECTOR_FUSED], Timing::new(6, FLOAT).busy(2).late(2, 0, 0).forwards()),
            (&[m::VECTOR_FLOAT], Timing::new(5, FLOAT | FLOAT_PRODUCT)),
            (&[m::VECTOR_FLOAT_FUSED], Timing::new(10, FLOAT | FLOAT_PRODUCT).late(5, 0, 0).forwards()),
            (&[m::VECTOR_DIVIDE], Timing::new(34, FLOAT).busy(34)),
            (&[m::VECTOR_LANE], Timing::new(8, MEMORY).slots(2)),
            (&[m::VECTOR_ACROSS], Timing::new(7, FLOAT).slots(2)),
        ],
    ),
};

/// The first one is what is scheduled for where nothing is said.
pub(super) static MODELS: [&Model; 4] = [&GENERIC, &A53, &A55, &A72];
