//! The analyses of the body at hand: computed when first asked for, kept as long as passes say they still hold.
//!
//! A worker has one `Analyses` and takes it from body to body, so the columns are allocated once.

use crate::analysis::{Dominators, Frontiers, Loops, Order};
use crate::ir::Body;

/// A set of analyses.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisSet(u16);

impl AnalysisSet {
    /// No analysis.
    pub const NONE: AnalysisSet = AnalysisSet(0);
    /// `Analyses::order`.
    pub const ORDER: AnalysisSet = AnalysisSet(1);
    /// `Analyses::dominators`.
    pub const DOMINATORS: AnalysisSet = AnalysisSet(2);
    /// `Analyses::frontiers`.
    pub const FRONTIERS: AnalysisSet = AnalysisSet(4);
    /// `Analyses::loops`.
    pub const LOOPS: AnalysisSet = AnalysisSet(8);
    /// What depends on blocks and edges only, so that changes to instructions keep it.
    pub const CFG: AnalysisSet = AnalysisSet(15);
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

/// The analyses of one body.
#[derive(Debug, Default)]
pub struct Analyses {
    /// Reverse postorder.
    pub order: Order,
    /// The dominator tree.
    pub dominators: Dominators,
    /// Iterated dominance frontiers.
    pub frontiers: Frontiers,
    /// The loop forest.
    pub loops: Loops,
    /// Those of the above that are true of the body now.
    valid: AnalysisSet,
}

/// How one analysis is computed and compared.
struct AnalysisRow {
    name: &'static str,
    set: AnalysisSet,
    /// Those it reads.
    needs: AnalysisSet,
    compute: fn(&mut Analyses, &Body),
    same: fn(&Analyses, &Analyses) -> bool,
}

/// Every analysis after those it needs.
const ROWS: [AnalysisRow; 4] = [
    AnalysisRow {
        name: "order",
        set: AnalysisSet::ORDER,
        needs: AnalysisSet::NONE,
        compute: |a, f| a.order.compute(f),
        same: |a, b| a.order == b.order,
    },
    AnalysisRow {
        name: "dominators",
        set: AnalysisSet::DOMINATORS,
        needs: AnalysisSet::ORDER,
        compute: |a, f| a.dominators.compute(f, &a.order),
        same: |a, b| a.dominators == b.dominators,
    },
    AnalysisRow {
        name: "frontiers",
        set: AnalysisSet::FRONTIERS,
        needs: AnalysisSet::DOMINATORS,
        compute: |a, f| a.frontiers.compute(f, &a.order, &a.dominators),
        same: |a, b| a.frontiers == b.frontiers,
    },
    AnalysisRow {
        name: "loops",
        set: AnalysisSet::LOOPS,
        needs: AnalysisSet::DOMINATORS,
        compute: |a, f| a.loops.compute(f, &a.order, &a.dominators),
        same: |a, b| a.loops == b.loops,
    },
];

impl Analyses {
    /// Makes these analyses, and those they need, true of the body.
    #[inline(never)]
    pub fn require(&mut self, f: &Body, set: AnalysisSet) {
        if self.valid.has(set) {
            return;
        }
        let closure =
            ROWS.iter().rev().fold(set, |set, row| if set.has(row.set) { set.with(row.needs) } else { set });
        for row in &ROWS {
            if closure.has(row.set) && !self.valid.has(row.set) {
                (row.compute)(self, f);
                self.valid = self.valid.with(row.set);
            }
        }
    }

    /// Forgets all but `kept`, and what was computed from something forgotten.
    pub fn keep(&mut self, kept: AnalysisSet) {
        let mut valid = AnalysisSet::NONE;
        for row in &ROWS {
            if self.valid.and(kept).has(row.set) && valid.has(row.needs) {
                valid = valid.with(row.set);
            }
        }
        self.valid = valid;
    }

    /// The name of an analysis that is held to be true of the body and is not.
    pub fn find_stale(&self, f: &Body) -> Option<&'static str> {
        let mut fresh = Analyses::default();
        fresh.require(f, self.valid.and(AnalysisSet::CFG));
        let stale = ROWS.iter().find(|row| self.valid.has(row.set) && !(row.same)(self, &fresh));
        stale.map(|row| row.name)
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
        analyses.require(&f, AnalysisSet::LOOPS);
        assert!(analyses.valid.has(AnalysisSet::ORDER) && !analyses.valid.has(AnalysisSet::FRONTIERS));
        assert_eq!(analyses.find_stale(&f), None);
        let entry = f.entry().unwrap();
        f.clear_terminator(entry);
        f.set_ret(entry, None, Place::NONE);
        assert_eq!(analyses.find_stale(&f), Some("order"));
        analyses.keep(AnalysisSet::LOOPS.with(AnalysisSet::ORDER));
        assert_eq!(analyses.valid, AnalysisSet::ORDER);
    }
}
