//! What is asked of all documents: those that are open, and the sources in the workspace's folders. Symbols by a part of their
//! name; what a name that one document declares is in another; calls of functions, and from them.
//!
//! Files are read when they are first asked for, and again when they have changed. Of two programs in one folder each has its
//! own names: a document that only declares a name stands with all that define it, one that defines it with
//! those that only declare it. O(names of all documents) a question.

use super::documents::{Document, Documents, Other};
use super::index::{Entry, Index, declaration, name};
use super::positions::Columns;
use super::{Answer, Refused, offset_of};
use crate::driver::session::Session;
use crate::driver::walk;
use crate::sema::SymbolKind;
use crate::source::{SourceFile, Span};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Sources that are read, files that are looked at, and bytes of a source, at most.
const MOST_SOURCES: usize = 2000;
const MOST_FILES: usize = 50_000;
const LONGEST: u64 = 1 << 22;
/// Symbols that are given, at most.
const MOST_SYMBOLS: usize = 1000;

/// The path of a URI, if it is a file's.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = &rest.as_bytes()[rest.find('/')?..];
    let (mut bytes, mut k) = (Vec::with_capacity(rest.len()), 0);
    while let Some(&byte) = rest.get(k) {
        let digits = rest.get(k + 1..k + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| byte == b'%') {
            Some(value) => {
                bytes.push(value);
                k += 3;
            }
            None => {
                bytes.push(byte);
                k += 1;
            }
        }
    }
    Some(String::from_utf8(bytes).ok()?.into())
}

/// The URI of a file.
pub(super) fn uri_of(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

impl Documents {
    /// Reads what has changed in the folders, and the names of all documents.
    pub(super) fn read_all(&mut self, session: &Session) {
        let open: Vec<PathBuf> = self.open.keys().filter_map(|uri| path_of(uri)).collect();
        let mut old = std::mem::take(&mut self.others);
        for path in walk::sources(&self.folders, MOST_FILES).0.into_iter().take(MOST_SOURCES) {
            let Ok(meta) = std::fs::metadata(&path) else { continue };
            let stamp = (meta.len(), meta.modified().ok());
            if open.contains(&path) || meta.len() > LONGEST {
                continue;
            }
            let uri = uri_of(&path);
            let other = match old.remove(&uri).filter(|other| other.stamp == stamp) {
                Some(other) => other,
                None => {
                    let Ok(bytes) = std::fs::read(&path) else { continue };
                    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).to_vec();
                    Other { stamp, document: Document::new(&uri, None, text, self.units) }
                }
            };
            self.others.insert(uri, other);
        }
        let others = self.others.values_mut().map(|other| &mut other.document);
        for document in self.open.values_mut().chain(others) {
            document.known(session);
        }
    }

    /// All documents whose names have been read, the open ones first.
    fn all(&self) -> impl Iterator<Item = (&Document, &SourceFile, &Index)> {
        let others = self.others.values().map(|other| &other.document);
        self.open.values().chain(others).filter_map(|document| {
            let (file, index) = document.read()?;
            Some((document, file, index))
        })
    }

    pub(super) fn one(&self, uri: &str) -> Result<(&Document, &SourceFile, &Index), Refused> {
        let document = self.open.get(uri).or_else(|| self.others.get(uri).map(|other| &other.document));
        let read = document.and_then(|document| Some((document, document.read()?)));
        let (document, (file, index)) = read.ok_or_else(|| Refused::failed("the document is not there"))?;
        Ok((document, file, index))
    }

    /// What an entry of a document is in all documents: itself, and globals of its name. Which it is defined by come first.
    pub(super) fn same(&self, uri: &str, entry: u32) -> Vec<(&Document, &SourceFile, &Index, u32)> {
        let Ok((document, file, index)) = self.one(uri) else { return Vec::new() };
        let own = &index.entries[entry as usize];
        let mut found = vec![(document, file, index, entry)];
        if is_global(own) {
            let wanted = |other: &Entry, file: &SourceFile| {
                is_global(other)
                    && (other.kind == SymbolKind::Func) == (own.kind == SymbolKind::Func)
                    && (own.is_declared || other.is_declared)
                    && name(other, file) == name(own, found[0].1)
            };
            let mut others = Vec::new();
            for (document, file, index) in self.all().filter(|(document, ..)| document.uri != uri) {
                let entries = index.entries.iter().zip(0..);
                let mut same = entries.filter(|(other, _)| wanted(other, file));
                // Of several prototypes the first is what the others stand for.
                let chosen = same.clone().find(|(other, _)| !other.is_declared).or_else(|| same.next());
                others.extend(chosen.map(|(_, k)| (document, file, index, k)));
            }
            found.extend(others);
        }
        found.sort_by_key(|(_, _, index, k)| index.entries[*k as usize].is_declared);
        found
    }

    /// The documents that define what has an entry's name outside of functions, in order.
    pub(super) fn definers(&self, uri: &str, entry: u32) -> Vec<&Document> {
        let Ok((_, own_file, own_index)) = self.one(uri) else { return Vec::new() };
        let own = &own_index.entries[entry as usize];
        let defines = |file: &SourceFile, index: &Index| {
            let mut globals = index.globals.iter().map(|global| &index.entries[global.0 as usize]);
            globals.any(|other| {
                is_global(other) && !other.is_declared && name(other, file) == name(own, own_file)
            })
        };
        let mut found: Vec<&Document> =
            self.all().filter(|(_, file, index)| defines(file, index)).map(|row| row.0).collect();
        found.sort_by_key(|document| &document.uri);
        found
    }
}

/// True of what other sources can name.
pub(super) fn is_global(entry: &Entry) -> bool {
    let is_kind = matches!(entry.kind, SymbolKind::Func | SymbolKind::GlobalVar | SymbolKind::GlobalConst);
    is_kind && entry.declared.is_some()
}

/// The document and the entry that a request with a position is about.
pub(super) fn asked(
    session: &Session,
    documents: &mut Documents,
    params: &Value,
) -> Result<Option<(String, u32)>, Refused> {
    let uri = params["textDocument"]["uri"].as_str().ok_or_else(Refused::params)?;
    let document = documents.open.get_mut(uri).ok_or_else(|| Refused::failed("the document is not open"))?;
    let offset = offset_of(document, params)?;
    let (_, index) = document.known(session);
    Ok(index.use_at(offset).map(|found| (uri.to_string(), found.entry)))
}

/// A `Location`.
fn location(document: &Document, file: &SourceFile, span: Span) -> Value {
    json!({ "uri": document.uri, "range": Columns::new(file, document.units).range(span) })
}

/// Where a name is defined; of what is only declared here, in other sources.
pub(super) fn definition(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let Some((uri, entry)) = asked(session, documents, params)? else { return Ok(Value::Null) };
    let is_declared = documents.one(&uri)?.2.entries[entry as usize].is_declared;
    if is_declared {
        documents.read_all(session);
    }
    let own = documents.one(&uri)?;
    let mut found = vec![(own.0, own.1, own.2, entry)];
    if is_declared {
        let others = documents.same(&uri, entry);
        if others.iter().any(|(_, _, index, k)| !index.entries[*k as usize].is_declared) {
            found = others;
            found.retain(|(_, _, index, k)| !index.entries[*k as usize].is_declared);
        }
    }
    let places = found.iter().filter_map(|(document, file, index, k)| {
        Some(location(document, file, index.entries[*k as usize].declared?))
    });
    Ok(one_or_all(places.collect()))
}

/// One location by itself, several as a list.
fn one_or_all(mut places: Vec<Value>) -> Value {
    match places.len() {
        0 | 1 => places.pop().unwrap_or(Value::Null),
        _ => Value::Array(places),
    }
}

/// Where a name is first declared in its document.
pub(super) fn first_declaration(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let Some((uri, entry)) = asked(session, documents, params)? else { return Ok(Value::Null) };
    let (document, file, index) = documents.one(&uri)?;
    let first = index.uses_of(entry).find(|u| u.declares).map(|u| location(document, file, u.span));
    Ok(first.unwrap_or(Value::Null))
}

/// All uses of a name, in all documents.
pub(super) fn references(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let Some((uri, entry)) = asked(session, documents, params)? else { return Ok(json!([])) };
    if is_global(&documents.one(&uri)?.2.entries[entry as usize]) {
        documents.read_all(session);
    }
    let declared = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
    let mut places = Vec::new();
    for (document, file, index, k) in documents.same(&uri, entry) {
        let mut columns = Columns::new(file, document.units);
        let uses = index.uses_of(k).filter(|u| declared || !u.declares);
        places.extend(uses.map(|u| json!({ "uri": document.uri, "range": columns.range(u.span) })));
    }
    Ok(Value::Array(places))
}

/// What is asked for with a part of its name, its letters in order.
pub(super) fn symbols(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let query = params["query"].as_str().ok_or_else(Refused::params)?.to_ascii_lowercase();
    documents.read_all(session);
    let fits = |name: &str| {
        let mut letters = name.bytes().map(|byte| byte.to_ascii_lowercase());
        query.bytes().all(|wanted| letters.any(|letter| letter == wanted))
    };
    let mut found = Vec::new();
    for (document, file, index) in documents.all() {
        let path = path_of(&document.uri);
        let container =
            path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        for &(k, _) in &index.globals {
            let entry = &index.entries[k as usize];
            let (name, Some(span)) = (name(entry, file), entry.declared) else { continue };
            if found.len() < MOST_SYMBOLS && !name.is_empty() && fits(name) {
                found.push(json!({
                    "name": name,
                    "kind": symbol_kind(entry),
                    "location": location(document, file, span),
                    "containerName": container,
                }));
            }
        }
    }
    Ok(Value::Array(found))
}

/// `SymbolKind` of the protocol.
pub(super) fn symbol_kind(entry: &Entry) -> u32 {
    match entry.kind {
        SymbolKind::Func => 12,
        SymbolKind::GlobalConst => 14,
        _ => 13,
    }
}

// ---- Calls ------------------------------------------------------------------------------------------------

/// A `CallHierarchyItem`: a function where it is defined, or else declared.
fn item(document: &Document, file: &SourceFile, index: &Index, k: u32) -> Option<Value> {
    let declared = index.entries[k as usize].declared?;
    let whole = index.globals.iter().find(|global| global.0 == k).map_or(declared, |global| global.1);
    let mut columns = Columns::new(file, document.units);
    let mut range = |span| columns.range(span);
    Some(json!({
        "name": name(&index.entries[k as usize], file),
        "kind": 12,
        "detail": declaration(index, k, file),
        "uri": document.uri,
        "range": range(whole),
        "selectionRange": range(declared),
    }))
}

pub(super) fn prepare(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let Some((uri, entry)) = asked(session, documents, params)? else { return Ok(Value::Null) };
    if documents.one(&uri)?.2.entries[entry as usize].kind != SymbolKind::Func {
        return Ok(Value::Null);
    }
    documents.read_all(session);
    let same = documents.same(&uri, entry);
    let found = same.first().and_then(|(document, file, index, k)| item(document, file, index, *k));
    Ok(found.map_or(Value::Null, |item| json!([item])))
}

/// The function that an item is.
fn function(session: &Session, documents: &mut Documents, params: &Value) -> Result<(String, u32), Refused> {
    documents.read_all(session);
    let item = &params["item"];
    let uri = item["uri"].as_str().ok_or_else(Refused::params)?;
    let (document, file, index) = documents.one(uri)?;
    let span =
        super::positions::span(&item["selectionRange"], file, document.units).ok_or_else(Refused::params)?;
    let found = index.use_at(span.start).ok_or_else(|| Refused::failed("the function has gone"))?;
    Ok((uri.to_string(), found.entry))
}

/// Who calls a function, and where.
pub(super) fn incoming(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let (uri, entry) = function(session, documents, params)?;
    let mut calls = Vec::new();
    for (document, file, index, k) in documents.same(&uri, entry) {
        let mut callers: Vec<(u32, Vec<Span>)> = Vec::new();
        for u in index.uses_of(k).filter(|u| !u.declares) {
            let Some((caller, _)) = index.global_at(u.span.start) else { continue };
            match callers.last_mut().filter(|last| last.0 == caller) {
                Some(last) => last.1.push(u.span),
                None => callers.push((caller, vec![u.span])),
            }
        }
        for (caller, spans) in callers {
            let mut columns = Columns::new(file, document.units);
            let ranges: Vec<Value> = spans.iter().map(|span| columns.range(*span)).collect();
            calls.extend(
                item(document, file, index, caller).map(|from| json!({ "from": from, "fromRanges": ranges })),
            );
        }
    }
    Ok(Value::Array(calls))
}

/// What a function calls, and where.
pub(super) fn outgoing(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let (uri, entry) = function(session, documents, params)?;
    let (document, file, index) = documents.one(&uri)?;
    let Some(&(_, whole)) = index.globals.iter().find(|global| global.0 == entry) else {
        return Ok(json!([]));
    };
    let first = index.uses.partition_point(|u| u.span.start < whole.start);
    let inside = index.uses[first..].iter().take_while(|u| u.span.end <= whole.end);
    let mut callees: Vec<(u32, Vec<Span>)> = Vec::new();
    for u in inside.filter(|u| !u.declares && index.entries[u.entry as usize].kind == SymbolKind::Func) {
        match callees.iter_mut().find(|callee| callee.0 == u.entry) {
            Some(callee) => callee.1.push(u.span),
            None => callees.push((u.entry, vec![u.span])),
        }
    }
    let mut calls = Vec::new();
    for (callee, spans) in callees {
        let same = documents.same(&uri, callee);
        let to = same.first().and_then(|(document, file, index, k)| item(document, file, index, *k));
        let mut columns = Columns::new(file, document.units);
        let ranges: Vec<Value> = spans.iter().map(|span| columns.range(*span)).collect();
        calls.extend(to.map(|to| json!({ "to": to, "fromRanges": ranges })));
    }
    Ok(Value::Array(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_are_each_other() {
        for (path, uri) in
            [("/a/b.sy", "file:///a/b.sy"), ("/a b/变+%.sy", "file:///a%20b/%E5%8F%98%2B%25.sy")]
        {
            assert_eq!((uri_of(Path::new(path)).as_str(), path_of(uri)), (uri, Some(path.into())));
        }
        assert_eq!(path_of("file://host/x%2fy%4"), Some("/x/y%4".into()));
        assert_eq!((path_of("untitled:1"), path_of("file://x"), path_of("file:///%ff")), (None, None, None));
    }
}
