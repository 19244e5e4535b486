//! Phis: they live in slots, which the predecessors fill in front of their jumps.

use super::super::AllocError;
use super::super::moves::{Place, Transfer};
use super::Walk;
use super::value::Home;
use crate::base::{Column, Handle};
use crate::mir::desc::{MOVE, PHI, REMAT};
use crate::mir::{Block, Inst};

impl<const W: usize> Walk<'_, W> {
    /// Finds the ways to a block with phis.
    #[inline(always)]
    pub(super) fn survey_phis(&mut self, b: Block, preds: &[Block]) {
        if self.given.get(self.blocks[b].first.index()).is_some_and(|row| row.op == PHI) {
            self.note_edges(b, preds);
        }
    }

    #[cold]
    fn note_edges(&mut self, b: Block, preds: &[Block]) {
        if self.edges.is_empty() {
            self.edges = Column::filled(self.blocks.len(), 0);
            let heads = self.blocks.iter().map(|(_, row)| row.first.index() as u32);
            self.heads = heads.collect::<Vec<_>>().into();
        }
        let block = self.blocks[b];
        let preds = &preds[block.first_pred as usize..(block.first_pred + block.pred_count) as usize];
        preds.iter().enumerate().for_each(|(k, &p)| self.edges[p] = k as u32);
    }

    /// Notes the rows without inputs that stand in front of a jump to phis, which selection puts there for
    /// them: they are done again where the phis want them, if nothing has asked for a slot.
    fn note_again(&mut self, b: Block, jump: usize) {
        for k in (self.blocks[b].first.index()..jump).rev() {
            let row = &self.given[k];
            let flags = self.ops[usize::from(row.op.0)].flags;
            if flags & (REMAT | MOVE) == 0 {
                return;
            }
            if flags & REMAT != 0
                && let Some(v) = self.operands[row.first as usize].as_virt()
                && !matches!(self.values.place(v), Home::Slot(_))
            {
                self.values.set_place(v, Home::Again(Inst::new(k)));
            }
        }
    }

    /// Stores the operands of the successor's phis in the phis' slots.
    #[cold]
    pub(super) fn phis(&mut self, b: Block, jump: usize) -> Result<(), AllocError> {
        let Some(succ) = self.blocks[b].succs[0].get() else { return Ok(()) };
        self.note_again(b, jump);
        let edge = self.edges[b] as usize;
        for k in self.heads[succ] as usize.. {
            let Some(phi) = self.given.get(k).filter(|row| row.op == PHI) else { break };
            let first = phi.first as usize;
            let (Some(d), Some(s)) =
                (self.operands[first].as_virt(), self.operands[first + 1 + edge].as_virt())
            else {
                return Err(AllocError::Internal("a phi of registers"));
            };
            let (from_bytes, to_bytes) = (self.values.size(s), self.values.size(d));
            let from = match self.values.place(s) {
                Home::Again(row) => Place::Again(row),
                _ => Place::Slot(self.slot(s)),
            };
            let (to, class) = (Place::Slot(self.slot(d)), self.values.class(d));
            self.transfers.push(Transfer { to, from, class, from_bytes, to_bytes });
        }
        if self.transfers.is_empty() { Ok(()) } else { self.put_transfers() }
    }
}
