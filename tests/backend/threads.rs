//! Data of which each thread has its own, functions in sections, what need not be there: with C on each target and level, by
//! gcc's linker and by ours, from assembly and from text, too; and where code in memory cannot have them.

use super::*;

fn module(target: Target) -> Result<Module, Error> {
    let mut m = Module::new(target);
    let size = target.pointer_bytes();
    let mine = m.data("mine", Data::bytes(&[10, 0, 0, 0]).align(4).thread_local(), Linkage::Export)?;
    let wide = m.data("wide", Data::zeros(24).align(16).thread_local(), Linkage::Local)?;
    let theirs = m.data("theirs", Data::zeros(4).align(4).thread_local(), Linkage::Import)?;
    let plain = m.data("plain", Data::bytes(&[1, 0, 0, 0, 2, 0, 0, 0]).align(4), Linkage::Export)?;
    let leads = Data::zeros(size).align(size).address(0, plain, 4).thread_local();
    let leads = m.data("leads", leads, Linkage::Weak)?;
    let [there, nowhere] =
        ["there", "nowhere"].map(|name| m.data(name, Data::zeros(4).align(4), Linkage::WeakImport));
    let (there, nowhere) = (there?, nowhere?);
    let one = || Signature::new().param(Type::I32).result(Type::I32);
    let [maybe, never] = ["maybe", "never"].map(|name| m.function(name, one(), Linkage::WeakImport));
    let (maybe, never) = (maybe?, never?);
    for func in [maybe, never] {
        m.take_address(func)?;
        // Once is enough.
        m.take_address(func)?;
    }
    // What is there, as data see it.
    let table = Data::zeros(4 * size).align(size).constant().address(0, there, 0).address(size, nowhere, 0);
    m.data(
        "table",
        table.function_address(2 * size, maybe).function_address(3 * size, never),
        Linkage::Export,
    )?;

    // Not called from outside, in a section with others.
    let double = m.function("double_it", one(), Linkage::Local)?;
    m.set_section(double, "hot_code")?;
    let mut f = m.build(double)?;
    let sum = f.add(f.param(0), f.param(0));
    f.ret(Some(sum));
    let body = f.finish()?;
    m.define(body)?;

    // mine += by; theirs ^= mine; wide[1] += theirs; *leads += 1; as often as it is asked for.
    let step = (&[Type::I32, Type::I32][..], Type::I64);
    let step = function(&mut m, "step", step, |f| {
        let k = f.variable(Type::I32);
        let zero = f.int(Type::I32, 0);
        f.set(k, zero);
        repeat(
            f,
            |f| {
                let k = f.get(k);
                f.icmp(IntPred::Slt, k, f.param(1))
            },
            |f| {
                let (place, other) = (f.address(mine), f.address(theirs));
                let old = f.load(Type::I32, place);
                let new = f.add(old, f.param(0));
                f.store(new, place);
                let old = f.load(Type::I32, other);
                let new = f.xor(old, new);
                f.store(new, other);
                let (room, eight) = (f.address(wide), f.int(Type::I32, 8));
                let second = f.offset(room, eight);
                let (old, new) = (f.load(Type::I64, second), f.sext(new, Type::I64));
                let new = f.add(old, new);
                f.store(new, second);
                let holder = f.address(leads);
                let to = f.load(Type::Ptr, holder);
                let (old, one) = (f.load(Type::I32, to), f.int(Type::I32, 1));
                let more = f.add(old, one);
                f.store(more, to);
                let (at, one) = (f.get(k), f.int(Type::I32, 1));
                let at = f.add(at, one);
                f.set(k, at);
            },
        );
        let (room, eight) = (f.address(wide), f.int(Type::I32, 8));
        let second = f.offset(room, eight);
        let result = f.load(Type::I64, second);
        f.ret(Some(result));
    })?;
    m.set_section(step, "hot_code")?;
    let cold = function(&mut m, "where_mine_is", (&[], Type::Ptr), |f| {
        let place = f.address(mine);
        f.ret(Some(place));
    })?;
    m.set_section(cold, ".text.cold")?;
    // A pair of bits for each of the four, and what they give.
    function(&mut m, "present", (&[Type::I32], Type::I32), |f| {
        let sum = f.variable(Type::I32);
        let first = f.call(double, &[f.param(0)]).unwrap();
        f.set(sum, first);
        for k in 0..4 {
            let address = match k {
                0 => f.address(there),
                1 => f.address(nowhere),
                2 => f.function_address(maybe),
                _ => f.function_address(never),
            };
            let (is_there, behind) = (f.create_block(), f.create_block());
            let missing = f.is_null(address);
            f.cond_br(missing, behind, is_there);
            f.switch_to(is_there);
            let got = match k {
                0 | 1 => f.load(Type::I32, address),
                _ => f.call([maybe, never][k - 2], &[f.param(0)]).unwrap(),
            };
            let old = f.get(sum);
            let more = f.add(old, got);
            f.set(sum, more);
            f.br(behind);
            f.switch_to(behind);
        }
        let sum = f.get(sum);
        f.ret(Some(sum));
    })?;
    m.verify()?;
    Ok(m)
}

const C: &str = r#"
    #include <pthread.h>
    #include <stdint.h>
    #include <stdio.h>
    extern _Thread_local int mine;
    _Thread_local int theirs = 3;
    int there = 1000;
    int maybe(int x) { return 7 * x; }
    extern int plain[2];
    extern void *const table[4];
    int64_t step(int, int);
    int *where_mine_is(void), present(int);
    extern const char __start_hot_code[], __stop_hot_code[];
    struct job { int by, times, mine, theirs, own; int64_t sum; void *where; };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *run(void *of) {
        struct job *j = of;
        j->own = mine == 10 && theirs == 3;
        pthread_mutex_lock(&lock);
        j->sum = step(j->by, j->times);
        pthread_mutex_unlock(&lock);
        j->mine = mine, j->theirs = theirs, j->where = where_mine_is();
        j->own += j->where == &mine;
        return 0;
    }
    int main(void) {
        struct job jobs[3] = {{.by = 5, .times = 7}, {.by = -9, .times = 100}, {.by = 1, .times = 1}};
        pthread_t threads[2];
        for (int k = 0; k < 2; k++) pthread_create(&threads[k], 0, run, &jobs[k]);
        run(&jobs[2]);
        for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
        for (int k = 0; k < 3; k++)
            printf("%d %d %d %lld\n", jobs[k].mine, jobs[k].theirs, jobs[k].own, (long long)jobs[k].sum);
        int bad = jobs[0].where == jobs[1].where || jobs[1].where == jobs[2].where;
        const char *at = (const char *)step;
        bad += at < __start_hot_code || at >= __stop_hot_code;
        at = (const char *)where_mine_is;
        bad += at >= __start_hot_code && at < __stop_hot_code;
        bad += table[0] != (void *)&there || table[1] || table[2] != (void *)maybe || table[3];
        printf("%d %d %d %d\n", bad, present(10), plain[0], plain[1]);
        return 0;
    }"#;

/// What the same in C prints, compiled by gcc for x86-64.
const EXPECTED: &str = "45 57 2 205\n-890 -397 2 3012\n11 8 2 8\n0 1090 1 110\n";

#[test]
fn each_thread_has_its_own_and_what_is_missing_is_null() {
    assert_eq!(with_c(module, C), EXPECTED);
}

/// By our linker, from an object; and assembly of the module that its text is, by gcc's assembler and linker.
#[test]
fn other_ways_to_programs_do_the_same() {
    for (name, gcc, qemu) in TARGETS {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path();
        let target = Target::new(name).unwrap();
        std::fs::write(path.join("main.c"), C).expect("it can be written");
        run(path, Command::new(gcc).args(["-O1", "-c", "main.c", "-o", "main.o"]));
        for level in LEVELS {
            let own = module(target).unwrap();
            let again = Module::parse(&own.text(), target).unwrap();
            // Names of data of ours are given again.
            assert_eq!(again.text().lines().count(), own.text().lines().count());
            let object = own.compile(&Options::at(level)).and_then(Object::to_elf).unwrap();
            std::fs::write(path.join("ours.o"), object).expect("it can be written");
            let mut link = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            link.args(["-o", "program", "main.o", "ours.o", "-lc"]).arg(format!("--target={name}"));
            run(path, &mut link);
            assert_eq!(run(path, Command::new(qemu).arg("program")), EXPECTED, "{name} {level:?}");
            let text = again.assembly(&Options::at(level)).unwrap();
            std::fs::write(path.join("ours.s"), text).expect("it can be written");
            run(path, Command::new(gcc).args(["-static", "main.o", "ours.s", "-o", "program"]));
            assert_eq!(run(path, Command::new(qemu).arg("program")), EXPECTED, "{name} {level:?}");
        }
    }
}

/// Names that a body asks for of text that was read.
#[test]
fn data_of_text_are_asked_for_as_those_of_clients() {
    let text =
        "@t = thread_local global i32 4\n@w = extern_weak global i32\ndeclare extern_weak i32 @g(i32)\n
        define internal i32 @f() section \"x\" {\n  ret i32 1\n}\n";
    for (name, ..) in TARGETS {
        let mut m = Module::parse(text, Target::new(name).unwrap()).unwrap();
        let (t, w) = (m.find_data("t").unwrap(), m.find_data("w").unwrap());
        let g = m.find_function("g").unwrap();
        m.take_address(g).unwrap();
        function(&mut m, "ask", (&[], Type::I32), |f| {
            let addresses = [f.address(t), f.address(w), f.function_address(g)];
            let sum = addresses.map(|address| f.ptrtoint(address, Type::I32));
            let two = f.add(sum[0], sum[1]);
            let three = f.add(two, sum[2]);
            f.ret(Some(three));
        })
        .unwrap();
        let printed = m.text();
        assert!(printed.contains("@llvm.threadlocal.address.p0(ptr @t)"), "{printed}");
        assert_eq!(printed.matches("load volatile ptr, ptr @\".address:").count(), 2, "{printed}");
        let error = m.data("d", Data::zeros(4).section("x"), Linkage::Local).unwrap_err();
        assert!(error.to_string().contains("not both"), "{error}");
    }
}

/// Nothing there gives threads memory, or knows what is missing; what asks for neither is compiled.
#[test]
fn code_in_memory_has_neither() {
    for (name, ..) in TARGETS {
        let target = Target::new(name).unwrap();
        let mut m = Module::new(target);
        let own = m.data("own", Data::zeros(4).align(4).thread_local(), Linkage::Local).unwrap();
        let maybe = m.data("maybe", Data::zeros(4).align(4), Linkage::WeakImport).unwrap();
        let plain = m.data("plain", Data::zeros(4).align(4), Linkage::Local).unwrap();
        let call = m.function("called", Signature::new(), Linkage::WeakImport).unwrap();
        m.take_address(call).unwrap();
        let f = m.function("f", Signature::new().result(Type::Ptr), Linkage::Export).unwrap();
        for level in [Level::O0, Level::O1] {
            let mut codegen = Codegen::new(&target, level);
            let mut compile = |make: &dyn Fn(&mut FunctionBuilder) -> Val| {
                let mut b = m.build(f).unwrap();
                let address = make(&mut b);
                b.ret(Some(address));
                codegen.compile(&m, b.finish().unwrap())
            };
            let mut refused = |make: &dyn Fn(&mut FunctionBuilder) -> Val, what: &str| {
                let error = compile(make).unwrap_err();
                assert_eq!(error.kind, ErrorKind::Unsupported, "{error}");
                assert!(error.to_string().contains(what), "{error}");
            };
            refused(
                &|b| b.address(own),
                "function 'f': code in memory has no thread-local data, and this asks for 'own'",
            );
            refused(&|b| b.address(maybe), "code in memory cannot ask whether 'maybe' is there");
            refused(&|b| b.function_address(call), "code in memory cannot ask whether 'called' is there");
            let code = compile(&|b| b.address(plain)).unwrap();
            assert!(code.relocations().all(|row| row.name == Name::Global(plain)));
            // A call of what need not be there is one: the client says where it is.
            let code = compile(&|b| {
                b.call(call, &[]);
                b.address(plain)
            });
            assert!(code.unwrap().relocations().any(|row| row.name == Name::Func(call)));
        }
    }
}

#[test]
fn what_cannot_be_is_told() {
    let mut m = Module::new(Target::new("aarch64").unwrap());
    let mut other = Module::new(Target::new("aarch64").unwrap());
    let check = |told: Result<(), Error>, kind: ErrorKind, what: &str| {
        let error = told.err().unwrap_or_else(|| panic!("nothing is wrong with: {what}"));
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.to_string().contains(what), "'{error}' for: {what}");
    };
    use ErrorKind::{Misuse, Unsupported};
    let own = m.data("own", Data::zeros(4).thread_local(), Linkage::Local).unwrap();
    let plain = m.data("plain", Data::zeros(4), Linkage::Local).unwrap();
    let mut data = |data: Data, linkage, kind, what| check(m.data("d", data, linkage).map(drop), kind, what);
    data(
        Data::zeros(8).address(0, own, 0),
        Linkage::Local,
        Misuse,
        "'d' has the address of thread-local data",
    );
    data(
        Data::zeros(4).thread_local(),
        Linkage::WeakImport,
        Unsupported,
        "'d' is thread-local data that need not",
    );
    data(
        Data::zeros(4).thread_local().section("x"),
        Linkage::Local,
        Misuse,
        "'d' is thread-local, and to be in a",
    );
    data(
        Data::zeros(4).section(".tdata"),
        Linkage::Local,
        Misuse,
        "'.tdata': a section of this name has thread-local",
    );
    data(
        Data::zeros(4).section(".text"),
        Linkage::Local,
        Misuse,
        "'.text': a section of this name has functions",
    );
    data(Data::zeros(4).section("a\0b"), Linkage::Local, Misuse, "in a section that is called");
    check(m.define_data(own, Data::zeros(4)), Misuse, "'own' was declared with 4 bytes, thread-local");
    check(
        m.define_data(plain, Data::zeros(4).thread_local()),
        Misuse,
        "'plain' was declared with 4 bytes, variable",
    );
    m.define_data(own, Data::bytes(&[1, 2, 3, 4]).thread_local()).unwrap();

    let f = m.function("f", Signature::new(), Linkage::Export).unwrap();
    let import = m.function("import", Signature::new(), Linkage::Import).unwrap();
    let weak = m.function("weak", Signature::new(), Linkage::WeakImport).unwrap();
    let theirs = other.function("theirs", Signature::new(), Linkage::Export).unwrap();
    check(m.build(weak).map(drop), Misuse, "an imported function has no body");
    check(m.set_pure(weak), Misuse, "need not be there");
    check(m.set_section(theirs, "x"), Misuse, "the function is of another module");
    check(
        m.set_section(import, "x"),
        Misuse,
        "function 'import': an imported function lies where it is defined",
    );
    check(m.set_section(weak, "x"), Misuse, "an imported function lies");
    for name in ["", "a\0b", "a b", "a,\"aw\"", "a\n.text", "\u{e9}"] {
        check(m.set_section(f, name), Misuse, "function 'f': it is to be in a section that is called");
    }
    for name in [".data", ".data.x", ".rodata", ".bss", ".init_array.5"] {
        check(m.set_section(f, name), Misuse, "a section of this name has data");
    }
    check(m.set_section(f, ".tbss.x"), Misuse, "has thread-local data");
    // One section, two kinds of content, in either order.
    m.data("in_x", Data::zeros(4).section("x"), Linkage::Local).unwrap();
    check(m.set_section(f, "x"), Misuse, "'x': a section has functions or data, and not both");
    m.set_section(f, "y").unwrap();
    check(
        m.data("in_y", Data::zeros(4).section("y"), Linkage::Local).map(drop),
        Misuse,
        "'y': a section has",
    );
    check(
        m.data("in_y", Data::zeros(4).section("y"), Linkage::Import).map(drop),
        Misuse,
        "'y': a section has",
    );
    // A long name is one, the last one counts, and `.text` is where code lies anyway.
    let long = format!(".text.{}", "long".repeat(2000));
    m.set_section(f, &long).unwrap();
    let mut b = m.build(f).unwrap();
    b.ret(None);
    let body = b.finish().unwrap();
    m.define(body).unwrap();
    assert!(m.clone().assembly(&Options::default()).unwrap().contains(&format!(".section {long},\"ax\"")));
    let bytes = m.clone().compile(&Options::default()).unwrap().to_elf().unwrap();
    assert!(bytes.windows(long.len()).any(|bytes| bytes == long.as_bytes()));
    m.set_section(f, ".text").unwrap();
    assert!(!m.assembly(&Options::default()).unwrap().contains(".section .text"));
    // Common data.
    let mut m = Module::new(Target::new("riscv64").unwrap());
    check(m.function("f", Signature::new(), Linkage::Common).map(drop), Misuse, "a function is not common");
    let shared = m.data("shared", Data::zeros(12).align(8), Linkage::Common).unwrap();
    let wrong = [
        Data::bytes(&[0, 1]),
        Data::zeros(4).constant(),
        Data::zeros(4).thread_local(),
        Data::zeros(4).section("s"),
        Data::zeros(8).address(0, shared, 0),
    ];
    for data in wrong {
        check(m.data("d", data, Linkage::Common).map(drop), Misuse, "'d' is common, which are zeros");
    }
    m.define_data(shared, Data::zeros(12).align(16)).unwrap();
    check(m.define_data(shared, Data::bytes(&[1; 12])), Misuse, "'shared' is common, which are zeros");
    assert!(m.clone().assembly(&Options::default()).unwrap().contains("\t.comm shared,12,16\n"));
    assert!(m.text().contains("@shared = common global [12 x i8] zeroinitializer"));
    let object = m.compile(&Options::default()).unwrap();
    assert!(object.symbols().any(|row| row.name == "shared" && row.is_defined && row.is_global));
    // Names that stand for something of ours, taken by the client.
    let mut m = Module::new(Target::new("armv7").unwrap());
    m.function(".thread", Signature::new(), Linkage::Import).unwrap();
    check(
        m.data("t", Data::zeros(4).thread_local(), Linkage::Local).map(drop),
        Misuse,
        "'.thread' cannot be a name",
    );
    let w = m.data("w", Data::zeros(4), Linkage::WeakImport).unwrap();
    let hidden = m.text();
    let name =
        hidden.lines().find_map(|line| line.strip_prefix("@\"")?.split('"').next()).unwrap().to_string();
    check(m.data(&name, Data::zeros(4), Linkage::Local).map(drop), Misuse, "already");
    assert!(m.find_data(&name).is_none() && m.find_data("w") == Some(w));
}
