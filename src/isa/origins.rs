//! Where rows come from, as debuggers are told: encoding and assembly text ask the same question.

use crate::base::Handle;
use crate::mir::{Block, Func, Inst};

/// No place of the source.
const NOWHERE: u32 = u32::MAX;

/// A walk over the rows that are code, in their final order. Rows without a place belong to what comes before
/// them, at the head of a block to what comes behind; a prologue to nothing.
#[derive(Debug)]
pub struct Origins {
    now: u32,
    told: u32,
}

impl Default for Origins {
    fn default() -> Origins {
        Origins { now: NOWHERE, told: NOWHERE }
    }
}

impl Origins {
    /// Begins a block.
    pub fn enter(&mut self, func: &Func, b: Block) {
        let first = || func.rows(b).map(|i| func.place(i)).find(|&loc| loc != NOWHERE);
        self.now = if b.index() == 0 { NOWHERE } else { first().unwrap_or(NOWHERE) };
    }

    /// Where a row comes from, if it is from elsewhere than the one before it.
    pub fn row(&mut self, func: &Func, i: Inst) -> Option<u32> {
        let place = func.place(i);
        if place != NOWHERE {
            self.now = place;
        }
        let is_new = self.now != self.told;
        self.told = self.now;
        is_new.then_some(self.now)
    }
}
