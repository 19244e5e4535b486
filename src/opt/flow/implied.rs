//! Branches on what a branch above has decided already are folded: the same condition, or the same operands
//! compared in another way (`analysis/conditions`).
//!
//! From each branch, a walk of some steps up the dominator tree looks for one that decides it. Comparisons with constants
//! are left to `ranges`, and what has no other use is not looked for: that is nearly all. What compares two constants, as the
//! copy of a loop's test does where `rotate` puts it in front, is folded here: passes over nests come before `ranges`. A
//! branch where a way meets on which it is decided is led past it (`guards`), and a branch on a remainder says which quotients are
//! exact (`multiples`). O(branches).

mod guards;
mod multiples;

use crate::analysis::conditions::{above, comparison, implies};
use crate::analysis::unreachable_blocks;
use crate::ir::{Block, Body, Inst, Op, Type, Value};
use crate::opt::run::analyses::{Analyses, AnalysisSet};
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static IMPLIED: FuncPass = FuncPass {
    name: "implied",
    description: "fold branches that a branch above has decided, and mark exact quotients",
    grows: false,
    needs: AnalysisSet::DOMINATORS,
    run,
};

/// Ways of a function that are led past a branch.
const MOST_LED: usize = 16;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let (mut changed, mut marked) = (false, false);
    for k in 0..cx.analyses.dominators.preorder.len() {
        let b = cx.analyses.dominators.preorder[k];
        marked |= multiples::mark(cx.f, &cx.analyses.dominators, b);
        let Some(branch) = cx.f.terminator(b).filter(|&i| cx.f.op(i) == Op::CondBr) else { continue };
        let Some(asked) = cx.f.arg(branch, 0).as_inst() else { continue };
        let truth = folded(cx.f, asked).or_else(|| decided(cx.f, cx.analyses, b, asked));
        let Some(truth) = truth else { continue };
        let (yes, no) = cx.f.ways(branch);
        let place = cx.f.place(branch);
        cx.f.fold_cond_br(b, if truth { yes } else { no }, place);
        changed = true;
    }
    if changed {
        cx.analyses.keep(AnalysisSet::NONE);
        cx.require(AnalysisSet::DOMINATORS);
        let dead = unreachable_blocks(cx.f, &cx.analyses.order);
        cx.f.remove_blocks(&dead);
    }
    // Each one changes what dominates what.
    let mut led = 0;
    let mut k = 0;
    while k < cx.analyses.dominators.preorder.len() && led < MOST_LED {
        let b = cx.analyses.dominators.preorder[k];
        k += 1;
        if guards::lead_past(cx.f, &cx.analyses.dominators, b) {
            led += 1;
            cx.analyses.keep(AnalysisSet::NONE);
            cx.require(AnalysisSet::DOMINATORS);
            k = 0;
        }
    }
    match changed || marked || led > 0 {
        true => Outcome::changed(if led == 0 { AnalysisSet::CFG } else { AnalysisSet::NONE }),
        false => Outcome::UNCHANGED,
    }
}

/// What a comparison of two constants is.
fn folded(f: &mut Body, asked: Inst) -> Option<bool> {
    let (pred, a, b) = comparison(f, asked).filter(|(_, a, b)| a.is_constant() && b.is_constant())?;
    let v = f.fold(Op::ICmp, Type::I1, pred as u32, &[a, b])?;
    Some(v == Value::bool(true))
}

/// What a condition is in a block, if a branch above says.
fn decided(f: &Body, analyses: &Analyses, b: Block, asked: Inst) -> Option<bool> {
    let varies = |v: &Value| v.as_inst().is_some_and(|i| f.use_count(i) > 1);
    let compared = comparison(f, asked).filter(|(_, c, d)| varies(c) && varies(d));
    if f.use_count(asked) < 2 && compared.is_none() {
        return None;
    }
    above(f, &analyses.dominators, b, |known, truth| match known == asked {
        true => Some(truth),
        false => implies(f, (known, truth), compared?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, leaves_alone};

    /// A branch on `first`, and where it is true a branch on `second`.
    fn text(first: &str, second: &str) -> String {
        format!(
            "define i32 @f(i32 %x, i32 %y) {{
             entry:
               %c = icmp {first}
               br i1 %c, label %yes, label %no
             yes:
               %d = icmp {second}
               br i1 %d, label %one, label %two
             one:
               ret i32 1
             two:
               ret i32 2
             no:
               ret i32 3
             }}"
        )
    }

    #[test]
    fn what_a_branch_above_has_decided_is_folded() {
        for (first, second, way) in [
            ("slt i32 %x, %y", "slt i32 %x, %y", 1),
            ("slt i32 %x, %y", "sgt i32 %y, %x", 1),
            ("slt i32 %x, %y", "sle i32 %x, %y", 1),
            ("slt i32 %x, %y", "eq i32 %x, %y", 2),
            ("eq i32 %x, %y", "ult i32 %x, %y", 2),
        ] {
            let mut module = parse(&text(first, second)).unwrap();
            assert!(apply(&IMPLIED, &mut module), "{first}, {second}");
            let have = print::module(&module);
            let branch = have.split("b1:").nth(1).unwrap();
            // The way that is not taken goes.
            assert!(branch.contains("br label"), "{first}, {second}: {way}\n{have}");
            let [taken, other] = [way, 3 - way].map(|way| have.contains(&format!("ret i32 {way}\n")));
            assert!(taken && !other, "{first}, {second}: {way}\n{have}");
        }
    }

    #[test]
    fn a_condition_that_is_no_comparison_of_integers_is_known_behind_itself() {
        let text = "define i32 @f(float %x, float %y) {
             entry:
               %c = fcmp olt float %x, %y
               br i1 %c, label %yes, label %no
             yes:
               br i1 %c, label %one, label %no
             one:
               ret i32 1
             no:
               ret i32 3
             }";
        let mut module = parse(text).unwrap();
        assert!(apply(&IMPLIED, &mut module));
        assert_eq!(print::module(&module).matches("br i1").count(), 1);
    }

    #[test]
    fn what_is_left_open_stays() {
        for (first, second) in [
            ("sle i32 %x, %y", "slt i32 %x, %y"),
            ("ne i32 %x, %y", "slt i32 %x, %y"),
            ("slt i32 %x, %y", "ult i32 %x, %y"),
        ] {
            leaves_alone(&IMPLIED, &text(first, second));
        }
    }
}
