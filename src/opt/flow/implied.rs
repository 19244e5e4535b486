//! Branches on what a branch above has decided already are folded: the same condition, or the same operands
//! compared in another way. Other passes ask here for the same value compared with another constant, too.
//!
//! A block that is entered by one edge of a branch knows the branch's condition, and so do all blocks that
//! it dominates. From each branch, a walk of at most `MOST` steps up the dominator tree looks for one that
//! decides it. Comparisons with constants are left to `ranges`, and what has no other use is not looked for:
//! that is nearly all. O(branches).

use crate::analysis::unreachable_blocks;
use crate::ir::{Block, Body, Inst, IntPred, Op, Value};
use crate::opt::run::analyses::{Analyses, AnalysisSet};
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static IMPLIED: FuncPass = FuncPass {
    name: "implied",
    description: "fold branches that a branch above has decided",
    needs: AnalysisSet::DOMINATORS,
    run,
};

/// Blocks that are looked at on the way up.
const MOST: usize = 24;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let mut changed = false;
    for k in 0..cx.analyses.dominators.preorder.len() {
        let b = cx.analyses.dominators.preorder[k];
        let Some(branch) = cx.f.terminator(b).filter(|&i| cx.f.op(i) == Op::CondBr) else { continue };
        let Some(asked) = cx.f.arg(branch, 0).as_inst() else { continue };
        let Some(truth) = decided(cx.f, cx.analyses, b, asked) else { continue };
        let (yes, no) = cx.f.ways(branch);
        let place = cx.f.place(branch);
        cx.f.fold_cond_br(b, if truth { yes } else { no }, place);
        changed = true;
    }
    if !changed {
        return Outcome::UNCHANGED;
    }
    cx.analyses.keep(AnalysisSet::NONE);
    cx.require(AnalysisSet::ORDER);
    let dead = unreachable_blocks(cx.f, &cx.analyses.order);
    cx.f.remove_blocks(&dead);
    Outcome::changed(AnalysisSet::CFG)
}

/// What a condition is in a block, if a branch above says.
fn decided(f: &Body, analyses: &Analyses, b: Block, asked: Inst) -> Option<bool> {
    let varies = |v: &Value| v.as_inst().is_some_and(|i| f.use_count(i) > 1);
    let compared = comparison(f, asked).filter(|(_, c, d)| varies(c) && varies(d));
    if f.use_count(asked) < 2 && compared.is_none() {
        return None;
    }
    above(f, analyses, b, |known, truth| match known == asked {
        true => Some(truth),
        false => implies(f, (known, truth), compared?),
    })
}

/// Whether two values compare so in a block, if a branch above says. Dominators have to be true of the body.
pub fn compares(f: &Body, analyses: &Analyses, b: Block, asked: (IntPred, Value, Value)) -> Option<bool> {
    above(f, analyses, b, |known, truth| implies(f, (known, truth), asked))
}

/// Whether a value compares so with a number in a block, if a branch above says. Dominators have to be true
/// of the body.
pub fn compares_with(
    f: &Body,
    analyses: &Analyses,
    b: Block,
    (asked, v, x): (IntPred, Value, i64),
) -> Option<bool> {
    above(f, analyses, b, |known, truth| {
        let (pred, a, b) = comparison(f, known)?;
        let pred = if truth { pred } else { pred.inverse() };
        let (pred, b) = match (a == v, b == v) {
            (true, _) => (pred, b),
            (_, true) => (pred.swapped(), a),
            _ => return None,
        };
        by_ranges((pred, f.as_int(b)?), (asked, x))
    })
}

/// Asks the conditions of branches above a block, with the way they went.
fn above(f: &Body, analyses: &Analyses, b: Block, ask: impl Fn(Inst, bool) -> Option<bool>) -> Option<bool> {
    let mut at = b;
    for _ in 0..MOST {
        if let Some(truth) = entered_by(f, at).and_then(|(known, truth)| ask(known, truth)) {
            return Some(truth);
        }
        at = analyses.dominators.idom[at].get()?;
    }
    None
}

/// The condition of the only edge into a block, and which way it went.
fn entered_by(f: &Body, b: Block) -> Option<(Inst, bool)> {
    let &[e] = f.preds(b) else { return None };
    let from = f.edge_from(e);
    let branch = f.terminator(from).filter(|&i| f.op(i) == Op::CondBr)?;
    Some((f.arg(branch, 0).as_inst()?, f.ways(branch).0 == e))
}

fn comparison(f: &Body, i: Inst) -> Option<(IntPred, Value, Value)> {
    let &[a, b] = f.args(i) else { return None };
    (f.op(i) == Op::ICmp).then(|| (IntPred::from_payload(f.payload(i)), a, b))
}

/// What one condition says about a comparison.
fn implies(f: &Body, (known, truth): (Inst, bool), (asked, c, d): (IntPred, Value, Value)) -> Option<bool> {
    let (pred, a, b) = comparison(f, known)?;
    let pred = if truth { pred } else { pred.inverse() };
    if (a, b) == (c, d) {
        return by_relations(pred, asked);
    }
    if (a, b) == (d, c) {
        return by_relations(pred, asked.swapped());
    }
    if a == c {
        return by_ranges((pred, f.as_int(b)?), (asked, f.as_int(d)?));
    }
    None
}

/// less, equal, greater, as bits; and whether that is without signs.
fn relations(pred: IntPred) -> (u8, Option<bool>) {
    use IntPred::*;
    match pred {
        Eq => (2, None),
        Ne => (5, None),
        Slt => (1, Some(false)),
        Sle => (3, Some(false)),
        Sgt => (4, Some(false)),
        Sge => (6, Some(false)),
        Ult => (1, Some(true)),
        Ule => (3, Some(true)),
        Ugt => (4, Some(true)),
        Uge => (6, Some(true)),
    }
}

fn by_relations(known: IntPred, asked: IntPred) -> Option<bool> {
    let ((known, a), (asked, b)) = (relations(known), relations(asked));
    let same_signs = a.is_none() || b.is_none() || a == b;
    match same_signs {
        true if known & !asked == 0 => Some(true),
        true if known & asked == 0 => Some(false),
        _ => None,
    }
}

/// The signed numbers that compare so with a constant, if they are an interval.
fn interval((pred, x): (IntPred, i64)) -> Option<(i64, i64)> {
    use IntPred::*;
    Some(match pred {
        Eq => (x, x),
        Slt => (i64::MIN, x.checked_sub(1)?),
        Sle => (i64::MIN, x),
        Sgt => (x.checked_add(1)?, i64::MAX),
        Sge => (x, i64::MAX),
        _ => return None,
    })
}

fn by_ranges(known: (IntPred, i64), asked: (IntPred, i64)) -> Option<bool> {
    let (low, high) = interval(known)?;
    let (asked, truth) = match asked.0 {
        IntPred::Ne => ((IntPred::Eq, asked.1), false),
        _ => (asked, true),
    };
    let (from, to) = interval(asked)?;
    if from <= low && high <= to {
        Some(truth)
    } else if high < from || to < low {
        Some(!truth)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Effects, TargetFacts};
    use crate::base::Handle;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::analyses::Given;
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

    #[test]
    fn what_a_number_is_compared_with_says_of_other_numbers() {
        for (first, second, truth) in [
            ("slt i32 %x, 5", (IntPred::Slt, 9), Some(true)),
            ("slt i32 %x, 5", (IntPred::Sgt, 4), Some(false)),
            ("sgt i32 %x, 5", (IntPred::Eq, 5), Some(false)),
            ("sgt i32 %x, 5", (IntPred::Sge, 6), Some(true)),
            ("eq i32 %x, 7", (IntPred::Ne, 3), Some(true)),
            ("slt i32 %x, 9", (IntPred::Slt, 5), None),
            ("ne i32 %x, 5", (IntPred::Slt, 5), None),
            ("slt i32 %y, 5", (IntPred::Slt, 5), None),
            ("ult i32 %x, 5", (IntPred::Slt, 9), None),
            ("sgt i32 %x, 4", (IntPred::Sle, 5), None),
            ("slt i32 %x, 5", (IntPred::Sge, 4), None),
        ] {
            let mut module = parse(&text(first, "eq i32 %x, %y")).unwrap();
            let mut analyses = Analyses::default();
            let (effects, target) = (Effects::default(), TargetFacts::default());
            let (f, yes) = (module.nth_mut(0), Block::new(1));
            let (x, number) = (f.params().next().unwrap(), f.int(second.1));
            let (f, env) = (module.nth(0), &module.env);
            analyses.require(Given { env, effects: &effects, target: &target, f }, AnalysisSet::DOMINATORS);
            assert_eq!(compares(f, &analyses, yes, (second.0, Value::inst(x), number)), truth, "{first}");
            let asked = (second.0, Value::inst(x), i64::from(second.1));
            assert_eq!(compares_with(f, &analyses, yes, asked), truth, "{first}");
        }
    }
}
