//! The procedure call standard for the ARM architecture (AAPCS32), with floating registers ("VFP"): words in
//! r0-r3, floats in s0-s15, the rest in 4 bytes of stack each. Of a variadic function ("base"), floats are
//! promoted to double, and a double takes an even-odd pair of core registers or 8 aligned bytes of the stack.

use super::integer::{own_word, word};
use super::registers::{FLOAT_ARGS, INT_ARGS};
use super::rows::*;
use crate::ir::{Op, Value};
use crate::isa::convention::{Convention, Variadic, by_type};
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
    loads: by_type(4, [Some(LDR_ARG), None, Some(VLDR_ARG), None]),
    stores: by_type(4, [Some(STR_SLOT), None, Some(VSTR_SLOT), None]),
    to_bits: [VMOV_FROM; 2],
    from_bits: [VMOV_TO; 2],
    words,
};

/// The two words of a double: of a constant, or of a float that is promoted.
fn words(cx: &mut Select, v: Value) -> [Operand; 2] {
    if let Some(x) = cx.body.as_f64(v) {
        let bits = x.to_bits();
        return [own_word(cx, bits as i32), own_word(cx, (bits >> 32) as i32)];
    }
    let promoted = v.as_inst().filter(|&i| cx.body.op(i) == Op::FPExt);
    let words = [word(cx), word(cx)];
    match promoted.map(|i| cx.body.arg(i, 0)) {
        Some(float) => {
            let float = cx.reg(float);
            cx.emit(VWORDS, &words, &[float], 0, 0);
        }
        None => cx.fail("armv7: a double that is no promoted float"),
    }
    words
}
