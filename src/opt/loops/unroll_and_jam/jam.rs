//! The edit: copies of each region of a round stand behind each other, and phis of the loops inside beside each other.

use super::Plan;
use crate::ir::body::region::Copies;
use crate::ir::body::versions::Event;
use crate::ir::{At, Block, Body, Inst, IntPred, Op, Shapes, Type, Value};
use crate::opt::loops::copies::Round;
use crate::opt::loops::exit_values::count;
use crate::opt::loops::remainder::compare;
use std::collections::BTreeSet;

/// What stands for the values of a round in one of those that go together.
#[derive(Clone, Default)]
struct Map(Vec<(Inst, Value)>);

impl Map {
    fn get(&self, v: Value) -> Value {
        let known = |i: Inst| self.0.iter().rev().find(|row| row.0 == i).map(|row| row.1);
        v.as_inst().and_then(known).unwrap_or(v)
    }

    fn set(&mut self, i: Inst, v: Value) {
        self.0.push((i, v));
    }

    /// Copies an instruction to the end of a block, or a phi for what leaves a loop to where it stands.
    fn copy(&mut self, f: &mut Body, at: Block, i: Inst) {
        let mut args: Vec<Value> = f.args(i).iter().map(|&v| self.get(v)).collect();
        let (op, ty, payload, place) = (f.op(i), f.ty(i), f.payload(i), f.place(i));
        // A counter's step of the rounds before and this one.
        if let (Op::Add, &[sum, more]) = (op, &*args)
            && let (Some(first), Some(more)) = (sum.as_inst(), f.as_int(more))
            && let (Op::Add, &[v, by]) = (f.op(first), f.args(first))
            && let Some(by) = f.as_int(by).filter(|_| ty == Type::I32)
        {
            args = vec![v, f.int((by + more) as i32)];
        }
        let copy = match f.block_of(i).filter(|_| op == Op::Phi) {
            Some(b) => f.insert_phi(b, ty, place),
            None => f.insert(At::BeforeTerminator(at), op, ty, &args, payload, place),
        };
        if op == Op::Phi {
            args.iter().enumerate().for_each(|(k, &v)| f.set_arg(copy, k, v));
        }
        self.set(i, Value::inst(copy));
    }

    /// The same in front of the loops inside, where a phi of one operand, which a branch has left that is known now, is
    /// that operand: the copy of what it is stands behind the phi.
    fn copy_in_front(&mut self, f: &mut Body, at: Block, i: Inst) {
        match *f.args(i) {
            [v] if f.op(i) == Op::Phi => self.set(i, self.get(v)),
            _ => self.copy(f, at, i),
        }
    }

    /// What a value is, computed at the end of a block if it is not there.
    fn early(&mut self, f: &mut Body, at: Block, behind: &[Inst], v: Value) -> Value {
        // Operands first: as many steps as have been looked at.
        let mut open = vec![v];
        let mut order: Vec<Inst> = Vec::new();
        while let Some(v) = open.pop() {
            let late = v.as_inst().filter(|i| behind.contains(i) && self.get(v) == v);
            if let Some(i) = late {
                order.retain(|&other| other != i);
                order.push(i);
                open.extend_from_slice(f.args(i));
            }
        }
        for i in order.into_iter().rev() {
            self.copy_in_front(f, at, i);
        }
        self.get(v)
    }
}

/// Lets the rounds go together.
pub(super) fn jam(f: &mut Body, shapes: &Shapes, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let is_exact = plan.remainder.is_none();
    let (mut round, mut parts) = (plan.round.clone(), plan.parts.clone());
    let (mut headers, mut ends) = (plan.headers.clone(), plan.ends.clone());
    let mut test = plan.test;
    if !is_exact {
        round = plan.round.copy(f, copies)?;
        let value = |v: Value| Round::value(copies, v);
        let inst = |i: Inst| value(Value::inst(i)).as_inst().unwrap_or(i);
        for list in parts.phis.iter_mut().chain(&mut parts.regions) {
            list.iter_mut().for_each(|i| *i = inst(*i));
        }
        parts.forwarded.iter_mut().for_each(|pair| *pair = (inst(pair.0), inst(pair.1)));
        parts.overwritten.iter_mut().for_each(|i| *i = inst(*i));
        for b in headers.iter_mut().chain(&mut ends) {
            *b = copies.blocks[*b].get()?;
        }
        test.next = value(test.next);
        plan.round.forget(f, copies);
    }
    let event = f.begin_event(&round.blocks);
    let (nexts, results) = (round.nexts(f), round.results(f));
    let depth = headers.len();
    let (front, in_front, behind) = (*ends.first()?, parts.regions.first()?, parts.regions.last()?);
    // The first round is there. What the phis are in each is computed in front of the loops inside.
    let mut maps = vec![Map::default(); plan.factor as usize];
    for k in 1..=maps.len() {
        let values: Vec<Value> =
            nexts.iter().map(|&next| maps[k - 1].early(f, front, behind, next)).collect();
        if let Some(map) = maps.get_mut(k) {
            round.phis.iter().zip(values).for_each(|(&phi, v)| map.set(phi, v));
            in_front.iter().for_each(|&i| map.copy_in_front(f, front, i));
        }
    }
    // The slots of what enters each loop inside, and of what goes back.
    let mut slots = Vec::new();
    for (k, &header) in headers.iter().enumerate() {
        let latch = ends[2 * depth - 1 - k];
        let mut into = f.preds(header).iter().copied();
        let back = f.preds(header).iter().copied().find(|&e| f.edge_from(e) == latch)?;
        let enters = into.find(|&e| e != back)?;
        slots.push([f.edge_slot(enters), f.edge_slot(back)]);
    }
    for k in 1..maps.len() {
        let (earlier, later) = maps.split_at_mut(k);
        let (Some(before), Some(map)) = (earlier.last(), later.first_mut()) else { break };
        for (region, part) in parts.regions.iter().enumerate().skip(1) {
            for &phi in parts.phis.get(region - 1).into_iter().flatten() {
                let copy = f.insert_phi(headers[region - 1], f.ty(phi), f.place(phi));
                let [enters, _] = slots[region - 1];
                f.set_arg(copy, enters, map.get(f.arg(phi, enters)));
                map.set(phi, Value::inst(copy));
            }
            for &i in part {
                if let Some(&(_, store)) = parts.forwarded.iter().find(|pair| pair.0 == i) {
                    let v = before.get(f.arg(store, 0));
                    map.set(i, v);
                } else if map.get(Value::inst(i)) == Value::inst(i)
                    && (k + 1 == plan.factor as usize || !parts.overwritten.contains(&i))
                {
                    map.copy(f, ends[region], i);
                }
            }
        }
        for (phis, &[_, back]) in parts.phis.iter().zip(&slots) {
            for &phi in phis {
                if let Some(copy) = map.get(Value::inst(phi)).as_inst() {
                    f.set_arg(copy, back, map.get(f.arg(phi, back)));
                }
            }
        }
    }
    parts.overwritten.iter().for_each(|&store| f.remove(store));
    let last = maps.last_mut()?;
    let mut early = |v: Value| last.early(f, front, behind, v);
    let next = early(test.next);
    let nexts: Vec<Value> = nexts.into_iter().map(early).collect();
    let results: Vec<(Inst, Value)> = results.into_iter().map(|(phi, v)| (phi, last.get(v))).collect();
    if let Some(event) = event {
        tell(f, event, &round, (front, behind), &maps);
    }
    round.enter(f, round.back, &nexts);
    let Some(remainder) = &plan.remainder else {
        let slot = f.edge_slot(round.out);
        results.iter().for_each(|&(phi, v)| f.set_arg(phi, slot, v));
        return round.test(f, plan.place, (test.goes_on, next, test.bound));
    };
    let at = (At::BeforeTerminator(plan.preheader), plan.place);
    let fits = plan.limit.map(|(trips, most)| {
        let (trips, most) = (count(f, at, trips), f.int(most as i32));
        compare(f, at, IntPred::Ule, trips, most)
    });
    remainder.add(f, shapes, (&plan.round, plan.place), (&[round], next), (&nexts, &results), fits)
}

/// Debuggers are told what stands for the values of a round in each that goes along. What is computed in front of the loops
/// inside, for the next round, comes before what stands there in the source.
#[cold]
fn tell(f: &mut Body, event: Event, round: &Round, (front, behind): (Block, &[Inst]), maps: &[Map]) {
    let mut copied: Vec<Inst> =
        maps.iter().flat_map(|map| &map.0).filter_map(|row| row.1.as_inst()).collect();
    copied.sort_unstable();
    let mut own = f.insts_of(&round.blocks);
    own.retain(|i| copied.binary_search(i).is_err());
    own.sort_unstable();
    let (mut early, mut seen): (Vec<Inst>, Vec<Inst>) = (Vec::new(), Vec::new());
    for map in maps {
        // What a phi is has been computed for the round before.
        let copies = map.0.iter().filter_map(|&(i, v)| Some((i, v.as_inst()?)));
        let copies: Vec<(Inst, Inst)> =
            copies.filter(|row| own.binary_search(&row.1).is_err() && !seen.contains(&row.1)).collect();
        seen.extend(copies.iter().map(|row| row.1));
        let is_early = |row: &(Inst, Inst)| f.block_of(row.1) == Some(front) && behind.contains(&row.0);
        let (soon, late): (Vec<_>, Vec<_>) = copies.into_iter().partition(is_early);
        early.extend(soon.iter().map(|row| row.1));
        let late: Vec<Inst> = late.iter().map(|row| row.1).collect();
        let known = map.0.iter().map(|row| row.0).collect::<BTreeSet<Inst>>().into_iter();
        f.enter_version(event, &late, known.map(|i| (i, map.get(Value::inst(i)))).collect());
    }
    f.enter_version(event, &own, Vec::new());
    f.enter_version(event, &early, own.iter().map(|&i| (i, Value::undef(Type::Void))).collect());
}
