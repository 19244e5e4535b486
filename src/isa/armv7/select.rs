//! Dispatch by opcode, and constants.

use super::integer::{self, own_word};
use super::rows::*;
use super::{abi, compare, float, imm, memory, multiply};
use crate::ir::{Op, Type, Value};
use crate::isa::memory::by_slot;
use crate::isa::select::{Rules, Select, by_row, handlers};
use crate::mir::Operand;

/// The selection rules.
pub static RULES: Rules = Rules {
    machine: &super::registers::MACHINE,
    handlers: handlers(&[
        (Op::Add, |cx, i| integer::by_words(cx, i, ADD)),
        (Op::Sub, |cx, i| integer::by_words(cx, i, SUB)),
        (Op::Mul, |cx, i| integer::by_words(cx, i, MUL)),
        (Op::SDiv, integer::binary),
        (Op::SRem, integer::binary),
        (Op::UDiv, integer::binary),
        (Op::URem, integer::binary),
        (Op::And, integer::binary),
        (Op::Or, integer::binary),
        (Op::Xor, integer::binary),
        (Op::Shl, integer::binary),
        (Op::LShr, integer::binary),
        (Op::AShr, integer::binary),
        (Op::FAdd, |cx, i| by_row(cx, i, &[VADD])),
        (Op::FSub, |cx, i| by_row(cx, i, &[VSUB])),
        (Op::FMul, |cx, i| by_row(cx, i, &[VMUL])),
        (Op::FDiv, |cx, i| by_row(cx, i, &[VDIV])),
        (Op::FNeg, |cx, i| by_row(cx, i, &[VNEG])),
        (Op::FAbs, |cx, i| by_row(cx, i, &[VABS])),
        (Op::SMulHi, multiply::high),
        (Op::UMulHi, multiply::high),
        (Op::SIToFP, float::convert),
        (Op::FPToSI, float::convert),
        (Op::FPExt, float::convert),
        (Op::FPTrunc, float::convert),
        (Op::ICmp, compare::compare),
        (Op::FCmp, compare::compare),
        (Op::Select, compare::select),
        (Op::ZExt, integer::convert),
        (Op::SExt, integer::convert),
        (Op::Trunc, integer::convert),
        (Op::CondBr, compare::branch),
        (Op::Unreachable, |cx, _| cx.emit(UDF, &[], &[], 0, 0)),
    ]),
    memory: &memory::MEMORY,
    slot_loads: by_slot(&memory::MEMORY.loads),
    slot_stores: by_slot(&memory::MEMORY.stores),
    integer: |cx, ty, x| {
        need_word(cx, ty);
        own_word(cx, x as i32)
    },
    float: float_constant,
    convention: &abi::CONVENTION,
};

/// A float that no immediate stands for comes through a core register.
fn float_constant(cx: &mut Select, ty: Type, v: Value) -> Operand {
    if ty == Type::F64 && !v.is_undef() {
        cx.fail("armv7: a double in a register");
    }
    let def = Operand::virt(cx.new_reg(Type::F32));
    let x = cx.body.as_f32(v);
    match x.map_or(imm::float(1.0), imm::float) {
        Some(encoded) => cx.emit(VMOV_I, &[def], &[], encoded, 0),
        None => {
            let bits = own_word(cx, x.map_or(0, |x| x.to_bits() as i32));
            cx.emit(VMOV_TO, &[def], &[bits], 0, 0);
        }
    }
    def
}

/// True if values of the type fit a core register; complains if not.
pub fn need_word(cx: &mut Select, ty: Type) -> bool {
    let fits = matches!(ty, Type::I1 | Type::I8 | Type::I32 | Type::Ptr);
    if !fits {
        cx.fail(&format!("armv7: {} in a register", ty.name()));
    }
    fits
}
