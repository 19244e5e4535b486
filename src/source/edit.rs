//! What to write instead: edits of a text, and how they are applied. O(text + edits log edits).

use super::Span;

/// A stretch of the text, and what should stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; nothing, to insert.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// The text with these edits, and how many of them: of two that touch the same bytes the first in the text is
/// taken, and of the same ones one.
pub fn apply(text: &[u8], edits: &[Edit]) -> (Vec<u8>, usize) {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut at, mut taken) = (Vec::with_capacity(text.len() + 64), 0, 0);
    let mut last: Option<Span> = None;
    for edit in sorted {
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        let is_again = last.is_some_and(|last| last == edit.span);
        let Some(between) = text.get(at..start).filter(|_| !is_again && start <= end && end <= text.len())
        else {
            continue;
        };
        out.extend_from_slice(between);
        out.extend_from_slice(edit.text.as_bytes());
        (at, last) = (end, Some(edit.span));
        taken += 1;
    }
    out.extend_from_slice(&text[at..]);
    (out, taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_the_order_of_the_text_and_do_not_overlap() {
        let edit = |start, end, text: &str| Edit { span: Span::new(start, end), text: text.to_string() };
        let applied = |edits: &[Edit]| {
            let (text, taken) = apply(b"int a = b", edits);
            (String::from_utf8(text).unwrap(), taken)
        };
        assert_eq!(applied(&[edit(9, 9, ";"), edit(8, 9, "c")]), ("int a = c;".to_string(), 2));
        assert_eq!(applied(&[edit(0, 5, "x"), edit(4, 6, "y")]), ("x = b".to_string(), 1));
        assert_eq!(applied(&[edit(9, 9, ";"), edit(9, 9, ";")]), ("int a = b;".to_string(), 1));
        assert_eq!(applied(&[edit(5, 99, "y")]), ("int a = b".to_string(), 0));
    }
}
