//! Tokens as text, for `--emit=tokens`, and what a node's token says (`sema/dump` shows trees). O(tokens).

use super::token::{Token, Tokens};
use super::tree::NodeKind;
use crate::source::SourceFile;
use crate::source::file::ColumnCursor;
use std::fmt::Write;

/// Bytes of a token that are shown.
const SHOWN: usize = 60;

/// The text of a token, if it is not too long.
pub fn shown(tokens: &Tokens, file: &SourceFile, token: Token) -> String {
    let text = tokens.text(&file.text, token);
    let cut = text.len() > SHOWN;
    format!("{}{}", text[..text.len().min(SHOWN)].escape_ascii(), if cut { "..." } else { "" })
}

/// One token a line: line, column, kind, text.
pub fn tokens(tokens: &Tokens, file: &SourceFile) -> String {
    let mut out = String::new();
    let mut cursor = ColumnCursor::default();
    for token in tokens.kind.keys() {
        let (line, column) = cursor.line_column(file, tokens.start[token]);
        let place = format!("{line}:{column}");
        let kind = format!("{:?}", tokens.kind[token]);
        let line = format!("{place:<9} {kind:<13} {}", shown(tokens, file, token));
        _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// True if the token is not already told by the kind.
pub fn names_token(kind: NodeKind) -> bool {
    use NodeKind::*;
    matches!(
        kind,
        Type | DeclName
            | Declarator
            | VarDef
            | FuncStart
            | Param
            | FuncSignature
            | FuncDef
            | IntLiteral
            | FloatLiteral
            | StringLiteral
            | Name
            | CallStart
            | Call
            | Unary
            | Binary
            | Error
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Diagnostics;

    fn dump(text: &str) -> String {
        let file = SourceFile::new("a.sy", text.as_bytes().to_vec());
        let mut diags = Diagnostics::default();
        let list = super::super::lex(&file, &mut Default::default(), &mut diags);
        assert!(diags.is_empty(), "{:?}", diags.list());
        tokens(&list, &file)
    }

    #[test]
    fn tokens_are_shown_one_a_line() {
        let expected = "\
1:1       Int           int
1:5       Ident         a
1:7       Assign        =
2:2       FloatLiteral  0x1p3
2:7       Semicolon     ;
3:1       End
";
        assert_eq!(dump("int a =\n\t0x1p3;\n"), expected);
    }
}
