//! The symbolic checker: proves that the register code of a function does what the function does.
//!
//! It knows nothing of how slots were given out. For every point it computes which results each slot holds on
//! all paths: pairs of a slot and an instruction, intersected where paths meet, to a fixpoint. Then the rows
//! of every instruction must read its operands, those of an edge must set the phis that are read behind it,
//! jumps must go where branches do, and nothing may be left out but what is computed where it is read: those
//! reads are looked through. Addresses are compared as sums (`sums`). Pairs of what is not live into a block
//! are dropped at its head, so that a value of an earlier turn of a loop is never taken for the present one.
//! For tests and `-fverify`: O(rows + blocks * pairs), a few times over. (The idea is that of the register
//! allocator's checker, and regalloc2's.)
//!
//! | file | does |
//! | --- | --- |
//! | `mod` | blocks, edges and jumps |
//! | `rows` | the rows of an instruction |
//! | `sums` | addresses |
//! | `state` | what slots hold |

mod rows;
mod state;
mod sums;
#[cfg(test)]
mod tests;

use super::super::code::{Code, FIRST, Slot, Target};
use super::Decoder;
use crate::base::graph::{Order, live_into};
use crate::base::{Column, Opt};
use crate::ir::{Block, Edge, FloatPred, Inst, IntPred, Op, Value};
use rows::Read;
use state::{Head, State};
use std::collections::{HashMap, HashSet};
use sums::Named;

struct Checker<'a> {
    d: &'a Decoder<'a>,
    order: Order<Block>,
    /// Ascending: what is live into which block, for reads where the code makes them.
    live: Vec<(Block, Inst)>,
    heads: Column<Block, Option<Head>>,
    /// What the slot of an address holds.
    sums: HashMap<Inst, Named>,
    /// Addresses of which the slot holds only a part.
    partial: HashSet<Inst>,
    /// The heads are final, so what is not held is an error.
    report: bool,
}

/// A place in the code between two blocks.
struct Path {
    edge: Edge,
    at: Target,
    state: State,
    /// The jump at `at` also makes a step, which the state has already seen.
    stepped: bool,
}

/// Checks one decoded body; an error says what is wrong where.
pub(super) fn check(d: &Decoder) -> Result<(), String> {
    let mut order = Order::default();
    order.compute(d.f);
    let Some(&entry) = order.blocks.first() else { return Ok(()) };
    let blocks = d.f.block_count();
    let mut checker = Checker {
        d,
        order,
        live: Vec::new(),
        heads: Column::filled(blocks, None),
        sums: HashMap::new(),
        partial: HashSet::new(),
        report: false,
    };
    checker.live = checker.liveness();
    checker.check_frame()?;
    let mut pairs: Vec<(Slot, Inst)> = (FIRST..).zip(d.f.params()).collect();
    pairs.sort_unstable();
    checker.heads[entry] = Some(Head { pairs, open: Vec::new() });
    let order = checker.order.blocks.clone();
    let mut dirty = Column::filled(blocks, true);
    loop {
        let mut changed = false;
        for &b in &order {
            if checker.heads[b].is_none() || !std::mem::replace(&mut dirty[b], false) {
                continue;
            }
            for (to, head) in checker.block(b)? {
                let met = match &checker.heads[to] {
                    None => head,
                    Some(old) => old.meet(&head),
                };
                if checker.heads[to].as_ref() != Some(&met) {
                    checker.heads[to] = Some(met);
                    dirty[to] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    checker.report = true;
    // A block that only tests may stand at the end of all that lead to it, and its own code be reached by nothing.
    for &b in &order {
        if checker.heads[b].is_some() {
            checker.block(b)?;
        }
    }
    Ok(())
}

impl Checker<'_> {
    fn code(&self, at: Target) -> Result<Code, String> {
        let end = self.d.p.code.len();
        self.d.p.code.get(at as usize).copied().ok_or(format!("the code ends at {end}"))
    }

    /// The instruction that a row is for; none for copies on edges.
    fn origin(&self, at: Target) -> Option<Inst> {
        self.d.p.origins.get(at as usize)?.get()
    }

    /// Reads through what has no row of its own count where that is read.
    fn liveness(&self) -> Vec<(Block, Inst)> {
        let f = self.d.f;
        let mut mark = Column::filled(f.block_count(), Opt::NONE);
        let (mut entries, mut homes, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        let in_blocks = self.order.blocks.iter().flat_map(|&b| f.insts(b));
        for i in f.params().chain(in_blocks) {
            homes.clear();
            waiting.push(i);
            while let Some(from) = waiting.pop() {
                for u in f.uses(from) {
                    let Some(b) = f.block_of(u.user) else { continue };
                    if f.op(u.user) == Op::Phi {
                        homes.push(f.edge_from(f.preds(b)[u.operand as usize]));
                    } else {
                        homes.push(b);
                        if self.may_have_no_row(u.user) {
                            waiting.push(u.user);
                        }
                    }
                }
            }
            live_into(f, (i, f.block_of(i)), homes.iter().copied(), &mut mark, &mut entries);
        }
        entries.sort_unstable();
        entries
    }

    /// Runs the code of a block: the heads of those that it goes to.
    fn block(&mut self, b: Block) -> Result<Vec<(Block, Head)>, String> {
        let f = self.d.f;
        let mut state = State::new(self.heads[b].as_ref().unwrap_or(&Head::default()));
        let mut at = self.d.starts[b];
        let mut stepped = false;
        let Some(end) = f.terminator(b) else { return Err(format!("{b:?} has no end")) };
        for i in f.insts(b).filter(|&i| i != end) {
            let start = at;
            while self.origin(at) == Some(i) && !stepped {
                at += 1;
            }
            let told = |what: String| format!("{b:?}, {i:?} ({}), code {start}: {what}", f.op(i).row().name);
            if start != at {
                let rows = self.d.p.code.get(start as usize..at as usize).unwrap_or_default();
                self.group(&mut state, i, rows).map_err(told)?;
            } else if !self.may_have_no_row(i) {
                let (Code::StepJump { d, x, .. } | Code::StepJumpImm { d, x, .. }) = self.code(at)? else {
                    return Err(told("has no code".into()));
                };
                self.group(&mut state, i, &[Code::AddImm { d, a: d, x }]).map_err(told)?;
                stepped = true;
            }
        }
        let mut paths = Vec::new();
        let mut heads = Vec::new();
        self.leave(b, at, state, stepped, &mut paths)?;
        while let Some(path) = paths.pop() {
            self.follow(path, &mut paths, &mut heads)?;
        }
        Ok(heads)
    }

    /// The rows of a terminator: what goes on behind it.
    fn leave(
        &self,
        b: Block,
        mut at: Target,
        mut state: State,
        stepped: bool,
        paths: &mut Vec<Path>,
    ) -> Result<(), String> {
        let f = self.d.f;
        let Some(end) = f.terminator(b) else { return Ok(()) };
        let start = at;
        let told = |what: String| format!("{b:?}, {end:?} ({}), code {start}: {what}", f.op(end).row().name);
        if f.op(end) == Op::Br {
            let edge = f.succs(b).next().ok_or_else(|| told("goes nowhere".into()))?;
            paths.push(Path { edge, at, state, stepped });
            return Ok(());
        }
        // Constants.
        while self.origin(at) == Some(end)
            && let Code::Imm { d, x: low } | Code::Wide { d, low, .. } = self.code(at)?
        {
            let high = if let Code::Wide { high, .. } = self.code(at)? { high } else { 0 };
            state.set_sum(d, sums::Sum::constant(u64::from(high) << 32 | u64::from(low)));
            at += 1;
        }
        if self.origin(at) != Some(end) {
            return Err(told("has no code".into()));
        }
        let code = self.code(at)?;
        match (f.op(end), code) {
            (Op::Ret, Code::Return { a }) => {
                let read = |&v| self.holds(&state, Read::Slot(a), v);
                f.args(end).first().map_or(Ok(()), read).map_err(told)
            }
            (Op::Unreachable, Code::Unreachable) => Ok(()),
            (Op::Switch, Code::Table { a, n }) if n as usize == f.succs(b).len() => {
                self.holds(&state, Read::Slot(a), f.arg(end, 0)).map_err(told)?;
                for (k, edge) in (1..).zip(f.succs(b)) {
                    let Code::Jump { to } = self.code(at + k)? else {
                        return Err(told(format!("way {k} is no jump")));
                    };
                    paths.push(Path { edge, at: to, state: state.clone(), stepped: false });
                }
                Ok(())
            }
            (Op::CondBr, _) => {
                let steps = matches!(code, Code::StepJump { .. } | Code::StepJumpImm { .. });
                if steps != stepped {
                    return Err(told(format!("{code:?} makes a step of no instruction")));
                }
                let (wanted, to) = self.condition(&state, code, f.arg(end, 0)).map_err(told)?;
                let (yes, no) = f.ways(end);
                let (taken, fallen) = if wanted { (yes, no) } else { (no, yes) };
                paths.push(Path { edge: taken, at: to, state: state.clone(), stepped: false });
                paths.push(Path { edge: fallen, at: at + 1, state, stepped: false });
                Ok(())
            }
            _ => Err(told(format!("is {code:?}"))),
        }
    }

    /// Which way of a branch a jump takes, and to where.
    fn condition(&self, state: &State, code: Code, condition: Value) -> Result<(bool, Target), String> {
        use Read::{Bits, Slot as At};
        let (pred, a, b, to) = match code {
            Code::JumpTrue { a, to } | Code::JumpFalse { a, to } => {
                self.holds(state, At(a), condition)?;
                return Ok((matches!(code, Code::JumpTrue { .. }), to));
            }
            Code::JumpFloat { pred, a, b, to } => return self.float(state, (pred, a, b), to, condition),
            Code::JumpEq { a, b, to } => (IntPred::Eq, At(a), At(b), to),
            Code::JumpNe { a, b, to } => (IntPred::Ne, At(a), At(b), to),
            Code::JumpSlt { a, b, to } | Code::StepJump { d: a, b, to, .. } => {
                (IntPred::Slt, At(a), At(b), to)
            }
            Code::JumpSle { a, b, to } => (IntPred::Sle, At(a), At(b), to),
            Code::JumpEqImm { a, x, to } => (IntPred::Eq, At(a), Bits(x.into()), to),
            Code::JumpNeImm { a, x, to } => (IntPred::Ne, At(a), Bits(x.into()), to),
            Code::JumpSltImm { a, x, to } | Code::StepJumpImm { d: a, y: x, to, .. } => {
                (IntPred::Slt, At(a), Bits(x.into()), to)
            }
            Code::JumpSleImm { a, x, to } => (IntPred::Sle, At(a), Bits(x.into()), to),
            Code::JumpSgtImm { a, x, to } => (IntPred::Sgt, At(a), Bits(x.into()), to),
            Code::JumpSgeImm { a, x, to } => (IntPred::Sge, At(a), Bits(x.into()), to),
            Code::JumpUlt { a, b, to } => (IntPred::Ult, At(a), At(b), to),
            Code::JumpUle { a, b, to } => (IntPred::Ule, At(a), At(b), to),
            Code::JumpUltImm { a, x, to } => (IntPred::Ult, At(a), Bits(x.into()), to),
            Code::JumpUleImm { a, x, to } => (IntPred::Ule, At(a), Bits(x.into()), to),
            Code::JumpUgtImm { a, x, to } => (IntPred::Ugt, At(a), Bits(x.into()), to),
            Code::JumpUgeImm { a, x, to } => (IntPred::Uge, At(a), Bits(x.into()), to),
            _ => return Err(format!("{code:?} is no branch")),
        };
        let f = self.d.f;
        let i = condition.as_inst().filter(|&i| f.op(i) == Op::ICmp).ok_or("no integers are compared")?;
        let own = IntPred::from_payload(f.payload(i));
        let (l, r) = (f.arg(i, 0), f.arg(i, 1));
        let of = |x: Read, v: Value| self.is_held(state, x, v) || !self.report;
        for wanted in [true, false] {
            let own = if wanted { own } else { own.inverse() };
            if own == pred && of(a, l) && of(b, r) || own.swapped() == pred && of(a, r) && of(b, l) {
                return Ok((wanted, to));
            }
        }
        let held = |read| if let At(slot) = read { state.values(slot) } else { &[] };
        Err(format!("{code:?} does not test {condition:?}: the slots hold {:?} and {:?}", held(a), held(b)))
    }

    fn float(
        &self,
        state: &State,
        (pred, a, b): (FloatPred, Slot, Slot),
        to: Target,
        condition: Value,
    ) -> Result<(bool, Target), String> {
        let f = self.d.f;
        let i = condition.as_inst().filter(|&i| f.op(i) == Op::FCmp).ok_or("no floats are compared")?;
        let own = FloatPred::from_payload(f.payload(i));
        self.holds(state, Read::Slot(a), f.arg(i, 0))?;
        self.holds(state, Read::Slot(b), f.arg(i, 1))?;
        match pred {
            _ if pred == own => Ok((true, to)),
            _ if pred == own.inverse() => Ok((false, to)),
            _ => Err(format!("{pred:?} is not {own:?}")),
        }
    }

    /// From one block to the next: copies and jumps. A block that only tests may stand at the end of another.
    fn follow(
        &self,
        path: Path,
        paths: &mut Vec<Path>,
        heads: &mut Vec<(Block, Head)>,
    ) -> Result<(), String> {
        let f = self.d.f;
        let Path { edge, mut at, mut state, mut stepped } = path;
        let (from, to) = (f.edge_from(edge), f.edge_to(edge));
        let told = |at: Target, what: &str| format!("{from:?} to {to:?}, code {at}: {what}");
        for _ in 0..self.d.p.code.len() {
            if at == self.d.starts[to] {
                if stepped {
                    return Err(told(at, "a step is not made"));
                }
                heads.push((to, self.enter(edge, &state)));
                return Ok(());
            }
            let is_copy = self.origin(at).is_none();
            match self.code(at)? {
                Code::Jump { to } => {
                    at = to;
                    stepped = false;
                    continue;
                }
                Code::Move { d, a } if is_copy => state.copy(d, a),
                Code::Imm { d, x } if is_copy => state.set_sum(d, sums::Sum::constant(x.into())),
                Code::Wide { d, low, high } if is_copy => {
                    state.set_sum(d, sums::Sum::constant(u64::from(high) << 32 | u64::from(low)));
                }
                _ if self.origin(at) == f.terminator(to) && f.terminator(to).is_some() => {
                    let mut others = f.insts(to).filter(|&i| !f.op(i).is_terminator());
                    if others.any(|i| !self.may_have_no_row(i)) {
                        return Err(told(at, "what stands before the branch is left out"));
                    }
                    let state = State::new(&self.enter(edge, &state));
                    return self.leave(to, at, state, stepped, paths);
                }
                code => return Err(told(at, &format!("there is {code:?}"))),
            }
            stepped = false;
            at += 1;
        }
        Err(told(at, "the code goes round in circles"))
    }

    /// What a block finds when it is entered along an edge.
    fn enter(&self, edge: Edge, state: &State) -> Head {
        let f = self.d.f;
        let (to, slot) = (f.edge_to(edge), f.edge_slot(edge));
        let is_live = |i: Inst| self.live.binary_search(&(to, i)).is_ok();
        let mut head = Head {
            pairs: state.pairs().filter(|&(_, i)| is_live(i)).collect(),
            open: state.open().iter().copied().filter(|&i| is_live(i)).collect(),
        };
        for phi in f.phis(to) {
            let v = f.arg(phi, slot);
            match v.as_inst().map(|i| self.strip(i)) {
                _ if v.is_undef() => head.open.push(phi),
                Some(i) if state.is_open(i) => head.open.push(phi),
                Some(i) => {
                    let places = state.pairs().filter(|&(_, held)| held == i && !self.partial.contains(&i));
                    head.pairs.extend(places.map(|(slot, _)| (slot, phi)));
                }
                None => {
                    let bits = self.d.literal(v);
                    let places = state.constants().filter(|&(_, x)| x == bits);
                    head.pairs.extend(places.map(|(slot, _)| (slot, phi)));
                }
            }
        }
        head.pairs.sort_unstable();
        head.pairs.dedup();
        head
    }
}
