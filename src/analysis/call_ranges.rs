//! Ranges of the arguments and results of functions over all calls of them.
//!
//! Each body is looked at by itself: what it passes and returns becomes a number, or an expression of a few
//! operations over its own parameters, results of calls, and phis, narrowed by what branches above have asked
//! (`Own`). At the barrier these are the equations of a system whose unknowns are parameters, results and those
//! phis. It is solved from nothing upwards: what a function passes to itself counts as far as what it gets lets
//! it pass, so at the end all calls pass what is claimed if all calls do. What goes on growing is widened to what
//! the function compares with, to powers of two, to anything; two more sweeps narrow that. (Jump functions:
//! Callahan, Cooper, Kennedy and Torczon, "Interprocedural constant propagation", 1986.)
//!
//! Functions that are visible outside may get anything, and what is loaded may be anything. O(instructions +
//! operations of what is passed), some ten times over those at most.

use super::range::{Range, restrict, result};
use super::ranges::{branched, comparison, number};
use crate::base::{Column, Rows};
use crate::ir::opcode::PURE;
use crate::ir::{Block, Body, Edge, Env, FuncId, Inst, IntPred, Linkage, Module, Op, Type, Value};

/// An unknown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Unknown {
    /// An argument of a function.
    Arg(FuncId, u32),
    /// What a function returns.
    Result(FuncId),
    /// A phi of the body at hand, by its number there.
    Phi(u32),
}

/// A part of an expression; what it is made of stands before it.
#[derive(Copy, Clone, Debug)]
enum Node {
    Number(Range),
    Unknown(Unknown),
    /// An operation on two parts.
    Two(Op, u32, u32),
    /// What is in one of the two.
    Either(u32, u32),
    /// Those that compare so with some number of the other part.
    Restrict(IntPred, u32, u32),
}

/// Instead of a part: anything.
const ANYTHING: u32 = u32::MAX;

/// An expression and where its result comes to.
#[derive(Copy, Clone, Debug)]
struct Flow {
    to: Unknown,
    /// Its parts, of which the last one is all of it.
    first: u32,
    last: u32,
}

/// What a body passes and returns.
#[derive(Clone, Debug, Default)]
pub struct Own {
    nodes: Vec<Node>,
    /// What comes to unknowns.
    flows: Vec<Flow>,
    /// The same for ranges that depend on nothing, in order, once each.
    known: Vec<(FuncId, u32, Range)>,
    /// What it returns that depends on nothing.
    returned: Range,
    phis: u32,
}

/// Operations of an expression one above the other.
const DEEP: u32 = 3;
/// Parts of the expressions of a body.
const MOST_NODES: usize = 500;
/// Phis that are unknowns of a body.
const MOST_PHIS: usize = 12;
/// Conditions that are looked for above what is passed, and the blocks in which.
const MOST_CONDITIONS: usize = 4;
const MOST_BLOCKS: usize = 8;
/// Blocks of a loop that is looked through.
const MOST_OF_LOOP: usize = 12;

/// True if all calls of a function are known, and what it does is.
fn is_closed(env: &Env, func: FuncId) -> bool {
    let row = &env.funcs[func];
    row.linkage == Linkage::Internal && !row.variadic
}

/// Looks at what a body passes and returns.
#[derive(Debug)]
pub struct Look<'a> {
    env: &'a Env,
    f: &'a Body,
    returns: bool,
    own: Own,
    phis: Vec<Inst>,
    /// What holds where something is passed.
    conditions: Vec<(IntPred, Value, Value)>,
    /// Where that is, or the end of the block before it.
    at: Option<Block>,
    is_looked_up: bool,
}

impl<'a> Look<'a> {
    /// Begins with a body.
    pub fn new(env: &'a Env, f: &'a Body) -> Look<'a> {
        let returns = is_closed(env, f.func) && env.funcs[f.func].result == Type::I32;
        let (own, phis, conditions) = Default::default();
        Look { env, f, returns, own, phis, conditions, at: None, is_looked_up: false }
    }

    /// Has a look at a call.
    pub fn call(&mut self, i: Inst) {
        let (f, callee) = (self.f, self.f.callee(i));
        if is_closed(self.env, callee) {
            for (k, &v) in (0..).zip(f.args(i)).filter(|&(_, &v)| f.type_of(v) == Type::I32) {
                self.pass(i, Unknown::Arg(callee, k), v);
            }
        }
    }

    /// Has a look at a return.
    pub fn ret(&mut self, i: Inst) {
        if self.returns {
            self.pass(i, Unknown::Result(self.f.func), self.f.arg(i, 0));
        }
    }

    /// What there was to see.
    pub fn finish(mut self) -> Own {
        let mut k = 0;
        while let Some(&phi) = self.phis.get(k) {
            self.phi(k as u32, phi);
            k += 1;
        }
        let mut own = self.own;
        own.phis = k as u32;
        own.known.sort_unstable_by_key(|&(func, k, _)| (func, k));
        own.known.dedup_by(|next, first| {
            let is_same = (next.0, next.1) == (first.0, first.1);
            first.2 = if is_same { first.2.join(next.2) } else { first.2 };
            is_same
        });
        own.known.shrink_to_fit();
        own.nodes.shrink_to_fit();
        own.flows.shrink_to_fit();
        own
    }

    /// Notes that a value comes to an unknown at an instruction.
    fn pass(&mut self, i: Inst, to: Unknown, v: Value) {
        if v.is_number() {
            return self.flow_range(to, number(self.f, v));
        }
        let b = self.f.block_of(i);
        if self.at != b {
            self.at = b;
            self.conditions.clear();
            self.is_looked_up = false;
        }
        self.flow(to, v);
    }

    /// What comes to a phi.
    fn phi(&mut self, number: u32, phi: Inst) {
        let to = Unknown::Phi(number);
        let Some(b) = self.f.block_of(phi) else { return self.flow_range(to, Range::ALL) };
        for &e in self.f.preds(b) {
            self.at = Some(self.f.edge_from(e));
            self.conditions.clear();
            self.note_condition(e);
            self.is_looked_up = false;
            self.flow(to, self.f.arg(phi, self.f.edge_slot(e)));
        }
    }

    fn flow(&mut self, to: Unknown, v: Value) {
        let (first, phis) = (self.own.nodes.len(), self.phis.len());
        let last = self.narrowed(v, DEEP);
        let range = match self.own.nodes.get(last as usize) {
            None => Range::ALL,
            Some(&Node::Number(range)) => range,
            Some(_) => return self.own.flows.push(Flow { to, first: first as u32, last }),
        };
        self.own.nodes.truncate(first);
        self.phis.truncate(phis);
        self.flow_range(to, range);
    }

    fn flow_range(&mut self, to: Unknown, range: Range) {
        match to {
            Unknown::Arg(func, k) => {
                // Mostly the last calls were of the same function.
                const FEW: usize = 8;
                let old = self.own.known.len().saturating_sub(FEW);
                let same = |row: &&mut (FuncId, u32, Range)| (row.0, row.1) == (func, k);
                match self.own.known[old..].iter_mut().find(same) {
                    Some(row) => row.2 = row.2.join(range),
                    None => self.own.known.push((func, k, range)),
                }
            }
            Unknown::Result(_) => self.own.returned = self.own.returned.join(range),
            Unknown::Phi(_) => {
                // A phi may not be forgotten.
                let last = self.own.nodes.len() as u32;
                self.own.nodes.push(Node::Number(range));
                self.own.flows.push(Flow { to, first: last, last });
            }
        }
    }

    fn node(&mut self, node: Node) -> u32 {
        if self.own.nodes.len() >= MOST_NODES {
            return ANYTHING;
        }
        self.own.nodes.push(node);
        self.own.nodes.len() as u32 - 1
    }

    /// Adds what branches have asked on the way.
    fn look_up(&mut self) {
        let Some(mut at) = self.at.filter(|_| !self.is_looked_up) else { return };
        self.is_looked_up = true;
        for _ in 0..MOST_BLOCKS {
            let Some(e) = self.only_edge(at).filter(|_| self.conditions.len() < MOST_CONDITIONS) else {
                return;
            };
            self.note_condition(e);
            at = self.f.edge_from(e);
        }
    }

    /// The only edge into a block but for those of its own loop, which come from blocks with higher numbers as a
    /// rule.
    fn only_edge(&self, b: Block) -> Option<Edge> {
        let preds = self.f.preds(b);
        if let &[e] = preds {
            return Some(e);
        }
        let is_higher = |e: Edge| self.f.edge_from(e) >= b;
        let mut enters = preds.iter().copied().filter(|&e| !is_higher(e));
        let only = enters.next().filter(|_| enters.next().is_none())?;
        preds.iter().all(|&e| e == only || self.goes_back(e, b)).then_some(only)
    }

    /// True if all ways to an edge into a block lead through that block, for certain.
    fn goes_back(&self, e: Edge, to: Block) -> bool {
        let first = self.f.edge_from(e);
        if first == to {
            return true;
        }
        if Some(first) == self.f.entry() {
            return false;
        }
        let mut blocks = [to; MOST_OF_LOOP];
        blocks[1] = first;
        let mut count = 2;
        let mut k = 1;
        loop {
            let Some(&b) = blocks[..count].get(k) else { return true };
            for &e in self.f.preds(b) {
                let from = self.f.edge_from(e);
                if blocks[..count].contains(&from) {
                    continue;
                }
                if count == MOST_OF_LOOP || Some(from) == self.f.entry() {
                    return false;
                }
                blocks[count] = from;
                count += 1;
            }
            k += 1;
        }
    }

    fn note_condition(&mut self, e: Edge) {
        let asked = branched(self.f, e).and_then(|(c, way)| Some((comparison(self.f, c)?, way)));
        if let Some(((pred, a, b), way)) = asked {
            self.conditions.push((if way { pred } else { pred.inverse() }, a, b));
        }
    }

    /// A value under the conditions at hand.
    fn narrowed(&mut self, v: Value, depth: u32) -> u32 {
        let mut node = self.value(v, depth);
        // What is only passed is compared with nothing.
        if v.as_inst().is_none_or(|i| self.f.has_single_use(i)) {
            return node;
        }
        self.look_up();
        for k in 0..self.conditions.len() {
            let (pred, a, b) = self.conditions[k];
            let (pred, by) = match (v == a, v == b) {
                (true, false) => (pred, b),
                (false, true) => (pred.swapped(), a),
                _ => continue,
            };
            let by = match self.value(by, 0) {
                // What is less than something is not the greatest number.
                ANYTHING if node != ANYTHING && matches!(pred, IntPred::Slt | IntPred::Sgt) => {
                    self.node(Node::Number(Range::ALL))
                }
                by => by,
            };
            node = match (self.own.nodes.get(node as usize), self.own.nodes.get(by as usize)) {
                (_, None) => node,
                (None, Some(&Node::Number(by))) => match restrict(Range::ALL, pred, by) {
                    Range::ALL => node,
                    range => self.node(Node::Number(range)),
                },
                (None, Some(_)) => {
                    let all = self.node(Node::Number(Range::ALL));
                    self.two(Node::Restrict(pred, all, by), all, by)
                }
                (Some(_), Some(_)) => self.two(Node::Restrict(pred, node, by), node, by),
            };
        }
        node
    }

    /// A node of these parts.
    fn two(&mut self, node: Node, a: u32, b: u32) -> u32 {
        if a == ANYTHING || b == ANYTHING { ANYTHING } else { self.node(node) }
    }

    /// A value of 32 bits, wherever it stands.
    fn value(&mut self, v: Value, depth: u32) -> u32 {
        let f = self.f;
        let Some(i) = v.as_inst() else {
            return if v.is_number() { self.node(Node::Number(number(f, v))) } else { ANYTHING };
        };
        if f.ty(i) != Type::I32 {
            return ANYTHING;
        }
        match (f.op(i), f.args(i)) {
            (Op::Param, _) if is_closed(self.env, f.func) => {
                self.node(Node::Unknown(Unknown::Arg(f.func, f.payload(i))))
            }
            (Op::Call, _) if is_closed(self.env, f.callee(i)) => {
                self.node(Node::Unknown(Unknown::Result(f.callee(i))))
            }
            (Op::Phi, _) => {
                let known = self.phis.iter().position(|&phi| phi == i);
                if known.is_none() && self.phis.len() == MOST_PHIS {
                    return ANYTHING;
                }
                let number = known.unwrap_or(self.phis.len());
                if known.is_none() {
                    self.phis.push(i);
                }
                self.node(Node::Unknown(Unknown::Phi(number as u32)))
            }
            (Op::ZExt, &[a]) if f.type_of(a) == Type::I1 => {
                self.node(Node::Number(Range { low: 0, high: 1 }))
            }
            (Op::Select, &[_, a, b]) if depth > 0 => {
                let (a, b) = (self.narrowed(a, depth - 1), self.narrowed(b, depth - 1));
                self.two(Node::Either(a, b), a, b)
            }
            (op, &[a, b]) if op.has(PURE) && depth > 0 => {
                let first = self.narrowed(a, depth - 1);
                // Of most operations nothing is known if nothing is known of an operand.
                let bounds =
                    matches!(op, Op::SRem | Op::URem | Op::And | Op::LShr | Op::UDiv | Op::SDiv | Op::AShr);
                if first == ANYTHING && !bounds {
                    return ANYTHING;
                }
                let second = self.narrowed(b, 0);
                let [first, second] = [first, second].map(|part| match part {
                    ANYTHING if bounds => self.node(Node::Number(Range::ALL)),
                    part => part,
                });
                self.two(Node::Two(op, first, second), first, second)
            }
            _ => ANYTHING,
        }
    }
}

/// The ranges of arguments and results.
#[derive(Debug, Default)]
pub struct CallRanges {
    /// Per function: where the ranges of its arguments begin, with that of its result behind them.
    first: Column<FuncId, u32>,
    ranges: Vec<Range>,
}

/// `CallRanges::first` of functions of which nothing is known.
const OPEN: u32 = u32::MAX;

impl CallRanges {
    /// What all calls of a function pass as an argument of 32 bits.
    pub fn argument(&self, func: FuncId, k: u32) -> Range {
        self.row(func, k)
    }

    /// What all calls of a function of so many arguments get.
    pub fn result(&self, func: FuncId, arguments: usize) -> Range {
        self.row(func, arguments as u32)
    }

    fn row(&self, func: FuncId, k: u32) -> Range {
        let first = self.first.get(func).copied().filter(|&first| first != OPEN);
        first.and_then(|first| self.ranges.get((first + k) as usize)).copied().unwrap_or(Range::ALL)
    }

    /// How many of these are less than anything.
    pub fn count(&self) -> usize {
        self.ranges.iter().filter(|&&range| range != Range::ALL).count()
    }
}

/// What is known while the system is solved.
struct System<'a> {
    env: &'a Env,
    owns: &'a [(FuncId, &'a Own)],
    number: Column<FuncId, u32>,
    first: Column<FuncId, u32>,
    /// Per body: where the ranges of its phis begin.
    phis: Vec<u32>,
    ranges: Vec<Range>,
    /// How often the ends of each have moved.
    moved: Vec<[u8; 2]>,
    values: Vec<Range>,
}

/// Moves of an end after which it is widened, and after which it is anything.
const EXACT: u8 = 2;
const WIDENED: u8 = 6;
/// Sweeps that narrow what was widened.
const NARROWING: usize = 2;

/// Adds up what bodies pass and return, of all functions that there are.
pub fn solve(env: &Env, owns: &[(FuncId, &Own)]) -> CallRanges {
    let mut s = System {
        env,
        owns,
        number: Column::filled(env.funcs.len(), OPEN),
        first: Column::filled(env.funcs.len(), OPEN),
        phis: Vec::with_capacity(owns.len()),
        ranges: Vec::new(),
        moved: Vec::new(),
        values: Vec::new(),
    };
    for (k, &(func, _)) in (0..).zip(owns) {
        s.number[func] = k;
        if is_closed(env, func) {
            s.first[func] = s.ranges.len() as u32;
            s.ranges.resize(s.ranges.len() + env.funcs[func].params.len() + 1, Range::NONE);
        }
    }
    let count = s.ranges.len();
    for (_, own) in owns {
        s.phis.push(s.ranges.len() as u32);
        s.ranges.resize(s.ranges.len() + own.phis as usize, Range::NONE);
    }
    s.moved.resize(s.ranges.len(), [0; 2]);
    s.grow();
    // Without that it is the least solution.
    if s.moved.iter().flatten().any(|&moves| moves > EXACT) {
        (0..NARROWING).for_each(|_| s.narrow());
    }
    let System { first, mut ranges, .. } = s;
    ranges.truncate(count);
    // What is never called or never comes back: nothing is claimed of it.
    ranges.iter_mut().filter(|range| range.is_none()).for_each(|range| *range = Range::ALL);
    CallRanges { first, ranges }
}

impl System<'_> {
    /// The row of an unknown of a body.
    fn row(&self, body: usize, unknown: Unknown) -> Option<usize> {
        let (func, k) = match unknown {
            Unknown::Phi(k) => return Some((self.phis[body] + k) as usize),
            Unknown::Arg(func, k) => (func, k),
            Unknown::Result(func) => (func, self.env.funcs[func].params.len() as u32),
        };
        (self.first[func] != OPEN).then(|| (self.first[func] + k) as usize)
    }

    /// From nothing upwards, until all that is passed is inside.
    fn grow(&mut self) {
        let owns = self.owns;
        let mut callers: Rows<FuncId, FuncId> = Rows::default();
        let mut asked: Vec<(FuncId, FuncId)> = Vec::new();
        for &(func, own) in owns {
            asked.extend(own.nodes.iter().filter_map(|node| match *node {
                Node::Unknown(Unknown::Result(callee)) => Some((callee, func)),
                _ => None,
            }));
        }
        asked.sort_unstable();
        asked.dedup();
        callers.fill(self.env.funcs.len(), &asked);
        for &(func, own) in owns {
            for &(callee, k, range) in &own.known {
                if let Some(row) = self.row(0, Unknown::Arg(callee, k)) {
                    self.ranges[row] = self.ranges[row].join(range);
                }
            }
            if let Some(row) = self.row(0, Unknown::Result(func)) {
                self.ranges[row] = own.returned;
            }
        }
        // Arguments come from below in the source, results from above.
        let mut waits: Vec<bool> = owns.iter().map(|(_, own)| !own.flows.is_empty()).collect();
        let mut is_downwards = false;
        while waits.contains(&true) {
            for k in 0..waits.len() {
                let body = if is_downwards { k } else { waits.len() - 1 - k };
                if std::mem::take(&mut waits[body]) {
                    self.grow_by(body, &callers, &mut waits);
                }
            }
            is_downwards = !is_downwards;
        }
    }

    /// Adds what a body passes and returns, by what is known of its unknowns.
    fn grow_by(&mut self, body: usize, callers: &Rows<FuncId, FuncId>, waits: &mut [bool]) {
        let Some(&(func, own)) = self.owns.get(body) else { return };
        for &flow in &own.flows {
            let row = self.row(body, flow.to).filter(|&row| self.ranges[row] != Range::ALL);
            let Some(row) = row else { continue };
            let brought = self.evaluate(body, flow);
            if self.ranges[row].has(brought) {
                continue;
            }
            let home = if let Unknown::Arg(callee, _) = flow.to { callee } else { func };
            self.ranges[row] = self.widened(row, brought, home);
            let mut wait = |func: FuncId| {
                let body = self.number[func] as usize;
                waits[body] |= !self.owns[body].1.flows.is_empty();
            };
            match flow.to {
                Unknown::Result(_) => callers.get(func).iter().for_each(|&caller| wait(caller)),
                Unknown::Arg(..) | Unknown::Phi(_) => wait(home),
            }
        }
    }

    /// Computes what comes to an unknown.
    fn evaluate(&mut self, body: usize, flow: Flow) -> Range {
        let Some(&(_, own)) = self.owns.get(body) else { return Range::ALL };
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for node in &own.nodes[flow.first as usize..=flow.last as usize] {
            let of = |k: u32| values[(k - flow.first) as usize];
            let range = match *node {
                Node::Number(range) => range,
                Node::Unknown(unknown) => self.row(body, unknown).map_or(Range::ALL, |row| self.ranges[row]),
                Node::Two(op, a, b) => result(op, of(a), of(b)),
                Node::Either(a, b) => of(a).join(of(b)),
                Node::Restrict(pred, a, b) => restrict(of(a), pred, of(b)),
            };
            values.push(if range.is_none() { Range::NONE } else { range });
        }
        let last = values.last().copied().unwrap_or(Range::ALL);
        self.values = values;
        last
    }

    /// The range of a row with what is brought, which is more.
    fn widened(&mut self, row: usize, brought: Range, home: FuncId) -> Range {
        let before = self.ranges[row];
        let mut range = before.join(brought);
        let moves =
            [range.low < before.low, range.high > before.high].map(|moves| moves && !before.is_none());
        for (count, moves) in self.moved[row].iter_mut().zip(moves) {
            *count += u8::from(moves && *count < WIDENED);
        }
        let [low, high] = self.moved[row];
        let bounds = self.owns.get(self.number[home] as usize).map_or(&[][..], |(_, own)| &own.nodes);
        let asked = || {
            let ends = bounds.iter().filter_map(|node| match *node {
                Node::Restrict(_, _, by) => match bounds[by as usize] {
                    Node::Number(by) => Some([by.low.saturating_sub(1), by.low, by.low.saturating_add(1)]),
                    _ => None,
                },
                _ => None,
            });
            ends.flatten()
        };
        if moves[0] && low > EXACT {
            let near = asked().filter(|&x| x <= range.low).max();
            let power = if range.low >= 0 {
                0
            } else {
                -1 - (i32::MAX >> (!range.low).leading_zeros().saturating_sub(1))
            };
            range.low = if low >= WIDENED { i32::MIN } else { near.unwrap_or(i32::MIN).max(power) };
        }
        if moves[1] && high > EXACT {
            let near = asked().filter(|&x| x >= range.high).min();
            let power = if range.high <= 0 { 0 } else { i32::MAX >> (range.high.leading_zeros() - 1) };
            range.high = if high >= WIDENED { i32::MAX } else { near.unwrap_or(i32::MAX).min(power) };
        }
        range
    }

    /// What all that is inside makes is all that there can be. Of what was widened only.
    fn narrow(&mut self) {
        let is_wide = |moved: &[u8; 2]| moved.iter().any(|&moves| moves > EXACT);
        let mut next = vec![Range::NONE; self.ranges.len()];
        let owns = self.owns;
        for (body, &(func, own)) in owns.iter().enumerate() {
            for &flow in &own.flows {
                if let Some(row) = self.row(body, flow.to).filter(|&row| is_wide(&self.moved[row])) {
                    next[row] = next[row].join(self.evaluate(body, flow));
                }
            }
            for &(callee, k, range) in &own.known {
                if let Some(row) = self.row(body, Unknown::Arg(callee, k)) {
                    next[row] = next[row].join(range);
                }
            }
            if let Some(row) = self.row(body, Unknown::Result(func)) {
                next[row] = next[row].join(own.returned);
            }
        }
        for ((range, next), moved) in self.ranges.iter_mut().zip(next).zip(&self.moved) {
            *range = if is_wide(moved) { range.meet(next) } else { *range };
        }
    }
}

/// The ranges of a program's calls, as it is.
pub fn of(module: &Module) -> CallRanges {
    let look = |f: &Body| {
        let mut look = Look::new(&module.env, f);
        for (i, op) in f.ops() {
            match op {
                Op::Call => look.call(i),
                Op::Ret => look.ret(i),
                _ => {}
            }
        }
        look.finish()
    };
    let owns: Vec<(FuncId, Own)> = module.defined().map(|f| (f.func, look(f))).collect();
    let owns: Vec<(FuncId, &Own)> = owns.iter().map(|(func, own)| (*func, own)).collect();
    solve(&module.env, &owns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    const ALL: [i32; 2] = [i32::MIN, i32::MAX];

    /// The ranges of the arguments of `@f`, and that of its result.
    fn of_f(text: &str) -> Vec<[i32; 2]> {
        let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let f =
            module.defined().find(|f| module.env.names.text(module.env.funcs[f.func].name) == "f").unwrap();
        let ranges = of(&module);
        let count = module.env.funcs[f.func].params.len();
        let arguments = (0..count as u32).map(|k| ranges.argument(f.func, k));
        arguments.chain([ranges.result(f.func, count)]).map(|range| [range.low, range.high]).collect()
    }

    /// The same, of a function that calls itself with `next` where `n` compares so, and is called with `first`.
    fn recurring(linkage: &str, test: &str, next: &str, first: &str) -> [i32; 2] {
        of_f(&format!(
            "declare i32 @getint()
             define {linkage} i32 @f(i32 %n, i32 %m) {{
             entry:
               %c = icmp {test}
               br i1 %c, label %more, label %exit
             more:
               {next}
               %r = call i32 @f(i32 %o, i32 %m)
               br label %exit
             exit:
               ret i32 0
             }}
             define i32 @main() {{
             entry:
               %x = call i32 @getint()
               %v = call i32 @f(i32 {first}, i32 100)
               ret i32 %v
             }}"
        ))[0]
    }

    #[test]
    fn what_a_function_passes_to_itself_counts_as_far_as_what_it_gets_lets_it() {
        let down = "%o = sub i32 %n, 1";
        assert_eq!(recurring("internal", "sgt i32 %n, 0", down, "50"), [0, 50]);
        assert_eq!(recurring("internal", "ne i32 %n, 0", down, "50"), [0, 50]);
        assert_eq!(recurring("internal", "sgt i32 %n, 0", "%o = sdiv i32 %n, 2", "1000"), [0, 1000]);
        let up = "%o = add i32 %n, 1";
        assert_eq!(recurring("internal", "slt i32 %n, %m", up, "3"), [3, 100]);
        assert_eq!(recurring("internal", "sgt i32 %m, %n", up, "3"), [3, 100]);
        assert_eq!(recurring("internal", "ne i32 %n, 9", up, "3"), [3, 9]);
        assert_eq!(recurring("internal", "ult i32 %n, 9", up, "0"), [0, 9]);
        assert_eq!(recurring("internal", "slt i32 %n, %m", "%o = mul i32 %n, 3", "1"), [1, 297]);
    }

    #[test]
    fn what_grows_wraps_around_or_comes_from_outside_may_be_anything() {
        let (down, up) = ("%o = sub i32 %n, 1", "%o = add i32 %n, 1");
        // The test is of the other way, of nothing, or of the other argument.
        assert_eq!(recurring("internal", "sle i32 %n, 0", down, "-5"), ALL);
        assert_eq!(recurring("internal", "sgt i32 %m, 0", down, "50"), ALL);
        assert_eq!(recurring("internal", "sgt i32 %n, 0", up, "3"), ALL);
        // It steps over the only number that ends it.
        assert_eq!(recurring("internal", "ne i32 %n, 9", "%o = add i32 %n, 2", "4"), ALL);
        assert_eq!(recurring("internal", "sgt i32 %n, 0", "%o = mul i32 %n, 3", "1"), ALL);
        for linkage in ["", "weak"] {
            assert_eq!(recurring(linkage, "sgt i32 %n, 0", down, "50"), ALL);
        }
        for first in ["%x", "undef"] {
            assert_eq!(recurring("internal", "sgt i32 %n, 0", down, first), ALL);
        }
    }

    /// What `@f` gets and returns, which `@main` calls in such a way.
    fn called(result: &str, body: &str) -> [[i32; 2]; 2] {
        let all = of_f(&format!(
            "declare i32 @getint()
             define internal i32 @f(i32 %n) {{
             entry:
               {result}
               ret i32 %r
             }}
             define i32 @main(i32 %p) {{
             entry:
               %x = call i32 @getint()
               {body}
             exit:
               ret i32 0
             }}"
        ));
        [all[0], all[1]]
    }

    #[test]
    fn results_are_known_where_operations_bound_them() {
        let plain = "%v = call i32 @f(i32 3)\n%w = call i32 @f(i32 10)\n br label %exit";
        assert_eq!(called("%r = add i32 %n, 1", plain), [[3, 10], [4, 11]]);
        let unknown = "%v = call i32 @f(i32 %x)\n br label %exit";
        assert_eq!(called("%r = srem i32 %n, 10", unknown), [ALL, [-9, 9]]);
        assert_eq!(called("%r = and i32 255, %n", unknown), [ALL, [0, 255]]);
        assert_eq!(called("%r = add i32 %n, 0", unknown), [ALL, ALL]);
        // What another call has returned.
        let chain = "%y = srem i32 %x, 10\n%z = and i32 %y, 7\n%v = call i32 @f(i32 %z)\n\
                     %u = srem i32 %v, 3\n%w = call i32 @f(i32 %u)\n br label %exit";
        assert_eq!(called("%r = mul i32 %n, 2", chain), [[0, 7], [0, 14]]);
        let wraps = "%v = call i32 @f(i32 2147483647)\n%w = call i32 @f(i32 3)\n br label %exit";
        assert_eq!(called("%r = add i32 %n, 1", wraps), [[3, i32::MAX], ALL]);
    }

    #[test]
    fn branches_above_narrow_what_is_passed_over_loops_but_not_over_joins() {
        let body = |into: &str, back: &str, ends: &str| {
            let text = format!(
                "%c = icmp sgt i32 %x, 5
                 br i1 %c, label %{into}, label %other
               other:
                 br label %{back}
               head:
                 %i = phi i32 [ 0, %entry ], [ %j, %latch ] {ends}
                 %d = icmp slt i32 %i, 8
                 br i1 %d, label %body, label %exit
               body:
                 %v = call i32 @f(i32 %x)
                 %g = call i32 @getint()
                 %h = icmp slt i32 %g, 8
                 br i1 %h, label %left, label %latch
               left:
                 br label %latch
               latch:
                 %j = add i32 %i, 1
                 br label %head"
            );
            called("%r = add i32 %n, 1", &text)[0]
        };
        assert_eq!(body("head", "exit", ""), [6, i32::MAX]);
        assert_eq!(body("head", "head", ", [ 0, %other ]"), ALL);
        // The loop has a second way in.
        let text = |to: &str| {
            format!(
                "%c = icmp sgt i32 %x, 5
                 br i1 %c, label %head, label %other
               other:
                 br label %{to}
               head:
                 %v = call i32 @f(i32 %x)
                 br label %latch
               latch:
                 %d = icmp slt i32 %x, 8
                 br i1 %d, label %head, label %exit"
            )
        };
        assert_eq!(called("%r = add i32 %n, 1", &text("exit"))[0], [6, i32::MAX]);
        assert_eq!(called("%r = add i32 %n, 1", &text("latch"))[0], ALL);
    }

    #[test]
    fn counters_of_loops_are_as_their_tests_say() {
        let text = |test: &str, step: &str| {
            format!(
                "br label %head
               head:
                 %i = phi i32 [ 2, %entry ], [ %j, %body ]
                 %d = icmp {test}
                 br i1 %d, label %body, label %exit
               body:
                 %v = call i32 @f(i32 %i)
                 %j = add i32 %i, {step}
                 br label %head"
            )
        };
        let of = |test: &str, step: &str| called("%r = add i32 %n, 1", &text(test, step))[0];
        assert_eq!(of("slt i32 %i, 1000", "1"), [2, 999]);
        assert_eq!(of("slt i32 %i, %x", "1"), [2, i32::MAX - 1]);
        assert_eq!(of("slt i32 %i, %x", "2"), [i32::MIN, i32::MAX - 1]);
        assert_eq!(of("sgt i32 %i, 0", "-1"), [1, 2]);
        assert_eq!(of("ne i32 %i, %x", "1"), ALL);
    }

    #[test]
    fn halves_of_an_interval_stay_in_it() {
        let have = of_f(
            "define internal i32 @f(i32 %l, i32 %r) {
             entry:
               %c = icmp sge i32 %l, %r
               br i1 %c, label %exit, label %more
             more:
               %s = add i32 %l, %r
               %m = sdiv i32 %s, 2
               %x = call i32 @f(i32 %l, i32 %m)
               %n = add i32 %m, 1
               %y = call i32 @f(i32 %n, i32 %r)
               br label %exit
             exit:
               ret i32 1
             }
             define i32 @main() {
               %v = call i32 @f(i32 0, i32 999)
               ret i32 %v
             }",
        );
        assert_eq!(have, [[0, 999], [0, 999], [1, 1]]);
    }

    #[test]
    fn functions_that_call_each_other_are_looked_at_together() {
        let have = |step: &str| {
            of_f(&format!(
                "define internal i32 @g(i32 %n) {{
                 entry:
                   %m = add i32 %n, {step}
                   %x = call i32 @f(i32 %m)
                   ret i32 %x
                 }}
                 define internal i32 @f(i32 %n) {{
                 entry:
                   %c = icmp sgt i32 %n, 1
                   br i1 %c, label %more, label %exit
                 more:
                   %m = sub i32 %n, 2
                   %x = call i32 @g(i32 %m)
                   ret i32 %x
                 exit:
                   ret i32 %n
                 }}
                 define i32 @main() {{
                   %v = call i32 @g(i32 20)
                   ret i32 %v
                 }}"
            ))
        };
        assert_eq!(have("1"), [[1, 21], [1, 1]]);
        assert_eq!(have("2"), [[22, 22], ALL]);
        assert_eq!(have("3"), [ALL, [i32::MIN, 1]]);
    }
}
