//! Which neighbours in memory become one row, and which may not.

use crate::isa::aarch64::finalise::FRAMES;
use crate::isa::aarch64::registers::MACHINE;
use crate::mir::pair::pair;
use crate::mir::parse::parse;
use crate::mir::print::print;

/// What these rows become, in a function with a local slot and three of spilled values, one behind the other.
fn paired(rows: &[&str]) -> Vec<String> {
    let slots = "slot0 local 16 align 8 at 0\nslot1 spill 8 align 8 at 16\nslot2 spill 8 align 8 at 24\n\
                 slot3 spill 8 align 8 at 1000\nslot4 spill 8 align 8 at 32\n";
    let text = format!("{slots}mb0\n    {}\n    brk\n", rows.join("\n    "));
    let mut func = parse(&text, &MACHINE).unwrap();
    pair(&mut func, &MACHINE, FRAMES.pairs.unwrap(), true);
    let text = print(&func, &MACHINE);
    let rows = text.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string());
    let rows: Vec<String> = rows.collect();
    rows[..rows.len() - 1].to_vec()
}

/// Checks that nothing becomes of these rows.
fn stay(rows: &[&str]) {
    assert_eq!(paired(rows), rows);
}

#[test]
fn neighbours_become_pairs_the_lower_address_first() {
    assert_eq!(paired(&["r0 = ldr_w r5, #8", "r1 = ldr_w r5, #12"]), ["r0, r1 = ldp_w r5, #8"]);
    assert_eq!(paired(&["r0 = ldr_x r5, #8", "r1 = ldr_x r5"]), ["r1, r0 = ldp_x r5"]);
    assert_eq!(paired(&["str_s f0, r5", "stur_s f1, r5, #-4"]), ["stp_s f1, f0, r5, #-4"]);
    // Slots are where the frame has them.
    let slots = paired(&["r0 = ldr_x_slot frame, slot1", "r1 = ldr_x_slot frame, slot2"]);
    assert_eq!(slots.len(), 1);
    assert!(slots[0].starts_with("r0, r1 = ldp_x r31") && slots[0].ends_with("#16"), "{slots:?}");
    // A base may be loaded last.
    assert_eq!(paired(&["r0 = ldr_w r5", "r5 = ldr_w r5, #4"]), ["r0, r5 = ldp_w r5"]);
}

#[test]
fn what_moves_the_base_takes_the_neighbour_behind_it_along() {
    assert_eq!(
        paired(&["r5, f1 = ldr_q_behind r5, #64", "f2 = ldur_q r5, #-48"]),
        ["r5, f1, f2 = ldp_q_behind r5, #64"]
    );
    assert_eq!(
        paired(&["r5 = str_w_behind r5, r1, #32", "r3 = add_w r1, r2", "stur_w r2, r5, #-28"]),
        ["r5 = stp_w_behind r5, r1, r2, #32", "r3 = add_w r1, r2"]
    );
    // The neighbour below, another register for the base, a step that is no multiple or too large, and a base that moves on.
    stay(&["r5, f1 = ldr_q_behind r5, #64", "f2 = ldur_q r5, #-80"]);
    stay(&["r5, f1 = ldr_q_behind r5, #64", "f1 = ldur_q r5, #-48"]);
    stay(&["r5, f1 = ldr_q_behind r5, #8", "f2 = ldr_q r5, #8"]);
    stay(&["r5, r1 = ldr_w_behind r5, #8", "r5 = add_x r5, r6", "r2 = ldur_w r5, #-4"]);
    stay(&["r5 = str_w_behind r5, r1, #8", "r2 = add_w r1, r1", "stur_w r2, r5, #-4"]);
    stay(&["r5, r1 = ldr_w_behind r5, #8", "str_w r1, r7", "r2 = ldur_w r5, #-4"]);
}

#[test]
fn what_is_no_neighbour_or_out_of_reach_stays() {
    stay(&["r0 = ldr_w r5, #8", "r1 = ldr_w r5, #16"]);
    stay(&["r0 = ldr_w r5, #8", "r1 = ldr_w r6, #12"]);
    stay(&["r0 = ldr_w r5", "f1 = ldr_s r5, #4"]);
    stay(&["r0 = ldr_w r5, #256", "r1 = ldr_w r5, #260"]);
    stay(&["r0 = ldur_w r5, #2", "r1 = ldur_w r5, #6"]);
    stay(&["r0 = ldr_w r5", "r0 = ldr_w r5, #4"]);
    stay(&["r5 = ldr_w r5", "r1 = ldr_w r5, #4"]);
    stay(&["r0 = ldr_x_slot frame, slot2", "r1 = ldr_x_slot frame, slot3"]);
}

#[test]
fn a_load_moves_over_what_touches_neither_its_registers_nor_its_place() {
    let over = |row: &str| paired(&["r0 = ldr_w r5", row, "r1 = ldr_w r5, #4"]).len() == 2;
    for row in ["r2 = add_w r3, r4", "r2 = ldr_w r9", "str_w r2, r5, #8", "str_w_slot r2, frame, slot1"] {
        assert!(over(row), "{row}");
    }
    // Then the first one moves down instead.
    for row in ["r2 = add_w r1, r1", "str_w r2, r5"] {
        assert!(over(row), "{row}");
    }
    for row in
        ["r5 = add_x r5, r4", "r1 = add_w r0, r4", "str_w r2, r6", "str_w_slot r2, frame, slot0", "bl @1"]
    {
        assert!(!over(row), "{row}");
    }
}

#[test]
fn a_load_of_a_slot_stays_above_a_pair_that_stores_to_it() {
    let rows = paired(&[
        "str_x_slot r0, frame, slot1",
        "r2 = ldr_x_slot frame, slot2",
        "str_x_slot r1, frame, slot2",
        "r3 = ldr_x_slot frame, slot4",
    ]);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows[0].contains("ldr_x_slot frame, slot2") && rows[1].contains("stp_x"), "{rows:?}");
}

#[test]
fn a_store_moves_over_no_load_of_its_place() {
    let over = |row: &str| paired(&["str_w r0, r5", row, "str_w r1, r5, #4"]).len() == 2;
    for row in ["r2 = ldr_w r5, #8", "r2 = add_w r0, r1", "r0 = add_w r2, r2", "r2 = ldr_x_slot frame, slot1"]
    {
        assert!(over(row), "{row}");
    }
    for row in ["r2 = ldr_w r6", "r5 = add_x r5, r2", "r2 = ldr_x r5", "svc"] {
        assert!(!over(row), "{row}");
    }
    // Selection says that the other address is that of another global, of another slot, of the same.
    let noted = |first: u32, other: u32| {
        let [first, last] = [0, 4].map(|k| format!("str_w r{k}, r5, !{first}, #{k}"));
        paired(&[&first, &format!("r2 = ldr_w r6, !{other}"), &last]).len() == 2
    };
    let [slot, global, another] = [2, 3, 5];
    assert!(noted(global, another) && noted(global, slot) && noted(slot, global));
    assert!(!noted(global, global) && !noted(0, global) && !noted(slot, 0));
}
