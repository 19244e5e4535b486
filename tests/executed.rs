//! How many instructions the code executes that is generated for the programs of `benches/programs`, on
//! each target, counted exactly under qemu (`profiling/count.c`), against `profiling/executed.tsv`: none
//! may take 1% more.
//!
//!     cargo test --test targets executed:: -- --nocapture                   # with the table
//!     SYSYC_RECORD=1 cargo test --test targets executed::                   # a new record, with gcc -O2 beside it
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_BIN` | another `sysyc` than the one cargo built | the built one |
//! | `SYSYC_RECORD` | `1`: writes the record; needs the cross gccs | compares |
//!
//! gcc compiles the same source as C, and its object is linked by `sysyc` with the same runtime library.
//! What programs print is compared, too.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use crate::support;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::beside_c::{Counter, GCC_CONSTANTS};
use support::say;
use support::toolchain::{TARGETS, Target};

/// How much more than recorded a program may execute.
const LIMIT: f64 = 1.01;
const LEVELS: [&str; 2] = ["-O1", "-O2"];

/// The instructions that a program executes, and what it prints.
fn count(counter: &Counter, target: &Target, program: &Path) -> (u64, Vec<u8>) {
    let (count, done) = counter.count(target, program, None).expect("it is counted");
    (count, done.stdout)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A line of the record.
struct Row {
    program: String,
    target: String,
    /// By level, then gcc's.
    counts: Vec<u64>,
}

fn read_record(text: &str) -> Vec<Row> {
    let lines = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    lines
        .map(|cells| Row {
            program: cells[0].to_string(),
            target: cells[1].to_string(),
            counts: cells[2..].iter().filter_map(|cell| cell.parse().ok()).collect(),
        })
        .collect()
}

#[test]
fn generated_code_executes_no_more_than_recorded() {
    let file = root().join("profiling/executed.tsv");
    let records = std::env::var_os("SYSYC_RECORD").is_some();
    let known = read_record(&fs::read_to_string(&file).unwrap_or_default());
    let compiler =
        std::env::var_os("SYSYC_BIN").map_or(PathBuf::from(env!("CARGO_BIN_EXE_sysyc")), PathBuf::from);
    let counter = Counter::new(compiler, Duration::from_secs(300)).expect("a temporary folder");
    let mut sources: Vec<PathBuf> = fs::read_dir(root().join("benches/programs"))
        .expect("the folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    sources.sort();
    let mut table = format!("program\ttarget\t{}\tgcc -O2\n", LEVELS.join("\t"));
    let mut worse = Vec::new();
    for source in &sources {
        let program = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for target in &TARGETS[1..] {
            let row = known.iter().find(|row| row.program == program && row.target == target.name);
            let mut counts = Vec::new();
            let mut printed: Option<Vec<u8>> = None;
            for level in LEVELS {
                let binary = counter.link(target, &[level], source).expect("it compiles");
                let (count, output) = count(&counter, target, &binary);
                let printed = printed.get_or_insert_with(|| output.clone());
                assert!(*printed == output, "{program} {} {level}", target.name);
                counts.push(count);
            }
            if records {
                let options = [&["-O2", "-fwrapv"], GCC_CONSTANTS].concat();
                let binary = counter.link_c(target, target.gcc, &options, source).expect("gcc takes it");
                let (count, output) = count(&counter, target, &binary);
                assert!(printed.is_none_or(|printed| printed == output), "{program} {}: gcc", target.name);
                counts.push(count);
            } else {
                let row = row.expect("a record of the program: SYSYC_RECORD=1 makes one");
                for ((level, &now), &then) in LEVELS.iter().zip(&counts).zip(&row.counts) {
                    if now as f64 > then as f64 * LIMIT {
                        worse.push(format!("{program} {} {level}: {then} to {now}", target.name));
                    }
                }
                counts.extend(row.counts.get(LEVELS.len()));
            }
            let cells: Vec<String> = counts.iter().map(u64::to_string).collect();
            let line = format!("{program}\t{}\t{}", target.name, cells.join("\t"));
            say(&line);
            let _ = writeln!(table, "{line}");
        }
    }
    for target in &TARGETS[1..] {
        let of_target = |row: &Row| row.target == target.name && row.counts.len() > LEVELS.len();
        let rows: Vec<Row> = read_record(&table).into_iter().filter(of_target).collect();
        let mean = |k: usize| {
            let logs = rows.iter().map(|row| (row.counts[k] as f64 / row.counts[LEVELS.len()] as f64).ln());
            (logs.sum::<f64>() / rows.len() as f64).exp()
        };
        say(&format!("{}: -O1 {:.3}, -O2 {:.3} of gcc -O2, geometric means", target.name, mean(0), mean(1)));
    }
    if records {
        fs::write(&file, table).expect("the record");
    }
    assert!(worse.is_empty(), "more instructions than recorded:\n{}", worse.join("\n"));
}
