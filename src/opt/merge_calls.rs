//! Equal calls are made once before calls are replaced by bodies: of two copies of a loop no later pass finds
//! out that they compute the same.
//!
//! Value numbering does it; here it is only asked whether there is something to do. O(instructions), and where
//! two calls of one function might be equal, the cost of value numbering.

use super::analyses::AnalysisSet;
use super::gvn::GVN;
use super::pass::{FuncCx, FuncPass, Outcome};
use crate::ir::{FuncId, Op, Type};

/// The pass.
pub static MERGE_CALLS: FuncPass = FuncPass {
    name: "merge_calls",
    description: "make equal calls once, where their bodies are to stand in their places",
    needs: AnalysisSet::NONE,
    run,
};

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let f = &*cx.f;
    let calls = f.ops().filter(|&(_, op)| op == Op::Call);
    let is_mergeable = |func: FuncId| cx.candidates.has(func) && cx.effects.is_removable(func);
    let results = calls.filter(|&(i, _)| f.ty(i) != Type::Void && f.has_uses(i));
    let mut callees: Vec<FuncId> =
        results.map(|(i, _)| f.callee(i)).filter(|&callee| is_mergeable(callee)).collect();
    callees.sort_unstable();
    if callees.windows(2).all(|pair| pair[0] != pair[1]) {
        return Outcome::UNCHANGED;
    }
    cx.require(GVN.needs);
    (GVN.run)(cx)
}

#[cfg(test)]
mod tests {
    use super::super::inline::CANDIDATES;
    use super::super::manager::{Options, Stage, Step, run_on_module};
    use super::super::pipeline::EFFECTS;
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::print;

    const PLAN: &[Step] = &[
        Step::Each(&[Stage::Make]),
        Step::Summary(&EFFECTS),
        Step::All(&CANDIDATES),
        Step::Each(&[Stage::Passes(&[&MERGE_CALLS])]),
    ];

    /// How many calls and loads are left of two calls, with an element of an array as their argument.
    fn left(callee: &str) -> [usize; 2] {
        let text = format!(
            "@g = internal global i32 0
             define internal i32 @pure(i32 %x) {{
             entry:
               %y = mul i32 %x, %x
               ret i32 %y
             }}
             define internal i32 @counts(i32 %x) {{
             entry:
               store i32 %x, ptr @g
               ret i32 %x
             }}
             define i32 @main(ptr %p) {{
             entry:
               %a = load i32, ptr %p
               %b = call i32 @{callee}(i32 %a)
               %c = load i32, ptr %p
               %d = call i32 @{callee}(i32 %c)
               %e = add i32 %b, %d
               ret i32 %e
             }}"
        );
        let mut module = parse(&text).unwrap();
        let options = Options { verify: true, ..Options::default() };
        run_on_module(&mut module, PLAN, &options, &Workers::new(1)).unwrap();
        let text = print::module(&module);
        let main = text.split("@main").nth(1).unwrap_or("");
        ["call", "load"].map(|op| main.matches(op).count())
    }

    #[test]
    fn equal_calls_are_made_once_and_those_that_do_something_are_left_to_others() {
        assert_eq!(left("pure"), [1, 1]);
        assert_eq!(left("counts"), [2, 2]);
    }
}
