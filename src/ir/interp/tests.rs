//! Programs run by both machines: agreement where they are defined, traps where they are not.

use super::*;
use crate::ir::opcode::{Form, Types};
use crate::ir::parse::parse;
use crate::ir::{Number, Op, fold, print};

/// Result and output of one machine.
fn execute(text: &str, input: &str, options: Options) -> (Result<i32, Trap>, String) {
    let m = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (mut input, mut output, mut errors) = (input.as_bytes(), Vec::new(), Vec::new());
    let result = run(&m, "main", &mut input, &mut output, &mut errors, options);
    (result, String::from_utf8_lossy(&output).into_owned())
}

/// Result and output, on which both machines must agree.
fn both(text: &str, input: &str) -> (i32, String) {
    let fast = execute(text, input, Options { verify: true, ..Options::default() });
    let checked = execute(text, input, Options { check: true, ..Options::default() });
    assert_eq!(fast, checked, "{text}");
    (fast.0.unwrap(), fast.1)
}

/// Why the checking machine stops, and the line of the text that it blames.
fn trap(text: &str) -> (String, usize) {
    let options = Options { check: true, ..Options::default() };
    let (result, _) = execute(text, "", options);
    let trap = result.expect_err(text);
    (trap.message, text[..trap.loc as usize].matches('\n').count() + 1)
}

fn main_of(body: &str) -> String {
    format!("define i32 @main() {{\n{body}\n}}")
}

#[test]
fn every_operation_agrees_with_the_folder() {
    let values = [0i64, 1, -1, 2, 7, 31, -8, 1000, i64::from(i32::MAX), i64::from(i32::MIN)];
    for ty in ["i32", "i64", "i8"] {
        let mut body = String::new();
        let mut expected = Vec::new();
        let mut n = 0;
        let binary = |op: &Op| op.row().types == Types::Int && op.row().operands == 2;
        for op in Op::ALL.iter().copied().filter(binary) {
            for a in values {
                for b in values {
                    let of = Type::ALL.into_iter().find(|t| t.name() == ty).unwrap();
                    let number = |x: i64| Number::int(of, x);
                    let Some(result) = fold(op, of, 0, &[number(a), number(b)]) else { continue };
                    let name = op.row().name;
                    let apply = |a: &str, b: &str| match op.row().form {
                        Form::Plain => format!("{name} {ty} {a}, {b}"),
                        _ => format!("call {ty} @{name}.{ty}({ty} {a}, {ty} {b})"),
                    };
                    let (a, b) = (number(a).bits as i64, number(b).bits as i64);
                    // Through memory, so that nothing is a literal; and with a literal on the right.
                    body += &format!(
                        "  store {ty} {a}, ptr @a\n  store {ty} {b}, ptr @b\n  %x{n} = load {ty}, ptr @a\n  \
                         %y{n} = load {ty}, ptr @b\n  %z{n} = {}\n  %w{n} = {}\n  \
                         %e{n} = icmp eq {ty} %z{n}, %w{n}\n  \
                         %k{n} = select i1 %e{n}, {ty} %z{n}, {ty} 99\n",
                        apply(&format!("%x{n}"), &format!("%y{n}")),
                        apply(&format!("%x{n}"), &b.to_string()),
                    );
                    body += &match ty {
                        "i32" => format!("  call void @putint(i32 %k{n})\n  call void @putch(i32 10)\n"),
                        "i64" => format!(
                            "  %l{n} = trunc i64 %k{n} to i32\n  %h{n} = lshr i64 %k{n}, 32\n  \
                             %m{n} = trunc i64 %h{n} to i32\n  %o{n} = xor i32 %l{n}, %m{n}\n  \
                             call void @putint(i32 %o{n})\n  call void @putch(i32 10)\n"
                        ),
                        _ => format!(
                            "  %l{n} = sext i8 %k{n} to i32\n  call void @putint(i32 %l{n})\n  \
                             call void @putch(i32 10)\n"
                        ),
                    };
                    let bits = result.bits as i64;
                    expected.push(if ty == "i64" { (bits ^ bits >> 32) as i32 } else { bits as i32 });
                    n += 1;
                }
            }
        }
        let text = format!(
            "@a = global i64 0\n@b = global i64 0\ndeclare void @putint(i32)\ndeclare void @putch(i32)\n\
             define i32 @main() {{\n{body}  ret i32 0\n}}"
        );
        let (_, output) = both(&text, "");
        let lines: Vec<i32> = output.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(lines, expected, "{ty}");
    }
}

#[test]
fn operations_on_one_and_on_three_operands_agree_with_the_folder() {
    let body = "  store float -3.5, ptr @f
  store i32 -2147483648, ptr @i
  %f = load float, ptr @f
  %i = load i32, ptr @i
  %a = call float @llvm.fabs.f32(float %f)
  %b = call float @llvm.fma.f32(float %f, float %a, float 0.25)
  call void @putfloat(float %b)
  %c = call i32 @llvm.abs.i32(i32 %i, i1 false)
  %d = add i32 %c, 1
  %e = call i32 @llvm.abs.i32(i32 %d, i1 false)
  call void @putint(i32 %e)
  %g = fdiv float %f, 0.0
  %h = call float @llvm.fma.f32(float %g, float 0.0, float %f)
  ret i32 %e";
    let text = format!(
        "@f = global float 0.0\n@i = global i32 0\ndeclare void @putint(i32)\ndeclare void @putfloat(float)\n{}",
        main_of(body)
    );
    assert_eq!(both(&text, ""), (i32::MAX, "-0x1.8p+32147483647".to_string()));
}

#[test]
fn what_an_inner_loop_reads_of_an_outer_counter_stays() {
    // %j is the next %i, is computed in each round of the inner loop, and may not be put where %i is.
    let text = "\
define i32 @main() {
a:
  br label %outer
outer:
  %i = phi i32 [ 2, %a ], [ %j, %inner ]
  %s = phi i32 [ 0, %a ], [ %t, %inner ]
  %c = icmp slt i32 %i, 4
  br i1 %c, label %inner, label %end
inner:
  %k = phi i32 [ 0, %outer ], [ %l, %inner ]
  %r = phi i32 [ %s, %outer ], [ %t, %inner ]
  %j = add i32 %i, 1
  %m = mul i32 %r, 3
  %t = add i32 %m, %j
  %l = add i32 %k, 1
  %d = icmp slt i32 %l, 3
  br i1 %d, label %inner, label %outer
end:
  ret i32 %s
}";
    assert_eq!(both(text, "").0, (0..3).fold((0..3).fold(0, |s, _| 3 * s + 3), |s, _| 3 * s + 4));
}

/// The step of a counter goes into the jump behind it only if nothing else jumps there: the entry comes to the comparison, too,
/// which no jump takes along, since values are copied behind it.
#[test]
fn a_step_that_others_jump_behind_stays() {
    let text = "declare i32 @getint()
        declare void @putint(i32)
        define i32 @main() {
        entry:
          %n = call i32 @getint()
          br label %head
        body:
          call void @putint(i32 %i)
          %j = add i32 %i, 1
          br label %head
        head:
          %i = phi i32 [ 0, %entry ], [ %j, %body ]
          %c = icmp slt i32 %i, %n
          br i1 %c, label %body, label %end
        end:
          %r = phi i32 [ 7, %head ]
          ret i32 %r
        }";
    assert_eq!(both(text, "5"), (7, "01234".to_string()));
}

#[test]
fn phis_are_read_before_they_are_set() {
    let text = "\
define i32 @main() {
a:
  br label %l
l:
  %x = phi i32 [ 1, %a ], [ %y, %l ]
  %y = phi i32 [ 2, %a ], [ %z, %l ]
  %z = phi i32 [ 3, %a ], [ %x, %l ]
  %i = phi i32 [ 0, %a ], [ %j, %l ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, 5
  br i1 %c, label %l, label %e
e:
  %m = mul i32 %x, 100
  %n = mul i32 %y, 10
  %o = add i32 %m, %n
  %p = add i32 %o, %z
  ret i32 %p
}";
    assert_eq!(both(text, "").0, 231);
}

#[test]
fn addresses_of_every_form_reach_the_same_element() {
    let text = "\
@g = global [3 x [4 x [5 x i32]]] zeroinitializer
declare i32 @getint()
define i32 @at(ptr %row, i64 %k) {
  %p = getelementptr [5 x i32], ptr %row, i32 1, i64 %k
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @main() {
  %local = alloca [3 x [4 x [5 x i32]]]
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 240, i1 false)
  %i = call i32 @getint()
  %j = call i32 @getint()
  %k = call i32 @getint()
  %a = getelementptr inbounds [3 x [4 x [5 x i32]]], ptr @g, i32 0, i32 %i, i32 %j, i32 %k
  store i32 7, ptr %a
  %b = getelementptr inbounds [4 x [5 x i32]], ptr @g, i32 %i
  %c = getelementptr inbounds [5 x i32], ptr %b, i32 %j
  %d = getelementptr inbounds i32, ptr %c, i32 %k
  %v = load i32, ptr %d
  %j1 = sub i32 %j, 1
  %e = getelementptr inbounds [5 x i32], ptr %b, i32 %j1
  %k64 = sext i32 %k to i64
  %w = call i32 @at(ptr %e, i64 %k64)
  %f = getelementptr inbounds [4 x [5 x i32]], ptr %local, i32 1, i32 %j, i32 3
  store i32 %w, ptr %f
  %h = getelementptr inbounds [4 x [5 x i32]], ptr %local, i32 1, i32 2, i32 %k
  %x = load i32, ptr %h
  %s = add i32 %v, %x
  ret i32 %s
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)";
    assert_eq!(both(text, "1 2 3").0, 14);
}

#[test]
fn addresses_wrap_around_where_they_have_32_bits_only() {
    // 4 * 2^30 bytes behind an array: by subscripts of both widths, known and unknown.
    let text = |access: &str| {
        format!(
            "\
@a = global [4 x i32] [i32 11, i32 22, i32 33, i32 44]
@two = global i32 2
define i32 @main() {{
  %t = load i32, ptr @two
  %i = shl i32 %t, 29
  %k = sext i32 %i to i64
{access}
}}"
        )
    };
    let run = |access: &str, narrow: bool| {
        let (result, _) = execute(&text(access), "", Options { narrow, ..Options::default() });
        result.map_err(|trap| trap.message)
    };
    let outside = Err("access outside of the program's memory".to_string());
    let known = i64::from(1u32 << 30);
    for index in ["i32 %i".to_string(), "i64 %k".to_string(), format!("i32 {known}"), format!("i64 {known}")]
    {
        let access = |ty: &str| {
            format!(
                "  %p = getelementptr [4 x i32], ptr @a, i32 0, {index}\n  %v = load {ty}, ptr %p\n  ret i32 3"
            )
        };
        let back = format!(
            "  %p = getelementptr i32, ptr @a, {index}\n  %q = getelementptr i32, ptr %p, i32 -{known}\n  \
             %r = getelementptr i32, ptr %q, i32 2\n  %v = load i32, ptr %r\n  ret i32 %v"
        );
        let same = format!(
            "  %p = getelementptr i32, ptr @a, {index}\n  %c = icmp eq ptr %p, @a\n  \
             %z = zext i1 %c to i32\n  br i1 %c, label %y, label %n\ny:\n  ret i32 %z\nn:\n  %x = add i32 %z, 5\n  \
             ret i32 %x"
        );
        let write = format!("  %p = getelementptr i32, ptr @a, {index}\n  store i32 8, ptr %p\n  ret i32 3");
        for access in [access("i32"), access("i8"), write] {
            assert_eq!(run(&access, true), Ok(3), "{access}");
            assert_eq!(run(&access, false), outside, "{access}");
        }
        assert_eq!([run(&back, true), run(&back, false)], [Ok(33), Ok(33)], "{back}");
        assert_eq!([run(&same, true), run(&same, false)], [Ok(1), Ok(5)], "{same}");
    }
}

#[test]
fn deep_recursion_takes_no_stack_of_ours_and_endless_recursion_traps() {
    let sum = "\
define i32 @sum(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %y, label %r
y:
  ret i32 0
r:
  %m = sub i32 %n, 1
  %s = call i32 @sum(i32 %m)
  %t = add i32 %s, %n
  ret i32 %t
}
define i32 @main() {
  %s = call i32 @sum(i32 400000)
  ret i32 %s
}";
    assert_eq!(both(sum, "").0, (400_000i64 * 400_001 / 2) as i32);
    let endless = "\
define void @f() {
  %a = alloca [100 x i32]
  store i32 1, ptr %a
  call void @f()
  ret void
}
define i32 @main() {
  call void @f()
  ret i32 0
}";
    for check in [false, true] {
        let (result, _) = execute(endless, "", Options { check, stack: 1 << 20, ..Options::default() });
        assert_eq!(result.map_err(|trap| trap.message), Err("stack overflow".to_string()));
        let looping = main_of("  br label %l\nl:\n  br label %l");
        let (result, _) = execute(&looping, "", Options { check, steps: 1000, ..Options::default() });
        assert!(result.is_err_and(|trap| trap.message.contains("too many steps")));
    }
}

#[test]
fn undefined_operations_are_reported_where_they_happen() {
    let global = |body: &str| format!("@a = global [2 x [3 x i32]] zeroinitializer\n{}", main_of(body));
    let copy = |to: &str| {
        let at = format!("  %p = getelementptr i32, ptr @a, {to}\n");
        format!(
            "{at}  %n = add i64 12, 0\n  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @a, i64 %n, i1 false)\n  ret i32 0"
        )
    };
    // The last element of the array, and what the mask says of the one behind it.
    let lanes = |mask: &str, lane: u32| {
        format!(
            "  %p = getelementptr i32, ptr @a, i32 5\n  \
             %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr %p, i32 4, <2 x i1> {mask}, <2 x i32> undef)\n  \
             %x = extractelement <2 x i32> %v, i64 {lane}\n  ret i32 %x"
        )
    };
    let known =
        execute(&global(&lanes("<i1 true, i1 false>", 0)), "", Options { check: true, ..Options::default() });
    assert_eq!(known.0, Ok(0));
    let cases = [
        (main_of("  %x = sub i32 0, 0\n  %y = sdiv i32 1, %x\n  ret i32 %y"), "division by zero", 3),
        (main_of("  %p = alloca i32\n  %x = load i32, ptr %p\n  ret i32 %x"), "a local variable is read", 3),
        (main_of("  %x = add i32 undef, 1\n  ret i32 %x"), "never initialised", 2),
        (
            global("  %p = getelementptr [2 x [3 x i32]], ptr @a, i32 0, i32 1, i32 3\n  ret i32 0"),
            "index 3 is outside of a dimension of 3",
            3,
        ),
        (
            global(
                "  %p = getelementptr [3 x i32], ptr @a, i32 2, i32 0\n  %x = load i32, ptr %p\n  ret i32 %x",
            ),
            "element 6 of 'a' (6 elements)",
            4,
        ),
        (
            global("  %p = getelementptr i32, ptr @a, i32 -1\n  store i32 1, ptr %p\n  ret i32 0"),
            "element -1 of 'a' (6 elements)",
            4,
        ),
        (main_of("  %s = sub i32 32, 0\n  %x = shl i32 1, %s\n  ret i32 %x"), "a shift by 32", 3),
        (global(&copy("i32 2")), "a copy between stretches of memory that overlap", 5),
        (global(&copy("i32 4")), "element 4 of 'a' (6 elements)", 5),
        (global(&lanes("<i1 true, i1 true>", 0)), "element 6 of 'a' (6 elements)", 4),
        (global(&lanes("<i1 true, i1 false>", 1)), "never initialised", 6),
        (
            global(
                "  %v = call <2 x i32> @llvm.experimental.vp.strided.load.v2i32.p0.i64(ptr @a, i64 -4, \
                 <2 x i1> <i1 true, i1 true>, i32 2)\n  ret i32 0",
            ),
            "element -1 of 'a' (6 elements)",
            3,
        ),
        (main_of("  unreachable"), "never reached", 2),
        (main_of("  store i32 1, ptr undef\n  ret i32 0"), "never initialised", 2),
    ];
    for (text, message, line) in cases {
        let (found, at) = trap(&text);
        assert!(found.contains(message), "{text}\n{found}");
        assert_eq!(at, line, "{text}\n{found}");
    }
}

/// A scalar that only loads and stores reach is a cell of the checking machine; this must not show.
#[test]
fn scalars_in_memory_begin_without_a_value_in_every_call() {
    let text = |second: &str| {
        format!(
            "\
@g = global i32 5
declare i32 @getint()
define i32 @f(i32 %n) {{
  %x = alloca i32
  %p = alloca ptr
  %z = icmp eq i32 %n, 0
  br i1 %z, label %r, label %s
s:
  store i32 %n, ptr %x
  store ptr @g, ptr %p
  %m = sub i32 %n, 1
  %v = call i32 @f(i32 %m)
  %w = load i32, ptr %x
  %q = load ptr, ptr %p
  %u = load i32, ptr %q
  %t = add i32 %v, %w
  %o = add i32 %t, %u
  ret i32 %o
r:
  {second}
  ret i32 %y
}}
{}",
            main_of("  %n = call i32 @getint()\n  %x = call i32 @f(i32 %n)\n  ret i32 %x")
        )
    };
    assert_eq!(both(&text("%y = add i32 %n, 7"), "3").0, 7 + 1 + 2 + 3 + 15);
    let message = "a local variable is read, but was never initialised";
    assert_eq!(trap(&text("%y = load i32, ptr %x")), (message.to_string(), 20));
    // Of other types than its own it is memory.
    let (a, b) = ("  %x = alloca i32\n  store i32 -2, ptr %x\n", "  %z = sext i8 %y to i32\n  ret i32 %z");
    assert_eq!(both(&main_of(&format!("{a}  %y = load i8, ptr %x\n{b}")), "").0, -2);
    let undefined = "  %x = alloca i32\n  store i32 undef, ptr %x\n  %y = load i32, ptr %x\n  ret i32 %y";
    assert_eq!(trap(&main_of(undefined)), (message.to_string(), 4));
}

#[test]
fn jumps_compare_without_signs() {
    for (x, y) in [(1, 2), (7, 7), (-1, 1), (1, -1), (i32::MIN, i32::MAX), (-2, -1), (0, -1)] {
        let (a, b) = (x as u32, y as u32);
        for (pred, holds) in [("ult", a < b), ("ule", a <= b), ("ugt", a > b), ("uge", a >= b)] {
            for with in ["%y".to_string(), y.to_string()] {
                let text = format!(
                    "  %p = alloca i32\n  store i32 {x}, ptr %p\n  %x = load i32, ptr %p
  %q = alloca i32\n  store i32 {y}, ptr %q\n  %y = load i32, ptr %q
  %c = icmp {pred} i32 %x, {with}
  br i1 %c, label %t, label %e
t:
  ret i32 1
e:
  ret i32 2"
                );
                assert_eq!(both(&main_of(&text), "").0, if holds { 1 } else { 2 }, "{text}");
            }
        }
    }
}

#[test]
fn memory_in_a_loop_is_one_object_and_loses_its_value() {
    let text = |skip: &str| {
        main_of(&format!(
            "  br label %l
l:
  %i = phi i32 [ 0, %o ], [ %j, %m ]
  %s = phi i32 [ 0, %o ], [ %t, %m ]
  %a = alloca [2 x i32]
  %c = icmp {skip} i32 %i, 2
  br i1 %c, label %m, label %w
w:
  store i32 %i, ptr %a
  br label %m
m:
  %v = load i32, ptr %a
  %t = add i32 %s, %v
  %j = add i32 %i, 1
  %d = icmp slt i32 %j, 5
  br i1 %d, label %l, label %e
e:
  ret i32 %t"
        ))
        .replace("{\n  br", "{\no:\n  br")
    };
    assert_eq!(both(&text("slt").replace("%c =", "%b =").replace("i1 %c", "i1 false"), "").0, 10);
    let message = "element 0 of a local array (2 elements) is read, but was never initialised";
    assert_eq!(trap(&text("eq")), (message.to_string(), 14));
}

#[test]
fn a_trap_tells_the_calls_that_led_there() {
    let text = "\
define void @f(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %y, label %r
y:
  unreachable
r:
  %m = sub i32 %n, 1
  call void @f(i32 %m)
  ret void
}
define i32 @main() {
  call void @f(i32 14)
  ret i32 0
}";
    for check in [false, true] {
        let (result, _) = execute(text, "", Options { check, ..Options::default() });
        let trap = result.expect_err(text);
        let line = |loc: u32| text[..loc as usize].matches('\n').count() + 1;
        assert_eq!((trap.calls.len(), trap.more, line(trap.loc)), (10, 5, 5));
        assert!(trap.calls.iter().all(|call| line(call.loc) == 8 && Some(call.func) == trap.func));
    }
}

#[test]
fn unchecked_division_by_zero_and_wild_addresses_do_not_stop_us() {
    let text = main_of(
        "  %x = sub i32 0, 0\n  %y = sdiv i32 5, %x\n  %z = srem i32 7, %x\n  %s = add i32 %y, %z\n  ret i32 %s",
    );
    assert_eq!(execute(&text, "", Options::default()).0, Ok(7));
    let wild = "@a = global i32 0\n".to_string()
        + &main_of("  %p = getelementptr i32, ptr @a, i32 -100000\n  store i32 1, ptr %p\n  ret i32 0");
    assert!(execute(&wild, "", Options::default()).0.is_err());
}

#[test]
fn the_runtime_reads_and_prints_as_the_library_does() {
    let text = "\
@a = global [4 x i32] zeroinitializer
@f = global [4 x float] zeroinitializer
@s = internal constant [21 x i8] c\"%d %c|%5d|%.2f %a%%\\0A\\00\"
declare i32 @getarray(ptr)
declare i32 @getfarray(ptr)
declare i32 @getch()
declare float @getfloat()
declare void @putarray(i32, ptr)
declare void @putfarray(i32, ptr)
declare void @putfloat(float)
declare void @putf(ptr, ...)
declare void @_sysy_starttime(i32)
declare void @_sysy_stoptime(i32)
define i32 @main() {
  call void @_sysy_starttime(i32 3)
  %n = call i32 @getarray(ptr @a)
  call void @putarray(i32 %n, ptr @a)
  %m = call i32 @getfarray(ptr @f)
  call void @putfarray(i32 %m, ptr @f)
  %c = call i32 @getch()
  %x = call float @getfloat()
  %d = fpext float %x to double
  call void (ptr, ...) @putf(ptr @s, i32 %n, i32 65, i32 %c, double %d, double %d)
  %z = fneg float 0x0
  call void @putfloat(float %z)
  call void @_sysy_stoptime(i32 9)
  %e = call i32 @getch()
  ret i32 %e
}";
    let (code, output) = both(text, "3 1 -2 3\n2 0.5 0x1p3\n-1.25");
    assert_eq!(code, -1);
    assert_eq!(output, "3: 1 -2 3\n2: 0x1p-1 0x1p+3\n3 A|   10|-1.25 -0x1.4p+0%\n-0x0p+0");
    let m = parse(text).unwrap();
    let (mut input, mut output, mut errors) = ("".as_bytes(), Vec::new(), Vec::new());
    assert_eq!(run(&m, "main", &mut input, &mut output, &mut errors, Options::default()), Ok(-1));
    let report = String::from_utf8(errors).unwrap();
    assert!(report.starts_with("Timer@0003-0009: 0H-0M-0S-") && report.contains("TOTAL: "), "{report}");
}

#[test]
fn too_long_an_input_array_does_not_leave_its_object() {
    let text = "\
@a = global [2 x i32] zeroinitializer
@b = global i32 5
declare i32 @getarray(ptr)
define i32 @main() {
  %n = call i32 @getarray(ptr @a)
  ret i32 %n
}";
    let (result, _) = execute(text, "3 1 2 3", Options { check: true, ..Options::default() });
    assert!(result.is_err_and(|trap| trap.message == "getarray reads 3 elements into 'a', which has 2"));
}

#[test]
fn what_cannot_be_run_is_said_at_once() {
    let error = |text: &str| execute(text, "", Options::default()).0.expect_err(text).message;
    assert!(error("define i32 @f() {\n  ret i32 0\n}").contains("no function `main`"));
    assert!(error("define i32 @main(i32 %x) {\n  ret i32 0\n}").contains("take nothing"));
    let unknown = "declare void @foo()\n".to_string() + &main_of("  call void @foo()\n  ret i32 0");
    assert!(error(&unknown).contains("`foo` is only declared"));
    let wrong =
        "declare i32 @putint(i32)\n".to_string() + &main_of("  %x = call i32 @putint(i32 1)\n  ret i32 0");
    assert!(error(&wrong).contains("`putint`"));
    let uncalled = "declare void @foo()\n".to_string() + &main_of("  ret i32 4");
    assert_eq!(both(&uncalled, "").0, 4);
    assert!(print::module(&parse(&uncalled).unwrap()).contains("@foo"));
}

#[test]
fn a_reader_or_writer_that_fails_ends_the_run() {
    struct Broken;
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let text =
        "declare void @putint(i32)\n".to_string() + &main_of("  call void @putint(i32 1)\n  ret i32 0");
    let m = parse(&text).unwrap();
    let (mut input, mut errors) = ("".as_bytes(), Vec::new());
    let result = run(&m, "main", &mut input, &mut Broken, &mut errors, Options::default());
    assert!(result.is_err_and(|trap| trap.message.contains("cannot write")));
}
