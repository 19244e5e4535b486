//! Rows that the walk puts in or takes out. The rows of the function stay where they are, and their operands are replaced there;
//! what comes in between, which is little (one row in twenty of generated programs), is noted, last first, and at the end what lies
//! between is copied run by run. O(rows), and nothing is copied where nothing was put in.

use super::super::rewrite::Origins;
use crate::base::{Column, Handle, Opt};
use crate::mir::func::{BlockRow, SPARE};
use crate::mir::{Block, Inst, InstRow};

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

    /// The rows with all edits, in memory that is there, and blocks to match.
    pub(super) fn apply(
        &self,
        given: &[InstRow],
        blocks: &mut Column<Block, BlockRow>,
        mut rows: Vec<InstRow>,
    ) -> Vec<InstRow> {
        rows.clear();
        rows.reserve(given.len() + self.list.len());
        let (mut copied, mut start) = (0, self.list.len());
        // The first block's edits are the last ones.
        let starts = self.ends.iter().rev().skip(1).copied().chain([0]);
        for (block, next_start) in blocks.as_mut_slice().iter_mut().zip(starts) {
            block.first = Inst::new(rows.len() + block.first.index() - copied);
            for edit in self.list[next_start..start].iter().rev() {
                let at = edit.at as usize;
                rows.extend_from_slice(&given[copied..at]);
                copied = at;
                if edit.row == SPARE {
                    copied += 1;
                } else {
                    rows.push(edit.row);
                }
            }
            block.end = Inst::new(rows.len() + block.end.index() - copied);
            start = next_start;
        }
        rows.extend_from_slice(&given[copied..]);
        rows
    }

    /// Per row, as `apply` has them: its place in the source, and the given row that it is.
    pub(super) fn notes(&self, given: usize, given_loc: &[u32]) -> (Vec<u32>, Origins) {
        let (mut locs, mut origins) = (Vec::with_capacity(given), Vec::with_capacity(given));
        let mut noted = 0;
        let mut note = |locs: &mut Vec<u32>, origins: &mut Vec<Opt<Inst>>, to: usize| {
            locs.extend_from_slice(&given_loc[noted..to]);
            origins.extend((noted..to).map(|k| Opt::some(Inst::new(k))));
            noted = to;
        };
        for edit in self.list.iter().rev() {
            note(&mut locs, &mut origins, edit.at as usize);
            if edit.row == SPARE {
                // Its place and itself, which are not wanted.
                note(&mut locs, &mut origins, edit.at as usize + 1);
                locs.pop();
                origins.pop();
            } else {
                locs.push(edit.loc);
                origins.push(edit.origin);
            }
        }
        note(&mut locs, &mut origins, given);
        (locs, origins.into())
    }
}
