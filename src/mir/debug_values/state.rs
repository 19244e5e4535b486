//! Which registers and slots hold which value at a row, as `locate` walks over a function.
//!
//! Kept both ways, by spot and by label, so that a change costs O(spots that hold the label that goes) to find what is to be
//! forgotten, and not O(spots). A label that is made costs that for each label that was computed from it, and from those, too
//! (O(log derived) to find them). `take` is O(u log u) of the u changes since the last `become_what`. Memory is O(spots + labels).

use super::{Effect, Label, Spot};
use crate::base::{BitSet, Column, Opt};

/// What spots hold.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Per spot: its label.
    pub(super) holds: Vec<Opt<Label>>,
    /// Per label: the spots that hold it.
    pub(super) spots: Column<Label, Vec<Spot>>,
    /// Spots that hold something, among others.
    pub(super) used: Vec<Spot>,
    /// Labels that cannot be followed.
    pub(super) lost: BitSet<Label>,
    /// Labels of which a spot has come or gone.
    pub(super) dirty: Vec<Label>,
}

impl State {
    pub(super) fn lose(&mut self, spot: Spot) {
        if let Some(label) = self.holds.get_mut(spot.index()).and_then(|held| std::mem::take(held).get()) {
            self.spots[label].retain(|&other| other != spot);
            self.dirty.push(label);
        }
    }

    pub(super) fn hold(&mut self, spot: Spot, label: Label) {
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

    /// A label is about to be made: what has been computed from it before, and from that, is old.
    pub(super) fn forget(&mut self, derived: &[(Label, Label)], label: Label) {
        let users = |label: Label| {
            let first = derived.partition_point(|row| row.0 < label);
            derived[first..].iter().take_while(move |row| row.0 == label).map(|row| row.1)
        };
        for user in users(label).flat_map(|user| users(user).chain([user])).filter(|&user| user != label) {
            while let Some(&old) = self.spots[user].first() {
                self.lose(old);
            }
        }
    }

    pub(super) fn apply(&mut self, effect: Effect, derived: &[(Label, Label)]) {
        match effect {
            Effect::Put(to, label) => {
                self.forget(derived, label);
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
    pub(super) fn take(&mut self) -> Vec<(Spot, Label)> {
        let Self { holds, used, .. } = self;
        used.retain(|spot| holds[spot.index()].is_some());
        used.sort_unstable();
        used.dedup();
        used.iter().filter_map(|&spot| Some((spot, holds[spot.index()].get()?))).collect()
    }

    /// Becomes what was taken.
    pub(super) fn become_what(&mut self, taken: &[(Spot, Label)]) {
        for spot in std::mem::take(&mut self.used) {
            self.lose(spot);
        }
        for &(spot, label) in taken {
            self.hold(spot, label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DebugValues, FIRST_SLOT};
    use super::*;
    use crate::base::Handle;

    const R: [Spot; 3] = [Spot(1), Spot(2), Spot(FIRST_SLOT)];

    fn label(k: usize) -> Label {
        Label::new(k)
    }

    fn after(effects: &[Effect]) -> Vec<(Spot, Label)> {
        let mut state = State { holds: vec![Opt::NONE; 140], lost: BitSet::new(2), ..State::default() };
        state.spots.grow_to(2, Vec::new());
        effects.iter().for_each(|&effect| state.apply(effect, &[]));
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
