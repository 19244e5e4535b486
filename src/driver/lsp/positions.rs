//! The protocol's positions, lines and code units from 0 (UTF-16, or UTF-8 if the client takes that), to bytes and back. A position outside of the
//! text is the nearest inside. In a text of plain ASCII a column is a subtraction; elsewhere `Columns` goes on
//! from its last answer, so that asking in order costs one walk of each line.

use crate::source::{SourceFile, Span};
use serde_json::{Value, json};

/// What columns count.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Units {
    Utf8,
    #[default]
    Utf16,
}

impl Units {
    /// The first of those that a client names, in its order, that is known here.
    pub(super) fn chosen(client: &Value) -> Units {
        let names = client["general"]["positionEncodings"].as_array();
        let mut known = names.into_iter().flatten().filter_map(|name| match name.as_str() {
            Some("utf-8") => Some(Units::Utf8),
            Some("utf-16") => Some(Units::Utf16),
            _ => None,
        });
        known.next().unwrap_or_default()
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Units::Utf8 => "utf-8",
            Units::Utf16 => "utf-16",
        }
    }

    /// True if columns are bytes.
    fn are_bytes(self, file: &SourceFile) -> bool {
        self == Units::Utf8 || file.is_ascii()
    }
}

/// A line and a column.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) character: u32,
}

impl Place {
    /// A `Position`.
    pub(super) fn of(value: &Value) -> Option<Place> {
        let number =
            |name: &str| value[name].as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        Some(Place { line: number("line")?, character: number("character")? })
    }

    /// The byte that it stands before; of a character of two units, the character's first.
    pub(super) fn offset(self, file: &SourceFile, units: Units) -> u32 {
        if self.line >= file.lines() {
            return file.text.len() as u32;
        }
        let range = file.line_range(self.line + 1);
        if units.are_bytes(file) {
            let at = range.start + (self.character as usize).min(range.len());
            let inside = |&at: &usize| file.text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
            return (range.start..=at).rev().take(4).find(inside).unwrap_or(at) as u32;
        }
        let (mut left, mut at) = (self.character as usize, range.start);
        while at < range.end {
            let length = character(file.text[at]);
            let units = if length == 4 { 2 } else { 1 };
            if left < units {
                break;
            }
            left -= units;
            at = (at + length).min(range.end);
        }
        at as u32
    }
}

/// Bytes of the character that begins with this one.
fn character(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    }
}

/// A `Range` as bytes.
pub(super) fn span(value: &Value, file: &SourceFile, units: Units) -> Option<Span> {
    let start = Place::of(&value["start"])?.offset(file, units);
    let end = Place::of(&value["end"])?.offset(file, units);
    Some(Span { start, end: end.max(start) })
}

/// Positions of offsets.
pub(super) struct Columns<'a> {
    file: &'a SourceFile,
    units: Units,
    /// The last answer: an offset, its line from 1 (0 before the first), its column.
    last: (u32, u32, u32),
}

impl<'a> Columns<'a> {
    pub(super) fn new(file: &'a SourceFile, units: Units) -> Self {
        Columns { file, units, last: (0, 0, 0) }
    }

    /// The position of an offset. O(bytes since the last one on the same line), or O(1) in ASCII.
    pub(super) fn place(&mut self, offset: u32) -> Place {
        let file = self.file;
        let offset = offset.min(file.text.len() as u32);
        let line = file.line(offset);
        let start = file.line_range(line).start as u32;
        if self.units.are_bytes(file) {
            return Place { line: line - 1, character: offset - start };
        }
        let (from, column) = match self.last {
            (at, same, column) if same == line && at <= offset => (at, column),
            _ => (start, 0),
        };
        let units = |byte: &u8| u32::from(byte & 0xc0 != 0x80) + u32::from(*byte >= 0xf0);
        let walked: u32 = file.text[from as usize..offset as usize].iter().map(units).sum();
        self.last = (offset, line, column + walked);
        Place { line: line - 1, character: self.last.2 }
    }

    /// A `Position`.
    pub(super) fn position(&mut self, offset: u32) -> Value {
        let Place { line, character } = self.place(offset);
        json!({ "line": line, "character": character })
    }

    /// A `Range`.
    pub(super) fn range(&mut self, span: Span) -> Value {
        let start = self.position(span.start);
        json!({ "start": start, "end": self.position(span.end.max(span.start)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16_units() {
        let text = "int a; // 变量 𝒳 x\r\n\né = 1;";
        let file = SourceFile::new("t", text.as_bytes().to_vec());
        let mut columns = Columns::new(&file, Units::Utf16);
        for (at, c) in text.char_indices().filter(|&(at, c)| c != '\r' && !text[..at].ends_with('\r')) {
            let before = &text[..at];
            let line = before.matches('\n').count() as u32;
            let from = before.rfind('\n').map_or(0, |newline| newline + 1);
            let character = text[from..at].encode_utf16().count() as u32;
            let place = Place { line, character };
            assert_eq!(columns.place(at as u32), place, "{c}");
            assert_eq!(Columns::new(&file, Units::Utf16).place(at as u32), place);
            assert_eq!(place.offset(&file, Units::Utf16), at as u32, "{c}");
        }
        // Between the two units of a character, behind the end of a line, behind the last line.
        let wide = text.find('𝒳').unwrap() as u32;
        let place = columns.place(wide);
        assert_eq!(Place { character: place.character + 1, ..place }.offset(&file, Units::Utf16), wide);
        assert_eq!(
            Place { line: 0, character: 999 }.offset(&file, Units::Utf16) as usize,
            text.find('\r').unwrap()
        );
        assert_eq!(
            Place { line: 1, character: 1 }.offset(&file, Units::Utf16) as usize,
            text.find('é').unwrap() - 1
        );
        assert_eq!(Place { line: u32::MAX, character: 0 }.offset(&file, Units::Utf16) as usize, text.len());
        assert_eq!(columns.place(u32::MAX).line, 2);
    }

    #[test]
    fn positions_count_bytes_if_the_client_takes_that() {
        let text = "int a;\n变 x";
        let file = SourceFile::new("t", text.as_bytes().to_vec());
        for (at, _) in text.char_indices().skip(7) {
            let place = Place { line: 1, character: at as u32 - 7 };
            assert_eq!(Columns::new(&file, Units::Utf8).place(at as u32), place);
            assert_eq!(place.offset(&file, Units::Utf8), at as u32);
        }
        // Inside of a character, and behind the line.
        assert_eq!(Place { line: 1, character: 2 }.offset(&file, Units::Utf8), 7);
        assert_eq!(Place { line: 1, character: 99 }.offset(&file, Units::Utf8), 12);
        let chosen = |names: Value| Units::chosen(&json!({ "general": { "positionEncodings": names } }));
        assert_eq!(chosen(json!(["utf-32", "utf-8", "utf-16"])), Units::Utf8);
        assert_eq!(chosen(json!(["utf-16", "utf-8"])), Units::Utf16);
        assert_eq!((chosen(json!(["utf-32"])), chosen(Value::Null)), (Units::Utf16, Units::Utf16));
    }

    #[test]
    fn positions_in_ascii_and_in_bytes_that_are_none() {
        let file = SourceFile::new("t", b"ab\ncd".to_vec());
        assert_eq!(Place { line: 1, character: 1 }.offset(&file, Units::Utf16), 4);
        assert_eq!(Place { line: 1, character: 9 }.offset(&file, Units::Utf16), 5);
        assert_eq!(Columns::new(&file, Units::Utf16).place(4), Place { line: 1, character: 1 });
        let broken = SourceFile::new("t", b"\xff\xe4\xb8\nx\xf0".to_vec());
        for line in 0..3 {
            for character in 0..5 {
                let at = Place { line, character }.offset(&broken, Units::Utf16);
                Columns::new(&broken, Units::Utf16).place(at);
            }
        }
        let value = json!({ "start": { "line": 9, "character": 1 }, "end": { "line": 0, "character": 0 } });
        assert_eq!(span(&value, &file, Units::Utf16), Some(Span { start: 5, end: 5 }));
        assert_eq!(span(&json!({ "start": { "line": -1 } }), &file, Units::Utf16), None);
    }
}
