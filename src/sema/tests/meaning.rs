//! Constants, scopes and initialisers of programs that are right.

use super::*;
use crate::syntax::tree::NodeKind;

#[test]
fn constants_are_evaluated_while_declaring() {
    for (text, expected) in [
        ("const int a = 2.9;", "a: int = 2"),
        ("const float a = 16777217;", "a: float = 16777216.0"),
        ("const int a = -2147483648;", "a: int = -2147483648"),
        ("const int a = 0x80000000;", "a: int = -2147483648"),
        ("const int a = 0xFFFFFFFF;", "a: int = -1"),
        ("const int a = 2147483647 + 1;", "a: int = -2147483648"),
        ("const int a = (-2147483647 - 1) / -1;", "a: int = -2147483648"),
        ("const int a = 017 + 0x1F;", "a: int = 46"),
        ("const float a = 1 * 2. / 4;", "a: float = 0.5"),
        ("const float a = 1e-45;", "a: float = 1e-45"),
        ("const float a = -0.0;", "a: float = -0.0"),
        ("const int a = 3 != 0 != 0 != .0;", "a: int = 1"),
        ("const int a = .0 && 3;", "a: int = 0"),
        ("const int a = !0.5 || !0;", "a: int = 1"),
        ("const float f = 0.1; const int a = f + f + f == 0.3;", "a: int = 1"),
        ("const float a = 16777216.0 + 1.0 + 1.0;", "a: float = 16777216.0"),
        ("const int b[3] = {1, 2}; const int a = b[1] * 10 + b[2];", "a: int = 20"),
        ("const float b[2][3] = {{1}, {2, 2.5}}; const float a = b[1][1] + b[0][2];", "a: float = 2.5"),
        ("const int n = 3; int a[n + 2 * 4 - 99 / 99][8 / 2];", "a: int[10][4]"),
        ("const int n[2] = {4, 5}; int a[n[1]];", "a: int[5]"),
        ("int a = 5;", "a: int = 5"),
        ("int a;", "a: int = 0"),
        ("void f() { const int b[2] = {7}; { const int a = b[0]; int c[a]; c[0] = a; } }", "a: int = 7"),
        ("void f() { const int b[2] = {7}; { const int a = b[0]; int c[a]; c[0] = a; } }", "c: int[7]"),
    ] {
        let name = expected.split(':').next().unwrap_or("");
        assert_eq!(line(text, name), expected, "{text}");
    }
}

#[test]
fn braces_follow_c() {
    for (text, expected) in [
        ("int a[4] = {};", "{}"),
        ("int a[4] = {0, 0, 0};", "{}"),
        ("int a[4] = {1, 2};", "{0: 1 2}"),
        ("int a[4][2] = {1, 2, {3}, {5}, 7, 8};", "{0: 1 2 3 0 5 0 7 8}"),
        ("int a[4][2] = {{}, {}, {2, 1}, {{}}};", "{4: 2 1}"),
        ("int i[2][3][4] = {1, 2, 3, 4, {5}, {}};", "{0: 1 2 3 4 5}"),
        ("int i[2][3][4] = {1, 2, 3, 4, {5}, {}, {9}};", "{0: 1 2 3 4 5; 12: 9}"),
        ("int c[2][8] = {{0, 9}, 8, 3};", "{1: 9; 8: 8 3}"),
        ("int a[2][3] = {1, {2}, 3, 4};", "{0: 1 2 3 4}"),
        ("int a[2][2][2] = {{1}, {{2}, {3}}};", "{0: 1 0 0 0 2 0 3}"),
        ("int a[2][2][2] = {{{1}, 2}, 3};", "{0: 1 0 2 0 3}"),
        ("int a[3][1][1] = {{1}, {2}, 3};", "{0: 1 2 3}"),
        ("int a[3][1][1] = {{{1}}, {{{2}}}, {}};", "{0: 1 2}"),
        ("float a[2] = {1, 2.5};", "{0: 1.0 2.5}"),
        ("int a[3] = {1.9, -1.9};", "{0: 1 -1}"),
        ("int a[100] = {1, 0, 0, 0, 5, 0, 0, 0, 0, 6};", "{0: 1 0 0 0 5; 9: 6}"),
        ("int a[100000000] = {{7}};", "{0: 7}"),
    ] {
        let name = &text[text.find(' ').unwrap_or(0) + 1..][..1];
        let found = line(text, name);
        assert_eq!(found.split_once(" = ").map(|(_, list)| list), Some(expected), "{text}");
    }
}

#[test]
fn lists_of_locals_keep_what_is_computed_in_order() {
    let text = "void f(int n) { int d[4][2] = {1, 2, {3}, {5}, n, 8}; int e[4] = {0, getint(), 0, -0.0}; d[0][0] = e[0]; }";
    let all = dump::symbols(&meaning(text));
    let d = all.lines().find(|line| line.contains(" d:")).expect("d");
    let node = d.rsplit_once("6: ").and_then(|(_, rest)| rest.split(',').next()).expect("a node");
    assert_eq!(d.split_once("= ").expect("=").1, format!("{{0: 1, 1: 2, 2: 3, 4: 5, 6: {node}, 7: 8}}"));
    let e = all.lines().find(|line| line.contains(" e:")).expect("e");
    assert!(e.contains("{1: n") && !e.contains("0: 0") && !e.contains("2: 0") && !e.contains("3:"), "{e}");
}

#[test]
fn nineteen_dimensions_and_mixed_braces() {
    let dims = "[2]".repeat(19);
    let text = format!("int a{dims} = {{1, 2, {{3}}, 4, 5, {}6{}}};", "{".repeat(3), "}".repeat(3));
    assert!(line(&text, "a").ends_with("{0: 1 2 3 0 4 5 6}"), "{}", line(&text, "a"));
    let nest = format!("int a{dims} = {}7{};", "{".repeat(19), "}".repeat(19));
    assert!(line(&nest, "a").ends_with("{0: 7}"));
}

#[test]
fn scopes_shadow_and_end() {
    let text = "const int a = 1; int f(int f) { int x[a]; const int a = a0() ; return f; }";
    assert!(!complaints(text, &[]).is_empty());
    let text = "const int a = 1; int f(int f) { int x[a]; { const int a = 2; int y[a]; y[0] = 1; } int z[a]; \
                { int f = 3; f = f; } x[0] = z[0]; return f; } void g(int putint) { int getint = 1; g(getint + putint); }";
    let all = dump::symbols(&meaning(text));
    for expected in ["x: int[1]", "y: int[2]", "z: int[1]", "f: int (1)"] {
        assert!(all.contains(expected), "{expected} in\n{all}");
    }
}

#[test]
fn a_dimension_sees_the_outer_name_and_an_initialiser_the_new_one() {
    assert_eq!(line("const int n = 3; void f() { int n[n]; n[0] = 1; }", "n"), "n: int[3]");
    let found = complaints("const int n = 3; void f() { const int n = n; }", &[]);
    assert!(found[0].starts_with("nonconstant-initialiser"), "{found:?}");
}

#[test]
fn a_definition_wins_over_the_runtime_only_from_there_on() {
    let text = "void f() { putint(1); } void putint(int a) { putch(a); } void g() { putint(2); }";
    let program = checked(text, &[]);
    let mut callees = Vec::new();
    for body in &program.bodies {
        let sema = program.checked(body);
        let starts = body.tree.kind.iter().filter(|(_, kind)| **kind == NodeKind::CallStart);
        callees.extend(starts.map(|(n, _)| sema.row(sema.symbol(n).expect("callee")).kind));
    }
    assert_eq!(callees, [SymbolKind::RuntimeFunc, SymbolKind::RuntimeFunc, SymbolKind::Func]);
}

#[test]
fn expressions_have_types_and_values() {
    let text = "float x; int f(int a[][3], int n) { n = x + a[n][1] * 2 - (3 + 4); return !x && n; }";
    let program = checked(text, &[]);
    let (body, sema) = (&program.bodies[0], program.checked(&program.bodies[0]));
    let all: Vec<_> = body
        .tree
        .kind
        .iter()
        .filter(|(_, kind)| {
            matches!(kind, NodeKind::Binary | NodeKind::Index | NodeKind::Unary | NodeKind::And)
        })
        .map(|(n, kind)| format!("{kind:?} {:?} {:?}", dump::type_of(sema, n).view(), sema.constant(n)))
        .collect();
    let (int, float) = ("Scalar(Int)", "Scalar(Float)");
    assert_eq!(all[0], "Index Array(Int, d2) None");
    let rest = [
        format!("Index {int} None"),
        format!("Binary {int} None"),
        format!("Binary {float} None"),
        format!("Binary {int} Some(Int(7))"),
        format!("Binary {float} None"),
        format!("Unary {int} None"),
        format!("And {int} None"),
    ];
    assert_eq!(all[1..], rest);
}

#[test]
fn the_dump_of_a_program() {
    let text = "int g[2] = {1};\nint f(int a) { int b = a + 2; return b; }\nint main() { return f(g[0]); }";
    let dump = dump::dump(&checked(text, &[]));
    let head: Vec<_> = dump.lines().take(6).collect();
    assert_eq!(
        head,
        [
            "s16 global-var g: int[2] = {0: 1}",
            "s17 func f: int (1)",
            "s18 param a: int",
            "s19 func main: int (0)",
            "s20 local-var b: int",
            "f: 16 rows, locals 20..21",
        ]
    );
    assert!(dump.contains("IntLiteral int = 2"), "{dump}");
}
