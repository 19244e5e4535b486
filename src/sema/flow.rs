//! Which variables have no value yet, followed along the ways through a body; and loops that nothing ends. Runs
//! where a warning asks for it (`-Wall`), behind the sweep that gives names their symbols.
//!
//! One more sweep over the rows. Control is structured, so a state by variable with an undo log by open branch
//! is all there is: an arm is undone where the other begins, and both are joined at the end. O(rows + changes).
//! A loop needs no second round: a variable only ever gets a value, so what it may lack at the loop's head is what
//! it lacked in front of it.
//!
//! | warning | says |
//! | --- | --- |
//! | `uninitialized` | no way here gives a value, be it in the first round of a loop |
//! | `sometimes-uninitialized` | there is a branch behind which it is certainly read without one |
//! | `conditional-uninitialized` | some ways give none, but perhaps none of those is ever gone |
//!
//! The second is what clang means by that name: from where the branches meet, nothing leads away from the use.

use super::checker::Checker;
use super::symbol::{Sym, SymbolKind};
use super::ty::Class;
use super::warning::Warning;
use crate::base::Handle;
use crate::syntax::tree::{Node, NodeKind};

/// What is known of a variable.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Value {
    /// It has one, or is not followed.
    Some,
    /// It has none, since this place.
    None(Place),
    /// It has none behind a branch: where the ways met, the condition, and what that was on the way without.
    Without(Place, Node, bool),
    /// It may have none.
    Perhaps,
}

/// A place in the structure of a body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Place {
    /// Open branches.
    depth: u32,
    /// Jumps before it.
    jumps: u32,
    /// The innermost loop, and how many are open.
    in_loop: Node,
    loops: u32,
}

/// An `if` that is open.
struct Branch {
    condition: Node,
    /// Its part of the log.
    log: usize,
    /// Its part of `Flow::ends`, once there is an `else`.
    ends: usize,
    entry: bool,
    then_end: bool,
    has_else: bool,
    truth: Option<bool>,
}

/// A loop that is open.
struct Loop {
    start: Node,
    condition: Node,
    /// Outside of it.
    outer: Place,
    log: usize,
    entry: bool,
    truth: Option<bool>,
    /// A `do`: its body is gone through at least once.
    is_do: bool,
    /// Ways out by `break`. Of a `do` with those to its condition by `continue`; by variable that has a value
    /// there: how often.
    breaks: u32,
    ways: u32,
    given: Vec<(u32, u32)>,
}

/// The last rows that did something, plus one.
#[derive(Default)]
struct Last {
    call: usize,
    leave: usize,
    global: usize,
    element: usize,
}

/// Tables that are used again.
#[derive(Default)]
pub(super) struct Flow {
    /// Per parameter and then local variable: its value, and the last row that gave it one, plus one.
    values: Vec<Value>,
    written: Vec<u32>,
    /// Values that were replaced.
    log: Vec<(u32, Value)>,
    /// What arms left behind.
    ends: Vec<(u32, Value)>,
    /// Per variable: what `if_ends` knows of it; 0 between two.
    seen: Vec<u32>,
}

/// The sweep.
struct Sweep {
    flow: Box<Flow>,
    branches: Vec<Branch>,
    loops: Vec<Loop>,
    last: Last,
    here: Place,
    reachable: bool,
    /// Statements that are not reached are looked for; those here were reported, or are so by a constant.
    watches: bool,
    told: bool,
    /// What was last passed over: a jump, or a loop that does not end.
    ended: Node,
}

/// Variables of a condition that are looked at, and changes that a `break` looks at.
const WATCHED: usize = 64;
const CHANGES: usize = 256;

impl Sweep {
    fn set(&mut self, var: u32, value: Value) {
        if let Some(slot) = self.flow.values.get_mut(var as usize)
            && *slot != value
        {
            self.flow.log.push((var, std::mem::replace(slot, value)));
        }
    }

    fn value(&self, var: u32) -> Value {
        self.flow.values.get(var as usize).copied().unwrap_or(Value::Some)
    }

    /// Undoes what was logged from `log` on.
    fn undo(&mut self, log: usize) {
        while self.flow.log.len() > log {
            let Some((var, old)) = self.flow.log.pop() else { return };
            self.flow.values[var as usize] = old;
        }
    }

    /// Undoes likewise, and keeps in `ends` what the variables had.
    fn undo_into_ends(&mut self, log: usize) {
        for k in log..self.flow.log.len() {
            let var = self.flow.log[k].0;
            self.flow.ends.push((var, self.value(var)));
        }
        self.undo(log);
    }

    /// A value where two ways meet: on one of them the condition held.
    fn joined(&self, held: Value, failed: Value, condition: Node) -> Value {
        // Where it certainly has none, all that follows reads nothing.
        let met = |value: Value| match value {
            Value::Without(place, node, way) if place.jumps == self.here.jumps => {
                let depth = place.depth.min(self.here.depth);
                Value::Without(Place { depth, ..place }, node, way)
            }
            _ => Value::Perhaps,
        };
        match (held, failed) {
            (Value::Some, Value::Some) => Value::Some,
            (Value::None(place), Value::None(_)) => Value::None(place),
            (_, Value::None(_)) => Value::Without(self.here, condition, false),
            (Value::None(_), _) => Value::Without(self.here, condition, true),
            (Value::Some, other) | (other, Value::Some) => met(other),
            (one, _) => met(one),
        }
    }

    fn if_begins(&mut self, condition: Node, truth: Option<bool>) {
        let (log, ends, entry) = (self.flow.log.len(), self.flow.ends.len(), self.reachable);
        self.branches.push(Branch { condition, log, ends, entry, then_end: false, has_else: false, truth });
        self.here.depth += 1;
        self.reachable &= truth != Some(false);
    }

    fn else_begins(&mut self) {
        let Some(branch) = self.branches.last_mut() else { return };
        (branch.then_end, branch.has_else) = (self.reachable, true);
        self.reachable = branch.entry && branch.truth != Some(true);
        let log = branch.log;
        self.undo_into_ends(log);
    }

    fn if_ends(&mut self) {
        let Some(branch) = self.branches.pop() else { return };
        self.here.depth -= 1;
        // What the last arm left; then the values are again those in front of it.
        let middle = self.flow.ends.len();
        let last_end = self.reachable;
        self.undo_into_ends(branch.log);
        let (then_end, else_end) = match branch.has_else {
            true => (branch.then_end, last_end),
            false => (last_end, branch.entry && branch.truth != Some(true)),
        };
        let all = branch.ends..self.flow.ends.len();
        let (held, failed) = match branch.has_else {
            true => (branch.ends..middle, middle..all.end),
            false => (middle..all.end, 0..0),
        };
        self.reachable = then_end || else_end;
        // Per variable: the row of the second arm's value, plus one; `DONE` once both are joined.
        const DONE: u32 = u32::MAX;
        for k in failed.clone() {
            self.flow.seen[self.flow.ends[k].0 as usize] = k as u32 + 1;
        }
        for k in held.chain(failed) {
            let (var, value) = self.flow.ends[k];
            let before = self.value(var);
            let (held, failed) = match self.flow.seen[var as usize] {
                DONE => continue,
                0 => (value, before),
                row if row == k as u32 + 1 => (before, value),
                row => (value, self.flow.ends[row as usize - 1].1),
            };
            self.flow.seen[var as usize] = DONE;
            let joined = match (then_end, else_end) {
                (true, true) => self.joined(held, failed, branch.condition),
                (true, false) => held,
                (false, true) => failed,
                (false, false) => Value::Some,
            };
            self.set(var, joined);
        }
        for k in all {
            self.flow.seen[self.flow.ends[k].0 as usize] = 0;
        }
        self.flow.ends.truncate(branch.ends);
    }

    fn loop_begins(&mut self, start: Node, is_do: bool) {
        self.loops.push(Loop {
            start,
            condition: start,
            outer: self.here,
            log: self.flow.log.len(),
            entry: self.reachable,
            truth: None,
            is_do,
            breaks: 0,
            ways: 0,
            given: Vec::new(),
        });
        self.here.depth += 1;
        self.here.loops += 1;
        self.here.in_loop = start;
    }

    /// A way past the rest of the innermost loop's body: out of it, or to what stands behind the body.
    fn leaves(&mut self, breaks: bool) {
        let (reachable, values) = (self.reachable, &self.flow.values);
        let Some(inner) = self.loops.last_mut().filter(|open| reachable && (breaks || open.is_do)) else {
            return;
        };
        inner.breaks += u32::from(breaks);
        inner.ways += 1;
        let (ways, changed) = (inner.ways, &self.flow.log[inner.log..]);
        for &(var, _) in changed.iter().take(CHANGES) {
            if values[var as usize] == Value::Some {
                match inner.given.iter_mut().find(|given| given.0 == var) {
                    Some(given) => given.1 += u32::from(given.1 + 1 == ways),
                    None => inner.given.push((var, u32::from(ways == 1))),
                }
            }
        }
    }

    fn loop_ends(&mut self) -> Option<Loop> {
        let mut done = self.loops.pop()?;
        self.here.depth = done.outer.depth;
        self.here.loops = done.outer.loops;
        self.here.in_loop = done.outer.in_loop;
        let endless = done.truth == Some(true);
        let many = self.flow.log.len() - done.log > CHANGES;
        if done.is_do && done.ways == 0 {
            // There is one way through, and what it gave a value has one.
            self.reachable &= !endless;
            return Some(done);
        }
        let middle = self.flow.ends.len();
        let last_end = self.reachable;
        self.undo_into_ends(done.log);
        // What only ways out by `break` gave a value.
        self.flow.ends.extend(done.given.iter().map(|given| (given.0, Value::Some)));
        for k in middle..self.flow.ends.len() {
            let var = self.flow.ends[k].0;
            let before = self.value(var);
            // Without a round there is no value; behind an endless loop, what all ways out have.
            let everywhere = many || done.given.contains(&(var, done.ways));
            let through = endless || done.is_do && (!last_end || self.flow.ends[k].1 == Value::Some);
            let has_one = before == Value::Some || everywhere && through;
            self.set(var, if has_one { Value::Some } else { Value::Perhaps });
        }
        self.flow.ends.truncate(middle);
        self.reachable = match done.is_do {
            true => last_end && !endless || done.breaks > 0,
            false => done.entry && (!endless || done.breaks > 0),
        };
        done.given = Vec::new();
        Some(done)
    }
}

impl Checker<'_> {
    /// Follows the body that was swept.
    pub(super) fn follow(&mut self, function: Sym) {
        let wanted = [
            Warning::SometimesUninitialized,
            Warning::ConditionalUninitialized,
            Warning::InfiniteLoop,
            Warning::AggressiveLoopOptimizations,
            Warning::UnreachableCode,
        ];
        if !wanted.iter().any(|&warning| self.warns(warning)) {
            return;
        }
        let params = self.symbol(function).data as usize;
        let mut flow = self.flow.take().unwrap_or_default();
        flow.values.clear();
        flow.values.resize(params + self.own.symbols.len(), Value::Some);
        flow.written.clear();
        flow.written.resize(flow.values.len(), 0);
        flow.seen.clear();
        flow.seen.resize(flow.values.len(), 0);
        flow.log.clear();
        flow.ends.clear();
        let start = Node::new(0);
        let here = Place { depth: 0, jumps: 0, in_loop: start, loops: 0 };
        let (branches, loops, last) = (Vec::new(), Vec::new(), Last::default());
        let watches = self.warns(Warning::UnreachableCode);
        let (reachable, told, ended) = (true, false, start);
        let mut sweep = Sweep { flow, branches, loops, last, here, reachable, watches, told, ended };
        for n in (1..self.input.tree.len()).map(Node::new) {
            if sweep.watches {
                self.unreached(&mut sweep, n);
            }
            self.follow_row(&mut sweep, n, function, params);
        }
        self.flow = Some(sweep.flow);
    }

    /// Warns of the first statement behind what is never passed.
    fn unreached(&mut self, s: &mut Sweep, n: Node) {
        s.told &= !s.reachable;
        let first = match self.kind(n) {
            NodeKind::Assign | NodeKind::ExprStmt | NodeKind::Decl => self.input.tree.first(n),
            NodeKind::IfStart | NodeKind::WhileStart | NodeKind::DoStart => n,
            // The step of a loop is no statement of its own.
            NodeKind::StepStart => {
                s.told = true;
                return;
            }
            _ => return,
        };
        if !s.reachable && !std::mem::replace(&mut s.told, true) {
            let warning = Warning::UnreachableCode.at(self.at(first), "this is never executed");
            let what = match self.kind(s.ended) {
                NodeKind::While | NodeKind::For | NodeKind::Do => "this loop never ends",
                NodeKind::If => "neither way goes on behind this",
                _ => "nothing comes past this",
            };
            let ended = self.at(s.ended);
            self.diags.push(warning.secondary(ended, what));
        }
    }

    /// The row of a parameter or local variable in the tables.
    fn var_of(&self, sym: Sym, function: Sym, params: usize) -> Option<u32> {
        let local = sym.index().checked_sub(self.own.symbol_base).map(|k| k + params);
        let param = || (sym.index().checked_sub(function.index() + 1)).filter(|&k| k < params);
        local.or_else(param).map(|k| k as u32)
    }

    fn follow_row(&mut self, s: &mut Sweep, n: Node, function: Sym, params: usize) {
        let var_of = |checker: &Self, sym| checker.var_of(sym, function, params);
        match self.kind(n) {
            NodeKind::Declarator => {
                if let Some(sym) =
                    self.symbol_of(n).filter(|&sym| self.symbol(sym).kind == SymbolKind::LocalVar)
                    && let Some(var) = var_of(self, sym)
                {
                    s.set(var, Value::None(s.here));
                }
            }
            NodeKind::VarDef if self.kind(self.before(n)) != NodeKind::Declarator => {
                if let Some(var) = self.symbol_of(n).and_then(|sym| var_of(self, sym)) {
                    s.set(var, Value::Some);
                }
            }
            NodeKind::Name => {
                let Some(sym) = self.symbol_of(n) else { return };
                let Some(var) = var_of(self, sym) else { return };
                let next = self.next_kind(n);
                if self.symbol(sym).ty.is_array() {
                    // As a whole it is an argument, and may be given values there; or a tensor.
                    if self.class(n) == Class::Tensor && next != Some(NodeKind::AssignStart) {
                        self.read(s, n, sym, var);
                    } else if next != Some(NodeKind::IndexStart) {
                        s.set(var, Value::Some);
                    }
                } else if next != Some(NodeKind::AssignStart) {
                    self.read(s, n, sym, var);
                }
            }
            NodeKind::Index => {
                let Some(next) = self.next_kind(n).filter(|&next| next != NodeKind::IndexStart) else {
                    return;
                };
                let Some(sym) = self.base_of(n) else { return };
                let Some(var) = var_of(self, sym) else { return };
                if matches!(self.class(n), Class::IntArray | Class::FloatArray) {
                    s.set(var, Value::Some);
                } else if next != NodeKind::AssignStart {
                    self.read(s, n, sym, var);
                }
            }
            NodeKind::Assign => {
                let target = self.before(self.elder(self.before(n)));
                if self.kind(target) == NodeKind::Index {
                    s.last.element = n.index();
                }
                let Some(sym) = self.base_of(target) else { return };
                match var_of(self, sym) {
                    Some(var) => {
                        s.set(var, Value::Some);
                        s.flow.written[var as usize] = n.index() as u32;
                    }
                    None => s.last.global = n.index(),
                }
            }
            NodeKind::Call => s.last.call = n.index(),
            NodeKind::AndLhs | NodeKind::OrLhs => s.here.depth += 1,
            NodeKind::And | NodeKind::Or => s.here.depth -= 1,
            NodeKind::IfCond => {
                let condition = self.before(n);
                let truth = self.constant(condition).map(|value| value.is_true());
                s.told |= truth == Some(false);
                s.if_begins(condition, truth);
            }
            NodeKind::ElseStart => {
                s.told |= s.branches.last().is_some_and(|branch| branch.entry && branch.truth == Some(true));
                s.else_begins();
            }
            NodeKind::If => {
                s.if_ends();
                if !s.reachable {
                    s.ended = n;
                }
            }
            NodeKind::Old => {
                let target = self.before(self.before(n));
                if let Some(sym) = self.base_of(target)
                    && let Some(var) = var_of(self, sym)
                {
                    self.read(s, target, sym, var);
                }
            }
            NodeKind::WhileStart | NodeKind::ForStart => s.loop_begins(n, false),
            NodeKind::DoStart => s.loop_begins(n, true),
            NodeKind::StepStart => {
                s.reachable |= s.loops.last().is_some_and(|open| open.is_do && open.ways > open.breaks);
            }
            NodeKind::DoCond => {
                let condition = self.before(n);
                let truth = self.constant(condition).map(|value| value.is_true());
                if let Some(open) = s.loops.last_mut() {
                    (open.condition, open.truth) = (condition, truth);
                }
            }
            NodeKind::WhileCond => {
                let condition = self.before(n);
                let truth = self.constant(condition).map(|value| value.is_true());
                s.told |= truth == Some(false);
                s.reachable &= truth != Some(false);
                if let Some(open) = s.loops.last_mut() {
                    (open.condition, open.truth) = (condition, truth);
                }
            }
            NodeKind::While | NodeKind::For | NodeKind::Do => {
                if let Some(done) = s.loop_ends() {
                    self.endless(s, n, &done, function, params);
                    if done.entry && !done.is_do {
                        self.rounds(n, done.condition);
                    }
                }
                s.ended = n;
            }
            NodeKind::Break | NodeKind::Continue | NodeKind::Return => {
                match self.kind(n) {
                    NodeKind::Break => s.leaves(true),
                    NodeKind::Continue => s.leaves(false),
                    NodeKind::Return => s.last.leave = n.index(),
                    _ => {}
                }
                s.here.jumps += 1;
                s.reachable = false;
                s.ended = n;
            }
            _ => {}
        }
    }

    /// A variable is read.
    fn read(&mut self, s: &mut Sweep, n: Node, sym: Sym, var: u32) {
        if !s.reachable {
            return;
        }
        let is_array = self.symbol(sym).ty.is_array();
        let what =
            if is_array { "is read before any element has a value" } else { "is read before it has a value" };
        match s.value(var) {
            Value::Some => {}
            Value::None(since) if since.in_loop == s.here.in_loop => {
                self.report_uninitialized(sym, self.at_base(n), what);
            }
            // In the first round of a loop, if nothing leads around it.
            Value::None(since) => {
                let inner = s.loops.last().map(|open| open.outer);
                let first = inner.is_some_and(|outer| {
                    since.in_loop == outer.in_loop
                        && s.here.depth == outer.depth + 1
                        && s.here.jumps == outer.jumps
                });
                if first {
                    let what = format!("{what}, in the first round of the loop");
                    self.report_uninitialized(sym, self.at_base(n), &what);
                } else if !is_array {
                    self.perhaps(n, sym, None);
                }
            }
            _ if is_array => {}
            Value::Without(met, condition, way) => {
                let certain = s.here.depth <= met.depth && s.here.jumps == met.jumps;
                self.perhaps(n, sym, certain.then_some((condition, way)));
            }
            Value::Perhaps => self.perhaps(n, sym, None),
        }
    }

    /// The place of the name that a subscripted variable begins with.
    fn at_base(&self, n: Node) -> crate::source::Span {
        if self.kind(n) == NodeKind::Index { self.span(n) } else { self.at(n) }
    }

    /// Warns once a variable that it may have no value.
    fn perhaps(&mut self, n: Node, sym: Sym, branch: Option<(Node, bool)>) {
        let warning = match branch {
            Some(_) => Warning::SometimesUninitialized,
            None => Warning::ConditionalUninitialized,
        };
        if !self.warns(warning) || self.flag(sym, super::checker::REPORTED) {
            return;
        }
        let text = self.text(sym);
        let message = format!("'{text}' may be read before it has a value");
        let mut diagnostic = warning.at(self.at(n), message);
        if let Some((condition, way)) = branch {
            let label = format!("if this is {way}, nothing has given '{text}' a value");
            diagnostic = diagnostic.secondary(self.span(condition), label);
        }
        let diagnostic = self.with_first_value(diagnostic, sym);
        self.report_about(diagnostic, sym);
    }

    /// A loop is complete: can it end?
    fn endless(&mut self, s: &Sweep, n: Node, done: &Loop, function: Sym, params: usize) {
        let start = done.start.index();
        let empty = self.kind(self.before(n)) == NodeKind::Empty;
        if !self.warns(Warning::InfiniteLoop)
            || !done.entry
            || done.truth == Some(false)
            || done.breaks > 0
            || s.last.leave > start
            || (empty || done.is_do) && done.truth.is_none()
        {
            return;
        }
        let calls = s.last.call > start;
        if done.truth == Some(true) {
            if !calls && s.last.global <= start {
                let message = "this loop never ends, and has no effect";
                let warning = Warning::InfiniteLoop.at(self.at(n), message);
                self.diags.push(warning.note("nothing in it is printed, returned or breaks out of it"));
            }
            return;
        }
        let first = self.input.tree.first(done.condition).index();
        let rows = first..=done.condition.index();
        if rows.clone().count() > WATCHED {
            return;
        }
        for row in rows.map(Node::new) {
            let changes = match self.kind(row) {
                NodeKind::Call | NodeKind::Error => true,
                NodeKind::Index => calls || s.last.element > start,
                NodeKind::Name => match self.symbol_of(row) {
                    Some(sym) => match self.var_of(sym, function, params) {
                        Some(var) => s.flow.written[var as usize] as usize > start,
                        None => !self.symbol(sym).is_const() && (calls || s.last.global > start),
                    },
                    None => true,
                },
                _ => false,
            };
            if changes {
                return;
            }
        }
        let message = "this loop never ends once it is entered: nothing in it changes its condition";
        let warning = Warning::InfiniteLoop.at(self.span(done.condition), message);
        self.diags.push(warning);
    }
}
