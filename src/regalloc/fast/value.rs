//! Values as the fast walk sees them: a byte a value, and a place for the few that are in memory.

use crate::base::Column;
use crate::mir::func::{NO_REG, VRegRow};
use crate::mir::{Class, Inst, PReg, Slot, VReg};
use crate::regalloc::ranks::{Ranks, Set};

/// Of a value's byte: one more than the rank of the register that it is in, 0 for none.
const HELD: u8 = 127;
/// Of a value's byte: it has a slot, or a row that computes it.
const PLACED: u8 = 128;

/// Where a value is, besides registers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In no place yet.
    Nowhere,
    /// In a slot.
    Slot(Slot),
    /// This row computes it, and has no inputs. Such a value never has a slot.
    Again(Inst),
}

/// What the walk knows of values.
pub(super) struct Values {
    /// Per value: the register that it is in at this point of the walk, and whether it has a row of `places`.
    bytes: Column<VReg, u8>,
    /// As in the function, but that no value crosses which is computed again.
    pub(super) rows: Column<VReg, VRegRow>,
    /// Per value that is in memory or computed again, its place. Empty while there is none.
    places: Column<VReg, Home>,
}

impl Values {
    pub(super) fn new(rows: Column<VReg, VRegRow>) -> Values {
        Values { bytes: Column::filled(rows.len(), 0), rows, places: Column::new() }
    }

    /// The rank of the register that a value is in.
    #[inline(always)]
    pub(super) fn rank(&self, v: VReg) -> Option<u8> {
        (self.bytes[v] & HELD).checked_sub(1)
    }

    #[inline(always)]
    pub(super) fn hold(&mut self, v: VReg, rank: u8) {
        self.bytes[v] = self.bytes[v] & PLACED | (rank + 1);
    }

    /// As above, of one that is in none.
    #[inline(always)]
    pub(super) fn hold_first(&mut self, v: VReg, rank: u8) {
        self.bytes[v] |= rank + 1;
    }

    #[inline(always)]
    pub(super) fn let_go(&mut self, v: VReg) {
        self.bytes[v] &= PLACED;
    }

    pub(super) fn place(&self, v: VReg) -> Home {
        if self.bytes[v] & PLACED == 0 { Home::Nowhere } else { self.places[v] }
    }

    pub(super) fn set_place(&mut self, v: VReg, place: Home) {
        self.bytes[v] |= PLACED;
        if let Home::Again(_) = place {
            self.rows[v].crosses = false;
        }
        if self.places.is_empty() {
            self.places.grow_to(self.rows.len(), Home::Nowhere);
        }
        self.places[v] = place;
    }

    /// True if other blocks or phis use it, and it is not computed again there.
    #[inline(always)]
    pub(super) fn crosses(&self, v: VReg) -> bool {
        self.rows[v].crosses
    }

    /// False for most that need not be stored where they are defined.
    #[inline(always)]
    pub(super) fn may_be_stored(&self, v: VReg) -> bool {
        self.bytes[v] & PLACED != 0
    }

    /// True if it must be stored where it is defined: some row that the walk has met reads its slot.
    pub(super) fn is_stored(&self, v: VReg) -> bool {
        matches!(self.place(v), Home::Slot(_))
    }

    /// The bytes that it takes.
    pub(super) fn size(&self, v: VReg) -> u32 {
        self.rows[v].bytes.into()
    }

    pub(super) fn class(&self, v: VReg) -> Class {
        self.rows[v].class
    }

    /// The first register for it that has no unit in use: where it comes, or else the best.
    #[inline(always)]
    pub(super) fn choose<const W: usize>(&self, v: VReg, in_use: Set<W>, ranks: &Ranks<W>) -> Option<u8> {
        let row = &self.rows[v];
        let open = ranks.free(ranks.given(row.class), in_use);
        if row.comes_in != NO_REG {
            let rank = ranks.rank(PReg(row.comes_in));
            if open.has(rank) {
                return Some(rank);
            }
        }
        open.first()
    }
}
