//! What a program means: names resolved, types and constants known, initialisers laid out, rules checked.
//!
//! 1. Symbols of the outline are counted, so that every declaration has its number (`symbol`);
//! 2. globals and signatures, in file order (`outline`);
//! 3. each function's body, on any worker (`check_body`): it depends on what was declared above it and on
//!    nothing else, and writes columns of its own.
//!
//! Each is one forward sweep over the postorder rows: a node's operands are the rows right before it and
//! their classes are known when it is reached, so there is no value stack, and nothing recurses. All steps
//! are linear: a name is looked up in a column indexed by `Name` with an undo log per scope; an array type is
//! a row of a table (`ty`).
//!
//! # Where conversions stand
//!
//! The tree has no conversion nodes. A value of class int or float converts
//!
//! - to float, if it is an int operand of a `Binary` arithmetic or comparison whose other operand is float;
//! - to the l-value's type under `Assign`; to the symbol's element type under `VarDef` and as an element of
//!   an initialiser; to the parameter's type as an argument of `Call`; to the function's under `Return`;
//! - to double as an argument of `putf` behind the format;
//! - to "differs from 0" (or from 0.0, so that NaN holds) under `IfCond`, `WhileCond`, `AndLhs`, `OrLhs`, as
//!   the right side of `And` and `Or`, and as the operand of `!`.
//!
//! `!`, comparisons, `&&` and `||` give int. Unary `+` and `-`, and `Paren`, keep the type. `Sema::constant`
//! is in the node's own type; `Const::to` converts. Values in `Symbol::data` and images are converted
//! already.
//!
//! | file | holds |
//! | --- | --- |
//! | `ty` | types, constants, the class of a node |
//! | `symbol` | symbols |
//! | `runtime` | the runtime library's functions |
//! | `warning`, `explain` | warning groups; what each code means |
//! | `init` | resolved initialisers |
//! | `fold` | operators on constants |
//! | `program` | the order of work, and which job owns which rows |
//! | `checker` | the sweep and its tables |
//! | `scope` | names to symbols |
//! | `decl`, `listing` | declarations and signatures; initialiser lists |
//! | `expr`, `call`, `format` | expressions; calls; the format of `putf` |
//! | `tensor`, `results` | operators on tensors; the shapes of those that functions return |
//! | `stmt` | statements and reachability |
//! | `dump` | a checked tree as text |
//! | `layout` | indentation that says something else |
//! | `suspect` | what was probably not meant |
//! | `flow` | variables without a value, endless loops and statements that are not reached, where warnings ask for them |
//! | `rounds` | loops that count past the end of an array |

mod call;
mod checker;
mod decl;
pub mod dump;
pub mod explain;
mod expr;
mod flow;
pub mod fold;
mod format;
pub mod init;
mod layout;
mod listing;
mod program;
pub mod results;
mod rounds;
pub mod runtime;
mod scope;
mod stmt;
mod suspect;
pub mod symbol;
mod tensor;
pub mod ty;
pub mod warning;

pub use init::{Element, Init, Inits};
pub use program::{BodyTables, Outline, Role, check_body, interner, outline, outline_as};
pub use symbol::{NO_PLACE, Sym, Symbol, SymbolKind};
pub use ty::{Class, Const, Dim, DimRow, Scalar, Ty, TyView};
pub use warning::{Warning, WarningSet};

use crate::base::{Column, Handle, Interner};
use crate::syntax::tree::Node;
use std::ops::Range;
use symbol::NO_INIT;

/// A function of the program.
#[derive(Copy, Clone, Debug)]
pub struct Function {
    /// Its symbol; the parameters are the `params(sym)` next ones.
    pub sym: Sym,
    /// Its `FuncSignature`; the body's `BlockStart` is the next node.
    pub signature: Node,
    /// Its `FuncDef`, the last node.
    pub def: Node,
}

/// What of a source others may name.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Exports {
    /// `main`.
    #[default]
    Main,
    /// `main`, and what is declared `extern` besides being defined.
    Extern,
    /// All functions and variables.
    All,
}

/// The meaning of a program. Complete only if no error was reported.
#[derive(Clone, Debug, Default)]
pub struct Sema {
    /// All names.
    pub names: Interner,
    /// The symbols that functions share; see `symbol` for their order. Those of each body follow.
    pub symbols: Column<Sym, Symbol>,
    /// The dimensions of their arrays; those of each body follow likewise.
    pub dims: Column<Dim, DimRow>,
    /// All initialiser lists.
    pub inits: Inits,
    /// Per node: what is known of it.
    pub class: Column<Node, Class>,
    /// Per node: what `class` says.
    pub data: Column<Node, u32>,
    /// Global variables and constants in file order.
    pub globals: Vec<Sym>,
    /// Functions in file order.
    pub functions: Vec<Function>,
    /// Prototypes and `extern` declarations in file order, and what each stands for in this source: its definition,
    /// or a declaration before it.
    pub declared: Vec<Sym>,
    /// See `declared`.
    pub same: Vec<Option<Sym>>,
    /// What others may name.
    pub exports: Exports,
    /// What could be called without being defined.
    pub library: &'static runtime::Library,
}

impl Sema {
    /// True if a function may call one below it: a prototype names it.
    pub fn calls_down(&self) -> bool {
        let defined = |sym: &Sym| !self.symbols[*sym].declared && self.symbols[*sym].is_function();
        self.same.iter().flatten().any(defined)
    }

    /// True if something is declared and not defined here.
    pub fn is_open(&self) -> bool {
        self.same.iter().any(Option::is_none)
    }

    /// What functions share.
    pub fn checked(&self) -> Checked<'_> {
        Checked {
            class: &self.class,
            data: &self.data,
            shared: self,
            symbols: &[],
            dims: &[],
            inits: &self.inits,
            symbol_base: self.symbols.len(),
            dim_base: self.dims.len(),
        }
    }
}

/// What is known of the rows of one tree: that of the outline, or that of one function's body, whose own
/// symbols, dimensions and initialisers then stand in tables of their own, numbered from where the shared
/// ones end.
#[derive(Copy, Clone, Debug)]
pub struct Checked<'a> {
    /// Per node: what is known of it.
    pub class: &'a Column<Node, Class>,
    /// Per node: what `class` says.
    pub data: &'a Column<Node, u32>,
    /// The program.
    pub shared: &'a Sema,
    symbols: &'a [Symbol],
    dims: &'a [DimRow],
    inits: &'a Inits,
    symbol_base: usize,
    dim_base: usize,
}

impl<'a> Checked<'a> {
    /// The row of a symbol.
    #[inline]
    pub fn row(&self, sym: Sym) -> &'a Symbol {
        match sym.index().checked_sub(self.symbol_base) {
            Some(k) => &self.symbols[k],
            None => &self.shared.symbols[sym],
        }
    }

    /// The row of a dimension.
    #[inline]
    pub fn dim(&self, dim: Dim) -> DimRow {
        match dim.index().checked_sub(self.dim_base) {
            Some(k) => self.dims[k],
            None => self.shared.dims[dim],
        }
    }

    /// The numbers of the symbols that a body declares.
    pub fn locals(&self) -> Range<usize> {
        self.symbol_base..self.symbol_base + self.symbols.len()
    }

    /// The symbol of a `Name`, `DeclName`, `Declarator`, `VarDef`, `FuncStart`, `FuncSignature`, `Param` or
    /// `CallStart`.
    #[inline]
    pub fn symbol(&self, node: Node) -> Option<Sym> {
        self.class[node].is_symbol().then(|| Sym::new(self.data[node] as usize))
    }

    /// The value of an expression, where it is constant. Then nothing below the node has an effect.
    #[inline(always)]
    pub fn constant(&self, node: Node) -> Option<Const> {
        self.class[node].constant(|| self.data[node], |sym| self.row(sym).constant())
    }

    /// Elements of a variable: 1 for a scalar, and 0 for an array parameter, which is a pointer.
    pub fn elements(&self, sym: Sym) -> u32 {
        self.row(sym).ty.dim().map_or(1, |dim| self.dim(dim).elements())
    }

    /// The resolved initialiser list of an array, and the table that it is in: an image for globals and
    /// constants, elements for local variables.
    pub fn init(&self, sym: Sym) -> Option<(&'a Inits, Init)> {
        let symbol = self.row(sym);
        let has = symbol.ty.is_array() && symbol.kind != SymbolKind::Param && symbol.data != NO_INIT;
        let table = if sym.index() < self.symbol_base { &self.shared.inits } else { self.inits };
        has.then(|| (table, Init::new(symbol.data as usize)))
    }

    /// Number of declared parameters of a function (of `putf`: one, the format).
    pub fn params(&self, function: Sym) -> usize {
        let symbol = self.row(function);
        match symbol.kind {
            SymbolKind::Func => symbol.data as usize,
            SymbolKind::RuntimeFunc => self.shared.library.functions[symbol.data as usize].params.len(),
            _ => 0,
        }
    }

    /// The type of parameter `k` of a function.
    pub fn param_ty(&self, function: Sym, k: usize) -> Ty {
        let symbol = self.row(function);
        if symbol.kind == SymbolKind::RuntimeFunc {
            return self.shared.library.functions[symbol.data as usize].params[k];
        }
        self.row(Sym::new(function.index() + 1 + k)).ty
    }
}

#[cfg(test)]
mod tests;
