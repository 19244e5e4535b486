//! What a text says of variables, along the walk of `note`: from its place in a block of the text on a variable is something, in
//! all that this dominates, up to where another way may come from (the iterated frontier of what is said of it).

use crate::base::formula::Term;
use crate::base::graph::FrontierScratch;
use crate::base::{Column, Handle, Opt};
use crate::ir::debug_values::{Formula, Records, Shown, Text};
use crate::ir::{Block, Body, NO_LOC, Type, Value};
use crate::opt::run::analyses::Analyses;

/// What is not known.
fn unknown() -> Shown {
    Shown::Value(Value::undef(Type::Void))
}

/// See the module.
pub(super) struct Said {
    records: Records,
    /// As `DebugValues::formulas`.
    pub(super) formulas: Vec<Formula>,
    /// Number of the front end and among those that are shown, ascending, and what each is now.
    variables: Vec<(u32, u32)>,
    now: Vec<Shown>,
    /// Per block: variables of which other things come in.
    unknown: Vec<(Block, usize)>,
    /// The levels of blocks on the path, and how much of `log` was there before; what variables were.
    marks: Vec<usize>,
    log: Vec<(usize, Shown)>,
    /// The records of the block of the text that the last instruction is of: from the next one on.
    at: Option<(u32, usize)>,
}

impl Said {
    pub(super) fn new(records: Records, f: &Body, analyses: &Analyses, text: &mut Text) -> Said {
        let mut numbers: Vec<u32> = records.rows.iter().map(|row| row.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let first = text.variables.len() as u32;
        text.variables.extend_from_slice(&numbers);
        let variables: Vec<(u32, u32)> = numbers.into_iter().zip(first..).collect();
        // Where each block of the text is now.
        let mut homes: Column<Start, Opt<Block>> = Column::filled(records.starts.len(), Opt::NONE);
        for (i, b) in f.blocks().flat_map(|b| f.insts(b).map(move |i| (i, b))) {
            let block = records.starts.partition_point(|&start| start <= f.loc(i)).checked_sub(1);
            if let Some(block) = block.filter(|_| f.loc(i) != NO_LOC) {
                homes[Start::new(block)] = Opt::some(b);
            }
        }
        let mut joins: Vec<(Block, usize)> = Vec::new();
        let (mut scratch, mut found) = (FrontierScratch::default(), Vec::new());
        let block = |at: u32| {
            let block = records.starts.partition_point(|&start| start <= at).checked_sub(1)?;
            homes.get(Start::new(block)).copied()?.get()
        };
        let mut set: Vec<(u32, Block)> =
            records.rows.iter().filter_map(|row| Some((row.1, block(row.0)?))).collect();
        set.sort_unstable();
        set.dedup();
        for (k, &(number, _)) in variables.iter().enumerate() {
            let first = set.partition_point(|row| row.0 < number);
            let of = set[first..].iter().take_while(|row| row.0 == number);
            let blocks: Vec<Block> = of.map(|row| row.1).collect();
            found.clear();
            analyses.frontiers.iterated(&analyses.dominators, &mut scratch, &blocks, |_| true, &mut found);
            joins.extend(found.iter().map(|&b| (b, k)));
        }
        joins.sort_unstable();
        let now = vec![unknown(); variables.len()];
        let formulas = Vec::new();
        Said {
            records,
            formulas,
            variables,
            now,
            unknown: joins,
            marks: Vec::new(),
            log: Vec::new(),
            at: None,
        }
    }

    fn set(&mut self, k: usize, to: Shown, changes: &mut Vec<(u32, Shown)>) {
        self.log.push((k, std::mem::replace(&mut self.now[k], to)));
        changes.push((self.variables[k].1, to));
    }

    /// Comes to a block of this level of the tree of dominators.
    pub(super) fn enter(&mut self, b: Block, level: usize, changes: &mut Vec<(u32, Shown)>) {
        if let Some(&mark) = self.marks.get(level) {
            self.marks.truncate(level);
            for (k, was) in self.log.drain(mark..).rev() {
                self.now[k] = was;
                changes.push((self.variables[k].1, was));
            }
        }
        self.marks.push(self.log.len());
        let first = self.unknown.partition_point(|row| row.0 < b);
        for at in first..self.unknown.len() {
            let (of, k) = self.unknown[at];
            if of != b {
                break;
            }
            self.set(k, unknown(), changes);
        }
    }

    /// Comes to an instruction from this place of the text.
    pub(super) fn come_to(&mut self, loc: u32, changes: &mut Vec<(u32, Shown)>) {
        let block = self.records.starts.partition_point(|&start| start <= loc);
        let Some(&start) = block.checked_sub(1).and_then(|k| self.records.starts.get(k)) else { return };
        if self.at.is_none_or(|at| at.0 != start) {
            self.end(changes);
            self.at = Some((start, self.records.rows.partition_point(|row| row.0 < start)));
        }
        self.take(loc, changes);
    }

    /// What is left of a block of the text is said where its last instruction is.
    pub(super) fn end(&mut self, changes: &mut Vec<(u32, Shown)>) {
        if let Some((start, _)) = self.at {
            let next = self.records.starts.partition_point(|&other| other <= start);
            let end = self.records.starts.get(next).copied().unwrap_or(u32::MAX);
            self.take(end, changes);
        }
        self.at = None;
    }

    /// Takes what is said in front of a place.
    fn take(&mut self, before: u32, changes: &mut Vec<(u32, Shown)>) {
        while let Some((start, next)) = self.at
            && let Some((_, number, formula)) = self.records.rows.get(next).filter(|row| row.0 < before)
        {
            let shown = match &**formula {
                [] => unknown(),
                &[Term::Leaf(v)] => Shown::Value(v),
                _ => {
                    self.formulas.push(formula.clone());
                    Shown::Formula(self.formulas.len() as u32 - 1)
                }
            };
            self.at = Some((start, next + 1));
            if let Ok(k) = self.variables.binary_search_by_key(number, |row| row.0) {
                self.set(k, shown, changes);
            }
        }
    }
}

crate::handle! {
    /// A block of the text.
    struct Start("start");
}
