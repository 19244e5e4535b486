//! Ranges of the arguments and results of functions over all calls of them, and of what globals hold.
//!
//! Each body is looked at by itself: what it passes, returns and stores becomes a number, or an expression of a
//! few operations over its own parameters, results of calls, phis, and what is loaded from globals, narrowed by what
//! branches above have asked (`Own`). At the barrier these are the equations of a system whose unknowns are
//! parameters, results, those phis, and the contents of globals (`memory`). It is solved from nothing upwards: what
//! a function passes to itself counts as far as what it gets lets it pass, so at the end all calls pass what is
//! claimed if all calls do. What goes on growing is widened to what the function compares and divides with, to powers of
//! two, to anything; two more sweeps narrow that. (Jump functions: Callahan, Cooper, Kennedy and Torczon, "Interprocedural
//! constant propagation", 1986.)
//!
//! Functions that are visible outside may get anything, and globals that are may hold anything. O(instructions +
//! operations of what is passed and stored), some ten times over those at most.

use super::memory::{Base, base_of};
use super::range::{Range, restrict};
use super::ranges::{branched, comparison, number};
use crate::base::{Column, Handle, Opt};
use crate::ir::opcode::PURE;
use crate::ir::{Block, Body, Edge, Env, FuncId, GlobalId, Inst, IntPred, Module, Op, Type, Value};
use memory::{join_equal, note};
pub use solve::solve;

/// An unknown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Unknown {
    /// An argument of a function.
    Arg(FuncId, u32),
    /// What a function returns.
    Result(FuncId),
    /// A phi of the body at hand, by its number there; or a variable in memory that only it knows.
    Phi(u32),
    /// The numbers in a global.
    Memory(GlobalId),
    /// What a function stores through an argument that is an address.
    Stored(FuncId, u32),
}

/// A part of an expression; what it is made of stands before it.
#[derive(Copy, Clone, Debug, PartialEq)]
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
#[derive(Copy, Clone, Debug, PartialEq)]
struct Flow {
    to: Unknown,
    /// Its parts, of which the last one is all of it.
    first: u32,
    last: u32,
}

/// What a body passes and returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Own {
    nodes: Vec<Node>,
    /// What comes to unknowns.
    flows: Vec<Flow>,
    /// The same for ranges that depend on nothing, in order, once each.
    known: Vec<(FuncId, u32, Range)>,
    /// What it stores to globals that depends on nothing, in order, once each,
    stored: Vec<(GlobalId, Range)>,
    /// and by its own arguments.
    stored_by: Vec<(u32, Range)>,
    /// It may store anything anywhere.
    is_open: bool,
    /// What it returns that depends on nothing.
    returned: Range,
    phis: u32,
}

/// Operations of an expression one above the other, of what is passed and returned, and of what is stored.
const DEEP: u32 = 3;
const DEEP_IN_MEMORY: u32 = 5;
/// The same in the second operand of one: `a[i - 1] + a[i] * 2`.
const DEEP_AT_SECOND: u32 = 2;
/// Parts of the expressions of a body.
const MOST_NODES: usize = 500;
/// Phis that are unknowns of a body.
const MOST_PHIS: usize = 12;
/// Conditions that are looked for above what is passed, and the blocks in which.
const MOST_CONDITIONS: usize = 4;
const MOST_BLOCKS: usize = 8;
/// Blocks of a loop that is looked through.
const MOST_OF_LOOP: usize = 12;

/// What was noted last is looked through for an equal one.
const FEW: usize = 8;

/// True if all calls of a function are known, and what it does is.
fn is_closed(env: &Env, func: FuncId) -> bool {
    let row = &env.funcs[func];
    row.is_closed() && !row.variadic
}

/// Looks at what a body passes and returns.
#[derive(Debug)]
pub struct Look<'a> {
    env: &'a Env,
    f: &'a Body,
    returns: bool,
    is_closed: bool,
    own: Own,
    phis: Vec<Inst>,
    /// What holds where something is passed.
    conditions: Vec<(IntPred, Value, Value)>,
    /// Where that is, or the end of the block before it.
    at: Option<Block>,
    is_looked_up: bool,
    /// What an address has been made by last, and whether that steps over numbers of 32 bits.
    steps: (u32, bool),
}

impl<'a> Look<'a> {
    /// Begins with a body.
    pub fn new(env: &'a Env, f: &'a Body) -> Look<'a> {
        let is_closed = is_closed(env, f.func);
        let returns = is_closed && env.funcs[f.func].result == Type::I32;
        let (own, phis, conditions) = Default::default();
        let steps = (u32::MAX, true);
        Look { env, f, returns, is_closed, own, phis, conditions, at: None, is_looked_up: false, steps }
    }

    /// Has a look at a call.
    pub fn call(&mut self, i: Inst) {
        let (f, callee) = (self.f, self.f.callee(i));
        if is_closed(self.env, callee) {
            for (k, &v) in (0..).zip(f.args(i)).filter(|&(_, &v)| f.type_of(v) == Type::I32) {
                self.pass(i, Unknown::Arg(callee, k), v, DEEP);
            }
        }
        self.pass_addresses(i);
    }

    /// Has a look at a return.
    pub fn ret(&mut self, i: Inst) {
        if self.returns {
            self.pass(i, Unknown::Result(self.f.func), self.f.arg(i, 0), DEEP);
        }
        self.other(i);
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
        join_equal(&mut own.stored);
        join_equal(&mut own.stored_by);
        own.nodes.shrink_to_fit();
        own.flows.shrink_to_fit();
        own
    }

    /// Notes that a value comes to an unknown at an instruction.
    fn pass(&mut self, i: Inst, to: Unknown, v: Value, depth: u32) {
        if v.is_number() {
            return self.flow_range(to, number(self.f, v));
        }
        let b = self.f.block_of(i);
        if self.at != b {
            self.at = b;
            self.conditions.clear();
            self.is_looked_up = false;
        }
        self.flow(to, v, depth);
    }

    /// What comes to a phi.
    fn phi(&mut self, number: u32, phi: Inst) {
        let to = Unknown::Phi(number);
        if self.f.op(phi) == Op::Alloca {
            return self.variable(to, phi);
        }
        let Some(b) = self.f.block_of(phi) else { return self.flow_range(to, Range::ALL) };
        for &e in self.f.preds(b) {
            self.at = Some(self.f.edge_from(e));
            self.conditions.clear();
            self.note_condition(e);
            self.is_looked_up = false;
            self.flow(to, self.f.arg(phi, self.f.edge_slot(e)), DEEP);
        }
    }

    fn flow(&mut self, to: Unknown, v: Value, depth: u32) {
        let (first, phis) = (self.own.nodes.len(), self.phis.len());
        let last = self.narrowed(v, depth);
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
                let old = self.own.known.len().saturating_sub(FEW);
                let same = |row: &&mut (FuncId, u32, Range)| (row.0, row.1) == (func, k);
                match self.own.known[old..].iter_mut().find(same) {
                    Some(row) => row.2 = row.2.join(range),
                    None => self.own.known.push((func, k, range)),
                }
            }
            Unknown::Result(_) => self.own.returned = self.own.returned.join(range),
            Unknown::Memory(global) => note(&mut self.own.stored, global, range),
            Unknown::Stored(_, k) => note(&mut self.own.stored_by, k, range),
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

    /// A phi, or a variable in memory.
    fn unknown_of_body(&mut self, i: Inst) -> u32 {
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
            (Op::Phi, _) => self.unknown_of_body(i),
            (Op::Load, &[address]) => self.loaded(address),
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
                let second = self.narrowed(b, (depth - 1).min(DEEP_AT_SECOND));
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
    /// Per global: the range of the numbers of 32 bits in it. Empty if nothing is known of any.
    memory: Column<GlobalId, Range>,
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

    /// What is loaded from an address.
    #[inline]
    pub fn loaded(&self, f: &Body, address: Value) -> Range {
        if self.memory.is_empty() {
            return Range::ALL;
        }
        match base_of(f, address) {
            Base::Global(global) => self.memory.get(global).copied().unwrap_or(Range::ALL),
            _ => Range::ALL,
        }
    }

    /// The last function and the last global that something may be known of.
    pub fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
        (self.first.keys().last(), self.memory.keys().last())
    }

    /// Gives globals their new numbers; one that has none is gone.
    pub fn renumber(&mut self, new: &Column<GlobalId, Opt<GlobalId>>) {
        let old = std::mem::take(&mut self.memory);
        for (global, &range) in old.iter() {
            if let Some(now) = new.get(global).and_then(|now| now.get()) {
                self.memory.grow_to(now.index() + 1, Range::ALL);
                self.memory[now] = range;
            }
        }
    }

    /// How many of these are less than anything.
    pub fn count(&self) -> usize {
        let ranges = self.ranges.iter().chain(self.memory.as_slice());
        ranges.filter(|&&range| range != Range::ALL).count()
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
                _ => look.other(i),
            }
        }
        look.finish()
    };
    let owns: Vec<(FuncId, Own)> = module.defined().map(|f| (f.func, look(f))).collect();
    let owns: Vec<(FuncId, &Own)> = owns.iter().map(|(func, own)| (*func, own)).collect();
    solve(&module.env, &owns)
}

mod memory;
mod solve;
#[cfg(test)]
mod tests;
