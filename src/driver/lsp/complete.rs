//! What can be written at a position: names in scope (of equal ones the innermost), the runtime library's
//! functions with their signatures, keywords. O(names of the document).

use super::documents::Document;
use super::index::{Entry, Index, declaration, name};
use super::{Answer, library, offset_of};
use crate::base::Handle;
use crate::driver::session::Session;
use crate::sema::SymbolKind;
use crate::source::SourceFile;
use crate::syntax::token::{Token, TokenKind};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Items that are given, at most.
const MOST: usize = 500;

/// What a keyword may be followed by.
pub(super) fn keywords() -> impl Iterator<Item = TokenKind> {
    use TokenKind::{Break, Const, Continue, Else, Float, If, Int, Return, Void, While};
    [Const, Int, Float, Void, If, Else, While, Break, Continue, Return].into_iter()
}

pub(super) fn complete(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let offset = offset_of(document, params)?;
    let (file, index) = document.known(session);
    let before = &file.text[..offset as usize];
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = before.iter().rev().take(256).take_while(is_word).count();
    let start = offset as usize - length;
    let prefix = String::from_utf8_lossy(&before[start..]).to_ascii_lowercase();
    if prefix.starts_with(|c: char| c.is_ascii_digit()) || is_no_code(file, index, start as u32) {
        return Ok(json!([]));
    }
    let fits = |name: &str| {
        name.len() >= prefix.len() && name.as_bytes()[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
    };
    // Of equal names the one that begins last is the innermost, and what is being declared is none yet.
    let mut found: BTreeMap<&str, u32> = BTreeMap::new();
    for (k, entry) in index.entries.iter().enumerate() {
        let seen = entry.scope.start <= start as u32 && start as u32 <= entry.scope.end;
        let here = entry.declared.is_some_and(|span| span.start == start as u32);
        let text = name(entry, file);
        if !seen || here || text.is_empty() || entry.kind == SymbolKind::Error || !fits(text) {
            continue;
        }
        let inner = |&other: &u32| index.entries[other as usize].scope.start <= entry.scope.start;
        if found.get(text).is_none_or(inner) {
            found.insert(text, k as u32);
        }
    }
    let is_incomplete = found.len() > MOST;
    let mut items: Vec<Value> = found
        .iter()
        .take(MOST)
        .map(|(text, &k)| item(text, &index.entries[k as usize], &declaration(index, k, file)))
        .collect();
    // To the lexer the dialect's words are names.
    for keyword in
        keywords().map(TokenKind::spelling).chain(["for", "do", "tensor"]).filter(|keyword| fits(keyword))
    {
        items.push(json!({ "label": keyword, "kind": 14, "sortText": format!("2{keyword}") }));
    }
    Ok(json!({ "isIncomplete": is_incomplete, "items": items }))
}

fn item(text: &str, entry: &Entry, declaration: &str) -> Value {
    let (kind, order) = match entry.kind {
        SymbolKind::Func | SymbolKind::RuntimeFunc => (3, 1),
        SymbolKind::GlobalConst | SymbolKind::LocalConst => (21, 0),
        _ => (6, 0),
    };
    let mut item =
        json!({ "label": text, "kind": kind, "sortText": format!("{order}{text}"), "detail": declaration });
    if let Some(row) = library::find(entry.library_name) {
        item["detail"] = json!(row.signature());
        item["documentation"] = json!(row.does);
    }
    item
}

/// True in a comment or a string.
fn is_no_code(file: &SourceFile, index: &Index, offset: u32) -> bool {
    let Some(last) = index.token_before(offset.saturating_sub(1)).map(Token::new) else {
        return has_comment(file, 0, offset);
    };
    let end = index.tokens.span(&file.text, last).end;
    if index.tokens.kind[last] == TokenKind::End {
        let before = last_before(index, last).map_or(0, |token| index.tokens.span(&file.text, token).end);
        return has_comment(file, before, offset);
    }
    if end > offset {
        return index.tokens.kind[last] == TokenKind::StringLiteral;
    }
    has_comment(file, end, offset)
}

fn last_before(index: &Index, token: Token) -> Option<Token> {
    let k = token.index().checked_sub(1)?;
    (k < index.tokens.kind.len()).then(|| Token::new(k))
}

/// True if an offset is in a comment that begins behind the token that ends at `from`.
fn has_comment(file: &SourceFile, from: u32, offset: u32) -> bool {
    let gap = file.text.get(from as usize..offset as usize).unwrap_or_default();
    let mut at = 0;
    while at < gap.len() {
        let (closes, opened) = match &gap[at..] {
            [b'/', b'/', ..] => (memchr::memchr(b'\n', &gap[at..]).map(|n| n + 1), true),
            [b'/', b'*', ..] => (memchr::memmem::find(&gap[at + 2..], b"*/").map(|n| n + 4), true),
            _ => (Some(1), false),
        };
        match closes {
            Some(length) => at += length,
            None => return opened,
        }
    }
    false
}
