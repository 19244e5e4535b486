//! The families that stretch one dimension: each repeats one pattern, with constants from the seed, until its
//! lines are written.

use super::Writer;

/// A constant between 1 and 97.
fn small(w: &mut Writer) -> usize {
    1 + w.random.below(97)
}

/// A function each of which is small, all called from `main`.
pub(super) fn many_functions(w: &mut Writer, size: usize) {
    w.prologue();
    let count = (size / 9).max(1);
    for k in 0..count {
        let (a, b, c) = (small(w), small(w), small(w));
        w.open(format!("int f{k}(int a, int b)"));
        w.line(format!("int x = a * {a} + b, i = 0;"));
        w.open("while (i < 2)");
        w.line(format!("if (x % {} == 0) x = x / 2 + {b}; else x = x * 3 + i;", 1 + c));
        w.line("i = i + 1;");
        w.close();
        w.line(format!("return x - {c};"));
        w.close();
    }
    w.open("int main()");
    for k in 0..count {
        w.line(format!("mix(f{k}({k}, checksum));"));
    }
    finish(w);
}

fn finish(w: &mut Writer) {
    w.line("tell();");
    w.line("return checksum % 100;");
    w.close();
}

const INTS: usize = 16;

fn int_locals(w: &mut Writer, count: usize) {
    for k in 0..count {
        let c = small(w);
        w.line(format!("int x{k} = n + {c};"));
    }
}

/// One block of assignments among a few variables.
pub(super) fn straight_line(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    int_locals(w, INTS);
    for _ in 0..size.saturating_sub(INTS + 30) {
        let (a, b, c) = (w.random.below(INTS), w.random.below(INTS), w.random.below(INTS));
        let constant = small(w);
        let line = match w.random.below(8) {
            0 => format!("x{a} = x{b} / {constant} - x{c};"),
            1 => format!("x{a} = x{b} % {} + x{c};", constant + 1),
            2 => format!("x{a} = x{b} * x{c};"),
            3 => format!("x{a} = x{b} * {constant} + x{c};"),
            4 => format!("x{a} = x{b} - x{c} * {constant};"),
            5 => format!("x{a} = {constant} - x{b};"),
            _ => format!("x{a} = x{b} + x{c} - {constant};"),
        };
        w.line(line);
    }
    for k in 0..INTS {
        w.line(format!("mix(x{k});"));
    }
    w.line("return x0;");
    w.close();
    w.open("int main()");
    w.line("mix(run(3));");
    finish(w);
}

/// One expression, a line an operand: its tree is as deep on the left as it is long.
pub(super) fn deep_expression(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    int_locals(w, INTS);
    w.line("int r = n");
    for _ in 0..size.saturating_sub(INTS + 25) {
        let (k, constant) = (w.random.below(INTS), small(w));
        let line = match w.random.below(6) {
            0 => format!("    * {constant}"),
            1 => format!("    / {}", constant + 1),
            2 => format!("    - x{k} * {constant}"),
            3 => format!("    - x{k}"),
            _ => format!("    + x{k}"),
        };
        w.line(line);
    }
    w.line("    ;");
    w.line("return r;");
    w.close();
    w.open("int main()");
    w.line("mix(run(5));");
    finish(w);
}

/// One expression, a line a parenthesis: its tree is as deep on the right.
pub(super) fn deep_parentheses(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    int_locals(w, INTS);
    w.line("int r =");
    let depth = size.saturating_sub(INTS + 25).max(1);
    for _ in 0..depth {
        let (k, sign) = (w.random.below(INTS), *w.random.pick(&["+", "-", "*", "- -", "+ +"]));
        w.line(format!("x{k} {sign} ("));
    }
    w.line(format!("n{};", ")".repeat(depth)));
    w.line("return r;");
    w.close();
    w.open("int main()");
    w.line("mix(run(5));");
    finish(w);
}

/// One chain, each arm nested in the else of the one before.
pub(super) fn else_if_chain(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    w.line("int r = n;");
    let arms = (size.saturating_sub(30) / 2).max(2);
    for k in 0..arms {
        let constant = small(w);
        let head = format!("if (n == {k})");
        if k == 0 {
            w.open(head);
        } else {
            w.reopen(format!("else {head}"));
        }
        w.line(format!("r = r * {constant} + {k};"));
    }
    w.close();
    w.line("return r;");
    w.close();
    w.open("int main()");
    w.line("int n = 0;");
    w.open(format!("while (n <= {arms})"));
    w.line("mix(run(n));");
    w.line(format!("n = n + {};", arms / 20 + 1));
    w.close();
    finish(w);
}

/// Nests of four loops over arrays, one behind the other, eight in a function.
pub(super) fn loop_nests(w: &mut Writer, size: usize) {
    w.prologue();
    w.line("int a[4][4], b[4][4], c[4][4];");
    w.line("float f[4][4];");
    let nests = (size / 14).max(1);
    let functions = nests.div_ceil(8);
    for function in 0..functions {
        w.open(format!("int nest{function}(int n)"));
        w.line("int s = n, i, j, k, l;");
        for _ in 0..8.min(nests - function * 8) {
            let constant = small(w);
            for counter in ["i", "j", "k", "l"] {
                w.line(format!("{counter} = 0;"));
                let limit = if counter == "l" { 2 } else { 2 + w.random.below(3) };
                w.open(format!("while ({counter} < {limit})"));
            }
            match w.random.below(3) {
                0 => w.line("c[i][j] = c[i][j] + a[i][k] * b[k][j];"),
                1 => w.line(format!("s = s + a[i][j] * {constant} - b[j][l] * k;")),
                _ => w.line(format!("f[i][j] = f[i][j] * 0.5 + {constant}; a[j][k] = a[j][k] + l;")),
            }
            for counter in ["l", "k", "j", "i"] {
                w.line(format!("{counter} = {counter} + 1;"));
                w.close();
            }
        }
        w.line("return s + c[1][2] + a[0][3] + to_int(f[1][1]);");
        w.close();
    }
    w.open("int main()");
    w.line("int i = 0;");
    w.line("while (i < 16) { a[i / 4][i % 4] = i * 7; b[i % 4][i / 4] = i * i; i = i + 1; }");
    for function in 0..functions {
        w.line(format!("mix(nest{function}({function}));"));
    }
    finish(w);
}

/// Blocks that are reached from everywhere: one loop with many ways out of it and on, one function with many
/// returns, and long conditions.
pub(super) fn many_predecessors(w: &mut Writer, size: usize) {
    w.prologue();
    let part = (size / 3).max(4);
    w.open("int jumps(int n)");
    w.line("int i = 0, s = n;");
    w.open("while (i < 5)");
    w.line("i = i + 1;");
    for _ in 0..part {
        let (a, b) = (small(w), 200 + small(w));
        match w.random.below(3) {
            0 => w.line(format!("if (s % {b} == {a}) break;")),
            1 => w.line(format!("if (s % {b} == {a} && i > 2) continue;")),
            _ => w.line(format!("s = s * 3 + {a};")),
        }
    }
    w.close();
    w.line("return s;");
    w.close();
    w.open("int returns(int n)");
    for _ in 0..part {
        let (a, b) = (small(w), 200 + small(w));
        w.line(format!("if (n % {b} == {a}) return n - {b};"));
    }
    w.line("return n;");
    w.close();
    w.open("int conditions(int n)");
    let mut rest = part;
    while rest > 0 {
        let operands = rest.min(40);
        rest -= operands;
        w.line("if (n == 1");
        for _ in 0..operands {
            let (a, b, op) = (small(w), 200 + small(w), *w.random.pick(&["||", "||", "&&"]));
            w.line(format!("    {op} n % {b} == {a}"));
        }
        w.line(") n = n + 1;");
    }
    w.line("return n;");
    w.close();
    w.open("int main()");
    w.line("int n = 0;");
    w.line("while (n < 6) { mix(jumps(n)); mix(returns(n * 1001)); mix(conditions(n * 77)); n = n + 1; }");
    finish(w);
}

const CARRIED: usize = 12;

/// Branches that assign many variables on both sides, in a loop that carries all of them.
pub(super) fn many_phis(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    int_locals(w, CARRIED);
    w.line("float y0 = n, y1 = 0.5, y2 = 1.25, y3 = n * 0.25;");
    w.line("int i = 0;");
    w.open("while (i < 4)");
    while w.lines + CARRIED + 15 < size.max(CARRIED * 3 + 30) {
        let (a, b) = (w.random.below(CARRIED), small(w));
        w.open(format!("if (x{a} % {} > i)", b + 1));
        for _ in 0..5 {
            let (a, b, c) = (w.random.below(CARRIED), w.random.below(CARRIED), small(w));
            w.line(format!("x{a} = x{b} + {c};"));
        }
        let y = w.random.below(4);
        w.line(format!("y{y} = y{} * 0.5 + x{a};", (y + 1) % 4));
        w.reopen("else");
        for _ in 0..5 {
            let (a, b, c) = (w.random.below(CARRIED), w.random.below(CARRIED), small(w));
            w.line(format!("x{a} = x{a} - x{b} * {c};"));
        }
        w.line(format!("y{y} = y{} - 1.5;", (y + 2) % 4));
        w.close();
    }
    w.line("i = i + 1;");
    w.close();
    for k in 0..CARRIED {
        w.line(format!("mix(x{k});"));
    }
    w.line("return to_int(y0) + to_int(y1) + to_int(y2) + to_int(y3);");
    w.close();
    w.open("int main()");
    w.line("mix(run(9));");
    finish(w);
}

const LIVE_INTS: usize = 40;
const LIVE_FLOATS: usize = 30;

/// Dozens of ints and floats that all live from the first to the last statement, across calls.
pub(super) fn high_pressure(w: &mut Writer, size: usize) {
    w.prologue();
    w.line("int f(int a, float b) { return a * 3 + to_int(b); }");
    w.line("float g(int a, float b) { return b * 0.75 + a; }");
    w.open("int run(int n)");
    int_locals(w, LIVE_INTS);
    for k in 0..LIVE_FLOATS {
        let c = small(w);
        w.line(format!("float y{k} = n * {c}.25;"));
    }
    for _ in 0..size.saturating_sub(LIVE_INTS * 2 + LIVE_FLOATS * 2 + 22) {
        let (a, b) = (w.random.below(LIVE_INTS), w.random.below(LIVE_INTS));
        let (p, q) = (w.random.below(LIVE_FLOATS), w.random.below(LIVE_FLOATS));
        let c = small(w);
        let line = match w.random.below(6) {
            0 => format!("x{a} = f(x{b}, y{p});"),
            1 => format!("y{p} = g(x{a}, y{q});"),
            2 => format!("y{p} = y{q} * 0.5 + y{p} - x{a};"),
            3 => format!("x{a} = x{b} / {c} + x{a};"),
            _ => format!("x{a} = x{a} * {c} - x{b};"),
        };
        w.line(line);
    }
    for k in 0..LIVE_INTS {
        w.line(format!("mix(x{k});"));
    }
    for k in 0..LIVE_FLOATS {
        w.line(format!("show(y{k});"));
    }
    w.line("return n;");
    w.close();
    w.open("int main()");
    w.line("mix(run(7));");
    finish(w);
}

/// Variables by the thousand, each read soon and once more at the end.
pub(super) fn many_locals(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    let count = (size.saturating_sub(25) / 2).max(3);
    for k in 0..count {
        let c = small(w);
        let before = k.saturating_sub(1 + w.random.below(8));
        match k {
            0 => w.line("int x0 = n;"),
            _ => w.line(format!("int x{k} = x{before} * {c} + n;")),
        }
    }
    for k in 0..count {
        w.line(format!("n = n * 7 + x{k};"));
    }
    w.line("return n;");
    w.close();
    w.open("int main()");
    w.line("mix(run(7));");
    finish(w);
}

/// Arrays with long lists: global, constant and local, flat and braced.
pub(super) fn large_initialisers(w: &mut Writer, size: usize) {
    w.prologue();
    // About 20 numbers a line.
    let rows = (size.saturating_sub(30) / 4).max(2);
    let (count, columns) = (rows * 20, 20);
    let number = |w: &mut Writer| {
        if w.random.chance(30) {
            "0".to_string()
        } else {
            (w.random.below(100_000) as i64 - 50_000).to_string()
        }
    };
    let flat: Vec<String> = (0..count).map(|_| number(w)).collect();
    w.list(&format!("int flat[{}] = {{", count + 7), flat.into_iter(), "};");
    let mut braced = Vec::new();
    for _ in 0..rows {
        let row: Vec<String> = (0..1 + w.random.below(columns)).map(|_| number(w)).collect();
        braced.push(format!("{{{}}}", row.join(", ")));
    }
    w.list(&format!("const int braced[{rows}][{columns}] = {{"), braced.into_iter(), "};");
    let floats: Vec<String> =
        (0..count).map(|_| format!("{}.{}", w.random.below(1000), w.random.below(100))).collect();
    w.list(&format!("float floats[{count}] = {{"), floats.into_iter(), "};");
    w.open("int run(int n)");
    let locals: Vec<String> = (0..count)
        .map(|_| if w.random.chance(20) { format!("n + {}", small(w)) } else { number(w) })
        .collect();
    w.list(&format!("int local[{rows}][{columns}] = {{"), locals.into_iter(), "};");
    w.line("int i = 0, s = 0;");
    w.open(format!("while (i < {rows})"));
    w.line("int j = 0;");
    w.open(format!("while (j < {columns})"));
    w.line(format!("int k = i * {columns} + j;"));
    w.line("s = s * 5 + local[i][j] + flat[k + 7] - braced[i][j] + to_int(floats[k]);");
    w.line("j = j + 1;");
    w.close();
    w.line("i = i + 1;");
    w.close();
    w.line("return s;");
    w.close();
    w.open("int main()");
    w.line("mix(run(7));");
    finish(w);
}

/// Globals of all kinds, each read and written once; a function for every 30 of them.
pub(super) fn many_globals(w: &mut Writer, size: usize) {
    w.prologue();
    let count = (size.saturating_sub(20) / 2).max(2);
    for k in 0..count {
        let c = small(w);
        match w.random.below(5) {
            0 => w.line(format!("int g{k}[3] = {{{c}, {k}}};")),
            1 => w.line(format!("int g{k}[1] = {{{c}}}, h{k};")),
            2 => w.line(format!("int g{k}[2];")),
            _ => w.line(format!("int g{k}[2] = {{}};")),
        }
    }
    let functions = count.div_ceil(30);
    for function in 0..functions {
        w.open(format!("void use{function}(int n)"));
        for k in function * 30..((function + 1) * 30).min(count) {
            let (c, other) = (small(w), w.random.below(count));
            w.line(format!("g{k}[0] = g{k}[0] * {c} + g{other}[0] + n;"));
        }
        w.close();
    }
    w.open("int main()");
    for function in 0..functions {
        w.line(format!("use{function}({function}); mix(g{}[0]);", function * 30));
    }
    finish(w);
}

/// Each function calls the one before it; calls as arguments of calls.
pub(super) fn call_chains(w: &mut Writer, size: usize) {
    w.prologue();
    w.line("int f0(int n) { return n + 1; }");
    let count = (size.saturating_sub(20) / 5).max(2);
    for k in 1..count {
        let (c, d) = (small(w), small(w));
        w.open(format!("int f{k}(int n)"));
        w.line(format!("if (n % {} == {d}) return {c};", d + 1));
        match w.random.below(3) {
            0 => w.line(format!("int r = f{}(n * {c} + 1);", k - 1)),
            1 => w.line(format!("int r = f0(f0(f{}(n + {c})));", k - 1)),
            _ => w.line(format!("int r = n - f{}(n - {c}) * 2;", k - 1)),
        }
        w.line("return r + n;");
        w.close();
    }
    w.open("int main()");
    w.line("int n = 0;");
    w.line(format!("while (n < 4) {{ mix(f{}(n)); n = n + 1; }}", count - 1));
    finish(w);
}

/// Functions of 40 parameters, ints, floats and arrays in any order, that pass them on in another.
pub(super) fn many_arguments(w: &mut Writer, size: usize) {
    w.prologue();
    w.line("int array[4] = {1, 2, 3, 4};");
    w.line("float reals[2][3] = {{0.5, 1.5}, {2.5}};");
    let mut previous: Option<Vec<usize>> = None;
    let count = (size.saturating_sub(20) / 5).max(1);
    for k in 0..count {
        let kinds: Vec<usize> =
            (0..20 + w.random.below(20)).map(|_| *w.random.pick(&[0, 0, 0, 1, 1, 2, 3])).collect();
        let params: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(p, kind)| match kind {
                0 => format!("int p{p}"),
                1 => format!("float p{p}"),
                2 => format!("int p{p}[]"),
                _ => format!("float p{p}[][3]"),
            })
            .collect();
        w.open(format!("int f{k}({})", params.join(", ")));
        let terms: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(p, kind)| match kind {
                0 => format!("p{p} * {}", p + 3),
                1 => format!("to_int(p{p} * {}.5)", p + 1),
                2 => format!("p{p}[{}]", p % 4),
                _ => format!("to_int(p{p}[{}][{}])", p % 2, p % 3),
            })
            .collect();
        w.line(format!("int s = {};", terms.join(" + ")));
        match &previous {
            Some(callee) => {
                let arguments = arguments(w, callee, Some(&kinds));
                w.line(format!("if (s % 3 == 0) s = s - f{}({arguments});", k - 1));
            }
            None => w.line(";"),
        }
        w.line("return s;");
        w.close();
        previous = Some(kinds);
    }
    w.open("int main()");
    let last = arguments(w, &previous.unwrap_or_default(), None);
    w.line(format!("mix(f{}({last}));", count - 1));
    finish(w);
}

/// Arguments for parameters of the kinds `callee`: the caller's own of that kind, or what is at hand.
fn arguments(w: &mut Writer, callee: &[usize], own: Option<&Vec<usize>>) -> String {
    let list: Vec<String> = callee
        .iter()
        .map(|kind| {
            let same: Vec<usize> =
                own.map_or(Vec::new(), |own| (0..own.len()).filter(|&p| own[p] == *kind).collect());
            if !same.is_empty() && w.random.chance(80) {
                return format!("p{}", w.random.pick(&same));
            }
            match kind {
                0 => w.random.below(1000).to_string(),
                1 => format!("{}.25", w.random.below(100)),
                2 => "array".to_string(),
                _ => "reals".to_string(),
            }
        })
        .collect();
    list.join(", ")
}

/// Small loops with branches, ways out and ways on, one in the other.
pub(super) fn dense_cfg(w: &mut Writer, size: usize) {
    w.prologue();
    w.open("int run(int n)");
    w.line("int a = n, b = n * 3, c = 7, i, j;");
    while w.lines + 22 < size.max(50) {
        let (x, y, z) = (small(w), small(w), small(w));
        w.line("i = 0;");
        w.open("while (i < 3)");
        w.line("i = i + 1;");
        w.open(format!("if (a % {} > b % {})", x + 1, y + 1));
        w.line(format!("if (c > {z} && a < b || b == i) continue;"));
        w.line(format!("a = a - {x};"));
        w.reopen(format!("else if (b % 7 < {})", y % 7));
        w.line("j = i;");
        w.line(format!("while (j < 5) {{ j = j + 1; if (b % {} == j) break; b = b + a; }}", z + 1));
        w.reopen("else");
        w.line(format!("if (!(a % {})) {{ c = c + 1; break; }}", y + 1));
        w.line(format!("c = c * {z} + b;"));
        w.close();
        w.line(format!("if (a == b && b != c || c % {} == 1) b = b + i; else a = a + c;", x + 2));
        w.close();
    }
    w.line("return a * 31 + b * 7 + c;");
    w.close();
    w.open("int main()");
    w.line("int n = 0;");
    w.line("while (n < 4) { mix(run(n)); n = n + 1; }");
    finish(w);
}
