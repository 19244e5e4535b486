//! Makes the vectors of a loop: of a copy of it, whose scalars go but for addresses, counters and the test.

use super::checks::ask;
use super::{Plan, vector_of};
use crate::base::Opt;
use crate::ir::body::region::Copies;
use crate::ir::{At, Block, Body, Edge, Flags, Inst, Op, Place, Shapes, Type, Value};
use crate::opt::loops::copies::Round;
use crate::opt::loops::loop_vectorize::quotient::{direct_rest, divided, is_quotient, upper_part};
use crate::opt::loops::loop_vectorize::roles::{Role, clamped, extreme, magnitude, masked};
use crate::opt::loops::strength::offset;

/// A loop that gets vectors.
pub(super) struct Maker<'a> {
    pub(super) f: &'a mut Body,
    pub(super) plan: &'a Plan,
    copies: &'a Copies,
    pub(super) round: &'a Round,
    /// In front of it.
    pub(super) before: Block,
    /// Where its phis get what they begin with, and what they are next.
    pub(super) enters: usize,
    pub(super) back: usize,
    pub(super) place: Place,
    /// What the phis of the original are next.
    pub(super) nexts: Vec<Value>,
    /// Vectors of what the loop does not change.
    fixed: Vec<(Value, Value)>,
    /// Vectors by instruction of the original.
    made: Vec<(Inst, Value)>,
    /// Of sums of floats in order, by number of their phi: the vector that they are in, and the lane.
    pub(super) firsts: Vec<(usize, Value, u32)>,
}

/// Does the rounds of a loop in vectors.
pub(super) fn vectorise(f: &mut Body, shapes: &Shapes, plan: &Plan, copies: &mut Copies) -> Option<()> {
    let place = plan.place;
    let next_of_original = plan.round.nexts(f);
    let round = match plan.remainder {
        Some(_) => plan.round.copy(f, copies)?,
        None => {
            copies.blocks.grow_to(f.block_count(), Opt::NONE);
            copies.values.grow_to(f.inst_count(), None);
            plan.round.forget(f, copies);
            plan.round.clone()
        }
    };
    let header = round.header;
    let last_scalar = f.terminator(header).and_then(|end| f.prev(end));
    // Counters go on by all rounds of a test.
    let mut next = plan.test.next;
    let mut nexts = round.nexts(f);
    for (k, &phi) in plan.round.phis.iter().enumerate() {
        if let Some(Role::Counter(step)) = plan.roles.of(phi) {
            let by = f.int(step.wrapping_mul(plan.lanes.into()) as i32);
            let at = At::BeforeTerminator(header);
            let sum = f.insert(at, Op::Add, Type::I32, &[Value::inst(round.phis[k]), by], 0, f.place(phi));
            let sum = Value::inst(sum);
            if nexts[k] == Round::value(copies, plan.test.next) {
                next = sum;
            }
            nexts[k] = sum;
        }
        // It changes its sign an even number of times.
        if plan.roles.of(phi) == Some(Role::Alternating) {
            nexts[k] = Value::inst(round.phis[k]);
        }
    }
    let originals = plan.round.results(f);
    let results = round.results(f);
    round.enter(f, round.back, &nexts);
    let (middle, done, rest): (Block, Edge, Option<Edge>) = match &plan.remainder {
        Some(remainder) => {
            let around = (&plan.round, place);
            let enters = f.preds(plan.round.header).iter().copied().find(|&e| e != plan.round.back)?;
            let asked = ask(f, f.edge_from(enters), (&plan.checks, plan.words), place);
            let rounds = std::slice::from_ref(&round);
            remainder.add(f, shapes, around, (rounds, next), (&nexts, &results), asked)?;
            f.few_rounds.insert(plan.round.header);
            let middle = f.edge_to(round.out);
            let mut edges = f.succs(middle);
            let (more, done) = (edges.next()?, edges.next()?);
            (middle, done, Some(more))
        }
        None => {
            let test = plan.test;
            round.test(f, place, (test.goes_on, next, test.bound))?;
            let middle = f.split_edge(round.out);
            (middle, f.succs(middle).next()?, None)
        }
    };
    let enters = f.preds(header).iter().copied().find(|&e| e != round.back)?;
    let (before, enters, back) = (f.edge_from(enters), f.edge_slot(enters), f.edge_slot(round.back));
    let mut maker = Maker {
        f,
        plan,
        copies,
        round: &round,
        before,
        enters,
        back,
        place,
        nexts: next_of_original,
        fixed: Vec::new(),
        made: Vec::new(),
        firsts: Vec::new(),
    };
    maker.vectors(shapes)?;
    maker.behind((middle, done, rest), &originals)?;
    maker.clean(last_scalar);
    if plan.remainder.is_some() {
        plan.round.forget(f, copies);
    }
    Some(())
}

impl Maker<'_> {
    pub(super) fn make(&mut self, at: At, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        Value::inst(self.f.insert(at, op, ty, args, payload, self.place))
    }

    /// The type of integers in lanes.
    pub(super) fn ints(&self) -> Type {
        vector_of(Type::I32, self.plan.lanes).unwrap_or(Type::I32x4)
    }

    /// An operation on lanes of integers.
    pub(super) fn lanes(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.make(At::BeforeTerminator(self.round.header), op, self.ints(), &[a, b], 0)
    }

    /// What stands for a value of the original loop.
    fn scalar(&self, v: Value) -> Value {
        Round::value(self.copies, v)
    }

    /// A value in all lanes, made in front of the loop.
    pub(super) fn splat(&mut self, v: Value) -> Option<Value> {
        if let Some(&(_, known)) = self.fixed.iter().find(|row| row.0 == v) {
            return Some(known);
        }
        let ty = vector_of(self.f.type_of(v), self.plan.lanes)?;
        let all = self.make(At::BeforeTerminator(self.before), Op::Splat, ty, &[v], 0);
        self.fixed.push((v, all));
        Some(all)
    }

    /// A value of the original loop in vectors.
    pub(super) fn vector(&mut self, v: Value) -> Option<Value> {
        let known = v.as_inst().and_then(|i| self.made.iter().find(|row| row.0 == i));
        match known {
            Some(&(_, lanes)) => Some(lanes),
            None => self.splat(v),
        }
    }

    /// Four rounds.
    fn vectors(&mut self, shapes: &Shapes) -> Option<()> {
        let plan = self.plan;
        let header = self.round.header;
        for &(i, role) in plan.roles.rows() {
            let at = At::BeforeTerminator(header);
            if self.made.iter().any(|row| row.0 == i) {
                continue;
            }
            if let Some(group) = plan.roles.group(i) {
                self.in_turn(shapes, (i, group))?;
                continue;
            }
            let lanes = match role {
                Role::Counter(step) => {
                    let v = Value::inst(i);
                    let is_next = |k: usize| {
                        plan.roles.of(plan.round.phis[k]) == Some(Role::Previous) && self.nexts[k] == v
                    };
                    let is_wanted = plan.roles.lanes().any(|user| takes(self.f, user, v))
                        || (0..self.nexts.len()).any(is_next);
                    if !is_wanted {
                        continue;
                    }
                    self.counter(i, step)?
                }
                Role::Reduction(op) => self.sum(i, op),
                Role::Previous => self.previous(i)?,
                Role::Alternating => self.alternating(i)?,
                Role::Ordered => continue,
                Role::Same => {
                    let all = vector_of(self.f.ty(i), self.plan.lanes)?;
                    let v = self.scalar(Value::inst(i));
                    self.make(at, Op::Splat, all, &[v], 0)
                }
                Role::Strided(stride) => {
                    let stride = self.f.int_of(Type::I64, stride);
                    match *self.f.args(i) {
                        [address] => {
                            let (ty, address) =
                                (vector_of(self.f.ty(i), self.plan.lanes)?, self.scalar(address));
                            self.make(at, Op::StridedLoad, ty, &[address, stride], 0)
                        }
                        [v, address] => {
                            let (v, address) = (self.vector(v)?, self.scalar(address));
                            self.make(at, Op::StridedStore, Type::Void, &[v, address, stride], 0)
                        }
                        _ => return None,
                    }
                }
                Role::Lanes => match self.f.op(i) {
                    Op::Load => {
                        let address = self.scalar(self.f.arg(i, 0));
                        let ty = vector_of(self.f.ty(i), self.plan.lanes)?;
                        let load = self.make(at, Op::Load, ty, &[address], 0);
                        self.aligned(load, i);
                        load
                    }
                    Op::Store => {
                        let &[v, address] = self.f.args(i) else { return None };
                        let v = self.vector(v)?;
                        let address = self.scalar(address);
                        let store = self.make(at, Op::Store, Type::Void, &[v, address], 0);
                        self.aligned(store, i);
                        store
                    }
                    Op::MaskedStore => {
                        let (v, address, c) = masked(self.f, i)?;
                        let args = [self.vector(v)?, self.scalar(address), self.vector(c)?];
                        let store = self.make(at, Op::MaskedStore, Type::Void, &args, 0);
                        self.aligned(store, i);
                        store
                    }
                    Op::Select => self.choice(i)?,
                    Op::Trunc if let Some(parts) = upper_part(self.f, i) => self.upper(parts)?,
                    Op::Trunc if let Some(parts) = direct_rest(self.f, i) => self.direct(parts)?,
                    Op::SDiv | Op::SRem | Op::UDiv | Op::URem
                        if is_quotient(self.f, plan.vectors, (i, plan.lanes)) =>
                    {
                        self.quotient(i)?
                    }
                    op => {
                        let args: Vec<Value> = self.f.args(i).to_vec();
                        let args: Option<Vec<Value>> = args.into_iter().map(|v| self.vector(v)).collect();
                        let (ty, payload) = (vector_of(self.f.ty(i), self.plan.lanes)?, self.f.payload(i));
                        let made = self.make(at, op, ty, &args?, payload);
                        // Sums of ints may wrap in lanes that add up others; of floats all stays promised.
                        if let Some(lanes) = made.as_inst() {
                            self.f.set_flags(lanes, self.f.flags(i).both(Flags::FAST));
                        }
                        made
                    }
                },
            };
            self.made.push((i, lanes));
        }
        // What sums are next.
        for (k, &phi) in plan.round.phis.iter().enumerate() {
            if let Some(Role::Reduction(_)) = plan.roles.of(phi) {
                let sum = self.vector(Value::inst(phi))?.as_inst()?;
                let next = self.vector(self.nexts[k])?;
                self.f.set_arg(sum, self.back, next);
            }
            if plan.roles.of(phi) == Some(Role::Previous) {
                let next = self.vector(self.nexts[k])?;
                let both = self.vector(Value::inst(phi))?.as_inst()?;
                let before = self.f.arg(both, 0).as_inst()?;
                self.f.set_arg(before, self.back, next);
            }
        }
        self.sums_in_order()
    }

    /// Accesses in turn, side by side: loads where the first of them stands, stores where the last one does.
    fn in_turn(&mut self, shapes: &Shapes, (i, group): (Inst, &[Inst])) -> Option<()> {
        let &first = group.first()?;
        let is_store = self.f.op(first) == Op::Store;
        let last = self.plan.roles.rows().iter().rev().find(|row| group.contains(&row.0))?.0;
        if is_store && i != last {
            return Some(());
        }
        let at = At::BeforeTerminator(self.round.header);
        let address = |f: &Body, i: Inst| f.arg(i, usize::from(is_store));
        let begin = self.scalar(address(self.f, first));
        let stride = self.f.int_of(Type::I64, 4 * group.len() as i64);
        for (k, &i) in group.iter().enumerate() {
            let address = match k {
                0 => begin,
                _ => offset(self.f, shapes, at, begin, 4 * k as i64, self.place),
            };
            let lanes = match is_store {
                true => {
                    let v = self.vector(self.f.arg(i, 0))?;
                    self.make(at, Op::StridedStore, Type::Void, &[v, address, stride], 0)
                }
                false => {
                    let ty = vector_of(self.f.ty(i), self.plan.lanes)?;
                    self.make(at, Op::StridedLoad, ty, &[address, stride], 0)
                }
            };
            self.made.push((i, lanes));
        }
        Some(())
    }

    /// A choice: a minimum or maximum, a magnitude, a sum of what is added where a condition holds, or neither.
    fn choice(&mut self, i: Inst) -> Option<Value> {
        let at = At::BeforeTerminator(self.round.header);
        let (ty, &[c, a, b]) = (vector_of(self.f.ty(i), self.plan.lanes)?, self.f.args(i)) else {
            return None;
        };
        let test = c.as_inst().filter(|&test| self.f.op(test) == Op::ICmp);
        let extreme = test.and_then(|test| extreme(self.f, test, (a, b)));
        if let Some(op) = extreme.filter(|&op| self.plan.vectors.has(op, ty)) {
            let args = [self.vector(a)?, self.vector(b)?];
            return Some(self.make(at, op, ty, &args, 0));
        }
        if let Some((op, limit, rest)) = test.and_then(|test| clamped(self.f, test, (a, b)))
            && self.plan.vectors.has(op, ty)
        {
            let args = [self.vector(limit)?, self.vector(rest)?];
            return Some(self.make(at, op, ty, &args, 0));
        }
        if let Some(x) = test.and_then(|test| magnitude(self.f, test, (a, b)))
            && self.plan.vectors.has(Op::Abs, ty)
        {
            let x = self.vector(x)?;
            return Some(self.make(at, Op::Abs, ty, &[x], 0));
        }
        let added = a.as_inst().filter(|&sum| match (self.f.op(sum), self.f.args(sum)) {
            (Op::Add, &[x, y]) => x == b || y == b,
            (Op::Sub, &[x, _]) => x == b,
            _ => false,
        });
        let added = added.filter(|_| {
            !self.plan.masks && [Op::And, Op::SExt].iter().all(|&op| self.plan.vectors.has(op, ty))
        });
        let mask = self.vector(c)?;
        if let Some(sum) = added {
            let (op, &[x, y]) = (self.f.op(sum), self.f.args(sum)) else { return None };
            let by = if x == b { y } else { x };
            let (to, is_one) = (self.vector(b)?, self.f.as_int(by) == Some(1));
            // What is all bits or none is -1 or 0.
            let all = self.make(at, Op::SExt, ty, &[mask], 0);
            if is_one {
                let opposite = if op == Op::Add { Op::Sub } else { Op::Add };
                return Some(self.make(at, opposite, ty, &[to, all], 0));
            }
            let by = self.vector(by)?;
            let some = self.make(at, Op::And, ty, &[by, all], 0);
            return Some(self.make(at, op, ty, &[to, some], 0));
        }
        if let Some((to, op, x, opposite, y)) = both_sums(self.f, a, b) {
            // What is added is chosen: the sum waits for nothing else then, and is one instruction.
            let y = if opposite { self.opposite(y)? } else { self.vector(y)? };
            let args = [mask, self.vector(x)?, y];
            let by = self.make(at, Op::Select, ty, &args, 0);
            let to = self.vector(to)?;
            return Some(self.make(at, op, ty, &[to, by], 0));
        }
        let args = [mask, self.vector(a)?, self.vector(b)?];
        Some(self.make(at, Op::Select, ty, &args, 0))
    }

    /// 0 less a value, in front of the loop if that does not change it.
    fn opposite(&mut self, v: Value) -> Option<Value> {
        let (zero, ty) = (self.f.int(0), self.ints());
        let is_made = v.as_inst().is_some_and(|i| self.made.iter().any(|row| row.0 == i));
        if !is_made {
            let at = At::BeforeTerminator(self.before);
            let folded = self.f.fold(Op::Sub, Type::I32, 0, &[zero, v]);
            let less = folded.unwrap_or_else(|| self.make(at, Op::Sub, Type::I32, &[zero, v], 0));
            return self.splat(less);
        }
        let (zero, v) = (self.splat(zero)?, self.vector(v)?);
        Some(self.make(At::BeforeTerminator(self.round.header), Op::Sub, ty, &[zero, v], 0))
    }

    /// An access to vectors is aligned as that of their lanes is.
    fn aligned(&mut self, access: Value, lane: Inst) {
        if let Some(i) = access.as_inst() {
            self.f.set_access(i, self.f.access(lane).of_lanes());
        }
    }

    /// What a counter is in four rounds.
    fn counter(&mut self, phi: Inst, step: i64) -> Option<Value> {
        let (ty, lanes) = (self.ints(), self.plan.lanes);
        let at = At::BeforeTerminator(self.round.header);
        let rounds = |n: u32| step.wrapping_mul(n.into()) as i32;
        let slot = self.round.phis.iter().zip(&self.plan.round.phis).find(|pair| *pair.1 == phi)?.0;
        let first = self.f.arg(*slot, self.enters);
        let in_front = At::BeforeTerminator(self.before);
        let mut begins = self.splat(first)?;
        for k in 1..lanes {
            let by = self.f.int(rounds(k));
            let lane = match self.f.fold(Op::Add, Type::I32, 0, &[first, by]) {
                Some(v) => v,
                None => self.make(in_front, Op::Add, Type::I32, &[first, by], 0),
            };
            begins = self.make(in_front, Op::InsertLane, ty, &[begins, lane], k);
        }
        let own = self.f.insert_phi(self.round.header, ty, self.place);
        let by = self.f.int(rounds(lanes));
        let by = self.splat(by)?;
        let next = self.make(at, Op::Add, ty, &[Value::inst(own), by], 0);
        self.f.set_arg(own, self.enters, begins);
        self.f.set_arg(own, self.back, next);
        Some(Value::inst(own))
    }

    /// What a value was a round ago: of its vector in the four rounds before, and of that in these.
    fn previous(&mut self, phi: Inst) -> Option<Value> {
        let ty = vector_of(self.f.ty(phi), self.plan.lanes)?;
        let k = self.plan.round.phis.iter().position(|&other| other == phi)?;
        let first = self.f.arg(self.round.phis[k], self.enters);
        let begins = self.splat(first)?;
        let before = self.f.insert_phi(self.round.header, ty, self.place);
        self.f.set_arg(before, self.enters, begins);
        let next = self.vector(self.nexts[k])?;
        let at = At::BeforeTerminator(self.round.header);
        Some(self.make(at, Op::Splice, ty, &[Value::inst(before), next], 0))
    }

    /// What changes its sign in each round is the same in all rounds of a vector.
    fn alternating(&mut self, phi: Inst) -> Option<Value> {
        let ty = vector_of(self.f.ty(phi), self.plan.lanes)?;
        let k = self.plan.round.phis.iter().position(|&other| other == phi)?;
        let first = self.f.arg(self.round.phis[k], self.enters);
        let in_front = At::BeforeTerminator(self.before);
        let opposite = match self.f.fold(Op::FNeg, Type::F32, 0, &[first]) {
            Some(v) => v,
            None => self.make(in_front, Op::FNeg, Type::F32, &[first], 0),
        };
        let mut all = self.splat(first)?;
        for lane in (1..self.plan.lanes).step_by(2) {
            all = self.make(in_front, Op::InsertLane, ty, &[all, opposite], lane);
        }
        Some(all)
    }

    /// A phi that sums up.
    fn sum(&mut self, phi: Inst, op: Op) -> Value {
        let ty = vector_of(self.f.ty(phi), self.plan.lanes).unwrap_or(self.ints());
        let own = self.f.insert_phi(self.round.header, ty, self.place);
        let slot = self.round.phis.iter().zip(&self.plan.round.phis).find(|pair| *pair.1 == phi);
        let first = slot.map_or(Value::undef(ty.element()), |pair| self.f.arg(*pair.0, self.enters));
        let begins = match op {
            Op::FAdd => self.f.f32(-0.0),
            Op::FMul => self.f.f32(1.0),
            Op::Add | Op::Or | Op::Xor => self.f.int(0),
            Op::Mul => self.f.int(1),
            Op::And => self.f.int(-1),
            _ => first,
        };
        let begins = self.splat(begins).unwrap_or(Value::undef(ty));
        self.f.set_arg(own, self.enters, begins);
        Value::inst(own)
    }

    /// What is known behind the rounds.
    fn behind(
        &mut self,
        (middle, done, rest): (Block, Edge, Option<Edge>),
        results: &[(Inst, Value)],
    ) -> Option<()> {
        let plan = self.plan;
        let at = match self.f.insts(middle).next() {
            Some(first) => At::Before(first),
            None => At::End(middle),
        };
        let mut known: Vec<(Value, Value)> = Vec::new();
        for (k, &phi) in plan.round.phis.iter().enumerate() {
            let next = self.nexts[k];
            let v = match plan.roles.of(phi) {
                Some(Role::Reduction(Op::FAdd)) => {
                    let first = self.f.arg(self.round.phis[k], self.enters);
                    let all = self.vector(next)?;
                    self.make(at, Op::ReduceFAdd, Type::F32, &[first, all], 0)
                }
                Some(Role::Reduction(Op::FMul)) => {
                    let (mut one, all) = (self.f.arg(self.round.phis[k], self.enters), self.vector(next)?);
                    for lane in 0..plan.lanes {
                        let by = self.make(at, Op::ExtractLane, Type::F32, &[all], lane);
                        one = self.make(at, Op::FMul, Type::F32, &[one, by], 0);
                    }
                    one
                }
                Some(Role::Reduction(op)) => {
                    let all = self.vector(next)?;
                    let one = self.make(at, reduces(op)?, Type::I32, &[all], 0);
                    let first = self.f.arg(self.round.phis[k], self.enters);
                    let is_zero = op == Op::Add && self.f.as_int(first) == Some(0);
                    let is_in = matches!(op, Op::SMin | Op::SMax | Op::UMin | Op::UMax);
                    if is_zero || is_in { one } else { self.make(at, op, Type::I32, &[first, one], 0) }
                }
                Some(Role::Ordered) => match self.firsts.iter().find(|row| row.0 == k) {
                    Some(&(_, sum, lane)) => self.make(at, Op::ExtractLane, Type::F32, &[sum], lane),
                    None => self.f.arg(self.round.phis[k], self.back),
                },
                Some(Role::Previous) => {
                    let lanes = self.vector(next)?;
                    let ty = self.f.type_of(next);
                    self.make(at, Op::ExtractLane, ty, &[lanes], plan.lanes - 1)
                }
                _ => continue,
            };
            known.push((next, v));
            if let Some(rest) = rest {
                // The phi of the loop as it was begins with a join of both ways to it.
                let slot = self.f.edge_slot(rest);
                let enters = self.f.succs(self.f.edge_to(rest)).next()?;
                let join = self.f.arg(phi, self.f.edge_slot(enters)).as_inst()?;
                self.f.set_arg(join, slot, v);
            }
        }
        let slot = self.f.edge_slot(done);
        for &(phi, v) in results {
            let counter = |&(counter, role): &(Inst, Role)| match role {
                Role::Counter(step) if Value::inst(counter) == v => Some(step),
                _ => None,
            };
            let sum = known.iter().find(|row| row.0 == v).map(|row| row.1);
            let lanes = v.as_inst().and_then(|i| self.made.iter().find(|row| row.0 == i)).map(|row| row.1);
            let v = if let Some(sum) = sum {
                sum
            } else if let Some(step) = plan.roles.rows().iter().find_map(counter) {
                let own = plan.round.phis.iter().position(|&phi| Value::inst(phi) == v)?;
                let next = self.f.arg(self.round.phis[own], self.back);
                let by = self.f.int(step.wrapping_neg() as i32);
                self.make(at, Op::Add, Type::I32, &[next, by], 0)
            } else if let Some(own) = self.nexts.iter().position(|&next| next == v) {
                self.f.arg(self.round.phis[own], self.back)
            } else if let Some(lanes) = lanes {
                let ty = self.f.type_of(v);
                self.make(at, Op::ExtractLane, ty, &[lanes], plan.lanes - 1)
            } else {
                self.scalar(v)
            };
            self.f.set_arg(phi, slot, v);
        }
        Some(())
    }

    /// Removes what is done in lanes now: all that stood there and is no longer used.
    fn clean(&mut self, last: Option<Inst>) {
        for k in 0..self.round.phis.len() {
            let (own, original) = (self.round.phis[k], self.plan.round.phis[k]);
            let is_first = self.firsts.iter().any(|row| row.0 == k);
            let role = self.plan.roles.of(original);
            if is_first || matches!(role, Some(Role::Reduction(_) | Role::Previous)) {
                let ty = self.f.ty(own);
                self.f.set_arg(own, self.back, Value::undef(ty));
            }
        }
        let mut next = last;
        while let Some(i) = next {
            next = self.f.prev(i);
            let is_store = matches!(self.f.op(i), Op::Store | Op::MaskedStore);
            if is_store || !self.f.has_uses(i) {
                self.f.remove(i);
            }
        }
    }
}

/// True if what is done in lanes takes a value.
fn takes(f: &Body, user: Inst, v: Value) -> bool {
    let of_mask = masked(f, user).filter(|_| f.op(user) == Op::MaskedStore);
    let is_part = divided(f, user) == Some(v);
    f.args(user).contains(&v) || is_part || of_mask.is_some_and(|(stored, _, c)| v == stored || v == c)
}

/// Two sums or differences of ints that have what they are taken from in common and are used here alone: that, the first one's
/// operation and what it adds, whether the second one does the opposite, and what it adds.
fn both_sums(f: &Body, a: Value, b: Value) -> Option<(Value, Op, Value, bool, Value)> {
    let parts = |v: Value| {
        let i = v.as_inst().filter(|&i| f.has_single_use(i) && f.ty(i) == Type::I32)?;
        let &[x, y] = f.args(i) else { return None };
        matches!(f.op(i), Op::Add | Op::Sub).then_some((f.op(i), x, y))
    };
    let ((op, p, q), (other, r, s)) = (parts(a)?, parts(b)?);
    let swaps = |op: Op| op == Op::Add;
    let (to, x, y) = match () {
        () if p == r => (p, q, s),
        () if swaps(other) && p == s => (p, q, r),
        () if swaps(op) && q == r => (q, p, s),
        () if swaps(op) && swaps(other) && q == s => (q, p, r),
        () => return None,
    };
    Some((to, op, x, op != other, y))
}

/// The operation that makes one value of the lanes.
fn reduces(by: Op) -> Option<Op> {
    Op::ALL.iter().copied().find(|op| op.reduces_by() == Some(by) && *op != Op::ReduceFAdd)
}
