//! A choice between a value and a sum, where the target compares and branches in one instruction and has no
//! conditional moves, becomes a branch around the sum: one or two instructions, where masks take five.
//!
//! The value that is computed for the choice alone goes into the branch. O(instructions).

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::ir::opcode::{MAY_TRAP, PURE};
use crate::ir::{At, Body, Inst, Op, Type, Value};

/// The pass.
pub static BRANCH_SELECTS: FuncPass = FuncPass {
    name: "branch_selects",
    description: "branch around what is computed for a choice only, where that is cheaper",
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Choices that are worth a branch.
#[derive(Debug, Default)]
struct Scratch {
    found: Vec<Inst>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, Scratch { found }: &mut Scratch) -> Outcome {
    if !cx.target.compare_and_branch {
        return Outcome::UNCHANGED;
    }
    let f = &mut *cx.f;
    found.clear();
    found.extend(f.ops().filter(|&(_, op)| op == Op::Select).map(|(i, _)| i));
    let mut changed = false;
    for &i in found.iter() {
        changed |= branch(f, i).is_some();
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

fn branch(f: &mut Body, i: Inst) -> Option<()> {
    let (b, ty, place) = (f.block_of(i)?, f.ty(i), f.place(i));
    let &[c, yes, no] = f.args(i) else { return None };
    let compare = c.as_inst().filter(|&c| f.op(c) == Op::ICmp && f.has_single_use(c))?;
    let is_sunk = |v: Value| {
        v.as_inst().filter(|&v| {
            let op = f.op(v);
            op.has(PURE) && !op.has(MAY_TRAP) && f.block_of(v) == Some(b) && f.has_single_use(v)
        })
    };
    let (arm, is_yes) = match (is_sunk(yes), is_sunk(no)) {
        (Some(arm), None) => (arm, true),
        (None, Some(arm)) => (arm, false),
        _ => return None,
    };
    if ty == Type::I1 || f.block_of(compare) != Some(b) {
        return None;
    }
    let tail = f.split_block(i)?;
    let around = f.create_block_after(b);
    f.clear_terminator(b);
    let (to_yes, to_no) = if is_yes { (around, tail) } else { (tail, around) };
    let edges = f.set_cond_br(b, c, to_yes, to_no, place);
    let direct = if is_yes { edges.1 } else { edges.0 };
    let onward = f.set_br(around, tail, place);
    let (of_arm, other) = if is_yes { (yes, no) } else { (no, yes) };
    if let Some((a, by)) = other.as_inst().and_then(|other| from_other(f, arm, other)) {
        f.rewrite(arm, Op::Add, ty, &[a, by], 0);
    }
    f.move_inst(arm, At::BeforeTerminator(around));
    f.move_inst(compare, At::BeforeTerminator(b));
    let phi = f.insert_phi(tail, ty, place);
    f.set_arg(phi, f.edge_slot(onward), of_arm);
    f.set_arg(phi, f.edge_slot(direct), other);
    f.replace(i, Value::inst(phi));
    Some(())
}

/// A sum that differs from the other choice by a constant is computed of that, which ends there.
fn from_other(f: &mut Body, arm: Inst, other: Inst) -> Option<(Value, Value)> {
    let sum = |i: Inst| match *f.args(i) {
        [a, b] if f.op(i) == Op::Add => Some((a, f.as_int(b)?)),
        _ => None,
    };
    let ((a, x), (b, y)) = (sum(arm)?, sum(other)?);
    let by = f.int_of(f.ty(arm), x.wrapping_sub(y));
    (a == b).then_some((Value::inst(other), by))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{apply_for, leaves_alone, run};
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::print;

    const TEXT: &str = "define i32 @f(i32 %x) {
           %y = add i32 %x, 15
           %z = add i32 %x, -85
           %c = icmp slt i32 %y, 100
           %s = select i1 %c, i32 %y, i32 %z
           %t = mul i32 %x, %s
           %d = icmp sgt i32 %s, 50
           %u = select i1 %d, i32 %t, i32 %s
           ret i32 %u
         }
         define i32 @main() {
           %a = call i32 @f(i32 3)
           %b = call i32 @f(i32 90)
           %c = shl i32 %b, 8
           %d = add i32 %a, %c
           ret i32 %d
         }";

    #[test]
    fn what_only_a_choice_uses_goes_into_a_branch() {
        let target = TargetFacts { compare_and_branch: true, ..TargetFacts::default() };
        let original = parse(TEXT).unwrap();
        let mut module = original.clone();
        assert!(apply_for(target, &[&BRANCH_SELECTS], &mut module));
        let have = print::module(&module);
        assert!(!have.contains("select") && have.contains("add i32 %v0, -100"), "{have}");
        assert_eq!(run(&module, ""), run(&original, ""));
        assert!(!apply_for(target, &[&BRANCH_SELECTS], &mut module));
    }

    #[test]
    fn where_flags_are_set_a_choice_is_cheaper() {
        leaves_alone(&BRANCH_SELECTS, TEXT);
    }
}
