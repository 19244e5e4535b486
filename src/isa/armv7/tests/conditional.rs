//! Which arms of branches are executed under a condition, and which stay.

use crate::isa::armv7::TARGET;
use crate::mir::conditional::conditional;
use crate::mir::parse::parse;
use crate::mir::print::print;

/// The first block of a function behind the pass: `mb0` branches to `mb1`, with these rows and then a jump, if one is equal to
/// the other, and to `mb2` with these if not.
fn first(arm: &[&str], other: Option<&[&str]>) -> Vec<String> {
    let machine = TARGET.rules.machine;
    let rows = |rows: &[&str]| rows.iter().map(|row| format!("    {row}\n")).collect::<String>();
    let (to, last) = match other {
        Some(other) => ("mb2", format!("mb2 -> mb3\n{}    b mb3\nmb3\n    bx.lr\n", rows(other))),
        None => ("mb2", "mb2\n    bx.lr\n".to_string()),
    };
    let end = if other.is_some() { "mb3" } else { "mb2" };
    let order = if other.is_some() { "layout mb0 mb2 mb1 mb3" } else { "layout mb0 mb1 mb2" };
    let text = format!(
        "mb0 frequency 1024 -> mb1 {to}\n    cmp r0, r1\n    beq mb1\nmb1 frequency 512 -> {end}\n{}    b {end}\n{last}{order}\n",
        rows(arm)
    );
    let mut func = parse(&text, machine).unwrap_or_else(|error| panic!("{error}\n{text}"));
    conditional(&mut func, machine, TARGET.frames.conditional.unwrap());
    let text = print(&func, machine);
    let rows = text.lines().skip(2).take_while(|line| line.starts_with("    "));
    rows.map(|line| line.trim().to_string()).collect()
}

#[test]
fn one_row_is_executed_under_the_condition() {
    for (row, under) in [
        ("r2 = add r2, r3", "r2 = add.if.eq r2, r3"),
        ("r2 = add.i r4, #8", "r2 = add.i.if.eq r2, r4, #8"),
        ("r2 = sub r2, r3", "r2 = sub.if.eq r2, r3"),
        ("r2 = sub.i r2, #1", "r2 = sub.i.if.eq r2, r2, #1"),
        ("r2 = mov r3", "r2 = mov.eq r2, r3"),
        ("r2 = mov.i #3", "r2 = mov.i.eq #3"),
        ("r2 = ldr r3, #-4", "r2 = ldr.if.eq r3, #-4"),
        ("str r2, r3, #4", "str.if.eq r2, r3, #4"),
        ("str.lsl r2, r3, r4, #2", "str.lsl.if.eq r2, r3, r4, #2"),
    ] {
        assert_eq!(first(&[row], None), ["cmp r0, r1", under, "b mb2"]);
    }
    // Of two arms each has its condition.
    let both = first(&["r2 = add r2, r3"], Some(&["r2 = sub.i r2, #3"]));
    assert_eq!(both, ["cmp r0, r1", "r2 = add.if.eq r2, r3", "r2 = sub.i.if.ne r2, r2, #3", "b mb3"]);
}

#[test]
fn what_is_long_has_no_form_or_touches_flags_stays() {
    for arm in [
        &["r2 = add r2, r3", "r4 = add r4, r3"][..],
        &["r2 = mul r2, r3"],
        &["r2 = adds r2, r3"],
        &["r2 = mov.ne r2, r3"],
        &["bl @3"],
    ] {
        assert_eq!(first(arm, None), ["cmp r0, r1", "beq mb1"], "{arm:?}");
        assert_eq!(first(&["r2 = add r2, r3"], Some(arm)), ["cmp r0, r1", "beq mb1"], "{arm:?}");
    }
}

#[test]
fn a_block_that_is_entered_from_elsewhere_stays() {
    let machine = TARGET.rules.machine;
    let text = "mb0 -> mb1 mb2\n    cmp r0, r1\n    beq mb1\nmb1 -> mb2\n    r2 = add r2, r3\n    b mb2\n\
                mb2 -> mb1 mb3\n    cmp.i r2\n    beq mb1\nmb3\n    bx.lr\nlayout mb0 mb1 mb2 mb3\n";
    let mut func = parse(text, machine).unwrap();
    assert_eq!(conditional(&mut func, machine, TARGET.frames.conditional.unwrap()), 0);
}

#[test]
fn where_a_function_begins_stays() {
    let machine = TARGET.rules.machine;
    let text = "mb0 -> mb2\n    r2 = add r2, r3\n    b mb2\nmb1 -> mb0 mb2\n    cmp r0, r1\n    beq mb0\n\
                mb2 -> mb1 mb3\n    cmp.i r2\n    beq mb1\nmb3\n    bx.lr\nlayout mb0 mb1 mb2 mb3\n";
    let mut func = parse(text, machine).unwrap();
    assert_eq!(conditional(&mut func, machine, TARGET.frames.conditional.unwrap()), 0);
}
