//! Full unrolling: all rounds of an innermost loop one behind the other, where their number is a small constant and
//!
//! | what | why |
//! | --- | --- |
//! | that makes something known | a subscript of a local or of a constant array, a test, a factor, a distance of a shift |
//! | the loop is short and stands in another one | what leads into it is saved, and what it loads of other rounds around is in registers |
//! | all that its rounds load is the same in each round of the one around, and fits into registers | where no vectors come of it: weights of a filter over a ring |
//!
//! What the copies have become is simplified at once, and a loop around that holds no other one then is
//! looked at, up to `MOST_DEPTH` times. Other ways out of the loop stay in each copy. All copies of a loop
//! hold at most `MOST_COPIED` instructions; a function grows by at most `MOST_GROWTH` percent and `ROOM`.
//! O(instructions that are copied).

use crate::analysis::alias::may_share;
use crate::analysis::memory::{Base, base_of, written};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::Counted;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::opcode::{PURE, WRITES};
use crate::ir::{Block, Body, Env, Inst, Op, Sort, Type, Value};
use crate::opt::flow::simplify_cfg::SIMPLIFY_CFG;
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remarks::{place_of_loop, size_and_call};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::opt::values::simplify::SIMPLIFY;

/// The pass.
pub static UNROLL_ALL: FuncPass = FuncPass {
    name: "unroll_all",
    description: "do all rounds of a short loop one behind the other",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Rounds of a loop.
const MOST_ROUNDS: u32 = 32;
/// Instructions of all its rounds,
const MOST_COPIED: usize = 200;
/// and where nothing gets known but that the loop is short.
const MOST_PLAIN: usize = 96;
/// and where what they load stays in registers, of which so many are left for other things.
const MOST_KEPT: usize = 300;
const OTHER_REGISTERS: usize = 10;
/// Loops inside of each other.
const MOST_DEPTH: usize = 3;
/// Instructions of a loop around that are looked at, for each loop in it: `unroll_and_jam` leaves larger ones alone.
const MOST_AROUND: usize = 400;
/// Steps that are looked at of how an address is made.
const MOST_STEPS: usize = 16;
/// How much a function may grow, in percent of its instructions, and instructions beyond.
const MOST_GROWTH: usize = 50;
const ROOM: usize = 300;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

/// A loop, and how many rounds it does.
struct Plan {
    round: Round,
    rounds: u32,
    /// The header of the loop around it.
    around: Option<Block>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let mut changed = false;
    let mut room = None;
    // Headers of loops around those that have been unrolled, in order.
    let mut around: Vec<Block> = Vec::new();
    for depth in 0..MOST_DEPTH {
        cx.require(AnalysisSet::LOOPS);
        // The clean-up behind copies has taken preheaders away.
        if depth > 0 {
            changed |= canonicalise(cx, &mut s.closer);
            cx.require(AnalysisSet::LOOPS);
        }
        // The others have been looked at.
        let is_new =
            |cx: &FuncCx, l: Loop| depth == 0 || around.binary_search(&cx.analyses.loops.header[l]).is_ok();
        let found = |cx: &FuncCx| -> Vec<Plan> {
            let all = cx.analyses.loops.header.keys().filter(|&l| is_new(cx, l));
            all.filter_map(|l| plan(cx, l, &around)).collect()
        };
        let mut all = if worth_it(cx.f, cx.analyses) { found(cx) } else { Vec::new() };
        if all.is_empty() {
            if cx.f.is_told() {
                tell(cx, &[]);
            }
            break;
        }
        let size = || cx.f.blocks().flat_map(|b| cx.f.insts(b)).count();
        let mut left = room.unwrap_or_else(|| size() * MOST_GROWTH / 100 + ROOM);
        if depth == 0 && canonicalise(cx, &mut s.closer) {
            changed = true;
            cx.require(AnalysisSet::LOOPS);
            all = found(cx);
        }
        let mut plans: Vec<Plan> = Vec::new();
        for plan in all {
            let copied = plan.round.size(cx.f) * plan.rounds as usize;
            if copied <= left {
                left -= copied;
                plans.push(plan);
            }
        }
        room = Some(left);
        around = plans.iter().filter_map(|plan| plan.around).collect();
        around.sort_unstable();
        if cx.f.is_told() {
            tell(cx, &plans);
        }
        if plans.is_empty() {
            break;
        }
        s.copies.begin(cx.f);
        for plan in &plans {
            _ = unroll(cx.f, plan, &mut s.copies);
        }
        changed = true;
        cx.analyses.keep(AnalysisSet::NONE);
        // Tests in front of loops have not been simplified either since they were made.
        cx.scratch.changes.forget();
        for pass in [&SIMPLIFY, &SIMPLIFY_CFG] {
            cx.require(pass.needs);
            let kept = (pass.run)(cx).kept;
            cx.analyses.keep(kept);
        }
        if !plans.iter().any(|plan| plan.around.is_some()) {
            break;
        }
    }
    // Those that are true now have been made behind the last round, or the passes of it have kept them.
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// Says which loops of a known number of rounds are unrolled, and why the others are not.
#[cold]
fn tell(cx: &mut FuncCx, plans: &[Plan]) {
    let mut said = Vec::new();
    for l in cx.analyses.loops.header.keys().filter(|&l| cx.analyses.loops.is_innermost(l)) {
        let (f, header) = (&*cx.f, cx.analyses.loops.header[l]);
        let place = place_of_loop(f, cx.analyses, l);
        if let Some(plan) = plans.iter().find(|plan| plan.round.header == header) {
            let text = format!("all {} rounds of the loop stand one behind the other", plan.rounds);
            said.push((Sort::Done, place, text));
            continue;
        }
        let around = cx.analyses.simple_loop(f, l);
        let counted = around.as_ref().and_then(|around| around.counted_with_sums(cx.env, around.latch));
        let rounds = counted
            .filter(|found| found.is_next)
            .and_then(|counted| around.as_ref()?.constant_trips(cx.env, &counted));
        let Some(rounds) = rounds else { continue };
        let (size, call) = size_and_call(f, cx.analyses, l);
        let why = match call {
            Some(call) => format!("it calls '{}'", cx.env.names.text(cx.env.funcs[call].name)),
            None if rounds > MOST_ROUNDS => format!("{rounds} rounds are more than {MOST_ROUNDS}"),
            None => {
                format!("{rounds} rounds of {size} instructions would be too much for what becomes known")
            }
        };
        said.push((
            Sort::Missed,
            place,
            format!("not all rounds of the loop stand one behind the other: {why}"),
        ));
    }
    for (sort, place, text) in said {
        cx.f.tell((sort, "unroll_all"), place, || text);
    }
}

fn plan(cx: &FuncCx, l: Loop, around_others: &[Block]) -> Option<Plan> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let blocks = loops.blocks(l);
    if blocks.len() > MOST_COPIED || !loops.is_innermost(l) {
        return None;
    }
    let around = cx.analyses.simple_loop(f, l)?;
    let counted = around.counted_with_sums(cx.env, around.latch).filter(|counted| counted.is_next)?;
    let rounds = around.constant_trips(cx.env, &counted)?;
    let stays = |i: Inst| matches!(f.op(i), Op::Call | Op::Alloca);
    if rounds > MOST_ROUNDS || blocks.iter().any(|&b| f.insts(b).any(stays)) {
        return None;
    }
    let round = Round::of(&around)?;
    let copied = round.size(f) * rounds as usize;
    let outer = loops.parent[l].get().map(|l| loops.header[l]);
    // What counts rounds goes, and addresses are mostly offsets of one.
    let goes = |&i: &Inst| f.op(i) == Op::ElemAddr || i == counted.compare || Value::inst(i) == counted.next;
    let gone = blocks.iter().flat_map(|&b| f.insts(b)).filter(goes).count();
    let plain = if is_in_block(&around) { copied } else { copied - gone * rounds as usize };
    // What is left of an inner loop computes the same again and again, which goes later.
    let is_short = match around_others.binary_search(&around.header).is_ok() {
        true => copied <= MOST_COPIED,
        false => plain <= MOST_PLAIN,
    };
    let pays = is_short && outer.is_some()
        || copied <= MOST_COPIED && gets_known(cx.env, &around, &counted)
        || copied <= MOST_KEPT && keeps_loads(cx, &around, (&counted, rounds));
    pays.then_some(Plan { round, rounds, around: outer })
}

/// True if a loop sums up, or loads something for all its rounds, and that depends on both loops around it: blocks of their
/// rounds go through it together, which share more than its own rounds have for each other (`unroll_and_jam`: tiles of a
/// product take three times as long without).
fn is_in_block(around: &SimpleLoop) -> bool {
    let (f, loops) = (around.f, around.loops);
    let parent = loops.parent[around.l].get();
    let Some((parent, outer)) = parent.and_then(|parent| Some((parent, loops.parent[parent].get()?))) else {
        return false;
    };
    let is_between = |v: &Value| {
        let home = v.as_inst().and_then(|i| f.block_of(i));
        home.is_some_and(|b| loops.contains(outer, b) && !loops.contains(parent, b))
    };
    let depends = |i: Inst| f.args(i).iter().any(is_between);
    let insts = |l: Loop| loops.blocks(l).iter().flat_map(|&b| f.insts(b));
    let is_one = |i: Inst| f.op(i) == Op::Load && is_fixed(around, f.arg(i, 0));
    let is_shared = f.phis(around.header).count() > 1 || insts(around.l).any(is_one);
    is_shared && insts(parent).take(MOST_AROUND).any(depends)
}

/// True if an address is the same in all rounds, as far as some steps tell.
fn is_fixed(around: &SimpleLoop, address: Value) -> bool {
    let f = around.f;
    let mut open = vec![address];
    for _ in 0..MOST_STEPS {
        let Some(v) = open.pop() else { return true };
        match v.as_inst().filter(|_| !around.is_outside(v)) {
            Some(i) if f.op(i).has(PURE) => open.extend_from_slice(f.args(i)),
            Some(_) => return false,
            None => {}
        }
    }
    false
}

/// True if it helps to know the induction variable in each round.
fn gets_known(env: &Env, around: &SimpleLoop, counted: &Counted) -> bool {
    let f = around.f;
    // A local array becomes values, and what a constant one holds is known.
    let is_known = |v: Value| match base_of(f, v) {
        Base::Own(_) => true,
        Base::Global(global) => env.globals[global].constant,
        Base::Param(_) | Base::Unknown => false,
    };
    let helps = |i: Inst, v: Value| match f.op(i) {
        Op::ICmp => {
            i != counted.compare && f.args(i).iter().all(|&other| other == v || f.as_int(other).is_some())
        }
        Op::Mul | Op::Shl | Op::LShr | Op::AShr | Op::SDiv | Op::SRem | Op::And => {
            f.args(i).iter().any(|&other| other != v)
        }
        Op::ElemAddr => is_known(f.arg(i, 0)),
        _ => false,
    };
    let mut uses = [Value::inst(counted.phi), counted.next].into_iter().flat_map(|v| {
        let users = v.as_inst().into_iter().flat_map(|i| f.uses(i));
        users.map(move |u| (u.user, v))
    });
    uses.any(|(i, v)| helps(i, v))
}

/// True if all rounds load by the counter from what the loop around does not write, as often as there are registers, and a
/// variable turns round, so that no vectors come of them.
fn keeps_loads(cx: &FuncCx, around: &SimpleLoop, (counted, rounds): (&Counted, u32)) -> bool {
    let &SimpleLoop { f, loops, l, .. } = around;
    let Some(outer) = loops.parent[l].get().filter(|_| f.as_int(counted.first).is_some()) else {
        return false;
    };
    let turns = |phi: Inst| {
        let next = around.phi(Value::inst(phi)).map(|(_, next)| next).filter(|_| f.ty(phi) == Type::I32);
        let chosen = next.and_then(Value::as_inst).filter(|&i| matches!(f.op(i), Op::Phi | Op::Select));
        chosen.is_some_and(|i| i != phi && f.args(i).iter().any(|v| v.is_constant()))
    };
    if !f.phis(around.header).any(turns) {
        return false;
    }
    let by_counter = |i: Inst| {
        let address = Some(i).filter(|&i| f.op(i) == Op::Load).map(|i| f.arg(i, 0))?;
        let at = address.as_inst().filter(|&at| f.op(at) == Op::ElemAddr)?;
        let (&by, rest) = f.args(at).split_last()?;
        let is_fixed = by == Value::inst(counted.phi) && rest.iter().all(|&v| around.is_outside(v));
        is_fixed.then(|| base_of(f, address))
    };
    let kept: Vec<Base> = loops.blocks(l).iter().flat_map(|&b| f.insts(b)).filter_map(by_counter).collect();
    let writes = |i: Inst| match f.op(i) {
        Op::Call => true,
        op if op.has(WRITES) => {
            let to = written(f, i).map_or(Base::Unknown, |to| base_of(f, to));
            kept.iter().any(|&from| may_share(cx.env, f.func, from, to))
        }
        _ => false,
    };
    let registers = (cx.target.registers[0] as usize).saturating_sub(OTHER_REGISTERS);
    let fits = !kept.is_empty() && kept.len() * rounds as usize <= registers;
    let mut outside = loops.blocks(outer).iter().flat_map(|&b| f.insts(b));
    fits && !outside.by_ref().take(MOST_AROUND).any(writes) && outside.next().is_none()
}

/// Puts the rounds one behind the other.
fn unroll(f: &mut Body, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let mut rounds = vec![plan.round.clone()];
    for _ in 1..plan.rounds {
        rounds.push(plan.round.copy(f, copies)?);
    }
    plan.round.forget(f, copies);
    for pair in rounds.windows(2) {
        pair[0].go_on_with(f, &pair[1]);
        let place = f.place(f.terminator(pair[0].latch)?);
        f.fold_cond_br(pair[0].latch, pair[0].back, place);
    }
    let last = rounds.last()?;
    let place = f.place(f.terminator(last.latch)?);
    f.fold_cond_br(last.latch, last.out, place);
    for round in &rounds {
        round.join(f);
    }
    Some(())
}

#[cfg(test)]
mod tests;
