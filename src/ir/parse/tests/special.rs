//! What linkers and start-up code know of.

use super::*;
use crate::ir::interp::{Options, run};
use crate::ir::{Linkage, RelocationModel, ThreadModel, Visibility, print};

const TEXT: &str = "\
@there = extern_weak global i32
@kept = internal global i32 7
@gone = internal global i32 8
@table = internal constant [2 x ptr] [ptr @maybe, ptr @there]
@long = external constant [0 x i8]
@llvm.used = appending global [1 x ptr] [ptr @kept], section \"llvm.metadata\"
@llvm.compiler.used = appending global [3 x ptr] [ptr @still, ptr @there, ptr @main], section \"llvm.metadata\"
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @still, ptr null }, { i32, ptr, ptr } { i32 7, ptr @main, ptr null }, { i32, ptr, ptr } { i32 1, ptr null, ptr null }]
@llvm.global_dtors = appending global [0 x { i32, ptr, ptr }] zeroinitializer
declare extern_weak void @maybe(i32)
define internal void @still() nounwind section \".text.hot\" align 4 {
  ret void
}
define void @main() {
  %a = icmp eq ptr @maybe, null
  br i1 %a, label %x, label %y
x:
  %b = phi ptr [ @there, %0 ], [ getelementptr (i8, ptr @there, i64 4), %y ]
  store i32 1, ptr %b
  store i32 2, ptr getelementptr ([2 x i32], ptr @there, i32 0, i32 1)
  ret void
y:
  call void @maybe(i32 3)
  %c = getelementptr [0 x i8], ptr @long, i64 0, i64 9
  br label %x
}
";

#[test]
fn what_has_to_stay_is_external_to_passes_and_what_need_not_be_there_is_loaded() {
    let module = parse(TEXT).unwrap();
    let env = &module.env;
    let global = |name: &str| {
        let name = env.names.find(name).unwrap();
        env.globals.as_slice().iter().find(|row| row.name == name && row.func.is_none()).unwrap()
    };
    let func = |name: &str| {
        let name = env.names.find(name).unwrap();
        env.funcs.as_slice().iter().find(|row| row.name == name).unwrap()
    };
    assert_eq!((global("kept").linkage, global("kept").kept), (Linkage::External, true));
    assert_eq!((global("gone").linkage, global("gone").kept), (Linkage::Internal, false));
    assert_eq!((global("there").linkage, global("there").optional), (Linkage::Declared, true));
    assert_eq!((func("still").linkage, func("still").kept), (Linkage::External, true));
    assert_eq!(env.names.text(func("still").section.get().unwrap()), ".text.hot");
    assert_eq!((func("maybe").linkage, func("maybe").optional), (Linkage::Declared, true));
    assert!(!func("main").kept && env.shapes.bytes(global("long").shape) > 1 << 30);
    let sections: Vec<&str> =
        env.globals.as_slice().iter().filter_map(|row| Some(env.names.text(row.section.get()?))).collect();
    assert_eq!(sections, [".init_array", ".init_array.00007"]);
    // Each address is loaded once, and never what it is of.
    let main = module.nth(1);
    let loads = main.ops().filter(|row| row.1 == Op::LoadVolatile).count();
    assert_eq!(loads, 2);
    let out = trip(TEXT);
    for line in [
        "@there = extern_weak global i32",
        "declare extern_weak void @maybe(i32)",
        "define internal void @still() section \".text.hot\" {",
        "@kept = internal global i32 7",
        ", section \".init_array.00007\"",
        "load volatile ptr, ptr @\".address:",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let list = out
        .lines()
        .find(|line| line.starts_with("@llvm.compiler.used = appending global [4 x ptr]"))
        .unwrap();
    assert!(
        list.contains("ptr @kept, ") && list.ends_with("ptr @still], section \"llvm.metadata\""),
        "{list}"
    );
}

#[test]
fn what_is_wrong_or_unknown_there_is_an_error() {
    let cases = [
        ("@llvm.other = appending global [1 x ptr] [ptr null]", "`appending` is not supported"),
        ("@llvm.used = appending global [1 x ptr] [ptr @x]", "not defined"),
        (
            "@x = global [2 x i32] zeroinitializer\n@llvm.used = appending global [1 x ptr] [ptr getelementptr (i8, ptr @x, i64 4)]",
            "a function or a global",
        ),
        (
            "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @x, ptr null }]\n@x = global i32 0",
            "no function",
        ),
        (
            "@x = global i32 0\n@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr @x }]\ndeclare void @f()",
            "goes with data is not supported",
        ),
        (
            "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65536, ptr @f, ptr null }]\ndeclare void @f()",
            "at most 65535",
        ),
        ("define void @f() section \"a b\" {\n ret void\n}", "a section that is called"),
        ("define void @f() section \".data.f\" {\n ret void\n}", "a section of this name has data"),
        ("define void @f() section \".tbss\" {\n ret void\n}", "this name has thread-local data"),
        ("@x = global i32 0, section \".tdata\"", "this name has thread-local data"),
        ("@x = global i32 0, section \".text\"", "this name has functions"),
        ("@x = global i32 0, section \"s\"\ndefine void @f() section \"s\" {\n ret void\n}", "and not both"),
        ("define void @f() section \"s\" {\n ret void\n}\n@x = global i32 0, section \"s\"", "and not both"),
        ("@x = dso_local weak global i32 0", "expected `global` or `constant`, found `weak`"),
        ("@x = hidden common global i32 0", "expected `global` or `constant`, found `common`"),
        ("define dso_local internal void @f() {\n ret void\n}", "the type `internal` is not supported"),
        ("define common void @f() {\n ret void\n}", "`common` is not supported"),
        ("@x = common global i32 1", "`common` of other data than zeros"),
        ("@x = common constant i32 0", "`common` of other data than zeros"),
        ("@x = common thread_local global i32 0", "`common` of other data than zeros"),
        ("@x = common global i32 0, section \"s\"", "`common` of other data than zeros"),
        ("@x = common global ptr @x", "`common` of other data than zeros"),
        ("@x = common global [2 x i64] [i64 0, i64 1]", "`common` of other data than zeros"),
    ];
    for (text, message) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
    }
    let text = "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]\n\
                define void @f() {\n ret void\n}\ndefine i32 @main() {\n ret i32 0\n}";
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let trap =
        run(&parse(text).unwrap(), "main", &mut &b""[..], &mut output, &mut errors, Options::default())
            .unwrap_err();
    assert!(trap.to_string().contains("before main or behind it are not supported"), "{trap:?}");
}

const THREAD: &str = "\
@x = thread_local global i32 10
@y = internal thread_local(initialexec) global [4 x i8] zeroinitializer
@z = external thread_local(localdynamic) global i64
define ptr @f(i1 %c) {
  %p = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @x)
  %q = call ptr @llvm.threadlocal.address.p0(ptr @y)
  store i32 1, ptr %p
  store i8 2, ptr getelementptr ([4 x i8], ptr @y, i32 0, i32 3)
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %r = phi ptr [ %q, %0 ], [ @z, %a ]
  ret ptr %r
}
";

#[test]
fn the_address_of_thread_local_data_is_asked_for_once() {
    let module = parse(THREAD).unwrap();
    let globals: Vec<_> =
        module.env.globals.as_slice().iter().map(|row| (row.thread, row.kept, row.linkage)).collect();
    use Linkage::{Declared, External};
    assert_eq!(globals, [(true, false, External), (true, true, External), (true, false, Declared)]);
    let f = module.nth(0);
    let calls: Vec<_> = f.ops().filter(|row| row.1 == Op::Call).collect();
    assert_eq!(calls.len(), 3);
    // Nothing else names the data.
    let named = f.ops().filter(|row| f.args(row.0).iter().any(|v| v.as_global().is_some())).count();
    assert_eq!(named, 3);
    let out = trip(THREAD);
    assert!(out.contains("@y = internal thread_local(initialexec) global [4 x i8]"), "{out}");
    assert!(out.contains("@z = external thread_local(localdynamic) global i64"), "{out}");
    assert_eq!(out.matches("= call ptr @llvm.threadlocal.address.p0(ptr @").count(), 3, "{out}");
    let cases = [
        ("@x = thread_local global i32 0, section \"a\"", "a section of thread-local data is not supported"),
        ("@x = extern_weak thread_local global i32", "need not be there are not supported"),
        ("@x = thread_local global i32 0\n@y = global ptr @x", "in data is not supported"),
        (
            "@x = thread_local global i32 0\n@y = global { i32, ptr } { i32 1, ptr @x }",
            "in data is not supported",
        ),
    ];
    for (text, message) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
    }
    let text = "@x = thread_local global i32 3\ndefine i32 @main() {\n %v = load i32, ptr @x\n ret i32 %v\n}";
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    for check in [false, true] {
        let options = Options { check, ..Options::default() };
        let done = run(&parse(text).unwrap(), "main", &mut &b""[..], &mut output, &mut errors, options);
        assert_eq!(done.unwrap(), 3);
    }
}

#[test]
fn common_data_are_weak_zeros() {
    let module =
        parse("@x = common global [3 x i64] zeroinitializer, align 32\n@y = common dso_local global i8 0")
            .unwrap();
    let rows: Vec<_> = module.env.globals.as_slice().iter().map(|row| (row.common, row.linkage)).collect();
    assert_eq!(rows, [(true, Linkage::Weak); 2]);
    let out = trip(
        "@x = common global i32 0\ndefine i32 @main() {\n  store i32 7, ptr @x\n  %a = load i32, ptr @x\n  ret i32 %a\n}\n",
    );
    assert!(out.contains("@x = common global i32 0"), "{out}");
}

/// What is said of where a program is loaded, and of who sees its names, is read, and printed again.
#[test]
fn what_a_program_is_linked_into_is_kept() {
    let text = |flags: &str| {
        format!(
            "@x = dso_local global i32 0\n@y = external hidden global i32\n@t = dso_local thread_local(localexec) global i32 1\n\
             define protected void @f() {{\n ret void\n}}\ndeclare dso_local void @g()\n{flags}"
        )
    };
    let level = |name: &str, level: u32| format!("!{{i32 8, !\"{name}\", i32 {level}}}");
    for (flags, position) in [
        (String::new(), (RelocationModel::Static, false)),
        (
            format!("!llvm.module.flags = !{{!7}}\n!7 = {}", level("PIC Level", 2)),
            (RelocationModel::Pic, false),
        ),
        (
            format!(
                "!0 = {}\n!llvm.module.flags = !{{!1, !0}}\n!1 = {}",
                level("PIE Level", 1),
                level("PIC Level", 1)
            ),
            (RelocationModel::Pie, true),
        ),
        (
            format!("!0 = {}\n!llvm.module.flags = !{{!0}}", level("uwtable", 2)),
            (RelocationModel::Static, false),
        ),
    ] {
        let module = parse(&text(&flags)).unwrap();
        let env = &module.env;
        assert_eq!((env.position.model, env.position.small), position, "{flags}");
        let global = |name: &str| {
            let name = env.names.find(name).unwrap();
            env.globals.iter().find(|(_, row)| row.name == name).unwrap()
        };
        assert_eq!(global("y").1.scope.visibility, Visibility::Hidden);
        assert!(env.is_local(global("x").0) && env.is_local(global("y").0));
        assert_eq!(env.thread_model(global("t").0), ThreadModel::LocalExec);
        let out = print::module(&module);
        assert!(
            out.contains("@y = external hidden global") && out.contains("define protected void @f"),
            "{out}"
        );
        assert!(out.contains("@t = dso_local thread_local(localexec) global"), "{out}");
        let shows = position.0 != RelocationModel::Static;
        assert_eq!(out.contains("declare dso_local void @g"), shows, "{out}");
        assert_eq!(print::module(&parse(&out).unwrap()), out);
        assert_eq!(parse(&out).unwrap().env.position, env.position);
    }
}
