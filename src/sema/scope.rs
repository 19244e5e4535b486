//! Names to symbols: a column by name of what is bound now, and an undo log that ends scopes. Both ways O(1)
//! a name.
//!
//! The column begins with the globals; those declared below the function that is read are hidden by their
//! numbers. A name that is not bound is looked up in the runtime library, whose names were interned first so
//! that name and symbol have the same number. A binding says what class a use of the name has, so that nearly
//! every use is answered by one load.

use super::checker::{Checker, DEFINED, READ, WRITTEN};
use super::symbol::{Sym, Symbol, SymbolKind};
use super::ty::{Class, Ty};
use super::warning::Warning;
use crate::base::spelling::edits;
use crate::base::{BitSet, Handle, Name};
use crate::source::{Diagnostic, Span};
use crate::syntax::complaints;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::Node;
use crate::syntax::tree::NodeKind;

/// What a name is bound to.
#[derive(Copy, Clone)]
pub(super) struct Binding {
    /// The symbol; 0 if there is none.
    pub(super) sym: Sym,
    /// The class of a use as a value; `None` if there is more to it, or no symbol.
    pub(super) class: Class,
}

impl Binding {
    fn none() -> Binding {
        Binding { sym: Sym::new(0), class: Class::None }
    }

    /// The symbol, if there is one.
    pub(super) fn symbol(self) -> Option<Sym> {
        (self.sym.index() != 0).then_some(self.sym)
    }
}

/// The bindings in view.
pub(super) struct Scopes {
    /// Per name: what it is bound to.
    bound: Vec<Binding>,
    /// Bindings made in open scopes: the name and what it was bound to before.
    undo: Vec<(Name, Binding)>,
    /// Per open scope: number of its first symbol, and its first entry of `undo`.
    open: Vec<(usize, usize)>,
    /// Names reported as undeclared in this function.
    unknown: BitSet<Name>,
    unknown_list: Vec<Name>,
    /// Suggestions still to be looked for in this function.
    guesses: u32,
}

/// Suggestions per function, and how many names in view each looks at.
const GUESSES: u32 = 4;
const LOCALS_SEEN: usize = 64;
const GLOBALS_SEEN: usize = 256;
/// Names of other languages: what there is instead.
#[rustfmt::skip]
const FOREIGN: [(&str, &str); 24] = [
    ("printf", "SysY has 'putf', 'putint' and 'putfloat'"),
    ("print", "SysY has 'putf', 'putint' and 'putfloat'"),
    ("println", "SysY has 'putf', 'putint' and 'putfloat'"),
    ("scanf", "SysY has 'getint' and 'getfloat'"),
    ("gets", "SysY has 'getch', 'getint' and 'getarray'"),
    ("putchar", "SysY has 'putch'"),
    ("getchar", "SysY has 'getch'"),
    ("puts", "SysY has 'putf'"),
    ("clock", "SysY has 'starttime' and 'stoptime'"),
    ("sizeof", "an int and a float have 4 bytes each: write the number"),
    ("malloc", "SysY has no heap: declare an array of a constant length"),
    ("free", "SysY has no heap: declare an array of a constant length"),
    ("memset", "write a loop, or initialise the array with '{}'"),
    ("abs", "write 'if (x < 0) x = -x;'"),
    ("true", "write '1'"),
    ("false", "write '0'"),
    ("NULL", "write '0'"),
    ("nullptr", "write '0'"),
    ("INT_MAX", "write '2147483647'"),
    ("INT_MIN", "write '-2147483648'"),
    ("cout", "SysY has 'putf', 'putint' and 'putfloat'"),
    ("cin", "SysY has 'getint' and 'getfloat'"),
    ("not", "the operator is '!'"),
    ("elif", "write 'else if'"),
];

impl Default for Scopes {
    fn default() -> Self {
        Scopes {
            bound: Vec::new(),
            undo: Vec::new(),
            open: Vec::new(),
            unknown: BitSet::new(0),
            unknown_list: Vec::new(),
            guesses: GUESSES,
        }
    }
}

impl Scopes {
    /// Makes room for so many names. The globals are always the same.
    pub(super) fn make_room(&mut self, names: usize, globals: &[Binding]) {
        if self.bound.is_empty() {
            self.bound.extend_from_slice(globals);
        }
        if self.bound.len() < names {
            self.bound.resize(names, Binding::none());
        }
    }

    /// The column of bindings, once all scopes are closed: the globals.
    pub(super) fn into_globals(self) -> Vec<Binding> {
        self.bound
    }

    /// What a name is bound to, in view or not.
    #[inline(always)]
    pub(super) fn bound(&self, name: Name) -> Binding {
        self.bound[name.index()]
    }
}

impl Checker<'_> {
    /// Binds the name of a symbol to it.
    pub(super) fn bind(&mut self, sym: Sym) {
        let &Symbol { name, ty, kind, declared, .. } = self.symbol(sym);
        let class = match (kind, ty) {
            // Whether it is used matters.
            _ if declared => Class::None,
            (SymbolKind::Error | SymbolKind::Func | SymbolKind::RuntimeFunc, _) | (_, Ty::ERROR) => {
                Class::None
            }
            (SymbolKind::GlobalConst | SymbolKind::LocalConst, _) => Class::Symbol,
            (_, Ty::INT) => Class::IntVariable,
            (_, Ty::FLOAT) => Class::FloatVariable,
            _ => Class::Symbol,
        };
        let binding = Binding { sym, class };
        let old = std::mem::replace(&mut self.scopes.bound[name.index()], binding);
        if !self.scopes.open.is_empty() {
            self.scopes.undo.push((name, old));
        }
    }

    /// Makes uses of a symbol silent.
    pub(super) fn spoil(&mut self, sym: Sym) {
        self.symbol_mut(sym).ty = Ty::ERROR;
        let name = self.symbol(sym).name;
        let binding = &mut self.scopes.bound[name.index()];
        if binding.sym == sym {
            binding.class = Class::None;
        }
    }

    /// Opens a scope whose symbols are numbered from `first` on.
    pub(super) fn open_scope(&mut self, first: usize) {
        self.scopes.open.push((first, self.scopes.undo.len()));
    }

    /// Closes the innermost scope, and complains about what was of no use in it.
    pub(super) fn close_scope(&mut self) {
        let Some((_, start)) = self.scopes.open.pop() else { return };
        if !self.in_signature && self.tracks {
            for k in start..self.scopes.undo.len() {
                // A name has one binding a scope, so what it is bound to now is this scope's.
                if let Some(sym) = self.scopes.bound(self.scopes.undo[k].0).symbol() {
                    self.unused(sym);
                }
            }
        }
        for (name, old) in self.scopes.undo.drain(start..).rev() {
            self.scopes.bound[name.index()] = old;
        }
    }

    /// Ends a function: names may be reported again.
    pub(super) fn forget_unknown(&mut self) {
        for name in self.scopes.unknown_list.drain(..) {
            self.scopes.unknown.remove(name);
        }
        self.scopes.guesses = GUESSES;
    }

    /// What a name stands for here.
    pub(super) fn look_up(&self, name: Name) -> Option<Sym> {
        self.in_view(name).or_else(|| {
            let library = (1..=self.input.library.functions.len()).contains(&name.index());
            library.then(|| Sym::new(name.index()))
        })
    }

    /// What a name is bound to, if that is in view.
    fn in_view(&self, name: Name) -> Option<Sym> {
        self.scopes.bound(name).symbol().filter(|&sym| !self.hides(sym))
    }

    /// True for what is declared below the function that is read.
    #[inline(always)]
    pub(super) fn hides(&self, sym: Sym) -> bool {
        sym.index().wrapping_sub(self.hidden.start) < self.hidden.len()
    }

    /// Brings a symbol into view, or reports that its name is taken in this scope.
    pub(super) fn declare(&mut self, sym: Sym) {
        let Symbol { name, kind, .. } = *self.symbol(sym);
        let first = self.scopes.open.last().map_or(1, |scope| scope.0);
        let is_error = |sym| self.symbol(sym).kind == SymbolKind::Error;
        let taken = self.in_view(name).filter(|&old| old.index() >= first && !is_error(old));
        if let Some(old) = taken.filter(|_| kind != SymbolKind::Error) {
            if self.goes_with(sym, old) {
                return self.declare_again(sym, old);
            }
            let Some(span) = self.declared_at(sym) else { return };
            let text = self.text(sym);
            let is_param = self.symbol(old).kind == SymbolKind::Param && kind != SymbolKind::Param;
            let what =
                if is_param { "is a parameter of the function" } else { "is declared twice in this scope" };
            let mut diagnostic = Diagnostic::error("redeclared", span, format!("'{text}' {what}"));
            if let Some(first) = self.declared_at(old) {
                diagnostic = diagnostic.label("declared again").secondary(first, "first declared here");
            }
            // Nothing can name it.
            self.flag(sym, READ | WRITTEN);
            self.diags.push(diagnostic);
            return;
        }
        if (1..=self.input.library.functions.len()).contains(&name.index())
            && !self.symbol(sym).declared
            && self.warns(Warning::ShadowRuntime)
        {
            let Some(span) = self.declared_at(sym) else { return };
            let message = format!("'{}' hides the runtime function of that name", self.text(sym));
            self.diags.push(Warning::ShadowRuntime.at(span, message));
        }
        self.shadows(sym, name);
        self.bind(sym);
    }

    /// Warns of a local name that hides another, of which the function might speak.
    #[inline(always)]
    fn shadows(&mut self, sym: Sym, name: Name) {
        if self.scopes.open.is_empty() || !self.warns(Warning::Shadow) || self.is_prototype {
            return;
        }
        let Some(old) = self.in_view(name) else { return };
        let what = match self.symbol(old).kind {
            SymbolKind::GlobalVar => "a global variable",
            SymbolKind::GlobalConst => "a global constant",
            SymbolKind::LocalVar => "a variable around it",
            SymbolKind::LocalConst => "a constant around it",
            SymbolKind::Param => "a parameter",
            SymbolKind::Func | SymbolKind::RuntimeFunc | SymbolKind::Error => return,
        };
        let Some(span) = self.declared_at(sym) else { return };
        let warning = Warning::Shadow.at(span, format!("'{}' hides {what}", self.text(sym)));
        let warning = self.with_declaration(warning, old);
        self.diags.push(warning);
    }

    /// True if a name that is declared may be declared again like this: one of both is no definition.
    #[cold]
    fn goes_with(&mut self, sym: Sym, old: Sym) -> bool {
        let (a, b) = (*self.symbol(old), *self.symbol(sym));
        if !a.declared && !b.declared || a.is_function() != b.is_function() {
            return false;
        }
        // Of several definitions behind a declaration all but the first are too many.
        b.declared || !self.flag(old, DEFINED)
    }

    /// Takes a name out of view, which is that of a function of the library then.
    pub(super) fn unbind(&mut self, sym: Sym) {
        let name = self.symbol(sym).name;
        if self.scopes.bound(name).sym == sym {
            self.scopes.bound[name.index()] = Binding::none();
        }
    }

    fn unused(&mut self, sym: Sym) {
        let Symbol { kind, ty, .. } = *self.symbol(sym);
        let (read, written) = (self.has_flag(sym, READ), self.has_flag(sym, WRITTEN));
        if read && (written || kind != SymbolKind::LocalVar) {
            return;
        }
        let Some(span) = self.declared_at(sym) else { return };
        let text = self.text(sym);
        let is_param = kind == SymbolKind::Param;
        if !read && ty != Ty::ERROR {
            let (warning, what) = match (is_param, kind == SymbolKind::LocalConst) {
                (true, _) => (Warning::UnusedParameter, "parameter"),
                (_, true) => (Warning::UnusedVariable, "constant"),
                _ => (Warning::UnusedVariable, "variable"),
            };
            if self.warns(warning) {
                let how = if written && kind != SymbolKind::LocalConst {
                    "given a value but never read"
                } else {
                    "never used"
                };
                self.diags.push(warning.at(span, format!("{what} '{text}' is {how}")));
            }
        } else if read && !written && kind == SymbolKind::LocalVar && ty.as_scalar().is_some() {
            self.report_uninitialized(sym, span, "is read but never given a value");
        }
    }

    /// Warns once per variable.
    pub(super) fn report_uninitialized(&mut self, sym: Sym, span: Span, what: &str) {
        if !self.warns(Warning::Uninitialized) || self.flag(sym, super::checker::REPORTED) {
            return;
        }
        let diagnostic = Warning::Uninitialized.at(span, format!("'{}' {what}", self.text(sym)));
        let diagnostic = if self.declared_at(sym) == Some(span) {
            diagnostic
        } else {
            self.with_declaration(diagnostic, sym)
        };
        let diagnostic = self.with_first_value(diagnostic, sym);
        self.diags.push(diagnostic);
    }

    /// Adds that a variable may be given a value where it is declared.
    pub(super) fn with_first_value(&self, diagnostic: Diagnostic, sym: Sym) -> Diagnostic {
        let zero = match self.symbol(sym).ty {
            Ty::INT => " = 0",
            Ty::FLOAT => " = 0.0",
            _ => return diagnostic,
        };
        match self.declared_at(sym) {
            Some(Span { end, .. }) => diagnostic.guess(Span { start: end, end }, zero),
            None => diagnostic,
        }
    }

    /// True for a name before bytes that are no token, which were reported.
    pub(super) fn is_before_stray(&self, n: Node) -> bool {
        let next = self.input.tree.token[n].index() + 1;
        let next = self.input.tokens.kind.as_slice().get(next);
        // What cannot follow a name was reported, too.
        use TokenKind::{FloatLiteral, Ident, IntLiteral, Invalid, StringLiteral};
        self.input.broken && matches!(next, Some(Invalid | Ident | IntLiteral | FloatLiteral | StringLiteral))
    }

    /// Reports a name that nothing in view has, once a function.
    pub(super) fn undeclared(&mut self, n: Node, name: Name, is_call: bool) {
        // A word of C that the parser knows, and what stands before a stray byte, were reported there.
        let is_construct = || complaints::is_construct(self.input.names.text(name));
        if self.is_before_stray(n) || self.input.broken && is_construct() {
            return;
        }
        if self.scopes.unknown.insert(name) {
            self.scopes.unknown_list.push(name);
        } else {
            return;
        }
        let text = self.name_text(name);
        let what = if is_call { "function" } else { "name" };
        if is_call {
            // It may have been meant for any function: that of what had an error is taken to be called (`unused_functions`).
            self.flag(Sym::new(0), READ);
        }
        let mut diagnostic =
            Diagnostic::error("undeclared", self.at(n), format!("{what} '{text}' is not declared"))
                .label("not found in this scope");
        let below = self.scopes.bound(name).symbol();
        // That nothing else reads or calls it is no news.
        if let Some(sym) = below {
            self.flag(sym, READ);
        }
        if let Some(span) = below.and_then(|sym| self.declared_at(sym)) {
            diagnostic =
                diagnostic.secondary(span, "declared here, below its use").help("move its definition up");
        } else if self.scopes.guesses > 0 {
            self.scopes.guesses -= 1;
            let meant = FOREIGN.iter().find(|pair| pair.0 == text);
            if let Some((_, instead)) = meant {
                diagnostic = match self.written(n, text, is_call) {
                    Some(right) => diagnostic.edit(self.at(n), right),
                    None => diagnostic.help(*instead),
                };
            } else if let Some(keyword) = self.near_keyword(n, text, is_call) {
                diagnostic = diagnostic.guess(self.at(n), keyword);
            } else if let Some(sym) = self.near(text) {
                self.flag(sym, READ | WRITTEN);
                let (near, hidden) = (self.text(sym), self.hides(sym));
                diagnostic = match hidden {
                    true => diagnostic.help(format!("did you mean '{near}'? then move its definition up")),
                    false => diagnostic.guess(self.at(n), near),
                };
                if let Some(span) = self.declared_at(sym) {
                    let below = if hidden { ", below its use" } else { "" };
                    diagnostic = diagnostic.secondary(span, format!("'{near}' is declared here{below}"));
                }
            } else if self.input.part && is_call {
                let help =
                    format!("if another source defines it, declare it: 'int {text}(...);', with its types");
                diagnostic = diagnostic.help(help);
            }
        }
        self.diags.push(diagnostic);
    }

    /// What is written in the place of a name of C, where that is one word.
    fn written(&self, n: Node, text: &str, is_call: bool) -> Option<&'static str> {
        const WORDS: [(&str, &str, bool); 8] = [
            ("putchar", "putch", true),
            ("getchar", "getch", true),
            ("true", "1", false),
            ("false", "0", false),
            ("NULL", "0", false),
            ("nullptr", "0", false),
            ("INT_MAX", "2147483647", false),
            ("INT_MIN", "(-2147483648)", false),
        ];
        if text == "printf" && is_call && self.next_kind(n) == Some(NodeKind::StringLiteral) {
            return Some("putf");
        }
        WORDS.iter().find(|row| row.0 == text && row.2 == is_call).map(|row| row.1)
    }

    /// The keyword that a word is probably meant for which is a statement by itself, or is called as one.
    fn near_keyword(&self, n: Node, text: &str, is_call: bool) -> Option<&'static str> {
        use TokenKind::{Break, Continue, If, Return, While};
        let kinds = self.input.tokens.kind.as_slice();
        let at = self.input.tree.token[n].index();
        let before = at.checked_sub(1).map(|k| kinds[k]);
        use TokenKind::{Else, LBrace, RBrace, RParen, Semicolon};
        if !matches!(before, Some(LBrace | RBrace | Semicolon | RParen | Else)) {
            return None;
        }
        let alone = kinds.get(at + 1) == Some(&Semicolon);
        let fit: &[TokenKind] = match (is_call, alone) {
            (true, _) => &[If, While, Return],
            (_, true) => &[Break, Continue, Return],
            _ => &[Return],
        };
        let near = |kind: &&TokenKind| {
            let keyword = kind.spelling();
            let most = if keyword.len() > 4 { 2 } else { 1 };
            text.len() > 1 && edits(text.to_ascii_lowercase().as_bytes(), keyword.as_bytes(), most).is_some()
        };
        fit.iter().find(near).map(|kind| kind.spelling())
    }

    /// The name in view, or else further down, that is nearest to `text`, if one is near: at most one change in three letters.
    fn near(&self, text: &str) -> Option<Sym> {
        let most = (text.len() / 3).min(2);
        if most == 0 {
            return None;
        }
        let locals = self
            .scopes
            .undo
            .iter()
            .rev()
            .take(LOCALS_SEEN)
            .map(|&(name, _)| self.scopes.bound(name).symbol());
        let behind = self.function.map_or(self.next_sym(), |function| function.index() + 1);
        let globals = (0..behind).rev().take(GLOBALS_SEEN).map(|k| Some(Sym::new(k)));
        let hidden = self.hidden.clone().take(GLOBALS_SEEN).map(|k| Some(Sym::new(k)));
        let library = (1..=self.input.library.functions.len()).map(|k| Some(Sym::new(k)));
        let mut best: Option<(usize, Sym)> = None;
        for sym in locals.chain(globals).chain(library).chain(hidden).flatten() {
            if matches!(self.symbol(sym).kind, SymbolKind::Error)
                || self.symbol(sym).kind == SymbolKind::Param
                    && self.scopes.bound(self.symbol(sym).name).sym != sym
            {
                continue;
            }
            let bound = best.map_or(most, |(distance, _)| distance - 1);
            if let Some(distance) = edits(text.as_bytes(), self.text(sym).as_bytes(), bound) {
                best = Some((distance, sym));
                if distance <= 1 {
                    break;
                }
            }
        }
        best.map(|(_, sym)| sym)
    }
}
