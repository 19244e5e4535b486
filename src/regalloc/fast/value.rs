//! Values and registers as the fast walk sees them: a row of 8 bytes a value, and registers by *rank*, their place in the order of
//! preference (32 ranks a class). A set of ranks is a word, so the best free register is its lowest bit.

use crate::mir::func::{NO_REG, VRegRow};
use crate::mir::{Class, Machine, PReg, PRegSet};

/// What the walk knows of a value.
#[derive(Copy, Clone, Debug)]
pub(super) struct Value {
    /// Its slot, or the row that computes it, as `kind` says.
    pub(super) place: u32,
    /// The rank of the register that it is in at this point of the walk; `NOWHERE` if it is in none.
    pub(super) home: u8,
    /// The rank of the register that it comes in, if it is fixed; else `NOWHERE`.
    pub(super) comes_in: u8,
    pub(super) class: Class,
    /// A set of the bits below.
    pub(super) kind: u8,
}

const _: () = assert!(size_of::<Value>() == 8);

/// Other blocks or phis use it.
pub(super) const CROSSING: u8 = 1;
/// `place` is its slot.
pub(super) const STORED: u8 = 2;
/// `place` is the row that computes it, which has no inputs. Such a value never has a slot.
pub(super) const AGAIN: u8 = 4;
/// It takes 8 bytes, not 4.
pub(super) const WIDE: u8 = 8;

/// No rank.
pub(super) const NOWHERE: u8 = 64;

impl Value {
    #[inline(always)]
    pub(super) fn of(row: &VRegRow, ranks: &Ranks) -> Value {
        let kind = if row.bytes > 4 { WIDE } else { 0 } | if row.crosses { CROSSING } else { 0 };
        let comes_in = if row.comes_in == NO_REG { NOWHERE } else { ranks.rank(PReg(row.comes_in)) };
        Value { place: u32::MAX, home: NOWHERE, comes_in, class: row.class, kind }
    }

    /// True if it must be stored where it is defined.
    #[inline(always)]
    pub(super) fn is_stored(&self) -> bool {
        self.kind & (CROSSING | STORED) != 0
    }

    pub(super) fn bytes(&self) -> u32 {
        if self.kind & WIDE != 0 { 8 } else { 4 }
    }

    /// The first free register for it: where it comes, or else the best.
    #[inline(always)]
    pub(super) fn choose(&self, free: u64) -> Option<u8> {
        let open = free & ranks(self.class);
        if self.comes_in != NOWHERE && open >> (self.comes_in & 63) & 1 != 0 {
            return Some(self.comes_in);
        }
        (open != 0).then_some(open.trailing_zeros() as u8)
    }
}

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
    pub(super) fn reg(&self, rank: u8) -> PReg {
        self.reg[usize::from(rank & 63)]
    }
}

/// The ranks of a set, ascending.
pub(super) fn each(set: u64) -> impl Iterator<Item = u8> {
    PRegSet(set).iter().map(|rank| rank.0)
}
