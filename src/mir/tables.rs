//! Tables of jumps, for switches: entries of one length, one behind the other, and a jump into them.
//!
//! To all that is about control flow a table is a chain of conditional branches (`desc::TABLE`), a block each, which are
//! taken or go on to the next entry. So no block has more than two successors, and allocation has no case of it: an entry has no
//! operands, and nothing has to be done where one goes on to the next. What is left to see to is that entries stand
//! together, which `put_together` does behind the choice of an order, and `check` proves of what is to be encoded. The first entry
//! is the end of the row that jumps into the table; the block that the last row of a chain goes on to is the last entry, or gets
//! a jump like any other. Both are O(blocks), in functions that have tables.

use super::desc::{Machine, TABLE};
use super::{Block, Func, Inst};
use crate::base::BitSet;

/// The entry that ends a block, and how many follow from it on.
fn entry(func: &Func, machine: &Machine, b: Block) -> Option<(Inst, i32)> {
    let last = func.rows(b).next_back()?;
    machine.is(func, last, TABLE).then(|| (last, func.insts[last].imm))
}

/// The block of the next entry, which is a row of the same kind.
fn next_entry(func: &Func, machine: &Machine, b: Block) -> Option<Block> {
    let (_, count) = entry(func, machine, b)?;
    func.blocks[b].succs[1].get().filter(|_| count > 2)
}

/// Moves all entries of a table behind the first.
pub(super) fn put_together(func: &mut Func, machine: &Machine) {
    let mut inner = BitSet::new(func.blocks.len());
    for &b in &func.layout {
        if let Some(next) = next_entry(func, machine, b) {
            inner.insert(next);
        }
    }
    let mut layout = Vec::with_capacity(func.layout.len());
    for &first in func.layout.iter().filter(|&&b| !inner.contains(b)) {
        let mut at = Some(first);
        while let Some(b) = at {
            layout.push(b);
            at = next_entry(func, machine, b);
        }
    }
    func.layout = layout;
}

/// True if every entry of a table stands where a jump into it expects it.
pub fn check(func: &Func, machine: &Machine) -> bool {
    let next = |k: usize| func.layout.get(k + 1).copied();
    func.layout.iter().enumerate().all(|(k, &b)| {
        let is_entry = |&i: &Inst| machine.is(func, i, TABLE);
        let Some(at) = func.rows(b).find(is_entry) else { return true };
        let (is_last_row, count) = (func.rows(b).next_back() == Some(at), func.insts[at].imm);
        count == 2
            || is_last_row
                && next(k).is_some_and(|next| {
                    let first = func.blocks[next].first;
                    next_entry(func, machine, b) == Some(next)
                        && is_entry(&first)
                        && func.insts[first].imm == count - 1
                })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{order, parse, toy};
    use super::*;
    use crate::base::Handle;
    use bumpalo::Bump;

    /// A table of four entries, from `mb0`; its blocks stand apart.
    const TABLE: &str = "
mb0 frequency 1024 -> mb3 mb6
    tent mb3, #4
mb1 frequency 900 -> mb5 mb4
    tent mb5, #2
mb2 frequency 1024
    ret
mb3 frequency 1024 -> mb2
    r1 = li
    j mb2
mb4 frequency 1024 -> mb2
    j mb2
mb5 frequency 1024 -> mb2
    r2 = li
    j mb2
mb6 frequency 1000 -> mb4 mb1
    tent mb4, #3
";

    #[test]
    fn entries_are_put_behind_the_first() {
        let machine = toy::machine();
        for keep_jumps in [false, true] {
            let mut func = parse::parse(TABLE, &machine).unwrap();
            (func.has_tables, func.keep_jumps) = (true, keep_jumps);
            order::order(&mut func, &machine, &Bump::new());
            assert_eq!(func.layout[..3].iter().map(|b| b.index()).collect::<Vec<_>>(), [0, 6, 1]);
            assert!(check(&func, &machine));
            func.layout.swap(1, 2);
            assert!(!check(&func, &machine));
            func.layout.swap(2, 3);
            assert!(!check(&func, &machine));
        }
    }

    #[test]
    fn what_stands_in_front_of_an_entry_or_is_missing_is_seen() {
        let machine = toy::machine();
        for (from, to) in
            [("    tent mb5", "    r1 = li\n    tent mb5"), ("mb4, #3", "mb4, #4"), ("mb5, #2", "mb5, #3")]
        {
            let mut func = parse::parse(&TABLE.replace(from, to), &machine).unwrap();
            func.has_tables = true;
            order::order(&mut func, &machine, &Bump::new());
            assert!(!check(&func, &machine), "{to}");
        }
    }
}
