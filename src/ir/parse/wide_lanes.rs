//! Vectors of integers that the tables lack (`<4 x i40>`), which clang makes of bit fields and of products of twice a word: each
//! lane is its words (`wide`), and instructions on them are done lane by lane. They are extended, cut, combined, compared,
//! chosen and moved; in memory and over blocks that come later they are refused. O(lanes x words).

use super::aggregate::Made;
use super::builder::Builder;
use super::keywords::Places;
use super::lanes::Ahead;
use super::lexer::{Lexer, Text, Token};
use super::vector::{Lanes, MOST_LANES};
use super::vector_call::reduces_by;
use super::wide::{Wide, width};
use super::words::meaning;
use super::{Parsed, Parser};
use crate::ir::{IntPred, Op, Type, Value};

/// Such a type: bits of a lane, and how many there are.
type WideLanes = (u32, u32);

/// The lanes of an operand.
enum Of {
    Wide(WideLanes, Vec<Wide>),
    Plain(Lanes, Vec<Value>),
}

/// The type behind a `<`, if it is such.
pub(super) fn wide_behind(lexer: &mut Lexer) -> Option<WideLanes> {
    let mut next = || lexer.next().ok().map(|row| row.0);
    let (Token::Int(count), x, Token::Word(word), close) = (next()?, next()?, next()?, next()?) else {
        return None;
    };
    let (count, bits) = (count.parse::<u32>().ok()?, width(word)?);
    let is_so = x == Token::Word("x") && close == Token::Mark(b'>') && (1..=MOST_LANES).contains(&count);
    is_so.then_some((bits, count))
}

impl<'a> Parser<'a> {
    fn wide_vector_ahead(&self) -> Option<WideLanes> {
        match self.token {
            Token::Mark(b'<') => wide_behind(&mut self.lexer.clone()),
            _ => None,
        }
    }

    fn wide_vector(&mut self) -> Parsed<WideLanes> {
        let mut ahead = self.lexer.clone();
        let Some(found) = self.wide_vector_ahead() else { return self.expected("a vector of such integers") };
        wide_behind(&mut ahead);
        self.lexer = ahead;
        self.advance()?;
        Ok(found)
    }

    /// A value of such a type, as its lanes.
    fn wide_lanes_operand(&mut self, b: &mut Builder, (bits, count): WideLanes) -> Parsed<Vec<Wide>> {
        let words = bits.div_ceil(self.word().1) as usize;
        let at = self.start;
        match self.token {
            Token::Local(text) => {
                let name = self.local_operand(b, text)?;
                let known = b.wides.get(&name).filter(|known| known.bits == bits);
                let Some(known) = known.filter(|known| known.words.len() == words * count as usize) else {
                    let message =
                        format!("`%{}` is not known here as a <{count} x i{bits}>", b.name_of(name));
                    return self.error_at(at, message);
                };
                Ok(known.words.chunks(words).map(|words| Wide { bits, words: words.to_vec() }).collect())
            }
            Token::Mark(b'<') => {
                self.advance()?;
                let mut lanes = Vec::new();
                loop {
                    lanes.push(self.wide_lane(b, bits)?);
                    if lanes.len() > count as usize || !self.eat(b',')? {
                        break;
                    }
                }
                self.expect(b'>')?;
                if lanes.len() != count as usize {
                    return self.error_at(at, format!("{} lanes for <{count} x i{bits}>", lanes.len()));
                }
                Ok(lanes)
            }
            Token::Word("splat") => {
                self.advance()?;
                self.expect(b'(')?;
                let lane = self.wide_lane(b, bits)?;
                self.expect(b')')?;
                Ok(vec![lane; count as usize])
            }
            _ => Ok(vec![self.wide_operand(b, bits)?; count as usize]),
        }
    }

    /// A lane of a constant, its type before it.
    fn wide_lane(&mut self, b: &mut Builder, bits: u32) -> Parsed<Wide> {
        if self.wide_type() != Some(bits) {
            return self.expected(&format!("a lane of i{bits}"));
        }
        self.advance()?;
        self.wide_operand(b, bits)
    }

    /// A vector type of either kind, and its value.
    fn lanes_of_either(&mut self, b: &mut Builder) -> Parsed<Of> {
        if self.wide_vector_ahead().is_some() {
            let ty = self.wide_vector()?;
            return Ok(Of::Wide(ty, self.wide_lanes_operand(b, ty)?));
        }
        let (lanes, values) = self.typed_lanes(b)?;
        Ok(Of::Plain(lanes, values))
    }

    /// The same, where it has to be one of these.
    fn typed_wide_lanes(&mut self, b: &mut Builder) -> Parsed<(WideLanes, Vec<Wide>)> {
        let ty = self.wide_vector()?;
        Ok((ty, self.wide_lanes_operand(b, ty)?))
    }

    fn bind_wide_lanes(&mut self, b: &mut Builder, text: Option<Text<'a>>, lanes: Vec<Wide>) -> Parsed<()> {
        self.metadata_behind()?;
        let bits = lanes.first().map_or(0, |lane| lane.bits);
        let parts = lanes.into_iter().flat_map(|lane| lane.words).collect();
        b.made = Some(Made { parts, bits: Some(bits), mem: None });
        self.bind(b, text, Value::undef(Type::Void))
    }

    fn bind_plain(
        &mut self,
        b: &mut Builder,
        text: Option<Text<'a>>,
        lanes: Lanes,
        values: Vec<Value>,
    ) -> Parsed<()> {
        self.metadata_behind()?;
        self.bind_lanes(b, text, lanes, values)
    }

    /// Reads an instruction with such vectors, whose first word is the token.
    pub(super) fn in_wide_lanes(
        &mut self,
        b: &mut Builder,
        word: &str,
        result: Option<Text<'a>>,
    ) -> Parsed<()> {
        let start = self.start;
        let op = meaning(word).op;
        if let "call" | "tail" | "notail" = word {
            return self.reduced_lanes(b, result);
        }
        self.advance()?;
        self.flags(op.map_or(Places::COMPARES, Places::of_op))?;
        match word {
            "zext" | "sext" | "trunc" => self.cast_lanes(b, word, result),
            "icmp" => {
                let Token::Word(name) = self.token else { return self.expected("a predicate") };
                let pred = IntPred::ALL.into_iter().find(|pred| pred.name() == name);
                let Some(pred) = pred else { return self.expected("a predicate") };
                self.advance()?;
                let (ty, x) = self.typed_wide_lanes(b)?;
                self.expect(b',')?;
                let y = self.wide_lanes_operand(b, ty)?;
                let truths = x.into_iter().zip(y).map(|(x, y)| self.compared(b, pred, x, y)).collect();
                self.bind_plain(b, result, Lanes::new(Type::I1, ty.1), truths)
            }
            "freeze" => {
                let (_, x) = self.typed_wide_lanes(b)?;
                self.bind_wide_lanes(b, result, x)
            }
            "select" => {
                let mask = match self.vector_ahead() {
                    Some(_) => self.typed_lanes(b)?.1,
                    None => {
                        let (_, one) = self.typed_operand(b)?;
                        vec![b.settled(one)]
                    }
                };
                self.expect(b',')?;
                let (ty, yes) = self.typed_wide_lanes(b)?;
                self.expect(b',')?;
                let (other, no) = self.typed_wide_lanes(b)?;
                let is_truth = |v: &Value| b.f.type_of(*v) == Type::I1;
                if other != ty || !mask.iter().all(is_truth) || ![1, ty.1 as usize].contains(&mask.len()) {
                    return self.error_at(start, "both values of a select must be of one type");
                }
                let mut lanes = Vec::new();
                for ((k, yes), no) in yes.into_iter().enumerate().zip(no) {
                    let bit = mask[k % mask.len()];
                    let words = yes.words.iter().zip(&no.words);
                    let words = words.map(|(&yes, &no)| {
                        let word = b.f.type_of(yes);
                        b.make(Op::Select, word, &[bit, yes, no], 0)
                    });
                    lanes.push(Wide { bits: ty.0, words: words.collect() });
                }
                self.bind_wide_lanes(b, result, lanes)
            }
            "extractelement" => {
                let ((bits, _), x) = self.typed_wide_lanes(b)?;
                let k = self.known_lane_number(b, x.len())?;
                self.metadata_behind()?;
                b.made = Some(Made { parts: x[k].words.clone(), bits: Some(bits), mem: None });
                self.bind(b, result, Value::undef(Type::Void))
            }
            "insertelement" => {
                let ((bits, _), mut x) = self.typed_wide_lanes(b)?;
                self.expect(b',')?;
                let lane = self.wide_lane(b, bits)?;
                let k = self.known_lane_number(b, x.len())?;
                x[k] = lane;
                self.bind_wide_lanes(b, result, x)
            }
            "shufflevector" => {
                let (ty, mut x) = self.typed_wide_lanes(b)?;
                self.expect(b',')?;
                let (other, y) = self.typed_wide_lanes(b)?;
                if other != ty {
                    return self.error_at(start, "both vectors of a shuffle must be of one type");
                }
                x.extend(y);
                self.expect(b',')?;
                let mask = self.mask(b)?;
                let numbers: Vec<usize> = (0..x.len()).collect();
                let picked = self.picked(start, (&numbers, 0), &mask)?;
                let lanes = picked.into_iter().map(|k| x[k].clone()).collect();
                self.bind_wide_lanes(b, result, lanes)
            }
            _ => {
                let (ty, x) = self.typed_wide_lanes(b)?;
                self.expect(b',')?;
                let y = self.wide_lanes_operand(b, ty)?;
                let mut lanes = Vec::new();
                for (x, y) in x.into_iter().zip(y) {
                    match op.map(|op| self.combined(b, op, x, y)).transpose()?.flatten() {
                        Some(lane) => lanes.push(lane),
                        None => {
                            return self.error_at(start, format!("`{word}` of i{} is not supported", ty.0));
                        }
                    }
                }
                self.bind_wide_lanes(b, result, lanes)
            }
        }
    }

    /// A call that makes all lanes one; the token is its first word.
    fn reduced_lanes(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        if !self.eat_word("tail")? {
            self.eat_word("notail")?;
        }
        self.expect_word("call")?;
        self.attributes(Places::RESULT)?;
        let (at, of) = (self.start, self.wide_type());
        self.advance()?;
        let Token::Global(text) = self.token else { return self.expected("a function") };
        self.advance()?;
        self.expect(b'(')?;
        let ((bits, _), lanes) = self.typed_wide_lanes(b)?;
        self.expect(b')')?;
        self.call_attributes()?;
        self.metadata_behind()?;
        let (mut whole, mut lanes) = (None, lanes.into_iter());
        if let Some(op) = reduces_by(text.raw).filter(|_| of == Some(bits)) {
            whole = lanes.next();
            for lane in lanes {
                let Some(so_far) = whole else { break };
                whole = self.combined(b, op, so_far, lane)?;
            }
        }
        let Some(whole) = whole else {
            return self.error_at(at, format!("`{}` of i{bits} is not supported", text.raw));
        };
        b.made = Some(Made { parts: whole.words, bits: Some(bits), mem: None });
        self.bind(b, result, Value::undef(Type::Void))
    }

    /// `, i64 2`, which has to be known.
    fn known_lane_number(&mut self, b: &mut Builder, count: usize) -> Parsed<usize> {
        self.expect(b',')?;
        let at = self.start;
        let (_, k) = self.typed_operand(b)?;
        match b.f.as_int(k.now()).and_then(|k| usize::try_from(k).ok()).filter(|&k| k < count) {
            Some(k) => Ok(k),
            None => self.error_at(at, "the number of such a lane must be a constant"),
        }
    }

    /// `zext`, `sext` or `trunc`, behind its flags.
    fn cast_lanes(&mut self, b: &mut Builder, word: &str, result: Option<Text<'a>>) -> Parsed<()> {
        let start = self.start;
        let extend = if word == "sext" { Op::SExt } else { Op::ZExt };
        let from = self.lanes_of_either(b)?;
        self.expect_word("to")?;
        let (is_cut, of) = (word == "trunc", self.wide_vector_ahead());
        let (bits, count) = match &from {
            Of::Wide((bits, count), _) => (*bits, *count),
            Of::Plain(lanes, _) => (lanes.element.int_bits(), lanes.count),
        };
        let fits =
            |to: u32, of: u32| bits > 0 && to > 0 && count == of && (to < bits) == is_cut && to != bits;
        if let Some((to, lanes)) = of {
            self.wide_vector()?;
            if !fits(to, lanes) {
                return self.error_at(start, "no such conversion of vectors is supported");
            }
            let lanes = match from {
                Of::Plain(_, values) => values.into_iter().map(|v| self.widened(b, v, to, extend)).collect(),
                Of::Wide(_, lanes) => {
                    let of = |x: Wide| {
                        let x = self.normal(b, x, extend);
                        self.of_width(b, &x, to, extend)
                    };
                    lanes.into_iter().map(of).collect()
                }
            };
            return self.bind_wide_lanes(b, result, lanes);
        }
        let to = self.vector_type()?;
        let Of::Wide(_, lanes) = from else { return self.error_at(start, "no such conversion of vectors") };
        if !fits(to.element.int_bits(), to.count) {
            return self.error_at(start, "no such conversion of vectors is supported");
        }
        let mut values = Vec::new();
        for x in lanes {
            let x = match word {
                "trunc" => x,
                _ => {
                    let x = self.normal(b, x, extend);
                    self.of_width(b, &x, to.element.int_bits(), extend)
                }
            };
            values.push(self.narrowed(b, &x, to.element));
        }
        self.bind_plain(b, result, to, values)
    }

    /// True if the instruction that the token begins has such a vector.
    pub(super) fn is_wide_ahead(&self) -> bool {
        let is_one = |(token, behind): (Token, Lexer)| {
            token == Token::Mark(b'<') && wide_behind(&mut behind.clone()).is_some()
        };
        Ahead::of(&self.lexer).any(is_one)
    }
}
