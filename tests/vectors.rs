//! Every operation of the IR on vectors, on every target and level: what the folder says of each lane, at the
//! edges. The same program by a real LLVM, which computes it all beforehand.
//!
//! One program of LLVM text does them all: a function a case loads its operands from a global of its own
//! and stores its result, of which a sum is printed.

use crate::everywhere;
use everywhere::{applied, runs_everywhere, same};
use std::fmt::Write;
use std::process::{Command, Stdio};
use sysyc::ir::interp::{self, Options};
use sysyc::ir::opcode::Types;
use sysyc::ir::{FloatPred, IntPred, Number, Op, Type, fold, parse, print};

const EDGES: [i64; 17] =
    [0, 1, -1, 2, 3, 7, -7, 10, 31, -64, 127, -128, 641, 0x7fff_ffff, -0x8000_0000, 1_000_000_007, i64::MIN];
const FLOATS: [f64; 9] = [0.0, -0.0, 1.5, -3.25, 1.000_000_119_209_289_6, 1e30, -1e-30, 16_777_216.0, -100.0];

/// Bytes between the operands of a case, and of a result.
const ROOM: usize = 64;

/// The text of what all cases share.
const COMMON: &str = "declare void @putint(i32)
declare void @putch(i32)
define void @show() {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %s = phi i32 [ 0, %0 ], [ %t, %loop ]
  %p = getelementptr [16 x i32], ptr @out, i32 0, i32 %k
  %x = load i32, ptr %p
  store i32 0, ptr %p
  %u = mul i32 %s, 31
  %t = add i32 %u, %x
  %next = add i32 %k, 1
  %c = icmp slt i32 %next, 16
  br i1 %c, label %loop, label %end
end:
  call void @putint(i32 %t)
  call void @putch(i32 10)
  ret void
}
";

/// The program, and what it prints.
#[derive(Default)]
struct Program {
    text: String,
    main: String,
    expected: String,
    count: usize,
}

fn bytes(lanes: &[Number]) -> Vec<u8> {
    lanes.iter().flat_map(|x| x.bits.to_le_bytes()[..x.ty.bytes() as usize].to_vec()).collect()
}

/// Lanes of a type, beginning at some edge.
fn lanes(ty: Type, first: usize) -> Vec<Number> {
    let of = |k: usize| match ty.element() {
        Type::F32 => Number::f32(FLOATS[(first + k) % FLOATS.len()] as f32),
        Type::F64 => Number::f64(FLOATS[(first + k) % FLOATS.len()]),
        int => Number::int(int, EDGES[(first + k) % EDGES.len()]),
    };
    (0..ty.lanes() as usize).map(of).collect()
}

impl Program {
    /// A case: `code` computes from `%a`, `%b` and `%c`, of these types and lanes, and stores to `@out`.
    fn case(&mut self, operands: &[(Type, Vec<Number>)], code: &str, result: &[u8]) {
        let n = self.count;
        self.count += 1;
        let mut image = vec![0u8; ROOM * operands.len().max(1)];
        let mut loads = String::new();
        for (k, (ty, lanes)) in operands.iter().enumerate() {
            let bytes = bytes(lanes);
            image[ROOM * k..ROOM * k + bytes.len()].copy_from_slice(&bytes);
            _ = writeln!(
                loads,
                "  %p{k} = getelementptr i8, ptr @in{n}, i32 {}\n  %{} = load {}, ptr %p{k}, align {}",
                ROOM * k,
                ["a", "b", "c"][k],
                ty.name(),
                ty.element().bytes()
            );
        }
        let words = |bytes: &[u8]| -> Vec<i32> {
            bytes.chunks(4).map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
        };
        let image: Vec<String> = words(&image).iter().map(|word| format!("i32 {word}")).collect();
        _ = writeln!(self.text, "@in{n} = global [{} x i32] [{}], align 32", image.len(), image.join(", "));
        let code = code.replace("@in", &format!("@in{n}"));
        _ = writeln!(self.text, "define void @f{n}() {{\n{loads}{code}  ret void\n}}");
        _ = writeln!(self.main, "  call void @f{n}()\n  call void @show()");
        let mut out = result.to_vec();
        out.resize(ROOM, 0);
        let sum = words(&out).iter().fold(0i32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word));
        _ = writeln!(self.expected, "{sum}");
    }

    /// A case whose result `%r` is stored.
    fn stores(&mut self, operands: &[(Type, Vec<Number>)], code: &str, ty: Type, result: &[Number]) {
        let store = format!("  store {} %r, ptr @out, align {}\n", ty.name(), ty.element().bytes());
        self.case(operands, &format!("{code}{store}"), &bytes(result));
    }

    /// An operation on lanes of one type. Where it is undefined for two lanes, the second becomes 3.
    fn by_lane(&mut self, op: Op, ty: Type) {
        let count = usize::from(op.row().operands);
        for turn in [0, 5] {
            let mut operands: Vec<(Type, Vec<Number>)> =
                (0..count).map(|k| (ty, lanes(ty, turn + 3 * k * (turn + 1)))).collect();
            let mut result = Vec::new();
            for k in 0..ty.lanes() as usize {
                let of_lane = |operands: &[(Type, Vec<Number>)]| {
                    let args: Vec<Number> = operands.iter().map(|(_, lanes)| lanes[k]).collect();
                    // Which NaN a target makes is its own.
                    fold(op, ty.element(), 0, &args).filter(|x| x.ty.is_int() || !x.float().is_nan())
                };
                let lane = of_lane(&operands).unwrap_or_else(|| {
                    let three = Number::int(Type::I32, 3);
                    operands[count - 1].1[k] = match ty.element() {
                        ty @ (Type::F32 | Type::F64) => fold(Op::SIToFP, ty, 0, &[three]).unwrap_or(three),
                        ty => Number::int(ty, 3),
                    };
                    of_lane(&operands).unwrap_or(Number::zero(ty.element()))
                });
                result.push(lane);
            }
            let names = ["%a", "%b", "%c"][..count].iter().map(|name| (*name).to_string());
            let code = format!("  %r = {}\n", applied(op, ty, &names.collect::<Vec<_>>()));
            self.stores(&operands, &code, ty, &result);
        }
    }

    fn cast(&mut self, op: Op, from: Type, to: Type) {
        for turn in [0, 7] {
            let mut operand = lanes(from, turn);
            if op == Op::FPToSI {
                // LLVM leaves the others open.
                let fits = |x: f64| x.abs() < 1e9;
                operand.iter_mut().filter(|x| !fits(x.float())).for_each(|x| x.bits = 0);
            }
            let result: Option<Vec<Number>> =
                operand.iter().map(|&x| fold(op, to.element(), 0, &[x])).collect();
            let code = format!("  %r = {} {} %a to {}\n", op.row().name, from.name(), to.name());
            self.stores(&[(from, operand)], &code, to, &result.unwrap_or_default());
        }
    }

    fn compare(&mut self, op: Op, ty: Type, pred: u32, name: &str) -> Option<()> {
        let (a, b) = (lanes(ty, 0), lanes(ty, 6));
        let truth = |(&a, &b): (&Number, &Number)| fold(op, Type::I1, pred, &[a, b]);
        let truth: Vec<Number> = a.iter().zip(&b).filter_map(truth).collect();
        let (bits, words) = (ty.of_element(Type::I1)?, ty.of_element(Type::I32)?);
        let code = format!(
            "  %t = {} {name} {} %a, %b\n  %r = zext {} %t to {}\n",
            op.row().name,
            ty.name(),
            bits.name(),
            words.name()
        );
        let result: Vec<Number> = truth.iter().map(|x| Number::int(Type::I32, x.bits as i64)).collect();
        self.stores(&[(ty, a.clone()), (ty, b.clone())], &code, words, &result);
        // A choice by it.
        let code = format!(
            "  %t = {} {name} {} %a, %b\n  %r = select {} %t, {1} %a, {1} %b\n",
            op.row().name,
            ty.name(),
            bits.name()
        );
        let pick = |k: usize| if truth[k].bits != 0 { a[k] } else { b[k] };
        let result: Vec<Number> = (0..a.len()).map(pick).collect();
        self.stores(&[(ty, a.clone()), (ty, b.clone())], &code, ty, &result);
        Some(())
    }

    fn reduce(&mut self, op: Op, ty: Type) -> Option<()> {
        let (by, element) = (op.reduces_by()?, ty.element());
        for turn in [0, 1, 9] {
            let operand = lanes(ty, turn);
            let all = operand[1..].iter().try_fold(operand[0], |all, &x| fold(by, element, 0, &[all, x]))?;
            let code = format!(
                "  %r = call {} @{}.{}({} %a)\n",
                element.name(),
                op.row().name,
                ty.code(),
                ty.name()
            );
            self.stores(&[(ty, operand)], &code, element, &[all]);
        }
        Some(())
    }

    fn sum_in_order(&mut self, ty: Type) -> Option<()> {
        let (operand, element) = (lanes(ty, 2), ty.element());
        let start = lanes(element, 4)[0];
        let all = operand.iter().try_fold(start, |all, &x| fold(Op::FAdd, element, 0, &[all, x]))?;
        let code = format!(
            "  %r = call {0} @llvm.vector.reduce.fadd.{1}({0} %b, {2} %a)\n",
            element.name(),
            ty.code(),
            ty.name()
        );
        self.stores(&[(ty, operand), (element, vec![start])], &code, element, &[all]);
        Some(())
    }

    /// Lanes put in, taken out, spread and moved about.
    fn single_lanes(&mut self, ty: Type) {
        let (name, element, count) = (ty.name(), ty.element(), ty.lanes() as usize);
        let (a, x) = (lanes(ty, 1), lanes(element, 3)[0]);
        let both = [(ty, a.clone()), (element, vec![x])];
        for k in [0, 1, count - 1] {
            let code = format!("  %r = extractelement {name} %a, i64 {k}\n");
            self.stores(&both, &code, element, &[a[k]]);
            let code = format!("  %r = insertelement {name} %a, {} %b, i32 {k}\n", element.name());
            let mut put = a.clone();
            put[k] = x;
            self.stores(&both, &code, ty, &put);
        }
        let spread = format!(
            "  %s = insertelement {name} poison, {} %b, i64 0\n  \
             %r = shufflevector {name} %s, {name} poison, <{count} x i32> zeroinitializer\n",
            element.name()
        );
        self.stores(&both, &spread, ty, &vec![x; count]);
        let spread = format!("  %r = call {name} @sysyc.splat.{}({} %b)\n", ty.code(), element.name());
        self.stores(&both, &spread, ty, &vec![x; count]);
        let reversed: Vec<String> = (0..count).rev().map(|k| format!("i32 {k}")).collect();
        let shuffle = format!(
            "  %r = shufflevector {name} %a, {name} poison, <{count} x i32> <{}>\n",
            reversed.join(", ")
        );
        self.stores(&both, &shuffle, ty, &a.iter().rev().copied().collect::<Vec<_>>());
        let b = lanes(ty, 5);
        for (half, which) in ["low", "high"].into_iter().enumerate() {
            let code = format!("  %r = call {name} @sysyc.zip.{which}.{}({name} %a, {name} %b)\n", ty.code());
            let from = half * (count / 2);
            let lane = |k: usize| if k.is_multiple_of(2) { a[from + k / 2] } else { b[from + k / 2] };
            let zipped: Vec<Number> = (0..count).map(lane).collect();
            self.stores(&[(ty, a.clone()), (ty, b.clone())], &code, ty, &zipped);
        }
        let constant: Vec<String> = a
            .iter()
            .map(|x| match element {
                Type::F32 | Type::F64 => format!("{} 0x{:016X}", element.name(), x.float().to_bits()),
                _ => format!("{} {}", element.name(), x.signed()),
            })
            .collect();
        let code = format!("  store {name} <{}>, ptr @out, align 8\n", constant.join(", "));
        self.case(&both, &code, &bytes(&a));
        let second = constant[1].clone();
        let code = format!("  store {name} splat ({second}), ptr @out, align 8\n");
        self.case(&both, &code, &bytes(&vec![a[1]; count]));
    }

    /// Masked accesses, with masks that are known and that are not. What is masked out lies outside of the
    /// object.
    fn masked(&mut self, ty: Type) -> Option<()> {
        let (name, code, count) = (ty.name(), ty.code(), ty.lanes() as usize);
        let mask = ty.of_element(Type::I1)?.name();
        let words = ty.of_element(Type::I32)?;
        let (a, b) = (lanes(ty, 1), lanes(ty, 8));
        let odd: Vec<Number> = (0..count).map(|k| Number::int(Type::I32, i64::from(k % 3 != 0))).collect();
        let half: Vec<Number> =
            (0..count).map(|k| Number::int(Type::I32, i64::from(k < count / 2))).collect();
        let align = ty.element().bytes();
        // The end of `@in`, whose third operand is the last.
        let end = 3 * ROOM - count / 2 * align as usize;
        for (bits, is_half) in [(&odd, false), (&half, true)] {
            let constant: Vec<String> =
                bits.iter().map(|x| format!("i1 {}", ["false", "true"][x.bits as usize])).collect();
            let of_words = format!("  %m = icmp ne {} %c, zeroinitializer\n", words.name());
            for (before, m) in [(&*of_words, "%m".to_string()), ("", format!("<{}>", constant.join(", ")))] {
                let operands = [(ty, a.clone()), (ty, b.clone()), (words, bits.clone())];
                let at = if is_half { end } else { 0 };
                let text = format!(
                    "{before}  %q = getelementptr i8, ptr @in, i32 {at}\n  \
                     %r = call {name} @llvm.masked.load.{code}.p0(ptr %q, i32 {align}, {mask} {m}, {name} %b)\n"
                );
                let mut image = vec![0u8; 3 * ROOM + ROOM];
                for (k, (_, lanes)) in operands.iter().enumerate() {
                    image[k * ROOM..k * ROOM + bytes(lanes).len()].copy_from_slice(&bytes(lanes));
                }
                let read = |k: usize| {
                    let from = at + k * align as usize;
                    let mut word = [0; 8];
                    word[..align as usize].copy_from_slice(&image[from..from + align as usize]);
                    let x = u64::from_le_bytes(word);
                    let ty = ty.element();
                    if ty.is_int() { Number::int(ty, x as i64) } else { Number { ty, bits: x } }
                };
                let result: Vec<Number> =
                    (0..count).map(|k| if bits[k].bits != 0 { read(k) } else { b[k] }).collect();
                self.stores(&operands, &text, ty, &result);
                let text = format!(
                    "{before}  store {name} %a, ptr @out, align 8\n  \
                     call void @llvm.masked.store.{code}.p0({name} %b, ptr @out, i32 {align}, {mask} {m})\n"
                );
                let result: Vec<Number> =
                    (0..count).map(|k| if bits[k].bits != 0 { b[k] } else { a[k] }).collect();
                self.case(&operands, &text, &bytes(&result));
            }
        }
        Some(())
    }

    /// Accesses with steps that are known and that are not, forwards, backwards, and nowhere.
    fn strided(&mut self, ty: Type) -> Option<()> {
        let (name, code, count) = (ty.name(), ty.code(), ty.lanes() as i64);
        let mask = ty.of_element(Type::I1)?.name();
        let all = format!("<{}>", vec!["i1 true"; count as usize].join(", "));
        let size = i64::from(ty.element().bytes());
        let a = lanes(ty, 1);
        for stride in [size, 2 * size, -size, 0] {
            let span = stride * (count - 1);
            if span.abs() + size > ROOM as i64 {
                continue;
            }
            let first = if span < 0 { -span } else { 0 };
            let words = vec![Number::int(Type::I32, stride)];
            let operands = [(ty, a.clone()), (ty, a.clone()), (Type::I32, words)];
            let mut image = [0u8; 2 * ROOM];
            image[..bytes(&a).len()].copy_from_slice(&bytes(&a));
            image[ROOM..ROOM + bytes(&a).len()].copy_from_slice(&bytes(&a));
            for (before, s) in [("  %s = sext i32 %c to i64\n", "%s".to_string()), ("", stride.to_string())] {
                let text = format!(
                    "{before}  %q = getelementptr i8, ptr @in, i32 {first}\n  %r = call {name} \
                     @llvm.experimental.vp.strided.load.{code}.p0.i64(ptr %q, i64 {s}, {mask} {all}, i32 {count})\n"
                );
                let mut result = Vec::new();
                for k in 0..count {
                    let from = (first + k * stride) as usize;
                    result.extend_from_slice(&image[from..from + size as usize]);
                }
                let store = format!("  store {name} %r, ptr @out, align {size}\n");
                self.case(&operands, &format!("{text}{store}"), &result);
                let text = format!(
                    "{before}  %q = getelementptr i8, ptr @out, i32 {first}\n  call void \
                     @llvm.experimental.vp.strided.store.{code}.p0.i64({name} %a, ptr %q, i64 {s}, {mask} {all}, \
                     i32 {count})\n"
                );
                let mut result = vec![0u8; ROOM];
                for (k, x) in (0..).zip(&a) {
                    let to = (first + k * stride) as usize;
                    result[to..to + size as usize].copy_from_slice(&bytes(&[*x]));
                }
                self.case(&operands, &text, &result);
            }
        }
        Some(())
    }

    /// A sum around a loop, in lanes.
    fn around_a_loop(&mut self) -> Option<()> {
        let ty = Type::I32x4;
        let a = lanes(Type::I32x16, 0);
        let code = "  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %s = phi <4 x i32> [ <i32 5, i32 6, i32 7, i32 8>, %0 ], [ %t, %loop ]
  %last = phi <4 x i32> [ zeroinitializer, %0 ], [ %s, %loop ]
  %p = getelementptr i32, ptr @in, i32 %k
  %v = load <4 x i32>, ptr %p, align 4
  %t = add <4 x i32> %s, %v
  %next = add i32 %k, 4
  %m = icmp slt i32 %next, 16
  br i1 %m, label %loop, label %end
end:
  %r = sub <4 x i32> %t, %last
";
        let sum_of = |rounds: usize| {
            let add = |sum: Number, x: &Number| fold(Op::Add, Type::I32, 0, &[sum, *x]);
            let lane = |k: usize| {
                let start = Number::int(Type::I32, 5 + k as i64);
                a[..4 * rounds].iter().skip(k).step_by(4).try_fold(start, add)
            };
            (0..4).map(lane).collect::<Option<Vec<Number>>>()
        };
        // `%last` is what `%t` was two rounds before.
        let (sum, last) = (sum_of(4)?, sum_of(2)?);
        let result: Option<Vec<Number>> =
            (0..4).map(|k| fold(Op::Sub, Type::I32, 0, &[sum[k], last[k]])).collect();
        self.stores(&[(Type::I32x16, a)], code, ty, &result?);
        Some(())
    }

    /// Vectors that are needed behind a call, of which some machines preserve a part of registers.
    fn over_a_call(&mut self) -> Option<()> {
        let ty = Type::F32x4;
        let (a, b) = (lanes(ty, 0), lanes(ty, 3));
        let code = "  %x = fadd <4 x float> %a, %b
  %y = fsub <4 x float> %a, %b
  call void @putch(i32 10)
  %z = fmul <4 x float> %x, %y
  %r = fadd <4 x float> %z, %a
";
        let lane = |k: usize| {
            let of = |op: Op, x: Number, y: Number| fold(op, Type::F32, 0, &[x, y]);
            let product = of(Op::FMul, of(Op::FAdd, a[k], b[k])?, of(Op::FSub, a[k], b[k])?)?;
            of(Op::FAdd, product, a[k])
        };
        let result: Option<Vec<Number>> = (0..4).map(lane).collect();
        self.expected.push('\n');
        self.stores(&[(ty, a.clone()), (ty, b.clone())], code, ty, &result?);
        Some(())
    }
}

/// All operations that a machine has.
fn program(is_32_bit: bool) -> (String, String) {
    let mut p = Program {
        text: "@out = global [16 x i32] zeroinitializer, align 32\n".to_string(),
        ..Program::default()
    };
    let ints = [Type::I8x2, Type::I8x16, Type::I32x4, Type::I32x8, Type::I64x2];
    let floats = [Type::F32x4, Type::F32x2, Type::F64x4];
    for &op in Op::ALL {
        match op.row().types {
            Types::Int => ints.into_iter().for_each(|ty| p.by_lane(op, ty)),
            Types::Bytes => ints[2..].iter().for_each(|&ty| p.by_lane(op, ty)),
            Types::Float if !(is_32_bit && op == Op::Fma) => {
                floats.into_iter().for_each(|ty| p.by_lane(op, ty));
            }
            Types::Reduce => {
                ints.into_iter().for_each(|ty| _ = p.reduce(op, ty));
            }
            _ => {}
        }
    }
    let casts = [
        (Op::ZExt, Type::I8x16, Type::I32x16),
        (Op::SExt, Type::I8x4, Type::I32x4),
        (Op::SExt, Type::I32x4, Type::I64x4),
        (Op::Trunc, Type::I32x8, Type::I8x8),
        (Op::Trunc, Type::I64x8, Type::I32x8),
        (Op::SIToFP, Type::I32x4, Type::F32x4),
        (Op::SIToFP, Type::I32x4, Type::F64x4),
        (Op::FPToSI, Type::F32x8, Type::I32x8),
        (Op::FPToSI, Type::F64x2, Type::I32x2),
        (Op::FPExt, Type::F32x4, Type::F64x4),
        (Op::FPTrunc, Type::F64x8, Type::F32x8),
    ];
    for (op, from, to) in casts {
        p.cast(op, from, to);
    }
    for ty in [Type::I32x4, Type::I8x16, Type::I64x2] {
        IntPred::ALL.iter().for_each(|pred| _ = p.compare(Op::ICmp, ty, *pred as u32, pred.name()));
    }
    for ty in [Type::F32x4, Type::F32x8, Type::F64x2] {
        FloatPred::ALL.iter().for_each(|pred| _ = p.compare(Op::FCmp, ty, *pred as u32, pred.name()));
    }
    let mixed = [Type::I32x4, Type::F32x4, Type::I8x16, Type::F32x8, Type::I64x8, Type::F64x2, Type::I32x16];
    for ty in mixed {
        p.single_lanes(ty);
        _ = p.masked(ty);
        _ = p.strided(ty);
        if ty.element().is_float() {
            _ = p.sum_in_order(ty);
        }
    }
    _ = p.around_a_loop();
    _ = p.over_a_call();
    (format!("{}{COMMON}define i32 @main() {{\n{}  ret i32 0\n}}\n", p.text, p.main), p.expected)
}

#[test]
fn every_operation_does_to_vectors_on_every_target_what_the_folder_says() -> Result<(), String> {
    runs_everywhere(program, &["-O0", "-O1", "-O2"])
}

/// The newest LLVM tool of this name, if it works on this file.
fn run_tool(name: &str, args: &[&str], file: &std::path::Path) -> Result<Option<String>, String> {
    let names = (15..=20).rev().map(|version| format!("{name}-{version}")).chain([name.to_string()]);
    for name in names {
        let version =
            Command::new(&name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if version.is_ok() {
            let output =
                Command::new(&name).args(args).arg(file).output().map_err(|error| error.to_string())?;
            if output.status.success() {
                return Ok(Some(String::from_utf8_lossy(&output.stdout).into_owned()));
            }
            return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    match std::env::var_os("SYSYC_ALLOW_MISSING") {
        Some(_) => Ok(None),
        None => Err(format!("{name}, version 15 to 20, is missing; SYSYC_ALLOW_MISSING=1 goes on")),
    }
}

#[test]
fn llvm_takes_vectors_as_we_print_them_and_computes_the_same() -> Result<(), String> {
    let (text, expected) = program(false);
    let read = |text: &str| parse::parse(text).map_err(|error| error.to_string());
    let printed = print::module(&read(&text)?);
    let again = print::module(&read(&printed)?);
    assert!(again == printed, "printing what was read gives another text");
    // Inputs that do not change are known to LLVM.
    let printed = printed.replace(" = global [48 x i32] [", " = constant [48 x i32] [");
    let printed = printed.replace(" = global [32 x i32] [", " = constant [32 x i32] [");
    let printed = printed.replace(" = global [16 x i32] [", " = constant [16 x i32] [");
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("x.ll");
    // Without it, i64 is aligned to 4 for LLVM.
    let layout = "target datalayout = \"e-i64:64-f64:64\"\n";
    std::fs::write(&file, format!("{layout}{printed}")).map_err(|error| error.to_string())?;
    for passes in ["-passes=verify", "-passes=default<O1>"] {
        let Some(text) = run_tool("opt", &["-S", passes], &file)? else { return Ok(()) };
        let module = read(&text)?;
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        interp::run(&module, "main", &mut &[][..], &mut output, &mut errors, Options::default())
            .map_err(|trap| trap.to_string())?;
        same(passes, &String::from_utf8_lossy(&output), &expected)?;
    }
    Ok(())
}
