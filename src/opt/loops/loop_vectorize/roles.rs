//! What each instruction of a loop is in the vectors: in lanes, the same for all, or of the loop itself.

use super::groups::groups;
use super::in_order::goes_in_blocks;
use super::quotient::{divided, is_quotient};
use super::{Lanes, Why, is_fixed, vector_of};
use crate::analysis::dependence::{Access, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::legal::Vectors;
use crate::ir::opcode::PURE;
use crate::ir::{Body, Flags, Inst, IntPred, Op, Type, Value};

/// Instructions that an access to lanes one by one takes, at most (ARMv7).
const LANE_BY_LANE: usize = 10;

/// What an instruction is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A counter, by how much it steps.
    Counter(i64),
    /// What all rounds make one, by this operation.
    Reduction(Op),
    /// A sum of floats, which is made lane by lane, in order: what is added is in lanes.
    Ordered,
    /// What another value was in the round before: its last lane of the vector before, and all but its last.
    Previous,
    /// What changes its sign in each round.
    Alternating,
    /// A load of the same for all lanes.
    Same,
    /// An instruction on lanes: computes, loads or stores.
    Lanes,
    /// A load or store of lanes that are so many bytes apart.
    Strided(i64),
}

impl Role {
    /// True for what all rounds make one.
    fn is_sum(self) -> bool {
        matches!(self, Role::Reduction(_) | Role::Ordered)
    }
}

/// The roles, in the order of the block. What has none is computed as it was, for addresses and the test, or not at
/// all.
pub(super) struct Roles {
    rows: Vec<(Inst, Role)>,
    /// Accesses in turn.
    groups: Vec<Vec<Inst>>,
}

impl Roles {
    /// The role of an instruction.
    pub(super) fn of(&self, i: Inst) -> Option<Role> {
        self.rows.iter().find(|row| row.0 == i).map(|row| row.1)
    }

    /// What is done in lanes.
    pub(super) fn lanes(&self) -> impl Iterator<Item = Inst> {
        let is_done = |role: Role| matches!(role, Role::Lanes | Role::Strided(_));
        self.rows.iter().filter(move |row| is_done(row.1)).map(|row| row.0)
    }

    /// How many values go from round to round in lanes.
    pub(super) fn sums(&self) -> usize {
        self.rows.iter().filter(|row| row.1.is_sum()).count()
    }

    /// All of them.
    pub(super) fn rows(&self) -> &[(Inst, Role)] {
        &self.rows
    }

    /// The accesses in turn that one is part of, by address.
    pub(super) fn group(&self, i: Inst) -> Option<&[Inst]> {
        self.groups.iter().find(|group| group.contains(&i)).map(Vec::as_slice)
    }

    /// Looks at the loop; `stride` says by how many bytes an access moves on in a round.
    pub(super) fn find(
        Lanes { vectors, lanes, any_stride }: Lanes,
        simple: &SimpleLoop,
        stride: impl Fn(Inst) -> Option<i64>,
        accesses: (&Nest, &[Access]),
    ) -> Result<Roles, Why> {
        let f = simple.f;
        let mut finder = Finder { simple, vectors, lanes, any_stride, rows: Vec::new(), open: Vec::new() };
        for i in f.insts(simple.header) {
            match f.op(i) {
                Op::Phi => {
                    let role = finder.phi(i)?;
                    finder.rows.push((i, role));
                }
                Op::Store | Op::MaskedStore => finder.open.push(i),
                Op::Load => {}
                op if op.has(PURE) || op.is_terminator() => {}
                _ => return Err("it does more than compute, load and store"),
            }
        }
        finder.results()?;
        finder.lanes(stride)?;
        // Where lanes may be as far apart as they like, each access by itself is one instruction.
        let groups = if any_stride { Vec::new() } else { groups(simple, &finder.rows, accesses) };
        if !finder.pays(&groups) {
            return Err("an access does not move on by its size");
        }
        let rows = finder.in_order()?;
        if !rows.iter().any(|row| matches!(row.1, Role::Lanes | Role::Strided(_))) {
            return Err("there is nothing to do in vectors");
        }
        let computes = |row: &(Inst, Role)| row.1 == Role::Lanes && f.op(row.0) != Op::Load;
        let in_order = vector_of(Type::F32, lanes).is_some_and(|ty| vectors.has(Op::ReduceFAdd, ty));
        let sums = rows.iter().filter(|row| row.1 == Role::Ordered).count();
        let pays = in_order || goes_in_blocks(vectors, lanes) && sums > 2;
        if sums > 0 && !pays && !rows.iter().any(computes) {
            return Err("it only sums up floats, which is done in order");
        }
        Ok(Roles { rows, groups })
    }
}

struct Finder<'a> {
    simple: &'a SimpleLoop<'a>,
    vectors: Vectors,
    lanes: u32,
    any_stride: bool,
    rows: Vec<(Inst, Role)>,
    /// What is wanted in lanes.
    open: Vec<Inst>,
}

impl Finder<'_> {
    fn role(&self, i: Inst) -> Option<Role> {
        self.rows.iter().find(|row| row.0 == i).map(|row| row.1)
    }

    /// What a value is in lanes.
    fn of(&self, ty: Type) -> Option<Type> {
        vector_of(ty, self.lanes)
    }

    /// True if the machine has an operation on lanes of a type.
    fn has(&self, op: Op, ty: Type) -> bool {
        self.of(ty).is_some_and(|ty| self.vectors.has(op, ty))
    }

    /// True if the machine has lanes that are some bytes apart.
    fn has_strides(&self, i: Inst) -> bool {
        let f = self.simple.f;
        match f.op(i) {
            Op::Load => self.has(Op::StridedLoad, f.ty(i)),
            _ => self.has(Op::StridedStore, f.type_of(f.arg(i, 0))),
        }
    }

    /// True if what is done in vectors pays for what is accessed lane by lane, which is at most one access: columns that lie side
    /// by side are better in lanes of their own (`slp_vectorize`). Where any stride is one instruction, nothing is to be paid.
    fn pays(&self, groups: &[Vec<Inst>]) -> bool {
        let f = self.simple.f;
        let is_apart = |row: &&(Inst, Role)| match (row.1, f.op(row.0)) {
            // Backwards, and of a load every second one.
            (Role::Strided(-4), _) | (Role::Strided(8), Op::Load) => false,
            (Role::Strided(_), _) => true,
            _ => false,
        };
        let is_alone = |row: &&(Inst, Role)| !groups.iter().any(|group| group.contains(&row.0));
        let apart = self.rows.iter().filter(is_apart).filter(is_alone).count();
        let lanes = self.rows.iter().filter(|row| !matches!(row.1, Role::Counter(_) | Role::Same)).count();
        self.any_stride || apart == 0 || apart == 1 && lanes * (self.lanes as usize - 1) > LANE_BY_LANE
    }

    fn phi(&mut self, phi: Inst) -> Result<Role, Why> {
        let f = self.simple.f;
        let (_, next) = self.simple.phi(Value::inst(phi)).ok_or("it is entered in several places")?;
        if f.ty(phi) == Type::I32
            && let Some(step) = self.simple.added(next, Value::inst(phi)).and_then(|step| f.as_int(step))
        {
            return Ok(Role::Counter(step));
        }
        if let Some(op) = reduction(self.simple, phi) {
            self.open.extend(next.as_inst());
            return Ok(Role::Reduction(op));
        }
        if f.ty(phi) == Type::F32
            && let Some(added) = ordered(self.simple, phi)
            && self.has(Op::ExtractLane, Type::F32)
        {
            self.open.extend(added.as_inst().filter(|_| !is_fixed(self.simple, added)));
            return Ok(Role::Ordered);
        }
        let is_opposite = |i: Inst| f.op(i) == Op::FNeg && f.arg(i, 0) == Value::inst(phi);
        if next.as_inst().is_some_and(is_opposite) && self.has(Op::InsertLane, Type::F32) {
            return Ok(Role::Alternating);
        }
        let inside = next.as_inst().filter(|&i| i != phi && !is_fixed(self.simple, next));
        if let Some(next) = inside.filter(|&next| self.is_behind(phi, next)) {
            self.open.push(next);
            return Ok(Role::Previous);
        }
        Err(match f.ty(phi) {
            Type::F32 => "the order of a sum of floats, or what stands for one, would change",
            _ => "a round needs what the one before has computed",
        })
    }

    /// True if the value that a phi is next is not made of the phi itself, and the machine can put both together.
    fn is_behind(&self, phi: Inst, next: Inst) -> bool {
        let (f, simple) = (self.simple.f, self.simple);
        if !self.has(Op::Splice, f.ty(phi)) {
            return false;
        }
        let mut seen: Vec<Inst> = Vec::new();
        let mut open = vec![next];
        while let Some(i) = open.pop() {
            if i == phi {
                return false;
            }
            if seen.contains(&i) {
                continue;
            }
            seen.push(i);
            match simple.phi(Value::inst(i)).filter(|_| f.op(i) == Op::Phi) {
                // A counter is not made of anything else.
                Some((_, next)) if simple.added(next, Value::inst(i)).is_none() => {
                    open.extend(next.as_inst())
                }
                Some(_) => {}
                None => {
                    let inside = |v: &Value| v.as_inst().filter(|_| !is_fixed(simple, *v));
                    open.extend(f.args(i).iter().filter_map(inside));
                }
            }
        }
        true
    }

    /// The roles in the order of the block, but for what is needed of the round before, which stands behind what it will
    /// be in the next one. No load comes in front of a store that it stood behind.
    fn in_order(&mut self) -> Result<Vec<(Inst, Role)>, Why> {
        let (f, simple) = (self.simple.f, self.simple);
        let mut rows = std::mem::take(&mut self.rows);
        rows.sort_by_cached_key(|row| f.insts(simple.header).position(|other| other == row.0));
        if !rows.iter().any(|row| row.1 == Role::Previous) {
            return Ok(rows);
        }
        let row_of = |i: Inst| rows.iter().position(|row| row.0 == i);
        let mut order: Vec<usize> = Vec::new();
        let mut is_placed = vec![false; rows.len()];
        for k in 0..rows.len() {
            // Those that wait for others, and whether these have been looked for.
            let mut open = vec![(k, false)];
            while let Some((k, is_ready)) = open.pop() {
                let (i, role) = rows[k];
                if is_placed[k] {
                    continue;
                }
                if is_ready {
                    is_placed[k] = true;
                    order.push(k);
                    continue;
                }
                open.push((k, true));
                let next = simple.phi(Value::inst(i)).map(|(_, next)| next);
                let mut push = |needs: &[Value]| {
                    open.extend(needs.iter().filter_map(|v| Some((row_of(v.as_inst()?)?, false))));
                };
                match role {
                    Role::Previous => push(next.as_slice()),
                    _ if f.op(i) == Op::Phi => {}
                    // Lanes of both are made of what stands further up.
                    _ if let Some(x) = divided(f, i) => push(&[x]),
                    _ if let Some((v, _, c)) = masked(f, i) => push(&[v, c]),
                    _ => push(f.args(i)),
                }
            }
        }
        let is_store = |k: usize| matches!(f.op(rows[k].0), Op::Store | Op::MaskedStore);
        let overtakes = |n: usize| {
            f.op(rows[order[n]].0) == Op::Load && order[n + 1..].iter().any(|&k| is_store(k) && k < order[n])
        };
        if (0..order.len()).any(overtakes) {
            return Err("a load would come before a store that stands in front of it");
        }
        Ok(order.into_iter().map(|k| rows[k]).collect())
    }

    /// What is wanted behind the loop: counters, what is reduced, and what a lane has.
    fn results(&mut self) -> Result<(), Why> {
        let (f, simple) = (self.simple.f, self.simple);
        let out = simple.leaves(simple.latch).ok_or("it is left in several places")?;
        let slot = f.edge_slot(out);
        for v in f.phis(f.edge_to(out)).map(|phi| f.arg(phi, slot)) {
            let Some(i) = v.as_inst().filter(|_| !is_fixed(simple, v)) else { continue };
            let is_counter = |&(phi, role): &(Inst, Role)| {
                matches!(role, Role::Counter(_))
                    && (phi == i || simple.phi(Value::inst(phi)).is_some_and(|(_, next)| next == v))
            };
            if self.rows.iter().any(is_counter) {
                continue;
            }
            let is_next =
                |row: &&(Inst, Role)| simple.phi(Value::inst(row.0)).is_some_and(|(_, next)| next == v);
            let sum = self.rows.iter().filter(|row| row.1.is_sum()).find(is_next);
            if sum.is_some_and(|row| row.1 == Role::Ordered) {
                continue;
            }
            if sum.is_none() && f.op(i) == Op::Phi {
                return Err("what a round begins with is wanted behind it");
            }
            self.open.push(i);
        }
        Ok(())
    }

    /// What lanes need is in lanes, and what addresses and the test need is not.
    fn lanes(&mut self, stride: impl Fn(Inst) -> Option<i64>) -> Result<(), Why> {
        let (f, simple) = (self.simple.f, self.simple);
        let mut scalars: Vec<Inst> = f.terminator(simple.latch).into_iter().collect();
        while let Some(i) = self.open.pop() {
            if self.role(i).is_some() {
                continue;
            }
            let (op, ty) = (f.op(i), f.ty(i));
            let inside = |v: Value| v.as_inst().filter(|_| !is_fixed(simple, v));
            if let Some(x) = divided(f, i) {
                let ops = [Op::SMulHi, Op::AShr, Op::LShr, Op::Add, Op::Sub, Op::Mul, Op::And];
                if !ops.iter().all(|&op| self.has(op, Type::I32)) {
                    return Err("the machine has no instruction on vectors for what it computes");
                }
                self.rows.push((i, Role::Lanes));
                self.open.extend(inside(x));
                continue;
            }
            if op == Op::MaskedStore {
                let (v, address, c) = masked(f, i).ok_or("it stores some lanes of vectors")?;
                if stride(i) != Some(4) || !self.has(op, f.type_of(v)) {
                    return Err("an access does not move on by its size");
                }
                self.rows.push((i, Role::Lanes));
                self.open.extend([v, c].into_iter().filter_map(inside));
                scalars.extend(inside(address));
                continue;
            }
            let of = if op == Op::Store { f.type_of(f.arg(i, 0)) } else { ty };
            let all = [of].into_iter().chain(f.args(i).iter().map(|&v| f.type_of(v)));
            let is_access = matches!(op, Op::Load | Op::Store);
            for ty in all.filter(|&ty| !(is_access && ty == Type::Ptr)) {
                let vector = self.of(ty).ok_or("it computes with numbers that are not of 32 bits")?;
                let has = match op {
                    Op::SDiv | Op::SRem | Op::UDiv | Op::URem
                        if is_quotient(f, self.vectors, (i, self.lanes)) =>
                    {
                        true
                    }
                    _ => self.vectors.has(op, vector),
                };
                if !has && ty == Type::F32 && !self.vectors.has(Op::Load, vector) {
                    return Err("vectors of floats are not exact on the machine: they flush denormals");
                }
                if !has {
                    return Err("the machine has no instruction on vectors for what it computes");
                }
            }
            let role = match stride(i).filter(|_| is_access) {
                Some(4) => Role::Lanes,
                Some(0) if op == Op::Load => Role::Same,
                Some(stride) if stride != 0 && self.has_strides(i) => Role::Strided(stride),
                _ if is_access => return Err("an access does not move on by its size"),
                _ => Role::Lanes,
            };
            self.rows.push((i, role));
            for (k, &v) in f.args(i).iter().enumerate() {
                let Some(arg) = v.as_inst().filter(|_| !is_fixed(simple, v)) else { continue };
                let is_address = op == Op::Load || op == Op::Store && k == 1;
                if is_address { scalars.push(arg) } else { self.open.push(arg) }
            }
        }
        // Addresses are sums of counters, as their strides say; nothing that is loaded is part of one.
        let mut seen: Vec<Inst> = Vec::new();
        while let Some(i) = scalars.pop() {
            if seen.contains(&i) {
                continue;
            }
            seen.push(i);
            let is_counter = matches!(self.role(i), Some(Role::Counter(_)));
            if f.op(i) == Op::Phi && is_counter {
                continue;
            }
            if !f.op(i).has(PURE) && !f.op(i).is_terminator() || f.op(i) == Op::Phi {
                return Err("an address, or the test, is not known in front of the loop");
            }
            let inside = |v: &Value| v.as_inst().filter(|_| !is_fixed(simple, *v));
            scalars.extend(f.args(i).iter().filter_map(inside));
        }
        Ok(())
    }
}

/// What a store by a mask stores where, and if what is so, of one that `if_convert` has made.
pub(super) fn masked(f: &Body, i: Inst) -> Option<(Value, Value, Value)> {
    let &[v, address, c] = f.args(i) else { return None };
    let lane = |v: Value| v.as_inst().filter(|&i| f.op(i) == Op::InsertLane && f.ty(i).lanes() == 2);
    Some((f.arg(lane(v)?, 1), address, f.arg(lane(c)?, 1)))
}

/// What is added to a phi in each round, if that is all that is done with it: floats in order. A difference is the sum
/// with the opposite.
pub(super) fn ordered(simple: &SimpleLoop, phi: Inst) -> Option<Value> {
    let f = simple.f;
    let (_, next) = simple.phi(Value::inst(phi))?;
    let sum = next.as_inst().filter(|_| !simple.is_outside(next))?;
    let added = match (f.op(sum), f.args(sum)) {
        (Op::FAdd, &[a, b]) if a == Value::inst(phi) => b,
        (Op::FAdd, &[a, b]) if b == Value::inst(phi) => a,
        (Op::FSub, &[a, b]) if a == Value::inst(phi) => b,
        _ => return None,
    };
    let inside = |i: Inst| f.block_of(i) == Some(simple.header);
    let is_alone = f.uses(phi).all(|u| u.user == sum || !inside(u.user));
    let is_kept = f.uses(sum).all(|u| u.user == phi || !inside(u.user));
    (added != Value::inst(phi) && is_alone && is_kept).then_some(added)
}

/// By what all rounds make one value of a phi, if its order does not matter and nothing else in the loop looks at it.
fn reduction(simple: &SimpleLoop, phi: Inst) -> Option<Op> {
    let f = simple.f;
    let (_, next) = simple.phi(Value::inst(phi)).filter(|_| matches!(f.ty(phi), Type::I32 | Type::F32))?;
    let is_free = |i: Inst| f.flags(i).has(Flags::REASSOC);
    let mut by: Option<Op> = None;
    // What the value is on the way to the next round; comparisons that choose between it and another one.
    let mut parts = vec![phi];
    let mut tests: Vec<Inst> = Vec::new();
    for i in f.insts(simple.header).filter(|&i| f.op(i) != Op::Phi) {
        let has = |v: Value| v.as_inst().is_some_and(|i| parts.contains(&i));
        let count = f.args(i).iter().filter(|&&v| has(v)).count();
        let is_tested = |v: Value| v.as_inst().is_some_and(|i| tests.contains(&i));
        if count == 0 && !f.args(i).iter().any(|&v| is_tested(v)) {
            continue;
        }
        let op = match (f.op(i), f.args(i)) {
            (Op::Sub, &[a, b]) if has(a) && !has(b) => Some(Op::Add),
            (Op::FSub, &[a, b]) if is_free(i) && has(a) && !has(b) => Some(Op::FAdd),
            (op @ (Op::FAdd | Op::FMul), _) if is_free(i) && count == 1 => Some(op),
            (
                op @ (Op::Add
                | Op::Mul
                | Op::And
                | Op::Or
                | Op::Xor
                | Op::SMin
                | Op::SMax
                | Op::UMin
                | Op::UMax),
                _,
            ) if count == 1 => Some(op),
            (Op::ICmp, _) if count == 1 => {
                tests.push(i);
                continue;
            }
            (Op::Select, &[c, a, b]) if is_tested(c) && has(a) != has(b) => {
                Some(extreme(f, c.as_inst()?, (a, b))?)
            }
            // Not where the sum itself decides.
            (Op::Select, &[c, a, b]) if has(a) && has(b) && !has(c) && !is_tested(c) => None,
            _ => return None,
        };
        if op.is_some() && by.is_some_and(|by| Some(by) != op) {
            return None;
        }
        by = by.or(op);
        parts.push(i);
    }
    // A comparison has no other use than the choice.
    let is_choice = |test: &Inst| {
        f.uses(*test).all(|u| f.op(u.user) == Op::Select && u.operand == 0 && parts.contains(&u.user))
    };
    // Only what it is in the next round is used behind the loop, and only by itself in the next round.
    let is_inside = |i: Inst| f.block_of(i) == Some(simple.header) && (f.op(i) != Op::Phi || i == phi);
    let is_used = |i: Inst| f.block_of(i) != Some(simple.header) || f.op(i) != Op::Phi || i == phi;
    let ends = |&part: &Inst| match Value::inst(part) == next {
        true => f.uses(part).all(|u| is_used(u.user)),
        false => f.uses(part).all(|u| is_inside(u.user)),
    };
    let is_next = parts.len() > 1 && next.as_inst().is_some_and(|next| parts.contains(&next));
    (is_next && tests.iter().all(is_choice) && parts.iter().all(ends)).then_some(by).flatten()
}

/// The minimum or maximum that a choice by a comparison of the same two values is.
pub(super) fn extreme(f: &Body, test: Inst, (a, b): (Value, Value)) -> Option<Op> {
    let &[x, y] = f.args(test) else { return None };
    let pred = IntPred::from_payload(f.payload(test));
    let pred = match (a, b) == (x, y) {
        true => pred,
        false if (a, b) == (y, x) => pred.swapped(),
        false => return None,
    };
    if f.type_of(a) != Type::I32 {
        return None;
    }
    Some(match pred {
        IntPred::Slt | IntPred::Sle => Op::SMin,
        IntPred::Sgt | IntPred::Sge => Op::SMax,
        IntPred::Ult | IntPred::Ule => Op::UMin,
        IntPred::Ugt | IntPred::Uge => Op::UMax,
        _ => return None,
    })
}

/// What a choice is that keeps a value inside of two limits: with x < low ? low : min(x, high) it is a maximum, of low and
/// the minimum, if low <= high; and the same the other way round.
pub(super) fn clamped(f: &Body, test: Inst, (a, b): (Value, Value)) -> Option<(Op, Value, Value)> {
    let &[x, limit] = f.args(test) else { return None };
    let pred = IntPred::from_payload(f.payload(test));
    let (pred, rest) = match () {
        () if a == limit => (pred, b),
        () if b == limit => (pred.inverse(), a),
        () => return None,
    };
    let inner = rest.as_inst().filter(|&i| f.op(i) == Op::Select)?;
    let &[c, p, q] = f.args(inner) else { return None };
    let of_inner = extreme(f, c.as_inst().filter(|&c| f.op(c) == Op::ICmp)?, (p, q))?;
    let other = if p == x { q } else { Some(p).filter(|_| q == x)? };
    let (limit_is, other_is) = (f.as_int(limit)?, f.as_int(other)?);
    let op = match (pred, of_inner) {
        (IntPred::Slt | IntPred::Sle, Op::SMin) if limit_is <= other_is => Op::SMax,
        (IntPred::Sgt | IntPred::Sge, Op::SMax) if limit_is >= other_is => Op::SMin,
        _ => return None,
    };
    Some((op, limit, rest))
}

/// What a choice by the sign of a value is the magnitude of: that value or its opposite.
pub(super) fn magnitude(f: &Body, test: Inst, (a, b): (Value, Value)) -> Option<Value> {
    let &[x, limit] = f.args(test) else { return None };
    let (minus, plus) = match (IntPred::from_payload(f.payload(test)), f.as_int(limit)?) {
        (IntPred::Slt, 0 | 1) | (IntPred::Sle, -1 | 0) => (a, b),
        (IntPred::Sgt, -1 | 0) | (IntPred::Sge, 0 | 1) => (b, a),
        _ => return None,
    };
    let parts = |v: Value| {
        let i = v.as_inst().filter(|&i| f.op(i) == Op::Sub)?;
        Some((f.arg(i, 0), f.arg(i, 1)))
    };
    let is_opposite = |(p, q): (Value, Value)| {
        f.as_int(p) == Some(0) && q == x || parts(x).is_some_and(|(r, s)| (p, q) == (s, r))
    };
    (plus == x && f.type_of(x) == Type::I32 && parts(minus).is_some_and(is_opposite)).then_some(x)
}
