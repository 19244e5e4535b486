//! The loop forest, from back edges: headers inner to outer, a backward walk each, which steps over loops found before in
//! one stride. Near-linear. A header that does not dominate its back edges (no source program makes one) gives up the
//! forest: then there are no loops as far as allocation is concerned. (Havlak 1997, without the irreducible part.)

use super::flow::Flow;
use crate::base::{Column, Opt};
use crate::mir::{Block, Func};

crate::handle! {
    /// A loop: its number, inner loops before outer ones.
    pub(super) struct Loop("loop");
}

/// All loops of a function.
#[derive(Debug, Default)]
pub(super) struct Loops {
    /// Per block: the innermost loop around it.
    pub(super) of: Column<Block, Opt<Loop>>,
    /// Per loop: the loop around it.
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
pub(super) fn find(func: &Func, flow: &Flow) -> Loops {
    let mut loops = Loops { of: Column::filled(func.blocks.len(), Opt::NONE), ..Loops::default() };
    let mut headers: Column<Loop, Block> = Column::new();
    // Union-find over loops: the outermost one found so far.
    let mut outer: Column<Loop, Loop> = Column::new();
    let mut stack = Vec::new();
    for (place, &header) in flow.rpo.iter().enumerate().rev() {
        let back = |&&p: &&Block| flow.pos[p] as usize >= place;
        stack.extend(func.preds(header).iter().filter(back));
        if stack.is_empty() {
            continue;
        }
        let this = headers.push(header);
        outer.push(this);
        loops.parent.push(Opt::NONE);
        let mut outside = func.preds(header).iter().filter(|p| !back(p));
        let before =
            outside.next().filter(|&&p| outside.next().is_none() && func.blocks[p].succs[1].is_none());
        loops.before.push(Opt::from(before.copied()));
        loops.of[header] = Opt::some(this);
        while let Some(b) = stack.pop() {
            if (flow.pos[b] as usize) < place {
                return Loops::default();
            }
            match loops.of[b].get() {
                None => {
                    loops.of[b] = Opt::some(this);
                    stack.extend(func.preds(b));
                }
                Some(inner) => {
                    let inner = outermost(&mut outer, inner);
                    if inner != this {
                        outer[inner] = this;
                        loops.parent[inner] = Opt::some(this);
                        stack.extend(func.preds(headers[inner]));
                    }
                }
            }
        }
    }
    loops
}

fn outermost(outer: &mut Column<Loop, Loop>, mut l: Loop) -> Loop {
    while outer[l] != l {
        outer[l] = outer[outer[l]];
        l = outer[l];
    }
    l
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
        let flow = Flow::new(&mut func);
        let loops = find(&func, &flow);
        let nest = |b| loops.around(Block::new(b)).map(Handle::index).collect::<Vec<_>>();
        assert_eq!(
            [nest(0), nest(1), nest(2), nest(3), nest(4), nest(5)],
            [vec![], vec![2], vec![1, 2], vec![2], vec![], vec![0]]
        );
        assert_eq!(loops.before.as_slice(), [Block::new(4), Block::new(1), Block::new(0)].map(Opt::some));
    }

    #[test]
    fn a_loop_with_two_entries_gives_up_the_forest() {
        let mut func =
            parse::parse("mb0 -> mb1 mb2\nmb1 -> mb2\nmb2 -> mb1 mb3\nmb3\n", &toy::machine()).unwrap();
        let flow = Flow::new(&mut func);
        assert_eq!(find(&func, &flow).around(Block::new(1)).count(), 0);
    }
}
