//! Tables for unwinders: what GNU's tools make of them, and libgcc's unwinder through our functions.

use super::*;

/// `outer` calls what it is given with memory and values of its own around it; `middle` calls it in a loop.
fn calls(target: Target) -> Result<Module, Error> {
    let mut m = Module::new(target);
    let called = m.prototype(Signature::new().param(Type::I32).result(Type::I32))?;
    let outer = function(&mut m, "outer", (&[Type::Ptr, Type::I32, Type::F64], Type::I32), |f| {
        let (early, late) = (f.create_block(), f.create_block());
        let (zero, room) = (f.int(Type::I32, 0), f.stack(5000, 8));
        let is_zero = f.icmp(IntPred::Eq, f.param(1), zero);
        f.cond_br(is_zero, early, late);
        f.switch_to(early);
        f.ret(Some(zero));
        f.switch_to(late);
        let values: Vec<Val> = (1..12)
            .map(|k| {
                let k = f.int(Type::I32, k);
                f.mul(f.param(1), k)
            })
            .collect();
        f.store(f.param(1), room);
        let mut sum = f.call_indirect(called, f.param(0), &[f.param(1)]).unwrap();
        let stored = f.load(Type::I32, room);
        for x in values.into_iter().chain([stored]) {
            sum = f.add(sum, x);
        }
        let whole = f.fptosi(f.param(2), Type::I32);
        let sum = f.add(sum, whole);
        f.ret(Some(sum));
    })?;
    function(&mut m, "middle", (&[Type::Ptr, Type::I32], Type::I32), |f| {
        let (k, s) = (f.variable(Type::I32), f.variable(Type::I32));
        let zero = f.int(Type::I32, 0);
        f.set(k, f.param(1));
        f.set(s, zero);
        repeat(
            f,
            |f| {
                let k = f.get(k);
                f.icmp(IntPred::Sgt, k, zero)
            },
            |f| {
                let (left, one, half) = (f.get(k), f.int(Type::I32, 1), f.double(2.5));
                let x = f.call(outer, &[f.param(0), left, half]).unwrap();
                let (sum, less) = (f.get(s), f.sub(left, one));
                let sum = f.add(sum, x);
                f.set(s, sum);
                f.set(k, less);
            },
        );
        let s = f.get(s);
        f.ret(Some(s));
    })?;
    Ok(m)
}

/// A function that moves its stack pointer as it runs, and calls what it is given three times with more arguments than
/// there are registers.
const MOVING: &str = "
    define i32 @middle(ptr %f, i32 %n) {
    entry:
      br label %round
    round:
      %k = phi i32 [ 0, %entry ], [ %next, %round ]
      %all = phi i32 [ 0, %entry ], [ %sum, %round ]
      %a = alloca i32, i32 %n, align 4
      %b = alloca i8, i32 %k, align 1
      store i32 %k, ptr %a
      %x = call i32 %f(i32 %k, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, ptr %b)
      %y = load i32, ptr %a
      %one = add i32 %all, %x
      %sum = add i32 %one, %y
      %next = add i32 %k, 1
      %more = icmp slt i32 %next, 3
      br i1 %more, label %round, label %done
    done:
      ret i32 %sum
    }";

/// A function that calls may be left to, with all kinds of clauses; and one that has much to push, and too many bytes for short
/// opcodes.
const CATCHING: &str = "
    @ti = external constant ptr
    @tj = constant i32 5
    declare i32 @__gxx_personality_v0(...)
    declare i32 @g(i32)
    declare i32 @sees(ptr)
    declare i32 @llvm.eh.typeid.for.p0(ptr)
    define i32 @middle(i32 %n) personality ptr @__gxx_personality_v0 {
      %a = invoke i32 @g(i32 %n) to label %on unwind label %pad
    on:
      %b = invoke i32 @g(i32 %a) to label %end unwind label %clean
    end:
      ret i32 %b
    pad:
      %l = landingpad { ptr, i32 } cleanup catch ptr @ti catch ptr @tj filter [1 x ptr] [ptr @ti] filter [0 x ptr] zeroinitializer catch ptr null
      %s = extractvalue { ptr, i32 } %l, 1
      %t = call i32 @llvm.eh.typeid.for.p0(ptr @ti)
      %c = icmp eq i32 %s, %t
      br i1 %c, label %caught, label %not
    caught:
      %d = call i32 @g(i32 5)
      ret i32 %d
    not:
      resume { ptr, i32 } %l
    clean:
      %m = landingpad { ptr, i32 } cleanup
      resume { ptr, i32 } %m
    }
    define double @pushes(double %x, i32 %n, ptr %p) {
    entry:
      %room = alloca [700 x i32], align 8
      %y = fadd double %x, 1.5
      %z = fmul double %x, %y
      br label %round
    round:
      %k = phi i32 [ 0, %entry ], [ %next, %round ]
      %seen = call i32 @sees(ptr %room)
      %more = call i32 @g(i32 %n)
      %sum = add i32 %seen, %more
      %next = add i32 %k, %sum
      store i32 %next, ptr %p
      %done = icmp sgt i32 %next, %n
      br i1 %done, label %out, label %round
    out:
      %w = fadd double %y, %z
      ret double %w
    }
    define i32 @lasts(i32 %n, ...) section \".text.apart\" {
      %room = alloca [90 x i32], align 8
      %a = call i32 @sees(ptr %room)
      %b = call i32 @g(i32 %n)
      %c = add i32 %a, %b
      ret i32 %c
    }
    define i32 @leaf(i32 %n) section \".text.apart\" {
      ret i32 %n
    }";

const TRACE: &str = r#"
    #include <stdio.h>
    #include <unwind.h>
    int main(void);
    static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *stop) {
        unsigned long at = _Unwind_GetRegionStart(context);
        // The lowest bit of an address may say the state of the machine.
        for (int k = 0; k < COUNT; k++) if (at >> 1 == (unsigned long)known[k].at >> 1) { printf("%s ", known[k].name); if (k == 0) { *(int *)stop = 1; return (_Unwind_Reason_Code)4; } }
        return _URC_NO_REASON;
    }
    static int back(int x) {
        int done = 0;
        _Unwind_Backtrace(see, &done);
        printf("%d\n", done);
        return x;
    }
"#;

#[test]
fn libgcc_unwinds_through_our_functions() {
    let c = format!(
        "int main(void), outer(), middle(int (*)(int), int);\n
        static struct {{ void *at; const char *name; }} known[] = {{{{main, \"main\"}}, {{outer, \"outer\"}}, {{middle, \"middle\"}}}};\n
        enum {{ COUNT = 3 }};\n{TRACE}
        int main(void) {{ printf(\"%d\\n\", middle(back, 3)); return 0; }}"
    );
    for (name, gcc, qemu) in &TARGETS {
        for level in LEVELS {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let module = calls(Target::new(name).unwrap()).unwrap();
            let object =
                module.compile(&Options::at(level).unwind_tables()).and_then(Object::to_elf).unwrap();
            std::fs::write(folder.path().join("ours.o"), object).unwrap();
            std::fs::write(folder.path().join("main.c"), &c).unwrap();
            let flags = ["-O1", "-static", "-funwind-tables", "-w", "main.c", "ours.o", "-o", "program"];
            run(folder.path(), Command::new(gcc).args(flags));
            let said = run(folder.path(), Command::new(qemu).arg("program"));
            // At -O2 one is copied into the other.
            let names = if level == Level::O2 { "middle main 1\n" } else { "outer middle main 1\n" };
            assert_eq!(said, names.repeat(3) + "414\n", "{name} {level:?}");
        }
    }
}

#[test]
fn libgcc_unwinds_where_the_stack_pointer_moves() {
    let c = format!(
        "int main(void), middle(int (*)(int), int);\n
        static struct {{ void *at; const char *name; }} known[] = {{{{main, \"main\"}}, {{middle, \"middle\"}}}};\n
        enum {{ COUNT = 2 }};\n{TRACE}
        int main(void) {{ printf(\"%d\\n\", middle(back, 300)); return 0; }}"
    );
    for (name, gcc, qemu) in &TARGETS {
        for level in LEVELS {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let module = Module::parse(MOVING, Target::new(name).unwrap()).unwrap();
            let object =
                module.compile(&Options::at(level).unwind_tables()).and_then(Object::to_elf).unwrap();
            std::fs::write(folder.path().join("ours.o"), object).unwrap();
            std::fs::write(folder.path().join("main.c"), &c).unwrap();
            let flags = ["-O1", "-static", "-funwind-tables", "-w", "main.c", "ours.o", "-o", "program"];
            run(folder.path(), Command::new(gcc).args(flags));
            let said = run(folder.path(), Command::new(qemu).arg("program"));
            assert_eq!(said, "middle main 1\n".repeat(3) + "6\n", "{name} {level:?}");
        }
    }
}

/// The rules of each place, as GNU's readelf has them: functions by their code, and the columns of each place in it.
fn rules(folder: &Path, file: &str) -> Vec<String> {
    let text = run(folder, Command::new("readelf").args(["-W", "--debug-dump=frames-interp", file]));
    let (mut rows, mut end) = (Vec::new(), None);
    for line in text.lines() {
        if let Some((_, range)) = line.split_once("pc=") {
            end = range.split_once("..").map(|(_, end)| end.to_string());
            rows.push(range.to_string());
        } else if line.contains(" CIE ") {
            end = None;
        } else if line.starts_with(|c: char| c.is_ascii_hexdigit()) && !line.contains(" FDE ") {
            let is_inside = end.as_deref().is_some_and(|end| !line.starts_with(end));
            rows.extend(is_inside.then(|| line.to_string()));
        }
    }
    rows
}

/// ARM's sections of tables: their rows, bytes and relocations.
fn index(folder: &Path, file: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let sections = run(folder, Command::new("readelf").args(["-WS", file]));
    for line in sections.lines().filter(|line| line.contains("] .ARM.ex")) {
        let words: Vec<&str> = line.split_once("] ").unwrap().1.split_whitespace().collect();
        // The assembler makes sections that stay empty.
        if words[4] == "000000" {
            continue;
        }
        // Name, type, size, flags, information, alignment: not where it stands, nor numbers of sections.
        rows.push([words[0], words[1], words[4], words[6], words[8], words[9]].join(" "));
        let bytes = run(folder, Command::new("readelf").args(["-x", words[0], file]));
        rows.extend(
            bytes.lines().filter(|line| line.starts_with("  0x")).map(|line| format!("{} {line}", words[0])),
        );
    }
    let (relocations, mut of) = (run(folder, Command::new("readelf").args(["-Wr", file])), "");
    for line in relocations.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["Relocation", _, name, ..] => of = name.trim_matches('\''),
            [at, _, kind, _, name] if of.contains(".ARM.ex") && at != "Offset" => {
                rows.push(format!("{of} {at} {kind} {name}"));
            }
            _ => {}
        }
    }
    rows.sort();
    rows
}

/// Our object has the tables that GNU's assembler makes of our text: rules of places, and ARM's index.
#[test]
fn tables_are_those_of_the_assembler() {
    for (name, gcc, _) in TARGETS {
        for (level, text) in
            LEVELS.into_iter().flat_map(|level| [(level, ""), (level, MOVING), (level, CATCHING)])
        {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let target = Target::new(name).unwrap();
            let options = Options::at(level).unwind_tables();
            let module = if text.is_empty() { calls(target) } else { Module::parse(text, target) }.unwrap();
            let object = module.clone().compile(&options).and_then(Object::to_elf).unwrap();
            std::fs::write(folder.path().join("ours.o"), object).unwrap();
            let assembly = module.clone().assembly(&options).unwrap();
            // Where the linker may change code, the assembler aligns the first function, too.
            let fixed = if name == "riscv64" { "\t.option norelax\n" } else { "" };
            std::fs::write(folder.path().join("theirs.s"), format!("{fixed}{assembly}")).unwrap();
            run(folder.path(), Command::new(gcc).args(["-c", "theirs.s"]));
            let tables = if name == "armv7" { index } else { rules };
            let ours = tables(folder.path(), "ours.o");
            let count = if text.is_empty() { 2 } else { text.matches("define").count() };
            if name == "armv7" {
                let most = ours.iter().filter(|row| row.starts_with(".rel.ARM.exidx")).count();
                assert!(most >= count, "{ours:#?}");
                assert!(!ours.iter().any(|row| row.contains("eh_frame")));
            } else {
                assert!(
                    ours.len() > 6 && ours.iter().filter(|row| row.contains("..")).count() == count,
                    "{ours:?}"
                );
            }
            assert_eq!(ours, tables(folder.path(), "theirs.o"), "{name} {level:?}");
            if text == CATCHING {
                continue;
            }
            // Without, there are none; and our linker takes them along.
            let plain = module.clone().compile(&Options::at(level)).and_then(Object::to_elf).unwrap();
            assert!(!plain.windows(9).any(|bytes| bytes == b".eh_frame" || bytes == b".ARM.exid"));
            let linker = Linker::new(target).entry("middle");
            let program = linker.object("ours", module.compile(&options).unwrap()).link().unwrap();
            std::fs::write(folder.path().join("program"), program).unwrap();
            assert!(tables(folder.path(), "program").len() > 1);
        }
    }
}

#[test]
fn code_in_memory_says_how_its_frame_lies() {
    const NEAR: u64 = 0x2000_0000;
    const TABLE: u64 = NEAR + 0x8000;
    let c = format!(
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <sys/mman.h>\n
        int main(void); void __register_frame(void *);\n
        static struct {{ void *at; const char *name; }} known[] = {{{{main, \"main\"}}, {{(void *){NEAR:#x}, \"outer\"}}}};\n
        enum {{ COUNT = 2 }};\n{TRACE}
        int main(void) {{
            int all = PROT_READ | PROT_WRITE | PROT_EXEC, file = open(\"near\", O_RDONLY);
            if (mmap((char *){NEAR:#x}, 0x10000, all, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0) != (void *){NEAR:#x}) perror(\"near\");
            __builtin___clear_cache((char *){NEAR:#x}, (char *){TABLE:#x});
            __register_frame((void *){TABLE:#x});
            printf(\"%d\\n\", ((int (*)(int (*)(int), int, double)){NEAR:#x})(back, 3, 2.5));
            return 0;
        }}"
    );
    for (name, gcc, qemu) in TARGETS {
        for level in [Level::O0, Level::O1] {
            let target = Target::new(name).unwrap();
            let mut m = Module::new(target);
            let called = m.prototype(Signature::new().param(Type::I32).result(Type::I32)).unwrap();
            let s = Signature::new().params(&[Type::Ptr, Type::I32, Type::F64]).result(Type::I32);
            let outer = m.function("outer", s, Linkage::Local).unwrap();
            let body = || {
                let mut f = m.build(outer).unwrap();
                let x = f.add(f.param(1), f.param(1));
                let y = f.call_indirect(called, f.param(0), &[f.param(1)]).unwrap();
                let (whole, sum) = (f.fptosi(f.param(2), Type::I32), f.add(x, y));
                let sum = f.add(sum, whole);
                f.ret(Some(sum));
                f.finish().unwrap()
            };
            let mut codegen = Codegen::new(&target, level);
            let plain = codegen.compile(&m, body()).unwrap();
            assert_eq!(plain.frame(), None);
            assert_eq!(plain.eh_frame(NEAR).unwrap_err().kind, ErrorKind::Misuse);
            codegen.unwind_tables();
            let code = codegen.compile(&m, body()).unwrap();
            assert_eq!(plain.bytes(), code.bytes());
            let frame = code.frame().unwrap();
            let returns_to = [1, 30, 14][TARGETS.iter().position(|row| row.0 == name).unwrap()];
            assert!(frame.saved.iter().any(|saved| saved.register == returns_to), "{frame:?}");
            let inside = |offset: i32| offset < 0 && offset.unsigned_abs() <= frame.size;
            assert!(frame.size >= 8 && frame.saved.iter().all(|saved| inside(saved.offset)), "{frame:?}");
            let mut memory = vec![0; 0x10000];
            code.place(&mut memory, NEAR, |_| None).unwrap();
            let table = code.eh_frame(NEAR).unwrap();
            memory[(TABLE - NEAR) as usize..][..table.len()].copy_from_slice(&table);
            if name == "armv7" {
                continue;
            }
            let folder = tempfile::tempdir().expect("a folder can be made");
            std::fs::write(folder.path().join("near"), &memory).unwrap();
            std::fs::write(folder.path().join("loader.c"), &c).unwrap();
            let flags = ["-O1", "-static", "-funwind-tables", "-w", "loader.c", "-o", "loader"];
            run(folder.path(), Command::new(gcc).args(flags));
            assert_eq!(
                run(folder.path(), Command::new(qemu).arg("loader")),
                "outer main 1\n11\n",
                "{name} {level:?}"
            );
        }
    }
}
