//! Many lists in two vectors: list `h` is `items[starts[h]..starts[h + 1]]` (compressed sparse rows).
//!
//! Filled at once from unsorted pairs by one counting sort, O(keys + pairs), stable; read-only afterwards.

use super::Handle;
use std::marker::PhantomData;

/// A list of `T` per handle `H`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows<H, T> {
    starts: Vec<u32>,
    items: Vec<T>,
    handle: PhantomData<H>,
}

impl<H, T> Default for Rows<H, T> {
    fn default() -> Self {
        Rows { starts: Vec::new(), items: Vec::new(), handle: PhantomData }
    }
}

impl<H: Handle, T: Copy> Rows<H, T> {
    /// Makes list `h` the items of the pairs `(h, item)`, in the order of the pairs, keeping the memory.
    pub fn fill(&mut self, keys: usize, pairs: &[(H, T)]) {
        self.starts.clear();
        self.starts.resize(keys + 1, 0);
        for (key, _) in pairs {
            self.starts[key.index()] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // Now `starts[h]` is the end of list h; filling backwards turns it into its start.
        self.items.clear();
        if let Some(&(_, filler)) = pairs.first() {
            self.items.resize(pairs.len(), filler);
        }
        for &(key, item) in pairs.iter().rev() {
            let start = &mut self.starts[key.index()];
            *start -= 1;
            self.items[*start as usize] = item;
        }
    }

    /// Drops the items that are not wanted, and appends to each list that of `more`. O(items), in place where there is no more.
    pub fn renew(&mut self, more: &Rows<H, T>, mut is_kept: impl FnMut(T) -> bool) {
        let mut others = Vec::with_capacity(if more.is_empty() { 0 } else { self.len() + more.len() });
        let mut end = 0;
        for k in 0..self.starts.len().saturating_sub(1) {
            let old = self.starts[k] as usize..self.starts[k + 1] as usize;
            self.starts[k] = end as u32;
            for at in old {
                let item = self.items[at];
                if !is_kept(item) {
                    continue;
                }
                match more.is_empty() {
                    true => self.items[end] = item,
                    false => others.push(item),
                }
                end += 1;
            }
            others.extend_from_slice(more.get(H::new(k)));
            end += more.get(H::new(k)).len();
        }
        if let Some(last) = self.starts.last_mut() {
            *last = end as u32;
        }
        match more.is_empty() {
            true => self.items.truncate(end),
            false => self.items = others,
        }
    }

    /// The list of a handle.
    #[inline]
    pub fn get(&self, key: H) -> &[T] {
        let k = key.index();
        match (self.starts.get(k), self.starts.get(k + 1)) {
            (Some(&start), Some(&end)) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Number of items in all lists.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if all lists are empty.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::handle! { struct Row("r"); }

    #[test]
    fn lists_keep_the_order_of_their_pairs() {
        let mut rows = Rows::default();
        let pairs = [(2, 7), (0, 1), (2, 5), (0, 3), (2, 6)].map(|(key, item)| (Row::new(key), item));
        rows.fill(4, &pairs);
        let lists: Vec<&[i32]> = (0..5).map(|k| rows.get(Row::new(k))).collect();
        assert_eq!(lists, [&[1, 3][..], &[], &[7, 5, 6], &[], &[]]);
        rows.fill(1, &[]);
        assert!(rows.is_empty() && rows.get(Row::new(0)).is_empty());
    }

    #[test]
    fn renewed_lists_lack_what_is_not_kept_and_end_with_what_is_more() {
        let (mut rows, mut more, none) = (Rows::default(), Rows::default(), Rows::default());
        rows.fill(3, &[(0, 1), (0, 2), (2, 3), (2, 4)].map(|(key, item)| (Row::new(key), item)));
        more.fill(3, &[(0, 9), (1, 8)].map(|(key, item)| (Row::new(key), item)));
        let lists = |rows: &Rows<Row, i32>| [0, 1, 2].map(|k| rows.get(Row::new(k)).to_vec());
        rows.renew(&more, |item| item % 2 == 1);
        assert_eq!(lists(&rows), [vec![1, 9], vec![8], vec![3]]);
        rows.renew(&none, |item| item != 9);
        assert_eq!(lists(&rows), [vec![1], vec![8], vec![3]]);
    }
}
