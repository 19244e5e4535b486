//! Brings loops into the form that passes over loops start from:
//!
//! - a *preheader*: one block enters the header from outside, and goes nowhere else;
//! - *dedicated exits*: a block that is entered from inside of a loop that it does not belong to is entered
//!   from there only;
//! - *loop-closed SSA*: a value of a loop is used outside of it by phis of its exits only, so a change to the
//!   loop has no other uses to follow.
//!
//! Blocks first, for all loops at once; then values, from inner loops out, each with a query for where phis
//! stand, and a walk up the dominator tree from its uses. O(blocks + edges + phi operands), and for a value
//! that leaves loops, the blocks between those and its uses.

use crate::analysis::simple_loop::preheader;
use crate::base::graph::{FrontierScratch, Loop};
use crate::base::{Column, Opt};
use crate::ir::{Block, Body, Edge, Inst, Op, Use, Value};
use crate::opt::run::analyses::{Analyses, AnalysisSet};
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static CANONICAL_LOOPS: FuncPass = FuncPass {
    name: "canonical_loops",
    description: "give loops preheaders, exits of their own, and phis for what leaves them",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    let changed = canonicalise(cx, closer);
    Outcome::changed_if(changed, KEPT)
}

/// What is true where a pass has done nothing else.
pub const CANONICAL_CFG: AnalysisSet = AnalysisSet::CFG.with(AnalysisSet::CANONICAL);

/// What the pass keeps.
const KEPT: AnalysisSet = AnalysisSet::ORDER.with(AnalysisSet::DOMINATORS).with(AnalysisSet::LOOPS);

/// Brings all loops into the form; true if there was something to do. Loops have to be true of the body,
/// and are afterwards.
pub fn canonicalise(cx: &mut FuncCx, closer: &mut Closer) -> bool {
    let blocks = simplify_loops(cx.f, cx.analyses);
    if cx.analyses.loops.header.is_empty() {
        return false;
    }
    let values = close_loops(cx.f, cx.analyses, closer);
    if blocks || values {
        cx.analyses.keep(KEPT);
    }
    cx.analyses.note_canonical();
    blocks || values
}

/// Times the blocks of a function that its loops may hold together, and blocks beyond.
const MOST_NESTED: usize = 32;
const MOST_BLOCKS: usize = 10_000;

/// True if there are loops, and passes may look at all blocks of each: in a nest of thousands of loops that
/// would cost the square of its depth. O(loops).
pub fn worth_it(f: &Body, analyses: &Analyses) -> bool {
    let loops = &analyses.loops;
    let most = f.block_count().saturating_mul(MOST_NESTED).saturating_add(MOST_BLOCKS);
    let mut held = 0usize;
    for l in loops.header.keys() {
        held += loops.blocks(l).len();
        if held > most {
            return false;
        }
    }
    held > 0
}

/// Gives every loop a preheader and dedicated exits; true if there was something to do. Order, dominators and
/// loops have to be true of the body, and are afterwards.
pub fn simplify_loops(f: &mut Body, analyses: &mut Analyses) -> bool {
    if analyses.are_canonical() {
        return false;
    }
    let before = f.block_count();
    for l in analyses.loops.header.keys() {
        if preheader(f, &analyses.loops, l).is_none() {
            let preds = f.preds(analyses.loops.header[l]).iter().copied();
            let outside: Vec<Edge> = preds.filter(|&e| !analyses.loops.contains(l, f.edge_from(e))).collect();
            analyses.gather(f, &outside);
        }
    }
    let mut shares_exit = find_shared_exits(f, analyses);
    // Inner loops first: what they get belongs to no loop that they are left along with.
    let mut exits: Vec<Block> = Vec::new();
    for l in analyses.loops.header.keys().rev() {
        if !shares_exit[l] {
            continue;
        }
        find_exits(f, analyses, l, &mut exits);
        for &exit in &exits {
            let loops = &analyses.loops;
            let is_inside = |&&e: &&Edge| loops.contains(l, f.edge_from(e));
            if !f.preds(exit).iter().all(|e| is_inside(&e)) {
                let inside: Vec<Edge> = f.preds(exit).iter().filter(is_inside).copied().collect();
                analyses.gather(f, &inside);
                // Loops that are left along with it are entered from a block that they do not hold, too, now.
                let loops = &analyses.loops;
                let mut around = loops.parent[l].get().filter(|&around| !loops.contains(around, exit));
                while let Some(outer) = around {
                    shares_exit[outer] = true;
                    around = loops.parent[outer].get().filter(|&around| !loops.contains(around, exit));
                }
            }
        }
    }
    analyses.settle(f);
    f.block_count() != before
}

/// Per loop: true if it may be left for a block that is entered from elsewhere, too. Fast path: most loops are not, once
/// they have been brought into the form, and one look at each edge that leaves loops is less than the edges of all
/// blocks for each loop around them (with `close_loops`, 2% of -O2 on nests).
fn find_shared_exits(f: &Body, analyses: &Analyses) -> Column<Loop, bool> {
    let loops = &analyses.loops;
    let mut shares = Column::filled(loops.header.len(), false);
    for outermost in loops.header.keys().filter(|&l| loops.parent[l].is_none()) {
        for &b in loops.blocks(outermost) {
            for to in f.succs(b).map(|e| f.edge_to(e)) {
                let mut left = loops.innermost[b].get().filter(|&l| !loops.contains(l, to));
                while let Some(l) = left {
                    shares[l] |= !f.preds(to).iter().all(|&e| loops.contains(l, f.edge_from(e)));
                    left = loops.parent[l].get().filter(|&l| !loops.contains(l, to));
                }
            }
        }
    }
    shares
}

/// Finds the blocks outside of a loop that are entered from inside, in order.
pub fn find_exits(f: &Body, analyses: &Analyses, l: Loop, exits: &mut Vec<Block>) {
    exits.clear();
    let edges = analyses.loops.blocks(l).iter().flat_map(|&b| f.succs(b));
    exits.extend(edges.map(|e| f.edge_to(e)).filter(|&b| !analyses.loops.contains(l, b)));
    exits.sort_unstable();
    exits.dedup();
}

/// Memory of `close_loops`.
#[derive(Debug, Default)]
pub struct Closer {
    /// Per block: the last value that needs a phi there wherever it is wanted behind, or is known there; and
    /// that.
    joins: Column<Block, Opt<Inst>>,
    known: Column<Block, (Opt<Inst>, Value)>,
    outside: Vec<Use>,
    exits: Vec<Block>,
    path: Vec<Block>,
    /// Phis whose operands are still to be found, and their blocks.
    open: Vec<(Inst, Block)>,
    frontier: Vec<Block>,
    frontiers: FrontierScratch<Block>,
}

/// Puts loops with preheaders and dedicated exits into loop-closed SSA; true if there was something to do.
/// Loops have to be true of the body.
pub fn close_loops(f: &mut Body, analyses: &mut Analyses, closer: &mut Closer) -> bool {
    if analyses.are_canonical() {
        return false;
    }
    let before = f.inst_count();
    closer.known.reset(f.block_count(), (Opt::NONE, Value::bool(false)));
    closer.joins.reset(f.block_count(), Opt::NONE);
    for l in analyses.loops.header.keys().rev() {
        let mut has_exits = false;
        for k in 0..analyses.loops.blocks(l).len() {
            let b = analyses.loops.blocks(l)[k];
            // The values of inner loops are closed.
            if analyses.loops.innermost[b].get() != Some(l) {
                continue;
            }
            let mut next = f.first(b);
            while let Some(i) = next {
                next = f.next(i);
                if !f.has_uses(i) {
                    continue;
                }
                let Analyses { loops, order, .. } = &*analyses;
                closer.outside.clear();
                for u in f.uses(i) {
                    // Nearly all users stand in the block, or in the loop, and what a phi there gets comes from there if
                    // it is a value of the loop.
                    if f.block_of(u.user).is_some_and(|at| at == b || loops.contains(l, at)) {
                        continue;
                    }
                    if place_of_use(f, &u).is_some_and(|at| !loops.contains(l, at) && order.reaches(at)) {
                        closer.outside.push(u);
                    }
                }
                if closer.outside.is_empty() {
                    continue;
                }
                if !has_exits {
                    find_exits(f, analyses, l, &mut closer.exits);
                    has_exits = true;
                }
                closer.find_joins(f, analyses, (l, i), b);
                for k in 0..closer.outside.len() {
                    let u = closer.outside[k];
                    if let Some(at) = place_of_use(f, &u) {
                        let v = closer.value_at(f, analyses, (l, i), at);
                        f.set_arg(u.user, u.operand as usize, v);
                    }
                }
            }
        }
    }
    f.inst_count() != before
}

/// The block at the end of which, or in which, a value is used.
fn place_of_use(f: &Body, u: &Use) -> Option<Block> {
    let b = f.block_of(u.user)?;
    Some(if f.op(u.user) == Op::Phi { f.edge_from(f.preds(b)[u.operand as usize]) } else { b })
}

impl Closer {
    /// Where phis stand for `i`, defined in `home`: at the exits that it reaches, and where control comes
    /// together from several of them.
    fn find_joins(&mut self, f: &Body, analyses: &mut Analyses, (l, i): (Loop, Inst), home: Block) {
        self.frontier.clear();
        let dominators = &analyses.dominators;
        self.frontier.extend(self.exits.iter().filter(|&&b| dominators.strictly_dominates(home, b)));
        // Behind a single one, all uses are dominated by it.
        if self.frontier.len() > 1 {
            analyses.ask_frontiers(f);
            let Analyses { dominators, frontiers, loops, .. } = &*analyses;
            let wanted = |b: Block| dominators.strictly_dominates(home, b) && !loops.contains(l, b);
            let reached = self.frontier.clone();
            frontiers.iterated(dominators, &mut self.frontiers, &reached, wanted, &mut self.frontier);
        }
        for &b in &self.frontier {
            self.joins[b] = Opt::some(i);
        }
    }

    /// The value of `i`, of a loop `l`, in a block outside of it that it dominates. Phis are made on the way.
    fn value_at(&mut self, f: &mut Body, analyses: &Analyses, (l, i): (Loop, Inst), at: Block) -> Value {
        // A use may be far behind the one exit that leads to it.
        let at = if let [exit] = *self.frontier.as_slice() { exit } else { at };
        let v = self.walk(f, analyses, (l, i), at);
        while let Some((phi, b)) = self.open.pop() {
            for k in 0..f.preds(b).len() {
                let from = f.edge_from(f.preds(b)[k]);
                if analyses.order.reaches(from) {
                    let v = self.walk(f, analyses, (l, i), from);
                    f.set_arg(phi, k, v);
                }
            }
        }
        v
    }

    /// Goes up the dominator tree to the nearest block where the value is known or has a phi.
    fn walk(&mut self, f: &mut Body, analyses: &Analyses, (l, i): (Loop, Inst), mut at: Block) -> Value {
        let v = loop {
            if analyses.loops.contains(l, at) {
                break Value::inst(i);
            }
            if self.known[at].0 == Opt::some(i) {
                break self.known[at].1;
            }
            self.path.push(at);
            if self.joins[at] == Opt::some(i) {
                let phi = f.insert_phi(at, f.ty(i), f.place(i));
                f.name_after(Value::inst(phi), i);
                self.open.push((phi, at));
                break Value::inst(phi);
            }
            let Some(above) = analyses.dominators.idom[at].get() else { break Value::inst(i) };
            at = above;
        };
        for b in self.path.drain(..) {
            self.known[b] = (Opt::some(i), v);
        }
        v
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::random::{Random, seeds};
    use crate::ir::{At, Place, Type};
    use crate::opt::run::testing::{changes_nothing, leaves_alone, rewrites};

    #[test]
    fn a_loop_with_two_ways_in_and_a_shared_exit_gets_all_it_needs() {
        rewrites(
            &CANONICAL_LOOPS,
            "define i32 @f(i32 %n, i1 %c) {
             entry:
               br i1 %c, label %one, label %head
             one:
               br i1 %c, label %head, label %exit
             head:
               %i = phi i32 [ 0, %entry ], [ 1, %one ], [ %j, %head ]
               %j = add i32 %i, 1
               %d = icmp slt i32 %j, %n
               br i1 %d, label %head, label %exit
             exit:
               %r = phi i32 [ 5, %one ], [ %j, %head ]
               ret i32 %r
             }",
            "define i32 @f(i32 %n, i1 %c) {
             entry:
               br i1 %c, label %one, label %before
             before:
               %s = phi i32 [ 0, %entry ], [ 1, %one ]
               br label %head
             one:
               br i1 %c, label %before, label %exit
             head:
               %i = phi i32 [ %j, %head ], [ %s, %before ]
               %j = add i32 %i, 1
               %d = icmp slt i32 %j, %n
               br i1 %d, label %head, label %behind
             behind:
               %t = phi i32 [ %j, %head ]
               br label %exit
             exit:
               %r = phi i32 [ 5, %one ], [ %t, %behind ]
               ret i32 %r
             }",
        );
    }

    #[test]
    fn a_loop_that_has_all_it_needs_is_left_alone() {
        leaves_alone(
            &CANONICAL_LOOPS,
            "define i32 @f(i32 %n) {
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %head ]
               %j = add i32 %i, 1
               %d = icmp slt i32 %j, %n
               br i1 %d, label %head, label %exit
             exit:
               %r = phi i32 [ %j, %head ]
               ret i32 %r
             }",
        );
    }

    #[test]
    fn random_graphs_obey_all_three_rules_and_stay_so() {
        let mut closed = 0;
        for seed in seeds() {
            let mut module = crate::opt::run::testing::module();
            let mut random = Random::new(seed);
            let f = module.nth_mut(0);
            build(f, &mut random);
            check_shared_exits(f);
            crate::opt::run::testing::apply(&CANONICAL_LOOPS, &mut module);
            assert!(changes_nothing(&CANONICAL_LOOPS, &mut module), "seed {seed}");
            let f = module.nth(0);
            let mut all = (crate::analysis::Order::default(), crate::analysis::Dominators::default());
            let mut loops = crate::analysis::Loops::default();
            all.0.compute(f);
            all.1.compute(f, &all.0);
            loops.compute(f, &all.0, &all.1);
            for l in loops.header.keys() {
                let froms = |b: Block| f.preds(b).iter().map(|&e| f.edge_from(e));
                let outside: Vec<Block> = froms(loops.header[l]).filter(|&b| !loops.contains(l, b)).collect();
                assert!(outside.len() == 1 && f.succs(outside[0]).len() == 1);
                for &b in loops.blocks(l) {
                    for to in f.succs(b).map(|e| f.edge_to(e)).filter(|&to| !loops.contains(l, to)) {
                        assert!(froms(to).all(|from| loops.contains(l, from)));
                    }
                    for u in f.insts(b).flat_map(|i| f.uses(i)) {
                        let at = place_of_use(f, &u).unwrap();
                        assert!(loops.contains(l, at) || !all.0.reaches(at), "seed {seed}");
                        closed += usize::from(!loops.contains(l, f.block_of(u.user).unwrap()));
                    }
                }
            }
        }
        assert!(closed > 50, "{closed}");
    }

    /// What is found in one look at each edge is what each loop has by itself.
    fn check_shared_exits(f: &Body) {
        let mut analyses = Analyses::default();
        analyses.ask_dominators(f);
        let Analyses { order, dominators, loops, .. } = &mut analyses;
        loops.compute(f, order, dominators);
        let (shares, mut exits) = (find_shared_exits(f, &analyses), Vec::new());
        for l in analyses.loops.header.keys() {
            find_exits(f, &analyses, l, &mut exits);
            let mut froms = exits.iter().flat_map(|&exit| f.preds(exit)).map(|&e| f.edge_from(e));
            assert_eq!(shares[l], froms.any(|from| !analyses.loops.contains(l, from)));
        }
    }

    /// Random blocks with a value each, and sums of values that dominate them.
    fn build(f: &mut Body, random: &mut Random) {
        let blocks: Vec<Block> = (0..3 + random.below(9)).map(|_| f.create_block()).collect();
        for &b in &blocks {
            let mut target = || blocks[1 + random.below(blocks.len() - 1)];
            let (yes, no) = (target(), target());
            match random.below(6) {
                0 => f.set_ret(b, Some(Value::inst(crate::base::Handle::new(0))), Place::NONE),
                1 => drop(f.set_br(b, yes, Place::NONE)),
                _ => drop(f.set_cond_br(b, Value::inst(crate::base::Handle::new(1)), yes, no, Place::NONE)),
            }
        }
        let (mut order, mut dominators) =
            (crate::analysis::Order::default(), crate::analysis::Dominators::default());
        order.compute(f);
        dominators.compute(f, &order);
        let mut made: Vec<(Block, Value)> = Vec::new();
        for &b in &order.blocks {
            let above: Vec<Value> =
                made.iter().filter(|(at, _)| dominators.dominates(*at, b)).map(|&(_, v)| v).collect();
            let x = Value::inst(crate::base::Handle::new(0));
            let y = if above.is_empty() { x } else { above[random.below(above.len())] };
            made.push((
                b,
                Value::inst(f.insert(At::BeforeTerminator(b), Op::Add, Type::I32, &[x, y], 0, Place::NONE)),
            ));
        }
    }
}
