//! Equal calls of functions without effects are made once, while they are calls: in copies of a body with
//! loops, value numbering could not tell that two loops compute the same.
//!
//! Looks for a function with loops that is called twice; only where there is one, value numbering runs.
//! O(instructions), with a small factor where there is none.

use crate::ir::{FuncId, Op};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};
use crate::opt::values::gvn;

/// The pass.
pub static EQUAL_CALLS: FuncPass = FuncPass {
    name: "equal_calls",
    description: "number values before inlining where calls without effects might be equal",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

/// Functions that are remembered.
const MOST: usize = 16;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    if !may_have_equal(cx) {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::DOMINATORS);
    gvn::number_early(cx)
}

/// True if some function without effects, but with loops, is called twice.
fn may_have_equal(cx: &FuncCx) -> bool {
    let mut called: [Option<FuncId>; MOST] = [None; MOST];
    let mut count = 0;
    for (i, _) in cx.f.ops().filter(|&(_, op)| op == Op::Call) {
        let func = cx.f.callee(i);
        let has_loops = cx.effects.of.get(func).is_some_and(|of| of.loops);
        if !has_loops || !cx.f.has_uses(i) || !cx.effects.is_removable(func) {
            continue;
        }
        if called[..count].contains(&Some(func)) {
            return true;
        }
        if count < MOST {
            called[count] = Some(func);
            count += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, leaves_alone, rewrites};

    const CALLEE: &str = "define i32 @p(i32 %x) {
         entry:
           br label %loop
         loop:
           %y = phi i32 [ %x, %entry ], [ %z, %loop ]
           %z = mul i32 %y, %x
           %c = icmp slt i32 %z, 99
           br i1 %c, label %loop, label %exit
         exit:
           ret i32 %z
         }\n";

    #[test]
    fn equal_calls_are_made_once() {
        let text = |rest: &str| {
            format!("{CALLEE}define i32 @f(i32 %x) {{\n  %a = call i32 @p(i32 %x)\n  {rest}\n}}")
        };
        rewrites(
            &EQUAL_CALLS,
            &text("%b = call i32 @p(i32 %x)\n  %c = add i32 %a, %b\n  ret i32 %c"),
            &text("%c = add i32 %a, %a\n  ret i32 %c"),
        );
    }

    #[test]
    fn what_has_no_loops_may_be_copied() {
        leaves_alone(
            &EQUAL_CALLS,
            "define i32 @p(i32 %x) {\n  %y = mul i32 %x, %x\n  ret i32 %y\n}
             define i32 @f(i32 %x) {\n  %a = call i32 @p(i32 %x)\n  %b = call i32 @p(i32 %x)
               %c = add i32 %a, %b\n  ret i32 %c\n}",
        );
    }

    #[test]
    fn loads_of_other_blocks_stay() {
        let text = {
            format!(
                "@g = global i32 0\n{CALLEE}define i32 @f(i32 %x) {{\nentry:\n  %a = load i32, ptr @g\n  \
                 %b = call i32 @p(i32 %x)\n  br label %next\nnext:\n  %c = load i32, ptr @g\n  %y = load i32, ptr @g\n  \
                 %d = call i32 @p(i32 %c)\n  %e = call i32 @p(i32 %y)\n  %g = add i32 %a, %b\n  \
                 %h = mul i32 %d, %e\n  %i = add i32 %g, %h\n  ret i32 %i\n}}"
            )
        };
        let mut module = parse(&text).unwrap();
        assert!(apply(&EQUAL_CALLS, &mut module));
        let have = print::module(&module);
        assert_eq!((have.matches("load").count(), have.matches("call").count()), (2, 2), "{have}");
    }

    #[test]
    fn where_no_function_is_called_twice_nothing_is_looked_at() {
        leaves_alone(
            &EQUAL_CALLS,
            &format!(
                "{CALLEE}define i32 @f(i32 %x) {{\n  %a = call i32 @p(i32 %x)\n  %b = add i32 %a, %x\n  \
                 %c = add i32 %a, %x\n  %d = mul i32 %b, %c\n  ret i32 %d\n}}"
            ),
        );
    }

    #[test]
    fn calls_that_read_or_print_are_made_as_often_as_they_are() {
        let text = format!(
            "{CALLEE}declare void @putint(i32) memory(inaccessiblemem: readwrite)
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             define i32 @prints(i32 %x) {{
               call void @putint(i32 %x)
               ret i32 %x
             }}
             define i32 @f(i32 %x) {{
               %a = call i32 @p(i32 %x)
               %b = call i32 @p(i32 %x)
               %c = call i32 @prints(i32 %x)
               %d = call i32 @prints(i32 %x)
               %e = call i32 @getint()
               %g = call i32 @getint()
               %s = mul i32 %a, %b
               %t = mul i32 %c, %d
               %u = mul i32 %e, %g
               %v = add i32 %s, %t
               %w = add i32 %u, %v
               ret i32 %w
             }}"
        );
        let mut module = parse(&text).unwrap();
        assert!(apply(&EQUAL_CALLS, &mut module));
        let have = print::module(&module);
        let count = |name: &str| have.matches(&format!("call i32 {name}")).count();
        assert_eq!([count("@p("), count("@prints"), count("@getint")], [1, 2, 2], "{have}");
    }
}
