//! Contents of globals: a constant of a type of memory as its bytes. What is open is kept on a stack. O(text).

use super::layout::Mem;
use super::lexer::{Token, unescape};
use super::quad::quad_bits;
use super::{Parsed, Parser, error_at};
use crate::ir::{Image, Type};

/// An initialiser that is being read.
struct Contents {
    at: usize,
    close: &'static [u8],
    mem: Mem,
    next: u64,
    offset: u64,
}

impl Parser<'_> {
    /// A constant of a type, as its bytes.
    pub(super) fn contents(&mut self, mem: Mem, image: &mut Image) -> Parsed<()> {
        let mut open: Vec<Contents> = Vec::new();
        let (mut mem, mut offset) = (mem, 0u64);
        loop {
            let close: Option<&[u8]> = match self.token {
                Token::Mark(b'[') => Some(b"]"),
                Token::Mark(b'{') => Some(b"}"),
                Token::Mark(b'<') if self.lanes_in(mem).is_some() => Some(b">"),
                Token::Mark(b'<') => Some(b"}>"),
                _ => None,
            };
            if let Some(close) = close {
                let at = self.start;
                self.advance()?;
                if close.len() == 2 {
                    self.expect(b'{')?;
                }
                open.push(Contents { at, close, mem, next: 0, offset });
            } else {
                self.part_contents(mem, offset, image)?;
            }
            // The next part of what is open, or its end.
            loop {
                let Some(top) = open.last_mut() else { return Ok(()) };
                let is_first = top.next == 0;
                let part = self.layouts.part(&self.module.env.shapes, top.mem, top.next);
                let Some((part, within)) = part else {
                    let (at, close) = (top.at, top.close);
                    if self.token != Token::Mark(close[0]) {
                        let message = "this initialiser has more elements than its type";
                        return Err(error_at(self.lexer.text, at, message));
                    }
                    for &mark in close {
                        self.expect(mark)?;
                    }
                    open.pop();
                    continue;
                };
                (top.next, mem, offset) = (top.next + 1, part, top.offset + within);
                if !is_first && !self.eat(b',')? {
                    let at = open.last().map_or(self.start, |top| top.at);
                    let message = "this initialiser has not as many elements as its type";
                    return Err(error_at(self.lexer.text, at, message));
                }
                let given = self.memory_type()?;
                if self.bytes_and_align(given).0 != self.bytes_and_align(part).0 {
                    return self.error("this is not of the type of the element");
                }
                break;
            }
        }
    }

    /// True for an address, or what one can be in.
    pub(super) fn is_expression(&self) -> bool {
        matches!(self.token, Token::Global(_))
            || matches!(self.token, Token::Word(word) if super::constant::begins(word))
    }

    /// A value that is not in brackets.
    fn part_contents(&mut self, mem: Mem, offset: u64, image: &mut Image) -> Parsed<()> {
        let mut push = |k: usize, byte: u8| {
            if byte != 0 {
                image.push(offset as u32 + k as u32, u32::from(byte));
            }
        };
        let shapes = &self.module.env.shapes;
        let shape = self.plain_shape(mem);
        match (self.token, shape) {
            (Token::Word("zeroinitializer" | "undef" | "poison"), _) => {}
            (Token::Word("null"), Some(shape))
                if shapes.depth(shape) == 0 && shapes.scalar_type(shape) == Type::Ptr => {}
            (Token::Int(text), None) if let Some(bits) = self.width_of(mem) => {
                let halves = super::wide::halves_of(text, bits.div_ceil(32) as usize);
                for k in 0..bits.div_ceil(8) as usize {
                    push(k, (halves[k / 4] >> (8 * (k % 4))) as u8);
                }
            }
            (Token::Float(text), None) if self.has_quads(mem) && quad_bits(text).is_some() => {
                let words = quad_bits(text).unwrap_or_default();
                for k in 0..16 {
                    push(k, (words[k / 8] >> (8 * (k % 8))) as u8);
                }
            }
            (Token::Bytes(raw), Some(shape)) if shapes.scalar_type(shape) == Type::I8 => {
                let bytes = unescape(raw);
                if bytes.len() as u64 != shapes.bytes(shape) {
                    return self.error(format!("{} bytes for {}", bytes.len(), shapes.bytes(shape)));
                }
                bytes.into_iter().enumerate().for_each(|(k, byte)| push(k, byte));
            }
            (Token::Global(_) | Token::Word(_), Some(shape))
                if shapes.depth(shape) == 0 && self.is_expression() =>
            {
                let (ty, at) = (shapes.scalar_type(shape), self.start);
                let x = self.constant_of(ty)?;
                let shapes = &self.module.env.shapes;
                if x.base.is_some() && !self.may_hold(ty, &x) {
                    return self.error_at(at, "a part of an address as a constant is not supported");
                }
                if x.base.is_some() {
                    self.note_address(offset as u32, x);
                    return Ok(());
                }
                let bytes = x.offset.to_le_bytes();
                for (k, &byte) in bytes.iter().enumerate().take(shapes.bytes_of(ty) as usize) {
                    push(k, byte);
                }
                return Ok(());
            }
            (_, Some(shape)) if shapes.depth(shape) == 0 => {
                let ty = shapes.scalar_type(shape);
                let number = self.literal(ty)?;
                let bytes = number.bits.to_le_bytes();
                (0..ty.bytes() as usize).for_each(|k| push(k, bytes[k]));
            }
            _ => return self.expected("an initialiser"),
        }
        self.advance()
    }
}
