//! Side by side: the same generated programs through `sysyc` and through whatever of tcc, clang and gcc is
//! installed, to an object file.
//!
//!     cargo bench --bench compare                                   # `realistic`, 100,000 and 1,000,000 lines
//!     cargo bench --bench compare -- mixed giant_function 10000     # other families, other sizes
//!     cargo bench --bench compare -- --files 8 --only tcc,sysyc 100000
//!     cargo bench --bench compare -- --all 1000000                  # the slow ones, too: minutes, and gigabytes
//!
//! | argument | meaning | default |
//! | --- | --- | --- |
//! | a name, a number | a family of `tests/generate`, a size in lines | `realistic`, 100000 and 1000000 |
//! | `--files N` | programs a size: seeds 1 to N | 1 |
//! | `--rounds N` | how often each fast compiler takes its turn at a program; slow ones take one | 3 |
//! | `--only A,B` | compilers whose name has one of these in it | all |
//! | `--all` | compilers at any size, however slow | each up to its limit |
//!
//! The compilers take turns; of each program the least CPU time (user + system), the least wall time and the
//! largest peak memory of a compiler count, and the table has their sums over the programs as multiples of
//! the first row that is not ours. Ratios of one run say something on a shared machine; the times themselves
//! do not. Times are those of bash (milliseconds, where GNU time has hundredths of a second), memory that of
//! GNU time (`/usr/bin/time`), which costs a millisecond.

// A benchmark that cannot go on has failed.
#![allow(clippy::expect_used)]

#[path = "../tests/generate/mod.rs"]
mod generate;

use std::path::Path;
use std::process::{Command, Stdio};

/// A compiler: what the table calls it, the program, its arguments, and whether it wants C.
struct Compiler {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    c: bool,
    /// Above so many lines only with `--all`; a compiler that has a limit is slow.
    limit: usize,
}

const fn ours(name: &'static str, arguments: &'static [&'static str]) -> Compiler {
    Compiler { name, program: env!("CARGO_BIN_EXE_sysyc"), arguments, c: false, limit: usize::MAX }
}

const fn theirs(
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    limit: usize,
) -> Compiler {
    Compiler { name, program, arguments, c: true, limit }
}

#[rustfmt::skip]
static COMPILERS: [Compiler; 18] = [
    theirs("tcc", "tcc", &[], usize::MAX),
    ours("sysyc -O0 -j1", &["-j1", "-O0"]),
    ours("sysyc -O0 -j1 aarch64", &["-j1", "-O0", "--target", "aarch64"]),
    ours("sysyc -O0 -j1 armv7", &["-j1", "-O0", "--target", "armv7"]),
    ours("sysyc -O0 -j2", &["-j2", "-O0"]),
    ours("sysyc -O1 -j1", &["-j1", "-O1"]),
    ours("sysyc -O1 -j1 aarch64", &["-j1", "-O1", "--target", "aarch64"]),
    ours("sysyc -O1 -j1 armv7", &["-j1", "-O1", "--target", "armv7"]),
    ours("sysyc -O1 -j2", &["-j2", "-O1"]),
    theirs("tcc riscv64", "riscv64-tcc", &[], usize::MAX),
    theirs("tcc aarch64", "arm64-tcc", &[], usize::MAX),
    theirs("clang -O0 aarch64", "clang-19", &["-O0", "--target=aarch64-linux-gnu"], 100_000),
    theirs("clang -O0 riscv64", "clang-19", &["-O0", "--target=riscv64-linux-gnu"], 100_000),
    theirs("clang -O2 aarch64", "clang-19", &["-O2", "--target=aarch64-linux-gnu"], 20_000),
    theirs("clang -O2 riscv64", "clang-19", &["-O2", "--target=riscv64-linux-gnu"], 20_000),
    theirs("gcc -O0 aarch64", "aarch64-linux-gnu-gcc", &["-O0"], 100_000),
    theirs("gcc -O0 riscv64", "riscv64-linux-gnu-gcc", &["-O0"], 100_000),
    theirs("gcc -O2 aarch64", "aarch64-linux-gnu-gcc", &["-O2"], 20_000),
];

/// Pairs of rows whose ratio says what a second worker brings.
const SCALING: [(&str, &str); 2] = [("sysyc -O0 -j1", "sysyc -O0 -j2"), ("sysyc -O1 -j1", "sysyc -O1 -j2")];

/// What C needs to know of the runtime library.
const HEADER: &str = concat!("#include \"", env!("CARGO_MANIFEST_DIR"), "/runtime/sylib.h\"\n");

/// What the command line asks for.
struct Plan {
    families: Vec<String>,
    sizes: Vec<usize>,
    files: u64,
    rounds: usize,
    only: Vec<String>,
    all: bool,
}

impl Plan {
    fn from(mut arguments: impl Iterator<Item = String>) -> Plan {
        let mut plan =
            Plan { families: vec![], sizes: vec![], files: 1, rounds: 3, only: vec![], all: false };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().expect("a value behind the option");
            match argument.as_str() {
                // Cargo's.
                "--bench" => {}
                "--files" => plan.files = value().parse().expect("a number of files"),
                "--rounds" => plan.rounds = value().parse().expect("a number of rounds"),
                "--only" => plan.only = value().split(',').map(str::to_string).collect(),
                "--all" => plan.all = true,
                text => match text.parse() {
                    Ok(lines) => plan.sizes.push(lines),
                    Err(_) => plan.families.push(text.to_string()),
                },
            }
        }
        if plan.families.is_empty() {
            plan.families.push("realistic".to_string());
        }
        if plan.sizes.is_empty() {
            plan.sizes = vec![100_000, 1_000_000];
        }
        plan
    }

    /// How often a compiler takes its turn at a program of a size.
    fn turns(&self, compiler: &Compiler, lines: usize) -> usize {
        let wanted =
            self.only.is_empty() || self.only.iter().any(|part| compiler.name.contains(part.as_str()));
        match compiler.limit {
            _ if !wanted => 0,
            usize::MAX => self.rounds,
            limit if self.all || lines <= limit => 1,
            _ => 0,
        }
    }
}

/// Seconds of CPU, seconds of wall time, bytes of memory.
type Cost = [f64; 3];

/// None if the compiler cannot be run.
fn measure(compiler: &Compiler, folder: &Path) -> Option<Cost> {
    const SCRIPT: &str = "TIMEFORMAT='%3U %3S %3R'; folder=$1; shift
        { time /usr/bin/time -q -f %M -o \"$folder/memory\" \"$@\" >\"$folder/said\" 2>&1; } 2>\"$folder/time\"";
    let source = folder.join(if compiler.c { "program.c" } else { "program.sy" });
    let mut command = Command::new("bash");
    command.args(["-c", SCRIPT, "bash"]).arg(folder).arg(compiler.program);
    // To replace a file that is still on its way to the disk would be waited for.
    _ = std::fs::remove_file(folder.join("out.o"));
    command.args(["-w", "-c", "-o"]).arg(folder.join("out.o")).args(compiler.arguments).arg(source);
    let status = command.env("LC_ALL", "C").stdin(Stdio::null()).status().expect("bash is installed");
    if !status.success() {
        return None;
    }
    let numbers = |name: &str| -> Vec<f64> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let [user, system, wall] = numbers("time")[..] else { return None };
    let [kilobytes] = numbers("memory")[..] else { return None };
    Some([user + system, wall, kilobytes * 1024.0])
}

/// The sums over the programs of a family and size, a row a compiler, and their lines and bytes. A compiler
/// that fails has none.
fn sums(plan: &Plan, family: &str, size: usize, folder: &Path) -> (Vec<Option<Cost>>, usize, usize) {
    let turns: Vec<usize> = COMPILERS.iter().map(|compiler| plan.turns(compiler, size)).collect();
    let mut sums: Vec<Option<Cost>> = turns.iter().map(|&turns| (turns > 0).then_some([0.0; 3])).collect();
    let (mut lines, mut bytes) = (0, 0);
    for seed in 1..=plan.files {
        let text = generate::program(family, seed, size);
        lines += text.lines().count();
        bytes += text.len();
        std::fs::write(folder.join("program.sy"), &text).expect("it can be written");
        std::fs::write(folder.join("program.c"), format!("{HEADER}{text}")).expect("it can be written");
        let mut best: Vec<Cost> = vec![[f64::MAX, f64::MAX, 0.0]; COMPILERS.len()];
        for round in 0..plan.rounds.max(1) {
            for (k, compiler) in COMPILERS.iter().enumerate() {
                if round >= turns[k] || sums[k].is_none() {
                    continue;
                }
                let Some(found) = measure(compiler, folder) else {
                    sums[k] = None;
                    continue;
                };
                let least = best[k];
                best[k] = [least[0].min(found[0]), least[1].min(found[1]), least[2].max(found[2])];
            }
        }
        for (sum, best) in sums.iter_mut().zip(best) {
            *sum = sum.map(|sum| [sum[0] + best[0], sum[1] + best[1], sum[2] + best[2]]);
        }
    }
    (sums, lines, bytes)
}

fn compare(plan: &Plan, family: &str, size: usize, folder: &Path) {
    let (sums, lines, bytes) = sums(plan, family, size, folder);
    let rows = || COMPILERS.iter().zip(&sums).filter_map(|(compiler, sum)| sum.map(|sum| (compiler, sum)));
    let base = rows().find(|row| row.0.c).or(rows().next());
    let Some((base_row, base)) = base else {
        return println!("{family}, {size} lines: nothing was measured");
    };
    println!(
        "\n{family}: {} of {} lines of {:.1} bytes; ratios to {}",
        plan.files,
        lines as u64 / plan.files.max(1),
        bytes as f64 / lines as f64,
        base_row.name
    );
    println!(
        "{:22} {:>9} {:>7} {:>9} {:>7} {:>8} {:>7}",
        "", "CPU us/l", "ratio", "wall us/l", "ratio", "bytes/l", "ratio"
    );
    for (compiler, sum) in rows() {
        let per_line = |value: f64, unit: f64| value * unit / lines as f64;
        let ratio = |k: usize| sum[k] / base[k].max(0.001);
        println!(
            "{:22} {:9.3} {:7.2} {:9.3} {:7.2} {:8.0} {:7.2}",
            compiler.name,
            per_line(sum[0], 1e6),
            ratio(0),
            per_line(sum[1], 1e6),
            ratio(1),
            per_line(sum[2], 1.0),
            ratio(2)
        );
    }
    for (one, two) in SCALING {
        let find = |name: &str| rows().find(|row| row.0.name == name).map(|row| row.1);
        if let (Some(one_cost), Some(two_cost)) = (find(one), find(two)) {
            println!(
                "{two} against {one}: wall {:.2} times better, CPU {:+.1}%",
                one_cost[1] / two_cost[1].max(0.001),
                (two_cost[0] / one_cost[0].max(0.001) - 1.0) * 100.0
            );
        }
    }
    let failed =
        COMPILERS.iter().zip(&sums).filter(|(compiler, sum)| sum.is_none() && plan.turns(compiler, size) > 0);
    let failed: Vec<&str> = failed.map(|(compiler, _)| compiler.name).collect();
    if !failed.is_empty() {
        println!("missing here, or failed: {}", failed.join(", "));
    }
    let limit = |compiler: &&Compiler| plan.turns(compiler, size) == 0 && plan.turns(compiler, 0) > 0;
    let skipped: Vec<&str> = COMPILERS.iter().filter(limit).map(|compiler| compiler.name).collect();
    if !skipped.is_empty() {
        println!("left out at this size, --all has them: {}", skipped.join(", "));
    }
}

fn main() {
    let plan = Plan::from(std::env::args().skip(1));
    let folder = tempfile::tempdir().expect("a temporary folder");
    for family in &plan.families {
        for &size in &plan.sizes {
            compare(&plan, family, size, folder.path());
        }
    }
}
