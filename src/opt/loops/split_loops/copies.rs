//! The copies of a loop that `split_loops` has planned: which rounds each does, and what leads from one to the
//! other. O(what is copied).

use super::{Asked, Asks, Form, Kind, Plan, fold};
use crate::ir::body::region::Copies;
use crate::ir::{At, Block, Body, IntPred, Op, Place, Type, Value};
use crate::opt::loops::copies::Round;

/// Makes the copy, and leads the ways into it.
pub(super) fn split(f: &mut Body, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let round = &plan.round;
    let in_front = f.edge_from(plan.enters);
    let place = f.place(f.terminator(round.latch)?);
    let copy = round.copy(f, copies)?;
    let copy_of = |by: Asks| match by {
        Asks::Branch(b) => copies.blocks[b].get().map(Asks::Branch),
        Asks::Choice(i) => copies.values[i]?.as_inst().map(Asks::Choice),
    };
    let copied: Vec<(Asks, &Asked)> =
        plan.asked.iter().filter_map(|asked| Some((copy_of(asked.by)?, asked))).collect();
    round.forget(f, copies);
    let firsts: Vec<Value> = round.phis.iter().map(|&phi| f.arg(phi, f.edge_slot(plan.enters))).collect();
    let entry = Entry { in_front, firsts, place };
    match plan.form {
        Form::Unswitch(condition) => {
            // The copy is for what is true.
            entry.lead(f, condition, (&copy, round));
            copied.iter().for_each(|&(by, _)| fold(f, by, true));
            plan.asked.iter().for_each(|asked| fold(f, asked.by, false));
        }
        Form::Split(pred, m) => {
            // The copy comes first.
            let before = At::BeforeTerminator(in_front);
            let starts = compare(f, before, pred, [plan.counted.first, m], place);
            let end = match pred {
                IntPred::Sle => saturating(f, before, m, 1, place),
                _ => m,
            };
            let end = least(f, before, end, plan.counted.bound, place);
            ends_at(f, plan, &copy, end, round)?;
            entry.lead(f, starts, (&copy, round));
            for &(by, asked) in &copied {
                fold(f, by, asked.truth);
                fold(f, asked.by, !asked.truth);
            }
        }
        Form::Inside => {
            inside(f, plan, &copy, &entry)?;
            copied.iter().for_each(|&(by, asked)| fold(f, by, asked.truth));
        }
    }
    Some(())
}

/// The block in front of a loop.
struct Entry {
    in_front: Block,
    /// What its phis begin with.
    firsts: Vec<Value>,
    place: Place,
}

impl Entry {
    /// Goes from in front to one loop or the other.
    fn lead(&self, f: &mut Body, condition: Value, (yes, no): (&Round, &Round)) {
        let (to, other) = (yes.header, no.header);
        let (into, past) = f.set_cond_br(self.in_front, condition, to, other, self.place);
        yes.enter(f, into, &self.firsts);
        no.enter(f, past, &self.firsts);
    }
}

/// What the variable is in the next round of a copy.
fn next_of(f: &Body, plan: &Plan, copy: &Round) -> Option<Value> {
    let k = plan.round.phis.iter().position(|&phi| phi == plan.counted.phi)?;
    Some(f.arg(*copy.phis.get(k)?, f.edge_slot(copy.back)))
}

/// Lets a copy go on as long as the next number is below `end`, and then goes on with another one, if that is
/// below the bound.
fn ends_at(f: &mut Body, plan: &Plan, copy: &Round, end: Value, other: &Round) -> Option<()> {
    let next = next_of(f, plan, copy)?;
    let branch = f.terminator(copy.latch)?;
    let place = f.place(branch);
    let nexts = copy.nexts(f);
    let back_first = f.succs(copy.latch).next() == Some(copy.back);
    let pred = if back_first { IntPred::Slt } else { IntPred::Sge };
    let test = compare(f, At::Before(branch), pred, [next, end], place);
    f.set_arg(branch, 0, test);
    let exit = f.edge_to(copy.out);
    let results = copy.results(f);
    let behind = f.split_edge(copy.out);
    let more = compare(f, At::BeforeTerminator(behind), IntPred::Slt, [next, plan.counted.bound], place);
    let (into, out) = f.set_cond_br(behind, more, other.header, exit, place);
    other.enter(f, into, &nexts);
    let slot = f.edge_slot(out);
    for (phi, v) in results {
        f.set_arg(phi, slot, v);
    }
    Some(())
}

/// Rounds that a copy does.
struct Inside {
    /// It may be entered at `low`, if what is below `width` from there on.
    low: Value,
    high: Value,
    width: Value,
    /// It ends before this, if that is still to come.
    not: Option<Value>,
}

/// Leads to a copy for the rounds in the inside of a range, from in front and behind each round of the loop.
fn inside(f: &mut Body, plan: &Plan, copy: &Round, entry: &Entry) -> Option<()> {
    let (round, place) = (&plan.round, entry.place);
    let inside = rounds_inside(f, plan, entry)?;
    let nexts = round.nexts(f);
    // From the loop to the copy.
    let next = next_of(f, plan, round)?;
    let gate = f.split_edge(round.back);
    let (test, high) = gate_test(f, &inside, At::BeforeTerminator(gate), next, place);
    // The phis of the header get what the round has brought.
    let (into, back) = f.set_cond_br(gate, test, copy.header, round.header, place);
    round.enter(f, back, &nexts);
    copy.enter(f, into, &nexts);
    // From in front.
    let before = At::BeforeTerminator(entry.in_front);
    let (test, first_high) = gate_test(f, &inside, before, plan.counted.first, place);
    let (start, past) = f.set_cond_br(entry.in_front, test, copy.header, round.header, place);
    copy.enter(f, start, &entry.firsts);
    round.enter(f, past, &entry.firsts);
    // The end of the copy.
    let end = if inside.not.is_some() {
        let phi = f.insert_phi(copy.header, Type::I32, place);
        for (e, v) in [(into, high), (start, first_high), (copy.back, Value::inst(phi))] {
            let slot = f.edge_slot(e);
            f.set_arg(phi, slot, v);
        }
        Value::inst(phi)
    } else {
        inside.high
    };
    ends_at(f, plan, copy, end, round)
}

/// Whether the copy may go on at a round, and where it ends then.
fn gate_test(f: &mut Body, inside: &Inside, at: At, i: Value, place: Place) -> (Value, Value) {
    let make = |f: &mut Body, op, ty, args: &[Value]| Value::inst(f.insert(at, op, ty, args, 0, place));
    let from = make(f, Op::Sub, Type::I32, &[i, inside.low]);
    let is_inside = compare(f, at, IntPred::Ult, [from, inside.width], place);
    let Some(not) = inside.not else { return (is_inside, inside.high) };
    // What is to come: the copy ends there.
    let lesser = make(f, Op::SMin, Type::I32, &[not, inside.high]);
    let comes = compare(f, at, IntPred::Sge, [not, i], place);
    let high = make(f, Op::Select, Type::I32, &[comes, lesser, inside.high]);
    let some = compare(f, at, IntPred::Slt, [i, high], place);
    (make(f, Op::And, Type::I1, &[is_inside, some]), high)
}

/// In front of the loop: which rounds the copy does.
fn rounds_inside(f: &mut Body, plan: &Plan, entry: &Entry) -> Option<Inside> {
    let (at, place) = (At::BeforeTerminator(entry.in_front), entry.place);
    let make = |f: &mut Body, op, ty, args: &[Value]| Value::inst(f.insert(at, op, ty, args, 0, place));
    let zero = f.int(0);
    let (mut low, mut high, mut not, mut all) = (zero, plan.counted.bound, None, None);
    let first = f.as_int(plan.counted.first);
    let mut done: Vec<(Kind, bool)> = Vec::new();
    for asked in &plan.asked {
        if done.contains(&(asked.kind, asked.truth)) {
            continue;
        }
        done.push((asked.kind, asked.truth));
        match asked.kind {
            Kind::Same(v) => {
                let one = Value::bool(true);
                let v = if asked.truth { v } else { make(f, Op::Xor, Type::I1, &[v, one]) };
                all = Some(match all {
                    Some(all) => make(f, Op::And, Type::I1, &[all, v]),
                    None => v,
                });
            }
            Kind::Below { m, c, more } => {
                let end = saturating(f, at, m, i64::from(more) - c, place);
                high = least(f, at, high, end, place);
            }
            Kind::From { m, c, more } => {
                let start = saturating(f, at, m, i64::from(more) - c, place);
                low = greatest(f, at, low, start, place);
                if c > 0 {
                    // i + c does not wrap around.
                    let edge = f.int((i64::from(i32::MAX) - c) as i32);
                    high = least(f, at, high, edge, place);
                }
            }
            Kind::Not { m, c } => match (f.as_int(m), first) {
                (Some(m), Some(first)) if m - c <= first => {
                    let behind = f.int(i32::try_from(m - c + 1).ok()?);
                    low = greatest(f, at, low, behind, place);
                }
                _ => {
                    if not.is_some() {
                        return None;
                    }
                    let minus = f.int(i32::try_from(c.wrapping_neg()).ok()?);
                    not = Some(if c == 0 { m } else { make(f, Op::Add, Type::I32, &[m, minus]) });
                }
            },
        }
    }
    if let Some(all) = all {
        high = make(f, Op::Select, Type::I32, &[all, high, zero]);
    }
    let high = greatest(f, at, high, low, place);
    let width = make(f, Op::Sub, Type::I32, &[high, low]);
    Some(Inside { low, high, width, not })
}

fn compare(f: &mut Body, at: At, pred: IntPred, args: [Value; 2], place: Place) -> Value {
    Value::inst(f.insert(at, Op::ICmp, Type::I1, &args, pred as u32, place))
}

/// v + c, or the end of 32 bits on that side. (At the lower end 0: rounds of a copy begin there.)
fn saturating(f: &mut Body, at: At, v: Value, c: i64, place: Place) -> Value {
    if c == 0 {
        return v;
    }
    if let Some(x) = f.as_int(v) {
        let sum = (x + c).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        return f.int(sum as i32);
    }
    let (op, edge) = if c > 0 { (Op::SMin, i64::from(i32::MAX) - c) } else { (Op::SMax, -c) };
    let (edge, c) = (f.int(edge as i32), f.int(c as i32));
    let v = Value::inst(f.insert(at, op, Type::I32, &[v, edge], 0, place));
    Value::inst(f.insert(at, Op::Add, Type::I32, &[v, c], 0, place))
}

fn least(f: &mut Body, at: At, a: Value, b: Value, place: Place) -> Value {
    match (f.as_int(a), f.as_int(b)) {
        _ if a == b => a,
        (Some(x), Some(y)) => f.int(x.min(y) as i32),
        _ => Value::inst(f.insert(at, Op::SMin, Type::I32, &[a, b], 0, place)),
    }
}

fn greatest(f: &mut Body, at: At, a: Value, b: Value, place: Place) -> Value {
    match (f.as_int(a), f.as_int(b)) {
        _ if a == b => a,
        (Some(x), Some(y)) => f.int(x.max(y) as i32),
        _ => Value::inst(f.insert(at, Op::SMax, Type::I32, &[a, b], 0, place)),
    }
}
