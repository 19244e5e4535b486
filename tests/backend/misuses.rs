//! More of what clients may do wrong: each of these is told by one error, at the latest by `finish`, and never by a panic.

use super::*;
use sysyc::backend::{Extension, Ordering, Update, Visibility};

type Wrong = fn(&mut FunctionBuilder, Val, Val);

/// What is wrong with the body of a function of an i32 and a ptr that yields an i32.
const BODIES: [(&str, Wrong); 50] = [
    ("int: 300 is no number of i8", |f, _, _| _ = f.int(Type::I8, 300)),
    ("int: -129 is no number of i8", |f, _, _| _ = f.int(Type::I8, -129)),
    ("int: 2 is no number of i1", |f, _, _| _ = f.int(Type::I1, 2)),
    ("int: 65536 is no number of i16", |f, _, _| _ = f.int(Type::I16, 1 << 16)),
    ("int: 4294967296 is no number of i32", |f, _, _| _ = f.int(Type::I32, 1 << 32)),
    ("int: void is no integer type", |f, _, _| _ = f.int(Type::Void, 0)),
    ("int: ptr is no integer type", |f, _, _| _ = f.int(Type::Ptr, 0)),
    ("switch: 4294967299 is no number of i32", |f, i, _| {
        let (a, b) = (f.create_block(), f.create_block());
        f.switch(i, &[(3, a), (4_294_967_299, a)], b);
    }),
    ("switch: -1 is there twice", |f, i, _| {
        let (a, b) = (f.create_block(), f.create_block());
        f.switch(i, &[(-1, a), (u32::MAX.into(), a)], b);
    }),
    ("switch: on float", |f, _, _| {
        let (x, to) = (f.float(1.0), f.create_block());
        f.switch(x, &[], to);
    }),
    ("get: variable 0 is read where nothing has set it", |f, _, _| {
        let x = f.variable(Type::I32);
        let x = f.get(x);
        f.ret(Some(x));
    }),
    ("get: variable 1 is read where nothing has set it", |f, i, _| {
        let (x, y) = (f.variable(Type::I32), f.variable(Type::I32));
        f.set(x, i);
        let after = f.create_block();
        f.br(after);
        f.seal(after);
        f.switch_to(after);
        f.get(y);
    }),
    ("get: variable 0 is read where nothing has set it", |f, i, _| {
        // Around a loop that is known to its end only.
        let x = f.variable(Type::I32);
        let (head, end) = (f.create_block(), f.create_block());
        f.br(head);
        f.switch_to(head);
        let (old, zero) = (f.get(x), f.int(Type::I32, 0));
        f.set(x, old);
        let done = f.icmp(IntPred::Eq, i, zero);
        f.cond_br(done, end, head);
        f.switch_to(end);
        f.ret(Some(old));
    }),
    ("stack: 2147483647 bytes more are 4294967294 in all", |f, _, _| {
        (0..4).for_each(|_| _ = f.stack(i32::MAX as u32, 1));
    }),
    ("stack: 4294967295 bytes, aligned to 1", |f, _, _| _ = f.stack(u32::MAX, 1)),
    ("stack: 8 bytes, aligned to 2147483648", |f, _, _| _ = f.stack(8, 1 << 31)),
    ("variable: of type void", |f, _, _| _ = f.variable(Type::Void)),
    ("sdiv: i32 and ptr", |f, i, p| _ = f.sdiv(i, p)),
    ("shl: of ptr", |f, _, p| _ = f.shl(p, p)),
    ("fneg: of i32", |f, i, _| _ = f.fneg(i)),
    ("fdiv: float and double", |f, _, _| {
        let (x, y) = (f.float(1.0), f.double(2.0));
        f.fdiv(x, y);
    }),
    ("ptr is no integer type", |f, _, p| _ = f.not(p)),
    ("count_ones: of ptr", |f, _, p| _ = f.count_ones(p)),
    ("leading_zeros: of i1", |f, _, _| {
        let x = f.int(Type::I1, 1);
        f.leading_zeros(x);
    }),
    ("trailing_zeros: of float", |f, _, _| {
        let x = f.float(1.0);
        f.trailing_zeros(x);
    }),
    ("swap_bytes: of ptr", |f, _, p| _ = f.swap_bytes(p)),
    ("rotate_left: of ptr", |f, i, p| _ = f.rotate_left(p, i)),
    ("rotate_right: of ptr", |f, i, p| _ = f.rotate_right(p, i)),
    ("floor: of i32", |f, i, _| _ = f.floor(i)),
    ("ceil: of ptr", |f, _, p| _ = f.ceil(p)),
    ("ftrunc: of i32", |f, i, _| _ = f.ftrunc(i)),
    ("fmax: of i32", |f, i, _| _ = f.fmax(i, i)),
    ("icmp: of float", |f, _, _| {
        let x = f.float(1.0);
        f.icmp(IntPred::Eq, x, x);
    }),
    ("fcmp: float and double", |f, _, _| {
        let (x, y) = (f.float(1.0), f.double(1.0));
        f.fcmp(FloatPred::Olt, x, y);
    }),
    ("select: i32 and ptr", |f, i, p| {
        let yes = f.int(Type::I1, 1);
        f.select(yes, i, p);
    }),
    ("sext: of i32 to i32", |f, i, _| _ = f.sext(i, Type::I32)),
    ("fpext: of float to float", |f, _, _| {
        let x = f.float(1.0);
        f.fpext(x, Type::F32);
    }),
    ("fptrunc: of float to double", |f, _, _| {
        let x = f.float(1.0);
        f.fptrunc(x, Type::F64);
    }),
    ("memcpy: a length of ptr", |f, _, p| f.memcpy(p, p, p)),
    ("memset: i32 where ptr", |f, i, _| f.memset(i, i, i)),
    ("load_volatile: i32 where ptr", |f, i, _| _ = f.load_volatile(Type::I32, i)),
    ("atomic_update: i32 where ptr", |f, i, _| _ = f.atomic_update(Update::Add, i, i, Ordering::SeqCst)),
    ("compare_exchange: i32 where ptr", |f, i, _| {
        f.compare_exchange(i, i, i, Ordering::SeqCst, Ordering::SeqCst);
    }),
    ("the block has ended", |f, i, _| {
        f.unreachable();
        f.ret(Some(i));
    }),
    ("the block has ended", |f, i, _| {
        let to = f.create_block();
        f.br(to);
        f.switch(i, &[(1, to)], to);
    }),
    ("to a block that is sealed", |f, i, _| {
        let (a, b) = (f.create_block(), f.create_block());
        f.seal(b);
        f.switch(i, &[(1, a)], b);
    }),
    ("nothing can go back to the entry", |f, i, _| {
        let (entry, after, other) = (f.current_block(), f.create_block(), f.create_block());
        f.br(after);
        f.switch_to(after);
        let zero = f.int(Type::I32, 0);
        let is = f.icmp(IntPred::Eq, i, zero);
        f.cond_br(is, entry, other);
    }),
    ("block b1: does not end", |f, i, _| {
        let block = f.create_block();
        assert_eq!((format!("{block} {i}"), format!("{block:?} {i:?}")), ("b1 v0".into(), "b1 v0".into()));
        f.ret(Some(i));
    }),
    ("of v3: operand 0, v3 in b1, does not dominate its use", |f, i, _| {
        // A value of one way, behind where both meet.
        let (yes, both) = (f.create_block(), f.create_block());
        let is = f.int(Type::I1, 1);
        f.cond_br(is, yes, both);
        f.switch_to(yes);
        let here = f.add(i, i);
        assert_eq!(here.to_string(), "v3");
        f.br(both);
        f.switch_to(both);
        f.ret(Some(here));
    }),
    ("ret: ptr", |f, _, p| f.ret(Some(p))),
];

fn told(result: Result<(), Error>, what: &str) {
    let error = result.err().unwrap_or_else(|| panic!("nothing is wrong with: {what}"));
    assert_eq!(error.kind, ErrorKind::Misuse, "{error}");
    assert!(error.to_string().contains(what), "'{error}' for: {what}");
}

#[test]
fn what_is_wrong_with_a_body_is_told_on_every_machine() {
    for name in ["riscv64", "aarch64", "armv7"] {
        let mut m = Module::new(Target::new(name).unwrap());
        m.use_atomics(Type::I32).unwrap();
        let signature = Signature::new().params(&[Type::I32, Type::Ptr]).result(Type::I32);
        let func = m.function("f", signature, Linkage::Export).unwrap();
        for (what, make) in BODIES {
            let mut f = m.build(func).unwrap();
            let (i, p) = (f.param(0), f.param(1));
            make(&mut f, i, p);
            if !f.is_ended() {
                f.ret(Some(i));
            }
            told(f.finish().map(drop), what);
        }
    }
}

#[test]
fn what_is_wrong_with_a_module_is_told() {
    let mut m = Module::new(Target::new("aarch64").unwrap());
    let plain = || Signature::new().result(Type::I32);
    let func = m.function("f", plain(), Linkage::Export).unwrap();
    let body = |m: &Module, x: i64| {
        let mut f = m.build(func).unwrap();
        let x = f.int(Type::I32, x);
        f.ret(Some(x));
        f.finish().unwrap()
    };
    let (first, second) = (body(&m, 1), body(&m, 2));
    m.define(first).unwrap();
    told(m.define(second), "function 'f': it has a body already");
    assert!(m.text().contains("ret i32 1"), "the first one stays");
    for linkage in [Linkage::Import, Linkage::WeakImport] {
        told(m.data("x", Data::bytes(&[1, 2]), linkage).map(drop), "'x' is imported, and has no contents");
        told(m.data("x", Data::string("a"), linkage).map(drop), "'x' is imported, and has no contents");
    }
    let x = m.data("x", Data::zeros(8).align(8), Linkage::Import).unwrap();
    let held = Data::zeros(8).align(8).address(0, x, 0);
    told(m.data("y", held, Linkage::Import).map(drop), "'y' is imported, and has no contents");
    for offset in [i64::MAX, i64::MIN, 1 << 31] {
        let data = Data::zeros(8).align(8).address(0, x, offset);
        told(m.data("y", data, Linkage::Export).map(drop), &format!("{offset} bytes behind the start"));
    }
    m.data("y", Data::zeros(8).align(8).address(0, x, -8), Linkage::Export).unwrap();
    told(m.data("y", Data::zeros(8), Linkage::Export).map(drop), "there is a 'y' already");
    told(m.data("z", Data::zeros(u32::MAX), Linkage::Export).map(drop), "'z' is larger than 2 GiB");
    told(m.data("z", Data::zeros(1).align(0), Linkage::Export).map(drop), "aligned to 0");
    told(m.data("z", Data::zeros(4).thread_local().section(".s"), Linkage::Export).map(drop), "thread-local");
    told(m.data("z", Data::bytes(&[1]), Linkage::Common).map(drop), "is common");
    told(m.function("z", plain(), Linkage::Common).map(drop), "a function is not common");
    told(m.set_section(func, ".data"), "'.data'");
    let own = m.data("own", Data::zeros(4).thread_local(), Linkage::Local).unwrap();
    let only_here = "only this module sees it, whatever its visibility is";
    told(m.set_data_visibility(own, Visibility::Hidden), only_here);
    let text =
        "@llvm.used = appending global [1 x ptr] [ptr @f]\ndefine internal void @f() {\n  ret void\n}\n";
    let mut kept = Module::parse(text, Target::new("aarch64").unwrap()).unwrap();
    let f = kept.find_function("f").unwrap();
    told(kept.set_visibility(f, Visibility::Hidden), only_here);
    kept.set_visibility(f, Visibility::Default).unwrap();
    told(m.use_atomics(Type::F32), "values of float are not accessed as one");
    told(
        m.prototype(Signature::new().param_as(Type::Ptr, Extension::Zero)).map(drop),
        "ptr cannot be extended",
    );
}

/// What is not wrong: the ends of types, what is set on one way only, code that nothing reaches.
#[test]
fn what_is_right_stays_so() {
    let mut m = Module::new(Target::new("riscv64").unwrap());
    let func = m.function("f", Signature::new().param(Type::I32).result(Type::I32), Linkage::Export).unwrap();
    let mut f = m.build(func).unwrap();
    for (ty, least, most) in
        [(Type::I1, -1, 1), (Type::I8, -128, 255), (Type::I32, -(1 << 31), (1 << 32) - 1)]
    {
        f.int(ty, least);
        f.int(ty, most);
    }
    let (x, y) = (f.variable(Type::I32), f.variable(Type::I32));
    let (yes, both, end, dead) = (f.create_block(), f.create_block(), f.create_block(), f.create_block());
    f.switch(f.param(0), &[(0xffff_ffff, yes), (5, yes)], both);
    f.switch_to(yes);
    f.set(x, f.param(0));
    f.br(both);
    f.switch_to(both);
    let read = f.get(x);
    f.br(end);
    f.switch_to(dead);
    let nothing = f.get(y);
    f.set(y, nothing);
    f.br(dead);
    f.switch_to(end);
    f.ret(Some(read));
    let body = f.finish().unwrap();
    m.define(body).unwrap();
    m.compile(&Options::default()).unwrap();
}
