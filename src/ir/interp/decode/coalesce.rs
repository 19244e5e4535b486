//! Which results may live in the slot of the phi that they are for, so that the edge needs no move.
//!
//! In `i = phi(0, j); ...; j = i + 1` the move `i <- j` goes if j can be computed straight into the slot of
//! i. That is so if, with j defined in block L and the edge L -> H: j is only read in L or on edges out of
//! it; and after j, i is not read again before H sets it: not in L behind j, not on the edge, and, if L has
//! another way out than H, in no block but L and H at all. Reads are where the decoder makes them: those of
//! an address form or a fused comparison happen at the users, so a read through one counts there too.

use super::Decoder;
use crate::base::{BitSet, Column, Opt};
use crate::ir::{Block, Edge, Inst, Op};

/// Results with more reads than this are not looked at.
const MOST_READS: usize = 32;
/// The position of reads on the edges out of a block.
const AT_END: u32 = u32::MAX;

impl Decoder<'_> {
    /// Per instruction: the phi whose slot it takes. O(phi operands).
    pub(super) fn coalesce(&self, reachable: &BitSet<Block>) -> Column<Inst, Opt<Inst>> {
        let f = self.f;
        let mut merged = Column::filled(f.inst_count(), Opt::NONE);
        let mut place: Column<Inst, u32> = Column::filled(f.inst_count(), 0);
        for b in f.blocks() {
            for (k, i) in f.insts(b).enumerate() {
                place[i] = k as u32;
            }
        }
        let mut reads = Vec::new();
        for h in f.blocks().filter(|&b| reachable.contains(b)) {
            for phi in f.phis(h).filter(|&phi| f.has_uses(phi)) {
                for (slot, &e) in f.preds(h).iter().enumerate() {
                    let Some(v) = f.arg(phi, slot).as_inst() else { continue };
                    let lazy = matches!(f.op(v), Op::Phi | Op::Param | Op::ElemAddr | Op::Alloca | Op::ZExt);
                    let here = f.block_of(v) == Some(f.edge_from(e)) && reachable.contains(f.edge_from(e));
                    if !lazy
                        && here
                        && !self.is_lazy(v)
                        && merged[v].is_none()
                        && self.may_share(v, phi, e, &place, &mut reads)
                    {
                        merged[v] = Opt::some(phi);
                    }
                }
            }
        }
        merged
    }

    /// True for what is not computed where it stands, or shares another slot.
    fn is_lazy(&self, i: Inst) -> bool {
        match self.f.op(i) {
            Op::ElemAddr | Op::ZExt => true,
            Op::ICmp | Op::FCmp => self.is_fusable(i),
            _ => false,
        }
    }

    fn may_share(
        &self,
        v: Inst,
        phi: Inst,
        e: Edge,
        place: &Column<Inst, u32>,
        reads: &mut Vec<(Block, u32)>,
    ) -> bool {
        let f = self.f;
        let (l, h) = (f.edge_from(e), f.edge_to(e));
        if f.succs(l).filter(|&s| f.edge_to(s) == h).count() != 1 {
            return false;
        }
        if !self.reads(v, place, reads) || reads.iter().any(|&(b, _)| b != l) {
            return false;
        }
        let only_way = f.succs(l).len() == 1;
        self.reads(phi, place, reads)
            && reads.iter().all(|&(b, at)| if b == l { at <= place[v] } else { b == h || only_way })
    }

    /// Where a result is read; false if in too many places.
    fn reads(&self, i: Inst, place: &Column<Inst, u32>, reads: &mut Vec<(Block, u32)>) -> bool {
        let f = self.f;
        reads.clear();
        let mut waiting = vec![i];
        while let Some(i) = waiting.pop() {
            for u in f.uses(i) {
                let Some(b) = f.block_of(u.user) else { continue };
                if f.op(u.user) == Op::Phi {
                    reads.push((f.edge_from(f.preds(b)[u.operand as usize]), AT_END));
                } else {
                    reads.push((b, place[u.user]));
                    if self.is_lazy(u.user) {
                        waiting.push(u.user);
                    }
                }
                if reads.len() > MOST_READS {
                    return false;
                }
            }
        }
        true
    }
}
