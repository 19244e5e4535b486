//! The loops that a spilled value may spend in a register: the forest of `base/graph`, and the block in front
//! of each. Where a cycle has several entries (no source program makes one), there are no loops as far as
//! allocation is concerned.

use super::flow::Flow;
use crate::base::{Column, Opt};
use crate::mir::analyses::Analyses;
use crate::mir::{Block, Func};

pub(super) use crate::base::graph::Loop;

/// All loops of a function.
#[derive(Debug, Default)]
pub(super) struct Loops {
    /// Per block: the innermost loop around it.
    pub(super) of: Column<Block, Opt<Loop>>,
    /// Per loop: the loop around it, which has a lower number.
    pub(super) parent: Column<Loop, Opt<Loop>>,
    /// Per loop: the one block that enters it, if that does nothing else.
    pub(super) before: Column<Loop, Opt<Block>>,
}

impl Loops {
    /// The loops from the innermost around a block outwards.
    pub(super) fn around(&self, b: Block) -> impl Iterator<Item = Loop> {
        std::iter::successors(self.of.get(b).and_then(|l| l.get()), |&l| self.parent[l].get())
    }
}

/// Finds the loops.
pub(super) fn find(func: &Func, flow: &Flow, analyses: &mut Analyses) -> Loops {
    let forest = analyses.loops_by(func, &flow.order);
    if forest.irreducible {
        return Loops::default();
    }
    let before = forest.header.iter().map(|(l, &header)| {
        let mut outside = func.preds(header).iter().filter(|&&p| !forest.contains(l, p));
        let first =
            outside.next().filter(|&&p| outside.next().is_none() && func.blocks[p].succs[1].is_none());
        Opt::from(first.copied())
    });
    let before = before.collect::<Vec<_>>().into();
    Loops { of: forest.innermost.clone(), parent: forest.parent.clone(), before }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;
    use crate::mir::{parse, toy};

    #[test]
    fn loops_nest_as_their_back_edges_do() {
        let text = "
mb0 -> mb1
mb1 -> mb2
mb2 -> mb2 mb3
mb3 -> mb1 mb4
mb4 -> mb5
mb5 -> mb5 mb6
mb6
";
        let mut func = parse::parse(text, &toy::machine()).unwrap();
        let mut analyses = Analyses::default();
        let order = analyses.take_order(&func);
        let flow = Flow::new(&mut func, order);
        let loops = find(&func, &flow, &mut analyses);
        let nest = |b| loops.around(Block::new(b)).map(Handle::index).collect::<Vec<_>>();
        assert_eq!(
            [nest(0), nest(1), nest(2), nest(3), nest(4), nest(5)],
            [vec![], vec![0], vec![1, 0], vec![0], vec![], vec![2]]
        );
        assert_eq!(loops.before.as_slice(), [Block::new(0), Block::new(1), Block::new(4)].map(Opt::some));
    }

    #[test]
    fn a_loop_with_two_entries_gives_up_the_forest() {
        let mut func =
            parse::parse("mb0 -> mb1 mb2\nmb1 -> mb2\nmb2 -> mb1 mb3\nmb3\n", &toy::machine()).unwrap();
        let mut analyses = Analyses::default();
        let order = analyses.take_order(&func);
        let flow = Flow::new(&mut func, order);
        assert_eq!(find(&func, &flow, &mut analyses).around(Block::new(1)).count(), 0);
    }
}
