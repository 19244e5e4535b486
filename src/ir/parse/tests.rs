//! What is read, what is refused, and that nothing makes the reader panic.

mod aggregates;
mod alias;
mod any_width;
mod atomic;
mod blocks;
mod bodies;
mod copies;
mod distances;
mod expanded;
mod half;
mod keywords;
mod lines;
mod memory;
mod promises;
mod quads;
mod special;
mod stack;
mod tail;
mod unwind;
mod varargs;
mod vectors;

use super::*;
use crate::ir::body::packed::{Packer, pack};
use crate::ir::{Op, print};

/// Reads, prints, reads and prints again; the prints must agree, and so must one of packed bodies.
fn trip(text: &str) -> String {
    let mut module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let once = print::module(&module);
    for f in module.defined_mut() {
        *f = pack(f, &mut Packer::default()).unpack(None).unwrap();
    }
    assert_eq!(print::module(&module), once);
    let twice = print::module(&parse(&once).unwrap_or_else(|e| panic!("{e}\n{once}")));
    assert_eq!(once, twice);
    once
}

/// The only body of a function around `body`.
fn function(body: &str) -> String {
    format!(
        "@g = internal global [4 x [3 x i32]] zeroinitializer\n\
         declare i32 @ext(i32, ptr)\n\
         define i32 @f(i32 %p0, ptr %p1, float %p2, i1 %p3) {{\n{body}}}\n"
    )
}

#[test]
fn what_the_printer_writes_is_read_back() {
    let text = "\
@\"a b\\22\" = global i32 -5
@b = internal constant [3 x [2 x i32]] [[2 x i32] zeroinitializer, [2 x i32] [i32 0, i32 7], [2 x i32] zeroinitializer]
@c = internal constant [3 x i8] c\"%d\\00\"
@d = global <{ [999999 x i32], [1 x i32], [0 x [1000 x [1000 x i32]]] }> <{ [999999 x i32] zeroinitializer, [1 x i32] [i32 1], [0 x [1000 x [1000 x i32]]] zeroinitializer }>
@e = external global float, align 32
@f = weak constant [2 x i32] zeroinitializer, align 64
@h = global float 0x7FF0000020000000
declare void @putf(ptr, ...)
declare i32 @getint()

define internal i32 @main(i32 %p0, ptr %p1, float %p2) {
b0:
  %v0 = alloca [4 x [3 x i32]]
  call void @llvm.memset.p0.i64(ptr %v0, i8 0, i64 48, i1 false)
  %v1 = getelementptr inbounds [3 x i32], ptr %v0, i32 3, i32 %p0
  %v2 = load float, ptr %v1
  %v3 = fcmp une float %v2, 0x3FE0000000000000
  br i1 %v3, label %b1, label %b3
b1:
  %v4 = phi i32 [ 0, %b0 ], [ %v6, %b2 ]
  %v5 = phi float [ %v2, %b0 ], [ %p2, %b2 ]
  call void (ptr, ...) @putf(ptr @c, i32 %v4)
  call void @llvm.memcpy.p0.p0.i64(ptr %p1, ptr @c, i64 3, i1 false)
  store i32 undef, ptr %p1
  br label %b2
b2:
  %v6 = add i32 %v4, 1
  %v7 = icmp slt i32 %v6, -2147483648
  %v8 = select i1 %v7, float %v5, float %p2
  %v9 = fptosi float %v8 to i32
  %v10 = sext i32 %v9 to i64
  %v11 = fneg float %v8
  %v12 = call i32 @getint()
  br i1 true, label %b1, label %b3
b3:
  %v13 = phi i32 [ %p0, %b0 ], [ %v12, %b2 ]
  ret i32 %v13
}

define weak i64 @g(i64 %p0, double %p1, i8 %p2) {
b0:
  %v0 = call i64 @sysyc.umulhi.i64(i64 %p0, i64 -5)
  %v1 = call i64 @sysyc.smulhi.i64(i64 %v0, i64 %p0)
  %v2 = call i8 @llvm.smin.i8(i8 %p2, i8 3)
  %v3 = call i64 @llvm.abs.i64(i64 %v1, i1 false)
  %v4 = call double @llvm.fabs.f64(double %p1)
  %v5 = call double @llvm.fma.f64(double %p1, double %v4, double 0x3FE0000000000000)
  ret i64 %v3
}

define linkonce_odr i64 @sysyc.smulhi.i64(i64 %a, i64 %b) {
  %x = sext i64 %a to i128
  %y = sext i64 %b to i128
  %xy = mul i128 %x, %y
  %h = lshr i128 %xy, 64
  %r = trunc i128 %h to i64
  ret i64 %r
}
define linkonce_odr i64 @sysyc.umulhi.i64(i64 %a, i64 %b) {
  %x = zext i64 %a to i128
  %y = zext i64 %b to i128
  %xy = mul i128 %x, %y
  %h = lshr i128 %xy, 64
  %r = trunc i128 %h to i64
  ret i64 %r
}
declare i8 @llvm.smin.i8(i8, i8)
declare i64 @llvm.abs.i64(i64, i1)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
";
    assert_eq!(trip(text), text);
}

#[test]
fn a_step_without_inbounds_stays_one() {
    let text = "define ptr @f(ptr %p0, i32 %p1) {
b0:
  %v0 = getelementptr i32, ptr %p0, i32 %p1
  %v1 = getelementptr inbounds i32, ptr %v0, i32 %p1
  ret ptr %v1
}
";
    assert_eq!(trip(text), text);
}

#[test]
fn frozen_undef_is_one_value_and_always_and_never_are_constants() {
    let out = trip(&function(
        "  %a = freeze i32 undef\n  %b = add i32 %a, %p0\n  %c = fcmp true float %p2, %p2\n  \
         %d = fcmp false float %p2, %p2\n  %e = select i1 %c, i32 %b, i32 0\n  %f = select i1 %d, i32 %e, i32 %b\n  \
         ret i32 %f\n  uselistorder i32 %b, { 1, 0 }\n",
    ));
    assert!(out.contains("%v0 = add i32 0, %p0\n  %v1 = select i1 true, i32 %v0"), "{out}");
    assert!(out.contains("%v2 = select i1 false, i32 %v1"), "{out}");
}

#[test]
fn narrow_values_travel_extended() {
    let out = trip(
        "declare zeroext i1 @g(i8 signext)\n\
         define signext i8 @f(i8 zeroext %0, i32 signext %1) {\n  %3 = call zeroext i1 @g(i8 signext %0)\n  \
         %4 = zext i1 %3 to i8\n  ret i8 %4\n}\n!a\\5Cb = !{}\nuselistorder ptr @g, { 1, 0 }\n",
    );
    let expected = "declare i32 @g(i32)

define i32 @f(i32 %p0, i32 %p1) {
b0:
  %v0 = trunc i32 %p0 to i8
  %v1 = sext i8 %v0 to i32
  %v2 = call i32 @g(i32 %v1)
  %v3 = trunc i32 %v2 to i1
  %v4 = zext i1 %v3 to i8
  %v5 = sext i8 %v4 to i32
  ret i32 %v5
}
";
    assert_eq!(out, expected);
}

#[test]
fn text_for_another_machine_is_refused() {
    let platform = Platform { pointer_bytes: 4, name: "armv7", names: &["arm"], ..ANY };
    let read = |text: &str| parse_for(text, &platform).map(|_| ()).map_err(|error| error.message);
    for text in ["target triple = \"armv7-linux-gnueabihf\"", "target triple = \"arm-x-y\"", ""] {
        assert_eq!(read(&format!("{text}\ntarget datalayout = \"e-m:e-p:32:32-Fi8\"")), Ok(()));
    }
    for (text, message) in [
        ("target triple = \"x86_64-pc-linux-gnu\"", "this is for `x86_64-pc-linux-gnu`, not for armv7"),
        ("target datalayout = \"e-m:e-p:64:64\"", "this machine has no `p:64:64`"),
        ("target datalayout = \"e-m:e\"", "this is for a machine with pointers of 8 bytes"),
    ] {
        assert_eq!(read(text), Err(message.to_string()));
    }
    let bytes = |platform| {
        let module = parse_for("@x = global [3 x ptr] zeroinitializer", platform).unwrap();
        module.env.shapes.bytes(module.env.globals[crate::base::Handle::new(0)].shape)
    };
    assert_eq!((bytes(&platform), bytes(&ANY)), (12, 24));
}

#[test]
fn the_dress_of_clang_and_opt_is_skipped() {
    let text = "\
; ModuleID = 'x.c'
source_filename = \"x.c\"
target datalayout = \"e-m:e\"
target triple = \"x86_64-pc-linux-gnu\"
$c = comdat any
@a = dso_local local_unnamed_addr global <{ i32, [9 x i32] }> <{ i32 3, [9 x i32] zeroinitializer }>, align 16, !dbg !0
@.str = private unnamed_addr constant [3 x i8] c\"%d\\00\", align 1
; Function Attrs: nofree norecurse
define dso_local noundef i32 @main(i32 noundef %0, ptr nocapture noundef readonly align 4 dereferenceable(8) %1) local_unnamed_addr #0 !dbg !7 {
  %3 = add nsw i32 %0, 1, !dbg !10
    #dbg_value(i32 %3, !11, !DIExpression(), !12)
  tail call void @llvm.dbg.value(metadata i32 %3, metadata !11, metadata !DIExpression()), !dbg !12
  %4 = icmp samesign ult i32 %3, 7
  br i1 %4, label %5, label %8, !dbg !9, !llvm.loop !3
5:                                                ; preds = %2
  %6 = tail call noundef i32 @main(i32 noundef %3, ptr noundef nonnull %1) #2, !dbg !5
  %7 = freeze i32 %6
  switch i32 %7, label %8 [
    i32 1, label %9
    i32 -2, label %9
  ], !prof !4
8:
  br label %9
9:
  %10 = phi i32 [ 0, %8 ], [ 5, %5 ], [ 5, %5 ]
  %11 = tail call i32 @llvm.smax.i32(i32 %10, i32 %3)
  %12 = load i32, ptr getelementptr inbounds ([10 x i32], ptr @a, i64 0, i64 4), align 4, !tbaa !5
  %13 = uitofp i1 %4 to float
  %14 = fadd fast float %13, 1.500000e+00
  %15 = fptosi float %14 to i32
  ret i32 %15
}
declare i32 @llvm.smax.i32(i32, i32) #1
attributes #0 = { nounwind \"frame-pointer\"=\"all\" }
!llvm.module.flags = !{!0, !1}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, flags: \"}\")
!1 = !{i32 1, !\"wchar_size\", i32 4}
!3 = distinct !{!3, !4}
!4 = !{!\"branch_weights\", i32 1, i32 2, i32 3}
!5 = !{}
!7 = !{}
!9 = !{}
!10 = !{}
!11 = !{}
!12 = !{}
";
    let out = trip(text);
    assert!(out.contains("@a = global [10 x i32] [i32 3, i32 0,"), "{out}");
    assert!(out.contains("= icmp eq i32 %v3, 1"), "{out}");
    assert!(out.contains("[ 5, %b1 ], [ 5, %b2 ]"), "{out}");
}

#[test]
fn what_is_outside_the_subset_is_an_error_with_a_place() {
    let cases = [
        ("%t = type opaque\n@x = global %t zeroinitializer", 1, "nothing is known"),
        ("%t = type { i32, %t }\n@x = global %t zeroinitializer", 1, "has itself in it"),
        ("%t = type { i32 }\n%t = type { i32 }", 2, "defined twice"),
        ("@x = global %t zeroinitializer", 1, "no type `%t`"),
        ("%t = type { i32, float }\n@x = global %t { i32 1 }", 2, "not as many"),
        ("%t = type { i32, float }\n@x = global %t { i64 1, float 0.0 }", 2, "not of the type"),
        (
            "define void @f(ptr %p) {\n %a = getelementptr { i32, i8 }, ptr %p, i32 0, i32 2\n ret void\n}",
            2,
            "no field 2",
        ),
        (
            "define void @f(ptr %p, i32 %k) {\n %a = getelementptr { i32, i8 }, ptr %p, i32 0, i32 %k\n ret void\n}",
            2,
            "must be a constant",
        ),
        ("@x = global i32 trunc (i64 ptrtoint (ptr @x to i64) to i32)", 1, "a part of an address"),
        (
            "@x = global i64 add (i64 ptrtoint (ptr @x to i64), i64 ptrtoint (ptr @x to i64))",
            1,
            "two addresses",
        ),
        ("@x = global i32 1\n@y = global ptr @z", 2, "`@z` is not defined"),
        ("@x = global [2 x i32] [i32 1]", 1, "as many elements"),
        ("@x = global [2 x i32] [i32 1, i32 2, i32 3]", 1, "as many elements"),
        ("@x = global [3 x i8] c\"ab\"", 1, "2 bytes for 3"),
        ("@x = global i8 256", 1, "does not fit"),
        ("@x = global float 0.1", 1, "not exactly a float"),
        ("@x = global i32 0\n@x = global i32 0", 2, "defined twice"),
        ("@x = global [2147483647 x i32] zeroinitializer", 1, "2 GiB"),
        ("define void @f() {", 1, "never closed"),
        ("define void @f() {\n}", 2, "expected a block"),
        ("define void @f() {\n ret i32 0\n}", 2, "rule `return`"),
        ("define void @f() {\n %a = add i32 1, 2\n %a = add i32 1, 2\n ret void\n}", 3, "defined twice"),
        ("define void @f() {\n br label %x\n}", 3, "no block `%x`"),
        ("define void @f() {\n call void @g()\n ret void\n}", 2, "not a function"),
        ("define void @f() {\n %a = add i32 %b, 2\n ret void\n}", 2, "`%b` is not defined"),
        ("define i32 @f(float %a) {\n %b = add i32 %a, 2\n ret i32 %b\n}", 2, "is float, not i32"),
        (
            "define void @f() {\n %a = add <257 x i32> zeroinitializer, zeroinitializer\n ret void\n}",
            2,
            "vectors of this length",
        ),
        ("define void @f() {\n %a = add <0 x i32> undef, undef\n ret void\n}", 2, "vectors of this length"),
        ("define void @f() vscale_range(4,8) {\n ret void\n}", 1, "never of 128 bits"),
        ("define void @f() {\n %a = add <2 x i32> <i32 1>, undef\n ret void\n}", 2, "1 lanes for <2 x i32>"),
        (
            "define void @f() {\n %a = add <2 x i32> <i8 1, i8 2>, undef\n ret void\n}",
            2,
            "a lane of <2 x i32>",
        ),
        (
            "define void @f() {\n call i64 @f(i64 blockaddress(@f, %x))\n ret void\n}",
            2,
            "a constant expression is not supported",
        ),
        (
            "define void @f() {\n call i64 @f(ptr no_cfi(@f))\n ret void\n}",
            2,
            "`no_cfi` as a constant expression is not supported",
        ),
        ("define void @f(<3 x i8> %x) {\n ret void\n}", 1, "vectors as arguments"),
        ("declare <32 x i1> @f()", 1, "vectors as arguments"),
        ("@x = global <2 x i1> zeroinitializer", 1, "not supported"),
        (
            "define void @f(float %k) {\n %a = extractelement <2 x i32> undef, float %k\n ret void\n}",
            2,
            "is an integer",
        ),
        (
            "define void @f(ptr %p) {\n %a = load <2 x i32>, i32 %p, align 2\n ret void\n}",
            2,
            "is ptr, not i32",
        ),
        ("define void @f() {\n %a = load atomic i1, ptr undef seq_cst, align 4\n ret void\n}", 2, "atomic"),
        ("define void @f() {\n %a = call i32 asm \"nop\", \"\"()\n ret void\n}", 2, "inline assembly"),
        ("define void @f(i32* %a) {\n ret void\n}", 1, "typed pointers"),
        ("define void @f(ptr byval(i32) %a) {\n ret void\n}", 1, "byval"),
        ("define void @f() {\nx:\n br label %y\ny:\n %a = phi i32 [ 1, %y ]\n ret void\n}", 5, "predecessor"),
        (
            "define void @f() {\n br label %y\ny:\n %a = add i32 1, 1\n %b = phi i32 [ 1, %0 ]\n ret void\n}",
            5,
            "head",
        ),
        (
            "define void @f(i1 %c) {\nx:\n br i1 %c, label %y, label %y\n\
             y:\n %a = phi i32 [ 1, %x ], [ 2, %x ]\n ret void\n}",
            5,
            "two values",
        ),
        (
            "define void @f(i1 %c) {\nx:\n br i1 %c, label %y, label %y\n\
             y:\n %a = phi i32 [ 1, %x ], [ 1, %y ]\n ret void\n}",
            5,
            "no predecessor",
        ),
        ("define void @f() {\nx:\n br label %x\n}", 1, "rule `entry`"),
        ("target triple = \"x86_64-pc-linux-gnu\"\ntarget datalayout = \"E-m:e\"", 2, "no `E`"),
        ("target datalayout = \"e-m:e-p:32:32-i64:64\"", 1, "no `p:32:32`"),
        ("target datalayout = \"e-A5\"", 1, "no `A5`"),
        ("$c = comdat largest", 1, "expected `any`"),
        ("@x = global i32 0, align 3", 1, "power of two"),
        ("@x = global i32 0,\n align 131072", 2, "at most 65536"),
        ("define void @f() align 16 {\n ret void\n}", 1, "aligned to more than 4"),
        ("define void @f(i32 %x, ptr sret(i32) %p) {\n ret void\n}", 1, "the first parameter"),
        (
            "define void @f(ptr %p) {\n call void %p(i32 1, ptr sret(i32) %p)\n ret void\n}",
            2,
            "the first argument",
        ),
        ("define void @f(i16 %x) {\n %a = bitcast i16 %x to float\n ret void\n}", 2, "from i16 to float"),
        ("@x = global ptr blockaddress(@f, %b)", 1, "no function with blocks"),
        ("define void @f() {\n call void @f() [ \"deopt\"(i32 1) ]\n ret void\n}", 2, "operand bundles"),
        ("define void @f() {\n %a = freeze ptr undef\n ret void\n}", 2, "undefined ptr"),
        ("define zeroext i8 @f() {\n ret i32 0\n}", 2, "another type"),
        ("define void @f(i8 signext %x) {\n call void @f(i32 signext 1)\n ret void\n}", 2, "not of type i8"),
        ("module asm \"nop\"", 1, "assembly of the module"),
        ("@x = available_externally global i32 0", 1, "`available_externally` is not supported"),
        ("@x = global i32 0,\n section \"s t\"", 2, "a section that is called `\"s t\"` is not supported"),
        ("@x = addrspace(1) global i32 0", 1, "address spaces"),
        ("define available_externally void @f() {\n ret void\n}", 1, "not supported"),
        ("define void @f() section \"s t\" {\n ret void\n}", 1, "a section that is called"),
        ("define void @f(ptr addrspace(3) %p) {\n ret void\n}", 1, "address spaces"),
        ("define void @f() {\n %a = load i32, ptr addrspace(3) undef\n ret void\n}", 2, "address spaces"),
        ("define void @\"\\01f\"() {\n ret void\n}", 1, "control character"),
        ("@\"x", 1, "does not end"),
        ("\u{1}", 1, "cannot stand"),
        ("define void @f() {\n ret void\n\n  junk\n}", 4, "junk"),
    ];
    for (text, line, message) in cases {
        let error = parse(text).map(|_| ()).expect_err(text);
        assert!(error.message.contains(message), "{text}\n{error}");
        assert_eq!(error.line, line, "{text}\n{error}");
    }
}

#[test]
fn lengths_of_memory_are_values_or_what_is_known_of_them() {
    let declared = "declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
";
    let text = format!(
        "@c = constant [4 x i8] c\"abc\\00\"

define void @f(ptr %p0, i8 %p1, i64 %p2, i32 %p3) {{
b0:
  call void @llvm.memset.p0.i64(ptr %p0, i8 0, i64 4, i1 false)
  call void @llvm.memset.p0.i32(ptr %p0, i8 %p1, i32 %p3, i1 false)
  call void @llvm.memset.p0.i64(ptr %p0, i8 1, i64 4, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p0, ptr @c, i64 4, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p0, ptr @c, i64 %p2, i1 false)
  ret void
}}

{declared}"
    );
    assert_eq!(trip(&text), text);
    let module = parse(&text).unwrap();
    let f = module.nth(0);
    let ops: Vec<Op> = f.blocks().flat_map(|b| f.insts(b)).map(|i| f.op(i)).collect();
    assert_eq!(ops, [Op::MemInit, Op::MemSet, Op::MemSet, Op::MemInit, Op::MemCopy, Op::Ret]);
}

#[test]
fn vectors_of_the_text_become_lanes_that_are_spread_and_put_in() {
    let printed = trip(
        "declare void @llvm.experimental.vp.strided.store.v2i32.p0.i64(<2 x i32>, ptr, i64, <2 x i1>, i32)
        define float @f(ptr %p, i32 %x) {
          %a = insertelement <2 x i32> poison, i32 %x, i64 0
          %b = shufflevector <2 x i32> %a, <2 x i32> poison, <2 x i32> zeroinitializer
          %c = sub <2 x i32> <i32 4, i32 5>, %b
          store <2 x i32> undef, ptr %p, align 4
          call void @llvm.experimental.vp.strided.store.v2i32.p0.i64(<2 x i32> %c, ptr %p, i64 -4,
            <2 x i1> splat (i1 true), i32 2)
          %d = call float @llvm.vector.reduce.fadd.v2f32(float 0.0, <2 x float> splat (float 1.0))
          ret float %d
        }",
    );
    let body: Vec<&str> = printed.lines().skip_while(|line| !line.starts_with("b0")).collect();
    let expected = "b0:
  %v0 = call <2 x float> @sysyc.splat.v2f32(float 0x3FF0000000000000)
  %v1 = call <2 x i32> @sysyc.splat.v2i32(i32 4)
  %v2 = insertelement <2 x i32> %v1, i32 5, i64 1
  %v3 = insertelement <2 x i32> undef, i32 %p1, i64 0
  %v4 = call <2 x i32> @sysyc.splat.v2i32(i32 %p1)
  %v5 = sub <2 x i32> %v2, %v4
  store <2 x i32> undef, ptr %p0, align 4
  call void @llvm.experimental.vp.strided.store.v2i32.p0.i64(<2 x i32> %v5, ptr %p0, i64 -4, <2 x i1> <i1 true, i1 true>, i32 2)
  %v6 = call float @llvm.vector.reduce.fadd.v2f32(float 0x0000000000000000, <2 x float> %v0)
  ret float %v6
}";
    assert_eq!(body[..12].join("\n"), expected);
}

#[test]
fn what_comes_later_is_frozen_and_classes_of_floats_are_ranges_of_bits() {
    let out = trip(&function(
        "entry:\n  br label %b\na:\n  %f = freeze i32 %x\n  ret i32 %f\nb:\n  %x = add i32 %p0, 1\n  br label %a\n}\n\
         declare i1 @llvm.is.fpclass.f32(float, i32 immarg)\n\
         define i1 @finite(float %x) {\n  %c = call i1 @llvm.is.fpclass.f32(float %x, i32 504)\n  ret i1 %c\n",
    ));
    assert!(out.contains("select i1 true, i32"), "{out}");
    // Both signs of what is zero, subnormal and normal: two ranges.
    assert_eq!(out.matches("icmp ult i32").count(), 2, "{out}");
}

#[test]
fn subscripts_of_any_width_are_signed() {
    let out = trip(
        "define ptr @f(ptr %p, i16 %k) {\n  %a = getelementptr [4 x i64], ptr %p, i16 %k, i8 -1\n  ret ptr %a\n}\n",
    );
    assert!(out.contains("sext i16 %p1 to i32") && out.contains("sext i8 -1 to i32"), "{out}");
}

#[test]
fn forward_references_and_quoted_names_are_resolved() {
    let out = trip(&function(
        "\"e x\":\n  br label %loop\nlate:\n  %y = add i32 %x, 1\n  br label %loop\nloop:\n  \
         %x = phi i32 [ 0, %\"e x\" ], [ %y, %late ]\n  br i1 %p3, label %late, label %out\nout:\n  ret i32 %y.\n}\n\
         define void @unused() {\n  ret void\n"
            .replace("%y.", "%x")
            .as_str(),
    ));
    assert!(out.contains("%v1 = phi i32 [ 0, %b0 ], [ %v0, %b1 ]"), "{out}");
}

#[test]
fn changed_and_cut_texts_do_not_panic() {
    let text = function(
        "  %a = alloca [4 x [3 x i32]], align 4\n  %b = getelementptr inbounds [3 x i32], ptr %a, i64 0, i32 %p0\n  \
         %c = load i32, ptr %b\n  %d = fptosi float %p2 to i32\n  %e = call i32 @ext(i32 %c, ptr @g)\n  \
         %h = icmp slt i32 %d, %e\n  br i1 %h, label %x, label %y\nx:\n  store float 0x3FF0000000000000, ptr %b\n  \
         br label %y\ny:\n  %z = phi i32 [ 1, %0 ], [ %c, %x ]\n  switch i32 %z, label %x2 [ i32 4, label %x3 ]\n\
         x2:\n  ret i32 1\nx3:\n  ret i32 2\n",
    );
    assert!(parse(&text).is_ok(), "{:?}", parse(&text).err());
    for end in 0..text.len() {
        _ = parse(&text[..end]);
    }
    let words = [
        "%a",
        "i32",
        "[",
        "}",
        "0",
        "-1",
        "ptr",
        "label",
        "phi",
        "\"",
        "@g",
        "99999999999",
        "float",
        ",",
        "=",
    ];
    let mut seed = 9u32;
    let tokens: Vec<&str> = text.split_inclusive(' ').collect();
    for _ in 0..3000 {
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % n
        };
        let mut changed = tokens.clone();
        for _ in 0..1 + random(3) {
            let at = random(changed.len());
            match random(3) {
                0 => _ = changed.remove(at),
                1 => changed[at] = words[random(words.len())],
                _ => {
                    let from = random(changed.len());
                    changed.swap(at, from);
                }
            }
        }
        _ = parse(&changed.join(" "));
    }
}

#[test]
fn deep_and_long_texts_take_neither_stack_nor_time() {
    let deep = 200_000;
    for text in [
        format!("@x = global {}i32{} zeroinitializer", "[1 x ".repeat(deep), "]".repeat(deep)),
        format!("@x = global {}", "<{ ".repeat(deep)),
        format!("!0 = !{}", "{".repeat(deep)),
        format!("define void @f() {}", "{".repeat(deep)),
        format!("define void @f() {{\n store i32 0, {}", "ptr getelementptr (i32, ".repeat(deep)),
    ] {
        assert!(parse(&text).is_err());
    }
    let blocks: String = (1..50_000).map(|k| format!("  br label %{k}\n{k}:\n")).collect();
    let text = format!("define void @f() {{\n{blocks}  ret void\n}}");
    assert_eq!(parse(&text).map(|m| m.nth(0).blocks().count()), Ok(50_000));
}

#[test]
fn shapes_come_back_from_packed_structs() {
    let shape = |text: &str| {
        let m = parse(text).unwrap();
        let global = &m.env.globals[crate::base::Handle::new(0)];
        (m.env.shapes.depth(global.shape), m.env.shapes.bytes(global.shape), global.image.get(2))
    };
    assert_eq!(
        shape("@x = global <{ i32, i32, [2 x i32] }> <{ i32 0, i32 1, [2 x i32] [i32 7, i32 0] }>"),
        (1, 16, 7)
    );
    let nested = "@x = global <{ <{ i32, [1 x i32] }>, [1 x [2 x i32]] }> \
                  <{ <{ i32, [1 x i32] }> <{ i32 1, [1 x i32] undef }>, [1 x [2 x i32]] [[2 x i32] [i32 5, i32 6]] }>";
    assert_eq!(shape(nested), (1, 16, 5));
    assert_eq!(shape("@x = global { [4 x i32], [0 x [2 x [2 x i32]]] } zeroinitializer"), (2, 16, 0));
}
