//! Structs, addresses in data, null pointers, and calls of what has an address.

use super::{parse, trip};
use crate::ir::interp::{Options, run};
use crate::ir::parse::{ANY, Platform, parse_for};
use crate::ir::{Op, Type, print};

/// What a program of these functions returns from `main`.
pub(super) fn result(text: &str) -> i32 {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    run(&module, "main", &mut &b""[..], &mut Vec::new(), &mut Vec::new(), Options::default()).expect(text)
}

/// The same by both machines of the interpreter.
pub(super) fn checked(text: &str) -> i32 {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options { check: true, ..Options::default() };
    let done = run(&module, "main", &mut &b""[..], &mut Vec::new(), &mut Vec::new(), options).expect(text);
    assert_eq!(done, result(text), "{text}");
    done
}

#[test]
fn a_struct_is_its_bytes_and_a_field_is_so_many_bytes_behind_its_start() {
    let out = trip(
        "%s = type { i8, i32, [3 x i8], %t }
         %t = type { i8, double }
         @a = global [2 x %s] zeroinitializer
         define ptr @f(ptr %p, i64 %k) {
           %x = getelementptr inbounds %s, ptr %p, i64 1, i32 3, i32 1
           %y = getelementptr inbounds [2 x %s], ptr %x, i64 0, i64 %k, i32 2, i64 1
           ret ptr %y
         }",
    );
    // i8 at 0, i32 at 4, bytes at 8, the inner struct at 16: i8 at 0, double at 8; 32 bytes.
    assert!(out.contains("@a = global [64 x i8] zeroinitializer\n"), "{out}");
    assert!(out.contains("getelementptr inbounds i8, ptr %p0, i32 56"), "{out}");
    assert!(out.contains("getelementptr inbounds [32 x i8], ptr %v0, i64 %p1"), "{out}");
    assert!(out.contains("getelementptr inbounds i8, ptr %v1, i32 9"), "{out}");
    // Packed ones have no gaps; pointers are as wide as the machine's.
    let text = "%p = type <{ i8, i32, ptr }>\n@a = global [3 x %p] zeroinitializer\n@b = global { i8, ptr } zeroinitializer";
    assert!(trip(text).contains("@a = global [39 x i8]"));
    let narrow = Platform { pointer_bytes: 4, ..ANY };
    let out = print::module(&parse_for(text, &narrow).unwrap());
    assert!(out.contains("@a = global [27 x i8]") && out.contains("@b = global [8 x i8]"), "{out}");
}

#[test]
fn contents_of_structs_are_bytes_and_addresses_among_them() {
    let text = "%s = type { i8, ptr, i32 }
         @n = global i32 7
         @a = global [2 x %s] [%s { i8 -1, ptr @n, i32 258 }, %s { i8 0, ptr getelementptr (i8, ptr @later, i64 4), i32 0 }]
         @list = constant [3 x ptr] [ptr null, ptr @main, ptr @a]
         @number = global { i64, i32 } { i64 ptrtoint (ptr @n to i64), i32 1 }
         @double = global { double, i64 } { double 1.0, i64 -2 }
         @later = global [2 x i32] [i32 1, i32 9]
         define i32 @main() {
           %p = load ptr, ptr getelementptr inbounds (%s, ptr @a, i64 1, i32 1)
           %x = load i32, ptr %p
           %q = load ptr, ptr getelementptr inbounds (%s, ptr @a, i64 0, i32 1)
           %y = load i32, ptr %q
           %z = load i32, ptr getelementptr inbounds (%s, ptr @a, i64 0, i32 2)
           %w = load i64, ptr getelementptr inbounds ({ double, i64 }, ptr @double, i64 0, i32 1)
           %v = trunc i64 %w to i32
           %r = load ptr, ptr getelementptr inbounds ([3 x ptr], ptr @list, i64 0, i64 2)
           %u = load i8, ptr %r
           %t = sext i8 %u to i32
           %1 = add i32 %x, %y
           %2 = add i32 %1, %z
           %3 = add i32 %2, %v
           %4 = add i32 %3, %t
           ret i32 %4
         }";
    let out = trip(text);
    assert!(out.contains("@list = constant [3 x ptr] [ptr null, ptr @main, ptr @a]"), "{out}");
    assert!(out.contains("ptr getelementptr (i8, ptr @later, i64 4)"), "{out}");
    assert!(out.contains("c\"\\02\\01\\00\\00"), "{out}");
    assert_eq!(result(text), 9 + 7 + 258 - 2 - 1);
    assert_eq!(result(&out), 9 + 7 + 258 - 2 - 1);
}

#[test]
fn what_is_called_by_its_address_is_a_call_that_may_do_everything() {
    let text = "@table = global [2 x ptr] [ptr @one, ptr @two]
         @n = internal global i32 0
         define internal i32 @one(i32 %x, i32 %y) {
           store i32 %x, ptr @n
           %r = sub i32 %x, %y
           ret i32 %r
         }
         define internal i32 @two(i32 %x, i32 %y) {
           %r = mul i32 %x, %y
           ret i32 %r
         }
         define i32 @main() {
           %f = load ptr, ptr @table
           %a = call i32 %f(i32 20, i32 3)
           %g = load ptr, ptr getelementptr inbounds ([2 x ptr], ptr @table, i64 0, i64 1)
           %b = call i32 (i32, i32) %g(i32 %a, i32 2)
           %n = load i32, ptr @n
           %is = icmp eq ptr %g, @two
           %c = zext i1 %is to i32
           %d = add i32 %b, %n
           %e = add i32 %c, %d
           ret i32 %e
         }";
    let out = trip(text);
    assert!(out.contains("call i32 %v1(i32 20, i32 3)"), "{out}");
    assert!(!out.contains("indirect"), "{out}");
    assert_eq!(result(text), 55);
    let module = parse(text).unwrap();
    // One row for both calls.
    assert_eq!(module.env.funcs.iter().filter(|(_, func)| func.indirect).count(), 1);
    let closed = module.env.funcs.iter().filter(|(_, func)| func.is_closed()).count();
    assert_eq!(closed, 0);
    // What takes other arguments is none that may be called so.
    let wrong = text.replace("call i32 %f(i32 20, i32 3)", "call i32 %f(i32 20)");
    let module = parse(&wrong).unwrap();
    let trap = run(&module, "main", &mut &b""[..], &mut Vec::new(), &mut Vec::new(), Options::default());
    assert!(trap.unwrap_err().message.contains("no function"));
    // Of a variadic one, the fixed arguments are told.
    let out = trip("define void @f(ptr %p) {\n call void (i32, ...) %p(i32 1, double 2.0)\n ret void\n}");
    assert!(out.contains("call void (i32, ...) %p0(i32 1, double"), "{out}");
}

#[test]
fn null_is_the_address_of_zero_and_tests_of_it_are_of_numbers() {
    let text = "define i32 @main() {
           %a = alloca i32
           %p = select i1 true, ptr null, ptr %a
           %x = icmp eq ptr %p, null
           %n = ptrtoint ptr %a to i32
           %q = inttoptr i8 0 to ptr
           %y = icmp ne ptr %q, %a
           %z = and i1 %x, %y
           br i1 %z, label %yes, label %no
         yes:
           %r = phi ptr [ null, %0 ]
           %w = icmp eq ptr %r, %p
           %v = zext i1 %w to i32
           ret i32 %v
         no:
           ret i32 7
         }";
    assert_eq!(result(text), 1);
    let module = parse(text).unwrap();
    let count = |op: Op| module.nth(0).ops().filter(|&(_, have)| have == op).count();
    // The null pointer itself once, and one that is computed.
    assert_eq!((count(Op::IntToPtr), count(Op::PtrToInt)), (2, 2));
    let out = trip(text);
    assert!(out.contains("icmp eq i64 %v") && out.contains("inttoptr i64 0 to ptr"), "{out}");
}

#[test]
fn constants_of_addresses_become_instructions() {
    let text = "@a = global [4 x i32] zeroinitializer
         define i32 @main() {
           %x = icmp eq i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @a, i64 12) to i64), i64 ptrtoint (ptr @a to i64)), 12
           %y = icmp eq i64 ptrtoint (ptr @a to i64), 0
           %z = xor i1 %x, %y
           store i32 5, ptr inttoptr (i64 add (i64 ptrtoint (ptr @a to i64), i64 8) to ptr)
           %v = load i32, ptr getelementptr inbounds ([4 x i32], ptr @a, i64 0, i64 2)
           %w = zext i1 %z to i32
           %r = add i32 %v, %w
           ret i32 %r
         }";
    assert_eq!(result(text), 6);
}

#[test]
fn halves_of_words_are_numbers_as_others() {
    let text = "@h = global [4 x i16] [i16 1, i16 -2, i16 65535, i16 -32768]
         @b = internal global i1 true
         define i32 @main() {
           %p = getelementptr inbounds [4 x i16], ptr @h, i64 0, i64 3
           %x = load i16, ptr %p
           %y = load i16, ptr getelementptr inbounds ([4 x i16], ptr @h, i64 0, i64 1)
           %s = add i16 %x, %y
           %w = zext i16 %s to i32
           %m = icmp ult i16 %x, %y
           %b = load i1, ptr @b
           %c = and i1 %m, %b
           %d = zext i1 %c to i32
           %e = lshr i16 %x, 15
           %f = sext i16 %e to i32
           %1 = add i32 %w, %d
           %2 = add i32 %1, %f
           ret i32 %2
         }";
    assert!(trip(text).contains("@h = global [4 x i16] [i16 1, i16 -2, i16 -1, i16 -32768]"));
    assert_eq!(result(text), 0x7ffe + 1 + 1);
}

#[test]
fn volatile_accesses_stay() {
    let text = "define i32 @main() {
           %a = alloca i32
           store volatile i32 3, ptr %a
           %x = load volatile i32, ptr %a
           store volatile i32 4, ptr %a
           %y = load volatile i32, ptr %a
           ret i32 %y
         }";
    let out = trip(text);
    assert!(
        out.contains("load volatile i32, ptr %v0") && out.contains("store volatile i32 3, ptr %v0"),
        "{out}"
    );
    assert_eq!(result(text), 4);
}

#[test]
fn what_is_aligned_less_than_its_type_goes_in_parts() {
    let text = "@m = global [32 x i8] zeroinitializer
         define i32 @main() {
           %p = getelementptr i8, ptr @m, i64 1
           store i32 305419896, ptr %p, align 1
           %x = load i32, ptr %p, align 1
           %q = getelementptr i8, ptr @m, i64 10
           store double 1.5, ptr %q, align 2
           %y = load double, ptr %q, align 2
           %z = fptosi double %y to i32
           store float 2.0, ptr %p, align 1
           %f = load float, ptr %p, align 1
           %f.int = fptosi float %f to i32
           store ptr @m, ptr %p, align 4
           %r = load ptr, ptr %p, align 4
           %is = icmp eq ptr %r, @m
           %bits = bitcast float 1.0 to i32
           %u = select i1 %is, i32 %z, i32 %bits
           %v = sub i32 %x, 305419800
           %w = add i32 %u, %v
           %s = add i32 %w, %f.int
           ret i32 %s
         }";
    assert_eq!(result(text), 99);
    let count = |op: Op| parse(text).unwrap().nth(0).ops().filter(|&(_, have)| have == op).count();
    // Four bytes twice, four halves, two words, and the bits of floats five times.
    let apart = 2 * 4 + 4 + 2 + 5;
    assert_eq!((count(Op::Store), count(Op::Load)), (apart, apart));
    // A machine that does not ask for alignment has one access for each; one that does so but for words has a number in two.
    let words: &[Type] = &[Type::I16, Type::I32, Type::Ptr];
    let all: &[Type] = &[Type::I16, Type::I32, Type::I64, Type::Ptr, Type::F32, Type::F64];
    for (unaligned, accesses) in [(&[][..], apart), (all, 4 + 1), (words, 1 + 1 + 2 + 1 + 5)] {
        let module = parse_for(text, &Platform { unaligned, ..ANY }).unwrap();
        let count = |op: Op| module.nth(0).ops().filter(|&(_, have)| have == op).count();
        assert_eq!((count(Op::Store), count(Op::Load)), (accesses, accesses), "{unaligned:?}");
    }
}

#[test]
fn the_place_of_a_result_is_a_parameter_that_is_known() {
    let text = "define void @f(ptr sret({ i32, i32 }) %p, i32 %x) {
           store i32 %x, ptr %p
           ret void
         }
         define void @g(ptr sret(i8) %p, ptr %f) {
           call void @f(ptr sret(i8) %p, i32 1)
           call void %f(ptr sret(i8) %p, i32 2)
           call void %f(ptr %p, i32 3)
           ret void
         }";
    let out = trip(text);
    assert!(
        out.contains("call void %p1(ptr sret(i8) %p0, i32 2)")
            && out.contains("call void %p1(ptr %p0, i32 3)")
    );
    let by_memory = parse(text).unwrap().env.funcs.iter().filter(|(_, row)| row.returns_by).count();
    assert_eq!(by_memory, 3);
}

#[test]
fn integers_of_other_widths_are_words() {
    let text = "@m = global [32 x i8] zeroinitializer
         define i32 @main() {
           store i24 -2, ptr @m, align 4
           %a = load i24, ptr @m, align 1
           %b = sext i24 %a to i32
           %c = zext i24 %a to i64
           %d = lshr i64 %c, 20
           %e = trunc i64 %d to i32
           store i80 604462909807314587353089, ptr @m, align 2
           %f = load i80, ptr @m, align 4
           %g = lshr i80 %f, 68
           %h = trunc i80 %g to i16
           %i = shl i80 %f, 9
           %j = or i80 %i, 5
           %k = ashr i80 %j, 76
           %l = trunc i80 %k to i32
           %m = icmp slt i80 %j, %f
           %n = icmp eq i80 %f, %f
           %o = zext i16 %h to i72
           %p = add i72 %o, 18446744073709551615
           %q = lshr i72 %p, 64
           %r = trunc i72 %q to i32
           %s = load i8, ptr getelementptr (i8, ptr @m, i64 9)
           %t = zext i8 %s to i32
           %u = zext i16 %h to i32
           %v = zext i1 %m to i32
           %w = zext i1 %n to i32
           %x = sext i24 %a to i64
           %y = ashr i64 %x, 40
           %z = trunc i64 %y to i32
           call void @putint(i32 %z)
           call void @putint(i32 %b)
           call void @putint(i32 %e)
           call void @putint(i32 %u)
           call void @putint(i32 %l)
           call void @putint(i32 %v)
           call void @putint(i32 %w)
           call void @putint(i32 %r)
           call void @putint(i32 %t)
           ret i32 0
         }
         declare void @putint(i32)";
    // 604462909807314587353089 is 2^79 + 1.
    let wanted = [-1, -2, 15, 1 << 11, 0, 0, 1, 1, 128].map(|x: i32| x.to_string()).concat();
    for narrow in [false, true] {
        let platform = Platform { pointer_bytes: if narrow { 4 } else { 8 }, ..ANY };
        let module = parse_for(text, &platform).unwrap_or_else(|error| panic!("{error}"));
        let mut out = Vec::new();
        let options = Options { narrow, ..Options::default() };
        run(&module, "main", &mut &b""[..], &mut out, &mut Vec::new(), options).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), wanted, "{narrow}");
    }
}

#[test]
fn copies_of_a_few_bytes_are_loads_and_stores() {
    let copied = |platform: &Platform, bytes: u32, align: u32| {
        let text = format!(
            "define void @f(ptr %a, ptr %b) {{
               call void @llvm.memcpy.p0.p0.i64(ptr align {align} %a, ptr align 16 %b, i64 {bytes}, i1 false)
               ret void
             }}
             declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"
        );
        let out = print::module(&parse_for(&text, platform).unwrap());
        let loads = |ty: &str| out.matches(&format!("load {ty},")).count();
        let stores = out.matches("store ").count();
        (["i64", "i32", "i16", "i8"].map(loads), stores, out.contains("call void @llvm.memcpy"))
    };
    let strict = Platform { name: "riscv64", ..ANY };
    let lax = Platform { unaligned: &[Type::I16, Type::I32, Type::I64], ..strict };
    let narrow = Platform { pointer_bytes: 4, ..strict };
    assert_eq!(copied(&strict, 24, 8), ([3, 0, 0, 0], 3, false));
    assert_eq!(copied(&strict, 23, 8), ([2, 1, 1, 1], 5, false));
    assert_eq!(copied(&strict, 20, 4), ([0, 5, 0, 0], 5, false));
    assert_eq!(copied(&lax, 23, 1), ([2, 1, 1, 1], 5, false));
    assert_eq!(copied(&narrow, 24, 8), ([0, 6, 0, 0], 6, false));
    assert_eq!(copied(&strict, 0, 1), ([0; 4], 0, false));
    // More than eight parts, and the interpreter's machine.
    let call = ([0; 4], 0, true);
    assert_eq!([copied(&strict, 72, 8), copied(&strict, 9, 1), copied(&ANY, 8, 8)], [call; 3]);
}

#[test]
fn a_switch_on_less_than_a_word_is_on_a_word_without_sign() {
    let text = "define i32 @main() {
         %p = alloca i8
         store i8 -3, ptr %p
         %x = load i8, ptr %p
         switch i8 %x, label %other [ i8 0, label %no i8 1, label %a i8 2, label %no i8 3, label %a i8 4, label %no
                                      i8 -3, label %yes i8 127, label %no i8 -128, label %no ]
       no: ret i32 1
       a: ret i32 2
       other: ret i32 3
       yes: ret i32 4
       }";
    let out = trip(text);
    assert!(out.contains("zext i8") && !out.contains("i8 -128"), "{out}");
    assert_eq!(checked(text), 4);
    assert_eq!(checked(&text.replace("store i8 -3", "store i8 -4")), 3);
    assert_eq!(checked(&text.replace("store i8 -3", "store i8 3")), 2);
    assert_eq!(checked(&text.replace("store i8 -3", "store i8 -128")), 1);
}
