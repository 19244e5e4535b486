//! Sums, logic and shifts. A second operand may be an immediate, a shifted register or a sign-extended one,
//! and a product of one use becomes part of the sum (integers only: floats are not contracted).

use super::rows::control::CSINC_W;
use super::rows::int::*;
use super::select::{emit, emit_imm, extended, fresh, integer, reg_or_zero, result, width};
use super::{compare, immediate, multiply};
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::select::{Select, lack, low_ones, of_words};
use crate::mir::{MachineOp, Operand};

/// The forms of an operation on w and x registers.
pub struct Flexible {
    /// Plain.
    plain: [MachineOp; 2],
    /// The row of the second operand shifted left; logically right and arithmetically right follow it.
    shifted: [MachineOp; 2],
}

/// a + b
pub const SUM: Flexible = Flexible { plain: [ADD_W, ADD_X], shifted: [ADD_W_LSL, ADD_X_LSL] };
/// a - b
pub const DIFFERENCE: Flexible = Flexible { plain: [SUB_W, SUB_X], shifted: [SUB_W_LSL, SUB_X_LSL] };
/// a & b
pub const AND: Flexible = Flexible { plain: [AND_W, AND_X], shifted: [AND_W_LSL, AND_X_LSL] };
/// a | b
pub const OR: Flexible = Flexible { plain: [ORR_W, ORR_X], shifted: [ORR_W_LSL, ORR_X_LSL] };
/// a ^ b
pub const XOR: Flexible = Flexible { plain: [EOR_W, EOR_X], shifted: [EOR_W_LSL, EOR_X_LSL] };
/// a & !b
const AND_NOT: Flexible = Flexible { plain: [BIC_W, BIC_X], shifted: [BIC_W_LSL, BIC_X_LSL] };
/// a | !b
const OR_NOT: Flexible = Flexible { plain: [ORN_W, ORN_X], shifted: [ORN_W_LSL, ORN_X_LSL] };
/// a ^ !b
const XOR_NOT: Flexible = Flexible { plain: [EON_W, EON_X], shifted: [EON_W_LSL, EON_X_LSL] };
/// Flags of a - b
pub const COMPARE: Flexible = Flexible { plain: [CMP_W, CMP_X], shifted: [CMP_W_LSL, CMP_X_LSL] };

/// How a second operand is shifted, as `Select::shift_of` has it: an offset from `Flexible::shifted`.
pub const LSL: u16 = 0;
/// See `LSL`.
pub const LSR: u16 = 1;
/// See `LSL`.
pub const ASR: u16 = 2;

impl Flexible {
    /// The row with the second operand as it is.
    pub fn plain(&self, ty: Type) -> MachineOp {
        self.plain[width(ty)]
    }

    /// The row with the second operand shifted.
    pub fn shifted(&self, ty: Type, kind: u16) -> MachineOp {
        MachineOp(self.shifted[width(ty)].0 + kind)
    }
}

/// An extension from 32 bits that can be folded, shifted left by 0 to 4: true for one by the sign.
fn extension_of(cx: &Select, v: Value) -> Option<(Value, bool, i32)> {
    let inner = |v: Value| {
        let i = cx.foldable(v).filter(|&i| matches!(cx.body.op(i), Op::SExt | Op::ZExt))?;
        let from = cx.body.arg(i, 0);
        let is_word = cx.body.type_of(from) == Type::I32 && cx.body.ty(i) == Type::I64;
        is_word.then_some((from, cx.body.op(i) == Op::SExt))
    };
    if let Some((from, signed)) = inner(v) {
        return Some((from, signed, 0));
    }
    let (shifted, kind, amount) = cx.shift_of(v)?;
    let (from, signed) = (kind == LSL && amount <= 4).then(|| inner(shifted)).flatten()?;
    Some((from, signed, amount))
}

/// Emits an operation whose result goes to `def` (a comparison has none), folding a shift of an operand.
pub fn flexible(cx: &mut Select, def: Option<Operand>, form: &Flexible, ty: Type, a: Value, b: Value) {
    let (op, b, imm) = match cx.shift_of(b) {
        Some((shifted, kind, amount)) => (form.shifted(ty, kind), shifted, amount),
        None => (form.plain(ty), b, 0),
    };
    let uses = [reg_or_zero(cx, a), reg_or_zero(cx, b)];
    match def {
        Some(def) => emit_imm(cx, op, def, &uses, imm),
        None => cx.emit(op, &[], &uses, imm, 0),
    }
}

/// a and b, in the order that lets `flexible` fold more.
fn folding_last(cx: &Select, a: Value, b: Value) -> (Value, Value) {
    if cx.shift_of(b).is_none() && cx.shift_of(a).is_some() { (b, a) } else { (a, b) }
}

/// def = x + imm, with what instructions it takes. `x` may not be the zero register; `def` may be `x`.
pub fn add_constant(cx: &mut Select, def: Operand, ty: Type, x: Operand, imm: i64) {
    let w = width(ty);
    let imm = if w == 0 { i64::from(imm as i32) } else { imm };
    let (low, high, negated) = if imm < 0 {
        ([SUB_W_IMM, SUB_X_IMM][w], [SUB_W_IMM12, SUB_X_IMM12][w], imm.wrapping_neg())
    } else {
        ([ADD_W_IMM, ADD_X_IMM][w], [ADD_W_IMM12, ADD_X_IMM12][w], imm)
    };
    let single = if w == 0 { immediate::steps_w(imm as u32) } else { immediate::steps_x(imm) };
    match immediate::arithmetic(negated) {
        Some((imm, false)) => emit_imm(cx, low, def, &[x], imm),
        Some((imm, true)) => emit_imm(cx, high, def, &[x], imm),
        None if (0..1 << 24).contains(&negated) && single.as_slice().len() > 1 => {
            let middle = fresh(cx, ty);
            emit_imm(cx, high, middle, &[x], (negated >> 12) as i32);
            emit_imm(cx, low, def, &[middle], (negated & 0xfff) as i32);
        }
        None => {
            let y = integer(cx, ty, imm);
            emit(cx, SUM.plain(ty), def, &[x, y]);
        }
    }
}

/// A product that can be folded into a sum and has no cheaper form: its factors.
pub fn product_of(cx: &Select, v: Value) -> Option<(Value, Value)> {
    let i = cx.foldable_as(v, Op::Mul)?;
    let (a, b) = cx.constant_last(i);
    let is_shift = cx.power_of_two(cx.body.ty(i), b).is_some();
    (!is_shift && matches!(cx.body.ty(i), Type::I32 | Type::I64)).then_some((a, b))
}

/// The row, of those for w, x and sign-extended factors, that adds a product, and its factors.
fn multiply_add(
    cx: &Select,
    ty: Type,
    rows: [MachineOp; 3],
    x: Value,
    y: Value,
) -> (MachineOp, Value, Value) {
    match (multiply::sext_of(cx, x), multiply::sext_of(cx, y)) {
        (Some(x), Some(y)) => (rows[2], x, y),
        _ => (rows[width(ty)], x, y),
    }
}

/// a plus the truth of a comparison: `csinc`, which adds 1 if its condition does not hold.
fn add_bool(cx: &mut Select, def: Operand, a: Value, b: Value) -> bool {
    let Some(i) = cx.foldable_as(b, Op::ZExt) else { return false };
    let truth = cx.body.arg(i, 0);
    if !compare::sets_flags(cx, truth) {
        return false;
    }
    let a = cx.reg(a);
    let cond = compare::condition(cx, truth);
    emit(cx, cond.inverse().of(CSINC_W), def, &[a, a]);
    true
}

/// a + b.
pub fn add(cx: &mut Select, i: Inst) {
    if of_words::<true>(cx, i, ADD_W) {
        return;
    }
    let ty = cx.body.ty(i);
    let (a, b) = cx.constant_last(i);
    let def = result(cx, i);
    if ty == Type::I1 {
        return emit_uses(cx, def, EOR_W, a, b);
    }
    if let Some(x) = cx.body.as_int(b) {
        // A constant that takes a register can take a product along.
        let is_short = immediate::arithmetic(x).or(immediate::arithmetic(x.wrapping_neg())).is_some();
        if let Some((x, y)) = product_of(cx, a).filter(|_| !is_short) {
            let (row, x, y) = multiply_add(cx, ty, [MADD_W, MADD_X, SMADDL], x, y);
            let uses = [cx.reg(x), cx.reg(y), cx.reg(b)];
            return emit(cx, row, def, &uses);
        }
        let a = cx.reg(a);
        return add_constant(cx, def, ty, a, x);
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some((x, y)) = product_of(cx, b) {
            let (row, x, y) = multiply_add(cx, ty, [MADD_W, MADD_X, SMADDL], x, y);
            let uses = [cx.reg(x), cx.reg(y), cx.reg(a)];
            return emit(cx, row, def, &uses);
        }
        if ty == Type::I32 && add_bool(cx, def, a, b) {
            return;
        }
        // Only the low half of the sum counts, so it does not matter what is above a.
        if let Some(high) = multiply::high_of(cx, b, Op::SMulHi) {
            let (a, product) = (cx.reg(a), multiply::whole(cx, high));
            return emit_imm(cx, ADD_X_LSR, def, &[a, product], 32);
        }
    }
    if ty == Type::I64 {
        for (a, b) in [(a, b), (b, a)] {
            if let Some((x, signed, amount)) = extension_of(cx, b) {
                let uses = [cx.reg(a), cx.reg(x)];
                let row = if signed { ADD_X_SXTW } else { ADD_X_UXTW };
                return emit_imm(cx, row, def, &uses, amount);
            }
        }
    }
    let (a, b) = folding_last(cx, a, b);
    flexible(cx, Some(def), &SUM, ty, a, b);
}

/// a - b.
pub fn sub(cx: &mut Select, i: Inst) {
    if of_words::<true>(cx, i, SUB_W) {
        return;
    }
    let ty = cx.body.ty(i);
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let def = result(cx, i);
    if ty == Type::I1 {
        return emit_uses(cx, def, EOR_W, a, b);
    }
    if let Some(x) = cx.body.as_int(b) {
        let a = cx.reg(a);
        return add_constant(cx, def, ty, a, x.wrapping_neg());
    }
    if let Some((x, y)) = product_of(cx, b) {
        let (row, x, y) = multiply_add(cx, ty, [MSUB_W, MSUB_X, SMSUBL], x, y);
        let uses = [cx.reg(x), cx.reg(y), reg_or_zero(cx, a)];
        return emit(cx, row, def, &uses);
    }
    if let Some((x, signed, amount)) = extension_of(cx, b).filter(|_| ty == Type::I64) {
        let uses = [cx.reg(a), cx.reg(x)];
        return emit_imm(cx, if signed { SUB_X_SXTW } else { SUB_X_UXTW }, def, &uses, amount);
    }
    flexible(cx, Some(def), &DIFFERENCE, ty, a, b);
}

fn emit_uses(cx: &mut Select, def: Operand, op: MachineOp, a: Value, b: Value) {
    let uses = [reg_or_zero(cx, a), reg_or_zero(cx, b)];
    emit(cx, op, def, &uses);
}

/// The mask of an immediate of a logical row, if it is one; the same as the row takes it.
pub fn mask(ty: Type, x: i64) -> Option<i32> {
    if width(ty) == 0 {
        immediate::logical(u64::from(x as u32), 32).map(|_| x as i32)
    } else {
        i32::try_from(x).ok().filter(|_| immediate::logical(x as u64, 64).is_some())
    }
}

/// The operand of a complement (`xor` with -1) that can be folded.
fn complement_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::Xor).filter(|&i| cx.body.ty(i) != Type::I1)?;
    let (a, b) = cx.constant_last(i);
    (cx.body.as_int(b) == Some(-1)).then_some(a)
}

/// Emits the row for bits that are taken out of a value, or moved up with zeros or their sign around them.
fn field(cx: &mut Select, i: Inst, def: Operand) -> bool {
    let Some(field) = cx.field(i) else { return false };
    let rows = match (field.to == 0, field.signed) {
        (true, false) => [UBFX_W, UBFX_X],
        (true, true) => [SBFX_W, SBFX_X],
        (false, false) => [UBFIZ_W, UBFIZ_X],
        (false, true) => [SBFIZ_W, SBFIZ_X],
    };
    let of = cx.reg(field.of);
    emit_imm(cx, rows[width(cx.body.ty(i))], def, &[of], field.imm());
    true
}

/// The same onto a value, which keeps its other bits.
fn insertion(cx: &mut Select, i: Inst, def: Operand) -> bool {
    let Some((onto, field)) = cx.insertion(i) else { return false };
    let rows = if field.from == 0 { [BFI_W, BFI_X] } else { [BFXIL_W, BFXIL_X] };
    let uses = [cx.reg(onto), cx.reg(field.of)];
    emit_imm(cx, rows[width(cx.body.ty(i))], def, &uses, field.imm());
    true
}

/// Two values side by side, or one that is rotated.
fn funnel(cx: &mut Select, i: Inst, def: Operand) -> bool {
    let Some((high, low, down)) = cx.funnel(i) else { return false };
    let uses = [cx.reg(high), cx.reg(low)];
    emit_imm(cx, [EXTR_W, EXTR_X][width(cx.body.ty(i))], def, &uses, down);
    true
}

/// and, or, xor.
pub fn logic(cx: &mut Select, i: Inst) {
    let (op, ty) = (cx.body.op(i), cx.body.ty(i));
    let (a, b) = cx.constant_last(i);
    // A part of it may be a complement, too: an exclusive or with a constant; or what stays around a field.
    let may_fold = |v: Value| {
        let folds = |other| other == Op::Xor || other == Op::And && op == Op::Or;
        let other = v.as_inst().filter(|&i| folds(cx.body.op(i)));
        other.is_some_and(|i| cx.body.args(i).iter().any(|v| v.is_constant()))
    };
    let row = match op {
        Op::And => AND_W,
        Op::Or => ORR_W,
        _ => EOR_W,
    };
    if !may_fold(a) && !may_fold(b) && of_words::<true>(cx, i, row) {
        return;
    }
    let def = result(cx, i);
    if ty == Type::I1 && compare::join_as_value(cx, i, def) {
        return;
    }
    let (form, imm_rows, of_complement) = match op {
        Op::And => (&AND, [AND_W_IMM, AND_X_IMM], &AND_NOT),
        Op::Or => (&OR, [ORR_W_IMM, ORR_X_IMM], &OR_NOT),
        _ => (&XOR, [EOR_W_IMM, EOR_X_IMM], &XOR_NOT),
    };
    let w = width(ty);
    if op == Op::And && field(cx, i, def) || op == Op::Or && (funnel(cx, i, def) || insertion(cx, i, def)) {
        return;
    }
    if let Some(x) = cx.body.number(b).filter(|_| op == Op::And && ty.is_narrow() && ty != Type::I1) {
        // It leaves zeros above (`zeros_above`).
        let (x, a) = (x.unsigned() as i64, reg_or_zero(cx, a));
        if let Some(imm) = mask(Type::I32, x) {
            return emit_imm(cx, AND_W_IMM, def, &[a], imm);
        }
        let mask = integer(cx, Type::I32, x);
        return emit(cx, AND_W, def, &[a, mask]);
    }
    if let Some(x) = cx.body.as_int(b) {
        if let Some(imm) = mask(ty, x) {
            let a = reg_or_zero(cx, a);
            return emit_imm(cx, imm_rows[w], def, &[a], imm);
        }
        if let (Op::And, Type::I64, Some(bits @ 32..)) = (op, ty, low_ones(x as u64)) {
            let a = cx.reg(a);
            return emit_imm(cx, UBFX_X, def, &[a], bits << 8);
        }
        if x == -1 && op == Op::Xor {
            let a = cx.reg(a);
            let zero = Operand::phys(super::registers::ZERO);
            return emit(cx, OR_NOT.plain(ty), def, &[zero, a]);
        }
    }
    for (a, b) in [(a, b), (b, a)] {
        if let Some(b) = complement_of(cx, b) {
            return flexible(cx, Some(def), of_complement, ty, a, b);
        }
    }
    let (a, b) = folding_last(cx, a, b);
    flexible(cx, Some(def), form, ty, a, b);
}

/// shl, lshr, ashr.
pub fn shift(cx: &mut Select, i: Inst) {
    let (op, ty) = (cx.body.op(i), cx.body.ty(i));
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    // A shifted upper half is the whole, shifted more.
    let (high_op, row) = if op == Op::AShr { (Op::SMulHi, ASR_X_IMM) } else { (Op::UMulHi, LSR_X_IMM) };
    if op != Op::Shl
        && let (Some(high), Some(k @ 0..32)) = (multiply::high_of(cx, a, high_op), cx.body.as_int(b))
    {
        let (product, def) = (multiply::whole(cx, high), result(cx, i));
        return emit_imm(cx, row, def, &[product], 32 + k as i32);
    }
    if b.is_constant() && ty != Type::I1 && !ty.is_narrow() {
        let def = result(cx, i);
        if field(cx, i, def) {
            return;
        }
    }
    let is_as_it_is = op == Op::Shl || ty == Type::I1;
    let x = if is_as_it_is { cx.reg(a) } else { extended(cx, a, op == Op::AShr) };
    let def = result(cx, i);
    let w = width(ty);
    let (rows, imm_rows) = match op {
        Op::Shl => ([LSL_W, LSL_X], [LSL_W_IMM, LSL_X_IMM]),
        Op::LShr => ([LSR_W, LSR_X], [LSR_W_IMM, LSR_X_IMM]),
        _ => ([ASR_W, ASR_X], [ASR_W_IMM, ASR_X_IMM]),
    };
    match cx.body.as_int(b).map(|k| k & ((32 << w) - 1)) {
        // An i1 can be shifted by nothing but zero, and stays what it is.
        _ if ty == Type::I1 => emit(cx, MOV_W, def, &[x]),
        Some(0) => emit(cx, [MOV_W, MOV_X][w], def, &[x]),
        Some(k) => emit_imm(cx, imm_rows[w], def, &[x], k as i32),
        None => {
            let amount = extended(cx, b, false);
            emit(cx, rows[w], def, &[x, amount]);
        }
    }
}

/// Zeros at an end, those below counted from above, and bytes the other way around.
pub fn bits(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    if ty.is_narrow() {
        return lack(cx, i);
    }
    let (mut x, def) = (cx.reg(cx.body.arg(i, 0)), result(cx, i));
    if cx.body.op(i) == Op::TrailingZeros {
        x = cx.emit_fresh([RBIT_W, RBIT_X][width(ty)], ty, &[x], 0, 0);
    }
    let rows = if cx.body.op(i) == Op::SwapBytes { [REV_W, REV_X] } else { [CLZ_W, CLZ_X] };
    emit(cx, rows[width(ty)], def, &[x]);
}
