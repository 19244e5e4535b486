//! Text that is no SysY token: how far it goes, and what is said about it.

use super::lexer::{Fault, char_literal_end, scan_number, scan_string};
use crate::source::{Diagnostic, Diagnostics, Span};
use memchr::memchr;

/// Characters of Chinese input methods that are taken for those of the language.
const LOOKALIKES: [(char, char); 12] = [
    ('；', ';'),
    ('，', ','),
    ('（', '('),
    ('）', ')'),
    ('｛', '{'),
    ('｝', '}'),
    ('［', '['),
    ('］', ']'),
    ('＝', '='),
    ('＋', '+'),
    ('“', '"'),
    ('”', '"'),
];

/// Where the `Invalid` token ends that starts at `start`: a malformed number, a directive, a character
/// literal, a string that is not closed, or a run of bytes that start no token.
pub(super) fn invalid_end(text: &[u8], start: usize) -> usize {
    match text[start] {
        b'0'..=b'9' => scan_number(text, start).end,
        b'.' if text.get(start + 1).is_some_and(u8::is_ascii_digit) => scan_number(text, start).end,
        b'"' => scan_string(text, start).unwrap_or_else(|end| end),
        b'#' => memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length),
        b'\'' => char_literal_end(text, start),
        _ => {
            let mut at = start + 1;
            while at < text.len() && starts_nothing(text, at) {
                at += 1;
            }
            at
        }
    }
}

/// True if the byte is neither white space nor the start of a token or of another kind of invalid text.
fn starts_nothing(text: &[u8], at: usize) -> bool {
    let doubled = text.get(at + 1) == Some(&text[at]);
    match text[at] {
        b'&' | b'|' => !doubled,
        b'.' => !text.get(at + 1).is_some_and(u8::is_ascii_digit),
        b'\t'..=b'\r'
        | b' '..=b'#'
        | b'%'..=b'/'
        | b'0'..=b'9'
        | b';'..=b'>'
        | b'['
        | b']'
        | b'{'
        | b'}'
        | b'_' => false,
        b'\\' => false,
        byte => !byte.is_ascii_alphabetic(),
    }
}

/// Reports the run of bytes `start..end`, which `invalid_end` found; the `:` of a `?` goes with it.
pub(super) fn complain(text: &[u8], start: usize, end: usize, diags: &mut Diagnostics) {
    if text[start] != b':' || !line_before(text, start).contains(&b'?') {
        diags.push(complaint(text, start, end));
    }
}

fn complaint(text: &[u8], start: usize, end: usize) -> Diagnostic {
    let byte = text[start];
    let before = line_before(text, start);
    let not_sysy = |length: usize, what: &str| {
        Diagnostic::error("not-sysy", Span::new(start, start + length), format!("SysY has no {what}"))
    };
    match byte {
        b'&' if !ends_operand(before) => not_sysy(1, "pointers, and no address operator '&'")
            .help("an array parameter is written 'int a[]'"),
        b'&' | b'|' | b'^' | b'~' => not_sysy(1, &format!("bitwise operator '{}'", byte as char)),
        b':' => not_sysy(1, "labels, and no ':'"),
        b'?' => not_sysy(1, "conditional operator '?:'").help("use an 'if' statement"),
        b'.' if text[start..end].starts_with(b"...") => not_sysy(3, "variadic functions"),
        b'.' => not_sysy(1, "structures, and no operator '.'"),
        b'#' if text[start + 1..end].trim_ascii_start().starts_with(b"define") => {
            not_sysy(end - start, "preprocessor").help("a constant is written 'const int n = 10;'")
        }
        b'#' => not_sysy(end - start, "preprocessor").help("the runtime library needs no '#include'"),
        b'\'' => match text[start + 1..end] {
            [c, b'\''] if c != b'\\' => {
                not_sysy(end - start, "character literals").help(format!("write {c}"))
            }
            _ => not_sysy(end - start, "character literals").help("write the number of the character"),
        },
        0 => {
            let error = Diagnostic::error("stray-byte", Span::new(start, end), "the text holds a NUL byte");
            error.note("further NUL bytes are not reported")
        }
        0x80.. => non_ascii(text, start),
        _ => {
            let shown = if byte.is_ascii_graphic() {
                format!("'{}'", byte as char)
            } else {
                format!("byte 0x{byte:02X}")
            };
            Diagnostic::error("stray-byte", Span::new(start, end), format!("stray {shown} in the program"))
        }
    }
}

/// What stands before `start` on its line, as far as it is near.
fn line_before(text: &[u8], start: usize) -> &[u8] {
    const NEAR: usize = 160;
    let near = &text[start.saturating_sub(NEAR)..start];
    &near[memchr::memrchr(b'\n', near).map_or(0, |newline| newline + 1)..]
}

/// True if what stands here can be the end of an operand, so that a binary operator may follow.
fn ends_operand(before: &[u8]) -> bool {
    let last = before.trim_ascii_end().last();
    let word = before.trim_ascii().ends_with(b"return");
    !word
        && last.is_some_and(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b')' | b']' | b'.'))
}

fn non_ascii(text: &[u8], start: usize) -> Diagnostic {
    let character =
        (1..=4).filter_map(|length| std::str::from_utf8(text.get(start..start + length)?).ok()).next();
    let Some(character) = character.and_then(|text| text.chars().next()) else {
        let message = format!("byte 0x{:02X} is not valid UTF-8", text[start]);
        return Diagnostic::error("encoding", Span::new(start, start + 1), message);
    };
    let span = Span::new(start, start + character.len_utf8());
    let error =
        Diagnostic::error("stray-byte", span, format!("stray character '{character}' in the program"));
    match LOOKALIKES.iter().find(|pair| pair.0 == character) {
        Some((_, meant)) => error.help(format!("write '{meant}'")),
        None => error.note("names consist of ASCII letters, digits and '_'"),
    }
}

/// The error about the number `start..end`.
pub(super) fn malformed_number(text: &[u8], start: usize, end: usize, fault: Fault) -> Diagnostic {
    let error = |message: &str| Diagnostic::error("malformed-number", Span::new(start, end), message);
    match fault {
        Fault::NoHexDigits => error("a hexadecimal number has no digits"),
        Fault::Binary => error("SysY has no binary numbers").help("write it in hexadecimal"),
        Fault::NoExponent => error("the exponent of a number has no digits"),
        Fault::HexFloatWithoutExponent => {
            error("a hexadecimal floating number has no exponent").help("append 'p0'")
        }
        Fault::Octal(at) => {
            let message = format!("digit {} in an octal number", text[at] as char);
            let error = Diagnostic::error("malformed-number", Span::new(at, at + 1), message);
            error.note("a number that begins with 0 is octal")
        }
        Fault::Tail(at) => {
            let tail = String::from_utf8_lossy(&text[at..end.min(at + 20)]);
            let message = format!("'{tail}' cannot follow a number directly");
            let error = Diagnostic::error("malformed-number", Span::new(at, end), message);
            match text[at..end].to_ascii_lowercase().as_slice() {
                b"f" => error.note("SysY has no suffixes: every floating number is a float"),
                b"u" | b"l" | b"ul" | b"lu" | b"ll" | b"ull" | b"llu" => error.note("SysY has no suffixes"),
                _ if text[at] == b'.' => error,
                _ => error.note("a name does not begin with a digit"),
            }
        }
    }
}
