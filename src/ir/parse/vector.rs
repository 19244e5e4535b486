//! Vectors that the tables have no type for: of any scalar and up to `MOST_LANES` lanes. Such a value is its lanes,
//! as an aggregate is its parts (`aggregate`); one that the tables have is a vector of theirs, and its lanes are taken out where
//! the two meet.
//!
//! `<vscale x 4 x i32>` is `VSCALE` times as many lanes: how long such vectors are is the implementation's choice, as long as
//! nothing else sees one, and they are no parameters or results. O(lanes) each; instructions on them: `lanes`.

use super::aggregate::Made;
use super::body::other_type;
use super::builder::{Builder, Local, Operand};
use super::layout::Mem;
use super::lexer::{Lexer, Text, Token};
use super::{Parsed, Parser};
use crate::ir::fold::Number;
use crate::ir::{Op, Type, Value};

/// More lanes are refused: twice the most that a group of eight registers of 128 bits has.
pub(super) const MOST_LANES: u32 = 256;

/// What `llvm.vscale` yields: registers of 128 bits have so many times 64, the least that machines with V have.
pub(super) const VSCALE: u32 = 2;

/// Constants in constants.
const DEEPEST: u32 = 8;

/// A vector type.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) element: Type,
    pub(super) count: u32,
    /// The text says that the machine chooses how long it is.
    pub(super) is_scalable: bool,
}

impl Lanes {
    pub(super) fn new(element: Type, count: u32) -> Lanes {
        Lanes { element, count, is_scalable: false }
    }

    /// The type that the tables have for it.
    pub(super) fn held(self) -> Option<Type> {
        Type::lanes_of(self.element, self.count).filter(|ty| ty.is_vector())
    }

    /// True if both have the same lanes.
    pub(super) fn fits(self, other: Lanes) -> bool {
        self.element == other.element && self.count == other.count
    }

    /// True of truth values, which are bits in memory; other lanes are bytes.
    pub(super) fn is_bits(self) -> bool {
        self.element == Type::I1
    }
}

/// The vector type behind a `<`.
pub(super) fn behind_bracket(lexer: &mut Lexer) -> Option<Lanes> {
    let mut next = || lexer.next().ok().map(|row| row.0);
    let mut token = next()?;
    let is_scalable = token == Token::Word("vscale");
    if is_scalable {
        token = if next()? == Token::Word("x") { next()? } else { return None };
    }
    let Token::Int(count) = token else { return None };
    let (x, Token::Word(word), close) = (next()?, next()?, next()?) else { return None };
    let element = Parser::type_of_word(word).filter(|&ty| ty != Type::Void)?;
    let count = count.parse::<u32>().ok()?.checked_mul(if is_scalable { VSCALE } else { 1 })?;
    let is_so = x == Token::Word("x") && close == Token::Mark(b'>') && (1..=MOST_LANES).contains(&count);
    is_so.then_some(Lanes { element, count, is_scalable })
}

impl Builder {
    /// Appends an instruction, unless it is known what it yields.
    pub(super) fn folded(&mut self, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        self.f.fold(op, ty, payload, args).unwrap_or_else(|| self.make(op, ty, args, payload))
    }

    /// Lane `k` of a vector of the tables.
    pub(super) fn lane(&mut self, v: Operand, element: Type, k: u32) -> Operand {
        let known = match v {
            Operand::Value(v) => self.known_lane(v, k),
            Operand::Later { .. } => None,
        };
        Operand::Value(known.unwrap_or_else(|| Value::inst(self.insert(Op::ExtractLane, element, &[v], k))))
    }

    /// The same, if it was put in or is the same in all lanes. An operand that is undefined may still have to come.
    fn known_lane(&self, v: Value, k: u32) -> Option<Value> {
        let mut i = v.as_inst()?;
        for _ in 0..MOST_LANES {
            let put = match self.f.op(i) {
                Op::Splat => self.f.arg(i, 0),
                Op::InsertLane if self.f.payload(i) == k => self.f.arg(i, 1),
                Op::InsertLane => {
                    i = self.f.arg(i, 0).as_inst()?;
                    continue;
                }
                _ => return None,
            };
            return Some(put).filter(|put| !put.is_undef());
        }
        None
    }

    /// A vector of the tables with these lanes.
    pub(super) fn gathered(&mut self, ty: Type, lanes: &[Value]) -> Value {
        if let Some(whole) = self.taken_from(ty, lanes) {
            return whole;
        }
        let first = lanes.iter().copied().find(|v| !v.is_undef()).unwrap_or(Value::undef(ty.element()));
        let mut whole = self.make(Op::Splat, ty, &[first], 0);
        for (k, &lane) in lanes.iter().enumerate().filter(|&(_, &v)| v != first && !v.is_undef()) {
            whole = self.make(Op::InsertLane, ty, &[whole, lane], k as u32);
        }
        whole
    }

    /// The vector whose lanes these are, in order.
    fn taken_from(&self, ty: Type, lanes: &[Value]) -> Option<Value> {
        let of = |(k, v): (usize, &Value)| {
            let i = v.as_inst().filter(|&i| self.f.op(i) == Op::ExtractLane)?;
            (self.f.payload(i) as usize == k).then(|| self.f.arg(i, 0))
        };
        let first = of((0, lanes.first()?))?;
        let is_whole = self.f.type_of(first) == ty && !first.is_undef();
        (is_whole && lanes.iter().enumerate().all(|lane| of(lane) == Some(first))).then_some(first)
    }
}

impl<'a> Parser<'a> {
    /// The vector type that the token begins, if it begins one.
    pub(super) fn vector_ahead(&self) -> Option<Lanes> {
        match self.token {
            Token::Mark(b'<') => behind_bracket(&mut self.lexer.clone()),
            _ => None,
        }
    }

    /// The same, if the tables have none for it, and instructions are not read lane by lane.
    pub(super) fn unheld_ahead(&self) -> Option<Lanes> {
        self.vector_ahead().filter(|lanes| self.lane.is_none() && lanes.held().is_none())
    }

    /// A vector type.
    pub(super) fn vector_type(&mut self) -> Parsed<Lanes> {
        let mut ahead = self.lexer.clone();
        let Some(lanes) =
            Some(self.token).filter(|&t| t == Token::Mark(b'<')).and_then(|_| behind_bracket(&mut ahead))
        else {
            return match self.token {
                Token::Mark(b'<') => self.error("vectors of this length and these lanes are not supported"),
                _ => self.expected("a vector type"),
            };
        };
        self.lexer = ahead;
        self.met_scalable |= lanes.is_scalable;
        self.advance()?;
        Ok(lanes)
    }

    /// The same where a value's type stands: one of the tables', or that of the lane that is read.
    pub(super) fn vector(&mut self) -> Parsed<Type> {
        let at = self.start;
        let lanes = self.vector_type()?;
        match (self.lane, lanes.held()) {
            (Some((_, count)), _) if count == lanes.count => {
                self.is_lane = true;
                Ok(lanes.element)
            }
            (Some(_), _) => self.error_at(at, "vectors of different lengths in one instruction"),
            (None, Some(ty)) => Ok(ty),
            (None, None) => self.error_at(at, "a vector of this type is not supported here"),
        }
    }

    /// The type of a vector as a part of others.
    pub(super) fn vector_mem(&mut self, lanes: Lanes) -> Mem {
        let shapes = &self.module.env.shapes;
        let most = if self.platform.name == "armv7" { 8 } else { u32::MAX };
        self.layouts.vector(shapes, lanes, most)
    }

    // ---- Operands ---------------------------------------------------------------------------------------

    /// A value of this type, lane by lane.
    pub(super) fn lanes_operand(&mut self, b: &mut Builder, lanes: Lanes) -> Parsed<Vec<Operand>> {
        let Token::Local(text) = self.token else { return self.lanes_constant(b, lanes, 0) };
        let at = self.start;
        let name = self.local_operand(b, text)?;
        (0..lanes.count).map(|k| self.lane_of(b, (name, at), lanes, k)).collect()
    }

    /// The same; each has a value.
    pub(super) fn lanes_settled(&mut self, b: &mut Builder, lanes: Lanes) -> Parsed<Vec<Value>> {
        let all = self.lanes_operand(b, lanes)?;
        Ok(all.into_iter().map(|lane| b.settled(lane)).collect())
    }

    /// A vector type and a value of it.
    pub(super) fn typed_lanes(&mut self, b: &mut Builder) -> Parsed<(Lanes, Vec<Value>)> {
        let lanes = self.vector_type()?;
        Ok((lanes, self.lanes_settled(b, lanes)?))
    }

    /// Where an instruction is read lane by lane: the lane of a vector.
    pub(super) fn lane_operand(&mut self, b: &mut Builder, lanes: Lanes, k: u32) -> Parsed<Operand> {
        if let Token::Local(text) = self.token {
            let at = self.start;
            let name = self.local_operand(b, text)?;
            return self.lane_of(b, (name, at), lanes, k);
        }
        let lane = self.lane.take();
        let all = self.lanes_constant(b, lanes, 0);
        (self.lane, self.is_lane) = (lane, true);
        match all?.get(k as usize) {
            Some(&lane) => Ok(lane),
            None => self.expected("a lane"),
        }
    }

    /// Lane `k` of what has a name.
    fn lane_of(
        &mut self,
        b: &mut Builder,
        (name, at): (Local, usize),
        lanes: Lanes,
        k: u32,
    ) -> Parsed<Operand> {
        if let Some(ty) = lanes.held() {
            let whole = match b.local_value(name) {
                Some(v) if b.f.type_of(v) == ty => Operand::Value(v),
                Some(_) => return Err(other_type(self.lexer.text, at, b, name)),
                None => Operand::Later { name, ty, at: at as u32 },
            };
            return Ok(b.lane(whole, lanes.element, k));
        }
        if k == 0 {
            let mem = self.vector_mem(lanes);
            self.has_parts(b, name, mem, at)?;
        }
        let part = b.part_name(name, k as usize);
        match b.local_value(part) {
            Some(v) if b.f.type_of(v) == lanes.element => Ok(Operand::Value(v)),
            Some(_) => Err(other_type(self.lexer.text, at, b, name)),
            None => Ok(Operand::Later { name: part, ty: lanes.element, at: at as u32 }),
        }
    }

    /// A constant: lanes in brackets, the same in all, or an expression of such.
    pub(super) fn lanes_constant(
        &mut self,
        b: &mut Builder,
        lanes: Lanes,
        depth: u32,
    ) -> Parsed<Vec<Operand>> {
        let Lanes { element, count, .. } = lanes;
        let all = |lane: Value| vec![Operand::Value(lane); count as usize];
        let at = self.start;
        if depth > DEEPEST {
            return self.error("this constant is nested too deeply");
        }
        match self.token {
            Token::Word("undef" | "poison") => {
                b.f.note_type(element);
                self.advance()?;
                Ok(all(Value::undef(element)))
            }
            Token::Word("zeroinitializer") => {
                self.advance()?;
                let zero = match element {
                    Type::Ptr => self.number_address(b, 0)?,
                    _ => b.f.constant(Number::zero(element)),
                };
                Ok(all(zero))
            }
            Token::Word("splat") => {
                self.advance()?;
                self.expect(b'(')?;
                let lane = self.constant_lane(b, lanes)?;
                self.expect(b')')?;
                Ok(all(lane))
            }
            Token::Mark(b'<') => {
                self.advance()?;
                let mut found = Vec::new();
                loop {
                    found.push(Operand::Value(self.constant_lane(b, lanes)?));
                    if found.len() > count as usize || !self.eat(b',')? {
                        break;
                    }
                }
                self.expect(b'>')?;
                if found.len() != count as usize {
                    let message = format!("{} lanes for <{count} x {}>", found.len(), element.name());
                    return self.error_at(at, message);
                }
                Ok(found)
            }
            Token::Word("insertelement") => {
                self.advance()?;
                self.expect(b'(')?;
                let mut found = self.constant_operand_of(b, lanes, depth)?;
                self.expect(b',')?;
                let lane = self.constant_lane(b, lanes)?;
                self.expect(b',')?;
                let (_, k) = self.typed_operand(b)?;
                self.expect(b')')?;
                let k = b.f.as_int(k.now()).and_then(|k| usize::try_from(k).ok());
                match k.and_then(|k| found.get_mut(k)) {
                    Some(place) => *place = Operand::Value(lane),
                    None => return self.error_at(at, "there is no such lane"),
                }
                Ok(found)
            }
            Token::Word("shufflevector") => {
                self.advance()?;
                self.expect(b'(')?;
                let Some(of) = self.vector_ahead() else { return self.expected("a vector type") };
                let mut found = self.constant_operand_of(b, of, depth)?;
                self.expect(b',')?;
                found.extend(self.constant_operand_of(b, of, depth)?);
                self.expect(b',')?;
                let mask = self.mask(b)?;
                self.expect(b')')?;
                if of.element != element || mask.len() != count as usize {
                    return self.error_at(at, "this shuffle is of another type");
                }
                self.picked(at, (&found, Operand::Value(Value::undef(element))), &mask)
            }
            _ => self.expected("a vector"),
        }
    }

    fn constant_operand_of(&mut self, b: &mut Builder, lanes: Lanes, depth: u32) -> Parsed<Vec<Operand>> {
        if !self.vector_type()?.fits(lanes) {
            return self.error("a vector of another type");
        }
        self.lanes_constant(b, lanes, depth + 1)
    }

    /// A lane of a constant, its type before it.
    fn constant_lane(&mut self, b: &mut Builder, lanes: Lanes) -> Parsed<Value> {
        let Lanes { element, count, .. } = lanes;
        if self.ty()? != element {
            return self.expected(&format!("a lane of <{count} x {}>", element.name()));
        }
        match self.operand(b, element)? {
            Operand::Value(lane) => Ok(lane),
            Operand::Later { .. } => self.error("a lane of a constant must be a constant"),
        }
    }

    /// The mask of a shuffle, its type before it: numbers of lanes, or none where any will do.
    pub(super) fn mask(&mut self, b: &mut Builder) -> Parsed<Vec<Option<usize>>> {
        let at = self.start;
        let lanes = self.vector_type()?;
        if lanes.element != Type::I32 {
            return self.error_at(at, "the numbers of a shuffle are i32");
        }
        let mask = self.lanes_constant(b, lanes, 0)?;
        let number = |lane: &Operand| b.f.as_int(lane.now()).and_then(|k| usize::try_from(k).ok());
        let numbers: Vec<Option<usize>> = mask.iter().map(number).collect();
        let is_known = |(lane, k): (&Operand, &Option<usize>)| k.is_some() || lane.now().is_undef();
        if !mask.iter().zip(&numbers).all(is_known) {
            return self.error_at(at, "a shuffle of lanes that are not there");
        }
        Ok(numbers)
    }

    /// The lanes that a mask names, which is read.
    pub(super) fn picked<T: Copy>(
        &self,
        at: usize,
        (from, none): (&[T], T),
        mask: &[Option<usize>],
    ) -> Parsed<Vec<T>> {
        let mut picked = Vec::with_capacity(mask.len());
        for &k in mask {
            match k.map(|k| from.get(k)) {
                None => picked.push(none),
                Some(Some(&lane)) => picked.push(lane),
                Some(None) => return self.error_at(at, "a shuffle of lanes that are not there"),
            }
        }
        Ok(picked)
    }

    // ---- Results ----------------------------------------------------------------------------------------

    /// Gives a name a vector.
    pub(super) fn bind_lanes(
        &mut self,
        b: &mut Builder,
        text: Option<Text<'a>>,
        lanes: Lanes,
        values: Vec<Value>,
    ) -> Parsed<()> {
        let whole = self.whole(b, lanes, values);
        self.bind(b, text, whole)
    }

    /// A vector, for `bind`: of the tables, or as parts.
    pub(super) fn whole(&mut self, b: &mut Builder, lanes: Lanes, values: Vec<Value>) -> Value {
        match lanes.held() {
            Some(ty) => b.gathered(ty, &values),
            None => {
                let mem = self.vector_mem(lanes);
                b.made = Some(Made { parts: values, bits: None, mem: Some(mem) });
                Value::undef(Type::Void)
            }
        }
    }

    /// The lanes of a type that is one.
    pub(super) fn lanes_in(&self, mem: Mem) -> Option<Lanes> {
        self.layouts.lanes(mem)
    }
}
