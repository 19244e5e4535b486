//! Types of memory that are more than a scalar or an array of scalars: structs, named ones too, and arrays of them.
//! Our tables have none: a struct is its bytes, aligned as the C ABIs of the targets do (every scalar at a multiple
//! of its size), and a step to a part of it is a number of bytes.
//!
//! What is of one scalar all through, clang's large arrays and what `print` writes, stays that (`global`).
//! O(text); nested types are kept on a stack, and a named type is read once, when it is first asked for.

use super::builder::{Builder, Operand};
use super::lexer::{Lexer, Token};
use super::quad::QUAD;
use super::vector::Lanes;
use super::{DEEPEST, Parsed, Parser};
use crate::base::{Column, Handle};
use crate::ir::{Inst, Op, Shape, Shapes, Type, Value};
use std::collections::BTreeMap;

crate::handle! {
    /// A type of memory.
    pub(super) struct Mem("m");
}

/// Lanes in all vectors that a value has.
const MOST_LANES: usize = 1024;

/// What it is made of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Parts {
    /// A scalar, or an array of scalars.
    Plain(Shape),
    /// So many of another.
    Array(Mem, u64),
    /// Fields: the first in `Layouts::fields`, and how many.
    Struct(u32, u32),
    /// An integer of a width that the tables lack.
    Wide(u32),
    /// A vector, of truth values never in memory.
    Vector(Type, u32),
}

#[derive(Copy, Clone, Debug)]
struct Row {
    parts: Parts,
    bytes: u64,
    align: u32,
    /// It is a struct of a name, and so no other's type.
    is_named: bool,
    /// It is a vector or has some in it; of truth values, which are bits in memory.
    has_vectors: bool,
    has_bits: bool,
    /// It is an `fp128` or has one in it.
    has_quads: bool,
    /// It is `half` or `bfloat`, or has one in it.
    has_small: bool,
}

impl Row {
    fn of(parts: Parts) -> Row {
        Row {
            parts,
            bytes: 0,
            align: 1,
            is_named: false,
            has_vectors: false,
            has_bits: false,
            has_quads: false,
            has_small: false,
        }
    }
}

/// A named type: where its text is, and what it is once that has been read.
#[derive(Copy, Clone, Debug)]
struct Named {
    at: usize,
    /// It is being read.
    is_open: bool,
    mem: Option<Mem>,
}

/// The types of memory of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Layouts<'a> {
    rows: Column<Mem, Row>,
    /// Types and offsets of fields.
    fields: Vec<(Mem, u64)>,
    named: BTreeMap<&'a str, Named>,
    vectors: BTreeMap<(Type, u32), Mem>,
}

/// A type that is being read.
enum Open<'a> {
    Array(u64),
    Struct {
        is_packed: bool,
        fields: Vec<Mem>,
    },
    /// And where to go on behind it.
    Named(&'a str, Lexer<'a>, Token<'a>, usize),
}

/// A number of bytes as an index: as an i32 where it is one, which all targets have.
pub(super) fn offset(b: &mut Builder, bytes: i64) -> Value {
    match i32::try_from(bytes) {
        Ok(bytes) => b.f.int(bytes),
        Err(_) => b.f.int_of(Type::I64, bytes),
    }
}

impl Layouts<'_> {
    fn plain(&mut self, shapes: &Shapes, shape: Shape) -> Mem {
        let align = shapes.bytes_of(shapes.scalar_type(shape));
        let bytes = shapes.bytes(shape);
        self.rows.push(Row { bytes, align, ..Row::of(Parts::Plain(shape)) })
    }

    fn array(&mut self, shapes: &Shapes, element: Mem, length: u64) -> Mem {
        let row = self.rows[element];
        let parts = match row.parts {
            Parts::Plain(shape) => Parts::Plain(shapes.array(shape, length as u32)),
            _ => Parts::Array(element, length),
        };
        let bytes = row.bytes.saturating_mul(length);
        self.rows.push(Row { parts, bytes, align: row.align, ..row })
    }

    fn structure(&mut self, fields: &[Mem], is_packed: bool) -> Mem {
        let (first, mut bytes, mut align) = (self.fields.len() as u32, 0u64, 1);
        let has = |what: fn(&Row) -> bool| fields.iter().any(|&field| what(&self.rows[field]));
        let (has_vectors, has_bits) = (has(|row| row.has_vectors), has(|row| row.has_bits));
        let (has_quads, has_small) = (has(|row| row.has_quads), has(|row| row.has_small));
        for &field in fields {
            let row = self.rows[field];
            let own = if is_packed { 1 } else { row.align.max(1) };
            bytes = bytes.next_multiple_of(u64::from(own));
            self.fields.push((field, bytes));
            (bytes, align) = (bytes.saturating_add(row.bytes), align.max(own));
        }
        let bytes = bytes.next_multiple_of(u64::from(align));
        let parts = Parts::Struct(first, fields.len() as u32);
        self.rows.push(Row { bytes, align, has_vectors, has_bits, has_quads, has_small, ..Row::of(parts) })
    }

    /// A part by number, and where it is.
    pub(super) fn part(&mut self, shapes: &Shapes, mem: Mem, k: u64) -> Option<(Mem, u64)> {
        match self.rows[mem].parts {
            Parts::Struct(first, count) => {
                (k < u64::from(count)).then(|| self.fields[first as usize + k as usize])
            }
            Parts::Array(element, length) => (k < length).then(|| (element, k * self.rows[element].bytes)),
            Parts::Plain(shape) if shapes.depth(shape) > 0 && k < u64::from(shapes.length(shape)) => {
                let element = shapes.element(shape);
                Some((self.plain(shapes, element), k * shapes.bytes(element)))
            }
            Parts::Vector(element, count) if k < u64::from(count) => {
                Some((self.plain(shapes, Shape::scalar(element)), k * u64::from(shapes.bytes_of(element))))
            }
            Parts::Plain(_) | Parts::Wide(_) | Parts::Vector(..) => None,
        }
    }

    /// An integer of so many bits: aligned as the next larger one that has an alignment.
    fn wide(&mut self, bits: u32, pointer_bytes: u32) -> Mem {
        let bytes = u64::from(bits.div_ceil(8));
        let align = bytes.next_power_of_two().min(2 * u64::from(pointer_bytes));
        self.rows.push(Row {
            bytes: bytes.next_multiple_of(align),
            align: align as u32,
            ..Row::of(Parts::Wide(bits))
        })
    }

    /// `fp128`, in memory as the integer of its bits.
    fn quad(&mut self) -> Mem {
        self.rows.push(Row { bytes: 16, align: 16, has_quads: true, ..Row::of(Parts::Wide(QUAD)) })
    }

    /// A vector: its bytes are a power of two, and it is aligned to them or to the most that there is.
    pub(super) fn vector(&mut self, shapes: &Shapes, lanes: Lanes, most: u32) -> Mem {
        let Lanes { element, count, .. } = lanes;
        if let Some(&mem) = self.vectors.get(&(element, count)) {
            return mem;
        }
        let bytes = (count * shapes.bytes_of(element)).next_power_of_two();
        let row = Row {
            bytes: bytes.into(),
            align: bytes.min(most),
            has_vectors: true,
            has_bits: lanes.is_bits(),
            ..Row::of(Parts::Vector(element, count))
        };
        let mem = self.rows.push(row);
        self.vectors.insert((element, count), mem);
        mem
    }

    /// The type, if it is a vector.
    pub(super) fn lanes(&self, mem: Mem) -> Option<Lanes> {
        match self.rows[mem].parts {
            Parts::Vector(element, count) => Some(Lanes::new(element, count)),
            _ => None,
        }
    }

    /// What an index that is not known steps over, and what is behind such a step; none in a struct or a scalar.
    fn element(&mut self, shapes: &Shapes, mem: Mem) -> Option<Mem> {
        match self.rows[mem].parts {
            Parts::Array(element, _) => Some(element),
            Parts::Plain(shape) if shapes.depth(shape) > 0 => Some(self.plain(shapes, shapes.element(shape))),
            Parts::Vector(element, _) => Some(self.plain(shapes, Shape::scalar(element))),
            _ => None,
        }
    }
}

impl<'a> Parser<'a> {
    /// `%name = type { ... }`: where it stands is noted.
    pub(super) fn named_type(&mut self) -> Parsed<()> {
        let at = self.start;
        let Token::Local(name) = self.token else { return self.expected("a type's name") };
        self.advance()?;
        self.expect(b'=')?;
        self.expect_word("type")?;
        let row = Named { at: self.start, is_open: false, mem: None };
        if self.layouts.named.insert(name.raw, row).is_some() {
            return self.error_at(at, format!("`%{}` is defined twice", name.raw));
        }
        match self.token {
            Token::Mark(b'<') => {
                self.advance()?;
                self.skip_balanced()?;
                self.expect(b'>')
            }
            Token::Mark(b'{' | b'[') => self.skip_balanced(),
            _ => self.advance(),
        }
    }

    /// A type of memory.
    pub(super) fn memory_type(&mut self) -> Parsed<Mem> {
        let at = self.start;
        let mem = self.type_of_parts()?;
        self.is_in_memory(mem, at)?;
        Ok(mem)
    }

    /// That there is no vector of truth values in it, which are bits there.
    pub(super) fn is_in_memory(&self, mem: Mem, at: usize) -> Parsed<()> {
        match self.layouts.rows[mem].has_bits {
            true => self.error_at(at, "vectors of i1 in memory are not supported here"),
            false => Ok(()),
        }
    }

    /// True for `fp128`, and for what has some in it.
    pub(super) fn has_quads(&self, mem: Mem) -> bool {
        self.layouts.rows[mem].has_quads
    }

    /// True for `half` and `bfloat`, and for what has some in it.
    pub(super) fn has_small(&self, mem: Mem) -> bool {
        self.layouts.rows[mem].has_small
    }

    /// True for vectors, and for what has some in it.
    pub(super) fn has_vectors(&self, mem: Mem) -> bool {
        self.layouts.rows[mem].has_vectors
    }

    /// The type of a value, or of memory.
    pub(super) fn type_of_parts(&mut self) -> Parsed<Mem> {
        let start = self.start;
        let mut open: Vec<Open<'a>> = Vec::new();
        loop {
            if open.len() > DEEPEST {
                return self.error_at(start, "types are nested too deeply");
            }
            // A type begins.
            let mut mem = match self.token {
                Token::Mark(b'[') => {
                    self.advance()?;
                    let length = self.number()?;
                    self.expect_word("x")?;
                    if length > i32::MAX as u64 {
                        return self.error_at(start, "this array is too large");
                    }
                    open.push(Open::Array(length));
                    continue;
                }
                Token::Mark(b'<') if !self.at_aggregate() => {
                    let lanes = self.vector_type()?;
                    self.vector_mem(lanes)
                }
                Token::Mark(mark @ (b'{' | b'<')) => {
                    self.advance()?;
                    if mark == b'<' {
                        self.expect(b'{')?;
                    }
                    if self.token != Token::Mark(b'}') {
                        open.push(Open::Struct { is_packed: mark == b'<', fields: Vec::new() });
                        continue;
                    }
                    self.advance()?;
                    if mark == b'<' {
                        self.expect(b'>')?;
                    }
                    self.layouts.structure(&[], false)
                }
                Token::Local(name) => match self.layouts.named.get_mut(name.raw).copied() {
                    Some(Named { mem: Some(mem), .. }) => {
                        self.advance()?;
                        mem
                    }
                    Some(Named { is_open: true, .. }) => {
                        return self.error(format!("`%{}` has itself in it", name.raw));
                    }
                    Some(Named { at, .. }) => {
                        self.advance()?;
                        let behind = Open::Named(name.raw, self.lexer.clone(), self.token, self.start);
                        open.push(behind);
                        if let Some(row) = self.layouts.named.get_mut(name.raw) {
                            row.is_open = true;
                        }
                        self.lexer.at = at;
                        self.advance()?;
                        if self.token == Token::Word("opaque") {
                            return self.error(format!("nothing is known of what is in `%{}`", name.raw));
                        }
                        continue;
                    }
                    None => return self.error(format!("there is no type `%{}`", name.raw)),
                },
                Token::Word(_) if self.at_quad() => {
                    self.advance()?;
                    self.layouts.quad()
                }
                Token::Word(word) if let Some(bits) = super::wide::width(word) => {
                    self.advance()?;
                    self.layouts.wide(bits, self.platform.pointer_bytes)
                }
                _ => {
                    let ty = self.scalar_in_memory()?;
                    if ty == Type::Void {
                        return self.error_at(start, format!("{} is not in memory", ty.name()));
                    }
                    let mem = self.layouts.plain(&self.module.env.shapes, Shape::scalar(ty));
                    self.layouts.rows[mem].has_small = self.small;
                    mem
                }
            };
            // It ends, and with it those that it is the last part of.
            loop {
                match open.pop() {
                    None => return Ok(mem),
                    Some(Open::Array(length)) => {
                        self.expect(b']')?;
                        mem = self.layouts.array(&self.module.env.shapes, mem, length);
                    }
                    Some(Open::Struct { is_packed, mut fields }) => {
                        fields.push(mem);
                        if self.eat(b',')? {
                            open.push(Open::Struct { is_packed, fields });
                            break;
                        }
                        self.expect(b'}')?;
                        if is_packed {
                            self.expect(b'>')?;
                        }
                        mem = self.layouts.structure(&fields, is_packed);
                    }
                    Some(Open::Named(name, lexer, token, at)) => {
                        (self.lexer, self.token, self.start) = (lexer, token, at);
                        let row = &mut self.layouts.rows[mem];
                        row.is_named = matches!(row.parts, Parts::Struct(..));
                        if let Some(row) = self.layouts.named.get_mut(name) {
                            (row.is_open, row.mem) = (false, Some(mem));
                        }
                    }
                }
                if self.layouts.rows[mem].bytes > i32::MAX as u64 {
                    return self.error_at(start, "this type is larger than 2 GiB");
                }
            }
        }
    }

    /// True if both are one type to LLVM.
    pub(super) fn is_same(&self, one: Mem, other: Mem) -> bool {
        let layouts = &self.layouts;
        let mut open = vec![(one, other)];
        while let Some((one, other)) = open.pop() {
            if one == other {
                continue;
            }
            let (a, b) = (layouts.rows[one], layouts.rows[other]);
            let is_alike = match (a.parts, b.parts) {
                (Parts::Array(one, length), Parts::Array(other, same)) if length == same => {
                    open.push((one, other));
                    true
                }
                (Parts::Struct(first, count), Parts::Struct(of_other, same)) => {
                    let fields = |first: u32| &layouts.fields[first as usize..][..count.min(same) as usize];
                    let both = fields(first).iter().zip(fields(of_other));
                    open.extend(both.map(|(a, b)| (a.0, b.0)));
                    count == same && a.bytes == b.bytes && a.align == b.align && !a.is_named && !b.is_named
                }
                (a, b) => a == b,
            };
            if !is_alike {
                return false;
            }
        }
        true
    }

    /// A scalar, and whether it is so.
    pub(super) fn flagged(&mut self, ty: Type) -> Mem {
        let shapes = &self.module.env.shapes;
        let fields = [ty, Type::I1].map(|ty| self.layouts.plain(shapes, Shape::scalar(ty)));
        self.layouts.structure(&fields, false)
    }

    /// The shape of memory of a type: of what has structs in it, its bytes.
    pub(super) fn shape_of(&mut self, mem: Mem) -> Shape {
        self.plain_shape(mem).unwrap_or_else(|| self.bytes_of(mem))
    }

    /// The same, as bytes whatever it is.
    pub(super) fn bytes_of(&mut self, mem: Mem) -> Shape {
        let Row { bytes, align, .. } = self.layouts.rows[mem];
        let shape = self.module.env.shapes.of(Type::I8, &[bytes as u32]);
        self.aligned(shape, align)
    }

    /// Bytes and alignment.
    pub(super) fn bytes_and_align(&self, mem: Mem) -> (u64, u32) {
        let Row { bytes, align, .. } = self.layouts.rows[mem];
        (bytes, align)
    }

    /// True for what the tables have a type for.
    pub(super) fn is_scalar(&self, mem: Mem) -> bool {
        self.plain_shape(mem).is_some_and(|shape| self.module.env.shapes.depth(shape) == 0)
    }

    /// The width of an integer that they have none for.
    pub(super) fn width_of(&self, mem: Mem) -> Option<u32> {
        if let Parts::Wide(bits) = self.layouts.rows[mem].parts { Some(bits) } else { None }
    }

    /// The scalars that a type is made of, and where they are; none if there are more than `most` beside lanes of vectors.
    pub(super) fn parts_of(&mut self, mem: Mem, most: usize) -> Option<Vec<(Type, u32)>> {
        let (mut found, mut open, mut others) = (Vec::new(), vec![(mem, 0u64)], 0);
        let word = self.pointer_int();
        while let Some((mem, at)) = open.pop() {
            let shapes = &self.module.env.shapes;
            let row = self.layouts.rows[mem];
            let (ty, count) = match row.parts {
                Parts::Plain(shape) => {
                    let ty = shapes.scalar_type(shape);
                    (ty, row.bytes / u64::from(shapes.bytes_of(ty).max(1)))
                }
                Parts::Wide(bits) => (word, u64::from(bits.div_ceil(word.int_bits()))),
                Parts::Vector(element, count) => {
                    if found.len() - others + count as usize > MOST_LANES {
                        return None;
                    }
                    let bytes = shapes.bytes_of(element);
                    found.extend((0..count).map(|k| (element, at as u32 + k * bytes)));
                    continue;
                }
                Parts::Array(element, count) => {
                    if count > most as u64 || open.len() > 4 * most {
                        return None;
                    }
                    let bytes = self.layouts.rows[element].bytes;
                    open.extend((0..count).rev().map(|k| (element, at + k * bytes)));
                    continue;
                }
                Parts::Struct(first, count) => {
                    if count as usize > 4 * most || open.len() > 4 * most {
                        return None;
                    }
                    let fields = &self.layouts.fields[first as usize..][..count as usize];
                    open.extend(fields.iter().rev().map(|&(field, within)| (field, at + within)));
                    continue;
                }
            };
            if count > most as u64 || others + count as usize > most {
                return None;
            }
            others += count as usize;
            let bytes = self.module.env.shapes.bytes_of(ty);
            found.extend((0..count as u32).map(|k| (ty, at as u32 + k * bytes)));
        }
        Some(found)
    }

    /// The vectors that a type is made of; none if it has other scalars, too, or more than `most`.
    pub(super) fn vectors_of(&mut self, mem: Mem, most: usize) -> Option<Vec<Lanes>> {
        let (mut found, mut open) = (Vec::new(), vec![mem]);
        while let Some(mem) = open.pop() {
            if let Some(lanes) = self.lanes_in(mem) {
                found.push(lanes);
                continue;
            }
            let from = open.len();
            while let Some((part, _)) =
                self.layouts.part(&self.module.env.shapes, mem, (open.len() - from) as u64)
            {
                open.push(part);
                if open.len() > most {
                    return None;
                }
            }
            if open.len() == from || found.len() > most {
                return None;
            }
            open[from..].reverse();
        }
        Some(found)
    }

    /// A part by number, and where it is.
    pub(super) fn known_part(&mut self, mem: Mem, k: u64, at: usize) -> Parsed<(Mem, u64)> {
        match self.layouts.part(&self.module.env.shapes, mem, k) {
            Some(part) => Ok(part),
            None => self.error_at(at, format!("there is no part {k}")),
        }
    }

    /// The shape, if it is a scalar or an array of scalars.
    pub(super) fn plain_shape(&self, mem: Mem) -> Option<Shape> {
        if let Parts::Plain(shape) = self.layouts.rows[mem].parts { Some(shape) } else { None }
    }

    /// The address of a part of what has structs in it: known steps are one number of bytes, others one each.
    pub(super) fn part_address(
        &mut self,
        b: &mut Builder,
        (mut mem, may_leave): (Mem, bool),
        base: Operand,
        indices: &[Operand],
    ) -> Parsed<Inst> {
        let (mut known, mut address) = (0i64, base);
        for (k, &index) in indices.iter().enumerate() {
            let ty = b.f.type_of(index.now());
            let constant = match index {
                Operand::Value(v) => b.f.as_int(v),
                Operand::Later { .. } => None,
            };
            if let Some(x) = constant {
                let (part, bytes) = self.known_step(mem, k, (ty, x), b.at as usize)?;
                (known, mem) = (known.wrapping_add(bytes), part);
                continue;
            }
            let shapes = &self.module.env.shapes;
            let element = if k == 0 { Some(mem) } else { self.layouts.element(shapes, mem) };
            let Some(element) = element else {
                return self.error_at(b.at as usize, "the number of a field must be a constant");
            };
            let shape = shapes.of(Type::I8, &[self.layouts.rows[element].bytes as u32]);
            let shape = if may_leave { shapes.leaving(shape) } else { shape };
            let step = b.insert(Op::ElemAddr, Type::Ptr, &[address, index], shape.index() as u32);
            (address, mem) = (Operand::Value(Value::inst(step)), element);
        }
        let known = offset(b, known);
        let byte = self.leaving(Shape::scalar(Type::I8), may_leave);
        Ok(b.insert(Op::ElemAddr, Type::Ptr, &[address, Operand::Value(known)], byte.index() as u32))
    }

    /// Where the `k`-th index of an address leads that is known: to what, so many bytes on.
    pub(super) fn known_step(
        &mut self,
        mem: Mem,
        k: usize,
        (ty, x): (Type, i64),
        at: usize,
    ) -> Parsed<(Mem, i64)> {
        let shapes = &self.module.env.shapes;
        let element = if k == 0 { Some(mem) } else { self.layouts.element(shapes, mem) };
        if let Some(element) = element {
            return Ok((element, x.wrapping_mul(self.layouts.rows[element].bytes as i64)));
        }
        let part = u64::try_from(x).ok().and_then(|x| self.layouts.part(shapes, mem, x));
        match part {
            Some(_) if ty != Type::I32 => self.error_at(at, "the number of a field is an i32"),
            Some((part, offset)) => Ok((part, offset as i64)),
            None => self.error_at(at, format!("there is no field {x}")),
        }
    }
}
