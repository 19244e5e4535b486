//! What a value that is nowhere can be computed by, from what is somewhere: by what it was computed from, or by what was computed
//! from it, inverted. O(`MOST_STEPS`) a value.

use super::state::State;
use super::{DebugValues, Label, Stood, Where};
use crate::base::formula::{MOST_TERMS, Term, leaves};

/// How often what a value is told by is told by something else in turn: by all, and by what was computed from it, of which
/// `State::forget` knows that much.
pub(super) const DEEPEST: [usize; 2] = [6, 2];
/// Values that are looked at for that.
pub(super) const MOST_STEPS: usize = 64;

/// The search for what something is computed by from what is somewhere.
pub(super) struct Expansion<'a> {
    pub(super) debug: &'a DebugValues,
    pub(super) state: &'a State,
    pub(super) steps: usize,
    /// What it depends on.
    pub(super) labels: Vec<Label>,
}

impl Expansion<'_> {
    pub(super) fn of(
        &mut self,
        stood: Stood,
        [depth, inverted]: [usize; 2],
        out: &mut Vec<Term<Where>>,
    ) -> Option<()> {
        if let Some(at) = place(self.state, stood) {
            out.push(Term::Leaf(at));
            if let Stood::Label(label) = stood {
                self.labels.push(label);
            }
            return Some(());
        }
        self.steps = self.steps.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let debug = self.debug;
        match stood {
            Stood::Formula(row) => self.all(debug.formulas.get(row as usize)?, [depth, inverted], out),
            Stood::Label(label) => {
                let others = debug.others.get(label)?;
                let made_of = others.made_of.as_ref();
                let first = made_of.and_then(|terms| self.all(terms, [depth, inverted], out));
                first.or_else(|| {
                    let inverted = inverted.checked_sub(1)?;
                    others.inverses.iter().find_map(|terms| self.all(terms, [depth, inverted], out))
                })
            }
            _ => None,
        }
    }

    /// Appends a formula, or nothing.
    fn all(&mut self, terms: &[Term<Stood>], depths: [usize; 2], out: &mut Vec<Term<Where>>) -> Option<()> {
        let start = out.len();
        let mut each = terms.iter();
        let done = each.try_for_each(|&term| {
            match term {
                Term::Leaf(stood) => self.of(stood, depths, out)?,
                Term::Number(number) => out.push(Term::Number(number)),
                Term::Apply(operator) => out.push(Term::Apply(operator)),
            }
            (out.len() <= MOST_TERMS).then_some(())
        });
        if done.is_none() {
            out.truncate(start);
        }
        done
    }
}

/// Where something is.
pub(super) fn place(state: &State, stood: Stood) -> Option<Where> {
    match stood {
        Stood::Nothing | Stood::Formula(_) => None,
        Stood::Bits(bits) => Some(Where::Bits(bits)),
        Stood::Slot(slot) => Some(Where::Slot(slot)),
        Stood::Address(slot) => Some(Where::Address(slot)),
        Stood::Global(global) => Some(Where::Global(global)),
        Stood::Label(label) => state.spots[label].first().map(|spot| spot.place()),
    }
}

/// True if something is there, among others.
pub(super) fn is_at(state: &State, stood: Stood, at: Where) -> bool {
    match stood {
        Stood::Label(label) => state.spots[label].iter().any(|spot| spot.place() == at),
        stood => place(state, stood) == Some(at),
    }
}

/// The labels that something stands for.
pub(super) fn labels(debug: &DebugValues, stood: Stood) -> impl Iterator<Item = Label> {
    let terms = match stood {
        Stood::Formula(row) => debug.formulas.get(row as usize).map_or(&[][..], Vec::as_slice),
        _ => &[],
    };
    leaves(terms).chain([stood]).filter_map(|stood| match stood {
        Stood::Label(label) => Some(label),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Effect, FIRST_SLOT, Others, Spot};
    use super::*;
    use crate::base::{BitSet, Handle, Opt};

    const R: [Spot; 3] = [Spot(1), Spot(2), Spot(FIRST_SLOT)];

    fn label(k: usize) -> Label {
        Label::new(k)
    }

    #[test]
    fn what_was_computed_from_a_value_is_old_once_that_is_made_again() {
        let [a, b, _] = R;
        let mut state = State { holds: vec![Opt::NONE; 140], lost: BitSet::new(2), ..State::default() };
        state.spots.grow_to(2, Vec::new());
        // 1 tells 0.
        let derived = [(label(0), label(1))];
        for effect in [Effect::Put(a, label(0)), Effect::Put(b, label(1)), Effect::Lose(a)] {
            state.apply(effect, &derived);
        }
        let others = Others {
            made_of: None,
            inverses: vec![vec![Term::Leaf(Stood::Label(label(1))), Term::Number(1)]],
        };
        let mut debug = DebugValues { label_count: 2, ..DebugValues::default() };
        debug.others.push(others);
        let found = |state: &State| {
            let mut out = Vec::new();
            Expansion { debug: &debug, state, steps: 9, labels: Vec::new() }.of(
                Stood::Label(label(0)),
                DEEPEST,
                &mut out,
            )?;
            Some(out)
        };
        assert_eq!(found(&state), Some(vec![Term::Leaf(b.place()), Term::Number(1)]));
        state.apply(Effect::Put(a, label(0)), &derived);
        assert_eq!((found(&state), state.take()), (Some(vec![Term::Leaf(a.place())]), vec![(a, label(0))]));
    }
}
