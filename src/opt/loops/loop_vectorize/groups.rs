//! Accesses in turn: of lanes that are two, three or four words apart, as many that lie side by side. Together they access all
//! words that they go over, and machines have an instruction for them (`ld2`, `st2`); so no memory is accessed that the loop
//! does not.
//!
//! Loads have no store between them, so they may be done where the first of them stands. Stores are done where the last one
//! stands: what is accessed between them lies elsewhere in all rounds. O(accesses squared).

use super::roles::Role;
use crate::analysis::dependence::{Access, Direction, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::{Inst, Op};

/// Bytes of a lane.
const WORD: i64 = 4;

/// Accesses in turn, each group by address.
pub(super) fn groups(
    simple: &SimpleLoop,
    rows: &[(Inst, Role)],
    (nest, accesses): (&Nest, &[Access]),
) -> Vec<Vec<Inst>> {
    let f = simple.f;
    let stride = |access: &Access| match rows.iter().find(|row| row.0 == access.inst) {
        Some(&(_, Role::Strided(stride))) if f.op(access.inst) != Op::MaskedStore => Some(stride),
        _ => None,
    };
    let mut groups: Vec<Vec<Inst>> = Vec::new();
    // By number of the access, which is that of the place in the block.
    let mut left: Vec<usize> = (0..accesses.len()).filter(|&k| stride(&accesses[k]).is_some()).collect();
    while let Some(&first) = left.first() {
        // Those that go with the first one, each address once.
        let mut row: Vec<(i64, usize)> = vec![(0, first)];
        for &k in &left[1..] {
            let [a, b] = [first, k].map(|k| &accesses[k]);
            if a.is_write == b.is_write
                && stride(a) == stride(b)
                && let Some(apart) = nest.distance(b, a)
                && row.iter().all(|other| other.0 != apart)
            {
                row.push((apart, k));
            }
        }
        row.sort_unstable();
        let bytes = stride(&accesses[first]).unwrap_or(0);
        let count = usize::try_from(bytes / WORD).unwrap_or(0);
        let fits = (2..=4).contains(&count) && bytes % WORD == 0;
        let mut at = 0;
        while fits && at + count <= row.len() {
            let group: Vec<usize> = row[at..at + count].iter().map(|part| part.1).collect();
            let is_whole = row[at..at + count].windows(2).all(|pair| pair[1].0 == pair[0].0 + WORD);
            let goes = is_whole && go_together(nest, accesses, &group);
            if goes {
                groups.push(group.iter().map(|&k| accesses[k].inst).collect());
            }
            at += if goes { count } else { 1 };
        }
        left.retain(|k| row.iter().all(|part| part.1 != *k));
    }
    groups
}

/// True if nothing between some accesses of one kind has to stay there.
fn go_together(nest: &Nest, accesses: &[Access], group: &[usize]) -> bool {
    let first = group.iter().copied().min().unwrap_or(0);
    let last = group.iter().copied().max().unwrap_or(0);
    let is_write = accesses[first].is_write;
    (first..=last).filter(|k| !group.contains(k)).all(|k| match is_write {
        true => {
            group.iter().all(|&member| !nest.may_meet(&accesses[member], &accesses[k], &[Direction::Any]))
        }
        false => !accesses[k].is_write,
    })
}
