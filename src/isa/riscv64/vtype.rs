//! Where `vsetivli` stands: what an instruction on vectors does depends on how many lanes of which size were asked for
//! last, which calls destroy, and system calls.
//!
//! Backwards it is found which blocks come to such instructions without a call between, and what the first of them needs;
//! forwards, what is known to have been asked for last at the start of each block, on all ways. It is asked for in front
//! of what needs something else, and at the end of blocks in front of a loop that comes to need it: so a loop without calls
//! and of one number of lanes does not ask. Fewer lanes than there are, are enough for what only computes. O(rows), and
//! O(edges) a round of the way back, of which there are a few more than loops are deep; functions without vectors are not
//! looked at. (Partial redundancy elimination of an expression that may
//! be computed where it is not needed: R. Morgan, "Building an Optimizing Compiler", 1998, chapter 12.)

use super::registers::MACHINE;
use super::rows::ECALL;
use super::vector::{asks, needs_lanes};
use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{CALL, TERMINATORS};
use crate::mir::rewrite::Rows;
use crate::mir::{Block, Func, Inst, InstRow};

/// How many lanes were asked for last: a number, or one of these.
type Lanes = u32;
/// No way comes here, as far as is seen.
const OPEN: Lanes = u32::MAX;
/// That is not known.
const UNKNOWN: Lanes = 0;

fn destroys(row: &InstRow) -> bool {
    row.op == ECALL || MACHINE.row(row.op).flags & CALL != 0
}

/// What a row needs that is not so, where the function's vectors have so many lanes at most.
fn lacks(row: &InstRow, most: u32, lanes: Lanes) -> Option<Lanes> {
    let (needs, is_exact) = needs_lanes(row, most)?;
    (lanes < needs || is_exact && lanes != needs).then_some(needs)
}

/// How many lanes there are behind a row.
fn behind(row: &InstRow, most: u32, lanes: Lanes) -> Lanes {
    if destroys(row) { UNKNOWN } else { lacks(row, most, lanes).unwrap_or(lanes) }
}

/// The blocks that a block goes to.
fn succs(func: &Func, b: Block) -> impl Iterator<Item = Block> + use<> {
    func.blocks[b].succs.into_iter().filter_map(Opt::get)
}

/// Puts `vsetivli` into an allocated function.
pub fn place(func: &mut Func) {
    let blocks: Vec<Block> = func.blocks.keys().collect();
    let most = func.lanes;
    let wants = wants(func, &blocks);
    let in_front = |func: &Func, b: Block| {
        let depth = |b: Block| func.blocks[b].loop_depth;
        succs(func, b).filter(|&s| depth(s) > depth(b)).find_map(|s| wants.first[s])
    };
    // Per block, at its start; each changes twice at most.
    let mut known: Column<Block, Lanes> = Column::filled(blocks.len(), OPEN);
    let mut open: Vec<Block> = Vec::new();
    if let Some(&entry) = blocks.first() {
        known[entry] = UNKNOWN;
        open.push(entry);
    }
    while let Some(b) = open.pop() {
        let at_end = match wants.is_plain[b] {
            true => known[b],
            false => func.rows(b).fold(known[b], |lanes, i| behind(&func.insts[i], most, lanes)),
        };
        let at_end = in_front(func, b).unwrap_or(at_end);
        for s in succs(func, b) {
            let joined = match known[s] {
                OPEN => at_end,
                old if old == at_end => old,
                _ => UNKNOWN,
            };
            if joined != known[s] {
                known[s] = joined;
                open.push(s);
            }
        }
    }
    let mut none = Column::new();
    let mut rows = Rows::new(func, blocks.len(), &none);
    for &b in &blocks {
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        let mut lanes = if known[b] == OPEN { UNKNOWN } else { known[b] };
        let body = (first..end).rev().find(|&k| !MACHINE.is(func, Inst::new(k), TERMINATORS));
        let body = body.map_or(first, |k| k + 1);
        let mut done = first;
        for k in first..body {
            let row = func.insts[Inst::new(k)];
            if let Some(needs) = lacks(&row, most, lanes) {
                rows.keep_all(func, &none, done..k);
                ask(func, &mut rows, k, needs);
                done = k;
            }
            lanes = behind(&row, most, lanes);
        }
        if let Some(needs) = in_front(func, b).filter(|&needs| needs != lanes) {
            rows.keep_all(func, &none, done..body);
            ask(func, &mut rows, body, needs);
            done = body;
        }
        rows.keep_all(func, &none, done..end);
        rows.end_block();
    }
    rows.finish(func, &mut none);
}

/// Appends a row that asks for so many lanes, on behalf of row `k`.
fn ask(func: &mut Func, rows: &mut Rows, k: usize, lanes: Lanes) {
    let row = func.make_row(asks(func.lanes), &[], &[], lanes as i32, 0);
    let place = func.loc.get(Inst::new(k)).copied().unwrap_or(u32::MAX);
    rows.add_at(place, row, Opt::NONE);
}

/// What blocks need.
struct Wants {
    /// Per block, what it comes to need first, if nothing destroys it before.
    first: Column<Block, Option<Lanes>>,
    /// True of blocks that neither need nor destroy anything.
    is_plain: Column<Block, bool>,
}

fn wants(func: &Func, blocks: &[Block]) -> Wants {
    let own = |b: Block| {
        let rows = func.rows(b).map(|i| &func.insts[i]);
        rows.filter_map(|row| if destroys(row) { Some(None) } else { needs_lanes(row, func.lanes).map(Some) })
            .next()
    };
    let mut first: Column<Block, Option<Lanes>> = Column::filled(blocks.len(), None);
    let mut is_plain: Column<Block, bool> = Column::filled(blocks.len(), true);
    for &b in blocks {
        if let Some(own) = own(b) {
            (is_plain[b], first[b]) = (false, own.map(|(lanes, _)| lanes));
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &b in blocks.iter().rev().filter(|&&b| is_plain[b]) {
            if first[b].is_none() {
                first[b] = succs(func, b).find_map(|s| first[s]);
                changed |= first[b].is_some();
            }
        }
    }
    Wants { first, is_plain }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{BNE, CALL_FUNC, J, RET};
    use super::super::vector::{VADD, VLE, VLE_4, VREDSUM};
    use super::*;
    use crate::mir::func::BlockRow;
    use crate::mir::{MachineOp, Operand, PReg};

    /// A block: its rows, each with its symbol, where it goes, and how deep it is.
    type Placed<'a> = (&'a [(MachineOp, u32)], &'a [u32], u16);

    /// A function of vectors of sixteen lanes: per block its rows, where it goes, and how deep it is.
    fn placed(blocks: &[Placed]) -> Vec<Vec<MachineOp>> {
        let mut func = Func { lanes: 16, ..Func::default() };
        for (rows, succs, depth) in blocks {
            let first = Inst::new(func.insts.len());
            for &(op, sym) in *rows {
                let a0 = Operand::phys(PReg::int(10));
                let row = func.make_row(op, &[], &[a0, a0, a0], 0, sym);
                func.insts.push(row);
            }
            let mut to = [Opt::NONE; 2];
            to.iter_mut().zip(*succs).for_each(|(to, &s)| *to = Opt::some(Block::new(s as usize)));
            let end = Inst::new(func.insts.len());
            let loop_depth = (*depth).into();
            func.blocks.push(BlockRow {
                first,
                end,
                succs: to,
                first_pred: 0,
                pred_count: 0,
                loop_depth,
                frequency: 0,
            });
        }
        place(&mut func);
        func.blocks.keys().map(|b| func.rows(b).map(|i| func.insts[i].op).collect()).collect()
    }

    const ASK: MachineOp = super::super::vector::VSETIVLI_M4;

    #[test]
    fn a_loop_without_calls_is_asked_in_front_of() {
        let have = placed(&[
            (&[(J, 1)], &[1], 0),
            (&[(VLE, 0), (VADD, 16), (BNE, 1)], &[1, 2], 1),
            (&[(VREDSUM, 16), (RET, 0)], &[], 0),
        ]);
        assert_eq!(have, [vec![ASK, J], vec![VLE, VADD, BNE], vec![VREDSUM, RET]]);
    }

    #[test]
    fn calls_and_other_numbers_of_lanes_are_asked_behind() {
        let have = placed(&[
            (&[(J, 1)], &[1], 0),
            // Fewer lanes than there are do to compute with, and not to load.
            (&[(VLE, 0), (CALL_FUNC, 0), (VLE, 0), (VADD, 4), (VLE_4, 0), (BNE, 1)], &[1, 2], 1),
            (&[(RET, 0)], &[], 0),
        ]);
        let round = vec![ASK, VLE, CALL_FUNC, ASK, VLE, VADD, ASK, VLE_4, BNE];
        assert_eq!(have, [vec![ASK, J], round, vec![RET]]);
    }
}
