//! A profile for people: functions, loops, and the source with its counts. O(functions + lines).

use super::{Report, percent};
use std::fmt::Write;

/// Functions and loops that are shown; the lines have them all.
const MOST: usize = 20;

pub(super) fn text(report: &Report) -> String {
    let executed = report.executed;
    let mut out =
        format!("profile of {} {}: {executed} instructions executed\n\n", report.paths(), report.how);
    // What is not known of a compiled program is left out.
    let with = |calls: String| if report.nodes.is_empty() { String::new() } else { calls };
    let head = with(format!("{:>14} {:>6} ", "with calls", "%"));
    _ = writeln!(out, "{:>14} {:>6} {head}{:>12}  function", "own", "%", "calls");
    let called = report.functions.iter().filter(|row| row.calls > 0);
    for row in called.clone().take(MOST) {
        let place = if row.line == 0 { String::new() } else { format!(", {}", report.line_name(row.line)) };
        let total = with(format!("{:>14} {:>5.1}% ", row.total, percent(row.total, executed)));
        let (own, calls, name) = (row.own, row.calls, &report.names[row.func]);
        _ = writeln!(out, "{own:>14} {:>5.1}% {total}{calls:>12}  {name}{place}", percent(own, executed));
    }
    more(&mut out, called.count(), "functions");

    let mut loops: Vec<_> = report.loops.iter().filter(|row| row.entered > 0 && row.line != 0).collect();
    loops.sort_by_key(|row| std::cmp::Reverse(row.rounds));
    if !loops.is_empty() {
        _ = writeln!(out, "\n{:>14} {:>14} {:>12}  loop", "rounds", "entered", "each");
    }
    for row in loops.iter().take(MOST) {
        let each = row.rounds as f64 / row.entered as f64;
        let name = &report.names[row.func];
        _ = writeln!(
            out,
            "{:>14} {:>14} {each:>12.1}  {} of {name}, depth {}",
            row.rounds,
            row.entered,
            report.line_name(row.line),
            row.depth
        );
    }
    more(&mut out, loops.len(), "loops");

    let mut lines = report.lines.iter().peekable();
    for source in &report.sources {
        let head = if report.sources.len() > 1 { format!("line of {}", source.path) } else { "line".into() };
        _ = writeln!(out, "\n{:>12} {:>14} {:>6}  {head}", "times", "instructions", "%");
        for own in 1..=source.count {
            let line = source.first + own - 1;
            let text = report.text_of(line);
            match lines.next_if(|row| row.line == line) {
                Some(row) => {
                    let share = percent(row.executed, executed);
                    _ = writeln!(
                        out,
                        "{:>12} {:>14} {share:>5.1}% {own:>5} | {text}",
                        row.times, row.executed
                    );
                }
                None if own == source.count && text.is_empty() => {}
                None => _ = writeln!(out, "{:>34} {own:>5} | {text}", ""),
            }
        }
    }
    out
}

fn more(out: &mut String, count: usize, what: &str) {
    if count > MOST {
        _ = writeln!(out, "  ... {} more {what}", count - MOST);
    }
}
