//! How often blocks are executed a call, by what a profile says of branches (`Flags::chance`), and where it says nothing, by
//! what is usual: loops go round eight times, a hint is right 63 times of 64, and other ways are gone equally often.
//!
//! Loops come from the inside out: what of one entry comes back to the header says how often the header is executed, and
//! from outside the loop is its header, executed so often more (Wu and Larus, "Static branch frequency and program
//! profile analysis", 1994). What is not reducible loses what goes back. O(blocks and edges x depth of loops); asked only
//! where there is a profile.

use super::{Loops, Order};
use crate::base::Column;
use crate::base::graph::Loop;
use crate::ir::{Block, Body, Edge, Flags, Op};

/// How seldom a loop is left, where nothing is known.
const LEFT: f64 = 0.125;
/// How often what a hint calls unlikely happens.
const UNLIKELY: f64 = 1.0 / 64.0;
/// What comes back at most: more rounds than that are not told apart.
const BACK: f64 = 1.0 - 1.0 / 1_048_576.0;

/// Executions of each block for one call; 0 of what cannot be reached.
pub fn estimate(f: &Body, order: &Order, loops: &Loops) -> Column<Block, f64> {
    let mut times = Column::filled(f.block_count(), 0.0);
    let mut rounds: Column<Loop, f64> = Column::filled(loops.header.len(), 1.0);
    let mut blocks: Vec<Block> = Vec::new();
    for l in loops.header.keys().rev() {
        blocks.clear();
        blocks.extend(loops.blocks(l));
        blocks.sort_unstable_by_key(|&b| order.position[b]);
        let back = flow(f, (order, loops), (&blocks, Some(l)), &rounds, &mut times);
        rounds[l] = 1.0 / (1.0 - back.min(BACK));
        blocks.iter().for_each(|&b| times[b] = 0.0);
    }
    _ = flow(f, (order, loops), (&order.blocks, None), &rounds, &mut times);
    times
}

/// Enters the first block of a loop, or of all, once, and says how much comes back to it. The blocks are in order.
fn flow(
    f: &Body,
    (order, loops): (&Order, &Loops),
    (blocks, inside): (&[Block], Option<Loop>),
    rounds: &Column<Loop, f64>,
    times: &mut Column<Block, f64>,
) -> f64 {
    let Some(&first) = blocks.first() else { return 0.0 };
    let mut back = 0.0;
    times[first] = 1.0;
    for &b in blocks {
        if let Some(l) = loops.innermost[b].get().filter(|&l| loops.header[l] == b) {
            // The loop that is entered here has its rounds already, unless it is the one at hand.
            times[b] *= rounds[l];
        }
        for e in f.succs(b) {
            let (to, part) = (f.edge_to(e), times[b] * chance(f, loops, b, e));
            if to == first {
                back += part;
            } else if order.position[to] > order.position[b] && inside.is_none_or(|l| loops.contains(l, to)) {
                times[to] += part;
            }
        }
    }
    back
}

/// Of a table that is a chain of blocks (`isa/tables`), the number of entries from this block's on.
fn entries_from(f: &Body, b: Block) -> Option<f64> {
    let number = |b: Block| {
        let end = f.terminator(b).filter(|&i| f.op(i) == Op::Switch)?;
        f.as_int(f.arg(end, 0)).filter(|&entries| entries > 1)
    };
    let end = f.terminator(b).filter(|&i| f.op(i) == Op::Switch && f.succs(b).len() == 2)?;
    let behind = || f.succs(b).nth(1).and_then(|e| number(f.edge_to(e))).map(|entries| entries + 1);
    let known = if f.arg(end, 0).is_constant() { number(b) } else { behind() };
    Some(known? as f64)
}

/// How likely a block goes on by an edge, of 1.
fn chance(f: &Body, loops: &Loops, b: Block, e: Edge) -> f64 {
    let count = f.succs(b).len();
    if let Some(entries) = entries_from(f, b) {
        let of_first = 1.0 / entries;
        return if f.succs(b).next() == Some(e) { of_first } else { 1.0 - of_first };
    }
    let Some(end) = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr) else { return 1.0 / count as f64 };
    let (yes, no) = f.ways(end);
    let flags = f.flags(end);
    let of_yes = flags.chance().unwrap_or_else(|| match flags.hint() {
        Flags::LIKELY => 1.0 - UNLIKELY,
        Flags::UNLIKELY => UNLIKELY,
        _ => {
            let stays = |e: Edge| loops.innermost[b].get().is_some_and(|l| loops.contains(l, f.edge_to(e)));
            match (stays(yes), stays(no)) {
                (true, false) => 1.0 - LEFT,
                (false, true) => LEFT,
                _ => 0.5,
            }
        }
    });
    if e == yes { of_yes } else { 1.0 - of_yes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Dominators;
    use crate::ir::parse::parse;

    /// Executions of the blocks of a nest, in the order of the text, where the branches of some have gone so often each way.
    fn times(odds: &[(usize, [u64; 2])]) -> Vec<f64> {
        let text = "define void @f(i1 %c) {
             entry:
               br label %outer
             outer:
               br label %inner
             inner:
               br i1 %c, label %arm, label %latch
             arm:
               br label %latch
             latch:
               br i1 %c, label %inner, label %behind
             behind:
               br i1 %c, label %outer, label %exit
             exit:
               ret void
             }";
        let mut module = parse(text).unwrap();
        let f = module.nth_mut(0);
        let blocks: Vec<Block> = f.blocks().collect();
        for &(b, [yes, no]) in odds {
            let end = f.terminator(blocks[b]).unwrap();
            f.set_flags(end, Flags::odds(yes, no));
        }
        let (mut order, mut dominators, mut loops) =
            (Order::default(), Dominators::default(), Loops::default());
        order.compute(f);
        dominators.compute(f, &order);
        loops.compute(f, &order, &dominators);
        let times = estimate(f, &order, &loops);
        blocks.iter().map(|&b| times[b]).collect()
    }

    #[test]
    fn loops_multiply_and_arms_divide() {
        assert_eq!(times(&[]), [1.0, 8.0, 64.0, 32.0, 64.0, 8.0, 1.0]);
        // A hundred rounds inside, ten outside, and one arm of nearly never.
        let near = |of: f64, wanted: f64| assert!((of / wanted - 1.0).abs() < 0.5, "{of}, not {wanted}");
        let counted = times(&[(2, [1, 1000]), (4, [990, 10]), (5, [9, 1])]);
        for (of, wanted) in counted.into_iter().zip([1.0, 10.0, 1000.0, 1.0, 1000.0, 10.0, 1.0]) {
            near(of, wanted);
        }
        // What never ends is not endless.
        assert!(times(&[(4, [u64::MAX, 0])]).iter().all(|times| times.is_finite()));
    }
}
