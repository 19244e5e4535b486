//! The same bytes for every number of workers and every run: assembly, object and executable of each program
//! of `tests/programs`, and of some generated ones with many functions, for each target and level, with -j1,
//! -j2, -j8 and -j8 once more; the dumps of the front end and the middle, and the messages, likewise.
//!
//! Cost: four compiles per program, target and level, some thousands of a few milliseconds.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use crate::{generate, support};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::process::{Ending, Finished, run};

const JOBS: [&str; 4] = ["-j1", "-j2", "-j8", "-j8"];
const TARGETS: [&str; 3] = ["riscv64", "aarch64", "armv7"];
const LEVELS: [&str; 6] = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"];

/// The programs of the suite, and generated ones that keep several workers busy, written to `folder`.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = fs::read_dir(&suite).expect("the suite's folder");
    let mut list: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sy"))
        .collect();
    assert!(list.len() > 50, "only {} programs in {}", list.len(), suite.display());
    for (family, size) in [
        ("mixed", 1500),
        ("loose", 800),
        ("many_functions", 1500),
        ("call_chains", 800),
        ("many_globals", 800),
    ] {
        let path = folder.join(format!("{family}.sy"));
        fs::write(&path, generate::program(family, 7, size)).expect("it can be written");
        list.push(path);
    }
    list.sort();
    list
}

fn compile(program: &Path, flags: &[&str], jobs: &str, folder: &Path) -> Result<Finished, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    command.args(flags).args([jobs, "-o", "-"]).arg(program);
    let done =
        run(&mut command, None, folder, Duration::from_secs(120)).map_err(|error| error.to_string())?;
    match done.ending {
        Ending::Exit(0 | 1) => Ok(done),
        _ => Err(done.complaint()),
    }
}

/// Compiles with all of `JOBS`; what differs from the first, if anything. `code` is the exit code that must
/// come.
fn check(program: &Path, flags: &[&str], code: i32, folder: &Path) -> Result<(), String> {
    let what = |jobs: &str| format!("{} {} {jobs}", program.display(), flags.join(" "));
    let mut first: Option<Finished> = None;
    for jobs in JOBS {
        let done = compile(program, flags, jobs, folder).map_err(|why| format!("{}: {why}", what(jobs)))?;
        if done.ending != Ending::Exit(code) {
            return Err(format!("{}: {}", what(jobs), done.complaint()));
        }
        match &first {
            None => first = Some(done),
            Some(first) if first.stdout == done.stdout && first.stderr == done.stderr => {}
            Some(first) => {
                let line = |bytes: &[u8]| {
                    String::from_utf8_lossy(bytes).lines().map(String::from).collect::<Vec<_>>()
                };
                let (a, b) = (line(&first.stdout), line(&done.stdout));
                let k = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
                return Err(format!(
                    "{}: line {} is {:?}, with -j1 {:?}",
                    what(jobs),
                    k + 1,
                    b.get(k).map_or("", String::as_str),
                    a.get(k).map_or("", String::as_str)
                ));
            }
        }
    }
    Ok(())
}

/// All checks on all processors; panics with the list of the failed ones.
fn check_all(checks: &[(PathBuf, Vec<&str>, i32)]) {
    let next = AtomicUsize::new(0);
    let worker = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut wrong = Vec::new();
        while let Some((program, flags, code)) = checks.get(next.fetch_add(1, Ordering::Relaxed)) {
            wrong.extend(check(program, flags, *code, folder.path()).err());
        }
        wrong
    };
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let mut wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} differ or fail\n{}", wrong.len(), checks.len(), wrong.join("\n"));
}

#[test]
fn assembly() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut checks = Vec::new();
    for program in programs(folder.path()) {
        for target in TARGETS {
            for level in LEVELS {
                checks.push((program.clone(), vec!["-S", level, "--target", target], 0));
            }
        }
    }
    check_all(&checks);
}

/// With debug information, which has tables of its own to keep in order.
#[test]
fn objects_and_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut checks = Vec::new();
    for program in programs(folder.path()) {
        for target in TARGETS {
            checks.push((program.clone(), vec!["-c", "-O1", "-g", "--target", target], 0));
            checks.push((program.clone(), vec!["-O0", "-g", "--target", target], 0));
        }
    }
    check_all(&checks);
}

/// At -O0 a program is compiled function by function, from the tree to the code; where its IR is asked for,
/// too, all at once.
#[test]
fn function_by_function_or_all_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for program in programs(folder.path()) {
        let swept = compile(&program, &["-S", "-O0", "-w"], "-j1", folder.path()).expect("it compiles");
        let whole =
            compile(&program, &["--emit=asm", "-O0", "-w"], "-j1", folder.path()).expect("it compiles");
        assert!(!swept.stdout.is_empty() && swept.stdout == whole.stdout, "{}", program.display());
    }
}

#[test]
fn dumps_and_warnings() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut checks = Vec::new();
    for program in programs(folder.path()) {
        checks.push((program.clone(), vec!["--emit=ir", "-O2", "-Wall", "-Wextra"], 0));
        checks.push((program, vec!["--emit=tree"], 0));
    }
    check_all(&checks);
}

/// Errors in many functions, found by all workers at once, come in the order of the text.
#[test]
fn errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = generate::program("mixed", 9, 2000)
        .replace(" = to_int(", " = to_imt(")
        .replace("while (", "unknown; while (");
    assert!(text.matches("unknown").count() > 20, "the program has errors");
    let path = folder.path().join("errors.sy");
    fs::write(&path, text).expect("it can be written");
    let flags = ["-fsyntax-only", "-ferror-limit=0", "-Wall", "-Wextra"];
    check_all(&[(path.clone(), flags.to_vec(), 1), (path, vec!["-S", "-O1", "--error-format=json"], 1)]);
}
