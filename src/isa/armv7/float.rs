//! Floating arithmetic and conversions, in s registers.
//!
//! Products and sums are not contracted: `vfma` would round once. A double exists only as an argument of a
//! variadic call, where it travels in core registers (see `abi`).

use super::integer::extended;
use super::rows::*;
use crate::ir::{Inst, Type};
use crate::isa::select::Select;
use crate::mir::Operand;

/// Selects a conversion from or to a float.
pub fn convert(cx: &mut Select, i: Inst) {
    let v = cx.body.arg(i, 0);
    let (from, to) = (cx.body.type_of(v), cx.body.ty(i));
    let def = Operand::virt(cx.result(i));
    let between = Operand::virt(cx.new_reg(Type::F32));
    match (from, to) {
        (Type::I1, Type::F32) => {
            // True is -1.
            let bit = cx.reg(v);
            let word = super::integer::emit_word(cx, RSB_I, &[bit], 0);
            cx.emit(VMOV_TO, &[between], &[word], 0, 0);
            cx.emit(VCVT_FLOAT, &[def], &[between], 0, 0);
        }
        (Type::I8 | Type::I32, Type::F32) => {
            let word = extended(cx, v, true);
            cx.emit(VMOV_TO, &[between], &[word], 0, 0);
            cx.emit(VCVT_FLOAT, &[def], &[between], 0, 0);
        }
        (Type::F32, Type::I8 | Type::I32) => {
            let float = cx.reg(v);
            cx.emit(VCVT_INT, &[between], &[float], 0, 0);
            cx.emit(VMOV_FROM, &[def], &[between], 0, 0);
        }
        _ => cx.fail("armv7: a double that is no argument of a variadic function"),
    }
}
