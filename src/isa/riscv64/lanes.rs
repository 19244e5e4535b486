//! Vectors of four, eight or sixteen i32, floats or truth values, in one vector register, two or four, where the machine has
//! those (RVV).
//!
//! A mask (`<4 x i1>`) is a bit a lane: that is what comparisons make. What chooses by one has it in v0, into which a
//! comparison that nothing else needs goes straight (`to_v0`). What is the same in every lane is taken from its scalar
//! register, or is an immediate, where instructions have such an operand. `LEGAL` says what is selected here; the rest
//! has become scalars before. Rows know how many lanes they are for (`counted`), which `vtype` asks. Floats are not
//! contracted. O(1) an instruction.

use super::masks::{as_value, choice, compare, compare_floats, to_v0};
use super::registers::ZERO;
use super::rows::{ANDI, OR, SLLI, SRLI};
use super::select::int_reg;
use super::vector::*;
use crate::ir::legal::{Rows, Vectors, rows};
use crate::ir::opcode::OPS;
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::features::VECTOR;
use crate::isa::select::{Handler, Select, by_type, lanes, splat_of, two, with_opposite};
use crate::mir::{Features, MachineOp, Operand};

/// What a machine with these features has in vectors.
pub fn vectors(features: Features) -> Vectors {
    if features.has(VECTOR) { Vectors::of(&LEGAL) } else { Vectors::NONE }
}

/// What there are instructions for.
static LEGAL: Rows = {
    use Type::{F32x4, F32x8, F32x16, I1x4, I1x8, I1x16, I32x4, I32x8, I32x16};
    rows(&[
        (
            &[Op::Phi, Op::Select, Op::Splat, Op::ExtractLane, Op::InsertLane],
            &[I32x4, I32x8, I32x16, F32x4, F32x8, F32x16, I1x4, I1x8, I1x16],
        ),
        (&[Op::Load, Op::Store, Op::Splice], &[I32x4, I32x8, I32x16, F32x4, F32x8, F32x16]),
        (&[Op::MaskedStore], &[I32x4, I32x8, I32x16, F32x4, F32x8, F32x16, I1x4, I1x8, I1x16]),
        (&[Op::StridedLoad, Op::StridedStore], &[I32x4, I32x8, I32x16, F32x4, F32x8, F32x16, Type::I64]),
        (
            &[Op::And, Op::Or, Op::Xor, Op::ICmp, Op::SExt, Op::ZExt, Op::Trunc],
            &[I32x4, I32x8, I32x16, I1x4, I1x8, I1x16],
        ),
        (
            &[Op::Add, Op::Sub, Op::Mul, Op::SMulHi, Op::UMulHi, Op::Shl, Op::LShr, Op::AShr, Op::Abs],
            &[I32x4, I32x8, I32x16],
        ),
        (&[Op::SDiv, Op::UDiv, Op::SRem, Op::URem], &[I32x4, I32x8, I32x16]),
        (&[Op::SMin, Op::SMax, Op::UMin, Op::UMax], &[I32x4, I32x8, I32x16]),
        (&[Op::ReduceAdd, Op::ReduceAnd, Op::ReduceOr, Op::ReduceXor], &[I32x4, I32x8, I32x16]),
        (&[Op::ReduceFAdd], &[F32x4, F32x8, F32x16]),
        (&[Op::ReduceSMin, Op::ReduceSMax, Op::ReduceUMin, Op::ReduceUMax], &[I32x4, I32x8, I32x16]),
        (&[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FNeg, Op::FAbs, Op::Fma], &[F32x4, F32x8, F32x16]),
        (&[Op::FCmp], &[F32x4, F32x8, F32x16, I1x4, I1x8, I1x16]),
        (&[Op::SIToFP, Op::FPToSI], &[I32x4, I32x8, I32x16, F32x4, F32x8, F32x16]),
    ])
};

/// By opcode, what selects it on vectors.
pub static VECTORS: [Handler; OPS.len()] = lanes(&[
    (Op::StridedLoad, strided_load),
    (Op::StridedStore, strided_store),
    (Op::MaskedStore, masked_store),
    (Op::Splat, splat),
    (Op::ExtractLane, extract),
    (Op::InsertLane, insert),
    (Op::Splice, splice),
    (Op::Select, choice),
    (Op::Add, |cx, i| sum(cx, i, [[VMACC, VMACC_X], [VMADD, VMADD_X]])),
    (Op::Sub, |cx, i| sum(cx, i, [[VNMSAC, VNMSAC_X], [VNMSUB, VNMSUB_X]])),
    (Op::Mul, |cx, i| either(cx, i, &[VMUL, VMUL_X])),
    (Op::SMulHi, |cx, i| either(cx, i, &[VMULH, VMULH_X])),
    (Op::UMulHi, |cx, i| either(cx, i, &[VMULHU, VMULHU_X])),
    (Op::SDiv, |cx, i| ordered(cx, i, &[VDIV, VDIV_X])),
    (Op::UDiv, |cx, i| ordered(cx, i, &[VDIVU, VDIVU_X])),
    (Op::SRem, |cx, i| ordered(cx, i, &[VREM, VREM_X])),
    (Op::URem, |cx, i| ordered(cx, i, &[VREMU, VREMU_X])),
    (Op::And, |cx, i| logic(cx, i, [VMAND, VMANDN], &[VAND, VAND_X, VAND_I])),
    (Op::Or, |cx, i| logic(cx, i, [VMOR, VMORN], &[VOR, VOR_X, VOR_I])),
    (Op::Xor, exclusive),
    (Op::Shl, |cx, i| ordered(cx, i, &[VSLL, VSLL_X, VSLL_I])),
    (Op::LShr, |cx, i| ordered(cx, i, &[VSRL, VSRL_X, VSRL_I])),
    (Op::AShr, |cx, i| ordered(cx, i, &[VSRA, VSRA_X, VSRA_I])),
    (Op::SMin, |cx, i| either(cx, i, &[VMIN, VMIN_X])),
    (Op::SMax, |cx, i| either(cx, i, &[VMAX, VMAX_X])),
    (Op::UMin, |cx, i| either(cx, i, &[VMINU, VMINU_X])),
    (Op::UMax, |cx, i| either(cx, i, &[VMAXU, VMAXU_X])),
    (Op::Abs, magnitude),
    (Op::FAdd, |cx, i| either(cx, i, &[VFADD, VFADD_F])),
    (Op::FSub, |cx, i| reversible(cx, i, &[VFSUB, VFSUB_F], VFRSUB_F)),
    (Op::FMul, |cx, i| either(cx, i, &[VFMUL, VFMUL_F])),
    (Op::FDiv, |cx, i| reversible(cx, i, &[VFDIV, VFDIV_F], VFRDIV_F)),
    (Op::FNeg, |cx, i| one(cx, i, VFSGNJN)),
    (Op::FAbs, |cx, i| one(cx, i, VFSGNJX)),
    (Op::Fma, |cx, i| onto(cx, i, (cx.body.arg(i, 2), i), [VFMACC, VFMACC_F])),
    (Op::SIToFP, |cx, i| one(cx, i, VFCVT_F)),
    (Op::FPToSI, truncated),
    (Op::ICmp, |cx, i| as_value(cx, i, compare)),
    (Op::FCmp, |cx, i| as_value(cx, i, compare_floats)),
    (Op::SExt, |cx, i| widened(cx, i, -1)),
    (Op::ZExt, |cx, i| widened(cx, i, 1)),
    (Op::Trunc, narrowed),
    (Op::ReduceAdd, total),
    (Op::ReduceFAdd, total_of_floats),
    (Op::ReduceAnd, |cx, i| across(cx, i, VREDAND)),
    (Op::ReduceOr, |cx, i| across(cx, i, VREDOR)),
    (Op::ReduceXor, total_of_bits),
    (Op::ReduceSMin, |cx, i| across(cx, i, VREDMIN)),
    (Op::ReduceSMax, |cx, i| across(cx, i, VREDMAX)),
    (Op::ReduceUMin, |cx, i| across(cx, i, VREDMINU)),
    (Op::ReduceUMax, |cx, i| across(cx, i, VREDMAXU)),
]);

/// The handlers of a function with vectors.
pub const BY_TYPE: [Handler; OPS.len()] = [counted; OPS.len()];

/// Selects, and notes in rows on vectors how many lanes they are for.
fn counted(cx: &mut Select, i: Inst) {
    by_type(cx, i);
    let operands = cx.body.args(i).iter().map(|&v| cx.body.type_of(v));
    let Some(ty) = operands.chain([cx.body.ty(i)]).find(|ty| ty.is_vector()) else { return };
    for row in cx.emitted() {
        note_lanes(row, ty.lanes());
    }
}

const ZERO_REG: Operand = Operand::phys(ZERO);

/// Where the result goes.
pub fn result(cx: &mut Select, i: Inst) -> Operand {
    Operand::virt(cx.result(i))
}

pub fn emit<const USES: usize>(
    cx: &mut Select,
    op: MachineOp,
    def: Operand,
    uses: &[Operand; USES],
    imm: i32,
) {
    cx.emit(op, &[def], uses, imm, 0);
}

/// A row whose result is a vector in a fresh register.
pub fn made<const USES: usize>(cx: &mut Select, op: MachineOp, uses: &[Operand; USES], imm: i32) -> Operand {
    cx.emit_fresh(op, Type::I32x4, uses, imm, 0)
}

/// A vector of zeros, for what is undefined and has to be something.
pub fn zeros(cx: &mut Select, ty: Type) -> Operand {
    cx.emit_fresh(VMV_I, ty, &[], 0, 0)
}

/// What is in every lane of integers or floats.
pub fn same(cx: &Select, v: Value) -> Option<Value> {
    let i = v.as_inst().filter(|&i| cx.body.op(i) == Op::Splat && cx.body.ty(i).element() != Type::I1)?;
    Some(cx.body.arg(i, 0))
}

/// True of what the immediates of most instructions hold.
pub fn fits(x: i64) -> bool {
    (-16..16).contains(&x)
}

/// An integer or a float in a scalar register.
pub fn scalar(cx: &mut Select, v: Value) -> Operand {
    match cx.body.as_int(v) {
        Some(x) => int_reg(cx, x),
        None => cx.reg(v),
    }
}

/// `def = a op b` by the first row that fits b: with an immediate (the third row, if there is one), with a scalar (the
/// second), or with a vector.
pub fn form(cx: &mut Select, def: Operand, a: Operand, b: Value, rows: &[MachineOp]) {
    let x = same(cx, b);
    match (x, x.and_then(|x| cx.body.as_int(x)), rows) {
        (_, Some(x), &[.., by_immediate]) if rows.len() == 3 && fits(x) => {
            emit(cx, by_immediate, def, &[a], x as i32)
        }
        (Some(x), _, &[_, by_scalar, ..]) => {
            let x = scalar(cx, x);
            emit(cx, by_scalar, def, &[a, x], 0);
        }
        _ => {
            let b = cx.reg(b);
            emit(cx, rows[0], def, &[a, b], 0);
        }
    }
}

/// a op b.
fn ordered(cx: &mut Select, i: Inst, rows: &[MachineOp]) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    let a = cx.reg(a);
    form(cx, def, a, b, rows);
}

/// a op b or b op a.
fn either(cx: &mut Select, i: Inst, rows: &[MachineOp]) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    let (a, b) = if same(cx, a).is_some() { (b, a) } else { (a, b) };
    let a = cx.reg(a);
    form(cx, def, a, b, rows);
}

/// a op b, with a row for what is the same in every lane of a.
fn reversible(cx: &mut Select, i: Inst, rows: &[MachineOp], reverse: MachineOp) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    if let (Some(x), None) = (same(cx, a), same(cx, b)) {
        let (b, x) = (cx.reg(b), scalar(cx, x));
        return emit(cx, reverse, def, &[b, x], 0);
    }
    let a = cx.reg(a);
    form(cx, def, a, b, rows);
}

fn one(cx: &mut Select, i: Inst, row: MachineOp) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    emit(cx, row, def, &[x], 0);
}

/// A product and what it is added to, or subtracted from.
fn onto(cx: &mut Select, i: Inst, (to, product): (Value, Inst), [by_vector, by_scalar]: [MachineOp; 2]) {
    let (x, y, def) = (cx.body.arg(product, 0), cx.body.arg(product, 1), result(cx, i));
    let (x, y) = if same(cx, y).is_some() { (y, x) } else { (x, y) };
    let (row, x) = match same(cx, x) {
        Some(x) => (by_scalar, scalar(cx, x)),
        None => (by_vector, cx.reg(x)),
    };
    let uses = [cx.reg(to), x, cx.reg(y)];
    emit(cx, row, def, &uses, 0);
}

/// a + b or a - b, with a product that nothing else needs as a part of it: onto the other operand, or onto a factor, if
/// that is not needed any more and the other operand is.
fn sum(cx: &mut Select, i: Inst, [onto_sum, onto_factor]: [[MachineOp; 2]; 2]) {
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let is_sum = cx.body.op(i) == Op::Add;
    for (to, v) in [(a, b), (b, a)].into_iter().take(1 + usize::from(is_sum)) {
        let Some(product) = cx.foldable_as(v, Op::Mul) else { continue };
        let ends = |v: Value| v.as_inst().is_some_and(|i| cx.is_only_here(i));
        let (x, y) = (cx.body.arg(product, 0), cx.body.arg(product, 1));
        let (x, y) = if same(cx, y).is_some() || same(cx, x).is_none() && ends(x) { (y, x) } else { (x, y) };
        if ends(to) || !ends(y) || same(cx, y).is_some() {
            return onto(cx, i, (to, product), onto_sum);
        }
        let (row, x) = match same(cx, x) {
            Some(x) => (onto_factor[1], scalar(cx, x)),
            None => (onto_factor[0], cx.reg(x)),
        };
        let (def, uses) = (result(cx, i), [cx.reg(y), x, cx.reg(to)]);
        return emit(cx, row, def, &uses, 0);
    }
    match (is_sum, splat_of(cx, a), splat_of(cx, b)) {
        (true, ..) => either(cx, i, &[VADD, VADD_X, VADD_I]),
        (false, Some(x), _) if fits(x) => {
            let (def, b) = (result(cx, i), cx.reg(b));
            emit(cx, VRSUB_I, def, &[b], x as i32);
        }
        (false, _, Some(x)) if fits(-x) => {
            let (def, a) = (result(cx, i), cx.reg(a));
            emit(cx, VADD_I, def, &[a], -x as i32);
        }
        _ => reversible(cx, i, &[VSUB, VSUB_X], VRSUB_X),
    }
}

/// The larger of x and -x.
fn magnitude(cx: &mut Select, i: Inst) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let negative = made(cx, VRSUB_I, &[x], 0);
    emit(cx, VMAX, def, &[x, negative], 0);
}

/// x, of a mask that is not x and that nothing else needs.
pub fn opposite_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::Xor).filter(|&i| is_true(cx, cx.body.arg(i, 1)))?;
    Some(cx.body.arg(i, 0))
}

/// True of a mask of all lanes.
fn is_true(cx: &Select, v: Value) -> bool {
    splat_of(cx, v).is_some_and(|x| x & 1 != 0)
}

/// a and b, or a or b: of masks, with the opposite of b, too.
fn logic(cx: &mut Select, i: Inst, [plain, opposite]: [MachineOp; 2], rows: &[MachineOp]) {
    if cx.body.ty(i).element() != Type::I1 {
        return either(cx, i, rows);
    }
    with_opposite(cx, i, [plain, opposite], opposite_of);
}

fn exclusive(cx: &mut Select, i: Inst) {
    if cx.body.ty(i).element() != Type::I1 {
        return either(cx, i, &[VXOR, VXOR_X, VXOR_I]);
    }
    if is_true(cx, cx.body.arg(i, 1)) {
        return one(cx, i, VMNOT);
    }
    let (def, uses) = (result(cx, i), two(cx, i));
    emit(cx, VMXOR, def, &uses, 0);
}

/// The value in every lane.
fn splat(cx: &mut Select, i: Inst) {
    let (ty, v, def) = (cx.body.ty(i), cx.body.arg(i, 0), result(cx, i));
    match (ty.element(), cx.body.as_int(v)) {
        (Type::I1, Some(x)) => emit(cx, VMV_I, def, &[], -((x & 1) as i32)),
        (Type::I1, None) => {
            let x = cx.reg(v);
            let all = made(cx, VMV_X, &[x], 0);
            emit(cx, VMSNE_I, def, &[all], 0);
        }
        (_, Some(x)) if fits(x) => emit(cx, VMV_I, def, &[], x as i32),
        (Type::F32, _) if cx.body.as_f32(v).is_some_and(|x| x.to_bits() == 0) => {
            emit(cx, VMV_I, def, &[], 0);
        }
        _ => {
            let x = scalar(cx, v);
            emit(cx, if ty.element() == Type::F32 { VFMV_F } else { VMV_X }, def, &[x], 0);
        }
    }
}

/// The row that takes the first lane.
fn first(ty: Type) -> MachineOp {
    if ty == Type::F32 { VFMV_F_S } else { VMV_X_S }
}

fn extract(cx: &mut Select, i: Inst) {
    let (ty, lane) = (cx.body.ty(i), cx.body.payload(i) as i32);
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let v = cx.reg(v);
    match (ty, lane) {
        (Type::I1, _) => {
            let bits = cx.emit_fresh(VMV_X_S, Type::I64, &[v], 0, 0);
            let bits = if lane == 0 { bits } else { cx.emit_fresh(SRLI, Type::I64, &[bits], lane, 0) };
            emit(cx, ANDI, def, &[bits], 1);
        }
        (_, 0) => emit(cx, first(ty), def, &[v], 0),
        _ => {
            let down = made(cx, VSLIDEDOWN_I, &[v], lane);
            emit(cx, first(ty), def, &[down], 0);
        }
    }
}

/// The last lane of one vector, and all of another one but its last.
fn splice(cx: &mut Select, i: Inst) {
    let (def, [a, b]) = (result(cx, i), two(cx, i));
    let last = made(cx, VSLIDEDOWN_I, &[a], cx.body.ty(i).lanes() as i32 - 1);
    emit(cx, VSLIDEUP_I, def, &[last, b], 1);
}

/// One lane more: where a mask has its bit.
fn insert(cx: &mut Select, i: Inst) {
    let (ty, bit) = (cx.body.ty(i), 1 << cx.body.payload(i));
    let (def, v, x) = (result(cx, i), cx.body.arg(i, 0), cx.body.arg(i, 1));
    if v.is_undef() && bit == 1 && ty.element() == Type::F32 {
        // Other lanes are nothing.
        return match cx.foldable_as(x, Op::ReduceFAdd) {
            Some(sum) => onto_first(cx, sum, def),
            None => {
                let x = cx.reg(x);
                emit(cx, VFMV_S_F, def, &[x], 0);
            }
        };
    }
    let v = cx.reg(v);
    if ty.element() == Type::I1 {
        let x = cx.reg(x);
        let bits = cx.emit_fresh(VMV_X_S, Type::I64, &[v], 0, 0);
        let others = cx.emit_fresh(ANDI, Type::I64, &[bits], !bit, 0);
        let own = cx.emit_fresh(SLLI, Type::I64, &[x], cx.body.payload(i) as i32, 0);
        let all = cx.emit_fresh(OR, Type::I64, &[others, own], 0, 0);
        return emit(cx, VMV_S_X, def, &[all], 0);
    }
    let x = scalar(cx, x);
    if fits(bit.into()) {
        cx.emit(VMV_V0_I, &[], &[], bit, 0);
    } else {
        let bit = int_reg(cx, bit.into());
        cx.emit(VMV_V0_X, &[], &[bit], 0, 0);
    }
    emit(cx, if ty.element() == Type::F32 { VFMERGE_F } else { VMERGE_X }, def, &[v, x], 0);
}

/// To integers: what is no number is 0.
fn truncated(cx: &mut Select, i: Inst) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    // In this order: QEMU 7.2 fails at a conversion that is the first to ask for a rounding mode.
    cx.emit(VMFNE_0, &[], &[x, x], 0, 0);
    let all = made(cx, VFCVT_X, &[x], 0);
    emit(cx, VMERGE_I, def, &[all], 0);
}

/// Truth values as -1 or 1.
fn widened(cx: &mut Select, i: Inst, one: i32) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let zero = made(cx, VMV_I, &[], 0);
    if to_v0(cx, v, false) {
        let all = made(cx, VMV_I, &[], one);
        return emit(cx, VMERGE_I, def, &[all], 0);
    }
    emit(cx, VMERGE_I, def, &[zero], one);
}

/// The lowest bits as truth values.
fn narrowed(cx: &mut Select, i: Inst) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let lowest = made(cx, VAND_I, &[x], 1);
    emit(cx, VMSNE_I, def, &[lowest], 0);
}

fn total(cx: &mut Select, i: Inst) {
    sum_up(cx, i, VREDSUM);
}

fn total_of_bits(cx: &mut Select, i: Inst) {
    sum_up(cx, i, VREDXOR);
}

/// Lanes onto zero.
fn sum_up(cx: &mut Select, i: Inst, row: MachineOp) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let zero = made(cx, VMV_S_X, &[ZERO_REG], 0);
    let sum = made(cx, row, &[x, zero], 0);
    emit(cx, VMV_X_S, def, &[sum], 0);
}

/// Floats one after the other onto what there was.
fn total_of_floats(cx: &mut Select, i: Inst) {
    let def = result(cx, i);
    let sum = Operand::virt(cx.new_reg(Type::F32x4));
    onto_first(cx, i, sum);
    emit(cx, VFMV_F_S, def, &[sum], 0);
}

/// The same into the first lane of a vector; what there was may be in one, too.
fn onto_first(cx: &mut Select, i: Inst, def: Operand) {
    let (first, v) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let lane = cx.foldable_as(first, Op::ExtractLane).filter(|&lane| cx.body.payload(lane) == 0);
    let first = match lane {
        Some(lane) => cx.reg(cx.body.arg(lane, 0)),
        None => {
            let first = cx.reg(first);
            made(cx, VFMV_S_F, &[first], 0)
        }
    };
    let v = cx.reg(v);
    emit(cx, VFREDOSUM, def, &[v, first], 0);
}

/// All lanes made one, of which the first may come twice.
fn across(cx: &mut Select, i: Inst, row: MachineOp) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let one = made(cx, row, &[x, x], 0);
    emit(cx, VMV_X_S, def, &[one], 0);
}

fn strided_load(cx: &mut Select, i: Inst) {
    let (address, stride, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    let uses = [cx.reg(address), scalar(cx, stride)];
    emit(cx, VLSE, def, &uses, 0);
}

fn strided_store(cx: &mut Select, i: Inst) {
    let (v, address, stride) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let uses = [cx.reg(v), cx.reg(address), scalar(cx, stride)];
    cx.emit(VSSE, &[], &uses, 0, 0);
}

/// Lanes of a mask, to memory.
fn masked_store(cx: &mut Select, i: Inst) {
    let (v, address, c) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let uses = [cx.reg(v), cx.reg(address)];
    if to_v0(cx, c, false) {
        cx.emit(VMNOT_V0, &[], &[], 0, 0);
    }
    cx.emit(VSE_M, &[], &uses, 0, 0);
}
