//! `wide_dialect`: every construct of the language and every function of the runtime library, combined at random: prototypes and
//! functions that call each other in any order, recursion, arrays of one to three dimensions of which parts are passed,
//! the same or overlapping ones twice; `while`, `for` and `do` in each other with bounds in globals, parameters and
//! constants; compound assignments, logic as values, early returns, shadowing, initialisers, constants, many arguments;
//! input, output, formats and timers.
//!
//! Calls stand alone in their statement, and what they get has no effects, so the order of evaluation does not matter.
//! `fuel` bounds the calls, `weight` the rounds of a function. Subscripts are counters whose range is known, constants,
//! or remainders. Floats that are stored in arrays are held in a range, so that none is a NaN where it is printed.
//!
//! `two_files` is the same program in two sources that declare each other's names.

use super::Writer;

/// A line whose parts are chosen at random.
macro_rules! line {
    ($w:expr, $($part:tt)*) => {{
        let text = format!($($part)*);
        $w.line(text);
    }};
}

/// Elements of a row; rows of a matrix; matrices.
const LENGTH: usize = 12;
const ROWS: usize = 4;
const PLANES: usize = 2;
/// Calls for each call in `main`, and rounds of the loops of one function.
const FUEL: usize = 24;
const MOST_WEIGHT: usize = 120;

/// A function: its parameters behind the depth, and what it returns.
#[derive(Clone)]
struct Function {
    name: String,
    params: Vec<Param>,
    result: Kind,
}

#[derive(Copy, Clone, PartialEq)]
enum Kind {
    Void,
    Int,
    Float,
}

#[derive(Copy, Clone, PartialEq)]
enum Param {
    Int,
    Float,
    /// `int p[]`, of `LENGTH`.
    Row,
    /// `float p[]`.
    Floats,
    /// `int p[][LENGTH]`, of `ROWS`.
    Matrix,
}

/// What is in view in the function being made.
struct Scope {
    ints: Vec<String>,
    floats: Vec<String>,
    rows: Vec<String>,
    float_rows: Vec<String>,
    matrices: Vec<String>,
    cubes: Vec<String>,
    /// Counters with the numbers that they stay below; from 0.
    counters: Vec<(String, usize)>,
    /// Loops around that `break` and `continue` may leave.
    loops: usize,
    weight: usize,
    names: usize,
    result: Kind,
}

/// Names that assemblers or other compilers may take for something else.
const ODD: [&str; 10] = ["x0", "a0", "r1", "add", "main_", "_start_", "sp0", "word", "st", "d7"];

pub(super) fn wide(w: &mut Writer, size: usize) {
    let functions = signatures(w, size);
    helpers(w);
    globals(w, false);
    prototypes(w, &functions);
    for k in 0..functions.len() {
        function(w, &functions, k, false);
    }
    main(w, &functions, false);
}

/// The same in two files: globals and helpers with the first half, `main` with the second.
pub(super) fn two_files(seed: u64, size: usize) -> [String; 2] {
    let (mut first, mut second) = (Writer::new(seed), Writer::new(seed ^ 0x2f));
    let functions = signatures(&mut first, size);
    let half = functions.len() / 2;
    helpers(&mut first);
    globals(&mut first, false);
    prototypes(&mut first, &functions);
    (0..half).for_each(|k| function(&mut first, &functions, k, false));
    let helpers = [
        "void mix(int x);",
        "int to_int(float x);",
        "void show(float x);",
        "void tell();",
        "float hold(float x);",
        "void fill(int a[], int n, int v);",
        "extern int checksum;",
    ];
    helpers.into_iter().for_each(|line| second.line(line));
    globals(&mut second, true);
    prototypes(&mut second, &functions);
    (half..functions.len()).for_each(|k| function(&mut second, &functions, k, true));
    main(&mut second, &functions, true);
    [first.text, second.text]
}

fn signatures(w: &mut Writer, size: usize) -> Vec<Function> {
    let count = (size / 26).max(2);
    let one = |w: &mut Writer, k: usize| {
        let most = if w.random.chance(12) { 14 } else { 5 };
        let params = (0..w.random.below(most))
            .map(|_| match w.random.below(8) {
                0..=2 => Param::Int,
                3 => Param::Float,
                4 | 5 => Param::Row,
                6 => Param::Floats,
                _ => Param::Matrix,
            })
            .collect();
        let result = match w.random.below(6) {
            0 => Kind::Void,
            1 => Kind::Float,
            _ => Kind::Int,
        };
        Function { name: format!("f{k}"), params, result }
    };
    (0..count).map(|k| one(w, k)).collect()
}

fn helpers(w: &mut Writer) {
    w.prologue();
    w.line("void fill(int a[], int n, int v) { while (n > 0) { n = n - 1; a[n] = v + n; } }");
    w.line("float hold(float x) { if (x < 100000.0 && x > -100000.0) return x; return 1.25; }");
}

fn globals(w: &mut Writer, declared: bool) {
    let head = if declared { "extern " } else { "" };
    let with = |value: &str| if declared { String::new() } else { format!(" = {value}") };
    line!(w, "{head}int fuel{}, g0{}, g1{}, g2, few{};", with("9"), with("10"), with("-3"), with("4"));
    line!(w, "{head}float h0{}, h1;", with("0.5"));
    line!(w, "{head}int A[{LENGTH}]{}, B[{LENGTH}];", with("{1, -2, 3, 0x7fffffff}"));
    line!(w, "{head}int M[{ROWS}][{LENGTH}]{};", with("{{1, 2}, 3, 4, {5}}"));
    line!(w, "{head}int T[{PLANES}][{ROWS}][{LENGTH}];");
    line!(w, "{head}float F[{LENGTH}]{}, G[{LENGTH}];", with("{0.5, 1, -2.25}"));
    line!(w, "{head}int many[64]; {head}float manyf[64];");
    if !declared {
        constants(w);
    }
}

/// Of the file, or of a function of the second file: one definition is enough for both.
fn constants(w: &mut Writer) {
    w.line("const int C[6] = {3, 1, 4, 1, 5, 9}, two = 2;");
    w.line("const float pi = 3.25;");
}

fn prototypes(w: &mut Writer, functions: &[Function]) {
    for f in functions {
        line!(w, "{};", head(f));
    }
}

/// The parameter number `k`.
fn parameter(k: usize, param: Param) -> String {
    match param {
        Param::Int => format!("int i{k}"),
        Param::Float => format!("float y{k}"),
        Param::Row => format!("int p{k}[]"),
        Param::Floats => format!("float q{k}[]"),
        Param::Matrix => format!("int m{k}[][{LENGTH}]"),
    }
}

fn head(f: &Function) -> String {
    let params: Vec<String> = f.params.iter().enumerate().map(|(k, &param)| parameter(k, param)).collect();
    let word = match f.result {
        Kind::Void => "void",
        Kind::Int => "int",
        Kind::Float => "float",
    };
    format!("{word} {}({})", f.name, params.join(", "))
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn scope(result: Kind) -> Scope {
    Scope {
        ints: strings(&["g0", "g1", "g2", "few"]),
        floats: strings(&["h0", "h1"]),
        rows: strings(&["A", "B"]),
        float_rows: strings(&["F", "G"]),
        matrices: strings(&["M"]),
        cubes: strings(&["T"]),
        counters: Vec::new(),
        loops: 0,
        weight: 1,
        names: 0,
        result,
    }
}

/// The function number `k`, with the constants if they are its own.
fn function(w: &mut Writer, functions: &[Function], k: usize, own: bool) {
    let f = &functions[k];
    w.open(head(f));
    let mut s = scope(f.result);
    for (k, &param) in f.params.iter().enumerate() {
        match param {
            Param::Int => s.ints.push(format!("i{k}")),
            Param::Float => s.floats.push(format!("y{k}")),
            Param::Row => s.rows.push(format!("p{k}")),
            Param::Floats => s.float_rows.push(format!("q{k}")),
            Param::Matrix => s.matrices.push(format!("m{k}")),
        }
    }
    match f.result {
        Kind::Void => w.line("if (fuel <= 0) return;"),
        _ => w.line("if (fuel <= 0) return 1;"),
    }
    w.line("fuel = fuel - 1;");
    if own {
        constants(w);
    }
    locals(w, &mut s);
    for _ in 0..3 + w.random.below(4) {
        statement(w, &mut s, functions, 0);
    }
    match f.result {
        Kind::Void => {}
        Kind::Int => line!(w, "return {};", int(w, &s, 2)),
        Kind::Float => line!(w, "return hold({});", float(w, &s, 2)),
    }
    w.close();
}

fn locals(w: &mut Writer, s: &mut Scope) {
    line!(w, "int a = {}, b = 1, c;", int(w, s, 1));
    w.line("c = a;");
    s.ints.extend(strings(&["a", "b", "c"]));
    line!(w, "float x = {};", float(w, s, 1));
    s.floats.push("x".to_string());
    if w.random.chance(35) {
        let list = *w.random.pick(&["{}", "{1, 2, 3}", "{a, b, g0, few, 7}"]);
        line!(w, "int L[{LENGTH}] = {list};");
        s.rows.push("L".to_string());
    }
    if w.random.chance(20) {
        let list =
            *w.random.pick(&["{}", "{{1}, {2, a}, {}, 4}", "{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, b}"]);
        line!(w, "int N[{ROWS}][{LENGTH}] = {list};");
        s.matrices.push("N".to_string());
    }
    if w.random.chance(20) {
        line!(w, "float K[{LENGTH}] = {{{}, 2}};", w.random.float_literal());
        s.float_rows.push("K".to_string());
    }
    // Arrays without a value, until a function or a loop gives them some.
    if w.random.chance(25) {
        line!(w, "int U[{LENGTH}]; fill(U, {LENGTH}, {});", int(w, s, 1));
        s.rows.push("U".to_string());
    }
    if w.random.chance(15) {
        line!(
            w,
            "int V[{ROWS}][{LENGTH}]; c = {ROWS}; while (c > 0) {{ c = c - 1; fill(V[c], {LENGTH}, c); }}"
        );
        s.matrices.push("V".to_string());
    }
    if w.random.chance(15) {
        line!(w, "float W[{LENGTH}]; c = 0; while (c < {LENGTH}) {{ W[c] = c * 0.5; c = c + 1; }}");
        s.float_rows.push("W".to_string());
    }
    if w.random.chance(25) {
        let name = *w.random.pick(&ODD);
        line!(w, "int {name} = {};", w.random.int_literal());
        s.ints.push(name.to_string());
    }
}

fn main(w: &mut Writer, functions: &[Function], own: bool) {
    w.open("int main()");
    if own {
        constants(w);
    }
    let mut s = scope(Kind::Int);
    locals(w, &mut s);
    for k in 0..3 + functions.len() {
        line!(w, "fuel = {FUEL};");
        let callee = if k < functions.len() { k } else { w.random.below(functions.len()) };
        call(w, &s, &functions[callee], 0);
        if w.random.chance(50) {
            statement(w, &mut s, functions, 0);
        }
        w.line("mix(g0); mix(g1); mix(g2); tell();");
    }
    w.line("int i = 0;");
    w.open(format!("while (i < {LENGTH})"));
    line!(w, "mix(A[i]); mix(B[i]); mix(M[i % {ROWS}][i]); mix(T[i % {PLANES}][i % {ROWS}][i]);");
    w.line("show(F[i]); mix(to_int(G[i])); i++;");
    w.close();
    w.line("show(h0); show(h1); tell(); return checksum % 128;");
    w.close();
}

// ---- Expressions ---------------------------------------------------------------------------------------------

/// A subscript below `n`.
fn subscript(w: &mut Writer, s: &Scope, n: usize) -> String {
    if !s.counters.is_empty() && w.random.chance(75) {
        let (name, bound) = w.random.pick(&s.counters).clone();
        if bound <= n {
            let room = n - bound;
            return match w.random.below(5) {
                0 if room > 0 => format!("{name} + {}", 1 + w.random.below(room)),
                1 => format!("{} - {name}", n - 1),
                2 if bound * 2 <= n + 1 => format!("{name} * 2"),
                _ => name,
            };
        }
        return format!("{name} % {n}");
    }
    match w.random.below(3) {
        0 => format!("({} % {n} + {n}) % {n}", w.random.pick(&s.ints)),
        _ => w.random.below(n).to_string(),
    }
}

/// An element of an array of ints.
fn element(w: &mut Writer, s: &Scope) -> String {
    match w.random.below(8) {
        0 => {
            let name = w.random.pick(&s.cubes).clone();
            let (x, y, z) = (subscript(w, s, PLANES), subscript(w, s, ROWS), subscript(w, s, LENGTH));
            format!("{name}[{x}][{y}][{z}]")
        }
        1 | 2 => {
            let name = w.random.pick(&s.matrices).clone();
            format!("{name}[{}][{}]", subscript(w, s, ROWS), subscript(w, s, LENGTH))
        }
        _ => {
            let name = w.random.pick(&s.rows).clone();
            format!("{name}[{}]", subscript(w, s, LENGTH))
        }
    }
}

fn int(w: &mut Writer, s: &Scope, depth: usize) -> String {
    if depth == 0 || w.random.chance(30) {
        return match w.random.below(9) {
            0 => {
                let literal = w.random.int_literal();
                if literal.starts_with('-') { format!("({literal})") } else { literal }
            }
            1 if !s.counters.is_empty() => w.random.pick(&s.counters).0.clone(),
            2 | 3 => element(w, s),
            4 => format!("C[{}]", subscript(w, s, 6)),
            5 => (*w.random.pick(&["two", "fuel", "few"])).to_string(),
            _ => w.random.pick(&s.ints).clone(),
        };
    }
    let a = int(w, s, depth - 1);
    match w.random.below(16) {
        0 => format!("-({a})"),
        1 => format!("!({a})"),
        2 => format!("+({a})"),
        3 => format!("({a}) / {}", 1 + w.random.below(12)),
        4 => format!("({a}) % {}", 1 + w.random.below(40)),
        5 => format!("({a}) / (({}) % 7 + 8)", int(w, s, depth - 1)),
        6 => format!("({})", condition(w, s, depth - 1)),
        7 => format!("({a}) * {}", 1 << w.random.below(8)),
        8 => format!("({a}) % {}", 1 << w.random.below(8)),
        9 => format!("({a}) * ({})", int(w, s, depth - 1)),
        10 | 11 => format!("({a} - ({}))", int(w, s, depth - 1)),
        _ => format!("({a} + {})", int(w, s, depth - 1)),
    }
}

fn float(w: &mut Writer, s: &Scope, depth: usize) -> String {
    if depth == 0 || w.random.chance(35) {
        return match w.random.below(6) {
            0 => w.random.float_literal(),
            1 | 2 => {
                let name = w.random.pick(&s.float_rows).clone();
                format!("{name}[{}]", subscript(w, s, LENGTH))
            }
            3 => "pi".to_string(),
            _ => w.random.pick(&s.floats).clone(),
        };
    }
    let (a, b) = (float(w, s, depth - 1), float(w, s, depth - 1));
    match w.random.below(8) {
        0 => format!("-({a})"),
        1 => format!("({a} * {b})"),
        2 => format!("({a} / {b})"),
        3 => format!("({a} + {})", int(w, s, depth - 1)),
        4 | 5 => format!("({a} - {b})"),
        _ => format!("({a} + {b})"),
    }
}

fn condition(w: &mut Writer, s: &Scope, depth: usize) -> String {
    let relation = *w.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
    match w.random.below(9) {
        0 if depth > 0 => format!("{} && {}", condition(w, s, depth - 1), condition(w, s, depth - 1)),
        1 if depth > 0 => format!("({} || {})", condition(w, s, depth - 1), condition(w, s, depth - 1)),
        2 => format!("{} {relation} {}", float(w, s, 1), float(w, s, 1)),
        3 => format!("!({})", int(w, s, 1)),
        4 if !s.counters.is_empty() => {
            let (name, bound) = w.random.pick(&s.counters).clone();
            format!("{name} {relation} {}", w.random.below(bound + 1))
        }
        5 => format!("{} % {} == 0", int(w, s, 1), 2 + w.random.below(3)),
        _ => format!("{} {relation} {}", int(w, s, 1), int(w, s, 1)),
    }
}

// ---- Statements ----------------------------------------------------------------------------------------------

fn block(w: &mut Writer, s: &mut Scope, functions: &[Function], depth: usize) {
    let (ints, names) = (s.ints.len(), s.names);
    for _ in 0..1 + w.random.below(3) {
        statement(w, s, functions, depth);
    }
    s.ints.truncate(ints);
    s.names = names;
}

fn statement(w: &mut Writer, s: &mut Scope, functions: &[Function], depth: usize) {
    match w.random.below(if depth == 0 { 20 } else { 26 }) {
        0..=4 if depth < 3 && s.weight <= MOST_WEIGHT / 2 => repeat(w, s, functions, depth),
        5 | 6 if depth < 4 => {
            let head = format!("if ({})", condition(w, s, 1));
            w.open(head);
            block(w, s, functions, depth + 1);
            if w.random.chance(40) {
                let text = condition(w, s, 1);
                let again = w.random.chance(30);
                w.reopen(if again { format!("else if ({text})") } else { "else".to_string() });
                block(w, s, functions, depth + 1);
            }
            w.close();
        }
        7 | 8 if s.weight <= 12 => {
            let callee = &functions[w.random.below(functions.len())];
            if callee.result == s.result && w.random.chance(20) {
                // What it yields is what the function returns.
                let (test, text) = (condition(w, s, 1), call_text(w, s, callee));
                match s.result {
                    Kind::Void => line!(w, "if ({test}) {{ {text}; return; }}"),
                    _ => line!(w, "if ({test}) return {text};"),
                }
                return;
            }
            call(w, s, callee, depth);
        }
        9 => library(w, s),
        10 => {
            let (to, x) = (w.random.pick(&s.floats).clone(), float(w, s, 2));
            let operator = *w.random.pick(&["=", "=", "+=", "-=", "*="]);
            line!(w, "{to} {operator} hold({x});");
        }
        11 => {
            let name = w.random.pick(&s.float_rows).clone();
            line!(w, "{name}[{}] = hold({});", subscript(w, s, LENGTH), float(w, s, 2));
        }
        12 if depth > 0 => {
            // A name of its own that hides another one.
            let name = (*w.random.pick(&["a", "b", "g0", "few"])).to_string();
            w.open("");
            line!(w, "int {name} = {};", w.random.int_literal());
            let ints = s.ints.len();
            s.ints.push(name);
            block(w, s, functions, depth + 1);
            s.ints.truncate(ints);
            w.close();
        }
        13 if s.loops > 0 => {
            let word = *w.random.pick(&["break", "continue"]);
            line!(w, "if ({}) {word};", condition(w, s, 1));
        }
        14 if depth > 0 && w.random.chance(40) => match s.result {
            Kind::Void => line!(w, "if ({}) return;", condition(w, s, 1)),
            Kind::Int => line!(w, "if ({}) return {};", condition(w, s, 1), int(w, s, 1)),
            Kind::Float => line!(w, "if ({}) return hold({});", condition(w, s, 1), float(w, s, 1)),
        },
        15 => {
            let to = element(w, s);
            line!(w, "{to}{};", *w.random.pick(&["++", "--", " += 3", " *= 5", " %= 100", " /= 2"]));
        }
        16..=18 => {
            let (to, x) = (element(w, s), int(w, s, 2));
            line!(w, "{to} {} {x};", *w.random.pick(&["=", "=", "=", "+=", "-="]));
        }
        19 => line!(w, "mix({});", int(w, s, 2)),
        20 => {
            let (to, x) = (w.random.pick(&s.ints).clone(), float(w, s, 1));
            line!(w, "{to} = to_int({x});");
        }
        _ => {
            let (to, x) = (w.random.pick(&s.ints).clone(), int(w, s, 2));
            line!(w, "{to} {} {x};", *w.random.pick(&["=", "=", "+=", "-=", "*="]));
        }
    }
}

/// A call, whose arguments are without effects: of arrays, often the same or parts of one twice.
fn call_text(w: &mut Writer, s: &Scope, f: &Function) -> String {
    let again = w.random.below(3);
    let mut args: Vec<String> = Vec::new();
    for &param in &f.params {
        let arg = match param {
            Param::Int => int(w, s, 1),
            Param::Float => float(w, s, 1),
            Param::Row => match (again, w.random.below(4)) {
                (0, _) => "A".to_string(),
                (1, 0) => format!("M[{}]", subscript(w, s, ROWS)),
                (1, _) => "M[1]".to_string(),
                (_, 0) => format!("T[{}][{}]", subscript(w, s, PLANES), subscript(w, s, ROWS)),
                _ => w.random.pick(&s.rows).clone(),
            },
            Param::Floats => w.random.pick(&s.float_rows).clone(),
            Param::Matrix => match w.random.below(3) {
                0 => format!("T[{}]", subscript(w, s, PLANES)),
                _ => w.random.pick(&s.matrices).clone(),
            },
        };
        args.push(arg);
    }
    format!("{}({})", f.name, args.join(", "))
}

fn call(w: &mut Writer, s: &Scope, f: &Function, depth: usize) {
    let text = call_text(w, s, f);
    match f.result {
        Kind::Void => line!(w, "{text};"),
        Kind::Int if depth == 0 && w.random.chance(30) => line!(w, "mix({text});"),
        Kind::Int => line!(w, "{} = {text};", w.random.pick(&s.ints)),
        Kind::Float => line!(w, "{} = {text};", w.random.pick(&s.floats)),
    }
}

/// A call of the runtime library; in loops nothing that prints much.
fn library(w: &mut Writer, s: &Scope) {
    let to = w.random.pick(&s.ints).clone();
    match w.random.below(if s.weight > 4 { 6 } else { 15 }) {
        0 => line!(w, "{to} = getint();"),
        1 => line!(w, "{to} = getch();"),
        2 => line!(w, "{} = hold(getfloat());", w.random.pick(&s.floats)),
        3 => line!(w, "{to} = getarray(many);"),
        4 => line!(w, "{to} = getfarray(manyf);"),
        5 => line!(w, "putch({} % 26 + 97);", w.random.below(99)),
        6 => line!(w, "putint({}); putch(10);", int(w, s, 2)),
        7 => line!(w, "show({});", float(w, s, 2)),
        8 => line!(w, "putarray({}, {});", w.random.below(LENGTH), w.random.pick(&s.rows)),
        9 => line!(w, "putfarray({}, {});", w.random.below(LENGTH), w.random.pick(&s.float_rows)),
        10 => line!(w, "putf(\"%d|%c|%d\\n\", {}, {}, two);", int(w, s, 1), 48 + w.random.below(70)),
        11 => line!(w, "putf(\"%f %a %d%%\\n\", hold({}), pi, {});", float(w, s, 1), int(w, s, 1)),
        12 => line!(w, "starttime(); {to} = {}; stoptime();", int(w, s, 2)),
        13 => line!(w, "putarray(3, many); putfarray(2, manyf);"),
        _ => line!(w, "putint({to}); putch(32);"),
    }
}

/// A loop. Its counter is a name of its own; or one that only `while` and `do` count.
fn repeat(w: &mut Writer, s: &mut Scope, functions: &[Function], depth: usize) {
    let name = format!("k{}", s.names);
    s.names += 1;
    let trips = *w.random.pick(&[0, 1, 2, 3, 4, 6, 12]);
    let start = *w.random.pick(&[0, 0, 0, 1, 2]);
    let end = (start + trips).min(LENGTH);
    let (weight, loops) = (s.weight, s.loops);
    s.weight *= trips.max(1) + 1;
    let unknown = *w.random.pick(&["few", "g1", "g2", "b", "fuel"]);
    let mut tail = String::new();
    let bound = match w.random.below(9) {
        0 => {
            w.open(format!("for (int {name} = {}; {name} >= {start}; {name}--)", end.max(1) - 1));
            s.loops += 1;
            end.max(1)
        }
        1 => {
            w.open(format!(
                "for (int {name} = {start}; {name} < {unknown} && {name} < {LENGTH}; {name} += 2)"
            ));
            s.weight = weight * 7;
            s.loops += 1;
            LENGTH
        }
        2 | 3 => {
            // A test at the end, whose bound is a number or in a variable.
            line!(w, "int {name} = {start};");
            w.open("do");
            let also = if w.random.chance(50) { format!("{name} < {unknown} && ") } else { String::new() };
            tail = format!(" while ({also}{name} < {end});");
            s.loops = 0;
            end.max(start + 1)
        }
        4 => {
            line!(w, "int {name} = {start};");
            w.open(format!("while ({name} < {end})"));
            s.loops = 0;
            end.max(1)
        }
        5 => {
            line!(w, "int {name} = {start} - 1;");
            w.open(format!("while ({name} + 1 < {end})"));
            line!(w, "{name} += 1;");
            s.loops += 1;
            s.counters.push((name.clone(), end.max(1)));
            block(w, s, functions, depth + 1);
            s.counters.pop();
            w.close();
            (s.weight, s.loops) = (weight, loops);
            return;
        }
        6 if !s.counters.is_empty() => {
            let (outer, bound) = w.random.pick(&s.counters).clone();
            w.open(format!("for (int {name} = {outer}; {name} < {LENGTH}; {name} += 1)"));
            s.weight = weight * (LENGTH - bound / 2);
            s.loops += 1;
            LENGTH
        }
        7 => {
            w.open(format!("for (int {name} = {start}; {name} <= {end}; {name} = {name} + 1)"));
            s.loops += 1;
            end.max(start) + 1
        }
        _ => {
            w.open(format!("for (int {name} = {start}; {name} < {end}; {name} += 1)"));
            s.loops += 1;
            end.max(1)
        }
    };
    s.counters.push((name.clone(), bound));
    block(w, s, functions, depth + 1);
    s.counters.pop();
    if s.loops == 0 {
        line!(w, "{name} = {name} + 1;");
    }
    if tail.is_empty() {
        w.close();
    } else {
        w.close_with(&tail);
    }
    (s.weight, s.loops) = (weight, loops);
}
