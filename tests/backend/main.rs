//! The backend as a client sees it (`sysyc::backend`): functions built by calls and run under qemu together with C,
//! misuse, threads, the linker in memory.

#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod addresses;
mod bits;
mod cleanups;
mod examples;
mod jumps;
mod machine;
mod misuse;
mod misuses;
mod pool;
mod random;
mod tables;
mod threads;
mod unsigned;
mod unwind;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use sysyc::backend::{
    Codegen, Data, Error, ErrorKind, FloatPred, Func, FunctionBuilder, IntPred, JUMP_BYTES, Level, Linkage,
    Linker, Module, Name, Object, Options, Signature, Target, Type, Val,
};

const TARGETS: [(&str, &str, &str); 3] = [
    ("riscv64", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    ("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ("armv7", "arm-linux-gnueabihf-gcc", "qemu-arm"),
];
const LEVELS: [Level; 3] = [Level::O0, Level::O1, Level::O2];

fn run(folder: &Path, command: &mut Command) -> String {
    let done = command.current_dir(folder).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    said
}

/// What a program of our object and C prints, on each target and level; all have to agree.
fn with_c(build: impl Fn(Target) -> Result<Module, Error>, c: &str) -> String {
    let mut said = Vec::new();
    for (name, gcc, qemu) in TARGETS {
        for level in LEVELS {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let module = build(Target::new(name).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let object = module.compile(&Options::at(level).verify()).and_then(Object::to_elf);
            let object = object.unwrap_or_else(|error| panic!("{name} {level:?}: {error}"));
            std::fs::write(folder.path().join("ours.o"), object).expect("it can be written");
            std::fs::write(folder.path().join("main.c"), c).expect("it can be written");
            let flags = ["-O1", "-static", "-Wall", "-Werror", "main.c", "ours.o", "-o", "program", "-lm"];
            run(folder.path(), Command::new(gcc).args(flags));
            said.push((name, level, run(folder.path(), Command::new(qemu).arg("program"))));
        }
    }
    for (name, level, text) in &said {
        assert_eq!(*text, said[0].2, "{name} {level:?} and {} {:?}", said[0].0, said[0].1);
    }
    said.swap_remove(0).2
}

fn function(
    module: &mut Module,
    name: &str,
    (params, result): (&[Type], Type),
    make: impl FnOnce(&mut FunctionBuilder),
) -> Result<Func, Error> {
    let func = module.function(name, Signature::new().params(params).result(result), Linkage::Export)?;
    let mut f = module.build(func)?;
    make(&mut f);
    let body = f.finish()?;
    module.define(body)?;
    Ok(func)
}

/// `while (condition) body` with variables.
fn repeat(
    f: &mut FunctionBuilder,
    condition: impl FnOnce(&mut FunctionBuilder) -> Val,
    body: impl FnOnce(&mut FunctionBuilder),
) {
    let (head, inside, end) = (f.create_block(), f.create_block(), f.create_block());
    f.br(head);
    f.switch_to(head);
    let goes_on = condition(f);
    f.cond_br(goes_on, inside, end);
    f.seal(inside);
    f.switch_to(inside);
    body(f);
    f.br(head);
    f.seal(head);
    f.switch_to(end);
}

#[test]
fn functions_of_all_kinds_run_with_c() {
    let build = |target| {
        let mut m = Module::new(target);
        let table =
            m.data("table", Data::bytes(&[3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0]).align(4), Linkage::Export)?;
        m.data("room", Data::zeros(64).align(32), Linkage::Export)?;
        let twice =
            m.function("twice", Signature::new().param(Type::I32).result(Type::I32), Linkage::Import)?;
        let say = Signature::new().param(Type::Ptr).result(Type::I32).variadic();
        let say = m.function("printf", say, Linkage::Import)?;
        let text = m.data("text", Data::bytes(b"%d %d\n\0").constant(), Linkage::Local)?;
        // Local, and never called: it is left out.
        let unused = m.function("unused", Signature::new(), Linkage::Local)?;
        let mut f = m.build(unused)?;
        f.ret(None);
        let unused = f.finish()?;
        m.define(unused)?;

        function(&mut m, "sum", (&[Type::Ptr, Type::I32], Type::I32), |f| {
            let (k, s) = (f.variable(Type::I32), f.variable(Type::I32));
            let zero = f.int(Type::I32, 0);
            f.set(k, zero);
            f.set(s, zero);
            repeat(
                f,
                |f| {
                    let k = f.get(k);
                    f.icmp(IntPred::Slt, k, f.param(1))
                },
                |f| {
                    let (at, old, one) = (f.get(k), f.get(s), f.int(Type::I32, 1));
                    let address = f.index(f.param(0), at, 4);
                    let x = f.load(Type::I32, address);
                    let (new, next) = (f.add(old, x), f.add(at, one));
                    f.set(s, new);
                    f.set(k, next);
                },
            );
            let s = f.get(s);
            f.ret(Some(s));
        })?;
        function(&mut m, "third", (&[], Type::I32), |f| {
            let (address, eight) = (f.address(table), f.int(Type::I32, 8));
            let address = f.offset(address, eight);
            let x = f.load(Type::I32, address);
            let doubled = f.call(twice, &[x]).unwrap();
            f.ret(Some(doubled));
        })?;
        function(&mut m, "kind", (&[Type::I32], Type::I32), |f| {
            let cases = [(-5, 10), (0, 20), (7, 30), (100, 40), (i64::from(i32::MAX), 50), (8, 60)];
            let blocks: Vec<_> = cases.iter().map(|&(x, _)| (x, f.create_block())).collect();
            let default = f.create_block();
            f.switch(f.param(0), &blocks, default);
            for (&(_, result), &(_, block)) in cases.iter().zip(&blocks) {
                f.switch_to(block);
                let result = f.int(Type::I32, result);
                f.ret(Some(result));
            }
            f.switch_to(default);
            let result = f.int(Type::I32, -1);
            f.ret(Some(result));
        })?;
        function(&mut m, "floats", (&[Type::F32, Type::F32], Type::I32), |f| {
            let (a, b) = (f.param(0), f.param(1));
            let (sum, product) = (f.fadd(a, b), f.fmul(a, b));
            let less = f.fcmp(FloatPred::Olt, sum, product);
            let picked = f.select(less, sum, product);
            let whole = f.fptosi(picked, Type::I32);
            let back = f.sitofp(whole, Type::F32);
            let rest = f.fsub(picked, back);
            let (rest, scale) = (f.fabs(rest), f.float(100.0));
            let rest = f.fmul(rest, scale);
            let rest = f.fptosi(rest, Type::I32);
            let thousand = f.int(Type::I32, 1000);
            let high = f.mul(whole, thousand);
            let result = f.add(high, rest);
            f.ret(Some(result));
        })?;
        function(&mut m, "bytes", (&[Type::I32], Type::I32), |f| {
            let room = f.stack(16, 8);
            let (byte, count, four) = (f.int(Type::I8, 0x5a), f.int(Type::I32, 12), f.int(Type::I32, 4));
            f.memset(room, byte, count);
            let behind = f.offset(room, four);
            f.store(f.param(0), behind);
            let copy = f.stack(16, 8);
            f.memcpy(copy, room, count);
            let (one, two) = (f.load(Type::I32, copy), f.offset(copy, four));
            let two = f.load(Type::I32, two);
            let narrow = f.trunc(two, Type::I8);
            let wide = f.sext(narrow, Type::I32);
            let (mixed, text) = (f.xor(one, two), f.address(text));
            f.call(say, &[text, mixed, wide]);
            let (high, ten) = (f.umulhi(one, mixed), f.int(Type::I32, 10));
            let high = f.urem(high, ten);
            let truth = f.icmp(IntPred::Ugt, mixed, wide);
            let truth = f.zext(truth, Type::I32);
            let result = f.add(high, truth);
            f.ret(Some(result));
        })?;
        Ok(m)
    };
    let c = r#"
        #include <stdio.h>
        extern int table[3]; extern char room[64];
        int sum(int *, int), third(void), kind(int), floats(float, float), bytes(int);
        int twice(int x) { return 2 * x; }
        int main(void) {
            int ks[] = {-6, -5, 0, 1, 7, 8, 99, 100, 2147483647, -2147483647 - 1};
            printf("%d %d %d\n", sum(table, 3), third(), (int)((unsigned long)room % 32));
            for (int k = 0; k < 10; k++) printf("%d ", kind(ks[k]));
            printf("\n%d %d\n", floats(1.5f, 2.25f), floats(-3.0f, 0.5f));
            fflush(stdout);
            printf("%d\n", bytes(-100));
            return 0;
        }"#;
    let (one, two) = (0x5a5a_5a5a_u32, -100i32 as u32);
    let mixed = one ^ two;
    let high = ((u64::from(one) * u64::from(mixed)) >> 32) as u32 % 10 + u32::from(mixed > -100i32 as u32);
    let expected =
        format!("8 8 0\n-1 10 20 -1 30 60 -1 40 50 -1 \n3037 -1950\n{} -100\n{high}\n", mixed as i32);
    assert_eq!(with_c(build, c), expected);
}

/// `v = a * 3 + b + c`: variables by number, and the constant.
type Set = (u32, u32, u32, i32);

/// A random walk over blocks, as a program for the builder and as one that is computed here.
struct Walk {
    variables: u32,
    /// Per block: what is set, and where to go then by the lowest bit of a variable.
    blocks: Vec<(Vec<Set>, u32, usize, usize)>,
}

const STEPS: i32 = 40;

impl Walk {
    fn random(seed: u64) -> Walk {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % limit
        };
        let (variables, count) = (1 + below(5) as u32, 2 + below(9));
        let blocks = (0..count).map(|_| {
            let sets = (0..below(4)).map(|_| {
                let mut any = || below(variables as usize) as u32;
                let (to, a, b) = (any(), any(), any());
                (to, a, b, below(2000) as i32 - 1000)
            });
            let sets = sets.collect();
            (sets, below(variables as usize) as u32, below(count), below(count))
        });
        Walk { variables, blocks: blocks.collect() }
    }

    fn result(&self, argument: i32) -> i32 {
        let mut values: Vec<i32> = (0..self.variables as i32).map(|k| argument.wrapping_add(k)).collect();
        let mut at = 0;
        for _ in 0..STEPS {
            let (sets, by, yes, no) = &self.blocks[at];
            for &(to, a, b, c) in sets {
                let [a, b] = [a, b].map(|k| values[k as usize]);
                values[to as usize] = a.wrapping_mul(3).wrapping_add(b).wrapping_add(c);
            }
            at = if values[*by as usize] & 1 == 1 { *yes } else { *no };
        }
        values.iter().fold(0, |sum, &x| sum.wrapping_mul(31).wrapping_add(x))
    }

    /// With some blocks sealed as soon as that is true, the others by `finish`.
    fn build(&self, f: &mut FunctionBuilder, seals: bool) {
        let variables: Vec<_> = (0..self.variables).map(|_| f.variable(Type::I32)).collect();
        let left = f.variable(Type::I32);
        for (k, &variable) in variables.iter().enumerate() {
            let k = f.int(Type::I32, k as i64);
            let start = f.add(f.param(0), k);
            f.set(variable, start);
        }
        let steps = f.int(Type::I32, i64::from(STEPS));
        f.set(left, steps);
        let blocks: Vec<_> = self.blocks.iter().map(|_| f.create_block()).collect();
        let end = f.create_block();
        f.br(blocks[0]);
        for ((sets, by, yes, no), &block) in self.blocks.iter().zip(&blocks) {
            f.switch_to(block);
            let (old, one, zero) = (f.get(left), f.int(Type::I32, 1), f.int(Type::I32, 0));
            let stops = f.icmp(IntPred::Eq, old, zero);
            let inside = f.create_block();
            f.cond_br(stops, end, inside);
            if seals {
                f.seal(inside);
            }
            f.switch_to(inside);
            let less = f.sub(old, one);
            f.set(left, less);
            for &(to, a, b, c) in sets {
                let (a, b) = (f.get(variables[a as usize]), f.get(variables[b as usize]));
                let (three, c) = (f.int(Type::I32, 3), f.int(Type::I32, i64::from(c)));
                let product = f.mul(a, three);
                let sum = f.add(product, b);
                let sum = f.add(sum, c);
                f.set(variables[to as usize], sum);
            }
            let (by, bit) = (f.get(variables[*by as usize]), f.int(Type::I32, 1));
            let bit = f.and(by, bit);
            let odd = f.icmp(IntPred::Ne, bit, zero);
            f.cond_br(odd, blocks[*yes], blocks[*no]);
        }
        f.switch_to(end);
        if seals {
            blocks.iter().for_each(|&block| f.seal(block));
        }
        let mut sum = f.int(Type::I32, 0);
        for &variable in &variables {
            let (factor, x) = (f.int(Type::I32, 31), f.get(variable));
            let product = f.mul(sum, factor);
            sum = f.add(product, x);
        }
        f.ret(Some(sum));
    }
}

#[test]
fn variables_are_right_in_random_control_flow() {
    const COUNT: u64 = 80;
    let build = |target| {
        let mut m = Module::new(target);
        for seed in 0..COUNT {
            function(&mut m, &format!("walk{seed}"), (&[Type::I32], Type::I32), |f| {
                Walk::random(seed).build(f, seed % 2 == 0);
            })?;
        }
        Ok(m)
    };
    let names: Vec<String> = (0..COUNT).map(|k| format!("walk{k}")).collect();
    let c = format!(
        "#include <stdio.h>\nint {}(int);\nint (*walks[])(int) = {{{}}};\n
        int main(void) {{ for (int k = 0; k < {COUNT}; k++) printf(\"%d %d\\n\", walks[k](k), walks[k](-9 * k)); }}",
        names.join("(int), "),
        names.join(", ")
    );
    let results = |k: i32| {
        let walk = Walk::random(k as u64);
        format!("{} {}\n", walk.result(k), walk.result(-9 * k))
    };
    assert_eq!(with_c(build, &c), (0..COUNT as i32).map(results).collect::<String>());
}

/// Functions that are built by many threads, in any order, are one module, and its bytes are those of one thread.
#[test]
fn threads_build_and_compile_the_same_bytes() {
    let declared = |target: &str| {
        let mut m = Module::new(Target::new(target).unwrap());
        let signature = || Signature::new().param(Type::I32).result(Type::I32);
        let declare = |k| m.function(&format!("f{k}"), signature(), Linkage::Export).unwrap();
        let funcs: Vec<Func> = (0..40).map(declare).collect();
        (m, funcs)
    };
    let build = |m: &Module, k: usize, func| {
        let mut f = m.build(func).unwrap();
        Walk::random(k as u64).build(&mut f, false);
        f.finish().unwrap()
    };
    for (target, ..) in TARGETS {
        let (mut alone, funcs) = declared(target);
        for (k, &func) in funcs.iter().enumerate() {
            let body = build(&alone, k, func);
            alone.define(body).unwrap();
        }
        let (mut shared, funcs) = declared(target);
        let bodies = std::thread::scope(|scope| {
            let jobs = funcs.iter().enumerate().rev().map(|(k, &func)| {
                let shared = &shared;
                scope.spawn(move || build(shared, k, func))
            });
            let jobs: Vec<_> = jobs.collect();
            jobs.into_iter().map(|job| job.join().unwrap()).collect::<Vec<_>>()
        });
        bodies.into_iter().for_each(|body| shared.define(body).unwrap());
        assert_eq!(alone.text(), shared.text());
        for level in LEVELS {
            let bytes = |m: &Module, threads| {
                let options = Options::at(level).threads(threads);
                m.clone().compile(&options).and_then(Object::to_elf).unwrap()
            };
            assert_eq!(bytes(&alone, 1), bytes(&shared, 3), "{target} {level:?}");
        }
    }
}

#[test]
fn text_is_read_and_written_and_programs_are_linked_in_memory() {
    let text =
        "define i32 @_start() {\n  %x = call i32 @other(i32 20)\n  ret i32 %x\n}\ndeclare i32 @other(i32)\n";
    for (target, gcc, _) in TARGETS {
        let target = Target::new(target).unwrap();
        let module = Module::parse(text, target).unwrap();
        let again = Module::parse(&module.text(), target).unwrap();
        assert_eq!(module.text(), again.text());
        assert!(module.find_function("other").is_some() && module.find_data("other").is_none());
        let assembly = again.assembly(&Options::default()).unwrap();
        assert!(assembly.contains("_start:") && assembly.contains("other"), "{assembly}");
        let object = module.clone().compile(&Options::default()).unwrap();
        let symbols: Vec<(String, bool)> =
            object.symbols().map(|row| (row.name.to_string(), row.is_defined)).collect();
        assert!(symbols.contains(&("_start".to_string(), true)), "{symbols:?}");
        assert!(symbols.contains(&("other".to_string(), false)), "{symbols:?}");
        let error = Linker::new(target).object("first", object).link().unwrap_err();
        assert!(error.kind == ErrorKind::Link && error.message.contains("other"), "{error}");
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join("o.c"), "int other(int x) { return x + 1; }").unwrap();
        run(folder.path(), Command::new(gcc).args(["-O1", "-c", "o.c"]));
        let other = std::fs::read(folder.path().join("o.o")).unwrap();
        let object = module.compile(&Options::default()).unwrap();
        let program = Linker::new(target).object("first", object).file("o.o", &other).link().unwrap();
        assert_eq!(&program[..4], b"\x7fELF");
    }
    let error =
        Module::parse("define i32 @f() {\n  ret i16 0\n}\n", Target::new("riscv64").unwrap()).unwrap_err();
    assert_eq!((error.kind, error.position.map(|at| at.0)), (ErrorKind::Parse, Some(2)), "{error}");
    assert_eq!(Target::new("z80").unwrap_err().kind, ErrorKind::Unsupported);
    assert!(Target::new("riscv64").unwrap().with_machine("rv64gc_zba").is_ok());
    assert!(Target::new("riscv64").unwrap().with_machine("rv64gc_zzz").is_err());
}

/// Functions are compiled one by one, placed where they will be, and run there: some near, some out of reach of
/// calls, which go through jumps then; data, and what the machine's code calls by itself.
#[test]
fn code_placed_in_memory_runs() {
    const NEAR: u64 = 0x2000_0000;
    const FAR: u64 = 0x3000_0000;
    const SIZE: usize = 0x1_0000;
    const DATA: u64 = NEAR + 0x8000;
    const JUMPS: u64 = NEAR + 0xc000;
    let loader = |entry: u64| {
        format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <fcntl.h>\n#include <sys/mman.h>\n
            static void load(const char *path, char *at) {{
                int all = PROT_READ | PROT_WRITE | PROT_EXEC, file = open(path, O_RDONLY);
                if (mmap(at, {SIZE}, all, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0) != (void *)at) perror(path);
                __builtin___clear_cache(at, at + {SIZE});
            }}
            int main(void) {{
                load(\"near\", (char *){NEAR:#x}); load(\"far\", (char *){FAR:#x});
                for (int k = 0; k < 5; k++) printf(\"%d \", ((int (*)(int)){entry:#x})(k));
                return 0;
            }}"
        )
    };
    for (name, gcc, qemu) in TARGETS {
        for level in [Level::O0, Level::O1] {
            let target = Target::new(name).unwrap();
            let mut m = Module::new(target);
            let signature = || Signature::new().param(Type::I32).result(Type::I32);
            let fill = Signature::new().params(&[Type::Ptr, Type::I32, Type::I64]).result(Type::Ptr);
            let fill = if target.pointer_bytes() == 4 {
                Signature::new().params(&[Type::Ptr, Type::I32, Type::I32]).result(Type::Ptr)
            } else {
                fill
            };
            let fill = m.function("fill", fill, Linkage::Local).unwrap();
            let twice = m.function("twice", signature(), Linkage::Local).unwrap();
            let work = m.function("work", signature(), Linkage::Local).unwrap();
            let table =
                m.data("table", Data::bytes(&[7, 0, 0, 0, 9, 0, 0, 0]).align(4), Linkage::Local).unwrap();
            let size = if target.pointer_bytes() == 4 { Type::I32 } else { Type::I64 };
            let mut bodies = Vec::new();
            let mut f = m.build(twice).unwrap();
            let double = f.add(f.param(0), f.param(0));
            f.ret(Some(double));
            bodies.push((twice, f.finish().unwrap()));
            let mut f = m.build(fill).unwrap();
            let (k, byte) = (f.variable(size), f.trunc(f.param(1), Type::I8));
            let zero = f.int(size, 0);
            f.set(k, zero);
            repeat(
                &mut f,
                |f| {
                    let k = f.get(k);
                    f.icmp(IntPred::Ult, k, f.param(2))
                },
                |f| {
                    let (at, one) = (f.get(k), f.int(size, 1));
                    let address = f.offset(f.param(0), at);
                    f.store(byte, address);
                    let next = f.add(at, one);
                    f.set(k, next);
                },
            );
            f.ret(Some(f.param(0)));
            bodies.push((fill, f.finish().unwrap()));
            let mut f = m.build(work).unwrap();
            let (room, table, byte) = (f.stack(400, 4), f.address(table), f.int(Type::I8, 1));
            let (count, four) = (f.int(Type::I32, 400), f.int(Type::I32, 4));
            f.memset(room, byte, count);
            let ones = f.load(Type::I32, room);
            let second = f.offset(table, four);
            let x = f.load(Type::I32, second);
            let y = f.call(twice, &[f.param(0)]).unwrap();
            let (sum, bits) = (f.add(x, y), f.int(Type::I32, 0xff));
            let ones = f.and(ones, bits);
            let sum = f.mul(sum, ones);
            f.ret(Some(sum));
            bodies.push((work, f.finish().unwrap()));

            // In order: `twice` is far from `work`; `fill` is what the machine's code calls `memset`.
            let mut codegen = Codegen::new(&target, level);
            let mut memory = [vec![0; SIZE], vec![0; SIZE]];
            let (mut at, mut known) = ([NEAR, FAR], HashMap::new());
            let mut jumps = JUMPS;
            memory[0][(DATA - NEAR) as usize..][..8].copy_from_slice(&[7, 0, 0, 0, 9, 0, 0, 0]);
            for (func, body) in bodies {
                let code = codegen.compile(&m, body).unwrap();
                let region = usize::from(func == twice);
                let address = at[region].next_multiple_of(u64::from(code.align()));
                known.insert(func, address);
                let mut far = HashMap::new();
                for relocation in code.relocations() {
                    let Name::Func(to) = relocation.name else { continue };
                    let to = known[&to];
                    if relocation.reach.is_some_and(|reach| to.abs_diff(address) >= reach as u64) {
                        let place = &mut memory[0][(jumps - NEAR) as usize..][..JUMP_BYTES];
                        target.write_jump(place, jumps, to).unwrap();
                        far.insert(to, jumps);
                        jumps += JUMP_BYTES as u64;
                    }
                }
                let start = (address & (SIZE as u64 - 1)) as usize;
                let place = &mut memory[region][start..start + code.size()];
                let address_of = |name| match name {
                    Name::Func(func) => known.get(&func).map(|to| *far.get(to).unwrap_or(to)),
                    Name::Library("memset") => known.get(&fill).copied(),
                    Name::Global(_) => Some(DATA),
                    _ => None,
                };
                code.place(place, address, address_of).unwrap();
                at[region] = address + code.size() as u64;
                let unknown = code.place(place, address, |_| None);
                assert_eq!(unknown.is_err(), code.relocations().next().is_some());
                code.place(place, address, address_of).unwrap();
                assert_eq!(code.place(&mut [0; 2], address, address_of).unwrap_err().kind, ErrorKind::Misuse);
                assert_eq!(code.place(place, address + 1, address_of).unwrap_err().kind, ErrorKind::Misuse);
            }
            assert_eq!(jumps > JUMPS, name != "riscv64");
            let folder = tempfile::tempdir().expect("a folder can be made");
            std::fs::write(folder.path().join("near"), &memory[0]).unwrap();
            std::fs::write(folder.path().join("far"), &memory[1]).unwrap();
            std::fs::write(folder.path().join("loader.c"), loader(known[&work])).unwrap();
            run(folder.path(), Command::new(gcc).args(["-O1", "-static", "loader.c", "-o", "loader"]));
            assert_eq!(
                run(folder.path(), Command::new(qemu).arg("loader")),
                "9 11 13 15 17 ",
                "{name} {level:?}"
            );
        }
    }
}

#[test]
fn types_can_be_sent_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Module>();
    check::<sysyc::backend::Definition>();
    check::<Object>();
    check::<Options>();
    check::<Error>();
    check::<Target>();
    fn check_sent<T: Send>() {}
    check_sent::<Codegen>();
    check::<sysyc::backend::Code>();
}
