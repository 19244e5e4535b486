//! Declarations, parameters and signatures.

use super::checker::{Checker, WRITTEN};
use super::symbol::{NO_INIT, Sym, Symbol, SymbolKind};
use super::ty::{Class, Const, Dim, DimRow, Scalar, Ty, TyView};
use super::warning::Warning;
use crate::base::{Handle, Name};
use crate::source::Diagnostic;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Node, NodeKind};

/// Largest object in bytes.
pub(super) const MOST_BYTES: u64 = (1 << 31) - 1;
/// Most parameters of a function, and arguments of a call.
pub(super) const MOST_PARAMS: usize = 65535;

impl Checker<'_> {
    pub(super) fn base_type(&mut self, n: Node) {
        self.decl.is_tensor = false;
        self.decl.base = match self.token_kind(n) {
            TokenKind::Float => Ty::FLOAT,
            TokenKind::Void => Ty::VOID,
            TokenKind::Ident => self.tensor_type(n),
            TokenKind::Invalid => Ty::ERROR,
            _ => Ty::INT,
        };
    }

    /// Gives the next number to a name and fills its row. The name comes into view at the end of its
    /// declarator.
    fn new_symbol(&mut self, n: Node, kind: SymbolKind) -> Sym {
        let sym = Sym::new(self.next_sym());
        let (name, ty) = (self.name_of(n), Ty::ERROR);
        let place = self.input.tokens.start[self.input.tree.token[n]];
        let is_global = !self.in_signature && self.function.is_none();
        let is_extern = self.is_extern && is_global;
        let declared = is_extern || self.is_prototype && kind == SymbolKind::Func;
        self.own.symbols.push(Symbol {
            name,
            place,
            ty,
            data: NO_INIT,
            kind,
            known: false,
            declared,
            is_extern,
        });
        self.own.flags.push(0);
        self.set_symbol(n, sym);
        sym
    }

    pub(super) fn decl_name(&mut self, n: Node) {
        let kind = match (self.in_signature, self.function.is_some(), self.decl.is_const) {
            (true, ..) => SymbolKind::Param,
            (_, true, true) => SymbolKind::LocalConst,
            (_, true, false) => SymbolKind::LocalVar,
            (_, false, true) => SymbolKind::GlobalConst,
            (_, false, false) => SymbolKind::GlobalVar,
        };
        self.decl.sym = self.new_symbol(n, kind);
        self.decl.dims = self.next_dim();
        self.decl.ok = true;
        self.decl.wants_constant = true;
    }

    pub(super) fn push_dim(&mut self, extent: u32) {
        let is_tensor = self.decl.is_tensor;
        self.own.dims.push(DimRow { extent, rank: 1, stride: 1, is_tensor });
    }

    /// A length: an int constant above 0.
    pub(super) fn dim(&mut self, n: Node) {
        let extent = self.length(self.before(n));
        self.decl.ok &= extent.is_some();
        self.push_dim(extent.unwrap_or(1));
    }

    fn length(&mut self, expr: Node) -> Option<u32> {
        let scalar = self.scalar(expr)?;
        if let (Scalar::Int, Some(Const::Int(length @ 1..))) = (scalar, self.constant(expr)) {
            return Some(length as u32);
        }
        let name = self.text(self.decl.sym);
        if scalar == Scalar::Float {
            let message = format!("a length of array '{name}' is a float");
            self.diags.push(
                Diagnostic::error("float-dimension", self.span(expr), message)
                    .label("expected int, found float"),
            );
            return None;
        }
        let Some(Const::Int(length)) = self.constant(expr) else {
            let message = format!("a length of array '{name}' is not constant");
            self.report_nonconstant("nonconstant-dimension", expr, message);
            return None;
        };
        if length <= 0 {
            let message = format!("a length of array '{name}' is {length}");
            self.diags.push(
                Diagnostic::error("dimension-size", self.span(expr), message).label("must be at least 1"),
            );
            return None;
        }
        Some(length as u32)
    }

    /// The type of the declarator that ends at `n`; completes its dimensions.
    fn declared_type(&mut self, n: Node) -> Ty {
        let sym = self.decl.sym;
        let is_param = self.in_signature;
        // A void variable was the parser's to report.
        let Some(element) = self.decl.base.as_scalar() else { return Ty::ERROR };
        if self.next_dim() == self.decl.dims {
            if self.decl.is_tensor {
                return self.report_no_dimensions(n, sym);
            }
            return Ty::scalar(element);
        }
        let base = self.own.dim_base;
        let rows = &mut self.own.dims[self.decl.dims - base..];
        // A tensor's first length may be written, and holds then.
        if is_param && !self.decl.is_tensor {
            rows[0].extent = 0;
        }
        let mut elements: u64 = 1;
        let mut too_large = false;
        for (k, row) in rows.iter_mut().rev().enumerate() {
            row.rank = k as u32 + 1;
            row.stride = elements as u32;
            elements *= u64::from(row.extent.max(1));
            if elements * 4 > MOST_BYTES {
                (too_large, elements) = (true, 1);
            }
        }
        if too_large {
            let message = format!("array '{}' is too large", self.text(sym));
            let diagnostic = Diagnostic::error("array-too-large", self.at(n), message);
            self.diags.push(diagnostic.note(format!("an object has at most {MOST_BYTES} bytes")));
        }
        if too_large || !self.decl.ok {
            return Ty::ERROR;
        }
        Ty::array(element, Dim::new(self.decl.dims))
    }

    pub(super) fn declarator(&mut self, n: Node) {
        let sym = self.decl.sym;
        let ty = self.declared_type(n);
        let loop_id = self.loops.last().map_or(0, |frame| frame.id);
        let symbol = self.symbol_mut(sym);
        symbol.ty = ty;
        if symbol.kind == SymbolKind::LocalVar && !ty.is_array() {
            symbol.data = loop_id;
        }
        self.decl.wants_constant = self.function.is_none() || self.decl.is_const;
        self.set_symbol(n, sym);
        self.declare(sym);
    }

    pub(super) fn var_def(&mut self, n: Node) {
        let sym = self.decl.sym;
        self.decl.wants_constant = false;
        self.set_symbol(n, sym);
        let init = self.before(n);
        let Symbol { ty, kind, .. } = *self.symbol(sym);
        if self.symbol(sym).declared {
            if self.kind(init) != NodeKind::Declarator {
                let message = format!("'{}' is declared 'extern' and has a value", self.text(sym));
                let error = Diagnostic::error("extern-value", self.at(n), message);
                self.diags.push(error.help("leave 'extern' out where it is defined"));
            }
        } else if self.kind(init) != NodeKind::Declarator {
            if self.tracks {
                self.flag(sym, WRITTEN);
            }
            self.initialise(sym, init);
        } else if self.symbol(sym).is_const() && ty != Ty::ERROR {
            let message = format!("constant '{}' has no initialiser", self.text(sym));
            self.diags
                .push(Diagnostic::error("missing-initialiser", self.at(n), message).label("expected '='"));
            self.spoil(sym);
        } else if kind == SymbolKind::GlobalVar && !ty.is_array() {
            let symbol = self.symbol_mut(sym);
            (symbol.data, symbol.known) = (0, true);
        }
    }

    /// An initialiser, a single expression or a list.
    fn initialise(&mut self, sym: Sym, init: Node) {
        let ty = self.symbol(sym).ty;
        let is_list = self.kind(init) == NodeKind::InitList;
        match ty.view() {
            TyView::Scalar(scalar) if !is_list => self.initialise_scalar(sym, scalar, init),
            TyView::Scalar(scalar) => {
                if let Some(expr) = self.sole_element(sym, init) {
                    self.initialise_scalar(sym, scalar, expr);
                }
            }
            TyView::Array(element, dim) if is_list => self.initialise_array(sym, element, dim, init),
            TyView::Array(_, dim) if self.dim_row(dim).is_tensor => self.initialise_tensor(sym, init),
            TyView::Array(..) => {
                if self.ty(init) != Ty::ERROR {
                    let message = format!("array '{}' is initialised with a single value", self.text(sym));
                    let found = format!("expected a list in braces, found {}", self.type_name(self.ty(init)));
                    self.diags
                        .push(Diagnostic::error("array-initialiser", self.span(init), message).label(found));
                }
                self.symbol_mut(sym).known = true;
            }
            // The declaration is in error; what its initialiser says is of no use.
            _ => {}
        }
    }

    fn initialise_scalar(&mut self, sym: Sym, scalar: Scalar, expr: Node) {
        let used = self.scalar(expr);
        let kind = self.symbol(sym).kind;
        if let Some(value) = self.constant(expr) {
            self.check_conversion(expr, value, scalar);
            if kind != SymbolKind::LocalVar {
                let symbol = self.symbol_mut(sym);
                (symbol.data, symbol.known) = (value.to(scalar).bits(), true);
            }
        } else if kind != SymbolKind::LocalVar {
            if used.is_some() {
                self.report_nonconstant_initialiser(sym, expr);
            }
            if kind != SymbolKind::GlobalVar {
                self.spoil(sym);
            }
        }
    }

    pub(super) fn report_nonconstant_initialiser(&mut self, sym: Sym, expr: Node) {
        let what = if self.symbol(sym).is_const() { "constant" } else { "global variable" };
        let message = format!("the initialiser of {what} '{}' is not constant", self.text(sym));
        self.report_nonconstant("nonconstant-initialiser", expr, message);
    }

    /// Reports an expression that has to be constant, with the first part of it that is not.
    fn report_nonconstant(&mut self, code: &'static str, expr: Node, message: String) {
        /// Rows that are searched for the reason.
        const SEEN: usize = 4096;
        let mut diagnostic = Diagnostic::error(code, self.span(expr), message);
        let first = self.input.tree.first(expr).index();
        for n in (first..=expr.index()).take(SEEN).map(Node::new) {
            match self.kind(n) {
                NodeKind::CallStart => {
                    diagnostic = diagnostic.secondary(self.at(n), "a call is never constant");
                }
                NodeKind::Name if self.constant(n).is_none() => {
                    let Some(sym) = self.symbol_of(n) else { continue };
                    if self.symbol(sym).is_const() && self.ty(n).is_array() {
                        continue;
                    }
                    diagnostic =
                        diagnostic.secondary(self.at(n), format!("'{}' is not a constant", self.text(sym)));
                }
                NodeKind::Binary if self.is_division_by_zero(n) => {
                    let message = "division by zero in a constant expression";
                    diagnostic = Diagnostic {
                        code: "constant-division-by-zero",
                        message: message.to_string(),
                        ..diagnostic
                    };
                    diagnostic.span = Some(self.span(n));
                }
                _ => continue,
            }
            break;
        }
        self.diags.push(diagnostic);
    }

    // ---- Functions ----------------------------------------------------------------------------------------

    pub(super) fn func_start(&mut self, n: Node) {
        let sym = self.new_symbol(n, SymbolKind::Func);
        let ty = self.result_type();
        let symbol = self.symbol_mut(sym);
        (symbol.ty, symbol.data, symbol.known) = (ty, 0, true);
        self.declare(sym);
        self.decl.is_const = false;
        self.function = Some(sym);
        self.in_signature = true;
        self.open_scope(self.next_sym());
    }

    pub(super) fn param(&mut self, n: Node) {
        let sym = self.decl.sym;
        let ty = self.declared_type(n);
        self.decl.wants_constant = false;
        let Some(function) = self.function else { return };
        let symbol = self.symbol_mut(sym);
        (symbol.ty, symbol.data, symbol.known) = (ty, (sym.index() - function.index() - 1) as u32, true);
        self.set_symbol(n, sym);
        if !self.is_prototype && self.symbol(sym).name.index() != 0 {
            self.declare(sym);
        }
        self.symbol_mut(function).data += 1;
    }

    pub(super) fn func_signature(&mut self, n: Node) {
        self.close_scope();
        self.in_signature = false;
        let Some(sym) = self.function.take() else { return };
        self.set_symbol(n, sym);
        if let Some(&(_, first)) = self.same.last().filter(|pair| pair.0 == sym) {
            self.agree(sym, first);
        }
        if self.is_prototype {
            self.library_prototype(sym);
        }
        let Symbol { ty, data: params, .. } = *self.symbol(sym);
        let at = self.at(n);
        if params as usize > MOST_PARAMS {
            let message = format!("function '{}' has {params} parameters", self.text(sym));
            self.diags.push(
                Diagnostic::error("too-many-parameters", at, message)
                    .note(format!("at most {MOST_PARAMS} are allowed")),
            );
        }
        if self.text(sym) == "main" {
            if params != 0 {
                self.error("main-signature", at, "'main' takes no parameters");
            }
            if ty != Ty::INT {
                let diagnostic = Diagnostic::error("main-signature", at, "'main' must return int");
                let diagnostic = diagnostic.label(format!("returns {}", self.type_name(ty)));
                let word = self.input.tree.first(n);
                self.diags.push(match self.kind(word) {
                    NodeKind::Type if !ty.is_array() => diagnostic.guess(self.at(word), "int"),
                    _ => diagnostic,
                });
            }
        }
    }

    // ---- What is defined elsewhere --------------------------------------------------------------------------

    pub(super) fn extern_start(&mut self, n: Node) {
        self.is_extern = true;
        self.pedantic(Warning::Extern, self.at(n), "'extern' is C, not SysY");
    }

    pub(super) fn func_decl(&mut self, n: Node) {
        if !self.is_extern {
            self.pedantic(Warning::Prototype, self.at(n), "a prototype is C, not SysY");
        }
    }

    /// A name is declared again, and one of the declarations is no definition.
    pub(super) fn declare_again(&mut self, sym: Sym, first: Sym) {
        self.same.push((sym, first));
        if !self.symbol(sym).is_function() {
            self.agree(sym, first);
        }
    }

    /// Reports two declarations of a name that are not of the same type.
    fn agree(&mut self, sym: Sym, first: Sym) {
        let (a, b) = (*self.symbol(first), *self.symbol(sym));
        let is_same = a.kind == b.kind
            && match a.is_function() {
                true => {
                    let params = |k: usize, sym: Sym| self.symbol(Sym::new(sym.index() + 1 + k)).ty;
                    self.same_type(a.ty, b.ty)
                        && a.data == b.data
                        && (0..a.data as usize).all(|k| self.same_type(params(k, first), params(k, sym)))
                }
                false => self.same_type(a.ty, b.ty),
            };
        if is_same
            || !a.is_function() && (a.ty == Ty::ERROR || b.ty == Ty::ERROR)
            || !a.known && a.is_function()
        {
            return;
        }
        let Some(span) = self.declared_at(sym) else { return };
        let (was, now) = (self.declaration_of(first), self.declaration_of(sym));
        let message = format!("'{}' is declared with another type before", self.text(sym));
        let mut error =
            Diagnostic::error("conflicting-types", span, message).label(format!("here it is '{now}'"));
        if let Some(span) = self.declared_at(first) {
            error = error.secondary(span, format!("here it is '{was}'"));
        }
        self.diags.push(error);
    }

    /// True of types that are written alike, but for constant lengths.
    fn same_type(&self, a: Ty, b: Ty) -> bool {
        match (a.view(), b.view()) {
            (TyView::Array(x, one), TyView::Array(y, other)) => {
                let rank = self.dim_row(one).rank;
                let extent = |dim: Dim, k: u32| self.dim_row(Dim::new(dim.index() + k as usize)).extent;
                x == y
                    && rank == self.dim_row(other).rank
                    && (0..rank).all(|k| extent(one, k) == extent(other, k))
            }
            (TyView::Error, _) | (_, TyView::Error) => true,
            _ => a == b,
        }
    }

    /// A declaration as it is written, without names of parameters.
    fn declaration_of(&self, sym: Sym) -> String {
        let symbol = self.symbol(sym);
        let ty = self.type_name(symbol.ty);
        if !symbol.is_function() {
            return if symbol.is_const() { format!("const {ty}") } else { ty };
        }
        let params = (1..=symbol.data as usize).take(8);
        let mut list: Vec<String> =
            params.map(|k| self.type_name(self.symbol(Sym::new(sym.index() + k)).ty)).collect();
        if symbol.data > 8 {
            list.push("...".to_string());
        }
        format!("{ty} ({})", list.join(", "))
    }

    /// A prototype of a function of the runtime library, which needs none: it has to be as the library's is.
    fn library_prototype(&mut self, sym: Sym) {
        let name = self.symbol(sym).name;
        let Some(row) = name.index().checked_sub(1).and_then(|k| self.input.library.functions.get(k)) else {
            return;
        };
        if self.defines(name) {
            return;
        }
        let Symbol { ty, data, known, .. } = *self.symbol(sym);
        let param = |k: usize| self.symbol(Sym::new(sym.index() + 1 + k)).ty;
        let alike = |a: Ty, b: Ty| match (a.view(), b.view()) {
            (TyView::Array(x, one), TyView::Array(y, _)) => x == y && self.dim_row(one).rank == 1,
            _ => a == b,
        };
        let agrees = alike(ty, row.result)
            && !row.variadic
            && data as usize == row.params.len()
            && row.params.iter().enumerate().all(|(k, &ty)| alike(param(k), ty));
        if !agrees && known {
            let Some(span) = self.declared_at(sym) else { return };
            let message = format!("'{}' of the runtime library has another type", self.text(sym));
            let now = self.declaration_of(sym);
            let params: Vec<String> = row.params.iter().map(|&ty| self.type_name(ty)).collect();
            let more = if row.variadic { ", ..." } else { "" };
            let there = format!("{} ({}{more})", self.type_name(row.result), params.join(", "));
            let error =
                Diagnostic::error("conflicting-types", span, message).label(format!("here it is '{now}'"));
            let error = error.note(format!("in the library it is '{there}'"));
            self.diags.push(error.help("leave the prototype out: the runtime library needs none"));
        }
        self.unbind(sym);
    }

    /// True if a function of this name is defined in the file. O(definitions), and asked only where a prototype
    /// has the name of a function of the library.
    fn defines(&self, name: Name) -> bool {
        let tree = self.input.tree;
        let is_it = |n: Node| tree.kind[n] == NodeKind::FuncDef && self.name_of(n) == name;
        tree.roots_rev().any(is_it)
    }

    /// The name that was read last is declared in error: uses of it are silent.
    pub(super) fn error_name(&mut self) {
        let sym = self.decl.sym;
        let symbol = self.symbol_mut(sym);
        (symbol.ty, symbol.kind) = (Ty::ERROR, SymbolKind::Error);
        self.declare(sym);
        if let Some(function) = self.function.filter(|_| self.in_signature) {
            let symbol = self.symbol_mut(function);
            (symbol.data, symbol.known) = (symbol.data + 1, false);
        }
    }

    /// Numbers the names of an item with a syntax error, and makes uses of them silent.
    pub(super) fn poison(&mut self, first: Node, last: Node) {
        let mut is_function = false;
        for n in (first.index()..=last.index()).map(Node::new) {
            let kind = self.kind(n);
            if matches!(kind, NodeKind::DeclName | NodeKind::FuncStart) {
                let sym = self.new_symbol(n, SymbolKind::Error);
                let name = self.symbol(sym).name;
                is_function |= kind == NodeKind::FuncStart;
                // Parameters are in view in their function only.
                if self.look_up(name).is_none() && (kind == NodeKind::FuncStart || !is_function) {
                    self.bind(sym);
                }
            } else {
                self.set(n, Class::Error, 0);
            }
        }
    }
}
