//! Diagnostics as text for people: message, `path:line:column`, the line, a caret, labels, notes and help.
//!
//! `annotate-snippets` draws, and is fed excerpts only: the lines that hold a place, and of a long line a
//! window around the place. So a diagnostic costs the same in a file of a million lines and in one of a
//! single 5 MB line. A place that goes over several lines is underlined to the end of its first.

use super::file::ColumnCursor;
use super::{Diagnostic, Diagnostics, Severity, SourceFile, Span, json, sarif, short};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::borrow::Cow;

/// Lines that are shown together if they are at most this many apart.
const NEAR_LINES: u32 = 3;
/// Bytes of a long line that are shown before and after a place, and of the place itself, at most.
const AROUND: usize = 60;
const PLACE: usize = 80;
/// A line up to this length is shown whole, if there is room.
const WHOLE: usize = 200;
/// Columns drawn at least; wide enough that what the excerpts hold is not cut a second time.
const WIDTH: usize = 240;
/// Columns that are counted on at least, and what stands before a line.
const NARROWEST: usize = 40;
const MARGIN: usize = 8;

/// For whom diagnostics are shown.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// For people, with the line and a caret.
    #[default]
    Human,
    /// A line each, as gcc writes them.
    Short,
    /// A JSON object each.
    Json,
    /// A document of SARIF for all (`log`).
    Sarif,
}

/// How diagnostics are shown.
#[derive(Copy, Clone, Debug, Default)]
pub struct Rendering {
    /// With escape sequences for colours.
    pub colour: bool,
    /// For whom.
    pub form: Form,
    /// Stop after so many errors; 0 for all.
    pub error_limit: usize,
    /// Columns of the terminal; 0 if there is none.
    pub width: usize,
}

/// How much of lines is shown, in bytes, of which no line has fewer than columns.
#[derive(Copy, Clone)]
struct Room {
    /// A line up to this length is shown whole.
    whole: usize,
    /// Of a longer one: so much before and behind a place, and of the place.
    around: usize,
    place: usize,
}

impl Room {
    fn new(width: usize) -> Room {
        let whole = if width == 0 { WHOLE } else { WHOLE.min(width.max(NARROWEST) - MARGIN) };
        let third = (whole - 6) / 3;
        Room { whole, around: third.min(AROUND), place: third.min(PLACE) }
    }
}

/// One excerpt of the file with what is drawn under it.
struct Excerpt {
    /// Its first line.
    line: u32,
    text: String,
    /// Offset in the file of the first place, if the line's beginning was cut off; else 0.
    cut: u32,
    /// Range in `text`, label, and whether it is the diagnostic's own place.
    marks: Vec<(std::ops::Range<usize>, String, bool)>,
}

/// Those that are shown, in the order of the text; `last` is the one about the others.
fn shown<'a>(diags: &'a Diagnostics, how: &Rendering, last: &'a mut Diagnostic) -> Vec<&'a Diagnostic> {
    let (mut errors, mut shown) = (0, Vec::new());
    for diagnostic in diags.sorted() {
        errors += usize::from(diagnostic.severity == Severity::Error);
        if how.error_limit != 0 && errors > how.error_limit {
            let message = format!("too many errors: {} shown of {}", how.error_limit, diags.errors());
            *last = Diagnostic::remark("too-many-errors", None, message);
            shown.push(&*last);
            break;
        }
        shown.push(diagnostic);
    }
    shown
}

/// Adds all diagnostics to a document of SARIF.
pub fn log(diags: &Diagnostics, file: &SourceFile, how: &Rendering, log: &mut sarif::Log) {
    let mut last = Diagnostic::remark("", None, "");
    log.add(shown(diags, how, &mut last).into_iter(), file);
}

/// All diagnostics in the order of the text.
pub fn render(diags: &Diagnostics, file: &SourceFile, how: &Rendering) -> String {
    let mut out = String::new();
    // One for the diagnostics' own places, which come in order, one for others.
    let mut cursors = [ColumnCursor::default(), ColumnCursor::default()];
    let renderer = if how.colour { Renderer::styled() } else { Renderer::plain() }.term_width(WIDTH);
    let mut last = Diagnostic::remark("", None, "");
    for diagnostic in shown(diags, how, &mut last) {
        match how.form {
            Form::Json => json::write(&mut out, diagnostic, file, &mut cursors),
            Form::Short => short::write(&mut out, diagnostic, file, &mut cursors),
            _ => write_text(&mut out, diagnostic, file, &mut cursors, (&renderer, Room::new(how.width))),
        }
    }
    out
}

fn write_text(
    out: &mut String,
    diagnostic: &Diagnostic,
    file: &SourceFile,
    cursors: &mut [ColumnCursor; 2],
    (renderer, room): (&Renderer, Room),
) {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let excerpts = excerpts(diagnostic, file, room);
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);
    if excerpts.is_empty() {
        group = group.element(Origin::path(file.path.as_str()));
    }
    for excerpt in &excerpts {
        let mut snippet = Snippet::source(excerpt.text.as_str()).path(file.path.as_str());
        snippet = snippet.line_start(excerpt.line as usize);
        for (range, label, primary) in &excerpt.marks {
            let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let label = (!label.is_empty()).then_some(label.as_str());
            snippet = snippet.annotation(kind.span(range.clone()).label(label));
        }
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    if diagnostic.span.is_none() {
        for edit in &diagnostic.edits {
            group = group.element(Level::HELP.message(edit.advice(&file.text)));
        }
    }
    let mut text = renderer.render(&[group]);
    // What is drawn counts columns in the excerpt; of a line that was cut, the column in the file is another.
    for excerpt in excerpts.iter().filter(|excerpt| excerpt.cut != 0) {
        let Some((range, _, primary)) = excerpt.marks.iter().min_by_key(|mark| (!mark.2, mark.0.start))
        else {
            continue;
        };
        let drawn = excerpt.text[..range.start].chars().count() + 1;
        let cursor = if *primary { &mut cursors[0] } else { &mut cursors[1] };
        let (line, column) = cursor.line_column(file, excerpt.cut);
        let header = format!("{}:{line}:{drawn}", file.path);
        text = text.replacen(&header, &format!("{}:{line}:{column}", file.path), 1);
    }
    out.push_str(&text);
    out.push_str("\n\n");
}

/// A place cut to its first line: the line and the range in the file.
fn clamp(span: Span, file: &SourceFile) -> (u32, std::ops::Range<usize>) {
    let start = (span.start as usize).min(file.text.len());
    let line = file.line(start as u32);
    let range = file.line_range(line);
    let start = start.min(range.end);
    (line, start..(span.end as usize).clamp(start, range.end.max(start)))
}

/// The excerpts that show every place of the diagnostic, its own first.
fn excerpts(diagnostic: &Diagnostic, file: &SourceFile, room: Room) -> Vec<Excerpt> {
    let Some(span) = diagnostic.span else { return Vec::new() };
    let own = clamp(span, file);
    let mut places: Vec<Place> = vec![(own.0, own.1.clone(), Cow::Borrowed(&diagnostic.label), true)];
    let secondary = diagnostic.secondary.iter().map(|(span, label)| (*span, Cow::Borrowed(label.as_str())));
    let edits =
        diagnostic.edits.iter().map(|edit| (edit.shown(&file.text), Cow::Owned(edit.advice(&file.text))));
    for (span, label) in secondary.chain(edits) {
        let (line, range) = clamp(span, file);
        // The same mark is not drawn twice: what is said about it stands in one line.
        match places.iter_mut().find(|place| (place.0, &place.1) == (line, &range)) {
            Some(place) if place.2.is_empty() => place.2 = label,
            Some(place) if place.2 == label => {}
            Some(place) => place.2 = Cow::Owned(format!("{}; {label}", place.2)),
            None => places.push((line, range, label, false)),
        }
    }
    // Groups of places that are shown in one excerpt: those in order of the text, split where a gap is wide.
    places.sort_by_key(|place| (place.1.start, !place.3));
    let mut out: Vec<Excerpt> = Vec::new();
    let mut rest = places.as_slice();
    while let Some(first) = rest.first() {
        let alone = file.line_range(first.0).len() > room.whole;
        let mut count = 1;
        while let Some(next) = rest.get(count) {
            let previous = &rest[count - 1];
            let joined = if alone {
                next.0 == first.0 && next.1.end <= first.1.start + room.place
            } else {
                next.0 - previous.0 <= NEAR_LINES
                    && (previous.0 + 1..=next.0).all(|line| file.line_range(line).len() <= room.whole)
            };
            if !joined {
                break;
            }
            count += 1;
        }
        out.push(if alone { window(&rest[..count], file, room) } else { lines(&rest[..count], file) });
        rest = &rest[count..];
    }
    out.sort_by_key(|excerpt| !excerpt.marks.iter().any(|mark| mark.2));
    out
}

/// A mark: its line, its range in the file, its label, and whether it is the diagnostic's own.
type Place<'a> = (u32, std::ops::Range<usize>, Cow<'a, str>, bool);

/// Whole lines, from the first place's to the last one's.
fn lines(places: &[Place<'_>], file: &SourceFile) -> Excerpt {
    let line = places[0].0;
    let start = file.line_range(line).start;
    let end = file.line_range(places[places.len() - 1].0).end;
    let mut excerpt = Excerpt { line, text: String::new(), cut: 0, marks: Vec::new() };
    quote(&mut excerpt, start..end, places, file);
    excerpt
}

/// A part of one long line.
fn window(places: &[Place<'_>], file: &SourceFile, room: Room) -> Excerpt {
    let line = places[0].0;
    let whole = file.line_range(line);
    let mut start = places[0].1.start.saturating_sub(room.around).max(whole.start);
    let mut end = (places.iter().map(|place| place.1.end).max().unwrap_or(start))
        .min(places[0].1.start + room.place)
        .saturating_add(room.around)
        .min(whole.end);
    while start > whole.start && file.text[start] & 0xc0 == 0x80 {
        start -= 1;
    }
    while end < whole.end && file.text[end] & 0xc0 == 0x80 {
        end += 1;
    }
    let mut excerpt = Excerpt { line, text: String::new(), cut: 0, marks: Vec::new() };
    if start > whole.start {
        excerpt.text.push_str("...");
        let own = places.iter().find(|place| place.3).unwrap_or(&places[0]);
        excerpt.cut = own.1.start as u32;
    }
    quote(&mut excerpt, start..end, places, file);
    if end < whole.end {
        excerpt.text.push_str("...");
    }
    excerpt
}

/// Appends the bytes as text, with what is no UTF-8 replaced, and the places where they then stand.
fn quote(excerpt: &mut Excerpt, range: std::ops::Range<usize>, places: &[Place<'_>], file: &SourceFile) {
    let mut cuts: Vec<usize> = places.iter().flat_map(|place| [place.1.start, place.1.end]).collect();
    cuts.retain(|&cut| cut <= range.end);
    cuts.push(range.end);
    cuts.sort_unstable();
    cuts.dedup();
    let mut at = range.start;
    let mut stands = Vec::with_capacity(cuts.len());
    for &cut in &cuts {
        let piece: Cow<'_, str> = String::from_utf8_lossy(&file.text[at..cut]);
        excerpt.text.push_str(&piece);
        stands.push(excerpt.text.len());
        at = cut;
    }
    let stands_at = |cut: usize| stands[cuts.binary_search(&cut.min(range.end)).unwrap_or(cuts.len() - 1)];
    for (_, place, label, primary) in places {
        excerpt.marks.push((stands_at(place.start)..stands_at(place.end), label.to_string(), *primary));
    }
}

#[cfg(test)]
mod tests;
