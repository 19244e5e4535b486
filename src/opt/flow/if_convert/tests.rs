//! Which branches become selects, and which stay.

use super::*;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::run::testing::{apply_for, leaves_alone, run};

fn target() -> TargetFacts {
    TargetFacts {
        word: 64,
        chooses: true,
        chooses_next: true,
        branch_on_zero: true,
        ..TargetFacts::default()
    }
}

/// `f` of three numbers and what calls it with all signs and orders, by its blocks behind the first one, whose end is given.
fn program(end: &str, blocks: &str) -> String {
    let mut text = format!("define i32 @f(i32 %x, i32 %y, i32 %z) {{\nentry:\n{end}\n{blocks}\n}}\n");
    text.push_str("define i32 @main() {\n%s0 = add i32 0, 7\n");
    let numbers = [-9, -1, 0, 1, 5];
    let mut k = 0;
    for x in numbers {
        for y in numbers {
            for z in [-1, 0, 2] {
                let next = k + 1;
                text.push_str(&format!(
                    "%c{next} = call i32 @f(i32 {x}, i32 {y}, i32 {z})\n%m{next} = mul i32 %s{k}, 31\n%s{next} = add i32 %m{next}, %c{next}\n"
                ));
                k = next;
            }
        }
    }
    text.push_str(&format!("ret i32 %s{k}\n}}\n"));
    text
}

/// How many choices and branches `f` has behind the pass, which leaves what the program does, and has nothing more to do.
fn counts(text: &str) -> (usize, usize) {
    let original = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut module = original.clone();
    apply_for(target(), &[&IF_CONVERT], &mut module);
    let have = print::module(&module);
    assert_eq!(run(&module, ""), run(&original, ""), "{have}");
    assert!(!apply_for(target(), &[&IF_CONVERT], &mut module), "{have}");
    (have.matches(" select ").count(), have.matches("br i1").count())
}

const MEET: &str = "yes:\n{yes}\nbr label %meet\nno:\n{no}\nbr label %meet\nmeet:\n%r = phi i32 [ {a}, %yes ], [ {b}, %no ]\nret i32 %r";

/// `x < y ? yes : no`, as blocks.
fn diamond([yes, a]: [&str; 2], [no, b]: [&str; 2]) -> String {
    let blocks = MEET.replace("{yes}", yes).replace("{no}", no).replace("{a}", a).replace("{b}", b);
    program("%d = sub i32 %x, %z\n%c = icmp slt i32 %x, %y\nbr i1 %c, label %yes, label %no", &blocks)
}

#[test]
fn arms_of_a_cheap_instruction_are_choices() {
    for (yes, no) in [
        (["", "%x"], ["", "%z"]),
        (["", "%x"], ["%n = add i32 %y, %z", "%n"]),
        (["%m = sub i32 %x, %z", "%m"], ["%n = add i32 %y, %z", "%n"]),
        (["%m = shl i32 %x, 3", "%m"], ["", "-1"]),
        (["%m = add nsw i32 %x, 1", "%m"], ["", "%x"]),
        (["", "%d"], ["%n = sub i32 %z, %x", "%n"]),
        (["%n = sub i32 %z, %x", "%n"], ["", "%d"]),
        (["%n = sub i32 %z, %x", "%n"], ["%m = sub i32 %x, %z", "%m"]),
    ] {
        assert_eq!(counts(&diamond(yes, no)), (1, 0), "{yes:?} {no:?}");
    }
}

#[test]
fn products_are_speculated_where_mispredicted_branches_cost_more() {
    let product = "%k = mul i32 %x, %z\n%l = lshr i32 %k, 3\n%n = mul i32 %l, 7\n%m = sub i32 %k, %n";
    let other = "%o = mul i32 %y, %z";
    for (mispredict, no, selects) in [(0, ["", "%x"], 0), (9, ["", "%x"], 1), (9, [other, "%o"], 0)] {
        let target = TargetFacts { mispredict, ..target() };
        let text = diamond([product, "%m"], no);
        let original = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = original.clone();
        apply_for(target, &[&IF_CONVERT], &mut module);
        let have = print::module(&module);
        assert_eq!(have.matches(" select ").count(), selects, "{mispredict} {no:?} {have}");
        assert_eq!(run(&module, ""), run(&original, ""), "{have}");
    }
}

#[test]
fn what_is_not_cheap_or_may_not_be_executed_stays() {
    for (yes, no) in [
        (["%m = mul i32 %x, %z", "%m"], ["", "%x"]),
        (["%m = sdiv i32 %x, %z", "%m"], ["", "%x"]),
        (["%m = call i32 @f(i32 9, i32 2, i32 %z)", "%m"], ["", "%x"]),
        (
            ["%k = add i32 %x, %z\n%l = xor i32 %k, %y\n%m = sub i32 %k, %l", "%m"],
            ["%n = sub i32 %x, %z\n%o = xor i32 %n, 9", "%o"],
        ),
    ] {
        let text = diamond(yes, no)
            .replace("define i32 @main() {", "define i32 @main() {\nret i32 0\n}\ndefine i32 @other() {");
        let mut module = parse(&text).unwrap();
        assert!(!apply_for(target(), &[&IF_CONVERT], &mut module), "{yes:?} {no:?}");
    }
    leaves_alone(&IF_CONVERT, &diamond(["", "%x"], ["", "%z"]));
}

#[test]
fn what_a_profile_foresees_stays_if_a_choice_takes_more() {
    let odds = |yes: &str| {
        diamond([yes, "%m"], ["", "%x"]).replace("label %yes, label %no", "label %yes, label %no, !prof !0")
            + "!0 = !{!\"branch_weights\", i32 1, i32 1000}\n"
    };
    assert_eq!(counts(&odds("%m = sub i32 %y, %z")), (0, 1));
    assert_eq!(counts(&odds("%m = add i32 %y, 1")), (1, 0));
}

#[test]
fn a_choice_within_another_is_one_first() {
    let blocks = "
      other:
        %d = icmp sgt i32 %x, %z
        br i1 %d, label %high, label %meet
      high:
        br label %meet
      meet:
        %r = phi i32 [ %y, %entry ], [ %x, %other ], [ %z, %high ]
        ret i32 %r";
    assert_eq!(
        counts(&program("%c = icmp slt i32 %x, %y\nbr i1 %c, label %meet, label %other", blocks)),
        (2, 0)
    );
}

#[test]
fn two_questions_with_a_way_in_common_are_asked_at_once() {
    // Both ways of the first branch, and both of the second, lead to `then`.
    for (first, second) in [
        ("label %other, label %then", "label %else, label %then"),
        ("label %other, label %then", "label %then, label %else"),
        ("label %then, label %other", "label %then, label %else"),
        ("label %then, label %other", "label %else, label %then"),
    ] {
        let blocks = format!(
            "other:\n%o = and i32 %x, 1\n%d = icmp eq i32 %o, %z\nbr i1 %d, {second}
             then:\n%t = add i32 %x, %z\nbr label %meet
             else:\n%e = sub i32 %y, %z\nbr label %meet
             meet:\n%r = phi i32 [ %t, %then ], [ %e, %else ]\nret i32 %r"
        );
        assert_eq!(
            counts(&program(&format!("%c = icmp slt i32 %x, %y\nbr i1 %c, {first}"), &blocks)),
            (1, 0),
            "{first}; {second}"
        );
    }
}

#[test]
fn questions_that_lead_to_no_choice_are_asked_one_by_one() {
    let blocks = "other:\n%d = icmp eq i32 %x, %z\nbr i1 %d, label %else, label %then
         then:\n%t = sdiv i32 %x, 7\nbr label %meet
         else:\nbr label %meet
         meet:\n%r = phi i32 [ %t, %then ], [ %y, %else ]\nret i32 %r";
    let text = program("%c = icmp slt i32 %x, %y\nbr i1 %c, label %other, label %then", blocks);
    assert_eq!(counts(&text), (0, 2));
}

#[test]
fn two_values_are_chosen_by_equal_comparisons_and_three_are_not() {
    let blocks = |third: &str, sum: &str| {
        format!(
            "yes:\nbr label %meet
             meet:\n%r = phi i32 [ %x, %yes ], [ %z, %entry ]\n%q = phi i32 [ %y, %yes ], [ %x, %entry ]\n{third}
             %m = mul i32 %q, 3\n%s = add i32 %m, {sum}\nret i32 %s"
        )
    };
    let end = "%c = icmp slt i32 %x, %y\nbr i1 %c, label %yes, label %meet";
    assert_eq!(counts(&program(end, &blocks("", "%r"))), (2, 0));
    assert_eq!(
        counts(&program(
            end,
            &blocks("%p = phi i32 [ %z, %yes ], [ %y, %entry ]\n%u = add i32 %p, %r", "%u")
        )),
        (0, 1)
    );
}

#[test]
fn choices_in_a_row_are_one_block() {
    let mut blocks = String::new();
    let count = 100;
    for k in 0..count {
        let before = if k == 0 { "%x".to_string() } else { format!("%r{}", k - 1) };
        blocks.push_str(&format!(
            "h{k}:\n%c{k} = icmp slt i32 {before}, %y\n%a{k} = add i32 {before}, {}\nbr i1 %c{k}, label %y{k}, label %m{k}
             y{k}:\nbr label %m{k}\nm{k}:\n%r{k} = phi i32 [ %a{k}, %y{k} ], [ %z, %h{k} ]\nbr label %h{}\n",
            k + 2,
            k + 1
        ));
    }
    blocks.push_str(&format!("h{count}:\nret i32 %r{}", count - 1));
    let text = program("br label %h0", &blocks);
    assert_eq!(counts(&text), (count, 0));
    let mut module = parse(&text).unwrap();
    apply_for(target(), &[&IF_CONVERT], &mut module);
    // The entry had been a block of its own.
    assert_eq!(module.nth(0).placed_blocks(), 2);
}
