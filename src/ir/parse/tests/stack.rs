//! Memory of the stack whose size is known when the program runs.

use super::memory::checked as result;
use super::{parse, trip};
use crate::ir::interp::{Options, run};

#[test]
fn what_is_not_one_variable_a_call_is_taken_each_time() {
    let out = trip(
        "define void @f(i32 %n, i64 %m) {
         entry:
           %one = alloca [4 x i32], align 16
           %counted = alloca i8, i32 3, align 2
           %some = alloca double, i32 %n, align 8
           %bytes = alloca i8, i64 %m
           %wide = alloca i32, align 64
           br label %more
         more:
           %own = alloca [5 x i32]
           %each = alloca [6 x i16], i64 2, align 2
           ret void
         }",
    );
    let has = |line: &str| assert!(out.contains(line), "no {line} in {out}");
    has("= alloca [4 x i32]\n");
    has("= alloca [3 x i8]\n");
    // Bytes, as many as the elements take, at the stack's alignment or more.
    has("= zext i32 %p0 to i64\n");
    has(", 8\n");
    has("= alloca i8, i64 %p1, align 16\n");
    has("= alloca i8, i64 4, align 64\n");
    has("= alloca [5 x i32]\n");
    has("= alloca i8, i64 24, align 16\n");
    assert_eq!(out.matches("alloca").count(), 7, "{out}");
}

#[test]
fn what_has_been_taken_is_given_back() {
    let text = |restore: &str| {
        format!(
            "declare ptr @llvm.stacksave.p0()
             declare void @llvm.stackrestore.p0(ptr)
             define i32 @main() {{
             entry:
               %keep = alloca i32
               store i32 0, ptr %keep
               br label %loop
             loop:
               %k = phi i32 [ 0, %entry ], [ %next, %loop ]
               %s = call ptr @llvm.stacksave.p0()
               %a = alloca i32, i32 %k, align 4
               %b = alloca [1000 x i32], align 128
               %n = ptrtoint ptr %b to i64
               %rest = and i64 %n, 127
               %off = trunc i64 %rest to i32
               %last = getelementptr i32, ptr %b, i64 999
               store i32 %k, ptr %last
               %x = load i32, ptr %keep
               %y = load i32, ptr %last
               %z = add i32 %x, %y
               %w = add i32 %z, %off
               store i32 %w, ptr %keep
               {restore}
               %next = add i32 %k, 1
               %more = icmp slt i32 %next, 10000
               br i1 %more, label %loop, label %done
             done:
               %r = load i32, ptr %keep
               ret i32 %r
             }}"
        )
    };
    let whole = text("call void @llvm.stackrestore.p0(ptr %s)");
    assert_eq!(result(&whole), 49_995_000);
    let out = trip(&whole);
    assert!(out.contains("declare ptr @llvm.stacksave.p0()\n") && !out.contains("@.stack"), "{out}");
    let fails = |text: &str, check: bool, why: &str| {
        let module = parse(text).expect(text);
        let options = Options { check, ..Options::default() };
        let done = run(&module, "main", &mut &b""[..], &mut Vec::new(), &mut Vec::new(), options);
        assert!(done.as_ref().is_err_and(|trap| trap.message.contains(why)), "{done:?}");
    };
    let grows = text("").replace("10000", "1000000");
    fails(&grows, false, "stack overflow");
    fails(&grows, true, "stack overflow");
    for check in [false, true] {
        fails(&text("call void @llvm.stackrestore.p0(ptr null)"), check, "given back");
    }
    let one = |does: &str| {
        format!(
            "define i32 @takes(i32 %n) {{
               %a = alloca i32, i32 %n, align 4
               {does}
             }}
             define i32 @main() {{
               %x = call i32 @takes(i32 3)
               ret i32 %x
             }}"
        )
    };
    fails(&one("%x = load i32, ptr %a\nret i32 %x"), true, "never initialised");
    let behind = "%b = getelementptr i32, ptr %a, i64 3\nstore i32 1, ptr %b\nret i32 0";
    fails(&one(behind), true, "out of bounds: element 12 of a local array (12 elements)");
    assert_eq!(result(&one("store i32 7, ptr %a\n%x = load i32, ptr %a\nret i32 %x")), 7);
}

#[test]
fn names_of_ours_and_what_is_no_number_of_elements_are_errors() {
    let fails = |text: &str, why: &str| {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(why), "{error}");
    };
    let taken = "define void @\".alloca.16\"() { ret void }
         define void @f(i64 %n) { %a = alloca i8, i64 %n\n ret void }";
    fails(taken, "cannot be a name here");
    fails("define void @f(float %n) { %a = alloca i8, float %n\n ret void }", "must be an integer");
    fails("define void @f(ptr %n) { %a = alloca i8, ptr %n\n ret void }", "must be an integer");
    fails("define void @f() { %a = alloca [70000 x i32], i64 70000\n ret void }", "number of elements");
    fails(
        "declare i32 @llvm.stacksave.p0() define void @f() { %a = call i32 @llvm.stacksave.p0()\n ret void }",
        "not supported",
    );
}
