//! Vectors that the tables lack: what is read as lanes, what it means, and what is refused.

use crate::ir::interp::{Options, run};
use crate::ir::parse::{ANY, Platform, parse, parse_for};
use crate::ir::print;

/// What `main` of a text returns, whose body this is.
fn result(body: &str, others: &str) -> i32 {
    let text = format!("define i32 @main() {{\n{body}\n}}\n{others}");
    let module = parse(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    let (mut input, mut output, mut errors) = (&b""[..], Vec::new(), Vec::new());
    run(&module, "main", &mut input, &mut output, &mut errors, Options::default()).unwrap()
}

#[test]
fn lanes_are_scalars_from_the_start() {
    let text = "define void @f(ptr %p) {
           %a = load <3 x i16>, ptr %p, align 2
           %b = mul nsw <3 x i16> %a, <i16 1, i16 2, i16 3>
           store <3 x i16> %b, ptr %p, align 2
           ret void
         }";
    let printed = print::module(&parse(text).unwrap());
    for (what, count) in [(" = load i16", 3), (" = mul nsw i16", 3), ("store i16", 3), ("<", 0)] {
        assert_eq!(printed.matches(what).count(), count, "{what}\n{printed}");
    }
    // Those that the tables have stay, beside others.
    let text = "define void @f(ptr %p) {
           %a = load <4 x i16>, ptr %p, align 2
           %b = sext <4 x i16> %a to <4 x i32>
           %c = add <4 x i32> %b, splat (i32 1)
           store <4 x i32> %c, ptr %p, align 4
           ret void
         }";
    let printed = print::module(&parse(text).unwrap());
    for (what, count) in [(" = load i16", 4), (" = sext i16", 4), (" = add <4 x i32>", 1), ("store <4", 1)] {
        assert_eq!(printed.matches(what).count(), count, "{what}\n{printed}");
    }
}

#[test]
fn vectors_of_the_machines_length_have_128_bits_a_register() {
    let splat = "shufflevector (<vscale x 4 x i32> insertelement (<vscale x 4 x i32> poison, i32 5, i64 0), <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer)";
    let body = format!(
        "%s = call <vscale x 4 x i32> @llvm.experimental.stepvector.nxv4i32()
         %a = add <vscale x 4 x i32> %s, {splat}
         %b = call i32 @llvm.vector.reduce.add.nxv4i32(<vscale x 4 x i32> %a)
         %v = call i32 @llvm.vscale.i32()
         %c = mul i32 %v, 100
         %d = add i32 %b, %c
         ret i32 %d"
    );
    assert_eq!(result(&body, ""), 8 * 5 + 28 + 200);
}

#[test]
fn lanes_that_are_masked_out_are_neither_read_nor_written() {
    let body = "%m = icmp eq <3 x i32> <i32 1, i32 0, i32 1>, splat (i32 1)
         %p = inttoptr <3 x i64> <i64 0, i64 8, i64 16> to <3 x ptr>
         %q = insertelement <3 x ptr> %p, ptr @a, i32 0
         %r = insertelement <3 x ptr> %q, ptr @b, i32 2
         %x = call <3 x i32> @llvm.masked.gather.v3i32.v3p0(<3 x ptr> %r, i32 4, <3 x i1> %m, <3 x i32> splat (i32 100))
         %y = shl <3 x i32> %x, <i32 1, i32 0, i32 0>
         call void @llvm.masked.scatter.v3i32.v3p0(<3 x i32> %y, <3 x ptr> %r, i32 4, <3 x i1> %m)
         %s = call i32 @llvm.vector.reduce.add.v3i32(<3 x i32> %x)
         %t = load i32, ptr @a
         %u = add i32 %s, %t
         ret i32 %u";
    assert_eq!(result(body, "@a = global i32 7\n@b = global i32 9"), 7 + 100 + 9 + 14);
}

#[test]
fn functions_that_nothing_else_calls_take_and_return_vectors() {
    let body =
        "%a = call <5 x i16> @twice(<5 x i16> <i16 1, i16 2, i16 3, i16 4, i16 5>, <4 x i32> splat (i32 6))
         %s = call i16 @llvm.vector.reduce.add.v5i16(<5 x i16> %a)
         %r = sext i16 %s to i32
         ret i32 %r";
    let twice = "define internal <5 x i16> @twice(<5 x i16> %a, <4 x i32> %b) {
           %x = extractelement <4 x i32> %b, i32 3
           %y = trunc i32 %x to i16
           %c = insertelement <5 x i16> %a, i16 %y, i32 0
           %d = add <5 x i16> %c, %c
           ret <5 x i16> %d
         }";
    assert_eq!(result(body, twice), 2 * (6 + 2 + 3 + 4 + 5));
}

#[test]
fn what_is_wrong_with_vectors_is_said() {
    let cases = [
        ("%a = add <6 x i16> %v, <i16 1, i16 2>", "2 lanes for <6 x i16>"),
        ("%a = add <6 x i16> %v, <i8 1, i8 2>", "a lane of <6 x i16>"),
        ("%a = add <5 x i16> %v, zeroinitializer", "of another type"),
        ("%a = add <4294967295 x i16> zeroinitializer, zeroinitializer", "vectors of this length"),
        ("%a = add <257 x i16> zeroinitializer, zeroinitializer", "vectors of this length"),
        ("%a = add <vscale x 129 x i16> zeroinitializer, zeroinitializer", "vectors of this length"),
        ("%a = sext <6 x i16> %v to <5 x i32>", "different lengths"),
        ("%a = shufflevector <6 x i16> %v, <6 x i16> %v, <2 x i32> <i32 0, i32 12>", "not there"),
        (
            "%a = shufflevector <6 x i16> %v, <5 x i16> zeroinitializer, <2 x i32> zeroinitializer",
            "of one type",
        ),
        ("%a = shufflevector <6 x i16> %v, <6 x i16> %v, <2 x i16> zeroinitializer", "are i32"),
        ("%a = bitcast <6 x i16> %v to <2 x i32>", "between these types"),
        ("%a = insertelement <6 x i16> %v, i32 1, i32 0", "type of the lanes"),
        ("%a = call i32 @llvm.vector.reduce.add.v6i16(<6 x i16> %v)", "not with these arguments"),
        (
            "%a = call <6 x i16> @llvm.aarch64.neon.sqdmulh.v6i16(<6 x i16> %v, <6 x i16> %v)",
            "is not supported",
        ),
        ("%a = call i32 @g(<3 x i8> zeroinitializer)", "nothing else calls"),
        ("%a = call i32 @g(<vscale x 4 x i32> zeroinitializer)", "nothing else calls"),
        ("%a = call i32 @g({ <4 x i32>, i32 } zeroinitializer)", "nothing else calls"),
        ("%a = call { <vscale x 4 x i32>, <vscale x 4 x i32> } @g(ptr %p)", "nothing else calls"),
        ("%a = call i32 %p(<5 x i32> zeroinitializer)", "nothing else calls"),
        ("%a = call i32 @g(<6 x i16> %v)", "rule `"),
        ("ret <4 x i32> zeroinitializer", "the result has another type"),
        ("%a = alloca <6 x i1>", "vectors of i1"),
        ("%a = fadd <6 x i16> %v, %v", "rule `"),
    ];
    for (row, message) in cases {
        let text = format!(
            "define void @f(ptr %p) {{\n%v = load <6 x i16>, ptr %p\n{row}\nret void\n}}\ndeclare i32 @g(ptr)"
        );
        let error = parse(&text).map(|_| ()).expect_err(&text);
        assert!(error.message.contains(message) && error.line == 3, "{text}\n{error}");
    }
}

/// RISC-V's conventions for them are not there: with V they would be in its registers, and clang passes integers.
#[test]
fn riscv_has_no_vectors_as_parameters_and_results() {
    let platform = Platform { pointer_bytes: 8, name: "riscv64", ..ANY };
    for text in ["declare <2 x i32> @f()", "define void @f(<4 x i32> %x) {\n ret void\n}"] {
        assert!(parse_for(text, &platform).unwrap_err().message.contains("nothing else calls"));
    }
}

#[test]
fn vectors_are_passed_in_words_and_doubles_and_returned_by_memory() {
    let text = "define <4 x i16> @half(<8 x i16> %a) {
           %b = shufflevector <8 x i16> %a, <8 x i16> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
           ret <4 x i16> %b
         }
         define [2 x <2 x i64>] @both([2 x <2 x i64>] %a, <4 x i16> %b) {
           ret [2 x <2 x i64>] %a
         }
         define <3 x i64> @odd(<3 x i64> %a, <2 x i8> %b) {
           ret <3 x i64> %a
         }";
    let on = |name, pointer_bytes| {
        let out = print::module(&parse_for(text, &Platform { pointer_bytes, name, ..ANY }).unwrap());
        let own = |line: &&str| line.starts_with("define") && !line.contains("sysyc.");
        out.lines().filter(own).map(str::to_string).collect::<Vec<_>>()
    };
    let want = [
        "define double @half(i64 \"parts\"=\"2 16 vector\" %p0, i64 %p1) {",
        "define void @both(ptr \"results\"=\"v2f64 0 v2f64 16\" %p0, \
         i64 \"parts\"=\"4 16 vector\" %p1, i64 %p2, i64 %p3, i64 %p4, double %p5) {",
        "define void @odd(ptr \"results\"=\"double 0 double 8 double 16\" %p0, \
         double %p1, double %p2, double %p3, double %p4) {",
    ];
    assert_eq!(on("aarch64", 8), want);
    let want = [
        "define double @half(double \"parts\"=\"2 8 vector\" %p0, double %p1) {",
        "define void @both(ptr \"results\"=\"double 0 double 8 double 16 double 24\" %p0, \
         double \"parts\"=\"4 8 vector\" %p1, double %p2, double %p3, double %p4, double %p5) {",
        want[2],
    ];
    assert_eq!(on("armv7", 4), want);
}
