//! Delays what a loop passes to its next iteration until the old value is no longer needed, so that both may
//! have one register and no move is left.
//!
//! An induction variable is incremented where an address first needs the sum, and loads and stores behind it
//! still count from the old value: then a phi and what comes back to it are alive together, and each
//! iteration moves one to the other. Here such a row goes down behind the last use of the phi, in its block or
//! in the one at the end of the loop. A row may go if it computes and does nothing else, and stays in front
//! of everything that uses its result; it may if its operands are the phi and at most one more, so the
//! number of values that are alive does not grow. One scan of the rows of functions that have phis in loops,
//! and a copy of all rows where one goes. O(rows).

use super::desc::{INVOKE, JUMP, PHI, REMAT};
use super::rewrite::Rows;
use super::{Block, Func, Inst, InstRow, Machine, VReg};
use crate::base::{Column, Handle, Opt};

/// A phi of a loop's header and the value that comes back to it.
struct Pair {
    old: VReg,
    new: VReg,
    /// The block at the end of the loop in which the row may stand: the one that the value comes from, or the
    /// one in front of it if that only jumps.
    last: Block,
    /// The row that computes the new value, and its block.
    row: Opt<Inst>,
    block: Block,
    /// In `last`: one past the last row that uses the old value, and the first one that uses the new one.
    behind: u32,
    before: u32,
    /// The old value is used behind the row in another block than `last`.
    is_used: bool,
    /// Some use of the new value is not in `last` or right behind it.
    is_fixed: bool,
    /// The old value is alive at the end of the loop.
    is_kept: bool,
}

impl Pair {
    /// True if the row is in the way of something where it is.
    fn is_wanted(&self) -> bool {
        !self.is_kept && (self.is_used || self.behind > 0)
    }
}

/// The most blocks with one predecessor that are walked back over.
const NEAR: usize = 3;

/// Moves what may be moved.
pub fn delay(func: &mut Func, machine: &Machine) {
    let mut pairs = pairs(func, machine);
    if pairs.is_empty() {
        return;
    }
    // Per value: the pair that it is the old value of, and the one that it is the new value of, from 1; and
    // one row more for what is no value.
    let mut roles = Column::filled(func.vregs.len() + 1, [0u32; 2]);
    for (k, pair) in pairs.iter().enumerate() {
        roles[pair.old][0] = k as u32 + 1;
        let role = &mut roles[pair.new][1];
        *role = if *role == 0 { k as u32 + 1 } else { *role };
    }
    let in_loop = |b: Block| func.blocks[b].loop_depth > 0;
    func.blocks.keys().filter(|&b| in_loop(b)).for_each(|b| look_into(func, &mut pairs, &roles, b));
    // Only what goes to another block asks for uses elsewhere.
    if pairs.iter().any(|pair| pair.block != pair.last && pair.is_wanted()) {
        func.blocks.keys().filter(|&b| !in_loop(b)).for_each(|b| look_into(func, &mut pairs, &roles, b));
    }
    let mut moves: Vec<(u32, Inst)> = Vec::new();
    for (k, pair) in pairs.iter().enumerate() {
        if roles[pair.new][1] == k as u32 + 1
            && let Some(row) = pair.row.get()
            && let Some(place) = place(func, machine, pair, row)
        {
            moves.push((place, row));
            if pair.block != pair.last {
                cross(func, row);
            }
        }
    }
    if !moves.is_empty() {
        moves.sort_unstable();
        carry_out(func, &moves);
    }
}

/// The phis of loops, and what comes back to them. Blocks are in the order of a walk that comes to a header
/// before its loop; where they are not, a pair is missed or one is found that is none, and nothing here
/// depends on it.
fn pairs(func: &Func, machine: &Machine) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for b in func.blocks.keys() {
        let block = &func.blocks[b];
        if block.loop_depth == 0 || block.pred_count < 2 {
            continue;
        }
        for (k, &from) in func.preds(b).iter().enumerate().filter(|&(_, &from)| from >= b) {
            let last = if func.rows(from).len() == 1 && machine.is(func, func.blocks[from].first, JUMP) {
                sole_pred(func, from).unwrap_or(from)
            } else {
                from
            };
            for i in func.rows(b).take_while(|&i| func.insts[i].op == PHI) {
                let (Some(old), Some(new)) = (func.defs(i)[0].as_virt(), func.uses(i)[k].as_virt()) else {
                    continue;
                };
                if old != new {
                    pairs.push(Pair {
                        old,
                        new,
                        last,
                        row: Opt::NONE,
                        block: last,
                        behind: 0,
                        before: u32::MAX,
                        is_used: false,
                        is_fixed: false,
                        is_kept: false,
                    });
                }
            }
        }
    }
    pairs
}

fn sole_pred(func: &Func, b: Block) -> Option<Block> {
    let preds = func.preds(b);
    preds.first().copied().filter(|_| preds.len() == 1)
}

/// True if a block is another one, or is only reached from there.
fn is_behind(func: &Func, b: Block, other: Block) -> bool {
    std::iter::successors(Some(b), |&b| sole_pred(func, b)).take(NEAR).any(|b| b == other)
}

/// Notes what the rows of a block say of pairs.
#[inline(never)]
fn look_into(func: &Func, pairs: &mut [Pair], roles: &Column<VReg, [u32; 2]>, b: Block) {
    let nothing = VReg::new(func.vregs.len());
    for i in func.rows(b) {
        let roles_of = func.operands(i).iter().map(|o| roles[o.as_virt().unwrap_or(nothing)]);
        if roles_of.fold(0, |any, [old, new]| any | old | new) != 0 {
            look_at(func, pairs, roles, b, i);
        }
    }
}

/// Notes what a row says of pairs.
#[inline(never)]
fn look_at(func: &Func, pairs: &mut [Pair], roles: &Column<VReg, [u32; 2]>, b: Block, i: Inst) {
    let at = i.index() as u32;
    for v in func.defs(i).iter().filter_map(|d| d.as_virt()) {
        if let Some(pair) = pairs.get_mut((roles[v][1] as usize).wrapping_sub(1)) {
            (pair.row, pair.block) = (Opt::some(i), b);
        }
    }
    let is_phi = func.insts[i].op == PHI;
    for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
        let [old, new] = roles[v];
        if old | new == 0 {
            continue;
        }
        let place = if is_phi { func.preds(b)[k] } else { b };
        if let Some(pair) = pairs.get_mut((old as usize).wrapping_sub(1))
            && pair.row != Opt::some(i)
        {
            if place == pair.last && !is_phi {
                pair.behind = at + 1;
            } else if is_phi && is_behind(func, place, pair.last) {
                pair.is_kept = true;
            } else {
                pair.is_used |= pair.row.is_some();
            }
        }
        if let Some(pair) = pairs.get_mut((new as usize).wrapping_sub(1)) {
            if place == pair.last && !is_phi {
                pair.before = pair.before.min(at);
            } else {
                pair.is_fixed |= !is_behind(func, place, pair.last);
            }
        }
    }
}

/// The row in front of which a pair's row is to stand, if it is to be moved.
fn place(func: &Func, machine: &Machine, pair: &Pair, row: Inst) -> Option<u32> {
    let desc = machine.row(func.insts[row].op);
    let is_pure = func.insts[row].op != PHI && desc.flags & !REMAT == 0 && func.defs(row).len() == 1;
    let others = func.uses(row).iter().filter(|u| u.as_virt().is_some_and(|v| v != pair.old)).count();
    if !is_pure || others > 1 || pair.is_kept {
        return None;
    }
    let (from, to) = (&func.blocks[pair.block], &func.blocks[pair.last]);
    // What stands behind a call that an exception leaves is not executed.
    let ends = func.rows(pair.last).next_back();
    if ends.is_some_and(|end| func.insts[end].op == INVOKE) {
        return None;
    }
    let end = to.end.index() as u32 - 1;
    let place = if pair.block == pair.last {
        (pair.behind > row.index() as u32 + 1).then_some(pair.behind)
    } else {
        let may = !pair.is_fixed && to.loop_depth <= from.loop_depth && to.frequency <= from.frequency;
        let place = if pair.behind > 0 { pair.behind } else { pair.before.min(end) };
        (pair.is_wanted() && may).then_some(place)
    };
    place.filter(|&place| place <= pair.before && place <= end)
}

/// Notes that the operands of a row are used in another block than before.
fn cross(func: &mut Func, row: Inst) {
    let InstRow { first, defs, uses, .. } = func.insts[row];
    for k in 0..usize::from(defs) + usize::from(uses) {
        if let Some(v) = func.operands[first as usize + k].as_virt() {
            func.vregs[v].crosses = true;
        }
    }
}

/// Writes the rows again, with each of these in front of the row in its place. Of those that go to the same
/// place, the first stays the first.
fn carry_out(func: &mut Func, moves: &[(u32, Inst)]) {
    let mut none = Column::new();
    let mut gone: Vec<u32> = moves.iter().map(|&(_, row)| row.index() as u32).collect();
    gone.sort_unstable();
    let mut rows = Rows::new(func, 0, &none);
    let (mut gone, mut moves) = (gone.into_iter().peekable(), moves.iter().peekable());
    for b in func.blocks.keys() {
        let (mut done, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        loop {
            let out = gone.peek().map_or(end, |&row| (row as usize).min(end));
            let into = moves.peek().map_or(end, |&&(place, _)| (place as usize).min(end));
            let next = out.min(into);
            rows.keep_all(func, &none, done..next);
            done = next;
            if next == end {
                break;
            }
            if into == next
                && let Some(&(_, row)) = moves.next()
            {
                rows.keep(func, &none, row, func.insts[row]);
            } else if gone.next().is_some() {
                done += 1;
            }
        }
        rows.end_block();
    }
    rows.finish(func, &mut none);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, print, toy, verify};

    /// The rows of a function behind the pass, which must be in SSA form.
    fn delayed(text: &str) -> Vec<String> {
        let machine = toy::machine();
        let mut func = parse::parse(text, &machine).unwrap();
        delay(&mut func, &machine);
        assert_eq!(verify::verify_selected(&func, &machine), Ok(()));
        let rows = print::print(&func, &machine);
        let rows = rows.lines().filter(|line| line.starts_with("    "));
        rows.map(|line| line.trim().to_string()).collect()
    }

    /// The numbers of the rows that contain these words.
    fn places<const N: usize>(rows: &[String], words: [&str; N]) -> [usize; N] {
        words.map(|word| rows.iter().position(|row| row.contains(word)).unwrap())
    }

    #[test]
    fn an_increment_goes_behind_the_last_use_of_the_old_value() {
        let rows = delayed(
            "
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth 1 preds mb0 mb2 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = addi v2, #4
    v4:i8 = sub v2, v1
    beq v3, v4, mb2
mb2 depth 1 -> mb1
    j mb1
mb3
    ret
",
        );
        let [sum, use_, end] = places(&rows, ["addi", "sub", "beq"]);
        assert!(use_ < sum && sum < end, "{rows:#?}");
    }

    #[test]
    fn an_increment_goes_to_the_end_of_the_loop() {
        let rows = delayed(
            "
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth 1 frequency 8192 preds mb0 mb4 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = addi v2, #4
    bone v1, mb2
mb2 depth 1 frequency 4096 -> mb3
    v4:i8 = sub v2, v1
    j mb3
mb3 depth 1 frequency 8192 -> mb4 mb5
    beq v3, v1, mb4
mb4 depth 1 frequency 8192 -> mb1
    j mb1
mb5
    ret
",
        );
        let [sum, use_, end] = places(&rows, ["addi", "sub", "beq"]);
        assert!(use_ < sum && sum + 1 == end, "{rows:#?}");
    }

    #[test]
    fn a_row_that_does_more_than_compute_stays() {
        let rows = delayed(
            "
slot0 local 16 align 8
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth 1 preds mb0 mb2 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = ld8 v2, slot0
    st8 v2, v1, slot0
    beq v3, v1, mb2
mb2 depth 1 -> mb1
    j mb1
mb3
    ret
",
        );
        let [load, store] = places(&rows, ["ld8", "st8"]);
        assert!(load < store, "{rows:#?}");
    }

    #[test]
    fn what_is_needed_earlier_stays() {
        // The sum is used in front of the last use of the old value, or on another way through the loop, or
        // both are needed behind the loop.
        for (use_, last, result) in [("v3", "v2", "v1"), ("v1", "v1", "v2")] {
            let text = format!(
                "
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth 1 preds mb0 mb2 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = addi v2, #4
    v4:i8 = sub {use_}, v1
    v5:i8 = add v4, {last}
    beq v3, v5, mb2
mb2 depth 1 -> mb1
    j mb1
mb3
    ret {result}@r1
"
            );
            let rows = delayed(&text);
            let [sum, use_] = places(&rows, ["addi", "sub"]);
            assert!(sum < use_, "{rows:#?}");
        }
        let rows = delayed(
            "
mb0 -> mb1
    v0:i8@r1, v1:i8@r2 = entry
    j mb1
mb1 depth 1 preds mb0 mb4 -> mb2 mb3
    v2:i8 = phi v0, v3
    v3:i8 = addi v2, #4
    bone v1, mb2
mb2 depth 1 -> mb3
    v4:i8 = sub v2, v3
    j mb3
mb3 depth 1 -> mb4 mb5
    beq v2, v1, mb4
mb4 depth 1 -> mb1
    j mb1
mb5
    ret
",
        );
        let [sum, use_] = places(&rows, ["addi", "sub"]);
        assert!(sum < use_, "{rows:#?}");
    }
}
