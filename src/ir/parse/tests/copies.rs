//! Values that are others of before, aggregates of their types, and intrinsics with what they take: what LLVM refuses is refused.

use super::{parse, trip};
use crate::ir::parse::parse_named;
use crate::ir::print;

/// A text that LLVM 19 does not take, the line that is wrong, and a part of what is said.
type Damaged = (&'static str, u32, &'static str);

#[rustfmt::skip]
const DAMAGED: [Damaged; 23] = [
    // Freeze above its operand.
    ("define i32 @f(i32 %x) {\n  %a = add i32 %b, 1\n  %b = freeze i32 %x\n  ret i32 %a\n}",
        2, "`%b`"),
    // Frozen number.
    ("define i32 @f() {\n  %a = add i32 %b, 1\n  %b = freeze i32 7\n  ret i32 %a\n}",
        2, "`%b`"),
    // The low part of a wide integer.
    ("define i64 @f(i128 %x) {\n  %a = add i64 %b, 1\n  %b = trunc i128 %x to i64\n  ret i64 %a\n}",
        2, "`%b`"),
    // Freeze in a branch.
    ("define i32 @f(i32 %x, i1 %c) {\n  br i1 %c, label %yes, label %no\nyes:\n  %a = freeze i32 %x\n  br label %no\nno:\n  ret i32 %a\n}",
        7, "`%a`"),
    // Part above.
    ("define i1 @f(i32 %x, i1 %y) {\n  %s = insertvalue { i32, i1 } undef, i1 %y, 1\n  %c = xor i1 %t, true\n  %t = extractvalue { i32, i1 } %s, 1\n  ret i1 %c\n}",
        3, "`%t`"),
    // Aggregate above.
    ("define i1 @f(i32 %x, i1 %y) {\n  %t = extractvalue { i32, i1 } %s, 1\n  %s = insertvalue { i32, i1 } undef, i1 %y, 1\n  ret i1 %t\n}",
        2, "`%s`"),
    // Type of a part.
    ("declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)\ndefine i32 @f(i32 %x) {\n  %s = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 1)\n  %t = extractvalue { i16, i1 } %s, 0\n  ret i32 0\n}",
        4, "`%s`"),
    // Type of a call.
    ("declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)\ndefine i32 @f(i32 %x) {\n  %s = call { i32, i64 } @llvm.sadd.with.overflow.i32(i32 %x, i32 1)\n  ret i32 0\n}",
        3, "llvm.sadd.with.overflow.i32"),
    // Array for a struct.
    ("define i32 @f(i32 %x) {\n  %s = insertvalue { i32, i32 } undef, i32 %x, 0\n  %t = extractvalue [2 x i32] %s, 0\n  ret i32 %t\n}",
        3, "`%s`"),
    // Struct of a name.
    ("%T = type { i32, i32 }\ndefine i32 @f(i32 %x) {\n  %s = insertvalue %T undef, i32 %x, 0\n  %t = extractvalue { i32, i32 } %s, 0\n  ret i32 %t\n}",
        4, "`%s`"),
    // Insertion of another.
    ("define void @f({ i32, i32 } %s) {\n  %t = insertvalue [2 x i32] %s, i32 1, 0\n  ret void\n}",
        2, "`%s`"),
    // Inserted struct.
    ("define void @f({ i32 } %s) {\n  %t = insertvalue { i32, i64 } undef, { i32 } %s, 0\n  ret void\n}",
        2, "the type of the part"),
    // Inserted scalar.
    ("define void @f(i32 %x) {\n  %t = insertvalue { { i32 }, i64 } undef, i32 %x, 0\n  ret void\n}",
        2, "the type of the part"),
    // Later of another.
    ("define i32 @f(i1 %c) {\n  br label %b\na:\n  %t = extractvalue [2 x i32] %s, 0\n  ret i32 %t\nb:\n  %s = insertvalue { i32, i32 } undef, i32 1, 0\n  br label %a\n}",
        4, "`%s`"),
    // Select of two.
    ("define void @f(i1 %c, { i32, i32 } %s, [2 x i32] %t) {\n  %x = select i1 %c, { i32, i32 } %s, [2 x i32] %t\n  ret void\n}",
        2, "select"),
    // Phi of another.
    ("define i32 @f(i1 %c) {\n  br label %b\nb:\n  %s = phi { i32, i32 } [ zeroinitializer, %0 ]\n  %t = extractvalue { i32, i1 } %s, 0\n  ret i32 %t\n}",
        5, "`%s`"),
    // Undefined flag of ctlz.
    ("declare i64 @llvm.ctlz.i64(i64, i1)\ndefine i64 @f(i64 %x) {\n  %a = call i64 @llvm.ctlz.i64(i64 %x, i1 undef)\n  ret i64 %a\n}",
        3, "llvm.ctlz.i64"),
    // Flag of cttz.
    ("declare i64 @llvm.cttz.i64(i64, i1)\ndefine i64 @f(i64 %x, i1 %y) {\n  %a = call i64 @llvm.cttz.i64(i64 %x, i1 %y)\n  ret i64 %a\n}",
        3, "llvm.cttz.i64"),
    // Flag of abs.
    ("declare i64 @llvm.abs.i64(i64, i1)\ndefine i64 @f(i64 %x) {\n  %a = call i64 @llvm.abs.i64(i64 %x, i1 undef)\n  ret i64 %a\n}",
        3, "llvm.abs.i64"),
    // Flag of memmove.
    ("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\ndefine void @f(ptr %x, i1 %y) {\n  call void @llvm.memmove.p0.p0.i64(ptr %x, ptr %x, i64 8, i1 undef)\n  ret void\n}",
        3, "llvm.memmove"),
    // Void sum.
    ("declare i8 @llvm.ssub.sat.i8(i8, i8)\ndefine void @f(i8 %x) {\n  %a = call void @llvm.ssub.sat.i8(i8 %x, i8 %x)\n  ret void\n}",
        3, "llvm.ssub.sat.i8"),
    // Other sum.
    ("declare i8 @llvm.ssub.sat.i8(i8, i8)\ndefine void @f(i8 %x) {\n  %a = call i16 @llvm.ssub.sat.i8(i8 %x, i8 %x)\n  ret void\n}",
        3, "llvm.ssub.sat.i8"),
    // Too many.
    ("declare double @llvm.sqrt.f64(double)\ndefine double @f(double %x) {\n  %a = call double @llvm.sqrt.f64(double %x, double %x)\n  ret double %a\n}",
        3, "llvm.sqrt.f64"),
];

#[test]
fn what_llvm_refuses_of_copies_and_aggregates_is_refused() {
    for (text, line, why) in DAMAGED {
        let error = parse(text).expect_err(text);
        assert!(error.line == line && error.column > 1 && error.message.contains(why), "{error}\n{text}");
    }
}

#[test]
fn copies_leave_nothing_behind() {
    let text = "define i32 @f(i32 %x, i1 %c) {
           br label %b
         a:
           %y = add i32 %z, 1
           %s = insertvalue { i32, i32 } undef, i32 %y, 1
           %t = extractvalue { i32, i32 } %s, 1
           %u = freeze i32 %t
           ret i32 %u
         b:
           %z = freeze i32 %x
           br label %a
         no:
           %w = freeze i32 %w
           br label %no
         }";
    let out = trip(text);
    assert!(out.contains("%v0 = add i32 %p0, 1\n  ret i32 %v0\n"), "{out}");
    let named = print::module(&parse_named(text).unwrap());
    assert!(!named.contains("freeze") && named.matches("select").count() <= 1, "{named}");
    // Where nothing leads, copies may be of each other.
    let text = "define i32 @f(i32 %x) {
           ret i32 %x
         no:
           %a = freeze i32 %c
           %b = freeze i32 %a
           %c = freeze i32 %b
           %y = add i32 %c, %b
           br label %no
         }";
    assert_eq!(trip(text).matches("select").count(), 1);
    // Of undef it is a number, by whatever way that came.
    let text = "define i32 @f() {
           %s = insertvalue { i32, i32 } undef, i32 1, 1
           %t = extractvalue { i32, i32 } %s, 0
           %u = freeze i32 %t
           ret i32 %u
         }";
    assert!(trip(text).contains("ret i32 0"));
}

#[test]
fn types_of_aggregates_are_compared_as_llvm_does() {
    trip(
        "%T = type { i32, i32 }\ndefine i32 @f(%T %s, i32 %x) {\n  %t = insertvalue %T %s, i32 %x, 0\n  %u = extractvalue %T %t, 0\n  %v = extractvalue %T %t, 1\n  %w = add i32 %u, %v\n  ret i32 %w\n}",
    );
    trip(
        "define i32 @f({ { i32, [2 x i16] }, i64 } %s) {\n  %t = extractvalue { { i32, [2 x i16] }, i64 } %s, 0\n  %u = insertvalue { i64, { i32, [2 x i16] } } undef, { i32, [2 x i16] } %t, 1\n  %v = extractvalue { i64, { i32, [2 x i16] } } %u, 1, 0\n  ret i32 %v\n}",
    );
}
