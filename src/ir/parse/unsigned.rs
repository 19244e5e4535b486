//! Conversions between floats and unsigned integers, by signed ones.
//!
//! A narrower integer goes by i64, which holds all its values. Of an i64 from 2^63 on, half is converted and
//! doubled; its lowest bit is set if it or the bit that is lost was, so that it rounds as the whole would
//! (rounding to odd). A float from 2^63 on is converted less 2^63, which is exact, and gets the highest bit.

use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::{Parsed, Parser};
use crate::ir::fold::Number;
use crate::ir::{FloatPred, Inst, IntPred, Op, Type, Value};

impl Parser<'_> {
    /// `uitofp` or `fptoui`, whose word has been read.
    pub(super) fn unsigned(&mut self, b: &mut Builder, word: &str) -> Parsed<Inst> {
        self.flags(if word == "uitofp" { Places::SIGNS } else { Places::NONE })?;
        let (from, a) = self.typed_operand(b)?;
        self.expect_word("to")?;
        let to = self.ty()?;
        self.unsigned_of(b, word, (from, a), to)
    }

    /// The same of a value.
    pub(super) fn unsigned_of(
        &mut self,
        b: &mut Builder,
        word: &str,
        (from, a): (Type, Operand),
        to: Type,
    ) -> Parsed<Inst> {
        let (integer, float, good) = match word {
            "uitofp" => (from, to, from.element().is_int() && to.element().is_float()),
            _ => (to, from, to.element().is_int() && from.element().is_float()),
        };
        let wide = integer.of_element(Type::I64).filter(|_| good && integer.lanes() == float.lanes());
        let Some(wide) = wide.filter(|&wide| integer != wide || wide == Type::I64) else {
            return self.error(format!("{word} from {} to {} is not supported", from.name(), to.name()));
        };
        let op = |b: &mut Builder, op, ty, args: &[Operand], payload| {
            Operand::Value(Value::inst(b.insert(op, ty, args, payload)))
        };
        if integer != wide {
            return Ok(if word == "uitofp" {
                let whole = op(b, Op::ZExt, wide, &[a], 0);
                b.insert(Op::SIToFP, to, &[whole], 0)
            } else {
                let whole = op(b, Op::FPToSI, wide, &[a], 0);
                b.insert(Op::Trunc, to, &[whole], 0)
            });
        }
        let [zero, one, highest] = [0, 1, i64::MIN].map(|x| Operand::Value(b.f.int_of(Type::I64, x)));
        if word == "uitofp" {
            let is_large = op(b, Op::ICmp, Type::I1, &[a, zero], IntPred::Slt as u32);
            let (lost, half) =
                (op(b, Op::And, Type::I64, &[a, one], 0), op(b, Op::LShr, Type::I64, &[a, one], 0));
            let half = op(b, Op::Or, Type::I64, &[half, lost], 0);
            let signed = op(b, Op::Select, Type::I64, &[is_large, half, a], 0);
            let converted = op(b, Op::SIToFP, to, &[signed], 0);
            let doubled = op(b, Op::FAdd, to, &[converted, converted], 0);
            return Ok(b.insert(Op::Select, to, &[is_large, doubled, converted], 0));
        }
        let bound = 9_223_372_036_854_775_808.0;
        let bound = if from == Type::F64 { Number::f64(bound) } else { Number::f32(bound as f32) };
        let bound = Operand::Value(b.f.constant(bound));
        let is_large = op(b, Op::FCmp, Type::I1, &[a, bound], FloatPred::Oge as u32);
        let less = op(b, Op::FSub, from, &[a, bound], 0);
        let small = op(b, Op::Select, from, &[is_large, less, a], 0);
        let converted = op(b, Op::FPToSI, Type::I64, &[small], 0);
        let bit = op(b, Op::Select, Type::I64, &[is_large, highest, zero], 0);
        Ok(b.insert(Op::Xor, Type::I64, &[converted, bit], 0))
    }
}
