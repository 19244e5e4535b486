//! Diagnostics as one JSON object a line.
//!
//! ```text
//!   {"severity", "code", "message", "file", "line", "column", "end_line", "end_column", "byte_start", "byte_end",
//!    "label", "labels": [{"line", ..., "text"}], "notes": [...], "help": [...], "edits": [{"line", ..., "text", "applicability"}]}
//! ```
//!
//! Lines and columns count from 1 (columns in characters), bytes from 0, ends are exclusive; without a place
//! the numbers are null. The fields are in alphabetical order.

use super::file::ColumnCursor;
use super::{Diagnostic, SourceFile, Span};
use serde_json::{Value, json};

/// An object with the numbers of a place in it.
fn at(mut object: Value, span: Option<Span>, file: &SourceFile, cursor: &mut ColumnCursor) -> Value {
    let numbers = span.map(|span| {
        let (line, column) = cursor.line_column(file, span.start);
        let (end_line, end_column) = cursor.clone().line_column(file, span.end);
        [line, column, end_line, end_column, span.start, span.end]
    });
    let names = ["line", "column", "end_line", "end_column", "byte_start", "byte_end"];
    for (k, name) in names.into_iter().enumerate() {
        object[name] = json!(numbers.map(|numbers| numbers[k]));
    }
    object
}

/// Appends the object and a newline.
pub(super) fn write(
    out: &mut String,
    diagnostic: &Diagnostic,
    file: &SourceFile,
    [own, other]: &mut [ColumnCursor; 2],
) {
    let Diagnostic { severity, code, message, span, label, secondary, notes, help, edits } = diagnostic;
    let labels = secondary.iter().map(|(span, text)| at(json!({ "text": text }), Some(*span), file, other));
    let labels = labels.collect::<Vec<Value>>();
    let edits = edits.iter().map(|edit| {
        let object = json!({ "text": edit.text, "applicability": edit.applicability.name() });
        at(object, Some(edit.span), file, other)
    });
    let object = json!({
        "severity": severity.name(),
        "code": code,
        "message": message,
        "file": file.path,
        "label": label,
        "labels": labels,
        "notes": notes,
        "help": help,
        "edits": edits.collect::<Vec<Value>>(),
    });
    out.push_str(&at(object, *span, file, own).to_string());
    out.push('\n');
}
