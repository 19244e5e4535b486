//! What of a compile is serial: the instructions of the main thread with eight workers, from the source to a program that the
//! built-in linker has made, and those of all threads.
//!
//! Callgrind counts every thread by itself. A map over workers gives them all of its items and waits (`base/parallel`), so what
//! the main thread executes is what nothing goes on beside, whatever the machine: two processors tell what eight would have to
//! wait for. What a program of `FEW` lines takes is subtracted from what one of `MANY` takes: start-up and the runtime library
//! are not what grows. The main thread's count repeats to 0.1%, except that in one of twelve runs the allocator clears memory
//! that it gets back from a worker, where it is fresh otherwise (330,000 instructions more): the least of three is taken. Which
//! worker does how much does not repeat, as the threads take turns under callgrind; the longest worker and the main thread
//! together are about the time that eight processors would need, which is shown, and not held against a record.

use crate::generate;
use crate::measure::{self, hash};
use std::fs;
use std::path::Path;

const FAMILY: &str = "realistic";
const TARGET: &str = "riscv64";
const FEW: usize = 2_000;
const MANY: usize = 8_000;

/// By level, how many percent of all instructions the main thread may have.
pub(crate) static LEVELS: [(usize, f64); 2] = [(0, 3.5), (2, 2.0)];

/// What `MANY` lines at a level take more than `FEW`, in instructions.
#[derive(Clone, Default)]
pub(crate) struct Serial {
    pub(crate) level: usize,
    /// Says whether two counts are of the same program.
    pub(crate) source: u64,
    pub(crate) main: u64,
    /// Of the worker that has most.
    pub(crate) longest: u64,
    pub(crate) all: u64,
}

impl Serial {
    pub(crate) fn key(&self) -> String {
        format!("{FAMILY}/O{} serial", self.level)
    }

    pub(crate) fn family(&self) -> &'static str {
        FAMILY
    }

    pub(crate) fn target(&self) -> &'static str {
        TARGET
    }

    /// The main thread's part, in percent.
    pub(crate) fn share(&self) -> f64 {
        self.main as f64 * 100.0 / (self.all as f64).max(1.0)
    }

    pub(crate) fn is_over(&self) -> bool {
        LEVELS.iter().any(|&(level, most)| level == self.level && self.share() > most)
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let by = self.all as f64 / ((self.main + self.longest) as f64).max(1.0);
        format!(
            "{FAMILY} -O{} {TARGET}, linked, -j8: {:.2}% of the instructions are serial; main thread and longest worker have 1/{by:.1} of all\n",
            self.level,
            self.share()
        )
    }
}

/// True if the rows are wanted.
pub(crate) fn is_chosen(families: &[(usize, &'static str)]) -> bool {
    families.iter().any(|family| family.1 == FAMILY)
}

/// The instructions of the main thread, of the longest worker, and of all threads.
fn count(folder: &Path, level: usize, text: &str) -> Result<[u64; 3], String> {
    fs::write(folder.join("program.sy"), text).map_err(|error| error.to_string())?;
    for old in fs::read_dir(folder).map_err(|error| error.to_string())?.flatten() {
        if old.file_name().to_string_lossy().starts_with("cg") {
            _ = fs::remove_file(old.path());
        }
    }
    let callgrind = [
        "valgrind",
        "--tool=callgrind",
        "--separate-threads=yes",
        "--fair-sched=yes",
        "--callgrind-out-file=cg",
    ];
    let (level, target) = (format!("-O{level}"), format!("--target={TARGET}"));
    measure::command(folder, &[&callgrind[..], &["../sysyc", "-j8", &level, &target]].concat())?;
    // One file a thread: `cg-01` is the main one's.
    let mut counts = Vec::new();
    loop {
        let name = format!("cg-{:02}", counts.len() + 1);
        let Ok(text) = fs::read_to_string(folder.join(&name)) else { break };
        let totals: Vec<u64> = text
            .lines()
            .filter_map(|line| line.strip_prefix("totals: ").and_then(|count| count.trim().parse().ok()))
            .collect();
        match totals[..] {
            [] => return Err(format!("callgrind's file {name} has no total")),
            _ => counts.push(totals.iter().sum()),
        }
    }
    match counts[..] {
        [main, ref workers @ ..] if workers.len() == 8 => {
            Ok([main, workers.iter().copied().max().unwrap_or(0), counts.iter().sum()])
        }
        _ => Err(format!("callgrind counted {} threads, not the main one and 8 workers", counts.len())),
    }
}

/// The least of three counts.
fn least(folder: &Path, level: usize, text: &str) -> Result<[u64; 3], String> {
    let mut least = [u64::MAX; 3];
    for _ in 0..3 {
        let now = count(folder, level, text)?;
        least = [0, 1, 2].map(|k| now[k].min(least[k]));
    }
    Ok(least)
}

/// Measures a level; the folder is its own.
pub(crate) fn measure(folder: &Path, level: usize) -> Result<Serial, String> {
    let texts = [FEW, MANY].map(|lines| generate::program(FAMILY, 1, lines));
    let few = least(folder, level, &texts[0])?;
    let many = least(folder, level, &texts[1])?;
    let [main, longest, all] = [0, 1, 2].map(|k| many[k].saturating_sub(few[k]));
    Ok(Serial { level, source: hash(&texts.concat()), main, longest, all })
}
