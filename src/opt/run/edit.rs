//! Changes of the CFG after which order, dominators and loops are as good as computed again.
//!
//! Edits are made in batches. While a batch goes on, analyses are those of before it, but that a new block
//! has a loop. `Analyses::settle` ends it: what was true is computed again, if there was an edit. (Updating
//! only the smallest subtree of dominators that holds all edits costs as much: mostly that is the whole
//! tree.) Frontiers and all that reads instructions are forgotten. O(blocks + edges) a batch, and O(1) an
//! edit but for its phis.

use crate::base::graph::Loop;
use crate::base::{Handle, Opt};
use crate::ir::{Block, Body, Edge, Inst, Place, Value};
use crate::opt::run::analyses::{Analyses, AnalysisSet};

/// The analyses that a batch keeps.
const KEPT: AnalysisSet = AnalysisSet::ORDER.with(AnalysisSet::DOMINATORS).with(AnalysisSet::LOOPS);

impl Analyses {
    /// Points an edge at another block (`Body::redirect`); the caller sets the operands that it brings to
    /// phis.
    pub fn redirect(&mut self, f: &mut Body, e: Edge, to: Block) {
        self.edited = true;
        f.redirect(e, to);
    }

    /// Turns a conditional branch into the branch that it always takes (`Body::fold_cond_br`).
    pub fn fold_cond_br(&mut self, f: &mut Body, b: Block, keep: Edge, place: Place) {
        self.edited = true;
        f.fold_cond_br(b, keep, place);
    }

    /// Removes blocks that nothing outside of `dead` enters.
    pub fn remove_blocks(&mut self, f: &mut Body, dead: &[Block]) {
        self.edited |= !dead.is_empty();
        f.remove_blocks(dead);
    }

    /// Puts a new block on an edge (`Body::split_edge`).
    pub fn split_edge(&mut self, f: &mut Body, e: Edge) -> Block {
        let (from, to) = (f.edge_from(e), f.edge_to(e));
        let b = f.split_edge(e);
        self.enter(b, &[from], to);
        b
    }

    /// Makes a new block through which these edges, of which there is one at least and which all go to one
    /// block, go there. Phis of the target that get different values from them get those from phis of the new
    /// block.
    pub fn gather(&mut self, f: &mut Body, edges: &[Edge]) -> Option<Block> {
        let (&first, rest) = edges.split_first()?;
        if rest.is_empty() {
            return Some(self.split_edge(f, first));
        }
        let to = f.edge_to(first);
        let froms: Vec<Block> = edges.iter().map(|&e| f.edge_from(e)).collect();
        let phis: Vec<Inst> = f.phis(to).collect();
        let brought: Vec<Value> = phis
            .iter()
            .flat_map(|&phi| edges.iter().map(move |&e| (phi, e)))
            .map(|(phi, e)| f.arg(phi, f.edge_slot(e)))
            .collect();
        let b = f.create_block_after(froms[0]);
        edges.iter().for_each(|&e| f.redirect(e, b));
        let onward = f.set_br(b, to, Place::NONE);
        for (&phi, values) in phis.iter().zip(brought.chunks(edges.len())) {
            let v = if values.iter().all(|&v| v == values[0]) {
                values[0]
            } else {
                let merged = f.insert_phi(b, f.ty(phi), f.place(phi));
                for (&e, &v) in edges.iter().zip(values) {
                    f.set_arg(merged, f.edge_slot(e), v);
                }
                Value::inst(merged)
            };
            f.set_arg(phi, f.edge_slot(onward), v);
        }
        self.enter(b, &froms, to);
        Some(b)
    }

    /// Gives a new block on the way from some blocks to another one its loop.
    fn enter(&mut self, b: Block, froms: &[Block], to: Block) {
        self.edited = true;
        if self.valid.has(AnalysisSet::LOOPS) {
            let loops = &mut self.loops;
            let mut inner = loops.innermost[to].get();
            while let Some(l) = inner.filter(|&l| !froms.iter().all(|&from| loops.contains(l, from))) {
                inner = loops.parent[l].get();
            }
            loops.innermost.grow_to(b.index() + 1, Opt::NONE);
            loops.innermost[b] = Opt::from(inner);
        }
    }

    /// Another block, perhaps a new one, is the header of a loop, which holds the same blocks beside it.
    pub fn rotated(&mut self, l: Loop, header: Block) {
        self.edited = true;
        self.loops.header[l] = header;
        let innermost = &mut self.loops.innermost;
        innermost.grow_to(header.index() + 1, Opt::NONE);
        if innermost[header].is_none() {
            innermost[header] = Opt::some(l);
        }
    }

    /// Ends a batch: order, dominators and loops, those of them that were true before it, are true of the
    /// body again.
    pub fn settle(&mut self, f: &Body) {
        if !std::mem::take(&mut self.edited) {
            return;
        }
        self.keep(KEPT);
        if self.valid.has(AnalysisSet::ORDER) {
            self.order.compute(f);
        }
        if self.valid.has(AnalysisSet::DOMINATORS) {
            self.dominators.compute(f, &self.order);
        }
        if self.valid.has(AnalysisSet::LOOPS) {
            self.loops.compute(f, &self.order, &self.dominators);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::random::{Random, random_body, seeds};
    use crate::analysis::{Effects, TargetFacts};
    use crate::ir::{Env, Op, Type};
    use crate::opt::run::analyses::Given;

    #[test]
    fn batches_of_random_edits_leave_what_computing_it_all_again_makes() {
        let (env, effects, target) = (Env::default(), Effects::default(), TargetFacts::default());
        for seed in seeds() {
            let mut f = random_body(seed, 12);
            let mut random = Random::new(seed ^ 0x77);
            let mut analyses = Analyses::default();
            for _ in 0..6 {
                analyses.require(Given { env: &env, effects: &effects, target: &target, f: &f }, KEPT);
                for _ in 0..1 + random.below(3) {
                    let blocks: Vec<Block> = f.blocks().collect();
                    let b = blocks[random.below(blocks.len())];
                    let edges: Vec<Edge> = f.succs(b).collect();
                    let Some(&e) = edges.get(random.below(2)) else { continue };
                    let target = blocks[random.below(blocks.len())];
                    match random.below(5) {
                        0 => drop(analyses.split_edge(&mut f, e)),
                        1 if Some(target) != f.entry() => analyses.redirect(&mut f, e, target),
                        2 => {
                            let entering = f.preds(f.edge_to(e)).to_vec();
                            let some = &entering[..1 + random.below(entering.len())];
                            analyses.gather(&mut f, some);
                        }
                        3 if edges.len() == 2 => analyses.fold_cond_br(&mut f, b, e, Place::NONE),
                        _ => {
                            let (order, _) = fresh(&f);
                            let dead: Vec<Block> = f.blocks().filter(|&b| !order.reaches(b)).collect();
                            analyses.remove_blocks(&mut f, &dead);
                        }
                    }
                }
                analyses.settle(&f);
                assert!(analyses.valid.has(KEPT));
                assert_eq!(
                    analyses.find_stale(Given { env: &env, effects: &effects, target: &target, f: &f }),
                    None,
                    "seed {seed}"
                );
                assert_eq!(f.check_tables(), Ok(()));
            }
        }
    }

    fn fresh(f: &Body) -> (crate::analysis::Order, ()) {
        let mut order = crate::analysis::Order::default();
        order.compute(f);
        (order, ())
    }

    #[test]
    fn edges_are_gathered_with_what_they_bring() {
        let mut f = crate::analysis::random::empty_body();
        let [entry, one, two, join] = [0; 4].map(|_| f.create_block());
        let (x, c) = (Value::inst(Handle::new(0)), Value::inst(Handle::new(1)));
        f.set_cond_br(entry, c, one, two, Place::NONE);
        let edges = [f.set_br(one, join, Place::NONE), f.set_br(two, join, Place::NONE)];
        let phis = [0; 2].map(|_| f.insert_phi(join, Type::I32, Place::NONE));
        let seven = f.int(7);
        f.set_arg(phis[0], 0, x);
        f.set_arg(phis[0], 1, seven);
        f.set_arg(phis[1], 0, x);
        f.set_arg(phis[1], 1, x);
        f.set_ret(join, None, Place::NONE);
        let b = Analyses::default().gather(&mut f, &edges).unwrap();
        assert_eq!(f.check_tables(), Ok(()));
        let merged = f.first(b).filter(|&i| f.op(i) == Op::Phi).unwrap();
        assert_eq!((f.args(merged), f.args(phis[0])), (&[x, seven][..], &[Value::inst(merged)][..]));
        assert_eq!(f.args(phis[1]), [x]);
    }
}
