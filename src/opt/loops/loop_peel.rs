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
//! what it was where a branch on it says that the first round is over. Branches on it are folded at once. A test on the variable that counts is left to `split_loops`. In front of value numbering: what both ways
//! of the branch load is one load then. O(phis of loops), and what is copied.
//!
//! LLVM's `LoopPeel`, GCC's `-fpeel-loops`.

use crate::analysis::simple_loop::SimpleLoop;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::fold::{Number, fold as fold_numbers};
use crate::ir::{Block, Body, Inst, Op, Place, Sort, Type, Value};
use crate::opt::flow::simplify_cfg::SIMPLIFY_CFG;
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static LOOP_PEEL: FuncPass = FuncPass {
    name: "loop_peel",
    description: "do the first round in front of a loop where a flag is what it is in that round only",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a loop that is copied, phis and branches too,
const MOST_COPIED: usize = 120;
/// and of all of a function.
const MOST_GROWTH: usize = 400;
/// Values that a flag may be in the next round.
const MOST_NEXTS: usize = 8;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

/// A phi that is a constant from the second round on.
struct Flag {
    phi: Inst,
    later: Value,
    /// Branches on it, and what their conditions are then.
    branches: Vec<(Block, bool)>,
}

/// A loop whose first round is copied.
struct Plan {
    round: Round,
    preheader: Block,
    flags: Vec<Flag>,
    place: Place,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_peeled = |l: Loop| {
        let around = cx.analyses.simple_loop(cx.f, l).filter(is_small);
        around.is_some_and(|around| cx.f.phis(around.header).any(|phi| flag(&around, phi).is_some()))
    };
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(is_peeled) {
        return Outcome::UNCHANGED;
    }
    canonicalise(cx, &mut s.closer);
    let mut room = MOST_GROWTH;
    let mut plans: Vec<Plan> = Vec::new();
    for l in cx.analyses.loops.header.keys() {
        let Some(around) = cx.analyses.simple_loop(cx.f, l).filter(is_small) else { continue };
        let flags: Vec<Flag> = cx.f.phis(around.header).filter_map(|phi| flag(&around, phi)).collect();
        let Some(round) = Round::of(&around).filter(|_| !flags.is_empty()) else { continue };
        let size = round.size(cx.f);
        // Copies of a loop that is copied itself would have to be copied.
        let is_apart = plans.iter().all(|other| !other.round.blocks.contains(&round.header));
        if size > room || !is_apart {
            continue;
        }
        room -= size;
        let place = place_of_loop(cx.f, cx.analyses, l);
        plans.push(Plan { round, preheader: around.preheader, flags, place });
    }
    s.copies.begin(cx.f);
    for plan in &plans {
        let text = || "the first round stands in front of the loop".to_string();
        cx.f.tell((Sort::Done, "loop_peel"), plan.place, text);
        _ = peel(cx.f, plan, &mut s.copies);
    }
    if !plans.is_empty() {
        cx.analyses.keep(AnalysisSet::NONE);
        cx.require(SIMPLIFY_CFG.needs);
        (SIMPLIFY_CFG.run)(cx);
    }
    Outcome::changed(AnalysisSet::NONE)
}

/// True if the loop may be copied.
fn is_small(around: &SimpleLoop) -> bool {
    let insts = around.loops.blocks(around.l).iter().flat_map(|&b| around.f.insts(b));
    insts.take(MOST_COPIED + 1).count() <= MOST_COPIED
}

/// Puts a copy of the round in front of the loop, and folds the branches on flags in both.
fn peel(f: &mut Body, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let Plan { round, preheader, flags, place } = plan;
    let enters = f.preds(round.header).iter().copied().find(|&e| f.edge_from(e) == *preheader)?;
    let slot = f.edge_slot(enters);
    let inits: Vec<Value> = round.phis.iter().map(|&phi| f.arg(phi, slot)).collect();
    let first = round.copy(f, copies)?;
    f.redirect(enters, first.header);
    first.enter(f, enters, &inits);
    let branches = || flags.iter().flat_map(|flag| &flag.branches);
    let of_first: Vec<Option<Block>> = branches().map(|&(at, _)| copies.blocks[at].get()).collect();
    round.forget(f, copies);
    first.go_on_with(f, round);
    for (&(at, truth), copy) in branches().zip(of_first) {
        fold(f, at, truth, *place);
        if let Some(copy) = copy {
            fold(f, copy, !truth, *place);
        }
    }
    flags.iter().for_each(|flag| f.replace(flag.phi, flag.later));
    let mut last = *preheader;
    for &b in &first.blocks {
        f.move_block_after(b, last);
        last = b;
    }
    Some(())
}

/// Lets a block always go on in one way.
fn fold(f: &mut Body, b: Block, truth: bool, place: Place) {
    if let Some(branch) = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr) {
        let (yes, no) = f.ways(branch);
        f.fold_cond_br(b, if truth { yes } else { no }, place);
    }
}

/// A phi of the header that decides branches in the first round, and in the other way in all others.
fn flag(around: &SimpleLoop, phi: Inst) -> Option<Flag> {
    let f = around.f;
    let (init, next) = around.phi(Value::inst(phi)).filter(|(init, _)| init.is_constant())?;
    let later = next_of(around, phi, (init, next))?;
    let is_inside = |at: Block| at != around.latch && around.loops.contains(around.l, at);
    let decided = decisions(f, phi).filter(|&(_, at)| is_inside(at));
    let branches: Vec<(Block, bool)> = decided
        .filter_map(|(condition, at)| Some((at, changes(f, condition, phi, [init, later])?)))
        .collect();
    (!branches.is_empty()).then_some(Flag { phi, later, branches })
}

/// What a condition on a phi is later, if it is not what it is at first.
fn changes(f: &Body, condition: Inst, phi: Inst, [init, later]: [Value; 2]) -> Option<bool> {
    let [first, later] = [init, later].map(|v| decided(f, condition, phi, v));
    later.filter(|&truth| first == Some(!truth))
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
        false => {
            fold_numbers(f.op(condition), Type::I1, f.payload(condition), &args.collect::<Option<Vec<_>>>()?)?
        }
    };
    (result.ty == Type::I1).then_some(result != Number::bool(false))
}

/// The one constant that a phi is in the next round: itself only where a branch on it says that it is that already.
fn next_of(around: &SimpleLoop, phi: Inst, (init, next): (Value, Value)) -> Option<Value> {
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
            let Some(truth) = changes(f, condition, phi, [init, constant]) else { return false };
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
