//! Diagnostics as the protocol has them, and their edits as code actions.

use super::client::Client;
use super::documents::Document;
use super::positions::{self, Columns};
use super::{Answer, Refused};
use crate::driver::session::Session;
use crate::source::{Diagnostic, Edit, Severity, Span, edit};
use serde_json::{Value, json};

/// Diagnostics that are told of a document, at most, and actions of a request.
const MOST: usize = 1000;
const ACTIONS: usize = 50;

/// The `Diagnostic`s of a document.
pub(super) fn diagnostics(document: &Document) -> Value {
    let mut columns =
        [Columns::new(&document.file, document.units), Columns::new(&document.file, document.units)];
    let list = document.told.iter().take(MOST).map(|told| diagnostic(told, document, &mut columns));
    Value::Array(list.collect())
}

fn diagnostic(told: &Diagnostic, document: &Document, [own, other]: &mut [Columns; 2]) -> Value {
    let Diagnostic { severity, code, message, span, label, secondary, notes, help, edits } = told;
    let advice = edits.iter().map(|edit| edit.advice(&document.file.text));
    let behind = if label.is_empty() { String::new() } else { format!(": {label}") };
    let further = notes.iter().chain(help).cloned().chain(advice).map(|text| format!("\n{text}"));
    let related = secondary.iter().map(|(span, text)| {
        json!({ "location": { "uri": document.uri, "range": other.range(*span) }, "message": text })
    });
    let mut value = json!({
        "range": own.range(span.unwrap_or(Span { start: 0, end: 0 })),
        "severity": match severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        },
        "code": code,
        "source": "sysyc",
        "message": format!("{message}{behind}{}", further.collect::<String>()),
        "relatedInformation": related.collect::<Vec<Value>>(),
    });
    if code.starts_with("unused-") && *code != "unused-value" {
        // Shown faded.
        value["tags"] = json!([1]);
    }
    value
}

/// The diagnostics of a document, as the client asks for them: nothing if it has that already.
pub(super) fn pulled(
    session: &Session,
    document: &mut Document,
    client: &mut Client,
    params: &Value,
) -> Value {
    let name = document.texts.to_string();
    if params["previousResultId"] == name {
        return json!({ "kind": "unchanged", "resultId": name });
    }
    document.check(session);
    json!({ "kind": "full", "resultId": name, "items": linked(diagnostics(document), client) })
}

/// Diagnostics with places where their codes are explained.
pub(super) fn linked(mut list: Value, client: &mut Client) -> Value {
    for told in list.as_array_mut().into_iter().flatten() {
        if let Some(uri) = told["code"].as_str().and_then(|code| client.link(code)) {
            told["codeDescription"] = json!({ "href": uri });
        }
    }
    list
}

/// The edits of the diagnostics in a range, and as one action all of the document that are certain.
pub(super) fn actions(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let range =
        positions::span(&params["range"], &document.file, document.units).ok_or_else(Refused::params)?;
    let only = params["context"]["only"].as_array();
    let wanted = |kind: &str| {
        only.is_none_or(|only| {
            let mut asked = only.iter().filter_map(Value::as_str);
            asked.any(|asked| {
                kind == asked || kind.strip_prefix(asked).is_some_and(|rest| rest.starts_with('.'))
            })
        })
    };
    // What was told may be of an older text.
    document.check(session);
    let touches = |span: Span| span.start <= range.end && range.start <= span.end;
    let mut actions = Vec::new();
    let near = document.told.iter().filter(|told| !told.edits.is_empty() && told.span.is_none_or(touches));
    for told in near.take(if wanted("quickfix") { ACTIONS } else { 0 }) {
        let advice: Vec<String> = told.edits.iter().map(|edit| edit.advice(&document.file.text)).collect();
        let mut columns =
            [Columns::new(&document.file, document.units), Columns::new(&document.file, document.units)];
        actions.push(json!({
            "title": advice.join("; "),
            "kind": "quickfix",
            "diagnostics": [diagnostic(told, document, &mut columns)],
            "isPreferred": edit::is_certain(&told.edits),
            "edit": changes(document, told.edits.iter()),
        }));
    }
    let certain = || document.told.iter().filter(|told| edit::is_certain(&told.edits));
    let all = certain().count();
    if wanted("source.fixAll") && all > usize::from(only.is_none()) {
        let groups: Vec<&[Edit]> = certain().map(|told| told.edits.as_slice()).collect();
        let edits = edit::choose(&document.file.text, &groups);
        actions.push(json!({
            "title": "make all edits of sysyc that are certain",
            "kind": "source.fixAll",
            "edit": changes(document, edits.into_iter()),
        }));
    }
    Ok(Value::Array(actions))
}

/// A `WorkspaceEdit` of one document.
pub(super) fn changes<'a>(document: &Document, edits: impl Iterator<Item = &'a Edit>) -> Value {
    let mut columns = Columns::new(&document.file, document.units);
    let edits: Vec<Value> =
        edits.map(|edit| json!({ "range": columns.range(edit.span), "newText": edit.text })).collect();
    json!({ "changes": { document.uri.as_str(): edits } })
}
