//! Comparisons, branches and `select`.
//!
//! A comparison sets the flags where what depends on it reads them at once: only moves, loads and
//! constants, which leave the flags alone, may come between. A comparison that something else uses too is a
//! 0 or 1 in a register.

use super::imm::is_rotated;
use super::integer::{CMPS, TSTS, emit_op2, extended, load_word, own_word, product_of};
use super::joined::joined;
use super::rows::*;
use super::select::need_word;
use super::words;
use crate::ir::{FloatPred, Inst, IntPred, Op, Type, Value};
use crate::isa::compare::{self, Cond, Integers, floats, integers, without_negations};
use crate::isa::invoke;
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// Sets the flags for an i1 value; returns the condition for true.
fn condition(cx: &mut Select, v: Value) -> Cond {
    let (inner, negated) = without_negations(cx, v);
    let joins = [Op::And, Op::Or].iter().find_map(|&op| cx.foldable_as(inner, op));
    let cond = joins.and_then(|i| joined(cx, i, 1));
    cond.unwrap_or_else(|| compare::condition(cx, inner, flags, CMP_I)).negated(negated)
}

/// Comparisons that an `and` or `or` joins, as a value; false, and nothing done, if it joins none.
pub fn join_as_value(cx: &mut Select, i: Inst, def: Operand) -> bool {
    let Some(cond) = joined(cx, i, 2) else { return false };
    let zero = own_word(cx, 0);
    cx.emit(cond.of(MOV_I_EQ), &[def], &[zero], 1, 0);
    true
}

/// Sets the flags for a comparison; returns the condition for true.
fn flags(cx: &mut Select, i: Inst) -> Cond {
    if cx.body.args(i).len() == 4 {
        return words::compare(cx, i);
    }
    let ty = cx.body.type_of(cx.body.arg(i, 0));
    if ty == Type::I64 {
        cx.fail(&format!("armv7: comparison of {}", ty.name()));
        return Cond::Eq;
    }
    if cx.body.op(i) == Op::ICmp { compare_ints(cx, i) } else { compare_floats(cx, i) }
}

/// Sets the flags for an integer comparison; returns the condition for true.
fn compare_ints(cx: &mut Select, i: Inst) -> Cond {
    let compared = integers(cx, i);
    let (Integers { mut pred, mut a, mut b, constant }, signed) = (compared, compared.signed());
    let ty = cx.body.type_of(a);
    if let Some(x) = constant {
        let x = match ty {
            Type::I8 if !signed => x & 0xff,
            Type::I16 if !signed => x & 0xffff,
            _ => x,
        };
        return compare_constant(cx, a, x as i32, pred, signed);
    }
    if matches!(ty, Type::I8 | Type::I16) {
        let uses = [extended(cx, a, signed), extended(cx, b, signed)];
        cx.emit(CMP, &[], &uses, 0, 0);
        return Cond::of_ints(pred);
    }
    if cx.shift_of(b).is_none() && cx.shift_of(a).is_some() {
        (a, b, pred) = (b, a, pred.swapped());
    }
    emit_op2(cx, &CMPS, &[], a, b);
    Cond::of_ints(pred)
}

fn compare_constant(cx: &mut Select, a: Value, x: i32, pred: IntPred, signed: bool) -> Cond {
    if x == 0 && matches!(pred, IntPred::Eq | IntPred::Ne) && test_bits(cx, a) {
        return Cond::of_ints(pred);
    }
    let rn = extended(cx, a, signed);
    // x < c is x <= c - 1, and x >= c is x > c - 1: the neighbour may be a legal immediate.
    let (mut x, mut pred) = (x, pred);
    let legal = |x: i32| is_rotated(x) || is_rotated(x.wrapping_neg());
    if !legal(x) {
        let neighbour = match pred {
            IntPred::Slt if x != i32::MIN => Some((x.wrapping_sub(1), IntPred::Sle)),
            IntPred::Sge if x != i32::MIN => Some((x.wrapping_sub(1), IntPred::Sgt)),
            IntPred::Sle if x != i32::MAX => Some((x.wrapping_add(1), IntPred::Slt)),
            IntPred::Sgt if x != i32::MAX => Some((x.wrapping_add(1), IntPred::Sge)),
            _ => None,
        };
        if let Some((other, with)) = neighbour.filter(|&(other, _)| legal(other)) {
            (x, pred) = (other, with);
        }
    }
    if is_rotated(x) {
        cx.emit(CMP_I, &[], &[rn], x, 0);
    } else if is_rotated(x.wrapping_neg()) {
        cx.emit(CMN_I, &[], &[rn], x.wrapping_neg(), 0);
    } else {
        let constant = load_word(cx, x);
        cx.emit(CMP, &[], &[rn, constant], 0, 0);
    }
    Cond::of_ints(pred)
}

/// If `v` is an `and` that can be part of a test for zero, emits the test.
fn test_bits(cx: &mut Select, v: Value) -> bool {
    let Some(i) = cx.foldable_as(v, Op::And).filter(|&i| cx.body.ty(i) == Type::I32) else {
        return false;
    };
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    match cx.body.as_int(b).map(|x| x as i32) {
        Some(x) if is_rotated(x) => {
            let rn = cx.reg(a);
            cx.emit(TST_I, &[], &[rn], x, 0);
        }
        _ => emit_op2(cx, &TSTS, &[], a, b),
    }
    true
}

/// Sets the flags for a floating comparison; returns the condition for true.
fn compare_floats(cx: &mut Select, i: Inst) -> Cond {
    let (pred, a, b, zero) = floats(cx, i);
    let [two, one] = if cx.body.type_of(a) == Type::F64 { [VCMP_D, VCMP_D_0] } else { [VCMP, VCMP_0] };
    let sn = cx.reg(a);
    if zero {
        cx.emit(one, &[], &[sn], 0, 0);
    } else {
        let sm = cx.reg(b);
        cx.emit(two, &[], &[sn, sm], 0, 0);
    }
    cx.emit(VMRS, &[], &[], 0, 0);
    if matches!(pred, FloatPred::One | FloatPred::Ueq) {
        cx.emit(CMP_VS, &[], &[], 0, 0);
    }
    Cond::of_floats(pred)
}

/// Selects a comparison as a value.
pub fn compare(cx: &mut Select, i: Inst) {
    let def = Operand::virt(cx.result(i));
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let is_word = matches!(cx.body.type_of(a), Type::I32 | Type::Ptr);
    let is_one = cx.body.args(i).len() == 2;
    let against_zero = is_one && is_word && cx.body.op(i) == Op::ICmp && cx.body.as_int(b) == Some(0);
    if against_zero && compare_to_zero(cx, def, a, IntPred::from_payload(cx.body.payload(i))) {
        return;
    }
    let cond = flags(cx, i);
    let zero = own_word(cx, 0);
    cx.emit(cond.of(MOV_I_EQ), &[def], &[zero], 1, 0);
}

/// Comparisons with zero that are shorter without a constant; false if this is none.
fn compare_to_zero(cx: &mut Select, def: Operand, a: Value, pred: IntPred) -> bool {
    match pred {
        IntPred::Slt => {
            let rn = cx.reg(a);
            cx.emit(LSR_I, &[def], &[rn], 31, 0);
        }
        IntPred::Eq => {
            let rn = cx.reg(a);
            let zeros = super::integer::emit_word(cx, CLZ, &[rn], 0);
            cx.emit(LSR_I, &[def], &[zeros], 5, 0);
        }
        IntPred::Ne => {
            // What is not "not zero" is the 0 that the result should be.
            let rn = cx.reg(a);
            cx.emit(CMP_I, &[], &[rn], 0, 0);
            cx.emit(MOV_I_NE, &[def], &[rn], 1, 0);
        }
        _ => return false,
    }
    true
}

/// Selects a conditional branch.
pub fn branch(cx: &mut Select, i: Inst) {
    if invoke::branch(cx, i) {
        return;
    }
    let cond = condition(cx, cx.body.arg(i, 0));
    let target = cx.succ(0);
    cx.emit(cond.of(B_EQ), &[], &[], 0, target);
}

/// Selects `c ? a : b`.
pub fn select(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    let (c, a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let def = Operand::virt(cx.result(i));
    if ty.is_float() {
        let first = if ty == Type::F64 { VMOV_D_EQ } else { VMOV_EQ };
        let uses = [cx.reg(b), cx.reg(a)];
        let cond = condition(cx, c);
        return cx.emit(cond.of(first), &[def], &uses, 0, 0);
    }
    if !need_word(cx, ty) {
        return;
    }
    if select_sum(cx, def, c, a, b) {
        return;
    }
    let immediate = |cx: &Select, v| cx.body.as_int(v).map(|x| x as i32).filter(|&x| is_rotated(x));
    if let Some(x) = immediate(cx, a) {
        let otherwise = cx.reg(b);
        let cond = condition(cx, c);
        cx.emit(cond.of(MOV_I_EQ), &[def], &[otherwise], x, 0);
    } else if let Some(x) = immediate(cx, b) {
        let otherwise = cx.reg(a);
        let cond = condition(cx, c).inverse();
        cx.emit(cond.of(MOV_I_EQ), &[def], &[otherwise], x, 0);
    } else {
        let uses = [cx.reg(b), cx.reg(a)];
        let cond = condition(cx, c);
        cx.emit(cond.of(MOV_EQ), &[def], &uses, 0, 0);
    }
}

/// A choice in which one side is a sum or difference that nothing else needs, of the other side or with a constant: that is done where
/// the other side is, if the condition holds.
fn select_sum(cx: &mut Select, def: Operand, c: Value, a: Value, b: Value) -> bool {
    for (kept, changed, negated) in [(b, a, false), (a, b, true)] {
        let Some(Change { op, by, imm }) = change_of(cx, changed, kept) else { continue };
        let kept = cx.reg(kept);
        let by = by.map(|by| cx.reg(by));
        let cond = condition(cx, c).negated(negated);
        match by {
            Some(by) => cx.emit(cond.of(op), &[def], &[kept, by], imm, 0),
            None => cx.emit(cond.of(op), &[def], &[kept], imm, 0),
        }
        return true;
    }
    false
}

/// A sum or difference under a condition: the row under condition 0, its operand besides what stays, and the immediate.
struct Change {
    op: MachineOp,
    by: Option<Value>,
    imm: i32,
}

/// What makes a value where another one is.
fn change_of(cx: &Select, v: Value, kept: Value) -> Option<Change> {
    let is_sum = |&i: &Inst| matches!(cx.body.op(i), Op::Add | Op::Sub) && cx.body.ty(i) == Type::I32;
    let i = cx.foldable(v).filter(is_sum)?;
    let (a, b) =
        if cx.body.op(i) == Op::Add { cx.constant_last(i) } else { (cx.body.arg(i, 0), cx.body.arg(i, 1)) };
    let constant = |v: Value| cx.body.as_int(v).map(|x| x as i32);
    // A product or a shift is part of a sum without condition.
    let by = |op, v: Value| {
        let is_alone = product_of(cx, v).is_none() && cx.shift_of(v).is_none();
        is_alone.then_some(Change { op, by: Some(v), imm: 0 })
    };
    let by_constant = |[plus, minus]: [MachineOp; 2], by, x: i32| {
        let row = |op, imm: i32| is_rotated(imm).then_some(Change { op, by, imm });
        row(plus, x).or_else(|| row(minus, x.wrapping_neg()))
    };
    match (cx.body.op(i), constant(b)) {
        (Op::Add, Some(x)) if a == kept => {
            by_constant([ADD_I_TO_EQ, SUB_I_FROM_EQ], None, x).or_else(|| by(ADD_TO_EQ, b))
        }
        (Op::Add, Some(x)) => by_constant([ADD_I_IF_EQ, SUB_I_IF_EQ], Some(a), x),
        (Op::Add, None) if a == kept => by(ADD_TO_EQ, b),
        (Op::Add, None) if b == kept => by(ADD_TO_EQ, a),
        (Op::Sub, _) if a == kept => by(SUB_FROM_EQ, b),
        (Op::Sub, _) if b == kept => {
            let imm = constant(a).filter(|&x| is_rotated(x))?;
            Some(Change { op: FROM_I_EQ, by: None, imm })
        }
        _ => None,
    }
}
