//! Tensors do what loops over arrays do: each program stands here twice, and both texts print the same, in the interpreter
//! and on every target.
//!
//!     cargo test --test generated tensors::                                                      # some programs, a minute
//!     SYSYC_TENSORS=20000 SYSYC_EMULATED=333 cargo test --release --test generated tensors:: -- --nocapture
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_TENSORS` | how many random programs (`generate::tensor`) are run in process | 150 |
//! | `SYSYC_EMULATED` | how many of them the command compiles, for each target, and qemu runs | 4 |
//! | `SYSYC_SEED` | number of the first | 1 |
//!
//! In process, the interpreter that checks says what the loops do; the tensors have to do the same there, on the fast
//! interpreter, and behind the passes of -O1 and -O2. The programs in `tests/tensors` are written by hand, many in a file:
//! `== name` begins one, `--` stands between the text with tensors and the same with loops, which the host's gcc is asked
//! about if there is one.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::generate::tensor::pair;
use crate::support::machines::{self, MACHINES};
use crate::support::settings::Settings;
use crate::support::suite::run_suite;
use crate::support::toolchain::on_path;
use crate::support::{front, say};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use sysyc::base::parallel::Workers;
use sysyc::ir::{Module, interp};
use sysyc::lower::Checks;
use sysyc::opt::Level;
use sysyc::opt::run::manager::{Options, run_on_module};
use sysyc::opt::run::pipeline;

type Outcome = (Vec<u8>, i32);

/// Jumps and calls.
const STEPS: u64 = 1 << 23;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run(module: &Module, check: bool) -> Option<Outcome> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let options = interp::Options { check, steps: STEPS, ..interp::Options::default() };
    let code = interp::run(module, "main", &mut "".as_bytes(), &mut output, &mut errors, options).ok()?;
    Some((output, code & 0xff))
}

fn optimised(module: &Module, level: Level, machine: usize) -> Result<Module, String> {
    let mut module = module.clone();
    let options = Options { verify: true, ..machines::options(machine) };
    run_on_module(&mut module, pipeline::plan(level), &options, &Workers::new(1))
        .map_err(|e| e.to_string())?;
    Ok(module)
}

/// What is wrong with a program, if something is; none if it takes too long.
fn wrong(number: u64, [tensors, loops]: &[String; 2]) -> Option<Result<Outcome, String>> {
    let checks = match number % 4 {
        0 => Checks::BOUNDS.with(Checks::DIVISION),
        _ => Checks::NONE,
    };
    let Some(plain) = front::module(loops) else {
        return Some(Err("the text with loops is no program".to_string()));
    };
    let want = run(&plain, true)?;
    let Some(module) = front::checked(tensors, checks) else {
        return Some(Err("the text with tensors is no program".to_string()));
    };
    let level = [Level::O1, Level::O2][number as usize / MACHINES.len() % 2];
    let made = match optimised(&module, level, number as usize % MACHINES.len()) {
        Ok(made) => made,
        Err(message) => return Some(Err(message)),
    };
    for (way, have) in [
        ("checked", run(&module, true)),
        ("as lowered", run(&module, false)),
        ("optimised", run(&made, false)),
    ] {
        if have.as_ref() != Some(&want) {
            let text = |outcome: &Outcome| String::from_utf8_lossy(&outcome.0).into_owned();
            let have = have.as_ref().map_or("nothing".to_string(), text);
            return Some(Err(format!("{way} prints\n{have}\nand not\n{}", text(&want))));
        }
    }
    Some(Ok(want))
}

#[test]
fn random_programs_do_what_loops_do() -> ExitCode {
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_TENSORS", 150));
    let workers = Workers::new(std::thread::available_parallelism().map_or(1, usize::from));
    let mut numbers: Vec<u64> = (first..first + count).collect();
    let found = workers.map(
        &mut numbers,
        || (),
        |(), _, &mut number| {
            let texts = pair(number, 10 + number as usize % 40);
            let outcome = wrong(number, &texts);
            (outcome, number, texts)
        },
    );
    let (mut failed, mut skipped) = (0, 0);
    for (outcome, number, [tensors, loops]) in &found {
        match outcome {
            None => skipped += 1,
            Some(Ok(_)) => {}
            Some(Err(message)) => {
                failed += 1;
                if failed <= 3 {
                    say(&format!("program {number}: {message}\n{tensors}\n// with loops\n{loops}"));
                }
            }
        }
    }
    say(&format!("{count} programs with tensors, of which {skipped} take too long and {failed} are wrong"));
    if failed == 0 && skipped * 4 < count { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs programs with what they should print on all targets, at -O0 to -O2 and in the interpreter.
fn everywhere(folder: &Path) -> ExitCode {
    let variable = |name: &str| match (name, std::env::var(name).ok().filter(|text| !text.is_empty())) {
        ("SYSYC_WAYS", None) => Some("builtin".to_string()),
        ("SYSYC_LEVELS", None) => Some("0,1,2".to_string()),
        ("SYSYC_VERIFY", None) => Some("1".to_string()),
        ("SYSYC_FILTER", _) => None,
        (_, text) => text,
    };
    let settings = Settings::from(variable).map(|mut settings| {
        settings.folders = vec![folder.to_path_buf()];
        settings
    });
    match settings {
        Ok(settings) if run_suite(&settings, &say).failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            say(&message);
            ExitCode::FAILURE
        }
    }
}

fn put(folder: &Path, name: &str, tensors: &str, (output, code): &Outcome) {
    fs::write(folder.join(format!("{name}.sy")), tensors).unwrap();
    let mut text = String::from_utf8_lossy(output).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    fs::write(folder.join(format!("{name}.out")), format!("{text}{code}\n")).unwrap();
}

#[test]
fn random_programs_do_it_on_every_target() -> ExitCode {
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_EMULATED", 4));
    let folder = tempfile::tempdir().unwrap();
    for number in first..first + count {
        let texts = pair(number, 10 + number as usize % 40);
        let Some(plain) = front::module(&texts[1]).and_then(|module| run(&module, true)) else { continue };
        put(folder.path(), &format!("p{number}"), &texts[0], &plain);
    }
    everywhere(folder.path())
}

// ---- Programs written by hand -----------------------------------------------------------------------------

/// A case: its name, and its two texts.
struct Case {
    name: String,
    texts: [String; 2],
}

fn cases(text: &str) -> Vec<Case> {
    let mut found = Vec::new();
    for part in format!("\n{text}").split("\n== ").skip(1) {
        let (name, rest) = part.split_once('\n').unwrap();
        let (tensors, loops) = rest.split_once("\n--\n").expect("a line '--'");
        found.push(Case { name: name.to_string(), texts: [tensors, loops].map(str::to_string) });
    }
    found
}

/// Several cases as one program: each has a line `{`, behind its definitions, from which on it is the body of a function.
fn program(cases: &[Case], form: usize) -> String {
    let (mut text, mut calls) = (String::new(), String::new());
    for (k, case) in cases.iter().enumerate() {
        let (definitions, body) = match case.texts[form].strip_prefix("{\n") {
            Some(body) => ("", body),
            None => case.texts[form].split_once("\n{\n").expect("a body"),
        };
        text.push_str(&format!("// {}\n{definitions}\nvoid case{k}() {{\n{body}\n", case.name));
        calls.push_str(&format!("    case{k}();\n"));
    }
    format!("{text}int main() {{\n{calls}    return 0;\n}}\n")
}

#[test]
fn right_programs_do_what_loops_do() -> ExitCode {
    let text = include_str!("tensors/right.txt");
    let all = cases(text);
    assert!(all.len() >= 120, "only {} cases", all.len());
    // One by one, so that it is seen which is wrong.
    let mut failed = 0;
    for (k, case) in all.iter().enumerate() {
        let one = std::slice::from_ref(case);
        let texts = [program(one, 0), program(one, 1)];
        if let Some(Err(message)) = wrong(k as u64, &texts) {
            say(&format!("{}: {message}\n{}", case.name, texts[0]));
            failed += 1;
        }
    }
    assert_eq!(failed, 0);
    // And on the targets, many at once. What the loops print is what gcc makes of them.
    let (made, reference) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (k, some) in all.chunks(45).enumerate() {
        let (tensors, loops) = (program(some, 0), program(some, 1));
        let want = front::module(&loops).and_then(|module| run(&module, true)).expect("loops that end");
        put(made.path(), &format!("right{k}"), &tensors, &want);
        // gcc is told of the dialect by the first line.
        fs::write(reference.path().join(format!("loops{k}.sy")), format!("// dialect\n{loops}")).unwrap();
    }
    let gcc = on_path("gcc");
    let variable = |name: &str| match name {
        "SYSYC_TARGETS" => Some("interp".to_string()),
        "SYSYC_LEVELS" => Some("0".to_string()),
        _ => None,
    };
    let settings = Settings::from(variable).map(|mut settings| {
        settings.folders = vec![reference.path().to_path_buf()];
        settings
    });
    let agrees = !gcc || settings.is_ok_and(|settings| run_suite(&settings, &say).failed == 0);
    if agrees { everywhere(made.path()) } else { ExitCode::FAILURE }
}
