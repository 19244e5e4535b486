//! What is SysY, and was probably not meant: `a < b < c`, `!a == b`, `a =! b`, `if (a);`.

use super::checker::{Checker, Input};
use super::fold;
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
            if matches!(self.kind(left), NodeKind::Binary | NodeKind::Unary) {
                let inner = self.token_kind(left);
                if fold::is_comparison(inner) || inner == TokenKind::Not {
                    self.truth_compared(condition, left);
                }
            }
        }
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
            true => warning.edit(self.span(n), both),
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
            true => warning.edit(at, ""),
            false => warning.help("remove the ';', or write '{}'"),
        });
    }
}
