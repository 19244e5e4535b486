//! Phis: they live in slots, which the predecessors fill in front of their jumps.

use super::super::AllocError;
use super::super::moves::{Place, Transfer};
use super::Walk;
use super::value::Home;
use crate::base::{Column, Handle};
use crate::mir::desc::{MOVE, PHI, REMAT};
use crate::mir::{Block, Inst};

/// How many operands of a block's phis are given registers at its end, if they have none yet. One that the block defines need
/// then not go to a slot of its own.
const IN_REGISTERS: u32 = 6;

impl<const W: usize> Walk<'_, W> {
    /// Finds the ways to a block with phis. False if no way comes from a block in front of it, and it is not the first.
    /// (Where all blocks have such a way, what dominates a block stands in front of it, since there is a path to it of
    /// blocks in their order.)
    #[inline(always)]
    pub(super) fn survey(&mut self, b: Block) -> bool {
        let row = &self.blocks[b];
        if self.given.get(row.first.index()).is_some_and(|row| row.op == PHI) {
            self.note_edges(b);
        }
        let row = &self.blocks[b];
        let preds = &self.preds[row.first_pred as usize..(row.first_pred + row.pred_count) as usize];
        b.index() == 0 || preds.iter().any(|&p| p < b)
    }

    /// Gives slots to all values that cross blocks, where uses may stand in front of definitions.
    #[cold]
    pub(super) fn place_all(&mut self) {
        for v in self.values.rows.keys() {
            if self.values.crosses(v) {
                self.slot(v);
            }
        }
    }

    #[cold]
    fn note_edges(&mut self, b: Block) {
        if self.edges.is_empty() {
            self.edges = Column::filled(self.blocks.len(), 0);
            let heads = self.blocks.iter().map(|(_, row)| row.first.index() as u32);
            self.heads = heads.collect::<Vec<_>>().into();
        }
        let block = self.blocks[b];
        let preds = &self.preds[block.first_pred as usize..(block.first_pred + block.pred_count) as usize];
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
        let mut given = 0;
        for k in self.heads[succ] as usize.. {
            let Some(phi) = self.given.get(k).filter(|row| row.op == PHI) else { break };
            let first = phi.first as usize;
            let (Some(d), Some(s)) =
                (self.operands[first].as_virt(), self.operands[first + 1 + edge].as_virt())
            else {
                return Err(AllocError::Internal("a phi of registers"));
            };
            if s == d {
                continue;
            }
            let (from_bytes, to_bytes) = (self.values.size(s), self.values.size(d));
            let to = self.slot(d);
            let from = match (self.values.rank(s), self.values.place(s)) {
                (Some(rank), _) => Some(rank),
                (None, Home::Again(_)) => None,
                (None, _) if given == IN_REGISTERS => None,
                (None, _) => self.values.choose(s, self.busy.units, &self.ranks),
            };
            if let Some(rank) = from {
                if self.values.rank(s).is_none() {
                    self.hold(s, rank);
                    given += 1;
                }
                self.put_store(to, self.ranks.reg(rank), to_bytes);
                continue;
            }
            let from = match self.values.place(s) {
                Home::Again(row) => Place::Again(row),
                _ => Place::Slot(self.slot(s)),
            };
            let class = self.values.class(d);
            self.transfers.push(Transfer { to: Place::Slot(to), from, class, from_bytes, to_bytes });
        }
        // They stand in front of the stores of registers, and read slots that these may write.
        if self.transfers.is_empty() { Ok(()) } else { self.put_transfers() }
    }
}
