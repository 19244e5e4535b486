//! The ranges of arguments and results over all calls, and of what globals hold (`analysis/call_ranges`), for
//! `ranges` to ask for.
//!
//! Each body is looked at by itself behind inlining, and what the functions that stay pass to each other is added
//! up at the barrier. What is found there is true of every run of the program as it is then, and passes behind
//! keep what runs do: none changes the parameters of functions, and none calls one with what it was not called
//! with; and they store what it stored, or less. No body is changed. O(instructions + operations of what is passed).

use crate::analysis::call_ranges::{CallRanges, Own, solve};
use crate::ir::{FuncId, GlobalId, Linkage};
use crate::opt::calls::arguments::Calls;
use crate::opt::run::facts::{Fact, Look};
use crate::opt::run::pass::{ModuleCx, ModulePass};
use crate::opt::run::renumber::Renumbering;

/// The pass.
pub static CALL_RANGES: ModulePass = ModulePass {
    name: "call_ranges",
    description: "find the ranges of arguments and results over all calls, and of what globals hold",
    looks: &[Look::at::<Calls>()],
    run,
    apply: None,
    renumbers: false,
};

fn run(cx: &mut ModuleCx) -> bool {
    let there = |f: &FuncId| cx.env.funcs[*f].linkage != Linkage::Declared;
    let mut owns: Vec<(FuncId, &Own)> = Vec::with_capacity(cx.functions.len());
    for f in cx.functions.iter().filter(|f| there(&f.func)) {
        let Some(calls) = f.local.as_ref().and_then(|local| local.get::<Calls>()) else { return false };
        owns.push((f.func, &calls.ranges));
    }
    let ranges = solve(cx.env, &owns);
    let count = ranges.count();
    cx.facts.set(ranges);
    count != 0
}

impl Fact for CallRanges {
    fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
        CallRanges::highest(self)
    }

    fn renumber(&mut self, new: &Renumbering) -> bool {
        CallRanges::renumber(self, new);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::calls::arguments::ARGUMENTS;
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};
    use crate::opt::values::ranges::RANGES;

    const PLAN: &[Step] = &[
        Step::Each(&[Stage::Make]),
        Step::Each(&[Stage::Pack]),
        Step::All(&ARGUMENTS),
        Step::All(&CALL_RANGES),
        Step::Each(&[Stage::Passes(&[&RANGES])]),
    ];

    fn after(linkage: &str, first: &str) -> String {
        let text = format!(
            "declare void @putint(i32)
             declare i32 @getint()
             define {linkage} i32 @f(i32 %n) {{
             entry:
               %q = sdiv i32 %n, 4
               call void @putint(i32 %q)
               %r = srem i32 %n, 100
               ret i32 %r
             }}
             define i32 @main() {{
             entry:
               %x = call i32 @getint()
               %v = call i32 @f(i32 {first})
               %w = call i32 @f(i32 700)
               %q = sdiv i32 %v, 8
               %c = icmp slt i32 %w, 100
               %z = zext i1 %c to i32
               %s = add i32 %q, %z
               ret i32 %s
             }}"
        );
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        run_on_module(&mut module, PLAN, &Options { verify: true, ..Options::default() }, &Workers::new(2))
            .unwrap();
        print::module(&module)
    }

    #[test]
    fn arguments_and_results_that_are_never_negative_are_divided_without_a_sign() {
        let have = after("internal", "5");
        assert!(have.contains("lshr i32 %n.0, 2") || have.contains("lshr i32 %p0, 2"), "{have}");
        assert!(
            have.contains("lshr i32 %v") && !have.contains("sdiv") && have.contains("zext i1 true"),
            "{have}"
        );
    }

    #[test]
    fn what_may_come_from_outside_is_divided_with_its_sign() {
        for (linkage, first) in [("", "5"), ("weak", "5"), ("internal", "-5"), ("internal", "%x")] {
            let have = after(linkage, first);
            assert_eq!(have.matches("sdiv").count(), 2, "{have}");
            // A remainder is less than its divisor in size, whatever is divided.
            assert_eq!(have.contains("zext i1 true"), linkage == "internal", "{have}");
        }
    }
}
