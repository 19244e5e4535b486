//! `wraps`: loops at the edges of 32 bits. Induction variables that begin or end next to 2^31, or wrap around
//! in between, with tests of all kinds; subscripts that are multiples and sums of them and wrap around, too,
//! in loops in which each round makes an access, or only those do in which the subscript lies in the array.
//! What a compiler knows is chosen at random.
//!
//! What each loop does is computed here, so that it is left after a few rounds, and all accesses lie inside
//! of arrays.

use super::Writer;

const LENGTH: i32 = 64;
/// Rounds of a loop that is left by its test.
const MOST: i32 = 100;
const EDGES: [i32; 17] = [
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    i32::MAX,
    -i32::MAX,
    i32::MIN,
    2147483640,
    -2147483640,
    1 << 30,
    1 << 28,
    1 << 29,
    65536,
    -65536,
];

pub(super) fn wraps(w: &mut Writer, size: usize) {
    w.prologue();
    w.line(format!("int a[{LENGTH}], b[16][16], g, h;"));
    // 0, but a compiler would have to look into an array for that.
    w.line("int zero;");
    w.line("int id(int x) { return x + zero; }");
    let mut count = 0;
    while w.lines + 40 < size.max(60) || count == 0 {
        w.open(format!("void f{count}()"));
        match w.random.below(5) {
            0..2 => exact(w),
            2..4 => guarded(w),
            _ => nest(w),
        }
        w.close();
        count += 1;
    }
    w.open("int main()");
    w.line("int k = 0;");
    w.line(format!("while (k < {LENGTH}) {{ a[k] = k * 3; k = k + 1; }}"));
    w.line("zero = a[k / 13] - 12;");
    for k in 0..count {
        w.line(format!("f{k}(); putarray({LENGTH}, a); putint(g); putch(32); putint(h); putch(10);"));
    }
    w.line("k = 0;");
    w.line("while (k < 16) { putarray(16, b[k]); k = k + 1; }");
    w.line("return 0;");
    w.close();
}

fn literal(x: i32) -> String {
    match x {
        i32::MIN => "(-2147483647 - 1)".to_string(),
        _ if x < 0 => format!("({x})"),
        _ => x.to_string(),
    }
}

fn any(w: &mut Writer) -> i32 {
    if w.random.chance(60) { *w.random.pick(&EDGES) } else { w.random.below(120) as i32 - 60 }
}

/// A number that a compiler knows, or one that it does not.
fn value(w: &mut Writer, x: i32, is_known: bool) -> String {
    let is_known = is_known || w.random.chance(30);
    if is_known { literal(x) } else { format!("id({})", literal(x)) }
}

fn factor(w: &mut Writer) -> i32 {
    *w.random.pick(&[1, 1, 1, 2, 4, 3, 1 << 28, 1 << 29, 1 << 30, -1, -2, 16, 65536])
}

fn holds(test: &str, a: i32, b: i32) -> bool {
    match test {
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        _ => a >= b,
    }
}

/// A loop whose test fails after a few rounds, maybe because the variable has wrapped around.
fn exact(w: &mut Writer) {
    let (init, step) = (any(w), *w.random.pick(&[1i32, 1, 1, 1, -1, -1, 2, -2, 3, 4, 5, -3]));
    let rounds = 1 + w.random.below(12) as i32;
    let (by, known) = (factor(w), w.random.chance(50));
    let mut test = *w.random.pick(&["!=", "!=", "<", "<=", ">", ">="]);
    let end = init.wrapping_add(step.wrapping_mul(rounds));
    let bound = |test: &str| if test.ends_with('=') && test != "!=" { end.wrapping_sub(step) } else { end };
    let first = if by > 0 { *w.random.pick(&[0, 1, 5]) } else { 40 };
    let more = i32::wrapping_sub(first, init.wrapping_mul(by));
    let subscripts = |test: &str| {
        let (mut i, mut all) = (init, Vec::<i32>::new());
        while holds(test, i, bound(test)) && (all.len() as i32) < MOST {
            all.push(i32::wrapping_add(i.wrapping_mul(by), more));
            i = i.wrapping_add(step);
        }
        all
    };
    if !(1..MOST).contains(&(subscripts(test).len() as i32)) {
        test = "!=";
    }
    let is_inside = subscripts(test).iter().all(|s| (0..LENGTH - 2).contains(s));
    let [x, bound] = [more, bound(test)].map(|x| value(w, x, known));
    let init = value(w, init, known);
    w.line(format!("int x = {x}, end = {bound}, i = {init}, r = 0;"));
    let [x, bound] = if known { [literal(more), bound] } else { ["x".to_string(), "end".to_string()] };
    let s = if by == 1 { format!("i + {x}") } else { format!("i * {} + {x}", literal(by)) };
    w.open(format!("while (i {test} {bound})"));
    let what = *w.random.pick(&["i", "g", "1", "r"]);
    if !is_inside {
        w.line(format!("if ({s} >= 0 && {s} < {}) a[{s}] = a[{s}] + {what};", LENGTH - 2));
    } else if w.random.chance(40) {
        let odd = w.random.below(2);
        w.line(format!("if (r % 2 == {odd}) a[{s}] = a[{s}] + {what};"));
    } else {
        w.line(format!("a[{s}] = a[{s}] + {what};"));
    }
    let also =
        ["", "", "if (g > 1000000) break;", "if (a[0] == 77777) break;", "h = h + i;", "g = g + a[r % 8];"];
    let also = *w.random.pick(&also);
    w.line(also);
    w.line(format!("i = i + {}; r = r + 1;", literal(step)));
    w.close();
}

/// A loop that makes an access in the rounds in which that lies in the array.
fn guarded(w: &mut Writer) {
    let (by, x, end) = (factor(w), any(w), 5 + w.random.below(66) as i32);
    let test = *w.random.pick(&["<", "<=", "!="]);
    let s = format!("i * {} + x", literal(by));
    let is_known = w.random.chance(50);
    let (x, end) = (value(w, x, is_known), value(w, end, is_known));
    let init = *w.random.pick(&[0, 0, 1, 3]);
    w.line(format!("int x = {x}, end = {end}, i = {init};"));
    w.open(format!("while (i {test} end)"));
    let multiple = *w.random.pick(&[4, 8, 16]);
    let also = if w.random.chance(40) { format!("i % {multiple} == 0 && ") } else { String::new() };
    w.line(format!("if ({also}{s} >= 0 && {s} < {}) a[{s}] = a[{s} + 1] + i;", LENGTH - 2));
    w.line("i = i + 1;");
    w.close();
}

/// Two loops, and a subscript of both variables or of the outer one alone.
fn nest(w: &mut Writer) {
    let (by, other, x) = (factor(w), *w.random.pick(&[0, 1, 2, 3, -1, 1 << 28]), any(w));
    let (by, is_known) = (literal(by), w.random.chance(50));
    let s =
        if other == 0 { format!("i * {by} + x") } else { format!("i * {by} + j * {} + x", literal(other)) };
    let ends = [0; 2].map(|_| 1 + w.random.below(20) as i32);
    let [rows, columns] = ends.map(|end| value(w, end, is_known));
    let x = value(w, x, is_known);
    w.line(format!("int x = {x}, rows = {rows}, columns = {columns}, i = 0;"));
    w.open("while (i < rows)");
    w.line("int j = 0;");
    w.open("while (j < columns)");
    if w.random.chance(40) {
        w.line(format!(
            "if (i * {by} >= 0 && i * {by} < 16) b[i * {by}][j % 16] = b[i * {by}][(j + 1) % 16] + i + j;"
        ));
    } else {
        w.line(format!("if ({s} >= 0 && {s} < {}) a[{s}] = a[{s} + 2] + j;", LENGTH - 4));
    }
    w.line("j = j + 1;");
    w.close();
    w.line("i = i + 1;");
    w.close();
}
