//! IR text as a part of programs: `parts/parts.ll` by us, `parts/parts.c` by the cross compilers, which call
//! each other, see each other's data, and check it. As an object and as assembly, on every target and level.

#![allow(clippy::panic)]

use std::path::Path;
use std::process::Command;

const TARGETS: [(&str, &str, &str); 3] = [
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "arm-linux-gnueabihf-gcc", "qemu-arm"),
];

fn run(folder: &Path, command: &mut Command) -> String {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    said
}

#[test]
fn text_and_c_make_one_program() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parts");
    for (target, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        let c = source.join("parts.c");
        // What the stack is aligned to.
        let align = if target == "armv7" { "8" } else { "16" };
        let text = std::fs::read_to_string(source.join("parts.ll")).expect("it is there");
        std::fs::write(folder.join("parts.ll"), text.replace("ALIGN", align)).expect("it can be written");
        run(folder, Command::new(gcc).args(["-O1", "-Wall", "-Werror", "-c", "-o", "c.o"]).arg(c));
        for level in ["-O0", "-O1"] {
            for (form, part) in [("-c", "t.o"), ("-S", "t.s")] {
                let target = format!("--target={target}");
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, form, "-fverify", &target, "-o", part]).arg("parts.ll");
                assert_eq!(run(folder, &mut ours), "");
                run(folder, Command::new(gcc).args(["-static", "-o", "p", part, "c.o"]));
                assert_eq!(run(folder, Command::new(qemu).arg("p")), "", "{target} {level} {form}");
            }
        }
    }
}
