//! What all ways into a block compute alike, and nothing else uses, is computed in that block: a phi of equal
//! sums is a sum. So a loop whose `continue` steps the induction variable in a place of its own has one step,
//! which passes over loops recognise, and the block of the `continue` is empty.
//!
//! Blocks in reverse postorder, so that what has been sunk once can be sunk on. Not into headers of loops: it
//! would be computed in each round. O(operands of phis).

use crate::ir::opcode::{MAY_TRAP, PURE};
use crate::ir::{At, Block, Body, Inst, Op, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static SINK_EQUAL: FuncPass = FuncPass {
    name: "sink_equal",
    description: "compute in a block what all ways into it compute alike",
    grows: false,
    needs: AnalysisSet::ORDER,
    run,
};

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let mut changed = false;
    if !cx.f.has_phis() {
        return Outcome::UNCHANGED;
    }
    for k in 0..cx.analyses.order.blocks.len() {
        let b = cx.analyses.order.blocks[k];
        let order = &cx.analyses.order;
        if cx.f.preds(b).iter().any(|&e| order.is_retreating(cx.f.edge_from(e), b)) {
            continue;
        }
        let mut next = cx.f.first(b);
        while let Some(phi) = next.filter(|&i| cx.f.op(i) == Op::Phi) {
            next = cx.f.next(phi);
            changed |= sink(cx.f, b, phi);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

fn sink(f: &mut Body, b: Block, phi: Inst) -> bool {
    let Some(first) = f.arg(phi, 0).as_inst().filter(|_| f.args(phi).len() > 1) else { return false };
    let op = f.op(first);
    // Selection takes comparisons into the branches on them.
    if !op.has(PURE) || op.has(MAY_TRAP) || matches!(op, Op::Phi | Op::ICmp | Op::FCmp) {
        return false;
    }
    let is_step = is_step(f, phi, first);
    let alike = |&v: &Value| {
        let Some(i) = v.as_inst() else { return false };
        (f.op(i), f.ty(i), f.payload(i)) == (op, f.ty(first), f.payload(first))
            && f.args(i) == f.args(first)
            && (is_step || f.has_single_use(i))
    };
    let is_one = f.args(phi).iter().all(|&v| v == Value::inst(first));
    if is_one || !f.args(phi).iter().all(alike) {
        return false;
    }
    let args = f.args(first).to_vec();
    let sunk = f.insert(At::Start(b), op, f.ty(first), &args, f.payload(first), f.place(first));
    let made: Vec<Inst> = f.args(phi).iter().filter_map(|v| v.as_inst()).collect();
    if made.iter().all(|&i| f.flags(i) == f.flags(first)) {
        f.keep_flags(sunk, first);
    }
    f.replace(phi, Value::inst(sunk));
    made.into_iter().for_each(|i| f.remove_unused(i));
    true
}

/// True if a phi is what an induction variable is next, and a value its sum with a constant.
fn is_step(f: &Body, phi: Inst, next: Inst) -> bool {
    let &[variable, by] = f.args(next) else { return false };
    let variable = variable.as_inst().filter(|&i| f.op(i) == Op::Phi && f.op(next) == Op::Add);
    by.is_constant() && variable.is_some_and(|variable| f.uses(phi).any(|u| u.user == variable))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    fn joined(one: &str, other: &str, phi: &str, result: &str) -> String {
        format!(
            "define i32 @f(i32 %x, i32 %y, i1 %c) {{
             entry:
               br i1 %c, label %one, label %other
             one:
               {one}
               br label %join
             other:
               {other}
               br label %join
             join:
               {phi}
               ret i32 {result}
             }}"
        )
    }

    #[test]
    fn a_phi_of_equal_sums_is_a_sum() {
        rewrites(
            &SINK_EQUAL,
            &joined(
                "%a = add i32 %x, %y",
                "%b = add i32 %x, %y",
                "%p = phi i32 [ %a, %one ], [ %b, %other ]",
                "%p",
            ),
            &joined("", "", "%p = add i32 %x, %y", "%p"),
        );
    }

    #[test]
    fn what_differs_traps_or_is_used_elsewhere_stays() {
        let phi = "%p = phi i32 [ %a, %one ], [ %b, %other ]";
        let sum = "%a = add i32 %x, %y";
        leaves_alone(&SINK_EQUAL, &joined(sum, "%b = add i32 %x, 1", phi, "%p"));
        leaves_alone(&SINK_EQUAL, &joined(sum, "%b = sub i32 %x, %y", phi, "%p"));
        leaves_alone(&SINK_EQUAL, &joined("%a = sdiv i32 %x, %y", "%b = sdiv i32 %x, %y", phi, "%p"));
        leaves_alone(
            &SINK_EQUAL,
            &joined(
                "%a = add i32 %x, %y",
                "%b = add i32 %x, %y\n %z = mul i32 %b, %b",
                "%p = phi i32 [ %a, %one ], [ %b, %other ]\n %q = phi i32 [ 0, %one ], [ %z, %other ]
                 %s = mul i32 %p, %q",
                "%s",
            ),
        );
    }

    #[test]
    fn a_step_goes_down_even_if_it_is_used_elsewhere() {
        let text = |one: &str, other: &str, step: &str| {
            format!(
                "define i32 @f(i32 %n, i1 %c) {{
                 entry:
                   br label %loop
                 loop:
                   %i = phi i32 [ 0, %entry ], [ %k, %latch ]
                   br i1 %c, label %one, label %other
                 one:
                   {one}
                   br label %latch
                 other:
                   {other}
                   br label %latch
                 latch:
                   %x = phi i32 [ 0, %one ], [ %y, %other ]
                   {step}
                   %s = add i32 %k, %x
                   %d = icmp slt i32 %s, %n
                   br i1 %d, label %loop, label %exit
                 exit:
                   ret i32 0
                 }}"
            )
        };
        rewrites(
            &SINK_EQUAL,
            &text(
                "%a = add i32 %i, 1",
                "%b = add i32 %i, 1\n %y = mul i32 %b, %b",
                "%k = phi i32 [ %a, %one ], [ %b, %other ]",
            ),
            &text("", "%b = add i32 %i, 1\n %y = mul i32 %b, %b", "%k = add i32 %i, 1"),
        );
    }
}
