//! `fp128`: as it is read, and as it travels.

use super::super::{ANY, Platform, parse_for};
use super::*;
use crate::ir::print;

const AARCH64: Platform = Platform { pointer_bytes: 8, name: "aarch64", ..ANY };
const NARROW: Platform = Platform { pointer_bytes: 4, ..ANY };

/// The body of `define fp128 @f(fp128 %a, fp128 %b, i32 %n, ptr %p)`, printed.
fn body(code: &str) -> String {
    trip(&format!("define fp128 @f(fp128 %a, fp128 %b, i32 %n, ptr %p) {{\n{code}\n}}"))
}

#[test]
fn operations_are_calls_of_the_compilers_library() {
    for (code, function) in [
        ("%x = fadd nnan fp128 %a, %b", "__addtf3"),
        ("%x = fsub fp128 %a, 0xL00000000000000003FFF400000000000", "__subtf3"),
        ("%x = fmul fp128 %a, %b", "__multf3"),
        ("%x = fdiv fp128 %a, %b", "__divtf3"),
        ("%x = frem fp128 %a, %b", "fmodl"),
        ("%x = sitofp i32 %n to fp128", "__floatsitf"),
        ("%y = zext i32 %n to i64\n%x = uitofp nneg i64 %y to fp128", "__floatunditf"),
        ("%y = zext i32 %n to i128\n%x = sitofp i128 %y to fp128", "__floattitf"),
        ("%y = sitofp i32 %n to double\n%x = fpext double %y to fp128", "__extenddftf2"),
        ("%x = call fp128 @llvm.sqrt.f128(fp128 %a)", "sqrtl"),
        ("%y = fptoui fp128 %a to i64\n%x = sitofp i64 %y to fp128", "__fixunstfdi"),
        ("%y = fptrunc fp128 %a to float\n%x = fpext float %y to fp128", "__trunctfsf2"),
        ("%y = fptosi fp128 %a to i16\n%x = sitofp i16 %y to fp128", "__fixtfsi"),
    ] {
        let out = body(&format!("{code}\nret fp128 %x"));
        assert!(out.contains(&format!("@{function}(")), "{code}\n{out}");
    }
    // Signs are bits.
    let out = body("%x = fneg fp128 %a\n%y = call fp128 @llvm.fabs.f128(fp128 %x)\nret fp128 %y");
    assert!(!out.contains("call") && out.contains("xor i64 %p2"), "{out}");
}

#[test]
fn comparisons_ask_for_the_sign_of_a_number() {
    for (pred, calls, asked) in [
        ("olt", 1, "icmp slt"),
        ("uge", 1, "icmp sge"),
        ("oeq", 1, "icmp eq"),
        ("one", 2, "and i1"),
        ("ueq", 2, "or i1"),
        ("uno", 1, "icmp ne"),
    ] {
        let code =
            format!("%c = fcmp {pred} fp128 %a, %b\n%x = select i1 %c, fp128 %a, fp128 %b\nret fp128 %x");
        let out = body(&code);
        let count = out.matches("= call").count();
        assert!(count == calls && out.contains(asked), "{pred}\n{out}");
    }
}

#[test]
fn machines_with_registers_for_them_pass_them_there() {
    let text = "@g = global { i32, fp128 } { i32 1, fp128 0xL0123456789ABCDEF3FFF000000000000 }
         declare fp128 @h(i32, fp128, ...)
         define fp128 @f(fp128 %a, i32 %n) {
           %x = call fp128 (i32, fp128, ...) @h(i32 %n, fp128 %a, fp128 %a)
           ret fp128 %x
         }";
    let out = print::module(&parse_for(text, &AARCH64).unwrap());
    assert!(out.contains("\"results\"=\"v2f64 0\"") && out.contains("\"parts\"=\"2 16 vector\""), "{out}");
    assert_eq!(print::module(&parse_for(&out, &AARCH64).unwrap()), out);
    let out = trip(text);
    assert!(!out.contains("vector") && out.contains("\"results\"=\"i64 0 i64 8\""), "{out}");
}

#[test]
fn what_is_no_operation_on_them_is_refused() {
    for (code, message) in [
        ("%x = add fp128 %a, %b", "`fp128`"),
        ("%x = zext i32 %n to fp128", "`fp128`"),
        ("%x = zext i128 0 to fp128", "`fp128`"),
        ("%x = trunc fp128 %a to i32", "`fp128`"),
        ("%c = icmp eq fp128 %a, %b", "`fp128`"),
        ("%x = bitcast fp128 %a to <2 x double>", "`fp128`"),
        ("%x = fptrunc fp128 %a to i32", "`fptrunc` of fp128 to i32"),
        ("%x = fadd fp128 %a, 1.0", "a value of type fp128"),
        ("%x = fadd fp128 %a, 0xL00", "a value of type fp128"),
        ("%x = call fp128 @llvm.nothing.f128(fp128 %a)", "`llvm.nothing.f128`"),
        ("switch fp128 %a, label %l []", "`fp128`"),
    ] {
        let text = format!("define void @f(fp128 %a, fp128 %b, i32 %n) {{\n{code}\nret void\n}}");
        let error = parse_for(&text, &ANY).map(|_| ()).expect_err(&text);
        assert!(error.message.contains(message), "{code}\n{error}");
        assert_eq!(error.line, 2, "{code}\n{error}");
    }
    for (text, platform, message) in [
        ("define void @f([2 x fp128] %a) {\n ret void\n}", &AARCH64, "`fp128` as a part"),
        ("declare { fp128, i32 } @f()", &AARCH64, "`fp128` as a part"),
        (
            "define void @f(fp128 %a, ptr %p) {\n %x = fneg fp128 %a\n %y = fadd fp128 %x, %a\n ret void\n}",
            &NARROW,
            "on this machine",
        ),
    ] {
        let error = parse_for(text, platform).map(|_| ()).expect_err(text);
        assert!(error.message.contains(message), "{text}\n{error}");
    }
}
