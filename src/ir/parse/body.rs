//! A function's body: blocks, names, forward references, phis.
//!
//! A reference to a value that comes later is an undef operand until the end, and then set (`resolve`). Blocks are made
//! when they are first named and take their place in the order when their label comes.

use super::aggregate::Made;
use super::keywords::kind_of;
use super::layout::Mem;
use super::lexer::{Text, Token};
use super::line::Step;
use super::metadata::Bearer;
use super::wide::Wide;
use super::{Definition, ParseError, Parsed, Parser, error_at};
use crate::base::{Column, Handle, Interner, Name, Opt};
use crate::ir::rows::Head;
use crate::ir::{Access, At, Block, Body, GlobalId, Inst, Op, Place, Type, Value};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A value that may still have to be defined.
#[derive(Copy, Clone, Debug)]
pub(super) enum Operand {
    Value(Value),
    Later { name: Local, ty: Type, at: u32 },
}

crate::handle! {
    /// A name in a body: of a number, which most are, twice that; of a text, one more than twice its place in
    /// `Builder::names`. So numbers need no table of texts.
    pub(super) struct Local("l");
}

/// An operand that was not defined when it was read.
pub(super) struct Pending {
    pub(super) user: Inst,
    pub(super) operand: u32,
    pub(super) name: Local,
    pub(super) ty: Type,
    pub(super) at: u32,
}

/// A phi's operands: `count` rows of `Builder::incoming` from `first`.
pub(super) struct Phi {
    pub(super) inst: Inst,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) at: u32,
    /// It is a part of what is called so.
    pub(super) part: Option<Local>,
}

/// What a phi that is not made yet is called, and its type.
pub(super) type ReadPhi<'a> = (Option<Text<'a>>, Type, Phi);

/// What reading a body needs.
pub(super) struct Builder {
    pub(super) f: Body,
    names: Interner,
    locals: Column<Local, Option<Value>>,
    pub(super) blocks: Column<Local, Opt<Block>>,
    /// Per block: where its label stands; `UNPLACED` until it comes.
    pub(super) labels: Column<Block, u32>,
    /// Per block: the block of the text that it stands for; differs in the trees that switches become.
    pub(super) origin: Column<Block, Block>,
    pub(super) pending: Vec<Pending>,
    pub(super) phis: Vec<Phi>,
    /// Value and block of phi operands.
    pub(super) incoming: Vec<(Operand, Block)>,
    /// The block that is being read.
    pub(super) block: Block,
    /// Where the instruction that is being read stands.
    pub(super) at: u32,
    /// The last vector that was a constant of the text.
    pub(super) last_vector: Option<Inst>,
    /// From where to where a switch would go if its cases were not all numbers of the type.
    pub(super) never: BTreeSet<(Block, Block)>,
    /// From switches of the text to where they go: how often each names that.
    pub(super) fans: BTreeMap<(Block, Block), u32>,
    /// Values of types that the tables lack.
    pub(super) wides: BTreeMap<Local, Wide>,
    /// What the instruction that is being read has made, if that has parts.
    pub(super) made: Option<Made>,
    /// There are values of several parts.
    pub(super) has_several: bool,
    /// The types of structs and arrays that are values.
    pub(super) aggregates: BTreeMap<Local, Mem>,
    /// Such values that were not defined when they were read: what they have to be, and where.
    pub(super) awaited: Vec<(Local, Mem, u32)>,
    /// Instructions that stand for a value of before (`copies`), in order.
    pub(super) copies: Vec<Inst>,
    /// Comparisons that say whether an exchange was one: those that nothing asks for go.
    pub(super) flags: Vec<Inst>,
    /// The steps of a constant address, outermost first.
    pub(super) steps: Vec<Step>,
    /// Addresses that the function's beginning has made, of what need not be there.
    pub(super) special: BTreeMap<GlobalId, Inst>,
    /// The last of them.
    pub(super) last_special: Option<Inst>,
    /// Memory that nothing else reads, once something has needed it (`vector_call`).
    pub(super) aside: Option<Value>,
    /// Where debug records stand, and in which block, if they are to be kept.
    pub(super) records: Vec<(Block, u32)>,
    /// The null pointer, once something has needed it.
    pub(super) null: Option<Value>,
    /// The number that the next thing without a name gets.
    number: u64,
    /// Numbers that stand in the text rise: those of phis, which get their names together, are this one or above.
    least: u64,
    /// Names of numbers from here on are texts: each below has a row, and no text has so many things without names.
    most_numbers: u64,
}

pub(super) const UNPLACED: u32 = u32::MAX;

/// Bytes of an instruction in text of compilers, labels and comments among them.
const USUAL: usize = 40;

/// Operands that are put together without an allocation; nearly all instructions have no more.
const FEW: usize = 4;

/// The number that a name is; a thing without a name has such a one.
fn number_of(raw: &str) -> Option<u64> {
    let is_number = raw.len() < 10 && (raw == "0" || !raw.starts_with('0'));
    is_number.then_some(raw.as_bytes())?.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(10 * number + u64::from(digit))
    })
}

/// The number that a handle stands for, if it is no text's.
fn number_in(local: Local) -> Option<u64> {
    local.index().is_multiple_of(2).then_some(local.index() as u64 / 2)
}

impl Builder {
    /// Appends an instruction.
    pub(super) fn insert(&mut self, op: Op, ty: Type, args: &[Operand], payload: u32) -> Inst {
        let (at, place) = (At::End(self.block), self.place());
        let mut few = [Value::undef(Type::Void); FEW];
        let i = if args.len() <= FEW {
            few.iter_mut().zip(args).for_each(|(value, arg)| *value = arg.now());
            self.f.insert(at, op, ty, &few[..args.len()], payload, place)
        } else {
            let values: Vec<Value> = args.iter().map(|arg| arg.now()).collect();
            self.f.insert(at, op, ty, &values, payload, place)
        };
        self.wait(i, args);
        i
    }

    /// The same of an instruction without vectors, with so many operands.
    #[inline(always)]
    pub(super) fn append<const N: usize>(
        &mut self,
        op: Op,
        ty: Type,
        args: [Operand; N],
        payload: u32,
    ) -> Inst {
        let i =
            self.f.append_row(self.block, Head::new(op, ty, payload), &args.map(Operand::now), self.place());
        self.wait(i, &args);
        i
    }

    /// The handle of a number, if it is not too large.
    #[inline(always)]
    pub(super) fn numbered(&self, number: u64) -> Option<Local> {
        (number < self.most_numbers).then(|| Local::new(2 * number as usize))
    }

    /// The handle of a name that is not quoted.
    #[inline(always)]
    pub(super) fn local_of(&mut self, raw: &str) -> Local {
        match number_of(raw).and_then(|number| self.numbered(number)) {
            Some(local) => local,
            None => self.named(raw),
        }
    }

    /// The handle of a text.
    pub(super) fn named(&mut self, text: &str) -> Local {
        Local::new(2 * self.names.intern(text).index() + 1)
    }

    /// The handle of a name that is not quoted, if it has been named.
    pub(super) fn find_local(&self, raw: &str) -> Option<Local> {
        match number_of(raw).and_then(|number| self.numbered(number)) {
            Some(local) => Some(local),
            None => Some(Local::new(2 * self.names.find(raw)?.index() + 1)),
        }
    }

    /// What a local is called, for messages and dumps.
    pub(super) fn name_of(&self, local: Local) -> String {
        match number_in(local) {
            Some(number) => number.to_string(),
            None => self.names.text(Name::new(local.index() / 2)).to_string(),
        }
    }

    /// What a value is called in the text.
    pub(super) fn name_of_value(&self, v: Value) -> Option<String> {
        let (local, _) = self.locals.iter().find(|row| *row.1 == Some(v))?;
        let name = self.name_of(local);
        Some(name.split('\0').next().unwrap_or_default().to_string())
    }

    /// The value of a local, once it has one.
    #[inline(always)]
    pub(super) fn local_value(&self, local: Local) -> Option<Value> {
        self.locals.get(local).copied().flatten()
    }

    /// Notes that the switch that is being read names a block.
    pub(super) fn fan(&mut self, to: Block) {
        *self.fans.entry((self.origin[self.block], to)).or_insert(0) += 1;
    }

    /// True if a name has no value, and may come now: a number is above all that have one.
    #[inline(always)]
    pub(super) fn is_next(&self, local: Local) -> bool {
        match number_in(local) {
            Some(number) => number >= self.number,
            None => !self.is_taken(local),
        }
    }

    /// True if a phi's name is no number, or one above those of the phis before.
    pub(super) fn rises(&self, local: Local) -> bool {
        number_in(local).is_none_or(|number| number >= self.least)
    }

    /// Notes that a phi has a name.
    pub(super) fn note(&mut self, local: Local) {
        if let Some(number) = number_in(local) {
            self.least = number + 1;
        }
    }

    /// True if a name has a value, of one part or several.
    #[inline(always)]
    pub(super) fn is_taken(&self, local: Local) -> bool {
        let has = |local: Local| self.wides.contains_key(&local) || self.aggregates.contains_key(&local);
        self.local_value(local).is_some() || self.has_several && has(local)
    }

    /// Gives a local its value; false if it has one.
    pub(super) fn set_local(&mut self, local: Local, v: Value) -> bool {
        let is_new = self.local_value(local).is_none();
        self.locals.grow_to(local.index() + 1, None);
        self.locals[local] = Some(v);
        is_new
    }

    /// The same of a name that has none; of a number the next one is to follow.
    #[inline(always)]
    pub(super) fn define(&mut self, local: Local, v: Value) {
        self.locals.grow_to(local.index() + 1, None);
        self.locals[local] = Some(v);
        if let Some(number) = number_in(local) {
            self.number = number + 1;
        }
        if self.f.names.is_some()
            && let Some(i) = v.as_inst()
        {
            let name = self.name_of(local);
            _ = self.f.names.as_mut().map(|names| names.read(i, &name));
        }
    }

    /// Says which block a local is.
    fn set_block(&mut self, local: Local, block: Block) {
        self.blocks.grow_to(local.index() + 1, Opt::NONE);
        self.blocks[local] = Opt::some(block);
        if self.f.names.is_some() {
            let name = self.name_of(local);
            _ = self.f.names.as_mut().map(|names| names.read_block(block, &name));
        }
    }

    /// Appends an instruction on values; its result.
    pub(super) fn make(&mut self, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        Value::inst(self.f.insert(At::End(self.block), op, ty, args, payload, self.place()))
    }

    /// Appends an operation with a number.
    pub(super) fn by(&mut self, op: Op, ty: Type, a: Value, x: i64) -> Value {
        let x = self.f.int_of(ty, x);
        self.make(op, ty, &[a, x], 0)
    }

    /// An integer as another type of integers: cut down, or extended by this opcode.
    pub(super) fn resized(&mut self, v: Operand, from: Type, to: Type, extend: Op) -> Operand {
        let op = match from.int_bits().cmp(&to.int_bits()) {
            Ordering::Equal => return v,
            Ordering::Less => extend,
            Ordering::Greater => Op::Trunc,
        };
        Operand::Value(Value::inst(self.insert(op, to, &[v], 0)))
    }

    /// Of what is made now.
    pub(super) fn place(&self) -> Place {
        Place::at(self.at)
    }

    /// Notes the operands of `i` that are still to come.
    #[inline(always)]
    pub(super) fn wait(&mut self, i: Inst, args: &[Operand]) {
        for (k, &arg) in args.iter().enumerate() {
            if let Operand::Later { name, ty, at } = arg {
                self.pending.push(Pending { user: i, operand: k as u32, name, ty, at });
            }
        }
    }

    /// True for a mask that is true in every lane. If it is a constant of the text, nothing else has it,
    /// and it goes.
    pub(super) fn is_all_true(&mut self, mask: Operand) -> bool {
        let Some(i) = mask.now().as_inst().filter(|&i| self.f.op(i) == Op::Splat) else { return false };
        let all = self.f.arg(i, 0) == Value::bool(true);
        if all && self.last_vector == Some(i) {
            self.f.remove(i);
        }
        all
    }

    /// True if there is a block of this name.
    pub(super) fn is_placed(&self, name: Local) -> bool {
        let block = self.blocks.get(name).and_then(|block| block.get());
        block.is_some_and(|block| self.labels[block] != UNPLACED)
    }

    /// A block that is not in the text.
    pub(super) fn extra_block(&mut self) -> Block {
        let b = self.f.create_block_after(self.block);
        self.labels.push(0);
        self.origin.push(self.origin[self.block]);
        b
    }
}

impl Operand {
    /// True if both are written alike: the operands of a phi for parallel edges have to be.
    pub(super) fn same(self, other: Operand) -> bool {
        match (self, other) {
            (Operand::Value(a), Operand::Value(b)) => a == b,
            (Operand::Later { name: a, .. }, Operand::Later { name: b, .. }) => a == b,
            _ => false,
        }
    }

    /// What stands for it until the end.
    #[inline(always)]
    pub(super) fn now(self) -> Value {
        match self {
            Operand::Value(v) => v,
            Operand::Later { ty, .. } => Value::undef(ty),
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads the body of a definition, for `Builder::finish`.
    pub(super) fn body(&mut self, definition: &Definition<'a>) -> Parsed<Builder> {
        let func = definition.func;
        let rows = (definition.end - definition.start) / USUAL;
        self.lexer.at = definition.start;
        self.begin_blocks(self.module.env.funcs[func].name);
        let mut b = Builder {
            f: Body::new(func, &self.module.env.funcs[func]),
            names: Interner::default(),
            locals: Column::with_capacity(2 * rows),
            blocks: Column::with_capacity(2 * rows),
            labels: Column::new(),
            origin: Column::new(),
            pending: Vec::new(),
            phis: Vec::new(),
            incoming: Vec::new(),
            block: Block::new(0),
            at: definition.header as u32,
            last_vector: None,
            never: BTreeSet::new(),
            fans: BTreeMap::new(),
            wides: BTreeMap::new(),
            made: None,
            has_several: false,
            aggregates: BTreeMap::new(),
            awaited: Vec::new(),
            copies: Vec::new(),
            flags: Vec::new(),
            steps: Vec::new(),
            special: BTreeMap::new(),
            last_special: None,
            aside: None,
            records: Vec::new(),
            null: None,
            number: 0,
            least: 0,
            most_numbers: (definition.end - definition.header) as u64 / 3 + 16,
        };
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
            if let Some((_, ty)) = self.extended(func, k + 1) {
                v = Value::inst(b.insert(Op::Trunc, ty, &[Operand::Value(v)], 0));
            }
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
                if self.tells {
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
                let (ty, first) = (self.ty()?, b.incoming.len());
                self.floats_only(flags, ty)?;
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
            if self.token == Token::Word("musttail") {
                return self.must_tail(b, result);
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
