//! The command from outside: exit codes, where output goes, and what is said on the way.

// A helper that fails fails its test, with the message that says what was expected.
#![allow(clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use sysyc::opt::SWITCHES;

pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn sysyc(folder: &Path, line: &str, input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sysyc starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A run that ends early does not read its input; that is not what is tested.
    let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("sysyc ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("messages are UTF-8");
    Run { code: status.code(), out: text(stdout), err: text(stderr) }
}

pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("it can be written");
    }
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("it can be read")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub(crate) const GOOD: &str = "int main() { return 3; }\n";
pub(crate) const BAD: &str = "int main() {\n  return x;\n}\n";

#[test]
fn a_program_with_errors_is_exit_code_1_and_leaves_no_file() {
    let folder = folder(&[("bad.sy", BAD)]);
    for line in
        ["bad.sy", "-S bad.sy", "-c -o x.o bad.sy", "--check bad.sy", "--run bad.sy", "-fsyntax-only bad.sy"]
    {
        let run = sysyc(folder.path(), line, "");
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{line}");
        assert!(run.err.contains("bad.sy:2:10") && run.err.contains("error"), "{line}: {}", run.err);
        assert_eq!(names(folder.path()), ["bad.sy"], "{line}");
    }
}

/// An error outside of functions leaves a program without any: no pass looks at it, and there is nothing that one could remark. It
/// was an internal error, hidden by the error of the program but where remarks were asked for.
#[test]
fn a_program_without_functions_for_an_error_goes_no_farther() {
    let folder = folder(&[("bad.sy", "int g = h;\nint main() { return 0; }\n"), ("open.sy", "int main() {")]);
    for line in ["-O0", "-O1", "-O2", "-O2 -Rpass=.*", "-fsyntax-only", "--run", "-ftime-report"] {
        for name in ["bad.sy", "open.sy"] {
            let run = sysyc(folder.path(), &format!("{line} {name}"), "");
            assert_eq!(run.code, Some(1), "{line} {name}: {}", run.err);
            assert!(run.err.contains(&format!("{name}:1")), "{line} {name}: {}", run.err);
        }
    }
}

#[test]
fn wrong_use_is_exit_code_2() {
    let folder = folder(&[("a.sy", GOOD)]);
    for line in [
        "",
        "-O7 a.sy",
        "--nonsense a.sy",
        "-fnonsense a.sy",
        "-S -c a.sy",
        "-c -o x a.sy a.sy",
        "--target=z80 a.sy",
    ] {
        let run = sysyc(folder.path(), line, "");
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.err.contains("error") && run.out.is_empty(), "{line}: {}", run.err);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = folder(&[]);
    let help = sysyc(folder.path(), "--help", "");
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    for text in ["-O", "--target", "-fverify", "unused-variable", "mem2reg"] {
        assert!(help.out.contains(text), "{text}\n{}", help.out);
    }
    assert!(sysyc(folder.path(), "--version", "").out.starts_with("sysyc "));
}

/// The page lists every option once, examples on top; the manual's page comes from the same rows (`shells.rs`: what
/// shells complete).
#[test]
fn one_table_makes_help_and_manual() {
    let folder = folder(&[]);
    let help = sysyc(folder.path(), "--help", "").out;
    assert!(help.find("Examples:").is_some_and(|at| at < 400), "{help}");
    assert!(help.lines().all(|line| line.len() <= 130), "{help}");
    for option in ["-save-temps", "--error-format=FORM", "-MF FILE", "-fuse-ld=NAME"] {
        assert_eq!(help.matches(&format!("\n  {option} ")).count(), 1, "{option}");
    }
    let manual = sysyc(folder.path(), "--print=man", "").out;
    for text in [".TH SYSYC 1", ".B \\-fuse\\-ld=NAME", ".B \\-fPIC", ".B unused\\-variable"] {
        assert!(manual.contains(text), "{text}");
    }
}

#[test]
fn what_is_shown_is_shown_and_nothing_else_is_done() {
    let folder = folder(&[("a.sy", GOOD)]);
    for (line, text) in [
        ("--version -v", "mimalloc"),
        ("--print=targets", "armv7-linux-gnueabihf"),
        ("--print passes", "mem2reg"),
        ("--print=warnings", "unused-variable (-Wall)"),
        ("--print=config --target=armv7", "armv7"),
        ("-dumpmachine --target aarch64", "aarch64-linux-gnu\n"),
        ("explain undeclared", "Right:\n\n    int"),
        ("explain unused-variable", "On with -Wall; -Wno-unused-variable turns it off"),
        ("--explain=format a.sy", "format"),
    ] {
        let run = sysyc(folder.path(), line, "");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
        assert!(run.out.contains(text), "{line}: {}", run.out);
    }
    let unknown = sysyc(folder.path(), "explain fromat", "");
    assert!(unknown.code == Some(2) && unknown.err.contains("did you mean 'format'"), "{}", unknown.err);
    let dry = sysyc(folder.path(), "-### -O2 -o p a.sy -fuse-ld=gcc -Wl,-z,now --target=armv7", "");
    assert_eq!((dry.code, dry.out.as_str()), (Some(0), ""));
    for text in [
        "\"--target=armv7\" \"-O2\" \"-fuse-ld=gcc\" \"-o\" \"p\" \"a.sy\"",
        "gnueabihf-gcc\"",
        "\"-Wl,-z,now\"",
    ] {
        assert!(dry.err.contains(text), "{text}: {}", dry.err);
    }
    assert_eq!(names(folder.path()), ["a.sy"]);
}

/// Programs are made for each target, and run where something runs them.
#[test]
fn the_doctor_finds_what_is_here() {
    let folder = folder(&[]);
    let run = sysyc(folder.path(), "doctor", "");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    assert_eq!(run.out.matches("is made, and runs").count(), 3, "{}", run.out);
    // Without a path nothing is found, and nothing is broken.
    let bare = Command::new(env!("CARGO_BIN_EXE_sysyc")).arg("doctor").env("PATH", "").output();
    let bare = bare.expect("sysyc starts");
    let out = String::from_utf8_lossy(&bare.stdout);
    assert!(bare.status.success() && out.contains("'qemu-riscv64' is not here"), "{out}");
}

#[test]
fn rules_for_make_and_results_of_stages_stand_beside_the_output() {
    let folder = folder(&[("a b.sy", GOOD), ("bad.sy", BAD), ("c.d.sy", GOOD)]);
    let run = |words: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_sysyc")).args(words).current_dir(folder.path()).output();
        let done = done.expect("sysyc starts");
        assert!(done.stderr.is_empty(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    assert_eq!(run(&["-M", "a b.sy"]), "a\\ b.o: a\\ b.sy\n");
    assert_eq!(run(&["-MM", "-MT", "x", "-MQ", "y$", "a b.sy"]), "x y$$: a\\ b.sy\n");
    run(&["-MD", "-MP", "-c", "a b.sy", "-o", "x.o"]);
    assert_eq!(read("x.d"), "x.o: a\\ b.sy\n");
    run(&["-MMD", "-MF", "deps", "-S", "a b.sy"]);
    assert_eq!(read("deps"), "a\\ b.s: a\\ b.sy\n");
    run(&["-MD", "-c", "c.d.sy"]);
    assert_eq!(read("c.d.d"), "c.d.o: c.d.sy\n");
    assert!(folder.path().join("c.d.o").exists());
    run(&["-MD", "-MF", "all", "-S", "a b.sy", "c.d.sy"]);
    assert_eq!(read("all"), "a\\ b.s: a\\ b.sy\nc.d.s: c.d.sy\n");
    let listed = run(&["-MD", "-S", "c.d.sy", "-o", "-"]);
    assert!(
        listed.contains("main:") && read("c.d.d") == "c.d.s: c.d.sy\n" && !folder.path().join("-.d").exists()
    );
    let none = sysyc(folder.path(), "-M none.sy", "");
    assert!(none.code == Some(1) && none.out.is_empty() && none.err.contains("none.sy"), "{}", none.err);
    // What is wrong has no rule.
    assert_eq!(sysyc(folder.path(), "-MD -c bad.sy", "").code, Some(1));
    assert!(!folder.path().join("bad.d").exists());
    fs::create_dir(folder.path().join("out")).expect("it can be made");
    run(&["-save-temps=obj", "-O1", "a b.sy", "-o", "out/p"]);
    assert!(read("out/a b.ll").contains("ret i32 3") && read("out/a b.s").contains("main:"));
    assert!(folder.path().join("out/a b.o").exists() && folder.path().join("out/p").exists());
    run(&["-save-temps", "-c", "a b.sy", "-o", "out/q.o"]);
    assert!(read("a b.ll").contains("ret i32 3") && !folder.path().join("a b.o").exists());
    // Part of a program: there is no `main`.
    fs::write(folder.path().join("part.sy"), "extern int n; int f() { return n; }")
        .expect("it can be written");
    run(&["-save-temps", "-c", "part.sy"]);
    assert!(read("part.ll").contains("@n = external") && folder.path().join("part.o").exists());
    // Of an object that is IR, that.
    fs::remove_file(folder.path().join("part.ll")).expect("it is there");
    run(&["-save-temps", "-c", "-flto", "part.sy"]);
    assert!(read("part.ll").contains("@n = external") && read("part.o").contains("@n = external"));
}

#[test]
fn what_is_taken_in_another_way_is_said_but_with_w() {
    let folder = folder(&[("a.sy", GOOD)]);
    let said = sysyc(folder.path(), "-Og -pthread -static -c a.sy", "");
    assert_eq!(said.code, Some(0));
    assert!(
        said.err.contains("warning: '-Og' is taken as -O0") && said.err.contains("'-pthread' has no effect")
    );
    assert_eq!(said.err.lines().count(), 2, "{}", said.err);
    assert_eq!(sysyc(folder.path(), "-w -Og -pthread -c a.sy", "").err, "");
    let note = sysyc(folder.path(), "-v a.sy -o p --target=armv7", "");
    assert!(note.err.contains("'p' is for armv7; here: qemu-arm p"), "{}", note.err);
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = folder(&[("a.sy", GOOD)]);
    let run = sysyc(folder.path(), "--check none.sy", "");
    assert!(run.code == Some(1) && run.err.contains("none.sy"), "{}", run.err);
    let run = sysyc(folder.path(), "--emit=ir -o none/x a.sy", "");
    assert!(run.code == Some(1) && run.err.contains("cannot write 'none/x'"), "{}", run.err);
    let run = sysyc(folder.path(), "--emit=ir -o /dev/full a.sy", "");
    assert!(run.code == Some(1) && run.err.contains("/dev/full"), "{}", run.err);
}

#[test]
fn a_program_comes_from_the_standard_input_and_dumps_go_to_the_standard_output() {
    let folder = folder(&[]);
    let run = sysyc(folder.path(), "--emit=ir -O0 -", GOOD);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert_eq!(run.out, "define i32 @main() {\nb0:\n  ret i32 3\n}\n");
    let all = sysyc(folder.path(), "--emit=tree,ir,tokens -O0 -", GOOD).out;
    assert!(all.ends_with(&run.out) && all.contains("FuncDef") && all.contains("IntLiteral"), "{all}");
    let file = sysyc(folder.path(), "--emit=ir -O0 -o x.ll -", GOOD);
    assert_eq!((file.code, file.out.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(folder.path().join("x.ll")).ok(), Some(run.out));
    assert!(sysyc(folder.path(), "--check -", BAD).err.contains("<stdin>:2:10"));
}

#[test]
fn passes_can_be_watched_and_turned_off() {
    let program = "int main() { int a = 1; if (a) a = 2; return a; }\n";
    let folder = folder(&[]);
    let plain = sysyc(folder.path(), "--emit=ir -O1 -", program);
    let off = sysyc(folder.path(), "--emit=ir -O1 -fdisable-pass=mem2reg -", program);
    assert!(!plain.out.contains("alloca") && off.out.contains("alloca"), "{}\n{}", plain.out, off.out);
    let watched = sysyc(folder.path(), "--emit=ir -O1 -fprint-before=mem2reg -fverify -", program);
    assert!(watched.out == plain.out && watched.err.contains("; before mem2reg on main"), "{}", watched.err);
    let timed = sysyc(folder.path(), "--emit=ir -O1 -ftime-report -", program).err;
    assert!(timed.contains("parse") && timed.contains("mem2reg"), "{timed}");
    let timed = sysyc(
        folder.path(),
        "-S -o x.s -O1 -ftime-report=json -ftime-trace=t.json -ftime-trace-granularity=0 -",
        program,
    );
    let report: serde_json::Value = serde_json::from_str(&timed.err).expect("a document");
    let phases = report["phases"].as_array().expect("a list");
    let parse = phases.iter().find(|row| row["name"] == "parse").expect("there is one");
    assert_eq!((&parse["calls"], &parse["in"]["unit"]), (&1.into(), &"tokens".into()), "{report}");
    let trace = fs::read_to_string(folder.path().join("t.json")).expect("it was written");
    let events: serde_json::Value = serde_json::from_str(&trace).expect("a document");
    let all = events.as_array().expect("a list");
    let number = |event: &serde_json::Value, key: &str| event[key].as_f64().unwrap_or_default();
    let span = |event: &serde_json::Value| (number(event, "ts"), number(event, "ts") + number(event, "dur"));
    let of = |name: &str| all.iter().filter(|event| event["name"] == name).map(span).collect::<Vec<_>>();
    let holds = |outer: &str, inner: &str| {
        of(inner).iter().all(|b| of(outer).iter().any(|a| a.0 <= b.0 && b.1 <= a.1 + 0.002))
    };
    assert!(
        of("mem2reg").len() == 1 && holds("main", "mem2reg") && holds("batch: functions", "main"),
        "{trace}"
    );
    assert_eq!(sysyc(folder.path(), "-ftime-trace-granularity=x -", program).code, Some(2));
    assert_eq!(sysyc(folder.path(), "--emit=ir -fstop-after=mem2rag -", program).code, Some(2));
}

/// A program with something for each pass that has a switch.
const LOOPS: &str = "
    int a[100], b[100], m[20][30], g;
    int square(int x) { return x * x; }
    int sum(int n, int s) { if (n == 0) return s; return sum(n - 1, s + n); }
    int main() {
        int n = getint(), i = 0, s = 0;
        while (i < n) { a[i] = 0; i = i + 1; }
        i = 1;
        while (i < n) { a[i] = a[i - 1] + square(i); g = g + a[i] % 7; i = i + 1; }
        i = 0;
        while (i < n) { if (n > 50) b[i] = a[i] * n; else b[i] = i; s = s + b[i]; i = i + 1; }
        int j = 0;
        while (j < 20) {
            int k = 0;
            while (k < 30) { m[j][k] = j * k + a[k]; k = k + 1; }
            j = j + 1;
        }
        int r = 0;
        while (r < 5) { s = s + r * m[r][r + 1]; r = r + 1; }
        putint(s + sum(n, 0) + g);
        return 0;
    }";

#[test]
fn each_switch_turns_its_passes_off_and_on_again_and_the_program_stays_right() {
    let folder = folder(&[("a.sy", LOOPS)]);
    let plain = sysyc(folder.path(), "--run -O2 a.sy", "60");
    assert_eq!((plain.code, plain.err.as_str()), (Some(0), ""));
    for row in SWITCHES {
        let (on, off) = (format!("-f{}", row.name), format!("-fno-{}", row.name));
        let prints: Vec<String> = row.passes.iter().map(|pass| format!("-fprint-after={pass}")).collect();
        // What passes are asked to print shows which have run.
        for (words, run) in [(format!("{on} {off}"), false), (format!("{off} {on}"), true)] {
            let line = format!("--run -O2 -fverify {words} {} a.sy", prints.join(" "));
            let done = sysyc(folder.path(), &line, "60");
            assert_eq!((done.code, &done.out), (plain.code, &plain.out), "{words}: {}", done.err);
            assert!(!done.err.contains("has no effect"), "{words}: {}", done.err);
            for pass in row.passes {
                assert_eq!(done.err.contains(&format!("; after {pass} on main")), run, "{words}: {pass}");
            }
        }
        // Where nothing does that anyway, it is said.
        let none = sysyc(folder.path(), &format!("-c -O1 -o a.o {on} a.sy"), "");
        let said = format!("'{on}' has no effect at -O1: -O2 does that");
        assert!(none.code == Some(0) && none.err.contains(&said), "{}", none.err);
    }
    assert_eq!(sysyc(folder.path(), "-c -O1 -o a.o -fno-unroll-loops a.sy", "").err, "");
    for (word, said) in [
        ("-fno-unrol-loops", "no option '-fno-unrol-loops' (did you mean '-fno-unroll-loops'?)"),
        ("-fivopt", "no option '-fivopt' (did you mean '-fivopts'?)"),
        ("-fno-unroll-loops=2", "no option '-fno-unroll-loops=2'"),
        ("-fno-", "no option '-fno-'"),
        ("-f", "no option '-f'"),
        ("-fverify=1", "'-fverify' takes no value"),
    ] {
        let run = sysyc(folder.path(), &format!("-c {word} a.sy"), "");
        assert!(run.code == Some(2) && run.err.contains(said), "{word}: {}", run.err);
    }
    let help = sysyc(folder.path(), "--help", "").out;
    assert!(
        SWITCHES
            .iter()
            .all(|row| help.contains(&format!("  {} ", row.name))
                || help.contains(&format!("  {}\n", row.name))),
        "{help}"
    );
}

#[test]
fn run_executes_the_program_with_its_input_and_its_exit_code() {
    let program = "int main() { int n = getint(); putf(\"%d\\n\", n * 2); return n; }\n";
    let folder = folder(&[("a.sy", program)]);
    for level in ["-O0", "-O1"] {
        let run = sysyc(folder.path(), &format!("{level} --run a.sy"), "300\n");
        assert_eq!((run.code, run.out.as_str()), (Some(300 % 256), "600\n"), "{}", run.err);
    }
    let endless = "int f(int n) { int a[100000]; a[n % 9] = n; return f(n + 1) + a[0]; }\nint main() { return f(0); }\n";
    let trapped = sysyc(folder.path(), "-O0 --run -", endless);
    assert_eq!((trapped.code, trapped.out.as_str()), (Some(134), ""), "{}", trapped.err);
    assert!(trapped.err.contains("<stdin>:1:") && trapped.err.contains("function 'f'"), "{}", trapped.err);
    assert!(trapped.err.contains("  = note: called by 'f', at <stdin>:1:"), "{}", trapped.err);
    let undefined = "int main() { int a[2] = {1}; int k = 2; return a[k]; }\n";
    let checked = sysyc(folder.path(), "--run --check -", undefined);
    assert_eq!(checked.code, Some(134), "{}", checked.err);
    assert!(checked.err.contains("<stdin>:1:") && checked.err.contains('^'), "{}", checked.err);
}

/// The variable that it is about, and the calls that led there.
#[test]
fn a_checked_program_that_stops_is_told_of_with_names_and_calls() {
    let folder = folder(&[]);
    let told = |program: &str| {
        let run = sysyc(folder.path(), "--run --check -", program);
        assert_eq!(run.code, Some(134), "{}", run.err);
        run.err
    };
    let deep = "int g[2][3];
int deep(int n) {
    int x;
    if (n == 0) return g[1][n + 3];
    x = deep(n - 1);
    return x;
}
int main() { return deep(12); }
";
    let want = "error[trap]: the program stopped: index 3 is outside of a dimension of 3 of 'g'
 --> <stdin>:4:28
  |
1 | int g[2][3];
  |     - 'g' is declared here
...
4 |     if (n == 0) return g[1][n + 3];
  |                            ^
  |
  = note: in the function 'deep'
";
    let calls = "  = note: called by 'deep', at <stdin>:5:9\n".repeat(10);
    let said = told(deep);
    assert!(said.starts_with(&format!("{want}{calls}  = note: ... 3 more calls\n")), "{said}");

    let unset = "int f(int p[]) {
    int total;
    if (p[0] > 5) total = 1;
    return total + p[1];
}
int main() {
    int a[4] = {1, 2, 3, 4};
    return f(a);
}
";
    let want = "error[trap]: the program stopped: 'total' is read, but was never initialised
 --> <stdin>:4:12
  |
2 |     int total;
  |         ----- 'total' is declared here
3 |     if (p[0] > 5) total = 1;
4 |     return total + p[1];
  |            ^
  |
  = note: in the function 'f'
  = note: called by 'main', at <stdin>:8:12
";
    let said = told(unset);
    assert!(said.starts_with(want), "{said}");

    let first = |program: &str| told(program).lines().next().unwrap_or_default().to_string();
    for (statements, message) in [
        ("putarray(10, a);", "putarray is asked for 10 elements of 'a', which has 4"),
        ("putarray(3, b[1]);", "putarray is asked for 3 elements of 'b', which has 2 from element 2 on"),
        (
            "int c[4]; c[0] = 1; putarray(2, c);",
            "element 1 of 'c' (4 elements) is printed, but was never initialised",
        ),
        ("int k = -1; a[k] = 2;", "access out of bounds: element -1 of 'a' (4 elements)"),
        ("int k = 3; return b[k][0];", "access out of bounds: element 6 of 'b' (4 elements)"),
        ("int k = 0; return 7 / k;", "division by zero"),
    ] {
        let program = format!("int b[2][2];\nint main() {{ int a[4] = {{1}}; {statements} return 0; }}\n");
        assert_eq!(first(&program), format!("error[trap]: the program stopped: {message}"), "{statements}");
    }
    let input = folder.path().join("a.sy");
    fs::write(input, "int a[2];\nint main() { return getarray(a); }\n").expect("it can be written");
    let said = sysyc(folder.path(), "--run --check a.sy", "3 1 2 3").err;
    assert!(said.contains(": getarray reads 3 elements into 'a', which has 2\n"), "{said}");
}

/// What reads a program's output may end first, as `head` does; then the program ends, and nothing is wrong
/// with it.
#[test]
fn a_closed_pipe_ends_a_program_quietly() {
    let folder = folder(&[("a.sy", "int main() { while (1) putint(12345678); return 0; }\n")]);
    for check in ["", "--check"] {
        let line = format!(
            "{} --run {check} a.sy | head -c 100; echo \" ${{PIPESTATUS[0]}}\"",
            env!("CARGO_BIN_EXE_sysyc")
        );
        let done = Command::new("bash").args(["-c", &line]).current_dir(folder.path()).output();
        let done = done.expect("bash starts");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "");
        let out = String::from_utf8_lossy(&done.stdout);
        assert!(out.starts_with("1234567812345678") && out.ends_with(" 141\n"), "{out}");
    }
}

/// The stack of a program under `--run` is as large as calls make it, checked or not, and ends where it may
/// not grow.
#[cfg(target_os = "linux")]
#[test]
fn a_small_program_takes_little_memory() {
    let folder = folder(&[("a.sy", GOOD)]);
    for check in ["", " --check"] {
        let line = format!("ulimit -v 150000; exec {} --run{check} a.sy", env!("CARGO_BIN_EXE_sysyc"));
        let done = Command::new("bash").args(["-c", &line]).current_dir(folder.path()).output();
        let done = done.expect("bash starts");
        assert_eq!(done.status.code(), Some(3), "{check}: {}", String::from_utf8_lossy(&done.stderr));
    }
    let deep = "int f(int n) { int a[1000]; a[n] = n; if (n == 0) return 0; return f(n - 1) + a[n]; }\n\
                int main() { return f(999) % 256 + f(1) * 0 + f(999) % 256; }\n";
    for check in ["", " --check"] {
        let run = sysyc(folder.path(), &format!("-O0 --run{check} -"), deep);
        assert_eq!(run.code, Some(88), "2 * 499,500 modulo 256, {check}: {}", run.err);
    }
}

#[test]
fn assembly_goes_where_it_is_asked_to_for_every_target_and_any_number_of_workers() {
    let other = "int f(int n) { return n + 1; }\nint main() { return f(3); }\n";
    let folder = folder(&[("a.sy", GOOD), ("b.sy", other)]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    for target in ["riscv64", "aarch64", "armv7"] {
        let run = sysyc(folder.path(), &format!("-S a.sy b.sy --target={target}"), "");
        assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""), "{target}");
        assert!(read("a.s").contains("main:") && !read("a.s").contains("f:") && read("b.s").contains("f:"));
        let contest = sysyc(folder.path(), &format!("-S -o t.s b.sy -O1 -j8 --target {target}"), "");
        assert_eq!((contest.code, read("t.s")), (Some(0), read("b.s")), "{target}: {}", contest.err);
        let stdout = sysyc(folder.path(), &format!("-S -o - b.sy --target {target}"), "");
        assert_eq!((stdout.code, stdout.out), (Some(0), read("b.s")), "{target}");
        let dump = sysyc(folder.path(), &format!("--emit=asm b.sy --target {target}"), "");
        assert_eq!((dump.code, dump.out), (Some(0), read("b.s")), "{target}");
    }
    assert_eq!(names(folder.path()), ["a.s", "a.sy", "b.s", "b.sy", "t.s"]);
}

#[test]
fn ir_in_text_is_an_input_like_any_other() {
    let program = "int f(int n) { return n * 2; }\nint main() { putint(f(getint())); return 4; }\n";
    let folder = folder(&[("a.sy", program), ("bad.ll", "define i32 @main() {\n  ret i33 0\n}\n")]);
    assert_eq!(sysyc(folder.path(), "-O0 --emit=ir -o a.ll a.sy", "").code, Some(0));
    let run = sysyc(folder.path(), "-O1 --run a.ll", "21");
    assert_eq!((run.code, run.out.as_str()), (Some(4), "42"), "{}", run.err);
    let (ll, sy) = (sysyc(folder.path(), "-S -o - a.ll", ""), sysyc(folder.path(), "-S -o - a.sy", ""));
    assert_eq!((ll.code, ll.out), (Some(0), sy.out), "{}", ll.err);
    let bad = sysyc(folder.path(), "--run bad.ll", "");
    assert!(bad.code == Some(1) && bad.err.contains("bad.ll:2:"), "{}", bad.err);
}

#[test]
fn symbols_and_debug_information_can_be_left_out_of_a_program() {
    let folder = folder(&[("t.sy", GOOD)]);
    for target in ["riscv64", "aarch64", "armv7"] {
        for ld in ["", "-fuse-ld=gcc"] {
            let sizes = ["", "-g", "-s", "-g -s"].map(|flags| {
                let run = sysyc(folder.path(), &format!("t.sy {flags} {ld} -o p --target {target}"), "");
                assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{flags} {ld}");
                fs::metadata(folder.path().join("p")).expect("it is there").len()
            });
            assert!(
                sizes[2] < sizes[0] && sizes[0] < sizes[1] && sizes[3] == sizes[2],
                "{target} {ld} {sizes:?}"
            );
        }
    }
}

/// Arrays that nothing writes, and what is passed to a function that only reads, take no room if they are
/// zeros.
#[test]
fn zeros_that_are_never_written_do_not_fill_the_file() {
    let text = "int a[20000000]; int b[20000000];\n\
        int sum(int p[], int n) { if (n < 0) return 0; return p[n] + sum(p, n - getint()) + getint(); }\n\
        int main() { putarray(2, b); return a[getint()] + sum(b, getint()); }\n";
    let folder = folder(&[("t.sy", text)]);
    for kind in ["-c -o p", "-S -o p", "-o p"] {
        for level in ["-O1", "-O2"] {
            let run = sysyc(folder.path(), &format!("t.sy {level} {kind}"), "");
            assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{level} {kind}");
            let bytes = fs::metadata(folder.path().join("p")).expect("it is there").len();
            assert!(bytes < 100_000, "{level} {kind}: {bytes}");
        }
        let run = sysyc(folder.path(), "t.sy -O2 --run", "7\n3\n1\n2\n5\n1\n9\n8\n2\n");
        assert_eq!((run.out.as_str(), run.err.as_str()), ("2: 0 0\n", ""));
    }
}

/// The user's own library in C, and its functions declared in IR, which is the language that can: as an
/// object, in an archive, and by `-l`. With any linker, and whether or not there is anything of ours to link
/// with.
#[test]
fn objects_archives_and_libraries_are_linked() {
    let c = "extern void putint(int); void twice(int n) { putint(n * 2); }";
    let main = "extern void twice(int); int main(void) { twice(4); return 5; }";
    let ll =
        "declare void @twice(i32)\ndefine i32 @main() {\nb0:\n  call void @twice(i32 21)\n  ret i32 3\n}\n";
    let sy = "int main() { int a[2] = {7, 7}; float f = 0.5; putfloat(f); putch(32); \
              putf(\"%d %f\\n\", a[0], f); putarray(2, a); return a[1]; }";
    let over_libc = "int puts(const char *); int nobody(void) { return puts(\"\"); }";
    let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/runtime");
    for (target, tools, qemu) in [
        ("riscv64", "riscv64-linux-gnu", "qemu-riscv64"),
        ("aarch64", "aarch64-linux-gnu", "qemu-aarch64"),
        ("armv7", "arm-linux-gnueabihf", "qemu-arm"),
    ] {
        let folder = folder(&[("t.c", c), ("m.c", main), ("p.ll", ll), ("s.sy", sy), ("c.c", over_libc)]);
        fs::create_dir(folder.path().join("lib")).expect("it can be made");
        let build = format!(
            "{tools}-gcc -O1 -c -ffreestanding t.c m.c c.c && {tools}-ar rcs t.a t.o && cp t.a lib/libtwice.a"
        );
        let built = Command::new("sh").args(["-c", &build]).current_dir(folder.path()).status();
        assert!(built.expect("sh starts").success(), "{build}");
        for (line, out, code) in [
            ("p.ll t.o", "42", 3),
            ("t.a p.ll -fuse-ld=gcc", "42", 3),
            ("-Llib -ltwice p.ll -fuse-ld=bfd", "42", 3),
            ("-L none -L lib p.ll -l twice", "42", 3),
            ("m.o t.a", "8", 5),
            ("m.o t.o -fuse-ld=gcc", "8", 5),
        ] {
            let line = format!("{line} --target={target} -o p");
            let run = sysyc(folder.path(), &line, "");
            assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""), "{line}");
            let done = Command::new(qemu).arg(folder.path().join("p")).output().expect("qemu starts");
            let said = String::from_utf8_lossy(&done.stdout);
            assert_eq!((said.as_ref(), done.status.code()), (out, Some(code)), "{line}");
        }
        // Over the target's C library, where programs start in C's own way: the contest's library is such a
        // one.
        let build = format!("{tools}-gcc -O2 -c {runtime}/sylib.c && {tools}-ar rcs lib/libsysy.a sylib.o");
        let built = Command::new("sh").args(["-c", &build]).current_dir(folder.path()).status();
        assert!(built.expect("sh starts").success(), "{build}");
        for line in ["s.sy lib/libsysy.a", "s.sy -Llib -lsysy -O0", "s.sy -O0"] {
            let line = format!("{line} --target={target} -o p");
            let run = sysyc(folder.path(), &line, "");
            assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "", ""), "{line}");
            let done = Command::new(qemu).arg(folder.path().join("p")).output().expect("qemu starts");
            let said = String::from_utf8_lossy(&done.stdout);
            assert_eq!(
                (said.as_ref(), done.status.code()),
                ("0x1p-1 7 0.500000\n2: 7 7\n", Some(7)),
                "{line}"
            );
        }
        let both = sysyc(folder.path(), &format!("s.sy c.o --target={target} -o q"), "");
        assert!(both.code == Some(1) && both.err.contains("-lsysy"), "{}", both.err);
        for line in ["p.ll", "p.ll none.o", "p.ll -lnone", "t.o", "p.ll t.o -fuse-ld=no-such-linker"] {
            let run = sysyc(folder.path(), &format!("{line} --target={target} -o q"), "");
            assert!(run.code == Some(1) && run.err.contains("error"), "{line} {target}: {}", run.err);
            assert!(!folder.path().join("q").exists(), "{line} {target}");
        }
    }
}

#[test]
fn several_sources_make_one_program() {
    const FIRST: &str =
        "extern int count; int next(int); int main() { count += next(3); putint(count); return 0; }\n";
    const SECOND: &str = "int count = 4; int next(int k) { count++; return k * count; }\n";
    let folder = folder(&[
        ("a.sy", FIRST),
        ("b.sy", SECOND),
        ("c.sy", "int main() { return next(1); }\n"),
        ("d.sy", "int other() { return 1; }\n"),
    ]);
    let path = folder.path();
    assert_eq!(sysyc(path, "a.sy b.sy -o x", "").code, Some(0));
    assert_eq!(sysyc(path, "-c a.sy b.sy", "").code, Some(0));
    assert_eq!(sysyc(path, "a.o b.o -o y", "").code, Some(0));
    assert_eq!(sysyc(path, "a.sy b.o -o z", "").code, Some(0));
    for line in [
        ("b.sy d.sy -o x", "no function 'main' in b.sy, d.sy"),
        ("a.sy d.sy -o x", "a.sy: 'count' is declared and used, and no source defines it"),
        ("a.sy b.sy c.sy d.sy -o x", "if another source defines it, declare it: 'int next(...);'"),
        ("a.sy b.sy a.sy -o x", "'main' is defined here and in"),
        ("a.sy -o x", "nothing defines 'next', which is declared here and used"),
        ("d.sy -o x", "the program has no function 'main'"),
    ] {
        let run = sysyc(path, line.0, "");
        assert!(run.code == Some(1) && run.err.contains(line.1), "{}: {}", line.0, run.err);
    }
    // What need not be anywhere is not missing.
    const WEAK: &str = "@w = extern_weak global i32\ndeclare extern_weak i32 @f()
        define i32 @main() {\n %c = icmp eq ptr @w, @f\n %r = zext i1 %c to i32\n ret i32 %r\n}\n";
    fs::write(path.join("w.ll"), WEAK).expect("written");
    let run = sysyc(path, "w.ll d.sy -o x", "");
    assert_eq!(run.code, Some(0), "{}", run.err);
    // Only what is asked for is seen by others: a whole program shows `main`.
    let seen = |name: &str| {
        let bytes = fs::read(path.join(name)).expect("it is there");
        let symbols =
            Command::new("riscv64-linux-gnu-nm").arg("-g").arg(path.join(name)).output().expect("nm runs");
        assert!(!bytes.is_empty());
        String::from_utf8_lossy(&symbols.stdout).lines().filter(|line| !line.contains(" U ")).count()
    };
    assert_eq!((seen("a.o"), seen("b.o")), (1, 2));
    fs::write(path.join("e.sy"), "int n; int memcpy() { return n; } int main() { return memcpy(); }")
        .expect("written");
    assert_eq!(sysyc(path, "-c e.sy", "").code, Some(0));
    assert_eq!(seen("e.o"), 1);
    fs::write(path.join("f.sy"), "extern int n; int n = 1; int f() { return n; } int main() { return f(); }")
        .expect("written");
    assert_eq!(sysyc(path, "-c f.sy", "").code, Some(0));
    assert_eq!(seen("f.o"), 2);
}
