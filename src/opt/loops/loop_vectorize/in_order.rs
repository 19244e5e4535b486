//! Sums of floats in order, of which several go on at once: what a vector of rounds adds to each.
//!
//! ```text
//! s0 += a[j]; ... s3 += d[j];           s0..s3 += a[j] b[j] c[j] d[j]; ... += a[j + 3] b[j + 3] c[j + 3] d[j + 3];
//! ```
//!
//! Four sums are the lanes of one vector: what is added to them in four rounds is a block of four by four, which is
//! transposed by eight instructions (`ZipLow`, `ZipHigh`), and each of its rows is added as a whole: 12 instructions for 16
//! summands, where lane by lane takes 28. Rounds that go together (`unroll_and_jam`) have such sums: with it AArch64 takes
//! 0.6 of the instructions of a product of a matrix and a vector. Two and three sums are part of a block. One, or any on a
//! machine without `ZipLow`, is made lane by lane; where that is one instruction (`ReduceFAdd`), all are.
//!
//! Where blocks of four by four rounds go together, each row is a factor of four sums: its block is transposed in front of
//! the products, which are by a lane of the other factor then (a product with a transposed matrix: 50 instructions for 64
//! summands, not 74).
//!
//! O(sums x lanes). The transposition is that of "Eklundh, A fast computer method for matrix transposing" (1972).

use super::emit::Maker;
use super::roles::Role;
use super::vector_of;
use crate::ir::legal::Vectors;
use crate::ir::{At, Op, Type, Value};

/// As many sums of floats stay in vectors of their own at a time; more have registers of floats, of which there are more.
const MOST_FIRSTS: usize = 2;
/// Lanes of a block.
const LANES: usize = 4;

/// Four vectors, or four values of the original loop.
type Block = [Value; LANES];

/// Products of one value, and of others in the order of their numbers: the rows, and which sum adds each product.
struct Factors {
    common: Value,
    rows: Block,
    sums: [usize; LANES],
}

/// True if a machine transposes blocks, and does not add up lanes in order by itself.
pub(super) fn goes_in_blocks(vectors: Vectors, lanes: u32) -> bool {
    let has = |op: Op| vector_of(Type::F32, lanes).is_some_and(|ty| vectors.has(op, ty));
    let transposes = [Op::ZipLow, Op::ZipHigh, Op::FAdd].into_iter().all(has);
    lanes as usize == LANES && transposes && !has(Op::ReduceFAdd)
}

impl Maker<'_> {
    /// Adds what is added to each sum in order.
    pub(super) fn sums_in_order(&mut self) -> Option<()> {
        let phis = self.plan.round.phis.iter().enumerate();
        let sums: Vec<usize> = phis
            .filter(|(_, phi)| self.plan.roles.of(**phi) == Some(Role::Ordered))
            .map(|(k, _)| k)
            .collect();
        let in_blocks = goes_in_blocks(self.plan.vectors, self.plan.lanes);
        // Rows that are factors of several groups are transposed once, in front of the products.
        let factors: Vec<Option<Factors>> = sums.chunks(LANES).map(|group| self.factors(group)).collect();
        let mut blocks: Vec<(Block, Block)> = Vec::new();
        for (group, factors_of) in sums.chunks(LANES).zip(&factors) {
            let is_shared =
                |of: &&Factors| factors.iter().flatten().filter(|other| other.rows == of.rows).count() > 1;
            match group {
                &[k] => self.in_order(k)?,
                group if in_blocks => {
                    self.block(group, factors_of.as_ref().filter(is_shared), &mut blocks)?
                }
                group => group.iter().try_for_each(|&k| self.in_order(k))?,
            }
        }
        Some(())
    }

    /// What four sums add or take, if those are products with one factor in common, which is in lanes.
    fn factors(&self, group: &[usize]) -> Option<Factors> {
        let &[first, ..] = group else { return None };
        let product = |k: usize| {
            let (sum, original) = (self.nexts[k].as_inst()?, Value::inst(self.plan.round.phis[k]));
            let &[a, b] = self.f.args(sum) else { return None };
            let added = if a == original { b } else { a };
            let product = added.as_inst().filter(|&i| self.f.op(i) == Op::FMul)?;
            let &[x, y] = self.f.args(product) else { return None };
            Some((self.f.op(sum), [x, y]))
        };
        let (op, both) = product(first)?;
        let is_lanes = |v: &Value| v.as_inst().is_some_and(|i| self.plan.roles.of(i) == Some(Role::Lanes));
        both.into_iter().filter(is_lanes).find_map(|common| {
            let other = |&k: &usize| match product(k)? {
                (own, [x, y]) if own == op && x == common => Some(y),
                (own, [x, y]) if own == op && y == common => Some(x),
                _ => None,
            };
            let rows: Option<Vec<(Value, usize)>> = group.iter().map(|k| Some((other(k)?, *k))).collect();
            let mut rows: [(Value, usize); LANES] = rows?.try_into().ok()?;
            rows.sort_unstable();
            Some(Factors { common, rows: rows.map(|row| row.0), sums: rows.map(|row| row.1) })
        })
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
    fn block(
        &mut self,
        group: &[usize],
        factors: Option<&Factors>,
        blocks: &mut Vec<(Block, Block)>,
    ) -> Option<()> {
        let ty = vector_of(Type::F32, self.plan.lanes)?;
        let at = At::BeforeTerminator(self.round.header);
        let group = factors.map_or(group, |factors| &factors.sums);
        let is_difference =
            |&k: &usize| self.nexts[k].as_inst().is_some_and(|sum| self.f.op(sum) == Op::FSub);
        let takes = group.iter().all(is_difference);
        // The lane of each sum: those of two are apart, so that one step is enough to bring them there.
        let lanes: &[u32] = if group.len() == 2 { &[0, 2] } else { &[0, 1, 2, 3] };
        let columns = match factors {
            Some(factors) => {
                let mut columns = match blocks.iter().find(|block| block.0 == factors.rows) {
                    Some(block) => block.1,
                    None => {
                        let rows: Option<Vec<Value>> = factors.rows.iter().map(|&v| self.vector(v)).collect();
                        let columns = self.transposed(&rows?)?;
                        blocks.push((factors.rows, columns));
                        columns
                    }
                };
                let common = self.vector(factors.common)?;
                for (lane, column) in (0..).zip(&mut columns) {
                    let one = self.make(at, Op::ExtractLane, Type::F32, &[common], lane);
                    let all = self.make(at, Op::Splat, ty, &[one], 0);
                    *column = self.make(at, Op::FMul, ty, &[*column, all], 0);
                }
                columns
            }
            None => {
                let rows: Option<Vec<Value>> = group.iter().map(|&k| self.added(k, takes)).collect();
                self.transposed(&rows?)?
            }
        };
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

    /// The columns of two to four rows; of two, each number is there twice.
    fn transposed(&mut self, rows: &[Value]) -> Option<Block> {
        let (ty, at) = (vector_of(Type::F32, self.plan.lanes)?, At::BeforeTerminator(self.round.header));
        let mut zip =
            |a: Value, b: Value| [Op::ZipLow, Op::ZipHigh].map(|op| self.make(at, op, ty, &[a, b], 0));
        let [first, second, ..] = *rows else { return None };
        let outer = zip(first, rows.get(2).copied().unwrap_or(second));
        let inner = match rows.len() {
            2 => outer,
            _ => zip(second, rows.get(3).copied().unwrap_or(second)),
        };
        let [[a, b], [c, d]] = [zip(outer[0], inner[0]), zip(outer[1], inner[1])];
        Some([a, b, c, d])
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
