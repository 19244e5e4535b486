//! What a nest loads and stores: the cache lines that a round touches with each of its loops innermost, and whether
//! accesses keep their order where the loops stand in another one. O(square of the accesses).

use super::{LINE, MOST_ACCESSES, STORED, Walk, Why};
use crate::analysis::Evolution;
use crate::analysis::dependence::{Access, Around, Direction, MOST_LOOPS, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::{Inst, Op};
use crate::opt::run::pass::FuncCx;

/// What is loaded and stored in a nest.
pub(super) struct Memory<'a> {
    nest: Nest<'a>,
    /// With whether it stands in the innermost loop.
    pub(super) accesses: Vec<(bool, Access)>,
    /// Those that do not share a line with one before.
    leaders: Vec<usize>,
}

impl<'a> Memory<'a> {
    pub(super) fn of(
        cx: &'a FuncCx,
        evolution: &mut Evolution,
        nest: &[SimpleLoop],
        walk: &Walk,
    ) -> Result<Memory<'a>, Why> {
        let around =
            Around { env: cx.env, f: cx.f, loops: &cx.analyses.loops, dominators: &cx.analyses.dominators };
        let why = "the loops are not simple";
        let (outer, inner) = (nest.first().ok_or(why)?, nest.last().ok_or(why)?);
        let nest = Nest::of(around, evolution, outer.l, inner.l).ok_or(why)?;
        let mut memory = Memory { nest, accesses: Vec::new(), leaders: Vec::new() };
        for &(b, _) in &walk.blocks {
            for i in around.f.insts(b).filter(|&i| matches!(around.f.op(i), Op::Load | Op::Store)) {
                if memory.accesses.len() == MOST_ACCESSES {
                    return Err("it accesses memory in many places");
                }
                let access = memory.nest.access(around, evolution, i).ok_or(why)?;
                memory.accesses.push((b == walk.inner, access));
            }
        }
        for (k, (_, access)) in memory.accesses.iter().enumerate() {
            let mut before = memory.leaders.iter().map(|&k| &memory.accesses[k].1);
            let shares =
                |other: &Access| memory.nest.distance(access, other).is_some_and(|bytes| bytes.abs() < LINE);
            if !before.any(shares) {
                memory.leaders.push(k);
            }
        }
        Ok(memory)
    }

    /// Lines that a round of the innermost loop touches, by `LINE`, if that is this one.
    pub(super) fn lines(&self, level: usize) -> i64 {
        let bytes = |&k: &usize| match self.nest.stride(&self.accesses[k].1, level) {
            Some(0) if self.is_stored(k) => STORED,
            Some(stride) => stride.saturating_abs().min(LINE),
            None => LINE,
        };
        self.leaders.iter().map(bytes).sum()
    }

    /// True if an access, or one of the same line, is a store.
    pub(super) fn is_stored(&self, k: usize) -> bool {
        let near = |other: &Access| self.nest.distance(&self.accesses[k].1, other) == Some(0);
        self.accesses.iter().any(|(_, other)| other.is_write && near(other))
    }

    /// True if no two accesses change places where loops stand in this order; else why not, and what stands against it.
    pub(super) fn keeps_order(&self, order: &[usize]) -> Result<(), (Why, Option<Inst>)> {
        let stores = || self.accesses.iter().filter(|(_, access)| access.is_write).map(|(_, access)| access);
        let any = [Direction::Any; MOST_LOOPS];
        for (_, load) in self.accesses.iter().filter(|(is_inside, _)| !is_inside) {
            if stores().any(|store| self.nest.may_meet(store, load, &any[..order.len()])) {
                let why = "what is loaded in front of the loop inside may be what it stores";
                return Err((why, Some(load.inst)));
            }
        }
        // The loop that said which comes first, and one that was further in and says so now, the other way around.
        let mut pairs: Vec<[Direction; MOST_LOOPS]> = Vec::new();
        for (at, &said) in order.iter().enumerate() {
            for (k, &says) in order[..at].iter().enumerate().filter(|&(_, &says)| says > said) {
                let mut directions = any;
                for level in order[..k].iter().copied().chain(0..said) {
                    directions[level] = Direction::Equal;
                }
                directions[said] = Direction::Later(i64::MAX);
                directions[says] = Direction::Earlier;
                pairs.push(directions);
            }
        }
        for (_, a) in &self.accesses {
            for (_, b) in self.accesses.iter().filter(|(_, b)| a.is_write || b.is_write) {
                if pairs.iter().any(|directions| self.nest.may_meet(a, b, &directions[..order.len()])) {
                    let why = "accesses may meet in a later round of the one and an earlier one of the other";
                    return Err((why, Some(if a.is_write { a.inst } else { b.inst })));
                }
            }
        }
        Ok(())
    }
}
