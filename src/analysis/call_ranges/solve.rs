//! Solves the system of what bodies pass and return: from nothing upwards, widened where it goes on growing, and
//! narrowed again.

use super::memory::at_first;
use super::{CallRanges, Flow, Node, OPEN, Own, Unknown, is_closed};
use crate::analysis::range::{Range, restrict, result};
use crate::base::{Column, Handle, Opt, Rows};
use crate::ir::{Env, FuncId, GlobalId, Op};
use std::collections::BTreeSet;

/// What is known while the system is solved.
struct System<'a> {
    env: &'a Env,
    owns: &'a [(FuncId, &'a Own)],
    number: Column<FuncId, u32>,
    first: Column<FuncId, u32>,
    /// Where the ranges of globals begin,
    memory: u32,
    /// and per body those of its phis.
    phis: Vec<u32>,
    ranges: Vec<Range>,
    /// What globals hold at the start.
    held: Vec<Range>,
    /// How often the ends of each have moved.
    moved: Vec<[u8; 2]>,
    values: Vec<Range>,
}

/// Moves of an end after which it is widened, after which that is only to what is asked, and after which it is anything.
const EXACT: u8 = 2;
const WIDENED: u8 = 6;
const ASKED: u8 = 8;
/// Sweeps that narrow what was widened.
const NARROWING: usize = 2;

/// Adds up what bodies pass and return, of all functions that there are.
pub fn solve(env: &Env, owns: &[(FuncId, &Own)]) -> CallRanges {
    let mut s = System {
        env,
        owns,
        number: Column::filled(env.funcs.len(), OPEN),
        first: Column::filled(env.funcs.len(), OPEN),
        memory: 0,
        phis: Vec::with_capacity(owns.len()),
        ranges: Vec::new(),
        held: Vec::new(),
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
    s.memory = count as u32;
    let is_open = owns.iter().any(|(_, own)| own.is_open);
    s.ranges
        .extend(env.globals.keys().map(|global| if is_open { Range::ALL } else { at_first(env, global) }));
    for address in env.globals.iter().flat_map(|(_, row)| &row.image.addresses) {
        s.ranges[count + address.to.index()] = Range::ALL;
    }
    s.held = s.ranges[count..].to_vec();
    let behind = s.ranges.len();
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
    ranges.truncate(behind);
    // What is never called or never comes back: nothing is claimed of it.
    ranges.iter_mut().filter(|range| range.is_none()).for_each(|range| *range = Range::ALL);
    let mut memory = ranges.split_off(count);
    memory.truncate(memory.iter().rposition(|&range| range != Range::ALL).map_or(0, |last| last + 1));
    CallRanges { first, ranges, memory: Column::from(memory) }
}

impl System<'_> {
    /// The row of an unknown of a body.
    fn row(&self, body: usize, unknown: Unknown) -> Option<usize> {
        let (func, k) = match unknown {
            Unknown::Phi(k) => return Some((self.phis[body] + k) as usize),
            Unknown::Memory(global) => return Some(self.memory as usize + global.index()),
            Unknown::Arg(func, k) | Unknown::Stored(func, k) => (func, k),
            Unknown::Result(func) => (func, self.env.funcs[func].params.len() as u32),
        };
        (self.first[func] != OPEN).then(|| (self.first[func] + k) as usize)
    }

    /// What comes to rows and depends on nothing.
    fn known(&self, mut take: impl FnMut(usize, Range)) {
        for (body, &(func, own)) in self.owns.iter().enumerate() {
            let passed = own.known.iter().map(|&(callee, k, range)| (Unknown::Arg(callee, k), range));
            let stored = own.stored.iter().map(|&(global, range)| (Unknown::Memory(global), range));
            let stored_by = own.stored_by.iter().map(|&(k, range)| (Unknown::Stored(func, k), range));
            let returned = [(Unknown::Result(func), own.returned)];
            for (to, range) in passed.chain(stored).chain(stored_by).chain(returned) {
                if let Some(row) = self.row(body, to) {
                    take(row, range);
                }
            }
        }
    }

    /// From nothing upwards, until all that is passed is inside.
    fn grow(&mut self) {
        let owns = self.owns;
        let mut callers: Rows<FuncId, FuncId> = Rows::default();
        let mut readers: Rows<GlobalId, FuncId> = Rows::default();
        let (mut asked, mut read) = (Vec::new(), Vec::new());
        // The last that asked: each is noted once.
        let mut asked_by = Column::filled(self.env.funcs.len(), Opt::NONE);
        let mut read_by = Column::filled(self.env.globals.len(), Opt::NONE);
        for &(func, own) in owns {
            let is_new = |by: &mut Opt<FuncId>| std::mem::replace(by, Opt::some(func)) != Opt::some(func);
            for node in &own.nodes {
                match *node {
                    Node::Unknown(Unknown::Result(callee) | Unknown::Stored(callee, _)) => {
                        asked.extend(is_new(&mut asked_by[callee]).then_some((callee, func)));
                    }
                    Node::Unknown(Unknown::Memory(global)) => {
                        read.extend(is_new(&mut read_by[global]).then_some((global, func)));
                    }
                    _ => {}
                }
            }
        }
        callers.fill(self.env.funcs.len(), &asked);
        readers.fill(self.env.globals.len(), &read);
        let mut ranges = std::mem::take(&mut self.ranges);
        self.known(|row, range| ranges[row] = ranges[row].join(range));
        self.ranges = ranges;
        // Arguments come from below in the source, results from above. (Sweeps over the flags of all bodies were quadratic where one
        // body at a time waits: 8,000 of them for a chain of 4,000 functions.)
        let has_flows = |&body: &usize| !owns[body].1.flows.is_empty();
        let mut waits: BTreeSet<usize> = (0..owns.len()).filter(has_flows).collect();
        let mut is_downwards = false;
        while !waits.is_empty() {
            let mut at = if is_downwards { 0 } else { owns.len() };
            while let Some(body) =
                if is_downwards { waits.range(at..).next() } else { waits.range(..at).next_back() }.copied()
            {
                waits.remove(&body);
                self.grow_by(body, (&callers, &readers), &mut waits);
                at = if is_downwards { body + 1 } else { body };
            }
            is_downwards = !is_downwards;
        }
    }

    /// Adds what a body passes and returns, by what is known of its unknowns.
    fn grow_by(
        &mut self,
        body: usize,
        (callers, readers): (&Rows<FuncId, FuncId>, &Rows<GlobalId, FuncId>),
        waits: &mut BTreeSet<usize>,
    ) {
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
                if !self.owns[body].1.flows.is_empty() {
                    waits.insert(body);
                }
            };
            match flow.to {
                Unknown::Result(_) | Unknown::Stored(..) => {
                    callers.get(func).iter().for_each(|&caller| wait(caller));
                }
                Unknown::Memory(global) => readers.get(global).iter().for_each(|&reader| wait(reader)),
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
            *count += u8::from(moves && *count < ASKED);
        }
        let [low, high] = self.moved[row];
        let bounds = self.owns.get(self.number[home] as usize).map_or(&[][..], |(_, own)| &own.nodes);
        let asked = || {
            let ends = bounds.iter().filter_map(|node| match *node {
                Node::Restrict(_, _, by) => match bounds[by as usize] {
                    Node::Number(by) => Some([by.low.saturating_sub(1), by.low, by.low.saturating_add(1)]),
                    _ => None,
                },
                // What is added up and reduced again: `(c[i] + c[j]) % m`.
                Node::Two(Op::SRem, _, by) => match bounds[by as usize] {
                    Node::Number(by) => by.single().map(|by| by.saturating_abs().saturating_sub(1)),
                    _ => None,
                }
                .map(|most| [-most, 0, most]),
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
            let near = near.unwrap_or(i32::MIN);
            range.low = match low < WIDENED {
                true => near.max(power),
                false if low < ASKED => near,
                false => i32::MIN,
            };
        }
        if moves[1] && high > EXACT {
            let near = asked().filter(|&x| x >= range.high).min();
            let power = if range.high <= 0 { 0 } else { i32::MAX >> (range.high.leading_zeros() - 1) };
            let near = near.unwrap_or(i32::MAX);
            range.high = match high < WIDENED {
                true => near.min(power),
                false if high < ASKED => near,
                false => i32::MAX,
            };
        }
        range
    }

    /// A narrowing iteration: ranges that were widened are replaced by what the flows into them give now.
    fn narrow(&mut self) {
        let is_wide = |moved: &[u8; 2]| moved.iter().any(|&moves| moves > EXACT);
        let mut next = vec![Range::NONE; self.ranges.len()];
        let owns = self.owns;
        for (body, &(_, own)) in owns.iter().enumerate() {
            for &flow in &own.flows {
                if let Some(row) = self.row(body, flow.to).filter(|&row| is_wide(&self.moved[row])) {
                    next[row] = next[row].join(self.evaluate(body, flow));
                }
            }
        }
        self.known(|row, range| next[row] = next[row].join(range));
        for (row, range) in (self.memory as usize..).zip(&self.held) {
            next[row] = next[row].join(*range);
        }
        for ((range, next), moved) in self.ranges.iter_mut().zip(next).zip(&self.moved) {
            *range = if is_wide(moved) { range.meet(next) } else { *range };
        }
    }
}
