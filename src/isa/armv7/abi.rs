//! The procedure call standard for the ARM architecture (AAPCS32), with floating registers ("VFP"): words in
//! r0-r3, i64 in an even-odd pair of them, floats in s0-s15, doubles in d0-d7, the rest in 4 bytes of stack each and 8 aligned ones. Of a
//! variadic function ("base"), floats are promoted to double, a double takes an even-odd pair of core registers
//! or 8 aligned bytes of the stack, and results are in r0 and r1.

use super::integer::{own_word, word};
use super::registers::{FLOAT_ARGS, INT_ARGS, LR};
use super::rows::*;
use super::select::double_words;
use super::words::both;
use crate::ir::{Op, Type, Value};
use crate::isa::convention::{Convention, Grouping, Halves, Variadic, by_type};
use crate::isa::select::Select;
use crate::mir::Operand;

/// The row.
pub static CONVENTION: Convention = Convention {
    ints: &INT_ARGS,
    floats: &FLOAT_ARGS,
    int_bytes: 4,
    float_bytes: 4,
    stack_bytes: 4,
    floats_overflow: false,
    variadic: Variadic::All,
    call: BL,
    ret: BX_LR,
    through: (BLX_LR, LR),
    jump: TAIL,
    jump_through: (TAIL_LR, LR),
    result_place: None,
    loads: by_type(4, [Some(LDR_ARG), Some(LDR_ARG), Some(VLDR_ARG), Some(VLDR_D_ARG)]),
    stores: by_type(4, [Some(STR_SLOT), Some(STR_SLOT), Some(VSTR_SLOT), Some(VSTR_D_SLOT)]),
    to_bits: [VMOV_FROM; 2],
    from_bits: [VMOV_TO, VMOV_D_TO],
    words,
    halves: Some(Halves { low: VLOW, high: VHIGH, pair: VPAIR }),
    vectors: None,
    grouping: Grouping::SplitFirst,
};

/// The two words of an i64, or of a double: of a constant, of a float that is promoted, or of one in a register.
fn words(cx: &mut Select, v: Value) -> [Operand; 2] {
    if cx.body.type_of(v) == Type::I64 {
        return both(cx, v);
    }
    if let Some(x) = cx.body.as_f64(v) {
        return double_words(x).map(|word| own_word(cx, word));
    }
    let promoted = v.as_inst().filter(|&i| cx.body.op(i) == Op::FPExt);
    let words = [word(cx), word(cx)];
    match promoted.map(|i| cx.body.arg(i, 0)) {
        Some(float) => {
            let float = cx.reg(float);
            cx.emit(VWORDS, &words, &[float], 0, 0);
        }
        None => {
            let double = cx.reg(v);
            cx.emit(VMOV_D_FROM, &words, &[double], 0, 0);
        }
    }
    words
}
