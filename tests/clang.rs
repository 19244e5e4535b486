//! C through LLVM text: programs of `clang/`, as clang prints them at several levels and for each target, compiled by us,
//! linked with the C library (by gcc's linker, and what clang has optimised by ours; in turn also as objects of IR), print and
//! return what they do when gcc compiles them for this machine. Intrinsics of AArch64 are in `clang/neon/`. What stands in `clang/refused/` may be refused, by name and place.
//!
//! A program takes about 1.5 seconds, most of it in clang and the linker; threads take them in turn.
//! `SYSYC_CLANG=folder` takes the programs from another folder.

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross;
use cross::{TARGETS, clang, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a program does: what it prints, and its exit code.
fn executed(folder: &Path, command: &mut Command) -> (String, Option<i32>) {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut programs: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|e| e == "c"));
    programs.sort();
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    programs
}

/// Compares a program with gcc's on every target; says how often it was refused, which may be if that is asked for.
fn compare(clang: &str, source: &Path, may_be_refused: bool, turn: usize) -> usize {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    run(
        folder,
        Command::new("gcc").args(["-w", "-O1", "-fsigned-char", "-o", "native"]).arg(source).arg("-lm"),
    );
    let want = executed(folder, &mut Command::new(folder.join("native")));
    let mut refused = 0;
    for (k, cross) in TARGETS.iter().enumerate() {
        let target = cross.name;
        for (theirs, levels) in [("-O0", &["-O0", "-O2"][..]), ("-O2", &["-O1"])] {
            cross.print(folder, clang, &[theirs], source);
            for (level, form) in levels.iter().zip(["-c", "-S"]) {
                let part = if form == "-c" { "x.o" } else { "x.s" };
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, form, "-fverify", "-o", part, "x.ll"]).arg(format!("--target={target}"));
                if may_be_refused {
                    let done = ours.current_dir(folder).output().expect("our command runs");
                    if done.status.code() == Some(1) {
                        let said = String::from_utf8_lossy(&done.stderr);
                        assert!(
                            said.contains("--> x.ll:") && said.contains(" is not supported"),
                            "{name}: {said}"
                        );
                        refused += 1;
                        continue;
                    }
                }
                run(folder, &mut ours);
                let mut link = Command::new(cross.gcc);
                link.args(["-static", "-o", "x", part, "-lm"]);
                if *level == "-O1" {
                    link = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                    link.args(["-o", "x", part, "-lm", "-lc"]).arg(format!("--target={target}"));
                }
                run(folder, &mut link);
                let have = executed(folder, Command::new(cross.qemu).arg("x"));
                assert_eq!(have, want, "{name}: {target}, clang {theirs}, {level} {form}");
            }
        }
        // On one of the targets through objects of IR, too.
        if k == turn % TARGETS.len() && refused == 0 {
            for line in [["-c", "x.o", "x.ll"].as_slice(), &["-flto", "x", "x.o", "-lm", "-lc"]] {
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([line[0], "-flto", "-O2", "-fverify", "-o"]).args(&line[1..]);
                run(folder, ours.arg(format!("--target={target}")));
            }
            let have = executed(folder, Command::new(cross.qemu).arg("x"));
            assert_eq!(have, want, "{name}: {target}, -flto");
        }
    }
    refused
}

/// Of `<arm_neon.h>`, beside gcc for the same machine: clang's functions as such, and what it makes of them.
#[test]
fn intrinsics_of_aarch64_do_what_gcc_makes_of_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clang/neon/intrinsics.c");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (folder, cross) = (folder.path(), &TARGETS[1]);
    run(folder, Command::new(cross.gcc).args(["-w", "-O1", "-static", "-o", "x"]).arg(&source));
    let want = executed(folder, Command::new(cross.qemu).arg("x"));
    for (theirs, level) in [("-O0", "-O0"), ("-O2", "-O0"), ("-O2", "-O2")] {
        cross.print(folder, clang(), &[theirs], &source);
        let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        run(folder, ours.args([level, "-c", "-fverify", "-o", "x.o", "x.ll", "--target=aarch64"]));
        run(folder, Command::new(cross.gcc).args(["-static", "-o", "x", "x.o"]));
        let have = executed(folder, Command::new(cross.qemu).arg("x"));
        let differs: Vec<_> = want.0.lines().zip(have.0.lines()).filter(|(a, b)| a != b).collect();
        assert!(have == want, "clang {theirs}, {level}: {differs:#?}");
    }
}

#[test]
fn what_clang_prints_does_what_gcc_makes_of_the_same_c() {
    let clang = clang();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clang");
    let other = std::env::var_os("SYSYC_CLANG").map(PathBuf::from);
    let mut all: Vec<(PathBuf, bool)> = Vec::new();
    all.extend(programs(other.as_ref().unwrap_or(&own)).into_iter().map(|path| (path, false)));
    if other.is_none() {
        all.extend(programs(&own.join("refused")).into_iter().map(|path| (path, true)));
    }
    let (next, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some((source, may_be_refused)) = all.get(turn) else { break };
                    refused.fetch_add(compare(clang, source, *may_be_refused, turn), Ordering::Relaxed);
                }
            });
        }
    });
    println!("{} programs, {} times one was refused", all.len(), refused.into_inner());
}
