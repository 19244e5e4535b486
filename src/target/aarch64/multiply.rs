//! Products. A constant factor of one of the forms below is a shift or two instructions of a cycle or two,
//! against three cycles and a constant in a register for `mul`:
//!
//! | factor | code |
//! | --- | --- |
//! | 2^k | `lsl` |
//! | -2^k | `sub` from zero, shifted |
//! | 2^k + 1 | `add` of itself, shifted |
//! | 1 - 2^k | `sub` from itself, shifted |
//! | 2^k - 1 | `lsl`, `sub` |
//! | (2^k + 1) 2^j | `add`, `lsl` |

use super::arithmetic::{DIFFERENCE, LSL, SUM, constant_last};
use super::registers::ZERO;
use super::rows::int::*;
use super::select::{emit, emit_imm, fresh, result, width};
use crate::ir::{Inst, Op, Type, Value};
use crate::mir::Operand;
use crate::target::select::Select;

/// How to multiply by a constant without `mul`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Plan {
    Zero,
    Copy,
    Shift(i32),
    NegatedShift(i32),
    PlusOne(i32),
    OneMinus(i32),
    MinusOne(i32),
    PlusOneShift(i32, i32),
}

fn plan(x: i64) -> Option<Plan> {
    let power = |x: i64| (x > 0 && x & (x - 1) == 0).then(|| x.trailing_zeros() as i32);
    let odd = x >> x.trailing_zeros().min(63);
    Some(match x {
        0 => Plan::Zero,
        1 => Plan::Copy,
        _ if power(x).is_some() => Plan::Shift(power(x)?),
        _ if power(x.wrapping_neg()).is_some() => Plan::NegatedShift(power(x.wrapping_neg())?),
        _ if power(x.wrapping_sub(1)).is_some() => Plan::PlusOne(power(x.wrapping_sub(1))?),
        _ if power(1i64.wrapping_sub(x)).is_some() => Plan::OneMinus(power(1i64.wrapping_sub(x))?),
        _ if power(x.wrapping_add(1)).is_some() => Plan::MinusOne(power(x.wrapping_add(1))?),
        _ => Plan::PlusOneShift(power(odd - 1)?, x.trailing_zeros() as i32),
    })
}

/// True if multiplying by the constant takes no `mul`.
pub fn is_cheap(x: i64) -> bool {
    plan(x).is_some()
}

/// a * b.
pub fn mul(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    let (a, b) = constant_last(cx, i);
    let def = result(cx, i);
    if ty == Type::I1 {
        let uses = [cx.reg(a), cx.reg(b)];
        return emit(cx, AND_W, def, &uses);
    }
    if let Some(x) = cx.body.as_int(b) {
        // -2^31 times is 2^31 times, in 32 bits.
        let x = if width(ty) == 0 && x == i64::from(i32::MIN) { -x } else { x };
        if let Some(plan) = plan(x) {
            let a = cx.reg(a);
            return by_plan(cx, def, ty, a, plan);
        }
    }
    if let (Some(x), Some(y)) = (sext_of(cx, a), sext_of(cx, b)) {
        let uses = [cx.reg(x), cx.reg(y)];
        return emit(cx, SMULL, def, &uses);
    }
    let uses = [cx.reg(a), cx.reg(b)];
    emit(cx, [MUL_W, MUL_X][width(ty)], def, &uses);
}

/// What a foldable sign extension from i32 to i64 extends.
pub fn sext_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable(v).filter(|&i| cx.body.op(i) == Op::SExt && cx.body.ty(i) == Type::I64)?;
    Some(cx.body.arg(i, 0)).filter(|&from| cx.body.type_of(from) == Type::I32)
}

fn by_plan(cx: &mut Select, def: Operand, ty: Type, a: Operand, plan: Plan) {
    let w = width(ty);
    let zero = Operand::phys(ZERO);
    match plan {
        Plan::Zero => emit_imm(cx, [LI_W, LI_X][w], def, &[], 0),
        Plan::Copy => emit(cx, [MOV_W, MOV_X][w], def, &[a]),
        Plan::Shift(k) => emit_imm(cx, [LSL_W_IMM, LSL_X_IMM][w], def, &[a], k),
        Plan::NegatedShift(0) => emit(cx, DIFFERENCE.plain(ty), def, &[zero, a]),
        Plan::NegatedShift(k) => emit_imm(cx, DIFFERENCE.shifted(ty, LSL), def, &[zero, a], k),
        Plan::PlusOne(k) => emit_imm(cx, SUM.shifted(ty, LSL), def, &[a, a], k),
        Plan::OneMinus(k) => emit_imm(cx, DIFFERENCE.shifted(ty, LSL), def, &[a, a], k),
        Plan::MinusOne(k) => {
            let middle = fresh(cx, ty);
            emit_imm(cx, [LSL_W_IMM, LSL_X_IMM][w], middle, &[a], k);
            emit(cx, DIFFERENCE.plain(ty), def, &[middle, a]);
        }
        Plan::PlusOneShift(k, j) => {
            let middle = fresh(cx, ty);
            emit_imm(cx, SUM.shifted(ty, LSL), middle, &[a, a], k);
            emit_imm(cx, [LSL_W_IMM, LSL_X_IMM][w], def, &[middle], j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_multiply() {
        let numbers = [i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 1 << 40];
        let mut cheap = 0;
        for x in (-300..300).chain(numbers) {
            let Some(plan) = plan(x) else { continue };
            cheap += 1;
            for a in [3i64, -7] {
                let product = match plan {
                    Plan::Zero => 0,
                    Plan::Copy => a,
                    Plan::Shift(k) => a << k,
                    Plan::NegatedShift(k) => 0i64.wrapping_sub(a << k),
                    Plan::PlusOne(k) => a.wrapping_add(a << k),
                    Plan::OneMinus(k) => a.wrapping_sub(a << k),
                    Plan::MinusOne(k) => (a << k).wrapping_sub(a),
                    Plan::PlusOneShift(k, j) => a.wrapping_add(a << k) << j,
                };
                assert_eq!(product, a.wrapping_mul(x), "{x} {plan:?}");
            }
        }
        assert!(cheap > 50 && plan(11).is_none() && plan(-11).is_none());
    }
}
