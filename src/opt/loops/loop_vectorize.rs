//! Loop vectorisation: four rounds of a loop are done by instructions on vectors, where the machine has those.
//!
//! ```text
//! for (i = 0; i < n; i++)                for (i = 0; i + 3 < n; i += 4)
//!   c[i] = a[i] * k + b[i];                c[i..i + 3] = a[i..i + 3] * kkkk + b[i..i + 3];
//!                                        for (; i < n; i++) ...
//! ```
//!
//! | in the loop | becomes |
//! | --- | --- |
//! | a load or store whose address moves on by its size | one of 16 bytes |
//! | a load from the same place each time, that nothing stores to | itself, in every lane |
//! | loads, or stores, of all words between lanes that are two, three or four words apart | those in turn (`groups`) |
//! | what is computed of lanes | the same of vectors (`ir/legal` says what there is) |
//! | a counter that is computed with | a vector of four, that steps by so many rounds |
//! | a sum, product, minimum and the like of integers; of floats where they promise that order does not matter | one a lane, put together behind the loop |
//! | what the loop does not change | a vector of it, in front |
//!
//! The loop is one block and counts. Floats are computed lane by lane as they were, so sums of them stay (their order
//! is what they are). Between the rounds of one vector accesses change places: none may meet another one of a later
//! round that comes first then (`dependence`), which is asked in front of the loop where it is not known (`checks`). The loop as it was does the rounds that are left (`remainder`). Several
//! vectors for one test are what `unroll` makes of it, which leaves the loop of one vector for those that are left: with
//! four vectors here, and up to 15 rounds for the loop as it was, 96 kernels took 3.5% more instructions.
//!
//! O(instructions of candidates, and the square of their accesses). R. Allen and K. Kennedy, "Optimizing compilers for
//! modern architectures" (2001), chapters 2 and 5; LLVM's `LoopVectorize`.

mod checks;
mod emit;
mod groups;
mod if_convert;
mod in_order;
mod quotient;
mod roles;

use crate::analysis::Evolution;
use crate::analysis::dependence::{Access, Around, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::base::BitSet;
use crate::base::graph::Loop;
use crate::ir::body::region::Copies;
use crate::ir::legal::Vectors;
use crate::ir::{Block, Inst, Op, Place, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::copies::Round;
use crate::opt::loops::remainder::{Remainder, Test, test};
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use checks::{Check, checks};
use if_convert::Branches;
use roles::Roles;

/// The pass.
pub static LOOP_VECTORIZE: FuncPass = FuncPass {
    name: "loop_vectorize",
    description: "do four rounds of a loop by instructions on vectors",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Instructions of a round that are looked at,
const MOST_INSTS: usize = 200;
/// and accesses among them.
const MOST_ACCESSES: usize = 32;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    copies: Copies,
}

/// What is done.
struct Plan {
    round: Round,
    test: Test,
    /// None if the rounds divide and nothing is asked.
    remainder: Option<Remainder>,
    /// What is asked in front.
    checks: Vec<Check>,
    roles: Roles,
    /// What the machine has.
    vectors: Vectors,
    /// Lanes of a vector.
    lanes: u32,
    /// A choice by lanes is one instruction with what it chooses.
    masks: bool,
    /// What an address is as a number, in IR and on the machine.
    words: [Type; 2],
    place: Place,
}

/// What there is for lanes.
#[derive(Copy, Clone)]
struct Lanes {
    vectors: Vectors,
    /// How many there are in a vector.
    lanes: u32,
    /// They may lie in memory as far apart as they like.
    any_stride: bool,
}

/// Why a loop stays as it is.
type Why = &'static str;

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_shape = |l: Loop| cx.analyses.loops.is_innermost(l);
    if !cx.target.vectors.are_there()
        || !worth_it(cx.f, cx.analyses)
        || !cx.analyses.loops.header.keys().any(is_shape)
    {
        return Outcome::UNCHANGED;
    }
    let mut changed = canonicalise(cx, &mut s.closer);
    cx.require(AnalysisSet::EVOLUTION);
    changed |= if_convert(cx, &mut s.closer);
    let (mut plans, mut missed) = (Vec::new(), Vec::new());
    for l in cx.analyses.loops.header.keys() {
        match plan(cx, l) {
            Some(Ok(plan)) => plans.push(plan),
            Some(Err(why)) => missed.push(why),
            None => {}
        }
    }
    for (place, why) in missed {
        let told = (Sort::Missed, "loop_vectorize");
        cx.f.tell(told, place, || format!("the loop is not vectorized: {why}"));
    }
    s.copies.begin(cx.f);
    for plan in &plans {
        cx.f.tell((Sort::Done, "loop_vectorize"), plan.place, || {
            format!("vectorized loop (vectorization width: {}, interleaved count: 1)", plan.lanes)
        });
        let done = emit::vectorise(cx.f, &cx.env.shapes, plan, &mut s.copies);
        debug_assert!(done.is_some(), "a plan has all that is asked for");
    }
    Outcome::changed_if(
        changed || !plans.is_empty(),
        if plans.is_empty() { AnalysisSet::ALL } else { AnalysisSet::NONE },
    )
}

/// Makes one block of the rounds of loops that branch, where vectors come of it; true if it did. What comes of it shows in
/// a copy of the body.
fn if_convert(cx: &mut FuncCx, closer: &mut Closer) -> bool {
    let mut wanted = branching(cx);
    if wanted.is_empty() {
        return false;
    }
    let before = cx.f.clone();
    let count = wanted.len();
    convert(cx, closer, &wanted);
    let mut fitting: BitSet<Block> = BitSet::new(cx.f.block_count());
    for l in cx.analyses.loops.header.keys() {
        if let Some(Ok(plan)) = plan(cx, l) {
            fitting.insert(plan.round.header);
        }
    }
    wanted.retain(|branches| fitting.contains(branches.header()));
    if wanted.len() < count {
        *cx.f = before;
        cx.analyses.keep(AnalysisSet::NONE);
        cx.require(AnalysisSet::EVOLUTION);
        cx.analyses.note_canonical();
        if !wanted.is_empty() {
            convert(cx, closer, &wanted);
        }
    }
    !wanted.is_empty()
}

fn branching(cx: &FuncCx) -> Vec<Branches> {
    let all = cx.analyses.loops.header.keys();
    let by_masks = cx.target.vectors.has(Op::MaskedStore, Type::I32x4);
    let fits = all.filter(|&l| may_fit(cx, l));
    fits.filter_map(|l| Branches::of(cx.env, cx.f, cx.analyses, (l, MOST_INSTS), by_masks)).collect()
}

/// False for a loop of which it is known before it is one block that no vectors come of it: each access moves on by a
/// number of bytes in a round, and how often it goes round is known. (Of 34 bodies of `realistic` that were copied and
/// converted, 33 were taken back.)
fn may_fit(cx: &FuncCx, l: Loop) -> bool {
    let (f, loops, evolution) = (&*cx.f, &cx.analyses.loops, &cx.analyses.evolution);
    if !loops.is_innermost(l) || loops.blocks(l).len() < 2 {
        return false;
    }
    let Some(around) = cx.analyses.simple_loop(f, l) else { return false };
    let is_even = |i: Inst| {
        let address = match f.op(i) {
            Op::Load => f.arg(i, 0),
            Op::Store => f.arg(i, 1),
            _ => return true,
        };
        let steps = |i: Inst| evolution.step((f, loops), l, evolution.of(i)?);
        around.is_outside(address) || address.as_inst().and_then(steps).is_some()
    };
    test(cx, &around).is_some_and(|test| f.type_of(test.next) == Type::I32)
        && loops.blocks(l).iter().flat_map(|&b| f.insts(b)).all(is_even)
}

fn convert(cx: &mut FuncCx, closer: &mut Closer, wanted: &[Branches]) {
    for branches in wanted {
        branches.convert(cx.f, &cx.analyses.dominators);
    }
    cx.analyses.keep(AnalysisSet::NONE);
    canonicalise(cx, closer);
    cx.require(AnalysisSet::EVOLUTION);
}

/// None for a loop that is not of the form at all.
fn plan(cx: &mut FuncCx, l: Loop) -> Option<Result<Plan, (Place, Why)>> {
    let &[block] = cx.analyses.loops.blocks(l) else { return None };
    let around = cx.analyses.simple_loop(cx.f, l)?;
    around.leaves(block)?;
    let test = test(cx, &around);
    // What dependence asks of evolution has it note products.
    let mut evolution = std::mem::take(&mut cx.analyses.evolution);
    let plan = cx.analyses.simple_loop(cx.f, l).map(|around| {
        let plan = plan_of(cx, &mut evolution, &around, test);
        plan.map_err(|why| (place_of_loop(cx.f, cx.analyses, l), why))
    });
    cx.analyses.evolution = evolution;
    plan
}

fn plan_of(
    cx: &FuncCx,
    evolution: &mut Evolution,
    simple: &SimpleLoop,
    test: Option<Test>,
) -> Result<Plan, Why> {
    let f = simple.f;
    let round = Round::of(simple).ok_or("it is left in several places")?;
    let test = test.filter(|test| f.type_of(test.next) == Type::I32);
    let test = test.ok_or("how often it goes round is not known in front of it")?;
    let lanes = lanes_for(cx.target.vectors, test.rounds).ok_or("it does few rounds")?;
    if test.rounds.is_none() && test.usual.is_some_and(|rounds| rounds < 2 * lanes) {
        return Err("it does few rounds, by the profile");
    }
    if f.insts(simple.header).count() > MOST_INSTS {
        return Err("its round is large");
    }
    let around = Around { env: cx.env, f, loops: simple.loops, dominators: simple.dominators };
    let nest = Nest::of(around, evolution, simple.l, simple.l).ok_or("it does not count simply")?;
    let mut accesses: Vec<Access> = Vec::new();
    for i in f.insts(simple.header).filter(|&i| matches!(f.op(i), Op::Load | Op::Store | Op::MaskedStore)) {
        let access = nest.access(around, evolution, i).ok_or("it accesses memory in an unknown way")?;
        accesses.push(access);
    }
    if accesses.len() > MOST_ACCESSES {
        return Err("it accesses memory in many places");
    }
    let stride = |i: Inst| {
        let access = accesses.iter().find(|access| access.inst == i)?;
        nest.stride(access, 0)
    };
    let of_lanes = Lanes { vectors: cx.target.vectors, lanes, any_stride: cx.target.any_stride };
    let roles = Roles::find(of_lanes, simple, stride, (&nest, &accesses))?;
    let trips = simple.trip_count(cx.env).or_else(|| simple.trip_count_up_to());
    let checks = checks(simple, (&nest, &accesses), (trips, lanes))?;
    let is_masked = accesses.iter().any(|access| f.op(access.inst) == Op::MaskedStore);
    if is_masked && checks.iter().any(Check::is_for_one) {
        return Err("it may change what it loads for all rounds, by a store on one side of a branch");
    }
    let divides = test.rounds.is_some_and(|rounds| rounds.is_multiple_of(lanes));
    let remainder = match divides && checks.is_empty() {
        true => None,
        false => Some(Remainder::of(cx, simple, (test, lanes)).ok_or("its bound may be too large")?),
    };
    let place = place_of_loop(f, cx.analyses, simple.l);
    let of_bytes = |bytes: u64| if bytes == 4 { Type::I32 } else { Type::I64 };
    let words = [cx.env.shapes.bytes_of(Type::Ptr).into(), u64::from(cx.target.word / 8)].map(of_bytes);
    let (vectors, masks) = (cx.target.vectors, cx.target.masks);
    Ok(Plan { round, test, remainder, checks, roles, vectors, lanes, masks, words, place })
}

/// How many lanes do the rounds of a loop with the fewest steps: a round that is left takes as long as a vector, or two.
fn lanes_for(vectors: Vectors, rounds: Option<u32>) -> Option<u32> {
    let mut all = [16, 8, 4].into_iter().filter(|&n| {
        vector_of(Type::I32, n).is_some_and(|ty| vectors.has(Op::Phi, ty))
            && rounds.is_none_or(|rounds| rounds == n || rounds >= 2 * n)
    });
    match rounds {
        None => all.next(),
        Some(rounds) => all.min_by_key(|n| rounds / n + 2 * (rounds % n)),
    }
}

/// What a value is in a lane, as far as the type goes.
fn vector_of(ty: Type, lanes: u32) -> Option<Type> {
    matches!(ty, Type::I1 | Type::I32 | Type::F32).then(|| Type::lanes_of(ty, lanes)).flatten()
}

/// True if the loop does not define a value, or it is a constant.
fn is_fixed(simple: &SimpleLoop, v: Value) -> bool {
    simple.is_outside(v)
}

#[cfg(test)]
mod tests;
