//! What is left of the rounds of a loop when several are done for one test: with n rounds for one, the bound of the new
//! loop is n - 1 steps closer, and the loop as it was does the others. O(phis of the loop).

use crate::analysis::conditions::compares_with;
use crate::analysis::evolution::peel;
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::constant_trips;
use crate::base::Handle;
use crate::ir::{At, Body, Inst, IntPred, Op, Place, Shape, Shapes, Type, Value};
use crate::opt::loops::copies::Round;
use crate::opt::run::pass::FuncCx;

/// The test at the end of a round.
#[derive(Copy, Clone)]
pub struct Test {
    /// What is compared: what the variable is in the next round.
    pub next: Value,
    /// What it is in the first round,
    pub first: Value,
    /// and what it is compared with.
    pub bound: Value,
    /// How far it moves in a round: bytes, if it is a pointer.
    pub step: i64,
    /// How they compare if the loop goes on.
    pub goes_on: IntPred,
    /// The number of rounds, if it is a constant.
    pub rounds: Option<u32>,
    /// The same, or what it is on average, if a profile says so.
    pub usual: Option<u32>,
}

/// How the loop of several rounds is tested.
#[derive(Copy, Clone)]
pub struct Remainder {
    /// Rounds for one test.
    factor: u32,
    test: Test,
    /// The loop's test is known to bound what is compared far enough from the edge of 32 bits; else the
    /// lowest bound that may be tested, or the highest.
    edge: Option<i64>,
}

/// How much a phi of the header goes up in a round, if that is a number.
pub fn step(cx: &FuncCx, around: &SimpleLoop, phi: Inst) -> Option<i64> {
    let evolution = &cx.analyses.evolution;
    evolution.step((around.f, around.loops), around.l, evolution.of(phi)?)
}

/// The test at the end of a round, if more than one round may be asked for at once.
pub fn test(cx: &FuncCx, around: &SimpleLoop) -> Option<Test> {
    let test = exact_test(cx, around)?;
    let usual = test.rounds.or_else(|| around.average_rounds().map(|rounds| rounds as u32));
    Some(Test { usual, ..test })
}

fn exact_test(cx: &FuncCx, around: &SimpleLoop) -> Option<Test> {
    let f = around.f;
    if let Some(counted) = around.counted(around.latch) {
        let rounds = around.constant_trips(cx.env, &counted);
        let up = matches!(counted.goes_on, IntPred::Slt | IntPred::Sle) && counted.step > 0;
        let down = matches!(counted.goes_on, IntPred::Sgt | IntPred::Sge) && counted.step < 0;
        let fits = counted.is_next && (up || down || rounds.is_some());
        let (next, first, bound) = (counted.next, counted.first, counted.bound);
        let (step, goes_on) = (counted.step, counted.goes_on);
        return fits.then_some(Test { next, first, bound, step, goes_on, rounds, usual: None });
    }
    let (compare, goes_on) = around.comparison(around.latch)?;
    let &[next, bound] = f.args(compare) else { return None };
    let mut phis = f.phis(around.header).filter(|&phi| f.ty(phi) == Type::Ptr);
    let phi = phis.find(|&phi| around.phi(Value::inst(phi)).is_some_and(|(_, v)| v == next))?;
    let (first, _) = around.phi(Value::inst(phi))?;
    let step = step(cx, around, phi)?;
    if !around.is_outside(bound) {
        return None;
    }
    let [from, to] = [first, bound].map(|v| peel(cx.env, f, v, |_| true));
    let rounds = match from.0 == to.0 {
        true => constant_trips(from.1, step, (goes_on, to.1)),
        false => None,
    };
    let up = matches!(goes_on, IntPred::Slt | IntPred::Sle) && step > 0;
    let down = matches!(goes_on, IntPred::Sgt | IntPred::Sge) && step < 0;
    // Strength reduction has made sure that such a pointer meets its end.
    let meets = goes_on == IntPred::Ne && cx.target.word == 32 && is_accessed(around, phi);
    let fits = rounds.is_some() || meets || (up || down) && cx.target.word == 64;
    fits.then_some(Test { next, first, bound, step, goes_on, rounds, usual: None })
}

/// True if each round accesses memory at a pointer, so that the pointer stays in an object.
fn is_accessed(around: &SimpleLoop, phi: Inst) -> bool {
    let f = around.f;
    let in_each_round = |i: Inst| f.block_of(i).is_some_and(|b| around.dominators.dominates(b, around.latch));
    f.uses(phi).any(|u| match f.op(u.user) {
        Op::Load => in_each_round(u.user),
        Op::Store => u.operand == 1 && in_each_round(u.user),
        _ => false,
    })
}

impl Remainder {
    /// Looks whether the bound may be moved for so many rounds.
    pub fn of(cx: &FuncCx, around: &SimpleLoop, (test, factor): (Test, u32)) -> Option<Remainder> {
        let simple = Remainder { factor, test, edge: None };
        let (f, step) = (around.f, test.step);
        let ahead = step.checked_mul(i64::from(factor - 1))?;
        if f.type_of(test.next) == Type::Ptr {
            // No object begins in the first page of memory, or ends in the last one.
            return (ahead.unsigned_abs() <= 2048).then_some(simple);
        }
        if test.goes_on == IntPred::Ne || i32::try_from(ahead).is_err() {
            return None;
        }
        if let Some(bound) = f.as_int(test.bound) {
            return i32::try_from(bound - ahead).ok().map(|_| simple);
        }
        let (pred, edge) = match step > 0 {
            true => (IntPred::Sge, i64::from(i32::MIN) + ahead),
            false => (IntPred::Sle, i64::from(i32::MAX) + ahead),
        };
        let edge = i32::try_from(edge).ok()?;
        let is_known =
            compares_with(f, &cx.analyses.dominators, around.preheader, (pred, test.bound, edge.into()));
        Some(Remainder { edge: (is_known != Some(true)).then_some(edge.into()), ..simple })
    }

    /// Lets the loop around `rounds` be entered as long as all its rounds are wanted, and the loop that
    /// was there do the others. `next` is what is compared in the last of the rounds, `nexts` what its phis are next, and
    /// `results` what phis behind the loop get from it. Where there is a condition, it has to hold as well.
    pub fn add(
        &self,
        f: &mut Body,
        shapes: &Shapes,
        (round, place): (&Round, Place),
        (rounds, next): (&[Round], Value),
        (nexts, results): (&[Value], &[(Inst, Value)]),
        condition: Option<Value>,
    ) -> Option<()> {
        let &Remainder { factor, test, edge } = self;
        let (first, last) = (rounds.first()?, rounds.last()?);
        let exit = f.edge_to(last.out);
        let outside = f.preds(round.header).iter().copied().find(|&e| e != round.back)?;
        let in_front = f.edge_from(outside);
        let slot = f.edge_slot(outside);
        let inits: Vec<Value> = round.phis.iter().map(|&phi| f.arg(phi, slot)).collect();

        // Whether all rounds are wanted.
        let is_pointer = f.type_of(next) == Type::Ptr;
        let at = At::BeforeTerminator(in_front);
        let ahead = i64::from(factor - 1) * test.step;
        let bound = match f.as_int(test.bound) {
            _ if is_pointer => {
                let (back, shape) = (f.int(-ahead as i32), shapes.leaving(Shape::scalar(Type::I8)));
                let payload = shape.index() as u32;
                Value::inst(f.insert(at, Op::ElemAddr, Type::Ptr, &[test.bound, back], payload, place))
            }
            Some(bound) => f.int((bound - ahead) as i32),
            None => {
                let back = f.int(-ahead as i32);
                Value::inst(f.insert(at, Op::Add, Type::I32, &[test.bound, back], 0, place))
            }
        };
        let pred = match test.goes_on {
            IntPred::Ne if test.step > 0 => IntPred::Ult,
            IntPred::Ne => IntPred::Ugt,
            pred => pred,
        };
        let mut enters = compare(f, (at, place), pred, test.first, bound);
        let fits = edge.map(|edge| {
            let edge = f.int(edge as i32);
            let pred = if test.step > 0 { IntPred::Sge } else { IntPred::Sle };
            compare(f, (at, place), pred, test.bound, edge)
        });
        for other in fits.into_iter().chain(condition) {
            enters = Value::inst(f.insert(at, Op::And, Type::I1, &[enters, other], 0, place));
        }

        // In front of the copies, behind them, and in front of the rest.
        let [before, middle, rest] = [0; 3].map(|_| f.create_block());
        let into = f.set_br(before, first.header, place);
        let (_, on) = f.set_cond_br(in_front, enters, before, rest, place);
        first.enter(f, into, &inits);
        let onward = f.set_br(rest, round.header, place);
        last.test(f, place, (pred, next, bound))?;
        f.redirect(last.out, middle);
        let more = compare(f, (At::End(middle), place), test.goes_on, next, test.bound);
        let (left, done) = f.set_cond_br(middle, more, rest, exit, place);
        for &(phi, v) in results {
            let slot = f.edge_slot(done);
            f.set_arg(phi, slot, v);
        }
        let slots = [f.edge_slot(on), f.edge_slot(left)];
        let mut values = Vec::new();
        for (k, &phi) in round.phis.iter().enumerate() {
            let join = f.insert_phi(rest, f.ty(phi), f.place(phi));
            f.name_after(Value::inst(join), phi);
            f.set_arg(join, slots[0], inits[k]);
            f.set_arg(join, slots[1], nexts[k]);
            values.push(Value::inst(join));
        }
        round.enter(f, onward, &values);
        let copied = rounds.iter().flat_map(|round| round.blocks.iter().copied());
        let mut last_block = in_front;
        for b in [before].into_iter().chain(copied).chain([middle, rest]) {
            f.move_block_after(b, last_block);
            last_block = b;
        }
        Some(())
    }
}

/// A comparison of integers, or what it is known to be.
pub fn compare(f: &mut Body, (at, place): (At, Place), pred: IntPred, a: Value, b: Value) -> Value {
    match f.fold(Op::ICmp, Type::I1, pred as u32, &[a, b]) {
        Some(v) => v,
        None => Value::inst(f.insert(at, Op::ICmp, Type::I1, &[a, b], pred as u32, place)),
    }
}
