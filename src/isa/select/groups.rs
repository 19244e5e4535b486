//! Loads of lanes that are so many words apart, of which those side by side fill all words between them: one instruction does
//! all of them, on machines that have one (`ld2`, `vld4.32`). IR has each of them for itself (`Op::StridedLoad`), since each is
//! legal without the others; so what belongs together is found here.
//!
//! ```text
//! x = strided load p, 8         x, y = ld2 p
//! y = strided load p + 4, 8
//! ```
//!
//! A load is *linked* with the nearest one behind it that begins a word further on, and lies in front of it with nothing that
//! writes between them, if that one's nearest in front is the first. So links make chains. Of a chain each 2, 3 or 4 loads from
//! its begin on are a group, which is done where the first of them stands. O(1): at most `WINDOW` instructions a link.

use super::Select;
use crate::analysis::sum::peel;
use crate::ir::opcode::{READS, WRITES};
use crate::ir::{Body, Env, Inst, Op, Type, Value};
use crate::mir::{MachineOp, Operand};

/// Instructions from one load to the next one that are looked at,
const WINDOW: usize = 24;
/// and loads from the begin of a chain on.
const MOST: usize = 16;
/// Bytes of a lane.
const WORD: i64 = 4;

/// What a load is compared by: base, bytes from there, bytes from lane to lane, and type.
type Key = (Value, i64, i64, Type);

fn key(env: &Env, f: &Body, i: Inst) -> Option<Key> {
    let &[address, stride] = f.args(i) else { return None };
    let stride = f.as_int(stride).filter(|_| f.op(i) == Op::StridedLoad)?;
    let (base, bytes) = peel(env, f, address, |_| true);
    Some((base, bytes, stride, f.ty(i)))
}

/// The nearest load that begins so many bytes further on.
fn nearest(env: &Env, f: &Body, from: Inst, by: i64) -> Option<Inst> {
    let (base, bytes, stride, ty) = key(env, f, from)?;
    let mut at = from;
    for _ in 0..WINDOW {
        at = if by > 0 { f.next(at)? } else { f.prev(at)? };
        if f.op(at).has(WRITES) {
            return None;
        }
        if f.op(at).has(READS) && key(env, f, at) == Some((base, bytes + by, stride, ty)) {
            return Some(at);
        }
    }
    None
}

/// The load that one is linked with: behind it, or in front.
fn linked(env: &Env, f: &Body, i: Inst, by: i64) -> Option<Inst> {
    nearest(env, f, i, by).filter(|&other| nearest(env, f, other, -by) == Some(i))
}

/// The group that a load is part of, from the first one on.
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
    let mut group: Vec<Inst> = chain[..=place].to_vec();
    group.reverse();
    while group.len() < count {
        group.push(linked(env, f, group[group.len() - 1], WORD)?);
    }
    Some(group)
}

/// Selects a group by the row for as many loads, if the load is part of one: where its first load stands, which is demanded
/// by the others.
pub fn in_group(cx: &mut Select, i: Inst, rows: [MachineOp; 3]) -> bool {
    let Some(group) = Some(i).filter(|_| cx.is_thorough()).and_then(|i| group_of(cx.env, cx.body, i)) else {
        return false;
    };
    if group[0] != i {
        cx.result(group[0]);
        return true;
    }
    let mut operands: Vec<Operand> = group.iter().map(|&i| Operand::virt(cx.result(i))).collect();
    let address = cx.body.arg(i, 0);
    operands.push(cx.reg(address));
    cx.emit_row(rows[group.len() - 2], group.len() as u8, &operands, 0, 0);
    true
}
