//! Dense bit sets over handles: one bit a row, 64 rows a word.

use super::Handle;
use std::marker::PhantomData;

/// A set of handles below a fixed capacity. Membership and change are O(1), whole-set work O(capacity / 64).
#[derive(Clone, PartialEq, Eq)]
pub struct BitSet<H> {
    words: Vec<u64>,
    handle: PhantomData<H>,
}

impl<H: Handle> BitSet<H> {
    /// The empty set over rows `0..capacity`.
    pub fn new(capacity: usize) -> Self {
        BitSet { words: vec![0; capacity.div_ceil(64)], handle: PhantomData }
    }

    /// Empties the set and makes it cover rows `0..capacity`, keeping the memory.
    pub fn reset(&mut self, capacity: usize) {
        self.words.clear();
        self.words.resize(capacity.div_ceil(64), 0);
    }

    /// True if the handle is in the set.
    #[inline]
    pub fn contains(&self, handle: H) -> bool {
        let index = handle.index();
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }

    /// Adds the handle (growing the set if need be); true if it was not there.
    #[inline]
    pub fn insert(&mut self, handle: H) -> bool {
        let index = handle.index();
        if index / 64 >= self.words.len() {
            self.words.resize(index / 64 + 1, 0);
        }
        let word = &mut self.words[index / 64];
        let bit = 1 << (index % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Takes the handle out; true if it was there.
    #[inline]
    pub fn remove(&mut self, handle: H) -> bool {
        let index = handle.index();
        let Some(word) = self.words.get_mut(index / 64) else { return false };
        let bit = 1 << (index % 64);
        let old = *word & bit != 0;
        *word &= !bit;
        old
    }

    /// Number of handles in the set; O(capacity / 64).
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True if nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = H> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(H::new(index * 64 + bit))
            })
        })
    }
}

impl<H> Default for BitSet<H> {
    fn default() -> Self {
        BitSet { words: Vec::new(), handle: PhantomData }
    }
}

impl<H: Handle> std::fmt::Debug for BitSet<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::handle! { struct Row("r"); }

    #[test]
    fn members_come_back_in_order_and_changes_report() {
        let mut set = BitSet::new(10);
        assert!(set.insert(Row::new(130)) && set.insert(Row::new(3)) && !set.insert(Row::new(3)));
        assert_eq!(set.iter().map(Row::index).collect::<Vec<_>>(), [3, 130]);
        assert!(set.remove(Row::new(3)) && !set.remove(Row::new(3)) && !set.contains(Row::new(3)));
        assert_eq!((set.count(), set.is_empty()), (1, false));
    }
}
