//! What debuggers are told of values that go (`ir/debug_values`): by what they were computed. Only where they are told.

use super::Body;
use crate::base::formula::{Operator, Term};
use crate::ir::debug_values::Formula;
use crate::ir::{Inst, Op, Type, Value};

impl Body {
    /// The operation of an instruction as a formula over its operands, if there is one.
    pub fn formula_of(&self, i: Inst) -> Option<Formula> {
        let (args, ty) = (self.args(i), self.ty(i));
        let is_int = |ty: Type| matches!(ty, Type::I32 | Type::I64);
        let leaf = |v: Value| match self.number(v) {
            Some(number) if number.ty == Type::I32 => Term::Number(i64::from(number.bits as i32)),
            Some(number) if number.ty == Type::I64 => Term::Number(number.bits as i64),
            _ => Term::Leaf(v),
        };
        let two = |operator: Operator| match *args {
            [a, b] if is_int(ty) => Some(vec![leaf(a), leaf(b), Term::Apply(operator)]),
            _ => None,
        };
        let shift = |extend: Operator, narrow: Operator, wide: Operator| match (args, ty) {
            (&[a, b], Type::I32) => Some(vec![leaf(a), Term::Apply(extend), leaf(b), Term::Apply(narrow)]),
            (&[a, b], Type::I64) => Some(vec![leaf(a), leaf(b), Term::Apply(wide)]),
            _ => None,
        };
        let high = |extend: Operator| match *args {
            [a, b] => {
                let (a, b, extend) = (leaf(a), leaf(b), Term::Apply(extend));
                let down = Term::Apply(Operator::WideShra);
                Some(vec![a, extend, b, extend, Term::Apply(Operator::Mul), Term::Number(32), down])
            }
            _ => None,
        };
        let cast = |from: Type, to: Type, extend: Option<Operator>| match *args {
            [a] if self.type_of(a) == from && ty == to => {
                Some([leaf(a)].into_iter().chain(extend.map(Term::Apply)).collect())
            }
            _ => None,
        };
        match self.op(i) {
            Op::Add => two(Operator::Add),
            Op::Sub => two(Operator::Sub),
            Op::Mul => two(Operator::Mul),
            Op::And => two(Operator::And),
            Op::Or => two(Operator::Or),
            Op::Xor => two(Operator::Xor),
            Op::Shl if self.number(*args.get(1)?).is_some() => two(Operator::Shl),
            Op::LShr if self.number(*args.get(1)?).is_some() => {
                shift(Operator::ZeroExtend, Operator::Shr, Operator::WideShr)
            }
            Op::AShr if self.number(*args.get(1)?).is_some() => {
                shift(Operator::SignExtend, Operator::Shra, Operator::WideShra)
            }
            Op::SMulHi if ty == Type::I32 => high(Operator::SignExtend),
            Op::UMulHi if ty == Type::I32 => high(Operator::ZeroExtend),
            // As remainders are made: half by half, by what is small.
            Op::UMulHi if ty == Type::I64 => match *args {
                [a, b] => {
                    let by = self.as_int(b).filter(|by| (1..=i64::from(i32::MAX)).contains(by))?;
                    let [mul, add, down] = [Operator::Mul, Operator::Add, Operator::WideShr].map(Term::Apply);
                    let (a, by, half) = (leaf(a), Term::Number(by), Term::Number(32));
                    let low = [a, Term::Apply(Operator::ZeroExtend), by, mul, half, down];
                    Some([&[a, half, down, by, mul][..], &low, &[add, half, down]].concat())
                }
                _ => None,
            },
            Op::SExt => cast(Type::I32, Type::I64, Some(Operator::SignExtend)),
            Op::ZExt => cast(Type::I32, Type::I64, Some(Operator::ZeroExtend)),
            Op::Trunc => cast(Type::I64, Type::I32, None),
            // Of one way in, as behind loops.
            Op::Phi => match *args {
                [v] if v != Value::inst(i) => Some(vec![leaf(v)]),
                _ => None,
            },
            _ => None,
        }
    }

    /// A value is about to go, with nothing in its place.
    #[cold]
    #[inline(never)]
    pub(super) fn note_gone(&mut self, i: Inst) {
        let is_known = self.debug_values.as_deref().is_none_or(|debug| debug.is_forwarded(i));
        if let Some(formula) = Some(i).filter(|_| !is_known).and_then(|i| self.formula_of(i)) {
            self.note_formula(i, formula);
        }
    }

    /// Should a value go, it is this.
    pub fn note_formula(&mut self, i: Inst, formula: Formula) {
        if let Some(debug) = &mut self.debug_values {
            debug.compute(i, formula);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;
    use crate::ir::debug_values::{DebugValues, Shown};
    use crate::ir::parse::parse;
    use crate::ir::{Block, FuncId};

    /// What the last instruction before the return becomes when it is removed: numbers and operators, and `%` for a leaf.
    fn removed(text: &str) -> Option<String> {
        let text = format!("define i32 @f(i32 %a, i64 %b) {{\n{text}\n  ret i32 %a\n}}\n");
        let mut module = parse(&text).unwrap();
        let f = module.bodies[FuncId::new(0)].as_mut().unwrap();
        f.debug_values = Some(Box::new(DebugValues::of(Vec::new())));
        let i = f.prev(f.terminator(Block::new(0))?)?;
        f.remove(i);
        let debug = f.debug_values.as_deref()?;
        let version = debug.versions.in_version(0)?;
        let shown = Shown::Value(Value::inst(i));
        let terms = debug.resolve(shown, &version, |i| f.op(i) != Op::Unreachable, |_| None)?;
        let words = terms.iter().map(|term| match term {
            Term::Leaf(_) => "%".to_string(),
            Term::Number(number) => number.to_string(),
            Term::Apply(operator) => format!("{operator:?}"),
        });
        Some(words.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_is_removed_is_told_by_what_it_was_computed_from() {
        let of = |text: &str| removed(text).unwrap_or_default();
        assert_eq!(of("  %x = add i32 %a, -1"), "% -1 Add");
        assert_eq!(of("  %x = lshr i32 %a, 3"), "% ZeroExtend 3 Shr");
        assert_eq!(of("  %x = ashr i64 %b, 3"), "% 3 WideShra");
        assert_eq!(of("  %x = trunc i64 %b to i32"), "%");
        assert_eq!(of("  %x = sdiv i32 %a, 3"), "");
    }
}
