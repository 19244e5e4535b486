//! The AAPCS64 as Linux has it: eight integer and eight floating arguments in registers, counted apart, and
//! further ones in 8 bytes of stack each.

use super::registers::{FLOAT_ARGS, INT_ARGS};
use super::rows::control::{BL, BLR_X9, RETURN_VALUE, TAIL, TAIL_X9};
use super::rows::float::{FMOV_D_X, FMOV_S_W};
use super::rows::memory::*;
use super::rows::vector::{VINS_X_HIGH, VMOV_X_HIGH, VMOV_X_LOW};
use crate::isa::convention::{Convention, Grouping, Variadic, Vectors, by_type};
use crate::mir::PReg;

/// The row. Floats never go to registers of integers.
pub static CONVENTION: Convention = Convention {
    ints: &INT_ARGS,
    floats: &FLOAT_ARGS,
    int_bytes: 8,
    float_bytes: 8,
    stack_bytes: 8,
    floats_overflow: false,
    variadic: Variadic::AsOthers,
    call: BL,
    ret: RETURN_VALUE,
    through: (BLR_X9, PReg::int(9)),
    jump: TAIL,
    jump_through: (TAIL_X9, PReg::int(9)),
    result_place: Some(PReg::int(8)),
    loads: by_type(8, [Some(LDR_W_PARAM), Some(LDR_X_PARAM), Some(LDR_S_PARAM), Some(LDR_D_PARAM)]),
    stores: by_type(8, [Some(STR_W_SLOT), Some(STR_X_SLOT), Some(STR_S_SLOT), Some(STR_D_SLOT)]),
    to_bits: [FMOV_S_W, FMOV_D_X],
    from_bits: [FMOV_S_W, FMOV_D_X],
    words: |cx, v| [cx.reg(v); 2],
    halves: None,
    vectors: Some(Vectors {
        from_low: FMOV_D_X,
        onto_high: VINS_X_HIGH,
        low: VMOV_X_LOW,
        high: VMOV_X_HIGH,
        store: STR_Q_SLOT,
    }),
    grouping: Grouping::Whole,
};
