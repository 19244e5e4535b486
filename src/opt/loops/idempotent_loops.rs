//! A loop whose iterations all do the same executes once: `for (r = 0; r < 100; r++)` around loops that compute
//! `c[i] = a[i] * b[i]`, as benchmarks repeat what they measure.
//!
//! | what the loop has | what becomes of it |
//! | --- | --- |
//! | the variable of its test, of which nothing else is made | its last value (`exit_values`) |
//! | sums that go up by the same in each round: what is made of them are sums, each of one of them and something else | first + rounds x (what one round makes of it - first) |
//! | memory that it reads, and other memory that it writes | what the first round has written |
//!
//! A round does the same if it reads nothing that the loop writes, and nothing else changes from round to round. The loop
//! is left behind its latch only, and its trip count is known; it calls nothing. Arithmetic is modulo 2^32, in which
//! products of sums are exact; floats are not added up so.
//!
//! Outer loops first, O(instructions of loops of at most `MOST`). Executions that are redundant as a whole: gcc and
//! clang find parts of this by unswitching and store motion.

use crate::analysis::alias::may_share;
use crate::analysis::evolution::Evolution;
use crate::analysis::memory::{Base, base_of, read, written};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::{Counted, TripCount};
use crate::base::graph::Loop;
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Edge, Env, Inst, Op, Place, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::exit_values::{Last, compute, count, last_of, make};
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static IDEMPOTENT_LOOPS: FuncPass = FuncPass {
    name: "idempotent_loops",
    description: "execute loops once whose iterations all do the same",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a loop that is looked at,
const MOST: usize = 400;
/// and accesses of memory.
const MOST_ACCESSES: usize = 32;
/// Values that go up by the same in each round.
const MOST_SUMS: usize = 4;
/// Values that are made of one of them.
const MOST_MADE: usize = 48;

#[inline(never)]
fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    let is_nest = |l: Loop| {
        cx.analyses.loops.blocks(l).iter().any(|&b| cx.analyses.loops.innermost[b].get() != Some(l))
    };
    if !worth_it(cx.f, cx.analyses)
        || !cx.analyses.loops.header.keys().any(|l| is_nest(l) && is_repeated(cx.f, cx, l).is_some())
    {
        return Outcome::UNCHANGED;
    }
    let changed = canonicalise(cx, closer);
    let loops = cx.analyses.loops.header.keys();
    let candidates: Vec<Candidate> = loops.filter_map(|l| candidate(cx.env, cx.f, cx, l)).collect();
    if candidates.is_empty() {
        return Outcome::changed_if(changed, AnalysisSet::ALL);
    }
    cx.require(AnalysisSet::EVOLUTION);
    let mut plans: Vec<Plan> = Vec::new();
    let mut last: Option<Loop> = None;
    for candidate in candidates {
        // A loop inside of one that goes round once is looked at when the pass runs again.
        let l = candidate.l;
        if last.is_some_and(|last| cx.analyses.loops.holds(last, l)) {
            continue;
        }
        if let Some(plan) = plan(cx.f, cx, candidate) {
            plans.push(plan);
            last = Some(l);
        }
    }
    if plans.is_empty() {
        return Outcome::changed_if(changed, AnalysisSet::ALL);
    }
    for plan in &plans {
        cx.f.tell((Sort::Done, "idempotent_loops"), plan.place, || {
            "each round does what the first one does: the loop goes round once".to_string()
        });
        go_once(cx.f, &cx.analyses.evolution, plan);
    }
    Outcome::changed(AnalysisSet::NONE)
}

/// A loop that goes round once.
struct Plan {
    preheader: Block,
    latch: Block,
    leaves: Edge,
    trips: TripCount,
    place: Place,
    /// Phis behind the loop, and what they get in the place of a value of the variable.
    lasts: Vec<(Inst, Last)>,
    /// Phis behind the loop that get what a sum has become; with what it was at first and behind a round.
    sums: Vec<(Inst, Value, Value)>,
}

/// The bases of what a loop reads and writes, if it does nothing else that matters, and no round reads what one writes.
fn is_repeated(f: &Body, cx: &FuncCx, l: Loop) -> Option<()> {
    let (mut reads, mut writes): (Vec<Base>, Vec<Base>) = (Vec::new(), Vec::new());
    let mut seen = 0;
    for i in cx.analyses.loops.blocks(l).iter().flat_map(|&b| f.insts(b)) {
        let op = f.op(i);
        seen += 1;
        if seen > MOST || reads.len() + writes.len() > MOST_ACCESSES {
            return None;
        }
        if op.has(PURE) || op == Op::Phi || op.is_terminator() {
            continue;
        }
        if !matches!(op, Op::Load | Op::Store | Op::MemInit | Op::MemSet | Op::MemCopy) {
            return None;
        }
        let note = |bases: &mut Vec<Base>, at: Option<Value>| {
            if let Some(base) = at.map(|at| base_of(f, at)).filter(|base| !bases.contains(base)) {
                bases.push(base);
            }
        };
        note(&mut reads, read(f, i));
        note(&mut writes, written(f, i));
    }
    let is_apart = |&read: &Base| writes.iter().all(|&written| !may_share(cx.env, f.func, read, written));
    reads.iter().all(is_apart).then_some(())
}

/// A loop each round of which does the same.
struct Candidate {
    l: Loop,
    counted: Counted,
    exit: Edge,
    trips: TripCount,
    sums: Vec<Sum>,
}

fn candidate(env: &Env, f: &Body, cx: &FuncCx, l: Loop) -> Option<Candidate> {
    let around = cx.analyses.simple_loop(f, l)?;
    let counted = around.counted(around.latch).filter(|counted| counted.is_next)?;
    let exit = around.leaves(around.latch)?;
    if !around.is_left_behind_latch() || f.preds(f.edge_to(exit)).len() != 1 {
        return None;
    }
    is_repeated(f, cx, l)?;
    let trips = around.trip_count(env)?;
    if trips == TripCount::Constant(1) {
        return None;
    }
    // Of the variable nothing is made but its next value, and the test.
    let serves = |i: Inst| i == counted.compare || Value::inst(i) == counted.next || i == counted.phi;
    let inside = |i: Inst| f.block_of(i).is_some_and(|b| around.loops.contains(l, b));
    let only_counts =
        |v: Value| v.as_inst().is_some_and(|i| f.uses(i).all(|u| !inside(u.user) || serves(u.user)));
    if !only_counts(Value::inst(counted.phi)) || !only_counts(counted.next) {
        return None;
    }
    let others = f.phis(around.header).filter(|&phi| phi != counted.phi);
    let sums: Vec<Sum> = others.map(|phi| sum_of(&around, phi)).collect::<Option<_>>()?;
    // What is made of two of them does not go up by the same.
    let made_of = |v: &Value| sums.iter().filter(|sum| sum.made.contains(v)).count();
    if sums.len() > MOST_SUMS || sums.iter().any(|sum| sum.made.iter().any(|v| made_of(v) > 1)) {
        return None;
    }
    Some(Candidate { l, counted, exit, trips, sums })
}

fn plan(f: &Body, cx: &FuncCx, candidate: Candidate) -> Option<Plan> {
    let Candidate { l, counted, exit, trips, sums } = candidate;
    let around = cx.analyses.simple_loop(f, l)?;
    let is_variable = |v: Value| v == Value::inst(counted.phi) || v == counted.next;
    let mut plan = Plan {
        preheader: around.preheader,
        latch: around.latch,
        leaves: exit,
        trips,
        place: place_of_loop(f, cx.analyses, l),
        lasts: Vec::new(),
        sums: Vec::new(),
    };
    for phi in f.phis(f.edge_to(exit)) {
        let v = f.arg(phi, 0);
        if is_variable(v) {
            plan.lasts.push((phi, last_of(&around, &cx.analyses.evolution, trips, v)?));
            continue;
        }
        // All else is the same in each round, but for the sums.
        let Some(sum) = sums.iter().find(|sum| sum.made.contains(&v)) else { continue };
        if v != sum.next {
            return None;
        }
        plan.sums.push((phi, sum.first, sum.next));
    }
    Some(plan)
}

/// A phi that goes up by the same in each round.
struct Sum {
    first: Value,
    next: Value,
    /// It, and what is made of it.
    made: Vec<Value>,
}

/// What a phi of the header is, if each value that is made of it in the loop is it and something that is not made of it,
/// and nothing else depends on it.
fn sum_of(around: &SimpleLoop, phi: Inst) -> Option<Sum> {
    let f = around.f;
    let (first, next) = around.phi(Value::inst(phi)).filter(|_| f.ty(phi) == Type::I32)?;
    let mut made = vec![Value::inst(phi)];
    let mut k = 0;
    while k < made.len() {
        let i = made[k].as_inst()?;
        k += 1;
        for u in f.uses(i) {
            let is_outside = f.block_of(u.user).is_none_or(|b| !around.loops.contains(around.l, b));
            if is_outside || made.contains(&Value::inst(u.user)) {
                continue;
            }
            if !matches!(f.op(u.user), Op::Add | Op::Sub | Op::Phi) || made.len() == MOST_MADE {
                return None;
            }
            made.push(Value::inst(u.user));
        }
    }
    let is_made = |v: &Value| made.contains(v);
    let goes_up = |v: &Value| {
        let i = v.as_inst().filter(|&i| f.ty(i) == Type::I32)?;
        let fits = match (f.op(i), f.args(i)) {
            _ if i == phi => true,
            (Op::Add, [a, b]) => is_made(a) != is_made(b),
            (Op::Sub, [a, b]) => is_made(a) && !is_made(b),
            (_, args) => args.iter().all(is_made),
        };
        fits.then_some(())
    };
    (is_made(&next) && made.iter().all(|v| goes_up(v).is_some())).then_some(Sum { first, next, made })
}

/// Lets a loop go round once.
fn go_once(f: &mut Body, evolution: &Evolution, plan: &Plan) {
    for &(phi, last) in &plan.lasts {
        let at = (At::BeforeTerminator(plan.preheader), f.place(phi));
        let v = compute(f, evolution, at, plan.trips, last);
        f.set_arg(phi, 0, v);
    }
    let place = f.terminator(plan.latch).map_or(Place::NONE, |end| f.place(end));
    f.fold_cond_br(plan.latch, plan.leaves, place);
    if plan.sums.is_empty() {
        return;
    }
    let rounds = count(f, (At::BeforeTerminator(plan.preheader), place), plan.trips);
    for &(phi, first, next) in &plan.sums {
        let at = (At::BeforeTerminator(plan.latch), place);
        let by = make(f, at, Op::Sub, next, first);
        let all = make(f, at, Op::Mul, by, rounds);
        let v = make(f, at, Op::Add, first, all);
        f.set_arg(phi, 0, v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, run};

    /// A loop of %n rounds around one that goes over arrays, with these lines in it.
    fn nest(phis: &str, lines: &str, behind: &str, result: &str) -> String {
        format!(
            "@a = internal global [9 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5]
             @b = internal global [9 x i32] zeroinitializer
             define i32 @f(i32 %n) {{
             entry:
               %some = icmp slt i32 0, %n
               br i1 %some, label %front, label %none
             front:
               br label %outer
             outer:
               %r = phi i32 [ 0, %front ], [ %rr, %behind ]
               {phis}
               br label %head
             head:
               %i = phi i32 [ 0, %outer ], [ %j, %head ]
               %p = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %i
               %q = getelementptr inbounds [9 x i32], ptr @b, i32 0, i32 %i
               %x = load i32, ptr %p
               {lines}
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, 9
               br i1 %c, label %head, label %behind
             behind:
               {behind}
               %rr = add i32 %r, 1
               %d = icmp slt i32 %rr, %n
               br i1 %d, label %outer, label %out
             out:
               br label %none
             none:
               %res = phi i32 [ 77, %entry ], [ {result}, %out ]
               ret i32 %res
             }}
             define i32 @main() {{
               %u = call i32 @f(i32 0)
               %v = call i32 @f(i32 1)
               %w = call i32 @f(i32 2003)
               %k = getelementptr inbounds [9 x i32], ptr @b, i32 0, i32 5
               %l = load i32, ptr %k
               %s = xor i32 %u, %v
               %t = xor i32 %s, %w
               %z = xor i32 %t, %l
               %y = and i32 %z, 255
               ret i32 %y
             }}"
        )
    }

    const SUM: &str = "%s = phi i32 [ 5, %front ], [ %t, %behind ]";
    const INNER: &str = "%t0 = phi i32 [ %s, %outer ], [ %t, %head ]";

    /// A nest whose inner loop has a phi of its own.
    fn summing(lines: &str, result: &str) -> String {
        let text = nest(SUM, lines, "", result);
        text.replace(
            "%p = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %i\n",
            &format!("{INNER}\n%p = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %i\n"),
        )
    }

    #[test]
    fn rounds_that_do_the_same_are_done_once() {
        for text in [
            nest("", "%y = mul i32 %x, 3\nstore i32 %y, ptr %q", "", "%rr"),
            nest("", "%y = mul i32 %x, %n\nstore i32 %y, ptr %q", "", "%x"),
            nest("", "store i32 7, ptr %q", "", "%r"),
            summing("%t = add i32 %t0, %x", "%t"),
            summing("%u = sub i32 %t0, %x\n%t = add i32 %u, %i\nstore i32 %x, ptr %q", "%t"),
        ] {
            let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut module = before.clone();
            assert!(apply(&IDEMPOTENT_LOOPS, &mut module), "{text}");
            assert!(run(&before, "").is_some(), "{text}");
            assert_eq!(run(&module, ""), run(&before, ""), "{}", print::module(&module));
            assert_eq!(print::module(&module).matches("br i1").count(), 2, "{}", print::module(&module));
        }
    }

    #[test]
    fn rounds_that_differ_are_all_done() {
        for text in [
            // What is written depends on the round, on what was there, or is read in the next one.
            nest("", "store i32 %r, ptr %q", "", "%rr"),
            nest("", "%z = load i32, ptr %q\n%y = add i32 %z, %x\nstore i32 %y, ptr %q", "", "%rr"),
            nest("", "store i32 %x, ptr %q\nstore i32 %i, ptr %p", "", "%rr"),
            nest("", "", "call i32 @g()", "%rr")
                .replace("define i32 @main", "declare i32 @g()\ndefine i32 @main"),
            // What is added depends on the sum.
            summing("%u = mul i32 %t0, 2\n%t = add i32 %u, %x", "%t"),
            summing("%u = xor i32 %t0, 2\n%t = add i32 %t0, %x\nstore i32 %u, ptr %q", "%t"),
            summing("%t = sub i32 %x, %t0", "%t"),
            summing("%t = add i32 %t0, %t0", "%t"),
            summing("%t = add i32 %t0, %r", "%t"),
            summing("%t = add i32 %t0, %x\nstore i32 %t, ptr %q", "%t"),
            // Or on another one.
            nest(
                "%s = phi i32 [ 5, %front ], [ %t, %behind ]\n%s2 = phi i32 [ 6, %front ], [ %t2, %behind ]",
                "",
                "%t = add i32 %s, 3\n%t2 = add i32 %s2, %s",
                "%t2",
            ),
            nest(
                "%s2 = phi i32 [ 6, %front ], [ %t2, %behind ]\n%s = phi i32 [ 5, %front ], [ %t, %behind ]",
                "",
                "%t = add i32 %s, 3\n%t2 = add i32 %s2, %s",
                "%t2",
            ),
            // The sum before the last round.
            summing("%t = add i32 %t0, %x", "%s"),
        ] {
            let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            apply(&IDEMPOTENT_LOOPS, &mut module);
            assert_eq!(print::module(&module).matches("br i1").count(), 3, "{}", print::module(&module));
        }
    }
}
