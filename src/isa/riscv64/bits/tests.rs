//! What is selected with Zba and Zbb, and what must not be.

use super::*;
use crate::base::Handle;
use crate::ir::build::Builder;
use crate::ir::{self, Shape};
use crate::isa::features::COMPRESSED;
use crate::isa::riscv64::tests::{selected, selected_for};

const WORD: Type = Type::I32;
const LONG: Type = Type::I64;

/// What is selected with both extensions; and it must be something else without them.
fn with(params: &[Type], result: Type, make: impl Fn(&mut Builder, &[Value]) -> Value) -> String {
    let make = |b: &mut Builder, p: &[Value]| Some(make(b, p));
    let more = selected_for(COMPRESSED.with(ZBA).with(ZBB), params, result, false, make).join("; ");
    assert_ne!(more, selected(params, result, false, make).join("; "));
    more
}

/// What is selected with and without, where the extensions have nothing better.
fn same(params: &[Type], result: Type, make: impl Fn(&mut Builder, &[Value]) -> Value) {
    let make = |b: &mut Builder, p: &[Value]| Some(make(b, p));
    let more = selected_for(COMPRESSED.with(ZBA).with(ZBB), params, result, false, make);
    assert_eq!(more, selected(params, result, false, make));
}

fn int(b: &mut Builder, ty: Type, x: i64) -> Value {
    b.int_of(ty, x)
}

#[test]
fn elements_are_addressed_by_shifted_sums() {
    let element = |bytes: u32, wide: bool| {
        with(&[Type::Ptr, WORD], Type::Ptr, move |b, p| {
            let shape = Shape::scalar(if bytes == 8 { LONG } else { WORD });
            let index = if wide { b.convert(Op::ZExt, p[1], LONG) } else { p[1] };
            b.insert(Op::ElemAddr, Type::Ptr, &[p[0], index], shape.index() as u32)
        })
    };
    assert_eq!(element(4, false), "sh2add A, B, C");
    assert_eq!(element(8, false), "sh3add A, B, C");
    assert_eq!(element(4, true), "sh2add.uw A, B, C");
    // Rows of three words: 12 bytes.
    let row = |make: fn(&mut Builder) -> Vec<Value>| {
        with(&[WORD], WORD, move |b, p| {
            let global = ir::GlobalId::new(1);
            let shape = b.env.shapes.element(b.env.globals[global].shape);
            let mut args = vec![Value::global(global), p[0]];
            args.extend(make(b));
            let at = b.insert(Op::ElemAddr, Type::Ptr, &args, shape.index() as u32);
            b.load(WORD, at)
        })
    };
    assert_eq!(row(|b| vec![b.int(2)]), "lla A, a+8; sh1add B, C, C; sh2add D, B, A; lw E, 0(D)");
}

#[test]
fn shifted_sums_of_words_need_a_shift_behind_them() {
    let twelve = |b: &mut Builder, p: &[Value]| {
        let [one, two] = [1, 2].map(|x| b.int(x));
        let double = b.insert(Op::Shl, WORD, &[p[0], one], 0);
        let sum = b.insert(Op::Add, WORD, &[double, p[0]], 0);
        b.insert(Op::Shl, WORD, &[sum, two], 0)
    };
    assert_eq!(with(&[WORD], WORD, twelve), "sh1add A, B, B; slliw C, A, 2");
    same(&[WORD], WORD, |b, p| {
        let one = b.int(1);
        let double = b.insert(Op::Shl, WORD, &[p[0], one], 0);
        b.insert(Op::Add, WORD, &[double, p[0]], 0)
    });
}

/// Every scale of an address that takes two instructions, by what the instructions do.
#[test]
fn products_are_what_they_should_be() {
    let value = |line: &str, known: &[(String, i64)]| {
        let (op, operands) = line.split_once(' ').unwrap();
        let names: Vec<&str> = operands.split(", ").collect();
        let get = |name: &str| known.iter().find(|(known, _)| known == name).map_or(1, |&(_, x)| x);
        let &[to, a, b] = &names[..] else { return None };
        let (a, b) = (get(a), b.parse().unwrap_or_else(|_| get(b)));
        let x = match op {
            "sh1add" => 2 * a + b,
            "sh2add" => 4 * a + b,
            "sh3add" => 8 * a + b,
            "slli" | "slliw" => a << b,
            "add" => a + b,
            "sub" => a - b,
            _ => return None,
        };
        Some((to.to_string(), x))
    };
    let mut short = 0;
    for x in 2..400 {
        let make = |b: &mut Builder, p: &[Value]| {
            let row = b.env.shapes.of(Type::I8, &[x]);
            Some(b.insert(Op::ElemAddr, Type::Ptr, &[p[0], p[1]], row.index() as u32))
        };
        let mut lines = selected_for(ZBA, &[Type::Ptr, LONG], Type::Ptr, false, make);
        lines.retain(|line| !line.starts_with("mv "));
        let mut known = Vec::new();
        for line in &lines {
            known.extend(value(line, &known));
        }
        if known.len() == lines.len() {
            assert_eq!(known.last().unwrap().1, i64::from(x) + 1, "{lines:?}");
            short += usize::from(lines.len() <= 3);
        }
    }
    assert!(short > 50, "{short}");
}

#[test]
fn sums_take_shifts_and_extensions_in() {
    let sum = with(&[LONG, LONG], LONG, |b, p| {
        let two = b.int_of(LONG, 2);
        let shifted = b.insert(Op::Shl, LONG, &[p[0], two], 0);
        b.insert(Op::Add, LONG, &[p[1], shifted], 0)
    });
    assert_eq!(sum, "sh2add A, B, C");
    let widened = with(&[WORD, LONG], LONG, |b, p| {
        let wide = b.convert(Op::ZExt, p[0], LONG);
        b.insert(Op::Add, LONG, &[wide, p[1]], 0)
    });
    assert_eq!(widened, "add.uw A, B, C");
    let shifted = with(&[WORD], LONG, |b, p| {
        let (wide, seven) = (b.convert(Op::ZExt, p[0], LONG), b.int_of(LONG, 7));
        b.insert(Op::Shl, LONG, &[wide, seven], 0)
    });
    assert_eq!(shifted, "slli.uw A, B, 7");
    assert_eq!(with(&[WORD], LONG, |b, p| b.convert(Op::ZExt, p[0], LONG)), "add.uw A, B, zero");
    // A sum of 32 bits must be extended after it.
    same(&[WORD, WORD], WORD, |b, p| {
        let two = b.int(2);
        let shifted = b.insert(Op::Shl, WORD, &[p[0], two], 0);
        b.insert(Op::Add, WORD, &[p[1], shifted], 0)
    });
    // A shift that something else needs too is no part of the sum.
    same(&[LONG, LONG], LONG, |b, p| {
        let two = b.int_of(LONG, 2);
        let shifted = b.insert(Op::Shl, LONG, &[p[0], two], 0);
        let sum = b.insert(Op::Add, LONG, &[p[1], shifted], 0);
        b.insert(Op::Xor, LONG, &[sum, shifted], 0)
    });
}

#[test]
fn logic_takes_a_complement_in() {
    let logic = |op: Op, ty: Type| {
        move |b: &mut Builder, p: &[Value]| {
            let ones = if ty == Type::I1 { Value::bool(true) } else { int(b, ty, -1) };
            let not = b.insert(Op::Xor, ty, &[p[1], ones], 0);
            b.insert(op, ty, &[not, p[0]], 0)
        }
    };
    for (op, name) in [(Op::And, "andn"), (Op::Or, "orn"), (Op::Xor, "xnor")] {
        assert_eq!(with(&[WORD, WORD], WORD, logic(op, WORD)), format!("{name} A, B, C"));
        assert_eq!(with(&[LONG, LONG], LONG, logic(op, LONG)), format!("{name} A, B, C"));
    }
    assert_eq!(with(&[Type::I1, Type::I1], Type::I1, logic(Op::And, Type::I1)), "andn A, B, C");
    same(&[Type::I1, Type::I1], Type::I1, logic(Op::Or, Type::I1));
    let outside = with(&[WORD, WORD], WORD, |b, p| {
        let (ones, xor) = (b.int(-1), b.insert(Op::Xor, WORD, &[p[0], p[1]], 0));
        b.insert(Op::Xor, WORD, &[xor, ones], 0)
    });
    assert_eq!(outside, "xnor A, B, C");
    same(&[WORD], WORD, |b, p| {
        let (ones, mask) = (b.int(-1), b.int(12));
        let not = b.insert(Op::Xor, WORD, &[p[0], ones], 0);
        b.insert(Op::And, WORD, &[not, mask], 0)
    });
}

#[test]
fn choices_of_the_lesser_or_greater_are_one_instruction() {
    let choose = |pred: IntPred, swapped: bool| {
        move |b: &mut Builder, p: &[Value]| {
            let c = b.icmp(pred, p[0], p[1]);
            let (x, y) = if swapped { (p[1], p[0]) } else { (p[0], p[1]) };
            b.insert(Op::Select, WORD, &[c, x, y], 0)
        }
    };
    for (pred, swapped, name) in [
        (IntPred::Slt, false, "min"),
        (IntPred::Sge, false, "max"),
        (IntPred::Sle, true, "max"),
        (IntPred::Sgt, true, "min"),
        (IntPred::Ult, false, "minu"),
        (IntPred::Ugt, false, "maxu"),
        (IntPred::Ule, true, "maxu"),
    ] {
        let line = with(&[WORD, WORD], WORD, choose(pred, swapped));
        assert!(line.starts_with(&format!("{name} ")) && !line.contains(';'), "{line}");
    }
    same(&[WORD, WORD], WORD, choose(IntPred::Eq, false));
    let against = |pred: IntPred, bound: i32, other: i32| {
        move |b: &mut Builder, p: &[Value]| {
            let (bound, other) = (b.int(bound), b.int(other));
            let c = b.icmp(pred, p[0], bound);
            b.insert(Op::Select, WORD, &[c, p[0], other], 0)
        }
    };
    assert_eq!(with(&[WORD], WORD, against(IntPred::Slt, 5, 4)), "li A 4; min B, C, A");
    assert_eq!(with(&[WORD], WORD, against(IntPred::Sgt, -1, 0)), "max A, B, zero");
    assert_eq!(with(&[WORD], WORD, against(IntPred::Ugt, 6, 7)), "li A 7; maxu B, C, A");
    same(&[WORD], WORD, against(IntPred::Slt, 5, 6));
    same(&[WORD], WORD, against(IntPred::Ult, 0, -1));
    same(&[WORD], WORD, against(IntPred::Slt, i32::MIN, i32::MAX));
}

#[test]
fn rotations_are_shifts_to_both_sides() {
    let constant = |ty: Type, left: i64, right: i64| {
        move |b: &mut Builder, p: &[Value]| {
            let (left, right) = (int(b, ty, left), int(b, ty, right));
            let high = b.insert(Op::Shl, ty, &[p[0], left], 0);
            let low = b.insert(Op::LShr, ty, &[p[0], right], 0);
            b.insert(Op::Or, ty, &[low, high], 0)
        }
    };
    assert_eq!(with(&[WORD], WORD, constant(WORD, 7, 25)), "roriw A, B, 25");
    assert_eq!(with(&[LONG], LONG, constant(LONG, 1, 63)), "rori A, B, 63");
    same(&[WORD], WORD, constant(WORD, 7, 24));
    same(&[LONG], LONG, constant(LONG, 7, 25));
    let variable = |ty: Type, left: bool| {
        move |b: &mut Builder, p: &[Value]| {
            let bits = int(b, ty, i64::from(ty.int_bits()));
            let rest = b.insert(Op::Sub, ty, &[bits, p[1]], 0);
            let (l, r) = if left { (p[1], rest) } else { (rest, p[1]) };
            let high = b.insert(Op::Shl, ty, &[p[0], l], 0);
            let low = b.insert(Op::LShr, ty, &[p[0], r], 0);
            b.insert(Op::Or, ty, &[high, low], 0)
        }
    };
    for (ty, left, name) in
        [(WORD, true, "rolw"), (WORD, false, "rorw"), (LONG, true, "rol"), (LONG, false, "ror")]
    {
        assert_eq!(with(&[ty, ty], ty, variable(ty, left)), format!("{name} A, B, C"));
    }
}

#[test]
fn shifts_to_and_fro_extend() {
    let extend = |op: Op, ty: Type, by: i64| {
        move |b: &mut Builder, p: &[Value]| {
            let by = int(b, ty, by);
            let left = b.insert(Op::Shl, ty, &[p[0], by], 0);
            b.insert(op, ty, &[left, by], 0)
        }
    };
    assert_eq!(with(&[WORD], WORD, extend(Op::AShr, WORD, 24)), "sext.b A, B");
    assert_eq!(with(&[LONG], LONG, extend(Op::AShr, LONG, 48)), "sext.h A, B");
    assert_eq!(with(&[WORD], WORD, extend(Op::LShr, WORD, 16)), "zext.h A, B");
    same(&[WORD], WORD, extend(Op::AShr, WORD, 20));
    same(&[LONG], LONG, extend(Op::AShr, LONG, 24));
    let mask = with(&[WORD], WORD, |b, p| {
        let mask = b.int(0xffff);
        b.insert(Op::And, WORD, &[p[0], mask], 0)
    });
    assert_eq!(mask, "zext.h A, B");
    assert_eq!(with(&[LONG], Type::I8, |b, p| b.convert(Op::Trunc, p[0], Type::I8)), "sext.b A, B");
}

#[test]
fn zeros_are_counted_and_bytes_swapped() {
    let one = |op: Op, ty: Type| with(&[ty], ty, move |b, p| b.insert(op, ty, &[p[0]], 0));
    assert_eq!(one(Op::LeadingZeros, WORD), "clzw A, B");
    assert_eq!(one(Op::TrailingZeros, WORD), "ctzw A, B");
    assert_eq!(one(Op::TrailingZeros, LONG), "ctz A, B");
    assert_eq!(one(Op::SwapBytes, LONG), "rev8 A, B");
    // The bytes of a word come in the upper half.
    assert_eq!(one(Op::SwapBytes, WORD), "rev8 A, B; srai C, A, 32");
}
