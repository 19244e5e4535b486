//! Chains of each kind, and what is none.

use super::chain::first_of_each;
use super::*;
use crate::ir::parse::parse;
use crate::ir::{Flags, Module, print};
use crate::opt::run::testing::{apply, leaves_alone, run, run_checked};
use std::fmt::Write;

const HEAD: &str = "declare i32 @getint() memory(inaccessiblemem: readwrite)
    declare void @putint(i32) memory(inaccessiblemem: readwrite)\n";

/// `main`, which does what `questions` ask of 40 numbers around zero, one after the other, and prints what they choose in `r`;
/// each question is a number, or a condition on `x`, with what is chosen.
fn chain_of(questions: &[(&str, &str)], other: &str) -> String {
    let mut text = format!(
        "{HEAD}define i32 @main() {{
         b:
           br label %next
         next:
           %x = phi i32 [ -9, %b ], [ %y, %end ]
           br label %q0\n"
    );
    let mut phis = Vec::new();
    for (k, (asks, chooses)) in questions.iter().enumerate() {
        let _ = writeln!(
            text,
            "q{k}:\n {}\n br i1 %c{k}, label %a{k}, label %q{}",
            asks.replace("%c", &format!("%c{k}")).replace("%d", &format!("%d{k}")),
            k + 1
        );
        match chooses.strip_prefix("put ") {
            Some(x) => {
                let _ = writeln!(text, "a{k}:\n call void @putint(i32 {x})\n br label %end");
                phis.push(format!("[ {k}, %a{k} ]"));
            }
            None => {
                let _ = writeln!(text, "a{k}:\n br label %end");
                phis.push(format!("[ {chooses}, %a{k} ]"));
            }
        }
    }
    phis.push(format!("[ {other}, %q{} ]", questions.len()));
    let _ = writeln!(
        text,
        "q{}:\n br label %end
         end:
           %r = phi i32 {}
           call void @putint(i32 %r)
           %y = add i32 %x, 1
           %z = icmp slt i32 %y, 40
           br i1 %z, label %next, label %out
         out:
           ret i32 0
         }}",
        questions.len(),
        phis.join(", ")
    );
    text
}

/// What the pass makes of a chain; it prints what it did.
#[track_caller]
fn becomes(text: &str) -> (Module, String) {
    let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let want = run(&module, "").unwrap();
    assert!(apply(&IF_TO_SWITCH, &mut module), "nothing changed\n{text}");
    let have = print::module(&module);
    assert_eq!(run(&module, "").unwrap(), want, "{have}");
    assert_eq!(run_checked(&module, "").unwrap(), want, "{have}");
    (module, have)
}

fn equal(x: i32) -> String {
    format!("%c = icmp eq i32 %x, {x}")
}

fn questions_for(numbers: &[i32], chooses: impl Fn(usize) -> String) -> Vec<(String, String)> {
    numbers.iter().enumerate().map(|(k, &x)| (equal(x), chooses(k))).collect()
}

fn text_of(questions: &[(String, String)], other: &str) -> String {
    let questions: Vec<(&str, &str)> = questions.iter().map(|(a, b)| (&a[..], &b[..])).collect();
    chain_of(&questions, other)
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn numbers_side_by_side_are_a_table_of_jumps() {
    let puts = |k: usize| format!("put {}", k * k);
    let (_, text) = becomes(&text_of(&questions_for(&[3, 4, 5, 7, 8, 10], puts), "77"));
    assert_eq!((count(&text, "switch i32"), count(&text, "icmp eq")), (1, 0), "{text}");
    // A number that is asked for again goes where the first question led.
    let (_, text) = becomes(&text_of(&questions_for(&[3, 4, 5, 4, 7, 3, 8, 10], puts), "77"));
    assert_eq!((count(&text, "switch i32"), count(&text, "icmp eq")), (1, 0), "{text}");
}

#[test]
fn numbers_far_apart_are_a_tree() {
    let numbers = [1, 13, 27, 31, 39, -8, 500, 7000];
    let (_, text) = becomes(&text_of(&questions_for(&numbers, |k| format!("put {k}")), "77"));
    assert!(count(&text, "switch") == 0 && count(&text, "icmp slt i32 %v0") >= 2, "{text}");
    assert_eq!(count(&text, "icmp eq"), numbers.len(), "{text}");
}

#[test]
fn one_of_several_numbers_is_a_bit() {
    for (numbers, asks) in [(&[1, 5, 9, 11][..], 2), (&[-3, 0, 4, 28], 2), (&[1, 5, 9, 300], 3)] {
        let (_, text) = becomes(&text_of(&questions_for(numbers, |_| "5".to_string()), "4"));
        let asked = count(&text, "icmp") - 1;
        assert!(asked <= asks && count(&text, " shl i32") == 1, "{numbers:?}: {asked}\n{text}");
    }
    // Side by side they are a range, with or without bits.
    let (_, text) = becomes(&text_of(&questions_for(&[4, 5, 6], |_| "5".to_string()), "4"));
    assert_eq!((count(&text, "icmp") - 1, count(&text, " shl i32")), (1, 0), "{text}");
}

#[test]
fn numbers_that_are_chosen_come_from_a_table_or_are_computed() {
    let squares = |k: usize| (k * k).to_string();
    let (module, text) = becomes(&text_of(&questions_for(&[2, 3, 4, 5, 6], squares), "-1"));
    assert_eq!((count(&text, "load i32"), count(&text, "icmp")), (1, 2), "{text}");
    let (_, table) = module.env.globals.iter().next_back().unwrap();
    assert!(table.constant && (0..5).all(|k| table.image.get(k) == k * k));
    // What is not asked for between them is an entry like others.
    let (module, _) = becomes(&text_of(&questions_for(&[2, 4, 6, 7], squares), "-1"));
    let (_, table) = module.env.globals.iter().next_back().unwrap();
    assert_eq!((0..6).map(|k| table.image.get(k) as i32).collect::<Vec<_>>(), [0, -1, 1, -1, 4, 9]);
    for by in [3, 4, -5] {
        let rises = |k: usize| (by * k as i32 + 100).to_string();
        let (_, text) = becomes(&text_of(&questions_for(&[-2, -1, 0, 1], rises), "-1"));
        assert_eq!((count(&text, "load"), count(&text, "icmp")), (0, 2), "{text}");
    }
}

#[test]
fn ranges_of_all_kinds_are_parts_of_a_choice() {
    let questions = [
        ("%c = icmp slt i32 %x, -4", "put 1"),
        ("%d = add i32 %x, -3\n %c = icmp ult i32 %d, 5", "put 2"),
        ("%c = icmp eq i32 %x, 20", "put 3"),
        ("%d = sub i32 %x, 10\n %c = icmp ule i32 %d, 2", "put 4"),
        ("%c = icmp ugt i32 %x, 38", "put 5"),
        ("%c = icmp sge i32 %x, 30", "put 6"),
        ("%c = icmp eq i32 %x, 21", "put 7"),
    ];
    becomes(&chain_of(&questions, "5"));
    // The other way out goes on.
    let turned: Vec<(&str, &str)> = questions.iter().rev().copied().collect();
    becomes(&chain_of(&turned, "5"));
}

#[test]
fn few_questions_and_questions_about_something_else_stay() {
    let puts = |numbers: &[i32]| text_of(&questions_for(numbers, |k| format!("put {k}")), "7");
    leaves_alone(&IF_TO_SWITCH, &puts(&[1, 2]));
    leaves_alone(&IF_TO_SWITCH, &puts(&[1, 200, 3000, 40000, 500_000]));
    // What is likely is asked first.
    let weighed = puts(&[1, 2, 3, 4, 5, 6]).replace(
        "label %a0, label %q1",
        "label %a0, label %q1, !prof !{!\"branch_weights\", i32 2000, i32 1}",
    );
    let mut module = parse(&weighed).unwrap();
    apply(&IF_TO_SWITCH, &mut module);
    assert!(print::module(&module).contains("icmp eq i32 %v0, 1"));
    // What is printed between two questions, and another way to one.
    let text = puts(&[1, 2, 3, 4, 5, 6]);
    for at in ["q2:", "q4:"] {
        let split = text.replace(at, &format!("{at}\n call void @putint(i32 1)"));
        let mut module = parse(&split).unwrap();
        let want = run(&module, "");
        apply(&IF_TO_SWITCH, &mut module);
        assert_eq!(run(&module, ""), want);
    }
    let entered = text.replace("a5:\n call void @putint(i32 5)\n br label %end", "a5:\n br label %q3");
    let entered = entered.replace("[ 5, %a5 ], ", "");
    let mut module = parse(&entered.replace("label %a5, label %q6", "label %q6, label %q6")).unwrap();
    assert!(!apply(&IF_TO_SWITCH, &mut module), "{}", print::module(&module));
}

#[test]
fn the_first_range_that_has_a_number_counts() {
    let mut state = 7u64;
    let mut draw = |n: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % n
    };
    for _ in 0..200 {
        let ranges: Vec<(i64, i64, usize)> = (0..draw(7) as usize)
            .map(|_| (draw(20), draw(3) as usize))
            .map(|(low, says)| (low, low + (low * 7) % 5, says))
            .collect();
        let found = first_of_each(&ranges);
        assert!(found.windows(2).all(|two| two[0].1 < two[1].0), "{found:?}");
        for x in -2..30 {
            let of = |ranges: &[(i64, i64, usize)]| {
                ranges.iter().find(|(low, high, _)| (*low..=*high).contains(&x)).map(|range| range.2)
            };
            assert_eq!(of(&found), of(&ranges), "{x} of {ranges:?}");
        }
    }
    let ends = [(i64::MIN, -1, 0), (i64::MIN, i64::MAX, 1)];
    assert_eq!(first_of_each(&ends), [(i64::MIN, -1, 0), (0, i64::MAX, 1)]);
}

/// A chain of so many numbers, each with what it prints, where question `k` was answered by yes and by no so often.
fn counted(numbers: &[i32], odds: impl Fn(usize) -> [u64; 2]) -> String {
    let text = text_of(&questions_for(numbers, |k| format!("put {k}")), "77");
    let mut module = parse(&text).unwrap();
    let want = run(&module, "").unwrap();
    let f = module.nth_mut(0);
    let blocks: Vec<Block> = f.blocks().collect();
    // Behind `b` and `next`, a question and what it leads to take turns.
    for k in 0..numbers.len() {
        let end = f.terminator(blocks[2 + 2 * k]).unwrap();
        let [yes, no] = odds(k);
        f.set_flags(end, Flags::odds(yes, no));
    }
    apply(&IF_TO_SWITCH, &mut module);
    let have = print::module(&module);
    assert_eq!(run(&module, "").unwrap(), want, "{have}");
    have
}

#[test]
fn a_profile_says_what_is_asked_first() {
    let numbers = [3, 4, 5, 7, 8, 10, 11, 12];
    // All as often: a table. The first one nearly always: the chain asks that, and stays.
    let left = |k: usize| 1000 * (numbers.len() - k) as u64;
    let even = counted(&numbers, |k| [1000, left(k)]);
    assert_eq!((count(&even, "switch i32"), count(&even, "icmp eq")), (1, 0), "{even}");
    let first = counted(&numbers, |_| [1000, 10]);
    assert_eq!((count(&first, "switch i32"), count(&first, "icmp eq")), (0, numbers.len()), "{first}");
    // The last one nearly always: that is asked for in front of the table.
    let last = counted(&numbers, |k| if k == 7 { [9000, 10] } else { [10, 9000] });
    assert_eq!((count(&last, "switch i32"), count(&last, "icmp eq")), (1, 1), "{last}");
    assert!(last.contains("icmp eq i32 %v0, 12"), "{last}");
    // Far apart, what a tree asks in the middle counts, too.
    let far = [1, 200, 3000, 40000, 500_000, 6_000_000];
    let last = counted(&far, |k| if k == 5 { [9000, 10] } else { [10, 9000] });
    let first = last.split("icmp").nth(1);
    assert!(first.is_some_and(|text| text.starts_with(" eq i32 %v0, 6000000")), "{last}");
}
