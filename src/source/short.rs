//! Diagnostics as gcc writes them, a line each, which editors and build systems read:
//! `x.sy:3:10: error: message [code]`. Other places, notes and help follow as notes.

use super::file::ColumnCursor;
use super::{Diagnostic, SourceFile, Span};
use std::fmt::Write;

/// Appends the diagnostic's lines.
pub(super) fn write(
    out: &mut String,
    diagnostic: &Diagnostic,
    file: &SourceFile,
    [own, other]: &mut [ColumnCursor; 2],
) {
    let place = |span: Option<Span>, cursor: &mut ColumnCursor| match span {
        Some(span) => {
            let (line, column) = cursor.line_column(file, span.start);
            format!("{}:{line}:{column}", file.path)
        }
        None => file.path.clone(),
    };
    let at = place(diagnostic.span, own);
    let Diagnostic { severity, code, message, label, secondary, notes, help, edits, .. } = diagnostic;
    let label = if label.is_empty() { String::new() } else { format!(": {label}") };
    _ = writeln!(out, "{at}: {}: {message}{label} [{code}]", severity.name());
    for (span, text) in secondary {
        _ = writeln!(out, "{}: note: {text}", place(Some(*span), other));
    }
    for edit in edits {
        let place = place(Some(edit.span), &mut other.clone());
        _ = writeln!(out, "{place}: note: {}", edit.advice(&file.text));
    }
    for text in notes.iter().chain(help) {
        _ = writeln!(out, "{at}: note: {text}");
    }
}
