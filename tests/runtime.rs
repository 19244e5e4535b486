//! The built-in runtime library: linked without libc and run on every target, and its source, which is C as
//! well, compared with glibc's `scanf` and `printf`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use sysyc::isa::features::default_of;
use sysyc::isa::{TARGETS, Target};
use sysyc::object::elf;
use sysyc::sysy::runtime;

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
    link_object(folder, target, as_text)
}

/// The same of an object, `<target>.o` in the folder.
fn link_object(folder: &Path, target: &'static Target, as_text: bool) -> PathBuf {
    let place = |name: &str| folder.join(format!("{}.{name}", target.name));
    let undefined = run(Command::new(tool(target, "nm")).args(["-u", "-j"]).arg(place("o"))).stdout;
    let undefined = String::from_utf8(undefined).unwrap();
    let names = undefined.lines().chain(["_start"]);
    if as_text {
        let text = runtime::assembly(target, default_of(target), names).unwrap();
        std::fs::write(place("lib.s"), text).unwrap();
        run(Command::new(tool(target, "gcc")).arg("-c").args([place("lib.s")]).arg("-o").arg(place("lib.o")));
    } else {
        let object = runtime::object(target, default_of(target), names, (true, false)).unwrap();
        std::fs::write(place("lib.o"), elf::write(object).unwrap()).unwrap();
    }
    let mut ld = Command::new(tool(target, "ld"));
    run(ld.args(["-static", "-nostdlib", "--no-relax", "-o"]).args([
        place("exe"),
        place("o"),
        place("lib.o"),
    ]));
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
    putint(deep(12000)); putch(10);
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

/// Symbols as `nm` prints them: a letter, upper case for what other objects see, and the name.
fn symbols(target: &Target, object: &Path) -> Vec<(char, String)> {
    let text = run(Command::new(tool(target, "nm")).args(["--defined-only"]).arg(object)).stdout;
    let row = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        Some((words.next()?.chars().next()?, words.next()?.to_string()))
    };
    String::from_utf8(text)
        .unwrap()
        .lines()
        .filter_map(row)
        .filter(|(_, name)| !name.starts_with('$'))
        .collect()
}

#[test]
fn a_program_gets_what_it_uses_and_sees_what_it_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lib.o");
    for &target in TARGETS {
        let names = ["_start", "putint", "unknown", "main"];
        let object = runtime::object(target, default_of(target), names.into_iter(), (true, false)).unwrap();
        let text = object.section(".text").map(|section| object.sections[section].size);
        assert!(text.is_some_and(|bytes| bytes < 1000), "{}: {text:?} bytes of code", target.name);
        std::fs::write(&file, elf::write(object).unwrap()).unwrap();
        for (kind, name) in symbols(target, &file) {
            let is_wanted = ["_start", "putint"].contains(&name.as_str());
            assert_eq!(kind.is_ascii_uppercase(), is_wanted, "{}: {kind} {name}", target.name);
            assert!(is_wanted || name.starts_with("sysy."), "{}: {name}", target.name);
        }
        // What the ABI and the code generators call comes with nothing else.
        for name in ["memset", "memcpy", "putf", "getfarray", "_sysy_stoptime", "__aeabi_idivmod"] {
            assert_eq!(runtime::defines(target, name), !name.starts_with("__") || target.name == "armv7");
        }
        assert!(!runtime::defines(target, "sysy.start") && !runtime::defines(target, "flush_output"));
    }
}

/// What stands at random in the input and the formats of the next test.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// The interpreter has a library of its own: the same bytes from the same input.
#[test]
fn the_interpreter_reads_and_prints_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(1);
    let mut source =
        String::from("int main() {\n    int k = 0;\n    while (k < 3000) {\n        putfloat(getfloat());\n");
    source.push_str("        putch(32); putint(getch()); putch(10);\n        k = k + 1;\n    }\n");
    for _ in 0..300 {
        let mut format = String::new();
        let mut args = String::new();
        for _ in 0..random.below(4) {
            format.push_str(random.pick(&["-", "+", " ", "#", "0"]));
        }
        match random.below(4) {
            0 => {
                format.push('*');
                args.push_str(random.pick(&[", 12", ", -9", ", 0"]));
            }
            1 => format.push_str(random.pick(&["1", "15", "30"])),
            _ => {}
        }
        match random.below(4) {
            0 => {
                format.push_str(".*");
                args.push_str(random.pick(&[", 3", ", -1", ", 0"]));
            }
            1 => format.push_str(random.pick(&[".", ".0", ".1", ".7", ".40"])),
            _ => {}
        }
        if random.below(2) == 0 {
            format.push_str(random.pick(&["d", "i", "u", "x", "X", "o", "c"]));
            args.push_str(random.pick(&[", 0", ", 7", ", -1", ", 65", ", 123456", ", -2147483647"]));
        } else {
            format.push_str(random.pick(&["f", "F", "e", "E", "g", "G", "a", "A"]));
            args.push_str(random.pick(&[
                ", 0.0",
                ", 1.5",
                ", -0.1",
                ", 1e10",
                ", 3e-40",
                ", 999999.5",
                ", 0.00012345",
                ", 1e38 * 10",
            ]));
        }
        source.push_str(&format!("    putf(\"|%{format}|\\n\"{args});\n"));
    }
    source.push_str("    return 0;\n}\n");
    let words = [
        "inf ",
        "nan ",
        "infinity ",
        "0x",
        "1e",
        "-",
        "0x.",
        "1e+",
        ".e1",
        "INFIN",
        "iNfInItY",
        "nax",
        "-nan",
        "0x1p",
        "0x1p-3",
        "-0x. ",
        "+.",
        "-inf",
        "1.5",
        "12345678901234567890",
        "e",
        "p",
        " ",
        " ",
        ".",
        "x",
        "7",
        "0",
        "a",
        "-0 ",
        "1e-45 ",
        "1e99 ",
        "0x1.000001p0 ",
        "16777217 ",
        "3.4028235677973366e38 ",
        "7.006492321624085e-46 ",
        "-",
        "in",
        "na",
        "0000.1000e-2",
    ];
    let input: String = (0..4000).map(|_| random.pick(&words)).collect();
    std::fs::write(folder.path().join("in"), &input).unwrap();
    std::fs::write(folder.path().join("x.sy"), &source).unwrap();
    let mut interpreter = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let file = std::fs::File::open(folder.path().join("in")).unwrap();
    let expected =
        run(interpreter.args(["--run", "-w"]).arg(folder.path().join("x.sy")).stdin(Stdio::from(file)))
            .stdout;
    for &target in TARGETS {
        let program = link(folder.path(), target, &source, false);
        let found = execute(target, &program, &input).stdout;
        let (a, b) = (String::from_utf8_lossy(&expected), String::from_utf8_lossy(&found));
        for (k, (a, b)) in a.lines().zip(b.lines()).enumerate() {
            assert_eq!(a, b, "line {} of {}: interpreter and library", k + 1, target.name);
        }
        assert_eq!(expected.len(), found.len(), "{}", target.name);
    }
}

/// Sizes, contents and addresses of all kinds, by a program that checks what it sees.
const MEMORY: &str = "
int a[5000];
int check(int from[], int n, int value) {
    int i = 0;
    while (i < n) { if (from[i] != value) return 0; i = i + 1; }
    return 1;
}
int zeros(int n) {
    int big[300] = {1};
    int small[7] = {2, 3};
    int i = 0;
    while (i < 300) { if (big[i] != (i == 0)) return 0; big[i] = n; i = i + 1; }
    if (small[0] != 2 || small[1] != 3) return 0;
    return check(big, 300, n);
}
int divide(int x, int y) {
    int q = x / y;
    int r = x % y;
    if (q * y + r != x) return 0;
    if (r != 0 && (r < 0) != (x < 0)) return 0;
    if (r < 0) r = -r;
    if (y < 0) { if (y == -2147483647 - 1) return r >= 0; y = -y; }
    return r < y;
}
int main() {
    int values[12] = {0, 1, -1, 2, -2, 3, 7, 10, -1000, 65536, 2147483647, -2147483647 - 1};
    int i = 0;
    int bad = 0;
    while (i < 12) {
        int j = 1;
        while (j < 12) {
            if (!(values[i] == -2147483647 - 1 && values[j] == -1)) {
                if (!divide(values[i], values[j])) { putint(values[i]); putch(47); putint(values[j]); putch(10); bad = 1; }
            }
            j = j + 1;
        }
        i = i + 1;
    }
    if (!zeros(5) || !zeros(-1)) bad = bad + 2;
    i = 0;
    while (i < 20000) { putint(i * 7); putch(32); i = i + 1; }
    return bad;
}
";

#[test]
fn memory_and_quotients_of_the_stubs_are_right() {
    let folder = tempfile::tempdir().unwrap();
    for &target in TARGETS {
        let program = link(folder.path(), target, MEMORY, false);
        let output = execute(target, &program, "");
        let expected: String = (0..20000).map(|i| format!("{} ", i * 7)).collect();
        assert!(output.stdout == expected.as_bytes(), "{}", target.name);
        assert_eq!(output.status.code(), Some(0), "{}", target.name);
    }
}

/// What a C compiler's objects ask of the library: doubles that are no floats, and memory of any size and
/// alignment.
const C_PROGRAM: &str = r#"
void putf(char *format, ...);
void putint(int x);
void *memset(void *to, int byte, unsigned long n);
void *memcpy(void *to, const void *from, unsigned long n);
static unsigned char a[400], b[400];
int main(void) {
    for (int at = 0; at < 9; at++)
        for (int from = 0; from < 9; from++)
            for (int n = 0; n < 200; n += n < 40 ? 1 : 13) {
                for (int k = 0; k < 400; k++) a[k] = k, b[k] = 3 * k;
                if (memset(a + at, 0x1ff & n, n) != a + at) return 1;
                for (int k = 0; k < 400; k++)
                    if (a[k] != (unsigned char)(k >= at && k < at + n ? n : k)) return 2;
                if (memcpy(a + at, b + from, n) != a + at) return 3;
                for (int k = 0; k < 400; k++)
                    if (a[k] != (unsigned char)(k >= at && k < at + n ? 3 * (k - at + from) : k)) return 4;
            }
    putf("%d %.15f %d %.3e %d %g %d %d %d %a %.1f %f %f %f %f %f %d %f\n", 1, 0.1, 2, 1e300, 3, 1e-5, 4, 5, 6, 5e-324, 0.25,
        1.0, 2.0, 3.0, 4.0, 5.0, 7, 6.0);
    putint(-5);
    return 0;
}
"#;

#[test]
fn objects_of_a_c_compiler_find_what_they_need() {
    let folder = tempfile::tempdir().unwrap();
    for &target in TARGETS {
        let place = |name: &str| folder.path().join(format!("{}.{name}", target.name));
        std::fs::write(place("c"), C_PROGRAM).unwrap();
        let mut gcc = Command::new(tool(target, "gcc"));
        gcc.args(
            ["-O1", "-ffreestanding", "-fno-builtin", "-fno-pic", "-marm"]
                .iter()
                .take(if target.name == "armv7" { 5 } else { 4 }),
        );
        run(gcc.arg("-c").arg(place("c")).arg("-o").arg(place("o")));
        let program = link_object(folder.path(), target, false);
        let output = execute(target, &program, "");
        let expected = "1 0.100000000000000 2 1.000e+300 3 1e-05 4 5 6 0x0.0000000000001p-1022 0.2 1.000000 2.000000 3.000000 \
            4.000000 5.000000 7 6.000000\n-5";
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", target.name);
        assert_eq!(output.status.code(), Some(0), "{}", target.name);
    }
}

/// ARM's quotients, called as a C compiler calls them, against quotients by subtraction.
const C_DIVISION: &str = r#"
int __aeabi_idiv(int, int);
unsigned __aeabi_uidiv(unsigned, unsigned);
unsigned long long __aeabi_uidivmod(unsigned, unsigned), __aeabi_idivmod(int, int);
static unsigned slow(unsigned n, unsigned d, unsigned *rest) {
    unsigned q = 0, r = 0;
    for (int k = 31; k >= 0; k--) {
        int carry = r >> 31;
        r = r << 1 | (n >> k & 1);
        if (carry || r >= d) r -= d, q |= 1u << k;
    }
    *rest = r;
    return q;
}
typedef unsigned long long wide;
static wide slow_wide(wide n, wide d, wide *rest) {
    wide q = 0, r = 0;
    for (int k = 63; k >= 0; k--) {
        int carry = r >> 63;
        r = r << 1 | (n >> k & 1);
        if (carry || r >= d) r -= d, q |= 1ull << k;
    }
    *rest = r;
    return q;
}
static unsigned seed = 1;
static unsigned number(void) {
    seed = seed * 1664525 + 1013904223;
    unsigned kind = seed >> 28, x = seed << 4 ^ seed >> 13;
    if (kind < 5) return x;
    if (kind < 10) return x >> (x & 31);
    if (kind < 13) return (x & 3) - 1 + (1u << (x >> 5 & 31));
    return 0 - (x >> (x & 31));
}
int main(void) {
    for (int k = 0; k < 300000; k++) {
        unsigned a = number(), b = number(), r;
        if (b == 0) {
            if (__aeabi_idiv(a, b) != 0 || __aeabi_uidiv(a, b) != 0) return 1;
            continue;
        }
        unsigned q = slow(a, b, &r);
        if (__aeabi_uidiv(a, b) != q || __aeabi_uidivmod(a, b) != ((unsigned long long)r << 32 | q)) return 2;
        q = slow((int)a < 0 ? 0 - a : a, (int)b < 0 ? 0 - b : b, &r);
        if ((int)(a ^ b) < 0) q = 0 - q;
        if ((int)a < 0) r = 0 - r;
        if (__aeabi_idiv(a, b) != (int)q || __aeabi_idivmod(a, b) != ((unsigned long long)r << 32 | q)) return 3;
    }
    // gcc calls __aeabi_uldivmod and __aeabi_ldivmod.
    for (int k = 0; k < 30000; k++) {
        wide a = (wide)number() << 32 | number(), b = (wide)number() << 32 | number(), r;
        if (k & 1) b >>= 32;
        if (k & 2) a >>= 32;
        if (k % 7 == 0) b = 0 - b;
        if (b == 0) continue;
        wide q = slow_wide(a, b, &r);
        if (a / b != q || a % b != r) return 4;
        q = slow_wide((long long)a < 0 ? 0 - a : a, (long long)b < 0 ? 0 - b : b, &r);
        if ((long long)(a ^ b) < 0) q = 0 - q;
        if ((long long)a < 0) r = 0 - r;
        if ((wide)((long long)a / (long long)b) != q || (wide)((long long)a % (long long)b) != r) return 5;
    }
    return 0;
}
"#;

#[test]
fn quotients_of_arm_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let target = TARGETS.iter().find(|target| target.name == "armv7").unwrap();
    let place = |name: &str| folder.path().join(format!("{}.{name}", target.name));
    std::fs::write(place("c"), C_DIVISION).unwrap();
    let mut gcc = Command::new(tool(target, "gcc"));
    run(gcc.args(["-O1", "-ffreestanding", "-fno-pic", "-c", "-o"]).args([place("o"), place("c")]));
    let program = link_object(folder.path(), target, false);
    assert_eq!(execute(target, &program, "").status.code(), Some(0));
}

/// The files that are C as well, in an order in which names are declared before they are used.
const SOURCES: [&str; 8] = [
    "output.sy",
    "integer_output.sy",
    "float_output.sy",
    "format.sy",
    "float_format.sy",
    "print_format.sy",
    "input.sy",
    "float_input.sy",
];

/// `SYSYC_RUNTIME_CASES` says how many random cases of each kind (5,000), `SYSYC_RUNTIME_SEED` which ones
/// (1). 3,000,000 of them were compared once with glibc 2.36, 26.5 million texts in 47 s of CPU, without a
/// difference.
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

/// White space of all kinds, and numbers that lie over the border of two pieces of input (64 KB), at each of their bytes.
#[test]
fn numbers_are_read_behind_any_space_and_over_the_borders_of_input() {
    let folder = tempfile::tempdir().unwrap();
    let source = "int main() { int sum = 0, n = 0, x = getint();
        while (x != 0) { sum = sum * 31 + x; n = n + 1; x = getint(); }
        putint(n); putch(32); putint(sum); return 0; }\n";
    for &target in TARGETS {
        let program = link(folder.path(), target, source, false);
        for shift in 0..8 {
            let mut input = "\t".repeat(shift);
            let (mut sum, mut count) = (0i32, 0);
            for k in 0..12_000i32 {
                let x = 123_456 + k;
                input += &format!("{x}{}", ["\t", "\n", "\r", " ", "\u{b}", "\u{c}"][k as usize % 6]);
                (sum, count) = (sum.wrapping_mul(31).wrapping_add(x), count + 1);
            }
            let done = execute(target, &program, &input);
            let have = String::from_utf8_lossy(&done.stdout).into_owned();
            assert_eq!(have, format!("{count} {sum}"), "{} {shift}", target.name);
        }
    }
}
