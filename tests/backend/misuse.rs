//! What clients may do wrong.

use super::*;
use sysyc::backend::{Extension, Ordering, Update};

/// Each is wrong in one way, which has to be told by an error that says what is wrong.
#[test]
fn misuse_is_an_error_and_never_a_panic() {
    type Wrong = fn(&mut FunctionBuilder, Val, Val);
    // `i` is an i32 and `p` a pointer.
    let wrong: [(&str, Wrong); 72] = [
        ("ret: void", |f, _, _| f.ret(None)),
        ("ret: ptr", |f, _, p| f.ret(Some(p))),
        ("add: i32 and ptr", |f, i, p| {
            f.add(i, p);
        }),
        ("add: of ptr", |f, _, p| {
            f.add(p, p);
        }),
        ("fadd: of i32", |f, i, _| {
            f.fadd(i, i);
        }),
        ("llvm.fma", |f, i, _| {
            f.fma(i, i, i);
        }),
        ("a parameter that is not there", |f, i, _| {
            let x = f.param(9);
            f.add(i, x);
        }),
        ("load: i32 where ptr", |f, i, _| {
            f.load(Type::I32, i);
        }),
        ("atomic_load (i32): without Module::use_atomics", |f, _, p| {
            f.atomic_load(Type::I32, p, Ordering::SeqCst);
        }),
        ("atomic_load: of float", |f, _, p| {
            f.atomic_load(Type::F32, p, Ordering::SeqCst);
        }),
        ("atomic_load: i32 where ptr", |f, i, _| {
            f.atomic_load(Type::I8, i, Ordering::SeqCst);
        }),
        ("atomic_load: ordered by release", |f, _, p| {
            f.atomic_load(Type::I8, p, Ordering::Release);
        }),
        ("atomic_store: ordered by acq_rel", |f, _, p| f.atomic_store(p, p, Ordering::AcqRel)),
        ("atomic_store: of i1", |f, _, p| {
            let x = f.int(Type::I1, 1);
            f.atomic_store(x, p, Ordering::Release);
        }),
        ("atomic_update: Add of ptr", |f, _, p| {
            f.atomic_update(Update::Add, p, p, Ordering::Release);
        }),
        ("atomic_update: of such a type", |f, _, p| {
            let x = f.int(Type::I1, 1);
            f.atomic_update(Update::SMax, p, x, Ordering::Release);
        }),
        ("compare_exchange: i32 and ptr", |f, i, p| {
            f.compare_exchange(p, i, p, Ordering::SeqCst, Ordering::SeqCst);
        }),
        ("compare_exchange: a failure ordered by release", |f, i, p| {
            f.compare_exchange(p, i, i, Ordering::SeqCst, Ordering::Release);
        }),
        ("fence: ordered by monotonic", |f, _, _| f.fence(Ordering::Monotonic)),
        ("stack_alloc (ptr): without Module::use_stack", |f, i, _| {
            f.stack_alloc(i, 8);
        }),
        ("stack_alloc: bytes of ptr, aligned to 8", |f, _, p| {
            f.stack_alloc(p, 8);
        }),
        ("stack_alloc: bytes of i32, aligned to 24", |f, i, _| {
            f.stack_alloc(i, 24);
        }),
        ("stack_restore: i32 where ptr", |f, i, _| f.stack_restore(i)),
        ("memmove: without Module::use_library", |f, i, p| f.memmove(p, p, i)),
        ("memmove: a length of ptr", |f, _, p| f.memmove(p, p, p)),
        ("sqrt: of i32", |f, i, _| {
            f.sqrt(i);
        }),
        ("fmin: of ptr", |f, _, p| {
            f.fmin(p, p);
        }),
        ("copysign: float and double", |f, _, _| {
            let (x, y) = (f.float(1.0), f.double(1.0));
            f.copysign(x, y);
        }),
        ("bitcast: of i32 to double", |f, i, _| {
            f.bitcast(i, Type::F64);
        }),
        ("bitcast: of ptr to i64", |f, _, p| {
            f.bitcast(p, Type::I64);
        }),
        ("va_start: in a function that takes no variadic", |f, _, p| f.va_start(p)),
        ("va_start: i32 where ptr", |f, i, _| f.va_start(i)),
        ("va_copy: i32 where ptr", |f, i, p| f.va_copy(p, i)),
        ("va_end: i32 where ptr", |f, i, _| f.va_end(i)),
        ("va_arg: of float", |f, _, p| {
            f.va_arg(p, Type::F32);
        }),
        ("va_arg: i32 where ptr", |f, i, _| {
            f.va_arg(i, Type::I32);
        }),
        ("load: i1", |f, _, p| {
            f.load(Type::I1, p);
        }),
        ("load: void", |f, _, p| {
            f.load(Type::Void, p);
        }),
        ("store: i32 where ptr", |f, i, _| f.store(i, i)),
        ("index: by ptr", |f, _, p| {
            f.index(p, p, 4);
        }),
        ("index: i32 where ptr", |f, i, _| {
            f.index(i, i, 4);
        }),
        ("stack: 8 bytes, aligned to 3", |f, _, _| {
            f.stack(8, 3);
        }),
        ("stack: 8 bytes, aligned to 0", |f, _, _| {
            f.stack(8, 0);
        }),
        ("int: float", |f, _, _| {
            f.int(Type::F32, 1);
        }),
        ("icmp: i32 and ptr", |f, i, p| {
            f.icmp(IntPred::Eq, i, p);
        }),
        ("fcmp: of i32", |f, i, _| {
            f.fcmp(FloatPred::Oeq, i, i);
        }),
        ("select: i32 where i1", |f, i, p| {
            f.select(i, p, p);
        }),
        ("trunc: of i32 to i64", |f, i, _| {
            f.trunc(i, Type::I64);
        }),
        ("zext: of i32 to i8", |f, i, _| {
            f.zext(i, Type::I8);
        }),
        ("sitofp: of i32 to i64", |f, i, _| {
            f.sitofp(i, Type::I64);
        }),
        ("fptosi: of i32", |f, i, _| {
            f.fptosi(i, Type::I32);
        }),
        ("variable: of type void", |f, _, _| {
            f.variable(Type::Void);
        }),
        ("set: ptr in a variable of i32", |f, _, p| {
            let x = f.variable(Type::I32);
            f.set(x, p);
        }),
        ("cond_br: i32 where i1", |f, i, _| {
            let to = f.create_block();
            f.cond_br(i, to, to);
        }),
        ("nothing can go back to the entry", |f, _, _| {
            let entry = f.current_block();
            f.br(entry);
        }),
        ("the block has ended", |f, i, _| {
            f.ret(Some(i));
            f.add(i, i);
        }),
        ("the block has ended", |f, i, _| {
            f.ret(Some(i));
            f.ret(Some(i));
        }),
        ("to a block that is sealed", |f, _, _| {
            let to = f.create_block();
            f.seal(to);
            f.br(to);
        }),
        ("switch: on ptr", |f, _, p| {
            let to = f.create_block();
            f.switch(p, &[], to);
        }),
        ("switch: 7 is there twice", |f, i, _| {
            let to = f.create_block();
            f.switch(i, &[(7, to), (7, to)], to);
        }),
        ("memset: a byte of i32", |f, i, p| f.memset(p, i, i)),
        ("the block has ended", |f, i, p| {
            f.ret(Some(i));
            f.store(i, p);
        }),
        ("the block has ended", |f, i, p| {
            f.ret(Some(i));
            f.memcpy(p, p, i);
        }),
        ("uitofp: of ptr to double", |f, _, p| {
            f.uitofp(p, Type::F64);
        }),
        ("fptoui: of i32 to i64", |f, i, _| {
            f.fptoui(i, Type::I64);
        }),
        ("load_volatile: i1 is not in memory", |f, _, p| {
            f.load_volatile(Type::I1, p);
        }),
        ("store_volatile: i32 where ptr", |f, i, _| f.store_volatile(i, i)),
        ("ptrtoint: i32 where ptr", |f, i, _| {
            f.ptrtoint(i, Type::I64);
        }),
        ("ptrtoint: of ptr to float", |f, _, p| {
            f.ptrtoint(p, Type::F32);
        }),
        ("inttoptr: of ptr", |f, _, p| {
            f.inttoptr(p);
        }),
        ("ptrtoint: i32 where ptr", |f, i, _| {
            f.is_null(i);
        }),
        ("does not end", |f, i, _| {
            f.create_block();
            f.ret(Some(i));
        }),
    ];
    let mut m = Module::new(Target::new("riscv64").unwrap());
    let signature = || Signature::new().params(&[Type::I32, Type::Ptr]).result(Type::I32);
    let func = m.function("f", signature(), Linkage::Export).unwrap();
    let check = |told: Result<(), Error>, what: &str| {
        let error = told.err().unwrap_or_else(|| panic!("nothing is wrong with: {what}"));
        assert_eq!(error.kind, ErrorKind::Misuse, "{error}");
        assert!(error.to_string().contains(what), "'{error}' for: {what}");
    };
    for (what, make) in wrong {
        let mut f = m.build(func).unwrap();
        let (i, p) = (f.param(0), f.param(1));
        make(&mut f, i, p);
        // What follows the first error does nothing.
        if !f.is_ended() {
            f.ret(Some(i));
        }
        check(f.finish().map(drop), what);
    }
    // Values, blocks, variables of another function; functions, data, bodies of another module.
    let mut g = m.build(func).unwrap();
    let (foreign, block, variable) = (g.param(0), g.create_block(), g.variable(Type::I32));
    type Foreign<'a> = &'a dyn Fn(&mut FunctionBuilder);
    let others: [(&str, Foreign); 5] = [
        ("a value of another function", &|f| f.ret(Some(foreign))),
        ("a value of another function", &|f| {
            f.add(f.param(0), foreign);
        }),
        ("a block of another function", &|f| f.br(block)),
        ("a variable of another function", &|f| {
            f.get(variable);
        }),
        ("a value that is defined on no way here", &|f| {
            let (yes, no, both) = (f.create_block(), f.create_block(), f.create_block());
            let (zero, x) = (f.int(Type::I32, 0), f.param(0));
            let test = f.icmp(IntPred::Eq, x, zero);
            f.cond_br(test, yes, no);
            f.switch_to(yes);
            let here = f.add(x, x);
            f.br(both);
            f.switch_to(no);
            f.br(both);
            f.switch_to(both);
            f.ret(Some(here));
        }),
    ];
    for (what, make) in others {
        let mut f = m.build(func).unwrap();
        make(&mut f);
        let what = if what.contains("on no way") { "domina" } else { what };
        check(f.finish().map(drop), what);
    }
    let mut other = Module::new(Target::new("riscv64").unwrap());
    let theirs = other.function("theirs", signature(), Linkage::Export).unwrap();
    let datum = other.data("datum", Data::zeros(4), Linkage::Local).unwrap();
    check(m.build(theirs).map(drop), "of another module");
    let mut f = m.build(func).unwrap();
    f.call(theirs, &[]);
    check(f.finish().map(drop), "of another module");
    let mut f = m.build(func).unwrap();
    f.address(datum);
    check(f.finish().map(drop), "of another module");
    let mut f = m.build(func).unwrap();
    f.call(func, &[f.param(1), f.param(0)]);
    check(f.finish().map(drop), "call of 'f(i32, ptr)' with (ptr, i32)");
    let mut f = m.build(func).unwrap();
    f.ret(Some(f.param(0)));
    let body = f.finish().unwrap();
    check(other.define(body), "another module");
    // Calls by address, and addresses.
    let prototype =
        m.prototype(Signature::new().param_as(Type::I8, Extension::Sign).result(Type::I32)).unwrap();
    let theirs_too = other.prototype(signature()).unwrap();
    let taken = m.function("taken", signature(), Linkage::Import).unwrap();
    m.take_address(taken).unwrap();
    let indirect: [(&str, Foreign); 8] = [
        ("the prototype is of another module", &|f| {
            f.call_indirect(theirs_too, f.param(1), &[]);
        }),
        ("call_indirect: i32 where ptr", &|f| {
            f.call_indirect(prototype, f.param(0), &[]);
        }),
        ("call of 'an address(i8)' with ()", &|f| {
            f.call_indirect(prototype, f.param(1), &[]);
        }),
        ("call of 'an address(i8)' with (i32)", &|f| {
            f.call_indirect(prototype, f.param(1), &[f.param(0)]);
        }),
        ("without Module::take_address", &|f| {
            f.function_address(func);
        }),
        ("the function is of another module", &|f| {
            f.function_address(theirs);
        }),
        ("add: of ptr", &|f| {
            let address = f.function_address(taken);
            f.add(address, address);
        }),
        ("the block has ended", &|f| {
            f.ret(Some(f.param(0)));
            let byte = f.int(Type::I8, 1);
            f.call_indirect(prototype, f.param(1), &[byte]);
        }),
    ];
    for (what, make) in indirect {
        let mut f = m.build(func).unwrap();
        make(&mut f);
        check(f.finish().map(drop), what);
    }
    // Data.
    let words = m.data("words", Data::zeros(16).align(8), Linkage::Export).unwrap();
    let import = m.data("elsewhere", Data::zeros(0), Linkage::Import).unwrap();
    let mut data = |data: Data, what| check(m.data("d", data, Linkage::Local).map(drop), what);
    data(Data::zeros(16).address(9, words, 0), "'d' is 16 bytes long, and has no address at 9");
    data(Data::zeros(16).address(u32::MAX, words, 0), "has no address at 4294967295");
    data(Data::zeros(16).address(0, words, 0).address(7, words, 0), "'d' has two addresses at 7");
    data(Data::zeros(16).address(0, datum, 0), "the datum is of another module");
    data(Data::zeros(16).function_address(0, theirs), "the function is of another module");
    data(Data::zeros(16).section("a b"), "in a section that is called 'a b'");
    data(Data::zeros(16).section(""), "in a section");
    check(m.define_data(datum, Data::zeros(4)), "the datum is of another module");
    check(m.define_data(import, Data::zeros(0)), "'elsewhere' is imported");
    check(m.define_data(words, Data::zeros(8)), "'words' was declared with 16 bytes, variable");
    check(m.define_data(words, Data::zeros(16).constant()), "'words' was declared with 16 bytes, variable");
    check(m.define_data(words, Data::zeros(16).align(3)), "aligned to 3");
    // Declarations.
    let wrong = [
        (Signature::new().param_as(Type::I64, Extension::Zero), "i64 cannot be extended"),
        (Signature::new().result_as(Type::F32, Extension::Sign), "float cannot be extended"),
        (Signature::new().param(Type::I32).result_in_memory(), "the first parameter has to be a ptr"),
        (Signature::new().result(Type::I32).param(Type::Ptr).result_in_memory(), "and no result"),
    ];
    for (signature, what) in wrong {
        check(m.prototype(signature.clone()).map(drop), what);
        check(m.function("wrong", signature, Linkage::Import).map(drop), what);
    }
    check(m.take_address(theirs), "of another module");
    check(m.function("f", signature(), Linkage::Export).map(drop), "there is a 'f' already");
    check(m.function("", signature(), Linkage::Export).map(drop), "a name is empty");
    check(m.function("a\0b", signature(), Linkage::Export).map(drop), "zero byte");
    check(m.function("v", Signature::new().param(Type::Void), Linkage::Import).map(drop), "cannot be passed");
    check(m.data("d", Data::zeros(4).align(6), Linkage::Local).map(drop), "aligned to 6");
    let import = m.function("import", signature(), Linkage::Import).unwrap();
    check(m.build(import).map(drop), "an imported function has no body");
    check(m.set_pure(func), "its body says");
    check(m.verify(), "has no body");
    check(m.compile(&Options::default()).map(drop), "has no body");
}
