//! Demanded bits: what an `and` with a constant cuts off needs not be right on the way there.
//!
//! ```text
//! v = (x & 4095) * 13 + k;                 v = x * 13 + k;
//! r = v & 4095;                            r = v & 4095;
//! ```
//!
//! The low bits of sums, differences, products and shifts to the left come from the low bits of their operands. So a mask in front of them
//! that has all bits that are demanded goes, where nothing else uses what lies between: that is made again, without promises
//! that it does not wrap around, as it does now. `expand` and `ranges` make such masks of remainders by powers of two. O(1): at most `DEEPEST`
//! steps. After LLVM's `SimplifyDemandedBits`, which asks for any bits; those that are low are what remainders leave.

use crate::ir::{At, Body, Inst, Op, Value};

/// Operations between two masks: more are seen in turn, from the first mask of a chain to the last.
const DEEPEST: usize = 4;

/// For an `and` of `v` with a constant: a value with the same bits under that mask, if masks in front of `v` go.
pub(super) fn without_masks(f: &mut Body, i: Inst, v: Value, mask: i64) -> Option<Value> {
    let bits = i64::BITS - (mask as u64).leading_zeros();
    let is_whole = bits >= f.ty(i).int_bits();
    if is_whole { None } else { low_bits(f, i, v, ((1u64 << bits) - 1) as i64, DEEPEST) }
}

/// A value of which the bits of `low` are those of `v`, with fewer masks, in front of `i`.
fn low_bits(f: &mut Body, i: Inst, v: Value, low: i64, depth: usize) -> Option<Value> {
    let x = v.as_inst()?;
    let op = f.op(x);
    let &[a, b] = f.args(x) else { return None };
    let constant = f.as_int(b);
    if op == Op::And && constant.is_some_and(|mask| mask & low == low) {
        return Some(depth.checked_sub(1).and_then(|depth| low_bits(f, i, a, low, depth)).unwrap_or(a));
    }
    let is_one_way = depth > 0 && f.single_use(x).is_some();
    let (a, b) = match op {
        Op::Add | Op::Sub | Op::Mul if is_one_way => {
            let [less_a, less_b] = [a, b].map(|v| low_bits(f, i, v, low, depth - 1));
            if less_a.is_none() && less_b.is_none() {
                return None;
            }
            (less_a.unwrap_or(a), less_b.unwrap_or(b))
        }
        Op::Shl if is_one_way && constant.is_some() => (low_bits(f, i, a, low, depth - 1)?, b),
        _ => return None,
    };
    let (ty, payload, place) = (f.ty(x), f.payload(x), f.place(x));
    Some(Value::inst(f.insert(At::Before(i), op, ty, &[a, b], payload, place)))
}

#[cfg(test)]
mod tests {
    use crate::opt::run::testing::{leaves_alone, rewrites};
    use crate::opt::values::simplify::SIMPLIFY;

    #[test]
    fn masks_in_front_of_a_mask_go() {
        rewrites(
            &SIMPLIFY,
            "define i32 @f(i32 %x, i32 %y, i32 %k) {
               %a = and i32 %x, 4095
               %b = mul nsw i32 %a, 13
               %c = and i32 %y, 65535
               %d = shl nuw i32 %c, 3
               %e = add nsw i32 %b, %d
               %g = sub i32 %k, %e
               %h = and i32 %g, 4095
               ret i32 %h
             }",
            "define i32 @f(i32 %x, i32 %y, i32 %k) {
               %b = mul i32 %x, 13
               %d = shl i32 %y, 3
               %e = add i32 %b, %d
               %g = sub i32 %k, %e
               %h = and i32 %g, 4095
               ret i32 %h
             }",
        );
    }

    #[test]
    fn masks_that_cut_more_and_what_moves_bits_down_stay() {
        let text = |mask: i32, op: &str, of: &str| {
            format!(
                "define i32 @f(i32 %x, i32 %k) {{
                   %a = and i32 %x, {mask}
                   %b = {op} i32 %a, {of}
                   %c = and i32 %b, 4095
                   ret i32 %c
                 }}"
            )
        };
        for (mask, op, of) in
            [(2047, "add", "%k"), (8190, "mul", "13"), (-4096, "sub", "%k"), (8191, "lshr", "%k")]
        {
            leaves_alone(&SIMPLIFY, &text(mask, op, of));
        }
    }

    #[test]
    fn masks_of_all_widths_are_taken() {
        let text = |outer: i64, inner: i64| {
            format!(
                "define i64 @f(i64 %x, i64 %k) {{
                   %a = and i64 %x, {inner}
                   %b = add i64 %a, %k
                   %c = and i64 %b, {outer}
                   ret i64 %c
                 }}"
            )
        };
        leaves_alone(&SIMPLIFY, &text(i64::MAX, i64::MAX - 1));
        leaves_alone(&SIMPLIFY, &text(-2, i64::MAX));
        let less = text(1 << 61, i64::MAX);
        rewrites(
            &SIMPLIFY,
            &less,
            &less.replace("%a = and i64 %x, 9223372036854775807", "").replace("%a,", "%x,"),
        );
    }

    #[test]
    fn what_others_use_stays() {
        leaves_alone(
            &SIMPLIFY,
            "define i32 @f(i32 %x, i32 %k) {
               %a = and i32 %x, 8191
               %b = add i32 %a, %k
               %c = and i32 %b, 4095
               %d = xor i32 %b, %c
               ret i32 %d
             }",
        );
    }
}
