//! Where the bodies of functions stand, from the bytes alone: so that they can be lexed and parsed apart from
//! each other.
//!
//! Outside of braces a `{` behind a `)` opens a body, one behind a `=` an initialiser. Comments and strings
//! are passed over by the lexer's own rules. O(bytes), mostly `memchr`'s; nothing is said of what a body
//! holds. Where the braces do not tell, there is no answer, and the file has to be read from start to end,
//! which finds the words for what is wrong.
//!
//! A long text is cut behind lines that hold a `}` and nothing else, where functions usually end, and the
//! pieces are scanned in parallel, each as if it were a text. That is right if every piece but the last ends
//! outside of everything, which its scan finds out; if one does not, the text is scanned as a whole.

use super::lexer::{block_comment_end, line_comment_end, scan_string};
use crate::base::parallel::Workers;
use crate::source::Diagnostics;
use memchr::memmem::find;
use memchr::{memchr, memchr3};
use std::ops::Range;

/// Bytes of a piece, and how far its end is looked for.
const PIECE: usize = 1 << 18;

/// The bodies of a file's functions in order, each from its `{` to behind its `}`.
#[inline(never)]
pub fn bodies(text: &[u8], workers: &Workers) -> Option<Vec<Range<usize>>> {
    let mut pieces = if workers.jobs() > 1 { cut(text, PIECE) } else { Vec::new() };
    if pieces.len() > 1
        && let Some(found) = together(text, &mut pieces, workers)
    {
        return Some(found);
    }
    in_one(text)
}

/// A text in pieces of about so many bytes.
fn cut(text: &[u8], bytes: usize) -> Vec<Range<usize>> {
    const END: &[u8] = b"\n}\n";
    let (mut pieces, mut start, mut from) = (Vec::new(), 0, bytes);
    while let Some(rest) = text.get(from..) {
        if let Some(at) = find(&rest[..rest.len().min(bytes + END.len())], END) {
            let end = from + at + END.len();
            pieces.push(start..end);
            start = end;
        }
        from = start.max(from) + bytes;
    }
    pieces.push(start..text.len());
    pieces
}

/// The bodies of all pieces, if each can be scanned by itself.
fn together(text: &[u8], pieces: &mut [Range<usize>], workers: &Workers) -> Option<Vec<Range<usize>>> {
    let found = workers.map(
        pieces,
        || (),
        |(), _, piece| {
            let mut found = in_one(&text[piece.clone()])?;
            for body in &mut found {
                *body = body.start + piece.start..body.end + piece.start;
            }
            Some(found)
        },
    );
    Some(found.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

fn in_one(text: &[u8]) -> Option<Vec<Range<usize>>> {
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

/// Behind the `}` that belongs to the `{` at `at`. `quote` is where the next `"` stands, at `at` or behind
/// it. So is `next` of the next byte that may matter: neither is looked for again before it is passed.
fn behind_braces(text: &[u8], mut at: usize, quote: &mut usize) -> Option<usize> {
    let (mut depth, mut next) = (0usize, at);
    loop {
        if *quote < at {
            *quote = next_quote(text, at);
        }
        if next <= at {
            next = at + memchr3(b'{', b'}', b'/', text.get(at..)?)?;
        }
        if *quote < next {
            at = scan_string(text, *quote).ok()?;
            continue;
        }
        at = next;
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
        bodies(text.as_bytes(), &Workers::new(1))
            .map(|found| found.into_iter().map(|range| &text[range]).collect())
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

    #[test]
    fn pieces_are_a_text_each_or_else_there_are_none() {
        let workers = Workers::new(2);
        let by_pieces =
            |text: &str, bytes| together(text.as_bytes(), &mut cut(text.as_bytes(), bytes), &workers);
        let functions: String =
            (0..50).map(|k| format!("int f{k}(int x)\n{{\n  putf(\"}}{{\"); // }}\n}}\n")).collect();
        for bytes in [1, 7, 40, 100, 5000] {
            assert_eq!(by_pieces(&functions, bytes), in_one(functions.as_bytes()), "{bytes}");
        }
        assert_eq!(cut(functions.as_bytes(), 1).len(), 51);
        // Lines with nothing but a brace that end no function.
        for text in [
            "int f()\n{\nif (1) {\n}\n}\nint g() {}\n",
            "/*\n}\n*/ int f() {}\n",
            "int a[2] = {\n{1}, {2\n}\n};\nint f() {}\n",
        ] {
            assert_eq!(by_pieces(text, 1), None, "{text}");
            assert!(in_one(text.as_bytes()).is_some());
        }
    }
}
