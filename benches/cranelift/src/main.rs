//! The same functions through `sysyc::backend` and through Cranelift: time, counted instructions and bytes of code
//! an IR instruction, in one run.
//!
//! `cargo run --release --manifest-path benches/cranelift/Cargo.toml` (no test builds it). Each round builds 400 functions one by
//! one and compiles each: kernels and random bodies of 30 to 2,000 instructions (`body`). Building is told apart by rounds that do
//! only that. Times are the best of several rounds; instructions are those of valgrind's callgrind, two rounds
//! without those of one, where valgrind is installed.

mod body;
mod ours;
mod theirs;

use std::process::Command;
use std::time::{Duration, Instant};
use sysyc::backend::Level;

/// One of the two, with its settings.
pub trait Side {
    /// Builds a function, and compiles it if that is wanted: IR instructions, bytes of code.
    fn function(&mut self, k: usize, to_code: bool) -> (u64, usize);
}

const TARGETS: [&str; 2] = ["aarch64", "riscv64"];
const CONFIGS: [&str; 5] = [
    "sysyc -O0",
    "sysyc -O1",
    "cranelift none, single_pass",
    "cranelift none, backtracking",
    "cranelift speed",
];
const ROUNDS: usize = 15;

fn side(target: &str, config: usize) -> Box<dyn Side> {
    match config {
        0 => Box::new(ours::Ours::new(target, Level::O0)),
        1 => Box::new(ours::Ours::new(target, Level::O1)),
        2 => Box::new(theirs::Theirs::new(target, "none", "single_pass")),
        3 => Box::new(theirs::Theirs::new(target, "none", "backtracking")),
        _ => Box::new(theirs::Theirs::new(target, "speed", "backtracking")),
    }
}

/// All functions once: IR instructions, bytes of code.
fn round(side: &mut dyn Side, to_code: bool) -> (u64, usize) {
    let all = (0..body::FUNCTIONS).map(|k| side.function(k, to_code));
    all.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// The best time of a round.
fn time(side: &mut dyn Side, to_code: bool) -> Duration {
    let one = |_| {
        let start = Instant::now();
        round(side, to_code);
        start.elapsed()
    };
    (0..ROUNDS).map(one).min().unwrap_or_default()
}

/// Instructions of a round, counted by callgrind.
fn counted(target: &str, config: usize, to_code: bool) -> Option<u64> {
    let of = |rounds: usize| {
        let mut run = Command::new("valgrind");
        run.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().ok()?);
        run.args([target, &config.to_string(), &to_code.to_string(), &rounds.to_string()]);
        let said = String::from_utf8(run.output().ok()?.stderr).ok()?;
        let line = said.lines().find_map(|line| line.split_once("Collected : "))?;
        line.1.trim().parse::<u64>().ok()
    };
    of(2)?.checked_sub(of(1)?)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [target, config, to_code, rounds] = &words[..] {
        let mut side = side(target, config.parse().expect("a number"));
        for _ in 0..rounds.parse().expect("a number") {
            round(&mut *side, to_code == "true");
        }
        return;
    }
    let (count, _) = round(&mut *side(TARGETS[0], 0), false);
    println!("{} functions of {count} IR instructions; of each instruction:\n", body::FUNCTIONS);
    println!(
        "| target | | build, ns | compile, ns | build, instructions | compile, instructions | code, bytes |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for target in TARGETS {
        for (k, config) in CONFIGS.iter().enumerate() {
            let mut side = side(target, k);
            let (count, bytes) = round(&mut *side, true);
            let [build, all] = [false, true].map(|to_code| time(&mut *side, to_code));
            let [built, done] = [false, true].map(|to_code| counted(target, k, to_code));
            let each = |sum: u64| format!("{:.0}", sum as f64 / count as f64);
            let ns = |time: Duration| each(time.as_nanos() as u64);
            let shown = |sum: Option<u64>| sum.map_or("-".to_string(), each);
            let compiled = built.zip(done).and_then(|(built, done)| done.checked_sub(built));
            println!(
                "| {target} | {config} | {} | {} | {} | {} | {:.2} |",
                ns(build),
                ns(all.saturating_sub(build)),
                shown(built),
                shown(compiled),
                bytes as f64 / count as f64
            );
        }
    }
}
