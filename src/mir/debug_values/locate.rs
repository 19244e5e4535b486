//! The last step of `debug_values`: which registers and slots hold which value, row by row, and so where variables are.
//!
//! What a place holds is known until something writes it, used or not, and one definition of a label ends
//! what all other places have of it: they hold an older value. Where ways meet, a place holds what it does on
//! all of them. Any register that a final row writes is lost, whatever put that row there. (After LLVM's
//! `LiveDebugValues`.) O((rows + what places hold at the ends of blocks) x depth of loops).

use super::{DebugValues, Effect, Event, FIRST_SLOT, Label, Spot, Stood, Where};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::mir::desc::{CALL, JUMP, Machine, PReg, RETURN};
use crate::mir::{Block, Func, Inst, SymKind};

/// What spots hold.
#[derive(Debug, Default)]
struct State {
    /// Per spot: its label.
    holds: Vec<Opt<Label>>,
    /// Per label: the spots that hold it.
    spots: Column<Label, Vec<Spot>>,
    /// Spots that hold something, among others.
    used: Vec<Spot>,
    /// Labels that cannot be followed.
    lost: BitSet<Label>,
    /// Labels of which a spot has come or gone.
    dirty: Vec<Label>,
}

impl State {
    fn lose(&mut self, spot: Spot) {
        if let Some(label) = self.holds.get_mut(spot.index()).and_then(|held| std::mem::take(held).get()) {
            self.spots[label].retain(|&other| other != spot);
            self.dirty.push(label);
        }
    }

    fn hold(&mut self, spot: Spot, label: Label) {
        self.lose(spot);
        if self.lost.contains(label) {
            return;
        }
        if let Some(held) = self.holds.get_mut(spot.index()) {
            *held = Opt::some(label);
            self.spots[label].push(spot);
            self.used.push(spot);
            self.dirty.push(label);
        }
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Put(to, label) => {
                while let Some(&old) = self.spots[label].first() {
                    self.lose(old);
                }
                self.hold(to, label);
            }
            Effect::Copy(to, from) if to != from => {
                self.lose(to);
                if let Some(label) = self.holds.get(from.index()).and_then(|held| held.get()) {
                    self.hold(to, label);
                }
            }
            Effect::Copy(..) => {}
            Effect::Lose(spot) => self.lose(spot),
        }
    }

    /// All spots that hold something, in order.
    fn take(&mut self) -> Vec<(Spot, Label)> {
        let Self { holds, used, .. } = self;
        used.retain(|spot| holds[spot.index()].is_some());
        used.sort_unstable();
        used.dedup();
        used.iter().filter_map(|&spot| Some((spot, holds[spot.index()].get()?))).collect()
    }

    /// Becomes what was taken.
    fn become_what(&mut self, taken: &[(Spot, Label)]) {
        for spot in std::mem::take(&mut self.used) {
            self.lose(spot);
        }
        for &(spot, label) in taken {
            self.hold(spot, label);
        }
    }
}

/// Sweeps over the blocks after which there is no answer.
const MOST_SWEEPS: usize = 32;
/// Changes of variables that are looked at for each row and change, when rows do not stand in the order of the
/// source.
const FUEL: usize = 64;

/// Finds out where the variables of a final function are.
#[inline(never)]
pub fn locate(func: &mut Func, machine: &Machine) {
    let Some(mut debug) = func.debug_values.take() else { return };
    debug.merge();
    let events = Walk::new(func, machine, &debug).run();
    debug.events = events;
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
        Walk { func, machine, debug, layout, clobbered, state, told, is_telling: false }
    }

    /// The block as allocated that a row is from.
    fn block_of(&self, row: u32) -> usize {
        self.debug.blocks.partition_point(|&(_, end)| end <= row)
    }

    fn run(mut self) -> Vec<Event> {
        self.lose_what_no_block_gives();
        let Some(ins) = self.flow() else { return Vec::new() };
        self.is_telling = true;
        for b in std::mem::take(&mut self.layout) {
            self.state.become_what(ins[b].as_deref().unwrap_or_default());
            self.told.enter(self.func, self.debug, b);
            self.block(b);
        }
        self.told.events
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
        for i in self.func.rows(b) {
            if let Some(&row) = self.func.loc.get(i).filter(|&&row| row != u32::MAX) {
                if !(start..end).contains(&row) {
                    // The rest of the block is a copy of another one.
                    self.effects(&mut next, end);
                    let block = self.block_of(row);
                    (start, end) = range(block);
                    self.arrive(block);
                    next = debug.effects.partition_point(|effect| effect.0 < start);
                }
                self.effects(&mut next, row);
            }
            self.row(i);
        }
        if end != u32::MAX {
            self.effects(&mut next, end);
        }
    }

    /// What rows before this one do that has not been done yet.
    fn effects(&mut self, next: &mut usize, before: u32) {
        while let Some(&(_, effect)) = self.debug.effects.get(*next).filter(|effect| effect.0 < before) {
            self.state.apply(effect);
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
                self.told.call(&self.state, i);
            }
        }
        if !self.is_telling {
            self.state.dirty.clear();
        }
    }
}

/// What has been told so far.
struct Told {
    /// The time that `stands` is true of; whether that is the time of the last row.
    time: u32,
    is_known: bool,
    stands: Vec<Stood>,
    /// Per change: what its variable stood for before.
    before: Vec<Stood>,
    /// Per label: the variables that stand for it.
    variables: Column<Label, Vec<u32>>,
    /// Per variable: where it was told to be.
    at: Vec<Option<Where>>,
    /// Variables to look at, in any order, some of them more than once.
    dirty: Vec<u32>,
    /// The place in the source of the last row.
    now: u32,
    /// Changes that may still be gone through.
    fuel: usize,
    events: Vec<Event>,
}

impl Told {
    fn new(debug: &DebugValues) -> Told {
        let count = debug.variables.len();
        let mut stands = vec![Stood::Nothing; count];
        let change = |&(variable, to): &(u32, Stood)| std::mem::replace(&mut stands[variable as usize], to);
        let before = debug.changes.iter().map(change).collect();
        Told {
            time: 0,
            is_known: false,
            stands: vec![Stood::Nothing; count],
            before,
            variables: Column::filled(debug.label_count, Vec::new()),
            at: vec![None; count],
            dirty: Vec::new(),
            now: u32::MAX,
            fuel: FUEL * (debug.changes.len() + debug.locs.len()),
            events: Vec::new(),
        }
    }

    /// Begins a block. As in `isa/origins`, rows without a place belong to what comes before them, at the head
    /// of a block to what comes behind; in the entry, to where the arguments are.
    fn enter(&mut self, func: &Func, debug: &DebugValues, b: Block) {
        let first = || func.rows(b).map(|i| debug.place(func, i)).find(|&place| place != u32::MAX);
        self.now = if b.index() == 0 { u32::MAX } else { first().unwrap_or(u32::MAX) };
    }

    fn stand(&mut self, variable: u32, to: Stood) {
        let old = std::mem::replace(&mut self.stands[variable as usize], to);
        if let Stood::Label(label) = old {
            self.variables[label].retain(|&other| other != variable);
        }
        if let Stood::Label(label) = to {
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

    /// Goes to a time.
    fn go_to(&mut self, debug: &DebugValues, time: u32) -> bool {
        if !self.may(self.time.abs_diff(time) as usize) {
            return false;
        }
        while self.time < time {
            let (variable, to) = debug.changes[self.time as usize];
            self.time += 1;
            self.stand(variable, to);
        }
        while self.time > time {
            self.time -= 1;
            let (variable, _) = debug.changes[self.time as usize];
            self.stand(variable, self.before[self.time as usize]);
        }
        true
    }

    /// Says what has changed in front of a row.
    fn row(&mut self, func: &Func, debug: &DebugValues, state: &mut State, i: Inst) {
        let place = debug.place(func, i);
        self.now = if place == u32::MAX { self.now } else { place };
        let point = debug.points.binary_search_by_key(&self.now, |point| point.0);
        let time = point.ok().map(|k| debug.points[k].1);
        let time = time.or((self.now == u32::MAX).then_some(debug.entry));
        let is_known = time.is_some_and(|time| self.go_to(debug, time));
        if is_known != self.is_known {
            self.is_known = is_known && self.may(self.at.len());
            self.dirty.extend(0..self.at.len() as u32);
        }
        for label in state.dirty.drain(..) {
            self.dirty.extend_from_slice(&self.variables[label]);
        }
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        for variable in dirty.drain(..) {
            let at = self.find(state, variable);
            if at != self.at[variable as usize] {
                self.at[variable as usize] = at;
                self.events.push(Event { row: i, in_call: false, variable, at });
            }
        }
        self.dirty = dirty;
    }

    /// Where a variable is: where it was, if it still is there.
    fn find(&self, state: &State, variable: u32) -> Option<Where> {
        match self.stands[variable as usize] {
            _ if !self.is_known => None,
            Stood::Nothing => None,
            Stood::Bits(bits) => Some(Where::Bits(bits)),
            Stood::Label(label) => {
                let spots = &state.spots[label];
                let is_there = |at: &Where| spots.iter().any(|spot| spot.place() == *at);
                self.at[variable as usize].filter(is_there).or(spots.first().map(|spot| spot.place()))
            }
        }
    }

    /// Says what callees may change: what has called them sees registers as they are then.
    fn call(&mut self, state: &State, i: Inst) {
        for &label in &state.dirty {
            for &variable in &self.variables[label] {
                let at = self.at[variable as usize];
                if at.is_some_and(|at| state.spots[label].iter().all(|spot| spot.place() != at)) {
                    self.at[variable as usize] = None;
                    self.events.push(Event { row: i, in_call: true, variable, at: None });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: [Spot; 3] = [Spot(1), Spot(2), Spot(FIRST_SLOT)];

    fn label(k: usize) -> Label {
        Label::new(k)
    }

    fn after(effects: &[Effect]) -> Vec<(Spot, Label)> {
        let mut state = State { holds: vec![Opt::NONE; 140], lost: BitSet::new(2), ..State::default() };
        state.spots.grow_to(2, Vec::new());
        effects.iter().for_each(|&effect| state.apply(effect));
        state.take()
    }

    #[test]
    fn a_label_is_where_it_was_made_and_copied_to_until_it_is_made_again() {
        use Effect::{Copy, Lose, Put};
        let [a, b, slot] = R;
        let made = [Put(a, label(0)), Copy(slot, a), Copy(b, slot)];
        assert_eq!(after(&made), [(a, label(0)), (b, label(0)), (slot, label(0))]);
        assert_eq!(
            after(&[&made[..], &[Lose(a), Put(b, label(1))]].concat()),
            [(b, label(1)), (slot, label(0))]
        );
        assert_eq!(after(&[&made[..], &[Put(b, label(0))]].concat()), [(b, label(0))]);
        assert_eq!(after(&[Put(a, label(0)), Copy(a, a), Copy(a, b)]), []);
    }

    #[test]
    fn rows_that_became_one_do_what_they_do_where_the_later_one_stood() {
        use Effect::{Copy, Lose, Put};
        let [a, b, slot] = R;
        let mut debug = DebugValues {
            effects: vec![(1, Copy(slot, a)), (2, Put(a, label(0))), (3, Copy(b, slot)), (4, Lose(b))],
            merged: vec![(1, 3)],
            ..DebugValues::default()
        };
        debug.merge();
        let lost = [(1, Lose(slot)), (1, Lose(b)), (2, Put(a, label(0)))];
        let done = [(3, Copy(slot, a)), (3, Copy(b, slot)), (4, Lose(b))];
        assert_eq!(debug.effects, [&lost[..], &done].concat());
    }
}
