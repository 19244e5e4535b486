//! IR text that no front end writes: whatever it says, it is refused with a place, or every level and target
//! compiles it or says what it cannot do. Text that is right is damaged by exchanging tokens for others of
//! the same kind (types for types, names for names, words for words), so that much of it is still read and
//! gets to the backends.
//!
//! `SYSYC_FUZZ=N` tries N texts, `SYSYC_SEED` is the number of the first.

#![allow(clippy::panic)]

use crate::generate;
use generate::Random;
use std::panic::catch_unwind;
use sysyc::backend::code::{BackendError, Kept, Options, WorkerMemory, compile_function};
use sysyc::base::parallel::Workers;
use sysyc::ir::parse::{ANY, Platform, parse_for};
use sysyc::isa::features::default_of;
use sysyc::isa::symbols::symbols;
use sysyc::isa::{TARGETS, Target};
use sysyc::mir::pass::Watch;
use sysyc::opt::{self, Level};

/// A function that damage turns into many others.
const SEED: &str = "
define i32 @f(i32 %a, i64 %b, float %c, ptr %p, i8 %d, i1 %e) {
entry:
  %s = alloca [4 x i32], align 8
  %t = alloca i32
  %q = getelementptr inbounds [4 x i32], ptr %s, i32 0, i32 %a
  %r = getelementptr i32, ptr %p, i64 %b
  call void @llvm.memset.p0.i64(ptr %s, i8 0, i64 16, i1 false)
  store i32 %a, ptr %q
  store i32 7, ptr %t
  %l = load i32, ptr %r, align 4
  %m = load i32, ptr @g
  %u = add i32 %l, %m
  %v = sdiv i32 %u, 10
  %w = shl i32 %v, 3
  %x = icmp slt i32 %w, %a
  br i1 %x, label %then, label %else
then:
  %y = sitofp i32 %w to float
  %z = fadd float %y, %c
  %aa = fptosi float %z to i32
  %ab = call i32 @h(i32 %aa, float %c, ptr @g, i8 signext %d)
  br label %join
else:
  %ac = trunc i32 %w to i8
  %ad = xor i8 %ac, %d
  %ae = zext i8 %ad to i32
  %af = select i1 %e, i32 %ae, i32 %a
  switch i32 %af, label %join [ i32 1, label %then
    i32 -9, label %loop ]
loop:
  %ag = phi i32 [ %af, %else ], [ %ah, %loop ]
  %ah = sub i32 %ag, 1
  %ai = icmp eq i32 %ah, 0
  br i1 %ai, label %join, label %loop
join:
  %aj = phi i32 [ %ab, %then ], [ undef, %else ], [ %ah, %loop ]
  %ak = fcmp olt float %c, 2.5
  %al = zext i1 %ak to i32
  %am = urem i32 %aj, %al
  %an = freeze i32 %am
  %ao = call i32 @llvm.smax.i32(i32 %an, i32 5)
  ret i32 %ao
}
@g = global [3 x i32] [i32 1, i32 2, i32 3], align 32
declare i32 @h(i32, float, ptr, i8 signext) memory(argmem: read)
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
";

/// The same with vectors, and with memory of any length.
const VECTORS: &str = "
define i32 @f(i32 %a, i64 %b, float %c, ptr %p, i8 %d, i1 %e) {
entry:
  %s = alloca [16 x i32]
  call void @llvm.memset.p0.i32(ptr %s, i8 %d, i32 %a, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr @g, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %p, i64 %b, i1 false)
  %f = insertelement <4 x i32> poison, i32 %a, i64 0
  %g = shufflevector <4 x i32> %f, <4 x i32> poison, <4 x i32> zeroinitializer
  %h = add <4 x i32> %g, splat (i32 3)
  br label %loop
loop:
  %i = phi <4 x i32> [ %h, %entry ], [ %o, %loop ]
  %j = phi i32 [ 0, %entry ], [ %t, %loop ]
  %k = load <4 x i32>, ptr %p, align 4
  %l = icmp slt <4 x i32> %k, %i
  %m = select <4 x i1> %l, <4 x i32> %k, <4 x i32> %h
  %n = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %l, <4 x i32> %m)
  %o = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %n, <4 x i32> splat (i32 7))
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %o, ptr %s, i32 4, <4 x i1> %l)
  %q = sitofp <4 x i32> %o to <4 x float>
  %r = fmul <4 x float> %q, splat (float 0.5)
  %u = call float @llvm.vector.reduce.fadd.v4f32(float %c, <4 x float> %r)
  %v = fptosi float %u to i32
  %t = add i32 %j, %v
  %w = call <4 x i32> @llvm.experimental.vp.strided.load.v4i32.p0.i64(ptr %p, i64 %b, <4 x i1> splat (i1 true), i32 4)
  call void @llvm.experimental.vp.strided.store.v4i32.p0.i64(<4 x i32> %w, ptr %s, i64 4, <4 x i1> splat (i1 true), i32 4)
  %x = extractelement <4 x i32> %w, i64 2
  %y = icmp eq i32 %x, 0
  br i1 %y, label %join, label %loop
join:
  store <4 x i32> %i, ptr %s, align 4
  %z = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %i)
  %aa = xor <4 x i32> %m, %g
  %ab = call i32 @llvm.vector.reduce.umin.v4i32(<4 x i32> %aa)
  %ac = add i32 %z, %ab
  ret i32 %ac
}
@g = constant [3 x i32] [i32 1, i32 2, i32 3]
";

/// The same with vectors that the tables lack, of which each lane is read by itself.
const LANES: &str = "
define i32 @f(i32 %a, i64 %b, float %c, ptr %p, i8 %d, i1 %e) vscale_range(2,1024) {
entry:
  %f = insertelement <6 x i16> poison, i16 7, i32 %a
  %g = shufflevector <6 x i16> %f, <6 x i16> <i16 1, i16 2, i16 3, i16 4, i16 5, i16 6>, <6 x i32> <i32 0, i32 7, i32 poison, i32 2, i32 11, i32 1>
  %h = call <6 x i16> @own(<6 x i16> %g, <3 x i32> splat (i32 3))
  br label %loop
loop:
  %i = phi <6 x i16> [ %h, %entry ], [ %o, %loop ]
  %k = load <6 x i16>, ptr %p, align 1
  %l = icmp slt <6 x i16> %k, %i
  %m = select <6 x i1> %l, <6 x i16> %k, <6 x i16> %h
  %n = call <6 x i16> @llvm.masked.load.v6i16.p0(ptr %p, i32 2, <6 x i1> %l, <6 x i16> %m)
  %o = call <6 x i16> @llvm.smax.v6i16(<6 x i16> %n, <6 x i16> zeroinitializer)
  %q = getelementptr inbounds i16, ptr %p, <6 x i16> %o
  %r = call <6 x i16> @llvm.masked.gather.v6i16.v6p0(<6 x ptr> %q, i32 2, <6 x i1> %l, <6 x i16> poison)
  call void @llvm.masked.scatter.v6i16.v6p0(<6 x i16> %r, <6 x ptr> %q, i32 2, <6 x i1> %l)
  %s = zext <6 x i16> %r to <6 x i40>
  %t = shl <6 x i40> %s, splat (i40 3)
  %u = trunc <6 x i40> %t to <6 x i32>
  %v = bitcast <6 x i32> %u to <3 x i64>
  %w = insertvalue { <3 x i64>, i32 } undef, <3 x i64> %v, 0
  %x = extractvalue { <3 x i64>, i32 } %w, 0
  %y = extractelement <3 x i64> %x, i64 %b
  %z = icmp eq i64 %y, 0
  br i1 %z, label %join, label %loop
join:
  %aa = load <vscale x 8 x i16>, ptr %p, align 2
  %ab = call <vscale x 8 x i16> @llvm.vector.splice.nxv8i16(<vscale x 8 x i16> %aa, <vscale x 8 x i16> shufflevector (<vscale x 8 x i16> insertelement (<vscale x 8 x i16> poison, i16 1, i64 0), <vscale x 8 x i16> poison, <vscale x 8 x i32> zeroinitializer), i32 -1)
  %fixed = call <16 x i16> @llvm.vector.extract.v16i16.nxv8i16(<vscale x 8 x i16> %ab, i64 0)
  %ac = call { <8 x i16>, <8 x i16> } @llvm.vector.deinterleave2.v16i16(<16 x i16> %fixed)
  %ad = extractvalue { <8 x i16>, <8 x i16> } %ac, 1
  %ae = call i16 @llvm.vector.reduce.add.v8i16(<8 x i16> %ad)
  %af = call <8 x i1> @llvm.get.active.lane.mask.v8i1.i32(i32 %a, i32 9)
  %ag = bitcast <8 x i1> %af to i8
  %ah = sext i16 %ae to i32
  ret i32 %ah
}
define internal <6 x i16> @own(<6 x i16> %a, <3 x i32> %b) {
  %c = bitcast <3 x i32> %b to <6 x i16>
  %d = add <6 x i16> %a, %c
  ret <6 x i16> %d
}
";

/// The same with values of several parts, and variadic arguments.
const PARTS: &str = "
%s = type { i32, [2 x i64], { i8, float } }
declare { i64, double } @g(%s, i128, i32, ...)
define [2 x i64] @f(i32 %a, [2 x i64] %b, [3 x float] %c, ptr %p, i128 %d, { double, i8 } %e, ...) {
entry:
  %l = alloca [4 x i64], align 8
  call void @llvm.va_start.p0(ptr %l)
  %s = load %s, ptr %p, align 4
  %t = insertvalue %s %s, i32 %a, 0
  %u = insertvalue %s %t, [2 x i64] %b, 1
  %v = call { i64, double } (%s, i128, i32, ...) @g(%s %u, i128 %d, i32 %a, [2 x i64] %b, double 2.0)
  %w = extractvalue { i64, double } %v, 0
  %x = icmp eq i64 %w, 7
  br i1 %x, label %then, label %else
then:
  %y = call [2 x i64] (i32, [2 x i64], [3 x float], ptr, i128, { double, i8 }, ...) @f(i32 1, [2 x i64] %b, [3 x float] zeroinitializer, ptr %l, i128 -5, { double, i8 } %e, i32 %a)
  store [2 x i64] %y, ptr %l, align 8
  br label %join
else:
  %z = insertvalue [2 x i64] [i64 1, i64 2], i64 %w, 1
  call void @llvm.va_end.p0(ptr %l)
  br label %join
join:
  %aa = phi [2 x i64] [ %y, %then ], [ %z, %else ]
  %ab = phi i128 [ %d, %then ], [ 7, %else ]
  %ac = add i128 %ab, %d
  %ad = trunc i128 %ac to i64
  %ae = freeze [2 x i64] %aa
  %af = select i1 %x, [2 x i64] %ae, [2 x i64] %b
  %ag = insertvalue [2 x i64] %af, i64 %ad, 0
  %ah = call { float, i32 } %p(i128 %ac, [2 x i64] %ag)
  store { float, i32 } %ah, ptr %p
  ret [2 x i64] %ag
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
";

/// Kinds of tokens: what is in a row may stand where another of the row did.
const KINDS: &[&[&str]] = &[
    &["i1", "i8", "i32", "i64", "float", "double", "ptr", "void", "i16", "[4 x i32]", "[2 x [2 x ptr]]"],
    &[
        "add", "sub", "mul", "sdiv", "srem", "udiv", "urem", "and", "or", "xor", "shl", "lshr", "ashr",
        "fadd", "fsub", "fmul", "fdiv",
    ],
    &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge", "olt", "une", "ord", "true"],
    &["zext", "sext", "trunc", "sitofp", "fptosi", "fpext", "fptrunc", "uitofp", "freeze"],
    &[
        "0",
        "1",
        "-1",
        "2",
        "7",
        "31",
        "32",
        "63",
        "-128",
        "255",
        "2147483647",
        "-2147483648",
        "undef",
        "null",
    ],
    &["<4", "<2", "<8", "<16", "<3", "<6", "<64", "<256", "<257", "<4294967295", "<vscale x 6"],
    &[
        "<6 x i16>",
        "<3 x i64>",
        "<6 x i1>",
        "<6 x i40>",
        "<8 x i16>",
        "<vscale x 8 x i16>",
        "<6 x ptr>",
        "{ <3 x i64>, i32 }",
    ],
    &["v6i16", "nxv8i16", "v8i16", "v16i16", "v6i16.v6p0"],
    &["shufflevector", "insertelement", "extractelement", "bitcast", "zext", "trunc", "getelementptr"],
    &["i32>", "i8>", "i64>", "float>", "i1>", "double>", "ptr>"],
    &["@llvm.vector.reduce.add.v4i32", "@llvm.vector.reduce.umin.v4i32", "@llvm.vector.reduce.xor.v4i32"],
    &["<4 x i32>", "<4 x float>", "<4 x i1>", "<2 x i32>", "<16 x i8>", "<4 x i64>", "i32"],
    &["v4i32", "v4f32", "v4i8", "v4i64", "v8i32"],
    &["signext", "zeroext", "inbounds", "align", "nsw", "volatile", "fast"],
    &[
        "i128",
        "i24",
        "i65",
        "%s",
        "[2 x i64]",
        "[4 x double]",
        "{ i64, double }",
        "[1 x i32]",
        "i64",
        "float",
    ],
    &["x i64]", "x i32]", "x float]", "x i8]", "x ptr]", "x i128]"],
    &["insertvalue", "extractvalue", "freeze", "load"],
    &["load", "store", "alloca", "getelementptr", "phi", "select", "ret", "br", "call", "unreachable"],
];

/// The text with a few tokens exchanged, doubled or taken out.
fn damaged(random: &mut Random) -> String {
    let seed = [SEED, VECTORS, PARTS, LANES][random.below(4)];
    let mut text = seed.to_string();
    if random.chance(2) {
        // Another type or operation throughout is often still right.
        let kind = KINDS[random.below(2)];
        let [from, to] = [0, 1].map(|_| kind[random.below(kind.len())]);
        text = text.replace(&format!(" {from} "), &format!(" {to} "));
    } else if random.chance(2) {
        // Of vectors other lanes, in names too.
        let (ty, code) = [("i8", "i8"), ("i64", "i64"), ("i1", "i1"), ("float", "f32")][random.below(4)];
        text = text.replace("i32", ty).replace(&format!(".v4{ty}"), &format!(".v4{code}"));
    } else if random.chance(2) {
        let lanes = ["2", "8", "16", "3", "64"][random.below(5)];
        for of in ["4", "6"] {
            let (ty, code) = (format!("<{of} x"), format!(".v{of}"));
            text = text.replace(&ty, &format!("<{lanes} x")).replace(&code, &format!(".v{lanes}"));
        }
        text = text.replace(", i32 4)", &format!(", i32 {lanes})"));
    }
    let mut tokens: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ',']).collect();
    for _ in 0..random.below(4) {
        let at = random.below(tokens.len());
        let word = tokens[at].trim_end_matches([' ', '\n', '(', ')', ',']);
        let kind = KINDS.iter().find(|kind| kind.contains(&word));
        let names = |k: usize| seed.split([' ', '\n', ',', ')']).filter(|name| name.starts_with('%')).nth(k);
        match (kind, random.below(8)) {
            (_, 0) => _ = tokens.remove(at),
            (_, 1) => tokens.insert(at, tokens[at]),
            (Some(kind), _) => tokens[at] = kind[random.below(kind.len())],
            (None, _) if word.starts_with('%') => tokens[at] = names(random.below(80)).unwrap_or("%a"),
            _ => continue,
        }
        if let Some(gap) = tokens.get(at + 1).is_some_and(|next| !next.starts_with(' ')).then_some(" ") {
            tokens.insert(at + 1, gap);
        }
    }
    tokens.concat()
}

/// Takes the text through everything; true if it was read. `Err` says which stage found a bug.
fn compile(text: &str, target: &'static Target, level: Level) -> Result<bool, String> {
    let pointer_bytes = target.rules.machine.pointer_bytes;
    let platform = Platform { pointer_bytes, name: target.name, ..ANY };
    let Ok(mut module) = parse_for(text, &platform) else { return Ok(false) };
    let verify = opt::Options { verify: true, ..opt::Options::default() };
    opt::run::manager::run_on_module(&mut module, opt::run::pipeline::plan(level), &verify, &Workers::new(1))
        .map_err(|error| format!("{}: {}", error.pass, error.message))?;
    let features = default_of(target);
    let watch = Watch::default().verifying(true);
    let options = Options { watch, text: true, ..Options::of(target, features, level) };
    let symbols = symbols(&module.env, target, true);
    let mut memory = WorkerMemory::default();
    for body in module.bodies.as_mut_slice().iter_mut().flatten() {
        match compile_function(&module.env, body, &symbols, &options, &mut memory, Kept::default()) {
            Ok(_) | Err(BackendError::Unable(_) | BackendError::Stopped) => {}
            Err(BackendError::Bug(stage, message)) => return Err(format!("{stage}: {message}")),
        }
    }
    Ok(true)
}

#[test]
fn damaged_text_is_refused_or_compiled() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(usual)
    };
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_FUZZ", 300));
    let mut read = 0;
    for seed in first..first + count {
        let text = damaged(&mut Random::new(seed));
        for (k, &target) in TARGETS.iter().enumerate() {
            let level = [Level::O0, Level::O1, Level::O2][(seed as usize / 3 + k) % 3];
            let done = catch_unwind(|| compile(&text, target, level));
            match done.unwrap_or(Err("a panic".to_string())) {
                Ok(was_read) => read += u64::from(was_read),
                Err(bug) => panic!("seed {seed}, {} {level:?}: {bug}\n{text}", target.name),
            }
        }
    }
    assert!(read > count, "of {count} texts for three targets only {read} were read");
}
