//! Removes loops of which only final values are wanted, when those can be said: a loop that runs n times
//! makes v + n s of a value v that goes up by s each round, and v + n s + t n (n - 1) / 2 if s itself goes
//! up by t. What goes up by a constant c modulo a constant m, and stays below it, becomes (v + n c) % m: where
//! neither wraps in 32 bits, that does not in 64. What v starts with, c and m may be read at run time: where they might be
//! negative or too large, that is asked in front of the loop, which stays for the case that they are.
//!
//! What they are behind it is in `exit_values`.
//!
//! Such a loop touches no memory but to read it, calls nothing that matters, is left in one place, behind a
//! test of an induction variable, and n is a trip count (`analysis/trips`). All is arithmetic modulo 2^32, in which this is exact.
//!
//! Of a loop that stays, values of which only the last one is wanted, and that nothing else in the loop needs, are said the
//! same way, each by itself, where nothing has to be asked first.
//!
//! Loops that compute nothing for the outside go wherever they are left, if control comes together behind
//! them, and each of them, and of the loops inside, has a test that counts (`counted`) in each round.
//!
//! Inner loops first: without them an outer one may go, too. O(instructions of loops) a nest of loops that
//! go.

use crate::analysis::Evolution;
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::base::graph::Loop;
use crate::ir::opcode::{PURE, READS};
use crate::ir::{At, Block, Body, Edge, Env, Inst, Op, Place, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::exit_values::{Last, compute, condition, last_of, make, under_check};
use crate::opt::loops::remarks::place_of;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static FINISH_LOOPS: FuncPass = FuncPass {
    name: "finish_loops",
    description: "say what loops compute without running them",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a loop that is looked at.
const MOST: usize = 64;
/// Loops inside of each other that go.
const MOST_DEPTH: usize = 4;
/// Rounds of a loop that stays whose values are said without them, and instructions that make one.
const FEWEST: u32 = 8;
const MOST_MADE: usize = 8;
/// Edges on which a loop that computes nothing is left, and on which control goes on to where they meet.
const MOST_EXITS: usize = 8;
const MOST_FORWARDS: usize = 4;

#[inline(never)]
fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    let may_finish = |l: Loop| is_harmless(cx, l) || may_have_idle(cx, l);
    if !worth_it(cx.f, cx.analyses) || !cx.analyses.loops.header.keys().any(may_finish) {
        return Outcome::UNCHANGED;
    }
    let mut changed = canonicalise(cx, closer);
    // An outer loop is seen again when the inner ones have gone.
    for _ in 0..MOST_DEPTH {
        cx.require(AnalysisSet::EVOLUTION);
        let mut done: Vec<Finishable> = Vec::new();
        // A loop that goes takes those inside of it along.
        let mut last: Option<Loop> = None;
        for l in cx.analyses.loops.header.keys() {
            let is_gone = last.is_some_and(|last| cx.analyses.loops.holds(last, l));
            let new = if is_gone { None } else { finishable(cx, l) };
            last = if new.is_some() { Some(l) } else { last };
            done.extend(new);
        }
        if done.is_empty() {
            break;
        }
        done.iter().for_each(|done| tell(cx.f, done));
        // What a loop computes may be what one behind it starts with.
        done.iter().rev().for_each(|done| finish(cx.f, &cx.analyses.evolution, done));
        changed = true;
        cx.analyses.keep(AnalysisSet::NONE);
    }
    cx.require(AnalysisSet::EVOLUTION);
    let idle: Vec<Idle> = cx.analyses.loops.header.keys().filter_map(|l| idle(cx, l)).collect();
    for idle in idle.iter().rev() {
        say(cx.f, &cx.analyses.evolution, idle);
    }
    if !idle.is_empty() {
        return Outcome::changed(AnalysisSet::CFG.with(AnalysisSet::CANONICAL));
    }
    // What is true now has been asked for behind the last loop that has gone.
    Outcome::changed_if(changed, AnalysisSet::ALL)
}

/// Says that a loop has gone.
fn tell(f: &mut Body, done: &Finishable) {
    let place = if f.is_told() { place_of(f, &done.blocks) } else { Place::NONE };
    f.tell((Sort::Done, "finish_loops"), place, || match done.results.len() {
        0 => "the loop has gone: it computes nothing that is needed".to_string(),
        n => format!("the loop has gone: what it computes ({n} values) is known without it"),
    });
}

/// A loop that can go.
struct Finishable {
    /// Its blocks, and those behind it that nothing else enters.
    blocks: Vec<Block>,
    /// Into the loop, and where control is behind it.
    enters: Edge,
    behind: Block,
    trips: TripCount,
    /// The count is one where the bound does not lie ahead, counted up (true) or down.
    at_least_one: Option<bool>,
    /// Phis behind the loop, and what they get.
    results: Vec<(Inst, Last)>,
}

/// True for a loop that is small and does nothing that matters.
fn is_harmless(cx: &FuncCx, l: Loop) -> bool {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let blocks = loops.blocks(l);
    let is_small = blocks.iter().map(|&b| f.insts(b).take(MOST).count()).sum::<usize>() <= MOST;
    let harmless = |i: Inst| {
        let op = f.op(i);
        op.has(PURE)
            || op == Op::Phi
            || op.is_terminator()
            || op == Op::Load && op.has(READS)
            || op == Op::Call && cx.effects.is_removable(f.callee(i))
    };
    is_small && blocks.iter().all(|&b| f.insts(b).all(harmless))
}

fn finishable(cx: &FuncCx, l: Loop) -> Option<Finishable> {
    if !is_harmless(cx, l) {
        return None;
    }
    let around = cx.analyses.simple_loop(cx.f, l)?;
    deletable(&around).or_else(|| with_results(cx.env, &around, &cx.analyses.evolution, cx.target.word))
}

/// A loop of which nothing but final values is wanted.
fn with_results(env: &Env, around: &SimpleLoop, evolution: &Evolution, word: u32) -> Option<Finishable> {
    let &SimpleLoop { f, l, latch, enters, loops, .. } = around;
    let exit = f.edge_to(around.leaves(latch)?);
    // A loop around a loop that may not end may not end.
    if !loops.is_innermost(l) || !around.is_left_behind_latch() || f.preds(exit).len() != 1 {
        return None;
    }
    let trips = around.trip_count(env).map(|trips| (trips, None));
    let (trips, at_least_one) = trips.or_else(|| {
        let (first, bound, up) = around.at_least_one_trip()?;
        let (from, to) = if up { (first, bound) } else { (bound, first) };
        Some((TripCount::Distance(from, to, 0), Some(up)))
    })?;
    let results = f
        .phis(exit)
        .map(|phi| Some((phi, under_check(around, evolution, trips, f.arg(phi, 0))?.on(f, word)?)));
    let results: Vec<(Inst, Last)> = results.collect::<Option<_>>()?;
    Some(Finishable { blocks: loops.blocks(l).to_vec(), enters, behind: exit, trips, at_least_one, results })
}

/// A loop that computes nothing.
fn deletable(around: &SimpleLoop) -> Option<Finishable> {
    let &SimpleLoop { f, l, enters, loops, dominators, .. } = around;
    let mut blocks = loops.blocks(l).to_vec();
    let out = blocks.iter().flat_map(|&b| f.succs(b)).filter(|&e| !loops.contains(l, f.edge_to(e)));
    let paths: Vec<Vec<Edge>> = out.take(MOST_EXITS + 1).map(|e| forwards(f, e)).collect();
    let on = |path: &[Edge], b: Block| path.iter().position(|&e| f.edge_to(e) == b);
    let meet = |&b: &Block| paths.iter().all(|path| on(path, b).is_some());
    let behind = paths.first()?.iter().map(|&e| f.edge_to(e)).find(meet)?;
    // What a phi behind the loop gets on a path.
    let brought = |phi: Inst, path: &[Edge]| {
        let last = on(path, behind)?;
        let from = |v: Value, e: Edge| match v.as_inst() {
            Some(i) if f.op(i) == Op::Phi && f.block_of(i) == Some(f.edge_to(e)) => f.arg(i, f.edge_slot(e)),
            _ => v,
        };
        let v = path[..=last].iter().rev().fold(Value::inst(phi), |v, &e| from(v, e));
        around.is_outside(v).then_some(v)
    };
    let mut results = Vec::new();
    for phi in f.phis(behind).filter(|&phi| f.has_uses(phi)) {
        let start = brought(phi, paths.first()?)?;
        if !paths.iter().all(|path| brought(phi, path) == Some(start)) {
            return None;
        }
        results.push((phi, Last::Same(start)));
    }
    let ends = |inner: Loop| SimpleLoop::of(f, (loops, dominators), inner).is_some_and(|inner| inner.ends());
    let heads = |&b: &Block| loops.innermost[b].get().filter(|&inner| loops.header[inner] == b);
    if paths.len() > MOST_EXITS || !blocks.iter().filter_map(heads).all(ends) {
        return None;
    }
    for e in paths.iter().flat_map(|path| &path[..on(path, behind).unwrap_or(0)]) {
        let b = f.edge_to(*e);
        if !blocks.contains(&b) && f.preds(b).iter().all(|&e| blocks.contains(&f.edge_from(e))) {
            blocks.push(b);
        }
    }
    let (trips, at_least_one) = (TripCount::Constant(0), None);
    Some(Finishable { blocks, enters, behind, trips, at_least_one, results })
}

/// The edges that control goes along from one on, as far as blocks do nothing.
fn forwards(f: &Body, e: Edge) -> Vec<Edge> {
    let mut path = vec![e];
    let mut at = f.edge_to(e);
    while path.len() < MOST_FORWARDS {
        let end = f.insts(at).find(|&i| f.op(i) != Op::Phi).filter(|&i| f.op(i) == Op::Br);
        let Some(next) = end.and_then(|_| f.succs(at).next()) else { break };
        path.push(next);
        at = f.edge_to(next);
    }
    path
}

/// Values of a loop that stays of which only the last ones are wanted.
struct Idle {
    preheader: Block,
    trips: TripCount,
    /// Phis behind the loop, and what they get.
    results: Vec<(Inst, Last)>,
    /// What makes them in the loop, and nothing else.
    made: Vec<Inst>,
    place: Place,
}

/// A cheap question first: a value that goes round besides the one that counts.
fn may_have_idle(cx: &FuncCx, l: Loop) -> bool {
    cx.f.phis(cx.analyses.loops.header[l]).nth(1).is_some()
}

fn idle(cx: &FuncCx, l: Loop) -> Option<Idle> {
    if !may_have_idle(cx, l) || !cx.analyses.loops.is_innermost(l) {
        return None;
    }
    let around = cx.analyses.simple_loop(cx.f, l)?;
    let f = &*cx.f;
    let exit = f.edge_to(around.leaves(around.latch)?);
    let trips = around.trip_count(cx.env)?;
    let is_long = !matches!(trips, TripCount::Constant(n) if n < FEWEST);
    if !around.is_left_behind_latch() || f.preds(exit).len() != 1 || !is_long {
        return None;
    }
    let (mut results, mut made) = (Vec::new(), Vec::new());
    for phi in f.phis(around.header) {
        let Some(slice) = only_itself(f, &around, exit, phi) else { continue };
        let outer =
            f.phis(exit).filter(|&behind| f.arg(behind, 0).as_inst().is_some_and(|i| slice.contains(&i)));
        let last = |behind: Inst| {
            let last =
                last_of(&around, &cx.analyses.evolution, trips, f.arg(behind, 0))?.on(f, cx.target.word)?;
            Some((behind, last))
        };
        if let Some(lasts) = outer.map(last).collect::<Option<Vec<_>>>().filter(|lasts| !lasts.is_empty()) {
            results.extend(lasts);
            made.extend(slice);
        }
    }
    let place = if f.is_told() { place_of(f, cx.analyses.loops.blocks(l)) } else { Place::NONE };
    (!results.is_empty()).then_some(Idle { preheader: around.preheader, trips, results, made, place })
}

/// What a phi becomes and what is made of that, if all of it only leads back to the phi and out of the loop.
fn only_itself(f: &Body, around: &SimpleLoop, exit: Block, phi: Inst) -> Option<Vec<Inst>> {
    let mut slice = vec![phi];
    let mut next = 0;
    while let Some(&i) = slice.get(next) {
        next += 1;
        for u in f.uses(i) {
            let is_behind = f.op(u.user) == Op::Phi && f.block_of(u.user) == Some(exit);
            if is_behind || slice.contains(&u.user) {
                continue;
            }
            if !f.op(u.user).has(PURE) || around.is_outside(Value::inst(u.user)) || slice.len() == MOST_MADE {
                return None;
            }
            slice.push(u.user);
        }
    }
    // What does not lead back is no part of what it is next.
    around.phi(Value::inst(phi)).filter(|(_, next)| next.as_inst().is_some_and(|i| slice.contains(&i)))?;
    Some(slice)
}

/// Says in front of a loop what values are behind it, which it makes no more.
fn say(f: &mut Body, evolution: &Evolution, idle: &Idle) {
    f.tell((Sort::Done, "finish_loops"), idle.place, || {
        format!("{} values that the loop computes are known without its rounds", idle.results.len())
    });
    for &(phi, last) in &idle.results {
        let at = (At::BeforeTerminator(idle.preheader), f.place(phi));
        let v = compute(f, evolution, at, idle.trips, last);
        f.set_arg(phi, 0, v);
    }
    for &i in &idle.made {
        let undef = Value::undef(f.ty(i));
        f.replace(i, undef);
    }
}

fn finish(f: &mut Body, evolution: &Evolution, done: &Finishable) {
    let in_front = f.edge_from(done.enters);
    let mut asked: Option<Value> = None;
    for &(phi, last) in &done.results {
        let place = f.place(phi);
        let at = At::BeforeTerminator(in_front);
        if let Some(is_so) = condition(f, (at, place), last) {
            asked = Some(match asked {
                Some(asked) => Value::inst(f.insert(at, Op::And, Type::I1, &[asked, is_so], 0, place)),
                None => is_so,
            });
        }
    }
    let closed = asked.map_or(in_front, |_| f.create_block_after(in_front));
    let trips = match (done.at_least_one, done.trips) {
        (Some(up), TripCount::Distance(from, to, more)) => {
            let place = f.terminator(in_front).map_or(Place::NONE, |end| f.place(end));
            let at = (At::BeforeTerminator(in_front), place);
            let (one, first) = (f.int(1), if up { from } else { to });
            let next = make(f, at, if up { Op::Add } else { Op::Sub }, first, one);
            match up {
                true => TripCount::Distance(from, make(f, at, Op::SMax, to, next), more),
                false => TripCount::Distance(make(f, at, Op::SMin, from, next), to, more),
            }
        }
        (_, trips) => trips,
    };
    let mut values = Vec::new();
    for &(phi, last) in &done.results {
        let at = if asked.is_some() { At::End(closed) } else { At::BeforeTerminator(in_front) };
        values.push((phi, compute(f, evolution, (at, f.place(phi)), trips, last)));
    }
    let slot = match asked {
        Some(asked) => {
            let place = f.terminator(in_front).map_or(Place::NONE, |end| f.place(end));
            let around = f.split_edge(done.enters);
            f.clear_terminator(in_front);
            f.set_cond_br(in_front, asked, closed, around, place);
            let e = f.set_br(closed, done.behind, place);
            f.edge_slot(e)
        }
        None => {
            f.redirect(done.enters, done.behind);
            f.edge_slot(done.enters)
        }
    };
    for &(phi, v) in &values {
        f.set_arg(phi, slot, v);
    }
    if asked.is_some() {
        return;
    }
    // A block that is never reached may lead into the middle of the loop.
    let is_inside = |&e: &Edge| done.blocks.contains(&f.edge_from(e));
    if done.blocks.iter().all(|&b| f.preds(b).iter().all(&is_inside)) {
        f.remove_blocks(&done.blocks);
    }
    while let (Some(phi), &[_]) = (f.first(done.behind).filter(|&i| f.op(i) == Op::Phi), f.preds(done.behind))
    {
        let v = f.arg(phi, 0);
        f.replace(phi, v);
    }
}

#[cfg(test)]
mod tests;
