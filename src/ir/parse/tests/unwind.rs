//! Calls that may be left by exceptions, as they are read and printed.

use super::super::{parse, parse_for};
use super::*;
use crate::ir::{Body, Builtin, Flags, Inst, Op, print};

/// A function with this body.
fn text(body: &str) -> String {
    format!(
        "@ti = external constant ptr
         declare i32 @__gxx_personality_v0(...)
         declare i32 @g(i32)
         declare i32 @llvm.eh.typeid.for.p0(ptr)
         define i32 @f(i32 %n) personality ptr @__gxx_personality_v0 {{
         {body}
         }}"
    )
}

const TWO: &str = "%a = invoke i32 @g(i32 %n) to label %on unwind label %pad
 on:
   %b = invoke i32 @g(i32 %a) to label %end unwind label %pad
 end:
   ret i32 %b
 pad:
   %k = phi i32 [ 1, %0 ], [ %a, %on ]
   %l = landingpad { ptr, i32 } cleanup catch ptr @ti filter [1 x ptr] [ptr @ti] catch ptr null
   %s = extractvalue { ptr, i32 } %l, 1
   %t = call i32 @llvm.eh.typeid.for.p0(ptr @ti)
   %c = icmp eq i32 %s, %t
   br i1 %c, label %caught, label %not
 caught:
   ret i32 %k
 not:
   resume { ptr, i32 } %l";

fn count(module: &Module, builtin: Builtin) -> usize {
    let is = |f: &Body, i: Inst| module.env.funcs[f.callee(i)].builtin == Some(builtin);
    module.defined().map(|f| f.ops().filter(|&(i, op)| op == Op::Call && is(f, i)).count()).sum()
}

#[test]
fn each_call_has_a_landing_pad_of_its_own_and_text_says_the_same() {
    let module = parse(&text(TWO)).unwrap();
    assert_eq!(count(&module, Builtin::Unwinds), 2);
    assert_eq!(count(&module, Builtin::LandingPad), 2);
    assert_eq!(count(&module, Builtin::Selector), 2);
    let f = module.nth(0);
    let left = f.ops().filter(|&(i, op)| op == Op::Call && f.flags(i).has(Flags::INVOKED)).count();
    assert_eq!(left, 2);
    let printed = print::module(&module);
    assert_eq!(printed.matches("invoke i32").count(), 2, "{printed}");
    assert!(printed.contains("cleanup catch ptr @ti filter [1 x ptr] [ptr @ti] catch ptr null"), "{printed}");
    assert!(printed.contains("personality ptr @__gxx_personality_v0"), "{printed}");
    // Functions are declared where they are first needed, and from then on where the text has them.
    let again = print::module(&parse(&printed).unwrap());
    assert_eq!(print::module(&parse(&again).unwrap()), again);
    let bodies = |text: &str| text[text.find("define").unwrap()..].to_string();
    assert_eq!(bodies(&again), bodies(&printed));
}

#[test]
fn a_landing_pad_of_one_call_stands_where_the_text_has_it() {
    let one = "%a = invoke i32 @g(i32 %n) to label %on unwind label %pad
 on:
   ret i32 %a
 pad:
   %l = landingpad { ptr, i32 } cleanup
   resume { ptr, i32 } %l";
    let module = parse(&text(one)).unwrap();
    assert_eq!(module.nth(0).blocks().count(), 3);
    assert!(module.nth(0).ops().all(|(i, op)| op != Op::Phi || module.nth(0).block_of(i).is_none()));
}

#[test]
fn what_is_no_exception_is_refused() {
    let without = text(TWO).replace(" personality ptr @__gxx_personality_v0 {", " {");
    let branch = TWO
        .replace("to label %end unwind label %pad", "to label %end unwind label %end")
        .replace(", [ %a, %on ]", "");
    let entered =
        TWO.replace("ret i32 %b", "br label %pad").replace("[ %a, %on ]", "[ %a, %on ], [ 3, %end ]");
    for (text, message) in [
        (without, "without `personality`"),
        (text(&branch), "no landing pad"),
        (text(&entered), "entered by a branch"),
        (
            text(&TWO.replace("cleanup catch ptr @ti filter [1 x ptr] [ptr @ti] catch ptr null", "")),
            "without clauses",
        ),
        (text(&TWO.replace("[1 x ptr] [ptr", "[2 x ptr] [ptr")), "another number of types"),
        (text(&TWO.replace("landingpad { ptr, i32 }", "landingpad { ptr, i64 }")), "another type"),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
}

#[test]
fn resume_is_what_libraries_have_for_it() {
    let other = text(TWO).replace("__gxx_personality_v0", "rust_eh_personality");
    let armv7 = Platform { name: "armv7", pointer_bytes: 4, ..ANY };
    for (text, platform, call) in [
        (&text(TWO), &ANY, "call void @_Unwind_Resume(ptr"),
        (&other, &armv7, "call void @_Unwind_Resume(ptr"),
        (&text(TWO), &armv7, "call void @__cxa_end_cleanup()"),
    ] {
        let printed = print::module(&parse_for(text, platform).unwrap());
        assert!(printed.contains(call), "{printed}");
    }
}
