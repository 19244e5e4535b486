//! Where else a name of a document is used, and another name for it, in all sources that declare or define it.
//!
//! A new name is tried: each text with it is read, and every name in it has to stand for what it stood for. So
//! no rule of scopes is written down a second time.

use super::documents::{Document, Documents};
use super::index::{Entry, Index, Use, name};
use super::positions::Columns;
use super::workspace::{asked, is_global, path_of};
use super::{Answer, Refused, offset_of};
use crate::driver::session::Session;
use crate::sema::SymbolKind;
use crate::source::{Applicability, Edit, SourceFile, edit};
use crate::syntax::token::TokenKind;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Longest name that is given.
const LONGEST: usize = 256;

pub(super) fn highlights(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let offset = offset_of(document, params)?;
    let units = document.units;
    let (file, index) = document.known(session);
    let Some(found) = index.use_at(offset) else { return Ok(json!([])) };
    let mut columns = Columns::new(file, units);
    let kind = |u: &Use| if u.writes { 3 } else { 2 };
    let uses = index.uses_of(found.entry);
    Ok(uses.map(|u| json!({ "range": columns.range(u.span), "kind": kind(u) })).collect())
}

/// The name at an offset, if it can have another.
fn renamed<'a>(index: &'a Index, offset: u32, file: &SourceFile) -> Result<(&'a Use, &'a Entry), Refused> {
    let found = index.use_at(offset).ok_or_else(|| Refused::failed("there is no name here"))?;
    let entry = &index.entries[found.entry as usize];
    can_be_renamed(entry, file)?;
    Ok((found, entry))
}

fn can_be_renamed(entry: &Entry, file: &SourceFile) -> Result<(), Refused> {
    if entry.kind == SymbolKind::RuntimeFunc {
        return Err(Refused::failed("functions of the runtime library keep their names"));
    }
    if entry.kind == SymbolKind::Func && name(entry, file) == "main" {
        return Err(Refused::failed("a program begins with 'main'"));
    }
    Ok(())
}

pub(super) fn prepare(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let offset = offset_of(document, params)?;
    let units = document.units;
    let (file, index) = document.known(session);
    let (found, entry) = renamed(index, offset, file)?;
    Ok(json!({ "range": Columns::new(file, units).range(found.span), "placeholder": name(entry, file) }))
}

pub(super) fn rename(session: &Session, documents: &mut Documents, params: &Value) -> Answer {
    let new = new_name(params)?;
    let (uri, entry) =
        asked(session, documents, params)?.ok_or_else(|| Refused::failed("there is no name here"))?;
    let (_, file, index) = documents.one(&uri)?;
    let own = &index.entries[entry as usize];
    can_be_renamed(own, file)?;
    if is_global(own) {
        documents.read_all(session);
    }
    let same = documents.same(&uri, entry);
    let definers = documents.definers(&uri, entry);
    if let (true, [first, second, ..]) = (same.len() > 1, definers.as_slice()) {
        let short = |document: &Document| {
            let path = path_of(&document.uri);
            path.as_deref()
                .and_then(Path::file_name)
                .map_or(document.uri.clone(), |name| name.to_string_lossy().into())
        };
        return Err(Refused::failed(format!(
            "'{}' and '{}' both define it, and other sources declare it: which of them they mean is not known",
            short(first),
            short(second)
        )));
    }
    let mut changes = Map::new();
    for (document, file, index, k) in same {
        let edits = tried(session, (file, index), k, new).map_err(|clash| {
            let at = path_of(&document.uri).filter(|_| document.uri != uri);
            Refused::failed(at.map_or(clash.clone(), |path| format!("{clash}, in {}", path.display())))
        })?;
        let mut columns = Columns::new(file, document.units);
        let edits =
            edits.iter().map(|edit| json!({ "range": columns.range(edit.span), "newText": edit.text }));
        changes.insert(document.uri.clone(), edits.collect());
    }
    Ok(json!({ "changes": changes }))
}

/// The name that is asked for.
fn new_name(params: &Value) -> Result<&str, Refused> {
    let new = params["newName"].as_str().ok_or_else(Refused::params)?;
    let mut bytes = new.bytes();
    let is_name = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && new.len() <= LONGEST;
    if !is_name {
        return Err(Refused::failed(format!(
            "'{}' is no name: letters, digits and '_', no digit first",
            new.chars().take(40).collect::<String>()
        )));
    }
    if super::complete::keywords().any(|kind: TokenKind| kind.spelling() == new) {
        return Err(Refused::failed(format!("'{new}' is a keyword")));
    }
    Ok(new)
}

/// The edits that give an entry of a text another name; or what that would clash with.
fn tried(
    session: &Session,
    (file, index): (&SourceFile, &Index),
    entry: u32,
    new: &str,
) -> Result<Vec<Edit>, String> {
    let edit = |u: &Use| Edit {
        span: u.span,
        text: new.to_string(),
        applicability: Applicability::MachineApplicable,
    };
    let edits: Vec<Edit> = index.uses_of(entry).map(edit).collect();
    // The same symbols in the same order, or some name stands for something else.
    let groups: Vec<&[Edit]> = edits.chunks(1).collect();
    let tried = SourceFile::new("", edit::apply(&file.text, &groups).0);
    let other = Index::new(session, &tried);
    let stands_for = |index: &Index| index.uses.iter().map(|u| (u.entry, u.declares)).collect::<Vec<_>>();
    let mut globals = index.globals.iter().filter(|global| global.0 != entry);
    let is_twice = is_global(&index.entries[entry as usize])
        && globals.any(|global| name(&index.entries[global.0 as usize], file) == new);
    if is_twice || stands_for(index) != stands_for(&other) {
        let taken = index.entries.iter().find(|entry| name(entry, file) == new);
        let Some(line) = taken.and_then(|entry| entry.declared).map(|span| file.line(span.start)) else {
            return Err(format!("'{new}' would stand for something else"));
        };
        return Err(format!("'{new}' would clash with what line {line} declares"));
    }
    Ok(edits)
}
