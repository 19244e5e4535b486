//! What a name is: its declaration, its value, the comment in front of a function, and what the runtime
//! library's functions do. Signatures while a call is written.

use super::documents::Document;
use super::index::{Entry, call_around, declaration, name};
use super::library;
use super::positions::Columns;
use super::{Answer, offset_of};
use crate::driver::session::Session;
use crate::sema::SymbolKind;
use crate::source::SourceFile;
use serde_json::{Value, json};

/// Bytes of a comment that are shown.
const SHOWN: usize = 2000;

pub(super) fn hover(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let offset = offset_of(document, params)?;
    let units = document.units;
    let (file, index) = document.known(session);
    let Some(found) = index.use_at(offset) else { return Ok(Value::Null) };
    let entry = &index.entries[found.entry as usize];
    let mut text = format!("```sysy\n{}\n```", shown(&declaration(index, found.entry, file), entry));
    let what = match entry.kind {
        SymbolKind::GlobalVar => "global variable",
        SymbolKind::LocalVar => "local variable",
        SymbolKind::Param => "parameter",
        SymbolKind::GlobalConst | SymbolKind::LocalConst => "constant",
        SymbolKind::Func => "function",
        SymbolKind::RuntimeFunc => "function of the runtime library",
        SymbolKind::Error => "",
    };
    text.push_str(&format!("\n\n{what}"));
    if let Some(row) = library::find(entry.library_name) {
        text.push_str(&format!("\n\n{}", row.does));
    } else if let Some(comment) = entry.declared.and_then(|span| comment_before(file, span.start)) {
        text.push_str(&format!("\n\n{comment}"));
    }
    let range = Columns::new(file, units).range(found.span);
    Ok(json!({ "contents": { "kind": "markdown", "value": text }, "range": range }))
}

/// A declaration, or for the runtime library's functions the row's.
fn shown(declaration: &str, entry: &Entry) -> String {
    library::find(entry.library_name).map_or_else(|| declaration.to_string(), library::Row::signature)
}

/// The comment that ends on the line above a declaration, or on the same line in front of it. Without its signs.
fn comment_before(file: &SourceFile, declared: u32) -> Option<String> {
    let line = file.line(declared);
    let mut first = line;
    while first > 1 && text(file, first - 1).starts_with("//") {
        first -= 1;
    }
    if first < line {
        let lines = (first..line).map(|line| text(file, line).trim_start_matches('/').trim());
        return Some(cut(&lines.collect::<Vec<_>>().join("\n")));
    }
    if line == 1 || !text(file, line - 1).ends_with("*/") {
        return None;
    }
    let end = file.line_range(line - 1).end;
    let before = &file.text[end.saturating_sub(SHOWN)..end];
    let opens = memchr::memmem::rfind(before, b"/*")?;
    let inside = String::from_utf8_lossy(&before[opens + 2..]).into_owned();
    let inside = inside.trim_end().trim_end_matches('/').trim_end_matches('*');
    let lines = inside.lines().map(|line| line.trim().trim_start_matches('*').trim());
    Some(cut(lines.collect::<Vec<_>>().join("\n").trim()))
}

/// A line without the blanks around it.
fn text(file: &SourceFile, line: u32) -> &str {
    let line = file.text.get(file.line_range(line)).unwrap_or_default();
    std::str::from_utf8(line).unwrap_or_default().trim()
}

fn cut(text: &str) -> String {
    let end = (0..=SHOWN.min(text.len())).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0);
    text[..end].to_string()
}

/// The signature of the call that is written at a position.
pub(super) fn signature(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let offset = offset_of(document, params)?;
    let (file, index) = document.known(session);
    let call = index.token_before(offset).and_then(|last| call_around(&index.tokens, last, offset));
    let Some((token, commas)) = call else { return Ok(Value::Null) };
    let start = index.tokens.start[token];
    let Some(found) = index.use_at(start).filter(|found| found.span.start == start) else {
        return Ok(Value::Null);
    };
    let entry = &index.entries[found.entry as usize];
    let (label, names, does) = match library::find(entry.library_name) {
        Some(row) => {
            (row.signature(), row.params.iter().map(ToString::to_string).collect(), row.does.to_string())
        }
        None if entry.kind == SymbolKind::Func => {
            let params = index.params(found.entry).iter();
            let names: Vec<String> =
                params.map(|param| format!("{} {}{}", param.ty, name(param, file), param.dims)).collect();
            let comment = entry.declared.and_then(|span| comment_before(file, span.start));
            (declaration(index, found.entry, file), names, comment.unwrap_or_default())
        }
        None => return Ok(Value::Null),
    };
    let last = names.len().saturating_sub(1) as u32;
    let active = if names.last().is_some_and(|name| name == "...") { commas.min(last) } else { commas };
    let parameters: Vec<Value> = names.iter().map(|name| json!({ "label": name })).collect();
    let signature = json!({ "label": label, "parameters": parameters, "documentation": does });
    Ok(json!({ "signatures": [signature], "activeSignature": 0, "activeParameter": active }))
}
