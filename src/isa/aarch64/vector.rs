//! Vectors of four i32, floats or truth values, in the 128 bits of a floating register.
//!
//! A lane of a mask (`<4 x i1>`) has all bits of what it stands for: that is what comparisons make and `bsl`
//! takes. `LEGAL` says what is selected here; the rest has become scalars before. Products become part of sums
//! of integers (`mla`), and of floats where both promise that they may (`fmla`). O(1) an instruction.

use super::arithmetic::add_constant;
use super::immediate::float8;
use super::registers::ZERO;
use super::rows::int::{ADD_X, AND_W_IMM, LI_W, SUB_W};
use super::rows::vector::*;
use super::select::{emit, emit_imm, fresh, result};
use crate::ir::legal::{Rows, rows};
use crate::ir::opcode::OPS;
use crate::ir::{Flags, Inst, IntPred, Op, Type, Value};
use crate::isa::select::{
    FloatRows, Handler, Select, by_row, compare_floats, lanes, loads_in_group, shift, splat_of,
    stores_in_group, sum, sum_of_floats, two, with_offset,
};
use crate::mir::{MachineOp, Operand};

/// What there are instructions for.
pub static LEGAL: Rows = {
    use Type::{F32x4, I1x4, I32x4};
    rows(&[
        (&[Op::Phi, Op::Select, Op::Splat, Op::ExtractLane, Op::InsertLane], &[I32x4, F32x4, I1x4]),
        (&[Op::Load, Op::Store, Op::Splice, Op::ZipLow, Op::ZipHigh], &[I32x4, F32x4]),
        (&[Op::StridedLoad, Op::StridedStore], &[I32x4, F32x4, Type::I64]),
        (&[Op::And, Op::Or, Op::Xor, Op::ICmp, Op::SExt, Op::ZExt, Op::Trunc], &[I32x4, I1x4]),
        (
            &[Op::Add, Op::Sub, Op::Mul, Op::SMulHi, Op::UMulHi, Op::Shl, Op::LShr, Op::AShr, Op::Abs],
            &[I32x4],
        ),
        (&[Op::SMin, Op::SMax, Op::UMin, Op::UMax], &[I32x4]),
        (&[Op::ReduceAdd, Op::ReduceSMin, Op::ReduceSMax, Op::ReduceUMin, Op::ReduceUMax], &[I32x4]),
        (&[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FNeg, Op::FAbs, Op::Fma], &[F32x4]),
        (&[Op::FCmp], &[F32x4, I1x4]),
        (&[Op::SIToFP, Op::FPToSI], &[I32x4, F32x4]),
    ])
};

/// By opcode, what selects it on vectors.
pub static VECTORS: [Handler; OPS.len()] = lanes(&[
    (Op::StridedLoad, strided_load),
    (Op::StridedStore, strided_store),
    (Op::Splat, splat),
    (Op::ExtractLane, extract),
    (Op::InsertLane, insert),
    (Op::Splice, splice),
    (Op::ZipLow, |cx, i| by_row(cx, i, &[VZIP1_S])),
    (Op::ZipHigh, |cx, i| by_row(cx, i, &[VZIP2_S])),
    (Op::Select, choice),
    (Op::Add, |cx, i| sum_of(cx, i, [VADD_S, VMLA_S, VNEG_S], VMLA_S_LANE)),
    (Op::Sub, |cx, i| sum_of(cx, i, [VSUB_S, VMLS_S, VNEG_S], VMLS_S_LANE)),
    (Op::Mul, |cx, i| product(cx, i, [VMUL_S, VMUL_S_LANE])),
    (Op::And, |cx, i| by_row(cx, i, &[VAND])),
    (Op::Or, |cx, i| by_row(cx, i, &[VORR])),
    (Op::Xor, |cx, i| by_row(cx, i, &[VEOR])),
    (Op::Shl, |cx, i| shift(cx, i, [VSHL_S, VUSHL_S, VNEG_S])),
    (Op::LShr, |cx, i| shift(cx, i, [VUSHR_S, VUSHL_S, VNEG_S])),
    (Op::AShr, |cx, i| shift(cx, i, [VSSHR_S, VSSHL_S, VNEG_S])),
    (Op::SMulHi, |cx, i| high(cx, i, [VSMULL, VSMULL2])),
    (Op::UMulHi, |cx, i| high(cx, i, [VUMULL, VUMULL2])),
    (Op::SMin, |cx, i| by_row(cx, i, &[VSMIN_S])),
    (Op::SMax, |cx, i| by_row(cx, i, &[VSMAX_S])),
    (Op::UMin, |cx, i| by_row(cx, i, &[VUMIN_S])),
    (Op::UMax, |cx, i| by_row(cx, i, &[VUMAX_S])),
    (Op::Abs, |cx, i| by_row(cx, i, &[VABS_S])),
    (Op::FAdd, |cx, i| sum_of_floats(cx, i, [VFADD_S, VFMLA_S, VFMLS_S], Flags::CONTRACT)),
    (Op::FSub, |cx, i| sum_of_floats(cx, i, [VFSUB_S, VFMLA_S, VFMLS_S], Flags::CONTRACT)),
    (Op::FMul, |cx, i| product(cx, i, [VFMUL_S, VFMUL_S_LANE])),
    (Op::FDiv, |cx, i| by_row(cx, i, &[VFDIV_S])),
    (Op::FNeg, |cx, i| by_row(cx, i, &[VFNEG_S])),
    (Op::FAbs, |cx, i| by_row(cx, i, &[VFABS_S])),
    (Op::Fma, fused),
    (Op::SIToFP, |cx, i| by_row(cx, i, &[VSCVTF_S])),
    (Op::FPToSI, |cx, i| by_row(cx, i, &[VFCVTZS_S])),
    (Op::ICmp, compare),
    (Op::FCmp, |cx, i| compare_floats(cx, i, &FLOATS)),
    (Op::SExt, |cx, i| widened(cx, i, false)),
    (Op::ZExt, |cx, i| widened(cx, i, true)),
    (Op::Trunc, narrowed),
    (Op::ReduceAdd, |cx, i| across(cx, i, VADDV_S)),
    (Op::ReduceSMin, |cx, i| across(cx, i, VSMINV_S)),
    (Op::ReduceSMax, |cx, i| across(cx, i, VSMAXV_S)),
    (Op::ReduceUMin, |cx, i| across(cx, i, VUMINV_S)),
    (Op::ReduceUMax, |cx, i| across(cx, i, VUMAXV_S)),
]);

/// How floats are compared.
static FLOATS: FloatRows = FloatRows { compare: [VFCMEQ_S, VFCMGT_S, VFCMGE_S], either: VORR, not: VNOT };

/// A vector of zeros, for what is undefined and has to be something.
pub fn zeros(cx: &mut Select, ty: Type) -> Operand {
    cx.emit_fresh(VMOVI_ZERO, ty, &[], 0, 0)
}

/// The value in every lane.
fn splat(cx: &mut Select, i: Inst) {
    let (ty, v, def) = (cx.body.ty(i), cx.body.arg(i, 0), result(cx, i));
    let bits = match (cx.body.as_int(v), cx.body.as_f32(v)) {
        (Some(x), _) if ty == Type::I1x4 => Some(-((x & 1) as i32)),
        (Some(x), _) => Some(x as i32),
        (_, Some(x)) => Some(x.to_bits() as i32),
        _ => None,
    };
    if let Some(bits) = bits {
        return constant(cx, def, bits);
    }
    if let Some((from, lane)) = lane_in(cx, v).filter(|_| ty != Type::I1x4) {
        let from = cx.reg(from);
        return emit_imm(cx, VDUP_S, def, &[from], lane);
    }
    let x = cx.reg(v);
    match ty {
        Type::F32x4 => emit_imm(cx, VDUP_S, def, &[x], 0),
        _ => {
            let x = if ty == Type::I1x4 { negative(cx, x) } else { x };
            emit(cx, VDUP_W, def, &[x]);
        }
    }
}

/// The lane of a vector that a value is, and nothing else needs on its own.
fn lane_in(cx: &Select, v: Value) -> Option<(Value, i32)> {
    let i = cx.foldable_as(v, Op::ExtractLane)?;
    Some((cx.body.arg(i, 0), cx.body.payload(i) as i32))
}

/// The lane of a floating register that is in all lanes of a vector, which is made in this block: a product takes it
/// from there.
fn lane_of(cx: &Select, v: Value) -> Option<(Value, i32)> {
    let is_here = |&i: &Inst| cx.body.op(i) == Op::Splat && cx.body.block_of(i) == Some(cx.block);
    let x = cx.body.arg(v.as_inst().filter(is_here)?, 0);
    let own = (cx.body.type_of(x) == Type::F32 && !x.is_constant()).then_some((x, 0));
    lane_in(cx, x).or(own)
}

/// A product, by a lane where one factor is the same in all of them.
fn product(cx: &mut Select, i: Inst, [plain, with_lane]: [MachineOp; 2]) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    for (a, b) in [(a, b), (b, a)] {
        if let Some((from, lane)) = lane_of(cx, b) {
            let uses = [cx.reg(a), cx.reg(from)];
            return emit_imm(cx, with_lane, def, &uses, lane);
        }
    }
    by_row(cx, i, &[plain]);
}

/// As `sum`, with a product by a lane, too.
fn sum_of(cx: &mut Select, i: Inst, rows: [MachineOp; 3], with_lane: MachineOp) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    let is_sum = cx.body.op(i) == Op::Add;
    for (to, v) in [(a, b), (b, a)].into_iter().take(1 + usize::from(is_sum)) {
        let Some(product) = cx.foldable_as(v, Op::Mul) else { continue };
        let (x, y) = (cx.body.arg(product, 0), cx.body.arg(product, 1));
        for (x, y) in [(x, y), (y, x)] {
            if let Some((from, lane)) = lane_of(cx, y) {
                let uses = [cx.reg(to), cx.reg(x), cx.reg(from)];
                return emit_imm(cx, with_lane, def, &uses, lane);
            }
        }
    }
    sum(cx, i, rows);
}

/// The same 32 bits in every lane: one instruction, if they are a byte at one place, the opposite of a low byte, or
/// a short float.
fn constant(cx: &mut Select, def: Operand, bits: i32) {
    let by_byte = [VMOVI_S, VMOVI_S8, VMOVI_S16, VMOVI_S24];
    let place = (0..4).find(|k| bits & !(0xff << (8 * k)) == 0);
    match (place, float8(f32::from_bits(bits as u32).into())) {
        _ if bits == 0 => emit(cx, VMOVI_ZERO, def, &[]),
        (Some(k), _) => emit_imm(cx, by_byte[k as usize], def, &[], bits >> (8 * k) & 0xff),
        _ if !bits & !0xff == 0 => emit_imm(cx, VMVNI_S, def, &[], !bits),
        (_, Some(imm)) => emit_imm(cx, VFMOV_S, def, &[], imm),
        _ => {
            let x = cx.emit_fresh(LI_W, Type::I32, &[], bits, 0);
            emit(cx, VDUP_W, def, &[x]);
        }
    }
}

/// All bits of a truth value.
fn negative(cx: &mut Select, x: Operand) -> Operand {
    cx.emit_fresh(SUB_W, Type::I32, &[Operand::phys(ZERO), x], 0, 0)
}

fn extract(cx: &mut Select, i: Inst) {
    let (lane, def) = (cx.body.payload(i) as i32, result(cx, i));
    let from = cx.body.arg(i, 0);
    let v = cx.reg(from);
    match cx.body.ty(i) {
        Type::F32 => emit_imm(cx, VMOV_S_LANE, def, &[v], lane),
        Type::I1 => {
            let x = cx.emit_fresh(VUMOV_W, Type::I32, &[v], lane, 0);
            emit_imm(cx, AND_W_IMM, def, &[x], 1);
        }
        _ => emit_imm(cx, VUMOV_W, def, &[v], lane),
    }
}

fn insert(cx: &mut Select, i: Inst) {
    let (ty, lane, def) = (cx.body.ty(i), cx.body.payload(i) as i32, result(cx, i));
    let [v, x] = two(cx, i);
    match ty {
        Type::F32x4 => emit_imm(cx, VINS_S, def, &[v, x], lane),
        _ => {
            let x = if ty == Type::I1x4 { negative(cx, x) } else { x };
            emit_imm(cx, VINS_W, def, &[v, x], lane);
        }
    }
}

/// The last lane of a vector, and all of another one but its last.
fn splice(cx: &mut Select, i: Inst) {
    let (def, uses) = (result(cx, i), two(cx, i));
    emit_imm(cx, VEXT, def, &uses, 12);
}

/// One of two vectors, by lane or as a whole.
fn choice(cx: &mut Select, i: Inst) {
    let (c, a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let (def, mut mask) = (result(cx, i), cx.reg(c));
    if cx.body.type_of(c) == Type::I1 {
        let x = negative(cx, mask);
        mask = cx.emit_fresh(VDUP_W, Type::I1x4, &[x], 0, 0);
    }
    // One of the three registers is overwritten: one that nothing else needs.
    let is_last = |v: Value| v.as_inst().is_some_and(|i| cx.is_only_here(i));
    let row = match () {
        () if cx.body.type_of(c) == Type::I1 || is_last(c) => VBSL,
        () if is_last(b) => VBIT,
        () if is_last(a) => VBIF,
        () => VBSL,
    };
    let (a, b) = (cx.reg(a), cx.reg(b));
    let uses = match row {
        VBIT => [b, a, mask],
        VBIF => [a, b, mask],
        _ => [mask, a, b],
    };
    emit(cx, row, def, &uses);
}

fn fused(cx: &mut Select, i: Inst) {
    let (def, [a, b]) = (result(cx, i), two(cx, i));
    let c = cx.reg(cx.body.arg(i, 2));
    emit(cx, VFMLA_S, def, &[c, a, b]);
}

/// The upper halves of products: the odd words of the products of the low lanes and of the high ones.
fn high(cx: &mut Select, i: Inst, products: [MachineOp; 2]) {
    let (def, uses) = (result(cx, i), two(cx, i));
    let [low, high] = products.map(|row| cx.emit_fresh(row, Type::I32x4, &uses, 0, 0));
    emit(cx, VUZP2_S, def, &[low, high]);
}

/// A comparison to bits of lanes.
fn compare(cx: &mut Select, i: Inst) {
    use IntPred::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    let pred = IntPred::from_payload(cx.body.payload(i));
    if splat_of(cx, b) == Some(0) {
        let row = match pred {
            Eq | Ne => Some(VCMEQ_S_ZERO),
            Slt => Some(VCMLT_S_ZERO),
            Sle => Some(VCMLE_S_ZERO),
            Sgt => Some(VCMGT_S_ZERO),
            Sge => Some(VCMGE_S_ZERO),
            _ => None,
        };
        if let Some(row) = row {
            let a = cx.reg(a);
            return by(cx, def, row, &[a], pred == Ne);
        }
    }
    let (row, swaps) = match pred {
        Eq | Ne => (VCMEQ_S, false),
        Sgt | Slt => (VCMGT_S, pred == Slt),
        Sge | Sle => (VCMGE_S, pred == Sle),
        Ugt | Ult => (VCMHI_S, pred == Ult),
        Uge | Ule => (VCMHS_S, pred == Ule),
    };
    let [a, b] = [cx.reg(a), cx.reg(b)];
    by(cx, def, row, &if swaps { [b, a] } else { [a, b] }, pred == Ne);
}

/// A row, or the opposite of what it says.
fn by<const USES: usize>(
    cx: &mut Select,
    def: Operand,
    row: MachineOp,
    uses: &[Operand; USES],
    inverted: bool,
) {
    if inverted {
        let mask = cx.emit_fresh(row, Type::I1x4, uses, 0, 0);
        emit(cx, VNOT, def, &[mask]);
    } else {
        emit(cx, row, def, uses);
    }
}

/// Truth values as -1 or 1.
fn widened(cx: &mut Select, i: Inst, to_one: bool) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let mask = cx.reg(v);
    if to_one {
        emit_imm(cx, VUSHR_S, def, &[mask], 31);
    } else {
        emit(cx, VMOV, def, &[mask]);
    }
}

/// The lowest bits as truth values.
fn narrowed(cx: &mut Select, i: Inst) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let top = cx.emit_fresh(VSHL_S, Type::I32x4, &[x], 31, 0);
    emit_imm(cx, VSSHR_S, def, &[top], 31);
}

/// The lanes from the last to the first.
fn reversed(cx: &mut Select, def: Operand, v: Operand) {
    let halves = cx.emit_fresh(VREV64_S, Type::I32x4, &[v], 0, 0);
    emit_imm(cx, VEXT, def, &[halves, halves], 8);
}

/// The address of the next lane.
fn stepped(cx: &mut Select, at: Operand, stride: Value) -> Operand {
    match cx.body.as_int(stride) {
        Some(0) => at,
        Some(by) => {
            let next = fresh(cx, Type::Ptr);
            add_constant(cx, next, Type::Ptr, at, by);
            next
        }
        None => {
            let by = cx.reg(stride);
            cx.emit_fresh(ADD_X, Type::Ptr, &[at, by], 0, 0)
        }
    }
}

/// Where lanes begin that go backwards from an address: a register and an offset.
fn backwards(cx: &mut Select, address: Value) -> (Operand, i32) {
    match with_offset(cx, address).filter(|(_, bytes)| (-256..256).contains(&(bytes - 12))) {
        Some((base, bytes)) => (cx.reg(base), bytes as i32 - 12),
        None => (cx.reg(address), -12),
    }
}

/// Lanes of memory: backwards, every second one of two vectors that end with the last lane, or one by one.
fn strided_load(cx: &mut Select, i: Inst) {
    if loads_in_group(cx, i, [IN_TURN_2, IN_TURN_3, IN_TURN_4]) {
        return;
    }
    let (address, stride, ty) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.ty(i));
    let def = result(cx, i);
    if cx.body.as_int(stride) == Some(-4) {
        let (at, offset) = backwards(cx, address);
        let v = cx.emit_fresh(LDUR_Q, ty, &[at], offset, 0);
        return reversed(cx, def, v);
    }
    let at = cx.reg(address);
    match cx.body.as_int(stride) {
        Some(8) => {
            let low = cx.emit_fresh(LDR_Q, ty, &[at], 0, 0);
            let high = cx.emit_fresh(LDUR_Q, ty, &[at], 12, 0);
            let high = cx.emit_fresh(VEXT, ty, &[high, high], 4, 0);
            emit(cx, VUZP1_S, def, &[low, high]);
        }
        _ => {
            let mut v = cx.emit_fresh(LD1R_S, ty, &[at], 0, 0);
            let mut at = at;
            for lane in 1..4 {
                at = stepped(cx, at, stride);
                let next = if lane == 3 { def } else { fresh(cx, ty) };
                emit_imm(cx, LD1_S_LANE, next, &[v, at], lane);
                v = next;
            }
        }
    }
}

fn strided_store(cx: &mut Select, i: Inst) {
    if stores_in_group(cx, i, ([COPY_2, COPY_3, COPY_4], [OUT_IN_TURN_2, OUT_IN_TURN_3, OUT_IN_TURN_4])) {
        return;
    }
    let (v, address, stride) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let ty = cx.body.type_of(v);
    let v = cx.reg(v);
    if cx.body.as_int(stride) == Some(-4) {
        let (turned, (at, offset)) = (fresh(cx, ty), backwards(cx, address));
        reversed(cx, turned, v);
        return cx.emit(STUR_Q, &[], &[turned, at], offset, 0);
    }
    let mut at = cx.reg(address);
    for lane in 0..4 {
        if lane > 0 {
            at = stepped(cx, at, stride);
        }
        cx.emit(ST1_S_LANE, &[], &[v, at], lane, 0);
    }
}

/// All lanes made one.
fn across(cx: &mut Select, i: Inst, row: MachineOp) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let one = fresh(cx, Type::F32);
    emit(cx, row, one, &[x]);
    emit_imm(cx, VUMOV_W, def, &[one], 0);
}
