//! Compiles the programs and counts: instructions under callgrind, peak memory without it.
//!
//! As many compiles at a time as there are processors, since counts do not care. Everything that a process
//! can see of its surroundings is the same each time: the environment is `ENVIRONMENT`, every run has a
//! folder of its own with names of the same length, and the program lies at the same relative path.

use crate::generate;
use crate::phases::{self, Counts};
use crate::serial::{self, Serial};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Lines of a program that is counted.
pub(crate) const LINES: usize = 4_000;
/// Lines of a program whose memory is measured: what a process needs at least should not hide what lines
/// need.
pub(crate) const MEMORY_LINES: usize = 16_000;

/// The allocator gives memory back to the system by the clock, and takes huge pages where the system has some
/// to spare: without either, counts repeat (to some hundred instructions) and memory to two percent.
static ENVIRONMENT: [(&str, &str); 4] =
    [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C"), ("MIMALLOC_PURGE_DELAY", "-1"), ("MIMALLOC_ALLOW_THP", "0")];

static TARGETS: [&str; 3] = ["riscv64", "aarch64", "armv7"];

/// A family at a level.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) family: String,
    pub(crate) level: usize,
    pub(crate) target: String,
    /// Says whether two counts are of the same program.
    pub(crate) source: u64,
    pub(crate) counts: Counts,
    /// Peak resident memory in kilobytes.
    pub(crate) memory: u64,
}

impl Run {
    pub(crate) fn key(&self) -> String {
        format!("{}/O{}", self.family, self.level)
    }
}

/// FNV-1a.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Runs a command, in a folder in which nothing else happens, that makes `out.o` of `program.sy`.
pub(crate) fn command(folder: &Path, line: &[&str]) -> Result<(), String> {
    // Writing over an old file takes another way than making one.
    for old in ["out.o", "cg", "memory"] {
        _ = fs::remove_file(folder.join(old));
    }
    let line = [line, &["-w", "-o", "out.o", "program.sy"]].concat();
    let mut command = Command::new(line[0]);
    command.args(&line[1..]).current_dir(folder).env_clear().envs(ENVIRONMENT).stdin(Stdio::null());
    let done = command.output().map_err(|error| format!("{} cannot be run: {error}", line[0]))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("{}: {}", line.join(" "), String::from_utf8_lossy(&done.stderr))),
    }
}

/// Compiles by one worker, under what is `before`.
fn compile(folder: &Path, before: &[&str], run: &Run) -> Result<(), String> {
    let (level, target) = (format!("-O{}", run.level), format!("--target={}", run.target));
    command(folder, &[before, &["../sysyc", "-c", "-j1", &level, &target]].concat())
}

fn count(folder: &Path, run: &Run) -> Result<Counts, String> {
    let callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=cg"];
    compile(folder, &callgrind, run)?;
    let text = fs::read_to_string(folder.join("cg")).map_err(|error| error.to_string())?;
    phases::read(&text, run.level).map_err(|error| format!("{}: {error}", run.key()))
}

/// The most of the process's pages that were in memory at once: the least of three processes, since pages of
/// the binary come as the page cache has them (some hundred KB more where other programs run beside it).
fn memory(folder: &Path, run: &Run) -> Result<u64, String> {
    let time = ["/usr/bin/time", "-q", "-f", "%M", "-o", "memory"];
    let mut least = u64::MAX;
    for _ in 0..3 {
        compile(folder, &time, run)?;
        let text = fs::read_to_string(folder.join("memory")).unwrap_or_default();
        let peak = text.trim().parse().map_err(|_| format!("{}: no peak memory in {text:?}", run.key()))?;
        least = least.min(peak);
    }
    Ok(least)
}

/// One family at one level, and whether a second count (if there was one) was the same.
fn measure(folder: &Path, family: &str, k: usize, level: usize, twice: bool) -> Result<(Run, bool), String> {
    let write = |text: &str| fs::write(folder.join("program.sy"), text).map_err(|error| error.to_string());
    let text = generate::program(family, 1, LINES);
    let mut run = Run {
        family: family.to_string(),
        level,
        target: TARGETS[(k + level) % TARGETS.len()].to_string(),
        source: hash(&text),
        counts: Counts::default(),
        memory: 0,
    };
    write(&text)?;
    run.counts = count(folder, &run)?;
    // Once in some dozens of runs the allocator finds its memory at another place: some hundred instructions.
    let repeats =
        !twice || count(folder, &run)?.total.abs_diff(run.counts.total) * 10_000 <= run.counts.total;
    write(&generate::program(family, 1, MEMORY_LINES))?;
    run.memory = memory(folder, &run)?;
    Ok((run, repeats))
}

/// What one of those who measure takes up.
enum Job {
    Family(usize, &'static str, usize),
    Serial(usize),
}

/// What came of it.
enum Figures {
    Family(Box<Run>, bool),
    Serial(Serial),
}

/// All runs, what is serial, and whether counts repeat.
pub(crate) fn all(
    binary: &Path,
    families: &[(usize, &'static str)],
    folder: &Path,
) -> Result<(Vec<Run>, Vec<Serial>, bool), String> {
    _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs::copy(binary, folder.join("sysyc")).map_err(|error| format!("{}: {error}", binary.display()))?;
    // The longest first.
    let serial = serial::LEVELS.iter().rev().filter(|_| serial::is_chosen(families));
    let families_and_levels =
        families.iter().flat_map(|&(k, family)| [0, 1, 2].map(|level| Job::Family(k, family, level)));
    let jobs: Vec<Job> = serial.map(|&(level, _)| Job::Serial(level)).chain(families_and_levels).collect();
    let done: Vec<Mutex<Option<Result<Figures, String>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let do_it = |job: &Job| -> Result<Figures, String> {
        let folder = folder.join(match job {
            Job::Family(k, _, level) => format!("{:02}", 3 * k + level),
            Job::Serial(level) => format!("s{level}"),
        });
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        match *job {
            Job::Family(k, family, level) => {
                let (run, repeats) = measure(&folder, family, k, level, k == families[0].0)?;
                Ok(Figures::Family(Box::new(run), repeats))
            }
            Job::Serial(level) => serial::measure(&folder, level).map(Figures::Serial),
        }
    };
    let worker = || {
        while let Some((job, slot)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| jobs.get(at).zip(done.get(at)))
        {
            let result = do_it(job);
            *slot.lock().expect("no worker panics") = Some(result);
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(worker);
        }
    });
    let (mut runs, mut serial, mut repeats) = (Vec::new(), Vec::new(), true);
    for slot in done {
        match slot.into_inner().expect("no worker panics").expect("every job was done")? {
            Figures::Family(run, same) => {
                repeats &= same;
                runs.push(*run);
            }
            Figures::Serial(row) => serial.push(row),
        }
    }
    Ok((runs, serial, repeats))
}
