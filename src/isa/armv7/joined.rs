//! Comparisons that are joined by `and` or `or`: one comparison, and behind it others under conditions.
//!
//! A comparison whose condition fails leaves the flags as they are, so what they tell then has to be the result of the
//! whole. Of `and`, one is skipped where those before it have failed, and its own condition must fail under these flags,
//! too: it implies the ones before. Of `or` it is implied by them. No chain of conditions that imply one another has more
//! than two, a strong one and a weak one (LT and LE, EQ and LS), so all parts ask one of two: those of `and` the weak one
//! first. Most comparisons can ask two things, with the operands the other way around or another constant: `a < b` is LT
//! or GT, `a < 8` is LT or, with 7, LE. What fits neither, and what is no comparison of words, is a truth in a register,
//! which is compared. (GCC has pairs of such conditions for two comparisons, `arm_select_dominance_cc_mode`.)
//!
//! O(parts x conditions).

use super::imm::is_rotated;
use super::integer::{extended, load_word};
use super::rows::*;
use crate::ir::{Inst, IntPred, Op, Type, Value};
use crate::isa::compare::{Cond, Integers, comparison, integers, joins, without_negations};
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// The most parts: what comes behind is a part as a whole.
const MOST: usize = 8;

/// A part: what is asked of a value and another one, or a constant.
#[derive(Copy, Clone)]
struct Part {
    /// The i1 that it stands for, without negations.
    truth: Value,
    /// The opposite of that is meant.
    is_opposite: bool,
    /// The comparison, if it is one of words or less.
    compared: Option<Integers>,
}

/// The conditions that parts ask: the strong one implies the weak one.
const PAIRS: [(Cond, Cond); 22] = {
    use Cond::{Eq, Ge, Gt, Hi, Hs, Le, Lo, Ls, Lt, Ne};
    [
        (Lt, Lt),
        (Gt, Gt),
        (Le, Le),
        (Ge, Ge),
        (Lo, Lo),
        (Hi, Hi),
        (Ls, Ls),
        (Hs, Hs),
        (Eq, Eq),
        (Ne, Ne),
        (Lt, Le),
        (Gt, Ge),
        (Lo, Ls),
        (Hi, Hs),
        (Lt, Ne),
        (Gt, Ne),
        (Lo, Ne),
        (Hi, Ne),
        (Eq, Le),
        (Eq, Ge),
        (Eq, Ls),
        (Eq, Hs),
    ]
};

/// The constant with which a condition says of a number what a predicate says of it with `x`. Of a truth, which is 0 or 1,
/// signs say as much as bits.
fn constant_for(pred: IntPred, x: i32, cond: Cond, is_truth: bool) -> Option<i32> {
    use Cond::{Eq, Ge, Gt, Hi, Hs, Le, Lo, Ls, Lt, Ne};
    if Cond::of_ints(pred) == cond {
        return Some(x);
    }
    let by = match (pred, cond) {
        (IntPred::Slt, Le) if x != i32::MIN => -1,
        (IntPred::Sle, Lt) if x != i32::MAX => 1,
        (IntPred::Sgt, Ge) if x != i32::MAX => 1,
        (IntPred::Sge, Gt) if x != i32::MIN => -1,
        (IntPred::Ult, Ls) if x != 0 => -1,
        (IntPred::Ule, Lo) if x != -1 => 1,
        (IntPred::Ugt, Hs) if x != -1 => 1,
        (IntPred::Uge, Hi) if x != 0 => -1,
        (IntPred::Eq, Ls) | (IntPred::Ne, Hi) if x == 0 => 0,
        (IntPred::Eq, Lo) | (IntPred::Ne, Hs) if x == 0 => 1,
        (IntPred::Eq, Le) | (IntPred::Ne, Gt) if is_truth && x == 0 => 0,
        (IntPred::Eq, Lt | Ne) | (IntPred::Ne, Ge | Eq) if is_truth && x == 0 => 1,
        _ => return None,
    };
    Some(x.wrapping_add(by))
}

impl Part {
    fn of(cx: &Select, v: Value, is_opposite: bool) -> Part {
        let (truth, negated) = without_negations(cx, v);
        let compared =
            comparison(cx, truth).filter(|&i| cx.body.op(i) == Op::ICmp && cx.body.args(i).len() == 2);
        let compared = compared.map(|i| integers(cx, i)).filter(|compared| {
            matches!(cx.body.type_of(compared.a), Type::I8 | Type::I16 | Type::I32 | Type::Ptr)
        });
        Part { truth, is_opposite: is_opposite ^ negated, compared }
    }

    /// What is asked in place of the predicate of a comparison.
    fn pred(&self, compared: &Integers) -> IntPred {
        if self.is_opposite { compared.pred.inverse() } else { compared.pred }
    }

    /// True if its comparison can be asked under a condition.
    fn can_ask(&self, cx: &Select, cond: Cond) -> bool {
        let Some(compared) = &self.compared else { return false };
        let pred = self.pred(compared);
        match known(cx, compared) {
            Some(x) => constant_for(pred, x, cond, false).is_some(),
            None => [pred, pred.swapped()].map(Cond::of_ints).contains(&cond),
        }
    }

    /// True if a register with its truth can be.
    fn truth_can_ask(&self, cond: Cond) -> bool {
        constant_for(self.pred_of_truth(), 0, cond, true).is_some()
    }

    fn pred_of_truth(&self) -> IntPred {
        if self.is_opposite { IntPred::Eq } else { IntPred::Ne }
    }
}

/// The constant that a word or less is compared with, as far up as it is extended.
fn known(cx: &Select, compared: &Integers) -> Option<i32> {
    let x = compared.constant? as i32;
    Some(match cx.body.type_of(compared.a) {
        Type::I8 if !compared.signed() => x & 0xff,
        Type::I16 if !compared.signed() => x & 0xffff,
        _ => x,
    })
}

/// The parts of what an `and` or `or` of i1 joins, and true if all of them have to hold; none if it is neither.
fn parts(cx: &Select, i: Inst) -> Option<(Vec<Part>, bool)> {
    let both = joins(cx, i)?;
    let (mut parts, mut waiting) = (Vec::new(), vec![(cx.body.arg(i, 1), false), (cx.body.arg(i, 0), false)]);
    while let Some((v, is_opposite)) = waiting.pop() {
        let (inner, negated) = without_negations(cx, v);
        let is_opposite = is_opposite ^ negated;
        // The opposite of one kind is the other kind of opposites.
        let op = if both ^ is_opposite { Op::And } else { Op::Or };
        let more = cx.foldable_as(inner, op).filter(|_| parts.len() + waiting.len() + 2 <= MOST);
        match more {
            Some(i) => waiting.extend([1, 0].map(|k| (cx.body.arg(i, k), is_opposite))),
            None => parts.push(Part::of(cx, inner, is_opposite)),
        }
    }
    Some((parts, both))
}

/// What a comparison compares, in registers, and what is asked of it.
struct Step {
    a: Operand,
    b: Result<i32, Operand>,
    cond: Cond,
}

/// Emits the flags for what an `and` or `or` joins; the condition under which it is true. None, and nothing done, if it is
/// neither, or has fewer comparisons that can be parts than `least`. All operands are in registers before the first comparison: what puts them there might change
/// the flags.
pub fn joined(cx: &mut Select, i: Inst, least: usize) -> Option<Cond> {
    let (parts, both) = parts(cx, i)?;
    let asked = |(strong, weak): (Cond, Cond)| {
        let direct = |part: &Part| part.can_ask(cx, strong) || part.can_ask(cx, weak);
        let by_truth = |part: &Part| part.truth_can_ask(strong) || part.truth_can_ask(weak);
        let is_possible = parts.iter().all(|part| direct(part) || by_truth(part));
        if is_possible { parts.iter().filter(|part| direct(part)).count() } else { 0 }
    };
    // The first one of the best.
    let mut best = (0, PAIRS[0]);
    for pair in PAIRS {
        let count = asked(pair);
        if count > best.0 {
            best = (count, pair);
        }
    }
    let (count, (strong, weak)) = best;
    if count < least {
        return None;
    }
    let order = if both { [weak, strong] } else { [strong, weak] };
    let mut steps = Vec::with_capacity(parts.len());
    for (k, cond) in order.into_iter().enumerate() {
        for part in &parts {
            let choice = order.into_iter().position(|cond| part.can_ask(cx, cond));
            match choice {
                Some(choice) if choice == k => steps.push(step(cx, part, cond)),
                None if order.into_iter().position(|cond| part.truth_can_ask(cond)) == Some(k) => {
                    let a = cx.reg(part.truth);
                    let x = constant_for(part.pred_of_truth(), 0, cond, true).unwrap_or(0);
                    steps.push(Step { a, b: Ok(x), cond });
                }
                _ => {}
            }
        }
    }
    let mut before: Option<Cond> = None;
    for Step { a, b, cond } in steps {
        let asked = before.map(|before| if both { before } else { before.inverse() });
        let row = |always: MachineOp, family: MachineOp| asked.map_or(always, |asked| asked.of(family));
        match b {
            Ok(x) if is_rotated(x) => cx.emit(row(CMP_I, CMP_I_IF_EQ), &[], &[a], x, 0),
            Ok(x) => cx.emit(row(CMN_I, CMN_I_IF_EQ), &[], &[a], x.wrapping_neg(), 0),
            Err(b) => cx.emit(row(CMP, CMP_IF_EQ), &[], &[a, b], 0, 0),
        }
        before = Some(cond);
    }
    before
}

/// The operands of a part that asks under a condition.
fn step(cx: &mut Select, part: &Part, cond: Cond) -> Step {
    let Some(compared) = part.compared else { return Step { a: cx.reg(part.truth), b: Ok(0), cond } };
    let pred = part.pred(&compared);
    let a = extended(cx, compared.a, compared.signed());
    let x = known(cx, &compared);
    let b = match x.and_then(|x| constant_for(pred, x, cond, false)) {
        Some(x) if is_rotated(x) || is_rotated(x.wrapping_neg()) => Ok(x),
        Some(x) => Err(load_word(cx, x)),
        None => Err(extended(cx, compared.b, compared.signed())),
    };
    match b {
        Err(b) if x.is_none() && Cond::of_ints(pred) != cond => Step { a: b, b: Err(a), cond },
        b => Step { a, b, cond },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around all that predicates and flags tell apart.
    const NUMBERS: [i32; 9] = [0, 1, 2, -1, -2, i32::MIN, i32::MIN + 1, i32::MAX, i32::MAX - 1];

    fn asks(pred: IntPred, a: i32, b: i32) -> bool {
        let (x, y) = (a as u32, b as u32);
        [a == b, a != b, a < b, a <= b, a > b, a >= b, x < y, x <= y, x > y, x >= y][pred as usize]
    }

    fn holds(cond: Cond, a: i32, b: i32) -> bool {
        IntPred::ALL.into_iter().any(|pred| Cond::of_ints(pred) == cond && asks(pred, a, b))
    }

    #[test]
    fn strong_conditions_imply_weak_ones() {
        for (strong, weak) in PAIRS {
            for (a, b) in NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| (a, b))) {
                assert!(!holds(strong, a, b) || holds(weak, a, b), "{strong:?} {weak:?} {a} {b}");
            }
        }
    }

    #[test]
    fn other_constants_ask_the_same() {
        let mut count = 0;
        for (pred, cond, x) in IntPred::ALL
            .into_iter()
            .flat_map(|pred| Cond::ALL.map(|cond| (pred, cond)))
            .flat_map(|(pred, cond)| NUMBERS.map(|x| (pred, cond, x)))
        {
            for is_truth in [false, true] {
                let Some(other) = constant_for(pred, x, cond, is_truth) else { continue };
                let is_asked = |&a: &i32| !is_truth || x == 0 && matches!(a, 0 | 1);
                for a in NUMBERS.into_iter().filter(is_asked) {
                    let wanted = asks(pred, a, x);
                    assert_eq!(holds(cond, a, other), wanted, "{pred:?} {x} {cond:?} {other} {a}");
                    count += 1;
                }
            }
        }
        assert!(count > 1000, "{count}");
    }
}
