//! Hints that editors show between the words of a text: the names of parameters at calls, the lengths of arrays and the values
//! of constants where they are computed. O(tokens and names of the range).

use super::documents::Document;
use super::index::{Entry, Index, Use, name};
use super::positions::{self, Columns};
use super::{Answer, Refused, library};
use crate::base::Handle;
use crate::driver::session::Session;
use crate::sema::{Const, SymbolKind};
use crate::source::SourceFile;
use crate::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};

/// Hints that are given, at most.
const MOST: usize = 5000;

/// So many tokens of a call are looked at: calls in calls would be read once each.
const NEAR: usize = 1 << 10;

/// `InlayHintKind`.
const TYPE: u32 = 1;
const PARAMETER: u32 = 2;

pub(super) fn hints(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let units = document.units;
    let range = positions::span(&params["range"], &document.file, units).ok_or_else(Refused::params)?;
    let (file, index) = document.known(session);
    // Offset, what is shown there, what it is.
    let mut found: Vec<(u32, String, u32)> = Vec::new();
    let first = index.uses.partition_point(|u| u.span.end < range.start);
    for u in index.uses[first..].iter().take_while(|u| u.span.start <= range.end) {
        let entry = &index.entries[u.entry as usize];
        let Some(token) = index.token_before(u.span.start) else { continue };
        match entry.kind {
            SymbolKind::Func | SymbolKind::RuntimeFunc if !u.declares => {
                arguments(file, index, u, token, &mut found);
            }
            SymbolKind::Func | SymbolKind::RuntimeFunc | SymbolKind::Error => {}
            _ if u.declares => declared(file, index, entry, token, &mut found),
            _ => {}
        }
    }
    found.retain(|(at, ..)| (range.start..=range.end).contains(at));
    found.sort_by_key(|hint| hint.0);
    let mut columns = Columns::new(file, units);
    let hint = |(at, label, kind): &(u32, String, u32)| {
        let is_parameter = *kind == PARAMETER;
        json!({
            "position": columns.position(*at),
            "label": label,
            "kind": kind,
            "paddingLeft": !is_parameter,
            "paddingRight": is_parameter,
        })
    };
    Ok(found.iter().take(MOST).map(hint).collect())
}

/// Names of the parameters of a call, but where the argument has the same name or there is nothing to be told.
fn arguments(file: &SourceFile, index: &Index, u: &Use, token: usize, found: &mut Vec<(u32, String, u32)>) {
    let entry = &index.entries[u.entry as usize];
    let names: Vec<&str> = match library::find(entry.library_name) {
        // What a function prints or reads needs no name if it is all there is.
        Some(row) if row.params.len() < 2 => return,
        Some(row) => row.params.iter().map(|param| word(param)).collect(),
        None => index.params(u.entry).iter().map(|param| name(param, file)).collect(),
    };
    let kinds = index.tokens.kind.as_slice();
    if kinds.get(token + 1) != Some(&TokenKind::LParen) {
        return;
    }
    let (mut depth, mut names) = (0u32, names.into_iter());
    let mut begins = true;
    for k in (token + 2..kinds.len()).take(NEAR) {
        if begins && kinds[k] != TokenKind::RParen {
            let Some(param) = names.next() else { return };
            let at = Token::new(k);
            let alone = matches!(kinds.get(k + 1), Some(TokenKind::Comma | TokenKind::RParen));
            let is_same = alone && index.tokens.text(&file.text, at) == param.as_bytes();
            if !is_same && !param.is_empty() && kinds[k] != TokenKind::StringLiteral {
                found.push((index.tokens.start[at], format!("{param}:"), PARAMETER));
            }
            if names.len() == 0 {
                return;
            }
        }
        begins = depth == 0 && kinds[k] == TokenKind::Comma;
        match kinds[k] {
            TokenKind::LParen | TokenKind::LBracket => depth += 1,
            TokenKind::RParen | TokenKind::RBracket if depth == 0 => return,
            TokenKind::RParen | TokenKind::RBracket => depth -= 1,
            TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace | TokenKind::End => return,
            _ => {}
        }
    }
}

/// The name in `int a[]`; none in `...` and `"format"`.
fn word(param: &str) -> &str {
    let name = param.rsplit(' ').next().unwrap_or_default().trim_end_matches("[]");
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) { name } else { "" }
}

/// The lengths and the value of what is declared, where more than a number stands there.
fn declared(
    file: &SourceFile,
    index: &Index,
    entry: &Entry,
    token: usize,
    found: &mut Vec<(u32, String, u32)>,
) {
    let kinds = index.tokens.kind.as_slice();
    let is_number = |first: usize, end: usize| {
        let signed = matches!(kinds.get(first), Some(TokenKind::Minus | TokenKind::Plus));
        let literal = kinds.get(first + usize::from(signed));
        end <= first + usize::from(signed) + 1
            && matches!(literal, Some(TokenKind::IntLiteral | TokenKind::FloatLiteral))
    };
    let mut lengths = entry.dims.split(['[', ']']).filter(|text| !text.is_empty());
    let mut k = token + 1;
    while kinds.get(k) == Some(&TokenKind::LBracket) {
        let Some(end) = ends(kinds, k + 1, &[TokenKind::RBracket]) else { return };
        // The first of a parameter has no length.
        if end > k + 1 {
            let Some(length) = lengths.next() else { return };
            if !is_number(k + 1, end) {
                found.push((index.tokens.start[Token::new(end)], format!("= {length}"), TYPE));
            }
        }
        k = end + 1;
    }
    let value = match entry.value {
        Some(Const::Int(value)) => value.to_string(),
        Some(Const::Float(value)) => format!("{value:?}"),
        None => return,
    };
    if kinds.get(k) == Some(&TokenKind::Assign)
        && let Some(end) = ends(kinds, k + 1, &[TokenKind::Comma, TokenKind::Semicolon])
        && !is_number(k + 1, end)
    {
        let at = index.tokens.span(&file.text, Token::new(end - 1)).end;
        found.push((at, format!("= {value}"), TYPE));
    }
}

/// The token from `from` on, outside of brackets, that is one of these.
fn ends(kinds: &[TokenKind], from: usize, wanted: &[TokenKind]) -> Option<usize> {
    let mut depth = 0u32;
    for (k, kind) in kinds.iter().enumerate().skip(from) {
        match kind {
            kind if depth == 0 && wanted.contains(kind) => return Some(k),
            TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => depth += 1,
            TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => depth = depth.checked_sub(1)?,
            TokenKind::Semicolon => return None,
            _ => {}
        }
    }
    None
}
