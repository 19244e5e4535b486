//! Which accesses become one of two registers.

use super::double;
use crate::isa::armv7;
use crate::mir::parse::parse;
use crate::mir::print::print;

/// What these rows become on ARMv7 with vectors.
fn doubled(rows: &[&str]) -> Vec<String> {
    let machine = armv7::TARGET.rules.with_vectors.unwrap().machine;
    let text = format!("mb0\n    {}\n    udf\n", rows.join("\n    "));
    let mut func = parse(&text, machine).unwrap();
    double(&mut func, machine, armv7::TARGET.frames.pairs.unwrap().doubles);
    let text = print(&func, machine);
    let rows = text.lines().filter(|line| line.starts_with("    ")).map(|line| line.trim().to_string());
    let rows: Vec<String> = rows.collect();
    rows[..rows.len() - 1].to_vec()
}

#[test]
fn two_become_one_where_registers_follow_one_another() {
    assert_eq!(doubled(&["r1, q8 = qld1.up r1", "r1, q9 = qld1.up r1"]), ["r1, q8, q9 = qld1.two.up r1"]);
    assert_eq!(
        doubled(&["r1 = qst1.up r1, q8", "q10 = qadd q8, q9", "r1 = qst1.up r1, q9"]),
        ["r1 = qst1.two.up r1, q8, q9", "q10 = qadd q8, q9"]
    );
}

#[test]
fn what_else_stands_between_keeps_them_apart() {
    for rows in [
        // Other registers, another pointer, and the pointer in use.
        &["r1, q8 = qld1.up r1", "r1, q10 = qld1.up r1"][..],
        &["r1, q9 = qld1.up r1", "r1, q8 = qld1.up r1"],
        &["r1, q8 = qld1.up r1", "r2, q9 = qld1.up r2"],
        &["r1, q8 = qld1.up r1", "r2 = add r1, r3", "r1, q9 = qld1.up r1"],
        // The register of the second one, and memory.
        &["r1, q8 = qld1.up r1", "q10 = qadd q9, q9", "r1, q9 = qld1.up r1"],
        &["r1, q8 = qld1.up r1", "r2 = qst1.up r2, q8", "r1, q9 = qld1.up r1"],
        &["r1 = qst1.up r1, q8", "q9 = qadd q8, q8", "r1 = qst1.up r1, q9"],
        &["r1 = qst1.up r1, q8", "r2, q10 = qld1.up r2", "r1 = qst1.up r1, q9"],
    ] {
        assert_eq!(doubled(rows), rows);
    }
}
