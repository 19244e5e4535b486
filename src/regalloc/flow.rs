//! What allocation needs to know of the control flow graph, computed once: allocation moves rows, never
//! edges.
//!
//! Reverse postorder stands in for dominance order: a dominator always comes before what it dominates, so no
//! dominator tree is needed. The walk enters the shallower successor first (`Func` as a graph), which places
//! it later: loops come out contiguous, and intervals over the order stay tight. O(blocks + edges), and
//! O(headers log headers) for the table of loop ends.

use crate::base::Column;
use crate::base::graph::Order;
use crate::base::graph::order::UNREACHABLE;
use crate::mir::desc::PHI;
use crate::mir::{Block, Func, Inst};

/// Block order and edges.
#[derive(Debug)]
pub(super) struct Flow {
    /// The reachable blocks in reverse postorder, and the place of each block.
    pub(super) order: Order<Block>,
    /// Per block and successor: which predecessor of the successor it is.
    pub(super) edge_slot: Column<Block, [u32; 2]>,
}

impl Flow {
    /// Orders the blocks and takes the unreachable ones out of the function: they lose their rows, and phis
    /// the operands that came from them.
    pub(super) fn new(func: &mut Func, order: Order<Block>) -> Flow {
        if order.blocks.len() < func.blocks.len() {
            drop_unreachable(func, &order.position);
        }
        let mut edge_slot = Column::filled(func.blocks.len(), [u32::MAX; 2]);
        for &b in &order.blocks {
            for (k, &p) in func.preds(b).iter().enumerate() {
                let succs = func.blocks[p].succs;
                let second = succs[0].get() != Some(b) || edge_slot[p][0] != u32::MAX;
                edge_slot[p][usize::from(second)] = k as u32;
            }
        }
        Flow { order, edge_slot }
    }

    /// The phi rows of a block.
    pub(super) fn phis(func: &Func, b: Block) -> impl Iterator<Item = Inst> {
        func.rows(b).take_while(|&i| func.insts[i].op == PHI)
    }
}

/// How far back edges reach: until where values live that a loop needs again.
pub(super) struct BackEdges {
    /// Places that edges go back to, ascending.
    headers: Vec<u32>,
    /// Row `j`, column `k`: the last place that edges to `headers[k .. k + 2^j]` come back from.
    back: Vec<Vec<u32>>,
}

impl BackEdges {
    pub(super) fn new(func: &Func, flow: &Flow) -> BackEdges {
        let (mut headers, mut last) = (Vec::new(), Vec::new());
        for (k, &b) in flow.order.blocks.iter().enumerate() {
            let from = func.preds(b).iter().map(|&p| flow.order.position[p]).filter(|&p| p >= k as u32).max();
            if let Some(from) = from {
                headers.push(k as u32);
                last.push(from);
            }
        }
        let mut back = vec![last];
        while 1 << back.len() <= headers.len() {
            let half = 1 << (back.len() - 1);
            let below = &back[back.len() - 1];
            let row = (0..below.len() - half).map(|k| below[k].max(below[k + half])).collect();
            back.push(row);
        }
        BackEdges { headers, back }
    }

    /// The block, by place, to the end of which a value stays alive that is defined at place `def` and used
    /// last somewhere in the block at `end`, if some path from the definition to a use goes round a loop that
    /// does not contain the definition and reaches that far. None: it dies at its last use.
    pub(super) fn live_until(&self, def: u32, end: u32) -> Option<u32> {
        let low = self.headers.partition_point(|&h| h <= def);
        let mut until = None;
        loop {
            let end = until.unwrap_or(end);
            let high = self.headers.partition_point(|&h| h <= end);
            if low >= high {
                return until;
            }
            let j = (high - low).ilog2() as usize;
            let far = self.back[j][low].max(self.back[j][high - (1 << j)]);
            // A loop of one block, or one that ends with the last use's block, needs the value to the block's
            // end.
            if far < end || until == Some(far) {
                return until;
            }
            until = Some(far);
        }
    }
}

fn drop_unreachable(func: &mut Func, pos: &Column<Block, u32>) {
    for b in func.blocks.keys() {
        if pos[b] == UNREACHABLE {
            let row = &mut func.blocks[b];
            row.end = row.first;
            row.succs = Default::default();
            row.pred_count = 0;
            continue;
        }
        let kept: Vec<bool> = func.preds(b).iter().map(|&p| pos[p] != UNREACHABLE).collect();
        if kept.iter().all(|&k| k) {
            continue;
        }
        let phis: Vec<Inst> = Flow::phis(func, b).collect();
        for i in phis {
            let first = func.insts[i].first as usize + 1;
            let mut count = 0;
            for (k, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
                func.operands[first + count] = func.operands[first + k];
                count += 1;
            }
            func.insts[i].imm = count as i32;
        }
        let first = func.blocks[b].first_pred as usize;
        let mut count = 0;
        for (k, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
            func.preds[first + count] = func.preds[first + k];
            count += 1;
        }
        func.blocks[b].pred_count = count as u32;
    }
}
