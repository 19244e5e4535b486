//! Tests of loops in vectors: what fires computes what it did, for all numbers of rounds, and what must not does not.

mod checks;
mod sums;

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply_for, four_lanes as facts, run, sixteen_lanes as more};

/// A loop from 8 on up to `bound` with this round, over arrays of 64 numbers; `%n` is a number that is read. `%s` is a phi
/// that `next` is next.
fn text(bound: &str, round: &str, next: &str) -> String {
    let phi = match round.contains("%s") {
        true => format!("%s = phi i32 [ 5, %entry ], [ {next}, %tail ]"),
        false => String::new(),
    };
    format!(
        "@a = internal global [64 x i32] zeroinitializer
         @b = internal global [64 x i32] zeroinitializer
         @x = internal global [64 x float] zeroinitializer
         declare i32 @getint() memory(inaccessiblemem: readwrite)
         define internal void @fill() {{
         entry:
           br label %l
         l:
           %i = phi i32 [ 0, %entry ], [ %j, %l ]
           %p = getelementptr i32, ptr @a, i32 %i
           %q = getelementptr i32, ptr @b, i32 %i
           %r = getelementptr float, ptr @x, i32 %i
           %u = mul i32 %i, 1103515245
           %v = lshr i32 %u, 7
           %w = sub i32 77, %v
           store i32 %u, ptr %p
           store i32 %w, ptr %q
           %f = sitofp i32 %w to float
           store float %f, ptr %r
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, 64
           br i1 %c, label %l, label %out
         out:
           ret void
         }}
         define internal i32 @sum(i32 %t) {{
         entry:
           br label %l
         l:
           %i = phi i32 [ 0, %entry ], [ %j, %l ]
           %s = phi i32 [ %t, %entry ], [ %s5, %l ]
           %p = getelementptr i32, ptr @a, i32 %i
           %q = getelementptr i32, ptr @b, i32 %i
           %r = getelementptr i32, ptr @x, i32 %i
           %u = load i32, ptr %p
           %v = load i32, ptr %q
           %w = load i32, ptr %r
           %s1 = mul i32 %s, 31
           %s2 = add i32 %s1, %u
           %s3 = mul i32 %s2, 31
           %s4 = add i32 %s3, %v
           %s5 = xor i32 %s4, %w
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, 64
           br i1 %c, label %l, label %out
         out:
           ret i32 %s5
         }}
         define i32 @main() {{
         entry:
           %n = call i32 @getint()
           call void @fill()
           br label %head
         head:
           %i = phi i32 [ 8, %entry ], [ %j, %tail ]
           {phi}
           %p = getelementptr i32, ptr @a, i32 %i
           %q = getelementptr i32, ptr @b, i32 %i
           %r = getelementptr float, ptr @x, i32 %i
           %u = load i32, ptr %p
           {round}
         tail:
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, {bound}
           br i1 %c, label %head, label %out
         out:
           %t = call i32 @sum(i32 {next})
           %k = xor i32 %t, %j
           %l = and i32 %k, 255
           ret i32 %l
         }}"
    )
}

const ON: &str = "\n br label %tail";

/// What the pass makes of the main function; none if it has no vectors then.
fn made(text: &str) -> Option<String> {
    made_for(facts(), text)
}

fn made_for(target: TargetFacts, text: &str) -> Option<String> {
    let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    apply_for(target, &[&crate::opt::flow::simplify_cfg::SIMPLIFY_CFG, &LOOP_VECTORIZE], &mut module);
    let all = print::module(&module);
    let main = all
        .split("define i32 @main")
        .nth(1)
        .and_then(|rest| rest.split("\ndefine").next())
        .unwrap()
        .to_string();
    ["<4 x", "<8 x", "<16 x"].iter().any(|lanes| main.contains(lanes)).then_some(main)
}

/// The pass makes vectors, which compute the same for any number of rounds.
#[track_caller]
fn fires(text: &str) -> String {
    fires_for(facts(), text)
}

#[track_caller]
fn fires_for(target: TargetFacts, text: &str) -> String {
    let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = before.clone();
    let main = made_for(target, text).unwrap_or_else(|| panic!("no vectors\n{text}"));
    apply_for(target, &[&crate::opt::flow::simplify_cfg::SIMPLIFY_CFG, &LOOP_VECTORIZE], &mut module);
    for n in ["-2147483648", "0", "8", "9", "10", "11", "12", "13", "15", "16", "17", "20", "21", "55", "56"]
    {
        assert_eq!(run(&module, n), run(&before, n), "{n}\n{main}");
    }
    main
}

#[test]
fn what_is_computed_of_lanes_is_what_rounds_computed() {
    for round in [
        "%y = mul i32 %u, 3\n store i32 %y, ptr %q",
        "%v = load i32, ptr %q\n %y = add i32 %u, %v\n %z = mul i32 %y, %n\n store i32 %z, ptr %p",
        "%y = sub i32 %u, %i\n store i32 %y, ptr %q",
        "%g = icmp slt i32 %u, %i\n %y = select i1 %g, i32 %u, i32 7\n store i32 %y, ptr %q",
        "%y = sdiv i32 %u, 7\n store i32 %y, ptr %q",
        "%y = srem i32 %u, -16\n store i32 %y, ptr %q",
        "%y = sdiv i32 %u, -3\n store i32 %y, ptr %q",
        "%y = urem i32 %u, 10\n store i32 %y, ptr %q",
        "%y = udiv i32 %u, 641\n store i32 %y, ptr %q",
        "%f = load float, ptr %r\n %g = fmul float %f, 1.5\n %h = fadd float %g, %f\n store float %h, ptr %r",
        "%f = sitofp i32 %u to float\n store float %f, ptr %r",
        // Of a later round, and of a vector's length before.
        "%w = getelementptr i32, ptr %p, i32 1\n %v = load i32, ptr %w\n store i32 %v, ptr %p",
        "%w = getelementptr i32, ptr %p, i32 -4\n %v = load i32, ptr %w\n store i32 %v, ptr %p",
        // Backwards, and every second one.
        "%b = sub i32 63, %i\n %w = getelementptr i32, ptr @b, i32 %b\n store i32 %u, ptr %w",
        "%b = sub i32 63, %i\n %w = getelementptr i32, ptr @b, i32 %b\n %v = load i32, ptr %w\n store i32 %v, ptr %p",
    ] {
        fires(&text("%n", &format!("{round}{ON}"), "%i"));
        fires(&text("16", &format!("{round}{ON}"), "%i"));
        fires(&text("51", &format!("{round}{ON}"), "%u"));
    }
}

#[test]
fn what_stays_inside_of_two_limits_is_a_minimum_and_a_maximum() {
    // Each choice: the comparison, and what is chosen by it.
    let of = |inner: (&str, &str), outer: (&str, &str)| {
        let round = format!(
            "%x = ashr i32 %u, 23\n %g = icmp {} \n %z = select i1 %g, {}\n %h = icmp {}\n %y = select i1 %h, {}\n \
             store i32 %y, ptr %q",
            inner.0, inner.1, outer.0, outer.1
        );
        let main = fires(&text("%n", &format!("{round}{ON}"), "%i"));
        ["call <4 x i32> @llvm.smin", "call <4 x i32> @llvm.smax", "= select <"]
            .map(|what| main.matches(what).count())
    };
    let high = ("sgt i32 %x, 70", "i32 70, i32 %x");
    let low = ("slt i32 %x, -20", "i32 -20, i32 %x");
    assert_eq!(of(high, ("slt i32 %x, -20", "i32 -20, i32 %z")), [1, 1, 0]);
    assert_eq!(of(high, ("sge i32 %x, -20", "i32 %z, i32 -20")), [1, 1, 0]);
    assert_eq!(of(low, ("sgt i32 %x, 70", "i32 70, i32 %z")), [1, 1, 0]);
    assert_eq!(of(high, ("sle i32 %x, 70", "i32 70, i32 %z")), [1, 1, 0]);
    // Limits the other way round, a comparison without a sign, and others that are no limits.
    assert_eq!(of(high, ("slt i32 %x, 90", "i32 90, i32 %z")), [1, 0, 1]);
    assert_eq!(of(high, ("ult i32 %x, -20", "i32 -20, i32 %z")), [1, 0, 1]);
    assert_eq!(of(high, ("sgt i32 %x, -20", "i32 -20, i32 %z")), [1, 0, 1]);
    assert_eq!(of(high, ("slt i32 %x, -20", "i32 -21, i32 %z")), [1, 0, 1]);
    assert_eq!(of(high, ("slt i32 %u, -20", "i32 -20, i32 %z")), [1, 0, 1]);
}

#[test]
fn what_was_in_the_round_before_is_put_together_of_two_vectors() {
    for (round, next) in [
        ("%y = add i32 %s, %u\n store i32 %y, ptr %q", "%u"),
        ("%y = add i32 %u, 1\n store i32 %s, ptr %q", "%y"),
        ("%y = sub i32 %u, %s\n %z = mul i32 %y, %y\n store i32 %z, ptr %q", "%i"),
        ("%v = load i32, ptr %q\n %y = xor i32 %s, %v\n store i32 %y, ptr %p", "%v"),
    ] {
        for bound in ["%n", "24", "50"] {
            let main = fires(&text(bound, &format!("{round}{ON}"), next));
            assert!(main.contains("llvm.vector.splice"), "{main}");
        }
    }
    // What lanes of a quotient are made of stands in front of it, too.
    let quotient = "%v = load i32, ptr %p\n %w = sext i32 %v to i64\n \
        %h = call i64 @sysyc.smulhi.i64(i64 %w, i64 6148914694099828736)\n %y = trunc i64 %h to i32\n store i32 %s, ptr %q";
    fires(&text("%n", &format!("{quotient}{ON}"), "%y"));
    // What is loaded may have been stored in the same round, which needs what the one before has stored.
    let stored = format!("store i32 %s, ptr %q\n %v = load i32, ptr %q{ON}");
    assert_eq!(made(&text("%n", &stored, "%v")), None);
}

#[test]
fn signs_that_alternate_are_the_same_in_each_vector() {
    let of = |round: &str| {
        let text = text("%n", &format!("%f = load float, ptr %r\n {round}{ON}"), "%y");
        let text = text.replace("%s = phi i32 [ 5,", "%s = phi float [ 0.5,");
        text.replace("%t = call i32 @sum(i32 %y)", "%z = fptosi float %y to i32\n %t = call i32 @sum(i32 %z)")
    };
    fires(&of("%m = fmul float %f, %s\n store float %m, ptr %r\n %y = fneg float %s"));
    fires(&of("%y = fneg float %s\n %m = fmul float %f, %y\n store float %m, ptr %r"));
    let halved = of("%y = fmul float %s, 0.5\n %m = fmul float %f, %y\n store float %m, ptr %r");
    assert_eq!(made(&halved), None);
}

#[test]
fn branches_become_choices_where_vectors_come_of_it() {
    let diamond = |yes: &str, no: &str, join: &str| {
        format!(
            "%g = icmp slt i32 %u, 1000\n br i1 %g, label %yes, label %no
             yes:\n {yes}\n br label %join
             no:\n {no}\n br label %join
             join:\n {join}{ON}"
        )
    };
    let store = "store i32 %d, ptr %q";
    let main = fires(&text(
        "%n",
        &diamond(
            "%d0 = add i32 %u, 3",
            "%d1 = mul i32 %u, %u",
            &format!("%d = phi i32 [ %d0, %yes ], [ %d1, %no ]\n {store}"),
        ),
        "%i",
    ));
    assert!(main.contains("select <4 x i1>"), "{main}");
    // One side in two steps; a load of what each round loads.
    let steps = "%g = icmp slt i32 %u, 1000\n br i1 %g, label %yes, label %join
                 yes:\n %e = load i32, ptr %p\n %h = icmp sgt i32 %e, -5\n br i1 %h, label %more, label %join
                 more:\n br label %join
                 join:\n %d = phi i32 [ %u, %head ], [ 4, %yes ], [ 9, %more ]\n store i32 %d, ptr %q";
    fires(&text("%n", &format!("{steps}{ON}"), "%i"));
    // Both store to one place, which is loaded on one side.
    let twins = diamond(
        "%w = getelementptr i32, ptr @b, i32 %i\n store i32 %i, ptr %w",
        "%z = getelementptr i32, ptr @b, i32 %i\n %e = load i32, ptr %z\n %d1 = mul i32 %e, %u\n store i32 %d1, ptr %z",
        "",
    );
    fires(&text("%n", &twins, "%i"));
    let apart =
        twins.replace("%z = getelementptr i32, ptr @b, i32 %i", "%z = getelementptr i32, ptr @b, i32 %n");
    assert_eq!(made(&text("%n", &apart, "%i")), None);
    // So do all ways of nested branches.
    let place = |name: &str, x: i32| {
        format!("%{name}0 = getelementptr i32, ptr @b, i32 %i\n store i32 {x}, ptr %{name}0\n br label %join")
    };
    let nested = format!(
        "%g = icmp slt i32 %u, 1000\n br i1 %g, label %yes, label %no
         yes:\n %h = icmp sgt i32 %u, 7\n br i1 %h, label %more, label %no
         more:\n {}
         no:\n %e = icmp eq i32 %u, 3\n br i1 %e, label %some, label %none
         some:\n {}
         none:\n {}
         join:\n {ON}",
        place("m", 1),
        place("s", 2),
        place("z", 0)
    );
    fires(&text("%n", &nested, "%i"));
    assert_eq!(made(&text("%n", &nested.replace("store i32 2, ptr %s0", ""), "%i")), None);
    // What a side loads may not be there, and what it stores need not be stored.
    let load = diamond(
        "%w = getelementptr i32, ptr @b, i32 %u\n %d0 = load i32, ptr %w",
        "",
        &format!("%d = phi i32 [ %d0, %yes ], [ 1, %no ]\n {store}"),
    );
    assert_eq!(made(&text("%n", &load, "%i")), None);
    assert_eq!(made(&text("%n", &diamond("store i32 1, ptr %q", "", ""), "%i")), None);
    // What is loaded in each round may be stored again, and what is stored may be stored before.
    for (more, yes) in [
        ("%e = load i32, ptr %q", "store i32 %u, ptr %q"),
        ("", "store i32 7, ptr %p"),
        ("%e = load i32, ptr %q", "%d0 = mul i32 %e, %u\n store i32 %d0, ptr %q"),
        ("store i32 %i, ptr %q", "store i32 %u, ptr %q"),
    ] {
        let main = fires(&text("%n", &format!("{more}\n {}", diamond(yes, "", "")), "%i"));
        assert!(main.contains("select <4 x i1>"), "{main}");
    }
    // Where no vectors come of it the branch stays.
    let sum =
        diamond("%d0 = mul i32 %s, %u", "%d1 = add i32 %s, 1", "%d = phi i32 [ %d0, %yes ], [ %d1, %no ]");
    assert_eq!(made(&text("%n", &sum, "%d")), None);
}

#[test]
fn what_a_round_needs_of_the_one_before_stays() {
    for (round, next) in [
        // A store that a later round of the vector loads, and one that it stores to again.
        ("%w = getelementptr i32, ptr %p, i32 -1\n %v = load i32, ptr %w\n store i32 %v, ptr %p", "%i"),
        ("%w = getelementptr i32, ptr %p, i32 2\n store i32 1, ptr %w\n store i32 %i, ptr %p", "%i"),
        // Sums in order.
        ("%y = mul i32 %s, 31\n %z = add i32 %y, %u", "%z"),
        ("%y = sub i32 %u, %s", "%y"),
        ("%y = add i32 %s, %u\n store i32 %y, ptr %q", "%y"),
        // A sum that decides whether something is added.
        ("%g = icmp slt i32 %s, %n\n %z = add i32 %s, %u\n %y = select i1 %g, i32 %z, i32 %s", "%y"),
        ("%g = icmp slt i32 %u, %s\n %z = add i32 %s, 3\n %y = select i1 %g, i32 %s, i32 %z", "%y"),
        // Subscripts that are loaded, and strides that the machine has not.
        ("%w = getelementptr i32, ptr @b, i32 %u\n store i32 1, ptr %w", "%i"),
        ("%b = mul i32 %i, 3\n %w = getelementptr i32, ptr @b, i32 %b\n store i32 1, ptr %w", "%i"),
        // Calls, and numbers of other widths.
        ("%v = call i32 @getint()\n store i32 %v, ptr %q", "%i"),
        (
            "%y = sext i32 %u to i64\n %z = mul i64 %y, %y\n %w = lshr i64 %z, 5\n %v = trunc i64 %w to i32\n store i32 %v, ptr %q",
            "%i",
        ),
        ("%y = sdiv i32 %u, %n\n store i32 %y, ptr %q", "%i"),
        // One value for all that is stored to.
        ("%v = load i32, ptr @a\n %y = add i32 %v, 1\n store i32 %y, ptr @a", "%i"),
    ] {
        assert_eq!(made(&text("%n", &format!("{round}{ON}"), next)), None, "{round}");
    }
    let plain = format!("store i32 %u, ptr %q{ON}");
    assert_eq!(made(&text("13", &plain, "%i")), None, "few rounds");
    assert_eq!(made(&text("%u", &plain, "%i")), None, "a bound that changes");
    assert!(made(&text("%n", &plain, "%i")).is_some());
}

/// The same over arrays of 256 numbers, in which `%e` to `%h` are the addresses of four elements of the second one side by side:
/// of the first of two, three or four.
fn in_turn(count: usize, round: &str) -> String {
    let mut begin = format!("%o = sub i32 %i, 8\n %m = mul i32 %o, {count}\n");
    for (k, name) in ["e", "f", "g", "h"].iter().enumerate() {
        begin += &format!("%m{k} = add i32 %m, {k}\n %{name} = getelementptr i32, ptr @b, i32 %m{k}\n");
    }
    let text = text("%n", &format!("{begin}{round}{ON}"), "%i");
    text.replace("[64 x", "[256 x").replace("slt i32 %j, 64", "slt i32 %j, 256")
}

#[test]
fn accesses_of_all_words_between_lanes_stand_side_by_side() {
    for (count, round, accesses) in [
        (2, "%v = load i32, ptr %e\n %w = load i32, ptr %f\n %y = sub i32 %v, %w\n store i32 %y, ptr %p", 2),
        // In any order, of the next of two as well.
        (2, "%v = load i32, ptr %f\n %w = load i32, ptr %e\n %y = sub i32 %v, %w\n store i32 %y, ptr %p", 2),
        (2, "%v = load i32, ptr %f\n %w = load i32, ptr %g\n %y = sub i32 %v, %w\n store i32 %y, ptr %p", 2),
        (
            3,
            "%v = load i32, ptr %e\n %w = load i32, ptr %f\n %x = load i32, ptr %g\n %y = mul i32 %v, %w\n %z = sub i32 %y, %x\n store i32 %z, ptr %p",
            3,
        ),
        (
            4,
            "%v = load i32, ptr %e\n %w = load i32, ptr %f\n %x = load i32, ptr %g\n %x2 = load i32, ptr %h\n %y = mul i32 %v, %w\n %z = sub i32 %y, %x\n %z2 = xor i32 %z, %x2\n store i32 %z2, ptr %p",
            4,
        ),
        (2, "store i32 %u, ptr %e\n store i32 %i, ptr %f", 2),
        (2, "store i32 %u, ptr %f\n %v = load i32, ptr %r\n store i32 %v, ptr %e", 2),
        (3, "store i32 %u, ptr %e\n store i32 %i, ptr %g\n store i32 3, ptr %f", 3),
        (4, "store i32 %u, ptr %e\n store i32 %i, ptr %g\n store i32 3, ptr %h\n store i32 %n, ptr %f", 4),
        // What stands between loads is what the second one loads: each is by itself.
        (
            2,
            "%v = load i32, ptr %e\n store i32 %u, ptr %f\n %w = load i32, ptr %f\n %y = sub i32 %v, %w\n store i32 %y, ptr %p",
            3,
        ),
        // They change places.
        (2, "%v = load i32, ptr %e\n %w = load i32, ptr %f\n store i32 %w, ptr %e\n store i32 %v, ptr %f", 4),
    ] {
        let main = fires(&in_turn(count, round));
        assert_eq!(main.matches("strided").count() - main.matches("declare").count(), accesses, "{main}");
    }
}

#[test]
fn what_is_not_all_words_between_lanes_is_no_access_in_turn() {
    for (count, round) in [
        // One is missing.
        (3, "%v = load i32, ptr %e\n %w = load i32, ptr %g\n %y = sub i32 %v, %w\n store i32 %y, ptr %p"),
        (4, "store i32 %u, ptr %e\n store i32 %i, ptr %f\n store i32 %n, ptr %g"),
        // What is loaded between the stores is what the first one has stored, or the second stores.
        (2, "store i32 %u, ptr %e\n %v = load i32, ptr %e\n %y = add i32 %v, 1\n store i32 %y, ptr %f"),
    ] {
        assert_eq!(made(&in_turn(count, round)), None, "{round}");
    }
}

#[test]
fn a_machine_with_masks_and_strides_and_more_lanes_has_them_used() {
    let masked = "%g = icmp slt i32 %u, 1000\n br i1 %g, label %yes, label %join
                  yes:\n %d = mul i32 %u, 5\n store i32 %d, ptr %q\n br label %join
                  join:\n br label %tail";
    let sum = "%f = load float, ptr %r\n %y = fadd float %s, %f\n br label %tail";
    let sum = text("%n", sum, "%y").replace("%s = phi i32 [ 5,", "%s = phi float [ 0.5,");
    let sum =
        sum.replace("%t = call i32 @sum(i32 %y)", "%z = fptosi float %y to i32\n %t = call i32 @sum(i32 %z)");
    let plain = |round: &str| text("%n", &format!("{round}{ON}"), "%i");
    let wide = "%y = sext i32 %u to i64\n %z = call i64 @sysyc.smulhi.i64(i64 %y, i64 281539416031232)\n %v = trunc i64 %z to i32\n store i32 %v, ptr %q";
    let rest = "%y = sext i32 %u to i64\n %z = mul i64 %y, 2635249153617166336\n \
        %w = call i64 @sysyc.umulhi.i64(i64 %z, i64 7)\n %v = trunc i64 %w to i32\n store i32 %v, ptr %q";
    let other = rest.replace("i64 7)", "i64 9)");
    for (text, wanted) in [
        (text("%n", masked, "%i"), "llvm.masked.store.v16i32"),
        (sum, "llvm.vector.reduce.fadd.v16f32"),
        (
            plain("%b = sub i32 63, %i\n %w = getelementptr i32, ptr @b, i32 %b\n store i32 %u, ptr %w"),
            "strided.store",
        ),
        (plain("%y = sdiv i32 %u, %n\n store i32 %y, ptr %q"), "sdiv <16 x i32>"),
        (plain(wide), "ashr <16 x i32>"),
        (plain(rest), "mul <16 x i32>"),
    ] {
        let main = made_for(more(), &text).unwrap_or_else(|| panic!("no vectors\n{text}"));
        assert!(main.contains(wanted), "{wanted}\n{main}");
        if !text.contains("sdiv") {
            fires_for(more(), &text);
        }
    }
    // A fraction of sevenths times nine is no remainder.
    assert_eq!(made_for(more(), &plain(&other)), None);
    // What is stored on one side may be what is loaded for all rounds.
    let one = masked.replace("%d = mul i32 %u, 5", "%e = load i32, ptr %z0\n %d = mul i32 %u, %e");
    let one = one.replace(
        "%g = icmp",
        "%z0 = getelementptr i32, ptr @b, i32 %n\n %e0 = load i32, ptr %z0\n %g = icmp",
    );
    assert_eq!(made_for(more(), &text("%n", &one, "%i")), None);
}

#[test]
fn lanes_are_by_rounds() {
    let lanes = |rounds| lanes_for(more().vectors, rounds);
    assert_eq!(
        [None, Some(64), Some(40), Some(8), Some(20), Some(7)].map(lanes),
        [Some(16), Some(16), Some(8), Some(8), Some(4), None]
    );
}

#[test]
fn a_machine_without_vectors_gets_none() {
    let text = text("%n", &format!("store i32 %u, ptr %q{ON}"), "%i");
    let mut module = parse(&text).unwrap();
    let before = print::module(&module);
    assert!(!apply_for(TargetFacts { word: 64, ..TargetFacts::default() }, &[&LOOP_VECTORIZE], &mut module));
    assert_eq!(print::module(&module), before);
}
