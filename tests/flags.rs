//! The words of real builds: what each does when a source is compiled, linked and checked, as a page (`docs/flags.md`); whole
//! command lines of Debian's and Fedora's packages; and build systems, where they are installed. `SYSYC_BLESS=1` writes the page.

// A helper that fails fails its test, with the message that says what was expected.
#![allow(clippy::expect_used)]

use super::driver::{folder, sysyc};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Words that gcc and clang know.
const WORDS: &[&str] = &[
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-builtin",
    "-fstack-protector-strong",
    "-fvisibility=hidden",
    "-ffreestanding",
    "-nostdlib",
    "-isystem D",
    "-I D",
    "-include F",
    "-DN=1",
    "-march=native",
    "-mtune=native",
    "-fPIC",
    "-fpie",
    "-fno-pic",
    "-pie",
    "-no-pie",
    "-static-pie",
    "-ftls-model=initial-exec",
    "-fno-plt",
    "-fno-common",
    "-MD -MG",
    "-MF x.d",
    "-MD -MF x.d",
    "-MMD -MP",
    "-target riscv64-linux-gnu",
    "--target=riscv64",
    "-emit-llvm",
    "-flto",
    "-flto -ffat-lto-objects",
    "-ansi",
    "-std=c11",
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Wunused",
    "-Wmaybe-uninitialized",
    "-Wshadow",
    "-Wconversion",
    "-Wsign-compare",
    "-Wvla",
    "-Weverything",
    "-Wno-anything",
    "-Werror=format-security",
    "-Wformat=2",
    "-Wdate-time",
    "-pipe",
    "-static",
    "-pthread",
    "-fexceptions",
    "-fno-exceptions",
    "-fasynchronous-unwind-tables",
    "-fomit-frame-pointer",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fstack-clash-protection",
    "-fcf-protection",
    "-mbranch-protection=standard",
    "-grecord-gcc-switches",
    "-specs=F",
    "-Wp,-D_FORTIFY_SOURCE=3",
    "-Wl,-z,relro",
    "-Wl,-z,now",
    "-Wl,--as-needed",
    "-Wl,--gc-sections",
    "-Wl,--build-id=sha1",
    "-Wl,-Map=x",
    "-shared",
    "-E",
    "-x c",
    "-s",
    "-rdynamic",
];

const PROGRAM: &str = "int twice(int n) { return 2 * n; }\nint main() { putint(twice(4)); return 0; }\n";

/// What is said, in a cell of a table.
fn said(err: &str) -> String {
    let first = err.lines().next().unwrap_or("");
    let text = first.strip_prefix("sysyc: ").unwrap_or(first);
    text.replace('|', "\\|")
}

#[test]
fn each_word_of_real_builds_does_what_the_page_says() {
    let folder = folder(&[("t.sy", PROGRAM)]);
    let mut page = String::from(
        "# Words of gcc and clang\n\nWhat sysyc does when a build says them: the exit codes of `sysyc WORD -c t.sy`, `sysyc WORD t.sy -o t` \
         and `sysyc WORD --check t.sy`, and what is said. A warning does not change the exit code, and `-w` turns it off. Words that stand \
         here in none of these forms are errors, with what they nearly are. This page is made by a test (`tests/flags.rs`).\n\n\
         | word | -c | link | --check | said |\n| --- | --- | --- | --- | --- |\n",
    );
    for word in WORDS {
        let runs = ["-c t.sy", "t.sy -o t", "--check t.sy"]
            .map(|rest| sysyc(folder.path(), &format!("{word} {rest}"), ""));
        let codes = runs.each_ref().map(|run| run.code.map_or("-".to_string(), |code| code.to_string()));
        let mut lines: Vec<String> =
            runs.iter().map(|run| said(&run.err)).filter(|line| !line.is_empty()).collect();
        lines.dedup();
        let _ = writeln!(page, "| `{word}` | {} | {} |", codes.join(" | "), lines.join("<br>"));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/flags.md");
    if std::env::var_os("SYSYC_BLESS").is_some() {
        fs::write(&path, &page).expect("written");
    }
    assert!(
        fs::read_to_string(&path).is_ok_and(|old| old == page),
        "SYSYC_BLESS=1 writes docs/flags.md:\n{page}"
    );
    // What is refused has no meaning here at all, or is half of a pair.
    let refused: Vec<&str> =
        page.lines().filter(|row| row.contains("| 2 |")).filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(refused, ["-MF x.d", "-emit-llvm", "-Wl,-Map=x", "-E"]);
}

/// `dpkg-buildflags` of Debian 13 and `rpm --eval` of Fedora 42.
#[test]
fn default_flags_of_distributions_pass() {
    let debian = "-g -O2 -ffile-prefix-map=/build/x=. -fstack-protector-strong -fstack-clash-protection -Wformat \
                  -Werror=format-security -fcf-protection -mbranch-protection=standard -Wdate-time -D_FORTIFY_SOURCE=2 \
                  -Werror=implicit-function-declaration";
    let fedora = "-O2 -flto=auto -ffat-lto-objects -fexceptions -g -grecord-gcc-switches -pipe -Wall -Wno-complain-wrong-lang \
                  -Werror=format-security -Wp,-U_FORTIFY_SOURCE,-D_FORTIFY_SOURCE=3 -Wp,-D_GLIBCXX_ASSERTIONS \
                  -specs=/usr/lib/rpm/redhat/redhat-hardened-cc1 -fstack-protector-strong -m64 -fasynchronous-unwind-tables \
                  -fstack-clash-protection -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer";
    let link = "-Wl,-z,relro -Wl,-z,now -Wl,--as-needed -Wl,-z,pack-relative-relocs -Wl,--build-id=sha1";
    let folder = folder(&[("t.sy", PROGRAM)]);
    for flags in [debian, fedora] {
        for line in [
            format!("{flags} -c t.sy -o t.o"),
            format!("{flags} {link} t.o -o t"),
            format!("{flags} {link} t.sy -o t"),
        ] {
            let run = sysyc(folder.path(), &line, "");
            assert_eq!(run.code, Some(0), "{line}: {}", run.err);
            assert!(run.err.lines().all(|line| line.starts_with("sysyc: warning: ")), "{}", run.err);
        }
        assert_eq!(sysyc(folder.path(), &format!("{flags} -w -c t.sy"), "").err, "");
    }
}

#[test]
fn sections_of_functions_are_dropped_by_other_linkers() {
    let folder = folder(&[(
        "t.sy",
        "int unused() { return 77; }\nint big[3] = {1, 2, 3};\nextern int big[3];\nint main() { return 5; }\n",
    )]);
    let path = folder.path();
    let symbols = |words: &str| {
        assert_eq!(sysyc(path, &format!("-O0 {words} -c t.sy"), "").code, Some(0));
        let link = ["-nostdlib", "-static", "-Wl,--gc-sections,-e,main", "t.o", "-o", "t"];
        let linked = Command::new("riscv64-linux-gnu-gcc").args(link).current_dir(path).status();
        assert!(linked.expect("gcc starts").success());
        let names = Command::new("riscv64-linux-gnu-nm").arg(path.join("t")).output().expect("nm runs");
        let names = String::from_utf8_lossy(&names.stdout).into_owned();
        ["main", "unused", "big"].map(|name| names.lines().any(|line| line.ends_with(&format!(" {name}"))))
    };
    assert_eq!(symbols(""), [true, true, false]);
    assert_eq!(symbols("-ffunction-sections -fdata-sections"), [true, false, false]);
}

#[test]
fn a_rule_that_cannot_be_written_leaves_no_object() {
    let folder = folder(&[("t.sy", PROGRAM), ("bad.sy", "int main() { return x; }\n")]);
    let path = folder.path();
    let run = sysyc(path, "-c -MD -MF none/t.d t.sy", "");
    assert!(run.code == Some(1) && run.err.contains("cannot write 'none/t.d'"), "{}", run.err);
    assert!(!path.join("t.o").exists());
    assert_eq!(sysyc(path, "-c -MD bad.sy", "").code, Some(1));
    assert!(!path.join("bad.d").exists() && !path.join("bad.o").exists());
    assert_eq!(sysyc(path, "-c -MD t.sy", "").code, Some(0));
    assert_eq!(fs::read_to_string(path.join("t.d")).expect("it is there"), "t.o: t.sy\n");
    fs::write(path.join("u.sy"), "int unused() { return 1; }\n").expect("written");
    for level in ["-O1", "-O2"] {
        assert_eq!(sysyc(path, &format!("{level} -MD t.sy u.sy -o p"), "").code, Some(0));
        assert_eq!(
            fs::read_to_string(path.join("p.d")).expect("it is there"),
            "p: t.sy\np: u.sy\n",
            "{level}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_said_in_words() {
    let folder = folder(&[("t.sy", PROGRAM)]);
    for line in
        ["none.o t.sy -o t", "@none t.sy", "-M none.sy", "none.sy --run", "t.sy -lnone -o t", ". --run"]
    {
        let run = sysyc(folder.path(), line, "");
        assert!(
            run.code != Some(0) && !run.err.is_empty() && !run.err.contains("os error"),
            "{line}: {}",
            run.err
        );
    }
}

/// The source is what a preprocessor would make of it: ccache hashes that, and calls the compiler only once.
#[test]
fn the_source_is_printed_and_ccache_works() {
    let folder = folder(&[("t.sy", PROGRAM)]);
    let path = folder.path();
    assert_eq!(sysyc(path, "-E t.sy", "").out, PROGRAM);
    assert_eq!(sysyc(path, "-E t.sy -o t.i", "").out, "");
    assert_eq!(fs::read_to_string(path.join("t.i")).expect("it is there"), PROGRAM);
    assert_eq!(sysyc(path, "-c -x cpp-output t.i -o i.o", "").code, Some(0));
    let ccache = |words: &[&str]| {
        let mut command = Command::new("ccache");
        command.args(words).current_dir(path).env("CCACHE_DIR", path.join("cache"));
        command.env("CCACHE_NOHASHDIR", "1").output()
    };
    if ccache(&["--version"]).is_err() {
        return;
    }
    let compile = |text: &str, output: &str| {
        fs::write(path.join("t.sy"), text).expect("written");
        let words = [env!("CARGO_BIN_EXE_sysyc"), "-O1", "-x", "c", "-c", "t.sy", "-o", output];
        let run = ccache(&words).expect("ccache starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        fs::read(path.join(output)).expect("it is there")
    };
    let hits = || {
        let stats = ccache(&["--print-stats"]).expect("ccache starts");
        let stats = String::from_utf8_lossy(&stats.stdout).into_owned();
        let value =
            |name: &str| stats.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u32>().ok());
        value("direct_cache_hit").unwrap_or(0) + value("preprocessed_cache_hit").unwrap_or(0)
    };
    let first = compile(PROGRAM, "a.o");
    assert_eq!(hits(), 0);
    assert!(compile(PROGRAM, "a.o") == first);
    assert_eq!(hits(), 1);
    let other = compile(&PROGRAM.replace("twice(4)", "twice(5)"), "a.o");
    assert!(other != first && hits() == 1);
}

/// The language of CMake: a static library, a program, and one that is optimised as a whole, on two targets, in qemu.
#[test]
fn cmake_builds_and_tests_the_example() {
    let build = tempfile::tempdir().expect("a temporary folder");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/build");
    if Command::new("cmake").arg("--version").output().is_err() {
        return;
    }
    for target in ["riscv64", "armv7"] {
        let folder = build.path().join(target);
        let run = |program: &str, words: &[&str]| {
            let mut command = Command::new(program);
            let done =
                command.args(words).env("SYSYC", env!("CARGO_BIN_EXE_sysyc")).current_dir(&docs).output();
            let done = done.expect("it starts");
            let text =
                String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{program} {words:?}: {text}");
            text
        };
        let toolchain = docs.join("cmake/sysyc.toolchain.cmake").display().to_string();
        let (shown, target) = (folder.display().to_string(), format!("-DSYSYC_TARGET={target}"));
        let begin = ["-S", "example", "-B", &shown, "-G", "Ninja", "--toolchain", &toolchain, &target];
        run("cmake", &[&begin[..], &["-DCMAKE_BUILD_TYPE=Release"]].concat());
        let text = run("cmake", &["--build", &shown, "-v"]);
        assert!(text.contains("-O2 -flto -o CMakeFiles/whole.dir/main.sy.o"), "{text}");
        let text = run("ctest", &["--test-dir", &shown]);
        assert!(text.contains("100% tests passed, 0 tests failed out of 2"), "{text}");
    }
}
