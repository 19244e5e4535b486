//! Random C with `long double`, which is `fp128` where machines have 64 bits: operations, comparisons, conversions, arguments in
//! registers and on the stack, variadic ones, structs, loops and branches. What clang prints at two levels and we compile at ours
//! prints the bits that the cross gcc's program prints: both do it by the same library.
//!
//! No NaN is printed, since clang folds some to another one. `SYSYC_FUZZ` is how many programs there are (6), `SYSYC_SEED` the
//! number of the first. Cost: a program takes two seconds.

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross;
use crate::random::{Random, seeds};
use cross::{TARGETS, clang, run};
use std::fmt::Write;
use std::process::Command;

const TYPES: [&str; 9] = [
    "long double",
    "long double",
    "long double",
    "double",
    "float",
    "int",
    "unsigned",
    "long",
    "unsigned char",
];

/// An expression of variables `a0`, `a1`, ... of which there are so many.
fn expression(random: &mut Random, count: usize, depth: usize) -> String {
    if depth == 0 || random.below(5) == 0 {
        return match random.below(4) {
            0 => random
                .pick(&["1.1L", "0x1p-70L", "3", "7.5f", "-0.3", "1e30L", "123456789012345678L"])
                .to_string(),
            1 => "g.x".to_string(),
            _ => format!("a{}", random.below(count)),
        };
    }
    let sub = |random: &mut Random| expression(random, count, depth - 1);
    let (x, y) = (sub(random), sub(random));
    match random.below(9) {
        0 => format!(
            "(({x}) {} ({y}) ? (long double)({y}) : ({x}))",
            random.pick(&["<", "<=", ">", ">=", "==", "!="])
        ),
        1 => format!("-({x})"),
        2 => format!("fabsl({x})"),
        3 => format!("({})w(({x}), 1e9L)", random.pick(&TYPES)),
        4 => format!("copysignl(({x}), ({y}))"),
        _ => format!("(({x}) {} (long double)({y}))", random.pick(&["+", "-", "*", "/"])),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(
        "#include <math.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <string.h>\n\
         static struct { int k; long double x; } g = {3, 0.7L};\n\
         static void show(long double x) {\n  unsigned long w[2];\n  if (x != x) { puts(\"nan\"); return; }\n\
         \x20 memcpy(w, &x, 16);\n  printf(\"%016lx%016lx\\n\", w[1], w[0]);\n}\n\
         // What conversions can do.\nstatic long double w(long double x, long double most) {\n\
         \x20 return !(fabsl(x) < most) ? 5 : fabsl(x);\n}\n\
         __attribute__((noinline)) static long double rest(int n, ...) {\n  va_list l;\n  va_start(l, n);\n  long double s = 1;\n\
         \x20 while (n--) s = s * va_arg(l, long double) + va_arg(l, int) - va_arg(l, double);\n  va_end(l);\n  return s;\n}\n",
    );
    let mut calls = String::new();
    for k in 0..4 {
        let count = 1 + random.below(14);
        let params: Vec<String> = (0..count).map(|k| format!("{} a{k}", random.pick(&TYPES))).collect();
        _ = writeln!(
            text,
            "__attribute__((noinline)) static {} f{k}({}) {{",
            random.pick(&["long double", "long double", "double", "float"]),
            params.join(", ")
        );
        for _ in 0..3 {
            let to = random.below(count);
            let value = expression(&mut random, count, 3);
            let statement = format!("a{to} = w({value}, 200);");
            let condition = expression(&mut random, count, 2);
            _ = match random.below(3) {
                0 => writeln!(text, "  if (({condition}) > 1) {statement}"),
                1 => writeln!(text, "  for (int i = 0; i < {}; i++) {statement}", 1 + random.below(5)),
                _ => writeln!(text, "  {statement} g.x += a{to};"),
            };
        }
        _ = writeln!(text, "  return {};\n}}", expression(&mut random, count, 3));
        for _ in 0..2 {
            let args: Vec<String> = (0..count)
                .map(|_| random.pick(&["2.5L", "7", "0.1L", "1e-5L", "90.25", "g.x", "3u"]).to_string())
                .collect();
            _ = writeln!(calls, "  show(f{k}({}));\n  show(g.x);", args.join(", "));
        }
    }
    let n = random.below(6);
    let more: String = (0..n).map(|k| format!(", g.x + {k}, {k}, {k}.5")).collect();
    _ = write!(text, "int main(void) {{\n{calls}  show(rest({n}{more}));\n  return 0;\n}}\n");
    text
}

#[test]
fn quadruple_precision_computes_what_gcc_computes() {
    let clang = clang();
    for seed in seeds(6) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let source = folder.join("x.c");
        std::fs::write(&source, program(seed)).expect("a file can be written");
        for cross in TARGETS.iter().filter(|cross| cross.name != "armv7") {
            let executed = |name: &str| {
                String::from_utf8_lossy(&run(folder, Command::new(cross.qemu).arg(name)).stdout).into_owned()
            };
            run(
                folder,
                Command::new(cross.gcc).args([
                    "-w",
                    "-O1",
                    "-ffp-contract=off",
                    "-static",
                    "-o",
                    "theirs",
                    "x.c",
                    "-lm",
                ]),
            );
            let want = executed("theirs");
            for theirs in ["-O0", "-O2"] {
                cross.print(folder, clang, &[theirs, "-ffp-contract=off"], &source);
                for (level, form) in [("-O0", "x.o"), ("-O1", "x.s"), ("-O2", "x.o")] {
                    let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                    ours.args([
                        level,
                        if form == "x.o" { "-c" } else { "-S" },
                        "-fverify",
                        "-o",
                        form,
                        "x.ll",
                    ]);
                    run(folder, ours.arg(format!("--target={}", cross.name)));
                    run(folder, Command::new(cross.gcc).args(["-static", "-o", "ours", form, "-lm"]));
                    let have = executed("ours");
                    assert_eq!(
                        have,
                        want,
                        "SYSYC_SEED={seed} SYSYC_FUZZ=1: {}, clang {theirs}, {level}\n{}",
                        cross.name,
                        program(seed)
                    );
                }
            }
        }
    }
}
