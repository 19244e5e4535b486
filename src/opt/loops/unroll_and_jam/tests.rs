//! Tests of unroll and jam.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply_for, machine, run};

/// What is different from nest to nest.
#[derive(Copy, Clone)]
struct Nest {
    /// In front of the inner loop, in it, and behind it; the counters are %j and %k.
    front: &'static str,
    phis: &'static str,
    inside: &'static str,
    behind: &'static str,
    /// The outer loop's bound, and the inner one's.
    bounds: [&'static str; 2],
    result: &'static str,
}

/// c[j] = sum of a[k] * b[k][j].
const PRODUCT: Nest = Nest {
    front: "",
    phis: "%s = phi i32 [ %j, %outer ], [ %t, %inner ]",
    inside: "%p = getelementptr inbounds i32, ptr @a, i32 %k
             %q = getelementptr inbounds [12 x i32], ptr @b, i32 %k, i32 %j
             %x = load i32, ptr %p
             %y = load i32, ptr %q
             %z = mul i32 %x, %y
             %t = add i32 %s, %z",
    behind: "%r = getelementptr inbounds i32, ptr @c, i32 %j
             store i32 %t, ptr %r",
    bounds: ["12", "40"],
    result: "0",
};

/// c[k] += a[j] * b[j][k].
const UPDATE: Nest = Nest {
    front: "%p = getelementptr inbounds i32, ptr @a, i32 %j
            %x = load i32, ptr %p",
    phis: "",
    inside: "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %j, i32 %k
             %r = getelementptr inbounds i32, ptr @c, i32 %k
             %y = load i32, ptr %q
             %w = load i32, ptr %r
             %z = mul i32 %x, %y
             %t = add i32 %w, %z
             store i32 %t, ptr %r",
    behind: "",
    ..PRODUCT
};

fn text(nest: Nest) -> String {
    let Nest { front, phis, inside, behind, bounds: [outer, inner], result } = nest;
    format!(
        "@a = internal global [40 x i32] zeroinitializer
         @b = internal global [480 x i32] zeroinitializer
         @c = internal global [60 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           br label %fill
         fill:
           %f = phi i32 [ 0, %entry ], [ %g, %fill ]
           %fb = getelementptr inbounds i32, ptr @b, i32 %f
           %f7 = mul i32 %f, 7
           store i32 %f7, ptr %fb
           %fr = srem i32 %f, 40
           %fa = getelementptr inbounds i32, ptr @a, i32 %fr
           %f5 = xor i32 %f, 5
           store i32 %f5, ptr %fa
           %g = add i32 %f, 1
           %fc = icmp slt i32 %g, 480
           br i1 %fc, label %fill, label %ahead
         ahead:
           %some = icmp sgt i32 %n, 0
           br i1 %some, label %first, label %done
         first:
           br label %outer
         outer:
           %j = phi i32 [ 0, %first ], [ %jj, %behind ]
           {front}
           br label %inner
         inner:
           %k = phi i32 [ 0, %outer ], [ %kk, %inner ]
           {phis}
           {inside}
           %kk = add i32 %k, 1
           %c = icmp slt i32 %kk, {inner}
           br i1 %c, label %inner, label %behind
         behind:
           {behind}
           %jj = add i32 %j, 1
           %d = icmp slt i32 %jj, {outer}
           br i1 %d, label %outer, label %out
         out:
           br label %done
         done:
           %res = phi i32 [ 5, %ahead ], [ {result}, %out ]
           br label %sum
         sum:
           %i = phi i32 [ 0, %done ], [ %ii, %sum ]
           %u = phi i32 [ %res, %done ], [ %u3, %sum ]
           %pb = getelementptr inbounds i32, ptr @b, i32 %i
           %lb = load i32, ptr %pb
           %im = srem i32 %i, 60
           %pc = getelementptr inbounds i32, ptr @c, i32 %im
           %lc = load i32, ptr %pc
           %u1 = mul i32 %u, 31
           %u2 = add i32 %u1, %lb
           %u3 = add i32 %u2, %lc
           %ii = add i32 %i, 1
           %e = icmp slt i32 %ii, 480
           br i1 %e, label %sum, label %end
         end:
           call void @putint(i32 %u3)
           ret i32 0
         }}"
    )
}

/// The nest behind the pass, for all of these inputs the same as before.
fn jammed(nest: Nest) -> String {
    let text = text(nest);
    let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    apply_for(machine(), &[&UNROLL_AND_JAM], &mut module);
    for input in ["0", "1", "2", "3", "5", "11", "12"] {
        assert!(run(&before, input).is_some(), "{text}");
        assert_eq!(run(&module, input), run(&before, input), "{input}: {}", print::module(&module));
    }
    print::module(&module)
}

/// How often something is done in what the pass has made; more than at first where rounds go together.
fn counts(nest: Nest, what: &str) -> [usize; 2] {
    let count = |text: &str| text.matches(what).count();
    let plain = print::module(&parse(&text(nest)).unwrap());
    [count(&plain), count(&jammed(nest))]
}

#[test]
fn what_rounds_have_in_common_is_done_once() {
    // Three more products and sums, and no more than three more loads.
    assert_eq!(counts(PRODUCT, "load"), [4, 7]);
    assert_eq!(counts(PRODUCT, "store"), [3, 6]);
    // With rounds that are left.
    let rest = Nest { bounds: ["11", "40"], ..PRODUCT };
    assert_eq!(counts(rest, "load"), [4, 9]);
    for bounds in [["%n", "40"], ["11", "%n"], ["%n", "%n"]] {
        assert_eq!(counts(Nest { bounds, ..PRODUCT }, "load"), [4, 9], "{bounds:?}");
    }
    assert_eq!(counts(Nest { result: "%t", ..PRODUCT }, "load"), [4, 7]);
    // All sums begin with the same, and are different ones.
    let phis = "%s = phi i32 [ 0, %outer ], [ %t, %inner ]";
    assert_eq!(counts(Nest { phis, ..PRODUCT }, "load"), [4, 7]);
    assert_eq!(counts(Nest { result: "%jj", ..rest }, "load"), [4, 9]);
}

#[test]
fn what_is_stored_at_one_place_is_stored_once() {
    // Four loads of @a and of @b, one of @c.
    assert_eq!(counts(UPDATE, "load"), [5, 11]);
    assert_eq!(counts(UPDATE, "store"), [3, 3]);
    // What it was is added up behind the store, in each of the rounds.
    let seen = "store i32 %t, ptr %r
             %v = load i32, ptr %r
             %p3 = getelementptr inbounds i32, ptr @a, i32 %k
             %x3 = load i32, ptr %p3
             %x5 = mul i32 %x3, 5
             %v5 = mul i32 %v, %x5
             %m2 = add i32 %m, %v5";
    let inside = Box::leak(UPDATE.inside.replace("store i32 %t, ptr %r", seen).into_boxed_str());
    let phis = "%m = phi i32 [ 0, %outer ], [ %m2, %inner ]";
    assert_eq!(counts(Nest { inside, phis, result: "%m2", ..UPDATE }, "store"), [3, 6]);
    // Another round loads something that may be there.
    let other = "%r1 = getelementptr inbounds i32, ptr @c, i32 %j
             %v = load i32, ptr %r1";
    let inside = Box::leak(UPDATE.inside.replace("%z = mul", &format!("{other}\n%z = mul")).into_boxed_str());
    assert_eq!(counts(Nest { inside, ..UPDATE }, "store"), [3, 3]);
}

#[test]
fn what_the_next_round_writes_over_is_not_stored() {
    // c[k] = a[j] * b[j][k]: with four rounds a store, and the two of the plain loop and of the rest.
    let inside = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %j, i32 %k
             %r = getelementptr inbounds i32, ptr @c, i32 %k
             %y = load i32, ptr %q
             %z = mul i32 %x, %y
             store i32 %z, ptr %r";
    let nest = Nest { inside, ..UPDATE };
    assert_eq!(counts(nest, "store"), [3, 3]);
    // Another array's element is read in between, or the same one.
    let reads = |name: &str| -> Nest {
        let load = format!("%v = load i32, ptr %{name}\n%w = add i32 %y, %v\n%z = mul i32 %x, %w");
        let inside = inside.replace("%z = mul i32 %x, %y", &load);
        Nest { inside: Box::leak(inside.into_boxed_str()), ..nest }
    };
    assert_eq!(counts(reads("q"), "store"), [3, 3]);
    assert_eq!(counts(reads("r"), "store"), [3, 3]);
    let other = "%r1 = getelementptr inbounds i32, ptr @c, i32 %j\n%v = load i32, ptr %r1\n%w = add i32 %y, %v\n%z = mul i32 %x, %w";
    let inside = Box::leak(inside.replace("%z = mul i32 %x, %y", other).into_boxed_str());
    assert_eq!(counts(Nest { inside, ..nest }, "store")[1], 3);
}

/// A nest that stores what it loads elsewhere in @b, with rows of 40.
fn moved(row: i32, column: i32, bounds: [&'static str; 2]) -> Nest {
    let inside = format!(
        "%p = getelementptr inbounds i32, ptr @a, i32 %k
         %x = load i32, ptr %p
         %x1 = mul i32 %x, 3
         %q0 = getelementptr inbounds i32, ptr @b, i32 {}
         %q = getelementptr inbounds [40 x i32], ptr %q0, i32 %j, i32 %k
         %y = load i32, ptr %q
         %z = add i32 %x1, %y
         %r0 = getelementptr inbounds i32, ptr @b, i32 41
         %r = getelementptr inbounds [40 x i32], ptr %r0, i32 %j, i32 %k
         store i32 %z, ptr %r",
        41 + 40 * row + column
    );
    Nest { front: "", phis: "", inside: Box::leak(inside.into_boxed_str()), behind: "", bounds, result: "0" }
}

#[test]
fn accesses_that_would_change_places_keep_their_order() {
    for (row, column, is_done) in [
        (0, 0, true),
        // What the round before has stored, in an inner round that was there, or that comes later.
        (-1, 0, true),
        (-1, -1, true),
        (-1, 1, false),
        // What the next one stores.
        (1, 0, true),
        (1, 1, true),
        (1, -1, false),
    ] {
        let [plain, jammed] = counts(moved(row, column, ["10", "38"]), "store");
        assert_eq!(jammed > plain, is_done, "{row} {column}");
    }
}

#[test]
fn a_row_that_is_too_long_keeps_its_order() {
    // Up to %n, which may be longer than a row: it is asked.
    let nest = moved(0, 0, ["10", "%n"]);
    let have = jammed(nest);
    assert!(have.contains("icmp ule i32") && have.matches("store").count() > 4, "{have}");
    // Within a row they change places as well.
    let [plain, jammed] = counts(moved(-1, 1, ["10", "%n"]), "store");
    assert_eq!(plain, jammed);
}

#[test]
fn what_depends_on_the_inner_loop_or_calls_stays() {
    let stays = |nest: Nest| {
        let [plain, jammed] = counts(nest, "icmp");
        assert_eq!(plain, jammed);
    };
    // The inner loop's bound is another one each time.
    stays(Nest { bounds: ["12", "%j1"], front: "%j1 = add i32 %j, 3", ..PRODUCT });
    stays(Nest { behind: "call void @putint(i32 %t)", ..PRODUCT });
    // Nothing in common.
    stays(Nest { inside: "%t = mul i32 %s, %j", ..PRODUCT });
    // A sum over both loops.
    let text = text(Nest { phis: "%s = phi i32 [ %o, %outer ], [ %t, %inner ]", ..PRODUCT });
    let text = text.replace("%j = phi", "%o = phi i32 [ 0, %first ], [ %t, %behind ]\n%j = phi");
    let mut module = parse(&text).unwrap();
    let before = print::module(&module);
    apply_for(machine(), &[&UNROLL_AND_JAM], &mut module);
    assert_eq!(print::module(&module).matches("load").count(), before.matches("load").count());
    // Not enough registers.
    let mut module = parse(&self::text(PRODUCT)).unwrap();
    apply_for(TargetFacts { registers: [6, 0], ..machine() }, &[&UNROLL_AND_JAM], &mut module);
    assert_eq!(print::module(&module).matches("load").count(), 4);
}

/// A nest of three loops over @b and @c, cubes with rows of 12 and planes of 120, in which %i, %j and %k count; the first two
/// up to these bounds.
fn cube([outer, middle]: [&str; 2], front: &str, inside: &str, behind: &str) -> String {
    format!(
        "@a = internal global [50 x i32] zeroinitializer
         @b = internal global [1600 x i32] zeroinitializer
         @c = internal global [1600 x i32] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           br label %fill
         fill:
           %f = phi i32 [ 0, %entry ], [ %g, %fill ]
           %fb = getelementptr inbounds i32, ptr @b, i32 %f
           %f7 = mul i32 %f, 7
           %f5 = xor i32 %f7, %n
           store i32 %f5, ptr %fb
           %g = add i32 %f, 1
           %fc = icmp slt i32 %g, 1600
           br i1 %fc, label %fill, label %first
         first:
           br label %outer
         outer:
           %i = phi i32 [ 0, %first ], [ %ii, %last ]
           br label %middle
         middle:
           %j = phi i32 [ 0, %outer ], [ %jj, %behind ]
           {front}
           br label %inner
         inner:
           %k = phi i32 [ 0, %middle ], [ %kk, %inner ]
           %s = phi i32 [ 0, %middle ], [ %t, %inner ]
           {inside}
           %kk = add i32 %k, 1
           %c = icmp slt i32 %kk, 10
           br i1 %c, label %inner, label %behind
         behind:
           {behind}
           %jj = add i32 %j, 1
           %d = icmp slt i32 %jj, {middle}
           br i1 %d, label %middle, label %last
         last:
           %ii = add i32 %i, 1
           %e = icmp slt i32 %ii, {outer}
           br i1 %e, label %outer, label %out
         out:
           br label %sum
         sum:
           %p = phi i32 [ 0, %out ], [ %pp, %sum ]
           %u = phi i32 [ 0, %out ], [ %u3, %sum ]
           %pb = getelementptr inbounds i32, ptr @b, i32 %p
           %lb = load i32, ptr %pb
           %pc = getelementptr inbounds i32, ptr @c, i32 %p
           %lc = load i32, ptr %pc
           %u1 = mul i32 %u, 31
           %u2 = add i32 %u1, %lb
           %u3 = add i32 %u2, %lc
           %pp = add i32 %p, 1
           %q = icmp slt i32 %pp, 1600
           br i1 %q, label %sum, label %end
         end:
           call void @putint(i32 %u3)
           ret i32 0
         }}"
    )
}

/// Products in the innermost loop, with and without the pass, which changes no result.
fn products(text: &str) -> [usize; 2] {
    let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    apply_for(machine(), &[&UNROLL_AND_JAM], &mut module);
    let have = print::module(&module);
    assert!(run(&before, "5").is_some(), "{text}");
    assert_eq!(run(&module, "5"), run(&before, "5"), "{text}\n{have}");
    [print::module(&before), have].map(|text| text.matches("mul i32").count())
}

/// c[i][j] = sum of b[i][k] * b[k][j].
const BLOCK: [&str; 3] = [
    "",
    "%p1 = getelementptr inbounds [12 x i32], ptr @b, i32 %i, i32 %k
     %q1 = getelementptr inbounds [12 x i32], ptr @b, i32 %k, i32 %j
     %x = load i32, ptr %p1
     %y = load i32, ptr %q1
     %z = mul i32 %x, %y
     %t = add i32 %s, %z",
    "%r = getelementptr inbounds [12 x i32], ptr @c, i32 %i, i32 %j
     store i32 %t, ptr %r",
];

#[test]
fn rounds_of_two_loops_go_through_the_one_inside_together() {
    let [front, inside, behind] = BLOCK;
    // Four by four: of each operand four loads.
    let text = cube(["8", "8"], front, inside, behind);
    assert_eq!(products(&text), [3, 18]);
    let mut module = parse(&text).unwrap();
    let before = print::module(&module).matches("load").count();
    apply_for(machine(), &[&UNROLL_AND_JAM], &mut module);
    assert_eq!(print::module(&module).matches("load").count(), before + 6);
    // Rounds of the outer loop are left, or of the one in between: then two of the outer one go together first.
    assert_eq!(products(&cube(["7", "8"], front, inside, behind)), [3, 10 + 4]);
    assert_eq!(products(&cube(["8", "7"], front, inside, behind)), [3, 2 + 4 + 2]);
    // The outer loop's rounds do not do the same number inside.
    let bound = cube(["8", "%m"], "%m = add i32 %i, 8", inside, behind);
    assert_eq!(products(&bound)[1], products(&bound)[0]);
    // What begins in front of the innermost loop, and is carried through the one in between.
    let front = "%h = getelementptr inbounds [12 x i32], ptr @c, i32 %i, i32 %j
                 %w = mul i32 %i, 3
                 store i32 %w, ptr %h
                 %v = load i32, ptr %h";
    let behind = format!("{behind}\n%r2 = add i32 %t, %v\nstore i32 %r2, ptr %h");
    assert!(products(&cube(["8", "8"], front, inside, &behind))[1] > 8);
}

#[test]
fn accesses_of_three_loops_keep_their_order() {
    let mut done = 0;
    for at in 0..27 {
        let [plane, row, column] = [at / 9 - 1, at / 3 % 3 - 1, at % 3 - 1];
        for part in 0..3 {
            let load = format!(
                "%o0 = getelementptr inbounds i32, ptr @b, i32 {}
                 %o1 = getelementptr inbounds [120 x i32], ptr %o0, i32 %i, i32 0
                 %o = getelementptr inbounds [12 x i32], ptr %o1, i32 %j, i32 {}
                 %a = load i32, ptr %o",
                133 + 120 * plane + 12 * row + column,
                if part == 1 { "%k" } else { "3" }
            );
            let inside = "%r1 = getelementptr inbounds i32, ptr @b, i32 133
                          %r2 = getelementptr inbounds [120 x i32], ptr %r1, i32 %i, i32 0
                          %r = getelementptr inbounds [12 x i32], ptr %r2, i32 %j, i32 %k
                          %g1 = getelementptr inbounds i32, ptr @a, i32 %k
                          %x = load i32, ptr %g1
                          %y0 = add i32 %x, %k
                          %y1 = mul i32 %y0, %y0
                          %y2 = xor i32 %y1, %x
                          %y3 = mul i32 %y2, %y0
                          %y4 = sub i32 %y3, %y1
                          %y5 = mul i32 %y4, %y2
                          %y = xor i32 %y5, %y3";
            let last = "%z = mul i32 %y, %X
                        store i32 %z, ptr %r
                        %t = add i32 %s, %z";
            let value = ["%a", "%a", "%i"][part];
            let inside =
                format!("{inside}\n{}\n{}", if part == 1 { &load } else { "" }, last.replace("%X", value));
            let behind = "%h1 = getelementptr inbounds [12 x i32], ptr @c, i32 %i, i32 %j";
            let behind = match part {
                2 => format!("{load}\n{behind}\nstore i32 %a, ptr %h1"),
                _ => format!("{behind}\nstore i32 %t, ptr %h1"),
            };
            let front = if part == 0 { &load } else { "" };
            let [plain, made] = products(&cube(["8", "8"], front, &inside, &behind));
            done += usize::from(made > plain);
        }
    }
    assert!((40..81).contains(&done), "{done}");
}

#[test]
fn what_a_known_branch_has_left_in_front_is_the_value_that_goes_round() {
    let text = text(UPDATE)
        .replace("[ %jj, %behind ]", "[ %jj, %behind ]\n%v = phi i32 [ 3, %first ], [ %went, %behind ]")
        .replace(
            "br label %inner\n",
            "%m = mul i32 %v, 5\nbr label %join\njoin:\n%went = phi i32 [ %m, %outer ]\nbr label %inner\n",
        )
        .replace("[ 0, %outer ]", "[ 0, %join ]")
        .replace("[ 0, %out ]", "[ %went, %out ]");
    let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    assert!(apply_for(machine(), &[&UNROLL_AND_JAM], &mut module));
    assert_eq!(crate::ir::verify::verify_module(&module), Ok(()));
    assert_eq!(run(&module, "7"), run(&before, "7"));
}
