//! One road: what comes out depends on the program, the target and the level, and on nothing else. Objects
//! are compared over windows, workers, `-g` (code and data), verification, dumps, reports, and a warning that
//! the program then has; at every level.
//!
//! Cost: two dozen compiles a program and level, most of some milliseconds.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use crate::generate;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use sysyc::isa::TARGETS;
use sysyc::object::module::SHF_ALLOC;
use sysyc::object::read::read;

const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// Ways to ask for the same code.
const WAYS: [&[&str]; 16] = [
    &["-fwindow=1"],
    &["-fpack=0"],
    &["-fpack=0", "-fwindow=700", "-j2"],
    &["-fwindow=700", "-j2"],
    &["-fwindow=5000"],
    &["-fwindow=1000000000", "-j8"],
    &["-j2"],
    &["-j8", "-fwindow=100"],
    &["-fverify"],
    &["-fverify", "-j2", "-fwindow=300"],
    &["-fprint-after=all"],
    &["-fprint-before=drop_unused", "-fwindow=900"],
    &["-ftime-report"],
    &["-fbisect=1000000", "-j2"],
    &["-Wall", "-Wextra"],
    &["-Wall", "-Wextra", "-j8", "-fwindow=200"],
];
/// The same, at the levels of which `drop_unused` is the last pass.
const STOPPED: &[&str] = &["-fstop-after=drop_unused"];

fn programs(folder: &Path) -> Vec<PathBuf> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let names = ["unused", "float_print", "global_init", "timers", "const_tables", "float_math"];
    let mut list: Vec<PathBuf> = names.iter().map(|name| suite.join(format!("{name}.sy"))).collect();
    list.retain(|path| path.exists());
    assert!(list.len() > 1, "programs of the suite");
    for (family, lines) in [("mixed", 400), ("loose", 300), ("many_globals", 200), ("call_chains", 200)] {
        let path = folder.join(format!("{family}.sy"));
        fs::write(&path, generate::program(family, 3, lines)).expect("it can be written");
        list.push(path);
    }
    list
}

fn compile(program: &Path, flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let done = command.args(flags).args(["-o", "-"]).arg(program).output().expect("it runs");
    assert!(
        done.status.success(),
        "{} {flags:?}\n{}",
        program.display(),
        String::from_utf8_lossy(&done.stderr)
    );
    done
}

#[test]
fn objects_are_the_same_however_they_are_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (k, program) in programs(folder.path()).iter().enumerate() {
        let target = ["riscv64", "aarch64", "armv7"][k % 3];
        for level in LEVELS {
            let with =
                |more: &[&str]| compile(program, &[&["-c", level, "--target", target, "-w"], more].concat());
            let first = with(&[]).stdout;
            let stopped = Some(STOPPED).filter(|_| matches!(level, "-O0" | "-O1"));
            for way in WAYS.into_iter().chain(stopped) {
                assert!(with(way).stdout == first, "{} {target} {level} {way:?}", program.display());
            }
        }
    }
}

/// Functions with images of local arrays, and ones that keep results in a table.
fn tables(count: usize) -> String {
    let mut text = "int z[50];\n".to_string();
    for k in 0..count {
        let numbers: Vec<String> = (0..40).map(|i| (i * k + 3).to_string()).collect();
        text += &format!(
            "int fib{k}(int n) {{ if (n < 2) return n + {k}; return fib{k}(n - 1) + fib{k}(n - 2); }}\n\
             int g{k}(int p[], int x) {{\n int a[40] = {{{}}}; int s = 0, i = 0;\n\
             while (i < 12) {{ a[(i * x + x) % 12] = a[(i + x) % 40] + p[i]; s = s + a[i]; i = i + 1; }}\n\
             return s + fib{k}(x % 20);\n}}\n",
            numbers.join(", ")
        );
    }
    let calls: String = (0..count).map(|k| format!(" s = s + g{k}(z, n + {k});")).collect();
    text + &format!("int main() {{ int n = getint(), s = 0;{calls} putint(s); return 0; }}\n")
}

/// IR whose images are numbered as functions name them, and sorted.
fn renumbered(text: &str) -> String {
    const IMAGE: &str = "@.lit.";
    let is_image = |line: &&str| line.starts_with(IMAGE);
    let mut known: Vec<String> = Vec::new();
    let mut rename = |line: &str| {
        let mut parts = line.split(IMAGE);
        let mut renamed = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let number = &part[..end];
            let k = known.iter().position(|other| other == number).unwrap_or(known.len());
            if k == known.len() {
                known.push(number.to_string());
            }
            renamed += &format!("@image{k}{}", &part[end..]);
        }
        renamed
    };
    let rest: Vec<String> = text.lines().filter(|line| !is_image(line)).map(&mut rename).collect();
    let mut images: Vec<String> = text.lines().filter(is_image).map(&mut rename).collect();
    images.sort();
    [rest, images].concat().join("\n")
}

/// What `-fwindow` may change, and nothing else: in which order images of arrays stand and are numbered, where tables of
/// results stand among them.
#[test]
fn windows_change_nothing_but_the_order_of_images() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("tables.sy");
    fs::write(&program, tables(20)).expect("it can be written");
    for level in LEVELS {
        let whole = |more: &[&str]| {
            let done = compile(&program, &[&["--emit=ir", level, "-w"], more].concat());
            String::from_utf8(done.stdout).expect("text")
        };
        let first = whole(&["-fwindow=1000000000"]);
        let has_tables = first.contains("@.lit.") && first.contains("global [");
        assert!(has_tables || matches!(level, "-O0" | "-O1" | "-Os"), "{level}: {first}");
        for way in [&["-fwindow=1"][..], &["-fwindow=1000", "-j2"], &["-fwindow=5000"]] {
            let other = whole(way);
            assert!(renumbered(&other) == renumbered(&first), "{level} {way:?}");
            assert!(other == first || has_tables, "{level} {way:?}");
        }
    }
}

/// Text whose functions call up and down, in circles, and by address, with what no declaration says: functions of the C library,
/// signatures, addresses, and tables of results.
fn circles(count: usize) -> String {
    let mut text =
        "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n@g = global [9 x i32] zeroinitializer\n"
            .to_string();
    for k in 0..count {
        let (next, back, far) = ((k + 1) % count, k / 2, (k * 7 + 3) % count);
        let calls = match k % 4 {
            0 => format!("call i32 @f{far}(ptr %p, i32 %x)"),
            1 => format!("call i32 @f{back}(ptr %p, i32 %x)"),
            2 => format!("call i32 %p(ptr @f{next}, i32 %x, i64 {k})"),
            _ => format!("call i32 @fib{k}(i32 %x)"),
        };
        text += &format!(
            "define {} i32 @f{k}(ptr %p, i32 %x) {{\n %a = alloca [{} x i32]\n \
             %e = getelementptr i32, ptr %a, i32 %x\n store i32 {k}, ptr %e\n %r = {calls}\n \
             {}store i32 %r, ptr @g\n %v = load i32, ptr %e\n %s = add i32 %r, %v\n ret i32 %s\n}}\n",
            if k % 3 == 0 { "internal" } else { "" },
            k + 2,
            if k % 5 == 0 {
                "call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %a, i64 8, i1 false)\n "
            } else {
                ""
            },
        );
        if k % 4 == 3 {
            text += &format!(
                "define i32 @fib{k}(i32 %n) {{\n %c = icmp slt i32 %n, 2\n br i1 %c, label %one, label %more\none:\n ret i32 {k}\n\
                 more:\n %a = sub i32 %n, 1\n %b = sub i32 %n, 2\n %x = call i32 @fib{k}(i32 %a)\n \
                 %y = call i32 @fib{k}(i32 %b)\n %z = add i32 %x, %y\n ret i32 %z\n}}\n"
            );
        }
    }
    text
}

#[test]
fn text_gives_the_same_however_many_bodies_are_read_at_a_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut texts = vec![circles(40)];
    for program in programs(folder.path()) {
        let done = compile(&program, &["--emit=ir", "-O0", "-w", "--target=riscv64"]);
        texts.push(String::from_utf8(done.stdout).expect("text"));
    }
    let path = folder.path().join("x.ll");
    let packed: [&[&str]; 2] = [&["-fwindow=1"], &["-j2", "-fwindow=300"]];
    for text in texts {
        fs::write(&path, text).expect("it can be written");
        for level in LEVELS {
            for form in ["-c", "-S"] {
                let with =
                    |more: &[&str]| compile(&path, &[&[form, level, "--target=riscv64"], more].concat());
                let first = with(&["-fwindow=1000000000"]).stdout;
                for way in WAYS.iter().filter(|way| !way.contains(&"-fpack=0")) {
                    assert!(with(way).stdout == first, "{level} {way:?}");
                }
                // Numbers of instructions are others behind packing.
                let first = with(&["-fpack=0"]).stdout;
                for way in packed {
                    let way = [&["-fpack=0"], way].concat();
                    assert!(with(&way).stdout == first, "{level} {way:?}");
                }
            }
            let shown = |more: &[&str]| {
                compile(&path, &[&["-c", level, "--target=riscv64", "-fprint-after=simplify"], more].concat())
                    .stderr
            };
            assert!(shown(&[]) == shown(&["-fwindow=1", "-j2"]), "{level}");
        }
    }
}

#[test]
fn errors_of_text_are_the_same_however_many_bodies_are_read_at_a_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, out) = (folder.path().join("x.ll"), folder.path().join("x.o"));
    let text = circles(40);
    // In the first body, one in the middle, and the last.
    let damaged = text.replace("store i32 0,", "stor i32 0,").replace("store i32 20,", "stre i32 20,");
    let damaged = damaged.replace("ret i32 39\n", "ret i32 %none\n");
    let last = text.replace("ret i32 39\n", "ret i32 %none\n");
    for (text, count) in [(damaged, 3), (last, 1)] {
        fs::write(&path, text).expect("it can be written");
        for level in LEVELS {
            let said = |more: &[&str]| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                command.args(["-c", level, "--target=riscv64", "-Rpass=.*", "-o"]).arg(&out).arg(&path);
                let done = command.args(more).output().expect("it runs");
                assert!(!done.status.success() && !out.exists(), "{level} {more:?}");
                String::from_utf8(done.stderr).expect("text")
            };
            let first = said(&["-fwindow=1000000000"]);
            assert_eq!(first.matches("error[ir]").count(), count, "{first}");
            assert!(first.contains("`%none`") && !first.contains("remark["), "{first}");
            for way in [&["-fwindow=1"][..], &["-fwindow=200", "-j2"], &["-fwindow=1", "-j8", "-fverify"]] {
                assert_eq!(said(way), first, "{level} {way:?}");
            }
        }
    }
}

/// The bytes of the sections that a program is made of.
fn loaded(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let object = read(bytes, TARGETS[0].elf).expect("an object");
    let rows = object.sections.iter().filter(|(_, row)| row.flags & SHF_ALLOC != 0);
    rows.map(|(_, row)| (row.name.to_string(), row.data.to_vec())).collect()
}

#[test]
fn code_and_data_are_the_same_with_debug_information() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for program in programs(folder.path()) {
        for level in LEVELS {
            let plain = compile(&program, &["-c", level, "-w"]).stdout;
            let plain = loaded(&plain);
            for way in [&["-g"][..], &["-g", "-j2", "-fwindow=300"], &["-g", "-fverify"], &["-g", "-Wextra"]]
            {
                let told = compile(&program, &[&["-c", level], way].concat()).stdout;
                assert!(plain == loaded(&told), "{} {level} {way:?}", program.display());
            }
        }
    }
}

#[test]
fn assembly_is_the_same_beside_dumps_and_messages() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for program in programs(folder.path()) {
        for level in LEVELS {
            let text = compile(&program, &["-S", level, "-w"]).stdout;
            let dumped = compile(&program, &["--emit=tokens,tree,ir,mir,asm", level, "-w"]).stdout;
            assert!(
                dumped.ends_with(&text) && dumped.len() > 2 * text.len(),
                "{} {level}",
                program.display()
            );
            let whole = compile(&program, &["--emit=tokens,asm", level, "-w", "-j2", "-fwindow=100"]).stdout;
            assert!(whole.ends_with(&text), "{} {level}", program.display());
            let dumps = [1, 500, 1_000_000].map(|window| {
                let window = format!("-fwindow={window}");
                compile(&program, &["--emit=ir", level, "-w", "-fprint-after=all", &window])
            });
            assert!(dumps[0].stdout == dumps[1].stdout && dumps[1].stdout == dumps[2].stdout);
            assert!(dumps[0].stderr == dumps[1].stderr && dumps[1].stderr == dumps[2].stderr);
        }
    }
}

#[test]
fn a_warning_is_said_once_in_the_order_of_the_text_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("warned.sy");
    let text = generate::program("mixed", 5, 300);
    let plain = text.replacen("int main() {", "int main() {\n  int unused_one = getint();\n", 1);
    fs::write(&path, &plain).expect("it can be written");
    for level in LEVELS {
        let silent = compile(&path, &["-c", level, "-w"]);
        let loud = compile(&path, &["-c", level, "-Wall"]);
        let said = String::from_utf8_lossy(&loud.stderr);
        assert_eq!(said.matches("'unused_one'").count(), 1, "{said}");
        assert!(silent.stdout == loud.stdout && silent.stderr.is_empty());
        for jobs in ["-j2", "-j8"] {
            let again = compile(&path, &["-c", level, "-Wall", jobs, "-fwindow=50"]);
            assert!(again.stderr == loud.stderr && again.stdout == loud.stdout);
        }
    }
}

/// A backslash at the end of a line is as good as a blank; then the scan does not find the body, and the
/// program is read as a whole.
#[test]
fn a_program_that_is_read_as_a_whole_is_the_same_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, other) = (folder.path().join("plain.sy"), folder.path().join("whole.sy"));
    let text = generate::program("mixed", 6, 300);
    fs::write(&path, text.replacen("int main() {", "int main()   {", 1)).expect("it can be written");
    fs::write(&other, text.replacen("int main() {", "int main() \\\n{", 1)).expect("it can be written");
    for level in LEVELS {
        let objects = [&path, &other].map(|path| compile(path, &["-c", level, "-w"]).stdout);
        assert!(objects[0] == objects[1], "{level}");
    }
}
