//! The initialiser of a global, with its type in front.
//!
//! An array prints element by element, a sub-array without a nonzero scalar as `zeroinitializer`. LLVM has no
//! form for a run of equal elements, so where that would be more than twice as long (a large, mostly zero
//! array) the global is printed the way clang prints it, as a packed struct of flat pieces, data and zeros by
//! turns:
//!
//! ```text
//! @a = global <{ [2 x i32], [999998 x i32], [0 x [1000 x [1000 x i32]]] }>
//!             <{ [2 x i32] [i32 1, i32 2], [999998 x i32] zeroinitializer, [0 x [1000 x [1000 x i32]]] zeroinitializer }>
//! ```
//!
//! Bytes with addresses among them (what structs become) are printed that way, too, each address as a piece.
//! A last piece of length zero, which takes no memory, says what shape the whole has; without it the shape is
//! the flat array. Linear in the nonzero scalars, for any shape.

use super::{Env, Shape, Type, bytes, float_bits, name, shape as print_shape};
use crate::base::Name;
use crate::ir::Image;
use crate::ir::module::Address;
use std::fmt::Write;

/// Zeros between data that are worth a piece of their own.
const GAP: u64 = 16;

/// One step of printing an array element by element.
enum Step {
    /// A sub-array at this level begins.
    Open(usize),
    /// A sub-array at this level is all zeros.
    Zeros(usize),
    /// A scalar.
    Word(u32),
    /// A sub-array ends.
    Close,
    /// Another element follows.
    Comma,
}

/// An array taken apart: `sizes[level]` scalars are in one object at `level`; level 0 is the whole.
struct Array<'a> {
    scalar: Type,
    sizes: Vec<u64>,
    /// The nonzero scalars and where they stand, in order; of pointers, which of the addresses, from 1.
    words: &'a [(u32, u32)],
    env: &'a Env,
    addresses: &'a [Address],
    /// What it is called, if addresses may count from it.
    called: Option<Name>,
}

/// Prints type and contents of what is called so.
pub(super) fn typed(out: &mut String, env: &Env, shape: Shape, image: &Image, called: Option<Name>) {
    let shapes = &env.shapes;
    let mut words: Vec<(u32, u32)> = image
        .runs
        .iter()
        .flat_map(|run| (0..run.len).map(|k| (run.at + k, image.words[(run.first + k) as usize])))
        .filter(|&(_, word)| word != 0)
        .collect();
    if shapes.scalar_type(shape) == Type::Ptr {
        words.extend((1..).zip(&image.addresses).map(|(k, address)| (address.at, k)));
    }
    let mut sizes = vec![1u64];
    let mut lengths = Vec::new();
    let mut inner = shape;
    for _ in 0..shapes.depth(shape) {
        lengths.push(u64::from(shapes.length(inner)));
        inner = shapes.element(inner);
    }
    for &length in lengths.iter().rev() {
        let size = sizes.last().map_or(1, |&size| size.saturating_mul(length));
        sizes.push(size);
    }
    sizes.reverse();
    let (scalar_type, addresses) = (shapes.scalar_type(shape), &image.addresses[..]);
    let array = Array { scalar: scalar_type, sizes, words: &words, env, addresses, called };
    if !image.addresses.is_empty() && array.scalar != Type::Ptr {
        return array.with_addresses(out);
    }
    let mut type_text = String::new();
    print_shape(&mut type_text, shapes, shape);
    if array.words.is_empty() || shapes.depth(shape) == 0 {
        _ = write!(out, "{type_text} ");
        match words.first() {
            Some(&(_, word)) => array.scalar(out, word),
            None if shapes.depth(shape) != 0 => out.push_str("zeroinitializer"),
            None if array.scalar == Type::Ptr => out.push_str("null"),
            None => scalar(out, array.scalar, 0),
        }
        return;
    }
    let pieces = array.pieces();
    let flat_cost: u64 = pieces.iter().map(|piece| if piece.data { piece.len + 2 } else { 2 }).sum();
    let mut budget = 2 * flat_cost + 32;
    let plain = array.steps(|_| {
        budget -= 1;
        budget != 0
    });
    if plain {
        _ = write!(out, "{type_text} ");
        array.plain(out, &type_text);
    } else {
        let marker = if shapes.depth(shape) == 1 { None } else { Some(&type_text) };
        array.packed(out, &pieces, marker);
    }
}

/// A stretch of a flat image.
struct Piece {
    at: u64,
    len: u64,
    data: bool,
}

impl Array<'_> {
    fn scalar(&self, out: &mut String, word: u32) {
        match self.addresses.get((word as usize).wrapping_sub(1)) {
            Some(row) if self.scalar == Type::Ptr => self.address(out, row),
            _ => scalar(out, self.scalar, word),
        }
    }

    /// Bytes and the addresses among them, by turns.
    fn with_addresses(&self, out: &mut String) {
        let ty = self.scalar.name();
        let pointer = self.env.shapes.bytes_of(Type::Ptr);
        let (mut types, mut contents, mut at) = (String::from("<{ "), String::from("<{ "), 0);
        let mut piece = |ty: &str, contents_of: &dyn Fn(&mut String)| {
            for text in [&mut types, &mut contents] {
                text.push_str(if text.len() == 3 { "" } else { ", " });
                text.push_str(ty);
            }
            contents.push(' ');
            contents_of(&mut contents);
        };
        let places = self.addresses.iter().map(|row| (u64::from(row.at), Some(row)));
        for (start, row) in places.chain([(self.sizes[0], None)]) {
            if start > at {
                piece(&format!("[{} x {ty}]", start - at), &|out| {
                    if self.scalar == Type::I8 && self.flat(at, start - at).any(|word| word != 0) {
                        return self.string(out, at, start - at);
                    }
                    out.push('[');
                    for (k, word) in self.flat(at, start - at).enumerate() {
                        _ = write!(out, "{}{ty} ", if k == 0 { "" } else { ", " });
                        scalar(out, self.scalar, word);
                    }
                    out.push(']');
                });
            }
            let Some(row) = row else { break };
            piece(["ptr", "i32", "i64"][usize::from(row.from_start.unwrap_or(0) / 4)], &|out| {
                self.address(out, row)
            });
            at = start + u64::from(row.bytes(pointer) / self.scalar.bytes().max(1));
        }
        _ = write!(out, "{types} }}> {contents} }}>");
    }

    /// The steps of printing element by element, until `sink` says to stop; true if it never did.
    fn steps(&self, mut sink: impl FnMut(Step) -> bool) -> bool {
        let scalars = self.sizes.len() - 1;
        let (mut level, mut at, mut next) = (0, 0u64, 0);
        loop {
            let coming = self.words.get(next).copied();
            let size = self.sizes[level];
            let has_data = coming.is_some_and(|(place, _)| u64::from(place) < at + size);
            let step = if level == scalars {
                let word = if has_data { coming.map_or(0, |(_, word)| word) } else { 0 };
                next += usize::from(has_data);
                Step::Word(word)
            } else if has_data {
                if !sink(Step::Open(level)) {
                    return false;
                }
                level += 1;
                continue;
            } else {
                Step::Zeros(level)
            };
            if !sink(step) {
                return false;
            }
            at += size;
            while level != 0 && at % self.sizes[level - 1] == 0 {
                level -= 1;
                if !sink(Step::Close) {
                    return false;
                }
            }
            if level == 0 {
                return true;
            }
            if !sink(Step::Comma) {
                return false;
            }
        }
    }

    fn plain(&self, out: &mut String, type_text: &str) {
        let depth = self.sizes.len() - 1;
        if self.scalar == Type::I8 && depth == 1 {
            self.string(out, 0, self.sizes[0]);
            return;
        }
        // The type of a sub-array is the type of the whole without its outer brackets.
        let starts: Vec<usize> =
            std::iter::once(0).chain(type_text.match_indices("x ").map(|(k, _)| k + 2)).collect();
        let type_at = |level: usize| &type_text[starts[level]..type_text.len() - level];
        self.steps(|step| {
            match step {
                Step::Open(0) => out.push('['),
                Step::Open(level) => _ = write!(out, "{} [", type_at(level)),
                Step::Zeros(level) => _ = write!(out, "{} zeroinitializer", type_at(level)),
                Step::Word(word) => {
                    _ = write!(out, "{} ", self.scalar.name());
                    self.scalar(out, word);
                }
                Step::Close => out.push(']'),
                Step::Comma => out.push_str(", "),
            }
            true
        });
    }

    fn packed(&self, out: &mut String, pieces: &[Piece], marker: Option<&String>) {
        let ty = self.scalar.name();
        let comma = |k: usize| if k == 0 { "" } else { ", " };
        out.push_str("<{ ");
        for (k, piece) in pieces.iter().enumerate() {
            _ = write!(out, "{}[{} x {ty}]", comma(k), piece.len);
        }
        if let Some(text) = marker {
            _ = write!(out, ", [0 x {text}]");
        }
        out.push_str(" }> <{ ");
        for (k, piece) in pieces.iter().enumerate() {
            _ = write!(out, "{}[{} x {ty}] ", comma(k), piece.len);
            if !piece.data {
                out.push_str("zeroinitializer");
            } else if self.scalar == Type::I8 {
                self.string(out, piece.at, piece.len);
            } else {
                out.push('[');
                for (k, word) in self.flat(piece.at, piece.len).enumerate() {
                    _ = write!(out, "{}{ty} ", comma(k));
                    self.scalar(out, word);
                }
                out.push(']');
            }
        }
        if let Some(text) = marker {
            _ = write!(out, ", [0 x {text}] zeroinitializer");
        }
        out.push_str(" }>");
    }

    /// Data and zeros by turns, over the whole array.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut end = 0;
        for &(at, _) in self.words {
            let at = u64::from(at);
            match pieces.last_mut() {
                Some(last) if last.data && at - end < GAP => last.len = at + 1 - last.at,
                _ => {
                    if at != end {
                        pieces.push(Piece { at: end, len: at - end, data: false });
                    }
                    pieces.push(Piece { at, len: 1, data: true });
                }
            }
            end = at + 1;
        }
        if end < self.sizes[0] {
            pieces.push(Piece { at: end, len: self.sizes[0] - end, data: false });
        }
        pieces
    }

    /// The scalars of a stretch, zeros included.
    fn flat(&self, at: u64, len: u64) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.words.partition_point(|&(place, _)| u64::from(place) < at);
        (at..at + len).map(move |place| match self.words.get(next) {
            Some(&(here, word)) if u64::from(here) == place => {
                next += 1;
                word
            }
            _ => 0,
        })
    }

    fn string(&self, out: &mut String, at: u64, len: u64) {
        out.push_str("c\"");
        bytes(out, self.flat(at, len).map(|word| word as u8));
        out.push('"');
    }
}

fn scalar(out: &mut String, ty: Type, word: u32) {
    match ty {
        Type::F32 => _ = write!(out, "0x{:016X}", float_bits(word)),
        Type::F64 => out.push_str("0x0000000000000000"),
        Type::I1 => out.push_str(if word == 0 { "false" } else { "true" }),
        Type::I8 => _ = write!(out, "{}", word as i8),
        Type::I16 => _ = write!(out, "{}", word as i16),
        Type::Ptr => out.push_str("null"),
        _ => _ = write!(out, "{}", word as i32),
    }
}

impl Array<'_> {
    /// `@a`, or `getelementptr (i8, ptr @a, i64 4)`; how far that is from the global's start as a number.
    fn address(&self, out: &mut String, address: &Address) {
        let named = |called: Option<Name>| {
            let mut text = String::from("@");
            name(&mut text, called.map_or("?", |called| self.env.names.text(called)));
            text
        };
        let target = named(self.env.globals.get(address.to).map(|row| row.name));
        let to = match address.offset {
            0 => target,
            offset => format!("getelementptr (i8, ptr {target}, i64 {offset})"),
        };
        let Some(bytes) = address.from_start else { return out.push_str(&to) };
        let wide = if self.env.shapes.bytes_of(Type::Ptr) == 8 { "i64" } else { "i32" };
        let start = named(self.called);
        let difference =
            format!("sub ({wide} ptrtoint (ptr {to} to {wide}), {wide} ptrtoint (ptr {start} to {wide}))");
        _ = match wide {
            "i64" if bytes == 8 => write!(out, "{difference}"),
            "i32" => write!(out, "{difference}"),
            _ => write!(out, "trunc ({wide} {difference} to i32)"),
        };
    }
}
