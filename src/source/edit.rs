//! What to write instead: edits of a text, and how they are applied. O(text + edits log edits).

use super::Span;

/// How sure an edit is; rustc has the same words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Applicability {
    /// What was meant: a program that has a meaning keeps it, one in error gets the only one it can have had.
    MachineApplicable,
    /// Something else may have been meant.
    MaybeIncorrect,
}

impl Applicability {
    /// The word in JSON and SARIF.
    pub fn name(self) -> &'static str {
        ["MachineApplicable", "MaybeIncorrect"][self as usize]
    }
}

/// True of edits that are all certain: those of one diagnostic are made together or not at all.
pub fn is_certain(edits: &[Edit]) -> bool {
    !edits.is_empty() && edits.iter().all(|edit| edit.applicability == Applicability::MachineApplicable)
}

/// A stretch of the text, and what should stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; nothing, to insert.
    pub span: Span,
    /// What stands there then.
    pub text: String,
    /// How sure it is.
    pub applicability: Applicability,
}

/// Bytes of an edit that advice quotes at most.
const QUOTED: usize = 80;

impl Edit {
    /// What of the text is marked: what is replaced, without blanks around it.
    pub fn shown(&self, text: &[u8]) -> Span {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let old = text.get(start..end).unwrap_or_default();
        let start = start + old.len() - old.trim_ascii_start().len();
        let end = start + old.trim_ascii().len();
        if start == end { self.span } else { Span::new(start, end) }
    }

    /// The edit as advice for people, given the text that it is of.
    pub fn advice(&self, text: &[u8]) -> String {
        let new = self.text.trim();
        let end = (0..=QUOTED.min(new.len())).rev().find(|&k| new.is_char_boundary(k)).unwrap_or(0);
        let shown = format!("'{}{}'", &new[..end], if end < new.len() { "..." } else { "" });
        let old = text.get(self.span.start as usize..self.span.end as usize).unwrap_or_default().trim_ascii();
        match (new.is_empty(), old.is_empty()) {
            (false, true) => format!("insert {shown}"),
            (false, false) if self.applicability == Applicability::MaybeIncorrect => {
                format!("did you mean {shown}?")
            }
            (false, false) => format!("write {shown}"),
            (true, _) if !self.text.is_empty() => "write a plain space".to_string(),
            _ => match std::str::from_utf8(old) {
                Ok(old) if (1..=16).contains(&old.len()) && old.bytes().all(|b| b.is_ascii_graphic()) => {
                    format!("remove '{old}'")
                }
                _ => "remove this".to_string(),
            },
        }
    }
}

/// The text with the edits of each group made that can be (`choose`), and how many.
pub fn apply(text: &[u8], groups: &[&[Edit]]) -> (Vec<u8>, usize) {
    let edits = choose(text, groups);
    let (mut out, mut at) = (Vec::with_capacity(text.len() + 64), 0);
    for edit in &edits {
        out.extend_from_slice(&text[at..edit.span.start as usize]);
        out.extend_from_slice(edit.text.as_bytes());
        at = edit.span.end as usize;
    }
    out.extend_from_slice(&text[at..]);
    (out, edits.len())
}

/// The edits that can be made at once, in the order of the text: all of a group or none. Of two groups that touch
/// the same bytes the first in the text is taken, and of equal edits one.
pub fn choose<'a>(text: &[u8], groups: &[&'a [Edit]]) -> Vec<&'a Edit> {
    let mut sorted: Vec<(&Edit, usize)> =
        groups.iter().enumerate().flat_map(|(k, group)| group.iter().map(move |edit| (edit, k))).collect();
    sorted.sort_by_key(|(edit, group)| (edit.span.start, edit.span.end, *group));
    let mut dropped = vec![false; groups.len()];
    let (mut last, mut at): (Option<&Edit>, u32) = (None, 0);
    for &(edit, group) in &sorted {
        let Span { start, end } = edit.span;
        if dropped[group] || last.is_some_and(|last| (last.span, &last.text) == (edit.span, &edit.text)) {
            continue;
        }
        let same_place = last.is_some_and(|last| last.span == edit.span);
        if start < at || same_place || start > end || end as usize > text.len() {
            dropped[group] = true;
            continue;
        }
        (last, at) = (Some(edit), end);
    }
    let mut chosen: Vec<&Edit> = sorted.into_iter().filter(|row| !dropped[row.1]).map(|row| row.0).collect();
    chosen.dedup_by_key(|edit| edit.span);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_the_order_of_the_text_and_do_not_overlap() {
        let edit = |start, end, text: &str| Edit {
            span: Span::new(start, end),
            text: text.to_string(),
            applicability: Applicability::MachineApplicable,
        };
        let applied = |edits: &[Edit]| {
            let groups: Vec<&[Edit]> = edits.chunks(1).collect();
            let (text, taken) = apply(b"int a = b", &groups);
            (String::from_utf8(text).unwrap(), taken)
        };
        assert_eq!(applied(&[edit(9, 9, ";"), edit(8, 9, "c")]), ("int a = c;".to_string(), 2));
        assert_eq!(applied(&[edit(0, 5, "x"), edit(4, 6, "y")]), ("x = b".to_string(), 1));
        assert_eq!(applied(&[edit(9, 9, ";"), edit(9, 9, ";")]), ("int a = b;".to_string(), 1));
        assert_eq!(applied(&[edit(5, 99, "y")]), ("int a = b".to_string(), 0));
        let both = [edit(0, 1, "I"), edit(8, 9, "c")];
        assert_eq!(apply(b"int a = b", &[&both, &[edit(7, 9, "z")]]), (b"int a =z".to_vec(), 1));
        assert_eq!(apply(b"int a = b", &[&both, &[edit(9, 9, ";")]]), (b"Int a = c;".to_vec(), 3));
    }

    #[test]
    fn advice_says_what_an_edit_does() {
        let advice = |start, end, text: &str, is_guess| {
            let applicability =
                if is_guess { Applicability::MaybeIncorrect } else { Applicability::MachineApplicable };
            Edit { span: Span::new(start, end), text: text.to_string(), applicability }
                .advice(b"int  a = b; // \xff")
        };
        assert_eq!(advice(10, 10, ";\n", false), "insert ';'");
        assert_eq!(advice(9, 10, "cc", false), "write 'cc'");
        assert_eq!(advice(9, 10, "cc", true), "did you mean 'cc'?");
        assert_eq!(
            (advice(10, 11, "", false).as_str(), advice(0, 16, "", false)),
            ("remove ';'", "remove this".into())
        );
        assert_eq!(advice(3, 5, " ", false), "write a plain space");
        assert_eq!(
            advice(1, 99, &"\u{e4}".repeat(60), false),
            format!("insert '{}...'", "\u{e4}".repeat(40))
        );
    }
}
