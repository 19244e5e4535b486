//! Edits of white space, line by line: where lines are broken that are too long, and what stands before each
//! token and comment. O(bytes): each place of a line is looked at a constant number of times.

use super::align::{self, Trailing};
use super::gaps::{self, Comment, Gaps};
use super::lines::{Before, Brace, Lines, NOWHERE};
use super::{STEP, WIDTH, width};
use crate::base::Handle;
use crate::source::Span;
use crate::source::{Applicability, Edit};
use crate::syntax::token::{Token, TokenKind, Tokens};

/// What switches formatting off and on again, in a comment of its own.
const SWITCHES: [(&str, bool); 4] = [
    ("sysyc fmt: off", false),
    ("sysyc fmt: on", true),
    ("clang-format off", false),
    ("clang-format on", true),
];

/// Longer than any line.
const ENDLESS: u32 = u32::MAX / 4;

/// A place between two tokens of a line, while it is laid out.
#[derive(Copy, Clone, Default)]
struct Place {
    /// Columns from the first token of the line to this one, if nothing is broken.
    flat: u32,
    /// ... to the end of this token.
    end: u32,
    /// Columns of comments before the token that go with it to a next line.
    lead: u32,
    /// A line ends in the gap, by a comment or as it was written.
    is_broken: bool,
    /// The token ends a bracket that a line ends behind.
    is_closed: bool,
    /// How many such places there are up to this one.
    broken: u32,
    /// The next place of the same bracket and operator, or an outer one; or the end.
    outer: u32,
    /// The next place where a line may end at all.
    next: u32,
}

/// An open bracket of a line: the columns before the line that it stands on, and those before what is in it.
type Open = (u32, u32);

/// What is done.
struct Layout<'a> {
    text: &'a [u8],
    tokens: &'a Tokens,
    gaps: &'a Gaps,
    lines: &'a Lines,
    line_end: &'static str,
    places: Vec<Place>,
    open: Vec<Open>,
    edits: Vec<Edit>,
    /// Comments at the ends of lines.
    trailing: Vec<Trailing>,
    /// How many lines have ended, and the column behind the last token.
    ended: usize,
    column: u32,
}

/// All edits.
pub(super) fn layout(text: &[u8], tokens: &Tokens, gaps: &Gaps, lines: &Lines) -> Vec<Edit> {
    let ends = memchr::memchr(b'\n', text).and_then(|at| text.get(at.checked_sub(1)?));
    let line_end = if ends == Some(&b'\r') { "\r\n" } else { "\n" };
    let (places, open, edits, trailing) = Default::default();
    let (ended, column) = (0, 0);
    let mut layout =
        Layout { text, tokens, gaps, lines, line_end, places, open, edits, trailing, ended, column };
    let rows = tokens.kind.len();
    let mut first = 0;
    while first < rows {
        let is_first = |k: &usize| lines.before[Token::new(*k)] == Before::Line;
        let end = (first + 1..rows).find(is_first).unwrap_or(rows);
        layout.line(first, end);
        first = end;
    }
    for (span, columns) in align::blanks(text, &std::mem::take(&mut layout.trailing)) {
        layout.white(span, 0, columns);
    }
    layout.edits.sort_by_key(|edit| edit.span.start);
    let off = layout.switched_off();
    let mut edits = layout.edits;
    let mut off = off.iter().peekable();
    edits.retain(|edit| {
        while off.next_if(|span| span.end <= edit.span.start).is_some() {}
        off.peek().is_none_or(|span| edit.span.end <= span.start)
    });
    edits
}

impl Layout<'_> {
    fn kind(&self, k: usize) -> TokenKind {
        self.tokens.kind[Token::new(k)]
    }

    /// The line that begins with a token, up to another.
    fn line(&mut self, first: usize, end: usize) {
        let token = Token::new(first);
        let indent = self.lines.indent[token];
        self.measure(first, end);
        self.gap(first, indent, None, false);
        // What is behind the condition of a statement, or the head of a function, is to be told from its body.
        let is_head =
            self.kind(end - 1) == TokenKind::RParen || self.lines.brace[Token::new(end - 1)] == Brace::Block;
        let inner = indent + if is_head { 2 * STEP } else { STEP };
        // Brackets in brackets would make lines of blanks: 100,000 of them took minutes.
        let deepest = indent + 8 * STEP;
        // The columns of the line so far, and what its columns are more than if nothing were broken.
        // Comments may stand before the first token.
        let lead = self.columns(first, self.gaps.on_line(self.text, token));
        let (mut own, mut shift) = (indent, i64::from(indent + lead));
        let behind = |place: &Place, shift: i64| u32::try_from(i64::from(place.end) + shift).unwrap_or(0);
        self.column = behind(&self.places[0], shift);
        self.open.clear();
        if self.is_open(first) {
            self.open.push((own, inner));
        }
        for k in first + 1..end {
            let place = self.places[k - first];
            let token = Token::new(k);
            let content = self.open.last().map_or(inner, |open| open.1);
            let closed = if self.is_close(k) { self.open.pop() } else { None };
            // A brace, `else` and `while` behind a comment go on with the statement.
            let is_word = matches!(self.kind(k), TokenKind::Else | TokenKind::While)
                || self.lines.brace[token] == Brace::Block;
            let column = match closed {
                Some((column, _)) => column,
                None if is_word => indent,
                None => content,
            };
            // Comments in front of a token on its line are in the bracket that it may close.
            let start = if place.lead > 0 { content } else { column };
            let ends = place.is_broken || self.ends(k - first, start, shift);
            if ends {
                self.gap(k, column, Some((content, !place.is_broken)), place.is_closed);
                (own, shift) = (column, i64::from(start) + i64::from(place.lead) - i64::from(place.flat));
            } else {
                self.gap(k, content, Some((content, false)), place.is_closed);
            }
            self.column = behind(&place, shift);
            if self.is_open(k) {
                self.open.push((own, if own == indent { inner } else { deepest.min(own + STEP) }));
            }
        }
    }

    /// True of a bracket, or the brace of an initialiser.
    fn is_open(&self, k: usize) -> bool {
        let is_list = self.lines.brace[Token::new(k)] == Brace::List;
        matches!(self.kind(k), TokenKind::LParen | TokenKind::LBracket)
            || is_list && self.kind(k) == TokenKind::LBrace
    }

    fn is_close(&self, k: usize) -> bool {
        let is_list = self.lines.brace[Token::new(k)] == Brace::List;
        matches!(self.kind(k), TokenKind::RParen | TokenKind::RBracket)
            || is_list && self.kind(k) == TokenKind::RBrace
    }

    /// True if the line is to end before a place, where columns are `shift` more than `flat`.
    fn ends(&self, at: usize, column: u32, shift: i64) -> bool {
        let place = &self.places[at];
        if place.outer == NOWHERE {
            return false;
        }
        // Up to the next place where a line may end as well, with what cannot be told from it.
        let up_to = |next: u32| {
            let last = &self.places[next as usize - 1];
            (last.end, last.broken == place.broken)
        };
        let (end, is_whole) = up_to(place.outer);
        let fits = |end: u32| i64::from(end) + shift <= i64::from(WIDTH);
        if is_whole && fits(end) {
            return false;
        }
        let alone = column + place.lead + (end - place.flat);
        is_whole && alone <= WIDTH || !fits(up_to(place.next).0)
    }

    /// Fills the places of a line.
    fn measure(&mut self, first: usize, end: usize) {
        self.places.clear();
        let (mut at, mut broken) = (0, 0);
        // Of open brackets: whether a line ends behind them.
        let mut open: Vec<bool> = Vec::new();
        for k in first..end {
            let token = Token::new(k);
            let comments = self.gaps.comments(token);
            let mut place = Place { outer: NOWHERE, next: NOWHERE, ..Place::default() };
            place.is_closed = self.is_close(k) && open.pop().unwrap_or(false);
            if k > first {
                let mut ends = (0..=comments.len()).filter(|&w| self.line_ends(k, w, place.is_closed, false));
                let last = ends.next_back();
                place.is_broken = last.is_some();
                place.lead = self.columns(k, last.unwrap_or(0));
                let blank = self.lines.before[token] == Before::Blank;
                at += match (last, comments) {
                    (Some(_), _) => place.lead,
                    (None, []) => u32::from(blank),
                    (None, _) => place.lead + self.blanks(k, 0),
                };
            }
            if self.is_open(k) {
                let behind = Token::new(k + 1);
                open.push(self.lines.keeps[behind] && self.gaps.has_line_end(self.text, behind));
            }
            broken += u32::from(place.is_broken);
            (place.flat, place.broken) = (at, broken);
            at = at.saturating_add(width(self.tokens.text(self.text, token))).min(ENDLESS);
            place.end = at;
            self.places.push(place);
        }
        // From the end: the places that are no more inner than those before them.
        let mut outer: Vec<(u32, u32)> = vec![(0, (end - first) as u32)];
        let mut next = (end - first) as u32;
        for k in (first + 1..end).rev() {
            let weight = self.lines.weight[Token::new(k)];
            let at = (k - first) as u32;
            if weight != NOWHERE {
                while outer.pop_if(|row| row.0 > weight).is_some() {}
                self.places[k - first].outer = outer.last().map_or(at + 1, |row| row.1);
                outer.push((weight, at));
            }
            self.places[k - first].next = next;
            if weight != NOWHERE || self.places[k - first].is_broken {
                next = at;
            }
        }
    }

    /// True if a line ends in white space `w` before token `k`, unless a line is broken there because it is too
    /// long. `closed`: the token ends a bracket that a line ends behind; `written`: a line ended somewhere in the gap.
    fn line_ends(&self, k: usize, w: usize, closed: bool, written: bool) -> bool {
        let token = Token::new(k);
        let comments = self.gaps.comments(token);
        let ends = |w: usize| self.gaps.line_ends(self.text, token, w) > 0;
        if w > 0 && comments[w - 1].is_line {
            return true;
        }
        if self.kind(k) == TokenKind::End {
            // The last line ends, and a text does not begin with a line end.
            return if w == comments.len() { w > 0 || k > 0 } else { (w > 0 || k > 0) && ends(w) };
        }
        if closed || self.lines.before[token] == Before::Line && self.kind(k) == TokenKind::RBrace {
            return w == comments.len() || ends(w);
        }
        if self.lines.before[token] == Before::Line {
            return (w > 0 || k > 0) && if written { ends(w) } else { w == 0 };
        }
        if self.lines.keeps[token] {
            return ends(w);
        }
        // A comment on lines of its own stays there.
        match comments.len() {
            0 => false,
            last if w == last => ends(w) && ends(w - 1),
            _ => ends(w),
        }
    }

    /// Blanks for white space without a line end.
    fn blanks(&self, k: usize, w: usize) -> u32 {
        use TokenKind::*;
        let token = Token::new(k);
        let comments = self.gaps.comments(token).len();
        let before = k.checked_sub(1).map(|last| self.kind(last));
        let is_close = match () {
            () if comments == 0 => self.lines.before[token] != Before::Blank,
            () if w == 0 => matches!(before, None | Some(LParen | LBracket)),
            () if w == comments => matches!(self.kind(k), Comma | Semicolon | RParen | RBracket),
            () => false,
        };
        u32::from(!is_close)
    }

    /// Columns of the comments from `w` on before token `k`, with the blanks behind them.
    fn columns(&self, k: usize, w: usize) -> u32 {
        let token = Token::new(k);
        let rest = self.gaps.comments(token).iter().enumerate().skip(w);
        rest.map(|(c, comment)| gaps::columns(self.text, comment) + self.blanks(k, c + 1)).sum()
    }

    fn bytes(&self, span: Span) -> &[u8] {
        &self.text[span.start as usize..span.end as usize]
    }

    /// Edits the gap before token `k`, which stands at `column` if a line ends before it. Inside of a line:
    /// columns before comments on lines of their own, and whether the line is broken because it is too long.
    fn gap(&mut self, k: usize, column: u32, inside: Option<(u32, bool)>, is_closed: bool) {
        use TokenKind::*;
        let token = Token::new(k);
        let comments = self.gaps.comments(token).len();
        let closes = self.kind(k) == RBrace;
        let (content, is_cut) = match inside {
            Some((content, is_cut)) => (content, is_cut),
            None if closes => (column + STEP, false),
            None => (column, false),
        };
        let is_list = inside.is_none() || self.lines.keeps[token] || closes;
        // Only the first token of a line asks.
        let written = inside.is_none() && self.gaps.has_line_end(self.text, token);
        for w in 0..=comments {
            let is_last = w == comments;
            let ends = if is_cut { w == 0 } else { self.line_ends(k, w, is_closed, written) };
            let span = self.gaps.white(token, w);
            let columns = match (ends, is_last) {
                (false, _) => self.blanks(k, w),
                (true, true) => column,
                (true, false) => content,
            };
            // A blank line stays, but not at the start or the end of a block or list.
            let is_start = w == 0 && (k == 0 || self.kind(k - 1) == LBrace);
            let is_end = is_last && (closes || self.kind(k) == End);
            let blank =
                ends && is_list && !is_start && !is_end && self.gaps.line_ends(self.text, token, w) > 1;
            let columns = if k == 0 && w == 0 { 0 } else { columns };
            let comment = self.gaps.comments(token).get(w).copied();
            match comment {
                Some(comment) if w == 0 && k > 0 && !ends && comment.is_line => {
                    self.trailing.push(Trailing { white: span, line: self.ended, column: self.column });
                }
                _ => self.white(span, usize::from(ends) + usize::from(blank), columns),
            }
            if let Some(comment) = comment {
                self.comment(comment, (ends || k == 0 && w == 0).then_some(content));
            }
        }
    }

    /// White space as it should be.
    fn white(&mut self, span: Span, line_ends: usize, columns: u32) {
        self.ended += line_ends;
        let mut text = self.line_end.repeat(line_ends);
        text.extend(std::iter::repeat_n(' ', columns as usize));
        self.replace(span, &text);
    }

    /// What is the same at the start and the end is left alone.
    fn replace(&mut self, Span { start, end }: Span, text: &str) {
        let old = self.bytes(Span { start, end });
        let same = |(a, b): &(&u8, &u8)| a == b;
        let front = old.iter().zip(text.as_bytes()).take_while(same).count();
        let (old, new) = (&old[front..], &text[front..]);
        let back = old.iter().rev().zip(new.as_bytes().iter().rev()).take_while(same).count();
        if old.len() + new.len() > 2 * back {
            let span = Span { start: start + front as u32, end: end - back as u32 };
            let text = new[..new.len() - back].to_string();
            self.edits.push(Edit { span, text, applicability: Applicability::MachineApplicable });
        }
    }

    /// The lines of a comment: no blanks at their ends, and if each begins with a star, under that of the first.
    fn comment(&mut self, comment: Comment, column: Option<u32>) {
        let bytes = self.bytes(comment.span);
        if comment.is_line || !bytes.contains(&b'\n') {
            self.ended += memchr::memchr_iter(b'\n', bytes).count();
            return;
        }
        let starred =
            bytes.split(|&byte| byte == b'\n').skip(1).all(|line| line.trim_ascii_start().starts_with(b"*"));
        let column = column.filter(|_| starred);
        let mut whites: Vec<Span> = Vec::new();
        let start = comment.span.start as usize;
        for at in memchr::memchr_iter(b'\n', bytes) {
            let from = bytes[..at].trim_ascii_end().len();
            let behind = &bytes[at + 1..];
            let blanks = behind.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
            let until = if column.is_some() { at + 1 + blanks } else { at + 1 };
            // A blank line inside is the next line's.
            let from = from.max(whites.last().map_or(0, |last| last.end as usize - start));
            whites.push(Span::new(start + from, start + until));
        }
        for span in whites {
            self.white(span, 1, column.map_or(0, |column| column + 1));
        }
    }

    /// What is between a comment that switches formatting off and one that switches it on.
    fn switched_off(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut from = None;
        for token in self.tokens.kind.keys() {
            for comment in self.gaps.comments(token) {
                let text = self.bytes(comment.span);
                let text = text.trim_ascii_end().strip_suffix(b"*/").unwrap_or(text);
                let text = text.get(2..).unwrap_or_default().trim_ascii();
                let Some((_, on)) = SWITCHES.iter().find(|row| row.0.as_bytes() == text) else { continue };
                match (on, from) {
                    (false, None) => from = Some(comment.span.end),
                    (true, Some(start)) => {
                        spans.push(Span { start, end: comment.span.start });
                        from = None;
                    }
                    _ => {}
                }
            }
        }
        spans.extend(from.map(|start| Span { start, end: self.text.len() as u32 }));
        spans
    }
}
