//! Why something could not be made.

use std::fmt;

/// What kind of thing is wrong.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The library was used in a way that means nothing: a type that does not fit, a handle of another function.
    Misuse,
    /// Text is no module.
    Parse,
    /// The machine, or its object format, cannot do what is asked for.
    Unsupported,
    /// Names are missing, or there twice.
    Link,
    /// The client has cancelled it.
    Cancelled,
    /// A bug of the library.
    Internal,
}

/// Why something could not be made, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// What kind of thing is wrong.
    pub kind: ErrorKind,
    /// What is wrong, for people.
    pub message: String,
    /// In which function.
    pub function: Option<String>,
    /// In text: line and column (in bytes), from 1.
    pub position: Option<(u32, u32)>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), function: None, position: None }
    }

    pub(super) fn misuse(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Misuse, message)
    }

    pub(crate) fn cancelled() -> Error {
        Error::new(ErrorKind::Cancelled, "cancelled")
    }

    pub(super) fn of(self, function: &str) -> Error {
        Error { function: Some(function.to_string()), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.position {
            write!(f, "{line}:{column}: ")?;
        }
        if let Some(function) = &self.function {
            write!(f, "function '{function}': ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
