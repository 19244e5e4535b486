//! Random programs: what `sysyc` makes of them, for every target, level and in the interpreter, must do what
//! the host's gcc makes of the same text. A mismatch is a bug of the compiler, for the programs have one
//! meaning (see `generate`).
//!
//!     cargo test --test generated fuzz::                                              # a few programs, less than a minute
//!     SYSYC_FUZZ=1000 SYSYC_SEED=5000 cargo test --release --test generated fuzz::    # programs 5000 to 5999
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_FUZZ` | how many programs | 20 |
//! | `SYSYC_SEED` | number of the first; a program depends on its number alone | 1 |
//! | `SYSYC_FUZZ_FAMILY` | only this family of `generate::FAMILIES` | all |
//! | `SYSYC_FUZZ_SIZE` | lines of each program | 30 to 400 |
//!
//! Besides, some large programs (`LARGE`), whose objects must be the same for every `-j`, at -O0 and -O1 by
//! our linker alone.
//!
//! The variables of `tests/suite.rs` choose targets, levels, jobs and the compiler. The programs of a batch
//! in which one fails are kept, and the lines that fail name the file, how to run it again, and which number
//! to give as `SYSYC_SEED`.

use crate::{generate, support};
use generate::{FAMILIES, Random, program};
use std::fs;
use std::process::ExitCode;
use support::settings::Settings;
use support::suite::{Tally, run_suite};

/// Programs that are made, tested and deleted together.
const BATCH: u64 = 50;

/// What the environment asks for.
struct Plan {
    first: u64,
    count: u64,
    family: Option<String>,
    size: Option<usize>,
}

/// The family and size of program `number`: mostly what people write, and all of the families in turn.
fn shape(number: u64, plan: &Plan) -> (String, usize) {
    let mut random = Random::new(number ^ 0x5eed);
    let family = match random.below(10) {
        0..=3 => "mixed",
        4 => "wraps",
        5..=6 => "loose",
        _ => FAMILIES[number as usize % FAMILIES.len()].name,
    };
    let size = 30 + random.below(6).pow(2) * 15;
    (plan.family.clone().unwrap_or(family.to_string()), plan.size.unwrap_or(size))
}

/// Families, numbers and sizes of the large programs; the largest has functions of thousands of statements.
const LARGE: [(&str, u64, usize); 6] = [
    ("realistic", 1, 2_000),
    ("realistic", 2, 2_000),
    ("realistic", 3, 20_000),
    ("realistic_giant", 4, 2_000),
    ("mixed", 5, 2_000),
    ("mixed", 6, 2_000),
];

/// Makes programs (family, number, size), tests them, and deletes them if all is well.
fn run_batch(programs: &[(String, u64, usize)], settings: &mut Settings) -> Result<Tally, String> {
    let folder = tempfile::Builder::new().prefix("sysyc-fuzz-").tempdir().map_err(|e| e.to_string())?;
    for (family, number, size) in programs {
        let path = folder.path().join(format!("{number:06}_{family}.sy"));
        fs::write(&path, program(family, *number, *size)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    settings.folders = vec![folder.path().to_path_buf()];
    let mut tally = run_suite(settings, &support::say);
    // In the interpreter at the last level, too: that takes next to no time.
    let interpreter = settings.targets.iter().copied().find(|target| target.gcc.is_empty());
    if let Some(target) = interpreter.filter(|_| settings.levels == [0, 1, 2]) {
        let all = (std::mem::replace(&mut settings.targets, vec![target]), settings.levels.clone());
        settings.levels = vec![3];
        let last = run_suite(settings, &support::say);
        (settings.targets, settings.levels) = all;
        tally = Tally { passed: tally.passed + last.passed, failed: tally.failed + last.failed };
    }
    if tally.failed != 0 {
        let folder = folder.keep();
        support::say(&format!(
            "The programs are kept in {}; NNNNNN_family.sy is made and tested again by\n     \
             SYSYC_SEED=NNNNNN SYSYC_FUZZ=1 cargo test --test generated fuzz::fuzz",
            folder.display()
        ));
    }
    Ok(tally)
}

#[test]
fn fuzz() -> ExitCode {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let plan = Plan {
        first: number("SYSYC_SEED").unwrap_or(1),
        count: number("SYSYC_FUZZ").unwrap_or(20),
        family: std::env::var("SYSYC_FUZZ_FAMILY").ok(),
        size: number("SYSYC_FUZZ_SIZE").map(|size| size as usize),
    };
    let variable = |name: &str| match (name, std::env::var(name).ok().filter(|text| !text.is_empty())) {
        ("SYSYC_LEVELS", None) => Some("0,1,2".to_string()),
        // A program is over in a fraction of a second.
        ("SYSYC_TIMEOUT", None) => Some("30".to_string()),
        ("SYSYC_VERIFY", None) => Some("1".to_string()),
        ("SYSYC_FILTER", _) => None,
        (_, text) => text,
    };
    let mut total = Tally { passed: 0, failed: 0 };
    let outcome = Settings::from(variable).and_then(|mut settings| {
        let end = plan.first + plan.count;
        for first in (plan.first..end).step_by(BATCH as usize) {
            let numbers = first..(first + BATCH).min(end);
            let programs: Vec<(String, u64, usize)> = numbers
                .map(|number| {
                    let (family, size) = shape(number, &plan);
                    (family, number, size)
                })
                .collect();
            let tally = run_batch(&programs, &mut settings)?;
            (total.passed, total.failed) = (total.passed + tally.passed, total.failed + tally.failed);
        }
        Ok(())
    });
    finish("fuzz", outcome, total)
}

#[test]
fn large() -> ExitCode {
    let variable = |name: &str| match (name, std::env::var(name).ok().filter(|text| !text.is_empty())) {
        ("SYSYC_WAYS", None) => Some("builtin".to_string()),
        ("SYSYC_CHECK_J" | "SYSYC_VERIFY", None) => Some("1".to_string()),
        ("SYSYC_FILTER", _) => None,
        (_, text) => text,
    };
    let mut total = Tally { passed: 0, failed: 0 };
    let outcome = Settings::from(variable).and_then(|mut settings| {
        let programs = LARGE.map(|(family, number, size)| (family.to_string(), number, size));
        total = run_batch(&programs, &mut settings)?;
        Ok(())
    });
    finish("large", outcome, total)
}

/// Says how it went.
fn finish(name: &str, outcome: Result<(), String>, total: Tally) -> ExitCode {
    if let Err(message) = outcome {
        support::say(&format!("FAIL {message}"));
        return ExitCode::FAILURE;
    }
    support::say(&format!("\n{name}: {} passed, {} failed", total.passed, total.failed));
    if total.failed == 0 && total.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn programs_depend_on_the_seed_and_nothing_else() {
    for family in &FAMILIES {
        let (a, b) = (program(family.name, 1, 100), program(family.name, 2, 100));
        assert_eq!(a, program(family.name, 1, 100), "{}", family.name);
        assert_ne!(a, b, "{}", family.name);
    }
}

#[test]
fn sizes_are_about_what_was_asked_for() {
    for family in &FAMILIES {
        for size in [100, 400, 1600] {
            let lines = program(family.name, 5, size).lines().count();
            assert!((size / 2..size * 2 + 50).contains(&lines), "{}: {lines} lines for {size}", family.name);
        }
    }
}
