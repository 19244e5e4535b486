//! The constants of a body that do not fit a value's handle: wide integers, floats, doubles.
//!
//! Interned by type and bits, so equal constants are equal handles (0.0 and -0.0 differ, and so do NaNs with
//! other payloads). A few rows are searched one after the other; the map exists only past `SCAN`.

use super::types::Type;
use crate::base::Column;
use crate::base::intern::DenseMap;

crate::handle! {
    /// A constant in its body's table.
    pub struct Const("c");
}

/// The wide constants of one body.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// Per constant: its type, and its bits (integers sign-extended to 64).
    rows: Column<Const, (Type, u64)>,
    /// Empty while there are few rows.
    index: DenseMap<(u8, u64), Const>,
}

/// Up to this many rows are searched one after the other.
const SCAN: usize = 12;

impl Constants {
    /// Forgets everything and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.index.clear();
    }

    /// The handle of a constant, new or old.
    pub(super) fn intern(&mut self, ty: Type, bits: u64) -> Const {
        if self.rows.len() <= SCAN {
            if let Some((row, _)) = self.rows.iter().find(|&(_, &known)| known == (ty, bits)) {
                return row;
            }
            let row = self.rows.push((ty, bits));
            if self.rows.len() > SCAN {
                self.index = self.rows.iter().map(|(row, &(ty, bits))| ((ty as u8, bits), row)).collect();
            }
            return row;
        }
        let rows = &mut self.rows;
        *self.index.entry((ty as u8, bits)).or_insert_with(|| rows.push((ty, bits)))
    }

    /// All of them, in the order of their handles.
    pub(super) fn rows(&self) -> &[(Type, u64)] {
        self.rows.as_slice()
    }

    /// Type and bits of a constant.
    #[inline]
    pub fn get(&self, row: Const) -> (Type, u64) {
        self.rows[row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_constants_are_one_row_before_and_after_the_map_exists() {
        let mut constants = Constants::default();
        let first: Vec<Const> = (0..40).map(|k| constants.intern(Type::F32, k << 20)).collect();
        let second: Vec<Const> = (0..40).map(|k| constants.intern(Type::F32, k << 20)).collect();
        assert_eq!(first, second);
        assert_ne!(constants.intern(Type::I64, 1 << 20), first[1]);
        assert_eq!(constants.get(first[39]), (Type::F32, 39 << 20));
    }
}
