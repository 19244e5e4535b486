//! Tokens and trees as text, for `--emit=tokens` and `--emit=tree`. O(tokens), O(nodes): lines have bounded
//! indentation.

use super::token::{Token, Tokens};
use super::tree::{Node, NodeKind, Tree};
use crate::base::{Column, Handle};
use crate::source::SourceFile;
use crate::source::file::ColumnCursor;
use std::fmt::Write;

/// Depth up to which a tree is indented; deeper nodes tell their depth as a number.
const INDENTED: u32 = 40;
/// Bytes of a token that are shown.
const SHOWN: usize = 60;

fn shown(tokens: &Tokens, file: &SourceFile, token: Token) -> String {
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

/// One node a line, in the order of the rows, indented by depth: children stand before and right of their
/// parent. Behind the kind stand the token where it tells more than the kind does, and its place.
pub fn tree(tree: &Tree, tokens: &Tokens, file: &SourceFile) -> String {
    let depths = depths(tree);
    // Nodes name their tokens in no order, and a column costs a walk unless asked for in order.
    let mut cursor = ColumnCursor::default();
    let starts = tokens.start.as_slice();
    let places: Vec<(u32, u32)> = starts.iter().map(|&start| cursor.line_column(file, start)).collect();
    let mut out = String::new();
    for node in tree.kind.keys() {
        let (token, kind) = (tree.token[node], tree.kind[node]);
        let (line, column) = places[token.index()];
        let depth = depths[node];
        let indent = "  ".repeat(depth.min(INDENTED) as usize);
        let deep = if depth > INDENTED { format!("[{depth}] ") } else { String::new() };
        _ = write!(out, "{indent}{deep}{kind:?}");
        if names_token(kind) {
            _ = write!(out, " {}", shown(tokens, file, token));
        }
        _ = writeln!(out, " @{line}:{column}");
    }
    out
}

/// True if the token is not already told by the kind.
fn names_token(kind: NodeKind) -> bool {
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

/// Per node: number of nodes around it. One sweep from the last row to the first with the open subtrees on a
/// stack.
pub fn depths(tree: &Tree) -> Column<Node, u32> {
    let mut depths = Column::filled(tree.len(), 0);
    // First rows of the subtrees that hold the current row.
    let mut around: Vec<Node> = Vec::new();
    for node in tree.kind.keys().rev() {
        while around.last().is_some_and(|&first| node < first) {
            around.pop();
        }
        depths[node] = around.len() as u32;
        if tree.size[node] > 1 {
            around.push(tree.first(node));
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Diagnostics;

    fn dumps(text: &str) -> (String, String) {
        let file = SourceFile::new("a.sy", text.as_bytes().to_vec());
        let mut diags = Diagnostics::default();
        let list = super::super::lex(&file, &mut Default::default(), &mut diags);
        let nodes = super::super::parse(&file, &list, &mut diags);
        assert!(diags.is_empty(), "{:?}", diags.list());
        (tokens(&list, &file), tree(&nodes, &list, &file))
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
        assert_eq!(dumps("int a =\n\t0x1p3;\n").0, expected);
    }

    #[test]
    fn trees_are_shown_by_row_and_depth() {
        let expected = "  DeclStart @1:1
  Type int @1:1
      DeclName a @1:5
    Declarator a @1:5
    InitStart @1:7
      IntLiteral 1 @1:9
        Name b @1:14
      Unary - @1:13
    Binary + @1:11
  VarDef a @1:5
Decl @1:1
";
        assert_eq!(dumps("int a = 1 + -b;").1, expected);
    }

    #[test]
    fn deep_trees_are_shown_in_linear_space() {
        let size = |depth: usize| {
            let text = format!("int a = {}1{};", "(".repeat(depth), ")".repeat(depth));
            dumps(&text).1.len()
        };
        assert!(size(40_000) < 50 * size(1000));
    }
}
