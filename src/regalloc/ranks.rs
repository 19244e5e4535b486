//! Registers by *rank*: their place in the order of preference, 32 ranks a class. A set of ranks is a word, so the best free register is
//! its lowest bit.

use crate::mir::{Class, Machine, Operand, PReg, PRegSet};

/// No rank.
pub(super) const NOWHERE: u8 = 64;

/// The ranks of a class.
#[inline(always)]
pub(super) fn ranks(class: Class) -> u64 {
    0xffff_ffff << (32 * class as u32)
}

#[inline(always)]
pub(super) fn bit(rank: u8) -> u64 {
    1 << (rank & 63)
}

/// Registers by rank and ranks by register: those that are given out in the machine's order, then the others.
pub(super) struct Ranks {
    reg: [PReg; 64],
    rank: [u8; 64],
    /// Ranks that may be given.
    pub(super) given: u64,
}

impl Ranks {
    pub(super) fn of(machine: &Machine) -> Ranks {
        let mut ranks = Ranks { reg: [PReg(0); 64], rank: [NOWHERE; 64], given: 0 };
        for class in Class::ALL {
            let mut next = 32 * class as u8;
            let order = machine.class(class).order;
            ranks.given |= ((1 << order.len()) - 1) << next;
            let mut put = |reg: PReg| {
                ranks.rank[usize::from(reg.0 & 63)] = next;
                ranks.reg[usize::from(next & 63)] = reg;
                next += 1;
            };
            order.iter().copied().for_each(&mut put);
            PRegSet(self::ranks(class) & !PRegSet::of(order).0).iter().for_each(put);
        }
        ranks
    }

    #[inline(always)]
    pub(super) fn rank(&self, reg: PReg) -> u8 {
        self.rank[usize::from(reg.0 & 63)]
    }

    #[inline(always)]
    pub(super) fn operand(&self, rank: u8) -> Operand {
        Operand::phys(self.reg(rank))
    }

    #[inline(always)]
    pub(super) fn reg(&self, rank: u8) -> PReg {
        self.reg[usize::from(rank & 63)]
    }
}

/// The ranks of a set, ascending.
pub(super) fn each(set: u64) -> impl Iterator<Item = u8> {
    PRegSet(set).iter().map(|rank| rank.0)
}
