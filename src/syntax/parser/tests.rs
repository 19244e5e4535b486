//! Postorder of every construct, and inputs that nest without end.

use super::*;
use crate::base::Handle;
use crate::source::file::ColumnCursor;
use crate::syntax::lex;
use crate::syntax::tree::Node;

mod mistakes;

fn parsed(text: &[u8]) -> (Tree, Tokens, Diagnostics, SourceFile) {
    parsed_as(Standard::Dialect, text)
}

fn parsed_as(standard: Standard, text: &[u8]) -> (Tree, Tokens, Diagnostics, SourceFile) {
    let file = SourceFile::new("a.sy", text.to_vec());
    let mut diags = Diagnostics::default();
    let tokens = lex(&file, &mut Default::default(), &mut diags);
    let tree = parse_as(standard, &file, &tokens, &mut diags);
    (tree, tokens, diags, file)
}

/// The kinds in row order, with the token of those that it tells apart.
fn rows(text: &str) -> String {
    use NodeKind::*;
    let (tree, tokens, diags, file) = parsed(text.as_bytes());
    assert!(diags.is_empty(), "{text}: {:?}", diags.list());
    well_formed(&tree);
    let row = |node: Node| {
        let (kind, token) = (tree.kind[node], tree.token[node]);
        let text = String::from_utf8_lossy(tokens.text(&file.text, token)).into_owned();
        match kind {
            Name | IntLiteral | FloatLiteral | StringLiteral => text,
            Unary | Binary | Type | Call | Param | VarDef | FuncDef => format!("{kind:?}({text})"),
            _ => format!("{kind:?}"),
        }
    };
    tree.kind.keys().map(row).collect::<Vec<_>>().join(" ")
}

/// Rows of an expression, in `int x = ...;`.
fn expression(text: &str) -> String {
    let all = rows(&format!("int x = {text};"));
    let inner = all.strip_prefix("DeclStart Type(int) DeclName Declarator InitStart ").unwrap();
    inner.strip_suffix(" VarDef(x) Decl").unwrap().to_string()
}

/// Rows of a statement in a function.
fn statement(text: &str) -> String {
    let all = rows(&format!("void f() {{ {text} }}"));
    let inner = all.strip_prefix("Type(void) FuncStart ParamsStart FuncSignature BlockStart ").unwrap();
    inner.strip_suffix(" Block FuncDef(f)").unwrap().to_string()
}

/// Checks that sizes nest, and that every node has the children that `NodeKind` documents, or `Error`s.
fn well_formed(tree: &Tree) {
    use NodeKind::*;
    let expression = |kind: &NodeKind| {
        matches!(
            kind,
            IntLiteral
                | FloatLiteral
                | StringLiteral
                | Name
                | Index
                | Call
                | Paren
                | Unary
                | Binary
                | Old
                | One
                | And
                | Or
                | Error
        )
    };
    let statement = |kind: &NodeKind| {
        matches!(
            kind,
            Block | Assign | ExprStmt | Empty | If | While | Do | Break | Continue | Return | Error | Decl
        )
    };
    let init = |kind: &NodeKind| expression(kind) || *kind == InitList;
    let mut children: Vec<NodeKind> = Vec::new();
    for node in tree.kind.keys() {
        assert!(tree.size[node] as usize <= node.index() + 1);
        children.clear();
        children.extend(tree.children_rev(node).map(|child| tree.kind[child]));
        children.reverse();
        let kind = tree.kind[node];
        let right = match (kind, children.as_slice()) {
            (Error, _) => true,
            (Decl, [ExternStart, DeclStart, Type, defs @ ..]) => {
                defs.iter().all(|kind| matches!(kind, VarDef | Error))
            }
            (Decl, [DeclStart, Type, defs @ ..]) => defs.iter().all(|kind| matches!(kind, VarDef | Error)),
            (Dim, [length]) => expression(length),
            (Declarator, [DeclName, dims @ ..]) => dims.iter().all(|&kind| kind == Dim),
            (InitList, [InitListStart, items @ ..]) => items.iter().all(init),
            (VarDef, [Declarator]) => true,
            (VarDef, [Declarator, InitStart, value]) => init(value),
            (Param, [Type, DeclName, EmptyDim, dims @ ..]) => dims.iter().all(|&kind| kind == Dim),
            (Param, [Type, DeclName, dims @ ..]) => dims.iter().all(|&kind| kind == Dim),
            (FuncSignature, [Type, FuncStart, ParamsStart, params @ ..]) => {
                params.iter().all(|kind| matches!(kind, Param | Error))
            }
            (FuncDef, [FuncSignature, Block]) => true,
            (FuncDecl, [FuncSignature] | [ExternStart, FuncSignature]) => true,
            (Block, [BlockStart, first @ .., For]) => first.iter().all(statement),
            (Block, [BlockStart, items @ ..]) => items.iter().all(statement),
            (For, [ForStart, WhileCond, body, StepStart, step @ ..]) => {
                statement(body) && step.iter().all(statement)
            }
            (Do, [DoStart, body, StepStart, DoCond]) => statement(body),
            (Assign, [target, AssignStart, value]) => expression(target) && expression(value),
            (ExprStmt | IfCond | WhileCond | DoCond | Paren | Unary | AndLhs | OrLhs, [value]) => {
                expression(value)
            }
            (If, [IfStart, IfCond, then]) => statement(then),
            (If, [IfStart, IfCond, then, ElseStart, other]) => statement(then) && statement(other),
            (While, [WhileStart, WhileCond, body]) => statement(body),
            (Return, []) => true,
            (Return, [value]) => expression(value),
            (Index, [base, IndexStart, subscript]) => expression(base) && expression(subscript),
            (Call, [CallStart, arguments @ ..]) => arguments.iter().all(expression),
            (Binary, [left, right]) => expression(left) && expression(right),
            (And, [AndLhs, right]) | (Or, [OrLhs, right]) => expression(right),
            (
                DeclStart | Type | DeclName | InitStart | InitListStart | FuncStart | ParamsStart | EmptyDim
                | BlockStart | AssignStart | Empty | IfStart | ElseStart | WhileStart | Break | Continue
                | IntLiteral | FloatLiteral | StringLiteral | Name | IndexStart | CallStart | Old | One
                | ForStart | StepStart | DoStart | ExternStart,
                [],
            ) => true,
            _ => false,
        };
        assert!(right, "{kind:?} {node:?} of {children:?}");
    }
    assert!(tree.roots_rev().all(|root| matches!(tree.kind[root], Decl | FuncDef | FuncDecl | Error)));
}

#[test]
fn operators_bind_as_in_c_and_to_the_left() {
    for (text, expected) in [
        ("a", "a"),
        ("a - b - c", "a b Binary(-) c Binary(-)"),
        ("a + b * c", "a b c Binary(*) Binary(+)"),
        ("a * b + c", "a b Binary(*) c Binary(+)"),
        ("a % b / c", "a b Binary(%) c Binary(/)"),
        ("a < b == c > d", "a b Binary(<) c d Binary(>) Binary(==)"),
        ("a + b <= c - d != e", "a b Binary(+) c d Binary(-) Binary(<=) e Binary(!=)"),
        ("a && b", "a AndLhs b And"),
        ("a && b && c", "a AndLhs b And AndLhs c And"),
        ("a || b && c", "a OrLhs b AndLhs c And Or"),
        ("a && b || c", "a AndLhs b And OrLhs c Or"),
        ("a == b && c", "a b Binary(==) AndLhs c And"),
        ("-a * b", "a Unary(-) b Binary(*)"),
        ("a * -b", "a b Unary(-) Binary(*)"),
        ("+-!!a", "a Unary(!) Unary(!) Unary(-) Unary(+)"),
        ("a - - 4 + + b", "a 4 Unary(-) Binary(-) b Unary(+) Binary(+)"),
        ("a--b", "a b Unary(-) Binary(-)"),
        ("!a == b", "a Unary(!) b Binary(==)"),
        ("!(a && b)", "a AndLhs b And Paren Unary(!)"),
        ("(a + b) * c", "a b Binary(+) Paren c Binary(*)"),
        ("((a))", "a Paren Paren"),
        ("1.5 + 0x1p3", "1.5 0x1p3 Binary(+)"),
    ] {
        assert_eq!(expression(text), expected, "{text}");
    }
}

#[test]
fn indices_and_calls_come_before_every_operator() {
    for (text, expected) in [
        ("a[0]", "a IndexStart 0 Index"),
        ("a[i][j]", "a IndexStart i Index IndexStart j Index"),
        ("-a[i + 1]", "a IndexStart i 1 Binary(+) Index Unary(-)"),
        ("a[b[c]] + d", "a IndexStart b IndexStart c Index Index d Binary(+)"),
        ("f()", "CallStart Call(f)"),
        ("f(a)", "CallStart a Call(f)"),
        ("f(a + 1, g(), b[2])", "CallStart a 1 Binary(+) CallStart Call(g) b IndexStart 2 Index Call(f)"),
        ("!f(!a)", "CallStart a Unary(!) Call(f) Unary(!)"),
        ("f(g(h(1)))", "CallStart CallStart CallStart 1 Call(h) Call(g) Call(f)"),
        ("a + f(b && c) * d", "a CallStart b AndLhs c And Call(f) d Binary(*) Binary(+)"),
        ("f((a))", "CallStart a Paren Call(f)"),
    ] {
        assert_eq!(expression(text), expected, "{text}");
    }
    assert_eq!(statement(r#"putf("a", 1);"#), r#"CallStart "a" 1 Call(putf) ExprStmt"#);
}

#[test]
fn statements_are_in_postorder() {
    for (text, expected) in [
        (";", "Empty"),
        ("a;", "a ExprStmt"),
        ("a = 1;", "a AssignStart 1 Assign"),
        ("x[i] = e;", "x IndexStart i Index AssignStart e Assign"),
        ("return;", "Return"),
        ("return a;", "a Return"),
        ("{}", "BlockStart Block"),
        ("{ ; { } }", "BlockStart Empty BlockStart Block Block"),
        ("if (a) b;", "IfStart a IfCond b ExprStmt If"),
        ("if (a) b; else c;", "IfStart a IfCond b ExprStmt ElseStart c ExprStmt If"),
        (
            "if (a) if (b) c; else d;",
            "IfStart a IfCond IfStart b IfCond c ExprStmt ElseStart d ExprStmt If If",
        ),
        (
            "if (a) b; else if (c) d; else ;",
            "IfStart a IfCond b ExprStmt ElseStart IfStart c IfCond d ExprStmt ElseStart Empty If If",
        ),
        ("while (a < 1) break;", "WhileStart a 1 Binary(<) WhileCond Break While"),
        ("while (a) { continue; }", "WhileStart a WhileCond BlockStart Continue Block While"),
        (
            "if (a) while (b) if (c) ; else ; else ;",
            "IfStart a IfCond WhileStart b WhileCond IfStart c IfCond Empty ElseStart Empty If While ElseStart Empty If",
        ),
        ("int a;", "DeclStart Type(int) DeclName Declarator VarDef(a) Decl"),
    ] {
        assert_eq!(statement(text), expected, "{text}");
    }
}

#[test]
fn declarations_are_in_postorder() {
    for (text, expected) in [
        (
            "const float a = 1., b[2] = {};",
            "DeclStart Type(float) DeclName Declarator InitStart 1. VarDef(a) \
             DeclName 2 Dim Declarator InitStart InitListStart InitList VarDef(b) Decl",
        ),
        (
            "int a[N][2+1] = {1, {2, x}, {}, {{3}},};",
            "DeclStart Type(int) DeclName N Dim 2 1 Binary(+) Dim Declarator InitStart InitListStart 1 \
             InitListStart 2 x InitList InitListStart InitList InitListStart InitListStart 3 InitList InitList InitList \
             VarDef(a) Decl",
        ),
        (
            "int f(int a[]) { if (a[0]) return 1; }",
            "Type(int) FuncStart ParamsStart Type(int) DeclName EmptyDim Param(a) FuncSignature BlockStart IfStart a \
             IndexStart 0 Index IfCond 1 Return If Block FuncDef(f)",
        ),
        (
            "void f(int a, float b[][3][N], int c[4][5]) {}",
            "Type(void) FuncStart ParamsStart Type(int) DeclName Param(a) Type(float) DeclName EmptyDim 3 Dim N Dim \
             Param(b) Type(int) DeclName 4 Dim 5 Dim Param(c) FuncSignature BlockStart Block FuncDef(f)",
        ),
    ] {
        assert_eq!(rows(text), expected, "{text}");
    }
    assert_eq!(rows(""), "");
    assert!(
        rows("int for, do = 1, struct[2]; int main() { for = do; case(for); switch[1] = 2; }; ")
            .ends_with(")")
    );
}

#[test]
fn nothing_is_too_deep() {
    let n = 100_000;
    let nested =
        |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(n), close.repeat(n));
    for (text, per_level) in [
        (format!("int x = {};", nested("(", "1", ")")), 1),
        (format!("int x = {};", nested("a[", "1", "]")), 3),
        (format!("int x = {};", nested("f(", "1", ")")), 2),
        (format!("int x = {};", nested("-", "1", "")), 1),
        (format!("int x = {};", nested("!", "1", "")), 1),
        (format!("int x = {};", nested("1 + (", "1", ")")), 3),
        (format!("int x = 1{};", " + 1".repeat(n)), 2),
        (format!("int x = 1{};", " && 1".repeat(n)), 3),
        (format!("int x = {};", nested("{", "1", "}")), 2),
        (format!("int x[2] = {{1{}}};", ", {1}".repeat(n)), 3),
        (format!("int x{};", "[1]".repeat(n)), 2),
        (format!("int x = a{};", "[1]".repeat(n)), 3),
        (format!("int f() {}", nested("{", "", "}")), 2),
        (format!("int f() {{ {}; }}", "if (1) ".repeat(n)), 4),
        (format!("int f() {{ {}; }}", "while (1) ".repeat(n)), 4),
        (format!("int f() {{ {}; }}", "if (1) ; else ".repeat(n)), 6),
        (format!("int f() {}", nested("{ if (1) {", ";", "} else {} }")), 11),
    ] {
        let (tree, _, diags, _) = parsed(text.as_bytes());
        assert!(diags.is_empty(), "{}", diags.list()[0].message);
        let extra = tree.len() - per_level * n;
        assert!(extra < 24, "{} rows for {}", tree.len(), &text[..40]);
    }
}

#[test]
fn nothing_unclosed_or_unopened_is_too_deep() {
    let n = 100_000;
    for piece in [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "a[",
        "f(",
        "-",
        "if (",
        "if (1) ",
        "else ",
        "while (",
        "int f(",
        "int a[",
        "= {",
        "1 ",
        "a ",
        "int ",
        "const ",
        "; ",
        ", ",
        "= ",
        "@",
        "& ",
        "\"",
        "'",
        "/*",
        "f(a ",
        "(a]",
        "[a)",
        "for (",
        "{ for (1 ",
        "do {",
        "case 1: ",
        "struct { ",
        "a++ ",
        "a += ",
        "(int) ",
        "if (a = ",
        "int g( ",
        "\nint g() {",
        "return ",
        "1(",
        "a = {",
        "\\",
        "0x ",
        ".",
        "\u{00e9} ",
        "a ? b : ",
        "a -> ",
    ] {
        for before in
            ["", "int x = ", "int x = {", "int f(", "int f() { ", "int f() { x = ", "int f() { if ("]
        {
            let text = format!("{before}{}", piece.repeat(n));
            let (tree, tokens, diags, _) = parsed(text.as_bytes());
            well_formed(&tree);
            assert!(tree.len() <= 4 * tokens.kind.len() + 8, "{before}{piece}: {} rows", tree.len());
            assert!(diags.errors() <= 2 * n + 8, "{before}{piece}: {} errors", diags.errors());
        }
    }
}

#[test]
fn any_tokens_in_any_order_make_a_well_formed_tree() {
    let words = [
        "int",
        "float",
        "void",
        "const",
        "if",
        "else",
        "while",
        "break",
        "continue",
        "return",
        "a",
        "for",
        "do",
        "switch",
        "char",
        "main",
        "1",
        "2.5",
        "\"s\"",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        "=",
        "+",
        "-",
        "*",
        "/",
        "<",
        "!",
        "&&",
        "||",
        "@",
        "09",
        "\n",
        "int f(",
        "int a = {",
        "{ if (a) ",
        "a = ",
        "++",
        "f(",
        "x[",
    ];
    let mut seed = 12345u32;
    for _ in 0..3000 {
        let mut text = if seed & 64 == 0 { "int main() {" } else { "" }.to_string();
        for _ in 0..40 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(words[(seed >> 12) as usize % words.len()]);
            text.push(' ');
        }
        let (tree, _, diags, _) = parsed(text.as_bytes());
        well_formed(&tree);
        let broken = tree.kind.as_slice().contains(&NodeKind::Error);
        assert!(diags.has_errors() || !broken, "{text}");
    }
}

#[test]
fn the_step_of_a_for_stands_behind_its_body() {
    assert_eq!(
        statement("for (i = 0; i < 3; i++) f(i);"),
        "BlockStart i AssignStart 0 Assign ForStart i 3 Binary(<) WhileCond CallStart i Call(f) ExprStmt StepStart \
         i AssignStart Old One Binary(+) Assign For Block"
    );
    assert_eq!(
        statement("for (int i = 0; ; ) ;"),
        "BlockStart DeclStart Type(int) DeclName Declarator InitStart 0 VarDef(i) Decl ForStart One WhileCond Empty \
         StepStart For Block"
    );
    assert_eq!(
        statement("for (; x; f(), --a[1]) for (;;) ;"),
        "BlockStart ForStart x WhileCond BlockStart ForStart One WhileCond Empty StepStart For Block StepStart CallStart \
         Call(f) ExprStmt a IndexStart 1 Index AssignStart Old One Binary(-) Assign For Block"
    );
}

#[test]
fn a_do_has_its_condition_behind_its_body() {
    assert_eq!(
        statement("do x; while (y); do { } while (1);"),
        "DoStart x ExprStmt StepStart y DoCond Do DoStart BlockStart Block StepStart 1 DoCond Do"
    );
    assert_eq!(
        statement("if (a) do ; while (b); else c;"),
        "IfStart a IfCond DoStart Empty StepStart b DoCond Do ElseStart c ExprStmt If"
    );
}

#[test]
fn changes_are_assignments_of_operations_on_what_was_there() {
    assert_eq!(statement("x += y * 2;"), "x AssignStart Old y 2 Binary(*) Binary(+) Assign");
    assert_eq!(
        statement("a[i] %= 3; x--;"),
        "a IndexStart i Index AssignStart Old 3 Binary(%) Assign x AssignStart Old One Binary(-) Assign"
    );
    // Signs with a blank between them are signs.
    assert_eq!(statement("- -x; + +x;"), "x Unary(-) Unary(-) ExprStmt x Unary(+) Unary(+) ExprStmt");
    assert_eq!(statement("x = y - -z;"), "x AssignStart y z Unary(-) Binary(-) Assign");
}

#[test]
fn words_of_loops_are_names_where_they_can_be() {
    assert_eq!(
        statement("int do; do = 1; do; for(1, 2); do; while (do) ;"),
        "DeclStart Type(int) DeclName Declarator VarDef(do) Decl do AssignStart 1 Assign do ExprStmt CallStart 1 2 \
         Call(for) ExprStmt do ExprStmt WhileStart do WhileCond Empty While"
    );
    assert_eq!(statement("do; while (x);"), "DoStart Empty StepStart x DoCond Do");
    assert_eq!(
        statement("do ++x; while (x);"),
        "DoStart x AssignStart Old One Binary(+) Assign StepStart x DoCond Do"
    );
}

#[test]
fn strict_sysy_has_none_of_it() {
    for text in ["for (;;) ;", "do ; while (x);", "do { } while (1);", "x += 1;", "x++;", "a[1]--;"] {
        let text = format!("void f() {{ {text} }}");
        let file = SourceFile::new("a.sy", text.clone().into_bytes());
        let mut diags = Diagnostics::default();
        let tokens = lex(&file, &mut Default::default(), &mut diags);
        parse_as(Standard::Dialect, &file, &tokens, &mut diags);
        assert!(!diags.has_errors(), "{text}");
        parse_as(Standard::Strict, &file, &tokens, &mut diags);
        assert!(diags.has_errors() || text.contains("do ;"), "{text}");
    }
}

#[test]
fn tensor_is_a_word_in_front_of_a_type_and_a_name_elsewhere() {
    assert_eq!(
        statement("tensor int a[2]; const tensor float b[1] = {1};"),
        "DeclStart Type(tensor) DeclName 2 Dim Declarator VarDef(a) Decl DeclStart Type(tensor) DeclName 1 Dim Declarator \
         InitStart InitListStart 1 InitList VarDef(b) Decl"
    );
    assert_eq!(
        statement("int tensor; tensor = 1; tensor[0] = 2; tensor(tensor);"),
        "DeclStart Type(int) DeclName Declarator VarDef(tensor) Decl tensor AssignStart 1 Assign tensor IndexStart 0 Index \
         AssignStart 2 Assign CallStart tensor Call(tensor) ExprStmt"
    );
    for text in [
        "tensor int a[2], b[3]; extern tensor float c[2]; const tensor int d[1] = {1};",
        "tensor int f(tensor int a[], tensor float b[][2], int c) { tensor int r[2]; return r; }",
        "tensor float f(); extern tensor int g(int);",
        "int tensor(int tensor) { return tensor; } int t() { return tensor(1); }",
        "void f() { for (tensor int a[2]; ; ) ; if (1) { tensor int b[2]; } }",
    ] {
        let (tree, _, diags, _) = parsed(text.as_bytes());
        assert!(!diags.has_errors(), "{text}: {:?}", diags.list());
        well_formed(&tree);
    }
    for text in
        ["tensor", "tensor int", "tensor int f", "tensor int (", "f(tensor int", "tensor tensor int a;"]
    {
        well_formed(&parsed(text.as_bytes()).0);
        well_formed(&parsed(format!("void f() {{ {text} ").as_bytes()).0);
    }
}

#[test]
fn a_product_of_matrices_binds_as_a_product_does() {
    assert_eq!(statement("a + b @ c * d @ e;"), "a b c Binary(@) d Binary(*) e Binary(@) Binary(+) ExprStmt");
    assert_eq!(statement("-a @ -b;"), "a Unary(-) b Unary(-) Binary(@) ExprStmt");
    assert_eq!(statement("a @= b;"), "a AssignStart Old b Binary(@) Assign");
}

#[test]
fn editions_that_have_tensors() {
    let text = "tensor int a[2][2]; int main() { tensor int b[2][2]; b = a @ a; return b[0][0]; }";
    let file = SourceFile::new("a.sy", text.as_bytes().to_vec());
    let mut diags = Diagnostics::default();
    let tokens = lex(&file, &mut Default::default(), &mut diags);
    parse_as(Standard::Tensors, &file, &tokens, &mut diags);
    assert!(diags.is_empty());
    parse_as(Standard::Strict, &file, &tokens, &mut diags);
    let said: Vec<&str> = diags.list().iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    let product = "SysY of 2022 has no operator '@', the product of tensors";
    assert_eq!(said, ["SysY of 2022 has no tensors", "SysY of 2022 has no tensors", product]);
}
