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

/// x - y, and whether that is less than 0.
fn difference(x: &Number, y: &Number) -> (Number, bool) {
    let (mut out, mut borrow) = ([0; 32], false);
    for (k, byte) in out.iter_mut().enumerate() {
        let (less, a) = x[k].overflowing_sub(y[k]);
        let (less, b) = less.overflowing_sub(u8::from(borrow));
        (*byte, borrow) = (less, a || b);
    }
    (out, borrow)
}

/// Quotient and remainder, bit by bit.
fn quotient(x: &Number, y: &Number) -> (Number, Number) {
    let (mut whole, mut rest) = ([0; 32], [0; 32]);
    for bit in (0..256).rev() {
        let out = rest[31] >> 7 != 0;
        let mut carry = x[bit / 8] >> (bit % 8) & 1;
        for byte in &mut rest {
            let up = *byte >> 7;
            *byte = *byte << 1 | carry;
            carry = up;
        }
        let (less, is_less) = difference(&rest, y);
        if out || !is_less {
            rest = less;
            whole[bit / 8] |= 1 << (bit % 8);
        }
    }
    (whole, rest)
}

/// What an operation yields, if it is defined.
fn expected(op: &str, bits: u32, x: &Number, y: &Number) -> Option<Number> {
    let is_negative = |x: &Number| x[(bits as usize - 1) / 8] >> ((bits - 1) % 8) & 1 != 0;
    let negated = |x: &Number| cut(difference(&[0; 32], x).0, bits);
    let magnitude = |x: &Number| if is_negative(x) { negated(x) } else { *x };
    let signed = |minus: bool, x: Number| if minus { negated(&x) } else { cut(x, bits) };
    if op == "mul" {
        return Some(cut(product(x, y), bits));
    }
    // The least number by -1 does not fit.
    let does_not_fit = is_negative(x) && negated(x) == *x && *y == cut([0xff; 32], bits);
    if *y == [0; 32] || op.starts_with('s') && does_not_fit {
        return None;
    }
    let (whole, rest) = quotient(x, y);
    let (of_signed, rest_of_signed) = quotient(&magnitude(x), &magnitude(y));
    Some(match op {
        "udiv" => whole,
        "urem" => rest,
        "sdiv" => signed(is_negative(x) != is_negative(y), of_signed),
        _ => signed(is_negative(x), rest_of_signed),
    })
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

#[test]
fn products_and_quotients_of_any_width_are_right() {
    for (target, gcc, qemu) in TARGETS {
        let (mut text, mut c) = (String::new(), String::new());
        let mut rows = String::new();
        let (mut random, mut count) = (Random(9), 0);
        for (bits, op) in WIDTHS.into_iter().flat_map(|bits| OPS.map(|op| (bits, op))) {
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
