//! `loops`: what loop, memory and interprocedural passes look for, at random: nests over arrays that
//! functions share, with subscripts that overlap; trip counts that are constant, unknown or nothing; loops
//! with several exits, that go down, or that end at an inequality; tests of counters and of what does not
//! change; a loop with its test behind it whose bound is in a global, in one whose counter it reads; values that are
//! carried around; loops until two counters meet; every second, third or fourth element; searches for the place of a
//! number, and shifts by a gap that is read; nests over planes whose rounds have operands in common, or do to each other's; nests that walk down columns, of
//! which the first loops may go innermost; sums of neighbours that overlap, quotients of multiples; sums of floats beside each other, windows, rings, limits, choices of sums and
//! quotients with remainders; copies, fills, recurrences and sums; both ends of a range; questions about one integer one after the other; recursion at the end of a function
//! and inside of expressions; globals that are constant, never written or never read; parameters that are always the same.
//!
//! A subscript is a counter whose range is known plus a constant that keeps it inside, or a remainder.

use super::Writer;
use nests::{again, columns, flat, nest, plane, ring, several, windows};
use rounds::{carried, flagged, gaps, in_turn, meeting, neighbours, questions, quotients, row, search};

/// A line whose parts are chosen at random.
macro_rules! line {
    ($w:ident, $($part:tt)*) => {{
        let text = format!($($part)*);
        $w.line(text);
    }};
}

mod nests;
mod rounds;

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
    w.open("float climb(float x, float y)");
    w.line("if (x < y) return x * 0.5;");
    w.line("return climb(x - 1.0, y) - climb(x - y, y + 0.5);");
    w.close();
    w.open("int corner(int a, int b, int c, int d)");
    w.line("if (a <= 0 || b <= 0) return c - d;");
    line!(
        w,
        "return corner(a - 1, b, c + {a}, d) - corner(a, b - 1, d, c) * 3 + corner(a - 1, b - 1, c, d);"
    );
    w.close();
    w.open("int within(int n)");
    w.line("if (n < 1) return 0;");
    w.line("return n - within(within(n - 1));");
    w.close();
    w.open("int turn(int s, int k, int n)");
    w.line("int i = 0; int total = 0;");
    let by = if w.random.below(2) == 0 { "k".to_string() } else { w.random.below(200).to_string() };
    let (modulus, end) = (2 + w.random.below(70_000), *w.random.pick(&["n", "n * n % 50 + 7", "n / 2 + 3"]));
    w.open(format!("while (i < {end})"));
    w.line(format!("s = (s + {by}) % {modulus};"));
    if w.random.below(2) == 0 {
        w.line("total = total + i * k;");
    }
    w.line("i = i + 1;");
    w.close();
    w.line(format!("if ((k * 8 + {end} * 12 + 3) % 4 == 3) total = total + (s * 6) % 2;"));
    w.line("return s * 7 + total;");
    w.close();
    w.open("int wander(int n, int steps, float q)");
    w.line("if (n <= 0) return n;");
    w.line("return wander(n - 2, steps + 1, q * 2.0) + wander(n - 3, steps, q);");
    w.close();
    w.open("int power(int x, int n)");
    w.line("if (n == 0) return 1;");
    w.line("if (n % 2 == 1) return x * power(x, n - 1);");
    w.line("int half = power(x, n / 2); return half * half;");
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
    w.line(format!(
        "i = 0; while (i < {}) {{ gm[i / {COLUMNS}][i % {COLUMNS}] = i * 5 % 11; gn[i / {COLUMNS}][i % {COLUMNS}] = 9 - i; i = i + 1; }}",
        ROWS * COLUMNS
    ));
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
    let n = w.random.below(20);
    line!(
        w,
        "mix(to_int(climb(few + 2.5, 2.0))); mix(corner(few, 3, gs, 7)); mix(power(gs, {n})); mix(paths(4, 3)); mix(within(few + {n})); mix(wander(few * 3, {n}, 1.5)); mix(turn(gs, {n}, 0 - few));"
    );
    line!(w, "mix(reach(mine, 0, {}));", 1 + w.random.below(18));
    let (n, k) = (w.random.below(40), w.random.below(100));
    line!(
        w,
        "mix(turn(gs, few, {n})); mix(turn(0 - gs, few - 9, {n})); mix(turn({k}, few * few * {k}, {n}));"
    );
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

/// A statement of loops that passes look for: counters that it needs, and the executions from which on it would take too long.
struct Shape {
    write: fn(&mut Writer, &mut Scope<'_>),
    counters: usize,
    most: i64,
}

const fn shape(write: fn(&mut Writer, &mut Scope<'_>), counters: usize, most: i64) -> Shape {
    Shape { write, counters, most }
}

/// All of them, equally often. (One behind the other with a chance each, the last ones came in one program of fifty.)
const SHAPES: [Shape; 17] = [
    shape(row, 1, 60),
    shape(again, 2, 60),
    shape(flat, 2, 60),
    shape(windows, 2, 60),
    shape(flagged, 2, 60),
    shape(search, 2, 60),
    shape(gaps, 2, 60),
    shape(ring, 2, 60),
    shape(nest, 2, 60),
    shape(neighbours, 1, 60),
    shape(quotients, 1, 60),
    shape(carried, 2, 30),
    shape(meeting, 2, 30),
    shape(in_turn, 2, 30),
    shape(several, 2, 9),
    shape(plane, 2, 9),
    shape(columns, 2, 9),
];

fn statement(w: &mut Writer, s: &mut Scope<'_>, depth: usize) {
    s.cost += s.weight;
    match w.random.below(if depth == 0 { 6 } else { 12 }) {
        0 if depth < 2 && !s.free.is_empty() && s.weight < SHAPES[0].most => {
            let has_room = |shape: &&Shape| s.weight < shape.most && s.free.len() >= shape.counters;
            let fitting: Vec<&Shape> = SHAPES.iter().filter(has_room).collect();
            let shape = *w.random.pick(&fitting);
            (shape.write)(w, s);
        }
        0..=3 if depth < 3 && !s.free.is_empty() && s.weight < 400 => repeat(w, s, depth),
        4 if w.random.chance(20) => questions(w, s),
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
        6 if w.random.chance(25) => questions(w, s),
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
