//! What is selected for vectors.

use super::select::{Case, check, returning};
use crate::base::Handle;
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
fn a_product_takes_a_lane_from_where_it_is() {
    let with_lane = |ty: Type, op: Op, lane: u32, sum: Option<Op>| {
        returning(&[Ptr], |c| {
            let v = c.with(Op::Load, ty, &[c.param(0)], 0);
            let x = c.with(Op::ExtractLane, ty.element(), &[v], lane);
            let all = c.with(Op::Splat, ty, &[x], 0);
            let product = c.with(op, ty, &[v, all], 0);
            let result = sum.map_or(product, |sum| c.with(sum, ty, &[v, product], 0));
            c.with(Op::Store, Type::Void, &[result, c.param(0)], 0)
        })
    };
    check(&[
        (with_lane(I32x4, Op::Mul, 2, None), "ldr b, [a, #0]; mul c.4s, b.4s, b.s[2]; str c, [a, #0]"),
        (with_lane(F32x4, Op::FMul, 3, None), "ldr b, [a, #0]; fmul c.4s, b.4s, b.s[3]; str c, [a, #0]"),
        (
            with_lane(I32x4, Op::Mul, 1, Some(Op::Add)),
            "ldr b, [a, #0]; mla c.4s, b.4s, b.s[1]; str c, [a, #0]",
        ),
        (
            with_lane(I32x4, Op::Mul, 1, Some(Op::Sub)),
            "ldr b, [a, #0]; mls c.4s, b.4s, b.s[1]; str c, [a, #0]",
        ),
        (
            with_lane(I32x4, Op::Add, 1, None),
            "ldr b, [a, #0]; dup c.4s, b.s[1]; add d.4s, b.4s, c.4s; str d, [a, #0]",
        ),
        (
            made(|c, v, x| {
                let less = c.with(Op::ICmp, I1x4, &[v, x], crate::ir::IntPred::Slt as u32);
                let sum = c.with(Op::Add, I32x4, &[v, x], 0);
                let one = c.with(Op::Select, I32x4, &[less, sum, x], 0);
                let other = c.with(Op::Select, I32x4, &[less, one, v], 0);
                c.with(Op::Xor, I32x4, &[one, other], 0)
            }),
            "ldr c, [a, #0]; dup d.4s, b; cmgt e.4s, d.4s, c.4s; add f.4s, c.4s, d.4s; bif g.16b, d.16b, e.16b; \
             bsl h.16b, g.16b, c.16b; eor i.16b, g.16b, h.16b; str i, [a, #0]",
        ),
        (
            made(|c, v, x| c.with(Op::Splice, I32x4, &[v, x], 0)),
            "ldr c, [a, #0]; dup d.4s, b; ext e.16b, c.16b, d.16b, #12; str e, [a, #0]",
        ),
        (
            made(|c, v, x| {
                let low = c.with(Op::ZipLow, I32x4, &[v, x], 0);
                c.with(Op::ZipHigh, I32x4, &[low, x], 0)
            }),
            "ldr c, [a, #0]; dup d.4s, b; zip1 e.4s, c.4s, d.4s; zip2 f.4s, e.4s, d.4s; str f, [a, #0]",
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

/// Loads of so many lanes in turn from a pointer, from these words on, whose sum is stored there; something may stand between
/// them.
fn in_turn(count: i64, words: &[i32], between: impl Fn(&mut Case)) -> String {
    returning(&[Ptr], |c| {
        let p = c.param(0);
        let stride = c.f.int_of(I64, 4 * count);
        let mut sum = None;
        for (k, &word) in words.iter().enumerate() {
            if k > 0 {
                between(c);
            }
            let by = c.f.int(word);
            let at = match word {
                0 => p,
                _ => c.with(Op::ElemAddr, Ptr, &[p, by], crate::ir::Shape::scalar(I32).index() as u32),
            };
            let v = c.with(Op::StridedLoad, I32x4, &[at, stride], 0);
            sum = Some(sum.map_or(v, |sum| c.with(Op::Sub, I32x4, &[sum, v], 0)));
        }
        c.with(Op::Store, Type::Void, &[sum.unwrap(), p], 0)
    })
}

#[test]
fn lanes_in_turn_are_loaded_by_one_instruction() {
    let nothing = |_: &mut Case| {};
    let code = in_turn(2, &[0, 1], nothing);
    assert_eq!(code, "in_turn_2 b, c, a #0; sub d.4s, b.4s, c.4s; str d, [a, #0]");
    for (count, words, groups) in [
        (3, &[0, 1, 2][..], 1),
        (4, &[0, 1, 2, 3], 1),
        // Of a chain of three the first two; what follows the next round's is another group.
        (2, &[0, 1, 2], 1),
        (2, &[0, 1, 8, 9], 2),
        (2, &[1, 2], 1),
        // The other way round, one that is missing, and one twice.
        (2, &[1, 0], 0),
        (3, &[0, 2], 0),
        (2, &[0, 0, 1], 1),
        // A group that begins with the last access that is looked at is none for the others.
        (3, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17], 5),
    ] {
        let code = in_turn(count, words, nothing);
        assert_eq!(code.matches("in_turn").count(), groups, "{words:?}: {code}");
    }
    let stores = |c: &mut Case| {
        let (p, x) = (c.param(0), c.f.int(7));
        c.with(Op::Store, Type::Void, &[x, p], 0);
    };
    assert!(!in_turn(2, &[0, 1], stores).contains("in_turn"));
}
