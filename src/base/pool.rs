//! Many growable lists in one vector: capacities are powers of two, freed storage is reused by capacity
//! class.
//!
//! A `List` is 8 bytes and does not own anything: the pool does. Push is amortised O(1); nothing is returned
//! to the allocator until the pool goes. (The scheme is Cranelift's `EntityList`, without its in-band
//! lengths.)

/// A list in some `ListPool`: where it starts and how many items it has.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    start: u32,
    len: u32,
}

impl List {
    /// The list without items; needs no pool.
    pub const EMPTY: List = List { start: 0, len: 0 };

    /// Number of items.
    #[inline]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// True if there are no items.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// Storage for lists of `T`.
#[derive(Clone, Debug)]
pub struct ListPool<T> {
    items: Vec<T>,
    /// Per capacity class (1 << class), starts of free storage.
    free: Vec<Vec<u32>>,
}

impl<T> Default for ListPool<T> {
    fn default() -> Self {
        ListPool { items: Vec::new(), free: Vec::new() }
    }
}

/// Capacity class of a list of `len` items: its storage is `1 << class` items.
fn class_of(len: u32) -> u32 {
    len.next_power_of_two().trailing_zeros()
}

impl<T: Copy> ListPool<T> {
    /// Forgets all lists and keeps the memory.
    pub fn forget_all(&mut self) {
        self.items.clear();
        self.free.iter_mut().for_each(Vec::clear);
    }

    /// The items of a list.
    #[inline]
    pub fn get(&self, list: List) -> &[T] {
        &self.items[list.start as usize..(list.start + list.len) as usize]
    }

    /// The items of a list, to change in place.
    #[inline]
    pub fn get_mut(&mut self, list: List) -> &mut [T] {
        &mut self.items[list.start as usize..(list.start + list.len) as usize]
    }

    /// A new list of so many equal items.
    pub fn filled(&mut self, len: usize, item: T) -> List {
        if len == 0 {
            return List::EMPTY;
        }
        let start = self.items.len() as u32;
        self.items.resize(self.items.len() + (1 << class_of(len as u32)), item);
        List { start, len: len as u32 }
    }

    /// Appends an item; the list may move.
    pub fn push(&mut self, list: &mut List, item: T) {
        if list.len == 0 && self.free.first().is_none_or(Vec::is_empty) {
            list.start = self.items.len() as u32;
            self.items.push(item);
            list.len = 1;
            return;
        }
        let full = list.len == 0 || list.len.is_power_of_two();
        if full && (list.start + list.len) as usize == self.items.len() {
            // It is the last list: it grows where it is.
            self.items.resize(list.start as usize + (1 << class_of(list.len + 1)), item);
        } else if full {
            let start = self.allocate(class_of(list.len + 1), item);
            self.items.copy_within(list.start as usize..(list.start + list.len) as usize, start as usize);
            self.release(*list);
            list.start = start;
        }
        self.items[(list.start + list.len) as usize] = item;
        list.len += 1;
    }

    /// Removes item `index` and puts the last item in its place; returns the removed item.
    pub fn swap_remove(&mut self, list: &mut List, index: usize) -> T {
        let items = self.get_mut(*list);
        let last = items.len() - 1;
        items.swap(index, last);
        let item = items[last];
        if last.is_power_of_two() || last == 0 {
            // The storage class of the shorter list is the half that stays: give the other half back.
            let old = class_of(list.len);
            let new = class_of(list.len - 1);
            if last == 0 {
                self.put_free(list.start, old);
            } else if new < old {
                self.put_free(list.start + (1 << new), new);
            }
        }
        list.len -= 1;
        item
    }

    fn release(&mut self, list: List) {
        if list.len != 0 {
            self.put_free(list.start, class_of(list.len));
        }
    }

    fn put_free(&mut self, start: u32, class: u32) {
        if self.free.len() <= class as usize {
            self.free.resize(class as usize + 1, Vec::new());
        }
        self.free[class as usize].push(start);
    }

    fn allocate(&mut self, class: u32, filler: T) -> u32 {
        if let Some(start) = self.free.get_mut(class as usize).and_then(Vec::pop) {
            return start;
        }
        let start = self.items.len() as u32;
        self.items.resize(self.items.len() + (1 << class), filler);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_shrink_and_do_not_overlap() {
        let mut pool = ListPool::default();
        let mut lists = [List::EMPTY; 5];
        let mut model = vec![Vec::new(); 5];
        let mut seed = 1u32;
        for step in 0..20_000u32 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let k = (seed >> 16) as usize % 5;
            if !(seed >> 8).is_multiple_of(3) || model[k].is_empty() {
                pool.push(&mut lists[k], step);
                model[k].push(step);
            } else {
                let at = (seed >> 20) as usize % model[k].len();
                assert_eq!(pool.swap_remove(&mut lists[k], at), model[k].swap_remove(at));
            }
            assert_eq!(pool.get(lists[k]), model[k]);
        }
        for k in 0..5 {
            assert_eq!(pool.get(lists[k]), model[k]);
        }
    }
}
