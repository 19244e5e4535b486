//! Constant expressions: an address and a distance, or a number. In the contents of globals addresses become
//! `Image::addresses` once all names are known; among operands they become instructions at the head of the entry
//! block. O(text); what is in brackets is read by calls of itself, `DEEPEST` at most.

use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::lexer::{Text, Token};
use super::{Parsed, Parser, Symbol, error_at};
use crate::base::Handle;
use crate::ir::fold::Number;
use crate::ir::module::Address;
use crate::ir::{At, GlobalId, Op, Shape, Type, Value};

/// Brackets in brackets; compilers write three or four.
const DEEPEST: u32 = 32;

/// A constant: so many bytes behind a global or function, or a number.
#[derive(Copy, Clone, Debug)]
pub(super) struct Linear<'a> {
    /// What it is behind.
    pub(super) base: Option<Text<'a>>,
    /// What is taken from it.
    pub(super) less: Option<Text<'a>>,
    /// True if these are the low bits of an address, or a difference.
    pub(super) is_cut: bool,
    /// Where that is named.
    at: usize,
    pub(super) offset: i64,
}

/// An address in the contents of a global that is read before all names are known.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    global: GlobalId,
    place: u32,
    to: Linear<'a>,
}

/// True for the words that such expressions begin with.
pub(super) fn begins(word: &str) -> bool {
    matches!(
        word,
        "getelementptr"
            | "ptrtoint"
            | "inttoptr"
            | "bitcast"
            | "add"
            | "sub"
            | "trunc"
            | "zext"
            | "sext"
            | "blockaddress"
            | "xor"
            | "mul"
            | "addrspacecast"
    )
}

impl<'a> Parser<'a> {
    /// Reads a constant of a type, whose name has been read.
    pub(super) fn constant_of(&mut self, ty: Type) -> Parsed<Linear<'a>> {
        self.nested_constant(ty, 0)
    }

    fn nested_constant(&mut self, ty: Type, depth: u32) -> Parsed<Linear<'a>> {
        let at = self.start;
        if depth > DEEPEST {
            return self.error("this constant is nested too deeply");
        }
        let number = |offset: i64| Linear { base: None, less: None, is_cut: false, at, offset };
        match self.token {
            Token::Global(text) if ty == Type::Ptr => {
                self.advance()?;
                Ok(Linear { base: Some(text), ..number(0) })
            }
            Token::Word(word @ ("null" | "zeroinitializer" | "undef" | "poison"))
                if word != "null" || ty == Type::Ptr =>
            {
                self.advance()?;
                Ok(number(0))
            }
            Token::Word("blockaddress") if ty == Type::Ptr => Ok(number(self.block_address()?)),
            Token::Word("getelementptr") if ty == Type::Ptr => {
                self.advance()?;
                self.constant_step(depth)
            }
            Token::Word(word @ ("ptrtoint" | "inttoptr" | "bitcast" | "trunc" | "zext" | "sext")) => {
                self.advance()?;
                self.expect(b'(')?;
                let from = self.ty()?;
                let x = self.nested_constant(from, depth + 1)?;
                self.expect_word("to")?;
                let to = self.ty()?;
                self.expect(b')')?;
                let is_so = match word {
                    "ptrtoint" => from == Type::Ptr && to.is_int(),
                    "inttoptr" => from.is_int() && to == Type::Ptr,
                    "bitcast" => {
                        let shapes = &self.module.env.shapes;
                        shapes.bytes_of(from) == shapes.bytes_of(to)
                            && (from == Type::Ptr) == (to == Type::Ptr)
                    }
                    "trunc" => from.is_int() && to.is_int() && from.int_bits() > to.int_bits(),
                    _ => from.is_int() && to.is_int() && from.int_bits() < to.int_bits(),
                };
                if !is_so {
                    return self.error_at(at, format!("{word} from {} to {}", from.name(), to.name()));
                }
                let keeps = matches!(word, "ptrtoint" | "inttoptr" | "bitcast");
                let narrows = to.is_int() && to.bytes() < self.module.env.shapes.bytes_of(Type::Ptr);
                let cuts = narrows && matches!(word, "ptrtoint" | "trunc");
                if x.base.is_some() && !cuts && (x.is_cut || !keeps) {
                    return self.error_at(at, format!("`{word}` of a part of an address is not supported"));
                }
                let value = match word {
                    "zext" => Number::int(from, x.offset).unsigned() as i64,
                    _ if to.is_int() => Number::int(to, x.offset).signed(),
                    _ => x.offset,
                };
                Ok(match x.base {
                    Some(_) if cuts => Linear { is_cut: true, ..x },
                    _ => Linear { offset: value, ..x },
                })
            }
            Token::Word(word @ ("add" | "sub")) => {
                self.advance()?;
                self.flags(Places::WRAPS)?;
                self.expect(b'(')?;
                let of = self.ty()?;
                let a = self.nested_constant(of, depth + 1)?;
                self.expect(b',')?;
                if self.ty()? != of {
                    return self.error_at(at, "both sides of this constant are of one type");
                }
                let b = self.nested_constant(of, depth + 1)?;
                self.expect(b')')?;
                let is_same = |a: Text, b: Text| a.bytes() == b.bytes();
                let (base, less) = match (word, a.base, b.base) {
                    (_, base, None) => (base, a.less),
                    ("add", None, base) => (base, b.less),
                    ("sub", Some(_), Some(_)) if b.less.is_some() || a.less.is_some() => {
                        return self.error_at(at, "this constant of three addresses is not supported");
                    }
                    ("sub", Some(a), Some(b)) if is_same(a, b) => (None, None),
                    ("sub", Some(a), Some(b)) => (Some(a), Some(b)),
                    _ => return self.error_at(at, "this constant of two addresses is not supported"),
                };
                let offset = match word {
                    "add" => a.offset.wrapping_add(b.offset),
                    _ => a.offset.wrapping_sub(b.offset),
                };
                let offset = if base.is_none() { Number::int(of, offset).signed() } else { offset };
                let is_cut = base.is_some() && (a.is_cut || b.is_cut);
                Ok(Linear { base, less, is_cut, at: if a.base.is_some() { a.at } else { b.at }, offset })
            }
            Token::Word(word) if begins(word) || matches!(word, "dso_local_equivalent" | "no_cfi") => {
                self.error(format!("{} as a constant expression is not supported", self.found()))
            }
            _ => {
                let x = self.literal(ty)?;
                self.advance()?;
                Ok(number(x.signed()))
            }
        }
    }

    /// `inbounds ([4 x i32], ptr @a, i64 0, i64 1)`.
    fn constant_step(&mut self, depth: u32) -> Parsed<Linear<'a>> {
        let (mut mem, _) = self.stepped(b"(")?;
        self.expect(b',')?;
        if self.ty()? != Type::Ptr {
            return self.error("an address must be a ptr");
        }
        let mut address = self.nested_constant(Type::Ptr, depth + 1)?;
        for k in 0.. {
            if !self.eat(b',')? {
                break;
            }
            self.eat_word("inrange")?;
            let ty = self.ty()?;
            let index = self.nested_constant(ty, depth + 1)?;
            if index.base.is_some() {
                return self.error("an address as a subscript is not supported");
            }
            let (part, bytes) = self.known_step(mem, k, (ty, index.offset), index.at)?;
            (mem, address.offset) = (part, address.offset.wrapping_add(bytes));
        }
        self.expect(b')')?;
        Ok(address)
    }

    /// The global that a name in a constant stands for: of a function its address.
    pub(super) fn address_of(&mut self, text: Text<'a>, at: usize) -> Parsed<GlobalId> {
        match self.symbol(text)? {
            Symbol::Global(global) | Symbol::Special(global) => Ok(global),
            Symbol::Func(func) => Ok(self.module.env.address_of(func)),
            Symbol::Place(_) => self.error_at(at, "an alias of a place in data is not supported here"),
            Symbol::Alias(_) => self.error_at(at, "a weak alias of data as an operand is not supported"),
            Symbol::None => {
                let name = self.name_text(text)?;
                self.error_at(at, format!("`@{name}` is not defined"))
            }
        }
    }

    /// Notes that the global that is being read has this address among its contents.
    pub(super) fn note_address(&mut self, place: u32, to: Linear<'a>) {
        let global = self.module.env.globals.next_handle();
        self.pending.push(Pending { global, place, to });
    }

    /// True if data of this type can have such an address among them, or such a difference: of as many bytes as pointers
    /// have, or a difference of four.
    pub(super) fn may_hold(&self, ty: Type, x: &Linear) -> bool {
        let bytes = self.module.env.shapes.bytes_of(ty);
        let pointer = self.module.env.shapes.bytes_of(Type::Ptr);
        if x.less.is_some() {
            ty == Type::I32 && x.is_cut || ty.is_int() && bytes == pointer && !x.is_cut
        } else {
            bytes == pointer && !x.is_cut
        }
    }

    /// Puts the addresses into the contents, when all names are known.
    pub(super) fn settle_addresses(&mut self) -> Parsed<()> {
        for Pending { global, place, to } in std::mem::take(&mut self.pending) {
            if let Some(base) = to.base {
                if let Some(less) = to.less
                    && self.symbol(less)? != Symbol::Global(global)
                {
                    let message = "the difference of two addresses is supported from the start of the data that have it";
                    return self.error_at(to.at, message);
                }
                let pointer = self.module.env.shapes.bytes_of(Type::Ptr);
                let bytes = if to.is_cut { 4 } else { pointer as u8 };
                let (from_start, offset) = (to.less.map(|_| bytes), to.offset);
                if let Symbol::Special(of) = self.symbol(base)?
                    && self.module.env.globals[of].thread
                {
                    return self.error_at(to.at, "the address of thread-local data in data is not supported");
                }
                let (to, more) = match self.symbol(base)? {
                    Symbol::Place(number) => self.places[number as usize],
                    _ => (self.address_of(base, to.at)?, 0),
                };
                let row = Address { at: place, to, offset: offset.wrapping_add(more), from_start };
                self.module.env.globals[global].image.addresses.push(row);
            }
        }
        Ok(())
    }

    /// A constant expression as an operand.
    pub(super) fn constant_operand(&mut self, b: &mut Builder, ty: Type) -> Parsed<Operand> {
        let at = self.start;
        let x = self.constant_of(ty)?;
        let base = match x.base {
            Some(base) => Some(self.address_value(b, base, x.at)?),
            None => None,
        };
        if !ty.is_int() && ty != Type::Ptr {
            return Err(error_at(self.lexer.text, at, "this constant expression is not supported"));
        }
        let value = match base {
            None if ty == Type::Ptr => self.number_address(b, x.offset)?,
            None => b.f.int_of(ty, x.offset),
            Some(base) => {
                let Some(entry) = b.f.entry() else { return self.expected("a block") };
                let shape = self.leaving(Shape::scalar(Type::I8), true).index() as u32;
                let distance = super::layout::offset(b, x.offset);
                let step = b.f.insert(
                    base.as_inst().map_or(At::Start(entry), At::After),
                    Op::ElemAddr,
                    Type::Ptr,
                    &[base, distance],
                    shape,
                    b.place(),
                );
                let step = Value::inst(step);
                match (ty, step.as_inst()) {
                    (Type::Ptr, _) | (_, None) => step,
                    (_, Some(i)) => {
                        let (wide, place) = (self.pointer_int(), b.place());
                        let less = match x.less {
                            Some(less) => Some(self.address_value(b, less, x.at)?),
                            None => None,
                        };
                        let row = |b: &mut Builder, behind: Value, op: Op, ty: Type, args: &[Value]| {
                            let at = behind.as_inst().map_or(At::Start(entry), At::After);
                            Value::inst(b.f.insert(at, op, ty, args, 0, place))
                        };
                        let mut number = row(b, Value::inst(i), Op::PtrToInt, wide, &[step]);
                        if let Some(less) = less {
                            let less = row(b, number, Op::PtrToInt, wide, &[less]);
                            number = row(b, less, Op::Sub, wide, &[number, less]);
                        }
                        if ty.int_bits() < wide.int_bits() {
                            number = row(b, number, Op::Trunc, ty, &[number]);
                        }
                        number
                    }
                }
            }
        };
        Ok(Operand::Value(value))
    }

    /// The integer that is as wide as an address.
    pub(super) fn pointer_int(&self) -> Type {
        if self.platform.pointer_bytes == 8 { Type::I64 } else { Type::I32 }
    }

    /// The address of a number: an instruction at the head of the entry block; the null pointer's is made once.
    pub(super) fn number_address(&mut self, b: &mut Builder, x: i64) -> Parsed<Value> {
        if let Some(null) = b.null.filter(|_| x == 0) {
            return Ok(null);
        }
        let Some(entry) = b.f.entry() else { return self.expected("a block") };
        let number = b.f.int_of(self.pointer_int(), x);
        let address = b.f.insert(At::Start(entry), Op::IntToPtr, Type::Ptr, &[number], 0, b.place());
        if x == 0 {
            b.null = Some(Value::inst(address));
        }
        Ok(Value::inst(address))
    }
}
