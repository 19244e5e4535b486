//! What the documents say of faults at run time: each row is a sentence, which has to stand in its document, and
//! commands that show it. The sentences about `-fsanitize` have tests of their own (`tests/sanitize.rs`), and so have
//! those about files that cannot be written (`tests/output.rs`).
//!
//! Commands are a shell's; `$sysyc` is the compiler, `$run x.sy` compiles and runs a program on the row's target, and
//! `x.sy` is the row's program. Cost: some dozens of programs of a few milliseconds.

#![cfg(target_os = "linux")]
// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use std::path::Path;
use std::process::Command;

struct Row {
    document: &'static str,
    sentence: &'static str,
    program: &'static str,
    commands: &'static str,
    /// All that is printed, on either stream; `...` stands for anything.
    said: &'static str,
    code: i32,
}

const LANGUAGE: &str = "docs/language.md";
const RUNTIME: &str = "runtime/README.md";
const READS: &str = "int a[3] = {7, 8, 9};
    int main() { putint(getint()); putch(32); putint(getarray(a)); putint(a[0]); putch(32); putint(getfloat());
    putch(32); putint(getch()); putint(getch()); return 5; }";

#[rustfmt::skip] // a row a fault
const ROWS: &[Row] = &[
    Row { document: "README.md", sentence: "`--run --check` stops at the first index out of bounds,",
        program: "int a[4];\nint f(int k) { return a[k]; }\nint main() { return f(3) + f(4); }", commands: "$sysyc --run --check x.sy", code: 134,
        said: "...access out of bounds: element 4 of 'a' (4 elements)\n --> x.sy:2:24\n...'a' is declared here...in the function 'f'...called by 'main', at x.sy:3:28..." },
    Row { document: "README.md", sentence: "use of an uninitialised variable or other undefined operation, and names the variable, where it is declared, and the calls that led there",
        program: "int f(int k) { int x; if (k) x = 1; return x + 1; }\nint main() { return f(1) + f(0); }", commands: "$sysyc -w --run --check x.sy", code: 134,
        said: "...'x'...--> x.sy:1:44\n...'x' is declared here...called by 'main', at x.sy:2:28..." },
    Row { document: "README.md", sentence: "`--run` gives the program's own code, or 134 if the program did what it may not",
        program: "int main() { return 300; }", commands: "$sysyc --run x.sy", said: "", code: 44 },
    Row { document: "README.md", sentence: "`--run` gives the program's own code, or 134 if the program did what it may not",
        program: "int f(int n) { return f(n + 1) + 1; } int main() { return f(0); }", commands: "$sysyc --run x.sy", said: "...stack overflow...", code: 134 },
    Row { document: LANGUAGE, sentence: "Division by zero is undefined when the program runs, an error where a constant is wanted",
        program: "int main() { return 7 / getint(); }", commands: "$sysyc --run --check x.sy </dev/null", said: "...division by zero\n --> x.sy:1:23\n...", code: 134 },
    Row { document: LANGUAGE, sentence: "Division by zero is undefined when the program runs, an error where a constant is wanted",
        program: "int a[7 / 0]; int main() { return 7; }", commands: "$sysyc --run x.sy", said: "error[...", code: 1 },
    Row { document: LANGUAGE, sentence: "Output is complete when the program ends, however it does.",
        program: "int main() { putint(12345); return 7 / getint(); }", commands: "$sysyc --run --check x.sy 2>/dev/null </dev/null", said: "12345", code: 134 },
    Row { document: LANGUAGE, sentence: "Output is complete when the program ends, however it does.",
        program: "int main() { putint(12345); return 7 / getint(); }", commands: "$run -fsanitize=integer x.sy 2>/dev/null </dev/null", said: "12345", code: 134 },
    Row { document: LANGUAGE, sentence: "At the end of input `getint` and `getfloat` return 0.",
        program: READS, commands: "$sysyc --run x.sy </dev/null", said: "0 07 0 -1-1", code: 5 },
    Row { document: LANGUAGE, sentence: "uses a subscript outside of its dimension",
        program: "int a[3][4]; int main() { int i = 5; return a[1][i]; }", commands: "$sysyc --run --check x.sy", said: "...", code: 134 },
    Row { document: LANGUAGE, sentence: "passes a number to `putarray` that is larger than the array",
        program: "int a[3]; int main() { putarray(4, a); return 0; }", commands: "$sysyc --run --check x.sy", said: "...putarray...'a'...", code: 134 },
    Row { document: LANGUAGE, sentence: "ends by signal 11, which a shell shows as 139, and says nothing",
        program: "int f(int n) { int a[1000000]; a[n % 9] = n; return f(n + 1) + a[n % 8]; } int main() { return f(0); }",
        commands: "$run x.sy 2>&1 | grep x.sy; exit ${PIPESTATUS[0]}", said: "", code: 139 },
    Row { document: RUNTIME, sentence: "`getint` and `getfloat` return 0 (so `getarray` returns 0 and stores nothing); `getch` returns -1",
        program: READS, commands: "$run x.sy </dev/null", said: "0 07 0 -1-1", code: 5 },
    Row { document: RUNTIME, sentence: "At the end of input, or where no number stands,",
        program: READS, commands: "printf 'xy' | $run x.sy", said: "0 07 0 120121", code: 5 },
    Row { document: RUNTIME, sentence: "An integer outside of 32 bits wraps.",
        program: "int main() { putint(getint()); return 0; }", commands: "echo 4294967299 | $run x.sy; echo 4294967299 | $sysyc --run x.sy", said: "33", code: 0 },
    Row { document: RUNTIME, sentence: "output that cannot be written is dropped, and the exit code stays that of `main`",
        program: "int main() { putint(1); return 9; }", commands: "$run x.sy >/dev/full", said: "", code: 9 },
    Row { document: RUNTIME, sentence: "without a pair nothing is printed. A stop without a start is ignored, and a second start restarts the pair",
        program: "int main() { stoptime(); putint(1); return 0; }", commands: "$run x.sy", said: "1", code: 0 },
    Row { document: RUNTIME, sentence: "without a pair nothing is printed. A stop without a start is ignored, and a second start restarts the pair",
        program: "int main() {\nstarttime();\nstarttime();\nstoptime();\nreturn 0; }", commands: "$run x.sy", said: "Timer@0003-0004: ...\nTOTAL: ...\n", code: 0 },
    Row { document: RUNTIME, sentence: "The exit code is the result of `main` modulo 256.",
        program: "int main() { return -1; }", commands: "$run x.sy", said: "", code: 255 },
];

/// True if a text is what is wanted, where `...` stands for anything.
fn fits(text: &str, wanted: &str) -> bool {
    let mut parts = wanted.split("...");
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut is_open = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        is_open = part.is_empty();
    }
    rest.is_empty() || is_open
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn documents_say_what_faults_do() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let targets = [("riscv64", "qemu-riscv64"), ("aarch64", "qemu-aarch64"), ("armv7", "qemu-arm")];
    for (k, row) in ROWS.iter().enumerate() {
        let document = std::fs::read_to_string(root.join(row.document)).expect("it is there");
        let Row { sentence, program, commands, .. } = row;
        assert!(words(&document).contains(&words(sentence)), "{} does not say: {sentence}", row.document);
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join("x.sy"), program).expect("it can be written");
        let (target, qemu) = targets[k % targets.len()];
        let sysyc = env!("CARGO_BIN_EXE_sysyc");
        let run = format!(
            "run() {{ {sysyc} -w --target={target} -o x \"$@\" && {qemu} x; }}; sysyc={sysyc}; run=run"
        );
        let done = Command::new("bash")
            .args(["-c", &format!("{run}; exec 2>&1; {commands}")])
            .current_dir(folder.path())
            .output()
            .expect("bash starts");
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(
            fits(&said, row.said),
            "{sentence}\n{program}\n{commands} ({target}):\n{said}\nnot {}",
            row.said
        );
        assert_eq!(
            done.status.code(),
            Some(row.code),
            "{sentence}\n{program}\n{commands} ({target}):\n{said}"
        );
    }
}

/// The stack that the built-in form makes holds as many frames of a megabyte.
#[test]
fn the_stack_is_as_large_as_the_documents_say() {
    let document =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(RUNTIME)).expect("it is there");
    let sentence = "The built-in form makes its own: 512 MB (256 MB on ARMv7) of address space";
    assert!(words(&document).contains(sentence));
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = "int f(int n) { int a[262144]; a[n % 9] = n; putch(46); return f(n + 1) + a[n % 8]; }
        int main() { return f(0); }";
    std::fs::write(folder.path().join("x.sy"), program).expect("it can be written");
    for (target, qemu, megabytes) in
        [("riscv64", "qemu-riscv64", 512), ("aarch64", "qemu-aarch64", 512), ("armv7", "qemu-arm", 256)]
    {
        let command = format!(
            "\"{}\" -O0 -fsanitize=stack --target={target} x.sy -o x && {qemu} x",
            env!("CARGO_BIN_EXE_sysyc")
        );
        let done = Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output();
        let done = done.expect("sh starts");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(134), "{said}");
        assert!((megabytes - 3..=megabytes).contains(&done.stdout.len()), "{target}: {}", done.stdout.len());
    }
}
