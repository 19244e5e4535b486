//! Values of several parts: in bodies, as arguments and results, and what conventions are told of them.

use super::memory::result;
use super::{parse, trip};
use crate::ir::parse::{ANY, Platform, parse_for};
use crate::ir::{Group, Type, print};

/// A machine with registers of 32 bits.
const NARROW: Platform = Platform { pointer_bytes: 4, ..ANY };

#[test]
fn aggregates_are_their_parts() {
    let text = "%p = type { i32, [2 x i64], { i8, float } }
         define %p @make(i32 %a, i64 %b) {
           %x = insertvalue %p zeroinitializer, i32 %a, 0
           %y = insertvalue %p %x, i64 %b, 1, 1
           %z = insertvalue %p %y, { i8, float } { i8 7, float 2.0 }, 2
           ret %p %z
         }
         define i32 @main() {
           %s = alloca %p
           %a = call %p @make(i32 20, i64 3)
           store %p %a, ptr %s
           %b = load %p, ptr %s
           %i = extractvalue %p %b, 1
           %c = icmp eq i32 1, 1
           %n = select i1 %c, [2 x i64] %i, [2 x i64] [i64 1, i64 2]
           %m = freeze [2 x i64] %n
           br i1 %c, label %yes, label %no
         yes:
           br label %end
         no:
           br label %end
         end:
           %q = phi [2 x i64] [ %m, %yes ], [ %later, %more ], [ undef, %no ]
           %l = extractvalue [2 x i64] %q, 1
           %k = trunc i64 %l to i32
           %e = extractvalue %p %b, 0
           %f = extractvalue %p %b, 2, 0
           %g = zext i8 %f to i32
           %r = add i32 %k, %e
           %t = add i32 %r, %g
           %d = icmp eq i32 %t, 0
           br i1 %d, label %more, label %out
         more:
           %later = insertvalue [2 x i64] %q, i64 0, 0
           br label %end
         out:
           ret i32 %t
         }";
    let out = trip(text);
    assert!(
        out.contains("define void @make(ptr \"results\"=\"i32 0 i64 8 i64 16 i8 24 float 28\" %p0"),
        "{out}"
    );
    assert_eq!(result(text), 30);
}

#[test]
fn a_result_of_one_part_is_a_result() {
    let out = trip(
        "define { double } @f(double %a) {\n %x = insertvalue { double } poison, double %a, 0\n ret { double } %x\n}",
    );
    assert!(out.contains("define double @f(double %p0)"), "{out}");
    assert!(
        trip("define [1 x i64] @f([1 x i64] %a) {\n ret [1 x i64] %a\n}").contains("define i64 @f(i64 %p0)")
    );
}

#[test]
fn conventions_are_told_what_stands_together() {
    let text = "declare void @f(i32, [2 x i64], { i64, i64 }, i128, [4 x float] alignstack(16), [1 x i64])";
    let module = parse(text).unwrap();
    let row = module.env.funcs.as_slice().first().unwrap();
    let groups = &row.parts.as_ref().unwrap().groups;
    let group = |first, count, align| Group { first, count, align, is_vector: false };
    assert_eq!(*groups, [group(1, 2, 8), group(5, 2, 16), group(7, 4, 16)]);
    assert_eq!(row.params.len(), 12);
    trip(text);
    // On a machine of 32 bits structs of floats stand together, too, and structs by value are words.
    let text = "%h = type { double, double }\n%b = type { [17 x i32], i8 }\n\
         declare void @f(%h, [2 x i64], ptr byval(%b) align 4)\ndefine void @g(ptr byval(%b) align 8 %p) {\n ret void\n}";
    let module = parse_for(text, &NARROW).unwrap();
    let row = module.env.funcs.as_slice().first().unwrap();
    assert_eq!(row.parts.as_ref().unwrap().groups, [group(0, 2, 8), group(2, 2, 8), group(4, 18, 4)]);
    // What is said of alignment counts, also where it is less than the type's: so clang prints packed structs.
    let said = "%d = type { double }
         declare void @f(i32, ptr byval(%d) align 4)
         declare void @g(i32, ptr byval(%d))";
    let aligned = parse_for(said, &NARROW).unwrap();
    let groups: Vec<Group> =
        aligned.env.funcs.iter().flat_map(|(_, row)| row.parts.as_ref().unwrap().groups.clone()).collect();
    assert_eq!(groups, [group(1, 2, 4), group(1, 2, 8)]);
    assert_eq!(row.params[3..6], [Type::I64, Type::I32, Type::I32]);
    let once = print::module(&module);
    assert_eq!(print::module(&parse_for(&once, &NARROW).unwrap()), once);
    // Two words are i64's.
    let out = print::module(&parse_for("declare { i64, float } @f()", &NARROW).unwrap());
    assert!(out.contains("\"results\"=\"i32 0 i32 4 float 8\""), "{out}");
}

#[test]
fn arguments_of_calls_by_address_and_variadic_ones_say_how_they_stand() {
    let out = trip(
        "declare i32 @v(ptr, ...)
         define i64 @f(ptr %p, [2 x i64] %a) {
           %x = call { i64, i64 } %p([2 x i64] %a, i128 5)
           %y = call i32 (ptr, ...) @v(ptr %p, i32 1, [2 x i64] %a)
           %z = extractvalue { i64, i64 } %x, 1
           ret i64 %z
         }",
    );
    let call = "call void %p0(ptr \"results\"=\"i64 0 i64 8\" %v0, i64 \"parts\"=\"2 8\" %p1, i64 %p2, i64 \"parts\"=\"2 16\" 5, i64 0)";
    assert!(out.contains(call), "{out}");
    assert!(
        out.contains("call i32 (ptr, ...) @v(ptr %p0, i32 1, i64 \"parts\"=\"2 8\" %p1, i64 %p2)"),
        "{out}"
    );
}

#[test]
fn variadic_arguments_are_where_a_parameter_leads() {
    let text = "define i32 @f(i32 %n, ...) {
           %ap = alloca ptr
           call void @llvm.va_start.p0(ptr %ap)
           %p = load ptr, ptr %ap
           %x = load i32, ptr %p
           call void @llvm.va_end.p0(ptr %ap)
           ret i32 %x
         }
         define i32 @g() {
           %x = call i32 (i32, ...) @f(i32 1, i32 2)
           ret i32 %x
         }";
    let out = trip(text);
    assert!(out.contains("define i32 @f(ptr \"varargs\" %p0, i32 %p1, ...)"), "{out}");
    assert!(out.contains("call i32 (ptr, i32, ...) @f(ptr \"varargs\" undef, i32 1, i32 2)"), "{out}");
    // A list of AArch64 has 32 bytes.
    let wide = Platform { pointer_bytes: 8, name: "aarch64", ..ANY };
    let out = print::module(&parse_for(text, &wide).unwrap());
    assert_eq!(out.matches("store i64").count(), 4, "{out}");
}

#[test]
fn integers_wider_than_words_travel_as_words() {
    let text = "@x = global i128 -3
         define i128 @twice(i128 %a) {
           %x = add i128 %a, %a
           ret i128 %x
         }
         define i32 @main() {
           %v = load i128, ptr @x
           br label %loop
         loop:
           %k = phi i128 [ %v, %0 ], [ %n, %loop ]
           %n = call i128 @twice(i128 %k)
           %c = icmp slt i128 %n, -40
           br i1 %c, label %out, label %loop
         out:
           %s = select i1 %c, i128 %n, i128 7
           %m = mul i128 %s, -1
           %r = trunc i128 %m to i32
           ret i32 %r
         }";
    trip(text);
    assert_eq!(result(text), 48);
    assert!(trip("define i24 @f(i24 %a) {\n ret i24 %a\n}").contains("define i64 @f(i64 %p0)"));
}

#[test]
fn what_is_wrong_with_parts_is_said() {
    let cases = [
        ("define void @f([2 x i64] %a) {\n %x = extractvalue [2 x i64] %a, 2\n ret void\n}", 2, "no part 2"),
        (
            "define void @f([2 x i64] %a) {\n %x = insertvalue [2 x i64] %a, i32 1, 0\n ret void\n}",
            2,
            "type of the part",
        ),
        ("define void @f(ptr %p) {\n %x = load [65 x i32], ptr %p\n ret void\n}", 2, "more than 64 parts"),
        ("define { i64, i64 } @f() {\n ret { i64, i32 } zeroinitializer\n}", 2, "another type"),
        ("define void @f({ i32, i32 } %a) {\n %x = add i32 %a, 1\n ret void\n}", 2, "not defined"),
        ("define void @f() {\n store { i32, i8 } { i32 1 }, ptr undef\n ret void\n}", 2, "other parts"),
        (
            "define void @f(ptr %p) {\n call void @llvm.va_start.p0(ptr %p)\n ret void\n}",
            2,
            "no variadic arguments",
        ),
        ("define void @f(ptr byval([9000 x i32]) %a) {\n ret void\n}", 1, "`byval` of 36000 bytes"),
        (
            "define void @f(i24 %a) {\n %x = call i24 @llvm.bswap.i24(i24 %a)\n ret void\n}",
            2,
            "`llvm.bswap.i24`",
        ),
        ("define void @f(x86_fp80 %a) {\n ret void\n}", 1, "the type `x86_fp80` is not supported"),
        ("define void @f() {\n %a = load ppc_fp128, ptr undef\n ret void\n}", 2, "the type `ppc_fp128`"),
        ("define void @f(<vscale x 4 x i32> %a) {\n ret void\n}", 1, "vectors as arguments"),
        ("declare void @f(i32 \"parts\"=\"x\")", 1, "cannot be said"),
    ];
    for (text, line, message) in cases {
        let error = parse_for(text, &NARROW).map(|_| ()).expect_err(text);
        assert!(error.message.contains(message), "{text}\n{error}");
        assert_eq!(error.line, line, "{text}\n{error}");
    }
}

#[test]
fn gaps_of_a_struct_that_is_read_as_a_whole_are_no_error_where_it_runs() {
    let text = "define i32 @main() {
           %s = alloca [2 x i64]
           store i32 7, ptr %s
           %a = load [2 x i64], ptr %s
           %b = extractvalue [2 x i64] %a, 0
           %c = trunc i64 %b to i32
           ret i32 %c
         }";
    assert_eq!(result(text), 7);
    assert!(trip(text).contains("llvm.memset"));
    // Code has none of it.
    let out =
        print::module(&parse_for(text, &Platform { pointer_bytes: 8, name: "riscv64", ..ANY }).unwrap());
    assert!(!out.contains("llvm.memset"), "{out}");
}

#[test]
fn a_parameter_that_holds_nothing_is_refused_by_name() {
    let error = parse("define i32 @f({} %e, i32 %x) {\n ret i32 %x\n}").unwrap_err();
    assert!(error.line == 1 && error.message.contains("holds nothing"), "{error}");
}
