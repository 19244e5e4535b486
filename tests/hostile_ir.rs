//! IR text that no front end writes: whatever it says, it is refused with a place, or every level and target
//! compiles it or says what it cannot do. Text that is right is damaged by exchanging tokens for others of
//! the same kind (types for types, names for names, words for words), so that much of it is still read and
//! gets to the backends.
//!
//! `SYSYC_FUZZ=N` tries N texts, `SYSYC_SEED` is the number of the first.

#![allow(clippy::panic)]

mod generate;

use generate::Random;
use std::panic::catch_unwind;
use sysyc::base::parallel::Workers;
use sysyc::driver::backend::{BackendError, Options, compile_function};
use sysyc::ir::parse::{Platform, parse_for};
use sysyc::isa::features::default_of;
use sysyc::isa::prepare::Prepared;
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
    &["signext", "zeroext", "inbounds", "align", "nsw", "volatile", "fast"],
    &["load", "store", "alloca", "getelementptr", "phi", "select", "ret", "br", "call", "unreachable"],
];

/// The text with a few tokens exchanged, doubled or taken out.
fn damaged(random: &mut Random) -> String {
    let mut text = SEED.to_string();
    if random.chance(2) {
        // Another type or operation throughout is often still right.
        let kind = KINDS[random.below(2)];
        let [from, to] = [0, 1].map(|_| kind[random.below(kind.len())]);
        text = text.replace(&format!(" {from} "), &format!(" {to} "));
    }
    let mut tokens: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ',']).collect();
    for _ in 0..random.below(4) {
        let at = random.below(tokens.len());
        let word = tokens[at].trim_end_matches([' ', '\n', '(', ')', ',']);
        let kind = KINDS.iter().find(|kind| kind.contains(&word));
        let names = |k: usize| SEED.split([' ', '\n', ',', ')']).filter(|name| name.starts_with('%')).nth(k);
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
    let Ok(mut module) = parse_for(text, &Platform { pointer_bytes, name: target.name, names: &[] }) else {
        return Ok(false);
    };
    let verify = opt::Options { verify: true, ..opt::Options::default() };
    opt::manager::run_on_module(&mut module, opt::pipeline::plan(level), &verify, &Workers::new(1))
        .map_err(|error| format!("{}: {}", error.pass, error.message))?;
    let features = default_of(target);
    let fast = level == Level::O0;
    let options = Options {
        target,
        features,
        fast,
        watch: Watch::default().verifying(true),
        text: true,
        code: true,
        debug: false,
        helpers: None,
    };
    let symbols = symbols(&module.env, target, true);
    let mut scratch = Prepared::default();
    for body in module.bodies.as_mut_slice().iter_mut().flatten() {
        match compile_function(&module.env, body, &symbols, &options, &mut scratch) {
            Ok(_) | Err(BackendError::Unable(_)) => {}
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
            let level = [Level::O0, Level::O1][(seed as usize + k) % 2];
            let done = catch_unwind(|| compile(&text, target, level));
            match done.unwrap_or(Err("a panic".to_string())) {
                Ok(was_read) => read += u64::from(was_read),
                Err(bug) => panic!("seed {seed}, {} {level:?}: {bug}\n{text}", target.name),
            }
        }
    }
    assert!(read > count, "of {count} texts for three targets only {read} were read");
}
