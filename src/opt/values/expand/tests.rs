//! Every expansion at the borders of its numbers, run beside what it was made of, and what stays.

use super::*;
use crate::ir::interp;
use crate::ir::legal::Vectors;
use crate::ir::parse::parse;
use crate::opt::run::testing::apply_for;

const PLAIN: TargetFacts = TargetFacts {
    moving_vector: 0,
    pairs: false,
    moving_pairs: false,
    offsets_vector: [0, 0],
    any_stride: false,
    masks: false,
    vectors: Vectors::NONE,
    word: 64,
    least_table: 0,
    shifted_sum: 0,
    shifted_difference: false,
    reverse_difference: false,
    mask: 11,
    multiply_subtract: false,
    remainders: false,
    wide_products: true,
    upper_products: false,
    compare_and_branch: false,
    branch_on_zero: false,
    chooses: false,
    chooses_next: false,
    chooses_sum: false,
    scaled_int: false,
    scaled_float: false,
    moving_int: 0,
    moving_float: 0,
    moving_waits: false,
    mispredict: 0,
    offsets_int: [0, 0],
    offsets_float: [0, 0],
    registers: [0, 0],
    offset: 0,
};
const RICH: TargetFacts = TargetFacts {
    shifted_sum: 31,
    shifted_difference: true,
    reverse_difference: true,
    mask: 8,
    wide_products: false,
    ..PLAIN
};
const UPPER: TargetFacts = TargetFacts { upper_products: true, ..PLAIN };
const SUBTRACTS: TargetFacts = TargetFacts { multiply_subtract: true, mask: 63, ..RICH };

/// A program expanded for a target, and whether anything was.
fn expanded(text: &str, target: TargetFacts) -> (crate::ir::Module, bool) {
    let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let changed = apply_for(target, &[&EXPAND], &mut module);
    (module, changed)
}

fn edges() -> Vec<i64> {
    let some: [i64; 11] = [0, 1, 2, 3, 7, 10, 12, 64, 641, 998_244_353, 1 << 30];
    let most = [i64::from(i32::MAX), i64::MAX];
    some.into_iter().chain(most).flat_map(|x| [x, -x, x.wrapping_add(1).wrapping_neg()]).collect()
}

/// An operation of one operand and a constant yields what folding does, of these operands.
fn computes_the_same(op: Op, flag: &str, xs: &[Number], by: Number) {
    let (name, word, ty) = (op.row().name, by.ty.name(), by.ty);
    let (mut calls, mut same) = (String::new(), 0);
    for &x in xs {
        let Some(result) = crate::ir::fold(op, ty, 0, &[x, by]) else { continue };
        let (x, result) = (x.bits as i64, result.bits as i64);
        calls += &format!(
            "  %r{same} = call {word} @f({word} {x})\n  %e{same} = icmp eq {word} %r{same}, {result}\n  \
                 %z{same} = zext i1 %e{same} to i32\n  %s{} = add i32 %s{same}, %z{same}\n",
            same + 1
        );
        same += 1;
    }
    let by = by.bits as i64;
    let text = format!(
        "define {word} @f({word} %x) {{\nentry:\n  br label %loop\nloop:\n  %r = {name} {flag} {word} %x, {by}\n  \
             %c = icmp eq {word} %x, %x\n  br i1 %c, label %out, label %loop\nout:\n  ret {word} %r\n}}\n\
             define i32 @main() {{\n  %s0 = add i32 0, 0\n{calls}  ret i32 %s{same}\n}}"
    );
    for target in [PLAIN, RICH, SUBTRACTS, UPPER] {
        let (module, _) = expanded(&text, target);
        let (mut input, mut output, mut errors) = (&b""[..], Vec::new(), Vec::new());
        let options = interp::Options::default();
        let ran = interp::run(&module, "main", &mut input, &mut output, &mut errors, options);
        assert_eq!(ran, Ok(same), "{name} {flag} {word} x, {by} {target:?}");
    }
}

#[test]
fn what_is_expanded_computes_the_same() {
    for ty in [Type::I32, Type::I64] {
        let edges: Vec<Number> = edges().into_iter().map(|x| Number::int(ty, x)).collect();
        for op in [Op::Mul, Op::SDiv, Op::SRem, Op::UDiv, Op::URem] {
            edges.iter().for_each(|&by| computes_the_same(op, "", &edges, by));
        }
        // Multiples, of which it is promised that they are.
        for (op, rest) in [(Op::SDiv, Op::SRem), (Op::UDiv, Op::URem)] {
            for &by in &edges {
                let fold = |op, x| crate::ir::fold(op, ty, 0, &[x, by]);
                let mut xs: Vec<Number> = edges.iter().filter_map(|&q| fold(Op::Mul, q)).collect();
                xs.retain(|&x| fold(rest, x).is_some_and(|rest| rest.bits == 0));
                computes_the_same(op, "exact", &xs, by);
            }
        }
    }
}

#[test]
fn small_code_divides() {
    use crate::ir::Size;
    use crate::opt::run::testing::apply_sized;
    let of = |size: Size, op: &str, by: u32| {
        let text = format!("define i32 @f(i32 %x) {{ %q = {op} i32 %x, {by} ret i32 %q }}");
        let mut module = parse(&text).unwrap();
        apply_sized(size, RICH, &[&EXPAND], &mut module);
        crate::ir::print::module(&module).matches(&format!("{op} i32")).count()
    };
    for (op, by, left) in
        [("sdiv", 10, 1), ("srem", 8, 1), ("udiv", 10, 1), ("udiv", 8, 0), ("urem", 16, 0), ("mul", 8, 0)]
    {
        assert_eq!((of(Size::Any, op, by), of(Size::Small, op, by)), (0, left), "{op} {by}");
    }
}

#[test]
fn what_leaves_no_remainder_takes_a_shift_and_a_product() {
    for (op, shift) in [("sdiv", "ashr"), ("udiv", "lshr")] {
        let parts = |flag: &str, by: i32| {
            let text = format!("define i32 @f(i32 %x) {{ %q = {op} {flag} i32 %x, {by} ret i32 %q }}");
            let made = crate::ir::print::module(&expanded(&text, RICH).0);
            let count = |op: &str| made.matches(&format!(" = {op} ")).count();
            (count(shift), count("mul"), made.matches(" = ").count())
        };
        assert_eq!([8, 24, 7].map(|by| parts("exact", by)), [(1, 0, 1), (1, 1, 2), (0, 1, 1)]);
        assert!(parts("", 24).2 > 2, "{op}");
    }
}

#[test]
fn a_remainder_is_what_the_quotient_beside_it_leaves() {
    let of = |op: &str, rest: &str, by: &str, target: TargetFacts| {
        let text = format!(
            "define i32 @f(i32 %x, i32 %y, i1 %c) {{
                   %r = {rest} i32 %x, %y
                   br i1 %c, label %a, label %b
                 a:
                   %m = {rest} i32 %x, %y
                   %q = {op} i32 %x, {by}
                   %s = xor i32 %q, %m
                   ret i32 %s
                 b:
                   ret i32 %r
                 }}"
        );
        let made = crate::ir::print::module(&expanded(&text, target).0);
        [op, rest, "mul", "sub"].map(|op| made.matches(&format!(" = {op} ")).count())
    };
    for (op, rest) in [("sdiv", "srem"), ("udiv", "urem")] {
        assert_eq!(of(op, rest, "%y", RICH), [2, 1, 1, 1]);
        assert_eq!(of(op, rest, "%r", RICH), [1, 2, 0, 0]);
        assert_eq!(of(op, rest, "%y", TargetFacts { remainders: true, ..RICH }), [1, 2, 0, 0]);
        assert_eq!(of(op, rest, "%y", TargetFacts { word: 0, ..RICH }), [1, 2, 0, 0]);
    }
    assert_eq!(of("udiv", "srem", "%y", RICH), [1, 2, 0, 0]);
}

#[test]
fn remainders_in_loops_have_no_quotient_if_that_is_not_needed_besides() {
    let text = |op: &str, more: &str| {
        format!(
            "define i32 @f(i32 %x) {{
                 entry:
                   br label %loop
                 loop:
                   %s = phi i32 [ %x, %entry ], [ %r, %loop ]
                   {more}
                   %r = {op} i32 %s, 1000
                   %c = icmp eq i32 %r, 7
                   br i1 %c, label %loop, label %out
                 out:
                   ret i32 %r
                 }}"
        )
    };
    let is_direct = |text: &str, target| {
        let made = crate::ir::print::module(&expanded(text, target).0);
        made.contains("umulhi.i64")
    };
    assert!(is_direct(&text("srem", ""), UPPER) && is_direct(&text("urem", ""), UPPER));
    assert!(!is_direct(&text("srem", ""), PLAIN), "the upper half costs more");
    assert!(!is_direct(&text("srem", "%q = sdiv i32 %s, 1000"), UPPER), "the quotient is there");
    assert!(is_direct(&text("srem", "%q = sdiv i32 %s, 10"), UPPER), "that is another one");
    let once = "define i32 @f(i32 %x) { %r = srem i32 %x, 1000 ret i32 %r }";
    assert!(!is_direct(once, UPPER), "constants would be made each time");
}

#[test]
fn what_is_no_cheaper_stays() {
    let text = "define i32 @f(i32 %x, i32 %y) {
               %a = mul i32 %x, 11
               %b = sdiv i32 %a, %y
               %c = sdiv i32 %b, 0
               %d = udiv i32 %c, 7
               ret i32 %d
             }";
    assert!(!expanded(text, RICH).1);
    let text = text.replace(", 0", ", 3");
    assert!(expanded(&text, RICH).1);
    assert!(!expanded(&text, TargetFacts::default()).1, "for no machine");
}
