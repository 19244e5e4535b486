//! Dead code elimination: what leads to nothing that matters goes.
//!
//! Terminators, calls that do something, and stores to memory that may be read are what matters. A store
//! into an alloca matters as far as the alloca does, so it leads there. Nearly all that is dead has no
//! uses, or has none once its dead users are gone: one walk backwards finds it. What else is dead lies on
//! cycles of uses or leads to them, and each cycle has a phi or an alloca. From those a search goes along
//! uses until it meets something that matters, mostly after a few steps; strongly connected components that
//! it leaves without are dead. O(operands).
//!
//! (Tarjan, "Depth-first search and linear graph algorithms", 1972. Without control dependence: branches
//! and the loops they make stay.)

use crate::analysis::Effects;
use crate::analysis::memory::{Base, base_of, written};
use crate::base::Column;
use crate::ir::opcode::VOLATILE;
use crate::ir::{Body, Inst, Op};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static DCE: FuncPass = FuncPass {
    name: "dce",
    description: "remove instructions that nothing needs, and stores to memory that nothing reads",
    grows: false,
    needs: AnalysisSet::ORDER,
    run: |cx| with_memory(cx, run),
};

/// What the search knows of an instruction: nothing, that it matters or does not, or its place in `open`
/// and one more.
const NEW: u32 = 0;
const LIVE: u32 = u32::MAX;
const DEAD: u32 = u32::MAX - 1;

/// What is known, and what is still to do.
#[derive(Debug, Default)]
struct Scratch {
    /// Per instruction.
    states: Column<Inst, u32>,
    /// Phis and allocas that have uses.
    starts: Vec<Inst>,
    /// Those of which it is not known yet whether they matter. Each leads to one that the search is in the
    /// midst of.
    open: Vec<Inst>,
    dead: Vec<Inst>,
    /// Those that may have lost their last use after the walk.
    again: Vec<Inst>,
}

/// Where a use leads.
#[derive(Copy, Clone)]
enum Leads {
    /// To something that matters in any case.
    Out,
    To(Inst),
}

/// Where it leads that `user` uses something.
#[inline(always)]
fn leads(f: &Body, effects: &Effects, user: Inst) -> Leads {
    match f.op(user) {
        Op::Call if !effects.is_removable(f.callee(user)) => Leads::Out,
        op if op.is_terminator() || op.has(VOLATILE) => Leads::Out,
        _ => match written(f, user).map(|address| base_of(f, address)) {
            None => Leads::To(user),
            Some(Base::Own(alloca)) => Leads::To(alloca),
            Some(_) => Leads::Out,
        },
    }
}

/// True if only its uses make an instruction matter.
#[inline(always)]
fn only_computes(f: &Body, effects: &Effects, i: Inst) -> bool {
    match f.op(i) {
        Op::Call => effects.is_removable(f.callee(i)),
        op => !op.is_terminator() && !op.has(VOLATILE) && written(f, i).is_none(),
    }
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let FuncCx { ref mut f, effects, ref analyses, .. } = *cx;
    s.starts.clear();
    let mut changed = false;
    for &b in analyses.order.blocks.iter().rev() {
        let mut next = f.last(b);
        while let Some(i) = next {
            next = f.prev(i);
            let starts = matches!(f.op(i), Op::Phi | Op::Alloca);
            if f.has_uses(i) {
                if starts {
                    s.starts.push(i);
                }
            } else if only_computes(f, effects, i) {
                // The walk is still to come to the operands, but for those of phis.
                if starts {
                    s.push_operands(f, i);
                }
                f.remove(i);
                changed = true;
            }
        }
    }
    if !s.starts.is_empty() {
        s.states.reset(f.inst_count(), NEW);
        s.search(f, effects);
    }
    changed |= !s.dead.is_empty();
    while let Some(i) = s.dead.pop() {
        // Stores into what is dead are dead.
        let store = |f: &Body| f.uses(i).map(|u| u.user).find(|&user| written(f, user).is_some());
        while let Some(store) = store(f) {
            s.push_operands(f, store);
            f.remove(store);
        }
        s.push_operands(f, i);
        f.remove(i);
    }
    while let Some(i) = s.again.pop() {
        if f.block_of(i).is_some() && !f.has_uses(i) && only_computes(f, effects, i) {
            s.push_operands(f, i);
            f.remove(i);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

impl Scratch {
    fn push_operands(&mut self, f: &Body, i: Inst) {
        self.again.extend(f.args(i).iter().filter_map(|v| v.as_inst()));
    }

    /// Finds out what of `starts` matters, and the same of all that they lead to before something that does.
    fn search(&mut self, f: &Body, effects: &Effects) {
        // Per instruction that the search is in the midst of: the least place in `open` of what it leads
        // to, and the uses that it has not gone along yet.
        let mut path = Vec::with_capacity(16);
        let mut enter = None;
        loop {
            if path.is_empty() {
                self.open.clear();
                let Some(start) = self.starts.pop() else { return };
                enter = Some(start).filter(|&start| self.states[start] == NEW);
            }
            if let Some(i) = enter.take() {
                self.open.push(i);
                self.states[i] = self.open.len() as u32;
                path.push((i, self.states[i], f.uses(i)));
            }
            let Some((i, least, uses)) = path.last_mut() else { continue };
            match uses.next().map(|u| leads(f, effects, u.user)) {
                Some(Leads::To(user)) if self.states[user] == NEW => enter = Some(user),
                Some(Leads::To(user)) if self.states[user] == DEAD => {}
                Some(Leads::To(user)) if self.states[user] != LIVE => *least = self.states[user].min(*least),
                Some(_) => {
                    // What is open leads here, by way of what the search is in the midst of.
                    self.open.iter().for_each(|&i| self.states[i] = LIVE);
                    path.clear();
                }
                None => {
                    let (i, least) = (*i, *least);
                    path.pop();
                    if let Some((_, above, _)) = path.last_mut() {
                        *above = least.min(*above);
                    }
                    if least == self.states[i] {
                        for dead in self.open.drain(least as usize - 1..) {
                            self.states[dead] = DEAD;
                            self.dead.push(dead);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    #[test]
    fn phis_that_feed_each_other_stores_that_nothing_reads_and_calls_that_only_compute_go() {
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
    fn memory_and_phis_that_only_feed_each_other_go_and_what_feeds_them() {
        rewrites(
            &DCE,
            "define i32 @f(i32 %n, i1 %c) {
             entry:
               %a = alloca [4 x i32]
               %b = alloca [4 x i32]
               %m = mul i32 %n, %n
               br label %loop
             loop:
               %i = phi i32 [ 0, %entry ], [ %j, %loop ]
               %k = phi i32 [ 0, %entry ], [ %l, %loop ]
               %j = add i32 %i, 1
               %l = add i32 %k, %i
               %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %k
               %q = getelementptr [4 x i32], ptr %b, i32 0, i32 %i
               %x = load i32, ptr %p
               store i32 %x, ptr %q
               %y = load i32, ptr %q
               %z = add i32 %y, %m
               store i32 %z, ptr %p
               br i1 %c, label %loop, label %exit
             exit:
               ret i32 %i
             }",
            "define i32 @f(i32 %n, i1 %c) {
             entry:
               br label %loop
             loop:
               %i = phi i32 [ 0, %entry ], [ %j, %loop ]
               %j = add i32 %i, 1
               br i1 %c, label %loop, label %exit
             exit:
               ret i32 %i
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

    #[test]
    fn volatile_accesses_stay_and_so_do_calls_of_what_has_some() {
        leaves_alone(
            &DCE,
            "@port = internal global i32 0
             define internal i32 @poll() {
               %x = load volatile i32, ptr @port
               ret i32 7
             }
             define i32 @f(i32 %n) {
               %a = alloca i32
               store volatile i32 %n, ptr %a
               store volatile i32 1, ptr %a
               %x = load volatile i32, ptr %a
               %y = call i32 @poll()
               ret i32 %n
             }",
        );
    }
}
