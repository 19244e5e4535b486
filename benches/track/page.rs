//! The page: the changes in a table, and a plot of every figure of the history. One file, no script, nothing
//! fetched.

use crate::changes::{Change, digits, percent};
use crate::record::Row;
use std::collections::BTreeSet;
use std::fmt::Write;

const STYLE: &str = "
:root { color-scheme: light dark; --line: #2563eb; --over: #dc2626; --faint: #8888; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .1em .8em; text-align: right; border-bottom: 1px solid var(--faint); }
th:nth-child(-n+4), td:nth-child(-n+4) { text-align: left; }
.over { color: var(--over); font-weight: bold; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(250px, 1fr)); gap: .8em; }
figure { margin: 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; border: 1px solid var(--faint); border-radius: 4px; }
svg text { font: 10px system-ui, sans-serif; fill: currentColor; }
polyline { fill: none; stroke: var(--line); stroke-width: 1.5; } circle { fill: var(--line); }
.toolchain { stroke: var(--faint); stroke-dasharray: 3 3; }
";

const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 90.0;
const EDGE: f64 = 16.0;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One figure over all records; a dashed line where the toolchain changed. The scale is that of the figure,
/// and at least a twentieth of it high, so that a change of the budget's size is seen and noise is not.
fn plot(history: &[Row], name: &str) -> String {
    let points: Vec<(usize, u64)> =
        history.iter().enumerate().filter_map(|(k, row)| Some((k, *row.cells.get(name)?))).collect();
    let least = points.iter().map(|point| point.1).min().unwrap_or(0) as f64;
    let most = points.iter().map(|point| point.1).max().unwrap_or(0) as f64;
    let (middle, half) = ((least + most) / 2.0, ((most - least) / 2.0).max(most * 0.025).max(1.0));
    let last = history.len().saturating_sub(1).max(1) as f64;
    let x = |k: usize| EDGE + k as f64 / last * (WIDTH - 2.0 * EDGE);
    let y = |value: u64| HEIGHT / 2.0 - (value as f64 - middle) / half * (HEIGHT / 2.0 - EDGE);
    let mut svg = format!("<figure><figcaption>{}</figcaption>\n", escape(name));
    _ = writeln!(svg, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">", escape(name));
    for (k, pair) in history.windows(2).enumerate() {
        if pair[0].toolchain != pair[1].toolchain {
            let x = (x(k) + x(k + 1)) / 2.0;
            let title = escape(&pair[1].toolchain);
            _ = writeln!(
                svg,
                "<line class=\"toolchain\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{HEIGHT}\"><title>{title}</title></line>"
            );
        }
    }
    let line: Vec<String> = points.iter().map(|&(k, value)| format!("{:.1},{:.1}", x(k), y(value))).collect();
    _ = writeln!(svg, "<polyline points=\"{}\"/>", line.join(" "));
    for &(k, value) in &points {
        let row = &history[k];
        let title = format!("{} {}: {}", row.commit, row.date, digits(Some(value)));
        _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"><title>{}</title></circle>",
            x(k),
            y(value),
            escape(&title)
        );
    }
    let change = match points[..] {
        [.., (_, before), (_, after)] => {
            format!(" ({:+.2}%)", (after as f64 / (before as f64).max(1.0) - 1.0) * 100.0)
        }
        _ => String::new(),
    };
    let now = points.last().map(|point| point.1);
    _ = writeln!(svg, "<text x=\"4\" y=\"11\">{}{change}</text>", digits(now));
    _ = writeln!(
        svg,
        "<text x=\"4\" y=\"{}\">{} to {}</text>\n</svg></figure>",
        HEIGHT - 4.0,
        digits(Some(least as u64)),
        digits(Some(most as u64))
    );
    svg
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
    page.push_str("<h2>Changes against the baseline</h2>\n<table><tr><th>family<th>level<th>target<th><th>before<th>after<th>change</tr>\n");
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
    fn is_phase(name: &str) -> bool {
        name.starts_with("phase ")
    }
    plots(
        &mut page,
        "Instructions by family",
        history,
        &those(|name| !is_phase(name) && !name.ends_with(" memory")),
    );
    plots(&mut page, "Instructions by phase, all families", history, &those(is_phase));
    plots(&mut page, "Peak memory by family, kilobytes", history, &those(|name| name.ends_with(" memory")));
    page.push_str("</html>\n");
    page
}
