//! What passes ask of the graph of a machine function: computed when first needed, kept while passes leave it true, in
//! columns that a worker takes from function to function. An analysis is a bit of `Needs`; the row of a pass
//! (`mir/pass.rs`) says which are there when it starts and which still hold behind it, and a pass that rarely has a use
//! for one asks on the way. O(blocks + edges) each.

use super::{Block, Func};
use crate::base::graph::{Dominators, Loops, Order};

/// A set of analyses.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs(u8);

impl Needs {
    /// None.
    pub const NONE: Needs = Needs(0);
    /// Reverse postorder.
    pub const ORDER: Needs = Needs(1);
    /// The dominator tree, and what it is made from.
    pub const DOMINATORS: Needs = Needs(3);
    /// The loop forest, and what it is made from.
    pub const LOOPS: Needs = Needs(7);
    /// All of them: what changes no edge leaves them true.
    pub const ALL: Needs = Needs::LOOPS;

    /// True if all of these are in the set.
    pub const fn has(self, some: Needs) -> bool {
        self.0 & some.0 == some.0
    }

    /// The names of those in the set, in the order in which they are computed.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().enumerate().filter(move |(k, _)| self.0 >> k & 1 != 0).map(|(_, name)| name)
    }
}

const NAMES: [&str; 3] = ["order", "dominators", "loops"];

/// The analyses of the function at hand. A set that holds is closed: whatever is made from another is gone when that is.
#[derive(Debug, Default)]
pub struct Analyses {
    /// Reverse postorder.
    pub order: Order<Block>,
    /// The dominator tree.
    pub dominators: Dominators<Block>,
    /// The loop forest.
    pub loops: Loops<Block>,
    valid: Needs,
}

impl Analyses {
    /// Makes these true of the function.
    pub fn require(&mut self, func: &Func, needs: Needs) {
        let missing = |have: Needs, bit: u8| needs.0 & bit != 0 && have.0 & bit == 0;
        if missing(self.valid, 1) {
            self.order.compute(func);
        }
        if missing(self.valid, 2) {
            self.dominators.compute(func, &self.order);
        }
        if missing(self.valid, 4) {
            self.loops.compute(func, &self.order, &self.dominators);
        }
        self.valid = Needs(self.valid.0 | needs.0);
    }

    /// The order, for one who changes the function; `return_order` gives it back.
    pub fn take_order(&mut self, func: &Func) -> Order<Block> {
        self.require(func, Needs::ORDER);
        std::mem::take(&mut self.order)
    }

    /// Takes back what `take_order` gave, which is still true.
    pub fn return_order(&mut self, order: Order<Block>) {
        self.order = order;
    }

    /// The loop forest of a function whose order is out.
    pub fn loops_by(&mut self, func: &Func, order: &Order<Block>) -> &Loops<Block> {
        if !self.valid.has(Needs::DOMINATORS) {
            self.dominators.compute(func, order);
        }
        if !self.valid.has(Needs::LOOPS) {
            self.loops.compute(func, order, &self.dominators);
        }
        self.valid = Needs::LOOPS;
        &self.loops
    }

    /// Forgets all but these.
    pub fn keep(&mut self, kept: Needs) {
        let valid = self.valid.0 & kept.0;
        // Each is made from those below it.
        self.valid = Needs(valid & !(u8::MAX << valid.trailing_ones()));
    }

    /// The name of one that is held to be true of the function and is not.
    pub fn find_stale(&self, func: &Func) -> Option<&'static str> {
        let mut fresh = Analyses::default();
        fresh.require(func, self.valid);
        let same =
            [self.order == fresh.order, self.dominators == fresh.dominators, self.loops == fresh.loops];
        self.valid.names().zip(same).find(|(_, same)| !same).map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;
    use crate::mir::{parse, toy};

    #[test]
    fn what_is_forgotten_takes_what_was_made_from_it_along_and_a_stale_one_is_found() {
        let text = "mb0 -> mb1\n    j mb1\nmb1 -> mb1 mb2\n    bflag mb1\nmb2\n    ret\n";
        let mut func = parse::parse(text, &toy::machine()).unwrap();
        let mut analyses = Analyses::default();
        analyses.require(&func, Needs::LOOPS);
        assert_eq!((analyses.loops.header.len(), analyses.find_stale(&func)), (1, None));
        let kept = |analyses: &mut Analyses, kept| {
            analyses.require(&func, Needs::LOOPS);
            analyses.keep(kept);
            analyses.valid
        };
        assert_eq!(kept(&mut analyses, Needs::ALL), Needs::LOOPS);
        assert_eq!(kept(&mut analyses, Needs(4)), Needs::NONE);
        assert_eq!(kept(&mut analyses, Needs(5)), Needs::ORDER);
        assert_eq!(kept(&mut analyses, Needs::DOMINATORS), Needs::DOMINATORS);
        assert_eq!(Needs::DOMINATORS.names().collect::<Vec<_>>(), ["order", "dominators"]);
        analyses.require(&func, Needs::LOOPS);
        func.blocks[Block::new(1)].succs[1] = crate::base::Opt::NONE;
        assert_eq!(analyses.find_stale(&func), Some("order"));
    }
}
