//! Symbols: everything that has a name, one row each.
//!
//! Numbers are given by place, not by a counter: 0 is the symbol of what had an error, then come the runtime
//! functions in table order, then globals, functions and parameters in file order (a function's parameters
//! right behind it), then all other locals in file order. So the locals of any run of functions are one slice
//! of the table, which a worker can fill alone, and what a body may refer to is every shared symbol up to its
//! own function.

use super::ty::{Const, Ty};
use crate::base::{Handle, Name};
use crate::source::Span;
use crate::syntax::lexer;
use crate::syntax::token::TokenKind;

crate::handle! {
    /// A symbol: a row of `Sema::symbols`.
    pub struct Sym("s");
}

/// What a symbol is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SymbolKind {
    /// What could not be declared; uses of it are silent.
    Error,
    /// A variable outside of functions.
    GlobalVar,
    /// A `const` outside of functions.
    GlobalConst,
    /// A variable in a function.
    LocalVar,
    /// A `const` in a function.
    LocalConst,
    /// A parameter.
    Param,
    /// A function of the program.
    Func,
    /// A function of the runtime library.
    RuntimeFunc,
}

/// One symbol, 24 bytes.
#[derive(Copy, Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: Name,
    /// Where in the source it is named when it is declared; `NO_PLACE` for the runtime's.
    pub place: u32,
    /// Its type; for functions, the type of what they return.
    pub ty: Ty,
    /// By kind and type:
    ///
    /// | symbol | data |
    /// | --- | --- |
    /// | scalar `GlobalVar`, `GlobalConst`, `LocalConst` | bits of the value, converted to its type |
    /// | array, any variable or constant | its `Init`, or `NO_INIT` |
    /// | `Func` | number of parameters: they are the next symbols |
    /// | `RuntimeFunc` | row of the library |
    /// | `Param` | its position |
    /// | scalar `LocalVar` | the loop it is declared in (only for warnings) |
    pub data: u32,
    /// What it is.
    pub kind: SymbolKind,
    /// True once `data` holds (a constant is not known in its own initialiser).
    pub known: bool,
    /// A prototype or an `extern` declaration: the definition may follow, or stand in another source.
    pub declared: bool,
    /// Some declaration of it says `extern`.
    pub is_extern: bool,
}

const _: () = assert!(size_of::<Symbol>() <= 24);

/// The `data` of an array without an initialiser.
pub const NO_INIT: u32 = u32::MAX;
/// The `place` of what no source declares.
pub const NO_PLACE: u32 = u32::MAX;

impl Symbol {
    /// The row of what had an error, and of rows not yet filled.
    pub fn error() -> Symbol {
        let (place, ty, data) = (NO_PLACE, Ty::ERROR, NO_INIT);
        Symbol {
            name: Name::new(0),
            place,
            ty,
            data,
            kind: SymbolKind::Error,
            known: false,
            declared: false,
            is_extern: false,
        }
    }

    /// Where its name stands when it is declared, if a source declares it.
    pub fn span(&self, text: &[u8]) -> Option<Span> {
        let start = self.place as usize;
        let end = || lexer::token_end(text, TokenKind::Ident, start);
        (self.place != NO_PLACE).then(|| Span::new(start, end()))
    }

    /// The value of a scalar constant, where it is known.
    pub fn constant(&self) -> Option<Const> {
        let is_const = matches!(self.kind, SymbolKind::GlobalConst | SymbolKind::LocalConst);
        let scalar = self.ty.as_scalar()?;
        (is_const && self.known).then(|| Const::from_bits(scalar, self.data))
    }

    /// True for functions, of the program or of the runtime.
    pub fn is_function(&self) -> bool {
        matches!(self.kind, SymbolKind::Func | SymbolKind::RuntimeFunc)
    }

    /// True for `const` variables.
    pub fn is_const(&self) -> bool {
        matches!(self.kind, SymbolKind::GlobalConst | SymbolKind::LocalConst)
    }
}
