//! How far apart things may be, in bytes: a jump and its target, a call and its callee, code and its data. Each machine has
//! its own borders: conditional branches of 4 KB (RISC-V), 32 KB and 1 MB (AArch64), jumps and entries of tables of jumps of
//! 1 MB (RISC-V), calls of 32 MB (ARMv7) and 128 MB (AArch64), pairs of instructions of 2 GB and 4 GB.

use super::*;
use std::fmt::Write;
use support::process::Ending;

const CASES: i32 = 24;
const ARGS: usize = 16;
/// What is asked of the function: from the first case, the last, beyond both ends, and past both tests in front.
const ASKED: [i32; 6] = [0, 7, CASES - 1, -1, 60, 101];

/// A function of so many calls with 16 numbers of 64 bits, 300 bytes (AArch64) to 450 (RISC-V) each: one instruction of the IR
/// is much code, so that no guess from instructions will do, and a megabyte is compiled in 30 ms. Two conditions of a `&&`
/// lead past all of it, a loop leads back over it, and a switch of 24 cases into it.
fn far_jumps(calls: usize) -> String {
    let mut text = String::from("declare void @putint(i32)\n@at = global ptr @sink\n@sum = global i64 0\n");
    let params: Vec<String> = (0..ARGS).map(|k| format!("i64 %a{k}")).collect();
    let params = params.join(", ");
    text += &format!("define void @sink({params}) {{\n  store i64 %a15, ptr @sum\n  ret void\n}}\n");
    text += "define i32 @f(i32 %x) {\n  %s = load volatile ptr, ptr @at\n  %c = icmp sgt i32 %x, 100\n";
    text += "  br i1 %c, label %past, label %and\nand:\n  %d = icmp sgt i32 %x, 50\n  br i1 %d, label %past, label %loop\n";
    text += "loop:\n  %n = phi i32 [ %x, %and ], [ %m, %back ]\n  %h = phi i32 [ 0, %and ], [ %g, %back ]\n";
    let cases: Vec<String> = (0..CASES).map(|k| format!("i32 {k}, label %b{k}")).collect();
    text += &format!("  switch i32 %n, label %other [ {} ]\n", cases.join(" "));
    let mut number = 1u64;
    for k in 0..CASES {
        let _ = writeln!(text, "b{k}:");
        for _ in 0..calls / CASES as usize {
            text += "  call void %s(";
            for k in 0..ARGS {
                number =
                    number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let _ = write!(text, "{}i64 {}", if k == 0 { "" } else { ", " }, number as i64);
            }
            text += ")\n";
        }
        text += "  br label %back\n";
    }
    let values: Vec<String> = (0..CASES).map(|k| format!("[ {}, %b{k} ]", k * k + 3)).collect();
    text += &format!("other:\n  br label %done\nback:\n  %v = phi i32 {}\n", values.join(", "));
    text += "  %t = mul i32 %h, 31\n  %g = add i32 %t, %v\n  %m = add i32 %n, 1\n";
    text += &format!("  %e = icmp slt i32 %m, {CASES}\n  br i1 %e, label %loop, label %done\n");
    text += "done:\n  %r = phi i32 [ -5, %other ], [ %g, %back ]\n  ret i32 %r\npast:\n  ret i32 -7\n}\n";
    text += "define i32 @main() {\n";
    for (k, x) in ASKED.iter().enumerate() {
        let _ = writeln!(text, "  %r{k} = call i32 @f(i32 {x})\n  call void @putint(i32 %r{k})");
    }
    text + "  ret i32 0\n}\n"
}

/// What that prints.
fn expected() -> String {
    let f = |x: i32| match x {
        51.. => -7,
        0..CASES => (x..CASES).fold(0i32, |h, n| h.wrapping_mul(31).wrapping_add(n * n + 3)),
        _ => -5,
    };
    ASKED.map(|x| f(x).to_string()).concat()
}

fn sysyc(target: &Target, folder: &Path, arguments: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    command.arg(format!("--target={}", target.machine.name)).args(arguments).current_dir(folder);
    run(&mut command, None, folder, LIMIT).expect("it can be run")
}

#[test]
fn jumps_within_a_function_go_as_far_as_they_have_to() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    // Megabytes of code that there are at least, by level. Conditions of ARMv7 reach 32 MB, as its jumps do.
    let ways = [
        (0, 3_000, 1.2, &["-O0", "-O1", "-O2"][..]),
        (0, 10_500, 4.2, &["-O0"]),
        (1, 5_000, 1.2, &["-O0", "-O2"]),
        (1, 15_000, 4.2, &["-O0"]),
        (2, 5_000, 1.2, &["-O0", "-O2"]),
    ];
    for (k, calls, least, levels) in ways {
        fs::write(at.join("x.ll"), far_jumps(calls)).expect("it is writable");
        for level in levels {
            let (target, program) = (&TARGETS[k], at.join("program"));
            let done = sysyc(target, at, &[level, "-o", "program", "x.ll"]);
            assert_eq!(done.ending, Ending::Exit(0), "{} {level}: {}", target.machine.name, done.complaint());
            let bytes = fs::metadata(&program).expect("it is there").len();
            assert!(bytes as f64 > least * f64::from(1 << 20), "{} {level}: {bytes}", target.machine.name);
            let said = target.run(at, &program, "");
            assert_eq!(String::from_utf8_lossy(&said.stdout), expected(), "{} {level}", target.machine.name);
        }
    }
}

#[test]
fn a_function_that_no_jump_can_cross_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("x.ll"), far_jumps(100_000)).expect("it is writable");
    let done = sysyc(&TARGETS[2], folder.path(), &["-O0", "-c", "x.ll"]);
    assert_eq!(done.ending, Ending::Exit(1));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("function 'f': a jump is farther than the machine can go"), "{said}");
}

/// A switch of 24 cases, which lead to two places by blocks of their own: a table, until passes have found that few entries
/// differ; then a tree of comparisons.
fn few_ways() -> String {
    let mut text =
        String::from("declare void @putint(i32)\ndefine i32 @f(i32 %x) {\n  switch i32 %x, label %other [");
    (0..CASES).for_each(|k| _ = write!(text, " i32 {k}, label %b{k}"));
    text += " ]\n";
    for k in 0..CASES {
        let _ = writeln!(text, "b{k}:\n  br label %{}", if k < CASES / 2 { "low" } else { "high" });
    }
    text += "low:\n  call void @putint(i32 7)\n  ret i32 3\nhigh:\n  call void @putint(i32 9)\n  ret i32 4\n";
    text += "other:\n  ret i32 5\n}\ndefine i32 @main() {\n";
    for (k, x) in [0, 11, 12, 23, 24, -1].iter().enumerate() {
        let _ = writeln!(text, "  %r{k} = call i32 @f(i32 {x})\n  call void @putint(i32 %r{k})");
    }
    text + "  ret i32 0\n}\n"
}

#[test]
fn tables_have_lines_and_become_trees_where_few_entries_differ() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    for (k, jump) in ["jr 12(", "br x1", "add pc, pc"].into_iter().enumerate() {
        let target = &TARGETS[k];
        for level in ["-O0", "-O1", "-O2"] {
            for (text, want, is_table) in [
                (far_jumps(48), expected(), true),
                (few_ways(), "73739494".to_string() + "55", level == "-O0"),
            ] {
                fs::write(at.join("x.ll"), text).expect("it is writable");
                let what = format!("{} {level} {want}", target.machine.name);
                for debug in ["-g0", "-g"] {
                    let done = sysyc(target, at, &[level, debug, "-S", "-o", "x.s", "x.ll"]);
                    assert_eq!(done.ending, Ending::Exit(0), "{what}: {}", done.complaint());
                    let assembly = fs::read_to_string(at.join("x.s")).expect("it is there");
                    assert_eq!(assembly.contains(jump), is_table, "{what} {debug}:\n{assembly}");
                    let done = sysyc(target, at, &[level, debug, "-o", "program", "x.ll"]);
                    assert_eq!(done.ending, Ending::Exit(0), "{what}: {}", done.complaint());
                    let said = target.run(at, &at.join("program"), "");
                    assert_eq!(String::from_utf8_lossy(&said.stdout), want, "{what} {debug}");
                }
            }
        }
        // Of our own language: each case has its line behind the table that -O2 makes.
        let cases: String =
            (0..CASES).map(|k| format!("  if (x == {k}) {{ putint({k}); return {}; }}\n", k * k)).collect();
        let source = format!(
            "int f(int x) {{\n{cases}  return -5;\n}}\nint main() {{ putint(f(getint())); return 0; }}\n"
        );
        fs::write(at.join("x.sy"), source).expect("it is writable");
        let done = sysyc(target, at, &["-O2", "-g", "-S", "-o", "x.s", "x.sy"]);
        assert_eq!(done.ending, Ending::Exit(0), "{}", done.complaint());
        let assembly = fs::read_to_string(at.join("x.s")).expect("it is there");
        let has_line = |k: i32| assembly.contains(&format!(".loc 1 {} ", k + 2));
        assert!(assembly.contains(jump) && (0..CASES).all(has_line), "{}:\n{assembly}", target.machine.name);
        let done = sysyc(target, at, &["-O2", "-g", "-o", "program", "x.sy"]);
        assert_eq!(done.ending, Ending::Exit(0), "{}", done.complaint());
        let said = target.run(at, &at.join("program"), "17");
        assert_eq!(String::from_utf8_lossy(&said.stdout), "17289", "{}", target.machine.name);
    }
}

/// Code in front of a gap and behind it, each of which calls the other, and what it uses of data: constants in front of all
/// code, data behind it, and data behind a gap of zeros.
const FRONT: &str = "
@first = global i32 5
@text = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@zeros = global [GAP x i8] zeroinitializer
@last = external global i32
@gap = external global i8
@table = global [3 x ptr] [ptr @last, ptr @near, ptr @gap]
declare i32 @far(i32, ptr)
define i32 @near(i32 %x) {
  %a = load i32, ptr @first
  %b = add i32 %x, %a
  store i32 %b, ptr @first
  ret i32 %b
}
define i32 @main() {
  %z = getelementptr i8, ptr @zeros, i64 LAST
  store volatile i8 9, ptr %z
  %a = call i32 @far(i32 20, ptr @near)
  %b = call i32 @far(i32 1, ptr @near)
  %c = load i32, ptr @last
  %d = add i32 %a, %b
  %e = add i32 %d, %c
  %y = load volatile i8, ptr %z
  %x = zext i8 %y to i32
  %r = add i32 %e, %x
  ret i32 %r
}
";
const BEHIND: &str = "
@last = global i32 0
@text = external constant [4 x i32]
@table = external global [3 x ptr]
declare i32 @near(i32)
define i32 @far(i32 %x, ptr %f) {
  %p = load ptr, ptr @table
  %n = load i32, ptr @last
  %m = add i32 %n, 1
  store i32 %m, ptr %p
  %t = getelementptr [4 x i32], ptr @text, i32 0, i32 %m
  %v = load i32, ptr %t
  %a = call i32 @near(i32 %v)
  %b = call i32 %f(i32 %x)
  %c = add i32 %a, %b
  ret i32 %c
}
";

#[test]
fn calls_and_data_are_reached_over_megabytes() {
    for target in &TARGETS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        for (gap, level) in [(1 << 20, "-O1"), (4 << 20, "-O0"), (130 << 20, "-O2")] {
            let front = FRONT.replace("GAP", &gap.to_string()).replace("LAST", &(gap - 1).to_string());
            fs::write(at.join("front.ll"), front).expect("it is writable");
            fs::write(at.join("behind.ll"), BEHIND).expect("it is writable");
            target.compile(
                at,
                "gap.s",
                &format!(" .section .text.gap,\"ax\"\n .globl gap\ngap: .zero {gap}\n"),
                &[],
            );
            for name in ["front.ll", "behind.ll"] {
                assert_eq!(sysyc(target, at, &[level, "-c", name]).ending, Ending::Exit(0), "{name}");
            }
            let files = ["front.o", "gap.s.o", "behind.o"];
            let done = sysyc(target, at, &[&["-o", "program"][..], &files].concat());
            assert_eq!(done.ending, Ending::Exit(0), "{}", done.complaint());
            let said = target.run(at, &at.join("program"), "");
            // What `near` has returned four times, what `far` has counted, and what has gone to the end of the zeros.
            assert_eq!(
                said.ending,
                Ending::Exit(7 + 27 + 30 + 31 + 2 + 9),
                "{} {level} {gap}",
                target.machine.name
            );
        }
    }
}
