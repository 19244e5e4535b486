//! Loop interchange: where the innermost loop of a nest walks memory in long strides and one around it in short ones, that one
//! goes innermost.
//!
//! ```text
//! for (j = 0; j < n; j++)               for (i = 0; i < m; i++)
//!   for (i = 0; i < m; i++)               for (j = 0; j < n; j++)
//!     b[i][j] += a[i][j] * 3;               b[i][j] += a[i][j] * 3;
//! ```
//!
//! The nest is perfect: each loop holds the next one and computes, the innermost one is a block, and all are left behind their
//! latches. What they count begins, ends and goes up by what the nest does not change, so the iteration space is a box, and
//! no value is carried from round to round but induction variables: sums keep their order.
//!
//! **Legal** if no two accesses meet, one of them a store, where a loop says later and one that goes around it says earlier
//! (`dependence`): such a pair would change places. A load that stands in front of the loop inside goes into it, if no store
//! of the nest ever meets it.
//!
//! **It pays** by cache lines: an access whose stride in the innermost loop is 0 touches none, or three quarters if it is a
//! store, below a line the stride's part of one, else one a round; accesses that always share a line count once. A quarter
//! has to be saved, and a line is worth `LINE_COST` instructions of those that are computed again in each round because what
//! they depend on goes innermost. All loops stand in the order of what they would cost innermost, if that is legal; if not, one goes there.
//!
//! Behind `promote`: with `c[i][j] += a[i][k] * b[k][j]` in the order ijk the sum stays in a register, and `unroll_and_jam`
//! takes four columns together. In the order ikj such a product executes 6 to 7% more (56 rounds each, all three targets).
//!
//! Counters change places, blocks stay: the induction variables and the test of each loop move to another level, and each
//! computation to the front of the outermost level that it depends on. O(instructions of nests, the square of their accesses).
//!
//! J. Allen and K. Kennedy, "Automatic loop interchange" (1984); for the costs S. Carr, K. McKinley and C.-W. Tseng, "Compiler
//! optimizations for improving data locality" (1994). LLVM's `LoopInterchange`, gcc's `-floop-interchange`.

mod memory;

use crate::analysis::Evolution;
use crate::analysis::dependence::MOST_LOOPS;
use crate::analysis::evolution::Atom;
use crate::analysis::simple_loop::{LoopRecord, SimpleLoop};
use crate::analysis::trips::{Counted, TripCount};
use crate::base::Column;
use crate::base::graph::Loop;
use crate::ir::body::versions::Event;
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Inst, IntPred, Op, Place, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{CANONICAL_CFG, Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::exit_values::{Last, compute, last_of};
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use memory::Memory;

/// The pass.
pub static LOOP_INTERCHANGE: FuncPass = FuncPass {
    name: "loop_interchange",
    description: "let loops of a nest change places so that memory is walked in short strides",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a nest,
const MOST_INSTS: usize = 120;
/// accesses of memory,
const MOST_ACCESSES: usize = 16;
/// and blocks of a loop beside the loop inside.
const MOST_BLOCKS: usize = 12;
/// Bytes of a cache line.
const LINE: i64 = 64;
/// Instructions that touching another line is worth: a miss that the second level answers.
const LINE_COST: i64 = 8;
/// What a division counts.
const DIVISION: i64 = 8;
/// What a place that does not move costs where it is stored to, in bytes of a line: the next round waits for it.
const STORED: i64 = LINE * 3 / 4;
/// A loop of fewer rounds does not go into one of more.
const LEAST_ROUNDS: u32 = 8;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    levels: Column<Inst, Levels>,
}

/// The loops of a nest that a value depends on: a bit each, the outermost one the lowest.
type Levels = u8;
/// Set of what is loaded, and what is made of it: that stays in the innermost loop, whichever it is.
const INSIDE: Levels = 1 << 7;

/// Why a nest stays as it is.
type Why = &'static str;

/// A loop of a nest, outermost first.
struct Level<'a> {
    around: SimpleLoop<'a>,
    counted: Counted,
    variables: Vec<Variable>,
}

/// An induction variable.
#[derive(Copy, Clone, Debug)]
struct Variable {
    phi: Inst,
    first: Value,
    next: Inst,
}

/// Loops that change places.
struct Plan {
    /// The loops whose counters change, from the outermost one on.
    controls: Vec<Control>,
    counters: Vec<Counter>,
    moves: Vec<(Inst, Block)>,
    /// The innermost loop.
    inner: Block,
    /// Phis behind inner loops that nothing uses, and comparisons.
    gone: Vec<Inst>,
    tests: Vec<Inst>,
    /// Phis behind inner loops, and behind the nest, and what they get.
    ends: Vec<(Inst, End)>,
    lasts: Vec<(Inst, End)>,
    places: [Place; 2],
    costs: [Cost; 2],
}

/// Header, latch and test of a loop: these stay, and get the counter of another one.
struct Control {
    record: LoopRecord,
    round: Round,
}

/// What a value is behind a loop of so many rounds.
#[derive(Copy, Clone)]
struct End(Last, Option<TripCount>);

/// What a loop counts.
struct Counter {
    variables: Vec<Variable>,
    goes_on: IntPred,
    is_next: bool,
    counted: Variable,
    bound: Value,
}

/// What a round of the innermost loop costs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Cost {
    /// Lines of memory, by `LINE`.
    lines: i64,
    /// Instructions that depend on the loop.
    insts: i64,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    // What only sums up carries a value: that is known without looking at what addresses are.
    let stores =
        |l: Loop| cx.analyses.loops.blocks(l).iter().any(|&b| cx.f.insts(b).any(|i| cx.f.op(i) == Op::Store));
    let is_candidate =
        |l: Loop| nest(cx, l).is_some_and(|nest| nest.len() > 1 && (cx.f.is_told() || stores(l)));
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(is_candidate) {
        return Outcome::UNCHANGED;
    }
    let changed = canonicalise(cx, &mut s.closer);
    cx.require(AnalysisSet::EVOLUTION);
    let mut plans = Vec::new();
    for l in cx.analyses.loops.header.keys() {
        let Some(loops) = nest(cx, l).filter(|loops| loops.len() > 1) else { continue };
        // What dependence asks of evolution has it note products.
        let mut evolution = std::mem::take(&mut cx.analyses.evolution);
        let found = plan(cx, &mut evolution, &loops, &mut s.levels);
        cx.analyses.evolution = evolution;
        match found {
            Ok(plan) => plans.push(plan),
            Err(Some(Refusal { place, lines: [old, new], why, culprit })) => {
                let [old, new] = [old, new].map(in_lines);
                cx.f.tell((Sort::Missed, "loop_interchange"), place, || {
                    format!("the loop is not interchanged with the one inside, for {new:.2} cache lines a round in the place of {old:.2}: {why}")
                });
                if let Some(place) = culprit {
                    cx.f.tell((Sort::Analysis, "loop_interchange"), place, || {
                        "this access keeps the loops around it in their order".to_string()
                    });
                }
            }
            Err(None) => {}
        }
    }
    for plan in &plans {
        let [old, new] = plan.costs;
        cx.f.tell((Sort::Done, "loop_interchange"), plan.places[0], || {
            format!(
                "the loop is interchanged with the one inside: {:.2} cache lines a round, where it was {:.2}",
                in_lines(new.lines),
                in_lines(old.lines)
            )
        });
        cx.f.tell((Sort::Analysis, "loop_interchange"), plan.places[1], || {
            format!(
                "the loop goes around: {} instructions a round inside, where it was {}",
                new.insts, old.insts
            )
        });
        _ = interchange(cx.f, &cx.analyses.evolution, plan);
    }
    let kept = if plans.is_empty() { AnalysisSet::ALL } else { CANONICAL_CFG };
    Outcome::changed_if(changed || !plans.is_empty(), kept)
}

fn in_lines(bytes: i64) -> f64 {
    bytes as f64 / LINE as f64
}

/// The loops around a loop of one block and that one, outermost first: as far out as each has no branches of its own.
fn nest(cx: &FuncCx, l: Loop) -> Option<Vec<Loop>> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    if loops.blocks(l).len() != 1 {
        return None;
    }
    let mut nest = vec![l];
    let (mut inner, mut held) = (l, 1);
    while let Some(l) = loops.parent[inner].get().filter(|_| nest.len() < MOST_LOOPS) {
        let is_inside = |b: Block| loops.innermost[b].get().is_some_and(|other| loops.holds(inner, other));
        let goes_on = |&b: &Block| {
            is_inside(b)
                || loops.innermost[b].get() == Some(l)
                    && f.succs(b).len() == if loops.latches(l) == [b] { 2 } else { 1 }
        };
        if loops.blocks(l).len() > held + MOST_BLOCKS || !loops.blocks(l).iter().all(goes_on) {
            break;
        }
        (inner, held) = (l, loops.blocks(l).len());
        nest.push(l);
    }
    nest.reverse();
    Some(nest)
}

/// Why a nest stays as it is, though another order would be better.
struct Refusal {
    /// Of the loop that might go innermost.
    place: Place,
    /// What a round costs, and would.
    lines: [i64; 2],
    why: Why,
    /// An access that stands against it.
    culprit: Option<Place>,
}

/// The error says nothing where the order is good.
fn plan(
    cx: &FuncCx,
    evolution: &mut Evolution,
    loops: &[Loop],
    levels: &mut Column<Inst, Levels>,
) -> Result<Plan, Option<Refusal>> {
    let refusal = |l: Loop, lines: [i64; 2], (why, culprit): (Why, Option<Inst>)| {
        let place = place_of_loop(cx.f, cx.analyses, l);
        Some(Refusal { place, lines, why, culprit: culprit.map(|i| cx.f.place(i)) })
    };
    let simple: Option<Vec<SimpleLoop>> = loops.iter().map(|&l| cx.analyses.simple_loop(cx.f, l)).collect();
    let simple = simple.ok_or(None)?;
    let walk = Walk::of(&simple).ok_or(None)?;
    // As far out as all fits.
    let mut nest: Vec<Level> = Vec::new();
    let mut why = None;
    for around in simple.iter().rev() {
        match level(around, &nest).and_then(|level| walk.fits(cx.f, around, nest.len()).map(|_| level)) {
            Ok(level) => nest.push(level),
            Err(reason) => {
                why = Some(reason);
                break;
            }
        }
    }
    nest.reverse();
    let outer = simple.len() - nest.len();
    if nest.len() < 2 {
        // Remarks only: a refusal is reported where the costs are in favour of the interchange.
        let pair = &simple[simple.len() - 2..];
        let Some(why) = why.filter(|_| cx.f.is_told()) else { return Err(None) };
        let walk = Walk::of(pair).ok_or(None)?;
        let memory = Memory::of(cx, evolution, pair, &walk).map_err(|_| None)?;
        let lines = [1, 0].map(|level| memory.lines(level));
        return Err(if saves(lines) { refusal(pair[0].l, lines, (why, None)) } else { None });
    }
    let simple = &simple[outer..];
    let walk = Walk::of(simple).ok_or(None)?;
    let inner = nest.len() - 1;
    if walk.insts(cx.f).count() > MOST_INSTS {
        return Err(None);
    }
    let memory = Memory::of(cx, evolution, simple, &walk).map_err(|_| None)?;
    let lines: Vec<i64> = (0..=inner).map(|level| memory.lines(level)).collect();
    let best = lines.iter().copied().min().unwrap_or(0);
    if !saves([lines[inner], best]) {
        return Err(None);
    }
    // The order of costs, the loop of the shortest strides innermost; then one loop goes there, the best first.
    let mut order: Vec<usize> = (0..=inner).collect();
    order.sort_by_key(|&level| std::cmp::Reverse(lines[level]));
    let others = order.iter().rev().map(|&level| {
        let stay = (0..=inner).filter(|&other| other != level);
        stay.chain([level]).collect::<Vec<usize>>()
    });
    let orders: Vec<Vec<usize>> = [order.clone()].into_iter().chain(others).collect();
    find_levels(cx.f, &nest, (&walk, &memory), levels);
    let cost = |level: usize| Cost { lines: memory.lines(level), insts: insts(cx.f, &walk, levels, level) };
    let old = cost(inner);
    let rounds = |level: usize| match nest[level].around.trip_count(cx.env) {
        Some(TripCount::Constant(n)) => Some(n),
        _ => None,
    };
    let pays = |level: usize, new: Cost| {
        let is_short = |n: u32| n < LEAST_ROUNDS && rounds(inner).is_none_or(|rounds| rounds > n);
        saves([old.lines, new.lines])
            && (new.insts - old.insts) * LINE <= (old.lines - new.lines) * LINE_COST
            && !rounds(level).is_some_and(is_short)
    };
    let mut why = None;
    for order in orders {
        let level = order[inner];
        let new = cost(level);
        if !pays(level, new) {
            continue;
        }
        match memory.keeps_order(&order).and_then(|()| made(cx, evolution, (&nest, &order), &walk, levels)) {
            Ok(plan) => return Ok(Plan { costs: [old, new], ..plan }),
            Err(reason) => why = why.or(Some((level, new.lines, reason))),
        }
    }
    Err(why.and_then(|(level, new, reason)| refusal(simple[level].l, [old.lines, new], reason)))
}

/// True if a quarter of the lines is saved, and half a line: below that, all strides are short ones.
fn saves([old, new]: [i64; 2]) -> bool {
    new * 4 <= old * 3 && old - new >= LINE / 2
}

/// The blocks of a nest in the order in which a round goes through them, with the number of their loop.
struct Walk {
    blocks: Vec<(Block, usize)>,
    inner: Block,
}

impl Walk {
    fn of(nest: &[SimpleLoop]) -> Option<Walk> {
        let (outer, inner) = (nest.first()?, nest.last()?);
        let f = outer.f;
        let mut blocks = Vec::new();
        let mut b = outer.header;
        loop {
            let home = outer.loops.innermost[b].get()?;
            let level = nest.iter().position(|around| around.l == home)?;
            blocks.push((b, level));
            let around = &nest[level];
            let e = if b == around.latch { around.leaves(b)? } else { f.succs(b).next()? };
            if b == outer.latch || blocks.len() > MOST_LOOPS * (MOST_BLOCKS + 1) {
                break;
            }
            b = f.edge_to(e);
        }
        Some(Walk { blocks, inner: inner.header })
    }

    fn insts(&self, f: &Body) -> impl Iterator<Item = Inst> {
        self.blocks.iter().flat_map(|&(b, _)| f.insts(b))
    }

    /// Whether blocks of a loop, other than those of the loop inside, only compute and load in front of that: so many loops
    /// are inside.
    fn fits(&self, f: &Body, around: &SimpleLoop, inside: usize) -> Result<(), Why> {
        let mut is_behind = false;
        for &(b, _) in &self.blocks {
            is_behind |= b == self.inner;
            if around.loops.innermost[b].get() != Some(around.l) {
                continue;
            }
            for i in f.insts(b) {
                let op = f.op(i);
                match op {
                    Op::Phi if b == around.header || f.preds(b).len() == 1 => {}
                    _ if op.is_terminator() => {}
                    _ if f.ty(i).is_vector() => return Err("it computes with vectors"),
                    Op::Load | Op::Store if inside == 0 => {}
                    Op::Load if !is_behind => {}
                    Op::Load | Op::Store => return Err("the loop around does not only compute"),
                    _ if op.has(PURE) => {}
                    _ => return Err("it does more than compute, load and store"),
                }
            }
        }
        Ok(())
    }
}

/// A loop around others, innermost first, if all count what it does not change.
fn level<'a>(around: &SimpleLoop<'a>, inside: &[Level]) -> Result<Level<'a>, Why> {
    let f = around.f;
    let counted = around.counted(around.latch).filter(|_| around.is_left_behind_latch() && around.ends());
    let counted = counted.ok_or("it does not count, or is left in several places")?;
    let mut variables = Vec::new();
    for phi in f.phis(around.header) {
        let v = Value::inst(phi);
        let steps = around.phi(v).and_then(|(first, next)| {
            let step = around.added(next, v)?;
            Some(Variable { phi, first, next: next.as_inst()? }).filter(|_| around.is_outside(step))
        });
        variables.push(steps.ok_or("a value is carried from round to round")?);
    }
    let is_fixed = |level: &Level| {
        let steps = |variable: &Variable| {
            let mut args = f.args(variable.next).iter();
            around.is_outside(variable.first)
                && args.all(|&v| v == Value::inst(variable.phi) || around.is_outside(v))
        };
        around.is_outside(level.counted.bound) && level.variables.iter().all(steps)
    };
    if !inside.iter().all(is_fixed) {
        return Err("what the loop inside counts depends on it");
    }
    Ok(Level { around: *around, counted, variables })
}

/// Finds out which loops what a nest computes depends on.
fn find_levels(
    f: &Body,
    nest: &[Level],
    (walk, memory): (&Walk, &Memory),
    levels: &mut Column<Inst, Levels>,
) {
    levels.grow_to(f.inst_count(), 0);
    // What stands outside has nothing; those of the nest come behind what they depend on.
    for i in walk.insts(f) {
        let of = |v: &Value| v.as_inst().filter(|_| !nest[0].around.is_outside(*v)).map_or(0, |i| levels[i]);
        levels[i] = match f.op(i) {
            Op::Phi => 0,
            _ => f.args(i).iter().map(of).fold(0, |all, some| all | some),
        };
        if f.op(i) == Op::Load {
            let is_stored = |k: usize| memory.is_stored(k).then_some(INSIDE - 1);
            let access = memory.accesses.iter().position(|(_, access)| access.inst == i);
            levels[i] |= INSIDE | access.and_then(is_stored).unwrap_or(0);
        }
        let counts = |level: &Level| level.variables.iter().any(|variable| variable.phi == i);
        if let Some(level) = nest.iter().position(counts) {
            levels[i] = 1 << level;
        }
    }
}

/// Instructions of a round of the innermost loop, if that is this one: what does not depend on it is computed in front.
fn insts(f: &Body, walk: &Walk, levels: &Column<Inst, Levels>, level: usize) -> i64 {
    let cost = |i: Inst| match f.op(i) {
        Op::Store => 1,
        _ if levels[i] & 1 << level == 0 => 0,
        Op::Phi | Op::ElemAddr => 0,
        Op::SDiv | Op::SRem | Op::UDiv | Op::URem | Op::FDiv => DIVISION,
        _ => 1,
    };
    walk.insts(f).map(cost).sum()
}

/// What has to be done for loops to stand in this order.
fn made(
    cx: &FuncCx,
    evolution: &Evolution,
    (nest, order): (&[Level], &[usize]),
    walk: &Walk,
    levels: &Column<Inst, Levels>,
) -> Result<Plan, (Why, Option<Inst>)> {
    let f = &*cx.f;
    let level = (0..nest.len()).find(|&k| order[k] != k).unwrap_or(0);
    let order = &order[level..];
    let all = nest;
    let nest = &nest[level..];
    let (outer, last) = (&nest[0].around, nest.len() - 1);
    let simple = ("the loops are not simple", None);
    let mut gone = Vec::new();
    let control =
        |level: &Level| Some(Control { record: level.around.record(), round: Round::of(&level.around)? });
    let counter = |level: &Level| {
        let &Counted { goes_on, is_next, bound, phi, .. } = &level.counted;
        let counted = level.variables.iter().copied().find(|variable| variable.phi == phi)?;
        Some(Counter { variables: level.variables.clone(), goes_on, is_next, counted, bound })
    };
    let controls: Option<Vec<Control>> = nest.iter().map(control).collect();
    let counters: Option<Vec<Counter>> = order.iter().map(|&level| counter(&all[level])).collect();
    let (controls, counters) = controls.zip(counters).ok_or(simple)?;

    // Behind the loops, from what the nest does not change.
    let mut ends: Vec<(Inst, End)> = Vec::new();
    let end = |ends: &[(Inst, End)], around: &SimpleLoop, v: Value| {
        if let Some(&(_, end)) = ends.iter().find(|row| Value::inst(row.0) == v) {
            return Some(end);
        }
        let trips = around.trip_count(cx.env).or_else(|| around.trip_count_up_to());
        let last = if around.is_outside(v) { Last::Same(v) } else { last_of(around, evolution, trips?, v)? };
        let is_fixed = match &last {
            Last::Same(v) => outer.is_outside(*v),
            Last::Sum(_, sum) => sum.terms().iter().all(|term| {
                evolution.atoms(term.0).all(|atom| !matches!(atom, Atom::Value(v) if !outer.is_outside(v)))
            }),
            Last::Modular { .. } => false,
        };
        is_fixed.then_some(End(last, trips))
    };
    let used = ("what the loops compute is used behind them", None);
    let own = || walk.blocks.iter().filter(|&&(_, home)| home >= level);
    let is_header = |b: Block| nest.iter().any(|level| level.around.header == b);
    for phi in own().filter(|&&(b, _)| !is_header(b)).flat_map(|&(b, _)| f.phis(b)) {
        let b = f.block_of(phi).ok_or(simple)?;
        let from = f.edge_from(*f.preds(b).first().ok_or(simple)?);
        if !f.has_uses(phi) {
            gone.push(phi);
            continue;
        }
        // Behind a latch, or the same again.
        let v = f.arg(phi, 0);
        let left = nest.iter().find(|level| level.around.latch == from).map(|level| &level.around);
        let is_known = left.is_some() || ends.iter().any(|row| Value::inst(row.0) == v);
        let known = if is_known { end(&ends, left.unwrap_or(outer), v) } else { None };
        ends.push((phi, known.ok_or(used)?));
    }
    let mut lasts = Vec::new();
    for (phi, v) in controls[0].round.results(f) {
        lasts.push((phi, end(&ends, outer, v).ok_or(used)?));
    }

    // Where computations go: the place of the innermost loop that they depend on.
    let place = |i: Inst| {
        let depends = |&level: &usize| levels[i] & (1 << level | INSIDE) != 0;
        order.iter().rposition(depends).unwrap_or(0)
    };
    let front = |k: usize| controls.get(k + 1).map_or(walk.inner, |control| control.record.preheader);
    let is_test = |i: Inst| nest.iter().any(|level| level.counted.compare == i) && f.has_single_use(i);
    let (mut moves, mut tests) = (Vec::new(), Vec::new());
    for i in own().flat_map(|&(b, _)| f.insts(b)) {
        let op = f.op(i);
        let steps = |counter: &&Counter| {
            let mut variables = counter.variables.iter();
            // Used in the next round only, and by exit values, which are recomputed behind the loop.
            let serves = |variable: &Variable| {
                variable.next == i && f.uses(i).all(|u| f.op(u.user) == Op::Phi || is_test(u.user))
            };
            variables.any(serves)
        };
        match op {
            Op::Phi => {}
            _ if op.is_terminator() => {}
            _ if is_test(i) => tests.push(i),
            Op::Load | Op::Store => moves.push((i, walk.inner)),
            _ => match counters.iter().zip(&controls).find(|(counter, _)| steps(counter)) {
                Some((_, control)) => moves.push((i, control.record.latch)),
                None => moves.push((i, front(place(i)))),
            },
        }
    }
    let places = [outer, &nest[last].around].map(|around| place_of_loop(f, cx.analyses, around.l));
    Ok(Plan {
        controls,
        counters,
        moves,
        inner: walk.inner,
        gone,
        tests,
        ends,
        lasts,
        places,
        costs: [Cost::default(); 2],
    })
}

/// Lets the loops change places.
fn interchange(f: &mut Body, evolution: &Evolution, plan: &Plan) -> Option<()> {
    let preheader = plan.controls[0].record.preheader;
    let slot = f.edge_slot(plan.controls[0].round.out);
    let blocks = &plan.controls[0].round.blocks;
    let event = f.begin_event(blocks);
    let inside = if event.is_some() { f.insts_of(&[plan.inner]) } else { Vec::new() };
    for (k, &(phi, End(last, trips))) in plan.lasts.iter().chain(&plan.ends).enumerate() {
        let v = match last {
            Last::Same(v) => v,
            last => compute(f, evolution, (At::BeforeTerminator(preheader), f.place(phi)), trips?, last),
        };
        match k < plan.lasts.len() {
            true => f.set_arg(phi, slot, v),
            false => f.replace(phi, v),
        }
    }
    plan.gone.iter().for_each(|&phi| f.remove(phi));
    let mut compared = Vec::new();
    for (counter, control) in plan.counters.iter().zip(&plan.controls) {
        let mut counted = Value::inst(counter.counted.next);
        for &Variable { phi, first, next } in &counter.variables {
            let own = f.insert_phi(control.record.header, f.ty(phi), f.place(phi));
            f.name_after(Value::inst(own), phi);
            f.set_arg(own, control.record.enters, first);
            f.set_arg(own, control.record.goes_back, Value::inst(next));
            f.replace_uses(phi, Value::inst(own));
            f.remove(phi);
            if !counter.is_next && phi == counter.counted.phi {
                counted = Value::inst(own);
            }
        }
        compared.push(counted);
    }
    for &(i, b) in &plan.moves {
        f.move_inst(i, At::BeforeTerminator(b));
    }
    for ((counter, control), &v) in plan.counters.iter().zip(&plan.controls).zip(&compared) {
        let place = f.terminator(control.record.latch).map_or(Place::NONE, |end| f.place(end));
        control.round.test(f, place, (counter.goes_on, v, counter.bound))?;
    }
    plan.tests.iter().for_each(|&i| f.remove_unused(i));
    if let Some(event) = event {
        tell(f, event, plan, &inside);
    }
    Some(())
}

/// Debuggers are told that where the innermost loop is, all counters are what they were; around it nothing is known.
#[cold]
fn tell(f: &mut Body, event: Event, plan: &Plan, inside: &[Inst]) {
    let all = f.insts_of(&plan.controls[0].round.blocks);
    let stays = |i: &Inst| inside.contains(i) && f.block_of(*i) == Some(plan.inner);
    let (same, moved): (Vec<Inst>, Vec<Inst>) = all.iter().copied().partition(stays);
    f.enter_version(event, &same, Vec::new());
    f.enter_version(event, &moved, all.iter().map(|&i| (i, Value::undef(Type::Void))).collect());
}

#[cfg(test)]
mod tests;
