//! What a value of a loop is behind it, computed in front of it: its sum (`analysis/evolution`) in the last round, or where
//! it goes up by a number modulo another one, the product that it has been modulo that. Where it starts, by how much it
//! goes up, and the modulus may be values that are known in front only: then there is something to ask first
//! (`under_check`, `condition`). O(products of the sum).
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
        modulus: Value,
        /// It is what the last round began with.
        is_before: bool,
        /// What has to be asked in front of the loop for that.
        asks: Asks,
        /// The modulus is a number whose square fits 32 bits, and the machine has no more: then each factor is reduced first.
        is_narrow: bool,
    },
}

impl Last {
    /// The same for a machine with registers of so many bits, if it has what that takes.
    pub fn on(self, f: &Body, word: u32) -> Option<Last> {
        match self {
            Last::Modular { start, step, modulus, is_before, asks, .. } if word < 64 => {
                let fits = f.as_int(modulus).is_some_and(|modulus| modulus <= MOST_NARROW);
                fits.then_some(Last::Modular { start, step, modulus, is_before, asks, is_narrow: true })
            }
            last => Some(last),
        }
    }
}

/// The largest number whose square, if it is one less, fits 32 bits.
const MOST_NARROW: i64 = 1 << 16;

/// What has to be true for a sum to stay below its modulus without wrapping around.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// All is known.
    Nothing,
    /// It starts below the modulus.
    Start,
    /// Neither what it starts with nor the step is negative, and neither of them nor the modulus is so large that a sum
    /// of two wraps around.
    All,
}

/// Products of a sum that is computed behind a loop.
const MOST_PRODUCTS: usize = 3;
/// Rounds of a loop in front of which something is asked, at least.
const FEWEST_ASKED: u32 = 8;

/// What a value is behind the loop, if that can be said: a sum of what the loop does not change and of the number
/// of the round.
pub fn last_of(around: &SimpleLoop, evolution: &Evolution, trips: TripCount, v: Value) -> Option<Last> {
    let last = under_check(around, evolution, trips, v)?;
    let is_sure = !matches!(last, Last::Modular { asks: Asks::Start | Asks::All, .. });
    is_sure.then_some(last)
}

/// The same, if what has to be asked in front of the loop (`condition`) is so.
pub fn under_check(around: &SimpleLoop, evolution: &Evolution, trips: TripCount, v: Value) -> Option<Last> {
    if around.is_outside(v) {
        return Some(Last::Same(v));
    }
    let is_known = |atom: Atom| match atom {
        Atom::Value(v) => around.is_outside(v),
        Atom::Trip(l) | Atom::Pairs(l) => l == around.l,
    };
    let sum = v.as_inst().filter(|&i| around.f.ty(i) == Type::I32).and_then(|i| evolution.of(i));
    let fits = |sum: &&Sum| {
        let mut products = sum.terms().iter();
        sum.terms().len() <= MOST_PRODUCTS
            && products.all(|&(product, _)| evolution.atoms(product).all(is_known))
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
    // For so few rounds nothing is asked.
    let may_ask = !matches!(trips, TripCount::Constant(n) if n < FEWEST_ASKED);
    let (step, modulus, asks) = modular_step(around, phi, (start, next))?;
    (asks == Asks::Nothing || may_ask).then_some(Last::Modular {
        start,
        step,
        modulus,
        is_before,
        asks,
        is_narrow: false,
    })
}

/// What a phi goes up by in a round, modulo what, and what has to be so for it to stay below the modulus without wrapping
/// around: by a remainder, or by the comparison that `ranges` makes of one.
fn modular_step(
    around: &SimpleLoop,
    phi: Value,
    (start, next): (Value, Value),
) -> Option<(Value, Value, Asks)> {
    let f = around.f;
    let i = next.as_inst().filter(|&i| f.ty(i) == Type::I32)?;
    let (sum, modulus, is_rest) = match (f.op(i), f.args(i)) {
        (Op::SRem, &[sum, modulus]) => (sum, modulus, true),
        (Op::Select, &[below, sum, less]) => {
            let below = below.as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
            let modulus = f.arg(below, 1);
            let is_below = f.payload(below) == IntPred::Slt as u32 && f.arg(below, 0) == sum;
            let taken = f.as_int(around.added(less, sum)?)?;
            (sum, Some(modulus).filter(|&modulus| is_below && f.as_int(modulus) == Some(-taken))?, false)
        }
        _ => return None,
    };
    let step = around.added(sum, phi)?;
    if !around.is_outside(step) || !around.is_outside(modulus) {
        return None;
    }
    let [first, by, below] = [start, step, modulus].map(|v| f.as_int(v));
    // What is known must not say no.
    let is_small = |x: Option<i64>| x.is_none_or(|x| x >= 0);
    let fits = match (by, below) {
        (Some(by), Some(below)) => below > 0 && i32::try_from(below - 1 + by).is_ok(),
        (_, below) => below.is_none_or(|below| below > 0),
    };
    if !is_small(first) || !is_small(by) || !fits {
        return None;
    }
    let starts_below = first.zip(below).is_some_and(|(first, below)| first < below);
    let asks = match (by, below) {
        (Some(by), Some(below)) if starts_below && by < below => Asks::Nothing,
        (Some(by), Some(below)) if by < below && first.is_none() => Asks::Start,
        _ if is_rest => Asks::All,
        _ => return None,
    };
    Some((step, modulus, asks))
}

/// What has to be so in front of a loop for a value to be behind it what it is said to be, as an i1; none if nothing has to.
pub fn condition(f: &mut Body, (at, place): (At, Place), last: Last) -> Option<Value> {
    let Last::Modular { start, step, modulus, is_before, asks, .. } = last else { return None };
    let compare = |f: &mut Body, pred: IntPred, a: Value, b: Value| {
        Value::inst(f.insert(at, Op::ICmp, Type::I1, &[a, b], pred as u32, place))
    };
    if asks == Asks::Nothing {
        return None;
    }
    let (zero, one, most) = (f.int(0), f.int(1), f.int(i32::MAX));
    let room = make(f, (at, place), Op::Sub, most, step);
    // Before the last round there may have been none.
    let (pred, limit) = match asks {
        Asks::Start => (IntPred::Ult, modulus),
        _ if is_before => (IntPred::Ult, modulus),
        _ => (IntPred::Ule, room),
    };
    let mut all = compare(f, pred, start, limit);
    if asks == Asks::Start {
        return Some(all);
    }
    let is_number = |f: &Body, v: Value| f.as_int(v).is_some();
    if !is_number(f, step) {
        let natural = compare(f, IntPred::Sge, step, zero);
        all = Value::inst(f.insert(at, Op::And, Type::I1, &[all, natural], 0, place));
    }
    if !is_number(f, step) || !is_number(f, modulus) {
        let highest = make(f, (at, place), Op::Sub, modulus, one);
        let fits = compare(f, IntPred::Ule, highest, room);
        all = Value::inst(f.insert(at, Op::And, Type::I1, &[all, fits], 0, place));
    }
    Some(all)
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
        Last::Modular { start, step, modulus, is_before, is_narrow, .. } => {
            let (mut count, one) = (count(f, (at, place), trips), f.int(1));
            let mut n = if let TripCount::Constant(n) = trips { u64::from(n) } else { 0 };
            if is_before {
                (count, n) = (make(f, (at, place), Op::Sub, count, one), n.saturating_sub(1));
            }
            return last_modular(f, (at, place), (start, step, modulus), (count, trips, n), is_narrow);
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
    let mut last: Option<Value> = None;
    for &(product, factor) in sum.terms() {
        let value = |atom: Atom| if let Atom::Value(v) = atom { Some(v) } else { None };
        let mut values: Vec<Value> = evolution.atoms(product).filter_map(value).collect();
        let degree = |atom: Atom| match atom {
            Atom::Value(_) => 0,
            Atom::Trip(_) => 1,
            Atom::Pairs(_) => 2,
        };
        if !matches!(trips, TripCount::Constant(_)) && evolution.atoms(product).map(degree).sum::<u32>() > 1 {
            let n = last.unwrap_or_else(|| {
                let (rounds, one) = (count(f, (at, place), trips), f.int(1));
                make(f, (at, place), Op::Sub, rounds, one)
            });
            last = Some(n);
            for atom in evolution.atoms(product) {
                match atom {
                    Atom::Value(_) => {}
                    Atom::Trip(_) => values.push(n),
                    Atom::Pairs(_) => values.push(pairs(f, (at, place), n)),
                }
            }
            add(values, factor);
            continue;
        }
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

/// n (n - 1) / 2 modulo 2^32: half of n, rounded down, times what of n and n - 1 is odd.
fn pairs(f: &mut Body, at: (At, Place), n: Value) -> Value {
    let one = f.int(1);
    let half = make(f, at, Op::LShr, n, one);
    let less = make(f, at, Op::Sub, n, one);
    let odd = make(f, at, Op::Or, less, one);
    make(f, at, Op::Mul, half, odd)
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

/// (start + count step) % modulus, of a count without sign, which is `n` if it is a number: in 64 bits, or in 32.
fn last_modular(
    f: &mut Body,
    (at, place): (At, Place),
    (start, step, modulus): (Value, Value, Value),
    (count, trips, n): (Value, TripCount, u64),
    is_narrow: bool,
) -> Value {
    let numbers = [start, step, modulus].map(|v| f.as_int(v));
    if let (TripCount::Constant(_), [Some(start), Some(step), Some(modulus)]) = (trips, numbers) {
        let rest = (i128::from(start) + i128::from(n) * i128::from(step)) % i128::from(modulus);
        return f.int(rest as i32);
    }
    if is_narrow {
        let [count, start, step] = [count, start, step].map(|v| make(f, (at, place), Op::URem, v, modulus));
        let product = make(f, (at, place), Op::Mul, count, step);
        let rest = make(f, (at, place), Op::URem, product, modulus);
        let sum = make(f, (at, place), Op::Add, rest, start);
        return make(f, (at, place), Op::URem, sum, modulus);
    }
    // None of them is negative, and so no sign is extended.
    let [count, start, step, modulus] = [count, start, step, modulus].map(|v| match f.as_int(v) {
        Some(x) => f.int_of(Type::I64, i64::from(x as u32)),
        None => Value::inst(f.insert(at, Op::ZExt, Type::I64, &[v], 0, place)),
    });
    let mut make = |op: Op, ty: Type, args: &[Value]| Value::inst(f.insert(at, op, ty, args, 0, place));
    let product = make(Op::Mul, Type::I64, &[count, step]);
    let sum = make(Op::Add, Type::I64, &[product, start]);
    let rest = make(Op::SRem, Type::I64, &[sum, modulus]);
    make(Op::Trunc, Type::I32, &[rest])
}
