//! Where rows come from, as debuggers are told: encoding and assembly text ask the same question.

use crate::base::Handle;
use crate::mir::inlined::Origin;
use crate::mir::{Block, Func, Inst, Machine, SymKind};
use crate::object::code::BODY;

/// No place of the source.
const NOWHERE: u32 = u32::MAX;

/// A walk over the rows that are code, in their final order. Rows without a place belong to what comes before
/// them, at the head of a block to what comes behind; a prologue to nothing, and what stands between it and the
/// first row with a place to the function (`BODY`), so that a breakpoint at the function is not behind it, in a loop.
#[derive(Debug)]
pub struct Origins {
    now: Origin,
    told: Origin,
    /// The first row behind the prologue.
    body: Inst,
}

impl Default for Origins {
    fn default() -> Origins {
        Origins { now: Origin::NONE, told: Origin::NONE, body: Inst::new(0) }
    }
}

impl Origins {
    /// Begins a block.
    pub fn enter(&mut self, func: &Func, machine: &Machine, b: Block) {
        let mut rows = func.rows(b);
        if b.index() != 0 {
            let first = rows.map(|i| func.origin(i)).find(|origin| origin.offset != NOWHERE);
            self.now = first.unwrap_or(Origin::NONE);
            return;
        }
        // The prologue ends with its last row for unwinders. Where nothing is behind it, the next block may be a loop,
        // and its last instruction counts as the body's first.
        (self.now, self.body) = (Origin::NONE, func.blocks[b].first);
        let mut last = None;
        let is_code = |i: Inst| {
            let row = machine.row(func.insts[i].op);
            !row.text.is_empty() && row.sym != SymKind::Unwind
        };
        while let Some(i) = rows.next().filter(|&i| func.place(i) == NOWHERE) {
            if machine.row(func.insts[i].op).sym == SymKind::Unwind {
                self.body = Inst::new(i.index() + 1);
            } else if is_code(i) {
                last = Some(i);
            }
        }
        if !(self.body.index()..func.blocks[b].end.index()).map(Inst::new).any(is_code) {
            self.body = last.unwrap_or(self.body);
        }
    }

    /// Where a row comes from, if it is from elsewhere than the one before it.
    pub fn row(&mut self, func: &Func, i: Inst) -> Option<Origin> {
        let origin = func.origin(i);
        if origin.offset != NOWHERE {
            self.now = origin;
        } else if self.now == Origin::NONE && self.told == Origin::NONE && i >= self.body {
            self.now = Origin::at(BODY);
        }
        let is_new = self.now != self.told;
        self.told = self.now;
        is_new.then_some(self.now)
    }
}
