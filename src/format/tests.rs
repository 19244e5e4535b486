//! The style, rule by rule: what is written, and what stands there then. What `tests/format.rs` asks of whole programs
//! is asked of each.

use super::*;
use crate::source::edit::apply;

fn format(text: &str, standard: Standard) -> String {
    let file = SourceFile::new("t.sy", text.as_bytes().to_vec());
    let edits = edits(&file, standard).unwrap_or_else(|diags| panic!("{text}: {diags:?}"));
    let out = apply(text.as_bytes(), &[&edits]).0;
    assert!(is_same_program(text.as_bytes(), &out), "{text}\n{}", String::from_utf8_lossy(&out));
    String::from_utf8(out).unwrap()
}

/// A text formatted, which is then left alone.
fn formatted(text: &str) -> String {
    let once = format(text, Standard::Dialect);
    assert_eq!(format(&once, Standard::Dialect), once, "not left alone");
    once
}

/// The same of statements.
fn statements(text: &str) -> String {
    let out = formatted(&format!("void f() {{\n{text}\n}}\n"));
    let inside = out.strip_prefix("void f() {\n").and_then(|out| out.strip_suffix("}\n")).unwrap();
    inside.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}

#[test]
fn blanks_stand_around_operators_and_behind_words() {
    for (text, wanted) in [
        ("x=a+b*-c%d/!e-+f;", "x = a + b * -c % d / !e - +f;\n"),
        ("x = a [ 1 ] [ i+1 ] ;", "x = a[1][i + 1];\n"),
        ("f ( ) ; g( a,b , - 1 );", "f();\ng(a, b, -1);\n"),
        ("x=( a+b )*( c );", "x = (a + b) * (c);\n"),
        ("if(a<b&&c>=d||e==f)x=1;", "if (a < b && c >= d || e == f) x = 1;\n"),
        ("while( a!=b )x=1;", "while (a != b) x = 1;\n"),
        ("return  ( 1 );return;", "return (1);\nreturn;\n"),
        ("const  int a=1,b [2]={1 , 2};", "const int a = 1, b[2] = {1, 2};\n"),
        ("int c[2] = { };", "int c[2] = {};\n"),
        // Two signs are not to look like one.
        ("x = - - a; x = - -(-a); x = -+a;", "x = - -a;\nx = - -(-a);\nx = -+a;\n"),
        ("- - a;", "- -a;\n"),
        ("a ++ ;++  a ;a+=2;a @= b;", "a++;\n++a;\na += 2;\na @= b;\n"),
        ("for(i=0;i<n;i ++,--j)x+=i;", "for (i = 0; i < n; i++, --j) x += i;\n"),
        ("for( ; ; )x=1;", "for (;;) x = 1;\n"),
        ("do x++ ;while( x<5 ) ;", "do x++; while (x < 5);\n"),
        ("tensor  int t[2]={1,2};t=t@t;", "tensor int t[2] = {1, 2};\nt = t @ t;\n"),
        ("putf ( \"a  b\" ,1 ) ;", "putf(\"a  b\", 1);\n"),
    ] {
        assert_eq!(statements(text), wanted);
    }
    assert_eq!(
        formatted("extern  int x ;int f( int a [ ] [2],float ) ;"),
        "extern int x;\nint f(int a[][2], float);\n"
    );
    // What is no loop in strict SysY.
    assert_eq!(
        format("int main(){++a;for(1);}", Standard::Strict),
        "int main() {\n    + +a;\n    for(1);\n}\n"
    );
}

#[test]
fn statements_have_lines_and_levels_of_their_own() {
    for (text, wanted) in [
        ("{x=1;y=2;}", "{\n    x = 1;\n    y = 2;\n}\n"),
        ("if(a)\n{x=1;}\nelse\n{x=2;}", "if (a) {\n    x = 1;\n} else {\n    x = 2;\n}\n"),
        ("if(a)x=1;else x=2;", "if (a) x = 1;\nelse x = 2;\n"),
        ("if(a)\nx=1;else\nx=2;", "if (a)\n    x = 1;\nelse\n    x = 2;\n"),
        (
            "if (a) {} else\nif (b) x=1; else if (c) {} else {x=2;}",
            "if (a) {} else if (b) x = 1;\nelse if (c) {} else {\n    x = 2;\n}\n",
        ),
        // The `else` of the inner one, and of the outer.
        ("if(a)if(b)x=1;else x=2;", "if (a)\n    if (b) x = 1;\n    else x = 2;\n"),
        ("if(a){if(b)x=1;}else x=2;", "if (a) {\n    if (b) x = 1;\n} else x = 2;\n"),
        ("while(a)while(b)if(c)x=1;y=2;", "while (a)\n    while (b)\n        if (c) x = 1;\ny = 2;\n"),
        ("for(;;)\n{break;}", "for (;;) {\n    break;\n}\n"),
        ("do\n{x=1;}\nwhile(a);", "do {\n    x = 1;\n} while (a);\n"),
        ("do\nx=1;while(a);", "do\n    x = 1;\nwhile (a);\n"),
        ("do do x=1; while(a); while(b);", "do\n    do x = 1; while (a);\nwhile (b);\n"),
        ("while(a);while(b)\n;", "while (a);\nwhile (b)\n    ;\n"),
        (";;", ";\n;\n"),
    ] {
        assert_eq!(statements(text), wanted);
    }
    assert_eq!(
        formatted("\n\n\nint a;int f(int x)\n{\n\n\nreturn x;\n\n}\n\n\n\nint main(){}\n\n"),
        "int a;\nint f(int x) {\n    return x;\n}\n\nint main() {}\n"
    );
    for empty in ["", "\n \t\n", "\\\n"] {
        assert_eq!(formatted(empty), "");
    }
}

#[test]
fn long_lines_are_broken_at_commas_and_operators() {
    let a = "a".repeat(30);
    assert_eq!(
        statements(&format!("x = {a} * {a} + {a} * {a};")),
        format!("x = {a} * {a} +\n    {a} * {a};\n"),
        "the weaker operator"
    );
    assert_eq!(
        statements(&format!("g({a}, {a} + 1, h({a}, 2), 3);")),
        format!("g({a}, {a} + 1,\n    h({a}, 2), 3);\n"),
        "the outer comma"
    );
    assert_eq!(
        statements(&format!("if ({a} == 1 && {a} == 2 || {a} == 3) x = 1;")),
        format!("if ({a} == 1 && {a} == 2 ||\n        {a} == 3)\n    x = 1;\n"),
        "a condition is told from what it is of"
    );
    let parameters = format!("int {a}");
    assert_eq!(
        formatted(&format!("void f({parameters}, {parameters}, {parameters}) {{ }}")),
        format!("void f({parameters}, {parameters},\n        {parameters}) {{}}\n")
    );
    // What cannot be broken stays, and what is behind it is broken.
    let long = "b".repeat(120);
    assert_eq!(statements(&format!("x = {long} + 1;")), format!("x = {long} +\n    1;\n"));
    let line = statements(&format!("g({});", vec!["123456789"; 60].join(",")));
    assert!(line.lines().all(|line| (70..=96).contains(&line.len()) || line.ends_with(");")), "{line}");
    // A statement that fits without its `if` only.
    assert_eq!(statements(&format!("if ({a} == {a}) g({a});")), format!("if ({a} == {a})\n    g({a});\n"));
}

#[test]
fn line_ends_behind_commas_and_the_brackets_of_lists_stay() {
    for (text, wanted) in [
        ("int a[2][2]={\n{1,2},\n{3,4}\n};", "int a[2][2] = {\n    {1, 2},\n    {3, 4}\n};\n"),
        ("int a[2][2]={{1,2},\n{3,4}};", "int a[2][2] = {{1, 2},\n    {3, 4}};\n"),
        ("int a[2]={1,\n\n\n2\n\n};", "int a[2] = {1,\n\n    2\n};\n"),
        ("int a[2]={\n1,2};", "int a[2] = {\n    1, 2\n};\n"),
        ("int a[2][1]={\n{\n1\n},{2}};", "int a[2][1] = {\n    {\n        1\n    }, {2}\n};\n"),
        ("f(\na,\nb);", "f(\n    a,\n    b\n);\n"),
        ("f(a,\n  g(b,\n c), d);", "f(a,\n    g(b,\n        c), d);\n"),
        ("int a = 1,\nb = 2;", "int a = 1,\n    b = 2;\n"),
        // Others do not.
        ("x = a +\nb\n+ c;", "x = a + b + c;\n"),
        ("x = (\na\n);", "x = (a);\n"),
        ("if (\na\n) x\n=\n1;", "if (a) x = 1;\n"),
    ] {
        assert_eq!(statements(text), wanted);
    }
}

#[test]
fn comments_stay_where_they_are() {
    for (text, wanted) in [
        (
            "x=1;// a \ny=2; /* b */\n// c\n  /* d */ z=3;",
            "x = 1; // a\ny = 2; /* b */\n// c\n/* d */ z = 3;\n",
        ),
        ("x=1; /* of y */ y=2;", "x = 1;\n/* of y */ y = 2;\n"),
        ("x=a/* b */+/*c*/d;", "x = a /* b */ + /*c*/ d;\n"),
        ("f(/* a */1,2/* b */);", "f(/* a */ 1, 2 /* b */);\n"),
        ("x = a // 1\n+ b // 2\n;", "x = a // 1\n    + b // 2\n    ;\n"),
        ("x =\n// why\n1;", "x =\n    // why\n    1;\n"),
        (
            "if(a) // b\n{x=1;} // c\nelse // d\nx=2;",
            "if (a) // b\n{\n    x = 1;\n} // c\nelse // d\n    x = 2;\n",
        ),
        ("if (a) {\n// b\n} else {\n/* c */ }", "if (a) {\n    // b\n} else {\n    /* c */\n}\n"),
        ("{\n\n// a\n\n\n// b\n\n}", "{\n    // a\n\n    // b\n}\n"),
        ("do x=1; // a\nwhile (b);", "do x = 1; // a\nwhile (b);\n"),
        (
            "int a[2]={ // a\n1, // b\n// c\n2 // d\n};",
            "int a[2] = { // a\n    1, // b\n    // c\n    2 // d\n};\n",
        ),
        ("  /* a\n  * b\n\t*/\nx=1;", "/* a\n * b\n */\nx = 1;\n"),
        ("/* a  \n   b\n  */ x=1;", "/* a\n   b\n  */ x = 1;\n"),
        ("x=1; // a \\  \n   b \ny=2;", "x = 1; // a \\  \n   b\ny = 2;\n"),
    ] {
        assert_eq!(statements(text), wanted, "{text}");
    }
    assert_eq!(formatted("// a"), "// a\n");
    assert_eq!(formatted("\n\n /* a */int x;//b\n\n\n//c\n\n"), "/* a */ int x; //b\n\n//c\n");
}

#[test]
fn comments_in_one_column_stay_so() {
    for (text, wanted) in [
        ("a=1;    // x\nbbb = 1; // y\n", "a = 1; // x\nbbb = 1; // y\n"),
        ("a=1;    // x\nbb=1;   // y\nc=100;  // z\n", "a = 1;   // x\nbb = 1;  // y\nc = 100; // z\n"),
        ("/* v */ f(a, // x\nb);", "/* v */ f(a, // x\n    b);\n"),
        ("/* w */ a=1; // x\nbb=1;        // y\n", "/* w */ a = 1; // x\nbb = 1;        // y\n"),
        // The line of a bracket begins with a comment.
        ("x = a[0\n/* w */][ // x\n3 + x];   // y\n", "x = a[0\n    /* w */][ // x\n    3 + x];   // y\n"),
        // Only where lines follow each other.
        ("a=1;  // x\n\nbb=1; // y\n", "a = 1; // x\n\nbb = 1; // y\n"),
        ("a=1;  // x\nb=1;\nbb=1; // y\n", "a = 1; // x\nb = 1;\nbb = 1; // y\n"),
        ("a=1;  // x\nb=1;bb=1; // y\n", "a = 1; // x\nb = 1;\nbb = 1; // y\n"),
        // Tabs of four or eight columns.
        ("a=1;\t// x\nbbbb=1;\t// y\n", "a = 1;    // x\nbbbb = 1; // y\n"),
        ("int a[2] = {1, // x\n2              // y\n};", "int a[2] = {1, // x\n    2          // y\n};\n"),
        (
            "if (a) {   // x\nb=1;       // y\n}          // z\n",
            "if (a) {   // x\n    b = 1; // y\n}          // z\n",
        ),
    ] {
        assert_eq!(statements(text), wanted, "{text}");
    }
}

#[test]
fn formatting_can_be_switched_off() {
    for (off, on) in
        [("// sysyc fmt: off", "// sysyc fmt: on"), ("/* clang-format off */", "// clang-format on")]
    {
        let text =
            format!("int  a;\n  {off}\nint m[4] = {{ 1,  0,\n             0,  1 }};\n  {on}\nint  b;\n");
        let wanted = format!("int a;\n{off}\nint m[4] = {{ 1,  0,\n             0,  1 }};\n  {on}\nint b;\n");
        assert_eq!(formatted(&text), wanted);
    }
    // ... to the end.
    assert_eq!(formatted("int  a; // clang-format off\nint  b;"), "int a; // clang-format off\nint  b;\n");
}

#[test]
fn line_ends_are_those_of_the_text() {
    assert_eq!(
        formatted("int a;\r\nint f(){return 1;}\r\n"),
        "int a;\r\nint f() {\r\n    return 1;\r\n}\r\n"
    );
    assert_eq!(formatted("int a;\nint b;\r\n"), "int a;\nint b;\n");
    assert_eq!(formatted("/* a  \r\n * b */\r\nint  a;"), "/* a\r\n * b */\r\nint a;\r\n");
}

#[test]
fn what_is_wrong_is_refused_and_depth_costs_nothing() {
    let wrong =
        |text: &str| edits(&SourceFile::new("t.sy", text.as_bytes().to_vec()), Standard::Dialect).is_err();
    assert!(wrong("int a") && wrong("int main() { return 1 }") && wrong("/* a") && wrong("int a = 08;"));
    // Not what names mean.
    assert!(!wrong("int main() { return b; }"));
    // Bytes that are no UTF-8 stay in comments.
    let text = b"int  a; // \xb0\xa1\xff \n";
    let file = SourceFile::new("t.sy", text.to_vec());
    let found = edits(&file, Standard::Dialect).unwrap();
    assert_eq!(apply(text, &[&found]).0, b"int a; // \xb0\xa1\xff\n");
    let deep = 20_000;
    for text in [
        format!("void f() {{ {} {} }}", "{".repeat(deep), "}".repeat(deep)),
        format!("void f() {{ {} ; }}", "if (1) ".repeat(deep)),
        format!("int a = {}1{};", "(".repeat(deep), ")".repeat(deep)),
        format!("int a[1] = {}1{};", "{".repeat(deep), "}".repeat(deep)),
        format!("int a = {}1;", "- ".repeat(deep)),
        format!("int a = {}1{};", "2 - (".repeat(deep), ")".repeat(deep)),
    ] {
        assert!(formatted(&text).len() < 400 * deep);
    }
}
