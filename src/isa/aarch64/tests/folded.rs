//! What is part of its user: fields of bits, comparisons that are joined, extensions that loads do.

use super::select::{Case, branch, check, returning};
use crate::base::Handle;
use crate::ir::{FloatPred, IntPred, Op, Shape, Type, Value};
use Type::{F32, I1, I32, I64, Ptr};

/// The code of one operation by a constant on the result of another, of a parameter.
fn two(ty: Type, [inner, outer]: [(Op, i64); 2]) -> String {
    returning(&[ty], |c| {
        let [x, y] = [inner, outer].map(|(_, x)| c.f.int_of(ty, x));
        let v = c.op(inner.0, ty, &[c.param(0), x]);
        c.op(outer.0, ty, &[v, y])
    })
}

/// The code of an `or` of two values made of two parameters.
fn either(ty: Type, parts: [(usize, &[(Op, i64)]); 2]) -> String {
    returning(&[ty, ty], |c| {
        let [a, b] = parts.map(|(k, ops)| {
            ops.iter().fold(c.param(k), |v, &(op, x)| {
                let x = c.f.int_of(ty, x);
                c.op(op, ty, &[v, x])
            })
        });
        c.op(Op::Or, ty, &[a, b])
    })
}

#[test]
fn fields_of_bits() {
    use Op::{AShr, And, LShr, Shl};
    check(&[
        (two(I32, [(LShr, 3), (And, 0xff)]), "ubfx b, a, #3, #8"),
        (two(I64, [(LShr, 40), (And, 0xffff)]), "ubfx b, a, #40, #16"),
        (two(I32, [(AShr, 3), (And, 0xff)]), "ubfx b, a, #3, #8"),
        // The mask takes copies of the sign.
        (two(I32, [(AShr, 28), (And, 0xff)]), "asr b, a, #28; and c, b, #255"),
        (two(I32, [(LShr, 28), (And, 0xff)]), "ubfx b, a, #28, #4"),
        (two(I32, [(LShr, 3), (And, 0xf0)]), "lsr b, a, #3; and c, b, #240"),
        (two(I32, [(And, 0xff), (Shl, 3)]), "ubfiz b, a, #3, #8"),
        (two(I32, [(And, 0xff), (Shl, 28)]), "ubfiz b, a, #28, #4"),
        (two(I32, [(Shl, 3), (And, 0xf8)]), "ubfiz b, a, #3, #5"),
        (two(I32, [(Shl, 3), (And, 0xff)]), "ubfiz b, a, #3, #5"),
        (two(I32, [(Shl, 3), (And, 0xf0)]), "lsl b, a, #3; and c, b, #240"),
        (two(I64, [(Shl, 40), (AShr, 50)]), "sbfx b, a, #10, #14"),
        (two(I64, [(Shl, 40), (LShr, 30)]), "ubfiz b, a, #10, #24"),
        (two(I32, [(Shl, 20), (AShr, 10)]), "sbfiz b, a, #10, #12"),
        (
            returning(&[I32], |c| {
                let (v, k) = (c.op(Op::SExt, I64, &[c.param(0)]), c.f.int_of(I64, 7));
                c.op(Shl, I64, &[v, k])
            }),
            "sbfiz b, a, #7, #32",
        ),
        (
            returning(&[I32], |c| {
                let (v, k) = (c.op(Op::ZExt, I64, &[c.param(0)]), c.f.int_of(I64, 40));
                c.op(Shl, I64, &[v, k])
            }),
            "ubfiz b, a, #40, #24",
        ),
        (either(I32, [(0, &[(And, !0xff0)]), (1, &[(And, 0xff), (Shl, 4)])]), "bfi c, b, #4, #8"),
        (either(I32, [(0, &[(And, !0xff)]), (1, &[(And, 0xff)])]), "bfi c, b, #0, #8"),
        (either(I64, [(1, &[(LShr, 8), (And, 0xff)]), (0, &[(And, !0xff)])]), "bfxil c, b, #8, #8"),
        (either(I32, [(0, &[(And, 0xffff)]), (1, &[(Shl, 16)])]), "bfi c, b, #16, #16"),
        // The mask leaves a bit where the field goes.
        (
            either(I32, [(0, &[(And, !0x7f0)]), (1, &[(And, 0xff), (Shl, 4)])]),
            "and c, a, #-2033; and d, b, #255; orr e, c, d, lsl #4",
        ),
        // An extension, which has one operand, and a conversion, which is no field.
        (
            returning(&[I32, Type::I8], |c| {
                let mask = c.int(!0xff);
                let kept = c.op(And, I32, &[c.param(0), mask]);
                let put = c.op(Op::ZExt, I32, &[c.param(1)]);
                c.op(Op::Or, I32, &[kept, put])
            }),
            "bfi c, b, #0, #8",
        ),
        (
            returning(&[I32, F32], |c| {
                let mask = c.int(!0xff);
                let kept = c.op(And, I32, &[c.param(0), mask]);
                let put = c.op(Op::FPToSI, I32, &[c.param(1)]);
                c.op(Op::Or, I32, &[kept, put])
            }),
            "and c, a, #-256; fcvtzs d, b; orr e, c, d",
        ),
        (either(I32, [(0, &[(Shl, 12)]), (1, &[(LShr, 20)])]), "extr c, a, b, #20"),
        (either(I64, [(1, &[(LShr, 60)]), (1, &[(Shl, 4)])]), "extr b, a, a, #60"),
        (either(I32, [(0, &[(Shl, 12)]), (1, &[(LShr, 21)])]), "lsl c, a, #12; orr d, c, b, lsr #21"),
    ]);
}

#[test]
fn comparisons_that_are_joined() {
    let int = |c: &mut Case, pred: IntPred, k: usize, x: i32| {
        let x = c.int(x);
        c.with(Op::ICmp, I1, &[c.param(k), x], pred as u32)
    };
    let joined = |op: Op| {
        returning(&[I32, I32], |c| {
            let [a, b] = [int(c, IntPred::Sgt, 0, 5), int(c, IntPred::Slt, 1, -7)];
            c.op(op, I1, &[a, b])
        })
    };
    check(&[
        // The flags of b.lt are not set where a <= 5 is known to fail, and set where a > 5 is known to hold.
        (joined(Op::And), "cmp a, #5; ccmn b, #7, #0, gt; cset c, lt"),
        (joined(Op::Or), "cmp a, #5; ccmn b, #7, #8, le; cset c, lt"),
        (
            returning(&[I64, I64, F32, F32], |c| {
                let a = c.with(Op::ICmp, I1, &[c.param(0), c.param(1)], IntPred::Ult as u32);
                let b = c.with(Op::FCmp, I1, &[c.param(2), c.param(3)], FloatPred::Olt as u32);
                let v = c.op(Op::Or, I1, &[a, b]);
                c.op(Op::ZExt, I32, &[v])
            }),
            "cmp a, b; fccmp c, d, #8, hs; cset e, mi",
        ),
        (
            branch(&[I32, I32], |c| {
                let [a, b] = [int(c, IntPred::Sgt, 0, 5), int(c, IntPred::Eq, 1, 1000)];
                let both = c.op(Op::And, I1, &[a, b]);
                let none = c.op(Op::Xor, I1, &[both, Value::bool(true)]);
                let other = int(c, IntPred::Eq, 0, 9);
                c.op(Op::Or, I1, &[none, other])
            }),
            "li_w c #1000; cmp a, #5; ccmp b, c, #0, gt; ccmp a, #9, #4, eq; b.eq .Lf0_1",
        ),
        // A comparison that is wanted as such, too, is a value.
        (
            returning(&[I32, I32], |c| {
                let [a, b] = [int(c, IntPred::Sgt, 0, 5), int(c, IntPred::Eq, 1, 1)];
                let both = c.op(Op::And, I1, &[a, b]);
                let [x, y, z] = [a, b, both].map(|v| c.op(Op::ZExt, I32, &[v]));
                let sum = c.op(Op::Add, I32, &[x, y]);
                c.op(Op::Add, I32, &[sum, z])
            }),
            "cmp a, #5; cset c, gt; cmp b, #1; cset d, eq; and e, c, d; mov f, c; mov g, d; mov h, e; add i, f, g; add j, i, h",
        ),
    ]);
}

#[test]
fn loads_extend_what_nothing_else_uses() {
    let extended = |op: Op, from: Type, to: Type, twice: bool| {
        returning(&[Ptr, Ptr], |c| {
            let v = c.op(Op::Load, from, &[c.param(0)]);
            if twice {
                c.op(Op::Store, Type::Void, &[v, c.param(1)]);
            }
            c.op(op, to, &[v])
        })
    };
    let by = |op: Op, mask: Option<i64>| {
        returning(&[Ptr, if mask.is_some() { I64 } else { I32 }], |c| {
            let index = match mask {
                Some(mask) => {
                    let mask = c.f.int_of(I64, mask);
                    c.op(op, I64, &[c.param(1), mask])
                }
                None => c.op(op, I64, &[c.param(1)]),
            };
            let at = c.with(Op::ElemAddr, Ptr, &[c.param(0), index], Shape::scalar(I32).index() as u32);
            c.op(Op::Load, I32, &[at])
        })
    };
    let compared = |c: &mut Case, v: Value| {
        let x = c.f.int_of(Type::I8, -56);
        c.with(Op::ICmp, I1, &[v, x], IntPred::Ult as u32)
    };
    check(&[
        (extended(Op::ZExt, Type::I8, I32, false), "ldrb b, [a, #0]"),
        (extended(Op::ZExt, Type::I16, I64, false), "ldrh b, [a, #0]"),
        (extended(Op::ZExt, I32, I64, false), "ldr b, [a, #0]"),
        (extended(Op::SExt, Type::I8, I32, false), "ldrsb b, [a, #0]"),
        (extended(Op::SExt, I32, I64, false), "ldrsw b, [a, #0]"),
        // What is stored keeps its register, which has zeros above it, but not its sign.
        (extended(Op::ZExt, Type::I8, I32, true), "ldrb c, [a, #0]; strb c, [b, #0]"),
        (extended(Op::SExt, Type::I16, I64, true), "ldrh c, [a, #0]; strh c, [b, #0]; sbfx d, c, #0, #16"),
        (returning(&[Type::I8], |c| c.op(Op::ZExt, I64, &[c.param(0)])), "uxtb b, a"),
        // A truth that is passed has anything above the word.
        (
            returning(&[I1], |c| {
                let v = c.op(Op::ZExt, I32, &[c.param(0)]);
                c.op(Op::ZExt, I64, &[v])
            }),
            "mov b, a; mov c, b",
        ),
        (
            returning(&[Type::I8], |c| {
                let mask = c.f.int_of(Type::I8, 15);
                let v = c.op(Op::And, Type::I8, &[c.param(0), mask]);
                c.op(Op::ZExt, I64, &[v])
            }),
            "and b, a, #15",
        ),
        (
            returning(&[Ptr], |c| {
                let v = c.op(Op::Load, Type::I8, &[c.param(0)]);
                compared(c, v)
            }),
            "ldrb b, [a, #0]; cmp b, #200; cset c, lo",
        ),
        (returning(&[Type::I8], |c| compared(c, c.param(0))), "uxtb b, a; cmp b, #200; cset c, lo"),
        (by(Op::ZExt, None), "ldr c, [a, b, uxtw #2]"),
        (by(Op::And, Some(0xffff_ffff)), "ldr c, [a, b, uxtw #2]"),
        (by(Op::And, Some(0xff_ffff_ffff)), "ubfx c, b, #0, #40; ldr d, [a, c, lsl #2]"),
    ]);
}

#[test]
fn zeros_are_counted_and_bytes_swapped() {
    let one = |op: Op, ty: Type| returning(&[ty], |c| c.op(op, ty, &[c.param(0)]));
    check(&[
        (one(Op::LeadingZeros, I32), "clz b, a"),
        (one(Op::LeadingZeros, I64), "clz b, a"),
        (one(Op::TrailingZeros, I64), "rbit b, a; clz c, b"),
        (one(Op::SwapBytes, I32), "rev b, a"),
    ]);
}

#[test]
fn comparisons_of_less_than_a_word() {
    let icmp = |c: &mut Case, v: Value, pred: IntPred, x: i64| {
        let x = c.f.int_of(c.f.type_of(v), x);
        c.with(Op::ICmp, I1, &[v, x], pred as u32)
    };
    let passed = |ty: Type, pred: IntPred, x: i64| branch(&[ty], |c| icmp(c, c.param(0), pred, x));
    let masked = |ty: Type, mask: i64, pred: IntPred, x: i64| {
        branch(&[ty], |c| {
            let mask = c.f.int_of(ty, mask);
            let v = c.op(Op::And, ty, &[c.param(0), mask]);
            icmp(c, v, pred, x)
        })
    };
    let loaded = |pred: IntPred, x: i64| {
        branch(&[Ptr], |c| {
            let v = c.op(Op::Load, I8, &[c.param(0)]);
            icmp(c, v, pred, x)
        })
    };
    use Type::{I8, I16};
    check(&[
        (loaded(IntPred::Eq, 0), "ldrb b, [a, #0]; cbz b, .Lf0_1"),
        (loaded(IntPred::Slt, 0), "ldrb b, [a, #0]; tbnz b, #7, .Lf0_1"),
        (passed(I8, IntPred::Eq, 0), "tst a, #255; b.eq .Lf0_1"),
        (passed(I16, IntPred::Ne, 0), "tst a, #65535; b.ne .Lf0_1"),
        (passed(I8, IntPred::Sgt, -1), "tbz a, #7, .Lf0_1"),
        (passed(I16, IntPred::Slt, 0), "tbnz a, #15, .Lf0_1"),
        (passed(I8, IntPred::Sgt, 1), "sxtb b, a; cmp b, #1; b.gt .Lf0_1"),
        (masked(I8, -128, IntPred::Ne, 0), "tbnz a, #7, .Lf0_1"),
        (masked(I8, -64, IntPred::Ne, 0), "tst a, #192; b.ne .Lf0_1"),
        (masked(I16, -28672, IntPred::Eq, 0), "li_w b #36864; tst a, b; b.eq .Lf0_1"),
        (masked(I8, -64, IntPred::Eq, -128), "and b, a, #192; cmp b, #128; b.eq .Lf0_1"),
        // Of a truth, nothing is known of what is above it.
        (passed(I1, IntPred::Eq, 0), "cmp a, #0; b.eq .Lf0_1"),
        (
            returning(&[I8], |c| {
                let is = icmp(c, c.param(0), IntPred::Slt, 0);
                c.op(Op::ZExt, I32, &[is])
            }),
            "tst a, #128; cset b, ne",
        ),
        // Joined ones are of what has zeros above it.
        (
            branch(&[Ptr, I8], |c| {
                let v = c.op(Op::Load, I8, &[c.param(0)]);
                let (a, b) = (icmp(c, v, IntPred::Eq, -6), icmp(c, c.param(1), IntPred::Ne, 0));
                c.op(Op::And, I1, &[a, b])
            }),
            "ldrb c, [a, #0]; li_w d #250; tst b, #255; ccmp c, d, #0, ne; b.eq .Lf0_1",
        ),
        (
            branch(&[Ptr, I8], |c| {
                let v = c.op(Op::Load, I8, &[c.param(0)]);
                let (a, b) = (icmp(c, v, IntPred::Ugt, 9), icmp(c, v, IntPred::Ne, -3));
                c.op(Op::And, I1, &[a, b])
            }),
            "ldrb b, [a, #0]; li_w c #253; cmp b, #9; ccmp b, c, #4, hi; b.ne .Lf0_1",
        ),
    ]);
}
