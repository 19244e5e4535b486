//! Sums, differences and products that say whether they fit (`llvm.sadd.with.overflow` and its like), and those that stop at
//! the ends of their type (`llvm.sadd.sat`, `llvm.ssub.sat`), as instructions of the tables. Overflow of a sum is seen by the signs
//! (Hacker's Delight, 2-13), of a product by one of twice the width or, where there is none, by a quotient.

use super::aggregate::Made;
use super::builder::{Builder, Operand};
use super::{Parsed, Parser};
use crate::ir::fold::Number;
use crate::ir::{IntPred, Op, Type, Value};

impl Parser<'_> {
    /// The result of such an intrinsic. `None` for all others.
    pub(super) fn overflowing(
        &mut self,
        b: &mut Builder,
        name: &str,
        args: &[(Type, Operand)],
    ) -> Parsed<Option<Value>> {
        let &[(ty, x), (other, y)] = args else { return Ok(None) };
        let whole = matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64);
        let words: Vec<&str> = name.split('.').collect();
        let (name, saturates) = match *words {
            [_, name, "with", "overflow", _] => (name, false),
            [_, name @ ("sadd" | "ssub"), "sat", _] => (name, true),
            _ => return Ok(None),
        };
        if !whole || other != ty {
            return Ok(None);
        }
        let (x, y) = (b.settled(x), b.settled(y));
        let (value, flag) = match name {
            "sadd" | "uadd" => {
                let sum = b.make(Op::Add, ty, &[x, y], 0);
                let flag = if name == "uadd" {
                    b.make(Op::ICmp, Type::I1, &[sum, x], IntPred::Ult as u32)
                } else {
                    b.signs_say(ty, (sum, x), (sum, y))
                };
                (sum, flag)
            }
            "ssub" | "usub" => {
                let difference = b.make(Op::Sub, ty, &[x, y], 0);
                let flag = if name == "usub" {
                    b.make(Op::ICmp, Type::I1, &[x, y], IntPred::Ult as u32)
                } else {
                    b.signs_say(ty, (x, y), (x, difference))
                };
                (difference, flag)
            }
            "smul" | "umul" => self.product(b, ty, (x, y), name == "smul"),
            _ => return Ok(None),
        };
        if !saturates {
            let mem = Some(self.flagged(ty));
            b.made = Some(Made { parts: vec![value, flag], bits: None, mem });
            return Ok(Some(Value::undef(Type::Void)));
        }
        // The end of the type on the side of the first operand's sign.
        let bits = ty.int_bits();
        let sign = b.f.int_of(ty, i64::from(bits - 1));
        let most = b.f.constant(Number::int(ty, i64::MAX >> (64 - bits)));
        let side = b.make(Op::AShr, ty, &[x, sign], 0);
        let end = b.make(Op::Xor, ty, &[side, most], 0);
        Ok(Some(b.make(Op::Select, ty, &[flag, end, value], 0)))
    }

    /// A product, and whether it fits.
    fn product(&self, b: &mut Builder, ty: Type, (x, y): (Value, Value), signed: bool) -> (Value, Value) {
        let zero = b.f.constant(Number::zero(ty));
        if ty == Type::I64 {
            let product = b.make(Op::Mul, ty, &[x, y], 0);
            // Divided by one of them it is the other, if that is not 0.
            let is_zero = b.make(Op::ICmp, Type::I1, &[x, zero], IntPred::Eq as u32);
            let one = b.f.int_of(ty, 1);
            let divisor = b.make(Op::Select, ty, &[is_zero, one, x], 0);
            let divide = if signed { Op::SDiv } else { Op::UDiv };
            let quotient = b.make(divide, ty, &[product, divisor], 0);
            let differs = b.make(Op::ICmp, Type::I1, &[quotient, y], IntPred::Ne as u32);
            let no = Value::bool(false);
            let mut flag = b.make(Op::Select, Type::I1, &[is_zero, no, differs], 0);
            if signed {
                // The least number divided by -1 is itself.
                let [minus, least] = [-1, i64::MIN].map(|x| b.f.int_of(ty, x));
                let is_minus = b.make(Op::ICmp, Type::I1, &[x, minus], IntPred::Eq as u32);
                let is_least = b.make(Op::ICmp, Type::I1, &[y, least], IntPred::Eq as u32);
                let both = b.make(Op::And, Type::I1, &[is_minus, is_least], 0);
                flag = b.make(Op::Or, Type::I1, &[flag, both], 0);
            }
            return (product, flag);
        }
        let wide = if ty == Type::I32 { Type::I64 } else { Type::I32 };
        let extend = if signed { Op::SExt } else { Op::ZExt };
        let [x, y] = [x, y].map(|v| b.resized(Operand::Value(v), ty, wide, extend).now());
        let product = b.make(Op::Mul, wide, &[x, y], 0);
        let low = b.resized(Operand::Value(product), wide, ty, extend);
        let again = b.resized(low, ty, wide, extend).now();
        let flag = b.make(Op::ICmp, Type::I1, &[again, product], IntPred::Ne as u32);
        (low.now(), flag)
    }
}

impl Builder {
    /// True if the signs of both pairs differ.
    fn signs_say(&mut self, ty: Type, one: (Value, Value), other: (Value, Value)) -> Value {
        let [one, other] = [one, other].map(|(x, y)| self.make(Op::Xor, ty, &[x, y], 0));
        let both = self.make(Op::And, ty, &[one, other], 0);
        let zero = self.f.constant(Number::zero(ty));
        self.make(Op::ICmp, Type::I1, &[both, zero], IntPred::Slt as u32)
    }
}
