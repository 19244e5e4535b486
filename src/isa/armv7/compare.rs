//! Comparisons: as values, in branches, in `select`.
//!
//! A comparison sets the flags, and what wants it reads them at once: only moves, loads and constants, which
//! leave the flags alone, may come between. A comparison that something else uses too is a 0 or 1 in a
//! register.
//!
//! After `vcmp` the flags NZCV are 1000 for less, 0110 for equal, 0010 for greater and 0011 for unordered, so
//! every predicate but two is one condition; `one` and `ueq` first turn unordered into equal.

use super::imm::is_rotated;
use super::integer::{CMPS, TSTS, emit_op2, extended, load_word, own_word};
use super::rows::*;
use super::select::need_word;
use crate::ir::{FloatPred, Inst, IntPred, Op, Type, Value};
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// A condition, by its number in encodings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Cond {
    Eq,
    Ne,
    Cs,
    Cc,
    Mi,
    Pl,
    Vs,
    Vc,
    Hi,
    Ls,
    Ge,
    Lt,
    Gt,
    Le,
}

impl Cond {
    /// All conditions, in number order.
    pub const ALL: [Cond; 14] = {
        use Cond::*;
        [Eq, Ne, Cs, Cc, Mi, Pl, Vs, Vc, Hi, Ls, Ge, Lt, Gt, Le]
    };

    /// True exactly when this one is false.
    pub fn inverse(self) -> Cond {
        Cond::ALL[self as usize ^ 1]
    }

    /// The row for this condition of those that start at `first`.
    pub fn of(self, first: MachineOp) -> MachineOp {
        MachineOp(first.0 + self as u16)
    }
}

/// The condition that holds after `cmp` if the predicate does.
pub fn int_cond(pred: IntPred) -> Cond {
    use Cond::*;
    [Eq, Ne, Lt, Le, Gt, Ge, Cc, Ls, Hi, Cs][pred as usize]
}

/// The condition that holds after `vcmp` if the predicate does, and whether unordered must count as equal for
/// it.
pub fn float_cond(pred: FloatPred) -> (Cond, bool) {
    use Cond::*;
    let cond = [Eq, Gt, Ge, Mi, Ls, Ne, Vc, Eq, Hi, Pl, Lt, Le, Ne, Vs][pred as usize];
    (cond, matches!(pred, FloatPred::One | FloatPred::Ueq))
}

/// Sets the flags for an i1 value; returns the condition for true.
fn condition(cx: &mut Select, v: Value) -> Cond {
    let (mut v, mut inverted) = (v, false);
    let cond = loop {
        match cx.foldable(v) {
            Some(i) if cx.body.op(i) == Op::ICmp && is_comparable(cx, i) => break compare_ints(cx, i),
            Some(i) if cx.body.op(i) == Op::FCmp && is_comparable(cx, i) => break compare_floats(cx, i),
            Some(i) if cx.body.op(i) == Op::Xor && cx.body.as_int(cx.body.arg(i, 1)) == Some(1) => {
                inverted = !inverted;
                v = cx.body.arg(i, 0);
            }
            _ => {
                let rn = cx.reg(v);
                cx.emit(CMP_I, &[], &[rn], 0, 0);
                break Cond::Ne;
            }
        }
    };
    if inverted { cond.inverse() } else { cond }
}

fn is_comparable(cx: &Select, i: Inst) -> bool {
    !matches!(cx.body.type_of(cx.body.arg(i, 0)), Type::I64 | Type::F64)
}

/// Sets the flags for an integer comparison; returns the condition for true.
fn compare_ints(cx: &mut Select, i: Inst) -> Cond {
    let (mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let mut pred = IntPred::from_payload(cx.body.payload(i));
    let ty = cx.body.type_of(a);
    if ty == Type::I1 {
        // True is -1 to a signed comparison, and 1 in a register.
        use IntPred::*;
        pred = [Eq, Ne, Ugt, Uge, Ult, Ule, Ult, Ule, Ugt, Uge][pred as usize];
    }
    if cx.body.as_int(a).is_some() && cx.body.as_int(b).is_none() {
        std::mem::swap(&mut a, &mut b);
        pred = pred.swapped();
    }
    let signed = matches!(pred, IntPred::Slt | IntPred::Sle | IntPred::Sgt | IntPred::Sge);
    if let Some(x) = cx.body.as_int(b) {
        let x = if ty == Type::I8 && !signed { x & 0xff } else { x };
        return compare_constant(cx, a, x as i32, pred, signed);
    }
    if ty == Type::I8 {
        let uses = [extended(cx, a, signed), extended(cx, b, signed)];
        cx.emit(CMP, &[], &uses, 0, 0);
        return int_cond(pred);
    }
    if cx.shift_of(b).is_none() && cx.shift_of(a).is_some() {
        std::mem::swap(&mut a, &mut b);
        pred = pred.swapped();
    }
    emit_op2(cx, &CMPS, &[], a, b);
    int_cond(pred)
}

fn compare_constant(cx: &mut Select, a: Value, x: i32, pred: IntPred, signed: bool) -> Cond {
    if x == 0 && matches!(pred, IntPred::Eq | IntPred::Ne) && test_bits(cx, a) {
        return int_cond(pred);
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
    int_cond(pred)
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
    let (mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let mut pred = FloatPred::from_payload(cx.body.payload(i));
    if cx.body.as_f32(a) == Some(0.0) {
        std::mem::swap(&mut a, &mut b);
        pred = pred.swapped();
    }
    let sn = cx.reg(a);
    if cx.body.as_f32(b) == Some(0.0) {
        cx.emit(VCMP_0, &[], &[sn], 0, 0);
    } else {
        let sm = cx.reg(b);
        cx.emit(VCMP, &[], &[sn, sm], 0, 0);
    }
    cx.emit(VMRS, &[], &[], 0, 0);
    let (cond, unordered_is_equal) = float_cond(pred);
    if unordered_is_equal {
        cx.emit(CMP_VS, &[], &[], 0, 0);
    }
    cond
}

/// Selects a comparison as a value.
pub fn compare(cx: &mut Select, i: Inst) {
    let def = Operand::virt(cx.result(i));
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    if !is_comparable(cx, i) {
        return cx.fail("armv7: comparison of i64 or double");
    }
    let cond = if cx.body.op(i) == Op::ICmp {
        let pred = IntPred::from_payload(cx.body.payload(i));
        let is_word = matches!(cx.body.type_of(a), Type::I32 | Type::Ptr);
        if is_word && cx.body.as_int(b) == Some(0) && compare_to_zero(cx, def, a, pred) {
            return;
        }
        compare_ints(cx, i)
    } else {
        compare_floats(cx, i)
    };
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
    let cond = condition(cx, cx.body.arg(i, 0));
    let target = cx.succ(0);
    cx.emit(cond.of(B_EQ), &[], &[], 0, target);
}

/// Selects `c ? a : b`.
pub fn select(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    let (c, a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let def = Operand::virt(cx.result(i));
    if ty == Type::F32 {
        let uses = [cx.reg(b), cx.reg(a)];
        let cond = condition(cx, c);
        return cx.emit(cond.of(VMOV_EQ), &[def], &uses, 0, 0);
    }
    if !need_word(cx, ty) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a condition holds for flags N, Z, C, V in bits 3 to 0.
    fn holds(cond: Cond, nzcv: u32) -> bool {
        let [n, z, c, v] = [3, 2, 1, 0].map(|bit| nzcv >> bit & 1 != 0);
        let base = [z, c, n, v, c && !z, n == v, n == v && !z][cond as usize / 2];
        base != (cond as usize % 2 == 1)
    }

    #[test]
    fn float_conditions_hold_when_their_predicates_do() {
        let numbers = [f64::NAN, -1.0, 0.0, 2.0];
        for pred in FloatPred::ALL {
            for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
                let mut flags = if a < b { 8 } else { 6 - 4 * u32::from(a > b) };
                if a.is_nan() || b.is_nan() {
                    flags = 3;
                }
                let (cond, unordered_is_equal) = float_cond(pred);
                if unordered_is_equal && flags & 1 != 0 {
                    flags = 6;
                }
                assert_eq!(holds(cond, flags), pred.holds(a, b), "{pred:?} {a} {b}");
            }
        }
    }

    #[test]
    fn int_conditions_hold_when_their_predicates_do() {
        for (a, b) in [0, 1, -1, i32::MIN, i32::MAX]
            .iter()
            .flat_map(|&a| [0, 1, -1, i32::MIN, i32::MAX].map(|b| (a, b)))
        {
            let (difference, overflow) = a.overflowing_sub(b);
            let flags = [difference < 0, difference == 0, a as u32 >= b as u32, overflow];
            let nzcv = flags.iter().fold(0, |bits, &flag| bits << 1 | u32::from(flag));
            let (x, y) = (a as u32, b as u32);
            let expected = [a == b, a != b, a < b, a <= b, a > b, a >= b, x < y, x <= y, x > y, x >= y];
            for pred in IntPred::ALL {
                assert_eq!(holds(int_cond(pred), nzcv), expected[pred as usize], "{pred:?} {a} {b}");
            }
        }
    }
}
