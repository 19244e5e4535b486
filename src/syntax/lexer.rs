//! Bytes to tokens, in one sweep. O(bytes): comments are skipped with `memchr`, everything else is looked at once.
//!
//! What starts no token is reported here, once per run of such bytes, and becomes an `Invalid` token, about which the
//! parser then says nothing more; so does a malformed number. The text of a token is not stored: `token_end` runs the
//! same scan again from its start.

use super::stray;
use super::token::{Token, TokenKind, Tokens};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};
use memchr::{memchr, memchr2, memchr3};

impl Tokens {
    /// The bytes of a token. O(its length).
    pub fn span(&self, text: &[u8], token: Token) -> Span {
        let start = self.start[token] as usize;
        Span::new(start, token_end(text, self.kind[token], start))
    }

    /// The text of a token. O(its length).
    pub fn text<'a>(&self, text: &'a [u8], token: Token) -> &'a [u8] {
        let start = self.start[token] as usize;
        &text[start..token_end(text, self.kind[token], start)]
    }
}

/// Where the token ends that starts at `start`.
pub fn token_end(text: &[u8], kind: TokenKind, start: usize) -> usize {
    match kind {
        TokenKind::Ident => word_end(text, start),
        TokenKind::IntLiteral => {
            plain_integer_end(text, start).unwrap_or_else(|| scan_number(text, start).end)
        }
        TokenKind::FloatLiteral => scan_number(text, start).end,
        TokenKind::StringLiteral => scan_string(text, start).unwrap_or_else(|end| end),
        TokenKind::Invalid => stray::invalid_end(text, start),
        TokenKind::End => start,
        _ => start + kind.spelling().len(),
    }
}

/// All tokens of the file; the last is `End`.
pub fn lex(file: &SourceFile, diags: &mut Diagnostics) -> Tokens {
    use TokenKind::*;
    let text = file.text.as_slice();
    let mut tokens = Tokens::default();
    // Generated programs have a token every 2.8 bytes, written ones every 4.
    tokens.kind.reserve(text.len() / 3);
    tokens.start.reserve(text.len() / 3);
    let mut nul_seen = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied().unwrap_or(0);
        // A token of one byte, or of two if the second is as given.
        let two = |second: u8, long: TokenKind, short: TokenKind| {
            if next == second { (long, at + 2) } else { (short, at + 1) }
        };
        let (kind, end) = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' => {
                at += 1;
                continue;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let end = word_end(text, at);
                (keyword(&text[at..end]), end)
            }
            b'0'..=b'9' => number(text, at, diags),
            b'.' if next.is_ascii_digit() => number(text, at, diags),
            b'"' => match scan_string(text, at) {
                Ok(end) => {
                    if let Some(nul) = memchr(0, &text[at..end]) {
                        let message = "a string literal holds a NUL byte";
                        diags.push(Diagnostic::error(
                            "stray-byte",
                            Span::new(at + nul, at + nul + 1),
                            message,
                        ));
                    }
                    (StringLiteral, end)
                }
                Err(end) => {
                    let message = "the string literal is not closed on its line";
                    diags.push(Diagnostic::error("unterminated-string", Span::new(at, at + 1), message));
                    (Invalid, end)
                }
            },
            b'/' if next == b'/' => {
                at = line_comment_end(text, at, diags);
                continue;
            }
            b'/' if next == b'*' => {
                let Some(end) = block_comment_end(text, at) else {
                    let opening = Span::new(at, at + 2);
                    let error =
                        Diagnostic::error("unterminated-comment", opening, "the comment is not closed");
                    diags.push(error.label("opened here").help("comments end at the first '*/'"));
                    break;
                };
                at = end;
                continue;
            }
            b'\\' if splice_end(text, at).is_some() => {
                at = splice_end(text, at).unwrap_or(text.len());
                continue;
            }
            b'(' => (LParen, at + 1),
            b')' => (RParen, at + 1),
            b'[' => (LBracket, at + 1),
            b']' => (RBracket, at + 1),
            b'{' => (LBrace, at + 1),
            b'}' => (RBrace, at + 1),
            b',' => (Comma, at + 1),
            b';' => (Semicolon, at + 1),
            b'+' => (Plus, at + 1),
            b'-' => (Minus, at + 1),
            b'*' => (Star, at + 1),
            b'/' => (Slash, at + 1),
            b'%' => (Percent, at + 1),
            b'=' => two(b'=', EqEq, Assign),
            b'!' => two(b'=', NotEq, Not),
            b'<' => two(b'=', LessEq, Less),
            b'>' => two(b'=', GreaterEq, Greater),
            b'&' if next == b'&' => (AndAnd, at + 2),
            b'|' if next == b'|' => (OrOr, at + 2),
            _ => {
                let end = stray::invalid_end(text, at);
                if byte != 0 || !nul_seen {
                    stray::complain(text, at, end, diags);
                }
                nul_seen |= byte == 0;
                (Invalid, end)
            }
        };
        tokens.kind.push(kind);
        tokens.start.push(at as u32);
        at = end;
    }
    tokens.kind.push(End);
    tokens.start.push(text.len() as u32);
    tokens
}

/// Per byte: whether it can go on a word.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn word_end(text: &[u8], start: usize) -> usize {
    let rest = &text[start..];
    start + rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())
}

#[inline(always)]
fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

/// Behind a decimal integer at `start`, if it is one and nothing of another number: most numbers are.
#[inline]
fn plain_integer_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = &text[start..];
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let ends = rest.get(digits).is_none_or(|&byte| !is_word(byte) && byte != b'.');
    (ends && digits > 0 && (digits == 1 || rest[0] != b'0')).then_some(start + digits)
}

fn keyword(word: &[u8]) -> TokenKind {
    match word {
        b"int" => TokenKind::Int,
        b"if" => TokenKind::If,
        b"return" => TokenKind::Return,
        b"while" => TokenKind::While,
        b"else" => TokenKind::Else,
        b"float" => TokenKind::Float,
        b"const" => TokenKind::Const,
        b"void" => TokenKind::Void,
        b"break" => TokenKind::Break,
        b"continue" => TokenKind::Continue,
        _ => TokenKind::Ident,
    }
}

/// Behind a backslash at `at`, optional blanks and a line end, if that is what stands there.
fn splice_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at + 1..];
    let blanks = rest.iter().position(|&byte| !matches!(byte, b' ' | b'\t' | b'\r'))?;
    (rest[blanks] == b'\n').then_some(at + 1 + blanks + 1)
}

/// Behind the comment that `//` opens at `at`: its line end, or the first one that no backslash takes away.
fn line_comment_end(text: &[u8], start: usize, diags: &mut Diagnostics) -> usize {
    let mut at = start;
    while let Some(length) = memchr(b'\n', &text[at..]) {
        let end = at + length;
        let line = text[at..end].trim_ascii_end();
        if line.last() != Some(&b'\\') {
            return end;
        }
        if at == start {
            let backslash = start + line.len() - 1;
            let message = "the backslash makes the comment go on in the next line";
            diags.push(Diagnostic::warning("comment", Span::new(backslash, backslash + 1), message));
        }
        at = end + 1;
    }
    text.len()
}

/// Behind the comment that `/*` opens at `start`, if it is closed.
fn block_comment_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 2;
    loop {
        at += memchr(b'/', text.get(at..)?)?;
        if at > start + 2 && text[at - 1] == b'*' {
            return Some(at + 1);
        }
        at += 1;
    }
}

/// Behind the string literal that opens at `start`, or (as an error) where its line ends without closing it.
pub(super) fn scan_string(text: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start + 1;
    while let Some(skipped) = text.get(at..).and_then(|rest| memchr3(b'"', b'\\', b'\n', rest)) {
        at += skipped;
        match text[at] {
            b'"' => return Ok(at + 1),
            b'\n' => return Err(at),
            _ => at = splice_end(text, at).unwrap_or((at + 2).min(text.len())),
        }
    }
    Err(text.len())
}

/// What is wrong with a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// `0x` without a digit.
    NoHexDigits,
    /// `0b1`.
    Binary,
    /// A digit 8 or 9 after a leading 0, at this offset.
    Octal(usize),
    /// `1e` or `0x1p` without a digit after it.
    NoExponent,
    /// `0x1.8` without `p`.
    HexFloatWithoutExponent,
    /// Something that no number holds, from this offset on.
    Tail(usize),
}

/// A number as it is written.
pub(super) struct Number {
    /// Behind its last byte, what is wrong with it included.
    pub(super) end: usize,
    pub(super) float: bool,
    pub(super) fault: Option<Fault>,
}

/// Scans the number that starts at `start` with a digit, or with a point and a digit.
pub(super) fn scan_number(text: &[u8], start: usize) -> Number {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let digits = |at: usize, hex: bool| {
        let rest = &text[at.min(text.len())..];
        let is_digit = |byte: u8| if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        at + rest.iter().position(|&byte| !is_digit(byte)).unwrap_or(rest.len())
    };
    let hex = byte(start) == b'0' && byte(start + 1) | 0x20 == b'x';
    let first = if hex { start + 2 } else { start };
    let mut at = digits(first, hex);
    let whole_end = at;
    let mut count = at - first;
    let point = byte(at) == b'.';
    if point {
        let end = digits(at + 1, hex);
        count += end - at - 1;
        at = end;
    }
    let mut fault = (count == 0).then_some(Fault::NoHexDigits);
    let exponent = byte(at) | 0x20 == if hex { b'p' } else { b'e' };
    if exponent && fault.is_none() {
        let sign = usize::from(matches!(byte(at + 1), b'+' | b'-'));
        let end = digits(at + 1 + sign, false);
        if end == at + 1 + sign {
            fault = Some(Fault::NoExponent);
        }
        at = end;
    }
    let float = point || exponent;
    if fault.is_none() && hex && point && !exponent {
        fault = Some(Fault::HexFloatWithoutExponent);
    }
    if fault.is_none() && !hex && !float && byte(start) == b'0' {
        let bad = text[start..whole_end].iter().position(|&digit| digit > b'7');
        fault = bad.map(|bad| Fault::Octal(start + bad));
    }
    let tail = at;
    while is_word(byte(at)) || byte(at) == b'.' {
        at += 1;
    }
    if at > tail && (fault.is_none() || matches!(fault, Some(Fault::Octal(_)))) {
        let binary = tail == start + 1 && byte(start) == b'0' && byte(tail) | 0x20 == b'b';
        fault = Some(if binary { Fault::Binary } else { Fault::Tail(tail) });
    }
    Number { end: at, float, fault }
}

fn number(text: &[u8], start: usize, diags: &mut Diagnostics) -> (TokenKind, usize) {
    if let Some(end) = plain_integer_end(text, start) {
        return (TokenKind::IntLiteral, end);
    }
    let number = scan_number(text, start);
    if let Some(fault) = number.fault {
        diags.push(stray::malformed_number(text, start, number.end, fault));
        return (TokenKind::Invalid, number.end);
    }
    (if number.float { TokenKind::FloatLiteral } else { TokenKind::IntLiteral }, number.end)
}

/// Behind a character literal of C at `start`, or behind its quote alone if it is not closed on its line.
pub(super) fn char_literal_end(text: &[u8], start: usize) -> usize {
    // The literals of C are short, and a quote that none closes must not look far.
    let text = &text[..text.len().min(start + 16)];
    let mut at = start + 1;
    while let Some(skipped) = text.get(at..).and_then(|rest| memchr2(b'\'', b'\n', rest)) {
        at += skipped;
        if text[at] == b'\n' {
            break;
        }
        // `'\''`: the quote that a backslash takes away, unless that is itself taken away.
        let backslashes = text[start + 1..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes % 2 == 0 {
            return at + 1;
        }
        at += 1;
    }
    start + 1
}

#[cfg(test)]
mod tests;
