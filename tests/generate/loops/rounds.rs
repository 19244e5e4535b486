//! Statements that are one loop, or two behind each other: what passes over a round look for.

use super::*;

/// A search for the place of the least or the greatest number: what is loaded by the index that it keeps, which may be
/// written, or be of another array, or of a row that a number chooses which the index may become, too.
pub(super) fn search(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(best), Some(inner)) = (s.free.pop(), s.free.pop()) else { return };
    let from = w.random.pick(&s.arrays).clone();
    let is_row = w.random.chance(50);
    let number = w.random.below(2);
    let other = match is_row {
        true => format!("gm[{number}]"),
        false if w.random.chance(80) => from.clone(),
        false => w.random.pick(&s.arrays).clone(),
    };
    let length = if is_row { COLUMNS } else { LENGTH };
    let relation = *w.random.pick(&["<", ">", "<=", ">=", "!="]);
    let first = subscript(w, s, length);
    line!(w, "{best} = {first};");
    line!(w, "{inner} = {};", w.random.below(3));
    // Mostly one way out, as what is carried around has to be asked in each round.
    let bound = match w.random.below(6) {
        0 => format!("{length}"),
        1 => format!("{length} && {inner} < few"),
        2 => format!("{length} && {inner} < rounds"),
        _ => "few + 3".to_string(),
    };
    w.open(format!("while ({inner} < {bound})"));
    if w.random.chance(15) {
        line!(w, "if ({}) break;", condition(w, s));
    }
    let more = if w.random.chance(30) { format!(" && ({})", condition(w, s)) } else { String::new() };
    let taken = match w.random.below(20) {
        0..3 => first,
        3..6 => w.random.below(2).to_string(),
        6..15 if is_row => number.to_string(),
        _ => inner.clone(),
    };
    // What was carried on is seen by more than the next choice.
    if w.random.chance(if is_row { 60 } else { 15 }) {
        line!(w, "b = b * 3 + {other}[{best}];");
    }
    line!(w, "if ({from}[{inner}] {relation} {other}[{best}]{more}) {best} = {taken};");
    match w.random.below(8) {
        0 => line!(w, "{from}[{inner}] = {};", value(w, s, 1)),
        1 => line!(w, "b = b * 3 + {other}[{best}];"),
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
pub(super) fn row(w: &mut Writer, s: &mut Scope<'_>) {
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

/// A loop whose counter moves by a value, up or down, and that what it reads may end (Shell's sort); with products of which the
/// loop changes one factor.
pub(super) fn gaps(w: &mut Writer, s: &mut Scope<'_>) {
    let (Some(at), Some(gap)) = (s.free.pop(), s.free.pop()) else { return };
    let (p, other) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
    let q = if w.random.chance(60) { p.clone() } else { other };
    let (name, factor) = (w.random.pick(&s.ints).clone(), w.random.pick(&s.ints).clone());
    let step = *w.random.pick(&["1", "2", "3", "few", "few - 1", "n % 3 + 3", "rounds"]);
    line!(w, "{gap} = {step}; if ({gap} < 1) {gap} = 1;");
    let is_down = w.random.chance(60);
    let (sign, first) =
        if is_down { ("-", LENGTH - 1 - w.random.below(3) as i64) } else { ("+", w.random.below(3) as i64) };
    line!(w, "{at} = {first};");
    let inside = if is_down { format!("{at} >= {gap}") } else { format!("{at} < {LENGTH} - {gap}") };
    let more = match w.random.below(4) {
        0 => String::new(),
        1 => format!(" && ({})", condition(w, s)),
        _ => format!(" && {q}[{at} {sign} {gap}] {} {name}", *w.random.pick(&["<", ">", "!=", "<="])),
    };
    w.open(format!("while ({inside}{more})"));
    for _ in 0..1 + w.random.below(2) {
        match w.random.below(6) {
            0 | 1 => line!(w, "{p}[{at}] = {q}[{at} {sign} {gap}];"),
            2 => line!(w, "{p}[{at}] = {p}[{at}] * {factor} * {gap};"),
            3 => line!(w, "b = b + {factor} * {q}[{at}] * n;"),
            4 => line!(w, "gf[{at}] = gf[{at} {sign} {gap}] * 0.5;"),
            _ => line!(w, "b = b + {factor} + {q}[{at}] + {gap};"),
        }
    }
    line!(w, "{at} = {at} {sign} {gap};");
    w.close();
    s.cost += s.weight * LENGTH * 3;
    line!(w, "b = b + {at};");
    s.free.extend([gap, at]);
}

/// A loop until two counters meet, one up and one down, over one array or two.
pub(super) fn meeting(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn in_turn(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn carried(w: &mut Writer, s: &mut Scope<'_>) {
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
pub(super) fn flagged(w: &mut Writer, s: &mut Scope<'_>) {
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

/// Questions about one integer, one after the other: for numbers, ranges and some of a set, which choose what to do, or a number.
pub(super) fn questions(w: &mut Writer, s: &mut Scope<'_>) {
    let name = w.random.pick(&s.ints).clone();
    let (first, step): (i64, i64) = (*w.random.pick(&[0, 0, 1, -3, 40]), *w.random.pick(&[1, 1, 1, 2, 9]));
    let count: i64 = *w.random.pick(&[3, 4, 7, 9, 22]);
    let kind = w.random.below(5);
    line!(w, "gt = {} % {};", value(w, s, 1), (first + step * count).abs() + 2);
    if kind == 0 {
        let some: Vec<String> =
            (0..count.min(9)).map(|k| format!("gt == {}", first + k * (k + step) / 2)).collect();
        line!(w, "if ({}) {name} = {name} + 5; else gt = {name};", some.join(" || "));
        return;
    }
    for k in 0..count {
        let x = first + step * if w.random.chance(85) { k } else { w.random.below(count as usize) as i64 };
        let question = match w.random.below(8) {
            0 => format!("gt > {x} && gt < {}", x + 4),
            1 if k + 1 == count => format!("gt < {x}"),
            2 => format!("gt == {x} || gt == {}", x + 2 * step),
            _ => format!("gt == {x}"),
        };
        let head = format!("if ({question})");
        if k == 0 {
            w.open(head)
        } else {
            w.reopen(format!("else {head}"))
        }
        match kind {
            1 => line!(w, "gs = {};", w.random.below(1000)),
            2 => line!(w, "gs = {}; {name} = {};", k * 7 - 3, w.random.below(9)),
            3 => line!(w, "gs = {};", k % 3),
            _ => line!(w, "{name} = {name} * {k} - {};", value(w, s, 1)),
        }
    }
    if w.random.chance(60) {
        w.reopen("else");
        line!(w, "gs = {};", w.random.below(9));
    }
    w.close();
}

/// A loop over elements and their neighbours, whose sums have terms in common from round to round and with each other.
pub(super) fn neighbours(w: &mut Writer, s: &mut Scope<'_>) {
    let Some(at) = s.free.pop() else { return };
    let (p, q) = (w.random.pick(&s.arrays).clone(), w.random.pick(&s.arrays).clone());
    let name = w.random.pick(&s.ints).clone();
    let bound = *w.random.pick(&["18", "17", "few + 9", "rounds * 3"]);
    line!(w, "{at} = {};", 2 + w.random.below(2));
    w.open(format!("while ({at} < {bound} && {at} < {LENGTH} - 2)"));
    let all =
        [format!("{p}[{at} - 2]"), format!("{p}[{at} - 1]"), format!("{p}[{at}]"), format!("{p}[{at} + 1]")];
    let others = [format!("{q}[{at} + 2]"), format!("{q}[{at}]"), name.clone(), "gs".to_string(), at.clone()];
    for _ in 0..1 + w.random.below(3) {
        let mut terms: Vec<String> = Vec::new();
        for _ in 0..3 + w.random.below(4) {
            let from = if w.random.chance(70) { &all[..] } else { &others[..] };
            terms.push(w.random.pick(from).clone());
        }
        let sum = terms.join(if w.random.chance(90) { " + " } else { " - " });
        match w.random.below(5) {
            0 => line!(w, "{q}[{at}] = {sum};"),
            1 => line!(w, "line[{at}] = ({sum}) / {};", terms.len()),
            2 => line!(w, "b = b * 3 + ({sum});"),
            3 => line!(w, "{name} = {name} + {sum};"),
            _ => line!(w, "if ({sum} > {name}) wide[{}][{at}] = {sum};", w.random.below(HEIGHT as usize)),
        }
    }
    line!(w, "{at} = {at} + 1;");
    w.close();
    s.cost += s.weight * LENGTH * 5;
    w.line(format!("b = b + {at};"));
    s.free.push(at);
}

/// A loop that divides what it has found to be a multiple, and mostly what it has not (Collatz's numbers).
pub(super) fn quotients(w: &mut Writer, s: &mut Scope<'_>) {
    let Some(at) = s.free.pop() else { return };
    let p = w.random.pick(&s.arrays).clone();
    let name = w.random.pick(&s.ints).clone();
    line!(w, "{at} = 0;");
    w.open(format!("while ({at} < {LENGTH})"));
    let divisor = *w.random.pick(&[2, 2, 4, 3, 6, 10, 12]);
    let from = *w.random.pick(&[p.as_str(), "line"]);
    let of = if w.random.chance(70) { format!("{from}[{at}]") } else { name.clone() };
    line!(w, "gt = {of} - {at};");
    let (test, is_multiple) = *w.random.pick(&[("==", true), ("!=", false), ("==", true), (">", false)]);
    let by = |w: &mut Writer| {
        let divides = *w.random.pick(&[1, 1, 1, 2, 3]);
        format!("gt / {}{}", if w.random.chance(15) { "-" } else { "" }, (divisor / divides).max(2))
    };
    w.open(format!("if (gt % {divisor} {test} 0)"));
    let (yes, no) = (by(w), by(w));
    line!(w, "{from}[{at}] = {};", if is_multiple { yes } else { format!("gt * 3 + {no}") });
    w.reopen("else");
    line!(w, "{name} = {name} + {} + gt / {divisor};", by(w));
    w.close();
    line!(w, "{at} = {at} + 1;");
    w.close();
    s.cost += s.weight * LENGTH * 5;
    s.free.push(at);
}
