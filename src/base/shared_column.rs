//! A column that grows while others read it: rows never move and never change, so a handle may be shared the
//! moment it is made.
//!
//! Rows stand in buckets of 32, 64, 128, ... rows, each made when its first row comes. Reading is two loads
//! without a lock; appending needs the right to (see `append`). What number a row gets depends on the
//! schedule: nothing that comes out may depend on it.

use super::Handle;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// Rows of the first bucket, as a power of two.
const FIRST: u32 = 5;
/// With the first they hold 2^32 rows.
const BUCKETS: usize = 28;

/// The column; see the module.
#[derive(Clone, Debug)]
pub struct SharedColumn<H, T> {
    buckets: [OnceLock<Box<[OnceLock<T>]>>; BUCKETS],
    handle: PhantomData<fn(H) -> H>,
}

/// The bucket of a row, and its place in there.
#[inline]
fn place(row: usize) -> (usize, usize) {
    let row = row as u64 + (1 << FIRST);
    let bucket = row.ilog2() - FIRST;
    (bucket as usize, (row - (1 << (bucket + FIRST))) as usize)
}

impl<H: Handle, T> SharedColumn<H, T> {
    /// The row. None for a handle that was not made.
    #[inline]
    pub fn get(&self, handle: H) -> Option<&T> {
        let (bucket, k) = place(handle.index());
        self.buckets.get(bucket)?.get()?.get(k)?.get()
    }

    /// Fills the row with this number, which has to be the next: the caller holds the lock that the numbers
    /// come from. A row that is there already stays.
    pub fn append(&self, handle: H, row: T) {
        let (bucket, k) = place(handle.index());
        let rows = self.buckets[bucket]
            .get_or_init(|| (0..1usize << (bucket as u32 + FIRST)).map(|_| OnceLock::new()).collect());
        _ = rows[k].set(row);
    }
}

impl<H, T> Default for SharedColumn<H, T> {
    fn default() -> Self {
        SharedColumn { buckets: [const { OnceLock::new() }; BUCKETS], handle: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::handle! {
        struct Row("r");
    }

    #[test]
    fn rows_are_found_in_every_bucket_and_nowhere_else() {
        let column: SharedColumn<Row, usize> = SharedColumn::default();
        for k in 0..1000 {
            assert_eq!(column.get(Row::new(k)), None);
            column.append(Row::new(k), 3 * k);
        }
        column.append(Row::new(7), 0);
        assert!((0..1000).all(|k| column.get(Row::new(k)) == Some(&(3 * k))));
        assert_eq!(place(u32::MAX as usize).0, BUCKETS - 1);
    }
}
