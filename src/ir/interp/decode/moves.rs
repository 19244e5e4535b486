//! Parallel copies in an order that does the same one after the other.
//!
//! A copy whose target nothing still reads can be made; what then remains are cycles, and each is broken
//! through one spare slot. Linear; the scratch is kept from edge to edge.

use super::Slot;

const NONE: u32 = u32::MAX;

/// Copies that happen at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    /// Target and source.
    list: Vec<(Slot, Slot)>,
    /// Per slot: the source that it still has to get, or `NONE`.
    source: Vec<u32>,
    /// Per slot: how many targets still have to be set from it.
    readers: Vec<u32>,
    ready: Vec<Slot>,
}

impl Moves {
    /// Adds a copy; targets differ from each other.
    pub(super) fn push(&mut self, to: Slot, from: Slot) {
        if to != from {
            self.list.push((to, from));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Calls `emit(to, from)` for each step, and empties the set.
    pub(super) fn sequence(&mut self, spare: Slot, mut emit: impl FnMut(Slot, Slot)) {
        let top = self.list.iter().map(|&(to, from)| to.max(from) as usize + 1).max().unwrap_or(0);
        if self.source.len() < top {
            self.source.resize(top, NONE);
            self.readers.resize(top, 0);
        }
        for &(to, from) in &self.list {
            self.source[to as usize] = from;
            self.readers[from as usize] += 1;
        }
        self.ready.extend(self.list.iter().map(|&(to, _)| to).filter(|&to| self.readers[to as usize] == 0));
        while let Some(to) = self.ready.pop() {
            let from = std::mem::replace(&mut self.source[to as usize], NONE);
            emit(to, from);
            self.readers[from as usize] -= 1;
            if self.readers[from as usize] == 0 && self.source[from as usize] != NONE {
                self.ready.push(from);
            }
        }
        for (first, _) in std::mem::take(&mut self.list) {
            if self.source[first as usize] == NONE {
                continue;
            }
            emit(spare, first);
            let mut to = first;
            loop {
                let from = std::mem::replace(&mut self.source[to as usize], NONE);
                self.readers[from as usize] -= 1;
                if from == first {
                    emit(to, spare);
                    break;
                }
                emit(to, from);
                to = from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_parallel_copies_come_out_right() {
        let mut moves = Moves::default();
        let mut seed = 3u32;
        for _ in 0..2000 {
            let mut slots: Vec<u32> = (0..9).collect();
            let mut expected = slots.clone();
            for to in 0..8 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if seed >> 30 != 0 {
                    let from = seed >> 8 & 7;
                    moves.push(to, from);
                    expected[to as usize] = from;
                }
            }
            moves.sequence(8, |to, from| slots[to as usize] = slots[from as usize]);
            assert_eq!(slots[..8], expected[..8]);
            assert!(moves.is_empty() && moves.readers.iter().all(|&n| n == 0));
        }
    }
}
