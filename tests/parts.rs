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

/// A source that is a part of a program, with another source, and with C.
#[test]
fn sources_and_c_make_one_program() {
    const MAIN: &str = "extern int count; extern float ratio[2][3]; extern const int limit;
        int next(int step); float sum(float a[][3], int); int back(int n) { if (n <= 0) return count; return next(-n); }
        int main() { count += 2; putint(back(3)); putch(32); putint(back(-1)); putch(32);
            for (int k = 0; k < 2; k++) ratio[k][1] += k + 1;
            putfloat(sum(ratio, 2)); putch(32); return limit; }";
    const PART: &str = "int count = 40; float ratio[2][3] = {1.5, 2.5, 3.5}; const int limit = 7; int back(int n);
        int next(int step) { count -= step; return back(step); }
        float sum(float a[][3], int n) { float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s += a[i][j]; return s; }";
    const EXPECTED: &str = "45 45 0x1.5p+3 ";
    const C: &str = "extern int count; extern float ratio[2][3]; extern const int limit; int next(int); float sum(float (*)[3], int);
        int back(int n) { return n <= 0 ? count : next(-n); }
        int main(void) { count += 2; return back(3) == 45 && sum(ratio, 2) == 7.5f && limit == 7 ? 0 : 1; }";
    for (target, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        for (name, text) in [("main.sy", MAIN), ("part.sy", PART), ("c.c", C)] {
            std::fs::write(folder.join(name), text).expect("it can be written");
        }
        run(folder, Command::new(gcc).args(["-O1", "-c", "c.c"]));
        for level in ["-O0", "-O1", "-O2"] {
            let sysyc = |args: &[&str]| {
                let target = format!("--target={target}");
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, "-fverify", &target]).args(args);
                assert_eq!(run(folder, &mut ours), "");
            };
            let executed = |program: &str| {
                let done = Command::new(qemu).arg(program).current_dir(folder).output().expect("qemu runs");
                (String::from_utf8_lossy(&done.stdout).into_owned(), done.status.code())
            };
            sysyc(&["main.sy", "part.sy", "-o", "p"]);
            assert_eq!(executed("p"), (EXPECTED.to_string(), Some(7)), "{target} {level}");
            sysyc(&["-c", "-g", "main.sy", "part.sy"]);
            sysyc(&["part.o", "main.o", "-o", "q"]);
            assert_eq!(executed("q"), (EXPECTED.to_string(), Some(7)), "{target} {level}");
            for (form, part) in [("-c", "part.o"), ("-S", "part.s")] {
                sysyc(&[form, "part.sy"]);
                run(folder, Command::new(gcc).args(["-static", "-o", "r", part, "c.o"]));
                assert_eq!(executed("r").1, Some(0), "{target} {level} {form}");
            }
        }
    }
}
