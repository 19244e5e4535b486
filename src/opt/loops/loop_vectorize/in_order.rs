//! Sums of floats in order, of which several go on at once: what a vector of rounds adds to each.
//!
//! ```text
//! s0 += a[j]; ... s3 += d[j];           s0..s3 += a[j] b[j] c[j] d[j]; ... += a[j + 3] b[j + 3] c[j + 3] d[j + 3];
//! ```
//!
//! Four sums are the lanes of one vector: what is added to them in four rounds is a block of four by four, which is
//! transposed by eight instructions (`ZipLow`, `ZipHigh`), and each of its rows is added as a whole: 12 instructions for 16
//! summands, where lane by lane takes 28. Rounds that go together (`unroll_and_jam`) have such sums: with it AArch64
//! takes 0.6 of the instructions of a product of a matrix and a vector. Two and three sums are part of a block. One, or any on a machine
//! without `ZipLow`, is made lane by lane; where that is one instruction (`ReduceFAdd`), all are.
//!
//! O(sums x lanes). The transposition is that of "Eklundh, A fast computer method for matrix transposing" (1972).

use super::emit::Maker;
use super::roles::Role;
use super::vector_of;
use crate::ir::{At, Op, Type, Value};

/// As many sums of floats stay in vectors of their own at a time; more have registers of floats, of which there are more.
const MOST_FIRSTS: usize = 2;
/// Lanes of a block.
pub(super) const LANES: usize = 4;

impl Maker<'_> {
    /// Adds what is added to each sum in order.
    pub(super) fn sums_in_order(&mut self) -> Option<()> {
        let phis = self.plan.round.phis.iter().enumerate();
        let sums: Vec<usize> = phis
            .filter(|(_, phi)| self.plan.roles.of(**phi) == Some(Role::Ordered))
            .map(|(k, _)| k)
            .collect();
        let has = |op: Op| {
            Type::lanes_of(Type::F32, self.plan.lanes).is_some_and(|ty| self.plan.vectors.has(op, ty))
        };
        let in_blocks = self.plan.lanes as usize == LANES
            && has(Op::ZipLow)
            && has(Op::ZipHigh)
            && has(Op::FAdd)
            && !has(Op::ReduceFAdd);
        for group in sums.chunks(LANES) {
            match group {
                &[k] => self.in_order(k)?,
                group if in_blocks => self.block(group)?,
                group => group.iter().try_for_each(|&k| self.in_order(k))?,
            }
        }
        Some(())
    }

    /// What is added to a sum in the rounds of a vector; of differences, what is taken from it, if `takes` says so.
    fn added(&mut self, k: usize, takes: bool) -> Option<Value> {
        let original = self.plan.round.phis[k];
        let sum = self.nexts[k].as_inst()?;
        let (op, &[a, b]) = (self.f.op(sum), self.f.args(sum)) else { return None };
        let added = self.vector(if a == Value::inst(original) { b } else { a })?;
        if op != Op::FSub || takes {
            return Some(added);
        }
        let (at, ty) = (At::BeforeTerminator(self.round.header), self.f.type_of(added));
        Some(self.make(at, Op::FNeg, ty, &[added], 0))
    }

    /// Two to four sums in the lanes of one vector.
    fn block(&mut self, group: &[usize]) -> Option<()> {
        let ty = vector_of(Type::F32, self.plan.lanes)?;
        let at = At::BeforeTerminator(self.round.header);
        let is_difference =
            |&k: &usize| self.nexts[k].as_inst().is_some_and(|sum| self.f.op(sum) == Op::FSub);
        let takes = group.iter().all(is_difference);
        let mut rows: Vec<Value> = Vec::with_capacity(LANES);
        for &k in group {
            rows.push(self.added(k, takes)?);
        }
        // The lane of each sum: those of two are apart, so that one step is enough to bring them there.
        let lanes: &[u32] = if group.len() == 2 { &[0, 2] } else { &[0, 1, 2, 3] };
        let mut zip = |op: Op, a: Value, b: Value| self.make(at, op, ty, &[a, b], 0);
        let (first, third) = if group.len() == 2 { (rows[0], rows[1]) } else { (rows[0], rows[2]) };
        let outer = [zip(Op::ZipLow, first, third), zip(Op::ZipHigh, first, third)];
        let inner = match *rows.as_slice() {
            [_, second, _] => [zip(Op::ZipLow, second, second), zip(Op::ZipHigh, second, second)],
            [_, second, _, fourth] => [zip(Op::ZipLow, second, fourth), zip(Op::ZipHigh, second, fourth)],
            _ => outer,
        };
        let mut columns = Vec::with_capacity(LANES);
        for (a, b) in outer.into_iter().zip(inner) {
            columns.extend([zip(Op::ZipLow, a, b), zip(Op::ZipHigh, a, b)]);
        }
        // What they begin with.
        let in_front = At::BeforeTerminator(self.before);
        let firsts: Vec<Value> = group.iter().map(|&k| self.f.arg(self.round.phis[k], self.enters)).collect();
        let mut begins = self.make(in_front, Op::Splat, ty, &[firsts[0]], 0);
        for (&v, &lane) in firsts.iter().zip(lanes).filter(|(v, _)| **v != firsts[0]) {
            begins = self.make(in_front, Op::InsertLane, ty, &[begins, v], lane);
        }
        let own = self.f.insert_phi(self.round.header, ty, self.place);
        let op = if takes { Op::FSub } else { Op::FAdd };
        let sum = columns
            .into_iter()
            .fold(Value::inst(own), |sum, column| self.make(at, op, ty, &[sum, column], 0));
        self.f.set_arg(own, self.enters, begins);
        self.f.set_arg(own, self.back, sum);
        self.firsts.extend(group.iter().zip(lanes).map(|(&k, &lane)| (k, sum, lane)));
        Some(())
    }

    /// Adds the lanes of what is added to a sum of floats, one after the other.
    fn in_order(&mut self, k: usize) -> Option<()> {
        let at = At::BeforeTerminator(self.round.header);
        let own = self.round.phis[k];
        let added = self.added(k, false)?;
        let ty = self.f.type_of(added);
        if !self.plan.vectors.has(Op::ReduceFAdd, ty) || self.plan.roles.sums() > MOST_FIRSTS {
            let next = self.make(at, Op::ReduceFAdd, Type::F32, &[Value::inst(own), added], 0);
            self.f.set_arg(own, self.back, next);
            return Some(());
        }
        // The sum stays in a vector, whose other lanes are nothing.
        let (none, first) = (Value::undef(ty), self.f.arg(own, self.enters));
        let begins = self.make(At::BeforeTerminator(self.before), Op::InsertLane, ty, &[none, first], 0);
        let phi = self.f.insert_phi(self.round.header, ty, self.place);
        let sum = self.make(at, Op::ExtractLane, Type::F32, &[Value::inst(phi)], 0);
        let sum = self.make(at, Op::ReduceFAdd, Type::F32, &[sum, added], 0);
        let next = self.make(at, Op::InsertLane, ty, &[none, sum], 0);
        self.f.set_arg(phi, self.enters, begins);
        self.f.set_arg(phi, self.back, next);
        self.firsts.push((k, next, 0));
        Some(())
    }
}
