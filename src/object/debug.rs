//! What debuggers are told of an object, as plain tables; `dwarf` makes sections of them, `debug_text` directives.

use super::code::{Code, Spot};
use super::module::Section;
use crate::base::Column;
use std::borrow::Cow;

/// Scopes of a function, or of an inlined call, inside of more scopes than this are told as parts of the last one: readers and
/// writers of DWARF recurse on them. Makers of `Function::scopes` see to it.
pub const DEEPEST: u32 = 48;

crate::handle! {
    /// A type: a row of `Debug::types`.
    pub struct Type("type");
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeRow {
    /// `int`, 4 bytes.
    Int,
    /// `float`, 4 bytes.
    Float,
    /// An array of arrays, by its lengths from the outermost on.
    Array(Type, Vec<u32>),
    /// A pointer.
    Pointer(Type),
    /// What is never written.
    Const(Type),
    /// What is read and written as often as the source says.
    Volatile(Type),
    /// No type: what a pointer to nothing in particular leads to.
    Void,
    /// Another scalar: name, DWARF's encoding, bytes.
    Scalar(String, u8, u32),
    /// Another name.
    Named(String, Type),
    /// A function of this result.
    Function(Type),
    /// Fields in their order, or beside each other.
    Fields(Box<Fields>),
    /// Constants.
    Enumeration(Box<Enumeration>),
}

/// A type of constants with names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enumeration {
    /// Empty if it has none.
    pub name: String,
    /// Bytes of a value.
    pub bytes: u32,
    /// The integer that its values are, or nothing where the source does not say.
    pub of: Type,
    /// See `Fields`.
    pub is_declaration: bool,
    /// Each with its value.
    pub values: Vec<(String, i64)>,
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fields {
    /// Empty if it has none.
    pub name: String,
    /// All of it.
    pub bytes: u32,
    /// All begin at its start.
    pub is_union: bool,
    /// The source says no more than that there is one of this name, so that its size is not known.
    pub is_declaration: bool,
    /// Its fields.
    pub fields: Vec<FieldRow>,
}

/// A field of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldRow {
    /// Empty if it has none.
    pub name: String,
    /// What it is.
    pub ty: Type,
    /// Bits from the start.
    pub at: u32,
    /// Bits, of one that has not as many as its type.
    pub bits: Option<u32>,
}

/// A place in the source that code stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// The row of `Code::lines` that it is made of; the function itself has none.
    pub place: Option<u32>,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// A debugger should stop here for the line.
    pub is_statement: bool,
    /// A debugger should stop here for the function: its arguments are where they will stay.
    pub prologue_end: bool,
}

/// A piece of the source that declares variables, as code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The scope around it, which comes before it; that of the function itself is its own.
    pub parent: u32,
    /// Ascending pieces of the function's code, first byte and one past the last; of the function itself,
    /// nothing.
    pub pieces: Vec<(u32, u32)>,
}

/// Where a variable is, all the time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// Nowhere, or not always in one place.
    Lost,
    /// So many bytes above the caller's stack pointer (below, if negative).
    Frame(i64),
    /// A datum of the object.
    Datum(u32),
    /// It is a constant: an integer, or the bits of a float; what is above the bits of its type means nothing.
    Value(i64),
}

/// A part of a function's code in which a variable is somewhere.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Where it is.
    pub at: Spot,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable<'a> {
    /// As in the source.
    pub name: Cow<'a, str>,
    /// Where it is declared, from 1.
    pub line: u32,
    /// What it is.
    pub ty: Type,
    /// Where it is.
    pub home: Home,
    /// Of a lost one: where it is in some parts of its function, in order.
    pub spans: Vec<Span>,
    /// Of a local one: its scope.
    pub scope: u32,
    /// True of a parameter.
    pub is_parameter: bool,
}

/// A call that has been replaced by what it calls.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The number of the function that was called, which is among `Debug::functions`.
    pub number: u32,
    /// The call in whose text it stands, which comes before it, if not in the function's own.
    pub parent: Option<u32>,
    /// The scope there in which it stands.
    pub scope: u32,
    /// Where it stands, from 1; 0 if unknown.
    pub line: u32,
    /// From 1; 0 if unknown.
    pub column: u32,
    /// Ascending pieces of the code that is there for it.
    pub pieces: Vec<(u32, u32)>,
    /// Where it begins: a byte of a piece.
    pub entry: u32,
    /// As those of the function that was called, with what there is of them here.
    pub scopes: Vec<Scope>,
    /// As those of the function that was called.
    pub variables: Vec<Variable<'a>>,
}

/// A function that has code, or stands in that of another one.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// Its number among the functions of the object; one behind them has no code of its own.
    pub number: u32,
    /// It stands in the code of others, too.
    pub is_inlined: bool,
    /// As in the source.
    pub name: Cow<'a, str>,
    /// Where it is declared, from 1; 0 if unknown.
    pub line: u32,
    /// What it returns, if anything.
    pub result: Option<Type>,
    /// Visible to other objects.
    pub global: bool,
    /// Places of its code, by ascending offset.
    pub lines: Vec<LineRow>,
    /// Scopes, outer ones first; the first is the function itself.
    pub scopes: Vec<Scope>,
    /// Parameters in order, then locals in the order of the source.
    pub variables: Vec<Variable<'a>>,
    /// What it has inlined.
    pub calls: Vec<Call<'a>>,
}

impl<'a> Function<'a> {
    /// One of which nothing but its name is known.
    pub fn named(number: u32, name: impl Into<Cow<'a, str>>, global: bool) -> Function<'a> {
        Function {
            number,
            is_inlined: false,
            name: name.into(),
            line: 0,
            result: None,
            global,
            lines: Vec::new(),
            scopes: vec![Scope::default()],
            variables: Vec::new(),
            calls: Vec::new(),
        }
    }
}

/// What debuggers are told of an object.
#[derive(Clone, Debug)]
pub struct Debug<'a> {
    /// The compiler.
    pub producer: &'a str,
    /// The source.
    pub file: Cow<'a, str>,
    /// What `file` is relative to.
    pub folder: Cow<'a, str>,
    /// Further sources, and the line on which each begins: lines go on from one to the next.
    pub more_files: Cow<'a, [(u32, String)]>,
    /// Types.
    pub types: Column<Type, TypeRow>,
    /// By ascending number.
    pub functions: Vec<Function<'a>>,
    /// Variables and constants outside of functions.
    pub globals: Vec<Variable<'a>>,
}

impl Debug<'_> {
    /// The number of the source that a line is in, and which of its lines it is.
    pub fn line_of(&self, line: u32) -> (usize, u32) {
        let number = self.more_files.partition_point(|row| row.0 <= line);
        let before = number.checked_sub(1).and_then(|k| self.more_files.get(k)).map_or(0, |row| row.0 - 1);
        (number, line - before)
    }
}

/// Where the pieces of an object went.
#[derive(Copy, Clone, Debug)]
pub struct Placed<'a> {
    /// The sections of code: that of most functions, and those that some ask for.
    pub text: &'a [Section],
    /// Per function: its code, if it is defined here, its section, and where it starts there.
    pub code: &'a [(Option<&'a Code>, Section, u64)],
    /// Per datum: its section, and where it starts.
    pub data: &'a [(Section, u64)],
}
