//! Loads, or stores, of lanes that are so many words apart, of which those side by side fill all words between them: one
//! instruction does all of them, on machines that have one (`ld2`, `vst4.32`). IR has each of them for itself
//! (`Op::StridedLoad`), since each is legal without the others; so what belongs together is found here.
//!
//! ```text
//! x = strided load p, 8         x, y = ld2 p
//! y = strided load p + 4, 8
//! ```
//!
//! An access is *linked* with the nearest one behind it that begins a word further on, if that one's nearest in front is the
//! first; between loads nothing writes, and between stores nothing accesses memory. So links make chains. Of a chain each 2, 3
//! or 4 accesses from its begin on are a group, which is done where the first load or the last store of it stands. O(1) an
//! access: a chain is followed for `MOST` links, and `WINDOW` instructions are looked at for each, forwards and backwards.

use super::Select;
use crate::analysis::sum::peel;
use crate::ir::opcode::{READS, WRITES};
use crate::ir::{Body, Env, Inst, Op, Type, Value};
use crate::isa::memory::note_of;
use crate::mir::{MachineOp, Operand};

/// Instructions from one access to the next one that are looked at,
const WINDOW: usize = 24;
/// and accesses from the begin of a chain on.
const MOST: usize = 16;
/// Bytes of a lane.
const WORD: i64 = 4;

/// What an access is compared by: base, bytes from there, bytes from lane to lane, and type.
type Key = (Value, i64, i64, Type);

fn key(env: &Env, f: &Body, i: Inst) -> Option<Key> {
    let (address, stride, ty) = match (f.op(i), f.args(i)) {
        (Op::StridedLoad, &[address, stride]) => (address, stride, f.ty(i)),
        (Op::StridedStore, &[v, address, stride]) => (address, stride, f.type_of(v)),
        _ => return None,
    };
    let (base, bytes) = peel(env, f, address, |_| true);
    Some((base, bytes, f.as_int(stride)?, ty))
}

/// The nearest access of the kind that begins so many bytes further on.
fn nearest(env: &Env, f: &Body, from: Inst, by: i64) -> Option<Inst> {
    let (base, bytes, stride, ty) = key(env, f, from)?;
    let kind = f.op(from);
    let mut at = from;
    for _ in 0..WINDOW {
        at = if by > 0 { f.next(at)? } else { f.prev(at)? };
        let op = f.op(at);
        if op == kind && key(env, f, at) == Some((base, bytes + by, stride, ty)) {
            return Some(at);
        }
        if op.has(WRITES) || kind == Op::StridedStore && op.has(READS) {
            return None;
        }
    }
    None
}

/// The access that one is linked with: behind it, or in front.
fn linked(env: &Env, f: &Body, i: Inst, by: i64) -> Option<Inst> {
    nearest(env, f, i, by).filter(|&other| nearest(env, f, other, -by) == Some(i))
}

/// The group that an access is part of, from the first one on.
fn group_of(env: &Env, f: &Body, i: Inst) -> Option<Vec<Inst>> {
    let (.., stride, _) = key(env, f, i)?;
    let count = usize::try_from(stride / WORD).ok().filter(|n| (2..=4).contains(n) && stride % WORD == 0)?;
    let mut chain = vec![i];
    while let Some(before) = linked(env, f, chain[chain.len() - 1], -WORD) {
        chain.push(before);
        if chain.len() > MOST {
            return None;
        }
    }
    let place = (chain.len() - 1) % count;
    // All of a group have to see it, or none.
    if chain.len() - 1 - place + count > MOST {
        return None;
    }
    let mut group: Vec<Inst> = chain[..=place].to_vec();
    group.reverse();
    while group.len() < count {
        group.push(linked(env, f, group[group.len() - 1], WORD)?);
    }
    Some(group)
}

/// Selects a group of loads by the row for as many, if the load is part of one: where its first load stands, which is demanded
/// by the others.
pub fn loads_in_group(cx: &mut Select, i: Inst, rows: [MachineOp; 3]) -> bool {
    let Some(group) = group(cx, i) else { return false };
    if group[0] != i {
        cx.result(group[0]);
        return true;
    }
    let mut operands: Vec<Operand> = group.iter().map(|&i| Operand::virt(cx.result(i))).collect();
    let address = cx.body.arg(i, 0);
    operands.push(cx.reg(address));
    let note = note_of(cx, address);
    cx.emit_row(rows[group.len() - 2], group.len() as u8, &operands, 0, note);
    true
}

/// The same of stores, where the last one stands, of copies of what they store, which a row makes at once.
pub fn stores_in_group(cx: &mut Select, i: Inst, (copies, rows): ([MachineOp; 3], [MachineOp; 3])) -> bool {
    let Some(group) = group(cx, i) else { return false };
    if group[group.len() - 1] != i {
        return true;
    }
    let ty = cx.body.type_of(cx.body.arg(i, 0));
    let mut operands: Vec<Operand> = group.iter().map(|_| Operand::virt(cx.new_reg(ty))).collect();
    let mut stored = operands.clone();
    for &i in &group {
        let v = cx.body.arg(i, 0);
        operands.push(cx.reg(v));
    }
    let address = cx.body.arg(group[0], 1);
    stored.push(cx.reg(address));
    cx.emit_row(copies[group.len() - 2], group.len() as u8, &operands, 0, 0);
    let note = note_of(cx, address);
    cx.emit_row(rows[group.len() - 2], 0, &stored, 0, note);
    true
}

/// An address as a value that the function computes, and bytes behind that, if it is more than such a value: an access that has
/// an offset of its own all the same has both in one.
pub fn with_offset(cx: &Select, address: Value) -> Option<(Value, i64)> {
    let (base, bytes) = peel(cx.env, cx.body, address, |_| true);
    Some((base, bytes)).filter(|_| base != address && base.as_inst().is_some() && cx.hoists())
}

/// The group that an access is part of, where code is optimised.
fn group(cx: &Select, i: Inst) -> Option<Vec<Inst>> {
    Some(i).filter(|_| cx.hoists()).and_then(|i| group_of(cx.env, cx.body, i))
}
