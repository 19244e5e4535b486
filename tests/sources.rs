//! Programs of several sources: executed, checked, optimised over files, mixed with LLVM text, and what is reported when they do not
//! fit.

// A helper that fails fails its test, with the message that says what was expected.
#![allow(clippy::expect_used)]

use super::driver::{folder, sysyc};
use super::generate::two_files;
use std::fs;
use std::process::Command;

/// Each names what the other defines, by all that may be named.
const FIRST: &str = "extern int count; int next(int k); int big[10] = {1, 2, 3};\n\
    int get(int i) { return big[i]; }\n\
    int main() { count += next(3); putint(count); putch(10); return get(2); }\n";
const SECOND: &str = "int count = 4; int get(int i); extern int big[10];\n\
    int next(int k) { count++; return k * count + get(1) + big[0]; }\n";
/// The same as `SECOND`, with a function and data of its own that have names of the other's.
const TEXT: &str = "@count = global i32 4\n@big = external global [10 x i32]\n\
    @get.1 = internal constant i32 1\ndeclare i32 @get(i32)\n\
    define internal i32 @main.1(i32 %x) {\n  %one = load i32, ptr @get.1\n  %r = add i32 %x, %one\n  ret i32 %r\n}\n\
    define i32 @next(i32 %k) {\n  %c = load i32, ptr @count\n  %d = call i32 @main.1(i32 %c)\n  \
    store i32 %d, ptr @count\n  %m = mul i32 %k, %d\n  %a = call i32 @get(i32 1)\n  %b = load i32, ptr @big\n  \
    %s = add i32 %m, %a\n  %t = add i32 %s, %b\n  ret i32 %t\n}\n";

#[test]
fn a_missing_object_is_named_with_what_uses_it() {
    let folder = folder(&[
        ("m.sy", "int helper(int x);\nint main() { putch(65); putint(helper(3)); return 0; }\n"),
        ("h.sy", "int helper(int x) { return x + 1; }\n"),
        (
            "c.ll",
            "declare i32 @puts(ptr)\ndefine i32 @helper(i32 %x) {\n  %r = call i32 @puts(ptr null)\n  ret i32 %r\n}\n",
        ),
    ]);
    let path = folder.path();
    assert_eq!(sysyc(path, "-c m.sy h.sy c.ll", "").code, Some(0));
    for (line, said) in [
        ("m.o -o x", "nothing defines 'helper', which 'main' uses, in m.o\n"),
        ("h.o -o x", "nothing defines 'main', where the program starts\n"),
        // What C's library has is not blamed for what nothing has; and named where it is.
        ("m.o c.o -o x", "for 'puts', which 'helper' uses, in c.o\n"),
    ] {
        let run = sysyc(path, line, "");
        assert!(run.code == Some(1) && run.err.contains(said), "{line}: {}", run.err);
        assert!(!run.err.contains("'putch' has to") || line.contains("c.o"), "{line}: {}", run.err);
        assert!(!path.join("x").exists(), "{line}");
    }
    assert_eq!(sysyc(path, "m.o h.o -o x", "").code, Some(0));
}

#[test]
fn several_sources_are_executed_and_linked_as_one_program() {
    let folder = folder(&[("a.sy", FIRST), ("b.sy", SECOND), ("b.ll", TEXT)]);
    let path = folder.path();
    for other in ["b.sy", "b.ll"] {
        for level in ["-O0", "-O1", "-O2", "-Os", "-O2 -ffast-math -g", "-O2 -fsanitize=bounds,integer"] {
            let run = sysyc(path, &format!("run {level} -fverify a.sy {other}"), "");
            assert_eq!(
                (run.code, run.out.as_str(), run.err.as_str()),
                (Some(3), "22\n", ""),
                "{level} {other}"
            );
            for (target, qemu) in [("riscv64", "qemu-riscv64"), ("armv7", "qemu-arm")] {
                let line = format!("{level} -fverify {other} a.sy --target={target} -o x");
                let run = sysyc(path, &line, "");
                assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
                let done = Command::new(qemu).arg(path.join("x")).output().expect("qemu starts");
                assert_eq!(
                    (done.status.code(), done.stdout.as_slice()),
                    (Some(3), b"22\n".as_slice()),
                    "{line}"
                );
            }
        }
        assert_eq!(sysyc(path, &format!("run --check a.sy {other}"), "").code, Some(3));
    }
    // The same bytes for any number of workers, and words behind `--` are the program's.
    let bytes = ["-j1", "-j3"].map(|jobs| {
        assert_eq!(sysyc(path, &format!("-O2 {jobs} a.sy b.sy -o x"), "").code, Some(0));
        fs::read(path.join("x")).expect("it is there")
    });
    assert!(bytes[0] == bytes[1]);
    let run = sysyc(path, "run a.sy b.sy -- --not-an-option c.sy", "");
    assert_eq!((run.code, run.out.as_str()), (Some(3), "22\n"));
    assert!(run.err.contains("warning: '--not-an-option' is not passed to the program"), "{}", run.err);
}

#[test]
fn functions_are_inlined_over_files_from_level_2_on() {
    let folder = folder(&[
        ("a.sy", FIRST),
        ("b.sy", SECOND),
        ("c.ll", "define i32 @next(i32 %k) {\n  ret i32 %k\n}\n"),
    ]);
    let path = folder.path();
    let functions = |line: &str| {
        let run = sysyc(path, &format!("{line} -o x"), "");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
        let names = Command::new("riscv64-linux-gnu-nm").arg(path.join("x")).output().expect("nm runs");
        let names = String::from_utf8_lossy(&names.stdout).into_owned();
        ["next", "get"].map(|name| names.lines().any(|line| line.ends_with(&format!(" {name}"))))
    };
    assert_eq!(functions("-O1 a.sy b.sy"), [true, true]);
    assert_eq!(functions("-O2 a.sy b.sy"), [false, false]);
    // What an object may call stays.
    assert_eq!(sysyc(path, "-c -O2 c.ll -o c.o", "").code, Some(0));
    fs::write(path.join("e.sy"), "extern int count; int count = 4;\n").expect("written");
    assert_eq!(functions("-O2 a.sy e.sy c.o"), [true, true]);
}

/// The page of what passes change shows the sources of one program one behind another.
#[test]
fn one_page_shows_all_sources_of_a_program() {
    let folder = folder(&[("a.sy", FIRST), ("b.sy", SECOND)]);
    let path = folder.path();
    let run = sysyc(path, "-O2 a.sy b.sy -fprint-changed=x.html -o x", "");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let page = fs::read_to_string(path.join("x.html")).expect("it is there");
    for part in
        ["a.sy, b.sy from line 5 on", "int next(int k) { count++;", "int get(int i) { return big[i]; }"]
    {
        assert!(page.contains(part), "{part}");
    }
    let run = sysyc(path, "-O1 a.sy b.sy -fprint-changed=x.html -o x", "");
    assert!(run.code == Some(2) && run.err.contains("one program from -O2 on"), "{}", run.err);
}

#[test]
fn sources_that_do_not_fit_are_told_with_both_places() {
    let folder = folder(&[
        (
            "a.sy",
            "int f(float x);\nint g;\nint dup() { return 1; }\nextern int lost;\nextern int t[3];\n\
                  int main() { return f(1.0) + g + lost + t[1]; }\n",
        ),
        ("b.sy", "int f(int x) { return x; }\nint dup() { return 2; }\nint g() { return 1; }\nint t[4];\n"),
        ("c.ll", "define i32 @f(float %x) {\n  ret i32 1\n}\n@t = global [3 x i32] zeroinitializer\n"),
        ("d.sy", "int dup() { return x; }\n"),
        ("e.sy", "int dup2() { return y; }\n"),
        ("m.sy", "int sum(int n, float a[][4]);\nint main() { float a[2][4] = {}; return sum(2, a); }\n"),
        ("n.sy", "int sum(int n, float a[][3]) { return n + (a[1][2] > 1.0); }\n"),
    ]);
    for (line, said) in [
        (
            "a.sy b.sy",
            &[
                "error[conflicting-types]: 'f' has another type here than in b.sy:1:5\n --> a.sy:1:5",
                "error[redeclared]: 'dup' is defined here and in a.sy:3:5\n --> b.sy:2:5",
                "error[conflicting-types]: 'g' is a function in one source and data in another: see b.sy:3:5\n --> a.sy:2:5",
                "error[conflicting-types]: 't' has another type here than in a.sy:5:12\n --> b.sy:4:5",
            ][..],
        ),
        ("b.sy c.ll", &["'f' has another type here than in b.sy:1:5\n --> c.ll:1:12"]),
        (
            "a.sy c.ll",
            &["error[undefined]: nothing defines 'lost', which is declared here and used\n --> a.sy:4:12"],
        ),
        (
            "m.sy n.sy",
            &[
                "error[conflicting-types]: 'sum' has another type here than in n.sy:1:5\n --> m.sy:1:5",
                "parameter 2 is 'float[][4]' here, and 'float[][3]' there",
            ],
        ),
        ("c.ll c.ll", &["'f' is defined here and in c.ll:1:12\n --> c.ll:1:12"]),
        ("d.sy e.sy", &["name 'x' is not declared", "name 'y' is not declared"]),
    ] {
        for goal in ["run", "-O2 -o x"] {
            let run = sysyc(folder.path(), &format!("{goal} {line}"), "");
            assert_eq!(run.code, Some(1), "{goal} {line}: {}", run.err);
            said.iter().for_each(|said| assert!(run.err.contains(said), "{goal} {line}: {}", run.err));
        }
    }
}

#[test]
fn a_program_that_stops_names_the_right_files() {
    let folder = folder(&[
        ("a.sy", "int tab[4];\nint peek(int i);\nint main() { return peek(9); }\n"),
        ("b.sy", "extern int tab[4];\n\nint peek(int i) {\n  return tab[i];\n}\n"),
    ]);
    let run = sysyc(folder.path(), "run --check a.sy b.sy", "");
    assert_eq!(run.code, Some(134));
    for said in [
        "element 9 of 'tab'",
        "--> b.sy:4:13",
        "'tab' is declared at a.sy:1:5",
        "called by 'main', at a.sy:3:21",
    ] {
        assert!(run.err.contains(said), "{}", run.err);
    }
}

#[test]
fn checks_of_several_sources_say_where_in_which() {
    let folder = folder(&[
        ("a.sy", "int twice(int x);\nint main() {\n    putint(twice(getint()));\n    return 0;\n}\n"),
        ("b.sy", "int twice(int x) { return x * 2; }\n"),
    ]);
    fs::write(folder.path().join("in"), "2000000000").expect("written");
    let wrong = "b.sy:1:29: runtime error: signed integer overflow";
    for level in ["-O0", "-O1", "-O2"] {
        let line = format!("run {level} -fsanitize=undefined a.sy b.sy");
        let run = sysyc(folder.path(), &line, "2000000000");
        assert!(run.code == Some(134) && run.err.contains(wrong), "{line}: {}", run.err);
        let line = format!("{level} -fsanitize=undefined,memory a.sy b.sy -o x");
        assert_eq!(sysyc(folder.path(), &line, "").err, "", "{line}");
        let input = fs::File::open(folder.path().join("in")).expect("it is there");
        let done = Command::new("qemu-riscv64").arg(folder.path().join("x")).stdin(input).output();
        let done = done.expect("qemu starts");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(134) && said.contains(wrong), "{line}: {said}");
    }
}

#[test]
fn two_sources_with_one_output_are_refused() {
    let folder = folder(&[]);
    for name in ["p", "q"] {
        fs::create_dir(folder.path().join(name)).expect("it can be made");
        fs::write(folder.path().join(name).join("t.sy"), "int f() { return 1; }\n").expect("written");
    }
    for (line, made) in [("-c p/t.sy q/t.sy", "t.o"), ("-S q/t.sy p/t.sy", "t.s")] {
        let run = sysyc(folder.path(), line, "");
        let said = format!("'p/t.sy' and 'q/t.sy' would both become '{made}'");
        assert!(run.code == Some(2) && run.err.contains(&said), "{}", run.err);
        assert!(!folder.path().join(made).exists(), "{line}");
    }
}

/// What is inlined from another file has that file's lines, and the code is the same as without `-g`.
#[test]
fn debuggers_are_told_of_the_right_files() {
    let folder = folder(&[
        (
            "a.sy",
            "int twice(int n);\nint main() {\n  int n = getint();\n  putint(twice(n));\n  return 0;\n}\n",
        ),
        ("b.sy", "int deep(int n);\n\nint twice(int n) {\n  putch(65);\n  return deep(n * 2);\n}\n"),
        (
            "c.sy",
            "int calls = 0;\nint deep(int n) {\n  calls = calls + 1;\n  if (n > 0) {\n    putch(66);\n    return deep(n - 1) + deep(n - 2);\n  }\n  return n;\n}\n",
        ),
    ]);
    let path = folder.path();
    for line in ["-O2 -g a.sy b.sy c.sy -o x", "-O2 -g -s a.sy b.sy c.sy -o y", "-O2 -s a.sy b.sy c.sy -o z"]
    {
        let run = sysyc(path, line, "");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
    }
    assert!(fs::read(path.join("y")).expect("it is there") == fs::read(path.join("z")).expect("it is there"));
    let shown = |what: &str| {
        let shown = Command::new("riscv64-linux-gnu-objdump").args([what, "x"]).current_dir(path).output();
        String::from_utf8_lossy(&shown.expect("objdump runs").stdout).into_owned()
    };
    let lines = shown("--dwarf=decodedline");
    let has =
        |file: &str, line: &str| lines.lines().any(|row| row.split_whitespace().take(2).eq([file, line]));
    for (file, line) in [("a.sy", "3"), ("b.sy", "4"), ("c.sy", "5"), ("c.sy", "6")] {
        assert!(has(file, line), "{file}:{line}\n{lines}");
    }
    assert!(!has("a.sy", "14") && !has("a.sy", "16"), "{lines}");
    // 'deep' is the second line of the third file.
    let facts = shown("--dwarf=info");
    let deep = facts.split("DW_TAG_subprogram").find(|text| text.contains(": deep\n")).expect("it is told");
    let value =
        |name: &str| deep.lines().find(|row| row.contains(name)).and_then(|row| row.split(": ").nth(1));
    assert_eq!(
        [value("decl_file"), value("decl_line")].map(|value| value.map(str::trim)),
        [Some("2"), Some("2")]
    );
}

/// Objects of IR are found by what is in them, whatever they are called; in an archive they are told.
#[test]
fn objects_of_ir_are_linked_as_one_program() {
    let folder = folder(&[("a.sy", FIRST), ("b.sy", SECOND)]);
    let path = folder.path();
    assert_eq!(sysyc(path, "-c -O2 -flto a.sy b.sy", "").code, Some(0));
    assert!(fs::read_to_string(path.join("b.o")).expect("text").starts_with("; ModuleID = 'b.sy'\n"));
    let run = |line: &str| {
        let run = sysyc(path, &format!("{line} -o x"), "");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
        let done = Command::new("qemu-riscv64").arg(path.join("x")).output().expect("qemu starts");
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(3), b"22\n".as_slice()), "{line}");
        fs::read(path.join("x")).expect("it is there")
    };
    // What is optimised as one program is the same whichever way it comes.
    assert!(run("-O2 -flto -s a.o b.o") == run("-O2 -s a.sy b.sy"));
    run("a.o b.o");
    run("-flto a.sy b.o");
    assert_eq!(sysyc(path, "-c b.sy -o c.o", "").code, Some(0));
    run("-O2 a.o c.o");
    let archived =
        Command::new("riscv64-linux-gnu-ar").args(["rcsS", "l.a", "b.o"]).current_dir(path).status();
    assert!(archived.expect("ar starts").success());
    let told = sysyc(path, "a.o l.a -o x", "");
    assert!(told.code == Some(1) && told.err.contains("l.a: IR in text (-flto)"), "{}", told.err);
}

#[test]
fn all_sources_that_cannot_be_read_are_told() {
    let folder = folder(&[("a.sy", FIRST)]);
    for level in ["-O0", "-O2"] {
        let run = sysyc(folder.path(), &format!("{level} none.sy a.sy nothing.sy -o x"), "");
        assert_eq!((run.code, run.err.matches("error[cannot-read]").count()), (Some(1), 2), "{}", run.err);
    }
}

/// Another linker gets the objects of all sources, also where these stay apart.
#[test]
fn another_linker_gets_all_sources() {
    let folder = folder(&[("a.sy", FIRST), ("b.sy", SECOND)]);
    let path = folder.path();
    let run = |line: &str| {
        let run = sysyc(path, &format!("{line} -o x"), "");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{line}");
        let done = Command::new("qemu-riscv64").arg("./x").current_dir(path).output().expect("qemu starts");
        assert_eq!((done.status.code(), done.stdout.as_slice()), (Some(3), b"22\n".as_slice()), "{line}");
    };
    run("-fuse-ld=gcc a.sy b.sy");
    run("-O2 -fuse-ld=gcc b.sy a.sy");
    // Counters are in the text of the objects; `main`, which writes them, is in the first.
    assert_eq!(sysyc(path, "-c -flto -fprofile-generate a.sy b.sy", "").code, Some(0));
    for line in ["-O2 -fuse-ld=gcc", "-O2 -fprofile-generate -fuse-ld=gcc", "-O1"] {
        run(&format!("{line} a.o b.o"));
        fs::remove_file(path.join("default.sysyprof")).expect("it was written");
    }
    assert_eq!(sysyc(path, "-c -flto -fsanitize=stack a.sy b.sy", "").code, Some(0));
    run("-O2 -fsanitize=stack -fuse-ld=gcc a.o b.o");
    // What would be run: at -O2 the sources are one object.
    for (level, second) in [("-O1", 1), ("-O2", 0), ("-O2 -fsanitize=stack", 1)] {
        let dry = sysyc(path, &format!("-### {level} -fuse-ld=gcc -fPIC -pie a.sy b.sy -o x -lm"), "");
        let own = "\"-o\" \"x\" \"a.sy\" \"b.sy\" \"-lm\"\n";
        let model = "\"-pie\" \"-fPIC\" \"-fuse-ld=gcc\"";
        for (text, count) in [(own, 1), (model, 1), ("program0.o\" ", 1), ("program1.o\" ", second)] {
            assert_eq!(dry.err.matches(text).count(), count, "{level}, {text}: {}", dry.err);
        }
    }
    let dry = sysyc(path, "-### -O2 -c -flto -fsanitize=bounds -fvisibility=hidden a.sy", "");
    let words = "\"-fvisibility=hidden\" \"-fsanitize=bounds\" \"-flto\" \"-c\" \"-o\" \"a.o\" \"a.sy\"\n";
    assert!(dry.err.contains(words), "{}", dry.err);
}

/// Random programs of two files: executed, at each level, as objects of IR, and with one of them as text, they do the same.
/// `SYSYC_SOURCES` says how many.
#[test]
fn random_programs_of_two_files_do_the_same_however_they_are_put_together() {
    let count = std::env::var("SYSYC_SOURCES").map_or(6, |count| count.parse().expect("a number"));
    for seed in 0..count {
        let [first, second] = two_files(seed, 300);
        let folder = folder(&[("a.sy", &first), ("b.sy", &second)]);
        let path = folder.path();
        let run = |line: &str| {
            let run = sysyc(path, line, "3 1 4 1 5 9 2 6 5 3 5");
            assert!(!run.err.contains("error"), "{seed}: {line}: {}", run.err);
            (run.code, run.out)
        };
        let want = run("run -O0 a.sy b.sy");
        assert_eq!(run("run -O2 -fverify b.sy a.sy"), want, "{seed}");
        assert_eq!(run("-S -emit-llvm -O1 a.sy").0, Some(0));
        assert_eq!(run("run -O2 b.sy a.ll"), want, "{seed}");
        assert_eq!(run("run -O1 -fsanitize=bounds,memory a.sy b.sy"), want, "{seed}");
        assert_eq!(run("-c -flto a.sy b.sy").0, Some(0));
        for line in [
            "-O1 a.sy b.sy",
            "-O2 -fverify a.sy b.sy",
            "-O2 -g b.sy a.o",
            "-O2 -fsanitize=bounds,memory a.sy b.sy",
            "-O2 -fprofile-generate a.sy b.sy",
            "-O2 -fprofile-use a.sy b.sy",
            "-O3 -flto a.o b.o",
            "-Os a.ll b.sy",
        ] {
            assert_eq!(run(&format!("{line} --target=aarch64 -o x")).0, Some(0));
            fs::write(path.join("in"), "3 1 4 1 5 9 2 6 5 3 5").expect("written");
            let input = fs::File::open(path.join("in")).expect("it is there");
            let mut qemu = Command::new("qemu-aarch64");
            let done = qemu.arg(path.join("x")).current_dir(path).stdin(input).output().expect("qemu starts");
            let done = (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned());
            assert_eq!(done, want, "{seed}: {line}");
        }
    }
}
