//! Loops of which all rounds stand one behind the other, and those that stay.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply, apply_for, leaves_alone, run};

/// A loop in a loop, from `first` on, by `step`, while `test`, that fills and reads an array.
fn text(base: &str, first: i32, step: i32, test: &str, leaves: &str) -> String {
    format!(
        "@a = internal global [100 x i32] zeroinitializer
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             define i32 @main() {{
             entry:
               %l = alloca [100 x i32]
               memset.i32 ptr %l, 400
               br label %outer
             outer:
               %k = phi i32 [ 0, %entry ], [ %m, %exit ]
               %u = phi i32 [ 1, %entry ], [ %w, %exit ]
               br label %head
             head:
               %i = phi i32 [ {first}, %outer ], [ %j, %next ]
               %s = phi i32 [ %u, %outer ], [ %t, %next ]
               %q = getelementptr [100 x i32], ptr {base}, i32 0, i32 %i
               %x = load i32, ptr %q
               %y = add i32 %x, %s
               store i32 %y, ptr %q
               {leaves}
             next:
               %t = add i32 %s, %i
               %j = add i32 %i, {step}
               %c = icmp {test}
               br i1 %c, label %head, label %exit
             exit:
               %v = phi i32 [ %y, %next ], [ %s, %head ]
               %w = phi i32 [ %t, %next ], [ %i, %head ]
               %m = add i32 %k, 1
               %d = icmp slt i32 %m, 90
               br i1 %d, label %outer, label %end
             end:
               %r = phi i32 [ %v, %exit ]
               %z = and i32 %r, 255
               ret i32 %z
             }}"
    )
    .replace("memset.i32 ptr %l, 400", "store i32 3, ptr %l")
}

const AWAY: &str = "%e = icmp sgt i32 %y, 7777\n br i1 %e, label %exit, label %next";

#[test]
fn all_rounds_do_what_the_loop_does() {
    for (base, first, step, test) in [
        ("@a", 1, 1, "slt i32 %j, 4"),
        ("@a", 0, 1, "sle i32 %j, 4"),
        ("@a", 9, -3, "sgt i32 %j, -1"),
        ("@a", 0, 2, "ne i32 %j, 8"),
        ("@a", 5, 1, "slt i32 %j, 3"),
        // Of eight instructions, three are gone then.
        ("@a", 0, 1, "slt i32 %j, 19"),
    ] {
        for leaves in ["br label %next", AWAY] {
            let text = text(base, first, step, test, leaves);
            let text = match leaves == AWAY {
                true => text,
                false => text.replace(", [ %s, %head ]", "").replace(", [ %i, %head ]", ""),
            };
            let before = parse(&text).unwrap();
            let mut module = before.clone();
            assert!(apply(&UNROLL_ALL, &mut module), "{text}");
            let have = print::module(&module);
            assert!(have.matches("br i1").count() == 1 + have.matches("7777").count(), "{have}");
            assert_eq!(run(&module, ""), run(&before, ""), "{have}");
        }
    }
}

#[test]
fn what_is_long_and_what_gets_known_by_nothing_stays() {
    leaves_alone(&UNROLL_ALL, &text("@a", 0, 1, "slt i32 %j, 33", AWAY));
    leaves_alone(&UNROLL_ALL, &text("@a", 0, 1, "slt i32 %j, 20", AWAY));
    leaves_alone(&UNROLL_ALL, &text("@a", 0, 1, "slt i32 %j, %u", AWAY));
    leaves_alone(&UNROLL_ALL, "define i32 @main() {\nentry:\n  ret i32 0\n}");
    let mut local = parse(&text("%l", 0, 1, "slt i32 %j, 20", AWAY)).unwrap();
    assert!(apply(&UNROLL_ALL, &mut local), "a local array");
    let fixed = text("@a", 0, 1, "slt i32 %j, 28", AWAY).replace("store i32 %y, ptr %q", "");
    leaves_alone(&UNROLL_ALL, &fixed);
    let fixed = fixed.replace("internal global", "internal constant");
    assert!(apply(&UNROLL_ALL, &mut parse(&fixed).unwrap()), "a constant array");
}

/// A filter over a ring of sixteen numbers, of which one is stored in each round of the loop around.
fn ring(turn: &str, store: &str) -> String {
    format!(
        "@a = internal global [16 x i32] zeroinitializer
             @w = internal global [16 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3, i32 5, i32 8, i32 9, i32 7, i32 9, i32 3]
             define i32 @main() {{
             entry:
               br label %outer
             outer:
               %r = phi i32 [ 0, %entry ], [ %rr, %behind ]
               %sum = phi i32 [ 1, %entry ], [ %t, %behind ]
               %first = and i32 %sum, 15
               %to = getelementptr inbounds i32, ptr @a, i32 %first
               store i32 %sum, ptr %to
               {store}
               br label %inner
             inner:
               %i = phi i32 [ 0, %outer ], [ %j, %inner ]
               %k = phi i32 [ %first, %outer ], [ %kk, %inner ]
               %s = phi i32 [ 0, %outer ], [ %t, %inner ]
               %p = getelementptr inbounds i32, ptr @a, i32 %k
               %q = getelementptr inbounds i32, ptr @w, i32 %i
               %x = load i32, ptr %p
               %y = load i32, ptr %q
               %z = mul i32 %x, %y
               %t = add i32 %s, %z
               %down = add i32 %k, -1
               %c = icmp slt i32 %down, 0
               %kk = {turn}
               %j = add i32 %i, 1
               %d = icmp slt i32 %j, 16
               br i1 %d, label %inner, label %behind
             behind:
               %rr = add i32 %r, 1
               %e = icmp slt i32 %rr, 20
               br i1 %e, label %outer, label %out
             out:
               ret i32 %t
             }}"
    )
}

#[test]
fn what_stays_in_registers_over_the_loop_around_is_loaded_in_front_of_it() {
    let facts = |registers: u32| TargetFacts { registers: [registers, 0], ..TargetFacts::default() };
    let fires = |registers: u32, text: &str| {
        let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        let changed = apply_for(facts(registers), &[&UNROLL_ALL], &mut module);
        assert!(run(&before, "").is_some() && run(&module, "") == run(&before, ""));
        changed
    };
    let turn = "select i1 %c, i32 15, i32 %down";
    assert!(fires(26, &ring(turn, "")));
    assert!(!fires(25, &ring(turn, "")), "a register for each");
    assert!(!fires(26, &ring(turn, "store i32 %r, ptr @w")), "they change");
    assert!(!fires(26, &ring("and i32 %down, 15", "")), "rounds may be in lanes");
}

#[test]
fn rounds_that_blocks_of_two_loops_around_have_in_common_stay() {
    // A sum over k, or one value for all k, of what depends on the other two loops or on one of them.
    let nest = |outer: &str, step: &str, sum: &str| {
        let (phi, result) = match sum {
            "" => ("", "%v"),
            _ => ("%s = phi i32 [ 0, %middle ], [ %t, %inner ]", "%t"),
        };
        let text = format!(
            "@a = internal global [400 x i32] zeroinitializer
                 @b = internal global [400 x i32] zeroinitializer
                 define i32 @main() {{
                 entry:
                   store i32 5, ptr @a
                   br label %outer
                 outer:
                   %i = phi i32 [ 0, %entry ], [ %i2, %behind ]
                   br label %middle
                 middle:
                   %j = phi i32 [ 0, %outer ], [ %j2, %after ]
                   br label %inner
                 inner:
                   %k = phi i32 [ 0, %middle ], [ %k2, %inner ]
                   {phi}
                   %x = add i32 {outer}, {step}
                   %p = getelementptr i32, ptr @a, i32 %x
                   %u = load i32, ptr %p
                   %y = add i32 %j, %k
                   %q = getelementptr i32, ptr @b, i32 %y
                   %v = add i32 %u, 1
                   store i32 %v, ptr %q
                   {sum}
                   %k2 = add i32 %k, 1
                   %c = icmp slt i32 %k2, 12
                   br i1 %c, label %inner, label %after
                 after:
                   %j2 = add i32 %j, 1
                   %d = icmp slt i32 %j2, 40
                   br i1 %d, label %middle, label %behind
                 behind:
                   %i2 = add i32 %i, 1
                   %e = icmp slt i32 %i2, 40
                   br i1 %e, label %outer, label %out
                 out:
                   %r = and i32 {result}, 255
                   ret i32 %r
                 }}"
        );
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        apply(&UNROLL_ALL, &mut module);
        let have = print::module(&module);
        assert_eq!(run(&module, ""), run(&before, ""), "{have}");
        have.matches("br i1").count()
    };
    let sum = "%t = add i32 %s, %u";
    assert_eq!([nest("%i", "%k", sum), nest("%j", "%k", sum)], [3, 2]);
    assert_eq!([nest("%i", "5", ""), nest("%j", "5", "")], [3, 2]);
    // Nothing is summed up, and each round loads its own.
    assert_eq!(nest("%i", "%k", ""), 2);
}

#[test]
fn a_loop_goes_back_on_either_side_of_its_test_which_is_of_what_is_next() {
    let text = text("@a", 0, 1, "sge i32 %j, 4", "br label %next")
        .replace("br i1 %c, label %head, label %exit", "br i1 %c, label %exit, label %head")
        .replace(", [ %s, %head ]", "")
        .replace(", [ %i, %head ]", "");
    let before = parse(&text).unwrap();
    let mut module = before.clone();
    assert!(apply(&UNROLL_ALL, &mut module), "{text}");
    assert!(run(&before, "").is_some() && run(&module, "") == run(&before, ""));
    leaves_alone(&UNROLL_ALL, &text.replace("sge i32 %j, 4", "sge i32 %i, 4"));
}

#[test]
fn a_window_around_a_counter_has_a_known_number_of_rounds() {
    let text = |test: &str, end: &str| {
        format!(
            "@a = internal global [10 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3]
                 define i32 @f(i32 %n) {{
                 entry:
                   br label %outer
                 outer:
                   %j = phi i32 [ 1, %entry ], [ %k, %behind ]
                   %s = phi i32 [ 0, %entry ], [ %u, %behind ]
                   %first = add i32 %j, -1
                   br label %inner
                 inner:
                   %x = phi i32 [ %first, %outer ], [ %y, %inner ]
                   %t = phi i32 [ %s, %outer ], [ %u, %inner ]
                   %p = getelementptr inbounds i32, ptr @a, i32 %x
                   %l = load i32, ptr %p
                   %u = add i32 %t, %l
                   %y = add i32 %x, 1
                   %m = add i32 %j, 2
                   %c = icmp slt i32 {test}
                   br i1 %c, label %inner, label %behind
                 behind:
                   %k = add i32 %j, 1
                   %d = icmp slt i32 %k, {end}
                   br i1 %d, label %outer, label %out
                 out:
                   ret i32 %u
                 }}
                 define i32 @main() {{
                   %r = call i32 @f(i32 8)
                   ret i32 %r
                 }}"
        )
    };
    for (test, end, branches) in [
        ("%y, %m", "8", 1),
        // The bound may wrap around, or is not of the same counter.
        ("%y, %m", "%n", 2),
        ("%y, %m", "2147483647", 2),
        ("%y, %n", "8", 2),
    ] {
        let text = text(test, end);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        apply(&UNROLL_ALL, &mut module);
        let have = print::module(&module);
        assert_eq!(have.matches("br i1").count(), branches, "{have}");
        assert_eq!(run(&module, ""), run(&before, ""), "{have}");
    }
}

/// A loop in a loop in a loop: rounds of the first one sum up a window, of so many rows of four numbers.
fn window(rows: usize) -> String {
    format!(
        "@a = internal global [256 x i32] zeroinitializer
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             define i32 @main() {{
             entry:
               %n = call i32 @getint()
               br label %outer
             outer:
               %j = phi i32 [ 0, %entry ], [ %j2, %behind ]
               %s = phi i32 [ 1, %entry ], [ %s4, %behind ]
               br label %row
             row:
               %y = phi i32 [ 0, %outer ], [ %y2, %next ]
               %s2 = phi i32 [ %s, %outer ], [ %s4, %next ]
               br label %inner
             inner:
               %x = phi i32 [ 0, %row ], [ %x2, %inner ]
               %s3 = phi i32 [ %s2, %row ], [ %s4, %inner ]
               %k0 = mul i32 %j, 4
               %k1 = add i32 %k0, %x
               %k2 = mul i32 %n, 16
               %k3 = add i32 %k2, %k1
               %k4 = add i32 %k3, %y
               %p = getelementptr i32, ptr @a, i32 %k4
               %u = load i32, ptr %p
               %s4 = add i32 %s3, %u
               %x2 = add i32 %x, 1
               %c = icmp slt i32 %x2, 4
               br i1 %c, label %inner, label %next
             next:
               %y2 = add i32 %y, 1
               %d = icmp slt i32 %y2, {rows}
               br i1 %d, label %row, label %behind
             behind:
               %j2 = add i32 %j, 1
               %e = icmp slt i32 %j2, 40
               br i1 %e, label %outer, label %out
             out:
               %r = and i32 %s4, 255
               ret i32 %r
             }}"
    )
}

#[test]
fn a_window_of_a_few_rows_stands_in_one_block() {
    for (rows, branches) in [(4, 1), (5, 1), (8, 2)] {
        let before = parse(&window(rows)).unwrap();
        let mut module = before.clone();
        assert!(apply(&UNROLL_ALL, &mut module));
        let have = print::module(&module);
        assert_eq!(have.matches("br i1").count(), branches, "{rows} {have}");
        assert_eq!(run(&module, "1"), run(&before, "1"), "{have}");
    }
}
