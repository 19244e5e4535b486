//! Tests of partial unrolling.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply, apply_for, leaves_alone, run};

/// A loop from `first` on, by `step`, while `test`, over an array; `bound` is a number that is read.
fn text(first: i32, step: i32, test: &str, more: &str) -> String {
    format!(
        "@a = internal global [100 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           %p = getelementptr [100 x i32], ptr @a, i32 0, i32 50
           br label %head
         head:
           %i = phi i32 [ {first}, %entry ], [ %j, %next ]
           %s = phi i32 [ 5, %entry ], [ %t, %next ]
           %q = getelementptr i32, ptr %p, i32 %i
           %x = load i32, ptr %q
           %y = add i32 %x, %i
           store i32 %y, ptr %q
           {more}
         next:
           %t = add i32 %s, %y
           %j = add i32 %i, {step}
           %c = icmp {test}
           br i1 %c, label %head, label %exit
         exit:
           %r = phi i32 [ %t, %next ], [ 7, %head ]
           %d = phi i32 [ %j, %next ], [ %s, %head ]
           %k = xor i32 %r, %d
           %l = and i32 %k, 255
           ret i32 %l
         }}"
    )
}

const ON: &str = "br label %next";
const AWAY: &str = "%e = icmp eq i32 %i, 13\n br i1 %e, label %exit, label %next";

fn plain(text: String) -> String {
    text.replace(", [ 7, %head ]", "").replace(", [ %s, %head ]", "")
}

#[test]
fn several_rounds_for_one_test_do_what_single_ones_do() {
    for (first, step, test) in [
        (0, 1, "slt i32 %j, %n"),
        (0, 1, "sle i32 %j, %n"),
        (-3, 3, "slt i32 %j, %n"),
        (20, -1, "sgt i32 %j, %n"),
        (20, -2, "sge i32 %j, %n"),
        (0, 1, "slt i32 %j, 25"),
        (0, 1, "slt i32 %j, 24"),
        (24, -4, "ne i32 %j, -24"),
    ] {
        for text in [plain(text(first, step, test, ON)), text(first, step, test, AWAY)] {
            let before = parse(&text).unwrap();
            let mut module = before.clone();
            let facts = TargetFacts { offset: 1020, ..TargetFacts::default() };
            assert!(apply_for(facts, &[&UNROLL], &mut module), "{text}");
            let have = print::module(&module);
            assert!(have.matches("load").count() >= 4, "{have}");
            for n in ["-2147483648", "2147483647", "-20", "-1", "0", "1", "2", "3", "4", "5", "6", "21", "30"]
            {
                if test.contains("%n") && n.len() > 9 && run(&before, n).is_none() {
                    continue;
                }
                assert_eq!(run(&module, n), run(&before, n), "{test} {n}\n{have}");
            }
        }
    }
}

#[test]
fn what_is_left_of_a_constant_number_is_nothing_where_that_can_be() {
    let count = |test: &str| {
        let mut module = parse(&plain(text(0, 1, test, ON))).unwrap();
        apply(&UNROLL, &mut module);
        print::module(&module).matches("store").count()
    };
    assert_eq!([24, 25].map(|n| count(&format!("slt i32 %j, {n}"))), [8, 5]);
    // Eight rounds and one, or four and one where three times eight are too many.
    assert_eq!([29, 23].map(|n| count(&format!("slt i32 %j, {n}"))), [9, 5]);
    assert_eq!(count("slt i32 %j, 7"), 1, "too few");
}

#[test]
fn what_calls_and_what_does_not_count_stays() {
    let stays = |text: &str| leaves_alone(&UNROLL, &plain(text.to_string()));
    stays(&text(0, 1, "slt i32 %j, %n", "%z = call i32 @getint()\n br label %next"));
    stays(&text(0, 1, "slt i32 %j, %y", ON));
    stays(&text(0, -1, "slt i32 %j, %n", ON));
    stays(&text(0, 1, "ne i32 %j, %n", ON));
    stays(&text(0, 1, "ult i32 %j, %n", ON));
    stays("define i32 @main() {\nentry:\n  ret i32 0\n}");
}

#[test]
fn pointers_of_rounds_are_offsets_and_meet_their_end() {
    let text = |test: &str, step: i32| {
        format!(
            "@a = internal global [100 x i32] zeroinitializer
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             define i32 @main() {{
             entry:
               %n = call i32 @getint()
               %first = getelementptr [100 x i32], ptr @a, i32 0, i32 50
               %end = getelementptr i32, ptr %first, i32 %n
               br label %head
             head:
               %p = phi ptr [ %first, %entry ], [ %q, %head ]
               %s = phi i32 [ 5, %entry ], [ %t, %head ]
               %x = load i32, ptr %p
               %t = add i32 %s, %x
               store i32 %s, ptr %p
               %q = getelementptr i32, ptr %p, i32 {step}
               %c = icmp {test} ptr %q, %end
               br i1 %c, label %head, label %exit
             exit:
               %u = phi i32 [ %t, %head ]
               %r = and i32 %u, 255
               ret i32 %r
             }}"
        )
    };
    for (test, step, word) in [
        ("slt", 1, 64),
        ("sgt", -1, 64),
        ("ne", 1, 32),
        ("ne", -1, 32),
        ("slt", 3, 64),
        ("slt", 400, 64),
        ("sle", 1, 64),
        ("sge", -1, 64),
    ] {
        let text = text(test, step);
        let before = parse(&text).unwrap();
        let mut module = before.clone();
        let facts = TargetFacts { offset: 1020, word, ..TargetFacts::default() };
        assert_eq!(apply_for(facts, &[&UNROLL], &mut module), step < 400, "{text}");
        let other = TargetFacts { word: 96 - word, ..facts };
        assert!(!apply_for(other, &[&UNROLL], &mut before.clone()), "{text}");
        for n in 1..12 {
            let n = (n * step.signum()).to_string();
            assert_eq!(run(&module, &n), run(&before, &n), "{test} {n}\n{}", print::module(&module));
        }
    }
}

/// A loop of which nothing counts the rounds, over variables that change places.
fn places(phis: &str, round: &str, result: &str) -> String {
    format!(
        "declare i32 @getint() memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %x = call i32 @getint()
           br label %head
         head:
           {phis}
           {round}
           %c = icmp ne i32 %t, 0
           br i1 %c, label %head, label %exit
         exit:
           %v = phi i32 [ {result}, %head ]
           %l = and i32 %v, 255
           ret i32 %l
         }}"
    )
}

#[test]
fn variables_come_back_to_their_places() {
    let two = "%a = phi i32 [ %x, %entry ], [ %b, %head ]\n%b = phi i32 [ 35, %entry ], [ %t, %head ]";
    let three = "%a = phi i32 [ %x, %entry ], [ %b, %head ]
        %b = phi i32 [ 35, %entry ], [ %d, %head ]
        %d = phi i32 [ 77, %entry ], [ %t, %head ]";
    let swap = "%a = phi i32 [ %x, %entry ], [ %b, %head ]
        %b = phi i32 [ 35, %entry ], [ %a, %head ]
        %t0 = phi i32 [ 9, %entry ], [ %t, %head ]";
    for (text, tests) in [
        (places(two, "%t = srem i32 %a, %b", "%b"), 2),
        (places(three, "%s = add i32 %a, %d\n%u = and i32 %s, 7\n%t = sub i32 %u, 3", "%d"), 3),
        (places(swap, "%t = sub i32 %t0, 1", "%a"), 2),
    ] {
        let before = parse(&text).unwrap();
        let mut module = before.clone();
        assert!(apply(&UNROLL, &mut module), "{text}");
        let have = print::module(&module);
        assert_eq!(have.matches("icmp ne").count(), tests, "{have}");
        for x in ["0", "1", "35", "36", "70", "71", "500", "-35", "2147483647"] {
            assert_eq!(run(&module, x), run(&before, x), "{x}\n{have}");
        }
    }
}

#[test]
fn variables_that_stay_in_their_places_or_go_far_and_loops_with_calls_stay() {
    let one = "%a = phi i32 [ %x, %entry ], [ %t, %head ]";
    leaves_alone(&UNROLL, &places(one, "%t = sdiv i32 %a, 2", "%a"));
    let two = "%a = phi i32 [ %x, %entry ], [ %b, %head ]\n%b = phi i32 [ 35, %entry ], [ %t, %head ]";
    leaves_alone(&UNROLL, &places(two, "%u = call i32 @getint()\n%t = srem i32 %u, %b", "%b"));
    let more: String = (1..17)
        .map(|k| format!("%u{k} = xor i32 %u{}, %b\n", k - 1))
        .collect::<String>()
        .replace("%u0", "%a");
    leaves_alone(&UNROLL, &places(two, &format!("{more}%t = and i32 %u16, 3"), "%b"));
    let five: String = (1..5)
        .map(|k| format!("%p{k} = phi i32 [ {k}, %entry ], [ %p{}, %head ]\n", k + 1))
        .chain(["%p5 = phi i32 [ %x, %entry ], [ %t, %head ]\n".to_string()])
        .collect();
    leaves_alone(&UNROLL, &places(&five, "%u = and i32 %p1, 3\n%t = sub i32 %u, 1", "%p2"));
}

#[test]
fn loads_that_rounds_share_are_worth_more_copies() {
    // A stencil over a row: 94 rounds are no multiple of 4.
    let text = |to: &str| {
        format!(
            "@a = internal global [100 x i32] zeroinitializer
             @b = internal global [100 x i32] zeroinitializer
             define i32 @main() {{
             entry:
               br label %head
             head:
               %p = phi ptr [ @a, %entry ], [ %pn, %head ]
               %q = phi ptr [ {to}, %entry ], [ %qn, %head ]
               %i = phi i32 [ 0, %entry ], [ %j, %head ]
               %p1 = getelementptr i32, ptr %p, i32 1
               %p2 = getelementptr i32, ptr %p, i32 2
               %x = load i32, ptr %p
               %y = load i32, ptr %p1
               %z = load i32, ptr %p2
               %s = add i32 %x, %y
               %t = add i32 %s, %z
               %u = sdiv i32 %t, 3
               %v = xor i32 %u, %t
               %w = mul i32 %v, %t
               store i32 %w, ptr %q
               %pn = getelementptr i32, ptr %p, i32 1
               %qn = getelementptr i32, ptr %q, i32 1
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, 46
               br i1 %c, label %head, label %exit
             exit:
               ret i32 0
             }}"
        )
    };
    let stores = |to: &str| {
        let mut module = parse(&text(to)).unwrap();
        let facts = TargetFacts { offset: 1020, ..TargetFacts::default() };
        apply_for(facts, &[&UNROLL], &mut module);
        print::module(&module).matches("store").count()
    };
    assert_eq!([stores("@b"), stores("@a")], [5, 2], "what is stored may be loaded again");
}

/// Stores of a round, of how many rounds stand together and those that are left, where the loop did so many on average.
fn stores_of(rounds: u64) -> usize {
    let mut module = parse(&plain(text(0, 1, "slt i32 %j, %n", ON))).unwrap();
    let f = module.nth_mut(0);
    let end = f.blocks().filter_map(|b| f.terminator(b)).find(|&i| f.op(i) == Op::CondBr).unwrap();
    f.set_flags(end, crate::ir::Flags::odds((rounds - 1) * 1000, 1000));
    apply(&UNROLL, &mut module);
    print::module(&module).matches("store i32").count()
}

#[test]
fn rounds_that_a_profile_counts_decide_how_many_stand_together() {
    assert_eq!([3, 5, 8, 16, 100].map(stores_of), [1, 1, 3, 5, 9]);
}
