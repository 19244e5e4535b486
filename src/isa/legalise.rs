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
//! | zeros at an end of x | the ones of what is below, or above: (x - 1) & ~x, and ~x with all ones below the highest |
//! | bytes the other way around | each one shifted |
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
        Op::LeadingZeros | Op::TrailingZeros | Op::SwapBytes => Some(Op::ZExt),
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
            if op == Op::TrailingZeros {
                let above = f.int_of(Type::I32, 1 << bits);
                wide[0] = new(f, Op::Or, Type::I32, &[wide[0], above], 0);
            }
            let count = f.args(i).len();
            let mut result = new(f, op, Type::I32, &wide[..count], 0);
            // What the wider type has above it.
            let above = i64::from(32 - bits.max(8));
            result = match op {
                Op::LeadingZeros => {
                    let above = f.int_of(Type::I32, i64::from(32 - bits));
                    new(f, Op::Sub, Type::I32, &[result, above], 0)
                }
                Op::SwapBytes => {
                    let above = f.int_of(Type::I32, above);
                    new(f, Op::LShr, Type::I32, &[result, above], 0)
                }
                _ => result,
            };
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
        Op::LeadingZeros | Op::TrailingZeros | Op::SwapBytes if a.is_constant() => {
            let folded = f.fold(op, ty, 0, &[a]).unwrap_or(a);
            let zero = f.int_of(ty, 0);
            f.rewrite(i, Op::Or, ty, &[folded, zero], 0);
        }
        Op::LeadingZeros | Op::TrailingZeros | Op::SwapBytes => {
            let (last, args) = bits_of(&mut InFront { f, i, ty }, op, a);
            f.rewrite(i, last, ty, &args, 0);
        }
        _ => return false,
    }
    true
}

/// Instructions of one type in front of another one.
struct InFront<'a> {
    f: &'a mut Body,
    i: Inst,
    ty: Type,
}

impl InFront<'_> {
    fn op(&mut self, op: Op, a: Value, b: Value) -> Value {
        let place = self.f.place(self.i);
        Value::inst(self.f.insert(At::Before(self.i), op, self.ty, &[a, b], 0, place))
    }

    fn by(&mut self, op: Op, a: Value, x: i64) -> Value {
        let x = self.f.int_of(self.ty, x);
        self.op(op, a, x)
    }
}

/// What zeros at an end and swapped bytes are made of: the last operation, and its operands.
fn bits_of(new: &mut InFront, op: Op, mut x: Value) -> (Op, [Value; 2]) {
    let bits = new.ty.int_bits();
    match op {
        Op::SwapBytes => {
            let last = i64::from(bits) - 8;
            let mut whole = new.by(Op::Shl, x, last);
            for from in (8..last).step_by(8) {
                let byte = new.by(Op::LShr, x, from);
                let byte = new.by(Op::And, byte, 0xff);
                let byte = new.by(Op::Shl, byte, last - from);
                whole = new.op(Op::Or, whole, byte);
            }
            let first = new.by(Op::LShr, x, last);
            (Op::Or, [whole, first])
        }
        Op::TrailingZeros => {
            let (less, not) = (new.by(Op::Sub, x, 1), new.by(Op::Xor, x, -1));
            let below = new.op(Op::And, less, not);
            count(new, below)
        }
        _ => {
            for by in [1, 2, 4, 8, 16, 32].into_iter().filter(|&by| by < bits) {
                let more = new.by(Op::LShr, x, by.into());
                x = new.op(Op::Or, x, more);
            }
            let above = new.by(Op::Xor, x, -1);
            count(new, above)
        }
    }
}

/// How many bits are set, of 32 or 64: those of pairs, of fours, of bytes side by side, and the sum of those.
fn count(new: &mut InFront, x: Value) -> (Op, [Value; 2]) {
    let byte = |byte: i64| byte.wrapping_mul(0x0101_0101_0101_0101);
    let odd = new.by(Op::LShr, x, 1);
    let odd = new.by(Op::And, odd, byte(0x55));
    let pairs = new.op(Op::Sub, x, odd);
    let low = new.by(Op::And, pairs, byte(0x33));
    let high = new.by(Op::LShr, pairs, 2);
    let high = new.by(Op::And, high, byte(0x33));
    let fours = new.op(Op::Add, low, high);
    let high = new.by(Op::LShr, fours, 4);
    let sum = new.op(Op::Add, fours, high);
    let bytes = new.by(Op::And, sum, byte(0x0f));
    let sum = new.by(Op::Mul, bytes, byte(1));
    let shift = new.f.int_of(new.ty, i64::from(new.ty.int_bits()) - 8);
    (Op::LShr, [sum, shift])
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
