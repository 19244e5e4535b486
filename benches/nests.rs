//! Loops beside gcc and clang: the instructions that programs execute, counted exactly under qemu
//! (`profiling/count.c`), of sysyc -O2, gcc -O3 and clang -O3.
//!
//!     cargo bench --bench nests                                     # benches/kernels on all targets
//!     cargo bench --bench nests -- floyd lu --targets riscv64       # some of them
//!     cargo bench --bench nests -- DIR x.sy --limit 30              # others; x.in is the input of x.sy
//!     cargo bench --bench nests -- --record                         # and write them to profiling/nests.tsv
//!     cargo bench --bench nests -- --ours --binary OTHER/sysyc      # what gcc and clang need is in the record
//!
//! | argument | meaning | default |
//! | --- | --- | --- |
//! | a folder, a file, a name | programs: of the folder, or named so in `benches/kernels` | `benches/kernels` |
//! | `--targets A,B` | of `riscv64`, `aarch64`, `armv7`, and `riscv64v`, with vectors | the first three |
//! | `--limit SECONDS` | what runs longer is slow, and has no row | 120 |
//! | `--binary FILE` | another `sysyc` than the one cargo built | the built one |
//! | `--ours` | runs sysyc's programs only, and takes the others' counts from the record | runs all |
//! | `--record` | writes the counts to the record; rows of other programs stay | compares |
//! | `--table FILE` | another record | `profiling/nests.tsv` |
//! | `--cycles` | counts cycles that llvm-mca estimates (`nests/cycles.rs`); the record has none | instructions |
//! | `--core CORE` | the core of `--cycles`, for which all compilers are told to schedule | a board's |
//! | `--llc` | in clang's place `llc -O3` of LLVM 19, of our own IR, and no gcc | gcc and clang |
//! | `--scalar` | tells the C compilers to make no vectors | they make them |
//! | `--wrap` | tells the C compilers that ints wrap (`-fwrapv`) | overflow is undefined |
//!
//! All three compile for `rv64gc`, for `armv8-a`, which has vectors, and for `armv7ve` with NEON; the C compilers
//! with `-O3 -ffp-contract=off -fno-pie` and floating constants in binary32, without `-ffast-math`. Their objects
//! are linked by `sysyc` with its runtime library, and the count is of the whole program. A row is WRONG where
//! what is printed or the exit code differs. `now` is our count in relation to the record's. Means are of programs
//! that execute 50,000 instructions: others lack their input.

// A benchmark that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]

#[allow(dead_code)]
#[path = "../tests/support/cross.rs"]
mod cross;
#[path = "nests/cycles.rs"]
mod cycles;
#[allow(dead_code)]
#[path = "../tests/support/mod.rs"]
mod support;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use support::beside_c::{CLANG_CONSTANTS, Counter, GCC_CONSTANTS, WITH_VECTORS};
use support::judge::{difference, transcript};
use support::say;
use support::toolchain::{TARGETS, Target};

/// Above so many times the better of gcc and clang a program is in the list.
const WORSE: f64 = 1.10;
/// A program of fewer instructions has had no input, or does nothing: it is not in the means.
const SHORT: u64 = 50_000;
/// What the C compilers are told about optimisation.
const AS_THEY_CAN: [&str; 2] = ["-O3", "-fno-pie"];
/// What sysyc is told: NEON is not in its default for ARMv7.
const OURS: [(&str, &[&str]); 4] = [
    ("riscv64", &["-O2"]),
    ("aarch64", &["-O2"]),
    ("armv7", &["-O2", "-march=armv7ve+neon"]),
    (WITH_VECTORS.name, &["-O2", "-march=rv64gcv"]),
];
const COMPILERS: [&str; 3] = ["ours", "gcc", "clang"];
const HEAD: &str = "program\ttarget\tours\tgcc\tclang";

/// What the command line asks for.
struct Plan {
    programs: Vec<PathBuf>,
    targets: Vec<&'static Target>,
    limit: Duration,
    binary: PathBuf,
    only_ours: bool,
    record: bool,
    table: PathBuf,
    cycles: bool,
    core: Option<String>,
    llc: bool,
    /// What the C compilers are told besides.
    options: Vec<&'static str>,
}

impl Plan {
    fn from(mut arguments: impl Iterator<Item = String>) -> Result<Plan, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let kernels = root.join("benches/kernels");
        let mut plan = Plan {
            programs: Vec::new(),
            targets: TARGETS[1..].iter().collect(),
            limit: Duration::from_secs(120),
            binary: PathBuf::from(env!("CARGO_BIN_EXE_sysyc")),
            only_ours: false,
            record: false,
            table: root.join("profiling/nests.tsv"),
            cycles: false,
            core: None,
            llc: false,
            options: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} has no value"));
            match argument.as_str() {
                // Cargo's.
                "--bench" => {}
                "--targets" => plan.targets = value()?.split(',').map(target).collect::<Result<_, _>>()?,
                "--limit" => {
                    let seconds = value()?.parse().map_err(|_| "--limit is a number of seconds")?;
                    plan.limit = Duration::from_secs(seconds);
                }
                "--binary" => plan.binary = PathBuf::from(value()?),
                "--ours" => plan.only_ours = true,
                "--record" => plan.record = true,
                "--table" => plan.table = PathBuf::from(value()?),
                "--cycles" => plan.cycles = true,
                "--core" => plan.core = Some(value()?),
                "--llc" => plan.llc = true,
                "--scalar" => plan.options.extend(["-fno-tree-vectorize", "-fno-tree-slp-vectorize"]),
                "--wrap" => plan.options.push("-fwrapv"),
                option if option.starts_with("--") => return Err(format!("{option} is no option")),
                name => {
                    let kernel = kernels.join(format!("{name}.sy"));
                    let path = if kernel.is_file() { kernel } else { PathBuf::from(name) };
                    plan.programs.extend(sources(&path)?);
                }
            }
        }
        if (plan.cycles || plan.llc) && (plan.record || plan.only_ours) {
            return Err("--cycles and --llc go without the record".to_string());
        }
        if plan.programs.is_empty() {
            plan.programs = sources(&kernels)?;
        }
        Ok(plan)
    }
}

impl Plan {
    /// What sysyc is told where vectors are not wanted of anyone who is compared with `llc`, which takes our IR.
    fn scalar(&self) -> Vec<&'static str> {
        if self.llc { self.options.clone() } else { Vec::new() }
    }
}

fn target(name: &str) -> Result<&'static Target, String> {
    let known = TARGETS[1..].iter().chain([&WITH_VECTORS]).find(|target| target.name == name);
    known.ok_or_else(|| format!("{name} is no target"))
}

/// The programs of a folder, by name; or the file itself.
fn sources(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut sources: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "sy")).collect();
    sources.sort();
    Ok(sources)
}

/// A program on a target: counts by compiler, where there is one.
#[derive(Clone)]
struct Row {
    program: String,
    target: String,
    counts: [Option<u64>; COMPILERS.len()],
}

impl Row {
    /// Our count in relation to that of a C compiler.
    fn ratio(&self, compiler: usize) -> Option<f64> {
        Some(self.counts[0]? as f64 / self.counts[compiler]? as f64)
    }

    /// ... and to the better of the two.
    fn worst(&self) -> Option<f64> {
        self.ratio(1).into_iter().chain(self.ratio(2)).reduce(f64::max)
    }

    /// As the record has it.
    fn line(&self) -> String {
        let cells = self.counts.map(|count| count.map_or("-".to_string(), |count| count.to_string()));
        format!("{}\t{}\t{}", self.program, self.target, cells.join("\t"))
    }
}

fn read_record(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [program, target, ours, gcc, clang] = cells[..] else { return None };
        let counts = [ours, gcc, clang].map(|cell| cell.parse().ok());
        Some(Row { program: program.to_string(), target: target.to_string(), counts })
    };
    text.lines().skip(1).filter_map(row).collect()
}

/// Runs what each compiler makes of a program. What is wrong or missing, in a word.
fn measure(plan: &Plan, counter: &Counter, clang: &str, target: &Target, source: &Path) -> (Row, String) {
    let program = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut row = Row { program, target: target.name.to_string(), counts: [None; COMPILERS.len()] };
    let input = Some(source.with_extension("in")).filter(|path| path.is_file());
    let of_gcc = if target.gcc.is_empty() { TARGETS[1].gcc } else { target.gcc };
    let triple = format!("--target={}", of_gcc.trim_end_matches("-gcc"));
    let core = plan.core.as_deref().unwrap_or_else(|| cycles::core(target.name));
    let (tuned, for_core) = (format!("-mtune={core}"), format!("-mcpu={core}"));
    let tuned: &[&str] = if plan.cycles { &[tuned.as_str()] } else { &[] };
    let options = [&AS_THEY_CAN, &plan.options[..], tuned].concat();
    let (mut printed, mut remark): (Option<Vec<u8>>, _) = (None, String::new());
    for (k, name) in COMPILERS.iter().enumerate().take(if plan.only_ours { 1 } else { COMPILERS.len() }) {
        let linked = match k {
            1 if target.gcc.is_empty() || plan.llc => continue,
            0 => {
                let ours = OURS.iter().find(|row| row.0 == target.name).map_or(&[][..], |row| row.1);
                counter.link(target, &[ours, tuned, &plan.scalar()].concat(), source)
            }
            2 if plan.llc => {
                let ours = OURS.iter().find(|row| row.0 == target.name).map_or(&[][..], |row| row.1);
                counter.link_ir(target, (&[ours, &plan.scalar()].concat(), &for_core), source)
            }
            1 => counter.link_c(target, target.gcc, &[&options, GCC_CONSTANTS].concat(), source),
            _ => {
                let options = [&options, &[triple.as_str()][..], CLANG_CONSTANTS].concat();
                counter.link_c(target, clang, &options, source)
            }
        };
        let counted = linked.and_then(|program| match plan.cycles {
            true => cycles::estimate(counter, (target, core), &program, input.as_deref()),
            false => counter.count(target, &program, input.as_deref()),
        });
        let counted = counted.and_then(|(count, done)| Ok((count, transcript(&done)?)));
        match counted {
            Ok((count, text)) => {
                row.counts[k] = Some(count);
                let first = printed.get_or_insert_with(|| text.clone());
                if let Some(what) = difference(&text, first) {
                    let _ = write!(remark, " WRONG {name}: {what}");
                }
            }
            Err(error) => {
                let is_late = error.contains("timeout");
                let _ = if is_late {
                    write!(remark, " {name} slow")
                } else {
                    write!(remark, " {name} failed: {error}")
                };
                // What takes us too long takes the others as long.
                if k == 0 {
                    break;
                }
            }
        }
    }
    (row, remark)
}

fn main() -> ExitCode {
    let plan = match Plan::from(std::env::args().skip(1)) {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("nests: {error}");
            return ExitCode::from(2);
        }
    };
    let mut known = if plan.cycles || plan.llc { Vec::new() } else { read_record(&plan.table) };
    let counter = Counter::new(plan.binary.clone(), plan.limit).expect("a temporary folder");
    let clang = cross::clang();
    let mut rows: Vec<Row> = Vec::new();
    let mut is_wrong = false;
    let width = plan.programs.iter().filter_map(|path| path.file_stem()).map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    say(&format!(
        "{:width$} {:8} {:>12} {:>12} {:>12} {:>6} {:>6}",
        "program", "target", "ours", "gcc", "clang", "ratio", "now"
    ));
    for &target in &plan.targets {
        for source in &plan.programs {
            let (mut row, remark) = measure(&plan, &counter, clang, target, source);
            let before = known.iter_mut().find(|old| old.program == row.program && old.target == row.target);
            if let (true, Some(before)) = (plan.only_ours, &before) {
                row.counts[1..].copy_from_slice(&before.counts[1..]);
            }
            let then = before.as_ref().and_then(|before| before.counts[0]);
            let now = then.zip(row.counts[0]).map(|(then, now)| now as f64 / then as f64);
            let [ours, gcc, clang] = row.counts.map(|n| n.map_or("-".to_string(), |n| n.to_string()));
            let [ratio, now] = [row.worst(), now].map(|x| x.map_or("-".to_string(), |x| format!("{x:.3}")));
            say(&format!(
                "{:width$} {:8} {ours:>12} {gcc:>12} {clang:>12} {ratio:>6} {now:>6}{remark}",
                row.program, row.target
            ));
            match before {
                Some(before) => *before = row.clone(),
                None => known.push(row.clone()),
            }
            if remark.contains("WRONG") || remark.contains("failed") {
                is_wrong = true;
            } else if row.counts.iter().flatten().any(|&count| count >= SHORT) {
                rows.push(row);
            }
        }
    }
    summary(&plan, &rows);
    if plan.record {
        let text: String = known.iter().map(|row| row.line() + "\n").collect();
        fs::write(&plan.table, format!("{HEAD}\n{text}")).expect("the record can be written");
    }
    if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Geometric means of each target, and the programs that take more than the others'.
fn summary(plan: &Plan, rows: &[Row]) {
    for target in &plan.targets {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.target == target.name).collect();
        if rows.iter().all(|row| row.worst().is_none()) {
            continue;
        }
        let mean = |ratio: &dyn Fn(&Row) -> Option<f64>| {
            let logs: Vec<f64> = rows.iter().filter_map(|row| Some(ratio(row)?.ln())).collect();
            (logs.iter().sum::<f64>() / logs.len() as f64).exp()
        };
        // A compiler that does not know the machine has no counts.
        let beside = |k: usize, name: &str| match rows.iter().any(|row| row.ratio(k).is_some()) {
            true => format!("{:.3} of {name}", mean(&|row| row.ratio(k))),
            false => format!("no {name}"),
        };
        say(&format!(
            "{}: {:.3} of the better one, {}, {}, geometric means of {}",
            target.name,
            mean(&Row::worst),
            beside(1, "gcc"),
            beside(2, "clang"),
            rows.iter().filter(|row| row.worst().is_some()).count()
        ));
        let mut worse: Vec<(f64, &str)> =
            rows.iter().filter_map(|row| Some((row.worst()?, row.program.as_str()))).collect();
        worse.retain(|row| row.0 > WORSE);
        worse.sort_by(|a, b| b.0.total_cmp(&a.0));
        let list: Vec<String> = worse.iter().map(|(ratio, name)| format!("{name} {ratio:.2}")).collect();
        say(&format!("{}: above {WORSE:.2} {}: {}", target.name, list.len(), list.join(", ")));
    }
}
