//! Where an instruction comes from: a place in the source, and by which calls it got into its function.
//!
//! A place is given when an instruction is made, and what a pass makes takes the place of what it stands for.
//! `Body::import` gives what it copies from another function a row of `Places`, which says from where in that
//! function it is, and at which call it stands now; calls of calls are chains of rows. A row names only
//! earlier ones, so every chain ends.

use super::FuncId;

/// Where an instruction comes from.
///
/// ```text
///   31   30                                0
///  +----+----------------------------------+
///  | 0  |  byte offset in the source       |
///  | 1  |  row of `Places`; all ones: none |
///  +----+----------------------------------+
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Default for Place {
    fn default() -> Place {
        Place::NONE
    }
}

const INLINED: u32 = 1 << 31;

impl Place {
    /// Nowhere in the source.
    pub const NONE: Place = Place(u32::MAX);

    /// A byte offset in the source. From 2 GiB on nothing is known.
    #[inline(always)]
    pub fn at(offset: u32) -> Place {
        if offset < INLINED { Place(offset) } else { Place::NONE }
    }

    /// The bits, for `packed` and machine IR (`mir/inlined`).
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The place of these bits.
    #[inline(always)]
    pub(super) fn from_bits(bits: u32) -> Place {
        Place(bits)
    }

    /// The same place, so many bytes further on.
    pub(super) fn moved(self, by: u32) -> Place {
        if self.0 < INLINED { Place::at(self.0.saturating_add(by)) } else { self }
    }

    /// The row that it is.
    pub(super) fn row(self) -> Option<usize> {
        (self.0 >= INLINED && self != Place::NONE).then_some((self.0 ^ INLINED) as usize)
    }
}

/// A place in another function, at a call of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Inlined {
    /// The function whose text it is in.
    pub func: FuncId,
    /// Its byte offset in the source, or `NO_LOC`.
    pub offset: u32,
    /// The place of the call that it stands for.
    pub call: Place,
}

/// The offset of what comes from nowhere in the source.
pub const NO_LOC: u32 = u32::MAX;

/// The places of a body that are in other functions.
#[derive(Clone, Debug, Default)]
pub struct Places {
    rows: Vec<Inlined>,
}

impl Places {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    /// Appends a row; `check` says whether it may be there.
    pub(super) fn push(&mut self, row: Inlined) {
        self.rows.push(row);
    }

    /// All rows; a row names only earlier ones.
    pub fn rows(&self) -> &[Inlined] {
        &self.rows
    }

    /// The number of a place's row, if it has one.
    pub fn number(&self, place: Place) -> Option<usize> {
        place.row()
    }

    /// The place of a row; the one before it, if that is equal. Without room for more, nowhere.
    pub fn inlined(&mut self, row: Inlined) -> Place {
        match self.rows.last() {
            Some(last) if *last == row => Place(INLINED | (self.rows.len() as u32 - 1).min(INLINED - 1)),
            _ => self.again(row),
        }
    }

    /// The place of another row like this one. Without room for more, nowhere.
    pub(super) fn again(&mut self, row: Inlined) -> Place {
        self.rows.push(row);
        let number = self.rows.len() as u32 - 1;
        if number < INLINED - 1 { Place(INLINED | number) } else { Place::NONE }
    }

    /// By which call it stands here, if it comes from another function.
    pub fn get(&self, place: Place) -> Option<Inlined> {
        self.rows.get(place.row()?).copied()
    }

    /// The byte offset in the source, or `NO_LOC`.
    #[inline(always)]
    pub fn offset(&self, place: Place) -> u32 {
        if place.0 < INLINED { place.0 } else { self.get(place).map_or(NO_LOC, |row| row.offset) }
    }

    /// All rows, to be changed where they stand.
    pub(super) fn rows_mut(&mut self) -> &mut [Inlined] {
        &mut self.rows
    }

    /// Says which row is wrong, if one names a later one. For the verifier.
    pub(super) fn check(&self) -> Result<(), String> {
        let wrong = |(k, row): (usize, &Inlined)| row.call.row().is_some_and(|call| call >= k);
        match self.rows.iter().enumerate().position(wrong) {
            Some(k) => Err(format!("inlined place {k} is not behind that of its call")),
            None => Ok(()),
        }
    }

    /// True if the place is nowhere, in the source, or has a row. For the verifier.
    pub(super) fn has(&self, place: Place) -> bool {
        place.row().is_none_or(|row| row < self.rows.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;

    #[test]
    fn a_place_is_an_offset_a_chain_or_nothing() {
        let mut places = Places::default();
        let call = Place::at(40);
        let row = Inlined { func: FuncId::new(1), offset: 7, call };
        let inner = places.inlined(row);
        assert_eq!(places.inlined(row), inner);
        let outer = places.inlined(Inlined { func: FuncId::new(2), offset: NO_LOC, call: inner });
        assert_eq!([call, inner, outer, Place::NONE].map(|p| places.offset(p)), [40, 7, NO_LOC, NO_LOC]);
        assert_eq!(places.get(outer).and_then(|row| places.get(row.call)), Some(row));
        assert_eq!((places.get(call), places.get(Place::NONE), places.check()), (None, None, Ok(())));
        places.rows[0].call = outer;
        assert!(places.check().is_err() && places.has(outer) && !Places::default().has(outer));
        assert_eq!(Place::at(1 << 31), Place::NONE);
    }
}
