//! Comparisons behind others, under conditions.

use super::{branching, selected};
use crate::ir::build::Builder;
use crate::ir::{FloatPred, IntPred, Op, Type, Value};

/// The rows for a branch by what `make` makes of words and a float, up to the branch.
fn branch(make: impl Fn(&mut Builder, &[Value]) -> Value) -> Vec<String> {
    let lines = branching(&[Type::I32, Type::I32, Type::I32, Type::F32, Type::I1], make);
    let end = lines.iter().position(|line| line.starts_with('b') && line.contains(".L")).unwrap();
    lines[..=end].to_vec()
}

fn join(b: &mut Builder, op: Op, x: Value, y: Value) -> Value {
    b.insert(op, Type::I1, &[x, y], 0)
}

fn with(b: &mut Builder, pred: IntPred, v: Value, x: i32) -> Value {
    let x = b.int(x);
    b.icmp(pred, v, x)
}

#[test]
fn comparisons_that_imply_one_another_are_a_chain() {
    // The operands of the second one the other way around.
    let lines = branch(|b, p| {
        let (x, y) = (b.icmp(IntPred::Slt, p[0], p[1]), b.icmp(IntPred::Sgt, p[1], p[2]));
        join(b, Op::And, x, y)
    });
    assert_eq!(lines, ["cmp <v0>, <v1>", "cmplt <v2>, <v1>", "blt .Lf3_1"]);
    // 0 <= x is not less than -1.
    let lines = branch(|b, p| {
        let (x, y) = (with(b, IntPred::Sge, p[0], 0), b.icmp(IntPred::Slt, p[0], p[1]));
        join(b, Op::And, x, y)
    });
    assert_eq!(lines, ["cmn <v0>, #1", "cmpgt <v1>, <v0>", "bgt .Lf3_1"]);
    // The strong one first, where one of both is enough; a negation of both is the other kind.
    let lines = branch(|b, p| {
        let (x, y) = (b.icmp(IntPred::Sle, p[0], p[1]), b.icmp(IntPred::Eq, p[1], p[2]));
        join(b, Op::Or, x, y)
    });
    assert_eq!(lines, ["cmp <v0>, <v1>", "cmpne <v2>, <v0>", "ble .Lf3_1"]);
    let lines = branch(|b, p| {
        let (x, y) = (with(b, IntPred::Ne, p[0], 3), with(b, IntPred::Ne, p[1], 4));
        let both = join(b, Op::And, x, y);
        let yes = Value::bool(true);
        join(b, Op::Xor, both, yes)
    });
    assert_eq!(lines, ["cmp <v0>, #3", "cmpne <v1>, #4", "beq .Lf3_1"]);
}

#[test]
fn what_does_not_fit_is_a_truth_in_a_register() {
    // No condition of an equality is implied by less, or implies it.
    let lines = branch(|b, p| {
        let (x, y) = (with(b, IntPred::Eq, p[0], 3), b.icmp(IntPred::Slt, p[1], p[2]));
        join(b, Op::And, x, y)
    });
    let [.., last, branch_] = &lines[..] else { panic!("{lines:?}") };
    assert!(last.starts_with("cmp") && !last.starts_with("cmp ") && branch_.starts_with('b'), "{lines:?}");
    let lines = branch(|b, p| {
        let zero = b.f32(0.0);
        let (x, y) = (b.fcmp(FloatPred::Olt, p[3], zero), with(b, IntPred::Eq, p[0], 0));
        join(b, Op::And, x, y)
    });
    assert_eq!(lines.iter().filter(|line| line.starts_with("cmp")).count(), 2, "{lines:?}");
    // Truths alone stay what they are.
    let lines = branch(|b, p| {
        let x = b.convert(Op::Trunc, p[0], Type::I1);
        join(b, Op::And, x, p[4])
    });
    assert!(lines.iter().all(|line| !line.starts_with("cmpne")), "{lines:?}");
}

#[test]
fn joined_comparisons_are_a_value_by_their_condition() {
    let lines = selected(&[Type::I32; 2], |b, p| {
        let (x, y) = (with(b, IntPred::Ugt, p[0], 9), with(b, IntPred::Ugt, p[1], 5));
        let either = join(b, Op::Or, x, y);
        Some(b.convert(Op::ZExt, either, Type::I32))
    });
    assert_eq!(super::names(&lines), ["cmp", "cmpls", "li", "movhi", "mov"]);
}
