//! A checked tree as text, for `--emit=tree`: from the top down, with the types of expressions, what names mean,
//! and the values of constants. Markers, which only say that something begins, are left out.
//!
//! O(nodes): indentation is bounded.

use super::symbol::NO_PLACE;
use super::{Checked, Class, Const, Sym, SymbolKind, Ty, ty};
use crate::base::{Column, Handle};
use crate::source::SourceFile;
use crate::syntax::dump::{names_token, shown};
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, NodeKind, Tree};
use std::fmt::Write;

/// Depth up to which a tree is indented; deeper nodes tell their depth as a number.
const INDENTED: usize = 40;

/// A text, its tokens and its tree.
type Parsed<'a> = (&'a SourceFile, &'a Tokens, &'a Tree);

/// The top level of a program, piece by piece: of a function the signature, without its body.
pub fn pieces(parsed: Parsed, checked: &Checked) -> Vec<Piece> {
    let (_, _, tree) = parsed;
    let mut roots: Vec<Node> = tree.roots_rev().collect();
    roots.reverse();
    let piece = |root: Node| {
        let mut text = String::new();
        let is_function = tree.kind[root] == NodeKind::FuncDef;
        if is_function {
            row(&mut text, parsed, checked, (root, 0));
            let signature = tree.children_rev(root).last();
            signature.into_iter().for_each(|node| subtree(&mut text, parsed, checked, (node, 1)));
        } else {
            subtree(&mut text, parsed, checked, (root, 0));
        }
        Piece { text, is_function }
    };
    roots.into_iter().map(piece).collect()
}

/// A part of the top level.
#[derive(Debug)]
pub struct Piece {
    /// What it looks like.
    pub text: String,
    /// The body of a function follows.
    pub is_function: bool,
}

/// The body of a function in a tree of its own, where the definition is the last row.
pub fn body(parsed: Parsed, checked: &Checked) -> String {
    let (mut text, tree) = (String::new(), parsed.2);
    if let Some(block) = tree.len().checked_sub(2) {
        subtree(&mut text, parsed, checked, (Node::new(block), 1));
    }
    text
}

/// Appends the tree below a node.
fn subtree(out: &mut String, parsed: Parsed, checked: &Checked, root: (Node, usize)) {
    let tree = parsed.2;
    // Nodes and how deep they are, the next one last.
    let mut open = vec![root];
    while let Some((node, depth)) = open.pop() {
        row(out, parsed, checked, (node, depth));
        let children = tree.children_rev(node).filter(|&child| !is_marker(tree.kind[child]));
        open.extend(children.map(|child| (child, depth + 1)));
    }
}

/// Appends one node.
fn row(out: &mut String, (file, tokens, tree): Parsed, checked: &Checked, (node, depth): (Node, usize)) {
    let (token, kind) = (tree.token[node], tree.kind[node]);
    out.extend(std::iter::repeat_n("  ", depth.min(INDENTED)));
    if depth > INDENTED {
        _ = write!(out, "[{depth}] ");
    }
    _ = write!(out, "{kind:?}");
    if names_token(kind) {
        _ = write!(out, " {}", shown(tokens, file, token));
    }
    known(out, file, checked, node);
    _ = writeln!(out, " @{}", file.line(tokens.start[token]));
}

/// True for leaves that say that something begins.
fn is_marker(kind: NodeKind) -> bool {
    use NodeKind::*;
    matches!(
        kind,
        DeclStart
            | DeclName
            | InitStart
            | InitListStart
            | FuncStart
            | ParamsStart
            | BlockStart
            | AssignStart
            | IfStart
            | ElseStart
            | WhileStart
            | IndexStart
            | CallStart
    )
}

/// What is known of a node: ` : float[4]`, ` = 3`, ` (parameter of line 7)`.
fn known(out: &mut String, file: &SourceFile, checked: &Checked, node: Node) {
    let (class, data): (&Column<Node, Class>, &Column<Node, u32>) = (checked.class, checked.data);
    let (Some(&class), Some(&data)) = (class.get(node), data.get(node)) else { return };
    if matches!(class, Class::None | Class::Text) {
        return;
    }
    let ty: Ty = class.ty(data, |sym| checked.row(sym).ty);
    _ = write!(out, " : {}", ty::type_name(ty, |dim| checked.dim(dim)));
    match checked.constant(node) {
        Some(Const::Int(value)) => _ = write!(out, " = {value}"),
        Some(Const::Float(value)) => _ = write!(out, " = {value:?}"),
        None => {}
    }
    if class.is_symbol() {
        meaning(out, file, checked, Sym::new(data as usize));
    }
}

/// What a symbol is, and where it is declared.
fn meaning(out: &mut String, file: &SourceFile, checked: &Checked, sym: Sym) {
    let row = checked.row(sym);
    let what = match row.kind {
        SymbolKind::Error => return,
        SymbolKind::GlobalVar => "global variable",
        SymbolKind::GlobalConst | SymbolKind::LocalConst => "constant",
        SymbolKind::LocalVar => "variable",
        SymbolKind::Param => "parameter",
        SymbolKind::Func => "function",
        SymbolKind::RuntimeFunc => "library function",
    };
    match row.place {
        NO_PLACE => _ = write!(out, " ({what})"),
        place => _ = write!(out, " ({what} of line {})", file.line(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sema::{self, BodyTables, WarningSet, runtime};
    use crate::source::Diagnostics;
    use crate::syntax;

    /// The whole tree of a program, as the driver puts it together.
    fn dump(text: &str) -> String {
        let file = SourceFile::new("a.sy", text.as_bytes().to_vec());
        let (mut names, mut diags) = (sema::interner(&runtime::SYSY), Diagnostics::default());
        let tokens = syntax::lex(&file, &mut names, &mut diags);
        let whole = syntax::parse(&file, &tokens, &mut diags);
        let own = names.clone();
        let warnings = WarningSet::NONE;
        let outline = sema::outline(&runtime::SYSY, &file, names, &tokens, &whole, &warnings, &mut diags);
        let mut text = String::new();
        let mut functions = 0..outline.sema.functions.len();
        for piece in pieces((&file, &tokens, &whole), &outline.sema.checked()) {
            text.push_str(&piece.text);
            if piece.is_function
                && let Some(k) = functions.next()
            {
                let (mut tree, mut tables) = (Tree::default(), BodyTables::default());
                let sema::Function { signature, def, .. } = outline.sema.functions[k];
                tree.copy_body(&whole, signature, def);
                sema::check_body(&outline, k, (&file, &tokens, &tree), &own, &mut tables, &mut diags);
                text.push_str(&body((&file, &tokens, &tree), &tables.checked(&outline)));
            }
        }
        assert!(diags.is_empty(), "{:?}", diags.list());
        text
    }

    #[test]
    fn a_tree_is_shown_from_the_top_with_types_and_symbols() {
        let text = "const int n = 3;\nfloat a[n];\nint main() {\n  int i = n + 1;\n  a[i] = getfloat();\n  return i;\n}";
        let expected = "\
Decl @1
  Type int @1
  VarDef n : int = 3 (constant of line 1) @1
    Declarator n : int = 3 (constant of line 1) @1
    IntLiteral 3 : int = 3 @1
Decl @2
  Type float @2
  VarDef a : float[3] (global variable of line 2) @2
    Declarator a : float[3] (global variable of line 2) @2
      Dim @2
        Name n : int = 3 (constant of line 1) @2
FuncDef main @3
  FuncSignature main : int (function of line 3) @3
    Type int @3
  Block @7
    Decl @4
      Type int @4
      VarDef i : int (variable of line 4) @4
        Declarator i : int (variable of line 4) @4
        Binary + : int = 4 @4
          Name n : int = 3 (constant of line 1) @4
          IntLiteral 1 : int = 1 @4
    Assign @5
      Index : float @5
        Name a : float[3] (global variable of line 2) @5
        Name i : int (variable of line 4) @5
      Call getfloat : float @5
    Return @6
      Name i : int (variable of line 4) @6
";
        assert_eq!(dump(text), expected);
    }

    #[test]
    fn deep_trees_are_shown_in_linear_space() {
        let size = |depth: usize| {
            dump(&format!("int a = {}1{}; int main() {{ return 0; }}", "(".repeat(depth), ")".repeat(depth)))
                .len()
        };
        assert!(size(40_000) < 60 * size(1000));
    }
}
