//! Diagnostics of sources as one document of SARIF 2.1.0 (OASIS), which code hosts and editors show. Regions
//! count lines and columns from 1, columns in characters; what an edit replaces is given in bytes. What is said of no source (a
//! file that cannot be written, an option without effect) is a notification of the invocation. Names of files are URIs: relative
//! ones as they were given.

use super::file::ColumnCursor;
use super::{Applicability, Diagnostic, Severity, SourceFile, Span, edit};
use serde_json::{Value, json};
use std::fmt::Write;

/// What a document says of a rule: of a code of diagnostics.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// What is wrong, in a line.
    pub short: String,
    /// Why, and what to do.
    pub full: String,
    /// With examples, in text and in Markdown.
    pub help: [String; 2],
    /// True of what is an error by default.
    pub is_error: bool,
}

/// What there is to say so far, of any number of sources.
#[derive(Clone, Debug, Default)]
pub struct Log {
    rules: Vec<&'static str>,
    results: Vec<Value>,
    notifications: Vec<Value>,
    /// An error was told that is none of a source.
    has_failed: bool,
}

impl Log {
    pub(super) fn add<'a>(&mut self, diagnostics: impl Iterator<Item = &'a Diagnostic>, file: &SourceFile) {
        let mut cursors = [ColumnCursor::default(), ColumnCursor::default()];
        for diagnostic in diagnostics {
            let rule = self.rules.iter().position(|&code| code == diagnostic.code).unwrap_or_else(|| {
                self.rules.push(diagnostic.code);
                self.rules.len() - 1
            });
            self.results.push(result(diagnostic, rule, file, &mut cursors));
        }
    }

    /// Adds what is said of no source.
    pub fn notify(&mut self, severity: Severity, text: &str) {
        self.has_failed |= severity == Severity::Error;
        self.notifications.push(json!({ "level": level(severity), "message": { "text": text } }));
    }

    /// The document, with what is known of the codes in it.
    pub fn document(&self, about: impl Fn(&'static str) -> Option<Rule>) -> String {
        let rule = |code: &&'static str| {
            let mut rule = json!({ "id": code });
            if let Some(Rule { short, full, help: [text, markdown], is_error }) = about(code) {
                rule["shortDescription"] = json!({ "text": short });
                rule["fullDescription"] = json!({ "text": full });
                rule["help"] = json!({ "text": text, "markdown": markdown });
                rule["defaultConfiguration"] = json!({ "level": if is_error { "error" } else { "warning" } });
            }
            rule
        };
        let rules: Vec<Value> = self.rules.iter().map(rule).collect();
        let driver = json!({ "name": "sysyc", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
        let mut run = json!({
            "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": self.results,
        });
        run["invocations"] = json!([{
            "executionSuccessful": !self.has_failed, "toolExecutionNotifications": self.notifications,
        }]);
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        format!("{}\n", json!({ "$schema": schema, "version": "2.1.0", "runs": [run] }))
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The name of a file as a URI (RFC 3986): what cannot stand in one is in hexadecimal.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte))
            }
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}

fn result(
    diagnostic: &Diagnostic,
    rule: usize,
    file: &SourceFile,
    [own, other]: &mut [ColumnCursor; 2],
) -> Value {
    let Diagnostic { severity, code, message, span, label, secondary, notes, help, edits } = diagnostic;
    let texts = [message, label].into_iter().chain(notes).chain(help).filter(|text| !text.is_empty());
    let text = texts.map(String::as_str).collect::<Vec<_>>().join("\n");
    let related = secondary.iter().map(|(span, text)| {
        let mut location = location(Some(*span), file, other);
        location["message"] = json!({ "text": text });
        location
    });
    let mut result = json!({
        "ruleId": code,
        "ruleIndex": rule,
        "level": level(*severity),
        "message": { "text": text },
        "locations": [location(*span, file, own)],
        "relatedLocations": related.collect::<Vec<Value>>(),
    });
    if !edits.is_empty() {
        let replacements = edits.iter().map(|edit| {
            json!({
                "deletedRegion": { "byteOffset": edit.span.start, "byteLength": edit.span.end - edit.span.start },
                "insertedContent": { "text": edit.text },
            })
        });
        let advice: Vec<String> = edits.iter().map(|edit| edit.advice(&file.text)).collect();
        let certain = match edit::is_certain(edits) {
            true => Applicability::MachineApplicable,
            false => Applicability::MaybeIncorrect,
        };
        let properties = json!({ "applicability": certain.name() });
        let description = json!({ "text": advice.join("; ") });
        result["fixes"] = json!([{ "description": description, "properties": properties, "artifactChanges": [{
            "artifactLocation": { "uri": uri(&file.path) },
            "replacements": replacements.collect::<Vec<Value>>(),
        }] }]);
    }
    result
}

fn location(span: Option<Span>, file: &SourceFile, cursor: &mut ColumnCursor) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&file.path) } });
    if let Some(span) = span {
        let (line, column) = cursor.line_column(file, span.start);
        let (end_line, end_column) = cursor.clone().line_column(file, span.end);
        physical["region"] =
            json!({ "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column });
    }
    json!({ "physicalLocation": physical })
}
