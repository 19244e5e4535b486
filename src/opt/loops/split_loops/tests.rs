//! Tests of unswitching and of splitting loops.

use super::*;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply, leaves_alone, main_calls, run};

/// A loop from `first` to below %n that asks three questions, and `main` that runs it for many numbers.
fn text(first: &str, questions: [&str; 3], numbers: &[[i64; 3]]) -> String {
    // What does not change stands in front.
    let asked = ["%p", "%q", "%r"].map(|name| (name, questions[usize::from(name.as_bytes()[1] - b'p')]));
    let [one, two, three] = asked.map(|(name, question)| match question {
        "same" => (String::new(), "%same"),
        _ => (format!("{name} = {question}"), name),
    });
    let ([one, two, three], [p, q, r]) = ([one.0, two.0, three.0], [one.1, two.1, three.1]);
    format!(
        "declare void @putint(i32) memory(inaccessiblemem: readwrite)
         @a = internal global [64 x i32] zeroinitializer
         define internal void @f(i32 %first, i32 %n, i32 %m) {{
         entry:
           %same = icmp eq i32 %m, 3
           %guard = icmp slt i32 {first}, %n
           br i1 %guard, label %front, label %out
         front:
           br label %loop
         loop:
           %i = phi i32 [ {first}, %front ], [ %j, %latch ]
           %s = phi i32 [ 1, %front ], [ %t, %latch ]
           %up = add i32 %i, 2
           %down = add i32 %i, -3
           {one}
           br i1 {p}, label %yes1, label %join1
         yes1:
           %s1 = mul i32 %s, 3
           br label %join1
         join1:
           %t1 = phi i32 [ %s, %loop ], [ %s1, %yes1 ]
           {two}
           br i1 {q}, label %join2, label %yes2
         yes2:
           %s2 = xor i32 %t1, %i
           br label %join2
         join2:
           %t2 = phi i32 [ %t1, %join1 ], [ %s2, %yes2 ]
           {three}
           br i1 {r}, label %yes3, label %latch
         yes3:
           %s3 = add i32 %t2, 77
           br label %latch
         latch:
           %t = phi i32 [ %t2, %join2 ], [ %s3, %yes3 ]
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %loop, label %behind
         behind:
           %u = phi i32 [ %t, %latch ]
           br label %out
         out:
           %x = phi i32 [ 0, %entry ], [ %u, %behind ]
           call void @putint(i32 %x)
           ret void
         }}\n{}",
        main_calls(numbers)
    )
}

#[test]
fn copies_do_what_the_loop_does() {
    let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let mut numbers = vec![[max - 3, max, 5], [min, min + 4, min + 2], [max - 6, max, max - 2]];
    numbers.extend([[max - 9, max, max], [max - 9, max - 1, min], [min, min + 9, max], [3, -7, 2]]);
    for first in [-5, -1, 0, 1, 4] {
        for n in [-3, 0, 1, 6, 12] {
            numbers.extend([-4, 0, 1, 3, 7, 12, 13].map(|m| [first, n, m]));
        }
    }
    let same = "same";
    let questions = [
        [same, same, same],
        ["icmp slt i32 %i, %m"; 3],
        ["icmp sgt i32 %i, %m"; 3],
        ["icmp sle i32 %m, %i", "icmp sgt i32 %i, %m", "icmp sge i32 %i, %m"],
        ["icmp sle i32 %i, %m", "icmp sgt i32 %i, %m", "icmp slt i32 %i, %m"],
        ["icmp sge i32 %up, 3", "icmp sge i32 %up, %m", same],
        ["icmp sge i32 %down, 0", "icmp sge i32 %up, %m", "icmp slt i32 %up, %m"],
        ["icmp sge i32 %down, 0", "icmp sge i32 %down, %m", "icmp slt i32 %down, %n"],
        ["icmp sgt i32 %down, -1", "icmp sgt i32 %up, %n", "icmp ne i32 %i, %m"],
        ["icmp ne i32 %i, 0", "icmp sgt i32 %down, %m", "icmp sle i32 %up, %n"],
        ["icmp ne i32 %up, %m", "icmp eq i32 %i, 0", "icmp sge i32 %i, 1"],
        ["icmp eq i32 %i, %m", "icmp eq i32 %i, 2", "icmp sge i32 %down, 1"],
        ["icmp sge i32 %j0, %m", "icmp sgt i32 %i, 0", "icmp slt i32 %j0, %n"],
    ];
    for first in ["%first", "0", "-2", "3"] {
        for questions in questions {
            let text = text(first, questions, &numbers).replace("%down = ", "%j0 = add i32 %i, 1\n%down = ");
            let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut module = before.clone();
            assert!(apply(&SPLIT_LOOPS, &mut module), "{text}");
            assert_eq!(run(&module, ""), run(&before, ""), "{text}\n{}", print::module(&module));
        }
    }
}

#[test]
fn a_variable_is_below_the_bound_of_its_loop() {
    let numbers = [[0, 9, 4]];
    let ends = ["icmp slt i32 %i, %n", "icmp sge i32 %i, %n", "icmp eq i32 %n, %i"];
    let before = parse(&text("%first", ends, &numbers)).unwrap();
    let mut module = before.clone();
    assert!(apply(&SPLIT_LOOPS, &mut module));
    assert_eq!(print::module(&module).matches("br i1").count(), 2);
    assert_eq!(run(&module, ""), run(&before, ""));
}

/// A sum of `a[choice]`, in a loop from 0 up to `bound`.
fn chosen(choice: &str, bound: &str) -> String {
    format!(
        "@a = internal global [64 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           %some = icmp slt i32 0, {bound}
           br i1 %some, label %front, label %out
         front:
           br label %loop
         loop:
           %i = phi i32 [ 0, %front ], [ %j, %loop ]
           %s = phi i32 [ 1, %front ], [ %t, %loop ]
           %j = add i32 %i, 1
           %up = add i32 %i, 17
           {choice}
           %p = getelementptr inbounds i32, ptr @a, i32 %k
           %x = load i32, ptr %p
           %y = add i32 %x, %i
           store i32 %y, ptr %p
           %z = mul i32 %s, 31
           %t = add i32 %z, %k
           %c = icmp slt i32 %j, {bound}
           br i1 %c, label %loop, label %behind
         behind:
           %u = phi i32 [ %t, %loop ]
           br label %out
         out:
           %v = phi i32 [ 0, %entry ], [ %u, %behind ]
           call void @putint(i32 %v)
           ret i32 0
         }}"
    )
}

#[test]
fn a_choice_that_is_the_same_in_most_rounds_is_made_in_front() {
    let last = "%d = icmp slt i32 %j, 18\n%e = add i32 %j, -18\n%k = select i1 %d, i32 %j, i32 %e";
    let first = "%d = icmp slt i32 %up, 18\n%e = add i32 %up, -18\n%k = select i1 %d, i32 %up, i32 %e";
    let bound = "%d = icmp sge i32 %j, %n\n%k = select i1 %d, i32 0, i32 %j";
    let equal = "%d = icmp eq i32 %i, 5\n%k = select i1 %d, i32 0, i32 %i";
    let unequal = "%d = icmp ne i32 %j, %n\n%k = select i1 %d, i32 %j, i32 2";
    let texts = [(last, "18"), (first, "18"), (first, "%n"), (bound, "%n"), (equal, "20"), (unequal, "%n")];
    for (choice, bound) in texts {
        let text = chosen(choice, bound);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        assert!(apply(&SPLIT_LOOPS, &mut module), "{text}");
        let have = print::module(&module);
        assert_eq!(have.matches("load i32").count(), 2, "{have}");
        for input in ["-1", "0", "1", "2", "5", "17", "18", "19", "33"] {
            assert!(run(&before, input).is_some());
            assert_eq!(run(&module, input), run(&before, input), "{input} {have}");
        }
    }
    // One half of the rounds, an unknown part of them, or what is no number that is counted.
    leaves_alone(&SPLIT_LOOPS, &chosen("%d = icmp slt i32 %j, 18\n%k = select i1 %d, i32 %j, i32 3", "36"));
    leaves_alone(&SPLIT_LOOPS, &chosen("%d = icmp slt i32 %j, %n\n%k = select i1 %d, i32 %j, i32 3", "18"));
    leaves_alone(&SPLIT_LOOPS, &chosen("%d = icmp slt i32 %s, 18\n%k = select i1 %d, i32 %j, i32 3", "18"));
}

#[test]
fn what_varies_stays() {
    let unknown = "icmp slt i32 %s, %m";
    leaves_alone(&SPLIT_LOOPS, &text("%first", [unknown; 3], &[]));
    leaves_alone(&SPLIT_LOOPS, &text("%first", ["icmp ult i32 %i, %m"; 3], &[]));
}

/// A loop up to %n in one that counts %i, whose rounds only count where `idle` holds.
fn triangle(idle: &str, latch: &str) -> String {
    format!(
        "declare void @putint(i32) memory(inaccessiblemem: readwrite)
         @a = internal global [64 x i32] zeroinitializer
         define internal void @f(i32 %n) {{
         entry:
           %guard = icmp slt i32 0, %n
           br i1 %guard, label %front, label %out
         front:
           br label %outer
         outer:
           %i = phi i32 [ 0, %front ], [ %k, %behind ]
           br label %loop
         loop:
           %j = phi i32 [ 0, %outer ], [ %next, %latch ]
           %c = icmp {idle}
           br i1 %c, label %skip, label %work
         skip:
           br label %latch
         work:
           %x = mul i32 %i, 7
           %y = add i32 %x, %j
           %z = and i32 %y, 63
           %p = getelementptr inbounds i32, ptr @a, i32 %z
           store i32 %y, ptr %p
           br label %latch
         latch:
           {latch}
           %next = add i32 %j, 1
           %d = icmp slt i32 %next, %n
           br i1 %d, label %loop, label %behind
         behind:
           %k = add i32 %i, 1
           %e = icmp slt i32 %k, %n
           br i1 %e, label %outer, label %done
         done:
           br label %out
         out:
           %last = and i32 %n, 63
           %q = getelementptr inbounds i32, ptr @a, i32 %last
           %r = load i32, ptr %q
           call void @putint(i32 %r)
           ret void
         }}\n{}",
        main_calls(&[[-3], [1], [2], [17], [40]])
    )
}

#[test]
fn rounds_that_only_count_have_a_loop_of_their_own_in_each_round_of_the_one_around() {
    for idle in ["slt i32 %i, %j", "sle i32 %i, %j", "sgt i32 %i, %j", "sgt i32 %j, %i"] {
        let before = parse(&triangle(idle, "")).unwrap();
        assert!(run(&before, "").is_some());
        let mut module = before.clone();
        assert!(apply(&SPLIT_LOOPS, &mut module), "{idle}");
        assert_eq!(run(&module, ""), run(&before, ""), "{}", print::module(&module));
    }
    // What is done in all rounds is no reason to have two loops.
    let all = "%q2 = getelementptr inbounds i32, ptr @a, i32 %j\nstore i32 %i, ptr %q2";
    leaves_alone(&SPLIT_LOOPS, &triangle("slt i32 %i, %j", all));
}

/// A loop of five rounds around one of %n, which %g guards.
fn guarded(guard: &str, more: &str) -> String {
    format!(
        "@a = internal global [400 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           %m = call i32 @getint()
           %fixed = icmp slt i32 0, %n
           br label %outer
         outer:
           %i = phi i32 [ 0, %entry ], [ %ii, %latch ]
           %s = phi i32 [ 1, %entry ], [ %u, %latch ]
           %moved = icmp slt i32 %i, %n
           {more}
           br i1 {guard}, label %front, label %latch
         front:
           br label %inner
         inner:
           %k = phi i32 [ 0, %front ], [ %kk, %inner ]
           %t = phi i32 [ %s, %front ], [ %t2, %inner ]
           %p = getelementptr inbounds [80 x i32], ptr @a, i32 %i, i32 %k
           %x = load i32, ptr %p
           %y = add i32 %x, %t
           store i32 %y, ptr %p
           %t2 = mul i32 %y, 3
           %kk = add i32 %k, 1
           %c = icmp slt i32 %kk, %n
           br i1 %c, label %inner, label %behind
         behind:
           br label %latch
         latch:
           %u = phi i32 [ %s, %outer ], [ %t2, %behind ]
           %ii = add i32 %i, 1
           %d = icmp slt i32 %ii, 5
           br i1 %d, label %outer, label %out
         out:
           call void @putint(i32 %u)
           ret i32 0
         }}"
    )
}

#[test]
fn what_guards_an_inner_loop_in_all_rounds_alike_is_asked_in_front_of_both() {
    let before = parse(&guarded("%fixed", "")).unwrap();
    let mut module = before.clone();
    assert!(apply(&SPLIT_LOOPS, &mut module));
    // The outer loop twice, the inner one once, and the guard in front.
    assert_eq!(print::module(&module).matches("br i1").count(), 4, "{}", print::module(&module));
    for input in ["0 0", "1 0", "-3 2", "7 7"] {
        assert!(run(&before, input).is_some());
        assert_eq!(run(&module, input), run(&before, input), "{}", print::module(&module));
    }
    leaves_alone(&SPLIT_LOOPS, &guarded("%moved", ""));
    leaves_alone(&SPLIT_LOOPS, &guarded("%fixed", "call void @putint(i32 %i)"));
}
