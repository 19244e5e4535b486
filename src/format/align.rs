//! Comments at the ends of lines: where those of lines that follow each other were written in one column they are
//! again, behind the longest of these lines. What was not so stands one blank behind its line. O(bytes of those lines).

use super::width;
use crate::source::Span;

/// A comment at the end of a line.
#[derive(Copy, Clone, Debug)]
pub(super) struct Trailing {
    /// The white space before it.
    pub(super) white: Span,
    /// The line, as it will be.
    pub(super) line: usize,
    /// The column behind the code of the line, as it will be.
    pub(super) column: u32,
}

/// The blanks before each.
pub(super) fn blanks(text: &[u8], all: &[Trailing]) -> Vec<(Span, u32)> {
    let columns: Vec<[u32; 2]> = all.iter().map(|one| written(text, one.white.end as usize)).collect();
    let mut blanks = Vec::with_capacity(all.len());
    let mut first = 0;
    while first < all.len() {
        let goes_on = |&k: &usize| {
            let same = columns[k].iter().zip(columns[k - 1]).any(|(a, b)| *a == b);
            same && all[k].line == all[k - 1].line + 1
        };
        let end = (first + 1..all.len()).take_while(goes_on).last().map_or(first + 1, |last| last + 1);
        let group = &all[first..end];
        let column = group.iter().map(|one| one.column).max().unwrap_or(0) + 1;
        blanks.extend(group.iter().map(|one| (one.white, column - one.column)));
        first = end;
    }
    blanks
}

/// The column where something is written, by the two usual widths of tabs.
fn written(text: &[u8], at: usize) -> [u32; 2] {
    let before = &text[..at];
    let line = &before[memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..];
    [4, 8].map(|step| {
        let mut parts = line.split(|&byte| byte == b'\t');
        let last = parts.next_back().map_or(0, width);
        parts.fold(0, |column, part| (column + width(part)) / step * step + step) + last
    })
}
