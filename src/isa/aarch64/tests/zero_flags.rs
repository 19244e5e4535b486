//! Which comparisons with zero are left out, and which may not.

use crate::isa::aarch64::finalise::FRAMES;
use crate::isa::aarch64::registers::MACHINE;
use crate::mir::zero_flags::testing;

/// What these rows become.
fn without(rows: &[&str]) -> Vec<String> {
    testing::without(&MACHINE, FRAMES.zero_flags.unwrap(), "brk", rows)
}

#[test]
fn what_computes_a_number_tells_its_sign_and_whether_it_is_zero() {
    for (row, with_flags) in [
        ("r1 = add_w r2, r3", "r1 = adds_w r2, r3"),
        ("r1 = add_w_imm r1, #7", "r1 = adds_w_imm r1, #7"),
        ("r1 = sub_w r2, r3", "r1 = subs_w r2, r3"),
        ("r1 = sub_w_imm r1, #1", "r1 = subs_w_imm r1, #1"),
        ("r1 = and_w r2, r3", "r1 = ands_w r2, r3"),
        ("r1 = and_w_imm r2, #255", "r1 = ands_w_imm r2, #255"),
    ] {
        let same = "r4 = csel_w_ne r4, r5";
        assert_eq!(without(&[row, "cmp_w_imm r1", same]), [with_flags, same]);
        assert_eq!(
            without(&[row, "cmp_w_imm r1", "r4 = csneg_w_lt r1, r1", "r5 = csinc_w_ge r1, r4"]),
            [with_flags, "r4 = csneg_w_mi r1, r1", "r5 = csinc_w_pl r1, r4"]
        );
    }
}

#[test]
fn other_questions_and_other_rows_keep_the_comparison() {
    let row = "r1 = sub_w_imm r1, #1";
    for rows in [
        &[row, "cmp_w_imm r1", "r4 = csel_w_gt r4, r5"][..],
        &[row, "cmp_w_imm r1, #1", "r4 = csel_w_ne r4, r5"],
        &[row, "cmp_w_imm r2", "r4 = csel_w_ne r4, r5"],
        // What joins the flags with others asks for all of them.
        &[row, "cmp_w_imm r1", "ccmp_w_ne r4, r5", "r4 = csel_w_ne r4, r5"],
        &[row, "cmp_w_imm r6", "cmp_w_imm r1", "r4 = csel_w_ne r4, r5"],
        // All of 64 bits, of which a word is compared, and no such row.
        &["r1 = sub_x r1, r2", "cmp_w_imm r1", "r4 = csel_w_ne r4, r5"],
        &["r1 = mul_w r1, r2", "cmp_w_imm r1", "r4 = csel_w_ne r4, r5"],
    ] {
        assert_eq!(without(rows), rows);
    }
}
