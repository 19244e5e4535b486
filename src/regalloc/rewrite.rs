//! Rows for a function that is rewritten as a whole: written block after block while the old ones are still readable.

use crate::base::{Column, Handle, Opt};
use crate::mir::{Func, Inst, InstRow};

/// The rows so far, and where they come from.
#[derive(Debug)]
pub(super) struct Rows {
    rows: Vec<InstRow>,
    locs: Vec<u32>,
    /// Per row: the row of the function as it was given to the allocator that this one is; none for moves that the
    /// allocator added.
    origins: Vec<Opt<Inst>>,
    /// Per block: where it ends; it starts where its predecessor ends.
    ends: Vec<usize>,
}

/// Per row of the function: its row in the function as it was given to the allocator, if it has one.
pub(super) type Origins = Column<Inst, Opt<Inst>>;

impl Rows {
    /// No rows, with room for some more than the function has.
    pub(super) fn new(func: &Func) -> Rows {
        let room = func.insts.len() + func.insts.len() / 4;
        Rows {
            rows: Vec::with_capacity(room),
            locs: Vec::with_capacity(room),
            origins: Vec::with_capacity(room),
            ends: Vec::with_capacity(func.blocks.len()),
        }
    }

    /// Appends a row that stands for the function's row `i`, changed or not.
    pub(super) fn keep(&mut self, func: &Func, origins: &Origins, i: Inst, row: InstRow) {
        self.rows.push(row);
        self.locs.push(func.loc.get(i).copied().unwrap_or(u32::MAX));
        self.origins.push(origins[i]);
    }

    /// Appends a row of the allocator's own on behalf of the function's row `i`; `origin` only for one that does again what
    /// some given row does.
    pub(super) fn add(&mut self, func: &Func, i: Inst, row: InstRow, origin: Opt<Inst>) {
        self.rows.push(row);
        self.locs.push(func.loc.get(i).copied().unwrap_or(u32::MAX));
        self.origins.push(origin);
    }

    /// Ends the current block.
    pub(super) fn end_block(&mut self) {
        self.ends.push(self.rows.len());
    }

    /// Gives the rows to the function.
    pub(super) fn finish(self, func: &mut Func, origins: &mut Origins) {
        func.insts = self.rows.into();
        func.loc = self.locs.into();
        *origins = self.origins.into();
        let mut first = 0;
        for (row, end) in func.blocks.as_mut_slice().iter_mut().zip(self.ends) {
            (row.first, row.end) = (Inst::new(first), Inst::new(end));
            first = end;
        }
    }
}
