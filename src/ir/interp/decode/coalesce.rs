//! Which results may live in the slot of the phi that they are for, so that the edge needs no move.
//!
//! In `i = phi(0, j); ...; j = i + 1` the move `i <- j` goes if j can be computed straight into the slot of
//! i. With j defined in block L and the edge L -> H, that is so if their live ranges do not meet: j is only
//! read in L or on edges out of it, or it is computed from i, and nothing else is computed into the slot: then H
//! dominates L, and there is no way from H, where edges set the slot, to a read of j but through L; and behind j, i is dead: it is not read again in L or on the edges out
//! of L, and not live into any block that L goes to but H, which sets it. A block that can come back to itself
//! and not pass H makes i live there, too: in a `do` inside of a `for`, what the inner loop reads of the outer
//! counter has to stay until that loop has ended. Reads are where the decoder makes them: those of an
//! address form or a fused comparison happen at the users, so a read through one counts there too.
//!
//! Liveness is a walk from the reads of one phi up to H. It is given up after `MOST_STEPS`, so the whole is
//! linear in phi operands.

use super::Decoder;
use crate::base::{BitSet, Column, Opt};
use crate::ir::{Block, Edge, Inst, Op, Value};

/// Results with more reads than this are not looked at.
const MOST_READS: usize = 32;
/// A walk for where a phi is live ends after so many edges, and the phi shares its slot with nothing that
/// is computed in a block with several ways out.
const MOST_STEPS: usize = 128;
/// More than the predecessors of a block: what is read elsewhere shares its slot with the phi only.
const ALONE: u32 = 1 << 30;
/// The position of reads on the edges out of a block.
const AT_END: u32 = u32::MAX;

/// Where one phi is read and live.
struct Live {
    /// The phi that the rest is about.
    phi: Opt<Inst>,
    /// Its reads are known, and not too many.
    is_read_known: bool,
    reads: Vec<(Block, u32)>,
    /// The walk has been made; and it has come to its end.
    is_walked: bool,
    is_walk_known: bool,
    /// Per block: the last phi that was found live at its start. That of the phi's own block is not asked for.
    at_start: Column<Block, Opt<Inst>>,
    waiting: Vec<Block>,
}

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
        let mut live = Live {
            phi: Opt::NONE,
            is_read_known: false,
            reads: Vec::new(),
            is_walked: false,
            is_walk_known: false,
            at_start: Column::filled(f.block_count(), Opt::NONE),
            waiting: Vec::new(),
        };
        let mut reads = Vec::new();
        for h in f.blocks().filter(|&b| reachable.contains(b)) {
            for phi in f.phis(h).filter(|&phi| f.has_uses(phi)) {
                let mut takers = 0;
                for (slot, &e) in f.preds(h).iter().enumerate() {
                    let Some(v) = f.arg(phi, slot).as_inst() else { continue };
                    let lazy = matches!(f.op(v), Op::Phi | Op::Param | Op::ElemAddr | Op::Alloca | Op::ZExt);
                    let here = f.block_of(v) == Some(f.edge_from(e)) && reachable.contains(f.edge_from(e));
                    if !lazy
                        && here
                        && !self.is_lazy(v)
                        && merged[v].is_none()
                        && let Some(is_local) = self.is_local(v, e, &place, &mut reads)
                        && (is_local && takers < ALONE
                            || takers == 0 && f.args(v).contains(&Value::inst(phi)))
                        && self.is_dead_behind(v, phi, e, &place, &mut live)
                    {
                        merged[v] = Opt::some(phi);
                        takers += if is_local { 1 } else { ALONE };
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

    /// True if `v` is only read in the block where the edge begins, and on edges out of it; nothing if several of them lead
    /// to where the edge does, or it is read too often.
    fn is_local(
        &self,
        v: Inst,
        e: Edge,
        place: &Column<Inst, u32>,
        reads: &mut Vec<(Block, u32)>,
    ) -> Option<bool> {
        let f = self.f;
        let (l, h) = (f.edge_from(e), f.edge_to(e));
        let is_known = f.succs(l).filter(|&s| f.edge_to(s) == h).count() == 1 && self.reads(v, place, reads);
        is_known.then(|| reads.iter().all(|&(b, _)| b == l))
    }

    /// True if nothing reads `phi` between `v`, in the block where the edge begins, and the next time that an
    /// edge sets it.
    fn is_dead_behind(
        &self,
        v: Inst,
        phi: Inst,
        e: Edge,
        place: &Column<Inst, u32>,
        live: &mut Live,
    ) -> bool {
        let f = self.f;
        let (l, h) = (f.edge_from(e), f.edge_to(e));
        if live.phi.get() != Some(phi) {
            live.phi = Opt::some(phi);
            live.is_walked = false;
            live.is_read_known = self.reads(phi, place, &mut live.reads);
        }
        if !live.is_read_known || live.reads.iter().any(|&(b, at)| b == l && at > place[v]) {
            return false;
        }
        if f.succs(l).len() == 1 {
            return true;
        }
        if !live.is_walked {
            live.is_walked = true;
            live.is_walk_known = self.walk(phi, h, live);
        }
        let is_live = |b: Block| live.at_start[b].get() == Some(phi);
        live.is_walk_known && f.succs(l).map(|s| f.edge_to(s)).all(|b| b == h || !is_live(b))
    }

    /// Notes the blocks at whose start a phi of `h` is live, but for `h` itself; false if that takes too long.
    fn walk(&self, phi: Inst, h: Block, live: &mut Live) -> bool {
        let f = self.f;
        let Live { reads, at_start, waiting, .. } = live;
        waiting.clear();
        waiting.extend(reads.iter().map(|&(b, _)| b));
        let mut steps = 0;
        while let Some(b) = waiting.pop() {
            if b == h || at_start[b].get() == Some(phi) {
                continue;
            }
            at_start[b] = Opt::some(phi);
            steps += f.preds(b).len();
            if steps > MOST_STEPS {
                return false;
            }
            waiting.extend(f.preds(b).iter().map(|&e| f.edge_from(e)));
        }
        true
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
