//! Statements that are nests of loops: what passes over two loops and more look for.

use super::*;

/// A loop around one that tests behind its round, as `do` does, whose bound is in a global. The inner one does not
/// change the counter of the outer one, but reads it, mostly as the outer one's next round will have it. Its
/// round is one block: what the next round of the outer loop has may be computed in it, again and again.
pub(super) fn nest(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn again(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn ring(w: &mut Writer, s: &mut Scope<'_>) {
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

/// A nest over arrays of two dimensions, as products of matrices and stencils are: what goes over the inner loop, and what
/// several rounds of the outer one have in common or do to each other. Sometimes one more loop stands around both.
pub(super) fn plane(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn columns(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn flat(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn several(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn windows(w: &mut Writer, s: &mut Scope<'_>) {
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
