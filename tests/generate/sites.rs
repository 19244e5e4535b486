//! What each pass of the optimiser is for, n times: in one block, in n blocks one behind the other, in n loops and in n
//! functions. All kinds of sites stand side by side, so that a pass that does work by the rest of its block, function or
//! program for each thing that it finds is seen, whatever it finds.

use super::Writer;

/// What stands n times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Sites one behind the other, which leave their block as it is.
    Block,
    /// Each under a condition of its own.
    Blocks,
    /// Each in a loop of its own.
    Loops,
    /// Each in a function of its own.
    Functions,
}

/// All shapes.
pub(crate) const SHAPES: [Shape; 4] = [Shape::Block, Shape::Blocks, Shape::Loops, Shape::Functions];

/// Statements about the parameter `n`, the sum `s`, and arrays and variables of all; K is the number of the site, from 1 on.
/// These leave their block as it is: n of each are one block.
const STRAIGHT: [&str; 10] = [
    "p = (p + K) % 101;",
    "s = s + (n + K) + (3 - n) + input;",
    "s = s + n / 7 * (n + K) - n / 7 * (input + K); s = s + input % 37;",
    "a[3] = n; a[3] = n + K; s = s + a[3];",
    "{ int two[2]; two[0] = n; two[1] = K + s; s = two[0] * two[1] + two[1]; }",
    "s = s + m[n % 8][K % 8] + m[input % 8][n % 8];",
    "s = s + gK * g0; gK = s;",
    "b[K % 64] = s; s = s + b[n % 64];",
    "s = s + pure(K % 9 + 3) + low(n, K);",
    "w[K % 8][3] = a[K % 9] + b[K % 7] + a[n % 9] + b[n % 7]; w[K % 8][5] = b[n % 7] + a[K % 9] + input + a[n % 9];",
];

/// Choices and calls.
const BRANCHING: [&str; 14] = [
    "if (input > K) { total = total + 1; s = s + n; } else { a[1] = K; s = s + n; }",
    "if (n > K) { if (input > s) s = s + 3; } if (n > K - 4) s = s + input; else s = s - 1;",
    "if (n > K) { if (n > K - 5) s = s + 1; else s = s - input; }",
    "if (n % 16 + K < K + 20) s = s + input; else s = s - K;",
    "if (input > K) s = s + n * 3 + K; else { input = input + 1; s = s + n * 3 + K; }",
    "if (input < n + K && s < n + K) { s = s - 7; } else if (n + K > s) s = s + 9;",
    "{ int c = K; if (c > 5000) s = s + 5; else s = s + n; while (c < 0) { c = c + n; s = s + 1; } }",
    "{ int t[8] = {1, 2, 3, 4, 5, 6, 7, K}; s = s + t[input % 8]; }",
    "if (input >= 0 && input < K + 3) s = s + n; else total = total + K;",
    "{ int c = input % 16; if (c == 1) s = s + K; else if (c == 2) s = s - n; else if (c == 3) s = s * 3; else if (c == 4) s = n; else if (c == 6) s = K; else if (c == 9) input = s + K; }",
    "s = s + small(n + K, s);",
    "s = s + heavy(n, 9) - heavy(n, 9) * K;",
    "s = s + deep(n % 5, K, 77, s);",
    "s = s + noted(input % 8, K % 4 + 1);",
];

/// Loops, whose counter is `i`.
const LOOPS: [&str; 19] = [
    "i = 0; while (i < 4) { s = s + a[i] * K + i; i = i + 1; }",
    "i = 0; while (i < n) { a[i % 64] = a[i % 64] + K; i = i + 1; }",
    "i = 0; while (i < n) { s = s + m[i % 8][i % 4] * (n * n + K); i = i + 3; }",
    "i = 0; while (i < n) { total = total + b[i]; i = i + 1; }",
    "i = 0; while (i < n - 1) { b[i + 1] = b[i] + K; i = i + 1; }",
    "i = 0; while (i < n) { b[i] = 0; i = i + 1; }",
    "i = 0; while (i < n) { s = s + K; i = i + 1; }",
    "i = 0; while (i < n) { if (i < input) s = s + b[i]; else s = s - a[i] * K; i = i + 1; }",
    "i = 0; while (i < n) { b[i] = a[i] + b[i] * K; i = i + 1; }",
    "i = 1; while (i < n) { b[i * 5 % 64] = i * K; if (a[i] > s) s = a[i]; i = i * 2; }",
    "{ int r = 0; while (r < n) { i = 0; while (i < 8) { b[i] = a[i] * K; s = s + a[i]; i = i + 1; } r = r + 1; } }",
    "{ int r = 0; while (r < 8) { int t = K; i = 0; while (i < 40) { t = t + a[i] * b[i + r]; i = i + 1; } m[1][r] = t; r = r + 1; } }",
    "{ int r = 0; while (r < 16) { i = 0; while (i < 40) { w[i][r] = w[i][r] * K + a[i]; i = i + 1; } r = r + 1; } }",
    "{ int r = 0; while (r < 8) { int t = K; i = 0; while (i < 40) { t = t + a[i] * m[i][r]; i = i + 1; } b[r] = t; r = r + 1; } }",
    "{ int best = 0; i = 1; while (i < n) { if (a[i] * K > a[best] * K) best = i; i = i + 1; } s = s + best; }",
    "i = 0; while (i < n) { b[i] = a[i] + K; i = i + 1; } i = 0; while (i < n) { s = s + b[i] * a[i]; i = i + 1; }",
    "{ int first = 1; i = 0; while (i < n) { if (first) { s = s + K; first = 0; } else s = s * 3 + a[i]; i = i + 1; } }",
    "{ int w[4]; w[0] = 5; w[1] = K; w[2] = 7; w[3] = 9; s = s + w[n % 4] * w[input % 4]; }",
    "{ int u = n + K; while (u > 9) { u = u / 2; s = s + u; } }",
];

/// Functions that are what some passes are for, one each: what is to be multiplied modulo a number bit by bit, what calls
/// itself last, returns at once where it is called, calls itself twice, is never called, always gets the same, has equal
/// results, and ends by calling another one.
const FUNCTIONS: [&str; 8] = [
    "int product(int x, int y) { if (y == 0) return 0; if (y == 1) return x % 998244353; int c = product(x, y / 2) * 2 % 998244353; if (y % 2 == 1) return (c + x) % 998244353; return c; }",
    "int last(int x, int y) { if (x <= 0) return y; return last(x - 1, y + a[x % 64] + K); }",
    "void place(int x) { if (x >= 4) { total = total + K; return; } int i = 0; while (i < 2) { a[x] = i; place(x + 1); i = i + 1; } }",
    "int twice(int x) { if (x < 2) return x + K; return twice(x - 1) + twice(x - 2); }",
    "int never(int x) { return x * K; }",
    "int args(int x, int y, int z) { if (x <= 0) return y % z; total = total + args(x - 1, y + x, z); total = total * 3; total = total + args(x - 2, y - x, z); return total + z; }",
    "int equal(int x) { if (x < 0) return 3; int s = 0, i = 0; while (i < x) { s = s + equal(i - 3) * K; i = i + 1; } return s; }",
    "void ends(int x) { if (x <= 0) return; total = total + K; ends(x - 2); putint(x); }",
];

/// What all sites share.
const SHARED: [&str; 11] = [
    "int a[64], b[64], m[40][8], w[40][16], total, input, g0 = 12;",
    "int small(int x, int y) { if (x > y) return x - 3; return y * 5; }",
    "int low(int x, int y) { return x * y - 5; }",
    "int pure(int x) { if (x < 2) return 1; return x * pure(x - 1); }",
    "int heavy(int x, int y) { int s = 0; while (y > 0) { s = s * 3 + x; y = y - 1; if (s > 5000) s = heavy(x - 1, y - 1); } return s; }",
    "int deep(int x, int y, int z, int unused) { if (x <= 0) return y % z; return deep(x - 1, y + x, z, unused) + 1; }",
    "int noted(int x, int y) { a[x] = a[x] + y; if (y <= 1) return x % 3; return noted(x, y - 1) + noted(x, y - 2); }",
    "int many(int x) {",
    "    if (x < 0) return -x;",
    "    return x;",
    "}",
];

/// What nothing is known of.
const READ: &str =
    "input = getint(); total = getint(); getarray(a); getarray(b); getarray(m[0]); getarray(w[0]);";

/// A program with n sites of each kind in a shape.
pub(crate) fn sites(shape: Shape, n: usize) -> String {
    let others: &[&str] = if shape == Shape::Block { &[] } else { &[&BRANCHING[..], &LOOPS[..]].concat() };
    let chosen = [&STRAIGHT, others].concat();
    let mut w = Writer::new(1);
    SHARED.iter().for_each(|line| w.line(line));
    for k in 1..=n {
        w.line(format!("int g{k};"));
    }
    let put = |w: &mut Writer, site: &str, k: usize| w.line(site.replace('K', &k.to_string()));
    let each = |w: &mut Writer, make: &mut dyn FnMut(&mut Writer, &str, usize)| {
        for k in 1..=n {
            chosen.iter().for_each(|site| make(w, site, k));
        }
    };
    match shape {
        Shape::Functions => {
            let mut number = 0;
            each(&mut w, &mut |w, site, k| {
                number += 1;
                w.open(format!("int f{number}(int n)"));
                w.line("int s = n, i = 0, p = n * 3;");
                w.line(format!("if (n < 0) {{ total = f{number}(n + 100); input = f{number}(n + 70); }}"));
                put(w, site, k);
                w.line("return s + i + p;");
                w.close();
            });
            for k in 1..=n {
                for (which, function) in FUNCTIONS.iter().enumerate() {
                    let name = ["product", "last", "place", "twice", "never", "args", "equal", "ends"][which];
                    put(&mut w, &function.replace(name, &format!("{name}K")), k);
                }
            }
            w.open("int main()");
            w.line(READ);
            w.line("int s = getint(), t = s;");
            for f in 1..=number {
                w.line(format!("s = s + f{f}(s % 32 + 32);"));
            }
            for k in 1..=n {
                w.line(format!("s = s + args{k}(s % 8, t, {k} + 70) + args{k}(t % 8, s, {k} + 70) + equal{k}(t % 4) * equal{k}(t % 4);"));
                w.line(format!("s = s + product{k}(s % 1000 + 1000, t) + last{k}(s % 9, s) + twice{k}(t % 7); place{k}(0);"));
                w.line(format!("ends{k}(s % 9);"));
            }
        }
        _ => {
            w.open("int main()");
            w.line(READ);
            w.line("int n = getint() % 32 + 32, s = n, t = 0, i = 0, j = 0, p = n * 3;");
            each(&mut w, &mut |w, site, k| match shape {
                Shape::Blocks => {
                    w.open(format!("if (n % {} > 1)", k + 2));
                    put(w, site, k);
                    w.close();
                }
                Shape::Loops => {
                    w.line("j = 0;");
                    w.open(format!("while (j < n % {})", k + 2));
                    put(w, site, k);
                    w.line("j = j + 1;");
                    w.close();
                }
                _ => put(w, site, k),
            });
            w.line("s = s + i + j + p;");
        }
    }
    w.line("putint(s + many(t) + total);");
    w.line("return 0;");
    w.close();
    w.text
}
