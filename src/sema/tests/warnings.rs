//! Each group with a case where it speaks and one where it must not.

use super::complaints;

/// (group to turn on, program, what is said).
const WARNINGS: &[(&str, &str, &str)] = &[
    (
        "array-bounds",
        "int a[3]; void f() { a[3] = 1; a[-1] = 2; a[2] = 3; }",
        "array-bounds: subscript 3 of 'a' is outside of 0 to 2 | 3;;array-bounds: subscript -1 of 'a' is outside of 0 to 2 | -1",
    ),
    (
        "array-bounds",
        "void f(int a[]) { a[9] = 1; a[-1] = 2; }",
        "array-bounds: subscript -1 of 'a' is negative | -1",
    ),
    (
        "braces",
        "int a[2] = {{1}, 2}; int b = {1}; int c[2][2] = {{1}, {}};",
        "braces: braces around the initialiser of a scalar | {;;braces: braces around the initialiser of a scalar | {",
    ),
    (
        "constant-condition",
        "void f(int a) { if (1 == 1) {} while (1) {} while (a) {} }",
        "constant-condition: the condition is always true | 1 == 1",
    ),
    (
        "constant-conversion",
        "const int a = 3e9; int b = 2.0;",
        "constant-conversion: the float 3e9 is out of range as an int and becomes 2147483647 | 3e9",
    ),
    (
        "division-by-zero",
        "int f(int a) { if (0) return a / 0 + 1 % 0; return 1 / 1; }",
        "division-by-zero: division by zero | /;;division-by-zero: division by zero | %",
    ),
    ("division-by-zero", "float f(int a) { return a / 0.0; }", ""),
    (
        "float-conversion",
        "const int a = 2.9; int b[1] = {-0.5}; int c = 2.0; float d = 2.5;",
        "float-conversion: the float 2.9 loses its fraction as an int and becomes 2 | 2.9;;float-conversion: the float -0.5 loses its fraction as an int and becomes 0 | -0.5",
    ),
    (
        "float-conversion",
        "int g(int x) { return 1.5; } void f() { g(2.5); f(); }",
        "float-conversion: the float 1.5 loses its fraction as an int and becomes 1 | 1.5;;float-conversion: the float 2.5 loses its fraction as an int and becomes 2 | 2.5",
    ),
    (
        "format",
        "void f(int a) { putf(\"%d %f\", a, a); }",
        "format: conversion '%f' takes float, but its argument is int | a",
    ),
    (
        "format",
        "void f(int a) { putf(\"%d\\n\"); putf(\"\", a); putf(\"%s\", a); }",
        "format: conversion '%d' of the format has no argument | %d;;format: the format has conversions for 0 of 1 arguments | a;;format: the format has the unknown conversion '%s' | %s",
    ),
    ("format", "void f(int a) { putf(\"%d%%%5.2f%c\", a, 1.0, 65); }", ""),
    (
        "incompatible-array",
        "int x[3][5]; void f(int a[]) { f(x); f(x[1]); }",
        "incompatible-array: argument 1 of 'f' has other inner dimensions | x",
    ),
    (
        "incompatible-array",
        "int x[3][5]; void f(int a[][4]) { f(x); putarray(3, x); }",
        "incompatible-array: argument 1 of 'f' has other inner dimensions | x",
    ),
    ("incompatible-array", "int x[3][5]; void f(int a[][5]) { f(x); f(a); }", ""),
    (
        "return-type",
        "int f(int a) { if (a) return 1; }",
        "return-type: 'f' can reach its end without returning a value | }",
    ),
    (
        "return-type",
        "int f(int a) { while (1) { if (a) break; } }",
        "return-type: 'f' can reach its end without returning a value | }",
    ),
    (
        "return-type",
        "int f(int a) { while (1) { if (a) return 1; else continue; } } int g(int a) { if (a) return 1; else { return 2; } } void h() {}",
        "",
    ),
    ("return-type", "int f() { if (1) return 1; } int main() {}", ""),
    (
        "shadow-runtime",
        "void putint(int a) {} int f() { int getch = 1; return getch; }",
        "shadow-runtime: 'putint' hides the runtime function of that name | putint;;shadow-runtime: 'getch' hides the runtime function of that name | getch",
    ),
    ("uninitialized", "int f() { int a; return a; }", "uninitialized: 'a' is read before it has a value | a"),
    (
        "uninitialized",
        "int f() { int a = a + 1; return a; }",
        "uninitialized: 'a' is read before it has a value | a",
    ),
    (
        "uninitialized",
        "int f() { int a; while (1) { if (getint()) return a; } }",
        "uninitialized: 'a' is read but never given a value | a",
    ),
    ("uninitialized", "int f() { int a; while (getint()) { if (getint()) return a; a = 1; } return a; }", ""),
    ("uninitialized", "int f(int n) { int a; int b[2]; if (n) a = 1; return a + b[0]; }", ""),
    (
        "uninitialized",
        "int f() { int a; a += 1; return a; }",
        "uninitialized: 'a' is read before it has a value | a",
    ),
    (
        "compound-assignment",
        "void f(int a) { a += 1; a++; a = a + 1; a /= 2; }",
        "compound-assignment: '+=' is C, not SysY | +=;;compound-assignment: '/=' is C, not SysY | /=",
    ),
    (
        "increment-operator",
        "void f(int a) { a += 1; --a; for (;;) a++; }",
        "increment-operator: '--' is C, not SysY | --;;increment-operator: '++' is C, not SysY | ++",
    ),
    ("for-loop", "void f(int a) { for (;;) { } { while (a) { } } }", "for-loop: 'for' is C, not SysY | for"),
    ("do-loop", "void f(int a) { do { } while (a); while (a) { } }", "do-loop: 'do' is C, not SysY | do"),
    ("return-type", "int f() { for (;;) { } } int g() { do { return 1; } while (1); }", ""),
    ("return-type", "int f(int a) { do { if (a) continue; return 1; } while (1); }", ""),
    (
        "return-type",
        "int f(int a) { do { if (a) break; return 1; } while (1); }",
        "return-type: 'f' can reach its end without returning a value | }",
    ),
    (
        "return-type",
        "int f(int a) { do { if (a) continue; return 1; } while (a); }",
        "return-type: 'f' can reach its end without returning a value | }",
    ),
    ("sometimes-uninitialized", "int f() { int x; do { x = getint(); } while (x < 3); return x; }", ""),
    ("conditional-uninitialized", "int f() { int x; do { x = getint(); } while (x < 3); return x; }", ""),
    (
        "conditional-uninitialized",
        "int f() { int x; do { x = 1; if (getint()) break; } while (x); return x; }",
        "",
    ),
    (
        "conditional-uninitialized",
        "int f() { int x; do { if (getint()) break; x = 1; } while (x); return x; }",
        "conditional-uninitialized: 'x' may be read before it has a value | x",
    ),
    (
        "conditional-uninitialized",
        "int f() { int x; for (int i = getint(); i < 3; i++) x = i; return x; }",
        "conditional-uninitialized: 'x' may be read before it has a value | x",
    ),
    ("infinite-loop", "int f(int n) { for (int i = 0; i < n; i++) n = n; do n--; while (n); return n; }", ""),
    (
        "infinite-loop",
        "int f(int n) { int s = 0; for (int i = 0; i < n; s++) putint(i); return s; }",
        "infinite-loop: this loop never ends once it is entered: nothing in it changes its condition | i < n",
    ),
    ("empty-body", "void f(int a) { for (; a; a--) ; do ; while (a); }", ""),
    (
        "unused-function",
        "int g() { return 1; } int f() { return g(); }",
        "unused-function: function 'f' is never called | f",
    ),
    (
        "unused-parameter",
        "int f(int a, int b) { return a; }",
        "unused-parameter: parameter 'b' is never used | b",
    ),
    (
        "unused-value",
        "void f(int a) { a + 1; a; f(a); (f(a)); ; }",
        "unused-value: the statement has no effect | a + 1;;unused-value: the statement has no effect | a",
    ),
    (
        "unused-variable",
        "void f() { int a; int b = 1; const int c = 2; int d[2]; d[0] = c; }",
        "unused-variable: variable 'a' is never used | a;;unused-variable: variable 'b' is given a value but never read | b",
    ),
];

#[test]
fn each_group_speaks_where_it_should_and_nowhere_else() {
    let mut wrong = String::new();
    for (group, text, expected) in WARNINGS {
        let mut flags: Vec<String> =
            super::warning::GROUPS.iter().map(|group| format!("no-{}", group.name)).collect();
        flags.push((*group).to_string());
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let found = complaints(text, &flags).join(";;");
        if found != *expected {
            wrong.push_str(&format!("{group}: {text}\n  expected {expected}\n  found    {found}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn division_by_zero_in_dead_code_is_no_error() {
    let found = complaints("int f() { if (0) return 1 / 0; int a = 3 % 0; return a; }", &[]);
    assert!(found.iter().all(|line| line.starts_with("division-by-zero")), "{found:?}");
}
