//! The shape of a document: its symbols, what can be folded, and tokens by what they mean.

use super::documents::Document;
use super::index::{declaration, name};
use super::positions::{self, Columns, Place};
use super::workspace::symbol_kind;
use super::{Answer, Refused};
use crate::base::Handle;
use crate::driver::session::Session;
use crate::sema::SymbolKind;
use crate::source::Span;
use crate::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

/// The legend of semantic tokens.
pub(super) const TYPES: [&str; 6] = ["variable", "parameter", "function", "keyword", "number", "string"];
pub(super) const MODIFIERS: [&str; 3] = ["declaration", "readonly", "defaultLibrary"];

/// Globals and functions, in the order of the text.
pub(super) fn symbols(session: &Session, document: &mut Document, _: &Value) -> Answer {
    let units = document.units;
    let (file, index) = document.known(session);
    let mut columns = [Columns::new(file, units), Columns::new(file, units)];
    let symbol = |&(k, span): &(u32, Span)| {
        let entry = &index.entries[k as usize];
        let name = name(entry, file);
        let declared = entry.declared.filter(|_| !name.is_empty())?;
        Some(json!({
            "name": name,
            "detail": declaration(index, k, file),
            "kind": symbol_kind(entry),
            "range": columns[0].range(span.to(declared)),
            "selectionRange": columns[1].range(declared),
        }))
    };
    Ok(index.globals.iter().filter_map(symbol).collect())
}

/// Braces over several lines.
pub(super) fn folding(session: &Session, document: &mut Document, _: &Value) -> Answer {
    let (file, index) = document.known(session);
    let (mut open, mut ranges) = (Vec::new(), Vec::new());
    for (k, kind) in index.tokens.kind.as_slice().iter().enumerate() {
        match kind {
            TokenKind::LBrace => open.push(file.line(index.tokens.start[Token::new(k)])),
            TokenKind::RBrace => {
                let line = file.line(index.tokens.start[Token::new(k)]);
                // The line of the `}` stays.
                if let Some(first) = open.pop().filter(|&first| line > first + 1) {
                    ranges.push(json!({ "startLine": first - 1, "endLine": line - 2 }));
                }
            }
            _ => {}
        }
    }
    Ok(Value::Array(ranges))
}

/// Names by what they stand for, keywords, numbers and strings; of the whole text or a range.
pub(super) fn tokens(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let range = match params.get("range") {
        Some(range) => positions::span(range, &document.file, document.units).ok_or_else(Refused::params)?,
        None => Span::new(0, document.file.text.len()),
    };
    let units = document.units;
    let (file, index) = document.known(session);
    let mut columns = Columns::new(file, units);
    let mut uses = index.uses.iter().skip_while(|u| u.span.end < range.start).peekable();
    let (mut data, mut last) = (Vec::new(), Place { line: 0, character: 0 });
    let first = index.tokens.start.as_slice().partition_point(|&start| start < range.start);
    for k in first..index.tokens.kind.len() {
        let (token, kind) = (Token::new(k), index.tokens.kind[Token::new(k)]);
        let start = index.tokens.start[token];
        if start > range.end {
            break;
        }
        while uses.next_if(|u| u.span.start < start).is_some() {}
        let (ty, modifiers) = match kind {
            TokenKind::IntLiteral | TokenKind::FloatLiteral => (4, 0),
            TokenKind::StringLiteral => (5, 0),
            TokenKind::Ident => {
                let found = uses.next_if(|u| u.span.start == start);
                let declares = found.map_or(0, |found| u32::from(found.declares));
                match found.map(|found| index.entries[found.entry as usize].kind) {
                    Some(SymbolKind::Param) => (1, declares),
                    Some(SymbolKind::Func) => (2, declares),
                    Some(SymbolKind::RuntimeFunc) => (2, 4),
                    Some(SymbolKind::GlobalConst | SymbolKind::LocalConst) => (0, declares | 2),
                    Some(_) => (0, declares),
                    None if index.tokens.text(&file.text, token) == b"tensor" => (3, 0),
                    None => continue,
                }
            }
            kind if kind.spelling().starts_with(|c: char| c.is_ascii_alphabetic()) => (3, 0),
            _ => continue,
        };
        let Span { end, .. } = index.tokens.span(&file.text, token);
        let place = columns.place(start);
        // What `mend` put there has no text of its own; and a token of several lines cannot be told.
        let same = kind.spelling().is_empty()
            || file.text.get(start as usize..end as usize) == Some(kind.spelling().as_bytes());
        let until = columns.place(end);
        let moved = (place.line, place.character) >= (last.line, last.character);
        if !same || until.line != place.line || !moved || (place == last && !data.is_empty()) {
            continue;
        }
        let line = place.line - last.line;
        let character = if line == 0 { place.character - last.character } else { place.character };
        data.extend([line, character, until.character - place.character, ty, modifiers]);
        last = place;
    }
    Ok(json!({ "data": data }))
}
