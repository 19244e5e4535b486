//! Notes what debuggers are to be shown of variables that are promoted (`ir/debug_values`): the walk of `rename` once
//! more, over all instructions, where it is asked for. O(instructions + phis + the frontiers of all
//! stores).
//!
//! Where a variable is dead there are no phis of it, so what reaches such a block by way of its dominator need
//! not be what the variable stands for: in the iterated frontier of its stores it is unknown until it is
//! stored again.

use super::{Reaching, Scratch, Var};
use crate::analysis::Dominators;
use crate::base::graph::{FrontierScratch, Frontiers};
use crate::base::{Column, Handle, Opt, Rows};
use crate::ir::debug_values::{Shown, Text};
use crate::ir::{Block, Body, DebugValues, NO_LOC, Op, Type, Value};
use crate::opt::run::analyses::Analyses;
use said::Said;

mod said;

/// What the notes are made of.
#[derive(Default)]
struct Notes {
    text: Text,
    /// Per variable: its number among those that are shown.
    numbers: Column<Var, Opt<Var>>,
    points: Vec<(u32, u32)>,
}

impl Notes {
    fn change(&mut self, var: Var, value: Value) {
        if let Some(number) = self.numbers[var].get() {
            self.text.changes.push((number.index() as u32, Shown::Value(value)));
        }
    }
}

/// To be called between `rename` and what removes loads and stores.
#[cold]
pub(super) fn note(s: &mut Scratch, f: &mut Body, analyses: &Analyses) {
    let Analyses { dominators, frontiers, .. } = analyses;
    let mut notes = Notes::default();
    notes.numbers.grow_to(s.variables.len(), Opt::NONE);
    for &(value, number) in &f.variables {
        let var = value.as_inst().and_then(|i| s.of.get(i)?.get());
        if let Some(var) = var.filter(|&var| s.is_promoted[var]) {
            notes.numbers[var] = Opt::some(Var::new(notes.text.variables.len()));
            notes.text.variables.push(number);
        }
    }
    let unknown = unknown(s, &notes.numbers, dominators, frontiers, f.block_count());
    let mut reaching = Reaching::default();
    reaching.begin(&s.variables);
    let mut said = f.records.take().map(|records| Said::new(*records, f, analyses, &mut notes.text));
    for &b in &dominators.preorder {
        reaching.leave(dominators.level[b] as usize, |var, value| notes.change(var, value));
        if let Some(said) = &mut said {
            said.enter(b, dominators.level[b] as usize, &mut notes.text.changes);
        }
        for &var in unknown.get(b) {
            notes.set(&mut reaching, var, Value::undef(Type::Void));
        }
        for &(var, phi) in s.phis.get(b) {
            notes.set(&mut reaching, var, Value::inst(phi));
        }
        let (start, end) = s.ranges[b];
        let mut entry = None;
        let mut accesses = s.accesses[start as usize..end as usize].iter().peekable();
        for i in f.insts(b) {
            if let Some(said) = said.as_mut().filter(|_| f.loc(i) != NO_LOC) {
                said.come_to(f.loc(i), &mut notes.text.changes);
            }
            if f.loc(i) != NO_LOC && f.op(i) != Op::Alloca {
                let time = notes.text.changes.len() as u32;
                entry.get_or_insert(time);
                notes.points.push((f.loc(i), time));
            }
            let Some(access) = accesses.next_if(|access| access.inst == i) else { continue };
            if access.is_store && s.is_promoted[access.var] {
                let v = f.arg(i, 0);
                let v = v.as_inst().map_or(v, |i| s.forwarded[i]);
                notes.set(&mut reaching, access.var, v);
            }
        }
        if let Some(said) = &mut said {
            said.end(&mut notes.text.changes);
        }
        if f.entry() == Some(b) {
            notes.text.entry = entry.unwrap_or(notes.text.changes.len() as u32);
        }
    }
    let Notes { mut text, points, .. } = notes;
    text.set_points(points);
    let mut told = DebugValues::of(vec![text]);
    told.formulas = said.map_or(Vec::new(), |said| said.formulas);
    f.debug_values = Some(Box::new(told));
}

impl Notes {
    fn set(&mut self, reaching: &mut Reaching, var: Var, value: Value) {
        reaching.set(var, value);
        self.change(var, value);
    }
}

/// Per block: the variables that ways into it bring different values of, though it has no phi of them.
fn unknown(
    s: &Scratch,
    numbers: &Column<Var, Opt<Var>>,
    dominators: &Dominators,
    frontiers: &Frontiers<Block>,
    blocks: usize,
) -> Rows<Block, Var> {
    let mut pairs: Vec<(Block, Var)> = Vec::new();
    let (mut scratch, mut found) = (FrontierScratch::default(), Vec::new());
    for (var, number) in numbers.iter() {
        if number.is_none() || s.stores.get(var).is_empty() {
            continue;
        }
        found.clear();
        frontiers.iterated(dominators, &mut scratch, s.stores.get(var), |_| true, &mut found);
        // Those of a block are in the order of variables.
        let has_phi = |b: Block| s.phis.get(b).binary_search_by_key(&var, |&(of, _)| of).is_ok();
        pairs.extend(found.iter().filter(|&&b| !has_phi(b)).map(|&b| (b, var)));
    }
    let mut unknown = Rows::default();
    unknown.fill(blocks, &pairs);
    unknown
}
