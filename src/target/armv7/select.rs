//! Dispatch by opcode, and constants.

use super::integer::{self, own_word};
use super::rows::*;
use super::{abi, compare, float, imm, memory};
use crate::ir::{Inst, Op, Type, Value, ValueKind};
use crate::mir::{Operand, Slot};
use crate::target::select::{Rules, Select};

/// The selection rules.
pub static RULES: Rules = Rules {
    machine: &super::registers::MACHINE,
    inst,
    terminator,
    constant,
    slot_address: |cx: &mut Select, slot: Slot| memory::slot_address(cx, slot, 0),
    entry: abi::entry,
};

fn inst(cx: &mut Select, i: Inst) {
    match cx.body.op(i) {
        Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr => {
            integer::binary(cx, i);
        }
        Op::SDiv | Op::SRem | Op::UDiv | Op::URem => integer::binary(cx, i),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNeg => float::arithmetic(cx, i),
        Op::ICmp | Op::FCmp => compare::compare(cx, i),
        Op::Select => compare::select(cx, i),
        Op::ZExt | Op::SExt | Op::Trunc => integer::convert(cx, i),
        Op::SIToFP | Op::FPToSI | Op::FPExt | Op::FPTrunc => float::convert(cx, i),
        Op::Load => memory::load(cx, i),
        Op::Store => memory::store(cx, i),
        Op::ElemAddr => memory::elem_addr(cx, i),
        Op::MemInit => memory::init(cx, i),
        Op::Call => abi::call(cx, i),
        // Parameters and allocas are never selected here, phis and terminators elsewhere.
        Op::Param | Op::Alloca | Op::Phi | Op::Br | Op::CondBr | Op::Ret | Op::Unreachable => {}
    }
}

fn terminator(cx: &mut Select, i: Inst) {
    match cx.body.op(i) {
        Op::Br => {
            let target = cx.succ(0);
            cx.emit(B, &[], &[], 0, target);
        }
        Op::CondBr => compare::branch(cx, i),
        Op::Ret => abi::ret(cx, i),
        _ => cx.emit(UDF, &[], &[], 0, 0),
    }
}

/// A constant in a register. Floats that no immediate stands for come through a core register.
fn constant(cx: &mut Select, v: Value) -> Operand {
    let ty = cx.body.type_of(v);
    if matches!(v.kind(), ValueKind::Global(_) | ValueKind::Request(_)) {
        return memory::global(cx, v);
    }
    if ty == Type::F32 {
        let def = Operand::virt(cx.new_reg(Type::F32));
        let x = cx.body.as_f32(v);
        match x.map_or(imm::float(1.0), imm::float) {
            Some(encoded) => cx.emit(VMOV_I, &[def], &[], encoded, 0),
            None => {
                let bits = own_word(cx, x.map_or(0, |x| x.to_bits() as i32));
                cx.emit(VMOV_TO, &[def], &[bits], 0, 0);
            }
        }
        return def;
    }
    if !v.is_undef() && !need_word(cx, ty) {
        return integer::word(cx);
    }
    let x = cx.body.as_int(v).unwrap_or(0);
    own_word(cx, x as i32)
}

/// True if values of the type fit a core register; complains if not.
pub fn need_word(cx: &mut Select, ty: Type) -> bool {
    let fits = matches!(ty, Type::I1 | Type::I8 | Type::I32 | Type::Ptr);
    if !fits {
        cx.fail(&format!("armv7: {} in a register", ty.name()));
    }
    fits
}
