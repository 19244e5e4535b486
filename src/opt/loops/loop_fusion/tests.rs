//! Tests of loop fusion.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply_for, machine, run};

/// Two loops over @a, @b and @c; the counters are %i and %k.
#[derive(Copy, Clone)]
struct Loops {
    first: &'static str,
    second: &'static str,
    /// Phis of each.
    phis: [&'static str; 2],
    between: &'static str,
    /// Where each begins and ends.
    bounds: [[&'static str; 2]; 2],
    result: &'static str,
}

/// b[i] = a[i] * 3, then c[k] = b[k] + 5.
const CHAIN: Loops = Loops {
    first: "%p = getelementptr inbounds i32, ptr @a, i32 %i
            %q = getelementptr inbounds i32, ptr @b, i32 %i
            %x = load i32, ptr %p
            %y = mul i32 %x, 3
            store i32 %y, ptr %q",
    second: "%r = getelementptr inbounds i32, ptr @b, i32 %k
             %t = getelementptr inbounds i32, ptr @c, i32 %k
             %u = load i32, ptr %r
             %v = add i32 %u, 5
             store i32 %v, ptr %t",
    phis: ["", ""],
    between: "",
    bounds: [["0", "40"], ["0", "40"]],
    result: "%n",
};

fn text(loops: Loops) -> String {
    let Loops { first, second, phis, between, bounds, result } = loops;
    let sum = |array: &str| {
        format!(
            "br label %sum{array}
             sum{array}:
               %i{array} = phi i32 [ 0, %to{array} ], [ %j{array}, %sum{array} ]
               %s{array} = phi i32 [ %start{array}, %to{array} ], [ %n{array}, %sum{array} ]
               %p{array} = getelementptr inbounds i32, ptr @{array}, i32 %i{array}
               %x{array} = load i32, ptr %p{array}
               %m{array} = mul i32 %s{array}, 31
               %n{array} = add i32 %m{array}, %x{array}
               %j{array} = add i32 %i{array}, 1
               %c{array} = icmp slt i32 %j{array}, 50
               br i1 %c{array}, label %sum{array}, label %done{array}
             done{array}:"
        )
    };
    format!(
        "@a = internal global [50 x i32] zeroinitializer
         @b = internal global [50 x i32] zeroinitializer
         @c = internal global [50 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           br label %fill
         fill:
           %f = phi i32 [ 0, %entry ], [ %g, %fill ]
           %fa = getelementptr inbounds i32, ptr @a, i32 %f
           %f7 = mul i32 %f, %n
           store i32 %f7, ptr %fa
           %fb = getelementptr inbounds i32, ptr @b, i32 %f
           %f5 = xor i32 %f, 5
           store i32 %f5, ptr %fb
           %g = add i32 %f, 1
           %fc = icmp slt i32 %g, 50
           br i1 %fc, label %fill, label %ahead
         ahead:
           %some = icmp sgt i32 %n, 0
           br i1 %some, label %enter, label %toa
         enter:
           br label %one
         one:
           %i = phi i32 [ {}, %enter ], [ %ii, %one ]
           {}
           {first}
           %ii = add i32 %i, 1
           %d = icmp slt i32 %ii, {}
           br i1 %d, label %one, label %middle
         middle:
           {between}
           br label %two
         two:
           %k = phi i32 [ {}, %middle ], [ %kk, %two ]
           {}
           {second}
           %kk = add i32 %k, 1
           %e = icmp slt i32 %kk, {}
           br i1 %e, label %two, label %behind
         behind:
           br label %toa
         toa:
           %starta = phi i32 [ 1, %ahead ], [ {result}, %behind ]
           {}
           br label %tob
         tob:
           %startb = phi i32 [ %na, %donea ]
           {}
           br label %toc
         toc:
           %startc = phi i32 [ %nb, %doneb ]
           {}
           call void @putint(i32 %nc)
           ret i32 0
         }}",
        bounds[0][0],
        phis[0],
        bounds[0][1],
        bounds[1][0],
        phis[1],
        bounds[1][1],
        sum("a"),
        sum("b"),
        sum("c"),
    )
}

/// Whether the loops have become one, that does the same for all of these inputs.
fn is_fused(loops: Loops) -> bool {
    let text = text(loops);
    let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    apply_for(machine(), &[&LOOP_FUSION], &mut module);
    let (plain, have) = (print::module(&before), print::module(&module));
    for input in ["0", "1", "2", "3", "7", "40"] {
        assert!(run(&before, input).is_some(), "{text}");
        assert_eq!(run(&module, input), run(&before, input), "{input}: {have}");
    }
    let branches = |text: &str| text.matches("br i1").count();
    assert!([0, 1].contains(&(branches(&plain) - branches(&have))), "{have}");
    branches(&have) < branches(&plain)
}

#[test]
fn what_the_first_loop_stores_the_second_one_loads_in_the_same_round() {
    assert!(is_fused(CHAIN));
    assert!(is_fused(Loops { bounds: [["0", "%n"], ["0", "%n"]], ..CHAIN }));
    // Counters that begin elsewhere go round as often, but the rounds have nothing in common.
    assert!(!is_fused(Loops { bounds: [["0", "40"], ["1", "41"]], ..CHAIN }));
    // One goes round more often, or may.
    assert!(!is_fused(Loops { bounds: [["0", "40"], ["0", "41"]], ..CHAIN }));
    assert!(!is_fused(Loops { bounds: [["0", "40"], ["0", "%n"]], ..CHAIN }));
    // They share what is read.
    let second = "%r = getelementptr inbounds i32, ptr @a, i32 %k
                  %t = getelementptr inbounds i32, ptr @c, i32 %k
                  %u = load i32, ptr %r
                  store i32 %u, ptr %t";
    assert!(is_fused(Loops { second, ..CHAIN }));
}

#[test]
fn a_round_does_not_come_before_what_it_needs() {
    let at = |offset: i32, array: &str| -> &'static str {
        Box::leak(
            format!(
                "%r = getelementptr inbounds i32, ptr @b, i32 %k
                 %w = load i32, ptr %r
                 %k1 = add i32 %k, {offset}
                 %o = getelementptr inbounds i32, ptr @{array}, i32 %k1
                 %u = load i32, ptr %o
                 %z = add i32 %u, %w
                 %t = getelementptr inbounds i32, ptr @c, i32 %k
                 store i32 %z, ptr %t"
            )
            .into_boxed_str(),
        )
    };
    let bounds = [["1", "40"], ["1", "40"]];
    // What an earlier round has stored, or the same; not what a later one stores.
    assert!(is_fused(Loops { second: at(-1, "b"), bounds, ..CHAIN }));
    assert!(!is_fused(Loops { second: at(1, "b"), bounds, ..CHAIN }));
    assert!(is_fused(Loops { second: at(1, "a"), bounds, ..CHAIN }));
    // The first loop reads what the second one stores: in rounds to come, or in those that are over.
    let stores = |offset: i32| -> &'static str {
        Box::leak(
            format!(
                "%r = getelementptr inbounds i32, ptr @b, i32 %k
                 %u = load i32, ptr %r
                 %k1 = add i32 %k, {offset}
                 %t = getelementptr inbounds i32, ptr @a, i32 %k1
                 store i32 %u, ptr %t"
            )
            .into_boxed_str(),
        )
    };
    assert!(is_fused(Loops { second: stores(-1), bounds, ..CHAIN }));
    assert!(is_fused(Loops { second: stores(0), bounds, ..CHAIN }));
    assert!(!is_fused(Loops { second: stores(1), bounds, ..CHAIN }));
}

#[test]
fn what_stands_between_goes_in_front_or_behind() {
    let first = "%p = getelementptr inbounds i32, ptr @a, i32 %i
                 %x = load i32, ptr %p
                 %s1 = add i32 %s, %x";
    let second = "%r = getelementptr inbounds i32, ptr @a, i32 %k
                  %t = getelementptr inbounds i32, ptr @c, i32 %k
                  %u = load i32, ptr %r
                  %v = mul i32 %u, %h
                  store i32 %v, ptr %t";
    let sum = Loops {
        first,
        second,
        phis: ["%s = phi i32 [ 0, %enter ], [ %s1, %one ]", ""],
        between: "%h = mul i32 %n, 7",
        ..CHAIN
    };
    assert!(is_fused(Loops { result: "%s1", ..sum }));
    // The second loop is told what the sum is.
    assert!(!is_fused(Loops { between: "%h = mul i32 %s1, 7", ..sum }));
    assert!(!is_fused(Loops { between: "%h = load i32, ptr @b", ..sum }));
    // It begins with it, or with what is known in front.
    let phis = |start: &str| -> [&'static str; 2] {
        let text = format!("%z = phi i32 [ {start}, %middle ], [ %v, %two ]");
        [sum.phis[0], Box::leak(text.into_boxed_str())]
    };
    assert!(is_fused(Loops { phis: phis("%h"), result: "%v", ..sum }));
    assert!(!is_fused(Loops { phis: phis("%s1"), result: "%v", ..sum }));
}

#[test]
fn nests_go_together_loop_by_loop() {
    let source = |second: &str, inner: &str| {
        format!(
            "@a = internal global [400 x i32] zeroinitializer
             @b = internal global [400 x i32] zeroinitializer
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @main() {{
             entry:
               %n = call i32 @getint()
               br label %one
             one:
               %i = phi i32 [ 0, %entry ], [ %ii, %one2 ]
               br label %in1
             in1:
               %j = phi i32 [ 0, %one ], [ %jj, %in1 ]
               %p = getelementptr inbounds [20 x i32], ptr @a, i32 %i, i32 %j
               %x = mul i32 %j, %n
               %y = add i32 %x, %i
               store i32 %y, ptr %p
               %jj = add i32 %j, 1
               %c = icmp slt i32 %jj, 18
               br i1 %c, label %in1, label %one2
             one2:
               %ii = add i32 %i, 1
               %d = icmp slt i32 %ii, 15
               br i1 %d, label %one, label %middle
             middle:
               br label %two
             two:
               %k = phi i32 [ 0, %middle ], [ %kk, %two2 ]
               %s = phi i32 [ 0, %middle ], [ %w, %two2 ]
               br label %in2
             in2:
               %l = phi i32 [ 0, %two ], [ %ll, %in2 ]
               %t = phi i32 [ %s, %two ], [ %w, %in2 ]
               %q = getelementptr inbounds [20 x i32], ptr @a, i32 %k, i32 %l
               %z = load i32, ptr %q
               {second}
               %m = mul i32 %t, 3
               %w0 = add i32 %m, %z
               %w = add i32 %w0, %o
               %ll = add i32 %l, 1
               %e = icmp slt i32 %ll, {inner}
               br i1 %e, label %in2, label %two2
             two2:
               %kk = add i32 %k, 1
               %f = icmp slt i32 %kk, 15
               br i1 %f, label %two, label %out
             out:
               call void @putint(i32 %w)
               ret i32 0
             }}"
        )
    };
    let other = |row: i32, column: i32| {
        format!(
            "%r0 = getelementptr inbounds i32, ptr @a, i32 {}
             %r = getelementptr inbounds [20 x i32], ptr %r0, i32 %k, i32 %l
             %o = load i32, ptr %r",
            20 * row + column
        )
    };
    for (second, inner, loops) in [
        (other(0, 0), "18", 2),
        (other(0, 1), "18", 4),
        (other(1, 0), "18", 4),
        (other(1, -1), "18", 4),
        ("%o = add i32 %k, 1".to_string(), "17", 4),
    ] {
        let text = source(&second, inner);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        apply_for(machine(), &[&LOOP_FUSION], &mut module);
        let have = print::module(&module);
        assert_eq!(have.matches("br i1").count(), loops, "{second} {inner}\n{have}");
        assert_eq!(run(&module, "7"), run(&before, "7"), "{have}");
        assert!(run(&before, "7").is_some());
    }
}

#[test]
fn what_is_more_than_loads_and_stores_stays() {
    let second = Box::leak(format!("{}\ncall void @putint(i32 %u)", CHAIN.second).into_boxed_str());
    assert!(!is_fused(Loops { second, ..CHAIN }));
    let mut module = parse(&text(CHAIN)).unwrap();
    let before = print::module(&module);
    apply_for(TargetFacts { registers: [4, 0], ..machine() }, &[&LOOP_FUSION], &mut module);
    assert_eq!(print::module(&module).matches("br i1").count(), before.matches("br i1").count());
}
