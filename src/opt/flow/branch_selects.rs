//! A choice between a value and a sum, where the target compares and branches in one instruction and has no
//! conditional moves, becomes a branch around the sum: one or two instructions, where masks take five.
//!
//! The value that is computed for the choice alone goes into the branch. Choices are found from the first to the last, and
//! blocks split from the last to the first, so that each instruction moves once: split from the front, 40,000 choices in one
//! block took 15 s. O(instructions).

use crate::base::Column;
use crate::ir::opcode::{MAY_TRAP, PURE};
use crate::ir::{At, Body, Inst, Op, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static BRANCH_SELECTS: FuncPass = FuncPass {
    name: "branch_selects",
    description: "branch around what is computed for a choice only, where that is cheaper",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

#[derive(Debug, Default)]
struct Scratch {
    /// Choices that become branches, from the first to the last of each block.
    found: Vec<Choice>,
    /// Per instruction: how many stand before it in its block.
    places: Column<Inst, u32>,
}

/// A choice that becomes a branch.
#[derive(Copy, Clone, Debug)]
struct Choice {
    select: Inst,
    /// What it asks, and what is computed for it alone.
    compare: Inst,
    arm: Inst,
    /// The arm is the value for true.
    is_yes: bool,
}

#[inline(never)]
fn run(cx: &mut FuncCx, Scratch { found, places }: &mut Scratch) -> Outcome {
    if !cx.target.compare_and_branch {
        return Outcome::UNCHANGED;
    }
    let f = &mut *cx.f;
    found.clear();
    if !f.ops().any(|(_, op)| op == Op::Select) {
        return Outcome::UNCHANGED;
    }
    places.reset(f.inst_count(), 0);
    for b in f.blocks() {
        // Where the block has been split before: in the block of a choice is what stands behind that.
        let mut start = 0;
        for (k, i) in (1..).zip(f.insts(b)) {
            places[i] = k;
            if f.op(i) == Op::Select
                && let Some(choice) = choice(f, i, |v| f.block_of(v) == Some(b) && places[v] > start)
            {
                found.push(choice);
                start = k;
            }
        }
    }
    for &choice in found.iter().rev() {
        branch(f, choice);
    }
    Outcome::changed_if(!found.is_empty(), AnalysisSet::NONE)
}

/// The branch that a choice is worth, by what is in its block.
fn choice(f: &Body, i: Inst, is_here: impl Fn(Inst) -> bool) -> Option<Choice> {
    let &[c, yes, no] = f.args(i) else { return None };
    let is_one = |c: &Inst| f.op(*c) == Op::ICmp && f.ty(*c) == Type::I1 && f.has_single_use(*c);
    let compare = c.as_inst().filter(is_one)?;
    let is_sunk = |v: Value| {
        v.as_inst().filter(|&v| {
            let op = f.op(v);
            op.has(PURE) && !op.has(MAY_TRAP) && is_here(v) && f.has_single_use(v)
        })
    };
    let (arm, is_yes) = match (is_sunk(yes), is_sunk(no)) {
        (Some(arm), None) => (arm, true),
        (None, Some(arm)) => (arm, false),
        _ => return None,
    };
    // Of vectors each lane may have a choice of its own.
    let fits = f.ty(i) != Type::I1 && f.ty(compare) == Type::I1 && is_here(compare);
    fits.then_some(Choice { select: i, compare, arm, is_yes })
}

fn branch(f: &mut Body, Choice { select: i, compare, arm, is_yes }: Choice) -> Option<()> {
    let (b, ty, place) = (f.block_of(i)?, f.ty(i), f.place(i));
    let &[c, yes, no] = f.args(i) else { return None };
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
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply_for, leaves_alone, run};

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
    fn choices_of_one_block_are_branched_around_one_behind_the_other() {
        // Of the second, which is about the first, the sum is computed behind that; of the third it stands in front of the
        // second, and so does the comparison of the fourth: those stay.
        let text = "define i32 @f(i32 %x, i32 %z) {
           %c = icmp slt i32 %x, 100
           %y = add i32 %x, 15
           %s = select i1 %c, i32 %y, i32 %x
           %d = icmp sgt i32 %s, 50
           %t = add i32 %s, -85
           %w = mul i32 %z, 3
           %k = icmp sgt i32 %z, 7
           %u = select i1 %d, i32 %t, i32 %s
           %e = icmp slt i32 %u, %z
           %v = select i1 %e, i32 %w, i32 %u
           %q = mul i32 %v, %z
           %r = select i1 %k, i32 %q, i32 %v
           %a = add i32 %r, %s
           ret i32 %a
         }
         define i32 @main() {
           %a = call i32 @f(i32 3, i32 4)
           %b = call i32 @f(i32 90, i32 -1)
           %c = shl i32 %b, 8
           %d = add i32 %a, %c
           ret i32 %d
         }";
        let target = TargetFacts { compare_and_branch: true, ..TargetFacts::default() };
        let original = parse(text).unwrap();
        let mut module = original.clone();
        assert!(apply_for(target, &[&BRANCH_SELECTS], &mut module));
        let have = print::module(&module);
        assert_eq!((have.matches("select").count(), have.matches("br i1").count()), (2, 2), "{have}");
        assert_eq!(run(&module, ""), run(&original, ""));
    }

    #[test]
    fn choices_by_lane_stay() {
        let text = "define void @f(ptr %p) {
           %x = load <4 x i64>, ptr %p
           %c = icmp ugt <4 x i64> %x, splat (i64 3)
           %y = add <4 x i64> %x, splat (i64 -1)
           %s = select <4 x i1> %c, <4 x i64> %x, <4 x i64> %y
           store <4 x i64> %s, ptr %p
           ret void
         }
         define i32 @main() {
           ret i32 0
         }";
        let target = TargetFacts { compare_and_branch: true, ..TargetFacts::default() };
        assert!(!apply_for(target, &[&BRANCH_SELECTS], &mut parse(text).unwrap()));
    }

    #[test]
    fn where_flags_are_set_a_choice_is_cheaper() {
        leaves_alone(&BRANCH_SELECTS, TEXT);
    }
}
