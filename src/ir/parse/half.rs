//! `half` and `bfloat`, floats of 16 bits. A value is its bits, an i16, so what moves it is what moves those; an operation is
//! the one of floats, rounded, as LLVM does where the machine has none of its own: both are right to the last bit for sums, products, quotients and
//! square roots, since a float has more than twice the bits. Conversions are made of integers and need no library, of which some
//! machines have none. O(1) each.
//!
//! C's conventions pass one as the lower bits of what a float is passed in (`Attributes::extension`); RISC-V wants ones above it.

use super::attribute::Extended;
use super::builder::{Builder, Operand};
use super::call::{intrinsic, opcode_of};
use super::keywords::Places;
use super::lexer::{Text, Token};
use super::{Parsed, Parser};
use crate::ir::fold::Number;
use crate::ir::{FloatPred, IntPred, Op, Type, Value};

/// Which of both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Small {
    Half,
    Brain,
}

/// How a value of these types travels: it is no operation that a text could ask for.
pub(super) const TRAVELS: Op = Op::FPExt;

/// Instructions that move values and do nothing to them.
const MOVES: [&str; 11] = [
    "load",
    "store",
    "select",
    "freeze",
    "call",
    "tail",
    "notail",
    "ret",
    "extractvalue",
    "insertvalue",
    "alloca",
];

const OPERATIONS: [(&str, Op); 4] =
    [("fadd", Op::FAdd), ("fsub", Op::FSub), ("fmul", Op::FMul), ("fdiv", Op::FDiv)];

const SIGN: i64 = 0x8000;

/// The bits of a constant: `0xH` or `0xR` and four digits.
pub(super) fn small_bits(text: &str) -> Option<i64> {
    let digits = text.strip_prefix("0xH").or_else(|| text.strip_prefix("0xR"))?;
    if digits.len() == 4 { i64::from_str_radix(digits, 16).ok() } else { None }
}

impl Builder {
    fn number32(&mut self, bits: u32) -> Value {
        self.f.int(bits as i32)
    }

    fn chosen(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let ty = self.f.type_of(yes);
        self.make(Op::Select, ty, &[condition, yes, no], 0)
    }

    fn compared_with(&mut self, pred: IntPred, x: Value, y: u32) -> Value {
        let y = self.number32(y);
        self.make(Op::ICmp, Type::I1, &[x, y], pred as u32)
    }
}

impl<'a> Parser<'a> {
    /// The type that the token is, if it is one of these.
    pub(super) fn at_small(&self) -> Option<Small> {
        match self.token {
            Token::Word("half") => Some(Small::Half),
            Token::Word("bfloat") => Some(Small::Brain),
            _ => None,
        }
    }

    /// A scalar type where memory is spoken of: one of these, too.
    pub(super) fn scalar_in_memory(&mut self) -> Parsed<Type> {
        let before = std::mem::replace(&mut self.takes_small, true);
        let ty = self.ty();
        self.takes_small = before;
        ty
    }

    /// Reads an instruction that such a type is in, whose first word is the token; true if it ends the block. `None` for those
    /// that neither move such values nor are known.
    pub(super) fn small_instruction(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<Option<bool>> {
        if MOVES.contains(&word) {
            self.takes_small = true;
            let done = self.usual(b, word, result);
            self.takes_small = false;
            return done.map(Some);
        }
        let is_float = matches!(word, "fneg" | "fcmp" | "frem") || OPERATIONS.iter().any(|row| row.0 == word);
        let converts =
            ["fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp", "bitcast"].contains(&word);
        if !is_float && !converts {
            return Ok(None);
        }
        let before = b.f.inst_count();
        self.advance()?;
        self.flags(match word {
            "uitofp" => Places::SIGNS,
            "bitcast" | "fptosi" | "fptoui" | "sitofp" => Places::NONE,
            _ => Places::FLOATS,
        })?;
        let value = match word {
            "fcmp" => self.small_comparison(b)?,
            _ if is_float => self.small_arithmetic(b, word)?,
            _ => self.small_conversion(b, word)?,
        };
        self.metadata_behind()?;
        let value = b.own(value, before);
        self.bind(b, result, value)?;
        Ok(Some(false))
    }

    /// A value behind its type, which is the token.
    fn small_operand(&mut self, b: &mut Builder) -> Parsed<(Small, Value)> {
        let Some(kind) = self.at_small() else { return self.expected("half or bfloat") };
        self.advance()?;
        let operand = self.operand(b, Type::I16)?;
        Ok((kind, b.settled(operand)))
    }

    /// The second of two.
    fn second_operand(&mut self, b: &mut Builder) -> Parsed<Value> {
        self.expect(b',')?;
        let operand = self.operand(b, Type::I16)?;
        Ok(b.settled(operand))
    }

    fn small_arithmetic(&mut self, b: &mut Builder, word: &str) -> Parsed<Value> {
        let (kind, x) = self.small_operand(b)?;
        if word == "fneg" {
            return Ok(b.by(Op::Xor, Type::I16, x, SIGN as i16 as i64));
        }
        let y = self.second_operand(b)?;
        let [x, y] = [self.small_extended(b, kind, x)?, self.small_extended(b, kind, y)?];
        let Some(&(_, op)) = OPERATIONS.iter().find(|row| row.0 == word) else {
            return self.error_at(b.at as usize, format!("`{word}` of half and bfloat is not supported"));
        };
        let whole = b.make(op, Type::F32, &[x, y], 0);
        self.small_rounded(b, kind, whole)
    }

    fn small_comparison(&mut self, b: &mut Builder) -> Parsed<Value> {
        let Token::Word(name) = self.token else { return self.expected("a predicate") };
        let Some(pred) = FloatPred::ALL.into_iter().find(|pred| pred.name() == name) else {
            return self
                .error_at(b.at as usize, format!("`fcmp {name}` of half and bfloat is not supported"));
        };
        self.advance()?;
        let (kind, x) = self.small_operand(b)?;
        let y = self.second_operand(b)?;
        let [x, y] = [self.small_extended(b, kind, x)?, self.small_extended(b, kind, y)?];
        Ok(b.make(Op::FCmp, Type::I1, &[x, y], pred as u32))
    }

    fn small_conversion(&mut self, b: &mut Builder, word: &str) -> Parsed<Value> {
        let at = self.start;
        if self.at_small().is_some() {
            let (kind, x) = self.small_operand(b)?;
            self.expect_word("to")?;
            if word == "bitcast" && self.at_small().is_some() {
                self.advance()?;
                return Ok(x);
            }
            let to = self.ty()?;
            return match (word, to) {
                ("bitcast", Type::I16) => Ok(x),
                ("fpext", Type::F32) => self.small_extended(b, kind, x),
                ("fpext", Type::F64) => {
                    let x = self.small_extended(b, kind, x)?;
                    Ok(b.make(Op::FPExt, Type::F64, &[x], 0))
                }
                ("fptosi", ty) if ty.is_int() => {
                    let x = self.small_extended(b, kind, x)?;
                    Ok(b.make(Op::FPToSI, ty, &[x], 0))
                }
                ("fptoui", ty) if ty.is_int() => {
                    let x = Operand::Value(self.small_extended(b, kind, x)?);
                    Ok(Value::inst(self.unsigned_of(b, word, (Type::F32, x), ty)?))
                }
                _ => self
                    .error_at(at, format!("`{word}` of half and bfloat to {} is not supported", to.name())),
            };
        }
        let (from, operand) = self.typed_operand(b)?;
        self.expect_word("to")?;
        let Some(kind) = self.at_small() else { return self.expected("half or bfloat") };
        self.advance()?;
        let x = b.settled(operand);
        let single = match (word, from) {
            ("bitcast", Type::I16) => return Ok(x),
            ("fptrunc", Type::F32) => x,
            ("fptrunc", Type::F64) => self.rounded_to_odd(b, x)?,
            ("sitofp", ty) if ty.is_int() => b.make(Op::SIToFP, Type::F32, &[x], 0),
            ("uitofp", ty) if ty.is_int() => {
                Value::inst(self.unsigned_of(b, word, (from, Operand::Value(x)), Type::F32)?)
            }
            _ => {
                return self.error_at(
                    at,
                    format!("`{word}` of {} to half and bfloat is not supported", from.name()),
                );
            }
        };
        self.small_rounded(b, kind, single)
    }

    /// As a float, which holds it.
    fn small_extended(&mut self, b: &mut Builder, kind: Small, x: Value) -> Parsed<Value> {
        let x = b.make(Op::ZExt, Type::I32, &[x], 0);
        if kind == Small::Brain {
            let bits = b.by(Op::Shl, Type::I32, x, 16);
            return self.bits(b, Operand::Value(bits), Type::F32);
        }
        // As the bits of a float it is 2^112 times less, subnormal ones too.
        let magnitude = b.by(Op::And, Type::I32, x, 0x7fff);
        let moved = b.by(Op::Shl, Type::I32, magnitude, 13);
        let small = self.bits(b, Operand::Value(moved), Type::F32)?;
        let scale = b.f.constant(Number::f32(f32::from_bits((127 + 112) << 23)));
        let scaled = b.make(Op::FMul, Type::F32, &[small, scale], 0);
        let finite = self.bits(b, Operand::Value(scaled), Type::I32)?;
        let infinite = b.by(Op::Or, Type::I32, moved, 0x7f80_0000);
        let quiet = b.by(Op::Or, Type::I32, infinite, 0x40_0000);
        let is_nan = b.compared_with(IntPred::Ugt, magnitude, 0x7c00);
        let is_finite = b.compared_with(IntPred::Ult, magnitude, 0x7c00);
        let other = b.chosen(is_nan, quiet, infinite);
        let bits = b.chosen(is_finite, finite, other);
        let sign = b.by(Op::And, Type::I32, x, SIGN);
        let sign = b.by(Op::Shl, Type::I32, sign, 16);
        let bits = b.make(Op::Or, Type::I32, &[bits, sign], 0);
        self.bits(b, Operand::Value(bits), Type::F32)
    }

    /// The nearest value to a float, of two the even one.
    fn small_rounded(&mut self, b: &mut Builder, kind: Small, x: Value) -> Parsed<Value> {
        let bits = self.bits(b, Operand::Value(x), Type::I32)?;
        let magnitude = b.by(Op::And, Type::I32, bits, 0x7fff_ffff);
        let is_nan = b.compared_with(IntPred::Ugt, magnitude, 0x7f80_0000);
        // Half of the last place, or less by one where it is even.
        let shift = if kind == Small::Half { 13 } else { 16 };
        let last = b.by(Op::LShr, Type::I32, magnitude, shift);
        let odd = b.by(Op::And, Type::I32, last, 1);
        let up = b.by(Op::Add, Type::I32, odd, (1 << (shift - 1)) - 1);
        let whole = b.make(Op::Add, Type::I32, &[magnitude, up], 0);
        let value = match kind {
            Small::Brain => {
                let rounded = b.by(Op::LShr, Type::I32, whole, 16);
                let quiet = b.by(Op::Or, Type::I32, last, 0x40);
                b.chosen(is_nan, quiet, rounded)
            }
            Small::Half => {
                let moved = b.by(Op::Sub, Type::I32, whole, (127 - 15) << 23);
                let usual = b.by(Op::LShr, Type::I32, moved, 13);
                // What is subnormal is rounded by a sum whose last place is that.
                let step = b.f.constant(Number::f32(0.5));
                let positive = self.bits(b, Operand::Value(magnitude), Type::F32)?;
                let sum = b.make(Op::FAdd, Type::F32, &[positive, step], 0);
                let sum = self.bits(b, Operand::Value(sum), Type::I32)?;
                let little = b.by(Op::Sub, Type::I32, sum, 126 << 23);
                let is_little = b.compared_with(IntPred::Ult, magnitude, (127 - 14) << 23);
                let finite = b.chosen(is_little, little, usual);
                let is_large = b.compared_with(IntPred::Uge, magnitude, (127 + 16) << 23);
                let infinite = b.number32(0x7c00);
                let value = b.chosen(is_large, infinite, finite);
                let payload = b.by(Op::And, Type::I32, last, 0x3ff);
                let quiet = b.by(Op::Or, Type::I32, payload, 0x7e00);
                b.chosen(is_nan, quiet, value)
            }
        };
        let sign = b.by(Op::LShr, Type::I32, bits, 16);
        let sign = b.by(Op::And, Type::I32, sign, SIGN);
        let whole = b.make(Op::Or, Type::I32, &[value, sign], 0);
        Ok(b.make(Op::Trunc, Type::I16, &[whole], 0))
    }

    /// A double as a float whose last bit is set if it is not the double itself: what is rounded once more then is rounded
    /// once (S. Boldo and G. Melquiond, "When double rounding is odd").
    fn rounded_to_odd(&mut self, b: &mut Builder, x: Value) -> Parsed<Value> {
        let near = b.make(Op::FPTrunc, Type::F32, &[x], 0);
        let back = b.make(Op::FPExt, Type::F64, &[near], 0);
        let zero = b.f.constant(Number::f64(0.0));
        let compare = |b: &mut Builder, pred: FloatPred, y: Value, z: Value| {
            b.make(Op::FCmp, Type::I1, &[y, z], pred as u32)
        };
        let is_above = compare(b, FloatPred::Ogt, back, x);
        let is_below = compare(b, FloatPred::Olt, back, x);
        let is_positive = compare(b, FloatPred::Ogt, x, zero);
        let is_larger = b.chosen(is_positive, is_above, is_below);
        let is_other = b.make(Op::Or, Type::I1, &[is_above, is_below], 0);
        let [larger, other] = [is_larger, is_other].map(|c| b.make(Op::ZExt, Type::I32, &[c], 0));
        let bits = self.bits(b, Operand::Value(near), Type::I32)?;
        let toward_zero = b.make(Op::Sub, Type::I32, &[bits, larger], 0);
        let odd = b.make(Op::Or, Type::I32, &[toward_zero, other], 0);
        self.bits(b, Operand::Value(odd), Type::F32)
    }

    /// The result of an intrinsic of this name without its last type, whose arguments are ahead.
    pub(super) fn small_intrinsic(
        &mut self,
        b: &mut Builder,
        (name, kind, at): (&str, Small, usize),
        (result, is_small): (Type, bool),
    ) -> Parsed<Option<Value>> {
        self.expect(b'(')?;
        let mut args: Vec<(Type, Operand, Option<Value>)> = Vec::new();
        while self.token != Token::Mark(b')') {
            args.push(match self.at_small() {
                Some(kind) => {
                    self.advance()?;
                    self.attributes(Places::PARAMETER)?;
                    let operand = self.operand(b, Type::I16)?;
                    let bits = b.settled(operand);
                    let wide = self.small_extended(b, kind, bits)?;
                    (Type::F32, Operand::Value(wide), Some(bits))
                }
                None => {
                    let (ty, operand) = self.argument(b)?;
                    (ty, operand, None)
                }
            });
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        self.call_attributes()?;
        let bits: Vec<Value> = args.iter().filter_map(|arg| arg.2).collect();
        match (name, &*bits) {
            ("llvm.fabs", &[x]) => return Ok(Some(b.by(Op::And, Type::I16, x, SIGN - 1))),
            ("llvm.copysign", &[x, y]) => {
                let x = b.by(Op::And, Type::I16, x, SIGN - 1);
                let y = b.by(Op::And, Type::I16, y, SIGN as i16 as i64);
                return Ok(Some(b.make(Op::Or, Type::I16, &[x, y], 0)));
            }
            _ => {}
        }
        let message = format!("`{name}` of half and bfloat is not supported, or not with these arguments");
        if !name.starts_with("llvm.") || name == "llvm.is.fpclass" {
            return self.error_at(at, message);
        }
        let of_floats = format!("{name}.f32");
        let args: Vec<(Type, Operand)> = args.iter().map(|&(ty, operand, _)| (ty, operand)).collect();
        let yields = if is_small { Type::F32 } else { result };
        let is_missing = self.platform.name == "armv7" && name == "llvm.fma";
        let is_opcode = opcode_of(&of_floats).is_some() && !is_missing;
        let mut value = None;
        if !is_opcode {
            value = self.expanded(b, &of_floats, yields, &args)?;
        }
        let value = value.or_else(|| intrinsic(&self.module.env, b, &of_floats, yields, &args));
        match value {
            Some(Some(v)) if is_small => self.small_rounded(b, kind, v).map(Some),
            Some(value) => Ok(value),
            None => self.error_at(at, message),
        }
    }

    // ---- On the way ---------------------------------------------------------------------------------------

    /// A value as it travels, which is not as it is.
    pub(super) fn sent(&mut self, b: &mut Builder, (op, ty): (Op, Type), v: Operand) -> Parsed<Operand> {
        if op != TRAVELS {
            let carried = super::attribute::carrier(Some((op, ty)), ty);
            return Ok(Operand::Value(Value::inst(b.insert(op, carried, &[v], 0))));
        }
        let mut bits = Value::inst(b.insert(Op::ZExt, Type::I32, &[v], 0));
        if self.platform.name == "riscv64" {
            bits = b.by(Op::Or, Type::I32, bits, -0x1_0000);
        }
        self.bits(b, Operand::Value(bits), Type::F32).map(Operand::Value)
    }

    /// What has travelled so.
    pub(super) fn received(&mut self, b: &mut Builder, extended: Extended, mut v: Value) -> Parsed<Value> {
        let Some((op, ty)) = extended else { return Ok(v) };
        if op == TRAVELS {
            v = self.bits(b, Operand::Value(v), Type::I32)?;
        }
        Ok(Value::inst(b.insert(Op::Trunc, ty, &[Operand::Value(v)], 0)))
    }
}
