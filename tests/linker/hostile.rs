//! Files that are broken: cut off at every length, with bits flipped, with fields of absurd values. Linking
//! them gives a program or an error that names the file; never a panic, and never more memory than the files
//! stand for.
//!
//! A deterministic generator, so that a failure comes back; the seed is in the message. Overflow checks are
//! on in tests. `SYSYC_LINKER_ROUNDS=100` makes a hundred times as many.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most kinds of sections, symbols and relocations in few bytes.
const TEXT: &str = "
int common[5]; __thread int t = 3; __thread int z[4]; extern int other(int), weak(void) __attribute__((weak));
static int table[] = {1, 2, 3}; int *pointers[] = {table, common};
__attribute__((constructor)) static void before(void) { common[1]++; }
__attribute__((section(\"set\"))) int member = 1; extern int __start_set[];
static int twice(int x) { return 2 * x; }
static int (*resolve(void))(int) { return twice; }
__attribute__((ifunc(\"resolve\"))) int indirect(int);
int f(int x) { switch (x) { case 0: return other(1); case 1: return t; case 2: return z[1]; case 3: return *__start_set;
    case 4: return indirect(x); case 5: return weak ? weak() : 0; default: return *pointers[x & 1]; } }
int _start(void) { return f(3) + f(t); }
";

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// Links a broken file with a sound one.
fn try_link(target: &Target, bytes: &[u8], sound: &[u8], what: &str) -> bool {
    let linked = catch_unwind(AssertUnwindSafe(|| {
        let inputs = [("broken", bytes), ("sound", sound)]
            .map(|(name, bytes)| Input { name: name.to_string(), content: Content::Bytes(bytes) });
        link(inputs.into(), &Options::new(target.machine))
    }));
    match linked {
        Ok(Ok(program)) => {
            // A section with an alignment of 64 KiB may cost that.
            assert!(program.len() < bytes.len() + (64 << 20), "{what}: {} bytes", program.len());
            true
        }
        Ok(Err(errors)) => {
            assert!(!errors.is_empty(), "{what}: an error without words");
            assert!(errors.iter().all(|error| !error.message.is_empty()), "{what}: {errors:?}");
            false
        }
        Err(_) => panic!("{}: {what}: a panic", target.machine.name),
    }
}

/// Every length, and bits, bytes and fields changed `rounds` times.
fn break_it(target: &Target, whole: &[u8], sound: &[u8], rounds: usize) {
    assert!(try_link(target, whole, sound, "unbroken"), "{}: what is whole links", target.machine.name);
    let step = (whole.len() / 700).max(1);
    for len in (0..whole.len()).step_by(step) {
        try_link(target, &whole[..len], sound, &format!("cut at {len}"));
    }
    const VALUES: [u64; 8] = [0, 1, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 40, u64::MAX];
    let times = std::env::var("SYSYC_LINKER_ROUNDS").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let rounds = rounds * times;
    let (mut random, mut linked) = (Random(1), 0);
    for round in 0..rounds {
        let seed = random.0;
        let mut bytes = whole.to_vec();
        for _ in 0..=random.below(3) {
            // Half of the time where headers are: at the end of an object, and at its start.
            let at = match random.below(4) {
                0 => random.below(64.min(bytes.len())),
                1 => bytes.len() - 1 - random.below(2000.min(bytes.len() - 1)),
                _ => random.below(bytes.len()),
            };
            match random.below(3) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.below(256) as u8,
                _ => {
                    let value = VALUES[random.below(VALUES.len())].to_le_bytes();
                    let (at, width) = (at & !3, 4 + 4 * random.below(2));
                    let end = (at + width).min(bytes.len());
                    bytes[at..end].copy_from_slice(&value[..end - at]);
                }
            }
        }
        linked += usize::from(try_link(target, &bytes, sound, &format!("round {round}, seed {seed}")));
    }
    assert!(linked > rounds / 20 && linked < rounds, "{linked} of {rounds} broken files link");
}

#[test]
fn broken_objects_are_refused() {
    for target in &TARGETS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let sound = target.compile(at, "sound.c", "int other(int x) { return x; }", &["-O1"]);
        let sound = fs::read(sound).expect("it is there");
        for flags in [
            &["-O1", "-g", "-fcommon", "-fexceptions"][..],
            &["-O2", "-fPIC", "-ftls-model=initial-exec", "-ffunction-sections"],
        ] {
            let flags = [flags, &["-fno-stack-protector"]].concat();
            let whole = fs::read(target.compile(at, "whole.c", TEXT, &flags)).expect("it is there");
            break_it(target, &whole, &sound, 2500);
        }
    }
}

#[test]
fn broken_libraries_are_refused() {
    for target in &TARGETS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let sound =
            fs::read(target.compile(at, "start.c", "int f(int); int _start(void) { return f(1); }", &[]));
        let sound = sound.expect("it is there");
        let text = TEXT.replace("int _start", "static int unused");
        target.compile(at, "whole.c", &text, &["-O1", "-fcommon", "-fno-stack-protector"]);
        target.compile(at, "a_member_with_a_long_name.c", "int other(int x) { return x; }", &["-O1"]);
        let arguments = ["rcs", "library.a", "whole.c.o", "a_member_with_a_long_name.c.o"];
        tool(at, &format!("{}-ar", target.tools), &arguments);
        let whole = fs::read(at.join("library.a")).expect("it is there");
        break_it(target, &whole, &sound, 1500);
        tool(at, &format!("{}-ar", target.tools), &["rcsT", "thin.a", "whole.c.o"]);
        let thin = fs::read(at.join("thin.a")).expect("it is there");
        assert!(!try_link(target, &thin, &sound, "thin"), "members of thin archives are elsewhere");
    }
}

#[test]
fn absurd_sizes_cost_nothing() {
    for target in &TARGETS {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        // Zeros that are code, or data that never changes, would have to stand in the file.
        for (flags, fits) in [("ax", false), ("a", false), ("awx", true), ("aw", true)] {
            let text = format!(
                " .text\n .globl _start\n_start: .4byte .\n .section .x,\"{flags}\",%nobits\n .zero 0x70000000\n"
            );
            let object = target.compile(at, "zeros.s", &text, &[]);
            match target.link(&[object], |options| options.keep_unused = true) {
                Ok(program) => assert!(fits && program.len() < 5000, "{flags}: {} bytes", program.len()),
                Err(errors) => {
                    assert!(!fits && errors[0].message.contains("too large"), "{flags}: {errors:?}")
                }
            }
        }
        // Together more than there are addresses.
        let text = " .globl _start\n_start: .4byte .\n .bss\n .zero 0x7ffffff0\n .section .y,\"aw\",%nobits\n .zero 0x7ffffff0\n";
        let object = target.compile(at, "zeros.s", text, &[]);
        let linked = target.link(&[object], |options| options.keep_unused = true);
        assert_eq!(linked.is_ok(), target.machine.is_64, "{}", target.machine.name);
    }
}

#[test]
fn what_is_wrong_is_said_with_the_files_name() {
    let target = &TARGETS[0];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let whole = target.compile(at, "whole.c", "int _start(void) { return 1; }", &[]);
    let bytes = fs::read(&whole).expect("it is there");
    let said = |bytes: &[u8]| {
        fs::write(at.join("x.o"), bytes).expect("the folder is writable");
        let errors = target.link(&[at.join("x.o")], |_| ()).expect_err("it is broken");
        errors[0].to_string()
    };
    assert_eq!(said(b""), "x.o: neither an object file nor a library");
    assert_eq!(said(b"int main() {}"), "x.o: neither an object file nor a library");
    assert!(said(&bytes[..100]).starts_with("x.o: "));
    let mut big_endian = bytes.clone();
    big_endian[5] = 2;
    assert_eq!(said(&big_endian), "x.o: not for riscv64: wrong size of words or order of bytes");
    let mut program = bytes.clone();
    program[16] = 2;
    assert_eq!(said(&program), "x.o: not relocatable: a program or a shared library cannot be linked");
    let mut soft = bytes.clone();
    soft[48] = 1;
    assert!(said(&soft).starts_with("x.o: made for another calling convention"));
    // ARM's two conventions differ in attributes only.
    let arm = &TARGETS[2];
    let start = arm.compile(at, "start.c", "float f(float); int _start(void) { return f(1); }", &[]);
    let object = arm.compile(at, "soft.c", "float f(float x) { return x + 1; }", &["-mfloat-abi=softfp"]);
    let errors = arm.link(&[start, object], |_| ()).expect_err("floats would be in the wrong registers");
    assert!(errors[0].to_string().starts_with("soft.c.o: made for another calling convention"), "{errors:?}");
    let mut unknown = bytes;
    unknown[18] = 62;
    assert_eq!(said(&unknown), "x.o: for another machine (62), not for riscv64");
}
