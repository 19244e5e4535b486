//! What changed against the baseline, row by row, and what is over its budget.

use crate::measure::Run;
use crate::phases::PHASES;
use crate::record::Measurement;
use std::fmt::Write;

/// The budgets, in percent, and how many instructions of a phase, and how many KB, do not count. The binary
/// itself has 6 MB, of which as many pages are mapped as another kernel's page cache holds: 548 KB of 9,452
/// were measured between two machines on one commit.
const TOTAL: f64 = 1.0;
const PHASE: f64 = 2.0;
const PHASE_FLOOR: u64 = 50_000;
const MEMORY: f64 = 5.0;
const MEMORY_FLOOR: u64 = 1_024;
/// Of the main thread beside eight workers.
const SERIAL: f64 = 3.0;

/// What the row of the main thread is called.
const SERIAL_PART: &str = "serial, -j8";

/// Smaller changes of phases are not shown, in percent of the family.
const SHOWN: f64 = 0.1;

/// One figure then and now.
pub(crate) struct Change {
    pub(crate) family: String,
    pub(crate) level: usize,
    pub(crate) target: String,
    /// `instructions`, `memory, KB`, or a phase.
    pub(crate) what: String,
    pub(crate) before: Option<u64>,
    pub(crate) after: Option<u64>,
    pub(crate) over: bool,
    /// Worth a line.
    pub(crate) shown: bool,
}

impl Change {
    /// Of what it was.
    pub(crate) fn percent(&self) -> Option<f64> {
        let (before, after) = (self.before? as f64, self.after? as f64);
        Some((after / before.max(1.0) - 1.0) * 100.0)
    }
}

fn changes_of(before: Option<&Run>, now: &Run, rows: &mut Vec<Change>) {
    // Counts of another program say nothing.
    let before = before.filter(|before| before.source == now.source && before.target == now.target);
    let mut row = |what: &str, old: Option<u64>, new: Option<u64>, budget: f64, floor: u64, always: bool| {
        let limit = old.map(|old| old as f64 * (1.0 + budget / 100.0) + floor as f64);
        let over = limit.zip(new).is_some_and(|(limit, new)| new as f64 > limit);
        // What the baseline has and this run lacks was not made faster.
        let lost = old.is_some() && new.is_none();
        let moved = old.unwrap_or(0).abs_diff(new.unwrap_or(0)) as f64;
        rows.push(Change {
            family: now.family.clone(),
            level: now.level,
            target: now.target.clone(),
            what: what.to_string(),
            before: old,
            after: new,
            over: over || lost,
            shown: always
                || over
                || lost
                || before.is_some() && moved * 100.0 > now.counts.total as f64 * SHOWN,
        });
    };
    let old = |read: fn(&Run) -> u64| before.map(read);
    row("instructions", old(|run| run.counts.total), Some(now.counts.total), TOTAL, 0, true);
    row("memory, KB", old(|run| run.memory), Some(now.memory), MEMORY, MEMORY_FLOOR, true);
    let count =
        |run: &Run, name: &str| run.counts.phases.iter().find(|phase| phase.0 == name).map(|phase| phase.1);
    let names = PHASES.iter().map(|phase| phase.name).chain([crate::phases::REST]);
    for name in names {
        let (old, new) = (before.and_then(|before| count(before, name)), count(now, name));
        if old.is_some() || new.is_some() {
            row(name, old, new, PHASE, PHASE_FLOOR, false);
        }
    }
}

/// All figures of all runs.
pub(crate) fn compare(before: Option<&Measurement>, now: &Measurement) -> Vec<Change> {
    let mut rows = Vec::new();
    for run in &now.runs {
        let old = before.and_then(|before| before.runs.iter().find(|old| old.key() == run.key()));
        changes_of(old, run, &mut rows);
    }
    for row in &now.serial {
        let old = before.and_then(|before| before.serial.iter().find(|old| old.key() == row.key()));
        let old = old.filter(|old| old.source == row.source).map(|old| old.main);
        let limit = old.map(|old| old as f64 * (1.0 + SERIAL / 100.0));
        rows.push(Change {
            family: row.family().to_string(),
            level: row.level,
            target: row.target().to_string(),
            what: SERIAL_PART.to_string(),
            before: old,
            after: Some(row.main),
            over: row.is_over() || limit.is_some_and(|limit| row.main as f64 > limit),
            shown: true,
        });
    }
    rows
}

/// Phases that should be there: the run and the phase.
pub(crate) fn missing(now: &Measurement) -> Vec<(String, String)> {
    let of = |run: &Run| {
        let key = run.key();
        run.counts.missing.iter().map(move |phase| (key.clone(), phase.clone())).collect::<Vec<_>>()
    };
    now.runs.iter().flat_map(of).collect()
}

/// The same for people.
pub(crate) fn complaint(missing: &[(String, String)]) -> String {
    let mut text = String::new();
    let mut phases: Vec<&str> = missing.iter().map(|row| row.1.as_str()).collect();
    phases.sort_unstable();
    phases.dedup();
    for phase in phases {
        let runs: Vec<&str> = missing.iter().filter(|row| row.1 == phase).map(|row| row.0.as_str()).collect();
        _ = writeln!(
            text,
            "PHASE NOT FOUND: {phase}, in {}: renamed or inlined? See benches/track/phases.rs",
            runs.join(" ")
        );
    }
    text
}

/// How this toolchain differs from the baseline's.
fn other_machine(before: &Measurement, now: &Measurement) -> Vec<String> {
    let old = |what: &str| {
        let row = before.machine.iter().find(|row| row.0 == what);
        row.map_or("unknown".to_string(), |row| row.1.clone())
    };
    let differs = now.machine.iter().filter(|(what, version)| old(what) != *version);
    differs.map(|(what, version)| format!("{what} was {:?} and is {version:?}", old(what))).collect()
}

/// True if something is over its budget, and counts can be compared.
pub(crate) fn is_over(changes: &[Change], before: Option<&Measurement>, now: &Measurement) -> bool {
    let comparable = before.is_some_and(|before| other_machine(before, now).is_empty());
    comparable && changes.iter().any(|change| change.over)
}

/// 12345678 as 12,345,678.
pub(crate) fn digits(count: Option<u64>) -> String {
    let Some(count) = count else { return "-".to_string() };
    let plain = count.to_string();
    let mut text = String::new();
    for (k, digit) in plain.chars().enumerate() {
        if k > 0 && (plain.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A change in percent, or why there is none.
pub(crate) fn percent(change: &Change) -> String {
    match (change.percent(), change.before) {
        (Some(percent), _) => format!("{percent:+.2}%"),
        (None, Some(_)) => "lost".to_string(),
        (None, None) => "new".to_string(),
    }
}

/// The table.
pub(crate) fn text(changes: &[Change], before: Option<&Measurement>, now: &Measurement) -> String {
    let mut text = String::new();
    match before {
        None => text.push_str("there is no baseline: nothing to compare with\n"),
        Some(before) => {
            _ = writeln!(
                text,
                "{} of {} against {} of {}",
                now.origin[0], now.origin[1], before.origin[0], before.origin[1]
            );
            let differences = other_machine(before, now);
            for difference in &differences {
                _ = writeln!(text, "ANOTHER TOOLCHAIN: {difference}");
            }
            if !differences.is_empty() {
                text.push_str("ANOTHER TOOLCHAIN: counts cannot be compared, and nothing fails\n");
            }
            for run in &now.runs {
                let old = before.runs.iter().find(|old| old.key() == run.key());
                if old.is_some_and(|old| old.source != run.source || old.target != run.target) {
                    _ = writeln!(text, "ANOTHER PROGRAM: {} is not compared; record it again", run.key());
                }
            }
        }
    }
    _ = writeln!(
        text,
        "{:20} {:5} {:8} {:14} {:>14} {:>14} {:>9}",
        "family", "level", "target", "", "before", "after", "change"
    );
    for change in changes.iter().filter(|change| change.shown) {
        let first = change.what == "instructions" || change.what == SERIAL_PART;
        let name = |text: &str| if first { text.to_string() } else { String::new() };
        _ = writeln!(
            text,
            "{:20} {:5} {:8} {:14} {:>14} {:>14} {:>9}{}",
            name(&change.family),
            name(&format!("-O{}", change.level)),
            name(&change.target),
            change.what,
            digits(change.before),
            digits(change.after),
            percent(change),
            if change.over { "  OVER BUDGET" } else { "" }
        );
    }
    let over = changes.iter().filter(|change| change.over).count();
    _ = writeln!(
        text,
        "over budget: {over} of {} figures (instructions {TOTAL}%, a phase {PHASE}% and {PHASE_FLOOR}, memory {MEMORY}% and {MEMORY_FLOOR} KB, serial {SERIAL}%)",
        changes.len()
    );
    text
}
