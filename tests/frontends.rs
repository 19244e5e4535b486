//! Rust and C++ through LLVM text: programs of `rust/` (`no_std`, a panic aborts) and `cplusplus/` (without exceptions), as
//! rustc and clang++ print them, compiled by us for each target, linked with the C library, print and return what they do when
//! rustc and clang++ compile them for this machine.
//!
//! rustc has no library for two of the targets here. Where there is none, the text is that for a machine with the same layout of data,
//! under another triple: of AArch64 for RISC-V, of wasm32 for ARMv7 (pointers of 32 bits, i64 aligned to 8). What of core is
//! not in the text is linked for AArch64 and left open for the others, where it is what a panic calls; programs that
//! run it say so in their first line. Programs of `panics/` unwind, and need Rust's whole library for a target.
//!
//! Each program takes one of the four levels for each target by turn, 45 s of CPU time in all; `SYSYC_FRONTENDS=all` takes all.
//! `SYSYC_FRONTENDS_FOLDER=folder` takes programs from another folder.

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross;
use cross::{Cross, TARGETS, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is printed, and the exit code.
fn executed(command: &mut Command) -> (String, Option<i32>) {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
}

fn programs(folder: &str, extension: &str) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let folder = std::env::var_os("SYSYC_FRONTENDS_FOLDER").map_or(here, PathBuf::from);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut programs: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    programs.retain(|path| {
        path.extension().is_some_and(|e| e == extension) && path.file_stem().is_some_and(|s| s != "prelude")
    });
    programs.sort();
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    programs
}

/// The levels of a frontend that a program takes for a target.
fn levels(k: usize) -> Vec<usize> {
    if std::env::var_os("SYSYC_FRONTENDS").is_some_and(|word| word == "all") {
        return (0..4).collect();
    }
    vec![k % 4]
}

/// Runs `f` on all, on two threads.
fn each(programs: &[PathBuf], f: impl Fn(usize, &Path) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let k = programs.iter().position(|other| other == program).unwrap_or(0);
                    f(k, program);
                }
            });
        }
    });
}

/// Compiles `x.ll` of a folder, links it by gcc or by us, and compares.
fn compare(
    folder: &Path,
    cross: &Cross,
    (level, by_us): (usize, bool),
    more: &[String],
    want: &(String, Option<i32>),
    what: &str,
) {
    // At our own levels by turn, too.
    let own = ["-O0", "-O1", "-O2"][(level + what.len()) % 3];
    let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    ours.args([own, "-c", "-fverify", "-o", "x.o", "x.ll"]).arg(format!("--target={}", cross.name));
    run(folder, &mut ours);
    let mut linker = Command::new(if by_us { env!("CARGO_BIN_EXE_sysyc") } else { cross.gcc });
    linker.args(by_us.then(|| format!("--target={}", cross.name)));
    run(folder, linker.args(["-static", "-o", "x", "x.o"]).args(more).arg("-lm"));
    let have = executed(Command::new(cross.qemu).arg(folder.join("x")));
    assert_eq!(&have, want, "{what}: {}, -O{level}, our {own}, our linker: {by_us}", cross.name);
}

/// The folder of a target's Rust library, if it is installed.
fn rust_library(target: &str) -> Option<PathBuf> {
    let mut rustc = Command::new("rustc");
    let done = rustc.args(["--print", "target-libdir", "--target", target]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8_lossy(&done.stdout).trim());
    folder.is_dir().then_some(folder)
}

#[test]
fn what_rustc_prints_does_what_rustc_makes_of_it() {
    const FOR: [(&str, &str, &str); 3] = [
        ("riscv64", "aarch64-unknown-linux-gnu", "riscv64-unknown-linux-gnu"),
        ("aarch64", "aarch64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"),
        ("armv7", "wasm32-unknown-unknown", "armv7-unknown-linux-gnueabihf"),
    ];
    let options = ["--edition=2024", "-Awarnings", "-Cpanic=abort", "-Ccodegen-units=1"];
    let folders = FOR.map(|row| rust_library(row.1));
    for (row, _) in FOR.iter().zip(&folders).filter(|(_, folder)| folder.is_none()) {
        crate::support::say(&format!(
            "NOT TESTED: Rust for {}: `rustup target add {}` installs its library",
            row.0, row.1
        ));
    }
    each(&programs("rust", "rs"), |k, program| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let rustc = || {
            let mut rustc = Command::new("rustc");
            rustc.args(options).arg(program);
            rustc
        };
        run(folder, rustc().args(["--crate-type=staticlib", "-Copt-level=1", "-o", "native.a"]));
        run(folder, Command::new("gcc").args(["-o", "native", "native.a"]));
        let want = executed(&mut Command::new(folder.join("native")));
        let source = fs::read_to_string(program).unwrap_or_default();
        for (t, ((name, theirs, triple), library)) in FOR.into_iter().zip(&folders).enumerate() {
            let cross = TARGETS.iter().find(|cross| cross.name == name).expect("it is a target");
            let Some(library) = library else { continue };
            if name != "aarch64" && source.starts_with("// Calls code of core") {
                continue;
            }
            let mut more = vec!["-Wl,--unresolved-symbols=ignore-all".to_string()];
            if name == "aarch64" {
                let files =
                    fs::read_dir(library).expect("it is a folder").filter_map(|file| Some(file.ok()?.path()));
                let is_core = |path: &PathBuf| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    (name.starts_with("libcore-") || name.starts_with("libcompiler_builtins-"))
                        && name.ends_with(".rlib")
                };
                let mut files: Vec<String> =
                    files.filter(is_core).map(|path| path.display().to_string()).collect();
                files.sort_by_key(|file| !file.contains("libcore-"));
                more.extend(files);
            }
            for level in levels(k + t) {
                let printed = ["--crate-type=lib", "--emit=llvm-ir", "-o", "printed.ll", "--target", theirs];
                run(folder, rustc().args(printed).arg(format!("-Copt-level={level}")));
                let text = fs::read_to_string(folder.join("printed.ll")).expect("it is there");
                let lines: Vec<String> = text
                    .lines()
                    .filter(|line| theirs == triple || !line.starts_with("target datalayout"))
                    .map(|line| match line.starts_with("target triple") {
                        true => format!("target triple = \"{triple}\""),
                        false => line.to_string(),
                    })
                    .collect();
                fs::write(folder.join("x.ll"), lines.join("\n")).expect("it can be written");
                let what = program.file_stem().unwrap_or_default().to_string_lossy();
                compare(folder, cross, (level, false), &more, &want, &what);
            }
        }
    });
}

#[test]
fn what_clang_prints_of_cpp_does_what_clang_makes_of_it() {
    let clang = ["clang++-19", "clang++-16", "clang++-15"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(clang) = clang else {
        crate::support::say("NOT TESTED: C++: clang++ is missing, tests/install.sh installs it");
        return;
    };
    let options = ["-w", "-std=c++20", "-fno-exceptions", "-fno-rtti", "-fsigned-char"];
    each(&programs("cplusplus", "cpp"), |k, program| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        run(folder, Command::new(clang).args(options).args(["-O1", "-o", "native"]).arg(program));
        let want = executed(&mut Command::new(folder.join("native")));
        let what = program.file_stem().unwrap_or_default().to_string_lossy();
        for (t, cross) in TARGETS.iter().enumerate() {
            // C has no integers of 128 bits there.
            if cross.name == "armv7" && what == "wide_integers" {
                continue;
            }
            for level in levels(k + t) {
                let level_word = format!("-O{level}");
                cross.print(folder, clang, &[&options[..], &[&level_word]].concat(), program);
                compare(folder, cross, (level, false), &[], &want, &what);
            }
        }
    });
}

#[test]
fn what_panics_unwinds_as_where_rustc_compiles_it() {
    const FOR: [(&str, &str); 3] = [
        ("riscv64", "riscv64gc-unknown-linux-gnu"),
        ("aarch64", "aarch64-unknown-linux-gnu"),
        ("armv7", "armv7-unknown-linux-gnueabihf"),
    ];
    let is_there = |row: &(&str, &str)| {
        let found = rust_library(row.1).is_some();
        if !found {
            crate::support::say(&format!(
                "NOT TESTED: Rust that unwinds on {}: `rustup target add {}` installs its library",
                row.0, row.1
            ));
        }
        found
    };
    let targets: Vec<_> = FOR.into_iter().filter(is_there).collect();
    for (k, program) in programs("panics", "rs").iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let rustc = |level: usize| {
            let mut rustc = Command::new("rustc");
            rustc.args(["--edition=2024", "-Awarnings", "-Ccodegen-units=1", "--crate-type=staticlib"]);
            rustc.arg(format!("-Copt-level={level}")).arg(program);
            rustc
        };
        run(folder, rustc(1).args(["-o", "native.a"]));
        run(folder, Command::new("gcc").args(["-o", "native", "native.a", "-lm"]));
        let want = executed(&mut Command::new(folder.join("native")));
        for (t, (name, theirs)) in targets.iter().enumerate() {
            let cross = TARGETS.iter().find(|cross| cross.name == *name).expect("it is a target");
            for level in levels(k + t + 1) {
                run(folder, rustc(level).args(["--emit=llvm-ir=x.ll,link=theirs.a", "--target", theirs]));
                let what = program.display().to_string();
                for by_us in [false, true] {
                    compare(folder, cross, (level, by_us), &["theirs.a".to_string()], &want, &what);
                }
            }
        }
    }
}
