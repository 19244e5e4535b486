//! Calls between code of ours and gcc's, by random signatures: integers of all widths, floats, pointers, structs by value
//! (small, of 16 bytes, large, of floats or vectors only, with arrays and structs in them, with bit fields, packed, and unions), vectors
//! of 8 and 16 bytes, variadic ones. A file defines
//! functions that fold what they are given into a number, another one calls them and folds what comes back. One of the
//! two is compiled by gcc, the other by us from clang's text; both ways the numbers are those of gcc alone.
//!
//! `SYSYC_CALLS=n` makes n files of 25 signatures a target in place of 2; `SYSYC_CALLS_SEED` begins elsewhere.
//! `SYSYC_CALLS_FOLDER=folder` keeps the files of the last one there, by target.

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross;
use cross::{TARGETS, clang, run};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Signatures of a file.
const SIGNATURES: usize = 25;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const INTS: [&str; 11] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
];

/// Vectors of 8 and 16 bytes: the name, the type of lanes, and how many.
const VECTORS: [(&str, &str, usize); 12] = [
    ("v8c", "signed char", 8),
    ("v4s", "short", 4),
    ("v2i", "int", 2),
    ("v1l", "long long", 1),
    ("v2f", "float", 2),
    ("v1d", "double", 1),
    ("v16c", "unsigned char", 16),
    ("v8s", "unsigned short", 8),
    ("v4i", "unsigned", 4),
    ("v2l", "unsigned long long", 2),
    ("v4f", "float", 4),
    ("v2d", "double", 2),
];

/// A field or parameter: its type, and how often it is there.
struct Field {
    ty: String,
    count: usize,
    bits: usize,
}

/// Types of one file; `structs` by number.
struct Types {
    structs: Vec<Vec<Field>>,
    /// What each is: `struct`, a packed one, or `union`, of which the first field is looked at.
    kinds: Vec<&'static str>,
}

impl Types {
    fn scalar(r: &mut Random, wide: bool) -> String {
        match r.below(12) {
            0..=5 => r.one(&INTS).to_string(),
            6 | 7 => "float".to_string(),
            8 | 9 => "double".to_string(),
            10 if wide => "i128".to_string(),
            _ => "ptr".to_string(),
        }
    }

    fn random(r: &mut Random, wide: bool) -> Types {
        let mut structs: Vec<Vec<Field>> = Vec::new();
        let mut kinds = Vec::new();
        for k in 0..14 {
            let mut fields = Vec::new();
            let field = |ty: String, count| Field { ty, count, bits: 0 };
            match k % 7 {
                // Of floats only.
                0 => {
                    let ty = r.one(&["float", "double"]);
                    match r.below(3) {
                        0 => fields.push(field(ty.to_string(), 1 + r.below(4))),
                        1 => fields.extend((0..1 + r.below(4)).map(|_| field(ty.to_string(), 0))),
                        _ => fields.extend([field(ty.to_string(), 0), field(ty.to_string(), 1 + r.below(3))]),
                    }
                }
                // A float and something else.
                1 => {
                    let first = r.one(&["float", "double"]).to_string();
                    fields.extend([field(first, 0), field(Self::scalar(r, false), 0)]);
                    if r.below(2) == 0 {
                        fields.swap(0, 1);
                    }
                }
                // Up to 16 bytes or so.
                2 | 3 => {
                    for _ in 0..1 + r.below(4) {
                        let count = if r.below(4) == 0 { 1 + r.below(3) } else { 0 };
                        let ty =
                            if r.below(8) == 0 { Self::scalar(r, wide) } else { r.one(&INTS).to_string() };
                        let bits = if count == 0 && ty == "int" { r.below(3) * 7 } else { 0 };
                        fields.push(Field { ty, count, bits });
                    }
                }
                // Large.
                4 => {
                    for _ in 0..2 + r.below(5) {
                        let count = r.below(2) * (1 + r.below(9));
                        fields.push(field(Self::scalar(r, wide), count));
                    }
                }
                // Of vectors, of which one kind may be in registers.
                5 => {
                    let ty = VECTORS[r.below(VECTORS.len())].0;
                    match r.below(4) {
                        0 => fields.push(field(ty.to_string(), 1 + r.below(4))),
                        1 | 2 => fields.extend((0..1 + r.below(4)).map(|_| field(ty.to_string(), 0))),
                        _ => fields.extend([field(ty.to_string(), 0), field(Self::scalar(r, false), 0)]),
                    }
                }
                // With others inside.
                _ => {
                    for _ in 0..1 + r.below(2) {
                        let count = r.below(2) * (1 + r.below(2));
                        fields.push(field(format!("S{}", r.below(k)), count));
                    }
                    if r.below(2) == 0 {
                        fields.push(field(Self::scalar(r, false), 0));
                    }
                }
            }
            structs.push(fields);
            kinds.push(match r.below(12) {
                0 => "union",
                // With vectors, gcc and LLVM put these elsewhere on ARMv7's stack.
                1 if k % 7 < 5 => "struct __attribute__((packed))",
                _ => "struct",
            });
        }
        Types { structs, kinds }
    }

    fn any(&self, r: &mut Random, wide: bool) -> String {
        match r.below(10) {
            0..=3 => format!("S{}", r.below(self.structs.len())),
            4 | 5 => VECTORS[r.below(VECTORS.len())].0.to_string(),
            _ => Self::scalar(r, wide),
        }
    }

    /// The header: types, and for each how a value is made of a number and folded into one.
    fn header(&self) -> String {
        let mut out = String::from(
            "#include <stdarg.h>\n#include <stdio.h>\n#include <string.h>\n\
             typedef unsigned long long u64;\ntypedef void *ptr;\n\
             #ifdef __SIZEOF_INT128__\ntypedef __int128 i128;\n#else\ntypedef long long i128;\n#endif\n\
             extern u64 H;\n\
             static inline void fold(u64 x) { H = (H ^ x) * 1099511628211ull + 7; }\n\
             static inline u64 next(u64 *seed) { *seed = *seed * 6364136223846793005ull + 1442695040888963407ull; return *seed >> 17; }\n",
        );
        for ty in INTS {
            let name = ty.replace(' ', "_");
            _ = writeln!(
                out,
                "static inline {ty} make_{name}(u64 *s) {{ return ({ty})next(s); }}\n\
                 static inline void fold_{name}({ty} x) {{ fold((u64)x); }}"
            );
        }
        for ty in ["float", "double"] {
            _ = writeln!(
                out,
                "static inline {ty} make_{ty}(u64 *s) {{ return ({ty})(int)(next(s) & 0xfffff) / 8; }}\n\
                 static inline void fold_{ty}({ty} x) {{ fold((u64)(long long)(x * 8)); }}"
            );
        }
        out.push_str(
            "static inline ptr make_ptr(u64 *s) { return (ptr)(unsigned long)next(s); }\n\
             static inline void fold_ptr(ptr x) { fold((u64)(unsigned long)x); }\n\
             static inline i128 make_i128(u64 *s) { i128 x = (i128)next(s); return x * 0x123456789abcdefll; }\n\
             static inline void fold_i128(i128 x) { fold((u64)x); fold((u64)(x >> 31 >> 31)); }\n",
        );
        for (name, lane, count) in VECTORS {
            let kind = lane.replace(' ', "_");
            _ = writeln!(
                out,
                "typedef {lane} {name} __attribute__((vector_size({count} * sizeof({lane}))));\n\
                 static inline {name} make_{name}(u64 *s) {{ {name} x; for (int k = 0; k < {count}; k++) x[k] = make_{kind}(s); return x; }}\n\
                 static inline void fold_{name}({name} x) {{ for (int k = 0; k < {count}; k++) fold_{kind}(x[k]); }}"
            );
        }
        for (k, fields) in self.structs.iter().enumerate() {
            let [mut body, mut make, mut fold] = [const { String::new() }; 3];
            let kind = self.kinds[k];
            let shown = if kind == "union" { 1 } else { fields.len() };
            for (n, Field { ty, count, bits }) in fields.iter().enumerate() {
                let name = ty.replace(' ', "_");
                let suffix = match (*count, *bits) {
                    (0, 0) => String::new(),
                    (0, bits) => format!(" : {bits}"),
                    (count, _) => format!("[{count}]"),
                };
                _ = write!(body, "{ty} f{n}{suffix}; ");
                let places: Vec<String> = match *count {
                    0 => vec![format!("f{n}")],
                    count => (0..count).map(|at| format!("f{n}[{at}]")).collect(),
                };
                for place in places.into_iter().filter(|_| n < shown) {
                    _ = write!(make, "x.{place} = make_{name}(s); ");
                    _ = write!(fold, "fold_{name}(x.{place}); ");
                }
            }
            _ = writeln!(
                out,
                "typedef {kind} {{ {body}}} S{k};\n\
                 static inline S{k} make_S{k}(u64 *s) {{ S{k} x; memset(&x, 0, sizeof x); {make}return x; }}\n\
                 static inline void fold_S{k}(S{k} x) {{ {fold}}}"
            );
        }
        out
    }
}

/// What is promoted behind the named arguments.
fn promoted(ty: String) -> String {
    match ty.as_str() {
        "float" => "double".to_string(),
        "signed char" | "unsigned char" | "short" | "unsigned short" | "_Bool" => "int".to_string(),
        _ => ty,
    }
}

/// A header, the functions, and what calls them.
fn program(seed: u64, wide: bool) -> [String; 3] {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..8).for_each(|_| _ = r.below(2));
    let types = Types::random(&mut r, wide);
    let mut header = types.header();
    let mut defined = String::from("#include \"types.h\"\n");
    let mut calls = String::from("#include \"types.h\"\nu64 H;\nint main(void) {\n");
    for k in 0..SIGNATURES {
        let result = match r.below(4) {
            0 => "void".to_string(),
            1 => Types::scalar(&mut r, wide),
            _ => types.any(&mut r, wide),
        };
        let is_variadic = r.below(4) == 0;
        let mut params: Vec<String> = (0..r.below(10)).map(|_| types.any(&mut r, wide)).collect();
        let mut further = Vec::new();
        if is_variadic {
            if params.is_empty() {
                params.push("int".to_string());
            }
            // What the last named one may not be.
            if promoted(params[params.len() - 1].clone()) != params[params.len() - 1] {
                params.push("int".to_string());
            }
            further = (0..r.below(8)).map(|_| promoted(types.any(&mut r, wide))).collect();
        }
        let mut list: Vec<String> = params.iter().enumerate().map(|(n, ty)| format!("{ty} p{n}")).collect();
        if is_variadic {
            list.push("...".to_string());
        }
        let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
        _ = writeln!(header, "{result} f{k}({list});");
        _ = write!(defined, "{result} f{k}({list}) {{ u64 seed = {}; ", 1000 + k);
        for (n, ty) in params.iter().enumerate() {
            _ = write!(defined, "fold_{}(p{n}); ", ty.replace(' ', "_"));
        }
        if is_variadic {
            let last = params.len() - 1;
            let twice = r.below(2) == 0 && !further.is_empty();
            _ = write!(defined, "va_list ap; va_start(ap, p{last}); ");
            if twice {
                defined.push_str("va_list copy; va_copy(copy, ap); ");
            }
            for ty in &further {
                _ = write!(defined, "fold_{}(va_arg(ap, {ty})); ", ty.replace(' ', "_"));
            }
            defined.push_str("va_end(ap); ");
            if twice {
                let ty = &further[0];
                _ = write!(defined, "fold_{}(va_arg(copy, {ty})); va_end(copy); ", ty.replace(' ', "_"));
            }
        }
        let made = |ty: &String| format!("make_{}(&seed)", ty.replace(' ', "_"));
        match result.as_str() {
            "void" => defined.push_str("(void)seed; }\n"),
            _ => _ = writeln!(defined, "return {}; }}", made(&result)),
        }
        // Arguments are made in order; one call in four is by the function's address.
        _ = write!(calls, "  {{ u64 seed = {k}; ");
        let all: Vec<&String> = params.iter().chain(&further).collect();
        for (n, ty) in all.iter().enumerate() {
            _ = write!(calls, "{ty} a{n} = {}; ", made(ty));
        }
        let given = (0..all.len()).map(|n| format!("a{n}")).collect::<Vec<_>>().join(", ");
        let callee = if r.below(4) == 0 {
            let mut list = params.clone();
            list.extend(is_variadic.then(|| "...".to_string()));
            let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
            _ = write!(calls, "{result} (*volatile by)({list}) = f{k}; ");
            "by".to_string()
        } else {
            format!("f{k}")
        };
        match result.as_str() {
            "void" => _ = write!(calls, "{callee}({given}); "),
            _ => _ = write!(calls, "fold_{}({callee}({given})); ", result.replace(' ', "_")),
        }
        _ = writeln!(calls, "printf(\"f{k} %llx\\n\", H); }}");
    }
    calls.push_str("  return 0;\n}\n");
    [header, defined, calls]
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

fn on(target: usize) {
    let cross = &TARGETS[target];
    let (target, gcc, qemu) = (cross.name, cross.gcc, cross.qemu);
    let first = number("SYSYC_CALLS_SEED", 1);
    for seed in first..first + number("SYSYC_CALLS", 2) {
        let own = tempfile::tempdir().expect("a folder can be made");
        let kept = std::env::var("SYSYC_CALLS_FOLDER").ok().map(|kept| Path::new(&kept).join(target));
        let folder = kept.as_deref().unwrap_or(own.path());
        std::fs::create_dir_all(folder).expect("a folder can be made");
        let [header, defined, calls] = program(seed, target != "armv7");
        for (name, text) in [("types.h", header), ("callee.c", defined), ("caller.c", calls)] {
            std::fs::write(folder.join(name), text).expect("a file can be written");
        }
        let theirs = ["-O0", "-O2", "-O1"][(seed / 3) as usize % 3];
        let level = ["-O0", "-O1", "-O2"][seed as usize % 3];
        for part in ["callee", "caller"] {
            let source = format!("{part}.c");
            let by_gcc = format!("{part}.gcc.o");
            run(folder, Command::new(gcc).args(["-w", "-O1", "-fsigned-char", "-c", "-o", &by_gcc, &source]));
            cross.print(folder, clang(), &[theirs], Path::new(&source));
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            ours.args([level, "-c", "-fverify", "-o", &format!("{part}.ours.o"), "x.ll"]);
            run(folder, ours.arg(format!("--target={target}")));
        }
        let mut want: Option<String> = None;
        for (caller, callee) in [("gcc", "gcc"), ("gcc", "ours"), ("ours", "gcc"), ("ours", "ours")] {
            let parts = [format!("caller.{caller}.o"), format!("callee.{callee}.o")];
            run(folder, Command::new(gcc).args(["-static", "-o", "x"]).args(parts));
            let done = Command::new(qemu).arg("x").current_dir(folder).output();
            let done = done.unwrap_or_else(|error| panic!("{qemu}: {error}: tests/install.sh installs it"));
            let have = String::from_utf8_lossy(&done.stdout).into_owned();
            let want = want.get_or_insert_with(|| have.clone());
            let differs = want.lines().zip(have.lines()).find(|(a, b)| a != b);
            assert!(
                done.status.success() && have == *want,
                "{target}, seed {seed}, clang {theirs}, {level}: {caller} calls {callee}: {differs:?}, {}",
                done.status
            );
        }
    }
}

#[test]
fn calls_on_riscv64() {
    on(0);
}

#[test]
fn calls_on_aarch64() {
    on(1);
}

#[test]
fn calls_on_armv7() {
    on(2);
}
