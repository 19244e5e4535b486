//! What is SysY, and was probably not meant: `a < b < c`, `!a == b`, `a =! b`, `if (a);`.

use super::checker::{Checker, Input};
use super::fold;
use super::ty::Ty;
use super::warning::Warning;
use crate::base::Handle;
use crate::source::Span;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::{Node, NodeKind};

/// Bytes of an expression that messages show.
const SHOWN: u32 = 24;

impl Checker<'_> {
    /// `a =! b`, where `!=` was probably meant.
    #[cold]
    #[inline(never)]
    pub(super) fn assigned_not(&mut self, n: Node) {
        let Input { file, tokens, tree, .. } = self.input;
        let at = tree.token[n].index();
        let Some(assign) = at.checked_sub(1).map(Token::new) else { return };
        let start = tokens.start[Token::new(at)] as usize;
        let adjoins = tokens.kind[assign] == TokenKind::Assign && tokens.start[assign] as usize + 1 == start;
        let blank_behind = file.text.get(start + 1).is_some_and(u8::is_ascii_whitespace);
        // In a condition it is an error.
        let before = tree.first(n).index().checked_sub(1).map(|row| tree.kind[Node::new(row)]);
        let assigns = matches!(before, Some(NodeKind::AssignStart | NodeKind::InitStart));
        if adjoins && assigns && blank_behind && self.warns(Warning::AssignNot) {
            let span = Span::new(start - 1, start + 1);
            let warning = Warning::AssignNot.at(span, "'=!' assigns the negation of what follows");
            self.diags.push(warning.edit(span, "= !"));
        }
    }

    /// Warns of a condition that compares a truth value, which was probably not meant: `a < b < c`, `!a == b`.
    #[inline(always)]
    pub(super) fn compared(&mut self, condition: Node) {
        if self.kind(condition) == NodeKind::Binary {
            let left = self.elder(self.before(condition));
            if self.input.tree.size[condition] == 3 && self.kind(left) == NodeKind::Name {
                self.compared_with_itself(condition, left);
            } else if matches!(self.kind(left), NodeKind::Binary | NodeKind::Unary) {
                let inner = self.token_kind(left);
                if fold::is_comparison(inner) || inner == TokenKind::Not {
                    self.truth_compared(condition, left);
                }
            }
        }
    }

    /// `a == a`
    fn compared_with_itself(&mut self, n: Node, left: Node) {
        let right = self.before(n);
        let op = self.token_kind(n);
        if self.kind(right) != NodeKind::Name
            || self.symbol_of(left).is_none()
            || self.symbol_of(left) != self.symbol_of(right)
            || !fold::is_comparison(op)
            || self.ty(left) != Ty::INT
            || !self.warns(Warning::TautologicalCompare)
        {
            return;
        }
        let always = matches!(op, TokenKind::EqEq | TokenKind::LessEq | TokenKind::GreaterEq);
        let message = format!("a variable is compared with itself, which is always {always}");
        self.diags.push(Warning::TautologicalCompare.at(self.span(n), message));
    }

    /// `a = a;`
    pub(super) fn assigned_itself(&mut self, n: Node, target: Node, value: Node) {
        if self.kind(value) == NodeKind::Name
            && self.kind(target) == NodeKind::Name
            && self.data(value) == self.data(target)
            && self.symbol_of(value).is_some()
            && self.warns(Warning::SelfAssign)
        {
            let span = self.at(target).to(self.at(value));
            let message = "a variable is assigned to itself";
            self.diags
                .push(Warning::SelfAssign.at(span, message).secondary(self.at(n), "this changes nothing"));
        }
    }

    /// `a == 1 || 2`
    #[cold]
    #[inline(never)]
    pub(super) fn constant_operand(&mut self, n: Node, left: Node, right: Node) {
        let value = self.data(right);
        if value < 2 || self.constant(left).is_some() || !self.warns(Warning::ConstantLogicalOperand) {
            return;
        }
        let (span, shown) = (self.span(right), self.source(right, "this"));
        let message = format!("'{shown}' is always true: nothing compares it");
        let warning = Warning::ConstantLogicalOperand.at(span, message).secondary(self.at(n), "beside this");
        // `a == 1 ||` in front of it.
        let compares = self.kind(left) == NodeKind::Binary && self.token_kind(left) == TokenKind::EqEq;
        let first = if compares { self.elder(self.before(left)) } else { left };
        let is_short = self.span(first).end - self.span(first).start <= SHOWN;
        self.diags.push(match compares && is_short && self.kind(n) == NodeKind::Or {
            true => {
                let right = format!("{} == {shown}", self.source(first, "a"));
                warning.guess(span, right)
            }
            false => warning,
        });
    }

    /// An `else` that is indented as the `if` around its own, whose condition is `head`.
    #[cold]
    #[inline(never)]
    pub(super) fn dangling_else(&mut self, n: Node, head: Node) {
        let tree = self.input.tree;
        if self.next_kind(n) == Some(NodeKind::ElseStart) || !self.warns(Warning::DanglingElse) {
            return;
        }
        let (word, inner) = (self.elder(self.before(n)), self.at(n));
        let outer = tree.first(head).index().checked_sub(1).map(|row| self.at(Node::new(row)));
        let (Some(outer), word) = (outer, self.at(word)) else { return };
        let column = |span: Span| {
            let before = &self.input.file.text[..span.start as usize];
            let near = &before[before.len().saturating_sub(200)..];
            let line = &near[memchr::memrchr(b'\n', near)? + 1..];
            line.iter().all(u8::is_ascii_whitespace).then_some(line.len())
        };
        if column(word).is_none() || column(word) != column(outer) || column(word) >= column(inner) {
            return;
        }
        let message = "this 'else' does not belong to the 'if' that it is indented as";
        let warning = Warning::DanglingElse.at(word, message).secondary(inner, "but to this one");
        self.diags.push(warning.help("put the inner 'if' in braces"));
    }

    #[cold]
    #[inline(never)]
    fn truth_compared(&mut self, n: Node, left: Node) {
        let (inner, op) = (self.token_kind(left), self.token_kind(n));
        if !fold::is_comparison(op) {
            return;
        }
        let is_equality = |op| matches!(op, TokenKind::EqEq | TokenKind::NotEq);
        // `(a < b) == (c < d)` has parentheses; without any, `a == b == c` may be meant, and `a < b == c`, too.
        let chained = fold::is_comparison(inner) && is_equality(op) == is_equality(inner);
        if !self.warns(Warning::Comparison) || !chained && inner != TokenKind::Not {
            return;
        }
        let at = self.at(n);
        if inner == TokenKind::Not {
            let right = self.before(n);
            let truth = |n: Node| {
                matches!(self.kind(n), NodeKind::And | NodeKind::Or)
                    || matches!(self.kind(n), NodeKind::Binary | NodeKind::Unary)
                        && (fold::is_comparison(self.token_kind(n)) || self.token_kind(n) == TokenKind::Not)
            };
            if truth(self.unwrapped(self.before(left))) || truth(self.unwrapped(right)) {
                return;
            }
            let (a, b) = (self.source(self.before(left), "a"), self.source(right, "b"));
            let message = "'!' applies to the left side of this comparison only";
            let warning = Warning::Comparison.at(self.at(left), message).secondary(at, "this comparison");
            let op = op.spelling();
            self.diags.push(warning.help(format!("write '!({a} {op} {b})', or '(!{a}) {op} {b}'")));
            return;
        }
        let (first, second) = (inner.spelling(), op.spelling());
        let b = self.before(left);
        let (left, right) = (self.elder(b), self.before(n));
        // What is written twice must not do anything, and all of it must be there to see.
        let whole = [left, b, right].iter().all(|&part| self.span(part).end - self.span(part).start <= SHOWN)
            && self.input.tree.size[b] == 1;
        let (a, c) = (self.source(left, "a"), self.source(right, "c"));
        let b = self.source(b, "b");
        let message = format!("this compares '{a} {first} {b}', which is 0 or 1, with '{c}'");
        let warning = Warning::Comparison.at(self.span(n), message);
        let both = format!("{a} {first} {b} && {b} {second} {c}");
        let whole = whole && !self.is_comparison(left);
        self.diags.push(match whole {
            true => warning.guess(self.span(n), both),
            false => warning.help(format!("write '{both}'")),
        });
    }

    fn is_comparison(&self, n: Node) -> bool {
        self.kind(n) == NodeKind::Binary && fold::is_comparison(self.token_kind(n))
    }

    /// The text of an expression for a message, or a name that stands for it, if it is long.
    fn source(&self, n: Node, name: &str) -> String {
        let Span { start, end } = self.span(n);
        let text = self
            .input
            .file
            .text
            .get(start as usize..end as usize)
            .filter(|text| text.len() <= SHOWN as usize);
        text.map_or(name.to_string(), |text| String::from_utf8_lossy(text).into_owned())
    }

    /// A `;` alone: is it a body that was not meant?
    #[cold]
    pub(super) fn empty(&mut self, n: Node) {
        if !self.warns(Warning::EmptyBody) {
            return;
        }
        let (at, head) = (self.at(n), self.before(n));
        let (word, token) = match self.kind(head) {
            NodeKind::IfCond => ("if", head),
            NodeKind::WhileCond if self.token_kind(head) == TokenKind::Semicolon => ("for", head),
            NodeKind::WhileCond => ("while", head),
            NodeKind::DoStart => return,
            NodeKind::ElseStart => ("else", head),
            _ => return,
        };
        let text = &self.input.file.text;
        let line_start = memchr::memrchr(b'\n', &text[..at.start as usize]).map_or(0, |newline| newline + 1);
        // On a line of its own it is meant.
        let own_line = text[line_start..at.start as usize].trim_ascii().is_empty();
        // So it is behind a 'for', a condition that does something, or is known, or before an `else`, unless a block follows.
        let condition = self.before(token);
        let rows = self.input.tree.first(token).index()..token.index();
        let acts = word == "for"
            || word != "else"
                && (self.constant(condition).is_some()
                    || rows.into_iter().any(|k| self.kind(Node::new(k)) == NodeKind::Call));
        let next = self.input.tokens.kind.get(Token::new(self.input.tree.token[n].index() + 1));
        let block_follows = next == Some(&TokenKind::LBrace);
        if own_line || acts && !block_follows || next == Some(&TokenKind::Else) {
            return;
        }
        let warning = Warning::EmptyBody.at(at, format!("the body of this '{word}' is empty"));
        self.diags.push(match block_follows {
            true => warning.guess(at, ""),
            false => warning.help("remove the ';', or write '{}'"),
        });
    }
}
