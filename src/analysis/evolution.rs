//! Scalar evolution: what integers of 32 bits and addresses are, as sums of products over the number of the
//! round that a loop is in.
//!
//! | value | sum |
//! | --- | --- |
//! | `i = phi [a], [i + 2]` of the loop `l` | a + 2 trip(l) |
//! | `s = phi [0], [s + i]` beside it | a trip(l) + 2 pairs(l), where pairs is trip (trip - 1) / 2 |
//! | `i * n + 3` | 3 + a n + 2 n trip(l) |
//! | the address of `x[i][1]`, rows of 10 | x + 4 + 40 a + 80 trip(l) |
//!
//! trip(l) is 0 in the first round of `l`. So a recurrence {start, +, step} is start + step trip(l), and sums that
//! start elsewhere still have the rest in common: two of them differ by a number if their products are the same
//! (`Sum::distance`). Products are hash-consed: equal ones have one handle.
//!
//! A sum is what a value is **for the loop that it stands in**: values from outside are taken as they are, but for
//! numbers that are added to them, so that a pass can compute the sum in front of the loop.
//!
//! **Wrapping**: the value is congruent to its sum modulo 2^32; it is the sum, in integers, if nothing on the way
//! has wrapped around. A sum of an address takes that for granted of its subscripts; who reads it has to know
//! why, as `alias` and `strength` say of theirs. Factors are checked: a sum that does not fit 64 bits is a value
//! like any other.
//!
//! Computed for bodies with loops, in one walk in reverse postorder: a phi is a recurrence if what it is next is
//! itself and what the loop does not change, or what goes up steadily, some additions away. O(operands), each sum
//! of a few terms (`sum`). What passes make on the way they `note`.
//!
//! After O. Bachmann, P. Wang and E. Zima, "Chains of recurrences" (1994), LLVM's ScalarEvolution and GCC's
//! `tree-scalar-evolution`, with closed forms in the place of chains.

use super::sum::{self, flatten, summands};
use super::{Loops, Order};
use crate::base::graph::Loop;
use crate::base::intern::DenseMap;
use crate::base::{Column, Handle, Opt};
use crate::ir::{Block, Body, Env, Inst, Op, Type, Value};

pub use super::sum::peel;

crate::handle! {
    /// A product of atoms, in order.
    pub struct Product("product");
}

/// A sum of products.
pub type Sum = sum::Sum<Product>;

crate::handle! {
    /// The sum of an instruction.
    struct Row("row");
}

/// What is multiplied.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// What a value is, of which nothing else is known here.
    Value(Value),
    /// The number of the round that a loop is in, from 0.
    Trip(Loop),
    /// That, times one less, by 2.
    Pairs(Loop),
}

/// Values that are taken apart to say what a sum is for a loop around.
const MOST_STEPS: usize = 16;
/// Atoms of a product.
const MOST_ATOMS: u32 = 3;

/// The sums of a body.
#[derive(Debug, Default)]
pub struct Evolution {
    /// Per product: its last atom,
    last: Column<Product, Atom>,
    /// the product of those before,
    before: Column<Product, Opt<Product>>,
    /// and how many there are.
    degree: Column<Product, u32>,
    products: DenseMap<(u32, Atom), Product>,
    /// Per instruction, and per loop: the product that it, or the number of its round, is by itself, if it is in any.
    leaf: Column<Inst, Opt<Product>>,
    trips: Column<Loop, Opt<Product>>,
    /// Per instruction whose sum is known: that.
    of: Column<Inst, Opt<Row>>,
    sums: Column<Row, Sum>,
}

impl PartialEq for Evolution {
    /// What has been noted beyond the computation may be in one of them only.
    fn eq(&self, other: &Evolution) -> bool {
        let known = |a: &Evolution, i: Inst| a.of.get(i).and_then(|row| row.get()).map(|row| a.sums[row]);
        let both = self.last.len().min(other.last.len());
        self.last.as_slice()[..both] == other.last.as_slice()[..both]
            && self.of.keys().all(|i| match (known(self, i), known(other, i)) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            })
    }
}

impl Evolution {
    /// Recomputes for `f`, keeping the memory.
    pub fn compute(&mut self, env: &Env, f: &Body, order: &Order, loops: &Loops) {
        self.last.clear();
        self.before.clear();
        self.degree.clear();
        self.products.clear();
        self.sums.clear();
        self.of.clear();
        self.leaf.clear();
        self.trips.clear();
        if loops.header.is_empty() {
            return;
        }
        self.of.grow_to(f.inst_count(), Opt::NONE);
        self.leaf.grow_to(f.inst_count(), Opt::NONE);
        self.trips.grow_to(loops.header.len(), Opt::NONE);
        for &b in &order.blocks {
            if let Some(l) = loops.innermost[b].get().filter(|&l| loops.header[l] == b) {
                self.note_phis(env, f, loops, l);
            }
            // Who asks, asks about values of loops.
            let l = loops.innermost[b].get();
            let mut next = if l.is_some() { f.first(b) } else { None };
            while let Some(i) = next {
                next = f.next(i);
                if has_sum(f, i) {
                    self.note_in(env, (f, loops), l, i);
                }
            }
        }
    }

    /// Takes note of an instruction: what an integer or an address is of its operands.
    pub fn note(&mut self, env: &Env, f: &Body, loops: &Loops, i: Inst) {
        if has_sum(f, i) {
            let l = f.block_of(i).and_then(|b| loops.innermost.get(b)).and_then(|l| l.get());
            self.note_in(env, (f, loops), l, i);
        }
    }

    /// Takes note of what is a sum, and of a loop that it stands in.
    fn note_in(&mut self, env: &Env, known: (&Body, &Loops), l: Option<Loop>, i: Inst) {
        let (f, mut sum) = (known.0, Sum::number(0));
        let added = summands(env, f, i, |v, factor| self.add(env, known, l, (&mut sum, v, factor)));
        if added.is_none() {
            let (Op::Mul, &[a, b]) = (f.op(i), f.args(i)) else { return };
            let [a, b] = [a, b].map(|v| self.operand(env, known, l, v));
            let Some(product) = self.multiply(&a, &b) else { return };
            sum = product;
        }
        self.set(f, i, sum);
    }

    /// Takes note of all instructions that have been made since there were so many.
    pub fn note_since(&mut self, env: &Env, f: &Body, loops: &Loops, count: usize) {
        (count..f.inst_count()).for_each(|k| self.note(env, f, loops, Inst::new(k)));
    }

    fn set(&mut self, f: &Body, i: Inst, sum: Sum) {
        self.of.grow_to(f.inst_count(), Opt::NONE);
        self.of[i] = Opt::some(self.sums.push(sum));
    }

    /// What an instruction is, for the loop that it stands in; none if it is no sum.
    #[inline]
    pub fn of(&self, i: Inst) -> Option<&Sum> {
        self.of.get(i)?.get().map(|row| &self.sums[row])
    }

    /// What a value is for a loop that it is used in.
    pub fn operand(&mut self, env: &Env, known: (&Body, &Loops), l: Option<Loop>, v: Value) -> Sum {
        let mut sum = Sum::number(0);
        _ = self.add(env, known, l, (&mut sum, v, 1));
        sum
    }

    /// Adds a multiple of a value to a sum for a loop, in place.
    fn add(
        &mut self,
        env: &Env,
        (f, loops): (&Body, &Loops),
        l: Option<Loop>,
        (sum, v, factor): (&mut Sum, Value, i64),
    ) -> Option<()> {
        if let Some(x) = f.as_int(v) {
            return sum.add_number(x.checked_mul(factor)?);
        }
        let home = |i: Inst| f.block_of(i).and_then(|b| loops.innermost.get(b)).and_then(|l| l.get());
        if let Some(i) = v.as_inst().filter(|&i| home(i) == l)
            && let Some(known) = self.of(i)
        {
            return sum.add_all(known, factor);
        }
        let (v, constant) = peel(env, f, v, |i| home(i) != l);
        sum.add(self.leaf(v), factor)?;
        sum.add_number(constant.checked_mul(factor)?)
    }

    /// A value, as it is. Fast path: nearly all have been seen, and are in the column.
    fn leaf(&mut self, v: Value) -> Product {
        let known = v.as_inst().and_then(|i| self.leaf.get(i)?.get());
        known.unwrap_or_else(|| self.product(None, Atom::Value(v)))
    }

    /// The product of one atom, if there is one. Fast path: nearly all are instructions and rounds, which have columns; with
    /// a look-up in the table for each, the analysis took a quarter more.
    fn single(&self, atom: Atom) -> Option<Product> {
        match atom {
            Atom::Trip(l) => self.trips.get(l)?.get(),
            Atom::Value(v) if v.as_inst().is_some() => self.leaf.get(v.as_inst()?)?.get(),
            _ => self.products.get(&(0, atom)).copied(),
        }
    }

    /// The product of two sums, part by part.
    fn multiply(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        let mut all = b.times(a.constant())?;
        for &(one, factor) in a.terms() {
            all = all.with(one, b.constant().checked_mul(factor)?)?;
            for &(other, by) in b.terms() {
                let product = self.product_of(one, other)?;
                all = all.with(product, factor.checked_mul(by)?)?;
            }
        }
        Some(all)
    }

    /// A sum times an atom.
    pub fn times(&mut self, sum: &Sum, atom: Atom) -> Option<Sum> {
        let atom = Sum::atom(self.product(None, atom));
        self.multiply(sum, &atom)
    }

    /// A sum for a loop in the terms of one around it: what loops between them define is taken apart as well.
    pub fn expand(
        &mut self,
        (f, loops): (&Body, &Loops),
        (outer, inner): (Loop, Loop),
        sum: &Sum,
    ) -> Option<Sum> {
        let mut sum = *sum;
        for _ in 0..MOST_STEPS {
            let parts = |atom: Atom| {
                let Atom::Value(v) = atom else { return None };
                let i = v.as_inst()?;
                let home = loops.innermost[f.block_of(i)?].get()?;
                let is_between = loops.holds(outer, home) && loops.holds(home, inner);
                self.of(i).filter(|_| is_between)
            };
            let mut terms = sum.terms().iter();
            let Some((term, of)) = terms.find_map(|&term| Some((term, *self.atoms(term.0).find_map(parts)?)))
            else {
                return Some(sum);
            };
            let (product, factor) = term;
            let mut atoms: Vec<Atom> = self.atoms(product).collect();
            let at = atoms.iter().position(|&atom| parts(atom).is_some())?;
            atoms.remove(at);
            let mut part = of.times(factor)?;
            for atom in atoms {
                part = self.times(&part, atom)?;
            }
            sum = sum.with(product, factor.checked_neg()?)?.plus(&part, 1)?;
        }
        None
    }

    /// Takes note of the phis of a loop's header: first those that go up by what the loop does not change, then
    /// those that go up by them.
    fn note_phis(&mut self, env: &Env, f: &Body, loops: &Loops, l: Loop) {
        let header = loops.header[l];
        let &[e, other] = f.preds(header) else { return };
        let is_inside = |e| loops.contains(l, f.edge_from(e));
        let (enters, goes_back) = match (is_inside(e), is_inside(other)) {
            (false, true) => (f.edge_slot(e), f.edge_slot(other)),
            (true, false) => (f.edge_slot(other), f.edge_slot(e)),
            _ => return,
        };
        for _ in 0..2 {
            for phi in f.phis(header) {
                let is_known = self.of[phi].is_some();
                if is_known || !matches!(f.ty(phi), Type::I32 | Type::Ptr) {
                    continue;
                }
                let next = f.arg(phi, goes_back);
                let Some(step) = self.step_of_phi(env, f, (loops, l), (phi, next)) else { continue };
                let start = self.operand(env, (f, loops), Some(l), f.arg(phi, enters));
                if let Some(sum) = self.recurrence(&start, &step, l) {
                    self.set(f, phi, sum);
                }
            }
        }
    }

    /// What is added to a phi in a round, if that is nothing else than what the loop does not change, and phis
    /// that are known.
    fn step_of_phi(
        &mut self,
        env: &Env,
        f: &Body,
        (loops, l): (&Loops, Loop),
        (phi, next): (Inst, Value),
    ) -> Option<Sum> {
        let (mut sum, mut has_itself) = (Sum::number(0), false);
        let is_inside = |i: Inst| f.block_of(i).is_some_and(|b: Block| loops.contains(l, b));
        let opens = |i: Inst| f.op(i) != Op::Phi && is_inside(i);
        flatten(env, f, next, opens, |v, factor| match v.as_inst().filter(|&i| is_inside(i)) {
            Some(i) if i == phi => {
                let is_first = factor == 1 && !has_itself;
                has_itself = true;
                is_first.then_some(())
            }
            Some(i) if f.op(i) == Op::Phi => sum.add_all(self.of(i)?, factor),
            Some(_) => None,
            None => self.add(env, (f, loops), Some(l), (&mut sum, v, factor)),
        })?;
        has_itself.then_some(sum)
    }

    /// start + the sum of `step` over the rounds before.
    fn recurrence(&mut self, start: &Sum, step: &Sum, l: Loop) -> Option<Sum> {
        let trip = self.product(None, Atom::Trip(l));
        let mut sum = start.with(trip, step.constant())?;
        for &(product, factor) in step.terms() {
            // Other products with the round in them would need closed forms of their own.
            let varies =
                self.atoms(product).any(|atom| matches!(atom, Atom::Trip(of) | Atom::Pairs(of) if of == l));
            let by = match varies {
                false => self.product_of(product, trip)?,
                true if product == trip => self.product(None, Atom::Pairs(l)),
                true => return None,
            };
            sum = sum.with(by, factor)?;
        }
        Some(sum)
    }

    fn product(&mut self, before: Option<Product>, last: Atom) -> Product {
        let degree = before.map_or(0, |before| self.degree[before]) + 1;
        let key = (before.map_or(0, |before| before.index() as u32 + 1), last);
        let known = if before.is_none() { self.single(last) } else { self.products.get(&key).copied() };
        if let Some(known) = known {
            return known;
        }
        self.before.push(Opt::from(before));
        self.degree.push(degree);
        let product = self.last.push(last);
        match last {
            Atom::Trip(l) if before.is_none() => {
                self.trips.grow_to(l.index() + 1, Opt::NONE);
                self.trips[l] = Opt::some(product);
            }
            Atom::Value(v) if before.is_none() && v.as_inst().is_some() => {
                if let Some(i) = v.as_inst() {
                    self.leaf.grow_to(i.index() + 1, Opt::NONE);
                    self.leaf[i] = Opt::some(product);
                }
            }
            _ => _ = self.products.insert(key, product),
        }
        product
    }

    /// One product times another one: their atoms in the order of those products that they are by themselves.
    fn product_of(&mut self, a: Product, b: Product) -> Option<Product> {
        if self.degree[a] + self.degree[b] > MOST_ATOMS {
            return None;
        }
        let mut atoms = [(None, Atom::Trip(Loop::new(0))); MOST_ATOMS as usize];
        let mut count = 0;
        for atom in self.atoms(a).chain(self.atoms(b)) {
            // There are two or three: to sort a vector took 1% of the analysis.
            let key = self.single(atom);
            let at = atoms[..count].iter().position(|known| key < known.0).unwrap_or(count);
            atoms.copy_within(at..count, at + 1);
            atoms[at] = (key, atom);
            count += 1;
        }
        atoms[..count].iter().fold(None, |all, &(_, atom)| Some(self.product(all, atom)))
    }

    /// The atoms of a product, the last one first.
    pub fn atoms(&self, product: Product) -> impl Iterator<Item = Atom> {
        let mut at = Some(product);
        std::iter::from_fn(move || {
            let product = at?;
            at = self.before[product].get();
            Some(self.last[product])
        })
    }

    /// The number of the round of a loop, by itself, if anything goes by it.
    pub fn trip(&self, l: Loop) -> Option<Product> {
        self.single(Atom::Trip(l))
    }

    /// True if a product is the same in all rounds of a loop.
    pub fn is_invariant(&self, (f, loops): (&Body, &Loops), l: Loop, product: Product) -> bool {
        self.atoms(product).all(|atom| match atom {
            Atom::Value(v) => is_outside((f, loops), l, v),
            Atom::Trip(other) | Atom::Pairs(other) => !loops.holds(l, other),
        })
    }

    /// What a sum goes up by in a round of a loop, if that is the same in each: products of values from outside, with
    /// their factors.
    pub fn stride(&self, (f, loops): (&Body, &Loops), l: Loop, sum: &Sum) -> Option<Vec<(Vec<Value>, i64)>> {
        let mut stride = Vec::new();
        for &(product, factor) in sum.terms() {
            if self.is_invariant((f, loops), l, product) {
                continue;
            }
            let (mut values, mut trips) = (Vec::new(), 0);
            for atom in self.atoms(product) {
                match atom {
                    Atom::Trip(of) if of == l => trips += 1,
                    Atom::Value(v) => values.push(v),
                    _ => return None,
                }
            }
            if trips != 1 || !values.iter().all(|&v| is_outside((f, loops), l, v)) {
                return None;
            }
            stride.push((values, factor));
        }
        Some(stride)
    }

    /// How much a sum goes up in a round of a loop, if that is a number.
    pub fn step(&self, (f, loops): (&Body, &Loops), l: Loop, sum: &Sum) -> Option<i64> {
        let trip = self.trip(l);
        let mut step = 0;
        for &(product, factor) in sum.terms() {
            if Some(product) == trip {
                step = factor;
            } else if !self.is_invariant((f, loops), l, product) {
                return None;
            }
        }
        Some(step)
    }
}

/// True for what is the sum of its operands, or of multiples of them.
#[inline]
fn has_sum(f: &Body, i: Inst) -> bool {
    match f.op(i) {
        Op::Add | Op::Sub | Op::Mul | Op::Shl => f.ty(i) == Type::I32,
        op => op == Op::ElemAddr,
    }
}

/// True if a loop does not define a value.
fn is_outside((f, loops): (&Body, &Loops), l: Loop, v: Value) -> bool {
    let home = v.as_inst().and_then(|i| f.block_of(i));
    home.is_none_or(|b| !loops.contains(l, b))
}

#[cfg(test)]
mod tests;
