//! `-fsanitize`: programs that stop at the first operation that goes wrong, by every way a program is made: in the
//! interpreter, by our linker, and by another one with the library over C's; at every level, on every target.

#![allow(clippy::panic, clippy::expect_used)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

const TARGETS: [(&str, &str, &str); 3] = [
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "arm-linux-gnueabihf-gcc", "qemu-arm"),
];
const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

/// A fault for each number that it reads.
const PROGRAM: &str = "int grid[3][4];
const int powers[3] = {1, 1000, 1000000};
int factorial(int n) { if (n <= 1) return 1; return n * factorial(n - 1); }
float half(float a[][3], int i, int j) { return a[i][j] / 2; }
int rows(int a[][4], int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i][3]; return s; }
int main() {
    int a[10];
    int k = getint(), i = 0, least = -2147483648;
    while (i < 10) { a[i] = i; i += 1; }
    putf(\"%d %f\\n\", a[3], 0.5);
    if (k == 0) a[i] = 1;
    if (k == 1) return 2147483637 + i + k;
    if (k == 2) return factorial(20);
    if (k == 3) return -2147483647 - k;
    if (k == 4) return k / (i - 10);
    if (k == 5) return k % (i - 10);
    if (k == 6) return -least;
    if (k == 7) return least / (k - 8);
    if (k == 8) return grid[k - 8][k - 4];
    if (k == 9) return grid[k - 6][0];
    if (k == 10) { float f = 1e10; i = f * k; return i; }
    if (k == 11) { float b[2][3] = {}; half(b, 0, -k); }
    if (k == 12) return k * 1000000 * 3000;
    if (k == 13) { least += k; least -= 14; }
    if (k == 14) return least % (13 - k);
    if (k == 15) { i = 2147483640; while (i > 0) i++; }
    if (k == 16) return powers[k - 15] * powers[2] * 10;
    if (k == 17) return powers[1] * powers[2] * 10;
    if (k == 18) { i = 2147483647; return i * i; }
    if (k == 19) return a[-1];
    // Nothing is wrong with what follows, but that nothing is known of the first dimension of a parameter.
    if (k == 20) return rows(grid, 3) + rows(grid[3], 0) + a[9] + (least + 5) / 3 - grid[2][3] * k;
    return 0;
}
";

/// What is said for each number, behind the name of the file.
const SAID: [&str; 20] = [
    "11:18: runtime error: index 10 out of bounds for type 'int [10]'",
    "12:39: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
    "3:55: runtime error: signed integer overflow: 13 * 479001600 cannot be represented in type 'int'",
    "14:36: runtime error: signed integer overflow: -2147483647 - 3 cannot be represented in type 'int'",
    "15:26: runtime error: division by zero",
    "16:26: runtime error: division by zero",
    "17:24: runtime error: negation of -2147483648 cannot be represented in type 'int'",
    "18:30: runtime error: division of -2147483648 by -1 cannot be represented in type 'int'",
    "19:35: runtime error: index 4 out of bounds for type 'int [4]'",
    "20:28: runtime error: index 3 out of bounds for type 'int [3][4]'",
    "21:38: runtime error: 1e+11 is outside the range of representable values of type 'int'",
    "4:53: runtime error: index -11 out of bounds for type 'float [3]'",
    "23:37: runtime error: signed integer overflow: 12000000 * 3000 cannot be represented in type 'int'",
    "24:38: runtime error: signed integer overflow: -2147483635 - 14 cannot be represented in type 'int'",
    "25:31: runtime error: division of -2147483648 by -1 cannot be represented in type 'int'",
    "26:51: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
    "27:52: runtime error: signed integer overflow: 1000000000 * 10 cannot be represented in type 'int'",
    "28:47: runtime error: signed integer overflow: 1000000000 * 10 cannot be represented in type 'int'",
    "29:45: runtime error: signed integer overflow: 2147483647 * 2147483647 cannot be represented in type 'int'",
    "30:26: runtime error: index -1 out of bounds for type 'int [10]'",
];

fn execute(folder: &Path, command: &mut Command, input: usize) -> Output {
    std::fs::write(folder.join("in"), format!("{input}\n")).expect("it can be written");
    let file = std::fs::File::open(folder.join("in")).expect("it is there");
    command.current_dir(folder).stdin(Stdio::from(file));
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn make(folder: &Path, command: &mut Command) {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&done.stderr));
}

fn sysyc(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    command.args(["-w", "-fverify"]).args(args);
    command
}

/// Compares what a program does for each number.
fn compare(folder: &Path, what: &str, command: impl Fn() -> Command) {
    for k in 0..=SAID.len() {
        let done = execute(folder, &mut command(), k);
        let (said, code) = match SAID.get(k) {
            Some(said) => (format!("p.sy:{said}\n"), 134),
            None => (String::new(), 96),
        };
        let have = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(have, ["3 0.500000\n".to_string(), said], "{what}: {k}");
        assert_eq!(done.status.code(), Some(code), "{what}: {k}");
    }
}

#[test]
fn programs_stop_at_what_is_wrong_and_say_so() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("p.sy"), PROGRAM).expect("it can be written");
    const CHECKS: &str = "-fsanitize=bounds,integer,float-cast-overflow";
    for level in LEVELS {
        compare(folder, level, || sysyc(&["--run", level, CHECKS, "p.sy"]));
        let file = format!("--emit=ir=p{level}.ll");
        make(folder, &mut sysyc(&[level, CHECKS, &file, "p.sy"]));
    }
    // There it is told as all else that stops a program.
    for (k, said) in SAID.into_iter().enumerate() {
        let done = execute(folder, &mut sysyc(&["--run", "--check", CHECKS, "p.sy"]), k);
        let (place, what) = said.split_once(": runtime error: ").expect("a place and a fault");
        let text = String::from_utf8_lossy(&done.stderr);
        let stopped = format!("error[trap]: the program stopped: {what}\n");
        assert!(text.starts_with(&stopped) && text.contains(&format!("--> p.sy:{place}\n")), "{k}: {text}");
        assert!(text.contains("in the function '") && !text.contains("sysy."), "checked {k}: {text}");
        assert_eq!(
            (done.stdout.as_slice(), done.status.code()),
            (b"3 0.500000\n".as_slice(), Some(134)),
            "{k}"
        );
    }
    compare(folder, "text", || sysyc(&["--run", "p-O1.ll"]));
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/sylib.c");
    for (target, gcc, qemu) in TARGETS {
        make(folder, Command::new(gcc).args(["-O1", "-w", "-c", "-o", "library.o"]).arg(&library));
        let target = format!("--target={target}");
        for level in LEVELS {
            let ours = |more: &[&str]| make(folder, sysyc(&[level, &target, CHECKS]).args(more));
            let run = |program: &str| {
                compare(folder, &format!("{target} {level} {program}"), || {
                    let mut command = Command::new(qemu);
                    command.arg(program);
                    command
                });
            };
            ours(&["p.sy", "-o", "alone"]);
            run("alone");
            ours(&["-S", "p.sy", "-o", "p.s"]);
            make(folder, Command::new(gcc).args(["-static", "-o", "assembled", "p.s", "library.o"]));
            run("assembled");
            ours(&["-c", "-g", "p.sy", "-o", "p.o"]);
            ours(&["p.o", "-o", "linked"]);
            run("linked");
            if level == "-O1" {
                ours(&["p.o", "library.o", "-o", "linked"]);
                run("linked");
                ours(&["p-O0.ll", "-o", "text"]);
                run("text");
            }
        }
    }
}

/// What was printed comes before what is said, where both go to one place; and nothing that was printed is lost.
#[test]
fn output_comes_first() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let program = "int main() { int i = 0; while (i < 20000) { putint(i); putch(10); i = i + 1; } return i / (i - 20000); }";
    std::fs::write(folder.join("p.sy"), program).expect("it can be written");
    let mut expected: String = (0..20000).map(|k| format!("{k}\n")).collect();
    expected += "p.sy:1:89: runtime error: division by zero\n";
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/sylib.c");
    let check = |command: &str| {
        let done = execute(folder, Command::new("sh").args(["-c", &format!("{command} 2>&1")]), 0);
        assert!(String::from_utf8_lossy(&done.stdout) == expected, "{command}");
        assert_eq!(done.status.code(), Some(134), "{command}");
    };
    for (target, gcc, qemu) in TARGETS {
        let target = format!("--target={target}");
        make(folder, &mut sysyc(&[&target, "-fsanitize=integer", "p.sy", "-o", "alone"]));
        check(&format!("{qemu} alone"));
        make(folder, &mut sysyc(&[&target, "-fsanitize=integer", "-c", "p.sy"]));
        make(folder, Command::new(gcc).args(["-static", "-w", "-o", "with-c", "p.o"]).arg(&library));
        check(&format!("{qemu} with-c"));
    }
    check(&format!("{} -fsanitize=integer --run p.sy", env!("CARGO_BIN_EXE_sysyc")));
}

/// Functions of a program may have the names of those that checks call, and several sources their own checks.
#[test]
fn names_of_programs_stay_theirs() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let main = "int dprintf(int x) { return x + 1; } int fflush(int x) { return x * 2; }
        int next(int x); int main() { putint(fflush(dprintf(getint()))); return next(2147483646); }";
    let part = "int _Exit(int x) { return x - 2147483600; } int next(int x) { return _Exit(x + getint()); }";
    std::fs::write(folder.join("p.sy"), main).expect("it can be written");
    std::fs::write(folder.join("q.sy"), part).expect("it can be written");
    for (target, _, qemu) in TARGETS {
        for level in LEVELS {
            let target = format!("--target={target}");
            make(folder, &mut sysyc(&[level, &target, "-fsanitize=undefined", "p.sy", "q.sy", "-o", "p"]));
            for (input, out, error, code) in [
                ("20 1", "42", "", 47),
                ("2 2", "6", "q.sy:1:78: runtime error: signed integer overflow: 2147483646 + 2", 134),
                (
                    "2147483647 0",
                    "",
                    "p.sy:1:31: runtime error: signed integer overflow: 2147483647 + 1",
                    134,
                ),
            ] {
                let done = Command::new("sh")
                    .args(["-c", &format!("echo {input} | {qemu} p")])
                    .current_dir(folder)
                    .output()
                    .expect("it runs");
                assert_eq!(String::from_utf8_lossy(&done.stdout), out, "{target} {level} {input}");
                assert!(String::from_utf8_lossy(&done.stderr).starts_with(error), "{target} {level} {input}");
                assert_eq!(done.status.code(), Some(code), "{target} {level} {input}");
            }
        }
    }
}

/// What passes arrays on, and what has no value.
const PASSED: &str = "int g[3][4]; const int c[3] = {1, 2, 3};
int sum(int x[], int n) { int s = 0, i = 0; while (i <= n) { s = s + x[i]; i = i + 1; } return s; }
int deep(int x[][4], int n, int y[]) { return sum(x[n], 3) + y[n] + sum(y, n); }
float put(float v[], int i) { v[i] = 1.5; return v[i]; }
int value(int k) {
    int x, y;
    if (k > 20) x = 1;
    while (k > 21) { int z; if (k == 23) z = 2; y = x; k -= 1; if (k == 21) return y + z; }
    x += 1;
    return x;
}
int main() {
    int k = getint(); int a[5] = {}; float f[2][3]; const int d[2] = {4, 5};
    if (k == 0) return sum(a, 5);
    if (k == 1) return sum(g[2], 4);
    if (k == 2) return deep(g, 3, a);
    if (k == 3) return sum(d, 2) + sum(c, 2);
    if (k == 4) put(f[1], 3);
    if (k == 5) { putarray(5, a); putarray(6, a); }
    if (k == 6) return getarray(a) + a[0];
    if (k == 7) return getfarray(f[1]);
    if (k == 8) putarray(5, g[2]);
    if (k == 9) return sum(a, -1) + deep(g, 2, a) + deep(g, 1, c) + sum(g[0], 11) + put(f[0], 5);
    if (k == 10) return sum(g[3], 0);
    if (k >= 20) return value(k);
    return 7;
}
";

/// Lengths travel with arrays, and values are known to be there: at every level, and in the interpreter.
#[test]
fn arrays_that_are_passed_have_lengths_and_variables_values() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("p.sy"), PASSED).expect("it can be written");
    let rows: [(&str, &str, &str, i32); 18] = [
        ("0", "", "2:71: runtime error: index 5 out of bounds for 'x', which has length 5", 134),
        ("1", "", "2:71: runtime error: index 4 out of bounds for 'x', which has length 4", 134),
        ("2", "", "2:71: runtime error: index 0 out of bounds for 'x', which has length 0", 134),
        ("3", "", "2:71: runtime error: index 2 out of bounds for 'x', which has length 2", 134),
        ("4", "", "4:32: runtime error: index 3 out of bounds for 'v', which has length 3", 134),
        (
            "5",
            "5: 0 0 0 0 0\n",
            "19:35: runtime error: 6 elements are put out of an array that has 5 from there on",
            134,
        ),
        ("6 5 1 2 3 4 5", "", "", 6),
        (
            "6 6 1 2 3 4 5 6",
            "",
            "20:24: runtime error: 6 elements are read into an array that has 5 from there on",
            134,
        ),
        ("7 3 1 2 3", "", "", 3),
        (
            "7 4 1 2 3 4",
            "",
            "21:24: runtime error: 4 elements are read into an array that has 3 from there on",
            134,
        ),
        ("8", "", "22:17: runtime error: 5 elements are put out of an array that has 4 from there on", 134),
        ("9", "", "", 6),
        ("10", "", "2:71: runtime error: index 0 out of bounds for 'x', which has length 0", 134),
        ("11", "", "", 7),
        (
            "20",
            "",
            "9:7: runtime error: use of uninitialized value 'x'\np.sy:6:9: note: 'x' is declared here",
            134,
        ),
        ("21", "", "", 2),
        (
            "22",
            "",
            "8:88: runtime error: use of uninitialized value 'z'\np.sy:8:26: note: 'z' is declared here",
            134,
        ),
        (
            "23",
            "",
            "8:88: runtime error: use of uninitialized value 'z'\np.sy:8:26: note: 'z' is declared here",
            134,
        ),
    ];
    let compare = |what: &str, command: &str| {
        for (input, out, said, code) in rows {
            let line = format!("echo {input} | {command}");
            let done = Command::new("sh").args(["-c", &line]).current_dir(folder).output().expect("it runs");
            let have = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
            let said = if said.is_empty() { String::new() } else { format!("p.sy:{said}\n") };
            assert_eq!((have, done.status.code()), ([out.to_string(), said], Some(code)), "{what} {input}");
        }
    };
    const CHECKS: &str = "-fsanitize=bounds,memory";
    for level in LEVELS {
        let ours = env!("CARGO_BIN_EXE_sysyc");
        compare(level, &format!("{ours} -w -fverify {level} {CHECKS} --run p.sy"));
        for (target, _, qemu) in TARGETS {
            let target = format!("--target={target}");
            make(folder, &mut sysyc(&[level, &target, CHECKS, "p.sy", "-o", "p"]));
            compare(&format!("{target} {level}"), &format!("{qemu} p"));
        }
    }
    // A function that others may call has no more parameters than it is written with.
    let [caller, callee] = [
        "int sum(int x[], int n); int main() { int a[2] = {3, 4}; return sum(a, 1); }",
        "int sum(int x[], int n) { return x[n] + x[0]; }",
    ];
    std::fs::write(folder.join("q.sy"), caller).expect("it can be written");
    std::fs::write(folder.join("r.sy"), callee).expect("it can be written");
    make(folder, &mut sysyc(&["-O0", "-c", CHECKS, "r.sy", "-o", "r.o"]));
    make(folder, &mut sysyc(&["-O0", "q.sy", "r.o", "-o", "q"]));
    assert_eq!(execute(folder, Command::new("qemu-riscv64").arg("q"), 0).status.code(), Some(7));
}

/// Calls in circles, of small and of large frames; and ones that are deep and come to an end.
const DEEP: &str = "int depth; int other(int n);
int small(int n) { depth = n; if (n == -1) return 0; return small(n + 1) + depth % 2; }
int large(int n) { int a[1000000]; a[n % 10] = n; if (n == -1) return 0; return other(n + 1) + a[n % 10]; }
int other(int n) { return large(n) + 1; }
int ends(int n) { if (n <= 0) return 0; return ends(n - 1) + 1 - depth; }
int main() {
    int n = getint();
    putint(n);
    if (n == 0) return small(1);
    if (n == 1) return large(1);
    return ends(n) == n;
}
";

/// What the stack has no room for is said with the call, on every target, with our stack and with the C library's; what it has room for
/// works. Without the check the program ends by a signal.
#[test]
fn calls_without_room_say_so() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("p.sy"), DEEP).expect("it can be written");
    let own = |size: usize| {
        format!(
            "int main() {{ int n = getint(), a[{size}]; a[n * 1000] = n; putint(a[n * 1000]); return n + 1; }}\n"
        )
    };
    for (name, size) in [("q.sy", 140_000_000), ("r.sy", 1_000_000)] {
        std::fs::write(folder.join(name), own(size)).expect("it can be written");
    }
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/sylib.c");
    let (small, large) = (
        "p.sy:2:61: runtime error: stack overflow in a call of 'small'\n",
        "p.sy:4:27: runtime error: stack overflow in a call of 'large'\n",
    );
    for (target, gcc, qemu) in TARGETS {
        make(folder, Command::new(gcc).args(["-O1", "-w", "-c", "-o", "library.o"]).arg(&library));
        let target = format!("--target={target}");
        for level in ["-O0", "-O2"] {
            let run = |program: &str, input: usize, said: &str, code: i32| {
                let command = format!("{qemu} {program}; exit $?");
                let done = execute(folder, Command::new("sh").args(["-c", &command]), input);
                let have = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
                let what = format!("{target} {level} {program} {input}");
                if code == 139 {
                    // Nothing of the program's comes out.
                    assert!(!have.concat().contains("p.sy"), "{what}: {have:?}");
                } else {
                    let [out, error] = have;
                    assert_eq!(out, input.to_string(), "{what}");
                    let called = error.strip_prefix(said).unwrap_or("-");
                    // The calls that led there, from the innermost on.
                    let by = if input == 1 {
                        "    called by 'large', at p.sy:3:81\n    called by '"
                    } else {
                        "    called by 'small', at p.sy:2:61\n"
                    };
                    let is_all =
                        called.ends_with("    ...\n") || called.contains("    called by 'main', at p.sy:");
                    let is_told = called.starts_with(by) && is_all;
                    assert!(if said.is_empty() { called.is_empty() } else { is_told }, "{what}: {error}");
                }
                assert_eq!(done.status.code(), Some(code), "{what}");
            };
            make(folder, &mut sysyc(&[level, &target, "-fsanitize=stack", "p.sy", "-o", "alone"]));
            // With small frames all of it has to be touched, which takes time.
            if target.ends_with("armv7") {
                run("alone", 0, small, 134);
            }
            run("alone", 1, large, 134);
            run("alone", 1_000_000, "", 1);
            make(folder, &mut sysyc(&[level, &target, "-fsanitize=stack", "-c", "p.sy", "-o", "p.o"]));
            make(folder, Command::new(gcc).args(["-static", "-o", "with-c", "p.o", "library.o"]));
            run("with-c", 0, small, 134);
            run("with-c", 1, large, 134);
            run("with-c", 50_000, "", 1);
            make(folder, &mut sysyc(&[level, &target, "p.sy", "-o", "alone"]));
            run("alone", 1, "", 139);
            // Nothing calls `main` of the source but what looks first.
            let own = |input: usize, program: &str, out: &str, said: &str, code: i32| {
                let command = format!("{qemu} {program}; exit $?");
                let done = execute(folder, Command::new("sh").args(["-c", &command]), input);
                let have = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
                assert_eq!(
                    (have, done.status.code()),
                    ([out.to_string(), said.to_string()], Some(code)),
                    "{target} {level} {program}"
                );
            };
            let variables = "q.sy: runtime error: stack overflow in the variables of 'main'\n";
            make(folder, &mut sysyc(&[level, &target, "-fsanitize=stack", "q.sy", "-o", "alone"]));
            own(3, "alone", "", variables, 134);
            make(folder, &mut sysyc(&[level, &target, "-fsanitize=stack", "r.sy", "-o", "alone"]));
            own(3, "alone", "3", "", 4);
            make(folder, &mut sysyc(&[level, &target, "-fsanitize=stack", "-c", "q.sy", "-o", "q.o"]));
            make(folder, Command::new(gcc).args(["-static", "-o", "with-c", "q.o", "library.o"]));
            own(3, "with-c", "", variables, 134);
        }
    }
}

/// What stops in the interpreter names place, function and calls: calls without end, variables that are too large, and
/// input that is longer than its array, which only `--check` finds.
#[test]
fn the_interpreter_names_the_call() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let circle = "int g(int n); int f(int n) { return g(n) + 1; } int g(int n) { return f(n + 1) * 2; }
        int main() { return f(0); }";
    let frame = "int f(int n) { int a[100000000]; a[n] = 1; return a[n]; }\nint main() { return f(f(1)); }";
    let input = "int a[2]; int f(int p[]) { return getarray(p); }\nint main() { return f(a); }";
    let globals =
        "int a[500000000]; int b[500000000]; int c[500000000]; int main() { return a[1] + b[1] + c[1]; }";
    let overflow = "error[trap]: the program stopped: stack overflow";
    let rows: [(&str, &[&str], &[&str]); 6] = [
        (circle, &["--run"], &[overflow, "in the function '", "called by 'f', at p.sy:1:37", "more calls"]),
        (
            circle,
            &["--run", "--check"],
            &[overflow, "in the function '", "called by 'g', at p.sy:1:71", "more calls"],
        ),
        (
            frame,
            &["--run", "--check"],
            &[overflow, "p.sy:1:20", "in the function 'f'", "called by 'main', at p.sy:2:23"],
        ),
        (
            input,
            &["--run", "--check"],
            &[
                "getarray reads 5 elements into 'a', which has 2",
                "p.sy:1:35",
                "called by 'main', at p.sy:2:21",
            ],
        ),
        (globals, &["--run"], &["the program's memory does not fit: globals and stack take too many bytes"]),
        (globals, &["--run", "--check"], &["the program's memory does not fit"]),
    ];
    for (program, how, said) in rows {
        std::fs::write(folder.join("p.sy"), program).expect("it can be written");
        let done = execute(folder, sysyc(how).arg("p.sy"), 5);
        let text = String::from_utf8_lossy(&done.stderr);
        assert!(said.iter().all(|part| text.contains(part)), "{program} {how:?}: {text}");
        assert_eq!(done.status.code(), Some(134), "{program} {how:?}: {text}");
    }
}

/// A loop whose counter stays below the length needs no check at -O2, and a program that needs none has none.
#[test]
fn what_is_proven_is_not_checked() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let program = "const int n = 1000; int a[n];
        int main() { int m = getint(); if (m > n) m = n; int i = 0;
        while (i < m) { a[i] = i / 7 + a[i] % 1000; i = i + 1; } putarray(m, a); return 0; }";
    std::fs::write(folder.join("p.sy"), program).expect("it can be written");
    let text = |checks: &str| {
        make(folder, &mut sysyc(&["-O2", "--emit=ir=p.ll", checks, "p.sy"]));
        std::fs::read_to_string(folder.join("p.ll")).expect("it is there")
    };
    let checked = text("-fsanitize=undefined");
    assert!(!checked.contains("define internal void @sysy.fault"), "{checked}");
    assert!(!checked.contains("call void @sysy.fault"), "{checked}");
}
