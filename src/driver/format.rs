//! `sysyc fmt`: sources are formatted in place, or what would change is told: the names of files (`--check`), or
//! the lines (`--diff`, as `diff -u` shows them).

use super::options::{Input, Language};
use super::session::{Bug, Failure, Session};
use super::{compile, output};
use crate::format;
use crate::source::{Diagnostics, Edit, SourceFile, Span};
use std::fmt::Write;
use std::path::Path;

/// Lines around a change that are shown.
const AROUND: usize = 3;

/// Formats one source. The exit code is 1 if something is to be changed and is not.
pub fn format(s: &Session, input: &Input) -> Result<u8, Failure> {
    let path = input.path.as_path();
    if input.language != Language::Sysy {
        return Err(Failure::System(format!(
            "'{}' is no SysY, and nothing else is formatted",
            path.display()
        )));
    }
    let mut diags = Diagnostics::default();
    let file = s.phase("read", || compile::read(s, path, &mut diags));
    if diags.has_errors() {
        return s.report(&file, diags).map(|()| 0);
    }
    let options = &s.options;
    let edits = match s.phase("format", || format::edits(&file, options.standard)) {
        Ok(edits) => edits,
        Err(diags) => return s.report(&file, diags).map(|()| 0),
    };
    // Where there is no place for it to change, all of it is written.
    let is_wanted = path == Path::new("-") || options.output.is_some();
    let path = options.output.as_deref().unwrap_or(path);
    let failed = |error| Failure::System(format!("cannot write '{}': {error}", file.path));
    if options.diff {
        output::to_stdout(unified(&file, &edits).as_bytes()).map_err(failed)?;
    } else if options.checked {
        if !edits.is_empty() {
            output::to_stderr(&format!("sysyc: note: '{}' would change\n", file.path));
        }
    } else if is_wanted || !edits.is_empty() {
        let out = format::apply(&file.text, &edits);
        if !format::is_same_program(&file.text, &out) {
            let message = "the formatted text would be another program".to_string();
            return Err(Failure::Internal(Bug { message, ..Bug::default() }));
        }
        output::write(path, &out, false).map_err(failed)?;
    }
    Ok(u8::from(options.checked && !edits.is_empty()))
}

/// Lines `first` to `end`, from 0, and what stands there then.
struct Change {
    first: usize,
    end: usize,
    new: Vec<u8>,
}

/// What edits change, in the form of `diff -u`. O(text).
fn unified(file: &SourceFile, edits: &[Edit]) -> String {
    let text = &file.text;
    let total = text.split_inclusive(|&byte| byte == b'\n').count();
    let start = |line: usize| if line < total { file.line_range(line as u32 + 1).start } else { text.len() };
    let changes = changes(file, edits, start);
    let mut out = String::new();
    if !changes.is_empty() {
        _ = write!(out, "--- {0}\n+++ {0}\n", file.path);
    }
    // Lines that stand above more than they did.
    let mut shift = 0;
    for group in changes.chunk_by(|one, other| other.first <= one.end + 2 * AROUND) {
        let (Some(Change { first, .. }), Some(Change { end, .. })) = (group.first(), group.last()) else {
            continue;
        };
        let (first, end) = (first.saturating_sub(AROUND), (end + AROUND).min(total));
        let (mut body, mut at, mut count) = (String::new(), first, 0);
        let mut lines = |sign: char, bytes: &[u8]| {
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                _ = write!(body, "{sign}{}", String::from_utf8_lossy(line));
                body.push_str(if line.ends_with(b"\n") { "" } else { "\n\\ No newline at end of file\n" });
                count += usize::from(sign != '-');
            }
        };
        for Change { first, end, new } in group {
            lines(' ', &text[start(at)..start(*first)]);
            lines('-', &text[start(*first)..start(*end)]);
            lines('+', new);
            at = *end;
        }
        lines(' ', &text[start(at)..start(end)]);
        let place = |line: usize, lines: usize| if lines == 0 { line } else { line + 1 };
        let old = end - first;
        let (from, to) = (place(first, old), place(first.saturating_add_signed(shift), count));
        _ = write!(out, "@@ -{from},{old} +{to},{count} @@\n{body}");
        shift += count as isize - old as isize;
    }
    out
}

/// The lines that edits touch, those that stand together in one.
fn changes(file: &SourceFile, edits: &[Edit], start: impl Fn(usize) -> usize) -> Vec<Change> {
    let line = |offset: u32| file.line(offset) as usize - 1;
    // Behind the last line of an edit; a line that begins behind it, before and after, stays as it is.
    let behind = |Edit { span, text, .. }: &Edit| {
        let (first, last) = (line(span.start), line(span.end));
        let begins = text.ends_with('\n') || text.is_empty() && start(first) == span.start as usize;
        last + usize::from(span.start == span.end || start(last) != span.end as usize || !begins)
    };
    let mut changes = Vec::new();
    let mut rest = edits;
    while let Some(edit) = rest.first() {
        let (first, mut end, mut count) = (line(edit.span.start), behind(edit), 1);
        while let Some(edit) = rest.get(count).filter(|edit| line(edit.span.start) <= end) {
            (end, count) = (end.max(behind(edit)), count + 1);
        }
        let (edits, others) = rest.split_at(count);
        let base = start(first) as u32;
        let moved = |Edit { span, text, is_guess }: &Edit| Edit {
            span: Span { start: span.start - base, end: span.end - base },
            text: text.clone(),
            is_guess: *is_guess,
        };
        let edits: Vec<Edit> = edits.iter().map(moved).collect();
        let new = format::apply(&file.text[base as usize..start(end)], &edits);
        changes.push(Change { first, end, new });
        rest = others;
    }
    changes
}
