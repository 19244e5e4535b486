//! Integer arithmetic: operand 2 in all its forms, multiplication, extensions.

use super::compare::join_as_value;
use super::imm::is_rotated;
use super::multiply::divide;
use super::rows::*;
use super::select::need_word;
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::memory;
use crate::isa::select::{Select, Shared, lack, of_words};
use crate::mir::{MachineOp, Operand};

/// The rows of one operation, by the form of its operand 2.
#[derive(Copy, Clone, Debug)]
pub struct Family {
    /// A register.
    pub reg: MachineOp,
    /// A rotated immediate.
    pub imm: MachineOp,
    /// A register shifted left, right, and right with the sign.
    pub shifted: [MachineOp; 3],
}

macro_rules! family {
    ($($name:ident: $reg:ident $imm:ident $lsl:ident $lsr:ident $asr:ident;)*) => {
        $(
            #[doc = concat!("`", stringify!($reg), "`")]
            pub const $name: Family = Family { reg: $reg, imm: $imm, shifted: [$lsl, $lsr, $asr] };
        )*
    };
}

family! {
    ADDS: ADD ADD_I ADD_LSL ADD_LSR ADD_ASR;
    SUBS: SUB SUB_I SUB_LSL SUB_LSR SUB_ASR;
    RSBS: RSB RSB_I RSB_LSL RSB_LSR RSB_ASR;
    ANDS: AND AND_I AND_LSL AND_LSR AND_ASR;
    ORRS: ORR ORR_I ORR_LSL ORR_LSR ORR_ASR;
    EORS: EOR EOR_I EOR_LSL EOR_LSR EOR_ASR;
    BICS: BIC BIC_I BIC_LSL BIC_LSR BIC_ASR;
    CMPS: CMP CMP_I CMP_LSL CMP_LSR CMP_ASR;
    TSTS: TST TST_I TST_LSL TST_LSR TST_ASR;
}

/// A fresh register for a word.
#[inline(always)]
pub fn word(cx: &mut Select) -> Operand {
    Operand::virt(cx.new_reg(Type::I32))
}

/// Emits a row that defines a fresh word, and returns it.
#[inline(always)]
pub fn emit_word<const USES: usize>(
    cx: &mut Select,
    op: MachineOp,
    uses: &[Operand; USES],
    imm: i32,
) -> Operand {
    cx.emit_fresh(op, Type::I32, uses, imm, 0)
}

/// The register of a constant, which other uses in the loop may share.
pub fn load_word(cx: &mut Select, x: i32) -> Operand {
    cx.shared(Shared::Int(4, i64::from(x)), |cx| own_word(cx, x))
}

/// Puts a constant in a register of its own.
pub fn own_word(cx: &mut Select, x: i32) -> Operand {
    emit_word(cx, LI, &[], x)
}

/// `v` as a product that can be part of another instruction: not a shift.
pub fn product_of(cx: &Select, v: Value) -> Option<(Value, Value)> {
    let i = cx.foldable_as(v, Op::Mul)?;
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let is_shift = |v| cx.power_of_two(Type::I32, v).is_some();
    (cx.body.ty(i) == Type::I32 && !is_shift(a) && !is_shift(b)).then_some((a, b))
}

/// Emits `def = rn op v` with `v` in the best form for operand 2, except constants.
pub fn emit_op2<const DEFS: usize>(
    cx: &mut Select,
    family: &Family,
    defs: &[Operand; DEFS],
    rn: Value,
    v: Value,
) {
    if let Some((shifted, form, amount)) = cx.shift_of(v) {
        let uses = [cx.reg(rn), cx.reg(shifted)];
        cx.emit(family.shifted[usize::from(form)], defs, &uses, amount, 0);
    } else {
        let uses = [cx.reg(rn), cx.reg(v)];
        cx.emit(family.reg, defs, &uses, 0, 0);
    }
}

/// Emits `def = a op b` of a commutative operation, with whichever operand shifted that can be.
fn emit_commutative(cx: &mut Select, family: &Family, def: Operand, a: Value, b: Value) {
    let swap = cx.shift_of(b).is_none() && cx.shift_of(a).is_some();
    let (a, b) = if swap { (b, a) } else { (a, b) };
    emit_op2(cx, family, &[def], a, b);
}

/// Emits `def = rn + x`.
pub fn add_constant(cx: &mut Select, def: Operand, rn: Operand, x: i32) {
    if x == 0 {
        cx.emit(MOV, &[def], &[rn], 0, 0);
    } else if is_rotated(x) {
        cx.emit(ADD_I, &[def], &[rn], x, 0);
    } else if is_rotated(x.wrapping_neg()) {
        cx.emit(SUB_I, &[def], &[rn], x.wrapping_neg(), 0);
    } else {
        let constant = load_word(cx, x);
        cx.emit(ADD, &[def], &[rn, constant], 0, 0);
    }
}

/// Selects an operation whose row on two registers is `op`.
#[inline(always)]
pub fn by_words(cx: &mut Select, i: Inst, op: MachineOp) {
    if !of_words::<true>(cx, i, op) {
        binary(cx, i);
    }
}

/// A field of bits that goes to the lower end, one that is put in place of another, or a rotated word; false, and nothing
/// done, for anything else.
fn field(cx: &mut Select, i: Inst, def: Operand) -> bool {
    let op = cx.body.op(i);
    if op == Op::Or
        && let Some((onto, field)) = cx.insertion(i).filter(|(_, field)| field.from == 0)
    {
        let uses = [cx.reg(onto), cx.reg(field.of)];
        cx.emit(BFI, &[def], &uses, field.imm(), 0);
        return true;
    }
    let taken = match op {
        Op::Or => cx.funnel(i).filter(|(high, low, _)| high == low).map(|(_, of, by)| (ROR_I, of, by)),
        Op::And | Op::LShr | Op::AShr => cx
            .field(i)
            .filter(|field| field.to == 0)
            .map(|field| ([UBFX, SBFX][usize::from(field.signed)], field.of, field.imm())),
        _ => None,
    };
    let Some((row, of, imm)) = taken else { return false };
    let rn = cx.reg(of);
    cx.emit(row, &[def], &[rn], imm, 0);
    true
}

/// Selects one integer operation of two operands.
pub fn binary(cx: &mut Select, i: Inst) {
    let ty = cx.body.ty(i);
    if !need_word(cx, ty) {
        return;
    }
    let op = cx.body.op(i);
    let stays_narrow = match ty {
        Type::I1 => matches!(op, Op::And | Op::Or | Op::Xor | Op::Mul),
        Type::I8 | Type::I16 => {
            matches!(op, Op::And | Op::Or | Op::Xor | Op::Mul | Op::Add | Op::Sub | Op::Shl)
        }
        _ => true,
    };
    if !stays_narrow {
        return lack(cx, i);
    }
    let def = Operand::virt(cx.result(i));
    let (mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    if op.has(crate::ir::opcode::COMMUTATIVE) && cx.body.as_int(a).is_some() {
        std::mem::swap(&mut a, &mut b);
    }
    if ty == Type::I32 && field(cx, i, def) || ty == Type::I1 && join_as_value(cx, i, def) {
        return;
    }
    let constant = cx.body.as_int(b).map(|x| x as i32);
    match op {
        Op::Add => add(cx, def, a, b, constant),
        Op::Sub => sub(cx, def, a, b, constant),
        Op::Mul => mul(cx, def, a, b),
        Op::And => and(cx, def, a, b, constant),
        Op::Or | Op::Xor => {
            let family = if op == Op::Or { &ORRS } else { &EORS };
            match constant {
                Some(-1) if op == Op::Xor && ty != Type::I1 => {
                    let rn = cx.reg(a);
                    cx.emit(MVN, &[def], &[rn], 0, 0);
                }
                Some(x) if is_rotated(x) => {
                    let rn = cx.reg(a);
                    cx.emit(family.imm, &[def], &[rn], x, 0);
                }
                _ => emit_commutative(cx, family, def, a, b),
            }
        }
        Op::Shl | Op::LShr | Op::AShr => shift(cx, def, op, a, b, constant),
        _ => {
            let operands = [cx.reg(a), cx.reg(b)];
            divide(cx, def, op, operands);
        }
    }
}

fn add(cx: &mut Select, def: Operand, a: Value, b: Value, constant: Option<i32>) {
    if let Some(x) = constant {
        // A constant that takes a register can take a product along.
        let is_short = is_rotated(x) || is_rotated(x.wrapping_neg());
        if let Some((x, y)) = product_of(cx, a).filter(|_| !is_short) {
            let uses = [cx.reg(x), cx.reg(y), cx.reg(b)];
            return cx.emit(MLA, &[def], &uses, 0, 0);
        }
        let rn = cx.reg(a);
        return add_constant(cx, def, rn, x);
    }
    for (product, rest) in [(b, a), (a, b)] {
        if let Some((x, y)) = product_of(cx, product) {
            let uses = [cx.reg(x), cx.reg(y), cx.reg(rest)];
            return cx.emit(MLA, &[def], &uses, 0, 0);
        }
    }
    for (high, rest) in [(b, a), (a, b)] {
        if let Some(i) = cx.foldable_as(high, Op::SMulHi) {
            let [x, y] = [cx.body.arg(i, 0), cx.body.arg(i, 1)].map(|v| cx.reg(v));
            let rest = cx.reg(rest);
            return cx.emit(SMMLA, &[def], &[x, y, rest], 0, 0);
        }
    }
    emit_commutative(cx, &ADDS, def, a, b);
}

fn sub(cx: &mut Select, def: Operand, a: Value, b: Value, constant: Option<i32>) {
    if let Some(x) = constant {
        let rn = cx.reg(a);
        return add_constant(cx, def, rn, x.wrapping_neg());
    }
    if let Some(x) = cx.body.as_int(a).map(|x| x as i32).filter(|&x| is_rotated(x)) {
        let rn = cx.reg(b);
        return cx.emit(RSB_I, &[def], &[rn], x, 0);
    }
    if let Some((x, y)) = product_of(cx, b) {
        let uses = [cx.reg(x), cx.reg(y), cx.reg(a)];
        return cx.emit(MLS, &[def], &uses, 0, 0);
    }
    if cx.shift_of(b).is_none() && cx.shift_of(a).is_some() {
        return emit_op2(cx, &RSBS, &[def], b, a);
    }
    emit_op2(cx, &SUBS, &[def], a, b);
}

fn and(cx: &mut Select, def: Operand, a: Value, b: Value, constant: Option<i32>) {
    if let Some(x) = constant {
        let rn = cx.reg(a);
        let width = (x as u32).trailing_ones();
        return if is_rotated(x) {
            cx.emit(AND_I, &[def], &[rn], x, 0);
        } else if is_rotated(!x) {
            cx.emit(BIC_I, &[def], &[rn], !x, 0);
        } else if x > 0 && x as u32 >> width == 0 {
            cx.emit(UBFX, &[def], &[rn], (width << 8) as i32, 0);
        } else {
            let mask = load_word(cx, x);
            cx.emit(AND, &[def], &[rn, mask], 0, 0);
        };
    }
    for (inverted, other) in [(b, a), (a, b)] {
        if let Some(kept) = complement_of(cx, inverted) {
            return emit_op2(cx, &BICS, &[def], other, kept);
        }
    }
    emit_commutative(cx, &ANDS, def, a, b);
}

/// `x`, if `v` is `x ^ -1` and can be part of another instruction.
fn complement_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::Xor)?;
    (cx.body.ty(i) == Type::I32 && cx.body.as_int(cx.body.arg(i, 1)) == Some(-1)).then(|| cx.body.arg(i, 0))
}

fn shift(cx: &mut Select, def: Operand, op: Op, a: Value, b: Value, constant: Option<i32>) {
    let form = match op {
        Op::Shl => 0,
        Op::LShr => 1,
        _ => 2,
    };
    let rn = cx.reg(a);
    match constant {
        Some(x) if x & 31 == 0 => cx.emit(MOV, &[def], &[rn], 0, 0),
        Some(x) => cx.emit([LSL_I, LSR_I, ASR_I][form], &[def], &[rn], x & 31, 0),
        None => {
            let amount = cx.reg(b);
            cx.emit([LSL, LSR, ASR][form], &[def], &[rn, amount], 0, 0);
        }
    }
}

fn mul(cx: &mut Select, def: Operand, a: Value, b: Value) {
    let rn = cx.reg(a);
    match cx.power_of_two(Type::I32, b) {
        Some(0) => cx.emit(MOV, &[def], &[rn], 0, 0),
        Some(k) => cx.emit(LSL_I, &[def], &[rn], k, 0),
        None => {
            let rm = cx.reg(b);
            cx.emit(MUL, &[def], &[rn, rm], 0, 0);
        }
    }
}

/// Selects zeros at an end, those below counted from above, and bytes the other way around.
pub fn bits(cx: &mut Select, i: Inst) {
    if cx.body.ty(i) != Type::I32 {
        return lack(cx, i);
    }
    let (mut rm, def) = (cx.reg(cx.body.arg(i, 0)), Operand::virt(cx.result(i)));
    if cx.body.op(i) == Op::TrailingZeros {
        rm = emit_word(cx, RBIT, &[rm], 0);
    }
    cx.emit(if cx.body.op(i) == Op::SwapBytes { REV } else { CLZ }, &[def], &[rm], 0, 0);
}

/// Selects an extension or truncation of integers. A word or less is kept in a register: an i1 as 0 or 1, an
/// i8 or i16 with anything above its bits.
pub fn convert(cx: &mut Select, i: Inst) {
    let (from, to) = (cx.body.type_of(cx.body.arg(i, 0)), cx.body.ty(i));
    // The low word of an address is the address.
    let number = cx.body.arg(i, 0).as_inst().filter(|&i| cx.body.op(i) == Op::PtrToInt);
    if let Some(number) = number.filter(|_| from == Type::I64 && to == Type::I32) {
        let (def, rn) = (Operand::virt(cx.result(i)), cx.reg(cx.body.arg(number, 0)));
        return cx.emit(MOV, &[def], &[rn], 0, 0);
    }
    if !need_word(cx, from) || !need_word(cx, to) {
        return;
    }
    if cx.body.op(i) == Op::ZExt && to == Type::I32 && memory::leave_extension(cx, i) {
        return;
    }
    let v = cx.body.arg(i, 0);
    let is_there = cx.body.op(i) == Op::ZExt && matches!(from, Type::I8 | Type::I16) && cx.has_zeros_above(v);
    if is_there && cx.share_register(v, i) {
        return;
    }
    let def = Operand::virt(cx.result(i));
    let rn = cx.reg(v);
    match (cx.body.op(i), from) {
        (Op::Trunc, _) if to == Type::I1 => cx.emit(AND_I, &[def], &[rn], 1, 0),
        (Op::SExt, Type::I1) => cx.emit(RSB_I, &[def], &[rn], 0, 0),
        _ if is_there => cx.emit(MOV, &[def], &[rn], 0, 0),
        (Op::SExt, Type::I8) => cx.emit(SXTB, &[def], &[rn], 0, 0),
        (Op::ZExt, Type::I8) => cx.emit(UXTB, &[def], &[rn], 0, 0),
        (Op::SExt, Type::I16) => cx.emit(SXTH, &[def], &[rn], 0, 0),
        (Op::ZExt, Type::I16) => cx.emit(UXTH, &[def], &[rn], 0, 0),
        _ => cx.emit(MOV, &[def], &[rn], 0, 0),
    }
}

/// The register of an integer of at most a word, extended to a word.
pub fn extended(cx: &mut Select, v: Value, signed: bool) -> Operand {
    let rows = match cx.body.type_of(v) {
        Type::I8 => [UXTB, SXTB],
        Type::I16 => [UXTH, SXTH],
        _ => return cx.reg(v),
    };
    if let Some(x) = cx.body.number(v).filter(|_| !signed) {
        return load_word(cx, x.unsigned() as i32);
    }
    let r = cx.reg(v);
    let is_there = !signed && cx.has_zeros_above(v);
    if is_there || cx.body.as_int(v).is_some() {
        r
    } else {
        emit_word(cx, rows[usize::from(signed)], &[r], 0)
    }
}
