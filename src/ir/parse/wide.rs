//! Integers of other widths than the tables have, up to `WIDEST` bits: what clang makes of bit fields. Such a value is words of
//! the machine, the lowest first, whose bits above the width say nothing; an instruction on it is instructions on these.
//! O(words) each. (As compilers legalise integers: LLVM's `LegalizeIntegerTypes`.)
//!
//! They are read, written, shifted, multiplied (O(words^2)), combined, extended, cut and compared; quotients, shifts by what is not
//! known of more than two words, and floats: `wide_arithmetic`; intrinsics: `any_width`. How they are passed and returned, and
//! phis of them: `aggregate`.

use super::aggregate::Made;
use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::lexer::{Text, Token};
use super::metadata::Bearer;
use super::quad::QUAD;
use super::words::meaning;
use super::{Parsed, Parser};
use crate::ir::{IntPred, Op, Type, Value};

/// More bits are refused.
pub(super) const WIDEST: u32 = 512;

/// A value of such a type.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    pub(super) bits: u32,
    pub(super) words: Vec<Value>,
}

/// The width that a word names, if the tables have no such type.
pub(super) fn width(word: &str) -> Option<u32> {
    let bits: u32 = word.strip_prefix('i')?.parse().ok()?;
    (2..=WIDEST).contains(&bits).then_some(bits).filter(|bits| ![8, 16, 32, 64].contains(bits))
}

/// The numbers of 32 bits that an integer is made of, the lowest first: as many as are wanted.
pub(super) fn halves_of(text: &str, count: usize) -> Vec<u64> {
    // Digit by digit, in halves of words that do not overflow.
    let digits = text.trim_start_matches('-');
    let mut parts = vec![0u64; count];
    for digit in digits.bytes() {
        let mut carry = u64::from(digit - b'0');
        for part in &mut parts {
            let sum = *part * 10 + carry;
            (*part, carry) = (sum & 0xffff_ffff, sum >> 32);
        }
    }
    if text.starts_with('-') {
        let mut carry = 1;
        for part in &mut parts {
            let sum = (!*part & 0xffff_ffff) + carry;
            (*part, carry) = (sum & 0xffff_ffff, sum >> 32);
        }
    }
    parts
}

impl Builder {
    /// A value as another integer type, with its sign or with zeros.
    fn converted(&mut self, v: Value, to: Type, extend: Op) -> Value {
        let from = self.f.type_of(v);
        self.resized(Operand::Value(v), from, to, extend).now()
    }
}

impl<'a> Parser<'a> {
    /// The width of the type that the token names, if the tables have none.
    pub(super) fn wide_type(&self) -> Option<u32> {
        if let Token::Word(word) = self.token { width(word) } else { None }
    }

    /// Reads an instruction that takes or yields such a value, whose first word is the token. `None`, and nothing read,
    /// for all others.
    pub(super) fn wide(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<Option<()>> {
        let (lexer, token, start) = (self.lexer.clone(), self.token, self.start);
        self.advance()?;
        let is_store = word == "store";
        // Of others the flags are looked at when they are read as what they are.
        let may = match meaning(word).op {
            Some(op) => Places::of_op(op),
            None if word == "icmp" => Places::COMPARES,
            None if matches!(word, "load" | "store" | "freeze") => Places::NONE,
            None => Places::FLOATS.or(Places::STEPS),
        };
        self.flags(may)?;
        let is_volatile = matches!(word, "load" | "store") && self.eat_word("volatile")?;
        if word == "icmp" {
            self.skip_words(&IntPred::ALL.map(IntPred::name))?;
        }
        let is_cast = matches!(word, "zext" | "sext" | "trunc" | "fptosi" | "fptoui");
        if is_cast && self.wide_type().is_none() {
            // From a type of the tables: the other one is behind the operand.
            let mut ahead = self.lexer.clone();
            let next: Vec<Token> = (0..3).map_while(|_| Some(ahead.next().ok()?.0)).collect();
            let to = match *next {
                [_, Token::Word("to"), Token::Word(to)] => width(to),
                _ => None,
            };
            if let Some(bits) = to {
                let (ty, v) = self.typed_operand(b)?;
                let v = b.settled(v);
                self.advance()?;
                self.advance()?;
                let is_float = word.starts_with("fp");
                if is_float && !matches!(ty, Type::F32 | Type::F64) || !is_float && !ty.is_int() {
                    return self.error(format!("`{word}` of {} is not supported", ty.name()));
                }
                let op = if word == "sext" { Op::SExt } else { Op::ZExt };
                let value = match is_float {
                    true => self.integer_of(b, v, bits, word == "fptosi")?,
                    false => self.widened(b, v, bits, op),
                };
                self.metadata_behind()?;
                return self.bind_wide(b, result, value).map(Some);
            }
        }
        // Of those, only what moves bits.
        let is_quad = self.at_quad() && matches!(word, "load" | "store" | "freeze");
        let Some(bits) = is_quad
            .then_some(QUAD)
            .or(self.wide_type())
            .filter(|_| !matches!(word, "call" | "phi" | "ret" | "switch" | "alloca" | "getelementptr"))
        else {
            (self.lexer, self.token, self.start) = (lexer, token, start);
            return Ok(None);
        };
        if word == "icmp" {
            // The predicate again.
            (self.lexer, self.token, self.start) = (lexer, token, start);
            self.advance()?;
            self.flags(may)?;
            let Token::Word(name) = self.token else { return self.expected("a predicate") };
            let Some(pred) = IntPred::ALL.into_iter().find(|pred| pred.name() == name) else {
                return self.expected("a predicate");
            };
            self.advance()?;
            self.advance()?;
            let x = self.wide_operand(b, bits)?;
            self.expect(b',')?;
            let y = self.wide_operand(b, bits)?;
            self.metadata_behind()?;
            let truth = self.compared(b, pred, x, y);
            return self.bind(b, result, truth).map(Some);
        }
        let at = self.start;
        self.advance()?;
        if is_store {
            let x = if is_quad { self.quad_operand(b)? } else { self.wide_operand(b, bits)? };
            self.expect(b',')?;
            let (_, address) = self.typed_operand(b)?;
            let align = self.trailer()?.align;
            self.store_wide(b, &x, address, (align, is_volatile));
            return Ok(Some(()));
        }
        let value = match word {
            "load" => {
                self.expect(b',')?;
                let (_, address) = self.typed_operand(b)?;
                let align = self.trailer_of(Bearer { bits, ..Bearer::load(Type::Void) })?.align;
                self.load_wide(b, bits, address, (align, is_volatile))
            }
            "freeze" if is_quad => self.quad_operand(b)?,
            "freeze" => self.wide_operand(b, bits)?,
            "sitofp" | "uitofp" => {
                let x = self.wide_operand(b, bits)?;
                self.expect_word("to")?;
                let to = self.ty()?;
                if !matches!(to, Type::F32 | Type::F64) {
                    return self.error_at(at, format!("`{word}` to {} is not supported", to.name()));
                }
                let v = self.float_of(b, x, to, word == "sitofp")?;
                self.metadata_behind()?;
                return self.bind(b, result, v).map(Some);
            }
            "zext" | "sext" | "trunc" => {
                let x = self.wide_operand(b, bits)?;
                self.expect_word("to")?;
                let extend = if word == "sext" { Op::SExt } else { Op::ZExt };
                if let Some(to) = self.wide_type() {
                    self.advance()?;
                    let x = self.normal(b, x, extend);
                    self.of_width(b, &x, to, extend)
                } else {
                    let to = self.ty()?;
                    let x = match word {
                        "trunc" => x,
                        _ => {
                            let x = self.normal(b, x, extend);
                            self.of_width(b, &x, to.int_bits(), extend)
                        }
                    };
                    let before = b.f.inst_count();
                    let v = self.narrowed(b, &x, to);
                    let v = b.own(v, before);
                    self.metadata_behind()?;
                    return self.bind(b, result, v).map(Some);
                }
            }
            _ => {
                let op = Op::ALL.iter().copied().find(|op| op.row().name == word);
                let Some(op) = op.filter(|op| op.row().types == crate::ir::opcode::Types::Int) else {
                    return self.error_at(at, format!("`{word}` of i{bits} is not supported"));
                };
                let x = self.wide_operand(b, bits)?;
                self.expect(b',')?;
                let y = self.wide_operand(b, bits)?;
                match self.combined(b, op, x, y)? {
                    Some(value) => value,
                    None => return self.error_at(at, format!("`{word}` of i{bits} is not supported")),
                }
            }
        };
        self.metadata_behind()?;
        self.bind_wide(b, result, value).map(Some)
    }

    /// An operation of integers; none if it is not known how.
    pub(super) fn combined(&mut self, b: &mut Builder, op: Op, x: Wide, y: Wide) -> Parsed<Option<Wide>> {
        let is_quotient = matches!(op, Op::SDiv | Op::SRem | Op::UDiv | Op::URem);
        // Two words of 32 bits are a number of the tables.
        let size = self.word().1;
        if is_quotient && size * x.words.len() as u32 > 64 {
            return self.quotient(b, op, x, y).map(Some);
        }
        Ok(self.computed(b, op, x, y))
    }

    pub(super) fn bind_wide(&mut self, b: &mut Builder, text: Option<Text<'a>>, value: Wide) -> Parsed<()> {
        let name = self.local_name(b, text)?;
        self.bind_parts(b, name, Made { parts: value.words, bits: Some(value.bits), mem: None })
    }

    /// The word of the machine, and its bits.
    pub(super) fn word(&self) -> (Type, u32) {
        let word = self.pointer_int();
        (word, word.int_bits())
    }

    pub(super) fn wide_operand(&mut self, b: &mut Builder, bits: u32) -> Parsed<Wide> {
        let (word, size) = self.word();
        let count = bits.div_ceil(size) as usize;
        let value = match self.token {
            Token::Local(text) => {
                let at = self.start;
                let name = self.local_operand(b, text)?;
                match b.wides.get(&name).cloned() {
                    Some(known) if known.bits == bits && known.words.len() == count => return Ok(known),
                    None if let Some(words) = b.parts_known(name, count, word) => {
                        return Ok(Wide { bits, words });
                    }
                    // Of a block that comes later.
                    None if !b.is_taken(name) => {
                        let part = |b: &mut Builder, k: usize| {
                            let name = b.part_name(name, k);
                            b.settled(Operand::Later { name, ty: word, at: at as u32 })
                        };
                        return Ok(Wide { bits, words: (0..count).map(|k| part(b, k)).collect() });
                    }
                    _ => {
                        let message = format!("`%{}` is not known here as an i{bits}", b.name_of(name));
                        return self.error_at(at, message);
                    }
                }
            }
            Token::Int(text) => {
                let parts = halves_of(text, count * size as usize / 32);
                let halves = size as usize / 32;
                let number = |k: usize| (0..halves).map(|h| parts[halves * k + h] << (32 * h)).sum::<u64>();
                Wide { bits, words: (0..count).map(|k| b.f.int_of(word, number(k) as i64)).collect() }
            }
            Token::Word("undef" | "poison" | "zeroinitializer") => {
                Wide { bits, words: vec![b.f.int_of(word, 0); count] }
            }
            _ => return self.expected(&format!("a value of type i{bits}")),
        };
        self.advance()?;
        Ok(value)
    }

    /// The same with the bits above the width as zeros, or as its sign.
    pub(super) fn normal(&self, b: &mut Builder, mut x: Wide, extend: Op) -> Wide {
        let (word, size) = self.word();
        let above = i64::from((size - x.bits % size) % size);
        if let Some(top) = x.words.last_mut().filter(|_| above != 0) {
            let up = b.by(Op::Shl, word, *top, above);
            *top = b.by(if extend == Op::SExt { Op::AShr } else { Op::LShr }, word, up, above);
        }
        x
    }

    /// An integer of the tables as one of this width.
    pub(super) fn widened(&self, b: &mut Builder, v: Value, bits: u32, extend: Op) -> Wide {
        let (word, size) = self.word();
        let mut words = Vec::new();
        if b.f.type_of(v).int_bits() > size {
            words.push(b.make(Op::Trunc, word, &[v], 0));
            let ty = b.f.type_of(v);
            let high = b.by(Op::LShr, ty, v, i64::from(size));
            words.push(b.make(Op::Trunc, word, &[high], 0));
        } else {
            words.push(b.converted(v, word, extend));
        }
        let from = size * words.len() as u32;
        self.of_width(b, &Wide { bits: from, words }, bits, extend)
    }

    /// A normal value with other words behind, or fewer.
    pub(super) fn of_width(&self, b: &mut Builder, x: &Wide, bits: u32, extend: Op) -> Wide {
        let (word, size) = self.word();
        let mut words = x.words.clone();
        let last = words.last().copied().unwrap_or(Value::undef(word));
        let fill = match extend {
            Op::SExt if words.len() < bits.div_ceil(size) as usize => {
                b.by(Op::AShr, word, last, i64::from(size) - 1)
            }
            _ => b.f.int_of(word, 0),
        };
        words.resize(bits.div_ceil(size) as usize, fill);
        Wide { bits, words }
    }

    /// The low bits as an integer of the tables.
    pub(super) fn narrowed(&self, b: &mut Builder, x: &Wide, to: Type) -> Value {
        let (word, size) = self.word();
        let low = x.words.first().copied().unwrap_or(Value::undef(word));
        let low = b.converted(low, to, Op::ZExt);
        match x.words.get(1).filter(|_| to.int_bits() > size) {
            Some(&high) => {
                let high = b.make(Op::ZExt, to, &[high], 0);
                let high = b.by(Op::Shl, to, high, i64::from(size));
                b.make(Op::Or, to, &[low, high], 0)
            }
            None => low,
        }
    }

    /// The same, of what is no quotient of more than 64 bits.
    pub(super) fn computed(&self, b: &mut Builder, op: Op, x: Wide, y: Wide) -> Option<Wide> {
        let (word, size) = self.word();
        let bits = x.bits;
        let pairs =
            |x: &Wide, y: &Wide| x.words.iter().copied().zip(y.words.iter().copied()).collect::<Vec<_>>();
        let words = match op {
            Op::And | Op::Or | Op::Xor => {
                pairs(&x, &y).into_iter().map(|(x, y)| b.make(op, word, &[x, y], 0)).collect()
            }
            Op::Add | Op::Sub => {
                let mut words = Vec::new();
                let mut carry: Option<Value> = None;
                for (x, y) in pairs(&x, &y) {
                    let sum = b.make(op, word, &[x, y], 0);
                    // What is less than a summand has wrapped around; so has a difference of what is less.
                    let (less, than) = if op == Op::Add { (sum, x) } else { (x, y) };
                    let mut wraps = b.make(Op::ICmp, Type::I1, &[less, than], IntPred::Ult as u32);
                    let mut whole = sum;
                    if let Some(carry) = carry {
                        let one = b.make(Op::ZExt, word, &[carry], 0);
                        whole = b.make(op, word, &[sum, one], 0);
                        let (less, than) = if op == Op::Add { (whole, sum) } else { (sum, one) };
                        let again = b.make(Op::ICmp, Type::I1, &[less, than], IntPred::Ult as u32);
                        wraps = b.make(Op::Or, Type::I1, &[wraps, again], 0);
                    }
                    words.push(whole);
                    carry = Some(wraps);
                }
                words
            }
            Op::Shl | Op::LShr | Op::AShr if b.f.as_int(*y.words.first()?).is_some() => {
                let by = u32::try_from(b.f.as_int(*y.words.first()?)?).ok().filter(|&by| by < bits)?;
                let (skip, by) = ((by / size) as usize, i64::from(by % size));
                let extend = if op == Op::AShr { Op::SExt } else { Op::ZExt };
                let x = if op == Op::Shl { x } else { self.normal(b, x, extend) };
                let count = x.words.len();
                let fill = match op {
                    Op::AShr => b.by(Op::AShr, word, *x.words.last()?, i64::from(size) - 1),
                    _ => b.f.int_of(word, 0),
                };
                let at = |k: Option<usize>| k.and_then(|k| x.words.get(k).copied()).unwrap_or(fill);
                let mut words = Vec::new();
                for k in 0..count {
                    let (near, far) = match op {
                        Op::Shl => (at(k.checked_sub(skip)), at(k.checked_sub(skip + 1))),
                        _ => (at(Some(k + skip)), at(Some(k + skip + 1))),
                    };
                    words.push(if by == 0 {
                        near
                    } else {
                        let (toward, back) =
                            if op == Op::Shl { (Op::Shl, Op::LShr) } else { (Op::LShr, Op::Shl) };
                        let near = b.by(toward, word, near, by);
                        let far = b.by(back, word, far, i64::from(size) - by);
                        b.make(Op::Or, word, &[near, far], 0)
                    });
                }
                words
            }
            Op::Shl | Op::LShr | Op::AShr if x.words.len() == 2 => {
                self.shifted(b, op, x, *y.words.first()?)?
            }
            Op::Shl | Op::LShr | Op::AShr if x.words.len() > 2 => {
                self.shifted_far(b, op, x, *y.words.first()?)
            }
            Op::Mul if let ([x0, x1], [y0, y1]) = (&*x.words, &*y.words) => {
                let low = b.make(Op::Mul, word, &[*x0, *y0], 0);
                let mut high = b.make(Op::UMulHi, word, &[*x0, *y0], 0);
                for (x, y) in [(*x0, *y1), (*x1, *y0)] {
                    let product = b.make(Op::Mul, word, &[x, y], 0);
                    high = b.make(Op::Add, word, &[high, product], 0);
                }
                vec![low, high]
            }
            Op::Mul if x.words.len() > 1 => self.long_product(b, &x.words, &y.words),
            // As a number of the tables; ARMv7 has no wider ones.
            Op::SDiv | Op::SRem | Op::UDiv | Op::URem if x.words.len() == 2 && size == 32 => {
                let extend = if matches!(op, Op::SDiv | Op::SRem) { Op::SExt } else { Op::ZExt };
                let [x, y] =
                    [x, y].map(|x| self.normal(b, x, extend)).map(|x| self.narrowed(b, &x, Type::I64));
                let whole = b.make(op, Type::I64, &[x, y], 0);
                self.widened(b, whole, bits, Op::ZExt).words
            }
            // In one word.
            _ if x.words.len() == 1 => {
                let signed = matches!(op, Op::SDiv | Op::SRem | Op::AShr | Op::SMin | Op::SMax);
                let extend = if signed { Op::SExt } else { Op::ZExt };
                let is_shift = matches!(op, Op::Shl | Op::LShr | Op::AShr);
                let x = self.normal(b, x, extend);
                let y = self.normal(b, y, if is_shift { Op::ZExt } else { extend });
                vec![b.make(op, word, &[*x.words.first()?, *y.words.first()?], 0)]
            }
            _ => return None,
        };
        Some(Wide { bits, words })
    }

    /// The low words of a product, a word of `x` after the other: what two words and the sums so far give above the word goes
    /// to the next one. (Knuth, The Art of Computer Programming 2, 4.3.1, algorithm M.)
    fn long_product(&self, b: &mut Builder, x: &[Value], y: &[Value]) -> Vec<Value> {
        let ((word, _), count) = (self.word(), x.len());
        let mut sums: Vec<Value> = Vec::with_capacity(count);
        for (i, &x) in x.iter().enumerate() {
            let mut carry: Option<Value> = None;
            for (k, &y) in (i..count).zip(y) {
                let mut sum = b.make(Op::Mul, word, &[x, y], 0);
                let mut high = (k + 1 < count).then(|| b.make(Op::UMulHi, word, &[x, y], 0));
                for more in [sums.get(k).copied(), carry].into_iter().flatten() {
                    sum = b.make(Op::Add, word, &[sum, more], 0);
                    // No more than fits: (2^n - 1)^2 + 2 (2^n - 1) has 2 n bits.
                    high = high.map(|high| {
                        let wraps = b.make(Op::ICmp, Type::I1, &[sum, more], IntPred::Ult as u32);
                        let wraps = b.make(Op::ZExt, word, &[wraps], 0);
                        b.make(Op::Add, word, &[high, wraps], 0)
                    });
                }
                match sums.get_mut(k) {
                    Some(place) => *place = sum,
                    None => sums.push(sum),
                }
                carry = high;
            }
        }
        sums
    }

    /// Two words, shifted by what is not known: within a word, with what comes from the other, and by a word more if so.
    fn shifted(&self, b: &mut Builder, op: Op, x: Wide, by: Value) -> Option<Vec<Value>> {
        let (word, size) = self.word();
        let x = match op {
            Op::Shl => x,
            _ => self.normal(b, x, if op == Op::AShr { Op::SExt } else { Op::ZExt }),
        };
        let &[low, high] = &*x.words else { return None };
        let within = b.by(Op::And, word, by, i64::from(size) - 1);
        let rest = b.by(Op::Xor, word, within, i64::from(size) - 1);
        let [size_less_one, size, zero] = [i64::from(size) - 1, size.into(), 0].map(|x| b.f.int_of(word, x));
        let is_far = b.make(Op::ICmp, Type::I1, &[by, size], IntPred::Uge as u32);
        // The word that gives bits to the other, and what is left where all of it has gone there.
        let (from, to, back, fill) = match op {
            Op::Shl => (low, high, Op::LShr, zero),
            Op::AShr => (high, low, Op::Shl, b.make(Op::AShr, word, &[high, size_less_one], 0)),
            _ => (high, low, Op::Shl, zero),
        };
        let near = if op == Op::Shl { Op::Shl } else { Op::LShr };
        let stays = b.make(op, word, &[from, within], 0);
        let moved = b.make(near, word, &[to, within], 0);
        let given = b.by(back, word, from, 1);
        let given = b.make(back, word, &[given, rest], 0);
        let both = b.make(Op::Or, word, &[moved, given], 0);
        let from = b.make(Op::Select, word, &[is_far, fill, stays], 0);
        let to = b.make(Op::Select, word, &[is_far, stays, both], 0);
        Some(if op == Op::Shl { vec![from, to] } else { vec![to, from] })
    }

    /// A comparison: word by word from the lowest, each deciding over those below.
    pub(super) fn compared(&self, b: &mut Builder, pred: IntPred, x: Wide, y: Wide) -> Value {
        let signed = matches!(pred, IntPred::Slt | IntPred::Sle | IntPred::Sgt | IntPred::Sge);
        let extend = if signed { Op::SExt } else { Op::ZExt };
        let (x, y) = (self.normal(b, x, extend), self.normal(b, y, extend));
        let unsigned = match pred {
            IntPred::Slt => IntPred::Ult,
            IntPred::Sle => IntPred::Ule,
            IntPred::Sgt => IntPred::Ugt,
            IntPred::Sge => IntPred::Uge,
            other => other,
        };
        let top = x.words.len() - 1;
        let mut truth = Value::bool(true);
        for (k, (&x, &y)) in x.words.iter().zip(&y.words).enumerate() {
            let of_word = if k == top { pred } else { unsigned };
            if k == 0 {
                truth = b.make(Op::ICmp, Type::I1, &[x, y], of_word as u32);
                continue;
            }
            let equal = b.make(Op::ICmp, Type::I1, &[x, y], IntPred::Eq as u32);
            truth = match pred {
                IntPred::Eq => b.make(Op::And, Type::I1, &[truth, equal], 0),
                IntPred::Ne => {
                    let other = b.make(Op::Xor, Type::I1, &[equal, Value::bool(true)], 0);
                    b.make(Op::Or, Type::I1, &[truth, other], 0)
                }
                _ => {
                    let decided = b.make(Op::ICmp, Type::I1, &[x, y], of_word as u32);
                    b.make(Op::Select, Type::I1, &[equal, truth, decided], 0)
                }
            };
        }
        truth
    }

    /// The parts of memory that such a value takes: how many bytes behind its start each is, and its type. None is wider
    /// than a word or than the alignment.
    fn parts(&self, bits: u32, align: u32) -> Vec<(u32, Type)> {
        let (_, size) = self.word();
        let (mut at, bytes, mut parts) = (0, bits.div_ceil(8), Vec::new());
        let most = if align == 0 { 1 } else { align.min(size / 8) };
        while at < bytes {
            let mut part = most;
            while part > bytes - at {
                part /= 2;
            }
            let ty = match part {
                8 => Type::I64,
                4 => Type::I32,
                2 => Type::I16,
                _ => Type::I8,
            };
            parts.push((at, ty));
            at += part;
        }
        parts
    }

    fn load_wide(
        &mut self,
        b: &mut Builder,
        bits: u32,
        address: Operand,
        (align, is_volatile): (u32, bool),
    ) -> Wide {
        let (word, size) = self.word();
        let mut words: Vec<Option<Value>> = vec![None; bits.div_ceil(size) as usize];
        for (at, ty) in self.parts(bits, align) {
            let place = self.place_behind(b, address, at);
            let op = if is_volatile { Op::LoadVolatile } else { Op::Load };
            let part = Value::inst(b.insert(op, ty, &[place], 0));
            let part = b.converted(part, word, Op::ZExt);
            let (k, by) = ((8 * at / size) as usize, i64::from(8 * at % size));
            let part = if by == 0 { part } else { b.by(Op::Shl, word, part, by) };
            words[k] = Some(match words[k] {
                Some(low) => b.make(Op::Or, word, &[low, part], 0),
                None => part,
            });
        }
        Wide { bits, words: words.into_iter().flatten().collect() }
    }

    fn store_wide(&mut self, b: &mut Builder, x: &Wide, address: Operand, (align, is_volatile): (u32, bool)) {
        let (word, size) = self.word();
        let x = self.normal(b, x.clone(), Op::ZExt);
        for (at, ty) in self.parts(x.bits, align) {
            let from = x.words.get((8 * at / size) as usize).copied().unwrap_or(Value::undef(word));
            let by = i64::from(8 * at % size);
            let part = if by == 0 { from } else { b.by(Op::LShr, word, from, by) };
            let part = b.converted(part, ty, Op::ZExt);
            let place = self.place_behind(b, address, at);
            let op = if is_volatile { Op::StoreVolatile } else { Op::Store };
            b.insert(op, Type::Void, &[Operand::Value(part), place], 0);
        }
    }
}
