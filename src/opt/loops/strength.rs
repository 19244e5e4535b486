//! Strength reduction of addresses: an element whose subscripts go up by a constant in each round of a loop
//! is reached by a pointer that goes up with them.
//!
//! An address is a sum (`analysis/evolution`) that goes up by a number in each round. Those whose sums differ by
//! a number share a pointer, each with an offset. One that goes up by a product that the loop does not change, as
//! `a[j * n + i]` does, has a pointer that goes up by that. Where the target adds a scaled subscript for nothing (`TargetFacts::scaled_int`) and
//! nothing shares it, an address becomes that subscript behind a base in front of the loop. When all
//! addresses are done, and nothing but the test at the end of the loop asks for an induction variable, the
//! test compares a pointer with where it will end.
//!
//! Inner loops first: the start of a pointer is an address in the loop around. Loops have a preheader and
//! one latch.
//!
//! Subscripts are 32 bits wide, and wrap around. What is accessed lies inside of its array, so a subscript
//! with which each round makes an access does not wrap around between two of them. Another one is reduced if
//! it is an induction variable that its loop's test bounds, or if all that it can move in the loop is too
//! little to come from outside of the array back into it: an address that is only computed in each round, or
//! only accessed in some, may have wrapped around in between.
//!
//! O(addresses x subscripts); forms of more than a few steps are left alone. After A. W. Appel, "Modern
//! Compiler Implementation", chapter 18, and GCC's ivopts, without its search for the best set.

use crate::analysis::evolution::Sum;
use crate::analysis::simple_loop::LoopRecord;
use crate::base::graph::Loop;
use crate::base::{Column, Handle, Opt};
use crate::ir::{At, Body, Inst, Op, Place, Shape, Shapes, Type, Value};
use crate::opt::loops::canonical_loops::{simplify_loops, worth_it};
use crate::opt::loops::exit_values::sum_of_products;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static STRENGTH: FuncPass = FuncPass {
    name: "strength",
    description: "reach elements of arrays in loops by pointers that are moved on",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Addresses of a loop that another one is compared with, the last ones: a sum of thousands of tensors has as many.
const MOST_COMPARED: usize = 64;
/// Steps from an address, or a subscript, to the variables that it is made of.
const MOST_STEPS: usize = 8;
/// Pointers of a loop, and those that go up by what is not a number.
const MOST_GROUPS: usize = 12;
const MOST_STRIDED: usize = 4;

/// How far vectors lie from a pointer that they share on machines where their accesses have no offsets.
const NEXT: i64 = 255;
/// Subscripts that are a constant below this apart, and both inside of an array, do not wrap around between.
const NEAR: i64 = 1 << 20;
/// How far a subscript may move in a loop, so that it does not come back into an array from the other side:
/// down from the lowest one, it meets the highest elements first, and no array has 2^29.
const FAR: i64 = (1 << 31) - (1 << 29);
/// The same of one that goes up only.
const FAR_UP: i64 = 1 << 31;
/// Steps from an address to its accesses.
const MOST_USES: u32 = 3;

/// An induction variable of the loop at hand.
#[derive(Copy, Clone, Debug)]
struct Variable {
    phi: Inst,
    next: Inst,
    init: Value,
    step: i64,
    /// If the test of the loop keeps it from wrapping around: what it is in any round, at least and at most.
    limits: Option<[i64; 2]>,
}

/// An address that is to be reduced.
#[derive(Clone, Debug)]
struct Address {
    inst: Inst,
    /// What it is, in bytes.
    sum: Sum,
    /// That, with what the loops around define taken apart: two of them that differ by a number do so here.
    form: Sum,
    /// Bytes that it moves in a round.
    step: i64,
    /// Each round makes an access with it.
    in_each_round: bool,
    /// No subscript wraps around from one access to another one.
    is_linear: bool,
    group: usize,
    /// The offsets that its accesses have from a pointer.
    offsets: [i64; 2],
}

#[derive(Debug, Default)]
struct Scratch {
    /// Per loop: addresses that stand in it, and in no loop inside of it.
    addresses: Column<Loop, Vec<Inst>>,
    variables: Vec<Variable>,
    found: Vec<Address>,
    /// Per instruction: its copy in front of the loop of the number that is noted.
    copies: Column<Inst, (u32, Opt<Inst>)>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    if !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let mut changed = simplify_loops(cx.f, cx.analyses);
    cx.require(AnalysisSet::EVOLUTION);
    let loops = &cx.analyses.loops;
    s.addresses.reset(loops.header.len(), Vec::new());
    for &b in &cx.analyses.order.blocks {
        if let Some(l) = loops.innermost[b].get() {
            s.addresses[l].extend(cx.f.insts(b).filter(|&i| cx.f.op(i) == Op::ElemAddr));
        }
    }
    s.copies.reset(cx.f.inst_count(), (u32::MAX, Opt::NONE));
    for l in cx.analyses.loops.header.keys().rev() {
        if let Some(record) = cx.analyses.simple_loop(cx.f, l).map(|around| around.record()) {
            changed |= reduce(cx, s, record);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

fn reduce(cx: &mut FuncCx, s: &mut Scratch, round: LoopRecord) -> bool {
    let candidates = std::mem::take(&mut s.addresses[round.l]);
    if candidates.is_empty() {
        return false;
    }
    s.find_variables(cx, round);
    s.found.clear();
    for &i in &candidates {
        if cx.f.block_of(i).is_some()
            && let Some(address) = s.address(cx, round, i)
        {
            s.found.push(address);
        }
    }
    s.leave_out_what_wraps();
    let mut groups = s.group(cx, false);
    if groups > MOST_GROUPS && cx.target.vectors.are_there() && cx.target.offsets_vector == [0, 0] {
        groups = s.group(cx, true);
    }
    if groups > MOST_GROUPS {
        return false;
    }
    // First, so that variables that were for them may go with the others.
    let strided = s.reduce_strided(cx, round, &candidates);
    if groups == 0 {
        return strided;
    }
    let moves = s.accesses_move(cx, round, groups);
    for group in 0..groups {
        s.reduce_group(cx, round, group, moves);
    }
    true
}

impl Scratch {
    /// The phis of the header that go up by a constant.
    fn find_variables(&mut self, cx: &FuncCx, round: LoopRecord) {
        let f = &*cx.f;
        self.variables.clear();
        let around = cx.analyses.simple_loop(f, round.l);
        let bounded = around.and_then(|around| {
            let counted = around.counted(around.latch)?;
            Some((counted.phi, around.limits(&counted)?))
        });
        for phi in f.phis(round.header).filter(|&phi| f.ty(phi) == Type::I32) {
            let (init, next) = (f.arg(phi, round.enters), f.arg(phi, round.goes_back));
            let Some(next) = next.as_inst().filter(|&next| f.op(next) == Op::Add) else { continue };
            let &[a, b] = f.args(next) else { continue };
            if a == Value::inst(phi)
                && let Some(step) = f.as_int(b)
            {
                let limits = bounded.filter(|&(counted, _)| counted == phi).map(|(_, limits)| limits);
                self.variables.push(Variable { phi, next, init, step, limits });
            }
        }
    }

    /// An address that a loop moves on by a constant.
    fn address(&self, cx: &mut FuncCx, round: LoopRecord, i: Inst) -> Option<Address> {
        let known = (&*cx.f, &cx.analyses.loops);
        let sum = *cx.analyses.evolution.of(i)?;
        let step = cx.analyses.evolution.step(known, round.l, &sum)?;
        let in_each_round = is_accessed(cx, round, i, MOST_USES);
        let is_small = i32::try_from(step).is_ok();
        (step != 0 && is_small && is_shallow(cx, round, i, |_| true)).then(|| Address {
            inst: i,
            sum,
            form: outermost(cx, round, &sum),
            step,
            in_each_round,
            is_linear: in_each_round || self.subscripts_stay_near(cx, round, i),
            group: usize::MAX,
            offsets: [0, 0],
        })
    }

    /// Reaches what goes up by the same in each round, but not by a number, by pointers that go up so. Each round makes
    /// an access with such an address: two of them are in one object, so they are less than 2^31 bytes apart, and it
    /// is enough to know the stride in 32 bits.
    fn reduce_strided(&mut self, cx: &mut FuncCx, round: LoopRecord, candidates: &[Inst]) -> bool {
        let (f, loops, evolution) = (&*cx.f, &cx.analyses.loops, &cx.analyses.evolution);
        // What goes up by a value itself is a subscript for nothing (`shell` 1.12 of its instructions with a pointer).
        let goes_by_number = |phi: Inst| self.variable(Value::inst(phi)).is_some();
        let has_scaled = |i: Inst| match accessed(f, i) {
            Some(ty) if ty.is_float() => cx.target.scaled_float,
            _ => cx.target.scaled_int,
        };
        let is_strided = |&i: &Inst| {
            let Some(sum) = evolution.of(i).filter(|_| f.block_of(i).is_some()) else { return false };
            evolution.step((f, loops), round.l, sum).is_none()
                && evolution.stride((f, loops), round.l, sum).is_some()
                && is_accessed(cx, round, i, MOST_USES)
                && is_shallow(cx, round, i, |phi| !has_scaled(i) || goes_by_number(phi))
        };
        let mut found: Vec<Inst> = candidates.iter().copied().filter(is_strided).collect();
        let mut changed = false;
        for _ in 0..MOST_STRIDED {
            let Some(&leader) = found.first() else { break };
            let Some(&sum) = cx.analyses.evolution.of(leader) else { break };
            let known = (&*cx.f, &cx.analyses.loops);
            let Some(stride) = cx.analyses.evolution.stride(known, round.l, &sum) else { break };
            let Some(start) = self.copy(cx, round, Value::inst(leader), (Start::First, true)) else { break };
            let place = cx.f.place(leader);
            let by = sum_of_products(cx.f, (At::BeforeTerminator(round.preheader), place), &stride);
            let pointer = cx.f.insert_phi(round.header, Type::Ptr, place);
            let shape = cx.env.shapes.leaving(Shape::scalar(Type::I8)).index() as u32;
            let (at, args) = (At::BeforeTerminator(round.latch), [Value::inst(pointer), by]);
            let next = cx.f.insert(at, Op::ElemAddr, Type::Ptr, &args, shape, place);
            cx.f.set_arg(pointer, round.enters, start);
            cx.f.set_arg(pointer, round.goes_back, Value::inst(next));
            let (f, evolution, target) = (&mut *cx.f, &cx.analyses.evolution, cx.target);
            found.retain(|&i| {
                let apart = evolution.of(i).and_then(|other| other.distance(&sum));
                let [low, high] = target.offsets(accessed(f, i).unwrap_or(Type::Void));
                let Some(apart) = apart.filter(|apart| *apart == 0 || (low..=high).contains(apart)) else {
                    return true;
                };
                let place = f.place(i);
                let v = match apart {
                    0 => Value::inst(pointer),
                    _ => offset(f, &cx.env.shapes, At::Before(i), Value::inst(pointer), apart, place),
                };
                f.replace_uses(i, v);
                f.remove_unused(i);
                false
            });
            changed = true;
        }
        changed
    }

    /// True if no subscript on the way to an address wraps around between two accesses.
    fn subscripts_stay_near(&self, cx: &FuncCx, round: LoopRecord, i: Inst) -> bool {
        let f = &*cx.f;
        let mut at = Some(i);
        for _ in 0..MOST_STEPS {
            let inside = |i: &Inst| f.block_of(*i).is_some_and(|b| cx.analyses.loops.contains(round.l, b));
            let Some(i) = at.filter(inside).filter(|&i| f.op(i) == Op::ElemAddr) else { return true };
            let stays = |&v: &Value| {
                v.as_inst().filter(inside).is_none_or(|i| self.stays_near(cx, round, i).unwrap_or(false))
            };
            if !f.args(i)[1..].iter().all(stays) {
                return false;
            }
            at = f.arg(i, 0).as_inst();
        }
        false
    }

    /// True if a subscript of the loop cannot wrap around between two accesses.
    fn stays_near(&self, cx: &FuncCx, round: LoopRecord, index: Inst) -> Option<bool> {
        if self.variable(Value::inst(index)).is_some_and(|variable| variable.limits.is_some()) {
            return Some(true);
        }
        let evolution = &cx.analyses.evolution;
        let step = evolution.step((&*cx.f, &cx.analyses.loops), round.l, evolution.of(index)?)?;
        // How often the loop can go round.
        let bounded = |v: &Variable| (v.limits?[1] - v.limits?[0]).checked_div(v.step.abs());
        let most = self.variables.iter().find_map(bounded);
        let moves = most.map_or(i64::MAX, |most| most.saturating_mul(step.saturating_abs()));
        Some(step == 0 || moves <= if step > 0 { FAR_UP } else { FAR })
    }

    /// Leaves out addresses that may wrap around. An address at a constant offset from one that does not wrap does not
    /// wrap either.
    fn leave_out_what_wraps(&mut self) {
        let found = &self.found;
        let is_linear = |a: &Address| {
            a.is_linear || found.iter().any(|b| b.is_linear && b.form.terms() == a.form.terms())
        };
        let stay: Vec<bool> = found.iter().map(is_linear).collect();
        let mut stay = stay.into_iter();
        self.found.retain(|_| stay.next() == Some(true));
    }

    fn variable(&self, v: Value) -> Option<&Variable> {
        self.variables.iter().find(|variable| Value::inst(variable.phi) == v)
    }

    /// The one variable that the loop makes an address of, if there is but one.
    fn variable_of(&self, cx: &FuncCx, round: LoopRecord, address: Inst) -> Option<&Variable> {
        let f = &*cx.f;
        let mut open = vec![address];
        let mut found: Option<Inst> = None;
        let mut steps = 0;
        while let Some(i) = open.pop() {
            if f.block_of(i).is_none_or(|b| !cx.analyses.loops.contains(round.l, b)) {
                continue;
            }
            steps += 1;
            if f.op(i) == Op::Phi {
                if found.is_some_and(|found| found != i) {
                    return None;
                }
                found = Some(i);
            } else if steps > 2 * MOST_STEPS {
                return None;
            } else {
                open.extend(f.args(i).iter().filter_map(|v| v.as_inst()));
            }
        }
        self.variable(Value::inst(found?))
    }

    /// Puts addresses that differ by a constant into groups; says how many. What differs by `NEXT` at most may be in one
    /// of vectors, if an addition may stand in front of each access.
    fn group(&mut self, cx: &FuncCx, adds: bool) -> usize {
        let mut groups = 0;
        for k in 0..self.found.len() {
            self.found[k].offsets = match accessed(cx.f, self.found[k].inst) {
                Some(ty) if adds && ty.is_vector() => [-NEXT, NEXT],
                Some(ty) => cx.target.offsets(ty),
                None => cx.target.offsets(Type::Void),
            };
            let form = self.found[k].form;
            let mut tried = usize::MAX;
            let same = (k.saturating_sub(MOST_COMPARED)..k).find_map(|j| {
                let Address { form: other, group, .. } = self.found[j];
                if group == tried || other.terms() != form.terms() {
                    return None;
                }
                tried = group;
                let members = (0..=k).filter(|&m| m == k || self.found[m].group == group);
                self.leader(members).map(|_| group)
            });
            self.found[k].group = same.unwrap_or(groups);
            groups += usize::from(same.is_none());
        }
        groups
    }

    /// The first of some addresses that all others are in reach of.
    fn leader(&self, members: impl Iterator<Item = usize> + Clone) -> Option<usize> {
        members.clone().find(|&leader| {
            let from = self.found[leader].form.constant();
            members.clone().all(|k| {
                let Address { ref form, offsets: [low, high], .. } = self.found[k];
                (low..=high).contains(&form.constant().wrapping_sub(from))
            })
        })
    }

    fn reduce_group(&mut self, cx: &mut FuncCx, round: LoopRecord, group: usize, moves: bool) {
        let members: Vec<usize> = (0..self.found.len()).filter(|&k| self.found[k].group == group).collect();
        let Some(first) = self.leader(members.iter().copied()) else { return };
        let Address { inst: leader, step, ref form, .. } = self.found[first];
        let constant = form.constant();
        let place = cx.f.place(leader);
        let is_alone = members.iter().all(|&k| self.found[k].form.constant() == constant);
        let in_each_round = members.iter().any(|&k| self.found[k].in_each_round);
        if is_alone && !moves && self.index_alone(cx, round, &members) {
            return;
        }
        let Some(start) = self.copy(cx, round, Value::inst(leader), (Start::First, in_each_round)) else {
            return;
        };
        let pointer = cx.f.insert_phi(round.header, Type::Ptr, place);
        // A pointer ends up behind the last element.
        let at = At::BeforeTerminator(round.latch);
        let next = offset(cx.f, &cx.env.shapes, at, Value::inst(pointer), step, place);
        cx.f.set_arg(pointer, round.enters, start);
        cx.f.set_arg(pointer, round.goes_back, next);
        for &k in &members {
            let Address { inst, ref form, .. } = self.found[k];
            let apart = form.constant().wrapping_sub(constant);
            let place = cx.f.place(inst);
            let v = match apart {
                0 => Value::inst(pointer),
                _ => offset(cx.f, &cx.env.shapes, At::Before(inst), Value::inst(pointer), apart, place),
            };
            cx.f.replace_uses(inst, v);
            cx.f.remove_unused(inst);
        }
        self.compare_pointers(cx, round, (next, start), (step, in_each_round));
    }

    /// Leaves a subscript in the loop, where that costs nothing.
    fn index_alone(&mut self, cx: &mut FuncCx, round: LoopRecord, members: &[usize]) -> bool {
        let Address { inst: leader, step, ref sum, .. } = self.found[members[0]];
        let f = &*cx.f;
        let Some(&Variable { phi, next, init, step: by, limits }) = self.variable_of(cx, round, leader)
        else {
            return false;
        };
        // A pointer in the place of a variable that is for nothing else costs nothing, and unrolling shares it.
        let is_member = |i: Inst| members.iter().any(|&k| self.found[k].inst == i);
        let is_only_for_it =
            f.uses(phi).all(|u| u.user == next || is_member(u.user)) && f.uses(next).all(|u| u.user == phi);
        if limits.is_none() && is_only_for_it {
            return false;
        }
        let v = Value::inst(phi);
        let Some(ty) = accessed(f, leader).filter(|ty| !ty.is_vector()) else { return false };
        let fits = if ty.is_float() { cx.target.scaled_float } else { cx.target.scaled_int };
        // Where the loop is unrolled, only what is in front of an access in each round is shared by those of the others, which have offsets
        // then (`closure` on the ARMs 0.96 and 0.91 of its instructions, `unswitch` 0.70 of a Cortex-A72's cycles). A variable that is asked
        // in each round is computed in any case (`floats` 1.05).
        let is_for_addresses = f.uses(phi).all(|u| u.user == next || f.op(u.user) == Op::ElemAddr);
        if is_for_addresses && !members.iter().any(|&k| self.found[k].in_each_round) {
            return false;
        }
        // The base is where the subscript would be zero. From there on it must not wrap around either, and it
        // must be in reach of relocations.
        let is_natural = limits.is_some_and(|[low, _]| low >= 0);
        let bytes = i64::from(cx.env.shapes.bytes_of(ty));
        // What is left where the variable is 0.
        let rest = cx.analyses.evolution.of(phi).and_then(|variable| sum.plus(variable, -bytes));
        let is_near =
            |rest: &Sum| i32::try_from(rest.constant()).is_ok() && (is_natural || rest.terms().len() < 2);
        if !fits || step != by * bytes || !rest.is_some_and(|rest| is_near(&rest)) {
            return false;
        }
        let shape = Shape::scalar(ty);
        let payload = shape.index() as u32;
        let is_done = f.payload(leader) == payload
            && f.args(leader).get(1) == Some(&v)
            && f.arg(leader, 0)
                .as_inst()
                .is_none_or(|i| f.block_of(i).is_none_or(|b| !cx.analyses.loops.contains(round.l, b)));
        if is_done {
            return true;
        }
        // Not far from what the first round accesses.
        let is_near = cx.f.as_int(init).is_some_and(|x| x.abs() < NEAR);
        let in_each_round = members.iter().any(|&k| self.found[k].in_each_round);
        let start = (Start::Zero, is_near && in_each_round);
        let Some(base) = self.copy(cx, round, Value::inst(leader), start) else { return false };
        for &k in members {
            let inst = self.found[k].inst;
            cx.f.rewrite(inst, Op::ElemAddr, Type::Ptr, &[base, v], payload);
        }
        true
    }

    /// Makes, in front of the loop, what a value is when the induction variables are what `start` says. An
    /// address may be outside of its object, and further away than 32 bits tell, unless the first round
    /// accesses it, or what is near, for certain.
    fn copy(
        &mut self,
        cx: &mut FuncCx,
        round: LoopRecord,
        v: Value,
        (start, is_inside): (Start, bool),
    ) -> Option<Value> {
        let Some(i) = v.as_inst() else { return Some(v) };
        if let Some(variable) = self.variable(v) {
            return Some(match start {
                Start::First => variable.init,
                Start::Zero => cx.f.int(0),
            });
        }
        if cx.f.block_of(i).is_none_or(|b| !cx.analyses.loops.contains(round.l, b)) {
            return Some(v);
        }
        if cx.f.op(i) == Op::Phi {
            let begins = matches!(start, Start::First) && cx.f.block_of(i) == Some(round.header);
            return begins.then(|| cx.f.arg(i, round.enters));
        }
        // What has a form is a few steps deep.
        let mut args: Vec<Value> = cx.f.args(i).to_vec();
        for arg in &mut args {
            *arg = self.copy(cx, round, *arg, (start, is_inside))?;
        }
        let (op, ty, mut payload) = (cx.f.op(i), cx.f.ty(i), cx.f.payload(i));
        // In front of the loop a debugger is where that is begun.
        let place = cx.f.terminator(round.preheader).map_or(cx.f.place(i), |end| cx.f.place(end));
        if op == Op::ElemAddr && !is_inside {
            payload = cx.env.shapes.leaving(Shape::new(payload as usize)).index() as u32;
        }
        if let Some(v) = cx.f.fold(op, ty, payload, &args) {
            return Some(v);
        }
        let at = At::BeforeTerminator(round.preheader);
        let copy = cx.f.insert(at, op, ty, &args, payload, place);
        cx.analyses.evolution.note(cx.env, cx.f, &cx.analyses.loops, copy);
        if op == Op::ElemAddr
            && let Some(around) = cx.analyses.loops.innermost[round.preheader].get()
        {
            self.addresses[around].push(copy);
        }
        Some(Value::inst(copy))
    }
}

/// What induction variables are when a loop is entered.
#[derive(Copy, Clone, Debug)]
enum Start {
    First,
    Zero,
}

/// A sum for a loop, in the terms of the outermost loop around it; as it is where that has too many.
fn outermost(cx: &mut FuncCx, round: LoopRecord, sum: &Sum) -> Sum {
    let loops = &cx.analyses.loops;
    let mut outer = round.l;
    while let Some(around) = loops.parent[outer].get() {
        outer = around;
    }
    let known = (&*cx.f, loops);
    let form = (outer != round.l).then(|| cx.analyses.evolution.expand(known, (outer, round.l), sum));
    form.flatten().unwrap_or(*sum)
}

/// The type of all that is loaded and stored at an address, if that is one type, and nothing else is done
/// with it.
fn accessed(f: &Body, address: Inst) -> Option<Type> {
    let mut ty = None;
    for u in f.uses(address) {
        let of = match f.op(u.user) {
            Op::Load => f.ty(u.user),
            Op::Store if u.operand == 1 => f.type_of(f.arg(u.user, 0)),
            _ => return None,
        };
        if ty.is_some_and(|ty| ty != of) {
            return None;
        }
        ty = Some(of);
    }
    ty
}

/// True if an address is a few steps from what the loop does not change, and from its phis, all of which are of a kind.
fn is_shallow(cx: &FuncCx, round: LoopRecord, address: Inst, of_kind: impl Fn(Inst) -> bool) -> bool {
    let f = &*cx.f;
    let (mut open, mut steps) = (vec![address], 0);
    while let Some(i) = open.pop() {
        let inside = f.block_of(i).is_some_and(|b| cx.analyses.loops.contains(round.l, b));
        if inside && f.op(i) == Op::Phi && !of_kind(i) {
            return false;
        }
        if inside && f.op(i) != Op::Phi {
            steps += 1;
            if steps > 4 * MOST_STEPS {
                return false;
            }
            open.extend(f.args(i).iter().filter_map(|v| v.as_inst()));
        }
    }
    true
}

/// True if each round accesses memory at an address, or a constant away from it. That may be in the first
/// round of a loop inside, by a pointer that begins there.
fn is_accessed(cx: &FuncCx, round: LoopRecord, address: Inst, most: u32) -> bool {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let in_each_round = |i: Inst| {
        f.block_of(i)
            .is_some_and(|b| loops.contains(round.l, b) && cx.analyses.dominators.dominates(b, round.latch))
    };
    let is_access = |i: Inst, operand: u32| match f.op(i) {
        Op::Load | Op::StridedLoad => true,
        Op::Store | Op::StridedStore => operand == 1,
        _ => false,
    };
    f.uses(address).any(|u| match f.op(u.user) {
        Op::Load | Op::Store | Op::StridedLoad | Op::StridedStore => {
            is_access(u.user, u.operand) && in_each_round(u.user)
        }
        Op::ElemAddr if u.operand == 0 && most > 0 => {
            let is_constant = f.args(u.user)[1..].iter().all(|&v| f.as_int(v).is_some());
            is_constant && is_accessed(cx, round, u.user, most - 1)
        }
        Op::Phi => {
            let Some(header) = f.block_of(u.user).filter(|_| in_each_round(u.user)) else { return false };
            let inner = loops.innermost[header].get().filter(|&l| loops.header[l] == header && l != round.l);
            let goes_back = |l: Loop| {
                let from = f.edge_from(f.preds(header)[u.operand as usize]);
                loops.contains(l, from)
            };
            inner.is_some_and(|l| !goes_back(l))
                && f.uses(u.user).any(|u| f.block_of(u.user) == Some(header) && is_access(u.user, u.operand))
        }
        _ => false,
    })
}

/// An address some bytes on.
pub(super) fn offset(f: &mut Body, shapes: &Shapes, at: At, base: Value, bytes: i64, place: Place) -> Value {
    let (ty, count) = if bytes % 4 == 0 { (Type::I32, bytes / 4) } else { (Type::I8, bytes) };
    let shape = shapes.leaving(Shape::scalar(ty));
    let count = f.int(count as i32);
    Value::inst(f.insert(at, Op::ElemAddr, Type::Ptr, &[base, count], shape.index() as u32, place))
}

mod exit;
#[cfg(test)]
mod tests;
