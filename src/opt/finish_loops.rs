//! Removes loops of which only final values are wanted, when those can be said: a loop that runs n times
//! makes v + n s of a value v that goes up by s each round, and v + n s + t n (n - 1) / 2 if s itself goes
//! up by t.
//!
//! Such a loop touches no memory but to read it, calls nothing that matters, is left in one place, behind a
//! test of an induction variable, and n is a constant, or the distance to a bound that a branch above says
//! lies ahead. Loops that compute nothing for the outside are the simplest case. All is arithmetic modulo
//! 2^32, in which this is exact.
//!
//! Inner loops first: without them an outer one may go, too. O(instructions of loops) a nest of loops that
//! go. After R. van Engelen, "Efficient symbolic analysis for optimizing compilers" (2001), up to second
//! order.

use super::analyses::AnalysisSet;
use super::canonical_loops::{Closer, canonicalise, exits, preheader, worth_it};
use super::implied::compares;
use super::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::base::graph::Loop;
use crate::ir::opcode::{PURE, READS};
use crate::ir::{At, Block, Body, Edge, Inst, IntPred, Op, Place, Type, Value};

/// The pass.
pub static FINISH_LOOPS: FuncPass = FuncPass {
    name: "finish_loops",
    description: "say what loops compute without running them",
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a loop that is looked at.
const MOST: usize = 64;
/// Loops inside of each other that go.
const MOST_DEPTH: usize = 4;

#[inline(never)]
fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    if !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let mut changed = canonicalise(cx, closer);
    // An outer loop is seen again when the inner ones have gone.
    for _ in 0..MOST_DEPTH {
        cx.require(AnalysisSet::LOOPS);
        let loops = cx.analyses.loops.header.keys().rev();
        let done: Vec<Finishable> = loops.filter_map(|l| finishable(cx, l)).collect();
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|done| finish(cx.f, done));
        changed = true;
        cx.analyses.keep(AnalysisSet::NONE);
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

/// A loop that can go.
struct Finishable {
    blocks: Vec<Block>,
    /// Into the loop, and out of it.
    enters: Edge,
    leaves: Edge,
    rounds: Rounds,
    /// Phis behind the loop, and what they get.
    results: Vec<(Inst, Series)>,
}

/// How often the latch is reached.
#[derive(Copy, Clone)]
enum Rounds {
    Constant(u32),
    /// bound - first, or first - bound.
    Distance(Value, Value),
}

/// start + k step + k (k - 1) / 2 * second, where k is the number of rounds, or one less.
#[derive(Copy, Clone)]
struct Series {
    start: Value,
    step: Option<Value>,
    second: Option<Value>,
    /// It is what the last round began with.
    is_before: bool,
}

fn finishable(cx: &FuncCx, l: Loop) -> Option<Finishable> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let &[latch] = loops.latches(l) else { return None };
    let blocks = loops.blocks(l);
    let header = loops.header[l];
    let in_front = preheader(f, cx.analyses, l)?;
    let leaves = |b: Block| f.succs(b).find(|&e| !loops.contains(l, f.edge_to(e)));
    let &[exit] = &*exits(f, cx.analyses, l) else { return None };
    let is_small = blocks.iter().map(|&b| f.insts(b).take(MOST).count()).sum::<usize>() <= MOST;
    let plain = |&b: &Block| b == latch || leaves(b).is_none();
    if !is_small || !blocks.iter().all(plain) || f.preds(exit).len() != 1 {
        return None;
    }
    let harmless = |i: Inst| {
        let op = f.op(i);
        op.has(PURE)
            || op == Op::Phi
            || op.is_terminator()
            || op == Op::Load && op.has(READS)
            || op == Op::Call && cx.effects.is_removable(f.callee(i))
    };
    // A loop around a loop that may not end may not end.
    let is_inner = blocks.iter().all(|&b| loops.innermost[b].get() == Some(l));
    if !is_inner || !blocks.iter().all(|&b| f.insts(b).all(harmless)) {
        return None;
    }
    let around = Around { cx, l, header, latch, in_front };
    let rounds = around.rounds()?;
    let results = f.phis(exit).map(|phi| Some((phi, around.series(f.arg(phi, 0))?)));
    let results: Vec<(Inst, Series)> = results.collect::<Option<_>>()?;
    let enters = f.succs(in_front).next()?;
    let is_constant = matches!(rounds, Rounds::Constant(_));
    if !is_constant && results.iter().any(|(_, series)| series.second.is_some()) {
        return None;
    }
    Some(Finishable { blocks: blocks.to_vec(), enters, leaves: leaves(latch)?, rounds, results })
}

/// A loop that is asked about.
struct Around<'a, 'b> {
    cx: &'a FuncCx<'b>,
    l: Loop,
    header: Block,
    latch: Block,
    in_front: Block,
}

impl Around<'_, '_> {
    fn is_outside(&self, v: Value) -> bool {
        let home = v.as_inst().and_then(|i| self.cx.f.block_of(i));
        home.is_none_or(|b| !self.cx.analyses.loops.contains(self.l, b))
    }

    /// What a phi of the header starts with, and what it is in the next round.
    fn phi(&self, v: Value) -> Option<(Value, Value)> {
        let f = &*self.cx.f;
        let phi = v.as_inst().filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(self.header))?;
        let slot = |b: Block| f.succs(b).find(|&e| f.edge_to(e) == self.header).map(|e| f.edge_slot(e));
        Some((f.arg(phi, slot(self.in_front)?), f.arg(phi, slot(self.latch)?)))
    }

    /// The other side of a sum with `v`.
    fn added(&self, sum: Value, v: Value) -> Option<Value> {
        let f = &*self.cx.f;
        let &[a, b] = f.args(sum.as_inst().filter(|&i| f.op(i) == Op::Add && f.ty(i) == Type::I32)?) else {
            return None;
        };
        if a == v { Some(b) } else { Some(a).filter(|_| b == v) }
    }

    /// What a value is, as a function of the round; it is one of the header's phis, or what such a phi is
    /// next.
    fn series(&self, v: Value) -> Option<Series> {
        if self.is_outside(v) {
            return Some(Series { start: v, step: None, second: None, is_before: true });
        }
        let f = &*self.cx.f;
        let (phi, is_before) = match self.phi(v) {
            Some(_) => (v, true),
            None => {
                let mut phis = f.phis(self.header).map(Value::inst);
                (phis.find(|&phi| self.phi(phi).is_some_and(|(_, next)| next == v))?, false)
            }
        };
        let (start, next) = self.phi(phi)?;
        let step = self.added(next, phi)?;
        if self.is_outside(step) {
            return Some(Series { start, step: Some(step), second: None, is_before });
        }
        // The step is a phi that goes up by what the loop does not change.
        let (first, next) = self.phi(step)?;
        let second = self.added(next, step).filter(|&second| self.is_outside(second))?;
        Some(Series { start, step: Some(first), second: Some(second), is_before })
    }

    fn rounds(&self) -> Option<Rounds> {
        let f = &*self.cx.f;
        let test = f.terminator(self.latch).filter(|&i| f.op(i) == Op::CondBr)?;
        let compare = f.arg(test, 0).as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
        let &[next, bound] = f.args(compare) else { return None };
        let yes = f.succs(self.latch).next().is_some_and(|e| f.edge_to(e) == self.header);
        let pred = IntPred::from_payload(f.payload(compare));
        let goes_on = if yes { pred } else { pred.inverse() };
        let counts = |phi: &Value| self.phi(*phi).is_some_and(|(_, v)| v == next);
        let phi = f.phis(self.header).map(Value::inst).find(counts)?;
        let (first, _) = self.phi(phi)?;
        let step = f.as_int(self.added(next, phi)?)?;
        if !self.is_outside(bound) {
            return None;
        }
        if let (Some(first), Some(bound)) = (f.as_int(first), f.as_int(bound)) {
            return constant_rounds(first, step, (goes_on, bound)).map(Rounds::Constant);
        }
        let ask = |asked| compares(f, self.cx.analyses, self.in_front, asked);
        let ahead = |pred: IntPred| {
            ask((pred, first, bound)).or_else(|| ask((pred.swapped(), bound, first))) == Some(true)
        };
        match (step, goes_on) {
            (1, IntPred::Slt) if ahead(IntPred::Slt) => Some(Rounds::Distance(first, bound)),
            (-1, IntPred::Sgt) if ahead(IntPred::Sgt) => Some(Rounds::Distance(bound, first)),
            _ => None,
        }
    }
}

/// How often first + step, first + 2 step, ... is compared until the loop does not go on, if that is before
/// it wraps around.
fn constant_rounds(first: i64, step: i64, (goes_on, bound): (IntPred, i64)) -> Option<u32> {
    let (low, high) = match goes_on {
        IntPred::Slt => (i64::MIN, bound.checked_sub(1)?),
        IntPred::Sle => (i64::MIN, bound),
        IntPred::Sgt => (bound.checked_add(1)?, i64::MAX),
        IntPred::Sge => (bound, i64::MAX),
        IntPred::Ne if step == 1 && first < bound => (i64::MIN, bound - 1),
        IntPred::Ne if step == -1 && first > bound => (bound + 1, i64::MAX),
        _ => return None,
    };
    // The last number that is compared is the first outside of what goes on.
    let rounds = match step {
        1.. if high != i64::MAX => ((high - first).max(0)) / step + 1,
        ..=-1 if low != i64::MIN => ((first - low).max(0)) / -step + 1,
        _ => return None,
    };
    let last = first.checked_add(step.checked_mul(rounds)?)?;
    i32::try_from(last).ok()?;
    u32::try_from(rounds).ok()
}

fn finish(f: &mut Body, done: &Finishable) {
    let in_front = f.edge_from(done.enters);
    let exit = f.edge_to(done.leaves);
    for &(phi, series) in &done.results {
        let place = f.place(phi);
        let v = last(f, At::BeforeTerminator(in_front), done.rounds, series, place);
        f.replace_uses(phi, v);
    }
    for &(phi, _) in &done.results {
        f.remove(phi);
    }
    f.redirect(done.enters, exit);
    f.remove_blocks(&done.blocks);
}

/// The value of a series behind the last round.
fn last(f: &mut Body, at: At, rounds: Rounds, series: Series, place: Place) -> Value {
    let Some(step) = series.step else { return series.start };
    let make = |f: &mut Body, op: Op, a: Value, b: Value| match f.fold(op, Type::I32, 0, &[a, b]) {
        Some(v) => v,
        None => Value::inst(f.insert(at, op, Type::I32, &[a, b], 0, place)),
    };
    let (mut count, mut n) = match rounds {
        Rounds::Constant(n) => (f.int(n as i32), u64::from(n)),
        Rounds::Distance(from, to) => (make(f, Op::Sub, to, from), 0),
    };
    if series.is_before {
        let one = f.int(1);
        (count, n) = (make(f, Op::Sub, count, one), n.saturating_sub(1));
    }
    let product = make(f, Op::Mul, step, count);
    let mut v = make(f, Op::Add, series.start, product);
    if let Some(second) = series.second {
        let pairs = f.int((n * n.saturating_sub(1) / 2) as i32);
        let product = make(f, Op::Mul, second, pairs);
        v = make(f, Op::Add, v, product);
    }
    v
}

#[cfg(test)]
mod tests {
    use super::super::testing::{apply, leaves_alone, run};
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;

    /// A loop from `first` on, by `step`, while `test`, that adds up.
    fn text(first: i32, step: i32, test: &str, more: &str) -> String {
        format!(
            "@g = internal global i32 0
             define i32 @main() {{
             entry:
               br label %head
             head:
               %i = phi i32 [ {first}, %entry ], [ %j, %head ]
               %s = phi i32 [ 5, %entry ], [ %t, %head ]
               %u = phi i32 [ 9, %entry ], [ %v, %head ]
               {more}
               %t = add i32 %s, %i
               %v = add i32 %u, 3
               %j = add i32 %i, {step}
               %c = icmp {test}
               br i1 %c, label %head, label %exit
             exit:
               %a = mul i32 %t, 7
               %b = xor i32 %a, %u
               %d = xor i32 %b, %j
               %r = and i32 %d, 255
               ret i32 %r
             }}"
        )
    }

    #[test]
    fn what_a_loop_adds_up_is_said_without_it() {
        for (first, step, test) in [
            (0, 1, "slt i32 %j, 10"),
            (0, 1, "sle i32 %j, 10"),
            (3, 4, "slt i32 %j, 60"),
            (10, -3, "sgt i32 %j, -20"),
            (10, -1, "sge i32 %j, 0"),
            (50, 1, "slt i32 %j, 10"),
            (0, 1, "ne i32 %j, 7"),
            (0, 1, "slt i32 %j, 70000"),
        ] {
            let before = parse(&text(first, step, test, "")).unwrap();
            let mut module = before.clone();
            assert!(apply(&FINISH_LOOPS, &mut module), "{test}");
            assert!(!print::module(&module).contains("phi"), "{test}");
            assert_eq!(run(&module, ""), run(&before, ""), "{test}");
        }
    }

    #[test]
    fn what_writes_does_not_end_or_wraps_around_stays() {
        let stays = |text: &str| {
            let mut module = parse(text).unwrap();
            apply(&FINISH_LOOPS, &mut module);
            assert!(print::module(&module).contains("icmp"), "{}", print::module(&module));
        };
        stays(&text(0, 1, "slt i32 %j, 10", "store i32 %i, ptr @g"));
        stays(&text(0, 2, "ne i32 %j, 7", ""));
        stays(&text(0, -1, "slt i32 %j, 10", ""));
        stays(&text(0, 3, "sle i32 %j, 2147483647", ""));
        stays(&text(0, 1, "slt i32 %j, 10", "%x = load i32, ptr @g").replace("%u, 3", "%u, %x"));
        leaves_alone(&FINISH_LOOPS, "define i32 @main() {\nentry:\n  ret i32 0\n}");
    }

    #[test]
    fn a_bound_that_lies_ahead_says_how_often() {
        let text = "define i32 @f(i32 %n) {
             entry:
               %d = icmp sgt i32 %n, 0
               br i1 %d, label %front, label %exit
             front:
               br label %head
             head:
               %i = phi i32 [ 0, %front ], [ %j, %head ]
               %u = phi i32 [ 9, %front ], [ %v, %head ]
               %v = add i32 %u, 3
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %out
             out:
               br label %exit
             exit:
               %r = phi i32 [ 1, %entry ], [ %v, %out ]
               ret i32 %r
             }";
        let mut module = parse(text).unwrap();
        assert!(apply(&FINISH_LOOPS, &mut module));
        let have = print::module(&module);
        assert!(have.contains("mul i32 3") && have.matches("phi").count() == 1, "{have}");
        let mut module = parse(&text.replace("sgt i32 %n, 0", "ne i32 %n, 0")).unwrap();
        apply(&FINISH_LOOPS, &mut module);
        assert!(print::module(&module).contains("icmp slt"));
    }
}
