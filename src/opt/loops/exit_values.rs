//! What a value of a loop is behind it, computed in front of it: its sum (`analysis/evolution`) in the last round, or where
//! it goes up by a number modulo another one, the product that it has been modulo that. O(products of the sum).
//!
//! After LLVM's `computeExitValue`, and R. van Engelen, "Efficient symbolic analysis for optimizing compilers" (2001), up to
//! second order.

use crate::analysis::evolution::{Atom, Evolution, Sum};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::base::graph::Loop;
use crate::ir::{At, Body, IntPred, Op, Place, Type, Value};

/// What a value is behind the loop.
#[derive(Copy, Clone)]
pub enum Last {
    /// What it was in front.
    Same(Value),
    /// This sum, in the last round.
    Sum(Loop, Sum),
    /// What a variable is after all rounds, or all but one, that goes up from a value by a number, modulo another one.
    Modular {
        /// From here,
        start: Value,
        /// by so much in each round,
        step: Value,
        /// modulo this.
        modulus: i64,
        /// It is what the last round began with.
        is_before: bool,
    },
}

/// Products of a sum that is computed behind a loop.
const MOST_PRODUCTS: usize = 3;

/// What a value is behind the loop, if that can be said: a sum of what the loop does not change and of the number
/// of the round, of whose square only where it is known how many rounds there are.
pub fn last_of(around: &SimpleLoop, evolution: &Evolution, trips: TripCount, v: Value) -> Option<Last> {
    if around.is_outside(v) {
        return Some(Last::Same(v));
    }
    let may_square = matches!(trips, TripCount::Constant(_));
    let is_known = |atom: Atom| match atom {
        Atom::Value(v) => around.is_outside(v),
        Atom::Trip(l) => l == around.l,
        Atom::Pairs(l) => l == around.l && may_square,
    };
    let sum = v.as_inst().filter(|&i| around.f.ty(i) == Type::I32).and_then(|i| evolution.of(i));
    let fits = |sum: &&Sum| {
        let mut products = sum.terms().iter();
        let is_linear =
            |product| evolution.atoms(product).filter(|atom| matches!(atom, Atom::Trip(_))).count() < 2;
        sum.terms().len() <= MOST_PRODUCTS
            && products.all(|&(product, _)| {
                evolution.atoms(product).all(is_known) && (may_square || is_linear(product))
            })
    };
    if let Some(&sum) = sum.filter(fits) {
        return Some(Last::Sum(around.l, sum));
    }
    let (phi, is_before) = match around.phi(v) {
        Some(_) => (v, true),
        None => {
            let mut phis = around.f.phis(around.header).map(Value::inst);
            (phis.find(|&phi| around.phi(phi).is_some_and(|(_, next)| next == v))?, false)
        }
    };
    let (start, next) = around.phi(phi)?;
    let (step, modulus) = modular_step(around, phi, (start, next))?;
    Some(Last::Modular { start, step, modulus, is_before })
}

/// What a phi goes up by in a round, modulo what, if all of that is numbers, and what it is stays below the modulus
/// without wrapping around: by a remainder, or by the comparison that `ranges` makes of one.
fn modular_step(around: &SimpleLoop, phi: Value, (start, next): (Value, Value)) -> Option<(Value, i64)> {
    let f = around.f;
    let i = next.as_inst().filter(|&i| f.ty(i) == Type::I32)?;
    let (sum, modulus) = match (f.op(i), f.args(i)) {
        (Op::SRem, &[sum, modulus]) => (sum, f.as_int(modulus)?),
        (Op::Select, &[below, sum, less]) => {
            let below = below.as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
            let modulus = f.as_int(f.arg(below, 1))?;
            let is_below = f.payload(below) == IntPred::Slt as u32 && f.arg(below, 0) == sum;
            let taken = f.as_int(around.added(less, sum)?)?;
            (sum, Some(modulus).filter(|&modulus| is_below && taken == -modulus)?)
        }
        _ => return None,
    };
    let step = around.added(sum, phi)?;
    let (first, by) = (f.as_int(start)?, f.as_int(step)?);
    let stays = (0..modulus).contains(&first) && (0..modulus).contains(&by);
    (stays && i32::try_from(modulus - 1 + by).is_ok()).then_some((step, modulus))
}

/// Computes what a value is behind the last round.
pub fn compute(
    f: &mut Body,
    evolution: &Evolution,
    (at, place): (At, Place),
    trips: TripCount,
    last: Last,
) -> Value {
    let (l, sum) = match last {
        Last::Same(v) => return v,
        Last::Modular { start, step, modulus, is_before } => {
            let (mut count, one) = (count(f, (at, place), trips), f.int(1));
            let mut n = if let TripCount::Constant(n) = trips { u64::from(n) } else { 0 };
            if is_before {
                (count, n) = (make(f, (at, place), Op::Sub, count, one), n.saturating_sub(1));
            }
            return last_modular(f, at, (start, step, modulus), (count, trips), n, place);
        }
        Last::Sum(l, sum) => (l, sum),
    };
    let mut parts: Vec<(Vec<Value>, i64)> = vec![(Vec::new(), sum.constant())];
    let mut add = |values: Vec<Value>, factor: i64| match parts.iter_mut().find(|part| part.0 == values) {
        Some(part) => part.1 = part.1.wrapping_add(factor),
        None => parts.push((values, factor)),
    };
    let rounds = sum.terms().iter().any(|term| evolution.atoms(term.0).any(|atom| atom == Atom::Trip(l)));
    let rounds = (rounds && !matches!(trips, TripCount::Constant(_))).then(|| count(f, (at, place), trips));
    for &(product, factor) in sum.terms() {
        let value = |atom: Atom| if let Atom::Value(v) = atom { Some(v) } else { None };
        let values: Vec<Value> = evolution.atoms(product).filter_map(value).collect();
        let varies = evolution.atoms(product).any(|atom| atom == Atom::Trip(l));
        match (trips, rounds) {
            (TripCount::Constant(n), _) => {
                let last = i64::from(n) - 1;
                let number = |atom: Atom| match atom {
                    Atom::Value(_) => 1,
                    Atom::Trip(_) => last,
                    Atom::Pairs(_) => last.wrapping_mul(last - 1) / 2,
                };
                add(values, evolution.atoms(product).map(number).fold(factor, i64::wrapping_mul));
            }
            // The last round has the number of rounds, less one.
            (_, Some(rounds)) if varies => {
                add(values.iter().copied().chain([rounds]).collect(), factor);
                add(values, factor.wrapping_neg());
            }
            _ => add(values, factor),
        }
    }
    sum_of_products(f, (at, place), &parts)
}

/// How many rounds there are.
pub fn count(f: &mut Body, at: (At, Place), trips: TripCount) -> Value {
    match trips {
        TripCount::Constant(n) => f.int(n as i32),
        TripCount::Distance(from, to, more) => {
            let distance = make(f, at, Op::Sub, to, from);
            let more = f.int(more as i32);
            if f.as_int(more) == Some(0) { distance } else { make(f, at, Op::Add, distance, more) }
        }
    }
}

/// A sum of products of values, with their factors, modulo 2^32.
pub fn sum_of_products(f: &mut Body, at: (At, Place), parts: &[(Vec<Value>, i64)]) -> Value {
    let mut all: Option<Value> = None;
    for (values, factor) in parts.iter().filter(|part| part.1 as i32 != 0) {
        let number = f.int(*factor as i32);
        let product = values.iter().copied().reduce(|a, b| make(f, at, Op::Mul, a, b));
        let product = match product {
            Some(product) if *factor as i32 == 1 => product,
            Some(product) => make(f, at, Op::Mul, product, number),
            None => number,
        };
        all = Some(all.map_or(product, |all| make(f, at, Op::Add, all, product)));
    }
    all.unwrap_or_else(|| f.int(0))
}

/// A number, or an instruction that computes one.
pub fn make(f: &mut Body, (at, place): (At, Place), op: Op, a: Value, b: Value) -> Value {
    match f.fold(op, Type::I32, 0, &[a, b]) {
        Some(v) => v,
        None => Value::inst(f.insert(at, op, Type::I32, &[a, b], 0, place)),
    }
}

/// (start + count step) % modulus in 64 bits, of a count without sign.
fn last_modular(
    f: &mut Body,
    at: At,
    (start, step, modulus): (Value, Value, i64),
    (count, trips): (Value, TripCount),
    n: u64,
    place: Place,
) -> Value {
    let numbers = f.as_int(start).zip(f.as_int(step));
    if let (TripCount::Constant(_), Some((start, step))) = (trips, numbers) {
        let rest = (i128::from(start) + i128::from(n) * i128::from(step)) % i128::from(modulus);
        return f.int(rest as i32);
    }
    let (start, step) = numbers.unwrap_or_default();
    let mut make = |op: Op, ty: Type, args: &[Value]| Value::inst(f.insert(at, op, ty, args, 0, place));
    let count = make(Op::ZExt, Type::I64, &[count]);
    let step = f.int_of(Type::I64, step);
    let start = f.int_of(Type::I64, start);
    let modulus = f.int_of(Type::I64, modulus);
    let mut make = |op: Op, ty: Type, args: &[Value]| Value::inst(f.insert(at, op, ty, args, 0, place));
    let product = make(Op::Mul, Type::I64, &[count, step]);
    let sum = make(Op::Add, Type::I64, &[product, start]);
    let rest = make(Op::SRem, Type::I64, &[sum, modulus]);
    make(Op::Trunc, Type::I32, &[rest])
}
