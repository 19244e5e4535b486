//! Intrinsics on integers of any width, by the words that these are (`wide`): what compilers of Rust and C++ call for `i128`, for bits
//! of odd widths, for comparisons of three outcomes and for floats that become integers at the ends of their type. Those of
//! 8 to 64 bits that `expand` and `overflow` know are theirs.
//!
//! A sum, difference or product is computed in as many bits as it may have and cut down: it has overflown if that, extended again,
//! is something else. Bits are counted word by word. O(words) each, products O(words^2), shifts by what is not known
//! O(words log words).

use super::aggregate::{Compound, Made};
use super::builder::Builder;
use super::keywords::Places;
use super::lexer::Token;
use super::wide::{WIDEST, Wide};
use super::{Parsed, Parser};
use crate::ir::{IntPred, Op, Type, Value};

/// What an intrinsic yields.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// What fits of a sum, difference or product, and whether that is all; with signs or without.
    Overflow(Op, bool),
    /// The same as far as its type goes.
    Saturate(Op, bool),
    Abs,
    /// The one of two that compares so.
    Chosen(IntPred),
    /// -1, 0 or 1.
    Order(bool),
    Count,
    Leading,
    Trailing,
    Bytes,
    Bits,
    /// A part of two side by side, shifted left or right.
    Funnel(bool),
    /// Of a float, as far as its type goes.
    FromFloat(bool),
    /// Its first argument.
    First,
}

#[rustfmt::skip]
const KINDS: [(&str, Kind); 27] = [
    ("sadd.with.overflow", Kind::Overflow(Op::Add, true)), ("uadd.with.overflow", Kind::Overflow(Op::Add, false)),
    ("ssub.with.overflow", Kind::Overflow(Op::Sub, true)), ("usub.with.overflow", Kind::Overflow(Op::Sub, false)),
    ("smul.with.overflow", Kind::Overflow(Op::Mul, true)), ("umul.with.overflow", Kind::Overflow(Op::Mul, false)),
    ("sadd.sat", Kind::Saturate(Op::Add, true)), ("uadd.sat", Kind::Saturate(Op::Add, false)),
    ("ssub.sat", Kind::Saturate(Op::Sub, true)), ("usub.sat", Kind::Saturate(Op::Sub, false)),
    ("sshl.sat", Kind::Saturate(Op::Shl, true)), ("ushl.sat", Kind::Saturate(Op::Shl, false)),
    ("abs", Kind::Abs), ("smin", Kind::Chosen(IntPred::Slt)), ("smax", Kind::Chosen(IntPred::Sgt)),
    ("umin", Kind::Chosen(IntPred::Ult)), ("umax", Kind::Chosen(IntPred::Ugt)),
    ("scmp", Kind::Order(true)), ("ucmp", Kind::Order(false)),
    ("ctpop", Kind::Count), ("ctlz", Kind::Leading), ("cttz", Kind::Trailing), ("bswap", Kind::Bytes), ("bitreverse", Kind::Bits),
    ("fshl", Kind::Funnel(true)), ("fshr", Kind::Funnel(false)), ("expect", Kind::First),
];

/// Those of floats, whose result comes first in the name.
const FROM_FLOATS: [(&str, Kind); 2] =
    [("fptosi.sat", Kind::FromFloat(true)), ("fptoui.sat", Kind::FromFloat(false))];

/// An argument.
pub(super) struct Given {
    pub(super) ty: Type,
    pub(super) value: Value,
    /// If its type is none of the tables'.
    pub(super) wide: Option<Wide>,
}

/// The intrinsic that a name is, and the width in it: of the first type.
fn kind_of(name: &str) -> Option<(Kind, u32)> {
    let name = name.strip_prefix("llvm.")?;
    let (kind, types) = KINDS
        .iter()
        .chain(&FROM_FLOATS)
        .find_map(|row| Some((row.1, name.strip_prefix(row.0)?.strip_prefix('.')?)))?;
    let width = |text: &str| text.strip_prefix('i')?.parse::<u32>().ok().filter(|bits| *bits <= WIDEST);
    let (first, second) = types.split_once('.').map_or((types, None), |(a, b)| (a, Some(b)));
    let is_order = matches!(kind, Kind::Order(_));
    let bits = width(if is_order { second? } else { first })?;
    let is_usual = matches!(bits, 8 | 16 | 32 | 64);
    let is_own = match kind {
        Kind::Order(_) | Kind::FromFloat(_) | Kind::Saturate(Op::Shl, _) => true,
        _ => !is_usual,
    };
    (is_own && bits != 0).then_some((kind, bits))
}

impl Parser<'_> {
    /// A call of such an intrinsic, whose arguments are ahead: what it yields. `None`, and nothing read, for all others.
    pub(super) fn any_width(
        &mut self,
        b: &mut Builder,
        (name, at): (&str, usize),
        (result, compound): (Type, Option<&Compound>),
    ) -> Parsed<Option<Value>> {
        let Some((kind, bits)) = kind_of(name) else { return Ok(None) };
        let given = self.given(b)?;
        let refused = || format!("`{name}` is not supported, or not with these arguments");
        let is_of = |given: &Given, bits: u32| match &given.wide {
            Some(wide) => wide.bits == bits,
            None => given.ty.is_int() && given.ty.int_bits() == bits,
        };
        let count = match kind {
            Kind::Count | Kind::Bytes | Kind::Bits | Kind::FromFloat(_) => 1,
            Kind::Funnel(_) => 3,
            _ => 2,
        };
        // The flag behind the value says what the result is in a case that we give one anyway.
        let has_flag = matches!(kind, Kind::Abs | Kind::Leading | Kind::Trailing);
        let is_float = matches!(kind, Kind::FromFloat(_));
        let fits = given.len() == count
            && given.iter().enumerate().all(|(k, given)| match k {
                0 if is_float => matches!(given.ty, Type::F32 | Type::F64),
                1 if has_flag => given.ty == Type::I1 && b.f.as_int(given.value).is_some(),
                _ => is_of(given, bits),
            });
        if !fits || kind == Kind::Bytes && bits % 16 != 0 {
            return self.error_at(at, refused());
        }
        let numbers: Vec<Wide> = match is_float {
            true => Vec::new(),
            false => given.iter().map(|given| self.number_of(b, given)).collect(),
        };
        let (whole, flag) = match (kind, &*numbers) {
            (Kind::FromFloat(signed), _) => {
                let Some(x) = given.first() else { return self.error_at(at, refused()) };
                (self.integer_within(b, x.value, bits, signed)?, None)
            }
            (Kind::Overflow(op, signed), [x, y]) => {
                let (_, cut, flag) = self.exact(b, op, (x, y), signed)?;
                (cut, Some(flag))
            }
            (Kind::Saturate(op, signed), [x, y]) => (self.saturated(b, op, (x, y), signed)?, None),
            (Kind::Abs, [x, _]) => {
                let negative = self.is_negative(b, x);
                let minus = self.negated(b, x);
                (self.chosen(b, negative, &minus, x), None)
            }
            (Kind::Chosen(pred), [x, y]) => {
                let is = self.compared(b, pred, x.clone(), y.clone());
                (self.chosen(b, is, x, y), None)
            }
            (Kind::Order(signed), [x, y]) => {
                let preds = if signed { [IntPred::Sgt, IntPred::Slt] } else { [IntPred::Ugt, IntPred::Ult] };
                let (word, size) = self.word();
                let [more, less] = preds.map(|pred| {
                    let is = self.compared(b, pred, x.clone(), y.clone());
                    b.make(Op::ZExt, word, &[is], 0)
                });
                let order = Wide { bits: size, words: vec![b.make(Op::Sub, word, &[more, less], 0)] };
                let to = compound.and_then(|compound| compound.bits).unwrap_or(result.int_bits());
                (self.of_width(b, &order, to.max(2), Op::SExt), None)
            }
            (Kind::Count, [x]) => (self.counted(b, x), None),
            (Kind::Leading, [x, _]) => {
                let x = self.normal(b, x.clone(), Op::ZExt);
                let above = self.leading_zeros(b, &x);
                let (word, size) = self.word();
                let above = b.by(Op::Sub, word, above, i64::from(size * x.words.len() as u32 - bits));
                (self.small(b, above, bits), None)
            }
            (Kind::Trailing, [x, _]) => (self.trailing_zeros(b, x), None),
            (Kind::Bytes | Kind::Bits, [x]) => (self.turned(b, x, kind == Kind::Bits)?, None),
            (Kind::Funnel(left), [x, y, by]) => (self.funnelled(b, [x, y, by], left)?, None),
            (Kind::First, [x, _]) => (x.clone(), None),
            _ => return self.error_at(at, refused()),
        };
        if let Some(flag) = flag {
            // The parts are those of the pair that the call says it yields.
            let Some(compound) = compound.filter(|compound| compound.bits.is_none()) else {
                return self.error_at(at, refused());
            };
            let parts = match *compound.parts {
                [(ty, _), (Type::I1, _)] if ty.is_int() && ty.int_bits() == bits => {
                    vec![self.narrowed(b, &whole, ty), flag]
                }
                ref parts if parts.len() == whole.words.len() + 1 => {
                    whole.words.iter().copied().chain([flag]).collect()
                }
                _ => return self.error_at(at, refused()),
            };
            let types = compound.parts.iter().map(|part| part.0);
            if !parts.iter().map(|&part| b.f.type_of(part)).eq(types) {
                return self.error_at(at, refused());
            }
            return Ok(Some(self.made(b, parts, compound)));
        }
        match compound {
            Some(compound) if compound.bits == Some(whole.bits) => {
                b.made = Some(Made { parts: whole.words, bits: compound.bits, mem: None });
                Ok(Some(Value::undef(Type::Void)))
            }
            None if result.is_int() && (result.int_bits() == whole.bits || result == Type::I1) => {
                Ok(Some(self.narrowed(b, &whole, result)))
            }
            _ => self.error_at(at, refused()),
        }
    }

    /// The arguments.
    pub(super) fn given(&mut self, b: &mut Builder) -> Parsed<Vec<Given>> {
        self.expect(b'(')?;
        let mut given = Vec::new();
        while self.token != Token::Mark(b')') {
            given.push(match self.wide_type() {
                Some(bits) => {
                    self.advance()?;
                    let said = self.attributes(Places::PARAMETER)?;
                    self.suits(&said, Type::I64)?;
                    let wide = Some(self.wide_operand(b, bits)?);
                    Given { ty: Type::Void, value: Value::undef(Type::Void), wide }
                }
                None => {
                    let (ty, operand) = self.argument(b)?;
                    Given { ty, value: b.settled(operand), wide: None }
                }
            });
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        self.call_attributes()?;
        Ok(given)
    }

    /// An argument as words.
    fn number_of(&self, b: &mut Builder, given: &Given) -> Wide {
        match &given.wide {
            Some(wide) => wide.clone(),
            None => self.widened(b, given.value, given.ty.int_bits(), Op::ZExt),
        }
    }

    /// A word as a number of this width, which holds it.
    fn small(&self, b: &mut Builder, v: Value, bits: u32) -> Wide {
        let size = self.word().1;
        self.of_width(b, &Wide { bits: size, words: vec![v] }, bits, Op::ZExt)
    }

    /// A sum, difference or product as a whole, what fits of it, and whether that is not all.
    fn exact(
        &mut self,
        b: &mut Builder,
        op: Op,
        (x, y): (&Wide, &Wide),
        signed: bool,
    ) -> Parsed<(Wide, Wide, Value)> {
        let (bits, extend) = (x.bits, if signed { Op::SExt } else { Op::ZExt });
        let more = if op == Op::Mul { 2 * bits } else { bits + 1 };
        let [x, y] = [x, y].map(|x| {
            let x = self.normal(b, x.clone(), extend);
            self.of_width(b, &x, more, extend)
        });
        let whole = self.arithmetic(b, op, x, y)?;
        let cut = self.of_width(b, &whole, bits, Op::ZExt);
        let again = self.normal(b, cut.clone(), extend);
        let again = self.of_width(b, &again, more, extend);
        let flag = self.compared(b, IntPred::Ne, again, whole.clone());
        Ok((whole, cut, flag))
    }

    /// An operation that there is for each width.
    fn arithmetic(&mut self, b: &mut Builder, op: Op, x: Wide, y: Wide) -> Parsed<Wide> {
        let bits = x.bits;
        match self.combined(b, op, x, y)? {
            Some(whole) => Ok(whole),
            None => self.error_at(b.at as usize, format!("`{}` of i{bits} is not supported", op.row().name)),
        }
    }

    /// The same as far as the type goes.
    fn saturated(&mut self, b: &mut Builder, op: Op, (x, y): (&Wide, &Wide), signed: bool) -> Parsed<Wide> {
        let bits = x.bits;
        let (side, cut, flag) = if op == Op::Shl {
            let cut = self.arithmetic(b, Op::Shl, x.clone(), y.clone())?;
            let back = if signed { Op::AShr } else { Op::LShr };
            let again = self.arithmetic(b, back, cut.clone(), y.clone())?;
            let flag = self.compared(b, IntPred::Ne, again, x.clone());
            (x.clone(), cut, flag)
        } else {
            self.exact(b, op, (x, y), signed)?
        };
        let end = match (signed, op) {
            (true, _) => {
                let negative = self.is_negative(b, &side);
                let [least, most] = [true, false].map(|least| self.end_of(b, bits, least));
                self.chosen(b, negative, &least, &most)
            }
            (false, Op::Sub) => self.constant_words(b, bits, 0),
            (false, _) => self.constant_words(b, bits, -1),
        };
        Ok(self.chosen(b, flag, &end, &cut))
    }

    /// How many bits are set.
    fn counted(&self, b: &mut Builder, x: &Wide) -> Wide {
        let (word, _) = self.word();
        let bits = x.bits;
        let mut sum = b.f.int_of(word, 0);
        for v in self.normal(b, x.clone(), Op::ZExt).words {
            let count = b.count_bits(word, v);
            sum = b.make(Op::Add, word, &[sum, count], 0);
        }
        self.small(b, sum, bits)
    }

    /// How many zeros there are above the highest bit that is set, in all words of a normal value; in a word.
    pub(super) fn leading_zeros(&self, b: &mut Builder, x: &Wide) -> Value {
        let words: Vec<Value> = x.words.clone();
        self.zeros(b, &words, Op::LeadingZeros)
    }

    /// Zeros in words, of which each counts if all behind it are 0.
    fn zeros(&self, b: &mut Builder, words: &[Value], op: Op) -> Value {
        let (word, size) = self.word();
        let mut sum = b.f.int_of(word, 0);
        for (k, &v) in words.iter().enumerate() {
            let own = b.make(op, word, &[v], 0);
            if k == 0 {
                sum = own;
                continue;
            }
            let zero = b.f.int_of(word, 0);
            let is_zero = b.make(Op::ICmp, Type::I1, &[v, zero], IntPred::Eq as u32);
            let more = b.by(Op::Add, word, sum, i64::from(size));
            sum = b.make(Op::Select, word, &[is_zero, more, own], 0);
        }
        sum
    }

    /// How many zeros there are below the lowest bit that is set: all, if none is.
    fn trailing_zeros(&self, b: &mut Builder, x: &Wide) -> Wide {
        let (word, size) = self.word();
        let mut words = x.words.clone();
        // A bit above the width ends the count there.
        if let Some(top) = words.last_mut().filter(|_| !x.bits.is_multiple_of(size)) {
            *top = b.by(Op::Or, word, *top, 1i64 << (x.bits % size));
        }
        words.reverse();
        let below = self.zeros(b, &words, Op::TrailingZeros);
        self.small(b, below, x.bits)
    }

    /// The bytes or bits the other way round.
    fn turned(&mut self, b: &mut Builder, x: &Wide, by_bits: bool) -> Parsed<Wide> {
        let (word, size) = self.word();
        let mut words = Vec::new();
        for &v in x.words.iter().rev() {
            words.push(if by_bits { b.reversed(word, v) } else { b.swapped(word, v) });
        }
        let all = size * words.len() as u32;
        let whole = Wide { bits: all, words };
        if all == x.bits {
            return Ok(whole);
        }
        // What was above the width is below now.
        let by = self.constant_words(b, all, i64::from(all - x.bits));
        let whole = self.arithmetic(b, Op::LShr, whole, by)?;
        Ok(self.of_width(b, &whole, x.bits, Op::ZExt))
    }

    /// The upper (or lower) half of two numbers side by side, shifted left (or right) by what is modulo the width.
    fn funnelled(&mut self, b: &mut Builder, [x, y, by]: [&Wide; 3], left: bool) -> Parsed<Wide> {
        let bits = x.bits;
        let by = if bits.is_power_of_two() {
            let mask = self.constant_words(b, bits, i64::from(bits) - 1);
            self.arithmetic(b, Op::And, by.clone(), mask)?
        } else {
            let modulus = self.constant_words(b, bits, i64::from(bits));
            self.arithmetic(b, Op::URem, by.clone(), modulus)?
        };
        let [x, y, by] = [x, y, &by].map(|x| {
            let x = self.normal(b, x.clone(), Op::ZExt);
            self.of_width(b, &x, 2 * bits, Op::ZExt)
        });
        let half = self.constant_words(b, 2 * bits, i64::from(bits));
        let high = self.arithmetic(b, Op::Shl, x, half.clone())?;
        let both = self.arithmetic(b, Op::Or, high, y)?;
        let moved = if left {
            let whole = self.arithmetic(b, Op::Shl, both, by)?;
            self.arithmetic(b, Op::LShr, whole, half)?
        } else {
            self.arithmetic(b, Op::LShr, both, by)?
        };
        Ok(self.of_width(b, &moved, bits, Op::ZExt))
    }
}
