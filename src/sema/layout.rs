//! What the indentation says and the statements do not: `if (a)`, and below it two statements indented alike. One
//! sweep over the tokens of a body, where the warning is asked for. O(tokens).

use super::checker::Checker;
use super::warning::Warning;
use crate::base::Handle;
use crate::source::Span;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::Node;

impl Checker<'_> {
    /// Warns of statements behind a body without braces that are indented as it is.
    pub(super) fn layout(&mut self) {
        let tree = self.input.tree;
        if tree.len() < 3 {
            return;
        }
        let (first, last) = (tree.token[Node::new(1)].index(), tree.token[Node::new(tree.len() - 2)].index());
        for k in first..last {
            let kind = self.kind_at(k);
            let body = match kind {
                TokenKind::If | TokenKind::While => self.behind_head(k, last),
                TokenKind::Else => Some(k + 1),
                _ => continue,
            };
            if let Some(next) = body.and_then(|body| self.seems_in(k, body, last)) {
                let (word, span) = (kind.spelling(), self.token_span(next));
                let message =
                    format!("this statement is not in the '{word}' that its indentation puts it in");
                let warning = Warning::MisleadingIndentation.at(span, message);
                let ends = format!("this '{word}' has one statement");
                let warning = warning.secondary(self.token_span(k), ends);
                self.diags.push(warning.help("put both in braces, or move this one to the left"));
            }
        }
    }

    fn kind_at(&self, k: usize) -> TokenKind {
        self.input.tokens.kind.get(Token::new(k)).copied().unwrap_or(TokenKind::End)
    }

    fn token_span(&self, k: usize) -> Span {
        self.input.tokens.span(&self.input.file.text, Token::new(k))
    }

    /// Behind the parentheses of a condition.
    fn behind_head(&self, k: usize, last: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in k + 1..last {
            match self.kind_at(at) {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 1 => return Some(at + 1),
                TokenKind::RParen => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    }

    /// The statement behind the one that `body` begins, if it is indented as that is, and more than the word at `k`.
    fn seems_in(&self, k: usize, body: usize, last: usize) -> Option<usize> {
        use TokenKind::{Const, Else, Float, If, Int, LBrace, RBrace, Semicolon, While};
        if matches!(self.kind_at(body), LBrace | Semicolon | If | While | Const | Int | Float | Else | RBrace)
        {
            return None;
        }
        let inner = self.indentation_of(body, true)?;
        let outer = self.indentation_of(k, false)?;
        if inner.len() <= outer.len() || !inner.starts_with(outer) {
            return None;
        }
        let next = (body..last).find(|&at| matches!(self.kind_at(at), Semicolon | LBrace | RBrace))? + 1;
        let is_statement =
            self.kind_at(next - 1) == Semicolon && !matches!(self.kind_at(next), Else | RBrace);
        (is_statement && next < last && self.indentation_of(next, true)? == inner).then_some(next)
    }

    /// The blanks that the line of a token begins with; none if the token has to be the first and is not, or the
    /// line is long.
    fn indentation_of(&self, k: usize, first: bool) -> Option<&[u8]> {
        /// Bytes of a line that are looked at.
        const NEAR: usize = 200;
        let at = *self.input.tokens.start.get(Token::new(k))? as usize;
        let from = at.saturating_sub(NEAR);
        let near = self.input.file.text.get(from..at)?;
        let line = match memchr::memrchr(b'\n', near) {
            Some(newline) => &near[newline + 1..],
            None if from == 0 => near,
            None => return None,
        };
        let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        (!first || blanks == line.len()).then(|| &line[..blanks])
    }
}
