//! One token by the rules of the language, from its first byte on.

use super::{
    KEYWORDS, block_comment_end, line_comment_end, number, plain_integer, scan_string, splice_end, word_end,
};
use crate::base::{Handle, Interner};
use crate::source::{Diagnostic, Diagnostics, Span};
use crate::syntax::stray;
use crate::syntax::token::TokenKind;
use memchr::memchr;

/// What is read, up to where it ends.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a [u8],
    /// The name of the first keyword.
    pub(super) keywords: u32,
    pub(super) nul_seen: bool,
    pub(super) names: &'a mut Interner,
    pub(super) diags: &'a mut Diagnostics,
}

/// A token that was read, or something between tokens.
pub(super) struct One {
    /// What it is; nothing for a comment.
    pub(super) kind: Option<TokenKind>,
    /// What `Tokens::value` is to hold.
    pub(super) value: u32,
    /// Behind its last byte.
    pub(super) end: usize,
}

/// What a byte can begin.
#[derive(Copy, Clone)]
#[repr(u8)]
enum Starts {
    /// An identifier or a keyword.
    Word,
    /// A number.
    Digit,
    /// The token that `SHORT` has, and no other.
    Single,
    /// That token, or the one of `long` if `=` follows.
    Equal,
    /// A slash, or a comment.
    Slash,
    /// What needs a closer look.
    Other,
}

/// Per byte: what it begins, and the token that it is by itself.
static STARTS: [(Starts, TokenKind); 256] = {
    use TokenKind::*;
    let mut table = [(Starts::Other, Invalid); 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Starts::Word, Ident),
            b'0'..=b'9' => (Starts::Digit, IntLiteral),
            b'(' => (Starts::Single, LParen),
            b')' => (Starts::Single, RParen),
            b'[' => (Starts::Single, LBracket),
            b']' => (Starts::Single, RBracket),
            b'{' => (Starts::Single, LBrace),
            b'}' => (Starts::Single, RBrace),
            b',' => (Starts::Single, Comma),
            b';' => (Starts::Single, Semicolon),
            b'+' => (Starts::Single, Plus),
            b'-' => (Starts::Single, Minus),
            b'*' => (Starts::Single, Star),
            b'%' => (Starts::Single, Percent),
            b'@' => (Starts::Single, At),
            b'/' => (Starts::Slash, Slash),
            b'=' => (Starts::Equal, Assign),
            b'!' => (Starts::Equal, Not),
            b'<' => (Starts::Equal, Less),
            b'>' => (Starts::Equal, Greater),
            _ => (Starts::Other, Invalid),
        };
        byte += 1;
    }
    table
};

/// The operator with `=` behind it.
fn with_equal(kind: TokenKind) -> TokenKind {
    match kind {
        TokenKind::Assign => TokenKind::EqEq,
        TokenKind::Not => TokenKind::NotEq,
        TokenKind::Less => TokenKind::LessEq,
        _ => TokenKind::GreaterEq,
    }
}

impl Lexer<'_> {
    /// Reads what begins at `at`, where no blank is.
    pub(super) fn one(&mut self, at: usize) -> One {
        let text = self.text;
        let (class, mut kind) = STARTS[text[at] as usize];
        let mut value = 0;
        let end = match class {
            Starts::Single => at + 1,
            Starts::Word => {
                let end = word_end(text, at);
                value = self.names.intern_bytes(&text[at..end]).index() as u32;
                if let Some(&keyword) = KEYWORDS.get(value.wrapping_sub(self.keywords) as usize) {
                    kind = keyword;
                }
                end
            }
            Starts::Digit => {
                let end;
                (kind, value, end) = match plain_integer(text, at) {
                    Some((end, value)) => (kind, value, end),
                    None => number(text, at, self.diags),
                };
                end
            }
            Starts::Equal if text.get(at + 1) == Some(&b'=') => {
                kind = with_equal(kind);
                at + 2
            }
            Starts::Equal => at + 1,
            Starts::Slash if !matches!(text.get(at + 1), Some(b'/' | b'*')) => at + 1,
            Starts::Slash | Starts::Other => return self.other(at),
        };
        One { kind: Some(kind), value, end }
    }

    /// What begins with a byte that tells little.
    fn other(&mut self, at: usize) -> One {
        use TokenKind::*;
        let text = self.text;
        let next = text.get(at + 1).copied().unwrap_or(0);
        let (kind, end) = match text[at] {
            b'.' if next.is_ascii_digit() => {
                let (kind, value, end) = number(text, at, self.diags);
                return One { kind: Some(kind), value, end };
            }
            b'"' => self.string(at),
            b'/' if next == b'/' => return nothing(line_comment_end(text, at, self.diags)),
            b'/' if next == b'*' => {
                let Some(end) = block_comment_end(text, at) else {
                    let opening = Span::new(at, at + 2);
                    let error =
                        Diagnostic::error("unterminated-comment", opening, "the comment is not closed");
                    self.diags.push(error.label("opened here").help("comments end at the first '*/'"));
                    return nothing(text.len());
                };
                return nothing(end);
            }
            b'\\' if splice_end(text, at).is_some() => {
                return nothing(splice_end(text, at).unwrap_or(text.len()));
            }
            b'&' if next == b'&' => (AndAnd, at + 2),
            b'|' if next == b'|' => (OrOr, at + 2),
            byte => {
                let end = stray::invalid_end(text, at);
                if byte != 0 || !self.nul_seen {
                    stray::complain(text, at, end, self.diags);
                }
                self.nul_seen |= byte == 0;
                (Invalid, end)
            }
        };
        One { kind: Some(kind), value: 0, end }
    }

    fn string(&mut self, at: usize) -> (TokenKind, usize) {
        match scan_string(self.text, at) {
            Ok(end) => {
                if let Some(nul) = memchr(0, &self.text[at..end]) {
                    let span = Span::new(at + nul, at + nul + 1);
                    self.diags.push(Diagnostic::error(
                        "stray-byte",
                        span,
                        "a string literal holds a NUL byte",
                    ));
                }
                (TokenKind::StringLiteral, end)
            }
            Err(end) => {
                let message = "the string literal is not closed on its line";
                self.diags.push(Diagnostic::error("unterminated-string", Span::new(at, at + 1), message));
                (TokenKind::Invalid, end)
            }
        }
    }
}

/// What is between tokens, up to `end`.
fn nothing(end: usize) -> One {
    One { kind: None, value: 0, end }
}
