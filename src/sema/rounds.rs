//! Loops that count, and a subscript that leaves its array in a round that is certainly gone through: gcc's "iteration 4
//! invokes undefined behavior" (`-Waggressive-loop-optimizations`). Asked where `flow` comes to the end of a loop.
//!
//! Certain is what needs no guess: the counter is a local int with a constant before the loop, a constant step and a
//! constant end, nothing leaves the loop, and the subscript is the counter and a constant, in no branch. O(rows of the
//! loop), for loops of at most `ROWS`.

use super::checker::Checker;
use super::symbol::{Sym, SymbolKind};
use super::ty::{Const, Ty, TyView};
use super::warning::Warning;
use crate::base::Handle;
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Node, NodeKind};

/// Rows of a loop that are looked at, and statements in front of it.
const ROWS: usize = 512;
const STATEMENTS: usize = 16;

/// A loop that counts.
struct Counted {
    counter: Sym,
    /// Its values: the first, and what is added.
    first: i64,
    step: i64,
    /// The row that adds.
    update: usize,
    /// It goes on while the counter is this to that.
    op: TokenKind,
    end: i64,
}

impl Counted {
    /// True if the loop goes on with this value of the counter.
    fn holds(&self, value: i64) -> bool {
        match self.op {
            TokenKind::Less => value < self.end,
            TokenKind::LessEq => value <= self.end,
            TokenKind::Greater => value > self.end,
            TokenKind::GreaterEq => value >= self.end,
            _ => value != self.end,
        }
    }

    /// The first round, from 0, in which `counter + offset` is outside of `0..length`, if the loop comes to it.
    fn leaves(&self, offset: i64, length: i64) -> Option<i64> {
        let start = self.first + offset;
        let rounds = match self.step {
            _ if start < 0 || start >= length => 0,
            1.. => (length - start + self.step - 1) / self.step,
            _ => start / -self.step + 1,
        };
        let last = self.first + self.step * rounds;
        // Conditions but `!=` hold up to where they fail for good.
        let passes_end = self.op == TokenKind::NotEq
            && (self.end - self.first) % self.step == 0
            && (0..=rounds).contains(&((self.end - self.first) / self.step));
        let fits = i32::try_from(last).is_ok() && i32::try_from(last + offset).is_ok();
        (fits && self.holds(self.first) && self.holds(last) && !passes_end).then_some(rounds)
    }
}

impl Checker<'_> {
    /// Looks at a loop, `n`, whose condition this is.
    pub(super) fn rounds(&mut self, n: Node, condition: Node) {
        if self.input.tree.size[n] as usize > ROWS || !self.warns(Warning::AggressiveLoopOptimizations) {
            return;
        }
        let Some(counted) = self.counted(n, condition) else { return };
        let mut found: Option<(i64, Node, i64)> = None;
        for row in self.certain(n) {
            let Some((offset, length)) = self.subscript(row, counted.counter) else { continue };
            let behind = if row.index() > counted.update { counted.step } else { 0 };
            if let Some(round) = counted.leaves(offset + behind, length)
                && found.is_none_or(|found| round < found.0)
            {
                found = Some((round, row, length));
            }
        }
        let Some((round, row, length)) = found else { return };
        let value = counted.first + counted.step * round;
        let counter = self.text(counted.counter);
        let message = format!("the subscript is outside of the array in iteration {} of the loop", round + 1);
        let label = format!("{length} elements");
        let holds = format!("'{counter}' is {value} then, and this holds");
        let warning = Warning::AggressiveLoopOptimizations.at(self.span(row), message).label(label);
        let warning = warning.secondary(self.span(condition), holds);
        self.diags.push(match counted.op == TokenKind::LessEq && value == length && counted.end == length {
            true => warning.guess(self.at(condition), "<"),
            false => warning,
        });
    }

    /// The rows of a loop that are in no branch and no loop in it.
    fn certain(&self, n: Node) -> Vec<Node> {
        let (mut depth, mut rows) = (0usize, Vec::new());
        for row in (self.input.tree.first(n).index() + 1..n.index()).map(Node::new) {
            match self.kind(row) {
                NodeKind::IfCond | NodeKind::AndLhs | NodeKind::OrLhs => depth += 1,
                NodeKind::WhileStart | NodeKind::ForStart | NodeKind::DoStart => depth += 1,
                NodeKind::If | NodeKind::And | NodeKind::Or => depth = depth.saturating_sub(1),
                NodeKind::While | NodeKind::For | NodeKind::Do => depth = depth.saturating_sub(1),
                _ if depth == 0 => rows.push(row),
                _ => {}
            }
        }
        rows
    }

    /// How a loop counts, if it does.
    fn counted(&self, n: Node, condition: Node) -> Option<Counted> {
        let start = self.input.tree.first(n);
        let op = self.token_kind(condition);
        if self.kind(condition) != NodeKind::Binary {
            return None;
        }
        let (right, left) = (self.before(condition), self.elder(self.before(condition)));
        let end = self.int(right)?;
        let counter = self.symbol_of(left).filter(|_| self.kind(left) == NodeKind::Name)?;
        let is_local = matches!(self.symbol(counter).kind, SymbolKind::LocalVar);
        if !is_local || self.symbol(counter).ty != Ty::INT {
            return None;
        }
        let mut updates = Vec::new();
        for row in (start.index()..n.index()).map(Node::new) {
            match self.kind(row) {
                NodeKind::Break | NodeKind::Continue | NodeKind::Return | NodeKind::Error => return None,
                NodeKind::Assign if self.assigned(row) == Some(counter) => updates.push(row),
                _ => {}
            }
        }
        let [update] = updates[..] else { return None };
        if !self.certain(n).contains(&update) {
            return None;
        }
        let step = self.offset(self.before(update), counter)?;
        let goes_up = match op {
            TokenKind::Less | TokenKind::LessEq => Some(true),
            TokenKind::Greater | TokenKind::GreaterEq => Some(false),
            TokenKind::NotEq => None,
            _ => return None,
        };
        if step == 0 || goes_up.is_some_and(|up| up != (step > 0)) {
            return None;
        }
        let first = self.value_before(start, counter)?;
        Some(Counted { counter, first, step, update: update.index(), op, end })
    }

    /// The value of an int constant.
    fn int(&self, n: Node) -> Option<i64> {
        match self.constant(n)? {
            Const::Int(value) => Some(value.into()),
            Const::Float(_) => None,
        }
    }

    /// The variable that an assignment is to.
    fn assigned(&self, n: Node) -> Option<Sym> {
        let target = self.before(self.elder(self.before(n)));
        self.symbol_of(target).filter(|_| self.kind(target) == NodeKind::Name)
    }

    /// What is added to the counter, if an expression is the counter and a constant.
    fn offset(&self, n: Node, counter: Sym) -> Option<i64> {
        let n = self.unwrapped(n);
        let is_counter = |n: Node| {
            self.kind(n) == NodeKind::Old
                || self.kind(n) == NodeKind::Name && self.symbol_of(n) == Some(counter)
        };
        if is_counter(n) {
            return Some(0);
        }
        if self.kind(n) != NodeKind::Binary {
            return None;
        }
        let (right, left) = (self.before(n), self.elder(self.before(n)));
        match self.token_kind(n) {
            TokenKind::Plus if is_counter(right) => self.int(left),
            op if is_counter(left) && is_sum(op) == Some(true) => self.int(right),
            op if is_counter(left) && is_sum(op) == Some(false) => self.int(right).map(|value| -value),
            _ => None,
        }
    }

    /// The offset and the length of an element that is named by the counter.
    fn subscript(&self, n: Node, counter: Sym) -> Option<(i64, i64)> {
        if self.kind(n) != NodeKind::Index {
            return None;
        }
        let subscript = self.before(n);
        let array = self.before(self.elder(subscript));
        let TyView::Array(_, dim) = self.ty(array).view() else { return None };
        let length = self.dim_row(dim).extent;
        (length > 0).then_some((self.offset(subscript, counter)?, length.into()))
    }

    /// The constant that the statements in front of a row give a local variable.
    fn value_before(&self, start: Node, counter: Sym) -> Option<i64> {
        let tree = self.input.tree;
        let mut last = start.index().checked_sub(1).map(Node::new)?;
        for _ in 0..STATEMENTS {
            match self.kind(last) {
                NodeKind::Decl => {
                    let own = |row: &Node| {
                        self.kind(*row) == NodeKind::VarDef && self.symbol_of(*row) == Some(counter)
                    };
                    if let Some(row) = tree.children_rev(last).find(own) {
                        let value = self.before(row);
                        return if self.kind(value) == NodeKind::Declarator { None } else { self.int(value) };
                    }
                }
                NodeKind::Assign if self.assigned(last) == Some(counter) => {
                    return self.int(self.before(last));
                }
                NodeKind::Assign | NodeKind::ExprStmt | NodeKind::Empty => {}
                NodeKind::Block | NodeKind::While | NodeKind::If if tree.size[last] as usize <= ROWS => {
                    let rows = tree.first(last).index()..last.index();
                    let gives =
                        |row| self.kind(row) == NodeKind::Assign && self.assigned(row) == Some(counter);
                    if rows.map(Node::new).any(gives) {
                        return None;
                    }
                }
                _ => return None,
            }
            last = Node::new(last.index().checked_sub(tree.size[last] as usize)?);
        }
        None
    }
}

/// True of the operators that add, false of those that subtract.
fn is_sum(op: TokenKind) -> Option<bool> {
    match op {
        TokenKind::Plus => Some(true),
        TokenKind::Minus => Some(false),
        _ => None,
    }
}
