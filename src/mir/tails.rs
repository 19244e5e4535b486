//! Copies of small blocks in the place of jumps to them, in loops and in front of returns.
//!
//! Where two ways through a loop meet in front of its test, only one of them can fall through to it, and the
//! other one jumps. If the test is a few rows, the block that jumps gets a copy of them: then it branches back
//! by itself, and one row less is executed. The same is done to jumps to a return, because functions that
//! return early are called often. What is copied first is executed most, until the function has grown by an
//! eighth. Where the size of code counts, only what is one row is copied, as a jump is. Blocks keep their places in the layout. O(blocks), and a copy of all rows where something is
//! copied. (Mueller and Whalley 1992.)

use super::desc::{CALL, COND_BRANCH, ENTRY, JUMP, RETURN, TABLE};
use super::order::rebuild_preds;
use super::rewrite::Rows;
use super::{Block, Func, Inst, Machine};
use crate::base::{Column, Handle, Opt};
use std::cmp::Reverse;

/// The most rows of a block that is copied.
const MOST_ROWS: usize = 8;

/// Rows by which any function may grow.
const FREE_ROWS: usize = 24;

/// Copies what is worth it; no more than a jump takes, if the code is to be small. To be called behind `order`.
/// `has_conditions` tells that the machine has rows that are executed under conditions (`conditional` makes them, later): then
/// a block that may lose its branch to one is not copied in a function whose executions a profile has counted.
pub fn tails(func: &mut Func, machine: &Machine, is_small: bool, has_conditions: bool) {
    let mut wanted = Vec::new();
    for (k, &b) in func.layout.iter().enumerate() {
        // Where a profile has put what leads to such a block elsewhere, two of its copies would share the arm, which then stays
        // one: 4% more instructions for products modulo a number on ARMv7.
        if has_conditions && func.counted && func.blocks[b].succs[0].get().is_some_and(|to| is_host(func, to))
        {
            continue;
        }
        if let Some(rows) = rows_to_copy(func, machine, b, func.layout.get(k + 1).copied(), is_small) {
            wanted.push((Reverse(func.blocks[b].frequency), b, rows));
        }
    }
    if wanted.is_empty() {
        return;
    }
    if is_small {
        wanted.retain(|&(_, _, rows)| rows == 1);
    }
    wanted.sort_unstable();
    let mut room = func.insts.len() / 8 + FREE_ROWS;
    wanted.retain(|&(_, _, rows)| {
        let fits = rows <= room;
        room -= if fits { rows } else { 0 };
        fits
    });
    let mut tail = Column::filled(func.blocks.len(), Opt::NONE);
    for &(_, b, _) in &wanted {
        tail[b] = func.blocks[b].succs[0];
    }
    copy(func, &tail);
    rebuild_preds(func);
    drop_unreachable(func);
}

/// True of a block that branches over one row, which becomes a row under a condition (`conditional`).
fn is_host(func: &Func, b: Block) -> bool {
    let [Some(s), Some(t)] = func.blocks[b].succs.map(Opt::get) else { return false };
    let is_arm = |arm: Block, join: Block| {
        let row = &func.blocks[arm];
        row.pred_count == 1
            && row.succs[0].get() == Some(join)
            && row.succs[1].is_none()
            && func.rows(arm).len() <= 2
    };
    is_arm(s, t) || is_arm(t, s)
}

/// How many rows a copy in the place of a block's jump takes, if it is to be made.
fn rows_to_copy(
    func: &Func,
    machine: &Machine,
    b: Block,
    next: Option<Block>,
    is_small: bool,
) -> Option<usize> {
    let block = &func.blocks[b];
    let (last, to) = (func.rows(b).next_back()?, block.succs[0].get()?);
    if !machine.is(func, last, JUMP) || func.is_kept(last) || next == Some(to) || to == b {
        return None;
    }
    let rows = func.rows(to);
    let (count, end) = (rows.len(), func.rows(to).next_back()?);
    let is_plain = |i: Inst| func.insts[i].op != ENTRY && !machine.is(func, i, CALL);
    if count > MOST_ROWS || !rows.into_iter().all(is_plain) {
        return None;
    }
    if machine.is(func, end, RETURN) {
        // An epilogue stands in its place.
        let has_frame = func.has_calls || func.saved.count() != 0 || !func.slots.is_empty();
        let of_frame = if is_small && !has_frame { 0 } else { func.saved.count() + 2 };
        return Some(count + of_frame);
    }
    let copies = block.loop_depth > 0 && machine.is(func, end, COND_BRANCH) && !machine.is(func, end, TABLE);
    copies.then_some(count)
}

/// Writes the rows again, with the rows of each block's tail in the place of its jump.
fn copy(func: &mut Func, tail: &Column<Block, Opt<Block>>) {
    let mut none = Column::new();
    let mut rows = Rows::new(func, 0, &none);
    for b in func.blocks.keys() {
        let all = func.blocks[b].first.index()..func.blocks[b].end.index();
        let Some(to) = tail[b].get() else {
            rows.keep_all(func, &none, all);
            rows.end_block();
            continue;
        };
        rows.keep_all(func, &none, all.start..all.end - 1);
        for i in func.rows(to) {
            let row = func.insts[i];
            let (defs, uses) = (func.defs(i).to_vec(), func.uses(i).to_vec());
            let row = func.make_row(row.op, &defs, &uses, row.imm, row.sym);
            rows.keep(func, &none, i, row);
        }
        rows.end_block();
    }
    // What a tail's successors are, its copies may not have changed yet: no tail ends with a jump.
    for b in func.blocks.keys() {
        if let Some(to) = tail[b].get() {
            let frequency = func.blocks[b].frequency;
            func.blocks[to].frequency = func.blocks[to].frequency.saturating_sub(frequency);
            func.blocks[b].succs = func.blocks[to].succs;
        }
    }
    rows.finish(func, &mut none);
}

/// Takes blocks out of the layout that nothing enters any more.
fn drop_unreachable(func: &mut Func) {
    let Func { layout, blocks, .. } = func;
    layout.retain(|&b| b.index() == 0 || blocks[b].pred_count > 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, print, toy};
    use bumpalo::Bump;

    /// The rows of the blocks of a layout.
    fn copied(text: &str) -> Vec<String> {
        copied_for(text, false)
    }

    fn copied_for(text: &str, is_small: bool) -> Vec<String> {
        let machine = toy::machine();
        let mut func = parse::parse(text, &machine).unwrap();
        super::super::order::order(&mut func, &machine, &Bump::new());
        tails(&mut func, &machine, is_small, false);
        let rows = print::print(&func, &machine);
        let rows = rows.lines().filter(|line| line.starts_with("    "));
        rows.map(|line| line.trim().to_string()).collect()
    }

    fn loop_with_two_ways(rows: usize) -> String {
        format!(
            "
mb0 frequency 1024 -> mb1
    r1 = li
    j mb1
mb1 depth 1 frequency 8192 -> mb2 mb3
    bone r1, mb2
mb2 depth 1 frequency 4096 -> mb4
    r1 = addi r1
    j mb4
mb3 depth 1 frequency 4096 -> mb4
    r1 = addi r1
    j mb4
mb4 depth 1 frequency 8192 -> mb1 mb5
{}    beq r1, r2, mb1
mb5 frequency 1024
    ret
",
            "    r2 = addi r2\n".repeat(rows)
        )
    }

    #[test]
    fn a_small_test_is_copied_to_the_way_that_would_jump_to_it() {
        let rows = copied(&loop_with_two_ways(2));
        let count = |word: &str| rows.iter().filter(|row| row.contains(word)).count();
        assert_eq!((count("beq"), count("r2 = addi")), (2, 4), "{rows:#?}");
    }

    #[test]
    fn a_large_one_is_not() {
        let rows = copied(&loop_with_two_ways(MOST_ROWS));
        assert_eq!(rows.iter().filter(|row| row.contains("beq")).count(), 1, "{rows:#?}");
    }

    #[test]
    fn what_branches_over_a_row_under_a_condition_is_not_copied() {
        let text = "
mb0 frequency 1024 -> mb1
    r1 = li
    j mb1
mb1 depth 1 frequency 819200 -> mb2 mb3
    bone r1, mb2
mb2 depth 1 frequency 1000 -> mb3
    r1 = addi r1
    r1 = addi r1
    j mb3
mb3 depth 1 frequency 819200 -> mb5 mb4
    bone r1, mb5
mb4 depth 1 frequency 400000 -> mb5
    r1 = addi r1
    j mb5
mb5 depth 1 frequency 819200 -> mb1 mb6
    beq r1, r2, mb1
mb6 frequency 1024
    ret
";
        let machine = toy::machine();
        for (has_conditions, branches) in [(false, 3), (true, 2)] {
            let mut func = parse::parse(text, &machine).unwrap();
            func.counted = true;
            super::super::order::order(&mut func, &machine, &Bump::new());
            tails(&mut func, &machine, false, has_conditions);
            assert_eq!(print::print(&func, &machine).matches("bone").count(), branches);
        }
    }

    #[test]
    fn a_return_is_copied_and_a_jump_outside_of_loops_is_not() {
        let text = "
mb0 frequency 1024 -> mb1 mb2
    bone r1, mb1
mb1 frequency 512 -> mb3
    r1 = li
    j mb3
mb2 frequency 512 -> mb3
    r1 = addi r1
    j mb3
mb3 frequency 1024
    ret
";
        assert_eq!(copied(text).iter().filter(|row| *row == "ret").count(), 2);
        // A return is no more than a jump, a test and its rows are.
        assert_eq!(copied_for(text, true).iter().filter(|row| *row == "ret").count(), 2);
        let rows = copied_for(&loop_with_two_ways(2), true);
        assert_eq!(rows.iter().filter(|row| row.contains("beq")).count(), 1, "{rows:#?}");
        let text = text.replace("    ret\n", "    bone r1, mb4\nmb4\n    ret\nmb5\n    ret\n");
        let text = text.replace("mb3 frequency 1024\n", "mb3 frequency 1024 -> mb4 mb5\n");
        assert_eq!(copied(&text).iter().filter(|row| row.contains("bone")).count(), 2);
    }
}
