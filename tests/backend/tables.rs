//! Switches with tables of jumps: of every type, with holes and values that meet, in objects, in text and in memory.

use super::*;
use sysyc::backend::Block;

/// Numbers and where they go.
type Cases = Vec<(i64, usize)>;

/// Each type with C's name of it, and the cases of a switch on it: where they go (several to one block), or an unused block.
fn switches() -> Vec<(&'static str, Type, Cases)> {
    let ints = [("int8_t", Type::I8), ("int16_t", Type::I16), ("int32_t", Type::I32), ("int64_t", Type::I64)];
    let mut all = Vec::new();
    for (name, ty) in ints {
        let least = i64::MIN >> (64 - ty.int_bits());
        // At both ends of the type, around zero with holes, and a few far from others.
        let mut cases: Cases = (0..25).map(|k| (least + k, (k * k % 11) as usize)).collect();
        cases.extend((0..25).map(|k| (!least - k, (k * 5 % 7) as usize)));
        cases.extend((-20..40).filter(|k| k % 7 != 3).map(|k| (k, (k * k % 13) as usize)));
        cases.extend([(60, 1), (-60, 2), (77, 3)]);
        if ty == Type::I64 {
            // The low word alone would be in reach of the table around zero.
            cases.extend((0..30).map(|k| ((5 << 32) + k, (k % 10) as usize)));
        }
        all.push((name, ty, cases));
    }
    all
}

const TARGET_BLOCKS: usize = 14;

/// A switch on what is at the first parameter, whose targets meet again; they add to the second parameter or not.
fn number_of(f: &mut FunctionBuilder, ty: Type, cases: &[(i64, usize)], is_closed: bool) {
    let sum = f.variable(Type::I32);
    f.set(sum, f.param(1));
    let blocks: Vec<Block> = (0..TARGET_BLOCKS).map(|_| f.create_block()).collect();
    let (end, default) = (f.create_block(), f.create_block());
    let x = f.load(ty, f.param(0));
    let cases: Vec<(i64, Block)> =
        cases.iter().map(|&(x, k)| (x, if k == 5 { end } else { blocks[k] })).collect();
    f.switch(x, &cases, default);
    for (k, &block) in blocks.iter().enumerate() {
        f.switch_to(block);
        let (old, more) = (f.get(sum), f.int(Type::I32, (k as i64 + 1) * 100));
        let new = if k % 3 == 2 { f.mul(old, more) } else { f.add(old, more) };
        f.set(sum, new);
        f.br(end);
    }
    f.switch_to(default);
    if is_closed {
        f.unreachable();
    } else {
        let minus = f.int(Type::I32, -1);
        f.set(sum, minus);
        f.br(end);
    }
    f.switch_to(end);
    let sum = f.get(sum);
    f.ret(Some(sum));
}

fn module(target: Target) -> Result<Module, Error> {
    let mut m = Module::new(target);
    for (name, ty, cases) in switches() {
        for is_closed in [false, true] {
            let name = format!("{name}_{is_closed}");
            function(&mut m, &name, (&[Type::Ptr, Type::I32], Type::I32), |f| {
                number_of(f, ty, &cases, is_closed);
            })?;
        }
    }
    Ok(m)
}

/// The same in C, and a program that compares both for all cases, what is beside them, and others.
fn in_c() -> String {
    let mut c = "#include <stdint.h>\n#include <stdio.h>\n".to_string();
    let mut calls = String::new();
    for (name, _, cases) in switches() {
        let mut rows = String::new();
        for (x, to) in &cases {
            let value = (*to as i64 + 1) * 100;
            let does = match to {
                5 => "sum".to_string(),
                k if k % 3 == 2 => format!("sum * {value}"),
                _ => format!("sum + {value}"),
            };
            // -2^63 is no literal.
            rows += &format!("case (int64_t)({}ull): return {does};\n", *x as u64);
        }
        let list: Vec<String> = cases.iter().map(|case| format!("(int64_t)({}ull)", case.0 as u64)).collect();
        c += &format!(
            "int {name}_false({name} *, int), {name}_true({name} *, int);
            static int want_{name}({name} x, int sum) {{ switch (x) {{ {rows} default: return -1; }} }}\n"
        );
        calls += &format!(
            "{{ static const int64_t list[] = {{ {} }};
               for (unsigned k = 0; k < sizeof list / sizeof *list; k++)
                 for (int d = -2; d < 5; d++) {{
                   {name} x = d < 3 ? list[k] + d : d == 3 ? list[k] * 31 + k : list[k] ^ (k << 7);
                   int want = want_{name}(x, 7), is_case = 0;
                   for (unsigned j = 0; j < sizeof list / sizeof *list; j++) is_case |= list[j] == x;
                   bad += {name}_false(&x, 7) != want; cases += is_case;
                   if (is_case) bad += {name}_true(&x, 7) != want;
                 }} }}\n",
            list.join(", ")
        );
    }
    c + &format!(
        "int main(void) {{ int bad = 0, cases = 0; {calls} printf(\"%d %d\\n\", bad, cases > 1000); return 0; }}"
    )
}

#[test]
fn switches_of_every_type_go_where_those_of_c_go() {
    assert_eq!(with_c(module, &in_c()), "0 1\n");
}

/// What an entry of a table is in text, and how many a machine has at least for these switches.
#[test]
fn dense_cases_are_tables_and_text_of_them_is_as_good() {
    for (name, gcc, qemu) in TARGETS {
        for level in LEVELS {
            let text = module(Target::new(name).unwrap()).unwrap().assembly(&Options::at(level)).unwrap();
            let jump = match name {
                "riscv64" => "jr 12(t5)",
                "aarch64" => "br x17",
                _ => "add pc, pc,",
            };
            let count = text.lines().filter(|line| line.contains(jump)).count();
            assert!(count >= 2 * 4, "{name} {level:?}: {count} tables");
            let folder = tempfile::tempdir().expect("a folder can be made");
            std::fs::write(folder.path().join("ours.s"), text).unwrap();
            std::fs::write(folder.path().join("main.c"), in_c()).unwrap();
            run(
                folder.path(),
                Command::new(gcc).args(["-O1", "-static", "main.c", "ours.s", "-o", "program"]),
            );
            assert_eq!(run(folder.path(), Command::new(qemu).arg("program")), "0 1\n", "{name} {level:?}");
        }
    }
}

/// Entries are as far from each other wherever the code is, and nothing is relocated.
#[test]
fn tables_run_in_memory() {
    const BASE: u64 = 0x2000_0000;
    const SIZE: usize = 0x4000;
    let (_, ty, cases) = switches().swap_remove(2);
    for (name, gcc, qemu) in TARGETS {
        for level in [Level::O0, Level::O1] {
            let target = Target::new(name).unwrap();
            let mut m = Module::new(target);
            let signature = Signature::new().params(&[Type::Ptr, Type::I32]).result(Type::I32);
            let func = m.function("f", signature, Linkage::Local).unwrap();
            let mut f = m.build(func).unwrap();
            number_of(&mut f, ty, &cases, false);
            let code = Codegen::new(&target, level).compile(&m, f.finish().unwrap()).unwrap();
            assert_eq!(code.relocations().count(), 0);
            let mut memory = vec![0; SIZE];
            let start = 64;
            code.place(&mut memory[start..], BASE + start as u64, |_| None).unwrap();
            let folder = tempfile::tempdir().expect("a folder can be made");
            std::fs::write(folder.path().join("image"), &memory).unwrap();
            let lines: String = cases.iter().map(|case| format!("(int)({}ll), ", case.0)).collect();
            let c = format!(
                "#define _GNU_SOURCE\n#include <stdio.h>\n#include <fcntl.h>\n#include <sys/mman.h>\n
                int main(void) {{
                    int all = PROT_READ | PROT_WRITE | PROT_EXEC, file = open(\"image\", O_RDONLY);
                    char *at = mmap((char *){BASE:#x}, {SIZE}, all, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
                    if (at != (char *){BASE:#x}) perror(\"image\");
                    __builtin___clear_cache(at, at + {SIZE});
                    int list[] = {{ {lines} 1000, -1000 }};
                    for (unsigned k = 0; k < sizeof list / sizeof *list; k++) printf(\"%d \", ((int (*)(int *, int)){:#x})(&list[k], 7));
                    return 0;
                }}",
                BASE + start as u64
            );
            std::fs::write(folder.path().join("loader.c"), c).unwrap();
            run(folder.path(), Command::new(gcc).args(["-O1", "-static", "loader.c", "-o", "loader"]));
            let want: String = cases
                .iter()
                .map(|&(_, to)| match (to, (to as i32 + 1) * 100) {
                    (5, _) => 7,
                    (k, more) if k % 3 == 2 => 7 * more,
                    (_, more) => 7 + more,
                })
                .chain([-1, -1])
                .map(|x| format!("{x} "))
                .collect();
            assert_eq!(run(folder.path(), Command::new(qemu).arg("loader")), want, "{name} {level:?}");
        }
    }
}

/// On a machine of 32 bits the table is reached by the low word, which may be known where the number is not.
#[test]
fn a_known_low_word_is_no_entry() {
    let build = |target| {
        let mut m = Module::new(target);
        for low in [0, 2, 5, 19, 20, -1] {
            function(&mut m, &format!("low{}", low & 31), (&[Type::I32], Type::I32), |f| {
                let (high, by, low) =
                    (f.zext(f.param(0), Type::I64), f.int(Type::I64, 32), f.int(Type::I64, low));
                let high = f.shl(high, by);
                let x = f.xor(high, low);
                let blocks: Vec<(i64, Block)> = (0..20).map(|k| (k, f.create_block())).collect();
                let default = f.create_block();
                f.switch(x, &blocks, default);
                for &(k, block) in &blocks {
                    f.switch_to(block);
                    let result = f.int(Type::I32, 100 + k);
                    f.ret(Some(result));
                }
                f.switch_to(default);
                let result = f.int(Type::I32, -1);
                f.ret(Some(result));
            })?;
        }
        Ok(m)
    };
    let c = "#include <stdio.h>\nint low0(int), low2(int), low5(int), low19(int), low20(int), low31(int);\n
        int main(void) { for (int k = 0; k < 2; k++) printf(\"%d %d %d %d %d %d\\n\", low0(k), low2(k), low5(k), low19(k), low20(k), low31(k));
        return low0(-1) != -1; }";
    assert_eq!(with_c(build, c), "100 102 105 119 -1 -1\n-1 -1 -1 -1 -1 -1\n");
}
