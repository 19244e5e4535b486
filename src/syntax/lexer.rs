//! Bytes to tokens, in one sweep. O(bytes): comments are skipped with `memchr`, everything else is looked at once.
//!
//! What starts no token is reported here, once per run of such bytes, and becomes an `Invalid` token, about which the
//! parser then says nothing more; so does a malformed number. Identifiers are interned, and the values of most integers
//! kept, so that nobody reads the text again but to complain: then `token_end` runs the same scan from a token's start.
//! Keywords are names like others, told by their numbers.

use super::token::{SEE_TEXT, Token, TokenKind, Tokens};
use super::{literal, stray};
use crate::base::{Handle, Interner};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};
use memchr::{memchr, memchr2, memchr3};
use std::ops::Range;

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
            plain_integer(text, start).map_or_else(|| scan_number(text, start).end, |(end, _)| end)
        }
        TokenKind::FloatLiteral => scan_number(text, start).end,
        TokenKind::StringLiteral => scan_string(text, start).unwrap_or_else(|end| end),
        TokenKind::Invalid => stray::invalid_end(text, start),
        TokenKind::End => start,
        _ => start + kind.spelling().len(),
    }
}

/// The words of the language, in the order of their kinds.
const KEYWORDS: [TokenKind; 10] = {
    use TokenKind::*;
    [Const, Int, Float, Void, If, Else, While, Break, Continue, Return]
};

/// The number of the first keyword among the names; the others follow. They are interned at once, when they are first asked for.
pub fn keywords(names: &mut Interner) -> u32 {
    let first = names.intern(KEYWORDS[0].spelling());
    if first.index() + 1 == names.len() {
        for kind in &KEYWORDS[1..] {
            names.intern(kind.spelling());
        }
    }
    first.index() as u32
}

/// All tokens of the file; the last is `End`. Identifiers go to `names`.
pub fn lex(file: &SourceFile, names: &mut Interner, diags: &mut Diagnostics) -> Tokens {
    let mut tokens = Tokens::default();
    lex_range(&file.text, 0..file.text.len(), names, &mut tokens, diags);
    push_end(&mut tokens, file.text.len());
    tokens
}

/// Appends an `End` at that place.
pub fn push_end(tokens: &mut Tokens, at: usize) {
    tokens.kind.push(TokenKind::End);
    tokens.start.push(at as u32);
    tokens.value.push(0);
}

/// Appends the tokens of a part of a text, as if the text ended there; places count from the start of the text. Of NUL
/// bytes, the first of the part is reported.
#[inline(never)]
pub fn lex_range(
    text: &[u8],
    range: Range<usize>,
    names: &mut Interner,
    tokens: &mut Tokens,
    diags: &mut Diagnostics,
) {
    let text = &text[..range.end];
    let keywords = keywords(names);
    let mut lexer = Lexer { text, at: range.start, keywords, nul_seen: false, names, diags };
    let mut count = tokens.kind.len();
    while lexer.at < text.len() {
        // Generated programs have a token every 2.8 bytes, written ones every 4.
        let room = count + (text.len() - lexer.at) / 3 + 16;
        tokens.kind.grow_to(room, TokenKind::Invalid);
        tokens.start.grow_to(room, 0);
        tokens.value.grow_to(room, 0);
        let rows = Rows {
            kind: &mut tokens.kind.as_mut_slice()[count..],
            start: &mut tokens.start.as_mut_slice()[count..],
            value: &mut tokens.value.as_mut_slice()[count..],
        };
        count += lexer.fill(rows);
    }
    tokens.kind.truncate(count);
    tokens.start.truncate(count);
    tokens.value.truncate(count);
}

/// Room for tokens.
struct Rows<'a> {
    kind: &'a mut [TokenKind],
    start: &'a mut [u32],
    value: &'a mut [u32],
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// The name of the first keyword.
    keywords: u32,
    nul_seen: bool,
    names: &'a mut Interner,
    diags: &'a mut Diagnostics,
}

/// What a byte can begin.
#[derive(Copy, Clone)]
#[repr(u8)]
enum Starts {
    /// Nothing.
    Blank,
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
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' => (Starts::Blank, Invalid),
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
    /// Reads tokens until the text ends or there is no more room; returns how many.
    fn fill(&mut self, rows: Rows<'_>) -> usize {
        let text = self.text;
        let room = rows.kind.len().min(rows.start.len()).min(rows.value.len());
        let (kinds, starts, values) =
            (&mut rows.kind[..room], &mut rows.start[..room], &mut rows.value[..room]);
        let mut at = self.at;
        let mut count = 0;
        while count < room {
            let Some(&(mut byte)) = text.get(at) else { break };
            if byte == b' ' {
                at += 1;
                let Some(&next) = text.get(at) else { break };
                byte = next;
            }
            let (class, mut kind) = STARTS[byte as usize];
            let mut value = 0;
            let end = match class {
                Starts::Blank => {
                    at = blanks_end(text, at + 1);
                    continue;
                }
                Starts::Single => at + 1,
                Starts::Word => {
                    let (word, name) = word_at(text, at);
                    value = self.names.intern_word(word, name).index() as u32;
                    if let Some(&keyword) = KEYWORDS.get(value.wrapping_sub(self.keywords) as usize) {
                        kind = keyword;
                    }
                    at + name.len()
                }
                Starts::Digit => match plain_integer(text, at) {
                    Some((end, small)) => {
                        value = small;
                        end
                    }
                    None => {
                        let end;
                        (kind, value, end) = number(text, at, self.diags);
                        end
                    }
                },
                Starts::Equal if text.get(at + 1) == Some(&b'=') => {
                    kind = with_equal(kind);
                    at + 2
                }
                Starts::Equal => at + 1,
                Starts::Slash if !matches!(text.get(at + 1), Some(b'/' | b'*')) => at + 1,
                Starts::Slash | Starts::Other => {
                    let (found, end) = self.other(at);
                    let Some(found) = found else {
                        at = end;
                        continue;
                    };
                    kind = found;
                    end
                }
            };
            kinds[count] = kind;
            starts[count] = at as u32;
            values[count] = value;
            count += 1;
            at = end;
        }
        self.at = at;
        count
    }

    /// What begins with a byte that tells little: a token, or nothing; and where it ends.
    fn other(&mut self, at: usize) -> (Option<TokenKind>, usize) {
        use TokenKind::*;
        let text = self.text;
        let next = text.get(at + 1).copied().unwrap_or(0);
        let (kind, end) = match text[at] {
            b'.' if next.is_ascii_digit() => {
                let (kind, _, end) = number(text, at, self.diags);
                (kind, end)
            }
            b'"' => self.string(at),
            b'/' if next == b'/' => return (None, line_comment_end(text, at, self.diags)),
            b'/' if next == b'*' => {
                let Some(end) = block_comment_end(text, at) else {
                    let opening = Span::new(at, at + 2);
                    let error =
                        Diagnostic::error("unterminated-comment", opening, "the comment is not closed");
                    self.diags.push(error.label("opened here").help("comments end at the first '*/'"));
                    return (None, text.len());
                };
                return (None, end);
            }
            b'\\' if splice_end(text, at).is_some() => {
                return (None, splice_end(text, at).unwrap_or(text.len()));
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
        (Some(kind), end)
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

/// Behind the blanks at `at`. Indentation goes by eight.
#[inline(always)]
fn blanks_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        if byte == b' ' {
            let Some(word) = word_of(text, at) else {
                at += 1;
                continue;
            };
            let others = word ^ 0x2020_2020_2020_2020;
            at += others.trailing_zeros() as usize / 8;
        } else if byte == b'\n' {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// Eight bytes as a little-endian number, if there are as many.
#[inline(always)]
fn word_of(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk::<8>().map(|&bytes| u64::from_le_bytes(bytes))
}

/// The word that starts at `start`: its first eight bytes as a little-endian number, and all of them.
#[inline(always)]
fn word_at(text: &[u8], start: usize) -> (u64, &[u8]) {
    let rest = &text[start..];
    let len = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
    let name = &rest[..len];
    let Some(&bytes) = rest.first_chunk::<8>() else {
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(name);
        return (u64::from_le_bytes(bytes), name);
    };
    let word = u64::from_le_bytes(bytes);
    (if len < 8 { word & !(u64::MAX << (8 * len)) } else { word }, name)
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

/// Behind a decimal integer at `start`, and its value (or `SEE_TEXT`), if it is one and nothing of another number: most
/// numbers are.
#[inline(always)]
fn plain_integer(text: &[u8], start: usize) -> Option<(usize, u32)> {
    let mut value = u64::from(text[start] - b'0');
    let mut end = start + 1;
    while let Some(digit) = text.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        value = value.wrapping_mul(10) + u64::from(digit);
        end += 1;
    }
    let digits = end - start;
    let ends = text.get(end).is_none_or(|&byte| !is_word(byte) && byte != b'.');
    let small = value <= i32::MAX as u64 && digits <= 10;
    (ends && (digits == 1 || text[start] != b'0'))
        .then_some((end, if small { value as u32 } else { SEE_TEXT }))
}

/// Behind a backslash at `at`, optional blanks and a line end, if that is what stands there.
fn splice_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at + 1..];
    let blanks = rest.iter().position(|&byte| !matches!(byte, b' ' | b'\t' | b'\r'))?;
    (rest[blanks] == b'\n').then_some(at + 1 + blanks + 1)
}

/// Behind the comment that `//` opens at `at`: its line end, or the first one that no backslash takes away.
pub(super) fn line_comment_end(text: &[u8], start: usize, diags: &mut Diagnostics) -> usize {
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
pub(super) fn block_comment_end(text: &[u8], start: usize) -> Option<usize> {
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

/// A number that is not plain: kind, value and end.
fn number(text: &[u8], start: usize, diags: &mut Diagnostics) -> (TokenKind, u32, usize) {
    let number = scan_number(text, start);
    let end = number.end;
    if let Some(fault) = number.fault {
        diags.push(stray::malformed_number(text, start, end, fault));
        return (TokenKind::Invalid, 0, end);
    }
    if number.float {
        return (TokenKind::FloatLiteral, 0, end);
    }
    let value = literal::int_value(&text[start..end]).value;
    (TokenKind::IntLiteral, if value <= i32::MAX as u64 { value as u32 } else { SEE_TEXT }, end)
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
