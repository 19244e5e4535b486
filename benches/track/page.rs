//! The page: what every figure is now, and how it has changed since the last record and since the first; the
//! changes in a table; a plot of every figure of the history, all with the same axes. One file, no script,
//! nothing fetched.

use crate::changes::{Change, digits, percent};
use crate::record::Row;
use std::collections::BTreeSet;
use std::fmt::Write;

const STYLE: &str = "
:root { color-scheme: light dark; --text: #1f2937; --back: #ffffff; --line: #2563eb; --over: #dc2626; --less: #15803d; --faint: #8886; }
@media (prefers-color-scheme: dark) { :root { --text: #e5e7eb; --back: #111827; --line: #60a5fa; --over: #f87171; --less: #4ade80; } }
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 84em; padding: 0 1em; color: var(--text); background: var(--back); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .1em .8em; text-align: right; border-bottom: 1px solid var(--faint); }
.names td:first-child, .names th:first-child, .rows :is(th, td):nth-child(-n+4), .records :is(th, td) { text-align: left; }
.over, .more { color: var(--over); } .over { font-weight: bold; } .less { color: var(--less); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 1em .8em; }
figure { margin: 0; } figcaption { font-weight: 600; } figcaption small { font-weight: 400; display: block; }
svg { width: 100%; height: auto; } svg text { font: 9px system-ui, sans-serif; fill: currentColor; }
polyline { fill: none; stroke: var(--line); stroke-width: 1.5; } circle { fill: var(--line); }
.grid { stroke: var(--faint); } .first { stroke: currentColor; stroke-dasharray: 2 2; opacity: .6; }
.toolchain { stroke: var(--over); stroke-dasharray: 3 3; }
";

const WIDTH: f64 = 270.0;
const HEIGHT: f64 = 120.0;
/// What is left of the plot for the numbers of its axis, and below it for dates.
const LEFT: f64 = 34.0;
const BELOW: f64 = 16.0;
const EDGE: f64 = 8.0;

/// The plots reach from nothing to so many percent of the first record; more is cut off, and said.
const TOP: f64 = 150.0;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The difference in percent, in a colour.
fn difference(before: u64, after: u64) -> String {
    let percent = (after as f64 / (before as f64).max(1.0) - 1.0) * 100.0;
    let class = if percent > 0.05 {
        "more"
    } else if percent < -0.05 {
        "less"
    } else {
        ""
    };
    format!("<span class=\"{class}\">{percent:+.1}%</span>")
}

/// A figure in all records that have it.
fn values(history: &[Row], name: &str) -> Vec<(usize, u64)> {
    history.iter().enumerate().filter_map(|(k, row)| Some((k, *row.cells.get(name)?))).collect()
}

/// The day of a record.
fn day(row: &Row) -> &str {
    row.date.get(..10).unwrap_or(&row.date)
}

/// One figure over all records, in percent of the first; a dashed line where the toolchain changed. All plots
/// have the same axes.
fn plot(history: &[Row], name: &str) -> String {
    let points = values(history, name);
    let (Some(&(_, first)), Some(&(_, now))) = (points.first(), points.last()) else { return String::new() };
    let before = points.iter().rev().nth(1).map_or(now, |point| point.1);
    let last = history.len().saturating_sub(1).max(1) as f64;
    let x = |k: usize| LEFT + k as f64 / last * (WIDTH - LEFT - EDGE);
    let part = |value: u64| value as f64 / (first as f64).max(1.0) * 100.0;
    let y = |percent: f64| EDGE + (1.0 - percent.min(TOP) / TOP) * (HEIGHT - EDGE - BELOW);
    let name = escape(name);
    let mut svg = format!(
        "<figure><figcaption>{name}<small>{}: {} since the last, {} since the first</small></figcaption>\n",
        digits(Some(now)),
        difference(before, now),
        difference(first, now)
    );
    _ = writeln!(svg, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{name}\">");
    for percent in [0.0, 50.0, 100.0, TOP] {
        let (class, at) = (if percent == 100.0 { "first" } else { "grid" }, y(percent));
        _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{percent}%</text>",
            WIDTH - EDGE,
            LEFT - 4.0,
            at + 3.0
        );
    }
    for (k, pair) in history.windows(2).enumerate() {
        if pair[0].toolchain != pair[1].toolchain {
            let (x, title) = ((x(k) + x(k + 1)) / 2.0, escape(&pair[1].toolchain));
            _ = writeln!(
                svg,
                "<line class=\"toolchain\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{EDGE}\" y2=\"{}\"><title>{title}</title></line>",
                HEIGHT - BELOW
            );
        }
    }
    let ends = [(0, "start"), (history.len().saturating_sub(1), "end")];
    for (k, anchor) in ends.into_iter().take(history.len().min(2)) {
        let (x, y, day) = (x(k), HEIGHT - 4.0, escape(day(&history[k])));
        _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">{day}</text>");
    }
    let line: Vec<String> =
        points.iter().map(|&(k, value)| format!("{:.1},{:.1}", x(k), y(part(value)))).collect();
    _ = writeln!(svg, "<polyline points=\"{}\"/>", line.join(" "));
    for &(k, value) in &points {
        let row = &history[k];
        let title = format!("{} {}: {} ({:.1}%)", row.commit, row.date, digits(Some(value)), part(value));
        _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"><title>{}</title></circle>",
            x(k),
            y(part(value)),
            escape(&title)
        );
    }
    svg.push_str("</svg></figure>\n");
    svg
}

/// What every figure is now, and its changes since the last record and since the first.
fn figures(page: &mut String, title: &str, history: &[Row], names: &[&str]) {
    _ = writeln!(
        page,
        "<h2>{title}</h2>\n<table class=\"names\"><tr><th><th>now<th>since the last<th>since the first</tr>"
    );
    for name in names {
        let points = values(history, name);
        let (Some(&(_, first)), Some(&(_, now))) = (points.first(), points.last()) else { continue };
        let before = points.iter().rev().nth(1).map_or(now, |point| point.1);
        _ = writeln!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{}</tr>",
            escape(name),
            digits(Some(now)),
            difference(before, now),
            difference(first, now)
        );
    }
    page.push_str("</table>\n");
}

/// All records: the plots have room for the first and the last date.
fn records(page: &mut String, history: &[Row]) {
    page.push_str(
        "<h2>Records</h2>\n<table class=\"records\"><tr><th><th>commit<th>date<th>toolchain</tr>\n",
    );
    for (k, row) in history.iter().enumerate() {
        let [commit, date, toolchain] = [&row.commit, &row.date, &row.toolchain].map(|text| escape(text));
        _ = writeln!(page, "<tr><td>{}<td><code>{commit}</code><td>{date}<td>{toolchain}</tr>", k + 1);
    }
    page.push_str("</table>\n");
}

fn plots(page: &mut String, title: &str, history: &[Row], names: &[&str]) {
    _ = writeln!(page, "<h2>{title}</h2>\n<div class=\"plots\">");
    for name in names {
        page.push_str(&plot(history, name));
    }
    page.push_str("</div>\n");
}

/// The whole page; the last row of the history is what was measured now.
pub(crate) fn page(
    history: &[Row],
    changes: &[Change],
    missing: &[(String, String)],
    failed: bool,
) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>sysyc: compile time</title>\n<style>{STYLE}</style>\n<h1>What compiling costs</h1>\n"
    );
    if let Some(now) = history.last() {
        let toolchain = escape(&now.toolchain);
        _ = writeln!(page, "<p>{} of {}; {toolchain}</p>", escape(&now.commit), escape(&now.date));
    }
    if failed {
        page.push_str("<p class=\"over\">Over budget.</p>\n");
    }
    for (run, phase) in missing {
        _ = writeln!(page, "<p class=\"over\">{}: phase not found: {}</p>", escape(run), escape(phase));
    }
    page.push_str("<h2>Changes against the baseline</h2>\n<table class=\"rows\"><tr><th>family<th>level<th>target<th><th>before<th>after<th>change</tr>\n");
    for change in changes.iter().filter(|change| change.shown) {
        _ = writeln!(
            page,
            "<tr{}><td>{}<td>-O{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
            if change.over { " class=\"over\"" } else { "" },
            escape(&change.family),
            change.level,
            escape(&change.target),
            escape(&change.what),
            digits(change.before),
            digits(change.after),
            percent(change)
        );
    }
    page.push_str("</table>\n");
    let names: BTreeSet<&str> = history.iter().flat_map(|row| row.cells.keys().map(String::as_str)).collect();
    let those = |wanted: fn(&str) -> bool| -> Vec<&str> {
        names.iter().copied().filter(|name| wanted(name)).collect()
    };
    let families = those(|name| !name.starts_with("phase ") && !name.ends_with(" memory"));
    let phases = those(|name| name.starts_with("phase "));
    let memory = those(|name| name.ends_with(" memory"));
    figures(
        &mut page,
        "Instructions and memory (KB) of each family",
        history,
        &[&*families, &*memory].concat(),
    );
    plots(&mut page, "Instructions by family, percent of the first record", history, &families);
    plots(&mut page, "Instructions by phase, all families, percent of the first record", history, &phases);
    plots(&mut page, "Peak memory by family, percent of the first record", history, &memory);
    records(&mut page, history);
    page.push_str("</html>\n");
    page
}
