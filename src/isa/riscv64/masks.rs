//! Comparisons of vectors, and what goes by them: choices, and sums in lanes of a mask.
//!
//! A comparison makes a mask in a register, or straight in v0, where what needs it comes next. The opposite of one is
//! another comparison, or what is chosen changes sides. O(1) an instruction.

use super::lanes::{emit, fits, form, made, opposite_of, result, same, scalar};
use super::vector::*;
use crate::ir::{FloatPred, Inst, IntPred, Op, Type, Value};
use crate::isa::select::{Select, splat_of};
use crate::mir::{MachineOp, Operand};

/// Where a comparison goes.
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum To {
    /// To a register.
    Register(Operand),
    /// To where masks are that rows go by.
    V0,
}

/// A comparison of two operands, of which the second may be an immediate: by the row to a register or the one to v0.
fn test<const USES: usize>(cx: &mut Select, to: To, rows: [MachineOp; 2], uses: &[Operand; USES], imm: i32) {
    match to {
        To::Register(def) => cx.emit(rows[0], &[def], uses, imm, 0),
        To::V0 => cx.emit(rows[1], &[], uses, imm, 0),
    }
}

/// A comparison as a value.
pub fn as_value(cx: &mut Select, i: Inst, compare: fn(&mut Select, Inst, To, bool) -> bool) {
    let def = result(cx, i);
    let is_opposite = compare(cx, i, To::Register(def), false);
    debug_assert!(!is_opposite);
}

/// A comparison of integers, or its opposite if `inverse` says so. If that takes fewer instructions, v0 gets the opposite
/// of what is asked for: true if so.
pub fn compare(cx: &mut Select, i: Inst, to: To, inverse: bool) -> bool {
    use IntPred::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let (mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let mut pred = IntPred::from_payload(cx.body.payload(i));
    if inverse {
        pred = pred.inverse();
    }
    if same(cx, a).is_some() && same(cx, b).is_none() {
        (a, b) = (b, a);
        pred = pred.swapped();
    }
    let Some(x) = same(cx, b) else {
        let (rows, swaps) = match pred {
            Eq => ([VMSEQ, VMSEQ_0], false),
            Ne => ([VMSNE, VMSNE_0], false),
            Slt | Sgt => ([VMSLT, VMSLT_0], pred == Sgt),
            Sle | Sge => ([VMSLE, VMSLE_0], pred == Sge),
            Ult | Ugt => ([VMSLTU, VMSLTU_0], pred == Ugt),
            Ule | Uge => ([VMSLEU, VMSLEU_0], pred == Uge),
        };
        let [a, b] = [cx.reg(a), cx.reg(b)];
        test(cx, to, rows, &if swaps { [b, a] } else { [a, b] }, 0);
        return false;
    };
    let known = cx.body.as_int(x);
    let immediate = match (pred, known) {
        (Eq, Some(x)) if fits(x) => Some(([VMSEQ_I, VMSEQ_I_0], x)),
        (Ne, Some(x)) if fits(x) => Some(([VMSNE_I, VMSNE_I_0], x)),
        (Sle, Some(x)) if fits(x) => Some(([VMSLE_I, VMSLE_I_0], x)),
        (Slt, Some(x)) if fits(x - 1) => Some(([VMSLE_I, VMSLE_I_0], x - 1)),
        (Sgt, Some(x)) if fits(x) => Some(([VMSGT_I, VMSGT_I_0], x)),
        (Sge, Some(x)) if fits(x - 1) => Some(([VMSGT_I, VMSGT_I_0], x - 1)),
        _ => None,
    };
    if let Some((rows, x)) = immediate {
        let a = cx.reg(a);
        test(cx, to, rows, &[a], x as i32);
        return false;
    }
    let (rows, is_opposite) = match pred {
        Eq => ([VMSEQ_X, VMSEQ_X_0], false),
        Ne => ([VMSNE_X, VMSNE_X_0], false),
        Slt | Sge => ([VMSLT_X, VMSLT_X_0], pred == Sge),
        Sle => ([VMSLE_X, VMSLE_X_0], false),
        Sgt => ([VMSGT_X, VMSGT_X_0], false),
        Ult | Uge => ([VMSLTU_X, VMSLTU_X_0], pred == Uge),
        Ule => ([VMSLEU_X, VMSLEU_X_0], false),
        Ugt => ([VMSGTU_X, VMSGTU_X_0], false),
    };
    let a = cx.reg(a);
    if is_opposite && to != To::V0 {
        // Not less is the vector at most: the vector in front of a loop is made once.
        let (rows, b) = (if pred == Sge { [VMSLE, VMSLE_0] } else { [VMSLEU, VMSLEU_0] }, cx.reg(b));
        test(cx, to, rows, &[b, a], 0);
        return false;
    }
    let x = scalar(cx, x);
    test(cx, to, rows, &[a, x], 0);
    is_opposite
}

/// The same of floats.
pub fn compare_floats(cx: &mut Select, i: Inst, to: To, inverse: bool) -> bool {
    use FloatPred::{Oeq, Oge, Ogt, Ole, Olt, One, Ord, Une};
    let (mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let mut pred = FloatPred::from_payload(cx.body.payload(i));
    if inverse {
        pred = pred.inverse();
    }
    if same(cx, a).is_some() && same(cx, b).is_none() {
        (a, b) = (b, a);
        pred = pred.swapped();
    }
    let is_plain = matches!(pred, Oeq | Ogt | Oge | Olt | Ole | One | Ord | Une);
    let plain = if is_plain { pred } else { pred.inverse() };
    // A comparison that is not what is asked for goes to a register of its own, if its opposite has to be one.
    let at = match to {
        To::Register(_) if !is_plain => To::Register(Operand::virt(cx.new_reg(Type::I1x4))),
        _ => to,
    };
    let x = same(cx, b);
    let simple = match (plain, x.is_some()) {
        (Oeq, false) => Some(([VMFEQ, VMFEQ_0], false)),
        (Une, false) => Some(([VMFNE, VMFNE_0], false)),
        (Olt | Ogt, false) => Some(([VMFLT, VMFLT_0], plain == Ogt)),
        (Ole | Oge, false) => Some(([VMFLE, VMFLE_0], plain == Oge)),
        (Oeq, true) => Some(([VMFEQ_F, VMFEQ_F_0], false)),
        (Une, true) => Some(([VMFNE_F, VMFNE_F_0], false)),
        (Olt, true) => Some(([VMFLT_F, VMFLT_F_0], false)),
        (Ole, true) => Some(([VMFLE_F, VMFLE_F_0], false)),
        (Ogt, true) => Some(([VMFGT_F, VMFGT_F_0], false)),
        (Oge, true) => Some(([VMFGE_F, VMFGE_F_0], false)),
        _ => None,
    };
    let a = cx.reg(a);
    let b = match (simple, x) {
        (Some(_), Some(x)) => scalar(cx, x),
        _ => cx.reg(b),
    };
    if let Some((rows, swaps)) = simple {
        test(cx, at, rows, &if swaps { [b, a] } else { [a, b] }, 0);
    } else {
        // Less or greater; or none of them is a NaN, which is not equal to itself.
        let (row, uses, both) = match plain {
            One => (VMFLT, [[a, b], [b, a]], VMOR),
            _ => (VMFEQ, [[a, a], [b, b]], VMAND),
        };
        let masks = uses.map(|uses| cx.emit_fresh(row, Type::I1x4, &uses, 0, 0));
        match at {
            To::Register(def) => emit(cx, both, def, &masks, 0),
            To::V0 => {
                let mask = cx.emit_fresh(both, Type::I1x4, &masks, 0, 0);
                cx.emit(VMV_V0, &[], &[mask], 0, 0);
            }
        }
    }
    match (at, to) {
        (To::Register(mask), To::Register(def)) if at != to => {
            emit(cx, VMNOT, def, &[mask], 0);
            false
        }
        _ => !is_plain,
    }
}

/// Puts a mask into v0, or its opposite: true if so, which is what `inverse` would have.
pub fn to_v0(cx: &mut Select, mask: Value, inverse: bool) -> bool {
    if let Some(i) = cx.foldable_as(mask, Op::ICmp) {
        return inverse ^ compare(cx, i, To::V0, inverse);
    }
    if let Some(i) = cx.foldable_as(mask, Op::FCmp) {
        return inverse ^ compare_floats(cx, i, To::V0, inverse);
    }
    let (mask, is_opposite) = match opposite_of(cx, mask) {
        Some(mask) => (mask, true),
        None => (mask, false),
    };
    let mask = cx.reg(mask);
    cx.emit(VMV_V0, &[], &[mask], 0, 0);
    is_opposite
}

/// One of two vectors, by lane or as a whole.
pub fn choice(cx: &mut Select, i: Inst) {
    let (c, mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let def = result(cx, i);
    let is_whole = cx.body.type_of(c) == Type::I1;
    if cx.body.ty(i).element() == Type::I1 {
        let mask = if is_whole {
            let x = cx.reg(c);
            let all = made(cx, VMV_X, &[x], 0);
            made(cx, VMSNE_I, &[all], 0)
        } else {
            cx.reg(c)
        };
        let [a, b] = [cx.reg(a), cx.reg(b)];
        let first = made(cx, VMAND, &[a, mask], 0);
        let second = made(cx, VMANDN, &[b, mask], 0);
        return emit(cx, VMOR, def, &[first, second], 0);
    }
    if !is_whole && chosen_sum(cx, (c, a, b), def) {
        return;
    }
    let is_opposite = if is_whole {
        let x = cx.reg(c);
        let all = made(cx, VMV_X, &[x], 0);
        cx.emit(VMSNE_I_0, &[], &[all], 0, 0);
        false
    } else {
        // What is the same in every lane is the operand for lanes of the mask.
        to_v0(cx, c, same(cx, b).is_some() && same(cx, a).is_none())
    };
    if is_opposite {
        (a, b) = (b, a);
    }
    let b = cx.reg(b);
    let by_scalar = if cx.body.ty(i).element() == Type::F32 { VFMERGE_F } else { VMERGE_X };
    form(cx, def, b, a, &[VMERGE, by_scalar, VMERGE_I]);
}

/// A sum or difference in lanes of a mask, which nothing else needs, of what the others stay; false, and nothing done, for
/// any other choice.
fn chosen_sum(cx: &mut Select, (c, a, b): (Value, Value, Value), def: Operand) -> bool {
    let part = |v: Value| cx.foldable_as(v, Op::Add).or_else(|| cx.foldable_as(v, Op::Sub));
    for (inverse, v, other) in [(false, a, b), (true, b, a)] {
        let Some(i) = part(v) else { continue };
        let (x, y) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
        let is_sum = cx.body.op(i) == Op::Add;
        let y = match (x == other, y == other && is_sum) {
            (true, _) => y,
            (_, true) => x,
            _ => continue,
        };
        // The operands first: the mask stands right before.
        let old = cx.reg(other);
        let (rows, constant) = match (is_sum, splat_of(cx, y)) {
            (true, Some(x)) if fits(x) => ([VADD_M, VADD_X_M], Some(x)),
            (false, Some(x)) if fits(-x) => ([VADD_M, VADD_X_M], Some(-x)),
            (true, _) => ([VADD_M, VADD_X_M], None),
            _ => ([VSUB_M, VSUB_X_M], None),
        };
        let by_scalar = same(cx, y);
        let by = match (constant, by_scalar) {
            (Some(_), _) => old,
            (None, Some(x)) => scalar(cx, x),
            (None, None) => cx.reg(y),
        };
        if to_v0(cx, c, inverse) != inverse {
            cx.emit(VMNOT_V0, &[], &[], 0, 0);
        }
        match constant {
            Some(x) => emit(cx, VADD_I_M, def, &[old, old], x as i32),
            None => emit(cx, rows[usize::from(by_scalar.is_some())], def, &[old, old, by], 0),
        }
        return true;
    }
    false
}
