//! C through LLVM text: programs of `clang/`, as clang prints them at several levels and for each target, compiled by us,
//! linked with the C library, print and return what they do when gcc compiles them for this machine.
//!
//! `SYSYC_CLANG=folder` takes the programs from another folder.

#![allow(clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Our name of a target, clang's triple and options, the cross tools, and where its headers are.
const TARGETS: [(&str, &str, &[&str], &str, &str); 3] = [
    (
        "riscv64",
        "riscv64-linux-gnu",
        &["-march=rv64gc", "-mabi=lp64d"],
        "riscv64-linux-gnu-gcc",
        "qemu-riscv64",
    ),
    ("aarch64", "aarch64-linux-gnu", &[], "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "armv7-linux-gnueabihf", &["-mfpu=vfpv3-d16"], "arm-linux-gnueabihf-gcc", "qemu-arm"),
];

fn run(folder: &Path, command: &mut Command) -> Output {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    done
}

/// What a program does: what it prints, and its exit code.
fn executed(folder: &Path, command: &mut Command) -> (String, Option<i32>) {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
}

fn clang() -> String {
    let names = ["clang-19", "clang-16", "clang-15"];
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = names.into_iter().find(there);
    found.unwrap_or_else(|| panic!("clang is missing: tests/install.sh installs it")).to_string()
}

fn programs() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clang");
    let folder = std::env::var_os("SYSYC_CLANG").map_or(own, PathBuf::from);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut programs: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    programs.retain(|path| path.extension().is_some_and(|e| e == "c"));
    programs.sort();
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    programs
}

#[test]
fn what_clang_prints_does_what_gcc_makes_of_the_same_c() {
    let clang = clang();
    for source in programs() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        run(
            folder,
            Command::new("gcc").args(["-w", "-O1", "-fsigned-char", "-o", "native"]).arg(&source).arg("-lm"),
        );
        let want = executed(folder, &mut Command::new(folder.join("native")));
        for (target, triple, options, gcc, qemu) in TARGETS {
            let include = format!("/usr/{}/include", gcc.trim_end_matches("-gcc"));
            for (theirs, levels) in [("-O0", &["-O0", "-O2"][..]), ("-O2", &["-O1"])] {
                let mut print = Command::new(&clang);
                print.args([
                    theirs,
                    "-w",
                    "-S",
                    "-emit-llvm",
                    "-fsigned-char",
                    "-fno-vectorize",
                    "-fno-slp-vectorize",
                ]);
                print.arg(format!("--target={triple}")).args(options).args(["-isystem", &include]);
                run(folder, print.args(["-o", "x.ll"]).arg(&source));
                for (level, form) in levels.iter().zip(["-c", "-S"]) {
                    let part = if form == "-c" { "x.o" } else { "x.s" };
                    let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                    ours.args([level, form, "-fverify", "-o", part, "x.ll"])
                        .arg(format!("--target={target}"));
                    run(folder, &mut ours);
                    run(folder, Command::new(gcc).args(["-static", "-o", "x", part, "-lm"]));
                    let have = executed(folder, Command::new(qemu).arg("x"));
                    assert_eq!(have, want, "{name}: {target}, clang {theirs}, {level} {form}");
                }
            }
        }
    }
}
