//! Errors, warnings and notes, and their collector.
//!
//! A pass reports with `diags.push(Diagnostic::error("undeclared", span, "...").label("...").help("..."))`.
//! Nothing is allocated while nothing is reported. Workers fill collectors of their own, which are appended
//! in job order; `sorted` then gives the order of the text. The collector keeps the first `STORED` of each
//! severity and counts the rest, so that no input fills the memory with complaints about it.

use super::{Applicability, Edit, Span};

/// How many diagnostics of each severity are kept.
const STORED: usize = 1 << 14;

/// How bad it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// No program comes out.
    Error,
    /// Probably not what was meant.
    Warning,
    /// For information.
    Note,
}

impl Severity {
    /// The word in messages.
    pub fn name(self) -> &'static str {
        ["error", "warning", "note"][self as usize]
    }
}

/// One complaint about one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Short name in kebab case; for a warning, the group that `-W` and `-Wno-` name.
    pub code: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The place, unless it is about the file as a whole.
    pub span: Option<Span>,
    /// What stands under the place; may be empty.
    pub label: String,
    /// Other places that belong to it, with what stands under them.
    pub secondary: Vec<(Span, String)>,
    /// Further sentences.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
    /// ... as edits of the text, which say as advice what they do; `--fix` makes those that are certain.
    pub edits: Vec<Edit>,
}

impl Diagnostic {
    fn new(severity: Severity, code: &'static str, span: Option<Span>, message: String) -> Self {
        let (secondary, notes, help, edits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Diagnostic { severity, code, message, span, label: String::new(), secondary, notes, help, edits }
    }

    /// An error at `span` (or about the file, with `None`).
    pub fn error(code: &'static str, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span.into(), message.into())
    }

    /// A warning of the group `code`.
    pub fn warning(code: &'static str, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span.into(), message.into())
    }

    /// A note that belongs to no error or warning.
    pub fn remark(code: &'static str, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span.into(), message.into())
    }

    /// Sets what stands under the place.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds another place.
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push((span, text.into()));
        self
    }

    /// Adds a sentence.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds what should stand at a place instead, and certainly so: `--fix` writes it. It is shown as advice, so that
    /// no help need say the same.
    pub fn edit(self, span: Span, text: impl Into<String>) -> Self {
        self.suggest(Applicability::MachineApplicable, span, text)
    }

    /// Adds what was probably meant at a place, which `--fix=all` writes.
    pub fn guess(self, span: Span, text: impl Into<String>) -> Self {
        self.suggest(Applicability::MaybeIncorrect, span, text)
    }

    /// Adds what should stand at a place, `certain` or not.
    pub fn edit_if(self, certain: bool, span: Span, text: impl Into<String>) -> Self {
        if certain { self.edit(span, text) } else { self.guess(span, text) }
    }

    fn suggest(mut self, applicability: Applicability, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into(), applicability });
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

/// The diagnostics of one file.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Per severity: how many were pushed, and how many of them are in `list`.
    pushed: [usize; 3],
    stored: [usize; 3],
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let severity = diagnostic.severity as usize;
        self.pushed[severity] += 1;
        if self.stored[severity] < STORED {
            self.stored[severity] += 1;
            self.list.push(diagnostic);
        }
    }

    /// Adds all of `other`, behind what is here.
    pub fn append(&mut self, other: Diagnostics) {
        let unstored: [usize; 3] = std::array::from_fn(|k| other.pushed[k] - other.stored[k]);
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        for (pushed, more) in self.pushed.iter_mut().zip(unstored) {
            *pushed += more;
        }
    }

    /// Takes back the errors that begin at one of these places, which are in order: what was found out since says more.
    pub fn withdraw(&mut self, places: &[u32]) {
        let error = Severity::Error as usize;
        let before = self.list.len();
        if !places.is_empty() {
            self.list.retain(|diagnostic| {
                diagnostic.severity != Severity::Error
                    || diagnostic.span.is_none_or(|span| places.binary_search(&span.start).is_err())
            });
        }
        let gone = before - self.list.len();
        self.stored[error] -= gone;
        self.pushed[error] -= gone;
    }

    /// Number of errors, kept or not.
    pub fn errors(&self) -> usize {
        self.pushed[Severity::Error as usize]
    }

    /// Number of warnings, kept or not.
    pub fn warnings(&self) -> usize {
        self.pushed[Severity::Warning as usize]
    }

    /// True if there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors() != 0
    }

    /// True if nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.pushed == [0; 3]
    }

    /// Those kept, in the order of pushing.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Gives every warning the severity that `choose` names for its group, and drops it at `None`: how `-w`,
    /// `-Wno-x` and `-Werror` are done.
    pub fn choose_warnings(&mut self, mut choose: impl FnMut(&'static str) -> Option<Severity>) {
        let all = std::mem::take(self);
        self.pushed = all.pushed;
        self.pushed[Severity::Warning as usize] = 0;
        self.pushed[Severity::Error as usize] -= all.stored[Severity::Error as usize];
        self.pushed[Severity::Note as usize] -= all.stored[Severity::Note as usize];
        for mut diagnostic in all.list {
            if diagnostic.severity == Severity::Warning {
                let Some(severity) = choose(diagnostic.code) else { continue };
                diagnostic.severity = severity;
            }
            self.push(diagnostic);
        }
    }

    /// Those kept, in the order of their places (those without one first), then of pushing, without exact
    /// repeats.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut list: Vec<&Diagnostic> = self.list.iter().collect();
        list.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| u64::from(span.start) + 1));
        list.dedup();
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: usize, message: &str) -> Diagnostic {
        Diagnostic::error("test", Span::new(start, start + 1), message)
    }

    #[test]
    fn the_order_is_that_of_the_text_and_repeats_go() {
        let mut diags = Diagnostics::default();
        for diagnostic in
            [at(5, "e"), at(2, "b"), at(2, "a"), at(5, "e"), Diagnostic::error("x", None, "file")]
        {
            diags.push(diagnostic);
        }
        let order: Vec<_> = diags.sorted().iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(order, ["file", "b", "a", "e"]);
    }

    #[test]
    fn more_than_can_be_kept_is_counted() {
        let mut diags = Diagnostics::default();
        for k in 0..STORED + 10 {
            diags.push(at(k, "e"));
        }
        let mut all = Diagnostics::default();
        all.push(Diagnostic::warning("w", None, "w"));
        all.append(diags);
        assert_eq!((all.errors(), all.warnings(), all.list().len()), (STORED + 10, 1, STORED + 1));
    }

    #[test]
    fn warnings_are_dropped_and_promoted_by_group() {
        let mut diags = Diagnostics::default();
        diags.push(Diagnostic::warning("unused", None, "u"));
        diags.push(Diagnostic::warning("shadow", None, "s"));
        diags.push(at(1, "e"));
        diags.choose_warnings(|code| (code == "shadow").then_some(Severity::Error));
        assert_eq!((diags.errors(), diags.warnings(), diags.list().len()), (2, 0, 2));
    }
}
