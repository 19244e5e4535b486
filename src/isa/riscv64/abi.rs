//! LP64D: integers and pointers in `a0`-`a7`, floats in `fa0`-`fa7`, what is left in 8 bytes of the stack
//! each.

use super::registers::{FLOAT_ARGS, INT_ARGS, T1};
use super::rows::*;
use crate::isa::convention::{Convention, Grouping, Variadic, by_type};

/// The row.
pub static CONVENTION: Convention = Convention {
    ints: &INT_ARGS,
    floats: &FLOAT_ARGS,
    int_bytes: 8,
    float_bytes: 8,
    stack_bytes: 8,
    floats_overflow: true,
    variadic: Variadic::Rest,
    call: CALL_FUNC,
    ret: RET,
    through: (CALL_T1, T1),
    jump: TAIL,
    jump_through: (TAIL_T1, T1),
    result_place: None,
    loads: by_type(8, [Some(LW_SLOT), Some(LD_SLOT), Some(FLW_SLOT), Some(FLD_SLOT)]),
    stores: by_type(8, [Some(SD_SLOT), Some(SD_SLOT), Some(FSW_SLOT), Some(FSD_SLOT)]),
    to_bits: [FMV_X_W, FMV_X_D],
    from_bits: [FMV_W_X, FMV_D_X],
    words: |cx, v| [cx.reg(v); 2],
    halves: None,
    vectors: None,
    grouping: Grouping::Split,
};
