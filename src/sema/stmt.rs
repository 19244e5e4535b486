//! Statements, and where control can go. Reachability follows the structure, with constant conditions taken
//! as known.

use super::checker::{Checker, IfFrame, LoopFrame, WRITTEN};
use super::symbol::{Sym, SymbolKind};
use super::ty::{Class, FLOAT, INT, Scalar, Ty};
use super::warning::Warning;
use crate::base::Handle;
use crate::source::{Diagnostic, Span};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Node, NodeKind};

impl Checker<'_> {
    /// Checks the body of a function whose signature is known: the rows of the tree from the second to the
    /// last.
    pub(super) fn body(&mut self, function: Sym) {
        self.function = Some(function);
        let def = Node::new(self.input.tree.len() - 1);
        self.outermost = (Node::new(1), self.before(def));
        let params = self.symbol(function).data as usize;
        let first = function.index() + 1;
        self.hidden = first + params..self.own.symbol_base;
        self.open_scope(first);
        for sym in (first..first + params).map(Sym::new) {
            if matches!(self.symbol(sym).kind, SymbolKind::Param | SymbolKind::Error) {
                self.bind(sym);
            }
        }
        self.sweep(self.outermost.0, def);
        self.follow(function);
        self.function = None;
        self.forget_unknown();
    }

    pub(super) fn func_def(&mut self, n: Node) {
        self.close_scope();
        let Some(sym) = self.function else { return };
        let missing = self.reachable && self.symbol(sym).ty != Ty::VOID && self.text(sym) != "main";
        if missing && self.warns(Warning::ReturnType) {
            let message = format!("'{}' can reach its end without returning a value", self.text(sym));
            let end = self.at(self.before(n));
            let diagnostic = Warning::ReturnType.at(end, message).label("no 'return' before this");
            self.report_about(diagnostic, sym);
        }
    }

    pub(super) fn block_start(&mut self, n: Node) {
        if n != self.outermost.0 {
            if self.token_kind(n) != TokenKind::LBrace {
                self.pedantic(Warning::ForLoop, self.at(n), "'for' is C, not SysY");
            }
            self.open_scope(self.next_sym());
        }
    }

    pub(super) fn block(&mut self, n: Node) {
        if n != self.outermost.1 {
            self.close_scope();
        }
    }

    // ---- Assignment ---------------------------------------------------------------------------------------

    /// The left side is complete: is it something that can be assigned to?
    pub(super) fn assign_start(&mut self, n: Node) {
        let target = self.before(n);
        if matches!(self.class(target), Class::IntVariable | Class::FloatVariable) {
            return;
        }
        let inner = self.unwrapped(target);
        let ty = self.ty(target);
        if ty == Ty::ERROR || self.next_kind(n) == Some(NodeKind::Error) {
            return;
        }
        if !matches!(self.kind(inner), NodeKind::Name | NodeKind::Index) {
            // The parser has reported it.
            return;
        }
        let Some(sym) = self.base_of(target) else { return };
        let symbol = *self.symbol(sym);
        if self.is_tensor(ty) && !symbol.is_const() {
            return self.tensor_target(target, sym);
        }
        if !symbol.is_const() && !ty.is_array() {
            if symbol.ty.is_array() && self.tracks && symbol.kind != SymbolKind::GlobalVar {
                self.flag(sym, WRITTEN);
            }
            return;
        }
        let text = self.text(sym);
        let (code, message) = if symbol.is_const() {
            let what = match symbol.ty {
                ty if self.is_tensor(ty) => "constant tensor",
                ty if ty.is_array() => "constant array",
                _ => "constant",
            };
            ("assign-const", format!("{what} '{text}' cannot be assigned to"))
        } else {
            let what = if self.kind(inner) == NodeKind::Index { "part of array" } else { "array" };
            ("assign-array", format!("{what} '{text}' cannot be assigned to as a whole"))
        };
        let diagnostic = Diagnostic::error(code, self.span(target), message);
        self.report_about(diagnostic, sym);
    }

    /// The value of what `+=` or `++` changes.
    #[cold]
    #[inline(never)]
    pub(super) fn old(&mut self, n: Node) {
        let target = self.before(self.before(n));
        let (warning, second) = match self.next_kind(n) == Some(NodeKind::One) {
            true => (Warning::IncrementOperator, self.token_kind(n).spelling()),
            false => (Warning::CompoundAssignment, "="),
        };
        if self.warns(warning) {
            let (span, sign) = (self.at(n), self.token_kind(n).spelling());
            let span = Span { end: span.end + 1, ..span };
            self.pedantic(warning, span, &format!("'{sign}{second}' is C, not SysY"));
        }
        match self.ty(target).as_scalar() {
            Some(Scalar::Int) => self.set(n, Class::Int, 0),
            Some(Scalar::Float) => self.set(n, Class::Float, 0),
            None if self.is_tensor(self.ty(target)) => self.set_type(n, self.ty(target)),
            None => self.set(n, Class::Error, 0),
        }
        if self.tracks
            && self.kind(target) == NodeKind::Name
            && let Some(sym) = self.symbol_of(target)
        {
            self.track_value(target, sym, *self.symbol(sym));
        }
    }

    pub(super) fn assign(&mut self, n: Node) {
        let value = self.before(n);
        let target = self.before(self.elder(value));
        if self.tracks
            && let Some(sym) = self.base_of(target)
            && self.symbol(sym).kind != SymbolKind::GlobalVar
        {
            self.flag(sym, WRITTEN);
        }
        if self.input.tree.size[n] == 4 {
            self.assigned_itself(n, target, value);
        }
        if self.class(target).shape() == 0 && self.is_tensor(self.ty(target)) {
            return self.assign_tensor(n, target, value);
        }
        // Arrays that are assigned to each other were reported.
        let are_arrays = || self.ty(value).is_array() && self.ty(target).is_array();
        if !self.class(value).fits_any_scalar() && !are_arrays() && self.scalar(value).is_some() {
            let scalar = self.ty(target).as_scalar();
            self.check_constant(value, scalar);
        }
    }

    /// Checks what a constant becomes in a scalar.
    fn check_constant(&mut self, value: Node, scalar: Option<Scalar>) {
        if let Some((constant, scalar)) = self.constant(value).zip(scalar) {
            self.check_conversion(value, constant, scalar);
        }
    }

    // ---- Control ------------------------------------------------------------------------------------------

    /// The value of a condition, if it is constant.
    fn condition(&mut self, expr: Node, may_be_literal: bool) -> Option<bool> {
        self.compared(expr);
        if matches!(self.class(expr).shape(), INT | FLOAT) {
            return None;
        }
        self.scalar(expr);
        let truth = self.constant(expr)?.is_true();
        let literal = matches!(self.kind(self.unwrapped(expr)), NodeKind::IntLiteral | NodeKind::One);
        if self.warns(Warning::ConstantCondition) && !(may_be_literal && literal) {
            let message = format!("the condition is always {truth}");
            self.diags.push(Warning::ConstantCondition.at(self.span(expr), message));
        }
        Some(truth)
    }

    pub(super) fn if_cond(&mut self, n: Node) {
        let truth = self.condition(self.before(n), false);
        self.ifs.push(IfFrame { entry: self.reachable, then_end: false, has_else: false, truth });
        self.reachable &= truth != Some(false);
    }

    pub(super) fn else_start(&mut self) {
        let Some(frame) = self.ifs.last_mut() else { return };
        (frame.then_end, frame.has_else) = (self.reachable, true);
        self.reachable = frame.entry && frame.truth != Some(true);
    }

    pub(super) fn if_end(&mut self, n: Node) {
        let Some(frame) = self.ifs.pop() else { return };
        if frame.has_else
            && let Some(head) = self.input.tree.first(n).index().checked_sub(1).map(Node::new)
            && self.kind(head) == NodeKind::IfCond
        {
            self.dangling_else(n, head);
        }
        self.reachable |=
            if frame.has_else { frame.then_end } else { frame.entry && frame.truth != Some(true) };
    }

    pub(super) fn while_start(&mut self, n: Node) {
        let (id, entry) = (n.index() as u32 + 1, self.reachable);
        self.loops.push(LoopFrame { id, entry, endless: false, breaks: false, goes_on: false });
    }

    pub(super) fn step_start(&mut self) {
        self.reachable |= self.loops.last().is_some_and(|frame| frame.goes_on);
    }

    pub(super) fn do_start(&mut self, n: Node) {
        self.pedantic(Warning::DoLoop, self.at(n), "'do' is C, not SysY");
        self.while_start(n);
    }

    pub(super) fn do_cond(&mut self, n: Node) {
        let truth = self.condition(self.before(n), true);
        self.reachable &= truth != Some(true);
    }

    pub(super) fn do_end(&mut self) {
        let Some(frame) = self.loops.pop() else { return };
        self.reachable |= frame.breaks;
    }

    /// Warns of what is no strict SysY.
    #[inline(never)]
    pub(super) fn pedantic(&mut self, warning: Warning, span: Span, message: &str) {
        if self.warns(warning) {
            self.diags.push(warning.at(span, message));
        }
    }

    pub(super) fn while_cond(&mut self, n: Node) {
        let truth = self.condition(self.before(n), true);
        if let Some(frame) = self.loops.last_mut() {
            frame.endless = truth == Some(true);
        }
        self.reachable &= truth != Some(false);
    }

    pub(super) fn while_end(&mut self) {
        let Some(frame) = self.loops.pop() else { return };
        self.reachable = frame.breaks || frame.entry && !frame.endless;
    }

    pub(super) fn break_out(&mut self, n: Node) {
        match self.loops.last_mut() {
            Some(frame) => frame.breaks |= self.reachable,
            None => self.error("break-outside-loop", self.at(n), "'break' outside of a loop"),
        }
        self.reachable = false;
    }

    pub(super) fn go_on(&mut self, n: Node) {
        match self.loops.last_mut() {
            Some(frame) => frame.goes_on |= self.reachable,
            None => self.error("continue-outside-loop", self.at(n), "'continue' outside of a loop"),
        }
        self.reachable = false;
    }

    pub(super) fn return_(&mut self, n: Node) {
        self.reachable = false;
        let Some(sym) = self.function else { return };
        let ty = self.symbol(sym).ty;
        let has_value = self.input.tree.size[n] > 1;
        let Some(target) = ty.as_scalar() else {
            if ty.is_array() || ty == Ty::ERROR {
                self.return_tensor(n, sym, has_value);
            } else if has_value {
                self.return_from_void(sym, self.before(n));
            }
            return;
        };
        if has_value {
            let value = self.before(n);
            if !self.class(value).fits_any_scalar() && self.scalar(value).is_some() {
                self.check_constant(value, Some(target));
            }
            return;
        }
        let message =
            format!("'return' without a value in '{}', which returns {}", self.text(sym), target.name());
        let diagnostic = Diagnostic::error("missing-return-value", self.at(n), message);
        self.report_about(diagnostic.label(format!("expected {}", expected(target))), sym);
    }

    fn return_from_void(&mut self, sym: Sym, value: Node) {
        if self.ty(value) == Ty::ERROR {
            return;
        }
        let message = format!("'return' with a value in '{}', which returns nothing", self.text(sym));
        let diagnostic = Diagnostic::error("return-value", self.span(value), message).label("expected ';'");
        self.report_about(diagnostic, sym);
    }
}

fn expected(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "an int",
        Scalar::Float => "a float",
    }
}
