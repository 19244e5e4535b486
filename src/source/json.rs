//! Diagnostics as one JSON object a line.
//!
//! ```text
//!   {"severity", "code", "message", "file", "line", "column", "end_line", "end_column", "byte_start", "byte_end",
//!    "label", "labels": [{"line", ..., "text"}], "notes": [...], "help": [...]}
//! ```
//!
//! Lines and columns count from 1 (columns in characters), bytes from 0, ends are exclusive; without a place the
//! numbers are null. The fields are in alphabetical order.

use super::file::ColumnCursor;
use super::{Diagnostic, SourceFile, Span};
use serde_json::{Map, Value, json};

fn place(map: &mut Map<String, Value>, span: Option<Span>, file: &SourceFile, cursor: &mut ColumnCursor) {
    let numbers = span.map(|span| {
        let (line, column) = cursor.line_column(file, span.start);
        let (end_line, end_column) = cursor.clone().line_column(file, span.end);
        [line, column, end_line, end_column, span.start, span.end]
    });
    for (k, name) in
        ["line", "column", "end_line", "end_column", "byte_start", "byte_end"].into_iter().enumerate()
    {
        map.insert(name.to_string(), json!(numbers.map(|numbers| numbers[k])));
    }
}

/// Appends the object and a newline.
pub(super) fn write(
    out: &mut String,
    diagnostic: &Diagnostic,
    file: &SourceFile,
    cursors: &mut [ColumnCursor; 2],
) {
    let mut map = Map::new();
    map.insert("severity".to_string(), json!(diagnostic.severity.name()));
    map.insert("code".to_string(), json!(diagnostic.code));
    map.insert("message".to_string(), json!(diagnostic.message));
    map.insert("file".to_string(), json!(file.path));
    place(&mut map, diagnostic.span, file, &mut cursors[0]);
    map.insert("label".to_string(), json!(diagnostic.label));
    let labels: Vec<Value> = diagnostic
        .secondary
        .iter()
        .map(|(span, text)| {
            let mut label = Map::new();
            place(&mut label, Some(*span), file, &mut cursors[1]);
            label.insert("text".to_string(), json!(text));
            Value::Object(label)
        })
        .collect();
    map.insert("labels".to_string(), Value::Array(labels));
    map.insert("notes".to_string(), json!(diagnostic.notes));
    map.insert("help".to_string(), json!(diagnostic.help));
    out.push_str(&Value::Object(map).to_string());
    out.push('\n');
}
