//! Random LLVM text whose functions call each other by `musttail`, half a million times, against a real LLVM: `lli` runs it, and
//! so do the interpreter, with and without passes, and programs that are made of it. Functions of one text have one
//! prototype, of up to 16 parameters of all scalars, most of which are on the stack somewhere; each call passes them on in
//! another order, some changed, to the next function, by its name or by its address, from frames with and without arrays,
//! calls, and memory of the stack that is taken as they run. The results are scalars, structs and nothing.
//!
//! `SYSYC_SEED` is the first, `SYSYC_JUMPS` how many; a text depends on its number alone.

#![allow(clippy::expect_used, clippy::panic)]

use crate::cross::{TARGETS, run};
use std::fmt::Write;
use std::process::Command;
use sysyc::base::parallel::Workers;
use sysyc::ir::interp::{self, Options};
use sysyc::ir::{Module, parse};
use sysyc::opt;

/// Scalars: as parameters say them, the type alone, and what changes one without leaving what all machines agree on.
const SCALARS: [(&str, &str, &str); 7] = [
    ("i32", "i32", "xor i32 {}, 1431655765"),
    ("i64", "i64", "mul i64 {}, 6364136223846793005"),
    ("i64", "i64", "sub i64 {}, 77"),
    ("i8 zeroext", "i8", "add i8 {}, 41"),
    ("i16 signext", "i16", "mul i16 {}, 333"),
    ("float", "float", "fsub float 7.0, {}"),
    ("double", "double", "fsub double 0.5, {}"),
];

/// What `lli` needs, and what ours has.
const REAL: &str = "@format = private constant [4 x i8] c\"%d \\00\"\ndeclare i32 @printf(ptr, ...)
define void @show(i32 %x) {\n  %1 = call i32 (ptr, ...) @printf(ptr @format, i32 %x)\n  ret void\n}\n";
const OURS: &str = "declare void @putint(i32)\ndeclare void @putch(i32)
define void @show(i32 %x) {\n  call void @putint(i32 %x)\n  call void @putch(i32 32)\n  ret void\n}\n";

/// How often functions call each other: with frames of 16 bytes that is all of a usual stack.
const DEPTH: u32 = 500_000;

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % most
    }
}

/// The lines that show a value.
fn show(out: &mut String, ty: &str, v: &str, name: &str) {
    let shown = match ty {
        "i32" => format!("  {name} = add i32 {v}, 0\n"),
        "i64" => format!(
            "  {name}h = lshr i64 {v}, 32\n  {name}x = xor i64 {name}h, {v}\n  {name} = trunc i64 {name}x to i32\n"
        ),
        "i8" | "i16" => format!("  {name} = zext {ty} {v} to i32\n"),
        _ => format!("  {name} = fptosi {ty} {v} to i32\n"),
    };
    _ = writeln!(out, "{shown}  call void @show(i32 {name})");
}

/// A constant of a type.
fn constant(r: &mut Random, ty: &str) -> String {
    match ty {
        "float" | "double" => format!("{}.5", r.below(90)),
        _ => (r.below(250) as i32 - 120).to_string(),
    }
}

fn text(seed: u64) -> String {
    let r = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..4).for_each(|_| _ = r.below(2));
    let params: Vec<usize> = (0..1 + r.below(16)).map(|_| r.below(SCALARS.len())).collect();
    let counter = r.below(params.len() + 1);
    let results = ["i32", "i64", "double", "void", "{ i64, i32 }", "{ i32, float }", "[2 x i64]", "i8"];
    let result = results[r.below(results.len())];
    // Parameters with the number of calls that are left among them.
    let list = |names: &dyn Fn(usize) -> String| {
        let mut all: Vec<String> =
            params.iter().enumerate().map(|(k, &of)| format!("{} {}", SCALARS[of].0, names(k))).collect();
        all.insert(counter, format!("i32 {}", names(params.len())));
        all.join(", ")
    };
    let count = 1 + r.below(4);
    let own = |k: usize| if k == params.len() { "%n".to_string() } else { format!("%p{k}") };
    let addresses: Vec<String> = (0..count).map(|k| format!("ptr @f{k}")).collect();
    let mut out = format!("@table = global [{count} x ptr] [{}]\n", addresses.join(", "));
    _ = writeln!(
        out,
        "define void @fill(ptr %p, i32 %x) noinline {{\n  store i32 %x, ptr %p\n  ret void\n}}"
    );
    for k in 0..count {
        let linkage = ["", "internal "][r.below(2)];
        _ = writeln!(out, "define {linkage}{result} @f{k}({}) {{", list(&own));
        let (has_array, has_more) = (r.below(3) == 0, r.below(4) == 0);
        if has_array {
            out.push_str("  %array = alloca [20 x i32]\n");
        }
        out.push_str("  %c = icmp eq i32 %n, 0\n  br i1 %c, label %last, label %next\nlast:\n");
        for (p, &of) in params.iter().enumerate() {
            show(&mut out, SCALARS[of].1, &own(p), &format!("%s{p}"));
        }
        // Of what a function of this type gets something can be returned.
        let mut some = |ty: &str| {
            let fits: Vec<usize> = (0..params.len()).filter(|&p| SCALARS[params[p]].1 == ty).collect();
            if fits.is_empty() { constant(r, ty) } else { own(fits[r.below(fits.len())]) }
        };
        match result {
            "void" => out.push_str("  ret void\n"),
            "{ i64, i32 }" | "{ i32, float }" | "[2 x i64]" => {
                let types = match result {
                    "{ i64, i32 }" => ["i64", "i32"],
                    "{ i32, float }" => ["i32", "float"],
                    _ => ["i64", "i64"],
                };
                let [a, b] = types.map(|ty| format!("{ty} {}", some(ty)));
                _ = writeln!(out, "  %a = insertvalue {result} undef, {a}, 0");
                _ = writeln!(out, "  %b = insertvalue {result} %a, {b}, 1\n  ret {result} %b");
            }
            ty => _ = writeln!(out, "  ret {ty} {}", some(ty)),
        }
        out.push_str("next:\n  %m = sub i32 %n, 1\n");
        if has_array {
            out.push_str("  call void @fill(ptr %array, i32 %n)\n  %m2 = load i32, ptr %array\n");
        }
        if has_more {
            out.push_str("  %low = and i32 %n, 63\n  %bytes = add i32 %low, 4\n  %taken = alloca i8, i32 %bytes, align 4\n");
            out.push_str("  call void @fill(ptr %taken, i32 %n)\n  %m3 = load i32, ptr %taken\n");
        }
        let mut passed: Vec<String> = Vec::new();
        let mut left: Vec<usize> = (0..params.len()).collect();
        for p in 0..params.len() {
            // A permutation of those of each type, mostly.
            let ty = SCALARS[params[p]].1;
            let fits: Vec<usize> = left.iter().copied().filter(|&q| SCALARS[params[q]].1 == ty).collect();
            let q = fits[r.below(fits.len())];
            left.retain(|&other| other != q);
            passed.push(match r.below(3) {
                0 => {
                    _ = writeln!(out, "  %v{p} = {}", SCALARS[params[p]].2.replace("{}", &own(q)));
                    format!("%v{p}")
                }
                _ => own(q),
            });
        }
        let left = match (has_array, has_more) {
            (true, _) => "%m2, 1",
            (_, true) => "%m3, 1",
            _ => "%n, 1",
        };
        _ = writeln!(out, "  %rest = sub i32 {left}");
        let to = r.below(count);
        let callee = match r.below(3) {
            0 => {
                _ = writeln!(
                    out,
                    "  %at = getelementptr [{count} x ptr], ptr @table, i32 0, i32 {to}\n  %f = load ptr, ptr %at"
                );
                "%f".to_string()
            }
            _ => format!("@f{to}"),
        };
        let args = list(&|k| if k == params.len() { "%rest".to_string() } else { passed[k].clone() });
        match result {
            "void" => _ = writeln!(out, "  musttail call void {callee}({args})\n  ret void\n}}"),
            ty => _ = writeln!(out, "  %r = musttail call {ty} {callee}({args})\n  ret {ty} %r\n}}"),
        }
    }
    // A result that nothing reads, of as many parts as come in registers or more: where it is in memory, that has to stay.
    let part = ["i64", "i32"][r.below(2)];
    let many = format!("[{} x {part}]", 1 + r.below(24));
    _ = writeln!(out, "define {many} @parts(i32 %n) noinline {{\n  call void @show(i32 %n)");
    _ = writeln!(out, "  %r = insertvalue {many} zeroinitializer, {part} 7, 0\n  ret {many} %r\n}}");
    _ = writeln!(out, "define void @unread(i32 %n) noinline {{\n  %r = tail call {many} @parts(i32 %n)");
    out.push_str("  ret void\n}\ndefine i32 @main() {\n  call void @unread(i32 3)\n");
    for (round, depth) in [3, DEPTH, 0].into_iter().enumerate() {
        let values: Vec<String> = params.iter().map(|&of| constant(r, SCALARS[of].1)).collect();
        let args = list(&|k| if k == params.len() { depth.to_string() } else { values[k].clone() });
        match result {
            "void" => _ = writeln!(out, "  call void @f0({args})"),
            "{ i64, i32 }" | "{ i32, float }" | "[2 x i64]" => {
                _ = writeln!(out, "  %r{round} = call {result} @f0({args})");
                for k in 0..2 {
                    let ty = match (result, k) {
                        ("{ i64, i32 }", 0) | ("[2 x i64]", _) => "i64",
                        ("{ i32, float }", 1) => "float",
                        _ => "i32",
                    };
                    _ = writeln!(out, "  %r{round}.{k} = extractvalue {result} %r{round}, {k}");
                    show(&mut out, ty, &format!("%r{round}.{k}"), &format!("%t{round}.{k}"));
                }
            }
            ty => {
                _ = writeln!(out, "  %r{round} = call {ty} @f0({args})");
                show(&mut out, ty, &format!("%r{round}"), &format!("%t{round}"));
            }
        }
    }
    out + "  ret i32 0\n}\n"
}

/// What the interpreter says, on a stack that calls would fill.
fn executed(module: &Module, check: bool) -> String {
    let (mut input, mut output, mut errors) = (&b""[..], Vec::new(), Vec::new());
    let options = Options { stack: 1 << 20, check, ..Options::default() };
    match interp::run(module, "main", &mut input, &mut output, &mut errors, options) {
        Ok(code) => format!("{}{code}", String::from_utf8_lossy(&output)),
        Err(trap) => format!("{trap}"),
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn calls_that_have_to_be_jumps_take_no_stack() {
    let first = number("SYSYC_SEED", 1);
    for seed in first..first + number("SYSYC_JUMPS", 18) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (folder, text) = (folder.path(), text(seed));
        std::fs::write(folder.join("x.ll"), text.clone() + REAL).expect("a file can be written");
        let ours = text + OURS;
        std::fs::write(folder.join("ours.ll"), &ours).expect("a file can be written");
        let done = run(folder, Command::new("lli-19").arg("x.ll"));
        let want = format!("{}0", String::from_utf8_lossy(&done.stdout));
        let module = parse::parse(&ours).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{ours}"));
        let same = |have: &str, what: &str| {
            assert_eq!(have, want, "seed {seed}, {what}\n{ours}");
        };
        same(&executed(&module, false), "as it is read");
        same(&executed(&module, true), "as it is read, checked");
        let verify = opt::Options { verify: true, ..opt::Options::default() };
        for level in [opt::Level::O1, opt::Level::O2] {
            let mut module = module.clone();
            let plan = opt::run::pipeline::plan(level);
            opt::run::manager::run_on_module(&mut module, plan, &verify, &Workers::new(1))
                .unwrap_or_else(|error| panic!("seed {seed}: {}: {}\n{ours}", error.pass, error.message));
            same(&executed(&module, false), "behind our passes");
        }
        let cross = &TARGETS[seed as usize % 3];
        let level = ["-O0", "-O2", "-O1"][(seed / 3) as usize % 3];
        let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        command.args([level, "-fverify", "-o", "x", "ours.ll"]).arg(format!("--target={}", cross.name));
        run(folder, &mut command);
        let done = run(folder, Command::new(cross.qemu).arg("x"));
        same(&format!("{}0", String::from_utf8_lossy(&done.stdout)), cross.name);
    }
}

/// Jumps to functions that gcc has made and back, with arguments in all places: what either side stores where its own
/// arguments are is what the other one loads.
#[test]
fn code_of_gcc_and_ours_jump_to_each_other() {
    const TYPES: [(&str, &str); 4] =
        [("i32", "int"), ("double", "double"), ("i64", "long long"), ("float", "float")];
    const COUNT: usize = 26;
    let of = |k: usize| TYPES[k % 4];
    let list = |item: &dyn Fn(usize) -> String| (0..COUNT).map(item).collect::<Vec<_>>().join(", ");
    let params = list(&|k| format!("{} %p{k}", of(k).0));
    // Rotated among those of its type: the one that comes in the place of `k`.
    let next = |k: usize, by: usize| (k + 4 * by) % (COUNT - COUNT % 4);
    let from = |k: usize, by: usize| if k < COUNT - COUNT % 4 { next(k, by) } else { k };
    let text = format!(
        "declare i64 @theirs({}, i32)
         define i64 @ours({params}, i32 %n) {{
           %m = sub i32 %n, 1
           %x = add i32 %p24, 1
           %r = musttail call i64 @theirs({}, i32 %m)
           ret i64 %r
         }}",
        list(&|k| of(k).0.to_string()),
        list(&|k| if k == 24 { "i32 %x".to_string() } else { format!("{} %p{}", of(k).0, from(k, 1)) }),
    );
    let sum = list(&|k| format!("{} * (long long)p{k}", k + 1)).replace(", ", " + ");
    let c = format!(
        "#include <stdio.h>
         long long ours({}, int);
         __attribute__((noinline)) long long theirs({}, int n) {{ if (n <= 0) return {sum}; return ours({}, n); }}
         int main(void) {{ printf(\"%lld\\n\", ours({}, 700001)); }}",
        list(&|k| of(k).1.to_string()),
        list(&|k| format!("{} p{k}", of(k).1)),
        list(&|k| format!("p{}", from(k, 2))),
        list(&|k| k.to_string()),
    );
    // 700001 jumps of ours, one less of theirs, each rotating so far.
    let turned = |k: usize| if k < COUNT - COUNT % 4 { next(k, (700_001 + 2 * 700_000) % 6) } else { k };
    let value = |k: usize| if k == 24 { 24 + 700_001 } else { turned(k) as i64 };
    let want: i64 = (0..COUNT).map(|k| (k as i64 + 1) * value(k)).sum();
    for cross in &TARGETS {
        for level in ["-O0", "-O2"] {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let folder = folder.path();
            std::fs::write(folder.join("x.ll"), &text).expect("a file can be written");
            std::fs::write(folder.join("c.c"), &c).expect("a file can be written");
            let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            command
                .args([level, "-fverify", "-c", "-o", "x.o", "x.ll"])
                .arg(format!("--target={}", cross.name));
            run(folder, &mut command);
            run(folder, Command::new(cross.gcc).args(["-O2", "-static", "c.c", "x.o", "-o", "p"]));
            let done = run(folder, Command::new(cross.qemu).arg("p"));
            assert_eq!(String::from_utf8_lossy(&done.stdout), format!("{want}\n"), "{} {level}", cross.name);
        }
    }
}

/// Functions that take different things jump to each other, if all of it is in registers; where it is not, that is said.
#[test]
fn functions_of_tailcc_take_what_they_like() {
    let ours = "
        @count = global i32 0
        declare void @putint(i32)
        define internal tailcc i32 @one(i32 %n) {
          %c = icmp eq i32 %n, 0
          br i1 %c, label %last, label %more
        last:
          %k = load i32, ptr @count
          ret i32 %k
        more:
          %m = sub i32 %n, 1
          %x = sitofp i32 %m to double
          %r = musttail call tailcc i32 @three(double %x, i32 7, float 2.5)
          ret i32 %r
        }
        define tailcc i32 @three(double %x, i32 %y, float %z) {
          %room = alloca [30 x i32]
          store i32 %y, ptr %room
          %k = load i32, ptr @count
          %j = load i32, ptr %room
          %s = add i32 %k, %j
          store i32 %s, ptr @count
          %n = fptosi double %x to i32
          %f = load ptr, ptr @to
          %r = tail call tailcc i32 %f(i32 %n)
          ret i32 %r
        }
        @to = global ptr @one
        define i32 @main() {
          %r = call tailcc i32 @one(i32 900000)
          call void @putint(i32 %r)
          ret i32 0
        }";
    assert_eq!(executed(&parse::parse(ours).expect("it is right"), false), "63000000");
    let many =
        ours.replace("float %z", "float %z, i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i32 %f1, i32 %g, i32 %h");
    let many = many.replace("float 2.5", "float 2.5, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8");
    for cross in &TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let folder = folder.path();
        for (text, level, is_right) in [(ours, "-O0", true), (ours, "-O2", true), (&many, "-O1", false)] {
            std::fs::write(folder.join("x.ll"), text).expect("a file can be written");
            let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            command.args([level, "-fverify", "-o", "x", "x.ll"]).arg(format!("--target={}", cross.name));
            if !is_right {
                let done = command.current_dir(folder).output().expect("it runs");
                let said = String::from_utf8_lossy(&done.stderr);
                assert!(
                    said.contains("arguments of a `tailcc` function on the stack"),
                    "{}: {said}",
                    cross.name
                );
                continue;
            }
            run(folder, &mut command);
            let done = run(folder, Command::new(cross.qemu).arg("x"));
            assert_eq!(String::from_utf8_lossy(&done.stdout), "6300000", "{} {level}", cross.name);
        }
    }
}
