//! Loop fusion: two loops that follow each other and go round equally often become one, where the second reads what the
//! first has read or written, so that it is in a register.
//!
//! ```text
//! for (i = 0; i < n; i++) b[i] = a[i] + r;      for (i = 0; i < n; i++) {
//! for (i = 0; i < n; i++) c[i] = b[i] * 3;        x = a[i] + r; b[i] = x; c[i] = x * 3;
//!                                               }
//! ```
//!
//! Both are left behind their latches only. Between them stands nothing but computation: what does not need the first loop
//! goes in front of it, the rest behind the second one, which does not need that. Nests are fused loop by loop, from
//! outside in, if each loop has one inside and the trip counts are the same in pairs.
//!
//! A round of the second loop comes before the later ones of the first: no access of it may meet one of those
//! (`dependence`). The order within each loop stays, so floats and sums are what they were.
//!
//! It pays where the second loop accesses bytes that the first one accesses in the same round, and registers suffice.
//! Value numbering makes one of the accesses. In front of unroll and jam. O(instructions of candidates, and the product of
//! their accesses).
//!
//! K. Kennedy and K. McKinley, "Maximizing loop parallelism and improving data locality via loop fusion and distribution"
//! (1993); LLVM's `LoopFuse`.

use crate::analysis::dependence::{Access, Around, Direction, MOST_LOOPS, Nest};
use crate::analysis::evolution::Evolution;
use crate::analysis::simple_loop::SimpleLoop;
use crate::base::BitSet;
use crate::base::graph::Loop;
use crate::ir::body::versions::Event;
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Inst, IntPred, Op, Place, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static LOOP_FUSION: FuncPass = FuncPass {
    name: "loop_fusion",
    description: "make one loop of two that follow each other over the same data",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Blocks between two loops, and instructions.
const MOST_BETWEEN: usize = 8;
const MOST_MOVED: usize = 100;
/// Accesses of memory in either loop.
const MOST_ACCESSES: usize = 12;
/// Instructions of both innermost loops.
const MOST_SIZE: usize = 60;
/// How often the loops of a function are looked at: a loop may be fused with the next one, and that with another.
const MOST_TIMES: usize = 6;

/// A loop that another one follows.
struct Pair {
    first: Round,
    second: Round,
    /// In front of the first loop, and the blocks from there to the second one, in order.
    preheader: Block,
    between: Vec<Block>,
    /// Behind the second loop.
    exit: Block,
    /// How what the first loop compares at its end compares if it goes on.
    test: (IntPred, Value, Value),
    place: Place,
}

#[inline(never)]
fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    let follows = |l: Loop| between(cx, l).is_some();
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(follows) {
        return Outcome::UNCHANGED;
    }
    let (mut changed, mut fused) = (false, false);
    for _ in 0..MOST_TIMES {
        changed |= canonicalise(cx, closer);
        cx.require(AnalysisSet::EVOLUTION);
        let pairs = pairs(cx);
        for pair in &pairs {
            cx.f.tell((Sort::Done, "loop_fusion"), pair.place, || {
                "the loop and the next one go round together".to_string()
            });
            _ = fuse(cx.f, pair);
        }
        if pairs.is_empty() {
            break;
        }
        fused = true;
        cx.analyses.keep(AnalysisSet::NONE);
        cx.require(AnalysisSet::LOOPS);
    }
    // What has been computed is true of the last loops.
    Outcome::changed_if(changed || fused, AnalysisSet::ALL)
}

/// The pairs that are fused, none with a loop of another one.
fn pairs(cx: &mut FuncCx) -> Vec<Pair> {
    let mut evolution = std::mem::take(&mut cx.analyses.evolution);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut taken: BitSet<Loop> = BitSet::new(cx.analyses.loops.header.len());
    for second in cx.analyses.loops.header.keys() {
        let Some((first, between)) = between(cx, second) else { continue };
        // Loops come behind those around them.
        let parent = |l: &Loop| cx.analyses.loops.parent[*l].get();
        let is_taken = |l: Loop| std::iter::successors(Some(l), parent).any(|l| taken.contains(l));
        if is_taken(first) || is_taken(second) {
            continue;
        }
        match pair_of(cx, &mut evolution, [first, second], between) {
            Some(Ok(pair)) => {
                pairs.push(pair);
                taken.insert(first);
                taken.insert(second);
            }
            Some(Err(why)) => {
                cx.f.tell((Sort::Missed, "loop_fusion"), place_of_loop(cx.f, cx.analyses, first), || {
                    format!("the loop and the next one do not go round together: {why}")
                });
            }
            None => {}
        }
    }
    cx.analyses.evolution = evolution;
    pairs
}

/// The loop that a loop follows, and the blocks in between; each of them goes to the next one only. O(1).
fn between(cx: &FuncCx, second: Loop) -> Option<(Loop, Vec<Block>)> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let header = loops.header[second];
    let mut outside = f.preds(header).iter().filter(|&&e| !loops.contains(second, f.edge_from(e)));
    let mut blocks = vec![f.edge_from(*outside.next().filter(|_| outside.next().is_none())?)];
    while let Some(&b) = blocks.last().filter(|_| blocks.len() <= MOST_BETWEEN) {
        let &[e] = f.preds(b) else { return None };
        let from = f.edge_from(e);
        if f.succs(b).len() != 1 {
            return None;
        }
        if let Some(first) = loops.innermost[from].get().filter(|&l| Some(l) != loops.parent[second].get()) {
            blocks.reverse();
            return Some((first, blocks)).filter(|_| loops.parent[first] == loops.parent[second]);
        }
        blocks.push(from);
    }
    None
}

/// Why two loops stay two.
type Why = &'static str;

/// None where one of them is of no form at all.
fn pair_of(
    cx: &FuncCx,
    evolution: &mut Evolution,
    [first, second]: [Loop; 2],
    between: Vec<Block>,
) -> Option<Result<Pair, Why>> {
    let f = &*cx.f;
    let levels = [levels(cx, first)?, levels(cx, second)?];
    let [a, b] = [cx.analyses.simple_loop(f, first)?, cx.analyses.simple_loop(f, second)?];
    let out = a.leaves(a.latch)?;
    let exit = f.edge_to(b.leaves(b.latch)?);
    if f.edge_to(out) != *between.first()? || b.preheader != *between.last()? || f.preds(exit).len() != 1 {
        return None;
    }
    let (compare, goes_on) = a.comparison(a.latch)?;
    let &[x, y] = f.args(compare) else { return None };
    Some(check(cx, evolution, &levels, &between).and_then(|()| {
        parts_stand_apart(&a, &b, &between, exit)?;
        Ok(Pair {
            first: Round::of(&a).ok_or("it is left in several places")?,
            second: Round::of(&b).ok_or("it is left in several places")?,
            preheader: a.preheader,
            between,
            exit,
            test: (goes_on, x, y),
            place: place_of_loop(f, cx.analyses, first),
        })
    }))
}

/// A loop and those inside of it, each the only one in the loop before.
fn levels(cx: &FuncCx, outer: Loop) -> Option<Vec<Loop>> {
    let loops = &cx.analyses.loops;
    let mut levels = vec![outer];
    while let Some(&last) = levels.last() {
        let mut inside = loops.blocks(last).iter().filter_map(|&b| loops.innermost[b].get());
        let Some(inner) = inside.find(|&l| l != last) else { return Some(levels) };
        // The outermost ones of those inside.
        let child = std::iter::successors(Some(inner), |&l| loops.parent[l].get())
            .find(|&l| loops.parent[l].get() == Some(last))?;
        if levels.len() == MOST_LOOPS || !inside.all(|l| l == last || loops.holds(child, l)) {
            return None;
        }
        levels.push(child);
    }
    None
}

/// Looks whether the rounds may go together, and whether it pays.
fn check(
    cx: &FuncCx,
    evolution: &mut Evolution,
    levels: &[Vec<Loop>; 2],
    between: &[Block],
) -> Result<(), Why> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    if levels[0].len() != levels[1].len() {
        return Err("one has more loops inside than the other");
    }
    let trips = |l: Loop| {
        let simple = cx.analyses.simple_loop(f, l).filter(SimpleLoop::is_left_behind_latch)?;
        simple.trip_count(cx.env).or_else(|| simple.trip_count_up_to())
    };
    let mut rounds = levels[0].iter().zip(&levels[1]).map(|(&a, &b)| (trips(a), trips(b)));
    if !rounds.all(|(a, b)| a.is_some() && a == b) {
        return Err("they are not known to go round equally often");
    }
    let innermost = |k: usize| levels[k].last().copied().unwrap_or(levels[k][0]);
    let size = |k: usize| loops.blocks(innermost(k)).iter().flat_map(|&b| f.insts(b)).count();
    if size(0) + size(1) > MOST_SIZE {
        return Err("together they are too large");
    }
    let around = Around { env: cx.env, f, loops, dominators: &cx.analyses.dominators };
    let mut nest = |k: usize| {
        Nest::of(around, evolution, levels[k][0], innermost(k)).ok_or("a loop is not of simple form")
    };
    let nests = [nest(0)?, nest(1)?];
    let mut accesses = [Vec::new(), Vec::new()];
    for (k, list) in accesses.iter_mut().enumerate() {
        for &b in loops.blocks(levels[k][0]) {
            let is_inside = loops.innermost[b].get() == Some(innermost(k));
            for i in f.insts(b) {
                let op = f.op(i);
                if op == Op::Phi || op.is_terminator() || op.has(PURE) && !f.ty(i).is_vector() {
                    continue;
                }
                if !is_inside {
                    return Err("more than computation stands around the loops inside");
                }
                if list.len() == MOST_ACCESSES {
                    return Err("one of them accesses memory in many places");
                }
                let access = nests[k].access(around, evolution, i);
                list.push(access.ok_or("one of them does more than compute, load and store")?);
            }
        }
    }
    let computes = |i: Inst| f.op(i) == Op::Phi || f.op(i).has(PURE) || f.op(i).is_terminator();
    let mut moved = between.iter().flat_map(|&b| f.insts(b));
    if !moved.by_ref().take(MOST_MOVED).all(computes) {
        return Err("more than computation stands between them");
    }
    if moved.next().is_some() {
        return Err("much is computed between them");
    }
    let [before, behind] = &accesses;
    let is_same = |a: &Access, b: &Access| nests[0].is_same(a, b);
    let shared = behind.iter().filter(|b| before.iter().any(|a| is_same(a, b))).count();
    if shared == 0 {
        return Err("the second accesses nothing that the first one does in the same round");
    }
    let changes_places = |a: &Access, b: &Access| {
        let meet = |level: usize| {
            let direction = |k: usize| match k.cmp(&level) {
                std::cmp::Ordering::Less => Direction::Equal,
                std::cmp::Ordering::Equal => Direction::Earlier,
                std::cmp::Ordering::Greater => Direction::Any,
            };
            let directions: Vec<Direction> = (0..levels[0].len()).map(direction).collect();
            nests[0].may_meet(a, b, &directions)
        };
        (a.is_write || b.is_write) && (0..levels[0].len()).any(meet)
    };
    if before.iter().any(|a| behind.iter().any(|b| changes_places(a, b))) {
        return Err("accesses of their rounds may meet in another order");
    }
    let takes =
        [0, 1].map(|kind| registers(cx, &accesses, levels, kind) - if kind == 0 { shared } else { 0 });
    match (0..2).all(|kind| takes[kind] < cx.target.registers[kind] as usize) {
        true => Ok(()),
        false => Err("together they take too many registers"),
    }
}

/// Registers that both innermost loops take: a pointer an access, what is carried, and what comes from outside.
fn registers(cx: &FuncCx, accesses: &[Vec<Access>; 2], levels: &[Vec<Loop>; 2], kind: usize) -> usize {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let is_kind = |v: Value| usize::from(f.type_of(v) == Type::F32) == kind;
    let mut outside: Vec<Value> = Vec::new();
    let mut count = if kind == 0 { 2 + accesses[0].len() + accesses[1].len() } else { 0 };
    for l in levels.iter().filter_map(|levels| levels.last().copied()) {
        for i in loops.blocks(l).iter().flat_map(|&b| f.insts(b)) {
            match f.op(i) {
                Op::Phi => count += usize::from(is_kind(Value::inst(i))),
                Op::ElemAddr => {}
                _ => outside.extend(f.args(i).iter().filter(|&&v| {
                    let home = v.as_inst().and_then(|i| f.block_of(i));
                    is_kind(v) && home.is_some_and(|b| !loops.contains(l, b))
                })),
            }
        }
    }
    outside.sort_unstable();
    outside.dedup();
    count + outside.len()
}

/// True if what stands between two loops is of no use to the second one, or does not need the first one.
fn parts_stand_apart(
    first: &SimpleLoop,
    second: &SimpleLoop,
    between: &[Block],
    exit: Block,
) -> Result<(), Why> {
    let f = first.f;
    let late = late(f, first, between);
    let is_used = |&i: &Inst| {
        f.uses(i).any(|u| {
            let at = f.block_of(u.user);
            let is_phi_behind = at == Some(exit) && f.op(u.user) == Op::Phi && f.op(i) != Op::Phi;
            is_phi_behind || at.is_some_and(|b| second.loops.contains(second.l, b))
        })
    };
    match late.iter().any(is_used) {
        true => Err("the second needs what the first one results in"),
        false => Ok(()),
    }
}

/// The instructions between two loops that need what the first one computes: phis first.
fn late(f: &Body, first: &SimpleLoop, between: &[Block]) -> Vec<Inst> {
    let mut late: Vec<Inst> = Vec::new();
    for i in between.iter().flat_map(|&b| f.insts(b)).filter(|&i| !f.op(i).is_terminator()) {
        let needs = |&v: &Value| !first.is_outside(v) || v.as_inst().is_some_and(|i| late.contains(&i));
        if f.op(i) == Op::Phi || f.args(i).iter().any(needs) {
            late.push(i);
        }
    }
    late
}

/// Lets the rounds of two loops follow each other in one.
fn fuse(f: &mut Body, pair: &Pair) -> Option<()> {
    let Pair { first, second, preheader, between, exit, test, place } = pair;
    let event = f.begin_event(&[&first.blocks[..], &second.blocks].concat());
    // What stands between them: what needs nothing of the first loop in front of it, the rest behind the second one.
    let all = between.iter().flat_map(|&b| f.insts(b));
    let insts: Vec<Inst> = all.filter(|&i| !f.op(i).is_terminator()).collect();
    let mut late: Vec<Inst> = Vec::new();
    let mut early: Vec<Inst> = Vec::new();
    for i in insts {
        let is_late = |v: &Value| {
            let of = v.as_inst();
            let home = of.and_then(|i| f.block_of(i));
            home.is_some_and(|b| first.blocks.contains(&b)) || of.is_some_and(|i| late.contains(&i))
        };
        match (f.op(i), f.args(i).iter().any(is_late)) {
            (Op::Phi, _) => f.replace(i, f.arg(i, 0)),
            (_, true) => late.push(i),
            (_, false) => {
                f.move_inst(i, At::BeforeTerminator(*preheader));
                early.push(i);
            }
        }
    }
    if let Some(event) = event {
        tell(f, event, pair, [&early, &late]);
    }
    late.iter().rev().for_each(|&i| f.move_inst(i, At::Start(*exit)));
    // The second loop's phis stand in the header of the first one, or are phis there.
    let enters = f.preds(first.header).iter().copied().find(|&e| e != first.back)?;
    let starts = f.preds(second.header).iter().copied().find(|&e| e != second.back)?;
    let slots = [enters, first.back].map(|e| f.edge_slot(e));
    let [start, again] = [starts, second.back].map(|e| f.edge_slot(e));
    let mut moved: Vec<(Inst, Inst)> = Vec::new();
    for &phi in &second.phis {
        let step = |phi: Inst, slots: [usize; 2]| {
            let next = f.arg(phi, slots[1]).as_inst().filter(|&i| f.op(i) == Op::Add)?;
            let &[a, b] = f.args(next) else { return None };
            let is_step = a == Value::inst(phi) && b.is_constant();
            is_step.then_some((f.type_of(a), f.arg(phi, slots[0]), b))
        };
        let own = step(phi, [start, again]);
        let same = first.phis.iter().find(|&&other| own.is_some() && step(other, slots) == own);
        match same {
            Some(&other) => f.replace_uses(phi, Value::inst(other)),
            None => {
                let copy = f.insert_phi(first.header, f.ty(phi), f.place(phi));
                f.name_after(Value::inst(copy), phi);
                f.replace_uses(phi, Value::inst(copy));
                moved.push((phi, copy));
            }
        }
    }
    let nexts = first.nexts(f);
    let of_moved: Vec<(Inst, [Value; 2])> =
        moved.iter().map(|&(phi, copy)| (copy, [start, again].map(|slot| f.arg(phi, slot)))).collect();
    second.phis.iter().for_each(|&phi| f.remove(phi));
    // The first one goes on with the second one, which goes back to it.
    f.redirect(second.back, first.header);
    f.redirect(first.back, second.header);
    f.fold_cond_br(first.latch, first.back, *place);
    f.remove_blocks(between);
    first.enter(f, second.back, &nexts);
    let [enters, back] = [enters, second.back].map(|e| f.edge_slot(e));
    for (copy, [start, next]) in of_moved {
        f.set_arg(copy, enters, start);
        f.set_arg(copy, back, next);
    }
    second.test(f, *place, *test)?;
    second.join(f);
    Some(())
}

/// Debuggers are told that where the second loop is, what the first one results in is not known yet, nor what stood between.
#[cold]
fn tell(f: &mut Body, event: Event, pair: &Pair, [early, late]: [&[Inst]; 2]) {
    let (first, second) = (f.insts_of(&pair.first.blocks), f.insts_of(&pair.second.blocks));
    let unknown = |&i: &Inst| (i, Value::undef(Type::Void));
    let all: Vec<(Inst, Value)> = first.iter().chain(early).chain(late).map(unknown).collect();
    f.enter_version(event, &first, second.iter().map(unknown).collect());
    f.enter_version(event, &second, all.clone());
    // Of those between, some go in front of the first loop, and the others behind the second one.
    f.enter_version(event, early, all);
}

#[cfg(test)]
mod tests;
