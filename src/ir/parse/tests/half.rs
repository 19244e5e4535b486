//! `half` and `bfloat`: their bits, operations by floats, and what is refused.

use super::memory::result;
use super::*;

/// What a program yields whose value `%x` is of this type, of the bits of what an instruction makes of it.
fn bits(ty: &str, x: &str, instruction: &str) -> i32 {
    result(&format!(
        "@a = global {ty} {x}
         define i32 @main() {{
           %x = load {ty}, ptr @a
           {instruction}
           %i = bitcast {ty} %r to i16
           %w = zext i16 %i to i32
           ret i32 %w
         }}
         define internal {ty} @twice({ty} %x) {{ %y = fadd {ty} %x, %x\n ret {ty} %y }}
         declare {ty} @llvm.fabs.{code}({ty})
         declare {ty} @llvm.copysign.{code}({ty}, {ty})",
        code = if ty == "half" { "f16" } else { "bf16" },
    ))
}

#[test]
fn operations_are_rounded_floats() {
    let cases = [
        ("half", "0xH3C00", "%r = fadd half %x, 0xH1400", 0x3c01),
        // Half of the last place: to the even one.
        ("half", "0xH3C00", "%r = fadd half %x, 0xH1000", 0x3c00),
        ("half", "0xH7BFF", "%r = fmul half %x, 0xH4000", 0x7c00),
        ("half", "0xH0001", "%r = fdiv half %x, 0xH4000", 0),
        ("half", "0xH0003", "%r = fdiv half %x, 0xH4000", 2),
        ("half", "0xH8000", "%r = fneg half %x", 0),
        ("half", "0xH7C01", "%f = fpext half %x to float\n %r = fptrunc float %f to half", 0x7e01),
        ("half", "0xH0001", "%d = fpext half %x to double\n %r = fptrunc double %d to half", 1),
        // Above the middle by what a float does not have.
        ("half", "0xH0000", "%r = fptrunc double 0x3FF0020000000001 to half", 0x3c01),
        ("half", "0xHC500", "%n = fptosi half %x to i8\n %r = sitofp i8 %n to half", 0xc500),
        ("half", "0xHC500", "%r = call half @llvm.fabs.f16(half %x)", 0x4500),
        ("half", "0xH4400", "%r = call half @llvm.copysign.f16(half %x, half 0xH8000)", 0xc400),
        ("half", "0xH4400", "%r = call half @twice(half %x)", 0x4800),
        ("half", "0xH4400", "%c = fcmp olt half %x, 0xH4500\n %r = select i1 %c, half 0xH0007, half %x", 7),
        ("bfloat", "0xR3F80", "%r = fadd bfloat %x, 0xR3B81", 0x3f81),
        ("bfloat", "0xR7F81", "%f = fpext bfloat %x to float\n %r = fptrunc float %f to bfloat", 0x7fc1),
        ("bfloat", "0xR4040", "%n = fptoui bfloat %x to i32\n %r = uitofp i32 %n to bfloat", 0x4040),
    ];
    for (ty, x, instruction, want) in cases {
        assert_eq!(bits(ty, x, instruction), want, "{instruction} of {x}");
    }
}

#[test]
fn what_is_no_operation_on_them_is_refused() {
    for (instruction, says) in [
        ("%r = add half %x, %x", "the type `half` is not supported"),
        ("%r = icmp eq half %x, %x", "the type `half` is not supported"),
        ("%r = frem half %x, %x", "`frem` of half and bfloat is not supported"),
        ("%r = fadd <2 x half> zeroinitializer, zeroinitializer", "not supported"),
        ("call void @g({ half, float } zeroinitializer)", "as a part of an argument or result"),
        ("%r = fptrunc float 1.0 to bfloat\n %y = fadd half %r, 1.0", "a value of type i16"),
    ] {
        let text = format!("declare void @g(...)\ndefine void @f(half %x) {{\n {instruction}\n ret void\n}}");
        let message = parse(&text).unwrap_err().message;
        assert!(message.contains(says), "{instruction}: {message}");
    }
}
