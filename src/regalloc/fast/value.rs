//! Values as the fast walk sees them: a row of 8 bytes a value.

use crate::mir::func::{NO_REG, VRegRow};
use crate::mir::{Class, PReg};
use crate::regalloc::ranks::{NOWHERE, Ranks, ranks};

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
