//! `loops`: what loop, memory and interprocedural passes look for, at random: nests over arrays that
//! functions share, with subscripts that overlap; trip counts that are constant, unknown or nothing; loops
//! with several exits, that go down, or that end at an inequality; tests of counters and of what does not
//! change; a loop with its test behind it whose bound is in a global, in one whose counter it reads; values that are
//! carried around; loops until two counters meet; every second, third or fourth element; searches for the place of a number; nests over planes whose rounds have operands in common, or do to each other's; nests that
//! walk down columns, of which the first loops may go innermost; sums of floats beside each other, windows, limits, choices of sums and
//! quotients with remainders; copies, fills, recurrences and sums; recursion at the end of a
//! function and inside of expressions; globals that are constant, never written or never read; parameters
//! that are always the same.
//!
//! A subscript is a counter whose range is known plus a constant that keeps it inside, or a remainder.

use super::Writer;

/// A line whose parts are chosen at random.
macro_rules! line {
    ($w:ident, $($part:tt)*) => {{
        let text = format!($($part)*);
        $w.line(text);
    }};
}

/// Length of the arrays with one dimension, and the dimensions of the others.
const LENGTH: i64 = 20;
const ROWS: i64 = 6;
const COLUMNS: i64 = 7;
/// The dimensions of arrays whose loops do too many rounds to stand one behind the other.
const HEIGHT: i64 = 12;
const WIDTH: i64 = 40;

/// Statements that a function executes, about.
const MOST: i64 = 30_000;

/// Arrays of ints that every function may read and write; `p` and `q` are parameters.
const GLOBALS: [&str; 3] = ["ga", "gb", "gc"];

/// A loop counter, which stays between two constants.
#[derive(Clone)]
struct Counter {
    name: String,
    low: i64,
    high: i64,
}

struct Scope<'a> {
    /// Arrays of `LENGTH` ints.
    arrays: Vec<String>,
    /// Ints that may be written.
    ints: Vec<String>,
    counters: Vec<Counter>,
    /// Names of counters that no loop around uses.
    free: Vec<String>,
    /// What each function above costs, in statements executed.
    costs: &'a [i64],
    /// What this one costs so far.
    cost: i64,
    /// Iterations of the loops around.
    weight: i64,
}

pub(super) fn loops(w: &mut Writer, size: usize) {
    w.prologue();
    w.line(format!("int ga[{LENGTH}], gb[{LENGTH}], gc[{LENGTH}];"));
    w.line(format!("int gm[{ROWS}][{COLUMNS}], gn[{ROWS}][{COLUMNS}];"));
    w.line(format!("float gf[{LENGTH}], gz[{LENGTH}];"));
    w.line(format!("int wide[{HEIGHT}][{WIDTH}], tall[{WIDTH}][{HEIGHT}], line[{WIDTH}];"));
    w.line(format!("float plane[{HEIGHT}][{WIDTH}];"));
    let values: Vec<String> = (0..8).map(|_| w.random.below(100).to_string()).collect();
    w.line(format!("const int table[8] = {{{}}};", values.join(", ")));
    line!(w, "int fixed[4] = {{1, {}, 5}}, never = {}, unread;", w.random.below(9), w.random.below(9));
    w.line("int gs = 3, gt = 5, flag = 1, few = 4, rounds;");
    recursions(w);
    let mut costs = Vec::new();
    while w.lines + 60 < size.max(90) || costs.is_empty() {
        let cost = function(w, &costs);
        costs.push(cost);
    }
    main(w, costs.len());
}

/// Functions that call themselves: at the end, in a sum, in a product, in halves, with an array.
fn recursions(w: &mut Writer) {
    let (a, b, m) = (w.random.below(5), 2 + w.random.below(5), 3 + w.random.below(1000));
    w.open("int down(int n, int s)");
    w.line(format!("if (n <= {a}) return s;"));
    w.line(format!("if (n % {b} == 0) return down(n - 2, s + n);"));
    w.line("return down(n - 1, s * 3 - n);");
    w.close();
    w.open("int total(int n)");
    w.line("if (n <= 0) return 1;");
    let op = *w.random.pick(&["+", "*"]);
    w.line(format!("return total(n - 1) {op} (n * {b} + gs);"));
    w.close();
    w.open("int twice(int a, int b)");
    w.line("if (b <= 0) return 0;");
    w.line(format!("if (b == 1) return a % {m};"));
    w.line(format!("int half = twice(a, b / 2); half = (half + half) % {m};"));
    w.line(format!("if (b % 2 == 1) return (half + a) % {m}; else return half;"));
    w.close();
    w.open("int common(int a, int b)");
    w.line("if (b == 0) return a;");
    w.line("return common(b, a % b);");
    w.close();
    w.open("int paths(int a, int b)");
    w.line("if (a <= 0 || b <= 0) return 1;");
    w.line("return paths(a - 1, b) + paths(a, b - 1);");
    w.close();
    w.open("int reach(int p[], int k, int n)");
    w.line("if (k >= n) return p[n];");
    w.line(format!("p[k] = p[k] + {a};"));
    w.line("return reach(p, k + 1, n);");
    w.close();
    w.open("int frame(int n)");
    w.line("if (n <= 0) return 0;");
    w.line("int local[3] = {n};");
    w.line(format!("local[1] = local[2] + {b};"));
    w.line("return frame(n - 1) + local[0] + local[1];");
    w.close();
}

/// Returns what a call costs.
fn function(w: &mut Writer, costs: &[i64]) -> i64 {
    let index = costs.len();
    // `same` is the same constant in every call, and nothing reads `idle`.
    w.open(format!("int f{index}(int p[], int q[], int n, int same, int idle)"));
    let mut scope = Scope {
        arrays: GLOBALS.iter().map(|name| name.to_string()).collect(),
        ints: Vec::new(),
        counters: Vec::new(),
        free: ["i", "j", "k"].map(str::to_string).to_vec(),
        costs,
        cost: 0,
        weight: 1,
    };
    scope.arrays.extend(["p", "q"].map(str::to_string));
    w.line("int i = 0, j = 0, k = 0; float sign = 1.5;");
    for name in ["a", "b", "c", "d"] {
        let value = *w.random.pick(&["0", "1", "n", "same", "gs", "never"]);
        w.line(format!("int {name} = {value};"));
        scope.ints.push(name.to_string());
    }
    if w.random.chance(50) {
        let values = *w.random.pick(&["{}", "{1, 2, 3}", "{n, same, 4}"]);
        w.line(format!("int local[{LENGTH}] = {values};"));
        scope.arrays.push("local".to_string());
    }
    if w.random.chance(30) {
        let value = *w.random.pick(&["fixed[0]", "fixed[1]", "table[2]", "never"]);
        w.line(format!("if ({value} == n) return {value};"));
    }
    for _ in 0..2 + w.random.below(4) {
        statement(w, &mut scope, 0);
    }
    line!(
        w,
        "{}",
        w.random.pick(&["return a;", "return a + b * 3 + c;", "return same;", "return 7;", "return d - a;",])
    );
    w.close();
    scope.cost
}

fn main(w: &mut Writer, functions: usize) {
    w.open("int main()");
    w.line(format!("int i = 0, mine[{LENGTH}] = {{2, 4, 6}};"));
    w.open(format!("while (i < {LENGTH})"));
    w.line("ga[i] = i * 7 % 13; gb[i] = 5 - i; gf[i] = i * 0.5;");
    w.line("i = i + 1;");
    w.close();
    w.line(format!("i = 0; while (i < {WIDTH}) {{ line[i] = i * 5 % 9; i = i + 1; }}"));
    w.line(format!(
        "i = 0; while (i < {}) {{ wide[i / {WIDTH}][i % {WIDTH}] = i % 17; tall[i / {HEIGHT}][i % {HEIGHT}] = i % 13; i = i + 1; }}",
        HEIGHT * WIDTH
    ));
    if w.random.chance(50) {
        w.line("flag = 0; few = 2;");
    }
    line!(w, "rounds = {};", 1 + w.random.below(9));
    for k in 0..functions {
        for _ in 0..1 + w.random.below(3) {
            let names = ["ga", "gb", "gc", "mine"];
            let (p, q) = (*w.random.pick(&names), *w.random.pick(&names));
            let n = *w.random.pick(&["0", "1", "3", "7", "few", "-1", "18"]);
            line!(w, "mix(f{k}({p}, {q}, {n}, 9, {}));", w.random.below(50));
        }
        w.line(format!("unread = {k}; tell();"));
    }
    w.line(
        "mix(down(20, gs)); mix(total(few)); mix(twice(gt, 37)); mix(common(84, 36)); mix(paths(3, few));",
    );
    line!(w, "mix(reach(mine, 0, {}));", 1 + w.random.below(18));
    w.line("mix(frame(few));");
    w.line("i = 0;");
    w.open(format!("while (i < {LENGTH})"));
    w.line("mix(ga[i]); mix(gb[i]); mix(gc[i]); mix(mine[i]); mix(to_int(gf[i])); mix(to_int(gz[i]));");
    w.line(format!("if (i < {ROWS}) {{ mix(gm[i][i]); mix(gn[i][{COLUMNS} - 1 - i]); mix(gm[i][0]); }}"));
    w.line("i = i + 1;");
    w.close();
    w.line(format!(
        "i = 0; while (i < {}) {{ mix(wide[i / {WIDTH}][i % {WIDTH}] + tall[i % {WIDTH}][i % {HEIGHT}] * 3 + line[i % {WIDTH}]); mix(to_int(plane[i / {WIDTH}][i % {WIDTH}])); i = i + 1; }}",
        HEIGHT * WIDTH
    ));
    w.line("tell(); return checksum % 100;");
    w.close();
}

/// A constant, a variable, a counter, an element, or a small expression of them.
fn value(w: &mut Writer, s: &Scope<'_>, depth: usize) -> String {
    if depth > 0 && w.random.chance(45) {
        let (x, y) = (value(w, s, depth - 1), value(w, s, depth - 1));
        return match w.random.below(10) {
            0 => format!("({x} - {y})"),
            1 => format!("{x} * {y}"),
            2 => format!("{x} * {}", 1 + w.random.below(9)),
            3 => format!("({x}) / {}", 1 + w.random.below(9)),
            4 => format!("({x}) % {}", 1 + w.random.below(17)),
            5 => format!("({x}) % {}", 1 << w.random.below(6)),
            _ => format!("({x} + {y})"),
        };
    }
    match w.random.below(10) {
        0 => format!("({})", w.random.below(40) as i64 - 10),
        1 | 2 => w.random.pick(&s.ints).clone(),
        3 | 4 if !s.counters.is_empty() => w.random.pick(&s.counters).name.clone(),
        5..=7 => element(w, s),
        8 => (*w.random.pick(&["gs", "gt", "n", "same", "never", "fixed[1]", "table[3]", "fixed[3]"]))
            .to_string(),
        _ if w.random.chance(10) && s.weight < 30 => {
            let n = 1 + w.random.below(8);
            let call = ["down", "twice", "common"][w.random.below(3)];
            format!("{call}({n}, {})", w.random.below(30))
        }
        _ => w.random.pick(&s.ints).clone(),
    }
}

/// A subscript that stays below `length`.
fn subscript(w: &mut Writer, s: &Scope<'_>, length: i64) -> String {
    if let Some(counter) = (!s.counters.is_empty()).then(|| w.random.pick(&s.counters).clone())
        && w.random.chance(85)
    {
        let shift = w.random.below(5) as i64 - 2;
        // A ring.
        if counter.low >= 0 && w.random.chance(8) {
            let (name, back) = (&counter.name, length - shift.abs());
            return match shift {
                1.. => format!("({name} + {shift}) % {length}"),
                _ => format!("({name} + {back}) % {length}"),
            };
        }
        if counter.low + shift >= 0 && counter.high + shift < length {
            return match shift {
                0 => counter.name,
                1.. => format!("{} + {shift}", counter.name),
                _ => format!("{} - {}", counter.name, -shift),
            };
        }
        if counter.low >= 0 && counter.high < length {
            return counter.name;
        }
        if counter.low >= 0 {
            return format!("{} % {length}", counter.name);
        }
    }
    match w.random.below(4) {
        0 => format!("(n % {length} + {length}) % {length}"),
        _ => w.random.below(length as usize).to_string(),
    }
}

fn element(w: &mut Writer, s: &Scope) -> String {
    if w.random.chance(20) {
        let name = *w.random.pick(&["gm", "gn"]);
        return format!("{name}[{}][{}]", subscript(w, s, ROWS), subscript(w, s, COLUMNS));
    }
    let name = w.random.pick(&s.arrays).clone();
    format!("{name}[{}]", subscript(w, s, LENGTH))
}

fn condition(w: &mut Writer, s: &Scope) -> String {
    let relation = *w.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
    let simple = match w.random.below(6) {
        0 => {
            (*w.random.pick(&["flag == 1", "n > 2", "same == 9", "never != 0", "fixed[2] == 5"])).to_string()
        }
        1 | 2 if !s.counters.is_empty() => {
            let counter = w.random.pick(&s.counters).clone();
            let middle = counter.low + w.random.below((counter.high - counter.low + 2) as usize) as i64;
            match w.random.below(3) {
                0 => format!("{} % 2 == 0", counter.name),
                1 => format!("{} {relation} n", counter.name),
                _ => format!("{} {relation} {middle}", counter.name),
            }
        }
        3 => format!("{} {relation} {}", element(w, s), w.random.below(30)),
        // Both ends of a range, with something else asked in between or not.
        4 if w.random.chance(40) => {
            let (x, high) = (w.random.pick(&s.ints).clone(), w.random.below(40));
            let other = *w.random.pick(&["", "n > 2 && ", "b >= 0 && ", "same == 9 && "]);
            match w.random.below(3) {
                0 => format!("{x} >= 0 && {other}{x} < {high}"),
                1 => format!("{x} < {high} && {other}{x} > -1"),
                _ => format!("{x} < 0 || {x} > {high}"),
            }
        }
        _ => format!("{} {relation} {}", value(w, s, 1), value(w, s, 1)),
    };
    if w.random.chance(15) {
        let join = *w.random.pick(&["&&", "||"]);
        return format!("{simple} {join} {}", condition(w, s));
    }
    simple
}

fn statement(w: &mut Writer, s: &mut Scope<'_>, depth: usize) {
    s.cost += s.weight;
    match w.random.below(if depth == 0 { 6 } else { 12 }) {
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 && w.random.chance(40) => again(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 && w.random.chance(30) => flat(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 9 && w.random.chance(50) => several(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 && w.random.chance(25) => windows(w, s),
        0 if depth < 2 && !s.free.is_empty() && s.weight < 60 && w.random.chance(30) => row(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 && w.random.chance(20) => flagged(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 30 && w.random.chance(40) => carried(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 30 && w.random.chance(20) => meeting(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 30 && w.random.chance(30) => in_turn(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 9 && w.random.chance(50) => plane(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 9 && w.random.chance(50) => columns(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 && w.random.chance(30) => search(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 && w.random.chance(30) => ring(w, s),
        0 if depth < 2 && s.free.len() > 1 && s.weight < 60 => nest(w, s),
        0..=3 if depth < 3 && !s.free.is_empty() && s.weight < 400 => repeat(w, s, depth),
        4 => {
            let head = format!("if ({})", condition(w, s));
            w.open(head);
            block(w, s, depth + 1, 2);
            if w.random.chance(50) {
                w.reopen("else");
                block(w, s, depth + 1, 2);
            }
            w.close();
        }
        5 if depth > 0 && !s.counters.is_empty() && s.weight > 1 && w.random.chance(25) => {
            line!(w, "if ({}) break;", condition(w, s));
        }
        6 => {
            // What is carried around a loop.
            let (x, y) = (w.random.pick(&s.ints).clone(), w.random.pick(&s.ints).clone());
            line!(w, "gt = {x}; {x} = {y}; {y} = gt + {};", w.random.below(3));
        }
        7 => {
            let name = *w.random.pick(&["gs", "gt", "unread", "gt"]);
            line!(w, "{name} = {};", value(w, s, 2));
        }
        8 => {
            let (x, y) = (subscript(w, s, LENGTH), subscript(w, s, LENGTH));
            line!(w, "gf[{x}] = gf[{y}] * 0.5 + {};", *w.random.pick(&["1.5", "gf[0]", "n", "-0.0"]));
        }
        9 if !s.costs.is_empty() && w.random.chance(40) => {
            let callee = w.random.below(s.costs.len());
            let cost = s.costs[callee] * s.weight;
            if s.cost + cost > MOST {
                return;
            }
            s.cost += cost;
            let (p, q) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
            let result = if w.random.chance(50) { "" } else { "a = " };
            line!(w, "{result}f{callee}({p}, {q}, {}, 9, {});", w.random.below(6), w.random.below(90));
        }
        10 | 11 => {
            let name = w.random.pick(&s.ints).clone();
            let (x, modulus) = (value(w, s, 2), 2 + w.random.below(1000));
            match w.random.below(4) {
                0 => w.line(format!("{name} = ({name} + {x}) % {modulus};")),
                1 => w.line(format!("if ({x} > {name}) {name} = {x};")),
                2 => w.line(format!("{name} = {x};")),
                _ => w.line(format!("{name} = {name} + {x};")),
            }
        }
        _ => {
            let (to, x) = (element(w, s), value(w, s, 2));
            match w.random.below(4) {
                0 => w.line(format!("{to} = {to} + {x};")),
                1 => line!(w, "{to} = {};", w.random.below(9)),
                _ => w.line(format!("{to} = {x};")),
            }
        }
    }
}

fn block(w: &mut Writer, s: &mut Scope<'_>, depth: usize, most: usize) {
    for _ in 0..1 + w.random.below(most) {
        statement(w, s, depth);
    }
}

/// A loop around one that tests behind its round, as `do` does, whose bound is in a global. The inner one does not
/// change the counter of the outer one, but reads it, mostly as the outer one's next round will have it. Its
/// round is one block: what the next round of the outer loop has may be computed in it, again and again.
fn nest(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let (start, step) = (w.random.below(4) as i64, *w.random.pick(&[1, 1, 1, 2]));
    let trips = 1 + w.random.below(5) as i64;
    let last = start + (trips - 1) * step;
    let is_for = w.random.chance(50);
    if is_for {
        w.open(format!("for ({outer} = {start}; {outer} <= {last}; {outer} += {step})"));
    } else {
        w.line(format!("{outer} = {start};"));
        w.open(format!("while ({outer} <= {last})"));
    }
    s.counters.push(Counter { name: outer.clone(), low: start, high: last });
    if w.random.chance(30) {
        straight(w, s, &format!("{outer} + {step}"));
    }
    line!(w, "{inner} = {};", w.random.below(3));
    w.open("do");
    for _ in 0..1 + w.random.below(3) {
        let next = if w.random.chance(75) { format!("{outer} + {step}") } else { outer.clone() };
        straight(w, s, &next);
    }
    w.line(format!("{inner} = {inner} + 1;"));
    let bound = *w.random.pick(&["rounds", "rounds", "few"]);
    w.close_with(&format!(" while ({inner} < {bound});"));
    s.cost += s.weight * trips * 9 * 3;
    s.counters.pop();
    if !is_for {
        w.line(format!("{outer} = {outer} + {step};"));
    }
    w.close();
    if w.random.chance(30) {
        w.line(format!("b = b + {inner} + {outer};"));
    }
    s.free.extend([inner, outer]);
}

/// A loop around one over arrays, whose rounds do the same, or nearly: what is read may be written, what is added up may
/// depend on the sum, and anything on the number of the round.
fn again(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let trips = w.random.below(6);
    let bound = *w.random.pick(&["few", "rounds", "n", ""]);
    let bound = if bound.is_empty() { trips.to_string() } else { bound.to_string() };
    line!(w, "{outer} = {};", w.random.below(2));
    let is_small = bound.len() == 1 && bound != "n" || w.random.chance(50);
    // A test of two parts does not count.
    let bound = if is_small && bound == "n" { "few".to_string() } else { bound };
    match is_small {
        true => w.open(format!("while ({outer} < {bound})")),
        false => w.open(format!("while ({outer} < {bound} && {outer} < 9)")),
    }
    line!(w, "{inner} = {};", w.random.below(2));
    w.open(format!("while ({inner} < {LENGTH})"));
    for _ in 0..1 + w.random.below(2) {
        let to = w.random.pick(&s.arrays).clone();
        let from = w.random.pick(&s.arrays).clone();
        let name = w.random.pick(&s.ints).clone();
        let odd = *w.random.pick(&["n", "3", "7", "few", outer.as_str(), "gs"]);
        match w.random.below(6) {
            0 => w.line(format!("{name} = {name} + {from}[{inner}];")),
            1 => w.line(format!("{name} = {name} - {from}[{inner}] % 9 + {odd};")),
            2 => w.line(format!("{to}[{inner}] = {odd};")),
            3 => w.line(format!("{name} = {name} * 3 + {from}[{inner}];")),
            _ => w.line(format!("{to}[{inner}] = {from}[{inner}] * {odd} + 1;")),
        }
    }
    w.line(format!("{inner} = {inner} + 1;"));
    w.close();
    if w.random.chance(30) {
        let name = w.random.pick(&s.ints).clone();
        line!(w, "{name} = {name} + {};", *w.random.pick(&["5", outer.as_str(), "few", "a"]));
    }
    w.line(format!("{outer} = {outer} + 1;"));
    w.close();
    s.cost += s.weight * 9 * LENGTH * 3;
    if w.random.chance(30) {
        w.line(format!("b = b + {inner} + {outer};"));
    }
    s.free.extend([inner, outer]);
}

/// A filter over a ring, whose factors are the same in all rounds of a loop around or not, and a line that goes down to a bound.
fn ring(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let (to, from) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
    let sum = w.random.pick(&s.ints).clone();
    let length = *w.random.pick(&[16, 16, 8, 5, 17]);
    line!(w, "{outer} = {};", w.random.below(3));
    let rounds = *w.random.pick(&["5", "4", "few"]);
    w.open(format!("while ({outer} < {rounds})"));
    line!(w, "int at = {outer} * {} % {length};", 1 + w.random.below(5));
    w.line(format!("{inner} = 0;"));
    w.open(format!("while ({inner} < {length})"));
    let factor = *w.random.pick(&["line[K]", "line[K]", "fixed[K % 4]", "3", "line[K + 1]"]);
    w.line(format!("{sum} = {sum} + {to}[at] * {};", factor.replace('K', &inner)));
    match w.random.below(4) {
        0 => w.line(format!("at = at + 1; if (at == {length}) at = 0;")),
        1 => w.line(format!("if (at == 0) at = {length} - 1; else at = at - 1;")),
        _ => w.line(format!("at = at - 1; if (at < 0) at = {length} - 1;")),
    }
    w.line(format!("{inner} = {inner} + 1;"));
    w.close();
    line!(w, "{}", *w.random.pick(&["", "line[3] = at;", "ga[at] = b % 97;"]));
    line!(w, "{inner} = {LENGTH} - {};", 1 + w.random.below(2));
    let bound = *w.random.pick(&["0", "1", "fixed[1]", "few"]);
    let relation = *w.random.pick(&[">=", ">"]);
    w.open(format!("while ({inner} {relation} {bound})"));
    line!(
        w,
        "if ({from}[{inner}] {} {to}[{inner}]) {to}[{inner}] = {from}[{inner}] + {outer};",
        *w.random.pick(&[">", "<"])
    );
    w.line(format!("{inner} = {inner} - 1;"));
    w.close();
    w.line(format!("{outer} = {outer} + 1;"));
    w.close();
    s.cost += s.weight * 5 * (17 * 4 + LENGTH * 3);
    s.free.extend([inner, outer]);
}

/// A search for the place of the least or the greatest number: what is loaded by the index that it keeps, which may be
/// written, or be of another array.
fn search(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(best), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let from = w.random.pick(&s.arrays).clone();
    let other = if w.random.chance(80) { from.clone() } else { w.random.pick(&s.arrays).clone() };
    let relation = *w.random.pick(&["<", ">", "<=", ">=", "!="]);
    let first = subscript(w, s, LENGTH);
    line!(w, "{best} = {first};");
    line!(w, "{inner} = {};", w.random.below(3));
    let bound = *w.random.pick(&["few", "rounds", ""]);
    let and = if bound.is_empty() { String::new() } else { format!(" && {inner} < {bound}") };
    w.open(format!("while ({inner} < {LENGTH}{and})"));
    if w.random.chance(15) {
        line!(w, "if ({}) break;", condition(w, s));
    }
    let more = if w.random.chance(30) { format!(" && {}", condition(w, s)) } else { String::new() };
    let taken = if w.random.chance(85) { inner.clone() } else { first };
    line!(w, "if ({from}[{inner}] {relation} {other}[{best}]{more}) {best} = {taken};");
    match w.random.below(8) {
        0 => line!(w, "{from}[{inner}] = {};", value(w, s, 1)),
        1 => line!(w, "gt = gt + {other}[{best}];"),
        2 => line!(w, "if ({}) {best} = {inner};", condition(w, s)),
        _ => {}
    }
    w.line(format!("{inner} = {inner} + 1;"));
    w.close();
    s.cost += s.weight * LENGTH * 5;
    w.line(format!("b = b + {best} + {other}[{best}] + {inner};"));
    s.free.extend([best, inner]);
}

/// Loops one behind the other over the same arrays, of which the second reads, or writes, what the first has read or
/// written, in the same round or in another; mostly with the same bounds, and with little in between.
fn row(w: &mut Writer, s: &mut Scope<'_>) {
    let Some(at) = s.free.pop() else { return };
    let (p, q) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
    let (name, other) = (w.random.pick(&s.ints).clone(), w.random.pick(&s.ints).clone());
    let (bound, first) = (*w.random.pick(&["19", "rounds * 2", "few + 14", "n % 19"]), 1 + w.random.below(2));
    for k in 0..2 + w.random.below(2) {
        if k > 0 && w.random.chance(30) {
            line!(w, "{name} = {};", value(w, s, 1));
        }
        let bound = if w.random.chance(90) { bound } else { "18" };
        line!(w, "{at} = {};", if w.random.chance(90) { first } else { 1 });
        w.open(format!("while ({at} < {bound})"));
        for _ in 0..1 + w.random.below(2) {
            let near = |w: &mut Writer| *w.random.pick(&["", "", "", " - 1", " + 1"]);
            let (x, y, to) = (near(w), near(w), near(w));
            match w.random.below(7) {
                0 => line!(w, "{p}[{at}{to}] = {q}[{at}{x}] + {other};"),
                1 => line!(w, "{q}[{at}{to}] = {p}[{at}{x}] * 3 - {p}[{at}{y}];"),
                2 => line!(w, "{name} = {name} + {p}[{at}{x}];"),
                3 => line!(w, "{name} = {name} * 3 + {q}[{at}{x}] * {p}[{at}{y}];"),
                4 => line!(w, "gf[{at}{to}] = gf[{at}{x}] * 0.5 + {p}[{at}{y}];"),
                5 => line!(w, "line[{at}{to}] = {p}[{at}{x}] + line[{at}{y}];"),
                _ => line!(w, "{p}[{at}{to}] = line[{at}{x}] - {at};"),
            }
        }
        line!(w, "{at} = {at} + 1;");
        w.close();
        s.cost += s.weight * LENGTH * 3;
    }
    if w.random.chance(30) {
        w.line(format!("b = b + {at};"));
    }
    s.free.push(at);
}

/// A loop until two counters meet, one up and one down, over one array or two.
fn meeting(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(low), Some(high)) = (s.free.pop(), s.free.pop()) else { return };
    let (p, other) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
    let q = if w.random.chance(50) { p.clone() } else { other };
    let name = w.random.pick(&s.ints).clone();
    let last = LENGTH - 1;
    let end = *w.random.pick(&["19", "18", "few + 13", "rounds * 4 + 3", "n"]);
    line!(w, "{low} = {}; {high} = {end};", w.random.below(4));
    line!(w, "if ({high} > {last}) {high} = {last};");
    let head = match w.random.chance(80) {
        true => format!("while ({low} < {high})"),
        false => format!("while ({high} > {low})"),
    };
    w.open(head);
    for _ in 0..1 + w.random.below(2) {
        match w.random.below(7) {
            0 | 1 => line!(w, "gt = {p}[{low}]; {p}[{low}] = {q}[{high}]; {q}[{high}] = gt;"),
            2 => line!(w, "{name} = {name} + {p}[{low}] * {q}[{high}];"),
            3 => line!(w, "{p}[{high}] = {q}[{low}] * 3 - {high};"),
            4 => line!(w, "{p}[{low}] = {p}[{low}] - {q}[{high}] + gs;"),
            5 => line!(w, "if ({p}[{low}] > {q}[{high}]) {name} = {name} + {low};"),
            _ => line!(w, "{q}[{high}] = {p}[{low} + 1] + {q}[{high} - 1];"),
        }
    }
    if w.random.chance(15) {
        line!(w, "if ({}) break;", condition(w, s));
    }
    line!(w, "{low} = {low} + 1; {high} = {high} - 1;");
    w.close();
    s.cost += s.weight * LENGTH * 3;
    w.line(format!("b = b + {low} * 3 + {high};"));
    s.free.extend([low, high]);
}

/// A loop over every second, third or fourth element, and mostly over those between as well.
fn in_turn(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(row), Some(at)) = (s.free.pop(), s.free.pop()) else { return };
    let name = w.random.pick(&s.ints).clone();
    let count = 2 + w.random.below(3);
    let rounds = WIDTH as usize / count;
    let bound = match w.random.below(3) {
        0 => (rounds - w.random.below(3)).to_string(),
        1 => "few + 5".to_string(),
        _ => rounds.to_string(),
    };
    line!(w, "{row} = {}; {at} = {};", w.random.below(HEIGHT as usize), w.random.below(2));
    w.open(format!("while ({at} < {bound})"));
    for _ in 0..1 + w.random.below(2) {
        let (array, scale) = match w.random.below(4) {
            0 => (format!("plane[{row}]"), "0.25"),
            1 => ("line".to_string(), "3"),
            _ => (format!("wide[{row}]"), "5"),
        };
        let mut parts: Vec<String> = (0..count).map(|k| format!("{array}[{at} * {count} + {k}]")).collect();
        for k in 1..count {
            let other = w.random.below(k + 1);
            parts.swap(k, other);
        }
        if w.random.chance(15) {
            parts.pop();
        }
        let (first, last) = (parts[0].clone(), parts[parts.len() - 1].clone());
        match w.random.below(6) {
            0 => line!(w, "line[{at}] = to_int({}) % 1000;", parts.join(" + ")),
            1 => line!(w, "{name} = {name} + to_int({}) % 1000;", parts.join(" - ")),
            2 => parts.iter().for_each(|part| line!(w, "{part} = tall[{at}][{row}] + {at};")),
            3 => parts.iter().for_each(|part| line!(w, "{part} = {last} * {scale} + {part} / 2;")),
            4 => line!(w, "sign = {first}; {first} = {last}; {last} = to_int(sign) % 1000;"),
            _ => line!(w, "tall[{at}][{row}] = to_int({first} * {scale} - {last}) % 1000;"),
        }
    }
    w.line(format!("{at} = {at} + 1;"));
    w.close();
    s.cost += s.weight * WIDTH * 5;
    w.line("mix(to_int(sign * 2)); sign = 1.5;");
    s.free.extend([row, at]);
}

/// A loop over a row, of what vectors are made besides maps and sums: what a value was in the round before, a sign that
/// alternates, a column, a magnitude, a store on one side of a branch.
fn carried(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(row), Some(at)) = (s.free.pop(), s.free.pop()) else { return };
    let (before, name) = (w.random.pick(&s.ints).clone(), w.random.pick(&s.ints).clone());
    let width = WIDTH.to_string();
    let bound = *w.random.pick(&[width.as_str(), "17", "rounds * 4 + 3", "few + 20", "n"]);
    line!(w, "{row} = {};", w.random.below(HEIGHT as usize));
    line!(w, "{at} = {};", w.random.below(3));
    w.line(format!("while ({at} < {bound} && {at} < {WIDTH}) {{"));
    let (x, y) = (format!("wide[{row}][{at}]"), format!("tall[{at}][{row}]"));
    for _ in 0..1 + w.random.below(2) {
        let next = *w.random.pick(&[x.as_str(), y.as_str(), at.as_str(), "gs"]);
        match w.random.below(9) {
            7 => line!(w, "if ({x} > {before}) {x} = {y} - {at};"),
            8 => line!(
                w,
                "line[{at}] = line[{at}] * 3 % 97; if ({y} < line[{at}]) {{ line[{at}] = {x}; {y} = {at}; }}"
            ),
            0 => line!(w, "line[{at}] = {x} + {before} * 3; {before} = {next};"),
            1 => line!(w, "{x} = {x} - {before}; {before} = {next};"),
            2 => w.line(format!(
                "gt = {x} - {before}; if (gt < 0) gt = -gt; {name} = {name} + gt; {before} = {x};"
            )),
            3 => w.line(format!("plane[{row}][{at}] = {x} * sign; sign = -sign;")),
            4 => w.line(format!("{name} = {name} + {x} * 3 + {y} * line[{at}];")),
            5 => w.line(format!("line[{at}] = {y} * 5 + {x} * {x} - {at};")),
            _ => line!(w, "if ({y} * 5 - {x} + line[{at}] < {name}) {name} = {y} * 5 - {x} + line[{at}];"),
        }
    }
    w.line(format!("{at} = {at} + 1; }}"));
    s.cost += s.weight * WIDTH * 5;
    w.line(format!("mix({before}); mix(to_int(sign * 2));"));
    s.free.extend([row, at]);
}

/// A loop that keeps in a flag whether its first round is over, or something else.
fn flagged(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(at), Some(flag)) = (s.free.pop(), s.free.pop()) else { return };
    let (p, name) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.ints).clone());
    let init = w.random.below(3);
    line!(w, "{flag} = {init};");
    line!(w, "{at} = {};", w.random.below(2));
    let bound = *w.random.pick(&["19", "rounds * 2", "few", "n % 19"]);
    w.open(format!("while ({at} < {bound})"));
    let test = *w.random.pick(&["==", "==", "!=", "<"]);
    let asked = if w.random.chance(80) { init } else { w.random.below(3) };
    w.open(format!("if ({flag} {test} {asked})"));
    line!(w, "{name} = {name} + {p}[{at}];");
    let later = w.random.below(4);
    if w.random.chance(70) {
        line!(w, "{flag} = {later};");
    }
    w.reopen("else");
    line!(w, "{name} = {name} * 3 - {p}[{at}];");
    match w.random.below(5) {
        0 => line!(w, "{flag} = {later};"),
        1 => line!(w, "{flag} = {};", w.random.below(4)),
        2 => line!(w, "if ({}) {flag} = {later};", condition(w, s)),
        _ => {}
    }
    w.close();
    if w.random.chance(20) {
        line!(w, "if ({}) {flag} = {later};", condition(w, s));
    }
    line!(w, "{p}[{at}] = {name};");
    line!(w, "{at} = {at} + 1;");
    w.close();
    s.cost += s.weight * LENGTH * 5;
    w.line(format!("b = b + {flag};"));
    s.free.extend([at, flag]);
}

/// A nest over arrays of two dimensions, as products of matrices and stencils are: what goes over the inner loop, and what
/// several rounds of the outer one have in common or do to each other. Sometimes one more loop stands around both.
fn plane(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let around = if s.weight < 3 && w.random.chance(50) { s.free.pop() } else { None };
    let near = |w: &mut Writer, name: &str| match w.random.below(6) {
        0 => format!("{name} - 1"),
        1 => format!("{name} + 1"),
        _ => name.to_string(),
    };
    let element = |w: &mut Writer| {
        let (x, y) = (near(w, &outer), near(w, &inner));
        if let Some(around) = around.as_ref().filter(|_| w.random.chance(50)) {
            let z = near(w, around);
            return match w.random.below(4) {
                0 => format!("wide[{z}][{y}]"),
                1 => format!("tall[{y}][{z}]"),
                2 => format!("wide[{z}][{x}]"),
                _ => format!("tall[{x}][{z}]"),
            };
        }
        match w.random.below(9) {
            0..3 => format!("wide[{x}][{y}]"),
            3 | 4 => format!("tall[{y}][{x}]"),
            5 => format!("line[{x}]"),
            6 => format!("line[{y}]"),
            7 => format!("wide[3][{y}]"),
            _ => format!("tall[{y}][5]"),
        }
    };
    let (name, other) = (w.random.pick(&s.ints).clone(), w.random.pick(&s.ints).clone());
    let bound = *w.random.pick(&["11", "11", "10", "few + 7", "n % 11"]);
    if let Some(around) = &around {
        line!(w, "{around} = {};", 1 + w.random.below(2));
        let bound = *w.random.pick(&["9", "8", "few + 5"]);
        w.open(format!("while ({around} < {bound})"));
    }
    line!(w, "{outer} = {};", 1 + w.random.below(2));
    w.open(format!("while ({outer} < {bound})"));
    if w.random.chance(60) {
        line!(w, "{name} = {};", *w.random.pick(&["0", "1", outer.as_str(), "line[0]"]));
    }
    line!(w, "{inner} = {};", 1 + w.random.below(2));
    let end = *w.random.pick(&["39", "39", "38", "rounds * 4", "few * 7", "n + 3"]);
    w.open(format!("while ({inner} < {end})"));
    for _ in 0..1 + w.random.below(3) {
        let (to, x, y) = (element(w), element(w), element(w));
        match w.random.below(7) {
            0 | 1 => w.line(format!("{name} = {name} + {x} * {y};")),
            2 => w.line(format!("{to} = {to} + {x} * {other};")),
            3 => w.line(format!("{to} = {x} - {y};")),
            4 => w.line(format!("if ({x} > {name}) {name} = {x};")),
            5 => {
                let (x, y) = (near(w, &outer), near(w, &inner));
                let more = *w.random.pick(&["1.5", "gf[3]"]);
                w.line(format!("plane[{outer}][{inner}] = plane[{x}][{y}] * 0.5 + {more};"));
            }
            _ => w.line(format!("{to} = {to} * 3 + {x};")),
        }
    }
    w.line(format!("{inner} = {inner} + 1;"));
    w.close();
    if w.random.chance(60) {
        let to = *w.random.pick(&["line", "ga", "wide[2]"]);
        line!(w, "{to}[{outer}] = {name} + {};", w.random.below(9));
    }
    line!(w, "{outer} = {outer} + {};", *w.random.pick(&["1", "1", "1", "2"]));
    w.close();
    s.cost += s.weight * HEIGHT * WIDTH * 3;
    if let Some(around) = around {
        line!(w, "{around} = {around} + 1;");
        w.close();
        s.cost += s.weight * HEIGHT * WIDTH * 3 * 7;
        s.free.push(around);
    }
    if w.random.chance(30) {
        w.line(format!("b = b + {inner} + {outer};"));
    }
    s.free.extend([inner, outer]);
}

/// A nest down columns, of two or three loops that go up or down: updates of what other rounds read or write, floats and
/// ints, parts of an array that a parameter may be, and what is loaded or computed in front of the inner loop.
fn columns(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    // Rows from 1 to 10, columns from 2 to 17: all subscripts beside them are inside, of `p` too, with rows of 1.
    let is_up = [w.random.chance(75), w.random.chance(75)];
    let third = s.free.pop().filter(|_| w.random.chance(30));
    let near = |w: &mut Writer, name: &str| match w.random.below(8) {
        0 => format!("{name} - 1"),
        1 => format!("{name} + 1"),
        _ => name.to_string(),
    };
    let element = |w: &mut Writer| {
        let (x, y) = (near(w, &inner), near(w, &outer));
        match w.random.below(8) {
            0..4 => format!("wide[{x}][{y}]"),
            4 => format!("tall[{y}][{x}]"),
            5 => format!("line[{y}]"),
            6 => format!("{}[{x}]", *w.random.pick(&["p", "q", "ga"])),
            _ => format!("{}[{y}]", *w.random.pick(&["p", "q", "gb"])),
        }
    };
    if let Some(third) = &third {
        line!(w, "{third} = 0;");
        let head = format!("while ({third} < {})", 1 + w.random.below(9));
        w.open(head);
    }
    let [columns, rows] =
        [*w.random.pick(&["17", "17", "16", "few * 4"]), *w.random.pick(&["10", "10", "9", "few + 3"])];
    let name = w.random.pick(&s.ints).clone();
    match is_up[0] {
        true => line!(w, "{outer} = 2; while ({outer} < {columns}) {{"),
        false => w.line(format!("{outer} = 17; while ({outer} > 2) {{")),
    }
    if w.random.chance(30) {
        let from = *w.random.pick(&["line[", "gb[", "3 * ("]);
        let end = if from.ends_with('(') { ')' } else { ']' };
        w.line(format!("{name} = {from}{outer}{end};"));
    }
    match is_up[1] {
        true => line!(w, "{inner} = 1; while ({inner} < {rows}) {{"),
        false => w.line(format!("{inner} = 10; while ({inner} >= 1) {{")),
    }
    for _ in 0..1 + w.random.below(2) {
        let (to, x) = (element(w), element(w));
        let odd =
            *w.random.pick(&["3", "n", name.as_str(), inner.as_str(), third.as_deref().unwrap_or("same")]);
        match w.random.below(6) {
            0 => w.line(format!("{to} = {odd};")),
            1 => w.line(format!("{to} = {x} - {odd};")),
            2 => {
                let (x, y) = (near(w, &inner), near(w, &outer));
                let more = *w.random.pick(&["1.5", "gf[3]", inner.as_str()]);
                w.line(format!("plane[{inner}][{outer}] = plane[{x}][{y}] * 0.5 + {more};"));
            }
            _ => w.line(format!("{to} = {to} * {odd} + {x};")),
        }
    }
    let step = |name: &str, is_up: bool| format!("{name} = {name} {} 1; }}", if is_up { '+' } else { '-' });
    w.line(step(&inner, is_up[1]));
    w.line(step(&outer, is_up[0]));
    s.cost += s.weight * 16 * 10 * 3 * if third.is_some() { 9 } else { 1 };
    if let Some(third) = third {
        w.line(format!("{third} = {third} + 1;"));
        w.close();
        s.free.push(third);
    }
    if w.random.chance(30) {
        w.line(format!("b = b + {inner} + {outer};"));
    }
    s.free.extend([inner, outer]);
}

/// A square matrix in an array of one dimension, whose number of columns is no constant: a subscript is a sum of a product
/// of variables. Mostly all of it, sometimes a triangle, whose other rounds are skipped by a `continue`.
fn flat(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let first = w.random.below(2);
    line!(w, "{outer} = {};", w.random.below(2));
    w.open(format!("while ({outer} < few)"));
    w.line(format!("{inner} = {first};"));
    w.open(format!("while ({inner} < few)"));
    if w.random.chance(40) {
        let relation = *w.random.pick(&["<", "<=", ">", ">=", "!=", "=="]);
        let (x, y) = if w.random.chance(70) { (&outer, &inner) } else { (&inner, &outer) };
        w.open(format!("if ({x} {relation} {y})"));
        w.line(format!("{inner} = {inner} + 1;"));
        w.line("continue;");
        w.close();
    }
    let (by_row, by_column) = (format!("{outer} * few + {inner}"), format!("{inner} * few + {outer}"));
    for _ in 0..1 + w.random.below(2) {
        let (to, from) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
        let name = w.random.pick(&s.ints).clone();
        let (x, y) = (*w.random.pick(&[&by_row, &by_column]), *w.random.pick(&[&by_row, &by_column]));
        match w.random.below(5) {
            0 => w.line(format!("{name} = {name} + {from}[{x}] * {to}[{y}];")),
            1 => w.line(format!("{name} = {from}[{x}]; {from}[{x}] = {to}[{y}]; {to}[{y}] = {name};")),
            2 => w.line(format!("{to}[{x}] = {to}[{x}] + {from}[{y}] % 7;")),
            _ => w.line(format!("{to}[{x}] = {from}[{y}];")),
        }
    }
    w.line(format!("{inner} = {inner} + 1;"));
    w.close();
    w.line(format!("{outer} = {outer} + 1;"));
    w.close();
    s.cost += s.weight * 16 * 3;
    if w.random.chance(30) {
        w.line(format!("b = b + {inner} + {outer};"));
    }
    s.free.extend([inner, outer]);
}

/// Sums of floats in order beside each other, of rows that rounds of the loop around have in common or not; none of what is
/// summed up depends on the sums.
fn several(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let count = 1 + w.random.below(5);
    line!(w, "{outer} = {};", w.random.below(2));
    let head = format!("while ({outer} < {})", *w.random.pick(&["12", "12", "11", "few + 6", "n / 2"]));
    w.open(head);
    let names: Vec<String> = (0..count).map(|k| format!("sum{k}")).collect();
    for name in &names {
        line!(w, "float {name} = {};", w.random.pick(&["0", "0.5", "gf[2]", "1"]));
    }
    let mut others: Vec<String> = ["3", "7", "0"].map(|row| format!("plane[{row}][{inner}]")).to_vec();
    if w.random.chance(50) {
        line!(w, "{inner} = {};", w.random.below(2));
        let end = *w.random.pick(&["40", "39", "rounds * 4", "few * 7", "n + 5"]);
        w.open(format!("while ({inner} < {end})"));
    } else {
        // Rows of one matrix times rows of another one.
        others = vec![format!("plane[few][{inner}]"), format!("plane[{outer} / 2][{inner}]")];
        w.line(format!("{inner} = 0;"));
        w.open(format!("while ({inner} < 40)"));
    }
    for name in &names {
        let sign = *w.random.pick(&["+", "+", "-"]);
        let (own, other) = (format!("plane[{outer}][{inner}]"), w.random.pick(&others).clone());
        match w.random.below(5) {
            0 => w.line(format!("{name} = {name} {sign} {own};")),
            1 => w.line(format!("{name} = {name} {sign} {other} * 0.25;")),
            _ => w.line(format!("{name} = {name} {sign} {own} * {other};")),
        }
    }
    w.line(format!("{inner} = {inner} + 1;"));
    w.close();
    w.line(format!("gz[{outer}] = {};", names.join(" - ")));
    w.line(format!("{outer} = {outer} + 1;"));
    w.close();
    s.cost += s.weight * HEIGHT * WIDTH * 6;
    s.free.extend([inner, outer]);
}

/// Rounds over a row, each with one of these: a window of a few numbers that are multiplied with others, a value that is kept
/// inside of two limits, one of two sums, a quotient with its remainder.
fn windows(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(outer), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let (p, q) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
    let (name, other) = (w.random.pick(&s.ints).clone(), w.random.pick(&s.ints).clone());
    w.line(format!("{outer} = 0;"));
    let end = *w.random.pick(&["20", "19", "few * 4", "n + 1"]);
    w.open(format!("while ({outer} < {end})"));
    match w.random.below(5) {
        0 | 1 => {
            let (length, to) = (2 + w.random.below(17), *w.random.pick(&["ga", "gb", "line", "wide[4]"]));
            w.line(format!("{name} = 0; {inner} = 0;"));
            w.open(format!("while ({inner} < {length})"));
            w.line(format!("{name} = {name} + line[{outer} + {inner}] * {p}[{inner}];"));
            w.line(format!("{inner} = {inner} + 1;"));
            w.close();
            w.line(format!("{to}[{outer}] = {name};"));
            s.cost += s.weight * LENGTH * 18 * 2;
        }
        2 => {
            let (low, high) = (w.random.below(30) as i64 - 15, w.random.below(30) as i64 - 5);
            let [first, second] = [("<", low), (">", high)].map(|(by, limit)| {
                let by = if w.random.chance(80) { by.to_string() } else { format!("{by}=") };
                format!("if (cut {by} {limit}) cut = {limit};")
            });
            let (first, second) = if w.random.chance(50) { (first, second) } else { (second, first) };
            w.line(format!("int cut = {p}[{outer}] - {other}; {first} {second} {q}[{outer}] = cut;"));
        }
        3 => {
            let [x, y] = [0; 2].map(|_| {
                let sign = *w.random.pick(&["+", "-"]);
                let own = format!("{p}[{outer}]");
                let by = *w.random.pick(&[own.as_str(), other.as_str(), "7"]);
                format!("{name} = {name} {sign} {by};")
            });
            w.line(format!("if ({p}[{outer}] > {q}[{outer}]) {{ {x} }} else {{ {y} }}"));
        }
        _ => {
            let by = *w.random.pick(&["rounds", "few", "(0 - rounds)"]);
            w.line(format!("{q}[{outer}] = {p}[{outer}] / {by} + {p}[{outer}] % {by};"));
        }
    }
    w.line(format!("{outer} = {outer} + 1;"));
    w.close();
    s.cost += s.weight * LENGTH * 3;
    s.free.extend([inner, outer]);
}

/// A statement without control flow about a number that is a subscript, too.
fn straight(w: &mut Writer, s: &Scope<'_>, at: &str) {
    let (array, name) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.ints).clone());
    let factor = w.random.below(20) as i64 - 10;
    match w.random.below(6) {
        0 => w.line(format!("gt = gt + (gt - {array}[{at}]) * ({factor});")),
        1 => w.line(format!("{array}[{at}] = {array}[{at}] * 3 + gt;")),
        2 => w.line(format!("{name} = {name} + {array}[{at}];")),
        3 => w.line(format!("{name} = {name} * 5 + ({at});")),
        4 => w.line(format!("gm[{at} - ({at}) / 2 * 2][1] = {name} + gs;")),
        _ => w.line(format!("mix({array}[{at}]);")),
    }
}

/// A loop with a counter of its own.
fn repeat(w: &mut Writer, s: &mut Scope<'_>, depth: usize) {
    let Some(name) = s.free.pop() else { return };
    let start = *w.random.pick(&[0, 0, 0, 1, 2, 5]);
    let trips = *w.random.pick(&[0, 1, 2, 3, 4, 5, 8, 8, 15]);
    let step = *w.random.pick(&[1, 1, 1, 1, 2, 3]);
    let last = (start + (trips - 1).max(0) * step).min(LENGTH - 1);
    let weight = s.weight;
    s.weight *= trips.max(1);
    let outer = s.counters.last().cloned().filter(|outer| outer.low >= 0 && outer.high < LENGTH);
    let mut close = format!("{name} = {name} + {step};");
    let counter = match w.random.below(9) {
        0 => {
            // Down.
            w.line(format!("{name} = {last};"));
            w.open(format!("while ({name} >= {start})"));
            close = format!("{name} = {name} - {step};");
            Counter { name: name.clone(), low: start, high: last }
        }
        1 => {
            // Up to what is not known; below the array's length.
            let bound = *w.random.pick(&["n", "few", "gs", "same"]);
            w.line(format!("{name} = {start};"));
            w.open(format!("while ({name} < {bound} && {name} < {LENGTH})"));
            s.weight = weight * 10;
            Counter { name: name.clone(), low: start, high: LENGTH - 1 }
        }
        2 => {
            w.line(format!("{name} = {start};"));
            w.open(format!("while ({name} != {})", start + trips * step));
            Counter { name: name.clone(), low: start, high: start + (trips - 1).max(0) * step }
        }
        3 if outer.is_some() => {
            // A triangle.
            let outer = outer.map(|outer| outer.name).unwrap_or_default();
            w.line(format!("{name} = {outer};"));
            w.open(format!("while ({name} < {LENGTH})"));
            s.weight = weight * 10;
            Counter { name: name.clone(), low: 0, high: LENGTH - 1 }
        }
        // A window around a counter, inside of the arrays.
        6 if outer.as_ref().is_some_and(|outer| outer.low > 0 && outer.high < LENGTH - 2) => {
            let outer = outer.map(|outer| outer.name).unwrap_or_default();
            w.line(format!("{name} = {outer} - 1;"));
            let width = 1 + w.random.below(2);
            w.open(format!("while ({name} < {outer} + {width})"));
            s.weight = weight * 3;
            Counter { name: name.clone(), low: 0, high: LENGTH - 1 }
        }
        4 => {
            w.line(format!("{name} = {start};"));
            w.open("while (1)");
            w.line(format!("if ({name} > {last}) break;"));
            Counter { name: name.clone(), low: start, high: last }
        }
        5 => {
            // The counter changes first.
            w.line(format!("{name} = {start} - 1;"));
            w.open(format!("while ({name} < {last})"));
            w.line(format!("{name} = {name} + 1;"));
            if w.random.chance(50) {
                line!(w, "if ({}) continue;", condition(w, s));
            }
            close = String::new();
            Counter { name: name.clone(), low: start, high: last }
        }
        _ => {
            w.line(format!("{name} = {start};"));
            w.open(format!("while ({name} <= {last})"));
            Counter { name: name.clone(), low: start, high: last }
        }
    };
    s.counters.push(counter);
    block(w, s, depth + 1, 3);
    s.counters.pop();
    if !close.is_empty() {
        w.line(close);
    }
    w.close();
    if w.random.chance(30) {
        // What a counter is behind its loop.
        w.line(format!("b = b + {name};"));
    }
    s.weight = weight;
    s.free.push(name);
}
