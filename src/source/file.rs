//! A source text with its line table, and how it comes in from disk.
//!
//! The line table is one `memchr` sweep; a line number is then a binary search. Columns count characters
//! from 1. In a file of plain ASCII that is a subtraction, whatever the length of the line; elsewhere
//! `ColumnCursor` goes on from its last answer, so that asking in order costs one walk of the line in all.

use super::{Diagnostic, Diagnostics};
use crate::base::parallel::Workers;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// Longest text that is accepted. Offsets, tokens and tree nodes are 32-bit numbers, and a text of n bytes
/// makes up to 1.5 n nodes.
pub const MAX_BYTES: u64 = 1 << 31;

/// Bytes `start..end` of a file; empty at a place between two bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// Bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Self {
        Span { start: self.start, end: self.end.max(other.end) }
    }
}

/// One source text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as messages show it.
    pub path: String,
    /// The bytes, without a leading byte-order mark.
    pub text: Vec<u8>,
    /// The line table, made when the first line is asked for: most programs have nothing to say about any.
    table: OnceLock<Table>,
}

/// Where lines are.
#[derive(Clone, Debug)]
struct Table {
    /// Per line (from 0): offset of its first byte. Never empty.
    starts: Vec<u32>,
    /// True if every byte is ASCII, so that bytes are columns.
    ascii: bool,
}

impl SourceFile {
    /// A file of that text, which is at most `MAX_BYTES` long.
    pub fn new(path: impl Into<String>, text: Vec<u8>) -> Self {
        SourceFile { path: path.into(), text, table: OnceLock::new() }
    }

    /// The line table. O(bytes) the first time.
    fn table(&self) -> &Table {
        self.table.get_or_init(|| {
            let mut starts = vec![0];
            starts.extend(memchr::memchr_iter(b'\n', &self.text).map(|at| at as u32 + 1));
            Table { starts, ascii: self.text.is_ascii() }
        })
    }

    /// A file of bytes from wherever: takes off a byte-order mark and refuses what is no SysY text at all.
    /// After an error the text is empty.
    pub fn from_bytes(path: impl Into<String>, mut bytes: Vec<u8>, diags: &mut Diagnostics) -> Self {
        let path = path.into();
        if bytes.len() as u64 > MAX_BYTES {
            diags.push(too_long(&path));
            return SourceFile::new(path, Vec::new());
        }
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            let message = format!("'{path}' is encoded in UTF-16");
            diags.push(Diagnostic::error("encoding", None, message).help("save it as UTF-8"));
            return SourceFile::new(path, Vec::new());
        }
        if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
            bytes.drain(..3);
        }
        SourceFile::new(path, bytes)
    }

    /// Reads a file. What goes wrong is pushed to `diags`, and the text is then empty.
    #[inline(never)]
    pub fn load(path: &Path, workers: &Workers, diags: &mut Diagnostics) -> Self {
        let shown = path.display().to_string();
        match read(path, &shown, workers) {
            Ok(bytes) => Self::from_bytes(shown, bytes, diags),
            Err(diagnostic) => {
                diags.push(*diagnostic);
                SourceFile::new(shown, Vec::new())
            }
        }
    }

    /// The line (from 1) that holds the byte at `offset`. O(log lines).
    pub fn line(&self, offset: u32) -> u32 {
        self.table().starts.partition_point(|&start| start <= offset) as u32
    }

    /// The line that a place is in: its number, and what stands there if it is UTF-8. O(log lines).
    pub fn line_at(&self, offset: u32) -> Option<(u32, &str)> {
        let number = ((offset as usize) < self.text.len()).then(|| self.line(offset))?;
        let text = self.text.get(self.line_range(number)).unwrap_or(&[]);
        Some((number, std::str::from_utf8(text).unwrap_or("")))
    }

    /// How many lines there are: at least one.
    pub fn lines(&self) -> u32 {
        self.table().starts.len() as u32
    }

    /// True if bytes are columns.
    pub fn is_ascii(&self) -> bool {
        self.table().ascii
    }

    /// Bytes of a line (from 1), without its line end.
    pub fn line_range(&self, line: u32) -> Range<usize> {
        let start = self.table().starts[line as usize - 1] as usize;
        let mut end = match self.table().starts.get(line as usize) {
            Some(&next) => next as usize - 1,
            None => self.text.len(),
        };
        if end > start && self.text[end - 1] == b'\r' {
            end -= 1;
        }
        start..end
    }
}

/// Line and column of offsets asked for in rising order, in one walk of each line.
#[derive(Clone, Debug, Default)]
pub struct ColumnCursor {
    /// The last answer: offset, line (0 before the first), column.
    last: (u32, u32, u32),
}

impl ColumnCursor {
    /// Line and column, both from 1. Bytes that continue a UTF-8 character have no column of their own.
    pub fn line_column(&mut self, file: &SourceFile, offset: u32) -> (u32, u32) {
        let offset = offset.min(file.text.len() as u32);
        let line = file.line(offset);
        let line_start = file.table().starts[line as usize - 1];
        if file.table().ascii {
            return (line, offset - line_start + 1);
        }
        let (from, column) = match self.last {
            (at, same, column) if same == line && at <= offset => (at, column),
            _ => (line_start, 1),
        };
        let walked = &file.text[from as usize..offset as usize];
        let characters = walked.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        self.last = (offset, line, column + characters as u32);
        (line, self.last.2)
    }
}

fn too_long(path: &str) -> Diagnostic {
    let message = format!("'{path}' is too long");
    Diagnostic::error("cannot-read", None, message).note("a source file has at most 2 GiB")
}

fn read(path: &Path, shown: &str, workers: &Workers) -> Result<Vec<u8>, Box<Diagnostic>> {
    let fail = |error: std::io::Error| {
        let why = why(&error);
        Box::new(Diagnostic::error("cannot-read", None, format!("cannot read '{shown}': {why}")))
    };
    let file = std::fs::File::open(path).map_err(fail)?;
    let length = file.metadata().map_err(fail)?.len();
    if length > MAX_BYTES {
        return Err(Box::new(too_long(shown)));
    }
    if length >= 2 * PIECE as u64
        && workers.jobs() > 1
        && let Some(bytes) = read_in_pieces(&file, length as usize, workers)
    {
        return Ok(bytes);
    }
    read_stream(file, length as usize).map_err(fail)
}

/// Why something cannot be read, in words.
pub fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        std::io::ErrorKind::IsADirectory => "it is a directory".to_string(),
        std::io::ErrorKind::InvalidData => "it is no text in UTF-8".to_string(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_string()
        }
    }
}

/// Reads all of what may be a pipe or a device, which tell no length: `length` is what is expected. The limit
/// holds for what is read, too; and nothing is read behind a piece with a NUL in it, because no text has one:
/// `/dev/zero` has no end.
pub fn read_stream(mut from: impl Read, length: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length + 1);
    while bytes.len() as u64 <= MAX_BYTES {
        let start = bytes.len();
        let most = PIECE.max(length) as u64;
        from.by_ref().take(most).read_to_end(&mut bytes)?;
        if bytes.len() == start || memchr::memchr(0, &bytes[start..]).is_some() {
            break;
        }
    }
    Ok(bytes)
}

/// Bytes that are read in one go.
const PIECE: usize = 1 << 20;

/// All of a file that long, its pieces in parallel; none if that cannot be done.
#[cfg(unix)]
fn read_in_pieces(file: &std::fs::File, length: usize, workers: &Workers) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut bytes = vec![0; length];
    let mut pieces: Vec<&mut [u8]> = bytes.chunks_mut(PIECE).collect();
    let read =
        workers.map(&mut pieces, || (), |(), k, piece| file.read_exact_at(piece, (k * PIECE) as u64).is_ok());
    read.into_iter().all(|read| read).then_some(bytes)
}

#[cfg(not(unix))]
fn read_in_pieces(_: &std::fs::File, _: usize, _: &Workers) -> Option<Vec<u8>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_lines_and_columns() {
        let file = SourceFile::new("a.sy", b"ab\r\n\ncd".to_vec());
        let places: Vec<_> = (0..=7).map(|at| ColumnCursor::default().line_column(&file, at)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (3, 1), (3, 2), (3, 3)]);
        assert_eq!((file.line_range(1), file.line_range(2), file.line_range(3)), (0..2, 4..4, 5..7));
    }

    #[test]
    fn columns_count_characters_in_any_order_of_asking() {
        let file = SourceFile::new("a.sy", "é = ü;\n€x\n".as_bytes().to_vec());
        let mut cursor = ColumnCursor::default();
        let places = [0, 2, 5, 7, 4, 12, 9, 13].map(|at| cursor.line_column(&file, at));
        assert_eq!(places, [(1, 1), (1, 2), (1, 5), (1, 6), (1, 4), (2, 2), (2, 1), (2, 3)]);
    }

    #[test]
    fn what_cannot_be_read_is_said_and_leaves_an_empty_text() {
        let directory = tempfile::tempdir().unwrap();
        let sparse = directory.path().join("huge.sy");
        std::fs::File::create(&sparse).unwrap().set_len(5 << 30).unwrap();
        for (path, expected) in [
            (directory.path().join("none.sy"), "there is no such file"),
            (directory.path().to_path_buf(), "it is a directory"),
            (sparse, "is too long"),
        ] {
            let mut diags = Diagnostics::default();
            let file = SourceFile::load(&path, &Workers::new(1), &mut diags);
            assert!(file.text.is_empty() && diags.errors() == 1);
            assert!(diags.list()[0].message.contains(expected), "{:?}", diags.list());
        }
    }

    #[test]
    fn a_stream_without_end_is_read_up_to_a_nul() {
        let read = read_stream(std::io::repeat(0), 0).unwrap();
        assert_eq!(read.len(), PIECE);
        let text = vec![b'a'; 3 * PIECE + 5];
        assert!(read_stream(&text[..], 0).unwrap() == text && read_stream(&text[..], 7).unwrap() == text);
    }

    #[test]
    fn byte_order_marks_are_taken_off_or_refused() {
        let mut diags = Diagnostics::default();
        let file = SourceFile::from_bytes("a.sy", b"\xef\xbb\xbfint a;".to_vec(), &mut diags);
        assert_eq!((file.text.as_slice(), diags.errors()), (b"int a;".as_slice(), 0));
        SourceFile::from_bytes("a.sy", b"\xff\xfei\0n\0".to_vec(), &mut diags);
        assert!(diags.list()[0].message.contains("UTF-16"));
    }

    #[test]
    fn a_long_file_is_read_in_pieces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("long.sy");
        let text: Vec<u8> = (0..3 * PIECE + 77).map(|k| (k % 251) as u8).collect();
        std::fs::write(&path, &text).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let workers = Workers::new(2);
        assert!(read_in_pieces(&file, text.len(), &workers) == cfg!(unix).then(|| text.clone()));
        assert!(read_in_pieces(&file, text.len() + 1, &workers).is_none());
        assert!(SourceFile::load(&path, &workers, &mut Diagnostics::default()).text == text);
    }
}
