//! Dead code elimination: everything is dead until something that matters needs it.
//!
//! Terminators, calls that do something, and stores to memory that may be read are what matters; operands of
//! live instructions are live. So phis that only feed each other go. A store into an alloca is live only once
//! the alloca is: once a live instruction other than such a store has its address (a load from it, a call
//! that gets it).
//!
//! One sweep backwards, so that users come before operands; what it has passed as dead and a phi or a store
//! needs after all is a worklist. O(operands).
//!
//! (Cytron et al. 1991, section 7.1, without control dependence: branches and the loops they make stay.)

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::analysis::memory::{Base, base_of, written};
use crate::base::{Column, Rows};
use crate::ir::{Body, Inst, Op};

/// The pass.
pub static DCE: FuncPass = FuncPass {
    name: "dce",
    description: "remove instructions that nothing needs, and stores to memory that nothing reads",
    needs: AnalysisSet::ORDER,
    run: |cx| with_memory(cx, run),
};

/// What is known of an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    /// Nothing needs it, as far as the sweep has come.
    Unneeded,
    /// The sweep has passed it, and nothing needed it.
    Passed,
    /// Something needs it.
    Live,
}

/// The states, and what is still to do.
#[derive(Debug, Default)]
struct Scratch {
    /// Per instruction.
    states: Column<Inst, State>,
    /// Those that the sweep has passed and that are live after all; their operands are still to be marked.
    stack: Vec<Inst>,
    /// All that the sweep passed, in its order.
    passed: Vec<Inst>,
    /// Stores that the sweep passed, by the alloca that they go to.
    waiting: Vec<(Inst, Inst)>,
}

impl Scratch {
    fn mark_operands(&mut self, f: &Body, i: Inst) {
        for needed in f.args(i).iter().filter_map(|v| v.as_inst()) {
            self.mark(needed);
        }
    }

    #[inline]
    fn mark(&mut self, i: Inst) {
        if std::mem::replace(&mut self.states[i], State::Live) == State::Passed {
            self.stack.push(i);
        }
    }
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let FuncCx { ref mut f, effects, ref analyses, .. } = *cx;
    s.states.reset(f.inst_count(), State::Unneeded);
    s.passed.clear();
    s.waiting.clear();
    for &b in analyses.order.blocks.iter().rev() {
        let mut next = f.last(b);
        while let Some(i) = next {
            next = f.prev(i);
            let live = match f.op(i) {
                _ if s.states[i] == State::Live => true,
                Op::Call => !effects.is_removable(f.callee(i)),
                op => match written(f, i).map(|address| base_of(f, address)) {
                    Some(Base::Own(alloca)) if s.states[alloca] != State::Live => {
                        s.waiting.push((alloca, i));
                        false
                    }
                    Some(_) => true,
                    None => op.is_terminator(),
                },
            };
            if live {
                s.states[i] = State::Live;
                s.mark_operands(f, i);
            } else {
                s.states[i] = State::Passed;
                s.passed.push(i);
            }
        }
    }
    revive(f, s);
    let mut changed = false;
    for &i in s.passed.iter().filter(|&&i| s.states[i] == State::Passed) {
        f.remove(i);
        changed = true;
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// Marks what the sweep passed and something turned out to need.
fn revive(f: &Body, s: &mut Scratch) {
    let mut stores: Rows<Inst, Inst> = Rows::default();
    if !s.waiting.is_empty() {
        stores.fill(f.inst_count(), &s.waiting);
    }
    for k in 0..s.waiting.len() {
        let (alloca, store) = s.waiting[k];
        if s.states[alloca] == State::Live {
            s.mark(store);
        }
    }
    while let Some(i) = s.stack.pop() {
        s.mark_operands(f, i);
        for &store in stores.get(i) {
            s.mark(store);
        }
    }
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
    fn what_is_set_or_copied_stays_where_it_is_read() {
        let text = |first: &str, last: &str| {
            format!(
                "declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
                 declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
                 define void @f(ptr %p, i8 %x, i32 %n) {{
                   %a = alloca [4 x i32]
                   {first}
                   call void @llvm.memset.p0.i32(ptr %a, i8 %x, i32 %n, i1 false)
                   {last}
                   call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %a, i32 %n, i1 false)
                   ret void
                 }}"
            )
        };
        let last = "call void @llvm.memcpy.p0.p0.i32(ptr %b, ptr %a, i32 %n, i1 false)";
        rewrites(&DCE, &text("%b = alloca [4 x i32]", last), &text("", ""));
    }

    #[test]
    fn what_the_outside_or_a_load_can_see_stays() {
        leaves_alone(
            &DCE,
            "@g = global i32 0
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             declare void @putarray(i32, ptr) memory(read, inaccessiblemem: readwrite)
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
