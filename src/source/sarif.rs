//! Diagnostics of sources as one document of SARIF 2.1.0 (OASIS), which code hosts and editors show. Regions
//! count lines and columns from 1, columns in characters; what an edit replaces is given in bytes.

use super::file::ColumnCursor;
use super::{Applicability, Diagnostic, Severity, SourceFile, Span, edit};
use serde_json::{Value, json};

/// What there is to say so far, of any number of sources.
#[derive(Clone, Debug, Default)]
pub struct Log {
    rules: Vec<&'static str>,
    results: Vec<Value>,
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

    /// The document.
    pub fn document(&self) -> String {
        let rules: Vec<Value> = self.rules.iter().map(|code| json!({ "id": code })).collect();
        let driver = json!({ "name": "sysyc", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
        let run = json!({
            "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": self.results,
        });
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        format!("{}\n", json!({ "$schema": schema, "version": "2.1.0", "runs": [run] }))
    }
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
        "level": match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
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
            "artifactLocation": { "uri": file.path },
            "replacements": replacements.collect::<Vec<Value>>(),
        }] }]);
    }
    result
}

fn location(span: Option<Span>, file: &SourceFile, cursor: &mut ColumnCursor) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": file.path } });
    if let Some(span) = span {
        let (line, column) = cursor.line_column(file, span.start);
        let (end_line, end_column) = cursor.clone().line_column(file, span.end);
        physical["region"] =
            json!({ "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column });
    }
    json!({ "physicalLocation": physical })
}
