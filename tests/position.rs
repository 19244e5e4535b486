//! Code that is loaded anywhere: programs and shared libraries of our objects and gcc's, with the C library's data and functions
//! and data of threads, in both directions; static programs of our linker's that change themselves; no place in what is not written
//! to is changed (`DT_TEXTREL`).

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross;
use cross::{Cross, TARGETS, clang, run};
use std::path::{Path, PathBuf};
use std::process::Command;

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/position").join(name)
}

/// What a program prints, and its exit code.
fn executed(folder: &Path, cross: &Cross, program: &str) -> (String, Option<i32>) {
    let triple = cross.gcc.strip_suffix("-gcc").expect("it is called so");
    let mut command = Command::new(cross.qemu);
    command.args(["-L", &format!("/usr/{triple}"), "-E", "LD_LIBRARY_PATH=."]).arg(format!("./{program}"));
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    (String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned(), done.status.code())
}

fn gcc(folder: &Path, cross: &Cross, words: &[&str], files: &[PathBuf]) {
    run(folder, Command::new(cross.gcc).args(words).args(files));
}

/// A source through clang's text, by us, as an object of this name.
fn ours(
    folder: &Path,
    cross: &Cross,
    (theirs, level, form): (&[&str], &str, &str),
    from: &str,
    object: &str,
) {
    cross.print(folder, clang(), theirs, &source(from));
    let part = if form == "-c" { object } else { "x.s" };
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let target = format!("--target={}", cross.name);
    run(folder, command.args([level, form, "-fverify", "-o", part, "x.ll", &target]));
    if form == "-S" {
        run(folder, Command::new(cross.gcc).args(["-c", "x.s", "-o", object]));
    }
}

/// Nothing that is not written to is changed when it is loaded. (GNU ld 2.40 says so of any local-exec access for RISC-V, and has
/// nothing to do there.)
fn assert_pure(folder: &Path, file: &str) {
    let done = run(folder, Command::new("readelf").args(["-dlrW", file]));
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let is_empty = text.contains("R_RISCV_NONE") && text.contains("STATIC_TLS");
    assert!(!text.contains("TEXTREL") || is_empty, "{file}:\n{text}");
}

/// Levels of clang's and ours, what is compiled for, and through what.
const WAYS: [(&str, &str, &str, &str); 6] = [
    ("-O0", "-O0", "-fPIE", "-c"),
    ("-O1", "-O1", "-fPIC", "-S"),
    ("-O1", "-O2", "-fPIE", "-S"),
    ("-O2", "-O2", "-fPIC", "-c"),
    ("-O2", "-O3", "-fpie", "-c"),
    ("-O0", "-O1", "-fpic", "-c"),
];

#[test]
fn programs_are_linked_as_distributions_do() {
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let own = |name: &str| folder.join(name);
        gcc(folder, cross, &["-O1", "-fPIC", "-c", "-o", "other.o"], &[source("other.c")]);
        gcc(folder, cross, &["-O1", "-fPIC", "-shared", "-o", "libother.so"], &[source("other.c")]);
        gcc(folder, cross, &["-O1", "-pie", "-fPIE", "-o", "p"], &[source("program.c"), own("other.o")]);
        let want = executed(folder, cross, "p");
        assert_eq!(want.1, Some(7), "{want:?}");
        for (theirs, level, model, form) in WAYS {
            ours(folder, cross, (&[theirs, model], level, form), "program.c", "x.o");
            // The other object, and another library.
            for other in ["other.o", "libother.so"] {
                gcc(folder, cross, &["-pie", "-o", "p"], &[own("x.o"), own(other)]);
                assert_eq!(
                    executed(folder, cross, "p"),
                    want,
                    "{} {level} {model} {form} {other}",
                    cross.name
                );
                assert_pure(folder, "p");
            }
        }
        // What says nothing of itself is for a fixed address, unless it is told.
        cross.print(folder, clang(), &["-O1", "-fno-pic"], &source("program.c"));
        let text = std::fs::read_to_string(own("x.ll")).expect("it was written");
        assert!(!text.contains("PIC Level"), "{text}");
        for word in ["-fPIE", "-fPIC"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            let target = format!("--target={}", cross.name);
            run(folder, command.args(["-O2", "-c", word, "-o", "x.o", "x.ll", &target]));
            gcc(folder, cross, &["-pie", "-o", "p"], &[own("x.o"), own("libother.so")]);
            assert_eq!(executed(folder, cross, "p"), want, "{} {word}", cross.name);
            assert_pure(folder, "p");
        }
    }
}

#[test]
fn libraries_are_shared() {
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let own = |name: &str| folder.join(name);
        let library = &["-fPIC", "-O1", "-shared", "-o", "liblibrary.so"][..];
        let program = ["-O1", "-fPIE", "-pie", "-pthread", "-o"];
        gcc(folder, cross, library, &[source("library.c")]);
        gcc(folder, cross, &[&program[..], &["user"]].concat(), &[source("user.c"), own("liblibrary.so")]);
        gcc(folder, cross, &[&program[..], &["loads"]].concat(), &[source("loads.c")]);
        let want = ["user", "loads"].map(|name| executed(folder, cross, name));
        assert!(want.iter().all(|done| done.1 == Some(0)), "{want:?}");
        let same = |what: &str| {
            let done = ["user", "loads"].map(|name| executed(folder, cross, name));
            assert_eq!(done, want, "{} {what}", cross.name);
        };
        for (theirs, level, _, form) in WAYS {
            ours(folder, cross, (&[theirs, "-fPIC"], level, form), "library.c", "x.o");
            gcc(folder, cross, library, &[own("x.o")]);
            assert_pure(folder, "liblibrary.so");
            same(&format!("{level} {form}"));
        }
        // The other way round: the program is ours, and the library gcc's.
        gcc(folder, cross, library, &[source("library.c")]);
        for (theirs, level, model, form) in WAYS {
            ours(folder, cross, (&[theirs, model], level, form), "user.c", "x.o");
            gcc(folder, cross, &["-pie", "-pthread", "-o", "user"], &[own("x.o"), own("liblibrary.so")]);
            assert_pure(folder, "user");
            same(&format!("{level} {model} {form}"));
        }
    }
}

/// Programs without anybody's C library, and with it where that can be static and loaded anywhere.
#[test]
fn static_programs_put_in_where_they_are() {
    const SOURCE: &str = "int count = 3; const int steps[4] = {1, 2, 3, 4}; float ratio[3] = {0.5, 1.5}; int zeros[1000];
        int sum(int a[], int n) { int s = 0; for (int k = 0; k < n; k++) s += a[k]; return s; }
        int main() { int local[3] = {7, 8, 9}; zeros[999] = count; putint(sum(steps, 4) + sum(local, 3) + zeros[999]);
            putch(10); putfloat(ratio[1]); putch(10); putf(\"%d %c\\n\", getint(), 65); return 9; }";
    // Addresses in data, of data and functions, a word in the middle of others, a weak one that is nowhere.
    const TEXT: &str = "@x = global i32 30\n@in = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n\
        @pointers = constant [3 x ptr] [ptr @x, ptr getelementptr (i8, ptr @in, i64 8), ptr null]\n\
        @table = global { i32, ptr, ptr } { i32 5, ptr @f, ptr @pointers }\n@nowhere = extern_weak global i32\n\
        define i32 @f(i32 %a) {\n %b = mul i32 %a, 2\n ret i32 %b\n}\n\
        define i32 @main() {\n %p = getelementptr { i32, ptr, ptr }, ptr @table, i32 0, i32 1\n %f = load volatile ptr, ptr %p\n\
        %q = getelementptr { i32, ptr, ptr }, ptr @table, i32 0, i32 2\n %s = load volatile ptr, ptr %q\n\
        %x = load volatile ptr, ptr %s\n %s1 = getelementptr [3 x ptr], ptr @pointers, i32 0, i32 1\n %y = load volatile ptr, ptr %s1\n\
        %a = load i32, ptr %x\n %b = load i32, ptr %y\n %c = call i32 %f(i32 %a)\n %d = add i32 %c, %b\n\
        %n = icmp eq ptr @nowhere, null\n %e = zext i1 %n to i32\n %r = add i32 %d, %e\n ret i32 %r\n}\n";
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("a.sy"), SOURCE).expect("it can be written");
        std::fs::write(folder.join("a.ll"), TEXT).expect("it can be written");
        let target = format!("--target={}", cross.name);
        let link = |words: &[&str]| {
            run(folder, Command::new(env!("CARGO_BIN_EXE_sysyc")).args(words).args(["-o", "p", &target]));
            let done = run(folder, Command::new("readelf").args(["-hldW", "p"]));
            let text = String::from_utf8_lossy(&done.stdout).into_owned();
            assert!(text.contains("DYN (") && text.contains("DYNAMIC") && !text.contains("INTERP"), "{text}");
            assert!(text.contains("Flags: PIE"), "{text}");
            assert_pure(folder, "p");
        };
        for level in ["-O0", "-O1", "-O2"] {
            for word in ["-pie", "-static-pie"] {
                link(&["-fverify", level, word, "a.sy"]);
                let (said, code) = executed(folder, cross, "p");
                assert_eq!((said.as_str(), code), ("37\n0x1.8p+0\n0 A\n", Some(9)), "{} {level}", cross.name);
                link(&["-fverify", level, word, "a.ll"]);
                assert_eq!(executed(folder, cross, "p").1, Some(64), "{} {level} {word}", cross.name);
            }
        }
        // Code for a fixed address is refused, and says what to do.
        let mut fixed = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        fixed.args(["-static-pie", "-fno-pie", "a.sy", "-o", "p", &target]);
        let done = fixed.current_dir(folder).output().expect("our command runs");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let is_refused = said.contains("in code for a fixed address: compile with -fPIE");
        assert_eq!(is_refused, cross.name == "armv7", "{said}");
    }
}

#[test]
fn a_static_program_over_a_c_library_is_loaded_anywhere() {
    // Debian's C library has what starts such programs for this target alone.
    let cross = TARGETS.iter().find(|cross| cross.name == "aarch64").expect("it is there");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    gcc(folder, cross, &["-O1", "-fPIE", "-c", "-o", "other.o"], &[source("other.c")]);
    gcc(folder, cross, &["-O1", "-pie", "-fPIE", "-o", "p"], &[source("program.c"), folder.join("other.o")]);
    let want = executed(folder, cross, "p");
    for (level, model) in [("-O0", "-fPIE"), ("-O2", "-fPIC")] {
        ours(folder, cross, (&["-O1", model], level, "-c"), "program.c", "x.o");
        let mut link = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        run(folder, link.args(["-static-pie", "--target=aarch64", "x.o", "other.o", "-o", "p"]));
        assert_eq!(executed(folder, cross, "p"), want, "{level} {model}");
        assert_pure(folder, "p");
    }
}

/// SysY in a library, by the command alone, which hands over to the target's gcc and says so.
#[test]
fn a_library_of_sysy_is_shared() {
    const LIBRARY: &str =
        "int calls = 0; int add(int a, int b) { calls = calls + 1; putint(a + b); putch(10); return a + b; }";
    const USER: &str = "#include <stdio.h>\nextern int calls; int add(int, int);
        int main(void) { int x = add(2, 3) + add(4, 5); return x == 14 && calls == 2 ? 0 : 1; }";
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("l.sy"), LIBRARY).expect("it can be written");
        std::fs::write(folder.join("u.c"), USER).expect("it can be written");
        let target = format!("--target={}", cross.name);
        let mut link = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        let done = run(folder, link.args(["-shared", "-O2", "l.sy", "-o", "libl.so", &target]));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.contains(&format!("'-shared' is linked by {}", cross.gcc)), "{said}");
        assert_pure(folder, "libl.so");
        gcc(folder, cross, &["-pie", "-fPIE", "-o", "u"], &[folder.join("u.c"), folder.join("libl.so")]);
        assert_eq!(executed(folder, cross, "u"), ("5\n9\n".to_string(), Some(0)), "{}", cross.name);
        // Nobody sees what is hidden.
        let mut hidden = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        run(folder, hidden.args(["-fPIC", "-fvisibility=hidden", "-c", "l.sy", "-o", "l.o", &target]));
        let done = run(folder, Command::new("readelf").args(["-sW", "l.o"]));
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        let line = |name: &str| text.lines().find(|line| line.ends_with(name)).unwrap_or("").to_string();
        assert!(line(" add").contains("HIDDEN") && line(" putint").contains("DEFAULT"), "{text}");
    }
}

/// What is linked so, of several sources, with checks, counters, IR in objects, and names for libraries.
#[test]
fn ways_to_link_combine() {
    const FIRST: &str = "int twice(int n); int a[4] = {1, 2, 3, 4};
        int main() { int k = getint(); putint(twice(a[k])); putch(10); return a[3]; }";
    const SECOND: &str = "int twice(int n) { return n * 2; }";
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("a.sy"), FIRST).expect("it can be written");
        std::fs::write(folder.join("b.sy"), SECOND).expect("it can be written");
        let triple = cross.gcc.strip_suffix("-gcc").expect("it is called so");
        let sysyc = |line: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            command.args(line.split_whitespace()).args(["-w", "-fverify"]);
            run(folder, command.arg(format!("--target={}", cross.name)));
        };
        let with_input = |input: &str| {
            std::fs::write(folder.join("in"), input).expect("it can be written");
            let input = std::fs::File::open(folder.join("in")).expect("it is there");
            let mut command = Command::new(cross.qemu);
            command.args(["-L", &format!("/usr/{triple}"), "./p"]).current_dir(folder).stdin(input);
            let done = command.output().expect("the emulator starts");
            (String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned(), done.status.code())
        };
        for level in ["-O0", "-O1", "-O2"] {
            for how in ["-pie", "-static-pie", "-rdynamic", "-fuse-ld=gcc -pie", "-pie -fsanitize=undefined"]
            {
                sysyc(&format!("{level} {how} a.sy b.sy -o p"));
                let what = format!("{} {level} {how}", cross.name);
                assert_eq!(with_input("2"), ("6\n".to_string(), Some(4)), "{what}");
                if how.contains("sanitize") {
                    let (said, code) = with_input("4");
                    let is_told = said.contains("a.sy:2:54: runtime error: index 4 out of bounds");
                    assert!(is_told && code == Some(134), "{what}: {code:?} {said}");
                }
                if how == "-rdynamic" {
                    let done = run(folder, Command::new("readelf").args(["-W", "--dyn-syms", "p"]));
                    let text = String::from_utf8_lossy(&done.stdout).into_owned();
                    assert!(text.lines().any(|line| line.ends_with(" twice")), "{what}: {text}");
                }
            }
            // Counters, and what they count.
            sysyc(&format!("{level} -static-pie -fprofile-generate=p.sysyprof a.sy b.sy -o p"));
            assert_eq!(with_input("0"), ("2\n".to_string(), Some(4)), "{} {level}", cross.name);
            std::fs::remove_file(folder.join("p.sysyprof")).expect("it was written");
            // Objects of IR and of code, for libraries, in a program.
            sysyc(&format!("{level} -flto -fPIC -c a.sy -o a.o"));
            sysyc(&format!("{level} -fPIC -c b.sy -o b.o"));
            sysyc(&format!("{level} -pie a.o b.o -o p"));
            assert_eq!(with_input("1"), ("4\n".to_string(), Some(4)), "{} {level}", cross.name);
            // A library of both.
            sysyc(&format!("{level} -shared a.sy b.sy -o libab.so"));
            assert_pure(folder, "libab.so");
            let done = run(folder, Command::new("readelf").args(["-W", "--dyn-syms", "libab.so"]));
            let text = String::from_utf8_lossy(&done.stdout).into_owned();
            let is_there =
                |name: &str| text.lines().any(|line| line.ends_with(name) && !line.contains(" UND "));
            assert!(
                is_there(" twice") && is_there(" main") && is_there(" a"),
                "{} {level}: {text}",
                cross.name
            );
        }
    }
}

/// What we encode, and its relocations, are what GNU as makes of our text: both link to the same library and the same program.
#[test]
fn objects_are_what_the_assembler_makes() {
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let own = |name: &str| folder.join(name);
        let riscv = cross.name == "riscv64";
        for (from, model, level) in [
            ("library.c", "-fPIC", "-O0"),
            ("library.c", "-fPIC", "-O2"),
            ("program.c", "-fPIE", "-O0"),
            ("program.c", "-fPIE", "-O2"),
        ] {
            ours(folder, cross, (&["-O1", model], level, "-c"), from, "x.o");
            let target = format!("--target={}", cross.name);
            let mut text = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            run(folder, text.args([level, "-S", "x.ll", "-o", "x.s", &target]));
            let relaxed: &[&str] = if riscv { &["-Wa,-mno-relax"] } else { &[] };
            gcc(folder, cross, &[relaxed, &["-c", "-o", "s.o"]].concat(), &[own("x.s")]);
            let linked = |object: &str| {
                let program = if model == "-fPIC" { "-shared" } else { "-pie" };
                let words = [
                    "-nostdlib",
                    program,
                    "-Wl,--unresolved-symbols=ignore-all",
                    "-Wl,--no-relax",
                    "-o",
                    "l",
                ];
                let done = Command::new(cross.gcc).current_dir(folder).args(words).arg(object).output();
                assert!(done.is_ok_and(|done| done.status.success()), "{} {from} {level}", cross.name);
                let objcopy = cross.gcc.replace("gcc", "objcopy");
                let mut copy = Command::new(objcopy);
                run(folder, copy.args(["-O", "binary", "-j", ".text", "-j", ".got", "l", "l.bin"]));
                std::fs::read(own("l.bin")).expect("it was written")
            };
            let (a, b) = (linked("x.o"), linked("s.o"));
            assert!(
                a.len() > 200 && a == b,
                "{} {from} {level}: {} and {} bytes",
                cross.name,
                a.len(),
                b.len()
            );
        }
    }
}
