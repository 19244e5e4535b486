//! Four values side by side become a vector: sums that a loop makes beside each other, of what stands side by side in
//! memory. That is what unroll and jam leaves of a matrix product.
//!
//! ```text
//! for (k = 0; k < m; k++) {               for (k = 0; k < m; k++)
//!   s0 += a[k] * b[k][j]; ...               s0..s3 += aaaa * b[k][j..j + 3];
//!   s3 += a[k] * b[k][j + 3];             c[j..j + 3] = s0..s3;
//! }
//! c[j] = s0; ... c[j + 3] = s3;
//! ```
//!
//! | four of | are |
//! | --- | --- |
//! | phis of the loop, which are made alike | a phi |
//! | loads of neighbours, in their order | a load |
//! | the same operation, on fours | one on vectors |
//! | one value | that in every lane |
//! | what the loop does not change | put together in front of it |
//! | stores of neighbours behind the loop | a store |
//! | summands of one sum of integers in a round | a summand of a vector, whose lanes are summed up behind the loop |
//!
//! The loop is one block and stores nothing. Each sum keeps its order, so floats are what they were. A loop whose rounds
//! become lanes (`loop_vectorize`) has been taken before. O(phis of a loop x instructions that they are made of).
//!
//! S. Larsen and S. Amarasinghe, "Exploiting superword level parallelism with multimedia instruction sets" (2000);
//! LLVM's `SLPVectorizer`.

use crate::analysis::evolution::{Sum, peel};
use crate::analysis::simple_loop::SimpleLoop;
use crate::base::graph::Loop;
use crate::ir::opcode::{PURE, READS, WRITES};
use crate::ir::{Access, At, Block, Body, Inst, Op, Place, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::loops::remarks::place_of_loop;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static SLP_VECTORIZE: FuncPass = FuncPass {
    name: "slp_vectorize",
    description: "make vectors of sums that a loop makes side by side",
    grows: true,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Lanes of a vector.
const LANES: usize = 4;
/// Instructions of a round that are looked at,
const MOST_INSTS: usize = 120;
/// and fours that are made.
const MOST_FOURS: usize = 32;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
}

/// Four values, one a lane.
type Four = [Value; LANES];

/// What they are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Phi,
    Load,
    Op,
    /// One value.
    Same,
    /// Of values from outside of the loop.
    Fixed,
}

/// A sum of integers, of which a round adds several.
struct Chain {
    phi: Inst,
    /// What makes the next value of the phi.
    sums: Vec<Inst>,
    /// What is added, four at a time, and one by one.
    fours: Vec<Four>,
    left: Vec<Value>,
}

/// A loop and the fours of it, each behind those that it is made of.
struct Plan {
    header: Block,
    preheader: Block,
    enters: usize,
    back: usize,
    exit: Block,
    fours: Vec<(Four, Kind)>,
    chains: Vec<Chain>,
    place: Place,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_shape = |l: Loop| matches!(cx.analyses.loops.blocks(l), [_]);
    if !cx.target.vectors.are_there()
        || !worth_it(cx.f, cx.analyses)
        || !cx.analyses.loops.header.keys().any(is_shape)
    {
        return Outcome::UNCHANGED;
    }
    let changed = canonicalise(cx, &mut s.closer);
    cx.require(AnalysisSet::EVOLUTION);
    let mut plans: Vec<Plan> = Vec::new();
    for l in cx.analyses.loops.header.keys().filter(|&l| cx.analyses.loops.is_innermost(l)) {
        plans.extend(plan(cx, l));
    }
    for plan in &plans {
        cx.f.tell((Sort::Done, "slp_vectorize"), plan.place, || {
            format!("{} instructions on vectors for those on neighbours", plan.fours.len())
        });
        let done = vectorise(cx, plan);
        debug_assert!(done.is_some(), "a plan has all that is asked for");
    }
    Outcome::changed_if(
        changed || !plans.is_empty(),
        if plans.is_empty() { AnalysisSet::ALL } else { AnalysisSet::NONE },
    )
}

/// The vector of four of a type.
fn vector_of(ty: Type) -> Option<Type> {
    Type::lanes_of(ty, LANES as u32).filter(|_| matches!(ty, Type::I32 | Type::F32))
}

fn plan(cx: &FuncCx, l: Loop) -> Option<Plan> {
    let f = &*cx.f;
    let around = cx.analyses.simple_loop(f, l)?;
    let out = around.leaves(around.header).filter(|_| around.header == around.latch)?;
    let reads_only =
        |i: Inst| f.op(i).has(PURE) || matches!(f.op(i), Op::Phi | Op::Load) || f.op(i).is_terminator();
    if f.insts(around.header).count() > MOST_INSTS || !f.insts(around.header).all(reads_only) {
        return None;
    }
    let record = around.record();
    let finder = Finder { cx, around: &around };
    let mut fours: Vec<(Four, Kind)> = Vec::new();
    for group in finder.groups() {
        finder.take(group, &mut fours);
    }
    let mut chains: Vec<Chain> = Vec::new();
    if cx.target.vectors.has(Op::ReduceAdd, Type::I32x4) && f.preds(f.edge_to(out)).len() == 1 {
        let is_left = |phi: &Inst| !fours.iter().any(|four| four.0.contains(&Value::inst(*phi)));
        let phis: Vec<Inst> = f.phis(around.header).filter(is_left).collect();
        for phi in phis {
            chains.extend(finder.chain(phi, f.edge_to(out), &mut fours));
        }
    }
    finder.keep_whole(&mut fours, &mut chains, f.edge_to(out));
    if chains.is_empty() && !fours.iter().any(|four| four.1 == Kind::Phi) {
        return None;
    }
    let at = |four: &Four| four.iter().filter_map(|v| finder.position(*v)).max();
    fours.sort_by_cached_key(|four| (four.1 != Kind::Phi, four.1 != Kind::Fixed, at(&four.0)));
    Some(Plan {
        header: around.header,
        preheader: around.preheader,
        enters: record.enters,
        back: record.goes_back,
        exit: f.edge_to(out),
        fours,
        chains,
        place: place_of_loop(f, cx.analyses, l),
    })
}

/// Values that are made alike, phis in their next round: the opcodes of what makes them, what each loads, and they
/// themselves.
struct Alike {
    ops: Vec<Op>,
    loads: Vec<Vec<Inst>>,
    values: Vec<Inst>,
}

struct Finder<'a> {
    cx: &'a FuncCx<'a>,
    around: &'a SimpleLoop<'a>,
}

impl Finder<'_> {
    fn f(&self) -> &Body {
        self.around.f
    }

    /// Where in the loop an instruction stands.
    fn position(&self, v: Value) -> Option<usize> {
        let i = self.inside(v)?;
        self.f().insts(self.around.header).position(|other| other == i)
    }

    fn inside(&self, v: Value) -> Option<Inst> {
        v.as_inst().filter(|_| !self.around.is_outside(v))
    }

    /// What a phi is next.
    fn next(&self, phi: Value) -> Option<Value> {
        self.around.phi(phi).map(|(_, next)| next)
    }

    /// The opcodes that a value is made of, breadth first, and the first load of each.
    fn made_of(&self, v: Value) -> Option<(Vec<Op>, Vec<Inst>)> {
        let f = self.f();
        let (mut ops, mut loads) = (Vec::new(), Vec::new());
        let mut open = vec![v];
        let mut at = 0;
        while let Some(&v) = open.get(at) {
            at += 1;
            let Some(i) = self.inside(v) else { continue };
            ops.push(f.op(i));
            match f.op(i) {
                Op::Load => loads.push(i),
                Op::Phi => {}
                _ if ops.len() > MOST_INSTS => return None,
                _ => open.extend_from_slice(f.args(i)),
            }
        }
        Some((ops, loads))
    }

    /// Phis that are made alike of neighbours, four at a time, in the order of those.
    fn groups(&self) -> Vec<Four> {
        let f = self.f();
        let phis = f.phis(self.around.header).filter(|&phi| vector_of(f.ty(phi)).is_some());
        self.groups_of(phis.filter_map(|phi| Some((phi, self.next(Value::inst(phi))?))))
    }

    /// The same of values, each with what is looked at for it.
    fn groups_of(&self, values: impl Iterator<Item = (Inst, Value)>) -> Vec<Four> {
        let f = self.f();
        let mut alike: Vec<Alike> = Vec::new();
        for (i, v) in values {
            let Some((ops, loads)) = self.made_of(v).filter(|made| !made.1.is_empty()) else { continue };
            match alike.iter_mut().find(|row| row.ops == ops && f.ty(row.values[0]) == f.ty(i)) {
                Some(row) => {
                    row.loads.push(loads);
                    row.values.push(i);
                }
                None => alike.push(Alike { ops, loads: vec![loads], values: vec![i] }),
            }
        }
        let mut groups = Vec::new();
        for row in alike.iter().filter(|row| row.values.len() >= LANES) {
            let mut left: Vec<usize> = (0..row.values.len()).collect();
            for column in 0..row.loads[0].len() {
                // All that are left, or those that are the same but for this load: blocks of a product.
                let is_like = |a: usize, b: usize| {
                    (0..row.loads[a].len()).all(|k| k == column || row.loads[a][k] == row.loads[b][k])
                };
                self.runs(row, column, left.clone(), (&mut left, &mut groups));
                for &k in &left.clone() {
                    let part: Vec<usize> = left.iter().copied().filter(|&other| is_like(k, other)).collect();
                    self.runs(row, column, part, (&mut left, &mut groups));
                }
            }
        }
        groups
    }

    /// Fours of some values that are made alike whose loads in a column are neighbours; they are no longer left.
    fn runs(
        &self,
        row: &Alike,
        column: usize,
        some: Vec<usize>,
        (left, groups): (&mut Vec<usize>, &mut Vec<Four>),
    ) {
        let (f, evolution) = (self.f(), &self.cx.analyses.evolution);
        let sum = |k: usize| f.arg(row.loads[k][column], 0).as_inst().and_then(|at| evolution.of(at));
        let Some(begins) = some.first().and_then(|&k| sum(k)) else { return };
        let from_first = |k: usize| Some((sum(k)?.distance(begins)?, k));
        let mut order: Vec<(i64, usize)> = some.into_iter().filter_map(from_first).collect();
        order.sort_unstable();
        let mut k = 0;
        while let Some(run) = order.get(k..k + LANES) {
            let goes_on = (1..LANES).all(|n| run[n].0 - run[0].0 == 4 * n as i64);
            if goes_on {
                groups.push(std::array::from_fn(|n| Value::inst(row.values[run[n].1])));
                left.retain(|other| run.iter().all(|at| at.1 != *other));
            }
            k += if goes_on { LANES } else { 1 };
        }
    }

    /// What four values are; none if they are nothing in vectors.
    fn kind(&self, four: &Four) -> Option<Kind> {
        let f = self.f();
        let ty = vector_of(f.type_of(four[0]))?;
        if four.iter().any(|&v| f.type_of(v) != f.type_of(four[0])) {
            return None;
        }
        if four.iter().all(|v| *v == four[0]) {
            return Some(if self.inside(four[0]).is_some() { Kind::Same } else { Kind::Fixed });
        }
        if four.iter().all(|&v| self.inside(v).is_none()) {
            return Some(Kind::Fixed);
        }
        let mut insts = [self.inside(four[0])?; LANES];
        for (i, &v) in insts.iter_mut().zip(four) {
            *i = self.inside(v)?;
        }
        let op = f.op(insts[0]);
        if insts.iter().any(|&i| f.op(i) != op || f.payload(i) != f.payload(insts[0])) && op != Op::Phi {
            return None;
        }
        let has = self.cx.target.vectors.has(op, ty);
        match op {
            Op::Phi => None,
            Op::Load => {
                let sum = |i: Inst| f.arg(i, 0).as_inst().and_then(|at| self.cx.analyses.evolution.of(at));
                let first = sum(insts[0])?;
                let is_next =
                    |(n, &i): (usize, &Inst)| sum(i).and_then(|sum| apart(sum, first)) == Some(4 * n as i64);
                (has && insts.iter().enumerate().all(is_next)).then_some(Kind::Load)
            }
            _ if has && op.has(PURE) => {
                let typed =
                    |&v: &Value| vector_of(f.type_of(v)).is_some_and(|ty| self.cx.target.vectors.has(op, ty));
                insts.iter().all(|&i| f.args(i).iter().all(typed)).then_some(Kind::Op)
            }
            _ => None,
        }
    }

    /// Adds four phis and all that they are made of, if that is in vectors as a whole.
    fn take(&self, group: Four, fours: &mut Vec<(Four, Kind)>) {
        let begin = fours.len();
        fours.push((group, Kind::Phi));
        _ = self.take_from(begin, group.map(|phi| self.next(phi).unwrap_or(phi)), fours);
    }

    /// Adds four values and all that they are made of, or forgets all from some number on; true if it did the first.
    fn take_from(&self, begin: usize, group: Four, fours: &mut Vec<(Four, Kind)>) -> bool {
        let f = self.f();
        let mut open = vec![group];
        while let Some(four) = open.pop() {
            if fours.iter().any(|row| row.0 == four) {
                continue;
            }
            let Some(kind) = self.kind(&four).filter(|_| fours.len() < begin + MOST_FOURS) else {
                fours.truncate(begin);
                return false;
            };
            fours.push((four, kind));
            if let (Kind::Op, [Some(first), rest @ ..]) = (kind, four.map(|v| v.as_inst())) {
                for k in 0..f.args(first).len() {
                    let arg = |i: Option<Inst>| i.map_or(four[0], |i| f.arg(i, k));
                    open.push([f.arg(first, k), arg(rest[0]), arg(rest[1]), arg(rest[2])]);
                }
            }
        }
        true
    }

    /// A sum of integers of which a round adds four or more that are made alike of neighbours.
    fn chain(&self, phi: Inst, exit: Block, fours: &mut Vec<(Four, Kind)>) -> Option<Chain> {
        let f = self.f();
        let next = self.next(Value::inst(phi)).filter(|_| f.ty(phi) == Type::I32)?;
        let mut chain = Chain { phi, sums: Vec::new(), fours: Vec::new(), left: Vec::new() };
        let (mut open, mut count) = (vec![next], 0);
        while let Some(v) = open.pop() {
            let ends = |u: Inst| u == phi || f.block_of(u) == Some(exit) && f.op(u) == Op::Phi;
            let is_part = |i: &Inst| {
                let is_own = if v == next { f.uses(*i).all(|u| ends(u.user)) } else { f.has_single_use(*i) };
                f.op(*i) == Op::Add && is_own
            };
            match self.inside(v) {
                Some(i) if i == phi => count += 1,
                Some(i) if is_part(&i) => {
                    chain.sums.push(i);
                    open.extend_from_slice(f.args(i));
                }
                _ => chain.left.push(v),
            }
        }
        if count != 1 || !f.has_single_use(phi) || chain.left.len() < LANES {
            return None;
        }
        let single = |v: &Value| self.inside(*v).filter(|&i| f.has_single_use(i));
        let values: Vec<Inst> = chain.left.iter().filter_map(single).collect();
        for group in self.groups_of(values.into_iter().map(|i| (i, Value::inst(i)))) {
            if self.take_from(fours.len(), group, fours) {
                chain.fours.push(group);
                chain.left.retain(|v| !group.contains(v));
            }
        }
        (!chain.fours.is_empty()).then_some(chain)
    }

    /// Drops fours whose values something else needs: they would be computed twice.
    fn keep_whole(&self, fours: &mut Vec<(Four, Kind)>, chains: &mut Vec<Chain>, exit: Block) {
        let f = self.f();
        let is_summed =
            |v: Value| chains.iter().any(|chain| v.as_inst().is_some_and(|i| chain.sums.contains(&i)));
        let is_inside = |v: Value| {
            fours.iter().any(|row| row.0.contains(&v) && !matches!(row.1, Kind::Same | Kind::Fixed))
                || is_summed(v)
        };
        let phis = || fours.iter().filter(|row| row.1 == Kind::Phi);
        let is_next = |four: &Four| phis().any(|row| row.0.map(|phi| self.next(phi).unwrap_or(phi)) == *four);
        let is_whole = |(four, kind): &(Four, Kind)| {
            matches!(kind, Kind::Same | Kind::Fixed)
                || four.iter().filter_map(|v| v.as_inst()).all(|i| {
                    f.uses(i).all(|u| {
                        let is_result =
                            f.block_of(u.user) == Some(exit) && f.op(u.user) == Op::Phi && is_next(four);
                        is_inside(Value::inst(u.user)) || is_result
                    })
                })
        };
        if !fours.iter().all(is_whole) {
            fours.clear();
            chains.clear();
        }
    }
}

/// By how many bytes one address is behind another one.
fn apart(sum: &Sum, other: &Sum) -> Option<i64> {
    sum.distance(other)
}

/// Makes the vectors.
fn vectorise(cx: &mut FuncCx, plan: &Plan) -> Option<()> {
    let place = plan.place;
    let mut made: Vec<(Four, Value)> = Vec::new();
    for &(four, kind) in &plan.fours {
        let f = &mut *cx.f;
        let (ty, at) = (vector_of(f.type_of(four[0]))?, At::BeforeTerminator(plan.header));
        let v = match kind {
            Kind::Phi => {
                let phi = f.insert_phi(plan.header, ty, place);
                let begins = four.map(|v| v.as_inst().map_or(v, |phi| f.arg(phi, plan.enters)));
                let begins = together(f, At::BeforeTerminator(plan.preheader), ty, &begins, place);
                f.set_arg(phi, plan.enters, begins);
                Value::inst(phi)
            }
            Kind::Fixed => together(f, At::BeforeTerminator(plan.preheader), ty, &four, place),
            Kind::Same => Value::inst(f.insert(at, Op::Splat, ty, &[four[0]], 0, place)),
            Kind::Load => {
                let address = f.arg(four[0].as_inst()?, 0);
                let load = f.insert(at, Op::Load, ty, &[address], 0, place);
                f.set_access(load, Access { align: 4 });
                Value::inst(load)
            }
            Kind::Op => {
                let first = four[0].as_inst()?;
                let count = f.args(first).len();
                let mut args = Vec::with_capacity(count);
                for k in 0..count {
                    args.push(operand(f, &made, &four, k)?);
                }
                Value::inst(f.insert(at, f.op(first), ty, &args, f.payload(first), place))
            }
        };
        made.push((four, v));
    }
    for &(four, _) in plan.fours.iter().filter(|row| row.1 == Kind::Phi) {
        let f = &mut *cx.f;
        let next = four.map(|phi| phi.as_inst().map_or(phi, |phi| f.arg(phi, plan.back)));
        let own = made.iter().find(|row| row.0 == four)?.1;
        let v = made.iter().find(|row| row.0 == next)?.1;
        f.set_arg(own.as_inst()?, plan.back, v);
        behind(cx, plan, (next, v));
    }
    for chain in &plan.chains {
        sum_up(cx.f, plan, chain, &made)?;
    }
    clean(cx.f, plan);
    Some(())
}

/// Adds fours to a vector, and the lanes of that to the sum behind the loop.
fn sum_up(f: &mut Body, plan: &Plan, chain: &Chain, made: &[(Four, Value)]) -> Option<()> {
    let (place, ty, at) = (plan.place, Type::I32x4, At::BeforeTerminator(plan.header));
    let zero = f.int(0);
    let begins = f.insert(At::BeforeTerminator(plan.preheader), Op::Splat, ty, &[zero], 0, place);
    let own = f.insert_phi(plan.header, ty, place);
    let mut all = Value::inst(own);
    for four in &chain.fours {
        let v = made.iter().find(|row| row.0 == *four)?.1;
        all = Value::inst(f.insert(at, Op::Add, ty, &[all, v], 0, place));
    }
    f.set_arg(own, plan.enters, Value::inst(begins));
    f.set_arg(own, plan.back, all);
    let old = f.arg(chain.phi, plan.back);
    let mut rest = Value::inst(chain.phi);
    for &v in &chain.left {
        rest = Value::inst(f.insert(at, Op::Add, Type::I32, &[rest, v], 0, place));
    }
    f.set_arg(chain.phi, plan.back, rest);
    let &[out] = f.preds(plan.exit) else { return None };
    let slot = f.edge_slot(out);
    let results: Vec<Inst> = f.phis(plan.exit).filter(|&phi| f.arg(phi, slot) == old).collect();
    let lanes = f.insert_phi(plan.exit, ty, place);
    f.set_arg(lanes, slot, all);
    let first = f.insts(plan.exit).find(|&i| f.op(i) != Op::Phi)?;
    let sum = f.insert(At::Before(first), Op::ReduceAdd, Type::I32, &[Value::inst(lanes)], 0, place);
    for phi in results {
        f.set_arg(phi, slot, rest);
        let whole =
            f.insert(At::After(sum), Op::Add, Type::I32, &[Value::inst(sum), Value::inst(sum)], 0, place);
        f.replace_uses(phi, Value::inst(whole));
        f.set_arg(whole, 0, Value::inst(phi));
    }
    Some(())
}

/// The vector of operand `k` of each lane.
fn operand(f: &Body, made: &[(Four, Value)], four: &Four, k: usize) -> Option<Value> {
    let is_it = |row: &&(Four, Value)| {
        four.iter().zip(&row.0).all(|(lane, v)| lane.as_inst().is_some_and(|i| f.arg(i, k) == *v))
    };
    made.iter().find(is_it).map(|row| row.1)
}

/// Values side by side in a vector.
fn together(f: &mut Body, at: At, ty: Type, four: &Four, place: Place) -> Value {
    let mut all = Value::inst(f.insert(at, Op::Splat, ty, &[four[0]], 0, place));
    for (k, &v) in four.iter().enumerate().filter(|(_, v)| **v != four[0]) {
        all = Value::inst(f.insert(at, Op::InsertLane, ty, &[all, v], k as u32, place));
    }
    all
}

/// Takes what is wanted behind the loop out of the lanes; stores of neighbours become one.
fn behind(cx: &mut FuncCx, plan: &Plan, (next, v): (Four, Value)) {
    let f = &mut *cx.f;
    let slots: Vec<Inst> = f.phis(plan.exit).collect();
    let Some(out) = f.preds(plan.exit).iter().copied().find(|&e| f.edge_from(e) == plan.header) else {
        return;
    };
    let slot = f.edge_slot(out);
    let wanted: Vec<(Inst, usize)> = slots
        .into_iter()
        .filter_map(|phi| Some((phi, next.iter().position(|&v| v == f.arg(phi, slot))?)))
        .collect();
    if wanted.is_empty() || f.preds(plan.exit).len() != 1 {
        return;
    }
    let all = f.insert_phi(plan.exit, f.type_of(v), plan.place);
    f.set_arg(all, slot, v);
    let Some(first) = f.insts(plan.exit).find(|&i| f.op(i) != Op::Phi) else { return };
    let mut lanes = [None; LANES];
    for (phi, lane) in wanted {
        let ty = f.ty(phi);
        let one = *lanes[lane].get_or_insert_with(|| {
            f.insert(At::Before(first), Op::ExtractLane, ty, &[Value::inst(all)], lane as u32, plan.place)
        });
        f.replace_uses(phi, Value::inst(one));
        f.remove(phi);
    }
    if let [Some(a), Some(b), Some(c), Some(d)] = lanes {
        stores(cx, [a, b, c, d], Value::inst(all));
    }
}

/// Stores of the lanes to neighbours, one behind the other, with nothing between that reads or writes.
fn stores(cx: &mut FuncCx, lanes: [Inst; LANES], v: Value) -> Option<()> {
    let f = &*cx.f;
    let mut found = [None; LANES];
    for (store, lane) in found.iter_mut().zip(lanes) {
        let one = f.single_use(lane)?;
        *store = Some(one.user).filter(|&i| f.op(i) == Op::Store && one.operand == 0);
    }
    let [Some(a), Some(b), Some(c), Some(d)] = found else { return None };
    let stores = [a, b, c, d];
    let sum = |i: Inst| f.arg(i, 1).as_inst().and_then(|at| cx.analyses.evolution.of(at));
    // Outside of all loops there are no sums.
    let plain = |i: Inst| peel(cx.env, f, f.arg(i, 1), |_| true);
    let behind = |i: Inst| match sum(i).zip(sum(a)) {
        Some((sum, first)) => apart(sum, first),
        None => Some(plain(i).1 - plain(a).1).filter(|_| plain(i).0 == plain(a).0),
    };
    let is_next = |(n, &i): (usize, &Inst)| behind(i) == Some(4 * n as i64);
    if !stores.iter().enumerate().all(is_next) {
        return None;
    }
    // From the first of them on, through blocks that lead to one another and nowhere else.
    let mut at = f.block_of(lanes[0]).and_then(|b| f.first(b));
    let (mut seen, mut last) = (0, None);
    while let Some(i) = at {
        let op = f.op(i);
        if stores.contains(&i) {
            seen += 1;
            last = Some(i);
        } else if seen > 0 && (op.has(READS) || op.has(WRITES)) {
            return None;
        }
        if seen == LANES {
            break;
        }
        at = f.next(i);
        if op == Op::Br {
            let e = f.succs(f.block_of(i)?).next()?;
            at = Some(f.edge_to(e)).filter(|&to| f.preds(to).len() == 1).and_then(|to| f.first(to));
        }
    }
    let (last, address) = (last.filter(|_| seen == LANES)?, f.arg(a, 1));
    let place = f.place(last);
    let store = cx.f.insert(At::Before(last), Op::Store, Type::Void, &[v, address], 0, place);
    cx.f.set_access(store, Access { align: 4 });
    stores.iter().for_each(|&i| cx.f.remove(i));
    Some(())
}

/// Removes what has been done one by one.
fn clean(f: &mut Body, plan: &Plan) {
    for (four, _) in plan.fours.iter().filter(|row| row.1 == Kind::Phi) {
        for phi in four.iter().filter_map(|v| v.as_inst()) {
            let ty = f.ty(phi);
            f.set_arg(phi, plan.back, Value::undef(ty));
        }
    }
    let mut gone: Vec<Inst> = Vec::new();
    for (four, kind) in &plan.fours {
        if !matches!(kind, Kind::Same | Kind::Fixed) {
            gone.extend(four.iter().filter_map(|v| v.as_inst()));
        }
    }
    gone.extend(plan.chains.iter().flat_map(|chain| chain.sums.iter().copied()));
    // Users first.
    let mut next = f.last(plan.header);
    while let Some(i) = next {
        next = f.prev(i);
        if gone.contains(&i) && !f.has_uses(i) {
            f.remove(i);
        }
    }
}

#[cfg(test)]
mod tests;
