//! What passes changed (`-fprint-changed`), from the histories that functions have: as differences in text, or
//! as a page that shows source, IR before and after each pass, machine IR and assembly side by side, with
//! pictures.
//!
//! The page is one file, which needs nothing else: `page.html` is its frame, `page.css` what it looks like,
//! `page.js` what it does. Its data are blocks of JSON, one a function, which the page reads when the
//! function is chosen: a table of lines with their places in the source, and states that say what they
//! change of the one before. What passes had to say stands under the lines of the source, as in clang's opt-viewer. Control flow, dominators, loops and live ranges are made of these lines in the
//! page. All but the block of times is the same for every run.
//!
//! O(text of what was changed); functions in parallel.

use super::options::Options;
use crate::base::history::{History, Hunk, Kind, NO_PLACE, State, apply};
use crate::base::parallel::Workers;
use crate::ir::{Remark, Sort};
use crate::source::SourceFile;
use serde_json::json;
use std::fmt::Write;
use std::ops::Range;

/// What changed one function.
#[derive(Debug)]
pub struct Changes {
    /// Its name.
    pub name: String,
    /// True if nothing calls it any more.
    pub gone: bool,
    /// What changed it.
    pub history: Box<History>,
    /// What passes had to say of it.
    pub remarks: Vec<Remark>,
}

/// Lines around a change, in text.
const AROUND: usize = 3;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What changed, in text: of the first IR and the first machine IR all lines, then differences.
pub fn text(changes: &[Changes]) -> String {
    let mut out = String::new();
    for Changes { name, history, gone, .. } in changes {
        let mut now: (Option<Kind>, Vec<u32>) = (None, Vec::new());
        for state in history.states().iter().filter(|state| state.kind != Kind::Assembly) {
            let (before, after) = state.counts;
            let is_first = now.0 != Some(state.kind);
            if is_first {
                now = (Some(state.kind), Vec::new());
            }
            _ = writeln!(out, "; {} on {name}: {before} -> {after} instructions", state.step);
            if is_first {
                for number in apply(&[], state) {
                    _ = writeln!(out, "{}", history.line(number));
                }
            } else {
                difference(&mut out, history, &now.1, state);
            }
            out.push('\n');
            now.1 = apply(&now.1, state);
        }
        if *gone {
            _ = writeln!(out, "; {name} has gone: nothing calls it\n");
        }
    }
    out
}

/// The hunks of a state with some lines around them, each under the name of its block.
fn difference(out: &mut String, history: &History, before: &[u32], state: &State) {
    let line = |k: usize| before.get(k).map_or("", |&number| history.line(number));
    let mut show = |mark: char, text: &str| _ = writeln!(out, "{mark}{text}");
    // What is the end of what has been shown, and the block that it was in.
    let (mut shown, mut at, mut is_begun) = (0, 0, false);
    let tail = |from: usize, to: usize, show: &mut dyn FnMut(char, &str)| {
        (from..to).for_each(|k| show(' ', line(k)));
        to
    };
    for Hunk { stay, go, come } in state.hunks() {
        let start = at + stay;
        if is_begun {
            shown = tail(shown, (shown + AROUND).min(start), &mut show);
        }
        let from = start.saturating_sub(AROUND).max(shown);
        if from > shown || !is_begun {
            let is_label = |&k: &usize| line(k).ends_with(':') || line(k).starts_with("mb");
            match (0..from).rev().find(is_label) {
                Some(k) => show('@', &format!(" {}", line(k).split([' ', ':']).next().unwrap_or(""))),
                None => show('@', ""),
            }
        }
        tail(from, start, &mut show);
        (start..start + go).for_each(|k| show('-', line(k)));
        come.iter().for_each(|&number| show('+', history.line(number)));
        (at, shown, is_begun) = (start + go, start + go, true);
    }
    tail(shown, (shown + AROUND).min(before.len()), &mut show);
}

/// The page.
pub fn page(file: &SourceFile, options: &Options, changes: &[Changes], workers: &Workers) -> Vec<u8> {
    let mut work: Vec<&Changes> = changes.iter().collect();
    let blocks = workers.map(&mut work, || (), |(), k, changes| function(file, k, changes));
    let rows: Vec<serde_json::Value> =
        changes.iter().zip(&blocks).map(|(row, block)| block.about(row)).collect();
    let about = json!({ "level": crate::sysy::through::level(options.level).name(), "target": options.target.name, "functions": rows });
    let source = json!({ "path": file.path, "parts": parts(file, options, &blocks) });
    let states = |row: &Changes| row.history.states().iter().map(|state| state.nanos).collect::<Vec<u64>>();
    let times = json!(changes.iter().map(states).collect::<Vec<_>>());
    let mut out = String::new();
    let (head, rest) = FRAME.split_once("/*STYLE*/\n").unwrap_or((FRAME, ""));
    let (middle, rest) = rest.split_once("<!--DATA-->\n").unwrap_or((rest, ""));
    let (before, tail) = rest.split_once("//SCRIPT\n").unwrap_or((rest, ""));
    out.extend([head, STYLE, middle]);
    block(&mut out, "about", &about.to_string());
    block(&mut out, "source", &source.to_string());
    for (k, made) in blocks.iter().enumerate() {
        block(&mut out, &format!("f{k}"), &made.json);
    }
    block(&mut out, "remarks", &remarks(file, changes).to_string());
    block(&mut out, "times", &times.to_string());
    out.extend([before, SCRIPT, tail]);
    out.into_bytes()
}

/// Data in the page: nothing in them may look like the end of their element.
pub(super) fn block(out: &mut String, id: &str, json: &str) {
    _ = writeln!(
        out,
        "<script type=\"application/json\" id=\"data-{id}\">{}</script>",
        json.replace('<', "\\u003c")
    );
}

/// What the page has of one function.
struct Block {
    json: String,
    /// Lines of the source that it comes from: the first of its own, and all.
    first: u32,
    lines: Vec<u32>,
}

impl Block {
    fn about(&self, Changes { name, gone, history, .. }: &Changes) -> serde_json::Value {
        let states = history.states();
        let first = states.first().map_or(0, |state| state.counts.1);
        let last = states.last().map_or(0, |state| state.counts.1);
        json!({ "name": name, "line": self.first, "first": first, "last": last, "gone": gone })
    }
}

/// The data of one function.
fn function(file: &SourceFile, _: usize, changes: &Changes) -> Block {
    let history = &changes.history;
    let size = file.text.len() as u32;
    let line = |place: u32| if place == NO_PLACE || place >= size { 0 } else { file.line(place) };
    let mut texts = Vec::with_capacity(history.lines().len());
    let mut lines = Vec::with_capacity(texts.capacity());
    for (text, place) in history.lines() {
        texts.push(text);
        lines.push(line(place));
    }
    // As it was made of the source, it is all its own.
    let own = history.states().first().map(|state| apply(&[], state)).unwrap_or_default();
    let own = own.iter().filter_map(|&number| lines.get(number as usize)).copied();
    let first = own.filter(|&line| line != 0).min().unwrap_or(0);
    let first = head(file, &changes.name, first);
    let states: Vec<_> = history
        .states()
        .iter()
        .map(|state| {
            let kind = match state.kind {
                Kind::Ir => 0,
                Kind::Machine => 1,
                Kind::Assembly => 2,
            };
            json!([state.step, kind, state.counts.0, state.counts.1, state.edits])
        })
        .collect();
    let json = json!({ "text": texts, "line": lines, "states": states }).to_string();
    lines.push(first);
    lines.retain(|&line| line != 0);
    lines.sort_unstable();
    lines.dedup();
    Block { json, first, lines }
}

/// What passes had to say, in the order of the source: line, column, sort, pass, function, text.
fn remarks(file: &SourceFile, changes: &[Changes]) -> serde_json::Value {
    let mut rows = Vec::new();
    for (k, function) in changes.iter().enumerate() {
        for Remark { sort, pass, offset, text } in &function.remarks {
            if (*offset as usize) < file.text.len() {
                let line = file.line(*offset);
                let column = *offset as usize - file.line_range(line).start + 1;
                let sort = match sort {
                    Sort::Done => 0,
                    Sort::Missed => 1,
                    Sort::Analysis => 2,
                };
                rows.push((line, column, sort, *pass, k, text.as_str()));
            }
        }
    }
    // Stable: those of one place stay in the order in which they were said.
    rows.sort_by_key(|row| (row.0, row.1, row.4));
    json!(rows)
}

/// The line of a function's name, at or a few lines above the first that something comes from.
fn head(file: &SourceFile, name: &str, first: u32) -> u32 {
    let has_name = |&line: &u32| {
        let text = file.text.get(file.line_range(line)).unwrap_or(&[]);
        memchr::memmem::find(text, name.as_bytes()).is_some() && text.contains(&b'(')
    };
    (first.saturating_sub(20).max(1)..=first).rev().find(has_name).unwrap_or(first)
}

/// The source: all of it, or where only some functions are shown, what they come from.
fn parts(file: &SourceFile, options: &Options, blocks: &[Block]) -> serde_json::Value {
    let count = file.line(file.text.len() as u32);
    let mut parts: Vec<Range<u32>> = Vec::new();
    if options.passes.only.is_empty() {
        parts.push(1..count + 1);
    } else {
        let mut lines: Vec<u32> = blocks.iter().flat_map(|block| block.lines.iter().copied()).collect();
        lines.sort_unstable();
        for line in lines {
            let (from, to) = (line.saturating_sub(3).max(1), (line + 4).min(count + 1));
            match parts.last_mut() {
                Some(last) if from <= last.end => last.end = last.end.max(to),
                _ => parts.push(from..to),
            }
        }
    }
    let text = |line: u32| String::from_utf8_lossy(file.text.get(file.line_range(line)).unwrap_or(&[]));
    json!(parts.into_iter().map(|part| (part.start, part.map(text).collect::<Vec<_>>())).collect::<Vec<_>>())
}
