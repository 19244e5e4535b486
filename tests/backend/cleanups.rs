//! Functions that clean up where an exception leaves a call of theirs, between a program of C++ and functions of C++ that throw.

use super::*;

/// `work(n, place)` calls `fails(n)` and what has the address of `twice`; it notes how far it came where it is left, and gives one
/// more than the latter otherwise.
fn work(target: Target) -> Result<Module, Error> {
    let mut m = Module::new(target);
    let fails = m.function("fails", Signature::new().param(Type::I32), Linkage::Import)?;
    let one = Signature::new().param(Type::I32).result(Type::I32);
    let twice = m.function("twice", one.clone(), Linkage::Import)?;
    m.take_address(twice)?;
    let prototype = m.prototype(one)?;
    let signature = Signature::new().params(&[Type::I32, Type::Ptr]).result(Type::I32);
    let func = m.function("work", signature, Linkage::Export)?;
    m.use_cleanups(func)?;
    let mut f = m.build(func)?;
    let (cleanup, far) = (f.create_block(), f.variable(Type::I32));
    let (first, second) = (f.int(Type::I32, 1), f.int(Type::I32, 2));
    f.set(far, first);
    f.call_with_cleanup(fails, &[f.param(0)], cleanup);
    f.set(far, second);
    let address = f.function_address(twice);
    let x = f.call_indirect_with_cleanup(prototype, address, &[f.param(0)], cleanup).unwrap();
    let x = f.add(x, first);
    f.ret(Some(x));
    f.switch_to(cleanup);
    let far = f.get(far);
    f.store(far, f.param(1));
    f.resume();
    let body = f.finish()?;
    m.define(body)?;
    Ok(m)
}

/// `adds(n, place)` fills memory in a loop, which both ways from a call lead to, adds some of it, and is left behind that then.
fn adds(m: &mut Module) -> Result<(), Error> {
    let fails = m.find_function("fails").unwrap();
    let func = m.function("adds", Signature::new().params(&[Type::I32, Type::Ptr]), Linkage::Export)?;
    m.use_cleanups(func)?;
    let mut f = m.build(func)?;
    let (resume, back) = (f.create_block(), f.create_block());
    let (cleanup, head, body, end) = (f.create_block(), f.create_block(), f.create_block(), f.create_block());
    let (k, is_left) = (f.variable(Type::I32), f.variable(Type::I32));
    let (zero, one, seven) = (f.int(Type::I32, 0), f.int(Type::I32, 1), f.int(Type::I32, 7));
    let (nine, far) = (f.int(Type::I32, 9), f.int(Type::I32, 100_000));
    let room = f.stack(40, 4);
    let count = f.add(f.param(0), nine);
    f.set(k, zero);
    f.set(is_left, zero);
    f.call_with_cleanup(fails, &[f.param(0)], cleanup);
    f.br(head);
    f.switch_to(cleanup);
    f.set(is_left, one);
    f.br(head);
    f.switch_to(head);
    let left = f.get(k);
    let more = f.icmp(IntPred::Slt, left, count);
    f.cond_br(more, body, end);
    f.switch_to(body);
    let at = f.get(k);
    let (place, x, next) = (f.index(room, at, 4), f.mul(at, far), f.add(at, one));
    f.store(x, place);
    f.set(k, next);
    f.br(head);
    f.switch_to(end);
    let behind = f.add(f.param(0), seven);
    let (first, second) = (f.index(room, f.param(0), 4), f.index(room, behind, 4));
    let (first, second) = (f.load(Type::I32, first), f.load(Type::I32, second));
    let (sum, is_left) = (f.add(first, second), f.get(is_left));
    f.store(sum, f.param(1));
    let is_left = f.icmp(IntPred::Ne, is_left, zero);
    f.cond_br(is_left, resume, back);
    f.switch_to(resume);
    f.resume();
    f.switch_to(back);
    f.ret(None);
    let body = f.finish()?;
    m.define(body)?;
    Ok(())
}

const MAIN: &str = r#"
    extern "C" int printf(const char *, ...);
    extern "C" int work(int, int *);
    extern "C" void adds(int, int *);
    extern "C" void fails(int n) { if (n == 1) throw 42; }
    extern "C" int twice(int n) { if (n == 2) throw 2.5; return 2 * n; }
    int main() {
        for (int n = 1; n < 4; n++) {
            int place = 0;
            try { printf("%d", work(n, &place)); }
            catch (int e) { printf("int %d", e); }
            catch (double e) { printf("double %g", e); }
            printf(", %d\n", place);
        }
        for (int n = 0; n < 2; n++) {
            int sum = 0;
            try { adds(n, &sum); }
            catch (int) { printf("left, "); }
            printf("%d\n", sum);
        }
        return 0;
    }
"#;

#[test]
fn what_an_exception_leaves_cleans_up() {
    let clang = "clang++-19";
    if Command::new(clang).arg("--version").output().is_err() {
        println!("NOT TESTED: {clang} is missing, tests/install.sh installs it");
        return;
    }
    for (name, gcc, qemu) in TARGETS {
        let library = Command::new(gcc).arg("-print-file-name=libstdc++.a").output();
        if !library.is_ok_and(|done| done.stdout.contains(&b'/')) {
            println!("NOT TESTED: the C++ library for {name} is missing, tests/install.sh installs it");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join("main.cpp"), MAIN).unwrap();
        let triple = if name == "armv7" { "armv7-linux-gnueabihf" } else { gcc.trim_end_matches("-gcc") };
        let flags = ["-O1", "-c", "-w", "main.cpp"];
        run(folder.path(), Command::new(clang).arg(format!("--target={triple}")).args(flags));
        for level in LEVELS {
            let mut module = work(Target::new(name).unwrap()).unwrap();
            adds(&mut module).unwrap();
            // The text of the module says the same.
            let again = Module::parse(&module.text(), *module.target()).unwrap();
            for (module, through_text) in [(module.clone(), false), (module, true), (again, false)] {
                let options = Options::at(level).verify();
                let ours = if through_text { "ours.s" } else { "ours.o" };
                let bytes = match through_text {
                    true => module.assembly(&options).unwrap().into_bytes(),
                    false => module.compile(&options).and_then(Object::to_elf).unwrap(),
                };
                std::fs::write(folder.path().join(ours), bytes).unwrap();
                let flags = ["-static", "main.o", ours, "-o", "program", "-lstdc++", "-lm"];
                run(folder.path(), Command::new(gcc).args(flags));
                let said = run(folder.path(), Command::new(qemu).arg("program"));
                assert_eq!(
                    said, "int 42, 1\ndouble 2.5, 2\n7, 0\n700000\nleft, 900000\n",
                    "{name} {level:?} {ours}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_clean_up_is_an_error() {
    let target = Target::new("armv7").unwrap();
    let mut m = Module::new(target);
    let fails = m.function("fails", Signature::new(), Linkage::Import).unwrap();
    let func = m.function("work", Signature::new(), Linkage::Export).unwrap();
    let told = |m: &Module, build: &dyn Fn(&mut FunctionBuilder)| {
        let mut f = m.build(func).unwrap();
        build(&mut f);
        let error = f.finish().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Misuse, "{error}");
        error.to_string()
    };
    let calls = |f: &mut FunctionBuilder| {
        let cleanup = f.create_block();
        f.call_with_cleanup(fails, &[], cleanup);
        f.ret(None);
        f.switch_to(cleanup);
        f.resume();
    };
    assert!(told(&m, &calls).contains("call_with_cleanup: without Module::use_cleanups of the function"));
    assert!(told(&m, &|f| f.resume()).contains("resume: without Module::use_cleanups"));
    assert_eq!(m.use_cleanups(fails).unwrap_err().kind, ErrorKind::Misuse);
    m.use_cleanups(func).unwrap();
    m.use_cleanups(func).unwrap();
    assert!(told(&m, &|f| f.resume()).contains("resume: where no exception comes"));
    let body = {
        let mut f = m.build(func).unwrap();
        calls(&mut f);
        f.finish().unwrap()
    };
    // Tables of landing pads are of objects.
    let error = Codegen::new(&target, Level::O0).compile(&m, body).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported, "{error}");
    // A name of libgcc's is a function of libgcc.
    let mut m = Module::new(target);
    let func = m.function("work", Signature::new(), Linkage::Export).unwrap();
    m.function("_Unwind_Resume", Signature::new().param(Type::I32), Linkage::Export).unwrap();
    assert_eq!(m.use_cleanups(func).unwrap_err().kind, ErrorKind::Misuse);
}
