//! Dispatch by opcode, and constants.

use super::assembly::ASSEMBLER;
use super::integer::{self, own_word};
use super::position::{LA_TLS_GD, THREAD_FIXED};
use super::registers::MACHINE;
use super::rows::*;
use super::{abi, atomic, compare, float, imm, lanes, memory, multiply, words as pairs};
use crate::ir::opcode::OPS;
use crate::ir::switch::LEAST_TABLE;
use crate::ir::{Op, Type, Value};
use crate::isa::builtin::{Builtins, ask_library};
use crate::isa::memory::by_slot;
use crate::isa::select::{BY_TYPE, Handler, Rules, Select, by_row, handlers, table};
use crate::isa::words;
use crate::mir::Operand;

/// The selection rules.
pub static RULES: Rules = Rules {
    machine: &MACHINE,
    handlers: HANDLERS,
    memory: &memory::MEMORY,
    least_table: LEAST_TABLE,
    slot_loads: by_slot(&memory::MEMORY.loads),
    slot_stores: by_slot(&memory::MEMORY.stores),
    integer,
    float: float_constant,
    convention: &abi::CONVENTION,
    splits_words: true,
    vectors: lanes::vectors,
    by_type: None,
    lanes: 0,
    with_vectors: &[&WITH_VECTORS],
    builtins: &BUILTINS,
};
/// The same for functions with vectors.
static WITH_VECTORS: Rules = Rules {
    handlers: BY_TYPE,
    by_type: Some([&HANDLERS, &lanes::VECTORS]),
    lanes: 4,
    with_vectors: &[],
    ..RULES
};

static BUILTINS: Builtins = Builtins {
    take: TAKE,
    stack: [GET_SP, SET_SP],
    fence: DMB,
    thread: [THREAD, THREAD_FIXED],
    thread_call: |cx, def, global| ask_library(cx, LA_TLS_GD, def, global),
    atomic: atomic::select,
    assembler: &ASSEMBLER,
};

/// By opcode, what selects it where it is not on vectors.
pub const HANDLERS: [Handler; OPS.len()] = handlers(&[
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
    (Op::FAdd, |cx, i| float::sum(cx, i, [VADD, VADD_D])),
    (Op::FSub, |cx, i| float::sum(cx, i, [VSUB, VSUB_D])),
    (Op::FMul, |cx, i| by_row(cx, i, &[VMUL, VMUL_D])),
    (Op::FDiv, |cx, i| by_row(cx, i, &[VDIV, VDIV_D])),
    (Op::FNeg, float::negation),
    (Op::FAbs, |cx, i| by_row(cx, i, &[VABS, VABS_D])),
    (Op::SMulHi, multiply::high),
    (Op::UMulHi, multiply::high),
    (Op::LeadingZeros, integer::bits),
    (Op::TrailingZeros, integer::bits),
    (Op::SwapBytes, integer::bits),
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
    (words::OF_PAIRS, pairs::of_pairs),
    (Op::ExtractLane, pairs::half),
    (Op::CondBr, compare::branch),
    (Op::Switch, |cx, i| table(cx, i, B_ENTRY, |_, _, x| (TABLE, x))),
    (Op::Unreachable, |cx, _| cx.emit(UDF, &[], &[], 0, 0)),
]);

fn integer(cx: &mut Select, ty: Type, x: i64) -> Operand {
    need_word(cx, ty);
    own_word(cx, x as i32)
}

/// A float that no immediate stands for comes through a core register.
fn float_constant(cx: &mut Select, ty: Type, v: Value) -> Operand {
    if ty == Type::F64 {
        return double_constant(cx, v);
    }
    if ty.is_vector() {
        return lanes::zeros(cx, ty);
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

fn double_constant(cx: &mut Select, v: Value) -> Operand {
    let def = Operand::virt(cx.new_reg(Type::F64));
    let x = cx.body.as_f64(v).unwrap_or(1.0);
    match imm::double(x) {
        Some(encoded) => cx.emit(VMOV_D_I, &[def], &[], encoded, 0),
        None => {
            let words = double_words(x).map(|word| own_word(cx, word));
            cx.emit(VMOV_D_TO, &[def], &words, 0, 0);
        }
    }
    def
}

/// The words of a double, the low one first.
pub fn double_words(x: f64) -> [i32; 2] {
    [x.to_bits() as i32, (x.to_bits() >> 32) as i32]
}

/// True if values of the type fit a core register; complains if not.
#[inline(always)]
pub fn need_word(cx: &mut Select, ty: Type) -> bool {
    let fits = matches!(ty, Type::I1 | Type::I8 | Type::I16 | Type::I32 | Type::Ptr);
    if !fits {
        refuse(cx, ty);
    }
    fits
}

#[cold]
#[inline(never)]
fn refuse(cx: &mut Select, ty: Type) {
    cx.fail(&format!("armv7: {} in a register", ty.name()));
}
