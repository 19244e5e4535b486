//! What is said of 100 wrong programs (`tests/errors/beside_clang.txt`, one mistake each), beside clang 19: a point for
//! each of
//!
//! | point | is given if |
//! | --- | --- |
//! | place | the first error or warning stands on the line of the mistake |
//! | alone | nothing else is reported: one mistake, one message |
//! | remedy | it says what to write: an edit or advice; of clang a fix-it, or "did you mean" |
//!
//! `tests/errors/beside_clang.tsv` has the points and clang's words. Ours are counted again here; clang's are with
//! `SYSYC_BLESS=1`, where there is one: `-x c -Wall -Wextra -fsyntax-only` with the prototypes of the runtime library.

#![allow(clippy::expect_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// A program: the line of its mistake, what that is, and the text.
fn programs() -> Vec<(usize, String, String)> {
    let all = std::fs::read_to_string(root().join("beside_clang.txt")).expect("the programs");
    let mut rows = Vec::new();
    for part in all.split("\n=== ").skip(1) {
        let (head, text) = part.split_once('\n').expect("a head");
        let mut words = head.splitn(3, ' ').skip(1);
        let line = words.next().and_then(|word| word.parse().ok()).expect("a line");
        rows.push((line, words.next().unwrap_or_default().to_string(), format!("{text}\n")));
    }
    rows
}

/// The points of a number of diagnostics, which begin on these lines.
fn points(line: usize, said: &[usize], remedy: bool) -> [bool; 3] {
    [said.first() == Some(&line), said.len() == 1, remedy]
}

fn ours(folder: &Path, line: usize) -> [bool; 3] {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(["check", "--error-format=json", "-Wall", "-Wextra", "p.sy"])
        .current_dir(folder)
        .output()
        .expect("it runs");
    let (mut said, mut remedy) = (Vec::new(), false);
    for text in String::from_utf8_lossy(&done.stderr).lines() {
        let Ok(object) = serde_json::from_str::<serde_json::Value>(text) else { continue };
        said.push(object["line"].as_u64().unwrap_or(0) as usize);
        let has = |name: &str| object[name].as_array().is_some_and(|list| !list.is_empty());
        remedy |= has("edits") || has("help");
    }
    points(line, &said, remedy)
}

/// The points of clang, and what it said first.
fn theirs(folder: &Path, line: usize) -> Option<([bool; 3], String)> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/sylib.h");
    let done = Command::new("clang-19")
        .args(["-x", "c", "-Wall", "-Wextra", "-fsyntax-only", "-fno-caret-diagnostics"])
        .args(["-fdiagnostics-parseable-fixits", "-include"])
        .arg(library)
        .arg("p.sy")
        .current_dir(folder)
        .output()
        .ok()?;
    let (mut said, mut first, mut remedy) = (Vec::new(), String::new(), false);
    for text in String::from_utf8_lossy(&done.stderr).lines() {
        remedy |= text.starts_with("fix-it:") || text.contains("did you mean");
        let mut parts = text.splitn(4, ':').skip(1);
        let at = parts.next().and_then(|part| part.parse().ok());
        let message = parts.nth(1).unwrap_or_default().trim();
        if let (Some(at), true) = (at, message.starts_with("error: ") || message.starts_with("warning: ")) {
            said.push(at);
            if first.is_empty() {
                first = message.replace('\t', " ");
            }
        }
    }
    Some((points(line, &said, remedy), first))
}

fn shown(points: [bool; 3]) -> String {
    points
        .iter()
        .zip(["place", "alone", "remedy"])
        .map(|(&got, name)| if got { name } else { "-" })
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_hundred_wrong_programs_are_told_as_well_as_by_clang() {
    let path = root().join("beside_clang.tsv");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = std::fs::read_to_string(&path).unwrap_or_default();
    let bless = std::env::var_os("SYSYC_BLESS").is_some();
    let rows = programs();
    assert_eq!(rows.len(), 100);
    let mut page = String::from("mistake\tours\tclang 19\tclang's first message\n");
    let mut sums = [0, 0];
    for (line, what, text) in rows {
        std::fs::write(folder.path().join("p.sy"), text).expect("it can be written");
        let own = ours(folder.path(), line);
        let known = table.lines().find_map(|row| {
            let mut cells = row.split('\t');
            (cells.next() == Some(&what)).then(|| cells.skip(1).map(str::to_string).collect::<Vec<_>>())
        });
        let fresh = if bless { theirs(folder.path(), line) } else { None };
        let (other, words) = match (fresh, known.as_deref()) {
            (Some((other, words)), _) => (shown(other), words),
            (None, Some([other, words])) => (other.clone(), words.clone()),
            _ => (String::new(), String::new()),
        };
        sums[0] += own.iter().filter(|&&got| got).count();
        sums[1] += other.split(' ').filter(|word| !matches!(*word, "-" | "")).count();
        _ = writeln!(page, "{what}\t{}\t{other}\t{words}", shown(own));
    }
    _ = writeln!(page, "points of 300\t{}\t{}\t", sums[0], sums[1]);
    if bless {
        std::fs::write(&path, &page).expect("it can be written");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("the table"), page, "SYSYC_BLESS=1 writes it");
    assert!(sums[0] > sums[1], "{sums:?}");
}
