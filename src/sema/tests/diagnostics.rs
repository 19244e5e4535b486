//! Each rule once, with its place, and no second complaint about the same thing.

use super::{checked, complaints};
use crate::source::Diagnostic;

/// (program, what is said about it, `;;` between two).
const ERRORS: &[(&str, &str)] = &[
    // Names.
    ("int f() { return x; }", "undeclared: name 'x' is not declared | x"),
    ("int f() { return x + x * x; }", "undeclared: name 'x' is not declared | x"),
    ("int f() { return g(); } int g() { return 1; }", "undeclared: function 'g' is not declared | g"),
    ("int f() { { int a = 1; a = a; } return a; }", "undeclared: name 'a' is not declared | a"),
    ("int a; float a;", "redeclared: 'a' is declared twice in this scope | a"),
    ("int a; int a() { return 1; }", "redeclared: 'a' is declared twice in this scope | a"),
    ("void f(int a) { int a; a = 1; }", "redeclared: 'a' is a parameter of the function | a"),
    ("void f(int a, int a) {}", "redeclared: 'a' is declared twice in this scope | a"),
    ("void f() { int b = 1; b = b; int b; }", "redeclared: 'b' is declared twice in this scope | b"),
    ("int f() { return f; }", "function-as-value: function 'f' is used as a variable | f"),
    ("void f() { f = 1; }", "function-as-value: function 'f' is used as a variable | f"),
    ("int a; void f() { a(); }", "not-a-function: 'a' is not a function | a"),
    ("void f(int f) { f(1); }", "not-a-function: 'f' is not a function | f"),
    // Calls.
    ("void f(int a) { f(); }", "argument-count: 'f' takes 1 argument, but 0 were given | )"),
    ("void f(int a) { f(1, 2); }", "argument-count: 'f' takes 1 argument, but 2 were given | 2"),
    ("void f() { putint(); }", "argument-count: 'putint' takes 1 argument, but 0 were given | )"),
    ("void f() { starttime(1); }", "argument-count: 'starttime' takes 0 arguments, but 1 was given | 1"),
    ("void f(int a[]) { f(1); }", "argument-type: argument 1 of 'f' has the wrong type | 1"),
    ("float x[3]; void f(int a[]) { f(x); }", "argument-type: argument 1 of 'f' has the wrong type | x"),
    ("int x[3]; void f(int a) { f(x); }", "argument-type: argument 1 of 'f' has the wrong type | x"),
    (
        "int x[3]; void f() { putfarray(1, x); }",
        "argument-type: argument 2 of 'putfarray' has the wrong type | x",
    ),
    ("void f(int a) { putf(a); }", "argument-type: the first argument of 'putf' is not a string literal | a"),
    ("void f() { putint(\"a\"); }", "string-literal: a string literal is used as a value | \"a\""),
    ("void f() { int a = \"a\" + 1; }", "syntax: a string literal can only be an argument | \"a\""),
    ("void f() { putint(f()); }", "void-value: 'f' returns nothing, but its value is used | f()"),
    ("void f() { int a = 1 + f(); }", "void-value: 'f' returns nothing, but its value is used | f()"),
    ("void f() { if (f()) {} }", "void-value: 'f' returns nothing, but its value is used | f()"),
    // Arrays.
    ("int a[3]; int f() { return a; }", "array-as-scalar: array 'a' is used as a number | a"),
    ("int a[3]; int f() { return -a; }", "array-as-scalar: array 'a' is used as a number | a"),
    (
        "int a[3][4]; int f() { return a[1]; }",
        "array-as-scalar: 1 more subscript needed for an element of 'a' | a[1]",
    ),
    (
        "int a[3][4]; int f() { if (a) return 1; return a == a; }",
        "array-as-scalar: array 'a' is used as a number | a;;array-as-scalar: arrays cannot be compared | ==",
    ),
    (
        "int a[3]; int f() { return a[1][2]; }",
        "too-many-subscripts: too many subscripts: 'a' has 1 dimension | a[1][2]",
    ),
    ("int a; int f() { return a[1]; }", "not-an-array: 'a' is not an array | a[1]"),
    ("int a[3]; int f() { return a[1.0]; }", "float-subscript: a subscript is a float | 1.0"),
    ("int a[3]; void f() { a = 1; }", "assign-array: array 'a' cannot be assigned to as a whole | a"),
    (
        "int a[3][4]; void f() { a[1] = 1; }",
        "assign-array: part of array 'a' cannot be assigned to as a whole | a[1]",
    ),
    ("int n; int a[n];", "nonconstant-dimension: a length of array 'a' is not constant | n"),
    (
        "int f(int n) { int a[n + 1]; return a[0]; }",
        "nonconstant-dimension: a length of array 'a' is not constant | n + 1",
    ),
    ("int a[0];", "dimension-size: a length of array 'a' is 0 | 0"),
    ("int a[2][-1];", "dimension-size: a length of array 'a' is -1 | -1"),
    ("int a[2.0];", "float-dimension: a length of array 'a' is a float | 2.0"),
    ("int a[2 / 0];", "constant-division-by-zero: division by zero in a constant expression | 2 / 0"),
    ("int a[1073741824][1073741824];", "array-too-large: array 'a' is too large | a"),
    ("int a[536870912];", "array-too-large: array 'a' is too large | a"),
    ("int a[65536][65536][65536][65536][65536];", "array-too-large: array 'a' is too large | a"),
    ("void f(int a[][65536][65536]) {}", "array-too-large: array 'a' is too large | a"),
    // Initialisers.
    ("int a[2] = {1, 2, 3};", "excess-initialisers: too many initialisers for 'a' | 3"),
    ("int a[2] = {1, 2, 3, 4, 5};", "excess-initialisers: too many initialisers for 'a' | 3"),
    ("int a[2][2] = {{1, 2, 3}, 4};", "excess-initialisers: too many initialisers for 'a' | 3"),
    ("int a[2][2] = {1, 2, 3, 4, {5}};", "excess-initialisers: too many initialisers for 'a' | {5}"),
    ("int a[2] = {{1, 2}};", "excess-initialisers: too many initialisers for 'a' | 2"),
    ("int a = {1, 2};", "scalar-list: int variable 'a' is initialised with a list | {"),
    ("int a = {};", "scalar-list: int variable 'a' is initialised with a list | {"),
    ("const float a = {{1}}; int b[a];", "scalar-list: float variable 'a' is initialised with a list | {"),
    ("int a[2] = 1;", "array-initialiser: array 'a' is initialised with a single value | 1"),
    ("int b[2]; int a[2] = {b};", "array-as-scalar: array 'b' is used as a number | b"),
    (
        "int b; int a = b;",
        "nonconstant-initialiser: the initialiser of global variable 'a' is not constant | b",
    ),
    (
        "int b; int a[2] = {1, b};",
        "nonconstant-initialiser: the initialiser of global variable 'a' is not constant | b",
    ),
    (
        "const int a = getint(); int b[a];",
        "nonconstant-initialiser: the initialiser of constant 'a' is not constant | getint()",
    ),
    (
        "void f(int n) { const int a = n; }",
        "nonconstant-initialiser: the initialiser of constant 'a' is not constant | n",
    ),
    (
        "const int a = a + 1;",
        "nonconstant-initialiser: the initialiser of constant 'a' is not constant | a + 1",
    ),
    ("const int a = 7 % 0;", "constant-division-by-zero: division by zero in a constant expression | 7 % 0"),
    ("const int a; int b = a;", "missing-initialiser: constant 'a' has no initialiser | a"),
    // Assignment.
    ("const int a = 1; void f() { a = 2; }", "assign-const: constant 'a' cannot be assigned to | a"),
    (
        "const int a[2] = {1}; void f() { a[0] = 2; }",
        "assign-const: constant array 'a' cannot be assigned to | a[0]",
    ),
    // Control.
    ("void f() { break; }", "break-outside-loop: 'break' outside of a loop | break"),
    ("void f() { while (0) {} continue; }", "continue-outside-loop: 'continue' outside of a loop | continue"),
    ("void f() { return 1; }", "return-value: 'return' with a value in 'f', which returns nothing | 1"),
    (
        "float f() { return; }",
        "missing-return-value: 'return' without a value in 'f', which returns float | return",
    ),
    // Types.
    ("void a;", "syntax: a variable cannot be void | void"),
    ("void f(void a) { a = a + 1; }", "syntax: a parameter cannot be void | void"),
    ("float x; int f() { return 1 % x; }", "float-operand: an operand of '%' is a float | x"),
    ("int f() { return 99999999999; }", "int-literal: the number is too large for an int | 99999999999"),
    // Main.
    ("int main(int a) { return a; }", "main-signature: 'main' takes no parameters | main"),
    ("void main() {}", "main-signature: 'main' must return int | main"),
    ("int f() { return 1; } // main", "missing-main: the program has no function 'main' | "),
    ("int main;", "missing-main: 'main' is not a function | main"),
];

#[test]
fn each_rule_has_its_message_and_says_it_once() {
    let mut wrong = String::new();
    for (text, expected) in ERRORS {
        let found = complaints(text, &["no-uninitialized", "no-shadow-runtime", "no-return-type"]).join(";;");
        if found != *expected {
            wrong.push_str(&format!("{text}\n  expected {expected}\n  found    {found}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn messages_name_types_and_point_to_declarations() {
    let checked = checked("int a[3][4]; void f(float x[][2]) { f(a); }", &[]);
    let diagnostic = &checked.diags.list()[0];
    assert_eq!(diagnostic.label, "expected float[][2], found int[3][4]");
    assert_eq!(diagnostic.secondary[0].1, "'x' is declared here");
}

#[test]
fn near_names_are_suggested() {
    for (text, expected) in [
        ("void f() { int count = 1; putint(cuont); }", "did you mean 'count'?"),
        ("void f() { putitn(1); }", "did you mean 'putint'?"),
        ("int f() { return g(); } int g() { return 1; }", "move its definition up"),
    ] {
        let checked = checked(text, &[]);
        let Diagnostic { help, edits, .. } = &checked.diags.list()[0];
        let advice: Vec<_> = edits.iter().map(|edit| edit.advice(text.as_bytes())).collect();
        assert_eq!([help.as_slice(), &advice].concat(), [expected], "{text}");
    }
    let checked = checked("void f() { xyz(); }", &[]);
    assert!(checked.diags.list()[0].help.is_empty());
}

#[test]
fn items_with_syntax_errors_are_silent_afterwards() {
    let text = "int a[; int f(int x) { int y = ; return x; } int main() { return f(a, 2) + q; }";
    let checked = checked(text, &[]);
    let semantic: Vec<_> =
        checked.diags.list().iter().filter(|d| d.code == "undeclared").map(|d| d.message.as_str()).collect();
    assert_eq!(semantic, ["name 'q' is not declared"]);
    assert!(checked.diags.errors() >= 3);
}

#[test]
fn arguments_and_parameters_are_limited() {
    let many = vec!["1"; 65_536].join(",");
    assert!(
        complaints(&format!("void f() {{ putf(\"\", {many}); }}"), &[])[0].starts_with("too-many-arguments")
    );
    let many: Vec<String> = (0..65_536).map(|k| format!("int a{k}")).collect();
    assert!(
        complaints(&format!("void f({}) {{}}", many.join(",")), &[])[0].starts_with("too-many-parameters")
    );
}

#[test]
fn every_kind_of_argument_agrees_with_every_kind_of_parameter_or_not() {
    // Parameters, and arguments: text, class, and the inner dimensions of an array.
    let params = [("int p", 'i', ""), ("float p", 'f', ""), ("int p[]", 'I', ""), ("float p[]", 'F', "")];
    let params = params.into_iter().chain([("int p[][3]", 'I', "3"), ("float p[][2][3]", 'F', "23")]);
    let arguments = [
        ("i", 'i', ""),
        ("7", 'i', ""),
        ("n", 'i', ""),
        ("i + 1", 'i', ""),
        ("x", 'f', ""),
        ("2.0", 'f', ""),
        ("2.5", 'c', ""),
        ("a", 'I', ""),
        ("b[1]", 'I', ""),
        ("b", 'I', "3"),
        ("c", 'F', ""),
        ("d", 'F', "23"),
        ("d[0]", 'F', "3"),
        ("v()", 'v', ""),
        ("none", 'e', ""),
    ];
    for (param, wanted, inner) in params {
        for (argument, given, own) in arguments {
            let agrees = match (wanted, given) {
                ('i', 'i' | 'f') | ('f', 'i' | 'f' | 'c') => true,
                ('I', 'I') | ('F', 'F') => inner == own,
                _ => false,
            };
            for (more, last) in [("", ""), ("int q, ", "1, "), ("float q[], ", "c, ")] {
                let text = format!(
                    "int i; const int n = 2; float x; int a[4]; int b[4][3]; float c[5]; float d[2][2][3];
                     void v() {{}} void f({more}{param}) {{}} void g() {{ f({last}{argument}); }}"
                );
                let found = complaints(&text, &[]);
                assert_eq!(found.len(), usize::from(!agrees), "f({param}) by f({argument}): {found:?}");
            }
        }
    }
}
