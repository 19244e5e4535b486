//! Several files as one text: byte offsets go on from one to the next, so that one number says where in which file. O(log files).

use super::SourceFile;
use super::file::ColumnCursor;

/// Files one behind another.
#[derive(Clone, Debug)]
pub struct Sources<'a> {
    files: Vec<&'a SourceFile>,
    /// Per file: the offset of its first byte.
    firsts: Vec<u32>,
}

impl<'a> Sources<'a> {
    /// These files, in order. What lies beyond 4 GiB has no offset of its own.
    pub fn new(files: impl IntoIterator<Item = &'a SourceFile>) -> Sources<'a> {
        let files: Vec<&SourceFile> = files.into_iter().collect();
        let mut next = 0u32;
        let first = |file: &&SourceFile| {
            // The end of a file is a place of its own.
            let after = next.saturating_add(file.text.len() as u32).saturating_add(1);
            std::mem::replace(&mut next, after)
        };
        let firsts = files.iter().map(first).collect();
        Sources { files, firsts }
    }

    /// The files.
    pub fn files(&self) -> &[&'a SourceFile] {
        &self.files
    }

    /// The offset of the first byte of a file.
    pub fn first(&self, number: usize) -> u32 {
        self.firsts.get(number).copied().unwrap_or(u32::MAX)
    }

    /// The number of the file that a byte is in, and its offset there.
    pub fn at(&self, offset: u32) -> (usize, u32) {
        let number = self.firsts.partition_point(|&first| first <= offset).saturating_sub(1);
        (number, offset - self.firsts.get(number).copied().unwrap_or(0).min(offset))
    }

    /// All of them as one file, whose lines go on from one to the next, with the line on which each begins. O(bytes).
    pub fn joined(&self) -> (SourceFile, Vec<u32>) {
        let (mut text, mut lines, mut next) = (Vec::new(), Vec::new(), 1);
        for file in &self.files {
            text.extend_from_slice(&file.text);
            text.push(b'\n');
            lines.push(next);
            next += file.lines();
        }
        let path = self.files.first().map_or(String::new(), |file| file.path.clone());
        (SourceFile::new(path, text), lines)
    }

    /// A place as messages name it: file, line and column.
    pub fn shown(&self, offset: u32) -> String {
        let (number, offset) = self.at(offset);
        self.files.get(number).map_or(String::new(), |file| {
            let (line, column) = ColumnCursor::default().line_column(file, offset);
            format!("{}:{line}:{column}", file.path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_says_which_file_and_where_in_it() {
        let files = [("a.sy", "ab\nc"), ("b.sy", ""), ("c.sy", "x\ny")];
        let files = files.map(|(path, text)| SourceFile::new(path, text.as_bytes().to_vec()));
        let sources = Sources::new(&files);
        let places = [0, 3, 4, 5, 6, 8, 9].map(|at| sources.at(at));
        assert_eq!(places, [(0, 0), (0, 3), (0, 4), (1, 0), (2, 0), (2, 2), (2, 3)]);
        assert_eq!([3, 5, 8].map(|at| sources.shown(at)), ["a.sy:2:1", "b.sy:1:1", "c.sy:2:1"]);
        let (joined, lines) = sources.joined();
        assert_eq!((joined.text.as_slice(), lines), (b"ab\nc\n\nx\ny\n".as_slice(), vec![1, 3, 4]));
        assert_eq!([0, 3, 5, 6, 8].map(|at| joined.line(at)), [1, 2, 3, 4, 5]);
        assert_eq!((sources.first(2), Sources::new([]).at(7)), (6, (0, 7)));
    }
}
