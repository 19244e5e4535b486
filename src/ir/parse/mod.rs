//! LLVM IR text to a module: the subset that the tables hold, as `print` writes it and as clang and opt do.
//!
//! Two sweeps over the text. The first takes globals and signatures and steps over bodies, so that the
//! second, a function at a time and by workers, knows every name. What is advice to LLVM's optimiser is stepped over: most
//! attributes (`keywords` has a row for each word), metadata, debug records, orders of uses, fast-math flags. A few things are
//! translated: `switch` to a tree of comparisons (`switch`), `freeze` to its operand (our undef is one value; of undef
//! itself to 0), narrow arguments and results that are `zeroext` or `signext` to i32 with conversions, an
//! address as a constant expression to an instruction in the entry block, structs to bytes (`layout`), accesses that are
//! aligned less than their type to accesses of parts (`access`). Linkage, alignment, and what
//! declarations say of effects are kept (`attribute`). Everything else is an error with line and column: also
//! what would change the meaning of code or data, as address spaces, a triple
//! or data layout of another machine.
//!
//! Instructions keep where they stood in the text as their source location. The module is verified before it
//! is returned. Linear; nothing recurses on the depth of the input, and objects are limited to 2 GiB.
//!
//! A global whose type is a struct of arrays of one scalar (what clang writes for large, mostly zero arrays)
//! has the shape that its last piece of length zero names, or else is a flat array; see `print`.

mod access;
mod aggregate;
mod alias;
mod any_width;
mod assembly;
mod atomic;
mod attribute;
mod blocks;
mod bodies;
mod body;
mod builder;
mod call;
mod carried;
mod constant;
mod contents;
mod copies;
pub mod debug_info;
mod debug_records;
mod error;
mod expand;
mod flags;
mod function;
mod global;
mod half;
mod head;
mod instruction;
pub mod keywords;
mod lanes;
mod layout;
mod lexer;
mod line;
mod line_call;
mod metadata;
mod neon;
mod operand;
mod overflow;
mod parts;
mod quad;
mod reader;
mod resolve;
mod special;
mod stack;
mod switch;
mod tail;
#[cfg(test)]
mod tests;
mod unsigned;
mod unwind;
mod va_arg;
mod vector;
mod vector_call;
mod wide;
mod wide_arithmetic;
mod wide_lanes;
mod words;

use super::effect::{Effect, Promises};
use super::section;
use super::{FuncId, GlobalId, Hints, Module, Parts, Shape, Shapes, Type};
use crate::base::{Column, Name};
use attribute::{Attributes, Extended, Sizes};
pub use error::ParseError;
use error::{Parsed, error_at};
use keywords::Places;
use layout::Layouts;
use lexer::{Lexer, Text, Token};
use metadata::Nodes;
pub use reader::{ANY, Asked, Platform, Reader, parse, parse_for, parse_named, parse_with};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Everything but bodies.
fn outline<'a>(text: &'a str, platform: &Platform, names: bool) -> Parsed<Parser<'a>> {
    if text.len() >= u32::MAX as usize {
        return Err(error_at(text, 0, "the text is larger than 4 GiB"));
    }
    let mut p = Parser {
        lexer: Lexer { text, at: 0 },
        token: Token::End,
        start: 0,
        platform: *platform,
        module: Module::default(),
        symbols: Column::new(),
        definitions: Vec::new(),
        declared: Vec::new(),
        extended: Column::new(),
        names,
        keeps_debug_records: false,
        forms: Forms::default(),
        groups: Vec::new(),
        said: Attributes::default(),
        marks: Vec::new(),
        has_triple: false,
        listed: None,
        met_wide: false,
        met_small: false,
        takes_small: false,
        small: false,
        met_scalable: false,
        lane: None,
        is_lane: false,
        by_address: BTreeMap::new(),
        jump: None,
        layouts: Layouts::default(),
        pending: Vec::new(),
        indirect: BTreeMap::new(),
        blocks: blocks::Named::default(),
        here: None,
        met_number: false,
        used: Vec::new(),
        around: Vec::new(),
        aliases: Vec::new(),
        places: Vec::new(),
        holders: BTreeMap::new(),
        sections: BTreeMap::new(),
        nodes: Nodes::default(),
        flags: None,
        comdats: BTreeSet::new(),
        in_comdats: Vec::new(),
        in_groups: Vec::new(),
        personalities: Vec::new(),
        entry_counts: Vec::new(),
    };
    p.module.env.shapes = Shapes::with_pointers(platform.pointer_bytes);
    p.advance()?;
    while p.token != Token::End {
        p.top_level()?;
    }
    p.settle_nodes()?;
    p.settle_flags();
    p.settle_heads()?;
    p.settle_entry_counts();
    p.settle_aliases()?;
    p.settle_special()?;
    p.settle_addresses()?;
    p.settle_holders();
    p.settle_blocks()?;
    for &(func, attributes) in &p.declared {
        let group = attributes.group.and_then(|number| {
            let k = p.groups.binary_search_by_key(&number, |row| row.0).ok()?;
            Some(p.groups[k].1)
        });
        let effect = attributes.promises.and(group.unwrap_or_default()).effect();
        let row = &mut p.module.env.funcs[func];
        // The parts of its result are stored.
        let has_results = p.by_address.contains_key(&func) && row.result == Type::Void
            || row.parts.as_ref().is_some_and(|parts| !parts.results.is_empty());
        row.effect = if has_results { effect.with(Effect::WRITES) } else { effect };
    }
    Ok(p)
}

/// How instructions are read.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Forms {
    /// As lines where they are in their usual form, else by tokens.
    #[default]
    Any,
    #[cfg(test)]
    Tokens,
    #[cfg(test)]
    Lines,
}

/// What a global name stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Symbol {
    None,
    Global(GlobalId),
    Func(FuncId),
    /// Data whose address is no constant: thread-local, or what need not be there.
    Special(GlobalId),
    /// Another name, by its number.
    Alias(u32),
    /// A place in data, by its number among `Parser::places`.
    Place(u32),
}

/// A function whose body is still to be read.
struct Definition<'a> {
    func: FuncId,
    /// Where its name stands.
    header: usize,
    /// What parameters are called.
    params: Vec<Option<Text<'a>>>,
    /// Those that are one of the text, in order.
    compounds: Vec<parts::Parameter<'a>>,
    /// Behind the opening brace.
    start: usize,
    /// Behind the closing one.
    end: usize,
}

/// What is called by its address: its result, arguments, whether variadic ones follow, whether the first is where the result
/// goes and whether it is called by `tailcc`, and parts.
type Indirect = (Type, Vec<Type>, [bool; 3], Option<Box<Parts>>);

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// Where `token` starts.
    start: usize,
    platform: Platform,
    module: Module,
    symbols: Column<Name, Symbol>,
    definitions: Vec<Definition<'a>>,
    /// Declared functions, with what stands behind their parameters.
    declared: Vec<(FuncId, Attributes)>,
    /// Per function: how its result and its parameters are extended; empty if none is.
    extended: Column<FuncId, Vec<Extended>>,
    /// Bodies keep what values are called.
    names: bool,
    /// Bodies keep what is said of variables.
    keeps_debug_records: bool,
    forms: Forms,
    /// Groups of attributes: what they promise, and which parameters say how much is allocated.
    groups: Vec<(u64, Promises, Option<Sizes>, Hints)>,
    /// What was said of the operand that was read last.
    said: Attributes,
    /// What was said of parts (`print/parts`), until it is taken.
    marks: Vec<(&'a str, &'a str)>,
    /// The text says which machine it is for, as compilers do.
    has_triple: bool,
    /// The machine that the text is for, where it is read to be run and that machine has lists of variadic arguments of another
    /// form than an address.
    listed: Option<&'a str>,
    /// An integer type that the tables lack stood where a type of theirs was looked for.
    met_wide: bool,
    /// It was `half` or `bfloat`.
    met_small: bool,
    /// These may stand here, for the integers that their bits are; the last type was one of them (`half`).
    takes_small: bool,
    small: bool,
    /// A vector type was read whose length the machine chooses.
    met_scalable: bool,
    /// An instruction is read once a lane of its vectors (`lanes`): which one, and how many there are.
    lane: Option<(u32, u32)>,
    /// The type that was read last stands for a vector then.
    is_lane: bool,
    /// Functions whose result has vectors or too many parts: they take the address of where it goes. Its width, if it is
    /// an integer, or its type.
    by_address: BTreeMap<FuncId, (Option<u32>, Option<layout::Mem>)>,
    /// The call that is read has to be a jump (`tail`), and whether it has a result: where parts of that go is where its
    /// function's go.
    jump: Option<bool>,
    /// Types that are more than scalars and arrays of them.
    layouts: Layouts<'a>,
    /// Addresses in the contents of globals.
    pending: Vec<constant::Pending<'a>>,
    /// The functions that stand for what is called by its address.
    indirect: BTreeMap<Indirect, FuncId>,
    /// The blocks that data name.
    blocks: blocks::Named,
    /// The function whose body is read, and the numbers of its blocks.
    here: Option<(Name, blocks::Numbers)>,
    /// The address of a number stood where data have words of 32 bits.
    met_number: bool,
    /// What `llvm.used` and its like keep, with where that is said.
    used: Vec<(Text<'a>, usize)>,
    /// What runs before main, or behind it.
    around: Vec<special::Around<'a>>,
    /// Other names.
    aliases: Vec<alias::Read<'a>>,
    /// What aliases with a distance lead to: so many bytes behind the start of data.
    places: Vec<(GlobalId, i64)>,
    /// Of what need not be there: what holds its address.
    holders: BTreeMap<GlobalId, GlobalId>,
    /// What the sections that the text names have.
    sections: BTreeMap<Name, section::Content>,
    nodes: Nodes,
    /// Behind the opening of the list of the module's flags.
    flags: Option<usize>,
    /// The comdats that are defined.
    comdats: BTreeSet<&'a str>,
    /// Those that something is in, and where that is said.
    in_comdats: Vec<(&'a str, usize)>,
    /// Functions, and the groups of their attributes.
    in_groups: Vec<(u64, FuncId)>,
    /// Functions that say what catches in others, where that is said, and of which.
    personalities: Vec<(Text<'a>, usize, FuncId)>,
    /// Functions, and where it stands how often they were called: the name of a node, and what is behind that.
    entry_counts: Vec<(FuncId, &'a str, Lexer<'a>)>,
}

/// No shape has more dimensions, so that text stays linear in it.
const DEEPEST: usize = 256;

impl<'a> Parser<'a> {
    // ---- Tokens -----------------------------------------------------------------------------------------

    fn advance(&mut self) -> Parsed<()> {
        self.start = self.lexer.read(&mut self.token)?;
        Ok(())
    }

    #[cold]
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        self.error_at(self.start, message)
    }

    #[cold]
    fn error_at<T>(&self, at: usize, message: impl Into<String>) -> Parsed<T> {
        Err(error_at(self.lexer.text, at, message))
    }

    /// The token's text, for messages.
    fn found(&self) -> String {
        if self.token == Token::End {
            return "the end of the text".to_string();
        }
        let text: String = self.lexer.text[self.start..self.lexer.at].chars().take(40).collect();
        format!("`{text}`")
    }

    #[cold]
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("expected {what}, found {}", self.found()))
    }

    fn eat(&mut self, mark: u8) -> Parsed<bool> {
        let here = matches!(self.token, Token::Mark(found) if found == mark);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    /// A comma, with something behind it.
    fn another(&mut self) -> Parsed<bool> {
        let here = self.eat(b',')?;
        if here && self.token == Token::Mark(b')') {
            self.expected("something behind the comma")
        } else {
            Ok(here)
        }
    }

    fn expect(&mut self, mark: u8) -> Parsed<()> {
        if self.eat(mark)? { Ok(()) } else { self.expected_mark(mark) }
    }

    #[cold]
    fn expected_mark(&self, mark: u8) -> Parsed<()> {
        self.expected(&format!("`{}`", char::from(mark)))
    }

    #[inline]
    fn eat_word(&mut self, word: &str) -> Parsed<bool> {
        let here = matches!(self.token, Token::Word(found) if found == word);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word)? { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Any of these words, in any number.
    fn skip_words(&mut self, words: &[&str]) -> Parsed<()> {
        while matches!(self.token, Token::Word(word) if words.contains(&word)) {
            self.advance()?;
        }
        Ok(())
    }

    fn number(&mut self) -> Parsed<u64> {
        if let Token::Int(text) = self.token
            && let Ok(x) = text.parse()
        {
            self.advance()?;
            return Ok(x);
        }
        self.expected("a number")
    }

    /// Steps over `(...)`, `{...}` or `[...]`, brackets inside included; the token is the opening one.
    fn skip_balanced(&mut self) -> Parsed<()> {
        let opening = self.start;
        let mut depth = 0u32;
        loop {
            match self.token {
                Token::Mark(b'(' | b'{' | b'[') => depth += 1,
                Token::Mark(b')' | b'}' | b']') => depth = depth.saturating_sub(1),
                Token::End => return Err(error_at(self.lexer.text, opening, "this bracket is never closed")),
                Token::Meta(name) => self.use_node(name)?,
                _ => {}
            }
            self.advance()?;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Steps over an order of uses, which says nothing of the program.
    fn skip_use_list(&mut self) -> Parsed<()> {
        while !matches!(self.token, Token::Mark(b'{') | Token::End) {
            self.advance()?;
        }
        self.skip_balanced()
    }

    // ---- Names and types --------------------------------------------------------------------------------

    fn name_text(&self, text: Text<'a>) -> Parsed<Cow<'a, str>> {
        if !text.quoted {
            return Ok(Cow::Borrowed(text.raw));
        }
        match String::from_utf8(text.bytes()) {
            Ok(name) => Ok(Cow::Owned(name)),
            Err(_) => self.error("a name must be UTF-8"),
        }
    }

    /// Gives a global name its meaning.
    fn define(&mut self, text: Text<'a>, at: usize, symbol: Symbol) -> Parsed<Name> {
        let text = self.name_text(text)?;
        if text.chars().any(char::is_control) {
            return self.error_at(at, "a control character in a name is not supported");
        }
        let name = self.module.env.names.intern(&text);
        self.symbols.grow_to(self.module.env.names.len(), Symbol::None);
        if self.symbols[name] != Symbol::None {
            return Err(error_at(self.lexer.text, at, format!("`{text}` is defined twice")));
        }
        self.symbols[name] = symbol;
        Ok(name)
    }

    /// How the result (0) or a parameter (from 1) of a function travels.
    fn extended(&self, func: FuncId, k: usize) -> Extended {
        self.extended[func].get(k).copied().flatten()
    }

    fn symbol(&self, text: Text<'a>) -> Parsed<Symbol> {
        let name = self.module.env.names.find(&self.name_text(text)?);
        Ok(name.and_then(|name| self.symbols.get(name)).copied().unwrap_or(Symbol::None))
    }

    /// The type that a word names.
    fn type_of_word(word: &str) -> Option<Type> {
        // Most are one of two.
        match word {
            "ptr" => Some(Type::Ptr),
            "i32" => Some(Type::I32),
            _ => words::meaning(word).ty,
        }
    }

    /// A type that a value or result can have.
    fn ty(&mut self) -> Parsed<Type> {
        let ty = match self.token {
            Token::Word(word) => Self::type_of_word(word),
            Token::Mark(b'<') => return self.vector(),
            Token::Mark(b'[' | b'{') => return self.error("values of aggregate type are not supported"),
            _ => return self.expected("a type"),
        };
        let Some(ty) = ty else {
            if self.at_small().is_some() {
                if self.takes_small {
                    (self.small, self.is_lane) = (true, false);
                    self.advance()?;
                    return Ok(Type::I16);
                }
                self.met_small = true;
            }
            self.met_wide |= self.met_small || self.wide_type().is_some() || self.at_quad();
            return self.error(format!("the type {} is not supported", self.found()));
        };
        (self.small, self.is_lane) = (false, false);
        self.advance()?;
        let at = self.start;
        if ty == Type::Ptr && self.eat_word("addrspace")? {
            self.address_space(at)?;
        }
        if self.token == Token::Mark(b'*') {
            return self.error("typed pointers are not supported; use LLVM 15 or later");
        }
        Ok(ty)
    }

    /// A scalar or an array of arrays of it.
    fn shape(&mut self) -> Parsed<Shape> {
        let at = self.start;
        let mut lengths = Vec::new();
        while self.eat(b'[')? {
            let length = self.number()?;
            self.expect_word("x")?;
            if length > i32::MAX as u64 || lengths.len() == DEEPEST {
                return Err(error_at(self.lexer.text, at, "this array is too large"));
            }
            lengths.push(length as u32);
        }
        if self.token == Token::Mark(b'{') || self.token == Token::Mark(b'<') {
            return self.error("structs and vectors are not supported here");
        }
        let scalar = self.ty()?;
        for _ in &lengths {
            self.expect(b']')?;
        }
        let shape = self.module.env.shapes.of(scalar, &lengths);
        if self.module.env.shapes.bytes(shape) > i32::MAX as u64 {
            return Err(error_at(self.lexer.text, at, "this array is larger than 2 GiB"));
        }
        Ok(shape)
    }

    // ---- Top level --------------------------------------------------------------------------------------

    fn top_level(&mut self) -> Parsed<()> {
        match self.token {
            Token::Global(name) => self.global(name),
            Token::Word("define") => self.function(true),
            Token::Word("declare") => self.function(false),
            Token::Word("target") => self.target(),
            Token::Word("source_filename") => {
                self.advance()?;
                self.expect(b'=')?;
                let Token::String(_) = self.token else { return self.expected("a string") };
                self.advance()
            }
            Token::Word("attributes") => {
                self.advance()?;
                let Token::Hash(number) = self.token else { return self.expected("a group of attributes") };
                self.advance()?;
                self.expect(b'=')?;
                self.expect(b'{')?;
                let all = self.attributes(Places::FUNCTION)?;
                let (Attributes { promises, sizes, group, .. }, hints) = (all, all.hints());
                if group.is_some() {
                    return self.error("a group cannot be in a group");
                }
                self.groups.extend(number.parse::<u64>().map(|number| (number, promises, sizes, hints)));
                self.expect(b'}')
            }
            Token::Word("uselistorder" | "uselistorder_bb") => self.skip_use_list(),
            Token::Word("module") => self.error("assembly of the module is not supported"),
            Token::Word(word) if word.starts_with('$') => self.comdat_definition(),
            Token::Meta(name) => self.metadata(name),
            Token::Local(_) => self.named_type(),
            _ => self.expected("a global, a function, metadata or attributes"),
        }
    }

    /// `target triple = "..."` and `target datalayout = "..."`, which have to be those of the machine.
    fn target(&mut self) -> Parsed<()> {
        self.advance()?;
        let is_layout = self.token == Token::Word("datalayout");
        self.advance()?;
        self.expect(b'=')?;
        let Token::String(text) = self.token else { return self.expected("a string") };
        let Platform { pointer_bytes, name, names, .. } = self.platform;
        if !is_layout {
            let of = text.split('-').next().unwrap_or("");
            if ![of, ""].contains(&name) && !names.contains(&of) {
                return self.error(format!("this is for `{text}`, not for {name}"));
            }
            self.has_triple = name == of || names.contains(&of);
            self.listed = Some(of).filter(|of| name.is_empty() && *of != "riscv64");
            return self.advance();
        }
        let has_pointers = text.split('-').any(|part| part.starts_with("p:") || part.starts_with("p0:"));
        if !has_pointers && pointer_bytes != 8 {
            return self.error("this is for a machine with pointers of 8 bytes");
        }
        for part in text.split('-') {
            let pointer = part.strip_prefix("p:").or(part.strip_prefix("p0:"));
            let wrong = match pointer.and_then(|sizes| sizes.split(':').next()) {
                Some(bits) => bits.parse() != Ok(8 * pointer_bytes),
                None => matches!(part.as_bytes(), [b'E'] | [b'A' | b'G' | b'P', b'1'..=b'9', ..]),
            };
            if wrong {
                return self.error(format!("this machine has no `{part}`"));
            }
        }
        self.advance()
    }
}
