//! Small functions as text, and what allocation should make of them.

use super::*;
use crate::mir::parse;

fn allocated(text: &str, machine: &Machine) -> (Stats, Vec<String>) {
    allocated_with(text, machine, false)
}

fn allocated_with(text: &str, machine: &Machine, fast: bool) -> (Stats, Vec<String>) {
    let mut func = parse::parse(text, machine).unwrap();
    assert_eq!(verify::verify_selected(&func, machine), Ok(()));
    let stats =
        allocate(&mut func, machine, &mut Analyses::default(), &Options { fast, verify: true }).unwrap();
    let rows = print::print(&func, machine);
    (
        stats,
        rows.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string()).collect(),
    )
}

#[test]
fn arguments_and_results_stay_where_the_convention_has_them() {
    let text = "
mb0
    v0:i8@r1, v1:i8@r2 = entry
    v2:i8 = add v0, v1
    v3:i8@r1 = call v2@r1, @1
    ret v3@r1
";
    let (stats, rows) = allocated(text, &toy::machine());
    assert_eq!(stats.moves, 0, "{rows:#?}");
}

#[test]
fn a_counter_across_calls_has_one_callee_saved_register_all_the_time() {
    let text = "
mb0 -> mb1
    entry
    v0:i4 = li
    j mb1
mb1 depth 1 frequency 10240 preds mb0 mb2 -> mb2 mb3
    v1:i4 = phi v0, v2
    bone v1, mb2
mb2 depth 1 frequency 9216 -> mb1
    call v1@r1, @1
    v2:i4 = addi v1, #1
    j mb1
mb3
    ret
";
    let (stats, rows) = allocated(text, &toy::machine());
    assert_eq!((stats.moves, stats.spilled), (1, 0), "{rows:#?}");
    assert!(rows.contains(&"r1 = mov r3".to_string()), "{rows:#?}");
}

#[test]
fn what_two_ways_bring_to_phis_goes_to_the_same_registers() {
    let text = "
mb0 -> mb1 mb2
    v0:i8@r1 = entry
    bone v0, mb1
mb1 -> mb3
    v1:i8 = li #1
    v2:i8 = li #2
    j mb3
mb2 -> mb3
    v3:i8 = li #3
    v4:i8 = li #4
    j mb3
mb3
    v5:i8 = phi v1, v4
    v6:i8 = phi v2, v3
    v7:i8 = sub v5, v6
    ret v7@r1
";
    let (stats, rows) = allocated(text, &toy::machine());
    assert_eq!(stats.moves, 0, "{rows:#?}");
}

#[test]
fn values_that_swap_in_a_loop_take_three_moves() {
    let text = "
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth 1 preds mb0 mb2 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = phi v1, v2
    bone v2, mb2
mb2 depth 1 -> mb1
    j mb1
mb3
    ret v2@r1
";
    let (stats, rows) = allocated(text, &toy::machine());
    assert_eq!((stats.moves, stats.spilled), (3, 0), "{rows:#?}");
}

/// Four values live through a call, two of them used in a loop without calls.
const LOOP_AFTER_CALL: &str = "
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    v2:i8 = add v0, v1
    v3:i8 = sub v0, v1
    call @1
    j mb1
mb1 depth 1 frequency 10240 preds mb0 mb3 -> mb3 mb2
    v4:i8 = phi v0, v6
    v5:i8 = add v4, v2
    v6:i8 = add v5, v3
    bone v6, mb3
mb2
    v7:i8 = add v6, v1
    ret v7@r1
mb3 depth 1 frequency 9216 -> mb1
    j mb1
";

#[test]
fn a_spilled_value_is_loaded_before_the_loop_that_uses_it() {
    let (stats, rows) = allocated(LOOP_AFTER_CALL, &toy::machine());
    let branch = rows.iter().position(|row| row.starts_with("bone")).unwrap();
    let head = rows.iter().position(|row| row.starts_with("j ")).unwrap();
    assert!(stats.reloads > 0 && rows[head..branch].iter().all(|row| !row.contains("ld8")), "{rows:#?}");
}

/// A loop that adds a value in each round, twice; the value lives in no register through a call. `always` stands in each
/// round, `seldom` in one of its two arms.
fn loop_with_an_arm(always: &str, seldom: &str) -> String {
    format!(
        "
mb0 -> mb1
    v0:i8@r1, v1:f8@f0 = entry
    j mb1
mb1 depth 1 frequency 8192 preds mb0 mb4 -> mb2 mb3
    v2:i8 = phi v0, v8
    v3:f8 = cvt v2
    v4:f8 = fadd v3, v1
    v5:i8 = cvti v4
{always}    bone v5, mb2
mb2 depth 1 frequency 8192 preds mb1 -> mb4
{seldom}    j mb4
mb3 depth 1 frequency 8192 preds mb1 -> mb4
    j mb4
mb4 depth 1 frequency 8192 preds mb2 mb3 -> mb1
    v6:f8 = cvt v5
    v7:f8 = fadd v6, v1
    v8:i8 = cvti v7
    j mb1
"
    )
}

const CALL_ROW: &str = "    call @1\n";

#[test]
fn a_value_is_loaded_again_behind_a_call_that_is_seldom_executed() {
    let (stats, rows) = allocated(&loop_with_an_arm("", CALL_ROW), &toy::hard());
    let loads: Vec<usize> = (0..rows.len()).filter(|&k| rows[k].contains("= fld8")).collect();
    let call = rows.iter().position(|row| row.starts_with("call")).unwrap();
    // One in front of the loop, and one behind the call.
    assert_eq!((stats.restores, loads.len(), loads[1]), (1, 2, call + 1), "{rows:#?}");
    assert_eq!(rows[loads[0]], rows[loads[1]]);
}

#[test]
fn no_value_is_loaded_again_behind_calls_of_each_round_or_that_go_on_elsewhere() {
    let restores = |text: &str| allocated(text, &toy::hard()).0.restores;
    assert_eq!(restores(&loop_with_an_arm(CALL_ROW, "")), 0);
    let rare = loop_with_an_arm("", CALL_ROW);
    assert_eq!(restores(&format!("function 0 calls twice{rare}")), 0);
    // The same call with a landing pad.
    let thrown = rare.replace(
        "preds mb1 -> mb4\n    call @1\n    j mb4",
        "preds mb1 -> mb5 mb4\n    call @1\n    invoke mb5",
    );
    let thrown = thrown.replace("preds mb2 mb3 -> mb1", "preds mb2 mb3 mb5 -> mb1")
        + "mb5 depth 1 frequency 8192 preds mb2 -> mb4\n    v9:i8@r1 = landing\n    j mb4\n";
    assert!(thrown.contains("invoke") && restores(&thrown) == 0);
}

#[test]
fn the_slot_of_a_value_outlives_a_loop_of_one_block() {
    // The second value of the loop must not be stored in the slot of the first, which the next turn reads.
    let text = "
mb0 -> mb1
    v0:f4@f0, v1:f4@f1 = entry
    call @1
    j mb1
mb1 depth 1 frequency 10240 preds mb0 mb1 -> mb1
    v2:f4 = phi v1, v4
    v3:f4 = fadd v2, v0
    v4:f4 = fadd v3, v3
    call @2
    j mb1
";
    let (stats, _) = allocated(text, &toy::hard());
    assert!(stats.spills > 2);
}

/// A variable in memory, since it lives through a call, that one of two arms changes; `use_` stands in the loop's latch.
fn one_arm_changes(use_: &str) -> (Stats, Vec<String>) {
    let text = format!(
        "
mb0 -> mb1
    v0:f4@f0, v1:f4@f1 = entry
    j mb1
mb1 depth 1 frequency 10240 preds mb0 mb4 -> mb2 mb3
    v2:f4 = phi v0, v6
    v3:i4 = li
    bone v3, mb2
mb2 depth 1 frequency 5120 preds mb1 -> mb4
    call @1
    j mb4
mb3 depth 1 frequency 5120 preds mb1 -> mb4
    call @1
    v5:f4 = fadd v2, v1
    j mb4
mb4 depth 1 frequency 10240 preds mb2 mb3 -> mb1
    v6:f4 = phi v2, v5
{use_}    j mb1
"
    );
    allocated(&text, &toy::hard())
}

#[test]
fn phis_share_the_slot_of_the_variable_that_they_hand_on() {
    // The arm that changes nothing loads and stores nothing, nor does the latch: the entry stores both variables, the other arm
    // loads them and stores one.
    let (stats, rows) = one_arm_changes("");
    assert_eq!((stats.reloads, stats.spills), (2, 3), "{rows:#?}");
    // What is used in a register where it is handed on stays in one.
    let (stats, rows) = one_arm_changes("    v7:f4 = fadd v6, v6\n    v8:f4 = fadd v7, v6\n");
    assert!(stats.reloads >= 3, "{rows:#?}");
}

#[test]
fn what_may_return_twice_shares_no_slots() {
    // The first pair of values is spilled over calls, then the second; behind another return of the first call, all would be
    // looked for in their slots.
    let text = "
function 0 calls
mb0
    v0:f4@f0, v1:f4@f1 = entry
    call @1
    v2:f4 = fadd v0, v1
    v3:f4 = fadd v2, v2
    call @1
    v4:f4 = fadd v2, v3
    ret v4@f0
";
    for fast in [false, true] {
        let slots = |text: &str| {
            let mut func = parse::parse(text, &toy::hard()).unwrap();
            allocate(&mut func, &toy::hard(), &mut Analyses::default(), &Options { fast, verify: true })
                .unwrap();
            func.slots.len()
        };
        assert_eq!((slots(text), slots(&text.replace("calls", "calls twice"))), (2, 4), "{fast}");
    }
}

#[test]
fn constants_are_done_again_rather_than_spilled() {
    let text = "
mb0
    entry
    v0:f4 = fli #1
    v1:f4 = fli #2
    call @1
    v2:f4 = fadd v0, v1
    ret v2@f0
";
    let (stats, rows) = allocated(text, &toy::hard());
    assert_eq!((stats.spills, stats.reloads, stats.remats), (0, 0, 2), "{rows:#?}");
}

#[test]
fn the_fast_walk_needs_no_slot_within_a_block() {
    let text = "
mb0
    v0:i8@r1, v1:i8@r2 = entry
    v2:i8 = add v0, v1
    v4:i8 = li
    v5:i8 = add v2, v4
    v3:i8@r1 = call v5@r1, @1
    ret v3@r1
";
    let (stats, rows) = allocated_with(text, &toy::machine(), true);
    assert_eq!((stats.moves, stats.spilled, stats.remats), (0, 0, 0), "{rows:#?}");
}

#[test]
fn the_fast_walk_stores_once_what_a_call_destroys() {
    let text = "
mb0
    v0:i8@r1, v1:i8@r2 = entry
    v2:i8 = add v0, v1
    v4:i4 = li
    call v2@r1, @1
    v5:i8 = add v2, v2
    call v5@r1, v4@r2, @1
    ret v2@r1
";
    let (stats, rows) = allocated_with(text, &toy::machine(), true);
    assert_eq!((stats.spilled, stats.spills), (2, 2), "{rows:#?}");
    assert!(stats.remats == 0 && stats.reloads <= 3, "{stats:?} {rows:#?}");
}

#[test]
fn the_fast_walk_keeps_in_registers_what_the_next_block_needs() {
    // A branch that does not jump goes on to the block behind it.
    let counts = |block: &str| {
        let text = format!(
            "
mb0 -> mb2 mb1
    v0:i8@r1, v1:i8@r2 = entry
    v2:i8 = add v0, v1
    bone v0, mb2
{block}
mb2 preds mb0 mb1
    ret
"
        );
        let (stats, _) = allocated_with(&text, &toy::machine(), true);
        (stats.spills, stats.reloads)
    };
    assert_eq!(counts("mb1 preds mb0 -> mb2\n    v3:i8 = add v2, v2\n    j mb2"), (0, 0));
    // Here something else comes to it, too.
    assert_eq!(counts("mb1 preds mb0 mb1 -> mb1 mb2\n    v3:i8 = add v2, v2\n    bone v3, mb1"), (1, 1));
}

#[test]
fn the_fast_walk_stores_operands_of_phis_where_the_phi_is() {
    let text = "
mb0 -> mb1
    v0:i8@r1 = entry
    v1:i8 = add v0, v0
    j mb1
mb1 preds mb0 mb2 -> mb3 mb2
    v2:i8 = phi v1, v3
    bone v2, mb3
mb2 preds mb1 -> mb1
    v3:i8 = add v2, v2
    j mb1
mb3 preds mb1
    ret
";
    let (stats, rows) = allocated_with(text, &toy::machine(), true);
    // Neither operand has a slot of its own.
    assert_eq!((stats.spilled, stats.spills, stats.reloads), (1, 2, 1), "{rows:#?}");
}

#[test]
fn the_fast_walk_stores_what_a_block_in_front_of_the_definition_uses() {
    let text = "
mb0 -> mb2
    v0:i8@r1 = entry
    j mb2
mb1 preds mb2
    v2:i8 = add v1, v1
    ret v2@r1
mb2 preds mb0 -> mb1
    v1:i8 = add v0, v0
    j mb1
";
    let (stats, rows) = allocated_with(text, &toy::machine(), true);
    assert_eq!((stats.spills, stats.reloads), (2, 2), "{rows:#?}");
}
