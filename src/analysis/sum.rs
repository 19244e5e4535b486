//! Sums, and how instructions are taken apart into them: the one place that says of what an addition, a difference, a
//! product by a number, a shift and an address are multiples.
//!
//! A sum is a number and atoms with factors, compared part by part. What its atoms are, who asks decides: products
//! for `evolution`, values for `alias`. Sums are of integers: who adds up numbers of 32 bits that may
//! wrap around knows them modulo 2^32 only. Factors are checked: what does not fit 64 bits is no sum.
//!
//! O(operands) an instruction; sums have at most `MOST_TERMS` terms, and `flatten` takes at most `MOST_STEPS`.

use crate::base::Handle;
use crate::ir::{Body, Env, Inst, Op, Shape, Type, Value};

/// Terms of a sum.
const MOST_TERMS: usize = 6;
/// Values that are looked at to take one apart, and those that wait for it.
const MOST_STEPS: usize = 24;
const MOST_OPEN: usize = 8;

/// A number, and atoms with their factors, in the order of atoms, none of them 0.
#[derive(Copy, Clone)]
pub struct Sum<T> {
    constant: i64,
    terms: [(T, i64); MOST_TERMS],
    count: u8,
}

impl<T: Copy + Ord> PartialEq for Sum<T> {
    fn eq(&self, other: &Sum<T>) -> bool {
        self.constant == other.constant && self.terms() == other.terms()
    }
}

impl<T: Copy + Ord> Eq for Sum<T> {}

impl<T: std::fmt::Debug> std::fmt::Debug for Sum<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Sum").field(&self.constant).field(&&self.terms[..self.count as usize]).finish()
    }
}

impl<T: Copy + Ord + Default> Sum<T> {
    /// A number.
    pub fn number(constant: i64) -> Sum<T> {
        Sum { constant, terms: [(T::default(), 0); MOST_TERMS], count: 0 }
    }

    /// An atom.
    pub fn atom(atom: T) -> Sum<T> {
        let mut sum = Sum::number(0);
        sum.terms[0] = (atom, 1);
        sum.count = 1;
        sum
    }

    /// So many times the sum; none if it does not fit.
    pub fn times(&self, by: i64) -> Option<Sum<T>> {
        Sum::number(0).plus(self, by)
    }
}

impl<T: Copy + Ord> Sum<T> {
    /// The number in it.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// Atoms and their factors.
    pub fn terms(&self) -> &[(T, i64)] {
        &self.terms[..self.count as usize]
    }

    /// The number that it is, if it is one.
    pub fn as_number(&self) -> Option<i64> {
        (self.count == 0).then_some(self.constant)
    }

    /// Adds a number; none if it does not fit.
    pub fn add_number(&mut self, number: i64) -> Option<()> {
        self.constant = self.constant.checked_add(number)?;
        Some(())
    }

    /// Adds a multiple of an atom; none if it does not fit.
    #[inline]
    pub fn add(&mut self, atom: T, factor: i64) -> Option<()> {
        let count = self.count as usize;
        // Mostly it is the greatest.
        let at = match self.terms().last() {
            Some(last) if last.0 >= atom => self.terms().iter().position(|term| term.0 >= atom)?,
            _ => count,
        };
        if at < count && self.terms[at].0 == atom {
            self.terms[at].1 = self.terms[at].1.checked_add(factor)?;
            if self.terms[at].1 == 0 {
                self.terms.copy_within(at + 1..count, at);
                self.count -= 1;
            }
        } else if factor != 0 {
            if count == MOST_TERMS {
                return None;
            }
            self.terms.copy_within(at..count, at + 1);
            self.terms[at] = (atom, factor);
            self.count += 1;
        }
        Some(())
    }

    /// Adds so many times another sum; none if it does not fit.
    pub fn add_all(&mut self, other: &Sum<T>, by: i64) -> Option<()> {
        self.add_number(other.constant.checked_mul(by)?)?;
        // Fast path: nearly all begin with the sum of a first operand, which has terms in order.
        if self.count == 0 && by != 0 {
            for (own, &(atom, factor)) in self.terms.iter_mut().zip(other.terms()) {
                *own = (atom, factor.checked_mul(by)?);
            }
            self.count = other.count;
            return Some(());
        }
        other.terms().iter().try_for_each(|&(atom, factor)| self.add(atom, factor.checked_mul(by)?))
    }

    /// With a multiple of an atom; none if it does not fit.
    pub fn with(mut self, atom: T, factor: i64) -> Option<Sum<T>> {
        self.add(atom, factor)?;
        Some(self)
    }

    /// With a number, modulo 2^64.
    pub fn and(&self, number: i64) -> Sum<T> {
        Sum { constant: self.constant.wrapping_add(number), ..*self }
    }

    /// With so many times another sum; none if it does not fit.
    pub fn plus(mut self, other: &Sum<T>, by: i64) -> Option<Sum<T>> {
        self.add_all(other, by)?;
        Some(self)
    }

    /// How far it is from another one, if that is a number.
    pub fn distance(&self, other: &Sum<T>) -> Option<i64> {
        if self.terms() == other.terms() { self.constant.checked_sub(other.constant) } else { None }
    }
}

/// So many times a value.
pub type Multiple = (Value, i64);

/// What a number of 32 bits is the sum of, modulo 2^32: a multiple of an operand, and perhaps one of another. (Called, it takes
/// a sixth of `reassociate`.)
#[inline(always)]
pub fn multiples(f: &Body, i: Inst) -> Option<(Multiple, Option<Multiple>)> {
    let &[a, b] = f.args(i) else { return None };
    match f.op(i) {
        _ if f.ty(i) != Type::I32 => None,
        Op::Add => Some(((a, 1), Some((b, 1)))),
        Op::Sub => Some(((a, 1), Some((b, -1)))),
        Op::Mul => Some(((a, f.as_int(b)?), None)),
        Op::Shl => Some(((a, 1 << f.as_int(b).filter(|x| (0..32).contains(x))?), None)),
        _ => None,
    }
}

/// Takes an instruction apart: what `multiples` says of a number; of an address its base and subscripts, with the bytes that
/// each is worth, if they are what they seem. None if it is something else, or an operand is refused.
#[inline]
pub fn summands(env: &Env, f: &Body, i: Inst, mut each: impl FnMut(Value, i64) -> Option<()>) -> Option<()> {
    if f.op(i) != Op::ElemAddr {
        let ((a, factor), other) = multiples(f, i)?;
        each(a, factor)?;
        return other.map_or(Some(()), |(b, factor)| each(b, factor));
    }
    each(f.arg(i, 0), 1)?;
    let mut shape = Shape::new(f.payload(i) as usize);
    for &subscript in &f.args(i)[1..] {
        let (element, stride) = env.shapes.element_and_bytes(shape);
        each(subscript, i64::try_from(stride).ok()?)?;
        shape = element;
    }
    Some(())
}

/// Takes a value apart, and what it is the sum of, as far as it may be opened: atoms and numbers with their factors. None
/// if one is refused.
pub fn flatten(
    env: &Env,
    f: &Body,
    v: Value,
    mut opens: impl FnMut(Inst) -> bool,
    mut each: impl FnMut(Value, i64) -> Option<()>,
) -> Option<()> {
    let mut open = [(v, 1i64); MOST_OPEN];
    let (mut count, mut steps) = (1, 0);
    while count > 0 {
        count -= 1;
        steps += 1;
        let ((v, factor), rest) = (open[count], count);
        let push = |v: Value, by: i64| {
            *open.get_mut(count)? = (v, factor.checked_mul(by)?);
            count += 1;
            Some(())
        };
        let opened = v.as_inst().filter(|&i| steps < MOST_STEPS && opens(i));
        if opened.and_then(|i| summands(env, f, i, push)).is_none() {
            count = rest;
            each(v, factor)?;
        }
    }
    Some(())
}

/// What a value is a number more than, and that number, as far as one may look.
pub fn peel(env: &Env, f: &Body, v: Value, may_look: impl Fn(Inst) -> bool) -> (Value, i64) {
    let (mut at, mut sum) = (v, 0i64);
    for _ in 0..MOST_OPEN {
        let may_be_more = |i: Inst| matches!(f.op(i), Op::Add | Op::Sub | Op::ElemAddr);
        let Some(i) = at.as_inst().filter(|&i| may_be_more(i) && may_look(i)) else { break };
        let (mut base, mut number) = (None, sum);
        let taken = summands(env, f, i, |v, factor| {
            match f.as_int(v) {
                Some(x) => number = number.checked_add(x.checked_mul(factor)?)?,
                None if factor == 1 && base.is_none() => base = Some(v),
                None => return None,
            }
            Some(())
        });
        let Some(base) = base.filter(|_| taken.is_some()) else { break };
        (at, sum) = (base, number);
    }
    (at, sum)
}
