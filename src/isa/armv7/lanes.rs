//! Vectors of four i32, floats or truth values, in a q register, where the machine has NEON.
//!
//! A lane of a mask (`<4 x i1>`) has all bits of what it stands for: that is what comparisons make and `vbsl` takes.
//! `LEGAL` says what is selected here; the rest has become scalars before. Vectors of floats are legal where that was
//! allowed (`-ffast-math`): NEON flushes their denormals. What has the opcode of an operation on vectors and none among its operands is a pair of
//! words (`words`), so types decide. O(1) an instruction.

use super::integer::{add_constant, load_word, word};
use super::rows::{AND_I, LDR, RSB_I, STR, VMOV_FROM, VMOV_TO};
use super::vector::*;
use crate::ir::legal::{Rows, Vectors, rows, with_rows};
use crate::ir::opcode::OPS;
use crate::ir::{Flags, Inst, IntPred, Op, Type, Value};
use crate::isa::features::{NEON, NEON_FLOATS};
use crate::isa::select::{
    FloatRows, Handler, Select, by_row, compare_floats, lanes, loads_in_group, shift, splat_of,
    stores_in_group, sum, sum_of_floats, two, with_offset, with_opposite,
};
use crate::mir::{Features, MachineOp, Operand};

/// What a machine with these features has in vectors.
pub fn vectors(features: Features) -> Vectors {
    match (features.has(NEON), features.has(NEON_FLOATS)) {
        (true, true) => Vectors::of(&WITH_FLOATS),
        (true, false) => Vectors::of(&LEGAL),
        (false, _) => Vectors::NONE,
    }
}

/// What there are instructions for.
static LEGAL: Rows = {
    use Type::{I1x4, I32x4};
    rows(&[
        (&[Op::Phi, Op::Select, Op::Splat, Op::ExtractLane, Op::InsertLane], &[I32x4, I1x4]),
        (&[Op::Load, Op::Store, Op::Splice, Op::StridedLoad, Op::StridedStore], &[I32x4]),
        (&[Op::And, Op::Or, Op::Xor, Op::ICmp, Op::SExt, Op::ZExt, Op::Trunc], &[I32x4, I1x4]),
        (
            &[Op::Add, Op::Sub, Op::Mul, Op::SMulHi, Op::UMulHi, Op::Shl, Op::LShr, Op::AShr, Op::Abs],
            &[I32x4],
        ),
        (&[Op::SMin, Op::SMax, Op::UMin, Op::UMax], &[I32x4]),
        (&[Op::ReduceAdd, Op::ReduceSMin, Op::ReduceSMax, Op::ReduceUMin, Op::ReduceUMax], &[I32x4]),
    ])
};

/// The same, and what there is on floats: no quotients.
static WITH_FLOATS: Rows = {
    use Type::{F32x4, I1x4, I32x4};
    with_rows(
        LEGAL,
        &[
            (&[Op::Phi, Op::Select, Op::Splat, Op::ExtractLane, Op::InsertLane], &[F32x4]),
            (&[Op::Load, Op::Store, Op::StridedLoad, Op::StridedStore], &[F32x4]),
            (&[Op::FAdd, Op::FSub, Op::FMul, Op::FNeg, Op::FAbs], &[F32x4]),
            (&[Op::FCmp], &[F32x4, I1x4]),
            (&[Op::SIToFP, Op::FPToSI], &[I32x4, F32x4]),
        ],
    )
};

/// How floats are compared.
static FLOATS: FloatRows = FloatRows { compare: [QCEQ_F, QCGT_F, QCGE_F], either: QORR, not: QMVN };

/// By opcode, what selects it on vectors.
pub static VECTORS: [Handler; OPS.len()] = lanes(&[
    (Op::StridedLoad, strided_load),
    (Op::StridedStore, strided_store),
    (Op::Splat, splat),
    (Op::ExtractLane, extract),
    (Op::InsertLane, insert),
    (Op::Splice, splice),
    (Op::Select, choice),
    (Op::Add, |cx, i| sum(cx, i, [QADD, QMLA, QNEG])),
    (Op::Sub, |cx, i| sum(cx, i, [QSUB, QMLS, QNEG])),
    (Op::Mul, |cx, i| by_row(cx, i, &[QMUL])),
    (Op::And, |cx, i| with_opposite(cx, i, [QAND, QBIC], opposite_of)),
    (Op::Or, |cx, i| with_opposite(cx, i, [QORR, QORN], opposite_of)),
    (Op::Xor, exclusive),
    (Op::Shl, |cx, i| shift(cx, i, [QSHL, QSHL_Q, QNEG])),
    (Op::LShr, |cx, i| shift(cx, i, [QSHR_U, QSHL_Q_U, QNEG])),
    (Op::AShr, |cx, i| shift(cx, i, [QSHR, QSHL_Q, QNEG])),
    (Op::SMulHi, |cx, i| high(cx, i, [QMULL_LOW, QMULL_HIGH])),
    (Op::UMulHi, |cx, i| high(cx, i, [QMULL_LOW_U, QMULL_HIGH_U])),
    (Op::SMin, |cx, i| by_row(cx, i, &[QMIN])),
    (Op::SMax, |cx, i| by_row(cx, i, &[QMAX])),
    (Op::UMin, |cx, i| by_row(cx, i, &[QMIN_U])),
    (Op::UMax, |cx, i| by_row(cx, i, &[QMAX_U])),
    (Op::Abs, |cx, i| by_row(cx, i, &[QABS])),
    (Op::FAdd, |cx, i| sum_of_floats(cx, i, [QADD_F, QMLA_F, QMLS_F], Flags::NONE)),
    (Op::FSub, |cx, i| sum_of_floats(cx, i, [QSUB_F, QMLA_F, QMLS_F], Flags::NONE)),
    (Op::FMul, |cx, i| by_row(cx, i, &[QMUL_F])),
    (Op::FNeg, |cx, i| by_row(cx, i, &[QNEG_F])),
    (Op::FAbs, |cx, i| by_row(cx, i, &[QABS_F])),
    (Op::FCmp, |cx, i| compare_floats(cx, i, &FLOATS)),
    (Op::SIToFP, |cx, i| by_row(cx, i, &[QCVT_FLOAT])),
    (Op::FPToSI, |cx, i| by_row(cx, i, &[QCVT_INT])),
    (Op::ICmp, compare),
    (Op::SExt, |cx, i| widened(cx, i, false)),
    (Op::ZExt, |cx, i| widened(cx, i, true)),
    (Op::Trunc, narrowed),
    (Op::ReduceAdd, |cx, i| across(cx, i, [QPADD, QPADD_LOW])),
    (Op::ReduceSMin, |cx, i| across(cx, i, [QPMIN, QPMIN_LOW])),
    (Op::ReduceSMax, |cx, i| across(cx, i, [QPMAX, QPMAX_LOW])),
    (Op::ReduceUMin, |cx, i| across(cx, i, [QPMIN_U, QPMIN_U_LOW])),
    (Op::ReduceUMax, |cx, i| across(cx, i, [QPMAX_U, QPMAX_U_LOW])),
]);

/// Where the result goes.
fn result(cx: &mut Select, i: Inst) -> Operand {
    Operand::virt(cx.result(i))
}

fn emit<const USES: usize>(cx: &mut Select, op: MachineOp, def: Operand, uses: &[Operand; USES], imm: i32) {
    cx.emit(op, &[def], uses, imm, 0);
}

/// A row whose result is a vector in a fresh register.
fn made<const USES: usize>(cx: &mut Select, op: MachineOp, uses: &[Operand; USES], imm: i32) -> Operand {
    cx.emit_fresh(op, Type::I32x4, uses, imm, 0)
}

/// A vector of zeros, for what is undefined and has to be something.
pub fn zeros(cx: &mut Select, ty: Type) -> Operand {
    cx.emit_fresh(QMOV_I, ty, &[], 0, 0)
}

/// The value in every lane: one instruction, if it is a byte or the opposite of one, or is there already.
fn splat(cx: &mut Select, i: Inst) {
    let (ty, v, def) = (cx.body.ty(i), cx.body.arg(i, 0), result(cx, i));
    let known = match (cx.body.as_int(v), cx.body.as_f32(v)) {
        (Some(x), _) => Some(if ty == Type::I1x4 { -((x & 1) as i32) } else { x as i32 }),
        (_, Some(x)) => Some(x.to_bits() as i32),
        _ => None,
    };
    match known {
        Some(x @ 0..=255) => emit(cx, QMOV_I, def, &[], x),
        Some(x @ -256..=-1) => emit(cx, QMVN_I, def, &[], !x),
        _ => {
            // A lane of a vector that nothing else needs on its own.
            if let Some(lane) = cx.foldable_as(v, Op::ExtractLane).filter(|_| ty == Type::I32x4) {
                let (row, half) = of_half([QDUP_LOW, QDUP_HIGH], cx.body.payload(lane));
                let from = cx.reg(cx.body.arg(lane, 0));
                return emit(cx, row, def, &[from], half);
            }
            let x = match known {
                Some(x) => load_word(cx, x),
                None => lane_of(cx, ty, v),
            };
            emit(cx, QDUP, def, &[x], 0);
        }
    }
}

/// The bits of a lane, in a core register.
fn lane_of(cx: &mut Select, ty: Type, v: Value) -> Operand {
    match ty {
        Type::I1x4 => negative(cx, v),
        Type::F32x4 => {
            let x = cx.reg(v);
            cx.emit_fresh(VMOV_FROM, Type::I32, &[x], 0, 0)
        }
        _ => cx.reg(v),
    }
}

/// All bits of a truth value.
fn negative(cx: &mut Select, v: Value) -> Operand {
    let x = cx.reg(v);
    cx.emit_fresh(RSB_I, Type::I32, &[x], 0, 0)
}

/// The row for a lane and its number in its half.
fn of_half([low, high]: [MachineOp; 2], lane: u32) -> (MachineOp, i32) {
    (if lane < 2 { low } else { high }, (lane & 1) as i32)
}

fn extract(cx: &mut Select, i: Inst) {
    let (row, lane) = of_half([QGET_LOW, QGET_HIGH], cx.body.payload(i));
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let v = cx.reg(v);
    match cx.body.ty(i) {
        Type::I1 => {
            let x = cx.emit_fresh(row, Type::I32, &[v], lane, 0);
            emit(cx, AND_I, def, &[x], 1);
        }
        Type::F32 => {
            let x = cx.emit_fresh(row, Type::I32, &[v], lane, 0);
            emit(cx, VMOV_TO, def, &[x], 0);
        }
        _ => emit(cx, row, def, &[v], lane),
    }
}

fn insert(cx: &mut Select, i: Inst) {
    let (row, lane) = of_half([QSET_LOW, QSET_HIGH], cx.body.payload(i));
    let (def, v, x) = (result(cx, i), cx.body.arg(i, 0), cx.body.arg(i, 1));
    let x = lane_of(cx, cx.body.ty(i), x);
    let v = cx.reg(v);
    emit(cx, row, def, &[v, x], lane);
}

/// The last lane of a vector, and all of another one but its last.
fn splice(cx: &mut Select, i: Inst) {
    let (def, uses) = (result(cx, i), two(cx, i));
    emit(cx, QEXT, def, &uses, 3);
}

/// One of two vectors, by lane or as a whole.
fn choice(cx: &mut Select, i: Inst) {
    let (c, a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1), cx.body.arg(i, 2));
    let def = result(cx, i);
    let mask = if cx.body.type_of(c) == Type::I1 {
        let x = negative(cx, c);
        made(cx, QDUP, &[x], 0)
    } else {
        cx.reg(c)
    };
    // One of the three registers is overwritten: one that nothing else needs.
    let is_last = |v: Value| v.as_inst().is_some_and(|i| cx.is_only_here(i));
    let row = match () {
        () if cx.body.type_of(c) == Type::I1 || is_last(c) => QBSL,
        () if is_last(b) => QBIT,
        () if is_last(a) => QBIF,
        () => QBSL,
    };
    let (a, b) = (cx.reg(a), cx.reg(b));
    let uses = match row {
        QBIT => [b, a, mask],
        QBIF => [a, b, mask],
        _ => [mask, a, b],
    };
    emit(cx, row, def, &uses, 0);
}

/// x, of a vector that is ~x and that nothing else needs.
fn opposite_of(cx: &Select, v: Value) -> Option<Value> {
    let i = cx.foldable_as(v, Op::Xor).filter(|&i| is_opposite(cx, i))?;
    Some(cx.body.arg(i, 0))
}

/// True of x ^ -1.
fn is_opposite(cx: &Select, i: Inst) -> bool {
    match cx.body.ty(i) {
        Type::I1x4 => splat_of(cx, cx.body.arg(i, 1)).is_some_and(|x| x & 1 != 0),
        _ => splat_of(cx, cx.body.arg(i, 1)) == Some(-1),
    }
}

fn exclusive(cx: &mut Select, i: Inst) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    if is_opposite(cx, i) {
        let a = cx.reg(a);
        return emit(cx, QMVN, def, &[a], 0);
    }
    let uses = [cx.reg(a), cx.reg(b)];
    emit(cx, QEOR, def, &uses, 0);
}

/// The upper words of products: of the low lanes and of the high ones.
fn high(cx: &mut Select, i: Inst, products: [MachineOp; 2]) {
    let (def, uses) = (result(cx, i), two(cx, i));
    let [low, high] = products.map(|row| made(cx, row, &uses, 0));
    let half = made(cx, QSHRN_LOW, &[low], 0);
    emit(cx, QSHRN_HIGH, def, &[half, high], 0);
}

/// A comparison to bits of lanes.
fn compare(cx: &mut Select, i: Inst) {
    use IntPred::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), result(cx, i));
    let pred = IntPred::from_payload(cx.body.payload(i));
    if splat_of(cx, b) == Some(0) {
        let row = match pred {
            Eq => Some(QCEQ_0),
            Slt => Some(QCLT_0),
            Sle => Some(QCLE_0),
            Sgt => Some(QCGT_0),
            Sge => Some(QCGE_0),
            _ => None,
        };
        if let Some(row) = row {
            let a = cx.reg(a);
            return emit(cx, row, def, &[a], 0);
        }
        if pred == Ne {
            // Whether bits are in common, of one with itself or of two.
            let uses = match cx.foldable_as(a, Op::And) {
                Some(both) => two(cx, both),
                None => [cx.reg(a); 2],
            };
            return emit(cx, QTST, def, &uses, 0);
        }
    }
    let (row, swaps) = match pred {
        Eq | Ne => (QCEQ, false),
        Sgt | Slt => (QCGT, pred == Slt),
        Sge | Sle => (QCGE, pred == Sle),
        Ugt | Ult => (QCGT_U, pred == Ult),
        Uge | Ule => (QCGE_U, pred == Ule),
    };
    let [a, b] = [cx.reg(a), cx.reg(b)];
    let uses = if swaps { [b, a] } else { [a, b] };
    if pred == Ne {
        let mask = made(cx, row, &uses, 0);
        emit(cx, QMVN, def, &[mask], 0);
    } else {
        emit(cx, row, def, &uses, 0);
    }
}

/// Truth values as -1 or 1.
fn widened(cx: &mut Select, i: Inst, to_one: bool) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let mask = cx.reg(v);
    if to_one {
        emit(cx, QSHR_U, def, &[mask], 31);
    } else {
        emit(cx, QMOV, def, &[mask], 0);
    }
}

/// The lowest bits as truth values.
fn narrowed(cx: &mut Select, i: Inst) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let top = made(cx, QSHL, &[x], 31);
    emit(cx, QSHR, def, &[top], 31);
}

/// All lanes made one: neighbours, and neighbours again.
fn across(cx: &mut Select, i: Inst, [halves, half]: [MachineOp; 2]) {
    let (def, v) = (result(cx, i), cx.body.arg(i, 0));
    let x = cx.reg(v);
    let two = made(cx, halves, &[x], 0);
    let one = made(cx, half, &[two], 0);
    emit(cx, QGET_LOW, def, &[one], 0);
}

/// The lanes from the last to the first.
fn reversed(cx: &mut Select, def: Operand, v: Operand) {
    let halves = made(cx, QREV64, &[v], 0);
    emit(cx, QEXT, def, &[halves, halves], 2);
}

/// An address and bytes.
fn behind(cx: &mut Select, at: Operand, bytes: i32) -> Operand {
    let sum = word(cx);
    add_constant(cx, sum, at, bytes);
    sum
}

/// Where lanes begin that go backwards from an address.
fn backwards(cx: &mut Select, address: Value) -> Operand {
    let (base, bytes) = with_offset(cx, address).unwrap_or((address, 0));
    let at = cx.reg(base);
    match i32::try_from(bytes - 12) {
        Ok(0) => at,
        Ok(bytes) => behind(cx, at, bytes),
        Err(_) => {
            let at = cx.reg(address);
            behind(cx, at, -12)
        }
    }
}

/// How many bytes lie between lanes of memory: the low word counts, and strides that are not known are not legal.
fn stride_of(cx: &Select, i: Inst) -> i32 {
    cx.body.args(i).last().and_then(|&stride| cx.body.as_int(stride)).unwrap_or(0) as i32
}

/// Lanes of memory: backwards, every second one of two vectors that end with the last lane, or one by one.
fn strided_load(cx: &mut Select, i: Inst) {
    if loads_in_group(cx, i, [QIN_TURN_2, QIN_TURN_3, QIN_TURN_4]) {
        return;
    }
    let (address, stride) = (cx.body.arg(i, 0), stride_of(cx, i));
    let def = result(cx, i);
    if stride == -4 {
        let at = backwards(cx, address);
        let v = made(cx, QLD1, &[at], 0);
        return reversed(cx, def, v);
    }
    let mut at = cx.reg(address);
    match stride {
        8 => {
            let low = made(cx, QLD1, &[at], 0);
            at = behind(cx, at, 12);
            let high = made(cx, QLD1, &[at], 0);
            let half = made(cx, QMOVN_LOW, &[low], 0);
            emit(cx, QSHRN_HIGH, def, &[half, high], 0);
        }
        _ => {
            let mut v = made(cx, QLD1_ALL, &[at], 0);
            for lane in 1..4 {
                at = behind(cx, at, stride);
                let x = cx.emit_fresh(LDR, Type::I32, &[at], 0, 0);
                let (row, half) = of_half([QSET_LOW, QSET_HIGH], lane);
                let next = if lane == 3 { def } else { Operand::virt(cx.new_reg(Type::I32x4)) };
                emit(cx, row, next, &[v, x], half);
                v = next;
            }
        }
    }
}

fn strided_store(cx: &mut Select, i: Inst) {
    if stores_in_group(cx, i, ([QCOPY_2, QCOPY_3, QCOPY_4], [QOUT_IN_TURN_2, QOUT_IN_TURN_3, QOUT_IN_TURN_4]))
    {
        return;
    }
    let (v, address, stride) = (cx.body.arg(i, 0), cx.body.arg(i, 1), stride_of(cx, i));
    let v = cx.reg(v);
    if stride == -4 {
        let at = backwards(cx, address);
        let turned = Operand::virt(cx.new_reg(Type::I32x4));
        reversed(cx, turned, v);
        return cx.emit(QST1, &[], &[turned, at], 0, 0);
    }
    let mut at = cx.reg(address);
    for lane in 0..4 {
        if lane > 0 {
            at = behind(cx, at, stride);
        }
        let (row, half) = of_half([QGET_LOW, QGET_HIGH], lane);
        let x = cx.emit_fresh(row, Type::I32, &[v], half, 0);
        cx.emit(STR, &[], &[x, at], 0, 0);
    }
}
