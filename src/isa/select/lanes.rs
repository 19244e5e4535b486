//! Vectors, as far as machines select them alike. A function that has some takes rules in which each opcode asks for types
//! first (`BY_TYPE`): the same opcode may be on scalars, which have handlers of their own. O(1) an instruction.

use super::handlers::lack;
use super::{Fused, Handler, Select};
use crate::ir::opcode::OPS;
use crate::ir::{Flags, FloatPred, Inst, Op, Type, Value};
use crate::isa::memory;
use crate::mir::{MachineOp, Operand};

/// By opcode, what selects it on scalars, and on vectors.
pub type TypedHandlers = [&'static [Handler; OPS.len()]; 2];

/// The handlers of a function with vectors.
pub const BY_TYPE: [Handler; OPS.len()] = [by_type; OPS.len()];

/// Selects by the handler on vectors, if the result or an operand is one.
pub fn by_type(cx: &mut Select, i: Inst) {
    let Some([scalars, vectors]) = cx.rules.by_type else { return lack(cx, i) };
    let is_vector =
        cx.body.ty(i).is_vector() || cx.body.args(i).iter().any(|&v| cx.body.type_of(v).is_vector());
    let op = cx.body.op(i) as usize;
    (if is_vector { vectors[op] } else { scalars[op] })(cx, i);
}

/// The table of handlers on vectors with these rows. Phis and memory need none; what has none is not legal.
pub const fn lanes(rows: &[(Op, Handler)]) -> [Handler; OPS.len()] {
    let mut table: [Handler; OPS.len()] = [lack; OPS.len()];
    table[Op::Phi as usize] = |_, _| {};
    table[Op::Load as usize] = memory::load;
    table[Op::Store as usize] = memory::store;
    let mut k = 0;
    while k < rows.len() {
        table[rows[k].0 as usize] = rows[k].1;
        k += 1;
    }
    table
}

/// Two operands in registers.
pub fn two(cx: &mut Select, i: Inst) -> [Operand; 2] {
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    [cx.reg(a), cx.reg(b)]
}

/// The integer that is in every lane.
pub fn splat_of(cx: &Select, v: Value) -> Option<i64> {
    let i = v.as_inst().filter(|&i| cx.body.op(i) == Op::Splat && cx.body.ty(i).is_vector())?;
    cx.body.as_int(cx.body.arg(i, 0))
}

/// a + b or a - b of integers, with a product that nothing else needs as a part of it; 0 - b.
pub fn sum(cx: &mut Select, i: Inst, [plain, with_product, negate]: [MachineOp; 3]) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), Operand::virt(cx.result(i)));
    let is_sum = cx.body.op(i) == Op::Add;
    for (to, v) in [(a, b), (b, a)].into_iter().take(1 + usize::from(is_sum)) {
        if let Some(product) = cx.foldable_as(v, Op::Mul) {
            let [x, y] = two(cx, product);
            let to = cx.reg(to);
            return cx.emit(with_product, &[def], &[to, x, y], 0, 0);
        }
    }
    if !is_sum && splat_of(cx, a) == Some(0) {
        let b = cx.reg(b);
        return cx.emit(negate, &[def], &[b], 0, 0);
    }
    let uses = [cx.reg(a), cx.reg(b)];
    cx.emit(plain, &[def], &uses, 0, 0);
}

/// a + b or a - b of floats, with a product that nothing else needs as a part of it, where both promise `needs`.
pub fn sum_of_floats(
    cx: &mut Select,
    i: Inst,
    [plain, with_product, without_product]: [MachineOp; 3],
    needs: Flags,
) {
    let product = cx.foldable_as(cx.body.arg(i, 0), Op::FMul).filter(|_| cx.body.op(i) == Op::FSub);
    // A product less something has no row.
    let fused = if product.is_none() { cx.fused(i, needs) } else { None };
    let def = Operand::virt(cx.result(i));
    match fused {
        Some(Fused { form, factors: [x, y], addend }) => {
            let row = if form == 0 { with_product } else { without_product };
            cx.emit(row, &[def], &[addend, x, y], 0, 0);
        }
        None => {
            let uses = two(cx, i);
            cx.emit(plain, &[def], &uses, 0, 0);
        }
    }
}

/// An operation on bits, or with the opposite of one operand: what that is the opposite of says `opposite_of`.
pub fn with_opposite(
    cx: &mut Select,
    i: Inst,
    [plain, opposite]: [MachineOp; 2],
    opposite_of: fn(&Select, Value) -> Option<Value>,
) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), Operand::virt(cx.result(i)));
    let found = [(a, b), (b, a)].into_iter().find_map(|(x, y)| Some((x, opposite_of(cx, y)?)));
    let (row, x, y) = found.map_or((plain, a, b), |(x, y)| (opposite, x, y));
    let uses = [cx.reg(x), cx.reg(y)];
    cx.emit(row, &[def], &uses, 0, 0);
}

/// The rows of a machine that compare floats.
pub struct FloatRows {
    /// a == b, a > b, a >= b; false of a NaN.
    pub compare: [MachineOp; 3],
    /// Of masks.
    pub either: MachineOp,
    /// Of a mask.
    pub not: MachineOp,
}

/// A comparison of floats to bits of lanes.
pub fn compare_floats(cx: &mut Select, i: Inst, rows: &FloatRows) {
    use FloatPred::{Oeq, Oge, Ogt, Ole, Olt, One, Ord};
    let [equal, greater, not_less] = rows.compare;
    let pred = FloatPred::from_payload(cx.body.payload(i));
    let (def, [a, b]) = (Operand::virt(cx.result(i)), two(cx, i));
    let ordered = matches!(pred, Oeq | Ogt | Oge | Olt | Ole | One | Ord);
    let plain = if ordered { pred } else { pred.inverse() };
    let (first, second) = match plain {
        Oeq => ((equal, [a, b]), None),
        Ogt => ((greater, [a, b]), None),
        Oge => ((not_less, [a, b]), None),
        Olt => ((greater, [b, a]), None),
        Ole => ((not_less, [b, a]), None),
        // Less or greater; greater or equal, or less.
        One => ((greater, [a, b]), Some((greater, [b, a]))),
        _ => ((not_less, [a, b]), Some((greater, [b, a]))),
    };
    let (row, uses) = match second {
        None => first,
        Some(second) => {
            let masks = [first, second].map(|(row, uses)| cx.emit_fresh(row, Type::I1x4, &uses, 0, 0));
            (rows.either, masks)
        }
    };
    if ordered {
        cx.emit(row, &[def], &uses, 0, 0);
    } else {
        let mask = cx.emit_fresh(row, Type::I1x4, &uses, 0, 0);
        cx.emit(rows.not, &[def], &[mask], 0, 0);
    }
}

/// A shift by a constant, or by lanes: to the right by negative ones.
pub fn shift(cx: &mut Select, i: Inst, [by_constant, by_lanes, negate]: [MachineOp; 3]) {
    let (a, b, def) = (cx.body.arg(i, 0), cx.body.arg(i, 1), Operand::virt(cx.result(i)));
    match splat_of(cx, b) {
        Some(amount @ 1..=31) => {
            let a = cx.reg(a);
            cx.emit(by_constant, &[def], &[a], amount as i32, 0);
        }
        _ => {
            let [a, mut b] = [cx.reg(a), cx.reg(b)];
            if cx.body.op(i) != Op::Shl {
                b = cx.emit_fresh(negate, Type::I32x4, &[b], 0, 0);
            }
            cx.emit(by_lanes, &[def], &[a, b], 0, 0);
        }
    }
}
