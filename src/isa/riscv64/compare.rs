//! Comparisons into registers, into branches, and `select` without one.
//!
//! A comparison of floats has three instructions, all false for NaN; the other predicates are those with
//! operands exchanged or the result inverted, so that NaN comes out right.

use super::bits;
use super::rows::*;
use super::select::{ZERO_REG, fits, int_reg, op_imm, op1, op2, temp};
use crate::ir::{FloatPred, Inst, IntPred, Op, Type};
use crate::isa::compare::{Integers, comparison, integers, without_negations};
use crate::isa::invoke;
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// `icmp` into a register.
pub fn as_value(cx: &mut Select, i: Inst) {
    use IntPred::*;
    let compared = integers(cx, i);
    let (Integers { pred, a, b, constant }, signed) = (compared, compared.signed());
    let d = Operand::virt(cx.result(i));
    let (set, set_imm) = if signed { (SLT, SLTI) } else { (SLTU, SLTIU) };
    let a = cx.reg(a);
    if matches!(pred, Eq | Ne) {
        let difference = match constant {
            Some(0) => a,
            Some(x) if fits(x.wrapping_neg()) => {
                let t = temp(cx, Type::I64);
                op_imm(cx, ADDI, t, a, -x);
                t
            }
            _ => {
                let (b, t) = (cx.reg(b), temp(cx, Type::I64));
                op2(cx, XOR, t, a, b);
                t
            }
        };
        return match pred {
            Eq => op_imm(cx, SLTIU, d, difference, 1),
            _ => op2(cx, SLTU, d, ZERO_REG, difference),
        };
    }
    // Less than an immediate; `<=` and `>` are against the next one, which for an unsigned comparison is
    // not 0.
    if let Some(x) = constant {
        let (bound, inverted) = match pred {
            Slt | Ult => (x, false),
            Sge | Uge => (x, true),
            Sle | Ule => (x.wrapping_add(1), false),
            _ => (x.wrapping_add(1), true),
        };
        let wraps = matches!(pred, Sle | Ule | Sgt | Ugt) && (x == i64::MAX || !signed && x == -1);
        if fits(bound) && !wraps {
            return invert_into(cx, d, inverted, |cx, d| op_imm(cx, set_imm, d, a, bound));
        }
    }
    let b = cx.reg(b);
    let (a, b) = if matches!(pred, Sgt | Sle | Ugt | Ule) { (b, a) } else { (a, b) };
    let inverted = matches!(pred, Sle | Sge | Ule | Uge);
    invert_into(cx, d, inverted, |cx, d| op2(cx, set, d, a, b));
}

/// Puts a truth value or its opposite in `d`.
fn invert_into(cx: &mut Select, d: Operand, inverted: bool, make: impl FnOnce(&mut Select, Operand)) {
    if inverted {
        let t = temp(cx, Type::I1);
        make(cx, t);
        op_imm(cx, XORI, d, t, 1);
    } else {
        make(cx, d);
    }
}

/// A float predicate as one of the three instructions: (instruction by width, operands exchanged, result
/// inverted). None for those that take two.
fn simple(pred: FloatPred) -> Option<([MachineOp; 2], bool, bool)> {
    use FloatPred::*;
    Some(match pred {
        Oeq => ([FEQ_S, FEQ_D], false, false),
        Une => ([FEQ_S, FEQ_D], false, true),
        Olt => ([FLT_S, FLT_D], false, false),
        Uge => ([FLT_S, FLT_D], false, true),
        Ogt => ([FLT_S, FLT_D], true, false),
        Ule => ([FLT_S, FLT_D], true, true),
        Ole => ([FLE_S, FLE_D], false, false),
        Ugt => ([FLE_S, FLE_D], false, true),
        Oge => ([FLE_S, FLE_D], true, false),
        Ult => ([FLE_S, FLE_D], true, true),
        One | Ueq | Ord | Uno => return None,
    })
}

/// `fcmp` into a register.
pub fn floats(cx: &mut Select, i: Inst) {
    let d = Operand::virt(cx.result(i));
    let inverted = float_condition(cx, i, true, Some(d)).1;
    debug_assert!(!inverted);
}

/// Emits a float comparison. Without `exact` the register may hold the opposite, as the second result says.
fn float_condition(cx: &mut Select, i: Inst, exact: bool, d: Option<Operand>) -> (Operand, bool) {
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let width = usize::from(cx.body.type_of(a) == Type::F64);
    let (a, b) = (cx.reg(a), cx.reg(b));
    let pred = FloatPred::from_payload(cx.body.payload(i));
    let d = d.unwrap_or_else(|| temp(cx, Type::I1));
    let (inverted, positive): (bool, Operand);
    if let Some((ops, exchanged, is_inverted)) = simple(pred) {
        let (a, b) = if exchanged { (b, a) } else { (a, b) };
        positive = if is_inverted && exact { temp(cx, Type::I1) } else { d };
        op2(cx, ops[width], positive, a, b);
        inverted = is_inverted;
    } else {
        // a < b or b < a; a and b both equal to themselves.
        let is_order = matches!(pred, FloatPred::Ord | FloatPred::Uno);
        let (less, equal) = ([FLT_S, FLT_D][width], [FEQ_S, FEQ_D][width]);
        inverted = matches!(pred, FloatPred::Ueq | FloatPred::Uno);
        positive = if inverted && exact { temp(cx, Type::I1) } else { d };
        let (s, t) = (temp(cx, Type::I1), temp(cx, Type::I1));
        if is_order {
            op2(cx, equal, s, a, a);
            op2(cx, equal, t, b, b);
        } else {
            op2(cx, less, s, a, b);
            op2(cx, less, t, b, a);
        }
        op2(cx, if is_order { AND } else { OR }, positive, s, t);
    }
    if inverted && exact {
        op_imm(cx, XORI, d, positive, 1);
        return (d, false);
    }
    (positive, inverted)
}

/// A conditional branch, with the comparison in it if nothing else needs that.
pub fn branch(cx: &mut Select, i: Inst) {
    if invoke::branch(cx, i) {
        return;
    }
    let (v, negated) = without_negations(cx, cx.body.arg(i, 0));
    match comparison(cx, v).map(|c| (c, cx.body.op(c))) {
        Some((c, Op::ICmp)) => integer_branch(cx, c, !negated),
        Some((c, _)) => {
            let (r, inverted) = float_condition(cx, c, false, None);
            truth_branch(cx, r, negated == inverted);
        }
        None => {
            let r = cx.reg(v);
            truth_branch(cx, r, !negated);
        }
    }
}

fn truth_branch(cx: &mut Select, r: Operand, taken_if: bool) {
    let target = cx.succ(0);
    cx.emit(if taken_if { BNE } else { BEQ }, &[], &[r, ZERO_REG], 0, target);
}

fn integer_branch(cx: &mut Select, c: Inst, taken_if: bool) {
    use IntPred::*;
    let Integers { pred, a, b, constant } = integers(cx, c);
    let mut pred = if taken_if { pred } else { pred.inverse() };
    // Against 1 and -1 is against 0, which is in a register.
    let against_zero = match (pred, constant) {
        (Slt, Some(1)) => Some(Sle),
        (Sge, Some(1)) => Some(Sgt),
        (Sgt, Some(-1)) => Some(Sge),
        (Sle, Some(-1)) => Some(Slt),
        _ => None,
    };
    let a = cx.reg(a);
    let b = if against_zero.is_some() { ZERO_REG } else { cx.reg(b) };
    pred = against_zero.unwrap_or(pred);
    let (op, exchanged) = match pred {
        Eq => (BEQ, false),
        Ne => (BNE, false),
        Slt => (BLT, false),
        Sge => (BGE, false),
        Sgt => (BLT, true),
        Sle => (BGE, true),
        Ult => (BLTU, false),
        Uge => (BGEU, false),
        Ugt => (BLTU, true),
        Ule => (BGEU, true),
    };
    let (a, b) = if exchanged { (b, a) } else { (a, b) };
    let target = cx.succ(0);
    cx.emit(op, &[], &[a, b], 0, target);
}

/// `select`: arithmetic on a mask.
pub fn select(cx: &mut Select, i: Inst) {
    if bits::extreme(cx, i) {
        return;
    }
    let [c, a, b] = [0, 1, 2].map(|k| cx.body.arg(i, k));
    let d = Operand::virt(cx.result(i));
    let ty = cx.body.ty(i);
    let c = cx.reg(c);
    if !ty.is_float() {
        return match (cx.body.as_int(a), cx.body.as_int(b)) {
            (Some(x), Some(y)) => constants(cx, d, c, x, y),
            (_, Some(0)) => {
                let (a, mask) = (cx.reg(a), mask(cx, c));
                op2(cx, AND, d, a, mask);
            }
            (Some(0), _) => {
                let (b, mask) = (cx.reg(b), temp(cx, Type::I64));
                op_imm(cx, ADDI, mask, c, -1);
                op2(cx, AND, d, b, mask);
            }
            _ => {
                let (a, b) = (cx.reg(a), cx.reg(b));
                choose(cx, d, c, a, b);
            }
        };
    }
    let (to, from) = if ty == Type::F32 { (FMV_X_W, FMV_W_X) } else { (FMV_X_D, FMV_D_X) };
    let (a, b) = (cx.reg(a), cx.reg(b));
    let [x, y, chosen] = [(); 3].map(|()| temp(cx, Type::I64));
    op1(cx, to, x, a);
    op1(cx, to, y, b);
    choose(cx, chosen, c, x, y);
    op1(cx, from, d, chosen);
}

/// All ones if c, or 0.
fn mask(cx: &mut Select, c: Operand) -> Operand {
    let mask = temp(cx, Type::I64);
    op2(cx, SUB, mask, ZERO_REG, c);
    mask
}

/// `d = c ? a : b`, as b ^ ((a ^ b) & mask).
fn choose(cx: &mut Select, d: Operand, c: Operand, a: Operand, b: Operand) {
    let mask = mask(cx, c);
    let [difference, kept] = [(); 2].map(|()| temp(cx, Type::I64));
    op2(cx, XOR, difference, a, b);
    op2(cx, AND, kept, difference, mask);
    op2(cx, XOR, d, b, kept);
}

/// `d = c ? x : y`.
fn constants(cx: &mut Select, d: Operand, c: Operand, x: i64, y: i64) {
    let difference = x.wrapping_sub(y);
    let part = if difference == 1 {
        c
    } else if difference > 0 && difference & (difference - 1) == 0 {
        let t = temp(cx, Type::I64);
        op_imm(cx, SLLI, t, c, i64::from(difference.trailing_zeros()));
        t
    } else {
        let (mask, t) = (mask(cx, c), temp(cx, Type::I64));
        if fits(difference) {
            op_imm(cx, ANDI, t, mask, difference);
        } else {
            let k = int_reg(cx, difference);
            op2(cx, AND, t, mask, k);
        }
        t
    };
    if fits(y) {
        op_imm(cx, ADDI, d, part, y);
    } else {
        let y = int_reg(cx, y);
        op2(cx, ADD, d, part, y);
    }
}
