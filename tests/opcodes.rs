//! Every operation of the IR on integers and floats, on every target and level: what the folder says, at the
//! edges, with operands in registers and with each constant on the right.
//!
//! One program of LLVM text does them all. It prints a number for each operation, type and right operand,
//! made of the results for all left operands.

use crate::everywhere;
use everywhere::{applied, runs_everywhere};
use std::fmt::Write;
use std::process::Command;
use sysyc::ir::opcode::Types;
use sysyc::ir::{FloatPred, IntPred, Number, Op, Type, fold};

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
                "i8" | "i16" => {
                    _ = writeln!(self.main, "  %x{n} = sext {ty} %r{n} to i32");
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
    fn floats(&mut self, op: Op, ty: Type) {
        let words = ty.name();
        let name = format!("{}_{words}", op.row().name.replace('.', "_"));
        let numbers = [0.0f32, -0.0, 1.5, -3.25, 1.0 + f32::EPSILON, 1e30, -1e-30, 16_777_216.0];
        let numbers =
            numbers.map(|x| number(ty, if ty == Type::F64 { f64::from(x) * 0.1 } else { x.into() }));
        let count = usize::from(op.row().operands);
        let letters: Vec<String> =
            ["%a", "%b", "%c"][..count].iter().map(|&letter| letter.to_string()).collect();
        let params: Vec<String> = letters.iter().map(|letter| format!("{words} {letter}")).collect();
        _ = writeln!(
            self.functions,
            "define i32 @{name}({}) {{\n  %r = {}\n{}}}",
            params.join(", "),
            applied(op, ty, &letters),
            bits(ty)
        );
        let mut cases = Vec::new();
        for k in 0..numbers.len().pow(count as u32) {
            let operands: Vec<Number> = (0..count).map(|at| numbers[k >> (3 * at) & 7]).collect();
            // Which NaN a target makes is its own.
            let Some(result) = fold(op, ty, 0, &operands).filter(|x| !x.float().is_nan()) else {
                continue;
            };
            let texts: Vec<String> = operands.iter().map(|&x| written(x)).collect();
            cases.push((texts.join(", "), word(result).into()));
        }
        self.check(&name, "i32", &cases);
    }

    /// Conversions, of integers at the edges of both types, of floats of all sizes that the other type has.
    fn conversions(&mut self, op: Op, from: Type, to: Type) {
        let name = format!("{}_{}_{}", op.row().name, from.name(), to.name());
        let (text, name_of) = (op.row().name, [from, to].map(Type::name));
        _ = writeln!(
            self.functions,
            "define i32 @{name}({} %a) {{\n  %r = {text} {} %a to {}\n{}}}",
            name_of[0],
            name_of[0],
            name_of[1],
            bits(to)
        );
        let mut cases = Vec::new();
        let mut case = |a: Number, result: Option<Number>| {
            cases.extend(result.map(|result| (written(a), i64::from(word(result)))));
        };
        if from.is_float() {
            let most = 2f64.powi(to.int_bits().saturating_sub(1) as i32);
            for k in 0..64u32 {
                for x in
                    [1.0f64, 1.25, 1.999_999_9, 1.0 + 2f64.powi(-23), 1.0 + 2f64.powi(-24) + 2f64.powi(-50)]
                {
                    for x in [x * 2f64.powi(k as i32 - 1), -x * 2f64.powi(k as i32 - 1), 0.0, -0.0] {
                        let a = number(from, x);
                        // Others are undefined.
                        if to.is_float() || -most < a.float() && a.float() < most {
                            case(a, fold(op, to, 0, &[a]));
                        }
                    }
                }
            }
        } else {
            let near = |x: i64| [x.wrapping_sub(1), x, x.wrapping_add(1), x | 0x55];
            let powers = (0..64).flat_map(|k| near(1 << k).into_iter().chain(near(3 << k)));
            let halves = (0..38).map(|k| (1 << k) | (1 << (k + 24)) | (k & 1));
            for x in EDGES.into_iter().chain(powers).chain(halves).flat_map(|x| [x, x.wrapping_neg()]) {
                let a = Number::int(from, x);
                case(a, fold(op, to, 0, &[a]));
            }
        }
        self.check(&name, "i32", &cases);
    }

    /// Comparisons as a number, as a choice and as a branch.
    fn comparisons(&mut self, op: Op, ty: Type) {
        let words = ty.name();
        let names: Vec<&str> = match op {
            Op::ICmp => IntPred::ALL.map(IntPred::name).to_vec(),
            _ => FloatPred::ALL.map(FloatPred::name).to_vec(),
        };
        let numbers: Vec<Number> = match op {
            Op::FCmp => [0.0, -0.0, 1.5, -3.25, 1e30, f64::NAN].map(|x| number(ty, x)).to_vec(),
            _ => {
                let high = [1 << 32, -1 << 32, (1 << 32) - 1, i64::MAX, i64::MIN, i64::MIN + 1, 7 << 40];
                EDGES.into_iter().chain(high).map(|x| Number::int(ty, x)).collect()
            }
        };
        for (pred, text) in names.into_iter().enumerate() {
            let name = format!("{text}_{words}");
            _ = writeln!(
                self.functions,
                "define i32 @{name}({words} %a, {words} %b) {{\n  %c = {} {text} {words} %a, %b\n  %x = zext i1 %c to i32\n  \
                 %r = select i1 %c, {words} %b, {words} %a\n  br i1 %c, label %y, label %n\ny:\n  %p = add i32 %x, 2\n  \
                 br label %n\nn:\n  %q = phi i32 [ 0, %0 ], [ %p, %y ]\n{}}}",
                op.row().name,
                bits(ty).replace("ret i32 %i", "%f = mul i32 %i, 5\n  %s = add i32 %f, %q\n  ret i32 %s")
            );
            let mut cases = Vec::new();
            for (a, b) in numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| (a, b))) {
                let Some(truth) = fold(op, Type::I1, pred as u32, &[a, b]).map(|x| x.bits != 0) else {
                    continue;
                };
                let chosen = word(if truth { b } else { a }).wrapping_mul(5);
                let result = chosen.wrapping_add(if truth { 3 } else { 0 });
                cases.push((format!("{}, {}", written(a), written(b)), i64::from(result)));
            }
            self.check(&name, "i32", &cases);
        }
    }
}

/// A float of a type.
fn number(ty: Type, x: f64) -> Number {
    if ty == Type::F64 { Number::f64(x) } else { Number::f32(x as f32) }
}

/// How a number is written, with its type.
fn written(x: Number) -> String {
    match x.ty.is_float() {
        true => format!("{} 0x{:016X}", x.ty.name(), x.float().to_bits()),
        false => format!("{} {}", x.ty.name(), x.bits as i64),
    }
}

/// What `bits` makes of a number.
fn word(x: Number) -> i32 {
    match x.ty {
        Type::I64 | Type::F64 => (x.bits ^ x.bits >> 32) as i32,
        Type::F32 => x.bits as i32,
        _ => x.signed() as i32,
    }
}

/// Returns the bits of `%r`.
fn bits(ty: Type) -> String {
    let name = ty.name();
    format!("  %i = call i32 @bits_{name}({name} %r)\n  ret i32 %i\n")
}

/// What all programs have: the bits of values, of eight bytes both words as one, through memory.
fn head() -> String {
    let mut text = "declare void @putint(i32)\ndeclare void @putch(i32)\n".to_string();
    for ty in [Type::I8, Type::I32, Type::I64, Type::F32, Type::F64] {
        let name = ty.name();
        let rest = match ty {
            Type::I8 => "  %i = sext i8 %r to i32\n".to_string(),
            _ => {
                let whole =
                    format!("  %m = alloca {name}\n  store {name} %r, ptr %m\n  %l = load i32, ptr %m\n");
                let more = "  %w = getelementptr i8, ptr %m, i32 4\n  %h = load i32, ptr %w\n  %i = xor i32 %l, %h\n";
                if ty.bytes() == 8 { whole + more } else { whole + "  %i = add i32 %l, 0\n" }
            }
        };
        _ = writeln!(text, "define i32 @bits_{name}({name} %r) {{\n{rest}  ret i32 %i\n}}");
    }
    text
}

/// All operations that a target has.
fn program(is_32_bit: bool) -> (String, String) {
    let (functions, main, expected) = (String::new(), String::new(), String::new());
    let mut p = Program { functions, main, expected, count: 0 };
    for &op in Op::ALL {
        match op.row().types {
            Types::Int => {
                for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
                    p.integers(op, ty);
                }
            }
            Types::Bytes => [Type::I16, Type::I32, Type::I64].into_iter().for_each(|ty| p.integers(op, ty)),
            Types::Float if !(is_32_bit && op == Op::Fma) => {
                p.floats(op, Type::F32);
                p.floats(op, Type::F64);
            }
            _ => {}
        }
    }
    let text = format!("{}{}define i32 @main() {{\n{}  ret i32 0\n}}\n", head(), p.functions, p.main);
    (text, p.expected)
}

#[test]
fn every_operation_does_on_every_target_what_the_folder_says() -> Result<(), String> {
    runs_everywhere(program, &["-O0", "-O1"])
}

/// Conversions between all types, and comparisons of all.
fn conversions(_: bool) -> (String, String) {
    let (functions, main, expected) = (String::new(), String::new(), String::new());
    let mut p = Program { functions, main, expected, count: 0 };
    let integers = [Type::I8, Type::I32, Type::I64];
    let floats = [Type::F32, Type::F64];
    let pairs = |from: &[Type], to: &[Type]| -> Vec<(Type, Type)> {
        from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to))).collect()
    };
    for &op in Op::ALL {
        let mut pairs = match op.row().types {
            Types::Widen | Types::Narrow => pairs(&integers, &integers),
            Types::IntToFloat => pairs(&integers, &floats),
            Types::FloatToInt => pairs(&floats, &integers),
            Types::FloatWiden | Types::FloatNarrow => pairs(&floats, &floats),
            _ => Vec::new(),
        };
        match op.row().types {
            Types::Widen | Types::FloatWiden => pairs.retain(|(from, to)| from.bytes() < to.bytes()),
            Types::Narrow | Types::FloatNarrow => pairs.retain(|(from, to)| from.bytes() > to.bytes()),
            _ => {}
        }
        for (from, to) in pairs {
            p.conversions(op, from, to);
        }
    }
    for ty in integers {
        p.comparisons(Op::ICmp, ty);
    }
    for ty in floats {
        p.comparisons(Op::FCmp, ty);
    }
    let text = format!("{}{}define i32 @main() {{\n{}  ret i32 0\n}}\n", head(), p.functions, p.main);
    (text, p.expected)
}

#[test]
fn every_conversion_and_comparison_is_what_the_folder_says() -> Result<(), String> {
    runs_everywhere(conversions, &["-O0", "-O1"])
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
    ("riscv64", "sdiv 7", "lui addiw slli addi slli mulh sraiw subw"),
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
