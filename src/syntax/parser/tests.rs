use super::*;
use crate::syntax::lex;

fn parsed(text: &[u8]) -> (Tree, Diagnostics, SourceFile) {
    let file = SourceFile::new("a.sy", text.to_vec());
    let mut diags = Diagnostics::default();
    let tokens = lex(&file, &mut diags);
    let tree = parse(&file, &tokens, &mut diags);
    (tree, diags, file)
}

#[test]
fn a_function_is_in_postorder() {
    let (tree, diags, _) = parsed(b"int f(int a[]) { if (a[0]) return 1; }");
    use NodeKind::*;
    assert!(diags.is_empty());
    assert_eq!(
        tree.kind.as_slice(),
        [
            Type,
            FuncStart,
            ParamsStart,
            Type,
            DeclName,
            EmptyDim,
            Param,
            FuncSignature,
            BlockStart,
            IfStart,
            Name,
            IndexStart,
            IntLiteral,
            Index,
            IfCond,
            IntLiteral,
            Return,
            If,
            Block,
            FuncDef
        ]
    );
}
