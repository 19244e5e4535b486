//! Attributes of functions, parameters, results and calls: one walker for all places, by the rows of `keywords`.
//!
//! What promises something that we use is kept, what changes the meaning of code and is not supported is an error at its
//! place, and so is a word that stands where it cannot, on a value of another type, or that is unknown. Everything else is
//! stepped over. O(1) a word: what stands in brackets behind it, too, is read once.

use super::aggregate::Compound;
use super::half::TRAVELS;
use super::keywords::{Handling, On, Places, refused_text};
use super::layout::Mem;
use super::lexer::Token;
use super::vector::VSCALE;
use super::words::meaning;
use super::{Parsed, Parser};
use crate::ir::effect::{Effect, Promises};
use crate::ir::types::MOST_ALIGN;
use crate::ir::{Hints, Inlining, Op, Size, Type};

/// Which parameters say how much a function allocates, and where that is said.
pub(super) type Sizes = ([u64; 2], u32);

/// What attributes said.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Attributes {
    /// `align`, in bytes; 0 for none.
    pub(super) align: u32,
    /// How a narrow integer is made as wide as a register: `zeroext`, `signext`.
    pub(super) extension: Option<Op>,
    /// What a function does not do.
    pub(super) promises: Promises,
    /// It is where the result goes.
    pub(super) is_result: bool,
    /// It is a struct of this type, passed by value.
    pub(super) by_value: Option<Mem>,
    /// It leads to something of this type, of inline assembly.
    pub(super) element: Option<Mem>,
    /// What it is aligned to on the stack; 0 for none.
    pub(super) stack_align: u32,
    /// `#0`.
    pub(super) group: Option<u64>,
    /// `allocsize`: which parameters say how much it allocates, and where that stands.
    pub(super) sizes: Option<Sizes>,
    /// Where `builtin` stands, which calls only have, and `optnone`, which wants `noinline`; 0 if they do not.
    pub(super) builtin: u32,
    alone: u32,
    has_noinline: bool,
    /// What is asked of a function's code, but for `noinline`.
    hints: Hints,
    /// Where `returned` stands; 0 if it does not.
    returned: u32,
    /// The same of `immarg`, which intrinsics only have.
    pub(super) immediate: u32,
    /// Where the first attribute stands that wants an integer, an address, a float, anything; 0 for none.
    wants: [u32; 4],
    /// Those that cannot stand with others (`keywords::APART`).
    seen: u32,
}

/// A value that is extended on its way into a function or out of it: how, and from what. It travels as an
/// i32.
pub(super) type Extended = Option<(Op, Type)>;

impl Attributes {
    /// What is asked of a function's code. `noinline` beside `optnone` is what clang writes of every function at -O0.
    pub(super) fn hints(self) -> Hints {
        let stays = self.has_noinline && self.alone == 0;
        let own =
            Hints { inlining: if stays { Inlining::Never } else { Inlining::ByCost }, ..Hints::default() };
        own.and(self.hints)
    }

    /// How a value of this type travels. Values of 32 bits and more are as all targets want them.
    pub(super) fn extended(self, ty: Type) -> Extended {
        self.extension.filter(|_| matches!(ty, Type::I1 | Type::I8 | Type::I16)).map(|op| (op, ty))
    }
}

/// What such a value travels as.
pub(super) fn carrier(extended: Extended, ty: Type) -> Type {
    match extended {
        Some((_, Type::I32)) => Type::I64,
        Some((TRAVELS, _)) => Type::F32,
        Some(_) => Type::I32,
        None => ty,
    }
}

/// Words that end attributes: types of values that are refused, constants, and the start of something else.
#[rustfmt::skip]
pub(super) const OTHERS: &[&str] = &[
    "void", "label", "metadata", "half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128", "ptr",
    "true", "false", "undef", "poison", "null", "none", "zeroinitializer", "getelementptr", "blockaddress",
    "global", "constant", "define", "declare", "target", "source_filename", "attributes", "uselistorder",
    "uselistorder_bb", "to", "x", "splat", "ptrtoint", "inttoptr", "bitcast", "add", "sub", "trunc", "asm",
    "module", "alias", "ifunc", "type", "dso_local_equivalent", "no_cfi", "zext", "sext", "xor", "mul", "addrspacecast",
    "target", "vscale", "x86_amx", "x86_mmx", "token", "ptrauth", "insertelement", "shufflevector",
];

/// Whether a word of `memory(...)` allows reads, and writes.
fn accesses(word: &str) -> Option<[bool; 2]> {
    Some(match word {
        "none" => [false, false],
        "read" => [true, false],
        "write" => [false, true],
        "readwrite" => [true, true],
        _ => return None,
    })
}

impl Parser<'_> {
    /// How a parameter or result of this type travels. In what compilers of C print for a machine, bits of a register of which
    /// nothing is said may be anything: above a narrow value, and above an i32 that is a part of a struct.
    pub(super) fn travels(&self, said: Attributes, ty: Type, is_param: bool) -> Extended {
        let is_open = match ty {
            Type::I1 | Type::I8 | Type::I16 => self.has_triple,
            Type::I32 => {
                self.has_triple && is_param && self.platform.name == "riscv64" && said.extension.is_none()
            }
            _ => false,
        };
        said.extended(ty).or(is_open.then_some((if ty == Type::I32 { Op::SExt } else { Op::ZExt }, ty)))
    }

    /// Reads attributes of a place: words with or without `(...)`, `align 4`, `"key"="value"`, `#0`. Stops at a type, a
    /// value, or anything else that attributes are not.
    pub(super) fn attributes(&mut self, place: Places) -> Parsed<Attributes> {
        let found = self.attributes_of(place, false)?;
        match found.alone {
            // What it wants may be in the group.
            at if at != 0 && !found.has_noinline && found.group.is_none() => {
                self.error_at(at as usize, "`optnone` stands with `noinline`")
            }
            _ => Ok(found),
        }
    }

    /// The same behind a call, where a word that is none begins the next instruction.
    pub(super) fn call_attributes(&mut self) -> Parsed<Attributes> {
        self.attributes_of(Places::FUNCTION, true)
    }

    fn attributes_of(&mut self, place: Places, is_call: bool) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        let is_function = place == Places::FUNCTION;
        loop {
            match self.token {
                Token::Word(word) => {
                    let known = meaning(word);
                    let Some(row) = known.row else {
                        if known.ends
                            || known.ty.is_some()
                            || is_call
                            || is_type(word)
                            || word.starts_with('$')
                        {
                            return Ok(found);
                        }
                        return self.error(format!("the attribute `{word}` is not known"));
                    };
                    if !row.at.meet(place) {
                        if !row.at.meet(Places::ATTRIBUTES) {
                            return Ok(found);
                        }
                        return self.error(format!("`{word}` cannot stand here, but at {}", row.at.names()));
                    }
                    if row.handling == Handling::Refused {
                        return self.refuse_word(word);
                    }
                    if found.seen & known.apart[1] != 0 {
                        return self.error(format!("`{word}` cannot stand with what stands before it"));
                    }
                    found.seen |= known.apart[0];
                    if is_call && word == "speculatable" {
                        return self.error(format!("`{word}` cannot stand at a call"));
                    }
                    if !is_function {
                        let k = match row.on {
                            On::Any => None,
                            On::Int => Some(0),
                            On::Ptr => Some(1),
                            On::Float => Some(2),
                            On::Value => Some(3),
                        };
                        if let Some(want) = k.and_then(|k| found.wants.get_mut(k)).filter(|want| **want == 0)
                        {
                            *want = self.start as u32;
                        }
                    }
                    self.attribute(word, &mut found, is_function)?;
                }
                Token::Hash(text) => {
                    if is_call && text.starts_with("dbg_") {
                        return Ok(found);
                    }
                    let (true, Ok(number)) = (is_function, text.parse()) else {
                        return self.expected("an attribute");
                    };
                    found.group = Some(number);
                    self.advance()?;
                }
                Token::String(key) => {
                    let at = self.start;
                    self.advance()?;
                    let mut value = "";
                    if self.eat(b'=')? {
                        let Token::String(text) = self.token else { return self.expected("a string") };
                        value = text;
                        self.advance()?;
                    }
                    if let Some(row) = refused_text(key, value).filter(|_| is_function) {
                        let is_always = row.when == super::keywords::When::Any;
                        let value = if is_always { String::new() } else { format!("=\"{value}\"") };
                        return self.refused(at, &format!("\"{key}\"{value}"), row.note);
                    }
                    if matches!(key, "results" | "varargs" | "parts") {
                        self.marks.push((key, value));
                    }
                }
                _ => return Ok(found),
            }
        }
    }

    /// One attribute, whose word is the token.
    fn attribute(&mut self, word: &str, found: &mut Attributes, is_function: bool) -> Parsed<()> {
        let at = self.start;
        self.advance()?;
        match word {
            "align" => found.align = self.alignment()?,
            "alignstack" => {
                found.stack_align = self.alignment()?;
                if is_function && found.stack_align > 2 * self.platform.pointer_bytes {
                    return self.refused(at, word, "of a function it is at most the stack's own alignment");
                }
            }
            "byval" => found.by_value = Some(self.type_in_brackets()?),
            "sret" => {
                self.type_in_brackets()?;
                found.is_result = true;
            }
            "elementtype" => found.element = Some(self.type_in_brackets()?),
            "memory" => {
                let memory = Some(self.memory_effect()?);
                found.promises = found.promises.and(Promises { memory, ..Promises::default() });
            }
            "dereferenceable" | "dereferenceable_or_null" => {
                self.expect(b'(')?;
                if self.number()? == 0 {
                    return self.error_at(at, format!("`{word}` of no bytes"));
                }
                self.expect(b')')?;
            }
            "allocsize" | "vscale_range" => {
                self.expect(b'(')?;
                let first = self.number()?;
                let second = if self.eat(b',')? { Some(self.number()?) } else { None };
                self.expect(b')')?;
                // From the first to the second, which is the first if it is not there; 0 is no end.
                let (vscale, most) = (u64::from(VSCALE), second.unwrap_or(first));
                let has_ours = first <= vscale && (most == 0 || most >= vscale);
                if word == "vscale_range" && !has_ours {
                    return self.error_at(at, "vectors that are never of 128 bits are not supported");
                }
                if word == "allocsize" {
                    found.sizes = Some(([first, second.unwrap_or(first)], at as u32));
                }
            }
            "allockind" => {
                self.expect(b'(')?;
                let Token::String(_) = self.token else { return self.expected("a string") };
                self.advance()?;
                self.expect(b')')?;
            }
            "uwtable" => {
                self.note_unwinding();
                if self.eat(b'(')? {
                    if !self.eat_word("sync")? {
                        self.expect_word("async")?;
                    }
                    self.expect(b')')?;
                }
            }
            "range" => {
                self.expect(b'(')?;
                let Token::Word(_) = self.token else { return self.expected("a type") };
                self.advance()?;
                let Token::Int(low) = self.token else { return self.expected("a number") };
                self.advance()?;
                self.expect(b',')?;
                let Token::Int(high) = self.token else { return self.expected("a number") };
                self.advance()?;
                self.expect(b')')?;
                if low == high && low != "0" {
                    return self.error_at(at, "this range is empty");
                }
            }
            "nofpclass" | "captures" | "initializes" => {
                let opening = self.start;
                self.expect(b'(')?;
                if self.token == Token::Mark(b')') {
                    return self.expected("what is meant");
                }
                (self.lexer.at, self.start) = (opening + 1, opening);
                self.token = Token::Mark(b'(');
                self.skip_balanced()?;
            }
            "builtin" => found.builtin = at as u32,
            "optnone" => found.alone = at as u32,
            "noinline" => found.has_noinline = true,
            "alwaysinline" => found.hints.inlining = Inlining::Always,
            "cold" => found.hints.cold = true,
            "optsize" => found.hints.size = found.hints.size.max(Size::Small),
            "minsize" => found.hints.size = Size::Smallest,
            "immarg" => found.immediate = at as u32,
            "returned" => found.returned = at as u32,
            "zeroext" => found.extension = Some(Op::ZExt),
            "signext" => found.extension = Some(Op::SExt),
            _ => found.promises = found.promises.and(promise(word)),
        }
        Ok(())
    }

    /// `(i32)`.
    fn type_in_brackets(&mut self) -> Parsed<Mem> {
        self.expect(b'(')?;
        let mem = self.memory_type()?;
        self.expect(b')')?;
        Ok(mem)
    }

    /// That `immarg` is not said of a value that no intrinsic has.
    pub(super) fn no_immediate(&self, said: &Attributes) -> Parsed<()> {
        match said.immediate {
            0 => Ok(()),
            at => self.error_at(at as usize, "`immarg` cannot stand here, but at intrinsics"),
        }
    }

    /// That at most one of these parameters or arguments is what is returned, and that it is of the result's type.
    pub(super) fn returns_one(
        &self,
        result: Type,
        said: impl Iterator<Item = (Attributes, Type)>,
    ) -> Parsed<()> {
        for (k, (said, ty)) in said.filter(|(said, _)| said.returned != 0).enumerate() {
            if k > 0 || ty != result {
                let at = said.returned as usize;
                return self.error_at(at, "`returned` stands at one parameter, of the result's type");
            }
        }
        Ok(())
    }

    /// That a value of this type can have the attributes that were said of it.
    pub(super) fn suits(&self, said: &Attributes, ty: Type) -> Parsed<()> {
        if said.wants == [0; 4] {
            return Ok(());
        }
        let element = ty.element();
        self.suits_one(said, [element.is_int(), element == Type::Ptr, element.is_float(), ty != Type::Void])
    }

    /// The same of one of several parts.
    pub(super) fn suits_compound(&self, said: &Attributes, compound: &Compound) -> Parsed<()> {
        let is_int = compound.is_integer();
        self.suits_one(said, [is_int, false, !is_int, true])
    }

    fn suits_one(&self, said: &Attributes, is: [bool; 4]) -> Parsed<()> {
        let Some((&at, _)) = said.wants.iter().zip(is).find(|&(&at, is)| at != 0 && !is) else {
            return Ok(());
        };
        let rest = self.lexer.text.get(at as usize..).unwrap_or_default();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        self.error_at(at as usize, format!("`{word}` cannot stand at a value of this type"))
    }

    /// `4`, `(4)` or `=4`; a power of two.
    pub(super) fn alignment(&mut self) -> Parsed<u32> {
        let at = self.start;
        self.eat(b'=')?;
        let closed = self.eat(b'(')?;
        let bytes = self.number()?;
        if closed {
            self.expect(b')')?;
        }
        if !bytes.is_power_of_two() || bytes > u64::from(MOST_ALIGN) {
            return self.error_at(at, format!("an alignment must be a power of two, at most {MOST_ALIGN}"));
        }
        Ok(bytes as u32)
    }

    /// `addrspace(0)`, whose word at this place has been read; there is no other.
    pub(super) fn address_space(&mut self, at: usize) -> Parsed<()> {
        self.expect(b'(')?;
        if self.token != Token::Int("0") {
            return self.error_at(at, "address spaces are not supported");
        }
        self.advance()?;
        self.expect(b')')
    }

    /// `(read, inaccessiblemem: readwrite)`: first what holds for all memory that is not named.
    fn memory_effect(&mut self) -> Parsed<Effect> {
        let mut of = [[false; 2]; 3]; // the caller's memory: arguments and all other, and what the caller cannot see
        self.expect(b'(')?;
        loop {
            let location = match self.token {
                Token::Label(text) => {
                    self.advance()?;
                    Some(text.raw)
                }
                _ => None,
            };
            let Token::Word(word) = self.token else { return self.expected("an access") };
            let Some(access) = accesses(word) else { return self.expected("an access") };
            match location {
                Some("argmem") => of[0] = access,
                Some("inaccessiblemem") => of[2] = access,
                Some(_) => of[1] = [0, 1].map(|k| of[1][k] || access[k]),
                None => of = [access; 3],
            }
            self.advance()?;
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b')')?;
        let bits = [
            (of[0][0] || of[1][0] || of[2] == [true, false], Effect::READS),
            (of[0][1] || of[1][1], Effect::WRITES),
            (of[2][1], Effect::OUTSIDE),
            (of[1] != [false; 2] || of[2] == [true, false], Effect::ANYWHERE),
        ];
        Ok(bits.iter().filter(|row| row.0).fold(Effect::NONE, |all, row| all.with(row.1)))
    }
}

/// What a word of a function's attributes promises. `readnone` and its like are what LLVM 15 wrote.
fn promise(word: &str) -> Promises {
    let memory = match word {
        "readnone" => Effect::NONE,
        "readonly" => Effect::READS.with(Effect::ANYWHERE),
        "writeonly" => Effect::WRITES.with(Effect::OUTSIDE).with(Effect::ANYWHERE),
        "inaccessiblememonly" => Effect::OUTSIDE,
        _ => Effect::ALL,
    };
    let memory = Some(memory).filter(|&memory| memory != Effect::ALL);
    Promises {
        memory,
        no_unwind: word == "nounwind",
        returns: word == "willreturn",
        twice: word == "returns_twice",
    }
}

fn is_type(word: &str) -> bool {
    let width = word.strip_prefix('i').filter(|width| !width.is_empty());
    width.is_some_and(|width| width.bytes().all(|c| c.is_ascii_digit()))
}
