//! Trip counts: what the tests that leave a loop count, and how often it goes round. An induction variable goes
//! up or down by a constant in each round and is compared with a value that the loop does not change.
//! O(phis of the header) a test.
//!
//! After LLVM's ScalarEvolution (`howFarToZero`, `howManyLessThans`) and GCC's `tree-ssa-loop-niter`, for
//! constants and for distances to a bound that a branch above says lies ahead.

use super::conditions::{compares_either_way, compares_with};
use super::evolution::peel;
use super::simple_loop::SimpleLoop;
use crate::ir::{Block, Body, Env, Flags, Inst, IntPred, Op, Type, Value};

/// A test that counts.
#[derive(Copy, Clone, Debug)]
pub struct Counted {
    /// The induction variable.
    pub phi: Inst,
    /// What it is in the next round,
    pub next: Value,
    /// and in the first.
    pub first: Value,
    /// What is added in a round.
    pub step: i64,
    /// The comparison.
    pub compare: Inst,
    /// What the variable is compared with.
    pub bound: Value,
    /// How they compare when the loop goes on.
    pub goes_on: IntPred,
    /// What is compared is the variable in the next round.
    pub is_next: bool,
    /// The addition does not wrap around, as text promises (`nsw`): of a variable that does, the comparison, and so
    /// the branch, would mean nothing.
    pub stays: bool,
    /// The same of numbers without a sign (`nuw`).
    pub stays_unsigned: bool,
}

/// How often the latch is reached.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TripCount {
    /// So often.
    Constant(u32),
    /// The second less the first, and so much more: at least 1. The sum is in 32 bits, without a sign.
    Distance(Value, Value, i64),
}

/// All numbers of 32 bits.
const ALL: [i64; 2] = [i32::MIN as i64, i32::MAX as i64];

impl SimpleLoop<'_> {
    /// What the test at the end of a block of the loop counts.
    pub fn counted(&self, b: Block) -> Option<Counted> {
        self.counted_up_to(b, |v| self.is_outside(v))
    }

    /// The same, where the bound may also be a number more than what the loop does not change, a sum in the loop.
    pub fn counted_with_sums(&self, env: &Env, b: Block) -> Option<Counted> {
        self.counted_up_to(b, |v| self.is_outside(peel(env, self.f, v, |_| true).0))
    }

    fn counted_up_to(&self, b: Block, is_fixed: impl Fn(Value) -> bool) -> Option<Counted> {
        let f = self.f;
        let (compare, goes_on) = self.comparison(b)?;
        let &[x, y] = f.args(compare) else { return None };
        let (v, bound, goes_on) = match (is_fixed(x), is_fixed(y)) {
            (false, true) => (x, y, goes_on),
            (true, false) => (y, x, goes_on.swapped()),
            _ => return None,
        };
        let steps = |phi: Inst| {
            let (first, next) = self.phi(Value::inst(phi))?;
            let step = f.as_int(self.added(next, Value::inst(phi))?)?;
            let is_next = next == v;
            let fits = is_next || Value::inst(phi) == v;
            let promises = |flags| next.as_inst().is_some_and(|i| f.flags(i).has(flags));
            let [stays, stays_unsigned] = [Flags::NSW, Flags::NUW].map(promises);
            fits.then_some(Counted {
                phi,
                next,
                first,
                step,
                compare,
                bound,
                goes_on,
                is_next,
                stays,
                stays_unsigned,
            })
        };
        f.phis(self.header).find_map(steps)
    }

    /// How often the latch is reached, if the first value and the bound of what is counted are numbers, or numbers
    /// more than the variable of a loop around, which its own test keeps so far from the edges of 32 bits that
    /// neither wraps around: `for (x = j - 1; x < j + 2; x++)`.
    pub fn constant_trips(&self, env: &Env, counted: &Counted) -> Option<u32> {
        let known = counted.constant_trips(self.f);
        if known.is_some() || counted.first.is_constant() || counted.bound.is_constant() {
            return known;
        }
        let [(v, from), (same, to)] = [counted.first, counted.bound].map(|v| peel(env, self.f, v, |_| true));
        let phi = v.as_inst().filter(|&i| v == same && self.f.op(i) == Op::Phi)?;
        let b = self.f.block_of(phi)?;
        let around = self.loops.innermost[b].get().filter(|&l| self.loops.header[l] == b)?;
        let around = SimpleLoop::of(self.f, (self.loops, self.dominators), around)?;
        let outer = around.counted(around.latch).filter(|outer| outer.phi == phi)?;
        let [low, high] = around.limits(&outer)?;
        let trips = |x: i64| {
            let bound = i32::try_from(x + to).is_ok().then_some(x + to)?;
            i32::try_from(x + from).ok()?;
            constant_trips(x + from, counted.step, (counted.goes_on, bound))
        };
        trips(low).filter(|&count| trips(high) == Some(count))
    }

    /// How often the latch is reached, where the test at its end counts and the loop is left nowhere else: where
    /// it is, that is the most.
    pub fn trip_count(&self, env: &Env) -> Option<TripCount> {
        let counted = self.counted(self.latch).filter(|counted| counted.is_next)?;
        if let Some(count) = self.constant_trips(env, &counted) {
            return Some(TripCount::Constant(count));
        }
        let Counted { first, bound, step, goes_on, .. } = counted;
        match (step, goes_on) {
            (1, IntPred::Slt) if self.is_ahead(&counted) => Some(TripCount::Distance(first, bound, 0)),
            (-1, IntPred::Sgt) if self.is_ahead(&counted) => Some(TripCount::Distance(bound, first, 0)),
            _ => None,
        }
    }

    /// What the loop counts from and to where it may begin at its bound or behind it, and so has one round at least: from a
    /// number by one, up (true) or down.
    pub fn at_least_one_trip(&self) -> Option<(Value, Value, bool)> {
        let counted = self.counted(self.latch).filter(|counted| counted.is_next)?;
        let Counted { first, bound, step, goes_on, .. } = counted;
        let fits = i32::try_from(self.f.as_int(first)? + step).is_ok();
        match (step, goes_on) {
            (1, IntPred::Slt) if fits => Some((first, bound, true)),
            (-1, IntPred::Sgt) if fits => Some((first, bound, false)),
            _ => None,
        }
    }

    /// The same of a loop that goes on up to its bound, too: one more than the distance. Where that wraps around,
    /// so does the variable.
    pub fn trip_count_up_to(&self) -> Option<TripCount> {
        let counted = self.counted(self.latch).filter(|counted| counted.is_next)?;
        let fits = counted.step == 1 && counted.goes_on == IntPred::Sle;
        (fits && self.is_ahead(&counted)).then_some(TripCount::Distance(counted.first, counted.bound, 1))
    }

    /// True if a branch above says that the variable goes on from its first value.
    pub fn is_ahead(&self, counted: &Counted) -> bool {
        let &Counted { first, bound, goes_on, .. } = counted;
        let is_known = |last| {
            let asked = (goes_on, first, last);
            compares_either_way(self.f, self.dominators, self.preheader, asked) == Some(true)
        };
        let middle = || middle_from(self.f, first, bound).filter(|_| goes_on == IntPred::Slt);
        is_known(bound) || middle().is_some_and(is_known)
    }

    /// The least and the greatest number that the variable of the test at the latch is in any round, if the loop
    /// is left before it wraps around.
    pub fn limits(&self, counted: &Counted) -> Option<[i64; 2]> {
        let &Counted { first, bound, step, goes_on, is_next, .. } = counted;
        let (f, room) = (self.f, |x: i64| i32::try_from(x + step).is_ok());
        let up = goes_on == IntPred::Slt && step > 0;
        let down = goes_on == IntPred::Sgt && step < 0;
        let (first_number, bound) = (f.as_int(first), f.as_int(bound));
        // The first round is not behind the test at the end.
        let begins = first_number.map_or_else(|| self.is_ahead(counted), room);
        let stays = counted.stays || step.abs() <= 1 || bound.is_some_and(room);
        if !is_next || !(up || down) || !begins || !stays {
            return None;
        }
        let is_natural =
            || compares_with(f, self.dominators, self.preheader, (IntPred::Sge, first, 0)) == Some(true);
        Some(match (up, first_number) {
            (true, Some(first)) => [first, bound.unwrap_or(ALL[1]).max(first)],
            (true, None) => [if is_natural() { 0 } else { ALL[0] }, bound.unwrap_or(ALL[1])],
            (false, Some(first)) => [bound.unwrap_or(ALL[0]).min(first), first],
            (false, None) => [bound.unwrap_or(ALL[0]), ALL[1]],
        })
    }

    /// True if the loop is left at some time, by a test that each round comes to; if the loops inside of it
    /// are.
    pub fn ends(&self) -> bool {
        let ends = |&b: &Block| {
            self.dominators.dominates(b, self.latch)
                && self.counted(b).is_some_and(|counted| counted.ends(self.f))
        };
        self.loops.blocks(self.l).iter().any(ends)
    }
}

/// Up to what a value is the middle from another one, rounded up: it lies ahead where that does
/// (`opt/loops/meeting`).
fn middle_from(f: &Body, first: Value, middle: Value) -> Option<Value> {
    let parts = |v: Value, op: Op| {
        let &[a, b] = f.args(v.as_inst().filter(|&i| f.op(i) == op && f.ty(i) == Type::I32)?) else {
            return None;
        };
        Some((a, b))
    };
    let begins_at_zero = f.as_int(first) == Some(0);
    let rounds = match parts(middle, Op::Add) {
        Some((a, rounds)) if a == first => rounds,
        _ if begins_at_zero => middle,
        _ => return None,
    };
    let (apart, half) = parts(rounds, Op::Sub)?;
    let (of, one) = parts(half, Op::LShr)?;
    if of != apart || f.as_int(one) != Some(1) {
        return None;
    }
    match parts(apart, Op::Sub) {
        Some((last, from)) if from == first => Some(last),
        _ => begins_at_zero.then_some(apart),
    }
}

impl Counted {
    /// How often the latch is reached, if the first value and the bound are numbers.
    pub fn constant_trips(&self, f: &Body) -> Option<u32> {
        constant_trips(f.as_int(self.first)?, self.step, (self.goes_on, f.as_int(self.bound)?))
    }

    /// True if the test fails at some time, whatever the first value and the bound are.
    fn ends(&self, f: &Body) -> bool {
        use IntPred::*;
        let bound = f.as_int(self.bound);
        // How far a number that goes on may move without wrapping around.
        let fits = |x: Option<i64>| self.stays || x.is_some_and(|x| i32::try_from(x).is_ok());
        let next = |edge: i64| bound.and_then(|bound| bound.checked_add(edge)?.checked_add(self.step));
        match self.goes_on {
            Eq => self.step & i64::from(u32::MAX) != 0,
            Ne => self.step & 1 != 0,
            Slt => self.step == 1 || self.step > 0 && fits(next(-1)),
            Sgt => self.step == -1 || self.step < 0 && fits(next(1)),
            Sle => self.step > 0 && fits(next(0)),
            Sge => self.step < 0 && fits(next(0)),
            Ult => self.step == 1 || self.step > 0 && self.stays_unsigned,
            Ule => self.step > 0 && self.stays_unsigned,
            Ugt => self.step == -1,
            Uge => false,
        }
    }
}

/// How often first + step, first + 2 step, ... is compared until the loop does not go on, if that is before
/// it wraps around.
pub fn constant_trips(first: i64, step: i64, (goes_on, bound): (IntPred, i64)) -> Option<u32> {
    let (low, high) = match goes_on {
        IntPred::Slt => (i64::MIN, bound.checked_sub(1)?),
        IntPred::Sle => (i64::MIN, bound),
        IntPred::Sgt => (bound.checked_add(1)?, i64::MAX),
        IntPred::Sge => (bound, i64::MAX),
        IntPred::Ne if step == 0 || (bound - first) % step != 0 => return None,
        IntPred::Ne if step > 0 && first < bound => (i64::MIN, bound - 1),
        IntPred::Ne if step < 0 && first > bound => (bound + 1, i64::MAX),
        _ => return None,
    };
    // The last number that is compared is the first outside of what goes on.
    let trips = match step {
        1.. if high != i64::MAX => ((high - first).max(0)) / step + 1,
        ..=-1 if low != i64::MIN => ((first - low).max(0)) / -step + 1,
        _ => return None,
    };
    let last = first.checked_add(step.checked_mul(trips)?)?;
    i32::try_from(last).ok()?;
    u32::try_from(trips).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Dominators, Loops, Order};
    use crate::ir::parse::parse;

    /// What is known of the one loop of a function, and of its counter.
    fn ask<T>(text: &str, what: impl Fn(&SimpleLoop, &Counted) -> T) -> T {
        let module = parse(text).unwrap();
        let f = module.nth(0);
        let (mut order, mut dominators, mut loops) =
            (Order::default(), Dominators::default(), Loops::default());
        order.compute(f);
        dominators.compute(f, &order);
        loops.compute(f, &order, &dominators);
        let l = loops.header.keys().next().unwrap();
        let around = SimpleLoop::of(f, (&loops, &dominators), l).unwrap();
        what(&around, &around.counted(around.latch).unwrap())
    }

    /// Whether a loop that adds this to its variable and compares it so with a parameter ends, and the limits of the
    /// variable.
    fn told(step: &str, test: &str) -> (bool, Option<[i64; 2]>) {
        let text = format!(
            "define i32 @f(i32 %n) {{
             entry:
               br label %l
             l:
               %i = phi i32 [ 0, %entry ], [ %j, %l ]
               %j = {step}
               %c = icmp {test} i32 %j, %n
               br i1 %c, label %l, label %out
             out:
               ret i32 %i
             }}"
        );
        ask(&text, |around, counted| (around.ends(), around.limits(counted)))
    }

    #[test]
    fn a_variable_that_does_not_wrap_around_meets_any_bound() {
        assert_eq!(told("add i32 %i, 3", "slt"), (false, None));
        assert_eq!(told("add nuw i32 %i, 3", "slt"), (false, None));
        assert_eq!(told("add nsw i32 %i, 3", "slt"), (true, Some([0, i64::from(i32::MAX)])));
        assert_eq!(told("add nsw i32 %i, -3", "sgt"), (true, Some([i64::from(i32::MIN), 0])));
        // It goes up to the edge, and may be what it is compared with.
        assert_eq!(told("add i32 %i, 1", "sle"), (false, None));
        assert_eq!(told("add nsw i32 %i, 1", "sle"), (true, None));
        // Without a sign.
        assert_eq!(["ult", "ule"].map(|test| told("add nuw i32 %i, 3", test).0), [true; 2]);
        for step in ["add i32 %i, 3", "add nsw i32 %i, 3", "add nuw i32 %i, -3"] {
            assert_eq!(["ult", "ule"].map(|test| told(step, test).0), [false; 2]);
        }
        // In the wrong direction, and past a number that it does not meet.
        assert!(!told("add nsw i32 %i, -3", "slt").0);
        assert!(!told("add nsw i32 %i, 2", "ne").0);
    }

    /// Whether a loop is known to go on from its first value to a bound that is the middle of two, rounded up.
    fn is_ahead(guard: &str, first: &str, [apart, middle]: [&str; 2]) -> bool {
        let text = format!(
            "define i32 @f(i32 %n, i32 %m) {{
             entry:
               %g = icmp {guard}
               br i1 %g, label %front, label %out
             front:
               %apart = {apart}
               %half = lshr i32 %apart, 1
               %rounds = sub i32 %apart, %half
               %middle = {middle}
               br label %l
             l:
               %i = phi i32 [ {first}, %front ], [ %j, %l ]
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %middle
               br i1 %c, label %l, label %out
             out:
               ret i32 0
             }}"
        );
        ask(&text, |around, counted| around.is_ahead(counted))
    }

    #[test]
    fn the_middle_lies_ahead_where_the_end_does() {
        let parts = ["sub i32 %m, %n", "add i32 %n, %rounds"];
        assert!(is_ahead("slt i32 %n, %m", "%n", parts));
        assert!(is_ahead("slt i32 0, %m", "0", ["sub i32 %m, 0", "add i32 0, %rounds"]));
        assert!(!is_ahead("sle i32 %n, %m", "%n", parts));
        assert!(!is_ahead("slt i32 %n, %m", "%n", ["sub i32 %m, 1", "add i32 %n, %rounds"]));
        assert!(!is_ahead("slt i32 %n, %m", "%n", ["sub i32 %m, %n", "add i32 %n, %half"]));
        assert!(!is_ahead("slt i32 %n, %m", "%m", parts));
    }
}
