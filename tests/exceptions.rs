//! C++ with exceptions through LLVM text: programs of `exceptions/`, as clang++ prints them at its four levels, compiled by us,
//! linked with the C++ library, print and return what they do when clang++ compiles them for this machine.
//! So what throws, the library's unwinder, and what catches meet in our tables; by turns objects are ours, or an assembler's
//! of our text.
//!
//! Each program takes one of the levels for each target by turn, and one of ours, about 35 s of CPU time in all;
//! `SYSYC_EXCEPTIONS=all` takes all of them, and both kinds of objects.

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross::{Cross, TARGETS, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CLANG: &str = "clang++-19";

/// What is printed, and the exit code.
fn executed(command: &mut Command) -> (String, Option<i32>) {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exceptions");
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut programs: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    programs.sort();
    assert!(programs.len() >= 20, "{programs:?}");
    programs
}

/// What stands in front of a program's name: `throw(X)` is no longer C++.
fn standard(program: &Path) -> &'static str {
    if program.ends_with("specifications.cpp") { "-std=c++14" } else { "-std=c++20" }
}

/// Prints a program as text.
fn print(folder: &Path, cross: &Cross, level: usize, program: &Path) {
    let mut clang = Command::new(CLANG);
    clang.args(["-w", "-S", "-emit-llvm", "-fsigned-char"]);
    clang.args([standard(program), &format!("-O{level}"), &format!("--target={}", cross.triple)]);
    run(folder, clang.args(["-o", "x.ll"]).arg(program));
}

/// Compiles `x.ll`, as an object or through text.
fn compile(folder: &Path, cross: &Cross, level: &str, through_text: bool) {
    let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    ours.args([level, "-fverify", "x.ll"]).arg(format!("--target={}", cross.name));
    if through_text {
        run(folder, ours.args(["-S", "-o", "x.s"]));
        run(folder, Command::new(cross.gcc).args(["-c", "-o", "x.o", "x.s"]));
    } else {
        run(folder, ours.args(["-c", "-o", "x.o"]));
    }
}

/// Links `x.o` by the cross compiler, or by our linker.
pub(crate) fn link(folder: &Path, cross: &Cross, library: &Path, by_gcc: bool) {
    let mut linker = Command::new(cross.gcc);
    if !by_gcc {
        linker = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        linker.arg(format!("--target={}", cross.name)).arg("-L").arg(library);
    }
    run(folder, linker.args(["-static", "-o", "x", "x.o", "-lstdc++", "-lm"]));
}

#[test]
fn what_is_thrown_is_caught_as_where_clang_compiles_it() {
    if Command::new(CLANG).arg("--version").output().is_err() {
        crate::support::say("NOT TESTED: exceptions: clang++-19 is missing, tests/install.sh installs it");
        return;
    }
    let targets: Vec<_> = TARGETS.iter().filter_map(|cross| Some((cross, cross.cplusplus()?))).collect();
    let takes_all = std::env::var_os("SYSYC_EXCEPTIONS").is_some_and(|word| word == "all");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    for (k, program) in programs().iter().enumerate() {
        run(
            folder,
            Command::new(CLANG)
                .args(["-w", "-O1", "-fsigned-char", standard(program), "-o", "native"])
                .arg(program),
        );
        let want = executed(&mut Command::new(folder.join("native")));
        for (t, (cross, library)) in targets.iter().enumerate() {
            for level in if takes_all { 0..4 } else { (k + t) % 4..(k + t) % 4 + 1 } {
                print(folder, cross, level, program);
                for (o, own) in ["-O0", "-O1", "-O2"].into_iter().enumerate() {
                    for through_text in [false, true] {
                        let is_drawn = o == (k / 4 + t) % 3 && through_text == ((k + o) % 2 == 0);
                        if !takes_all && !is_drawn {
                            continue;
                        }
                        compile(folder, cross, own, through_text);
                        link(folder, cross, library, through_text);
                        let have = executed(Command::new(cross.qemu).arg(folder.join("x")));
                        let how = if through_text { "text" } else { "object" };
                        assert_eq!(
                            have,
                            want,
                            "{}: {}, -O{level}, our {own}, {how}",
                            program.display(),
                            cross.name
                        );
                    }
                }
            }
        }
    }
}
