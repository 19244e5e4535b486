//! What mistakes are told, where, and how often: one error for one mistake, and all of a file in one run.

use super::*;

/// Messages with their places.
fn errors(text: &str) -> Vec<String> {
    errors_as(Standard::Dialect, text)
}

fn errors_as(standard: Standard, text: &str) -> Vec<String> {
    let (tree, _, diags, file) = parsed_as(standard, text.as_bytes());
    well_formed(&tree);
    let list = diags.sorted();
    let place = |at: u32| ColumnCursor::default().line_column(&file, at);
    list.iter()
        .map(|diagnostic| {
            let (line, column) = place(diagnostic.span.unwrap().start);
            format!("{line}:{column} {}", diagnostic.message)
        })
        .collect()
}

#[test]
fn one_mistake_in_a_statement_is_one_error_and_says_what() {
    for (text, expected) in [
        ("a = 1\n b = 2;", "1:18 missing ';'"),
        ("f(a)\n return;", "1:17 missing ';'"),
        ("a b;", "1:15 expected an operator or ';', found 'b'"),
        ("if (a > 1 { b = 2; } else c;", "1:22 missing ')'"),
        ("if a > 1) { b = 2; }", "1:16 missing '(' after 'if'"),
        ("while (a)) b = 2;", "1:22 this ')' closes nothing"),
        ("a = (b + 1;", "1:23 missing ')'"),
        ("a = f(b, (c);", "1:25 missing ')'"),
        ("a[1 = 2;", "1:16 missing ']'"),
        ("a = b[1;", "1:20 missing ']'"),
        ("a = b[f(1];", "1:22 missing ')'"),
        ("a = (b[1);", "1:21 missing ']'"),
        ("f(a));", "1:17 this ')' closes nothing"),
        ("a = b];", "1:18 this ']' closes nothing"),
        ("a = (b]);", "1:19 this ']' closes nothing"),
        ("f(a b);", "1:17 expected ',' or ')', found 'b'"),
        ("a = (b c d e);", "1:20 expected an operator or ')', found 'c'"),
        ("a = ;", "1:17 expected an expression, found ';'"),
        ("a = b + * c;", "1:21 SysY has no pointers"),
        ("f(,);", "1:15 expected an expression, found ','"),
        ("a = () + ();", "1:18 expected an expression, found ')'"),
        ("if () ;", "1:17 expected an expression, found ')'"),
        ("1 = a;", "1:13 this cannot be assigned to"),
        ("a + b = c;", "1:13 this cannot be assigned to"),
        ("f() = c;", "1:13 the result of a call cannot be assigned to"),
        ("a = b = c;", "1:19 SysY has no assignment inside expressions"),
        ("if (a = b) ;", "1:19 SysY has no assignment inside expressions"),
        ("a = b, c;", "1:18 SysY has no comma operator"),
        ("a = (b, c);", "1:19 SysY has no comma operator"),
        ("a = f()[1];", "1:20 only a named array can be indexed"),
        ("a = \"b\";", "1:17 a string literal can only be an argument"),
        ("else a;", "1:13 'else' without 'if'"),
        ("if (a) else b;", "1:20 expected a statement, found 'else'"),
        ("if (a) int b;", "1:20 a declaration cannot stand here on its own"),
        ("int ;", "1:17 expected a name to declare, found ';'"),
        ("int 3;", "1:17 expected a name to declare, found '3'"),
        ("int while = 3;", "1:17 'while' is a keyword and cannot be a name"),
        ("const a = 3;", "1:19 expected 'int' or 'float', found 'a'"),
        ("void a;", "1:13 a variable cannot be void"),
        ("int a[] = {1};", "1:18 the length of the array is missing"),
        ("int a[2] = {1, 2;", "1:29 missing '}'"),
        ("int a[2] = {1 2};", "1:27 expected ',' or '}', found '2'"),
        ("int g(int x) { return x; }", "1:17 a function cannot be defined inside a function"),
        ("a = {1, {2}};", "1:17 a braced list can only initialise a variable"),
    ] {
        assert_eq!(errors(&format!("void f() {{  {text} z = 9; }}")).join("\n"), expected, "{text}");
    }
}

#[test]
fn constructs_of_c_are_named() {
    for (text, expected) in [
        ("for (int i = 0; i < 3; i++) { a; }", "1:13 SysY has no 'for' loops"),
        ("for (i = 0; i < 3; i = i + 1) a;", "1:13 SysY has no 'for' loops"),
        ("for (;;) ;", "1:13 SysY has no 'for' loops"),
        ("do { a; } while (b);", "1:13 SysY has no 'do' loops"),
        ("switch (a) { b; }", "1:13 SysY has no 'switch'"),
        ("goto a;", "1:13 SysY has no 'goto'"),
        ("struct S s;", "1:13 SysY has no structures"),
        ("char a = 1;", "1:13 SysY has no type 'char'"),
        ("unsigned int a;", "1:13 SysY has no type 'unsigned'"),
        ("a++;", "1:14 SysY has no operator '++'"),
        ("a[i--] = 1;", "1:16 SysY has no operator '--'"),
        ("a += 1;", "1:15 SysY has no operator '+='"),
        ("a[1] %= b * 2;", "1:18 SysY has no operator '%='"),
        ("a = b << 1;", "1:19 SysY has no shift operator '<<'"),
        ("a >>= 1;", "1:15 SysY has no shift operator '>>'"),
        ("a = b & c;", "1:19 SysY has no bitwise operator '&'"),
        ("a = ~c;", "1:17 SysY has no bitwise operator '~'"),
        ("*a = c;", "1:13 SysY has no pointers"),
        ("int *a;", "1:17 SysY has no pointers"),
        ("a = &b;", "1:17 SysY has no pointers, and no address operator '&'"),
        ("a.b = 1;", "1:14 SysY has no structures, and no operator '.'"),
        ("a->b = 1;", "1:14 SysY has no structures, and no operator '->'"),
        ("a = (float)b;", "1:17 SysY has no casts"),
        ("++a;", "1:13 '++' is two signs and changes nothing"),
    ] {
        let text = format!("void f() {{  {text} z = 9; }}");
        assert_eq!(errors_as(Standard::Strict, &text).join("\n"), expected, "{text}");
    }
    for (text, expected) in [
        ("int f(int a);", "1:13 SysY has no function prototypes"),
        ("int f(int *a) {}", "1:11 SysY has no pointers"),
        ("int f(char a) {}", "1:7 SysY has no type 'char'"),
        ("int f(const int a) {}", "1:7 SysY has no 'const' parameters"),
        ("int f(int) {}", "1:10 expected the name of the parameter, found ')'"),
        ("int f(int a int b) {}", "1:13 expected ',' or ')', found 'int'"),
        ("int f(int a[][]) {}", "1:14 the length of the array is missing"),
        ("int f(void) {}", "1:7 '(void)' is C, not SysY"),
        ("int f(void a) {}", "1:7 a parameter cannot be void"),
        ("int f() return 1;", "1:9 expected '{', found 'return'"),
        ("f() { return 1; }", "1:1 a function definition begins with its return type"),
        ("struct S { int x; };", "1:1 SysY has no structures"),
        ("typedef int T;", "1:1 SysY has no 'typedef'"),
        ("static int x;", "1:1 SysY has no 'static'"),
        ("x = 3;", "1:1 expected a declaration or a function definition"),
        ("}", "1:1 this '}' closes nothing"),
        ("const int f() { return 1; }", "1:12 expected an operator or ';', found '('"),
        ("#include <stdio.h>", "1:1 SysY has no preprocessor"),
    ] {
        assert_eq!(
            errors_as(Standard::Strict, &format!("{text}\nint main() {{ return 0; }}")).join("\n"),
            expected,
            "{text}"
        );
    }
}

#[test]
fn all_errors_of_a_file_come_in_one_run() {
    let text =
        "int a = ;\nint main() {\n  if (a {\n    b = 1\n  }\n  c = 09 + $;\n  return (0;\n}\nint f( { }\n";
    let expected = [
        "1:9 expected an expression, found ';'",
        "3:8 missing ')'",
        "4:10 missing ';'",
        "6:8 digit 9 in an octal number",
        "6:12 stray '$' in the program",
        "7:12 missing ')'",
        "9:8 expected the type of a parameter, found '{'",
    ];
    assert_eq!(errors(text), expected);
}

#[test]
fn a_missing_brace_is_found_at_the_next_function_or_the_end() {
    let text = "int f() {\n  if (a) {\n    b = 3;\n}\nint main() {\n  return 0;\n}\n";
    assert_eq!(errors(text), ["5:1 missing '}'"]);
    assert_eq!(errors("int f() { while (1) {"), ["1:22 missing '}'"]);
    assert_eq!(errors("int f() { if (a)"), ["1:17 missing '}'"]);
    assert_eq!(errors("int f() { }\n}\nint main() { }"), ["2:1 this '}' closes nothing"]);
}

#[test]
fn tokens_left_out_are_one_or_two_errors() {
    let text = "const int N = 3; int a[N] = {1, {2}, 3}; int f(int x, float y[][4]) { int i = 0; \
                while (i < N && x != 0 || !y[i][2]) { if (i % 2 == 1) a[i] = f(i - 1, y) * -(2 + x); else continue; \
                i = i + 1; } return a[x]; } int main() { putf(\"%d\", f(1, a)); return 0; }";
    let (_, tokens, diags, file) = parsed(text.as_bytes());
    assert!(diags.is_empty());
    for token in tokens.kind.keys() {
        let span = tokens.span(&file.text, token);
        let (start, end) = (span.start as usize, span.end as usize);
        let without = format!("{}{}", &text[..start], &text[end..]);
        let list = errors(&without);
        assert!(list.len() <= 2, "without '{}' at {start}: {list:#?}", &text[start..end]);
        let doubled = format!("{}{} {}", &text[..end], "", &text[start..]);
        let list = errors(&doubled);
        assert!(list.len() <= 2, "with '{}' twice at {start}: {list:#?}", &text[start..end]);
    }
}
