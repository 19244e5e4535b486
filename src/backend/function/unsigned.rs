//! Conversions between floats and unsigned integers, by those of signed ones: of up to 32 bits as 64, and of 64 with the upper
//! half of the range apart.

use super::{FunctionBuilder, Val};
use crate::ir::{FloatPred, IntPred, Type};

impl FunctionBuilder<'_> {
    /// An unsigned integer as a float or double, rounded to nearest even.
    pub fn uitofp(&mut self, a: Val, ty: Type) -> Val {
        let from = self.type_of(a).unwrap_or(Type::Void);
        if !from.is_int() || !ty.is_float() || ty.is_vector() {
            return self.wrong(|| format!("uitofp: of {} to {}", from.name(), ty.name()));
        }
        if from != Type::I64 {
            let wide = self.zext(a, Type::I64);
            return self.sitofp(wide, ty);
        }
        // Of the upper half, half of it: the bit that goes stays, so that it is rounded as the whole would be.
        let (zero, one) = (self.number_of(from, 0), self.number_of(from, 1));
        let (high, last) = (self.lshr(a, one), self.and(a, one));
        let half = self.or(high, last);
        let half = self.sitofp(half, ty);
        let (twice, plain) = (self.fadd(half, half), self.sitofp(a, ty));
        let is_large = self.icmp(IntPred::Slt, a, zero);
        self.select(is_large, twice, plain)
    }

    /// A float or double as an unsigned integer, towards zero; undefined where it does not fit.
    pub fn fptoui(&mut self, a: Val, ty: Type) -> Val {
        let from = self.type_of(a).unwrap_or(Type::Void);
        if !from.is_float() || from.is_vector() || !ty.is_int() || ty.is_vector() {
            return self.wrong(|| format!("fptoui: of {} to {}", from.name(), ty.name()));
        }
        if ty != Type::I64 {
            let wide = self.fptosi(a, Type::I64);
            return self.trunc(wide, ty);
        }
        // 2 to the 63rd: exact in both types.
        let limit = match from {
            Type::F32 => self.float(9_223_372_036_854_775_808.0),
            _ => self.double(9_223_372_036_854_775_808.0),
        };
        let is_large = self.fcmp(FloatPred::Oge, a, limit);
        let less = self.fsub(a, limit);
        let fitting = self.select(is_large, less, a);
        let (low, top, none) =
            (self.fptosi(fitting, ty), self.number_of(ty, i64::MIN), self.number_of(ty, 0));
        let top = self.select(is_large, top, none);
        self.xor(low, top)
    }
}
