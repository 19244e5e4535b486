//! The last step of `debug_values`: which registers and slots hold which value, row by row, and so where variables are.
//!
//! What a place holds is known until something writes it, used or not, and one definition of a label ends
//! what all other places have of it: they hold an older value. Where ways meet, a place holds what it does on
//! all of them. Any register that a final row writes is lost, whatever put that row there. (After LLVM's
//! `LiveDebugValues`.) O((rows + what places hold at the ends of blocks) x depth of loops).

use super::expand::{DEEPEST, Expansion, MOST_STEPS, is_at, labels, place};
use super::state::State;
use super::{DebugValues, Event, FIRST_SLOT, Label, Spot, Stood, Where};
use crate::base::formula::Term;
use crate::base::intern::DenseMap;
use crate::base::{BitSet, Column, Handle, Opt};
use crate::mir::desc::{CALL, JUMP, Machine, PReg, RETURN};
use crate::mir::inlined::{Call, Origin};
use crate::mir::{Block, Func, Inst, SymKind};

/// Sweeps over the blocks after which there is no answer.
const MOST_SWEEPS: usize = 32;
/// Changes of variables that are looked at for each row and change, when rows do not stand in the order of the
/// source.
const FUEL: usize = 64;

/// In the place of a text's number.
const NO_TEXT: u32 = u32::MAX;

/// Finds out where the variables of a final function are.
#[inline(never)]
pub fn locate(func: &mut Func, machine: &Machine) {
    let Some(mut debug) = func.debug_values.take() else { return };
    debug.merge();
    (debug.events, debug.located) = Walk::new(func, machine, &debug).run();
    func.debug_values = Some(debug);
}

/// What spots hold at some place, in order; none before anything is known.
type Held = Option<Vec<(Spot, Label)>>;

/// Keeps what is held on this way, too; true if that is not the same.
fn meet(held: &mut Held, out: &[(Spot, Label)]) -> bool {
    match held {
        None => {
            *held = Some(out.to_vec());
            true
        }
        Some(held) => {
            let before = held.len();
            held.retain(|row| out.binary_search(row).is_ok());
            held.len() != before
        }
    }
}

/// The walk over a function.
struct Walk<'a> {
    func: &'a Func,
    machine: &'a Machine,
    debug: &'a DebugValues,
    layout: Vec<Block>,
    /// Registers that calls destroy.
    clobbered: Vec<Spot>,
    state: State,
    told: Told,
    is_telling: bool,
    /// Scratch: rows of a block by their number as allocated.
    there: Vec<(u32, Inst)>,
}

impl<'a> Walk<'a> {
    fn new(func: &'a Func, machine: &'a Machine, debug: &'a DebugValues) -> Walk<'a> {
        let layout = if func.layout.is_empty() { func.blocks.keys().collect() } else { func.layout.clone() };
        let mut state = State {
            holds: vec![Opt::NONE; FIRST_SLOT as usize + func.slots.len()],
            lost: BitSet::new(debug.label_count),
            ..State::default()
        };
        state.spots.grow_to(debug.label_count, Vec::new());
        let told = Told::new(debug);
        let is_clobbered = |reg: &PReg| machine.registers.units(*reg).meets(machine.caller_saved);
        let clobbered = (0..FIRST_SLOT as u8 - 1).map(PReg).filter(is_clobbered).map(Spot::reg).collect();
        Walk { func, machine, debug, layout, clobbered, state, told, is_telling: false, there: Vec::new() }
    }

    /// The block as allocated that a row is from.
    fn block_of(&self, row: u32) -> usize {
        self.debug.blocks.partition_point(|&(_, end)| end <= row)
    }

    fn run(mut self) -> (Vec<Event>, Vec<Vec<Term<Where>>>) {
        self.lose_what_no_block_gives();
        let Some(ins) = self.flow() else { return Default::default() };
        self.is_telling = true;
        for b in std::mem::take(&mut self.layout) {
            self.state.become_what(ins[b].as_deref().unwrap_or_default());
            self.told.enter(self.func, self.debug, b);
            self.block(b);
        }
        (self.told.events, self.told.located)
    }

    /// Per block that control gets to: what spots hold where it begins. None if that takes too long.
    fn flow(&mut self) -> Option<Column<Block, Held>> {
        let layout = self.layout.clone();
        let &first = layout.first()?;
        let mut ins: Column<Block, Held> = Column::filled(self.func.blocks.len(), None);
        ins[first] = Some(Vec::new());
        let mut waits = BitSet::new(self.func.blocks.len());
        waits.insert(first);
        let targets: Vec<Vec<Block>> = (0..layout.len()).map(|k| self.targets(k)).collect();
        for _ in 0..MOST_SWEEPS {
            let mut any = false;
            for (&b, targets) in layout.iter().zip(&targets) {
                if !waits.contains(b) {
                    continue;
                }
                waits.remove(b);
                any = true;
                self.state.become_what(ins[b].as_deref().unwrap_or_default());
                self.block(b);
                let out = self.state.take();
                for &to in targets {
                    if meet(&mut ins[to], &out) {
                        waits.insert(to);
                    }
                }
            }
            if !any {
                return Some(ins);
            }
        }
        None
    }

    /// Where a block of the layout goes: where its rows jump to, and the next one if the last row goes on.
    fn targets(&self, k: usize) -> Vec<Block> {
        let (mut targets, mut falls) = (Vec::new(), true);
        for i in self.func.rows(self.layout[k]) {
            let desc = self.machine.row(self.func.insts[i].op);
            if desc.sym == SymKind::Block {
                targets.push(Block::new(self.func.insts[i].sym as usize));
            }
            if !desc.text.is_empty() && desc.sym != SymKind::Unwind {
                falls = desc.flags & (JUMP | RETURN) == 0;
            }
        }
        targets.extend(self.layout.get(k + 1).copied().filter(|_| falls));
        targets
    }

    /// Phis whose block is no more are nowhere.
    fn lose_what_no_block_gives(&mut self) {
        let mut there = BitSet::new(self.func.blocks.len());
        for &b in &self.layout {
            there.insert(b);
            for i in self.func.rows(b) {
                if let Some(&row) = self.func.loc.get(i).filter(|&&row| row != u32::MAX) {
                    there.insert(Block::new(self.block_of(row)));
                }
            }
        }
        for &(_, _, label) in self.debug.arrivals.iter().filter(|row| !there.contains(row.0)) {
            self.state.lost.insert(label);
        }
    }

    fn arrive(&mut self, block: usize) {
        let debug = self.debug;
        let first = debug.arrivals.partition_point(|row| row.0.index() < block);
        let here = debug.arrivals[first..].iter().take_while(|row| row.0.index() == block);
        // What a phi was before is nowhere else; then all of them come at once.
        for &(_, spot, label) in here.clone() {
            self.state.forget(&debug.derived, label);
            while let Some(&old) = self.state.spots[label].first() {
                self.state.lose(old);
            }
            self.state.lose(spot);
        }
        here.for_each(|&(_, spot, label)| self.state.hold(spot, label));
    }

    /// Does what the rows of a block do, and tells of it.
    fn block(&mut self, b: Block) {
        let debug = self.debug;
        let range = |block: usize| debug.blocks.get(block).copied().unwrap_or((u32::MAX, u32::MAX));
        let (mut start, mut end) = range(b.index());
        self.arrive(b.index());
        let mut next = debug.effects.partition_point(|effect| effect.0 < start);
        // Rows that are there do what they do where they are now, the last one of those that have become several; what
        // others did is done where they were.
        let mut there: Vec<(u32, Inst)> = std::mem::take(&mut self.there);
        there.clear();
        there.extend(self.func.rows(b).filter_map(|i| Some((self.func.loc.get(i).copied()?, i))));
        there.sort_unstable();
        for i in self.func.rows(b) {
            if let Some(&row) = self.func.loc.get(i).filter(|&&row| row != u32::MAX) {
                if !(start..end).contains(&row) {
                    // The rest of the block is a copy of another one.
                    self.effects(&mut next, end, &there);
                    let block = self.block_of(row);
                    (start, end) = range(block);
                    self.arrive(block);
                    next = debug.effects.partition_point(|effect| effect.0 < start);
                }
                self.effects(&mut next, row, &there);
            }
            self.row(i);
            let row = self.func.loc.get(i).copied().unwrap_or(u32::MAX);
            if there.get(there.partition_point(|other| other.0 <= row).wrapping_sub(1)) == Some(&(row, i)) {
                let first = debug.effects.partition_point(|effect| effect.0 < row);
                let own = debug.effects[first..].iter().take_while(|effect| effect.0 == row);
                own.for_each(|&(_, effect)| self.state.apply(effect, &debug.derived));
            }
        }
        if end != u32::MAX {
            self.effects(&mut next, end, &there);
        }
        self.there = there;
    }

    /// What rows before this one did that are not there any more, and that has not been done yet.
    fn effects(&mut self, next: &mut usize, before: u32, there: &[(u32, Inst)]) {
        let debug = self.debug;
        while let Some(&(row, effect)) = self.debug.effects.get(*next).filter(|effect| effect.0 < before) {
            if there.get(there.partition_point(|other| other.0 < row)).is_none_or(|other| other.0 != row) {
                self.state.apply(effect, &debug.derived);
            }
            *next += 1;
        }
    }

    fn row(&mut self, i: Inst) {
        let desc = self.machine.row(self.func.insts[i].op);
        if self.is_telling && !desc.text.is_empty() {
            self.told.row(self.func, self.debug, &mut self.state, i);
        }
        for def in self.func.defs(i) {
            def.as_phys().into_iter().for_each(|reg| self.state.lose(Spot::reg(reg)));
        }
        if desc.flags & CALL != 0 {
            for &spot in &self.clobbered {
                if self.state.holds[spot.index()].is_some() {
                    self.state.lose(spot);
                }
            }
            if self.is_telling {
                self.told.call(self.debug, &self.state, i);
            }
        }
        if !self.is_telling {
            self.state.dirty.clear();
        }
    }
}

/// What has been told so far. Of a text that the last row is not in, that is what was true of the last one in it: the
/// rest of the code is outside of what its variables are told of.
struct Told {
    /// Per text: the time that `last` is true of; whether that is the time of the last row in it, and the version
    /// of that.
    times: Vec<(u32, bool)>,
    versions: Vec<u32>,
    /// The text of each call that has one.
    text_of: Column<Call, u32>,
    /// Per variable: its text.
    text: Vec<u32>,
    stands: Vec<Stood>,
    /// Per variable: its last change.
    last: Vec<Option<u32>>,
    /// Per change: the one of its variable before it.
    before: Vec<Option<u32>>,
    /// Per label: the variables that stand for it, or are told by it.
    variables: Column<Label, Vec<u32>>,
    /// Per variable: the labels that it is told by and does not stand for.
    others: Vec<Vec<Label>>,
    /// Per variable: where it was told to be.
    at: Vec<Option<Where>>,
    /// Variables to look at, in any order, some of them more than once.
    dirty: Vec<u32>,
    /// Where the last row is from.
    now: Origin,
    /// Changes that may still be gone through.
    fuel: usize,
    events: Vec<Event>,
    /// As in `DebugValues`, and the row of each.
    located: Vec<Vec<Term<Where>>>,
    row_of: DenseMap<Vec<Term<Where>>, u32>,
}

impl Told {
    fn new(debug: &DebugValues) -> Told {
        let count = debug.variables.len();
        let mut last = vec![None; count];
        let change = |(k, row): (u32, &(u32, Stood))| last[row.0 as usize].replace(k);
        let before = (0..).zip(&debug.changes).map(change).collect();
        let mut text_of = Column::new();
        let mut text = vec![0; count];
        for (k, row) in (0..).zip(&debug.texts) {
            if let Some(call) = row.call.get() {
                text_of.grow_to(call.index() + 1, NO_TEXT);
                text_of[call] = k;
            }
            let variables = row.variables.start as usize..row.variables.end as usize;
            text.get_mut(variables).unwrap_or_default().fill(k);
        }
        Told {
            times: debug.texts.iter().map(|text| (text.changes.start, false)).collect(),
            versions: vec![0; debug.texts.len()],
            text_of,
            text,
            stands: vec![Stood::Nothing; count],
            last: vec![None; count],
            before,
            variables: Column::filled(debug.label_count, Vec::new()),
            others: vec![Vec::new(); count],
            at: vec![None; count],
            dirty: Vec::new(),
            now: Origin::NONE,
            fuel: FUEL * (debug.changes.len() + debug.locs.len()),
            events: Vec::new(),
            located: Vec::new(),
            row_of: DenseMap::default(),
        }
    }

    /// Begins a block. As in `isa/origins`, rows without a place belong to what comes before them, at the head
    /// of a block to what comes behind; in the entry, to where the arguments are.
    fn enter(&mut self, func: &Func, debug: &DebugValues, b: Block) {
        let first = || func.rows(b).map(|i| debug.origin(func, i)).find(|origin| origin.offset != u32::MAX);
        self.now = if b.index() == 0 { Origin::NONE } else { first().unwrap_or(Origin::NONE) };
    }

    /// A variable has this last change now.
    fn changes(&mut self, debug: &DebugValues, text: usize, variable: u32, change: Option<u32>) {
        self.last[variable as usize] = change;
        let version = self.versions[text];
        let stood = |k: u32| debug.texts[text].in_version(version, k, debug.changes[k as usize].1);
        self.stand(debug, variable, change.map_or(Stood::Nothing, stood));
    }

    fn stand(&mut self, debug: &DebugValues, variable: u32, to: Stood) {
        let old = std::mem::replace(&mut self.stands[variable as usize], to);
        for label in labels(debug, old) {
            self.variables[label].retain(|&other| other != variable);
        }
        for label in labels(debug, to) {
            self.variables[label].push(variable);
        }
        self.dirty.push(variable);
    }

    /// Consumes fuel; once there is not enough of it, none is left.
    fn may(&mut self, steps: usize) -> bool {
        let may = steps <= self.fuel;
        self.fuel = if may { self.fuel - steps } else { 0 };
        may
    }

    /// Goes to a time of a text, counted from the first change of all.
    fn go_to(&mut self, debug: &DebugValues, text: usize, time: u32) -> bool {
        let mut now = self.times[text].0;
        if !self.may(now.abs_diff(time) as usize) {
            return false;
        }
        while now < time {
            let (variable, _) = debug.changes[now as usize];
            self.changes(debug, text, variable, Some(now));
            now += 1;
        }
        while now > time {
            now -= 1;
            let (variable, _) = debug.changes[now as usize];
            self.changes(debug, text, variable, self.before[now as usize]);
        }
        self.times[text].0 = time;
        true
    }

    /// Comes to a place in a text.
    fn come_to(&mut self, debug: &DebugValues, text: usize, offset: u32) {
        let row = &debug.texts[text];
        let point = row.points.binary_search_by_key(&offset, |point| point.0);
        let is_entry = self.now == Origin::NONE;
        let time = point.ok().map(|k| row.points[k].1).or(is_entry.then_some(row.entry));
        let time = time.map(|time| row.changes.start + time).filter(|&time| time <= row.changes.end);
        let is_known = time.is_some_and(|time| self.go_to(debug, text, time));
        let version = self.now.version;
        if version != self.versions[text] && self.may(row.variables.len()) {
            self.versions[text] = version;
            for variable in row.variables.clone() {
                self.changes(debug, text, variable, self.last[variable as usize]);
            }
        }
        let is_known = is_known && version == self.versions[text];
        if is_known != self.times[text].1 {
            self.times[text].1 = is_known && self.may(row.variables.len());
            self.dirty.extend(row.variables.clone());
        }
    }

    /// Says what has changed in front of a row.
    fn row(&mut self, func: &Func, debug: &DebugValues, state: &mut State, i: Inst) {
        let origin = debug.origin(func, i);
        self.now = if origin.offset == u32::MAX { self.now } else { origin };
        let mut next = Some(self.now);
        while let Some(at) = next {
            let text = at.call.get().map_or(0, |call| self.text_of.get(call).copied().unwrap_or(NO_TEXT));
            if (text as usize) < debug.texts.len() {
                self.come_to(debug, text as usize, at.offset);
            }
            next = func.inlined.outer(at);
        }
        for label in state.dirty.drain(..) {
            self.dirty.extend_from_slice(&self.variables[label]);
        }
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        for variable in dirty.drain(..) {
            let at = self.find(debug, state, variable);
            if at != self.at[variable as usize] {
                self.at[variable as usize] = at;
                self.events.push(Event { row: i, in_call: false, variable, at });
            }
        }
        self.dirty = dirty;
    }

    /// Where a variable is: where it was, if it still is there.
    fn find(&mut self, debug: &DebugValues, state: &State, variable: u32) -> Option<Where> {
        let stood = self.stands[variable as usize];
        if !self.times[self.text[variable as usize] as usize].1 {
            return None;
        }
        for label in std::mem::take(&mut self.others[variable as usize]) {
            if labels(debug, stood).all(|own| own != label) {
                self.variables[label].retain(|&other| other != variable);
            }
        }
        let was = self.at[variable as usize].filter(|&at| is_at(state, stood, at));
        if let Some(at) = was.or_else(|| place(state, stood)) {
            return Some(at);
        }
        let mut terms = Vec::new();
        let mut expansion = Expansion { debug, state, steps: MOST_STEPS, labels: Vec::new() };
        expansion.of(stood, DEEPEST, &mut terms)?;
        for label in expansion.labels {
            if !self.variables[label].contains(&variable) {
                self.variables[label].push(variable);
                self.others[variable as usize].push(label);
            }
        }
        let next = self.located.len() as u32;
        let row = *self.row_of.entry(terms).or_insert_with_key(|terms| {
            self.located.push(terms.clone());
            next
        });
        Some(Where::Formula(row))
    }

    /// Says what callees may change: what has called them sees registers as they are then.
    fn call(&mut self, debug: &DebugValues, state: &State, i: Inst) {
        let mut dirty: Vec<u32> =
            state.dirty.iter().flat_map(|&label| &self.variables[label]).copied().collect();
        dirty.sort_unstable();
        dirty.dedup();
        for variable in dirty {
            let at = self.at[variable as usize];
            if at.is_some() && self.find(debug, state, variable) != at {
                self.at[variable as usize] = None;
                self.events.push(Event { row: i, in_call: true, variable, at: None });
            }
        }
    }
}
