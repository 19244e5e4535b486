//! What the fast walk has to know beforehand: one pass over all operands, forwards.

use super::Walk;
use super::value::{AGAIN, CROSSING, NONE, WIDE};
use crate::base::{Column, Handle};
use crate::mir::desc::{CALL, ENTRY, PHI, REMAT};
use crate::mir::func::use_count;
use crate::mir::{Block, InstRow};

impl Walk<'_> {
    /// Finds the values that cross blocks, rows without inputs, registers that results come in, and ways to phis.
    #[inline(always)]
    pub(super) fn survey(&mut self, b: Block, preds: &[Block]) {
        let block = self.blocks[b];
        let here = b.index() as u32;
        let (start, end) = (block.first.index(), block.end.index());
        for (k, row) in self.given[start..end].iter().enumerate() {
            if row.op == PHI {
                self.survey_phi(b, row, k == 0, preds);
                continue;
            }
            let first = row.first as usize;
            let operands = &self.operands[first..first + usize::from(row.defs) + usize::from(row.uses)];
            for operand in operands {
                let Some(v) = operand.as_virt() else { continue };
                let value = &mut self.values[v];
                if value.place != here {
                    if value.place == NONE {
                        value.place = here;
                    } else if value.kind & AGAIN == 0 {
                        (value.place, value.kind) = (here, value.kind | CROSSING);
                    }
                }
            }
            let flags = self.ops[usize::from(row.op.0)].flags;
            if flags & REMAT != 0 {
                if let Some(v) = operands.first().and_then(|operand| operand.as_virt()) {
                    let value = &mut self.values[v];
                    (value.place, value.kind) = ((start + k) as u32, value.kind & WIDE | AGAIN);
                }
            } else if flags & CALL != 0 || row.op == ENTRY {
                for operand in &operands[..usize::from(row.defs)] {
                    if let (Some(v), Some(reg)) = (operand.as_virt(), operand.constraint()) {
                        self.values[v].comes_in = self.ranks.rank(reg);
                    }
                }
            }
        }
    }

    #[cold]
    fn survey_phi(&mut self, b: Block, row: &InstRow, is_first: bool, preds: &[Block]) {
        if self.edges.is_empty() {
            self.edges = Column::filled(self.blocks.len(), 0);
            let heads = self.blocks.iter().map(|(_, row)| row.first.index() as u32);
            self.heads = heads.collect::<Vec<_>>().into();
        }
        let block = self.blocks[b];
        let preds = &preds[block.first_pred as usize..(block.first_pred + block.pred_count) as usize];
        if is_first {
            preds.iter().enumerate().for_each(|(k, &p)| self.edges[p] = k as u32);
        }
        let first = row.first as usize;
        let operands = &self.operands[first..first + usize::from(row.defs) + use_count(row)];
        for v in operands.iter().filter_map(|o| o.as_virt()) {
            let value = &mut self.values[v];
            if value.kind & AGAIN == 0 {
                (value.place, value.kind) = (b.index() as u32, value.kind | CROSSING);
            }
        }
    }
}
