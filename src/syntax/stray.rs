//! Text that is no SysY token: how far it goes, and what is said about it.

use super::lexer::{Fault, char_literal_end, scan_number, scan_string};
use crate::source::{Diagnostic, Diagnostics, Span};
use memchr::memchr;

/// Characters that are taken for those of the language, besides full-width ones: what they are called, and what
/// is meant; a blank for those that cannot be seen.
#[rustfmt::skip]
const LOOKALIKES: [(char, &str, &str); 38] = [
    ('\u{a0}', "no-break space", " "),
    ('\u{ad}', "soft hyphen", " "),
    ('\u{200b}', "zero-width space", " "),
    ('\u{200c}', "zero-width non-joiner", " "),
    ('\u{200d}', "zero-width joiner", " "),
    ('\u{200e}', "left-to-right mark", " "),
    ('\u{200f}', "right-to-left mark", " "),
    ('\u{2028}', "line separator", " "),
    ('\u{2029}', "paragraph separator", " "),
    ('\u{202a}', "left-to-right embedding", " "),
    ('\u{202c}', "pop directional formatting", " "),
    ('\u{202f}', "narrow no-break space", " "),
    ('\u{2060}', "word joiner", " "),
    ('\u{3000}', "ideographic space", " "),
    ('\u{feff}', "byte-order mark", " "),
    ('“', "quotation mark", "\""),
    ('”', "quotation mark", "\""),
    ('‘', "quotation mark", "\""),
    ('’', "quotation mark", "\""),
    ('。', "ideographic full stop", ";"),
    ('、', "ideographic comma", ","),
    ('【', "bracket", "["),
    ('】', "bracket", "]"),
    ('《', "bracket", "<"),
    ('》', "bracket", ">"),
    ('−', "minus sign", "-"),
    ('–', "dash", "-"),
    ('—', "dash", "-"),
    ('×', "multiplication sign", "*"),
    ('÷', "division sign", "/"),
    ('∗', "asterisk operator", "*"),
    ('≤', "less-than or equal sign", "<="),
    ('≥', "greater-than or equal sign", ">="),
    ('≠', "unequal sign", "!="),
    ('∧', "logical and", "&&"),
    ('∨', "logical or", "||"),
    ('¬', "not sign", "!"),
    ('；', "full-width semicolon", ";"),
];

/// What a character is called, and what is meant by it.
fn lookalike(character: char) -> Option<(String, String)> {
    if let Some(&(_, name, meant)) = LOOKALIKES.iter().find(|row| row.0 == character) {
        return Some((name.to_string(), meant.to_string()));
    }
    // The full-width forms of ASCII stand in its order.
    let ascii = u32::from(character).checked_sub(0xff01).filter(|&k| k < 94)? + 0x21;
    let ascii = char::from_u32(ascii)?;
    Some((format!("full-width '{ascii}'"), ascii.to_string()))
}

/// What other languages begin a variable with.
pub(super) const VARIABLES: [&str; 3] = ["let", "var", "val"];

/// What is meant by a character that looks like one of the language; a blank if it is nothing.
pub(super) fn meant(character: char) -> Option<String> {
    lookalike(character).map(|pair| pair.1)
}

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
        | b'@'
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
        b'&' if before.ends_with(b"&&") => {
            not_sysy(1, "operator '&&&'").guess(Span::new(start, start + 1), "")
        }
        b'&' if !ends_operand(before) => {
            let error = not_sysy(1, "pointers, and no address operator '&'");
            match is_array_argument(text, before, start) {
                true => {
                    error.note("the name of an array is its address").edit(Span::new(start, start + 1), "")
                }
                false => error.help("an array parameter is written 'int a[]'"),
            }
        }
        b'&' | b'|' => not_sysy(1, &format!("bitwise operator '{}'", byte as char))
            .help(format!("the logical operator is '{0}{0}'", byte as char)),
        b'~' => {
            let what = "bitwise operator '~'";
            match operand_behind(text, start + 1) {
                Some(end) => {
                    let operand = String::from_utf8_lossy(&text[start + 1..end]);
                    let right = format!("(-{} - 1)", operand.trim_start());
                    not_sysy(end - start, what).edit(Span::new(start, end), right)
                }
                None => not_sysy(1, what).help("'~x' is '-x - 1'"),
            }
            .help("the logical operator is '!'")
        }
        b'^' => power(text, start),
        b':' if text.get(start + 1) == Some(&b'=') => {
            not_sysy(2, "operator ':='").edit(Span::new(start, start + 2), "=")
        }
        b':' if is_head(before) => {
            let span = Span::new(start, start + 1);
            Diagnostic::error("syntax", span, "no ':' stands in front of a statement").edit(span, "")
        }
        b':' if ends_statement(text, before, start) => {
            let span = Span::new(start, start + 1);
            Diagnostic::error("syntax", span, "a statement ends with ';', not with ':'").edit(span, ";")
        }
        b':' if let Some(error) = type_behind(text, before, start) => error,
        b':' if before.trim_ascii_start().starts_with(b"def ") => {
            not_sysy(1, "blocks by indentation").help("a block stands in '{' and '}'")
        }
        b':' => not_sysy(1, "labels, and no ':'"),
        b'?' => not_sysy(1, "conditional operator '?:'").help("use an 'if' statement"),
        b'.' if text[start..end].starts_with(b"...") => not_sysy(3, "variadic functions"),
        b'.' => not_sysy(1, "structures, and no operator '.'"),
        b'#' if text[start + 1..end].trim_ascii_start().starts_with(b"define") => {
            let error = not_sysy(end - start, "preprocessor");
            match constant(&text[start + 1..end]) {
                Some((length, constant, same)) => {
                    error.edit_if(same, Span::new(start, start + 1 + length), constant)
                }
                None => error.help("a constant is written 'const int n = 10;'"),
            }
        }
        b'#' if text[start + 1..end].trim_ascii_start().starts_with(b"include") => {
            let error = not_sysy(end - start, "preprocessor").note("the runtime library needs no '#include'");
            error.edit(Span::new(start, end), "")
        }
        b'#' if !is_directive(&text[start + 1..end]) => {
            let whole = Span::new(start, end);
            let error = Diagnostic::error("not-sysy", whole, "SysY has no comments that begin with '#'");
            error.edit(Span::new(start, start + 1), "//")
        }
        b'#' => not_sysy(end - start, "preprocessor"),
        b'\'' => match text[start + 1..end] {
            [c, b'\''] if c != b'\\' => {
                not_sysy(end - start, "character literals").edit(Span::new(start, end), c.to_string())
            }
            [b'\\', c, b'\''] if let Some(code) = escaped(c) => {
                not_sysy(end - start, "character literals").edit(Span::new(start, end), code.to_string())
            }
            // `putf('text')`
            [ref inner @ .., b'\''] if inner.len() > 1 && is_format(before) && !inner.contains(&b'"') => {
                let right = format!("\"{}\"", String::from_utf8_lossy(inner));
                let span = Span::new(start, end);
                Diagnostic::error("syntax", span, "a string stands in '\"'").edit(span, right)
            }
            _ => not_sysy(end - start, "character literals").help("write the number of the character"),
        },
        0 => {
            let error = Diagnostic::error("stray-byte", Span::new(start, end), "the text holds a NUL byte");
            error.note("further NUL bytes are not reported")
        }
        0x80.. => non_ascii(text, start, end),
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

/// A `^`: between two numbers a power was meant, which is written as what it is, and for a name a product.
fn power(text: &[u8], start: usize) -> Diagnostic {
    /// Factors that are written.
    const MOST: u32 = 4;
    let what = "SysY has no bitwise operator '^', and no operator for powers";
    let error = Diagnostic::error("not-sysy", Span::new(start, start + 1), what);
    let before = line_before(text, start).trim_ascii_end();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = before.iter().rev().take_while(|byte| is_word(byte)).count();
    let from = line_start(text, start) + before.len() - length;
    let base = std::str::from_utf8(&before[before.len() - length..]).unwrap_or_default();
    let Some(end) = operand_behind(text, start + 1) else { return error };
    let exponent = std::str::from_utf8(&text[start + 1..end]).unwrap_or_default().trim_start();
    // A part of something longer, or of what binds more tightly than a power would.
    let outer = before[..before.len() - length].trim_ascii_end().last();
    let is_part = matches!(outer, Some(b'^' | b'.' | b'*' | b'/' | b'%' | b'-' | b'!'));
    // Octal and hexadecimal numbers are other numbers than their digits say.
    let is_prefixed = |word: &str| word.len() > 1 && word.starts_with('0');
    if is_prefixed(base) || is_prefixed(exponent) {
        return error;
    }
    let Ok(exponent) = exponent.parse::<u32>() else { return error };
    let whole = Span::new(from, end);
    match base.parse::<i32>() {
        Ok(number) if !is_part => match number.checked_pow(exponent) {
            Some(value) => {
                let bits = number ^ exponent as i32;
                let note = format!("as an operator on bits, '{base} ^ {exponent}' would be {bits}");
                error.guess(whole, value.to_string()).note(note)
            }
            None => error.note("the power does not fit an int"),
        },
        Err(_) if !base.is_empty() && !is_part && (2..=MOST).contains(&exponent) => {
            let product = vec![base; exponent as usize].join(" * ");
            error.guess(whole, format!("({product})"))
        }
        _ => error.help("a power is written as a product, 'x * x', or computed by a loop"),
    }
}

/// Where the line that a place is in begins, as far as it is near.
fn line_start(text: &[u8], start: usize) -> usize {
    start - line_before(text, start).len()
}

/// True if a directive of C's preprocessor follows a `#`.
fn is_directive(text: &[u8]) -> bool {
    const DIRECTIVES: [&[u8]; 13] = [
        b"define", b"include", b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif", b"undef", b"pragma",
        b"error", b"warning", b"line",
    ];
    let text = text.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(text.len());
    DIRECTIVES.contains(&&text[..end])
}

/// The code of the character that a backslash and this letter stand for.
fn escaped(letter: u8) -> Option<u8> {
    const ESCAPES: [(u8, u8); 11] = [
        (b'n', 10),
        (b't', 9),
        (b'r', 13),
        (b'0', 0),
        (b'a', 7),
        (b'b', 8),
        (b'f', 12),
        (b'v', 11),
        (b'\\', 92),
        (b'\'', 39),
        (b'"', 34),
    ];
    ESCAPES.iter().find(|row| row.0 == letter).map(|row| row.1)
}

/// True behind `if (...)`, `while (...)`, `for (...)` and `else`, which a statement follows.
fn is_head(before: &[u8]) -> bool {
    let line = before.trim_ascii();
    if last_word(line) == b"else" {
        return true;
    }
    if let Some(open) = opening(line) {
        let word = last_word(&line[..open]);
        let ends_do = word == b"while" && (line.starts_with(b"do ") || line.starts_with(b"}"));
        return matches!(word, b"if" | b"while" | b"for") && !ends_do;
    }
    // Python's, without brackets.
    let heads: [&[u8]; 3] = [b"if ", b"while ", b"else if "];
    let line = line.strip_prefix(b"}").map_or(line, <[u8]>::trim_ascii_start);
    let rest = heads.iter().find_map(|head| line.strip_prefix(*head)).map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| !rest.starts_with(b"("))
}

/// Where the bracket stands that the `)` at the end of a line closes, if it is in that line.
fn opening(line: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    line.ends_with(b")").then_some(())?;
    line.iter().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// What other languages call an int or a float.
pub(super) fn type_of(word: &[u8]) -> Option<&'static str> {
    const INTS: [&[u8]; 12] =
        [b"int", b"i32", b"i64", b"u32", b"u64", b"i16", b"u8", b"usize", b"isize", b"bool", b"Int", b"long"];
    const FLOATS: [&[u8]; 6] = [b"float", b"f32", b"f64", b"double", b"Float", b"Double"];
    if INTS.contains(&word) {
        Some("int")
    } else if FLOATS.contains(&word) {
        Some("float")
    } else {
        None
    }
}

/// The `:` between a name and its type, of a parameter or behind `let`.
fn type_behind(text: &[u8], before: &[u8], start: usize) -> Option<Diagnostic> {
    let name = last_word(before);
    let rest = &text[start + 1..text.len().min(start + 81)];
    let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = rest[blanks..].iter().take_while(is_word).count();
    let ty = type_of(&rest[blanks..blanks + length])?;
    let trimmed = before.trim_ascii_end();
    let mut first = trimmed.len() - name.len();
    let ahead = trimmed[..first].trim_ascii_end();
    if name.is_empty() || name[0].is_ascii_digit() {
        return None;
    }
    if !ahead.ends_with(b"(") && !ahead.ends_with(b",") {
        let outer =
            if last_word(ahead) == b"mut" { ahead[..ahead.len() - 3].trim_ascii_end() } else { ahead };
        let word = last_word(outer);
        VARIABLES.iter().find(|known| known.as_bytes() == word)?;
        first = outer.len() - word.len();
    }
    let whole = Span::new(start - (before.len() - first), start + 1 + blanks + length);
    let error = Diagnostic::error("syntax", whole, "a type stands in front of the name");
    Some(error.edit(whole, format!("{ty} {}", String::from_utf8_lossy(name))))
}

/// The word at the end of a text, or nothing.
fn last_word(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    &text[text.len() - text.iter().rev().take_while(is_word).count()..]
}

/// True in front of the first argument of `putf` or `printf`.
fn is_format(before: &[u8]) -> bool {
    let named = before.trim_ascii_end().strip_suffix(b"(").map(<[u8]>::trim_ascii_end);
    named.is_some_and(|named| named.ends_with(b"putf") || named.ends_with(b"printf"))
}

/// True of a `:` at the end of a line that is a statement, and no label.
fn ends_statement(text: &[u8], before: &[u8], start: usize) -> bool {
    const HEADERS: [&[u8]; 5] = [b"int ", b"float ", b"void ", b"def ", b"fn "];
    let rest = &text[start + 1..text.len().min(start + 81)];
    let rest = &rest[..memchr(b'\n', rest).unwrap_or(rest.len())];
    let line = before.trim_ascii();
    let begins = |word: &[u8]| line.starts_with(word);
    let is_label = begins(b"case") || begins(b"default") || !line.iter().any(|byte| b"=( ".contains(byte));
    // The end of a condition that begins in another line, and the header of a function.
    let is_part = line.ends_with(b")")
        && (opening(line).is_none() || HEADERS.iter().any(|word| begins(word)) && !line.contains(&b'='));
    rest.trim_ascii().is_empty() && ends_operand(before) && !is_label && !is_part
}

/// True of the `&` of what is passed to a runtime function that fills an array: `getarray(&a)`.
fn is_array_argument(text: &[u8], before: &[u8], start: usize) -> bool {
    const FILLS: [&[u8]; 2] = [b"getarray", b"getfarray"];
    let named = before.trim_ascii_end().strip_suffix(b"(").map(<[u8]>::trim_ascii_end);
    let called = named.is_some_and(|named| FILLS.iter().any(|name| named.ends_with(name)));
    called && operand_behind(text, start + 1).is_some_and(|end| text.get(end) != Some(&b'['))
}

/// Where the name or number ends that stands here, behind blanks, if it is a whole operand.
fn operand_behind(text: &[u8], start: usize) -> Option<usize> {
    /// Bytes looked at.
    const NEAR: usize = 64;
    let near = &text[start..text.len().min(start + NEAR)];
    let blanks = near.iter().take_while(|&&byte| byte == b' ').count();
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = near[blanks..].iter().take_while(is_word).count();
    let end = start + blanks + length;
    let follows = text.get(end..)?.iter().find(|byte| !byte.is_ascii_whitespace())?;
    (length > 0 && !matches!(follows, b'(' | b'[' | b'.')).then_some(end)
}

/// How what is behind the `#` of a `#define` is written, if it is a number; how long it is, and whether it is one number:
/// what a macro stands for becomes part of what is around it.
fn constant(directive: &[u8]) -> Option<(usize, String, bool)> {
    let line = String::from_utf8_lossy(directive);
    let line = line.split("//").next().unwrap_or_default();
    let line = line.split("/*").next().unwrap_or_default().trim_end();
    let mut words = line.split_whitespace().skip(1);
    let name = words.next().unwrap_or_default();
    let value = words.collect::<Vec<_>>().join(" ");
    let is_number =
        value.bytes().next().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b'(' | b'.'));
    if !is_number || name.contains('(') || name.len() + value.len() > 40 {
        return None;
    }
    let ty = if value.contains('.') { "float" } else { "int" };
    let same = value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
    Some((line.len(), format!("const {ty} {name} = {value};"), same))
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

/// The run of bytes `start..end`, of which the first is not ASCII.
fn non_ascii(text: &[u8], start: usize, end: usize) -> Diagnostic {
    let character =
        (1..=4).filter_map(|length| std::str::from_utf8(text.get(start..start + length)?).ok()).next();
    let Some(character) = character.and_then(|text| text.chars().next()) else {
        return not_utf8(text, start, end);
    };
    let span = Span::new(start, start + character.len_utf8());
    let code = u32::from(character);
    let Some((name, meant)) = lookalike(character) else {
        let message = format!("stray character '{character}' in the program");
        let error = Diagnostic::error("stray-byte", span, message);
        return error.note("names consist of ASCII letters, digits and '_'");
    };
    if meant == " " {
        let message = format!("invisible character U+{code:04X} ({name}) in the program");
        let error = Diagnostic::error("stray-byte", span, message);
        let is_wide = matches!(character, '\u{3000}' | '\u{a0}' | '\u{202f}');
        return error.edit(span, if is_wide { " " } else { "" });
    }
    // Several in a row are written alike.
    let run = std::str::from_utf8(&text[start..end]).unwrap_or_default();
    let all: Option<String> = run.chars().map(self::meant).collect();
    match all.filter(|_| run.chars().nth(1).is_some() && run.chars().count() <= 8) {
        Some(all) => {
            let message = format!("stray characters '{run}' in the program");
            let span = Span::new(start, end);
            let error = Diagnostic::error("stray-byte", span, message);
            error.note(format!("the first is U+{code:04X} ({name})")).edit(span, all)
        }
        None => {
            let message = format!("stray character '{character}' (U+{code:04X}, {name}) in the program");
            Diagnostic::error("stray-byte", span, message).edit(span, meant)
        }
    }
}

/// Bytes that are no character. Chinese text in GBK is pairs of bytes from 0x81 on.
fn not_utf8(text: &[u8], start: usize, end: usize) -> Diagnostic {
    let message = format!("byte 0x{:02X} is not valid UTF-8", text[start]);
    let error = Diagnostic::error("encoding", Span::new(start, start + 1), message);
    let run = &text[start..end];
    let is_gbk = run.len() >= 2 && run.iter().take(2).all(|&byte| (0x81..=0xfe).contains(&byte));
    let error = if is_gbk { error.note("the text may be encoded in GBK") } else { error };
    error.help("save the file as UTF-8; names consist of ASCII letters, digits and '_'")
}

/// The error about the number `start..end`.
pub(super) fn malformed_number(text: &[u8], start: usize, end: usize, fault: Fault) -> Diagnostic {
    let error = |message: &str| Diagnostic::error("malformed-number", Span::new(start, end), message);
    match fault {
        Fault::NoHexDigits => error("a hexadecimal number has no digits"),
        Fault::Binary => {
            let error = error("SysY has no binary numbers");
            let digits = std::str::from_utf8(&text[start + 2..end]).unwrap_or_default();
            match u32::from_str_radix(digits, 2) {
                Ok(value) => error.edit(Span::new(start, end), format!("0x{value:X}")),
                Err(_) => error.help("write it in hexadecimal"),
            }
        }
        Fault::NoExponent => error("the exponent of a number has no digits"),
        Fault::HexFloatWithoutExponent => {
            let right = format!("{}p0", String::from_utf8_lossy(&text[start..end]));
            error("a hexadecimal floating number has no exponent").edit(Span::new(start, end), right)
        }
        Fault::Octal(at) => {
            let message = format!("digit {} in an octal number", text[at] as char);
            let error = Diagnostic::error("malformed-number", Span::new(at, at + 1), message);
            let error = error.note("a number that begins with 0 is octal");
            let zeros = text[start..end].iter().take_while(|&&byte| byte == b'0').count();
            match text[start + zeros..end].iter().all(u8::is_ascii_digit) {
                true => {
                    error.guess(Span::new(start, end), String::from_utf8_lossy(&text[start + zeros..end]))
                }
                false => error,
            }
        }
        Fault::Tail(at) => {
            let tail = String::from_utf8_lossy(&text[at..end.min(at + 20)]);
            let message = format!("'{tail}' cannot follow a number directly");
            let error = Diagnostic::error("malformed-number", Span::new(at, end), message);
            match text[at..end].to_ascii_lowercase().as_slice() {
                b"f" => error
                    .note("SysY has no suffixes: every floating number is a float")
                    .edit(Span::new(at, end), ""),
                suffix @ (b"u" | b"l" | b"ul" | b"lu" | b"ll" | b"ull" | b"llu") => {
                    // Sums and comparisons of unsigned numbers are others.
                    let same = !suffix.contains(&b'u');
                    error.note("SysY has no suffixes").edit_if(same, Span::new(at, end), "")
                }
                _ if text[at] == b'.' => error,
                _ => error.note("a name does not begin with a digit"),
            }
        }
    }
}
