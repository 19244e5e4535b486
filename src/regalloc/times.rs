//! How often blocks that call are executed: a guess where they are arms of a loop, of functions without a profile. A block's
//! frequency says how deep it lies in loops; a loop that calls only in an arm that is seldom taken is then taken for
//! one that calls in each round, and what it needs lives across calls for nothing.
//!
//! Parts of a loop's frequency go down from its header: of two ways that stay in the loop 0.22 go to the one
//! whose first block calls, and half to each if both do, or none (the call heuristic of Wu and Larus 1994, "Static Branch
//! Frequency and Program Profile Analysis", table 1); ways out of it take nothing. Behind a loop inside it a block counts
//! as a whole again. Only what weighs one spilled value against another asks for it: with the order of blocks by it, too,
//! SQLite has 2% more bytes. Guesses for other blocks, or of arms outside of loops, gain nothing: `benches/programs/stencil`
//! executes 1.014 by them, and a giant function at -O1 spills half as many values more. O(blocks + edges).

use super::View;
use crate::base::{BitSet, Column};
use crate::mir::Block;
use crate::mir::desc::CALL;

/// All of a loop's rounds.
const WHOLE: u64 = 1 << 16;

/// The part that goes the way that calls: 0.22.
const CALLS: u64 = WHOLE * 22 / 100;

/// Guesses, per block; at least one.
pub(super) fn estimate(cx: View) -> Column<Block, u64> {
    let View { func, machine, flow, live, loops, .. } = cx;
    let mut times: Column<Block, u64> = Column::with_capacity(func.blocks.len());
    times.extend(func.blocks.as_slice().iter().map(|block| block.frequency.max(1)));
    let mut calls: BitSet<Block> = BitSet::new(func.blocks.len());
    for joint in live.joints.iter().filter(|joint| machine.is(func, joint.1, CALL)) {
        calls.insert(joint.0);
    }
    let innermost = |b: Block| loops.around(b).next();
    if func.counted || !calls.iter().any(|b| innermost(b).is_some()) {
        return times;
    }
    let mut parts = Column::filled(func.blocks.len(), 0);
    for &b in &flow.order.blocks {
        let own = innermost(b);
        let is_entered = own.is_none() || func.preds(b).iter().any(|&p| innermost(p) != own);
        let part = if is_entered { WHOLE } else { parts[b].min(WHOLE) };
        if calls.contains(b) {
            times[b] = (times[b].saturating_mul(part) / WHOLE).max(1);
        }
        let stays = |s: Block| own.is_none_or(|l| loops.around(s).any(|other| other == l));
        let [first, second] = func.blocks[b].succs.map(|s| s.get());
        for (s, other) in [(first, second), (second, first)] {
            let Some(s) = s else { continue };
            let to_it = match other.filter(|&other| stays(s) && stays(other)) {
                None => WHOLE,
                Some(other) => match (calls.contains(s), calls.contains(other)) {
                    (true, false) => CALLS,
                    (false, true) => WHOLE - CALLS,
                    _ => WHOLE / 2,
                },
            };
            parts[s] += part * to_it / WHOLE;
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::analyses::Analyses;
    use crate::mir::{parse, toy};
    use crate::regalloc::flow::Flow;
    use crate::regalloc::homes::Homes;
    use crate::regalloc::pressure::Limits;
    use crate::regalloc::{liveness, loops};

    /// The guesses for a function.
    fn guesses(text: &str, counted: bool) -> Vec<u64> {
        let machine = &toy::machine();
        let mut func = parse::parse(text, machine).unwrap();
        func.counted = counted;
        let mut analyses = Analyses::default();
        let order = analyses.take_order(&func);
        let flow = &Flow::new(&mut func, order);
        let loops = &loops::find(&func, flow, &mut analyses);
        let live = &liveness::compute(&func, machine, flow, &Homes::new(&func));
        let (limits, times) = (&Limits::of(&func, machine), &Column::new());
        let cx = View { func: &func, machine, flow, limits, live, loops, times };
        estimate(cx).as_slice().to_vec()
    }

    /// Alternatives in front of a loop, and in it: one arm calls, and one of its arms, behind which there is an inner loop.
    const ARMS: &str = "
mb0 -> mb1 mb2
    v0:i8@r1 = entry
    bone v0, mb1
mb1 frequency 1000 -> mb3
    call @1
    j mb3
mb2 frequency 1000 -> mb3
    j mb3
mb3 frequency 1000 -> mb4
    j mb4
mb4 depth 1 frequency 8000 preds mb3 mb10 -> mb5 mb6
    bone v0, mb5
mb5 depth 1 frequency 8000 -> mb7 mb8
    call @1
    bone v0, mb7
mb6 depth 1 frequency 8000 -> mb10
    call @1
    j mb10
mb7 depth 1 frequency 8000 -> mb9
    call @1
    j mb9
mb8 depth 1 frequency 8000 -> mb10
    j mb10
mb9 depth 2 frequency 64000 preds mb7 mb9 -> mb9 mb11
    call @1
    bone v0, mb9
mb10 depth 1 frequency 8000 preds mb6 mb8 mb11 -> mb4 mb12
    call @1
    bone v0, mb4
mb11 depth 1 frequency 8000 -> mb10
    call @1
    j mb10
mb12 frequency 1000
    call @1
    ret
";

    #[test]
    fn arms_of_loops_that_call_have_parts_of_their_frequency() {
        let half = 8000 / 2;
        // Half goes to each arm that calls, and 0.22 of that to the arm in it; what is behind a loop is whole again, and so is what
        // does not call.
        let arms = [half, half, half * 22 / 100, 8000, 64_000, 8000, 8000];
        let all = guesses(ARMS, false);
        assert_eq!(all[..5], [1024, 1000, 1000, 1000, 8000]);
        let near = |(a, b): (&u64, &u64)| a.abs_diff(*b) < 2;
        assert!(all[5..12].iter().zip(&arms).all(near), "{all:?}");
        assert_eq!(all[12], 1000);
    }

    #[test]
    fn counted_frequencies_are_what_they_are() {
        let all = guesses(ARMS, true);
        assert_eq!(all[4..8], [8000; 4]);
    }
}
