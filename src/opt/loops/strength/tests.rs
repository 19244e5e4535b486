//! Which addresses are reduced, and which may not be.

use super::*;
use crate::analysis::TargetFacts;
use crate::ir::parse::{ANY, Platform, parse, parse_for};
use crate::ir::print;
use crate::opt::run::testing::{apply_for, leaves_alone};

/// A loop of `i` from 0 with this round.
fn text(round: &str) -> String {
    format!(
        "@a = internal global [9 x [9 x i32]] zeroinitializer
         @b = internal global [9 x float] zeroinitializer
         declare void @putint(i32) memory(inaccessiblemem: readwrite)
         define i32 @f(i32 %n, i32 %x, i1 %d) {{
         entry:
           br label %head
         head:
           %i = phi i32 [ 0, %entry ], [ %j, %latch ]
           {round}
           br label %latch
         latch:
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %head, label %exit
         exit:
           ret i32 0
         }}"
    )
}

fn reduced(target: TargetFacts, round: &str) -> String {
    let mut module = parse(&text(round)).unwrap();
    assert!(apply_for(target, &[&STRENGTH], &mut module), "nothing changed");
    print::module(&module)
}

#[test]
fn neighbours_share_a_pointer_and_the_test_compares_it() {
    let have = reduced(
        TargetFacts { word: 64, ..TargetFacts::default() },
        "%k = sub i32 %i, 1
         %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 %x, i32 %i
         %q = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 %x, i32 %k
         %v = load i32, ptr %p
         store i32 %v, ptr %q",
    );
    assert_eq!(have.matches("phi ptr").count(), 1, "{have}");
    assert!(!have.contains("sub i32") && have.contains("icmp slt ptr"), "{have}");
    assert!(have.contains("i32 -1\n") && have.contains("mul i64"), "{have}");
}

#[test]
fn rows_in_reach_share_a_pointer() {
    let text = text(
        "%p = getelementptr [9 x [300 x i32]], ptr @a, i32 0, i32 %x, i32 %i
         %q = getelementptr [9 x [300 x i32]], ptr @a, i32 0, i32 %y, i32 %i
         %v = load i32, ptr %p
         store i32 %v, ptr %q",
    );
    let text = text.replace("entry:", "entry:\n %y = add i32 %x, 1");
    for (offsets_int, pointers) in [([-2048, 2047], 1), ([0, 0], 2)] {
        let mut module = parse(&text).unwrap();
        let target = TargetFacts { word: 64, offsets_int, ..TargetFacts::default() };
        assert!(apply_for(target, &[&STRENGTH], &mut module), "nothing changed");
        let have = print::module(&module);
        assert_eq!(have.matches("phi ptr").count(), pointers, "{have}");
    }
}

#[test]
fn a_subscript_that_costs_nothing_stays() {
    let target = TargetFacts { scaled_int: true, ..TargetFacts::default() };
    let round = "%p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 %x, i32 %i
                 %v = load i32, ptr %p
                 call void @putint(i32 %v)
                 %q = getelementptr [9 x float], ptr @b, i32 0, i32 %i
                 %w = load float, ptr %q
                 %y = fptosi float %w to i32
                 call void @putint(i32 %y)";
    let have = reduced(target, round);
    let (front, round) = have.split_once("b1:").unwrap();
    assert!(
        front.contains("i32 %p1, i32 0") && round.contains("getelementptr inbounds i32, ptr %v"),
        "{have}"
    );
    assert_eq!(have.matches("phi ptr").count(), 1, "{have}");
}

#[test]
fn rows_that_a_loop_around_counts_share_a_pointer() {
    // Rows i and i + 1 of 55 numbers each; of a row that is read, nothing is known.
    let text = |next: &str| {
        format!(
            "@a = internal global [3025 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %n, i32 %other) {{
             entry:
               br label %outer
             outer:
               %i = phi i32 [ 0, %entry ], [ %j, %latch ]
               %j = add i32 %i, 1
               %x = mul i32 %i, 55
               %y = mul i32 {next}, 55
               br label %inner
             inner:
               %k = phi i32 [ 0, %outer ], [ %l, %inner ]
               %xk = add i32 %x, %k
               %yk = add i32 %y, %k
               %p = getelementptr inbounds i32, ptr @a, i32 %xk
               %q = getelementptr inbounds i32, ptr @a, i32 %yk
               %v = load i32, ptr %p
               store i32 %v, ptr %q
               %l = add i32 %k, 1
               %c = icmp slt i32 %l, 55
               br i1 %c, label %inner, label %latch
             latch:
               %d = icmp slt i32 %j, %n
               br i1 %d, label %outer, label %exit
             exit:
               ret i32 0
             }}"
        )
    };
    // One in the loop around, where the first of them begins.
    for (next, pointers) in [("%j", 2), ("%other", 3)] {
        let mut module = parse(&text(next)).unwrap();
        let target = TargetFacts { word: 64, offsets_int: [-2048, 2047], ..TargetFacts::default() };
        assert!(apply_for(target, &[&STRENGTH], &mut module), "nothing changed");
        let have = print::module(&module);
        assert_eq!(have.matches("phi ptr").count(), pointers, "{have}");
    }
}

#[test]
fn what_some_rounds_access_and_what_a_variable_is_only_for_have_pointers() {
    let target = TargetFacts { scaled_int: true, ..TargetFacts::default() };
    let access = "%p = getelementptr inbounds i32, ptr @a, i32 %i
                  store i32 1, ptr %p\n";
    let sometimes = format!("br i1 %d, label %one, label %two\none:\n{access}br label %two\ntwo:\n");
    let asked = format!("call void @putint(i32 %i)\n{sometimes}");
    for (round, pointers) in [(access, 0), (sometimes.as_str(), 1), (asked.as_str(), 0)] {
        let mut module = parse(&text(round)).unwrap();
        apply_for(target, &[&STRENGTH], &mut module);
        let have = print::module(&module);
        assert_eq!(have.matches("phi ptr").count(), pointers, "{have}");
    }
    // One that goes down beside the one that is tested.
    for (other, pointers) in [("", 1), ("call void @putint(i32 %m)", 0)] {
        let round = format!(
            "%m = phi i32 [ 8, %entry ], [ %o, %latch ]
             %p = getelementptr inbounds i32, ptr @a, i32 %m
             store i32 1, ptr %p
             call void @putint(i32 %i)
             {other}"
        );
        let text = text(&round).replace("latch:", "latch:\n %o = add i32 %m, -1");
        let mut module = parse(&text).unwrap();
        apply_for(target, &[&STRENGTH], &mut module);
        let have = print::module(&module);
        assert_eq!(have.matches("phi ptr").count(), pointers, "{have}");
    }
}

#[test]
fn a_subscript_of_pointers_is_as_wide_as_these() {
    let target = TargetFacts { scaled_int: true, ..TargetFacts::default() };
    for (step, pointer_bytes, alone) in [("ptr", 4, true), ("[8 x i8]", 4, false), ("[8 x i8]", 8, true)] {
        let round = format!(
            "%p = getelementptr inbounds {step}, ptr @a, i32 %i
             %v = load ptr, ptr %p
             %w = load i32, ptr %v
             call void @putint(i32 %w)"
        );
        let platform = Platform { pointer_bytes, ..ANY };
        let mut module = parse_for(&text(&round), &platform).unwrap();
        apply_for(target, &[&STRENGTH], &mut module);
        let have = print::module(&module);
        assert_eq!(have.contains("getelementptr inbounds ptr, ptr"), alone, "{pointer_bytes} {have}");
    }
}

#[test]
fn what_no_round_accesses_for_certain_may_begin_outside_of_its_object() {
    let address = "%m = add i32 %i, %x
                   %p = getelementptr inbounds i32, ptr @b, i32 %m\n";
    let access = "%v = load i32, ptr %p\ncall void @putint(i32 %v)";
    let sometimes = "%e = icmp slt i32 %m, 9\nbr i1 %e, label %one, label %two\none:\n";
    for (text, is_inside) in [
        (format!("{address}{access}"), true),
        (format!("{address}{sometimes}{access}\nbr label %two\ntwo:\n"), false),
    ] {
        let have = reduced(TargetFacts { word: 64, ..TargetFacts::default() }, &text);
        let front = have.split_once("b1:").unwrap().0;
        assert_eq!(front.contains("getelementptr inbounds i32, ptr @b"), is_inside, "{have}");
        assert!(front.contains("i32, ptr @b") && have.contains("phi ptr"), "{have}");
    }
}

#[test]
fn a_vector_moves_by_a_pointer() {
    let target = TargetFacts { scaled_int: true, ..TargetFacts::default() };
    let round = "%k = mul i32 %i, 4
                 %p = getelementptr [9 x i32], ptr @a, i32 0, i32 %k
                 %v = load <4 x i32>, ptr %p, align 4
                 %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
                 call void @putint(i32 %s)";
    let have = reduced(target, round);
    assert!(have.contains("getelementptr i32, ptr %") && have.contains("phi ptr"), "{have}");
}

#[test]
fn what_moves_by_no_constant_or_may_wrap_around_stays() {
    let conditional = |step: &str| {
        format!(
            "%s = add i32 {step}, %x
             br i1 %d, label %then, label %latch
         then:
           %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %s
           store i32 0, ptr %p"
        )
    };
    assert!(reduced(TargetFacts::default(), &conditional("%i")).contains("phi ptr"));
    let open = text(&conditional("%i")).replace("icmp slt i32 %j, %n", "icmp ne i32 %j, %n");
    leaves_alone(&STRENGTH, &open);
    let product = "%s = mul i32 %i, %x
           br i1 %d, label %then, label %latch
         then:
           %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %s
           store i32 0, ptr %p";
    leaves_alone(&STRENGTH, &text(product));
    let invariant = "%p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %x
           store i32 %i, ptr %p";
    leaves_alone(&STRENGTH, &text(invariant));
    // What moves far enough may come back into the array, but not if each round takes an element.
    let multiple =
        |by: &str| conditional("%t").replace("%s = add", &format!("%t = mul i32 %i, {by}\n%s = add"));
    leaves_alone(&STRENGTH, &text(&multiple("2")));
    let each = multiple("2").replace("br i1 %d, label %then, label %latch\n", "br label %then\n");
    assert!(reduced(TargetFacts::default(), &each).contains("phi ptr"));
    let bound = text(&multiple("2")).replace("slt i32 %j, %n", "slt i32 %j, 1000");
    assert!(apply_for(TargetFacts::default(), &[&STRENGTH], &mut parse(&bound).unwrap()));
    // An address alone is no access.
    let early = "%s = mul i32 %i, 2
         %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %s
         br i1 %d, label %then, label %latch
       then:
         store i32 0, ptr %p";
    leaves_alone(&STRENGTH, &text(early));
}

#[test]
fn what_goes_up_by_a_product_has_a_pointer_that_does() {
    let have = reduced(
        TargetFacts::default(),
        "%s = mul i32 %i, %x
         %t = add i32 %s, %n
         %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %t
         %u = add i32 %t, 1
         %q = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %u
         %v = load i32, ptr %p
         store i32 %v, ptr %q",
    );
    let head = have.split("b1:").nth(1).unwrap_or_default();
    assert!(have.contains("mul i32 %p1, 4") && !head.contains("mul"), "{have}");
    assert!(have.contains("phi ptr") && have.contains("getelementptr i8, ptr"), "{have}");
    // The square of the round goes up by more and more, and what is loaded by anything.
    for step in ["mul i32 %i, %i", "mul i32 %w, %i"] {
        leaves_alone(
            &STRENGTH,
            &text(&format!(
                "%w = load i32, ptr @b
                 %s = {step}
                 %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %s
                 store i32 0, ptr %p"
            )),
        );
    }
}

/// A loop that goes down by %x, and is left early (Shell's sort).
const GAPS: &str = "%g = phi i32 [ %n, %entry ], [ %h, %latch ]
     %h = sub i32 %g, %x
     %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %h
     %v = load i32, ptr %p
     %e = icmp sgt i32 %v, %n
     br i1 %e, label %more, label %exit
     more:
     %q = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %g
     store i32 %v, ptr %q";

#[test]
fn what_goes_down_by_a_value_has_a_pointer_where_subscripts_cost_something() {
    let have = reduced(TargetFacts::default(), GAPS);
    assert_eq!(have.matches("phi ptr").count(), 2, "{have}");
    let body = have.split("b1:").nth(1).unwrap_or_default();
    assert!(!body.contains("getelementptr inbounds"), "{have}");
    // Where a subscript is part of the access, a pointer is an instruction more.
    let mut module = parse(&text(GAPS)).unwrap();
    apply_for(TargetFacts { scaled_int: true, ..TargetFacts::default() }, &[&STRENGTH], &mut module);
    assert!(!print::module(&module).contains("phi ptr"));
}

#[test]
fn a_variable_that_may_wrap_around_is_not_compared_as_a_pointer() {
    let round = "%p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %i
         store i32 0, ptr %p";
    let target = TargetFacts { word: 64, ..TargetFacts::default() };
    let compares = |test: &str, from: &str| {
        let text = text(round)
            .replace("slt i32 %j, %n", test)
            .replace("[ 0, %entry ]", &format!("[ {from}, %entry ]"));
        let mut module = parse(&text).unwrap();
        assert!(apply_for(target, &[&STRENGTH], &mut module), "{text}");
        print::module(&module).contains(" ptr %v")
            && print::module(&module).lines().any(|line| line.contains("icmp") && line.contains("ptr"))
    };
    assert!(compares("slt i32 %j, %n", "0") && compares("sle i32 %j, %n", "%x"));
    assert!(compares("ne i32 %j, 9", "0") && !compares("ne i32 %j, 9", "%x"));
    assert!(!compares("sgt i32 %j, 0", "2147483640") && !compares("ne i32 %j, %n", "0"));
}

#[test]
fn pointers_begin_where_subscripts_do_and_go_down_where_these_do() {
    let round = "%k = sub i32 8, %i
         %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %k
         store i32 0, ptr %p";
    let apply = |word: u32, text: &str| {
        let mut module = parse(text).unwrap();
        let changed = apply_for(TargetFacts { word, ..TargetFacts::default() }, &[&STRENGTH], &mut module);
        (changed, print::module(&module))
    };
    let have = apply(64, &text(round)).1;
    assert!(have.contains("icmp sgt ptr"), "{have}");
    let up = round.replace("%k = sub i32 8, %i\n", "").replace("i32 %k", "i32 %i");
    let have = apply(64, &text(&up).replace("[ 0, %entry ]", "[ %x, %entry ]")).1;
    assert!(have.contains("i32 0, i32 0, i32 %p1"), "{have}");
    // On 32 bits the end has to lie ahead.
    let compares =
        |text: &str| apply(32, text).1.lines().any(|line| line.contains("icmp") && line.contains("ptr"));
    let from =
        |first: &str| text(&up).replace("[ 0, %entry ]", first).replace("slt i32 %j, %n", "slt i32 %j, 7");
    assert!(compares(&from("[ 0, %entry ]")) && !compares(&from("[ 8, %entry ]")));
    // A step over the bound may wrap around.
    let some = "br i1 %d, label %then, label %latch
       then:
         %p = getelementptr [9 x [9 x i32]], ptr @a, i32 0, i32 0, i32 %i
         store i32 0, ptr %p";
    let far = text(some).replace("add i32 %i, 1", "add i32 %i, 4");
    assert!(apply(64, &far.replace("slt i32 %j, %n", "slt i32 %j, 2147483640")).0);
    assert!(!apply(64, &far.replace("slt i32 %j, %n", "slt i32 %j, 2147483646")).0);
}
