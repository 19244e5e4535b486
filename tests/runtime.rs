//! The built-in runtime library: linked without libc and run on every target, and its source, which is C as well, compared
//! with glibc's `scanf` and `printf`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use sysyc::driver::runtime;
use sysyc::object::elf;
use sysyc::target::features::default_of;
use sysyc::target::{TARGETS, Target};

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn tool(target: &Target, name: &str) -> String {
    format!("{}-{name}", target.gcc.trim_end_matches("-gcc"))
}

fn emulator(target: &Target) -> &'static str {
    match target.name {
        "riscv64" => "qemu-riscv64",
        "aarch64" => "qemu-aarch64",
        _ => "qemu-arm",
    }
}

/// Links a program with what it needs of the library, by GNU ld and without libc; returns the executable.
fn link(folder: &Path, target: &'static Target, source: &str, as_text: bool) -> PathBuf {
    let place = |name: &str| folder.join(format!("{}.{name}", target.name));
    std::fs::write(place("sy"), source).unwrap();
    let sysyc = env!("CARGO_BIN_EXE_sysyc");
    run(Command::new(sysyc).args(["-c", "--target", target.name, "-o"]).args([place("o"), place("sy")]));
    let undefined = run(Command::new(tool(target, "nm")).args(["-u", "-j"]).arg(place("o"))).stdout;
    let undefined = String::from_utf8(undefined).unwrap();
    let names = undefined.lines().chain(["_start"]);
    let library = runtime::build(target, default_of(target), names).unwrap();
    if as_text {
        std::fs::write(place("lib.s"), runtime::assembly(&library, target)).unwrap();
        run(Command::new(tool(target, "gcc")).arg("-c").args([place("lib.s")]).arg("-o").arg(place("lib.o")));
    } else {
        let object = runtime::object(&library, target).unwrap();
        std::fs::write(place("lib.o"), elf::write(&object).unwrap()).unwrap();
    }
    let mut ld = Command::new(tool(target, "ld"));
    run(ld.args(["-static", "-nostdlib", "-o"]).args([place("exe"), place("o"), place("lib.o")]));
    place("exe")
}

fn execute(target: &Target, program: &Path, input: &str) -> Output {
    let mut child = Command::new(emulator(target));
    let folder = program.parent().unwrap();
    std::fs::write(folder.join("in"), input).unwrap();
    let file = std::fs::File::open(folder.join("in")).unwrap();
    child.arg(program).stdin(Stdio::from(file)).output().unwrap()
}

const PROGRAM: &str = r#"
float f[5];
int deep(int n) {
    int room[4096];
    room[n % 4096] = n;
    if (n == 0) return room[0];
    return deep(n - 1) + room[n % 4096] - n;
}
int main() {
    int a[100] = {1, 2, 3};
    int n = getarray(a);
    putarray(n, a);
    putint(-2147483647 - 1); putch(10);
    float x = getfloat();
    putfloat(x); putch(10);
    int m = getfarray(f);
    putfarray(m, f);
    putf("%d|%5d|%-5d|%05x|%c|%f|%.3e|%g|%a|%8.2f|%%|%u\n", 1, 2, 3, 4, 65, x, f[0], f[1], f[2], 2.5, -1);
    putf("%d %f %d %f %d %f %d %f %d %f %d %f %d %f %d %f %d %f %d %f\n", 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5,
        7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5);
    starttime();
    putint(deep(3000)); putch(10);
    stoptime();
    int b[1000];
    int i = 0;
    while (i < 1000) { b[i] = i; i = i + 1; }
    int c[1000] = {7};
    putint(c[0] + c[999] + b[999] / (n + 1) + b[998] % (n + 2)); putch(10);
    return 300;
}
"#;

#[test]
fn the_library_runs_on_every_target_without_libc() {
    let folder = tempfile::tempdir().unwrap();
    let input = " 3  -5 +6 2147483648 0x1.8p1 4 1e-45 -0.1 1e39 nan ";
    for &target in TARGETS {
        for as_text in [false, true] {
            let program = link(folder.path(), target, PROGRAM, as_text);
            let output = execute(target, &program, input);
            let text = String::from_utf8_lossy(&output.stdout);
            let expected = "3: -5 6 -2147483648\n-2147483648\n0x1.8p+1\n\
                4: 0x1p-149 -0x1.99999ap-4 inf nan\n\
                1|    2|3    |00004|A|3.000000|1.401e-45|-0.1|inf|    2.50|%|4294967295\n\
                1 1.500000 2 2.500000 3 3.500000 4 4.500000 5 5.500000 6 6.500000 7 7.500000 8 8.500000 9 9.500000 10 10.500000\n\
                0\n259\n";
            assert_eq!(text, expected, "{}", target.name);
            assert_eq!(output.status.code(), Some(300 & 255), "{}", target.name);
            let errors = String::from_utf8_lossy(&output.stderr);
            let lines: Vec<&str> = errors.lines().collect();
            assert!(lines.len() == 2 && lines[1].starts_with("TOTAL: 0H-0M-"), "{errors}");
            assert!(lines[0].starts_with("Timer@0021-0023: 0H-0M-"), "{errors}");
        }
    }
}

/// The files that are C as well, in an order in which names are declared before they are used.
const SOURCES: [&str; 6] =
    ["output.sy", "integer_output.sy", "float_output.sy", "format.sy", "input.sy", "float_input.sy"];

/// `SYSYC_RUNTIME_CASES` says how many random cases of each kind (5,000), `SYSYC_RUNTIME_SEED` which ones (1).
#[test]
fn floats_are_read_and_printed_as_glibc_does_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The constants of ARMv7: the harness passes arguments of putf as it does.
    let mut source =
        TARGETS.iter().find(|target| target.name == "armv7").unwrap().stubs.constants.to_string();
    for name in SOURCES {
        source.push_str(&std::fs::read_to_string(root.join("runtime").join(name)).unwrap());
    }
    std::fs::write(place("library.c"), source).unwrap();
    let tests = root.join("tests/runtime");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu99", "-O2", "-w", "-fwrapv", "-ffp-contract=off", "-fsingle-precision-constant"]);
    gcc.args(["-fno-builtin", "-fno-strict-aliasing", "-include"]).arg(tests.join("intrinsics.h"));
    run(gcc.arg("-c").arg(place("library.c")).arg("-o").arg(place("library.o")));
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-o"]).args([place("compare"), tests.join("compare.c"), place("library.o")]);
    run(gcc.arg("-lm"));
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or(default.to_string());
    let mut compare = Command::new(place("compare"));
    compare.args([setting("SYSYC_RUNTIME_CASES", "5000"), setting("SYSYC_RUNTIME_SEED", "1")]);
    let output = compare.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains(" cases compared, 0 different"), "{text}");
}
