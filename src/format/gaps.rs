//! What stands between tokens: comments, and how many lines end between them. A gap is named by the token behind
//! it. With n comments it has n + 1 stretches of white space: before the first, between two, behind the last.
//! One walk of the text between tokens.

use super::{WIDTH, width};
use crate::base::{Column, Handle};
use crate::source::{Diagnostics, Span};
use crate::syntax::lexer::{block_comment_end, line_comment_end};
use crate::syntax::token::{Token, Tokens};
use memchr::{memchr_iter, memchr2};

/// A comment, without the blanks behind it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) span: Span,
    /// It begins with `//` and ends with its line.
    pub(super) is_line: bool,
}

/// All gaps of a text.
pub(super) struct Gaps {
    /// Per token: where the one before it ends.
    pub(super) start: Column<Token, u32>,
    /// Per token: where it begins.
    pub(super) end: Column<Token, u32>,
    /// Per token: how many comments stand before its gap.
    first: Column<Token, u32>,
    all: Vec<Comment>,
}

impl Gaps {
    pub(super) fn new(text: &[u8], tokens: &Tokens) -> Gaps {
        let rows = tokens.kind.len();
        let [start, end, first] = [(); 3].map(|()| Column::with_capacity(rows));
        let mut gaps = Gaps { start, end, first, all: Vec::new() };
        let mut at = 0;
        for token in tokens.kind.keys() {
            let begin = tokens.start[token];
            gaps.first.push(gaps.all.len() as u32);
            gaps.start.push(at as u32);
            gaps.end.push(begin);
            comments(text, at, begin as usize, &mut gaps.all);
            at = tokens.span(text, token).end as usize;
        }
        gaps
    }

    /// The comments of the gap before a token.
    pub(super) fn comments(&self, token: Token) -> &[Comment] {
        let first = self.first[token] as usize;
        let end = self.first.get(Token::new(token.index() + 1)).map_or(self.all.len(), |&end| end as usize);
        &self.all[first..end]
    }

    /// A stretch of white space: before comment `k`, or before the token.
    pub(super) fn white(&self, token: Token, k: usize) -> Span {
        let comments = self.comments(token);
        let start = k.checked_sub(1).map_or(self.start[token], |before| comments[before].span.end);
        let end = comments.get(k).map_or(self.end[token], |comment| comment.span.start);
        Span { start, end }
    }

    /// How many lines end in such a stretch.
    pub(super) fn line_ends(&self, text: &[u8], token: Token, k: usize) -> usize {
        let Span { start, end } = self.white(token, k);
        memchr_iter(b'\n', &text[start as usize..end as usize]).count()
    }

    /// True if there is a line end in a gap.
    pub(super) fn has_line_end(&self, text: &[u8], token: Token) -> bool {
        (0..=self.comments(token).len()).any(|k| self.line_ends(text, token, k) > 0)
    }
}

impl Gaps {
    /// The first of the comments that stand on the line of a token that begins one.
    pub(super) fn on_line(&self, text: &[u8], token: Token) -> usize {
        let comments = self.comments(token);
        let ends = |&w: &usize| w > 0 && comments[w - 1].is_line || self.line_ends(text, token, w) > 0;
        (0..=comments.len()).rev().find(ends).unwrap_or(0)
    }
}

/// Columns of a comment on a line; of several lines, more than one has.
pub(super) fn columns(text: &[u8], comment: &Comment) -> u32 {
    let text = &text[comment.span.start as usize..comment.span.end as usize];
    if comment.is_line || text.contains(&b'\n') { WIDTH } else { width(text) }
}

/// Appends the comments of a stretch without tokens.
fn comments(text: &[u8], mut at: usize, end: usize, all: &mut Vec<Comment>) {
    let text = &text[..end];
    while let Some(found) = memchr2(b'/', b'\\', &text[at..]) {
        at += found;
        let is_line = match text.get(at + 1) {
            Some(b'/') if text[at] == b'/' => true,
            Some(b'*') if text[at] == b'/' => false,
            // A backslash at the end of a line.
            _ => {
                at += 1;
                continue;
            }
        };
        let behind = if is_line {
            line_comment_end(text, at, &mut Diagnostics::default())
        } else {
            block_comment_end(text, at).unwrap_or(end)
        };
        let length = text[at..behind].trim_ascii_end().len();
        all.push(Comment { span: Span::new(at, at + length), is_line });
        at = behind;
    }
}
