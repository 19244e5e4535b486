//! Rows that the walk puts in or takes out. The rows of the function stay where they are, and their operands
//! are replaced there; what comes in between, which is little (one row in twenty of generated programs), is
//! noted, last first, and at the end what lies between is copied run by run. O(rows), and nothing is copied
//! where nothing was put in.

use crate::base::{Handle, Opt};
use crate::mir::func::SPARE;
use crate::mir::rewrite::{Origins, Rows};
use crate::mir::{Func, Inst, InstRow};

/// A row to be put in, or one that goes.
#[derive(Copy, Clone, Debug)]
struct Edit {
    /// The given row in front of which it is put, or that goes if `row` is `SPARE`.
    at: u32,
    row: InstRow,
    /// The given row that it does again.
    origin: Opt<Inst>,
    /// Its place in the source.
    loc: u32,
}

/// All edits, last first.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<Edit>,
    /// Where the list ended after each block, the last block's first.
    ends: Vec<usize>,
    /// The given row in front of which rows are put now.
    pub(super) at: usize,
    /// The place in the source of the row at hand.
    pub(super) loc: u32,
}

impl Edits {
    /// None, with room for so many.
    pub(super) fn with_room(count: usize) -> Edits {
        Edits { list: Vec::with_capacity(count), ..Edits::default() }
    }

    /// Puts a row in.
    pub(super) fn put(&mut self, row: InstRow, origin: Opt<Inst>) {
        self.list.push(Edit { at: self.at as u32, row, origin, loc: self.loc });
    }

    /// Takes a given row out.
    pub(super) fn remove(&mut self, k: usize) {
        self.list.push(Edit { at: k as u32, row: SPARE, origin: Opt::NONE, loc: u32::MAX });
    }

    /// All has been said of a block.
    pub(super) fn end_block(&mut self) {
        self.ends.push(self.list.len());
    }

    /// Does the edits. O(rows)
    pub(super) fn apply(&self, func: &mut Func, origins: &mut Origins) {
        let mut rows = Rows::new(func, self.list.len(), origins);
        let mut start = self.list.len();
        // The first block's edits are the last ones.
        let starts = self.ends.iter().rev().skip(1).copied().chain([0]);
        for (block, next_start) in func.blocks.as_slice().iter().zip(starts) {
            let mut next = block.first.index();
            for edit in self.list[next_start..start].iter().rev() {
                let at = edit.at as usize;
                rows.keep_all(func, origins, next..at);
                next = at;
                if edit.row == SPARE {
                    next += 1;
                } else {
                    rows.add_at(edit.loc, edit.row, edit.origin);
                }
            }
            rows.keep_all(func, origins, next..block.end.index());
            rows.end_block();
            start = next_start;
        }
        rows.finish(func, origins);
    }
}
