//! Loop peeling: the first round stands in front of a loop, where a flag is what it is in that round only.
//!
//! ```text
//! first = 1;                                s = x[0];
//! while (i < n) {                           i = 1;
//!   if (first) { s = x[i]; first = 0; }     while (i < n) {
//!   else s = s * 3 + x[i];                    s = s * 3 + x[i];
//!   i = i + 1;                                i = i + 1;
//! }                                         }
//! ```
//!
//! The flag is a phi that begins with a constant, and is another one from the second round on: in each round that one, or
//! what it was where a branch on it says that the first round is over. What is decided of it is folded at once (`sccp`,
//! `simplify_cfg`). A test on the variable that counts is left to `split_loops`. In front of value numbering: what both ways
//! of the branch load is one load then. O(phis of loops), and what is copied.
//!
//! LLVM's `LoopPeel`, GCC's `-fpeel-loops`.

use crate::analysis::simple_loop::SimpleLoop;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::fold::{Number, fold};
use crate::ir::{Block, Body, Inst, Op, Place, Sort, Type, Value};
use crate::opt::flow::simplify_cfg::SIMPLIFY_CFG;
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::opt::values::sccp::SCCP;

/// The pass.
pub static LOOP_PEEL: FuncPass = FuncPass {
    name: "loop_peel",
    description: "do the first round in front of a loop where a flag is what it is in that round only",
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a loop that is copied,
const MOST_COPIED: usize = 100;
/// and of all of a function.
const MOST_GROWTH: usize = 400;
/// Values that a flag may be in the next round.
const MOST_NEXTS: usize = 8;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_peeled = |l: Loop| cx.analyses.simple_loop(cx.f, l).is_some_and(|l| has_flag(&l));
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(is_peeled) {
        return Outcome::UNCHANGED;
    }
    canonicalise(cx, &mut s.closer);
    let mut room = MOST_GROWTH;
    let mut plans: Vec<(Round, Block, Place)> = Vec::new();
    for l in cx.analyses.loops.header.keys() {
        let Some(around) = cx.analyses.simple_loop(cx.f, l).filter(has_flag) else { continue };
        let (Some(round), place) = (Round::of(&around), place_of_loop(cx.f, cx.analyses, l)) else {
            continue;
        };
        let size = round.size(cx.f);
        // Copies of a loop that is copied itself would have to be copied.
        let is_apart = plans.iter().all(|(other, ..)| !other.blocks.contains(&round.header));
        if size > MOST_COPIED.min(room) || !is_apart {
            continue;
        }
        room -= size;
        plans.push((round, around.preheader, place));
    }
    s.copies.begin(cx.f);
    for (round, preheader, place) in &plans {
        cx.f.tell((Sort::Done, "loop_peel"), *place, || {
            "the first round stands in front of the loop".to_string()
        });
        _ = peel(cx.f, round, *preheader, &mut s.copies);
    }
    if !plans.is_empty() {
        for pass in [&SCCP, &SIMPLIFY_CFG] {
            cx.analyses.keep(AnalysisSet::NONE);
            cx.require(pass.needs);
            (pass.run)(cx);
        }
    }
    Outcome::changed(AnalysisSet::NONE)
}

/// Puts a copy of the round in front of the loop.
fn peel(f: &mut Body, round: &Round, preheader: Block, copies: &mut Copies) -> Option<()> {
    let enters = f.preds(round.header).iter().copied().find(|&e| f.edge_from(e) == preheader)?;
    let slot = f.edge_slot(enters);
    let inits: Vec<Value> = round.phis.iter().map(|&phi| f.arg(phi, slot)).collect();
    let first = round.copy(f, copies)?;
    round.forget(f, copies);
    f.redirect(enters, first.header);
    first.enter(f, enters, &inits);
    first.go_on_with(f, round);
    let mut last = preheader;
    for &b in &first.blocks {
        f.move_block_after(b, last);
        last = b;
    }
    Some(())
}

/// True if a phi of the header decides a branch in the first round, and decides it in the other way in all others.
fn has_flag(around: &SimpleLoop) -> bool {
    let f = around.f;
    f.phis(around.header).any(|phi| {
        let Some((init, next)) = around.phi(Value::inst(phi)) else { return false };
        init.is_constant()
            && next_of(around, phi, next).is_some_and(|next| {
                decisions(f, phi).any(|(compare, _)| {
                    let [first, later] = [init, next].map(|v| decided(f, compare, phi, v));
                    first.is_some() && later.is_some() && first != later
                })
            })
    })
}

/// Branches of the function on a phi: the condition, and the block.
fn decisions(f: &Body, phi: Inst) -> impl Iterator<Item = (Inst, Block)> {
    let compares = f.uses(phi).map(|u| u.user).filter(|&i| f.op(i) == Op::ICmp);
    let conditions = compares.chain([phi]);
    conditions.flat_map(move |condition| {
        let branches = f.uses(condition).map(|u| u.user).filter(|&i| f.op(i) == Op::CondBr);
        branches.filter_map(move |branch| Some((condition, f.block_of(branch)?)))
    })
}

/// What a condition on a phi is if the phi is this constant.
fn decided(f: &Body, condition: Inst, phi: Inst, v: Value) -> Option<bool> {
    let args = f.args(condition).iter().map(|&arg| f.number(if arg == Value::inst(phi) { v } else { arg }));
    let result = match condition == phi {
        true => f.number(v)?,
        false => fold(f.op(condition), Type::I1, f.payload(condition), &args.collect::<Option<Vec<_>>>()?)?,
    };
    (result.ty == Type::I1).then_some(result != Number::bool(false))
}

/// The one constant that a phi is in the next round: itself only where a branch on it says that it is that already.
fn next_of(around: &SimpleLoop, phi: Inst, next: Value) -> Option<Value> {
    let f = around.f;
    let mut constant = None;
    let (mut open, mut seen) = (vec![next], Vec::new());
    let mut kept: Vec<Block> = Vec::new();
    while let Some(v) = open.pop() {
        if v.is_constant() {
            if constant.is_some_and(|known| known != v) {
                return None;
            }
            constant = Some(v);
            continue;
        }
        let i = v.as_inst().filter(|&i| f.op(i) == Op::Phi && !around.is_outside(v) && i != phi)?;
        if seen.contains(&i) {
            continue;
        }
        if seen.len() == MOST_NEXTS {
            return None;
        }
        seen.push(i);
        for (k, &arg) in f.args(i).iter().enumerate() {
            if arg == Value::inst(phi) {
                kept.push(f.edge_from(f.preds(f.block_of(i)?)[k]));
            } else {
                open.push(arg);
            }
        }
    }
    let constant = constant?;
    let is_over = |&b: &Block| {
        decisions(f, phi).any(|(condition, at)| {
            let Some(branch) = f.terminator(at) else { return false };
            let Some(truth) = decided(f, condition, phi, constant) else { return false };
            let (yes, no) = f.ways(branch);
            let to = f.edge_to(if truth { yes } else { no });
            yes != no && f.preds(to).len() == 1 && around.dominators.dominates(to, b)
        })
    };
    kept.iter().all(is_over).then_some(constant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, leaves_alone, run};

    /// A loop with a flag that begins as `init`, is branched on by `test`, and is set so on both ways.
    fn text(init: &str, test: &str, [yes, no]: [&str; 2]) -> String {
        format!(
            "declare i32 @getint() memory(inaccessiblemem: readwrite)
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @main() {{
             entry:
               %n = call i32 @getint()
               br label %loop
             loop:
               %i = phi i32 [ 0, %entry ], [ %ii, %end ]
               %flag = phi i32 [ {init}, %entry ], [ %next, %end ]
               %s = phi i32 [ 7, %entry ], [ %t, %end ]
               %c = icmp {test}
               br i1 %c, label %one, label %two
             one:
               %x = add i32 %s, 5
               br label %end
             two:
               %y = mul i32 %s, 3
               br label %end
             end:
               %t = phi i32 [ %x, %one ], [ %y, %two ]
               %next = phi i32 [ {yes}, %one ], [ {no}, %two ]
               %ii = add i32 %i, 1
               %d = icmp slt i32 %ii, %n
               br i1 %d, label %loop, label %out
             out:
               %r = add i32 %t, %flag
               call void @putint(i32 %r)
               ret i32 0
             }}"
        )
    }

    /// Branches in what the pass has made, which does the same for all of these inputs.
    fn branches(text: &str) -> usize {
        let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        apply(&LOOP_PEEL, &mut module);
        for input in ["0", "1", "2", "5"] {
            assert!(run(&before, input).is_some(), "{text}");
            assert_eq!(run(&module, input), run(&before, input), "{}", print::module(&module));
        }
        print::module(&module).matches("br i1").count()
    }

    #[test]
    fn a_flag_of_the_first_round_is_not_asked_again() {
        // The test whether there is a second round, and that of the loop.
        assert_eq!(branches(&text("1", "ne i32 %flag, 0", ["0", "0"])), 2);
        assert_eq!(branches(&text("1", "ne i32 %flag, 0", ["0", "%flag"])), 2);
        assert_eq!(branches(&text("0", "eq i32 %flag, 0", ["1", "%flag"])), 2);
        assert_eq!(branches(&text("9", "slt i32 %flag, 3", ["%flag", "-4"])), 2);
    }

    #[test]
    fn what_may_stay_as_it_begins_is_asked_in_each_round() {
        // It is what it begins with for as long as something else says.
        leaves_alone(&LOOP_PEEL, &text("0", "eq i32 %flag, 1", ["%flag", "0"]));
        leaves_alone(&LOOP_PEEL, &text("1", "ne i32 %flag, 0", ["%flag", "0"]));
        leaves_alone(&LOOP_PEEL, &text("1", "sgt i32 %i, 3", ["0", "%flag"]));
        // Two constants, no constant, and the same answer for both.
        leaves_alone(&LOOP_PEEL, &text("1", "ne i32 %flag, 0", ["0", "2"]));
        leaves_alone(&LOOP_PEEL, &text("1", "ne i32 %flag, 0", ["0", "%i"]));
        leaves_alone(&LOOP_PEEL, &text("%n", "ne i32 %flag, 0", ["0", "0"]));
        leaves_alone(&LOOP_PEEL, &text("1", "ne i32 %flag, 0", ["2", "2"]));
    }
}
