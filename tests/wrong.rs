//! What finds which fault: a program with one fault a row, and what `-fsanitize`, `run --check`, and clang say of it. Ours have to
//! find all that stands here, at each level and in each way that a program is made; of clang's and gcc's it is noted what they
//! found when they were asked (see `THEIRS`).
//!
//! Cost: some hundred programs of a few milliseconds.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used)]

use std::path::Path;
use std::process::{Command, Stdio};

struct Row {
    program: &'static str,
    input: &'static str,
    /// What is said by `-fsanitize=undefined,memory`, behind the name of the file.
    sanitized: &'static str,
    /// What is said by `run --check`, in which place; nothing where the fault is none of SysY's.
    checked: Option<(&'static str, &'static str)>,
    /// What found it of `THEIRS`.
    theirs: &'static str,
}

/// `clang -g -fsanitize=address,undefined,float-cast-overflow` (a) and `-fsanitize=memory` (m), both at -O1, on x86, of clang 19, and
/// gcc 12 with what clang had first (g); the library's source was compiled likewise, and `runtime/sylib.h` included.
const THEIRS: [char; 3] = ['a', 'm', 'g'];

const fn row(
    program: &'static str,
    input: &'static str,
    sanitized: &'static str,
    checked: Option<(&'static str, &'static str)>,
    theirs: &'static str,
) -> Row {
    Row { program, input, sanitized, checked, theirs }
}

#[rustfmt::skip] // a row a fault
const ROWS: [Row; 21] = [
    // Outside of an array.
    row("int main() { int a[5] = {}; int i = getint(); return a[i]; }", "5",
        "1:55: runtime error: index 5 out of bounds for type 'int [5]'", Some(("access out of bounds: element 5 of 'a' (5 elements)", "1:55")), "ag"),
    row("int main() { int a[5] = {}; int i = getint(); a[i] = 1; return a[0]; }", "-1",
        "1:48: runtime error: index -1 out of bounds for type 'int [5]'", Some(("access out of bounds: element -1 of 'a' (5 elements)", "1:52")), "ag"),
    row("int a[5]; int main() { int i = getint(); return a[i]; }", "5",
        "1:50: runtime error: index 5 out of bounds for type 'int [5]'", Some(("access out of bounds: element 5 of 'a' (5 elements)", "1:50")), "ag"),
    row("int a[5]; int main() { int i = getint(); a[i] = 1; return a[0]; }", "-1",
        "1:43: runtime error: index -1 out of bounds for type 'int [5]'", Some(("access out of bounds: element -1 of 'a' (5 elements)", "1:47")), "ag"),
    row("int a[3][4]; int main() { int i = getint(); return a[1][i]; }", "4",
        "1:56: runtime error: index 4 out of bounds for type 'int [4]'", Some(("index 4 is outside of a dimension of 4 of 'a'", "1:56")), "ag"),
    row("int f(int a[], int i) { return a[i]; }\nint main() { int a[5] = {}; return f(a, getint()); }", "5",
        "1:33: runtime error: index 5 out of bounds for 'a', which has length 5", Some(("access out of bounds: element 5 of 'a' (5 elements)", "1:33")), "ag"),
    row("void f(float a[], int i) { a[i] = 1.5; }\nint main() { float a[5] = {}; f(a, getint()); return 0; }", "-2",
        "1:29: runtime error: index -2 out of bounds for 'a', which has length 5", Some(("access out of bounds: element -2 of 'a' (5 elements)", "1:33")), "ag"),
    row("int g[3][4];\nint f(int a[], int i) { return a[i]; }\nint h(int b[][4], int i) { return f(b[1], i); }\nint main() { return h(g, getint()); }", "8",
        "2:33: runtime error: index 8 out of bounds for 'a', which has length 8", Some(("access out of bounds: element 12 of 'g' (12 elements)", "2:33")), "ag"),
    row("int main() { int a[3] = {1, 2, 3}; putarray(getint(), a); return 0; }", "4",
        "1:36: runtime error: 4 elements are put out of an array that has 3 from there on", Some(("putarray is asked for 4 elements of 'a', which has 3", "1:36")), "ag"),
    row("int main() { int a[3]; return getarray(a); }", "4 1 2 3 4",
        "1:31: runtime error: 4 elements are read into an array that has 3 from there on", Some(("getarray reads 4 elements into 'a', which has 3", "1:31")), "amg"),
    // Without a value.
    row("int main() { int x; if (getint() > 5) x = 1; return x + 1; }", "1",
        "1:53: runtime error: use of uninitialized value 'x'\np.sy:1:18: note: 'x' is declared here", Some(("'x' is read, but was never initialised", "1:53")), ""),
    row("int main() { int a[4]; int i = getint(); a[i] = 1; return a[i + 1]; }", "1",
        "1:60: runtime error: use of uninitialized value 'a[2]'\np.sy:1:18: note: 'a' is declared here", Some(("element 2 of 'a' (4 elements) is read, but was never initialised", "1:60")), "m"),
    row("int sum(int a[], int n) { int s = 0, i = 0; while (i < n) { s = s + a[i]; i = i + 1; } return s; }\n\
         int main() { int a[10]; int i = 0; while (i < 9) { a[i] = i; i = i + 1; } return sum(a, getint()); }", "10",
        "1:70: runtime error: use of uninitialized value 'a[9]'\np.sy:1:13: note: 'a' is declared here", Some(("element 9 of 'a' (10 elements) is read, but was never initialised", "1:70")), "m"),
    row("int main() { int a[4]; int n = getarray(a); putarray(n + 1, a); return 0; }", "3 1 2 3",
        "1:45: runtime error: use of uninitialized value: element 3 of the output of 'a'\np.sy:1:18: note: 'a' is declared here",
        Some(("element 3 of 'a' (4 elements) is printed, but was never initialised", "1:45")), "m"),
    row("int f(int n) { if (n > 0) return n; }\nint main() { return f(getint()) + 1; }", "0",
        "2:21: runtime error: use of uninitialized value: 'f' ended without 'return'\np.sy:1:5: note: 'f' is declared here",
        Some(("a value is used that was never initialised", "2:33")), ""),
    // Numbers.
    row("int main() { return 7 / getint(); }", "0", "1:23: runtime error: division by zero", Some(("division by zero", "1:23")), "amg"),
    row("int main() { int x = getint(); return (-2147483647 - 1) / x; }", "-1",
        "1:57: runtime error: division of -2147483648 by -1 cannot be represented in type 'int'", None, "amg"),
    row("int main() { int x = getint(); x = x * x; return x > 0; }", "70000",
        "1:38: runtime error: signed integer overflow: 70000 * 70000 cannot be represented in type 'int'", None, "ag"),
    row("int main() { float f = getint(); int x = f * 1000000; return x > 0; }", "70000",
        "1:38: runtime error: 7e+10 is outside the range of representable values of type 'int'",
        Some(("7e+10 is outside the range of representable values of type 'int'", "1:38")), "ag"),
    row("int main() { float f = getint(); int x = f / f; return x; }", "0",
        "1:38: runtime error: nan is outside the range of representable values of type 'int'",
        Some(("nan is outside the range of representable values of type 'int'", "1:38")), "ag"),
    // No room.
    row("int f(int n) { int a[100]; a[n % 100] = n; return f(n + 1) + a[n % 100]; }\nint main() { return f(getint()); }", "0",
        "1:51: runtime error: stack overflow in a call of 'f'\n    called by 'f', at p.sy:1:51\n    called by", Some(("stack overflow", "1:20")), "ag"),
];

fn sh(folder: &Path, line: &str) -> (String, Option<i32>) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{line} 2>&1 >out")]).current_dir(folder).stdin(Stdio::null());
    let done = command.output().expect("a shell runs");
    (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
}

#[test]
fn each_fault_is_found_and_named() {
    const CHECKS: &str = "-fsanitize=undefined,memory";
    const TARGETS: [(&str, &str); 3] =
        [("riscv64", "qemu-riscv64"), ("aarch64", "qemu-aarch64"), ("armv7", "qemu-arm")];
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let ours = format!("{} -w -fverify", env!("CARGO_BIN_EXE_sysyc"));
    for (number, row) in ROWS.iter().enumerate() {
        std::fs::write(folder.join("p.sy"), row.program).expect("it can be written");
        std::fs::write(folder.join("in"), row.input).expect("it can be written");
        let program = row.program;
        // What is optimised has other calls of itself.
        let levels =
            if row.sanitized.contains("stack overflow") { &["-O0"][..] } else { &["-O0", "-O1", "-O2"] };
        for (k, level) in levels.iter().enumerate() {
            let (target, qemu) = TARGETS[(number + k) % 3];
            let (said, code) =
                sh(folder, &format!("{ours} {level} {CHECKS} --target={target} p.sy -o x && {qemu} x <in"));
            assert!(
                said.starts_with(&format!("p.sy:{}", row.sanitized)),
                "{target} {level}: {program}\n{said}"
            );
            assert_eq!(code, Some(134), "{target} {level}: {program}");
            if !row.sanitized.contains("stack overflow") {
                let (said, code) = sh(folder, &format!("{ours} --run {level} {CHECKS} p.sy <in"));
                assert_eq!(said, format!("p.sy:{}\n", row.sanitized), "--run {level}: {program}");
                assert_eq!(code, Some(134), "--run {level}: {program}");
            }
        }
        let (said, code) = sh(folder, &format!("{ours} --run --check p.sy <in"));
        match row.checked {
            Some((what, place)) => {
                let want = format!("error[trap]: the program stopped: {what}\n --> p.sy:{place}\n");
                assert!(said.starts_with(&want), "--check: {program}\n{said}");
                assert!(said.contains("in the function '"), "--check: {program}\n{said}");
                assert_eq!(code, Some(134), "--check: {program}");
            }
            None => assert_eq!(said, "", "--check: {program}"),
        }
        // What is asked for besides is told likewise.
        let (said, code) = sh(folder, &format!("{ours} --run --check {CHECKS} p.sy <in"));
        assert!(
            said.starts_with("error[trap]: the program stopped: ") && code == Some(134),
            "{program}\n{said}"
        );
        assert!(row.theirs.chars().all(|one| THEIRS.contains(&one)), "{program}");
    }
}

/// The document has the same numbers.
#[test]
fn the_table_is_what_the_language_page_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/language.md");
    let page = std::fs::read_to_string(page).expect("it is there");
    let of = |one: &str| ROWS.iter().filter(|row| row.theirs.contains(one)).count();
    let clang = ROWS.iter().filter(|row| row.theirs.contains(['a', 'm'])).count();
    let checked = ROWS.iter().filter(|row| row.checked.is_some()).count();
    let sentence = format!(
        "Of {} programs with a fault each (`tests/wrong.rs`), `-fsanitize=undefined,memory` finds {0}, `run --check` {checked}, clang 19 with\n\
         AddressSanitizer, UBSan and MemorySanitizer, which take two programs, {clang}, and gcc 12 with the first two {}.",
        ROWS.len(),
        of("g")
    );
    assert!(page.contains(&sentence), "{sentence}");
}

/// Arrays are followed into other sources, where all of a program is compiled at once; objects go with others as before.
#[test]
fn lengths_and_values_go_from_source_to_source() {
    const FIRST: &str =
        "int get(int a[], int i);\nvoid put(int a[], int i, int v);\nint sum(int a[][3], int n);
int main() { int k = getint(); int a[4]; int g[2][3] = {};
    if (k == 1) put(a, 1, 7);
    if (k == 2) put(a, 4, 7);
    if (k == 3) return sum(g, 2);
    if (k == 4) return sum(g, 3);
    return get(a, 1); }\n";
    const SECOND: &str = "int get(int a[], int i) { return a[i]; }
void put(int a[], int i, int v) { a[i] = v; }
int sum(int a[][3], int n) { int s = 1; while (n > 0) { n = n - 1; s = s + get(a[n], 2); } return s; }\n";
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("a.sy"), FIRST).expect("it can be written");
    std::fs::write(folder.join("b.sy"), SECOND).expect("it can be written");
    let ours = format!("{} -w -fverify -fsanitize=undefined,memory", env!("CARGO_BIN_EXE_sysyc"));
    let said = [
        "b.sy:1:35: runtime error: use of uninitialized value 'a[1]'\nb.sy:1:13: note: 'a' is declared here\n",
        "",
        "b.sy:2:36: runtime error: index 4 out of bounds for 'a', which has length 4\n",
        "",
        "b.sy:1:35: runtime error: index 2 out of bounds for 'a', which has length 0\n",
    ];
    let codes = [134, 7, 134, 1, 134];
    let run = |what: &str, command: &str| {
        for (k, (said, code)) in said.into_iter().zip(codes).enumerate() {
            let done = sh(folder, &format!("echo {k} | {command}"));
            assert_eq!(done, (said.to_string(), Some(code)), "{what}: {k}");
        }
    };
    for level in ["-O0", "-O2"] {
        run(level, &format!("{ours} --run {level} a.sy b.sy"));
        assert_eq!(sh(folder, &format!("{ours} {level} a.sy b.sy -o x")).1, Some(0));
        run(level, "qemu-riscv64 x");
    }
    // Compiled apart, what travels with an array would be known to one of both only.
    assert_eq!(
        sh(
            folder,
            &format!("{ours} -c a.sy && {} -c b.sy && {ours} a.o b.o -o x", env!("CARGO_BIN_EXE_sysyc"))
        )
        .1,
        Some(0)
    );
    for (k, code) in [(1, 7), (3, 1)] {
        assert_eq!(sh(folder, &format!("echo {k} | qemu-riscv64 x")), (String::new(), Some(code)));
    }
}
