//! Linear cost, family by family: the instructions that `sysyc` executes for a program of n, 2n and 4n lines, counted by
//! callgrind, must grow with an exponent of at most 1.15 in the size of the text.
//!
//!     cargo test --test growth                                      # n = 200
//!     SYSYC_GROWTH=2000 SYSYC_BIN=target/release/sysyc cargo test --test growth
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_GROWTH` | n, in lines | 200 |
//! | `SYSYC_GROWTH_FAMILY` | only this family | all |
//! | `SYSYC_BIN` | another `sysyc` than the one cargo built | the built one |
//! | `SYSYC_ALLOW_MISSING` | `1`: no valgrind on this machine is reported, not failed | failed |
//!
//! What an empty program costs is subtracted. Counts do not depend on the machine's load or speed, and hardly on its libraries,
//! so a limit close to 1 can be kept; the rest is for tables that grow, sorts, and the dominator tree's logarithm.
//! The exponent is that from n to 4n; a step of 2 that is worse than 1.4 fails, too, for it shows a threshold.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

mod generate;
#[allow(dead_code)]
mod support;

use generate::{FAMILIES, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::process::{Ending, run};
use support::say;
use support::toolchain::on_path;

const LIMIT: f64 = 1.15;
const STEP_LIMIT: f64 = 1.4;

const TARGETS: [&str; 3] = ["--target=riscv64", "--target=aarch64", "--target=armv7"];

/// What family number `k` is measured with: the fast pipeline and the full one, on targets in turn.
fn modes(k: usize) -> [[&'static str; 3]; 2] {
    [["-S", "-O0", TARGETS[(k + 1) % 3]], ["-S", "-O2", TARGETS[k % 3]]]
}

/// The instructions of one compile.
fn instructions(compiler: &Path, text: &str, flags: &[&str], folder: &Path) -> Result<f64, String> {
    let source = folder.join("t.sy");
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(compiler).args(flags);
    command.args(["-j1", "-o"]).arg(folder.join("out")).arg(&source);
    let done =
        run(&mut command, None, folder, Duration::from_secs(600)).map_err(|error| error.to_string())?;
    if done.ending != Ending::Exit(0) {
        return Err(done.complaint());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let collected = said.lines().find_map(|line| line.split("Collected :").nth(1));
    collected.and_then(|count| count.trim().parse().ok()).ok_or_else(|| format!("no count in {said}"))
}

/// The measure of one family in one mode: a line for the report, and whether it is within the limits.
fn measure(
    compiler: &Path,
    family: &str,
    n: usize,
    flags: &[&str],
    base: f64,
    folder: &Path,
) -> Result<(String, bool), String> {
    // Random programs are alike only where they are long.
    let n = if matches!(family, "realistic" | "mixed" | "loose" | "giant_function") { 4 * n } else { n };
    let mut points = Vec::new();
    for size in [n, 2 * n, 4 * n] {
        let text = program(family, 11, size);
        points.push((text.len() as f64, instructions(compiler, &text, flags, folder)? - base));
    }
    let exponent = |a: usize, b: usize| {
        let ((size_a, work_a), (size_b, work_b)): ((f64, f64), (f64, f64)) = (points[a], points[b]);
        (work_b / work_a).ln() / (size_b / size_a).ln()
    };
    let (whole, first, second) = (exponent(0, 2), exponent(0, 1), exponent(1, 2));
    let per_byte = points[2].1 / points[2].0;
    let line = format!(
        "{family:20} {:32} {whole:5.2} ({first:.2}, {second:.2}) {per_byte:8.0} instructions a byte",
        flags.join(" ")
    );
    Ok((line, whole <= LIMIT && first <= STEP_LIMIT && second <= STEP_LIMIT))
}

#[test]
fn growth() -> ExitCode {
    if !on_path("valgrind") {
        let allowed = std::env::var("SYSYC_ALLOW_MISSING").is_ok_and(|text| !text.is_empty() && text != "0");
        say("growth: valgrind is not installed (tests/install.sh installs it)");
        return if allowed { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let n = variable("SYSYC_GROWTH").and_then(|text| text.parse().ok()).unwrap_or(200);
    let compiler = variable("SYSYC_BIN").map_or(PathBuf::from(env!("CARGO_BIN_EXE_sysyc")), PathBuf::from);
    let wanted = variable("SYSYC_GROWTH_FAMILY");
    let jobs: Vec<(&str, [&str; 3])> = FAMILIES
        .iter()
        .enumerate()
        .filter(|(_, row)| wanted.as_ref().is_none_or(|name| name == row.name))
        .flat_map(|(k, row)| modes(k).map(|flags| (row.name, flags)))
        .collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The same for every target, but for some thousands.
    let base = match instructions(&compiler, "int main() { return 0; }\n", &["-S"], folder.path()) {
        Ok(base) => base,
        Err(why) => {
            say(&format!("FAIL an empty program: {why}"));
            return ExitCode::FAILURE;
        }
    };
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let worker = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        while let Some((family, flags)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            match measure(&compiler, family, n, flags, base, folder.path()) {
                Ok((line, true)) => say(&format!("ok   {line}")),
                Ok((line, false)) => {
                    say(&format!("FAIL {line}"));
                    failed.fetch_add(1, Ordering::Relaxed);
                }
                Err(why) => {
                    say(&format!("FAIL {family} {}: {why}", flags.join(" ")));
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(worker);
        }
    });
    let failed = failed.into_inner();
    say(&format!("growth: {} measured, {failed} failed", jobs.len()));
    if failed == 0 && !jobs.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
