//! Removes loops of which only final values are wanted, when those can be said: a loop that runs n times
//! makes v + n s of a value v that goes up by s each round, and v + n s + t n (n - 1) / 2 if s itself goes
//! up by t. What goes up by a constant c modulo a constant m, and stays below it, becomes (v + n c) % m: where
//! neither wraps in 32 bits, that does not in 64.
//!
//! What they are behind it is in `exit_values`.
//!
//! Such a loop touches no memory but to read it, calls nothing that matters, is left in one place, behind a
//! test of an induction variable, and n is a trip count (`analysis/trips`). All is arithmetic modulo 2^32, in which this is exact.
//!
//! Loops that compute nothing for the outside go wherever they are left, if control comes together behind
//! them, and each of them, and of the loops inside, has a test that counts (`counted`) in each round.
//!
//! Inner loops first: without them an outer one may go, too. O(instructions of loops) a nest of loops that
//! go.

use crate::analysis::Evolution;
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::base::graph::Loop;
use crate::ir::opcode::{PURE, READS};
use crate::ir::{At, Block, Body, Edge, Env, Inst, Op, Place, Sort, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::exit_values::{Last, compute, last_of};
use crate::opt::loops::remarks::place_of;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static FINISH_LOOPS: FuncPass = FuncPass {
    name: "finish_loops",
    description: "say what loops compute without running them",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a loop that is looked at.
const MOST: usize = 64;
/// Loops inside of each other that go.
const MOST_DEPTH: usize = 4;
/// Edges on which a loop that computes nothing is left, and on which control goes on to where they meet.
const MOST_EXITS: usize = 8;
const MOST_FORWARDS: usize = 4;

#[inline(never)]
fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(|l| is_harmless(cx, l)) {
        return Outcome::UNCHANGED;
    }
    let mut changed = canonicalise(cx, closer);
    // An outer loop is seen again when the inner ones have gone.
    for _ in 0..MOST_DEPTH {
        cx.require(AnalysisSet::EVOLUTION);
        let mut done: Vec<Finishable> = Vec::new();
        // A loop that goes takes those inside of it along.
        let mut last: Option<Loop> = None;
        for l in cx.analyses.loops.header.keys() {
            let is_gone = last.is_some_and(|last| cx.analyses.loops.holds(last, l));
            let new = if is_gone { None } else { finishable(cx, l) };
            last = if new.is_some() { Some(l) } else { last };
            done.extend(new);
        }
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|done| tell(cx.f, done));
        // What a loop computes may be what one behind it starts with.
        done.iter().rev().for_each(|done| finish(cx.f, &cx.analyses.evolution, done));
        changed = true;
        cx.analyses.keep(AnalysisSet::NONE);
    }
    // What is true now has been asked for behind the last loop that has gone.
    Outcome::changed_if(changed, AnalysisSet::ALL)
}

/// Says that a loop has gone.
fn tell(f: &mut Body, done: &Finishable) {
    let place = if f.is_told() { place_of(f, &done.blocks) } else { Place::NONE };
    f.tell((Sort::Done, "finish_loops"), place, || match done.results.len() {
        0 => "the loop has gone: it computes nothing that is needed".to_string(),
        n => format!("the loop has gone: what it computes ({n} values) is known without it"),
    });
}

/// A loop that can go.
struct Finishable {
    /// Its blocks, and those behind it that nothing else enters.
    blocks: Vec<Block>,
    /// Into the loop, and where control is behind it.
    enters: Edge,
    behind: Block,
    trips: TripCount,
    /// Phis behind the loop, and what they get.
    results: Vec<(Inst, Last)>,
}

/// True for a loop that is small and does nothing that matters.
fn is_harmless(cx: &FuncCx, l: Loop) -> bool {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let blocks = loops.blocks(l);
    let is_small = blocks.iter().map(|&b| f.insts(b).take(MOST).count()).sum::<usize>() <= MOST;
    let harmless = |i: Inst| {
        let op = f.op(i);
        op.has(PURE)
            || op == Op::Phi
            || op.is_terminator()
            || op == Op::Load && op.has(READS)
            || op == Op::Call && cx.effects.is_removable(f.callee(i))
    };
    is_small && blocks.iter().all(|&b| f.insts(b).all(harmless))
}

fn finishable(cx: &FuncCx, l: Loop) -> Option<Finishable> {
    if !is_harmless(cx, l) {
        return None;
    }
    let around = cx.analyses.simple_loop(cx.f, l)?;
    deletable(&around).or_else(|| with_results(cx.env, &around, &cx.analyses.evolution, cx.target.word))
}

/// A loop of which nothing but final values is wanted.
fn with_results(env: &Env, around: &SimpleLoop, evolution: &Evolution, word: u32) -> Option<Finishable> {
    let &SimpleLoop { f, l, latch, enters, loops, .. } = around;
    let exit = f.edge_to(around.leaves(latch)?);
    // A loop around a loop that may not end may not end.
    if !loops.is_innermost(l) || !around.is_left_behind_latch() || f.preds(exit).len() != 1 {
        return None;
    }
    let trips = around.trip_count(env)?;
    let results = f.phis(exit).map(|phi| Some((phi, last_of(around, evolution, trips, f.arg(phi, 0))?)));
    let results: Vec<(Inst, Last)> = results.collect::<Option<_>>()?;
    if word != 64 && results.iter().any(|(_, last)| matches!(last, Last::Modular { .. })) {
        return None;
    }
    Some(Finishable { blocks: loops.blocks(l).to_vec(), enters, behind: exit, trips, results })
}

/// A loop that computes nothing.
fn deletable(around: &SimpleLoop) -> Option<Finishable> {
    let &SimpleLoop { f, l, enters, loops, dominators, .. } = around;
    let mut blocks = loops.blocks(l).to_vec();
    let out = blocks.iter().flat_map(|&b| f.succs(b)).filter(|&e| !loops.contains(l, f.edge_to(e)));
    let paths: Vec<Vec<Edge>> = out.take(MOST_EXITS + 1).map(|e| forwards(f, e)).collect();
    let on = |path: &[Edge], b: Block| path.iter().position(|&e| f.edge_to(e) == b);
    let meet = |&b: &Block| paths.iter().all(|path| on(path, b).is_some());
    let behind = paths.first()?.iter().map(|&e| f.edge_to(e)).find(meet)?;
    // What a phi behind the loop gets on a path.
    let brought = |phi: Inst, path: &[Edge]| {
        let last = on(path, behind)?;
        let from = |v: Value, e: Edge| match v.as_inst() {
            Some(i) if f.op(i) == Op::Phi && f.block_of(i) == Some(f.edge_to(e)) => f.arg(i, f.edge_slot(e)),
            _ => v,
        };
        let v = path[..=last].iter().rev().fold(Value::inst(phi), |v, &e| from(v, e));
        around.is_outside(v).then_some(v)
    };
    let mut results = Vec::new();
    for phi in f.phis(behind).filter(|&phi| f.has_uses(phi)) {
        let start = brought(phi, paths.first()?)?;
        if !paths.iter().all(|path| brought(phi, path) == Some(start)) {
            return None;
        }
        results.push((phi, Last::Same(start)));
    }
    let ends = |inner: Loop| SimpleLoop::of(f, (loops, dominators), inner).is_some_and(|inner| inner.ends());
    let heads = |&b: &Block| loops.innermost[b].get().filter(|&inner| loops.header[inner] == b);
    if paths.len() > MOST_EXITS || !blocks.iter().filter_map(heads).all(ends) {
        return None;
    }
    for e in paths.iter().flat_map(|path| &path[..on(path, behind).unwrap_or(0)]) {
        let b = f.edge_to(*e);
        if !blocks.contains(&b) && f.preds(b).iter().all(|&e| blocks.contains(&f.edge_from(e))) {
            blocks.push(b);
        }
    }
    Some(Finishable { blocks, enters, behind, trips: TripCount::Constant(0), results })
}

/// The edges that control goes along from one on, as far as blocks do nothing.
fn forwards(f: &Body, e: Edge) -> Vec<Edge> {
    let mut path = vec![e];
    let mut at = f.edge_to(e);
    while path.len() < MOST_FORWARDS {
        let end = f.insts(at).find(|&i| f.op(i) != Op::Phi).filter(|&i| f.op(i) == Op::Br);
        let Some(next) = end.and_then(|_| f.succs(at).next()) else { break };
        path.push(next);
        at = f.edge_to(next);
    }
    path
}

fn finish(f: &mut Body, evolution: &Evolution, done: &Finishable) {
    let in_front = f.edge_from(done.enters);
    let mut values = Vec::new();
    for &(phi, last) in &done.results {
        let at = (At::BeforeTerminator(in_front), f.place(phi));
        values.push((phi, compute(f, evolution, at, done.trips, last)));
    }
    f.redirect(done.enters, done.behind);
    let slot = f.edge_slot(done.enters);
    for &(phi, v) in &values {
        f.set_arg(phi, slot, v);
    }
    // A block that is never reached may lead into the middle of the loop.
    let is_inside = |&e: &Edge| done.blocks.contains(&f.edge_from(e));
    if done.blocks.iter().all(|&b| f.preds(b).iter().all(&is_inside)) {
        f.remove_blocks(&done.blocks);
    }
    while let (Some(phi), &[_]) = (f.first(done.behind).filter(|&i| f.op(i) == Op::Phi), f.preds(done.behind))
    {
        let v = f.arg(phi, 0);
        f.replace(phi, v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, apply_for, leaves_alone, run};

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
            // The square of what the last round began with, too.
            let text = text(first, step, test, "%q = mul i32 %i, %i\n%p = mul i32 %q, %i");
            let text = text.replace(
                "%a = mul i32 %t, 7",
                "%a0 = mul i32 %t, 7\n%a1 = xor i32 %a0, %q\n%a = add i32 %a1, %p",
            );
            let before = parse(&text).unwrap();
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

    /// A loop that computes nothing for what is behind it, with two tests.
    fn searching(one: &str, two: &str, more: &str) -> String {
        format!(
            "@g = internal global [9 x i32] zeroinitializer
             define i32 @f(i32 %m, i32 %n) {{
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %next ]
               %s = phi i32 [ 5, %entry ], [ %t, %next ]
               %c = icmp {one}
               br i1 %c, label %next, label %out
             next:
               {more}
               %t = add i32 %s, %i
               %j = add i32 %i, 1
               %d = icmp {two}
               br i1 %d, label %head, label %away
             out:
               br label %exit
             away:
               br label %exit
             exit:
               %r = phi i32 [ %m, %out ], [ %m, %away ]
               ret i32 %r
             }}"
        )
    }

    #[test]
    fn loops_without_results_go_wherever_they_are_left() {
        let nest = "br label %inner
             inner:
               %k = phi i32 [ 9, %next ], [ %l, %inner ]
               %l = add i32 %k, -1
               %e = icmp sgt i32 %l, %m
               br i1 %e, label %inner, label %behind
             behind:";
        let deep = searching("slt i32 %i, %n", "slt i32 %s, %m", nest).replace("%next ]", "%behind ]");
        for text in [
            searching("slt i32 %i, %n", "slt i32 %t, %m", ""),
            searching("sgt i32 %n, %i", "slt i32 %t, %m", ""),
            searching("slt i32 %s, %n", "ne i32 %j, %m", ""),
            searching("slt i32 %s, %n", "sle i32 %j, 2147483646", ""),
            searching("ult i32 %i, %n", "slt i32 %t, %m", "%x = load i32, ptr @g"),
            deep.replace("[ 9, %behind ]", "[ 9, %next ]"),
        ] {
            let mut module = parse(&text).unwrap();
            assert!(apply(&FINISH_LOOPS, &mut module), "{text}");
            let have = print::module(&module);
            assert!(!have.contains("icmp") && !have.contains("phi"), "{have}");
        }
    }

    #[test]
    fn loops_that_may_not_end_or_say_something_stay() {
        for text in [
            searching("sle i32 %i, %n", "slt i32 %t, %m", ""),
            searching("slt i32 %i, %n", "slt i32 %t, %m", "").replace("%i, 1", "%i, 2"),
            searching("slt i32 %i, %n", "slt i32 %t, %m", "store i32 %s, ptr @g"),
            searching("slt i32 %i, %n", "slt i32 %t, %m", "").replace("[ %m, %out ]", "[ %n, %out ]"),
            searching("slt i32 %i, %n", "slt i32 %t, %m", "").replace("[ %m, %away ]", "[ %t, %away ]"),
            // The test that counts is not in each round.
            searching("slt i32 %i, %n", "slt i32 %t, %m", "")
                .replace("label %next, label %out", "label %next, label %head2")
                .replace("[ %j, %next ]", "[ %j, %next ], [ %i, %skip ]")
                .replace("[ %t, %next ]", "[ %t, %next ], [ %s, %skip ]")
                .replace("out:", "head2:\n %e = icmp eq i32 %m, 7\n br i1 %e, label %skip, label %out\nskip:\n br label %head\nout:"),
        ] {
            let mut module = parse(&text).unwrap();
            apply(&FINISH_LOOPS, &mut module);
            let have = print::module(&module);
            assert_eq!(have.matches("icmp").count(), text.matches("icmp").count(), "{have}");
        }
    }

    #[test]
    fn what_is_never_reached_may_lead_into_a_loop_that_goes() {
        let text = "define i32 @f(i32 %n) {
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %latch ]
               br label %latch
             latch:
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, 9
               br i1 %c, label %head, label %out
             never:
               %d = icmp slt i32 %n, 9
               br i1 %d, label %latch, label %out
             out:
               ret i32 7
             }";
        let mut module = parse(text).unwrap();
        assert!(apply(&FINISH_LOOPS, &mut module));
        assert_eq!(crate::ir::verify::verify_module(&module), Ok(()));
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
        assert!(have.contains("mul i32 %v1, 3") && have.matches("phi").count() == 1, "{have}");
        let mut module = parse(&text.replace("sgt i32 %n, 0", "ne i32 %n, 0")).unwrap();
        apply(&FINISH_LOOPS, &mut module);
        assert!(print::module(&module).contains("icmp slt"));
    }

    #[test]
    fn what_prints_is_left_early_or_steps_over_its_bound_stays() {
        let text = |round: &str, step: i32, test: &str| {
            format!(
                "declare void @putint(i32) memory(inaccessiblemem: readwrite)
                 define i32 @f(i32 %n, i32 %x) {{
                 entry:
                   br label %head
                 head:
                   %i = phi i32 [ 0, %entry ], [ %j, %latch ]
                   {round}
                 latch:
                   %j = add i32 %i, {step}
                   %c = icmp {test}
                   br i1 %c, label %head, label %exit
                 exit:
                   %r = phi i32 [ %j, %latch ]
                   ret i32 %r
                 out:
                   ret i32 -1
                 }}"
            )
        };
        let stays = |text: &str| {
            let mut module = parse(text).unwrap();
            apply(&FINISH_LOOPS, &mut module);
            assert!(print::module(&module).contains("icmp"), "{text}");
        };
        let on = "br label %latch";
        let unused = |text: String| text.replace("ret i32 %r", "ret i32 0");
        stays(&unused(text("call void @putint(i32 %x)\n br label %latch", 1, "slt i32 %j, 9")));
        stays(&text("%e = icmp eq i32 %i, %x\n br i1 %e, label %out, label %latch", 1, "slt i32 %j, 9"));
        stays(&unused(text(on, 2, "ne i32 %j, %n")));
        assert!(apply(&FINISH_LOOPS, &mut parse(&unused(text(on, 3, "ne i32 %j, %n"))).unwrap()));
    }

    /// A loop that adds a number modulo another one, from a number on, as often as a parameter says.
    fn modular(start: &str, step: i64, modulus: i64, next: &str, rounds: &str, wanted: &str) -> String {
        let minus = -modulus;
        let next = match next {
            "rest" => format!("%t = srem i32 %w, {modulus}"),
            below => format!(
                "%l = add i32 %w, {minus}\n%b = icmp {below} i32 %w, {modulus}\n\
                 %t = select i1 %b, i32 %w, i32 %l"
            ),
        };
        format!(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define void @f(i32 %n) {{
             entry:
               %some = icmp slt i32 0, %n
               br i1 %some, label %front, label %none
             front:
               br label %head
             head:
               %i = phi i32 [ 0, %front ], [ %j, %head ]
               %s = phi i32 [ {start}, %front ], [ %t, %head ]
               %w = add i32 %s, {step}
               {next}
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, {rounds}
               br i1 %c, label %head, label %exit
             exit:
               %x = phi i32 [ {wanted}, %head ]
               call void @putint(i32 %x)
               br label %none
             none:
               ret void
             }}
             define i32 @main() {{
               call void @f(i32 1)
               call void @f(i32 2)
               call void @f(i32 7)
               call void @f(i32 1000)
               call void @f(i32 30000)
               ret i32 0
             }}"
        )
    }

    #[test]
    fn what_goes_up_by_a_number_modulo_another_is_said_in_64_bits() {
        let target = TargetFacts { word: 64, ..TargetFacts::default() };
        for (start, step, modulus) in
            [("0", 15, 1_500_000_001), ("6", 3, 7), ("0", 6, 7), ("5", 0, 9), ("9", 998_244_352, 998_244_353)]
        {
            for next in ["rest", "slt"] {
                for (rounds, wanted) in [("%n", "%t"), ("%n", "%s"), ("23", "%t"), ("23", "%s")] {
                    let original = parse(&modular(start, step, modulus, next, rounds, wanted)).unwrap();
                    let mut module = original.clone();
                    assert!(apply_for(target, &[&FINISH_LOOPS], &mut module));
                    let have = print::module(&module);
                    assert!(!have.contains("%head") && !have.contains("select"), "{have}");
                    assert_eq!(run(&module, ""), run(&original, ""), "{have}");
                }
            }
        }
    }

    #[test]
    fn what_is_taken_away_has_to_be_the_modulus() {
        let target = TargetFacts { word: 64, ..TargetFacts::default() };
        let text = modular("0", 3, 7, "slt", "%n", "%t").replace("add i32 %w, -7", "add i32 %w, -6");
        let original = parse(&text).unwrap();
        let mut module = original.clone();
        apply_for(target, &[&FINISH_LOOPS], &mut module);
        assert!(print::module(&module).contains("select"));
        assert_eq!(run(&module, ""), run(&original, ""));
    }

    #[test]
    fn what_leaves_its_modulus_wraps_around_or_varies_is_computed_round_by_round() {
        let wide = TargetFacts { word: 64, ..TargetFacts::default() };
        let narrow = TargetFacts { word: 32, ..TargetFacts::default() };
        for (target, start, step, modulus, next) in [
            (narrow, "0", 3, 7, "rest"),
            (wide, "7", 3, 7, "slt"),
            (wide, "-1", 3, 7, "rest"),
            (wide, "%n", 3, 7, "rest"),
            (wide, "0", -3, 7, "rest"),
            (wide, "0", 7, 7, "slt"),
            (wide, "0", 700_000_000, 1_500_000_001, "rest"),
            (wide, "0", 3, 7, "sle"),
            (wide, "0", 3, -7, "rest"),
        ] {
            let text = modular(start, step, modulus, next, "%n", "%t");
            let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let original = module.clone();
            apply_for(target, &[&FINISH_LOOPS], &mut module);
            let have = print::module(&module);
            assert!(have.contains("phi i32") && have.contains("icmp slt i32 %v"), "{have}");
            assert_eq!(run(&module, ""), run(&original, ""), "{have}");
        }
    }
}
