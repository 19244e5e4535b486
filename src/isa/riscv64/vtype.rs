//! Where `vsetivli` stands: what an instruction on vectors does depends on how many lanes of which size were asked for
//! last, which calls destroy, and system calls.
//!
//! Backwards it is found which blocks come to such instructions without a call between, and forwards behind which blocks
//! the answer is as they need it, on all ways. It is asked for in front of what needs it and does not have it, and at the
//! end of blocks in front of a loop that comes to need it: so a loop without calls does not ask. O(rows), and O(edges) a
//! round; functions without vectors are not looked at. (The same as partial redundancy elimination of one expression that
//! may be computed where it is not needed: R. Morgan, "Building an Optimizing Compiler", 1998, chapter 12.)

use super::registers::MACHINE;
use super::rows::{COUNT, ECALL};
use super::vector::VSETIVLI;
use crate::base::{BitSet, Column, Handle, Opt};
use crate::mir::desc::{CALL, TERMINATORS};
use crate::mir::rewrite::Rows;
use crate::mir::{Block, Func, Inst, InstRow};

/// What a block does to it: what it needs first, and whether it is there at the end.
#[derive(Copy, Clone, Debug, Default)]
struct Effect {
    /// Something needs it before anything destroys it.
    needs: bool,
    /// What happens last: it is asked for (`Some(true)`), or destroyed.
    last: Option<bool>,
}

fn needs(row: &InstRow) -> bool {
    row.op.0 >= COUNT
}

fn destroys(row: &InstRow) -> bool {
    row.op == ECALL || MACHINE.row(row.op).flags & CALL != 0
}

/// Puts `vsetivli` into an allocated function.
pub fn place(func: &mut Func) {
    let blocks: Vec<Block> = func.blocks.keys().collect();
    let effects: Column<Block, Effect> = blocks.iter().map(|&b| effect(func, b)).collect::<Vec<_>>().into();
    let succs = |func: &Func, b: Block| func.blocks[b].succs.into_iter().filter_map(Opt::get);
    // Blocks that come to need it.
    let mut wanted: BitSet<Block> = BitSet::new(blocks.len());
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &b in blocks.iter().rev() {
            let Effect { needs, last } = effects[b];
            let comes = needs || last.is_none() && succs(func, b).any(|s| wanted.contains(s));
            changed |= comes && wanted.insert(b);
        }
    }
    let is_in_front = |func: &Func, b: Block| {
        let depth = |b: Block| func.blocks[b].loop_depth;
        succs(func, b).any(|s| depth(s) > depth(b) && wanted.contains(s))
    };
    // Blocks at whose start it is not there on some way.
    let mut missing: BitSet<Block> = BitSet::new(blocks.len());
    blocks.first().map(|&entry| missing.insert(entry));
    let leaves = |missing: &BitSet<Block>, b: Block| effects[b].last.unwrap_or(!missing.contains(b));
    changed = true;
    while std::mem::take(&mut changed) {
        for &b in &blocks {
            if !leaves(&missing, b) && !is_in_front(func, b) {
                for s in succs(func, b) {
                    changed |= missing.insert(s);
                }
            }
        }
    }
    let mut none = Column::new();
    let mut rows = Rows::new(func, blocks.len(), &none);
    let ask = func.make_row(VSETIVLI, &[], &[], 0, 0);
    for &b in &blocks {
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        let mut is_there = !missing.contains(b);
        let body = (first..end).rev().find(|&k| !MACHINE.is(func, Inst::new(k), TERMINATORS));
        let body = body.map_or(first, |k| k + 1);
        let mut done = first;
        let mut put = |rows: &mut Rows, func: &Func, at: usize| {
            rows.keep_all(func, &none, done..at);
            if at < func.insts.len() {
                rows.add(func, Inst::new(at), ask, Opt::NONE);
            }
            done = at;
        };
        for k in first..body {
            let row = func.insts[Inst::new(k)];
            if needs(&row) && !is_there {
                put(&mut rows, func, k);
                is_there = true;
            } else if destroys(&row) {
                is_there = false;
            }
        }
        if !is_there && is_in_front(func, b) {
            put(&mut rows, func, body);
        }
        rows.keep_all(func, &none, done..end);
        rows.end_block();
    }
    rows.finish(func, &mut none);
}

fn effect(func: &Func, b: Block) -> Effect {
    let mut effect = Effect::default();
    for i in func.rows(b) {
        let row = &func.insts[i];
        if needs(row) {
            effect.needs |= effect.last.is_none();
            effect.last = Some(true);
        } else if destroys(row) {
            effect.last = Some(false);
        }
    }
    effect
}
