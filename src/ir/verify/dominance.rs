//! Definitions dominate uses.
//!
//! Dominators by Lengauer and Tarjan's simple method ("A fast algorithm for finding dominators in a
//! flowgraph", 1979), O(edges * log blocks), everything in preorder numbers and without recursion. The
//! immediate dominator has a smaller number than its block, so positions and sizes of the dominator tree's
//! subtrees come from two sweeps, and "a dominates b" is a range test. The verifier shares nothing with the
//! analyses that it is there to check.

use super::{Checked, Rule, VerifyError, inst_error};
use crate::base::Column;
use crate::ir::{Block, Body, Inst, Op};

const NONE: u32 = u32::MAX;

/// The dominator tree, as ranges.
struct Dominators {
    /// Per block: its preorder number, `NONE` if it cannot be reached.
    number: Column<Block, u32>,
    /// Per preorder number: where the block's subtree starts, and how many blocks it has.
    subtree: Vec<(u32, u32)>,
}

impl Dominators {
    fn is_reachable(&self, b: Block) -> bool {
        self.number[b] != NONE
    }

    /// `b` can be reached.
    fn dominates(&self, a: Block, b: Block) -> bool {
        let (a, b) = (self.number[a], self.number[b]);
        if a == NONE {
            return false;
        }
        let (start, size) = self.subtree[a as usize];
        self.subtree[b as usize].0.wrapping_sub(start) < size
    }
}

/// The spanning forest that Lengauer and Tarjan grow, by preorder number.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The vertex of least semidominator on the path from `v` up to, but without, the root of its tree.
    fn eval(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        let mut x = v;
        while self.ancestor[self.ancestor[x as usize] as usize] != NONE {
            self.path.push(x);
            x = self.ancestor[x as usize];
        }
        while let Some(x) = self.path.pop() {
            let a = self.ancestor[x as usize] as usize;
            if self.semi[self.label[a] as usize] < self.semi[self.label[x as usize] as usize] {
                self.label[x as usize] = self.label[a];
            }
            self.ancestor[x as usize] = self.ancestor[a];
        }
        self.label[v as usize]
    }
}

fn dominators(f: &Body) -> Dominators {
    let mut number = Column::filled(f.block_count(), NONE);
    let mut order: Vec<Block> = Vec::new();
    let mut parent: Vec<u32> = Vec::new();
    let mut stack: Vec<(Block, u32)> = f.entry().map(|entry| (entry, NONE)).into_iter().collect();
    while let Some((b, from)) = stack.pop() {
        if number[b] == NONE {
            number[b] = order.len() as u32;
            stack.extend(f.succs(b).map(|e| (f.edge_to(e), number[b])));
            order.push(b);
            parent.push(from);
        }
    }
    let n = order.len() as u32;
    let mut forest = Forest {
        ancestor: vec![NONE; order.len()],
        label: (0..n).collect(),
        semi: (0..n).collect(),
        path: Vec::new(),
    };
    let mut idom = vec![0; order.len()];
    // Per vertex: the first vertex whose semidominator it is; per vertex: the next one in the same bucket.
    let (mut bucket, mut bucket_next) = (vec![NONE; order.len()], vec![NONE; order.len()]);
    for w in (1..n).rev() {
        for &e in f.preds(order[w as usize]) {
            let v = number[f.edge_from(e)];
            if v != NONE {
                let u = forest.eval(v);
                forest.semi[w as usize] = forest.semi[w as usize].min(forest.semi[u as usize]);
            }
        }
        let semi = forest.semi[w as usize] as usize;
        bucket_next[w as usize] = bucket[semi];
        bucket[semi] = w;
        let p = parent[w as usize];
        forest.ancestor[w as usize] = p;
        let mut v = std::mem::replace(&mut bucket[p as usize], NONE);
        while v != NONE {
            let u = forest.eval(v);
            idom[v as usize] = if forest.semi[u as usize] < forest.semi[v as usize] { u } else { p };
            v = bucket_next[v as usize];
        }
    }
    for w in 1..order.len() {
        if idom[w] != forest.semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    let mut subtree = vec![(0, 1); order.len()];
    for w in (1..order.len()).rev() {
        subtree[idom[w] as usize].1 += subtree[w].1;
    }
    let mut next = vec![1; order.len()];
    for w in 1..order.len() {
        let start = next[idom[w] as usize];
        subtree[w].0 = start;
        next[w] = start + 1;
        next[idom[w] as usize] = start + subtree[w].1;
    }
    Dominators { number, subtree }
}

/// Checks `Rule::Dominance` on a body whose tables agree.
pub(super) fn check(f: &Body) -> Checked {
    let doms = dominators(f);
    // Of a block's instructions those that stand before.
    let mut is_before: Column<Inst, bool> = Column::filled(f.inst_count(), false);
    for b in f.blocks().filter(|&b| doms.is_reachable(b)) {
        for i in f.insts(b) {
            let phi = f.op(i) == Op::Phi;
            for (k, v) in f.args(i).iter().enumerate() {
                let Some(def) = v.as_inst() else { continue };
                let Some(def_block) = f.block_of(def) else { continue };
                let good = if phi {
                    let from = f.edge_from(f.preds(b)[k]);
                    !doms.is_reachable(from) || doms.dominates(def_block, from)
                } else if def_block == b {
                    is_before[def]
                } else {
                    doms.dominates(def_block, b)
                };
                if !good {
                    let message = format!("operand {k}, {def:?} in {def_block:?}, does not dominate its use");
                    let error = inst_error(f, i, Rule::Dominance, message);
                    return Err(VerifyError { operand: Some(def), ..error });
                }
            }
            is_before[i] = true;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Handle, Interner};
    use crate::ir::{Func, FuncId, Linkage, Place, Type, Value};

    /// Dominance by definition: without `a`, `b` cannot be reached.
    fn slow_dominates(f: &Body, a: Block, b: Block) -> bool {
        let mut seen = vec![false; f.block_count()];
        let mut stack: Vec<Block> = f.entry().into_iter().filter(|&entry| entry != a).collect();
        while let Some(x) = stack.pop() {
            if x != a && !std::mem::replace(&mut seen[x.index()], true) {
                stack.extend(f.succs(x).map(|e| f.edge_to(e)));
            }
        }
        !seen[b.index()]
    }

    #[test]
    fn dominators_of_random_graphs_agree_with_the_definition() {
        let name = Interner::default().intern("f");
        let func = Func::new(name, Type::Void, Vec::new(), Linkage::External);
        let mut seed = 5u32;
        let mut random = |n: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % n
        };
        for _ in 0..200 {
            let mut f = Body::new(FuncId::new(0), &func);
            let n = 2 + random(14);
            let blocks: Vec<Block> = (0..n).map(|_| f.create_block()).collect();
            for &b in &blocks {
                match random(4) {
                    0 => f.set_ret(b, None, Place::NONE),
                    1 => _ = f.set_br(b, blocks[random(n)], Place::NONE),
                    _ => {
                        _ = f.set_cond_br(
                            b,
                            Value::bool(true),
                            blocks[random(n)],
                            blocks[random(n)],
                            Place::NONE,
                        )
                    }
                }
            }
            let doms = dominators(&f);
            for &b in blocks.iter().filter(|&&b| doms.is_reachable(b)) {
                for &a in &blocks {
                    let expected = doms.is_reachable(a) && slow_dominates(&f, a, b);
                    assert_eq!(doms.dominates(a, b), expected, "{a:?} {b:?} {f:?}");
                }
            }
        }
    }

    #[test]
    fn a_long_chain_of_blocks_takes_no_stack() {
        let name = Interner::default().intern("f");
        let func = Func::new(name, Type::Void, Vec::new(), Linkage::External);
        let mut f = Body::new(FuncId::new(0), &func);
        let first = f.create_block();
        let mut last = first;
        for _ in 0..100_000 {
            let b = f.create_block();
            f.set_br(last, b, Place::NONE);
            last = b;
        }
        f.set_ret(last, None, Place::NONE);
        assert!(dominators(&f).dominates(first, last) && check(&f).is_ok());
    }
}
