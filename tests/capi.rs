//! The C ABI (`capi/`): a client in C, with the static and the shared library, under valgrind, makes an object that
//! runs; and what can be wrong is a status.

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
    build.args(["build", "--quiet", "--locked", "-p", "sysyc-capi", "--target-dir"]).arg(target);
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
    let shared = libraries.join("libsysyc_capi.so");
    for (library, client) in [(libraries.join("libsysyc_capi.a"), "static"), (shared, "shared")] {
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-I"]).arg(root.join("capi/include"));
        gcc.arg(root.join("capi/examples/client.c")).arg("-o").arg(file(client)).arg(library);
        run(gcc.args(["-lpthread", "-ldl", "-lm"]));
    }
    run(Command::new("g++")
        .args(["-fsyntax-only", "-Wall", "-Werror", "-x", "c++"])
        .arg(root.join("capi/include/sysyc.h")));
    let gccs = ["riscv64-linux-gnu-gcc", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc"];
    let qemus = ["qemu-riscv64", "qemu-aarch64", "qemu-arm"];
    for (k, machine) in ["riscv64", "aarch64", "armv7"].into_iter().enumerate() {
        let input = || std::fs::File::open(file("x.ll")).expect("it is there");
        let (object, again) = (file("x.o"), file("y.o"));
        let mut valgrind = Command::new("valgrind");
        valgrind.args([
            "-q",
            "--error-exitcode=9",
            "--leak-check=full",
            "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite",
        ]);
        let valgrind = valgrind.arg(file("static")).arg(machine).arg(&object).arg("wrong");
        assert_eq!(run(valgrind.stdin(input())), "");
        let mut client = Command::new(file("shared"));
        let client = client.env("LD_LIBRARY_PATH", &libraries).arg(machine).arg(&again);
        assert_eq!(run(client.stdin(input())), "");
        let read = |path| std::fs::read(path).expect("it was written");
        assert_eq!(read(&object), read(&again));
        let program = file("program");
        run(Command::new(gccs[k]).arg("-static").arg(&object).arg("-o").arg(&program));
        assert_eq!(run(Command::new(qemus[k]).arg(&program)), "abc\n");
    }
}
