//! Programs in, diagnostics or dumps out.

mod diagnostics;
mod dump;
mod meaning;
mod scale;
mod warnings;

use super::*;
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::tree::Tree;
use crate::syntax::{lexer, parser};

/// A program after checking.
pub(super) struct Program {
    pub(super) file: SourceFile,
    pub(super) outline: Outline,
    pub(super) bodies: Vec<Body>,
    pub(super) diags: Diagnostics,
}

/// One of its functions, and what is known of the rows of its body.
pub(super) struct Body {
    pub(super) function: Function,
    pub(super) tree: Tree,
    tables: BodyTables,
}

impl Program {
    /// What is known of a body.
    pub(super) fn checked<'a>(&'a self, body: &'a Body) -> Checked<'a> {
        body.tables.checked(&self.outline)
    }
}

/// Checks with the given `-W` flags. A `main` is added where there is none.
pub(super) fn checked(text: &str, flags: &[&str]) -> Program {
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
    let mut outline = outline(&runtime::SYSY, &file, names, &tokens, &tree, &set, &mut diags);
    results::infer_results(&mut outline, (&file, &tokens, &tree), &mut diags);
    let mut bodies = Vec::new();
    for (k, function) in outline.sema.functions.iter().enumerate() {
        let (mut own, mut tables) = (Tree::default(), BodyTables::default());
        own.copy_body(&tree, function.signature, function.def);
        let body = (&file, &tokens, &own);
        check_body(&outline, k, body, &outline.sema.names, &mut tables, &mut diags);
        bodies.push(Body { function: *function, tree: own, tables });
    }
    outline.unused_functions(&file, &mut diags);
    Program { file, outline, bodies, diags }
}

/// `code: message | place` of each diagnostic, in the order of the text; labels follow places.
pub(super) fn complaints(text: &str, flags: &[&str]) -> Vec<String> {
    let Program { file, diags, .. } = checked(text, flags);
    let place = |span: crate::source::Span| {
        String::from_utf8_lossy(&file.text[span.start as usize..span.end as usize]).into_owned()
    };
    diags
        .sorted()
        .into_iter()
        .map(|d| format!("{}: {} | {}", d.code, d.message, d.span.map(place).unwrap_or_default()))
        .collect()
}

/// A program without errors.
pub(super) fn meaning(text: &str) -> Program {
    let program = checked(text, &[]);
    assert!(!program.diags.has_errors(), "{text}\n{:?}", program.diags.list());
    program
}

/// The line of `dump::symbols` for the last symbol called `name`, without number and kind.
pub(super) fn line(text: &str, name: &str) -> String {
    let all = dump::symbols(&meaning(text));
    let found = all.lines().rev().filter_map(|line| line.splitn(3, ' ').nth(2));
    found.into_iter().find(|line| line.starts_with(&format!("{name}:"))).expect(&all).to_string()
}
