//! Which results are live at the ends of blocks: they are computed before and used behind.
//!
//! One result after the other: from each use up to the definition, stopping at blocks that the same result has
//! marked already. O(uses + size of the answer). The operands of a phi are used at the ends of its predecessors; a phi
//! is defined at the start of its block, and a parameter at the start of the entry.
//!
//! (Boissinot et al., "Computing liveness sets for SSA-form programs", 2011, section 5.2: by use.)

use super::order::Order;
use super::rows::Rows;
use crate::base::{Column, Opt};
use crate::ir::{Block, Body, Inst, Op};

/// The live results of each reachable block, in the order of their definitions in reverse postorder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Liveness {
    live_in: Rows<Block, Inst>,
    live_out: Rows<Block, Inst>,
}

struct Marks {
    pairs: Vec<(Block, Inst)>,
    last: Column<Block, Opt<Inst>>,
}

impl Marks {
    /// True if the block was not marked for this result yet.
    fn mark(&mut self, b: Block, i: Inst) -> bool {
        let new = self.last[b] != Opt::some(i);
        if new {
            self.last[b] = Opt::some(i);
            self.pairs.push((b, i));
        }
        new
    }
}

impl Liveness {
    /// Recomputes for `f`, keeping the memory.
    pub fn compute(&mut self, f: &Body, order: &Order) {
        let blocks = f.block_count();
        let [mut live_in, mut live_out] =
            [0; 2].map(|_| Marks { pairs: Vec::new(), last: Column::filled(blocks, Opt::NONE) });
        let mut stack: Vec<Block> = Vec::new();
        if let Some(entry) = f.entry() {
            for param in f.params() {
                mark_uses(f, order, param, entry, &mut live_in, &mut live_out, &mut stack);
            }
        }
        for &b in &order.blocks {
            for i in f.insts(b) {
                mark_uses(f, order, i, b, &mut live_in, &mut live_out, &mut stack);
            }
        }
        self.live_in.fill(blocks, &live_in.pairs);
        self.live_out.fill(blocks, &live_out.pairs);
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

fn mark_uses(
    f: &Body,
    order: &Order,
    i: Inst,
    def: Block,
    live_in: &mut Marks,
    live_out: &mut Marks,
    stack: &mut Vec<Block>,
) {
    for u in f.uses(i) {
        let Some(user) = f.block_of(u.user).filter(|&b| order.reaches(b)) else { continue };
        if f.op(u.user) == Op::Phi {
            let from = f.edge_from(f.preds(user)[u.operand as usize]);
            if order.reaches(from) && live_out.mark(from, i) && from != def {
                stack.push(from);
            }
        } else if user != def {
            stack.push(user);
        }
        while let Some(b) = stack.pop() {
            if !live_in.mark(b, i) {
                continue;
            }
            for &e in f.preds(b) {
                let from = f.edge_from(e);
                if order.reaches(from) && live_out.mark(from, i) && from != def {
                    stack.push(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dominators::Dominators;
    use super::super::random::{Random, random_body, seeds};
    use super::*;
    use crate::base::Handle;
    use crate::ir::{At, Type, Value};

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
                let phi = f.insert_phi(b, Type::I32);
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
                let i = f.insert(At::BeforeTerminator(b), Op::Add, Type::I32, &args, 0);
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
