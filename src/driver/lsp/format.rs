//! Formatting of a document, of a range, and as one types: the edits of `sysyc fmt`, or those in a range. A text with a syntax
//! error is left alone, but for where a new line begins, which braces tell.

use super::documents::Document;
use super::positions::{self, Columns};
use super::{Answer, Refused, offset_of};
use crate::base::Handle;
use crate::driver::session::Session;
use crate::format::{self, STEP};
use crate::source::{Edit, Span};
use crate::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

/// What is typed that something is formatted behind.
pub(super) const TYPED: [&str; 3] = ["}", ";", "\n"];

/// `TextEdit`s.
fn text_edits<'a>(document: &Document, edits: impl Iterator<Item = &'a Edit>) -> Value {
    let mut columns = Columns::new(&document.file, document.units);
    edits.map(|edit| json!({ "range": columns.range(edit.span), "newText": edit.text })).collect()
}

pub(super) fn whole(session: &Session, document: &mut Document, _: &Value) -> Answer {
    let edits = format::edits(&document.file, session.options.standard).unwrap_or_default();
    Ok(text_edits(document, edits.iter()))
}

pub(super) fn range(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let range =
        positions::span(&params["range"], &document.file, document.units).ok_or_else(Refused::params)?;
    Ok(inside(session, document, range))
}

/// The edits that begin in a range, or in the blanks before its first line.
fn inside(session: &Session, document: &Document, range: Span) -> Value {
    let file = &document.file;
    let start = file.line_range(file.line(range.start)).start as u32;
    // What is put at its end is the next line's, unless there is none.
    let end = if range.end as usize == file.text.len() { u32::MAX } else { range.end };
    let edits = format::edits(file, session.options.standard).unwrap_or_default();
    let is_inside = |Edit { span, .. }: &&Edit| (span.start >= start || span.end > start) && span.start < end;
    text_edits(document, edits.iter().filter(is_inside))
}

/// Behind `}` the block, behind `;` the statement, behind a line end where the new line begins.
pub(super) fn typed(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let offset = offset_of(document, params)?;
    let typed = params["ch"].as_str().unwrap_or_default();
    let (_, index) = document.known(session);
    if typed == "\n" {
        return Ok(new_line(document, offset));
    }
    let Some(last) = index.token_before(offset.saturating_sub(1)) else { return Ok(json!([])) };
    let kinds = index.tokens.kind.as_slice();
    let wanted = if typed == "}" { TokenKind::RBrace } else { TokenKind::Semicolon };
    // Not one in a comment.
    if kinds[last] != wanted || index.tokens.start[Token::new(last)] + 1 != offset {
        return Ok(json!([]));
    }
    let mut depth = 0u32;
    let begins = |k: &usize| {
        match kinds[*k] {
            TokenKind::RBrace if typed == "}" => depth += 1,
            TokenKind::LBrace if typed == "}" => {
                depth -= 1;
                return depth == 0;
            }
            TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semicolon if typed != "}" => return *k < last,
            _ => {}
        }
        false
    };
    let first = (0..=last).rev().find(begins).map_or(0, |k| if typed == "}" { k } else { k + 1 });
    let start = index.tokens.start[Token::new(first)];
    Ok(inside(session, document, Span { start, end: offset }))
}

/// The blanks of a line that has just begun: a step a block that is open, less if the line ends one.
fn new_line(document: &Document, offset: u32) -> Value {
    let (Some((file, index)), units) = (document.read(), document.units) else { return json!([]) };
    let starts = index.tokens.start.as_slice();
    let next = starts.partition_point(|&start| start < offset);
    let depth = index.tokens.kind.as_slice()[..next].iter().fold(0u32, |depth, kind| match kind {
        TokenKind::LBrace => depth + 1,
        TokenKind::RBrace => depth.saturating_sub(1),
        _ => depth,
    });
    let line = file.line_range(file.line(offset));
    let text = &file.text[line.clone()];
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let closes = text.get(blanks) == Some(&b'}');
    let wanted = " ".repeat((STEP * depth.saturating_sub(u32::from(closes))) as usize);
    if text[..blanks] == *wanted.as_bytes() {
        return json!([]);
    }
    let span = Span::new(line.start, line.start + blanks);
    json!([{ "range": Columns::new(file, units).range(span), "newText": wanted }])
}
