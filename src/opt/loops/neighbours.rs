//! Accesses to neighbours in memory stand side by side in the blocks of innermost loops, for what machines do of several at
//! once.
//!
//! | accesses | become | where |
//! | --- | --- | --- |
//! | loads of four neighbours, each of which goes into all lanes of a vector | a load of a vector, whose lanes do | there are vectors |
//! | two loads of neighbours | the second one behind the first | an instruction loads two (`TargetFacts::pairs`) |
//! | vectors between the multiples of their size from a pointer | go by another pointer | the same |
//! | two stores to neighbours | the first one in front of the second | an instruction stores two |
//!
//! Unrolling leaves neighbours a round apart, with other accesses between, and registers are given afterwards: the pass on machine
//! code that makes one instruction of two (`mir/pair`) finds the same register in both then. An access moves over others
//! that do not overlap it (`alias`). What it makes alive for longer takes registers, so few go over one place.
//! Behind value numbering, in front of post-increments. O(instructions of the blocks + square of their accesses).
//!
//! J. Davidson and S. Jinturkar, "Memory access coalescing" (1994).

use crate::analysis::alias::{Overlap, overlap};
use crate::analysis::sum::peel;
use crate::ir::opcode::{READS, WRITES};
use crate::ir::{At, Block, Inst, Op, Type, Value};
use crate::opt::loops::strength::offset;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static NEIGHBOURS: FuncPass = FuncPass {
    name: "neighbours",
    description: "put accesses to neighbours in memory side by side",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

/// Lanes of a vector.
const LANES: usize = 4;
/// Instructions of a block that is looked at,
const MOST_INSTS: usize = 400;
/// and accesses in it.
const MOST_ACCESSES: usize = 64;
/// Instructions that an access moves over.
const MOST_DISTANCE: usize = 96;
/// Pointers that a loop gets besides those that it has, and instructions that each saves at least.
const MOST_POINTERS: usize = 4;
const LEAST_GAIN: usize = 2;
/// Integers, and floats or vectors, that are alive for longer at one place.
const MOST_ALIVE: [usize; 2] = [4, 10];
/// Registers for vectors, and how many of them a round takes besides what it gets from elsewhere: where accesses have
/// offsets, and where they move their base.
const VECTOR_REGISTERS: [[usize; 2]; 2] = [[30, 8], [11, 3]];

/// A load or store of what a machine may access in pairs, or something else that reads or writes.
struct Access {
    inst: Inst,
    /// Its number in the block.
    at: usize,
    op: Op,
    address: Value,
    /// What is loaded or stored, and its bytes.
    ty: Type,
    bytes: u64,
    /// The address, as far from another value.
    root: Value,
    offset: i64,
    is_done: bool,
}

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    if !cx.target.pairs && !cx.f.has_vectors() {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::LOOPS);
    let loops = &cx.analyses.loops;
    let is_inside = |b: &Block| loops.innermost[*b].get().is_some_and(|l| loops.is_innermost(l));
    let blocks: Vec<Block> = cx.f.blocks().filter(is_inside).collect();
    let mut changed = false;
    for b in blocks {
        changed |= block(cx, b) == Some(true);
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// Does what there is to do in a block; none if there is too much or nothing in it.
fn block(cx: &mut FuncCx, b: Block) -> Option<bool> {
    let mut all = accesses(cx, b)?;
    let mut changed = false;
    if cx.f.has_vectors() {
        for change in [spread, shift] {
            if change(cx, b, &all) {
                (changed, all) = (true, accesses(cx, b).unwrap_or_default());
            }
        }
    }
    if cx.target.pairs || cx.target.moving_pairs {
        for op in [Op::Load, Op::Store] {
            if pair(cx, b, (op, &mut all)) {
                (changed, all) = (true, accesses(cx, b).unwrap_or_default());
            }
        }
    }
    Some(changed)
}

/// What reads and writes in a block; none of a block with too much of it, or with fewer than two.
fn accesses(cx: &FuncCx, b: Block) -> Option<Vec<Access>> {
    let (env, f) = (cx.env, &*cx.f);
    let mut accesses = Vec::new();
    for (at, inst) in f.insts(b).enumerate() {
        let op = f.op(inst);
        if at > MOST_INSTS {
            return None;
        }
        if !op.has(READS) && !op.has(WRITES) {
            continue;
        }
        let (address, ty) = match op {
            Op::Load => (f.arg(inst, 0), f.ty(inst)),
            Op::Store => (f.arg(inst, 1), f.type_of(f.arg(inst, 0))),
            // A call and the like: nothing moves over it.
            _ => (Value::undef(Type::Ptr), Type::Void),
        };
        let (root, offset) = peel(env, f, address, |i| f.op(i) == Op::ElemAddr);
        let bytes = if ty == Type::Void { 0 } else { env.shapes.bytes_of(ty).into() };
        accesses.push(Access { inst, at, op, address, ty, bytes, root, offset, is_done: false });
    }
    (2..=MOST_ACCESSES).contains(&accesses.len()).then_some(accesses)
}

/// True if an access may go over all that stands between two places.
fn may_move(cx: &FuncCx, accesses: &[Access], moved: &Access, (from, to): (usize, usize)) -> bool {
    let meets = |other: &Access| match other.op {
        Op::Load => moved.op == Op::Store,
        _ => true,
    };
    accesses.iter().filter(|other| from < other.at && other.at < to && meets(other)).all(|other| {
        let place = |access: &Access| (access.address, access.bytes);
        other.bytes != 0 && overlap(cx.env, cx.f, place(moved), place(other)) == Overlap::Never
    })
}

/// The number of an instruction in a block.
fn position(cx: &FuncCx, b: Block, i: Inst) -> Option<usize> {
    if cx.f.block_of(i) == Some(b) { cx.f.insts(b).position(|other| other == i) } else { None }
}

/// True if a value is known in front of a place in a block.
fn is_known(cx: &FuncCx, b: Block, v: Value, at: usize) -> bool {
    v.as_inst().is_none_or(|i| cx.f.op(i) == Op::Phi || position(cx, b, i).is_none_or(|own| own < at))
}

/// Makes vectors of what four loads of neighbours put into all lanes.
fn spread(cx: &mut FuncCx, b: Block, accesses: &[Access]) -> bool {
    let f = &*cx.f;
    let is_spread = |access: &&Access| {
        let all = Type::lanes_of(access.ty, LANES as u32).filter(|_| access.op == Op::Load);
        let has = |ty| [Op::Load, Op::Splat, Op::ExtractLane].iter().all(|&op| cx.target.vectors.has(op, ty));
        let goes = |i: Inst| f.op(i) == Op::Splat && f.block_of(i) == Some(b);
        all.is_some_and(has) && f.has_uses(access.inst) && f.uses(access.inst).all(|u| goes(u.user))
    };
    let mut loads: Vec<&Access> = accesses.iter().filter(is_spread).collect();
    if loads.len() < LANES {
        return false;
    }
    loads.sort_by_key(|load| (load.root, load.ty, load.offset, load.at));
    let mut made: Vec<[&Access; LANES]> = Vec::new();
    let mut k = 0;
    while let Some(&[p, q, r, s]) = loads.get(k..k + LANES) {
        let run = [p, q, r, s];
        let is_next = |(n, load): (usize, &&Access)| {
            load.root == p.root && load.ty == p.ty && load.offset - p.offset == 4 * n as i64
        };
        let from = run.iter().map(|load| load.at).min().unwrap_or(0);
        let fits = run.iter().enumerate().all(is_next)
            && is_known(cx, b, p.root, from)
            && run.iter().all(|load| may_move(cx, accesses, load, (from, load.at)));
        if fits {
            made.push(run);
        }
        k += if fits { LANES } else { 1 };
    }
    for run in &made {
        let f = &mut *cx.f;
        let Some(first) = run.iter().min_by_key(|load| load.at) else { continue };
        let (place, at) = (f.place(first.inst), At::Before(first.inst));
        let Some(ty) = Type::lanes_of(first.ty, LANES as u32) else { continue };
        let address = match run[0].offset {
            0 => run[0].root,
            bytes => offset(f, &cx.env.shapes, at, run[0].root, bytes, place),
        };
        let all = f.insert(at, Op::Load, ty, &[address], 0, place);
        f.set_access(all, f.access(first.inst).of_lanes());
        for (k, load) in run.iter().enumerate() {
            let at = At::Before(load.inst);
            let lane = f.insert(at, Op::ExtractLane, load.ty, &[Value::inst(all)], k as u32, place);
            f.replace(load.inst, Value::inst(lane));
        }
    }
    !made.is_empty()
}

/// Gives vectors that lie between the multiples of their size from a pointer a pointer of their own, where that pays: pairs
/// have offsets that are multiples, and other accesses if these are large.
fn shift(cx: &mut FuncCx, b: Block, accesses: &[Access]) -> bool {
    if !cx.target.pairs {
        return false;
    }
    let f = &*cx.f;
    let ways: Vec<_> = f.preds(b).to_vec();
    let Some(&back) = ways.iter().find(|&&e| f.edge_from(e) == b) else { return false };
    let Some(&enters) = ways.iter().find(|&&e| f.edge_from(e) != b).filter(|_| ways.len() == 2) else {
        return false;
    };
    let (back, before, enters) = (f.edge_slot(back), f.edge_from(enters), f.edge_slot(enters));
    let is_vector = |access: &&Access| access.ty.is_vector() && access.bytes == 16;
    let class = |access: &Access| (access.root, access.offset.rem_euclid(16));
    let mut all: Vec<&Access> =
        accesses.iter().filter(is_vector).filter(|access| class(access).1 != 0).collect();
    all.sort_by_key(|access| (class(access), access.op, access.offset, access.at));
    let [least, most] = cx.target.offsets_vector;
    let mut changed = false;
    let groups = all.chunk_by(|x, y| class(x) == class(y));
    // Each is a register, and a step of its own unless an access does it.
    for group in groups.filter(|group| group.len() > 2).take(MOST_POINTERS) {
        let f = &mut *cx.f;
        let root = group[0].root;
        let Some(phi) = root.as_inst().filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(b)) else {
            continue;
        };
        let next = f.arg(phi, back);
        let (from, step) = peel(cx.env, f, next, |i| f.op(i) == Op::ElemAddr);
        let is_far = |access: &&&Access| access.offset < least || access.offset > most.min(255);
        let is_pair = |pair: &&[&Access]| pair[0].op == pair[1].op && pair[1].offset - pair[0].offset == 16;
        let gain = group.iter().filter(is_far).count() + group.windows(2).filter(is_pair).count().div_ceil(2);
        if from != root || step == 0 || gain < LEAST_GAIN {
            continue;
        }
        let first = group.iter().map(|access| access.offset).min().unwrap_or(0);
        let place = f.place(phi);
        let begins = f.arg(phi, enters);
        let begins = offset(f, &cx.env.shapes, At::BeforeTerminator(before), begins, first, place);
        let own = f.insert_phi(b, Type::Ptr, place);
        let next = offset(f, &cx.env.shapes, At::BeforeTerminator(b), Value::inst(own), step, place);
        f.set_arg(own, enters, begins);
        f.set_arg(own, back, next);
        for access in group {
            let address = match access.offset - first {
                0 => Value::inst(own),
                bytes => offset(f, &cx.env.shapes, At::Before(access.inst), Value::inst(own), bytes, place),
            };
            let operand = usize::from(access.op == Op::Store);
            f.set_arg(access.inst, operand, address);
            if let Some(address) = access.address.as_inst() {
                f.remove_unused(address);
            }
        }
        changed = true;
    }
    changed
}

/// How many values may be alive for longer: what stays in registers all through the loop leaves few of them.
fn most_alive(cx: &FuncCx, b: Block) -> [usize; 2] {
    let f = &*cx.f;
    let mut kept: Vec<Value> = Vec::new();
    for i in f.insts(b).filter(|&i| f.op(i) != Op::Phi) {
        let is_kept = |&v: &Value| {
            let from = v.as_inst().filter(|&from| f.block_of(from) != Some(b) || f.op(from) == Op::Phi);
            from.is_some_and(|from| f.ty(from).is_vector() || f.ty(from) == Type::F32)
        };
        kept.extend(f.args(i).iter().copied().filter(is_kept));
    }
    kept.sort_unstable();
    kept.dedup();
    let [all, own] = VECTOR_REGISTERS[usize::from(!cx.target.pairs)];
    let [ints, vectors] = MOST_ALIVE;
    [ints, vectors.min(all.saturating_sub(kept.len() + own))]
}

/// Brings loads together, or stores; true if one has moved.
fn pair(cx: &mut FuncCx, b: Block, (op, accesses): (Op, &mut [Access])) -> bool {
    let moves = !cx.target.pairs;
    let is_paired = |ty: Type| match ty {
        Type::I32x4 | Type::F32x4 => true,
        Type::I32 | Type::F32 => !moves,
        _ => false,
    };
    // A pointer that moves on has been everywhere once.
    let is_alone = |access: &Access, all: &[Access]| {
        all.iter()
            .filter(|other| other.root == access.root)
            .all(|other| (other.op, other.ty) == (op, access.ty))
    };
    let mut most = None;
    let class = |ty: Type| usize::from(ty != Type::I32);
    let mut alive: Vec<(usize, usize, usize)> = Vec::new();
    let mut changed = false;
    for k in 0..accesses.len() {
        let first = &accesses[k];
        if first.is_done || first.op != op || !is_paired(first.ty) || moves && !is_alone(first, accesses) {
            continue;
        }
        let bytes = first.bytes as i64;
        let is_next = |other: &Access| {
            !other.is_done
                && (other.op, other.ty, other.root) == (op, first.ty, first.root)
                && match moves {
                    true => other.offset - first.offset == bytes,
                    false => {
                        (other.offset - first.offset).abs() == bytes
                            && other.offset.min(first.offset) % bytes == 0
                    }
                }
                && other.at - first.at <= MOST_DISTANCE
        };
        let Some(n) = (k + 1..accesses.len()).find(|&n| is_next(&accesses[n])) else { continue };
        let (second, own) = (&accesses[n], class(first.ty));
        let between = (first.at, second.at);
        let is_near = |row: &&(usize, usize, usize)| row.0 == own && row.1 < between.1 && row.2 > between.0;
        let moved = if op == Op::Load { second } else { first };
        if alive.iter().filter(is_near).count() >= most.get_or_insert_with(|| most_alive(cx, b))[own]
            || !may_move(cx, accesses, moved, between)
            || op == Op::Load && !brings_address(cx, b, (first, second))
        {
            continue;
        }
        let (first, second) = (first.inst, second.inst);
        if between.1 - between.0 > 1 {
            match op {
                Op::Load => cx.f.move_inst(second, At::After(first)),
                _ => cx.f.move_inst(first, At::Before(second)),
            }
            alive.push((own, between.0, between.1));
            changed = true;
        }
        accesses[k].is_done = true;
        accesses[n].is_done = true;
    }
    changed
}

/// True if the address of a load is known where it goes, or has moved there.
fn brings_address(cx: &mut FuncCx, b: Block, (first, second): (&Access, &Access)) -> bool {
    let f = &*cx.f;
    let Some(at) = position(cx, b, first.inst) else { return false };
    if is_known(cx, b, second.address, at) {
        return true;
    }
    let Some(address) = second.address.as_inst().filter(|&i| f.op(i) == Op::ElemAddr) else { return false };
    if !f.args(address).iter().all(|&v| is_known(cx, b, v, at)) {
        return false;
    }
    cx.f.move_inst(address, At::Before(first.inst));
    true
}

#[cfg(test)]
mod tests;
