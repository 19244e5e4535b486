//! Calls: what is called, and whether the arguments agree with the parameters.

use super::checker::{Checker, READ};
use super::decl::MOST_PARAMS;
use super::runtime;
use super::symbol::{Sym, Symbol, SymbolKind};
use super::ty::{Class, Dim, Ty, TyView};
use super::warning::Warning;
use crate::base::Handle;
use crate::source::{Diagnostic, Span};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Node, NodeKind};

impl Checker<'_> {
    pub(super) fn call_start(&mut self, n: Node) {
        let name = self.name_of(n);
        let Some(sym) = self.look_up(name) else {
            self.set(n, Class::Error, 0);
            return self.undeclared(n, name, true);
        };
        self.flag(sym, READ);
        if self.symbol(sym).is_function() {
            return self.set_symbol(n, sym);
        }
        self.set(n, Class::Error, 0);
        if self.symbol(sym).ty != Ty::ERROR {
            let found = format!("expected a function, found {}", self.type_name(self.symbol(sym).ty));
            let message = format!("'{}' is not a function", self.text(sym));
            let diagnostic = Diagnostic::error("not-a-function", self.at(n), message).label(found);
            let diagnostic = match self.symbol(sym).ty.is_array() {
                true => diagnostic.help(format!("an element is written '{}[...]'", self.text(sym))),
                false => diagnostic,
            };
            self.report_about(diagnostic, sym);
        }
    }

    pub(super) fn call(&mut self, n: Node) {
        let start = self.input.tree.first(n);
        let Some(callee) = self.symbol_of(start) else { return self.set(n, Class::Error, 0) };
        let Symbol { ty, data, kind, known, .. } = *self.symbol(callee);
        self.set_type(n, ty);
        if matches!(self.class(n), Class::IntArray | Class::FloatArray) {
            self.tensor_call(n, callee);
        }
        if self.all_agree(n, start, callee) {
            return;
        }
        let mut arguments = std::mem::take(&mut self.scratch);
        arguments.extend(self.input.tree.children_rev(n));
        arguments.pop();
        arguments.reverse();
        if arguments.len() > MOST_PARAMS {
            let message = format!("a call of '{}' has {} arguments", self.text(callee), arguments.len());
            let diagnostic = Diagnostic::error("too-many-arguments", self.at(n), message);
            self.diags.push(diagnostic.note(format!("at most {MOST_PARAMS} are allowed")));
        } else if kind == SymbolKind::RuntimeFunc {
            self.runtime_arguments(n, callee, &self.input.library.functions[data as usize], &arguments);
        } else if known && self.right_count(n, callee, data as usize, &arguments) {
            for (k, &argument) in arguments.iter().enumerate() {
                let param = Sym::new(callee.index() + 1 + k);
                self.argument(callee, k, self.symbol(param).ty, argument);
            }
        }
        arguments.clear();
        self.scratch = arguments;
    }

    /// True if the arguments are as many as the parameters, and nothing can be said about any. Looks at the
    /// usual cases only, last to first. (Without this fast path a compile at -O0 takes 0.5% more
    /// instructions.)
    fn all_agree(&self, call: Node, start: Node, callee: Sym) -> bool {
        let Symbol { data, kind, .. } = *self.symbol(callee);
        let library = match kind {
            SymbolKind::RuntimeFunc => Some(&self.input.library.functions[data as usize]),
            _ => None,
        };
        let mut left = library.map_or(data as usize, |row| row.params.len());
        if left > MOST_PARAMS || library.is_some_and(|row| row.variadic) {
            return false;
        }
        let mut argument = self.before(call);
        while argument > start {
            let Some(k) = left.checked_sub(1) else { return false };
            let param = match library {
                Some(row) => row.params[k],
                None => self.symbol(Sym::new(callee.index() + 1 + k)).ty,
            };
            let agrees = match param {
                Ty::INT => self.class(argument).fits_any_scalar(),
                Ty::FLOAT => self.class(argument).shape() != 0,
                _ => match (param.view(), self.ty(argument).view()) {
                    (TyView::Array(a, expected), TyView::Array(b, given)) => {
                        a == b
                            && !self.dim_row(expected).is_tensor
                            && !self.dim_row(given).is_tensor
                            && (library.is_some() || self.same_inner(expected, given))
                    }
                    _ => false,
                },
            };
            if !agrees {
                return false;
            }
            (left, argument) = (k, self.elder(argument));
        }
        left == 0
    }

    fn right_count(&mut self, n: Node, callee: Sym, expected: usize, arguments: &[Node]) -> bool {
        let found = arguments.len();
        if found == expected {
            return true;
        }
        // What the parser could not read may be several arguments, or none.
        if self.input.broken && arguments.iter().any(|&argument| self.kind(argument) == NodeKind::Error) {
            return false;
        }
        let plural = if expected == 1 { "" } else { "s" };
        let given = if found == 1 { "was" } else { "were" };
        let message =
            format!("'{}' takes {expected} argument{plural}, but {found} {given} given", self.text(callee));
        let what = match found > expected {
            true => "too many arguments".to_string(),
            false => self.missing_argument(callee, found),
        };
        let place = match arguments.get(expected).zip(arguments.last()) {
            Some((&first, &last)) => self.span(first).to(self.span(last)),
            None => self.closing_bracket(n),
        };
        let mut diagnostic = Diagnostic::error("argument-count", place, message).label(what);
        // `getint(a);`
        if let ([place], 0, Some(NodeKind::ExprStmt)) = (arguments, expected, self.next_kind(n))
            && matches!(self.kind(*place), NodeKind::Name | NodeKind::Index)
            && self.symbol(callee).ty.as_scalar().is_some()
        {
            let (name, Span { start, end }) = (self.text(callee), self.span(*place));
            let text = self.input.file.text.get(start as usize..end as usize).unwrap_or_default();
            let right = format!("{} = {name}()", String::from_utf8_lossy(text));
            let whole = self.span(n);
            if end <= whole.end {
                diagnostic.span = Some(whole);
                diagnostic = diagnostic.note(format!("what '{name}' reads is its value")).guess(whole, right);
            }
        }
        self.report_about(diagnostic, callee);
        // What the arguments are is checked all the same where no parameter is needed for it.
        for &argument in
            arguments.iter().filter(|&&argument| !self.ty(argument).is_array()).collect::<Vec<_>>()
        {
            self.scalar(argument);
        }
        false
    }

    /// What the first argument would be that a call lacks.
    fn missing_argument(&self, callee: Sym, k: usize) -> String {
        let Symbol { kind, data, .. } = *self.symbol(callee);
        let (ty, name) = match kind {
            SymbolKind::RuntimeFunc => (self.input.library.functions[data as usize].params[k], ""),
            _ => {
                let param = Sym::new(callee.index() + 1 + k);
                (self.symbol(param).ty, self.text(param))
            }
        };
        match (ty, name) {
            (Ty::ERROR, _) => format!("argument {} is missing", k + 1),
            (_, "") => format!("argument {} is missing: {}", k + 1, self.type_name(ty)),
            _ => format!("argument {} is missing: {} '{name}'", k + 1, self.type_name(ty)),
        }
    }

    /// The place of the `)` of a call, or of its name if the call is long.
    fn closing_bracket(&self, n: Node) -> Span {
        let Span { start, end } = self.span(n);
        let closes = end > start && self.input.file.text.get(end as usize - 1) == Some(&b')');
        if closes { Span { start: end - 1, end } } else { self.at(n) }
    }

    fn runtime_arguments(
        &mut self,
        n: Node,
        callee: Sym,
        row: &runtime::RuntimeFunction,
        arguments: &[Node],
    ) {
        if row.variadic {
            let Some((&format, rest)) = arguments.split_first() else {
                let message = format!("'{}' takes a format and any number of values", self.text(callee));
                return self.error("argument-count", self.at(n), message);
            };
            let mut types = Vec::with_capacity(rest.len());
            for &argument in rest {
                if self.ty(argument) == Ty::TEXT {
                    self.report_string(argument);
                }
                types.push(self.scalar(argument));
            }
            if self.ty(format) == Ty::TEXT {
                return self.check_format(self.unwrapped(format), rest, &types);
            }
            if self.ty(format) != Ty::ERROR {
                let message =
                    format!("the first argument of '{}' is not a string literal", self.text(callee));
                let found = format!("expected a string literal, found {}", self.type_name(self.ty(format)));
                self.diags.push(Diagnostic::error("argument-type", self.span(format), message).label(found));
            }
        } else if self.right_count(n, callee, row.params.len(), arguments) {
            for (k, &argument) in arguments.iter().enumerate() {
                self.argument(callee, k, row.params[k], argument);
            }
        }
    }

    /// Whether argument `k` agrees with a parameter of type `param`.
    fn argument(&mut self, callee: Sym, k: usize, param: Ty, argument: Node) {
        let found = self.ty(argument);
        match (param.view(), found.view()) {
            (TyView::Error, _) | (_, TyView::Error) => {}
            (TyView::Scalar(target), TyView::Scalar(_)) => {
                if let Some(value) = self.constant(argument) {
                    self.check_conversion(argument, value, target);
                }
            }
            (_, TyView::Text) => self.report_string(argument),
            (_, TyView::Void) => {
                self.scalar(argument);
            }
            (TyView::Array(_, expected), TyView::Array(_, given))
                if self.dim_row(expected).is_tensor || self.dim_row(given).is_tensor =>
            {
                self.tensor_argument(callee, k, param, argument);
            }
            (TyView::Array(a, expected), TyView::Array(b, given)) if a == b => {
                if self.symbol(callee).kind == SymbolKind::Func && !self.same_inner(expected, given) {
                    self.argument_warning(callee, k, param, argument);
                }
            }
            _ => {
                let message = format!("argument {} of '{}' has the wrong type", k + 1, self.text(callee));
                let types = format!("expected {}, found {}", self.type_name(param), self.type_name(found));
                let diagnostic =
                    Diagnostic::error("argument-type", self.span(argument), message).label(types);
                let diagnostic = self.with_parameter(diagnostic, callee, k);
                self.diags.push(diagnostic);
            }
        }
    }

    pub(super) fn argument_warning(&mut self, callee: Sym, k: usize, param: Ty, argument: Node) {
        if !self.warns(Warning::IncompatibleArray) {
            return;
        }
        let message = format!("argument {} of '{}' has other inner dimensions", k + 1, self.text(callee));
        let types =
            format!("expected {}, found {}", self.type_name(param), self.type_name(self.ty(argument)));
        let diagnostic = Warning::IncompatibleArray.at(self.span(argument), message).label(types);
        let diagnostic = self.with_parameter(diagnostic, callee, k);
        self.diags.push(diagnostic);
    }

    pub(super) fn with_parameter(&self, diagnostic: Diagnostic, callee: Sym, k: usize) -> Diagnostic {
        match self.symbol(callee).kind {
            SymbolKind::Func => self.with_declaration(diagnostic, Sym::new(callee.index() + 1 + k)),
            _ => diagnostic,
        }
    }

    /// True if two arrays agree in all dimensions but the first.
    pub(super) fn same_inner(&self, a: Dim, b: Dim) -> bool {
        let rank = self.dim_row(a).rank;
        let extent = |dim: Dim, k: u32| self.dim_row(Dim::new(dim.index() + k as usize)).extent;
        rank == self.dim_row(b).rank && (1..rank).all(|k| extent(a, k) == extent(b, k))
    }

    /// `expression;`
    pub(super) fn expr_stmt(&mut self, n: Node) {
        let expr = self.before(n);
        if self.kind(expr) == NodeKind::Call {
            return;
        }
        let inner = self.unwrapped(expr);
        match self.ty(expr) {
            Ty::ERROR | Ty::TEXT => {}
            _ if self.kind(inner) == NodeKind::Call => {}
            _ => {
                if self.warns(Warning::UnusedValue) {
                    let diagnostic = Warning::UnusedValue.at(self.span(expr), "the statement has no effect");
                    let unused = diagnostic.clone().label("this value is not used");
                    let compares = self.kind(inner) == NodeKind::Binary
                        && self.token_kind(inner) == TokenKind::EqEq
                        && matches!(
                            self.kind(self.elder(self.before(inner))),
                            NodeKind::Name | NodeKind::Index
                        );
                    self.diags.push(match compares {
                        true => diagnostic.note("assignment is written '='").guess(self.at(inner), "="),
                        false => unused,
                    });
                }
            }
        }
    }
}
