//! Comparisons as flags, as values, and as what branches and `select` depend on.
//!
//! Of comparisons that are joined by `and` and `or`, those behind the first are `ccmp`: it compares if the condition so far
//! leaves that open, and else gives flags that tell the result (as in LLVM's `emitConjunction`).

use super::arithmetic::{self, COMPARE};
use super::immediate;
use super::rows::control::*;
use super::rows::float::*;
use super::rows::int::*;
use super::select::{emit, extended, integer, reg_or_zero, result, width, zeros_above};
use crate::ir::{FloatPred, Inst, IntPred, Op, Type, Value};
use crate::isa::compare::{
    self, Cond, Integers, comparison, floats, integers, is_comparison, joins, without_negations,
};
use crate::isa::invoke;
use crate::isa::select::{Select, lack};
use crate::mir::{MachineOp, Operand};

/// Emits the flags for an integer or floating comparison; the condition under which it holds.
fn flags(cx: &mut Select, i: Inst) -> Cond {
    if cx.body.op(i) == Op::FCmp {
        return float_flags(cx, i);
    }
    let compared = integers(cx, i);
    let Integers { pred, a, b, constant } = compared;
    let ty = cx.body.type_of(a);
    if ty.is_narrow() {
        if let Some(cond) = narrow_by_bits(cx, compared) {
            return cond;
        }
        let signed = compared.signed();
        let a = extended(cx, a, signed);
        match cx.body.number(b).filter(|_| constant.is_some()) {
            Some(x) => {
                compare_constant(cx, Type::I32, a, if signed { x.signed() } else { x.unsigned() as i64 })
            }
            None => {
                let b = extended(cx, b, signed);
                cx.emit(CMP_W, &[], &[a, b], 0, 0);
            }
        }
        return Cond::of_ints(pred);
    }
    match constant {
        Some(0) if test_bits(cx, pred, ty, a) => {}
        Some(x) => {
            let a = cx.reg(a);
            compare_constant(cx, ty, a, x);
        }
        None => arithmetic::flexible(cx, None, &COMPARE, ty, a, b),
    }
    Cond::of_ints(pred)
}

/// Emits `tst` for what zeros or a sign are all that is asked of, without extending anything.
fn narrow_by_bits(cx: &mut Select, compared: Integers) -> Option<Cond> {
    let Integers { pred, a, constant, .. } = compared;
    let bits = match cx.body.type_of(a) {
        Type::I1 => return None,
        ty => ty.int_bits() as i32,
    };
    let (tested, imm, cond) = match (pred, constant?) {
        (IntPred::Slt, 0) | (IntPred::Sle, -1) => (a, 1 << (bits - 1), Cond::Ne),
        (IntPred::Sge, 0) | (IntPred::Sgt, -1) => (a, 1 << (bits - 1), Cond::Eq),
        (IntPred::Eq | IntPred::Ne, 0) => {
            let ones = (1 << bits) - 1;
            match cx.foldable_as(a, Op::And).map(|i| cx.constant_last(i)) {
                Some((x, mask)) if cx.body.as_int(mask).is_some_and(|mask| mask != 0) => {
                    (x, cx.body.as_int(mask)? as i32 & ones, Cond::of_ints(pred))
                }
                _ if zeros_above(cx, a) => return None,
                _ => (a, ones, Cond::of_ints(pred)),
            }
        }
        _ => return None,
    };
    let x = cx.reg(tested);
    match arithmetic::mask(Type::I32, imm.into()) {
        Some(imm) => cx.emit(TST_W_IMM, &[], &[x], imm, 0),
        None => {
            let mask = integer(cx, Type::I32, imm.into());
            cx.emit(TST_W, &[], &[x, mask], 0, 0);
        }
    }
    Some(cond)
}

fn compare_constant(cx: &mut Select, ty: Type, a: Operand, x: i64) {
    let w = width(ty);
    let (plain, shifted) = if x < 0 {
        ([CMN_W_IMM, CMN_X_IMM], [CMN_W_IMM12, CMN_X_IMM12])
    } else {
        ([CMP_W_IMM, CMP_X_IMM], [CMP_W_IMM12, CMP_X_IMM12])
    };
    // Number 31 is the stack pointer in the rows with immediates, so no zero register here.
    match immediate::arithmetic(x.wrapping_abs()) {
        Some((imm, is_shifted)) => {
            let rows = if is_shifted { shifted } else { plain };
            cx.emit(rows[w], &[], &[a], imm, 0);
        }
        None => {
            let b = integer(cx, ty, x);
            cx.emit(COMPARE.plain(ty), &[], &[a, b], 0, 0);
        }
    }
}

/// Emits `tst` for an `and` compared with zero. The carry says something else than after `cmp`.
fn test_bits(cx: &mut Select, pred: IntPred, ty: Type, v: Value) -> bool {
    let fits = matches!(pred, IntPred::Eq | IntPred::Ne | IntPred::Slt | IntPred::Sge);
    let Some(i) = cx.foldable_as(v, Op::And).filter(|_| fits) else { return false };
    let (a, b) = cx.constant_last(i);
    let w = width(ty);
    match cx.body.as_int(b).and_then(|x| arithmetic::mask(ty, x)) {
        Some(imm) => {
            let a = cx.reg(a);
            cx.emit([TST_W_IMM, TST_X_IMM][w], &[], &[a], imm, 0);
        }
        None => {
            let uses = [cx.reg(a), cx.reg(b)];
            cx.emit([TST_W, TST_X][w], &[], &uses, 0, 0);
        }
    }
    true
}

fn float_flags(cx: &mut Select, i: Inst) -> Cond {
    let (pred, a, b, zero) = floats(cx, i);
    let twice = matches!(pred, FloatPred::One | FloatPred::Ueq);
    let double = usize::from(cx.body.type_of(a) == Type::F64);
    if zero && !twice {
        let a = cx.reg(a);
        cx.emit([FCMP_S_ZERO, FCMP_D_ZERO][double], &[], &[a], 0, 0);
    } else {
        let uses = [cx.reg(a), cx.reg(b)];
        cx.emit([FCMP_S, FCMP_D][double], &[], &uses, 0, 0);
        if twice {
            // Unordered becomes equal.
            cx.emit(Cond::Vc.of([FCCMP_S, FCCMP_D][double]), &[], &uses, Cond::Eq.flags(), 0);
        }
    }
    Cond::of_floats(pred)
}

/// A condition that is another one and a comparison behind it.
#[derive(Copy, Clone)]
struct Join {
    /// Both have to hold, and not one of them.
    both: bool,
    /// The other one.
    rest: Value,
    /// The comparison.
    last: Inst,
    /// Its opposite is meant.
    is_opposite: bool,
}

/// An `and` or `or` of i1 as such a join.
fn join(cx: &Select, i: Inst) -> Option<Join> {
    let both = joins(cx, i)?;
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    [(a, b), (b, a)].into_iter().filter(|(rest, _)| !rest.is_constant()).find_map(|(rest, last)| {
        let (last, is_opposite) = without_negations(cx, last);
        let last = comparison(cx, last).filter(|&i| may_follow(cx, i))?;
        Some(Join { both, rest, last, is_opposite })
    })
}

/// The same of what can be folded.
fn join_of(cx: &Select, v: Value) -> Option<Join> {
    cx.foldable(v).and_then(|i| join(cx, i))
}

/// True of comparisons that are one row, of two registers or of one and a constant.
fn may_follow(cx: &Select, i: Inst) -> bool {
    if cx.body.op(i) == Op::ICmp {
        let compared = integers(cx, i);
        let is_there = |v: Value| zeros_above(cx, v) || cx.body.as_int(v).is_some();
        return match cx.body.type_of(compared.a) {
            Type::I8 | Type::I16 => !compared.signed() && is_there(compared.a) && is_there(compared.b),
            ty => ty != Type::I1,
        };
    }
    !matches!(FloatPred::from_payload(cx.body.payload(i)), FloatPred::One | FloatPred::Ueq)
}

/// True if `condition` of a value comes from comparisons and not from a register.
pub fn sets_flags(cx: &Select, v: Value) -> bool {
    is_comparison(cx, v) || join_of(cx, without_negations(cx, v).0).is_some()
}

/// Emits the flags for an i1; the condition under which it is true.
pub fn condition(cx: &mut Select, v: Value) -> Cond {
    let (inner, negated) = without_negations(cx, v);
    match join_of(cx, inner) {
        Some(join) => joined(cx, join).negated(negated),
        None => compare::condition(cx, v, flags, CMP_W_IMM),
    }
}

/// A comparison behind a condition, its operands in registers.
struct Step {
    /// See `Join`.
    both: bool,
    /// By the condition so far, the row, its operands, how many, and what it compares with above the low byte.
    family: MachineOp,
    uses: [Operand; 2],
    count: usize,
    imm: i32,
    /// The condition under which the comparison holds, and whether the opposite of the whole join is meant.
    holds: Cond,
    negated: bool,
}

/// Emits the flags for all that is joined, from the innermost on. All operands are in registers before the first comparison:
/// what puts them there might change the flags (the address of a thread-local variable may take a call).
fn joined(cx: &mut Select, mut join: Join) -> Cond {
    let mut steps = vec![step(cx, join, false)];
    loop {
        let (inner, negated) = without_negations(cx, join.rest);
        let Some(next) = join_of(cx, inner) else { break };
        steps.push(step(cx, next, negated));
        join = next;
    }
    let first = compare::condition(cx, join.rest, flags, CMP_W_IMM);
    steps.iter().rev().fold(first, |cond, step| {
        // It is asked only if it decides.
        let (asked, otherwise) =
            if step.both { (cond, step.holds.inverse()) } else { (cond.inverse(), step.holds) };
        cx.emit_row(asked.of(step.family), 0, &step.uses[..step.count], step.imm | otherwise.flags(), 0);
        step.holds.negated(step.negated)
    })
}

fn step(cx: &mut Select, join: Join, negated: bool) -> Step {
    let i = join.last;
    let (families, holds, [a, b], constant) = if cx.body.op(i) == Op::FCmp {
        let (pred, a, b, _) = floats(cx, i);
        let double = cx.body.type_of(a) == Type::F64;
        (if double { [FCCMP_D; 3] } else { [FCCMP_S; 3] }, Cond::of_floats(pred), [a, b], None)
    } else {
        let Integers { pred, a, b, constant } = integers(cx, i);
        let families = [[CCMP_W, CCMP_W_IMM, CCMN_W_IMM], [CCMP_X, CCMP_X_IMM, CCMN_X_IMM]];
        let constant = match cx.body.type_of(a).is_narrow() {
            // Of what has zeros above it, as `may_follow` has found.
            true => cx.body.number(b).map(|x| x.unsigned() as i64),
            false => constant,
        };
        let constant = constant.filter(|x| (-31..32).contains(x));
        (families[width(cx.body.type_of(a))], Cond::of_ints(pred), [a, b], constant)
    };
    let a = cx.reg(a);
    let (form, b, count, imm) = match constant {
        Some(x) => (if x < 0 { 2 } else { 1 }, a, 1, (x.abs() as i32) << 8),
        None if cx.body.type_of(b).is_narrow() => (0, extended(cx, b, false), 2, 0),
        None => (0, reg_or_zero(cx, b), 2, 0),
    };
    let holds = holds.negated(join.is_opposite);
    Step { both: join.both, family: families[form], uses: [a, b], count, imm, holds, negated }
}

/// Comparisons that an `and` or `or` joins, as a value; false, and nothing done, if it joins none.
pub fn join_as_value(cx: &mut Select, i: Inst, def: Operand) -> bool {
    let Some(join) = join(cx, i) else { return false };
    let cond = joined(cx, join);
    emit(cx, cond.of(CSET), def, &[]);
    true
}

/// A comparison whose result is wanted as a value.
pub fn as_value(cx: &mut Select, i: Inst) {
    let def = result(cx, i);
    let cond = flags(cx, i);
    emit(cx, cond.of(CSET), def, &[]);
}

/// An i1 as an integer of 32 bits straight from the flags: for `zext`, and for `sext` with all bits set.
/// False, and nothing done, if there is no comparison to fold.
pub fn bool_to_int(cx: &mut Select, i: Inst, v: Value, all_bits: bool) -> bool {
    if !sets_flags(cx, v) || cx.body.ty(i) == Type::I64 {
        return false;
    }
    let def = result(cx, i);
    let cond = condition(cx, v);
    emit(cx, cond.of(if all_bits { CSETM } else { CSET }), def, &[]);
    true
}

/// select.
pub fn select(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    let (c, a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let def = result(cx, i);
    if ty.is_float() {
        let family = if ty == Type::F64 { FCSEL_D } else { FCSEL_S };
        let uses = [cx.reg(a), cx.reg(b)];
        let cond = condition(cx, c);
        return emit(cx, cond.of(family), def, &uses);
    }
    if width(ty) == 0 && select_changed(cx, def, c, a, b) {
        return;
    }
    let uses = [reg_or_zero(cx, a), reg_or_zero(cx, b)];
    let cond = condition(cx, c);
    emit(cx, cond.of([CSEL_W, CSEL_X][width(ty)]), def, &uses);
}

/// A choice in which one side is something plus 1, or minus something, which `csinc` and `csneg` do on the
/// way.
fn select_changed(cx: &mut Select, def: Operand, c: Value, a: Value, b: Value) -> bool {
    for (kept, changed, inverted) in [(a, b, false), (b, a, true)] {
        let Some((family, x)) = change_of(cx, changed) else { continue };
        let uses = [reg_or_zero(cx, kept), reg_or_zero(cx, x)];
        let cond = condition(cx, c).negated(inverted);
        emit(cx, cond.of(family), def, &uses);
        return true;
    }
    false
}

fn change_of(cx: &Select, v: Value) -> Option<(MachineOp, Value)> {
    let i = cx.foldable(v).filter(|&i| cx.body.ty(i) == Type::I32)?;
    match (cx.body.op(i), cx.body.args(i)) {
        (Op::Add, &[x, one]) if cx.body.as_int(one) == Some(1) => Some((CSINC_W, x)),
        (Op::Sub, &[zero, x]) if cx.body.as_int(zero) == Some(0) => Some((CSNEG_W, x)),
        _ => None,
    }
}

/// The magnitude of an integer: the integer, or if it is negative minus it.
pub fn magnitude(cx: &mut Select, i: Inst) {
    if cx.body.ty(i) != Type::I32 {
        return lack(cx, i);
    }
    let (x, def) = (cx.reg(cx.body.arg(i, 0)), result(cx, i));
    cx.emit(CMP_W_IMM, &[], &[x], 0, 0);
    emit(cx, Cond::Ge.of(CSNEG_W), def, &[x, x]);
}

/// A conditional branch.
pub fn cond_br(cx: &mut Select, i: Inst) {
    if invoke::branch(cx, i) {
        return;
    }
    let to = cx.succ(0);
    let (v, negated) = without_negations(cx, cx.body.arg(i, 0));
    let Some(compared) = comparison(cx, v) else {
        if let Some(join) = join_of(cx, v) {
            let cond = joined(cx, join).negated(negated);
            return cx.emit(cond.of(B_COND), &[], &[], 0, to);
        }
        let x = cx.reg(v);
        return cx.emit(if negated { CBZ_W } else { CBNZ_W }, &[], &[x], 0, to);
    };
    if cx.body.op(compared) == Op::ICmp && branch_on_register(cx, compared, negated, to) {
        return;
    }
    let cond = flags(cx, compared).negated(negated);
    cx.emit(cond.of(B_COND), &[], &[], 0, to);
}

/// Branches on a register being zero, on its sign, or on one of its bits, without flags.
fn branch_on_register(cx: &mut Select, i: Inst, negated: bool, to: u32) -> bool {
    let Integers { pred, a, b, constant } = integers(cx, i);
    let pred = if negated { pred.inverse() } else { pred };
    let ty = cx.body.type_of(a);
    if matches!(pred, IntPred::Eq | IntPred::Ne) {
        // What is a multiple leaves no remainder.
        for (a, b) in [(a, b), (b, a)] {
            let Some((x, y)) = arithmetic::product_of(cx, b).filter(|_| !a.is_constant()) else { continue };
            let uses = [x, y, a].map(|v| cx.reg(v));
            let rest = cx.emit_fresh([MSUB_W, MSUB_X][width(ty)], ty, &uses, 0, 0);
            let rows = if pred == IntPred::Eq { [CBZ_W, CBZ_X] } else { [CBNZ_W, CBNZ_X] };
            cx.emit(rows[width(ty)], &[], &[rest], 0, to);
            return true;
        }
    }
    let Some(x) = constant.filter(|_| ty != Type::I1) else { return false };
    let sign = if width(ty) == 1 { 63 } else { ty.int_bits() as i32 - 1 };
    match (pred, x) {
        (IntPred::Slt, 0) | (IntPred::Sle, -1) => branch_on_bit(cx, TBNZ, a, sign, to),
        (IntPred::Sge, 0) | (IntPred::Sgt, -1) => branch_on_bit(cx, TBZ, a, sign, to),
        (IntPred::Eq | IntPred::Ne, 0) => {
            let is_eq = pred == IntPred::Eq;
            if let Some((tested, bit)) = single_bit(cx, a) {
                branch_on_bit(cx, if is_eq { TBZ } else { TBNZ }, tested, bit, to);
            } else if cx.foldable_as(a, Op::And).is_some() || ty.is_narrow() && !zeros_above(cx, a) {
                return false;
            } else {
                let rows = if is_eq { [CBZ_W, CBZ_X] } else { [CBNZ_W, CBNZ_X] };
                let a = cx.reg(a);
                cx.emit(rows[width(ty)], &[], &[a], 0, to);
            }
        }
        _ => return false,
    }
    true
}

fn branch_on_bit(cx: &mut Select, op: MachineOp, v: Value, bit: i32, to: u32) {
    let x = cx.reg(v);
    cx.emit(op, &[], &[x], bit, to);
}

/// An `and` with a power of two that can be folded: what, and which bit.
fn single_bit(cx: &Select, v: Value) -> Option<(Value, i32)> {
    let i = cx.foldable_as(v, Op::And)?;
    let (a, b) = cx.constant_last(i);
    let x = cx.body.as_int(b)? as u64;
    let ty = cx.body.ty(i);
    let x = if width(ty) == 0 { x & (u64::MAX >> (64 - ty.int_bits())) } else { x };
    x.is_power_of_two().then(|| (a, x.trailing_zeros() as i32))
}
