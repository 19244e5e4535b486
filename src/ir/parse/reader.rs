//! A text as its outline and bodies, which are read when they are wanted: some at a time, by workers.
//!
//! What functions share is the caller's meanwhile (`Env`), who may add to it between two calls. Bodies that are asked for
//! together may refer to each other, and to any other: all names are known from the outline. In which order they are asked
//! for shows in the numbers of what they add (`bodies`), and in nothing else; how many are asked for at a time, and how many
//! workers there are, does not show. Linear; a worker's tables are made once, and follow what has been added since.

use super::bodies::{Worker, broken};
use super::error::{Parsed, error_at, placed};
use super::lexer::{Lexer, Token, is_word};
use super::{Definition, ParseError, Parser, Symbol, outline};
use crate::base::graph::Components;
use crate::base::parallel::{Shelf, Workers};
use crate::base::{BitSet, Column, Opt, Rows};
use crate::ir::assembly::Assembly;
use crate::ir::switch::LEAST_TABLE;
use crate::ir::verify::verify_program;
use crate::ir::{Body, Env, FuncId, Module, Type};
use std::borrow::Cow;

/// What a machine does not know of an inline assembly.
pub type Asked = fn(&Assembly) -> Result<(), String>;

/// The machine that text is read for.
#[derive(Copy, Clone, Debug)]
pub struct Platform {
    /// Bytes of a pointer.
    pub pointer_bytes: u32,
    /// The first part of its triple; empty for any.
    pub name: &'static str,
    /// What it is called instead.
    pub names: &'static [&'static str],
    /// Types that need not be aligned in memory.
    pub unaligned: &'static [Type],
    /// So many cases close together are a table (`ir::switch::with_tables`).
    pub least_table: usize,
    /// What it does not know of an inline assembly; none where nothing is asked.
    pub assembly: Option<Asked>,
}

/// The interpreter's machine, which has no calling convention of its own.
pub const ANY: Platform = Platform {
    pointer_bytes: 8,
    name: "",
    names: &[],
    unaligned: &[],
    least_table: LEAST_TABLE,
    assembly: None,
};

/// Reads a module for the interpreter, and verifies it.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    parse_for(text, &ANY)
}

/// The same; bodies keep what values are called.
pub fn parse_named(text: &str) -> Result<Module, ParseError> {
    parse_with(text, &ANY, true, &Workers::new(1)).map_err(|errors| first(text, errors))
}

/// Reads a module for a machine and verifies it. The first error.
pub fn parse_for(text: &str, platform: &Platform) -> Result<Module, ParseError> {
    parse_with(text, platform, false, &Workers::new(1)).map_err(|errors| first(text, errors))
}

fn first(text: &str, errors: Vec<ParseError>) -> ParseError {
    errors.into_iter().next().unwrap_or_else(|| *error_at(text, 0, "this is no module"))
}

/// The same by these workers; with `names`, bodies keep what values are called. All errors: that of the outline, or one
/// for each body, in the order of the text.
pub fn parse_with(
    text: &str,
    platform: &Platform,
    names: bool,
    workers: &Workers,
) -> Result<Module, Vec<ParseError>> {
    let (mut reader, mut env) = Reader::begin(text, platform, names)?;
    let funcs: Vec<FuncId> = reader.functions().map(|row| row.0).collect();
    let bodies = reader.read(&mut env, &funcs, workers)?;
    Ok(Module::new(env, bodies))
}

/// A text of which bodies are still to be read.
pub struct Reader<'a> {
    parser: Parser<'a>,
    definitions: Vec<Definition<'a>>,
    /// The definitions that have been read.
    read: BitSet<FuncId>,
    /// Readers that workers have left.
    shelf: Shelf<Option<Worker<'a>>>,
}

impl<'a> Reader<'a> {
    /// Reads and verifies everything but bodies. The error, if there is one.
    pub fn begin(
        text: &'a str,
        platform: &Platform,
        names: bool,
    ) -> Result<(Reader<'a>, Env), Vec<ParseError>> {
        let outline = outline(text, platform, names);
        outline.and_then(Reader::of).map_err(|error| placed(text, vec![*error]))
    }

    pub(super) fn of(mut parser: Parser<'a>) -> Parsed<(Reader<'a>, Env)> {
        let definitions = std::mem::take(&mut parser.definitions);
        let env = std::mem::take(&mut parser.module.env);
        verify_program(&env).map_err(|error| {
            let of = definitions.iter().find(|row| Some(row.func) == error.func);
            broken(parser.lexer.text, &error, of.map_or(0, |row| row.header), None)
        })?;
        let read = BitSet::new(env.funcs.len());
        Ok((Reader { parser, definitions, read, shelf: Shelf::default() }, env))
    }

    /// Bodies that are read from now on keep what is said of variables, for debuggers.
    pub fn tell_variables(&mut self) {
        self.parser.keeps_debug_records = true;
    }

    /// The functions that are defined, in the order of the text, with how many bytes of it each is.
    pub fn functions(&self) -> impl Iterator<Item = (FuncId, usize)> {
        self.definitions.iter().map(|row| (row.func, row.end - row.start))
    }

    /// Those that have not been asked for.
    pub fn rest(&self) -> Vec<FuncId> {
        let funcs = self.definitions.iter().map(|row| row.func);
        funcs.filter(|&func| !self.read.contains(func)).collect()
    }

    /// True if all have been.
    pub fn is_done(&self) -> bool {
        self.read.count() == self.definitions.len()
    }

    /// The same functions with the number of the component of the graph of calls that each is in; those that a function
    /// calls, or takes the address of, come in front of it, or are in its component. What is not named where it is called
    /// (the C library's functions that intrinsics stand for) is not seen. O(bytes), of which all but names are stepped over:
    /// 1.2% of -O1.
    pub fn components(&self, env: &Env, workers: &Workers) -> Vec<(FuncId, u32)> {
        let mut defined = BitSet::new(env.funcs.len());
        self.definitions.iter().for_each(|row| _ = defined.insert(row.func));
        let mut rows: Vec<&Definition> = self.definitions.iter().collect();
        let text = self.parser.lexer.text;
        // Per function of a worker: the last that named it.
        let named = |by: &mut Column<FuncId, Opt<FuncId>>, row: &Definition| {
            let mut found: Vec<(FuncId, FuncId)> = Vec::new();
            for at in memchr::memchr_iter(b'@', &text.as_bytes()[row.start..row.end]) {
                let name = self.name_at(row.start + at);
                if let Some(name) = name.and_then(|name| env.names.find(&name))
                    && let Some(&Symbol::Func(func)) = self.parser.symbols.get(name)
                    && defined.contains(func)
                    && by[func] != Opt::some(row.func)
                {
                    by[func] = Opt::some(row.func);
                    found.push((row.func, func));
                }
            }
            found
        };
        let found = workers.map_by_size(
            &mut rows,
            |_, row| row.end - row.start,
            || Column::filled(env.funcs.len(), Opt::NONE),
            |by, _, row| named(by, row),
        );
        let mut callees: Rows<FuncId, FuncId> = Rows::default();
        callees.fill(env.funcs.len(), &found.concat());
        let mut out = Vec::with_capacity(self.definitions.len());
        for (component, members) in Components::of(env.funcs.len(), &callees).iter().enumerate() {
            let from = out.len();
            let members = members.iter().filter(|&&func| defined.contains(func));
            out.extend(members.map(|&func| (func, component as u32)));
            out[from..].sort_unstable();
        }
        out
    }

    /// The name that follows an `@`.
    fn name_at(&self, at: usize) -> Option<Cow<'a, str>> {
        let text = self.parser.lexer.text;
        let rest = text.get(at + 1..)?;
        let end = rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
        if end > 0 {
            return Some(Cow::Borrowed(&rest[..end]));
        }
        let mut token = Token::End;
        Lexer { text, at }.read(&mut token).ok()?;
        if let Token::Global(name) = token { self.parser.name_text(name).ok() } else { None }
    }

    /// Reads and verifies the bodies of functions that have not been asked for, in this order. All errors, in the order of
    /// the text: one for each body.
    pub fn read(
        &mut self,
        env: &mut Env,
        funcs: &[FuncId],
        workers: &Workers,
    ) -> Result<Vec<Body>, Vec<ParseError>> {
        let Reader { parser, definitions, read, shelf } = self;
        let find = |func: FuncId| definitions.binary_search_by_key(&func, |row| row.func).ok();
        let wanted = funcs.iter().copied().filter(|&func| read.insert(func));
        let mut rows: Vec<&Definition> = wanted.filter_map(find).map(|k| &definitions[k]).collect();
        let done = {
            let (parser, env) = (&*parser, &*env);
            workers.map_by_size(
                &mut rows,
                |_, row| row.end - row.start,
                || {
                    let mut lent = shelf.take();
                    lent.get().get_or_insert_with(|| Worker::new(parser, env)).follow(env);
                    lent
                },
                |lent, _, row| lent.get().get_or_insert_with(|| Worker::new(parser, env)).body(row),
            )
        };
        let (mut bodies, mut errors) = (Vec::with_capacity(done.len()), Vec::new());
        for result in done {
            match result {
                Ok((mut body, added)) => {
                    parser.take(env, &mut body, added);
                    bodies.push(body);
                }
                Err(error) => errors.push(*error),
            }
        }
        if errors.is_empty() {
            return Ok(bodies);
        }
        errors.sort_by_key(|error| error.offset);
        Err(placed(parser.lexer.text, errors))
    }
}
