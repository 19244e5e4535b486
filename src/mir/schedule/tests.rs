//! Orders of small blocks, and wrong ones that the checker has to find.

use super::super::{parse, print, toy, verify};
use super::*;

/// The rows of a block of a loop before and after, or an error.
fn ordered(rows: &str, allocated: bool) -> Vec<String> {
    let machine = toy::machine();
    let mut func = parse::parse(rows, &machine).unwrap();
    let how = Options { model: &toy::MODEL, pairs: None, verify: true };
    let memory = &mut WorkerMemory::default();
    match allocated {
        true => after(&mut func, &machine, &how, memory).unwrap(),
        false => before(&mut func, &machine, &how, memory).unwrap(),
    };
    match allocated {
        true => assert_eq!(verify::verify_allocated(&func, &machine), Ok(())),
        false => assert_eq!(verify::verify_selected(&func, &machine), Ok(())),
    }
    let text = print::print(&func, &machine);
    text.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string()).collect()
}

/// A loop of one block with these rows.
fn a_loop(depth: u32, rows: &str) -> String {
    format!(
        "
slot0 local 8 align 8
slot1 local 8 align 8
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth {depth} preds mb0 mb2 -> mb2 mb3
{rows}
    bone v1, mb2
mb2 depth {depth} -> mb1
    j mb1
mb3
    ret
"
    )
}

fn places<const N: usize>(rows: &[String], words: [&str; N]) -> [usize; N] {
    words.map(|word| rows.iter().position(|row| row.contains(word)).unwrap())
}

const TWO_LOADS: &str = "
    v2:i8 = ld8 frame, slot0
    v3:i8 = addi v2, #1
    st8 v3, frame, slot0
    v4:i8 = ld8 frame, slot1
    v5:i8 = addi v4, #2
    st8 v5, frame, slot1";

#[test]
fn loads_begin_early() {
    let rows = ordered(&a_loop(1, TWO_LOADS), false);
    let [first, second, use_] = places(&rows, ["v2:i8 =", "v4:i8 =", "v3:i8 ="]);
    assert!(first < use_ && second < use_, "{rows:#?}");
}

#[test]
fn what_is_in_no_loop_stays() {
    let text = a_loop(0, TWO_LOADS);
    let rows = ordered(&text, false);
    let [use_, second] = places(&rows, ["v3:i8 =", "v4:i8 ="]);
    assert!(use_ < second, "{rows:#?}");
}

#[test]
fn loads_stay_behind_stores_to_the_same_place() {
    let rows = ordered(&a_loop(1, &TWO_LOADS.replace("slot1", "slot0")), false);
    let [store, load] = places(&rows, ["st8 v3", "v4:i8 ="]);
    assert!(store < load, "{rows:#?}");
}

#[test]
fn stores_to_other_bytes_of_an_object_change_places() {
    // What is stored first is there last.
    let rows = ordered(
        &a_loop(
            1,
            "
    v2:i8 = ld8 frame, slot0
    v3:i8 = addi v2, #1
    st4 v3, frame, slot1
    st4 v0, frame, slot1, #4",
        ),
        false,
    );
    let [first, second] = places(&rows, ["st4 v0", "st4 v3"]);
    assert!(first < second, "{rows:#?}");
}

#[test]
fn flags_stay_with_what_reads_them() {
    let rows = ordered(
        &a_loop(
            1,
            "
    v2:i8 = ld8 frame, slot0
    cmp v2, v1
    v3:i8 = cset
    v4:i8 = ld8 frame, slot1
    cmp v4, v1
    v5:i8 = cset
    st8 v3, frame, slot0
    st8 v5, frame, slot1",
        ),
        false,
    );
    let [a, b, c, d] = places(&rows, ["cmp v2", "v3:i8 =", "cmp v4", "v5:i8 ="]);
    // Either pair is as it was, and they do not mix.
    assert!(a < b && c < d && (b < c || d < a), "{rows:#?}");
}

#[test]
fn an_order_needs_no_more_registers_than_there_are() {
    // Four registers: all four loads at once would leave none for the base of the others.
    let one = |n: usize| {
        let (load, sum) = (2 + 2 * n, 3 + 2 * n);
        format!(
            "    v{load}:i8 = ld8 frame, slot0\n    v{sum}:i8 = add v{load}, v1\n    st8 v{sum}, frame, slot1\n"
        )
    };
    let text = a_loop(1, &(0..6).map(one).collect::<String>());
    let machine = toy::machine();
    let spilled = |scheduled: bool| {
        let mut func = parse::parse(&text, &machine).unwrap();
        let how = Options { model: &toy::MODEL, pairs: None, verify: true };
        if scheduled {
            let changed = before(&mut func, &machine, &how, &mut WorkerMemory::default()).unwrap();
            assert!(changed > 0);
        }
        print::print(&func, &machine)
    };
    // At no row are more values alive than before: loads are one or two ahead of what uses them.
    let ahead = |text: &str| {
        let (mut now, mut most) = (0i32, 0);
        for line in text.lines() {
            now += i32::from(line.contains("ld8")) - i32::from(line.contains("= add v"));
            most = most.max(now);
        }
        most
    };
    assert_eq!(ahead(&spilled(false)), 1);
    assert!((1..=3).contains(&ahead(&spilled(true))), "{}", spilled(true));
}

#[test]
fn a_short_function_with_much_alive_is_scheduled() {
    // So many values live through a loop of so many blocks with one row each that lists of them are many times the rows.
    let (values, blocks) = (40, 60);
    let mut text = "slot0 local 8 align 8\nmb0 -> mb1\n    v0:i8@r1, v1:i8@r2 = entry\n".to_string();
    (0..values).for_each(|k| text += &format!("    v{}:i8 = addi v0, #{k}\n", 10 + k));
    text += "    j mb1\nmb1 depth 1 preds mb0 mb3 -> mb4 mb2
    v2:i8 = addi v0, #1
    v3:i8 = addi v2, #2
    v4:i8 = ld8 frame, slot0
    v5:i8 = add v4, v3
    st8 v5, frame, slot0
    bone v1, mb4
mb2
";
    (0..values).for_each(|k| text += &format!("    st8 v{}, frame, slot0\n", 10 + k));
    text += "    ret\nmb3 depth 1 -> mb1\n    j mb1\n";
    for b in 4..4 + blocks {
        let next = if b + 1 < 4 + blocks { b + 1 } else { 3 };
        text += &format!("mb{b} depth 1 -> mb{next}\n    j mb{next}\n");
    }
    let rows = ordered(&text, false);
    let [first, load] = places(&rows, ["v2:i8 =", "v4:i8 ="]);
    assert!(load < first, "{rows:#?}");
}

#[test]
fn a_loop_spills_where_that_pays() {
    // Of four registers, one is for the allocator's copies, and two are taken by values from outside.
    let one = |n: usize| {
        let (load, sum) = (12 + 2 * n, 13 + 2 * n);
        format!(
            "    v{load}:i8 = ld8 frame, slot0\n    v{sum}:i8 = add v{load}, v1\n    st8 v{sum}, frame, slot1\n"
        )
    };
    let ahead = |count: usize, more: &str| {
        let rows = (0..count).map(one).collect::<String>() + more;
        let text =
            a_loop(1, rows.trim_end()).replace("mb3\n    ret", "mb3\n    st8 v0, frame, slot0\n    ret");
        let (mut now, mut most) = (0i32, 0);
        for line in ordered(&text, false) {
            now += i32::from(line.contains("= ld8")) - i32::from(line.contains("= add v"));
            most = most.max(now);
        }
        most
    };
    let named = "    st8 v0, frame, slot1\n";
    assert!(ahead(1, named) == 1 && ahead(1, "") == 1);
    assert!(ahead(6, named) > 1 && ahead(6, "") > 1);
}

#[test]
fn what_was_allocated_keeps_its_registers_apart() {
    let text = "
saved r3 r4
slot0 local 8 align 8
slot1 local 8 align 8
mb0 -> mb1
    r1, r2 = entry
    j mb1
mb1 depth 1 preds mb0 mb2 -> mb2 mb3
    ADDED
    r1 = ld8 frame, slot0
    r3 = addi r1, #1
    REG = ld8 frame, slot1
    r4 = addi REG, #2
    st8 r3, frame, slot0
    st8 r4, frame, slot1
    bone r2, mb2
mb2 depth 1 -> mb1
    j mb1
mb3
    ret
";
    let with = |reg: &str, added: &str| ordered(&text.replace("REG", reg).replace("ADDED", added), true);
    let rows = with("r1", "r1 = mov r2");
    let [use_, load] = places(&rows, ["r3 = addi", "r1 = ld8 frame, slot1"]);
    assert!(use_ < load, "{rows:#?}");
    let rows = with("r4", "r1 = mov r2");
    let [use_, load] = places(&rows, ["r3 = addi", "r4 = ld8 frame, slot1"]);
    assert!(load < use_, "{rows:#?}");
    // A constant stood there before allocation, too: the block is in order already.
    let rows = with("r4", "r1 = li #7");
    let [use_, load] = places(&rows, ["r3 = addi", "r4 = ld8 frame, slot1"]);
    assert!(use_ < load, "{rows:#?}");
}

#[test]
fn the_checker_finds_wrong_orders() {
    let machine = toy::machine();
    let text = a_loop(
        1,
        "
    v2:i8 = ld8 frame, slot0
    v3:i8 = addi v2, #1
    st8 v3, frame, slot0
    v4:i8 = ld8 frame, slot0
    cmp v4, v1
    v5:i8 = cset
    cmp v5, v1
    st8 v1, frame, slot1",
    );
    let func = parse::parse(&text, &machine).unwrap();
    let block = &func.blocks[Block::new(1)];
    let (start, end) = (block.first.index(), block.end.index());
    let rows = &func.insts.as_slice()[start..end];
    let result = |order: [u16; 9]| check::check(&func, &machine, start, rows, &order);
    assert_eq!(result([0, 1, 2, 3, 4, 5, 6, 7, 8]), Ok(()));
    assert_eq!(result([7, 0, 1, 2, 3, 4, 5, 6, 8]), Ok(()));
    for (order, what) in [
        ([1, 0, 2, 3, 4, 5, 6, 7, 8], "reads something else"),
        ([0, 3, 1, 2, 4, 5, 6, 7, 8], "touch the same memory"),
        ([0, 1, 2, 3, 4, 6, 5, 7, 8], "reads something else"),
        ([0, 1, 2, 3, 4, 5, 6, 8, 7], "ends the block no more"),
        ([0, 1, 2, 3, 4, 5, 6, 7, 7], "stands there twice"),
    ] {
        let error = result(order).unwrap_err();
        assert!(error.contains(what), "{order:?}: {error}");
    }
}

#[test]
fn a_row_waits_for_operands_pipes_and_slots() {
    let machine = toy::machine();
    let cycles = |rows: &str| {
        let text = a_loop(1, rows);
        let func = parse::parse(&text, &machine).unwrap();
        let block = &func.blocks[Block::new(1)];
        block_cycles(&func, &machine, &toy::MODEL, block.first.index()..block.end.index(), 1)
    };
    // Two in a cycle; the branch is in the last one.
    let sums =
        "    v2:i8 = addi v0, #1\n    v3:i8 = addi v0, #1\n    v4:i8 = addi v0, #1\n    v5:i8 = addi v0, #1";
    assert_eq!(cycles(sums), 2);
    // A load takes its pipe for a cycle.
    assert_eq!(
        cycles("    v2:i8 = ld8 frame, slot0\n    v3:i8 = ld8 frame, slot1\n    v4:i8 = ld8 frame, slot0"),
        2
    );
}

#[test]
fn of_three_rows_a_load_comes_first() {
    let short = |first: &str| {
        let rows = format!("\n    {first}\n    v2:i8 = ld8 frame, slot0");
        ordered(&a_loop(1, &rows).replace("bone v1, mb2", "bone v2, mb2"), false)
    };
    let rows = short("st8 v0, frame, slot1");
    let [store, load] = places(&rows, ["st8", "ld8"]);
    assert!(load < store, "{rows:#?}");
    // Not over a store to the same place, nor where it is first.
    let rows = short("st8 v0, frame, slot0");
    let [store, load] = places(&rows, ["st8", "ld8"]);
    assert!(store < load, "{rows:#?}");
}
