//! Every subset of the runtime library's functions, in programs that our linker makes: what a program takes in of the
//! library depends on what it calls, and so do the numbers of globals and functions inside.
//!
//!     cargo test --test targets subsets::                       # those of up to four functions on all targets, the others on one in turn
//!     SYSYC_SUBSETS=12 cargo test --release --test targets subsets::
//!
//! All 4,095 subsets of 12 functions are compiled and linked in process, at -O0 and -O2: for each target where it has up to
//! `SYSYC_SUBSETS` functions (4), and for one otherwise, which is 46% of all on all. The library is made once for both levels where they ask for the same names, as nearly all do: that is 97% of the work. One in
//! `SPREAD` is made with proven passes and allocations, runs under qemu on one target at one level, and must print what
//! the interpreter's own library prints.
//!
//! `putfarray` beside `getarray` was all that tests had, until a program of `getfarray` and `putfarray` met an internal
//! error: 21 of the 298 subsets of up to three functions had it.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::front;
use support::toolchain::on_path;
use sysyc::backend::{self, Level};
use sysyc::base::parallel::Workers;
use sysyc::ir::interp;
use sysyc::isa::TARGETS;
use sysyc::isa::features::default_of;
use sysyc::object::link::{Content, Input};
use sysyc::object::module::{Object, Place};
use sysyc::object::read::read;
use sysyc::sema::runtime::FUNCTIONS;
use sysyc::sysy::link::{ENTRY, Linking, library, run, tables};
use sysyc::sysy::runtime;
use sysyc::{Settings, Wanted, compile};

/// Statements that call one function each, or the two timers.
const CALLS: [&str; 12] = [
    "n = getint() % 100;",
    "n = n + getch();",
    "x = x + getfloat();",
    "m = getarray(a);",
    "m = m + getfarray(b);",
    "putint(n);",
    "putch(n % 26 + 65);",
    "putfloat(x);",
    "putarray(m % 5, a);",
    "putfarray(m % 5, b);",
    "putf(\"%d|%c|\", n, 65);",
    "starttime(); n = n * 3; stoptime();",
];
/// What it reads: whatever is read first finds something.
const INPUT: &str = "7 2.5 3 1 -2 3 2 0x1.8p3 1.25 4 1 2 3 4\n9 8";
/// Subsets of more functions than these are for one target each, unless `SYSYC_SUBSETS` says otherwise.
const LARGE: u32 = 4;
/// Of so many subsets, one runs.
const SPREAD: usize = 13;

/// The program that calls the functions of a subset, some of them in another order.
fn source(subset: usize) -> String {
    let mut text = String::from("int a[9]; float b[9];\nint main() {\n  int n = 65, m = 2; float x = 1.5;\n");
    let first = subset * 7 % CALLS.len();
    for k in (first..first + CALLS.len()).map(|k| k % CALLS.len()).filter(|k| subset >> k & 1 == 1) {
        let _ = writeln!(text, "  {}", CALLS[k]);
    }
    text + "  return n % 64;\n}\n"
}

/// What an object leaves to others, and the entry.
fn wanted(object: &Object) -> Vec<String> {
    let open = object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined);
    let mut names: Vec<String> = open.map(|(symbol, _)| object.name(symbol).to_string()).collect();
    names.retain(|name| !name.is_empty());
    names.push(ENTRY.to_string());
    names.sort();
    names
}

/// Compiles and links a subset for a target; its programs at -O0 and at -O2, which are run where `verify` says so.
fn link(subset: usize, target: usize, verify: bool) -> Result<[Vec<u8>; 2], String> {
    let (text, row) = (source(subset), TARGETS[target]);
    let workers = Workers::new(1);
    let how = Linking {
        target: row,
        features: default_of(row),
        pie: false,
        strip: false,
        verify,
        workers: &workers,
    };
    let mut library: Option<(Vec<String>, Object<'static>)> = None;
    let mut programs = [const { Vec::new() }; 2];
    for (level, bytes) in [Level::O0, Level::O2].into_iter().zip(&mut programs) {
        let of = |error: backend::Error| format!("{level:?}: {error}");
        let mut settings = Settings::new(Wanted::Object, backend::Target::new(row.name).map_err(of)?);
        settings.level = level;
        let done = compile(&text, &settings).map_err(of)?;
        let elf = done.output.ok_or_else(|| format!("{:?}", done.messages))?;
        let names = wanted(&read(&elf, row.elf)?);
        let made = match library.take().filter(|(before, _)| *before == names) {
            Some((_, object)) => object,
            None => {
                let names = names.iter().map(String::as_str);
                let made = runtime::object(row, default_of(row), names, (verify, false));
                made.map_err(|failure| format!("{level:?}: the library: {failure:?}"))?
            }
        };
        library = Some((names, made.clone()));
        let own = Input { name: "own".to_string(), content: Content::Bytes(&elf) };
        let linked = run(how, vec![own, tables("library".to_string(), made)]);
        *bytes = linked.map_err(|failure| format!("{level:?}: {failure:?}"))?;
    }
    Ok(programs)
}

/// What the interpreter prints, and the exit code.
fn interpreted(subset: usize) -> (Vec<u8>, i32) {
    let module = front::module(&source(subset)).expect("it is a program");
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let mut input = INPUT.as_bytes();
    let code = interp::run(&module, "main", &mut input, &mut output, &mut errors, interp::Options::default());
    (output, code.expect("it ends") & 0xff)
}

/// Runs a program under qemu.
fn emulated(bytes: &[u8], target: usize) -> (Vec<u8>, i32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [program, input] = ["x", "in"].map(|name| folder.path().join(name));
    std::fs::write(&program, bytes).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(&input, INPUT).unwrap();
    let mut command = Command::new(TARGETS[target].qemu);
    command.arg(&program).stdin(std::fs::File::open(&input).unwrap()).stderr(Stdio::null());
    let done = command.output().expect("qemu runs");
    (done.stdout, done.status.code().unwrap_or(-1))
}

#[test]
fn all_subsets_of_the_library_link_and_some_run() {
    let names: Vec<&str> = FUNCTIONS.iter().map(|row| row.name).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.starts_with('_')).collect();
    assert!(
        names.iter().all(|name| CALLS.iter().any(|call| call.contains(&format!("{name}(")))),
        "{names:?}"
    );
    let missing: Vec<&str> = TARGETS.iter().map(|target| target.qemu).filter(|qemu| !on_path(qemu)).collect();
    assert!(missing.is_empty(), "{missing:?}: tests/install.sh installs them");
    let (next, ran) = (AtomicUsize::new(1), AtomicUsize::new(0));
    let large = std::env::var("SYSYC_SUBSETS").ok().and_then(|text| text.parse().ok()).unwrap_or(LARGE);
    let work = || {
        let mut wrong = Vec::new();
        loop {
            let subset = next.fetch_add(1, Ordering::Relaxed);
            if subset >= 1 << CALLS.len() {
                return wrong;
            }
            for (target, row) in TARGETS.iter().enumerate() {
                let turn = subset / SPREAD;
                let is_its_turn = turn % TARGETS.len() == target;
                if subset.count_ones() > large && !is_its_turn {
                    continue;
                }
                let runs = subset % SPREAD == 0 && is_its_turn;
                let outcome = link(subset, target, runs).and_then(|programs| {
                    if !runs {
                        return Ok(());
                    }
                    ran.fetch_add(1, Ordering::Relaxed);
                    let level = turn / TARGETS.len() % 2;
                    let (have, want) = (emulated(&programs[level], target), interpreted(subset));
                    let text = |(output, code): &(Vec<u8>, i32)| {
                        format!("{:?}, {code}", String::from_utf8_lossy(output))
                    };
                    if have == want { Ok(()) } else { Err(format!("{}, not {}", text(&have), text(&want))) }
                });
                if let Err(why) = outcome {
                    wrong.push(format!("{} {subset}: {why}\n{}", row.name, source(subset)));
                }
            }
            if wrong.len() > 3 {
                return wrong;
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("it does not panic")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran.into_inner() >= 300);
}

/// The command's own way to programs, verified: the three that users met.
#[test]
fn the_programs_that_met_an_error_are_linked() {
    let workers = Workers::new(1);
    for calls in [[2, 9], [9, 10], [4, 9]] {
        let subset = calls.iter().fold(0, |subset, call| subset | 1 << call);
        for target in TARGETS {
            let mut settings = Settings::new(Wanted::Object, backend::Target::new(target.name).unwrap());
            settings.level = Level::O1;
            let elf = compile(&source(subset), &settings).unwrap().output.unwrap();
            let (features, strip, verify) = (default_of(target), true, true);
            let how = Linking { target, features, pie: false, strip, verify, workers: &workers };
            let names = wanted(&read(&elf, target.elf).unwrap());
            let library = library(how, &names).unwrap();
            let own = Input { name: "own".to_string(), content: Content::Bytes(&elf) };
            run(how, vec![own, library]).unwrap();
        }
    }
}
