//! Tokens of LLVM IR, one at a time. Linear; anything that is no token is an error at its byte.

use super::{ParseError, Parsed, error_at};

/// A token; texts are without sigils.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    End,
    /// A keyword, a type, an attribute.
    Word(&'a str),
    /// `name:`, `"name":`, `12:`; what is before the colon.
    Label(Text<'a>),
    /// `@name`.
    Global(Text<'a>),
    /// `%name`.
    Local(Text<'a>),
    /// An integer, with its sign.
    Int(&'a str),
    /// A decimal or hexadecimal floating literal.
    Float(&'a str),
    /// The inside of `"..."`, escapes and all.
    String(&'a str),
    /// The inside of `c"..."`.
    Bytes(&'a str),
    /// `!name`, `!12`, or `!` alone.
    Meta(&'a str),
    /// `#12`, `#dbg_value`.
    Hash(&'a str),
    /// Anything else: one byte, or `...` as `.`.
    Mark(u8),
}

/// A name, perhaps still with escapes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    pub(super) raw: &'a str,
    pub(super) quoted: bool,
}

impl Text<'_> {
    /// The bytes that the quotes stand for.
    pub(super) fn bytes(self) -> Vec<u8> {
        if self.quoted { unescape(self.raw) } else { self.raw.as_bytes().to_vec() }
    }
}

/// `\xx` is a byte, `\\` a backslash; everything else is itself.
pub(super) fn unescape(raw: &str) -> Vec<u8> {
    let raw = raw.as_bytes();
    let mut bytes = Vec::with_capacity(raw.len());
    let digit = |k: usize| raw.get(k).and_then(|&c| char::from(c).to_digit(16));
    let mut k = 0;
    while k < raw.len() {
        match (raw[k], digit(k + 1), digit(k + 2)) {
            (b'\\', Some(high), Some(low)) => {
                bytes.push((high << 4 | low) as u8);
                k += 3;
            }
            (b'\\', ..) if raw.get(k + 1) == Some(&b'\\') => {
                bytes.push(b'\\');
                k += 2;
            }
            (byte, ..) => {
                bytes.push(byte);
                k += 1;
            }
        }
    }
    bytes
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'$' | b'.' | b'_' | b'-')
}

/// The text, and how far it has been read.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Lexer<'a> {
    fn byte(&self, k: usize) -> u8 {
        self.text.as_bytes().get(k).copied().unwrap_or(0)
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ParseError {
        error_at(self.text, at, message)
    }

    /// The end of the run of word bytes from `start`.
    fn word_end(&self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        start + rest.iter().position(|&c| !is_word(c)).unwrap_or(rest.len())
    }

    /// What is between the quote at `start` and the next one; `at` moves behind it.
    fn quoted(&mut self, start: usize) -> Parsed<&'a str> {
        match memchr::memchr(b'"', &self.text.as_bytes()[start + 1..]) {
            Some(length) => {
                self.at = start + length + 2;
                Ok(&self.text[start + 1..start + 1 + length])
            }
            None => Err(self.error(start, "this string does not end")),
        }
    }

    /// A name after a sigil at `start`.
    fn name(&mut self, start: usize) -> Parsed<Text<'a>> {
        if self.byte(start + 1) == b'"' {
            return Ok(Text { raw: self.quoted(start + 1)?, quoted: true });
        }
        self.at = self.word_end(start + 1);
        if self.at == start + 1 {
            return Err(self.error(start, "a name is missing here"));
        }
        Ok(Text { raw: &self.text[start + 1..self.at], quoted: false })
    }

    /// Skips blanks and comments; the next token, and where it starts.
    pub(super) fn next(&mut self) -> Parsed<(Token<'a>, usize)> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b';') => {
                    let rest = &bytes[self.at..];
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else { return Ok((Token::End, start)) };
        let token = match first {
            b'@' => Token::Global(self.name(start)?),
            b'%' => Token::Local(self.name(start)?),
            b'!' | b'#' => {
                // The names of metadata may have escapes.
                self.at = self.word_end(start + 1);
                while self.byte(self.at) == b'\\' {
                    self.at = self.word_end(self.at + 1);
                }
                let text = &self.text[start + 1..self.at];
                if first == b'!' { Token::Meta(text) } else { Token::Hash(text) }
            }
            b'"' => {
                let raw = self.quoted(start)?;
                if self.byte(self.at) == b':' {
                    self.at += 1;
                    Token::Label(Text { raw, quoted: true })
                } else {
                    Token::String(raw)
                }
            }
            b'c' if self.byte(start + 1) == b'"' => Token::Bytes(self.quoted(start + 1)?),
            b'.' if self.text[start..].starts_with("...") => {
                self.at = start + 3;
                Token::Mark(b'.')
            }
            _ if is_word(first) => self.word(start),
            _ if first.is_ascii_graphic() => {
                self.at = start + 1;
                Token::Mark(first)
            }
            _ => return Err(self.error(start, "this character cannot stand here")),
        };
        Ok((token, start))
    }

    fn word(&mut self, start: usize) -> Token<'a> {
        let mut end = self.word_end(start);
        let first = self.byte(start);
        let number = first.is_ascii_digit() || first == b'-' && self.byte(start + 1).is_ascii_digit();
        let text = &self.text[start..end];
        if self.byte(end) == b':' {
            self.at = end + 1;
            return Token::Label(Text { raw: text, quoted: false });
        }
        if !number {
            self.at = end;
            return Token::Word(text);
        }
        let hexadecimal = text.starts_with("0x");
        // `1.5e+10` is one token although `+` is no word byte.
        if !hexadecimal && text.ends_with(['e', 'E']) && self.byte(end) == b'+' {
            end = self.word_end(end + 1);
        }
        let text = &self.text[start..end];
        self.at = end;
        let integer = text.trim_start_matches('-').bytes().all(|c| c.is_ascii_digit());
        if integer { Token::Int(text) } else { Token::Float(text) }
    }
}
