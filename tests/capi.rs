//! The C ABI (`capi/`): clients in C, with the static and the shared library, under valgrind, make objects that
//! run, of LLVM text and of functions that they build; and what can be wrong is a status.
//!
//! The library is asked for together with this test, so that cargo gives it the features of tests, and takes the build of the
//! compiler that is there: one of its own, with the features of `capi/Cargo.toml`, took 76 of 91 s. That the library stands
//! with fewer features is what `tests/facade.rs` checks.

#![allow(clippy::panic, clippy::expect_used)]

use std::path::Path;
use std::process::Command;

fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    said
}

#[test]
fn a_client_in_c_makes_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is a folder of the target folder");
    let cargo = std::env::var_os("CARGO").expect("cargo runs its tests");
    let mut build = Command::new(cargo);
    build.args([
        "build",
        "--quiet",
        "--locked",
        "-p",
        "sysyc-capi",
        "-p",
        "sysyc",
        "--lib",
        "--test",
        "capi",
    ]);
    build.arg("--target-dir").arg(target);
    run(build.current_dir(root));
    let libraries = target.join("debug");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(
        file("x.ll"),
        "declare i32 @puts(ptr)\n@text = constant [4 x i8] c\"abc\\00\"\n
        define i32 @main() {\n  %x = call i32 @puts(ptr @text)\n  ret i32 0\n}\n",
    )
    .expect("it can be written");
    let fixed = libraries.join("libsysyc_capi.a");
    let clients =
        [(&fixed, "client", "static"), (&fixed, "builder", "builder"), (&fixed, "machine", "machine")];
    for (library, source, client) in clients {
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-I"]).arg(root.join("capi/include"));
        gcc.arg(root.join(format!("capi/examples/{source}.c"))).arg("-o").arg(file(client)).arg(library);
        run(gcc.args(["-lpthread", "-ldl", "-lm"]));
    }
    // What rayon's queues collect stays theirs when a thread ends. In safe code LLVM may compare what is in an `Option` before it
    // asks whether there is something; `5sysyc` is the crate without unsafe code, as mangled names have it.
    let collected = "{\n  collected\n  Memcheck:Leak\n  match-leak-kinds: possible\n  ...\n  fun:*crossbeam_epoch*\n  ...\n}\n";
    let compared = "{\n  compared\n  Memcheck:Cond\n  fun:*5sysyc*\n}\n";
    std::fs::write(file("known.supp"), [collected, compared].concat()).expect("it can be written");
    // Installed, as packages and other builds find it.
    let mut install = Command::new("sh");
    install.arg(root.join("capi/install.sh")).arg(file("prefix")).env("LIBRARIES", &libraries);
    run(&mut install);
    let flags = std::fs::read_to_string(file("prefix/lib/pkgconfig/sysyc.pc")).expect("it is there");
    assert!(flags.contains(concat!("Version: ", env!("CARGO_PKG_VERSION"))), "{flags}");
    let said = run(Command::new("readelf").arg("-d").arg(file("prefix/lib/libsysyc_capi.so")));
    assert!(said.contains("soname: [libsysyc_capi.so.0]"), "{said}");
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-Wall", "-Werror", "-I"]).arg(file("prefix/include"));
    gcc.arg(root.join("capi/examples/client.c")).arg("-o").arg(file("shared"));
    run(gcc.arg("-L").arg(file("prefix/lib")).arg("-lsysyc_capi"));
    // As the page says it, but for where the library is.
    let page = std::fs::read_to_string(root.join("docs/library.md")).expect("it is there");
    let block =
        page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is a block");
    let (build, rest) = block.split_once('\n').expect("lines");
    assert_eq!(build, "cargo build --release -p sysyc-capi");
    std::os::unix::fs::symlink(root.join("capi"), file("capi")).expect("it can be made");
    let lines = rest.replace("target/release", &libraries.display().to_string());
    run(Command::new("bash").args(["-ec", &lines]).current_dir(folder.path()));
    assert!(file("x.o").exists());
    run(Command::new("g++")
        .args(["-fsyntax-only", "-Wall", "-Werror", "-x", "c++"])
        .arg(root.join("capi/include/sysyc.h")));
    let gccs = ["riscv64-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"];
    let qemus = ["qemu-riscv64", "qemu-aarch64", "qemu-arm"];
    for (k, machine) in ["riscv64", "aarch64", "armv7"].into_iter().enumerate() {
        let input = || std::fs::File::open(file("x.ll")).expect("it is there");
        let (object, again) = (file("x.o"), file("y.o"));
        let valgrind = |client: &str| {
            let mut valgrind = Command::new("valgrind");
            valgrind.args([
                "-q",
                "--error-exitcode=9",
                "--leak-check=full",
                "--show-leak-kinds=definite,possible",
                "--errors-for-leak-kinds=definite,possible",
            ]);
            valgrind.arg(format!("--suppressions={}", file("known.supp").display()));
            valgrind.arg(file(client)).arg(machine).arg(&object);
            valgrind
        };
        assert_eq!(run(valgrind("static").arg("wrong").stdin(input())), "");
        let mut client = Command::new(file("shared"));
        let client = client.env("LD_LIBRARY_PATH", file("prefix/lib")).arg(machine).arg(&again);
        assert_eq!(run(client.stdin(input())), "");
        let read = |path| std::fs::read(path).expect("it was written");
        assert_eq!(read(&object), read(&again));
        let program = file("program");
        run(Command::new(gccs[k]).arg("-static").arg(&object).arg("-o").arg(&program));
        assert_eq!(run(Command::new(qemus[k]).arg(&program)), "abc\n");
        assert_eq!(run(&mut valgrind("builder")), "");
        run(Command::new(gccs[k]).arg("-static").arg(&object).arg("-o").arg(&program));
        assert_eq!(run(Command::new(qemus[k]).arg(&program)), "385\n");
        assert_eq!(run(&mut valgrind("machine")), "");
        run(Command::new(gccs[k]).arg("-static").arg(&object).arg("-o").arg(&program).arg("-lm"));
        assert_eq!(run(Command::new(qemus[k]).arg(&program)), "42 12 30 4 7 6\n");
    }
}

/// Every function of the header is in the library, and the other way round.
#[test]
fn the_header_has_what_the_library_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("capi");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("it is there");
    let names = |text: &str, before: &[&str]| {
        let mut names = Vec::new();
        for (at, _) in text.match_indices("sysyc_") {
            let rest = &text[at..];
            let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let is_name = before.iter().any(|before| text[..at].ends_with(before));
            if is_name && rest[end..].starts_with('(') {
                names.push(rest[..end].to_string());
            }
        }
        names.sort();
        names.dedup();
        names
    };
    let sources: String =
        ["lib", "declare", "build", "memory"].map(|name| read(&format!("src/{name}.rs"))).concat();
    let (ours, header) = (names(&sources, &["fn "]), names(&read("include/sysyc.h"), &[" ", "*"]));
    assert!(ours.len() > 70 && ours == header, "{ours:#?}\n{header:#?}");
}
