//! What selection asks of a body: no unreachable blocks, no critical edge into a block with phis, no
//! branch on a constant, and the reverse postorder of its blocks. O(blocks + edges x phis).

use crate::base::{Column, Handle};
use crate::ir::{Block, Body, Op};

/// Changes the body so that it may be selected, and returns the reverse postorder of its blocks.
pub fn prepare(body: &mut Body) -> Vec<Block> {
    let blocks: Vec<Block> = body.blocks().collect();
    for &b in &blocks {
        fold_branch(body, b);
    }
    let reached = reverse_postorder(body);
    let mut is_reached = Column::filled(body.block_count(), false);
    for &b in &reached {
        is_reached[b] = true;
    }
    let dead: Vec<Block> = blocks.into_iter().filter(|&b| !is_reached[b]).collect();
    body.remove_blocks(&dead);
    let mut has_split = false;
    for &b in &reached {
        if body.succs(b).len() < 2 {
            continue;
        }
        for e in body.succs(b) {
            let to = body.edge_to(e);
            if body.preds(to).len() > 1 && body.first(to).is_some_and(|i| body.op(i) == Op::Phi) {
                body.split_edge(e);
                has_split = true;
            }
        }
    }
    if has_split { reverse_postorder(body) } else { reached }
}

/// Makes a conditional branch that always goes one way, or to one place, an unconditional one.
fn fold_branch(body: &mut Body, b: Block) {
    let Some(i) = body.terminator(b).filter(|&i| body.op(i) == Op::CondBr) else { return };
    let mut succs = body.succs(b);
    let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return };
    match body.as_int(body.arg(i, 0)) {
        Some(0) => body.fold_cond_br(b, no),
        Some(_) => body.fold_cond_br(b, yes),
        None if body.edge_to(yes) == body.edge_to(no) => {
            let same = body
                .phis(body.edge_to(yes))
                .all(|phi| body.arg(phi, body.edge_slot(yes)) == body.arg(phi, body.edge_slot(no)));
            if same {
                body.fold_cond_br(b, yes);
            }
        }
        None => {}
    }
}

fn reverse_postorder(body: &Body) -> Vec<Block> {
    let mut order = Vec::new();
    let mut seen = Column::filled(body.block_count(), false);
    let mut stack = Vec::new();
    if let Some(entry) = body.entry() {
        seen[entry] = true;
        stack.push((entry, body.succs(entry)));
    }
    // The second successor is walked first, so that the code for true stands before the code for false.
    while let Some((b, succs)) = stack.last_mut() {
        match succs.next_back() {
            Some(e) => {
                let to = body.edge_to(e);
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, body.succs(to)));
                }
            }
            None => {
                order.push(*b);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Interner;
    use crate::ir::{Func, FuncId, Inst, Linkage, Type, Value};

    #[test]
    fn critical_edges_into_phis_are_split_and_dead_blocks_go() {
        let name = Interner::default().intern("f");
        let params = vec![Type::I1, Type::I32];
        let func = Func { name, result: Type::I32, params, variadic: false, linkage: Linkage::External };
        let mut f = Body::new(FuncId::new(0), &func);
        let [a, b, c, d, never] = [0; 5].map(|_| f.create_block());
        let (p, x) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        f.set_cond_br(a, p, b, d);
        f.set_cond_br(b, Value::bool(false), never, c);
        f.set_br(never, d);
        f.set_br(c, d);
        let phi = f.insert_phi(d, Type::I32);
        for k in 0..3 {
            f.set_arg(phi, k, x);
        }
        f.set_ret(d, Some(Value::inst(phi)));
        let order = prepare(&mut f);
        assert_eq!((f.is_placed(never), f.check_tables()), (false, Ok(())));
        assert_eq!((order.len(), order[0], order[4], f.args(phi).len()), (5, a, d, 2));
        assert!(
            order
                .iter()
                .all(|&b| { f.succs(b).len() < 2 || f.succs(b).all(|e| f.preds(f.edge_to(e)).len() < 2) })
        );
    }
}
