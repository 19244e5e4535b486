//! Which words side by side are accessed in one row.

use crate::isa::armv7::TARGET;
use crate::mir::pair::pair;
use crate::mir::parse::parse;
use crate::mir::print::print;

/// What these rows become, in a function with spilled values, where words are aligned or need not be.
fn paired(is_unaligned: bool, rows: &[&str]) -> Vec<String> {
    paired_for(true, is_unaligned, rows)
}

/// The same for a core of which loads and stores multiple are cheap, or are not.
fn paired_for(multiples: bool, is_unaligned: bool, rows: &[&str]) -> Vec<String> {
    let machine = TARGET.rules.machine;
    let slots = "slot0 spill 4 align 4 at 8\nslot1 spill 4 align 4 at 12\nslot2 local 8 align 8 at 300\n";
    let text = format!("{slots}mb0\n    {}\n    bx.lr\n", rows.join("\n    "));
    let mut func = parse(&text, machine).unwrap_or_else(|error| panic!("{error}\n{text}"));
    func.is_unaligned = is_unaligned;
    pair(&mut func, machine, TARGET.frames.pairs.unwrap(), multiples);
    let text = print(&func, machine);
    let rows = text.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string());
    let rows: Vec<String> = rows.collect();
    rows[..rows.len() - 1].to_vec()
}

/// Checks that nothing becomes of these rows.
fn stay(rows: &[&str]) {
    assert_eq!(paired(false, rows), rows);
}

#[test]
fn registers_that_follow_one_another_are_a_pair_and_rising_ones_a_list() {
    assert_eq!(paired(false, &["r0 = ldr r5, #8", "r1 = ldr r5, #12"]), ["r0, r1 = ldrd r5, #8"]);
    assert_eq!(paired(false, &["str r3, r5, #-4", "str r2, r5, #-8"]), ["strd r2, r3, r5, #-8"]);
    assert_eq!(paired(false, &["r1 = ldr r5", "r4 = ldr r5, #4"]), ["r1, r4 = ldm r5"]);
    assert_eq!(paired(false, &["str r1, r5, #4", "str r2, r5, #8"]), ["stmib r1, r2, r5, #4"]);
    // Slots are where the frame has them.
    let slots = paired(false, &["r0 = ldr.slot frame, slot0", "r1 = ldr.slot frame, slot1"]);
    assert!(
        slots.len() == 1 && slots[0].starts_with("r0, r1 = ldrd") && slots[0].ends_with("#8"),
        "{slots:?}"
    );
}

#[test]
fn where_load_multiple_is_slow_only_registers_that_follow_one_another_are_a_pair() {
    let rows = ["r1 = ldr r5", "r4 = ldr r5, #4", "str r1, r5, #4", "str r2, r5, #8"];
    assert_eq!(paired_for(false, false, &rows), rows);
    let rows = ["r0 = ldr r5", "r1 = ldr r5, #4"];
    assert_eq!(paired_for(false, false, &rows), ["r0, r1 = ldrd r5"]);
}

#[test]
fn other_registers_and_places_stay() {
    // Falling registers, an odd one first where no list reaches, too far, the base gone, and a store between.
    stay(&["r1 = ldr r5, #8", "r0 = ldr r5, #12"]);
    stay(&["r1 = ldr r5, #8", "r2 = ldr r5, #12"]);
    stay(&["r0 = ldr r5, #256", "r1 = ldr r5, #260"]);
    stay(&["r0 = ldr r0, #8", "r1 = ldr r0, #12"]);
    stay(&["r0 = ldr r5, #8", "str r3, r6", "str r7, r5, #8", "r1 = ldr r5, #12"]);
}

#[test]
fn words_that_need_not_be_aligned_stay_but_in_the_frame() {
    let rows = ["r0 = ldr r5, #8", "r1 = ldr r5, #12"];
    assert_eq!(paired(true, &rows), rows);
    let slots = paired(true, &["r0 = ldr.slot frame, slot0", "r1 = ldr.slot frame, slot1"]);
    assert_eq!(slots.len(), 1, "{slots:?}");
}
