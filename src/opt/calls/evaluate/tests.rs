//! Calls that are made while compiling, wholly or in part.

use super::*;
use crate::base::parallel::Workers;
use crate::ir::parse::parse;
use crate::ir::print;
use crate::opt::calls::candidates::CANDIDATES;
use crate::opt::calls::effects::EFFECTS;
use crate::opt::calls::result_tables::RESULT_TABLES;
use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

const PLAN: &[Step] = &[
    Step::Each(&[Stage::Make]),
    Step::Each(&[Stage::Passes(&[&RESULT_TABLES])]),
    Step::Summary(&EFFECTS),
    Step::All(&CANDIDATES),
    Step::Each(&[Stage::Passes(&[&EVALUATE])]),
];

/// The function that calls, behind the pass.
fn made(functions: &str, calls: &str) -> String {
    let text = format!("{functions}\ndefine i32 @main(i32 %n) {{\n{calls}\n}}");
    let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let options = Options { verify: true, ..Options::default() };
    run_on_module(&mut module, PLAN, &options, &Workers::new(1)).unwrap();
    let have = print::module(&module);
    have.split("@main").nth(1).unwrap_or_default().to_string()
}

const POWER: &str = "define internal i32 @power(i32 %x, i32 %n) {
     entry:
       br label %head
     head:
       %r = phi i32 [ 1, %entry ], [ %s, %head ]
       %i = phi i32 [ 0, %entry ], [ %j, %head ]
       %s = mul i32 %r, %x
       %j = add i32 %i, 1
       %c = icmp slt i32 %j, %n
       br i1 %c, label %head, label %exit
     exit:
       ret i32 %s
     }";
const FACTORIAL: &str = "define internal i32 @factorial(i32 %n) {
     entry:
       %c = icmp slt i32 %n, 2
       br i1 %c, label %one, label %more
     one:
       ret i32 1
     more:
       %m = add i32 %n, -1
       %x = call i32 @factorial(i32 %m)
       %y = mul i32 %x, %n
       ret i32 %y
     }";
/// The sum of an array's elements, which hold squares.
const SQUARES: &str = "define internal i32 @squares(i32 %n, float %x) {
     entry:
       %a = alloca [9 x i32]
       call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 36, i1 false)
       %h = fmul float %x, 2.5
       %k = fptosi float %h to i32
       %p = getelementptr inbounds [9 x i32], ptr %a, i32 0, i32 %n
       store i32 %k, ptr %p
       %s = call i32 @sum(ptr %a)
       ret i32 %s
     }
     define internal i32 @sum(ptr %a) {
     entry:
       br label %head
     head:
       %s = phi i32 [ 0, %entry ], [ %t, %head ]
       %i = phi i32 [ 0, %entry ], [ %j, %head ]
       %p = getelementptr inbounds i32, ptr %a, i32 %i
       %v = load i32, ptr %p
       %w = add i32 %v, 7
       store i32 %w, ptr %p
       %t = add i32 %s, %w
       %j = add i32 %i, 1
       %c = icmp slt i32 %j, 9
       br i1 %c, label %head, label %exit
     exit:
       ret i32 %t
     }";
/// Two arrays and a call in between, which has one, too.
const ARRAYS: &str = "define internal i32 @arrays(i32 %n) {
     entry:
       %a = alloca [2 x i32]
       %b = alloca [2 x i32]
       store i32 5, ptr %b
       %p = getelementptr inbounds [2 x i32], ptr %a, i32 0, i32 %n
       store i32 7, ptr %p
       %l = call i32 @leaf(i32 %n)
       %v = load i32, ptr %b
       %w = load i32, ptr %p
       %s = add i32 %v, %w
       %t = add i32 %s, %l
       ret i32 %t
     }
     define internal i32 @leaf(i32 %n) {
     entry:
       %a = alloca i32
       store i32 %n, ptr %a
       %v = load i32, ptr %a
       ret i32 %v
     }";

#[test]
fn calls_with_constants_are_their_results() {
    for (functions, call, want) in [
        (ARRAYS, "@arrays(i32 1)", "ret i32 13"),
        (POWER, "@power(i32 3, i32 5)", "ret i32 243"),
        (POWER, "@power(i32 3, i32 40)", "ret i32 689956897"),
        (FACTORIAL, "@factorial(i32 10)", "ret i32 3628800"),
        (SQUARES, "@squares(i32 8, float 2.0)", "ret i32 68"),
    ] {
        let have = made(functions, &format!("%r = call i32 {call}\nret i32 %r"));
        assert!(have.contains(want), "{call}: {have}");
    }
    let both = "%r = call i32 @power(i32 3, i32 4)\n%s = call i32 @factorial(i32 4)
                %t = sub i32 %r, %s\nret i32 %t";
    assert!(made(&format!("{POWER}\n{FACTORIAL}"), both).contains("sub i32 81, 24"));
}

/// The same behind the pass that makes tables.
const FIBONACCI: &str = "define internal i32 @fib(i32 %n) {
         entry:
           %c = icmp slt i32 %n, 2
           br i1 %c, label %one, label %more
         one:
           ret i32 %n
         more:
           %a = add i32 %n, -1
           %b = add i32 %n, -2
           %x = call i32 @fib(i32 %a)
           %y = call i32 @fib(i32 %b)
           %z = add i32 %x, %y
           ret i32 %z
         }";
const HALVES: &str = "define internal i32 @power(i32 %x, i32 %n) {
         entry:
           %c = icmp eq i32 %n, 0
           br i1 %c, label %one, label %more
         one:
           ret i32 1
         more:
           %r = srem i32 %n, 2
           %odd = icmp ne i32 %r, 0
           br i1 %odd, label %odd, label %even
         odd:
           %m = add i32 %n, -1
           %p = call i32 @power(i32 %x, i32 %m)
           %y = mul i32 %p, %x
           ret i32 %y
         even:
           %h = sdiv i32 %n, 2
           %q = call i32 @power(i32 %x, i32 %h)
           %z = mul i32 %q, %q
           ret i32 %z
         }";

#[test]
fn tables_of_results_are_memory_of_zeros() {
    for (n, want) in [(12, 144), (40, 102_334_155)] {
        let have = made(FIBONACCI, &format!("%r = call i32 @fib(i32 {n})\nret i32 %r"));
        assert!(have.contains(&format!("ret i32 {want}")), "{have}");
    }
    // One that begins with something, or that others see, is no table.
    let global = format!("@g = internal global i32 0\n{FIBONACCI}").replace(
        "%z = add i32 %x, %y",
        "%g = load i32, ptr @g\n%h = add i32 %g, 1\nstore i32 %h, ptr @g\n%z = add i32 %x, %h",
    );
    assert!(made(&global, "%r = call i32 @fib(i32 3)\nret i32 %r").contains("call"));
}

#[test]
fn of_a_call_that_is_partly_known_the_rest_stays() {
    let halves = HALVES.replace("%odd = icmp", "%is = icmp").replace("br i1 %odd", "br i1 %is");
    let have = made(&halves, "%r = call i32 @power(i32 %n, i32 13)\nret i32 %r");
    assert!(!have.contains("call") && have.matches("mul").count() == 6, "{have}");
    // What is unknown decides, takes too many instructions, or is an address; and what does not recur is copied.
    for (functions, call) in [
        (&*halves, "@power(i32 3, i32 %n)"),
        (&*halves, "@power(i32 %n, i32 -1)"),
        (FACTORIAL, "@factorial(i32 %n)"),
        (POWER, "@power(i32 %n, i32 3)"),
        (
            &halves
                .replace(
                    "%m = add i32 %n, -1",
                    "%m = add i32 %n, -1\n%k = icmp eq i32 %x, 7\n%l = select i1 %k, i32 0, i32 %m",
                )
                .replace("i32 %m)", "i32 %l)"),
            "@power(i32 %n, i32 3)",
        ),
    ] {
        let have = made(functions, &format!("%r = call i32 {call}\nret i32 %r"));
        assert!(have.contains("call i32"), "{call}: {have}");
    }
}

#[test]
fn what_is_not_known_takes_long_or_does_more_stays_a_call() {
    let undefined = POWER.replace("mul i32 %r, %x", "sdiv i32 %r, %x");
    let outside = format!("declare void @putint(i32) memory(inaccessiblemem: readwrite)\n{POWER}")
        .replace("%j = add i32 %i, 1", "call void @putint(i32 %i)\n%j = add i32 %i, 1");
    let global = format!("@g = internal global i32 3\n{POWER}")
        .replace("%j = add i32 %i, 1", "%g = load i32, ptr @g\n%j = add i32 %i, %g");
    let unwritten = SQUARES.replace("call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 36, i1 false)", "");
    for (functions, call) in [
        (POWER, "@power(i32 %n, i32 5)"),
        (POWER, "@power(i32 3, i32 5000)"),
        (FACTORIAL, "@factorial(i32 100)"),
        (&undefined, "@power(i32 0, i32 5)"),
        (&outside, "@power(i32 3, i32 5)"),
        (&global, "@power(i32 3, i32 5)"),
        (&unwritten, "@squares(i32 8, float 2.0)"),
        (ARRAYS, "@arrays(i32 2)"),
        (SQUARES, "@squares(i32 9, float 2.0)"),
        (SQUARES, "@squares(i32 -1, float 2.0)"),
    ] {
        let have = made(functions, &format!("%r = call i32 {call}\nret i32 %r"));
        assert!(have.contains("call i32"), "{call}: {have}");
    }
}
