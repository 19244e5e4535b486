//! `dialect`: what the default language has beyond strict SysY and C has, too: `for` with all its parts, `do`,
//! `+=` and `++`, nested, with `break` and `continue`, scopes and elements.
//!
//! Loops count in variables that nothing else changes; subscripts are counters below the length, constants,
//! or calls with effects that nothing else in the statement reads.

use super::Writer;

const LENGTH: usize = 16;
/// Loops in each other.
const DEEPEST: usize = 3;

pub(super) fn dialect(w: &mut Writer, size: usize) {
    w.prologue();
    w.line(format!("int a[{LENGTH}], b[4][8], g, calls;"));
    w.line(format!("float x[{LENGTH}];"));
    w.line("int next(int n) { calls++; calls %= 1000; return calls % n; }");
    let mut count = 0;
    while w.lines + 20 < size.max(60) || count == 0 {
        w.open(format!("int f{count}(int p, int v[])"));
        w.line("int s = p, t = 3;");
        w.line("float y = p;");
        for _ in 0..3 {
            statement(w, 0);
        }
        w.line("mix(s); mix(t); mix(to_int(y)); mix(g); mix(v[3]);");
        w.line("return s;");
        w.close();
        count += 1;
    }
    w.open("int main()");
    w.line("int r;");
    for k in 0..count {
        // What a call changes is not read by the rest of its statement.
        w.line(format!("r = f{k}({k}, a); g += r; tell();"));
    }
    w.line(format!("for (int k = 0; k < {LENGTH}; k++) {{ mix(a[k]); mix(b[k / 8][k % 8]); show(x[k]); }}"));
    w.line("tell();");
    w.line("return 0;");
    w.close();
}

/// An int that can be changed; counters are named by depth.
fn target(w: &mut Writer, depth: usize) -> String {
    let constant = w.random.below(LENGTH);
    match w.random.below(8) {
        0 => "g".to_string(),
        1 => format!("a[{constant}]"),
        2 if depth > 0 => format!("a[k{}]", w.random.below(depth)),
        3 if depth > 0 => format!("b[1 + k{} / 8][k0 % 8]", w.random.below(depth)),
        4 => format!("v[{constant}]"),
        5 => "a[next(16)]".to_string(),
        6 => "t".to_string(),
        _ => "s".to_string(),
    }
}

/// An operand without effects.
fn operand(w: &mut Writer, depth: usize) -> String {
    match w.random.below(6) {
        0 if depth > 0 => format!("k{}", w.random.below(depth)),
        1 => "s".to_string(),
        2 => "t * 3".to_string(),
        3 => "(s > t && t != 4)".to_string(),
        _ => w.random.below(100).to_string(),
    }
}

/// A change of something, without `;`.
fn change(w: &mut Writer, depth: usize) -> String {
    if w.random.chance(15) {
        let (k, value) = (w.random.below(LENGTH), w.random.float_literal());
        let operator = *w.random.pick(&["+=", "-=", "*="]);
        let target = if w.random.chance(50) { "y".to_string() } else { format!("x[{k}]") };
        return format!("{target} {operator} {value}");
    }
    let name = target(w, depth);
    match w.random.below(8) {
        0 => format!("{name}++"),
        1 => format!("--{name}"),
        2 => format!("++{name}"),
        3 => format!("{name} /= {}", 1 + w.random.below(9)),
        4 => format!("{name} %= {}", 1 + w.random.below(99)),
        _ => {
            let operator = *w.random.pick(&["+=", "-=", "*="]);
            format!("{name} {operator} {}", operand(w, depth))
        }
    }
}

fn statement(w: &mut Writer, depth: usize) {
    let operator = *w.random.pick(&["==", "!=", "<"]);
    let condition = |w: &mut Writer| format!("{} {operator} {}", operand(w, depth), operand(w, depth));
    match w.random.below(if depth < DEEPEST { 9 } else { 6 }) {
        0 if depth > 0 => {
            let word = *w.random.pick(&["break", "continue"]);
            let condition = condition(w);
            w.line(format!("if ({condition}) {word};"));
        }
        1 => {
            let (condition, one, other) = (condition(w), change(w, depth), change(w, depth));
            w.line(format!("if ({condition}) {one}; else {other};"));
        }
        2 if depth > 0 => {
            w.open("");
            w.line(format!("int s = k{}, t;", depth - 1));
            w.line("for (t = 0; t < 3; t++) s += t;");
            statement(w, depth);
            w.close();
        }
        0..=5 => {
            let text = change(w, depth);
            w.line(format!("{text};"));
        }
        6 => {
            // The counter moves on before anything else, so that `continue` cannot skip it.
            let (n, k) = (1 + w.random.below(5), depth);
            w.open("");
            w.line(format!("int k{k} = -1;"));
            w.open("do");
            w.line(format!("k{k}++;"));
            body(w, depth + 1);
            w.close_with(&format!(" while (k{k} < {n} && k{k} < {});", LENGTH - 1));
            w.close();
        }
        kind => {
            let (n, k) = (1 + w.random.below(if depth == 0 { LENGTH } else { 5 }), depth);
            let (first, step) = (change(w, depth), change(w, depth));
            let head = match w.random.below(5) {
                0 => format!("for (int k{k} = 0, e = {n}; k{k} < e; k{k}++, {step})"),
                1 => format!("for (int k{k} = {n} - 1; k{k} >= 0; --k{k})"),
                2 => format!("for (int k{k} = 0; k{k} < {n}; k{k} += 2, {step})"),
                _ => format!("for (int k{k} = 0; k{k} < {n}; k{k}++)"),
            };
            if kind == 7 {
                w.open("");
                w.line(format!("int k{k};"));
                w.open(format!("for (k{k} = 0, {first}; ; k{k}++)"));
                w.line(format!("if (k{k} >= {n}) break;"));
                body(w, depth + 1);
                w.close();
                w.close();
            } else {
                w.open(head);
                body(w, depth + 1);
                w.close();
            }
        }
    }
}

fn body(w: &mut Writer, depth: usize) {
    for _ in 0..1 + w.random.below(3) {
        statement(w, depth);
    }
}
