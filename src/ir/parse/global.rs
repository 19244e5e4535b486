//! Globals: linkage, type, initialiser.

use super::head::{Head, Of};
use super::keywords::{Handling, Places};
use super::lexer::{Text, Token, unescape};
use super::words::meaning;
use super::{DEEPEST, Parsed, Parser, Symbol, error_at};
use crate::base::Name;
use crate::ir::section::{self, Content};
use crate::ir::{Global, Image, Linkage, Shape, ThreadModel, Type};

/// Bytes of what is declared with none.
const UNKNOWN: u32 = i32::MAX as u32 & !0xff;

/// A type of memory, taken apart.
#[derive(Copy, Clone, Debug)]
struct Memory {
    scalar: Type,
    /// How many scalars.
    count: u64,
    /// The shape of an array or scalar; of a struct, the one that its piece of length zero names.
    shape: Option<Shape>,
}

/// The closing marks of an aggregate that is being read, and where it must end.
struct Open {
    at: usize,
    close: &'static [u8],
    end: u64,
}

impl<'a> Parser<'a> {
    pub(super) fn global(&mut self, text: Text<'a>) -> Parsed<()> {
        let at = self.start;
        self.advance()?;
        self.expect(b'=')?;
        if self.token == Token::Word("appending") {
            return self.appended(text);
        }
        let Head { linkage: linked, word, scope } = self.head(Of::Global)?;
        let (optional, common) = (word == "extern_weak", word == "common");
        let (thread, mut model) = (self.eat_word("thread_local")?, ThreadModel::default());
        if thread {
            if self.eat(b'(')? {
                let known = |word| ThreadModel::NAMES.iter().find(|row| row.0 == word);
                let Token::Word(word) = self.token else {
                    return self.expected("a model of thread-local data");
                };
                let Some(row) = known(word) else { return self.expected("a model of thread-local data") };
                model = row.1;
                self.advance()?;
                self.expect(b')')?;
            }
            if optional {
                return self.error("thread-local data that need not be there are not supported");
            }
        }
        self.eat_unnamed()?;
        if self.token == Token::Word("alias") && !thread {
            return self.alias(text, at, (linked, scope));
        }
        let of_space = self.start;
        if self.eat_word("addrspace")? {
            self.address_space(of_space)?;
        }
        if let Token::Word(word @ "externally_initialized") = self.token {
            return self.refuse_word(word);
        }
        let constant = match self.token {
            Token::Word("global") => false,
            Token::Word("constant") => true,
            _ => return self.expected("`global` or `constant`"),
        };
        self.advance()?;
        let pending = self.pending.len();
        let (mut shape, image) = self.memory_and_contents(linked)?;
        let shapes = &self.module.env.shapes;
        if linked == Linkage::Declared && shapes.bytes(shape) == 0 {
            // An array of which is not known how long it is: as long as can be.
            let align = shapes.align(shape);
            shape = self.aligned(shapes.of(Type::I8, &[UNKNOWN]), align);
        }
        let (mut align, mut section) = (0, None);
        while self.eat(b',')? {
            match self.token {
                Token::Word("section") => section = Some(self.section_of(Content::Data)?),
                Token::Meta(_) => self.attachment()?,
                Token::Word("comdat") => self.eat_comdat(text.raw, linked == Linkage::Declared)?,
                Token::Word("align") => {
                    self.advance()?;
                    align = self.alignment()?;
                }
                Token::Word(word) => match meaning(word).row.filter(|row| row.at.meet(Places::TAIL)) {
                    Some(row) if row.handling == Handling::Refused => return self.refuse_word(word),
                    Some(_) if word != "personality" => self.advance()?,
                    _ => return self.expected("what is said of a global"),
                },
                _ => return self.expected("what is said of a global"),
            }
        }
        if let Token::Hash(_) | Token::String(_) = self.token {
            self.attributes(Places::FUNCTION)?;
        }
        if common
            && (constant || thread || section.is_some() || !image.is_zero() || pending != self.pending.len())
        {
            return self.error_at(
                at,
                "`common` of other data than zeros that all threads may write to is not supported",
            );
        }
        let shape = self.aligned(shape, align);
        let global = self.module.env.globals.next_handle();
        let symbol = if optional || thread { Symbol::Special(global) } else { Symbol::Global(global) };
        if thread && section.is_some() {
            return self.error_at(at, "a section of thread-local data is not supported");
        }
        // Passes go by names of data that are addresses, and these are none.
        let kept = thread && linked == Linkage::Internal;
        let linked = if kept { Linkage::External } else { linked };
        let name = self.define(text, at, symbol)?;
        let row = Global::new(name, shape, constant, linked, image);
        self.module.env.globals.push(Global {
            section: section.into(),
            optional,
            thread,
            model,
            scope,
            kept,
            common,
            ..row
        });
        Ok(())
    }

    /// `section "name"`, of characters that assemblers take as they are.
    pub(super) fn section(&mut self) -> Parsed<Name> {
        self.advance()?;
        let Token::String(text) = self.token else { return self.expected("a name") };
        if !section::is_plain(text) {
            return self.error(format!("a section that is called {} is not supported", self.found()));
        }
        let name = self.module.env.names.intern(text);
        self.symbols.grow_to(self.module.env.names.len(), Symbol::None);
        self.advance()?;
        Ok(name)
    }

    /// `section "name"`, of a function or datum.
    pub(super) fn section_of(&mut self, content: Content) -> Parsed<Name> {
        let at = self.start;
        let name = self.section()?;
        if let Some(why) = section::refusal(self.module.env.names.text(name), content) {
            return self.error_at(at, why);
        }
        if *self.sections.entry(name).or_insert(content) != content {
            return self.error_at(at, section::BOTH);
        }
        Ok(name)
    }

    /// The type of a global and its initialiser: of one scalar all through, or else as bytes.
    fn memory_and_contents(&mut self, linked: Linkage) -> Parsed<(Shape, Image)> {
        let before = (self.lexer.clone(), self.token, self.start);
        let mut image = Image::default();
        let is_wide = |memory: &Memory| matches!(memory.scalar, Type::I64 | Type::F64);
        let is_empty = |token: Token| matches!(token, Token::Word("zeroinitializer" | "undef" | "poison"));
        let pending = self.pending.len();
        match self.memory() {
            Ok(memory) if linked == Linkage::Declared || !is_wide(&memory) || is_empty(self.token) => {
                let shapes = &mut self.module.env.shapes;
                let bytes = memory.count * u64::from(shapes.bytes_of(memory.scalar));
                let shape = memory.shape.filter(|&shape| shapes.bytes(shape) == bytes);
                let shape = shape.unwrap_or_else(|| shapes.of(memory.scalar, &[memory.count as u32]));
                let read = match linked {
                    Linkage::Declared => Ok(()),
                    _ => self.initialiser(memory, &mut image),
                };
                if read.is_ok() || !std::mem::take(&mut self.met_number) {
                    return read.map(|()| (shape, image));
                }
                // As bytes, too.
                self.pending.truncate(pending);
                image = Image::default();
            }
            _ => {}
        }
        (self.lexer, self.token, self.start) = before;
        let mem = self.memory_type()?;
        let shape = self.bytes_of(mem);
        if linked != Linkage::Declared {
            self.contents(mem, &mut image)?;
        }
        Ok((shape, image))
    }

    /// The shape, with the alignment that was asked for, if it is more than the size gives.
    pub(super) fn aligned(&self, shape: Shape, align: u32) -> Shape {
        let shapes = &self.module.env.shapes;
        if align > shapes.align(shape) { shapes.aligned(shape, align) } else { shape }
    }

    /// A scalar, an array, or a struct of such, all of one scalar type.
    fn memory(&mut self) -> Parsed<Memory> {
        let at = self.start;
        let mut whole: Option<Memory> = None;
        let mut marker = None;
        let mut closes: Vec<bool> = Vec::new();
        loop {
            let packed = self.token == Token::Mark(b'<');
            if packed {
                self.advance()?;
                if self.token != Token::Mark(b'{') {
                    return self.error("vectors are not supported");
                }
            }
            if self.eat(b'{')? {
                closes.push(packed);
                if closes.len() > DEEPEST {
                    return self.error("structs are nested too deeply");
                }
                if self.token != Token::Mark(b'}') {
                    continue;
                }
            } else {
                let shape = self.shape()?;
                let shapes = &self.module.env.shapes;
                let scalar = shapes.scalar_type(shape);
                if scalar == Type::Void {
                    return self.error("memory holds no void");
                }
                if closes.is_empty() {
                    let count = shapes.bytes(shape) / u64::from(shapes.bytes_of(scalar));
                    return Ok(Memory { scalar, count, shape: Some(shape) });
                }
                if shapes.depth(shape) != 0 && shapes.length(shape) == 0 {
                    marker = Some(shapes.element(shape));
                }
                let count = shapes.bytes(shape) / u64::from(shapes.bytes_of(scalar));
                match &mut whole {
                    None => whole = Some(Memory { scalar, count, shape: None }),
                    Some(whole) if whole.scalar == scalar => whole.count += count,
                    Some(_) => return self.error("structs of different scalars are not supported"),
                }
            }
            while !closes.is_empty() && self.eat(b'}')? {
                if closes.pop() == Some(true) {
                    self.expect(b'>')?;
                }
            }
            if closes.is_empty() {
                break;
            }
            self.expect(b',')?;
        }
        let whole = whole.map(|whole| Memory { shape: marker, ..whole });
        match whole {
            Some(whole)
                if whole.count * u64::from(self.module.env.shapes.bytes_of(whole.scalar))
                    <= i32::MAX as u64 =>
            {
                Ok(whole)
            }
            Some(_) => Err(error_at(self.lexer.text, at, "this struct is larger than 2 GiB")),
            None => Err(error_at(self.lexer.text, at, "an empty struct is not supported")),
        }
    }

    /// A constant of type `memory`.
    fn initialiser(&mut self, memory: Memory, image: &mut Image) -> Parsed<()> {
        let mut open: Vec<Open> = Vec::new();
        let mut at = 0u64;
        let mut next = memory;
        loop {
            // A value of type `next` starts here.
            let close: Option<&[u8]> = match self.token {
                Token::Mark(b'[') => Some(b"]"),
                Token::Mark(b'{') => Some(b"}"),
                Token::Mark(b'<') => Some(b"}>"),
                _ => None,
            };
            if let Some(close) = close {
                open.push(Open { at: self.start, close, end: at + next.count });
                self.advance()?;
                if close.len() == 2 {
                    self.expect(b'{')?;
                }
                if self.token != Token::Mark(close[0]) {
                    next = self.memory()?;
                    continue;
                }
            } else {
                self.piece(next, at, memory.scalar, image)?;
                at += next.count;
            }
            while let Some(top) = open.last() {
                if self.token != Token::Mark(top.close[0]) {
                    break;
                }
                if at != top.end {
                    return Err(error_at(
                        self.lexer.text,
                        top.at,
                        "this initialiser has not as many elements as its type",
                    ));
                }
                let close = top.close;
                open.pop();
                for &mark in close {
                    self.expect(mark)?;
                }
            }
            if open.last().is_none_or(|top| at > top.end) {
                break;
            }
            self.expect(b',')?;
            next = self.memory()?;
        }
        match open.last() {
            Some(top) => {
                Err(error_at(self.lexer.text, top.at, "this initialiser has more elements than its type"))
            }
            None => Ok(()),
        }
    }

    /// A value that is not in brackets, of `next.count` scalars from position `at`.
    fn piece(&mut self, next: Memory, at: u64, scalar: Type, image: &mut Image) -> Parsed<()> {
        if next.scalar != scalar {
            return self.error(format!("this is {}, not {}", next.scalar.name(), scalar.name()));
        }
        let mut push = |at: u64, word: u32| {
            if word != 0 {
                image.push(at as u32, word);
            }
        };
        match self.token {
            Token::Word("zeroinitializer" | "undef" | "poison") => {}
            Token::Word("null") if scalar == Type::Ptr && next.count == 1 => {}
            Token::Bytes(raw) if scalar == Type::I8 => {
                let bytes = unescape(raw);
                if bytes.len() as u64 != next.count {
                    return self.error(format!("{} bytes for {} elements", bytes.len(), next.count));
                }
                for (k, &byte) in bytes.iter().enumerate() {
                    push(at + k as u64, u32::from(byte));
                }
            }
            _ if next.count != 1 => return self.expected("an initialiser"),
            _ if scalar == Type::Ptr || scalar.is_int() && self.is_expression() => {
                let start = self.start;
                let x = self.constant_of(scalar)?;
                match x.base {
                    Some(_) if self.may_hold(scalar, &x) => self.note_address(at as u32, x),
                    Some(_) => {
                        return self.error_at(start, "a part of an address as a constant is not supported");
                    }
                    None if scalar == Type::Ptr && x.offset != 0 => {
                        self.met_number = true;
                        return self.error_at(start, "an address of more than 32 bits");
                    }
                    None => push(at, x.offset as u32 & (u32::MAX >> (32 - 8 * scalar.bytes().min(4)))),
                }
                return Ok(());
            }
            _ => {
                let number = self.literal(scalar)?;
                let word = match scalar {
                    Type::I1 | Type::I8 => number.bits as u32 & 0xff,
                    Type::I16 => number.bits as u32 & 0xffff,
                    Type::I32 | Type::F32 => number.bits as u32,
                    _ if number.bits == 0 => 0,
                    _ => return self.error(format!("contents of type {} are not supported", scalar.name())),
                };
                push(at, word);
            }
        }
        self.advance()
    }
}
