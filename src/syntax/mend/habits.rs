//! What is mended of declarations whose types stand behind names, as in Rust, Go, Kotlin and Python: `let mut n: int = 1;`,
//! `fn f(n: int) -> int {`, `def f(n):`. Of a `:` between a name and its type the lexer has said what is meant (`stray`).

use super::{Mend, New, behind_bracket};
use crate::syntax::complaints::not_sysy;
use crate::syntax::stray;
use crate::syntax::token::TokenKind::{self, *};

/// Words that begin a function.
const FUNCTIONS: [&str; 5] = ["fn", "def", "func", "function", "fun"];

impl Mend<'_> {
    /// The type at a token, in whatever words; and where it ends.
    fn type_behind(&self, at: usize) -> Option<(TokenKind, usize)> {
        match self.kind(at) {
            kind @ (Int | Float | Void) => Some((kind, at + 1)),
            Ident if stray::type_of(self.text(at)) == Some("float") => Some((Float, at + 1)),
            Ident => Some((Int, at + 1)),
            _ => None,
        }
    }

    fn is_colon(&self, at: usize) -> bool {
        self.kind(at) == Invalid && self.text(at) == b":"
    }

    /// `let mut n: int = 1;`, `var n: int;`, `let mut n = 1;`
    pub(super) fn variable_word(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        stray::VARIABLES.iter().find(|word| self.is(at, word))?;
        let name = at + 1 + usize::from(self.is(at + 1, "mut"));
        if self.kind(name) != Ident {
            return None;
        }
        let (kind, end) = if self.is_colon(name + 1) {
            self.type_behind(name + 2)?
        } else if name == at + 2 && matches!(self.kind(name + 1), Assign | Semicolon) {
            let error = not_sysy(self.span(at).to(self.span(at + 1)), &format!("'{} mut'", self.word(at)));
            self.diags.push(error.help("write the type, 'int' or 'float'"));
            (Int, name + 1)
        } else {
            return None;
        };
        let new: [New; 2] = [(kind, self.start(at), 0), super::row(self.tokens, name)];
        self.replace(at, end, &new);
        Some((Ident, end))
    }

    /// `n: int` of a function's parameters.
    pub(super) fn type_behind_parameter(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        if !self.is_colon(at + 1) {
            return None;
        }
        let (kind, end) = self.type_behind(at + 2)?;
        let new: [New; 2] = [(kind, self.start(at), 0), super::row(self.tokens, at)];
        self.replace(at, end, &new);
        Some((Ident, end))
    }

    /// `fn f(n: int) -> int {`, `pub fn f() {`, `def f(n):`
    pub(super) fn function_word(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let word = at + usize::from(self.is(at, "pub"));
        let is_word = FUNCTIONS.iter().any(|text| self.is(word, text));
        let is_head = is_word && self.kind(word + 1) == Ident && self.kind(word + 2) == LParen;
        if !is_head || self.depth > 0 || !self.parens.is_empty() {
            return None;
        }
        let end = behind_bracket(self.kinds, word + 2)?;
        let has_arrow = self.kind(end) == Minus && self.kind(end + 1) == Greater;
        let result = if has_arrow { self.type_behind(end + 2) } else { None };
        if let Some((_, behind)) = result {
            self.arrow = Some((end, behind));
        }
        let text = self.word(word);
        let of_rust = !has_arrow && matches!(text.as_str(), "fn" | "fun") && !self.is(word + 1, "main");
        let kind = result.map_or(if of_rust { Void } else { Int }, |result| result.0);
        let error = not_sysy(self.span(at).to(self.span(word)), &format!("'{text}'"));
        self.diags.push(error.help(
            "types stand in front of names, that of the result in front of the function's: 'int f(int n) {'",
        ));
        self.replace(at, word + 1, &[(kind, self.start(at), 0)]);
        Some((kind, word + 1))
    }

    /// The `-> int` behind such a function's parameters.
    pub(super) fn result_behind(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let (_, end) = self.arrow.take_if(|arrow| arrow.0 == at)?;
        self.replace(at, end, &[]);
        Some((RParen, end))
    }
}
