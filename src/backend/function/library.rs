//! What the C library has functions for (`Module::use_library`), and what is like it and takes none: the bits of numbers, signs,
//! the lesser and greater of floats.

use super::{FunctionBuilder, Val};
use crate::ir::{FloatPred, Type, Value};

impl FunctionBuilder<'_> {
    /// Copies bytes (i32, unsigned, or i64; any number) from one place to another that may overlap it, by the C library's function.
    pub fn memmove(&mut self, to: Val, from: Val, bytes: Val) {
        let Some([target]) = self.pointer("memmove", to) else { return };
        let Some([source]) = self.pointer("memmove", from) else { return };
        let (ty, wide) = (self.type_of(bytes).unwrap_or(Type::Void), self.pointer_int());
        let bytes = match (ty, wide) {
            (Type::I32, Type::I64) => self.zext(bytes, wide),
            (Type::I64, Type::I32) => self.trunc(bytes, wide),
            (Type::I32 | Type::I64, _) => bytes,
            _ => {
                self.wrong(|| format!("memmove: a length of {}", ty.name()));
                return;
            }
        };
        let Some([bytes]) = self.values("memmove", [bytes]) else { return };
        self.library("memmove", &[target, source, bytes]);
    }

    /// The square root of a float or double, by the C library's function.
    pub fn sqrt(&mut self, a: Val) -> Val {
        let Some(ty) = self.real("sqrt", a) else { return self.poison() };
        let Some([a]) = self.values("sqrt", [a]) else { return self.poison() };
        self.library(if ty == Type::F32 { "sqrtf" } else { "sqrt" }, &[a])
    }

    /// A float or double with the sign of another one, of zeros and NaN, too.
    pub fn copysign(&mut self, a: Val, sign: Val) -> Val {
        if self.real("copysign", a).is_none() || self.alike("copysign", [a, sign]).is_none() {
            return self.poison();
        }
        let number = if self.type_of(a) == Some(Type::F32) { Type::I32 } else { Type::I64 };
        let (bits, zero) = (self.bitcast(sign, number), self.number_of(number, 0));
        let is_negative = self.icmp(crate::ir::IntPred::Slt, bits, zero);
        let magnitude = self.fabs(a);
        let negative = self.fneg(magnitude);
        self.select(is_negative, negative, magnitude)
    }

    /// The lesser of floats or doubles; the other one if one is NaN. Of zeros either.
    pub fn fmin(&mut self, a: Val, b: Val) -> Val {
        self.chosen("fmin", FloatPred::Olt, a, b)
    }

    /// The greater of floats or doubles; the other one if one is NaN. Of zeros either.
    pub fn fmax(&mut self, a: Val, b: Val) -> Val {
        self.chosen("fmax", FloatPred::Ogt, a, b)
    }

    fn chosen(&mut self, what: &str, pred: FloatPred, a: Val, b: Val) -> Val {
        if self.real(what, a).is_none() || self.alike(what, [a, b]).is_none() {
            return self.poison();
        }
        let (is_first, is_none) = (self.fcmp(pred, a, b), self.fcmp(FloatPred::Uno, b, b));
        let is_first = self.or(is_first, is_none);
        self.select(is_first, a, b)
    }

    /// The bits of a number as another type of numbers that is as wide (32 or 64 bits).
    pub fn bitcast(&mut self, a: Val, ty: Type) -> Val {
        let Some([value]) = self.values("bitcast", [a]) else { return self.poison() };
        let from = self.body.type_of(value);
        let is_number = |ty: Type| matches!(ty, Type::I32 | Type::I64 | Type::F32 | Type::F64);
        if !is_number(from) || !is_number(ty) || from.bytes() != ty.bytes() {
            return self.wrong(|| format!("bitcast: of {} to {}", from.name(), ty.name()));
        }
        if from == ty {
            return a;
        }
        let place = self.stack(ty.bytes(), ty.bytes());
        self.store(a, place);
        self.load(ty, place)
    }

    /// A call of a function of the C library, which the module has been asked for.
    fn library(&mut self, name: &str, args: &[Value]) -> Val {
        match self.module.library(name) {
            Some(func) => self.build(|b| b.call(func, args)),
            None => self.wrong(|| format!("{name}: without Module::use_library before")),
        }
    }
}
