//! What integers of several words (`wide`) need besides what is done word by word: shifts by what is not known, quotients, and
//! what floats become or come from.
//!
//! A quotient of two words of 64 bits is a call of libgcc (`__udivti3` and its like), which all machines of 64 bits have and the
//! interpreter has not; any other is a loop of shifts and differences, a round for each bit from the highest one that is set on
//! (LLVM's `ExpandLargeDivRem`). An integer becomes a float by its highest 64 bits, the lowest of which says whether any is set below, so that
//! they round as the whole would; a float an integer by its mantissa and a shift (LLVM's `ExpandLargeFpConvert`).

use super::builder::{Builder, Operand};
use super::quad::{Passed, Yields};
use super::wide::Wide;
use super::{Parsed, Parser};
use crate::ir::fold::Number;
use crate::ir::{FloatPred, IntPred, Op, Type, Value};

impl Parser<'_> {
    /// A number that all words of this width have: with its sign.
    pub(super) fn constant_words(&self, b: &mut Builder, bits: u32, x: i64) -> Wide {
        let (word, size) = self.word();
        let count = bits.div_ceil(size) as usize;
        let number = |k: usize| if k == 0 { x } else { x >> (size * k as u32).min(63) };
        Wide { bits, words: (0..count).map(|k| b.f.int_of(word, number(k))).collect() }
    }

    /// The least number of this width that has a sign, or the greatest.
    pub(super) fn end_of(&self, b: &mut Builder, bits: u32, least: bool) -> Wide {
        let (word, size) = self.word();
        let mut end = self.constant_words(b, bits, if least { 0 } else { -1 });
        let top = 1u64 << ((bits - 1) % size);
        if let Some(last) = end.words.last_mut() {
            *last = b.f.int_of(word, if least { top } else { top - 1 } as i64);
        }
        end
    }

    /// One of two.
    pub(super) fn chosen(&self, b: &mut Builder, is: Value, yes: &Wide, no: &Wide) -> Wide {
        let (word, _) = self.word();
        let mut words = Vec::new();
        for (&yes, &no) in yes.words.iter().zip(&no.words) {
            words.push(b.make(Op::Select, word, &[is, yes, no], 0));
        }
        Wide { bits: yes.bits, words }
    }

    /// 0 less it.
    pub(super) fn negated(&self, b: &mut Builder, x: &Wide) -> Wide {
        let zero = self.constant_words(b, x.bits, 0);
        self.computed(b, Op::Sub, zero, x.clone()).unwrap_or(x.clone())
    }

    /// Whether it is less than 0.
    pub(super) fn is_negative(&self, b: &mut Builder, x: &Wide) -> Value {
        let (word, _) = self.word();
        let top = self.normal(b, x.clone(), Op::SExt).words.last().copied().unwrap_or(Value::undef(word));
        let zero = b.f.int_of(word, 0);
        b.make(Op::ICmp, Type::I1, &[top, zero], IntPred::Slt as u32)
    }

    /// Words, shifted by what is not known: by one, two, four words where the count has that bit, and then within a word,
    /// with what comes from the one beside.
    pub(super) fn shifted_far(&self, b: &mut Builder, op: Op, x: Wide, by: Value) -> Vec<Value> {
        let (word, size) = self.word();
        let x = match op {
            Op::Shl => x,
            _ => self.normal(b, x, if op == Op::AShr { Op::SExt } else { Op::ZExt }),
        };
        let mut words = x.words;
        let count = words.len();
        let fill = match (op, words.last()) {
            (Op::AShr, Some(&top)) => b.by(Op::AShr, word, top, i64::from(size) - 1),
            _ => b.f.int_of(word, 0),
        };
        let beside = |words: &[Value], k: usize, step: usize| {
            let from = if op == Op::Shl { k.checked_sub(step) } else { Some(k + step) };
            from.and_then(|from| words.get(from).copied()).unwrap_or(fill)
        };
        let mut step = 1;
        while step < count {
            let bit = b.by(Op::And, word, by, i64::from(size) * step as i64);
            let zero = b.f.int_of(word, 0);
            let is = b.make(Op::ICmp, Type::I1, &[bit, zero], IntPred::Ne as u32);
            let before = words.clone();
            for (k, place) in words.iter_mut().enumerate() {
                *place = b.make(Op::Select, word, &[is, beside(&before, k, step), *place], 0);
            }
            step *= 2;
        }
        let within = b.by(Op::And, word, by, i64::from(size) - 1);
        let rest = b.by(Op::Xor, word, within, i64::from(size) - 1);
        let (toward, back) = if op == Op::Shl { (Op::Shl, Op::LShr) } else { (Op::LShr, Op::Shl) };
        let before = words.clone();
        for (k, place) in words.iter_mut().enumerate() {
            let near = b.make(toward, word, &[*place, within], 0);
            let far = b.by(back, word, beside(&before, k, 1), 1);
            let far = b.make(back, word, &[far, rest], 0);
            *place = b.make(Op::Or, word, &[near, far], 0);
        }
        words
    }

    // ---- Quotients --------------------------------------------------------------------------------------

    /// A quotient or remainder of several words.
    pub(super) fn quotient(&mut self, b: &mut Builder, op: Op, x: Wide, y: Wide) -> Parsed<Wide> {
        let (word, size) = self.word();
        // Where it is run there is no library.
        if x.words.len() == 2 && size == 64 && !self.platform.name.is_empty() {
            return self.library_quotient(b, op, x, y);
        }
        let (bits, signed) = (x.bits, matches!(op, Op::SDiv | Op::SRem));
        let extend = if signed { Op::SExt } else { Op::ZExt };
        let [x, y] = [x, y].map(|x| self.normal(b, x, extend));
        let signs = signed.then(|| [&x, &y].map(|x| self.is_negative(b, x)));
        let [x, y] = match signs {
            Some([of_x, of_y]) => [(x, of_x), (y, of_y)].map(|(x, is)| {
                let minus = self.negated(b, &x);
                self.chosen(b, is, &minus, &x)
            }),
            None => [x, y],
        };
        let all = size * x.words.len() as u32;
        let [x, y] = [x, y].map(|x| Wide { bits: all, words: x.words });
        let [whole, rest] = self.long_quotient(b, x, &y)?;
        let found = if matches!(op, Op::SDiv | Op::UDiv) { whole } else { rest };
        let found = Wide { bits, words: found.words };
        let Some([of_x, of_y]) = signs else { return Ok(found) };
        let is_minus = if op == Op::SDiv { b.make(Op::Xor, Type::I1, &[of_x, of_y], 0) } else { of_x };
        b.f.note_type(word);
        let minus = self.negated(b, &found);
        Ok(self.chosen(b, is_minus, &minus, &found))
    }

    /// Quotient and remainder of all bits of some words. What is divided moves up into the remainder, a bit a round, and the
    /// quotient's bits come in below it.
    fn long_quotient(&mut self, b: &mut Builder, x: Wide, y: &Wide) -> Parsed<[Wide; 2]> {
        let ((word, size), count, bits) = (self.word(), x.words.len(), x.bits);
        let skipped = self.leading_zeros(b, &x);
        let rounds = b.f.int_of(word, i64::from(size) * count as i64);
        let rounds = b.make(Op::Sub, word, &[rounds, skipped], 0);
        let first = self.shifted_far(b, Op::Shl, x, skipped);
        let shape = self.module.env.shapes.of(word, &[]);
        let mut rooms = Vec::new();
        for _ in 0..2 * count + 1 {
            rooms.push(self.local_room(b, shape)?);
        }
        let store = |b: &mut Builder, k: usize, v: Value| {
            if let Some(&room) = rooms.get(k) {
                b.insert(Op::Store, Type::Void, &[Operand::Value(v), room], 0);
            }
        };
        let load = |b: &mut Builder, from: usize, count: usize| -> Vec<Value> {
            let rooms = rooms.iter().skip(from).take(count);
            rooms.map(|&room| Value::inst(b.insert(Op::Load, word, &[room], 0))).collect()
        };
        let zero = b.f.int_of(word, 0);
        for (k, &v) in first.iter().enumerate() {
            store(b, k, v);
            store(b, count + k, zero);
        }
        store(b, 2 * count, rounds);
        let head = b.extra_block();
        b.f.set_br(b.block, head, b.place());
        b.block = head;
        let left = load(b, 2 * count, 1).first().copied().unwrap_or(zero);
        let is_done = b.make(Op::ICmp, Type::I1, &[left, zero], IntPred::Eq as u32);
        let round = b.extra_block();
        b.block = round;
        let behind = b.extra_block();
        b.f.set_cond_br(head, is_done, behind, round, b.place());
        let before = load(b, 0, 2 * count);
        // All of it one bit up.
        let mut up = Vec::new();
        for (k, &v) in before.iter().enumerate() {
            let near = b.by(Op::Shl, word, v, 1);
            up.push(match k.checked_sub(1).and_then(|k| before.get(k)) {
                Some(&below) => {
                    let far = b.by(Op::LShr, word, below, i64::from(size) - 1);
                    b.make(Op::Or, word, &[near, far], 0)
                }
                None => near,
            });
        }
        let out = before.last().copied().unwrap_or(zero);
        let out = b.make(Op::ICmp, Type::I1, &[out, zero], IntPred::Slt as u32);
        let rest = Wide { bits, words: up.split_off(count) };
        let fits = self.compared(b, IntPred::Uge, rest.clone(), y.clone());
        let fits = b.make(Op::Or, Type::I1, &[out, fits], 0);
        let less = self.computed(b, Op::Sub, rest.clone(), y.clone()).unwrap_or(rest.clone());
        let rest = self.chosen(b, fits, &less, &rest);
        let bit = b.make(Op::ZExt, word, &[fits], 0);
        for (k, v) in up.into_iter().chain(rest.words).enumerate() {
            let v = if k == 0 { b.make(Op::Or, word, &[v, bit], 0) } else { v };
            store(b, k, v);
        }
        let left = b.by(Op::Sub, word, left, 1);
        store(b, 2 * count, left);
        b.f.set_br(b.block, head, b.place());
        b.block = behind;
        let mut whole = load(b, 0, 2 * count);
        let rest = whole.split_off(count);
        Ok([whole, rest].map(|words| Wide { bits, words }))
    }

    /// A quotient or remainder of two words of 64 bits each: the compiler's library has it, on all such machines.
    fn library_quotient(&mut self, b: &mut Builder, op: Op, x: Wide, y: Wide) -> Parsed<Wide> {
        let (name, extend) = match op {
            Op::SDiv => ("__divti3", Op::SExt),
            Op::SRem => ("__modti3", Op::SExt),
            Op::UDiv => ("__udivti3", Op::ZExt),
            _ => ("__umodti3", Op::ZExt),
        };
        let bits = x.bits;
        let (x, y) = (self.normal(b, x, extend), self.normal(b, y, extend));
        let words = self.library(b, name, &[Passed::Integer(x), Passed::Integer(y)], Yields::Integer)?;
        Ok(Wide { bits, words })
    }

    // ---- Floats -----------------------------------------------------------------------------------------

    /// A float as a double.
    fn double_of(&self, b: &mut Builder, x: Value) -> Value {
        if b.f.type_of(x) == Type::F64 { x } else { b.make(Op::FPExt, Type::F64, &[x], 0) }
    }

    /// A float as an integer of this width, cut toward 0; what does not fit may be anything.
    pub(super) fn integer_of(&mut self, b: &mut Builder, x: Value, bits: u32, signed: bool) -> Parsed<Wide> {
        let x = self.double_of(b, x);
        // As one that machines convert to, if that holds all of them.
        if bits <= 64 - u32::from(!signed) {
            let is_short = bits <= 32 - u32::from(!signed);
            let ty = if is_short { Type::I32 } else { Type::I64 };
            let whole = b.make(Op::FPToSI, ty, &[x], 0);
            let whole = self.widened(b, whole, ty.int_bits(), Op::SExt);
            return Ok(self.of_width(b, &whole, bits, Op::SExt));
        }
        let (word, long) = (self.word().0, Type::I64);
        let raw = self.bits(b, Operand::Value(x), long)?;
        let zero = b.f.int_of(long, 0);
        let exponent = b.by(Op::LShr, long, raw, 52);
        let exponent = b.by(Op::And, long, exponent, 0x7ff);
        let mantissa = b.by(Op::And, long, raw, (1 << 52) - 1);
        let mantissa = b.by(Op::Or, long, mantissa, 1 << 52);
        // How far the mantissa is to be moved up; down, if that is less than 0.
        let up = b.by(Op::Sub, long, exponent, 1075);
        let down = b.make(Op::Sub, long, &[zero, up], 0);
        let most = b.f.int_of(long, 63);
        let is_less = b.make(Op::ICmp, Type::I1, &[down, most], IntPred::Ult as u32);
        let down = b.make(Op::Select, long, &[is_less, down, most], 0);
        let right = b.make(Op::LShr, long, &[mantissa, down], 0);
        let is_up = b.make(Op::ICmp, Type::I1, &[up, zero], IntPred::Sge as u32);
        let up = b.make(Op::Select, long, &[is_up, up, zero], 0);
        let up = b.resized(Operand::Value(up), long, word, Op::ZExt).now();
        let all = bits.max(64);
        let [left, right] = [mantissa, right].map(|x| self.widened(b, x, all, Op::ZExt));
        let left = Wide { bits: all, words: self.shifted_far(b, Op::Shl, left, up) };
        let whole = self.chosen(b, is_up, &left, &right);
        let is_negative = b.make(Op::ICmp, Type::I1, &[raw, zero], IntPred::Slt as u32);
        let minus = self.negated(b, &whole);
        let whole = self.chosen(b, is_negative, &minus, &whole);
        Ok(self.of_width(b, &whole, bits, Op::ZExt))
    }

    /// The same of what does not fit as the end of the type on its side, and of a NaN as 0 (`llvm.fptosi.sat`).
    pub(super) fn integer_within(
        &mut self,
        b: &mut Builder,
        x: Value,
        bits: u32,
        signed: bool,
    ) -> Parsed<Wide> {
        let x = self.double_of(b, x);
        let power = 2f64.powi((bits - u32::from(signed)) as i32);
        let [most, least, zero] =
            [power, if signed { -power } else { 0.0 }, 0.0].map(|x| b.f.constant(Number::f64(x)));
        let is_high = b.make(Op::FCmp, Type::I1, &[x, most], FloatPred::Oge as u32);
        let is_within = b.make(Op::FCmp, Type::I1, &[x, most], FloatPred::Olt as u32);
        let is_low = b.make(Op::FCmp, Type::I1, &[x, least], FloatPred::Olt as u32);
        let safe = b.make(Op::Select, Type::F64, &[is_within, x, zero], 0);
        let safe = b.make(Op::Select, Type::F64, &[is_low, zero, safe], 0);
        let whole = self.integer_of(b, safe, bits, signed)?;
        let [low, high] = match signed {
            true => [true, false].map(|least| self.end_of(b, bits, least)),
            false => [0, -1].map(|x| self.constant_words(b, bits, x)),
        };
        let whole = self.chosen(b, is_high, &high, &whole);
        Ok(self.chosen(b, is_low, &low, &whole))
    }

    /// An integer as a float.
    pub(super) fn float_of(&mut self, b: &mut Builder, x: Wide, to: Type, signed: bool) -> Parsed<Value> {
        let ((word, size), long) = (self.word(), Type::I64);
        let extend = if signed { Op::SExt } else { Op::ZExt };
        let bits = x.bits;
        let x = self.normal(b, x, extend);
        if bits <= 64 - u32::from(!signed) {
            let x = self.of_width(b, &x, 64, extend);
            let whole = self.narrowed(b, &x, long);
            return Ok(b.make(Op::SIToFP, to, &[whole], 0));
        }
        let is_negative = signed.then(|| self.is_negative(b, &x));
        let all = size * x.words.len() as u32;
        let mut x = Wide { bits: all, words: x.words };
        if let Some(is_negative) = is_negative {
            let minus = self.negated(b, &x);
            x = self.chosen(b, is_negative, &minus, &x);
        }
        let above = self.leading_zeros(b, &x);
        let mut words = self.shifted_far(b, Op::Shl, x, above);
        let high = words.split_off(words.len().saturating_sub((64 / size) as usize));
        let top = self.narrowed(b, &Wide { bits: 64, words: high }, long);
        let mut below = b.f.int_of(word, 0);
        for v in words {
            below = b.make(Op::Or, word, &[below, v], 0);
        }
        let none = b.f.int_of(word, 0);
        let any = b.make(Op::ICmp, Type::I1, &[below, none], IntPred::Ne as u32);
        let any = b.make(Op::ZExt, long, &[any], 0);
        // Its highest bit is set: half of it, which is positive, rounds as all of it would, if what is lost stays to be seen.
        let lost = b.by(Op::And, long, top, 1);
        let half = b.by(Op::LShr, long, top, 1);
        let half = b.make(Op::Or, long, &[half, lost], 0);
        let half = b.make(Op::Or, long, &[half, any], 0);
        let rounded = b.make(Op::SIToFP, to, &[half], 0);
        let rounded = self.double_of(b, rounded);
        // As many times two as it has been moved less than to the end.
        let above = b.resized(Operand::Value(above), word, long, Op::ZExt).now();
        let exponent = b.f.int_of(long, 1023 + i64::from(all) - 63);
        let exponent = b.make(Op::Sub, long, &[exponent, above], 0);
        let power = b.by(Op::Shl, long, exponent, 52);
        let power = self.bits(b, Operand::Value(power), Type::F64)?;
        let mut whole = b.make(Op::FMul, Type::F64, &[rounded, power], 0);
        if let Some(is_negative) = is_negative {
            let minus = b.make(Op::FNeg, Type::F64, &[whole], 0);
            whole = b.make(Op::Select, Type::F64, &[is_negative, minus, whole], 0);
        }
        Ok(if to == Type::F64 { whole } else { b.make(Op::FPTrunc, to, &[whole], 0) })
    }
}
