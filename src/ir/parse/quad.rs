//! `fp128`, IEEE 754's binary128: what C's `long double` is on machines of 64 bits. A value is the two words of its bits, as an
//! integer of 128 bits is (`wide`), so all that moves it is what moves those. An operation is a call of the compiler's library
//! (libgcc's "Routines for floating point emulation": `__addtf3`, `__lttf2`, ...), an intrinsic one of the C library's functions of
//! `long double`. O(1) each.
//!
//! The library's comparisons yield a number whose sign tells, and of a NaN one that makes what is asked of each of them false.
//! AArch64 passes such values in registers of vectors (`ir::Group`, `QUAD_RESULT`), RISC-V as the integers.

use super::aggregate::Compound;
use super::builder::{Builder, Operand};
use super::expand::{class_ranges, function_of};
use super::keywords::Places;
use super::lexer::{Text, Token};
use super::wide::{Wide, width};
use super::words::meaning;
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::{Effect, FloatPred, Group, IntPred, Op, Parts, Type, Value};

/// Its bits.
pub(super) const QUAD: u32 = 128;

/// What a result is in the registers of machines that have such for it.
pub(super) const QUAD_RESULT: Type = Type::F64x2;

/// The sign, in the upper word.
const SIGN: i64 = i64::MIN;

/// An argument of a function of a library.
pub(super) enum Passed {
    Integer(Wide),
    Quad(Wide),
    Value(Value),
}

/// What such a function yields.
#[derive(Copy, Clone)]
pub(super) enum Yields {
    Integer,
    Quad,
    Value(Type),
}

/// Operations of two, and the functions that do them.
const OPERATIONS: [(&str, &str); 5] = [
    ("fadd", "__addtf3"),
    ("fsub", "__subtf3"),
    ("fmul", "__multf3"),
    ("fdiv", "__divtf3"),
    ("frem", "fmodl"),
];

/// Comparisons: the function, and what is asked of its number and 0.
const COMPARISONS: [(FloatPred, &str, IntPred); 12] = [
    (FloatPred::Oeq, "__eqtf2", IntPred::Eq),
    (FloatPred::Une, "__eqtf2", IntPred::Ne),
    (FloatPred::Olt, "__lttf2", IntPred::Slt),
    (FloatPred::Ole, "__letf2", IntPred::Sle),
    (FloatPred::Ogt, "__gttf2", IntPred::Sgt),
    (FloatPred::Oge, "__getf2", IntPred::Sge),
    (FloatPred::Ult, "__getf2", IntPred::Slt),
    (FloatPred::Ule, "__gttf2", IntPred::Sle),
    (FloatPred::Ugt, "__letf2", IntPred::Sgt),
    (FloatPred::Uge, "__lttf2", IntPred::Sge),
    (FloatPred::Uno, "__unordtf2", IntPred::Ne),
    (FloatPred::Ord, "__unordtf2", IntPred::Eq),
];

/// The words of a constant, `0xL` and both as hexadecimal numbers, the lower first.
pub(super) fn quad_bits(text: &str) -> Option<[u64; 2]> {
    let digits = text.strip_prefix("0xL").filter(|digits| digits.len() == 32)?;
    let word = |of: Option<&str>| u64::from_str_radix(of?, 16).ok();
    Some([word(digits.get(..16))?, word(digits.get(16..))?])
}

impl<'a> Parser<'a> {
    /// True if the token is this type.
    pub(super) fn at_quad(&self) -> bool {
        self.token == Token::Word("fp128")
    }

    /// True if the machine passes such values in registers of vectors.
    pub(super) fn has_quad_registers(&self) -> bool {
        self.platform.name == "aarch64"
    }

    /// That no part of what is an argument or a result is such a value where those have registers of their own.
    pub(super) fn may_pass_quads(&self, compound: &Compound, at: usize) -> Parsed<()> {
        if compound.mem.is_some_and(|mem| self.has_small(mem)) {
            let what = "`half` or `bfloat` as a part of an argument or result is not supported";
            return self.error_at(at, what);
        }
        let has_quads = compound.mem.is_some_and(|mem| self.has_quads(mem));
        match has_quads && self.has_quad_registers() {
            true => self
                .error_at(at, "`fp128` as a part of an argument or result is not supported on this machine"),
            false => Ok(()),
        }
    }

    /// A value, behind its type.
    pub(super) fn quad_operand(&mut self, b: &mut Builder) -> Parsed<Wide> {
        let Token::Float(text) = self.token else { return self.wide_operand(b, QUAD) };
        let Some(words) = quad_bits(text) else { return self.expected("a value of type fp128") };
        self.advance()?;
        Ok(self.quad_constant(b, words))
    }

    /// These bits, the lower word first.
    fn quad_constant(&self, b: &mut Builder, words: [u64; 2]) -> Wide {
        let (word, size) = self.word();
        let part = |b: &mut Builder, whole: u64, k: u32| b.f.int_of(word, (whole >> (k * size)) as i64);
        let mut parts = Vec::new();
        for whole in words {
            parts.extend((0..64 / size).map(|k| part(b, whole, k)));
        }
        Wide { bits: QUAD, words: parts }
    }

    /// Reads an operation on such values, whose first word is the token. `None`, and nothing read, for all others.
    pub(super) fn quad(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<Option<()>> {
        let is_float = matches!(word, "fneg" | "fcmp") || OPERATIONS.iter().any(|row| row.0 == word);
        let converts =
            ["fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp", "bitcast"].contains(&word);
        if !is_float && !converts {
            return Ok(None);
        }
        let before = (self.lexer.clone(), self.token, self.start);
        self.advance()?;
        self.flags(match (word, meaning(word).op) {
            ("uitofp", _) => Places::SIGNS,
            (_, Some(op)) => Places::of_op(op),
            _ if is_float => Places::FLOATS,
            _ => Places::NONE,
        })?;
        let done = match word {
            "fcmp" => self.quad_comparison(b, result)?,
            "fptrunc" | "fptosi" | "fptoui" | "bitcast" if self.at_quad() => {
                self.converted_from_quad(b, word, result)?
            }
            "fpext" | "sitofp" | "uitofp" | "bitcast" => self.converted_to_quad(b, word, result)?,
            _ if is_float && self.at_quad() => {
                self.advance()?;
                let x = self.quad_operand(b)?;
                let row = OPERATIONS.iter().find(|row| row.0 == word);
                let value = match row {
                    None => self.quad_negated(b, &x),
                    Some(&(_, function)) => {
                        self.expect(b',')?;
                        let y = self.quad_operand(b)?;
                        self.quad_of(b, function, [x, y])?
                    }
                };
                self.metadata_behind()?;
                Some(self.bind_wide(b, result, value)?)
            }
            _ => None,
        };
        if done.is_none() {
            (self.lexer, self.token, self.start) = before;
        }
        Ok(done)
    }

    fn quad_negated(&self, b: &mut Builder, x: &Wide) -> Wide {
        let mut words = x.words.clone();
        let (word, size) = self.word();
        if let Some(high) = words.last_mut() {
            *high = b.by(Op::Xor, word, *high, SIGN >> (64 - size));
        }
        Wide { bits: QUAD, words }
    }

    /// A function of two.
    fn quad_of(&mut self, b: &mut Builder, function: &str, args: [Wide; 2]) -> Parsed<Wide> {
        let words = self.library(b, function, &args.map(Passed::Quad), Yields::Quad)?;
        Ok(Wide { bits: QUAD, words })
    }

    fn quad_comparison(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<Option<()>> {
        let Token::Word(name) = self.token else { return Ok(None) };
        let Some(pred) = FloatPred::ALL.into_iter().find(|pred| pred.name() == name) else { return Ok(None) };
        self.advance()?;
        if !self.at_quad() {
            return Ok(None);
        }
        self.advance()?;
        let x = self.quad_operand(b)?;
        self.expect(b',')?;
        let y = self.quad_operand(b)?;
        self.metadata_behind()?;
        let truth = match pred {
            FloatPred::One | FloatPred::Ueq => {
                let (equal, ordered, both) = match pred {
                    FloatPred::One => (FloatPred::Une, FloatPred::Ord, Op::And),
                    _ => (FloatPred::Oeq, FloatPred::Uno, Op::Or),
                };
                let equal = self.quad_compared(b, equal, [&x, &y])?;
                let ordered = self.quad_compared(b, ordered, [&x, &y])?;
                b.make(both, Type::I1, &[equal, ordered], 0)
            }
            _ => self.quad_compared(b, pred, [&x, &y])?,
        };
        self.bind(b, result, truth).map(Some)
    }

    fn quad_compared(&mut self, b: &mut Builder, pred: FloatPred, args: [&Wide; 2]) -> Parsed<Value> {
        let Some(&(_, function, asked)) = COMPARISONS.iter().find(|row| row.0 == pred) else {
            return self.expected("a predicate");
        };
        let args = args.map(|x| Passed::Quad(x.clone()));
        let number = self.library_value(b, function, &args, Type::I32)?;
        let zero = b.f.int(0);
        Ok(b.make(Op::ICmp, Type::I1, &[number, zero], asked as u32))
    }

    /// A conversion from such a value, whose type is the token.
    fn converted_from_quad(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<Option<()>> {
        self.advance()?;
        let x = self.quad_operand(b)?;
        self.expect_word("to")?;
        let (at, bits) = (self.start, self.wide_type());
        if word == "bitcast" {
            if bits != Some(QUAD) {
                return self.error("a bitcast of fp128 to another type than i128 is not supported");
            }
            self.advance()?;
            self.metadata_behind()?;
            return self.bind_wide(b, result, x).map(Some);
        }
        let signed = word == "fptosi";
        if let Some(bits) = bits.filter(|_| word != "fptrunc") {
            self.advance()?;
            if bits > QUAD {
                return self.error_at(at, format!("`{word}` to i{bits} is not supported"));
            }
            let function = if signed { "__fixtfti" } else { "__fixunstfti" };
            let words = self.library(b, function, &[Passed::Quad(x)], Yields::Integer)?;
            let value = self.of_width(b, &Wide { bits: QUAD, words }, bits, Op::ZExt);
            self.metadata_behind()?;
            return self.bind_wide(b, result, value).map(Some);
        }
        let to = self.ty()?;
        let (function, ty) = match (word, to) {
            ("fptrunc", Type::F32) => ("__trunctfsf2", to),
            ("fptrunc", Type::F64) => ("__trunctfdf2", to),
            ("fptosi", Type::I64) => ("__fixtfdi", to),
            ("fptoui", Type::I64) => ("__fixunstfdi", to),
            // What is less is one of these, if it fits at all.
            ("fptoui", Type::I32) => ("__fixunstfsi", to),
            ("fptosi" | "fptoui", ty) if ty.is_int() => ("__fixtfsi", Type::I32),
            _ => return self.error_at(at, format!("`{word}` of fp128 to {} is not supported", to.name())),
        };
        let mut value = self.library_value(b, function, &[Passed::Quad(x)], ty)?;
        if ty != to {
            value = b.make(Op::Trunc, to, &[value], 0);
        }
        self.metadata_behind()?;
        self.bind(b, result, value).map(Some)
    }

    /// A conversion to such a value, if it is one: the token is the type that it is from.
    fn converted_to_quad(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<Option<()>> {
        let mut ahead = self.lexer.clone();
        let next: Vec<Token> = (0..3).map_while(|_| Some(ahead.next().ok()?.0)).collect();
        if !matches!(*next, [_, Token::Word("to"), Token::Word("fp128")]) {
            return Ok(None);
        }
        let at = self.start;
        let extend = if word == "uitofp" { Op::ZExt } else { Op::SExt };
        let refused = |of: &str| format!("`{word}` of {of} to fp128 is not supported");
        let from = if let Token::Word(word) = self.token { width(word) } else { None };
        let value = match from {
            Some(QUAD) if word == "bitcast" => {
                self.advance()?;
                self.wide_operand(b, QUAD)?
            }
            Some(bits) if bits <= QUAD && matches!(word, "sitofp" | "uitofp") => {
                self.advance()?;
                let x = self.wide_operand(b, bits)?;
                let x = self.normal(b, x, extend);
                let x = self.of_width(b, &x, QUAD, extend);
                let function = if word == "sitofp" { "__floattitf" } else { "__floatuntitf" };
                let words = self.library(b, function, &[Passed::Integer(x)], Yields::Quad)?;
                Wide { bits: QUAD, words }
            }
            Some(bits) => return self.error_at(at, refused(&format!("i{bits}"))),
            None => {
                let (ty, operand) = self.typed_operand(b)?;
                let mut v = b.settled(operand);
                if matches!(word, "sitofp" | "uitofp") && ty.is_int() && ty.bytes() < 4 {
                    v = b.make(extend, Type::I32, &[v], 0);
                }
                let function = match (word, b.f.type_of(v)) {
                    ("fpext", Type::F32) => "__extendsftf2",
                    ("fpext", Type::F64) => "__extenddftf2",
                    ("sitofp", Type::I32) => "__floatsitf",
                    ("uitofp", Type::I32) => "__floatunsitf",
                    ("sitofp", Type::I64) => "__floatditf",
                    ("uitofp", Type::I64) => "__floatunditf",
                    _ => return self.error_at(at, refused(ty.name())),
                };
                let words = self.library(b, function, &[Passed::Value(v)], Yields::Quad)?;
                Wide { bits: QUAD, words }
            }
        };
        // `to fp128`.
        self.expect_word("to")?;
        self.advance()?;
        self.metadata_behind()?;
        self.bind_wide(b, result, value).map(Some)
    }

    /// The result of an intrinsic, of this name without its last type, whose arguments are ahead.
    pub(super) fn quad_intrinsic(&mut self, b: &mut Builder, (name, at): (&str, usize)) -> Parsed<Value> {
        self.expect(b'(')?;
        let mut args = Vec::new();
        while self.token != Token::Mark(b')') {
            args.push(if self.at_quad() {
                self.advance()?;
                let said = self.attributes(Places::PARAMETER)?;
                self.suits(&said, Type::F64)?;
                Passed::Quad(self.quad_operand(b)?)
            } else {
                let (_, operand) = self.argument(b)?;
                Passed::Value(b.settled(operand))
            });
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        self.call_attributes()?;
        let name = name.strip_prefix("llvm.").unwrap_or(name);
        let (word, size) = self.word();
        let sign = SIGN >> (64 - size);
        let value = match (name, &*args) {
            ("is.fpclass", &[Passed::Quad(ref x), Passed::Value(classes)])
                if b.f.as_int(classes).is_some() =>
            {
                let classes = b.f.as_int(classes).unwrap_or_default() as u32;
                let mut found = Value::bool(false);
                for (low, count) in class_ranges((QUAD, 112), classes) {
                    let [low, count] =
                        [low, count].map(|x| self.quad_constant(b, [x as u64, (x >> 64) as u64]));
                    let Some(distance) = self.computed(b, Op::Sub, x.clone(), low) else { continue };
                    let is = self.compared(b, IntPred::Ult, distance, count);
                    found = b.make(Op::Or, Type::I1, &[found, is], 0);
                }
                return Ok(found);
            }
            ("fabs", [Passed::Quad(x)]) => {
                let mut words = x.words.clone();
                if let Some(high) = words.last_mut() {
                    *high = b.by(Op::And, word, *high, !sign);
                }
                Wide { bits: QUAD, words }
            }
            ("copysign", [Passed::Quad(x), Passed::Quad(y)]) => {
                let mut words = x.words.clone();
                if let (Some(high), Some(&other)) = (words.last_mut(), y.words.last()) {
                    let magnitude = b.by(Op::And, word, *high, !sign);
                    let other = b.by(Op::And, word, other, sign);
                    *high = b.make(Op::Or, word, &[magnitude, other], 0);
                }
                Wide { bits: QUAD, words }
            }
            ("fmuladd", [Passed::Quad(x), Passed::Quad(y), Passed::Quad(z)]) => {
                let product = self.quad_of(b, "__multf3", [x.clone(), y.clone()])?;
                self.quad_of(b, "__addtf3", [product, z.clone()])?
            }
            _ => {
                let quads = args.iter().filter(|arg| matches!(arg, Passed::Quad(_))).count();
                let function = function_of(name)
                    .filter(|row| row.1 == args.len() && (quads == row.1 || name == "ldexp"));
                let Some((function, _)) = function else {
                    return self.error_at(
                        at,
                        format!("`llvm.{name}.f128` is not supported, or not with these arguments"),
                    );
                };
                let words = self.library(b, &format!("{function}l"), &args, Yields::Quad)?;
                Wide { bits: QUAD, words }
            }
        };
        b.made = Some(super::aggregate::Made { parts: value.words, bits: Some(QUAD), mem: None });
        Ok(Value::undef(Type::Void))
    }

    // ---- Functions of libraries -------------------------------------------------------------------------

    /// Calls a function of a library that machines of 64 bits have; the words of its result.
    pub(super) fn library(
        &mut self,
        b: &mut Builder,
        name: &str,
        args: &[Passed],
        yields: Yields,
    ) -> Parsed<Vec<Value>> {
        if self.platform.pointer_bytes == 4 {
            return self.error_at(b.at as usize, "operations on `fp128` are not supported on this machine");
        }
        let (mut params, mut operands, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let (result, results) = match yields {
            Yields::Value(ty) => (ty, Vec::new()),
            Yields::Quad if self.has_quad_registers() => (Type::Void, vec![(QUAD_RESULT, 0)]),
            Yields::Integer | Yields::Quad => (Type::Void, vec![(Type::I64, 0), (Type::I64, 8)]),
        };
        let mut room = None;
        if !results.is_empty() {
            let shape = self.module.env.shapes.of(Type::I64, &[2]);
            let shape = self.aligned(shape, 16);
            let address = self.local_room(b, shape)?;
            room = Some(address);
            params.push(Type::Ptr);
            operands.push(address);
        }
        for arg in args {
            let (words, is_quad) = match arg {
                Passed::Integer(x) => (&*x.words, false),
                Passed::Quad(x) => (&*x.words, true),
                Passed::Value(v) => (std::slice::from_ref(v), false),
            };
            if words.len() > 1 {
                let (first, count) = (params.len() as u32, words.len() as u32);
                let is_vector = is_quad && self.has_quad_registers();
                groups.push(Group { first, count, align: 16, is_vector });
            }
            for &v in words {
                params.push(b.f.type_of(v));
                operands.push(Operand::Value(v));
            }
        }
        let func = self.declared(name, result, &params, Effect::ALL)?;
        let parts = Parts { results, groups, varargs: false };
        let own = self.module.env.funcs[func].parts.get_or_insert_with(|| Box::new(parts.clone()));
        if **own != parts {
            return self.error_at(b.at as usize, format!("`{name}` has another type here"));
        }
        let v = Value::inst(b.insert(Op::Call, result, &operands, func.index() as u32));
        let Some(room) = room else { return Ok(vec![v]) };
        let mut words = Vec::new();
        for at in [0, 8] {
            let place = self.place_behind(b, room, at);
            words.push(Value::inst(b.insert(Op::Load, Type::I64, &[place], 0)));
        }
        Ok(words)
    }

    /// As above, of one that yields a value of the tables.
    fn library_value(&mut self, b: &mut Builder, name: &str, args: &[Passed], ty: Type) -> Parsed<Value> {
        let found = self.library(b, name, args, Yields::Value(ty))?;
        Ok(found.first().copied().unwrap_or(Value::undef(ty)))
    }
}
