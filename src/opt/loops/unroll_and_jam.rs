//! Unroll and jam: several rounds of an outer loop go through the loop inside of it together, so that what their rounds
//! have in common is done once.
//!
//! ```text
//! for (j = 0; j < n; j++)               for (j = 0; j + 3 < n; j += 4)
//!   for (k = 0; k < m; k++)               for (k = 0; k < m; k++) {
//!     c[j] += a[k] * b[k][j];               x = a[k];
//!                                            c[j] += x * b[k][j]; ... c[j + 3] += x * b[k][j + 3];
//!                                          }
//! ```
//!
//! | in the inner loop | in the round of n together |
//! | --- | --- |
//! | what the outer loop does not change, loads too | is done once |
//! | a load of what the round before has stored at the same place | is what was stored; only the last one stores (scalar replacement) |
//! | the rest | once for each of the n |
//!
//! The inner loop is one block and does the same number of rounds each time; in front of it and behind it the outer
//! loop does not branch. What the outer loop changes, other than memory, is known without the inner loop's results. The
//! order of accesses changes: no two of different rounds may meet where the later one would come first (`dependence`), or
//! they do not as long as the inner loop does not run over the end of a row, which is asked in front. Each sum keeps its
//! order, so floats are what they were.
//!
//! It pays where one instruction of `LEAST_GAIN` is saved in an inner round, and registers suffice: four rounds together,
//! or two. The loop as it was does the rounds that are left (`remainder`). In front of strength reduction, which gives
//! neighbours one pointer. O(instructions of candidates, and the square of their accesses).
//!
//! D. Callahan, S. Carr and K. Kennedy, "Improving register allocation for subscripted variables" (1990); LLVM's
//! `LoopUnrollAndJam`.

use crate::analysis::Evolution;
use crate::analysis::dependence::{Access, Around, Direction, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Inst, IntPred, Op, Place, Shapes, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{CANONICAL_CFG, Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::exit_values::count;
use crate::opt::loops::remainder::{Remainder, Test, compare, test};
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static UNROLL_AND_JAM: FuncPass = FuncPass {
    name: "unroll_and_jam",
    description: "do several rounds of an outer loop in one pass through the inner one",
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of an inner round, of all copies,
const MOST_COPIED: usize = 100;
/// and accesses of memory in both loops.
const MOST_ACCESSES: usize = 24;
/// One instruction of so many has to be saved.
const LEAST_GAIN: usize = 8;
/// Rounds together.
const FACTORS: [u32; 2] = [4, 2];
/// Instructions in which a value for the next round may be computed behind the inner loop.
const MOST_STEPS: usize = 8;
/// How much a function may grow, in percent of its instructions, and instructions beyond.
const MOST_GROWTH: usize = 50;
const ROOM: usize = 200;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

/// Where in a round of the outer loop something stands.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Region {
    InFront,
    Inside,
    Behind,
}

/// An outer loop that is one block, the inner loop, and what leads there and on.
#[derive(Copy, Clone)]
struct Shape<'a> {
    outer: SimpleLoop<'a>,
    inner: SimpleLoop<'a>,
}

/// What is done.
struct Plan {
    round: Round,
    preheader: Block,
    inner: Block,
    /// In front of the inner loop.
    front: Block,
    factor: u32,
    test: Test,
    remainder: Option<Remainder>,
    parts: Parts,
    /// The inner loop may not do more rounds than this.
    limit: Option<(TripCount, i64)>,
    place: Place,
}

/// The instructions of a round, in order.
#[derive(Clone, Default)]
struct Parts {
    in_front: Vec<Inst>,
    /// Phis of the inner loop and its other instructions, without those that are done once.
    phis: Vec<Inst>,
    inside: Vec<Inst>,
    behind: Vec<Inst>,
    /// Loads, and stores to the same place.
    forwarded: Vec<(Inst, Inst)>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_shape = |l: Loop| shape(cx, l).is_some();
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(is_shape) {
        return Outcome::UNCHANGED;
    }
    let changed = canonicalise(cx, &mut s.closer);
    cx.require(AnalysisSet::EVOLUTION);
    let size = cx.f.blocks().flat_map(|b| cx.f.insts(b)).count();
    let mut room = size * MOST_GROWTH / 100 + ROOM;
    let mut plans = Vec::new();
    for l in cx.analyses.loops.header.keys() {
        match plan(cx, l, room) {
            Some(Ok(plan)) => {
                room = room.saturating_sub(plan.parts.inside.len() * plan.factor as usize);
                plans.push(plan);
            }
            Some(Err((place, why))) => cx.f.tell((Sort::Missed, "unroll_and_jam"), place, || {
                format!("rounds of the loop do not go through the loop inside together: {why}")
            }),
            None => {}
        }
    }
    s.copies.begin(cx.f);
    for plan in &plans {
        cx.f.tell((Sort::Done, "unroll_and_jam"), plan.place, || {
            format!("{} rounds of the loop go through the loop inside together", plan.factor)
        });
        _ = jam(cx.f, &cx.env.shapes, plan, &mut s.copies);
    }
    Outcome::changed_if(
        changed || !plans.is_empty(),
        if plans.is_empty() { CANONICAL_CFG } else { AnalysisSet::NONE },
    )
}

/// A loop of one block and the loop around it, if they are of that form.
fn shape<'a>(cx: &'a FuncCx, l: Loop) -> Option<Shape<'a>> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let (&[block], outer) = (loops.blocks(l), loops.parent[l].get()?) else { return None };
    let own = |&&b: &&Block| b != block;
    let goes_on = |&b: &Block| {
        loops.innermost[b].get() == Some(outer) && (loops.latches(outer) == [b] || f.succs(b).len() == 1)
    };
    if !loops.blocks(outer).iter().filter(own).all(goes_on) {
        return None;
    }
    let [outer, inner] = [cx.analyses.simple_loop(f, outer)?, cx.analyses.simple_loop(f, l)?];
    let fits =
        outer.is_left_behind_latch() && outer.leaves(outer.latch).is_some() && f.succs(block).len() == 2;
    Some(Shape { outer, inner }).filter(|shape| fits && shape.size() * FACTORS[1] as usize <= MOST_COPIED)
}

impl Shape<'_> {
    /// Instructions of an inner round; addresses are mostly offsets of others later on.
    fn size(&self) -> usize {
        let f = self.inner.f;
        f.insts(self.inner.header).filter(|&i| !matches!(f.op(i), Op::Phi | Op::ElemAddr)).count()
    }

    fn region(&self, b: Block) -> Region {
        match self.inner.dominators.dominates(b, self.inner.header) {
            _ if b == self.inner.header => Region::Inside,
            true => Region::InFront,
            false => Region::Behind,
        }
    }

    /// True if what a value is in the next round of the outer loop is known in front of the inner one.
    fn is_early(&self, v: Value) -> bool {
        let f = self.outer.f;
        let mut open = vec![v];
        for _ in 0..MOST_STEPS {
            let Some(v) = open.pop() else { return true };
            let Some(i) = v.as_inst().filter(|_| !self.outer.is_outside(v)) else { continue };
            match f.block_of(i).map(|b| self.region(b)) {
                Some(Region::InFront) => {}
                Some(Region::Behind) if f.op(i).has(PURE) => open.extend_from_slice(f.args(i)),
                _ => return false,
            }
        }
        false
    }

    /// The instructions of the inner loop that are the same in all rounds of the outer one, where no store
    /// changes what is loaded.
    fn shared(&self, is_stable: impl Fn(Inst) -> bool) -> Vec<Inst> {
        let f = self.inner.f;
        let mut shared: Vec<Inst> = Vec::new();
        for i in f.insts(self.inner.header) {
            let is_same =
                |v: Value| self.outer.is_outside(v) || v.as_inst().is_some_and(|i| shared.contains(&i));
            let is_shared = match f.op(i) {
                Op::Phi => self.inner.phi(Value::inst(i)).is_some_and(|(first, next)| {
                    let step = self.inner.added(next, Value::inst(i));
                    is_same(first) && step.is_some_and(|step| self.outer.is_outside(step))
                }),
                Op::Load => is_same(f.arg(i, 0)) && is_stable(i),
                op => (op.has(PURE) || op.is_terminator()) && f.args(i).iter().all(|&v| is_same(v)),
            };
            if is_shared {
                shared.push(i);
            }
        }
        shared
    }
}

/// Why a loop stays as it is.
type Why = &'static str;

/// None for a loop that is not of the form at all.
fn plan(cx: &mut FuncCx, l: Loop, room: usize) -> Option<Result<Plan, (Place, Why)>> {
    let test = test(cx, &shape(cx, l)?.outer);
    // What dependence asks of evolution has it note products.
    let mut evolution = std::mem::take(&mut cx.analyses.evolution);
    let plan = shape(cx, l).map(|shape| {
        let plan = plan_of(cx, &mut evolution, &shape, (test, room));
        plan.map_err(|why| (place_of_loop(cx.f, cx.analyses, shape.outer.l), why))
    });
    cx.analyses.evolution = evolution;
    plan
}

fn plan_of(
    cx: &FuncCx,
    evolution: &mut Evolution,
    shape: &Shape,
    (test, room): (Option<Test>, usize),
) -> Result<Plan, Why> {
    let &Shape { outer, inner } = shape;
    let f = outer.f;
    let round = Round::of(&outer).ok_or("it is left in several places")?;
    let counted = inner.counted(inner.latch).ok_or("the loop inside does not count")?;
    if !outer.is_outside(counted.first) || !outer.is_outside(counted.bound) {
        return Err("the loop inside does not do the same rounds each time");
    }
    if !round.nexts(f).iter().all(|&next| shape.is_early(next)) {
        return Err("the next round needs what the loop inside computes");
    }
    let test = test.ok_or("how often it goes round is not known in front of it")?;
    let around = Around { env: cx.env, f, loops: outer.loops, dominators: outer.dominators };
    let mut nest = Nest::of(around, evolution, outer.l, inner.l).ok_or("the loops are not simple")?;
    let mut accesses: Vec<(Region, Access)> = Vec::new();
    for &b in outer.loops.blocks(outer.l) {
        for i in f.insts(b) {
            let op = f.op(i);
            if op.has(PURE) || op == Op::Phi || op.is_terminator() {
                if f.ty(i).is_vector() {
                    return Err("it computes with vectors");
                }
                continue;
            }
            if accesses.len() == MOST_ACCESSES {
                return Err("it accesses memory in many places");
            }
            let access = nest.access(around, evolution, i);
            accesses.push((shape.region(b), access.ok_or("it does more than compute, load and store")?));
        }
    }
    let inside = |region: &Region| *region == Region::Inside;
    let any = [Direction::Any; 2];
    let is_stable = |i: Inst| {
        let Some((_, load)) = accesses.iter().find(|(_, access)| access.inst == i) else { return false };
        let mut stores = accesses.iter().filter(|(region, access)| inside(region) && access.is_write);
        stores.all(|(_, store)| !nest.may_meet(store, load, &any))
    };
    let shared = shape.shared(is_stable);
    let mut parts = Parts::default();
    let mut order: Vec<Block> = round.blocks.clone();
    order.sort_by_key(|&b| (shape.region(b), outer.dominators.preorder_number(b)));
    for &b in &order {
        for i in f.insts(b).filter(|&i| !f.op(i).is_terminator() && !shared.contains(&i)) {
            match shape.region(b) {
                Region::InFront if f.op(i) == Op::Phi && b == outer.header => {}
                Region::InFront => parts.in_front.push(i),
                Region::Inside if f.op(i) == Op::Phi => parts.phis.push(i),
                Region::Inside => parts.inside.push(i),
                Region::Behind => parts.behind.push(i),
            }
        }
    }
    // What is loaded is what the round before has stored.
    let in_loop: Vec<&Access> = accesses.iter().filter(|a| inside(&a.0)).map(|a| &a.1).collect();
    for (k, load) in in_loop.iter().enumerate().filter(|(_, load)| !load.is_write) {
        let store = in_loop[k + 1..].iter().find(|store| store.is_write && nest.is_same(load, store, 0));
        let Some(store) = store.filter(|store| f.type_of(f.arg(store.inst, 0)) == f.ty(load.inst)) else {
            continue;
        };
        // Nothing else looks there in the same round of the inner loop.
        let together = [Direction::Any, Direction::Equal];
        let is_other = |access: &&&Access| access.inst != load.inst && access.inst != store.inst;
        if in_loop.iter().filter(is_other).all(|other| !nest.may_meet(other, store, &together)) {
            parts.forwarded.push((load.inst, store.inst));
        }
    }
    let cost = Cost::of(cx, shape, (&nest, &accesses), &shared, &parts);
    let fits = |factor: u32| {
        let is_address = |i: &&Inst| f.op(**i) == Op::ElemAddr;
        let addresses = parts.inside.iter().filter(is_address).count();
        let size = (parts.inside.len() - addresses) * factor as usize + shared.len();
        let has_rounds = test.rounds.is_none_or(|rounds| rounds >= 2 * factor);
        size <= MOST_COPIED.min(room) && has_rounds && cost.fits(cx, factor)
    };
    if cost.saved * LEAST_GAIN < cost.all {
        return Err("its rounds have too little in common");
    }
    if !fits(FACTORS[1]) {
        return Err("two of its rounds are too large, or take too many registers");
    }
    let mut limit = None;
    let mut factor = FACTORS.into_iter().find(|&factor| fits(factor) && is_legal(&nest, &accesses, factor));
    if factor.is_none() {
        // As long as the inner loop stays in a row.
        let strides = accesses
            .iter()
            .filter_map(|(_, access)| Some([nest.stride(access, 0)?, nest.stride(access, 1)?]));
        let rows = strides.filter(|strides| !strides.contains(&0)).map(|[row, step]| row.abs() / step.abs());
        let why = "accesses of its rounds may meet in another order";
        let rounds = rows.min().filter(|&rounds| rounds > 1).ok_or(why)?;
        let trips = inner.trip_count(cx.env).or_else(|| inner.trip_count_up_to());
        let trips = trips.filter(|trips| matches!(trips, TripCount::Distance(..))).ok_or(why)?;
        nest.assume(rounds);
        limit = Some((trips, rounds));
        factor = FACTORS.into_iter().find(|&factor| fits(factor) && is_legal(&nest, &accesses, factor));
    }
    let factor = factor.ok_or("accesses of its rounds may meet in another order")?;
    let exact = limit.is_none() && test.rounds.is_some_and(|rounds| rounds.is_multiple_of(factor));
    let remainder = if exact {
        None
    } else {
        Some(Remainder::of(cx, &outer, (test, factor)).ok_or("its bound may be too large")?)
    };
    Ok(Plan {
        round,
        preheader: outer.preheader,
        inner: inner.header,
        front: inner.preheader,
        factor,
        test,
        remainder,
        parts,
        limit,
        place: place_of_loop(f, cx.analyses, outer.l),
    })
}

/// True if no two accesses of different rounds that go together meet where the later one would come first.
fn is_legal(nest: &Nest, accesses: &[(Region, Access)], factor: u32) -> bool {
    let later = Direction::Later(i64::from(factor) - 1);
    let changes_places = |(first, a): &(Region, Access), (second, b): &(Region, Access)| {
        let other = match (second < first, *first == Region::Inside && first == second) {
            (true, _) => Direction::Any,
            (_, true) => Direction::Earlier,
            _ => return false,
        };
        (a.is_write || b.is_write) && nest.may_meet(a, b, &[later, other])
    };
    !accesses.iter().any(|a| accesses.iter().any(|b| changes_places(a, b)))
}

/// What a round of the inner loop costs, and what it takes.
struct Cost {
    /// Instructions, without steps of what unrolling moves on by constants,
    all: usize,
    /// and those that need not be done for each of the rounds that go together.
    saved: usize,
    /// Registers for integers and for floating numbers: for all rounds together, and for each.
    shared: [usize; 2],
    own: [usize; 2],
}

impl Cost {
    fn of(
        cx: &FuncCx,
        shape: &Shape,
        (nest, accesses): (&Nest, &[(Region, Access)]),
        shared: &[Inst],
        parts: &Parts,
    ) -> Cost {
        let f = shape.inner.f;
        let mut cost = Cost { all: 0, saved: 2 * parts.forwarded.len(), shared: [3, 0], own: [0, 0] };
        let offset = i64::from(cx.target.offset);
        let step = shape
            .inner
            .counted(shape.inner.latch)
            .map(|counted| (Value::inst(counted.compare), counted.next));
        let counts =
            |i: Inst| step.is_some_and(|(test, next)| Value::inst(i) == test || Value::inst(i) == next);
        let kind = |v: Value| usize::from(f.type_of(v) == Type::F32);
        let computes =
            |i: Inst| !matches!(f.op(i), Op::Phi | Op::ElemAddr) && !f.op(i).is_terminator() && !counts(i);
        cost.saved += shared.iter().filter(|&&i| computes(i)).count();
        cost.all += f.insts(shape.inner.header).filter(|&i| computes(i)).count();
        for (_, access) in accesses.iter().filter(|(region, _)| *region == Region::Inside) {
            let [row, step] = [0, 1].map(|level| nest.stride(access, level));
            // Pointers that unrolling cannot make offsets of one.
            let is_far = step.is_none_or(|step| step.abs() * 3 > offset);
            let is_one = row.is_some_and(|row| row.abs() * 3 <= offset);
            cost.all += usize::from(is_far);
            cost.saved += usize::from(is_far && is_one);
            cost.shared[0] += usize::from(is_one);
            cost.own[0] += usize::from(!is_one);
        }
        // Four rounds are one in vectors (`slp_vectorize`), if what they load are neighbours and sums are all that
        // comes of it.
        let forwarded = |i: Inst| parts.forwarded.iter().any(|pair| pair.0 == i || pair.1 == i);
        let mut inside =
            accesses.iter().filter(|(region, a)| *region == Region::Inside && !forwarded(a.inst));
        let is_near = |stride: Option<i64>| matches!(stride, Some(0 | 4));
        let has_vectors = cx.target.vectors.are_there() && parts.forwarded.is_empty();
        if has_vectors
            && inside.clone().any(|(_, access)| nest.stride(access, 0) == Some(4))
            && inside.all(|(_, access)| !access.is_write && is_near(nest.stride(access, 0)))
        {
            cost.saved = cost.all;
        }
        // Loads of what another one loads in one of the next rounds.
        let loads =
            || accesses.iter().filter(|(region, a)| *region == Region::Inside && !a.is_write).map(|(_, a)| a);
        let comes_again = |a: &&Access| {
            loads().any(|b| {
                nest.lead(a, b, 0).is_some_and(|rounds| (1..i64::from(FACTORS[0])).contains(&rounds))
            })
        };
        cost.saved += loads().filter(comes_again).count();
        for &phi in &parts.phis {
            cost.own[kind(Value::inst(phi))] += 1;
        }
        let mut seen: Vec<Value> = Vec::new();
        for i in f.insts(shape.inner.header).filter(|&i| !matches!(f.op(i), Op::Phi | Op::ElemAddr)) {
            for &v in f.args(i) {
                if v.as_inst().is_none() || !shape.inner.is_outside(v) || seen.contains(&v) {
                    continue;
                }
                seen.push(v);
                let of = if shape.outer.is_outside(v) { &mut cost.shared } else { &mut cost.own };
                of[kind(v)] += 1;
            }
        }
        cost
    }

    fn fits(&self, cx: &FuncCx, factor: u32) -> bool {
        let take = |kind: usize| self.shared[kind] + self.own[kind] * factor as usize;
        (0..2).all(|kind| take(kind) < cx.target.registers[kind] as usize)
    }
}

/// What stands for the values of a round in one of those that go together.
#[derive(Clone, Default)]
struct Map(Vec<(Inst, Value)>);

impl Map {
    fn get(&self, v: Value) -> Value {
        let known = |i: Inst| self.0.iter().rev().find(|row| row.0 == i).map(|row| row.1);
        v.as_inst().and_then(known).unwrap_or(v)
    }

    fn set(&mut self, i: Inst, v: Value) {
        self.0.push((i, v));
    }

    /// Copies an instruction to the end of a block, or a phi for what leaves a loop to where it stands.
    fn copy(&mut self, f: &mut Body, at: Block, i: Inst) {
        let args: Vec<Value> = f.args(i).iter().map(|&v| self.get(v)).collect();
        let (op, ty, payload, place) = (f.op(i), f.ty(i), f.payload(i), f.place(i));
        let copy = match f.block_of(i).filter(|_| op == Op::Phi) {
            Some(b) => f.insert_phi(b, ty, place),
            None => f.insert(At::BeforeTerminator(at), op, ty, &args, payload, place),
        };
        if op == Op::Phi {
            args.iter().enumerate().for_each(|(k, &v)| f.set_arg(copy, k, v));
        }
        self.set(i, Value::inst(copy));
    }

    /// What a value is, computed at the end of a block if it is not there.
    fn early(&mut self, f: &mut Body, at: Block, behind: &[Inst], v: Value) -> Value {
        // Operands first: as many steps as have been looked at.
        let mut open = vec![v];
        let mut order: Vec<Inst> = Vec::new();
        while let Some(v) = open.pop() {
            let late = v.as_inst().filter(|i| behind.contains(i) && self.get(v) == v);
            if let Some(i) = late {
                order.retain(|&other| other != i);
                order.push(i);
                open.extend_from_slice(f.args(i));
            }
        }
        for i in order.into_iter().rev() {
            self.copy(f, at, i);
        }
        self.get(v)
    }
}

/// Lets the rounds go together.
fn jam(f: &mut Body, shapes: &Shapes, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let is_exact = plan.remainder.is_none();
    let (mut round, mut parts, mut inner, mut front) =
        (plan.round.clone(), plan.parts.clone(), plan.inner, plan.front);
    let mut test = plan.test;
    if !is_exact {
        round = plan.round.copy(f, copies)?;
        let value = |v: Value| Round::value(copies, v);
        let inst = |i: Inst| value(Value::inst(i)).as_inst().unwrap_or(i);
        for list in [&mut parts.in_front, &mut parts.phis, &mut parts.inside, &mut parts.behind] {
            list.iter_mut().for_each(|i| *i = inst(*i));
        }
        parts.forwarded.iter_mut().for_each(|pair| *pair = (inst(pair.0), inst(pair.1)));
        (inner, front) = (copies.blocks[inner].get()?, copies.blocks[front].get()?);
        test.next = value(test.next);
        plan.round.forget(f, copies);
    }
    let (nexts, results) = (round.nexts(f), round.results(f));
    let mut back = f.preds(inner).iter().copied().filter(|&e| f.edge_from(e) == inner);
    let enters = f.preds(inner).iter().copied().find(|&e| f.edge_from(e) != inner)?;
    let (enters, back) = (f.edge_slot(enters), f.edge_slot(back.next()?));
    // The first round is there. What the phis are in each is computed in front of the inner loop.
    let mut maps = vec![Map::default(); plan.factor as usize];
    for k in 1..=maps.len() {
        let values: Vec<Value> =
            nexts.iter().map(|&next| maps[k - 1].early(f, front, &parts.behind, next)).collect();
        if let Some(map) = maps.get_mut(k) {
            round.phis.iter().zip(values).for_each(|(&phi, v)| map.set(phi, v));
            parts.in_front.iter().for_each(|&i| map.copy(f, front, i));
        }
    }
    for k in 1..maps.len() {
        let (earlier, later) = maps.split_at_mut(k);
        let (Some(before), Some(map)) = (earlier.last(), later.first_mut()) else { break };
        for &phi in &parts.phis {
            let copy = f.insert_phi(inner, f.ty(phi), f.place(phi));
            f.set_arg(copy, enters, map.get(f.arg(phi, enters)));
            map.set(phi, Value::inst(copy));
        }
        for &i in &parts.inside {
            let is_store = parts.forwarded.iter().any(|pair| pair.1 == i);
            if let Some(&(_, store)) = parts.forwarded.iter().find(|pair| pair.0 == i) {
                let v = before.get(f.arg(store, 0));
                map.set(i, v);
            } else if !is_store || k + 1 == plan.factor as usize {
                map.copy(f, inner, i);
            }
        }
        for &phi in &parts.phis {
            if let Some(copy) = map.get(Value::inst(phi)).as_inst() {
                f.set_arg(copy, back, map.get(f.arg(phi, back)));
            }
        }
        for &i in &parts.behind {
            if map.get(Value::inst(i)) == Value::inst(i) {
                map.copy(f, round.latch, i);
            }
        }
    }
    parts.forwarded.iter().for_each(|&(_, store)| f.remove(store));
    let last = maps.last_mut()?;
    let mut early = |v: Value| last.early(f, front, &parts.behind, v);
    let next = early(test.next);
    let nexts: Vec<Value> = nexts.into_iter().map(early).collect();
    let results: Vec<(Inst, Value)> = results.into_iter().map(|(phi, v)| (phi, last.get(v))).collect();
    round.enter(f, round.back, &nexts);
    let Some(remainder) = &plan.remainder else {
        let slot = f.edge_slot(round.out);
        results.iter().for_each(|&(phi, v)| f.set_arg(phi, slot, v));
        return round.test(f, plan.place, (test.goes_on, next, test.bound));
    };
    let at = (At::BeforeTerminator(plan.preheader), plan.place);
    let fits = plan.limit.map(|(trips, most)| {
        let (trips, most) = (count(f, at, trips), f.int(most as i32));
        compare(f, at, IntPred::Ule, trips, most)
    });
    remainder.add(f, shapes, (&plan.round, plan.place), (&[round], next), (&nexts, &results), fits)
}

#[cfg(test)]
mod tests;
