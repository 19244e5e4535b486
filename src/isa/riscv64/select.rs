//! Dispatch by opcode, constants, and integer arithmetic other than by constant factors.
//!
//! An operation on i32 (or less) takes the `w` form of its instruction, which sign-extends its result.

use super::assembly::ASSEMBLER;
use super::position::{LA_TLS_GD, THREAD_FIXED};
use super::registers::{MACHINE, ZERO};
use super::rows::*;
use super::{abi, atomic, bits, compare, float, lanes, memory, multiply};
use crate::ir::opcode::OPS;
use crate::ir::{Inst, Op, Type};
use crate::isa::builtin::{Builtins, ask_library};
use crate::isa::compare::is_not_negative;
use crate::isa::features::ZBA;
use crate::isa::memory::{by_slot, leave_extension};
use crate::isa::select::{Handler, Rules, Select, Shared, by_row, handlers, lack, of_words, table};
use crate::mir::{MachineOp, Operand};

/// The walk's rules.
pub static RULES: Rules = rules(0, &[&WITH_VECTORS[0], &WITH_VECTORS[1], &WITH_VECTORS[2]]);

/// The same for functions with vectors, of four lanes, eight and sixteen at most.
static WITH_VECTORS: [Rules; 3] = [rules(4, &[]), rules(8, &[]), rules(16, &[])];

const fn rules(lanes: u32, with_vectors: &'static [&'static Rules]) -> Rules {
    let mut slot_loads = by_slot(&memory::MEMORY.loads);
    // How many lanes there are, their handler knows.
    slot_loads[Type::VECTOR] = None;
    Rules {
        machine: &MACHINE,
        handlers: if lanes == 0 { HANDLERS } else { lanes::BY_TYPE },
        memory: &memory::MEMORY,
        // A comparison and its branch are one instruction, a jump by a table takes six.
        least_table: 18,
        slot_loads,
        slot_stores: by_slot(&memory::MEMORY.stores),
        integer: |cx, _, x| own_int_reg(cx, x),
        float: |cx, ty, v| match ty.is_vector() {
            true => lanes::zeros(cx, ty),
            false => cx.emit_float([FLI_S, FLI_D], ty, v),
        },
        convention: &abi::CONVENTION,
        splits_words: false,
        vectors: lanes::vectors,
        by_type: if lanes == 0 { None } else { Some([&HANDLERS, &lanes::VECTORS]) },
        lanes,
        with_vectors,
        builtins: &BUILTINS,
    }
}

/// By opcode, what selects it where it is not on vectors.
const HANDLERS: [Handler; OPS.len()] = handlers(&[
    (Op::Add, add),
    (Op::Sub, sub),
    (Op::Mul, multiply::product),
    (Op::SDiv, multiply::quotient),
    (Op::SRem, multiply::quotient),
    (Op::UDiv, multiply::quotient),
    (Op::URem, multiply::quotient),
    (Op::And, |cx, i| logic(cx, i, AND, ANDI)),
    (Op::Or, |cx, i| logic(cx, i, OR, ORI)),
    (Op::Xor, |cx, i| logic(cx, i, XOR, XORI)),
    (Op::Shl, |cx, i| shift(cx, i, [SLLW, SLLIW], [SLL, SLLI])),
    (Op::LShr, |cx, i| shift(cx, i, [SRLW, SRLIW], [SRL, SRLI])),
    (Op::AShr, |cx, i| shift(cx, i, [SRAW, SRAIW], [SRA, SRAI])),
    (Op::FAdd, |cx, i| float::sum(cx, i, [FADD_S, FADD_D])),
    (Op::FSub, |cx, i| float::sum(cx, i, [FSUB_S, FSUB_D])),
    (Op::FMul, |cx, i| by_row(cx, i, &[FMUL_S, FMUL_D])),
    (Op::FDiv, |cx, i| by_row(cx, i, &[FDIV_S, FDIV_D])),
    (Op::FNeg, |cx, i| by_row(cx, i, &[FNEG_S, FNEG_D])),
    (Op::FAbs, |cx, i| by_row(cx, i, &[FABS_S, FABS_D])),
    (Op::Fma, |cx, i| by_row(cx, i, &[FMADD_S, FMADD_D])),
    (Op::SMulHi, |cx, i| multiply::high(cx, i, MULH)),
    (Op::UMulHi, |cx, i| multiply::high(cx, i, MULHU)),
    (Op::SMin, |cx, i| bits::extremes(cx, i, MIN)),
    (Op::SMax, |cx, i| bits::extremes(cx, i, MAX)),
    (Op::UMin, |cx, i| bits::extremes(cx, i, MINU)),
    (Op::UMax, |cx, i| bits::extremes(cx, i, MAXU)),
    (Op::LeadingZeros, bits::counted),
    (Op::TrailingZeros, bits::counted),
    (Op::SwapBytes, bits::counted),
    (Op::SIToFP, float::convert),
    (Op::FPToSI, float::convert),
    (Op::FPExt, float::convert),
    (Op::FPTrunc, float::convert),
    (Op::ICmp, compare::as_value),
    (Op::FCmp, compare::floats),
    (Op::Select, compare::select),
    (Op::ZExt, resize),
    (Op::SExt, resize),
    (Op::Trunc, resize),
    (Op::CondBr, compare::branch),
    (Op::Switch, |cx, i| {
        table(cx, i, J_ENTRY, |cx, _, x| match cx.has(ZBA) {
            true => (TABLE_OF, x),
            false => (TABLE_AT, cx.emit_fresh(SLLI, Type::I64, &[x], 2, 0)),
        })
    }),
    (Op::Unreachable, |cx, _| cx.emit(UNIMP, &[], &[], 0, 0)),
]);

static BUILTINS: Builtins = Builtins {
    take: TAKE,
    stack: [GET_SP, SET_SP],
    fence: FENCE,
    thread: [THREAD, THREAD_FIXED],
    thread_call: |cx, def, global| ask_library(cx, LA_TLS_GD, def, global),
    atomic: atomic::select,
    assembler: &ASSEMBLER,
};

/// The register that is always zero.
pub const ZERO_REG: Operand = Operand::phys(ZERO);

/// True for what fits the 12-bit immediate of most instructions.
pub fn fits(x: i64) -> bool {
    (-2048..2048).contains(&x)
}

/// True if values of the type are computed with `w` instructions.
pub fn is_word(ty: Type) -> bool {
    ty.int_bits() <= 32
}

/// A fresh register.
#[inline]
pub fn temp(cx: &mut Select, ty: Type) -> Operand {
    Operand::virt(cx.new_reg(ty))
}

/// Emits `d = op a, b`.
pub fn op2(cx: &mut Select, op: MachineOp, d: Operand, a: Operand, b: Operand) {
    cx.emit_row(op, 1, &[d, a, b], 0, 0);
}

/// Emits `d = op a, imm`.
pub fn op_imm(cx: &mut Select, op: MachineOp, d: Operand, a: Operand, imm: i64) {
    cx.emit_row(op, 1, &[d, a], imm as i32, 0);
}

/// Emits `d = op a`.
pub fn op1(cx: &mut Select, op: MachineOp, d: Operand, a: Operand) {
    cx.emit_row(op, 1, &[d, a], 0, 0);
}

/// A register that holds an integer.
pub fn int_reg(cx: &mut Select, x: i64) -> Operand {
    if x == 0 {
        return ZERO_REG;
    }
    cx.shared(Shared::Int(8, x), |cx| own_int_reg(cx, x))
}

/// A register of its own that holds an integer, or the one that always holds 0.
fn own_int_reg(cx: &mut Select, x: i64) -> Operand {
    match i32::try_from(x) {
        Ok(0) => ZERO_REG,
        Ok(x) => cx.emit_fresh(LI, Type::I64, &[], x, 0),
        Err(_) => cx.emit_wide(LI_WIDE, Type::I64, x),
    }
}

/// `d = a op b` in registers.
fn binary(cx: &mut Select, i: Inst, word: MachineOp, double: MachineOp) {
    let d = Operand::virt(cx.result(i));
    let (a, b) = (cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1)));
    op2(cx, if is_word(cx.body.ty(i)) { word } else { double }, d, a, b);
}

fn add(cx: &mut Select, i: Inst) {
    if of_words::<false>(cx, i, ADDW) {
        return;
    }
    let d = Operand::virt(cx.result(i));
    let ty = cx.body.ty(i);
    if ty.is_narrow() {
        return narrow(cx, i);
    }
    if bits::add(cx, d, i) {
        return;
    }
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let (a, b) = if cx.body.as_int(a).is_some() { (b, a) } else { (a, b) };
    match cx.body.as_int(b) {
        Some(x) if (-4096..4095).contains(&x) => {
            let a = cx.reg(a);
            add_imm(cx, is_word(ty), d, a, x);
        }
        _ => {
            let (a, b) = (cx.reg(a), cx.reg(b));
            op2(cx, if is_word(ty) { ADDW } else { ADD }, d, a, b);
        }
    }
}

fn sub(cx: &mut Select, i: Inst) {
    if of_words::<false>(cx, i, SUBW) {
        return;
    }
    let d = Operand::virt(cx.result(i));
    let ty = cx.body.ty(i);
    if ty.is_narrow() {
        return narrow(cx, i);
    }
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    match cx.body.as_int(b) {
        Some(x) if (-4094..4097).contains(&x) => {
            let a = cx.reg(a);
            add_imm(cx, is_word(ty), d, a, -x);
        }
        _ => {
            let (a, b) = (cx.reg(a), cx.reg(b));
            op2(cx, if is_word(ty) { SUBW } else { SUB }, d, a, b);
        }
    }
}

/// `d = a + x` for x in -4096 ..= 4094: one or two additions.
fn add_imm(cx: &mut Select, word: bool, d: Operand, a: Operand, x: i64) {
    let op = if word { ADDIW } else { ADDI };
    let first = x.clamp(-2048, 2047);
    if first == x {
        op_imm(cx, op, d, a, x);
    } else {
        let t = temp(cx, Type::I64);
        op_imm(cx, op, t, a, first);
        op_imm(cx, op, d, t, x - first);
    }
}

fn logic(cx: &mut Select, i: Inst, op: MachineOp, imm_op: MachineOp) {
    if bits::logic(cx, i) || of_words::<false>(cx, i, op) {
        return;
    }
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let (a, b) = if cx.body.as_int(a).is_some() { (b, a) } else { (a, b) };
    match cx.body.as_int(b) {
        Some(x) if fits(x) => {
            let d = Operand::virt(cx.result(i));
            let a = cx.reg(a);
            op_imm(cx, imm_op, d, a, x);
        }
        _ => binary(cx, i, op, op),
    }
}

fn shift(cx: &mut Select, i: Inst, word: [MachineOp; 2], double: [MachineOp; 2]) {
    if bits::shift(cx, i) {
        return;
    }
    let ty = cx.body.ty(i);
    if ty.is_narrow() {
        return narrow(cx, i);
    }
    let [op, imm_op] = if is_word(ty) { word } else { double };
    match cx.body.as_int(cx.body.arg(i, 1)) {
        Some(x) => {
            let d = Operand::virt(cx.result(i));
            let a = cx.reg(cx.body.arg(i, 0));
            op_imm(cx, imm_op, d, a, x & (i64::from(ty.int_bits()) - 1));
        }
        None => binary(cx, i, op, op),
    }
}

/// What is done differently on i1, i8 and i16: sums on i1 are bits, arithmetic on i8 and i16 is as on i32
/// and then sign-extended.
pub fn narrow(cx: &mut Select, i: Inst) {
    let op = match (cx.body.op(i), cx.body.ty(i)) {
        (Op::Add | Op::Sub, Type::I1) => return binary(cx, i, XOR, XOR),
        (Op::Mul, Type::I1) => return binary(cx, i, AND, AND),
        (Op::Add, _) => ADDW,
        (Op::Sub, _) => SUBW,
        (Op::Mul, _) => MULW,
        (Op::Shl, Type::I8 | Type::I16) => SLLW,
        _ => return lack(cx, i),
    };
    let d = Operand::virt(cx.result(i));
    let (a, b) = (cx.reg(cx.body.arg(i, 0)), cx.reg(cx.body.arg(i, 1)));
    let t = temp(cx, Type::I32);
    op2(cx, op, t, a, b);
    sign_extend(cx, cx.body.ty(i), d, t);
}

/// `d` = the low 8 or 16 bits of `a`, with their sign.
fn sign_extend(cx: &mut Select, ty: Type, d: Operand, a: Operand) {
    if bits::sign_extend(cx, ty, d, a) {
        return;
    }
    let (t, above) = (temp(cx, Type::I64), 64 - i64::from(ty.int_bits()));
    op_imm(cx, SLLI, t, a, above);
    op_imm(cx, SRAI, d, t, above);
}

/// Extensions and truncations, from how values are kept (see the module).
fn resize(cx: &mut Select, i: Inst) {
    let (op, from, to) = (cx.body.op(i), cx.body.type_of(cx.body.arg(i, 0)), cx.body.ty(i));
    if op == Op::ZExt && leave_extension(cx, i) {
        return;
    }
    let d = Operand::virt(cx.result(i));
    if (from, to) == (Type::I64, Type::I32)
        && let Some((x, kind @ 1..=2, k @ 32..)) = cx.shift_of(cx.body.arg(i, 0))
    {
        // The upper half comes with its sign, or without any.
        let a = cx.reg(x);
        return op_imm(cx, if kind == 2 || k == 32 { SRAI } else { SRLI }, d, a, k.into());
    }
    if to == Type::I32
        && let Some(high) = cx.foldable_as(cx.body.arg(i, 0), Op::UMulHi)
        && let Some(1..=0x8000_0000) = cx.body.as_int(cx.body.arg(high, 1))
    {
        // Less than a factor, so the sign is right.
        let [a, b] = [0, 1].map(|k| cx.reg(cx.body.arg(high, k)));
        return op2(cx, MULHU, d, a, b);
    }
    let a = cx.reg(cx.body.arg(i, 0));
    match (op, from, to) {
        // Its sign is a zero.
        (Op::ZExt, Type::I8 | Type::I16 | Type::I32, _) if is_not_negative(cx.body, cx.body.arg(i, 0)) => {
            op1(cx, MV, d, a);
        }
        (Op::SExt, Type::I1, _) => op2(cx, SUBW, d, ZERO_REG, a),
        (Op::ZExt, Type::I8, _) => op_imm(cx, ANDI, d, a, 255),
        (Op::ZExt, Type::I16, _) if bits::zero_extend_half(cx, d, a) => {}
        (Op::ZExt, Type::I16, _) => {
            let t = temp(cx, Type::I64);
            op_imm(cx, SLLI, t, a, 48);
            op_imm(cx, SRLI, d, t, 48);
        }
        (Op::ZExt, Type::I32, _) if bits::zero_extend_word(cx, d, a) => {}
        (Op::ZExt, Type::I32, _) => {
            let t = temp(cx, Type::I64);
            op_imm(cx, SLLI, t, a, 32);
            op_imm(cx, SRLI, d, t, 32);
        }
        (Op::Trunc, _, Type::I1) => op_imm(cx, ANDI, d, a, 1),
        (Op::Trunc, _, Type::I8 | Type::I16) => sign_extend(cx, to, d, a),
        (Op::Trunc, _, Type::I32) if multiply::is_word_of_half(cx, cx.body.arg(i, 0)) => op1(cx, MV, d, a),
        (Op::Trunc, _, Type::I32) => op_imm(cx, ADDIW, d, a, 0),
        _ => op1(cx, MV, d, a),
    }
}
