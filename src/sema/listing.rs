//! Initialiser lists: which element each expression initialises.
//!
//! C's rules in two sentences. An expression initialises the next scalar, wherever that is. A brace opens the
//! largest part of the innermost braced part that starts at the next scalar and is smaller than it; its end
//! is the end of that part, however much of it was written.
//!
//! The rows of a list are read backwards once, which makes its expressions, openings and ends known without a
//! stack, and these then forwards with a stack of braces. An expression costs O(1); a brace finds its part by
//! halving over the dimensions, because a part that starts at the cursor has all its inner parts start there,
//! too.

use super::checker::Checker;
use super::init::Init;
use super::symbol::{Sym, SymbolKind};
use super::ty::{Dim, Scalar};
use super::warning::Warning;
use crate::base::Handle;
use crate::source::Diagnostic;
use crate::syntax::tree::{Node, NodeKind};

/// The part that an open brace initialises.
struct Part {
    /// Its outermost dimension; none for a scalar.
    dim: Option<Dim>,
    start: u32,
    end: u32,
    /// True once one too many was reported.
    excess: bool,
}

impl Checker<'_> {
    /// The expressions and braces of a list in order, the braces themselves included.
    fn events(&self, list: Node, events: &mut Vec<Node>) {
        let first = self.input.tree.first(list).index();
        let mut at = list.index() + 1;
        while at > first {
            let n = Node::new(at - 1);
            events.push(n);
            at -= match self.kind(n) {
                NodeKind::InitList | NodeKind::InitListStart => 1,
                _ => self.input.tree.size[n] as usize,
            };
        }
        events.reverse();
    }

    /// The one expression in a braced initialiser of a scalar.
    pub(super) fn sole_element(&mut self, sym: Sym, list: Node) -> Option<Node> {
        let expr = self.before(list);
        if self.kind(expr) != NodeKind::InitListStart
            && self.kind(expr) != NodeKind::InitList
            && self.kind(self.elder(expr)) == NodeKind::InitListStart
        {
            self.warn_braces(list);
            return Some(expr);
        }
        let ty = self.type_name(self.symbol(sym).ty);
        let message = format!("{ty} variable '{}' is initialised with a list", self.text(sym));
        self.diags.push(Diagnostic::error("scalar-list", self.at(list), message).label("expected one value"));
        if self.symbol(sym).is_const() {
            self.spoil(sym);
        }
        None
    }

    fn warn_braces(&mut self, list: Node) {
        if self.warns(Warning::Braces) {
            let diagnostic = Warning::Braces.at(self.at(list), "braces around the initialiser of a scalar");
            self.diags.push(diagnostic);
        }
    }

    pub(super) fn initialise_array(&mut self, sym: Sym, element: Scalar, dim: Dim, list: Node) {
        let mut events = std::mem::take(&mut self.scratch);
        self.events(list, &mut events);
        let init = self.inits.open();
        // How many values were meant is not known where the parser could not read one.
        let is_broken = self.input.broken && events.iter().any(|&n| self.kind(n) == NodeKind::Error);
        let mut parts: Vec<Part> = Vec::new();
        let mut cursor: u32 = 0;
        for &n in &events {
            match self.kind(n) {
                NodeKind::InitListStart => {
                    let part = match parts.last_mut() {
                        None => Part {
                            dim: Some(dim),
                            start: 0,
                            end: self.dim_row(dim).elements(),
                            excess: is_broken,
                        },
                        Some(outer) if cursor >= outer.end => {
                            let known = std::mem::replace(&mut outer.excess, true);
                            if !known {
                                self.report_excess(sym, n);
                            }
                            Part { dim: None, start: cursor, end: cursor, excess: true }
                        }
                        Some(outer) => {
                            let (within, start) = (outer.dim, outer.start);
                            Part { excess: is_broken, ..self.part_at(within, start, cursor) }
                        }
                    };
                    if part.dim.is_none() && !part.excess {
                        self.warn_braces(n);
                    }
                    parts.push(part);
                }
                NodeKind::InitList => {
                    if let Some(part) = parts.pop() {
                        cursor = part.end;
                    }
                }
                _ => {
                    let Some(part) = parts.last_mut() else { continue };
                    if cursor < part.end {
                        self.element(sym, init, element, cursor, n);
                        cursor += 1;
                    } else if !std::mem::replace(&mut part.excess, true) {
                        self.report_excess(sym, n);
                    }
                }
            }
        }
        events.clear();
        self.scratch = events;
        let symbol = self.symbol_mut(sym);
        (symbol.data, symbol.known) = (init.index() as u32, true);
    }

    /// The largest part below `outer` (which starts at `start`) that starts at `cursor`.
    fn part_at(&self, outer: Option<Dim>, start: u32, cursor: u32) -> Part {
        let scalar = Part { dim: None, start: cursor, end: cursor + 1, excess: false };
        let Some(outer) = outer else { return scalar };
        let rank = self.dim_row(outer).rank as usize;
        let row = |k: usize| self.dim_row(Dim::new(outer.index() + k));
        // The first k for which dimension k starts at the cursor; `rank` is the scalar.
        let (mut low, mut high) = (1, rank);
        while low < high {
            let k = (low + high) / 2;
            if (cursor - start).is_multiple_of(row(k).elements()) {
                high = k;
            } else {
                low = k + 1;
            }
        }
        if low == rank {
            return scalar;
        }
        let dim = Dim::new(outer.index() + low);
        Part { dim: Some(dim), start: cursor, end: cursor + row(low).elements(), excess: false }
    }

    fn element(&mut self, sym: Sym, init: Init, element: Scalar, offset: u32, expr: Node) {
        let used = self.scalar(expr);
        let variable = self.symbol(sym).kind == SymbolKind::LocalVar;
        match self.constant(expr) {
            Some(value) => {
                self.check_conversion(expr, value, element);
                let word = value.to(element).bits();
                if !variable {
                    self.inits.write(init, offset, word);
                } else if word != 0 {
                    self.inits.element(init, offset, expr);
                }
            }
            None if variable => self.inits.element(init, offset, expr),
            None => {
                if used.is_some() {
                    self.report_nonconstant_initialiser(sym, expr);
                }
            }
        }
    }

    fn report_excess(&mut self, sym: Sym, n: Node) {
        let ty = self.type_name(self.symbol(sym).ty);
        let message = format!("too many initialisers for '{}'", self.text(sym));
        let diagnostic = Diagnostic::error("excess-initialisers", self.span(n), message);
        let diagnostic = diagnostic.label("one too many").note(format!("'{}' is {ty}", self.text(sym)));
        self.diags.push(diagnostic);
    }
}
