//! `tail`, `notail` and `musttail`.

use super::*;
use crate::base::Handle;
use crate::base::parallel::Workers;
use crate::ir::parse::{ANY, parse_with};
use crate::ir::verify::verify_asked;
use crate::ir::{Block, FuncId, Place};

/// What is said of a text in which `%r` is made by a call and returned.
fn refusal(text: &str) -> String {
    parse(text).map(|_| String::new()).unwrap_or_else(|error| error.message)
}

#[test]
fn marks_of_calls_are_kept() {
    let text = "declare void @g()
        define void @f(ptr %p) {
          tail call void @g()
          notail call void @g()
          call void @g()
          tail call void @g() ; not as compilers print it
          tail call void %p()
          ret void
        }
        define void @h(ptr %p) {
          musttail call void @f(ptr %p)
          ret void
        }";
    let have = trip(text);
    let calls: Vec<&str> = have.lines().filter(|line| line.contains("call")).map(str::trim).collect();
    let want = [
        "tail call void @g()",
        "notail call void @g()",
        "call void @g()",
        "tail call void @g()",
        "tail call void %p0()",
        "musttail call void @f(ptr %p0)",
    ];
    assert_eq!(calls, want, "{have}");
}

#[test]
fn marks_are_kept_where_what_workers_add_is_numbered_again() {
    // Each body adds a function, the type of its pointer; workers number theirs as they come, the module by their order.
    let one = |k: usize| {
        let params: String = (0..k).map(|p| format!(", i32 %x{p}")).collect();
        format!(
            "define i32 @f{k}(ptr %p{params}) {{
               %r = musttail call i32 %p(ptr %p{params})
               ret i32 %r
             }}\n"
        )
    };
    let text: String = (0..64).map(one).collect();
    let module = parse_with(&text, &ANY, false, &Workers::new(4)).unwrap();
    let have = print::module(&module);
    assert_eq!(have.matches("musttail call i32 %p0(").count(), 64, "{have}");
}

#[test]
fn a_return_behind_a_jump_may_give_what_the_result_is_known_to_be() {
    let text = "define i32 @f(i32 %x) {\n %r = musttail call i32 @f(i32 %x)\n ret i32 %r\n}";
    let mut module = parse(text).unwrap();
    let f = module.bodies[FuncId::new(0)].as_mut().unwrap();
    let zero = f.int(0);
    f.set_ret(Block::new(0), Some(zero), Place::NONE);
    let f = module.bodies[FuncId::new(0)].as_ref().unwrap();
    assert!(verify_asked(&module.env, f).is_ok());
    // In text it is the result, as LLVM has it.
    let have = print::module(&module);
    assert!(have.contains("musttail call i32 @f(") && !have.contains("ret i32 0"), "{have}");
    assert_eq!(print::module(&parse(&have).unwrap()), have);
}

#[test]
fn a_call_whose_result_is_in_memory_of_the_frame_stays_in_the_frame() {
    let have = trip(
        "declare [20 x i64] @g(ptr)
         define void @f(ptr %p) {
           %r = tail call [20 x i64] @g(ptr %p)
           ret void
         }",
    );
    assert!(have.contains("call void @g(ptr") && !have.contains("tail"), "{have}");
}

#[test]
fn a_result_that_is_extended_or_has_parts_is_returned_as_it_comes() {
    let have = trip(
        "define zeroext i8 @f(i8 zeroext %x) {
           %r = musttail call zeroext i8 @f(i8 zeroext %x)
           ret i8 %r
         }
         define { i32, i64 } @g(i32 %x) {
           %1 = musttail call { i32, i64 } @g(i32 %x), !nothing !0
           ret { i32, i64 } %1
         }
         !0 = !{}",
    );
    for body in have.split("define").skip(1) {
        let lines: Vec<&str> = body.lines().map(str::trim).collect();
        let at = lines.iter().position(|line| line.contains("musttail")).unwrap();
        assert!(lines[at + 1].starts_with("ret") && !body.contains("alloca"), "{body}");
    }
}

#[test]
fn what_cannot_be_a_jump_is_refused_by_name() {
    let f = |params: &str, call: &str, ret: &str| {
        format!(
            "declare i32 @g(i32)
             declare i32 @two(i32, i32)
             declare i64 @wide(i32)
             declare i32 @many(i32, ...)
             declare i32 @llvm.smax.i32(i32, i32)
             define i32 @f({params}) {{
               {call}
               {ret}
             }}"
        )
    };
    let good = "%r = musttail call i32 @g(i32 %x)";
    assert_eq!(refusal(&f("i32 %x", good, "ret i32 %r")), "");
    assert_eq!(refusal(&f("i32 %x", good, "ret i32 undef")), "");
    for (params, call, ret, message) in [
        ("i32 %x", good, "%y = add i32 %r, 1\n ret i32 %y", "a return of its result must stand behind"),
        ("i32 %x", good, "ret i32 %x", "a return of its result must stand behind"),
        ("i32 %x", good, "unreachable", "a return of its result must stand behind"),
        ("i32 %x", good, "ret i64 %r", "the result has another type"),
        ("i32 %x, i32 %y", good, "ret i32 %r", "must have the parameters and the result"),
        (
            "i64 %x",
            "%r = musttail call i32 @g(i32 1)",
            "ret i32 %r",
            "must have the parameters and the result",
        ),
        ("i32 %x", "%r = musttail call i64 @wide(i32 %x)", "ret i32 1", "must have the parameters"),
        ("i32 %x", "%r = musttail call i32 @two(i32 %x, i32 %x)", "ret i32 %r", "must have the parameters"),
        ("i32 %x", "%r = musttail call i32 (i32, ...) @many(i32 %x)", "ret i32 %r", "variadic arguments"),
        (
            "i32 %x, i32 %y",
            "%r = musttail call i32 @llvm.smax.i32(i32 %x, i32 %y)",
            "ret i32 %r",
            "no function of the program",
        ),
        ("i32 %x", "musttail call i32 @g(i32 %x)", "ret i32 1", "a return of its result must stand behind"),
    ] {
        let said = refusal(&f(params, call, ret));
        assert!(said.contains(message), "{call}\n{ret}: {said}");
    }
}

#[test]
fn functions_of_tailcc_jump_to_each_other_whatever_they_take() {
    let have = trip(
        "declare tailcc i32 @g(i32, double)
         define internal tailcc i32 @f(ptr %p) {
           %r = musttail call tailcc i32 @g(i32 1, double 2.0)
           ret i32 %r
         }
         define cc 18 i32 @h(i64 %x, ptr %p) {
           %r = tail call tailcc i32 %p(i64 %x)
           ret i32 %r
         }
         define tailcc void @k() {
           tail call tailcc void @k()
           %r = tail call tailcc i32 @f(ptr null)
           ret void
         }",
    );
    let calls: Vec<&str> = have.lines().filter(|line| line.contains("call")).map(str::trim).collect();
    assert!(
        calls[0].contains("musttail call tailcc i32 @g(")
            && calls[1].contains("musttail call tailcc i32 %p1("),
        "{have}"
    );
    assert!(
        calls[2].starts_with("tail call tailcc void @k") && calls[3].contains("= tail call tailcc i32 @f("),
        "{have}"
    );
    for (text, message) in [
        ("define tailcc void @f() {\n call void @f()\n ret void\n}", "the convention of this call is not"),
        ("define void @f() {\n call tailcc void @f()\n ret void\n}", "the convention of this call is not"),
        ("define tailcc void @f(...) {\n ret void\n}", "`tailcc` with variadic arguments"),
        (
            "declare void @g()\ndefine tailcc void @f() {\n musttail call void @g()\n ret void\n}",
            "by the convention of",
        ),
        (
            "define tailcc i32 @f(ptr %p) {\n %r = musttail call tailcc i64 %p()\n ret i32 1\n}",
            "must have the parameters",
        ),
    ] {
        let said = refusal(text);
        assert!(said.contains(message), "{text}: {said}");
    }
}
