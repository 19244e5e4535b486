//! Which comparisons with zero are left out, and which may not.

use crate::isa::armv7::TARGET;
use crate::mir::zero_flags::testing;

/// What these rows become.
fn without(rows: &[&str]) -> Vec<String> {
    testing::without(TARGET.rules.machine, TARGET.frames.zero_flags.unwrap(), "udf", rows)
}

#[test]
fn what_computes_a_number_tells_whether_it_is_zero() {
    for (row, with_flags) in [
        ("r1 = lsr.i r1, #1", "r1 = lsrs.i r1, #1"),
        ("r1 = asr.i r2, #3", "r1 = asrs.i r2, #3"),
        ("r1 = lsl.i r2, #3", "r1 = lsls.i r2, #3"),
        ("r1 = and r2, r3", "r1 = ands r2, r3"),
        ("r1 = and.i r2, #255", "r1 = ands.i r2, #255"),
        ("r1 = add r2, r3", "r1 = adds r2, r3"),
        ("r1 = sub.i r1, #1", "r1 = subs.i r1, #1"),
    ] {
        let moved = "r4 = mov.ne r4, r5";
        assert_eq!(without(&[row, "cmp.i r1", moved]), [with_flags, moved]);
        let between = "r5 = add r6, r7";
        assert_eq!(without(&[row, between, "cmp.i r1", moved]), [with_flags, between, moved]);
    }
}

#[test]
fn what_is_less_than_zero_is_negative() {
    let row = "r1 = sub.i r1, #1";
    for (asks, becomes) in [
        ("r4 = mov.lt r4, r5", "r4 = mov.mi r4, r5"),
        ("r4 = mov.ge r4, r5", "r4 = mov.pl r4, r5"),
        ("r4 = mov.mi r4, r5", "r4 = mov.mi r4, r5"),
        ("r4 = sub.from.if.lt r4, r5", "r4 = sub.from.if.mi r4, r5"),
    ] {
        let also = "r6 = mov.i.ne r6, #1";
        assert_eq!(without(&[row, "cmp.i r1", asks, also]), ["r1 = subs.i r1, #1", becomes, also]);
    }
}

#[test]
fn other_questions_and_what_stands_between_keep_the_comparison() {
    let row = "r1 = sub.i r1, #1";
    for rows in [
        // A sum that wraps around has another sign than the comparison tells; another number, another register.
        &[row, "cmp.i r1", "r4 = mov.gt r4, r5"][..],
        &[row, "cmp.i r1", "r4 = mov.ne r4, r5", "r4 = mov.le r4, r6"],
        &[row, "cmp.i r1, #1", "r4 = mov.ne r4, r5"],
        &[row, "cmp.i r2", "r4 = mov.ne r4, r5"],
        // The register changes, and what sets flags or asks for them.
        &[row, "r1 = ldr r1", "cmp.i r1", "r4 = mov.ne r4, r5"],
        &["cmp.i r6, #2", row, "r7 = mov.eq r7, r8", "cmp.i r1", "r4 = mov.ne r4, r5"],
        &[row, "cmp.i r6, #2", "cmp.i r1", "r4 = mov.ne r4, r5"],
        // A difference of two words borrows.
        &[row, "cmp.i r1", "r4 = sbcs.i r5, #7", "r4 = mov.ne r4, r5"],
        // No such row has flags.
        &["r1 = mul r1, r2", "cmp.i r1", "r4 = mov.ne r4, r5"],
    ] {
        assert_eq!(without(rows), rows);
    }
}
