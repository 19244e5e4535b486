//! Programs in, diagnostics or dumps out.

mod diagnostics;
mod dump;
mod meaning;
mod scale;
mod warnings;

use super::*;
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::{lexer, parser};

/// A program after checking.
pub(super) struct Checked {
    pub(super) file: SourceFile,
    pub(super) tree: Tree,
    pub(super) sema: Sema,
    pub(super) diags: Diagnostics,
}

use crate::syntax::tree::Tree;

/// Checks with the given `-W` flags. A `main` is added where there is none.
pub(super) fn checked(text: &str, flags: &[&str]) -> Checked {
    let text =
        if text.contains("main") { text.to_string() } else { format!("{text}\nint main() {{ return 0; }}") };
    let file = SourceFile::new("t.sy", text.into_bytes());
    let mut diags = Diagnostics::default();
    let mut names = interner(&runtime::SYSY);
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let tree = parser::parse(&file, &tokens, &mut diags);
    let mut set = WarningSet::default();
    for flag in flags {
        assert!(set.apply(flag), "{flag}");
    }
    let sema = check(&file, names, &tokens, &tree, &set, &mut diags);
    Checked { file, tree, sema, diags }
}

/// `code: message | place` of each diagnostic, in the order of the text; labels follow places.
pub(super) fn complaints(text: &str, flags: &[&str]) -> Vec<String> {
    let Checked { file, diags, .. } = checked(text, flags);
    let place = |span: crate::source::Span| {
        String::from_utf8_lossy(&file.text[span.start as usize..span.end as usize]).into_owned()
    };
    diags
        .sorted()
        .into_iter()
        .map(|d| format!("{}: {} | {}", d.code, d.message, d.span.map(place).unwrap_or_default()))
        .collect()
}

/// The meaning of a program without errors.
pub(super) fn meaning(text: &str) -> Sema {
    let Checked { sema, diags, .. } = checked(text, &[]);
    assert!(!diags.has_errors(), "{text}\n{:?}", diags.list());
    sema
}

/// The line of `dump::symbols` for the last symbol called `name`, without number and kind.
pub(super) fn line(text: &str, name: &str) -> String {
    let sema = meaning(text);
    let all = dump::symbols(&sema);
    let found = all.lines().rev().filter_map(|line| line.splitn(3, ' ').nth(2));
    found.into_iter().find(|line| line.starts_with(&format!("{name}:"))).expect(&all).to_string()
}
