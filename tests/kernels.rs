//! Loops and straight lines of C that clang turns into vectors (`clang/kernels/shapes.txt`, times the types of C) at its default -O2
//! and -O3, for NEON and for `rv64gcv`: compiled by us, with whatever machine we compile for, they do what gcc makes of them
//! for this machine.
//!
//! | variable | what | usual |
//! | --- | --- | --- |
//! | `SYSYC_KERNELS` | how many programs; each goes through one level of clang's and of ours on every target | 12 |
//! | `SYSYC_SEED` | the first; a program and its levels depend on its number alone | 1 |
//!
//! `SYSYC_KERNELS=1488` has all 744 programs at both levels. A program takes 1 second, which two threads share.

#![allow(clippy::expect_used)]

use crate::cross::{TARGETS, clang, run};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

const SHAPES: &str = include_str!("clang/kernels/shapes.txt");
const MAIN: &str = include_str!("clang/kernels/main.c");

/// Types of elements, of sums, and of the same bits as an unsigned integer; whether they are floats.
const TYPES: [(&str, &str, &str, bool); 10] = [
    ("signed char", "long long", "unsigned char", false),
    ("unsigned char", "long long", "unsigned char", false),
    ("short", "long long", "unsigned short", false),
    ("unsigned short", "long long", "unsigned short", false),
    ("int", "long long", "unsigned", false),
    ("unsigned", "long long", "unsigned", false),
    ("long long", "long long", "unsigned long long", false),
    ("unsigned long long", "long long", "unsigned long long", false),
    ("float", "float", "unsigned", true),
    ("double", "double", "unsigned long long", true),
];

/// All programs, by the name of the shape and the type.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    for part in SHAPES.split("\n// ").skip(1) {
        // What is said first has no line of its own.
        let Some((head, body)) = part.split_once('\n') else { continue };
        let Some((name, kind @ ("a" | "i" | "f"))) = head.split_once(' ') else { continue };
        for (of, sum, bits, is_float) in TYPES {
            if kind == "a" || (kind == "f") == is_float {
                let head = format!("typedef {of} T; typedef {sum} W; typedef {bits} U;");
                let parameters = "T *restrict x, const T *restrict y, const T *restrict z, const int *restrict p, \
                                  unsigned char *restrict q, int n";
                let kernel = format!("__attribute__((noinline)) W kernel({parameters}) {{\n{body}\n}}");
                let text = format!("#include <stdio.h>\n#include <string.h>\n{head}\n{kernel}\n{MAIN}");
                programs.push((format!("{name} of {of}"), text));
            }
        }
    }
    programs
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

fn printed(folder: &Path, command: &mut Command) -> String {
    String::from_utf8_lossy(&run(folder, command).stdout).into_owned()
}

/// One program on every target.
fn compare(clang: &str, number: u64, (name, text): &(String, String)) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("x.c"), text).expect("a file can be written");
    run(folder, Command::new("gcc").args(["-w", "-O1", "-fwrapv", "-o", "native", "x.c", "-lm"]));
    let want = printed(folder, &mut Command::new(folder.join("native")));
    let theirs = ["-O2", "-O3"][number as usize % 2];
    for (k, cross) in (0..).zip(&TARGETS) {
        cross.print(folder, clang, &[theirs, "-fwrapv"], Path::new("x.c"));
        let level = ["-O0", "-O1", "-O2"][(number / 2 + k) as usize % 3];
        let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        ours.args([level, "-c", "-fverify", "-o", "x.o", "x.ll"]);
        run(folder, ours.arg(format!("--target={}", cross.name)));
        run(folder, Command::new(cross.gcc).args(["-static", "-o", "x", "x.o", "-lm"]));
        let have = printed(folder, Command::new(cross.qemu).arg("x"));
        assert!(have == want, "{name} (number {number}), {}, clang {theirs}, {level}:\n{have}", cross.name);
    }
}

#[test]
fn vectors_of_clang_do_what_gcc_makes_of_the_same_c() {
    let (clang, programs) = (clang(), programs());
    let mut named = BTreeMap::new();
    programs.iter().for_each(|(name, _)| *named.entry(name).or_insert(0) += 1);
    assert!(programs.len() > 700 && named.values().all(|&count| count == 1), "{} programs", programs.len());
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_KERNELS", 12));
    let next = AtomicU64::new(first);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= first + count {
                        break;
                    }
                    // Numbers side by side are far apart among the shapes; twice as many have all at both levels.
                    let k = (number / 2 * 131 + number % 2 * 373) as usize % programs.len();
                    compare(clang, number, &programs[k]);
                }
            });
        }
    });
}
