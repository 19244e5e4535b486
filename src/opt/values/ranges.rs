//! What ranges of integers decide: comparisons and branches on them, values that can be one number only,
//! masks that cut nothing off, and quotients and remainders of what is not negative (`analysis/ranges`).
//!
//! | operation, x not negative | becomes |
//! | --- | --- |
//! | x / 2^k, x % 2^k | x >>> k, x & 2^k - 1 |
//! | x / d | upper half of x m, shifted: nothing for the sign |
//! | x % d | x - (x / d) d |
//!
//! The same in 64 bits, of sums and products of numbers of 32 that are not negative.
//!
//! | operation, x of any sign | becomes |
//! | --- | --- |
//! | x % d where x < d in size | x |
//! | x % d where x < 2 d in size | x < d ? x : x - d, or x > -d ? x : x + d, or one after the other |
//!
//! O(operands), as often as ranges of loops grow. A function without a comparison or a quotient that ranges
//! could decide is left at once.

use crate::analysis::call_ranges::CallRanges;
use crate::analysis::range::Range;
use crate::analysis::ranges::{Found, Ranges};
use crate::analysis::unreachable_blocks;
use crate::ir::opcode::PURE;
use crate::ir::{Body, Op, Size, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::opt::values::expand::{expand_in, is_direct};

/// The pass.
pub static RANGES: FuncPass = FuncPass {
    name: "ranges",
    description: "decide comparisons and simplify quotients by the ranges of their operands",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// What has changed may let ranges be narrower: how often they are found again, in functions of few
/// instructions. In others that is not worth its time. (Dead rows do not count: with `-g` and without there are more or fewer.)
const MOST_ROUNDS: u32 = 8;
const FEW: usize = 200;

#[inline(never)]
fn run(cx: &mut FuncCx, ranges: &mut Ranges) -> Outcome {
    if !may_find(cx.f) {
        return Outcome::UNCHANGED;
    }
    let mut outcome = Outcome::UNCHANGED;
    for _ in 0..MOST_ROUNDS {
        cx.require(AnalysisSet::DOMINATORS);
        let unknown = CallRanges::default();
        let calls = cx.facts.get().unwrap_or(&unknown);
        ranges.compute(cx.f, &cx.analyses.dominators, calls);
        if cx.target.upper_products && ranges.found.iter().any(|found| cx.f.op(found.inst) == Op::SRem) {
            // For `is_direct`, before branches fold.
            cx.require(AnalysisSet::LOOPS);
        }
        let (mut changed, mut folded) = (false, false);
        for found in &ranges.found {
            if cx.f.block_of(found.inst).is_none() {
                continue;
            }
            if cx.f.op(found.inst) == Op::CondBr {
                folded |= fold(cx.f, found);
            } else if let Some(v) = simpler(cx, found) {
                cx.scratch.changes.replace(cx.f, found.inst, v);
                changed = true;
            }
        }
        outcome.changed |= changed;
        if !folded {
            if changed && cx.f.placed_insts() <= FEW {
                continue;
            }
            break;
        }
        cx.analyses.keep(AnalysisSet::NONE);
        cx.require(AnalysisSet::ORDER);
        let dead = unreachable_blocks(cx.f, &cx.analyses.order);
        cx.f.remove_blocks(&dead);
        outcome = Outcome::changed(AnalysisSet::CFG);
        if cx.f.placed_insts() > FEW {
            break;
        }
    }
    if outcome.listed { Outcome::changed_if(outcome.changed, AnalysisSet::CFG).listed() } else { outcome }
}

/// A cheap question first: without a test or a quotient there is nothing to be won.
fn may_find(f: &Body) -> bool {
    f.ops().any(|(i, op)| match op {
        Op::SDiv | Op::SRem | Op::ICmp => f.has_uses(i) && f.type_of(f.arg(i, 0)) == Type::I32,
        _ => false,
    })
}

fn fold(f: &mut Body, found: &Found) -> bool {
    let Some(b) = f.block_of(found.inst) else { return false };
    let mut succs = f.succs(b);
    let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return false };
    let keep = if found.result == Range::one(1) { yes } else { no };
    let place = f.place(found.inst);
    f.fold_cond_br(b, keep, place);
    true
}

/// What an instruction may be replaced by.
fn simpler(cx: &mut FuncCx, found: &Found) -> Option<Value> {
    let (i, op) = (found.inst, cx.f.op(found.inst));
    if let Some(x) = found.result.single() {
        return match op {
            _ if cx.f.ty(found.inst) == Type::I1 => Some(Value::bool(x != 0)),
            _ if op.has(PURE) || op == Op::Phi => Some(cx.f.int(x)),
            _ => None,
        };
    }
    let &[a, b] = cx.f.args(i) else { return None };
    let x = cx.f.as_int(b).and_then(|x| i32::try_from(x).ok())?;
    let [range, _] = found.operands;
    match op {
        Op::And => cuts_nothing(range, x).then_some(a),
        Op::SRem if range.high < x && range.low > -x => Some(a),
        // Elements of arrays have become numbers since the rules were asked.
        Op::SDiv if x == 1 => Some(a),
        // A shift or a mask is as small as the division.
        Op::SDiv | Op::SRem if cx.size != Size::Any && x.count_ones() != 1 => None,
        Op::SDiv | Op::SRem => {
            let is_direct = op == Op::SRem && is_direct(cx, i);
            expand_in(cx.f, cx.target, (i, is_direct), range)
        }
        _ => None,
    }
}

/// True if a mask has all bits that numbers of the range may have.
fn cuts_nothing(range: Range, mask: i32) -> bool {
    let bits = i32::BITS - range.high.leading_zeros();
    let all = ((1u64 << bits) - 1) as i32;
    range.is_natural() && all & mask == all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::{At, Place, print};
    use crate::opt::run::testing::{apply_for, leaves_alone, rewrites, run};

    #[test]
    fn a_counter_is_not_negative() {
        let text = |q: &str, r: &str| {
            format!(
                "declare void @putint(i32)
                 define i32 @f(i32 %n) {{
                 entry:
                   %some = icmp sgt i32 %n, 0
                   br i1 %some, label %loop, label %out
                 loop:
                   %i = phi i32 [ 0, %entry ], [ %next, %loop ]
                   %q = {q}
                   %r = {r}
                   call void @putint(i32 %q)
                   call void @putint(i32 %r)
                   %next = add i32 %i, 1
                   %more = icmp slt i32 %next, %n
                   br i1 %more, label %loop, label %out
                 out:
                   ret i32 0
                 }}"
            )
        };
        rewrites(
            &RANGES,
            &text("sdiv i32 %i, 8", "srem i32 %i, 16"),
            &text("lshr i32 %i, 3", "and i32 %i, 15"),
        );
        let plain = text("sdiv i32 %i, 1", "srem i32 %i, 16").replace("putint(i32 %q)", "putint(i32 %i)");
        rewrites(
            &RANGES,
            &text("sdiv i32 %i, 1", "srem i32 %i, 16"),
            &plain.replace("%q = sdiv i32 %i, 1", "").replace("srem i32 %i, 16", "and i32 %i, 15"),
        );
    }

    #[test]
    fn what_is_natural_from_the_start_and_ends_in_a_remainder_stays_so() {
        let after = |factor: u32| {
            let text = format!(
                "declare i32 @next()
                 define i32 @f() {{
                 entry:
                   br label %loop
                 loop:
                   %s = phi i32 [ 7, %entry ], [ %r, %loop ]
                   %m = mul i32 %s, {factor}
                   %a = add i32 %m, 12345
                   %r = srem i32 %a, 1009
                   %q = sdiv i32 %r, 8
                   %n = call i32 @next()
                   %more = icmp slt i32 %n, %q
                   br i1 %more, label %loop, label %out
                 out:
                   ret i32 0
                 }}"
            );
            let mut module = parse(&text).unwrap();
            apply_for(TargetFacts::default(), &[&RANGES], &mut module);
            print::module(&module)
        };
        assert!(after(1103).contains("lshr i32"), "{}", after(1103));
        // It may wrap around.
        assert!(!after(3_000_000).contains("lshr i32"), "{}", after(3_000_000));
    }

    #[test]
    fn what_may_be_negative_stays() {
        leaves_alone(
            &RANGES,
            "define i32 @f(i32 %n, i32 %x) {
             entry:
               %c = icmp slt i32 %x, 100
               br i1 %c, label %one, label %two
             one:
               %q = sdiv i32 %x, 8
               ret i32 %q
             two:
               %y = add i32 %x, 1
               %r = srem i32 %y, 8
               ret i32 %r
             }",
        );
    }

    #[test]
    fn sums_of_one_value_compare_by_what_is_added_if_they_do_not_wrap_around() {
        let text = |high: i32, test: &str, result: &str| {
            format!(
                "define i1 @f(i32 %x) {{
                 entry:
                   %low = icmp sge i32 %x, 1
                   br i1 %low, label %one, label %out
                 one:
                   %c = icmp slt i32 %x, {high}
                   br i1 %c, label %two, label %out
                 two:
                   %a = add i32 %x, -1
                   %b = add i32 %x, 2
                   %r = icmp {test}
                   ret i1 {result}
                 out:
                   ret i1 false
                 }}"
            )
        };
        let folds = |high: i32, test: &str| {
            let mut module = parse(&text(high, test, "%r")).unwrap();
            apply_for(TargetFacts::default(), &[&RANGES], &mut module);
            let have = print::module(&module);
            ["true", "false"].into_iter().find(|truth| {
                let two = have.split("add i32").last().unwrap_or_default();
                !two.contains("icmp") && two.contains(&format!("ret i1 {truth}"))
            })
        };
        assert_eq!(folds(100, "slt i32 %a, %b"), Some("true"));
        assert_eq!(folds(100, "sge i32 %x, %b"), Some("false"));
        assert_eq!(folds(100, "eq i32 %a, %x"), Some("false"));
        assert_eq!(folds(2147483646, "slt i32 %a, %b"), Some("true"));
        assert_eq!(folds(2147483647, "slt i32 %a, %b"), None);
        assert_eq!(folds(100, "ult i32 %a, %b"), None);
    }

    #[test]
    fn an_accumulator_stays_below_its_modulus() {
        let mut module = parse(
            "define i32 @f(i32 %n) {
             entry:
               br label %loop
             loop:
               %i = phi i32 [ 0, %entry ], [ %next, %loop ]
               %s = phi i32 [ 0, %entry ], [ %m, %loop ]
               %t = add i32 %s, 15
               %m = srem i32 %t, 1000
               %next = add i32 %i, 1
               %more = icmp slt i32 %next, %n
               br i1 %more, label %loop, label %out
             out:
               %c = icmp sgt i32 %m, 999
               %z = zext i1 %c to i32
               %e = add i32 %z, %m
               ret i32 %e
             }",
        )
        .unwrap();
        let target = TargetFacts { word: 64, ..TargetFacts::default() };
        assert!(apply_for(target, &[&RANGES], &mut module));
        let have = print::module(&module);
        assert!(have.contains("icmp slt i32 %v2, 1000") && have.contains("add i32 %v2, -1000"), "{have}");
        assert!(!have.contains("srem") && have.contains("zext i1 false"), "{have}");
    }

    #[test]
    fn a_branch_decides_what_it_dominates_and_an_inner_loop_begins_where_the_outer_one_stands() {
        let mut module = parse(
            "define i32 @f(i32 %n) {
             entry:
               br label %outer
             outer:
               %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
               %big = icmp sgt i32 %i, 99
               br i1 %big, label %out, label %inner
             inner:
               %j = phi i32 [ %i, %outer ], [ %j1, %again ]
               %c = icmp slt i32 %j, 0
               br i1 %c, label %never, label %again
             never:
               br label %again
             again:
               %j2 = phi i32 [ 7, %never ], [ %j, %inner ]
               %j1 = add i32 %j2, 1
               %d = icmp slt i32 %j1, 1000
               br i1 %d, label %inner, label %latch
             latch:
               %i1 = add i32 %i, 1
               br label %outer
             out:
               ret i32 %i
             }",
        )
        .unwrap();
        assert!(apply_for(TargetFacts::default(), &[&RANGES], &mut module));
        let have = print::module(&module);
        assert_eq!(have.matches("br i1").count(), 2, "{have}");
    }

    /// What `-fsanitize` asks of sums, differences and products.
    fn checked(op: &str, check: &str) -> String {
        format!(
            "declare void @putint(i32)
             define void @f(i32 %x, i32 %y) {{
               %a = srem i32 %x, 46340
               %b = srem i32 %y, 46342
               %r = {op}
               {check}
               br i1 %c, label %no, label %yes
             no:
               call void @putint(i32 0)
               ret void
             yes:
               call void @putint(i32 %r)
               ret void
             }}"
        )
    }

    #[test]
    fn what_cannot_wrap_is_not_checked() {
        let sum = "%p = xor i32 %a, %r
                   %q = xor i32 %b, %r
                   %m = and i32 %p, %q
                   %c = icmp slt i32 %m, 0";
        let difference = sum.replace("%b, %r", "%a, %b");
        let product = "%h = call i32 @sysyc.smulhi.i32(i32 %a, i32 %b)
                       %s = ashr i32 %r, 31
                       %c = icmp ne i32 %h, %s";
        for (op, check) in
            [("add i32 %a, %b", sum), ("sub i32 %a, %b", difference.as_str()), ("mul i32 %a, %b", product)]
        {
            let mut module = parse(&checked(op, check)).unwrap();
            assert!(apply_for(TargetFacts::default(), &[&RANGES], &mut module), "{op}");
            let have = print::module(&module);
            assert!(!have.contains("br i1"), "{have}");
            // It may wrap, or is another one.
            for (from, to) in [("srem i32 %y, 46342", "add i32 %y, 1"), ("%r = ", "%r = add i32 %x, 7 ;")] {
                let mut module = parse(&checked(op, check).replace(from, to)).unwrap();
                apply_for(TargetFacts::default(), &[&RANGES], &mut module);
                assert!(print::module(&module).contains("br i1"), "{op} {from}");
            }
        }
    }

    /// Remainders and quotients of what a mask and a sum leave of the input.
    #[test]
    fn what_led_into_a_loop_with_two_entries_is_no_fact_in_it() {
        leaves_alone(
            &RANGES,
            "declare void @putint(i32)
             define i32 @f(i32 %x, i1 %a, i1 %b) {
             entry:
               %c = icmp slt i32 %x, 10
               br i1 %c, label %one, label %two
             one:
               %d = icmp slt i32 %x, 20
               %z1 = zext i1 %d to i32
               call void @putint(i32 %z1)
               br i1 %a, label %two, label %out
             two:
               %e = icmp slt i32 %x, 5
               %z2 = zext i1 %e to i32
               call void @putint(i32 %z2)
               br i1 %b, label %one, label %out
             out:
               ret i32 0
             }",
        );
    }

    #[test]
    fn what_is_expanded_computes_the_same() {
        let plain = TargetFacts { word: 64, mask: 11, wide_products: true, ..TargetFacts::default() };
        let branches = TargetFacts { compare_and_branch: true, ..plain };
        let rich = TargetFacts { multiply_subtract: true, wide_products: false, ..plain };
        for (mask, by) in [
            (255, 7),
            (1023, 1000),
            (2047, 1500),
            (1 << 30, 641),
            (0x7fff_ffff, 7),
            (0x7fff_ffff, 1_500_000_001),
        ] {
            for plus in [0, -1, -mask / 2, 1i32.wrapping_sub(by), 5] {
                for d in [by, -by, 16] {
                    let mut text = String::from(
                        "declare void @putint(i32) memory(inaccessiblemem: readwrite)\n\
                         define void @f(i32 %x) {\n",
                    );
                    text += &format!(
                        "  %a = and i32 %x, {mask}\n  %b = add i32 %a, {plus}\n  %q = sdiv i32 %b, {d}\n  \
                         %r = srem i32 %b, {d}\n  call void @putint(i32 %q)\n  call void @putint(i32 %r)\n  \
                         ret void\n}}\ndefine i32 @main() {{\n"
                    );
                    for x in
                        [0, 1, by, by - 1, by - 2, by - 6, mask, mask - 1, mask / 2, by + 1, 2 * (by / 2)]
                    {
                        for x in [x, x.wrapping_sub(plus), x.wrapping_neg()] {
                            text += &format!("  call void @f(i32 {x})\n");
                        }
                    }
                    text += "  ret i32 0\n}";
                    let original = parse(&text).unwrap();
                    for target in [plain, branches, rich] {
                        let mut module = original.clone();
                        apply_for(target, &[&RANGES], &mut module);
                        assert_eq!(run(&module, ""), run(&original, ""), "{mask} {plus} {d}");
                    }
                }
            }
        }
    }

    /// Products of 64 bits of what a mask and a sum leave of the input.
    fn product_of_two(d: i64, [first, second]: [&str; 2]) -> String {
        format!(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define void @f(i32 %x, i32 %y) {{
               %a = and i32 %x, 2147483647
               {first}
               {second}
               %u = sext i32 %p to i64
               %v = sext i32 %q to i64
               %product = mul i64 %u, %v
               %r = srem i64 %product, {d}
               %s = sdiv i64 %product, {d}
               %rest = trunc i64 %r to i32
               call void @putint(i32 %rest)
               %low = trunc i64 %s to i32
               call void @putint(i32 %low)
               %many = lshr i64 %s, 32
               %high = trunc i64 %many to i32
               call void @putint(i32 %high)
               %c = icmp sgt i32 %rest, -1
               %z = zext i1 %c to i32
               call void @putint(i32 %z)
               ret void
             }}
             define i32 @main() {{
               call void @f(i32 2147483647, i32 2147483646)
               call void @f(i32 2147483647, i32 2147483647)
               call void @f(i32 2147483647, i32 -1)
               call void @f(i32 123456789, i32 998244353)
               call void @f(i32 123456789, i32 -998244353)
               call void @f(i32 1, i32 998244352)
               call void @f(i32 0, i32 -2147483648)
               call void @f(i32 65536, i32 65536)
               ret i32 0
             }}"
        )
    }

    #[test]
    fn products_of_64_bits_of_what_is_not_negative_have_no_sign() {
        let target = TargetFacts { word: 64, wide_products: true, ..TargetFacts::default() };
        for d in [998_244_353, 7, 3, 2_147_483_647, 65536] {
            let text = product_of_two(d, ["%p = add i32 %a, 0", "%q = and i32 %y, 2147483647"]);
            let original = parse(&text).unwrap();
            let mut module = original.clone();
            assert!(apply_for(target, &[&RANGES], &mut module));
            let have = print::module(&module);
            assert!(!have.contains("srem") && !have.contains("sdiv"), "{have}");
            assert!(have.contains("zext i1 true"), "{have}");
            assert_eq!(run(&module, ""), run(&original, ""), "{d}");
        }
        // It may be negative, or the sum wraps.
        for q in [
            ["%p = add i32 %a, 0", "%q = add i32 %y, 0"],
            ["%p = add i32 %a, -1", "%q = and i32 %y, 1"],
            ["%p = add i32 %a, 1", "%q = and i32 %y, 1"],
        ] {
            let mut module = parse(&product_of_two(998_244_353, q)).unwrap();
            apply_for(target, &[&RANGES], &mut module);
            let have = print::module(&module);
            assert!(have.contains("srem") && have.contains("sdiv"), "{have}");
            assert!(!have.contains("zext i1 true"), "{have}");
        }
        // Not where registers have 32 bits.
        let narrow = TargetFacts { word: 32, ..TargetFacts::default() };
        let text = product_of_two(7, ["%p = add i32 %a, 0", "%q = and i32 %y, 1"]);
        let mut module = parse(&text).unwrap();
        apply_for(narrow, &[&RANGES], &mut module);
        assert!(print::module(&module).contains("srem"));
    }

    /// What a remainder was expanded to is looked at again, however many instructions there once were.
    #[test]
    fn rows_that_are_dead_do_not_make_a_function_large() {
        let text = "define i32 @f(i32 %x) {
                    entry:
                      %low = and i32 %x, 7
                      %above = add i32 %low, 20
                      %r = srem i32 %above, 20
                      ret i32 %r
                    }";
        let after = |dead: usize| {
            let mut module = parse(text).unwrap();
            let f = module.nth_mut(0);
            let end = f.terminator(f.entry().unwrap()).unwrap();
            for _ in 0..dead {
                let i = f.insert(At::Before(end), Op::Add, Type::I32, &[f.arg(end, 0); 2], 0, Place::NONE);
                f.remove(i);
            }
            apply_for(TargetFacts { word: 64, ..TargetFacts::default() }, &[&RANGES], &mut module);
            print::module(&module)
        };
        assert_eq!(after(0), after(2 * FEW));
        assert!(!after(0).contains("srem") && !after(0).contains("icmp"), "{}", after(0));
    }

    #[test]
    fn sums_of_bits_wrap_around() {
        for op in ["add i1 %c, true", "sub i1 %c, true", "sub i1 false, %c"] {
            let text = format!(
                "define i32 @f(i32 %x) {{
                 entry:
                   %c = icmp slt i32 %x, 5
                   %d = {op}
                   br i1 %d, label %one, label %two
                 one:
                   ret i32 1
                 two:
                   ret i32 2
                 }}"
            );
            assert!(!apply_for(TargetFacts::default(), &[&RANGES], &mut parse(&text).unwrap()), "{op}");
        }
    }

    #[test]
    fn remainders_of_what_is_far_below_zero_stay_and_loops_with_two_entries_are_entered_by_both() {
        let target = TargetFacts { word: 64, compare_and_branch: true, ..TargetFacts::default() };
        for (most, by) in [(3, 7), (0, 10)] {
            let text = format!(
                "define i32 @f(i32 %x) {{
                   %m = and i32 %x, 31
                   %n = sub i32 {most}, %m
                   %r = srem i32 %n, {by}
                   ret i32 %r
                 }}"
            );
            assert!(!apply_for(target, &[&RANGES], &mut parse(&text).unwrap()), "{text}");
        }
        leaves_alone(
            &RANGES,
            "declare void @putint(i32)
             define i32 @f(i32 %x, i1 %e) {
             entry:
               %c = icmp slt i32 %x, 5
               br i1 %c, label %one, label %two
             one:
               %d = icmp slt i32 %x, 9
               br i1 %d, label %two, label %exit
             two:
               br i1 %e, label %one, label %exit
             exit:
               ret i32 0
             }",
        );
    }
}
