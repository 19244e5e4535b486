//! Every operation of the IR on integers and floats, on every target and level: what the folder says, at the
//! edges, with operands in registers and with each constant on the right.
//!
//! One program of LLVM text does them all. It prints a number for each operation, type and right operand,
//! made of the results for all left operands.

#[path = "support/everywhere.rs"]
mod everywhere;
#[allow(dead_code)]
mod support;

use everywhere::{applied, runs_everywhere};
use std::fmt::Write;
use std::process::Command;
use sysyc::ir::opcode::Types;
use sysyc::ir::{Number, Op, Type, fold};

const EDGES: [i64; 16] =
    [0, 1, -1, 2, 3, 7, -7, 10, 31, -64, 127, -128, 641, 0x7fff_ffff, -0x8000_0000, 1_000_000_007];

/// The program, and what it prints.
struct Program {
    functions: String,
    main: String,
    expected: String,
    count: usize,
}

impl Program {
    /// Calls of a function for these pairs of operands and results; their sum with factors is printed.
    fn check(&mut self, name: &str, ty: &str, cases: &[(String, i64)]) {
        let mut sum = 0i32;
        let mut last = "0".to_string();
        for (args, result) in cases {
            let n = self.count;
            self.count += 1;
            _ = writeln!(self.main, "  %r{n} = call {ty} @{name}({args})");
            let value = match ty {
                "i8" => {
                    _ = writeln!(self.main, "  %x{n} = sext i8 %r{n} to i32");
                    *result as i32
                }
                "i64" => {
                    _ = writeln!(
                        self.main,
                        "  %h{n} = lshr i64 %r{n}, 32\n  %s{n} = xor i64 %h{n}, %r{n}\n  %x{n} = trunc i64 %s{n} to i32"
                    );
                    (*result ^ *result >> 32) as i32
                }
                _ => {
                    _ = writeln!(self.main, "  %x{n} = add i32 %r{n}, 0");
                    *result as i32
                }
            };
            _ = writeln!(self.main, "  %m{n} = mul i32 {last}, 31\n  %a{n} = add i32 %m{n}, %x{n}");
            last = format!("%a{n}");
            sum = sum.wrapping_mul(31).wrapping_add(value);
        }
        _ = writeln!(self.main, "  call void @putint(i32 {last})\n  call void @putch(i32 10)");
        _ = writeln!(self.expected, "{sum}");
    }

    fn integers(&mut self, op: Op, ty: Type) {
        let (name, words) = (format!("{}_{}", op.row().name.replace('.', "_"), ty.name()), ty.name());
        let edges = EDGES.map(|x| Number::int(ty, x));
        let number = |x: Number| x.bits as i64;
        if op.row().operands == 1 {
            let text = applied(op, ty, &["%a".to_string()]);
            _ = writeln!(
                self.functions,
                "define {words} @{name}({words} %a) {{\n  %r = {text}\n  ret {words} %r\n}}"
            );
            let result = |a: Number| Some((format!("{words} {}", number(a)), number(fold(op, ty, 0, &[a])?)));
            return self.check(&name, words, &edges.into_iter().filter_map(result).collect::<Vec<_>>());
        }
        let text = applied(op, ty, &["%a".to_string(), "%b".to_string()]);
        _ = writeln!(
            self.functions,
            "define {words} @{name}({words} %a, {words} %b) {{\n  %r = {text}\n  ret {words} %r\n}}"
        );
        for (k, b) in edges.into_iter().enumerate() {
            let result = |a: Number| Some((a, number(fold(op, ty, 0, &[a, b])?)));
            let results: Vec<(Number, i64)> = edges.into_iter().filter_map(result).collect();
            if results.is_empty() {
                continue;
            }
            let args = |a: Number| format!("{words} {}", number(a));
            let both = |&(a, r): &(Number, i64)| (format!("{}, {}", args(a), args(b)), r);
            self.check(&name, words, &results.iter().map(both).collect::<Vec<_>>());
            let text = applied(op, ty, &["%a".to_string(), number(b).to_string()]);
            _ = writeln!(
                self.functions,
                "define {words} @{name}_{k}({words} %a) {{\n  %r = {text}\n  ret {words} %r\n}}"
            );
            let left = |&(a, r): &(Number, i64)| (args(a), r);
            self.check(&format!("{name}_{k}"), words, &results.iter().map(left).collect::<Vec<_>>());
        }
    }

    /// Bits of results, taken through memory.
    fn floats(&mut self, op: Op) {
        let name = op.row().name.replace('.', "_");
        let numbers = [0.0f32, -0.0, 1.5, -3.25, 1.0 + f32::EPSILON, 1e30, -1e-30, 16_777_216.0];
        let count = usize::from(op.row().operands);
        let letters: Vec<String> =
            ["%a", "%b", "%c"][..count].iter().map(|&letter| letter.to_string()).collect();
        let params: Vec<String> = letters.iter().map(|letter| format!("float {letter}")).collect();
        _ = writeln!(
            self.functions,
            "define i32 @{name}({}) {{\n  %m = alloca float\n  %r = {}\n  store float %r, ptr %m\n  %i = load i32, ptr %m\n  \
             ret i32 %i\n}}",
            params.join(", "),
            applied(op, Type::F32, &letters)
        );
        let mut cases = Vec::new();
        for k in 0..numbers.len().pow(count as u32) {
            let args: Vec<f32> = (0..count).map(|at| numbers[k >> (3 * at) & 7]).collect();
            let operands: Vec<Number> = args.iter().map(|&x| Number::f32(x)).collect();
            // Which NaN a target makes is its own.
            let Some(result) = fold(op, Type::F32, 0, &operands).filter(|x| !x.float().is_nan()) else {
                continue;
            };
            let texts: Vec<String> =
                args.iter().map(|&x| format!("float 0x{:016X}", f64::from(x).to_bits())).collect();
            cases.push((texts.join(", "), result.bits as i64));
        }
        self.check(&name, "i32", &cases);
    }
}

/// All operations that a target has.
fn program(is_32_bit: bool) -> (String, String) {
    let (functions, main, expected) = (String::new(), String::new(), String::new());
    let mut p = Program { functions, main, expected, count: 0 };
    for &op in Op::ALL {
        match op.row().types {
            Types::Int => {
                for ty in [Type::I8, Type::I32, Type::I64] {
                    if !(is_32_bit && ty == Type::I64) {
                        p.integers(op, ty);
                    }
                }
            }
            Types::Float if !(is_32_bit && op == Op::Fma) => p.floats(op),
            _ => {}
        }
    }
    let text = format!(
        "declare void @putint(i32)\ndeclare void @putch(i32)\n{}define i32 @main() {{\n{}  ret i32 0\n}}\n",
        p.functions, p.main
    );
    (text, p.expected)
}

#[test]
fn every_operation_does_on_every_target_what_the_folder_says() -> Result<(), String> {
    runs_everywhere(program, &["-O0", "-O1"])
}

/// What the program of memory is made of: the loops that set and add up.
const MEMORY: &str = "@a = global [8192 x i8] zeroinitializer
@b = global [8192 x i8] zeroinitializer
declare void @putint(i32)
declare void @putch(i32)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @prepare() {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %p = getelementptr [8192 x i8], ptr @a, i32 0, i32 %k
  %q = getelementptr [8192 x i8], ptr @b, i32 0, i32 %k
  %x = mul i32 %k, 37
  %byte = trunc i32 %x to i8
  store i8 %byte, ptr %p
  store i8 5, ptr %q
  %next = add i32 %k, 1
  %c = icmp slt i32 %next, 8192
  br i1 %c, label %loop, label %end
end:
  ret void
}
define void @sum(ptr %m) {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %s = phi i32 [ 0, %0 ], [ %t, %loop ]
  %p = getelementptr i8, ptr %m, i32 %k
  %byte = load i8, ptr %p
  %x = zext i8 %byte to i32
  %u = mul i32 %s, 31
  %t = add i32 %u, %x
  %next = add i32 %k, 1
  %c = icmp slt i32 %next, 8192
  br i1 %c, label %loop, label %end
end:
  call void @putint(i32 %t)
  call void @putch(i32 10)
  ret void
}
define void @set_i32(ptr %p, i8 %x, i32 %n) {
  call void @llvm.memset.p0.i32(ptr %p, i8 %x, i32 %n, i1 false)
  ret void
}
define void @copy_i32(ptr %p, ptr %q, i32 %n) {
  call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)
  ret void
}
define void @set_i64(ptr %p, i8 %x, i32 %n) {
  %l = zext i32 %n to i64
  call void @llvm.memset.p0.i64(ptr %p, i8 %x, i64 %l, i1 false)
  ret void
}
define void @copy_i64(ptr %p, ptr %q, i32 %n) {
  %l = zext i32 %n to i64
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %l, i1 false)
  ret void
}
";

/// Memory is set and copied: lengths that are values and constants, of both types, at aligned and other
/// addresses.
fn memory(_: bool) -> (String, String) {
    let (mut functions, mut main, mut expected) = (String::new(), String::new(), String::new());
    let sum = |bytes: &[u8]| {
        bytes.iter().fold(0i32, |sum, &byte| sum.wrapping_mul(31).wrapping_add(i32::from(byte)))
    };
    let mut count = 0;
    for (n, from, to) in
        [0, 1, 3, 4, 7, 12, 64, 100, 4096, 5000].into_iter().flat_map(|n| [(n, 0, 0), (n, 3, 9)])
    {
        for (ty, byte) in [("i32", 0u8), ("i64", 0), ("i32", 200), ("i64", 77)] {
            _ = writeln!(
                functions,
                "define void @set{count}(ptr %p) {{
  call void @llvm.memset.p0.{ty}(ptr %p, i8 {byte}, {ty} {n}, i1 false)
  ret void
}}
define void @copy{count}(ptr %p, ptr %q) {{
  call void @llvm.memcpy.p0.p0.{ty}(ptr %p, ptr %q, {ty} {n}, i1 false)
  ret void
}}"
            );
            let mut a: Vec<u8> = (0..8192u32).map(|k| (k * 37) as u8).collect();
            let mut b = vec![5; 8192];
            a[from..from + n].fill(byte);
            b[to..to + n].copy_from_slice(&a[from + 1..from + 1 + n]);
            for known in [false, true] {
                let call = |main: &mut String, what: &str, args: &str| {
                    _ = match known {
                        true => writeln!(main, "  call void @{what}{count}({})", args.replace("BYTE", "")),
                        false => {
                            let args = args.replace("BYTE", &format!(", i8 {byte}"));
                            writeln!(main, "  call void @{what}_{ty}({args}, i32 {n})")
                        }
                    };
                };
                let at = format!("%m{count}.{known}");
                for (name, array, offset) in [("f", "a", from), ("g", "a", from + 1), ("t", "b", to)] {
                    _ = writeln!(main, "  {at}.{name} = getelementptr i8, ptr @{array}, i32 {offset}");
                }
                main.push_str("  call void @prepare()\n");
                call(&mut main, "set", &format!("ptr {at}.fBYTE"));
                call(&mut main, "copy", &format!("ptr {at}.t, ptr {at}.g"));
                main.push_str("  call void @sum(ptr @a)\n  call void @sum(ptr @b)\n");
                _ = writeln!(expected, "{}\n{}", sum(&a), sum(&b));
            }
            count += 1;
        }
    }
    (format!("{MEMORY}{functions}define i32 @main() {{\n{main}  ret i32 0\n}}\n"), expected)
}

#[test]
fn memory_of_any_length_is_set_and_copied() -> Result<(), String> {
    runs_everywhere(memory, &["-O0", "-O1"])
}

/// Per machine: an operation with a constant, and the instructions that -O1 makes of it.
#[rustfmt::skip]
const SHORT: [(&str, &str, &str); 30] = [
    ("riscv64", "mul 5", "slliw addw"),
    ("riscv64", "mul 7", "slliw subw"),
    ("riscv64", "mul -7", "slliw subw"),
    ("riscv64", "mul 11", "addi mulw"),
    ("riscv64", "sdiv 2", "srliw addw sraiw"),
    ("riscv64", "srem 8", "sraiw srliw addw andi subw"),
    ("riscv64", "sdiv 7", "lui addiw slli addi mul srai sraiw subw"),
    ("riscv64", "udiv -2147483648", "srliw"),
    ("rv64gc_zba", "mul 12", "sh1add slliw"),
    ("rv64gc_zba", "mul 3", "slliw addw"),
    ("aarch64", "mul 10", "add lsl"),
    ("aarch64", "mul 7", "lsl sub"),
    ("aarch64", "mul -4", "sub"),
    ("aarch64", "sdiv 2", "add asr"),
    ("aarch64", "sdiv 7", "mov movk smull add asr add"),
    ("aarch64", "sdiv 10", "mov movk smull asr add"),
    ("aarch64", "udiv 10", "mov movk umull lsr"),
    ("aarch64", "srem 16", "asr add and sub"),
    ("aarch64", "srem 100", "mov movk smull asr add mov msub"),
    ("armv7", "mul 9", "add"),
    ("armv7", "mul 7", "rsb"),
    ("armv7", "mul -3", "sub"),
    ("armv7", "mul 100", "mov mul"),
    ("armv7", "sdiv 8", "asr add asr"),
    ("armv7", "sdiv 3", "lsr movw movt smmla"),
    ("armv7", "sdiv 7", "movw movt smmla asr add"),
    ("armv7", "sdiv -10", "movw movt smmul asr sub"),
    ("armv7", "srem 4096", "asr add asr sub"),
    ("armv7", "srem 10", "movw movt smmul asr add add sub"),
    ("armv7", "srem 100", "movw movt smmul asr add mov mls"),
];

#[test]
fn products_and_quotients_by_constants_are_short() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = folder.path().join("x.ll");
    let mut wrong = Vec::new();
    for (machine, operation, expected) in SHORT {
        let (op, by) = operation.split_once(' ').ok_or("an operation and a constant")?;
        let text = format!("define i32 @f(i32 %x) {{\n  %r = {op} i32 %x, {by}\n  ret i32 %r\n}}\n");
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        let target = if machine.starts_with("rv64") { "riscv64" } else { machine };
        let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        command.args(["-S", "-O1", "--target", target, "-o", "-"]).arg(&source);
        if machine != target {
            command.arg(format!("-march={machine}"));
        }
        let output = command.output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let body = text.lines().skip_while(|line| !line.starts_with("f:") && !line.ends_with(".f:"));
        let names = body.filter_map(|line| line.strip_prefix('\t')?.split([' ', '\t']).next());
        let names: Vec<&str> = names.take_while(|name| !matches!(*name, "ret" | "bx")).collect();
        if names.join(" ") != expected {
            wrong.push(format!("{machine} {operation}: {} and not {expected}", names.join(" ")));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
