//! If-conversion: branches around a few cheap instructions become `select`, on targets with conditional selects (`TargetFacts::chooses`):
//!
//! ```text
//! if (x > best) best = x;                    best = x > best ? x : best
//! if (a && b) s = s + x; else s = s - y;     s = a & b ? s + x : s - y
//! ```
//!
//! A branch ends a block, and the scheduler of the machine side works on blocks: a branch in each round of an unrolled loop leaves as
//! many blocks as rounds. (llvm-mca's cycles on the Cortex-A53 beside `llc -O3`, 98 kernels: 1.045 became 1.012.)
//!
//! Two transformations, from the last block to the first, so that an inner `if` is converted before the outer one is looked at:
//!
//! - A `Diamond`, or triangle, of arms with at most `MOST` cheap instructions: both arms are speculated, and each phi of the join becomes a
//!   `select`.
//! - A branch to another branch with a successor in common (`CommonSuccessor`): both conditions are joined by `and` or `or`, if the
//!   branch that is left is a diamond. Selection makes `ccmp` of them (AArch64), or a comparison under a condition (ARMv7).
//!
//! Either is done if it executes at most `MORE` instructions more than the branches, by their probabilities; of a predictable branch, by a profile
//! or a hint, none more. Of a core whose mispredicted branches are known to cost something (`TargetFacts::mispredict`), a triangle may take
//! a quarter of that more, and have products (`power_modulo`: 0.67 of a Cortex-A53's cycles, 0.77 of an R52's, with 1.2 times the instructions).
//!
//! Blocks are merged once, from the first to the last: merged at each step, a row of n `if`s would move n^2 instructions.
//! O(instructions).
//!
//! (Allen, Kennedy, Porterfield and Warren 1983; LLVM's `FoldTwoEntryPHINode` and `FoldBranchToCommonDest`.)

use crate::analysis::TargetFacts;
use crate::base::BitSet;
use crate::ir::{At, Block, Body, Edge, Flags, Inst, IntPred, Op, Place, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static IF_CONVERT: FuncPass = FuncPass {
    name: "if_convert",
    description: "selects for branches around what is cheap",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// The most instructions of an arm, and of one that may have products, where mispredicted branches are known to cost something.
const MOST: usize = 3;
const MOST_IF_MISPREDICTED: usize = 5;
/// The most phis that become selects.
const MOST_SELECTS: usize = 2;
/// How many instructions more may be executed than with a branch that is not predictable.
const MORE: f64 = 1.0;
/// Of branches that are not predictable, how many are mispredicted.
const MISPREDICTED: f64 = 0.25;
/// How probable one way of a predictable branch is.
const PREDICTABLE: f64 = 15.0 / 16.0;
/// Blocks of so many instructions are merged at once, others when all is done.
const SMALL: usize = 4;

/// A conditional branch whose two ways meet again.
struct Diamond {
    block: Block,
    end: Inst,
    /// The edge of each way into the join.
    into: [Edge; 2],
    /// The block of each way, if it is not empty.
    arms: [Option<Block>; 2],
}

/// A conditional branch to another one, with a successor in common.
struct CommonSuccessor {
    block: Block,
    end: Inst,
    other: Block,
    /// The other one is the successor for true.
    is_yes: bool,
    /// The common successor is the other one's for true.
    if_true: bool,
    /// The other one's edge to its other successor.
    leaves: Edge,
}

/// What the target does on the way, of `TargetFacts`.
#[derive(Copy, Clone)]
struct Machine {
    /// A branch compares a register with zero itself.
    on_zero: bool,
    /// `chooses_next`: a select computes x + 1 or -x itself.
    next: bool,
    /// `chooses_sum`: ... and a sum with a constant, or a sum or difference of the other operand.
    sum: bool,
    word: u32,
    /// Cycles that a mispredicted branch costs.
    mispredict: f64,
}

impl Machine {
    /// A select computes -x itself.
    fn negates(self) -> bool {
        self.next || self.sum
    }
}

#[derive(Default)]
struct Scratch {
    blocks: Vec<Block>,
    /// Blocks whose branch was converted.
    heads: BitSet<Block>,
    selects: Vec<Selected>,
}

/// A phi that becomes a select.
struct Selected {
    phi: Inst,
    /// Its operand for each way.
    values: [Value; 2],
    /// Which of them is the negation of the other, and is to be computed from it.
    negation: Option<usize>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, Scratch { blocks, heads, selects }: &mut Scratch) -> Outcome {
    let f = &mut *cx.f;
    if !cx.target.chooses || !f.has_phis() {
        return Outcome::UNCHANGED;
    }
    let TargetFacts { branch_on_zero, chooses_next, chooses_sum, word, mispredict, .. } = *cx.target;
    let mispredict = f64::from(mispredict);
    let machine = Machine { on_zero: branch_on_zero, next: chooses_next, sum: chooses_sum, word, mispredict };
    let mut changed = false;
    heads.reset(f.block_count());
    blocks.clear();
    blocks.extend(f.blocks());
    for &b in blocks.iter().rev() {
        while f.is_placed(b) && step(f, machine, b, selects) {
            changed = true;
            heads.insert(b);
        }
    }
    let mut next = f.entry().filter(|_| changed);
    while let Some(b) = next {
        while heads.contains(b) && merge_next(f, b, usize::MAX) {}
        next = f.next_block(b);
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

/// Converts a block's branch, or joins it with a second one; false if neither is possible and pays.
fn step(f: &mut Body, machine: Machine, b: Block, selects: &mut Vec<Selected>) -> bool {
    let Some(end) = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr) else { return false };
    if let Some(diamond) = diamond(f, machine, b, end).filter(|diamond| pays(f, machine, diamond)) {
        convert(f, machine, &diamond, selects);
        merge_next(f, b, SMALL);
        return true;
    }
    let Some(common) = common_successor(f, b, end).filter(|common| joining_pays(f, machine, common)) else {
        return false;
    };
    join_conditions(f, &common);
    true
}

/// Merges the only successor of a block into it, if the block is its only predecessor and it has at most so many instructions.
fn merge_next(f: &mut Body, b: Block, most: usize) -> bool {
    let mut succs = f.succs(b);
    let (Some(e), None) = (succs.next(), succs.next()) else { return false };
    let to = f.edge_to(e);
    f.insts(to).take(most.saturating_add(1)).count() <= most && f.merge_into_pred(to)
}

/// The condition of a branch that nothing else uses: a comparison, or several joined by `and` and `or`.
fn condition(f: &Body, end: Inst) -> Option<Inst> {
    let is_one = |&i: &Inst| matches!(f.op(i), Op::ICmp | Op::FCmp | Op::And | Op::Or) && f.has_single_use(i);
    f.arg(end, 0).as_inst().filter(is_one)
}

/// A branch whose ways meet behind cheap arms.
fn diamond(f: &Body, machine: Machine, b: Block, end: Inst) -> Option<Diamond> {
    condition(f, end)?;
    let (yes, no) = f.ways(end);
    let ways = [yes, no];
    let arms = ways.map(|e| arm(f, machine, e, 1));
    let direct = ways.map(|e| f.edge_to(e));
    let ends = [0, 1].map(|k| arms[k].map_or(direct[k], |arm| f.edge_to(arm)));
    let choice = |takes: [bool; 2]| {
        let to = [0, 1].map(|k| if takes[k] { ends[k] } else { direct[k] });
        let into = [0, 1].map(|k| if takes[k] { arms[k].unwrap_or(ways[k]) } else { ways[k] });
        let arms = [0, 1].map(|k| (takes[k] && arms[k].is_some()).then_some(direct[k]));
        (to[0] == to[1] && to[0] != b).then_some(Diamond { block: b, end, into, arms })
    };
    [[true, true], [true, false], [false, true]].into_iter().find_map(choice)
}

/// The one edge out of the successor behind an edge, if that has so many predecessors and is cheap to speculate.
fn arm(f: &Body, machine: Machine, e: Edge, entered: usize) -> Option<Edge> {
    let b = f.edge_to(e);
    let mut succs = f.succs(b);
    let (Some(onward), None) = (succs.next(), succs.next()) else { return None };
    let is_arm = f.preds(b).len() == entered && f.terminator(b).is_some_and(|i| f.op(i) == Op::Br);
    (is_arm
        && f.edge_to(onward) != b
        && (is_cheap(f, b, MOST, false)
            || machine.mispredict != 0.0 && is_cheap(f, b, MOST_IF_MISPREDICTED, true)))
    .then_some(onward)
}

/// True if all instructions of a block, but for its end, are few and take a cycle or less; or are products.
fn is_cheap(f: &Body, b: Block, most: usize, products: bool) -> bool {
    let is_cheap = |i: Inst| match f.op(i) {
        Op::Add | Op::Sub | Op::And | Op::Or | Op::Xor | Op::Select | Op::ICmp => !f.ty(i).is_vector(),
        Op::Shl | Op::LShr | Op::AShr => !f.ty(i).is_vector() && f.arg(i, 1).is_constant(),
        Op::SExt | Op::ZExt | Op::Trunc => !f.ty(i).is_vector(),
        Op::Mul | Op::UMulHi => products && f.ty(i) == Type::I32,
        _ => Some(i) == f.terminator(b),
    };
    f.insts(b).take(most + 2).count() <= most + 1 && f.insts(b).all(is_cheap)
}

/// The probability of the way for true, and whether the branch is predictable.
fn probability(f: &Body, end: Inst) -> (f64, bool) {
    let flags = f.flags(end);
    let yes = flags.chance().unwrap_or(match flags.hint() {
        Flags::LIKELY => 1.0,
        Flags::UNLIKELY => 0.0,
        _ => 0.5,
    });
    (yes, yes.max(1.0 - yes) >= PREDICTABLE)
}

/// What a comparison costs a select more than a branch: some branches compare with zero themselves.
fn comparison_cost(f: &Body, machine: Machine, condition: Inst) -> f64 {
    let is_zero = |v: Value| f.as_int(v) == Some(0);
    let is_bit = |v: Value| v.as_inst().is_some_and(|i| f.op(i) == Op::And && f.has_single_use(i));
    let by_zero = f.op(condition) == Op::ICmp && is_zero(f.arg(condition, 1)) && !is_bit(f.arg(condition, 0));
    let is_simple = matches!(
        IntPred::from_payload(f.payload(condition)),
        IntPred::Eq | IntPred::Ne | IntPred::Slt | IntPred::Sge
    );
    if machine.on_zero && by_zero && is_simple { 1.0 } else { 0.0 }
}

/// True if selects execute little more than the branch. No phi may have a type without a select.
fn pays(f: &Body, machine: Machine, diamond: &Diamond) -> bool {
    let Some(condition) = condition(f, diamond.end) else { return false };
    let (yes, is_predictable) = probability(f, diamond.end);
    let (mut choose, mut branch) = (comparison_cost(f, machine, condition), 1.0);
    let parts = [yes, 1.0 - yes];
    for (arm, part) in diamond.arms.iter().zip(parts) {
        let rows = arm.map_or(0, |arm| f.insts(arm).count() - 1) as f64;
        choose += rows;
        branch += rows * part;
    }
    let has_two = diamond.arms.iter().all(|arm| arm.is_some_and(|arm| f.insts(arm).count() > 1));
    if has_two {
        // A jump over the other arm.
        branch += parts[0].min(parts[1]);
    }
    let [a, b] = diamond.into;
    let mut selects = 0;
    for phi in f.phis(f.edge_to(a)) {
        let values = [a, b].map(|e| f.arg(phi, f.edge_slot(e)));
        if values[0] == values[1] {
            continue;
        }
        selects += 1;
        let fits = match f.ty(phi) {
            Type::I32 | Type::Ptr | Type::F32 | Type::F64 => true,
            Type::I64 => machine.word == 64,
            _ => false,
        };
        if !fits {
            return false;
        }
        let is_of_arm = |k: usize| is_of_arm(f, diamond, k, values[k]);
        let is_free = |k: usize| {
            let (v, other) = (values[k], values[1 - k]);
            let is_changed = machine.next && is_next(f, v) || machine.sum && is_sum(f, v, other);
            is_of_arm(k) && (is_changed || machine.negates() && is_negated(f, v, other))
        };
        choose += match () {
            // And there is no comparison.
            () if bound_by_zero(f, condition, values).is_some() => -1.0,
            () if (0..2).any(is_free) => 0.0,
            () => 1.0,
        };
        // What an arm computes it may compute into the phi's register; what is there already has to be moved, on one side.
        if !(0..2).any(is_of_arm) {
            branch += parts[0].min(parts[1]);
        }
    }
    // Of two arms, the select would wait for both, where the branch waits for none (`collatz`, 1.28 of a Cortex-R52's cycles).
    let most = match has_two {
        _ if is_predictable => 0.0,
        true => MORE,
        false => MORE + machine.mispredict * MISPREDICTED,
    };
    let is_one = matches!(f.op(condition), Op::ICmp | Op::FCmp);
    selects <= MOST_SELECTS && (selects <= 1 || is_one) && choose <= branch + most
}

/// True of a value that is computed in the arm of a way.
fn is_of_arm(f: &Body, diamond: &Diamond, way: usize, v: Value) -> bool {
    diamond.arms[way].is_some() && v.as_inst().is_some_and(|i| diamond.arms[way] == f.block_of(i))
}

/// True of max(x, 0) of words, false of min(x, 0), none of other selects.
fn bound_by_zero(f: &Body, condition: Inst, values: [Value; 2]) -> Option<bool> {
    let &[x, limit] = f.args(condition) else { return None };
    if f.op(condition) != Op::ICmp || f.type_of(x) != Type::I32 {
        return None;
    }
    // For x = 0 both operands are 0, so it does not matter which is selected.
    let is_below = match (IntPred::from_payload(f.payload(condition)), f.as_int(limit)?) {
        (IntPred::Slt, 0 | 1) | (IntPred::Sle, -1 | 0) => true,
        (IntPred::Sge, 0 | 1) | (IntPred::Sgt, -1 | 0) => false,
        _ => return None,
    };
    let is_zero = |v: Value| f.as_int(v) == Some(0);
    match values {
        [yes, no] if is_zero(yes) && no == x => Some(is_below),
        [yes, no] if yes == x && is_zero(no) => Some(!is_below),
        _ => None,
    }
}

/// max(x, 0) or min(x, 0) by the sign as a mask: `bic x, x, x, asr #31` and `and x, x, x, asr #31`.
fn masked(f: &mut Body, b: Block, x: Value, keeps_upper: bool, place: Place) -> Inst {
    let insert = |f: &mut Body, op, args: [Value; 2]| {
        f.insert(At::BeforeTerminator(b), op, Type::I32, &args, 0, place)
    };
    let (last, all) = (f.int(31), f.int(-1));
    let mut mask = insert(f, Op::AShr, [x, last]);
    if keeps_upper {
        mask = insert(f, Op::Xor, [Value::inst(mask), all]);
    }
    insert(f, Op::And, [x, Value::inst(mask)])
}

/// True of x + 1 and -x, of words, with no other use.
fn is_next(f: &Body, v: Value) -> bool {
    v.as_inst().filter(|&i| f.ty(i) == Type::I32 && f.has_single_use(i)).is_some_and(|i| match *f.args(i) {
        [_, one] if f.op(i) == Op::Add => f.as_int(one) == Some(1),
        [zero, _] if f.op(i) == Op::Sub => f.as_int(zero) == Some(0),
        _ => false,
    })
}

/// True of x + constant, and of sums and differences of the other operand of the select, of words, with no other use.
fn is_sum(f: &Body, v: Value, other: Value) -> bool {
    let is_it = |i: Inst| match *f.args(i) {
        [a, b] if f.op(i) == Op::Add => b.is_constant() || a == other || b == other,
        [a, _] if f.op(i) == Op::Sub => a == other,
        _ => false,
    };
    v.as_inst().is_some_and(|i| f.ty(i) == Type::I32 && f.has_single_use(i) && is_it(i))
}

/// True of a - b with no other use, where the other operand is b - a.
fn is_negated(f: &Body, v: Value, other: Value) -> bool {
    let difference = |v: Value| v.as_inst().filter(|&i| f.op(i) == Op::Sub && f.ty(i) == Type::I32);
    let (Some(i), Some(j)) = (difference(v), difference(other)) else { return false };
    f.has_single_use(i) && f.arg(i, 0) == f.arg(j, 1) && f.arg(i, 1) == f.arg(j, 0)
}

/// Speculates both arms, and selects.
fn convert(f: &mut Body, machine: Machine, diamond: &Diamond, selects: &mut Vec<Selected>) {
    let &Diamond { block: b, end, into, arms } = diamond;
    let place = f.place(end);
    let (to, slots) = (f.edge_to(into[0]), into.map(|e| f.edge_slot(e)));
    selects.clear();
    for phi in f.phis(to) {
        let values = slots.map(|slot| f.arg(phi, slot));
        let is_here = |k: usize| is_of_arm(f, diamond, k, values[k]);
        // The second arm is placed behind the first one, so only it may refer to the other's values.
        let is_negated = |&k: &usize| {
            let is_behind = is_here(k) && (k == 1 || !is_here(1));
            machine.negates() && is_behind && is_negated(f, values[k], values[1 - k])
        };
        if values[0] != values[1] {
            selects.push(Selected { phi, values, negation: [1, 0].into_iter().find(is_negated) });
        }
    }
    for arm in arms.into_iter().flatten() {
        speculate(f, arm, b);
    }
    let Some(condition) = condition(f, end) else { return };
    f.move_inst(condition, At::BeforeTerminator(b));
    let mut asked = condition;
    for (k, &Selected { phi, values: [yes, no], negation }) in selects.iter().enumerate() {
        if k > 0 {
            // Selection folds a comparison into one user, so each select has its own; `mir/number` removes the equal ones.
            let args = f.args(condition).to_vec();
            let (op, payload) = (f.op(condition), f.payload(condition));
            asked = f.insert(At::BeforeTerminator(b), op, Type::I1, &args, payload, place);
            f.keep_flags(asked, condition);
        }
        if let Some(i) = negation.and_then(|k| [yes, no][k].as_inst()) {
            let other = if negation == Some(0) { no } else { yes };
            let zero = f.int(0);
            f.rewrite(i, Op::Sub, Type::I32, &[zero, other], 0);
        }
        let choice = match bound_by_zero(f, condition, [yes, no]) {
            Some(keeps_upper) => masked(f, b, f.arg(condition, 0), keeps_upper, place),
            None => {
                let args = [Value::inst(asked), yes, no];
                f.insert(At::BeforeTerminator(b), Op::Select, f.ty(phi), &args, 0, place)
            }
        };
        slots.into_iter().for_each(|slot| f.set_arg(phi, slot, Value::inst(choice)));
    }
    f.fold_cond_br(b, f.ways(end).0, place);
    f.remove_unused(condition);
    // The edge that is left leads through the first arm, which is empty now.
    if let Some(other) = arms[1] {
        f.remove_blocks(&[other]);
    }
    if arms[0].is_some() {
        merge_next(f, b, 1);
    }
}

/// Speculates a block: moves its instructions to the end of another one, without flags that would make poison there.
fn speculate(f: &mut Body, from: Block, to: Block) {
    let rows: Vec<Inst> = f.insts(from).filter(|&i| Some(i) != f.terminator(from)).collect();
    for i in rows {
        f.move_inst(i, At::BeforeTerminator(to));
        f.set_flags(i, Flags::NONE);
    }
}

/// A branch to another one that nothing else enters, with a successor in common.
fn common_successor(f: &Body, b: Block, end: Inst) -> Option<CommonSuccessor> {
    condition(f, end)?;
    let (yes, no) = f.ways(end);
    [(yes, no, true), (no, yes, false)].into_iter().find_map(|(to, away, is_yes)| {
        let other = f.edge_to(to);
        let second = f.terminator(other).filter(|&i| f.op(i) == Op::CondBr)?;
        let is_alone = f.preds(other).len() == 1 && other != b && f.edge_to(away) != other;
        // Selection appends one comparison at a time to a chain: one of both sides has to be a plain comparison.
        let is_joined = |end: Inst| condition(f, end).is_none_or(|i| matches!(f.op(i), Op::And | Op::Or));
        if !is_alone
            || !is_cheap(f, other, MOST, false)
            || condition(f, second).is_none()
            || is_joined(end) && is_joined(second)
        {
            return None;
        }
        let (a, c) = f.ways(second);
        let (common, leaves, if_true) = match f.edge_to(away) {
            common if common == f.edge_to(a) => (a, c, true),
            common if common == f.edge_to(c) => (c, a, false),
            _ => return None,
        };
        let agrees = |phi: Inst| f.arg(phi, f.edge_slot(common)) == f.arg(phi, f.edge_slot(away));
        let target = f.edge_to(leaves);
        let fits = target != f.edge_to(away)
            && target != b
            && target != other
            && f.phis(f.edge_to(away)).all(agrees);
        fits.then_some(CommonSuccessor { block: b, end, other, is_yes, if_true, leaves })
    })
}

/// True if the branch that is left is a diamond of cheap arms, and neither branch is predictable.
fn joining_pays(f: &Body, machine: Machine, common: &CommonSuccessor) -> bool {
    let (yes, no) = f.ways(common.end);
    let away = if common.is_yes { no } else { yes };
    let is_predictable = |end: Inst| probability(f, end).1;
    let [to, from] = [common.leaves, away].map(|e| f.edge_to(e));
    let [left, right] =
        [arm(f, machine, common.leaves, 1), arm(f, machine, away, 2)].map(|e| e.map(|e| f.edge_to(e)));
    let meets = left == Some(from) || right == Some(to) || left.is_some() && left == right;
    meets && !is_predictable(common.end) && f.terminator(common.other).is_some_and(|end| !is_predictable(end))
}

/// Joins the conditions of both branches.
fn join_conditions(f: &mut Body, common: &CommonSuccessor) {
    let &CommonSuccessor { block: b, end, other, is_yes, if_true, leaves } = common;
    let Some(second) = f.terminator(other) else { return };
    let (first, place) = (f.arg(end, 0), f.place(end));
    let mut asked = f.arg(second, 0);
    speculate(f, other, b);
    // `or` where the first branch goes to the common successor for true, else `and`.
    let op = if is_yes { Op::And } else { Op::Or };
    if if_true == is_yes {
        asked = negated(f, asked, b);
    }
    let both = Value::inst(f.insert(At::BeforeTerminator(b), op, Type::I1, &[first, asked], 0, place));
    f.set_arg(end, 0, both);
    f.set_flags(end, Flags::NONE);
    let (yes, no) = f.ways(end);
    let (to, target) = (if is_yes { yes } else { no }, f.edge_to(leaves));
    let brought: Vec<(Inst, Value)> =
        f.phis(target).map(|phi| (phi, f.arg(phi, f.edge_slot(leaves)))).collect();
    f.redirect(to, target);
    let slot = f.edge_slot(to);
    brought.into_iter().for_each(|(phi, v)| f.set_arg(phi, slot, v));
    f.remove_blocks(&[other]);
}

/// The negation of a condition with no other use.
fn negated(f: &mut Body, v: Value, b: Block) -> Value {
    let compare = v.as_inst().filter(|&i| f.op(i) == Op::ICmp);
    match compare {
        Some(i) => {
            let inverse = IntPred::from_payload(f.payload(i)).inverse();
            let args = f.args(i).to_vec();
            f.rewrite(i, Op::ICmp, Type::I1, &args, inverse as u32);
            v
        }
        None => {
            let yes = f.int_of(Type::I1, -1);
            let place = v.as_inst().map_or(Place::NONE, |i| f.place(i));
            Value::inst(f.insert(At::BeforeTerminator(b), Op::Xor, Type::I1, &[v, yes], 0, place))
        }
    }
}

#[cfg(test)]
mod tests;
