//! `-ffast-math` on floats that are exact in any order: what it may do to them changes nothing, so programs print what they
//! print without it, in the interpreter and on every target, with NEON and V too.
//!
//!     cargo test --test targets fast_math::
//!     SYSYC_SEED=900 SYSYC_VOLUME=500 cargo test --release --test targets fast_math::     # so many programs
//!
//! Programs are random loops over arrays of small whole numbers and of signs: sums, differences and products over rounds,
//! some behind a condition, maps, quotients by powers of two, and what is zero or one by the rules of mathematics. All that
//! is computed has less than 24 bits.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use crate::generate::Random;
use crate::support::toolchain::{TARGETS, Way, emulator};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A value of at most 400: of elements that are at most 8, signs, and constants.
fn value(random: &mut Random) -> String {
    let element = |random: &mut Random| ["a[i]", "b[i]", "2.0", "k", "-b[i]"][random.below(5)];
    let (x, y) = (element(random), element(random));
    match random.below(11) {
        0 => x.to_string(),
        1 => format!("({x} + {y})"),
        2 => format!("({x} - {y})"),
        3 | 4 => format!("{x} * {y}"),
        5 => format!("({x} * {y} + {})", element(random)),
        6 => format!("({} - {x} * {y})", element(random)),
        7 => format!("({x} / 4.0)"),
        8 => format!("({x} * 0.0 + {y})"),
        9 => format!("({x} - {x} + {y} / 1.0)"),
        _ => format!("(0.0 - {x} + 0.0) * s[i]"),
    }
}

/// A program of some loops.
fn program(random: &mut Random) -> String {
    let mut text = String::from("float a[67], b[67], c[67], s[67];\n");
    let mut main = String::new();
    for n in 0..6 {
        let begins = ["0", "3.0", "-1.5"][random.below(3)];
        let mut body = String::new();
        for _ in 0..1 + random.below(2) {
            let (x, condition) =
                (value(random), ["a[i] > 2.0", "b[i] <= a[i]", "i != 5", "a[i] != b[i]"][random.below(4)]);
            _ = match random.below(7) {
                0 | 1 => writeln!(body, "    r = r + {x};"),
                2 => writeln!(body, "    r = r - {x};"),
                3 => writeln!(body, "    if ({condition}) r = r + {x};"),
                4 => writeln!(body, "    p = p * s[i];"),
                5 => writeln!(body, "    if ({condition}) c[i] = {x}; else c[i] = a[i];"),
                _ => writeln!(body, "    c[i] = {x} + c[i] * 0.5;\n    c[i] = c[i] - c[i] * 0.5;"),
            };
        }
        let first = random.below(3);
        _ = write!(
            text,
            "float f{n}(float k, int n) {{\n  float r = {begins}, p = 1;\n  int i = {first};\n  while (i < n) {{\n{body}    i = i + 1;\n  }}\n  return r * p;\n}}\n"
        );
        let (k, last) = (random.below(4), 60 + random.below(8));
        _ = writeln!(main, "  clear(); show(f{n}({k}, {last}));");
    }
    text += "void clear() { int i = 0; while (i < 67) { c[i] = i / 4; i = i + 1; } }
void show(float r) {
  float t = r * 64.0;
  int i = 0;
  putint(t);
  while (i < 67) { putch(32); t = c[i] * 64.0; putint(t); i = i + 1; }
  putch(10);
}
int main() {
  int i = 0;
  while (i < 67) {
    a[i] = (i * 7 + 3) % 17 - 8;
    b[i] = (i * 5 + 1) % 13 - 6;
    s[i] = 1;
    if (i * 3 % 7 < 3) s[i] = -1;
    i = i + 1;
  }
";
    text + &main + "  return 0;\n}\n"
}

fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn check(folder: &Path, seed: u64) {
    let text = program(&mut Random::new(seed));
    let [source, binary] = ["p.sy", "p"].map(|name| folder.join(name));
    std::fs::write(&source, &text).unwrap();
    let sysyc = || Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let want = output(sysyc().args(["--run", "-O0"]).arg(&source));
    assert_eq!(
        output(sysyc().args(["--run", "-O2", "-ffast-math"]).arg(&source)),
        want,
        "seed {seed}\n{text}"
    );
    let machines =
        [(1, None), (1, Some("-march=rv64gcv")), (2, None), (3, None), (3, Some("-march=armv7ve+neon"))];
    for (target, machine) in machines.map(|(k, machine)| (&TARGETS[k], machine)) {
        if !target.missing(&[Way::Builtin]).is_empty() && std::env::var_os("SYSYC_ALLOW_MISSING").is_some() {
            continue;
        }
        let options = ["-O2", "-ffast-math", "-fverify", "--target", target.name, "-o"];
        output(sysyc().args(options).args([&binary, &source]).args(machine));
        let have = output(emulator(target.qemu, [128, 256, 512][seed as usize % 3]).arg(&binary));
        assert_eq!(have, want, "seed {seed} on {} {machine:?}\n{text}", target.name);
    }
}

#[test]
fn numbers_that_are_exact_in_any_order_stay_what_they_are() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let folder = tempfile::tempdir().unwrap();
    let first = number("SYSYC_SEED", 1);
    for seed in first..first + number("SYSYC_VOLUME", 12) {
        check(folder.path(), seed);
    }
}
