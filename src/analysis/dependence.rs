//! Data dependence in nests of loops: whether two accesses may touch the same byte in rounds that are to each other
//! as asked, `a[i][j]` of one round and `a[i - 1][j]` of the next one.
//!
//! An access is a sum over the numbers of the rounds of the loops around it (`evolution`): a rest that no loop of the nest
//! changes, and a stride for each loop. How far two accesses are apart is linear in the rounds of both. For a direction in
//! each loop (`Direction`; Allen and Kennedy, "Optimizing compilers for modern architectures", 2001, chapter 3) these tests
//! look for a proof that they do not meet:
//!
//! | test | says |
//! | --- | --- |
//! | objects | they are in different ones |
//! | GCD | the distance is never in the window, modulo what all strides have in common |
//! | Banerjee | its least and its greatest value are on one side of the window |
//! | rows | for no distance in whole rounds of the loop with the longest stride do the others reach the window |
//! | | a stride that is no number (`a[i * n + j]`) is at least as long as what the loops inside go over |
//!
//! U. Banerjee, "Dependence analysis for supercomputing" (1988); for the last ones V. Maslov, "Delinearization: an efficient
//! way to break multiloop dependence equations" (1992). LLVM's `DependenceAnalysis` and GCC's `tree-data-ref` do the same
//! for a pair of accesses at a time, as is done here: nothing is kept. O(loops) a question without strides that are no
//! numbers.
//!
//! **Wrapping.** Sums are congruent to addresses modulo 2^32, and no object has 2^31 bytes. So what two accesses in the first
//! rounds of all loops are apart, and two of one access in rounds that follow each other, is the residue of the sum that
//! has a sign: both stand in each round of each of their loops. From there addresses are linear, in integers. That is
//! why accesses that do not stand in each round are unknown here.

use super::alias::may_share;
use super::evolution::{Atom, Evolution, Sum, peel};
use super::memory::{Base, base_of};
use super::simple_loop::SimpleLoop;
use super::trips::TripCount;
use super::{Dominators, Loops};
use crate::base::graph::Loop;
use crate::ir::{Body, Env, FuncId, Inst, Op, Value};

/// Loops of a nest, one in the other.
pub const MOST_LOOPS: usize = 4;
/// Distances in whole rounds that are looked at.
const MOST_DISTANCES: usize = 16;
/// Rounds of a loop of which nothing is known.
const ENDLESS: i64 = 1 << 32;

/// In which round of a loop the second of two accesses is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// In the same as the first one.
    Equal,
    /// In a later one, by at most so many rounds.
    Later(i64),
    /// In an earlier one.
    Earlier,
    /// In any.
    Any,
}

/// A loop of a nest.
#[derive(Copy, Clone, Debug)]
struct Level {
    l: Loop,
    /// Rounds, at most.
    most: i64,
    /// How many they are, of what the nest does not change.
    count: Option<Sum>,
}

/// Loops, one in the other, outermost first.
#[derive(Clone, Debug)]
pub struct Nest<'a> {
    env: &'a Env,
    /// The outermost loop around them: sums are those of its rounds, and theirs.
    root: Loop,
    func: FuncId,
    levels: Vec<Level>,
}

/// An access of memory in a nest.
#[derive(Clone, Debug)]
pub struct Access {
    /// The load or store.
    pub inst: Inst,
    /// Whether it is a store.
    pub is_write: bool,
    base: Base,
    bytes: i64,
    form: Option<Form>,
}

/// An address.
#[derive(Copy, Clone, Debug)]
struct Form {
    /// What is the same in all rounds of the nest.
    rest: Sum,
    /// Per level: what it goes up by in a round.
    strides: [Sum; MOST_LOOPS],
}

/// What a nest stands in.
#[derive(Copy, Clone)]
pub struct Around<'a> {
    /// What all functions share.
    pub env: &'a Env,
    /// The function,
    pub f: &'a Body,
    /// its loops,
    pub loops: &'a Loops,
    /// and its dominator tree.
    pub dominators: &'a Dominators,
}

impl<'a> Nest<'a> {
    /// The loops from one to one inside of it; none if they are more than `MOST_LOOPS`, or not in simplified form.
    pub fn of(around: Around<'a>, evolution: &mut Evolution, outer: Loop, inner: Loop) -> Option<Nest<'a>> {
        let Around { env, f, loops, dominators } = around;
        let mut chain = vec![inner];
        while let Some(&l) = chain.last().filter(|&&l| l != outer) {
            chain.push(loops.parent[l].get()?);
            if chain.len() > MOST_LOOPS {
                return None;
            }
        }
        chain.reverse();
        let mut root = outer;
        while let Some(l) = loops.parent[root].get() {
            root = l;
        }
        let mut nest = Nest { env, root, func: f.func, levels: Vec::new() };
        for l in chain {
            let simple = SimpleLoop::of(f, (loops, dominators), l)?;
            let mut level = Level { l, most: ENDLESS, count: None };
            match simple.trip_count(env).or_else(|| simple.trip_count_up_to()) {
                Some(TripCount::Constant(n)) => level.most = n.into(),
                Some(TripCount::Distance(from, to, more)) => {
                    let mut sum = |v: Value| {
                        let sum = evolution.operand(env, (f, loops), Some(l), v);
                        evolution.expand((f, loops), (root, l), &sum)
                    };
                    let count = sum(to).zip(sum(from)).and_then(|(to, from)| to.plus(&from, -1));
                    level.count = count.map(|count| count.and(more));
                    let [from, to] = [from, to].map(|v| interval(around, v));
                    let most = from.zip(to).map(|([least, _], [_, greatest])| greatest - least + more);
                    level.most = most.unwrap_or(ENDLESS).max(1);
                }
                None => {}
            }
            nest.levels.push(level);
        }
        let is_fixed =
            |count: &Sum| count.terms().iter().all(|term| evolution.is_invariant((f, loops), outer, term.0));
        nest.levels.iter_mut().for_each(|level| level.count = level.count.filter(is_fixed));
        Some(nest)
    }

    /// Takes for granted that the innermost loop does no more rounds than this.
    pub fn assume(&mut self, rounds: i64) {
        if let Some(level) = self.levels.last_mut() {
            level.most = level.most.min(rounds);
        }
    }

    /// An access in a block of the nest.
    pub fn access(&self, around: Around, evolution: &mut Evolution, i: Inst) -> Option<Access> {
        let f = around.f;
        let (at, ty) = match (f.op(i), f.args(i)) {
            (Op::Load, &[at]) => (at, f.ty(i)),
            (Op::Store, &[v, at]) => (at, f.type_of(v)),
            // Of its first lane (`loop_vectorize`).
            (Op::MaskedStore, &[v, at, _]) => (at, f.type_of(v).element()),
            _ => return None,
        };
        let bytes = around.env.shapes.bytes_of(ty).into();
        let form = self.form(around, evolution, (i, at));
        Some(Access { inst: i, is_write: f.op(i) != Op::Load, base: base_of(f, at), bytes, form })
    }

    fn form(&self, around: Around, evolution: &mut Evolution, (i, v): (Inst, Value)) -> Option<Form> {
        let Around { env, f, loops, dominators } = around;
        let block = f.block_of(i)?;
        let home = loops.innermost[block].get()?;
        // In each round of all loops around it.
        let mut inside = self.levels.iter().take_while(|level| loops.holds(level.l, home));
        let in_each = |level: &Level| loops.latches(level.l).iter().all(|&b| dominators.dominates(block, b));
        if !inside.all(in_each) || !self.levels.iter().any(|level| level.l == home) {
            return None;
        }
        let outer = self.levels.first()?.l;
        let sum = evolution.operand(env, (f, loops), Some(home), v);
        let sum = evolution.expand((f, loops), (self.root, home), &sum)?;
        let mut form = Form { rest: Sum::number(sum.constant()), strides: [Sum::number(0); MOST_LOOPS] };
        for &(product, factor) in sum.terms() {
            if evolution.is_invariant((f, loops), outer, product) {
                form.rest = form.rest.with(product, factor)?;
                continue;
            }
            let atoms: Vec<Atom> = evolution.atoms(product).collect();
            let level_of = |atom: &Atom| self.levels.iter().position(|level| *atom == Atom::Trip(level.l));
            let at = atoms.iter().position(|atom| level_of(atom).is_some())?;
            let level = level_of(&atoms[at])?;
            let mut stride = Sum::number(factor);
            for (_, &atom) in atoms.iter().enumerate().filter(|&(k, _)| k != at) {
                stride = evolution.times(&stride, atom)?;
            }
            let is_fixed = |term: &(_, i64)| evolution.is_invariant((f, loops), outer, term.0);
            if !stride.terms().iter().all(is_fixed) {
                return None;
            }
            form.strides[level] = form.strides[level].plus(&stride, 1)?;
        }
        Some(form)
    }

    /// False if two accesses never have a byte in common where the second is, loop by loop, in rounds as the
    /// directions say. A loop that does not hold one of them may have any.
    pub fn may_meet(&self, a: &Access, b: &Access, directions: &[Direction]) -> bool {
        if !may_share(self.env, self.func, a.base, b.base) {
            return false;
        }
        let (Some(x), Some(y)) = (&a.form, &b.form) else { return true };
        let Some(distance) = y.rest.distance(&x.rest).map(residue) else { return true };
        let window = [-b.bytes, a.bytes];
        let all: [[&Sum; 2]; MOST_LOOPS] = std::array::from_fn(|k| [&x.strides[k], &y.strides[k]]);
        let strides = &all[..self.levels.len()];
        let is_number = |pair: &[&Sum; 2]| pair.iter().all(|sum| sum.as_number().is_some());
        let Some(row) = strides.iter().position(|pair| !is_number(pair)) else {
            return self.numbers_may_meet(strides, (distance, window), directions);
        };
        // Of strides that are no numbers both have the same, in one loop.
        let [stride, other] = strides[row];
        if stride != other || strides.iter().skip(row + 1).any(|pair| !is_number(pair)) {
            return true;
        }
        let same_row = || {
            let zero = Sum::number(0);
            let mut all = all;
            all[row] = [&zero, &zero];
            self.numbers_may_meet(&all[..self.levels.len()], (distance, window), directions)
        };
        match directions[row] {
            Direction::Equal => same_row(),
            Direction::Later(_) | Direction::Earlier => {
                self.rows_may_meet(strides, row, (distance, window), directions)
            }
            Direction::Any => same_row() || self.rows_may_meet(strides, row, (distance, window), directions),
        }
    }

    /// The same for strides that are numbers: GCD and Banerjee's bounds.
    fn numbers_may_meet(
        &self,
        strides: &[[&Sum; 2]],
        (distance, [below, above]): (i64, [i64; 2]),
        directions: &[Direction],
    ) -> bool {
        let (mut common, mut low, mut high) = (0u64, i128::from(distance), i128::from(distance));
        for ((level, pair), &direction) in self.levels.iter().zip(strides).zip(directions) {
            let [a, b] = pair.map(|sum| residue(sum.constant()));
            let last = level.most - 1;
            let Some(corners) = corners(direction, last) else { return false };
            let at = |&[x, y]: &[i64; 2]| i128::from(b) * i128::from(y) - i128::from(a) * i128::from(x);
            low += corners.iter().map(at).min().unwrap_or(0);
            high += corners.iter().map(at).max().unwrap_or(0);
            for factor in if direction == Direction::Equal { [b.wrapping_sub(a), 0] } else { [a, b] } {
                common = gcd(common, factor.unsigned_abs());
            }
        }
        if high <= i128::from(below) || low >= i128::from(above) {
            return false;
        }
        // The least distance of those that may be which is not below the window.
        let common = i128::from(common);
        let ahead = match common {
            0 => i128::from(distance),
            _ => i128::from(below) + 1 + (i128::from(distance) - i128::from(below) - 1).rem_euclid(common),
        };
        ahead > i128::from(below) && ahead < i128::from(above) && {
            let window = [below, above].map(i128::from);
            self.whole_rounds_may_meet(strides, (distance.into(), window), directions)
        }
    }

    /// The same, loop by loop, the one with the longest stride first: in how many whole rounds two accesses may be apart
    /// there, if the loops with shorter ones go over what is left. Where rows do not overlap that is one number, or none.
    fn whole_rounds_may_meet(
        &self,
        strides: &[[&Sum; 2]],
        (distance, [below, above]): (i128, [i128; 2]),
        directions: &[Direction],
    ) -> bool {
        // What both go by: the stride, and how many rounds they are apart.
        let mut rows: Vec<(i128, [i128; 2])> = Vec::new();
        // What all the others may add.
        let mut others = [0i128; 2];
        for ((level, pair), &direction) in self.levels.iter().zip(strides).zip(directions) {
            let [a, b] = pair.map(|sum| i128::from(residue(sum.constant())));
            let Some(corners) = corners(direction, level.most - 1) else { return false };
            let range = |[a, b]: [i128; 2]| {
                let at = |&[x, y]: &[i64; 2]| b * i128::from(y) - a * i128::from(x);
                [corners.iter().map(at).min().unwrap_or(0), corners.iter().map(at).max().unwrap_or(0)]
            };
            if a == b {
                rows.push((a, range([1, 1])));
            } else {
                let [low, high] = range([a, b]);
                others = [others[0] + low, others[1] + high];
            }
        }
        rows.retain(|row| row.0 != 0);
        rows.sort_by_key(|row| row.0.abs());
        // Per loop: what those with shorter strides may add.
        let mut rest = vec![others];
        for &(stride, apart) in &rows {
            let ends = apart.map(|rounds| rounds * stride);
            let [low, high] = rest.last().copied().unwrap_or(others);
            rest.push([low + ends[0].min(ends[1]), high + ends[0].max(ends[1])]);
        }
        let mut open = vec![(rows.len(), distance)];
        for _ in 0..MOST_DISTANCES {
            let Some((count, distance)) = open.pop() else { return false };
            let Some(k) = count.checked_sub(1) else {
                if distance + others[1] > below && distance + others[0] < above {
                    return true;
                }
                continue;
            };
            // The stride times the rounds has to be inside of these.
            let (stride, [fewest, most]) = rows[k];
            let [low, high] = [below - distance - rest[k][1] + 1, above - distance - rest[k][0] - 1];
            let [low, high] = if stride < 0 { [-high, -low] } else { [low, high] };
            let stride_up = stride.abs();
            let first = fewest.max(-(-low).div_euclid(stride_up));
            let last = most.min(high.div_euclid(stride_up));
            if last - first > MOST_DISTANCES as i128 {
                return true;
            }
            open.extend((first..=last).map(|rounds| (k, distance + stride * rounds)));
        }
        !open.is_empty()
    }

    /// The same for two in different rounds of a loop whose stride is no number: what the others go over may be at
    /// least as long.
    fn rows_may_meet(
        &self,
        strides: &[[&Sum; 2]],
        row: usize,
        (distance, [below, above]): (i64, [i64; 2]),
        directions: &[Direction],
    ) -> bool {
        let longest = || {
            let mut sum = Sum::number(distance.checked_abs()?.checked_add(above.max(-below))?);
            for (k, level) in self.levels.iter().enumerate().filter(|&(k, _)| k != row) {
                let [a, b] = strides[k].map(|sum| residue(sum.constant()));
                if a != b {
                    return None;
                }
                let count = if level.most < ENDLESS { Sum::number(level.most) } else { level.count? };
                if directions[k] != Direction::Equal {
                    sum = sum.plus(&count.and(-1), a.checked_abs()?)?;
                }
            }
            Some(sum)
        };
        let Some(longest) = longest() else { return true };
        let reaches = |sign| {
            strides[row][0].times(sign).and_then(|row| row.distance(&longest)).is_none_or(|rest| rest < 0)
        };
        reaches(1) && reaches(-1)
    }

    /// How many bytes an access moves on in a round of a loop of the nest, if that is a number.
    pub fn stride(&self, access: &Access, level: usize) -> Option<i64> {
        access.form.as_ref()?.strides[level].as_number()
    }

    /// By how many rounds of a loop of the nest the first of two accesses comes to the bytes of the second later, if always
    /// by as many, and the loop moves on.
    pub fn lead(&self, a: &Access, b: &Access, level: usize) -> Option<i64> {
        let (x, y) = (a.form.as_ref()?, b.form.as_ref()?);
        let stride = x.strides[level].as_number().filter(|&stride| stride != 0)?;
        let distance = y.rest.distance(&x.rest)?;
        let fits = x.strides == y.strides && a.bytes == b.bytes && distance % stride == 0;
        fits.then_some(distance / stride)
    }

    /// How many bytes the first of two accesses is behind the second in the same rounds, if always as many.
    pub fn distance(&self, a: &Access, b: &Access) -> Option<i64> {
        let (x, y) = (a.form.as_ref()?, b.form.as_ref()?);
        y.rest.distance(&x.rest).map(|bytes| -residue(bytes)).filter(|_| x.strides == y.strides)
    }

    /// True if two accesses are to the same bytes in the same rounds; of two nests that go round equally often, in rounds
    /// of the same number.
    pub fn is_same(&self, a: &Access, b: &Access) -> bool {
        let (Some(x), Some(y)) = (&a.form, &b.form) else { return false };
        x.rest == y.rest && x.strides == y.strides && a.bytes == b.bytes
    }

    /// True if in which round of a loop an access is does not matter.
    pub fn stays(&self, access: &Access, level: usize) -> bool {
        self.stride(access, level) == Some(0)
    }
}

/// The least and the greatest number that a value is, if it is a number, or so much more than what a loop counts with.
fn interval(around: Around, v: Value) -> Option<[i64; 2]> {
    let Around { env, f, loops, dominators } = around;
    if let Some(x) = f.as_int(v) {
        return Some([x, x]);
    }
    let (v, more) = peel(env, f, v, |_| true);
    let phi = v.as_inst().filter(|&i| f.op(i) == Op::Phi)?;
    let b = f.block_of(phi)?;
    let l = loops.innermost[b].get().filter(|&l| loops.header[l] == b)?;
    let simple = SimpleLoop::of(f, (loops, dominators), l)?;
    let counted = simple.counted(simple.latch).filter(|counted| counted.phi == phi)?;
    let limits = simple.limits(&counted)?.map(|x| x + more);
    limits.iter().all(|&x| i32::try_from(x).is_ok()).then_some(limits)
}

/// The number of 31 bits and a sign that is congruent: how far two accesses of one object are apart.
fn residue(distance: i64) -> i64 {
    i64::from(distance as i32)
}

/// The corners of what the rounds of two accesses may be, of which the last one is known; none if there are no such rounds.
fn corners(direction: Direction, last: i64) -> Option<[[i64; 2]; 4]> {
    match direction {
        Direction::Equal => Some([[0, 0], [0, 0], [last, last], [last, last]]),
        Direction::Any => Some([[0, 0], [0, last], [last, 0], [last, last]]),
        Direction::Later(most) if last > 0 && most > 0 => {
            let most = most.min(last);
            Some([[0, 1], [0, most], [last - 1, last], [last - most, last]])
        }
        Direction::Earlier if last > 0 => Some([[1, 0], [last, 0], [last, last - 1], [last, last - 1]]),
        _ => None,
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests;
