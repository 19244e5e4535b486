//! The test at the end of a loop: what it says of induction variables, and how a pointer does it for one.

use super::{Address, Scratch, Variable, accessed};
use crate::analysis::conditions::compares_either_way;
use crate::analysis::simple_loop::LoopRecord;
use crate::base::Handle;
use crate::base::formula::{Operator, Term};
use crate::ir::{At, Block, Body, Inst, IntPred, Op, Place, Shape, Shapes, Type, Value};
use crate::opt::run::pass::FuncCx;

/// The test at the end of a loop, of the next value of an induction variable that moves an address by so
/// many bytes a unit.
#[derive(Copy, Clone, Debug)]
struct Test {
    variable: Variable,
    factor: i64,
    compare: Inst,
    pred: IntPred,
    bound: Value,
}

impl Scratch {
    /// True if a pointer for each address costs less than subscripts: accesses move the pointers for nothing,
    /// and one of them does what the induction variable was for.
    pub(super) fn accesses_move(&self, cx: &FuncCx, round: LoopRecord, groups: usize) -> bool {
        if cx.target.moving_int == 0 {
            return false;
        }
        let f = &*cx.f;
        let in_latch = |i: Inst| f.block_of(i) == Some(round.latch);
        let moves = |address: &Address| {
            let ty = accessed(f, address.inst);
            let fits = ty.is_some_and(|ty| cx.target.moves_base(ty, address.step, false));
            fits && f.uses(address.inst).any(|u| in_latch(u.user))
        };
        let all = (0..groups).all(|group| self.found.iter().any(|a| a.group == group && moves(a)));
        let Some(first) = self.found.first().filter(|_| all) else { return false };
        let Some(test) = self.test(cx, round, first.step) else { return false };
        let phi = test.variable.phi;
        let is_found = |i: Inst| self.found.iter().any(|a| a.inst == i);
        let serves = |i: Inst| {
            let is_part = matches!(f.op(i), Op::Add | Op::Sub | Op::Mul | Op::Shl);
            i == test.variable.next || is_found(i) || is_part && f.uses(i).all(|u| is_found(u.user))
        };
        let same = |a: &Address| self.variable_of(cx, round, a.inst).is_some_and(|v| v.phi == phi);
        let goes = f.uses(phi).all(|u| serves(u.user)) && self.found.iter().all(same);
        let in_each_round = self.found.iter().any(|a| a.in_each_round);
        goes && (cx.target.word == 64
            && (test.variable.limits.is_some()
                || in_each_round && leads_on(cx, round, (test.variable, test.pred, test.bound)))
            || in_each_round && exact_end(cx, round, (test.variable, test.pred, test.bound)).is_some())
    }

    /// The test at the end of the loop, if a pointer that moves so far in a round could do it.
    fn test(&self, cx: &FuncCx, round: LoopRecord, step: i64) -> Option<Test> {
        let f = &*cx.f;
        let test = f.terminator(round.latch).filter(|&i| f.op(i) == Op::CondBr)?;
        let compare = f.arg(test, 0).as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
        let &[a, bound] = f.args(compare) else { return None };
        let variable = *self.variables.iter().find(|variable| a == Value::inst(variable.next))?;
        let factor = step.checked_div(variable.step).filter(|factor| factor * variable.step == step)?;
        let outside = |v: Value| {
            let home = v.as_inst().and_then(|i| f.block_of(i));
            home.is_none_or(|b| !cx.analyses.loops.contains(round.l, b))
        };
        let pred = IntPred::from_payload(f.payload(compare));
        let is_signed = !matches!(pred, IntPred::Ult | IntPred::Ule | IntPred::Ugt | IntPred::Uge);
        let users = [variable.phi, compare];
        let fits = outside(bound)
            && f.has_single_use(compare)
            && f.uses(variable.next).all(|u| users.contains(&u.user))
            && is_signed
            && matches!(cx.target.word, 32 | 64);
        fits.then_some(Test { variable, factor, compare, pred, bound })
    }

    /// Lets the test at the end of the loop compare a pointer, if that is all that its induction variable
    /// is for.
    pub(super) fn compare_pointers(
        &mut self,
        cx: &mut FuncCx,
        round: LoopRecord,
        (next, start): (Value, Value),
        (step, in_each_round): (i64, bool),
    ) {
        let Some(test) = self.test(cx, round, step) else { return };
        let Test { variable, factor, compare, pred, bound } = test;
        if cx.f.uses(variable.phi).any(|u| u.user != variable.next) {
            return;
        }
        let place = cx.f.place(compare);
        let (pred, wide) = if cx.target.word == 64 {
            let ends =
                variable.limits.is_some() || in_each_round && leads_on(cx, round, (variable, pred, bound));
            if !ends {
                return;
            }
            (if factor > 0 { pred } else { pred.swapped() }, Type::I64)
        } else {
            // Addresses have no sign, and what is far beyond the array wraps around.
            let Some(pred) = exact_end(cx, round, (variable, pred, bound)).filter(|_| in_each_round) else {
                return;
            };
            (pred, Type::I32)
        };
        let f = &mut *cx.f;
        let bounds = (variable.init, bound, factor);
        tell(f, variable, (next, start), step);
        let end = end(f, (&cx.env.shapes, wide), round, bounds, start, place);
        f.rewrite(compare, Op::ICmp, Type::I1, &[next, end], pred as u32);
        f.move_inst(compare, At::BeforeTerminator(round.latch));
    }
}

/// Debuggers are told what the induction variable is when it has gone: init + (pointer - start) / factor. Of pointers that
/// differ by multiples of the factor only, so the quotient is exact.
fn tell(f: &mut Body, variable: Variable, (next, start): (Value, Value), step: i64) {
    let Some(factor) = step.checked_div(variable.step).filter(|_| f.debug_values.is_some()) else { return };
    let pointer = next.as_inst().and_then(|i| f.args(i).first().copied());
    let Some(pointer) = pointer else { return };
    let init = f.as_int(variable.init).map_or(Term::Leaf(variable.init), Term::Number);
    let [sub, div, add] = [Operator::Sub, Operator::Div, Operator::Add].map(Term::Apply);
    let bytes = [Term::Leaf(pointer), Term::Leaf(start), sub];
    let rounds = [Term::Number(factor), div];
    f.note_formula(variable.phi, [&bytes[..], &rounds, &[init, add]].concat());
}

/// start + (bound - init) * factor, without a difference that wraps around.
fn end(
    f: &mut Body,
    (shapes, ty): (&Shapes, Type),
    round: LoopRecord,
    (init, bound, factor): (Value, Value, i64),
    start: Value,
    place: Place,
) -> Value {
    let at = At::BeforeTerminator(round.preheader);
    let mut rounds = widened(f, at, bound, ty, place);
    if f.as_int(init) != Some(0) {
        let init = widened(f, at, init, ty, place);
        rounds = make(f, at, (Op::Sub, ty), &[rounds, init], place);
    }
    let factor = f.int_of(ty, factor);
    let bytes = make(f, at, (Op::Mul, ty), &[rounds, factor], place);
    let shape = shapes.leaving(Shape::scalar(Type::I8)).index() as u32;
    Value::inst(f.insert(at, Op::ElemAddr, Type::Ptr, &[start, bytes], shape, place))
}

fn widened(f: &mut Body, at: At, v: Value, ty: Type, place: Place) -> Value {
    match f.as_int(v) {
        _ if ty == Type::I32 => v,
        Some(x) => f.int_of(ty, x),
        None => make(f, at, (Op::SExt, ty), &[v], place),
    }
}

fn make(f: &mut Body, at: At, (op, ty): (Op, Type), args: &[Value], place: Place) -> Value {
    match f.fold(op, ty, 0, args) {
        Some(v) => v,
        None => Value::inst(f.insert(at, op, ty, args, 0, place)),
    }
}

/// How a pointer of 32 bits compares with its end when the loop goes on, if it meets the end exactly, in
/// the one place where the loop is left: the induction variable goes up or down by one, and the bound is
/// known to lie ahead.
fn exact_end(
    cx: &FuncCx,
    round: LoopRecord,
    (variable, pred, bound): (Variable, IntPred, Value),
) -> Option<IntPred> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let goes_on = goes_on(f, round, pred);
    let yes = goes_on == pred;
    if (variable.step, goes_on) != (1, IntPred::Slt) && (variable.step, goes_on) != (-1, IntPred::Sgt) {
        return None;
    }
    let leaves = |&b: &Block| f.succs(b).any(|e| !loops.contains(round.l, f.edge_to(e)));
    if !loops.blocks(round.l).iter().all(|b| *b == round.latch || !leaves(b)) {
        return None;
    }
    let lies_ahead = match (f.as_int(variable.init), f.as_int(bound)) {
        (Some(init), Some(bound)) => {
            if goes_on == IntPred::Slt {
                init < bound
            } else {
                init > bound
            }
        }
        _ => {
            let asked = (goes_on, variable.init, bound);
            compares_either_way(f, &cx.analyses.dominators, round.preheader, asked)?
        }
    };
    lies_ahead.then_some(if yes { IntPred::Ne } else { IntPred::Eq })
}

/// True if a loop that makes an access in each round, and in which the induction variable would wrap around,
/// leaves the array: as there is one way out only, and the test says go on until the variable has come
/// around.
fn leads_on(cx: &FuncCx, round: LoopRecord, (variable, pred, bound): (Variable, IntPred, Value)) -> bool {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let leaves = |&b: &Block| f.succs(b).any(|e| !loops.contains(round.l, f.edge_to(e)));
    let is_only = loops.blocks(round.l).iter().all(|b| *b == round.latch || !leaves(b));
    let goes_on = goes_on(f, round, pred);
    let up = variable.step > 0;
    is_only
        && match goes_on {
            IntPred::Slt | IntPred::Sle => up,
            IntPred::Sgt | IntPred::Sge => !up,
            IntPred::Ne => match (f.as_int(variable.init), f.as_int(bound)) {
                (Some(init), Some(bound)) => {
                    if up {
                        init < bound
                    } else {
                        init > bound
                    }
                }
                _ => false,
            },
            _ => false,
        }
}

/// How what is tested compares when the loop goes on.
fn goes_on(f: &Body, round: LoopRecord, pred: IntPred) -> IntPred {
    let yes = f.succs(round.latch).next().is_some_and(|e| f.edge_to(e) == round.header);
    if yes { pred } else { pred.inverse() }
}
