//! Products and quotients of integers of any width in text, against numbers that are computed here, on every target and
//! level: random operands and those at the edges. A function takes the addresses of two operands and of its result.

#![allow(clippy::panic, clippy::expect_used)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const TARGETS: [(&str, &str, &str); 3] = [
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "arm-linux-gnueabihf-gcc", "qemu-arm"),
];

const WIDTHS: [u32; 19] = [3, 7, 17, 24, 31, 33, 40, 47, 48, 63, 65, 80, 96, 100, 127, 128, 129, 200, 256];
const OPS: [&str; 5] = ["mul", "udiv", "sdiv", "urem", "srem"];

fn run(folder: &Path, command: &mut Command) -> String {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    said
}

/// Bytes of a number of 256 bits, of which so many bits count.
type Number = [u8; 32];

fn cut(mut x: Number, bits: u32) -> Number {
    for (k, byte) in x.iter_mut().enumerate() {
        let left = (bits as usize).saturating_sub(8 * k).min(8);
        *byte &= ((1u32 << left) - 1) as u8;
    }
    x
}

/// The product, byte by byte.
fn product(x: &Number, y: &Number) -> Number {
    let mut sums = [0u32; 33];
    for (i, &x) in x.iter().enumerate() {
        let mut carry = 0;
        for (k, &y) in (i..32).zip(y) {
            let sum = sums[k] + u32::from(x) * u32::from(y) + carry;
            (sums[k], carry) = (sum & 0xff, sum >> 8);
        }
    }
    std::array::from_fn(|k| sums[k] as u8)
}

fn wide(x: u128) -> Number {
    let mut number = [0; 32];
    number[..16].copy_from_slice(&x.to_le_bytes());
    number
}

fn low(x: &Number) -> u128 {
    u128::from_le_bytes(std::array::from_fn(|k| x[k]))
}

/// What an operation yields, if it is defined; quotients up to 128 bits.
fn expected(op: &str, bits: u32, x: &Number, y: &Number) -> Option<Number> {
    let unused = 128u32.saturating_sub(bits);
    let signed = |x: &Number| (low(x) << unused).cast_signed() >> unused;
    let (a, b) = (low(x), low(y));
    let (sa, sb) = (signed(x), signed(y));
    let is_least = sa == i128::MIN >> unused && sb == -1;
    let result = match op {
        "mul" => product(x, y),
        _ if b == 0 => return None,
        "udiv" => wide(a / b),
        "urem" => wide(a % b),
        _ if is_least => return None,
        "sdiv" => wide((sa / sb).cast_unsigned()),
        _ => wide((sa % sb).cast_unsigned()),
    };
    Some(cut(result, bits))
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number: at an edge, of few bits, or any.
    fn number(&mut self, bits: u32) -> Number {
        let mut x: Number = std::array::from_fn(|_| self.next() as u8);
        match self.next() % 6 {
            0 => x = wide((self.next() % 3).into()),
            1 => x = std::array::from_fn(|_| 0xff),
            2 => {
                x = [0; 32];
                x[(bits as usize - 1) / 8] = 1 << ((bits - 1) % 8);
            }
            3 => x = cut(x, 1 + self.next() as u32 % bits),
            4 => x = std::array::from_fn(|k| if k % 4 == 3 { 0 } else { 0xff }),
            _ => {}
        }
        cut(x, bits)
    }
}

/// True if the machine, of so many bits, has the operation.
fn is_there(op: &str, bits: u32, machine: u32) -> bool {
    op == "mul" || bits <= if machine == 64 { 128 } else { 64 }
}

#[test]
fn products_and_quotients_of_any_width_are_right() {
    for (target, gcc, qemu) in TARGETS {
        let machine = if target == "armv7" { 32 } else { 64 };
        let (mut text, mut c) = (String::new(), String::new());
        let mut rows = String::new();
        let (mut random, mut count) = (Random(9), 0);
        for (bits, op) in WIDTHS.into_iter().flat_map(|bits| OPS.map(|op| (bits, op))) {
            if !is_there(op, bits, machine) {
                continue;
            }
            let _ = write!(
                text,
                "define void @{op}{bits}(ptr %a, ptr %b, ptr %to) {{\n  %x = load i{bits}, ptr %a, align 8\n  \
                 %y = load i{bits}, ptr %b, align 8\n  %z = {op} i{bits} %x, %y\n  store i{bits} %z, ptr %to, align 8\n  ret void\n}}\n"
            );
            let _ = writeln!(c, "void {op}{bits}(const void *, const void *, void *);");
            for _ in 0..40 {
                let (x, y) = (random.number(bits), random.number(bits));
                let Some(z) = expected(op, bits, &x, &y) else { continue };
                let list = |x: &Number| x.map(|byte| byte.to_string()).join(",");
                let _ = writeln!(
                    rows,
                    "  {{\"{op}{bits}\", {op}{bits}, {}, {{{}}}, {{{}}}, {{{}}}}},",
                    bits.div_ceil(8),
                    list(&x),
                    list(&y),
                    list(&z)
                );
                count += 1;
            }
        }
        assert!(count > 1500, "{count}");
        c = format!(
            "#include <stdio.h>\n#include <string.h>\n{c}typedef unsigned char number[32];\n\
             static const struct {{ const char *name; void (*run)(const void *, const void *, void *); int bytes; \
             _Alignas(8) number x, y, z; }} rows[] = {{\n{rows}}};\n\
             int main(void) {{\n  int bad = 0;\n  for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {{\n    \
             _Alignas(8) number to; memset(to, 0x55, sizeof to);\n    rows[k].run(rows[k].x, rows[k].y, to);\n    \
             if (memcmp(to, rows[k].z, rows[k].bytes) && bad++ < 9) printf(\"%s: row %u\\n\", rows[k].name, k);\n    \
             for (int at = rows[k].bytes; at < 32; at++) if (to[at] != 0x55 && bad++ < 9) printf(\"%s: behind\\n\", rows[k].name);\n  \
             }}\n  return 0;\n}}\n"
        );
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        std::fs::write(folder.join("c.c"), c).expect("it can be written");
        std::fs::write(folder.join("t.ll"), text).expect("it can be written");
        run(folder, Command::new(gcc).args(["-O0", "-c", "c.c"]));
        for level in ["-O0", "-O1", "-O2"] {
            let target = format!("--target={target}");
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            assert_eq!(run(folder, ours.args([level, "-c", "-fverify", &target, "-o", "t.o", "t.ll"])), "");
            run(folder, Command::new(gcc).args(["-static", "-o", "p", "t.o", "c.o"]));
            assert_eq!(run(folder, Command::new(qemu).arg("p")), "", "{target} {level}");
        }
    }
}

/// What no machine has by itself, and no library has for it.
#[test]
fn quotients_of_more_bits_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (target, ..) in TARGETS {
        let machine = if target == "armv7" { 32 } else { 64 };
        for (bits, op) in WIDTHS.into_iter().flat_map(|bits| OPS.map(|op| (bits, op))) {
            let text = format!(
                "define void @f(ptr %a) {{\n  %x = load i{bits}, ptr %a\n  %z = {op} i{bits} %x, %x\n  ret void\n}}\n"
            );
            std::fs::write(folder.path().join("t.ll"), text).expect("it can be written");
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            ours.args(["-S", "-o", "t.s", "t.ll"]).arg(format!("--target={target}"));
            let done = ours.current_dir(folder.path()).output().expect("our command runs");
            let said = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.success(), is_there(op, bits, machine), "{target}: {said}");
            let is_told =
                said.contains(&format!("`{op}` of i{bits} is not supported")) && said.contains("t.ll:3:");
            assert!(done.status.success() || is_told, "{target}: {said}");
        }
    }
}
