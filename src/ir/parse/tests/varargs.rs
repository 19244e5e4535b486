//! Functions that take variadic arguments, and calls by address, where they run.

use super::memory::{checked, result};
use super::parse;
use crate::ir::interp::{Options, run};

/// What a run with this stack says.
fn run_with(text: &str, options: Options) -> Result<i32, String> {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let done = run(&module, "main", &mut &b""[..], &mut Vec::new(), &mut Vec::new(), options);
    done.map_err(|trap| trap.message)
}

/// The sum of so many pairs of an i32 and a double, and of the first i32 once more. (As clang prints it for RISC-V.)
const SUM: &str = "
    declare void @llvm.va_start(ptr)
    declare void @llvm.va_copy(ptr, ptr)
    declare void @llvm.va_end(ptr)
    define internal i32 @sum(i32 %n, ...) {
    entry:
      %list = alloca ptr
      %copy = alloca ptr
      call void @llvm.va_start(ptr %list)
      call void @llvm.va_copy(ptr %copy, ptr %list)
      %first = load ptr, ptr %copy
      %once = load i32, ptr %first
      call void @llvm.va_end(ptr %copy)
      br label %head
    head:
      %k = phi i32 [ 0, %entry ], [ %next, %body ]
      %s = phi i32 [ %once, %entry ], [ %both, %body ]
      %more = icmp slt i32 %k, %n
      br i1 %more, label %body, label %end
    body:
      %p = load ptr, ptr %list
      %q = getelementptr i8, ptr %p, i64 8
      %x = load i32, ptr %p
      %y = load double, ptr %q
      %r = getelementptr i8, ptr %q, i64 8
      store ptr %r, ptr %list
      %z = fptosi double %y to i32
      %one = add i32 %s, %x
      %both = add i32 %one, %z
      %next = add i32 %k, 1
      br label %head
    end:
      call void @llvm.va_end(ptr %list)
      ret i32 %s
    }
";

#[test]
fn variadic_arguments_are_words_in_memory_that_is_given_back() {
    let one = "call i32 (i32, ...) @sum(i32 2, i32 3, double 4.0, i32 -5, double 60.0)";
    assert_eq!(result(&format!("{SUM} define i32 @main() {{ %x = {one}\n ret i32 %x }}")), 65);
    // By address, and of what another call has given.
    let two = format!(
        "{SUM} @table = constant ptr @sum
         define i32 @main() {{
           %f = load ptr, ptr @table
           %x = {one}
           %y = call i32 (i32, ...) %f(i32 1, i32 %x, double 1.0)
           %z = call i32 (i32, ...) %f(i32 0, i32 %y)
           ret i32 %z
         }}"
    );
    assert_eq!(result(&two), 65 + 65 + 1);
    let many = format!(
        "{SUM} define i32 @main() {{
         entry:
           br label %loop
         loop:
           %k = phi i32 [ 0, %entry ], [ %next, %loop ]
           %x = {one}
           %next = add i32 %k, 1
           %more = icmp slt i32 %next, 20000
           br i1 %more, label %loop, label %done
         done:
           ret i32 %x
         }}"
    );
    assert_eq!(run_with(&many, Options { stack: 1 << 16, ..Options::default() }), Ok(65));
    // A result of several parts has a place in front.
    let parts = "declare void @llvm.va_start(ptr)
        define internal { i64, i64 } @both(i64 %a, ...) {
          %list = alloca ptr
          call void @llvm.va_start(ptr %list)
          %p = load ptr, ptr %list
          %x = load i64, ptr %p
          %r = insertvalue { i64, i64 } undef, i64 %a, 0
          %s = insertvalue { i64, i64 } %r, i64 %x, 1
          ret { i64, i64 } %s
        }
        define i32 @main() {
          %r = call { i64, i64 } (i64, ...) @both(i64 7, i64 5)
          %a = extractvalue { i64, i64 } %r, 0
          %b = extractvalue { i64, i64 } %r, 1
          %c = shl i64 %a, 4
          %d = or i64 %c, %b
          %e = trunc i64 %d to i32
          ret i32 %e
        }";
    assert_eq!(result(parts), 0x75);
}

#[test]
fn lists_of_other_machines_and_checks_of_them_are_refused() {
    let text =
        format!("target triple = \"aarch64-unknown-linux-gnu\"\n{SUM} define i32 @main() {{ ret i32 0 }}");
    let error = parse(&text).unwrap_err();
    assert!(error.line == 10 && error.message.contains("llvm.va_start"), "{error}");
    assert!(error.message.contains("aarch64"), "{error}");
    let text = text.replace("aarch64", "riscv64");
    assert_eq!(result(&text), 0);
    let said = run_with(&text, Options { check: true, ..Options::default() }).unwrap_err();
    assert!(said.contains("`sum`") && said.contains("checked"), "{said}");
}

#[test]
fn calls_by_address_are_checked() {
    let called = "define i32 @main() {
          %p = alloca ptr
          store ptr @twice, ptr %p
          %f = load ptr, ptr %p
          %x = call i32 %f(i32 21)
          ret i32 %x
        }
        define internal i32 @twice(i32 %x) { %y = add i32 %x, %x\n ret i32 %y }";
    assert_eq!(checked(called), 42);
    let through =
        |to: &str, call: &str| called.replace("@twice, ptr %p", to).replace("call i32 %f(i32 21)", call);
    let wrong = |text: &str, why: &str| {
        let said = run_with(text, Options { check: true, ..Options::default() }).unwrap_err();
        assert!(said.contains(why), "{said}");
    };
    wrong(&through("%p, ptr %p", "call i32 %f(i32 21)"), "no function of the program");
    wrong(&through("@twice, ptr %p", "call i32 %f(i32 21, i32 3)"), "'twice' as if");
    wrong(&through("@twice, ptr %p", "call i32 %f(float 1.0)"), "'twice' as if");
    let unset = called.replace("store ptr @twice, ptr %p", "");
    wrong(&unset, "never initialised");
    let between = "%f(i32 21)";
    let moved = called.replace(between, "%h(i32 21)");
    let moved = moved.replace("%x = call", "%h = getelementptr i8, ptr %f, i64 1\n%x = call");
    wrong(&moved, "no function of the program");
}

/// `va_arg` where text is run: words of 8 bytes, as RISC-V has them; lists of other machines are refused.
#[test]
fn the_next_argument_is_read_from_a_list() {
    let sum = "
    declare void @llvm.va_start(ptr)
    define internal i32 @sum(i32 %n, ...) {
      %list = alloca ptr
      call void @llvm.va_start(ptr %list)
      %a = va_arg ptr %list, i32
      %b = va_arg ptr %list, double
      %c = va_arg ptr %list, i64
      %d = va_arg ptr %list, ptr
      %e = va_arg ptr %list, i8
      %f = load i32, ptr %d
      %g = fptosi double %b to i32
      %h = trunc i64 %c to i32
      %i = sext i8 %e to i32
      %j = add i32 %a, %f
      %k = add i32 %g, %h
      %l = add i32 %i, %j
      %m = add i32 %k, %l
      ret i32 %m
    }
    @x = global i32 9000
    define i32 @main() {
      %r = call i32 (i32, ...) @sum(i32 0, i32 1, double 20.0, i64 300, ptr @x, i32 -1)
      ret i32 %r
    }";
    assert_eq!(result(sum), 9320);
    let arm = format!("target triple = \"armv7-unknown-linux-gnueabihf\"\n{sum}");
    let error = parse(&arm).unwrap_err();
    assert!(error.message.contains("is not supported where text for armv7 is run"), "{error}");
    let reads = arm.replace("call void @llvm.va_start(ptr %list)", "");
    let error = parse(&reads).unwrap_err();
    assert!(error.message.contains("`va_arg` is not supported where text for armv7 is run"), "{error}");
    for (what, message) in [
        ("ptr %p, float", "`va_arg` of float is not supported"),
        ("ptr %p, i1", "`va_arg` of i1 is not supported"),
        ("ptr %p, <2 x i32>", "is not supported"),
        ("ptr %p, i128", "the type `i128` is not supported"),
        ("ptr %p, { i32, i32 }", "values of aggregate type are not supported"),
        ("i32 0, i32", "a list of arguments must be a ptr"),
        ("ptr %p i32", "expected `,`"),
    ] {
        let text = format!("define void @f(ptr %p) {{\n  %x = va_arg {what}\n  ret void\n}}\n");
        let error = parse(&text).unwrap_err();
        assert!(error.message.contains(message) && error.line == 2, "{what}: {error}");
    }
}
