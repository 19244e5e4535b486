//! Partial unrolling: several rounds of an innermost loop for one test, and for one step of the pointers and
//! counters that it moves on.
//!
//! A loop whose number of rounds is not known, but whose variables take each other's places (`t = a % b; a = b; b = t`), is
//! copied as often as it takes for each to come back to its own, with a test in each round: then nothing is moved.
//!
//! A loop is left behind its latch, where a variable (a pointer, or an integer) that moves by a constant in
//! each round is compared with a bound. With n rounds for one test, the bound of the new loop is n - 1 steps
//! closer; the loop as it was does what is left. Where the number of rounds is a constant and n divides it,
//! nothing is left. Other ways out of the loop stay in each copy.
//!
//! | factor | where |
//! | --- | --- |
//! | a divisor of a constant number of rounds | the largest up to `MOST_FACTOR` that fits |
//! | 8, 4, 2 | elsewhere, as far as the copies hold at most `MOST_COPIED` instructions, 8 at most `MOST_SMALL`; or where it gains more, by loads or in many rounds |
//!
//! It pays where steps and test are a good part of a round: pointers of copies are offsets of one; and where a round
//! loads what one of the next rounds loads again, as stencils do: value numbering makes one load of both. Loops that
//! call something, and those whose pointers move farther than an offset reaches, are left alone. A function
//! grows by at most `MOST_GROWTH` percent and `ROOM`. Behind strength reduction, in front of simplification
//! and value numbering. O(instructions that are copied).

use crate::analysis::alias::may_share;
use crate::analysis::evolution::Sum;
use crate::analysis::memory::{Base, base_of, written};
use crate::analysis::simple_loop::SimpleLoop;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::opcode::WRITES;
use crate::ir::{Body, Inst, Op, Place, Shapes, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{CANONICAL_CFG, Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remainder::{Remainder, Test, step, test};
use crate::opt::loops::remarks::{place_of_loop, size_and_call};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static UNROLL: FuncPass = FuncPass {
    name: "unroll",
    description: "do several rounds of a small loop for one test",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Rounds for one test, where nothing is left behind them.
const MOST_FACTOR: u32 = 8;
/// Instructions of all copies of a round.
const MOST_COPIED: usize = 120;
/// The same where as many rounds as possible stand together and others are left.
const MOST_SMALL: usize = 80;
/// So many times the rounds for one test are many.
const MANY: u32 = 16;
/// A loop is unrolled if it gains at least one instruction of so many in a round.
const LEAST_GAIN: usize = 24;
/// Accesses of a round.
const MOST_ACCESSES: usize = 24;
/// How much a function may grow, in percent of its instructions, and instructions beyond.
const MOST_GROWTH: usize = 50;
const ROOM: usize = 400;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

/// A loop that is unrolled.
struct Plan {
    round: Round,
    factor: u32,
    test: Test,
    place: Place,
    /// Addresses in each round that the tested variable is the subscript of.
    addresses: Vec<Inst>,
    /// None if nothing is left of the rounds.
    remainder: Option<Remainder>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    if !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::EVOLUTION);
    // Where strength reduction has come by, loops have preheaders.
    let is_planned =
        |cx: &FuncCx, l| plan(cx, l, usize::MAX).is_some() || rotation(cx, l, usize::MAX).is_some();
    let any = |cx: &FuncCx| cx.analyses.loops.header.keys().any(|l| is_planned(cx, l));
    if !any(cx) {
        if cx.f.is_told() {
            tell(cx, (&[], &[]), usize::MAX);
        }
        return Outcome::UNCHANGED;
    }
    let mut changed = canonicalise(cx, &mut s.closer);
    cx.require(AnalysisSet::EVOLUTION);
    let blocks = || cx.f.blocks().flat_map(|b| cx.f.insts(b));
    let mut room = blocks().count() * MOST_GROWTH / 100 + ROOM;
    let (mut plans, mut rotations) = (Vec::new(), Vec::new());
    for l in cx.analyses.loops.header.keys() {
        if let Some(plan) = plan(cx, l, room) {
            room = room.saturating_sub(executed(cx.f, &plan.round) * plan.factor as usize);
            plans.push(plan);
        } else if let Some(rotation) = rotation(cx, l, room) {
            room = room.saturating_sub(rotation.round.size(cx.f) * rotation.factor as usize);
            rotations.push(rotation);
        }
    }
    if cx.f.is_told() {
        tell(cx, (&plans, &rotations), room);
    }
    let is_unrolled = !plans.is_empty() || !rotations.is_empty();
    if is_unrolled {
        s.copies.begin(cx.f);
        for plan in &plans {
            _ = unroll(cx.f, &cx.env.shapes, plan, &mut s.copies);
        }
        for rotation in &rotations {
            _ = rotate(cx.f, rotation, &mut s.copies);
        }
        changed = true;
    }
    Outcome::changed_if(changed, if is_unrolled { AnalysisSet::NONE } else { CANONICAL_CFG })
}

/// Says which innermost loops are unrolled, and why the others are not.
#[cold]
fn tell(cx: &mut FuncCx, (plans, rotations): (&[Plan], &[Rotation]), room: usize) {
    let mut said = Vec::new();
    for l in cx.analyses.loops.header.keys().filter(|&l| cx.analyses.loops.is_innermost(l)) {
        let place = place_of_loop(cx.f, cx.analyses, l);
        let header = cx.analyses.loops.header[l];
        let plan = plans.iter().find(|plan| plan.round.header == header);
        let text = match (plan, rotations.iter().find(|rotation| rotation.round.header == header)) {
            (Some(Plan { factor, remainder: None, .. }), _) => {
                format!("the loop does {factor} rounds for one test")
            }
            (Some(Plan { factor, .. }), _) => {
                format!("the loop does {factor} rounds for one test, and a copy of it those that are left")
            }
            (None, Some(Rotation { factor, .. })) => {
                format!("{factor} rounds of the loop stand one behind the other: its variables change places")
            }
            (None, None) => format!("the loop is not unrolled: {}", why_not(cx, l, room)),
        };
        let sort = if text.contains(" not ") { Sort::Missed } else { Sort::Done };
        said.push((sort, place, text));
    }
    for (sort, place, text) in said {
        cx.f.tell((sort, "unroll"), place, || text);
    }
}

/// Why a loop has no plan, in the order in which `plan` looks.
fn why_not(cx: &FuncCx, l: Loop, room: usize) -> String {
    let (size, call) = size_and_call(cx.f, cx.analyses, l);
    if let Some(call) = call {
        return format!("it calls '{}'", cx.env.names.text(cx.env.funcs[call].name));
    }
    let around = cx.analyses.simple_loop(cx.f, l);
    let Some(around) = around else { return "it is not entered, or goes back, in one place".to_string() };
    if size * 2 > MOST_COPIED {
        return format!("a round has {size} instructions, two of them more than {MOST_COPIED}");
    }
    if size * 2 > room {
        return "the function has grown enough".to_string();
    }
    match test(cx, &around) {
        None => "how often it goes round is not known in front of it".to_string(),
        Some(Test { rounds: Some(rounds), .. }) if rounds < 12 => format!("it does only {rounds} rounds"),
        Some(Test { usual: Some(rounds), .. }) if rounds < 12 => {
            format!("it does only {rounds} rounds on average, by the profile")
        }
        Some(_) => "that would save too little of a round".to_string(),
    }
}

fn plan(cx: &FuncCx, l: Loop, room: usize) -> Option<Plan> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let blocks = loops.blocks(l);
    if blocks.len() > MOST_COPIED || !loops.is_innermost(l) {
        return None;
    }
    let around = cx.analyses.simple_loop(f, l)?;
    let round = Round::of(&around)?;
    let size = executed(f, &round);
    let is_large = |i: Inst| f.ty(i).is_vector() && !cx.target.vectors.takes(f, i);
    let stays = |i: Inst| matches!(f.op(i), Op::Call | Op::Alloca) || is_large(i);
    if f.few_rounds.contains(around.header) {
        return None;
    }
    if size * 2 > MOST_COPIED.min(room) || blocks.iter().any(|&b| f.insts(b).any(stays)) {
        return None;
    }
    let test = test(cx, &around)?;
    let addresses = addresses(&around, test.next);
    let steps = steps(cx, &around, &addresses);
    // One test, and one step of what is moved on.
    let saved = steps.len() + if cx.target.compare_and_branch { 1 } else { 2 };
    let reach = steps.iter().map(|step| step.unsigned_abs()).max().unwrap_or(0);
    let loads = repeated_loads(cx, &around);
    // Of n rounds.
    let gain = |n: u32| saved * (n as usize - 1) + saved_loads(&loads, n);
    let fits = |n: u32| {
        let copied = size * n as usize;
        copied <= MOST_COPIED.min(room)
            && reach * u64::from(n - 1) <= u64::from(cx.target.offset)
            && gain(n) * LEAST_GAIN >= copied
    };
    let divisor =
        |rounds: u32| (2..=MOST_FACTOR).rev().find(|&n| rounds.is_multiple_of(n) && rounds > n && fits(n));
    let exact = test.rounds.and_then(divisor);
    let has_rounds = |&n: &u32| test.usual.is_none_or(|rounds| rounds >= 3 * n);
    // Loops that are left early are mostly short, but for those that look for something in memory.
    let is_long = around.is_left_behind_latch() || reach > 0;
    let is_small = |&n: &u32| is_long && size * n as usize <= MOST_SMALL;
    let may_be_more = |n: &u32| *n < MOST_FACTOR || is_small(n) && has_rounds(n);
    // By a profile, fewer stand together where rounds are few; a constant number is better divided.
    let suits = |n: u32| fits(n) && (test.rounds.is_some() || has_rounds(&n));
    let some = [8, 4, 2].into_iter().filter(may_be_more).find(|&n| suits(n)).filter(has_rounds);
    // What divides the rounds leaves none; what is saved by twice as many is worth that where loads are, or in many rounds.
    let has_many = |n: u32| test.rounds.is_some_and(|rounds| rounds >= MANY * n);
    let is_better = |&n: &u32| exact.is_none_or(|exact| n >= 2 * exact && (!loads.is_empty() || has_many(n)));
    let factor = some.filter(is_better).or(exact)?;
    let exact = exact.filter(|&exact| exact == factor);
    let place = f.place(f.terminator(round.latch)?);
    let remainder = match exact {
        Some(_) => None,
        None => Some(Remainder::of(cx, &around, (test, factor))?),
    };
    Some(Plan { round, factor, test, place, addresses, remainder })
}

/// Instructions of a round, but for addresses that are offsets of others: these are parts of loads and stores.
fn executed(f: &Body, round: &Round) -> usize {
    let is_offset = |i: Inst| f.op(i) == Op::ElemAddr && f.args(i)[1..].iter().all(|v| v.is_constant());
    let is_counted = |&i: &Inst| f.op(i) != Op::Phi && !f.op(i).is_terminator() && !is_offset(i);
    round.blocks.iter().map(|&b| f.insts(b).filter(is_counted).count()).sum()
}

/// A loop whose variables take each other's places.
struct Rotation {
    round: Round,
    factor: u32,
}

/// Instructions of a round that are copied for moves that are saved, and rounds.
const MOST_ROTATED: usize = 16;
const MOST_PLACES: u32 = 4;

fn rotation(cx: &FuncCx, l: Loop, room: usize) -> Option<Rotation> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    if loops.blocks(l).len() > MOST_ROTATED || !loops.is_innermost(l) {
        return None;
    }
    let around = cx.analyses.simple_loop(f, l)?;
    let round = Round::of(&around)?;
    let size = round.size(f);
    let stays = |i: Inst| matches!(f.op(i), Op::Call | Op::Alloca) || f.ty(i).is_vector();
    if size > MOST_ROTATED
        || loops.blocks(l).iter().any(|&b| f.insts(b).any(stays))
        || test(cx, &around).is_some()
    {
        return None;
    }
    // How many phis a value goes through before one takes what is computed, or it is back.
    let next = |phi: Inst| {
        let next = around.phi(Value::inst(phi))?.1.as_inst()?;
        Some(next).filter(|&next| next != phi && round.phis.contains(&next))
    };
    let places = |&phi: &Inst| {
        let way = std::iter::successors(Some(phi), |&at| next(at).filter(|&next| next != phi));
        way.take(MOST_PLACES as usize + 1).count() as u32
    };
    let factor = round.phis.iter().map(places).max().filter(|&places| (2..=MOST_PLACES).contains(&places))?;
    (size * factor as usize <= room).then_some(Rotation { round, factor })
}

/// Lets one round follow the other.
fn rotate(f: &mut Body, rotation: &Rotation, copies: &mut Copies) -> Option<()> {
    let round = &rotation.round;
    let mut rounds = vec![round.clone()];
    while rounds.len() < rotation.factor as usize {
        rounds.push(round.copy(f, copies)?);
    }
    round.forget(f, copies);
    for pair in rounds.windows(2) {
        pair[0].go_on_with(f, &pair[1]);
    }
    let (first, last) = (rounds.first()?, rounds.last()?);
    last.go_on_with(f, first);
    Some(())
}

/// How far from the first one in a class a load is, in steps of a round.
struct Repeated {
    class: usize,
    rounds: i64,
}

/// The loads of each round that another round may make again: nothing in the loop writes there.
fn repeated_loads(cx: &FuncCx, around: &SimpleLoop) -> Vec<Repeated> {
    let (f, evolution, loops) = (around.f, &cx.analyses.evolution, around.loops);
    let mut loads: Vec<(&Sum, i64, Base)> = Vec::new();
    let mut writes: Vec<Base> = Vec::new();
    for i in loops.blocks(around.l).iter().flat_map(|&b| f.insts(b)) {
        match f.op(i) {
            Op::Load if f.block_of(i).is_some_and(|b| around.in_each_trip(b)) => {
                let sum = f.arg(i, 0).as_inst().and_then(|at| evolution.of(at));
                let step = |sum| evolution.step((f, loops), around.l, sum).filter(|&step| step != 0);
                if let Some((sum, step)) = sum.and_then(|sum| Some((sum, step(sum)?))) {
                    loads.push((sum, step, base_of(f, f.arg(i, 0))));
                }
            }
            op if op.has(WRITES) => writes.push(written(f, i).map_or(Base::Unknown, |at| base_of(f, at))),
            _ => {}
        }
        if loads.len() + writes.len() > MOST_ACCESSES {
            return Vec::new();
        }
    }
    loads.retain(|load| !writes.iter().any(|&to| may_share(cx.env, f.func, load.2, to)));
    let mut repeated = Vec::new();
    for &(sum, step, _) in &loads {
        let apart = |other: &Sum| Some(sum.distance(other)?.wrapping_neg()).filter(|bytes| bytes % step == 0);
        let class = loads
            .iter()
            .enumerate()
            .find_map(|(class, other)| Some((class, apart(other.0).filter(|_| other.1 == step)?)));
        repeated.extend(class.map(|(class, bytes)| Repeated { class, rounds: bytes / step }));
    }
    if (2..=4).all(|n| saved_loads(&repeated, n) == 0) { Vec::new() } else { repeated }
}

/// How many loads n rounds do not make that others of them do.
fn saved_loads(loads: &[Repeated], n: u32) -> usize {
    let ahead = |k: u32| loads.iter().map(move |load| (load.class, load.rounds + i64::from(k)));
    let mut made: Vec<(usize, i64)> = (0..n).flat_map(ahead).collect();
    let all = made.len();
    made.sort_unstable();
    made.dedup();
    all - made.len()
}

/// Addresses of each round whose last step is by the variable that is tested: those of copies are offsets of
/// the first one's, since the test keeps the variable from wrapping around.
fn addresses(around: &SimpleLoop, next: Value) -> Vec<Inst> {
    let f = around.f;
    let Some(phi) = f
        .phis(around.header)
        .find(|&phi| f.ty(phi) == Type::I32 && around.phi(Value::inst(phi)).is_some_and(|(_, v)| v == next))
    else {
        return Vec::new();
    };
    let shares = |i: &Inst| {
        let in_each_round = |b| around.dominators.dominates(b, around.latch);
        f.op(*i) == Op::ElemAddr
            && f.args(*i).len() == 2
            && f.arg(*i, 1) == Value::inst(phi)
            && around.is_outside(f.arg(*i, 0))
            && f.block_of(*i).is_some_and(in_each_round)
    };
    let mut users: Vec<Inst> = f.uses(phi).map(|u| u.user).filter(shares).collect();
    users.sort_unstable();
    users
}

/// How far integers and pointers move in a round, for those that are moved on by a constant and need no step
/// of their own in each copy. A pointer's is in bytes; an integer has none.
fn steps(cx: &FuncCx, around: &SimpleLoop, addresses: &[Inst]) -> Vec<i64> {
    let f = around.f;
    let step = |phi: Inst| {
        let (_, next) = around.phi(Value::inst(phi))?;
        let step = step(cx, around, phi)?;
        if f.ty(phi) == Type::Ptr {
            return Some(step);
        }
        let counts = |u: Inst| f.op(u) == Op::ICmp || Value::inst(u) == next || addresses.contains(&u);
        let only_counts = f.uses(phi).all(|u| counts(u.user))
            && f.uses(next.as_inst()?).all(|u| u.user == phi || f.op(u.user) == Op::ICmp);
        only_counts.then_some(0)
    };
    f.phis(around.header).filter_map(step).collect()
}

/// Makes the copies, the loop around them, and what leads into it and from it to what is left.
fn unroll(f: &mut Body, shapes: &Shapes, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let &Plan { ref round, factor, test, place, .. } = plan;
    let exact = plan.remainder.is_none();
    let mut rounds: Vec<Round> = Vec::new();
    let mut next = test.next;
    // What stands for the addresses in the first round.
    let mut shared: Vec<Value> = Vec::new();
    if exact {
        rounds.push(round.clone());
        shared.extend(plan.addresses.iter().map(|&i| Value::inst(i)));
    }
    while rounds.len() < factor as usize {
        let ahead = rounds.len() as i64 * test.step;
        rounds.push(round.copy(f, copies)?);
        next = Round::value(copies, test.next);
        let own = plan.addresses.iter().map(|&i| Round::value(copies, Value::inst(i)));
        if rounds.len() == 1 {
            shared.extend(own);
            continue;
        }
        for (&first, own) in shared.iter().zip(own) {
            let Some(own) = own.as_inst() else { continue };
            let (payload, ahead) = (f.payload(own), f.int(ahead as i32));
            f.rewrite(own, Op::ElemAddr, Type::Ptr, &[first, ahead], payload);
        }
    }
    round.forget(f, copies);
    let (first, last) = (rounds.first()?, rounds.last()?);
    let (results, nexts) = (last.results(f), last.nexts(f));
    for pair in rounds.windows(2) {
        pair[0].go_on_with(f, &pair[1]);
    }
    last.go_on_with(f, first);
    for earlier in &rounds[..rounds.len() - 1] {
        f.fold_cond_br(earlier.latch, earlier.back, place);
    }
    if let Some(remainder) = &plan.remainder {
        remainder.add(f, shapes, (round, place), (&rounds, next), (&nexts, &results), None)?;
    }
    for later in &rounds[1..] {
        later.join(f);
    }
    Some(())
}

#[cfg(test)]
mod tests;
