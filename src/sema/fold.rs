//! Operators on constants: ints wrap, floats are binary32 at every step, comparisons give int.

use super::ty::{Const, Scalar};
use crate::syntax::token::TokenKind;

/// The type that both operands of a binary operator convert to.
pub fn common(a: Scalar, b: Scalar) -> Scalar {
    if a == Scalar::Float || b == Scalar::Float { Scalar::Float } else { Scalar::Int }
}

/// True for the six comparisons.
pub fn is_comparison(op: TokenKind) -> bool {
    use TokenKind::{EqEq, Greater, GreaterEq, Less, LessEq, NotEq};
    matches!(op, EqEq | NotEq | Less | LessEq | Greater | GreaterEq)
}

/// A binary operator without short circuit. None for an int division by zero, and for what is no such
/// operator.
pub fn binary(op: TokenKind, a: Const, b: Const) -> Option<Const> {
    let scalar = common(a.scalar(), b.scalar());
    match (a.to(scalar), b.to(scalar)) {
        (Const::Int(a), Const::Int(b)) => match op {
            TokenKind::Plus => Some(a.wrapping_add(b)),
            TokenKind::Minus => Some(a.wrapping_sub(b)),
            TokenKind::Star => Some(a.wrapping_mul(b)),
            TokenKind::Slash => (b != 0).then(|| a.wrapping_div(b)),
            TokenKind::Percent => (b != 0).then(|| a.wrapping_rem(b)),
            _ => compare(op, &a, &b),
        }
        .map(Const::Int),
        (Const::Float(a), Const::Float(b)) => match op {
            TokenKind::Plus => Some(float(a + b)),
            TokenKind::Minus => Some(float(a - b)),
            TokenKind::Star => Some(float(a * b)),
            TokenKind::Slash => Some(float(a / b)),
            _ => compare(op, &a, &b).map(Const::Int),
        },
        _ => None,
    }
}

/// A result. A NaN is the positive quiet one, as on all targets, whatever the machine makes that compiles.
fn float(value: f32) -> Const {
    Const::Float(if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value })
}

fn compare<T: PartialOrd>(op: TokenKind, a: &T, b: &T) -> Option<i32> {
    let holds = match op {
        TokenKind::EqEq => a == b,
        TokenKind::NotEq => a != b,
        TokenKind::Less => a < b,
        TokenKind::LessEq => a <= b,
        TokenKind::Greater => a > b,
        TokenKind::GreaterEq => a >= b,
        _ => return None,
    };
    Some(i32::from(holds))
}

/// A unary operator.
pub fn unary(op: TokenKind, a: Const) -> Const {
    match (op, a) {
        (TokenKind::Not, _) => Const::Int(i32::from(!a.is_true())),
        (TokenKind::Minus, Const::Int(a)) => Const::Int(a.wrapping_neg()),
        (TokenKind::Minus, Const::Float(a)) => Const::Float(-a),
        _ => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Const::{Float, Int};
    use TokenKind::{Less, Minus, Not, NotEq, Percent, Plus, Slash, Star};

    #[test]
    fn edges() {
        for (op, a, b, expected) in [
            (Plus, Int(i32::MAX), Int(1), Some(Int(i32::MIN))),
            (Slash, Int(i32::MIN), Int(-1), Some(Int(i32::MIN))),
            (Percent, Int(i32::MIN), Int(-1), Some(Int(0))),
            (Percent, Int(-7), Int(2), Some(Int(-1))),
            (Slash, Int(1), Int(0), None),
            (Slash, Int(1), Float(0.0), Some(Float(f32::INFINITY))),
            (Star, Int(16_777_217), Float(1.0), Some(Float(16_777_216.0))),
            (Less, Float(f32::NAN), Int(0), Some(Int(0))),
            (NotEq, Float(f32::NAN), Float(f32::NAN), Some(Int(1))),
            (Percent, Float(1.0), Int(1), None),
        ] {
            assert_eq!(binary(op, a, b), expected, "{op:?} {a:?} {b:?}");
        }
        assert_eq!(binary(Slash, Int(0), Float(0.0)).map(Const::bits), Some(0x7fc0_0000));
        assert_eq!(unary(Minus, Int(i32::MIN)), Int(i32::MIN));
        assert_eq!(unary(Minus, Int(0)).to(Scalar::Float).bits(), 0);
        assert_eq!(unary(Minus, Float(0.0)).bits(), 1 << 31);
        assert_eq!((unary(Not, Float(-0.0)), unary(Not, Float(f32::NAN))), (Int(1), Int(0)));
    }

    #[test]
    fn float_to_int_truncates_and_saturates() {
        for (from, to) in [(2.9, 2), (-2.9, -2), (3e9, i32::MAX), (-3e9, i32::MIN), (f32::NAN, 0)] {
            assert_eq!(Float(from).to(Scalar::Int), Int(to));
        }
    }
}
