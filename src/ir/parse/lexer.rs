//! Tokens of LLVM IR, one at a time. Linear; anything that is no token is an error at its byte.

use super::{Parsed, error_at};

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

/// What a byte begins. Bytes of words are the first three, blanks the last but one.
#[derive(Copy, Clone, PartialEq, PartialOrd)]
enum Class {
    Word,
    Digit,
    Dot,
    /// `@` and `%`.
    Sigil,
    /// `!` and `#`.
    Meta,
    Quote,
    Mark,
    Wrong,
    Blank,
    Comment,
}

/// By byte: a look at the table is cheaper than the comparisons that it stands for.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Wrong; 256];
    let mut k = 0u8;
    while k < 128 {
        classes[k as usize] = match k {
            b'0'..=b'9' => Class::Digit,
            b'.' => Class::Dot,
            b'$' | b'_' | b'-' => Class::Word,
            b'@' | b'%' => Class::Sigil,
            b'!' | b'#' => Class::Meta,
            b'"' => Class::Quote,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Blank,
            b';' => Class::Comment,
            _ if k.is_ascii_alphabetic() => Class::Word,
            _ if k.is_ascii_graphic() => Class::Mark,
            _ => Class::Wrong,
        };
        k += 1;
    }
    classes
};

/// True for a byte that a word may have.
#[inline(always)]
pub(super) fn is_word(byte: u8) -> bool {
    class(byte) <= Class::Dot
}

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
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

    #[cold]
    fn error<T>(&self, at: usize, message: &str) -> Parsed<T> {
        Err(error_at(self.text, at, message))
    }

    /// The end of the run of word bytes from `start`.
    #[inline(always)]
    fn word_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = start;
        while bytes.get(end).is_some_and(|&c| is_word(c)) {
            end += 1;
        }
        end
    }

    /// What is between the quote at `start` and the next one; `at` moves behind it.
    fn quoted(&mut self, start: usize) -> Parsed<&'a str> {
        match memchr::memchr(b'"', &self.text.as_bytes()[start + 1..]) {
            Some(length) => {
                self.at = start + length + 2;
                Ok(&self.text[start + 1..start + 1 + length])
            }
            None => self.error(start, "this string does not end"),
        }
    }

    /// A name after a sigil at `start`.
    #[inline(always)]
    fn name(&mut self, start: usize) -> Parsed<Text<'a>> {
        if self.byte(start + 1) == b'"' {
            return Ok(Text { raw: self.quoted(start + 1)?, quoted: true });
        }
        self.at = self.word_end(start + 1);
        if self.at == start + 1 {
            return self.error(start, "a name is missing here");
        }
        Ok(Text { raw: &self.text[start + 1..self.at], quoted: false })
    }

    /// The next token, and where it starts.
    pub(super) fn next(&mut self) -> Parsed<(Token<'a>, usize)> {
        let mut token = Token::End;
        let start = self.read(&mut token)?;
        Ok((token, start))
    }

    /// Skips blanks and comments, and makes the next token in its place; where it starts.
    #[inline(always)]
    pub(super) fn read(&mut self, token: &mut Token<'a>) -> Parsed<usize> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        let (first, of) = loop {
            let Some(&byte) = bytes.get(start) else {
                self.at = start;
                *token = Token::End;
                return Ok(start);
            };
            match class(byte) {
                Class::Blank => start += 1,
                Class::Comment => {
                    let rest = &bytes[start..];
                    start += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                of => break (byte, of),
            }
        };
        match of {
            Class::Mark => {
                self.at = start + 1;
                *token = Token::Mark(first);
            }
            Class::Sigil if first == b'%' => *token = Token::Local(self.name(start)?),
            Class::Sigil => *token = Token::Global(self.name(start)?),
            Class::Word if first == b'c' && self.byte(start + 1) == b'"' => {
                *token = Token::Bytes(self.quoted(start + 1)?);
            }
            Class::Word if first != b'-' => *token = self.word(start),
            Class::Digit => *token = self.number(start),
            Class::Meta => {
                // The names of metadata may have escapes.
                self.at = self.word_end(start + 1);
                while self.byte(self.at) == b'\\' {
                    self.at = self.word_end(self.at + 1);
                }
                let text = &self.text[start + 1..self.at];
                *token = if first == b'!' { Token::Meta(text) } else { Token::Hash(text) };
            }
            Class::Quote => {
                let raw = self.quoted(start)?;
                *token = if self.byte(self.at) == b':' {
                    self.at += 1;
                    Token::Label(Text { raw, quoted: true })
                } else {
                    Token::String(raw)
                };
            }
            Class::Dot if bytes[start..].starts_with(b"...") => {
                self.at = start + 3;
                *token = Token::Mark(b'.');
            }
            Class::Word if class(self.byte(start + 1)) == Class::Digit => *token = self.number(start),
            Class::Word | Class::Dot => *token = self.word(start),
            _ => return self.error(start, "this character cannot stand here"),
        }
        Ok(start)
    }

    /// A word or a label.
    #[inline(always)]
    fn word(&mut self, start: usize) -> Token<'a> {
        let end = self.word_end(start);
        self.at = end;
        let text = &self.text[start..end];
        if self.byte(end) == b':' { self.label(text) } else { Token::Word(text) }
    }

    fn label(&mut self, raw: &'a str) -> Token<'a> {
        self.at += 1;
        Token::Label(Text { raw, quoted: false })
    }

    /// A number, or a label that begins as one.
    #[inline(always)]
    fn number(&mut self, start: usize) -> Token<'a> {
        let bytes = self.text.as_bytes();
        // The first is a digit or a sign before one.
        let mut end = start + 1;
        while bytes.get(end).is_some_and(|&c| class(c) == Class::Digit) {
            end += 1;
        }
        let is_integer = bytes.get(end).is_none_or(|&c| class(c) > Class::Dot);
        if is_integer && self.byte(end) != b':' {
            self.at = end;
            return Token::Int(&self.text[start..end]);
        }
        end = self.word_end(end);
        let text = &self.text[start..end];
        self.at = end;
        if self.byte(end) == b':' {
            return self.label(text);
        }
        // `1.5e+10` is one token although `+` is no word byte.
        if !text.starts_with("0x") && text.ends_with(['e', 'E']) && self.byte(end) == b'+' {
            self.at = self.word_end(end + 1);
        }
        Token::Float(&self.text[start..self.at])
    }

    /// Moves behind the bracket that closes one that has been read; false if none does. Brackets in strings and comments
    /// do not count. A body of LLVM's text has few of these bytes: it is stepped over at the speed of memory, not of tokens
    /// (10 instructions an IR instruction in place of 1,900).
    pub(super) fn close_brace(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut depth = 1;
        while let Some(found) = memchr::memchr3(b'{', b'}', b'"', &bytes[self.at..]) {
            let (from, here) = (self.at, self.at + found);
            // There is no string between: a semicolon on this line begins a comment.
            let line = memchr::memrchr(b'\n', &bytes[from..here]).map_or(from, |k| from + k);
            if memchr::memchr(b';', &bytes[line..here]).is_some() {
                self.at = here + memchr::memchr(b'\n', &bytes[here..]).unwrap_or(bytes.len() - here);
                continue;
            }
            self.at = here + 1;
            match bytes[here] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {
                    let Some(length) = memchr::memchr(b'"', &bytes[self.at..]) else { return false };
                    self.at += length + 1;
                }
            }
            if depth == 0 {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_end_where_their_tokens_say() {
        let text = "{ a } \"}\" ; } \" {\n {; \"\n} [(] \"{\nx;\" } x }";
        let mut fast = Lexer { text, at: 0 };
        assert!(fast.close_brace());
        let (mut slow, mut depth) = (Lexer { text, at: 0 }, 1);
        while depth > 0 {
            match slow.next().unwrap().0 {
                Token::Mark(b'{') => depth += 1,
                Token::Mark(b'}') => depth -= 1,
                Token::End => unreachable!(),
                _ => {}
            }
        }
        assert_eq!((fast.at, &text[fast.at..]), (slow.at, " x }"));
        for text in ["", "{}", "\"}", "; }", "; }\n\"}\" {", "{ \" } }"] {
            assert!(!Lexer { text, at: 0 }.close_brace(), "{text}");
        }
    }

    #[test]
    fn numbers_labels_and_words_are_told_apart() {
        let text = "12 -3 1.5e+10 0x4000 12: 1a: -x -1: a.b: .5 ... 4x 1e5 -";
        let mut lexer = Lexer { text, at: 0 };
        let label = |raw| Token::Label(Text { raw, quoted: false });
        let expected = [
            Token::Int("12"),
            Token::Int("-3"),
            Token::Float("1.5e+10"),
            Token::Float("0x4000"),
            label("12"),
            label("1a"),
            Token::Word("-x"),
            label("-1"),
            label("a.b"),
            Token::Word(".5"),
            Token::Mark(b'.'),
            Token::Float("4x"),
            Token::Float("1e5"),
            Token::Word("-"),
            Token::End,
        ];
        for token in expected {
            assert_eq!(lexer.next().unwrap().0, token);
        }
    }
}
