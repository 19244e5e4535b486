//! A profile for other programs.
//!
//! - JSON: one object; `nodes` are functions by the calls that led to them, callers first. Keys in alphabetic order.
//! - lcov's tracefile (geninfo(1)): functions, branches and lines, for genhtml and what draws coverage in editors.
//! - collapsed stacks (Gregg's flamegraph.pl, speedscope, inferno): a line a way of calls.
//!
//! O(what is told); of collapsed stacks, O(nodes x depth), where the depth is at most the number of functions.

use super::Report;
use crate::ir::NO_LOC;
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) fn value(report: &Report) -> Value {
    let line = |offset: u32| if offset == NO_LOC { 0 } else { report.file.line(offset) };
    let functions = report.functions.iter().map(|row| {
        let name = &report.names[row.func];
        json!({ "name": name, "line": row.line, "calls": row.calls, "own": row.own, "total": row.total })
    });
    let lines = report
        .lines
        .iter()
        .map(|row| json!({ "line": row.line, "times": row.times, "instructions": row.executed }));
    let loops = report.loops.iter().map(|row| {
        let name = &report.names[row.func];
        json!({ "function": name, "line": row.line, "depth": row.depth, "entered": row.entered, "rounds": row.rounds })
    });
    let branches = report.branches.iter().map(|(line, taken)| json!({ "line": line, "taken": taken }));
    let nodes = report.nodes.iter().zip(&report.totals).map(|(node, total)| {
        json!({
            "function": report.names[node.func],
            "caller": node.caller,
            "line": line(node.site),
            "calls": node.calls,
            "own": node.own,
            "total": total,
        })
    });
    json!({
        "version": 1,
        "file": report.file.path,
        "how": report.how,
        "level": report.level,
        "instructions": report.executed,
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
    let mut out = format!("TN:\nSF:{}\n", report.file.path);
    let mut functions: Vec<_> = report.functions.iter().filter(|row| row.line != 0).collect();
    functions.sort_by_key(|row| row.line);
    for row in &functions {
        _ = writeln!(out, "FN:{},{}", row.line, report.names[row.func]);
    }
    for row in &functions {
        _ = writeln!(out, "FNDA:{},{}", row.calls, report.names[row.func]);
    }
    let hit = functions.iter().filter(|row| row.calls > 0).count();
    _ = writeln!(out, "FNF:{}\nFNH:{hit}", functions.len());
    let (mut found, mut hit) = (0, 0);
    for (block, (line, taken)) in report.branches.iter().filter(|row| row.0 != 0).enumerate() {
        let reached = taken.iter().any(|&times| times > 0);
        for (k, &times) in taken.iter().enumerate() {
            let shown = if reached { times.to_string() } else { "-".to_string() };
            _ = writeln!(out, "BRDA:{line},{block},{k},{shown}");
            (found, hit) = (found + 1, hit + usize::from(times > 0));
        }
    }
    _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
    for row in &report.lines {
        _ = writeln!(out, "DA:{},{}", row.line, row.times);
    }
    let hit = report.lines.iter().filter(|row| row.times > 0).count();
    _ = writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", report.lines.len());
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
