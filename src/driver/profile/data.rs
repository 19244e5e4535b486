//! A profile for other programs.
//!
//! - JSON: one object; `nodes` are functions by the calls that led to them, callers first. Keys in alphabetic order. Of several
//!   sources, what has a `line` has its `file`.
//! - lcov's tracefile (geninfo(1)): functions, branches and lines, for genhtml and what draws coverage in editors.
//! - collapsed stacks (Gregg's flamegraph.pl, speedscope, inferno): a line a way of calls.
//!
//! O(output); of collapsed stacks, O(nodes x depth), where the depth is at most the number of functions.

use super::{Report, Source};
use crate::ir::NO_LOC;
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn value(report: &Report) -> Value {
    let placed = |line: u32, mut value: Value| {
        let (source, own) = report.place(line);
        value["line"] = own.into();
        if line != 0 && report.sources.len() > 1 {
            value["file"] = source.path.as_str().into();
        }
        value
    };
    let line = |offset: u32| if offset == NO_LOC { 0 } else { report.file.line(offset) };
    let functions = report.functions.iter().map(|row| {
        let name = &report.names[row.func];
        let counts = json!({ "name": name, "calls": row.calls, "own": row.own, "total": row.total });
        placed(row.line, counts)
    });
    let lines = report
        .lines
        .iter()
        .map(|row| placed(row.line, json!({ "times": row.times, "instructions": row.executed })));
    let loops = report.loops.iter().map(|row| {
        let name = &report.names[row.func];
        let counts = json!({ "depth": row.depth, "entered": row.entered, "rounds": row.rounds });
        let mut value = placed(row.line, counts);
        value["function"] = name.as_str().into();
        value
    });
    let branches = report.branches.iter().map(|(line, taken)| placed(*line, json!({ "taken": taken })));
    let nodes = report.nodes.iter().zip(&report.totals).map(|(node, total)| {
        let value = json!({
            "function": report.names[node.func],
            "caller": node.caller,
            "calls": node.calls,
            "own": node.own,
            "total": total,
        });
        placed(line(node.site), value)
    });
    json!({
        "version": 1,
        "file": report.file.path,
        "how": report.how,
        "level": report.level,
        "instructions": report.executed,
        "steps": report.steps,
        "functions": functions.collect::<Vec<Value>>(),
        "lines": lines.collect::<Vec<Value>>(),
        "loops": loops.collect::<Vec<Value>>(),
        "branches": branches.collect::<Vec<Value>>(),
        "nodes": nodes.collect::<Vec<Value>>(),
    })
}

pub(super) fn json(report: &Report) -> String {
    format!("{:#}\n", value(report))
}

pub(super) fn lcov(report: &Report) -> String {
    report.sources.iter().map(|source| of_source(report, source)).collect()
}

/// A record of the tracefile.
fn of_source(report: &Report, source: &Source) -> String {
    let mut out = format!("TN:\nSF:{}\n", source.path);
    let inside = |line: u32| (source.first..source.first + source.count).contains(&line);
    let own = |line: u32| line + 1 - source.first;
    let mut functions: Vec<_> = report.functions.iter().filter(|row| inside(row.line)).collect();
    functions.sort_by_key(|row| row.line);
    for row in &functions {
        _ = writeln!(out, "FN:{},{}", own(row.line), report.names[row.func]);
    }
    for row in &functions {
        _ = writeln!(out, "FNDA:{},{}", row.calls, report.names[row.func]);
    }
    let hit = functions.iter().filter(|row| row.calls > 0).count();
    _ = writeln!(out, "FNF:{}\nFNH:{hit}", functions.len());
    let (mut found, mut hit) = (0, 0);
    for (block, (line, taken)) in report.branches.iter().filter(|row| inside(row.0)).enumerate() {
        let reached = taken.iter().any(|&times| times > 0);
        for (k, &times) in taken.iter().enumerate() {
            let shown = if reached { times.to_string() } else { "-".to_string() };
            _ = writeln!(out, "BRDA:{},{block},{k},{shown}", own(*line));
            (found, hit) = (found + 1, hit + usize::from(times > 0));
        }
    }
    _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
    let lines = report.lines.iter().filter(|row| inside(row.line));
    let (mut found, mut hit) = (0, 0);
    for row in lines {
        _ = writeln!(out, "DA:{},{}", own(row.line), row.times);
        (found, hit) = (found + 1, hit + usize::from(row.times > 0));
    }
    _ = writeln!(out, "LF:{found}\nLH:{hit}\nend_of_record");
    out
}

pub(super) fn folded(report: &Report) -> String {
    let mut out = String::new();
    let mut way: Vec<&str> = Vec::new();
    for node in report.nodes.iter().filter(|node| node.own > 0) {
        let mut at = Some(node);
        way.clear();
        while let Some(node) = at {
            way.push(&report.names[node.func]);
            at = node.caller.and_then(|caller| report.nodes.get(caller as usize));
        }
        way.reverse();
        _ = writeln!(out, "{} {}", way.join(";"), node.own);
    }
    out
}
