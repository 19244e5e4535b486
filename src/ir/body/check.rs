//! Whether the tables of a body agree with each other: for the verifier, and for tests of the mutators.
//! O(body).

use super::Body;
use crate::base::{Column, Opt};
use crate::ir::Op;
use crate::ir::cfg::UNLINKED;

impl Body {
    /// Checks that the tables agree: lists, uses, edges and phi operand counts. O(body).
    pub fn check_tables(&self) -> Result<(), String> {
        self.places.check()?;
        let mut uses = Column::filled(self.inst_count(), 0);
        for def in self.rows.keys().flat_map(|i| self.args(i)).filter_map(|v| v.as_inst()) {
            uses[def] += 1;
        }
        let (mut prev_block, mut placed) = (Opt::NONE, 0);
        for b in self.blocks() {
            let node = self.layout.blocks[b];
            if !node.placed || node.prev != prev_block {
                return Err(format!("{b:?} is not linked to the block before it"));
            }
            prev_block = Opt::some(b);
            let mut prev = Opt::NONE;
            for i in self.insts(b) {
                if !self.places.has(self.place(i)) {
                    return Err(format!("{i:?} has a place that is not there"));
                }
                let node = self.rows.node[i];
                if node.block != Opt::some(b) || node.prev != prev {
                    return Err(format!("{i:?} is not linked to the instruction before it in {b:?}"));
                }
                prev = Opt::some(i);
                placed += 1;
                self.operands.check(&self.rows, i, uses[i])?;
                if self.op(i) == Op::Phi && self.arg_count(i) != self.preds(b).len() {
                    return Err(format!(
                        "{i:?} has {} operands for {} edges",
                        self.arg_count(i),
                        self.preds(b).len()
                    ));
                }
            }
            if node.last != prev {
                return Err(format!("{b:?} does not end where its list ends"));
            }
            for e in self.succs(b) {
                let row = self.cfg.edges[e];
                if row.from != b
                    || row.slot == UNLINKED
                    || self.preds(row.to).get(row.slot as usize) != Some(&e)
                {
                    return Err(format!("{e:?} from {b:?} is not among the predecessors of {:?}", row.to));
                }
            }
            for (slot, &e) in self.preds(b).iter().enumerate() {
                let row = self.cfg.edges[e];
                if row.to != b || row.slot as usize != slot || !self.succs(row.from).any(|s| s == e) {
                    return Err(format!("predecessor {slot} of {b:?}, {e:?}, is not an edge to it"));
                }
            }
        }
        if self.layout.last != prev_block {
            return Err("the order of blocks does not end at its last block".to_string());
        }
        if placed != self.placed_insts() {
            return Err(format!(
                "{placed} instructions stand in blocks, counted are {}",
                self.placed_insts()
            ));
        }
        for param in self.params() {
            self.operands.check(&self.rows, param, uses[param])?;
        }
        Ok(())
    }
}
