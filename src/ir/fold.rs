//! The folder: what an instruction yields for constant operands, exactly as the targets compute it.
//!
//! The only place that says so: the builder, the passes and the interpreter's decoder all ask here. Integers
//! wrap, MIN / -1 is MIN and MIN % -1 is 0, float arithmetic is done in float, a conversion to an integer
//! truncates, saturates, and turns NaN into 0. What is undefined or differs between targets is not folded:
//! division by zero, shifts by the width or more, and arithmetic on a NaN operand (RISC-V makes every NaN
//! result the positive quiet one, ARM keeps the operand's sign); a NaN that comes from numbers is the
//! positive quiet one on all of them.

use super::{Body, FloatPred, IntPred, Op, Type, Value};

/// A constant: its type and its bits, integers sign-extended to 64 (i1 is 0 or 1), floats in the low bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    /// Any type but void and ptr.
    pub ty: Type,
    /// See above.
    pub bits: u64,
}

impl Number {
    /// An integer, reduced to the width of `ty`.
    pub fn int(ty: Type, x: i64) -> Number {
        let bits = match ty {
            Type::I1 => x & 1,
            Type::I8 => i64::from(x as i8),
            Type::I16 => i64::from(x as i16),
            Type::I32 => i64::from(x as i32),
            _ => x,
        };
        Number { ty, bits: bits as u64 }
    }

    /// True or false.
    pub fn bool(x: bool) -> Number {
        Number::int(Type::I1, i64::from(x))
    }

    /// A float.
    pub fn f32(x: f32) -> Number {
        Number { ty: Type::F32, bits: u64::from(x.to_bits()) }
    }

    /// A double.
    pub fn f64(x: f64) -> Number {
        Number { ty: Type::F64, bits: x.to_bits() }
    }

    /// The zero of a type.
    pub fn zero(ty: Type) -> Number {
        Number { ty, bits: 0 }
    }

    /// The positive quiet NaN of a floating type.
    pub fn nan(ty: Type) -> Number {
        Number { ty, bits: if ty == Type::F32 { 0x7fc0_0000 } else { 0x7ff8 << 48 } }
    }

    /// An integer as a signed number of its width (so true is -1).
    pub fn signed(self) -> i64 {
        if self.ty == Type::I1 { -(self.bits as i64 & 1) } else { self.bits as i64 }
    }

    /// An integer as an unsigned number of its width.
    pub fn unsigned(self) -> u64 {
        match self.ty.int_bits() {
            64 => self.bits,
            width => self.bits & ((1 << width) - 1),
        }
    }

    /// A float or double as a double (exact).
    pub fn float(self) -> f64 {
        match self.ty {
            Type::F32 => f64::from(f32::from_bits(self.bits as u32)),
            _ => f64::from_bits(self.bits),
        }
    }

    /// A number rounded once to the float type `ty`. Which NaN the host makes does not matter.
    fn rounded(ty: Type, x: f64) -> Number {
        match ty {
            _ if x.is_nan() => Number::nan(ty),
            Type::F32 => Number::f32(x as f32),
            _ => Number::f64(x),
        }
    }
}

impl Body {
    /// The number that a value is, if it is one.
    #[inline]
    pub fn number(&self, v: Value) -> Option<Number> {
        if !v.is_number() {
            return None;
        }
        let ty = self.type_of(v);
        match ty {
            Type::F32 => self.as_f32(v).map(Number::f32),
            Type::F64 => self.as_f64(v).map(Number::f64),
            _ => self.as_int(v).map(|x| Number::int(ty, x)),
        }
    }

    /// The value of a number.
    pub fn constant(&mut self, x: Number) -> Value {
        match x.ty {
            Type::F32 => self.f32(f32::from_bits(x.bits as u32)),
            Type::F64 => self.f64(f64::from_bits(x.bits)),
            ty => self.int_of(ty, x.bits as i64),
        }
    }

    /// What an instruction with these operands yields, if all are numbers and `fold` knows.
    pub fn fold(&mut self, op: Op, ty: Type, payload: u32, args: &[Value]) -> Option<Value> {
        let mut numbers = [Number::zero(Type::I1); 3];
        let numbers = numbers.get_mut(..args.len())?;
        for (number, &v) in numbers.iter_mut().zip(args) {
            *number = self.number(v)?;
        }
        let result = fold(op, ty, payload, numbers)?;
        Some(self.constant(result))
    }
}

/// What an instruction `op` of type `ty` yields for these operands. `None` if the opcode is not pure, the
/// operands do not fit it, or the result is undefined or differs between targets.
pub fn fold(op: Op, ty: Type, payload: u32, args: &[Number]) -> Option<Number> {
    match *args {
        [a] => unary(op, ty, a),
        [a, b] if op == Op::ICmp && a.ty == b.ty && a.ty.is_int() => {
            Some(Number::bool(IntPred::from_payload(payload).holds(a, b)))
        }
        [a, b] if op == Op::FCmp && a.ty == b.ty && a.ty.is_float() => {
            Some(Number::bool(FloatPred::from_payload(payload).holds(a.float(), b.float())))
        }
        [a, b] if a.ty == ty && b.ty == ty && ty.is_int() => int_binary(op, a, b),
        [a, b] if a.ty == ty && b.ty == ty && ty.is_float() => float_binary(op, a, b),
        [a, b, c] if op == Op::Fma && [a.ty, b.ty, c.ty] == [ty; 3] && ty.is_float() => fma(a, b, c),
        [c, a, b] if op == Op::Select && a.ty == ty && b.ty == ty => {
            Some(if c.bits & 1 != 0 { a } else { b })
        }
        _ => None,
    }
}

impl IntPred {
    /// The predicate on two integers of one type.
    pub(crate) fn holds(self, a: Number, b: Number) -> bool {
        let (sa, sb, ua, ub) = (a.signed(), b.signed(), a.unsigned(), b.unsigned());
        match self {
            IntPred::Eq => ua == ub,
            IntPred::Ne => ua != ub,
            IntPred::Slt => sa < sb,
            IntPred::Sle => sa <= sb,
            IntPred::Sgt => sa > sb,
            IntPred::Sge => sa >= sb,
            IntPred::Ult => ua < ub,
            IntPred::Ule => ua <= ub,
            IntPred::Ugt => ua > ub,
            IntPred::Uge => ua >= ub,
        }
    }
}

fn int_binary(op: Op, a: Number, b: Number) -> Option<Number> {
    let (sa, sb, ua, ub) = (a.signed(), b.signed(), a.unsigned(), b.unsigned());
    let shifts = ub < u64::from(a.ty.int_bits());
    let divides = ub != 0;
    let x = match op {
        Op::Add => sa.wrapping_add(sb),
        Op::Sub => sa.wrapping_sub(sb),
        Op::Mul => sa.wrapping_mul(sb),
        Op::SDiv if divides => sa.wrapping_div(sb),
        Op::SRem if divides => sa.wrapping_rem(sb),
        Op::UDiv if divides => (ua / ub) as i64,
        Op::URem if divides => (ua % ub) as i64,
        Op::And => sa & sb,
        Op::Or => sa | sb,
        Op::Xor => sa ^ sb,
        Op::Shl if shifts => (ua << ub) as i64,
        Op::LShr if shifts => (ua >> ub) as i64,
        Op::AShr if shifts => sa >> ub,
        Op::SMulHi => ((i128::from(sa) * i128::from(sb)) >> a.ty.int_bits()) as i64,
        Op::UMulHi => ((u128::from(ua) * u128::from(ub)) >> a.ty.int_bits()) as i64,
        Op::SMin => sa.min(sb),
        Op::SMax => sa.max(sb),
        Op::UMin => ua.min(ub) as i64,
        Op::UMax => ua.max(ub) as i64,
        _ => return None,
    };
    Some(Number::int(a.ty, x))
}

/// Of floats in double, too: that has more than twice the bits, so rounding the result again is as good as
/// rounding once.
fn float_binary(op: Op, a: Number, b: Number) -> Option<Number> {
    let (x, y) = (a.float(), b.float());
    let result = match op {
        _ if x.is_nan() || y.is_nan() => return None,
        Op::FAdd => x + y,
        Op::FSub => x - y,
        Op::FMul => x * y,
        Op::FDiv => x / y,
        _ => return None,
    };
    Some(Number::rounded(a.ty, result))
}

/// a b + c, rounded once.
fn fma(a: Number, b: Number, c: Number) -> Option<Number> {
    if [a, b, c].iter().any(|x| x.float().is_nan()) {
        return None;
    }
    let x = match a.ty {
        Type::F32 => {
            let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x.bits as u32));
            f64::from(a.mul_add(b, c))
        }
        _ => a.float().mul_add(b.float(), c.float()),
    };
    Some(Number::rounded(a.ty, x))
}

fn unary(op: Op, ty: Type, a: Number) -> Option<Number> {
    let from = a.ty;
    match op {
        Op::FNeg if from == ty && ty == Type::F32 => Some(Number { bits: a.bits ^ 1 << 31, ..a }),
        Op::FNeg if from == ty && ty == Type::F64 => Some(Number { bits: a.bits ^ 1 << 63, ..a }),
        Op::FAbs if from == ty && ty == Type::F32 => Some(Number { bits: a.bits & !(1 << 31), ..a }),
        Op::FAbs if from == ty && ty == Type::F64 => Some(Number { bits: a.bits & !(1 << 63), ..a }),
        Op::Abs if from == ty && ty.is_int() => Some(Number::int(ty, a.signed().wrapping_abs())),
        Op::LeadingZeros | Op::TrailingZeros | Op::SwapBytes if from == ty && ty.is_int() => {
            let (x, bits) = (a.unsigned(), ty.int_bits());
            Some(match op {
                Op::LeadingZeros => Number::int(ty, i64::from(x.leading_zeros() + bits - 64)),
                Op::TrailingZeros => Number::int(ty, x.trailing_zeros().min(bits).into()),
                _ => Number::int(ty, (x.swap_bytes() >> (64 - 8 * ty.bytes().max(1))) as i64),
            })
        }
        Op::ZExt | Op::SExt | Op::Trunc | Op::SIToFP if !from.is_int() => None,
        Op::ZExt if ty.is_int() => Some(Number::int(ty, a.unsigned() as i64)),
        Op::SExt if ty.is_int() => Some(Number::int(ty, a.signed())),
        Op::Trunc if ty.is_int() => Some(Number::int(ty, a.bits as i64)),
        // Straight to float: by way of double an i64 would be rounded twice.
        Op::SIToFP if ty == Type::F32 => Some(Number::f32(a.signed() as f32)),
        Op::SIToFP if ty == Type::F64 => Some(Number::f64(a.signed() as f64)),
        Op::FPToSI if from.is_float() => match ty {
            Type::I8 => Some(Number::int(ty, i64::from(a.float() as i8))),
            Type::I16 => Some(Number::int(ty, i64::from(a.float() as i16))),
            Type::I32 => Some(Number::int(ty, i64::from(a.float() as i32))),
            Type::I64 => Some(Number::int(ty, a.float() as i64)),
            _ => None,
        },
        Op::FPExt | Op::FPTrunc if from.is_float() && ty.is_float() && !a.float().is_nan() => {
            Some(Number::rounded(ty, a.float()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Op, ty: Type, a: i64, b: i64) -> Option<i64> {
        fold(op, ty, 0, &[Number::int(ty, a), Number::int(ty, b)]).map(|x| x.bits as i64)
    }

    #[test]
    fn integers_wrap_at_their_width() {
        let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        let cases = [
            (Op::Add, max, 1, Some(min)),
            (Op::Sub, min, 1, Some(max)),
            (Op::Mul, 65_536, 65_536, Some(0)),
            (Op::SDiv, -7, 2, Some(-3)),
            (Op::SRem, -7, 2, Some(-1)),
            (Op::SDiv, min, -1, Some(min)),
            (Op::SRem, min, -1, Some(0)),
            (Op::SDiv, 1, 0, None),
            (Op::URem, 1, 0, None),
            (Op::UDiv, -1, 2, Some(max)),
            (Op::URem, -1, 10, Some(5)),
            (Op::Shl, 1, 31, Some(min)),
            (Op::Shl, 1, 32, None),
            (Op::LShr, -1, 28, Some(15)),
            (Op::AShr, min, 31, Some(-1)),
            (Op::AShr, 1, -1, None),
            (Op::FAdd, 1, 1, None),
            (Op::SMulHi, min, min, Some(1 << 30)),
            (Op::SMulHi, -1, 1, Some(-1)),
            (Op::UMulHi, -1, -1, Some(-2)),
            (Op::SMin, -1, 1, Some(-1)),
            (Op::SMax, -1, 1, Some(1)),
            (Op::UMin, -1, 1, Some(1)),
            (Op::UMax, -1, 1, Some(-1)),
        ];
        for (op, a, b, result) in cases {
            assert_eq!(int(op, Type::I32, a, b), result, "{op:?} {a} {b}");
        }
        assert_eq!(int(Op::SDiv, Type::I64, i64::MIN, -1), Some(i64::MIN));
        assert_eq!(int(Op::Add, Type::I1, 1, 1), Some(0));
        assert_eq!(int(Op::Mul, Type::I8, 16, 8), Some(-128));
        assert_eq!(int(Op::LShr, Type::I64, -1, 63), Some(1));
        assert_eq!(int(Op::UMulHi, Type::I64, -1, -1), Some(-2));
        assert_eq!(int(Op::SMulHi, Type::I8, -128, 127), Some(-64));
        let one = |op: Op, ty: Type, x: i64| fold(op, ty, 0, &[Number::int(ty, x)]).map(|x| x.unsigned());
        for (op, ty, x, expected) in [
            (Op::LeadingZeros, Type::I32, 0, 32),
            (Op::LeadingZeros, Type::I32, 1, 31),
            (Op::LeadingZeros, Type::I64, -1, 0),
            (Op::LeadingZeros, Type::I8, 0x10, 3),
            (Op::TrailingZeros, Type::I16, 0, 16),
            (Op::TrailingZeros, Type::I64, i64::MIN, 63),
            (Op::TrailingZeros, Type::I32, 12, 2),
            (Op::SwapBytes, Type::I16, 0x1234, 0x3412),
            (Op::SwapBytes, Type::I32, 0x1234_5678, 0x7856_3412),
            (Op::SwapBytes, Type::I64, 0xff, 0xff << 56),
        ] {
            assert_eq!(one(op, ty, x), Some(expected), "{op:?} {ty:?} {x}");
        }
        let abs = |x: i64| fold(Op::Abs, Type::I32, 0, &[Number::int(Type::I32, x)]).map(|x| x.bits as i64);
        assert_eq!((abs(-7), abs(min)), (Some(7), Some(min)));
    }

    #[test]
    fn every_width_of_eight_bits_agrees_with_the_host() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let (x, y) = (i64::from(a), i64::from(b));
                assert_eq!(int(Op::Add, Type::I8, x, y), Some(i64::from(a.wrapping_add(b))));
                assert_eq!(int(Op::Mul, Type::I8, x, y), Some(i64::from(a.wrapping_mul(b))));
                let quotient = (b != 0).then(|| i64::from(a.wrapping_div(b)));
                assert_eq!(int(Op::SDiv, Type::I8, x, y), quotient);
                let quotient = (a as u8).checked_div(b as u8).map(|q| i64::from(q as i8));
                assert_eq!(int(Op::UDiv, Type::I8, x, y), quotient);
                for p in IntPred::ALL {
                    let args = [Number::int(Type::I8, x), Number::int(Type::I8, y)];
                    let expected = match p {
                        IntPred::Slt => a < b,
                        IntPred::Sge => a >= b,
                        IntPred::Ult => (a as u8) < b as u8,
                        IntPred::Uge => (a as u8) >= b as u8,
                        _ => continue,
                    };
                    assert_eq!(fold(Op::ICmp, Type::I1, p as u32, &args), Some(Number::bool(expected)));
                }
            }
        }
    }

    #[test]
    fn floats_round_in_their_own_type() {
        let f = |op, a: f32, b: f32| fold(op, Type::F32, 0, &[Number::f32(a), Number::f32(b)]);
        assert_eq!(f(Op::FAdd, 16_777_216.0, 1.0), Some(Number::f32(16_777_216.0)));
        assert_eq!(f(Op::FDiv, 1.0, 0.0), Some(Number::f32(f32::INFINITY)));
        assert_eq!(f(Op::FDiv, 0.0, 0.0).map(|x| x.bits), Some(0x7fc0_0000));
        assert_eq!(f(Op::FAdd, f32::NAN, 1.0), None);
        assert_eq!(f(Op::FMul, -1.0, 0.0).map(|x| x.bits), Some(0x8000_0000));
        let negated = fold(Op::FNeg, Type::F32, 0, &[Number::f32(0.0)]);
        assert_eq!(negated.map(|x| x.bits), Some(0x8000_0000));
        let magnitude = fold(Op::FAbs, Type::F32, 0, &[Number { ty: Type::F32, bits: 0xffc0_0001 }]);
        assert_eq!(magnitude.map(|x| x.bits), Some(0x7fc0_0001));
        // 1 + 2^-23 squared is 1 + 2^-22 + 2^-46: rounded before the sum, the last part would be gone.
        let x = Number::f32(1.0 + f32::EPSILON);
        let rest = fold(Op::Fma, Type::F32, 0, &[x, x, Number::f32(-1.0 - 2.0 * f32::EPSILON)]);
        assert_eq!(rest, Some(Number::f32(f32::EPSILON * f32::EPSILON)));
        let wide = fold(Op::FPExt, Type::F64, 0, &[Number::f32(0.1)]);
        assert_eq!(wide, Some(Number::f64(f64::from(0.1f32))));
        let args = [Number::f32(f32::NAN), Number::f32(1.0)];
        let less = |p: FloatPred| fold(Op::FCmp, Type::I1, p as u32, &args).map(|x| x.bits);
        assert_eq!((less(FloatPred::Olt), less(FloatPred::Ult)), (Some(0), Some(1)));
    }

    #[test]
    fn conversions_saturate_and_round_once() {
        let to = |x: f32| fold(Op::FPToSI, Type::I32, 0, &[Number::f32(x)]).map(|x| x.bits as i64);
        assert_eq!(to(-2.9), Some(-2));
        assert_eq!(to(3e9), Some(i64::from(i32::MAX)));
        assert_eq!(to(-3e9), Some(i64::from(i32::MIN)));
        assert_eq!(to(f32::NAN), Some(0));
        let x = (1i64 << 60) + (1 << 36) + 1;
        let float = fold(Op::SIToFP, Type::F32, 0, &[Number::int(Type::I64, x)]);
        assert_eq!(float, Some(Number::f32(x as f32)));
        let one = Number::bool(true);
        let bits = |op, ty| fold(op, ty, 0, &[one]).map(|x| x.bits as i64);
        assert_eq!((bits(Op::ZExt, Type::I32), bits(Op::SExt, Type::I32)), (Some(1), Some(-1)));
        assert_eq!(fold(Op::SIToFP, Type::F32, 0, &[one]), Some(Number::f32(-1.0)));
        let wide = Number::int(Type::I64, 0x1_8000_0000);
        assert_eq!(fold(Op::Trunc, Type::I32, 0, &[wide]), Some(Number::int(Type::I32, i64::from(i32::MIN))));
    }

    #[test]
    fn operands_of_other_types_are_not_folded() {
        let (a, b) = (Number::int(Type::I32, 1), Number::int(Type::I64, 1));
        assert_eq!(fold(Op::Add, Type::I32, 0, &[a, b]), None);
        assert_eq!(fold(Op::Load, Type::I32, 0, &[a]), None);
        assert_eq!(fold(Op::ZExt, Type::I64, 0, &[Number::f32(1.0)]), None);
        assert_eq!(
            fold(Op::Select, Type::I32, 0, &[Number::bool(false), a, Number::zero(Type::I32)]),
            Some(Number::zero(Type::I32))
        );
    }
}
