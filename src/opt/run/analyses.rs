//! The analyses of the body at hand: computed when first asked for, kept as long as passes say they still
//! hold.
//!
//! An analysis is a row of the table below: what it is called, what it needs, how it is computed from what is
//! given and from those above it. A worker has one `Analyses` and takes it from body to body, so the columns
//! are allocated once.

use crate::analysis::simple_loop::{SimpleLoop, is_canonical};
use crate::analysis::{Dominators, Effects, Evolution, Frontiers, Loops, Order, TargetFacts};
use crate::base::graph::Loop;
use crate::ir::{Body, Env};

/// What analyses are computed from, other analyses aside.
#[derive(Copy, Clone)]
pub struct Given<'a> {
    /// What all functions share.
    pub env: &'a Env,
    /// What calls do.
    pub effects: &'a Effects,
    /// What the machine does.
    pub target: &'a TargetFacts,
    /// The function.
    pub f: &'a Body,
}

/// A set of analyses.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisSet(u16);

impl AnalysisSet {
    /// No analysis.
    pub const NONE: AnalysisSet = AnalysisSet(0);
    /// What depends on blocks and edges only, so that changes to instructions keep it.
    pub const CFG: AnalysisSet = Self::ORDER.with(Self::DOMINATORS).with(Self::FRONTIERS).with(Self::LOOPS);
    /// Loops have the form that `canonical_loops` gives them: nothing that is computed, but as true of the body as what is.
    pub const CANONICAL: AnalysisSet = AnalysisSet(1 << 15);
    /// Every analysis.
    pub const ALL: AnalysisSet = AnalysisSet(u16::MAX);

    /// What is in either.
    pub const fn with(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 | other.0)
    }

    /// What is in both.
    pub const fn and(self, other: AnalysisSet) -> AnalysisSet {
        AnalysisSet(self.0 & other.0)
    }

    /// True if all of `other` is here.
    pub const fn has(self, other: AnalysisSet) -> bool {
        self.0 & other.0 == other.0
    }
}

/// How one analysis is computed and compared.
struct AnalysisRow {
    name: &'static str,
    set: AnalysisSet,
    /// Those it reads.
    needs: AnalysisSet,
    compute: fn(&mut Analyses, Given),
    same: fn(&Analyses, &Analyses) -> bool,
}

/// The rows, each a member of `AnalysisSet` and a field of `Analyses`; every analysis stands after those it
/// needs.
macro_rules! analyses {
    ($($(#[$doc:meta])* $set:ident, $field:ident: $type:ty, needs $needs:ident, $compute:expr;)*) => {
        /// The bits of `AnalysisSet`.
        #[allow(clippy::upper_case_acronyms)]
        enum Bit { $($set,)* }

        impl AnalysisSet {
            $($(#[$doc])* pub const $set: AnalysisSet = AnalysisSet(1 << Bit::$set as u16);)*
        }

        /// The analyses of one body.
        #[derive(Debug, Default)]
        pub struct Analyses {
            $($(#[$doc])* pub $field: $type,)*
            /// Those of the above that are true of the body now, but for what has been edited since they
            /// were.
            pub(super) valid: AnalysisSet,
            /// There are edits that they do not know of yet (`edit`).
            pub(super) edited: bool,
        }

        const ROWS: &[AnalysisRow] = &[$(AnalysisRow {
            name: stringify!($field),
            set: AnalysisSet::$set,
            needs: AnalysisSet::$needs,
            compute: $compute,
            same: |a, b| a.$field == b.$field,
        },)*];
    };
}

analyses! {
    /// Reverse postorder.
    ORDER, order: Order, needs NONE, |a, given| a.order.compute(given.f);
    /// The dominator tree.
    DOMINATORS, dominators: Dominators, needs ORDER, |a, given| a.dominators.compute(given.f, &a.order);
    /// Iterated dominance frontiers.
    FRONTIERS, frontiers: Frontiers, needs DOMINATORS,
        |a, given| a.frontiers.compute(given.f, &a.order, &a.dominators);
    /// The loop forest.
    LOOPS, loops: Loops, needs DOMINATORS, |a, given| a.loops.compute(given.f, &a.order, &a.dominators);
    /// Scalar evolution.
    EVOLUTION, evolution: Evolution, needs LOOPS,
        |a, given| a.evolution.compute(given.env, given.f, &a.order, &a.loops);
}

impl Analyses {
    /// Makes these analyses, and those they need, true of the body.
    #[inline(never)]
    pub fn require(&mut self, given: Given, set: AnalysisSet) {
        if self.valid.has(set) {
            return;
        }
        let closure =
            ROWS.iter().rev().fold(set, |set, row| if set.has(row.set) { set.with(row.needs) } else { set });
        for row in ROWS {
            if closure.has(row.set) && !self.valid.has(row.set) {
                (row.compute)(self, given);
                self.valid = self.valid.with(row.set);
            }
        }
    }

    /// Takes note that loops, which are true of the body, have their form.
    pub fn note_canonical(&mut self) {
        self.valid = self.valid.with(AnalysisSet::CANONICAL);
    }

    /// True if loops are known to have their form.
    pub fn are_canonical(&self) -> bool {
        self.valid.has(AnalysisSet::CANONICAL) && !self.edited
    }

    /// A loop, if it is in simplified form. Loops have to be true of the body.
    pub fn simple_loop<'a>(&'a self, f: &'a Body, l: Loop) -> Option<SimpleLoop<'a>> {
        SimpleLoop::of(f, (&self.loops, &self.dominators), l)
    }

    /// Dominators, where a pass that has no need for them otherwise comes to ask.
    pub fn ask_dominators(&mut self, f: &Body) -> &Dominators {
        if !self.valid.has(AnalysisSet::DOMINATORS) {
            if !self.valid.has(AnalysisSet::ORDER) {
                self.order.compute(f);
            }
            self.dominators.compute(f, &self.order);
            self.valid = self.valid.with(AnalysisSet::DOMINATORS).with(AnalysisSet::ORDER);
        }
        &self.dominators
    }

    /// Frontiers, likewise.
    pub fn ask_frontiers(&mut self, f: &Body) {
        self.ask_dominators(f);
        if !self.valid.has(AnalysisSet::FRONTIERS) {
            self.frontiers.compute(f, &self.order, &self.dominators);
            self.valid = self.valid.with(AnalysisSet::FRONTIERS);
        }
    }

    /// Forgets all but `kept`, and what was computed from something forgotten.
    pub fn keep(&mut self, kept: AnalysisSet) {
        let mut valid = AnalysisSet::NONE;
        for row in ROWS {
            if self.valid.and(kept).has(row.set) && valid.has(row.needs) {
                valid = valid.with(row.set);
            }
        }
        if valid.has(AnalysisSet::LOOPS) {
            valid = valid.with(self.valid.and(kept).and(AnalysisSet::CANONICAL));
        }
        self.valid = valid;
    }

    /// The name of an analysis that is held to be true of the body and is not.
    pub fn find_stale(&self, given: Given) -> Option<&'static str> {
        let mut fresh = Analyses::default();
        fresh.require(given, self.valid);
        let stale = ROWS.iter().find(|row| self.valid.has(row.set) && !(row.same)(self, &fresh));
        let has_form = || !self.are_canonical() || is_canonical(given.f, &fresh.order, &fresh.loops);
        stale.map(|row| row.name).or_else(|| (!has_form()).then_some("canonical loops"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::random::random_body;
    use crate::ir::Place;

    #[test]
    fn what_is_forgotten_takes_what_was_computed_from_it_along() {
        let mut f = random_body(3, 12);
        let mut analyses = Analyses::default();
        let world = (Env::default(), Effects::default(), TargetFacts::default());
        fn given<'a>((env, effects, target): &'a (Env, Effects, TargetFacts), f: &'a Body) -> Given<'a> {
            Given { env, effects, target, f }
        }
        analyses.require(given(&world, &f), AnalysisSet::EVOLUTION);
        assert!(analyses.valid.has(AnalysisSet::ORDER) && !analyses.valid.has(AnalysisSet::FRONTIERS));
        assert_eq!(analyses.find_stale(given(&world, &f)), None);
        let entry = f.entry().unwrap();
        f.clear_terminator(entry);
        f.set_ret(entry, None, Place::NONE);
        assert_eq!(analyses.find_stale(given(&world, &f)), Some("order"));
        analyses.keep(AnalysisSet::LOOPS.with(AnalysisSet::ORDER));
        assert_eq!(analyses.valid, AnalysisSet::ORDER);
    }
}
