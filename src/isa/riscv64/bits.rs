//! What the extensions Zba and Zbb are for: sums with a shifted operand, logic with an inverted one, minimum
//! and maximum, rotation, extension.
//!
//! Each function looks for one pattern. It emits the instructions and returns true, or emits and demands
//! nothing and returns false, where the pattern or the extension is not there. A value of 32 bits is kept
//! sign-extended, which logic, order (with and without sign) and extension of its low bits preserve; a
//! shifted sum does not, so those are for 64 bits.

use super::rows::*;
use super::select::{ZERO_REG, is_word, op_imm, op1, op2, temp};
use crate::ir::{Inst, IntPred, Op, Type, Value};
use crate::isa::features::{ZBA, ZBB};
use crate::isa::select::{Select, lack};
use crate::mir::{MachineOp, Operand};

/// `d = (a << k) + b`, by k.
const SHIFTED_SUM: [MachineOp; 4] = [ADD, SH1ADD, SH2ADD, SH3ADD];
/// The same with the low 32 bits of a, without sign.
const UNSIGNED_SUM: [MachineOp; 4] = [ADD_UW, SH1ADD_UW, SH2ADD_UW, SH3ADD_UW];

/// For 3, 5 and 9: the k of a sum that multiplies by it.
fn sum_factor(x: i64) -> Option<usize> {
    [3, 5, 9].iter().position(|&factor| factor == x).map(|k| k + 1)
}

/// What a value of 64 bits is the zero-extension of, if it can be folded.
fn widened(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::ZExt)?;
    let a = cx.body.arg(i, 0);
    (cx.body.type_of(a) == Type::I32 && cx.body.ty(i) == Type::I64).then_some(a)
}

/// `sum = at + index * scale`: an element's address.
pub fn add_scaled(cx: &mut Select, sum: Operand, at: Operand, index: Value, scale: u32) -> bool {
    if !cx.has(ZBA) {
        return false;
    }
    let unsigned = widened(cx, index);
    let split = (0..4).find_map(|k| {
        let factor = i64::from(scale >> k);
        let fits =
            scale.trailing_zeros() >= k && (factor == 1 || factor != 0 && sum_factor(factor).is_some());
        fits.then_some((factor, k as usize))
    });
    match (split, unsigned) {
        (Some((1, k)), Some(index)) => {
            let index = cx.reg(index);
            op2(cx, UNSIGNED_SUM[k], sum, index, at);
        }
        (Some((1, k)), None) if k != 0 => {
            let index = cx.reg(index);
            op2(cx, SHIFTED_SUM[k], sum, index, at);
        }
        (Some((factor, k)), None) if k != 0 => {
            let (index, t) = (cx.reg(index), temp(cx, Type::I64));
            product(cx, t, index, factor);
            op2(cx, SHIFTED_SUM[k], sum, t, at);
        }
        _ => return false,
    }
    true
}

/// `d = a x` in one or two instructions, in 64 bits.
pub fn product(cx: &mut Select, d: Operand, a: Operand, x: i64) -> bool {
    if !cx.has(ZBA) || x <= 0 {
        return false;
    }
    let zeros = i64::from(x.trailing_zeros());
    if let Some(k) = sum_factor(x >> zeros) {
        if zeros == 0 {
            op2(cx, SHIFTED_SUM[k], d, a, a);
        } else {
            let t = temp(cx, Type::I64);
            op2(cx, SHIFTED_SUM[k], t, a, a);
            op_imm(cx, SLLI, d, t, zeros);
        }
        return true;
    }
    for (first, second) in (1..4).flat_map(|first| (1..4).map(move |second| (first, second))) {
        let (sum, power) = ((1 << first) + 1, 1 << second);
        let way = [sum * (power + 1), sum * power + 1, sum + power].iter().position(|&product| product == x);
        let Some(way) = way else { continue };
        let t = temp(cx, Type::I64);
        op2(cx, SHIFTED_SUM[first], t, a, a);
        let (shifted, plain) = [(t, t), (t, a), (a, t)][way];
        op2(cx, SHIFTED_SUM[second], d, shifted, plain);
        return true;
    }
    false
}

/// `v` as `x << k` for k to 3, or as the zero-extension of x, or as both.
fn shifted(cx: &Select, v: Value) -> Option<(Value, usize, bool)> {
    if let Some(x) = widened(cx, v) {
        return Some((x, 0, true));
    }
    let i = cx.foldable(v)?;
    let by = cx.body.as_int(*cx.body.args(i).get(1)?)?;
    let k = match (cx.body.op(i), by) {
        (Op::Shl, 1..=3) => by as usize,
        (Op::Mul, 2 | 4 | 8) => by.trailing_zeros() as usize,
        _ => return None,
    };
    let x = cx.body.arg(i, 0);
    Some(widened(cx, x).map_or((x, k, false), |x| (x, k, true)))
}

/// `add` of 64 bits with a shifted or widened operand.
pub fn add(cx: &mut Select, d: Operand, i: Inst) -> bool {
    cx.has(ZBA) && !is_word(cx.body.ty(i)) && shifted_sum(cx, d, i)
}

fn shifted_sum(cx: &mut Select, d: Operand, i: Inst) -> bool {
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    for (a, b) in [(a, b), (b, a)] {
        if let Some((x, k, unsigned)) = shifted(cx, a) {
            let (x, b) = (cx.reg(x), cx.reg(b));
            op2(cx, if unsigned { UNSIGNED_SUM[k] } else { SHIFTED_SUM[k] }, d, x, b);
            return true;
        }
    }
    false
}

/// What `v` is the complement of. The opposite of a truth value counts where `truth` says so.
fn complement(cx: &Select, v: Value, truth: bool) -> Option<Value> {
    let i = cx.foldable_as(v, Op::Xor)?;
    let ones = if cx.body.ty(i) == Type::I1 { if truth { 1 } else { return None } } else { -1 };
    (cx.body.as_int(cx.body.arg(i, 1)) == Some(ones)).then(|| cx.body.arg(i, 0))
}

/// `and`, `or` and `xor`.
pub fn logic(cx: &mut Select, i: Inst) -> bool {
    if !cx.has(ZBB) {
        return false;
    }
    let (op, ty) = (cx.body.op(i), cx.body.ty(i));
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    if op == Op::And && cx.body.as_int(b) == Some(0xffff) {
        return extend(cx, i, ZEXT_H, a);
    }
    if op == Op::Or && rotate(cx, i) {
        return true;
    }
    // The complement of a difference.
    if op == Op::Xor && cx.body.as_int(b) == Some(-1) && ty != Type::I1 {
        let Some(inner) = cx.foldable_as(a, Op::Xor) else { return false };
        let (x, y) = (cx.body.arg(inner, 0), cx.body.arg(inner, 1));
        return cx.body.as_int(y).is_none() && emit_logic(cx, i, XNOR, x, y);
    }
    // With an immediate, the complement is the cheaper one to have.
    if cx.body.as_int(a).is_some() || cx.body.as_int(b).is_some() {
        return false;
    }
    let (row, truth) = match op {
        Op::And => (ANDN, true),
        Op::Or => (ORN, false),
        _ => (XNOR, false),
    };
    for (a, b) in [(a, b), (b, a)] {
        if let Some(b) = complement(cx, b, truth) {
            return emit_logic(cx, i, row, a, b);
        }
    }
    false
}

fn emit_logic(cx: &mut Select, i: Inst, row: MachineOp, a: Value, b: Value) -> bool {
    let d = Operand::virt(cx.result(i));
    let (a, b) = (cx.reg(a), cx.reg(b));
    op2(cx, row, d, a, b);
    true
}

fn extend(cx: &mut Select, i: Inst, row: MachineOp, a: Value) -> bool {
    let d = Operand::virt(cx.result(i));
    let a = cx.reg(a);
    op1(cx, row, d, a);
    true
}

/// `or` of a value shifted left and the same shifted right by the rest of the width.
fn rotate(cx: &mut Select, i: Inst) -> bool {
    let ty = cx.body.ty(i);
    if !matches!(ty, Type::I32 | Type::I64) {
        return false;
    }
    let side = |cx: &Select, v: Value, op: Op| {
        let i = cx.foldable(v).filter(|&i| cx.body.op(i) == op)?;
        Some((cx.body.arg(i, 0), cx.body.arg(i, 1)))
    };
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    for (a, b) in [(a, b), (b, a)] {
        let (Some((x, left)), Some((y, right))) = (side(cx, a, Op::Shl), side(cx, b, Op::LShr)) else {
            continue;
        };
        if x != y {
            return false;
        }
        let bits = i64::from(ty.int_bits());
        let word = is_word(ty);
        if let (Some(left), Some(right)) = (cx.body.as_int(left), cx.body.as_int(right)) {
            if left <= 0 || left + right != bits {
                return false;
            }
            let d = Operand::virt(cx.result(i));
            let x = cx.reg(x);
            op_imm(cx, if word { RORIW } else { RORI }, d, x, right);
            return true;
        }
        // One of the amounts is the width less the other.
        let rest = |cx: &Select, rest: Value, of: Value| {
            let rest = cx.foldable_as(rest, Op::Sub);
            rest.is_some_and(|i| cx.body.as_int(cx.body.arg(i, 0)) == Some(bits) && cx.body.arg(i, 1) == of)
        };
        if rest(cx, right, left) {
            return emit_logic(cx, i, if word { ROLW } else { ROL }, x, left);
        }
        return rest(cx, left, right) && emit_logic(cx, i, if word { RORW } else { ROR }, x, right);
    }
    false
}

/// Shifts to the left and back, which extend 8 or 16 bits; and shifts of a zero-extended value, or of a sum
/// with a shifted operand, of which only the low bits count.
pub fn shift(cx: &mut Select, i: Inst) -> bool {
    let (op, ty) = (cx.body.op(i), cx.body.ty(i));
    let Some(by) = cx.body.as_int(cx.body.arg(i, 1)) else { return false };
    if op == Op::Shl {
        let x = cx.body.arg(i, 0);
        if !cx.has(ZBA) {
            return false;
        }
        if ty == Type::I64 {
            let Some(x) = widened(cx, x) else { return false };
            let d = Operand::virt(cx.result(i));
            let x = cx.reg(x);
            op_imm(cx, SLLI_UW, d, x, by & 63);
            return true;
        }
        let Some(sum) = cx.foldable_as(x, Op::Add).filter(|_| ty == Type::I32) else { return false };
        let t = temp(cx, Type::I64);
        if !shifted_sum(cx, t, sum) {
            return false;
        }
        let d = Operand::virt(cx.result(i));
        op_imm(cx, SLLIW, d, t, by & 31);
        return true;
    }
    let left = cx.foldable_as(cx.body.arg(i, 0), Op::Shl);
    let Some(left) = left.filter(|&left| cx.has(ZBB) && cx.body.as_int(cx.body.arg(left, 1)) == Some(by))
    else {
        return false;
    };
    let row = match (op, i64::from(ty.int_bits()) - by) {
        (Op::AShr, 8) => SEXT_B,
        (Op::AShr, 16) => SEXT_H,
        (Op::LShr, 16) => ZEXT_H,
        _ => return false,
    };
    extend(cx, i, row, cx.body.arg(left, 0))
}

/// `d` = the low 8 or 16 bits of `a`, with their sign.
pub fn sign_extend(cx: &mut Select, ty: Type, d: Operand, a: Operand) -> bool {
    let has = cx.has(ZBB);
    if has {
        op1(cx, if ty == Type::I8 { SEXT_B } else { SEXT_H }, d, a);
    }
    has
}

/// `d` = the low 16 bits of `a`, without sign.
pub fn zero_extend_half(cx: &mut Select, d: Operand, a: Operand) -> bool {
    let has = cx.has(ZBB);
    if has {
        op1(cx, ZEXT_H, d, a);
    }
    has
}

/// `d` = the low 32 bits of `a`, without sign.
pub fn zero_extend_word(cx: &mut Select, d: Operand, a: Operand) -> bool {
    let has = cx.has(ZBA);
    if has {
        op2(cx, ADD_UW, d, a, ZERO_REG);
    }
    has
}

/// Zeros at an end, and bytes the other way around: those of a word come in the upper half.
pub fn counted(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    if !cx.has(ZBB) || !matches!(ty, Type::I32 | Type::I64) {
        return lack(cx, i);
    }
    let (x, def) = (cx.reg(cx.body.arg(i, 0)), Operand::virt(cx.result(i)));
    let rows = match cx.body.op(i) {
        Op::LeadingZeros => [CLZW, CLZ],
        Op::TrailingZeros => [CTZW, CTZ],
        _ if ty == Type::I32 => {
            let swapped = cx.emit_fresh(REV8, Type::I64, &[x], 0, 0);
            return cx.emit(SRAI, &[def], &[swapped], 32, 0);
        }
        _ => [REV8; 2],
    };
    op1(cx, rows[usize::from(ty == Type::I64)], def, x);
}

/// `smin`, `smax`, `umin` and `umax`. What is kept with its sign is in order without it, too.
pub fn extremes(cx: &mut Select, i: Inst, row: MachineOp) {
    if !cx.has(ZBB) || cx.body.ty(i) == Type::I1 {
        return lack(cx, i);
    }
    emit_logic(cx, i, row, cx.body.arg(i, 0), cx.body.arg(i, 1));
}

/// `select` of the lesser or the greater of what is compared.
pub fn extreme(cx: &mut Select, i: Inst) -> bool {
    use IntPred::*;
    let [c, yes, no] = [0, 1, 2].map(|k| cx.body.arg(i, k));
    let ty = cx.body.ty(i);
    let compare = c.as_inst().filter(|&c| cx.body.op(c) == Op::ICmp);
    let Some(compare) =
        compare.filter(|_| cx.has(ZBB) && matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64))
    else {
        return false;
    };
    let (a, b) = (cx.body.arg(compare, 0), cx.body.arg(compare, 1));
    let pred = IntPred::from_payload(cx.body.payload(compare));
    let less = matches!(pred, Slt | Sle | Ult | Ule);
    if matches!(pred, Eq | Ne) {
        return false;
    }
    // `x < 5 ? x : 4` is what `x <= 4 ? x : 4` is, unless 5 is the least of the type.
    let is_next = |v: Value| {
        let (Some(v), Some(b)) = (cx.body.as_int(v), cx.body.as_int(b)) else { return false };
        match pred {
            Slt => b.checked_sub(1) == Some(v),
            Ult => b != 0 && b.wrapping_sub(1) == v,
            Sgt => b.checked_add(1) == Some(v),
            Ugt => b != -1 && b.wrapping_add(1) == v,
            _ => false,
        }
    };
    let lesser = if yes == a && (no == b || is_next(no)) {
        less
    } else if no == a && yes == b {
        !less
    } else {
        return false;
    };
    let row = match (lesser, matches!(pred, Slt | Sle | Sgt | Sge)) {
        (true, true) => MIN,
        (true, false) => MINU,
        (false, true) => MAX,
        (false, false) => MAXU,
    };
    emit_logic(cx, i, row, yes, no)
}

#[cfg(test)]
mod tests;
