//! Computes what only one way out of a block needs on that way: a value that is used behind one side of a branch
//! only, and what an early exit of a loop takes along.
//!
//! | before | after |
//! | --- | --- |
//! | `k = i + 1; if (a[i] == x) return k; ...` | `if (a[i] == x) { k = i + 1; return k; } ...` |
//!
//! A value goes to a successor that only this block leads to, and that is therefore in no deeper loop, if all uses are
//! below it. If all uses are phis by one edge that leaves the loop, the edge gets a block for it: that is executed
//! once, and the rest of the loop in each iteration. What takes two values that are computed stays, since both would
//! live longer for one that lives shorter, but for those that nothing else uses, which come along; and so do comparisons, for
//! which `sink_compares` is.
//!
//! Blocks from the top, instructions from below, so that what makes a value follows it. Behind value numbering, which
//! would take the values back up, and where loops are still known: to compute them again was 0.9% of -O2 on functions
//! of many blocks. O(instructions + uses). As LLVM's `Sink` and `MachineSink`.

use crate::base::graph::Loops;
use crate::base::{Column, Handle};
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Edge, Inst, Op, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static SINK: FuncPass = FuncPass {
    name: "sink",
    description: "compute on one way out of a block what only that way needs",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run,
};

/// Uses of a value that are looked at.
const MOST_USES: usize = 8;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let FuncCx { ref mut f, ref analyses, .. } = *cx;
    let (loops, dominators) = (&analyses.loops, &analyses.dominators);
    let (mut moved, mut split) = (false, false);
    let count = f.block_count();
    let mut insts: Vec<Inst> = Vec::new();
    let mut moves: Column<Inst, bool> = Column::filled(f.inst_count(), false);
    for &b in &dominators.preorder {
        if f.succs(b).len() < 2 {
            continue;
        }
        insts.clear();
        for i in f.insts(b) {
            if may_move(f, &moves, i) {
                moves[i] = true;
                insts.push(i);
            }
        }
        for &i in insts.iter().rev() {
            let below = |s: Block, site: Block| {
                s == site || s.index() < count && site.index() < count && dominators.dominates(s, site)
            };
            match way(f, loops, (b, i), below) {
                Some(Way::Into(s)) => f.move_inst(i, At::Start(s)),
                Some(Way::Onto(e)) => {
                    let s = f.split_edge(e);
                    f.move_inst(i, At::Start(s));
                    split = true;
                }
                None => continue,
            }
            moved = true;
        }
    }
    Outcome::changed_if(moved, if split { AnalysisSet::NONE } else { AnalysisSet::CFG })
}

/// True for what has no effect, and at most one operand that is computed and does not come along.
fn may_move(f: &Body, moves: &Column<Inst, bool>, i: Inst) -> bool {
    let mut first = None;
    let is_second = |&v: &Value| {
        let Some(k) = v.as_inst().filter(|_| first != Some(v)) else { return false };
        // What nothing else uses is looked at next.
        if moves[k] && f.block_of(k) == f.block_of(i) && f.uses(k).all(|u| u.user == i) {
            return false;
        }
        let is_second = first.is_some();
        first = Some(v);
        is_second
    };
    let op = f.op(i);
    op.has(PURE)
        && op != Op::Phi
        && !matches!(f.ty(i), Type::I1)
        && f.has_uses(i)
        && !f.args(i).iter().any(is_second)
}

/// Where a value is to be computed.
enum Way {
    /// In a successor.
    Into(Block),
    /// On an edge that leaves the loop.
    Onto(Edge),
}

/// The only way out of a block that needs a value of it.
fn way(
    f: &Body,
    loops: &Loops<Block>,
    (b, i): (Block, Inst),
    below: impl Fn(Block, Block) -> bool,
) -> Option<Way> {
    let mut sites = [b; MOST_USES];
    let mut count = 0;
    let mut leaves: Option<Edge> = None;
    for u in f.uses(i) {
        let is_phi = f.op(u.user) == Op::Phi;
        let home = f.block_of(u.user)?;
        let edge = f.preds(home).get(u.operand as usize).copied().filter(|_| is_phi);
        let site = if is_phi { f.edge_from(edge?) } else { home };
        if site == b {
            // A phi behind an edge of this block.
            let e = edge.filter(|_| count == 0)?;
            if leaves.is_some_and(|other| other != e) {
                return None;
            }
            leaves = Some(e);
            continue;
        }
        if leaves.is_some() || count == MOST_USES {
            return None;
        }
        sites[count] = site;
        count += 1;
    }
    if let Some(e) = leaves {
        let l = loops.innermost.get(b).copied().and_then(|l| l.get())?;
        return (!loops.contains(l, f.edge_to(e))).then_some(Way::Onto(e));
    }
    f.succs(b)
        .filter(|&e| *f.preds(f.edge_to(e)) == [e])
        .map(|e| f.edge_to(e))
        .find(|&s| sites[..count].iter().all(|&site| below(s, site)))
        .map(Way::Into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A branch, with this in front of it and on both ways.
    fn branch(front: &str, left: &str, right: &str, join: &str) -> String {
        format!(
            "declare void @putint(i32)
             define i32 @f(i32 %x, i32 %n, i1 %c) {{
             entry:
               {front}
               br i1 %c, label %left, label %right
             left:
               {left}
               br label %join
             right:
               {right}
               br label %join
             join:
               {join}
             }}"
        )
    }

    #[test]
    fn what_has_no_other_use_comes_along() {
        let tree = "%a = mul i32 %x, 3\n%b = shl i32 %n, 2\n%m = add i32 %a, %b";
        let put = "call void @putint(i32 %m)";
        rewrites(
            &SINK,
            &branch(tree, put, "", "ret i32 0"),
            &branch("", &format!("{tree}\n{put}"), "", "ret i32 0"),
        );
        // Two values that are used elsewhere would both live longer.
        leaves_alone(
            &SINK,
            &branch(tree, put, "call void @putint(i32 %a)\ncall void @putint(i32 %b)", "ret i32 0"),
        );
    }

    #[test]
    fn what_one_side_needs_is_computed_there() {
        let (a, b) = ("%k = add i32 %x, 1", "%m = mul i32 %k, %k");
        let (put, end) = ("call void @putint(i32 %m)", "ret i32 0");
        rewrites(
            &SINK,
            &branch(&format!("{a}\n{b}"), put, "", end),
            &branch("", &format!("{a}\n{b}\n{put}"), "", end),
        );
        // Below it counts, and so does an edge from there.
        let phi = "%r = phi i32 [ %k, %left ], [ 7, %right ]\nret i32 %r";
        rewrites(&SINK, &branch(a, "", "", phi), &branch("", a, "", phi));
        leaves_alone(&SINK, &branch(a, "call void @putint(i32 %k)", "call void @putint(i32 %k)", end));
        leaves_alone(&SINK, &branch(a, "call void @putint(i32 %k)", "", "ret i32 %k"));
        // Two operands that are computed, and a comparison.
        let two = "%y = call i32 @g()\n%z = call i32 @g()\n%k = add i32 %y, %z";
        let text = branch(two, "call void @putint(i32 %k)", "", end);
        leaves_alone(&SINK, &format!("declare i32 @g()\n{text}"));
        leaves_alone(
            &SINK,
            &branch("%d = icmp slt i32 %x, %n", "%z = zext i1 %d to i32\ncall void @putint(i32 %z)", "", end),
        );
        leaves_alone(
            &SINK,
            &branch("%k = call i32 @g()", "call void @putint(i32 %k)", "", end)
                .replace("declare void", "declare i32 @g()\ndeclare void"),
        );
    }

    /// A search, with this in front of the test, and what leaves early.
    fn search(front: &str, early: &str, exit: &str) -> String {
        format!(
            "declare void @putint(i32)
             define i32 @f(i32 %x, i32 %n) {{
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %latch ]
               {front}
               %c = icmp eq i32 %i, %x
               br i1 %c, label {early}, label %latch
             latch:
               call void @putint(i32 %i)
               %j = add i32 %i, 1
               %e = icmp slt i32 %j, %n
               br i1 %e, label %head, label %exit
             {exit}
             }}"
        )
    }

    #[test]
    fn what_an_early_exit_takes_along_is_computed_on_its_edge() {
        let k = "%k = add i32 %i, 5";
        let exit = |from: &str| format!("exit:\n%r = phi i32 [ %k, %{from} ], [ -1, %latch ]\nret i32 %r");
        rewrites(
            &SINK,
            &search(k, "%exit", &exit("head")),
            &search("", "%way", &exit("way"))
                .replace("latch:", &format!("way:\n{k}\nbr label %exit\nlatch:")),
        );
        leaves_alone(&SINK, &search(&format!("{k}\ncall void @putint(i32 %k)"), "%exit", &exit("head")));
    }

    #[test]
    fn what_the_next_iteration_needs_stays() {
        // The counter's next value is a phi's by the edge that goes back, and that is no way out.
        let text = search("", "%exit", "exit:\nret i32 0");
        leaves_alone(&SINK, &text.replace("%e = icmp slt i32 %j, %n", "%e = icmp slt i32 %i, %n"));
    }
}
