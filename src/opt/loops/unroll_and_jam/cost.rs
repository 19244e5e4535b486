//! What it costs that rounds of an outer loop go through the loops inside together, and what it saves.

use super::{FACTORS, Parts, Region, Shape};
use crate::analysis::dependence::{Access, Nest};
use crate::ir::{Inst, Op, Type, Value};
use crate::opt::run::pass::FuncCx;

/// What a round of the inner loop costs, and what it takes.
pub(super) struct Cost {
    /// Instructions, without steps of what unrolling moves on by constants,
    pub(super) all: usize,
    /// and those that need not be done for each of the rounds that go together.
    pub(super) saved: usize,
    /// Registers for integers and for floating numbers: for all rounds together, and for each.
    shared: [usize; 2],
    own: [usize; 2],
    /// There is one sum a round, and what four rounds need for themselves is one vector each.
    in_vectors: bool,
}

impl Cost {
    pub(super) fn of(
        cx: &FuncCx,
        shape: &Shape,
        (nest, accesses): (&Nest, &[(Region, Access)]),
        shared: &[Inst],
        parts: &Parts,
    ) -> Cost {
        let (f, depth) = (shape.inner.f, shape.depth());
        let saved = parts.forwarded.len() + parts.overwritten.len();
        let mut cost = Cost { all: 0, saved, shared: [3, 0], own: [0, 0], in_vectors: false };
        let offset = i64::from(cx.target.offset);
        let step = shape
            .inner
            .counted(shape.inner.latch)
            .map(|counted| (Value::inst(counted.compare), counted.next));
        let counts =
            |i: Inst| step.is_some_and(|(test, next)| Value::inst(i) == test || Value::inst(i) == next);
        let kind = |v: Value| usize::from(f.type_of(v) == Type::F32);
        let computes =
            |i: Inst| !matches!(f.op(i), Op::Phi | Op::ElemAddr) && !f.op(i).is_terminator() && !counts(i);
        let is_inside = |&&i: &&Inst| f.block_of(i) == Some(shape.inner.header) && computes(i);
        cost.saved += shared.iter().filter(is_inside).count();
        cost.all += f.insts(shape.inner.header).filter(|&i| computes(i)).count();
        for (_, access) in accesses.iter().filter(|(region, _)| *region == depth) {
            let [row, step] = [0, depth].map(|level| nest.stride(access, level));
            // Pointers that unrolling cannot make offsets of one.
            let is_far = step.is_none_or(|step| step.abs() * 3 > offset);
            let is_one = row.is_some_and(|row| row.abs() * 3 <= offset);
            cost.all += usize::from(is_far);
            cost.saved += usize::from(is_far && is_one);
            cost.shared[0] += usize::from(is_one);
            cost.own[0] += usize::from(!is_one);
        }
        // Four rounds are one in vectors (`slp_vectorize`), if what they load are neighbours and sums are all that
        // comes of it.
        let forwarded =
            |i: Inst| parts.overwritten.contains(&i) || parts.forwarded.iter().any(|&(load, _)| load == i);
        let mut inside = accesses.iter().filter(|(region, a)| *region == depth && !forwarded(a.inst));
        let is_near = |stride: Option<i64>| matches!(stride, Some(0 | 4));
        let of_four = |i: Inst| Type::lanes_of(f.ty(i), 4);
        let has = |i: Inst| of_four(i).is_some_and(|ty| cx.target.vectors.has(Op::Load, ty));
        let has_vectors = cx.target.vectors.are_there() && parts.overwritten.is_empty();
        if has_vectors
            && inside.clone().any(|(_, access)| nest.stride(access, 0) == Some(4))
            && inside
                .all(|(_, access)| !access.is_write && is_near(nest.stride(access, 0)) && has(access.inst))
        {
            cost.saved = cost.all;
            cost.in_vectors = parts.phis.last().is_some_and(|sums| sums.len() == 1);
        }
        // Loads of what another one loads in one of the next rounds.
        let loads = || accesses.iter().filter(|(region, a)| *region == depth && !a.is_write).map(|(_, a)| a);
        let comes_again = |a: &&Access| {
            loads().any(|b| {
                nest.lead(a, b, 0).is_some_and(|rounds| (1..i64::from(FACTORS[0])).contains(&rounds))
            })
        };
        cost.saved += loads().filter(comes_again).count();
        for &phi in parts.phis.last().into_iter().flatten() {
            cost.own[kind(Value::inst(phi))] += 1;
        }
        let mut seen: Vec<Value> = Vec::new();
        for i in f.insts(shape.inner.header).filter(|&i| !matches!(f.op(i), Op::Phi | Op::ElemAddr)) {
            for &v in f.args(i) {
                if v.as_inst().is_none() || !shape.inner.is_outside(v) || seen.contains(&v) {
                    continue;
                }
                seen.push(v);
                let is_shared = v.as_inst().is_some_and(|i| shared.contains(&i));
                let is_one = is_shared || shape.outer.is_outside(v);
                let of = if is_one { &mut cost.shared } else { &mut cost.own };
                of[kind(v)] += 1;
            }
        }
        cost
    }

    pub(super) fn fits(&self, cx: &FuncCx, factor: u32) -> bool {
        let own = if self.in_vectors { factor.div_ceil(4) } else { factor };
        let take = |kind: usize| self.shared[kind] + self.own[kind] * own as usize;
        (0..2).all(|kind| take(kind) < cx.target.registers[kind] as usize)
    }
}
