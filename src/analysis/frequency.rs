//! How often each block runs for one run of its function, guessed from the code alone.
//!
//! In reverse postorder each block gets what its predecessors send: a loop header ten times of what comes
//! from outside, a branch its shares by the heuristics below. No block runs more often than the header of its
//! loop (or than the entry). O(blocks + edges). Only sums and products of floats, so the same on every
//! machine.
//!
//! (Ball and Larus, "Branch prediction for free", 1993, for which heuristics work; Wu and Larus 1994 for
//! shares.)

use super::{Loops, Order};
use crate::base::Column;
use crate::ir::{Block, Body, Edge, Inst, IntPred, Op};

/// Runs per run of the function, by block; 0 for unreachable ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frequencies {
    /// Per block.
    pub of: Column<Block, f32>,
}

/// How often a loop is taken to go round.
const TRIPS: f32 = 10.0;
/// Nothing is taken to run more often than this.
const MOST: f32 = 1e9;
/// Share of the edge that stays in a loop.
const STAYS: f32 = 0.9;
/// Share of the edge away from a block that ends the function.
const GOES_ON: f32 = 0.7;
/// Share of the edge taken when two integers differ.
const DIFFER: f32 = 0.6;
/// Share of the edge that does not lead to a block that is never reached.
const REACHED: f32 = 0.999;

impl Frequencies {
    /// Recomputes for `f`, keeping the memory.
    pub fn compute(&mut self, f: &Body, order: &Order, loops: &Loops) {
        self.of.reset(f.block_count(), 0.0);
        for &b in &order.blocks {
            let mut sum = if f.entry() == Some(b) { 1.0 } else { 0.0 };
            for &e in f.preds(b) {
                let from = f.edge_from(e);
                if order.reaches(from) && !order.is_retreating(from, b) {
                    sum += self.of[from] * share(f, loops, e);
                }
            }
            let l = loops.innermost[b].get();
            let is_header = l.is_some_and(|l| loops.header[l] == b);
            // The loop around b; around the loop, if b is its header.
            let around = if is_header { l.and_then(|l| loops.parent[l].get()) } else { l };
            let limit = around.map_or(1.0, |l| self.of[loops.header[l]]);
            let once = if limit > 0.0 { sum.min(limit) } else { sum };
            self.of[b] = if is_header { (once * TRIPS).min(MOST) } else { once };
        }
    }
}

/// The share of a branch that takes the edge.
pub fn share(f: &Body, loops: &Loops, e: Edge) -> f32 {
    let b = f.edge_from(e);
    let mut succs = f.succs(b);
    if succs.len() > 2 {
        return 1.0 / succs.len() as f32;
    }
    let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return 1.0 };
    let of_yes = share_of_yes(f, loops, b, yes, no);
    if e == yes { of_yes } else { 1.0 - of_yes }
}

fn share_of_yes(f: &Body, loops: &Loops, b: Block, yes: Edge, no: Edge) -> f32 {
    let ends_with = |e: Edge, op: Op| f.terminator(f.edge_to(e)).is_some_and(|i| f.op(i) == op);
    let depth = |e: Edge| loops.innermost[b].get().is_some_and(|l| loops.contains(l, f.edge_to(e)));
    // The first heuristic that tells the two edges apart decides.
    let rows = [
        (!ends_with(yes, Op::Unreachable), !ends_with(no, Op::Unreachable), REACHED),
        (depth(yes), depth(no), STAYS),
        (!ends_with(yes, Op::Ret), !ends_with(no, Op::Ret), GOES_ON),
    ];
    for (likely_yes, likely_no, share) in rows {
        if likely_yes != likely_no {
            return if likely_yes { share } else { 1.0 - share };
        }
    }
    let condition = f.terminator(b).and_then(|i| f.arg(i, 0).as_inst());
    match condition.and_then(|i| equality(f, i)) {
        Some(true) => 1.0 - DIFFER,
        Some(false) => DIFFER,
        None => 0.5,
    }
}

/// True for a test of equality, false for one of difference.
fn equality(f: &Body, i: Inst) -> Option<bool> {
    match IntPred::from_payload(f.payload(i)) {
        _ if f.op(i) != Op::ICmp => None,
        IntPred::Eq => Some(true),
        IntPred::Ne => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dominators;
    use super::super::random::{random_body, seeds};
    use super::*;
    use crate::ir::parse::parse;

    fn analyse(f: &Body) -> (Order, Loops, Frequencies) {
        let mut dominators = Dominators::default();
        let (mut order, mut loops, mut frequencies) =
            (Order::default(), Loops::default(), Frequencies::default());
        order.compute(f);
        dominators.compute(f, &order);
        loops.compute(f, &order, &dominators);
        frequencies.compute(f, &order, &loops);
        (order, loops, frequencies)
    }

    #[test]
    fn inner_loops_run_more_often_and_what_follows_a_loop_as_often_as_what_precedes() {
        let module = parse(
            "define void @f(i1 %c, i32 %x) {
             entry:
               br label %outer
             outer:
               br i1 %c, label %inner, label %exit
             inner:
               br i1 %c, label %inner, label %latch
             latch:
               %d = icmp eq i32 %x, 3
               br i1 %d, label %rare, label %outer
             rare:
               br label %outer
             exit:
               ret void
             }",
        )
        .unwrap();
        let f = module.nth(0);
        let (_, _, frequencies) = analyse(f);
        let of: Vec<f32> = f.blocks().map(|b| frequencies.of[b]).collect();
        let near = |a: f32, b: f32| (a - b).abs() < 0.01 * b;
        assert!(near(of[0], 1.0) && near(of[1], 10.0) && near(of[2], 90.0), "{of:?}");
        assert!(near(of[3], 9.0) && near(of[4], 3.6) && near(of[5], 1.0), "{of:?}");
    }

    /// As likely as each other; in sum, a switch is left as often as it is come to.
    #[test]
    fn edges_of_a_switch_are_alike() {
        let module = parse(
            "define void @f(i32 %x) {
             entry:
               switch i32 %x, label %c [ i32 0, label %a i32 1, label %b i32 2, label %a i32 3, label %b i32 4, label %a
                                         i32 5, label %b i32 6, label %a ]
             a:
               br label %end
             b:
               br label %end
             c:
               br label %end
             end:
               ret void
             }",
        )
        .unwrap();
        let f = module.nth(0);
        let (_, _, frequencies) = analyse(f);
        let of: Vec<f32> = f.blocks().map(|b| frequencies.of[b]).collect();
        assert_eq!(of, [1.0, 0.5, 0.375, 0.125, 1.0]);
    }

    #[test]
    fn frequencies_are_finite_and_bounded_on_any_graph() {
        for seed in seeds() {
            let f = random_body(seed, 12);
            let (order, _, frequencies) = analyse(&f);
            for b in f.blocks() {
                let frequency = frequencies.of[b];
                assert!((0.0..=MOST).contains(&frequency), "{frequency}");
                assert!(order.reaches(b) || frequency == 0.0);
            }
        }
    }
}
