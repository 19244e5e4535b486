//! Rows for a function that is rewritten as a whole: written block after block while the old ones are still readable.

use crate::base::{Column, Handle, Opt};
use crate::mir::{Func, Inst, InstRow};

/// The rows so far, and where they come from.
#[derive(Debug)]
pub(super) struct Rows {
    rows: Vec<InstRow>,
    /// True if somebody wants the next two columns.
    notes: bool,
    locs: Vec<u32>,
    /// Per row: the row of the function as it was given to the allocator that this one is; none for moves that the
    /// allocator added.
    origins: Vec<Opt<Inst>>,
    /// Per block: where it ends; it starts where its predecessor ends.
    ends: Vec<u32>,
}

/// Per row of the function: its row in the function as it was given to the allocator, if it has one. Empty if nobody wants to
/// know; then places in the source are not kept, either.
pub(super) type Origins = Column<Inst, Opt<Inst>>;

impl Rows {
    /// No rows, with room for some more than the function has.
    pub(super) fn new(func: &mut Func, origins: &Origins) -> Rows {
        let room = func.insts.len() + func.insts.len() / 4;
        let mut rows = std::mem::take(&mut func.spare);
        rows.clear();
        rows.reserve(room);
        let notes = !origins.is_empty();
        let noted = if notes { room } else { 0 };
        Rows {
            rows,
            notes,
            locs: Vec::with_capacity(noted),
            origins: Vec::with_capacity(noted),
            ends: Vec::with_capacity(func.blocks.len()),
        }
    }

    /// Appends a row that stands for the function's row `i`, changed or not.
    #[inline(always)]
    pub(super) fn keep(&mut self, func: &Func, origins: &Origins, i: Inst, row: InstRow) {
        self.rows.push(row);
        if self.notes {
            self.note(func, i, origins[i]);
        }
    }

    /// Appends a row of the allocator's own on behalf of the function's row `i`; `origin` only for one that does again what
    /// some given row does.
    #[inline(always)]
    pub(super) fn add(&mut self, func: &Func, i: Inst, row: InstRow, origin: Opt<Inst>) {
        self.rows.push(row);
        if self.notes {
            self.note(func, i, origin);
        }
    }

    /// Appends rows of the function as they are now.
    #[inline(always)]
    pub(super) fn keep_all(&mut self, func: &Func, origins: &Origins, rows: std::ops::Range<usize>) {
        self.rows.extend_from_slice(&func.insts.as_slice()[rows.clone()]);
        if self.notes {
            rows.map(Inst::new).for_each(|i| self.note(func, i, origins[i]));
        }
    }

    #[cold]
    fn note(&mut self, func: &Func, i: Inst, origin: Opt<Inst>) {
        self.locs.push(func.loc.get(i).copied().unwrap_or(u32::MAX));
        self.origins.push(origin);
    }

    /// Ends the current block.
    pub(super) fn end_block(&mut self) {
        self.ends.push(self.rows.len() as u32);
    }

    /// Gives the rows to the function.
    pub(super) fn finish(self, func: &mut Func, origins: &mut Origins) {
        func.spare = std::mem::replace(&mut func.insts, self.rows.into()).into_vec();
        func.loc = self.locs.into();
        *origins = self.origins.into();
        let mut first = 0;
        for (row, end) in func.blocks.as_mut_slice().iter_mut().zip(self.ends) {
            (row.first, row.end) = (Inst::new(first), Inst::new(end as usize));
            first = end as usize;
        }
    }
}
