//! A function's body: blocks, names, forward references, phis.
//!
//! A reference to a value that comes later is an undef operand until the end, and then set (`resolve`). Blocks are made
//! when they are first named and take their place in the order when their label comes.

use super::builder::{Builder, Local, Phi, ReadPhi, UNPLACED, number_in, number_of};
use super::keywords::kind_of;
use super::lexer::{Text, Token};
use super::metadata::Bearer;
use super::{Definition, ParseError, Parsed, Parser, error_at};
use crate::base::{Handle, Opt};
use crate::ir::{Access, Block, Body, Inst, Op, Place, Type, Value};

/// Bytes of an instruction in text of compilers, labels and comments among them.
const USUAL: usize = 40;

impl<'a> Parser<'a> {
    /// Reads the body of a definition, for `Builder::finish`.
    pub(super) fn body(&mut self, definition: &Definition<'a>) -> Parsed<Builder> {
        let func = definition.func;
        let rows = (definition.end - definition.start) / USUAL;
        self.lexer.at = definition.start;
        self.begin_blocks(self.module.env.funcs[func].name);
        let f = Body::new(func, &self.module.env.funcs[func]);
        let most_numbers = (definition.end - definition.header) as u64 / 3 + 16;
        let mut b = Builder::new(f, rows, definition.header as u32, most_numbers);
        b.f.names = self.names.then(Box::default);
        b.f.reserve(rows);
        let mut compounds = definition.compounds.iter().peekable();
        // The entry is there before its label is: parameters that were extended are cut down in it.
        let entry = b.f.create_block();
        b.labels.push(UNPLACED);
        b.origin.push(entry);
        for (k, (i, text)) in b.f.params().zip(&definition.params).enumerate() {
            if let Some(compound) = compounds.next_if(|compound| compound.range().end <= k + 1) {
                self.bind_parameter(&mut b, compound)?;
                continue;
            }
            if compounds.peek().is_some_and(|compound| compound.range().start <= k) {
                continue;
            }
            if let Some(text) = *text {
                self.rising(&mut b, text, definition.header)?;
            }
            let mut v = Value::inst(i);
            v = self.received(&mut b, self.extended(func, k + 1), v)?;
            self.bind(&mut b, *text, v)?;
        }
        self.advance()?;
        if self.token == Token::Mark(b'}') {
            return self.expected("a block");
        }
        let mut last: Option<Block> = None;
        while self.token != Token::Mark(b'}') {
            if let Token::Word("uselistorder" | "uselistorder_bb") = self.token {
                self.skip_use_list()?;
                continue;
            }
            let at = self.start;
            let label = match self.token {
                Token::Label(text) => {
                    self.advance()?;
                    Some(text)
                }
                _ => None,
            };
            let before = b.number;
            let name = self.local_name(&mut b, label)?;
            if number_in(name).is_some_and(|number| number < before) {
                return self.late(&b, name, at);
            }
            if last.is_none() {
                b.set_block(name, entry);
            }
            let block = self.block_named(&mut b, name);
            if b.labels[block] != UNPLACED {
                return Err(error_at(self.lexer.text, at, "a second block of this name"));
            }
            b.labels[block] = at as u32;
            if let Some(last) = last {
                b.f.move_block_after(block, last);
            }
            b.block = block;
            self.block(&mut b)?;
            last = Some(b.block);
        }
        self.end_blocks(&mut b)?;
        self.resolve(&mut b)?;
        if !b.records.is_empty() {
            self.keep_records(&mut b);
        }
        self.make_pads(&mut b)?;
        Ok(b)
    }

    /// The handle of a name.
    fn local(&self, b: &mut Builder, text: Text<'a>) -> Parsed<Local> {
        Ok(if text.quoted { b.named(&self.name_text(text)?) } else { b.local_of(text.raw) })
    }

    /// The text's name, or the next number.
    pub(super) fn local_name(&self, b: &mut Builder, text: Option<Text<'a>>) -> Parsed<Local> {
        let Some(text) = text else {
            let number = b.number;
            b.number = number.saturating_add(1);
            return Ok(b.numbered(number).unwrap_or_else(|| b.named(&number.to_string())));
        };
        if !text.quoted
            && let Some(number) = number_of(text.raw)
        {
            b.number = number.saturating_add(1);
        }
        self.local(b, text)
    }

    /// That a number is below one before it.
    #[cold]
    fn late<T>(&self, b: &Builder, name: Local, at: usize) -> Parsed<T> {
        self.error_at(at, format!("`%{}` comes too late: numbers rise", b.name_of(name)))
    }

    /// That a name that is defined is no number, or one above those before.
    fn rising(&self, b: &mut Builder, text: Text<'a>, at: usize) -> Parsed<()> {
        let Some(number) = number_of(text.raw).filter(|_| !text.quoted) else { return Ok(()) };
        if number < b.number.max(b.least) {
            let local = self.local(b, text)?;
            if !b.is_taken(local) {
                return self.late(b, local, at);
            }
        }
        b.least = number.saturating_add(1);
        Ok(())
    }

    /// The name that is the token, which is read.
    pub(super) fn local_operand(&mut self, b: &mut Builder, text: Text<'a>) -> Parsed<Local> {
        let local = self.local(b, text)?;
        self.advance()?;
        Ok(local)
    }

    /// Gives a local name its value.
    pub(super) fn bind(&self, b: &mut Builder, text: Option<Text<'a>>, v: Value) -> Parsed<()> {
        let name = self.local_name(b, text)?;
        if let Some(made) = b.made.take() {
            return self.bind_parts(b, name, made);
        }
        if b.is_taken(name) {
            let message = format!("`%{}` is defined twice", b.name_of(name));
            return Err(error_at(self.lexer.text, b.at as usize, message));
        }
        b.define(name, v);
        Ok(())
    }

    pub(super) fn block_named(&self, b: &mut Builder, name: Local) -> Block {
        b.blocks.grow_to(name.index() + 1, Opt::NONE);
        if let Some(block) = b.blocks[name].get() {
            return block;
        }
        let block = b.f.create_block();
        b.labels.push(UNPLACED);
        b.origin.push(block);
        b.set_block(name, block);
        block
    }

    /// A block's name where it is an operand.
    pub(super) fn block_operand(&mut self, b: &mut Builder) -> Parsed<Block> {
        let Token::Local(text) = self.token else { return self.expected("the name of a block") };
        let name = self.local_operand(b, text)?;
        Ok(self.block_named(b, name))
    }

    /// `label %b`.
    pub(super) fn label(&mut self, b: &mut Builder) -> Parsed<Block> {
        self.expect_word("label")?;
        self.block_operand(b)
    }

    /// The instructions of one block, to its terminator.
    fn block(&mut self, b: &mut Builder) -> Parsed<()> {
        let mut phis: Vec<ReadPhi<'a>> = Vec::new();
        self.phi_lines(b, &mut phis)?;
        loop {
            if !phis.is_empty() && !self.may_be_phi() {
                self.make_phis(b, &mut phis)?;
            }
            if phis.is_empty() && self.lines(b)? {
                return Ok(());
            }
            if let Token::Hash(_) = self.token {
                // A debug record.
                if self.keeps_debug_records {
                    b.records.push((b.block, self.start as u32));
                }
                self.advance()?;
                self.skip_balanced()?;
                continue;
            }
            let at = self.start as u32;
            b.at = at;
            let result = match self.token {
                Token::Local(text) => {
                    self.advance()?;
                    self.expect(b'=')?;
                    self.rising(b, text, at as usize)?;
                    Some(text)
                }
                _ => None,
            };
            if self.token == Token::Word("phi") {
                if b.f.last(b.block).is_some_and(|last| b.f.op(last) != Op::Phi) {
                    return self.error("phis stand at the head of their block");
                }
                self.advance()?;
                let flags = self.float_flags()?;
                if self.at_compound() {
                    self.compound_phi(b, (result, flags), &mut phis)?;
                    continue;
                }
                self.takes_small = true;
                let (ty, first) = (self.ty()?, b.incoming.len());
                self.takes_small = false;
                self.floats_only(flags, if self.small { Type::F32 } else { ty })?;
                loop {
                    self.expect(b'[')?;
                    let value = self.operand(b, ty)?;
                    self.expect(b',')?;
                    let from = self.block_operand(b)?;
                    self.expect(b']')?;
                    b.incoming.push((value, from));
                    if self.token != Token::Mark(b',') || !self.comma_before_bracket() {
                        break;
                    }
                    self.advance()?;
                }
                self.metadata_behind()?;
                let count = b.incoming.len() - first;
                phis.push((result, ty, Phi { inst: Inst::new(0), first, count, at, part: None }));
                continue;
            }
            match self.token {
                Token::Word("musttail") => return self.must_tail(b, result),
                Token::Word("invoke") => return self.invoke(b, result),
                Token::Word("landingpad") => {
                    self.landing_pad(b, result)?;
                    continue;
                }
                _ => {}
            }
            if self.instruction(b, result)? {
                return Ok(());
            }
        }
    }

    /// True if the token begins a phi, or says nothing of what follows.
    fn may_be_phi(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let mut next = || ahead.next().map(|(token, _)| token);
        match self.token {
            Token::Local(_) => {
                matches!((next(), next()), (Ok(Token::Mark(b'=')), Ok(Token::Word("phi"))))
            }
            token => matches!(token, Token::Hash(_) | Token::Word("phi")),
        }
    }

    /// Makes phis in one go, last first, because each is put at the head.
    fn make_phis(&mut self, b: &mut Builder, phis: &mut Vec<ReadPhi<'a>>) -> Parsed<()> {
        for (_, ty, phi) in phis.iter_mut().rev() {
            phi.inst = b.f.insert_phi(b.block, *ty, Place::at(phi.at));
        }
        for (text, _, phi) in phis.drain(..) {
            b.at = phi.at;
            match phi.part {
                Some(part) => self.bind_phi(b, part, phi.inst)?,
                None => self.bind(b, text, Value::inst(phi.inst))?,
            }
            b.phis.push(phi);
        }
        Ok(())
    }

    /// True if what follows the comma is `[`.
    pub(super) fn comma_before_bracket(&self) -> bool {
        let mut ahead = self.lexer.clone();
        matches!(ahead.next(), Ok((Token::Mark(b'['), _)))
    }

    /// What may stand behind an access to memory: alignment, and metadata.
    pub(super) fn trailer(&mut self) -> Parsed<Access> {
        self.trailer_of(Bearer::MEMORY)
    }

    /// What may stand behind an instruction that is no access to memory.
    pub(super) fn metadata_behind(&mut self) -> Parsed<()> {
        self.trailer_of(Bearer::OTHER).map(|_| ())
    }

    /// The same behind a load, a call or a conversion, of which metadata say something.
    pub(super) fn trailer_of(&mut self, bearer: Bearer) -> Parsed<Access> {
        let mut access = Access::PLAIN;
        while self.eat(b',')? {
            match self.token {
                Token::Meta(kind) => {
                    self.advance()?;
                    self.attached()?;
                    if let Some(row) = kind_of(kind) {
                        self.check_node(row, bearer)?;
                    }
                    self.skip_meta()?;
                }
                Token::Word("align") if access.align != 0 => {
                    return self.error("a second alignment is not supported");
                }
                Token::Word("align") if bearer.has_align => {
                    self.advance()?;
                    access.align = self.alignment()?;
                }
                _ if bearer.has_align => return self.expected("alignment or metadata"),
                _ => return self.expected("metadata"),
            }
        }
        Ok(access)
    }
}

/// That a value is no struct or array of the type that is said of it.
pub(super) fn other_type(text: &str, at: usize, b: &Builder, name: Local) -> Box<ParseError> {
    error_at(text, at, format!("`%{}` is of another type", b.name_of(name)))
}
