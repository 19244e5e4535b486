//! Long products in sums, and bits that are counted.

use super::{names, selected};
use crate::ir::build::Builder;
use crate::ir::{Op, Type, Value};

/// The rows for a sum of i64 of words: `make` gets i64 parameters, and words that are extended.
fn sum(extend: Op, make: impl Fn(&mut dyn FnMut(Op, Value, Value) -> Value, &[Value]) -> Value) -> String {
    let lines = selected(&[Type::I64, Type::I32, Type::I32, Type::I32], |b: &mut Builder, p| {
        let words = [1, 2, 3].map(|k| b.convert(extend, p[k], Type::I64));
        let values = [p[0], words[0], words[1], words[2]];
        let mut op = |op, x, y| b.insert(op, Type::I64, &[x, y], 0);
        Some(make(&mut op, &values))
    });
    names(&lines).join(" ")
}

#[test]
fn products_are_added_to_both_words() {
    let onto = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[1], v[2]);
        op(Op::Add, product, v[0])
    };
    assert_eq!(sum(Op::ZExt, onto), "umlal");
    assert_eq!(sum(Op::SExt, onto), "smlal");
    // A word above which there are zeros is a pair like any other; a second word goes along.
    let with_word = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[1], v[2]);
        op(Op::Add, v[3], product)
    };
    assert_eq!(sum(Op::ZExt, with_word), "ldr.arg li umlal");
    let with_words = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[1], v[2]);
        let first = op(Op::Add, product, v[3]);
        op(Op::Add, v[1], first)
    };
    assert_eq!(sum(Op::ZExt, with_words), "ldr.arg umaal");
    let of_words = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[1], v[2]);
        let both = op(Op::Add, v[1], v[3]);
        op(Op::Add, both, product)
    };
    assert_eq!(sum(Op::ZExt, of_words), "ldr.arg umaal");
    // Products with upper words are added to the upper word first.
    let whole = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[0], v[1]);
        op(Op::Add, product, v[0])
    };
    assert_eq!(sum(Op::ZExt, whole), "mla umlal");
}

#[test]
fn products_that_something_else_needs_stay() {
    let twice = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[1], v[2]);
        let sum = op(Op::Add, product, v[0]);
        op(Op::Xor, sum, product)
    };
    assert_eq!(sum(Op::ZExt, twice), "umull adds adc eor eor");
    // A difference has no such row.
    let less = |op: &mut dyn FnMut(Op, Value, Value) -> Value, v: &[Value]| {
        let product = op(Op::Mul, v[1], v[2]);
        op(Op::Sub, v[0], product)
    };
    assert_eq!(sum(Op::SExt, less), "smull subs sbc");
}

#[test]
fn zeros_are_counted_and_bytes_swapped_in_a_row_or_two() {
    let one = |op: Op, ty: Type| names(&selected(&[ty], |b, p| Some(b.insert(op, ty, &[p[0]], 0)))).join(" ");
    assert_eq!(one(Op::LeadingZeros, Type::I32), "clz");
    assert_eq!(one(Op::TrailingZeros, Type::I32), "rbit clz");
    assert_eq!(one(Op::SwapBytes, Type::I32), "rev");
    assert_eq!(one(Op::SwapBytes, Type::I64), "rev rev");
}
