//! What is selected for vectors.

use super::select::{Case, check, returning};
use crate::ir::{Op, Type, Value};
use Type::{F32, F32x4, I1x4, I32, I32x4, I64, Ptr};

/// A vector of integers from a pointer, and what is made of it and a number, stored there again.
fn made(build: impl FnOnce(&mut Case, Value, Value) -> Value) -> String {
    returning(&[Ptr, I32], |c| {
        let (p, x) = (c.param(0), c.param(1));
        let v = c.with(Op::Load, I32x4, &[p], 0);
        let all = c.with(Op::Splat, I32x4, &[x], 0);
        let result = build(c, v, all);
        c.with(Op::Store, Type::Void, &[result, p], 0)
    })
}

#[test]
fn lanes_are_computed_in_one_register() {
    check(&[
        (
            made(|c, v, x| {
                let product = c.with(Op::Mul, I32x4, &[v, x], 0);
                c.with(Op::Add, I32x4, &[product, v], 0)
            }),
            "ldr c, [a, #0]; dup d.4s, b; mla e.4s, c.4s, d.4s; str e, [a, #0]",
        ),
        (
            made(|c, v, x| {
                let less = c.with(Op::ICmp, I1x4, &[v, x], crate::ir::IntPred::Slt as u32);
                c.with(Op::Select, I32x4, &[less, v, x], 0)
            }),
            "ldr c, [a, #0]; dup d.4s, b; cmgt e.4s, d.4s, c.4s; bsl f.16b, c.16b, d.16b; str f, [a, #0]",
        ),
        (
            made(|c, v, _| {
                let five = c.f.int(5);
                let five = c.with(Op::Splat, I32x4, &[five], 0);
                c.with(Op::AShr, I32x4, &[v, five], 0)
            }),
            "ldr b, [a, #0]; sshr c.4s, b.4s, #5; str c, [a, #0]",
        ),
        (
            returning(&[Ptr], |c| {
                let v = c.with(Op::Load, I32x4, &[c.param(0)], 0);
                c.with(Op::ReduceAdd, I32, &[v], 0)
            }),
            "ldr b, [a, #0]; addv c, b.4s; umov d, c.s[0]",
        ),
        (
            returning(&[Ptr], |c| {
                let backwards = c.f.int_of(I64, -4);
                let v = c.with(Op::StridedLoad, F32x4, &[c.param(0), backwards], 0);
                c.with(Op::ExtractLane, F32, &[v], 2)
            }),
            "ldur b, [a, #-12]; rev64 c.4s, b.4s; ext d.16b, c.16b, c.16b, #8; mov e, d.s[2]",
        ),
    ]);
}

#[test]
fn what_is_not_legal_is_done_a_lane_at_a_time_between_vectors() {
    let code = made(|c, v, x| {
        let quotient = c.with(Op::SDiv, I32x4, &[v, x], 0);
        c.with(Op::Add, I32x4, &[quotient, v], 0)
    });
    for (text, count) in [("sdiv ", 4), ("umov ", 3), ("add ", 1), ("ldr ", 1), ("str ", 1)] {
        assert!(code.matches(text).count() >= count, "{text} {code}");
    }
    assert_eq!(
        code.matches("mov ").count() - code.matches("umov ").count(),
        4,
        "lanes are put together: {code}"
    );
}
