//! A worklist: handles still to be looked at, each at most once at a time.

use super::{BitSet, Handle};

/// Last in, first out; pushing a handle that already waits does nothing.
#[derive(Clone, Debug)]
pub struct Worklist<H: Handle> {
    stack: Vec<H>,
    waiting: BitSet<H>,
}

impl<H: Handle> Worklist<H> {
    /// An empty list for rows `0..capacity`; it grows when later rows are pushed.
    pub fn new(capacity: usize) -> Self {
        Worklist { stack: Vec::new(), waiting: BitSet::new(capacity) }
    }

    /// Adds the handle unless it already waits.
    #[inline]
    pub fn push(&mut self, handle: H) {
        if self.waiting.insert(handle) {
            self.stack.push(handle);
        }
    }

    /// Takes the handle that was added last.
    #[inline]
    pub fn pop(&mut self) -> Option<H> {
        let handle = self.stack.pop()?;
        self.waiting.remove(handle);
        Some(handle)
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}
