//! Instructions on vectors that the tables lack, or that their opcodes do not do: as instructions on lanes.
//!
//! What is done to each lane by itself is read once a lane, by the readers of scalars: while `Parser::lane` is set, a vector
//! type is that of its lanes, and a value of it is that lane. So flags, predicates, conversions and the intrinsics that are
//! known for scalars are known here. What moves lanes has a reader of its own: taking out and putting in, shuffles, other views
//! of the same bits, memory. Intrinsics that are about several lanes: `vector_call`.
//!
//! O(lanes x tokens), constants O(lanes^2). (As compilers legalise vectors: LLVM's `LegalizeVectorTypes`.)

use super::aggregate::Made;
use super::builder::{Builder, Operand};
use super::lexer::{Lexer, Text, Token};
use super::metadata::Bearer;
use super::vector::{Lanes, behind_bracket};
use super::words::meaning;
use super::{Parsed, Parser};
use crate::ir::{Access, IntPred, Op, Type, Value};

/// Tokens of an instruction that are looked at for a vector type.
const MOST_TOKENS: usize = 1024;

/// What the next instruction begins with, if it has no result.
const NEXT: [&str; 8] = ["store", "tail", "notail", "br", "ret", "switch", "unreachable", "fence"];

/// Instructions without an opcode that are done lane by lane.
const BY_LANE: [&str; 8] = ["icmp", "fcmp", "select", "freeze", "uitofp", "fptoui", "getelementptr", "frem"];

/// What a `bitcast` is from or to: lanes that are numbers of so many bits.
#[derive(Copy, Clone)]
enum View {
    Vector(Lanes),
    Scalar(Type),
    /// An integer that the tables lack.
    Wide(u32),
}

/// Bits of a scalar, where addresses have as many as this.
pub(super) fn bits_of(ty: Type, pointer: u32) -> u32 {
    match ty {
        Type::Ptr => 8 * pointer,
        Type::I1 => 1,
        _ => 8 * ty.bytes(),
    }
}

/// The tokens of an instruction behind its first word, each with where the next one begins.
pub(super) struct Ahead<'a> {
    lexer: Lexer<'a>,
    left: usize,
}

impl<'a> Ahead<'a> {
    pub(super) fn of(lexer: &Lexer<'a>) -> Ahead<'a> {
        Ahead { lexer: lexer.clone(), left: MOST_TOKENS }
    }
}

impl<'a> Iterator for Ahead<'a> {
    type Item = (Token<'a>, Lexer<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (token, _) = self.lexer.next().ok()?;
        let is_next = match token {
            // A `call` follows `tail`.
            Token::Word("call") => self.left + 1 != MOST_TOKENS,
            Token::Word(word) => NEXT.contains(&word),
            Token::Mark(b'=') | Token::Label(_) | Token::End => true,
            _ => false,
        };
        (!is_next).then(|| (token, self.lexer.clone()))
    }
}

/// What an intrinsic of vectors is called for one lane.
pub(super) fn of_lane(name: &str) -> String {
    let code = |part: &str| {
        let rest = part.strip_prefix("nx").unwrap_or(part).strip_prefix('v')?;
        let at = rest.find(|c: char| !c.is_ascii_digit()).filter(|&at| at > 0)?;
        let element = &rest[at..];
        let is_code = matches!(element.as_bytes(), [b'i' | b'f' | b'p', b'0'..=b'9', ..]);
        is_code.then(|| element.to_string())
    };
    let parts: Vec<String> = name.split('.').map(|part| code(part).unwrap_or(part.to_string())).collect();
    parts.join(".")
}

impl<'a> Parser<'a> {
    /// The lanes of the first vector that the instruction of this word, which is the token, has among its operands or as
    /// its result; none if it has none. With `unheld`, only if one of them is of a type that the tables lack.
    fn lanes_ahead(&self, word: &str, unheld: bool) -> Option<u32> {
        let mut found = None;
        // What an address steps over is in memory.
        let mut is_stepped = word == "getelementptr";
        for (token, behind) in Ahead::of(&self.lexer) {
            match token {
                Token::Mark(b'<') => {
                    if let Some(lanes) = behind_bracket(&mut behind.clone()).filter(|_| !is_stepped) {
                        let first = *found.get_or_insert(lanes.count);
                        if !unheld || lanes.held().is_none() {
                            return Some(first);
                        }
                    }
                    is_stepped = false;
                }
                Token::Mark(b',') => is_stepped = false,
                _ => {}
            }
        }
        None
    }

    /// The function of LLVM's that a call, whose first word is the token, is of.
    pub(super) fn called_ahead(&self) -> Option<&'a str> {
        Ahead::of(&self.lexer).find_map(|(token, _)| match token {
            Token::Global(text) => Some(text.raw).filter(|_| !text.quoted),
            _ => None,
        })
    }

    /// True for a call that the usual reader would begin with room for a vector of several parts.
    pub(super) fn is_call_in_lanes(&self, word: &str) -> bool {
        if !matches!(word, "call" | "tail" | "notail") {
            return false;
        }
        let rest = self.lexer.text.as_bytes().get(self.start..).unwrap_or_default();
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        memchr::memchr(b'<', line).is_some()
            && self.called_ahead().is_some_and(|name| name.starts_with("llvm."))
            && self.lanes_ahead(word, true).is_some()
    }

    /// Reads an instruction with vectors, whose first word is the token; `None`, and nothing read, for all others.
    pub(super) fn in_lanes(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<Option<()>> {
        if self.is_wide_ahead() && !matches!(word, "load" | "store" | "phi" | "bitcast") {
            return self.in_wide_lanes(b, word, result).map(Some);
        }
        let Some(count) = self.lanes_ahead(word, false) else { return Ok(None) };
        match word {
            "load" => self.lanes_load(b, result)?,
            "store" => self.lanes_store(b)?,
            "extractelement" => self.extract_lane(b, result)?,
            "insertelement" => self.insert_lane(b, result)?,
            "shufflevector" => self.shuffle_lanes(b, result)?,
            "bitcast" => self.bitcast_lanes(b, result)?,
            "call" | "tail" | "notail" => match self.called_ahead() {
                Some(name) if super::vector_call::is_known(name) => self.vector_call(b, result)?,
                Some(name) if name.starts_with("llvm.") => self.by_lanes(b, word, result, count)?,
                _ => return Ok(None),
            },
            _ if BY_LANE.contains(&word) || meaning(word).op.is_some() => {
                self.by_lanes(b, word, result, count)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    /// Reads an instruction a lane at a time.
    fn by_lanes(&mut self, b: &mut Builder, word: &str, result: Option<Text<'a>>, count: u32) -> Parsed<()> {
        let (at, token, start) = (self.lexer.at, self.token, self.start);
        let mut values = Vec::with_capacity(count as usize);
        for k in 0..count {
            (self.lexer.at, self.token, self.start) = (at, token, start);
            (self.lane, self.is_lane) = (Some((k, count)), false);
            let value = self.value_of(b, word);
            (self.lane, self.is_lane) = (None, false);
            match (value?, b.made.take()) {
                (Some(v), None) => values.push(v),
                _ => return self.error_at(start, "this instruction is not supported on vectors"),
            }
        }
        self.metadata_behind()?;
        let element = values.first().map_or(Type::Void, |&v| b.f.type_of(v));
        if element == Type::Void {
            return self.error_at(start, "this instruction is not supported on vectors");
        }
        self.bind_lanes(b, result, Lanes::new(element, count), values)
    }

    // ---- Memory -----------------------------------------------------------------------------------------

    /// `load`, which is the token.
    fn lanes_load(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        self.advance()?;
        let is_volatile = self.eat_word("volatile")?;
        let lanes = self.vector_type()?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let access = self.trailer_of(Bearer::load(Type::Void))?;
        let values = if lanes.is_bits() {
            let bytes = self.bytes_from(b, address, lanes.count.div_ceil(8), is_volatile)?;
            self.viewed(b, &bytes, 8, Type::I1, lanes.count)
        } else {
            let mut values = Vec::new();
            for k in 0..lanes.count {
                values.push(self.load_lane(b, lanes.element, (address, k), access, is_volatile)?);
            }
            values
        };
        self.bind_lanes(b, result, lanes, values)
    }

    fn bytes_from(
        &mut self,
        b: &mut Builder,
        address: Operand,
        count: u32,
        is_volatile: bool,
    ) -> Parsed<Vec<Value>> {
        (0..count).map(|k| self.load_lane(b, Type::I8, (address, k), Access::PLAIN, is_volatile)).collect()
    }

    /// Lane `k` behind an address.
    pub(super) fn load_lane(
        &mut self,
        b: &mut Builder,
        element: Type,
        (address, k): (Operand, u32),
        access: Access,
        is_volatile: bool,
    ) -> Parsed<Value> {
        let at = k * self.module.env.shapes.bytes_of(element);
        let place = self.place_behind(b, address, at);
        self.load_of(b, element, place, self.access_at(element, access, at), is_volatile)
    }

    /// Stores lane `k` behind an address.
    pub(super) fn store_lane(
        &mut self,
        b: &mut Builder,
        lane: Value,
        (address, k): (Operand, u32),
        access: Access,
        is_volatile: bool,
    ) -> Parsed<()> {
        let element = b.f.type_of(lane);
        let at = k * self.module.env.shapes.bytes_of(element);
        let place = self.place_behind(b, address, at);
        let access = self.access_at(element, access, at);
        self.store_of(b, element, Operand::Value(lane), place, access, is_volatile)
    }

    /// `store`, which is the token.
    fn lanes_store(&mut self, b: &mut Builder) -> Parsed<()> {
        self.advance()?;
        let is_volatile = self.eat_word("volatile")?;
        let (lanes, mut values) = self.typed_lanes(b)?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let mut access = self.trailer()?;
        if lanes.is_bits() {
            values = self.viewed(b, &values, 1, Type::I8, lanes.count.div_ceil(8));
            access = Access::PLAIN;
        }
        for (k, &lane) in (0..).zip(&values) {
            self.store_lane(b, lane, (address, k), access, is_volatile)?;
        }
        Ok(())
    }

    // ---- What moves lanes -------------------------------------------------------------------------------

    /// The number of a lane, `, i64 2`: known, or a value.
    fn lane_number(&mut self, b: &mut Builder) -> Parsed<(Type, Operand, Option<i64>)> {
        self.expect(b',')?;
        let at = self.start;
        let (ty, k) = self.typed_operand(b)?;
        if !ty.is_int() {
            return self.error_at(at, "the number of a lane is an integer");
        }
        let known = match k {
            Operand::Value(v) => b.f.number(v).map(|x| i64::try_from(x.unsigned()).unwrap_or(i64::MAX)),
            Operand::Later { .. } => None,
        };
        Ok((ty, k, known))
    }

    /// True if that is this lane.
    fn is_lane(&self, b: &mut Builder, (ty, number): (Type, Operand), k: usize) -> Operand {
        let k = Operand::Value(b.f.int_of(ty, k as i64));
        Operand::Value(Value::inst(b.insert(Op::ICmp, Type::I1, &[number, k], IntPred::Eq as u32)))
    }

    /// `extractelement`, which is the token.
    fn extract_lane(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        self.advance()?;
        let lanes = self.vector_type()?;
        let all = self.lanes_operand(b, lanes)?;
        let (ty, number, known) = self.lane_number(b)?;
        self.metadata_behind()?;
        let none = Value::undef(lanes.element);
        let lane = match known {
            Some(k) => match usize::try_from(k).ok().and_then(|k| all.get(k)) {
                Some(&lane) => b.settled(lane),
                None => none,
            },
            None => {
                let mut chosen = all.first().copied().unwrap_or(Operand::Value(none));
                for (k, &lane) in all.iter().enumerate().skip(1).filter(|&(k, _)| fits(ty, k)) {
                    let is = self.is_lane(b, (ty, number), k);
                    let args = [is, lane, chosen];
                    chosen = Operand::Value(Value::inst(b.insert(Op::Select, lanes.element, &args, 0)));
                }
                b.settled(chosen)
            }
        };
        b.f.note_type(lanes.element);
        self.bind(b, result, lane)
    }

    /// `insertelement`, which is the token.
    fn insert_lane(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        self.advance()?;
        let (lanes, mut all) = self.typed_lanes(b)?;
        self.expect(b',')?;
        let at = self.start;
        let (of, x) = self.typed_operand(b)?;
        if of != lanes.element {
            return self.error_at(at, "this is not of the type of the lanes");
        }
        let x = b.settled(x);
        let (ty, number, known) = self.lane_number(b)?;
        self.metadata_behind()?;
        match known {
            Some(k) => {
                if let Some(lane) = usize::try_from(k).ok().and_then(|k| all.get_mut(k)) {
                    *lane = x;
                }
            }
            None => {
                for (k, lane) in all.iter_mut().enumerate().filter(|&(k, _)| fits(ty, k)) {
                    let args = [self.is_lane(b, (ty, number), k), Operand::Value(x), Operand::Value(*lane)];
                    *lane = Value::inst(b.insert(Op::Select, lanes.element, &args, 0));
                }
            }
        }
        self.bind_lanes(b, result, lanes, all)
    }

    /// `shufflevector`, which is the token.
    fn shuffle_lanes(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        self.advance()?;
        let (lanes, mut all) = self.typed_lanes(b)?;
        self.expect(b',')?;
        let at = self.start;
        let (other, more) = self.typed_lanes(b)?;
        if !other.fits(lanes) {
            return self.error_at(at, "both vectors of a shuffle must be of one type");
        }
        all.extend(more);
        self.expect(b',')?;
        let mask = self.mask(b)?;
        self.metadata_behind()?;
        let picked = self.picked(at, (&all, Value::undef(lanes.element)), &mask)?;
        b.f.note_type(lanes.element);
        self.bind_lanes(b, result, Lanes::new(lanes.element, picked.len() as u32), picked)
    }

    // ---- Other views ------------------------------------------------------------------------------------

    fn view(&mut self) -> Parsed<View> {
        if let Some(bits) = self.wide_type() {
            self.advance()?;
            return Ok(View::Wide(bits));
        }
        match self.token {
            Token::Mark(b'<') => self.vector_type().map(View::Vector),
            _ => self.ty().map(View::Scalar),
        }
    }

    /// `bitcast`, which is the token.
    fn bitcast_lanes(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        self.advance()?;
        let at = self.start;
        let pointer = self.platform.pointer_bytes;
        let (word, size) = self.word();
        let from = self.view()?;
        let (mut of, mut values) = match from {
            View::Vector(lanes) => (lanes.element, self.lanes_settled(b, lanes)?),
            View::Scalar(ty) => {
                let v = self.operand(b, ty)?;
                (ty, vec![b.settled(v)])
            }
            View::Wide(bits) => (word, self.wide_operand(b, bits)?.words),
        };
        self.expect_word("to")?;
        let to = self.view()?;
        self.metadata_behind()?;
        let bits = |view: View| match view {
            View::Vector(lanes) => lanes.count * bits_of(lanes.element, pointer),
            View::Scalar(ty) => bits_of(ty, pointer),
            View::Wide(bits) => bits,
        };
        let (element, count) = match to {
            View::Vector(lanes) => (lanes.element, lanes.count),
            View::Scalar(ty) => (ty, 1),
            View::Wide(bits) => (word, bits.div_ceil(size)),
        };
        let is_number = |ty: Type| ty.is_int() || ty.is_float();
        let is_same = of == element && values.len() == count as usize;
        if bits(from) != bits(to) || !(is_same || is_number(of) && is_number(element)) {
            return self.error_at(at, "a bitcast between these types is not supported");
        }
        if !is_same {
            if of.is_float() {
                let int = int_like(of);
                for v in &mut values {
                    *v = self.bits(b, Operand::Value(*v), int)?;
                }
                of = int;
            }
            let int = if element.is_float() { int_like(element) } else { element };
            values = self.viewed(b, &values, bits_of(of, pointer), int, count);
            if element.is_float() {
                for v in &mut values {
                    *v = self.bits(b, Operand::Value(*v), element)?;
                }
            }
        }
        match to {
            View::Vector(lanes) => self.bind_lanes(b, result, lanes, values),
            View::Scalar(ty) => self.bind(b, result, values.first().copied().unwrap_or(Value::undef(ty))),
            View::Wide(bits) => {
                b.made = Some(Made { parts: values, bits: Some(bits), mem: None });
                self.bind(b, result, Value::undef(Type::Void))
            }
        }
    }

    /// Integers of so many bits, the lowest first, as so many of another type.
    pub(super) fn viewed(
        &self,
        b: &mut Builder,
        values: &[Value],
        bits: u32,
        to: Type,
        count: u32,
    ) -> Vec<Value> {
        let wide = to.int_bits();
        let resized = |b: &mut Builder, v: Value, to: Type| {
            let from = b.f.type_of(v);
            b.resized(Operand::Value(v), from, to, Op::ZExt).now()
        };
        let mut views = Vec::with_capacity(count as usize);
        for k in 0..count {
            let first = k * wide;
            let at = |bit: u32| values.get((bit / bits) as usize).copied().unwrap_or(Value::undef(to));
            if bits >= wide {
                let (v, by) = (at(first), first % bits);
                let from = b.f.type_of(v);
                let v = if by == 0 { v } else { b.by(Op::LShr, from, v, i64::from(by)) };
                views.push(resized(b, v, to));
                continue;
            }
            let mut whole = None;
            for by in (0..wide).step_by(bits as usize) {
                if (first + by) / bits >= values.len() as u32 {
                    break;
                }
                let part = resized(b, at(first + by), to);
                let part = if by == 0 { part } else { b.by(Op::Shl, to, part, i64::from(by)) };
                whole = Some(match whole {
                    None => part,
                    Some(low) => b.make(Op::Or, to, &[low, part], 0),
                });
            }
            views.push(whole.unwrap_or(Value::undef(to)));
        }
        views
    }
}

/// True for a number of a lane that this type can have.
fn fits(ty: Type, k: usize) -> bool {
    ty.int_bits() >= 32 || k >> ty.int_bits() == 0
}

/// The integer with as many bits as a float.
pub(super) fn int_like(ty: Type) -> Type {
    if ty == Type::F64 { Type::I64 } else { Type::I32 }
}
