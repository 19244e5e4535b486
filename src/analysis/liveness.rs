//! Which results are live at the ends of blocks: they are computed before and used behind. By use
//! (`base/graph/liveness`): O(uses + size of the answer). The operands of a phi are used at the ends of its
//! predecessors; a phi is defined at the start of its block, and a parameter at the start of the entry.

use super::Order;
use crate::base::graph::live_into;
use crate::base::{Column, Opt, Rows};
use crate::ir::{Block, Body, Inst, Op};

/// The live results of each reachable block, in the order of their definitions in reverse postorder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Liveness {
    live_in: Rows<Block, Inst>,
    live_out: Rows<Block, Inst>,
}

impl Liveness {
    /// Recomputes for `f`, keeping the memory.
    pub fn compute(&mut self, f: &Body, order: &Order) {
        let blocks = f.block_count();
        let [mut mark, mut mark_out] = [0; 2].map(|_| Column::filled(blocks, Opt::NONE));
        let (mut live_in, mut live_out) = (Vec::new(), Vec::new());
        let params = f.entry().into_iter().flat_map(|entry| f.params().map(move |i| (i, entry)));
        let others = order.blocks.iter().flat_map(|&b| f.insts(b).map(move |i| (i, b)));
        for (i, home) in params.chain(others) {
            let first = live_in.len();
            let ends =
                |u: crate::ir::Use| Some(f.edge_from(f.preds(f.block_of(u.user)?)[u.operand as usize]));
            let uses =
                f.uses(i).filter_map(|u| if f.op(u.user) == Op::Phi { ends(u) } else { f.block_of(u.user) });
            live_into(f, (i, Some(home)), uses.filter(|&b| order.reaches(b)), &mut mark, &mut live_in);
            let phis = f.uses(i).filter(|u| f.op(u.user) == Op::Phi).filter_map(ends);
            let before =
                live_in[first..].iter().flat_map(|&(b, _)| f.preds(b).iter().map(|&e| f.edge_from(e)));
            for b in phis.chain(before).filter(|&b| order.reaches(b)) {
                if mark_out[b] != Opt::some(i) {
                    mark_out[b] = Opt::some(i);
                    live_out.push((b, i));
                }
            }
        }
        self.live_in.fill(blocks, &live_in);
        self.live_out.fill(blocks, &live_out);
    }

    /// What is live where the block starts, its own phis not among it.
    pub fn live_in(&self, b: Block) -> &[Inst] {
        self.live_in.get(b)
    }

    /// What is live where the block ends, operands of its successors' phis included.
    pub fn live_out(&self, b: Block) -> &[Inst] {
        self.live_out.get(b)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dominators;
    use super::super::random::{Random, random_body, seeds};
    use super::*;
    use crate::base::Handle;
    use crate::ir::{At, Place, Type, Value};

    /// A random graph with sums in the blocks and phis at some joins, all operands dominating their uses.
    fn random_code(seed: u32) -> (Body, Order) {
        let mut f = random_body(seed, 9);
        let mut random = Random::new(seed ^ 0x5555);
        let (mut order, mut dominators) = (Order::default(), Dominators::default());
        order.compute(&f);
        dominators.compute(&f, &order);
        let mut defs: Vec<(Option<Block>, Inst)> = vec![(None, Inst::new(0))];
        for &b in &order.blocks {
            if f.preds(b).len() > 1 && random.below(2) == 0 {
                let phi = f.insert_phi(b, Type::I32, Place::NONE);
                defs.push((Some(b), phi));
            }
            for _ in 0..random.below(3) {
                let mut pick = |defs: &[(Option<Block>, Inst)]| {
                    let ok: Vec<Inst> = defs
                        .iter()
                        .filter(|(def, _)| def.is_none_or(|def| dominators.dominates(def, b)))
                        .map(|&(_, i)| i)
                        .collect();
                    Value::inst(ok[random.below(ok.len())])
                };
                let args = [pick(&defs), pick(&defs)];
                let i = f.insert(At::BeforeTerminator(b), Op::Add, Type::I32, &args, 0, Place::NONE);
                defs.push((Some(b), i));
            }
        }
        for &b in &order.blocks {
            for phi in f.phis(b).collect::<Vec<Inst>>() {
                for e in f.preds(b).to_vec() {
                    let from = f.edge_from(e);
                    let ok: Vec<Inst> = defs
                        .iter()
                        .filter(|(def, _)| def.is_none_or(|def| dominators.dominates(def, from)))
                        .map(|&(_, i)| i)
                        .collect();
                    f.set_arg(phi, f.edge_slot(e), Value::inst(ok[random.below(ok.len())]));
                }
            }
        }
        (f, order)
    }

    /// By the data-flow equations, to a fixed point.
    fn naive(f: &Body, order: &Order) -> (Vec<Vec<Inst>>, Vec<Vec<Inst>>) {
        let (mut ins, mut outs) = (vec![Vec::new(); f.block_count()], vec![Vec::new(); f.block_count()]);
        let add = |set: &mut Vec<Inst>, i: Inst| {
            let new = !set.contains(&i);
            if new {
                set.push(i);
            }
            new
        };
        loop {
            let mut changed = false;
            for &b in &order.blocks {
                for e in f.succs(b) {
                    let to = f.edge_to(e);
                    let mut more: Vec<Inst> = ins[to.index()].clone();
                    more.extend(f.phis(to).filter_map(|phi| f.arg(phi, f.edge_slot(e)).as_inst()));
                    for i in more {
                        changed |= add(&mut outs[b.index()], i);
                    }
                }
                let mut need: Vec<Inst> = outs[b.index()].clone();
                for i in f.insts(b).filter(|&i| f.op(i) != Op::Phi) {
                    need.extend(f.args(i).iter().filter_map(|v| v.as_inst()));
                }
                for i in need {
                    let at_entry = f.block_of(i).is_none() && f.entry() == Some(b);
                    if f.block_of(i) != Some(b) && !at_entry {
                        changed |= add(&mut ins[b.index()], i);
                    }
                }
            }
            if !changed {
                return (ins, outs);
            }
        }
    }

    #[test]
    fn agrees_with_the_data_flow_equations_on_random_code() {
        let mut live = 0;
        for seed in seeds() {
            let (f, order) = random_code(seed);
            let mut liveness = Liveness::default();
            liveness.compute(&f, &order);
            let (ins, outs) = naive(&f, &order);
            let sorted = |set: &[Inst]| {
                let mut set = set.to_vec();
                set.sort();
                set
            };
            for &b in &order.blocks {
                assert_eq!(sorted(liveness.live_in(b)), sorted(&ins[b.index()]), "seed {seed}, {b:?}");
                assert_eq!(sorted(liveness.live_out(b)), sorted(&outs[b.index()]), "seed {seed}, {b:?}");
                live += outs[b.index()].len();
            }
        }
        assert!(live > 1000, "{live}");
    }
}
