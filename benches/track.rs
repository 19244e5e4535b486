//! What a compile costs in counted instructions and peak memory, by family of program and by phase, against
//! what was recorded: `cargo bench --bench track`, in a few minutes. Wall time says nothing on a shared
//! machine; these counts repeat.
//!
//!     cargo bench --bench track                                   # compare with profiling/baseline.json; exit code 1 over budget
//!     cargo bench --bench track -- --record                       # a new baseline, and a row more of profiling/history.tsv
//!     cargo bench --bench track -- --page                         # measure nothing, and draw what is recorded
//!     cargo bench --bench track -- mixed loop_nests               # these families only
//!     cargo bench --bench track -- --binary OLD/sysyc --baseline /tmp/old.json --record
//!     cargo bench --bench track -- --baseline /tmp/old.json       # two builds on one machine, without touching the record
//!
//! | what | budget |
//! | --- | --- |
//! | instructions of a family and level | 1% |
//! | instructions of a phase of it | 2% and 50,000 instructions |
//! | peak memory of a family and level, on a program four times as long | 5% and 1,024 KB |
//! | what the main thread executes of a compile by eight workers (`track/serial.rs`) | 3%, and 3.5% of all instructions at -O0, 2% at -O2 |
//!
//! A program a family (`tests/generate`, seed 1) is compiled to an object at -O0, -O1 and -O2 by one worker, under
//! callgrind, for the three targets in turn; environment, working directory and file names are fixed, and the
//! first family is counted twice to see that counts do repeat. Phases are named functions
//! (`track/phases.rs`); one that cannot be found is reported, and fails where the baseline has it. Counts
//! depend on compiler, libraries and valgrind: the baseline names them, and against another toolchain's
//! baseline changes are shown but nothing fails. A page with the changes and the trends of all records is
//! written to `target/track/index.html`.

// A benchmark that cannot go on has failed.
#![allow(clippy::expect_used)]

#[path = "track/changes.rs"]
mod changes;
#[path = "../tests/generate/mod.rs"]
mod generate;
#[path = "track/measure.rs"]
mod measure;
#[path = "track/page.rs"]
mod page;
#[path = "track/phases.rs"]
mod phases;
#[path = "track/record.rs"]
mod record;
#[path = "track/serial.rs"]
mod serial;

use record::Measurement;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is compiled: shapes that have little in common, and two mixtures.
static FAMILIES: [&str; 8] = [
    "realistic",
    "mixed",
    "many_functions",
    "giant_function",
    "dense_cfg",
    "loop_nests",
    "high_pressure",
    "large_initialisers",
];

/// What the command line asks for.
struct Plan {
    families: Vec<String>,
    record: bool,
    /// Nothing is measured: the page shows the records.
    page_only: bool,
    binary: PathBuf,
    /// Another baseline than the project's: then the history stays as it is.
    baseline: Option<PathBuf>,
}

impl Plan {
    fn from(mut arguments: impl Iterator<Item = String>) -> Plan {
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_sysyc"));
        let mut plan = Plan { families: vec![], record: false, page_only: false, binary, baseline: None };
        while let Some(argument) = arguments.next() {
            let mut value = || PathBuf::from(arguments.next().expect("a path behind the option"));
            match argument.as_str() {
                // Cargo's.
                "--bench" => {}
                "--record" => plan.record = true,
                "--page" => plan.page_only = true,
                "--binary" => plan.binary = value(),
                "--baseline" => plan.baseline = Some(value()),
                family => plan.families.push(family.to_string()),
            }
        }
        plan
    }

    /// All families if none was named.
    fn chosen(&self) -> Vec<(usize, &'static str)> {
        let wanted = |name: &str| self.families.is_empty() || self.families.iter().any(|f| f == name);
        FAMILIES.iter().enumerate().filter(|row| wanted(row.1)).map(|(k, &name)| (k, name)).collect()
    }
}

fn main() -> ExitCode {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plan = Plan::from(std::env::args().skip(1));
    let chosen = plan.chosen();
    if chosen.len() < plan.families.len() {
        eprintln!("track: the families are {}", FAMILIES.join(", "));
        return ExitCode::from(2);
    }
    let output = project.join("target/track");
    let history_file = project.join("profiling/history.tsv");
    if plan.page_only {
        std::fs::create_dir_all(&output).expect("the folder can be made");
        write_page(&output, &page::page(&record::read_history(&history_file), &[], &[], false));
        return ExitCode::SUCCESS;
    }
    let measured = measure::all(&plan.binary, &chosen, &output.join("run"));
    let (runs, serial, repeats) = match measured {
        Ok(measured) => measured,
        Err(error) => {
            eprintln!("track: {error}");
            return ExitCode::FAILURE;
        }
    };
    let now = Measurement { origin: record::origin(project), machine: record::machine(), runs, serial };
    let baseline_file = plan.baseline.clone().unwrap_or(project.join("profiling/baseline.json"));

    let before = match record::read_baseline(&baseline_file) {
        Ok(before) => before,
        Err(error) => {
            eprintln!("track: {}: {error}", baseline_file.display());
            return ExitCode::FAILURE;
        }
    };
    let changes = changes::compare(before.as_ref(), &now);
    let missing = changes::missing(&now);
    print!("{}", changes::text(&changes, before.as_ref(), &now));
    now.serial.iter().for_each(|row| print!("{}", row.text()));
    print!("{}", changes::complaint(&missing));
    if !repeats {
        println!(
            "COUNTS DO NOT REPEAT: two runs of one compile differ; something depends on addresses or time"
        );
    }
    let mut failed = !repeats;
    if plan.record {
        record::write_baseline(&baseline_file, before, &now).expect("the baseline can be written");
        println!("recorded in {}", baseline_file.display());
        if plan.baseline.is_none() && plan.families.is_empty() {
            record::append_history(&history_file, &now).expect("the history can be written");
            println!("a row more in {}", history_file.display());
        }
    } else {
        failed |= changes::is_over(&changes, before.as_ref(), &now);
    }
    let mut history = record::read_history(&history_file);
    if !plan.record {
        history.push(record::Row::of(&now));
    }
    write_page(&output, &page::page(&history, &changes, &missing, failed));
    if failed {
        println!("track: FAILED");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn write_page(output: &Path, page: &str) {
    std::fs::write(output.join("index.html"), page).expect("the page can be written");
    println!("the page: target/track/index.html");
}
