//! Tests of loop interchange.

use super::*;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply, run};

/// What is different from nest to nest.
#[derive(Copy, Clone)]
struct Nest {
    /// In front of the inner loop, in it, and behind it; the counters are %j and %i.
    front: &'static str,
    phis: &'static str,
    inside: &'static str,
    behind: &'static str,
    /// What the counters begin with, what is added, how they compare if they go on, and with what.
    outer: [&'static str; 4],
    inner: [&'static str; 4],
    result: &'static str,
}

/// b[i][j] = b[i][j] * 3 + a[i][j], column by column, rows of 40.
const COLUMNS: Nest = Nest {
    front: "",
    phis: "",
    inside: "%p = getelementptr inbounds [40 x i32], ptr @a, i32 %i, i32 %j
             %q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
             %x = load i32, ptr %p
             %y = load i32, ptr %q
             %z = mul i32 %y, 3
             %t = add i32 %z, %x
             store i32 %t, ptr %q",
    behind: "",
    outer: ["0", "1", "slt", "24"],
    inner: ["0", "1", "slt", "12"],
    result: "0",
};

fn text(nest: Nest) -> String {
    let Nest { front, phis, inside, behind, outer, inner, result } = nest;
    let [first, step, goes_on, bound] = outer;
    let [first1, step1, goes_on1, bound1] = inner;
    format!(
        "@a = internal global [480 x i32] zeroinitializer
         @b = internal global [480 x i32] zeroinitializer
         @w = internal global [60 x i32] zeroinitializer
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
           %fa = getelementptr inbounds i32, ptr @a, i32 %f
           %f5 = xor i32 %f, 5
           store i32 %f5, ptr %fa
           %fr = srem i32 %f, 60
           %fw = getelementptr inbounds i32, ptr @w, i32 %fr
           store i32 %f, ptr %fw
           %g = add i32 %f, 1
           %fc = icmp slt i32 %g, 480
           br i1 %fc, label %fill, label %ahead
         ahead:
           %some = icmp sgt i32 %n, 0
           br i1 %some, label %first, label %done
         first:
           br label %outer
         outer:
           %j = phi i32 [ {first}, %first ], [ %jj, %behind ]
           {front}
           br label %inner
         inner:
           %i = phi i32 [ {first1}, %outer ], [ %ii, %inner ]
           {phis}
           {inside}
           %ii = add i32 %i, {step1}
           %c = icmp {goes_on1} i32 %ii, {bound1}
           br i1 %c, label %inner, label %behind
         behind:
           {behind}
           %jj = add i32 %j, {step}
           %d = icmp {goes_on} i32 %jj, {bound}
           br i1 %d, label %outer, label %out
         out:
           br label %done
         done:
           %res = phi i32 [ 5, %ahead ], [ {result}, %out ]
           br label %sum
         sum:
           %k = phi i32 [ 0, %done ], [ %kk, %sum ]
           %u = phi i32 [ %res, %done ], [ %u3, %sum ]
           %pb = getelementptr inbounds i32, ptr @b, i32 %k
           %lb = load i32, ptr %pb
           %pa = getelementptr inbounds i32, ptr @a, i32 %k
           %la = load i32, ptr %pa
           %u1 = mul i32 %u, 31
           %u2 = add i32 %u1, %lb
           %u3 = xor i32 %u2, %la
           %kk = add i32 %k, 1
           %e = icmp slt i32 %kk, 480
           br i1 %e, label %sum, label %end
         end:
           call void @putint(i32 %u3)
           ret i32 0
         }}"
    )
}

/// What the test of the loop compares with in which this line stands.
fn bound(text: &str, line: &str) -> String {
    let mut behind = text.lines().skip_while(|have| !have.contains(line));
    let test = behind.find(|have| have.contains("icmp")).unwrap_or_else(|| panic!("{text}"));
    test.rsplit(", ").next().unwrap().to_string()
}

/// The text behind the pass, which does the same for all of these inputs.
fn behind(text: &str) -> String {
    let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    apply(&LOOP_INTERCHANGE, &mut module);
    for input in ["0", "1", "2", "9", "12"] {
        assert!(run(&before, input).is_some(), "{text}");
        assert_eq!(run(&module, input), run(&before, input), "{input}: {}", print::module(&module));
    }
    print::module(&module)
}

/// True if the loops of a nest change places: then the test of the outer one stands in the loop that stores.
fn fires(nest: Nest) -> bool {
    let before = print::module(&parse(&text(nest)).unwrap());
    let have = behind(&text(nest));
    let [before, now] = [&before, &have].map(|text| {
        let main = text.split("bitcast").next().unwrap();
        let inside = main.split("b4:").nth(1).unwrap_or_else(|| panic!("{text}"));
        bound(inside, "store")
    });
    before != now
}

/// With this in the inner loop.
fn storing(inside: String) -> Nest {
    Nest { inside: Box::leak(inside.into_boxed_str()), ..COLUMNS }
}

#[test]
fn columns_become_rows() {
    assert!(fires(COLUMNS));
    // A bound that is not known, which is tested in front; the other way around; in longer steps.
    assert!(fires(Nest { inner: ["0", "1", "slt", "%n"], ..COLUMNS }));
    assert!(fires(Nest { outer: ["23", "-1", "sge", "0"], ..COLUMNS }));
    assert!(fires(Nest { inner: ["10", "-2", "sgt", "-1"], ..COLUMNS }));
    assert!(fires(Nest { outer: ["0", "3", "slt", "30"], ..COLUMNS }));
    assert!(fires(Nest { inner: ["0", "1", "ne", "12"], ..COLUMNS }));
}

#[test]
fn what_is_computed_goes_where_it_has_to_be() {
    // In front of the inner loop: a load, and what is made of both counters' own.
    let front = "%wp = getelementptr inbounds i32, ptr @w, i32 %j
                 %w0 = load i32, ptr %wp
                 %j3 = mul i32 %j, 3";
    let inside = "%i5 = mul i32 %i, 5
                  %s0 = add i32 %i5, %j3
                  %s = add i32 %s0, %w0
                  %q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  store i32 %s, ptr %q";
    assert!(fires(Nest { front, inside, ..COLUMNS }));
    // What is made of a load that the new innermost loop does not change.
    let inside = "%wp = getelementptr inbounds i32, ptr @w, i32 %i
                  %w0 = load i32, ptr %wp
                  %s = mul i32 %w0, 3
                  %q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  store i32 %s, ptr %q";
    assert!(fires(Nest { inside, ..COLUMNS }));
    // What a counter is next, in the loop.
    let inside = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  %j1 = add i32 %j, 1
                  %s = mul i32 %j1, %n
                  store i32 %s, ptr %q";
    assert!(fires(Nest { inside, ..COLUMNS }));
    // A second variable of the inner loop.
    let phis = "%v = phi i32 [ %n, %outer ], [ %vv, %inner ]";
    let inside = "%vv = add i32 %v, 7
                  %q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  store i32 %vv, ptr %q";
    assert!(fires(Nest { phis, inside, ..COLUMNS }));
    // What counters are behind the loops.
    assert!(fires(Nest { result: "%jj", ..COLUMNS }));
    assert!(fires(Nest { result: "%j", outer: ["23", "-1", "sge", "0"], ..COLUMNS }));
    assert!(fires(Nest { result: "%i", ..COLUMNS }));
    assert!(fires(Nest { result: "%ii", inner: ["11", "-1", "sge", "0"], ..COLUMNS }));
    // A product of both is no sum of one loop.
    assert!(!fires(Nest { behind: "%m = mul i32 %i, %j", result: "%m", ..COLUMNS }));
    assert!(!fires(Nest { result: "%t", ..COLUMNS }));
}

#[test]
fn accesses_that_meet_in_another_order_keep_the_loops() {
    let moved = |row: i32, column: i32| {
        storing(format!(
            "%q0 = getelementptr inbounds i32, ptr @b, i32 {}
             %q = getelementptr inbounds [40 x i32], ptr %q0, i32 %i, i32 %j
             %y = load i32, ptr %q
             %z = mul i32 %y, 3
             %r0 = getelementptr inbounds i32, ptr @b, i32 41
             %r = getelementptr inbounds [40 x i32], ptr %r0, i32 %i, i32 %j
             store i32 %z, ptr %r",
            41 + 40 * row + column
        ))
    };
    let inner = ["0", "1", "slt", "9"];
    for (row, column, is_done) in [
        (0, 0, true),
        (0, 1, true),
        (0, -1, true),
        (1, 0, true),
        (-1, 0, true),
        (1, 1, true),
        (-1, -1, true),
        // From the row below of the column before: that has been stored in an earlier round of the outer loop, and a later
        // one of the inner loop.
        (1, -1, false),
        (-1, 1, false),
    ] {
        assert_eq!(fires(Nest { inner, ..moved(row, column) }), is_done, "{row} {column}");
    }
    // Against the direction of one of the loops it is the other ones.
    let up = ["8", "-1", "sge", "0"];
    assert!(!fires(Nest { inner: up, ..moved(1, 1) }));
    assert!(fires(Nest { inner: up, ..moved(1, -1) }));
    // A column that may be longer than the row.
    assert!(fires(Nest { inner, outer: ["0", "1", "slt", "40"], ..moved(1, 0) }));
    assert!(!fires(Nest { inner: ["0", "1", "slt", "5"], outer: ["0", "1", "slt", "41"], ..moved(1, 0) }));
    assert!(!fires(Nest { inner, outer: ["0", "1", "slt", "%n"], ..moved(1, 0) }));
    // What is loaded in front may be what is stored.
    let front = "%wp = getelementptr inbounds i32, ptr @b, i32 %j
                 %w0 = load i32, ptr %wp";
    let inside = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  store i32 %w0, ptr %q";
    assert!(!fires(Nest { front, inside, ..COLUMNS }));
}

#[test]
fn other_nests_stay() {
    // A sum, of the inner loop and of both.
    let phis = "%s = phi i32 [ %j, %outer ], [ %t, %inner ]";
    let sum = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
               %y = load i32, ptr %q
               %t = add i32 %s, %y
               store i32 %y, ptr %q";
    assert!(!fires(Nest { phis, inside: sum, ..COLUMNS }));
    // Triangles.
    assert!(!fires(Nest {
        front: "%m = add i32 %j, 1",
        inner: ["0", "1", "slt", "%m"],
        outer: ["0", "1", "slt", "12"],
        ..COLUMNS
    }));
    assert!(!fires(Nest { inner: ["%j", "1", "slt", "12"], outer: ["0", "1", "slt", "12"], ..COLUMNS }));
    // More than computing.
    assert!(!fires(Nest { behind: "call void @putint(i32 %j)", ..COLUMNS }));
    assert!(!fires(Nest { front: "store i32 %j, ptr @w", ..COLUMNS }));
    let inside = Box::leak(format!("{}\ncall void @putint(i32 %t)", COLUMNS.inside).into_boxed_str());
    assert!(!fires(Nest { inside, ..COLUMNS }));
    // Few rounds, and a division each, which the outer loop does once.
    assert!(!fires(Nest { outer: ["0", "1", "slt", "4"], ..COLUMNS }));
    let front = "%k1 = sdiv i32 %j, 7
                 %k2 = srem i32 %k1, 3
                 %k3 = sdiv i32 1000, %k2";
    let inside = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  store i32 %k3, ptr %q";
    let outer = ["7", "1", "slt", "20"];
    assert!(!fires(Nest { front, inside, outer, ..COLUMNS }));
    // As good as before: a transposition.
    let inside = "%p = getelementptr inbounds [20 x i32], ptr @a, i32 %j, i32 %i
                  %q = getelementptr inbounds [20 x i32], ptr @b, i32 %i, i32 %j
                  %x = load i32, ptr %p
                  store i32 %x, ptr %q";
    assert!(!fires(Nest { inside, outer: ["0", "1", "slt", "20"], ..COLUMNS }));
    // Rows, and what does not move at all in the outer loop.
    let inside = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %j, i32 %i
                  store i32 %n, ptr %q";
    assert!(!fires(Nest { inside, outer: ["0", "1", "slt", "9"], ..COLUMNS }));
}

/// With a loop of %k0 up to a number between the two.
fn with_middle(nest: Nest, bound: &str) -> String {
    let head = "br label %middle
                middle:
                  %k0 = phi i32 [ 0, %outer ], [ %k1, %end_of ]
                  br label %inner\n";
    let end = format!(
        "label %inner, label %end_of
         end_of:
           %k1 = add i32 %k0, 1
           %d1 = icmp slt i32 %k1, {bound}
           br i1 %d1, label %middle, label %behind"
    );
    text(nest)
        .replace("br label %inner\n", head)
        .replace("[ 0, %outer ], [ %ii", "[ 0, %middle ], [ %ii")
        .replace("label %inner, label %behind", &end)
}

#[test]
fn any_loop_of_a_nest_may_go_innermost() {
    // @b[k][i][j], planes of 4 rows of 10; the loop of the columns is the outermost one.
    let inside = "%q = getelementptr inbounds [4 x [10 x i32]], ptr @b, i32 %i, i32 %k0, i32 %j
                  %y = load i32, ptr %q
                  %z = mul i32 %y, 3
                  store i32 %z, ptr %q";
    let nest = Nest { inside, outer: ["0", "1", "slt", "10"], inner: ["0", "1", "slt", "11"], ..COLUMNS };
    assert_eq!(bounds(&behind(&with_middle(nest, "4"))), ["480", "10", "4", "11", "480"]);
}

#[test]
fn loops_stand_in_the_order_of_their_costs() {
    // b[i][j] += a[i][k] * a[k][j] in the order j, k, i.
    let inside = "%q = getelementptr inbounds [40 x i32], ptr @b, i32 %i, i32 %j
                  %p = getelementptr inbounds [40 x i32], ptr @a, i32 %i, i32 %k0
                  %p1 = getelementptr inbounds [40 x i32], ptr @a, i32 %k0, i32 %j
                  %y = load i32, ptr %q
                  %x = load i32, ptr %p
                  %x1 = load i32, ptr %p1
                  %z = mul i32 %x, %x1
                  %z1 = add i32 %y, %z
                  store i32 %z1, ptr %q";
    let nest = Nest { inside, outer: ["0", "1", "slt", "10"], inner: ["0", "1", "slt", "11"], ..COLUMNS };
    assert_eq!(bounds(&behind(&with_middle(nest, "9"))), ["480", "10", "9", "11", "480"]);
}

/// What loops compare their counters with, inner ones first.
fn bounds(text: &str) -> Vec<&str> {
    let tests = text.lines().filter(|line| line.contains("icmp slt"));
    tests.filter_map(|line| line.rsplit(", ").next()).collect()
}
