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
//! | a load of what the round before has stored at the same place | is what was stored (scalar replacement) |
//! | a store to one place in all rounds, which only such loads read | is done by the last one |
//! | the rest | once for each of the n |
//!
//! The inner loop is one block and does the same number of rounds each time; in front of it and behind it the outer
//! loop does not branch. Between the two may stand one more loop of that kind: `i` around `j` around `k`, where rounds of
//! `j` go together already, so that a product takes blocks of two by four from its operands. What the outer loop changes,
//! other than memory, is known without the results of those inside. The order of accesses changes: no two of different rounds may meet where the later one would come first (`dependence`), or
//! they do not as long as the inner loop does not run over the end of a row, which is asked in front. Each sum keeps its
//! order, so floats are what they were.
//!
//! It pays where one instruction of `LEAST_GAIN` is saved in an inner round, and registers suffice: four rounds together,
//! or two. The loop as it was does the rounds that are left (`remainder`). In front of strength reduction, which gives
//! neighbours one pointer. O(instructions of candidates, and the square of their accesses).
//!
//! D. Callahan, S. Carr and K. Kennedy, "Improving register allocation for subscripted variables" (1990); LLVM's
//! `LoopUnrollAndJam`.

mod cost;
mod jam;

use crate::analysis::Evolution;
use crate::analysis::dependence::{Access, Around, Direction, MOST_LOOPS, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::opcode::PURE;
use crate::ir::{Block, Body, Inst, Op, Place, Sort, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remainder::{Remainder, Test, test};
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use cost::Cost;
use jam::jam;

/// The pass.
pub static UNROLL_AND_JAM: FuncPass = FuncPass {
    name: "unroll_and_jam",
    description: "do several rounds of an outer loop in one pass through the inner one",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of an inner round, of all copies,
const MOST_COPIED: usize = 100;
/// accesses of memory in all loops,
const MOST_ACCESSES: usize = 24;
/// and instructions of a round of the outer loop, inner loops once: what is copied and shared is looked up in lists.
const MOST_ROUND: usize = 400;
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

/// Where in a round of the outer loop something stands: in front of the loop inside, in front of the one inside of that, in
/// the innermost loop, and behind each, from 0 on.
type Region = usize;

/// Which nests are looked at, one stage behind the other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stage {
    /// Of three loops, where rounds of the one in between would be left: there would be two loops inside then.
    Rest,
    /// Of two.
    Pairs,
    /// Of three, the two inside of which go together already.
    Blocks,
}

const STAGES: [Stage; 3] = [Stage::Rest, Stage::Pairs, Stage::Blocks];

/// An outer loop, and those inside of it, the innermost one last, which is one block.
#[derive(Copy, Clone)]
struct Shape<'a> {
    outer: SimpleLoop<'a>,
    inner: SimpleLoop<'a>,
    /// The one in between.
    middle: Option<SimpleLoop<'a>>,
}

/// What is done.
struct Plan {
    round: Round,
    preheader: Block,
    /// The headers of the loops inside.
    headers: Vec<Block>,
    /// Where what is copied of a region stands: at the end of this block.
    ends: Vec<Block>,
    factor: u32,
    test: Test,
    remainder: Option<Remainder>,
    parts: Parts,
    /// The inner loop may not do more rounds than this.
    limit: Option<(TripCount, i64)>,
    place: Place,
}

/// The instructions of a round, in order, without those that are done once.
#[derive(Clone, Default)]
struct Parts {
    /// Phis of each loop inside.
    phis: Vec<Vec<Inst>>,
    /// The others of each region.
    regions: Vec<Vec<Inst>>,
    /// Loads, and stores to the same place.
    forwarded: Vec<(Inst, Inst)>,
    /// Stores to the same place in all rounds that go together, of which the last one is left.
    overwritten: Vec<Inst>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_shape = |l: Loop| shape(cx, l, Stage::Pairs).is_some();
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(is_shape) {
        return Outcome::UNCHANGED;
    }
    let size = cx.f.blocks().flat_map(|b| cx.f.insts(b)).count();
    let mut room = size * MOST_GROWTH / 100 + ROOM;
    let (mut changed, mut is_jammed) = (false, false);
    for stage in STAGES {
        changed |= canonicalise(cx, &mut s.closer);
        cx.require(AnalysisSet::EVOLUTION);
        let plans = plans(cx, stage, &mut room);
        if plans.is_empty() {
            continue;
        }
        s.copies.begin(cx.f);
        for plan in &plans {
            cx.f.tell((Sort::Done, "unroll_and_jam"), plan.place, || {
                format!("{} rounds of the loop go through the loop inside together", plan.factor)
            });
            _ = jam(cx.f, &cx.env.shapes, plan, &mut s.copies);
        }
        is_jammed = true;
        cx.analyses.keep(AnalysisSet::NONE);
        cx.require(AnalysisSet::LOOPS);
    }
    // What has been computed is true of the last loops.
    Outcome::changed_if(changed || is_jammed, AnalysisSet::ALL)
}

/// What is done to nests of a kind.
fn plans(cx: &mut FuncCx, stage: Stage, room: &mut usize) -> Vec<Plan> {
    let mut plans = Vec::new();
    for l in cx.analyses.loops.header.keys() {
        match plan(cx, (l, stage), *room) {
            Some(Ok(plan)) => {
                let copied: usize = plan.parts.regions.iter().map(Vec::len).sum();
                *room = room.saturating_sub(copied * plan.factor as usize);
                plans.push(plan);
            }
            Some(Err((place, why))) if stage == Stage::Pairs => {
                cx.f.tell((Sort::Missed, "unroll_and_jam"), place, || {
                    format!("rounds of the loop do not go through the loop inside together: {why}")
                })
            }
            _ => {}
        }
    }
    plans
}

/// A loop of one block and those around it, if they are of that form.
fn shape<'a>(cx: &'a FuncCx, l: Loop, stage: Stage) -> Option<Shape<'a>> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let (&[block], around) = (loops.blocks(l), loops.parent[l].get()?) else { return None };
    let (middle, outer) = match stage {
        Stage::Pairs => (None, around),
        Stage::Rest | Stage::Blocks => (Some(around), loops.parent[around].get()?),
    };
    if f.succs(block).len() != 2 || size(f, block) * FACTORS[1] as usize > MOST_COPIED {
        return None;
    }
    let goes_on = |&b: &Block| {
        let home = loops.innermost[b].get();
        let is_latch = |l: Loop| loops.latches(l) == [b];
        home.is_some_and(|l| Some(l) == middle || l == outer)
            && (home.is_some_and(is_latch) || f.succs(b).len() == 1)
    };
    let insts = || loops.blocks(outer).iter().flat_map(|&b| f.insts(b));
    if !loops.blocks(outer).iter().filter(|&&b| b != block).all(goes_on)
        || insts().take(MOST_ROUND + 1).count() > MOST_ROUND
    {
        return None;
    }
    let shape = Shape::of(cx, (outer, middle, l))?;
    let leaves_rounds = |l: &SimpleLoop| {
        let rounds = l.counted(l.latch).and_then(|counted| l.constant_trips(cx.env, &counted));
        rounds.is_none_or(|rounds| !rounds.is_multiple_of(FACTORS[0]))
    };
    if stage == Stage::Rest && !shape.middle.as_ref().is_some_and(leaves_rounds) {
        return None;
    }
    let is_left = |l: &SimpleLoop| l.is_left_behind_latch() && l.leaves(l.latch).is_some();
    let fits = is_left(&shape.outer) && shape.middle.as_ref().is_none_or(is_left);
    fits.then_some(shape)
}

/// Instructions of an inner round; addresses are mostly offsets of others later on.
fn size(f: &Body, inner: Block) -> usize {
    f.insts(inner).filter(|&i| !matches!(f.op(i), Op::Phi | Op::ElemAddr)).count()
}

impl<'a> Shape<'a> {
    /// An outer loop, perhaps one in between, and the innermost one.
    fn of(cx: &'a FuncCx, (outer, middle, inner): (Loop, Option<Loop>, Loop)) -> Option<Shape<'a>> {
        let [outer, inner] = [cx.analyses.simple_loop(cx.f, outer)?, cx.analyses.simple_loop(cx.f, inner)?];
        let middle = match middle {
            Some(middle) => Some(cx.analyses.simple_loop(cx.f, middle)?),
            None => None,
        };
        Some(Shape { outer, inner, middle })
    }

    /// The loops inside of the outer one.
    fn inside(&self) -> impl Iterator<Item = &SimpleLoop<'a>> {
        self.middle.iter().chain([&self.inner])
    }

    /// How many they are: the region of the innermost one, and half of the last one.
    fn depth(&self) -> usize {
        self.inside().count()
    }

    fn region(&self, b: Block) -> Region {
        let is_in_front = self.inner.dominators.dominates(b, self.inner.header);
        let around = self.inside().filter(|l| l.loops.contains(l.l, b)).count();
        if is_in_front { around } else { 2 * self.depth() - around }
    }

    /// Where copies of what stands in each region are put: in front of a loop, in the innermost one, or at the end of one.
    fn ends(&self) -> Vec<Block> {
        let mut ends: Vec<Block> = self.inside().map(|l| l.preheader).collect();
        let mut latches: Vec<Block> =
            [&self.outer].into_iter().chain(self.inside()).map(|l| l.latch).collect();
        latches.reverse();
        ends.extend(latches);
        ends
    }

    /// All blocks of a round, in order.
    fn order(&self) -> Vec<Block> {
        let mut order = self.outer.loops.blocks(self.outer.l).to_vec();
        order.sort_by_key(|&b| (self.region(b), self.outer.dominators.preorder_number(b)));
        order
    }

    /// True if what a value is in the next round of the outer loop is known in front of the inner one.
    fn is_early(&self, v: Value) -> bool {
        let f = self.outer.f;
        let mut open = vec![v];
        for _ in 0..MOST_STEPS {
            let Some(v) = open.pop() else { return true };
            let Some(i) = v.as_inst().filter(|_| !self.outer.is_outside(v)) else { continue };
            match f.block_of(i).map(|b| self.region(b)) {
                Some(0) => {}
                Some(region) if region == 2 * self.depth() && f.op(i).has(PURE) => {
                    open.extend_from_slice(f.args(i));
                }
                _ => return false,
            }
        }
        false
    }

    /// The instructions of the loops inside that are the same in all rounds of the outer one, where no store
    /// changes what is loaded.
    fn shared(&self, order: &[Block], is_stable: impl Fn(Inst) -> bool) -> Vec<Inst> {
        let f = self.inner.f;
        let mut shared: Vec<Inst> = Vec::new();
        let is_inside = |&&b: &&Block| !self.is_outermost(self.region(b));
        for i in order.iter().filter(is_inside).flat_map(|&b| f.insts(b)) {
            let is_same =
                |v: Value| self.outer.is_outside(v) || v.as_inst().is_some_and(|i| shared.contains(&i));
            let recurs = self.inside().find_map(|l| Some((l, l.phi(Value::inst(i))?)));
            let is_shared = match (f.op(i), recurs) {
                (Op::Phi, Some((l, (first, next)))) => {
                    let step = l.added(next, Value::inst(i));
                    is_same(first) && step.is_some_and(|step| self.outer.is_outside(step))
                }
                (Op::Load, _) => is_same(f.arg(i, 0)) && is_stable(i),
                (op, _) => {
                    let computes = op.has(PURE) || op == Op::Phi || op.is_terminator();
                    computes && f.args(i).iter().all(|&v| is_same(v))
                }
            };
            if is_shared {
                shared.push(i);
            }
        }
        shared
    }

    /// True for what stands in no loop inside.
    fn is_outermost(&self, region: Region) -> bool {
        region == 0 || region == 2 * self.depth()
    }
}

/// Why a loop stays as it is.
type Why = &'static str;

/// None for a loop that is not of the form at all.
fn plan(cx: &mut FuncCx, (l, stage): (Loop, Stage), room: usize) -> Option<Result<Plan, (Place, Why)>> {
    let found = shape(cx, l, stage)?;
    let test = test(cx, &found.outer);
    let loops = (found.outer.l, found.middle.map(|middle| middle.l), l);
    // What dependence asks of evolution has it note products.
    let mut evolution = std::mem::take(&mut cx.analyses.evolution);
    let plan = Shape::of(cx, loops).map(|shape| {
        let plan = plan_of(cx, &mut evolution, &shape, (test, stage, room));
        plan.map_err(|why| (place_of_loop(cx.f, cx.analyses, shape.outer.l), why))
    });
    cx.analyses.evolution = evolution;
    plan
}

fn plan_of(
    cx: &FuncCx,
    evolution: &mut Evolution,
    shape: &Shape,
    (test, stage, room): (Option<Test>, Stage, usize),
) -> Result<Plan, Why> {
    let &Shape { outer, inner, .. } = shape;
    let f = outer.f;
    let round = Round::of(&outer).ok_or("it is left in several places")?;
    for l in shape.inside() {
        let counted = l.counted(l.latch).ok_or("the loop inside does not count")?;
        if !outer.is_outside(counted.first) || !outer.is_outside(counted.bound) {
            return Err("the loop inside does not do the same rounds each time");
        }
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
    let depth = shape.depth();
    let any = [Direction::Any; MOST_LOOPS];
    let is_stable = |i: Inst| {
        let Some((_, load)) = accesses.iter().find(|(_, access)| access.inst == i) else { return false };
        let is_inside =
            |&&(region, ref access): &&(Region, Access)| access.is_write && !shape.is_outermost(region);
        accesses.iter().filter(is_inside).all(|(_, store)| !nest.may_meet(store, load, &any))
    };
    let order = shape.order();
    let shared = shape.shared(&order, is_stable);
    let headers: Vec<Block> = shape.inside().map(|l| l.header).collect();
    let mut parts = Parts {
        phis: vec![Vec::new(); depth],
        regions: vec![Vec::new(); 2 * depth + 1],
        forwarded: Vec::new(),
        overwritten: Vec::new(),
    };
    for &b in &order {
        for i in f.insts(b).filter(|&i| !f.op(i).is_terminator() && !shared.contains(&i)) {
            let of = headers.iter().position(|&header| header == b).filter(|_| f.op(i) == Op::Phi);
            match of {
                Some(k) => parts.phis[k].push(i),
                None if f.op(i) == Op::Phi && b == outer.header => {}
                None => parts.regions[shape.region(b)].push(i),
            }
        }
    }
    // What is loaded is what the round before has stored; what the next round stores there need not be stored.
    let in_loop: Vec<&Access> = accesses.iter().filter(|a| a.0 == depth).map(|a| &a.1).collect();
    let mut together = [Direction::Equal; MOST_LOOPS];
    together[0] = Direction::Any;
    for (k, store) in in_loop.iter().enumerate().filter(|(_, store)| store.is_write && nest.stays(store, 0)) {
        let load = in_loop[..k].iter().rfind(|load| !load.is_write && nest.is_same(load, store));
        let load =
            load.filter(|load| f.type_of(f.arg(store.inst, 0)) == f.ty(load.inst)).map(|load| load.inst);
        // Nothing else looks there in the same round of the inner loop.
        let is_other = |access: &&&Access| Some(access.inst) != load && access.inst != store.inst;
        let mut others = in_loop.iter().filter(is_other).filter(|other| load.is_some() || !other.is_write);
        if others.all(|other| !nest.may_meet(other, store, &together)) {
            parts.overwritten.push(store.inst);
            parts.forwarded.extend(load.map(|load| (load, store.inst)));
        }
    }
    let cost = Cost::of(cx, shape, (&nest, &accesses), &shared, &parts);
    let fits = |factor: u32| {
        let is_address = |i: &&Inst| f.op(**i) == Op::ElemAddr;
        let addresses = parts.regions[depth].iter().filter(is_address).count();
        let size = (parts.regions[depth].len() - addresses) * factor as usize + shared.len();
        let has_rounds = test.usual.is_none_or(|rounds| rounds >= 2 * factor);
        // The loop in between takes as many again.
        let blocks = if stage == Stage::Rest { FACTORS[1] } else { 1 };
        size <= MOST_COPIED.min(room)
            && has_rounds
            && cost.fits(cx, factor * blocks)
            && (blocks == 1 || factor == FACTORS[1])
    };
    if cost.saved * LEAST_GAIN < cost.all {
        return Err("its rounds have too little in common");
    }
    if !fits(FACTORS[1]) {
        return Err("two of its rounds are too large, or take too many registers");
    }
    let mut limit = None;
    let mut factor =
        FACTORS.into_iter().find(|&factor| fits(factor) && is_legal(shape, &nest, &accesses, factor));
    if factor.is_none() {
        // As long as the inner loop stays in a row.
        let strides = accesses
            .iter()
            .filter_map(|(_, access)| Some([nest.stride(access, 0)?, nest.stride(access, depth)?]));
        let rows = strides.filter(|strides| !strides.contains(&0)).map(|[row, step]| row.abs() / step.abs());
        let why = "accesses of its rounds may meet in another order";
        let rounds = rows.min().filter(|&rounds| rounds > 1 && shape.middle.is_none()).ok_or(why)?;
        let trips = inner.trip_count(cx.env).or_else(|| inner.trip_count_up_to());
        let trips = trips.filter(|trips| matches!(trips, TripCount::Distance(..))).ok_or(why)?;
        nest.assume(rounds);
        limit = Some((trips, rounds));
        factor =
            FACTORS.into_iter().find(|&factor| fits(factor) && is_legal(shape, &nest, &accesses, factor));
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
        headers,
        ends: shape.ends(),
        factor,
        test,
        remainder,
        parts,
        limit,
        place: place_of_loop(f, cx.analyses, outer.l),
    })
}

/// True if no two accesses of different rounds that go together meet where the later one would come first.
fn is_legal(shape: &Shape, nest: &Nest, accesses: &[(Region, Access)], factor: u32) -> bool {
    let (later, depth) = (Direction::Later(i64::from(factor) - 1), shape.depth());
    let changes_places = |(first, a): &(Region, Access), (second, b): &(Region, Access)| {
        // In which rounds of the loops inside that hold both the second one comes first.
        let [mut order, same] = [[Direction::Any; MOST_LOOPS], [Direction::Equal; MOST_LOOPS]];
        order[0] = later;
        let holds = |region: Region| region.min(2 * depth - region);
        let together = holds(*first).min(holds(*second));
        let mut earlier = (1..=together).map(|level| {
            let mut directions = order;
            directions[1..level].copy_from_slice(&same[1..level]);
            directions[level] = Direction::Earlier;
            directions
        });
        let mut in_same = order;
        in_same[1..=together].copy_from_slice(&same[1..=together]);
        (a.is_write || b.is_write)
            && (earlier.any(|directions| nest.may_meet(a, b, &directions))
                || second < first && nest.may_meet(a, b, &in_same))
    };
    !accesses.iter().any(|a| accesses.iter().any(|b| changes_places(a, b)))
}

#[cfg(test)]
mod tests;
