//! Bytes to tokens, in one sweep. O(bytes): comments are skipped with `memchr`, everything else is looked at
//! once.
//!
//! Runs of bytes (`runs`) that were a token before are that token again (`Known`), by one load and one
//! comparison whatever the token is: there is next to no branch that depends on the text (0.9 of them were
//! mispredicted a token, now 0.15). What is not found there, `one` reads by the rules.
//!
//! What starts no token is reported here, once per run of such bytes, and becomes an `Invalid` token, about
//! which the parser then says nothing more; so does a malformed number. Identifiers are interned, and the
//! values of most integers kept, so that only messages read the text again: then `token_end` runs the same
//! scan from a token's start. Keywords are names like others, told by their numbers.

use super::token::{SEE_TEXT, Token, TokenKind, Tokens};
use super::{literal, stray};
use crate::base::{Handle, Interner};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};
use memchr::{memchr, memchr2, memchr3};
use one::Lexer;
use runs::{BLOCK, Before, Runs, runs};
use std::ops::Range;

mod known;
mod one;
mod runs;

pub use known::Known;

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
        TokenKind::IntLiteral | TokenKind::FloatLiteral => scan_number(text, start).end,
        TokenKind::StringLiteral => scan_string(text, start).unwrap_or_else(|end| end),
        TokenKind::Invalid => stray::invalid_end(text, start),
        TokenKind::End => start,
        // It may have been misspelt (`mend`).
        _ if kind <= TokenKind::Return || kind == TokenKind::For => word_end(text, start),
        // It may be another character in its place.
        _ if text.get(start).is_some_and(|&byte| byte >= 0x80) => {
            let rest = text[start + 1..].iter().take_while(|&&byte| byte & 0xc0 == 0x80);
            start + 1 + rest.count()
        }
        _ => start + kind.spelling().len(),
    }
}

/// The words of the language, in the order of their kinds.
const KEYWORDS: [TokenKind; 10] = {
    use TokenKind::*;
    [Const, Int, Float, Void, If, Else, While, Break, Continue, Return]
};

/// The number of the first keyword among the names; the others follow. They are interned at once, when they
/// are first asked for.
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
    let whole = 0..file.text.len();
    lex_ranges(&file.text, &[whole], (names, &mut Known::default()), &mut tokens, diags);
    push_end(&mut tokens, file.text.len());
    tokens
}

/// Appends an `End` at that place.
pub fn push_end(tokens: &mut Tokens, at: usize) {
    tokens.kind.push(TokenKind::End);
    tokens.start.push(at as u32);
    tokens.value.push(0);
}

/// A block with what stands around it: so much before it, and eight bytes behind it.
type Window = [u8; 2 * BLOCK + 8];

/// The block at `at`, with blanks behind the end of the text.
#[inline(always)]
fn block_at(text: &[u8], at: usize) -> [u8; BLOCK] {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(&block) = rest.first_chunk() {
        return block;
    }
    let mut block = [b' '; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// What stands around the block at `at`, if that is all inside of the text.
#[inline(always)]
fn window_at(text: &[u8], at: usize) -> Option<&Window> {
    text.get(at.checked_sub(BLOCK)?..)?.first_chunk()
}

/// The same near the ends of the text, in `room`.
#[cold]
#[inline(never)]
fn window_into<'a>(text: &[u8], at: usize, room: &'a mut Window) -> &'a Window {
    let first = at.saturating_sub(BLOCK);
    let here = text.get(first..).unwrap_or_default();
    let before = first + BLOCK - at;
    for (byte, &found) in room[before..].iter_mut().zip(here) {
        *byte = found;
    }
    room
}

/// The runs of a block that have not been looked at. Places count from the start of the window.
struct Rest {
    runs: Runs,
    /// Where the next run starts; at 0 if it is far before the block.
    start: usize,
    /// Where it ends, if it was looked at and is not known.
    end: usize,
    /// Tokens of the block so far.
    row: usize,
}

impl Rest {
    /// Leaves out the runs before a byte of the block, if none stands there that began before.
    fn skip_to(&mut self, place: usize, byte: Option<&u8>) -> bool {
        let here = place < BLOCK
            && ((self.runs.starts >> place) & 1 == 1 || matches!(byte, Some(b' ' | b'\n' | b'\t' | b'\r')));
        if here {
            let behind = u64::MAX << place;
            self.runs.starts &= behind;
            self.runs.ends &= behind << 1;
        }
        here
    }
}

/// Room for the tokens of a block.
struct Rows<'a> {
    kinds: &'a mut [TokenKind; BLOCK],
    starts: &'a mut [u32; BLOCK],
    values: &'a mut [u32; BLOCK],
}

/// The rows from `count` on, if there are as many.
#[inline(always)]
fn rows(tokens: &mut Tokens, count: usize) -> Option<Rows<'_>> {
    Some(Rows {
        kinds: tokens.kind.as_mut_slice()[count..].first_chunk_mut()?,
        starts: tokens.start.as_mut_slice()[count..].first_chunk_mut()?,
        values: tokens.value.as_mut_slice()[count..].first_chunk_mut()?,
    })
}

impl Rows<'_> {
    #[inline(always)]
    fn write(&mut self, row: usize, kind: TokenKind, start: u32, value: u32) {
        let row = row % BLOCK;
        self.kinds[row] = kind;
        self.starts[row] = start;
        self.values[row] = value;
    }
}

/// Writes the tokens of runs that are known, up to one that is not; then true. `base` is where the window
/// starts. 35 instructions a run and no branch that is taken in one way today and in another tomorrow.
#[inline(never)]
fn known_runs(window: &Window, base: u32, known: &Known, rest: &mut Rest, rows: &mut Rows<'_>) -> bool {
    let Rest { runs: Runs { mut starts, mut ends }, mut start, mut row, .. } = *rest;
    while ends != 0 {
        let end = BLOCK + first_bit(&mut ends);
        let Some((kind, value)) = known.find(window, start, end) else {
            *rest = Rest { runs: Runs { starts, ends }, start, end, row };
            return true;
        };
        rows.write(row, kind, base.wrapping_add(start as u32), value);
        row += 1;
        start = BLOCK + first_bit(&mut starts);
    }
    *rest = Rest { runs: Runs { starts, ends }, start, end: 0, row };
    false
}

/// Takes the lowest bit away and returns its number; 64 if there is none.
#[inline(always)]
fn first_bit(bits: &mut u64) -> usize {
    let bit = bits.trailing_zeros() as usize;
    *bits &= bits.wrapping_sub(1);
    bit
}

/// Appends the tokens of parts of a text, each as if the text ended there; places count from the start of the
/// text. Of NUL bytes, the first of a part is reported.
#[inline(never)]
pub fn lex_ranges(
    text: &[u8],
    ranges: &[Range<usize>],
    (names, known): (&mut Interner, &mut Known),
    tokens: &mut Tokens,
    diags: &mut Diagnostics,
) {
    let keywords = keywords(names);
    let mut lexer = Lexer { text, keywords, nul_seen: false, names, diags };
    let mut count = tokens.kind.len();
    for range in ranges {
        (lexer.text, lexer.nul_seen) = (&text[..range.end], false);
        count = lex_one(text, range, &mut lexer, known, tokens, count);
    }
    tokens.kind.truncate(count);
    tokens.start.truncate(count);
    tokens.value.truncate(count);
}

/// Writes the tokens of a part behind the `count` that are there. Returns how many there are then.
fn lex_one(
    text: &[u8],
    range: &Range<usize>,
    lexer: &mut Lexer<'_>,
    known: &mut Known,
    tokens: &mut Tokens,
    mut count: usize,
) -> usize {
    // The block, what stands before it, and the first byte of the run that it begins in.
    let (mut at, mut before, mut run) = (range.start, Before::default(), 0);
    'blocks: while at < range.end || before.in_run() {
        let Some(mut rows) = rows(tokens, count) else {
            make_room(tokens, count, range.end.saturating_sub(at));
            continue;
        };
        let mut room = [0; _];
        let window = match window_at(text, at) {
            Some(window) => window,
            None => window_into(text, at, &mut room),
        };
        let in_run = before.in_run();
        let mut runs = runs(&block_at(lexer.text, at), &mut before);
        let start =
            if in_run { (run + BLOCK).saturating_sub(at) } else { BLOCK + first_bit(&mut runs.starts) };
        let base = at.wrapping_sub(BLOCK);
        // A run without an end in sight is read at once, or tokens in it would each look for it.
        let endless = in_run && runs.ends == 0;
        let mut rest = Rest { runs, start, end: 0, row: 0 };
        while endless || known_runs(window, base as u32, known, &mut rest, &mut rows) {
            let start = if rest.start == 0 { run } else { base.wrapping_add(rest.start) };
            let end = base.wrapping_add(rest.end);
            let one = lexer.one(start);
            if let Some(kind) = one.kind {
                rows.write(rest.row, kind, start as u32, one.value);
                rest.row += 1;
                if one.end == end && !endless && kind != TokenKind::Invalid {
                    known.insert(window, rest.start, rest.end, (kind, one.value));
                }
            }
            // A comment, a string, or signs without a blank between them.
            if endless || (one.end != end && !rest.skip_to(one.end.wrapping_sub(at), lexer.text.get(one.end)))
            {
                count += rest.row;
                (at, before) = (one.end, Before::default());
                continue 'blocks;
            }
            rest.start = BLOCK + first_bit(&mut rest.runs.starts);
        }
        count += rest.row;
        run = base.wrapping_add(rest.start);
        at += BLOCK;
    }
    count
}

/// Makes room for the tokens of so many bytes. Generated programs have a token every 2.8 bytes, written ones
/// every 4.
#[cold]
fn make_room(tokens: &mut Tokens, count: usize, bytes: usize) {
    let room = count + bytes / 3 + BLOCK + count / 4;
    tokens.kind.grow_to(room, TokenKind::Invalid);
    tokens.start.grow_to(room, 0);
    tokens.value.grow_to(room, 0);
}

/// Behind the word that starts at `start`.
fn word_end(text: &[u8], start: usize) -> usize {
    let rest = &text[start..];
    start + rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())
}

/// True of bytes that can go on a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Behind a decimal integer at `start`, and its value (or `SEE_TEXT`), if it is one and nothing of another
/// number: what `number` says of most. (A program that is a table of 100,000 numbers costs 29% more without.)
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
pub fn line_comment_end(text: &[u8], start: usize, diags: &mut Diagnostics) -> usize {
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
pub fn block_comment_end(text: &[u8], start: usize) -> Option<usize> {
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

/// A number: kind, value and end.
fn number(text: &[u8], start: usize, diags: &mut Diagnostics) -> (TokenKind, u32, usize) {
    let number = scan_number(text, start);
    let end = number.end;
    if let Some(fault) = number.fault {
        diags.push(stray::malformed_number(text, start, end, fault));
        return (TokenKind::Invalid, 0, end);
    }
    if number.float {
        let bits = literal::plain_float(&text[start..end]).map_or(SEE_TEXT, f32::to_bits);
        return (TokenKind::FloatLiteral, bits, end);
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
