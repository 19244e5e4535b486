//! Forwards stores and loads of local scalars to later loads within an extended basic block (a chain of blocks, each of which
//! has the one before as its only predecessor). On `realistic` that is 19% of the instructions, before mem2reg sees
//! them and leaves them dead in the columns of all others.
//!
//! Only instructions are forwarded, no constants: what is a constant here decides which blocks there are, and counts of one level are for
//! all of them (`counted`). Globals and elements are loaded each time. O(1) a load or store, O(locals) a function.

use crate::base::Column;
use crate::ir::{Inst, Value};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// False where each read is a load.
    pub(super) follows: bool,
    /// Per instruction up to the last local's `alloca`: what was loaded or stored there last, and in which extended basic block.
    last: Column<Inst, (Value, u32)>,
    /// The number of the current extended basic block, from 1.
    region: u32,
}

impl Known {
    /// Begins a function whose locals have their memory in the first `rows` rows.
    pub(super) fn begin(&mut self, follows: bool, rows: usize) {
        self.follows = follows;
        self.last.clear();
        if follows {
            self.last.grow_to(rows, (Value::bool(false), 0));
        }
        self.region = 1;
    }

    /// Begins another extended basic block.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.region += 1;
    }

    /// The value in a local's memory, if it is known.
    #[inline(always)]
    pub(super) fn value(&self, address: Value) -> Option<Value> {
        if !self.follows {
            return None;
        }
        let &(value, region) = self.last.get(address.as_inst()?)?;
        (region == self.region).then_some(value)
    }

    /// Notes a load or store of a local.
    #[inline(always)]
    pub(super) fn note(&mut self, address: Value, value: Value) {
        if !self.follows {
            return;
        }
        let Some(room) = address.as_inst().filter(|&room| self.last.get(room).is_some()) else { return };
        self.last[room] = (value, if value.as_inst().is_some() { self.region } else { 0 });
    }
}
