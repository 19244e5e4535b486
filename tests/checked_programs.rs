//! Checks change nothing where nothing is wrong: generated programs print with `-fsanitize` what they print without, at
//! -O0 and -O2, in the interpreter, with the verifier behind each pass, on a target each, and as two sources; and `run --check`
//! finds nothing. They have no undefined behaviour (`generate`), but sums that wrap, which are not looked for.

#![allow(clippy::expect_used)]

use crate::generate::{program, two_files};
use std::path::Path;
use std::process::{Command, Stdio};

const CHECKS: &str = "-fsanitize=bounds,integer-divide-by-zero,float-cast-overflow,stack,memory";
const TARGETS: [(&str, &str); 3] = [
    ("--target=riscv64", "qemu-riscv64"),
    ("--target=aarch64", "qemu-aarch64"),
    ("--target=armv7", "qemu-arm"),
];

type Done = (String, String, Option<i32>);

fn done(command: &mut Command, folder: &Path) -> Done {
    let done = command.current_dir(folder).stdin(Stdio::null()).output().expect("it runs");
    let [out, said] = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    // How long it took is not what it does.
    let is_time = |line: &&str| line.starts_with("Timer@") || line.starts_with("TOTAL: ");
    (out, said.lines().filter(|line| !is_time(line)).collect(), done.status.code())
}

/// Compares what sources print with checks and without, compiled in all ways; the number chooses a target.
fn compare(folder: &Path, sources: &[&str], number: usize, what: &str) {
    let run = |flags: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        done(command.args(["-w", "-fverify"]).args(flags).args(sources), folder)
    };
    let plain = run(&["--run", "-O1"]);
    assert_eq!(run(&["--run", "-O0", CHECKS]), plain, "{what}");
    assert_eq!(run(&["--run", "-O2", CHECKS]), plain, "{what}");
    assert_eq!(run(&["--run", "--check"]), plain, "{what}: --check");
    let (target, qemu) = TARGETS[number % 3];
    for level in ["-O0", "-O2"] {
        assert_eq!(run(&[level, target, CHECKS, "-o", "x"]).2, Some(0), "{what}");
        assert_eq!(done(Command::new(qemu).arg("x"), folder), plain, "{what}: {target} {level}");
    }
}

#[test]
fn checked_programs_do_what_unchecked_ones_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let families = ["realistic", "mixed", "loose", "loops", "wide_dialect", "many_arguments", "wraps"];
    for (number, family) in families.into_iter().enumerate() {
        for seed in [11, 12] {
            std::fs::write(folder.join("p.sy"), program(family, seed, 80)).expect("it can be written");
            compare(folder, &["p.sy"], number + seed as usize, &format!("{family} {seed}"));
        }
    }
    for seed in 0..4 {
        for (name, text) in ["p.sy", "q.sy"].into_iter().zip(two_files(seed, 120)) {
            std::fs::write(folder.join(name), text).expect("it can be written");
        }
        compare(folder, &["p.sy", "q.sy"], seed as usize, &format!("two files {seed}"));
    }
}
