//! Loads in turn: of lanes that are two, three or four words apart, as many that lie side by side. Together they load all
//! words that they go over, and machines have an instruction for them (`ld2`); so nothing is loaded that the loop does not.
//!
//! No store stands between them, so they may be done where the first of them stands. O(loads squared).

use super::roles::Role;
use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::{Inst, Op};

/// Bytes of a lane.
const WORD: i64 = 4;

/// Loads in turn, each group by address; `distance` says how many bytes one access is behind another one.
pub(super) fn groups(
    simple: &SimpleLoop,
    rows: &[(Inst, Role)],
    distance: impl Fn(Inst, Inst) -> Option<i64>,
) -> Vec<Vec<Inst>> {
    let f = simple.f;
    let is_store = |i: Inst| matches!(f.op(i), Op::Store | Op::MaskedStore);
    // The loads, in order of the block, and how many stores stand before each.
    let mut loads: Vec<(Inst, i64, usize)> = Vec::new();
    let mut stores = 0;
    for i in f.insts(simple.header) {
        stores += usize::from(is_store(i));
        match rows.iter().find(|row| row.0 == i) {
            Some(&(_, Role::Strided(stride))) if f.op(i) == Op::Load => loads.push((i, stride, stores)),
            _ => {}
        }
    }
    let mut groups: Vec<Vec<Inst>> = Vec::new();
    while let Some(&(first, stride, stores)) = loads.first() {
        // Those that go with the first one, each once, by address.
        let mut row: Vec<(i64, Inst)> = vec![(0, first)];
        for &(i, ..) in loads[1..].iter().filter(|row| (row.1, row.2) == (stride, stores)) {
            if let Some(apart) = distance(i, first)
                && row.iter().all(|other| other.0 != apart)
            {
                row.push((apart, i));
            }
        }
        row.sort_unstable();
        let count = usize::try_from(stride / WORD).unwrap_or(0);
        let fits = (2..=4).contains(&count) && stride % WORD == 0;
        let mut at = 0;
        while fits && at + count <= row.len() {
            let run = &row[at..at + count];
            let is_whole = run.windows(2).all(|pair| pair[1].0 == pair[0].0 + WORD);
            if is_whole {
                groups.push(run.iter().map(|part| part.1).collect());
            }
            at += if is_whole { count } else { 1 };
        }
        loads.retain(|load| row.iter().all(|part| part.1 != load.0));
    }
    groups
}
