//! Proves that rows in another order do the same: each row is carried out on symbols, in both orders, and must read the
//! same ones, and in the end each register holds the same. Accesses to memory that are not apart must come in the order in
//! which they came, and so must what sets the flags. O(rows + pairs of accesses); under `-fverify` only.

use super::super::desc::{LOADS, SETS_FLAGS, STORES, TERMINATORS, USES_FLAGS};
use super::super::memory::{apart, is_volatile, reference};
use super::super::{Func, InstRow, Machine, Operand};
use crate::base::Handle;
use std::collections::BTreeMap;

/// Where a value stands: of an operand as it is named, of flags by itself.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Value(usize),
    Unit(u8),
    Flags,
}

/// The row that made it, as it was numbered first, and which of its results it is; none for what was there.
type Symbol = Option<(usize, usize)>;

/// What each row reads, and what there is in the end.
type Effects = (Vec<Vec<Symbol>>, BTreeMap<Spot, Symbol>);

/// Checks rows in their new order: `order[k]` is where the row stood that stands at `k` now, of those from `start` on.
pub(super) fn check(
    func: &Func,
    machine: &Machine,
    start: usize,
    before: &[InstRow],
    order: &[u16],
) -> Result<(), String> {
    let at = |k: usize| format!("row {}", start + k);
    let mut places = vec![usize::MAX; before.len()];
    for (k, &old) in order.iter().enumerate() {
        match places.get_mut(usize::from(old)) {
            Some(place) if *place == usize::MAX => *place = k,
            _ => return Err(format!("{} stands there twice", at(usize::from(old)))),
        }
    }
    if order.len() != before.len() {
        return Err("rows are missing".to_string());
    }
    let identity: Vec<u16> = (0..before.len() as u16).collect();
    let (reads, ends) = carry_out(func, machine, before, &identity);
    let (reads_now, ends_now) = carry_out(func, machine, before, order);
    if let Some(k) = (0..before.len()).find(|&k| reads[k] != reads_now[k]) {
        return Err(format!("{} reads something else", at(k)));
    }
    if ends != ends_now {
        return Err("a register holds something else in the end".to_string());
    }
    for a in 0..before.len() {
        let flags = machine.row(before[a].op).flags;
        if flags & TERMINATORS != 0 && places[a] != a {
            return Err(format!("{} ends the block no more", at(a)));
        }
        for b in a + 1..before.len() {
            if places[a] < places[b] {
                continue;
            }
            let both = [a, b].map(|k| machine.row(before[k].op).flags);
            let accesses = both.map(|flags| flags & (LOADS | STORES));
            let is_ordered = [a, b].iter().any(|&k| is_volatile(machine, &before[k]));
            let loads_only = (accesses[0] | accesses[1]) & STORES == 0 && !is_ordered;
            if accesses[0] == 0 || accesses[1] == 0 || loads_only {
                continue;
            }
            // Registers of addresses are compared as they were read.
            let [first, second] = [a, b].map(|k| reference(func, machine, &before[k]));
            let same_base = reads[a].last() == reads[b].last();
            let is_apart = first.zip(second).is_some_and(|(first, second)| {
                let first = if same_base { first } else { first.anywhere() };
                apart(func, &first, &second)
            });
            if !is_apart {
                return Err(format!("{} and {} may touch the same memory", at(a), at(b)));
            }
        }
    }
    Ok(())
}

fn carry_out(func: &Func, machine: &Machine, rows: &[InstRow], order: &[u16]) -> Effects {
    let mut now: BTreeMap<Spot, Symbol> = BTreeMap::new();
    let mut reads = vec![Vec::new(); rows.len()];
    let spots = |operand: Operand| -> Vec<Spot> {
        match (operand.as_virt(), operand.as_phys()) {
            (Some(v), _) => vec![Spot::Value(v.index())],
            (_, Some(reg)) => machine.registers.units(reg).iter().map(|unit| Spot::Unit(unit.0)).collect(),
            _ => Vec::new(),
        }
    };
    for &k in order {
        let k = usize::from(k);
        let row = &rows[k];
        let (first, defs) = (row.first as usize, usize::from(row.defs));
        let operands = &func.operands[first..first + defs + usize::from(row.uses)];
        let flags = machine.row(row.op).flags;
        if flags & USES_FLAGS != 0 {
            reads[k].push(now.get(&Spot::Flags).copied().flatten());
        }
        for spot in operands[defs..].iter().flat_map(|&o| spots(o)) {
            reads[k].push(now.get(&spot).copied().flatten());
        }
        for (n, &def) in operands[..defs].iter().enumerate() {
            spots(def).into_iter().for_each(|spot| {
                now.insert(spot, Some((k, n)));
            });
        }
        if flags & SETS_FLAGS != 0 {
            now.insert(Spot::Flags, Some((k, defs)));
        }
    }
    (reads, now)
}
