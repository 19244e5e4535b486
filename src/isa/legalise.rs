//! Legalisation: operations that a target has no handler for are expanded into others that it has.
//!
//! Selection finds them (`Select::lack`): most functions have none, so nothing looks for them beforehand.
//! They are rewritten in place, the rows that come before standing in front, and the function is selected
//! again.
//!
//! | instruction | becomes |
//! | --- | --- |
//! | anything on i1, i8 or i16 | the same on i32, truncated |
//! | min, max | a comparison and a choice |
//! | abs x | (x ^ s) - s, with s = x >> 31 |
//! | upper half of a product | the product of twice the width, shifted |
//! | memset, memcpy | the same with a length of the machine's width; `meminit` for a known number of zeros |

use crate::ir::fold::Number;
use crate::ir::{At, Body, Inst, IntPred, Op, Type, Value};

/// How a narrow operand is widened so that the operation gives the same on the wider type, up to the bits
/// that truncation drops.
fn widening(op: Op) -> Option<Op> {
    match op {
        Op::SDiv | Op::SRem | Op::AShr | Op::SMin | Op::SMax | Op::Abs => Some(Op::SExt),
        Op::Add | Op::Sub | Op::Mul | Op::UDiv | Op::URem | Op::Shl | Op::LShr | Op::UMin | Op::UMax => {
            Some(Op::ZExt)
        }
        _ => None,
    }
}

/// Rewrites an instruction that a target lacks; false if there is nothing that it could become.
pub fn expand(f: &mut Body, i: Inst) -> bool {
    let (op, ty) = (f.op(i), f.ty(i));
    let place = f.place(i);
    if matches!(op, Op::MemSet | Op::MemCopy) {
        return length(f, i);
    }
    let [a, b] = match *f.args(i) {
        [a] => [a; 2],
        [a, b] => [a, b],
        _ => return false,
    };
    let new = |f: &mut Body, op: Op, ty: Type, args: &[Value], payload: u32| {
        Value::inst(f.insert(At::Before(i), op, ty, args, payload, place))
    };
    let bits = ty.int_bits();
    match op {
        Op::SMulHi | Op::UMulHi if bits <= 32 => {
            let wide = if bits == 32 { Type::I64 } else { Type::I32 };
            let (extend, shift) = if op == Op::SMulHi { (Op::SExt, Op::AShr) } else { (Op::ZExt, Op::LShr) };
            let factors = [a, b].map(|v| match f.number(v) {
                Some(x) if op == Op::SMulHi => f.int_of(wide, x.signed()),
                Some(x) => f.int_of(wide, x.unsigned() as i64),
                None => new(f, extend, wide, &[v], 0),
            });
            let product = new(f, Op::Mul, wide, &factors, 0);
            let amount = f.int_of(wide, i64::from(bits));
            let high = new(f, shift, wide, &[product, amount], 0);
            f.rewrite(i, Op::Trunc, ty, &[high], 0);
        }
        _ if bits != 0 && bits < 32 => {
            let Some(widening) = widening(op) else { return false };
            let is_shift = matches!(op, Op::Shl | Op::LShr | Op::AShr);
            let mut wide = [new(f, widening, Type::I32, &[a], 0); 2];
            if f.args(i).len() == 2 {
                wide[1] = new(f, if is_shift { Op::ZExt } else { widening }, Type::I32, &[b], 0);
            }
            let count = f.args(i).len();
            let result = new(f, op, Type::I32, &wide[..count], 0);
            f.rewrite(i, Op::Trunc, ty, &[result], 0);
        }
        Op::SMin | Op::SMax | Op::UMin | Op::UMax => {
            let pred = match op {
                Op::SMin => IntPred::Slt,
                Op::SMax => IntPred::Sgt,
                Op::UMin => IntPred::Ult,
                _ => IntPred::Ugt,
            };
            let first = new(f, Op::ICmp, Type::I1, &[a, b], pred as u32);
            f.rewrite(i, Op::Select, ty, &[first, a, b], 0);
        }
        Op::Abs => {
            let amount = f.int_of(ty, i64::from(bits) - 1);
            let sign = new(f, Op::AShr, ty, &[a, amount], 0);
            let flipped = new(f, Op::Xor, ty, &[a, sign], 0);
            f.rewrite(i, Op::Sub, ty, &[flipped, sign], 0);
        }
        _ => return false,
    }
    true
}

/// A `memset` of zeros whose number is known, or a length of another width than the machine has: i64 is of
/// one of 32 bits.
fn length(f: &mut Body, i: Inst) -> bool {
    let (op, place) = (f.op(i), f.place(i));
    let &[to, second, length] = f.args(i) else { return false };
    let bytes = f.number(length).map(Number::unsigned);
    if let (Op::MemSet, Some(0), Some(Ok(bytes))) = (op, f.as_int(second), bytes.map(u32::try_from)) {
        f.rewrite(i, Op::MemInit, Type::Void, &[to], bytes);
        return true;
    }
    let is_narrow = f.type_of(length) == Type::I32;
    let (convert, ty) = if is_narrow { (Op::ZExt, Type::I64) } else { (Op::Trunc, Type::I32) };
    let extended = length.as_inst().filter(|&i| !is_narrow && matches!(f.op(i), Op::ZExt | Op::SExt));
    let length = match (bytes, extended.map(|i| f.arg(i, 0)).filter(|&v| f.type_of(v) == ty)) {
        (Some(bytes), _) => f.int_of(ty, bytes as i64),
        (None, Some(v)) => v,
        (None, None) => Value::inst(f.insert(At::Before(i), convert, ty, &[length], 0, place)),
    };
    f.rewrite(i, op, Type::Void, &[to, second, length], 0);
    true
}
