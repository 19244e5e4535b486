//! If-conversion: the blocks of a round become one, in which both sides of a branch are computed and a `select`
//! chooses. For candidates only; the pass keeps it where vectors come of it.
//!
//! What a branch decides on must be harmless where it is not wanted: it computes, or loads what is there in each round
//! all the same, or what an object that is at least as large as one accessed in each round has at the same
//! subscripts. Where all ways into a block end by storing to one place, that is one store of what is chosen. A store on one
//! side is done by a mask, where the machine has that; or, to a place that each round accesses, it stores what was there
//! where it is not wanted. A value that joins ways is chosen by the conditions that tell one way from the others behind the last
//! block that all of them come through, so nested branches need no more of them than there are.
//! O(blocks x joins) a loop, of at most `MOST_BLOCKS`.
//!
//! J. R. Allen, K. Kennedy, C. Porterfield and J. Warren, "Conversion of control dependence to data dependence"
//! (1983).

use crate::analysis::memory::{Base, base_of};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::{Dominators, Order};
use crate::base::Handle;
use crate::base::graph::Loop;
use crate::ir::opcode::{MAY_TRAP, PURE, READS, WRITES};
use crate::ir::{
    At, Block, Body, Edge, Env, FloatPred, Inst, IntPred, Op, Place, Shape, Type, Value, ValueKind,
};
use crate::opt::run::analyses::Analyses;

/// Blocks of a round.
const MOST_BLOCKS: usize = 24;

/// A round that may become one block: its blocks, each behind those that lead to it.
pub(super) struct Branches {
    blocks: Vec<Block>,
    /// Stores to one place, one on each way into a block.
    joined: Vec<Vec<Inst>>,
    /// Stores on one side of branches: to places that each round accesses,
    sided: Vec<Inst>,
    /// and those that become stores by masks.
    lone: Vec<Inst>,
}

/// A condition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Mask {
    True,
    Is(Value),
    Not(Value),
}

impl Branches {
    /// Looks at a loop of several blocks.
    pub(super) fn of(
        env: &Env,
        f: &Body,
        analyses: &Analyses,
        (l, most): (Loop, usize),
        by_masks: bool,
    ) -> Option<Branches> {
        let (loops, order) = (&analyses.loops, &analyses.order);
        let count = loops.blocks(l).len();
        if !(2..=MOST_BLOCKS).contains(&count) || !loops.is_innermost(l) {
            return None;
        }
        let simple = analyses.simple_loop(f, l)?;
        simple.leaves(simple.latch).filter(|_| simple.is_left_behind_latch())?;
        let insts = || loops.blocks(l).iter().flat_map(|&b| f.insts(b));
        let goes_on = |&b: &Block| {
            let inside = f.succs(b).map(|e| f.edge_to(e)).filter(|&to| loops.contains(l, to));
            inside.filter(|&to| to != simple.header).all(|to| !order.is_retreating(b, to))
        };
        if !loops.blocks(l).iter().all(goes_on) || insts().count() > most {
            return None;
        }
        let blocks = in_order(order, loops.blocks(l));
        let joined: Vec<Vec<Inst>> = blocks.iter().filter_map(|&b| joined(&simple, b)).collect();
        let lone: Vec<Inst> = insts().filter(|&i| by_masks && is_lone(&simple, &joined, i)).collect();
        let is_chosen = |&i: &Inst| !by_masks && is_sided(env, &simple, &joined, i);
        let sided: Vec<Inst> = insts().filter(is_chosen).collect();
        let fits = |i: Inst| lone.contains(&i) || sided.contains(&i) || is_harmless(env, &simple, &joined, i);
        insts().all(fits).then_some(Branches { blocks, joined, sided, lone })
    }

    /// The first block, which will be the only one.
    pub(super) fn header(&self) -> Block {
        self.blocks[0]
    }

    /// Makes one block of them.
    pub(super) fn convert(&self, f: &mut Body, dominators: &Dominators) {
        let blocks = &self.blocks;
        for stores in &self.joined {
            self.join(f, stores);
        }
        for &b in &blocks[1..] {
            let own = f.insts(b).find(|&i| f.op(i) != Op::Phi).map_or(At::End(b), At::Before);
            while let Some(phi) = f.first(b).filter(|&i| f.op(i) == Op::Phi) {
                let v = self.chosen(f, dominators, (b, own), phi);
                f.replace(phi, v);
            }
        }
        for &store in &self.sided {
            self.choose(f, dominators, store);
        }
        for &store in &self.lone {
            self.mask(f, dominators, store);
        }
        for pair in blocks.windows(2) {
            f.set_br(pair[0], pair[1], Place::NONE);
        }
        for &b in &blocks[1..] {
            f.merge_into_pred(b);
        }
    }

    /// Lets a store that is not wanted store what is there.
    fn choose(&self, f: &mut Body, dominators: &Dominators, store: Inst) -> Option<()> {
        let (b, place) = (f.block_of(store)?, f.place(store));
        let at = (At::Before(store), place);
        let &e = f.preds(b).first()?;
        let (v, address) = (f.arg(store, 0), f.arg(store, 1));
        let mask = self.of_edge(f, dominators, at, self.header(), e);
        let load = f.insert(at.0, Op::Load, f.type_of(v), &[address], 0, place);
        f.set_access(load, f.access(store));
        let chosen = match mask {
            Mask::True => v,
            Mask::Is(c) => select(f, at, [c, v, Value::inst(load)]),
            Mask::Not(c) => select(f, at, [c, Value::inst(load), v]),
        };
        f.set_arg(store, 0, chosen);
        Some(())
    }

    /// Makes a store by a mask of one that is not done in each round: the first of two lanes, of which the other one is
    /// never stored. So it is what it was where no vectors come of it.
    fn mask(&self, f: &mut Body, dominators: &Dominators, store: Inst) -> Option<()> {
        let (at, place) = (At::Before(store), f.place(store));
        let e = *f.preds(f.block_of(store)?).first()?;
        let mask = self.of_edge(f, dominators, (at, place), self.blocks[0], e);
        let c = match mask {
            Mask::True => Value::bool(true),
            Mask::Is(c) => c,
            Mask::Not(c) => value(f, (at, place), c, true),
        };
        let (v, address, access) = (f.arg(store, 0), f.arg(store, 1), f.access(store));
        let [ty, of_mask] = [f.type_of(v), Type::I1].map(|ty| Type::lanes_of(ty, 2));
        let (ty, of_mask) = (ty?, of_mask?);
        let none = Value::inst(f.insert(at, Op::Splat, of_mask, &[Value::bool(false)], 0, place));
        let c = Value::inst(f.insert(at, Op::InsertLane, of_mask, &[none, c], 0, place));
        let v = Value::inst(f.insert(at, Op::InsertLane, ty, &[Value::undef(ty), v], 0, place));
        let masked = f.insert(at, Op::MaskedStore, Type::Void, &[v, address, c], 0, place);
        f.set_access(masked, access);
        f.remove(store);
        Some(())
    }

    /// Makes one store of those on all ways into a block, at its start.
    fn join(&self, f: &mut Body, stores: &[Inst]) -> Option<()> {
        let at = |i: &&Inst| self.blocks.iter().position(|&b| f.block_of(**i) == Some(b));
        // Blocks become one in their order, so the last one's address is there.
        let last = *stores.iter().max_by_key(at)?;
        let (place, address, access) = (f.place(last), f.arg(last, 1), f.access(last));
        let block = f.succs(f.block_of(last)?).next().map(|e| f.edge_to(e))?;
        let phi = f.insert_phi(block, f.type_of(f.arg(last, 0)), place);
        for &i in stores {
            let slot = f.succs(f.block_of(i)?).next().map(|e| f.edge_slot(e))?;
            f.set_arg(phi, slot, f.arg(i, 0));
        }
        let own = f.insts(block).find(|&i| f.op(i) != Op::Phi).map_or(At::End(block), At::Before);
        let store = f.insert(own, Op::Store, Type::Void, &[Value::inst(phi), address], 0, place);
        f.set_access(store, access);
        stores.iter().for_each(|&i| f.remove(i));
        Some(())
    }

    /// What a phi is, of the ways into its block.
    fn chosen(&self, f: &mut Body, dominators: &Dominators, (b, own): (Block, At), phi: Inst) -> Value {
        let mut ways: Vec<Edge> = f.preds(b).to_vec();
        let at = |f: &Body, e: &Edge| self.blocks.iter().position(|&b| b == f.edge_from(*e));
        ways.sort_by_key(|e| at(f, e));
        let place = f.place(phi);
        let value = |f: &Body, e: Edge| f.arg(phi, f.edge_slot(e));
        let Some(last) = ways.pop() else { return Value::undef(f.ty(phi)) };
        // Of the last two, the one with fewer conditions is asked for.
        let mut other = last;
        if let Some(&before) = ways.last() {
            let sources = [before, last].map(|e| f.edge_from(e));
            let from = self.common(dominators, &sources);
            let cost = |e: Edge| self.size(f, dominators, from, e);
            if cost(last) < cost(before) {
                ways.pop();
                ways.push(last);
                other = before;
            }
        }
        let mut result = value(f, other);
        let mut sources = vec![f.edge_from(other)];
        for &e in ways.iter().rev() {
            sources.push(f.edge_from(e));
            let from = self.common(dominators, &sources);
            let at = (own, place);
            let own = value(f, e);
            let mask = self.of_edge(f, dominators, at, from, e);
            result = match mask {
                _ if own == result => result,
                Mask::True => own,
                Mask::Is(c) => select(f, at, [c, own, result]),
                Mask::Not(c) => select(f, at, [c, result, own]),
            };
        }
        result
    }

    /// The last block that all of these come through.
    fn common(&self, dominators: &Dominators, sources: &[Block]) -> Block {
        let is_common = |b: &&Block| sources.iter().all(|&source| dominators.dominates(**b, source));
        *self.blocks.iter().rev().find(is_common).unwrap_or(&self.blocks[0])
    }

    /// The blocks behind one that are reached from there, up to another one.
    fn between(&self, from: Block, to: Block) -> &[Block] {
        let at = |b: Block| self.blocks.iter().position(|&other| other == b).unwrap_or(0);
        self.blocks.get(at(from)..=at(to)).unwrap_or(&[])
    }

    /// About how many conditions say that an edge is taken, where a block is.
    fn size(&self, f: &Body, dominators: &Dominators, from: Block, e: Edge) -> usize {
        let source = f.edge_from(e);
        let leads = |b: &&Block| dominators.dominates(from, **b) && **b != from;
        let ways = self.between(from, source).iter().filter(leads).map(|&b| f.preds(b).len());
        ways.sum::<usize>() + usize::from(f.succs(source).len() > 1)
    }

    /// What says that an edge is taken, where a block is, that all ways to it come through.
    fn of_edge(&self, f: &mut Body, dominators: &Dominators, at: (At, Place), from: Block, e: Edge) -> Mask {
        let source = f.edge_from(e);
        let mut known: Vec<(Block, Mask)> = vec![(from, Mask::True)];
        for &b in self.between(from, source).iter().skip(1) {
            if !dominators.dominates(from, b) {
                continue;
            }
            let mask = match self.meets(f, dominators, &known, b) {
                Some(mask) => mask,
                None => {
                    let mut all: Option<Mask> = None;
                    for e in f.preds(b).to_vec() {
                        let Some(&(_, mask)) = known.iter().find(|row| row.0 == f.edge_from(e)) else {
                            continue;
                        };
                        let mask = and(f, at, mask, condition(f, e));
                        all = Some(match all {
                            Some(other) => or(f, at, other, mask),
                            None => mask,
                        });
                    }
                    all.unwrap_or(Mask::True)
                }
            };
            known.push((b, mask));
        }
        let mask = known.iter().find(|row| row.0 == source).map_or(Mask::True, |row| row.1);
        and(f, at, mask, condition(f, e))
    }

    /// The condition of the last block whose ways all lead through this one.
    fn meets(&self, f: &Body, dominators: &Dominators, known: &[(Block, Mask)], b: Block) -> Option<Mask> {
        let &(above, mask) = known.iter().rev().find(|row| dominators.dominates(row.0, b))?;
        let mut seen = vec![above];
        let mut open = vec![above];
        let last = self.blocks.last();
        while let Some(at) = open.pop() {
            if Some(&at) == last {
                return None;
            }
            for e in f.succs(at) {
                let to = f.edge_to(e);
                if to != b && !seen.contains(&to) {
                    seen.push(to);
                    open.push(to);
                }
            }
        }
        Some(mask)
    }
}

fn in_order(order: &Order, blocks: &[Block]) -> Vec<Block> {
    let mut blocks = blocks.to_vec();
    blocks.sort_by_key(|&b| order.position[b]);
    blocks
}

/// When an edge is taken.
fn condition(f: &Body, e: Edge) -> Mask {
    let end = f.terminator(f.edge_from(e)).filter(|&end| f.op(end) == Op::CondBr);
    match end {
        Some(end) if f.ways(end).0 == e => Mask::Is(f.arg(end, 0)),
        Some(end) => Mask::Not(f.arg(end, 0)),
        None => Mask::True,
    }
}

fn select(f: &mut Body, (at, place): (At, Place), args: [Value; 3]) -> Value {
    let ty = f.type_of(args[1]);
    Value::inst(f.insert(at, Op::Select, ty, &args, 0, place))
}

fn make(f: &mut Body, (at, place): (At, Place), op: Op, a: Value, b: Value) -> Value {
    Value::inst(f.insert(at, op, Type::I1, &[a, b], 0, place))
}

/// A condition as a value, or its opposite: of a comparison, another one.
fn value(f: &mut Body, at: (At, Place), c: Value, opposite: bool) -> Value {
    if !opposite {
        return c;
    }
    let compare = c.as_inst().filter(|&i| matches!(f.op(i), Op::ICmp | Op::FCmp));
    let Some(compare) = compare else { return make(f, at, Op::Xor, c, Value::bool(true)) };
    let payload = match f.op(compare) {
        Op::ICmp => IntPred::from_payload(f.payload(compare)).inverse() as u32,
        _ => FloatPred::from_payload(f.payload(compare)).inverse() as u32,
    };
    let (op, args) = (f.op(compare), f.args(compare).to_vec());
    Value::inst(f.insert(at.0, op, Type::I1, &args, payload, at.1))
}

fn and(f: &mut Body, at: (At, Place), a: Mask, b: Mask) -> Mask {
    match (a, b) {
        (Mask::True, other) | (other, Mask::True) => other,
        (Mask::Not(a), Mask::Not(b)) => Mask::Not(make(f, at, Op::Or, a, b)),
        (Mask::Is(a), Mask::Is(b)) => Mask::Is(make(f, at, Op::And, a, b)),
        (Mask::Is(a), Mask::Not(b)) | (Mask::Not(b), Mask::Is(a)) => {
            let b = value(f, at, b, true);
            Mask::Is(make(f, at, Op::And, a, b))
        }
    }
}

fn or(f: &mut Body, at: (At, Place), a: Mask, b: Mask) -> Mask {
    match (a, b) {
        (Mask::True, _) | (_, Mask::True) => Mask::True,
        (Mask::Not(a), Mask::Not(b)) => Mask::Not(make(f, at, Op::And, a, b)),
        (Mask::Is(a), Mask::Is(b)) => Mask::Is(make(f, at, Op::Or, a, b)),
        (Mask::Is(a), Mask::Not(b)) | (Mask::Not(b), Mask::Is(a)) => {
            let b = value(f, at, b, true);
            Mask::Is(make(f, at, Op::Or, a, b))
        }
    }
}

/// The stores that all ways into a block end with, if they are to one place, and each round comes to the block: other
/// accesses are in front of them or behind all then.
fn joined(simple: &SimpleLoop, b: Block) -> Option<Vec<Inst>> {
    let f = simple.f;
    let is_join = f.preds(b).len() > 1 && b != simple.header && simple.dominators.dominates(b, simple.latch);
    let last = |e: &Edge| {
        let from = f.edge_from(*e);
        let accesses = f.insts(from).filter(|&i| f.op(i).has(READS) || f.op(i).has(WRITES));
        let stores = f.insts(from).filter(|&i| f.op(i) == Op::Store).count();
        let has_one_way = f.succs(from).count() == 1;
        accesses.last().filter(|&i| f.op(i) == Op::Store && stores == 1 && has_one_way)
    };
    if !is_join {
        return None;
    }
    let stores = f.preds(b).iter().map(last).collect::<Option<Vec<Inst>>>()?;
    let ty = |i: Inst| f.type_of(f.arg(i, 0));
    let first = *stores.first()?;
    let is_one = |&i: &Inst| {
        ty(i) == ty(first) && f.access(i) == f.access(first) && is_same(f, f.arg(i, 1), f.arg(first, 1))
    };
    stores.iter().all(is_one).then_some(stores)
}

/// Steps of addresses that are compared.
const MOST_STEPS: u32 = 4;

/// True if two addresses are one, or are computed alike.
fn is_same(f: &Body, a: Value, b: Value) -> bool {
    let parts = |v: Value| v.as_inst().filter(|&i| f.op(i) == Op::ElemAddr);
    let (mut a, mut b) = (a, b);
    for _ in 0..MOST_STEPS {
        let (Some(x), Some(y)) = (parts(a), parts(b)) else { break };
        if a == b || f.payload(x) != f.payload(y) || f.args(x)[1..] != f.args(y)[1..] {
            break;
        }
        (a, b) = (f.arg(x, 0), f.arg(y, 0));
    }
    a == b
}

/// True of a store that some rounds do to a place that each round accesses, and that may be written to. (What another
/// thread writes while each round reads it means nothing anyway.)
fn is_sided(env: &Env, simple: &SimpleLoop, joined: &[Vec<Inst>], i: Inst) -> bool {
    let f = simple.f;
    let in_each = |i: Inst| f.block_of(i).is_some_and(|b| simple.dominators.dominates(b, simple.latch));
    let has_one_way = f.block_of(i).is_some_and(|b| f.preds(b).len() == 1);
    if f.op(i) != Op::Store || !has_one_way || in_each(i) || joined.iter().any(|stores| stores.contains(&i)) {
        return false;
    }
    let (ty, address) = (f.type_of(f.arg(i, 0)), f.arg(i, 1));
    let is_variable = match base_of(f, address) {
        Base::Own(_) => true,
        Base::Global(global) => !env.globals[global].constant && env.globals[global].func.get().is_none(),
        _ => false,
    };
    let all = simple.loops.blocks(simple.l).iter().flat_map(|&b| f.insts(b)).filter(|&other| in_each(other));
    let mut accesses = all.filter(|&other| match f.op(other) {
        Op::Load => is_variable && f.ty(other) == ty && is_same(f, f.arg(other, 0), address),
        Op::Store => f.type_of(f.arg(other, 0)) == ty && is_same(f, f.arg(other, 1), address),
        _ => false,
    });
    accesses.next().is_some()
}

/// True of a store that is done where a branch goes one way.
fn is_lone(simple: &SimpleLoop, joined: &[Vec<Inst>], i: Inst) -> bool {
    let f = simple.f;
    let fits = |b: Block| !simple.dominators.dominates(b, simple.latch) && f.preds(b).len() == 1;
    f.op(i) == Op::Store
        && matches!(f.type_of(f.arg(i, 0)), Type::I32 | Type::F32)
        && !joined.iter().any(|stores| stores.contains(&i))
        && f.block_of(i).is_some_and(fits)
}

/// True if an instruction may be done in each round.
fn is_harmless(env: &Env, simple: &SimpleLoop, joined: &[Vec<Inst>], i: Inst) -> bool {
    let f = simple.f;
    let is_joined = |i: Inst| joined.iter().any(|stores| stores.contains(&i));
    let in_each =
        |i: Inst| is_joined(i) || f.block_of(i).is_some_and(|b| simple.dominators.dominates(b, simple.latch));
    match f.op(i) {
        _ if f.ty(i).is_vector() => false,
        Op::Phi | Op::Br | Op::CondBr => true,
        Op::Load | Op::Store if in_each(i) => true,
        Op::Load => {
            let mut accesses =
                simple.loops.blocks(simple.l).iter().flat_map(|&b| f.insts(b)).filter(|&i| in_each(i));
            accesses.any(|other| match f.op(other) {
                Op::Load => is_there(env, f, f.arg(i, 0), f.arg(other, 0)),
                Op::Store => is_there(env, f, f.arg(i, 0), f.arg(other, 1)),
                _ => false,
            })
        }
        op => op.has(PURE) && (in_each(i) || !op.has(MAY_TRAP)),
    }
}

/// True if there is something at an address where there is at another one: the same, or with the same subscripts in an
/// object that is at least as large.
fn is_there(env: &Env, f: &Body, at: Value, other: Value) -> bool {
    let bytes = |v: Value| match v.kind() {
        ValueKind::Global(global) => Some(env.shapes.bytes(env.globals[global].shape)),
        ValueKind::Inst(i) if f.op(i) == Op::Alloca => {
            Some(env.shapes.bytes(Shape::new(f.payload(i) as usize)))
        }
        _ => None,
    };
    let parts = |v: Value| v.as_inst().filter(|&i| f.op(i) == Op::ElemAddr);
    if is_same(f, at, other) {
        return true;
    }
    let (Some(x), Some(y)) = (parts(at), parts(other)) else { return false };
    let is_like = f.payload(x) == f.payload(y) && f.args(x)[1..] == f.args(y)[1..];
    is_like && bytes(f.arg(x, 0)).zip(bytes(f.arg(y, 0))).is_some_and(|(own, other)| own >= other)
}
