//! A dense vector indexed by a handle: a table's own column, or a side column sized once beside it.

use super::Handle;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Row `h` of the column is `column[h]`. Indexing out of range is a bug of ours and panics like a slice.
#[derive(Clone, PartialEq, Eq)]
pub struct Column<H, T> {
    rows: Vec<T>,
    handle: PhantomData<H>,
}

/// Empties a vector, and makes room for so many rows. Where there was less, the memory is new: what there was is not carried
/// along, as `Vec::reserve` would (0.8% of the instructions of -O2).
pub fn empty_with_room<T>(rows: &mut Vec<T>, count: usize) {
    rows.clear();
    let old = rows.capacity();
    if old < count {
        // First, so that both are never there.
        *rows = Vec::new();
        rows.reserve_exact(count.max(2 * old));
    }
}

impl<H: Handle, T> Column<H, T> {
    /// An empty column.
    pub const fn new() -> Self {
        Column { rows: Vec::new(), handle: PhantomData }
    }

    /// An empty column with room for `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        Column { rows: Vec::with_capacity(rows), handle: PhantomData }
    }

    /// Makes room for so many rows more.
    pub fn reserve(&mut self, rows: usize) {
        match self.rows.is_empty() {
            true => empty_with_room(&mut self.rows, rows),
            false => self.rows.reserve(rows),
        }
    }

    /// Appends a row and returns its handle.
    #[inline]
    pub fn push(&mut self, row: T) -> H {
        let handle = H::new(self.rows.len());
        self.rows.push(row);
        handle
    }

    /// The handle that the next `push` will return.
    #[inline]
    pub fn next_handle(&self) -> H {
        H::new(self.rows.len())
    }

    /// True if the next `push` has to move the rows.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.rows.len() == self.rows.capacity()
    }

    /// Rows that there is memory for.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.rows.capacity()
    }

    /// Number of rows.
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of the rows.
    pub fn bytes(&self) -> usize {
        size_of_val(self.rows.as_slice())
    }

    /// True if there are no rows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row, if the column reaches that far.
    #[inline]
    pub fn get(&self, handle: H) -> Option<&T> {
        self.rows.get(handle.index())
    }

    /// All handles, in row order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = H> + ExactSizeIterator + use<H, T> {
        (0..self.rows.len()).map(H::new)
    }

    /// All handles with their rows, in row order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (H, &T)> + ExactSizeIterator {
        self.rows.iter().enumerate().map(|(index, row)| (H::new(index), row))
    }

    /// The rows as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }

    /// The rows as a mutable slice.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.rows
    }

    /// Drops all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Appends rows.
    pub fn extend(&mut self, rows: impl Iterator<Item = T>) {
        self.rows.extend(rows);
    }

    /// Drops the rows from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
    }

    /// The rows as a vector.
    pub fn into_vec(self) -> Vec<T> {
        self.rows
    }
}

impl<H: Handle, T: Clone> Column<H, T> {
    /// Appends copies of these rows.
    pub fn extend_from_slice(&mut self, rows: &[T]) {
        self.rows.extend_from_slice(rows);
    }

    /// A side column of `rows` equal rows.
    pub fn filled(rows: usize, row: T) -> Self {
        Column { rows: vec![row; rows], handle: PhantomData }
    }

    /// Grows to at least `rows` rows.
    pub fn grow_to(&mut self, rows: usize, row: T) {
        if self.rows.len() < rows {
            self.rows.resize(rows, row);
        }
    }

    /// Empties the column and fills it with `rows` equal rows, keeping the memory.
    pub fn reset(&mut self, rows: usize, row: T) {
        empty_with_room(&mut self.rows, rows);
        self.rows.resize(rows, row);
    }
}

impl<H: Handle, T> Default for Column<H, T> {
    fn default() -> Self {
        Column::new()
    }
}

impl<H: Handle, T> From<Vec<T>> for Column<H, T> {
    fn from(rows: Vec<T>) -> Self {
        Column { rows, handle: PhantomData }
    }
}

impl<H: Handle, T> Index<H> for Column<H, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, handle: H) -> &T {
        &self.rows[handle.index()]
    }
}

impl<H: Handle, T> IndexMut<H> for Column<H, T> {
    #[inline(always)]
    fn index_mut(&mut self, handle: H) -> &mut T {
        &mut self.rows[handle.index()]
    }
}

impl<H: Handle, T: std::fmt::Debug> std::fmt::Debug for Column<H, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
