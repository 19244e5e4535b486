//! Block layout: in which order the blocks of a function are emitted.
//!
//! First jumps are threaded: a block that only jumps on (a split edge that got no moves) leaves the function.
//! At -O0 that is all, but for those that are a `break` or `continue`, and blocks stay in the order of their
//! rows. Then chains are grown bottom-up: edges are taken by weight, heaviest first, and an edge joins two
//! chains if it leaves the end of one and enters the start of another. At equal weight a jump comes before a
//! conditional branch, since it vanishes altogether: that is what turns `head -> body -> head` into `body,
//! head` with the test at the bottom. Chains are then placed from the entry on, always the one that is
//! entered most from what is already placed, so cold code ends up last. O(blocks log blocks).
//! (Pettis and Hansen 1990, the bottom-up half; weights come from block frequencies, which are counted where
//! there is a profile.)
//!
//! What is a list by block here is gone when the function is: it stands in the worker's arena.

use super::desc::{JUMP, MachineOp, TABLE};
use super::{Block, Func, InstRow, Machine, tables};
use crate::base::{Handle, Opt};
use bumpalo::Bump;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Threads jumps and fills `func.layout`. To be called once phis are gone, and the rows of blocks that
/// nothing enters; of those that are left, only the ones that jumps are threaded past have nothing that
/// enters them. Predecessor lists are renewed. What is left in `room` means nothing.
#[inline(never)]
pub fn order(func: &mut Func, machine: &Machine, room: &Bump) {
    if func.blocks.is_empty() {
        return;
    }
    let mut layout = std::mem::take(&mut func.layout);
    layout.clear();
    if func.keep_jumps {
        order_as_given(func, machine, room, &mut layout);
        func.layout = layout;
        if func.has_tables {
            tables::put_together(func, machine);
        }
        return;
    }
    let target = thread_jumps(func, machine, room);
    layout.extend(func.blocks.keys().filter(|&b| target[b.index()] == b && has_rows(func, b)));
    func.layout = layout;
    rebuild_preds(func);
    let chains = grow_chains(func, room);
    let mut layout = std::mem::take(&mut func.layout);
    layout.clear();
    place_chains(func, &chains, room, &mut layout);
    func.layout = layout;
    if func.has_tables {
        tables::put_together(func, machine);
    }
}

/// The blocks in row order, but for those that hold nothing but a jump that need not be seen.
fn order_as_given(func: &mut Func, machine: &Machine, room: &Bump, layout: &mut Vec<Block>) {
    layout.extend(func.blocks.keys());
    if func.blocks.keys().any(|b| only_jumps(func, machine, b)) {
        let target = thread_jumps(func, machine, room);
        layout.retain(|&b| target[b.index()] == b);
    }
}

/// True unless nothing enters a block: then the allocator has left it without rows.
fn has_rows(func: &Func, b: Block) -> bool {
    func.blocks[b].first != func.blocks[b].end
}

/// Every block by itself.
fn themselves<'a>(func: &Func, room: &'a Bump) -> &'a mut [Block] {
    room.alloc_slice_fill_with(func.blocks.len(), Block::new)
}

/// Sends every edge past the blocks that hold nothing but a jump; says where to, per block. O(blocks).
fn thread_jumps<'a>(func: &mut Func, machine: &Machine, room: &'a Bump) -> &'a [Block] {
    let target = themselves(func, room);
    // 0: not looked at, 1: on the path, 2: its target is known.
    let state = room.alloc_slice_fill_copy(func.blocks.len(), 0u8);
    let path = room.alloc_slice_fill_copy(func.blocks.len(), Block::new(0));
    for start in func.blocks.keys() {
        let (mut b, mut steps) = (start, 0);
        while state[b.index()] == 0 && b.index() != 0 && only_jumps(func, machine, b) {
            state[b.index()] = 1;
            path[steps] = b;
            steps += 1;
            match func.blocks[b].succs[0].get() {
                Some(next) => b = next,
                None => break,
            }
        }
        // A cycle of empty blocks ends where the walk came back to: that one block has to stay.
        let end = if state[b.index()] == 1 { b } else { target[b.index()] };
        for b in &path[..steps] {
            target[b.index()] = end;
            state[b.index()] = 2;
        }
        state[start.index()] = 2;
    }
    for b in func.blocks.keys() {
        let row = func.blocks[b];
        let succs = row.succs.map(|s| Opt::from(s.get().map(|s| target[s.index()])));
        func.blocks[b].succs = succs;
        let Some(first) = succs[0].get() else { continue };
        let Some(last) = func.rows(b).next_back() else { continue };
        if succs[0] == succs[1] && !machine.is(func, last, TABLE) {
            func.blocks[b].succs[1] = Opt::NONE;
            func.insts[last] = jump_to(machine.jump, first);
            // This jump is not from the source, so it need not stay.
            if let Some(loc) = func.loc.as_mut_slice().get_mut(last.index()).filter(|_| func.keep_jumps) {
                *loc = u32::MAX;
            }
        } else {
            func.insts[last].sym = first.index() as u32;
        }
    }
    target
}

fn only_jumps(func: &Func, machine: &Machine, b: Block) -> bool {
    let row = &func.blocks[b];
    row.end.index() == row.first.index() + 1 && machine.is(func, row.first, JUMP) && !func.is_kept(row.first)
}

/// A jump's row.
pub(super) fn jump_to(op: MachineOp, b: Block) -> InstRow {
    InstRow { op, defs: 0, uses: 0, first: 0, imm: 0, sym: b.index() as u32 }
}

/// The estimated executions of the edges to a block's successors.
fn edge_weights(func: &Func, b: Block) -> [u64; 2] {
    let row = &func.blocks[b];
    let (Some(s), Some(t)) = (row.succs[0].get(), row.succs[1].get()) else {
        return [row.frequency, 0];
    };
    let sole = |s: Block| func.blocks[s].pred_count == 1;
    let taken = if sole(s) {
        func.blocks[s].frequency.min(row.frequency)
    } else if sole(t) {
        row.frequency.saturating_sub(func.blocks[t].frequency)
    } else {
        row.frequency / 2
    };
    [taken, row.frequency - taken]
}

/// The same as chains are grown by them, where they are counted. A block that is passed over, or goes on to where that leads, stays where it is unless
/// it is seldom executed: behind everything it needs a jump back each time, and in its place only a branch.
fn chain_weights(func: &Func, b: Block) -> [u64; 2] {
    let mut weights = edge_weights(func, b);
    if !func.counted {
        return weights;
    }
    for (k, over) in [(0, 1), (1, 0)] {
        let [arm, join] = [k, over].map(|k| func.blocks[b].succs[k]);
        let is_simple = |arm: Block| {
            let row = &func.blocks[arm];
            row.pred_count == 1 && row.succs[0] == join && row.succs[1].is_none()
        };
        // Or one that is passed over in part.
        let is_arm = |arm: Block| {
            let row = &func.blocks[arm];
            let ends = |s: Opt<Block>| s == join || s.get().is_some_and(is_simple);
            is_simple(arm) || row.pred_count == 1 && row.succs[1].is_some() && row.succs.into_iter().all(ends)
        };
        if join.is_some()
            && arm.get().is_some_and(is_arm)
            && weights[k].saturating_mul(SELDOM) > weights[over]
        {
            weights[over] = weights[over].min(weights[k].saturating_sub(1));
        }
        // To go back costs nothing more than to go on: the branch is there in any case.
        if arm.get().is_some_and(|arm| arm.index() <= b.index())
            && join.get().is_some_and(|join| join.index() > b.index())
        {
            weights[k] = weights[k].min(weights[over]);
        }
    }
    weights
}

/// So many times more often a block has to be passed over than executed to stand behind what it is in the middle of.
const SELDOM: u64 = 8;

/// Links that make blocks follow one another.
struct Chains<'a> {
    next: &'a mut [Opt<Block>],
    prev: &'a mut [Opt<Block>],
    /// Per block: a union-find parent; the root is the chain.
    parent: &'a mut [Block],
}

impl Chains<'_> {
    fn find(&mut self, mut b: Block) -> Block {
        while self.parent[b.index()] != b {
            self.parent[b.index()] = self.parent[self.parent[b.index()].index()];
            b = self.parent[b.index()];
        }
        b
    }
}

/// An edge as a number, by which edges are taken: the heaviest first, and of equal ones jumps before
/// branches.
///
/// Among equal jumps the one from the last block comes first: then the arms of an `if` stand before what
/// follows them, and no arm ends up behind everything else. Among the edges of a conditional branch the one
/// that falls through as it stands comes first.
fn edge_key(weight: u64, conditional: bool, b: Block, k: usize) -> u128 {
    let number = b.index() as u32;
    let place = if conditional { number } else { !number };
    u128::from(!weight) << 64 | u128::from(conditional) << 33 | u128::from(place) << 1 | (1 - k as u128)
}

/// The block and the successor of an edge.
fn edge_of(key: u128) -> (Block, usize) {
    let place = (key >> 1) as u32;
    let number = if key >> 33 & 1 != 0 { place } else { !place };
    (Block::new(number as usize), usize::from(key & 1 == 0))
}

fn grow_chains<'a>(func: &Func, room: &'a Bump) -> Chains<'a> {
    let (edges, mut count) = (room.alloc_slice_fill_copy(func.blocks.len() * 2, 0u128), 0);
    for &b in &func.layout {
        let weights = chain_weights(func, b);
        let conditional = func.blocks[b].succs[1].is_some();
        for (k, succ) in func.blocks[b].succs.into_iter().enumerate() {
            if succ.get().is_some_and(|succ| succ.index() != 0) {
                edges[count] = edge_key(weights[k], conditional, b, k);
                count += 1;
            }
        }
    }
    let edges = &mut edges[..count];
    edges.sort_unstable();
    let none = || room.alloc_slice_fill_copy(func.blocks.len(), Opt::NONE);
    let mut chains = Chains { next: none(), prev: none(), parent: themselves(func, room) };
    for &mut key in edges {
        let (b, k) = edge_of(key);
        let Some(succ) = func.blocks[b].succs[k].get() else { continue };
        if chains.next[b.index()].is_none() && chains.prev[succ.index()].is_none() {
            let (from, to) = (chains.find(b), chains.find(succ));
            if from != to {
                chains.parent[to.index()] = from;
                chains.next[b.index()] = Opt::some(succ);
                chains.prev[succ.index()] = Opt::some(b);
            }
        }
    }
    chains
}

fn place_chains(func: &Func, chains: &Chains, room: &Bump, layout: &mut Vec<Block>) {
    // Per block: the first block of its chain.
    let head = themselves(func, room);
    for b in func.blocks.keys().filter(|b| chains.prev[b.index()].is_none()) {
        let mut at = Opt::some(b);
        while let Some(here) = at.get() {
            head[here.index()] = b;
            at = chains.next[here.index()];
        }
    }
    let placed = room.alloc_slice_fill_copy(func.blocks.len(), false);
    let mut waiting = BinaryHeap::from([(u64::MAX, Reverse(head[0]))]);
    while let Some((_, Reverse(chain))) = waiting.pop() {
        if std::mem::replace(&mut placed[chain.index()], true) {
            continue;
        }
        let mut at = Opt::some(chain);
        while let Some(b) = at.get() {
            layout.push(b);
            let weights = edge_weights(func, b);
            for (k, succ) in func.blocks[b].succs.into_iter().enumerate() {
                if let Some(succ) = succ.get()
                    && !placed[head[succ.index()].index()]
                {
                    waiting.push((weights[k], Reverse(head[succ.index()])));
                }
            }
            at = chains.next[b.index()];
        }
    }
}

/// Renews predecessor lists from successors; only blocks of the layout count.
pub(super) fn rebuild_preds(func: &mut Func) {
    for row in func.blocks.as_mut_slice() {
        row.pred_count = 0;
    }
    for k in 0..func.layout.len() {
        for succ in func.succs(func.layout[k]) {
            func.blocks[succ].pred_count += 1;
        }
    }
    let mut first = 0;
    for row in func.blocks.as_mut_slice() {
        row.first_pred = first;
        first += row.pred_count;
        row.pred_count = 0;
    }
    func.preds.clear();
    func.preds.resize(first as usize, Block::new(0));
    for k in 0..func.layout.len() {
        let b = func.layout[k];
        for succ in func.succs(b) {
            let row = &mut func.blocks[succ];
            func.preds[(row.first_pred + row.pred_count) as usize] = b;
            row.pred_count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, print, toy};

    fn layout(text: &str) -> Vec<usize> {
        let machine = toy::machine();
        let mut func = parse::parse(text, &machine).unwrap();
        order(&mut func, &machine, &Bump::new());
        let first = print::print(&func, &machine);
        order(&mut func, &machine, &Bump::new());
        assert_eq!(print::print(&func, &machine), first, "ordering twice changes nothing");
        func.layout.iter().map(|b| b.index()).collect()
    }

    #[test]
    fn a_loop_gets_its_test_at_the_bottom() {
        let text = "
mb0 frequency 1024 -> mb1
    r1 = li
    j mb1
mb1 depth 1 frequency 10240 -> mb2 mb3
    bone r1, mb2
mb2 depth 1 frequency 9216 -> mb1
    r1 = addi r1
    j mb1
mb3 frequency 1024
    ret
";
        assert_eq!(layout(text), [0, 2, 1, 3]);
    }

    #[test]
    fn cold_code_goes_last_and_blocks_that_only_jump_go_altogether() {
        let text = "
mb0 frequency 1024 -> mb1 mb2
    bone r1, mb1
mb1 frequency 1 -> mb3
    r1 = li
    j mb3
mb2 frequency 1023 -> mb3
    j mb3
mb3 frequency 1024
    ret
";
        assert_eq!(layout(text), [0, 3, 1]);
    }

    #[test]
    fn where_frequencies_are_counted_only_what_is_seldom_executed_leaves_its_place() {
        let machine = toy::machine();
        let layout = |arm: &str, counted: bool| {
            let text = "
mb0 frequency 1024 -> mb1
    r1 = li
mb1 depth 1 frequency 102400 -> mb3 mb2
    bone r1, mb3
mb2 depth 1 frequency ARM -> mb3
    r1 = li
mb3 depth 1 frequency 102400 -> mb1 mb4
    bone r1, mb1
mb4 frequency 1024
    ret
";
            let text = text.replace("ARM", arm).replace("    r1 = li\nmb1", "    r1 = li\n    j mb1\nmb1");
            let text = text.replace("    r1 = li\nmb3", "    r1 = li\n    j mb3\nmb3");
            let mut func = parse::parse(&text, &machine).unwrap();
            func.counted = counted;
            order(&mut func, &machine, &Bump::new());
            func.layout.iter().map(|b| b.index()).collect::<Vec<_>>()
        };
        assert_eq!(layout("40000", true), [0, 1, 2, 3, 4]);
        assert_eq!(layout("1000", true), [0, 1, 3, 4, 2]);
        // An estimate is not taken at its word.
        assert_ne!(layout("40000", false), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn an_arm_that_is_passed_over_in_part_stays_in_its_place_too() {
        let machine = toy::machine();
        let text = "
mb0 frequency 1024 -> mb1
    r1 = li
    j mb1
mb1 depth 1 frequency 102400 -> mb4 mb2
    bone r1, mb4
mb2 depth 1 frequency 40000 -> mb4 mb3
    bone r1, mb4
mb3 depth 1 frequency 20000 -> mb4
    r1 = li
    j mb4
mb4 depth 1 frequency 102400 -> mb1 mb5
    bone r1, mb1
mb5 frequency 1024
    ret
";
        let mut func = parse::parse(text, &machine).unwrap();
        func.counted = true;
        order(&mut func, &machine, &Bump::new());
        assert_eq!(func.layout.iter().map(|b| b.index()).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn for_debuggers_blocks_stay_in_order_and_only_jumps_that_are_not_in_the_source_go() {
        let machine = toy::machine();
        let text = "
mb0 frequency 1024 -> mb1 mb2
    bone r1, mb1 at 3
mb1 frequency 1 -> mb4
    j mb4
mb2 frequency 9 -> mb3
    j mb3 at 5
mb3 frequency 1 -> mb4
    r1 = li
    j mb4
mb4 frequency 1024
    ret
";
        let mut func = parse::parse(text, &machine).unwrap();
        func.keep_jumps = true;
        order(&mut func, &machine, &Bump::new());
        assert_eq!(func.layout.iter().map(|b| b.index()).collect::<Vec<_>>(), [0, 2, 3, 4]);
        assert_eq!(func.succs(Block::new(0)).map(|b| b.index()).collect::<Vec<_>>(), [4, 2]);
    }

    #[test]
    fn empty_loops_stay_and_equal_targets_need_no_branch() {
        let machine = toy::machine();
        let text = "
mb0 -> mb1 mb2
    bone r1, mb1
mb1 -> mb3
    j mb3
mb2 -> mb3
    j mb3
mb3 -> mb4
    j mb4
mb4 -> mb3
    j mb3
";
        let mut func = parse::parse(text, &machine).unwrap();
        order(&mut func, &machine, &Bump::new());
        assert_eq!(func.layout.len(), 2);
        let last = func.layout[1];
        assert_eq!(func.insts[func.blocks[Block::new(0)].first], jump_to(toy::J, last));
        assert_eq!(func.succs(last).collect::<Vec<_>>(), [last]);
        assert_eq!(func.preds(last), func.layout);
    }
}
