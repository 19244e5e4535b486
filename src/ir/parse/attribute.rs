//! Attributes of globals, functions, parameters, results and calls: one walker for all places.
//!
//! What promises something that we use is kept, what changes the meaning of code and is not supported is an
//! error at its place, and everything else is advice to LLVM's optimiser, which is skipped.

use super::layout::Mem;
use super::lexer::Token;
use super::words::{Among, meaning};
use super::{Parsed, Parser};
use crate::ir::effect::{Effect, Promises};
use crate::ir::types::MOST_ALIGN;
use crate::ir::{Op, Type};

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
    /// What it is aligned to on the stack; 0 for none.
    pub(super) stack_align: u32,
    /// `#0`.
    pub(super) group: Option<u64>,
}

/// A value that is extended on its way into a function or out of it: how, and from what. It travels as an
/// i32.
pub(super) type Extended = Option<(Op, Type)>;

impl Attributes {
    /// How a value of this type travels. Values of 32 bits and more are as all targets want them.
    pub(super) fn extended(self, ty: Type) -> Extended {
        self.extension.filter(|_| matches!(ty, Type::I1 | Type::I8 | Type::I16)).map(|op| (op, ty))
    }
}

/// What such a value travels as.
pub(super) fn carrier(extended: Extended, ty: Type) -> Type {
    match extended {
        Some((_, Type::I32)) => Type::I64,
        Some(_) => Type::I32,
        None => ty,
    }
}

/// Words that would change what code means.
#[rustfmt::skip]
pub(super) const REFUSED: &[&str] = &[
    "prefix", "prologue", "personality", "gc", "naked", "partition",
    "dllimport", "dllexport", "externally_initialized", "inreg", "byref", "inalloca", "preallocated", "nest", "swiftself", "swifterror", "swiftasync",
    "cc", "ghccc", "swiftcc", "swifttailcc", "tailcc", "anyregcc", "preserve_mostcc", "preserve_allcc",
    "preserve_nonecc", "cxx_fast_tlscc", "cfguard_checkcc", "webkit_jscc", "arm_apcscc", "arm_aapcscc",
    "aarch64_vector_pcs", "aarch64_sve_vector_pcs",
];

/// Words that end attributes: types, constants, and the start of something else.
#[rustfmt::skip]
pub(super) const OTHERS: &[&str] = &[
    "void", "label", "metadata", "half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128", "ptr",
    "true", "false", "undef", "poison", "null", "none", "zeroinitializer", "getelementptr", "blockaddress",
    "global", "constant", "define", "declare", "target", "source_filename", "attributes", "uselistorder",
    "uselistorder_bb", "to", "x", "splat", "ptrtoint", "inttoptr", "bitcast", "add", "sub", "trunc", "asm",
    "module", "alias", "ifunc", "type", "section", "thread_local",
    // Linkage stands in front of all attributes: behind them it would say nothing.
    "external", "private", "internal", "weak", "weak_odr", "linkonce", "linkonce_odr", "extern_weak", "common",
    "available_externally", "appending",
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

    /// Steps over attributes: words with or without `(...)`, `align 4`, `"key"="value"`, `#0`. Stops at a
    /// type, a value, or anything else.
    pub(super) fn attributes(&mut self) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        loop {
            let promises = match self.token {
                Token::Word("align") => {
                    self.advance()?;
                    found.align = self.alignment()?;
                    continue;
                }
                Token::Word("addrspace") => {
                    self.address_space()?;
                    continue;
                }
                Token::Word("alignstack") => {
                    self.advance()?;
                    found.stack_align = self.alignment()?;
                    continue;
                }
                Token::Word("byval") => {
                    self.advance()?;
                    self.expect(b'(')?;
                    found.by_value = Some(self.memory_type()?);
                    self.expect(b')')?;
                    continue;
                }
                Token::Word("memory") => {
                    self.advance()?;
                    Promises { memory: Some(self.memory_effect()?), ..Promises::default() }
                }
                Token::Word(word) => {
                    match meaning(word).among {
                        Among::Refused => return self.error(format!("{} is not supported", self.found())),
                        Among::Attributes if !is_type(word) && !word.starts_with('$') => {}
                        _ => return Ok(found),
                    }
                    self.advance()?;
                    if self.token == Token::Mark(b'(')
                        && !matches!(word, "unnamed_addr" | "local_unnamed_addr")
                    {
                        self.skip_balanced()?;
                    }
                    match word {
                        "zeroext" => found.extension = Some(Op::ZExt),
                        "signext" => found.extension = Some(Op::SExt),
                        "sret" => found.is_result = true,
                        _ => {}
                    }
                    promise(word)
                }
                Token::Hash(text) => {
                    found.group = text.parse().ok();
                    self.advance()?;
                    continue;
                }
                Token::String(key) => {
                    self.advance()?;
                    let mut value = "";
                    if self.eat(b'=')? {
                        if let Token::String(text) = self.token {
                            value = text;
                        }
                        self.advance()?;
                    }
                    if matches!(key, "results" | "further" | "parts") {
                        self.marks.push((key, value));
                    }
                    continue;
                }
                _ => return Ok(found),
            };
            found.promises = found.promises.and(promises);
        }
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

    /// `addrspace(0)`; there is no other.
    pub(super) fn address_space(&mut self) -> Parsed<()> {
        let at = self.start;
        self.advance()?;
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
