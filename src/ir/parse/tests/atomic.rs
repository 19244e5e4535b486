//! Accesses that other threads see as one.

use super::memory::checked as result;
use super::{parse, trip};
use crate::ir::interp::{Options, run};
use crate::ir::parse::parse_named;

#[test]
fn accesses_and_fences_are_read_and_printed() {
    let lines = [
        "%v0 = load atomic i32, ptr %p0 acquire, align 4",
        "%v1 = load atomic i8, ptr %p0 seq_cst, align 1",
        "store atomic i16 %p3, ptr %p0 release, align 2",
        "store atomic ptr %p0, ptr %p0 monotonic, align 8",
        "%v2 = atomicrmw add ptr %p0, i32 %p1 seq_cst",
        "%v3 = atomicrmw xchg ptr %p0, i64 %p2 acq_rel",
        "%v4 = atomicrmw xchg ptr %p0, ptr %p0 monotonic",
        "%v5.pair = cmpxchg ptr %p0, i32 %v2, i32 %p1 acq_rel acquire",
        "%v5 = extractvalue { i32, i1 } %v5.pair, 0",
        "%v6 = icmp eq i32 %v5, %v2",
        "%v7.pair = cmpxchg ptr %p0, i8 %v1, i8 %v1 monotonic monotonic",
        "%v7 = extractvalue { i8, i1 } %v7.pair, 0",
        "fence acquire",
        "fence seq_cst",
    ];
    let text = "define i1 @f(ptr %p, i32 %x, i64 %y, i16 %z) {
           %a = load atomic volatile i32, ptr %p syncscope(\"agent\") acquire, align 4
           %b = load atomic i8, ptr %p seq_cst, align 1
           store atomic volatile i16 %z, ptr %p release, align 2
           store atomic ptr %p, ptr %p unordered, align 8
           %c = atomicrmw volatile add ptr %p, i32 %x seq_cst, align 4
           %d = atomicrmw xchg ptr %p, i64 %y acq_rel, align 8
           %e = atomicrmw xchg ptr %p, ptr %p monotonic
           %f = cmpxchg weak volatile ptr %p, i32 %c, i32 %x release acquire, align 4
           %g = extractvalue { i32, i1 } %f, 1
           %h = cmpxchg ptr %p, i8 %b, i8 %b monotonic monotonic
           fence acquire
           fence syncscope(\"agent\") seq_cst
           ret i1 %g
         }";
    let out = trip(text);
    for line in lines {
        assert!(out.contains(line), "no {line} in {out}");
    }
    assert!(!out.contains("declare") && !out.contains("call"), "{out}");
}

#[test]
fn exchanges_of_any_name_are_printed_as_they_are_read() {
    let text = "define i1 @f(ptr %p, i32 %x) {
           %\"a b\" = cmpxchg ptr %p, i32 %x, i32 1 seq_cst seq_cst
           %c.4 = extractvalue { i32, i1 } %\"a b\", 0
           %\"d\\22\" = cmpxchg ptr %p, i32 %c.4, i32 2 seq_cst seq_cst
           %e = extractvalue { i32, i1 } %\"d\\22\", 1
           %7 = cmpxchg ptr %p, i32 3, i32 4 seq_cst seq_cst
           %8 = cmpxchg weak ptr %p, i32 3, i32 4 seq_cst seq_cst
           %9 = extractvalue { i32, i1 } %8, 0
           ret i1 %e
         }";
    let once = crate::ir::print::module(&parse_named(text).unwrap());
    for part in ["%\"a b.", ".pair\" = cmpxchg", "extractvalue { i32, i1 } %\"d\\22.", ".pair\", 0"] {
        assert!(once.contains(part), "no {part} in {once}");
    }
    let twice = crate::ir::print::module(&parse_named(&once).expect(&once));
    assert_eq!(once, twice);
    let without = trip(&once);
    assert_eq!(without, trip(text));
}

#[test]
fn updates_that_machines_have_not_are_loops_and_all_do_what_they_say() {
    // Of each: what was there, then what is.
    let cases = [
        ("i32", "add", -5, 7, 2),
        ("i8", "add", 100, 100, -56),
        ("i16", "sub", -30000, 10000, 25536),
        ("i64", "xchg", 5, -1, -1),
        ("i8", "xchg", 5, -1, -1),
        ("i32", "and", 12, 10, 8),
        ("i16", "or", 12, 10, 14),
        ("i64", "xor", 12, 10, 6),
        ("i32", "nand", 12, 10, -9),
        ("i8", "max", -3, 2, 2),
        ("i32", "max", 7, 2, 7),
        ("i16", "min", -3, 2, -3),
        ("i8", "umax", -3, 2, -3),
        ("i64", "umin", -3, 2, 2),
    ];
    for (ty, op, was, value, is) in cases {
        let text = format!(
            "@g = global {ty} {was}
             define i32 @main() {{
             entry:
               br label %more
             more:
               %x = phi {ty} [ {value}, %entry ], [ %old, %more ]
               %old = atomicrmw {op} ptr @g, {ty} {value} seq_cst
               %same = icmp ne {ty} %old, {was}
               %now = load atomic {ty}, ptr @g acquire, align {}
               %differs = icmp ne {ty} %now, {is}
               %bad = or i1 %same, %differs
               br i1 %bad, label %no, label %yes
             no:
               %z = phi {ty} [ %now, %more ]
               ret i32 1
             yes:
               ret i32 0
             }}",
            ty[1..].parse::<u32>().unwrap() / 8
        );
        let text = text.replace("[ %old, %more ]", "").replace("%entry ], ", "%entry ]");
        assert_eq!(result(&text), 0, "{text}");
        let out = trip(&text);
        let is_loop = matches!(ty, "i8" | "i16") || matches!(op, "nand" | "umin") || op == "max";
        assert_eq!(out.contains("cmpxchg"), is_loop, "{out}");
    }
}

#[test]
fn exchanges_store_only_over_what_was_expected() {
    let text = "@g = global i32 5
         @f = global float 0.5
         define i32 @main() {
           %a = cmpxchg ptr @g, i32 4, i32 9 seq_cst monotonic
           %b = extractvalue { i32, i1 } %a, 0
           %c = extractvalue { i32, i1 } %a, 1
           %d = cmpxchg weak ptr @g, i32 %b, i32 30 acq_rel monotonic
           %e = extractvalue { i32, i1 } %d, 1
           %n = load i32, ptr @g
           %yes = zext i1 %e to i32
           %no = zext i1 %c to i32
           %x = add i32 %n, %yes
           %y = sub i32 %x, %no
           %h = atomicrmw xchg ptr @f, float 2.0 monotonic
           store atomic float %h, ptr @f seq_cst, align 4
           %k = load atomic float, ptr @f seq_cst, align 4
           %half = fcmp oeq float %k, 0.5
           %one = zext i1 %half to i32
           %r = add i32 %y, %one
           ret i32 %r
         }";
    assert_eq!(result(text), 32);
}

#[test]
fn what_is_not_supported_is_said_by_name() {
    let fails = |line: &str, why: &str| {
        let text = format!("define void @f(ptr %p, i32 %x, float %y) {{\n{line}\nret void\n}}");
        let error = parse(&text).expect_err(line);
        assert!(error.message.contains(why) && error.line == 2, "{error}");
    };
    fails("%a = atomicrmw fadd ptr %p, float %y seq_cst", "`atomicrmw fadd` is not supported");
    fails("%a = atomicrmw uinc_wrap ptr %p, i32 %x seq_cst", "`atomicrmw uinc_wrap` is not supported");
    fails("%a = atomicrmw add ptr %p, ptr %p seq_cst", "`atomicrmw add` of ptr is not supported");
    fails("%a = load atomic i128, ptr %p seq_cst, align 16", "i128");
    fails("%a = load atomic i1, ptr %p seq_cst, align 1", "an atomic access of i1 is not supported");
    fails("%a = load atomic i32, ptr %p seq_cst, align 2", "aligned less");
    fails("%a = load atomic i32, ptr %p, align 4", "an ordering");
    fails("%a = load atomic i32, ptr %p release, align 4", "ordered so");
    fails("store atomic i32 %x, ptr %p acquire, align 4", "ordered so");
    fails("fence monotonic", "ordered so");
    fails("%a = cmpxchg ptr %p, float %y, float %y seq_cst seq_cst", "not supported");
}

#[test]
fn atomic_accesses_are_checked() {
    let fails = |does: &str, why: &str| {
        let text = format!(
            "@g = global [2 x i32] [i32 1, i32 2]
             define i32 @main() {{
               %a = alloca [2 x i64]
               %b = getelementptr i8, ptr %a, i64 4
               %c = getelementptr i8, ptr @g, i64 8
               {does}
               ret i32 0
             }}"
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { check: true, ..Options::default() };
        let done = run(&module, "main", &mut &b""[..], &mut Vec::new(), &mut Vec::new(), options);
        assert!(done.as_ref().is_err_and(|trap| trap.message.contains(why)), "{does}: {done:?}");
    };
    fails("%x = load atomic i64, ptr %a seq_cst, align 8", "never initialised");
    fails("%x = atomicrmw add ptr %a, i32 1 seq_cst", "never initialised");
    fails("%x = cmpxchg ptr %a, i32 1, i32 2 seq_cst seq_cst", "never initialised");
    fails("store atomic i64 1, ptr %b seq_cst, align 8", "aligned to less");
    fails("store atomic i32 1, ptr %c seq_cst, align 4", "out of bounds");
    fails("%x = atomicrmw xchg ptr %c, i32 1 seq_cst", "out of bounds");
    fails("%x = atomicrmw add ptr @g, i32 undef seq_cst", "never initialised");
}
