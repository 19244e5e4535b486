//! Control-flow clean-up: unreachable blocks go, branches that always go one way are folded, branches whose
//! way is known from where control comes are threaded, blocks that only forward are skipped, and chains are
//! merged.
//!
//! Rounds of two sweeps: one in postorder, so that a block is skipped after its target was (a chain of joins
//! costs its edges, not their square); one in reverse postorder that merges each chain from its head. A round
//! is O(edges + phi operands). Another round follows if this one has uncovered something: a branch was folded
//! or threaded, or a block may now be skipped or threaded that could not be when it was looked at. There are
//! at most `ROUNDS`.
//!
//! Loop headers are left alone by threading, so reducible code stays reducible. No two edges between the same
//! blocks are made that disagree about a phi.

use crate::analysis::{Order, unreachable_blocks};
use crate::ir::fold::Number;
use crate::ir::{Block, Body, Edge, Inst, Op, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static SIMPLIFY_CFG: FuncPass = FuncPass {
    name: "simplify_cfg",
    description: "remove, fold, thread, skip and merge blocks",
    grows: false,
    needs: AnalysisSet::ORDER,
    run,
};

const ROUNDS: usize = 8;
/// Phi operands that skipping one block may add.
const MOST_NEW_OPERANDS: usize = 1024;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let mut changed = false;
    for _ in 0..ROUNDS {
        cx.require(AnalysisSet::ORDER);
        let done = sweep(cx.f, &cx.analyses.order);
        if done == Done::Nothing {
            break;
        }
        changed = true;
        cx.analyses.keep(AnalysisSet::NONE);
        if done == Done::All {
            break;
        }
    }
    // What is true now is what the last sweep has asked for, if it has changed nothing.
    Outcome::changed_if(changed, AnalysisSet::ALL)
}

/// What a round, or a step of it, has done.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Done {
    Nothing,
    /// Something, and nothing more is to be done for it.
    All,
    /// Something that another round may go on from.
    Some,
}

fn sweep(f: &mut Body, order: &Order) -> Done {
    let dead = unreachable_blocks(f, order);
    f.remove_blocks(&dead);
    let mut done = if dead.is_empty() { Done::Nothing } else { Done::All };
    for &b in order.blocks.iter().rev() {
        let Some(mut end) = f.terminator(b) else { continue };
        let folded = match f.op(end) {
            Op::CondBr => Some(fold_branch(f, b, end)),
            Op::Switch => Some(fold_switch(f, b, end)),
            _ => None,
        };
        if let Some(folded) = folded {
            done = done.max(folded);
            let Some(now) = f.terminator(b) else { continue };
            end = now;
        }
        match f.op(end) {
            Op::CondBr if thread(f, b, end, order) => done = Done::Some,
            Op::Br => done = done.max(skip(f, b, end, order)),
            _ => {}
        }
    }
    for &b in &order.blocks {
        if !f.is_placed(b) {
            continue;
        }
        loop {
            let mut succs = f.succs(b);
            let (Some(e), None) = (succs.next(), succs.next()) else { break };
            let to = f.edge_to(e);
            // What a phi stood for may decide a branch.
            let decides = f.phis(to).any(|phi| f.args(phi).first().is_none_or(|v| v.as_inst().is_none()));
            if !f.merge_into_pred(to) {
                break;
            }
            done = done.max(if decides || may_go(f, b) { Done::Some } else { Done::All });
        }
    }
    done
}

/// True for a block that does nothing but go on, or decide by its phis where to.
fn may_go(f: &Body, b: Block) -> bool {
    let mut rest = f.insts(b).skip_while(|&i| f.op(i) == Op::Phi).map(|i| f.op(i));
    let first = rest.next();
    let end = if first == Some(Op::ICmp) { rest.next() } else { first };
    matches!(end, Some(Op::Br | Op::CondBr))
}

/// A branch on a constant, to one block only, or on a negation.
fn fold_branch(f: &mut Body, b: Block, i: Inst) -> Done {
    let mut succs = f.succs(b);
    let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return Done::Nothing };
    let c = f.arg(i, 0);
    let keep = match f.as_int(c) {
        Some(0) => no,
        Some(_) => yes,
        // The verifier sees to it that parallel edges agree about phis. A branch on undef may go anywhere.
        None if f.edge_to(yes) == f.edge_to(no) || c.is_undef() => no,
        None if !swap(f, i, c, yes, no) => return Done::Nothing,
        // What was negated may have become a number since.
        None => {
            let decided = f.terminator(b).is_some_and(|end| f.as_int(f.arg(end, 0)).is_some());
            return if decided { Done::Some } else { Done::All };
        }
    };
    f.fold_cond_br(b, keep, f.place(i));
    Done::Some
}

/// A switch on a constant, or to one block only.
fn fold_switch(f: &mut Body, b: Block, i: Inst) -> Done {
    let (x, mut succs) = (f.arg(i, 0), f.succs(b));
    let Some(last) = f.succs(b).next_back() else { return Done::Nothing };
    let keep = if x.is_number() {
        succs.nth(f.switch_entry(x, f.succs(b).len()))
    } else if x.is_undef() || succs.all(|e| f.edge_to(e) == f.edge_to(last)) {
        Some(last)
    } else {
        None
    };
    let Some(keep) = keep else { return Done::Nothing };
    f.fold_cond_br(b, keep, f.place(i));
    Done::Some
}

/// `if (!p) A else B` is `if (p) B else A`.
fn swap(f: &mut Body, branch: Inst, c: Value, yes: Edge, no: Edge) -> bool {
    let Some(not) = c.as_inst().filter(|&i| f.op(i) == Op::Xor && f.arg(i, 1) == Value::bool(true)) else {
        return false;
    };
    let p = f.arg(not, 0);
    let (for_yes, for_no) = (operands_of(f, yes), operands_of(f, no));
    let (b, place) = (f.edge_from(yes), f.place(branch));
    let flags = f.flags(branch).turned();
    let (new_yes, new_no) = f.set_cond_br(b, p, f.edge_to(no), f.edge_to(yes), place);
    _ = f.terminator(b).map(|i| f.set_flags(i, flags));
    set_operands(f, new_yes, &for_no);
    set_operands(f, new_no, &for_yes);
    if !f.has_uses(not) {
        f.remove(not);
    }
    true
}

/// What an edge brings to the phis of its target.
fn operands_of(f: &Body, e: Edge) -> Vec<(Inst, Value)> {
    f.phis(f.edge_to(e)).map(|phi| (phi, f.arg(phi, f.edge_slot(e)))).collect()
}

fn set_operands(f: &mut Body, e: Edge, operands: &[(Inst, Value)]) {
    for &(phi, v) in operands {
        f.set_arg(phi, f.edge_slot(e), v);
    }
}

/// What comes along `e` into a block that goes on along `onward`: the operands of the next block's phis, with
/// phis of the block in between taken apart. `None` if the source of `e` has an edge there that disagrees.
fn through(f: &Body, e: Edge, onward: Edge) -> Option<Vec<(Inst, Value)>> {
    let (middle, to) = (f.edge_to(e), f.edge_to(onward));
    let mut operands = operands_of(f, onward);
    for (_, v) in &mut operands {
        if let Some(phi) = v.as_inst().filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(middle)) {
            *v = f.arg(phi, f.edge_slot(e));
        }
    }
    let mut parallel = f.succs(f.edge_from(e)).filter(|&other| other != e && f.edge_to(other) == to);
    let agree = parallel.all(|other| operands.iter().all(|&(phi, v)| f.arg(phi, f.edge_slot(other)) == v));
    agree.then_some(operands)
}

/// True for the header of a loop.
fn is_header(f: &Body, b: Block, order: &Order) -> bool {
    f.preds(b).iter().any(|&e| order.is_retreating(f.edge_from(e), b))
}

/// True if nothing but `allowed`, and phis along the edges out of `b`, uses the phis of `b`: then control
/// that no longer comes through `b` misses nothing.
fn only_goes_on(f: &Body, b: Block, allowed: &[Inst]) -> bool {
    f.phis(b).all(|phi| {
        f.uses(phi).all(|u| {
            allowed.contains(&u.user)
                || f.op(u.user) == Op::Phi
                    && f.succs(b).any(|e| {
                        f.block_of(u.user) == Some(f.edge_to(e)) && f.edge_slot(e) == u.operand as usize
                    })
        })
    })
}

/// Lets the predecessors of a block that only forwards go on to its target.
fn skip(f: &mut Body, b: Block, end: Inst, order: &Order) -> Done {
    let Some(onward) = f.succs(b).next() else { return Done::Nothing };
    let to = f.edge_to(onward);
    let empty = f.prev(end).is_none_or(|i| f.op(i) == Op::Phi);
    if !empty || to == b || f.entry() == Some(b) || !only_goes_on(f, b, &[]) {
        return Done::Nothing;
    }
    let preds = f.preds(b);
    let single = preds.len() == 1 && f.succs(f.edge_from(preds[0])).len() == 1;
    let grows = preds.len().saturating_sub(1) * f.phis(to).count() > MOST_NEW_OPERANDS;
    if single || grows || f.preds(to).len() > 1 && is_header(f, b, order) {
        return Done::Nothing;
    }
    let only = if let &[e] = preds { Some(e) } else { None };
    if let Some(e) = only
        && unsplit(f, (b, e, onward))
    {
        return if may_go(f, to) { Done::Some } else { Done::All };
    }
    let preds = f.preds(b).to_vec();
    let mut done = Done::Nothing;
    for e in preds {
        if let Some(operands) = through(f, e, onward) {
            f.redirect(e, to);
            set_operands(f, e, &operands);
            done = Done::All;
        }
    }
    if f.preds(b).is_empty() {
        f.remove_blocks(&[b]);
    } else if done == Done::All {
        done = Done::Some;
    }
    // Its target has been looked at, and has other phis now.
    if done == Done::All && may_go(f, to) { Done::Some } else { done }
}

/// Takes a block that only forwards off the edge that it stands on, if nothing else comes from there to its target. Fast
/// path: mostly it was put there (a preheader, an exit of a loop's own), and its target's phis need no operand more and
/// one less: 30% of the pass, 2% of -O2 on nests.
fn unsplit(f: &mut Body, (b, e, onward): (Block, Edge, Edge)) -> bool {
    let to = f.edge_to(onward);
    if f.succs(f.edge_from(e)).any(|other| f.edge_to(other) == to) {
        return false;
    }
    let slot = f.edge_slot(onward);
    let mut next = if f.phis(b).next().is_some() { f.first(to) } else { None };
    while let Some(phi) = next.filter(|&i| f.op(i) == Op::Phi) {
        next = f.next(phi);
        let brought = f.arg(phi, slot).as_inst().filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(b));
        if let Some(brought) = brought {
            f.set_arg(phi, slot, f.arg(brought, 0));
        }
    }
    f.unsplit_edge(b)
}

/// Where the condition of a block that holds nothing else is a phi with constants, or a comparison of one
/// with a constant, the predecessors that bring the constants go straight to where they lead.
fn thread(f: &mut Body, b: Block, end: Inst, order: &Order) -> bool {
    let Some(c) = f.arg(end, 0).as_inst().filter(|&c| f.block_of(c) == Some(b)) else { return false };
    let (phi, last) = match f.op(c) {
        Op::Phi => (c, f.prev(end)),
        Op::ICmp if f.prev(end) == Some(c) && f.has_single_use(c) => match f.arg(c, 0).as_inst() {
            Some(phi) if f.arg(c, 1).is_number() => (phi, f.prev(c)),
            _ => return false,
        },
        _ => return false,
    };
    let only_phis = last.is_some_and(|i| f.op(i) == Op::Phi);
    if !only_phis || f.op(phi) != Op::Phi || f.block_of(phi) != Some(b) {
        return false;
    }
    if is_header(f, b, order) || f.entry() == Some(b) || !only_goes_on(f, b, &[end, c]) {
        return false;
    }
    let mut succs = f.succs(b);
    let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return false };
    let mut changed = false;
    for e in f.preds(b).to_vec() {
        let Some(truth) = decided(f, phi, c, e) else { continue };
        let onward = if truth { yes } else { no };
        if let Some(operands) = through(f, e, onward) {
            f.redirect(e, f.edge_to(onward));
            set_operands(f, e, &operands);
            changed = true;
        }
    }
    if changed && let Some(mut debug) = f.debug_values.take() {
        // Where ways meet again behind the block, these are what the last one through it has left.
        f.phis(b).for_each(|phi| debug.forget(phi));
        f.debug_values = Some(debug);
    }
    if f.preds(b).is_empty() {
        f.remove_blocks(&[b]);
    }
    changed
}

/// What the condition `c`, which is `phi` or compares it with a constant, is for control that comes along
/// `e`.
fn decided(f: &Body, phi: Inst, c: Inst, e: Edge) -> Option<bool> {
    let x = f.number(f.arg(phi, f.edge_slot(e)))?;
    if c == phi {
        return Some(x.bits != 0);
    }
    let y: Number = f.number(f.arg(c, 1))?;
    crate::ir::fold::fold(Op::ICmp, crate::ir::Type::I1, f.payload(c), &[x, y]).map(|x| x.bits != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::random::{random_body, seeds};
    use crate::base::Handle;
    use crate::ir::{Place, Type};
    use crate::opt::run::testing::{apply, leaves_alone, module, rewrites};

    #[test]
    fn blocks_that_only_forward_are_skipped_and_chains_merge() {
        rewrites(
            &SIMPLIFY_CFG,
            "define i32 @f(i1 %c, i1 %d, i32 %x) {
             entry:
               br i1 %c, label %one, label %two
             one:
               br label %three
             two:
               br i1 %d, label %join, label %five
             three:
               %y = add i32 %x, 1
               br label %join
             five:
               br label %join
             join:
               %p = phi i32 [ 5, %two ], [ %y, %three ], [ 5, %five ]
               br label %exit
             exit:
               ret i32 %p
             dead:
               br label %join2
             join2:
               br label %dead
             }",
            "define i32 @f(i1 %c, i1 %d, i32 %x) {
             entry:
               br i1 %c, label %three, label %exit
             three:
               %y = add i32 %x, 1
               br label %exit
             exit:
               %p = phi i32 [ 5, %entry ], [ %y, %three ]
               ret i32 %p
             }",
        );
    }

    /// A switch on `x`, and what its edges lead to.
    fn switch_on(x: &str) -> String {
        format!(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %x) {{
             entry:
               switch i32 {x}, label %other [ i32 0, label %a i32 1, label %b i32 2, label %c i32 3, label %a i32 4, label %b ]
             a:
               call void @putint(i32 1)
               br label %end
             b:
               call void @putint(i32 2)
               br label %end
             c:
               call void @putint(i32 3)
               br label %end
             other:
               br label %end
             end:
               %p = phi i32 [ 5, %a ], [ %x, %b ], [ 7, %c ], [ 9, %other ]
               ret i32 %p
             }}"
        )
    }

    #[test]
    fn what_is_negated_and_gets_known_on_the_way_decides_a_branch() {
        rewrites(
            &SIMPLIFY_CFG,
            "define i32 @f() {
             entry:
               br i1 true, label %a, label %b
             a:
               br label %b
             b:
               %p = phi i1 [ false, %entry ], [ true, %a ]
               br i1 true, label %c, label %d
             c:
               br label %d
             d:
               %q = phi i1 [ false, %b ], [ true, %c ]
               %r = xor i1 %p, %q
               br i1 %r, label %one, label %two
             one:
               ret i32 1
             two:
               ret i32 2
             }",
            "define i32 @f() {
             entry:
               ret i32 2
             }",
        );
    }

    #[test]
    fn a_switch_on_a_constant_goes_one_way() {
        let one_way = |put: &str, result: &str| {
            format!(
                "declare void @putint(i32) memory(inaccessiblemem: readwrite)
                 define i32 @f(i32 %x) {{
                 entry:
                   {put}
                   ret i32 {result}
                 }}"
            )
        };
        let put = |x: u32| format!("call void @putint(i32 {x})");
        for (x, put, result) in
            [("3", put(1), "5"), ("4", put(2), "%x"), ("2", put(3), "7"), ("5", String::new(), "9")]
        {
            rewrites(&SIMPLIFY_CFG, &switch_on(x), &one_way(&put, result));
        }
        rewrites(&SIMPLIFY_CFG, &switch_on("-1"), &one_way("", "9"));
    }

    #[test]
    fn an_edge_of_a_switch_goes_past_a_block_that_only_forwards() {
        rewrites(
            &SIMPLIFY_CFG,
            &switch_on("%x"),
            &switch_on("%x")
                .replace("label %other [", "label %end [")
                .replace(" other:\n               br label %end\n", "")
                .replace("[ 9, %other ]", "[ 9, %entry ]"),
        );
    }

    #[test]
    fn a_truth_value_that_went_through_a_phi_is_threaded() {
        rewrites(
            &SIMPLIFY_CFG,
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i1 %c, i32 %x) {
             entry:
               br i1 %c, label %right, label %join
             right:
               %y = icmp slt i32 %x, 9
               %z = zext i1 %y to i32
               br label %join
             join:
               %p = phi i32 [ 0, %entry ], [ %z, %right ]
               %t = icmp ne i32 %p, 0
               br i1 %t, label %yes, label %no
             yes:
               call void @putint(i32 1)
               br label %no
             no:
               %r = phi i32 [ %x, %join ], [ 3, %yes ]
               ret i32 %r
             }",
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i1 %c, i32 %x) {
             entry:
               br i1 %c, label %right, label %no
             right:
               %y = icmp slt i32 %x, 9
               %z = zext i1 %y to i32
               %t = icmp ne i32 %z, 0
               br i1 %t, label %yes, label %no
             yes:
               call void @putint(i32 1)
               br label %no
             no:
               %r = phi i32 [ %x, %entry ], [ %x, %right ], [ 3, %yes ]
               ret i32 %r
             }",
        );
    }

    #[test]
    fn a_block_whose_phi_is_used_elsewhere_and_edges_that_would_disagree_stay() {
        leaves_alone(
            &SIMPLIFY_CFG,
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i1 %c, i1 %d, i32 %x) {
             entry:
               br i1 %c, label %one, label %join
             one:
               br label %join
             join:
               %p = phi i32 [ 1, %entry ], [ 2, %one ]
               br i1 %d, label %yes, label %no
             yes:
               call void @putint(i32 %p)
               br label %no
             no:
               ret i32 %p
             }",
        );
    }

    #[test]
    fn the_header_of_a_loop_is_not_threaded() {
        leaves_alone(
            &SIMPLIFY_CFG,
            "declare i32 @getint() memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %x) {
             entry:
               %y = call i32 @getint()
               br label %head
             head:
               %p = phi i1 [ true, %entry ], [ %t, %body ]
               br i1 %p, label %body, label %exit
             body:
               %z = call i32 @getint()
               %t = icmp eq i32 %z, 0
               br label %head
             exit:
               ret i32 %x
             }",
        );
    }

    #[test]
    fn a_ladder_of_joins_takes_linear_time() {
        // if (c) {} else if (c) {} else ...: n joins that only forward, each to the next one out.
        let mut module = module();
        let f = module.nth_mut(0);
        let n = 20_000;
        let c = Value::inst(Inst::new(1));
        let (entry, exit) = (f.create_block(), f.create_block());
        let mut outer = exit;
        let phi = f.insert_phi(exit, Type::I32, Place::NONE);
        let mut at = entry;
        for k in 0..n {
            let [then, other, join] = [0; 3].map(|_| f.create_block());
            f.set_cond_br(at, c, then, other, Place::NONE);
            let x = f.int(k);
            let v =
                Value::inst(f.insert(crate::ir::At::End(then), Op::Add, Type::I32, &[x, x], 0, Place::NONE));
            let inner = f.insert_phi(join, Type::I32, Place::NONE);
            let e = f.set_br(then, join, Place::NONE);
            f.set_arg(inner, f.edge_slot(e), v);
            let e = f.set_br(join, outer, Place::NONE);
            let target = f.first(outer).filter(|&i| f.op(i) == Op::Phi).unwrap_or(phi);
            f.set_arg(target, f.edge_slot(e), Value::inst(inner));
            (at, outer) = (other, join);
        }
        let e = f.set_br(at, outer, Place::NONE);
        if let Some(inner) = f.first(outer) {
            let zero = f.int(0);
            f.set_arg(inner, f.edge_slot(e), zero);
        }
        f.set_ret(exit, Some(Value::inst(phi)), Place::NONE);
        assert!(apply(&SIMPLIFY_CFG, &mut module));
        let f = module.nth(0);
        assert_eq!((f.preds(exit).len(), f.blocks().count()), (n as usize + 1, 2 * n as usize + 1));
    }

    #[test]
    fn a_branch_on_a_negation_brings_each_block_what_it_did() {
        let mut module = crate::ir::parse::parse(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i1 %p, i32 %x, i32 %y) {
             entry:
               %n = xor i1 %p, true
               br i1 %n, label %one, label %join
             one:
               call void @putint(i32 1)
               br label %join
             join:
               %r = phi i32 [ %x, %entry ], [ %y, %one ]
               ret i32 %r
             }",
        )
        .unwrap();
        assert!(apply(&SIMPLIFY_CFG, &mut module));
        let have = crate::ir::print::module(&module);
        assert!(have.contains("[ %p1, %b0 ]") && have.contains("[ %p2, %b1 ]"), "{have}");
    }

    #[test]
    fn a_block_comes_off_its_edge_as_if_its_predecessor_had_been_sent_on() {
        let mut taken = 0;
        for seed in seeds() {
            let mut f = random_body(seed, 8);
            let blocks: Vec<Block> = f.blocks().collect();
            let phis: Vec<Inst> =
                blocks[1..].iter().map(|&b| f.insert_phi(b, Type::I32, Place::NONE)).collect();
            for (k, &phi) in phis.iter().enumerate() {
                for slot in 0..f.args(phi).len() {
                    let v =
                        if slot % 2 == 0 { f.int(slot as i32) } else { Value::inst(phis[slot % (k + 1)]) };
                    f.set_arg(phi, slot, v);
                }
            }
            let edges: Vec<Edge> = blocks.iter().flat_map(|&b| f.succs(b)).collect();
            for e in edges {
                let to = f.edge_to(e);
                let b = f.split_edge(e);
                let onward = f.succs(b).next().unwrap();
                let slot = f.edge_slot(onward);
                if let Some(phi) = f.first(to).filter(|&i| f.op(i) == Op::Phi && slot.is_multiple_of(2)) {
                    let (between, v) = (f.insert_phi(b, Type::I32, Place::NONE), f.arg(phi, slot));
                    f.set_arg(between, 0, v);
                    f.set_arg(phi, slot, Value::inst(between));
                }
                let mut slow = f.clone();
                let operands = through(&slow, e, onward);
                if !unsplit(&mut f, (b, e, onward)) {
                    continue;
                }
                slow.redirect(e, to);
                set_operands(&mut slow, e, &operands.unwrap());
                slow.remove_blocks(&[b]);
                let shown = |f: &Body| {
                    let row = |i| (f.op(i), f.args(i).to_vec());
                    let of = |b| (f.preds(b).to_vec(), f.insts(b).map(row).collect::<Vec<_>>());
                    f.blocks().map(|b| (b, of(b))).collect::<Vec<_>>()
                };
                assert_eq!((shown(&f), f.check_tables()), (shown(&slow), Ok(())), "seed {seed}");
                taken += 1;
            }
        }
        assert!(taken > 100, "{taken}");
    }
}
