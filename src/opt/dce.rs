//! Dead code elimination: everything is dead until something that matters needs it.
//!
//! Terminators, calls that do something, and stores to memory that somebody may read are what matters; operands of live
//! instructions are live. So phis that only feed each other go. A store into an alloca is live only once the alloca
//! is: once a live instruction other than such a store has its address (a load from it, a call that gets it). O(operands).
//!
//! (Cytron et al. 1991, section 7.1, without control dependence: branches and the loops they make stay.)

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome};
use crate::analysis::Rows;
use crate::base::{BitSet, Column, Opt};
use crate::ir::{Inst, Op, Value};

/// The pass.
pub static DCE: FuncPass = FuncPass {
    name: "dce",
    description: "remove instructions that nothing needs, and stores to memory that nothing reads",
    needs: AnalysisSet::ORDER,
    run,
};

fn run(cx: &mut FuncCx) -> Outcome {
    let f = &mut *cx.f;
    let order = &cx.analyses.order.blocks;
    let mut live: BitSet<Inst> = BitSet::new(f.inst_count());
    let mut stack: Vec<Inst> = Vec::new();
    // Stores into allocas, by alloca.
    let mut waiting: Vec<(Inst, Inst)> = Vec::new();
    let mut bases: Column<Inst, Opt<Inst>> = Column::new();
    for &b in order {
        for i in f.insts(b) {
            let op = f.op(i);
            match op {
                Op::Alloca | Op::ElemAddr => {
                    let base = if op == Op::Alloca { Some(i) } else { base_of(&bases, f.arg(i, 0)) };
                    if base.is_some() {
                        bases.grow_to(f.inst_count(), Opt::NONE);
                        bases[i] = base.into();
                    }
                }
                Op::Store | Op::MemInit => match base_of(&bases, f.arg(i, usize::from(op == Op::Store))) {
                    Some(alloca) => waiting.push((alloca, i)),
                    None => stack.push(i),
                },
                Op::Call if !cx.effects.is_removable(f.callee(i)) => stack.push(i),
                Op::Call => {}
                _ if op.is_terminator() => stack.push(i),
                _ => {}
            }
        }
    }
    let mut stores: Rows<Inst, Inst> = Rows::default();
    if !waiting.is_empty() {
        stores.fill(f.inst_count(), &waiting);
    }
    for &i in &stack {
        live.insert(i);
    }
    while let Some(i) = stack.pop() {
        let operands = f.args(i).iter().filter_map(|v| v.as_inst());
        for needed in operands.chain(stores.get(i).iter().copied()) {
            if live.insert(needed) {
                stack.push(needed);
            }
        }
    }
    let mut changed = false;
    for &b in order.iter().rev() {
        let mut next = f.last(b);
        while let Some(i) = next {
            next = f.prev(i);
            if !live.contains(i) {
                f.remove(i);
                changed = true;
            }
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// The alloca that an address points into, as far as its steps show.
fn base_of(bases: &Column<Inst, Opt<Inst>>, address: Value) -> Option<Inst> {
    bases.get(address.as_inst()?)?.get()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{leaves_alone, rewrites};
    use super::*;

    #[test]
    fn phis_that_feed_each_other_stores_that_nobody_reads_and_calls_that_only_compute_go() {
        rewrites(
            &DCE,
            "define internal i32 @square(i32 %x) {
               %y = mul i32 %x, %x
               ret i32 %y
             }
             define i32 @f(i32 %n, i1 %c) {
             entry:
               %a = alloca [4 x i32]
               %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
               store i32 1, ptr %p
               %dead = call i32 @square(i32 %n)
               br label %loop
             loop:
               %i = phi i32 [ 0, %entry ], [ %j, %loop ]
               %j = add i32 %i, 1
               store i32 %j, ptr %p
               br i1 %c, label %loop, label %exit
             exit:
               ret i32 %n
             }",
            "define internal i32 @square(i32 %x) {
               %y = mul i32 %x, %x
               ret i32 %y
             }
             define i32 @f(i32 %n, i1 %c) {
             entry:
               br label %loop
             loop:
               br i1 %c, label %loop, label %exit
             exit:
               ret i32 %n
             }",
        );
    }

    #[test]
    fn what_the_outside_or_a_load_can_see_stays() {
        leaves_alone(
            &DCE,
            "@g = global i32 0
             declare i32 @getint()
             declare void @putarray(i32, ptr)
             define void @sets(i32 %x) {
               store i32 %x, ptr @g
               ret void
             }
             define i32 @f(i32 %n) {
               %a = alloca [4 x i32]
               %b = alloca [4 x i32]
               %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
               store i32 1, ptr %p
               %q = getelementptr [4 x i32], ptr %b, i32 0, i32 %n
               store i32 2, ptr %q
               call void @putarray(i32 4, ptr %b)
               call void @sets(i32 5)
               %skipped = call i32 @getint()
               %v = load i32, ptr %p
               ret i32 %v
             }",
        );
    }
}
