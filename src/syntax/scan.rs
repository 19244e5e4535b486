//! Where the bodies of functions stand, from the bytes alone: so that they can be lexed and parsed apart from each other.
//!
//! Outside of braces a `{` behind a `)` opens a body, one behind a `=` an initialiser. Comments and strings are passed over by the
//! lexer's own rules. O(bytes), mostly `memchr`'s; nothing is said of what a body holds. Where the braces do
//! not tell, there is no answer, and the file has to be read from start to end, which finds the words for what is wrong.

use super::lexer::{block_comment_end, line_comment_end, scan_string};
use crate::source::Diagnostics;
use memchr::{memchr, memchr3};
use std::ops::Range;

/// The bodies of a file's functions in order, each from its `{` to behind its `}`.
#[inline(never)]
pub fn bodies(text: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let (mut at, mut last) = (0, 0);
    let mut quote = next_quote(text, 0);
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' => {
                at += 1;
                continue;
            }
            b'/' if matches!(text.get(at + 1), Some(b'/' | b'*')) => {
                at = behind_comment(text, at)?;
                continue;
            }
            b'{' => {
                let end = behind_braces(text, at, &mut quote)?;
                match last {
                    b')' => found.push(at..end),
                    b'=' => {}
                    _ => return None,
                }
                end
            }
            b'}' | b'"' => return None,
            _ => at + 1,
        };
        last = byte;
    }
    Some(found)
}

/// Behind the `}` that belongs to the `{` at `at`. `quote` is where the next `"` stands, at `at` or behind it.
fn behind_braces(text: &[u8], mut at: usize, quote: &mut usize) -> Option<usize> {
    let mut depth = 0usize;
    loop {
        if *quote < at {
            *quote = next_quote(text, at);
        }
        at += memchr3(b'{', b'}', b'/', text.get(at..)?)?;
        if *quote < at {
            at = scan_string(text, *quote).ok()?;
            continue;
        }
        match text[at] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ if matches!(text.get(at + 1), Some(b'/' | b'*')) => {
                at = behind_comment(text, at)?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Where the next `"` stands; the end if there is none.
fn next_quote(text: &[u8], at: usize) -> usize {
    memchr(b'"', &text[at..]).map_or(text.len(), |skipped| at + skipped)
}

fn behind_comment(text: &[u8], at: usize) -> Option<usize> {
    match text.get(at + 1) {
        // What there is to say about it is said when it is lexed.
        Some(b'/') => Some(line_comment_end(text, at, &mut Diagnostics::default())),
        _ => block_comment_end(text, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Option<Vec<&str>> {
        bodies(text.as_bytes()).map(|found| found.into_iter().map(|range| &text[range]).collect())
    }

    #[test]
    fn bodies_are_found_and_initialisers_are_none() {
        let text = "int a[2][2] = { {1}, {(2)} };\nint f(int x) { if (x) { return 1; } return 2; }\n\
                    void g()\n/* { */ // }\n{}\nint b = 3; int main(){putf(\"}{\\\"\");/*}*/\n//}\n}";
        let found = texts(text).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], "{ if (x) { return 1; } return 2; }");
        assert_eq!(found[1], "{}");
        assert!(found[2].starts_with("{putf") && found[2].ends_with("//}\n}"));
    }

    #[test]
    fn what_braces_do_not_tell_has_no_answer() {
        for text in
            ["int f() {", "}", "int f { }", "int f() { /* }", "int f() { \"} \n }", "int f() {}}", "{"]
        {
            assert_eq!(texts(text), None, "{text}");
        }
        assert_eq!(texts("").unwrap().len(), 0);
        assert_eq!(texts("int a = 1 / 2;").unwrap().len(), 0);
    }

    #[test]
    fn quotes_in_comments_and_braces_in_strings_hide_nothing() {
        let text = "/* \" */ int f() { /* \"{ */ putf(\"}\"); // \"\n }\nint g() { putf(\"{\"); { } }";
        let found = texts(text).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].ends_with("\n }") && found[1] == "{ putf(\"{\"); { } }");
    }
}
