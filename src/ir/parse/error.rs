//! Errors of text: where they are by offset while it is read, and by line and column when they are handed out.

/// Why text is no module, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Offset in bytes.
    pub offset: u32,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// An error is a pointer: results are handed up for every token.
pub(super) type Parsed<T> = Result<T, Box<ParseError>>;

/// An error at an offset; `placed` says in which line that is.
#[cold]
pub(super) fn error_at(text: &str, at: usize, message: impl Into<String>) -> Box<ParseError> {
    let offset = at.min(text.len()) as u32;
    Box::new(ParseError { line: 1, column: 1, offset, message: message.into() })
}

/// Gives errors in rising order their lines and columns. O(text): lines are counted from one to the next, as every body may
/// have an error, and some are mended before they are seen.
pub(super) fn placed(text: &str, mut errors: Vec<ParseError>) -> Vec<ParseError> {
    let (mut at, mut line, mut start) = (0, 1, 0);
    for error in &mut errors {
        let offset = error.offset as usize;
        let between = text.as_bytes().get(at..offset).unwrap_or_default();
        line += memchr::memchr_iter(b'\n', between).count() as u32;
        start = memchr::memrchr(b'\n', between).map_or(start, |k| at + k + 1);
        (error.line, error.column) = (line, (offset - start) as u32 + 1);
        at = offset;
    }
    errors
}
