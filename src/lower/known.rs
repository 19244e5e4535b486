//! What is in the memory of local scalars, as far as one stretch of blocks knows that control enters one after the other: a
//! variable that was loaded or stored in it is not loaded again. On `realistic` that is 19% of the rows, before mem2reg sees
//! them and leaves them dead in the columns of all others.
//!
//! Only rows are known, no constants: what is a constant here decides which blocks there are, and counts of one level are for
//! all of them (`counted`). Globals and elements are loaded each time. O(1) a read or store, O(locals) a function.

use crate::base::Column;
use crate::ir::{Inst, Value};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// False where each read is a load.
    pub(super) follows: bool,
    /// Per row up to the last local's `alloca`: what was loaded or stored there last, and in which stretch.
    last: Column<Inst, (Value, u32)>,
    /// The present stretch.
    stretch: u32,
}

impl Known {
    /// Begins a function whose locals have their memory in the first `rows` rows.
    pub(super) fn begin(&mut self, follows: bool, rows: usize) {
        self.follows = follows;
        self.last.clear();
        if follows {
            self.last.grow_to(rows, (Value::bool(false), 0));
        }
        self.stretch = 1;
    }

    /// Control may have come from elsewhere.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.stretch += 1;
    }

    /// What is in the memory of a local.
    #[inline(always)]
    pub(super) fn value(&self, address: Value) -> Option<Value> {
        if !self.follows {
            return None;
        }
        let &(value, stretch) = self.last.get(address.as_inst()?)?;
        (stretch == self.stretch).then_some(value)
    }

    /// This is there now.
    #[inline(always)]
    pub(super) fn note(&mut self, address: Value, value: Value) {
        if !self.follows {
            return;
        }
        let Some(room) = address.as_inst().filter(|&room| self.last.get(room).is_some()) else { return };
        self.last[room] = (value, if value.as_inst().is_some() { self.stretch } else { 0 });
    }
}
