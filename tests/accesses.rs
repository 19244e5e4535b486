//! Random LLVM text with volatile and atomic accesses, `atomicrmw`, `cmpxchg` and fences among plain ones, and with fields of bits,
//! rotations and comparisons that are joined, in loops and branches, against a real LLVM: `lli` runs it, and so do the programs of
//! all targets, at all levels, under qemu.
//!
//! What is accessed overlaps: 128 bytes as i8, i16, i32 and i64, plain accesses of which may be at any byte, and by an index that is
//! computed. `SYSYC_FUZZ` is how many programs there are (8), `SYSYC_SEED` the
//! number of the first. Cost: a program takes a second and a half.

#![allow(clippy::panic, clippy::expect_used)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const TARGETS: [(&str, &str, &str); 3] = [
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "arm-linux-gnueabihf-gcc", "qemu-arm"),
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

struct Writer {
    text: String,
    random: Random,
    names: usize,
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    /// An instruction that has a result.
    fn value(&mut self, what: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.text, "  {name} = {what}");
        name
    }

    fn address(&mut self, bytes: usize) -> String {
        let at = self.random.below(128 / bytes) * bytes;
        self.value(&format!("getelementptr i8, ptr @m, i32 {at}"))
    }

    /// Any address for so many bytes, by an index that is a number of 32 or 64 bits.
    fn any_address(&mut self, sum: &str, bytes: usize) -> String {
        let most = [0, 63, 31, 15, 7][self.random.below(5)];
        let start = self.random.below(128 - bytes - most);
        let from = self.value(&format!("getelementptr i8, ptr @m, i32 {start}"));
        let index = match self.random.below(3) {
            0 => self.value(&format!("and i64 {sum}, {most}")),
            kind => {
                let word = self.narrow(sum, 32);
                let index = self.value(&format!("and i32 {word}, {most}"));
                self.value(&format!("{} i32 {index} to i64", ["zext", "sext"][kind - 1]))
            }
        };
        self.value(&format!("getelementptr i8, ptr {from}, i64 {index}"))
    }

    /// The number as an i64, taken into the sum.
    fn take(&mut self, sum: &str, bits: usize, value: &str) -> String {
        let extension = if bits == 1 { "zext" } else { self.random.pick(&["zext", "sext"]) };
        let wide = match bits {
            64 => value.to_string(),
            _ => self.value(&format!("{extension} i{bits} {value} to i64")),
        };
        let times = self.value(&format!("mul i64 {sum}, 31"));
        self.value(&format!("xor i64 {times}, {wide}"))
    }

    fn narrow(&mut self, sum: &str, bits: usize) -> String {
        if bits == 64 { sum.to_string() } else { self.value(&format!("trunc i64 {sum} to i{bits}")) }
    }

    /// A mask of ones side by side, most often at the lower end.
    fn mask(&mut self, bits: usize) -> i64 {
        let count = 1 + self.random.below(bits - 1);
        let ones = ((1u64 << count) - 1) as i64;
        match self.random.below(4) {
            0 => ones << self.random.below(bits - count + 1),
            _ => ones,
        }
    }

    /// Some bits of a number in another place.
    fn field(&mut self, ty: &str, bits: usize, of: &str) -> String {
        let mut v = of.to_string();
        for _ in 0..1 + self.random.below(3) {
            let what = self.random.pick(&["and", "shl", "lshr", "ashr"]);
            let by = if what == "and" { self.mask(bits) } else { self.random.below(bits) as i64 };
            v = self.value(&format!("{what} {ty} {v}, {by}"));
        }
        v
    }

    /// Comparisons that are joined, of some bits of the sum.
    fn truth(&mut self, sum: &str) -> String {
        let mut all = String::new();
        for k in 0..1 + self.random.below(4) {
            let bits = 8 << self.random.below(4);
            let v = self.narrow(sum, bits);
            let v = self.field(&format!("i{bits}"), bits, &v);
            let pred =
                self.random.pick(&["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]);
            let with = [0, 1, 31, 32, 100][self.random.below(5)] * [1, -1][self.random.below(2)];
            let mut one = match self.random.below(4) {
                0 if bits >= 32 => {
                    let [x, y] =
                        [v, with.to_string()].map(|x| self.value(&format!("sitofp i{bits} {x} to double")));
                    let pred = self.random.pick(&["oeq", "une", "olt", "oge", "one", "ueq"]);
                    self.value(&format!("fcmp {pred} double {x}, {y}"))
                }
                _ => self.value(&format!("icmp {pred} i{bits} {v}, {with}")),
            };
            if self.random.below(4) == 0 {
                one = self.value(&format!("xor i1 {one}, true"));
            }
            all = match k {
                0 => one,
                _ => {
                    let (op, [a, b]) = (self.random.pick(&["and", "or"]), [&all, &one]);
                    let what = if self.random.below(2) == 0 {
                        format!("{op} i1 {a}, {b}")
                    } else {
                        format!("{op} i1 {b}, {a}")
                    };
                    self.value(&what)
                }
            };
        }
        all
    }

    /// Fields of bits put together, a rotation, or what joined comparisons choose; the sum behind it.
    fn bits(&mut self, sum: &str) -> String {
        let bits = 32 << self.random.below(2);
        let ty = format!("i{bits}");
        let v = self.narrow(sum, bits);
        let v = match self.random.below(5) {
            0 => self.field(&ty, bits, &v),
            1 => {
                let (mask, part) = (self.mask(bits), self.field(&ty, bits, &v));
                let around = if bits == 32 { i64::from(!mask as i32) } else { !mask };
                let kept = self.value(&format!("and {ty} {v}, {around}"));
                let part = match self.random.below(3) {
                    0 => self.value(&format!("and {ty} {part}, {mask}")),
                    1 => {
                        let byte = self.narrow(sum, 8);
                        self.value(&format!("zext i8 {byte} to {ty}"))
                    }
                    _ => part,
                };
                self.value(&format!("or {ty} {kept}, {part}"))
            }
            2 => {
                let (other, by) = (self.field(&ty, bits, &v), 1 + self.random.below(bits - 1));
                let high = self.random.pick(&[&*v, &*other]).to_string();
                self.value(&format!("call {ty} @llvm.fshl.{ty}({ty} {high}, {ty} {v}, {ty} {by})"))
            }
            3 => {
                let truth = self.truth(sum);
                let other = self.field(&ty, bits, &v);
                self.value(&format!("select i1 {truth}, {ty} {v}, {ty} {other}"))
            }
            _ => {
                let truth = self.truth(sum);
                self.value(&format!("zext i1 {truth} to {ty}"))
            }
        };
        self.take(sum, bits, &v)
    }

    /// One access; the sum behind it.
    fn access(&mut self, sum: &str) -> String {
        const LOADS: [&str; 4] = ["unordered", "monotonic", "acquire", "seq_cst"];
        const STORES: [&str; 4] = ["unordered", "monotonic", "release", "seq_cst"];
        const BOTH: [&str; 5] = ["monotonic", "acquire", "release", "acq_rel", "seq_cst"];
        const OPS: [&str; 11] =
            ["xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"];
        let bits = 8 << self.random.below(4);
        let bytes = bits / 8;
        let volatile = self.random.pick(&["", "", "volatile "]);
        match self.random.below(13) {
            10.. => self.bits(sum),
            8 => {
                let address = self.any_address(sum, bytes);
                let value = self.value(&format!("load {volatile}i{bits}, ptr {address}, align 1"));
                self.take(sum, bits, &value)
            }
            9 => {
                let (address, value) = (self.any_address(sum, bytes), self.narrow(sum, bits));
                let _ = writeln!(self.text, "  store {volatile}i{bits} {value}, ptr {address}, align 1");
                sum.to_string()
            }
            0 => {
                let address = self.address(bytes);
                let value = self.value(&format!("load {volatile}i{bits}, ptr {address}, align {bytes}"));
                self.take(sum, bits, &value)
            }
            1 => {
                let (address, order) = (self.address(bytes), self.random.pick(&LOADS));
                let value = self
                    .value(&format!("load atomic {volatile}i{bits}, ptr {address} {order}, align {bytes}"));
                self.take(sum, bits, &value)
            }
            2 => {
                let (address, value) = (self.address(bytes), self.narrow(sum, bits));
                let _ =
                    writeln!(self.text, "  store {volatile}i{bits} {value}, ptr {address}, align {bytes}");
                sum.to_string()
            }
            3 => {
                let (address, order) = (self.address(bytes), self.random.pick(&STORES));
                let value = self.narrow(sum, bits);
                let _ = writeln!(
                    self.text,
                    "  store atomic {volatile}i{bits} {value}, ptr {address} {order}, align {bytes}"
                );
                sum.to_string()
            }
            4 | 5 => {
                let (address, op, order) =
                    (self.address(bytes), self.random.pick(&OPS), self.random.pick(&BOTH));
                let by = self.narrow(sum, bits);
                let old =
                    self.value(&format!("atomicrmw {volatile}{op} ptr {address}, i{bits} {by} {order}"));
                self.take(sum, bits, &old)
            }
            6 => {
                let (address, order) = (self.address(bytes), self.random.pick(&BOTH));
                // Half of the time it is what stands there.
                let expected = match self.random.below(2) {
                    0 => self.value(&format!("load i{bits}, ptr {address}, align {bytes}")),
                    _ => self.narrow(sum, bits),
                };
                let new = self.narrow(sum, bits);
                let pair = self.value(&format!(
                    "cmpxchg {volatile}ptr {address}, i{bits} {expected}, i{bits} {new} {order} monotonic"
                ));
                let old = self.value(&format!("extractvalue {{ i{bits}, i1 }} {pair}, 0"));
                let is_new = self.value(&format!("extractvalue {{ i{bits}, i1 }} {pair}, 1"));
                let sum = self.take(sum, bits, &old);
                self.take(&sum, 1, &is_new)
            }
            _ => {
                let order = self.random.pick(&["acquire", "release", "acq_rel", "seq_cst"]);
                let _ = writeln!(self.text, "  fence {order}");
                sum.to_string()
            }
        }
    }

    /// A function that goes round a loop with a branch in it.
    fn function(&mut self, number: usize) {
        let _ = writeln!(self.text, "define i64 @f{number}(i64 %seed) {{\nentry:\n  br label %head\nhead:");
        let _ = writeln!(
            self.text,
            "  %i = phi i32 [ 0, %entry ], [ %next, %join ]\n  %sum = phi i64 [ %seed, %entry ], [ %last, %join ]"
        );
        let mut sum = "%sum".to_string();
        for _ in 0..2 + self.random.below(5) {
            sum = self.access(&sum);
        }
        let _ = writeln!(
            self.text,
            "  %bit = and i64 {sum}, 1\n  %odd = icmp eq i64 %bit, 0\n  br i1 %odd, label %one, label %other\none:"
        );
        let mut one = sum.clone();
        for _ in 0..1 + self.random.below(3) {
            one = self.access(&one);
        }
        let _ = writeln!(self.text, "  br label %join\nother:");
        let mut other = sum;
        for _ in 0..self.random.below(3) {
            other = self.access(&other);
        }
        let _ = writeln!(
            self.text,
            "  br label %join\njoin:\n  %last = phi i64 [ {one}, %one ], [ {other}, %other ]\n  %next = add i32 %i, 1\n  \
             %more = icmp slt i32 %next, 20\n  br i1 %more, label %head, label %end\nend:\n  ret i64 %last\n}}"
        );
    }
}

fn program(seed: u64) -> String {
    let mut w = Writer { text: String::new(), random: Random(seed ^ 0x51), names: 0 };
    w.text.push_str(
        "@m = global [16 x i64] zeroinitializer, align 16\n@format = private constant [6 x i8] c\"%lld\\0A\\00\"\n\
         declare i32 @printf(ptr, ...)\ndeclare i32 @llvm.fshl.i32(i32, i32, i32)\n\
         declare i64 @llvm.fshl.i64(i64, i64, i64)\n",
    );
    for number in 0..4 {
        w.function(number);
    }
    w.text.push_str("define i32 @main() {\n");
    let mut sum = format!("{}", seed % 1000 + 3);
    for number in 0..4 {
        sum = w.value(&format!("call i64 @f{number}(i64 {sum})"));
        let _ = writeln!(w.text, "  call i32 (ptr, ...) @printf(ptr @format, i64 {sum})");
    }
    for at in 0..16 {
        let address = w.value(&format!("getelementptr [16 x i64], ptr @m, i32 0, i32 {at}"));
        let value = w.value(&format!("load i64, ptr {address}"));
        let _ = writeln!(w.text, "  call i32 (ptr, ...) @printf(ptr @format, i64 {value})");
    }
    w.text.push_str("  ret i32 0\n}\n");
    w.text
}

fn run(folder: &Path, command: &mut Command) -> String {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(done.status.success(), "{command:?}: {}\n{}", done.status, String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn accesses_that_others_see_do_what_llvm_says() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let first = number("SYSYC_SEED", 1);
    for seed in first..first + number("SYSYC_FUZZ", 8) {
        let text = program(seed);
        std::fs::write(folder.join("p.ll"), &text).expect("it can be written");
        let want = run(folder, Command::new("lli-19").arg("p.ll"));
        assert_eq!(want.lines().count(), 20, "{text}");
        for (target, gcc, qemu) in TARGETS {
            for level in ["-O0", "-O1", "-O2"] {
                let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                ours.args([level, "-c", "-fverify", &format!("--target={target}"), "p.ll", "-o", "p.o"]);
                run(folder, &mut ours);
                run(folder, Command::new(gcc).args(["-static", "-o", "p", "p.o", "-latomic"]));
                let have = run(folder, Command::new(qemu).arg("p"));
                assert_eq!(have, want, "seed {seed}: {target} {level}\n{text}");
            }
        }
    }
}
