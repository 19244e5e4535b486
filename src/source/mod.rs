//! Files, places in them, and what is said about them. Knows of bytes and lines; nothing of tokens.
//!
//! | file | holds |
//! | --- | --- |
//! | `file` | a source text with its line table, and how it comes in from disk |
//! | `sources` | several of them one behind another |
//! | `diagnostic` | errors, warnings and notes, and their collector |
//! | `render` | diagnostics as text for people |
//! | `json` | diagnostics as one JSON object a line, for programs |
//! | `short` | diagnostics as gcc writes them, for editors |
//! | `sarif` | diagnostics as a document of SARIF, for code hosts |
//! | `edit` | what to write instead |

pub mod diagnostic;
pub mod edit;
pub mod file;
#[cfg(feature = "cli")]
pub mod json;
#[cfg(feature = "cli")]
pub mod render;
#[cfg(feature = "cli")]
pub mod sarif;
#[cfg(feature = "cli")]
pub mod short;
pub mod sources;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use edit::{Applicability, Edit};
pub use file::{SourceFile, Span};
#[cfg(feature = "cli")]
pub use render::{Form, Rendering, log, render};
pub use sources::Sources;
