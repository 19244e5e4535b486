//! What loops compute without them.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::interp;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply, apply_for, leaves_alone, main_calls, run};

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
    // Where it does not, one round is done.
    for (down, first) in [(false, "0"), (true, "0"), (false, "2147483647"), (true, "-2147483648")] {
        let text = text
            .replace("sgt i32 %n, 0", "ne i32 %n, 0")
            .replace("[ 0, %front ]", &format!("[ {first}, %front ]"));
        let text = if down { text.replace("%i, 1", "%i, -1").replace("slt", "sgt") } else { text };
        let calls = "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @main() {
               %a = call i32 @f(i32 -5)
               call void @putint(i32 %a)
               %b = call i32 @f(i32 1)
               call void @putint(i32 %b)
               %c = call i32 @f(i32 77)
               call void @putint(i32 %c)
               ret i32 0
             }";
        let before = parse(&format!("{text}\n{calls}")).unwrap();
        let mut module = before.clone();
        apply(&FINISH_LOOPS, &mut module);
        // The number behind the last one wraps around.
        assert_eq!(print::module(&module).contains("icmp s"), first != "0");
        if first == "0" {
            assert_eq!(run(&module, ""), run(&before, ""));
        }
    }
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
         }}\n{}",
        main_calls(&[[1], [2], [7], [1000], [30000]])
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
        (narrow, "0", 3, 70_001, "rest"),
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

/// A loop from %s on, by %k modulo %m; behind it what was asked for. `main` tries numbers of all kinds.
fn at_run_time(next: &str, wanted: &str, calls: &[[i64; 4]]) -> String {
    format!(
        "declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define void @f(i32 %n, i32 %s, i32 %k, i32 %m) {{
         entry:
           %some = icmp slt i32 0, %n
           br i1 %some, label %front, label %none
         front:
           br label %head
         head:
           %i = phi i32 [ 0, %front ], [ %j, %head ]
           %x = phi i32 [ %s, %front ], [ %y, %head ]
           {next}
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %head, label %exit
         exit:
           %r = phi i32 [ {wanted}, %head ]
           call void @putint(i32 %r)
           br label %none
         none:
           ret void
         }}\n{}",
        main_calls(calls)
    )
}

#[test]
fn what_is_added_modulo_something_may_be_read_at_run_time() {
    let [target, narrow] = [64, 32].map(|word| TargetFacts { word, ..TargetFacts::default() });
    let most = i64::from(i32::MAX);
    let small = [
        [30_000, 3, 128, 65_535],
        [1, 65_600, 128, 65_535],
        [30_000, 0, 0, 1],
        [30_000, 5, most - 12, 13],
        [30_000, 99, 65_535, 98],
        [7, most - 128, 128, 65_535],
        [0, 3, 128, 0],
    ];
    // What is asked says no.
    let others =
        [[20, -3, 128, 65_535], [20, most, 128, 65_535], [20, 3, -128, 99], [20, 3, most, 2], [20, 5, 3, -7]];
    for (next, wanted, calls) in [
        ("%w = add i32 %x, %k\n%y = srem i32 %w, %m", "%y", &small[..]),
        ("%w = add i32 %x, %k\n%y = srem i32 %w, %m", "%x", &small[..]),
        ("%w = add i32 %x, 128\n%y = srem i32 %w, 65535", "%y", &small[..]),
        ("%w = add i32 %x, 128\n%y = srem i32 %w, %m", "%y", &small[..]),
        ("%w = add i32 %k, %x\n%y = srem i32 %w, 65535", "%x", &small[..]),
        (
            "%w = add i32 %x, 128\n%l = add i32 %w, -65535\n%b = icmp slt i32 %w, 65535\n\
             %y = select i1 %b, i32 %w, i32 %l",
            "%y",
            &small[..1],
        ),
    ] {
        let text = at_run_time(next, wanted, &[calls, &others[..]].concat());
        let original = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = original.clone();
        assert!(apply_for(target, &[&FINISH_LOOPS], &mut module));
        assert_eq!(crate::ir::verify::verify_module(&module), Ok(()));
        assert_eq!(run(&module, ""), run(&original, ""), "{}", print::module(&module));
        let mut module = original.clone();
        let has_changed = apply_for(narrow, &[&FINISH_LOOPS], &mut module);
        assert_eq!(has_changed, next.contains("65535"));
        assert_eq!(run(&module, ""), run(&original, ""), "{}", print::module(&module));
        // Where what is asked is so, there are no rounds.
        let mut few = parse(&at_run_time(next, wanted, calls)).unwrap();
        assert!(apply_for(target, &[&FINISH_LOOPS], &mut few));
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let options = interp::Options { steps: 1000, ..interp::Options::default() };
        let end = interp::run(&few, "main", &mut "".as_bytes(), &mut output, &mut errors, options);
        let has_few = next.contains("%b") || wanted == "%y" || calls.len() < 2;
        assert!(end.is_ok() || !has_few, "{}", print::module(&few));
    }
}

#[test]
fn sums_of_the_second_order_need_no_number_of_rounds() {
    for (start, step) in [(0, 1), (3, 1), (-5, 1)] {
        let text = format!(
            "define i32 @f(i32 %n) {{
             entry:
               %some = icmp slt i32 {start}, %n
               br i1 %some, label %front, label %none
             front:
               br label %head
             head:
               %i = phi i32 [ {start}, %front ], [ %j, %head ]
               %s = phi i32 [ 7, %front ], [ %t, %head ]
               %t = add i32 %s, %i
               %q = mul i32 %i, %i
               %j = add i32 %i, {step}
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %exit
             exit:
               %a = phi i32 [ %t, %head ]
               %b = phi i32 [ %s, %head ]
               %d = phi i32 [ %q, %head ]
               %x = xor i32 %a, %b
               %y = xor i32 %x, %d
               br label %none
             none:
               %r = phi i32 [ 0, %entry ], [ %y, %exit ]
               ret i32 %r
             }}
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @main() {{
               %a = call i32 @f(i32 -9)
               call void @putint(i32 %a)
               %b = call i32 @f(i32 4)
               call void @putint(i32 %b)
               %d = call i32 @f(i32 5)
               call void @putint(i32 %d)
               %e = call i32 @f(i32 90000)
               call void @putint(i32 %e)
               %g = call i32 @f(i32 90001)
               call void @putint(i32 %g)
               ret i32 0
             }}"
        );
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        assert!(apply(&FINISH_LOOPS, &mut module));
        assert!(!print::module(&module).contains("%head"), "{}", print::module(&module));
        assert_eq!(run(&module, ""), run(&before, ""));
    }
}

#[test]
fn values_that_only_their_last_is_wanted_of_go_out_of_loops_that_stay() {
    let text = |more: &str, wanted: &str| {
        format!(
            "@g = internal global [9 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %n) {{
             entry:
               %some = icmp slt i32 0, %n
               br i1 %some, label %front, label %none
             front:
               br label %head
             head:
               %i = phi i32 [ 0, %front ], [ %j, %head ]
               %s = phi i32 [ 7, %front ], [ %t, %head ]
               %m = phi i32 [ 3, %front ], [ %r, %head ]
               %x = phi i32 [ 1, %front ], [ %y, %head ]
               %t = add i32 %s, %i
               %w = add i32 %m, 35
               %r = srem i32 %w, 10007
               %z = mul i32 %x, 31
               %y = add i32 %z, %i
               {more}
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %exit
             exit:
               %a = phi i32 [ {wanted}, %head ]
               %b = phi i32 [ %r, %head ]
               %d = phi i32 [ %y, %head ]
               %e = xor i32 %a, %b
               %h = xor i32 %e, %d
               ret i32 %h
             none:
               ret i32 0
             }}
             define i32 @main() {{
               %a = call i32 @f(i32 1)
               call void @putint(i32 %a)
               %b = call i32 @f(i32 30000)
               call void @putint(i32 %b)
               ret i32 0
             }}"
        )
    };
    let target = TargetFacts { word: 64, ..TargetFacts::default() };
    // How many phis of the loop stay, with the two behind it.
    for (more, wanted, stay) in [
        ("", "%t", 2),
        ("", "%s", 2),
        ("store i32 %i, ptr @g", "%t", 2),
        // It is wanted in each round; something else is made of it.
        ("store i32 %t, ptr @g", "%t", 3),
        ("%q = mul i32 %s, %x\nstore i32 %q, ptr @g", "%s", 3),
    ] {
        let before = parse(&text(more, wanted)).unwrap();
        let mut module = before.clone();
        assert!(apply_for(target, &[&FINISH_LOOPS], &mut module));
        assert_eq!(crate::ir::verify::verify_module(&module), Ok(()));
        let have = print::module(&module);
        assert_eq!(have.matches("%b1 ], [").count(), stay, "{have}");
        assert_eq!(run(&module, ""), run(&before, ""));
    }
}
