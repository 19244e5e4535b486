//! Side by side: the same generated program through `sysyc` and through whatever of tcc, clang and gcc is installed, to an
//! object file, on one core.
//!
//!     cargo bench --bench compare                                 # 10,000 and 100,000 lines, family `mixed`
//!     cargo bench --bench compare -- giant_function 100000 1000000
//!
//! The compilers take turns, `ROUNDS` times; the least CPU time (user + system) and wall time and the largest peak memory of
//! each count, and the table has them as multiples of the first row that is not ours. Ratios of one run say something on a shared machine;
//! the times themselves do not. Needs GNU time (`/usr/bin/time`).

// A benchmark that cannot go on has failed.
#![allow(clippy::expect_used)]

#[path = "../tests/generate/mod.rs"]
mod generate;

use std::path::Path;
use std::process::{Command, Stdio};

const ROUNDS: usize = 3;

/// A compiler: what the table calls it, the program, its arguments, and whether it wants C.
struct Compiler {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    c: bool,
}

const fn ours(name: &'static str, arguments: &'static [&'static str]) -> Compiler {
    Compiler { name, program: env!("CARGO_BIN_EXE_sysyc"), arguments, c: false }
}

const fn theirs(name: &'static str, program: &'static str, arguments: &'static [&'static str]) -> Compiler {
    Compiler { name, program, arguments, c: true }
}

static COMPILERS: [Compiler; 11] = [
    ours("sysyc -O0 riscv64", &["-j1", "-O0"]),
    ours("sysyc -O0 aarch64", &["-j1", "-O0", "--target", "aarch64"]),
    ours("sysyc -O0 armv7", &["-j1", "-O0", "--target", "armv7"]),
    ours("sysyc -O0 -j2", &["-j2", "-O0"]),
    ours("sysyc -O1 riscv64", &["-j1", "-O1"]),
    ours("sysyc -O1 -j2", &["-j2", "-O1"]),
    theirs("tcc", "tcc", &[]),
    theirs("clang -O0 aarch64", "clang-19", &["-O0", "--target=aarch64-linux-gnu"]),
    theirs("clang -O0 riscv64", "clang-19", &["-O0", "--target=riscv64-linux-gnu"]),
    theirs("gcc -O0 aarch64", "aarch64-linux-gnu-gcc", &["-O0"]),
    theirs("gcc -O0 riscv64", "riscv64-linux-gnu-gcc", &["-O0"]),
];

/// What C needs to know of the runtime library.
const HEADER: &str = concat!("#include \"", env!("CARGO_MANIFEST_DIR"), "/runtime/sylib.h\"\n");

/// Seconds of CPU, seconds of wall time, kilobytes; none if the compiler cannot be run.
fn measure(compiler: &Compiler, folder: &Path) -> Option<[f64; 3]> {
    let source = folder.join(if compiler.c { "program.c" } else { "program.sy" });
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%U %S %e %M", "-o"]).arg(folder.join("time")).arg(compiler.program);
    command.args(["-w", "-c", "-o"]).arg(folder.join("out.o")).args(compiler.arguments).arg(source);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("GNU time is installed");
    if !status.success() {
        return None;
    }
    let text = std::fs::read_to_string(folder.join("time")).ok()?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [user, system, wall, memory] = numbers[..] else { return None };
    Some([user + system, wall, memory])
}

fn compare(family: &str, lines: usize, folder: &Path) {
    let text = generate::program(family, 1, lines);
    let lines = text.lines().count();
    std::fs::write(folder.join("program.sy"), &text).expect("it can be written");
    std::fs::write(folder.join("program.c"), format!("{HEADER}{text}")).expect("it can be written");
    let mut best: Vec<Option<[f64; 3]>> = vec![None; COMPILERS.len()];
    for _ in 0..ROUNDS {
        for (compiler, best) in COMPILERS.iter().zip(&mut best) {
            let Some(found) = measure(compiler, folder) else { continue };
            let old = best.unwrap_or([f64::MAX, f64::MAX, 0.0]);
            *best = Some([old[0].min(found[0]), old[1].min(found[1]), old[2].max(found[2])]);
        }
    }
    let base = COMPILERS.iter().zip(&best).find_map(|(compiler, best)| best.filter(|_| compiler.c));
    println!("{family}, {lines} lines, {} bytes", text.len());
    println!(
        "{:20} {:>9} {:>7} {:>9} {:>7} {:>10} {:>7}",
        "", "CPU us/l", "ratio", "wall us/l", "ratio", "bytes/l", "ratio"
    );
    for (compiler, best) in COMPILERS.iter().zip(&best) {
        let Some([cpu, wall, memory]) = *best else {
            println!("{:20} not run: '{}' is missing or fails", compiler.name, compiler.program);
            continue;
        };
        let per_line = |value: f64, unit: f64| value * unit / lines as f64;
        let ratio = |k: usize| base.map_or(1.0, |base| [cpu, wall, memory][k] / base[k].max(0.001));
        println!(
            "{:20} {:9.2} {:7.2} {:9.2} {:7.2} {:10.0} {:7.2}",
            compiler.name,
            per_line(cpu, 1e6),
            ratio(0),
            per_line(wall, 1e6),
            ratio(1),
            per_line(memory, 1024.0),
            ratio(2)
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let family = arguments.iter().find(|argument| argument.parse::<usize>().is_err());
    let mut sizes: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10_000, 100_000];
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for lines in sizes {
        compare(family.map_or("mixed", String::as_str), lines, folder.path());
    }
}
