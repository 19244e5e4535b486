//! Conditions that a loop asks in each round, asked outside of it: copies of innermost loops in which the
//! answer is known.
//!
//! | condition | what becomes of the loop |
//! | --- | --- |
//! | changes in no round | two loops, and a branch in front of them (unswitching); also of a loop around an innermost one that it guards |
//! | i < m, i >= m and the like | one loop up to m, another one from there on |
//! | several: i + c < m, i + c >= m, i == m, and some that change in no round | a copy for the rounds from `low` up to `high` in which all have the answer that guards have in the inside of a range; the loop as it was does the rest, and looks behind each round whether the copy may go on |
//!
//! A test of two variables that meet becomes one of the first of them first (`meeting`).
//! A choice (`select`) by a variable that is counted is asked like a branch, if it is the same in seven rounds of eight:
//! `a[(i + 1) % n]`, whose remainder is a choice by ranges (`values/ranges`), is `a[i + 1]` in all rounds but the last one.
//!
//! What is compared with is from outside of the loop around as well, since the copies would else be led into there again and
//! again; but rounds that do nothing else for one answer than to count go, and may cost that (a triangle of a matrix).
//!
//! i is the variable that the loop counts with, up by one, and left as soon as the next one is not below a
//! bound; so it does not wrap around. i + c might: rounds of the copy begin at 0, and end before that. Bounds
//! are sums that saturate, since fewer rounds in the copy are no mistake. (Unswitching: Allen and Cocke, "A
//! catalogue of optimizing transformations", 1971; splitting of index sets: Wolfe, "High performance
//! compilers for parallel computing", 1996.)
//!
//! It pays if a round loses one instruction of `LEAST_GAIN`. Loops that call something or do few rounds are
//! left alone; a function grows by at most `MOST_GROWTH` percent and `ROOM`. What the copies have become is
//! simplified at once. O(branches of innermost loops), and what is copied.

use crate::analysis::Evolution;
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::Counted;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::opcode::PURE;
use crate::ir::{Block, Body, Edge, Inst, IntPred, Op, Sort, Type, Value};
use crate::opt::flow::simplify_cfg::SIMPLIFY_CFG;
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::meeting::meet_in_the_middle;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static SPLIT_LOOPS: FuncPass = FuncPass {
    name: "split_loops",
    description: "ask conditions in front of loops, and at a round of them, instead of in each",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Loops, and what their variables are.
const NEEDS: AnalysisSet = AnalysisSet::EVOLUTION;

/// Instructions of a loop that is copied.
const MOST_COPIED: usize = 400;
/// Branches that are taken into account, and different conditions.
const MOST_BRANCHES: usize = 128;
const MOST_KINDS: usize = 12;
/// A branch and what it compares count as two instructions; a round has to lose one of so many.
const LEAST_GAIN: usize = 12;
/// Loops that do no more rounds are left alone.
const FEW_ROUNDS: u32 = 8;
/// How much a function may grow, in percent of its instructions, and instructions beyond.
const MOST_GROWTH: usize = 50;
const ROOM: usize = 200;
/// A choice is asked elsewhere if all rounds but one of so many have the same answer.
const FEW_OF: i64 = 8;
/// Blocks that only go on, on the way to the end of a round.
const MOST_FORWARDS: usize = 3;
/// What is added to the variable that is compared is less than this.
const FARTHEST: i64 = 1 << 20;
/// How often copies are looked at again.
const MOST_DEPTH: usize = 3;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

/// A branch or a choice in a loop.
#[derive(Copy, Clone, Debug)]
struct Asked {
    by: Asks,
    kind: Kind,
    /// The answer in the copy.
    truth: bool,
}

/// What asks.
#[derive(Copy, Clone, Debug)]
enum Asks {
    /// The branch at the end of a block.
    Branch(Block),
    /// A `select`.
    Choice(Inst),
}

/// What is asked, so that the answer is `truth`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A value that the loop does not change is `truth`.
    Same(Value),
    /// i + c < m, for a number; where `more`, i + c < m + 1.
    Below { m: Value, c: i64, more: bool },
    /// i + c >= m; where `more`, i + c >= m + 1.
    From { m: Value, c: i64, more: bool },
    /// i is not m - c.
    Not { m: Value, c: i64 },
}

impl Kind {
    /// What the variable is compared with.
    fn number(self) -> Option<Value> {
        match self {
            Kind::Same(_) => None,
            Kind::Below { m, .. } | Kind::From { m, .. } | Kind::Not { m, .. } => Some(m),
        }
    }
}

/// What becomes of a loop.
struct Plan {
    round: Round,
    enters: Edge,
    counted: Counted,
    asked: Vec<Asked>,
    form: Form,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    /// Two loops.
    Unswitch(Value),
    /// Two loops, one behind the other: first the rounds where i compares so with a value.
    Split(IntPred, Value),
    /// A copy for some of the rounds.
    Inside,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let mut changed = false;
    let mut room = None;
    for _ in 0..MOST_DEPTH {
        if !worth_it(cx.f, cx.analyses) {
            break;
        }
        if decide(cx) | meet_in_the_middle(cx) {
            changed = true;
            clean(cx);
        }
        let asks = |l: Loop| {
            let blocks = cx.analyses.loops.blocks(l);
            blocks.iter().filter(|&&b| cx.f.succs(b).len() == 2).nth(1).is_some()
                || blocks.iter().any(|&b| choices(cx.f, b).next().is_some())
        };
        // What guards a loop is seen without.
        let inner = |l: Loop| cx.analyses.loops.is_innermost(l) && asks(l);
        let needs = match cx.analyses.loops.header.keys().any(inner) {
            true => NEEDS,
            false => AnalysisSet::LOOPS,
        };
        let guarded = |l: Loop| guarded(cx, l, usize::MAX).is_some();
        if needs != NEEDS && !cx.analyses.loops.header.keys().any(guarded) {
            break;
        }
        cx.require(needs);
        let any = |cx: &FuncCx| cx.analyses.loops.header.keys().any(|l| plan(cx, l, usize::MAX).is_some());
        if !any(cx) {
            break;
        }
        let size = || cx.f.blocks().flat_map(|b| cx.f.insts(b)).count();
        let mut left = room.unwrap_or_else(|| size() * MOST_GROWTH / 100 + ROOM);
        changed |= canonicalise(cx, &mut s.closer);
        cx.require(needs);
        let mut plans = Vec::new();
        for l in cx.analyses.loops.header.keys() {
            if let Some(plan) = plan(cx, l, left) {
                left -= plan.round.size(cx.f);
                plans.push(plan);
            }
        }
        room = Some(left);
        if plans.is_empty() {
            break;
        }
        s.copies.begin(cx.f);
        plans.iter().for_each(|plan| tell(cx.f, plan));
        for plan in &plans {
            _ = copies::split(cx.f, plan, &mut s.copies);
        }
        changed = true;
        clean(cx);
    }
    Outcome::changed_if(
        changed,
        AnalysisSet::ORDER
            .with(AnalysisSet::DOMINATORS)
            .with(AnalysisSet::LOOPS)
            .with(AnalysisSet::EVOLUTION),
    )
}

/// Says what is asked elsewhere than in each round.
fn tell(f: &mut Body, plan: &Plan) {
    for asked in &plan.asked {
        let asks = match asked.by {
            Asks::Branch(b) => f.terminator(b),
            Asks::Choice(i) => Some(i),
        };
        let place = asks.map_or(crate::ir::Place::NONE, |i| f.place(i));
        f.tell((Sort::Done, "split_loops"), place, || {
            let how = match plan.form {
                Form::Unswitch(_) => {
                    "the condition is asked once in front of the loop, which there are two of"
                }
                Form::Split(..) => {
                    "the loop is two, one behind the other, in each of which the condition is known"
                }
                Form::Inside => "the condition is known in most rounds, which have a loop of their own",
            };
            how.to_string()
        });
    }
}

/// Simplifies branches, and makes loops true of the body.
fn clean(cx: &mut FuncCx) {
    cx.analyses.keep(AnalysisSet::NONE);
    cx.require(SIMPLIFY_CFG.needs);
    let kept = (SIMPLIFY_CFG.run)(cx).kept;
    cx.analyses.keep(kept);
    cx.require(AnalysisSet::LOOPS);
}

fn plan(cx: &FuncCx, l: Loop, room: usize) -> Option<Plan> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let blocks = loops.blocks(l);
    if blocks.len() > MOST_COPIED {
        return None;
    }
    if !loops.is_innermost(l) {
        return guarded(cx, l, room);
    }
    let branches = blocks.iter().filter(|&&b| f.succs(b).len() == 2).count();
    let has_choice = || blocks.iter().any(|&b| choices(f, b).next().is_some());
    if branches > MOST_BRANCHES || branches < 2 && !has_choice() {
        return None;
    }
    let around = cx.analyses.simple_loop(f, l)?;
    let counted = around.counted(around.latch).filter(|counted| counted.is_next && counted.step == 1)?;
    if counted.goes_on != IntPred::Slt {
        return None;
    }
    let stays = |i: Inst| matches!(f.op(i), Op::Call | Op::Alloca);
    if blocks.iter().any(|&b| f.insts(b).any(stays)) {
        return None;
    }
    let numbers = (f.as_int(counted.first), f.as_int(counted.bound));
    let trips = around.constant_trips(cx.env, &counted);
    let is_constant = numbers.0.is_some() && numbers.1.is_some();
    if trips.map_or(is_constant, |trips| trips <= FEW_ROUNDS) {
        return None;
    }
    let mut asked: Vec<Asked> = blocks
        .iter()
        .filter(|&&b| b != around.latch)
        .filter_map(|&b| ask(&around, &cx.analyses.evolution, &counted, b))
        .collect();
    let chosen = blocks.iter().flat_map(|&b| choices(f, b));
    asked.extend(chosen.filter_map(|i| ask_choice(&around, &cx.analyses.evolution, &counted, i)));
    let round = Round::of(&around)?;
    let size = round.size(f);
    if asked.is_empty() || size > room.min(MOST_COPIED) {
        return None;
    }
    // The variable does not wrap around.
    let is_below = numbers.0.is_some_and(|first| first < i64::from(i32::MAX)) || around.is_ahead(&counted);
    // What is computed in front would else be computed in each round of the loop around.
    let around_it = loops.parent[l].get();
    let is_far = |v: Value| {
        let home = v.as_inst().and_then(|i| f.block_of(i));
        home.is_none_or(|b| around_it.is_none_or(|outer| !loops.contains(outer, b)))
    };
    if !is_below || !is_far(counted.bound) {
        asked.retain(|asked| matches!(asked.kind, Kind::Same(_)));
    }
    // But for a part of the rounds that do nothing, which go.
    let is_idle = |by: Asks| matches!(by, Asks::Branch(b) if is_idle(&around, b));
    asked.retain(|asked| asked.kind.number().is_none_or(|m| is_far(m) || is_idle(asked.by)));
    let form = form(f, &mut asked)?;
    (asked.len() * 2 * LEAST_GAIN >= size).then_some(Plan {
        round,
        enters: around.enters,
        counted,
        asked,
        form,
    })
}

/// A loop around an innermost one that a condition guards which does not change: `if (0 < n)` in front of a loop up to n.
/// One of the copies has no loop in it, and in the other one rounds have the form that `unroll_and_jam` takes.
fn guarded(cx: &FuncCx, l: Loop, room: usize) -> Option<Plan> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let &[latch] = loops.latches(l) else { return None };
    let own = |&&b: &&Block| loops.innermost[b].get() == Some(l);
    let asks = |&b: &Block| b != latch && f.succs(b).len() == 2;
    loops.blocks(l).iter().filter(own).find(|&b| asks(b))?;
    let mut inside =
        loops.blocks(l).iter().filter_map(|&b| loops.innermost[b].get()).filter(|&inner| inner != l);
    let inner = inside.next()?;
    let around = cx.analyses.simple_loop(f, l).filter(|around| around.is_left_behind_latch())?;
    let counted = around.counted(latch).filter(|counted| counted.is_next)?;
    if !inside.all(|other| other == inner) {
        return None;
    }
    let header = loops.header[inner];
    let asked = |&block: &Block| {
        let leads = |e: Edge| around.dominators.dominates(f.edge_to(e), header);
        let branch = f.terminator(block).filter(|&i| f.op(i) == Op::CondBr)?;
        let condition = f.arg(branch, 0);
        let is_asked = around.is_outside(condition) && !condition.is_constant();
        let is_guard = is_asked && f.succs(block).filter(|&e| leads(e)).count() == 1;
        is_guard.then_some((
            Asked { by: Asks::Branch(block), kind: Kind::Same(condition), truth: true },
            condition,
        ))
    };
    let (asked, condition) = loops.blocks(l).iter().filter(own).filter(|&b| asks(b)).find_map(asked)?;
    let stays = |i: Inst| matches!(f.op(i), Op::Call | Op::Alloca);
    let round = Round::of(&around)?;
    if round.size(f) > room.min(MOST_COPIED) || round.blocks.iter().any(|&b| f.insts(b).any(stays)) {
        return None;
    }
    Some(Plan { round, enters: around.enters, counted, asked: vec![asked], form: Form::Unswitch(condition) })
}

/// True if a round does nothing for one answer at the end of a block, but to count: `if (i < j) { j++; continue; }`.
fn is_idle(around: &SimpleLoop, block: Block) -> bool {
    let f = around.f;
    let computes =
        |b: Block| f.insts(b).all(|i| f.op(i).has(PURE) || f.op(i) == Op::Phi || f.op(i).is_terminator());
    let leads_on = |mut b: Block| {
        for _ in 0..MOST_FORWARDS {
            if b == around.latch {
                return f.phis(b).next().is_none();
            }
            let is_empty = f.insts(b).all(|i| f.op(i) == Op::Br);
            let Some(e) = f.succs(b).next().filter(|_| is_empty) else { return false };
            b = f.edge_to(e);
        }
        false
    };
    block == around.header
        && f.phis(block).count() == 1
        && computes(block)
        && computes(around.latch)
        && f.succs(block).any(|e| leads_on(f.edge_to(e)))
}

/// What the branch at the end of a block asks.
fn ask(around: &SimpleLoop, evolution: &Evolution, counted: &Counted, block: Block) -> Option<Asked> {
    let f = around.f;
    let branch = f.terminator(block).filter(|&i| f.op(i) == Op::CondBr)?;
    let condition = f.arg(branch, 0);
    if condition.is_constant() {
        return None;
    }
    let pred = comparison(f, condition).map(|i| IntPred::from_payload(f.payload(i)));
    let truth = likely(f, block)?.unwrap_or(pred != Some(IntPred::Eq));
    let by = Asks::Branch(block);
    if around.is_outside(condition) {
        return Some(Asked { by, kind: Kind::Same(condition), truth });
    }
    let (kind, answer) = counts(around, evolution, counted, condition, truth)?;
    Some(Asked { by, kind, truth: answer })
}

/// What a choice asks, if it is the same in nearly all rounds.
fn ask_choice(around: &SimpleLoop, evolution: &Evolution, counted: &Counted, i: Inst) -> Option<Asked> {
    let f = around.f;
    let condition = f.arg(i, 0);
    let both = [true, false].map(|truth| counts(around, evolution, counted, condition, truth));
    let (kind, truth) = both.into_iter().flatten().find(|&(kind, _)| mostly(f, counted, kind))?;
    Some(Asked { by: Asks::Choice(i), kind, truth })
}

/// Choices by comparisons of numbers.
fn choices(f: &Body, b: Block) -> impl Iterator<Item = Inst> {
    f.insts(b).filter(move |&i| f.op(i) == Op::Select && comparison(f, f.arg(i, 0)).is_some())
}

/// The comparison of two numbers that a condition is.
fn comparison(f: &Body, condition: Value) -> Option<Inst> {
    condition.as_inst().filter(|&i| f.op(i) == Op::ICmp && f.type_of(f.arg(i, 0)) == Type::I32)
}

/// What is asked of the variable that is counted, so that a condition is `truth`, and what it is then.
fn counts(
    around: &SimpleLoop,
    evolution: &Evolution,
    counted: &Counted,
    condition: Value,
    truth: bool,
) -> Option<(Kind, bool)> {
    let f = around.f;
    let compare = comparison(f, condition)?;
    let (&[x, y], pred) = (f.args(compare), IntPred::from_payload(f.payload(compare))) else { return None };
    let (x, m, pred) = match (around.is_outside(x), around.is_outside(y)) {
        (false, true) => (x, y, pred),
        (true, false) => (y, x, pred.swapped()),
        _ => return None,
    };
    let c = evolution.of(x.as_inst()?)?.distance(evolution.of(counted.phi)?)?;
    if c.abs() >= FARTHEST {
        return None;
    }
    let kind = match if truth { pred } else { pred.inverse() } {
        IntPred::Slt => Kind::Below { m, c, more: false },
        IntPred::Sle => Kind::Below { m, c, more: true },
        IntPred::Sgt => Kind::From { m, c, more: true },
        IntPred::Sge => Kind::From { m, c, more: false },
        // There is one round in which they are equal.
        IntPred::Eq => return Some((Kind::Not { m, c }, !truth)),
        IntPred::Ne => Kind::Not { m, c },
        _ => return None,
    };
    Some((kind, truth))
}

/// True if the answer is the one that is asked for in all rounds but one of eight, or but for a few at the end or the beginning.
fn mostly(f: &Body, counted: &Counted, kind: Kind) -> bool {
    let [first, bound] = [counted.first, counted.bound].map(|v| f.as_int(v));
    let (m, c, more) = match kind {
        Kind::Below { m, c, more } | Kind::From { m, c, more } => (m, c, more),
        Kind::Not { .. } => return true,
        Kind::Same(_) => return false,
    };
    let is_below = matches!(kind, Kind::Below { .. });
    // The round from which on i + c is not below.
    let turn = f.as_int(m).map(|m| m - c + i64::from(more));
    match (turn, first, bound) {
        (Some(turn), Some(first), Some(bound)) => {
            let others = if is_below { bound - turn } else { turn - first };
            others <= (bound - first) / FEW_OF
        }
        (Some(turn), Some(first), None) => !is_below && turn - first <= FEW_OF,
        _ => is_below && m == counted.bound && c <= FEW_OF,
    }
}

/// The answer for which there is something to do, where the other one leads past that at once.
fn likely(f: &Body, b: Block) -> Option<Option<bool>> {
    let mut succs = f.succs(b).map(|e| f.preds(f.edge_to(e)).len() > 1);
    let (yes, no) = (succs.next()?, succs.next()?);
    Some((yes != no).then_some(no))
}

/// True if a condition is about a variable that moves on in a loop around, as the tests for borders are, and
/// not about how something is to be done.
fn is_border(f: &Body, condition: Value) -> bool {
    let moves = |v: Value| {
        let mut at = v;
        for _ in 0..3 {
            match at.as_inst().map(|i| (i, f.op(i))) {
                Some((_, Op::Phi)) => return true,
                Some((i, Op::Add)) => at = f.arg(i, 0),
                _ => return false,
            }
        }
        false
    };
    let compare = condition.as_inst().filter(|&i| f.op(i) == Op::ICmp);
    compare.is_some_and(|i| f.args(i).iter().any(|&v| moves(v)))
}

/// What to make of a loop, for what it asks. Leaves in the list what is known then.
fn form(f: &Body, asked: &mut Vec<Asked>) -> Option<Form> {
    // The one answer or the other, but the same everywhere.
    for k in 1..asked.len() {
        let other = match asked[k].kind {
            Kind::Below { m, c, more } => Kind::From { m, c, more },
            Kind::From { m, c, more } => Kind::Below { m, c, more },
            _ => continue,
        };
        if asked[..k].iter().any(|before| before.kind == other) {
            asked[k].kind = other;
            asked[k].truth = !asked[k].truth;
        }
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for asked in asked.iter() {
        if !kinds.contains(&asked.kind) {
            kinds.push(asked.kind);
        }
    }
    let is_same = |kind: &&Kind| matches!(kind, Kind::Same(_));
    let is_choice = |kind: &&Kind| matches!(**kind, Kind::Same(v) if !is_border(f, v));
    let first = *kinds.first()?;
    let same = kinds
        .iter()
        .find(is_choice)
        .or(kinds.iter().find(is_same).filter(|_| kinds.iter().all(|kind| is_same(&kind))));
    if let Some(&kind) = same
        && let Kind::Same(condition) = kind
    {
        asked.retain(|asked| asked.kind == kind);
        return Some(Form::Unswitch(condition));
    }
    let at = |kind: Kind| match kind {
        Kind::Below { m, c: 0, more } | Kind::From { m, c: 0, more } => {
            Some((if more { IntPred::Sle } else { IntPred::Slt }, m))
        }
        _ => None,
    };
    let is_below = |kind: &Kind| matches!(kind, Kind::Below { .. });
    let is_from = |kind: &Kind| matches!(kind, Kind::From { .. });
    if let Some((pred, m)) = at(first)
        && (kinds.iter().all(is_below) || kinds.iter().all(is_from))
    {
        asked.retain(|asked| asked.kind == first);
        if is_from(&first) {
            // The other answer comes first.
            asked.iter_mut().for_each(|asked| asked.truth = !asked.truth);
        }
        return Some(Form::Split(pred, m));
    }
    let is_free = |&v: &&Kind| matches!(*v, Kind::Not { m, .. } if f.as_int(m).is_none());
    let fits = kinds.len() <= MOST_KINDS && kinds.iter().filter(is_free).count() <= 1;
    fits.then_some(Form::Inside)
}

/// Decides what compares variables that loops count with with the bounds of these: they are below. True if
/// there was something. O(uses).
fn decide(cx: &mut FuncCx) -> bool {
    let mut decided: Vec<(Inst, bool)> = Vec::new();
    let f = &*cx.f;
    for l in cx.analyses.loops.header.keys() {
        let Some(around) = cx.analyses.simple_loop(f, l) else { continue };
        let Some(counted) = around.counted(around.latch).filter(|counted| counted.is_next) else { continue };
        let first = counted.phi;
        let compared = f.uses(first).map(|u| u.user).filter(|&i| f.op(i) == Op::ICmp);
        let asked = compared.filter_map(|i| {
            let pred = IntPred::from_payload(f.payload(i));
            match *f.args(i) {
                [a, b] if a == Value::inst(counted.phi) && b == counted.bound => Some((i, pred)),
                [a, b] if b == Value::inst(counted.phi) && a == counted.bound => Some((i, pred.swapped())),
                _ => None,
            }
        });
        let mut asked = asked.peekable();
        if asked.peek().is_none() || counted.goes_on != IntPred::Slt {
            continue;
        }
        if !around.is_ahead(&counted) {
            continue;
        }
        for (i, pred) in asked {
            match pred {
                IntPred::Slt | IntPred::Sle | IntPred::Ne => decided.push((i, true)),
                IntPred::Sgt | IntPred::Sge | IntPred::Eq => decided.push((i, false)),
                _ => {}
            }
        }
    }
    for &(i, truth) in &decided {
        cx.f.replace(i, Value::bool(truth));
    }
    !decided.is_empty()
}

/// The edge that a branch goes on for an answer.
fn way(f: &Body, b: Block, truth: bool) -> Option<Edge> {
    let mut succs = f.succs(b);
    let (yes, no) = (succs.next()?, succs.next()?);
    Some(if truth { yes } else { no })
}

/// Lets what asks do what it does for an answer.
fn fold(f: &mut Body, by: Asks, truth: bool) {
    match by {
        Asks::Branch(b) => fold_branch(f, b, truth),
        Asks::Choice(i) => f.replace(i, f.arg(i, if truth { 1 } else { 2 })),
    }
}

fn fold_branch(f: &mut Body, b: Block, truth: bool) {
    if let (Some(keep), Some(branch)) = (way(f, b, truth), f.terminator(b)) {
        let place = f.place(branch);
        f.fold_cond_br(b, keep, place);
    }
}

mod copies;
#[cfg(test)]
mod tests;
