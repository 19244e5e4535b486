//! Machine IR in text: a program that is printed behind a machine pass and read again goes on to the same code, on every
//! target and at every level; and what the command says of text that is none.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Loops, calls, floats, an array on the stack and one in memory, a value that is needed behind calls, wide constants.
const PROGRAM: &str = "int table[64]; float ratio = 1.5;
int twice(int x) { if (x > 40) { putint(x); } return x * 2; }
int sum(int a[], int n, float f[]) {
    int local[16] = {1, 2, 3}; int s = 0; int i = 0;
    while (i < n) {
        local[i % 16] = local[(i + 3) % 16] + a[i];
        if (a[i] % 3 == 1) { s = s + twice(a[i]) / 7; } else { f[i] = f[i] * ratio + s; }
        i = i + 1;
    }
    return s * 123456789 + local[n % 16];
}
int halves(int n) { int k = 0; while (n != 0) { n = n / 2; k = k + 1; } return k; }
int main() {
    float f[64]; int i = 0;
    while (i < 64) { table[i] = i * i; f[i] = i; i = i + 1; }
    putint(sum(table, getint() % 64, f)); putfloat(f[5]); return halves(table[9]);
}
";

const MACHINES: [&str; 5] = [
    "--target=riscv64",
    "--target=riscv64 -march=rv64gcv",
    "--target=aarch64",
    "--target=armv7",
    "--target=armv7 -march=armv7ve+neon",
];

/// The standard output, or what is said if there is none.
fn sysyc(folder: &Path, line: &str) -> Result<String, String> {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc")).current_dir(folder).args(line.split(' ')).output();
    let done = done.expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
}

/// Functions without the data behind them.
fn functions(text: &str) -> Vec<&str> {
    let is_data = |line: &&str| {
        line.starts_with("\t.data") || line.starts_with("\t.bss") || line.starts_with("\t.section")
    };
    text.lines().take_while(|line| !is_data(line)).collect()
}

#[test]
fn what_is_printed_behind_a_pass_goes_on_to_the_same_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("x.sy"), PROGRAM).expect("it is written");
    for machine in MACHINES {
        for level in ["-O0", "-O1", "-O2"] {
            let how = format!("{machine} {level}");
            let direct = sysyc(folder, &format!("{how} -S x.sy -o -")).expect("it compiles");
            for pass in ["select", "delay", "allocate", "order", "tails"] {
                let emit = format!("{how} --emit=mir -fstop-after={pass}");
                let text = sysyc(folder, &format!("{emit} x.sy -o -")).expect("it is printed");
                fs::write(folder.join("x.mir"), &text).expect("it is written");
                let through = sysyc(folder, &format!("{how} -S x.mir -o -")).expect("it is read");
                assert_eq!(functions(&through), functions(&direct), "{how}, behind {pass}");
            }
            // A pass that is left out may be the last all the same, and the others come to where they come without a stop.
            let text = sysyc(folder, &format!("{how} --emit=mir -fstop-after=select x.sy -o -"))
                .expect("it is printed");
            fs::write(folder.join("y.mir"), &text).expect("it is written");
            for pass in ["allocate", "tails", "frame", "finalise", "relax"] {
                let emit = format!("{how} --emit=mir -fstop-after={pass}");
                let now = sysyc(folder, &format!("{emit} x.sy -o -")).expect("it is printed");
                let later = sysyc(folder, &format!("{emit} y.mir -o -")).expect("it is read");
                assert_eq!(later, now, "{how}, up to {pass}");
            }
        }
    }
}

/// Addresses by the table of addresses, by distances, and of thread-local data of all models.
#[test]
fn position_independent_code_is_printed_and_read() {
    let text = "
@out = external global i32
@own = internal global [4 x i32] zeroinitializer
@gd = external thread_local global i32
@ie = external thread_local(initialexec) global i32
@le = internal thread_local(localexec) global i32 7
declare i32 @far(ptr)
declare ptr @llvm.threadlocal.address.p0(ptr)
define i32 @f(i32 %n) {
  %g = call ptr @llvm.threadlocal.address.p0(ptr @gd)
  %i = call ptr @llvm.threadlocal.address.p0(ptr @ie)
  %l = call ptr @llvm.threadlocal.address.p0(ptr @le)
  %a = load i32, ptr @out
  %p = getelementptr [4 x i32], ptr @own, i32 0, i32 %n
  %b = load i32, ptr %p
  %c = call i32 @far(ptr @far)
  %d = load i32, ptr %g
  %e = load i32, ptr %i
  %h = load i32, ptr %l
  %s1 = add i32 %a, %b
  %s2 = add i32 %s1, %c
  %s3 = add i32 %s2, %d
  %s4 = add i32 %s3, %e
  %s5 = add i32 %s4, %h
  store i32 %s5, ptr getelementptr (i8, ptr @own, i64 8)
  ret i32 %s5
}
!llvm.module.flags = !{!0}
!0 = !{i32 8, !\"PIC Level\", i32 2}
";
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("x.ll"), text).expect("it is written");
    for (machine, shown) in [
        ("--target=riscv64", ["la.got", "la.tls.gd", "thread.fixed"]),
        ("--target=aarch64", ["la_got", "descriptor", "thread_fixed"]),
        ("--target=armv7", ["la.got", "la.tls.gd", "la.pc"]),
    ] {
        for level in ["-O1", "-O2"] {
            let how = format!("{machine} {level}");
            let direct = sysyc(folder, &format!("{how} -S x.ll -o -")).expect("it compiles");
            for pass in ["select", "delay", "allocate", "order", "tails"] {
                let emit = format!("{how} --emit=mir -fstop-after={pass}");
                let text = sysyc(folder, &format!("{emit} x.ll -o -")).expect("it is printed");
                assert!(shown.iter().all(|name| text.contains(name)), "{how}: {text}");
                fs::write(folder.join("x.mir"), &text).expect("it is written");
                let through = sysyc(folder, &format!("{how} -S x.mir -o -")).expect("it is read");
                assert_eq!(functions(&through), functions(&direct), "{how}, behind {pass}");
            }
        }
    }
}

#[test]
fn what_machine_ir_cannot_be_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let text =
        "mir aarch64 after select\nfunction 0\nmb0\n    entry\n    v0:i4 = li_w #3\n    return v0@r0\n";
    fs::write(folder.join("x.mir"), text).expect("it is written");
    fs::write(folder.join("y.mir"), text.replace("li_w", "lee")).expect("it is written");
    let made = sysyc(folder, "--target=aarch64 -S x.mir -o -").expect("it is right");
    assert!(made.contains("mov\tw0, #3") || made.contains("mov w0, #3"), "{made}");
    for (line, what) in [
        ("--target=aarch64 -c x.mir", "has no data"),
        ("--target=armv7 -S x.mir -o -", "this is for aarch64"),
        ("--target=aarch64 -S y.mir -o -", "y.mir:5"),
    ] {
        let said = sysyc(folder, line).expect_err("it is wrong");
        assert!(said.contains(what), "{line}: {said}");
    }
}

#[test]
fn volatile_accesses_stay_in_their_order() {
    // Each address once, so that its access is known by its offset from the others.
    let accesses = "
        %a = load volatile i32, ptr @v
        %b = mul i32 %a, %i
        %c = mul i32 %b, %b
        store volatile i32 %c, ptr getelementptr (i8, ptr @v, i64 4)
        %d = load volatile i32, ptr getelementptr (i8, ptr @v, i64 8)
        %e = load volatile i32, ptr getelementptr (i8, ptr @v, i64 12)
        store volatile i32 %i, ptr getelementptr (i8, ptr @v, i64 16)";
    let text = format!(
        "@v = global [8 x i32] zeroinitializer
        define i32 @f(i32 %n) {{
        entry:
          br label %again
        again:
          %i = phi i32 [ 0, %entry ], [ %next, %again ]
          %s = phi i32 [ 0, %entry ], [ %t, %again ]{accesses}
          %u = add i32 %d, %e
          %t = add i32 %s, %u
          %next = add i32 %i, 1
          %more = icmp slt i32 %next, %n
          br i1 %more, label %again, label %done
        done:
          ret i32 %t
        }}
        "
    );
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("x.ll"), text).expect("it is written");
    for machine in MACHINES {
        for level in ["-O1", "-O2", "-O3"] {
            let how = format!("{machine} {level} -fno-unroll-loops -S x.ll -o -");
            let text = sysyc(folder, &how).expect("it compiles");
            let words = ["lw\t", "lw ", "ldr\t", "ldr ", "sw\t", "sw ", "str\t", "str ", "ldp", "stp", "ldm"];
            let kinds: String = text
                .lines()
                .map(str::trim_start)
                .filter(|line| words.iter().any(|word| line.starts_with(word)) && !line.contains("sp"))
                .map(|line| &line[..1])
                .collect();
            // A load, a store, two loads, a store; on no way are two of them one.
            assert!(kinds.contains("lslls"), "{how}: {kinds}\n{text}");
        }
    }
}

#[test]
fn nothing_passes_what_acquires_and_releases() {
    let text = "@flag = global i32 0
        @data = global [4 x i32] zeroinitializer
        @ready = global i32 0
        define i32 @f(i32 %n) {
        entry:
          br label %again
        again:
          %i = phi i32 [ 0, %entry ], [ %next, %again ]
          %s = phi i32 [ 0, %entry ], [ %t, %again ]
          %w = load atomic i32, ptr @flag acquire, align 4
          %v = mul i32 %w, %i
          %d = load i32, ptr @data
          %t = add i32 %s, %d
          %m = mul i32 %t, %v
          store i32 %m, ptr getelementptr (i32, ptr @data, i64 2)
          store atomic i32 %i, ptr @ready release, align 4
          %next = add i32 %i, 1
          %more = icmp slt i32 %next, %n
          br i1 %more, label %again, label %done
        done:
          ret i32 %t
        }
        ";
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("x.ll"), text).expect("it is written");
    for machine in MACHINES {
        for level in ["-O1", "-O2", "-O3"] {
            let how = format!("{machine} {level} -fno-unroll-loops -S x.ll -o -");
            let text = sysyc(folder, &how).expect("it compiles");
            // Loads and stores of integers, and what keeps them in order where that is an instruction of its own.
            let kind = |line: &str| match line.trim_start().split([' ', '\t']).next() {
                Some("lw" | "ldr" | "ldar") => Some('l'),
                Some("sw" | "str" | "stlr") => Some('s'),
                _ => None,
            };
            let kinds: String = text.lines().filter(|line| !line.contains("sp")).filter_map(kind).collect();
            let data = text
                .lines()
                .position(|line| line.contains("ldar") || line.contains("fence") || line.contains("dmb"));
            assert!(kinds.contains("llss") && data.is_some(), "{how}: {kinds}\n{text}");
            if let Some(first) = text.lines().position(|line| line.contains("ldar")) {
                let later =
                    text.lines().skip(first).filter(|line| line.contains("\tldr") || line.contains(" ldr"));
                assert_eq!(later.count(), 1, "{how}\n{text}");
                let last = text.lines().position(|line| line.contains("stlr")).expect("a release");
                let earlier =
                    text.lines().take(last).filter(|line| line.contains("\tstr") || line.contains(" str"));
                assert_eq!(earlier.count(), 1, "{how}\n{text}");
            }
        }
    }
}
